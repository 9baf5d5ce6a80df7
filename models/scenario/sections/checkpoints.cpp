// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/checkpoints.hpp"

#include "models/scenario/section.hpp"

namespace trainyard {
namespace {

class CheckpointsReader final : public SectionOf<CheckpointsSection>
{
public:
  CheckpointsReader() : SectionOf{"checkpoints", "how jobs with training.parallel save, and go on after failures"} {}

protected:
  void fields(Fields& keys, CheckpointsSection& section, const SectionInput*) const override
  {
    keys.quantity("interval", section.interval, "training between two checkpoints",
                  {.example = "20 min", .least = 1e-3, .otherwise = "the best of those that are tried"});
    keys.quantity("storage", section.storage, "rate of the storage that all machines share, in either direction",
                  {.example = "200 GB/s", .least = 1, .otherwise = "the network cards decide"});
    keys.flag("background", section.in_background,
              "training goes on while checkpoints are written; it stands still while states are copied to the hosts");
    keys.quantity("copy", section.copy, "with background: rate at which one GPU copies to its host",
                  {.example = "20 GB/s", .least = 1});
    keys.quantity("restart", section.restart,
                  "from a failure until all processes run again, without loading the checkpoint", {.example = "5 min"});
    keys.flag("elastic", section.elastic,
              "while machines are missing, whole replicas train on; else the job waits for all of its machines");
    keys.quantity("time", section.time, "time that is simulated", {.example = "30 d", .least = 1});
    if (keys.has("copy") && !section.in_background)
      keys.error("copy", "'copy' has no effect without background: true; remove it");
  }
};

TY_REGISTER(ScenarioSection, CheckpointsReader, "checkpoints",
            "how jobs with training.parallel save, and go on after failures");

} // namespace
} // namespace trainyard
