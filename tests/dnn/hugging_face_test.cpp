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
  const std::map<std::string, double> published{{"llama_33b", 32528943616},
                                                {"llama_65b", 65285660672},
                                                {"llama3.1_405b", 405853388800},
                                                {"mistral_7b", 7241732096},
                                                {"mixtral_8x7b", 46702792704},
                                                {"mixtral_8x22b", 140620634112},
                                                {"gpt_neox_20b", 20554567680},
                                                {"qwen2_0.5b", 494032768},
                                                {"qwen2_7b", 7615616512},
                                                {"qwen2_72b", 72706203648},
                                                {"qwen3_8b", 8190735360},
                                                {"qwen3_30b_a3b", 30532122624},
                                                {"qwen3_235b_a22b", 235093634560},
                                                {"deepseek_v2_lite", 15706484224},
                                                {"deepseek_v2", 235741434880},
                                                {"deepseek_v3", 671026404352},
                                                {"roberta_base", 124645632},
                                                {"roberta_large", 355359744},
                                                {"xlm_roberta_base", 278043648},
                                                {"xlm_roberta_large", 559890432},
                                                {"gpt_j_6b", 6050882784},
                                                {"phi_1.5", 1418270720},
                                                {"phi_2", 2779683840},
                                                {"phi_3_mini", 3821079552},
                                                {"phi_3_medium", 13960238080},
                                                {"phi_4", 14659507200},
                                                {"opt_125m", 125239296},
                                                {"opt_1.3b", 1315758080},
                                                {"opt_6.7b", 6658473984},
                                                {"opt_13b", 12853473280},
                                                {"opt_30b", 29974540288},
                                                {"bloom_560m", 559214592},
                                                {"bloom_7b1", 7069016064},
                                                {"bloom_176b", 176247271424},
                                                {"pythia_160m", 162322944},
                                                {"pythia_1.4b", 1414647808},
                                                {"pythia_6.9b", 6857302016},
                                                {"pythia_12b", 11846072320},
                                                {"mpt_7b", 6649286656},
                                                {"llama3.2_1b", 1235814400},
                                                {"llama3.2_3b", 3212749824},
                                                {"codellama_34b", 33743970304},
                                                {"yi_6b", 6061035520},
                                                {"tinyllama_1.1b", 1100048384},
                                                {"yi_34b", 34388917248},
                                                {"mistral_nemo_12b", 12247782400},
                                                {"mistral_small_24b", 23572403200},
                                                {"mistral_large_123b", 122610069504},
                                                {"dbrx", 131596523520},
                                                {"deepseek_7b", 6910365696},
                                                {"deepseek_moe_16b", 16375728128},
                                                {"qwen2.5_3b", 3085938688},
                                                {"qwen2.5_14b", 14770033664},
                                                {"qwen2.5_32b", 32763876352},
                                                {"qwen3_0.6b", 596049920},
                                                {"qwen3_1.7b", 1720574976},
                                                {"qwen3_4b", 4022468096},
                                                {"gemma_2b", 2506172416},
                                                {"gemma_7b", 8537680896},
                                                {"gemma2_2b", 2614341888},
                                                {"gemma2_9b", 9241705984},
                                                {"gemma2_27b", 27227128320},
                                                {"gemma3_1b", 999885952},
                                                {"gpt_oss_20b", 20914757184},
                                                {"gpt_oss_120b", 116829156672},
                                                {"glm4_9b", 9399951360},
                                                {"olmo_1b", 1176764416},
                                                {"olmo_7b", 6888095744},
                                                {"olmo2_1b", 1484916736},
                                                {"olmo2_13b", 13716198400},
                                                {"olmo2_32b", 32234279936},
                                                {"olmoe_7b", 6919161856}};
  for (const auto& [name, parameters] : published)
    EXPECT_EQ(find_transformer(name)->parameters(), parameters) << name;
}

