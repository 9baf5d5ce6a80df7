// SPDX-License-Identifier: Apache-2.0
#include "models/core/text.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

/// Standard Workload Format 2.2 (Feitelson, Parallel Workloads Archive): 18 columns, -1 = unknown, lines of ';' are the
/// head.
///
/// Processors become GPUs: processors / processors_per_gpu, rounded up. "Preceding job" is a dependency.
class Swf final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path& file) const override
  {
    if (file.extension() == ".swf" || file.stem().extension() == ".swf") // .swf.gz
      return true;
    return head.starts_with(";") &&
           std::ranges::any_of(std::array{"Version:", "MaxProcs:", "MaxNodes:", "UnixStartTime:"},
                               [&](const char* key) { return head.find(key) != std::string_view::npos; });
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions& options,
            ImportedTrace& trace) const override
  {
    Workload& workload = trace.workload;
    TraceAudit& audit = trace.audit;
    std::map<long, int> job_at;              // number in the file -> position
    std::vector<std::pair<int, long>> after; // position, number of the preceding job
    long processors = 0, nodes = 0;
    std::vector<Use> uses;
    for_each_line(text, [&](std::string_view line, std::int64_t number) {
      line = trimmed(line);
      if (line.empty())
        return;
      if (line.front() == ';') {
        for (const auto& [key, value] : {std::pair{"MaxProcs:", &processors}, std::pair{"MaxNodes:", &nodes}})
          if (const std::size_t at = line.find(key); at != std::string_view::npos)
            *value = static_cast<long>(cell_number(line.substr(at + 9)).value_or(0));
        return;
      }
      count_row(audit, file);
      const std::vector<std::string_view> cells = blank_separated(line);
      std::vector<double> value;
      for (std::size_t i = 0; i < std::min<std::size_t>(cells.size(), 18); ++i)
        if (const auto one = cell_number(cells[i]))
          value.push_back(*one);
      if (value.size() != 18)
        return audit.add("row without 18 numbers", "left out", number);
      if (cells.size() > 18)
        audit.add("row with more than 18 columns", "kept; the format has 18, the others are ignored", number);
      const double submit = value[1], run = value[3], used = value[4], asked = value[7], limit = value[8];
      const double count = asked > 0 ? asked : used;
      if (submit < 0 || count <= 0)
        return audit.add("no time of submission or no processors", "left out", number);
      if (run < 0)
        audit.add("no run time", "kept with a run time of zero", number);
      if (limit < 0)
        audit.add("no requested time", "the run time is the estimate", number);
      else if (run > limit)
        audit.add("run time above the requested time", "kept", number);
      if (used < 0 || value[5] < 0)
        audit.add("missing fields (-1) of resource use", "not needed", number);
      if (processors > 0 && count > static_cast<double>(processors))
        audit.add(fmt::format("job that requests more than the machine's {} processors", processors),
                  "kept: it can never run there", number);
      if (run > 0 && value[2] >= 0)
        uses.push_back(
            {submit + value[2], submit + value[2] + run, static_cast<long>(used > 0 ? used : count), number});
      if (!plausible_time(submit) || run > 1e11 || limit > 1e11 || count > 1e9)
        return audit.add("times above 1e11 s or more than 1e9 processors", "left out", number);
      TraceJob job;
      job.submit = Seconds{submit};
      job.duration = Seconds{std::max(run, 0.0)};
      job.estimate = Seconds{limit >= 0 ? limit : std::max(run, 0.0)};
      job.gpus =
          static_cast<int>((static_cast<long>(count) + options.processors_per_gpu - 1) / options.processors_per_gpu);
      job.user = workload.users.index_of(fmt::format("user-{}", static_cast<long>(value[11])));
      job.team = workload.teams.index_of(fmt::format("group-{}", static_cast<long>(value[12])));
      job.queue = workload.queues.index_of(fmt::format("queue-{}", static_cast<long>(value[14])));
      job.model = workload.models.index_of(fmt::format("executable-{}", static_cast<long>(value[13])));
      job.row = number;
      if (value[2] >= 0 && plausible_time(value[2]))
        trace.waits.emplace_back(number, Seconds{value[2]});
      job_at[static_cast<long>(value[0])] = workload.size();
      if (value[16] > 0)
        after.emplace_back(workload.size(), static_cast<long>(value[16]));
      workload.jobs.push_back(job);
      workload.job_names.push_back(fmt::format("{}", static_cast<long>(value[0])));
    });
    for (const auto& [position, preceding] : after) {
      const auto found = job_at.find(preceding);
      if (found == job_at.end())
        audit.add("preceding job that is not in the file", "ignored",
                  workload.jobs[static_cast<std::size_t>(position)].row);
      else
        workload.dependencies.emplace_back(JobId{position}, JobId{found->second});
    }
    if (processors > 0)
      busy_times(uses, processors, audit);
    trace.head_gpus = static_cast<int>(std::min(processors, 1'000'000'000L) / options.processors_per_gpu);
    trace.head_nodes = static_cast<int>(std::min(nodes, 1'000'000'000L));
  }

private:
  struct Use {
    double from;
    double to;
    long processors;
    std::int64_t row;
  };

  /// When the record (submission + wait to submission + wait + run) has more processors busy than the machine has.
  static void busy_times(const std::vector<Use>& uses, long processors, TraceAudit& audit)
  {
    std::vector<std::tuple<double, long, std::int64_t>> changes; // ends (negative) before starts of the same instant
    for (const Use& use : uses) {
      changes.emplace_back(use.from, use.processors, use.row);
      changes.emplace_back(use.to, -use.processors, 0);
    }
    std::ranges::sort(changes);
    std::string intervals;
    std::vector<std::int64_t> rows;
    long busy = 0, most = 0;
    double since = 0;
    constexpr std::size_t most_named = 5;
    for (const auto& [time, change, row] : changes) {
      const bool above_before = busy > processors;
      busy += change;
      if (busy > processors) {
        if (!above_before) {
          since = time;
          most = 0;
          rows.push_back(row);
        }
        most = std::max(most, busy);
      } else if (above_before && rows.size() <= most_named) {
        intervals += fmt::format("{}{} at {:.0f}-{:.0f} s", intervals.empty() ? "" : ", ", most, since, time);
      }
    }
    if (rows.size() > most_named)
      intervals += ", …";
    for (const std::int64_t row : rows)
      audit.add(fmt::format("period in which the record has more than the machine's {} processors busy", processors),
                "kept; " + intervals, row);
  }
};

TY_REGISTER(TraceImporter, Swf, "swf",
            "Standard Workload Format 2.2 (Parallel Workloads Archive); processors become GPUs");

} // namespace
} // namespace trainyard
