// SPDX-License-Identifier: Apache-2.0
#include "sim/report/table.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/interval_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/knee.hpp"
#include "sim/results/breakdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace trainyard {
namespace {

// Okabe-Ito colours (distinguishable with any colour vision) as 24-bit escapes.
constexpr const char* green = "\033[38;2;0;158;115m";
constexpr const char* vermilion = "\033[38;2;213;94;0m";
constexpr const char* blue = "\033[38;2;86;180;233m";
constexpr const char* bold = "\033[1m";
constexpr const char* plain = "\033[0m";

std::string painted(const std::string& text, const char* colour, bool on)
{
  return on ? colour + text + plain : text;
}

using RowsOfJobs = std::vector<std::reference_wrapper<const JobRow>>;

template <class Get>
bool varies(const RowsOfJobs& rows, Get get)
{
  return std::ranges::any_of(rows, [&](const JobRow& row) { return get(row) != get(rows.front().get()); });
}

std::string gpus_text(int count)
{
  return counted(count, "GPU");
}

std::string part(Seconds value, const JobRow& row)
{
  return fmt::format("{} ({})", time_text(value),
                     percent_text(row.step_s.mean > 0 ? value.value() / row.step_s.mean : 0));
}

std::string bar(double share, std::size_t width)
{
  const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(width) + 0.5);
  return std::string(full, '#') + std::string(width - full, '.');
}

std::string rate_with_interval(const JobRow& row)
{
  const Estimate& rate = row.samples_per_second;
  const auto ends = [&] { return fmt::format("{} to {}", rate_text(rate.low), rate_text(rate.high)); };
  return rate_text(rate.mean) + interval_text(rate.mean, rate.low, rate.high, ends);
}

/// Rows of one model, then of one variant, stand together in the order of their first appearance; otherwise as they
/// come.
RowsOfJobs by_curve(const std::vector<JobRow>& rows)
{
  std::map<std::string, std::size_t> models;
  std::map<std::string, std::size_t> variants;
  for (const JobRow& row : rows) {
    models.try_emplace(row.model, models.size());
    variants.try_emplace(row.variant, variants.size());
  }
  RowsOfJobs sorted{rows.begin(), rows.end()};
  std::ranges::stable_sort(sorted, {}, [&](const JobRow& row) {
    return std::pair{models[row.model], variants[row.variant]};
  });
  return sorted;
}

std::string title_of(const JobRow& row)
{
  std::string title = row.model;
  if (!row.variant.empty())
    title += ", " + row.variant;
  return fmt::format("{}, {}", title, gpus_text(row.workers));
}

} // namespace

std::string table_text(const std::vector<Column>& columns, const std::vector<std::vector<TableCell>>& rows, bool colour,
                       const std::vector<std::size_t>& group_ends)
{
  for (const auto& row : rows)
    if (row.size() != columns.size())
      throw std::logic_error{fmt::format("a table has {} headings and a row of {} cells", columns.size(), row.size())};
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = text_width(columns[i].title);
    for (const auto& row : rows)
      width = std::max(width, text_width(row[i].text));
    widths.push_back(width);
  }
  const auto add = [&](std::string& out, std::size_t i, const std::string& text, const char* paint) {
    const std::size_t padding = widths[i] - text_width(text);
    const bool last = i + 1 == columns.size(), in_colour = paint != nullptr && colour;
    out.append(i > 0 ? 2 : 0, ' ').append(columns[i].right ? padding : 0, ' ');
    out.append(in_colour ? paint : "").append(text).append(in_colour ? plain : "");
    out.append(columns[i].right || last ? 0 : padding, ' ');
  };
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i)
    add(out, i, columns[i].title, bold);
  out += '\n';
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      add(out, i, rows[r][i].text, rows[r][i].colour.empty() ? nullptr : rows[r][i].colour.c_str());
    out += '\n';
    if (r + 1 < rows.size() && std::ranges::find(group_ends, r + 1) != group_ends.end())
      out += '\n';
  }
  return out;
}

