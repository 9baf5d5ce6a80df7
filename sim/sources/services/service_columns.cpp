// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/orchestration_report.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

namespace trainyard::orchestration {
namespace {

using Row = ServiceRow;
using Time = std::optional<Instant>;

/// A time that may not have come.
Time optional_time(Instant time)
{
  return time < Instant{} ? Time{} : Time{time};
}

std::string state_of(const ServiceRow& row)
{
  const ServiceOutcome& outcome = row.outcome();
  const ServiceSpec& spec = row.spec();
  if (outcome.failed)
    return "failed";
  if (outcome.finished >= Instant{})
    return "finished";
  if (spec.ends() || !spec.clients.empty())
    return outcome.first_running < Instant{} ? "never started" : "unfinished";
  return "kept running";
}

/// Why a task of it waited last: "3 nodes: ports of the host"; empty where none did.
std::string waited_for(const Row& row)
{
  const OrchestrationResult& result = row.run->result;
  for (auto phase = result.phases.rbegin(); phase != result.phases.rend(); ++phase)
    if (result.task_service[static_cast<std::size_t>(phase->task)] == static_cast<int>(row.service) &&
        phase->why >= 0 && phase->phase == TaskPhase::waiting &&
        !result.reasons[static_cast<std::size_t>(phase->why)].empty())
      return result.reasons[static_cast<std::size_t>(phase->why)].text;
  return {};
}

double running_share(const Row& row)
{
  const ServiceOutcome& o = row.outcome();
  return o.desired_time > 0 ? static_cast<double>(o.replica_time) / static_cast<double>(o.desired_time) : 1.0;
}

Time jct(const Row& row)
{
  const Instant finished = row.outcome().finished;
  return finished < Instant{} ? Time{} : Time{finished - Instant{row.spec().arrival}};
}

Time start_delay(const Row& row)
{
  const Instant first = row.outcome().first_running;
  return first < Instant{} ? Time{} : Time{first - Instant{row.spec().arrival}};
}

/// Of the requests: the share that was answered.
std::optional<double> answered_share(const Row& row)
{
  double requests = 0, answered = 0;
  for (const ServingSpan& span : serving_spans(*row.run, row.service)) {
    const double here = span.rate * (span.to - span.from).value();
    requests += here;
    answered += span.answered * here;
  }
  return requests > 0 ? std::optional{answered / requests} : std::nullopt;
}

/// Over the requests that were answered while the replicas were enough.
std::optional<double> mean_response(const Row& row)
{
  double requests = 0, sum = 0;
  for (const ServingSpan& span : serving_spans(*row.run, row.service))
    if (const double here = span.rate * (span.to - span.from).value(); std::isfinite(span.response.mean.value())) {
      requests += here;
      sum += here * span.response.mean.value();
    }
  return requests > 0 ? std::optional{sum / requests} : std::nullopt;
}

std::optional<double> overloaded(const Row& row)
{
  const std::vector<ServingSpan> spans = serving_spans(*row.run, row.service);
  Instant sum{};
  for (const ServingSpan& span : spans)
    if (!std::isfinite(span.response.mean.value()))
      sum += span.to - span.from;
  return spans.empty() ? std::nullopt : std::optional{sum.value()};
}

/// @p pick of its running replicas since all ran for the first time, until its work was done.
template <class Pick>
std::optional<double> running(const Row& row, Pick pick)
{
  const ServiceOutcome& outcome = row.outcome();
  std::optional<int> found;
  if (outcome.first_running >= Instant{})
    for (const SeriesPoint& point : row.run->result.series)
      if (point.service == static_cast<int>(row.service) && point.time >= outcome.first_running &&
          (outcome.finished < Instant{} || point.time < outcome.finished))
        found = found ? pick(*found, point.running) : point.running;
  return found ? std::optional<double>{*found} : std::nullopt;
}

std::optional<double> least_running(const Row& row)
{
  return running(row, [](int a, int b) { return std::min(a, b); });
}

std::optional<double> most_running(const Row& row)
{
  return running(row, [](int a, int b) { return std::max(a, b); });
}

/// The mean time from a change of the wanted number of replicas until so many run.
std::optional<double> follows(const Row& row)
{
  std::optional<int> desired;
  Instant since{-1}, sum{};
  int changes = 0;
  for (const SeriesPoint& point : row.run->result.series) {
    if (point.service != static_cast<int>(row.service))
      continue;
    if (row.outcome().finished >= Instant{} && point.time >= row.outcome().finished)
      break;
    if (desired && point.desired != *desired)
      since = point.time;
    desired = point.desired;
    if (since >= Instant{} && point.running == point.desired) {
      sum += point.time - since;
      ++changes;
      since = Instant{-1};
    }
  }
  return changes > 0 ? std::optional{sum.value() / changes} : std::nullopt;
}

} // namespace

std::string unfinished(const ServiceRow& row)
{
  if (Instant{row.spec().arrival} >= row.run->result.ended)
    return {}; // it comes after the run
  const std::string state = state_of(row);
  const bool never = row.outcome().first_running < Instant{};
  const std::string reason = never ? waited_for(row) : std::string{};
  return state == "finished" || (state == "kept running" && !never) ? std::string{}
         : state == "failed"                                        ? "it was given up"
         : never ? "it never ran with all of its tasks" + (reason.empty() ? "" : " (" + reason + ")")
                 : "it had not done its work when the run ended";
}

double availability(const ServiceOutcome& outcome)
{
  if (outcome.since > Instant{})
    return static_cast<double>(outcome.full.count()) / static_cast<double>(outcome.since.count());
  return outcome.first_running < Instant{} ? 0 : 1;
}

const std::vector<ResultColumn<ServiceRow>>& service_columns()
{
  static const std::vector<ResultColumn<Row>> columns = {
      {"service", +[](const Row& row) { return row.spec().name; }, "", "its name"},
      {"kind", +[](const Row& row) { return row.spec().kind; }, "", "service, training, mpi, serving, …", in_csv},
      {"team", +[](const Row& row) { return row.spec().team; }, "", "team that pays"},
      {"replicas", +[](const Row& row) { return static_cast<long>(row.spec().replicas()); }, "", "tasks wanted",
       in_csv},
      {"arrival_s", +[](const Row& row) -> Time { return Instant{row.spec().arrival}; }, "s", "submission", in_csv},
      {"failed", +[](const Row& row) { return static_cast<long>(row.outcome().failed); }, "", "whether it was given up",
       in_json},
      {"first_running_s", +[](const Row& row) { return optional_time(row.outcome().first_running); }, "s",
       "when it first ran"},
      {"start_delay_s", start_delay, "s", "from submission until all its tasks ran for the first time", in_json},
      {"finished_s", +[](const Row& row) { return optional_time(row.outcome().finished); }, "s",
       "when its work was done"},
      {"jct_s", jct, "s", "finish - submission"},
      {"state", state_of, "", "finished, unfinished, never started, failed, kept running", in_csv},
      {"unfinished", unfinished, "", "that its work was not done, in words", in_json},
      {"cut_off",
       +[](const Row& row) -> long {
         return state_of(row) == "unfinished" && row.outcome().first_running >= Instant{} ? 1 : 0;
       },
       "", "1: it was still at work when the run ended", in_json},
      {"waited_for", waited_for, "", "why a task of it waited last, in words", in_json},
      {"restarts", +[](const Row& row) { return static_cast<long>(row.outcome().restarts); }, "", "restarts of tasks"},
      {"moves", +[](const Row& row) { return static_cast<long>(row.outcome().moves); }, "",
       "moves of tasks to other machines"},
      {"availability", +[](const Row& row) { return availability(row.outcome()); }, "",
       "share of the observed time in which all wanted replicas ran"},
      {"missing_s", +[](const Row& row) { return (row.outcome().since - row.outcome().full).value(); }, "s",
       "time in which fewer replicas ran than wanted, once all had run", in_json},
      {"mean_running_share", running_share, "", "running over wanted replicas, mean over time", in_csv},
      {"work_done_s", +[](const Row& row) { return row.outcome().done.value(); }, "s", "work done, at full speed"},
      {"useful_s", +[](const Row& row) -> Time { return row.outcome().parts.useful; }, "s", "time that became work",
       in_csv},
      {"lost_s", +[](const Row& row) -> Time { return row.outcome().parts.lost; }, "s", "time whose work was lost",
       in_csv},
      {"saving_s", +[](const Row& row) -> Time { return row.outcome().parts.saving; }, "s", "time for checkpoints",
       in_csv},
      {"restoring_s", +[](const Row& row) -> Time { return row.outcome().parts.restoring; }, "s",
       "time to load checkpoints", in_csv},
      {"stalled_s", +[](const Row& row) -> Time { return row.outcome().parts.stalled; }, "s",
       "time in which some tasks waited for others", in_csv},
      {"idle_s", +[](const Row& row) -> Time { return row.outcome().parts.idle; }, "s", "time without work", in_csv},
      {"input_wait_s", +[](const Row& row) -> Time { return row.outcome().input_wait; }, "s",
       "time in which the shared storage was too slow", in_csv},
      {"redeploying_s", +[](const Row& row) -> Time { return row.outcome().redeploying; }, "s",
       "time of starts after losses", in_csv},
      {"gpu_hours", +[](const Row& row) { return gpu_seconds(row.outcome().held.gpu) / 3600; }, "",
       "GPU-hours that it held"},
      {"used_gpu_hours",
       +[](const Row& row) { return gpu_seconds(row.outcome().parts.useful_gpu.gpu) / 3600 * row.spec().used_share; },
       "", "GPU-hours in which it computed", in_json},
      {"step_s",
       +[](const Row& row) { return row.step() == nullptr ? std::nullopt : std::optional{row.step()->time.value()}; },
       "s", "time of a step of its job, alone, where its tasks trained last", in_json},
      {"samples_per_second",
       +[](const Row& row) {
         return row.step() == nullptr ? std::nullopt : std::optional{row.step()->samples_per_second};
       },
       "", "of its job, likewise", in_json},
      {"least_running", least_running, "", "fewest replicas that ran, once all had run", in_json},
      {"most_running", most_running, "", "most replicas that ran", in_json},
      {"follows_s", follows, "s", "mean time from a change of the wanted number of replicas until so many run",
       in_json},
      {"answered_share", answered_share, "", "share of the requests that were answered", in_json},
      {"mean_response_s", mean_response, "s", "of the requests, while the replicas were enough (M/M/c)", in_json},
      {"overloaded_s", overloaded, "s", "time in which the replicas were not enough for the requests", in_json},
  };
  return columns;
}

Response response_time(double rate, double capacity, int replicas)
{
  constexpr double none = std::numeric_limits<double>::infinity();
  if (replicas <= 0 || !(capacity > 0) || rate >= replicas * capacity)
    return {Seconds{none}, Seconds{none}};
  const double offered = rate / capacity;
  // Erlang B by its recursion, then C.
  double b = 1;
  for (int n = 1; n <= replicas; ++n)
    b = offered * b / (n + offered * b);
  const double use = offered / replicas;
  const double waits = b / (1 - use * (1 - b));
  const double drain = replicas * capacity - rate;
  const double mean = 1 / capacity + waits / drain;
  // P(T > t) of waiting plus service; where the two rates are equal the limit of the general form.
  const auto tail = [&](double t) {
    if (std::abs(drain - capacity) < 1e-9 * capacity)
      return (1 + waits * capacity * t) * std::exp(-capacity * t);
    return std::exp(-capacity * t) +
           waits * capacity / (capacity - drain) * (std::exp(-drain * t) - std::exp(-capacity * t));
  };
  double low = 0, high = 1 / capacity;
  while (tail(high) > 0.05)
    high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (tail(middle) > 0.05 ? low : high) = middle;
  }
  return {Seconds{mean}, Seconds{high}};
}

