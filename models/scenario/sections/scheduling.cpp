#include "models/scenario/sections/scheduling.hpp"

#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

namespace trainyard {
namespace {

class SchedulingReader final : public ScenarioSection
{
public:
  nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const override
  {
    using namespace schema;
    const auto choice = [&](const std::string& kind, const std::string& meaning) {
      Json settings = {{"name", part_of(parts, kind, meaning)}, {"label", text("what it is called in the tables")}};
      add_settings(settings, parts, {kind}, catalogue);
      Json one = {{"anyOf", {part_of(parts, kind, meaning), object(meaning + ", with settings", settings, {"name"})}},
                  {"description", meaning}};
      return one;
    };
    return object("how the queue is served",
                  {{"policy", choice("queue_policy", "which job starts next (default fifo)")},
                   {"policies", list_of(choice("queue_policy", "a queue policy"), "several to compare on the same jobs")},
                   {"placement", choice("placement_policy", "on which machines (default first_fit)")},
                   {"placements", list_of(choice("placement_policy", "a placement policy"), "several to compare")},
                   {"cluster", name_of({"machines", "pool"}, "machines, or one pool of GPUs that are only counted (default machines)")},
                   {"speed", name_of({"trace", "step"},
                                     "how fast jobs work: as the trace says wherever they run, or by the training step at their place and "
                                     "beside their neighbours; then the scenario's jobs say how each model trains (default trace)")},
                   {"policy_period", quantity("decisions only at multiples of this; default: whenever something happens", "5 min")},
                   {"start_cost", quantity("at a first start, on the GPUs, without progress (default 0 s)", "30 s")},
                   {"checkpoint_cost", quantity("saving before a preemption (default 0 s)", "10 s")},
                   {"restart_cost", quantity("loading after a preemption (default 0 s)", "30 s")},
                   {"checkpoint_interval", quantity("work between checkpoints: what a failure can lose", "1 h")}});
  }

  std::any read(const SectionInput& input) const override
  {
    SchedulingSection section;
    MapReader reader{input.document, &input.node, "'scheduling'", input.diagnostics};
    const auto both = [&](const char* one, const char* several, const char* kind, const char* what, const char* fallback) {
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
      reader.error("speed", "speed: step needs machines; take cluster: pool out");
    section.policy_period = Seconds{reader.quantity("policy_period", QuantityKind::duration, 0)};
    section.start_cost = Seconds{reader.quantity("start_cost", QuantityKind::duration, 0)};
    section.checkpoint_cost = Seconds{reader.quantity("checkpoint_cost", QuantityKind::duration, 0)};
    section.restart_cost = Seconds{reader.quantity("restart_cost", QuantityKind::duration, 0)};
    if (reader.has("checkpoint_interval"))
      section.checkpoint_interval = Seconds{reader.quantity("checkpoint_interval", QuantityKind::duration, 3600, 1e-3)};
    reader.finish();
    return section;
  }
};

TY_REGISTER(ScenarioSection, SchedulingReader, "scheduling", "how the queue is served: policies, placement, what starts and stops cost");

} // namespace
} // namespace trainyard
