// SPDX-License-Identifier: Apache-2.0
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Helios (Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters", SC
/// 2021): cluster_log.csv.
class Helios final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size()));
    return line.find("gpu_num") != std::string_view::npos && line.find("submit_time") != std::string_view::npos;
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    TraceTable table{text, file, {"gpu_num", "submit_time", "duration"}};
    table.for_each(trace.audit, [&](std::int64_t number) {
      const auto gpus = table.whole("gpu_num");
      const auto duration = table.number("duration");
      const auto submit = cell_time(table.cell("submit_time"));
      if (!gpus || !duration || !submit || !plausible_time(*duration)) {
        trace.audit.add("GPUs, duration or time cannot be read", "left out", number);
        return;
      }
      if (*gpus < 1) {
        trace.audit.add("job without GPUs", "left out", number);
        return;
      }
      TraceJob job;
      job.submit = Seconds{*submit};
      job.duration = job.estimate = Seconds{*duration};
      job.gpus = *gpus;
      job.user = trace.workload.users.index_of(table.cell("user"));
      job.team = trace.workload.teams.index_of(table.cell("vc"));
      job.queue = trace.workload.queues.index_of(table.cell("vc"));
      job.row = number;
      trace.workload.jobs.push_back(job);
      trace.workload.job_names.emplace_back(table.cell("job_id"));
    });
  }
};

TY_REGISTER(TraceImporter, Helios, "helios", "SenseTime Helios cluster_log (SC 2021)");

} // namespace
} // namespace trainyard
