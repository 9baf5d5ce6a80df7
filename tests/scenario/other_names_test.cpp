// SPDX-License-Identifier: Apache-2.0
/// What drivers, clouds, model cards and tables write finds its entry; what no entry is, gets the lines for one.
#include "models/scenario/other_names.hpp"

#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/short_forms.hpp"
#include "tests/support/scenario_run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

const Catalogue& catalogue()
{
  static const Catalogue read = load_catalogue(data_folder());
  return read;
}

using Spellings = std::vector<std::pair<const char*, const char*>>;

TEST(OtherNames, OfGpusFindTheirEntry)
{
  for (const auto& [written, entry] : Spellings{{"A100 80GB PCIe", "A100-PCIe-80GB"},
                                                {"NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"},
                                                {"A100-80GB", "A100-SXM4-80GB"},
                                                {"a100", "A100-SXM4-40GB"},
                                                {"Tesla V100", "V100-SXM2-16GB"},
                                                {"V100 32GB", "V100-SXM2-32GB"},
                                                {"Tesla V100-PCIE-32GB", "V100-PCIe-32GB"},
                                                {"NVIDIA H100 80GB HBM3", "H100-SXM5"},
                                                {"H100 SXM", "H100-SXM5"},
                                                {"H100 PCIe", "H100-PCIe"},
                                                {"H200", "H200-SXM"},
                                                {"H200 NVL", "H200-NVL"},
                                                {"GB200 NVL72", "GB200"},
                                                {"MI300X OAM", "MI300X"},
                                                {"AMD Instinct MI250X", "MI250X"},
                                                {"MI250X GCD", "MI250X-GCD"},
                                                {"GeForce RTX 5090", "RTX-5090"},
                                                {"rtx4090", "RTX-4090"},
                                                {"A6000", "RTX-A6000"},
                                                {"RTX A5000", "RTX-A5000"},
                                                {"GTX 1070", "GTX-1070"},
                                                {"NVIDIA L40", "L40"},
                                                {"DGX Spark", "GB10"},
                                                {"Intel Gaudi 2", "Gaudi2"},
                                                {"gaudi3", "Gaudi3"},
                                                {"Google TPU v4", "TPU-v4"},
                                                {"TPUv3", "TPU-v3"},
                                                {"TPU v5 lite", "TPU-v5e"},
                                                {"Trillium", "TPU-v6e"},
                                                {"Graphcore GC200", "IPU-GC200"},
                                                {"Huawei Ascend 910", "Ascend-910A"},
                                                {"AWS Trainium2", "Trainium2"},
                                                {"Trainium", "Trainium1"}})
    EXPECT_EQ(gpu_meant(written, catalogue()).name, entry) << written;
  EXPECT_TRUE(gpu_meant("V100", catalogue()).chosen);
  EXPECT_FALSE(gpu_meant("v100-sxm2-16gb", catalogue()).other);
  for (const char* none : {"V10O", "H100-SXM4", "A100-16GB", "V200", "", "-"})
    EXPECT_EQ(gpu_meant(none, catalogue()).name, "") << none;
}

TEST(OtherNames, OfLinksFindTheirEntry)
{
  for (const auto& [written, entry] : Spellings{{"HDR200", "IB-HDR"},
                                                {"HDR", "IB-HDR"},
                                                {"InfiniBand HDR", "IB-HDR"},
                                                {"Mellanox HDR 200 Gb/s InfiniBand", "IB-HDR"},
                                                {"HDR100", "IB-EDR"},
                                                {"NDR400", "IB-NDR"},
                                                {"ndr200", "IB-HDR"},
                                                {"4x FDR", "IB-FDR"},
                                                {"FDR-56", "IB-FDR"},
                                                {"InfiniBand 100Gbps", "IB-EDR"},
                                                {"Slingshot-11", "Slingshot-11"},
                                                {"HPE Slingshot 11", "Slingshot-11"},
                                                {"Slingshot", "Slingshot-11"},
                                                {"EFA", "100GbE"},
                                                {"EFAv3", "200GbE"},
                                                {"100 Gbit/s Ethernet", "100GbE"},
                                                {"100G RoCE", "100GbE"},
                                                {"10GigE", "10GbE"},
                                                {"25gbe", "25GbE"},
                                                {"Omni-Path", "OPA-100"},
                                                {"Cray Aries", "Aries"},
                                                {"TofuD", "Tofu-D"},
                                                {"UALink", "UALink-200G"},
                                                {"PCIe Gen4 x16", "PCIe4-x16"},
                                                {"PCIe 3.0", "PCIe3-x16"},
                                                {"NVLink 4.0", "NVLink4"}})
    EXPECT_EQ(link_meant(written, catalogue()).name, entry) << written;
  for (const char* none : {"25GbEE", "carrier pigeon", "100", "IB", "37GbE"})
    EXPECT_EQ(link_meant(none, catalogue()).name, "") << none;
}

