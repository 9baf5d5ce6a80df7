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
  ASSERT_EQ(json["designs"].size(), 4U);
  const auto design =
      std::ranges::find_if(json["designs"], [](const auto& one) { return one["combination"] == "tp=2 pp=2 ep=8"; });
  ASSERT_NE(design, json["designs"].end());
  EXPECT_THAT((*design)["best"]["parallel"].get<std::string>(), HasSubstr("tp: 2, pp: 2"));
  EXPECT_GE(json["designs"][0]["best"]["tokens_per_second"], json["designs"][1]["best"]["tokens_per_second"]);
  EXPECT_TRUE(json["designs"][0]["answer"]);
}

// 8 machines at 98 $/h make 784 $/h. The folder holds the answer as a scenario, and a report can be made of it.
TEST_F(LayoutLine, AComparisonOfLayoutsHasPricesAndAFolderThatRunsAndReports)
{
  const Outcome compare =
      shell("simrun compare --model llama3_8b --cluster h100x8@8:98$/h --parallel 'tp=2,4 pp=1,2' -o c");
  ASSERT_EQ(compare.code, 0) << compare.err;
  EXPECT_THAT(compare.out, HasSubstr("784 $/h"));
  const double found =
      nlohmann::json::parse(tests::read_bytes(folder / "c/manifest.json"))["designs"][0]["best"]["tokens_per_second"];
  const Outcome run = shell("simrun c/answer.yaml -o run");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NEAR(nlohmann::json::parse(tests::read_bytes(folder / "run/summary.json"))["jobs"][0]["tokens_per_second"],
              found, 1);
  const Outcome report = shell("simrun report c -o c.html");
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_THAT(tests::read_bytes(folder / "c.html"), HasSubstr("tp=2 pp=2"));
}

// Utilisation is of the data sheet's peak, whatever a calibration has as the rate: MFU x step is the same time.
TEST_F(LayoutLine, UtilisationIsOfTheDataSheetsPeakWithACalibrationToo)
{
  write("cal.json", R"({"trainyard_calibration": 1, "name": "c", "created": "2026-11-30T00:00:00Z",
 "provenance": "fitted", "constants": [
  {"name": "gpu.H100-SXM5.rate.bf16", "value": 4e14, "unit": "flop/s", "provenance": "fitted"}]})");
  write("l.yaml", R"(
cluster: {node_types: {worker: {gpu: H100-SXM5, gpus: 8}}, nodes: [{name: worker, type: worker, count: 2}], network: {link: IB-NDR}}
jobs: [{name: job, precision: bf16, model: llama3_8b, training: {parallel: {tp: 2, dp: 8, zero: 1, global_batch: 64}}}]
run: {fidelity: closed_form}
)");
  const auto flop_time = [&](const std::string& more) {
    const Outcome run = shell("simrun l.yaml --json --no-files" + more);
    const nlohmann::json job = nlohmann::json::parse(run.out)["jobs"][0];
    return job["model_flop_utilisation"].get<double>() * job["step_s"].get<double>();
  };
  EXPECT_NEAR(flop_time(" --set calibration=cal.json") / flop_time(""), 1, 1e-9);
}

TEST_F(LayoutLine, CompareTellsEveryFaultOfALayoutThatDoesNotDivide)
{
  const Outcome table = shell("simrun compare --model llama3_70b --gpus 64 --parallel 'tp=6,8 pp=7,1'");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(
      table.out,
      HasSubstr("64 H100-SXM5: tp=6 pp=7: tp = 6 does not divide the 64 heads; try 4 or 8; pp = 7 does not divide"));
  EXPECT_THAT(table.out, HasSubstr("layouts that work, nearest first"));
  EXPECT_EQ(shell("simrun compare --model llama3_70b --gpus 64 --parallel 'tp=6 pp=7'").code, 2);
  EXPECT_THAT(shell("simrun compare --model llama3_70b --gpus 64 --parallel 'tq=6'").err, HasSubstr("'tq' is unknown"));
}

TEST_F(LayoutLine, AModelThatFitsNowhereEndsWithThreeAndTheSmallestNumber)
{
  const Outcome none = shell("simrun compare --model llama3.1_405b --gpus 8 --parallel 'tp=8'");
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.out, HasSubstr("It fits on"));
  const Outcome plan = shell("simrun plan --model llama3_70b --gpus 8 --goal 'mfu > 1 %' --no-files");
  EXPECT_EQ(plan.code, 3);
  EXPECT_THAT(plan.out, HasSubstr("It fits on"));
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
              HasSubstr("64 H100-SXM5: tp=16: " + words));
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
  write("l.csv", "name,parameters,flop\na,1000,1e9\n"); // layers, but no transformer
  EXPECT_THAT(error("l.csv"), HasSubstr("/l.csv' is none that is known by its dimensions"));
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
              HasSubstr("\"point\":\"64 H100-SXM5: tp=8: "));
}

