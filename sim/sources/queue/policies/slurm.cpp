// SPDX-License-Identifier: Apache-2.0
// Slurm as it is installed: priority/multifactor and sched/backfill. Jobs stand in order of partition tier, priority,
// submission. At every event the main scheduler goes through the first of them and starts who fits; the first of a
// partition that does not fit blocks the partition (no other of it may take its GPUs). Every bf_interval the backfill
// scheduler goes through more of them: each gets the earliest gap by the time limits (estimates), and who can start now
// without taking the gap of one before does. Sources: https://slurm.schedmd.com/priority_multifactor.html,
// https://slurm.schedmd.com/sched_config.html, slurm.conf(5).
#include "sim/sources/queue/policies/fair_tree.hpp"
#include "sim/sources/queue/policies/gpu_profile.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

namespace trainyard {
namespace {

class SlurmQueue final : public QueuePolicy
{
public:
  explicit SlurmQueue(const Settings& settings)
      : weight_age_{settings.number("weight_age", 0)}, weight_fair_share_{settings.number("weight_fairshare", 0)},
        weight_size_{settings.number("weight_job_size", 0)}, weight_partition_{settings.number("weight_partition", 0)},
        weight_qos_{settings.number("weight_qos", 0)}, max_age_{settings.number("max_age", 7 * 86400.0)},
        half_life_{settings.number("half_life", 7 * 86400.0)}, calc_period_{settings.number("calc_period", 300)},
        favor_small_{settings.flag("favor_small", false)}, shares_{settings.text("shares", "")},
        partitions_{settings.text("partitions", "")},
        user_gpus_{settings.number("max_gpus_per_user", 0)}, backfill_{settings.flag("backfill", true)},
        bf_interval_{settings.number("bf_interval", 30)}, bf_window_{settings.number("bf_window", 86400)},
        bf_jobs_{settings.number("bf_max_job_test", 500)}, depth_{settings.number("default_queue_depth", 100)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    const auto weight = [](const char* name, const char* meaning) {
      return Parameter{.name = name,
                       .kind = "number",
                       .default_value = "0",
                       .meaning = meaning,
                       .minimum = 0,
                       .maximum = 1e12,
                       .source = "Slurm, priority/multifactor"};
    };
    const auto duration = [](const char* name, const char* value, const char* meaning, double least,
                             const char* source) {
      return Parameter{.name = name,
                       .kind = "duration",
                       .default_value = value,
                       .meaning = meaning,
                       .minimum = least,
                       .maximum = 1e12,
                       .source = source};
    };
    return {
        weight("weight_age", "PriorityWeightAge: of the time a job has waited, over max_age, at most 1"),
        weight("weight_fairshare", "PriorityWeightFairshare: of the Fair Tree rank of the job's user, 1 = first"),
        weight("weight_job_size", "PriorityWeightJobSize: of the job's share of all GPUs"),
        weight("weight_partition", "PriorityWeightPartition: of the partition's factor over the largest"),
        weight("weight_qos", "PriorityWeightQOS: of the job's `priority` over the largest"),
        duration("max_age", "7 d", "PriorityMaxAge: waiting time at which the age factor is 1", 1, "slurm.conf(5)"),
        duration("half_life", "7 d", "PriorityDecayHalfLife: after this time usage counts half", 1, "slurm.conf(5)"),
        duration("calc_period", "5 min", "PriorityCalcPeriod: how often priorities are computed", 1, "slurm.conf(5)"),
        {.name = "favor_small",
         .kind = "boolean",
         .default_value = "false",
         .meaning = "PriorityFavorSmall: small jobs get the larger size factor"},
        {.name = "shares",
         .kind = "name",
         .default_value = "",
         .meaning = "shares of accounts (teams) and users: \"physics=40 physics.alice=2\"; others have 1"},
        {.name = "partitions",
         .kind = "name",
         .default_value = "",
         .meaning = "PriorityTier and PriorityJobFactor of partitions (queues of the jobs): \"debug=10/1 gpu=1/5\"; "
                    "others 1/1"},
        {.name = "max_gpus_per_user",
         .kind = "number",
         .default_value = "0",
         .meaning = "MaxTRESPerUser: GPUs that a user may hold at once; 0 = no limit",
         .minimum = 0,
         .maximum = 1e9},
        {.name = "backfill",
         .kind = "boolean",
         .default_value = "true",
         .meaning = "sched/backfill; false: sched/builtin"},
        duration("bf_interval", "30 s", "time between runs of the backfill scheduler", 0.1, "slurm.conf(5)"),
        duration("bf_window", "1 d", "how far ahead the backfill scheduler looks", 1, "slurm.conf(5)"),
        {.name = "bf_max_job_test",
         .kind = "number",
         .default_value = "500",
         .meaning = "jobs that the backfill scheduler looks at",
         .minimum = 1,
         .maximum = 1e9,
         .source = "slurm.conf(5)"},
        {.name = "default_queue_depth",
         .kind = "number",
         .default_value = "100",
         .meaning = "jobs that the main scheduler looks at",
         .minimum = 1,
         .maximum = 1e9,
         .source = "slurm.conf(5)"}};
  }

