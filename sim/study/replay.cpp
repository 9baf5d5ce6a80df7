// SPDX-License-Identifier: Apache-2.0
// Each week is replayed by itself: jobs that start before it do so as the record says, and from its beginning on a
// policy decides. So a prediction knows what an administrator knows on Monday: who runs and who waits; of the week
// itself it reads submissions, run times and limits (a replay's input), and standstills of the machine.
//
// Two things the log does not say are looked for in the weeks before: the policy, and which share of the machine jobs
// really get (machines that are down, kept apart, or too fragmented for what waits). Last week's mean of the same class
// knows what no replay can: held and chained jobs. The mean of the five best mixtures is the prediction: one alone
// follows the chance of a few weeks. Those that are more than twice as far off as the best are not among them. What a
// week's own jobs say never chooses for that week.
#include "sim/study/replay_parts.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/statistics.hpp"
#include "models/core/text.hpp"
#include "models/scenario/yaml_edit.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/sources/queue/site_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace trainyard {
namespace {

constexpr double week = replay_week, hour = 3600;
constexpr double least_standstill = 4 * hour;
constexpr int least_jobs = 30; // of a week that counts
constexpr std::array<double, 9> usable_shares = {1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5};
constexpr std::array<double, 5> last_week_shares = {0, 0.25, 0.5, 0.75, 1};
constexpr std::size_t mixed = 5;        // models whose mean is the prediction
constexpr double nearly_as_good = 0.01; // added to twice the least error: candidates beyond are left out of the mean
constexpr int remembered = 13;          // weeks that choose them: rules and machines change
constexpr std::int64_t filler = -2;     // row of a job that stands for a part of the machine that jobs do not get

double submit(const RecordedQueue& log, std::size_t i)
{
  return log.submit(i);
}
double start(const RecordedQueue& log, std::size_t i)
{
  return log.start(i);
}
double end(const RecordedQueue& log, std::size_t i)
{
  return log.end(i);
}
int week_of(const RecordedQueue& log, std::size_t i)
{
  return static_cast<int>(submit(log, i) / week);
}

/// Starts jobs as recorded until a moment, and lets a policy decide from then on, except in standstills. Fillers
/// take the part of the machine that jobs do not get, as soon as it is free.
class FromRecord final : public QueuePolicy
{
public:
  /// @p asked: jobs whose start is asked for; once all have started nobody decides any more.
  FromRecord(std::unique_ptr<QueuePolicy> policy, std::vector<Instant> starts, Instant from,
             std::vector<std::pair<Instant, Instant>> closed, std::set<JobId> asked)
      : policy_{std::move(policy)}, starts_{std::move(starts)}, from_{from}, closed_{std::move(closed)}, asked_{
                                                                                                             std::move(
                                                                                                                 asked)}
  {
  }
  void begin(const ClusterView& cluster) override { policy_->begin(cluster); }
  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (is_filler(cluster, id))
      fillers_.push_back(id);
    else if (recorded(id))
      due_.emplace(starts_[static_cast<std::size_t>(id.index)], id);
    else
      policy_->arrived(cluster, id);
  }
  void started(const ClusterView& cluster, JobId id) override
  {
    asked_.erase(id);
    if (!is_filler(cluster, id))
      policy_->started(cluster, id);
  }
  void stopped(const ClusterView& cluster, JobId id) override
  {
    if (!is_filler(cluster, id))
      policy_->stopped(cluster, id);
  }
  void speed_changed(const ClusterView& cluster, JobId id) override
  {
    if (!is_filler(cluster, id))
      policy_->speed_changed(cluster, id);
  }
  void withdrawn(const ClusterView& cluster, JobId id) override { policy_->withdrawn(cluster, id); }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    while (!due_.empty() && due_.begin()->first <= cluster.now()) {
      const JobId id = due_.begin()->second;
      due_.erase(due_.begin());
      policy_->arrived(cluster, id);
      policy_->withdrawn(cluster, id); // it is not the policy that starts it
      decisions.start(id);
    }
    std::erase_if(fillers_, [&](JobId id) { return decisions.start(id); });
    if (!due_.empty())
      return decisions.wake_at(due_.begin()->first);
    if (cluster.now() < from_) {
      decisions.wake_at(from_);
      return;
    }
    for (const auto& [from, until] : closed_)
      if (from <= cluster.now() && cluster.now() < until)
        return decisions.wake_at(until);
    if (!asked_.empty())
      policy_->decide(cluster, decisions);
  }
  WaitReason usual_reason() const override { return policy_->usual_reason(); }

private:
  static bool is_filler(const ClusterView& cluster, JobId id) { return cluster.job(id).row == filler; }
  bool recorded(JobId id) const { return starts_[static_cast<std::size_t>(id.index)] < from_; }

  std::unique_ptr<QueuePolicy> policy_;
  std::vector<Instant> starts_; // by job
  Instant from_;
  std::vector<std::pair<Instant, Instant>> closed_;
  std::set<JobId> asked_;
  std::vector<JobId> fillers_;
  std::set<std::pair<Instant, JobId>> due_;
};

