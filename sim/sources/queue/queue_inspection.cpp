// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_inspection.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_listed = 200; // of each kind

struct Stopped {
};

Json time_or_null(Instant time)
{
  return is_finite(time) ? Json(time.value()) : Json();
}

/// Keeps what happens in an instant, and puts the state together where it is asked for.
class QueueWatch
{
public:
  QueueWatch(const Workload& workload, const ClusterShape& shape, const std::string& label, const InstantVisit& visit)
      : workload_{workload}, shape_{shape}, label_{label}, visit_{visit}
  {
  }

  void begin(const ClusterView& view, QueuePolicy& policy)
  {
    view_ = &view;
    policy_ = &policy;
  }
  void arrived(JobId id)
  {
    if (!deciding_)
      note("arrives", id);
  }
  void stopped(JobId id)
  {
    if (!deciding_)
      stopped_.push_back(id);
  }
  void decides()
  {
    deciding_ = true;
    ++decisions_;
    reasons_.clear();
    blocked_.clear();
  }
  void decided() { deciding_ = false; }
  void does(const char* what, JobId id, bool done)
  {
    ++done_count_;
    if (done_.size() < most_listed)
      done_.push_back({what, id, done});
    if (!done)
      blocked_.push_back(id);
  }
  void holds(JobId id, WaitReason reason, JobId blocker, Instant planned)
  {
    reasons_[id.index] = {reason, blocker, planned};
  }
  void wakes(Instant time)
  {
    ++wakes_[time];
    if (wakes_.size() > 100'000)
      wakes_.erase(wakes_.begin());
  }

  /// Between two instants.
  void instant(std::optional<Instant> outside)
  {
    if (view_ == nullptr)
      return;
    outside_ = outside;
    const bool go_on = visit_(view_->now(), false, [this] { return state(); });
    ++instants_;
    done_.clear();
    happened_.clear();
    stopped_.clear();
    done_count_ = 0;
    if (!go_on)
      throw Stopped{};
  }

  void ended(const SchedulingResult& result, Instant last)
  {
    visit_(last, true, [&] {
      Json json = head(last, true);
      json["finished"] = result.finished;
      json["never_ran"] = result.impossible + result.stalled;
      return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    });
  }

private:
  struct Held {
    WaitReason reason = WaitReason::none;
    JobId blocker;
    Instant planned{-1};
  };
  struct Deed {
    const char* what = "";
    JobId job;
    bool done = true;
  };

  void note(const char* what, JobId id)
  {
    if (happened_.size() < most_listed)
      happened_.push_back({what, id, true});
  }

  Json head(Instant now, bool ended) const
  {
    return {{"event", "state"},
            {"kind", "queue"},
            {"policy", label_},
            {"time_s", now.value()},
            {"ended", ended},
            {"instants", instants_},
            {"decisions", decisions_},
            {"jobs", workload_.size()},
            {"gpus", shape_.total_gpus()},
            {"free_gpus", ended ? shape_.total_gpus() : view_->cluster().free_gpus()}};
  }

  std::string place_of(const Allocation& held) const
  {
    std::string text;
    for (const TaskShare& share : held.shares) {
      if (text.size() > 200)
        return text + ", …";
      const auto node = static_cast<std::size_t>(share.node);
      text += (text.empty() ? "" : ", ") +
              (node < shape_.nodes.size() ? shape_.nodes[node].name : std::to_string(share.node));
      if (share.gpus() > 0)
        text += " ×" + std::to_string(share.gpus());
    }
    return text;
  }

  Json events() const
  {
    struct Event {
      Instant time;
      JobId job;
      const char* what;
    };
    std::vector<Event> list;
    for (const JobId id : view_->running()) {
      const JobState& job = view_->state(id);
      const bool saves = is_finite(job.end) && !job.killed;
      list.push_back({saves ? job.end + view_->saving_ahead(id, view_->work_left(id)) : job.end, id, "ends"});
    }
    const auto next = next_submission();
    for (std::size_t i = next; i < workload_.jobs.size() && i < next + most_listed; ++i)
      list.push_back({workload_.jobs[i].submit, JobId{static_cast<int>(i)}, "arrives"});
    for (auto it = wakes_.upper_bound(view_->now()); it != wakes_.end(); ++it)
      list.push_back({it->first, {}, "policy decides again"});
    if (outside_)
      list.push_back({*outside_, {}, "failure or repair"});
    std::ranges::stable_sort(list, [](const Event& a, const Event& b) { return a.time < b.time; });
    if (list.size() > most_listed)
      list.resize(most_listed);
    Json json = Json::array();
    for (const Event& event : list)
      json.push_back({{"time_s", time_or_null(event.time)},
                      {"job", event.job ? workload_.name(event.job) : ""},
                      {"what", event.what}});
    return json;
  }

  std::size_t next_submission() const
  {
    if (instants_ == 0)
      return 0;
    const auto found = std::upper_bound(workload_.jobs.begin(), workload_.jobs.end(), view_->now(),
                                        [](Instant time, const TraceJob& job) { return time < job.submit; });
    return static_cast<std::size_t>(found - workload_.jobs.begin());
  }

  Json running() const
  {
    std::vector<JobId> list{view_->running().begin(), view_->running().end()};
    std::ranges::sort(list, [&](JobId a, JobId b) {
      return std::tuple{view_->state(a).end, a.index} < std::tuple{view_->state(b).end, b.index};
    });
    Json json = Json::array();
    for (const JobId id : list) {
      if (json.size() >= most_listed)
        break;
      const JobState& state = view_->state(id);
      const double whole = workload_.job(id).duration.value();
      json.push_back({{"job", workload_.name(id)},
                      {"gpus", state.held.gpus},
                      {"from_s", state.last_start.value()},
                      {"end_s", time_or_null(state.end)},
                      {"done", whole > 0 ? std::clamp(1 - view_->work_left(id).value() / whole, 0.0, 1.0) : 1.0},
                      {"speed", state.speed},
                      {"where", place_of(state.held)}});
    }
    return json;
  }

  Json waiting() const
  {
    std::vector<JobId> list{view_->waiting().begin(), view_->waiting().end()};
    std::ranges::sort(list, [&](JobId a, JobId b) {
      return std::tuple{view_->state(a).ready, a.index} < std::tuple{view_->state(b).ready, b.index};
    });
    Json json = Json::array();
    for (const JobId id : list) {
      if (json.size() >= most_listed)
        break;
      const auto [reason, blocker, planned] = reason_of(id);
      json.push_back({{"job", workload_.name(id)},
                      {"gpus", workload_.job(id).gpus},
                      {"since_s", view_->state(id).ready.value()},
                      {"estimate_s", workload_.job(id).estimate.value()},
                      {"why", reason == WaitReason::none ? "" : to_text(reason)},
                      {"blocker", blocker_name(workload_, blocker)},
                      {"planned_s", planned >= Instant{0} ? time_or_null(planned) : Json()}});
    }
    return json;
  }

  /// The reason from the policy; else what the cluster is short of; else that the policy prefers others.
  Held reason_of(JobId id) const
  {
    if (const auto found = reasons_.find(id.index); found != reasons_.end())
      return found->second;
    const ResourceRequest request = request_of(workload_.job(id), policy_->least_gpus(workload_.job(id)));
    const WaitReason usual = policy_->usual_reason();
    const bool by_order = usual == WaitReason::behind_head || usual == WaitReason::reservation;
    if (by_order && !blocked_.empty() && blocked_.front() != id)
      return {usual, blocked_.front()};
    if (request.gpus() > view_->cluster().free_gpus() || std::ranges::find(blocked_, id) != blocked_.end())
      return {view_->cluster().reason(request)};
    return {decisions_ == 0 ? WaitReason::next_decision : usual};
  }

  std::string state() const
  {
    Json json = head(view_->now(), false);
    std::size_t running_gpus = 0;
    for (const JobId id : view_->running())
      running_gpus += static_cast<std::size_t>(view_->state(id).held.gpus);
    json["running_gpus"] = running_gpus;
    json["event_count"] = view_->running().size() + (workload_.jobs.size() - next_submission()) +
                          static_cast<std::size_t>(std::distance(wakes_.upper_bound(view_->now()), wakes_.end())) +
                          (outside_ ? 1 : 0);
    json["running_count"] = view_->running().size();
    json["waiting_count"] = view_->waiting().size();
    json["decided_count"] = done_count_;
    json["events"] = events();
    json["running"] = running();
    json["waiting"] = waiting();
    Json happened = Json::array();
    for (const JobId id : stopped_) {
      const JobPhase phase = view_->state(id).phase;
      happened.push_back({{"job", workload_.name(id)},
                          {"what", phase == JobPhase::finished  ? "ends"
                                   : phase == JobPhase::waiting ? "fails and waits again"
                                                                : "is given up"}});
    }
    for (const Deed& deed : happened_)
      if (std::ranges::find(stopped_, deed.job) == stopped_.end())
        happened.push_back({{"job", workload_.name(deed.job)}, {"what", deed.what}});
    json["happened"] = std::move(happened);
    json["decided"] = Json::array();
    for (const Deed& deed : done_) {
      Json one = {{"do", deed.what}, {"job", workload_.name(deed.job)}, {"done", deed.done}};
      const JobState& job = view_->state(deed.job);
      if (deed.done && job.phase == JobPhase::running)
        one["where"] = place_of(job.held);
      if (!deed.done)
        one["why"] = to_text(
            view_->cluster().reason(request_of(workload_.job(deed.job), policy_->least_gpus(workload_.job(deed.job)))));
      json["decided"].push_back(std::move(one));
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  const Workload& workload_;
  const ClusterShape& shape_;
  const std::string& label_;
  const InstantVisit& visit_;
  const ClusterView* view_ = nullptr;
  const QueuePolicy* policy_ = nullptr;
  bool deciding_ = false;
  long instants_ = 0;
  long decisions_ = 0;
  std::size_t done_count_ = 0;
  std::vector<Deed> done_;     // by the policy, in this instant
  std::vector<Deed> happened_; // to the queue
  std::vector<JobId> stopped_; // ended or failed
  std::vector<JobId> blocked_; // that the policy tried to start without success
  std::unordered_map<int, Held> reasons_;
  std::map<Instant, int> wakes_;
  std::optional<Instant> outside_;
};

/// Passes everything on, and notes it.
class WatchedDecisions final : public Decisions
{
public:
  WatchedDecisions(Decisions& decisions, QueueWatch& watch) : decisions_{decisions}, watch_{watch} {}

  bool start(JobId id, int gpus, int gpu_type) override
  {
    const bool done = decisions_.start(id, gpus, gpu_type);
    watch_.does("start", id, done);
    return done;
  }
  void start_at(JobId id, Allocation place) override
  {
    decisions_.start_at(id, std::move(place));
    watch_.does("start", id, true);
  }
  void withdraw(JobId id, WaitReason reason) override
  {
    decisions_.withdraw(id, reason);
    watch_.does("withdraw", id, true);
  }
  void preempt(JobId id) override
  {
    decisions_.preempt(id);
    watch_.does("preempt", id, true);
  }
  bool resize(JobId id, int gpus) override
  {
    const bool done = decisions_.resize(id, gpus);
    watch_.does("resize", id, done);
    return done;
  }
  bool fits_without(JobId id, std::span<const JobId> stopped) override { return decisions_.fits_without(id, stopped); }
  void hold(JobId id, WaitReason reason, JobId blocker, Instant planned) override
  {
    decisions_.hold(id, reason, blocker, planned);
    watch_.holds(id, reason, blocker, planned);
  }
  std::optional<Allocation> preview(JobId id, std::span<const ClosedNodes> closed) override
  {
    return decisions_.preview(id, closed);
  }
  bool wants_reasons() const override { return true; } // the observer reads them
  void wake_at(Instant time) override
  {
    decisions_.wake_at(time);
    watch_.wakes(time);
  }

private:
  Decisions& decisions_;
  QueueWatch& watch_;
};

class WatchedPolicy final : public QueuePolicy
{
public:
  WatchedPolicy(QueuePolicy& policy, QueueWatch& watch) : policy_{policy}, watch_{watch} {}

  void begin(const ClusterView& cluster) override
  {
    watch_.begin(cluster, policy_);
    policy_.begin(cluster);
  }
  void arrived(const ClusterView& cluster, JobId id) override
  {
    watch_.arrived(id);
    policy_.arrived(cluster, id);
  }
  void started(const ClusterView& cluster, JobId id) override { policy_.started(cluster, id); }
  void stopped(const ClusterView& cluster, JobId id) override
  {
    watch_.stopped(id);
    policy_.stopped(cluster, id);
  }
  void speed_changed(const ClusterView& cluster, JobId id) override { policy_.speed_changed(cluster, id); }
  void withdrawn(const ClusterView& cluster, JobId id) override { policy_.withdrawn(cluster, id); }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    WatchedDecisions watched{decisions, watch_};
    watch_.decides();
    policy_.decide(cluster, watched);
    watch_.decided();
  }
  WaitReason usual_reason() const override { return policy_.usual_reason(); }
  bool one_type() const override { return policy_.one_type(); }
  bool resizes() const override { return policy_.resizes(); }
  bool unlike_tasks() const override { return policy_.unlike_tasks(); }
  std::string never_starts(const ClusterView& cluster, JobId id) override { return policy_.never_starts(cluster, id); }

private:
  QueuePolicy& policy_;
  QueueWatch& watch_;
};

/// The queue asks for the next outside event before every instant, when all of the one before is done: the moment to
/// look.
class WatchedEvents final : public ClusterEvents
{
public:
  WatchedEvents(ClusterEvents* events, QueueWatch& watch) : events_{events}, watch_{watch} {}

  std::optional<Instant> next() const override
  {
    const std::optional<Instant> time = events_ == nullptr ? std::nullopt : events_->next();
    watch_.instant(time);
    return time;
  }
  void fire(ClusterControl& control) override
  {
    if (events_ != nullptr)
      events_->fire(control);
  }

private:
  ClusterEvents* events_;
  QueueWatch& watch_;
};

} // namespace

void inspect_queue(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy, PlacementPolicy* placement,
                   const SchedulingOptions& options, const std::string& label, const InstantVisit& visit)
{
  QueueWatch watch{workload, shape, label, visit};
  WatchedPolicy watched{policy, watch};
  WatchedEvents events{options.events, watch};
  SchedulingOptions how = options;
  how.events = &events;
  try {
    const SchedulingResult result = simulate_queue(workload, shape, watched, placement, how);
    watch.ended(result, result.makespan);
  } catch (const Stopped&) { // asked to
  }
}

} // namespace trainyard
