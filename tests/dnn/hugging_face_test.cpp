// SPDX-License-Identifier: Apache-2.0
/// Transformers of the catalogue and of a config.json: parameters as published, faults with their lines.
#include "models/core/diagnostics.hpp"
#include "models/dnn/builder.hpp"
#include "models/dnn/hugging_face.hpp"
#include "tests/support/scenario_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

// Parameters that the weights of the released models have ("total_parameters" or the sum of the tensors of their
// safetensors files); DeepSeek-V3 without its layer for later tokens and the 58 x 256 offsets of its routers.
TEST(Transformers, HaveAsManyParametersAsTheReleasedWeights)
{
  const std::map<std::string, double> published{
      {"llama_33b", 32528943616},        {"llama_65b", 65285660672},        {"llama3.1_405b", 405853388800},
      {"mistral_7b", 7241732096},        {"mixtral_8x7b", 46702792704},     {"mixtral_8x22b", 140620634112},
      {"gpt_neox_20b", 20554567680},     {"qwen2_0.5b", 494032768},         {"qwen2_7b", 7615616512},
      {"qwen2_72b", 72706203648},        {"qwen3_8b", 8190735360},          {"qwen3_30b_a3b", 30532122624},
      {"qwen3_235b_a22b", 235093634560}, {"deepseek_v2_lite", 15706484224}, {"deepseek_v2", 235741434880},
      {"deepseek_v3", 671026404352}};
  for (const auto& [name, parameters] : published)
    EXPECT_EQ(find_transformer(name)->parameters(), parameters) << name;
}

// Active parameters: DeepSeek-V3 37 billion of 671 (arXiv:2412.19437, abstract), Qwen3 22 of 235 and 3 of 30
// (arXiv:2505.09388), Mixtral 8x22B 39 of 141, DeepSeek-V2 21 of 236 (arXiv:2405.04434).
TEST(Transformers, ATokenPassesTheActiveParameters)
{
  const std::map<std::string, double> published{{"deepseek_v3", 37.5},
                                                {"qwen3_235b_a22b", 22.2},
                                                {"qwen3_30b_a3b", 3.3},
                                                {"mixtral_8x22b", 39.2},
                                                {"deepseek_v2", 21.4}};
  for (const auto& [name, billions] : published)
    EXPECT_NEAR(find_transformer(name)->active_parameters() / 1e9, billions, 0.06 + 0.01 * billions) << name;
}

Transformer read(const std::string& text)
{
  return read_hugging_face(text, "config.json").transformer;
}

std::string faults_of(const std::string& text)
{
  try {
    static_cast<void>(read(text));
  } catch (const InputError& error) {
    std::string all;
    for (const Diagnostic& fault : error.diagnostics())
      all += format(fault);
    return all;
  }
  return "";
}

TEST(HuggingFace, ReadsTheFamiliesIntoTheModelsOfTheCatalogue)
{
  const Transformer llama = read(R"({"model_type": "llama", "hidden_size": 16384, "intermediate_size": 53248,
    "num_hidden_layers": 126, "num_attention_heads": 128, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 131072, "rope_scaling": {"factor": 8.0, "original_max_position_embeddings": 8192}})");
  EXPECT_EQ(llama.parameters(), find_transformer("llama3.1_405b")->parameters());
  EXPECT_EQ(llama.sequence, 8192);
  const Transformer mixtral = read(R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
    "num_local_experts": 8, "num_experts_per_tok": 2, "max_position_embeddings": 32768, "sliding_window": null})");
  EXPECT_EQ(mixtral.parameters(), find_transformer("mixtral_8x7b")->parameters());
  EXPECT_EQ(mixtral.active_parameters(), find_transformer("mixtral_8x7b")->active_parameters());
  const Transformer gpt2 = read(
      R"({"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25, "n_positions": 1024, "vocab_size": 50257})");
  EXPECT_EQ(gpt2.parameters(), find_transformer("gpt2_xl")->parameters());
  const Transformer neox = read(R"({"model_type": "gpt_neox", "hidden_size": 6144, "intermediate_size": 24576,
    "num_hidden_layers": 44, "num_attention_heads": 64, "vocab_size": 50432, "max_position_embeddings": 2048,
    "tie_word_embeddings": false})");
  EXPECT_EQ(neox.parameters(), find_transformer("gpt_neox_20b")->parameters());
  const Transformer qwen = read(R"({"model_type": "qwen3_moe", "hidden_size": 4096, "intermediate_size": 12288,
    "moe_intermediate_size": 1536, "num_hidden_layers": 94, "num_attention_heads": 64, "num_key_value_heads": 4,
    "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8, "vocab_size": 151936, "decoder_sparse_step": 1,
    "mlp_only_layers": []})");
  EXPECT_EQ(qwen.parameters(), find_transformer("qwen3_235b_a22b")->parameters());
  const Transformer deepseek = read(R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
    "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
    "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "n_group": 8, "topk_group": 4, "vocab_size": 129280, "moe_layer_freq": 1, "max_position_embeddings": 163840})");
  EXPECT_EQ(deepseek.parameters(), find_transformer("deepseek_v3")->parameters());
  EXPECT_EQ(deepseek.expert_groups, 8);
  EXPECT_EQ(deepseek.active_groups, 4);
}