namespace {

constexpr std::size_t most_told = 2; // jobs with failures; of more the table says enough

/// What failures cost the jobs whose rows are there.
std::string failures_of(const Results& results)
{
  std::string text;
  for (const std::string& told : results.failures)
    if (std::ranges::any_of(results.jobs, [&](const JobRow& row) {
          const std::string job = row.point.empty() ? row.job : row.point + ", " + row.job;
          return told.starts_with(job + " with ") || told.starts_with(job + ", seed ");
        }))
      text += '\n' + told;
  return text;
}

/// Which columns say something: the others are the same in all rows, or zero.
struct ShownColumns {
  explicit ShownColumns(const RowsOfJobs& jobs)
      : model{varies(jobs, [](const JobRow& row) { return row.model; })}, job{varies(jobs,
                                                                                     [](const JobRow& row) {
                                                                                       return row.job;
                                                                                     })},
        variant{varies(jobs, [](const JobRow& row) { return row.variant; })}, precision{varies(jobs,
                                                                                               [](const JobRow& row) {
                                                                                                 return row.precision;
                                                                                               })},
        batch{varies(jobs, [](const JobRow& row) { return row.batch_per_gpu; })},
        stale{std::ranges::any_of(jobs, [](const JobRow& row) { return row.staleness_max > 0; })},
        host{std::ranges::any_of(jobs, [](const JobRow& row) { return row.host.value() > 1e-3 * row.step_s.mean; })},
        input{std::ranges::any_of(jobs, [](const JobRow& row) { return row.input.value() > 1e-3 * row.step_s.mean; })},
        price{std::ranges::any_of(jobs, [](const JobRow& row) { return row.price_per_million_samples.has_value(); })},
        failures{std::ranges::any_of(jobs, [](const JobRow& row) { return row.failures.has_value(); })}
  {
  }

