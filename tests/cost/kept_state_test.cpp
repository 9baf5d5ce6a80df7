// SPDX-License-Identifier: Apache-2.0
/// What a training process keeps: layers, attention, states of optimisers, logits, blocks that are computed again.
#include "models/core/data_folder.hpp"
#include "models/cost/memory.hpp"
#include "models/cost/optimizer_kind.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace trainyard {
namespace {

TEST(KeptLayers, EveryTypeOfLayerHasAFate)
{
  for (const std::string& name : Registry<DnnSource>::instance().names())
    for (const Layer& layer : build_dnn(name).layers)
      EXPECT_NE(std::ranges::find(layer_fates(), std::string_view{layer.type}, &LayerFate::type), layer_fates().end())
          << name << ": " << layer.type;
}

// Two rows of 5e7 outputs, 4 B each: both are kept, whatever is inside of them.
TEST(KeptLayers, RowsOfAListKeepTheirOutputs)
{
  const Dnn dnn = dnn_of_layers("name,parameters,flop,activations\na,1000000,1e9,5e7\nb,1000000,1e9,5e7\n", "mine");
  EXPECT_DOUBLE_EQ(kept_activation_bytes(dnn, 4), 2 * 5e7 * 4);
}

// s h (34 + 5 a s / h) bytes of a layer with its scores (Korthikanti et al., eq. 2). A fused kernel keeps 4 B for each
// of a s rows instead of 5 a s^2. Under autocast the inputs of both norms are 2 B larger.
TEST(KeptLayers, FusedAttentionKeepsNoScores)
{
  const Dnn dnn = build_dnn("gpt3_350m", {.sequence_length = 2048});
  const double layers = 24, s = 2048, h = 1024, heads = 16;
  const double unfused = kept_activation_bytes(dnn, 2),
               fused = kept_activation_bytes(dnn, 2, {.fused_attention = true});
  EXPECT_DOUBLE_EQ(unfused - fused, layers * (5 * heads * s * s - 4 * heads * s));
  const double cast = kept_activation_bytes(dnn, 2, {.fused_attention = true, .autocast = true});
  EXPECT_DOUBLE_EQ(cast - fused, (2 * layers + 1) * 2 * s * h); // and that of the last norm
}

// What trainyard said of this job: 90 GB, because scores counted: 24 layers x 16 heads x 2048^2 x 5 B x 8 = 64 GB.
TEST(KeptLayers, Gpt350MFitsAnA100Of40GB)
{
  const Gpu gpu = load_catalogue(data_folder()).gpus.at("A100-SXM4-40GB");
  MemorySettings settings{.batch = 8, .precision = "amp", .optimizer = "adam", .policy = "allow_growth"};
  settings.kernels = {.autocast = true, .fused_attention = true};
  settings.communicators = 1;
  const Dnn dnn = build_dnn("gpt3_350m", {.sequence_length = 2048});
  EXPECT_TRUE(memory_fit(dnn, gpu, settings).fits);
  settings.kernels.fused_attention = false;
  EXPECT_TRUE(memory_fit(dnn, gpu, settings).refused());
}

// Bytes beside a 16-bit weight and its 2 B of gradient: copy in fp32 and states.
TEST(OptimizerKinds, StatesOfAParameter)
{
  const auto beside = [](const char* name) {
    const KeptParameters kept = kept_parameters(1, 2, name);
    return (kept.master + kept.states).value();
  };
  EXPECT_EQ(beside("sgd"), 4);
  EXPECT_EQ(beside("sgd_momentum"), 8);
  EXPECT_EQ(beside("adam"), 12);
  EXPECT_EQ(beside("lion"), 8);
  EXPECT_EQ(beside("adam_bf16"), 4);
  EXPECT_EQ(beside("adam_8bit"), 2 + 2 * 4.0 / 256);
  EXPECT_EQ(beside("paged_adam"), 8);
  EXPECT_EQ(beside("paged_adam_8bit"), beside("adam_8bit"));
  EXPECT_EQ(kept_parameters(1, 2, "adam_8bit", true).master.value(), 4); // autocast: the weights themselves are fp32
}

// GPT-2's 124,439,808 parameters have 8 B of states each. With 100 MB too few so much goes, in pages of 2 MiB: 48 of
// them; without any room for states all of them.
TEST(OptimizerKinds, PagedStatesGoToTheHostWhereTheyDoNotFit)
{
  const Dnn dnn = build_dnn("gpt2_small", {.sequence_length = 1024});
  const MemorySettings settings{.precision = "bf16", .optimizer = "paged_adam", .policy = "allow_growth"};
  const auto fit = [&](Bytes memory) { return memory_fit(dnn, Gpu{.memory = memory}, settings); };
  const MemoryFit whole = fit(80_GB);
  const Bytes states{8 * dnn.parameter_elements()};
  EXPECT_EQ(whole.optimizer_state, states);
  EXPECT_EQ(whole.paged, Bytes{});
  EXPECT_EQ(fit(whole.needed - 100_MB).paged, Bytes{48 * 2097152.0});
  const MemoryFit least = fit(whole.needed - states);
  EXPECT_EQ(least.paged, states);
  EXPECT_TRUE(least.fits);
  EXPECT_TRUE(fit(whole.needed - states - 1_GB).refused());
}

// A block keeps its input: 24 x s h x 2 B beside what is outside of blocks (the input of the last norm is the last
// block's output); inside of one all is there while it is computed again.
TEST(Checkpointing, BlocksKeepTheirInputs)
{
  const Dnn dnn = build_dnn("gpt3_350m", {.sequence_length = 2048});
  const double s = 2048, h = 1024, layers = 24;
  const ActivationHabits habits{.fused_attention = true};
  const CheckpointedBytes again = checkpointed_bytes(dnn, 2, habits);
  const double whole = kept_activation_bytes(dnn, 2, habits);
  EXPECT_NEAR(again.block, s * (34 * h + 4 * 16), 2 * s * h);
  EXPECT_NEAR(again.kept, layers * 2 * s * h, 4 * 2 * s * h);
  EXPECT_LT(again.kept + again.block, 0.12 * whole);
  // ResNet-50: sqrt(n) parts.
  const Dnn resnet = build_dnn("resnet50");
  const CheckpointedBytes parts = checkpointed_bytes(resnet, 4);
  EXPECT_LT(parts.kept + parts.block, 0.7 * kept_activation_bytes(resnet, 4));
}

// GPT-2's 50,257 words x 1,024 tokens: 12 B a logit in fp32 (logits, logarithm of the softmax, gradient), an eighth of
// it in pieces. The gradients of other layers' activations are 1,024 x 4 x 768 x 2 x 4 B.
TEST(Logits, AreInMemoryAtTheLossAsTheirKindSays)
{
  const Dnn dnn = build_dnn("gpt2_small", {.sequence_length = 1024});
  const auto transient = [&](const char* logits) {
    MemorySettings settings{.batch = 1, .optimizer = "sgd"};
    settings.kept.logits = logits;
    return memory_fit(dnn, Gpu{.memory = 80_GB}, settings).transient.value();
  };
  EXPECT_DOUBLE_EQ(transient("all"), 12.0 * 50257 * 1024);
  EXPECT_DOUBLE_EQ(transient("pieces"), 12.0 * 50257 * 1024 / 8);
  EXPECT_LT(transient("fused"), 30e6);
}

} // namespace
} // namespace trainyard
