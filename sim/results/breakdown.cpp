// SPDX-License-Identifier: Apache-2.0
/// Where the time of a step went.
///
/// A step is seen from its critical worker. The step's window is cut at every begin and end of that worker's
/// operations; a piece in which its GPU runs operations is compute, else a piece with one of its messages under way is
/// exposed communication, else a piece with its input pipeline at work is input, else it waits for others. Where the
/// host starts operators more slowly than the GPU runs them, the compute operations are that much longer; this share of
/// them is the host's, not compute. The critical path is found backwards from the step's end: what an operation waited
/// for is the predecessor, or the operation before it on one of its lanes, that ended last.
#include "sim/results/breakdown.hpp"

#include "models/cluster/cluster.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/sorted_rows.hpp"
#include "sim/results/results.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/step_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

struct AtLimit {
  Seconds time; // of all its messages, one after another
  BytesPerSecond limit;
};

/// Of one byte of the payload, at the limit of the call's messages. All channels do the same: the first is asked.
Seconds time_per_byte(const Cluster& cluster, const CollectiveCall& call)
{
  CollectiveCall one = call;
  one.channels = 1;
  if (!call.orders.empty())
    one.orders = {call.orders[0]};
  const auto channels = static_cast<double>(call.orders.empty() ? std::max(call.channels, 1) : call.orders.size());
  Seconds time;
  for (const ChannelPlan& plan : channel_plans(cluster, one))
    for (const Round& round : plan.rounds) {
      Bytes largest;
      for (const RoundMessage& message : round.messages)
        largest = std::max(largest, message.bytes);
      time += largest / call.cost.limit * round.repeat;
    }
  return time / call.payload.value() / channels;
}

bool within_a_node(const Cluster& cluster, const CollectiveCall& call)
{
  return std::ranges::all_of(
      call.ranks, [&](VertexId rank) { return cluster.vertex(rank).node == cluster.vertex(*call.ranks.begin()).node; });
}

bool alike(const CollectiveCall& a, const CollectiveCall& b)
{
  return a.algorithm == b.algorithm && a.operation == b.operation && a.channels == b.channels &&
         a.all_ranks == b.all_ranks && a.cost.limit == b.cost.limit && a.ranks == b.ranks && a.orders == b.orders;
}

/// The connection that is nearest to the rate of its library: "one grpc connection of 0.5 GB/s".
///
/// Its utilisation is the share of the trace in which its messages would be under way if nothing but
/// MessageCost::limit held them back, at most 1; each direction is one of its own. Looks at the messages of @p worker
/// and at those of all; collectives within a node do not count. None where no message has a limit.
std::optional<UseRow> busiest_connection(const Cluster& cluster, const StepProgram& program, const StepTrace& trace,
                                         int worker, const std::string& transport)
{
  std::map<std::pair<int, int>, AtLimit> connections; // by lane, else by the vertices at its ends
  std::pair<const CollectiveCall*, Seconds> last;     // the call asked last, and its time for a byte
  const auto add = [&](const Operation& operation, std::pair<int, int> key, Seconds time, BytesPerSecond limit) {
    if (!operation.lanes.empty()) {
      key = {-1, operation.lanes.front().index};
      time /= std::max(program.lanes[static_cast<std::size_t>(key.second)].slots, 1);
    }
    AtLimit& connection = connections[key];
    connection.time += time;
    connection.limit = limit;
  };
  for (const Operation& operation : program.operations) {
    if (operation.worker != worker && operation.worker != -1)
      continue;
    if (const auto* transfer = std::get_if<Transfer>(&operation.work)) {
      if (const BytesPerSecond limit = transfer->cost.limit; std::isfinite(limit.value()))
        add(operation, {transfer->from.index, transfer->to.index}, transfer->bytes / limit, limit);
    } else if (const auto* call = call_of(operation.work)) {
      if (call->operation == "all_to_all" || call->payload.value() <= 0 || !std::isfinite(call->cost.limit.value()) ||
          within_a_node(cluster, *call))
        continue;
      if (last.first == nullptr || !alike(*call, *last.first))
        last = {call, time_per_byte(cluster, *call)};
      add(operation, {-1, -1}, call->payload.value() * last.second, call->cost.limit);
    }
  }
  if (connections.empty() || trace.window().value() <= 0)
    return std::nullopt;
  const AtLimit& busiest =
      std::ranges::max_element(connections, {}, [](const auto& entry) { return entry.second.time; })->second;
  const double used = std::min(1.0, busiest.time / trace.window());
  return UseRow{
      fmt::format("one {} connection of {}", transport, to_text(busiest.limit)), "connection", used, used, {}};
}