  bool model, job, variant, precision, batch, stale, host, input, price, failures;
};

/// What all rows have in common, for the line above the table.
std::string common_text(const RowsOfJobs& jobs, const ShownColumns& shown, std::uint64_t seed)
{
  const JobRow& first = jobs.front();
  std::vector<std::string> common;
  if (!shown.model)
    common.push_back(first.model);
  if (!shown.variant && !first.variant.empty())
    common.push_back(first.variant);
  if (!shown.precision && !first.precision.empty())
    common.push_back(first.precision);
  if (!shown.batch)
    common.push_back(fmt::format("batch {} per GPU", first.batch_per_gpu));
  for (const auto member : {&JobRow::gpu, &JobRow::network})
    if (!(first.*member).empty() && !varies(jobs, [&](const JobRow& row) { return row.*member; }))
      common.push_back(first.*member);
  common.push_back("fidelity " + first.fidelity);
  common.push_back(fmt::format("seed {}", seed));
  return fmt::format("{}", fmt::join(common, " · "));
}

std::vector<Column> shown_columns(const RowsOfJobs& jobs, const ShownColumns& shown)
{
  const std::string sample =
      varies(jobs, [](const JobRow& row) { return row.sample; }) ? "sample" : jobs.front().get().sample;
  std::vector<Column> columns;
  const auto column = [&](bool is_shown, std::string title, bool right) {
    if (is_shown)
      columns.push_back({std::move(title), right});
  };
  column(shown.model, "model", false);
  column(shown.job, "job", false);
  column(shown.variant, "architecture", false);
  column(true, "GPUs", true);
  column(shown.precision, "precision", false);
  column(shown.batch, "batch/GPU", true);
  column(true, sample + "s/s", true);
  column(true, "efficiency", true);
  column(true, "step", true);
  column(true, "compute", true);
  column(shown.host, "host", true);
  column(true, "exposed comm", true);
  column(shown.input, "input", true);
  column(true, "wait", true);
  column(shown.stale, "staleness", true);
  column(shown.price, "$/1M", true);
  column(shown.failures, "done", true);
  column(shown.failures, "goodput", true);
  column(true, "bottleneck", false);
  return columns;
}

/// @p leads: no other row of its model and number of GPUs is faster.
std::vector<TableCell> shown_cells(const JobRow& row, const ShownColumns& shown, bool leads)
{
  const double exposed = row.step_s.mean > 0 ? row.exposed_communication.value() / row.step_s.mean : 0;
  std::vector<TableCell> cells;
  const auto cell = [&](bool is_shown, std::string text, const char* paint = "") {
    if (is_shown)
      cells.push_back({std::move(text), paint});
  };
  cell(shown.model, row.model);
  cell(shown.job, row.job);
  cell(shown.variant, row.variant);
  cell(true, std::to_string(row.workers));
  cell(shown.precision, row.precision);
  cell(shown.batch, std::to_string(row.batch_per_gpu));
  cell(true, rate_with_interval(row), leads ? green : "");
  cell(true, percent_text(row.scaling_efficiency));
  cell(true, time_text(Seconds{row.step_s.mean}));
  cell(true, time_text(row.compute));
  cell(shown.host, time_text(row.host),
       row.step_s.mean > 0 && row.host.value() / row.step_s.mean > 0.3 ? vermilion : "");
  cell(true, time_text(row.exposed_communication), exposed > 0.3 ? vermilion : "");
  cell(shown.input, time_text(row.input));
  cell(true, time_text(row.wait));
  cell(shown.stale, row.staleness_max > 0 ? fmt::format("{:.1f}", row.staleness_mean) : std::string{"0"});
  cell(shown.price, row.price_per_million_samples ? fmt::format("{:.2f}", row.price_per_million_samples->value())
                                                  : std::string{"unknown"});
  cell(shown.failures, time_text(row.finish));
  cell(shown.failures, row.failures ? fmt::format("{:.2f} %", 100 * row.failures->useful) : std::string{});
  cell(true, row.bottleneck);
  return cells;
}

/// Where the time of the critical worker's step goes.
std::string parts_text(const JobRow& row)
{
  std::string out = "  parts of the critical worker's step\n";
  std::vector<std::pair<const char*, Seconds>> parts = {{"compute", row.compute},
                                                        {"exposed communication", row.exposed_communication},
                                                        {"input", row.input},
                                                        {"wait for others", row.wait}};
  if (row.host > Seconds{})
    parts.insert(parts.begin() + 1, {"host starts operators", row.host});
  for (const auto& [name, value] : parts)
    out += fmt::format("    {:<22} {}  {}\n", name, bar(row.step_s.mean > 0 ? value.value() / row.step_s.mean : 0, 30),
                       part(value, row));
  return out;
}

/// The longest operations of a path, in the order of time.
std::vector<PathRow> longest_operations(std::vector<PathRow> path, std::size_t most)
{
  if (path.size() <= most)
    return path;
  std::vector<Seconds> durations;
  durations.reserve(path.size());
  for (const PathRow& item : path)
    durations.push_back(item.duration);
  const auto last = durations.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::ranges::nth_element(durations, last, std::greater{});
  std::erase_if(path, [&](const PathRow& item) { return item.duration < *last; });
  return path;
}

std::string critical_path_text(const JobRow& row, bool colour)
{
  if (row.critical_path.empty())
    return {};
  const std::vector<PathRow> path = longest_operations(row.critical_path, 24);
  std::vector<std::vector<TableCell>> cells;
  cells.reserve(path.size());
  for (const PathRow& item : path)
    cells.push_back(
        {{"    " + to_text(item.role)},
         {time_text(item.duration)},
         {item.waited.value() > 0 ? time_text(item.waited) : "-"},
         {item.lane},
         {item.operations > 1 ? fmt::format("{} ({} operations)", item.name, item.operations) : item.name}});
  std::string out = "\n  critical path of one step\n";
  out += table_text({{"    role", false}, {"time", true}, {"waited", true}, {"where", false}, {"what", false}}, cells,
                    colour);
  if (row.critical_path.size() > 24)
    out += fmt::format("    … and {} shorter ones in summary.json\n", row.critical_path.size() - path.size());
  return out;
}

std::string busiest_text(const JobRow& row, bool colour)
{
  if (row.busiest.empty())
    return {};
  std::vector<std::vector<TableCell>> cells;
  cells.reserve(row.busiest.size());
  for (const UseRow& use : row.busiest)
    cells.push_back({{"    " + use.name},
                     {use.kind},
                     {percent_text(use.utilisation), use.utilisation >= 0.85 ? vermilion : ""},
                     {percent_text(use.busy)},
                     {use.bytes.value() > 0 ? to_text(use.bytes.value(), QuantityKind::bytes, 3) : "-"}});
  return "\n  busiest\n" +
         table_text({{"    what", false}, {"kind", false}, {"used", true}, {"occupied", true}, {"carried", true}},
                    cells, colour);
}

std::string top_links_text(const Results& results, const std::string& point, bool colour)
{
  std::vector<std::vector<TableCell>> cells;
  for (const LinkRow& link : results.links)
    if (link.point == point && cells.size() < 10)
      cells.push_back({{"    " + link.label},
                       {percent_text(link.utilisation)},
                       {percent_text(link.busy)},
                       {to_text(link.bandwidth.value(), QuantityKind::bandwidth, 3)},
                       {fmt::format("{}", fmt::join(link.jobs, ", "))}});
  if (cells.empty())
    return {};
  return "\n  top links of this run\n" +
         table_text({{"    link", false}, {"used", true}, {"occupied", true}, {"bandwidth", true}, {"jobs", false}},
                    cells, colour);
}

} // namespace

