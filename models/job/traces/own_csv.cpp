// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/core/pieces.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace trainyard {
namespace {

constexpr OwnColumn columns[] = {
    {"submit_s", "submission: a number, or a date with a time of day (2026-01-31 08:30:00)"},
    {"duration_s", "run time without waiting, on the GPUs that the job asks for"},
    {"gpus", "how many it asks for"},
    {"name", "of the job; its number where there is none"},
    {"start_s", "when it started, as submit_s: for simrun replay"},
    {"waiting_s", "how long it waited, where there is no start_s"},
    {"user", "who submitted it"},
    {"team", "whose quota it uses"},
    {"queue", "or partition"},
    {"partition", "or queue"},
    {"node_selector", "labels key=value of machines, separated by spaces"},
    {"model", "what it trains"},
    {"estimate_s", "run time that its user expected"},
    {"deadline_s", "when it must have ended"},
    {"priority", "higher goes first"},
    {"weight", "of the job in fair shares"},
    {"tasks", "how many it is divided into"},
    {"gpu_milli", "thousandths of each GPU"},
    {"compute_milli", "thousandths of the arithmetic of each GPU"},
    {"gpu_memory_mib", "memory on each GPU"},
    {"cpu_milli", "thousandths of a core"},
    {"memory_mib", "memory of the machine"},
    {"min_gpus", "fewest that it can run on"},
    {"max_gpus", "most that it can use"},
    {"qos", "quality of service (Slurm)"},
    {"reservation", "that it runs in"},
    {"array", "name of its job array"},
    {"array_limit", "jobs of the array that may run at once"},
    {"gpu_type", "type that it asks for"},
    {"reference_gpu", "type that duration_s was measured on"},
    {"after", "names of jobs that must have ended, separated by spaces"},
};

/// Columns that mean nothing here: one finding for all of them, in the first line.
void report_unknown(const TraceTable& table, TraceAudit& audit)
{
  constexpr std::size_t most_names = 10;
  std::vector<std::string> known, unknown;
  for (const OwnColumn& column : columns)
    known.emplace_back(column.name);
  for (const std::string& column : table.columns())
    if (!column.empty() && std::ranges::find(known, column) == known.end()) {
      std::string near = did_you_mean(column, known);
      if (!near.empty())
        near = " (" + near.substr(2) + ")"; // without "; "
      unknown.push_back(unknown.size() < most_names ? fmt::format("'{}'{}", column, near) : "…");
    }
  if (unknown.size() > most_names)
    unknown.resize(most_names + 1);
  if (!unknown.empty())
    audit.add(fmt::format("columns without a meaning: {}", fmt::join(unknown, ", ")),
              "ignored; 'columns' of the scenario gives a column another name", 1);
}

/// Two columns of one name: which of them counts is not ours to guess.
void refuse_repeated(const TraceTable& table, const std::filesystem::path& file)
{
  std::set<std::string_view> seen;
  for (const std::string& column : table.columns())
    if (!column.empty() && !seen.insert(column).second)
      throw InputError{fmt::format("trace '{}' has two columns '{}'; remove or rename one", file.string(), column)};
}

/// Cells of a row that may be empty. One that says what its column cannot mean is a finding.
class Cells
{
public:
  Cells(const TraceTable& table, TraceAudit& audit, std::int64_t row) : table_{table}, audit_{audit}, row_{row} {}

  int whole(const char* column, int fallback) const
  {
    const std::string_view cell = table_.cell(column);
    if (cell.empty())
      return fallback;
    const auto number = cell_whole(cell);
    if (!number || *number < 0)
      audit_.add(fmt::format("{} that is not a whole number of at least 0", column), "left blank", row_);
    return std::max(number.value_or(fallback), 0);
  }

  /// Thousandths.
  int share(const char* column, int least, int fallback) const
  {
    const int asked = whole(column, fallback), kept = std::clamp(asked, least, 1000);
    if (kept != asked)
      audit_.add(fmt::format("{} that is not from {} to 1000", column, least), fmt::format("taken as {}", kept), row_);
    return kept;
  }

