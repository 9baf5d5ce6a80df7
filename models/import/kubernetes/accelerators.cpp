// SPDX-License-Identifier: Apache-2.0
// GPUs that pods ask for by the name of a resource: whole ones of a vendor, or slices of NVIDIA's MIG, whose nodes list
// them by profile (strategy "mixed") or as nvidia.com/gpu (strategy "single"). Sources: NVIDIA, MIG user guide; NVIDIA
// device plugin for Kubernetes; AMD and Intel GPU device plugins; Intel Gaudi device plugin; Google Kubernetes Engine,
// TPUs; AWS Neuron device plugin; Huawei Ascend device plugin.
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {
namespace {

struct Accelerator {
  std::string_view resource;
  const char* usual;   // of this maker; empty: the usual GPU; null: the catalogue has none
  double per_chip = 1; // of the resource
};

constexpr Accelerator accelerators[] = {{"nvidia.com/gpu", ""},
                                        {"nvidia.com/gpu.shared", ""}, // time slices, renamed by the device plugin
                                        {"alpha.kubernetes.io/nvidia-gpu", ""},
                                        {"aliyun.com/gpu", ""},
                                        {"amd.com/gpu", "MI300X"},
                                        {"habana.ai/gaudi", "Gaudi2"},
                                        {"gpu.intel.com/i915", nullptr},
                                        {"gpu.intel.com/xe", nullptr},
                                        {"google.com/tpu", "TPU-v5e"},
                                        {"aws.amazon.com/neuron", "Trainium1"},
                                        {"aws.amazon.com/neurondevice", "Trainium1"},
                                        {"aws.amazon.com/neuroncore", "Trainium1", 2},
                                        {"huawei.com/Ascend910", "Ascend-910B"}};

const Accelerator* accelerator(std::string_view resource)
{
  const auto* const found = std::ranges::find(accelerators, resource, &Accelerator::resource);
  return found == std::end(accelerators) ? nullptr : found;
}

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
  const bool of_quotas = object.state.queued && !object.state.kueue.cluster_queues.empty();
  if (object.state.nodes.empty() && needs.gpu_type.empty() && !of_quotas)
    needs.gpu_type = usual_gpu(object.context, resource, place);
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
  return accelerator(name) != nullptr;
}

double chips_of(std::string_view resource, double amount)
{
  const Accelerator* known = accelerator(resource);
  return known == nullptr ? amount : std::ceil(amount / known->per_chip);
}

std::string usual_gpu(const ImportContext& context, const std::string& resource, const ImportPlace& place)
{
  const std::string why = resource + " names the maker alone";
  const Accelerator* known = accelerator(resource);
  if (const auto profile = mig_profile(resource); profile && known == nullptr)
    return context.unknown_gpu(place, resource + " names a slice alone", usual_mig_gpu(*profile));
  if (known == nullptr || (known->usual != nullptr && *known->usual == '\0'))
    return "";
  if (known->usual == nullptr && context.options.gpu.empty()) {
    context.report.error(place,
                         "{} is of a maker whose GPUs are not in the catalogue: --gpu NAME chooses one that "
                         "stands for it",
                         resource);
    return "";
  }
  return context.unknown_gpu(place, why, known->usual == nullptr ? "" : known->usual);
}

std::string product_of(std::string_view label, std::string product)
{
  if (label == "cloud.google.com/gke-tpu-accelerator")
    for (const char* end : {"-slice", "-podslice", "-device"}) // tpu-v5-lite-podslice, tpu-v5p-slice
      if (product.ends_with(end))
        product.resize(product.size() - std::string_view{end}.size());
  return product;
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
        sum = std::max(sum, 0.0) + chips_of(entry.key, std::max(0.0, kubernetes_quantity(entry.value.text)));
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
    if (resource.ends_with(".shared") && count > 0)
      object.report.assumed("each replica of a GPU that is shared counts as a GPU of its own",
                            "pods get one of these, whose share of the GPU is not known", place);
    if (!profile) {
      const double chips = chips_of(resource, std::min(want.first, 1e6));
      needs.gpus += std::min(static_cast<int>(chips), 64);
      object.report.understood(place, "{} ({})", counted(static_cast<long long>(chips), "GPU"), resource);
      if (chips != std::min(want.first, 1e6))
        object.report.assumed(
            {"{:g} x {} are {}", want.first, resource, counted(static_cast<long long>(chips), "chip")},
            "a chip of Trainium1 has two cores, and a job has whole chips", place);
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
