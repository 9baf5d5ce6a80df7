// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/safe_text.hpp"
#include "sim/export/exporter.hpp"

#include <fmt/format.h>

namespace trainyard {
namespace {

/// The jobs as a Swarm stack (compose version 3): workers and parameter servers as services with generic resources.
class ComposeStack final : public Exporter
{
public:
  ExportText write(const ExportInput& input) const override
  {
    if (input.scenario == nullptr || input.scenario->jobs.empty())
      throw InputError{"compose needs a scenario with jobs"};
    ExportText result;
    result.text = "# Written by Trainyard. Images are placeholders; nodes join with --node-generic-resource gpu=<UUID> "
                  "once per GPU:\n";
    for (const NodeGroupSpec& group : input.scenario->cluster.nodes) {
      const NodeTypeSpec& type = input.scenario->cluster.node_types.at(group.type);
      result.text += fmt::format("#   {} x {}: {}\n", group.count, one_line(group.name),
                                 type.gpus > 0 ? fmt::format("{} x {}", type.gpus, type.gpu) : std::string{"no GPU"});
    }
    result.text += "version: \"3.5\"\nservices:\n";
    ManifestNames names;
    const bool one = input.scenario->jobs.size() == 1;
    for (const JobSpec& job : input.scenario->jobs) {
      const std::string prefix = one ? "" : names.of(job.name, result.notes) + "-";
      result.text += fmt::format("  {}worker:\n    image: example/train:1\n    deploy:\n      replicas: {}\n      "
                                 "restart_policy: {{condition: on-failure}}\n",
                                 prefix, job.workers);
      if (on_gpus(job))
        result.text += "      resources:\n        reservations:\n          generic_resources:\n            - "
                       "discrete_resource_spec: {kind: gpu, value: 1}\n";
      if (const int servers = servers_of(job); servers > 0)
        result.text += fmt::format("  {}ps:\n    image: example/train:1\n    deploy:\n      replicas: {}\n      "
                                   "restart_policy: {{condition: any}}\n",
                                   prefix, servers);
      result.notes.push_back(
          fmt::format("job {}: model {}, batch and network are not part of a stack", job.name, job.model));
    }
    return result;
  }
};

TY_REGISTER(Exporter, ComposeStack, "compose", "Docker Swarm stack of a planned cluster's jobs");

} // namespace
} // namespace trainyard