/// Predicted waits of the weeks from @p first to before @p last, by job.
void replay_weeks(const RecordedQueue& log, const ReplayModel& model, const std::vector<Standstill>& standstills,
                  int first, int last, std::vector<double>& waits)
{
  for (int w = first; w < last; ++w) {
    const double from = w * week, next = from + week;
    for (const auto& [job, wait] : replay_from(log, jobs_around(log, from, next + week, next), model, from,
                                               next + 2 * week, usable_gpus(log, model), standstills))
      waits[static_cast<std::size_t>(job)] = std::max(0.0, wait);
  }
}

/// Mean wait of the jobs of the same class that started in the last week before that of the submission with any start;
/// with fewer than five of them those of the size, then all.
std::vector<double> last_weeks(const RecordedQueue& log)
{
  using Sum = std::pair<int, double>;
  std::map<int, std::map<int, Sum>> started; // by week, by class (or -1 - size, or 100: all)
  const auto keys = [&](std::size_t i) {
    const int cls = class_of(log, i);
    return std::array<int, 3>{cls, -1 - cls / 4, 100};
  };
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    for (const int key : keys(i)) {
      Sum& sum = started[static_cast<int>(start(log, i) / week)][key];
      ++sum.first;
      sum.second += log.waits[i];
    }
  std::vector<double> means(log.waits.size(), -1);
  for (std::size_t i = 0; i < log.waits.size(); ++i) {
    auto before = started.lower_bound(week_of(log, i));
    if (before == started.begin())
      continue;
    --before;
    for (const int key : keys(i)) {
      const auto found = before->second.find(key);
      if (found != before->second.end() && (found->second.first >= 5 || key == 100)) {
        means[i] = found->second.second / found->second.first;
        break;
      }
    }
  }
  return means;
}

struct Sums {
  int jobs = 0;
  double real = 0, predicted = 0;
};