struct Interval {
  Seconds begin;
  Seconds end;
};

/// The union of intervals, clipped to a window, in order.
std::vector<Interval> merged(std::vector<Interval> intervals, Interval window)
{
  std::ranges::sort(intervals, {}, [](const Interval& interval) { return std::pair{interval.begin, interval.end}; });
  std::vector<Interval> result;
  for (Interval interval : intervals) {
    interval.begin = std::max(interval.begin, window.begin);
    interval.end = std::min(interval.end, window.end);
    if (interval.end <= interval.begin)
      continue;
    if (!result.empty() && interval.begin <= result.back().end)
      result.back().end = std::max(result.back().end, interval.end);
    else
      result.push_back(interval);
  }
  return result;
}

Seconds total(const std::vector<Interval>& intervals)
{
  Seconds sum;
  for (const Interval& interval : intervals)
    sum += interval.end - interval.begin;
  return sum;
}

bool is_message(const Work& work)
{
  return std::holds_alternative<Copy>(work) || std::holds_alternative<Transfer>(work) || call_of(work) != nullptr;
}

const Span& span_of(const StepTrace& trace, int operation)
{
  return trace.spans[static_cast<std::size_t>(operation)];
}

/// What each operation waited for last: a predecessor, or the operation before it on a lane.
class Bindings
{
public:
  Bindings(const StepProgram& program, const StepTrace& trace)
      : program_{program}, trace_{trace}, ends_(program.lanes.size())
  {
    for (std::size_t i = 0; i < program.operations.size(); ++i)
      for (const LaneId lane : program.operations[i].lanes)
        ends_[static_cast<std::size_t>(lane.index)].of_all.emplace_back(trace.spans[i].end, static_cast<int>(i));
  }

  /// -1 where nothing came before.
  int before(int index)
  {
    const Operation& operation = program_.operations[static_cast<std::size_t>(index)];
    const Seconds begin = span_of(trace_, index).begin;
    int found = -1;
    Seconds latest{-1};
    for (const OperationId predecessor : operation.after)
      if (found < 0 || span_of(trace_, predecessor.index).end > latest) {
        found = predecessor.index;
        latest = span_of(trace_, predecessor.index).end;
      }
    for (const LaneId lane : operation.lanes) {
      const auto& ends = ends_on(lane);
      auto next = std::ranges::upper_bound(ends, std::pair{begin, index});
      while (next != ends.begin()) {
        --next;
        if (next->second == index || span_of(trace_, next->second).begin >= begin)
          continue; // itself, or something without duration at the same time: no progress backwards
        if (next->first > latest) {
          latest = next->first;
          found = next->second;
        }
        break;
      }
    }
    return found;
  }

private:
  struct Ends {
    std::vector<std::pair<Seconds, int>> of_all; // end, operation
    bool sorted = false;
  };

  /// A path meets few lanes: only theirs are sorted.
  const std::vector<std::pair<Seconds, int>>& ends_on(LaneId lane)
  {
    Ends& ends = ends_[static_cast<std::size_t>(lane.index)];
    if (!std::exchange(ends.sorted, true))
      std::ranges::sort(ends.of_all);
    return ends.of_all;
  }

  const StepProgram& program_;
  const StepTrace& trace_;
  std::vector<Ends> ends_; // by lane
};

struct PathStep {
  int operation = 0;
  Seconds begin;
  Seconds end;
  Seconds waited;
};