TEST(OtherNames, OfModelsFindTheirEntry)
{
  for (const auto& [written, entry] : Spellings{{"ResNet-50", "resnet50"},
                                                {"ResNet-50 v1.5", "resnet50"},
                                                {"VGG-16", "vgg16"},
                                                {"Inception-v3", "inception_v3"},
                                                {"ViT-B/16", "vit_b_16"},
                                                {"bert-large", "bert_large"},
                                                {"google-bert/bert-large-uncased", "bert_large"},
                                                {"bert-base-cased", "bert_base"},
                                                {"gpt2-xl", "gpt2_xl"},
                                                {"gpt2", "gpt2_small"},
                                                {"GPT-3 175B", "gpt3_175b"},
                                                {"Meta-Llama-3-8B", "llama3_8b"},
                                                {"meta-llama/Meta-Llama-3-8B-Instruct", "llama3_8b"},
                                                {"meta-llama/Llama-2-7b-hf", "llama2_7b"},
                                                {"Llama 3.1 405B", "llama3.1_405b"},
                                                {"Llama-3.1-70B", "llama3_70b"},
                                                {"mistralai/Mixtral-8x7B-v0.1", "mixtral_8x7b"},
                                                {"Qwen/Qwen2.5-7B-Instruct", "qwen2_7b"},
                                                {"Qwen3-30B-A3B", "qwen3_30b_a3b"},
                                                {"deepseek-ai/DeepSeek-R1", "deepseek_v3"},
                                                {"google/gemma-2-9b-it", "gemma2_9b"},
                                                {"microsoft/Phi-3-mini-4k-instruct", "phi_3_mini"},
                                                {"openai/gpt-oss-120b", "gpt_oss_120b"},
                                                {"zai-org/GLM-4.5-Air", "glm4.5_air"},
                                                {"moonshotai/Kimi-K2-Instruct", "kimi_k2"},
                                                {"allenai/OLMo-2-1124-7B", "olmo2_7b"},
                                                {"google/flan-t5-xl", "t5_v1.1_xl"},
                                                {"t5-base", "t5_base"},
                                                {"facebook/bart-large", "bart_large"},
                                                {"SSD", "ssd300_resnet34"},
                                                {"Mask R-CNN", "mask_rcnn"},
                                                {"RetinaNet", "retinanet_resnet50"},
                                                {"3D U-Net", "unet3d"},
                                                {"DeepLabV3+", "deeplabv3plus_resnet101"},
                                                {"HRNet-W48", "hrnet_w48"},
                                                {"RNN-T", "rnnt"},
                                                {"Transformer-XL", "transformer_xl_base"},
                                                {"Wide & Deep", "wide_and_deep"},
                                                {"DLRM", "dlrm_terabyte"},
                                                {"ArcFace", "face_resnet100"},
                                                {"DenseNet-121", "densenet121"},
                                                {"EfficientNetV2-S", "efficientnet_v2_s"}})
    EXPECT_EQ(model_meant(written).name, entry) << written;
  for (const char* none : {"resnet-51", "bert", "llama", "70b", "", "meta"})
    EXPECT_EQ(model_meant(none).name, "") << none;
}

