// SPDX-License-Identifier: Apache-2.0
#include "sim/report/advice.hpp"

#include "models/core/figure_text.hpp"
#include "sim/results/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// Samples per second that are kept: with failures and checkpoints, less than the job trains.
double useful(const JobRow& row)
{
  return row.samples_per_second.mean * (row.failures ? row.failures->useful : 1);
}

/// What is counted: with failures and checkpoints "useful image".
std::string counted_sample(const JobRow& row)
{
  return (row.failures ? "useful " : "") + row.sample;
}

/// The rows of one model and size: best first, one per variant.
std::vector<const JobRow*> ranking(const std::vector<const JobRow*>& rows)
{
  std::vector<const JobRow*> order = rows;
  std::ranges::stable_sort(order, std::greater{}, [](const JobRow* row) { return useful(*row); });
  std::set<std::string> seen;
  std::erase_if(order, [&](const JobRow* row) { return !seen.insert(row->variant).second; });
  return order;
}

bool differ(const JobRow& first, const JobRow& second)
{
  return useful(first) > 1.01 * useful(second);
}

/// Probability that the first is the faster one, as simrun compare has it; nothing where no error tells them apart.
std::optional<double> surely(const JobRow& first, const JobRow& second)
{
  const ModelError one = error_of(first), other = error_of(second);
  if ((one.units == 0 && other.units == 0) || first.step_s.mean == second.step_s.mean)
    return std::nullopt; // exact, or the same step with the same error
  return surely_longer(useful(first) / useful(second),
                       first.gpu == second.gpu ? std::max(one.own, other.own) : scale_between(one, other));
}

bool wins_surely(const JobRow& first, const JobRow& second)
{
  return differ(first, second) && surely(first, second).value_or(1) >= decided;
}

constexpr Sentence<Figure, std::string, Figure, std::string, Message> times_as_many{
    "jobs.times_as_many", "{rate} {sample}s/s, {times} times {other}, whose bottleneck is {bottleneck}"};
constexpr Sentence<Figure, std::string, Figure, std::string, Message> more_than{
    "jobs.more_than", "{rate} {sample}s/s, {share} more than {other}, whose bottleneck is {bottleneck}"};
constexpr Sentence<> not_known{"jobs.not_known", "not known"};
constexpr Sentence<std::string, std::string, std::string, std::int64_t, Figure, std::string> equally_fast{
    "jobs.equally_fast",
    "{model}: {one} and {other} are equally fast at {gpus} GPUs ({rate} {sample}s/s); choose the simpler one."};
constexpr Sentence<std::string, std::string, std::string, std::int64_t, Message, Figure> close_call{
    "jobs.close_call", "{model}: {one} and {other} are too close to call at {gpus} GPUs: {one} has {ahead}; "
                       "{probability} that it is the faster one, by the errors of the model"};
constexpr Sentence<std::string, std::string, std::int64_t, std::int64_t, Message> wins_from{
    "jobs.wins_from", "{model}: {winner} wins from {gpus|GPU|GPUs} on; at {most} with {ahead}"};
constexpr Sentence<std::string, std::string, std::int64_t, Message> wins_at{
    "jobs.wins_at", "{model}: {winner} wins at {gpus} GPUs with {ahead}"};
constexpr Sentence<std::string, std::string, Message> wins{"jobs.wins", "{model}: {winner} wins with {ahead}"};
constexpr Sentence<Message, std::string, std::int64_t, Message> wins_with_fewer{
    "jobs.wins_with_fewer", "{wins}; with fewer GPUs {winner} wins: at {gpus} GPUs with {ahead}"};
constexpr Sentence<Message> no_more{"jobs.no_more", "{wins}."};
constexpr Sentence<Message, Figure> stale{
    "jobs.stale", "{wins}. It trains on stale parameters (mean staleness {staleness}); convergence is not modelled."};
constexpr Sentence<Message, Figure, std::string, Figure, std::string> stale_beside_sync{
    "jobs.stale_beside_sync", "{wins}. It trains on stale parameters (mean staleness {staleness}); convergence is not "
                              "modelled: the best synchronous variant is {variant} with {rate} {sample}s/s."};

Figure rate_of(const JobRow& row)
{
  return {useful(row), rate_text(useful(row))};
}

/// "3,400 images/s, 2.4 times ps:8, whose bottleneck is NIC of ps-0: 98 % busy"
Message comparison(const JobRow& best, const JobRow& next)
{
  const double factor = useful(best) / useful(next);
  const Message bottleneck = next.bottleneck.empty() ? not_known() : next.bottleneck;
  return factor >= 2 ? times_as_many(rate_of(best), counted_sample(best), {factor, fmt::format("{:.1f}", factor)},
                                     next.variant, bottleneck)
                     : more_than(rate_of(best), counted_sample(best),
                                 {factor - 1, fmt::format("{:.0f} %", 100 * (factor - 1))}, next.variant, bottleneck);
}