/// From @p last back to @p from, then in the order of time.
std::vector<PathStep> critical_operations(const StepProgram& program, const StepTrace& trace, int last, Seconds from)
{
  Bindings bindings{program, trace};
  std::vector<PathStep> path;
  int current = last;
  for (std::size_t guard = 0; current >= 0 && guard <= program.operations.size(); ++guard) {
    const Span& span = span_of(trace, current);
    if (span.end <= from && current != last)
      break;
    const int before = bindings.before(current);
    const Seconds ready = before < 0 ? trace.begin : span_of(trace, before).end;
    path.push_back(
        {current, std::max(span.begin, from), span.end, std::max(Seconds{0}, span.begin - std::max(ready, from))});
    current = before;
  }
  std::ranges::reverse(path);
  return path;
}

std::string lane_of(const StepProgram& program, const Operation& operation)
{
  return operation.lanes.empty() ? std::string{"network"}
                                 : program.lanes[static_cast<std::size_t>(operation.lanes.front().index)].name;
}

/// Operations that follow each other with one role on one lane become one row.
std::vector<PathRow> path_rows(const StepProgram& program, const std::vector<PathStep>& path)
{
  std::vector<PathRow> rows;
  for (const PathStep& step : path) {
    const Operation& operation = program.operations[static_cast<std::size_t>(step.operation)];
    if (std::holds_alternative<StepEnd>(operation.work) || step.end <= step.begin)
      continue;
    const std::string lane = lane_of(program, operation);
    const std::string name = operation.name.empty() ? to_text(operation.role) : operation.name.text();
    if (!rows.empty() && rows.back().role == operation.role && rows.back().lane == lane && step.waited.value() <= 0) {
      PathRow& row = rows.back();
      row.duration += step.end - step.begin;
      const std::size_t dots = row.name.find(" … ");
      row.name = row.name.substr(0, dots) + " … " + name;
      ++row.operations;
    } else {
      rows.push_back({name, operation.role, lane, step.begin, step.end - step.begin, step.waited, 1});
    }
  }
  return rows;
}

/// The worker whose computing takes most of the path; worker 0 where none computes on it.
int critical_worker(const StepProgram& program, const std::vector<PathStep>& path)
{
  std::map<int, Seconds> time;
  for (const PathStep& step : path) {
    const Operation& operation = program.operations[static_cast<std::size_t>(step.operation)];
    if (std::holds_alternative<Compute>(operation.work) && operation.worker >= 0)
      time[operation.worker] += step.end - step.begin;
  }
  int worker = 0;
  Seconds most{-1};
  for (const auto& [candidate, seconds] : time)
    if (seconds > most) {
      most = seconds;
      worker = candidate;
    }
  return worker;
}

/// The mark of a step; -1 where there is none.
int mark_of(const StepProgram& program, const StepTrace& trace, int worker, Seconds end)
{
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (const auto* mark = std::get_if<StepEnd>(&program.operations[i].work))
      if (mark->worker == worker && trace.spans[i].end == end)
        return static_cast<int>(i);
  return -1;
}

struct Window {
  int worker = -1; // of the marks
  int steps = 0;
  Interval time;
  Seconds last_begin; // of the last step in it
};

/// The marks after the warm-up, by worker; of those after @p until as many as make two.
std::vector<Window> windows(const std::vector<StepRow>& steps, int warm_up_steps, Seconds until)
{
  std::map<int, std::vector<const StepRow*>> by_worker;
  for (const StepRow& row : steps)
    if (std::vector<const StepRow*>& rows = by_worker[row.worker]; row.end <= until || rows.size() < 2)
      rows.push_back(&row);
  std::vector<Window> result;
  for (const auto& [worker, rows] : by_worker) {
    const std::size_t skipped = std::min(static_cast<std::size_t>(std::max(warm_up_steps, 0)), rows.size() - 1);
    result.push_back({worker,
                      static_cast<int>(rows.size() - skipped),
                      {rows[skipped]->begin, rows.back()->end},
                      rows.back()->begin});
  }
  return result;
}

Seconds mean_step(const Window& window)
{
  return (window.time.end - window.time.begin) / static_cast<double>(window.steps);
}