TEST(HuggingFace, SaysWhatIsAssumedAndLeftOut)
{
  const TransformerFile file = read_hugging_face(
      R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
          "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "sliding_window": 4096,
          "max_position_embeddings": 32768})",
      "config.json");
  EXPECT_EQ(file.transformer.sequence, 8192);
  EXPECT_EQ(file.sequence_from, "the file only says that contexts have up to 32768 tokens; give sequence_length");
  EXPECT_THAT(file.ignored, ::testing::ElementsAre("sliding_window: attention is counted over the whole sequence"));
}

TEST(HuggingFace, EveryFaultIsToldWithItsLine)
{
  EXPECT_THAT(faults_of("{\"model_type\": \"mamba\"}"),
              HasSubstr("config.json:1:16: error: the architecture 'mamba' is not known"));
  EXPECT_THAT(faults_of("{\"model_type\": \"qwen4\"}"), HasSubstr("known are llama, mistral, mixtral, qwen2"));
  EXPECT_THAT(faults_of("[1]"), HasSubstr("no config.json of a transformer"));
  const std::string text = faults_of("{\"model_type\": \"llama\",\n\"hidden_size\": -1,\n\"vocab_size\": 3.5,\n"
                                     "\"num_hidden_layers\": 2, \"num_attention_heads\": 4}");
  EXPECT_THAT(text, HasSubstr("config.json:2:16: error: 'hidden_size' must be a whole number of at least 1"));
  EXPECT_THAT(text, HasSubstr("config.json:3:15: error: 'vocab_size' must be a whole number of at least 1"));
  EXPECT_THAT(text, HasSubstr("the field 'intermediate_size' is missing"));
  EXPECT_THAT(faults_of("{\"model_type\": \"llama\", \"hidden_size\": 10, \"intermediate_size\": 4, \"vocab_size\": 8, "
                        "\"num_hidden_layers\": 2, \"num_attention_heads\": 4}"),
              HasSubstr("hidden = 10 is no multiple of heads = 4"));
}

TEST(HuggingFace, AScenarioNamesTheFile)
{
  const auto file =
      std::filesystem::temp_directory_path() / ("trainyard-config-" + std::to_string(::getpid()) + ".json");
  std::ofstream{file} << R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
    "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 8192})";
  const tests::ScenarioRun run =
      tests::run_scenario("llama3_70b_on_512_h100", {{"jobs.0.model", file.string()}}, false);
  EXPECT_EQ(run.messages(), "");
  EXPECT_EQ(tests::run_scenario("llama3_70b_on_512_h100",
                                {{"jobs.0.model", "{name: " + file.string() + ", sequence_length: 4096}"}}, false)
                .messages(),
            "");
  std::ofstream{file} << R"({"model_type": "rwkv"})";
  EXPECT_THAT(tests::run_scenario("llama3_70b_on_512_h100", {{"jobs.0.model", file.string()}}, false).messages(),
              HasSubstr("the architecture 'rwkv' is not known"));
  std::filesystem::remove(file);
}

} // namespace
} // namespace trainyard