  float real(const char* column, double least, float fallback) const
  {
    const std::string_view cell = table_.cell(column);
    if (cell.empty())
      return fallback;
    const auto number = cell_number(cell);
    if (number && *number >= least && *number <= 1e30)
      return static_cast<float>(*number);
    audit_.add(fmt::format("{} that is not a number{}", column, least > 0 ? " above 0" : ""),
               fmt::format("taken as {}", fallback), row_);
    return fallback;
  }

  double estimate(double duration) const
  {
    const std::string_view cell = table_.cell("estimate_s");
    if (cell.empty())
      return duration;
    const auto estimate = cell_number(cell);
    if (estimate && plausible_time(*estimate))
      return *estimate;
    audit_.add("estimate_s that is not a number from 0 to 1e11", "the run time counts", row_);
    return duration;
  }

  std::optional<double> deadline() const
  {
    const std::string_view cell = table_.cell("deadline_s");
    const auto deadline = cell_time(cell);
    if (cell.empty() || (deadline && plausible_time(*deadline)))
      return deadline;
    audit_.add("deadline_s that is neither a number nor a date", "left blank", row_);
    return std::nullopt;
  }

  /// How long it waited after @p submit, if the row says so.
  std::optional<double> wait(double submit) const
  {
    const std::string_view start = table_.cell("start_s"), waiting = table_.cell("waiting_s");
    if (start.empty() && waiting.empty())
      return std::nullopt;
    const std::string_view submitted = table_.cell("submit_s");
    const bool alike = start.empty() || (cell_number(start).has_value() == cell_number(submitted).has_value() &&
                                         has_zone(start) == has_zone(submitted));
    auto wait = start.empty() ? cell_number(waiting) : cell_time(start);
    if (wait && !start.empty())
      *wait -= submit;
    if (alike && wait && plausible_time(*wait))
      return wait;
    audit_.add(alike ? "start_s before submit_s, or start_s or waiting_s that is no time"
                     : "start_s that is not counted as submit_s is: a date, its zone, or seconds",
               "its wait is not known", row_);
    return std::nullopt;
  }

private:
  const TraceTable& table_;
  TraceAudit& audit_;
  std::int64_t row_;
};

/// Trainyard's own table.
class OwnCsv final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size()));
    return line.find("submit_s") != std::string_view::npos && line.find("duration_s") != std::string_view::npos;
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions& options,
            ImportedTrace& trace) const override
  {
    TraceTable table{text, file, {columns[0].name, columns[1].name, columns[2].name}, ',', options.columns};
    refuse_repeated(table, file);
    report_unknown(table, trace.audit);
    Workload& workload = trace.workload;
    // Of 10^7 jobs names would take most of the memory; without the columns they are their numbers.
    const bool dependencies = table.has("after"), names = dependencies || table.has("name");
    std::map<std::string, int> named;
    std::map<std::string, int> selectors; // labels of machines -> demands
    std::vector<std::pair<int, std::string>> after;
    std::int64_t zoned = 0, bare = 0; // lines of dates with and without a zone
    table.for_each(trace.audit, [&](std::int64_t row) {
      if (const std::string_view cell = table.cell("submit_s"); cell.size() > 10 && !cell_number(cell))
        (has_zone(cell) ? zoned : bare) = row;
      const auto submit = cell_time(table.cell("submit_s")), duration = table.number("duration_s");
      const auto gpus = table.whole("gpus");
      if (!submit || !duration || !gpus)
        return trace.audit.add(
            "submit_s that is neither a number nor a date, duration_s that is not a number, or gpus that "
            "is not a whole number",
            "left out", row);
      if (const char* unit = finer_unit(*submit)) {
        trace.audit.add(fmt::format("submit_s in {} since 1970", unit),
                        "left out; divide the column so that it has seconds", row);
        return;
      }
      if (!plausible_time(*submit) || !plausible_time(*duration) || *gpus < 0 || *gpus > 1'000'000)
        return trace.audit.add("negative time or number of GPUs, more than 1e11 s or 1e6 GPUs", "left out", row);
      TraceJob job;
      const Cells cells{table, trace.audit, row};
      const auto whole = [&](const char* column, int fallback) { return cells.whole(column, fallback); };
      job.submit = Seconds{*submit};
      job.duration = Seconds{*duration};
      job.estimate = Seconds{cells.estimate(*duration)};
      if (const auto deadline = cells.deadline())
        job.deadline = Seconds{*deadline};
      job.gpus = *gpus;
      job.tasks = whole("tasks", *gpus < 1 ? 1 : 0);
      job.gpu_milli = cells.share("gpu_milli", 1, 1000);
      job.cpu_milli = whole("cpu_milli", 0);
      job.memory_mib = whole("memory_mib", 0);
      job.gpu_memory_mib = whole("gpu_memory_mib", 0);
      job.compute_milli = cells.share("compute_milli", 0, 0);
      job.min_gpus = whole("min_gpus", 0);
      job.max_gpus = whole("max_gpus", 0);
      job.priority = cells.real("priority", -1e30, 0);
      job.weight = cells.real("weight", 1e-6, 1);
      job.user = workload.users.index_of(table.cell("user"));
      job.team = workload.teams.index_of(table.cell("team"));
      job.queue = workload.queues.index_of(table.cell(table.has("queue") ? "queue" : "partition"));
      job.qos = static_cast<std::int16_t>(workload.qos.index_of(table.cell("qos")));
      job.reservation = static_cast<std::int16_t>(workload.reservations.index_of(table.cell("reservation")));
      job.array = workload.array_of(table.cell("array"), whole("array_limit", 0));
      if (const std::string labels{table.cell("node_selector")}; !labels.empty()) {
        const auto [known, fresh] = selectors.try_emplace(labels, static_cast<int>(workload.demands.size()));
        if (fresh) {
          NodeDemands demands;
          for (const std::string_view label : blank_separated(labels))
            demands.required.emplace_back(label);
          workload.demands.push_back(std::move(demands));
        }
        job.demands = known->second;
      }
      job.model = workload.models.index_of(table.cell("model"));
      const auto type_in = [&](const char* column) {
        const std::string_view type = table.cell(column);
        return type.empty() ? -1 : index_among(workload.gpu_types, type);
      };
      job.gpu_type = type_in("gpu_type");
      job.reference_type = static_cast<std::int16_t>(type_in("reference_gpu"));
      job.row = row;
      if (const auto wait = cells.wait(*submit))
        trace.waits.emplace_back(row, Seconds{*wait});
      std::string name{table.cell("name")};
      if (name.empty() && names)
        name = fmt::format("{}", workload.size());
      if (const std::string list{table.cell("after")}; !list.empty())
        after.emplace_back(workload.size(), list);
      if (dependencies)
        named.emplace(name, workload.size());
      workload.jobs.push_back(job);
      if (names)
        workload.job_names.push_back(std::move(name));
    });
    if (zoned > 0 && bare > 0)
      trace.audit.add("dates with a zone beside dates without", "those without are taken as UTC", bare);
    for (const auto& [position, list] : after) {
      for (const std::string_view name : blank_separated(list))
        if (const auto found = named.find(std::string{name}); found != named.end())
          workload.dependencies.emplace_back(JobId{position}, JobId{found->second});
        else
          trace.audit.add("'after' names a job that is not in the file", "ignored",
                          workload.jobs[static_cast<std::size_t>(position)].row);
    }
  }
};

TY_REGISTER(TraceImporter, OwnCsv, "csv", "Trainyard's own table: submit_s, duration_s, gpus and further columns");

} // namespace

std::span<const OwnColumn> own_columns()
{
  return columns;
}

} // namespace trainyard