// Where the weights released hold more (the part for images, a layer for later tokens), or the weights are not counted
// in a card: the size that the reports give, rounded as there.
TEST(Transformers, HaveTheSizesOfTheirReports)
{
  const std::map<std::string, double> billions{{"gemma3_4b", 3.88},     {"gemma3_12b", 11.8},     {"gemma3_27b", 27.0},
                                               {"llama4_scout", 107.8}, {"llama4_maverick", 401}, {"glm4.5", 355},
                                               {"glm4.5_air", 106},     {"kimi_k2", 1030},        {"opt_2.7b", 2.65},
                                               {"opt_66b", 65.7},       {"opt_175b", 174.6},      {"olmo2_7b", 7.3},
                                               {"deepseek_67b", 67.4},  {"mpt_30b", 30.0},        {"grok_1", 314},
                                               {"nemotron4_15b", 15.6}, {"nemotron4_340b", 340}};
  for (const auto& [name, size] : billions)
    EXPECT_NEAR(find_transformer(name)->parameters() / 1e9, size, 0.01 * size) << name;
}

// Active parameters: DeepSeek-V3 37 billion of 671 (arXiv:2412.19437, abstract), Qwen3 22 of 235 and 3 of 30
// (arXiv:2505.09388), Mixtral 8x22B 39 of 141, DeepSeek-V2 21 of 236 (arXiv:2405.04434),
// gpt-oss 3.6 and 5.1 without the embedding (arXiv:2508.10925), Llama 4 17, Kimi K2 32.6 (arXiv:2507.20534), OLMoE 1.3,
// DeepSeekMoE 2.8.
TEST(Transformers, ATokenPassesTheActiveParameters)
{
  const std::map<std::string, double> published{{"deepseek_v3", 37.5},
                                                {"qwen3_235b_a22b", 22.2},
                                                {"qwen3_30b_a3b", 3.3},
                                                {"mixtral_8x22b", 39.2},
                                                {"deepseek_v2", 21.4},
                                                {"gpt_oss_20b", 3.6 + 0.58}, // its report leaves the embedding out
                                                {"gpt_oss_120b", 5.1 + 0.58},
                                                {"llama4_scout", 17},
                                                {"llama4_maverick", 17},
                                                {"kimi_k2", 32.6},
                                                {"olmoe_7b", 1.3},
                                                {"deepseek_moe_16b", 2.8}};
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

// Parameters that the weights on Hugging Face have (the sum of the tensors of their safetensors files).
TEST(HuggingFace, LayersWithOtherNormsAndBiasesHaveAsManyParametersAsReleased)
{
  // gpt-oss-20b: biases of attention, router and experts, a sink for each head.
  EXPECT_EQ(read(R"({"model_type": "gpt_oss", "attention_bias": true, "experts_per_token": 4, "head_dim": 64,
    "hidden_size": 2880, "intermediate_size": 2880, "num_attention_heads": 64, "num_experts_per_tok": 4,
    "num_hidden_layers": 24, "num_key_value_heads": 8, "num_local_experts": 32, "tie_word_embeddings": false,
    "vocab_size": 201088})")
                .parameters(),
            20914757184);
  // Phi-2: one norm for both blocks, biases of everything, of the output too.
  EXPECT_EQ(read(R"({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 32,
    "num_attention_heads": 32, "vocab_size": 51200, "tie_word_embeddings": false})")
                .parameters(),
            2779683840);
  // Falcon-7B: one head of keys, one norm with biases, no other biases, tied.
  EXPECT_EQ(read(R"({"model_type": "falcon", "bias": false, "hidden_size": 4544, "multi_query": true,
    "new_decoder_architecture": false, "num_attention_heads": 71, "num_hidden_layers": 32, "parallel_attn": true,
    "vocab_size": 65024})")
                .parameters(),
            6921720704);
  // OLMo-7B has norms without parameters; OLMo-2-7B and OLMoE normalise queries and keys over all heads.
  const std::string olmo = R"("hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
    "num_attention_heads": 32, "tie_word_embeddings": false, )";
  EXPECT_EQ(read("{\"model_type\": \"olmo\", " + olmo + "\"vocab_size\": 50304}").parameters(), 6888095744);
  EXPECT_EQ(read("{\"model_type\": \"olmo2\", " + olmo + "\"vocab_size\": 100352}").parameters(), 7298617344);
  EXPECT_EQ(read(R"({"model_type": "olmoe", "hidden_size": 2048, "intermediate_size": 1024, "num_hidden_layers": 16,
    "num_attention_heads": 16, "vocab_size": 50304, "num_experts": 64, "num_experts_per_tok": 8})")
                .parameters(),
            6919161856);
}