/// Which variant of a model is the fastest at the most GPUs, and from how many on; empty where there is one alone.
Message sentence(const std::string& model, const std::map<int, std::vector<const JobRow*>>& by_workers)
{
  const auto& [most, rows] = *by_workers.rbegin();
  const std::vector<const JobRow*> order = ranking(rows);
  if (order.size() < 2)
    return {};
  const JobRow& best = *order[0];
  if (const double sure = surely(best, *order[1]).value_or(1); differ(best, *order[1]) && sure < decided)
    return no_more(close_call(model, best.variant, order[1]->variant, most, comparison(best, *order[1]),
                              {sure, percent_text(sure)}));
  if (!differ(best, *order[1]))
    return equally_fast(model, best.variant, order[1]->variant, most, rate_of(best), counted_sample(best));

  int from = most; // the smallest size from which on the winner leads without a break
  const JobRow *ahead_before = nullptr, *behind_it = nullptr;
  for (auto size = by_workers.rbegin(); size != by_workers.rend() && ahead_before == nullptr; ++size) {
    const std::vector<const JobRow*> here = ranking(size->second);
    if (here.size() < 2 || !wins_surely(*here[0], *here[1]))
      continue;
    if (here[0]->variant == best.variant)
      from = size->first;
    else
      ahead_before = here[0], behind_it = here[1];
  }
  const Message ahead = comparison(best, *order[1]);
  Message text = by_workers.size() == 1 ? wins(model, best.variant, ahead)
                 : from == most         ? wins_at(model, best.variant, most, ahead)
                                        : wins_from(model, best.variant, from, most, ahead);
  if (ahead_before != nullptr)
    text = wins_with_fewer(text, ahead_before->variant, ahead_before->workers, comparison(*ahead_before, *behind_it));
  if (best.staleness_max <= 0)
    return no_more(text);
  const Figure staleness{best.staleness_mean, fmt::format("{:.1f}", best.staleness_mean)};
  const auto sync = std::ranges::find_if(order, [](const JobRow* row) { return row->staleness_max <= 0; });
  return sync == order.end()
             ? stale(text, staleness)
             : stale_beside_sync(text, staleness, (*sync)->variant, rate_of(**sync), counted_sample(**sync));
}

} // namespace

Messages advice(const Results& results)
{
  std::map<std::string, std::map<int, std::vector<const JobRow*>>> models;
  for (const JobRow& row : results.jobs)
    if (!row.variant.empty() && useful(row) > 0)
      models[row.model][row.workers].push_back(&row);
  Messages answers;
  for (const auto& [model, by_workers] : models)
    if (const Message next = sentence(model, by_workers); !next.empty())
      answers.push_back(as(MessageKind::answer, next));
  return answers;
}

void conclude(Results& results, const std::vector<Diagnostic>& of_check)
{
  for (const Diagnostic& diagnostic : of_check)
    results.messages.push_back(plain(MessageKind::warning, diagnostic.message));
  std::ranges::move(advice(results), std::back_inserter(results.messages));
  std::ranges::move(errors_told(results.jobs), std::back_inserter(results.messages));
}

std::string answers_once(const std::vector<std::string>& answers)
{
  std::string text;
  for (const std::string& answer : answers) {
    std::istringstream lines{answer};
    for (std::string line; std::getline(lines, line);)
      if (text.find(line.substr(0, line.size() - (line.ends_with('.') ? 1 : 0))) == std::string::npos)
        text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

std::string answer_text(const Results& results)
{
  std::vector<std::string> answers = texts_of(results.messages, MessageKind::answer);
  if (answers.empty())
    answers = texts_of(advice(results), MessageKind::answer);
  return answers_once(answers);
}

std::vector<Knee> knees(const Results& results)
{
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::map<int, double>> curves; // efficiency by workers
  for (const JobRow& row : results.jobs) {
    const std::pair key{row.model, row.variant};
    if (!curves.contains(key))
      order.push_back(key);
    if (row.scaling_efficiency > 0)
      curves[key][row.workers] = row.scaling_efficiency;
  }
  std::vector<Knee> found;
  for (const auto& key : order) {
    const std::map<int, double>& curve = curves[key];
    for (auto here = curve.begin(); here != curve.end(); ++here) {
      if (here->second >= 0.5)
        continue;
      if (here == curve.begin())
        break;
      const auto before = std::prev(here);
      const double low = 1 / before->second, high = 1 / here->second;
      found.push_back(
          {key.first, key.second, before->first + (2 - low) / (high - low) * (here->first - before->first)});
      break;
    }
  }
  return found;
}

std::string knee_text(const std::vector<Knee>& found)
{
  std::string text;
  for (const Knee& knee : found)
    text += fmt::format("{}{} {} at {:.1f} GPUs", text.empty() ? "knee, where half of the GPUs' time is lost: " : "; ",
                        knee.model, knee.variant, knee.workers);
  return text;
}

} // namespace trainyard
