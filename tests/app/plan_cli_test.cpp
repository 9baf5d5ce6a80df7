// SPDX-License-Identifier: Apache-2.0
/// simrun plan and --assert as a user meets them.
#include "tests/support/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::Outcome;

constexpr const char* queue_of_plans = R"(
cluster:
  node_types:
    machine: {gpu: V100-SXM2-16GB, gpus: 4, price: 10 $/h}
  nodes: [{name: machine, type: machine, count: 4}]
  network: {link: 25GbE}
workload: {trace: {file: jobs.csv}}
scheduling: {policies: [fifo, sjf]}
)";

struct PlanLine : tests::CommandLine {
  PlanLine()
  {
    write("q.yaml", queue_of_plans);
    std::string jobs =
        "submit_s,duration_s,gpus\n"; // 60 jobs of an hour, one every ten minutes, a third of them on 4 GPUs
    for (int i = 0; i < 60; ++i)
      jobs += std::to_string(600 * i) + ",3600," + (i % 3 == 0 ? "4" : "1") + "\n";
    write("jobs.csv", jobs);
  }
};

// The trace lies beside the scenario; another file of the same name, with one job, in the working folder.
TEST_F(PlanLine, TheAnswerRunsFromAnywhereWithTheFilesThatWerePlanned)
{
  fs::create_directories(folder / "sub");
  fs::rename(folder / "jobs.csv", folder / "sub" / "jobs.csv");
  fs::rename(folder / "q.yaml", folder / "sub" / "q.yaml");
  write("jobs.csv", "submit_s,duration_s,gpus\n0,3600,1\n");
  const Outcome plan = shell("simrun plan sub/q.yaml -g 'util > 0.01' -k nodes=4 --policies fifo -o plan");
  ASSERT_EQ(plan.code, 0) << plan.err;
  const Outcome run = shell("simrun plan/answer.yaml --no-files --json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["jobs"], 60);
}

constexpr const char* two_collectives = R"(
cluster:
  node_types: {m: {gpu: T4, gpus: 1}}
  nodes: [{name: m, type: m, count: 16}]
  network: {link: 10GbE}
jobs: [{name: train, model: resnet50, batch_per_gpu: 32, workers: 8, steps: 1000, training: {mode: all_reduce}}]
sweep:
  variants:
    - {name: ring, set: {jobs.0.training.collective: ring}}
    - {name: tree, set: {jobs.0.training.collective: tree}}
)";

// Ring is 2 % ahead of tree, which errors of 9 % do not tell apart.
TEST_F(PlanLine, ATieIsNoWinner)
{
  write("w.yaml", two_collectives);
  const Outcome run = shell("simrun w.yaml --no-files");
  EXPECT_THAT(run.out, HasSubstr("are too close to call at 8 GPUs"));
  EXPECT_THAT(run.out, Not(HasSubstr("ring wins")));
  const Outcome plan = shell("simrun plan w.yaml --maximise throughput -g 'throughput > 1/s' --no-files");
  EXPECT_THAT(plan.out, HasSubstr("may be as good, by the errors of the model: variant=tree"));
  EXPECT_THAT(plan.out, HasSubstr("assumed: ")); // as run and compare say it
}

constexpr const char* failing = R"(
cluster:
  node_types: {m: {gpu: A100-SXM4-80GB, gpus: 8}}
  nodes: [{name: m, type: m, count: 5}]
  network: {link: IB-HDR}
jobs: [{name: train, model: bert_large, workers: 32, batch_per_gpu: 16, optimizer: adam, steps: 1000000}]
faults: {mtbf: {node: 300 h, mttr: 24 h}}
checkpoints: {storage: 1 GB/s, restart: 10 min}
)";

