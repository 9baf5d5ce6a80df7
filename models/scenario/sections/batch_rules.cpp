// SPDX-License-Identifier: Apache-2.0
#include "models/job/batch_rules.hpp"

#include "models/scenario/section.hpp"
#include "models/scenario/sections/unique_name.hpp"

#include <set>
#include <utility>

namespace trainyard {
namespace {

constexpr int most_gpus = 1'000'000;

/// Limits that associations have too.
void common_limit_fields(Fields& keys, BatchLimits& limits)
{
  const FieldRange none{.least = 1, .most = most_gpus, .otherwise = "no limit"};
  keys.quantity("max_time", limits.time, "longest run time that a job may ask for (its estimate): MaxTime, MaxWall",
                {.example = "1 d", .least = 1, .otherwise = "no limit"});
  keys.integer("max_gpus_per_job", limits.job_gpus, "GPUs of one job: MaxTRESPerJob", none);
  keys.integer("group_gpus", limits.all_gpus, "GPUs that all its jobs may hold at once: GrpTRES", none);
  keys.integer("max_jobs_per_user", limits.user_jobs, "jobs of a user that may run at once: MaxJobsPerUser", none);
  keys.integer("group_jobs", limits.all_jobs, "jobs that may run at once: GrpJobs", none);
  keys.integer("max_submitted_per_user", limits.user_submitted,
               "jobs of a user that may wait and run at once, others are refused: MaxSubmitJobsPerUser", none);
  keys.integer("group_submitted", limits.all_submitted,
               "jobs that may wait and run at once, others are refused: GrpSubmitJobs", none);
}

void limit_fields(Fields& keys, BatchLimits& limits)
{
  const FieldRange none{.least = 1, .most = most_gpus, .otherwise = "no limit"};
  common_limit_fields(keys, limits);
  keys.integer("max_gpus_per_user", limits.user_gpus, "GPUs that a user's jobs may hold at once: MaxTRESPerUser", none);
  keys.integer("max_gpus_per_account", limits.account_gpus,
               "GPUs that the jobs of an account (team) may hold at once: MaxTRESPerAccount", none);
}

class BatchRulesReader final : public SectionOf<BatchRules>
{
public:
  BatchRulesReader() : SectionOf{"slurm", "partitions, QOS, accounts and reservations, for the queue policy slurm"} {}

protected:
  void fields(Fields& keys, BatchRules& rules, const SectionInput*) const override
  {
    std::set<std::string> partitions, qos, reservations;
    keys.list<BatchPartition>(
        "partitions", rules.partitions, "a partition",
        "partitions: machines and rules for the jobs whose queue has this name. Other queues have all machines",
        [&](Fields& inner, BatchPartition& one) { partition_fields(inner, one, partitions); });
    keys.list<BatchQos>("qos", rules.qos, "a QOS", "qualities of service, which jobs name in `qos`",
                        [&](Fields& inner, BatchQos& one) { qos_fields(inner, one, qos); });
    keys.list<BatchAssociation>(
        "associations", rules.associations, "an association",
        "accounts and their users, with limits; those of all jobs count at every level of the tree of accounts",
        [](Fields& inner, BatchAssociation& one) { association_fields(inner, one); });
    keys.list<BatchReservation>(
        "reservations", rules.reservations, "a reservation",
        "machines kept for some users or accounts for a time, or for nobody: a maintenance window. A job that would "
        "still run by its estimate does not start there",
        [&](Fields& inner, BatchReservation& one) { reservation_fields(inner, one, reservations); });
  }

private:
  static void mode_field(Fields& keys, std::string& mode)
  {
    static const std::vector<std::pair<std::string, std::string>> modes = {
        {"policy", ""}, {"off", "off"}, {"requeue", "requeue"}, {"cancel", "cancel"}};
    keys.choice("preempt_mode", mode, modes,
                "PreemptMode: what happens to its jobs that others would stop; off: they are never stopped; policy: "
                "preempt_mode of the policy");
  }

  static void partition_fields(Fields& keys, BatchPartition& one, std::set<std::string>& names)
  {
    unique_name(keys, one, names, "name of the partition: the queue of its jobs");
    keys.texts("nodes", one.nodes, "its machines, by name or by the name of their group", {},
               {.otherwise = "all machines"});
    keys.number("priority_tier", one.tier, "PriorityTier: jobs of a higher tier go first, whatever their priority",
                {.most = 65533});
    keys.number("priority_job_factor", one.factor, "PriorityJobFactor: part of the priority, times weight_partition",
                {.most = 65533});
    keys.quantity("grace_time", one.grace, "with preempt: partition, time that a stopped job runs on",
                  {.example = "30 s"});
    mode_field(keys, one.preempt_mode);
    keys.text("qos", one.qos,
              "partition QOS: its limits count for all jobs of the partition, before those of their own");
    limit_fields(keys, one.limits);
  }

  static void qos_fields(Fields& keys, BatchQos& one, std::set<std::string>& names)
  {
    unique_name(keys, one, names, "name of the QOS");
    keys.number("priority", one.priority, "part of the priority, over the largest of all QOS, times weight_qos",
                {.most = 4294967293.0});
    keys.texts("preempts", one.preempts, "with preempt: qos, names of QOS whose jobs its jobs may stop");
    keys.quantity("grace_time", one.grace, "time that a stopped job of this QOS runs on", {.example = "30 s"});
    mode_field(keys, one.preempt_mode);
    limit_fields(keys, one.limits);
  }

  static void association_fields(Fields& keys, BatchAssociation& one)
  {
    keys.text("account", one.account, "name of the account: the team of its jobs; root: above all others",
              {.required = true});
    keys.text("user", one.user, "user of the account whose limits these are", {.otherwise = "they are the account's"});
    keys.text("parent", one.parent, "account above this one", {.otherwise = "root"});
    common_limit_fields(keys, one.limits);
  }

  static void reservation_fields(Fields& keys, BatchReservation& one, std::set<std::string>& names)
  {
    unique_name(keys, one, names, "name, which jobs give in `reservation`");
    keys.quantity("start", one.start, "when it begins, since the start of the workload",
                  {.example = "2 d", .required = true});
    keys.quantity("duration", one.length, "how long it lasts", {.example = "8 h", .least = 1, .required = true});
    keys.texts("nodes", one.nodes, "its machines, by name or by the name of their group", {},
               {.otherwise = "all machines"});
    keys.texts("users", one.users, "users who may run jobs in it");
    keys.texts("accounts", one.accounts, "accounts (teams) that may run jobs in it");
  }
};

TY_REGISTER(ScenarioSection, BatchRulesReader, "slurm",
            "partitions, QOS, accounts and reservations, for the queue policy slurm");

} // namespace
} // namespace trainyard
