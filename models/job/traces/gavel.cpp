// SPDX-License-Identifier: Apache-2.0
#include "models/core/csv.hpp"
#include "models/core/text.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace trainyard {
namespace {

/// Gavel (Narayanan et al., OSDI 2020), tab-separated; the number of columns tells the layout.
///
/// 10: type, command, directory, steps argument, needs data, steps, GPUs, weight or priority, SLO, arrival.
///  7: type, command, steps argument, needs data, steps, arrival, GPUs.
/// Steps are work: the run time is steps / (steps per second of the kind of job on the type of GPU that run times
/// mean), from Gavel's own table of throughputs. Its generator of traces takes those of the V100
/// (scheduler/utils.py, generate_job).
class Gavel final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path& file) const override
  {
    const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size()));
    const auto tabs = std::ranges::count(line, '\t');
    return file.extension() == ".trace" ||
           ((tabs == 9 || tabs == 6) && line.find("batch size") != std::string_view::npos);
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions& options,
            ImportedTrace& trace) const override
  {
    if (options.throughputs == nullptr)
      throw InputError{fmt::format("trace '{}' says how many steps a job does, not how long it runs; give Gavel's "
                                   "table of throughputs: workload: {{throughputs: FILE.json}}, or simrun import TRACE "
                                   "FILE.json (scheduler/oracle_throughputs_v2.json of its repository)",
                                   file.string())};
    const ThroughputTable& table = *options.throughputs;
    trace.measured_on = table.reference(options.reference_gpu);
    std::map<std::string, std::int64_t> missing; // kinds without a throughput, and their first lines
    for (CsvReader reader{text, '\t'}; reader.next();) {
      const std::vector<std::string_view>& cells = reader.cells();
      const std::int64_t number = reader.line();
      if (cells.size() == 1 && trimmed(cells.front()).empty())
        continue;
      count_row(trace.audit, file);
      const bool wide = cells.size() == 10;
      if (!wide && cells.size() != 7) {
        trace.audit.add("row with neither 10 nor 7 columns", "left out", number);
        continue;
      }
      const auto gpus = cell_whole(cells[6]);
      const auto steps = cell_number(cells[wide ? 5 : 4]), arrival = cell_number(cells[wide ? 9 : 5]);
      if (!steps || !gpus || !arrival || !plausible_time(*steps) || *gpus < 1 || !plausible_time(*arrival)) {
        trace.audit.add("numbers that cannot be read or make no sense", "left out", number);
        continue;
      }
      const MeasuredKind kind{std::string{cells[0]}, *gpus};
      const auto rate = table.base(trace.measured_on, kind);
      if (!rate) {
        missing.emplace(fmt::format("'{}' on {} GPUs", kind.model, kind.gpus), number);
        continue;
      }
      if (const auto own = table.alone(trace.measured_on, kind); !own || *own <= 0)
        trace.audit.add(fmt::format("job that {} cannot run", trace.measured_on),
                        "its run time is that on the fastest type that can", number);
      TraceJob job;
      job.submit = Seconds{*arrival};
      job.duration = job.estimate = Seconds{*steps / *rate};
      job.gpus = *gpus;
      job.model = trace.workload.models.index_of(cells[0]);
      job.row = number;
      if (wide) {
        job.weight = static_cast<float>(std::max(0.001, cell_number(cells[7]).value_or(1)));
        job.priority = job.weight;
        if (const auto slo = cell_number(cells[8]); slo && *slo > 0)
          job.deadline = job.submit + job.duration * *slo;
      }
      trace.workload.jobs.push_back(job);
    }
    if (!missing.empty()) {
      const auto& [kind, line] = *missing.begin();
      throw InputError{fmt::format(
          "trace '{}': the table of throughputs has nothing for {} (line {}){}; its models: {}", file.string(), kind,
          line, missing.size() > 1 ? fmt::format(" and {} more kinds", missing.size() - 1) : "",
          fmt::join(table.models(), ", "))};
    }
  }
};

TY_REGISTER(TraceImporter, Gavel, "gavel", "Gavel trace, 10 or 7 columns (OSDI 2020)");

} // namespace
} // namespace trainyard
