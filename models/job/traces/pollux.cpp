// SPDX-License-Identifier: Apache-2.0
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Pollux workloads (Qiao et al., OSDI 2021): time, name, application, num_replicas, batch_size; run times come from
/// the model.
class Pollux final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size()));
    return line.find("application") != std::string_view::npos && line.find("time") != std::string_view::npos &&
           line.find("num_replicas") != std::string_view::npos;
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    TraceTable table{text, file, {"time", "application", "num_replicas"}};
    table.for_each(trace.audit, [&](std::int64_t number) {
      const auto time = table.number("time");
      const auto replicas = table.whole("num_replicas");
      if (!time || !plausible_time(*time) || !replicas || *replicas < 1) {
        trace.audit.add("time or number of replicas that cannot be read", "left out", number);
        return;
      }
      TraceJob job;
      job.submit = Seconds{*time};
      job.gpus = *replicas;
      job.model = trace.workload.models.index_of(table.cell("application"));
      if (const auto duration = table.number("duration"); duration && *duration <= 1e11)
        job.duration = job.estimate = Seconds{std::max(0.0, *duration)};
      else
        trace.audit.add("job without a run time",
                        "kept with a run time of zero; give its model, so that its run time is simulated", number);
      job.row = number;
      trace.workload.jobs.push_back(job);
      trace.workload.job_names.emplace_back(table.cell("name"));
    });
  }
};

TY_REGISTER(TraceImporter, Pollux, "pollux", "Pollux workload (OSDI 2021)");

} // namespace
} // namespace trainyard
