// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/slurm_limits.hpp"

#include "models/core/text.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace trainyard {

std::vector<Parameter> slurm_parameters()
{
  const auto weight = [](const char* name, const char* meaning) {
    return Parameter{.name = name,
                     .default_value = "0",
                     .meaning = meaning,
                     .minimum = 0,
                     .maximum = 1e12,
                     .source = "Slurm, priority/multifactor"};
  };
  const auto duration = [](const char* name, const char* value, const char* meaning, double least, const char* source) {
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
      {.name = "preempt",
       .kind = "name",
       .default_value = "none",
       .meaning = "PreemptType: qos (slurm.qos: preempts), partition (jobs of a higher tier stop those of a lower)",
       .source = "slurm.conf(5)",
       .choices = {"none", "qos", "partition"}},
      {.name = "preempt_mode",
       .kind = "name",
       .default_value = "requeue",
       .meaning = "PreemptMode: requeue (a stopped job waits again, its progress kept), cancel (it is lost)",
       .source = "slurm.conf(5)",
       .choices = {"requeue", "cancel"}},
      {.name = "max_gpus_per_user",
       .default_value = "0",
       .meaning = "MaxTRESPerUser: GPUs that a user may hold at once; 0 = no limit",
       .minimum = 0,
       .maximum = 1e9},
      {.name = "backfill",
       .kind = "boolean",
       .default_value = "true",
       .meaning = "sched/backfill; false: sched/builtin"},
      duration("bf_interval", "30 s", "time between runs of the backfill scheduler", 0.1, "slurm.conf(5)"),
      duration("bf_start", "0 s", "when the backfill scheduler runs first", 0, "slurmctld: at its start"),
      duration("bf_window", "1 d", "how far ahead the backfill scheduler looks", 1, "slurm.conf(5)"),
      {.name = "bf_max_job_test",
       .default_value = "500",
       .meaning = "jobs that the backfill scheduler looks at",
       .minimum = 1,
       .maximum = 1e9,
       .source = "slurm.conf(5)"},
      {.name = "bf_max_job_user",
       .default_value = "0",
       .meaning = "jobs of one user that the backfill scheduler looks at; 0 = no limit",
       .minimum = 0,
       .maximum = 1e9,
       .source = "slurm.conf(5)"},
      {.name = "bf_plan",
       .kind = "name",
       .default_value = "gpus",
       .meaning = "what gaps are made of. gpus: GPUs of the whole cluster, only counted. machines: the GPUs of each "
                  "machine, as Slurm does; always so where partitions or reservations name machines",
       .choices = {"gpus", "machines"}},
      {.name = "machines",
       .kind = "name",
       .default_value = "placement",
       .meaning = "which machines a job gets. placement: those that the placement policy chooses. weights: all free "
                  "GPUs of machine after machine in order of the cluster, as select/cons_tres where each has a larger "
                  "Weight than the one before",
       .source = "slurm.conf(5), Weight",
       .choices = {"placement", "weights"}},
      {.name = "default_queue_depth",
       .default_value = "100",
       .meaning = "jobs that the main scheduler looks at when something has happened",
       .minimum = 1,
       .maximum = 1e9,
       .source = "slurm.conf(5)"},
      duration("sched_interval", "60 s", "how often the main scheduler looks at all jobs", 0.1, "slurm.conf(5)"),
      duration("sched_min_interval", "0 s", "shortest time between two runs of the main scheduler", 0,
               "slurm.conf(5): 2 microseconds"),
      {.name = "runs",
       .kind = "name",
       .default_value = "",
       .meaning = "when the schedulers ran, as the log of a slurmctld says, instead of the intervals: \"m0.5 m1.5 "
                  "b2.25\" (seconds; m: main scheduler, b: backfill)"}};
}

SlurmRuns slurm_runs(const std::string& text)
{
  SlurmRuns runs;
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    std::vector<Instant>& times = word.front() == 'b' ? runs.backfill : runs.main;
    const auto time = as_number<double>(word.substr(1));
    if ((word.front() != 'b' && word.front() != 'm') || !time || !std::isfinite(*time) ||
        (!times.empty() && Seconds{*time} < times.back()))
      throw std::invalid_argument{"runs: '" + word + "' is not m or b and a time that is not before the last of them"};
    times.emplace_back(Seconds{*time});
  }
  return runs;
}

} // namespace trainyard