std::vector<ServingSpan> serving_spans(const PointRun& run, std::size_t service)
{
  const ServingSpec& serving = run.input.services[service].serving;
  if (!(serving.capacity > 0) || run.result.series.empty()) // none is recorded
    return {};
  std::map<Instant, int> replicas{{Instant{}, 0}}; // from when on
  for (const SeriesPoint& point : run.result.series)
    if (point.service == static_cast<int>(service))
      replicas[point.time] = point.running;
  std::vector<Instant> cuts{run.result.ended};
  for (const auto& [time, count] : replicas)
    cuts.push_back(time);
  for (const auto& [from, rate] : serving.rate)
    cuts.push_back(Instant{from});
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<ServingSpan> spans;
  for (std::size_t i = 0; i + 1 < cuts.size() && cuts[i] < run.result.ended; ++i) {
    ServingSpan span{.from = cuts[i], .to = cuts[i + 1], .replicas = std::prev(replicas.upper_bound(cuts[i]))->second};
    for (const auto& [from, value] : serving.rate)
      if (Instant{from} <= cuts[i])
        span.rate = value;
    span.response = response_time(span.rate, serving.capacity, span.replicas);
    span.answered = span.rate > 0 ? std::min(1.0, span.replicas * serving.capacity / span.rate) : 1;
    spans.push_back(span);
  }
  return spans;
}

} // namespace trainyard::orchestration
