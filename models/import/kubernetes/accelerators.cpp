// SPDX-License-Identifier: Apache-2.0
// GPUs that pods ask for by the name of a resource: whole ones of a vendor, or slices of NVIDIA's MIG, whose nodes list
// them by profile (strategy "mixed") or as nvidia.com/gpu (strategy "single"). Sources: NVIDIA, MIG user guide; NVIDIA
// device plugin for Kubernetes; AMD and Intel GPU device plugins; Intel Gaudi device plugin.
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {
namespace {

constexpr const char* gpu_resources[] = {"nvidia.com/gpu",  "alpha.kubernetes.io/nvidia-gpu",
                                         "amd.com/gpu",     "aliyun.com/gpu",
                                         "habana.ai/gaudi", "gpu.intel.com/i915",
                                         "gpu.intel.com/xe"};

/// The nodes that a pod may go to; all of them where none fits, or where they are not in the files.
std::vector<const KubernetesNode*> nodes_for(const KubernetesObject& object, const DocumentNode* spec)
{
  std::vector<const KubernetesNode*> all, open;
  const std::string place = text_at(spec, {"nodeName"});
  for (const KubernetesNode& node : object.state.nodes) {
    all.push_back(&node);
    if (place.empty() ? node_admits(node, spec) : node.name == place)
      open.push_back(&node);
  }
  return open.empty() ? all : open;
}

bool is_partition(std::string_view label)
{
  return label == "cloud.google.com/gke-gpu-partition-size";
}

/// What a pod gets that asks for nvidia.com/gpu: a slice of nodes with the strategy "single", or nothing: a whole GPU.
std::optional<MigProfile> single_slice(const KubernetesObject& object, const DocumentNode* spec,
                                       const ImportPlace& place)
{
  for (const DocumentNode::Entry& entry : entries_at(spec, {"nodeSelector"}))
    if (const auto profile = mig_profile(entry.value.text);
        profile && (is_product_label(entry.key) || is_partition(entry.key)))
      return profile;
  std::optional<MigProfile> largest;
  bool whole = false, several = false;
  for (const KubernetesNode* node : nodes_for(object, spec)) {
    if (!node->resources.contains("nvidia.com/gpu"))
      continue;
    if (!node->slice) {
      whole = true;
      continue;
    }
    several = several || (largest && *largest != *node->slice);
    if (!largest || node->slice->compute > largest->compute)
      largest = node->slice;
  }
  if (!largest)
    return std::nullopt;
  const char* way_out = "a node selector of the pod (nvidia.com/gpu.product) says which";
  if (whole)
    object.report.assumed("pods that ask for nvidia.com/gpu get whole GPUs",
                          {"some nodes list MIG slices under this name, others whole GPUs; {}", way_out}, place);
  else if (several)
    object.report.assumed({"pods that ask for nvidia.com/gpu get {}", to_text(*largest)},
                          {"the nodes list slices of several sizes under this name; {}", way_out}, place);
  return whole ? std::nullopt : largest;
}

/// The GPU that the slices of a resource are cut from, by the first node that lists it.
MigGpu gpu_of(const KubernetesObject& object, const std::string& resource, const MigProfile& profile)
{
  for (const KubernetesNode& node : object.state.nodes)
    if (node.resources.contains(resource) && (!node.slice || *node.slice == profile))
      if (const auto gpu = object.context.catalogue.gpus.find(node.gpu); gpu != object.context.catalogue.gpus.end())
        return mig_gpu(node.gpu, gpu->second.memory.value(), profile);
  return mig_gpu("", 0, profile);
}

/// Slices of one pod, and what is said of them.
struct Slices {
  MigSlices wanted;
  MigGpu gpu;
  double share = 0;
  std::vector<std::string> texts;
  bool single = false;
  ImportPlace place;

  void add_to(PodNeeds& needs, ImportReport& report) const
  {
    if (wanted.empty())
      return;
    const int gpus = mig_gpus(wanted, gpu);
    const bool part = gpus == 1 && needs.gpus == 0 && share < 0.9995;
    needs.gpus += gpus;
    if (part)
      needs.gpu_share = share;
    report.assumed({"{} {} {}", fmt::join(texts, " and "), texts.size() > 1 ? "are" : "is",
                    part ? fmt::format("{:.3g} of a GPU", share) : counted(gpus, "whole GPU")},
                   {"the GPU has {} compute slices{}{}", gpu.compute,
                    part ? "" : "; a part of a GPU beside others is rounded up",
                    single ? "; the nodes list slices as nvidia.com/gpu" : ""},
                   place);
  }
};

/// The GPUs of the nodes that list the resource: the pod asks for their type where other nodes have another.
void choose_type(const KubernetesObject& object, const std::string& resource, const ImportPlace& place, PodNeeds& needs)
{
  std::set<std::string> types, others;
  bool known = false;
  for (const KubernetesNode& node : object.state.nodes)
    if (!node.resources.empty()) {
      known = true;
      (node.resources.contains(resource) ? types : others).insert(node.gpu);
    }
  if (!known || object.state.queued) // the queue knows which nodes list it
    return;
  if (types.empty()) {
    object.report.assumed({"pods that ask for {} take GPUs of any node", resource},
                          "no node of the files lists it; on the cluster itself they would wait", place);
    return;
  }
  std::erase_if(others, [&](const std::string& type) { return types.contains(type); });
  if (others.empty() || !needs.gpu_type.empty())
    return;
  if (types.size() == 1)
    needs.gpu_type = *types.begin();
  else
    object.report.assumed({"pods that ask for {} may get {}", resource, fmt::join(others, ", ")},
                          "nodes with GPUs of several types list it, and a pod of a scenario asks for one type "
                          "or for any",
                          place);
}

} // namespace

bool is_gpu_resource(std::string_view name)
{
  return std::ranges::find(gpu_resources, name) != std::end(gpu_resources);
}

bool is_accelerator(const std::string& resource)
{
  return is_gpu_resource(resource) || (resource.starts_with("nvidia.com/mig-") && mig_profile(resource));
}

double gpus_in(const DocumentNode* resources)
{
  double sum = -1;
  if (resources != nullptr)
    for (const DocumentNode::Entry& entry : resources->entries)
      if (is_gpu_resource(entry.key))
        sum = std::max(sum, 0.0) + std::max(0.0, kubernetes_quantity(entry.value.text));
  return std::min(sum, 1e6);
}

bool lists_accelerators(const KubernetesNode& node, const DocumentNode* spec)
{
  if (node.resources.empty())
    return true;
  for (const DocumentNode& container : items_at(spec, {"containers"}))
    for (const char* side : {"requests", "limits"})
      for (const DocumentNode::Entry& entry : entries_at(container, {"resources", side}))
        if (is_accelerator(entry.key) && kubernetes_quantity(entry.value.text) > 0 &&
            !node.resources.contains(entry.key))
          return false;
  return true;
}

double mig_quota_share(const MigProfile& profile, const MigGpu& gpu)
{
  return thousandths(mig_share(profile, gpu)) / 1000.0;
}

void add_accelerators(const KubernetesObject& object, PodNeeds& needs)
{
  Slices slices;
  for (const auto& [resource, want] : needs.accelerators) {
    const ImportPlace place = object.at_line(want.second);
    const int count = static_cast<int>(std::clamp(want.first, 0.0, 448.0));
    std::optional<MigProfile> profile = mig_profile(resource);
    if (resource == "nvidia.com/gpu" && count > 0 && (profile = single_slice(object, needs.spec, place)))
      slices.single = true;
    if (count > 0)
      choose_type(object, resource, place, needs);
    if (!profile) {
      needs.gpus += std::min(count, 64);
      object.report.understood(place, "{} ({})", counted(static_cast<long long>(std::min(want.first, 1e6)), "GPU"),
                               resource);
    } else if (count > 0) {
      if (slices.wanted.empty()) {
        slices.gpu = gpu_of(object, resource, *profile);
        slices.place = place;
      }
      slices.wanted.emplace_back(*profile, count);
      slices.share += count * mig_share(*profile, slices.gpu);
      slices.texts.push_back(fmt::format("{} x {}", count, resource));
    }
  }
  slices.add_to(needs, object.report);
}

} // namespace trainyard