TEST_F(PlanLine, OneDrawOfFailuresIsSaidToBeOne)
{
  write("f.yaml", failing);
  const Outcome run = shell("simrun f.yaml --no-files --assert 'goodput > 0.5' --assert 'throughput > 1/s'");
  EXPECT_THAT(run.out, HasSubstr("one draw of the failures (seed 1)"));
  // What decides most decides the step: the same without failures.
  write("g.yaml", std::string{failing}.substr(0, std::string{failing}.find("faults:")));
  const auto decides = [](const Outcome& one) {
    const std::size_t at = one.out.find("decides most:");
    return one.out.substr(at, one.out.find('\n', at) - at);
  };
  EXPECT_EQ(decides(run), decides(shell("simrun g.yaml --no-files")));
  EXPECT_EQ(run.err.find("one draw of"), run.err.rfind("one draw of")) << "throughput is no draw";
  EXPECT_THAT(run.err, HasSubstr("one draw of"));
  const Outcome many = shell("simrun f.yaml --no-files --set run.replicas=5 --assert 'goodput > 0.5'");
  EXPECT_THAT(many.err, Not(HasSubstr("one draw of")));
  EXPECT_THAT(many.out, HasSubstr(", 100.0 %]")); // the interval of the mean, which ends at 1
}

// Without failures the job ends after steps x step, with the error of the step; efficiency has another one.
TEST_F(PlanLine, AnEndHasTheErrorOfTheStepAndEfficiencyIsSaidToHaveNone)
{
  write("w.yaml", two_collectives);
  const Outcome run = shell(
      "simrun w.yaml --point variant=ring --no-files --assert 'finish < 30 d' --assert 'scaling_efficiency > 0.01'");
  EXPECT_THAT(run.err, HasSubstr("that it is met is 98 % sure"));
  EXPECT_THAT(run.err, HasSubstr("judged as predicted, without the error of the model"));
}

TEST_F(PlanLine, ASweepNamesThePricesOfAllItsMachines)
{
  write("w.yaml", std::string{two_collectives}.substr(0, std::string{two_collectives}.find("sweep:")));
  const Outcome run = shell("simrun sweep w.yaml --grid cluster.node_types.m.gpu=T4,V100-SXM2-16GB -o s.sqlite");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 x T4"));
  EXPECT_THAT(run.out, HasSubstr("1 x V100-SXM2-16GB"));
}

TEST_F(PlanLine, FindsTheFewestMachinesAndWritesTheAnswer)
{
  // Each hour brings 2 jobs of 4 GPUs and 4 of 1 GPU: 12 GPUs are busy all the time, so 3 machines are the least that
  // can keep up.
  const Outcome plan = shell(
      "simrun plan q.yaml -g 'p95(queueing_delay) < 1 h' -k cluster.nodes.0.count=1..8 -o plan --policies fifo,sjf");
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("16 designs"));
  EXPECT_THAT(plan.out, HasSubstr("every design simulated; the seed has no effect"));
  EXPECT_THAT(plan.out, HasSubstr("tightest goal: p95(queueing_delay) < 1 h"));
  EXPECT_THAT(plan.out, HasSubstr("runner-up"));
  EXPECT_THAT(plan.out, HasSubstr("fewer nodes"));
  EXPECT_THAT(plan.out, HasSubstr("Pareto front: cost against p95(queueing_delay)"));
  EXPECT_THAT(plan.out, HasSubstr("checked, not assumed"));
  for (const char* name : {"plan.txt", "designs.csv", "front.png", "front.svg", "answer.yaml", "manifest.json"})
    EXPECT_TRUE(fs::exists(folder / "plan" / name)) << name;
  const nlohmann::json json = nlohmann::json::parse(tests::read_bytes(folder / "plan" / "manifest.json"));
  const int nodes = std::stoi(json["answer"]["settings"]["cluster.nodes.0.count"].get<std::string>());
  EXPECT_GE(nodes, 3);
  EXPECT_LE(nodes, 4);
  // the answer runs as it is and keeps its promise; one machine less breaks it
  EXPECT_EQ(shell("simrun plan/answer.yaml --no-files --assert 'p95(queue) < 1h'").code, 0);
  const Outcome less =
      shell("simrun plan/answer.yaml --no-files --assert 'p95(queue) < 1h' --set cluster.nodes.0.count=" +
            std::to_string(nodes - 1));
  EXPECT_EQ(less.code, 3) << less.err;
  EXPECT_THAT(less.err, HasSubstr("NOT met"));
}