  void begin(const ClusterView& cluster) override
  {
    tree_ = std::make_unique<FairTree>(cluster.workload(), shares_, half_life_);
    most_qos_ = 0;
    for (const TraceJob& job : cluster.workload().jobs)
      most_qos_ = std::max(most_qos_, static_cast<double>(job.priority));
    read_partitions(cluster.workload());
  }

  void arrived(const ClusterView& cluster, JobId id) override { place(cluster, id); }
  void withdrawn(const ClusterView&, JobId id) override { remove(id); }

  void started(const ClusterView& cluster, JobId id) override
  {
    remove(id);
    change(cluster, id, 1);
  }
  void stopped(const ClusterView& cluster, JobId id) override { change(cluster, id, -1); }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (order_.empty())
      return;
    const double now = cluster.now().value();
    if (now >= next_calculation_) {
      calculate(cluster);
      next_calculation_ = now + calc_period_;
    }
    main_pass(cluster, decisions);
    if (!backfill_ || order_.empty())
      return;
    if (now + 1e-9 >= next_backfill_) {
      backfill_pass(cluster, decisions);
      next_backfill_ = now + bf_interval_;
    }
    if (!order_.empty())
      decisions.wake_at(Seconds{next_backfill_});
  }

  WaitReason usual_reason() const override { return WaitReason::behind_head; }

private:
  struct Partition {
    double tier = 1;
    double factor = 1;
  };
  /// Tier and priority, both negative so that the largest comes first; then submission, then number.
  using Rank = std::tuple<double, double, double, JobId>;

  void read_partitions(const Workload& workload)
  {
    most_factor_ = 1;
    std::istringstream words{partitions_};
    for (std::string word; words >> word;) {
      const std::size_t equals = word.rfind('='), slash = word.rfind('/');
      const bool whole = equals != std::string::npos && slash != std::string::npos && slash > equals;
      const auto tier = whole ? as_number<double>(word.substr(equals + 1, slash - equals - 1)) : std::nullopt;
      const auto factor = whole ? as_number<double>(word.substr(slash + 1)) : std::nullopt;
      if (!tier || !factor || !(*factor >= 0))
        throw std::invalid_argument{"slurm: partitions: '" + word + "' is not NAME=TIER/FACTOR"};
      const std::string name = word.substr(0, equals);
      for (int index = 0; index < workload.queues.size(); ++index)
        if (workload.queues.name(index) == name)
          of_partition_[index] = {*tier, *factor};
      most_factor_ = std::max(most_factor_, *factor);
    }
  }

  Partition partition(const TraceJob& job) const
  {
    const auto found = of_partition_.find(job.queue);
    return found == of_partition_.end() ? Partition{} : found->second;
  }

  double priority(const ClusterView& cluster, const TraceJob& job) const
  {
    const double total = std::max(1, cluster.cluster().total_gpus());
    const double size = std::min(1.0, job.gpus / total);
    const double age = std::clamp((cluster.now() - job.submit).value() / max_age_, 0.0, 1.0);
    return weight_age_ * age + weight_fair_share_ * tree_->factor(job.team, job.user) +
           weight_size_ * (favor_small_ ? 1 - size : size) + weight_partition_ * partition(job).factor / most_factor_ +
           weight_qos_ * (most_qos_ > 0 ? std::max(0.0, job.priority / most_qos_) : 0);
  }

  void place(const ClusterView& cluster, JobId id)
  {
    const TraceJob& job = cluster.job(id);
    const Rank rank{-partition(job).tier, -priority(cluster, job), job.submit.value(), id};
    order_.insert(rank);
    ranks_[id] = rank;
  }

