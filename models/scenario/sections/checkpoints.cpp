// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/checkpoints.hpp"

#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace trainyard {
namespace {

/// A rate, or a kind of storage.
void storage_field(Fields& keys, CheckpointsSection& section)
{
  std::vector<std::string> kinds;
  for (const StorageKind& kind : storage_kinds)
    kinds.emplace_back(kind.name);
  const char* meaning = "what checkpoints are written to and read from: its rate, that all machines share in either "
                        "direction, or its kind: lustre (5 GB/s a machine), nfs (0.5 GB/s a machine, 1 GB/s in all), "
                        "object_store (0.85 GB/s a machine), local_nvme (4 GB/s a machine)";
  keys.custom("storage",
              {{"description", meaning},
               {"anyOf",
                {schema::quantity_of(QuantityKind::bandwidth, "rate that all machines share", "200 GB/s"),
                 schema::name_of(kinds, "kind of storage")}}},
              [&](const DocumentNode& node) {
                if (node.kind == DocumentNode::Kind::scalar && !node.text.empty() &&
                    std::isdigit(static_cast<unsigned char>(node.text.front())) == 0)
                  section.kind = keys.reader().choice("storage", section.kind, kinds);
                else
                  section.storage = BytesPerSecond{keys.reader().quantity("storage", QuantityKind::bandwidth, 0, 1)};
              },
              {.otherwise = "lustre"});
}

class CheckpointsReader final : public SectionOf<CheckpointsSection>
{
public:
  CheckpointsReader() : SectionOf{"checkpoints", "how training jobs save, and go on after failures"} {}

protected:
  void fields(Fields& keys, CheckpointsSection& section, const SectionInput*) const override
  {
    keys.quantity("interval", section.interval, "training between two checkpoints",
                  {.example = "20 min",
                   .least = 1e-3,
                   .otherwise = "the best one for failures by chance; of listed ones alone, none is written "
                                "(training.parallel: the best of those tried)"});
    keys.quantity("save", section.save, "time to write a checkpoint, and to load it",
                  {.example = "30 s", .otherwise = "its size over the rate of the storage and of the network cards"});
    storage_field(keys, section);
    keys.quantity(
        "writer", section.writer, "rate at which one process pickles and writes, or reads and unpickles",
        {.example = "2 GB/s", .least = 1, .otherwise = "0.6 GB/s (torch.save); no limit beside a rate of storage"});
    keys.flag("background", section.in_background,
              "training goes on while checkpoints are written; it stands still while states are copied to the hosts");
    bool pinned = true;
    keys.flag("pinned", pinned,
              "with background: host memory for the copies is pinned; false: they run at 1.3 GB/s (pageable memory)");
    if (!pinned)
      section.copy = pageable_rate;
    keys.quantity("copy", section.copy, "with background: rate at which one GPU copies to its host",
                  {.example = "20 GB/s", .least = 1});
    keys.quantity("restart", section.restart,
                  "from a failure until all processes run again, without loading the checkpoint", {.example = "5 min"});
    section.restart_given = keys.has("restart");
    keys.flag("elastic", section.elastic,
              "of jobs with training.parallel: while machines are missing, the job goes on with the replicas that are "
              "left, with the global batch that "
              "keep_batch and decrease_batch of its layout ask for; else it waits for all of its machines");
    keys.integer("min_dp", section.min_dp, "with elastic: fewest replicas with which it goes on",
                 {.least = 1, .most = 1e6});
    section.elastic_given = keys.has("elastic") || keys.has("min_dp");
    keys.quantity("time", section.time, "time that is simulated; a job of fewer steps ends before",
                  {.example = "30 d", .least = 1});
    for (const char* rate : {"storage", "writer"})
      if (keys.has("save") && keys.has(rate))
        keys.error(rate, fmt::format("'{}' has no effect beside 'save'; give one of them", rate));
    if (keys.has("min_dp") && !section.elastic)
      keys.error("min_dp", "'min_dp' has no effect without elastic: true; remove it");
    for (const char* copying : {"copy", "pinned"})
      if (keys.has(copying) && !section.in_background)
        keys.error(copying, fmt::format("'{}' has no effect without background: true; remove it", copying));
  }
};

TY_REGISTER(ScenarioSection, CheckpointsReader, "checkpoints", "how training jobs save, and go on after failures");

} // namespace

StorageRates CheckpointsSection::rates() const
{
  if (storage > BytesPerSecond{})
    return {.shared = storage, .machine = {}, .process = writer};
  const auto* const found =
      std::ranges::find(storage_kinds, std::string_view{kind}, [](const StorageKind& one) { return one.name; });
  return {.shared = found->shared,
          .machine = found->machine,
          .process = writer > BytesPerSecond{} ? writer : pickling_rate};
}

} // namespace trainyard