// By hand. Llama 4 Maverick's text model: each second of 48 layers has 128 experts of width 8,192 beside a shared one,
// the others a network of width 16,384. Attention 5120 x 128 x (2 x 40 + 2 x 8) = 62,914,560; a matrix 5120 x 8192 =
// 41,943,040. With experts: attention + 129 x 3 matrices + router 5120 x 128 + 2 x 5120 = 16,295,536,640; without:
// attention + 6 matrices + 2 x 5120 = 314,583,040. 24 of each, twice 202,048 x 5120, and 5120.
TEST(HuggingFace, EachSecondLayerHasExpertsWhereTheFileSaysSo)
{
  const std::string text = R"("attention_bias": false, "head_dim": 128, "hidden_size": 5120, "intermediate_size": 8192,
    "intermediate_size_mlp": 16384, "num_attention_heads": 40, "num_experts_per_tok": 1, "num_hidden_layers": 48,
    "num_key_value_heads": 8, "num_local_experts": 128, "vocab_size": 202048)";
  const TransformerFile maverick = read_hugging_face(
      R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "interleave_moe_layer_step": 2, )" +
          text + "}, \"vision_config\": {\"hidden_size\": 1408}}",
      "config.json");
  EXPECT_EQ(maverick.transformer.parameters(), 24 * (16295536640.0 + 314583040.0) + 2 * 202048.0 * 5120 + 5120);
  EXPECT_EQ(maverick.transformer.expert_layers(), 24);
  EXPECT_THAT(maverick.ignored, ::testing::ElementsAre(HasSubstr("only the model of text is trained")));
  Transformer third = maverick.transformer; // layers 3 to 8 of 9: the fifth and the eighth have experts
  third.dense_layers = 2;
  third.expert_step = 3;
  EXPECT_EQ(third.dense_among(2, 6), 4);
  EXPECT_EQ(third.dense_among(0, 9), 7);
}

// Version 5 of the library renamed rope_scaling, and Gemma has one for each kind of layers.
TEST(HuggingFace, TheLengthBeforeAnExtensionOfTheContextCountsUnderEveryName)
{
  const auto sequence = [](const std::string& fields) {
    return read(R"({"model_type": "llama", "hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 4,
      "num_attention_heads": 16, "vocab_size": 32000, "max_position_embeddings": 32768, )" +
                fields + "}")
        .sequence;
  };
  for (const char* fields :
       {R"("rope_scaling": {"rope_type": "yarn", "original_max_position_embeddings": 4096})",
        R"("rope_parameters": {"rope_type": "yarn", "original_max_position_embeddings": 4096})",
        R"("rope_parameters": {"full_attention": {"original_max_position_embeddings": 4096}, "sliding_attention": {}})",
        R"("original_max_position_embeddings": 4096)"})
    EXPECT_EQ(sequence(fields), 4096) << fields;
  EXPECT_EQ(sequence(R"("time_step_limit": [0.0, Infinity])"), 8192);
}

TEST(HuggingFace, AFieldThatNothingKnowsIsTold)
{
  const TransformerFile file = read_hugging_face(
      R"({"model_type": "llama", "hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 4,
          "num_attention_heads": 16, "vocab_size": 32000, "rms_norm_eps": 1e-5, "mixture_of_depths": 2})",
      "config.json");
  EXPECT_THAT(file.ignored, ::testing::ElementsAre(HasSubstr("mixture_of_depths: is not known here")));
  EXPECT_THAT(faults_of("{\"model_type\": \"nemotron_h\"}"), HasSubstr("they cannot be expressed"));
}

TEST(HuggingFace, EveryFaultIsToldWithItsLine)
{
  EXPECT_THAT(faults_of("{\"model_type\": \"mamba\"}"),
              HasSubstr("config.json:1:16: error: 'mamba' has layers that are neither attention nor a feed-forward "
                        "network"));
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
              HasSubstr("'rwkv' has layers that are neither attention nor a feed-forward network"));
  std::filesystem::remove(file);
}

} // namespace
} // namespace trainyard
