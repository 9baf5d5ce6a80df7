// SPDX-License-Identifier: Apache-2.0
/// Runs that programs join while they go on, for executors that run a fixed set of programs.
#include "sim/step/engine/executor.hpp"

#include "sim/step/engine/program_runner.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace trainyard {
namespace {

/// Programs that share links, directly or through others, are run together from their starts on, again after each new
/// one that was not expected. Those that have ended stay among them as long as one of the others runs.
class ReplayedRun final : public OpenRun
{
public:
  ReplayedRun(const Cluster& cluster, const Executor& executor, std::vector<Coming> expected = {})
      : cluster_{cluster}, executor_{executor}, expected_{std::move(expected)}
  {
  }

  double now() const override { return now_; }

  int add(const StepProgram& program, int like) override
  {
    const bool foreseen =
        next_ < expected_.size() && expected_[next_].start == now_ && expected_[next_].program == program;
    if (!foreseen)
      expect_nothing();
    const int number = join(program, now_, like);
    if (foreseen)
      of(number).trace = foreseen_trace();
    else
      simulate(of(number).set);
    return number;
  }

  std::vector<int> advance(double until) override
  {
    double next = next_end(until);
    if (next_ > 0 && next_ < expected_.size() && expected_[next_].start < next) {
      expect_nothing(); // it has not come
      next = next_end(until);
    }
    if (next < std::numeric_limits<double>::infinity())
      now_ = std::max(now_, next);
    std::vector<int> ended;
    for (const auto& [set, members] : sets_)
      for (const int member : members)
        if (Member& one = of(member); !one.ended && one.trace.end.value() <= now_) {
          one.ended = true;
          ended.push_back(member);
        }
    std::ranges::sort(ended);
    return ended;
  }

  StepTrace take(int program) override
  {
    StepTrace trace = of(program).trace;
    of(program).taken = true;
    let_go(of(program).set);
    return trace;
  }

  std::vector<double> remove(int program) override
  {
    expect_nothing();
    Member& member = of(program);
    std::vector<double> shares = shares_at(member.trace, now_);
    member.ended = member.taken = true;
    sets_[member.set].erase(program);
    let_go(member.set);
    return shares;
  }

private:
  struct Member {
    const StepProgram* program = nullptr;
    double start = 0; // s
    int like = -1;
    int set = 0;
    bool ended = false;
    bool taken = false; // by the caller
    StepProgram kept{}; // once the caller may have let go of it
    StepTrace trace{};
  };

  Member& of(int member) { return members_[static_cast<std::size_t>(member)]; }

  /// Or @p until, where that is before.
  double next_end(double until)
  {
    for (const auto& [set, members] : sets_)
      for (const int member : members)
        if (const Member& one = of(member); !one.ended)
          until = std::min(until, std::max(one.trace.end.value(), now_));
    return until;
  }

  /// The program starts at @p start, and belongs to those with which it shares links.
  int join(const StepProgram& program, double start, int like)
  {
    const auto number = static_cast<int>(members_.size());
    members_.push_back({.program = &program, .start = start, .like = like, .set = number});
    planner_.restart();
    std::set<int> links;
    for (const int route : planner_.routes_of(planner_.plan_only(program)))
      for (const int link : planner_.routes().route(route).links)
        if (static_cast<std::size_t>(link) < cluster_.links().size())
          links.insert(link);
    std::vector<int> met;
    for (const auto& [set, theirs] : links_)
      if (std::ranges::any_of(links, [&theirs = theirs](int link) { return theirs.contains(link); }))
        met.push_back(set);
    sets_[number] = {number};
    links_[number] = std::move(links);
    for (const int other : met) {
      for (const int joined : sets_[other])
        members_[static_cast<std::size_t>(joined)].set = number;
      sets_[number].insert(sets_[other].begin(), sets_[other].end());
      links_[number].insert(links_[other].begin(), links_[other].end());
      sets_.erase(other);
      links_.erase(other);
    }
    return number;
  }

  /// Of the next program that is expected: all that are, are run at the first.
  StepTrace foreseen_trace()
  {
    if (next_ == 0) {
      ReplayedRun all{cluster_, executor_};
      for (const Coming& coming : expected_)
        all.join(coming.program, coming.start, coming.like);
      for (const auto& [set, together] : all.sets_)
        all.simulate(set);
      for (Member& member : all.members_)
        foreseen_.push_back(std::move(member.trace));
    }
    return std::move(foreseen_[next_++]);
  }

