// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/faults.hpp"

#include "models/scenario/section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trainyard {
namespace {

/// Kinds of which there are many alike, so that each can fail after a time of its own.
std::vector<std::string> drawn_kinds()
{
  return {"process", "gpu", "node", "rack", "switch", "link", "storage", "manager", "object_store"};
}

/// The cluster that groups of nodes are looked up in; null while the schema is written.
using Cluster = const ClusterSpec*;

void fault_fields(Fields& keys, FaultSpec& fault)
{
  fault.line = keys.where().line;
  fault.column = keys.where().column;
  std::string what;
  keys.text("fail", what,
            "what fails: node:worker-1, gpu:worker-1/0, rack:3, switch:leaf-0, link:worker-1, process:train/worker-0, "
            "storage, manager:0, daemon_config:worker-1, daemon_restart:worker-1, object_store",
            {.required = true});
  const std::size_t colon = what.find(':');
  const std::string kind = what.substr(0, colon);
  if (!what.empty() && !fault_kind(kind))
    keys.error("fail", fmt::format("unknown kind of failure '{}'{}; kinds are {}", kind,
                                   did_you_mean(kind, fault_kind_names()), fmt::join(fault_kind_names(), ", ")));
  fault.kind = fault_kind(kind).value_or(FaultKind::node);
  fault.target = colon == std::string::npos ? "" : what.substr(colon + 1);
  keys.quantity("at", fault.at, "time of the failure", {.example = "2 h", .required = true});
  std::optional<Seconds> until;
  const bool lasts = keys.quantity("lasts", fault.lasts, "time until it is repaired",
                                   {.example = "6 h", .least = 1e-6, .otherwise = "it is never repaired"});
  if (keys.quantity("until", until, "time of the repair, instead of 'lasts'", {.example = "8 h"})) {
    if (lasts)
      keys.error("until", "give either 'lasts' or 'until'");
    else if (*until <= fault.at)
      keys.error("until",
                 fmt::format("the repair at {} comes before the failure at {}", to_text(*until), to_text(fault.at)));
    else
      fault.lasts = *until - fault.at;
  }
  if (keys.number("remaining", fault.remaining, "for a link: share of its bandwidth that remains", {.most = 0.999}) &&
      fault.kind != FaultKind::link)
    keys.error("remaining", "only a link can keep a part of its bandwidth; everything else works or fails");
}

/// s. The mean time between failures of a good part is beyond what is simulated.
constexpr double longest_mean_time = 1e15;

void rule_fields(Fields& keys, RandomFaultSpec& rule, Cluster cluster)
{
  std::string kind;
  keys.choice("kind", kind, drawn_kinds(), "what fails", {.required = true});
  rule.kind = fault_kind(kind).value_or(FaultKind::node);
  keys.quantity("mtbf", rule.mtbf, "mean time from repair to failure of one node, GPU, …",
                {.example = "50000 h", .least = 1, .most = longest_mean_time, .required = true});
  keys.choice("distribution", rule.distribution, {"exponential", "weibull"}, "distribution of these times");
  if (keys.number("shape", rule.shape, "shape of the Weibull distribution; below 1: failures tend to come early",
                  {.least = 0.05, .most = 100}) &&
      rule.distribution != "weibull")
    keys.error("shape", "only the Weibull distribution has a shape; write distribution: weibull");
  keys.quantity("mttr", rule.mttr, "mean time to repair", {.example = "4 h"});
  keys.choice("repair", rule.repair, {"fixed", "exponential", "log_normal"}, "distribution of the repair times");
  keys.number("repair_sigma", rule.repair_sigma, "standard deviation of the logarithm of the repair time", {.most = 5});
  keys.number("spreads", rule.spreads, "probability that a failing node makes each other node of its rack fail",
              {.most = 1});
  if (rule.spreads > 0 && rule.kind != FaultKind::node)
    keys.error("spreads", "only failures of nodes can spread to their rack");
  keys.text("group", rule.group, "node group; only its nodes fail", {.otherwise = "all nodes"});
  if (cluster != nullptr && !rule.group.empty() &&
      std::ranges::find(cluster->nodes, rule.group, &NodeGroupSpec::name) == cluster->nodes.end())
    keys.error("group", fmt::format("there is no group of nodes '{}'", rule.group));
}

/// Short form: mean times between failures of each kind.
void mtbf_fields(Fields& keys, std::vector<RandomFaultSpec>& rules)
{
  Seconds mttr;
  keys.quantity("mttr", mttr, "mean time to repair, for all kinds", {.example = "4 h"});
  for (const std::string& kind : drawn_kinds()) {
    RandomFaultSpec rule;
    rule.kind = *fault_kind(kind);
    rule.mttr = mttr;
    if (keys.quantity(kind, rule.mtbf, "mean time between failures of one " + kind,
                      {.example = "50000 h", .least = 1, .most = longest_mean_time, .otherwise = "it does not fail"}))
      rules.push_back(rule);
  }
}

class FaultsReader final : public SectionOf<FaultsSection>
{
public:
  FaultsReader() : SectionOf{"faults", "what fails, and when"} {}

  /// A list alone is the list of failures.
  nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const override
  {
    const schema::Json map = SectionOf::schema(parts, catalogue);
    return {{"anyOf", {map["properties"]["list"], map}}, {"description", "what fails, and when"}};
  }

  std::any read(const SectionInput& input) const override
  {
    if (input.node.kind != DocumentNode::Kind::list)
      return SectionOf::read(input);
    FaultsSection section;
    for (const DocumentNode& item : input.node.items)
      read_fault(input, item, section.list);
    return section;
  }

protected:
  void fields(Fields& keys, FaultsSection& section, const SectionInput* input) const override
  {
    const schema::Json one = schema_of<FaultSpec>(keys.parts(), keys.catalogue(), "a failure", fault_fields);
    const schema::Json list =
        schema::list_of({{"anyOf", {schema::text("rack:3@02:00+6h"), one}}}, "failures at known times");
    for (const char* key : {"list", "also"}) // `also`: what the command line adds
      keys.custom(key, list, [&](const DocumentNode&) {
        for (const DocumentNode* item : keys.reader().list(key))
          read_fault(*input, *item, section.list);
      });
    const Cluster cluster = input == nullptr ? nullptr : &input->scenario.cluster;
    keys.list<RandomFaultSpec>("random", section.random, "a rule of failures", "random failures",
                               [&](Fields& rule, RandomFaultSpec& spec) { rule_fields(rule, spec, cluster); });
    keys.object("mtbf", "short form: mean time between failures for each kind",
                [&](Fields& kinds) { mtbf_fields(kinds, section.random); });
  }

private:
  static void read_fault(const SectionInput& input, const DocumentNode& item, std::vector<FaultSpec>& list)
  {
    if (item.kind != DocumentNode::Kind::scalar)
      return list.push_back(read_record<FaultSpec>(input, item, "a failure", fault_fields));
    FaultSpec fault;
    fault.line = item.line;
    fault.column = item.column;
    if (const auto wrong = parse_fault(item.text, fault))
      input.document.error(input.diagnostics, item, *wrong);
    else
      list.push_back(fault);
  }
};

TY_REGISTER(ScenarioSection, FaultsReader, "faults", "what fails and when: listed, or drawn from distributions");

} // namespace
} // namespace trainyard
