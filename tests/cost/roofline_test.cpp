// SPDX-License-Identifier: Apache-2.0
#include "models/cost/roofline.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

Gpu round_gpu()
{
  Gpu gpu;
  gpu.name = "round";
  gpu.peak = {{"fp32", FlopsPerSecond{10e12}}, {"fp16", FlopsPerSecond{40e12}}};
  gpu.memory_bandwidth = BytesPerSecond{500e9};
  gpu.compute_efficiency = 0.5;
  gpu.memory_efficiency = 0.8;
  return gpu;
}

Dnn two_layers()
{
  Dnn dnn;
  dnn.layers = {{.name = "conv",
                 .type = "convolution",
                 .forward = Flops{5e9},
                 .memory_elements = 1e6,
                 .parameters = {{"w", 1e6}}},
                {.name = "relu", .type = "activation", .forward = Flops{1e6}, .memory_elements = 2e6, .inputs = {0}}};
  return dnn;
}

TEST(Roofline, TakesTheSlowerOfComputeAndMemory)
{
  // conv: 10 x 5e9 / (0.5 x 10e12) = 10 ms; memory (10 x 1e6 + 1e6) x 4 / 400e9 = 0.11 ms. relu: 10 x 2e6 x 4 / 400e9 =
  // 0.2 ms.
  const LayerTimes times = roofline_times(two_layers(), round_gpu(), {.batch = 10});
  EXPECT_DOUBLE_EQ(times.forward[0].value(), 10e-3);
  EXPECT_DOUBLE_EQ(times.forward[1].value(), 0.2e-3);
  EXPECT_DOUBLE_EQ(times.backward[0].value(), 20e-3);  // two passes over the flop
  EXPECT_DOUBLE_EQ(times.backward[1].value(), 0.3e-3); // output and its gradient are read, one is written
  EXPECT_DOUBLE_EQ(times.update.value(), 1e6 * 4 * 5 / 400e9);
}

// 8 x 8 images of 64 channels to 64 channels through 3 x 3 windows: rows 64 a sample, 64 columns, 576 deep; 2
// multiprocessors.
TEST(Roofline, FewSamplesDoNotFillTheChipAndTheFirstLayerNeedsNoGradientOfItsInput)
{
  Dnn dnn;
  dnn.layers = {{.name = "conv",
                 .type = "convolution",
                 .forward = Flops{2.0 * 64 * 64 * 576},
                 .product = {.rows = 64, .rows_in = 64, .columns = 64, .columns_in = 64, .window = 9}}};
  dnn.layers.push_back(dnn.layers[0]);
  dnn.layers[1].inputs = {0};
  Gpu gpu = round_gpu();
  gpu.memory_bandwidth = BytesPerSecond{1e30};
  gpu.multiprocessors = 2;
  const LayerTimes times = roofline_times(dnn, gpu, {.batch = 1});
  const double whole = 2.0 * 64 * 64 * 576 / 5e12;
  // One sample: a tile of 64x64 would keep one of two busy; split in two parts, or two tiles of 64x32 at 70 %: 1 / 0.85
  // against 1 / 0.7.
  EXPECT_NEAR(times.forward[0].value(), whole / 0.85, whole * 1e-9);
  // Gradient of the weights: 64 rows, 576 columns, 64 deep: 9 tiles of 64x64 in 5 waves, 10/9; 64x128: 5 tiles, 3 waves
  // of 128: 12/9 / 0.93.
  EXPECT_NEAR(times.backward[0].value(), whole * 10 / 9 / 0.85, whole * 1e-9);
  EXPECT_NEAR(times.backward[1].value(), whole / 0.85 + whole * 10 / 9 / 0.85, whole * 1e-9);
}

// Rows of 1,002 numbers in 16 bit do not begin at multiples of 16 bytes.
TEST(Roofline, ProductsOfUnalignedArraysAreSlow)
{
  const auto step = [](double columns, const char* precision, double capability) {
    Dnn dnn;
    dnn.layers = {{.name = "vocabulary",
                   .type = "linear",
                   .forward = Flops{2.0 * 1e6 * columns * 1024},
                   .product = {.rows = 1e6, .rows_in = 1e6, .columns = columns, .columns_in = 1024}}};
    Gpu gpu = round_gpu();
    gpu.compute_capability = capability;
    return roofline_times(dnn, gpu, {.precision = precision}).total().value() / columns;
  };
  EXPECT_NEAR(step(1002, "fp16", 9) / step(1000, "fp16", 9), 3, 1e-9);
  EXPECT_NEAR(step(1002, "fp16", 8) / step(1000, "fp16", 8), 3 * 0.63, 1e-9); // all kernels have these instructions
  EXPECT_NEAR(step(1002, "fp32", 9) / step(1000, "fp32", 9), 1, 1e-9);
}

// Sixteen heads of 64 on a GPU without measured rates: 0.65 of its products forward, 0.55 with 2.5 times the flop back.
TEST(Roofline, FusedAttentionLeavesOutWhatTheCausalMaskHides)
{
  const auto of_attention = [](bool causal, bool dropout, bool backward) {
    Dnn dnn;
    dnn.layers = {{.name = "attention",
                   .type = "attention",
                   .forward = Flops{4.0 * 4096 * 4096 * 1024},
                   .product = {.rows = 4096,
                               .rows_in = 4096,
                               .columns = 4096,
                               .columns_in = 64,
                               .products = 16,
                               .weights = false,
                               .causal = causal},
                   .dropout = dropout,
                   .inputs = {0}}};
    Gpu gpu = round_gpu();
    gpu.multiprocessors = 100;
    const LayerTimes times = roofline_times(dnn, gpu, {.precision = "fp16", .kernels = {.fused_attention = true}});
    return (backward ? times.backward : times.forward).front().value();
  };
  const double whole = 4.0 * 4096 * 4096 * 1024 / 20e12;
  EXPECT_NEAR(of_attention(false, false, false), whole / 0.65, 1e-9);
  EXPECT_NEAR(of_attention(true, false, false), whole / 2 / 0.65, 1e-9);
  EXPECT_NEAR(of_attention(true, false, true), 2.5 * whole / 2 / 0.55, 1e-9);
  // A random number for each score that is seen: 1.15 ps on 132 multiprocessors, here 100.
  const double random = 1.15e-12 * 132 / 100 * 16 * 4096 * 4096 / 2;
  EXPECT_NEAR(of_attention(true, true, false), whole / 2 / 0.65 + random, 1e-9);
}

TEST(Roofline, ScalesToTheMeasuredStepWithoutChangingShares)
{
  const LayerTimes times = scaled_to(roofline_times(two_layers(), round_gpu(), {.batch = 10}), 90_ms);
  EXPECT_NEAR(times.total().value(), 0.090, 1e-12);
  EXPECT_NEAR(times.backward[0] / times.forward[0], 2, 1e-12);
}

TEST(Roofline, RefusesAPrecisionTheChipLacksAndLetsAmpFallBack)
{
  Gpu gpu = round_gpu();
  EXPECT_THROW(roofline_times(two_layers(), gpu, {.batch = 1, .precision = "fp8"}), std::invalid_argument);
  EXPECT_DOUBLE_EQ(roofline_times(two_layers(), gpu, {.batch = 10, .precision = "amp"}).forward[0].value(), 2.5e-3);
  gpu.peak.erase("fp16");
  EXPECT_DOUBLE_EQ(roofline_times(two_layers(), gpu, {.batch = 10, .precision = "amp"}).forward[0].value(), 10e-3);
}

} // namespace
} // namespace trainyard