TEST_F(PlanLine, SaysWhatAGoalOnTheFirstStartLeavesOut)
{
  // Under srtf short jobs stop long ones: some wait again after their first start, so p95(waiting) is above
  // p95(queueing_delay), and the goal on the first start alone must not hide it.
  std::string jobs = "submit_s,duration_s,gpus\n0,36000,4\n";
  for (int i = 0; i < 20; ++i)
    jobs += std::to_string(600 + 1200 * i) + ",600,4\n";
  write("jobs.csv", jobs);
  const Outcome plan = shell("simrun plan q.yaml -g 'max(queueing_delay) < 1 min' -k cluster.nodes.0.count=1 "
                             "--policies srtf --no-files");
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("note on max(queueing_delay) < 1 min: queueing_delay ends with the first start"));
  // 20 x 10 minutes of short jobs, of which the long one meets those before its end at 10 h + 200 min = 800 min:
  // all 20 (the last comes at 390 min).
  EXPECT_THAT(plan.out, HasSubstr("max(waiting) is 200 min"));
  const Outcome waiting =
      shell("simrun q.yaml --set 'scheduling.policies=[srtf]' --no-files --set cluster.nodes.0.count=1 "
            "--assert 'max(waiting) < 3 h' --assert 'max(queueing_delay) < 1 min'");
  EXPECT_EQ(waiting.code, 3);
  EXPECT_THAT(waiting.err, HasSubstr("assertion max(waiting) < 3 h: NOT met, 200 min"));
  EXPECT_THAT(waiting.err,
              HasSubstr("assertion max(queueing_delay) < 1 min: met, 0 over 21 jobs (margin 100 %); queueing_delay"));
}

TEST_F(PlanLine, ExitsWithThreeAndTheNearestMiss)
{
  const Outcome plan =
      shell("simrun plan q.yaml -g 'p95(queueing_delay) < 1 min' -k cluster.nodes.0.count=1..2 --json --no-files");
  EXPECT_EQ(plan.code, 3) << plan.err;
  const nlohmann::json json = nlohmann::json::parse(plan.out);
  EXPECT_FALSE(json["met"].get<bool>());
  EXPECT_EQ(json["nearest_miss"]["settings"]["cluster.nodes.0.count"], "2");
  EXPECT_LT(json["nearest_miss"]["goals"][0]["margin"].get<double>(), 0);
}

TEST_F(PlanLine, NeedsNoScenarioForATraceAndAMachine)
{
  const Outcome plan =
      shell("simrun plan --trace jobs.csv --node 'v100x4:10$/h' --goal 'p95(queue)<1h' --minimise cost --most-nodes 6 "
            "--policies fifo,easy_backfill --replicas 5 --no-files");
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("12 designs"));
  EXPECT_THAT(plan.err, HasSubstr("v100 is V100-SXM2-16GB"));
}

TEST_F(PlanLine, FailuresReachTheScenarioOfATraceAndAMachine)
{
  // The only machine stops for two of the hours in which its jobs are to run.
  const std::string plan =
      "simrun plan --trace jobs.csv --node 'v100x4:10$/h' --goal 'p95(queue)<1000h' --minimise lost_gpu_hours "
      "--most-nodes 1 --no-files --json";
  const auto lost = [&](const std::string& options) {
    const Outcome run = shell(plan + options);
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(run.out)["answer"]["objective"].get<double>();
  };
  EXPECT_EQ(lost(""), 0);
  EXPECT_GT(lost(" --fail node:worker-0@90min+2h"), 0);
  EXPECT_GT(lost(" --mtbf node=10h,mttr=1h"), 0);
  const Outcome unknown = shell(plan + " --fail node:nowhere-7@1h");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("nowhere-7"));
}

