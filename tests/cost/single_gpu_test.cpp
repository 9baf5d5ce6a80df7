// SPDX-License-Identifier: Apache-2.0
// How far the roofline alone, from data sheets and layer graphs, is from published single-GPU throughput.
// The speeds of convolution kernels and the shares of the peaks are those of docs/catalogue.md; only the speed of
// windows of one row or column and the host's time per operator were chosen on published rows (MXNet's table, K80, M60
// and V100), none of them below. Software of 2017 (unfused batch norm) comes out 10-20 % too fast, K80s 15-35 % (two
// chips in 300 W do not hold the clock of the data sheet).
#include "models/core/data_folder.hpp"
#include "models/cost/roofline.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/catalogue.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

struct Row {
  const char* gpu;
  const char* model;
  int batch;
  double images_per_s;
  double tolerance; // relative; what the model reaches today, rounded up
};

// TensorFlow benchmarks 2017 (DGX-1 with P100, K80), fp32, SGD; NVIDIA's DeepLearningExamples and DLPerf (V100, one
// GPU). VGG-16 at 154 images/s is 135 % of a P100's fp32 peak when convolutions count directly: without Winograd it
// comes out at 66.
TEST(SingleGpu, RooflineIsNearPublishedThroughput)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  for (const Row& row : {Row{"P100-SXM2", "vgg16", 64, 154, 0.15},
                         {"P100-SXM2", "resnet50", 64, 219, 0.2},
                         {"P100-SXM2", "resnet152", 64, 91.8, 0.2},
                         {"P100-SXM2", "inception_v3", 64, 142, 0.2},
                         {"P100-SXM2", "alexnet", 512, 2987, 0.2},
                         {"K80", "vgg16", 32, 35.4, 0.15},
                         {"K80", "resnet50", 64, 51.9, 0.4},
                         {"V100-SXM2-16GB", "resnet50", 128, 397.64, 0.15}, // OneFlow, DLPerf
                         {"V100-SXM2-16GB", "resnet50", 128, 362.44, 0.15}, // TensorFlow 1.15, DLPerf
                         {"V100-SXM2-16GB", "resnet50", 96, 384, 0.15}}) {  // MXNet, DeepLearningExamples
    const LayerTimes times = roofline_times(build_dnn(row.model), catalogue.gpus.at(row.gpu),
                                            {.batch = row.batch, .optimizer_reads_writes = 5});
    const double predicted = row.batch / times.total().value();
    EXPECT_NEAR(predicted / row.images_per_s, 1, row.tolerance) << row.gpu << " " << row.model << ": " << predicted;
  }
}

// BERT-large, 128 tokens, V100 (DeepLearningExamples, TensorFlow 1 and 2): matrix products and attention, no
// convolution.
TEST(SingleGpu, RooflineIsNearPublishedThroughputOfBertLarge)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const Dnn bert = build_dnn("bert_large", {.sequence_length = 128});
  const Gpu& gpu = catalogue.gpus.at("V100-SXM2-32GB");
  const auto rate = [&](int batch, const char* precision) {
    return batch / roofline_times(bert, gpu, {.batch = batch, .precision = precision, .optimizer_reads_writes = 7})
                       .total()
                       .value();
  };
  EXPECT_NEAR(rate(32, "fp32") / 46.78, 1, 0.1);
  EXPECT_NEAR(rate(8, "fp32") / 39.43, 1, 0.1); // a quarter of the batch: the chip is less full
  EXPECT_NEAR(rate(64, "amp") / 188.04, 1, 0.15);
}