  void remove(JobId id)
  {
    if (const auto found = ranks_.find(id); found != ranks_.end()) {
      order_.erase(found->second);
      ranks_.erase(found);
    }
  }

  void calculate(const ClusterView& cluster)
  {
    tree_->rank(cluster.now().value());
    std::vector<JobId> waiting;
    waiting.reserve(ranks_.size());
    for (const auto& [id, rank] : ranks_)
      waiting.push_back(id);
    order_.clear();
    ranks_.clear();
    for (const JobId id : waiting)
      place(cluster, id);
  }

  void change(const ClusterView& cluster, JobId id, int sign)
  {
    const TraceJob& job = cluster.job(id);
    const double gpus = sign * static_cast<double>(cluster.state(id).held.milli()) / 1000;
    tree_->change(job.team, job.user, gpus, cluster.now().value());
    held_[job.user] += gpus;
  }

  /// Whether the user's limit lets the job start.
  bool allowed(const ClusterView& cluster, JobId id) const
  {
    if (user_gpus_ <= 0)
      return true;
    const TraceJob& job = cluster.job(id);
    const auto held = held_.find(job.user);
    return (held == held_.end() ? 0 : held->second) + static_cast<double>(request_of(job).milli()) / 1000 <=
           user_gpus_ + 1e-9;
  }

  std::vector<JobId> first(double most) const
  {
    std::vector<JobId> jobs;
    for (const Rank& rank : order_) {
      if (static_cast<double>(jobs.size()) >= most)
        break;
      jobs.push_back(std::get<JobId>(rank));
    }
    return jobs;
  }

  void main_pass(const ClusterView& cluster, Decisions& decisions)
  {
    std::map<int, JobId> blocked; // partition -> who
    for (const JobId id : first(depth_)) {
      const int queue = cluster.job(id).queue;
      if (const auto head = blocked.find(queue); head != blocked.end()) {
        decisions.hold(id, WaitReason::behind_head, head->second);
        continue;
      }
      if (!allowed(cluster, id)) {
        decisions.hold(id, WaitReason::quota);
        continue; // a limit of its own blocks nobody else
      }
      if (!decisions.start(id))
        blocked.emplace(queue, id);
    }
  }

  void backfill_pass(const ClusterView& cluster, Decisions& decisions)
  {
    const double now = cluster.now().value();
    GpuProfile plan{now, cluster.cluster().free_milli()};
    for (const JobId id : cluster.running()) {
      // Who runs beyond its limit is about to be stopped, or reckoned to end at any moment.
      const double end = std::max(cluster.estimated_end(id).value(), now + 1);
      plan.add(end, GpuProfile::never, cluster.state(id).held.milli());
    }
    JobId reserved;
    for (const JobId id : first(bf_jobs_)) {
      if (!allowed(cluster, id))
        continue;
      const std::int64_t needed = request_of(cluster.job(id)).milli();
      const double length = std::max(cluster.estimated_remaining(id).value(), 1e-3);
      const double start = plan.earliest(now, length, needed);
      if (start > now + bf_window_)
        continue; // nothing is kept for it
      if (start <= now && decisions.start(id)) {
        plan.add(now, std::max(cluster.estimated_end(id).value(), now + 1e-3), -needed);
        continue;
      }
      plan.add(start, start + length, -needed);
      if (needed <= cluster.cluster().free_milli())
        decisions.hold(id, WaitReason::reservation, reserved, Seconds{start});
      if (!reserved)
        reserved = id;
    }
  }

  double weight_age_, weight_fair_share_, weight_size_, weight_partition_, weight_qos_;
  double max_age_, half_life_, calc_period_;
  bool favor_small_;
  std::string shares_, partitions_;
  double user_gpus_;
  bool backfill_;
  double bf_interval_, bf_window_, bf_jobs_, depth_;
  std::unique_ptr<FairTree> tree_;
  std::map<int, Partition> of_partition_; // by queue of the workload
  double most_factor_ = 1, most_qos_ = 0;
  std::set<Rank> order_; // who waits
  std::map<JobId, Rank> ranks_;
  std::map<int, double> held_; // GPUs by user
  double next_calculation_ = 0;
  double next_backfill_ = 0;
};

TY_REGISTER(QueuePolicy, SlurmQueue, "slurm",
            "Slurm: multifactor priority (age, fair tree, size, partition, QOS), main and backfill scheduler");

} // namespace
} // namespace trainyard