TEST_F(PlanLine, SaysWhereThePriceComesFrom)
{
  write("job.yaml",
        "cluster:\n  node_types: {box: {gpu: A100-SXM4-40GB, gpus: 8}}\n  nodes: [{name: n, type: box}]\n"
        "jobs: [{name: j, model: resnet50, batch_per_gpu: 36, single_gpu_step: 100 ms}]\nrun: {fidelity: fluid}\n");
  const std::string plan =
      "simrun plan job.yaml -g 'throughput > 1/s' -k jobs.0.workers=1 --minimise price_per_million_samples --no-files";
  const Outcome listed = shell(plan);
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("answer: workers=1: 25.31 $")); // 8 x 4.10 $/h over 360 samples/s
  EXPECT_THAT(listed.out, HasSubstr("price assumed: 32.80 $/h (23,944 $/month) for each 'box' (8 x A100-SXM4-40GB), "
                                    "from the price list cloud_2023"));
  const Outcome unknown = shell(plan + " --set cluster.node_types.box.gpu=P40");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("has no price"));
}

TEST_F(PlanLine, DividedTransformersHaveTheNamesOfLayouts)
{
  const Outcome plan = shell("simrun plan llama3_70b_on_512_h100 --goal 'tokens_per_s > 500k' --goal 'mfu > 0.4' -k "
                             "jobs.0.training.parallel.vp=1,5 --minimise tokens_per_second --sure 0 --no-files");
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("tightest goal: tokens_per_s > 500k"));
}

TEST_F(PlanLine, TheScenariosFidelityDecides)
{
  const auto decided_by = [&](const std::string& run, const std::string& option = "") {
    write("job.yaml", "cluster:\n  node_types: {box: {gpu: A100-SXM4-40GB, gpus: 8, price: 1 $/h}}\n"
                      "  nodes: [{name: n, type: box, count: 2}]\n"
                      "jobs: [{name: j, model: resnet50, workers: 16, batch_per_gpu: 36, single_gpu_step: 100 ms}]\n" +
                          run);
    const Outcome plan =
        shell("simrun plan job.yaml -g 'throughput > 1/s' -k jobs.0.batch_per_gpu=36,72 -o decided " + option);
    EXPECT_EQ(plan.code, 0) << plan.err;
    const nlohmann::json json = nlohmann::json::parse(tests::read_bytes(folder / "decided" / "manifest.json"));
    return json["decided_by"].get<std::string>();
  };
  EXPECT_EQ(decided_by(""), "flow");
  EXPECT_EQ(decided_by("run: {fidelity: fluid}\n"), "fluid");
  EXPECT_EQ(decided_by("run: {fidelity: closed_form}\n"), "closed_form");
  EXPECT_EQ(decided_by("run: {fidelity: closed_form}\n", "--fidelity fluid"), "fluid");
}

TEST_F(PlanLine, BadInputIsRefused)
{
  const std::map<std::string, std::string> faults = {
      {"-g 'util > 0.8' -g 'util < 0.7'", "cannot both be met"},
      {"-g 'utilisation > 120 %'", "can never be above 100 %"},
      {"-g 'throughput > 5/s'", "the scenario simulates a queue, not training steps"},
      {"-g 'throughptu > 5/s'", "did you mean 'throughput'?"},
      {"-g 'p95(queue) < 3600'", "goal 'p95(queue) < 3600'"},
      {"-g 'util > 0.5' --minimise nothing", "there is no measure 'nothing'"},
      {"-g 'util > 0.5' --minimise cost --maximise utilisation", "give only one of"},
      {"-g 'util > 0.5' --confidence 2", "between 0.5 and 1"},
      {"-g 'util > 0.5' -k cluster.nodes.0.cuont=1..4", "did you mean 'count'?"},
      {"-g 'util > 0.5' -k cluster.nodes.0.count=4..1", "is empty"},
      {"-g 'util > 0.5' --policies fifa,sjf", "did you mean 'fifo'?"},
      {"-g 'util > 0.5' --trace jobs.csv", "either these options or a scenario"},
      {"", "--goal"}};
  for (const auto& [options, message] : faults) {
    const std::string knob = options.find("-k ") == std::string::npos ? " -k cluster.nodes.0.count=1..4" : "";
    const Outcome run = shell("simrun plan q.yaml -o plan " + options + knob);
    EXPECT_EQ(run.code, 2) << options << "\n" << run.out << run.err;
    EXPECT_THAT(run.err, HasSubstr(message)) << options;
    EXPECT_FALSE(fs::exists(folder / "plan")) << options;
  }
  const Outcome nothing = shell("simrun plan q.yaml -g 'util > 0.5'");
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("there is nothing to choose"));
  const Outcome unpriced = shell("simrun plan q.yaml -g 'util > 0.5' -k cluster.nodes.0.count=1..4 --set "
                                 "cluster.node_types.machine='{gpu: P40, gpus: 4}' "
                                 "--no-files");
  EXPECT_EQ(unpriced.code, 2) << unpriced.out;
  EXPECT_THAT(unpriced.err, HasSubstr("has no price"));
  EXPECT_THAT(unpriced.err, HasSubstr("price unknown: 'machine' (4 x P40) is not in the price list cloud_2023"));
}

