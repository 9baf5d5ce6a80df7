// SPDX-License-Identifier: Apache-2.0
#include "models/job/kueue_rules.hpp"

#include "models/core/closest.hpp"
#include "models/core/units.hpp"
#include "models/scenario/section.hpp"
#include "models/scenario/sections/unique_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

namespace trainyard {
namespace {

constexpr double most_quota = 1'000'000;
constexpr double most_bytes = 1e18;
constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr const char* weight_meaning = "with fair_sharing, weight of its share of what is borrowed";

/// "there is no cohort 'a'; did you mean 'b'?; list it in kueue.cohorts"
std::string not_there(const std::string& what, const std::string& name, const std::set<std::string>& names)
{
  return fmt::format("there is no {} '{}'{}; list it in kueue.{}s", what, name,
                     did_you_mean(name, std::vector<std::string>{names.begin(), names.end()}), what);
}

/// The first resource of a set of bits, as its key.
const char* resource_name(unsigned bits)
{
  constexpr const char* names[] = {"nominal_quota (GPUs)", "cpu", "memory", "pods"};
  return names[std::countr_zero(bits)];
}

class KueueReader final : public SectionOf<KueueRules>
{
public:
  KueueReader() : SectionOf{"kueue", "flavors, cohorts and cluster queues, for the queue policy kueue"} {}

protected:
  void fields(Fields& keys, KueueRules& rules, const SectionInput*) const override
  {
    std::set<std::string> flavors, cohorts, queues;
    keys.list<KueueFlavor>("flavors", rules.flavors, "a flavor",
                           "resource flavors: kinds of machines, by GPU type or name, each with quotas of its own",
                           [&](Fields& inner, KueueFlavor& one) { flavor_fields(inner, one, flavors); },
                           {.required = true});
    keys.list<KueueCohort>("cohorts", rules.cohorts, "a cohort",
                           "cohorts with a parent or quotas of their own; others need no entry as long as none has one",
                           [&](Fields& inner, KueueCohort& one) {
                             unique_name(inner, one, cohorts,
                                         "name of the cohort, for cluster queues and other cohorts");
                             inner.text("parent", one.parent, "the cohort from which this one may borrow too");
                             quota_fields(inner, one.quotas, flavors, !one.parent.empty());
                             inner.number("weight", one.weight, weight_meaning, {.most = most_quota});
                           });
    keys.list<KueueClusterQueue>(
        "cluster_queues", rules.cluster_queues, "a cluster queue", "cluster queues: quotas of the team of this name",
        [&](Fields& inner, KueueClusterQueue& one) { queue_fields(inner, one, flavors, queues, cohorts); },
        {.required = true});
    keys.choice<KueueUndeclared>(
        "quota_check_strategy", rules.undeclared,
        {{"BlockUndeclared", KueueUndeclared::block}, {"IgnoreUndeclared", KueueUndeclared::ignore}},
        "whether a job that asks for a resource of which its cluster queue has no quota never starts, or that resource "
        "is not limited",
        {.otherwise = "IgnoreUndeclared in queues that have quotas of GPUs alone, BlockUndeclared in others"});
    if (keys.reading())
      check_tree(keys, rules, cohorts);
  }

private:
  static void flavor_fields(Fields& keys, KueueFlavor& one, std::set<std::string>& names)
  {
    unique_name(keys, one, names, "name of the flavor, for quotas");
    keys.text("gpu", one.gpu, "GPU type of its machines", {.otherwise = "any type"});
    keys.texts("nodes", one.nodes, "its machines, by name or by the name of their group", {},
               {.otherwise = "all machines"});
    if (!one.gpu.empty() && !one.nodes.empty())
      keys.error("nodes", "a flavor has either a GPU type or machines; remove 'gpu' or 'nodes'");
  }

  /// A limit that needs somebody to share with.
  static void check_limits(Fields& keys, const KueueAmount& amount, bool may_borrow)
  {
    for (const auto& [key, limit] :
         {std::pair{"borrowing_limit", amount.borrowing_limit}, std::pair{"lending_limit", amount.lending_limit}})
      if (!may_borrow && std::isfinite(limit))
        keys.error(key, fmt::format("'{}' has no effect without a cohort or parent to share with; remove it", key));
  }