TEST(OtherNames, OneSpellingMeansTheSameAsTheNameInAScenario)
{
  const auto text = [](const char* gpu, const char* link, const char* model) {
    return fmt::format("cluster:\n"
                       "  node_types: {{w: {{gpu: {}, gpus: 4}}}}\n"
                       "  nodes: [{{name: w, type: w, count: 2}}]\n"
                       "  network: {{topology: star, link: {}}}\n"
                       "jobs: [{{name: a, model: {}, batch_per_gpu: 32, workers: 8}}]\n",
                       gpu, link, model);
  };
  const auto run = [&](const char* gpu, const char* link, const char* model) {
    tests::ScenarioRun done;
    done.document = parse_document(text(gpu, link, model), "names.yaml", done.diagnostics);
    done.points = check_points(done.document, done.diagnostics);
    EXPECT_FALSE(done.refused()) << done.messages();
    done.results = simulate(done.points);
    return done;
  };
  const tests::ScenarioRun named = run("V100-SXM2-16GB", "IB-HDR", "resnet50");
  const tests::ScenarioRun written = run("Tesla V100", "HDR200", "ResNet-50");
  EXPECT_EQ(written.results.jobs.at(0).step_s.mean, named.results.jobs.at(0).step_s.mean);
  EXPECT_EQ(written.results.jobs.at(0).model, "resnet50");
  EXPECT_THAT(written.messages(), HasSubstr("note: assumed: 'Tesla V100' is V100-SXM2-16GB"));
  EXPECT_THAT(written.messages(), HasSubstr("note: 'HDR200' is IB-HDR"));
}

// PyTorch 1 has another time of the host than PyTorch 2, which H100 would have without a word.
TEST(OtherNames, OfFrameworksFindTheirProfile)
{
  for (const char* written : {"pytorch", "PyTorch", "torch"}) {
    Diagnostics diagnostics;
    const Document document =
        parse_document(fmt::format("framework: {{name: {}, version: \"1.9\"}}\n"
                                   "cluster: h100x8@2\n"
                                   "jobs: [{{name: a, model: resnet50, batch_per_gpu: 32, workers: 16}}]\n",
                                   written),
                       "framework.yaml", diagnostics);
    const std::vector<CheckedPoint> points = check_points(document, diagnostics);
    ASSERT_FALSE(diagnostics.has_errors()) << written;
    EXPECT_NEAR(points.at(0).scenario.jobs.at(0).host_per_operator.value(), 40e-6, 1e-9) << written;
  }
}

// The lines that an answer shows are an entry that can be read.
TEST(OtherNames, WhatIsNotInTheCatalogueGetsTheLinesThatDescribeIt)
{
  const std::string lines = gpu_description_lines("Accelerator X", catalogue());
  EXPECT_THAT(lines, HasSubstr("mine/gpus/Accelerator-X.yaml"));
  const std::filesystem::path mine = std::filesystem::path{testing::TempDir()} / "other_names_mine";
  std::filesystem::create_directories(mine / "gpus");
  std::filesystem::create_directories(mine / "links");
  const auto write = [](const std::filesystem::path& file, const std::string& text) {
    std::ofstream{file} << text.substr(text.find(":\n") + 2) << "\n";
  };
  write(mine / "gpus/Accelerator-X.yaml", lines);
  write(mine / "links/Wire.yaml", link_description_lines("Wire", catalogue()));
  ::setenv("TRAINYARD_CATALOGUE", mine.c_str(), 1);
  const Catalogue with = load_catalogue(data_folder());
  ::unsetenv("TRAINYARD_CATALOGUE");
  EXPECT_EQ(with.gpus.at("Accelerator-X").memory_bandwidth, catalogue().gpus.at("H100-SXM5").memory_bandwidth);
  EXPECT_EQ(with.links.at("Wire").bandwidth.value(), 12.5e9);
  EXPECT_THAT(model_description_lines("ResNet-51x"), HasSubstr("the nearest are resnet"));
  try {
    static_cast<void>(gpu_by_short_name("z9000", catalogue()));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown GPU 'z9000'"));
    EXPECT_THAT(error.what(), HasSubstr("\n  memory_bandwidth: "));
  }
}

} // namespace
} // namespace trainyard
