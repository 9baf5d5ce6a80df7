// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/scheduling.hpp"

#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

/// A taint as kubectl writes it: key=value:NoSchedule.
std::optional<Taint> parse_taint(const std::string& text)
{
  const std::size_t colon = text.rfind(':');
  const std::string effect = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (effect != "NoSchedule" && effect != "PreferNoSchedule")
    return std::nullopt;
  const std::size_t equals = std::min(text.find('='), colon);
  Taint taint;
  taint.hard = effect == "NoSchedule";
  taint.key = text.substr(0, equals);
  taint.value = equals < colon ? text.substr(equals + 1, colon - equals - 1) : "";
  return taint;
}

class SchedulingSectionReader final : public SectionOf<SchedulingSection>
{
public:
  SchedulingSectionReader() : SectionOf{"scheduling", "how the queue is scheduled"} {}

protected:
  void fields(Fields& keys, SchedulingSection& section, const SectionInput*) const override
  {
    one_or_several(keys, "policy", "policies", section.policies, "queue_policy", "queue policy", "fifo",
                   "which job starts next");
    section.lists_policies = keys.has("policies");
    one_or_several(keys, "placement", "placements", section.placements, "placement_policy", "placement policy",
                   "first_fit", "which machines a job gets");
    keys.choice("cluster", section.machines, {{"machines", true}, {"pool", false}},
                "machines, or a pool in which only the number of GPUs counts");
    keys.choice("speed", section.step_speed, {{"trace", false}, {"step", true}},
                "speed of jobs. trace: run times from the trace, wherever a job runs. step: from the training step at "
                "the job's place and beside its neighbours; the scenario's jobs say how each model trains");
    if (section.step_speed && !section.machines)
      keys.error("speed", "speed: step needs machines; remove cluster: pool");
    keys.object<GpuSharing>(
        "gpu_sharing",
        "jobs with gpu_share < 1 share GPUs; they slow each other down if they ask for more than a whole GPU together",
        section.sharing, gpu_sharing);
    keys.list<MarkedNodes>(
        "nodes", section.marks, "labels and taints of a machine or group",
        "labels and taints of machines; every machine has the labels gpu=TYPE and kubernetes.io/hostname=NAME", marks);
    keys.object<SiteRules>(
        "site", "what a site does beside its policy, as simrun replay finds it in a log; times as those of submissions",
        section.site, site_fields);
    keys.flag("kill_at_estimate", section.kill_at_estimate,
              "kill a job whose run time reaches the user's estimate, as batch systems do with the requested time; "
              "otherwise it keeps running");
    keys.quantity("policy_period", section.policy_period, "the policy decides only at multiples of this time",
                  {.example = "5 min", .otherwise = "at every event"});
    keys.quantity("start_cost", section.start_cost, "time on the GPUs without progress at the first start",
                  {.example = "30 s"});
    keys.quantity("checkpoint_cost", section.checkpoint_cost,
                  "time to write a checkpoint: at a preemption, and at the end of each checkpoint_interval",
                  {.example = "10 s"});
    keys.quantity(
        "checkpoint_stall", section.checkpoint_stall,
        "with a write in the background: training stands still for so long at each checkpoint_interval, until states "
        "are copied; it goes on while the rest of checkpoint_cost is written, and a write ends before the next begins",
        {.example = "5 s", .otherwise = "all of checkpoint_cost"});
    keys.choice("checkpoint_when", section.save_before_release, {{"preemption", true}, {"resume", false}},
                "when a stopped job pays checkpoint_cost. preemption: it keeps its GPUs while it saves, as in the "
                "grace time of Slurm, and who gets them begins after that. resume: its GPUs pass on at once, and it "
                "pays for saving and loading when it starts again");
    keys.quantity("restart_cost", section.restart_cost, "time to load after a preemption or failure",
                  {.example = "30 s"});
    keys.quantity(
        "storage", section.storage,
        "rate of the storage to which jobs with speed: step write their weights and optimiser states, and from which "
        "they load them; on top of checkpoint_cost and restart_cost",
        {.example = "200 GB/s",
         .least = 1,
         .otherwise = "the network cards decide for elastic jobs with training.parallel, others pay checkpoint_cost"});
    if (keys.has("storage") && !section.step_speed)
      keys.error("storage", "'storage' counts only with speed: step, where models say how large their checkpoints are; "
                            "add it, or give checkpoint_cost and restart_cost instead");
    keys.quantity("checkpoint_interval", section.checkpoint_interval,
                  "work between two checkpoints, in run time of the job; a failure can lose this much, and each costs "
                  "checkpoint_cost",
                  {.example = "1 h", .least = 1e-3, .otherwise = "no checkpoints, a failure loses all"});
    if (section.checkpoint_stall && !keys.has("checkpoint_interval"))
      keys.error("checkpoint_stall", "'checkpoint_stall' has no effect without checkpoint_interval; remove it");
    else if (section.checkpoint_stall && !keys.has("storage") && *section.checkpoint_stall > section.checkpoint_cost)
      keys.error("checkpoint_stall", "training stands still for no longer than a checkpoint takes: give a "
                                     "checkpoint_cost of at least checkpoint_stall");
    keys.flag(
        "shrink_after_failure", section.shrink_after_failure,
        "an elastic job (min_gpus) that loses a machine goes on at once with the GPUs that it has left, from its last "
        "checkpoint, and takes back as many as it had before when a machine is repaired; false: it waits in the queue");
  }

private:
  static void one_or_several(Fields& keys, const char* one, const char* several, std::vector<NamedPart>& values,
                             const char* kind, const char* what, const char* fallback, const std::string& meaning)
  {
    NamedPart single{fallback, {}, fallback};
    const bool has_one = keys.part(one, single, kind, what, meaning);
    const bool has_several = keys.part_list(several, values, kind, what, std::string{"several to compare: "} + meaning);
    if (has_one && has_several)
      keys.error(several, fmt::format("give either '{}' or '{}'", one, several));
    if (values.empty())
      values.push_back(single);
  }

