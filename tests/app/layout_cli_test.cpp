// SPDX-License-Identifier: Apache-2.0
/// Layouts of large models as a user meets them: compare --parallel, plan --gpus, layouts with a config.json.
#include "tests/support/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using tests::Outcome;

struct LayoutLine : tests::CommandLine {
};

TEST_F(LayoutLine, CompareShowsTheBestLayoutOfEachCombination)
{
  const Outcome table =
      shell("simrun compare --model mixtral_8x7b --gpus 64 --parallel 'tp=2,4 pp=1,2 ep=8' --json --no-files");
  ASSERT_EQ(table.code, 0) << table.err;
  const nlohmann::json json = nlohmann::json::parse(table.out);
  ASSERT_EQ(json["combinations"].size(), 4U);
  EXPECT_EQ(json["combinations"][1]["combination"], "tp=2 pp=2 ep=8");
  EXPECT_THAT(json["combinations"][1]["best"]["parallel"].get<std::string>(), HasSubstr("tp: 2, pp: 2"));
}

TEST_F(LayoutLine, CompareTellsEveryFaultOfALayoutThatDoesNotDivide)
{
  const Outcome table = shell("simrun compare --model llama3_70b --gpus 64 --parallel 'tp=6,8 pp=7,1'");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out,
              HasSubstr("tp=6 pp=7: tp = 6 does not divide the 64 heads; try 4 or 8; pp = 7 does not divide"));
  EXPECT_THAT(table.out, HasSubstr("layouts that work, nearest first"));
  EXPECT_EQ(shell("simrun compare --model llama3_70b --gpus 64 --parallel 'tp=6 pp=7'").code, 2);
  EXPECT_THAT(shell("simrun compare --model llama3_70b --gpus 64 --parallel 'tq=6'").err, HasSubstr("'tq' is unknown"));
}

TEST_F(LayoutLine, AModelThatFitsNowhereEndsWithThreeAndTheSmallestNumber)
{
  const Outcome none = shell("simrun compare --model llama3.1_405b --gpus 8 --parallel 'tp=8'");
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("fits from"));
  const Outcome plan = shell("simrun plan --model llama3_70b --gpus 8 --goal 'mfu > 1 %' --no-files");
  EXPECT_EQ(plan.code, 3);
  EXPECT_THAT(plan.out, HasSubstr("It fits from"));
}

TEST_F(LayoutLine, EveryPrecisionThatAJobMayHaveCanBeAskedFor)
{
  for (const char* precision : {"mxfp8", "nvfp4"})
    EXPECT_EQ(
        shell("simrun layouts llama3_8b --gpus 8 --gpu B200-SXM --top 1 --precision " + std::string{precision}).code,
        0);
  EXPECT_THAT(shell("simrun layouts llama3_8b --gpus 8 --precision nvfp4").err,
              HasSubstr("the H100-SXM5 does not compute in nvfp4; give --precision bf16"));
}

// 405 x 10^9 parameters on 1,024 H100 make some 200,000 tokens/s: ten times as many GPUs make 2 M.
TEST_F(LayoutLine, APlanThatMissesItsGoalShowsTheNearestDesignAndHowManyGpusItTakes)
{
  const Outcome plan = shell("simrun plan --model llama3.1_405b --gpus 1024 --goal 'tokens_per_s > 2M'");
  EXPECT_EQ(plan.code, 3);
  EXPECT_THAT(plan.out, HasSubstr("tokens_per_s > 2M: 1 design, "));
  EXPECT_THAT(plan.out, HasSubstr("No design meets the goals. The nearest: a GPU does 2"));
  EXPECT_THAT(plan.out, HasSubstr("of them at least (--gpus 16384)."));
  EXPECT_THAT(plan.out, HasSubstr("what other layouts on these GPUs lose by:"));
  EXPECT_TRUE(fs::exists(folder / "results/plans/llama3.1_405b/plan.txt")) << plan.out;
}

