// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/checkpoints.hpp"

#include "models/scenario/section.hpp"

namespace trainyard {
namespace {

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
    keys.quantity("storage", section.storage, "rate of the storage that all machines share, in either direction",
                  {.example = "200 GB/s", .least = 1, .otherwise = "the network cards decide"});
    keys.flag("background", section.in_background,
              "training goes on while checkpoints are written; it stands still while states are copied to the hosts");
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
    if (keys.has("save") && keys.has("storage"))
      keys.error("storage", "'storage' has no effect beside 'save'; give one of them");
    if (keys.has("min_dp") && !section.elastic)
      keys.error("min_dp", "'min_dp' has no effect without elastic: true; remove it");
    if (keys.has("copy") && !section.in_background)
      keys.error("copy", "'copy' has no effect without background: true; remove it");
  }
};

TY_REGISTER(ScenarioSection, CheckpointsReader, "checkpoints", "how training jobs save, and go on after failures");

} // namespace
} // namespace trainyard
