// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/scheduling.hpp"

#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <algorithm>

namespace trainyard {
namespace {

class SchedulingReader final : public ScenarioSection
{
public:
  nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const override
  {
    using namespace schema;
    const auto choice = [&](const std::string& kind, const std::string& meaning) {
      Json settings = {{"name", part_of(parts, kind, meaning)}, {"label", text("name in the tables")}};
      add_settings(settings, parts, {kind}, catalogue);
      Json one = {{"anyOf", {part_of(parts, kind, meaning), object(meaning + ", with settings", settings, {"name"})}},
                  {"description", meaning}};
      return one;
    };
    return object(
        "how the queue is scheduled",
        {{"policy", choice("queue_policy", "which job starts next (default fifo)")},
         {"policies",
          list_of(choice("queue_policy", "a queue policy"), "several queue policies to compare on the same jobs")},
         {"placement", choice("placement_policy", "which machines a job gets (default first_fit)")},
         {"placements",
          list_of(choice("placement_policy", "a placement policy"), "several placement policies to compare")},
         {"cluster", name_of({"machines", "pool"},
                             "machines, or a pool in which only the number of GPUs counts (default machines)")},
         {"speed",
          name_of({"trace", "step"},
                  "speed of jobs. trace: run times from the trace, wherever a job runs. step: from the training step "
                  "at the job's "
                  "place and beside its neighbours; the scenario's jobs say how each model trains (default trace)")},
         {"gpu_sharing", sharing_schema()},
         {"nodes", marks_schema()},
         {"kill_at_estimate",
          flag("kill a job whose run time reaches the user's estimate, as batch systems do with the requested time "
               "(default false: it keeps running)")},
         {"policy_period",
          quantity("the policy decides only at multiples of this time; default: at every event", "5 min")},
         {"start_cost", quantity("time on the GPUs without progress at the first start (default 0 s)", "30 s")},
         {"checkpoint_cost", quantity("time to save before a preemption (default 0 s)", "10 s")},
         {"restart_cost", quantity("time to load after a preemption (default 0 s)", "30 s")},
         {"checkpoint_interval", quantity("run time between checkpoints; a failure can lose this much work", "1 h")}});
  }

  std::any read(const SectionInput& input) const override
  {
    SchedulingSection section;
    MapReader reader{input.document, &input.node, "'scheduling'", input.diagnostics};
    const auto both = [&](const char* one, const char* several, const char* kind, const char* what,
                          const char* fallback) {
      std::vector<NamedPart> list;
      if (reader.has(one) && reader.has(several))
        reader.error(several, std::string{"give either '"} + one + "' or '" + several + "'");
      if (const DocumentNode* node = reader.node(one); node != nullptr)
        list.push_back(read_named_part(input.document, *node, kind, what, input.parts, input.diagnostics));
      for (const DocumentNode* node : reader.list(several))
        list.push_back(read_named_part(input.document, *node, kind, what, input.parts, input.diagnostics));
      if (list.empty())
        list.push_back({fallback, {}, fallback});
      return list;
    };
    section.policies = both("policy", "policies", "queue_policy", "queue policy", "fifo");
    section.placements = both("placement", "placements", "placement_policy", "placement policy", "first_fit");
    section.machines = reader.choice("cluster", "machines", {"machines", "pool"}) == "machines";
    section.step_speed = reader.choice("speed", "trace", {"trace", "step"}) == "step";
    if (section.step_speed && !section.machines)
      reader.error("speed", "speed: step needs machines; remove cluster: pool");
    if (const DocumentNode* node = reader.node("gpu_sharing"); node != nullptr)
      section.sharing = read_sharing(input, *node);
    for (const DocumentNode* node : reader.list("nodes"))
      section.marks.push_back(read_marks(input, *node));
    section.kill_at_estimate = reader.flag("kill_at_estimate", false);
    section.policy_period = Seconds{reader.quantity("policy_period", QuantityKind::duration, 0)};
    section.start_cost = Seconds{reader.quantity("start_cost", QuantityKind::duration, 0)};
    section.checkpoint_cost = Seconds{reader.quantity("checkpoint_cost", QuantityKind::duration, 0)};
    section.restart_cost = Seconds{reader.quantity("restart_cost", QuantityKind::duration, 0)};
    if (reader.has("checkpoint_interval"))
      section.checkpoint_interval = Seconds{reader.quantity("checkpoint_interval", QuantityKind::duration, 3600, 1e-3)};
    reader.finish();
    return section;
  }

private:
  static schema::Json sharing_schema()
  {
    using namespace schema;
    return object(
        "jobs with gpu_share < 1 share GPUs; they slow each other down if they ask for more than a whole GPU together",
        {{"by",
          name_of({"milli", "memory"}, "what gpu_share means. milli: a share of the GPU's time. memory: a share of its "
                                       "memory; its time is divided among all jobs on it (default milli)")},
         {"switch_loss", number("share of a GPU's time lost while several processes take turns, 0 to 0.9 (default 0)")},
         {"isolated_memory",
          flag("limit a process to its share of the GPU's memory: it dies if it needs more. Otherwise the "
               "process that finds too little free memory dies (default false)")},
         {"out_of_memory_after",
          quantity("time from a job's start until it dies for lack of GPU memory (default 30 s)", "30 s")},
         {"out_of_memory_tries", whole("attempts before such a job is given up (default 3)")}});
  }

