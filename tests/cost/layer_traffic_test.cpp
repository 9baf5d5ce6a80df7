// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/cost/layer_traffic.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace trainyard {
namespace {

constexpr KernelHabits channels_first{.channels_last = false};
constexpr KernelHabits autocast{.autocast = true};

/// 1 TB/s, all of it reachable, 100 multiprocessors.
Gpu chip()
{
  Gpu gpu;
  gpu.memory_bandwidth = BytesPerSecond{1e12};
  gpu.memory_efficiency = 1;
  gpu.multiprocessors = 100;
  return gpu;
}

LayerTraffic last_of(const Dnn& dnn, const StepSettings& settings, bool matrix_units = true)
{
  return NetworkTraffic{dnn, chip(), settings, matrix_units}.of(dnn.layers.back(), false);
}

/// 64 channels of 50 x 50, 160,000 elements, through one layer.
Dnn one_layer(const std::function<void(DnnBuilder&)>& add)
{
  DnnBuilder builder{"one", "", "", {.channels = 64, .height = 50, .width = 50}};
  add(builder);
  return builder.finish("image");
}

constexpr StepSettings half{.batch = 10, .precision = "fp16"};
constexpr double array = 10 * 160'000 * 2 / 1e12; // seconds to read or write the batch once, in 16 bit

StepSettings with(const KernelHabits& kernels, const char* precision = "fp16")
{
  return {.batch = 10, .precision = precision, .kernels = kernels};
}

TEST(LayerTraffic, ABiasIsAddedAndSummedByKernelsOfTheirOwn)
{
  const auto beside = [](bool bias) {
    return last_of(one_layer([&](DnnBuilder& net) { net.convolution("c", -1, 64, DnnBuilder::square(3, 1, 1), bias); }),
                   half);
  };
  EXPECT_EQ(beside(false).beside_forward, Seconds{});
  EXPECT_NEAR(beside(true).beside_forward.value(), 2 * array, 1e-12); // read and written
  // The sum over the gradient of the output: 1.6 M elements on 100 multiprocessors; to read them takes 3.2 us.
  EXPECT_NEAR(beside(true).beside_backward.value(), 1.6e6 / (100 * 4.5e9), 1e-12);
}

TEST(LayerTraffic, WithChannelsFirstMatrixUnitsNeedImagesTurnedAround)
{
  const auto turned = [](int kernel, int stride, bool matrix_units) {
    const Dnn dnn = one_layer(
        [&](DnnBuilder& net) { net.convolution("c", -1, 64, DnnBuilder::square(kernel, stride, kernel / 2), false); });
    return last_of(dnn, with(channels_first), matrix_units);
  };
  // Input and output, each read and written; twice as many in the two passes of the backward.
  EXPECT_NEAR(turned(3, 1, true).beside_forward.value(), 4 * array, 1e-12);
  EXPECT_NEAR(turned(3, 1, true).beside_backward.value(), 8 * array, 1e-12);
  EXPECT_NEAR(turned(1, 2, true).beside_forward.value(), 2 * (1 + 0.25) * array, 1e-12); // the output is a quarter
  EXPECT_EQ(turned(1, 1, true).beside_forward, Seconds{});                               // a plain product
  EXPECT_EQ(turned(3, 1, false).beside_forward, Seconds{});                              // fp32 units take either
}

TEST(LayerTraffic, BatchNormOfFewChannelsDoesNotFillTheChip)
{
  const Dnn dnn = one_layer([](DnnBuilder& net) { net.batch_norm("n", -1); });
  // Three arrays of memory there; back two are read twice and one is written.
  EXPECT_NEAR(last_of(dnn, half).forward.value(), 3 * array, 1e-9);
  EXPECT_NEAR(last_of(dnn, half).backward.value(), 5 * array, 1e-9);
  // 64 blocks of 4.5 G elements/s take 4.8 M elements in 16.7 us; the memory would in 9.6.
  EXPECT_NEAR(last_of(dnn, with(channels_first)).forward.value(), 4.8e6 / (64 * 4.5e9), 1e-9);
  // In fp32 twice the bytes: 19.2 us of memory, with and without matrix units.
  EXPECT_NEAR(last_of(dnn, with(channels_first, "tf32")).forward.value(), 6 * array, 1e-9);
}

TEST(LayerTraffic, ActivationsAndPoolsMoveMoreBackThanThere)
{
  const Dnn activation = one_layer([](DnnBuilder& net) { net.activation("a", -1); });
  EXPECT_NEAR(last_of(activation, half).forward.value(), 2 * array, 1e-12);
  EXPECT_NEAR(last_of(activation, half).backward.value(), 3 * array, 1e-12);
  const Dnn pool = one_layer([](DnnBuilder& net) { net.pool("p", -1, DnnBuilder::square(2, 2)); });
  EXPECT_NEAR(last_of(pool, half).forward.value(), 1.25 * array, 1e-12);
  EXPECT_NEAR(last_of(pool, half).backward.value(), 2.5 * array, 1e-12);
}

TEST(LayerTraffic, KernelsThatComputeIndicesAreSlowerThanTheMemory)
{
  const KernelHabits index{.index_kernels = true};
  // 64 x 25 x 25 outputs of 4 elements each, ten times: 1.6 M elements; 6.15 us, where the memory takes 4.
  const Dnn pool = one_layer([](DnnBuilder& net) { net.pool("p", -1, DnnBuilder::square(2, 2)); });
  EXPECT_NEAR(last_of(pool, with(index)).forward.value(), 1.6e6 / (100 * 2.6e9), 1e-12);
  EXPECT_NEAR(last_of(pool, with(index)).backward.value(), 1.5 * 1.6e6 / (100 * 2.6e9), 1e-12);
  // A bias: 1.6 M sums in 6.15 us; the memory takes 6.4.
  const Dnn bias = one_layer([](DnnBuilder& net) { net.convolution("c", -1, 64, DnnBuilder::square(3, 1, 1), true); });
  EXPECT_NEAR(last_of(bias, with(index)).beside_forward.value(), 2 * array, 1e-12);
}

TEST(LayerTraffic, MatrixUnitsReadImagesByAnIndex)
{
  const auto forward = [](int channels, int kernel, int stride, const char* precision, bool matrix_units) {
    DnnBuilder net{"one", "", "", {.channels = channels, .height = 48, .width = 48}};
    net.convolution("c", -1, 64, DnnBuilder::square(kernel, stride, kernel / 2), false);
    return last_of(net.finish("image"), with({}, precision), matrix_units).forward.value();
  };
  // Three channels are no 16 bytes: 12 x 12 outputs that read 11 x 11 x 3 elements each, ten times, 2.6 G elements/s on
  // each of 100 multiprocessors: 2.0 us. Memory: ten times 3 x 48 x 48 and 64 x 12 x 12 elements, and the weights.
  const double indexed = 10 * 144 * 363 / (100 * 2.6e9);
  const double memory = (10 * (3 * 2304 + 64 * 144) + 64 * 363) * 2 / 1e12;
  EXPECT_NEAR(forward(3, 11, 4, "fp16", true), indexed, 1e-12);
  EXPECT_NEAR(forward(3, 11, 4, "fp16", false), memory, 1e-12); // fp32 units: products of another kind
  // Eight channels in 16 bit, four in tf32 are 16 bytes.
  EXPECT_LT(forward(8, 11, 4, "fp16", true), 8 * indexed / 3);
  EXPECT_LT(forward(4, 11, 4, "tf32", true), 4 * indexed / 3);
  // cuDNN has a kernel for ResNet's first layer in 16 bit, not in tf32: 24 x 24 outputs of 147 elements.
  EXPECT_NEAR(forward(3, 7, 2, "fp16", true), (10 * (3 * 2304 + 64 * 576) + 64 * 147) * 2 / 1e12, 1e-12);
  EXPECT_NEAR(forward(3, 7, 2, "tf32", true), 10 * 576 * 147 / (100 * 2.6e9), 1e-12);
}

TEST(LayerTraffic, PyTorchsAttentionModuleCopies)
{
  const Dnn vit = build_dnn("vit_b_16");
  const auto attention = std::ranges::find(vit.layers, "attention", &Layer::type);
  ASSERT_NE(attention, vit.layers.end());
  const auto beside = [&](bool index) {
    return NetworkTraffic{vit, chip(), with({.fused_attention = true, .index_kernels = index}), true}.of(*attention,
                                                                                                         false);
  };
  EXPECT_EQ(beside(false).beside_forward, Seconds{});
  // 197 tokens of 768, ten images. There: the input, three times that with their bias, three times that taken apart,
  // the output. Back: four by an index; three times an array of three is filled, a third of it copied, and two are
  // added up.
  const double array_of = 10 * 197 * 768;
  EXPECT_NEAR(beside(true).beside_forward.value(), 8 * array_of * 4 / 1e12,
              1e-9); // 260 G elements/s by index are faster
  EXPECT_NEAR(beside(true).beside_backward.value(), 4 * array_of * 4 / 1e12 + (9 + 6 + 18) * array_of * 2 / 1e12, 1e-9);
}

TEST(LayerTraffic, NormsWithoutParametersAreNoBlocksOfChannels)
{
  Dnn lrn; // as the ONNX reader names local response normalisation
  lrn.layers.push_back({.name = "n", .type = "batch_norm", .activation_elements = 160'000, .memory_elements = 480'000});
  EXPECT_NEAR(last_of(lrn, with(channels_first)).forward.value(), 3 * array, 1e-12);
}

TEST(LayerTraffic, AutocastCastsWeightsAndGradientsAndKeepsNormsInFp32)
{
  const Dnn product = one_layer([](DnnBuilder& net) { net.convolution("c", -1, 64, DnnBuilder::square(1), false); });
  const double cast = 64 * 64 * (4 + 2) / 1e12; // fp32 in, 16 bit out; gradients the other way
  EXPECT_NEAR(last_of(product, with(autocast, "amp")).beside_forward.value(), cast, 1e-15);
  EXPECT_NEAR(last_of(product, with(autocast, "amp")).beside_backward.value(), cast, 1e-15);
  EXPECT_EQ(last_of(product, with(autocast, "bf16")).beside_forward, Seconds{}); // the weights are 16 bit themselves

  Dnn norm;
  norm.layers.push_back(
      {.name = "n", .type = "layer_norm", .activation_elements = 160'000, .memory_elements = 480'000});
  EXPECT_NEAR(last_of(norm, with(autocast, "amp")).forward.value(), 2 * 3 * array, 1e-12);
  EXPECT_NEAR(last_of(norm, with(autocast, "amp")).beside_forward.value(), 3 * array, 1e-12); // 4 + 2 of 2 bytes
  norm.layers.push_back({.name = "s", .type = "add", .activation_elements = 160'000, .memory_elements = 480'000});
  EXPECT_NEAR(last_of(norm, with(autocast, "amp")).forward.value(), 5 * array, 1e-12); // 4 + 4 + 2
  norm.layers.erase(norm.layers.begin()); // no norms: a network of images, all in 16 bit
  EXPECT_NEAR(last_of(norm, with(autocast, "amp")).forward.value(), 3 * array, 1e-12);
}

/// BERT-base, ten sequences of 128 tokens: one layer by its name.
LayerTraffic of_bert(const char* name, const StepSettings& settings)
{
  const Dnn bert = build_dnn("bert_base", {.sequence_length = 128});
  const auto layer = std::ranges::find(bert.layers, name, &Layer::name);
  EXPECT_NE(layer, bert.layers.end()) << name;
  return NetworkTraffic{bert, chip(), settings, settings.precision != "fp32"}.of(*layer, false);
}

constexpr double tokens = 10 * 128, bert_array = tokens * 768 * 2 / 1e12; // in 16 bit

TEST(LayerTraffic, FurtherReadersOfAnArrayAddTheirGradients)
{
  const auto more = [](const char* further, const char* first, const StepSettings& settings, auto part) {
    return (of_bert(further, settings).*part - of_bert(first, settings).*part).value();
  };
  // Keys read what queries read: two gradients read, one written.
  for (const char* further : {"layer.0.key", "layer.0.value"}) {
    EXPECT_NEAR(more(further, "layer.0.query", with({}), &LayerTraffic::beside_forward), 0, 1e-12);
    EXPECT_NEAR(more(further, "layer.0.query", with({}), &LayerTraffic::beside_backward), 3 * bert_array, 1e-12);
    // Autocast: 4 B read and 2 written there, the other way back, and the sum is in fp32: 6 + 3 x 4 bytes.
    EXPECT_NEAR(more(further, "layer.0.query", with(autocast, "amp"), &LayerTraffic::beside_forward), 3 * bert_array,
                1e-12);
    EXPECT_NEAR(more(further, "layer.0.query", with(autocast, "amp"), &LayerTraffic::beside_backward), 9 * bert_array,
                1e-12);
  }
}

TEST(LayerTraffic, DropoutReadsAndWritesItsArrayAndAMask)
{
  EXPECT_NEAR(of_bert("layer.0.add1", with({})).beside_forward.value(), 2.5 * bert_array, 1e-12);
  EXPECT_NEAR(of_bert("layer.0.add1", with({})).beside_backward.value(), 2.5 * bert_array, 1e-12);
  EXPECT_NEAR(of_bert("layer.0.add1", with({}, "fp32")).beside_forward.value(), 4.5 * bert_array, 1e-12); // 4 + 4 + 1
  // Autocast: the gradient of the sum, in fp32, is cast for the branch.
  EXPECT_NEAR(of_bert("layer.0.add1", with(autocast, "amp")).beside_backward.value(), 5.5 * bert_array, 1e-12);
}

TEST(LayerTraffic, CrossEntropyIsInFp32)
{
  const double logits = tokens * 30522 / 1e12;
  // To fp32 6 B, read twice and written 12; back filled 4, two read and one written 12, to 16 bit 6.
  EXPECT_NEAR(of_bert("softmax", with({})).forward.value(), 18 * logits, 1e-12);
  EXPECT_NEAR(of_bert("softmax", with({})).backward.value(), 22 * logits, 1e-12);
  EXPECT_NEAR(of_bert("softmax", with({}, "fp32")).forward.value(), 12 * logits, 1e-12);
  EXPECT_NEAR(of_bert("softmax", with({}, "fp32")).backward.value(), 16 * logits, 1e-12);
}

TEST(LayerTraffic, FusedAttentionWritesNoScores)
{
  const Dnn bert = build_dnn("bert_base", {.sequence_length = 512});
  const auto attention = std::ranges::find(bert.layers, "attention", &Layer::type);
  ASSERT_NE(attention, bert.layers.end());
  const auto forward = [&](bool fused) {
    return NetworkTraffic{bert, chip(), with({.fused_attention = fused}), true}.of(*attention, false).forward.value();
  };
  // 512 tokens of 768: queries, keys, values and the result; six passes over 12 heads of 512 x 512 scores beside them.
  EXPECT_NEAR(forward(true), 10 * 4 * 512 * 768 * 2 / 1e12, 1e-12);
  EXPECT_NEAR(forward(false), 10 * (4 * 512 * 768 + 6 * 12 * 512 * 512) * 2.0 / 1e12, 1e-12);
}

} // namespace
} // namespace trainyard
