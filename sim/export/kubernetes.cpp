// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "sim/export/exporter.hpp"

#include <cmath>
#include <fmt/format.h>

namespace trainyard {
namespace {

std::string pod(const std::string& image, int gpus, const std::string& indent)
{
  std::string text =
      fmt::format("{0}template:\n{0}  spec:\n{0}    containers:\n{0}      - name: {1}\n{0}        image: {2}\n", indent,
                  "tensorflow", image);
  if (gpus > 0)
    text +=
        fmt::format("{0}        resources:\n{0}          limits:\n{0}            nvidia.com/gpu: {1}\n", indent, gpus);
  return text;
}

/// Nodes, and jobs as TFJob (parameter servers) or PyTorchJob (all-reduce): the planned cluster as `simrun import`
/// would find it.
class KubernetesManifests final : public Exporter
{
public:
  ExportText write(const ExportInput& input) const override
  {
    if (input.scenario == nullptr)
      throw InputError{"kubernetes needs a scenario"};
    ExportText result;
    result.text = "# Written by Trainyard: the planned cluster and its jobs. Images are placeholders.\n";
    const Scenario& scenario = *input.scenario;
    ManifestNames node_names, job_names;
    for (const NodeGroupSpec& group : scenario.cluster.nodes) {
      const NodeTypeSpec& type = scenario.cluster.node_types.at(group.type);
      for (int i = 0; i < group.count; ++i) {
        result.text += fmt::format("---\napiVersion: v1\nkind: Node\nmetadata:\n  name: {}\n",
                                   node_names.of(fmt::format("{}-{}", group.name, i), result.notes));
        if (type.gpus > 0)
          result.text += fmt::format("  labels: {{nvidia.com/gpu.product: {}}}\n", type.gpu);
        result.text += fmt::format("status:\n  allocatable: {{cpu: {}, memory: {}Mi", std::max(1, type.cpu_cores),
                                   std::llround(type.memory.value() / 1048576));
        if (type.gpus > 0)
          result.text += fmt::format(", nvidia.com/gpu: {}", type.gpus);
        result.text += "}\n";
      }
    }
    for (const JobSpec& job : scenario.jobs) {
      const int servers = servers_of(job), gpus = on_gpus(job) ? 1 : 0;
      const std::string name = job_names.of(job.name, result.notes);
      if (servers > 0) {
        result.text += fmt::format(
            "---\napiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {{name: {}}}\nspec:\n  tfReplicaSpecs:\n    "
            "PS:\n      replicas: {}\n{}    Worker:\n      replicas: {}\n{}",
            name, servers, pod("example/train:1", 0, "      "), job.workers, pod("example/train:1", gpus, "      "));
      } else {
        result.text += fmt::format("---\napiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {{name: "
                                   "{}}}\nspec:\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n{}",
                                   name, pod("example/train:1", gpus, "      "));
        if (job.workers > 1)
          result.text += fmt::format("    Worker:\n      replicas: {}\n{}", job.workers - 1,
                                     pod("example/train:1", gpus, "      "));
      }
      result.notes.push_back(
          fmt::format("job {}: model {}, batch and network are not part of a manifest", job.name, job.model));
    }
    result.notes.emplace_back("the network between nodes is not part of a manifest");
    return result;
  }
};

TY_REGISTER(Exporter, KubernetesManifests, "kubernetes",
            "Kubernetes manifests of a planned cluster: Node, TFJob, PyTorchJob");

} // namespace
} // namespace trainyard
