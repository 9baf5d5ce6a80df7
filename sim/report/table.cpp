// SPDX-License-Identifier: Apache-2.0
#include "sim/report/table.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/safe_text.hpp"
#include "models/core/text.hpp"
#include "sim/report/advice.hpp"
#include "sim/results/breakdown.hpp"
#include "sim/results/results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

// Okabe-Ito colours (distinguishable with any colour vision), 24 bits.
constexpr const char* green = "38;2;0;158;115";
constexpr const char* vermilion = "38;2;213;94;0";

using RowsOfJobs = std::vector<std::reference_wrapper<const JobRow>>;

template <class Member>
bool varies(const RowsOfJobs& rows, Member member)
{
  return std::ranges::any_of(rows, [&](const JobRow& row) { return row.*member != rows.front().get().*member; });
}

std::string part(Seconds value, const JobRow& row)
{
  return fmt::format("{} ({})", time_text(value),
                     percent_text(row.step_s.mean > 0 ? value.value() / row.step_s.mean : 0));
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

constexpr std::size_t most_told = 2; // jobs with failures; of more the table says enough

/// What failures cost the jobs whose rows are there.
Messages failures_of(const Results& results)
{
  Messages list;
  for (const Message& told : results.messages)
    if (told.kind == MessageKind::cost &&
        std::ranges::any_of(results.jobs, [&](const JobRow& row) { return named(row) == name_in(told, "job"); }))
      list.push_back(told);
  return list;
}

/// Two points have the same name, size and batch in the columns: something else was swept.
bool points_look_alike(const RowsOfJobs& jobs)
{
  std::map<std::tuple<std::string, std::string, std::string, int, std::string, int>, std::string> points;
  return std::ranges::any_of(jobs, [&](const JobRow& row) {
    const auto seen =
        points.try_emplace({row.model, row.job, row.variant, row.workers, row.precision, row.batch_per_gpu}, row.point);
    return seen.first->second != row.point;
  });
}

/// What all rows have in common, for the line above the table.
std::string common_text(const RowsOfJobs& jobs, std::uint64_t seed)
{
  const JobRow& first = jobs.front();
  const auto same = [&](auto member) { return !varies(jobs, member); };
  std::vector<std::string> common;
  for (const auto member : {&JobRow::model, &JobRow::variant, &JobRow::precision})
    if (!(first.*member).empty() && same(member))
      common.push_back(first.*member);
  if (same(&JobRow::batch_per_gpu))
    common.push_back(fmt::format("batch {} per GPU", first.batch_per_gpu));
  for (const auto member : {&JobRow::gpu, &JobRow::network})
    if (!(first.*member).empty() && same(member))
      common.push_back(first.*member);
  common.push_back("fidelity " + first.fidelity);
  common.push_back(fmt::format("seed {}", seed));
  return fmt::format("{}", fmt::join(common, " · "));
}

using TextColumn = ShownColumn<JobRow>;

/// The columns that say something: not the same in all rows, nor zero.
std::vector<TextColumn> text_columns(const RowsOfJobs& jobs)
{
  const auto any = [&](auto holds) { return std::ranges::any_of(jobs, holds); };
  const bool variants = varies(jobs, &JobRow::variant);
  std::map<std::pair<std::string, int>, double> best; // of a model and number of GPUs
  for (const JobRow& row : jobs) {
    double& rate = best[{row.model, row.workers}];
    rate = std::max(rate, row.samples_per_second.mean);
  }
  std::vector<TextColumn> columns;
  const auto add = [&](bool shown, std::string title, std::function<TableCell(const JobRow&)> cell, bool right = true) {
    if (shown)
      columns.push_back({{std::move(title), right}, std::move(cell)});
  };
  const auto word = [](auto member) { return [member](const JobRow& row) { return TableCell{row.*member}; }; };
  const auto number = [](auto member) {
    return [member](const JobRow& row) { return TableCell{std::to_string(row.*member)}; };
  };
  const auto time = [](auto member) {
    return [member](const JobRow& row) { return TableCell{time_text(row.*member)}; };
  };
  /// Painted where it is a large part of the step.
  const auto large = [](auto member) {
    return [member](const JobRow& row) {
      const double share = row.step_s.mean > 0 ? (row.*member).value() / row.step_s.mean : 0;
      return TableCell{time_text(row.*member), share > 0.3 ? vermilion : ""};
    };
  };
  const auto part_of_step = [](auto member) {
    return [member](const JobRow& row) { return (row.*member).value() > 1e-3 * row.step_s.mean; };
  };
  const bool failures = any([](const JobRow& row) { return row.failures.has_value(); });
  add(varies(jobs, &JobRow::model), "model", word(&JobRow::model), false);
  add(varies(jobs, &JobRow::job), "job", word(&JobRow::job), false);
  add(variants, "architecture", word(&JobRow::variant), false);
  add(points_look_alike(jobs), "point", word(&JobRow::point), false);
  add(true, "GPUs", number(&JobRow::workers));
  add(varies(jobs, &JobRow::precision), "precision", word(&JobRow::precision), false);
  add(varies(jobs, &JobRow::batch_per_gpu), "batch/GPU", number(&JobRow::batch_per_gpu));
  add(true, (varies(jobs, &JobRow::sample) ? "sample" : jobs.front().get().sample) + "s/s", [=](const JobRow& row) {
    const bool leads = variants && row.samples_per_second.mean >= best.at({row.model, row.workers});
    return TableCell{rate_with_interval(row), leads ? green : ""};
  });
  add(true, "80 % sure",
      [](const JobRow& row) { return TableCell{sure_text(row.samples_per_second.mean, error_of(row))}; });
  add(true, "efficiency", [](const JobRow& row) { return TableCell{percent_text(row.scaling_efficiency)}; });
  add(true, "step", [](const JobRow& row) { return TableCell{time_text(Seconds{row.step_s.mean})}; });
  add(true, "compute", time(&JobRow::compute));
  add(any(part_of_step(&JobRow::host)), "host", large(&JobRow::host));
  add(true, "exposed comm", large(&JobRow::exposed_communication));
  add(any(part_of_step(&JobRow::input)), "input", time(&JobRow::input));
  add(true, "wait", time(&JobRow::wait));
  add(any([](const JobRow& row) { return row.staleness_max > 0; }), "staleness", [](const JobRow& row) {
    return TableCell{row.staleness_max > 0 ? fmt::format("{:.1f}", row.staleness_mean) : std::string{"0"}};
  });
  add(any([](const JobRow& row) { return row.price_per_million_samples.has_value(); }), "$/1M", [](const JobRow& row) {
    return TableCell{row.price_per_million_samples ? fmt::format("{:.2f}", row.price_per_million_samples->value())
                                                   : std::string{"unknown"}};
  });
  add(failures, "done", time(&JobRow::finish));
  add(failures, "goodput", [](const JobRow& row) {
    return TableCell{row.failures ? fmt::format("{:.2f} %", 100 * row.failures->useful) : std::string{}};
  });
  add(
      true, "bottleneck", [](const JobRow& row) { return TableCell{row.bottleneck.text}; }, false);
  return columns;
}

constexpr Sentence<> of_parts{"explain.parts", "parts of the critical worker's step"};
constexpr Sentence<> of_path{"explain.path", "critical path of one step"};
constexpr Sentence<> of_busiest{"explain.busiest", "busiest"};
constexpr Sentence<> of_links{"explain.links", "top links of this run"};
constexpr Sentence<std::string, std::int64_t> several{"explain.several", "{name} ({operations} operations)"};
constexpr Sentence<std::int64_t> shorter{"explain.shorter", "… and {more} shorter ones in summary.json"};
constexpr Sentence<std::int64_t> more_rows{
    "explain.more_rows", "… and {more} more rows in jobs.csv; choose some with --job, --point or --all"};
constexpr Sentence<std::string, std::int64_t> title{"explain.title", "{what}, {gpus|GPU|GPUs}"};
constexpr Sentence<Message, std::string> title_at{"explain.title_at", "{title}  [{point}]"};
constexpr Sentence<std::string, std::string, std::string, Figure, Figure, Message> rates{
    "explain.rates", "{rate} {sample}s/s (80 % sure: {sure}), step {step}, {efficiency} of linear scaling; bottleneck: "
                     "{bottleneck}"};
constexpr Sentence<Messages> assumed_words{"explain.assumed", "assumed: {list}"};

constexpr Sentence<> parts_of_a_step[]{{"explain.compute", "compute"},
                                       {"explain.host", "host starts operators"},
                                       {"explain.exposed", "exposed communication"},
                                       {"explain.input", "input"},
                                       {"explain.wait", "wait for others"}};

/// Where the time of the critical worker's step goes.
void tell_parts(const JobRow& row, Telling& told)
{
  TableRows rows;
  const Seconds parts[]{row.compute, row.host, row.exposed_communication, row.input, row.wait};
  for (std::size_t i = 0; i < std::size(parts); ++i)
    if (i != 1 || row.host > Seconds{})
      rows.push_back({parts_of_a_step[i](),
                      TableCell::bar(row.step_s.mean > 0 ? parts[i].value() / row.step_s.mean : 0),
                      part(parts[i], row)});
  told.heading(of_parts(), "  ");
  told.table({{"", false}, {"", false}, {"", false}}, std::move(rows), 4);
}

Message title_of(const JobRow& row)
{
  const Message what = title(row.variant.empty() ? row.model : row.model + ", " + row.variant, row.workers);
  return row.point.empty() ? what : title_at(what, row.point);
}

Message rates_of(const JobRow& row)
{
  return rates(rate_with_interval(row), row.sample, sure_text(row.samples_per_second.mean, error_of(row)),
               {row.step_s.mean, time_text(Seconds{row.step_s.mean})},
               {row.scaling_efficiency, row.scaling_efficiency > 0 ? percent_text(row.scaling_efficiency) : "-"},
               row.bottleneck);
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

void tell_path(const JobRow& row, Telling& told)
{
  if (row.critical_path.empty())
    return;
  const std::vector<PathRow> path = longest_operations(row.critical_path, 24);
  TableRows rows;
  for (const PathRow& item : path)
    rows.push_back({to_text(item.role), time_text(item.duration),
                    item.waited.value() > 0 ? time_text(item.waited) : "-", item.lane,
                    item.operations > 1 ? TableCell{several(item.name, item.operations)} : TableCell{item.name}});
  told.heading(of_path(), "\n  ");
  told.table({{"role", false}, {"time"}, {"waited"}, {"where", false}, {"what", false}}, std::move(rows), 4);
  if (row.critical_path.size() > 24)
    told.line(shorter(static_cast<std::int64_t>(row.critical_path.size() - path.size())), "    ");
}

void tell_busiest(const JobRow& row, Telling& told)
{
  if (row.busiest.empty())
    return;
  TableRows rows;
  for (const UseRow& use : row.busiest)
    rows.push_back({use.name,
                    use.kind,
                    {percent_text(use.utilisation), use.utilisation >= 0.85 ? vermilion : ""},
                    percent_text(use.busy),
                    use.bytes.value() > 0 ? to_text(use.bytes.value(), QuantityKind::bytes, 3) : "-"});
  told.heading(of_busiest(), "\n  ");
  told.table({{"what", false}, {"kind", false}, {"used"}, {"occupied"}, {"carried"}}, std::move(rows), 4);
}

void tell_links(const Results& results, const std::string& point, Telling& told)
{
  TableRows rows;
  for (const LinkRow& link : results.links)
    if (link.point == point && rows.size() < 10)
      rows.push_back({link.label, percent_text(link.utilisation), percent_text(link.busy),
                      to_text(link.bandwidth.value(), QuantityKind::bandwidth, 3),
                      fmt::format("{}", fmt::join(link.jobs, ", "))});
  if (rows.empty())
    return;
  told.heading(of_links(), "\n  ");
  told.table({{"link", false}, {"used"}, {"occupied"}, {"bandwidth"}, {"jobs", false}}, std::move(rows), 4);
}

} // namespace

Telling results_told(const Results& results)
{
  static constexpr Sentence<> no_job_ran{"results.no_job_ran", "no job ran"};
  static constexpr Sentence<Message> based_on{"results.based_on", "based on: {note}"};
  Telling told;
  const RowsOfJobs jobs = by_curve(results.jobs);
  told.heading(plain(MessageKind::part, heading(results.run.scenario_name, results.description)));
  if (jobs.empty()) {
    told.say(no_job_ran());
    return told;
  }
  told.lines(common_text(jobs, results.run.seed));
  told.gap();
  Told table{.form = Told::Form::table};
  const std::vector<TextColumn> columns = text_columns(jobs);
  std::ranges::transform(columns, std::back_inserter(table.columns), &TextColumn::column);
  const bool variants = varies(jobs, &JobRow::variant);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobRow& row = jobs[i];
    std::vector<TableCell>& cells = table.rows.emplace_back();
    for (const TextColumn& column : columns)
      cells.push_back(column.cell(row));
    if (i == 0 || !variants || jobs.size() <= 8)
      continue;
    const JobRow& before = jobs[i - 1];
    if (row.model != before.model || row.variant != before.variant)
      table.group_ends.push_back(i);
  }
  told.pieces.push_back(std::move(table));
  if (const Messages costs = failures_of(results); costs.size() <= most_told)
    for (const Message& cost : costs)
      told.line(cost, "\n");
  if (const std::string answer = answer_text(results); !answer.empty())
    told.answer(plain(MessageKind::answer, answer), "\n");
  for (bool first = true; const Message& error : errors_told(results.jobs))
    told.line(error, std::exchange(first, false) ? "\n" : "");
  told.lines(knee_text(knees(results)));
  told.lines(seeds_text(results.seeds, results.run.confidence));
  std::set<std::string> notes;
  for (const JobRow& row : jobs)
    if (!row.provenance_note.empty() && notes.insert(row.provenance_note.text).second && notes.size() <= 4) {
      if (notes.size() == 1)
        told.line(based_on(row.provenance_note), "\n");
      else
        told.line(row.provenance_note, "          ");
    }
  if (!results.assumed.empty())
    told.say(assumed_told(results.assumed));
  return told;
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

Message job_told(const JobRow& row)
{
  static constexpr Sentence<Message, Message> the_job{"results.job", "{title}: {rates}"};
  return the_job(title_of(row), rates_of(row));
}

Telling explain_text(const Results& results, std::size_t most)
{
  Telling told;
  for (const Message& cost : failures_of(results)) {
    told.say(cost);
    told.gap();
  }
  std::size_t shown = 0;
  for (const JobRow& row : results.jobs) {
    if (shown == most) {
      told.say(more_rows(static_cast<std::int64_t>(results.jobs.size() - shown)));
      break;
    }
    ++shown;
    told.heading(title_of(row));
    told.line(rates_of(row));
    told.gap();
    tell_parts(row, told);
    tell_path(row, told);
    tell_busiest(row, told);
    tell_links(results, row.point, told);
    told.gap();
  }
  if (const std::string answer = answer_text(results); !answer.empty())
    told.answer(plain(MessageKind::answer, answer));
  if (!results.assumed.empty())
    told.say(assumed_told(results.assumed));
  return told;
}

Messages listed(const Messages& parts)
{
  Messages list;
  for (const Message& each : parts) {
    if (!list.empty())
      list.push_back(plain(MessageKind::part, "; "));
    list.push_back(each);
  }
  return list;
}

Message assumed_told(const Messages& assumed)
{
  return assumed_words(listed(assumed));
}

} // namespace trainyard