TEST_F(LayoutLine, ATensorParallelGroupAcrossMachinesIsToldWithItsPrice)
{
  const std::string words = "tp = 16 is more than the 8 GPUs of a machine: its collectives cross the network. A step "
                            "takes ";
  const Outcome search = shell("simrun layouts llama3_70b --gpus 64 --parallel tp=16");
  EXPECT_THAT(search.err, HasSubstr("warning: " + words));
  EXPECT_THAT(search.err, HasSubstr("; in a machine of 16 GPUs it takes "));
  EXPECT_THAT(shell("simrun compare --model llama3_70b --gpus 64 --parallel 'tp=8,16'").out,
              HasSubstr("tp=16: " + words));
  EXPECT_EQ(shell("simrun layouts llama3_70b --gpus 64").err, "");
}

TEST_F(LayoutLine, AValueThatDividesNothingIsToldWithTheNearestLayouts)
{
  const Outcome none = shell("simrun layouts llama3_70b --gpus 64 --parallel tp=3");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("tp = 3 does not divide the 64 heads; try 2 or 4"));
  EXPECT_THAT(none.err, HasSubstr("layouts that work, nearest first: TP4 "));
}

TEST_F(LayoutLine, FaultsOfTheOptionsNameNoFileThatNobodyWrote)
{
  const auto error = [&](const std::string& options) { return shell("simrun layouts " + options + " --gpus 8").err; };
  EXPECT_EQ(error("lama3_70b"), "error: unknown name 'lama3_70b'; did you mean 'llama3_70b'?\n");
  EXPECT_THAT(error("resnet50"), HasSubstr("error: 'parallel' divides transformers, and 'resnet50' is none"));
  EXPECT_EQ(error("llama3_8b --gpu V100-SXM2-32GB"),
            "error: the V100-SXM2-32GB does not compute in bf16; give --precision fp16\n");
}

TEST_F(LayoutLine, ALongSearchSaysHowFarItIs)
{
  const Outcome search = shell("simrun layouts llama3_70b --gpus 64 --progress=json");
  EXPECT_THAT(search.err, HasSubstr("{\"event\":\"progress\",\"done\":1000,\"total\":"));
  EXPECT_THAT(shell("simrun plan --model llama3_70b --gpus 64,128 --goal 'mfu > 1 %' --no-files --progress=json").err,
              HasSubstr("\"done\":1,\"total\":2,"));
  EXPECT_THAT(shell("simrun compare --model llama3_70b --gpus 64 --parallel 'tp=4,8' --progress=json").err,
              HasSubstr("\"point\":\"tp=8: "));
}

TEST_F(LayoutLine, ANumberBeyondTheLimitIsAnErrorAndNotAnotherNumber)
{
  const Outcome gpus = shell("simrun layouts llama3_8b --gpus 1000000000");
  EXPECT_EQ(gpus.code, 2) << gpus.out;
  EXPECT_THAT(gpus.err, HasSubstr("--gpus needs a whole number from 1 to 1000000, not '1000000000'"));
  const Outcome batch = shell("simrun layouts llama3_8b --gpus 8 --global-batch 4294967304");
  EXPECT_EQ(batch.code, 2) << batch.out;
  EXPECT_THAT(batch.err, HasSubstr("--global-batch needs a whole number from 1 to 100000000"));
  const Outcome seeds = shell("simrun compare --model resnet50 --cluster h100@2 --arch ring,tree --replicas 20000 "
                              "--no-files"); // 10,000 ran
  EXPECT_EQ(seeds.code, 2) << seeds.out;
  EXPECT_THAT(seeds.err, HasSubstr("--replicas needs a whole number from 1 to 10000, not '20000'"));
}

