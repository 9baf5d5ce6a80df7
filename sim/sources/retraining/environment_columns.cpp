// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/environment_report.hpp"

#include "models/core/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace trainyard {
namespace {

using Set = EnvironmentRunSet;

/// How many requests ended in each way; summary.json has them in one object.
template <std::size_t... I>
void add_ends(std::vector<ResultColumn<Set>>& columns, std::index_sequence<I...>)
{
  (columns.push_back({std::string{to_text(static_cast<RequestEnd>(I))},
                      +[](const Set& set) { return static_cast<long>(set.metrics.ends[I]); }, "",
                      I == 0 ? "needs that had not ended when the run did" : "needs that ended so",
                      in_csv | in_studies}),
   ...);
}

template <std::size_t... I>
void add_segments(std::vector<ResultColumn<Set>>& columns, std::index_sequence<I...>)
{
  (columns.push_back({fmt::format("mean_{}_s", segment_names[I]),
                      +[](const Set& set) {
                        return set.metrics.completions > 0 ? std::optional{set.metrics.segment_s[I]} : std::nullopt;
                      },
                      "s", fmt::format("mean time in '{}', of deployed models", segment_names[I]),
                      in_csv | in_studies}),
   ...);
}

/// A figure that only some runs have.
double or_nothing(double value)
{
  return value > 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

std::string unfinished(const EnvironmentRunSet& set)
{
  for (const EnvironmentResult& run : set.runs) {
    std::vector<std::pair<int, int>> needs(run.models.size()); // and how many of them were deployed
    for (const Request& request : run.requests) {
      const std::string& model = run.models[static_cast<std::size_t>(request.model)];
      if (request.ended == RequestEnd::impossible)
        return fmt::format("{} of {} can never be met, for example {}-{}: {}",
                           set.metrics.ends[static_cast<std::size_t>(RequestEnd::impossible)],
                           counted(set.metrics.needs, "need"), model, request.number, request.reason.text);
      auto& [all, deployed] = needs[static_cast<std::size_t>(request.model)];
      ++all;
      deployed += request.deployed >= Instant{0} ? 1 : 0;
    }
    for (std::size_t model = 0; model < needs.size(); ++model)
      if (needs[model].first > 1 && needs[model].second == 0)
        return fmt::format("{} was never deployed: 0 of {} needs", run.models[model], needs[model].first);
  }
  return {};
}

const std::vector<ResultColumn<EnvironmentRunSet>>& retraining_columns()
{
  static const std::vector<ResultColumn<Set>> columns = [] {
    std::vector<ResultColumn<Set>> all = {
        {"needs", +[](const Set& set) { return static_cast<long>(set.metrics.needs); }, "",
         "times at which a model needed retraining"},
        {"completions", +[](const Set& set) { return static_cast<long>(set.metrics.completions); }, "",
         "models deployed"},
    };
    all.push_back({"unfinished", unfinished, "",
                   "a need that can never be met, or a model that was never deployed, in words", in_json});
    add_ends(all, std::make_index_sequence<std::tuple_size_v<decltype(EnvironmentMetrics::ends)>>{});
    const std::vector<ResultColumn<Set>> figures = {
        {"need_to_deployed_p50_s", +[](const Set& set) { return set.metrics.need_to_deployed.quantile(0.5); }, "s",
         "median time until a model on data at least so new serves (Kaplan-Meier)"},
        {"need_to_deployed_p95_s", +[](const Set& set) { return set.metrics.need_to_deployed.quantile(0.95); }, "s",
         "95th percentile of that time"},
        {"need_to_deployed_mean_at_least_s",
         +[](const Set& set) { return set.metrics.need_to_deployed.mean_at_least(); }, "s",
         "its mean, open times at what they have lasted"},
        {"need_to_trained_mean_at_least_s", +[](const Set& set) { return set.metrics.need_to_trained.mean_at_least(); },
         "s", "the same until the model is trained and saved"},
        {"stale_share", +[](const Set& set) { return set.metrics.stale_share; }, "",
         "share of time in which the serving model was stale, mean over models"},
        {"data_age_periods", +[](const Set& set) { return set.metrics.data_age_periods; }, "",
         "age of the serving models' data over stale_after, mean over time and models"},
        {"quality", +[](const Set& set) { return set.metrics.quality; }, "",
         "quality of the serving models by the age of their data, mean over time and models that have a curve"},
        {"lowest_quality", +[](const Set& set) { return set.metrics.lowest_quality; }, "",
         "lowest quality of a serving model at any time"},
        {"gpu_hours", +[](const Set& set) { return set.metrics.gpu_hours; }, "", "GPU-hours that trainings held"},
        {"wasted_gpu_hours", +[](const Set& set) { return set.metrics.wasted_gpu_hours; }, "",
         "those whose result was never deployed"},
        {"redone_gpu_hours", +[](const Set& set) { return set.metrics.redone_gpu_hours; }, "",
         "those whose work a failure undid: since the last checkpoint"},
        {"utilisation", +[](const Set& set) { return set.metrics.utilisation; }, "", "share of GPU time in use"},
        {"makespan_s", +[](const Set& set) { return or_nothing(set.metrics.makespan_s); }, "s",
         "first need to the end of the last training"},
        {"planned_makespan_s", +[](const Set& set) { return or_nothing(set.runs.front().first_makespan); }, "s",
         "makespan that the planner planned for its first queue of several trainings"},
        {"optimal_makespan_s", +[](const Set& set) { return or_nothing(set.optimal_makespan_s); }, "s",
         "best possible makespan of that queue"},
        {"plans", +[](const Set& set) { return static_cast<long>(set.runs.front().plans); }, "",
         "how often the planner planned"},
        {"messages", +[](const Set& set) { return static_cast<long>(set.metrics.messages); }, "", "messages sent"},
        {"lost_messages", +[](const Set& set) { return static_cast<long>(set.metrics.lost_messages); }, "",
         "those that were lost"},
    };
    all.insert(all.end(), figures.begin(), figures.end());
    add_segments(all, std::make_index_sequence<segment_names.size()>{});
    return all;
  }();
  return columns;
}

} // namespace trainyard