TEST_F(LayoutLine, ANumberBeyondTheLimitIsAnErrorAndNotAnotherNumber)
{
  const Outcome gpus = shell("simrun layouts llama3_8b --gpus 1000000000");
  EXPECT_EQ(gpus.code, 2) << gpus.out;
  EXPECT_THAT(gpus.err, HasSubstr("--gpus: '1000000000' is no number of GPUs from 1 to 1000000"));
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

constexpr const char* two_machines = R"(name: two
cluster:
  node_types: {m: {gpu: H100-SXM5, gpus: 8, nics: 1}}
  nodes: [{name: m, type: m, count: 2}]
  network: {topology: star, link: 10GbE}
jobs:
  - name: a
    model: llama3_8b
    training: {parallel: {tp: 4, dp: 2, sequence_parallel: true, zero: 1, micro_batch: 1, global_batch: 64}}
)";

/// Tokens/s of the fastest layout.
double fastest(const Outcome& json)
{
  return nlohmann::json::parse(json.out)["layouts"][0]["tokens_per_second"];
}

// One card of 10 Gbit/s for eight GPUs, against eight of 400 Gbit/s in the machine that the GPU is sold in.
TEST_F(LayoutLine, AScenarioGivesItsClusterAndItsTransformer)
{
  write("two.yaml", two_machines);
  const Outcome own = shell("simrun layouts two.yaml --json");
  ASSERT_EQ(own.code, 0) << own.err;
  EXPECT_EQ(nlohmann::json::parse(own.out)["gpus"], 16); // all that it has
  EXPECT_GT(fastest(shell("simrun layouts llama3_8b --gpus 16 --global-batch 64 --json")), 1.02 * fastest(own));
  EXPECT_EQ(fastest(shell("simrun layouts llama3_8b --cluster h100x8@2,net=10GbE,nics=1 --global-batch 64 --json")),
            fastest(own));
  EXPECT_LT(fastest(shell("simrun layouts two.yaml --json --set jobs.0.training.parallel.product_efficiency=0.5")),
            0.7 * fastest(own));
  // The layout that the search finds takes as long in a run of the scenario.
  const Outcome plan = shell("simrun plan two.yaml --gpus 8,16 -g 'tokens_per_s > 1' --minimise step -o plan");
  ASSERT_EQ(plan.code, 0) << plan.err;
  const Outcome answer = shell("simrun plan/answer.yaml -o run --fidelity closed_form");
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_NEAR(nlohmann::json::parse(tests::read_bytes(folder / "run/summary.json"))["jobs"][0]["tokens_per_second"],
              fastest(own), 1);
  // and a shipped scenario, whose number of replicas follows from that of its workers
  EXPECT_EQ(shell("simrun layouts deepseek_v3_on_2048_h800 --top 1").code, 0);
}

// 4 machines of 8: 100 Gbit/s x 4 carry an eighth of 400 Gbit/s x 8.
TEST_F(LayoutLine, SeveralClustersStandSideBySideWithTheirPrices)
{
  const std::string two =
      " --cluster h100x8@4:90$/h,eth=100Gbit/s,nics=4 --cluster h100x8@8:100$/h,ib=400Gbit/s,nics=8";
  const Outcome table = shell("simrun layouts llama3_8b" + two);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("360 $/h")); // 4 x 90
  EXPECT_THAT(table.out, HasSubstr("800 $/h")); // 8 x 100
  EXPECT_THAT(table.out, HasSubstr("network 100GbE (star, 4 cards a machine)"));
  const Outcome plan = shell("simrun plan --model llama3_8b --gpus 32" + two + " -g 'tokens_per_s > 1' -o plan");
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("32 of its 64 GPUs"));
  EXPECT_THAT(tests::read_bytes(folder / "plan/answer.yaml"), HasSubstr("link: 100GbE")); // 360 against 400 $/h
  const Outcome compare = shell("simrun compare --model llama3_8b --gpus 32 --parallel tp=2,4" + two);
  ASSERT_EQ(compare.code, 0) << compare.err;
  EXPECT_THAT(compare.out, HasSubstr("32 H100-SXM5  tp=4"));
  EXPECT_THAT(shell("simrun layouts llama3_8b --gpus 64 --cluster h100x8@4").err, HasSubstr("has 32 GPUs"));
  EXPECT_THAT(shell("simrun layouts llama3_8b").err, HasSubstr("--gpus is missing"));
  // Twice the batch takes a step twice as long, and is as fast: what counts is tokens in a second.
  write("two.yaml", two_machines);
  const Outcome batches = shell("sed s/64}/32}/ two.yaml >half.yaml; simrun layouts two.yaml half.yaml --json");
  ASSERT_EQ(batches.code, 0) << batches.err;
  EXPECT_EQ(nlohmann::json::parse(batches.out)["designs"][0]["cluster"], "two");
  EXPECT_THAT(shell("simrun layouts two.yaml llama31_405b_on_16384_h100").err, HasSubstr("different transformers"));
}

// tp 4 x dp 2 = 8 of 16 GPUs; four replicas divide 64 sequences too.
TEST_F(LayoutLine, GpusThatALayoutLeavesIdleStandBesideTheAnswer)
{
  write("two.yaml", two_machines);
  EXPECT_THAT(shell("simrun two.yaml --no-files").out, HasSubstr("of the cluster: 8 of 16 GPUs; dp: 4 uses all"));
  EXPECT_THAT(shell("simrun two.yaml --no-files --set jobs.0.training.parallel.dp=4").out,
              testing::Not(HasSubstr("of the cluster")));
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
  EXPECT_THAT(bad.err, HasSubstr("'mamba' has layers that are neither attention nor a feed-forward network"));
}

} // namespace
} // namespace trainyard