  /// Quota of CPU or pods: `cpu: 64`, or `cpu: {nominal_quota: 64, borrowing_limit: 32}`.
  static void amount_fields(Fields& keys, const std::string& key, const std::string& what, KueueAmount& amount,
                            bool may_borrow)
  {
    double nominal = no_limit; // none
    keys.word_or_object(
        key,
        [&](Fields& word) {
          word.number(key, nominal, what + " that it has", {.most = most_quota, .otherwise = "no quota"});
        },
        "quota of " + what,
        [&](Fields& inner) {
          inner.number("nominal_quota", nominal, what + " that it has", {.most = most_quota, .required = true});
          inner.number("borrowing_limit", amount.borrowing_limit,
                       fmt::format("most {} that it may borrow from its cohort", what),
                       {.most = most_quota, .otherwise = "no limit"});
          inner.number("lending_limit", amount.lending_limit,
                       fmt::format("most {} of its own that others of its cohort may use", what),
                       {.most = most_quota, .otherwise = "no limit"});
          check_limits(inner, amount, may_borrow);
        });
    if (std::isfinite(nominal))
      amount.nominal = nominal;
  }

  /// Quota of memory: `memory: 512 GiB`, or a map as that of CPU.
  static void memory_fields(Fields& keys, KueueAmount& amount, bool may_borrow)
  {
    Bytes nominal{no_limit}, borrowing{no_limit}, lending{no_limit};
    keys.word_or_object(
        "memory",
        [&](Fields& word) {
          word.quantity("memory", nominal, "memory that it has",
                        {.example = "512 GiB", .most = most_bytes, .otherwise = "no quota"});
        },
        "quota of memory",
        [&](Fields& inner) {
          inner.quantity("nominal_quota", nominal, "memory that it has",
                         {.example = "512 GiB", .most = most_bytes, .required = true});
          inner.quantity("borrowing_limit", borrowing, "most memory that it may borrow from its cohort",
                         {.example = "256 GiB", .most = most_bytes, .otherwise = "no limit"});
          inner.quantity("lending_limit", lending, "most memory of its own that others of its cohort may use",
                         {.example = "256 GiB", .most = most_bytes, .otherwise = "no limit"});
          amount.borrowing_limit = borrowing.value();
          amount.lending_limit = lending.value();
          check_limits(inner, amount, may_borrow);
        });
    if (std::isfinite(nominal.value()))
      amount.nominal = nominal.value();
  }

  static void quota_fields(Fields& keys, std::vector<KueueQuota>& quotas, const std::set<std::string>& flavors,
                           bool may_borrow)
  {
    std::set<std::string> given;
    keys.list<KueueQuota>(
        "quotas", quotas, "a quota", "GPUs, CPU, memory and pods by flavor; jobs try the flavors in this order",
        [&](Fields& inner, KueueQuota& one) {
          inner.text("flavor", one.flavor, "one of kueue.flavors", {.required = true});
          double nominal = no_limit; // none
          inner.number("nominal_quota", nominal, "GPUs that it has", {.most = most_quota, .otherwise = "no quota"});
          inner.number("borrowing_limit", one.borrowing_limit, "most GPUs that it may borrow from its cohort",
                       {.most = most_quota, .otherwise = "no limit"});
          inner.number("lending_limit", one.lending_limit, "most of its own GPUs that others of its cohort may use",
                       {.most = most_quota, .otherwise = "no limit"});
          amount_fields(inner, "cpu", "CPU cores", one.cpu, may_borrow);
          memory_fields(inner, one.memory, may_borrow);
          amount_fields(inner, "pods", "pods", one.pods, may_borrow);
          one.nominal = std::isfinite(nominal) ? nominal : -1;
          if (!inner.reading() || one.flavor.empty())
            return;
          if (!flavors.contains(one.flavor))
            inner.error("flavor", not_there("flavor", one.flavor, flavors));
          else if (!given.insert(one.flavor).second)
            inner.error("flavor", fmt::format("the flavor '{}' has two quotas here", one.flavor));
          if (one.covered() == 0)
            inner.error("it says no amount; give nominal_quota (GPUs), cpu, memory or pods");
          if (!one.covers(KueueResource::gpu))
            for (const auto& [key, limit] :
                 {std::pair{"borrowing_limit", one.borrowing_limit}, std::pair{"lending_limit", one.lending_limit}})
              if (std::isfinite(limit))
                inner.error(key, fmt::format("'{}' is of GPUs, of which there is no nominal_quota here; give one, or "
                                             "put the limit below cpu, memory or pods",
                                             key));
          check_limits(inner, one.of(KueueResource::gpu), may_borrow);
        });
  }

  /// A resource is in one resource group: flavors that share one have quotas of the same resources.
  static void check_groups(Fields& keys, const std::vector<KueueQuota>& quotas)
  {
    for (std::size_t i = 0; i < quotas.size(); ++i)
      for (std::size_t j = i + 1; j < quotas.size(); ++j) {
        const unsigned first = quotas[i].covered(), second = quotas[j].covered();
        if (first == second || (first & second) == 0)
          continue;
        keys.error("quotas",
                   fmt::format("the flavors '{}' and '{}' both have a quota of {}, but only one of them has one of {}: "
                               "jobs have both from one flavor; give the other one too, 0 where it has none",
                               quotas[i].flavor, quotas[j].flavor, resource_name(first & second),
                               resource_name(first ^ second)));
        return;
      }
  }

