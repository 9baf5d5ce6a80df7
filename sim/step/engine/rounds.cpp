// SPDX-License-Identifier: Apache-2.0
// Programs that go round. Steps are alike, so the last ones of a program stand for all that follow: what an operation
// of the first of them waits for in an earlier step, it waits for again in the step that is as many steps before the
// end. No worker's counters are needed twice at once: the last steps are one more than an operation looks back.
#include "sim/step/engine/program_runner.hpp"

#include "sim/step/engine/step_program.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>

namespace trainyard {
namespace {

/// Where each step of a program begins, and the end; nothing where operations of several steps stand mixed.
std::vector<std::size_t> beginnings(const StepProgram& program)
{
  std::vector<std::size_t> first{0};
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const auto step = static_cast<std::size_t>(program.operations[i].step);
    if (step + 1 < first.size())
      return {};
    first.resize(step + 1, i);
  }
  first.push_back(program.operations.size());
  return first;
}

/// By worker: the one whose step ends once this one's operations have. Those of all workers are their own.
std::map<int, int> owners(std::span<const Operation> step, std::size_t first)
{
  std::map<int, int> owner{{-1, -1}};
  for (std::size_t i = step.size(); i-- > 0;) {
    if (const auto* end = std::get_if<StepEnd>(&step[i].work))
      owner[step[i].worker] = end->worker;
    const auto own = owner.find(step[i].worker);
    if (own == owner.end() || own->second < 0)
      continue;
    for (const OperationId before : step[i].after)
      if (const auto index = static_cast<std::size_t>(before.index); index >= first)
        owner.emplace(step[index - first].worker, own->second);
  }
  return owner;
}

} // namespace

bool ProgramRunner::go_round(int back, StepFactor factor)
{
  ProgramState& state = states_.front();
  const std::vector<Operation>& operations = state.program->operations;
  const std::vector<std::size_t> first = beginnings(*state.program);
  const std::size_t steps = first.empty() ? 0 : first.size() - 1;
  const auto prelude = static_cast<std::size_t>(back) + 1;
  if (states_.size() != 1 || steps < 2 * prelude)
    return false;
  const std::size_t size = first[2] - first[1];
  for (std::size_t step = 1; step < steps; ++step)
    if (first[step + 1] - first[step] != size)
      return false;
  const std::size_t from = first[prelude];
  std::vector<std::pair<std::size_t, int>> again; // an operation, and what waits for it in the next round
  for (std::size_t i = from; i < operations.size(); ++i) {
    const Operation &operation = operations[i], &before = operations[i - size];
    if (operation.after.empty() || operation.worker != before.worker || operation.role != before.role ||
        operation.work.index() != before.work.index())
      return false;
    for (const OperationId waited : operation.after) {
      const auto index = static_cast<std::size_t>(waited.index);
      if (index < first[1]) // the first step may have more operations than others
        return false;
      if (index < from)
        again.emplace_back(index + (operations.size() - from), static_cast<int>(i));
    }
  }
  const std::map<int, int> owner = owners(std::span{operations}.subspan(from, size), from);
  int workers = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto own = owner.find(operations[i].worker);
    if (own == owner.end())
      return false;
    Task& task = state.tasks[i];
    task.worker = own->second;
    workers = std::max(workers, own->second + 1);
    if (std::holds_alternative<StepEnd>(operations[i].work))
      task.part = Task::Part::end;
    else if (operations[i].role == Role::pull && own->second >= 0)
      task.part = Task::Part::pull;
  }
  make_followers(state, again);
  state.goes_round_from = from;
  rounds_ = {.size = size,
             .back = back,
             .factor = std::move(factor),
             .pulls_ahead = pulls_ahead(*state.program),
             .pulled = std::vector<Rounds::Pulled>(static_cast<std::size_t>(workers))};
  return true;
}

const bool& ProgramRunner::have_ended(std::size_t steps)
{
  rounds_.to_end = steps;
  rounds_.have_ended = steps == 0;
  return rounds_.have_ended;
}

const bool& ProgramRunner::note_steps()
{
  // What a step begins with may have been done while earlier ones were under way: as far back as operations look.
  const int begun = rounds_.back + 1;
  const StepProgram& program = *states_.front().program;
  int furthest = 0;
  for (const auto& [worker, ends] : rounds_.done.ends)
    furthest = std::max(furthest, static_cast<int>(ends.size()));
  const bool together = std::ranges::any_of(program.operations, [](const Operation& one) { return one.worker < 0; });
  for (const auto& [worker, ends] : rounds_.done.ends)
    rounds_.first_noted[worker] = begun + (together ? furthest : static_cast<int>(ends.size()));
  if (together)
    rounds_.first_noted[-1] = begun + furthest;
  rounds_.noted.assign(program.operations.size(), {});
  rounds_.to_note = rounds_.size * static_cast<std::size_t>(program.steps);
  rounds_.all_noted = false;
  return rounds_.all_noted;
}

double ProgramRunner::factor_in_round(const ProgramState& state, std::size_t operation)
{
  const Operation& computing = state.program->operations[operation];
  if (computing.worker < 0)
    return 1;
  const auto worker = static_cast<std::size_t>(computing.worker);
  if (worker >= rounds_.drawn.size())
    rounds_.drawn.resize(worker + 1, {-1, 1.0});
  const auto in_rounds = static_cast<int>((state.tasks.size() - state.goes_round_from) / rounds_.size);
  const int step = computing.step + state.tasks[operation].times * in_rounds;
  auto& [drawn, factor] = rounds_.drawn[worker];
  if (std::exchange(drawn, step) != step)
    factor = rounds_.factor(computing.worker, step);
  return factor;
}