std::string results_text(const Results& results, bool colour)
{
  const RowsOfJobs jobs = by_curve(results.jobs);
  std::string out = heading(painted(results.run.scenario_name, bold, colour), results.description) + '\n';
  if (jobs.empty())
    return out + "no job ran\n";
  const ShownColumns shown{jobs};
  out += common_text(jobs, shown, results.run.seed) + "\n\n";
  std::map<std::tuple<std::string, int>, double> best;
  for (const JobRow& row : jobs) {
    double& rate = best[{row.model, row.workers}];
    rate = std::max(rate, row.samples_per_second.mean);
  }
  std::vector<std::vector<TableCell>> rows;
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobRow& row = jobs[i];
    rows.push_back(
        shown_cells(row, shown, shown.variant && row.samples_per_second.mean >= best[{row.model, row.workers}]));
    if (i == 0 || !shown.variant || jobs.size() <= 8)
      continue;
    const JobRow& before = jobs[i - 1];
    if (row.model != before.model || row.variant != before.variant)
      groups.push_back(i);
  }
  out += table_text(shown_columns(jobs, shown), rows, colour, groups);
  if (results.failures.size() <= most_told)
    out += failures_of(results);
  const std::string verdict = results.advice.empty() ? advice(results) : results.advice;
  if (!verdict.empty())
    out += '\n' + painted(verdict, blue, colour) + '\n';
  if (const std::string knee = knee_text(knees(results)); !knee.empty())
    out += knee + '\n';
  out += seeds_text(results.seeds, results.run.confidence);
  std::set<std::string> notes;
  for (const JobRow& row : jobs)
    if (!row.provenance_note.empty() && notes.insert(row.provenance_note).second && notes.size() <= 4)
      out += (notes.size() == 1 ? "\nbased on: " : "          ") + row.provenance_note + '\n';
  if (!results.assumed.empty())
    out += assumed_text(results.assumed);
  return out;
}

std::string seeds_text(const std::vector<SeedRange>& seeds, double confidence)
{
  const auto name = [&](const SeedRange& one) {
    return seeds.size() == 1 ? std::string{}
                             : fmt::format("{}{}job '{}': ", one.point, one.point.empty() ? "" : ", ", one.job);
  };
  const auto times = [](const SeedRange& one) {
    return fmt::format("{} to {}", time_text(Seconds{one.least_s}), time_text(Seconds{one.most_s}));
  };
  std::string text;
  const SeedRange* widest = nullptr;
  const SeedRange* same = nullptr; // its seeds give steps that tables hardly tell from each other
  constexpr double told_ratio = 1.005;
  bool untried = false;
  for (const SeedRange& one : seeds)
    if (one.replicated) {
      text += fmt::format("{}{} seeds from {} on: step {} ± {} ({:g} %), {}\n", name(one), one.seeds, one.first,
                          time_text(Seconds{one.step_s.mean}),
                          time_text(Seconds{(one.step_s.high - one.step_s.low) / 2}), 100 * confidence, times(one));
    } else if (one.seeds < 2) {
      untried = true;
    } else if (one.most_s <= told_ratio * one.least_s) {
      same = &one;
    } else if (widest == nullptr || one.most_s * widest->least_s > widest->most_s * one.least_s) {
      widest = &one;
    }
  if (widest != nullptr)
    text += fmt::format("paths are hashed, and flows may meet: {}seeds {} to {} give steps of {}; run: {{replicas: N}} "
                        "gives mean and interval\n",
                        name(*widest), widest->first, widest->first + static_cast<std::uint64_t>(widest->seeds) - 1,
                        times(*widest));
  else if (same != nullptr)
    text += fmt::format("paths are hashed, and flows may meet: seeds {} to {} give the same step within {:.1f} %\n",
                        same->first, same->first + static_cast<std::uint64_t>(same->seeds) - 1, 100 * (told_ratio - 1));
  else if (untried)
    text += "paths are hashed, and flows may meet: another seed may give another step time; run: {replicas: 8} gives "
            "mean, interval and range\n";
  return text;
}

std::string explain_text(const Results& results, bool colour, std::size_t most)
{
  std::string out;
  if (const std::string failures = failures_of(results); !failures.empty())
    out += failures.substr(1) + '\n';
  std::size_t shown = 0;
  for (const JobRow& row : results.jobs) {
    if (shown == most) {
      out += fmt::format("… and {} more rows in jobs.csv; choose some with --job, --point or --all\n",
                         results.jobs.size() - shown);
      break;
    }
    ++shown;
    out += painted(title_of(row), bold, colour) + (row.point.empty() ? "" : "  [" + row.point + "]") + '\n';
    out += fmt::format("  {} {}s/s, step {}, {} of linear scaling; bottleneck: {}\n\n", rate_with_interval(row),
                       row.sample, time_text(Seconds{row.step_s.mean}), percent_text(row.scaling_efficiency),
                       row.bottleneck);
    out += parts_text(row) + critical_path_text(row, colour) + busiest_text(row, colour) +
           top_links_text(results, row.point, colour) + '\n';
  }
  if (!results.advice.empty())
    out += painted(results.advice, blue, colour) + '\n';
  if (!results.assumed.empty())
    out += assumed_text(results.assumed);
  return out;
}

std::string assumed_text(const std::vector<std::string>& assumed)
{
  return fmt::format("assumed: {}\n", fmt::join(assumed, "; "));
}

} // namespace trainyard
