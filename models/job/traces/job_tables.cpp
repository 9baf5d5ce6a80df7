// SPDX-License-Identifier: Apache-2.0
// Published traces that are tables with a row for each job: which column says what.
#include "models/core/text.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace trainyard {
namespace {

/// Columns by their meaning; null: the table has none.
struct JobTable {
  std::string_view marks; // the begin of the head line, or, with blanks between, what is somewhere in it
  const char *submit, *duration, *gpus;
  const char* user = nullptr;
  const char* team = nullptr; // and queue
  const char* model = nullptr;
  const char* name = nullptr;
  const char* start = nullptr;
};

template <const JobTable& columns>
class JobTableFormat final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size()));
    const std::vector<std::string_view> marks = blank_separated(columns.marks);
    return marks.size() == 1 ? line.starts_with(marks.front()) : std::ranges::all_of(marks, [&](std::string_view mark) {
      return line.find(mark) != std::string_view::npos;
    });
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    TraceTable table{text, file, {columns.submit, columns.duration, columns.gpus}};
    Workload& workload = trace.workload;
    const auto cell = [&](const char* column) { return column == nullptr ? std::string_view{} : table.cell(column); };
    table.for_each(trace.audit, [&](std::int64_t number) {
      const auto submit = cell_time(table.cell(columns.submit)), duration = table.number(columns.duration);
      const auto gpus = table.whole(columns.gpus);
      if (!submit || !duration || !gpus)
        return trace.audit.add("time, duration or number of GPUs that cannot be read", "left out", number);
      if (const char* unit = finer_unit(*submit)) {
        trace.audit.add(fmt::format("{} in {} since 1970", columns.submit, unit),
                        "left out; divide the column so that it has seconds", number);
        return;
      }
      if (!plausible_time(*duration) || *gpus < 1)
        return trace.audit.add(*gpus == 0 ? "job without GPUs"
                                          : "negative duration or no GPU, or a duration above 1e11 s",
                               "left out", number);
      TraceJob job;
      job.submit = Seconds{*submit};
      job.duration = job.estimate = Seconds{*duration};
      job.gpus = *gpus;
      job.user = workload.users.index_of(cell(columns.user));
      job.team = workload.teams.index_of(cell(columns.team));
      job.queue = workload.queues.index_of(cell(columns.team));
      job.model = workload.models.index_of(cell(columns.model));
      job.row = number;
      if (const auto start = cell_time(cell(columns.start)); start && plausible_time(*start - *submit))
        trace.waits.emplace_back(number, Seconds{*start - *submit});
      workload.jobs.push_back(job);
      if (columns.name != nullptr)
        workload.job_names.emplace_back(cell(columns.name));
    });
  }
};

/// Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads", ATC 2019: the derived
/// table; virtual clusters are teams.
constexpr JobTable philly{.marks = "timestamp,duration,num_gpus",
                          .submit = "timestamp",
                          .duration = "duration",
                          .gpus = "num_gpus",
                          .team = "cluster"};
using PhillyTable = JobTableFormat<philly>;
TY_REGISTER(TraceImporter, PhillyTable, "philly", "Microsoft Philly, table of timestamp, duration, num_gpus, cluster");

/// Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters", SC 2021:
/// cluster_log.csv.
constexpr JobTable helios{.marks = "gpu_num submit_time",
                          .submit = "submit_time",
                          .duration = "duration",
                          .gpus = "gpu_num",
                          .user = "user",
                          .team = "vc",
                          .name = "job_id",
                          .start = "start_time"};
using Helios = JobTableFormat<helios>;
TY_REGISTER(TraceImporter, Helios, "helios", "SenseTime Helios cluster_log (SC 2021)");

/// Gu et al., NSDI 2019: job_id, num_gpu, submit_time, iterations, model_name, duration, interval.
constexpr JobTable tiresias{.marks = "job_id,num_gpu,submit_time",
                            .submit = "submit_time",
                            .duration = "duration",
                            .gpus = "num_gpu",
                            .model = "model_name",
                            .name = "job_id"};
using Tiresias = JobTableFormat<tiresias>;
TY_REGISTER(TraceImporter, Tiresias, "tiresias", "Tiresias jobs (NSDI 2019)");

} // namespace
} // namespace trainyard