/// Sum of differences over that of the record, of groups of enough jobs; of all groups where none has enough. NaN where
/// nobody waited: any prediction of 0 would be perfect.
double share_off(const std::map<int, Sums>& groups, int* counted = nullptr)
{
  for (const int least : {least_jobs, 1}) {
    double off = 0, real = 0;
    int number = 0;
    for (const auto& [key, sums] : groups)
      if (sums.jobs >= least) {
        off += std::abs(sums.predicted - sums.real);
        real += sums.real;
        ++number;
      }
    if (counted != nullptr)
      *counted = number;
    if (number > 0 && real > 0)
      return off / real;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> mixture(const std::vector<double>& replay, const std::vector<double>& last_week, double share)
{
  std::vector<double> waits(replay.size(), -1);
  for (std::size_t i = 0; i < replay.size(); ++i)
    if (replay[i] >= 0)
      waits[i] = last_week[i] >= 0 ? share * last_week[i] + (1 - share) * replay[i] : replay[i];
  return waits;
}

enum What { end_it, start_it, submit_it };

double rounded(double time)
{
  return std::round(1000 * time) / 1000; // who ends lets others start
}

bool waited(const RecordedQueue& log, std::size_t i)
{
  return rounded(start(log, i)) > rounded(submit(log, i));
}

/// What happens in the record, in order; submissions of those that wait.
std::vector<std::tuple<double, What, std::size_t>> events_of(const RecordedQueue& log)
{
  std::vector<std::tuple<double, What, std::size_t>> events;
  for (std::size_t i = 0; i < log.waits.size(); ++i) {
    events.emplace_back(rounded(start(log, i)), start_it, i);
    events.emplace_back(rounded(end(log, i)), end_it, i);
    if (waited(log, i))
      events.emplace_back(rounded(submit(log, i)), submit_it, i);
  }
  std::ranges::sort(events);
  return events;
}

/// What the record shows beside the waits themselves.
struct Sweep {
  double room_share = 0;
  std::vector<Standstill> standstills;
  std::map<int, int> most_busy; // by week
  int most = 0;                 // GPUs held at once
  std::map<int, double> idle;   // by week: hours in which a job waited that would have fitted
  struct Level {
    int most = 0;                      // GPUs, or jobs, that the user held
    double with_room = 0, at_most = 0; // hours with a job of theirs that had room; of them beside so much
    double above = 0;                  // of them hours in which the smallest of these would have made it more
  };
  std::map<int, std::array<Level, 2>> users; // GPUs, jobs
};

/// @p limited: users who wait for a limit of theirs, not for the machine: they show neither a standstill nor machines
/// that are down. What users held is that of the first half: limits are chosen by it.
Sweep sweep(const RecordedQueue& log, const std::set<int>& limited)
{
  const auto events = events_of(log);
  Sweep seen;
  std::map<int, double> hours; // by user, job-hours waited
  const double last_submission = submit(log, log.waits.size() - 1), middle = last_submission / 2;
  for (std::size_t i = 0; i < log.waits.size() && submit(log, i) < middle; ++i)
    hours[log.workload.jobs[i].user] += log.waits[i] / hour;
  std::vector<std::pair<double, int>> most_waiting;
  for (const auto& [user, job_hours] : hours)
    if (log.workload.users.size() > 2)
      most_waiting.emplace_back(job_hours, user);
  std::ranges::sort(most_waiting, std::greater{});
  most_waiting.resize(std::min<std::size_t>(most_waiting.size(), 8));
  std::map<int, int> waiting, unlimited; // number of jobs by size; of them those of users without a limit
  std::map<int, std::multiset<int>> waiting_of;
  std::map<int, std::array<int, 2>> held_by; // GPUs, jobs
  std::map<int, std::array<std::map<int, double>, 2>> at_level, with_next;
  int busy = 0, smallest_then = 0;
  double since = -1, with_room = 0, all = 0, last = std::get<0>(events.front());
  for (const auto& [time, what, i] : events) {
    const double passed = time - last;
    if (passed > 0) {
      for (const auto& [gpus, jobs] : waiting) {
        all += jobs * passed;
        with_room += gpus <= log.gpus - busy ? jobs * passed : 0;
      }
      for (const auto& [job_hours, user] : most_waiting)
        if (const auto own = waiting_of.find(user);
            last < middle && own != waiting_of.end() && !own->second.empty() && *own->second.begin() <= log.gpus - busy)
          for (std::size_t what_of = 0; what_of < 2; ++what_of) {
            at_level[user][what_of][held_by[user][what_of]] += passed;
            with_next[user][what_of][held_by[user][what_of] + (what_of == 0 ? *own->second.begin() : 1)] += passed;
          }
      if (!unlimited.empty() && unlimited.begin()->first <= log.gpus - busy)
        seen.idle[static_cast<int>(std::max(0.0, last) / week)] += passed / hour;
      int& most = seen.most_busy[static_cast<int>(std::max(0.0, last) / week)];
      most = std::max(most, busy);
    }
    last = time;
    const TraceJob& job = log.workload.jobs[i];
    if (what == submit_it) {
      ++waiting[job.gpus];
      if (!limited.contains(job.user))
        ++unlimited[job.gpus];
      waiting_of[job.user].insert(job.gpus);
    } else if (what == start_it) {
      if (since >= 0 && time - since >= least_standstill)
        seen.standstills.push_back({since, time, smallest_then});
      since = -1;
      busy += job.gpus;
      held_by[job.user][0] += job.gpus;
      ++held_by[job.user][1];
      seen.most = std::max(seen.most, busy);
      if (waited(log, i)) {
        if (--waiting[job.gpus] == 0)
          waiting.erase(job.gpus);
        if (!limited.contains(job.user) && --unlimited[job.gpus] == 0)
          unlimited.erase(job.gpus);
        std::multiset<int>& own = waiting_of[job.user];
        own.erase(own.find(job.gpus));
      }
    } else {
      busy -= job.gpus;
      held_by[job.user][0] -= job.gpus;
      --held_by[job.user][1];
    }
    if (since < 0 && time < last_submission && !unlimited.empty() && waiting.rbegin()->first <= log.gpus - busy &&
        busy < log.gpus / 2.0) {
      since = time;
      smallest_then = waiting.begin()->first;
    }
  }
  seen.room_share = all > 0 ? with_room / all : 0;
  for (const auto& [user, both] : at_level)
    for (std::size_t which = 0; which < 2; ++which) {
      Sweep::Level& level = seen.users[user][which];
      level.most = both[which].rbegin()->first;
      level.at_most = both[which].rbegin()->second / hour;
      for (const auto& [held, time] : both[which])
        level.with_room += time / hour;
      for (const auto& [held, time] : with_next[user][which])
        level.above += held > level.most ? time / hour : 0;
    }
  return seen;
}

/// "{from: 2099520 s, until: 2142720 s}": times of the scenario, whose first job may be one that is left out here.
std::string span_entry(const RecordedQueue& log, double from, double until, const std::string& more = {})
{
  return fmt::format("{{from: {:.0f} s, until: {:.0f} s{}}} # day {:.1f}, for {:.1f} h", log.origin + from,
                     log.origin + until, more, (log.origin + from) / 86400, (until - from) / hour);
}

/// Queues that wait although the machine has room, while they hold all that they ever hold, or too much of it for who
/// waits: they have machines of their own.
void add_queues_apart(const RecordedQueue& log, std::vector<LogFinding>& findings)
{
  struct Queue {
    int held = 0, most = 0;
    double with_room = 0, full = 0; // s in which a job of it waits that would fit; of them so full
    std::multiset<int> waiting;
  };
  std::map<int, Queue> queues;
  const auto events = events_of(log);
  for (const bool most_known : {false, true}) {
    int busy = 0;
    double last = 0;
    for (const auto& [time, what, i] : events) {
      for (auto& [id, queue] : queues)
        if (most_known && !queue.waiting.empty() && *queue.waiting.begin() <= log.gpus - busy) {
          queue.with_room += time - last;
          queue.full += queue.held + *queue.waiting.begin() > queue.most ? time - last : 0;
        }
      last = time;
      const TraceJob& job = log.workload.jobs[i];
      Queue& queue = queues[job.queue];
      if (what == submit_it) {
        queue.waiting.insert(job.gpus);
        continue;
      }
      if (what == start_it && waited(log, i))
        queue.waiting.erase(queue.waiting.find(job.gpus));
      const int more = what == start_it ? job.gpus : -job.gpus;
      busy += more;
      queue.held += more;
      queue.most = std::max(queue.most, queue.held);
    }
  }
  for (const auto& [id, queue] : queues)
    if (queues.size() > 1 && queue.most < 0.9 * log.gpus && queue.with_room >= 24 * hour &&
        queue.full >= 0.8 * queue.with_room)
      findings.push_back(
          {fmt::format("queue {} seems to have {} of its own", log.workload.queues.name(id),
                       counted(queue.most, "GPU")),
           fmt::format("jobs of it waited for {:.0f} h although the machine had room, in {:.0f} % of it with all that "
                       "the queue ever held busy, or too much of it for them. This replay counts one machine of {} for "
                       "all queues: replay the rows of each such queue alone (sacct --partition={})",
                       queue.with_room / hour, 100 * queue.full / queue.with_room, log.gpus,
                       log.workload.queues.name(id))});
}

/// Jobs that later ones of other users passed, no smaller and no shorter: no order of jobs explains that.
void add_holds(const RecordedQueue& log, std::vector<LogFinding>& findings)
{
  constexpr std::size_t most_entries = 20;
  constexpr int passed_by = 20;
  std::vector<std::size_t> by_start(log.waits.size()), held;
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::ranges::stable_sort(by_start, {}, [&](std::size_t i) { return start(log, i); });
  for (std::size_t i = 0; i < log.waits.size(); ++i) {
    if (log.waits[i] < 24 * hour)
      continue;
    const TraceJob& job = log.workload.jobs[i];
    int passed = 0;
    for (auto next =
             std::ranges::lower_bound(by_start, submit(log, i), {}, [&](std::size_t j) { return start(log, j); });
         next != by_start.end() && start(log, *next) < start(log, i) && passed < passed_by; ++next) {
      const TraceJob& other = log.workload.jobs[*next];
      passed += submit(log, *next) > submit(log, i) && other.gpus >= job.gpus && other.estimate >= job.estimate &&
                        (other.user != job.user || log.workload.users.size() < 3)
                    ? 1
                    : 0;
    }
    if (passed == passed_by)
      held.push_back(i);
  }
  if (held.empty())
    return;
  double hours = 0;
  for (const std::size_t i : held)
    hours += log.waits[i] / hour;
  LogFinding finding{fmt::format("{} held, chained or waiting for a kind of machine", counted(held.size(), "job")),
                     fmt::format("they waited 24 h and more, {:.0f} h in all, while 20 later jobs of others, no "
                                 "smaller and no shorter, started",
                                 hours),
                     "holds"};
  std::ranges::stable_sort(held, std::ranges::greater{}, [&](std::size_t i) { return log.waits[i]; });
  held.resize(std::min(held.size(), most_entries));
  for (const std::size_t i : held)
    finding.entries.push_back(fmt::format("{{job: {}, until: {:.0f} s}} # waited {:.0f} h",
                                          yaml_scalar(log.workload.name(JobId{static_cast<int>(i)})),
                                          log.origin + start(log, i), log.waits[i] / hour));
  findings.push_back(std::move(finding));
}

std::vector<LogFinding> limits_of(const RecordedQueue& log, const Sweep& seen)
{
  std::vector<LogFinding> findings;
  for (const auto& [user, both] : seen.users) {
    // A limit of few jobs at once (1: a chain), or of GPUs.
    const bool jobs = both[1].most <= 8 && both[1].at_most >= both[0].at_most;
    const auto& [most, with_room, at_most, above] = both[jobs ? 1 : 0];
    const std::string& name = log.workload.users.name(user);
    if (most > 0 && with_room >= 24 && (at_most >= 0.5 * with_room || above >= 0.9 * with_room))
      findings.push_back(
          {fmt::format("user {} seems limited to {}{}", name, counted(most, jobs ? "job" : "GPU"),
                       !jobs       ? ""
                       : most == 1 ? " at once: a chain"
                                   : " at once"),
           fmt::format(
               "in the first half jobs of theirs that had room waited for {:.0f} h, never beside more {} of theirs: "
               "in {:.0f} % of it beside just so many, in {:.0f} % one more job would have been above",
               with_room, jobs ? "jobs" : "GPUs", 100 * at_most / with_room, 100 * above / with_room),
           "user_limits",
           {fmt::format("{{user: {}, {}: {}}}", yaml_scalar(name), jobs ? "jobs" : "gpus", most)},
           SiteRules::UserLimit{name, jobs ? 0 : most, jobs ? most : 0}});
  }
  return findings;
}

std::vector<LogFinding> findings_of(const RecordedQueue& log, const Sweep& seen,
                                    const std::vector<LogFinding>& user_limits)
{
  std::vector<LogFinding> findings;
  if (seen.most > log.gpus)
    findings.push_back({"the record holds more than the machine has",
                        fmt::format("up to {} of {} GPUs at once", seen.most, log.gpus)});
  double still = 0, longest = 0;
  std::vector<std::string> closed;
  for (const Standstill& one : seen.standstills) {
    still += one.until - one.from;
    longest = std::max(longest, one.until - one.from);
    closed.push_back(span_entry(log, one.from, one.until));
  }
  if (!seen.standstills.empty())
    findings.push_back(
        {fmt::format("{}, {:.0f} h in all", counted(seen.standstills.size(), "standstill"), still / hour),
         fmt::format("no job starts for 4 h and more (up to {:.1f} h) although less than half of the machine is busy "
                     "and every job that waits would fit: outages, maintenance, rules by hour; standstills.csv lists "
                     "them, and the replay starts nothing then",
                     longest / hour),
         "closed", std::move(closed)});
  findings.insert(findings.end(), user_limits.begin(), user_limits.end());
  std::array<double, 24> starts{};
  double all = 0;
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    if (log.limits && log.workload.jobs[i].estimate.value() > 8 * hour && log.waits[i] > 600) {
      starts[static_cast<std::size_t>(std::fmod(start(log, i), 86400) / hour) % 24] += 1;
      ++all;
    }
  for (std::size_t from = 0; from < 24 && all >= 50; ++from) {
    double within = 0;
    for (std::size_t h = 0; h < 8; ++h)
      within += starts[(from + h) % 24];
    if (within < 0.8 * all)
      continue;
    const double begins = std::fmod(log.origin + static_cast<double>(from) * hour, 86400);
    findings.push_back(
        {fmt::format("jobs of more than 8 h start from hour {} to {} of the day", from, (from + 8) % 24),
         fmt::format("{:.0f} % of the {:.0f} that waited, hours since the first submission", 100 * within / all, all),
         "long_jobs",
         {fmt::format("{{longer_than: 8 h, from: {:.0f} s, until: {:.0f} s}}", begins,
                      std::fmod(begins + 8 * hour, 86400))}});
    break;
  }
  std::vector<std::string> fallen;
  for (const auto& [number, most] : seen.most_busy)
    if (const auto idle = seen.idle.find(number);
        most > 0 && most < 0.85 * log.gpus && idle != seen.idle.end() && idle->second >= 24)
      fallen.push_back(span_entry(log, number * week, (number + 1) * week, fmt::format(", gpus: {}", most)));
  if (!fallen.empty())
    findings.push_back(
        {fmt::format("machines down, or not there yet, in {} of {} weeks", fallen.size(), seen.most_busy.size()),
         "never more than 85 % of the machine was busy, although for 24 h of the week and more jobs waited that would "
         "have fitted; weeks.csv says how much each week had",
         "closed", std::move(fallen)});
  add_queues_apart(log, findings);
  add_holds(log, findings);
  return findings;
}

/// @p limits: of users; on the whole machine each policy is tried with them, too.
std::vector<ReplayModel> candidates(const RecordedQueue& log, const ReplayOptions& options,
                                    const std::vector<LogFinding>& limits)
{
  std::vector<ReplayModel> models = options.own;
  for (const char* policy : {"easy_backfill", "wfp"})
    models.push_back({.policy = policy});
  if (log.workload.users.size() > 2) {
    models.push_back({.policy = "slurm"});
    for (const char* weight : {"weight_age", "weight_fairshare", "weight_job_size"})
      models.back().settings.set(weight, 1000);
    models.back().settings.set("bf_interval", 300); // every 30 s, as by default, takes ten times as long
  }
  std::vector<ReplayModel> all;
  for (const ReplayModel& model : models)
    for (std::size_t i = 0; i < usable_shares.size(); ++i) {
      if (model.policy == "slurm" && i % 2 == 1)
        continue; // it takes ten times as long as the others
      all.push_back(model);
      all.back().usable = usable_shares[i];
    }
  all.push_back({.policy = "fifo"});
  SiteRules site;
  for (const LogFinding& finding : limits)
    site.user_limits.push_back(*finding.limit);
  models.push_back({.policy = "fifo"});
  for (const ReplayModel& model : models)
    if (!site.user_limits.empty()) {
      all.push_back(model);
      all.back().site = site;
    }
  return all;
}

/// @p unchosen: a prediction for which nothing was chosen; what the first half says of its errors is no better than
/// the second half will be.
void add_weeks(const RecordedQueue& log, const Sweep& seen, const std::vector<double>& unchosen, Replay& replay)
{
  std::map<int, std::array<double, 6>> sums;
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    if (replay.predicted[i] >= 0) {
      auto& sum = sums[week_of(log, i)];
      sum[0] += 1;
      sum[1] += log.waits[i];
      sum[2] += replay.predicted[i];
      sum[3] += std::max(0.0, replay.last_week[i]);
      sum[4] += replay.replay[i];
      sum[5] += unchosen[i];
    }
  const double middle = submit(log, log.waits.size() - 1) / 2;
  std::vector<double> ratios, fresh; // log of real over predicted, a minute added to both, of the weeks before the last
  int held = 0, judged = 0;
  for (const auto& [number, sum] : sums) {
    ReplayWeek one{.number = number, .jobs = static_cast<int>(sum[0]), .second_half = number * week + week > middle};
    one.real = sum[1] / sum[0];
    one.predicted = sum[2] / sum[0];
    one.last_week = sum[3] / sum[0];
    one.replay = sum[4] / sum[0];
    if (const auto most = seen.most_busy.find(number); most != seen.most_busy.end())
      one.most_busy = most->second;
    if (number >= 1 && ratios.size() >= 2) {
      const double n = static_cast<double>(ratios.size());
      const double centre = std::accumulate(ratios.begin(), ratios.end(), 0.0) / n;
      double square = 0;
      for (const double ratio : ratios)
        square += (ratio - centre) * (ratio - centre);
      const double spread = student_t_quantile(0.9, n - 1) * std::sqrt(square / (n - 1) * (1 + 1 / n));
      one.low = std::max(0.0, (one.predicted + 60) * std::exp(centre - spread) - 60);
      one.high = (one.predicted + 60) * std::exp(centre + spread) - 60;
      if (one.second_half && one.jobs >= least_jobs) {
        ++judged;
        held += one.real >= one.low && one.real <= one.high ? 1 : 0;
      }
    }
    double still = 0;
    for (const Standstill& pause : seen.standstills)
      still += std::max(0.0, std::min(pause.until, (number + 1) * week) - std::max(pause.from, number * week));
    if (still > 24 * hour)
      one.note = fmt::format("{:.0f} h of standstill", still / hour);
    if (one.most_busy < 0.85 * log.gpus)
      one.note += fmt::format("{}never more than {} GPUs busy", one.note.empty() ? "" : ", ", one.most_busy);
    ratios.insert(ratios.end(), fresh.begin(), fresh.end());
    fresh.clear();
    if (number >= 1 && one.jobs >= least_jobs)
      fresh.push_back(std::log((one.real + 60) / ((one.second_half ? one.predicted : sum[5] / sum[0]) + 60)));
    replay.weeks.push_back(one);
  }
  replay.judged = judged;
  if (judged > 0)
    replay.held = static_cast<double>(held) / judged;
}

void add_groups(const RecordedQueue& log, Replay& replay)
{
  std::map<std::pair<std::string, std::string>, std::array<double, 4>> sums;
  for (std::size_t i = 0; i < log.waits.size(); ++i) {
    if (!counts(log, i, true) || replay.predicted[i] < 0)
      continue;
    const TraceJob& job = log.workload.jobs[i];
    using Group = std::pair<std::string, std::string>;
    for (const auto& [by, name] :
         {Group{"class", class_text(class_of(log, i))}, Group{"queue", log.workload.queues.name(job.queue)},
          Group{"user group", log.workload.teams.size() > 2 ? log.workload.teams.name(job.team) : ""}}) {
      if (name.empty())
        continue;
      auto& sum = sums[{by, name}];
      sum[0] += 1;
      sum[1] += log.waits[i];
      sum[2] += replay.predicted[i];
      sum[3] += std::max(0.0, replay.last_week[i]);
    }
  }
  for (const auto& [key, sum] : sums)
    replay.groups.push_back(
        {key.first, key.second, static_cast<int>(sum[0]), sum[1] / sum[0], sum[2] / sum[0], sum[3] / sum[0]});
}

} // namespace

std::map<std::int64_t, double> replay_from(const RecordedQueue& log, std::vector<ReplayJob> jobs,
                                           const ReplayModel& model, double from, double until, int usable,
                                           const std::vector<Standstill>& standstills)
{
  std::map<std::int64_t, double> waits;
  if (jobs.empty())
    return waits;
  int held = 0; // at `from`
  for (ReplayJob& one : jobs)
    if (one.start < from)
      held += one.job.gpus;
    else
      one.job.gpus = std::min(one.job.gpus, usable);
  const int machine = std::max(held, usable);
  for (int rest = machine - usable, size = 1; rest > 0; rest -= size, size = std::min(2 * size, rest)) {
    ReplayJob one{.start = std::numeric_limits<double>::infinity()};
    one.job.submit = Seconds{from};
    one.job.duration = one.job.estimate = Seconds{100 * week};
    one.job.gpus = size;
    one.job.row = filler;
    jobs.push_back(one);
  }
  std::ranges::stable_sort(jobs, {}, [](const ReplayJob& one) { return one.job.submit; });
  const double origin = std::min(from, jobs.front().job.submit.value());
  Workload workload;
  workload.users = log.workload.users;
  workload.teams = log.workload.teams;
  workload.queues = log.workload.queues;
  workload.qos = log.workload.qos;
  workload.rules = log.workload.rules;
  std::vector<Instant> starts;
  std::set<JobId> asked;
  std::map<std::string, JobId> last_of; // by chain
  for (ReplayJob& one : jobs) {
    if (!one.chain.empty()) {
      const auto [before, first] = last_of.try_emplace(one.chain, JobId{workload.size()});
      if (!first)
        workload.dependencies.emplace_back(JobId{workload.size()},
                                           std::exchange(before->second, JobId{workload.size()}));
    }
    if (one.job.row >= 0)
      asked.insert(JobId{workload.size()});
    one.job.submit = Seconds{one.job.submit.value() - origin};
    workload.jobs.push_back(one.job);
    starts.emplace_back(std::isfinite(one.start) ? Instant{Seconds{one.start - origin}} : end_of_time);
  }
  std::vector<std::pair<Instant, Instant>> closed;
  for (const Standstill& one : standstills)
    if (one.until > from && one.from < until)
      closed.emplace_back(Seconds{one.from - origin}, Seconds{one.until - origin});
  auto inner = Registry<QueuePolicy>::instance().create(model.policy, model.settings);
  if (!model.site.user_limits.empty())
    inner = under_site_rules(std::move(inner), model.site);
  FromRecord policy{std::move(inner), std::move(starts), Seconds{from - origin}, std::move(closed), std::move(asked)};
  SchedulingOptions options;
  options.until = Seconds{until - origin};
  const SchedulingResult result = simulate_queue(workload, ClusterShape::pool(machine), policy, nullptr, options);
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const TraceJob& job = workload.jobs[i];
    if (job.row < 0)
      continue;
    const Instant begun = result.jobs[i].first_start;
    waits[job.row] = (begun.value() >= 0 ? begun : Instant{options.until}).value() - job.submit.value();
  }
  return waits;
}

