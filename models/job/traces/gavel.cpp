// SPDX-License-Identifier: Apache-2.0
#include "models/core/csv.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Gavel (Narayanan et al., OSDI 2020), tab-separated; the number of columns tells the layout.
///
/// 10: type, command, directory, steps argument, needs data, steps, GPUs, weight or priority, SLO, arrival.
///  7: type, command, steps argument, needs data, steps, arrival, GPUs.
/// Steps are work: the run time is steps / steps_per_second of the job's type; without throughputs one step counts as a
/// second.
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

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
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
      TraceJob job;
      job.submit = Seconds{*arrival};
      job.duration = job.estimate = Seconds{*steps};
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
    trace.audit.add("steps without a throughput table", "one step is taken as one second", 0);
  }
};

TY_REGISTER(TraceImporter, Gavel, "gavel", "Gavel trace, 10 or 7 columns (OSDI 2020)");

} // namespace
} // namespace trainyard