TEST_F(PlanLine, AssertionsGuardARun)
{
  const Outcome good = shell("simrun q.yaml --no-files --json --assert 'util>0.3' --assert 'p95(queue, fifo) < 20 h' "
                             "--assert 'cost < 50 $/h'");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(nlohmann::json::accept(good.out)) << "stdout is one document";
  EXPECT_THAT(good.err, HasSubstr("assertion util>0.3: met"));
  EXPECT_THAT(good.err, HasSubstr("assertion cost < 50 $/h: met, 40.00 $/h (margin 20 %)"));
  const Outcome bad = shell("simrun q.yaml --no-files --assert 'util>0.3' --assert 'makespan < 1 h'");
  EXPECT_EQ(bad.code, 3);
  EXPECT_THAT(bad.err, HasSubstr("assertion makespan < 1 h: NOT met"));
  EXPECT_THAT(bad.err, HasSubstr("missed by"));
  for (const auto& [assertion, message] :
       std::map<std::string, std::string>{{"throughput > 1/s", "simulates a queue"},
                                          {"utl > 1", "there is no measure"},
                                          {"jct(fifa) < 1 h", "did you mean 'fifo'?"}}) {
    const Outcome refused = shell("simrun q.yaml -o none --assert '" + assertion + "'");
    EXPECT_EQ(refused.code, 2) << assertion;
    EXPECT_THAT(refused.err, HasSubstr(message)) << assertion;
    EXPECT_FALSE(fs::exists(folder / "none")) << "refused before anything runs";
  }
}

TEST_F(PlanLine, WhatCostsMoreIsNotCalledCheaper)
{
  // Most machines below 45 $/h: 4. Five would be more, but cost 50 $/h: better by the objective, not cheaper.
  const Outcome plan =
      shell("simrun plan q.yaml --maximise nodes -g 'cost < 45 $/h' -k nodes=3..6 --policies fifo --no-files");
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("answer: nodes=4"));
  EXPECT_THAT(plan.out, HasSubstr("closest of the better designs that fail: nodes=5"));
  EXPECT_THAT(plan.out, Not(HasSubstr("cheaper")));
}

// Chance is larger than 20 seeds can tell: that is no proof that nothing meets the goal.
TEST_F(PlanLine, WhatIsUndecidedIsNotCalledMissed)
{
  write("q.yaml", "trainyard: 1\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 4, price: 1 $/h}}\n  nodes: "
                  "[{name: w, type: w, count: 2}]\n  network: {link: 25GbE}\nworkload: {generate: {jobs: 200, "
                  "mean_interarrival: 30 min}}\nscheduling: {policy: fifo}\n");
  const Outcome plan = shell("simrun plan q.yaml --knob cluster.nodes.0.count=2..4 --goal 'jct < 3 h' --no-files");
  EXPECT_EQ(plan.code, 3);
  EXPECT_THAT(plan.out, AllOf(HasSubstr("not decided: 20 seeds"), HasSubstr("undecided"),
                              Not(HasSubstr("no design meets the goals"))));
}

} // namespace
} // namespace trainyard
