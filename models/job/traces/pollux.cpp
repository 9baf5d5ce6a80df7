// SPDX-License-Identifier: Apache-2.0
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

/// Pollux workloads (Qiao et al., OSDI 2021): time, name, application, num_replicas, batch_size; the run time is a
/// column `duration`, or steps (column `steps`) / steps per second of the application on so many GPUs, from a table of
/// throughputs. The files of its repository have neither: there, run times come from measured training curves.
class Pollux final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size()));
    return line.find("application") != std::string_view::npos && line.find("time") != std::string_view::npos &&
           line.find("num_replicas") != std::string_view::npos;
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions& options,
            ImportedTrace& trace) const override
  {
    TraceTable table{text, file, {"time", "application", "num_replicas"}};
    const bool by_steps = !table.has("duration") && table.has("steps") && options.throughputs != nullptr;
    if (!table.has("duration") && !by_steps)
      throw InputError{fmt::format("trace '{}' says which application a job trains, not how long it runs; add a column "
                                   "'duration' in seconds, or a column 'steps' and a table of steps per second by GPU "
                                   "type and application: workload: {{throughputs: FILE.json}}",
                                   file.string())};
    if (by_steps)
      trace.measured_on = options.throughputs->reference(options.reference_gpu);
    table.for_each(trace.audit, [&](std::int64_t number) {
      const auto time = table.number("time");
      const auto replicas = table.whole("num_replicas");
      if (!time || !plausible_time(*time) || !replicas || *replicas < 1)
        return trace.audit.add("time or number of replicas that cannot be read", "left out", number);
      TraceJob job;
      job.submit = Seconds{*time};
      job.gpus = *replicas;
      job.model = trace.workload.models.index_of(table.cell("application"));
      auto duration = table.number("duration");
      if (by_steps) {
        const auto steps = table.number("steps");
        const auto rate = options.throughputs->base(
            trace.measured_on, {std::string{table.cell("application")}, static_cast<int>(*replicas)});
        duration = steps && rate ? std::optional{*steps / *rate} : std::nullopt;
      }
      if (!duration || !plausible_time(*duration))
        return trace.audit.add("job without a run time", "left out", number);
      job.duration = job.estimate = Seconds{*duration};
      job.row = number;
      trace.workload.jobs.push_back(job);
      trace.workload.job_names.emplace_back(table.cell("name"));
    });
  }
};

TY_REGISTER(TraceImporter, Pollux, "pollux", "Pollux workload (OSDI 2021)");

} // namespace
} // namespace trainyard
