// SPDX-License-Identifier: Apache-2.0
#include "sim/report/advice.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
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

bool decided(const JobRow& first, const JobRow& second)
{
  return useful(first) > 1.01 * useful(second);
}

/// "AllReduce, 2.4 x ps:8 (NIC of ps-0: 98 % busy)"
std::string comparison(const JobRow& best, const JobRow& next)
{
  const double factor = useful(best) / useful(next);
  const std::string by =
      factor >= 2 ? fmt::format("{:.1f} times", factor) : fmt::format("{:.0f} % more than", 100 * (factor - 1));
  return fmt::format("{} {}s/s, {} {}, whose bottleneck is {}", rate_text(useful(best)), counted_sample(best), by,
                     next.variant, next.bottleneck.empty() ? "not known" : next.bottleneck);
}

std::string sentence(const std::string& model, const std::map<int, std::vector<const JobRow*>>& by_workers)
{
  const auto& [most, rows] = *by_workers.rbegin();
  const std::vector<const JobRow*> order = ranking(rows);
  if (order.size() < 2)
    return {};
  const JobRow& best = *order[0];
  if (!decided(best, *order[1]))
    return fmt::format("{}: {} and {} are equally fast at {} GPUs ({} {}s/s); choose the simpler one.", model,
                       best.variant, order[1]->variant, most, rate_text(useful(best)), counted_sample(best));

  int from = most; // the smallest size from which on the winner leads without a break
  std::string ahead_before;
  for (auto size = by_workers.rbegin(); size != by_workers.rend(); ++size) {
    const std::vector<const JobRow*> here = ranking(size->second);
    if (here.size() < 2 || !decided(*here[0], *here[1]))
      continue;
    if (here[0]->variant != best.variant) {
      ahead_before = fmt::format("; with fewer GPUs {} wins: at {} GPUs with {}", here[0]->variant, size->first,
                                 comparison(*here[0], *here[1]));
      break;
    }
    from = size->first;
  }
  std::string text = fmt::format("{}: {} wins", model, best.variant);
  if (by_workers.size() > 1)
    text +=
        from == most ? fmt::format(" at {} GPUs", most) : fmt::format(" from {} on; at {}", counted(from, "GPU"), most);
  text += fmt::format(" with {}", comparison(best, *order[1]));
  text += ahead_before + ".";
  if (best.staleness_max > 0) {
    const auto sync = std::ranges::find_if(order, [](const JobRow* row) { return row->staleness_max <= 0; });
    text += fmt::format(" It trains on stale parameters (mean staleness {:.1f}); convergence is not modelled",
                        best.staleness_mean);
    text += sync == order.end() ? "."
                                : fmt::format(": the best synchronous variant is {} with {} {}s/s.", (*sync)->variant,
                                              rate_text(useful(**sync)), counted_sample(**sync));
  }
  return text;
}

} // namespace

std::string advice(const Results& results)
{
  std::map<std::string, std::map<int, std::vector<const JobRow*>>> models;
  for (const JobRow& row : results.jobs)
    if (!row.variant.empty() && useful(row) > 0)
      models[row.model][row.workers].push_back(&row);
  std::string text;
  for (const auto& [model, by_workers] : models) {
    const std::string next = sentence(model, by_workers);
    if (!next.empty())
      text += (text.empty() ? "" : "\n") + next;
  }
  return text;
}

} // namespace trainyard