// A rack of 72 GPUs: 256 is no multiple of 72, so no layout has equal replicas; 4 x 72 = 288 is one. 37 x 7 = 259.
TEST_F(LayoutLine, WhereNobodySaysTheBatchItIsAMultipleOfTheGpus)
{
  const Outcome rack = shell("simrun layouts llama3_8b --gpus 72 --gpu GB200 --top 1");
  EXPECT_EQ(rack.code, 0) << rack.err;
  EXPECT_THAT(rack.out, HasSubstr("72 GB200, 288 sequences"));
  EXPECT_THAT(shell("simrun layouts llama3_8b --gpus 7 --top 1").out, HasSubstr("7 H100-SXM5, 259 sequences"));
  EXPECT_THAT(shell("simrun layouts llama3_8b --gpus 8 --top 1").out, HasSubstr("8 H100-SXM5, 256 sequences"));
  // a plan trains the same on 9 and on 12 GPUs: a multiple of 36
  const Outcome plan = shell("simrun plan --model llama3_8b --gpus 9,12 --goal 'tokens_per_s > 1' --no-files");
  EXPECT_EQ(plan.code, 0) << plan.out << plan.err;
}

TEST_F(LayoutLine, LayoutsAreCountedInWholeNumbersAndTheListIsNamedThatLeavesNone)
{
  EXPECT_THAT(shell("simrun layouts bert_large --gpus 8 --top 1").out, HasSubstr(" layouts, 0 of them need more"));
  const Outcome none = shell("simrun layouts llama3_8b --gpus 8 --parallel tp=3");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("256 sequences with --parallel tp=3; give another --gpus or --global-batch, or other "
                                  "values of --parallel"));
}

// Only the GPU is named, so the answer says which machines and network it takes: the same GPUs over 10 Gbit/s are
// another answer. The catalogue knows no machine of an RTX-4090: one a machine.
TEST_F(LayoutLine, TheAnswerNamesTheMachinesThatItTakes)
{
  EXPECT_THAT(shell("simrun layouts llama3_8b --gpus 16 --top 1").out,
              HasSubstr("assumed: machines of 8 H100-SXM5, network IB-NDR"));
  EXPECT_THAT(shell("simrun compare --model llama3_8b --gpus 16 --parallel 'tp=1,2'").out,
              HasSubstr("assumed: machines of 8 H100-SXM5, network IB-NDR"));
  EXPECT_THAT(
      shell("simrun plan --model llama3_8b --gpus 16 --gpu h100,rtx-4090 --goal 'tokens_per_s > 1' --minimise step "
            "--no-files")
          .out,
      HasSubstr("assumed: machines of 8 H100-SXM5, network IB-NDR; machines of 1 RTX-4090, network 100GbE"));
}

TEST_F(LayoutLine, APlanNamesTheCheapestAndItsAnswerRuns)
{
  const Outcome plan =
      shell("simrun plan --model llama3_8b --gpus 16..64 --gpu h100,a100-sxm4-80gb --goal 'tokens_per_s > "
            "100k' --minimise cost -o plan");
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("6 designs"));
  EXPECT_THAT(plan.out, HasSubstr("the answer"));
  EXPECT_THAT(plan.out, HasSubstr("what other layouts on these GPUs lose by"));
  ASSERT_TRUE(fs::exists(folder / "plan" / "answer.yaml"));
  const Outcome answer = shell("simrun plan/answer.yaml --no-files");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(shell("simrun plan --model llama3_8b --gpus 16 --goal 'tokens > 3'").err,
              HasSubstr("unknown measure 'tokens'"));
  EXPECT_THAT(shell("simrun plan --model llama3_8b --gpus x --goal 'mfu > 3 %'").err,
              HasSubstr("is no number of GPUs"));
}

TEST_F(LayoutLine, AConfigOfHuggingFaceIsAModel)
{
  write("config.json", R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 8192})");
  const Outcome file = shell("simrun layouts config.json --gpus 32 --json");
  ASSERT_EQ(file.code, 0) << file.err;
  const Outcome named = shell("simrun layouts llama3_8b --gpus 32 --json");
  EXPECT_EQ(nlohmann::json::parse(file.out)["layouts"], nlohmann::json::parse(named.out)["layouts"]);
  write("bad.json", R"({"model_type": "mamba"})");
  const Outcome bad = shell("simrun layouts bad.json --gpus 32");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("the architecture 'mamba' is not known"));
}

} // namespace
} // namespace trainyard
