// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/faults.hpp"

#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

/// Kinds of which there are many alike, so that each can fail after a time of its own.
std::vector<std::string> drawn_kinds()
{
  return {"process", "gpu", "node", "rack", "switch", "link", "storage", "manager", "object_store"};
}

class FaultsReader final : public ScenarioSection
{
public:
  nlohmann::ordered_json schema(const Parts&, const Catalogue&) const override
  {
    using namespace schema;
    const Json one =
        object("a failure",
               {{"fail", text("what fails: node:worker-1, gpu:worker-1/0, rack:3, switch:leaf-0, link:worker-1, "
                              "process:train/worker-0, "
                              "storage, manager:0, daemon_config:worker-1, daemon_restart:worker-1, object_store")},
                {"at", quantity("time of the failure", "2 h")},
                {"lasts", quantity("time until it is repaired; default: it is never repaired", "6 h")},
                {"until", quantity("time of the repair, instead of 'lasts'", "8 h")},
                {"remaining", number("for a link: share of its bandwidth that remains")}},
               {"fail", "at"});
    const Json list = list_of({{"anyOf", {text("rack:3@02:00+6h"), one}}}, "failures at known times");
    const Json random =
        object("random failures",
               {{"kind", name_of(drawn_kinds(), "what fails")},
                {"mtbf", quantity("mean time from repair to failure of one node, GPU, …", "50000 h")},
                {"distribution", name_of({"exponential", "weibull"}, "distribution of these times")},
                {"shape", number("shape of the Weibull distribution; below 1: failures tend to come early", 0.05)},
                {"mttr", quantity("mean time to repair (default 0 s)", "4 h")},
                {"repair", name_of({"fixed", "exponential", "log_normal"}, "distribution of the repair times")},
                {"repair_sigma", number("standard deviation of the logarithm of the repair time")},
                {"spreads", number("probability that a failing node makes each other node of its rack fail")},
                {"group", text("node group; only its nodes fail")}},
               {"kind", "mtbf"});
    Json mtbf = object("short form: mean time between failures for each kind", {});
    for (const std::string& kind : drawn_kinds())
      mtbf["properties"][kind] = quantity("mean time between failures of one " + kind, "50000 h");
    mtbf["properties"]["mttr"] = quantity("mean time to repair, for all kinds", "4 h");
    const Json whole_section =
        object("what fails, and when",
               {{"list", list}, {"also", list}, {"random", list_of(random, "random failures")}, {"mtbf", mtbf}});
    return {{"anyOf", {list, whole_section}}, {"description", "what fails, and when"}};
  }

  std::any read(const SectionInput& input) const override
  {
    FaultsSection section;
    if (input.node.kind == DocumentNode::Kind::list) {
      for (const DocumentNode& item : input.node.items)
        read_fault(input, item, section);
      return section;
    }
    MapReader reader{input.document, &input.node, "'faults'", input.diagnostics};
    for (const char* key : {"list", "also"}) // `also`: what the command line adds
      for (const DocumentNode* item : reader.list(key))
        read_fault(input, *item, section);
    for (const DocumentNode* item : reader.list("random"))
      read_random(input, *item, section);
    MapReader mtbf{input.document, reader.node("mtbf"), "'mtbf'", input.diagnostics};
    const Seconds mttr{mtbf.quantity("mttr", QuantityKind::duration, 0)};
    for (const std::string& kind : drawn_kinds())
      if (mtbf.has(kind)) {
        RandomFaultSpec spec;
        spec.kind = *fault_kind(kind);
        spec.mtbf = Seconds{mtbf.quantity(kind, QuantityKind::duration, 1, 1)};
        spec.mttr = mttr;
        section.random.push_back(spec);
      }
    mtbf.finish();
    reader.finish();
    return section;
  }

private:
  static void read_fault(const SectionInput& input, const DocumentNode& item, FaultsSection& section)
  {
    FaultSpec fault;
    fault.line = item.line;
    fault.column = item.column;
    if (item.kind == DocumentNode::Kind::scalar) {
      if (const auto wrong = parse_fault(item.text, fault))
        input.document.error(input.diagnostics, item, *wrong);
      else
        section.list.push_back(fault);
      return;
    }
    MapReader reader{input.document, &item, "a failure", input.diagnostics};
    const std::string what = reader.required_text("fail");
    const std::size_t colon = what.find(':');
    const std::vector<std::string> names = fault_kind_names();
    const auto kind = fault_kind(what.substr(0, colon));
    if (!kind && !what.empty())
      reader.error("fail", fmt::format("unknown kind of failure '{}'{}; kinds are {}", what.substr(0, colon),
                                       did_you_mean(what.substr(0, colon), names), fmt::join(names, ", ")));
    fault.kind = kind.value_or(FaultKind::node);
    fault.target = colon == std::string::npos ? "" : what.substr(colon + 1);
    fault.at = Seconds{reader.required_quantity("at", QuantityKind::duration)};
    if (reader.has("lasts") && reader.has("until"))
      reader.error("until", "give either 'lasts' or 'until'");
    if (reader.has("lasts"))
      fault.lasts = Seconds{reader.quantity("lasts", QuantityKind::duration, 1, 1e-6)};
    if (reader.has("until")) {
      const Seconds until{reader.quantity("until", QuantityKind::duration, 0)};
      if (until <= fault.at)
        reader.error("until",
                     fmt::format("the repair at {} comes before the failure at {}", to_text(until), to_text(fault.at)));
      else
        fault.lasts = until - fault.at;
    }
    fault.remaining = reader.number("remaining", 0, 0, 0.999);
    if (reader.has("remaining") && fault.kind != FaultKind::link)
      reader.error("remaining", "only a link can keep a part of its bandwidth; everything else works or fails");
    reader.finish();
    if (kind)
      section.list.push_back(fault);
  }

  static void read_random(const SectionInput& input, const DocumentNode& item, FaultsSection& section)
  {
    MapReader reader{input.document, &item, "a rule of failures", input.diagnostics};
    RandomFaultSpec spec;
    const std::string kind = reader.choice("kind", "node", drawn_kinds());
    spec.kind = fault_kind(kind).value_or(FaultKind::node);
    spec.mtbf = Seconds{reader.required_quantity("mtbf", QuantityKind::duration, 1)};
    spec.distribution = reader.choice("distribution", "exponential", {"exponential", "weibull"});
    spec.shape = reader.number("shape", 1, 0.05, 100);
    spec.mttr = Seconds{reader.quantity("mttr", QuantityKind::duration, 0)};
    spec.repair = reader.choice("repair", "fixed", {"fixed", "exponential", "log_normal"});
    spec.repair_sigma = reader.number("repair_sigma", 0.5, 0, 5);
    spec.spreads = reader.number("spreads", 0, 0, 1);
    spec.group = reader.text("group", "");
    if (reader.has("shape") && spec.distribution != "weibull")
      reader.error("shape", "only the Weibull distribution has a shape; write distribution: weibull");
    if (spec.spreads > 0 && spec.kind != FaultKind::node)
      reader.error("spreads", "only failures of nodes can spread to their rack");
    if (!spec.group.empty() && std::ranges::find(input.scenario.cluster.nodes, spec.group, &NodeGroupSpec::name) ==
                                   input.scenario.cluster.nodes.end())
      reader.error("group", fmt::format("there is no group of nodes '{}'", spec.group));
    reader.finish();
    section.random.push_back(spec);
  }
};

TY_REGISTER(ScenarioSection, FaultsReader, "faults", "what fails and when: listed, or drawn from distributions");

} // namespace
} // namespace trainyard