void attribute_time(Breakdown& result, const StepProgram& program, const StepTrace& trace, const Interval& window)
{
  std::vector<Interval> compute;
  std::vector<Interval> messages;
  std::vector<Interval> input;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    if (operation.worker != result.worker && operation.worker != -1)
      continue;
    const Interval interval{trace.spans[i].begin, trace.spans[i].end};
    if (operation.role == Role::input)
      input.push_back(interval);
    else if (std::holds_alternative<Compute>(operation.work))
      compute.push_back(interval);
    else if (is_message(operation.work))
      messages.push_back(interval);
  }
  const double steps = result.steps;
  const Seconds computing = total(merged(compute, window));
  messages.insert(messages.end(), compute.begin(), compute.end());
  const Seconds with_messages = total(merged(messages, window));
  input.insert(input.end(), messages.begin(), messages.end());
  const Seconds with_input = total(merged(input, window));
  result.compute = computing / steps;
  result.exposed_communication = (with_messages - computing) / steps;
  result.input = (with_input - with_messages) / steps;
  result.wait = std::max(Seconds{0}, (window.end - window.begin - with_input) / steps);
}

} // namespace

std::vector<StepRow> step_rows(const StepProgram& program, const StepTrace& trace)
{
  if (trace.spans.size() != program.operations.size())
    throw std::invalid_argument{fmt::format("the trace has {} spans for {} operations of job '{}'", trace.spans.size(),
                                            program.operations.size(), program.job)};
  std::vector<StepRow> rows;
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (const auto* mark = std::get_if<StepEnd>(&program.operations[i].work))
      rows.push_back({{}, program.job, mark->step, mark->worker, {}, trace.spans[i].end});
  std::ranges::sort(rows, {}, [](const StepRow& row) { return std::tuple{row.worker, row.step, row.end}; });
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].begin = i > 0 && rows[i - 1].worker == rows[i].worker ? rows[i - 1].end : trace.begin;
  return rows;
}

Breakdown breakdown(const Cluster& cluster, const Placement& placement, const StepProgram& program,
                    const StepTrace& trace, int warm_up_steps, const std::string& transport,
                    std::span<const ComputeShares> shares, const std::optional<CrowdedLink>& crowded, Seconds until)
{
  const std::vector<StepRow> steps = step_rows(program, trace);
  if (steps.empty())
    throw std::invalid_argument{fmt::format("the program of job '{}' does not mark a step", program.job)};

  const std::vector<Window> all = windows(steps, warm_up_steps, until);
  const Window& slowest = *std::ranges::max_element(all, {}, mean_step);
  const bool together = slowest.worker < 0;

  Breakdown result;
  result.steps = slowest.steps;
  result.step = mean_step(slowest);
  for (const Window& window : all)
    if (mean_step(window).value() > 0)
      result.samples_per_second +=
          program.samples_per_step / mean_step(window).value() / (together ? 1.0 : static_cast<double>(all.size()));

  const int mark = mark_of(program, trace, slowest.worker, slowest.time.end);
  const std::vector<PathStep> path = critical_operations(program, trace, mark, slowest.last_begin);
  result.critical_path = path_rows(program, path);
  result.worker = together ? critical_worker(program, path) : slowest.worker;
  attribute_time(result, program, trace, slowest.time);
  const ComputeShares share = shares_of(shares, result.worker);
  const Seconds computing = result.compute;
  result.compute = computing * share.gpu;
  result.host = computing - result.compute;
  result.busiest = uses(cluster, placement, program, trace, transport, shares);
  if (const auto connection = busiest_connection(cluster, program, trace, result.worker, transport))
    result.busiest.push_back(*connection);
  if (share.host > 0 && result.step > Seconds{}) {
    const double busy = share.host * std::min(1.0, computing / result.step);
    result.busiest.push_back({starting_operators, "host", busy, busy, {}});
  }
  const auto idle = [](const UseRow& use) { return -use.utilisation; };
  sort_rows(result.busiest, idle);
  result.bottleneck = bottleneck_sentence(result, share.on_cpu);
  if (crowded && waits_for_links(result) && crowded->utilisation > busiest_link(result))
    result.bottleneck = crowded_sentence(*crowded, link_label(cluster, placement, crowded->link));
  sort_rows(result.busiest, idle, 12);
  return result;
}