std::vector<ReplayJob> jobs_around(const RecordedQueue& log, double from, double last, double asked_until)
{
  std::vector<ReplayJob> jobs;
  for (std::size_t i = 0; i < log.waits.size() && submit(log, i) < last; ++i) {
    const bool begun = start(log, i) < from;
    if (begun && end(log, i) <= from)
      continue;
    ReplayJob one{log.workload.jobs[i], begun ? start(log, i) : std::numeric_limits<double>::infinity()};
    one.job.row = submit(log, i) >= from && submit(log, i) < asked_until ? static_cast<std::int64_t>(i) : -1;
    jobs.push_back(one);
  }
  return jobs;
}

double room_share_of(const RecordedQueue& log)
{
  return sweep(log, {}).room_share;
}

int usable_gpus(const RecordedQueue& log, const ReplayModel& model)
{
  return std::max(1, static_cast<int>(std::lround(model.usable * log.gpus)));
}

bool counts(const RecordedQueue& log, std::size_t i, bool second)
{
  const double middle = submit(log, log.waits.size() - 1) / 2;
  return submit(log, i) >= week && (submit(log, i) >= middle) == second;
}

ReplayError error_of(const RecordedQueue& log, const std::vector<double>& waits, bool second)
{
  ReplayError error;
  std::vector<double> real, predicted;
  std::map<int, Sums> weeks, classes;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (!counts(log, i, second) || waits[i] < 0)
      continue;
    real.push_back(log.waits[i]);
    predicted.push_back(waits[i]);
    for (Sums* sums : {&weeks[week_of(log, i)], &classes[class_of(log, i)]}) {
      ++sums->jobs;
      sums->real += log.waits[i];
      sums->predicted += waits[i];
    }
  }
  error.jobs = static_cast<int>(real.size());
  if (real.empty())
    return error;
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  error.real_mean = mean(real);
  error.mean = mean(predicted);
  error.rank = rank_correlation(real, predicted);
  for (const auto& [to, from, q] :
       {std::tuple{&error.real_median, &real, 0.5}, std::tuple{&error.median, &predicted, 0.5},
        std::tuple{&error.real_p90, &real, 0.9}, std::tuple{&error.p90, &predicted, 0.9},
        std::tuple{&error.real_p95, &real, 0.95}, std::tuple{&error.p95, &predicted, 0.95}})
    *to = quantile(*from, q);
  error.week = share_off(weeks, &error.weeks);
  error.cls = share_off(classes);
  return error;
}

