// SPDX-License-Identifier: Apache-2.0
/// What other tools call a GPU, the slices that one is cut into, and whose GPUs a pod asks for.
#include "models/hardware/mig.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "tests/import/import_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::catalogue;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;
using tests::lines_of;

/// The GPU of the catalogue, and what is assumed with it.
std::pair<std::string, std::string> gpu_named(const std::string& name, double memory_bytes = 0)
{
  Draft draft;
  ImportReport report;
  const ImportOptions options;
  const ImportContext context{draft, report, catalogue(), options};
  const std::string gpu = context.gpu(name, {}, memory_bytes);
  return {gpu, report.assumed().empty() ? "" : report.assumed().front().what + ": " + report.assumed().front().why};
}

// Names as nvidia-smi prints them, as labels of GPU Feature Discovery and AMD's node labeller write them, and as
// AutoDetect of Slurm does (lower case, '_' for blanks). Each names one card of the catalogue.
TEST(GpuNames, OfDriversLabelsAndSlurmAreThoseOfTheCatalogue)
{
  for (const auto& [name, gpu] :
       std::vector<std::pair<std::string, std::string>>{{"nvidia_a100_80gb_pcie", "A100-PCIe-80GB"},
                                                        {"NVIDIA A100 80GB PCIe", "A100-PCIe-80GB"},
                                                        {"nvidia_a100_80gb_pcie_1g.10gb", "A100-PCIe-80GB"},
                                                        {"NVIDIA-A100-SXM4-80GB", "A100-SXM4-80GB"},
                                                        {"nvidia_a100-sxm4-40gb", "A100-SXM4-40GB"},
                                                        {"A100-PCIE-40GB", "A100-PCIe-40GB"},
                                                        {"NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "A100-SXM4-40GB"},
                                                        {"NVIDIA A800-SXM4-80GB", "A800-SXM4-80GB"},
                                                        {"nvidia_h100_80gb_hbm3", "H100-SXM5"},
                                                        {"NVIDIA-H100-80GB-HBM3-MIG-3g.40gb", "H100-SXM5"},
                                                        {"NVIDIA H100 PCIe", "H100-PCIe"},
                                                        {"NVIDIA H200", "H200-SXM"},
                                                        {"nvidia-h200-141gb", "H200-SXM"},
                                                        {"NVIDIA H20", "H20"},
                                                        {"NVIDIA GH200 480GB", "GH200-96GB"},
                                                        {"NVIDIA GH200 144G HBM3e", "GH200-144GB"},
                                                        {"NVIDIA B200", "B200-SXM"},
                                                        {"NVIDIA GB200", "GB200"},
                                                        {"NVIDIA A10", "A10"},
                                                        {"nvidia_a10g", "A10G"},
                                                        {"NVIDIA-A30", "A30"},
                                                        {"NVIDIA A40", "A40"},
                                                        {"NVIDIA L4", "L4"},
                                                        {"NVIDIA-L40S", "L40S"},
                                                        {"nvidia-tesla-t4", "T4"},
                                                        {"Tesla-V100-SXM2-32GB", "V100-SXM2-32GB"},
                                                        {"tesla_v100-pcie-16gb", "V100-PCIe-16GB"},
                                                        {"Tesla V100S-PCIE-32GB", "V100S-PCIe"},
                                                        {"Tesla P100-PCIE-16GB", "P100-PCIe"},
                                                        {"Tesla P40", "P40"},
                                                        {"Tesla K80", "K80"},
                                                        {"Tesla M40", "M40"},
                                                        {"Tesla M40 24GB", "M40-24GB"},
                                                        {"V100M16", "V100-SXM2-16GB"},
                                                        {"nvidia_geforce_rtx_3090", "RTX-3090"},
                                                        {"rtx3090", "RTX-3090"},
                                                        {"2080ti", "RTX-2080-Ti"},
                                                        {"NVIDIA GeForce GTX 1080 Ti", "GTX-1080-Ti"},
                                                        {"NVIDIA GeForce GTX TITAN X", "GTX-Titan-X"},
                                                        {"NVIDIA RTX 6000 Ada Generation", "RTX-6000-Ada"},
                                                        {"Quadro RTX 6000", "Quadro-RTX-6000"},
                                                        {"NVIDIA-RTX-A6000", "RTX-A6000"},
                                                        {"a6000", "RTX-A6000"},
                                                        {"AMD_Instinct_MI300X_OAM", "MI300X"},
                                                        {"AMD Instinct MI250X / MI250", "MI250X"},
                                                        {"amd_instinct_mi210", "MI210"}}) {
    const auto [found, assumed] = gpu_named(name);
    EXPECT_EQ(found, gpu) << name;
    EXPECT_EQ(assumed, "") << name;
  }
  for (const auto& [name, gpu] : catalogue().gpus) { // and every name of the catalogue as Slurm would write it
    std::string slurm = "nvidia_";
    for (const char c : name)
      slurm += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_EQ(gpu_named(name), (std::pair{name, std::string{}}));
    EXPECT_EQ(gpu_named(slurm), (std::pair{name, std::string{}}));
  }
}

TEST(GpuNames, WhatFitsSeveralCardsOrNoneIsSaid)
{
  EXPECT_EQ(gpu_named("a100").second, "GPU 'a100' is a A100-SXM4-40GB: the name also fits A100-PCIe-40GB, "
                                      "A100-PCIe-80GB, A100-SXM4-40GB, A100-SXM4-80GB");
  EXPECT_EQ(gpu_named("a100-80gb").second,
            "GPU 'a100-80gb' is a A100-SXM4-80GB: the name also fits A100-PCIe-80GB, A100-SXM4-80GB");
  EXPECT_EQ(gpu_named("a100", 81920.0 * 1048576).first, "A100-SXM4-80GB");
  // A bare number is the memory where a card of that model has as much; 6000 is a Turing card and one of Ada.
  EXPECT_EQ(gpu_named("A100-80").second,
            "GPU 'A100-80' is a A100-SXM4-80GB: the name also fits A100-PCIe-80GB, A100-SXM4-80GB");
  EXPECT_EQ(gpu_named("a100-pcie-40"), (std::pair{std::string{"A100-PCIe-40GB"}, std::string{}}));
  EXPECT_EQ(gpu_named("a100-60").second, "GPU 'a100-60' is a A100-SXM4-40GB: the catalogue has no '60'");
  EXPECT_EQ(gpu_named("rtx6000").second,
            "GPU 'rtx6000' is a Quadro-RTX-6000: the name also fits Quadro-RTX-6000, RTX-6000-Ada");
  EXPECT_EQ(gpu_named("rtx6000", 48.0 * 1073741824).first, "RTX-6000-Ada");
  // Cards that are not in the catalogue: the nearest of that model, or none.
  EXPECT_EQ(gpu_named("AMD-MI250").second, "GPU 'AMD-MI250' is a MI250X: the catalogue has no 'AMD-MI250'");
  EXPECT_EQ(gpu_named("NVIDIA-L40"), (std::pair{std::string{"L40"}, std::string{}}));
  EXPECT_EQ(gpu_named("HL-225").first, "Gaudi2");
  EXPECT_EQ(gpu_named("NVIDIA H200 NVL").first, "H200-NVL");
  EXPECT_EQ(gpu_named("NVIDIA GeForce RTX 3090 Ti").second,
            "GPU 'NVIDIA GeForce RTX 3090 Ti' is a RTX-3090: the catalogue has no 'ti'");
  EXPECT_EQ(gpu_named("NVIDIA H100 NVL").second, "GPU 'NVIDIA H100 NVL' is a H100-PCIe: the catalogue has no 'nvl'");
  EXPECT_EQ(gpu_named("NVIDIA A100-SXM-64GB").second,
            "GPU 'NVIDIA A100-SXM-64GB' is a A100-SXM4-80GB: the catalogue has no '64 GB'");
  for (const char* unknown : {"wse-3", "HL-999", "tesla", "rtx", "NVIDIA A100X", "NVIDIA A16", "A1000", "mi300a", ""})
    EXPECT_EQ(gpu_named(unknown).second, fmt::format("GPUs are V100-SXM2-16GB: '{}' is not in the catalogue; --gpu "
                                                     "NAME chooses another",
                                                     unknown));
}

std::string node(const std::string& name, const std::string& product, const std::string& resources)
{
  return fmt::format("apiVersion: v1\nkind: Node\nmetadata: {{name: {}, labels: {{{}}}}}\n"
                     "status: {{allocatable: {{cpu: \"64\", memory: 512Gi, {}}}}}\n---\n",
                     name, product, resources);
}

std::string nvidia(const std::string& name, const std::string& product, const std::string& resources)
{
  return node(name, "nvidia.com/gpu.product: " + product, resources);
}

/// A job of one pod; @p containers as lists of limits; @p more of the pod's spec.
std::string job(const std::string& name, const std::vector<std::string>& limits, const std::string& more = {})
{
  std::string containers;
  for (const std::string& one : limits)
    containers += fmt::format("{}{{name: c{}, command: [sleep, \"90\"], resources: {{limits: {{{}}}}}}}",
                              containers.empty() ? "" : ", ", containers.size(), one);
  return fmt::format("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {}}}\nspec: {{template: {{spec: "
                     "{{restartPolicy: Never, {}containers: [{}]}}}}}}\n---\n",
                     name, more, containers);
}

/// GPUs, thousandths of each, and the type that a job asks for.
std::tuple<int, int, std::string> gpus_of(const ImportResult& result, const std::string& name)
{
  const auto found = std::ranges::find(result.draft.queue_jobs, name, &DraftQueueJob::name);
  if (found == result.draft.queue_jobs.end())
    throw std::runtime_error{"there is no job " + name};
  return {found->gpus, found->gpu_milli, found->gpu_type};
}

int gpus_of_first_node(const std::string& text)
{
  return import_texts({{"n.yaml", text}}).draft.machines.at(0).gpus;
}

// NVIDIA, MIG user guide, "Supported MIG Profiles": of an A100 there are 7 instances of 1g.5gb, 4 of 1g.10gb (a quarter
// of the memory), 3 of 2g.10gb, 2 of 3g.20gb, 1 of 4g.20gb, and one slice with media extensions; of an A30 4 of 1g.6gb
// and 2 of 2g.12gb.
TEST(Mig, NodesHaveAsManyGpusAsTheirSlicesNeed)
{
  const std::string a100 = "NVIDIA-A100-SXM4-40GB", a30 = "NVIDIA-A30";
  for (const auto& [profile, count, gpus] : std::vector<std::tuple<std::string, int, int>>{{"1g.5gb", 14, 2},
                                                                                           {"1g.10gb", 8, 2},
                                                                                           {"2g.10gb", 24, 8},
                                                                                           {"3g.20gb", 16, 8},
                                                                                           {"4g.20gb", 8, 8},
                                                                                           {"7g.40gb", 8, 8}}) {
    EXPECT_EQ(gpus_of_first_node(nvidia("n", a100 + "-MIG-" + profile, fmt::format("nvidia.com/gpu: \"{}\"", count))),
              gpus)
        << profile;
    EXPECT_EQ(gpus_of_first_node(nvidia("n", a100, fmt::format("nvidia.com/mig-{}: \"{}\"", profile, count))), gpus)
        << profile;
  }
  EXPECT_EQ(gpus_of_first_node(nvidia("n", a30, "nvidia.com/mig-1g.6gb: \"16\"")), 4);
  EXPECT_EQ(gpus_of_first_node(nvidia("n", a30, "nvidia.com/mig-2g.12gb: \"8\"")), 4);
  EXPECT_EQ(gpus_of_first_node(nvidia("n", a100, "nvidia.com/mig-1g.5gb.me: \"2\"")), 2);
  // 4g beside 3g fills a GPU; two of 3g fill its memory, so that 1g needs another.
  EXPECT_EQ(gpus_of_first_node(nvidia("n", a100, "nvidia.com/mig-4g.20gb: \"2\", nvidia.com/mig-3g.20gb: \"2\"")), 2);
  EXPECT_EQ(gpus_of_first_node(nvidia("n", a100, "nvidia.com/mig-3g.20gb: \"2\", nvidia.com/mig-1g.5gb: \"1\"")), 2);
}

TEST(Mig, TheSlicesOfAPodAddUp)
{
  const std::string nodes = nvidia("n1", "NVIDIA-A100-SXM4-40GB",
                                   "nvidia.com/gpu: \"4\", nvidia.com/mig-3g.20gb: \"4\", nvidia.com/mig-1g.5gb: "
                                   "\"7\"") +
                            nvidia("n2", "NVIDIA-A30", "nvidia.com/mig-1g.6gb: \"16\"");
  const ImportResult result = import_texts(
      {{"n.yaml", nodes + job("three", {"nvidia.com/mig-1g.6gb: 3"}) +
                      job("two", {"nvidia.com/mig-1g.5gb: 1", "nvidia.com/mig-1g.5gb: 1"}) +
                      job("mixed", {"nvidia.com/mig-3g.20gb: 1, nvidia.com/mig-1g.5gb: 2"}) +
                      job("four", {"nvidia.com/mig-1g.6gb: 4"}) + job("large", {"nvidia.com/mig-3g.20gb: 3"}) +
                      job("both", {"nvidia.com/gpu: 1, nvidia.com/mig-1g.5gb: 1"})}});
  EXPECT_EQ(gpus_of(result, "three"), std::tuple(1, 750, "A30"));
  EXPECT_EQ(gpus_of(result, "two"), std::tuple(1, 285, "A100-SXM4-40GB"));
  EXPECT_EQ(gpus_of(result, "mixed"), std::tuple(1, 714, "A100-SXM4-40GB"));
  EXPECT_EQ(gpus_of(result, "four"), std::tuple(1, 1000, "A30"));
  EXPECT_EQ(gpus_of(result, "large"), std::tuple(2, 1000, "A100-SXM4-40GB"));
  EXPECT_EQ(gpus_of(result, "both"), std::tuple(2, 1000, "A100-SXM4-40GB"));
  EXPECT_NE(find_entry(result.report.assumed(), "3 x nvidia.com/mig-1g.6gb is 0.75 of a GPU"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "3 x nvidia.com/mig-3g.20gb is 2 whole GPUs"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

// Strategy "single": the nodes list slices as nvidia.com/gpu. Which slice a pod gets is known from its selector, or
// where all nodes have the same; else it is assumed and said.
TEST(Mig, PodsThatAskForGpusGetTheSlicesOfTheNodes)
{
  const std::string halves = nvidia("n1", "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb", "nvidia.com/gpu: \"16\"");
  const std::string sevenths = nvidia("n2", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "nvidia.com/gpu: \"14\"");
  const std::string whole = nvidia("n3", "NVIDIA-A100-SXM4-40GB", "nvidia.com/gpu: \"8\"");
  const std::string jobs = job("one", {"nvidia.com/gpu: 1"}) + job("four", {"nvidia.com/gpu: 4"}) +
                           job("chosen", {"nvidia.com/gpu: 2"},
                               "nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB-MIG-1g.5gb}, ");
  const ImportResult same = import_texts({{"n.yaml", halves + jobs}});
  EXPECT_EQ(gpus_of(same, "one"), std::tuple(1, 428, ""));
  EXPECT_EQ(gpus_of(same, "four"), std::tuple(2, 1000, ""));
  EXPECT_EQ(std::get<1>(gpus_of(same, "chosen")), 285);

  const ImportResult two = import_texts({{"n.yaml", halves + sevenths + jobs}});
  EXPECT_EQ(gpus_of(two, "one"), std::tuple(1, 428, ""));
  EXPECT_NE(find_entry(two.report.assumed(), "pods that ask for nvidia.com/gpu get 3g.20gb: the nodes list slices of "
                                             "several sizes under this name"),
            nullptr);
  const ImportResult all = import_texts({{"n.yaml", halves + sevenths + whole + jobs}});
  EXPECT_EQ(gpus_of(all, "four"), std::tuple(4, 1000, ""));
  EXPECT_EQ(std::get<1>(gpus_of(all, "chosen")), 285);
  EXPECT_NE(find_entry(all.report.assumed(), "pods that ask for nvidia.com/gpu get whole GPUs: some nodes list MIG "
                                             "slices under this name"),
            nullptr);
}

// Seven of seven slices are no more than a GPU, also where a seventh is rounded.
TEST(Mig, SevenSeventhsFitOnAGpu)
{
  EXPECT_EQ(thousandths(1.0 / 7), 142);
  EXPECT_EQ(thousandths(0.143), 143);
  EXPECT_EQ(thousandths(0.29), 290); // 0.29 x 1000 is a little less than 290 in floating point
  EXPECT_EQ(thousandths(1), 1000);
}

// Quotas count slices as jobs do, rounded down: 14 of 142 thousandths are 1.988 GPUs, 7 of 428 2.996.
TEST(Mig, QuotasOfKueueCountSlicesAsPartsOfGpus)
{
  const auto queue = [](const std::string& resource, int quota) {
    return fmt::format(
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {{name: f}}\n---\n"
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {{name: q}}\nspec: {{resourceGroups: "
        "[{{coveredResources: [{0}], flavors: [{{name: f, resources: [{{name: {0}, nominalQuota: {1}}}]}}]}}]}}\n---\n"
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {{name: l}}\nspec: {{clusterQueue: q}}\n---\n"
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j, labels: {{kueue.x-k8s.io/queue-name: l}}}}\nspec: "
        "{{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, command: [sleep, \"90\"], resources: "
        "{{limits: {{{0}: 1}}}}}}]}}}}}}\n---\n",
        resource, quota);
  };
  const std::string a100 = "NVIDIA-A100-SXM4-40GB";
  const ImportResult single = import_texts(
      {{"n.yaml", nvidia("n1", a100 + "-MIG-1g.5gb", "nvidia.com/gpu: \"14\"") + queue("nvidia.com/gpu", 14)}});
  EXPECT_THAT(single.yaml, HasSubstr("nominal_quota: 1.988"));
  EXPECT_EQ(std::get<1>(gpus_of(single, "j")), 142);
  EXPECT_NE(find_entry(single.report.assumed(), "a GPU in the quotas of flavor f is 0.142 of a whole one"), nullptr);
  EXPECT_EQ(check_errors(single), "");
  const ImportResult mixed = import_texts(
      {{"n.yaml", nvidia("n1", a100, "nvidia.com/mig-3g.20gb: \"8\"") + queue("nvidia.com/mig-3g.20gb", 7)}});
  EXPECT_THAT(mixed.yaml, HasSubstr("nominal_quota: 2.996"));
  EXPECT_EQ(std::get<1>(gpus_of(mixed, "j")), 428);
  EXPECT_EQ(check_errors(mixed), "");
  const ImportResult both =
      import_texts({{"n.yaml", nvidia("n1", a100 + "-MIG-1g.5gb", "nvidia.com/gpu: \"14\"") +
                                   nvidia("n2", a100, "nvidia.com/gpu: \"8\"") + queue("nvidia.com/gpu", 14)}});
  EXPECT_THAT(both.yaml, HasSubstr("nominal_quota: 14"));
  EXPECT_NE(find_entry(both.report.assumed(), "the quotas of flavor f are those of whole GPUs"), nullptr);
}

// GKE says the profile in a label of its own.
TEST(Mig, NodesOfGkeNameTheirProfileInALabel)
{
  const std::string gke = node("n",
                               "cloud.google.com/gke-accelerator: nvidia-tesla-a100, "
                               "cloud.google.com/gke-gpu-partition-size: 1g.5gb",
                               "nvidia.com/gpu: \"14\"");
  const ImportResult result =
      import_texts({{"n.yaml", gke + job("one", {"nvidia.com/gpu: 1"},
                                         "nodeSelector: {cloud.google.com/gke-accelerator: nvidia-tesla-a100, "
                                         "cloud.google.com/gke-gpu-partition-size: 1g.5gb}, ")}});
  EXPECT_EQ(result.draft.machines.at(0).gpus, 2);
  EXPECT_EQ(result.draft.machines.at(0).gpu, "A100-SXM4-40GB");
  EXPECT_EQ(std::get<1>(gpus_of(result, "one")), 142);
}

TEST(Mig, SlurmsGresAreCutFromWholeGpus)
{
  const ImportResult result =
      import_texts({{"slurm.conf", "ClusterName=c\n"
                                   "NodeName=a1 CPUs=64 Gres=gpu:a100_3g.20gb:16\n"
                                   "NodeName=a2 CPUs=64 Gres=gpu:a100_2g.10gb:24\n"
                                   "NodeName=a3 CPUs=64 Gres=gpu:a30_1g.6gb:16\n"
                                   "NodeName=a4 CPUs=64 Gres=gpu:A100-SXM4-80GB-MIG-3g.40gb:2\n"
                                   "NodeName=a5 CPUs=64 Gres=gpu:nvidia_a100_80gb_pcie_1g.10gb:14\n"
                                   "NodeName=a6 CPUs=64 Gres=gpu:a100:4,gpu:a100_3g.20gb:8\n"}});
  std::vector<std::string> machines;
  for (const DraftMachines& group : result.draft.machines)
    machines.push_back(fmt::format("{} x {} x {}", group.count, group.gpus, group.gpu));
  EXPECT_THAT(machines, ElementsAre("1 x 8 x A100-SXM4-40GB", "1 x 8 x A100-SXM4-40GB", "1 x 4 x A30",
                                    "1 x 1 x A100-SXM4-80GB", "1 x 2 x A100-PCIe-80GB", "1 x 8 x A100-SXM4-40GB"));
}

TEST(Vendors, PodsGetTheGpusOfTheVendorThatTheyAskFor)
{
  const std::string nodes = nvidia("n1", "NVIDIA-A100-SXM4-40GB", "nvidia.com/gpu: \"8\"") +
                            node("n2", "amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM", "amd.com/gpu: \"8\"") +
                            node("n3", "a: b", "habana.ai/gaudi: \"8\"");
  const ImportResult result =
      import_texts({{"n.yaml", nodes + job("red", {"amd.com/gpu: 2"}) + job("green", {"nvidia.com/gpu: 2"}) +
                                   job("gaudi", {"habana.ai/gaudi: 2"}) + job("blue", {"gpu.intel.com/i915: 2"})}});
  EXPECT_EQ(result.draft.machines.at(1).gpu, "MI300X");
  EXPECT_EQ(result.draft.machines.at(2).gpus, 8);
  EXPECT_EQ(gpus_of(result, "red"), std::tuple(2, 1000, "MI300X"));
  EXPECT_EQ(gpus_of(result, "green"), std::tuple(2, 1000, "A100-SXM4-40GB"));
  EXPECT_EQ(gpus_of(result, "gaudi"), std::tuple(2, 1000, "Gaudi2"));
  EXPECT_NE(find_entry(result.report.assumed(), "GPUs are Gaudi2: habana.ai/gaudi names the maker alone"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(),
                       "pods that ask for gpu.intel.com/i915 take GPUs of any node: no node of "
                       "the files lists it; on the cluster itself they would wait"),
            nullptr);
}

// Without nodes the resource tells the maker, or the label of a cloud the product; a chip of Trainium1 has two cores.
// NVIDIA's device plugin, time slicing with renameByDefault: 4 replicas of one T4 are nvidia.com/gpu.shared.
TEST(Vendors, SharedGpusAreAsManyAsTheyHaveReplicas)
{
  const ImportResult result = import_texts(
      {{"n.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {nvidia.com/gpu.product: Tesla-T4}}\n"
        "status: {allocatable: {cpu: '32', memory: 128Gi, nvidia.com/gpu: '0', nvidia.com/gpu.shared: '4'}}\n"},
       {"j.yaml", job("j", {"nvidia.com/gpu.shared: 1"})}});
  EXPECT_EQ(result.draft.machines.at(0).gpus, 4);
  EXPECT_EQ(std::get<0>(gpus_of(result, "j")), 1);
  EXPECT_NE(find_entry(result.report.assumed(), "each replica of a GPU that is shared"), nullptr);
}

TEST(Vendors, WithoutNodesTheResourceTellsTheMaker)
{
  using Case = std::tuple<std::string, std::string, int, std::string>;
  for (const auto& [resource, more, gpus, type] : std::vector<Case>{
           {"amd.com/gpu: 2", "", 2, "MI300X"},
           {"habana.ai/gaudi: 8", "", 8, "Gaudi2"},
           {"huawei.com/Ascend910: 4", "", 4, "Ascend-910B"},
           {"aws.amazon.com/neuron: 4", "", 4, "Trainium1"},
           {"aws.amazon.com/neuroncore: 4", "", 2, "Trainium1"},
           {"google.com/tpu: 4", "", 4, "TPU-v5e"},
           {"google.com/tpu: 4", "nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice}, ", 4, "TPU-v5p"},
           {"google.com/tpu: 4", "nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice}, ", 4,
            "TPU-v5e"},
           {"google.com/tpu: 4", "nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}, ", 4, "TPU-v6e"},
           {"nvidia.com/mig-1g.10gb: 4", "", 1, "A100-SXM4-80GB"},
           {"nvidia.com/mig-2g.10gb: 1", "", 1, "A100-SXM4-40GB"},
           {"nvidia.com/mig-1g.6gb: 1", "", 1, "A30"}}) {
    const ImportResult result = import_texts({{"j.yaml", job("j", {resource}, more)}});
    EXPECT_EQ(std::get<0>(gpus_of(result, "j")), gpus) << resource;
    EXPECT_EQ(std::get<2>(gpus_of(result, "j")), type) << resource << more;
    EXPECT_EQ(result.draft.machines.at(0).gpu, type) << resource << more;
    EXPECT_EQ(check_errors(result), "") << resource;
  }
  const ImportResult given = import_texts({{"j.yaml", job("j", {"amd.com/gpu: 2"})}}, {.gpu = "MI210"});
  EXPECT_EQ(given.draft.machines.at(0).gpu, "MI210");
  const ImportResult intel = import_texts({{"j.yaml", job("j", {"gpu.intel.com/i915: 2"})}});
  ASSERT_TRUE(intel.report.faults.has_errors());
  EXPECT_THAT(
      format(intel.report.faults.sorted().front()),
      HasSubstr("gpu.intel.com/i915 is of a maker whose GPUs are not in the catalogue: --gpu NAME chooses one"));
  EXPECT_FALSE(
      import_texts({{"j.yaml", job("j", {"gpu.intel.com/i915: 2"})}}, {.gpu = "A30"}).report.faults.has_errors());
}

// In a queue the nodes themselves say who may go where.
TEST(Vendors, InAQueueOnlyNodesWithTheResourceTakeAPod)
{
  const std::string live = "apiVersion: v1\nkind: Pod\nmetadata: {name: red, uid: u, creationTimestamp: "
                           "\"2026-03-02T10:00:00Z\"}\nspec: {containers: [{name: c, resources: {limits: {amd.com/gpu: "
                           "1}}}]}\nstatus: {phase: Pending}\n---\n";
  const ImportResult none =
      import_texts({{"n.yaml", nvidia("n1", "NVIDIA-A100-SXM4-40GB", "nvidia.com/gpu: \"8\"") + live}});
  EXPECT_NE(find_entry(none.report.ignored(), "job red: never fits: no node has the resources and labels"), nullptr);
  const ImportResult some = import_texts(
      {{"n.yaml", nvidia("n1", "NVIDIA-A100-SXM4-40GB", "nvidia.com/gpu: \"8\"") +
                      node("n2", "amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM", "amd.com/gpu: \"8\"") + live}});
  EXPECT_THAT(some.draft.queue_jobs.at(0).node_selector, ElementsAre("pool=1"));
}

} // namespace
} // namespace trainyard