Breakdown breakdown(const PreparedScenario& prepared, const PreparedJob& job, const PlacedJob& placed,
                    const StepEstimate& estimate, bool own_steps, const std::optional<CrowdedLink>& crowded)
{
  const TrainingContext& context = *placed.context;
  std::vector<ComputeShares> shares;
  for (const WorkerTimes& worker : context.workers)
    shares.push_back({worker.gpu_busy, worker.host_busy, job.spec.training.settings.text("device", "gpu") == "cpu"});
  const std::string& transport = job.spec.training.transport;
  // Of workers with a barrier: the rates of others are those of all their time.
  const bool each_for_itself = estimate.worker_rates.size() > 1;
  const int settling = each_for_itself ? 0 : job.mode->settling_steps(context);
  const int warm_up = std::max(prepared.scenario.run.warm_up_steps, settling);
  Breakdown parts =
      breakdown(prepared.cluster, placed.placement, estimate.program, estimate.trace,
                own_steps ? 0 : whole_periods(warm_up, job.mode->period(context)),
                transport == "grpc" && !job.spec.training.settings.has("transport") ? "gRPC" : transport, shares,
                crowded, each_for_itself ? Seconds{std::numeric_limits<double>::infinity()} : estimate.window_end);
  if (estimate.trace.period > Seconds{}) {
    const bool each = estimate.worker_rates.size() == context.workers.size();
    take_mean_step(parts, each ? Seconds{1 / estimate.worker_rates[static_cast<std::size_t>(parts.worker)]}
                               : estimate.step_time);
  }
  return parts;
}

void take_mean_step(Breakdown& breakdown, Seconds step)
{
  const Seconds computing = breakdown.compute + breakdown.host;
  const Seconds rest = breakdown.step - computing;
  if (!(rest > Seconds{}) || step < computing)
    return;
  const double factor = (step - computing) / rest;
  for (Seconds Breakdown::*part : {&Breakdown::exposed_communication, &Breakdown::input, &Breakdown::wait})
    breakdown.*part = breakdown.*part * factor;
  breakdown.step = step;
}

namespace {

bool is_message(const Operation& operation)
{
  return std::holds_alternative<Transfer>(operation.work) || std::holds_alternative<Copy>(operation.work) ||
         call_of(operation.work) != nullptr;
}

/// What arrows of a timeline begin at: the predecessors of an operation from which, or to which, a message goes.
std::vector<int> messages_before(const StepProgram& program, const Operation& operation)
{
  std::vector<int> found;
  for (const OperationId id : operation.after) {
    const Operation& before = program.operations[static_cast<std::size_t>(id.index)];
    const bool same_lane = !before.lanes.empty() && before.lanes == operation.lanes;
    if (!same_lane && (is_message(before) || is_message(operation)))
      found.push_back(id.index);
  }
  return found;
}

} // namespace

std::vector<TraceSpan> trace_spans(const StepProgram& program, const StepTrace& trace, std::size_t limit)
{
  std::vector<int> order;
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (!std::holds_alternative<StepEnd>(program.operations[i].work))
      order.push_back(static_cast<int>(i));
  std::ranges::stable_sort(order, {}, [&](int i) { return span_of(trace, i).begin; });
  if (limit > 0 && order.size() > limit)
    order.resize(limit);
  std::vector<TraceSpan> result;
  for (const int i : order) {
    const Operation& operation = program.operations[static_cast<std::size_t>(i)];
    const Span& span = span_of(trace, i);
    const std::string name = operation.name.empty() ? to_text(operation.role) : operation.name.text();
    const auto bar = [&](const std::string& lane, LaneKind kind) {
      result.push_back({{},
                        program.job,
                        lane,
                        kind,
                        name,
                        operation.role,
                        operation.step,
                        operation.worker,
                        span.begin,
                        span.end,
                        i,
                        {}});
    };
    const std::size_t first = result.size();
    for (const LaneId lane : operation.lanes)
      bar(program.lanes[static_cast<std::size_t>(lane.index)].name,
          program.lanes[static_cast<std::size_t>(lane.index)].kind);
    if (operation.lanes.empty())
      bar(operation.worker < 0 ? std::string{"network"} : fmt::format("worker-{} network", operation.worker),
          LaneKind::communication);
    result[first].waited_for = messages_before(program, operation); // of several bars the first one has the arrows
  }
  return result;
}

} // namespace trainyard