int class_of(const RecordedQueue& log, int gpus, double limit)
{
  const double share = static_cast<double>(gpus) / log.gpus;
  const int size = share <= 0.01 ? 0 : share <= 0.05 ? 1 : share <= 0.25 ? 2 : 3;
  return 4 * size + (!log.limits ? 3 : limit <= hour ? 0 : limit <= 8 * hour ? 1 : 2);
}

int class_of(const RecordedQueue& log, std::size_t job)
{
  return class_of(log, log.workload.jobs[job].gpus, log.workload.jobs[job].estimate.value());
}

std::string class_text(int cls)
{
  constexpr std::array sizes = {"to 1 %", "1-5 %", "5-25 %", "above 25 %"};
  constexpr std::array limits = {", limit to 1 h", ", limit 1-8 h", ", limit above 8 h", ""};
  return fmt::format("{} of the machine{}", sizes[static_cast<std::size_t>(cls / 4)],
                     limits[static_cast<std::size_t>(cls % 4)]);
}

Replay replay_log(const RecordedQueue& log, const ReplayOptions& options)
{
  const auto jobs = log.waits.size();
  if (jobs == 0)
    throw InputError{"the log has no job with a known wait and run time, so there is nothing to compare with; simrun "
                     "import makes a scenario of it"};
  const double span = submit(log, jobs - 1);
  if (span < 3 * week)
    throw InputError{fmt::format("the log's submissions span {:.1f} days; a replay needs 21: the first week fills the "
                                 "machine, and each half needs weeks of its own",
                                 span / 86400)};
  const std::vector<LogFinding> limits = limits_of(log, sweep(log, {}));
  std::set<int> limited;
  for (int user = 0; user < log.workload.users.size(); ++user)
    if (std::ranges::any_of(limits,
                            [&](const LogFinding& one) { return one.limit->user == log.workload.users.name(user); }))
      limited.insert(user);
  const Sweep seen = sweep(log, limited);
  Replay replay;
  replay.findings = findings_of(log, seen, limits);
  replay.standstills = seen.standstills;
  replay.room_share = seen.room_share;
  replay.last_week = last_weeks(log);
  const int weeks = static_cast<int>(span / week) + 1;
  const std::vector<ReplayModel> all = candidates(log, options, limits);
  std::vector<std::vector<double>> waits(all.size(), std::vector<double>(jobs, -1));
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (options.progress)
      options.progress(m, all.size(), fmt::format("{} on {:.0f} %", all[m].policy, 100 * all[m].usable));
    replay_weeks(log, all[m], seen.standstills, 1, weeks, waits[m]);
    for (const double share : last_week_shares) {
      replay.tried.push_back(all[m]);
      replay.tried.back().last_week = share;
    }
  }
  const auto predict = [&](std::size_t tried, std::size_t job) {
    const double replayed = waits[tried / last_week_shares.size()][job], share = replay.tried[tried].last_week;
    return replay.last_week[job] >= 0 ? share * replay.last_week[job] + (1 - share) * replayed : replayed;
  };
  // The best by what is known at a moment of the jobs submitted from a week on.
  const auto choose = [&](int from, double now) {
    std::vector<std::map<int, Sums>> by_week(replay.tried.size());
    for (std::size_t i = 0; i < jobs && submit(log, i) < now; ++i)
      if (week_of(log, i) >= std::max(1, from) && start(log, i) < now)
        for (std::size_t t = 0; t < replay.tried.size(); ++t) {
          Sums& sums = by_week[t][week_of(log, i)];
          ++sums.jobs;
          sums.real += log.waits[i];
          sums.predicted += predict(t, i);
        }
    std::vector<std::size_t> order(replay.tried.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t t = 0; t < order.size(); ++t)
      replay.tried[t].error = share_off(by_week[t]);
    std::ranges::stable_sort(order, {}, [&](std::size_t t) { return replay.tried[t].error; });
    order.resize(std::min(order.size(), mixed));
    const double far_off = 2 * replay.tried[order.front()].error + nearly_as_good;
    std::erase_if(order, [&](std::size_t t) { return replay.tried[t].error > far_off; });
    return order;
  };
  const double half = span / 2;
  const auto models_of = [&](const std::vector<std::size_t>& order) {
    std::vector<ReplayModel> models;
    models.reserve(order.size());
    for (const std::size_t t : order)
      models.push_back(replay.tried[t]);
    return models;
  };
  replay.latest = models_of(choose(weeks - remembered, span + 1));
  const std::vector<std::size_t> fixed = choose(1, half);
  replay.chosen = models_of(fixed);
  std::vector<std::vector<std::size_t>> by_week(static_cast<std::size_t>(weeks), fixed);
  for (int w = 1; w < weeks; ++w)
    if ((w + 1) * week > half && w * week > 2 * week) // its own weeks never choose
      by_week[static_cast<std::size_t>(w)] = choose(w - remembered, w * week);
  static_cast<void>(choose(1, half)); // errors as they are told: of the first half
  std::ranges::for_each(std::array{&replay.predicted, &replay.replay, &replay.fixed},
                        [&](std::vector<double>* of) { of->assign(jobs, -1); });
  const auto mean_over = [&](const std::vector<std::size_t>& order, const auto& value) {
    double sum = 0;
    for (const std::size_t t : order)
      sum += value(t) / static_cast<double>(order.size());
    return sum;
  };
  for (std::size_t i = 0; i < jobs; ++i)
    if (week_of(log, i) >= 1) {
      const std::vector<std::size_t>& order = by_week[static_cast<std::size_t>(week_of(log, i))];
      const auto mixture_of = [&](std::size_t t) { return predict(t, i); };
      replay.predicted[i] = mean_over(order, mixture_of);
      replay.fixed[i] = mean_over(fixed, mixture_of);
      replay.replay[i] = mean_over(order, [&](std::size_t t) { return waits[t / last_week_shares.size()][i]; });
    }
  const auto of_whole_machine = [&](const char* policy) -> const std::vector<double>& {
    return waits[static_cast<std::size_t>(std::ranges::find(all, policy, &ReplayModel::policy) - all.begin())];
  };
  const std::vector<double>& easy = of_whole_machine("easy_backfill");
  for (const bool second : {false, true}) {
    auto& table = second ? replay.second_half : replay.first_half;
    table.emplace_back("prediction", error_of(log, replay.predicted, second));
    table.emplace_back("chosen on the first half only", error_of(log, replay.fixed, second));
    table.emplace_back("its replays alone", error_of(log, replay.replay, second));
    table.emplace_back("EASY on the whole machine", error_of(log, easy, second));
    table.emplace_back("half EASY, half last week", error_of(log, mixture(easy, replay.last_week, 0.5), second));
    table.emplace_back("last week, same class", error_of(log, replay.last_week, second));
    table.emplace_back("FIFO", error_of(log, of_whole_machine("fifo"), second));
  }
  std::ranges::stable_sort(replay.tried, {}, &ReplayModel::error);
  const std::vector<double> unchosen = mixture(easy, replay.last_week, 0.5);
  add_weeks(log, seen, unchosen, replay);
  add_bounds(log, unchosen, replay);
  add_groups(log, replay);
  if (options.predict > 0)
    add_forecast(log, options, replay);
  return replay;
}

} // namespace trainyard