  static void queue_fields(Fields& keys, KueueClusterQueue& one, const std::set<std::string>& flavors,
                           std::set<std::string>& names, const std::set<std::string>& cohorts)
  {
    unique_name(keys, one, names, "name of the cluster queue: the team of its jobs");
    keys.text("cohort", one.cohort, "cluster queues of one cohort lend each other what they do not use",
              {.otherwise = "none"});
    if (keys.reading() && !one.cohort.empty() && !cohorts.empty() && !cohorts.contains(one.cohort))
      keys.error("cohort", not_there("cohort", one.cohort, cohorts));
    quota_fields(keys, one.quotas, flavors, !one.cohort.empty());
    if (keys.reading())
      check_groups(keys, one.quotas);
    keys.choice<bool>("queueing_strategy", one.strict_fifo, {{"BestEffortFIFO", false}, {"StrictFIFO", true}},
                      "whether jobs of the queue may pass one whose quota is not free");
    keys.choice<KueuePreemption>("within_cluster_queue", one.within_cluster_queue,
                                 {{"Never", KueuePreemption::never},
                                  {"LowerPriority", KueuePreemption::lower_priority},
                                  {"LowerOrNewerEqualPriority", KueuePreemption::lower_or_newer_equal_priority}},
                                 "jobs of the same queue that one of its jobs may stop");
    keys.choice<KueuePreemption>("reclaim_within_cohort", one.reclaim_within_cohort,
                                 {{"Never", KueuePreemption::never},
                                  {"LowerPriority", KueuePreemption::lower_priority},
                                  {"Any", KueuePreemption::any}},
                                 "jobs of other queues that borrow, which one of its jobs within quota may stop");
    keys.choice<bool>("borrow_within_cohort", one.borrow_within_cohort, {{"Never", false}, {"LowerPriority", true}},
                      "jobs of other queues that borrow, which one of its jobs may stop although it borrows too");
    keys.number("max_priority_threshold", one.max_priority_threshold,
                "with borrow_within_cohort, highest priority of the jobs that it stops so",
                {.least = -1e9, .most = 1e9, .otherwise = "no limit"});
    keys.choice<bool>("when_can_borrow", one.try_next_before_borrowing, {{"Borrow", false}, {"TryNextFlavor", true}},
                      "whether a job borrows in a flavor before it tries the next one");
    keys.choice<bool>("when_can_preempt", one.try_next_before_preempting, {{"Preempt", false}, {"TryNextFlavor", true}},
                      "whether a job stops others in a flavor before it tries the next one");
    keys.number("weight", one.weight, weight_meaning, {.most = most_quota});
    if (one.borrow_within_cohort && one.reclaim_within_cohort == KueuePreemption::never)
      keys.error("borrow_within_cohort", "it needs reclaim_within_cohort: LowerPriority or Any");
    if (std::isfinite(one.max_priority_threshold) && !one.borrow_within_cohort)
      keys.error("max_priority_threshold", "it needs borrow_within_cohort: LowerPriority");
    if (keys.reading() && one.quotas.empty())
      keys.error(fmt::format("the cluster queue '{}' has no quotas, so none of its jobs would ever start; add quotas: "
                             "[{{flavor: NAME, nominal_quota: 8}}]",
                             one.name));
  }

  /// Parents are listed, and lead to a root.
  static void check_tree(Fields& keys, const KueueRules& rules, const std::set<std::string>& names)
  {
    for (const KueueCohort& cohort : rules.cohorts) {
      if (!cohort.parent.empty() && !names.contains(cohort.parent))
        return keys.error("cohorts", fmt::format("the parent of cohort '{}': {}", cohort.name,
                                                 not_there("cohort", cohort.parent, names)));
      const KueueCohort* above = &cohort;
      for (std::size_t steps = 0; !above->parent.empty(); ++steps) {
        if (steps > rules.cohorts.size())
          return keys.error("cohorts", fmt::format("the parents of cohort '{}' lead back to it", cohort.name));
        const auto parent = std::ranges::find(rules.cohorts, above->parent, &KueueCohort::name);
        if (parent == rules.cohorts.end())
          return; // said already
        above = &*parent;
      }
    }
  }
};

TY_REGISTER(ScenarioSection, KueueReader, "kueue", "flavors, cohorts and cluster queues, for the queue policy kueue");

} // namespace
} // namespace trainyard
