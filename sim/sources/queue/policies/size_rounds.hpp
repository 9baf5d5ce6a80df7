// SPDX-License-Identifier: Apache-2.0
// Policies that give every job anew, in rounds, its number and type of GPUs: what they know of the jobs, and how the
// answer becomes starts, stops and other sizes.
#pragma once
#include "sim/sources/queue/policies/machine_pools.hpp"

#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// GPUs of one type on which a job can run.
struct SizeChoice {
  int gpus = 0; // 0: it waits
  int type = 0;
  double speed = 0; // planned_speed()

  bool same_place(const SizeChoice& other) const { return gpus == other.gpus && (gpus == 0 || type == other.type); }
};

/// A job at the start of a round.
struct SizedJob {
  JobId id;
  std::vector<SizeChoice> choices; // by type, then ascending; at least one
  SizeChoice held;                 // what it has now
  double left = 0;                 // s at speed 1, by the estimate
  double age = 0;                  // s since its submission
  int restarts = 0;                // starts after the first, and changes of its size
};

/// What an optimisation may choose for a job, at which cost.
struct SizeOption {
  SizeChoice choice;
  double cost = 0;
};

/// One option of each job so that the sum of the costs is smallest within @p capacity. Of equal ones the first.
///
/// Exact, by dynamic programming over the GPUs left of each type, while that takes at most `most_steps` steps; beyond,
/// greedily by cost per GPU. @p options: of each job, the first of them with 0 GPUs.
std::vector<SizeChoice> cheapest(const std::vector<std::vector<SizeOption>>& options, const std::vector<int>& capacity,
                                 double most_steps = 1e8);

/// What is left of a speed where taking it means a restart: (age - restarts x delay) / (age + delay), at least 0
/// (Pollux, section 4.2.1). 1 for a job that holds nothing, and for what it holds.
double restart_factor(const SizedJob& job, const SizeChoice& choice, double delay);

/// A larger power mean of these gains is a smaller sum of these costs: gain^p for p < 0, -gain^p for p > 0.
double power_cost(double gain, double power);

/// A policy that plans in rounds.
class SizeRounds : public QueuePolicy
{
public:
  /// @p interval: from one plan to the next. Throws std::invalid_argument, with the name of the @p policy, below 0.01
  /// s.
  SizeRounds(const std::string& policy, Seconds interval);

  PoolOfMachines pool;

  bool take_over(const SizeRounds& before, JobId id);
  void started(const ClusterView&, JobId id) override { ++starts_[id]; }
  void stopped(const ClusterView& cluster, JobId id) override
  {
    if (cluster.work_left(id) <= Instant{0})
      withdrawn(cluster, id);
  }
  void withdrawn(const ClusterView&, JobId id) override
  {
    starts_.erase(id);
    wanted_.erase(id);
  }
  /// Plans where a round begins and carries it out; between rounds starts whom the plan could not place. Jobs without
  /// GPUs, with a part of one, and gangs that no single type can hold start whenever they fit.
  void decide(const ClusterView& cluster, Decisions& decisions) final;
  /// Who fits between rounds waits for the next one.
  bool unlike_tasks() const final { return false; }
  bool resizes() const final { return true; }
  WaitReason usual_reason() const final { return between_rounds_ ? WaitReason::next_decision : WaitReason::lower_rank; }

protected:
  /// The setting `interval`.
  static Parameter interval_setting(std::string default_value, std::string meaning, std::string source);
  /// The settings `power` and `restart_delay` (30 s).
  static std::vector<Parameter> gain_settings(std::string power, const std::string& gains, std::string power_source,
                                              std::string delay_source);

private:
  /// One choice for each job, in their order; together within @p capacity (GPUs by type). @p jobs: at least one.
  virtual std::vector<SizeChoice> plan(const std::vector<SizedJob>& jobs, const std::vector<int>& capacity) const = 0;
  std::vector<SizedJob> jobs_of(const ClusterView& cluster) const;
  void carry_out(const ClusterView& cluster, Decisions& decisions, const std::vector<SizedJob>& jobs,
                 const std::vector<SizeChoice>& chosen);
  void start_wanted(const ClusterView& cluster, Decisions& decisions);

  Instant interval_;
  Instant next_{};
  bool between_rounds_ = false;
  std::map<JobId, int> starts_;
  std::map<JobId, SizeChoice> wanted_; // by the last plan
};

} // namespace trainyard