  /// Something else has come than was expected: what runs goes on without those that were to come.
  void expect_nothing()
  {
    const bool any = next_ > 0;
    expected_.clear();
    foreseen_.clear();
    next_ = 0;
    if (any)
      for (const auto& [set, together] : sets_)
        if (std::ranges::any_of(together, [this](int member) { return !of(member).ended; }))
          simulate(set);
  }

  /// Forgets programs that have met, once all of them have been taken.
  void let_go(int set)
  {
    const auto found = sets_.find(set);
    if (found == sets_.end())
      return;
    if (std::ranges::any_of(found->second, [this](int member) { return !of(member).taken; })) {
      for (const int member : found->second)
        if (Member& one = of(member); one.taken && one.program != &one.kept) {
          one.kept = *one.program;
          one.program = &one.kept;
        }
      return;
    }
    for (const int member : found->second)
      of(member) = Member{.ended = true, .taken = true};
    sets_.erase(found);
    links_.erase(set);
  }

  void simulate(int set)
  {
    const std::set<int>& together = sets_.at(set);
    double begin = std::numeric_limits<double>::infinity();
    for (const int member : together)
      begin = std::min(begin, of(member).start);
    std::vector<ProgramRun> runs;
    runs.reserve(together.size());
    for (const int member : together)
      runs.push_back({of(member).program, Seconds{of(member).start - begin}});
    const Member& first = of(*together.begin());
    const bool lone = together.size() == 1 && first.like >= 0;
    const std::pair like{first.like, first.program->operations.size()};
    const auto known = lone ? alone_.find(like) : alone_.end();
    std::vector<StepTrace> traces =
        known != alone_.end() ? std::vector<StepTrace>{known->second} : executor_.run(cluster_, runs);
    if (lone && known == alone_.end())
      alone_[like] = traces.front();
    auto trace = traces.begin();
    for (const int member : together) {
      StepTrace& own = of(member).trace = std::move(*trace++);
      shift(own, Seconds{begin});
    }
  }

  const Cluster& cluster_;
  const Executor& executor_;
  ProgramRunner planner_{cluster_, {}, CollectiveStyle::pipelined};
  double now_ = 0;
  std::deque<Member> members_;
  std::map<int, std::set<int>> sets_;                      // that may have met, by the latest of each
  std::map<int, std::set<int>> links_;                     // that they use
  std::map<std::pair<int, std::size_t>, StepTrace> alone_; // by what they are like, and their operations
  std::vector<Coming> expected_;
  std::vector<StepTrace> foreseen_; // of those, once the first of them has come
  std::size_t next_ = 0;            // of those
};

} // namespace

std::unique_ptr<OpenRun> Executor::open(const Cluster& cluster, std::vector<Coming> expected) const
{
  return std::make_unique<ReplayedRun>(cluster, *this, std::move(expected));
}

StepProgram rest_of(const StepProgram& program, std::span<const double> shares)
{
  StepProgram rest = program;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0)
      continue;
    Work& work = rest.operations[i].work;
    const double left = 1 - shares[i];
    if (shares[i] >= 1) {
      if (!std::holds_alternative<StepEnd>(work))
        work = Compute{};
      rest.operations[i].lanes.clear();
    } else if (auto* compute = std::get_if<Compute>(&work)) {
      compute->duration *= left;
    } else if (auto* host = std::get_if<HostWork>(&work)) {
      host->duration *= left;
    } else if (auto* copy = std::get_if<Copy>(&work)) {
      copy->bytes *= left;
    } else if (auto* transfer = std::get_if<Transfer>(&work)) {
      transfer->bytes *= left;
    } else if (auto* call = std::get_if<Boxed<CollectiveCall>>(&work)) {
      (**call).payload *= left;
      (**call).start_up = {};
    }
  }
  return rest;
}

void shift(StepTrace& trace, Seconds by)
{
  trace.begin += by;
  trace.end += by;
  for (Span& span : trace.spans) {
    span.begin += by;
    span.end += by;
  }
}

std::vector<double> shares_at(const StepTrace& trace, double time)
{
  std::vector<double> shares;
  shares.reserve(trace.spans.size());
  for (const Span& span : trace.spans) {
    const double begin = span.begin.value(), end = span.end.value();
    shares.push_back(time >= end ? 1 : time > begin ? (time - begin) / (end - begin) : 0);
  }
  return shares;
}

} // namespace trainyard
