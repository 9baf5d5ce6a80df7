// SPDX-License-Identifier: Apache-2.0
// The machines of a queue: those of the nodes without what is kept running there, or as many as the quotas speak of.
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace trainyard {
namespace {

/// A GPU that a label of the flavor's nodes names; empty: none does.
std::string flavor_gpu(const KubernetesFlavor& flavor, const ImportContext& context)
{
  for (const auto& [key, value] : flavor.labels)
    if (is_product_label(key))
      return context.gpu(product_of(key, value), flavor.place);
  return "";
}

} // namespace

void add_quota_machines(ImportContext& context, const KubernetesState& state)
{
  if (!context.draft.machines.empty())
    return;
  std::map<std::string, double> gpus; // by flavor
  for (const KueueClusterQueue& queue : state.kueue.cluster_queues)
    for (const KueueQuota& quota : queue.quotas)
      gpus[quota.flavor] += std::max(0.0, quota.nominal);
  for (const KueueCohort& cohort : state.kueue.cohorts)
    for (const KueueQuota& quota : cohort.quotas)
      gpus[quota.flavor] += std::max(0.0, quota.nominal);
  for (const auto& [name, sum] : gpus) {
    if (sum < 1)
      continue;
    const auto flavor = std::ranges::find(state.flavors, name, &KubernetesFlavor::name);
    std::string gpu = flavor == state.flavors.end() ? "" : flavor_gpu(*flavor, context);
    if (const auto asked = state.flavor_resources.find(name); gpu.empty() && asked != state.flavor_resources.end())
      gpu = usual_gpu(context, asked->second, {});
    if (gpu.empty())
      gpu = context.unknown_gpu({}, fmt::format("no label of the flavor '{}' names its GPU", name));
    const int count = static_cast<int>(std::ceil(std::min(sum, 1e5) / 8));
    context.draft.machines.push_back({.name = name, .count = count, .gpu = gpu, .gpus = 8, .note = "assumed"});
    context.report.assumed({"{} with 8 GPUs for the quotas of flavor {}", counted(count, "machine"), name},
                           "no Node is in the files");
  }
}

void take_what_is_kept(ImportContext& context, const KubernetesState& state)
{
  int pods = 0, gpus = 0;
  double cpu = 0;
  for (DraftMachines& machine : context.draft.machines) {
    if (const auto found = state.kept.find(machine.name); found != state.kept.end()) {
      const KubernetesState::Kept& kept = found->second;
      pods += kept.pods;
      const int taken = static_cast<int>(std::ceil(kept.gpus - 1e-9));
      gpus += taken;
      cpu += kept.cpu;
      machine.cpu_cores = std::max(0.0, machine.cpu_cores - kept.cpu);
      machine.memory_bytes = std::max(0.0, machine.memory_bytes - kept.memory_bytes);
      machine.gpus = std::max(0, machine.gpus - taken);
    }
    if (machine.cpu_cores > 0 && state.live)
      machine.cpu_cores = std::ceil(machine.cpu_cores);
  }
  if (state.live)
    context.report.assumed("CPU cores of a node are rounded up", "machines of a scenario have whole cores");
  if (pods == 0)
    return;
  context.report.understood(fmt::format("{} that {} kept running: {:.4g} CPU cores{} and their memory are not there "
                                        "for others",
                                        counted(pods, "pod"), pods == 1 ? "is" : "are", cpu,
                                        gpus > 0 ? ", " + counted(gpus, "GPU") : ""));
  if (gpus > 0 && !state.kueue.cluster_queues.empty())
    context.report.ignored("quota of pods that are kept running", "their GPUs are taken from the nodes alone");
}

} // namespace trainyard