  static void gpu_sharing(Fields& keys, GpuSharing& sharing)
  {
    keys.choice("by", sharing.by_memory, {{"milli", false}, {"memory", true}},
                "what gpu_share means. milli: a share of the GPU's time. memory: a share of its memory; its time is "
                "divided among all jobs on it");
    keys.number("switch_loss", sharing.switch_loss, "share of a GPU's time lost while several processes take turns",
                {.most = 0.9});
    keys.flag("isolated_memory", sharing.isolated_memory,
              "limit a process to its share of the GPU's memory: it dies if it needs more. Otherwise the process that "
              "finds too little free memory dies");
    keys.quantity("out_of_memory_after", sharing.out_of_memory_after,
                  "time from a job's start until it dies for lack of GPU memory", {.example = "30 s"});
    keys.integer("out_of_memory_tries", sharing.out_of_memory_tries, "attempts before such a job is given up",
                 {.least = 1, .most = 1000});
  }

  static void site_fields(Fields& keys, SiteRules& site)
  {
    constexpr double most = 100'000'000, day = 86400;
    keys.list<SiteRules::Closed>(
        "closed", site.closed, "a closed time", "times in which no job starts: maintenance, outages",
        [&](Fields& inner, SiteRules::Closed& one) {
          inner.quantity("from", one.from, "when it begins", {.example = "24 d", .required = true});
          inner.quantity("until", one.until, "when it ends", {.example = "25 d", .required = true});
          if (inner.reading() && one.until <= one.from)
            inner.error("until", "'until' is not after 'from'");
          inner.integer("gpus", one.gpus,
                        "GPUs that jobs may hold at once then, as machines are down; 0: no job starts",
                        {.least = 0, .most = most});
        });
    keys.list<SiteRules::UserLimit>(
        "user_limits", site.user_limits, "a limit", "what a user's jobs may hold at once; the others wait outside",
        [&](Fields& inner, SiteRules::UserLimit& one) {
          inner.text("user", one.user, "name of the user", {.required = true});
          inner.integer("gpus", one.gpus, "GPUs", {.least = 1, .most = most, .otherwise = "no limit"});
          inner.integer("jobs", one.jobs, "jobs; 1: one after the other, as a chain",
                        {.least = 1, .most = most, .otherwise = "no limit"});
          if (inner.reading() && one.gpus == 0 && one.jobs == 0)
            inner.error("user", "a limit needs 'gpus' or 'jobs'");
        });
    keys.object<SiteRules::LongJobs>(
        "long_jobs", "hours of the day in which long jobs start", site.long_jobs,
        [&](Fields& inner, SiteRules::LongJobs& one) {
          inner.quantity("longer_than", one.longer_than, "their estimate is above this",
                         {.example = "8 h", .required = true});
          inner.quantity("from", one.from, "hour of the day, counted from that of the first submission",
                         {.example = "18 h", .most = day, .required = true});
          inner.quantity("until", one.until, "hour of the day; before 'from': of the next day",
                         {.example = "2 h", .most = day, .required = true});
        });
    keys.list<SiteRules::Hold>("holds", site.holds, "a hold", "jobs that somebody holds, or that wait for others",
                               [](Fields& inner, SiteRules::Hold& one) {
                                 inner.text("job", one.job, "its name", {.required = true});
                                 inner.quantity("until", one.until, "it does not start before",
                                                {.example = "3 d", .required = true});
                               });
    keys.integer("largest_job", site.largest_job, "jobs that ask for more GPUs ask for so many instead",
                 {.least = 1, .most = most, .otherwise = "as they ask"});
  }

  static void marks(Fields& keys, MarkedNodes& marked)
  {
    keys.text("nodes", marked.nodes, "name of a node group, or of one machine", {.required = true});
    keys.texts("labels", marked.traits.labels, "labels key=value, for the jobs' node_selector and prefers");
    std::vector<std::string> taints;
    keys.texts("taints", taints, "taints key=value:NoSchedule or key=value:PreferNoSchedule");
    for (const std::string& text : taints)
      if (const std::optional<Taint> taint = parse_taint(text))
        marked.traits.taints.push_back(*taint);
      else
        keys.error("taints",
                   fmt::format("a taint is key=value:NoSchedule or key=value:PreferNoSchedule, not '{}'", text));
  }
};

TY_REGISTER(ScenarioSection, SchedulingSectionReader, "scheduling",
            "how the queue is scheduled: policies, placement, cost of starts and stops");

} // namespace
} // namespace trainyard