/// An operation has ended: it counts, and it may be one of those to be noted.
void ProgramRunner::note_round(ProgramState& state, std::size_t operation)
{
  Task& task = state.tasks[operation];
  const int round = task.times++;
  const auto number = [&] { // of the step; from the end, because the first step of a program has more operations
    const auto in_rounds = static_cast<int>((state.tasks.size() - state.goes_round_from) / rounds_.size); // steps
    const std::size_t to_end = state.tasks.size() - 1 - operation;
    return std::max(0, state.program->steps - 1 - static_cast<int>(to_end / rounds_.size)) + round * in_rounds;
  };
  const bool step_ends = task.part == Task::Part::end;
  const auto by_others = [&] {
    const auto own = rounds_.done.ends.find(task.worker);
    return rounds_.ended - static_cast<int>(own == rounds_.done.ends.end() ? 0 : own->second.size());
  };
  if (task.part == Task::Part::pull) {
    Rounds::Pulled& pulled = rounds_.pulled[static_cast<std::size_t>(task.worker)];
    const int step = number();
    if (std::exchange(pulled.step, step) != step)
      pulled.before = pulled.ended;
    pulled.ended = by_others();
  }
  if (step_ends) {
    const Rounds::Pulled& pulled = rounds_.pulled[static_cast<std::size_t>(task.worker)];
    const bool with_before = rounds_.pulls_ahead && pulled.step == number();
    rounds_.done.stale[task.worker].push_back(by_others() - (with_before ? pulled.before : pulled.ended));
    rounds_.done.ends[task.worker].push_back(state.end[operation]);
    ++rounds_.ended;
    if (rounds_.to_end > 0)
      rounds_.have_ended = --rounds_.to_end == 0;
  }
  if (rounds_.to_note == 0)
    return;
  const auto first = rounds_.first_noted.find(task.worker);
  if (first == rounds_.first_noted.end())
    return;
  if (step_ends && std::ranges::all_of(rounds_.first_noted, [&](const auto& one) {
        const auto ends = rounds_.done.ends.find(one.first);
        return ends == rounds_.done.ends.end() ||
               static_cast<int>(ends->second.size()) > one.second + state.program->steps + rounds_.back + 1;
      }))
    throw std::logic_error{"steps of job '" + state.program->job + "' do not go round"};
  const int step = number() - first->second;
  if (step < 0 || step >= state.program->steps)
    return;
  const std::size_t behind = (state.tasks.size() - 1 - operation) % rounds_.size;
  const std::size_t there =
      state.tasks.size() - 1 - behind - rounds_.size * static_cast<std::size_t>(state.program->steps - 1 - step);
  rounds_.noted[there] = {OperationId{static_cast<int>(there)}, Seconds{state.begin[operation]},
                          Seconds{state.end[operation]}};
  rounds_.all_noted = --rounds_.to_note == 0;
}

std::pair<StepTrace, std::map<int, Seconds>> ProgramRunner::noted_steps() const
{
  const ProgramState& state = states_.front();
  std::map<int, Seconds> begins; // by worker: when its step before these ends
  Seconds begin{std::numeric_limits<double>::infinity()};
  for (const auto& [worker, ends] : rounds_.done.ends)
    begins[worker] = Seconds{ends[static_cast<std::size_t>(rounds_.first_noted.at(worker)) - 1]};
  // Some of a step may begin before the one before it has ended.
  for (std::size_t i = 0; i < rounds_.noted.size(); ++i)
    if (const auto late = begins.find(state.program->operations[i].worker);
        rounds_.noted[i].operation.index < 0 && late != begins.end())
      for (const int next : followers_of(state, state.tasks[i]))
        late->second = std::min(late->second, rounds_.noted[static_cast<std::size_t>(next)].begin);
  for (const auto& [worker, time] : begins)
    begin = std::min(begin, time);
  for (auto& [worker, time] : begins)
    time -= begin;
  StepTrace trace = trace_of(0);
  std::vector<std::vector<std::pair<double, double>>> flows(uses_.size()); // by capacity: from when until when
  trace.begin = trace.end = Seconds{};
  for (std::size_t i = 0; i < trace.spans.size(); ++i) {
    Span span = rounds_.noted[i];
    const Operation& operation = state.program->operations[i];
    if (span.operation.index < 0) { // what keeps a worker from beginning
      const auto late = begins.find(operation.worker);
      span = {OperationId{static_cast<int>(i)}, begin, begin + (late != begins.end() ? late->second : Seconds{})};
    }
    span.begin = std::max(Seconds{}, span.begin - begin);
    span.end = std::max(Seconds{}, span.end - begin);
    trace.spans[i] = span;
    trace.end = std::max(trace.end, span.end);
    const Task& task = state.tasks[i];
    if (task.kind != Task::Kind::message || !is_flow(task.plan, task.bytes))
      continue;
    const Way& way = ways_[static_cast<std::size_t>(task.plan)];
    for (std::size_t link = 0; link < route_of(way).links.size(); ++link)
      flows[way_uses_[way.uses + link]].emplace_back(std::min(span.end.value(), span.begin.value() + task.seconds),
                                                     span.end.value());
  }
  const auto busy = [&](std::size_t use) {
    std::ranges::sort(flows[use]);
    double time = 0, until = 0;
    for (const auto& [from, to] : flows[use]) {
      time += std::max(0.0, to - std::max(from, until));
      until = std::max(until, to);
    }
    return Seconds{time};
  };
  std::size_t use = state.first_use;
  for (LinkUse& link : trace.links)
    link.busy = busy(use++);
  for (ResourceUse& resource : trace.resources)
    resource.busy = busy(use++);
  return {std::move(trace), std::move(begins)};
}

} // namespace trainyard