// GPU time of PyTorch 2.11 in a step: the sum of all kernels (results/calibration/H100-SXM5.kernels.csv), without the
// gaps between them, so that the model's launches are left out. A guard, no proof: two constants of layer_traffic.cpp
// were read off kernels of these networks.
TEST(SingleGpu, RooflineIsNearTheKernelsOfPyTorchOnAnH100)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  struct Step {
    const char* model;
    const char* precision;
    bool channels_last;
    int batch;
    double milliseconds;
    double tolerance; // what the model reaches, rounded up
  };
  for (const Step& step : {Step{"resnet50", "amp", false, 128, 46.86, 0.1},
                           {"resnet50", "amp", true, 128, 26.96, 0.05},
                           {"resnet50", "tf32", false, 128, 69.89, 0.15},
                           {"resnet152", "amp", false, 64, 48.38, 0.1},
                           {"resnet152", "amp", true, 64, 31.01, 0.1},
                           {"resnet50", "fp32", false, 128, 154.14, 0.05},
                           {"vgg16", "fp32", false, 128, 235.89, 0.25},
                           {"alexnet", "fp32", false, 256, 28.94, 0.05},
                           {"alexnet", "amp", true, 256, 7.46, 0.15},
                           {"vit_b_16", "amp", false, 64, 33.76, 0.15},
                           {"vit_b_16", "tf32", false, 64, 69.44, 0.2},
                           {"bert_base", "amp", false, 32, 16.49, 0.2}, // 128 tokens, all of them projected
                           {"bert_base", "amp", false, 128, 53.19, 0.1},
                           {"bert_base", "tf32", false, 32, 26.77, 0.3},
                           {"bert_base", "fp32", false, 32, 70.05, 0.1},
                           {"vgg16", "amp", false, 128, 61.06, 0.2},
                           {"vgg16", "amp", true, 128, 40.79, 0.05},
                           {"inception_v3", "amp", false, 128, 91.72, 0.2},
                           {"inception_v3", "amp", true, 128, 52.74, 0.15}}) {
    Gpu gpu = catalogue.gpus.at("H100-SXM5");
    gpu.kernel_launch = Seconds{};
    KernelHabits kernels = catalogue.frameworks.at("pytorch-2").kernels;
    EXPECT_FALSE(kernels.channels_last);
    kernels.channels_last = step.channels_last;
    const LayerTimes times = roofline_times(build_dnn(step.model, {.sequence_length = 128}), gpu,
                                            {.batch = step.batch, .precision = step.precision, .kernels = kernels});
    EXPECT_NEAR(1e3 * times.total().value() / step.milliseconds, 1, step.tolerance)
        << step.model << " " << step.precision << (step.channels_last ? " channels last" : "");
  }
}

// PyTorch's memory-efficient kernel makes three products in tf32 of one in fp32 (3xTF32), at 0.3 of the peak together;
// the H100 runs its instructions, made for Ampere, at 0.63 of its own.
TEST(SingleGpu, AttentionInFp32IsThreeProductsInTf32)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const Dnn vit = build_dnn("vit_b_16");
  const auto of_attention = [&](const char* gpu, const char* precision, bool fused) {
    const LayerTimes times = roofline_times(
        vit, catalogue.gpus.at(gpu), {.batch = 64, .precision = precision, .kernels = {.fused_attention = fused}});
    double seconds = 0;
    for (std::size_t i = 0; i < vit.layers.size(); ++i)
      if (vit.layers[i].type == "attention")
        seconds += (times.forward[i] + times.backward[i] - 3 * catalogue.gpus.at(gpu).kernel_launch).value();
    return seconds;
  };
  // 12 layers x 12 heads x 64 images x 3 passes of 4 x 197 x 197 x 64 flop, in tiles of 128 x 128: 256 x 256 of them.
  const double flop = 12.0 * 12 * 64 * 3 * 4 * 256 * 256 * 64;
  EXPECT_NEAR(of_attention("H100-SXM5", "tf32", true) / (flop / (494.5e12 / 3 * 0.3 * 0.63)), 1, 0.05);
  EXPECT_NEAR(of_attention("A100-SXM4-80GB", "fp32", true) / (flop / (156e12 / 3 * 0.3)), 1, 0.05);
  EXPECT_NEAR(of_attention("H100-SXM5", "tf32", true) / 16.05e-3, 1, 0.1); // measured: results/calibration, all kernels
  EXPECT_LT(of_attention("H100-SXM5", "tf32", false), 0.6 * of_attention("H100-SXM5", "tf32", true));
}

// At batch 1 the host decides: MXNet on a V100 took 29 ms for a step of ResNet-50 (34.5 images/s,
// docs/static_site/src/pages/api/faq/perf.md).
TEST(SingleGpu, NoStepIsShorterThanItsOperatorsTakeToIssue)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const Dnn dnn = build_dnn("resnet50");
  const LayerTimes times =
      roofline_times(dnn, catalogue.gpus.at("V100-SXM2-16GB"), {.batch = 1, .host_per_operator = 40_us});
  EXPECT_NEAR(times.total().value(), (3 * static_cast<double>(dnn.layers.size()) + dnn.parameter_tensors()) * 40e-6,
              1e-9);
  EXPECT_NEAR(1 / times.total().value() / 34.5, 1, 0.15);
  // What the step is made of: the host's 27.3 ms, and the GPU's own time, which one without a host in the way needs.
  EXPECT_NEAR(times.issued.value(), times.total().value(), 1e-12);
  EXPECT_NEAR(times.computed / roofline_times(dnn, catalogue.gpus.at("V100-SXM2-16GB"), {.batch = 1}).total(), 1,
              1e-12);
  EXPECT_EQ(scaled_to(times, 20_ms).computed, Seconds{}); // of a measured step nobody knows
}

} // namespace
} // namespace trainyard
