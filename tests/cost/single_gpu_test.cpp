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
                         {"K80", "vgg16", 32, 35.4, 0.1},
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