  static schema::Json marks_schema()
  {
    using namespace schema;
    const Json texts = {{"type", "array"}, {"items", {{"type", "string"}}}};
    return list_of(object("labels and taints of a machine or group",
                          {{"nodes", text("name of a node group, or of one machine")},
                           {"labels", described(texts, "labels key=value, for the jobs' node_selector and prefers")},
                           {"taints", described(texts, "taints key=value:NoSchedule or key=value:PreferNoSchedule")}},
                          {"nodes"}),
                   "labels and taints of machines; every machine has the label gpu=TYPE");
  }

  static GpuSharing read_sharing(const SectionInput& input, const DocumentNode& node)
  {
    GpuSharing sharing;
    MapReader reader{input.document, &node, "'gpu_sharing'", input.diagnostics};
    sharing.by_memory = reader.choice("by", "milli", {"milli", "memory"}) == "memory";
    sharing.switch_loss = reader.number("switch_loss", 0, 0, 0.9);
    sharing.isolated_memory = reader.flag("isolated_memory", false);
    sharing.out_of_memory_after = Seconds{reader.quantity("out_of_memory_after", QuantityKind::duration, 30)};
    sharing.out_of_memory_tries = reader.integer("out_of_memory_tries", 3, 1, 1000);
    reader.finish();
    return sharing;
  }

  static MarkedNodes read_marks(const SectionInput& input, const DocumentNode& node)
  {
    MarkedNodes marked;
    MapReader reader{input.document, &node, "'nodes'", input.diagnostics};
    marked.nodes = reader.required_text("nodes");
    marked.traits.labels = reader.texts("labels");
    for (const std::string& text : reader.texts("taints")) {
      Taint taint;
      const std::size_t colon = text.rfind(':');
      const std::string effect = colon == std::string::npos ? "" : text.substr(colon + 1);
      const std::size_t equals = text.find('=');
      if (effect != "NoSchedule" && effect != "PreferNoSchedule")
        reader.error("taints", "a taint is key=value:NoSchedule or key=value:PreferNoSchedule, not '" + text + "'");
      taint.hard = effect != "PreferNoSchedule";
      taint.key = text.substr(0, std::min(equals, colon));
      taint.value = equals < colon && colon != std::string::npos ? text.substr(equals + 1, colon - equals - 1) : "";
      marked.traits.taints.push_back(std::move(taint));
    }
    reader.finish();
    return marked;
  }
};

TY_REGISTER(ScenarioSection, SchedulingReader, "scheduling",
            "how the queue is scheduled: policies, placement, cost of starts and stops");

} // namespace
} // namespace trainyard
