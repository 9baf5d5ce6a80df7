// SPDX-License-Identifier: Apache-2.0
/// simrun compare and simrun sensitivity as a user meets them.
#include "models/results/model_error.hpp"
#include "tests/support/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::Outcome;

constexpr const char* training = R"(
cluster:
  node_types:
    worker: {gpu: V100-SXM2-16GB, gpus: 1, price: 3 $/h}
    server: {cpu_cores: 8, price: 0.5 $/h}
  nodes:
    - {name: worker, type: worker, count: 4}
    - {name: server, type: server, count: 2}
  network: {link: 25GbE}
jobs:
  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: parameter_server, servers: 2}}
run: {fidelity: fluid}
)";

constexpr const char* retraining = R"(
cluster:
  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 4, price: 8 $/h}}
  nodes: [{name: w, type: w, count: 2}]
  network: {link: 25GbE}
task_environment:
  models: [{name: faces, train_time: 40 min, gpus: 4, period: 24 h, first: 2 h}]
run: {until: 3 d}
)";

constexpr const char* queue = R"(
cluster:
  node_types: {machine: {gpu: V100-SXM2-16GB, gpus: 4, price: 10 $/h}}
  nodes: [{name: machine, type: machine, count: 3}]
  network: {link: 25GbE}
workload:
  generate: {jobs: 120, arrivals: poisson, mean_interarrival: 10 min, median_duration: 1 h, duration_sigma: 0.8, gpus: {1: 0.6, 2: 0.3, 4: 0.1}}
)";

struct CompareLine : tests::CommandLine {
  CompareLine()
  {
    write("t.yaml", training);
    write("q.yaml", queue);
    write("r.yaml", retraining);
  }

  static const nlohmann::json& figure(const nlohmann::json& json, std::size_t candidate, const std::string& measure)
  {
    for (const nlohmann::json& one : json["groups"][0]["candidates"][candidate]["figures"])
      if (one["measure"] == measure)
        return one;
    throw std::runtime_error{"no figure " + measure};
  }
};

TEST_F(CompareLine, ArchitecturesOfADescribedCluster)
{
  const Outcome run = shell("simrun compare --model vgg16 --cluster 'v100x2@2,eth=25Gbit/s' --arch ps:1..2,ring --sync "
                            "--gpu-batch 16 -o out");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("3 candidates; the seed has no effect, so every difference is exact"));
  EXPECT_THAT(run.out, HasSubstr("ps:1 sync"));
  EXPECT_THAT(run.out, HasSubstr("gRPC of worker-0 to ps-0"));
  EXPECT_THAT(run.out, HasSubstr("advice: ring is best in throughput"));
  EXPECT_THAT(run.out, HasSubstr("ring beats every ps:N with N <= 2"));
  EXPECT_THAT(run.err, HasSubstr("v100 is V100-SXM2-16GB, 25Gbit/s is 25GbE"));
  for (const char* name : {"compare.txt", "compare.csv", "compare.png", "compare.svg", "manifest.json"})
    EXPECT_TRUE(fs::exists(folder / "out" / name)) << name;
}

// GPUs and software are the same, so only what is each answer's own counts: 1 - exp(-ln(ratio) / own) / 2, at most
// 99 %, for of the pairs that are called surest 93 % were right (docs/accuracy.md). Of a faster
// network, which changes nothing behind gRPC, nothing is said.
/// Messages that answer; the others tell what is assumed.
long answers_in(const nlohmann::json& json)
{
  return std::ranges::count_if(json["messages"], [](const auto& message) { return message["kind"] == "answer"; });
}

TEST_F(CompareLine, FoldersOfTrainingRunsAreOneTableOfTheirJobs)
{
  const Outcome written =
      shell("simrun t.yaml -o A >/dev/null && simrun t.yaml --set jobs.0.workers=2 -o B >/dev/null");
  ASSERT_EQ(written.code, 0) << written.err;
  const Outcome folders = shell("simrun compare A B --json --no-files");
  ASSERT_EQ(folders.code, 0) << folders.err;
  const auto json = nlohmann::json::parse(folders.out);
  ASSERT_EQ(json["groups"].size(), 1U) << folders.out; // no link, stage or device is a job
  const auto varied =
      nlohmann::json::parse(shell("simrun compare t.yaml --vary jobs.0.workers=4,2 --json --no-files").out);
  for (const char* measure : {"throughput", "step_time", "exposed_communication"})
    for (const std::size_t candidate : {0U, 1U})
      EXPECT_NEAR(double{figure(json, candidate, measure)["mean"]}, double{figure(varied, candidate, measure)["mean"]},
                  1e-6 * double{figure(varied, candidate, measure)["mean"]})
          << measure;
}

// Both end as many trainings, the second with three times the GPU time: its model is deployed later and stale for
// longer.
TEST_F(CompareLine, MoreGpuTimeForTheSameModelsIsNoGain)
{
  write("slow.yaml", std::string{retraining}.replace(std::string{retraining}.find("40 min"), 6, "2 h"));
  const Outcome run = shell("simrun compare r.yaml slow.yaml --no-files");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("r is best in p95(need_to_deployed)"));
  EXPECT_THAT(run.out, HasSubstr("r is best in stale_share"));
  EXPECT_THAT(run.out, Not(HasSubstr("best in utilisation")));
}

TEST_F(CompareLine, SaysHowSureTheFasterOneIs)
{
  const Outcome run = shell("simrun compare t.yaml --vary jobs.0.training.servers=1,2 --json --no-files");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  ASSERT_EQ(answers_in(json), 1) << run.out;
  const double slow = figure(json, 0, "throughput")["mean"], fast = figure(json, 1, "throughput")["mean"];
  const double own = model_errors().of({"servers names tcp", 0}).own;
  const double sure = std::min(0.99, 1 - std::exp(-std::log(std::max(fast / slow, slow / fast)) / own) / 2);
  const auto& told = json["messages"][0];
  EXPECT_EQ(told["id"], sure < 0.9 ? "accuracy.too_close" : "accuracy.better");
  EXPECT_NEAR(told["arguments"]["probability"]["value"], sure, 1e-9);
  const Outcome same = shell("simrun compare t.yaml --vary cluster.network.link=25GbE,100GbE --json --no-files");
  EXPECT_EQ(answers_in(nlohmann::json::parse(same.out)), 0);
}

TEST_F(CompareLine, AGoalOnSpeedSaysHowSureItIs)
{
  // At the end of the interval that is 80 % sure, nine of ten steps are shorter.
  const Outcome run = shell("simrun t.yaml -o r >/dev/null && cat r/summary.json");
  const double high = nlohmann::json::parse(run.out)["jobs"][0]["step_high_80_s"];
  const Outcome plan = shell("simrun plan t.yaml --knob cluster.nodes.0.count=4 --goal 'step_time < " +
                             std::to_string(high) + " s' --no-files");
  EXPECT_THAT(plan.out, HasSubstr(" s: 90 % sure, by the errors of the model")) << plan.err;
}

TEST_F(CompareLine, VariantsThatSayHowAJobTrainsDoNotWinOverTheCommandLine)
{
  write("v.yaml", std::string{training} + R"(sweep:
  variants:
    - {name: ring, set: {jobs.0.training: {mode: all_reduce, collective: ring}}}
    - {name: one server, set: {jobs.0.training.servers: 1}}
    - {name: more, set: {jobs.0.batch_per_gpu: 48}}
    - {name: less, set: {jobs.0.batch_per_gpu: 16}}
)");
  const Outcome run = shell("simrun compare v.yaml --arch ps:2,ring --sync -m throughput --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["groups"].size(), 2U) << run.out; // more and less; with the others, four
}

TEST_F(CompareLine, AGridThatSaysHowAJobTrainsDoesNotWinOverTheCommandLine)
{
  const auto groups = [&](const std::string& sweep, const std::string& options) {
    write("g.yaml", std::string{training} + sweep);
    const Outcome run = shell("simrun compare g.yaml -m throughput --json " + options);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("is left out: it says how the job trains")) << run.err;
    return nlohmann::json::parse(run.out)["groups"];
  };
  const nlohmann::json rules =
      groups("sweep: {grid: {jobs.0.training.update_rule: [sync, async]}}\n", "--sync --async");
  ASSERT_EQ(rules.size(), 1U);
  const auto throughput = [](const nlohmann::json& group, std::size_t candidate) {
    return group["candidates"][candidate]["figures"][0]["mean"].get<double>();
  };
  EXPECT_GT(std::abs(throughput(rules[0], 1) / throughput(rules[0], 0) - 1), 0.001); // were equal
  const nlohmann::json batches = groups("sweep: {grid: {jobs.0.training.collective: [ring, tree], "
                                        "jobs.0.batch_per_gpu: [16, 32, 48]}}\n",
                                        "--arch ring,ps:1");
  EXPECT_EQ(batches.size(), 3U); // with the collectives, six
  const nlohmann::json zipped = groups("sweep: {zip: [{jobs.0.training.update_rule: [sync, async], "
                                       "jobs.0.batch_per_gpu: [16, 32]}]}\n",
                                       "--sync --async --replicas 2");
  ASSERT_EQ(zipped.size(), 2U); // the batches stay
  EXPECT_GT(std::abs(throughput(zipped[0], 1) / throughput(zipped[0], 0) - 1), 0.001);
  EXPECT_EQ(
      groups("sweep: {zip: {jobs.0.training.update_rule: [sync, async]}}\n", "--sync --async --replicas 2").size(), 1U);
  EXPECT_EQ(groups("sweep: {latin_hypercube: {points: 3, over: {jobs.0.training.servers: [1, 2], "
                   "jobs.0.batch_per_gpu: [16, 32, 48]}}}\n",
                   "--arch ring,ps:1 --replicas 2")
                .size(),
            3U);
}

// A sweep's values are set after those of --vary. Over the same path rows "32" and "64" showed batches of 8 and 16.
TEST_F(CompareLine, WhatTheSweepSetsIsNotVaried)
{
  const auto refused = [&](const std::string& sweep, const std::string& varied, const std::string& message) {
    write("v.yaml", std::string{training} + sweep);
    const Outcome run = shell("simrun compare v.yaml --no-files --vary " + varied);
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_THAT(run.err, HasSubstr(message));
  };
  const std::string batches = "sweep: {variants: [{name: a, set: {jobs.0.batch_per_gpu: 8}}, "
                              "{name: b, set: {jobs.0.batch_per_gpu: 16}}]}\n";
  refused(batches, "jobs.0.batch_per_gpu=32,64",
          "'jobs.0.batch_per_gpu' is set by sweep.variants, which would win; remove it there or leave out --vary");
  const std::string map = "jobs.0.training: ";
  const std::string ring = "{mode: all_reduce, collective: ring}";
  refused("sweep: {variants: [{name: a, set: {" + map + ring + "}}]}\n", "jobs.0.training.transport=grpc,rdma",
          "'jobs.0.training' is set by sweep.variants");
  refused("sweep: {grid: {" + map + "[" + ring + "]}}\n", "jobs.0.training.transport=grpc,rdma",
          "'jobs.0.training' is set by sweep.grid");
  write("v.yaml", training + batches);
  EXPECT_EQ(shell("simrun compare v.yaml --no-files --vary jobs.0.workers=2,4").code, 0);
}

// --arch sets the first job's training only: what a variant says of another one stands.
TEST_F(CompareLine, VariantsOfOtherJobsStayWithArchitectures)
{
  std::string two = training;
  two.replace(two.find("workers: 4"), 10, "workers: 2");
  two.replace(two.find("run:"), 0,
              "  - {name: other, model: resnet50, batch_per_gpu: 32, workers: 2, training: {mode: "
              "parameter_server, servers: 1}}\n");
  write("two.yaml", two + R"(sweep:
  variants:
    - {name: mine, set: {jobs.0.training.servers: 1}}
    - {name: one, set: {jobs.1.training.servers: 1}}
    - {name: both, set: {jobs.1.training.servers: 2}}
)");
  const Outcome run = shell("simrun compare two.yaml --arch ps:1,ring --sync -m throughput --json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["groups"].size(), 4U)
      << run.out; // two variants of two jobs; with `mine`, six
  EXPECT_THAT(run.err, HasSubstr("variant 'mine' is left out: it says how the job trains\n"));
  EXPECT_THAT(run.err, Not(HasSubstr("'one'")));
}

TEST_F(CompareLine, ADescribedClusterHasNetworkCardsAndAPrecision)
{
  const std::string line = "simrun compare --model bert_large --arch ring,tree --gpu-batch 4 --no-files --cluster ";
  const Outcome run = shell(line + "'h100x8@2,ib=400Gbit/s,nics=8,nic=200Gbit/s' --precision bf16");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("precision: bf16\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("precision amp")));
  const Outcome assumed = shell(line + "'h100x8@2,ib=400Gbit/s,nics=8'");
  ASSERT_EQ(assumed.code, 0) << assumed.err;
  EXPECT_THAT(assumed.out, HasSubstr("precision: amp\n"));
  EXPECT_THAT(assumed.out, HasSubstr("assumed: PyTorch 2.x, eager; 10 us of the host per operator; precision amp"));
  // A card of 10 Gbit/s instead of 400: the same exchange takes longer.
  const auto throughput = [&](const std::string& cluster) {
    return figure(nlohmann::json::parse(shell(line + "'" + cluster + "' --json").out), 0, "throughput")["mean"]
        .get<double>();
  };
  EXPECT_LT(throughput("h100x8@2,ib=400Gbit/s,nic=10Gbit/s"), 0.9 * throughput("h100x8@2,ib=400Gbit/s"));
  const Outcome wrong = shell(line + "'h100x8@2,cards=8'");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'cards=8' is neither a network nor its cards"));
}

TEST_F(CompareLine, CandidatesOfDifferentPrecisionSayTheirs)
{
  const Outcome run = shell("simrun compare t.yaml --vary jobs.0.precision=fp32,amp -o out");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("precision +throughput"));
  EXPECT_THAT(tests::read_bytes(folder / "out/compare.csv"), HasSubstr(",message,precision\n"));
}

TEST_F(CompareLine, FiguresAreThoseOfSingleRuns)
{
  const Outcome run = shell("simrun compare t.yaml --vary jobs.0.workers=2,4 --json --no-files");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["candidates"], nlohmann::json({"workers=2", "workers=4"}));
  const Outcome single = shell("simrun t.yaml --set jobs.0.workers=2 --json --no-files");
  const double expected = nlohmann::json::parse(single.out)["jobs"][0]["samples_per_second"]["mean"].get<double>();
  EXPECT_NEAR(figure(json, 0, "throughput")["mean"].get<double>(), expected, 1e-9 * expected);
  EXPECT_FALSE(json["random"].get<bool>());
}

TEST_F(CompareLine, PoliciesMeetTheSameSeeds)
{
  const Outcome run = shell("simrun compare q.yaml --policies fifo,fifo,sjf --replicas 6 --json -o out");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_TRUE(json["random"].get<bool>());
  EXPECT_EQ(json["replicas"], 6);
  // the same policy under the same luck differs in nothing, though luck changes the figure itself
  const nlohmann::json& twin = figure(json, 1, "jct");
  EXPECT_EQ(twin["difference"], 0);
  EXPECT_FALSE(twin["significant"].get<bool>());
  EXPECT_LT(twin["low"].get<double>(), twin["high"].get<double>());
  const nlohmann::json& shorter = figure(json, 2, "jct");
  EXPECT_LE(shorter["difference"].get<double>(), 0) << "shortest job first has the smaller mean completion time";
  EXPECT_LE(shorter["difference_low"].get<double>(), shorter["difference"].get<double>());
  EXPECT_THAT(tests::read_bytes(folder / "out" / "compare.txt"),
              HasSubstr("95 % intervals of the differences of 6 seeds"));
}

// A job of 1 GPU behind one of 12 that does not fit may pass only with `skip`: the file's own settings hold for its
// policy.
TEST_F(CompareLine, APolicyOfTheScenarioKeepsItsSettings)
{
  write("s.yaml", R"(
cluster:
  node_types: {machine: {gpu: V100-SXM2-16GB, gpus: 4}}
  nodes: [{name: machine, type: machine, count: 1}]
  network: {link: 25GbE}
workload:
  jobs:
    - {name: a, duration: 100 s, gpus: 2}
    - {name: b, submit: 1 s, duration: 100 s, gpus: 4}
    - {name: c, submit: 2 s, duration: 50 s, gpus: 2}
scheduling: {policy: {name: fifo, skip: true}}
)");
  const auto waits = [&](const std::string& policies) {
    const Outcome run = shell("simrun compare s.yaml --policies " + policies + " -m waiting --json --no-files");
    EXPECT_EQ(run.code, 0) << run.err;
    return figure(nlohmann::json::parse(run.out), 0, "waiting")["mean"].get<double>();
  };
  EXPECT_NEAR(waits("fifo,sjf"), 99 / 3.0, 1e-9);                                  // b alone waits
  EXPECT_NEAR(waits("'[{name: fifo, skip: false},sjf]'"), (99 + 198) / 3.0, 1e-9); // and c until b has ended
}

// The name of a policy is the plain entry of the list, whatever stands before it; a label is its own entry.
TEST_F(CompareLine, ANameIsThePlainPolicyOfTheListAndALabelTheOther)
{
  write("s.yaml", R"(
cluster:
  node_types: {machine: {gpu: V100-SXM2-16GB, gpus: 4}}
  nodes: [{name: machine, type: machine, count: 1}]
  network: {link: 25GbE}
workload:
  jobs:
    - {name: a, duration: 100 s, gpus: 2}
    - {name: b, submit: 1 s, duration: 100 s, gpus: 4}
    - {name: c, submit: 2 s, duration: 50 s, gpus: 2}
scheduling: {policies: [{name: fifo, skip: true, label: skipping}, fifo]}
)");
  const Outcome run = shell("simrun compare s.yaml --policies fifo,skipping -m waiting --json --no-files");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_NEAR(figure(json, 0, "waiting")["mean"].get<double>(), (99 + 198) / 3.0, 1e-9); // c waits until b has ended
  EXPECT_NEAR(figure(json, 1, "waiting")["mean"].get<double>(), 99 / 3.0, 1e-9);         // b alone waits
  // A goal without a policy is judged by the worst of them, which is named.
  const Outcome goal = shell("simrun s.yaml --assert 'waiting < 40 s' --no-files");
  EXPECT_EQ(goal.code, 3);
  EXPECT_THAT(goal.err, HasSubstr("under fifo, the worst of 2 policies"));
}

// A list with prices of some networks only does not say which network is cheaper.
TEST_F(CompareLine, NetworksThatThePriceListDoesNotHaveAreNotOrderedByCost)
{
  write("own.yaml", "source: test\ndate: 2026\ngpus: {V100-SXM2-16GB: 0.5 $/h}\nlinks: {10GbE: 0.1 $/h}\n");
  write("n.yaml", R"(
cluster:
  node_types: {worker: {gpu: V100-SXM2-16GB, gpus: 1}}
  nodes: [{name: worker, type: worker, count: 4}]
  network: {link: 10GbE}
jobs: [{name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}}]
)");
  const std::string asked =
      "simrun compare n.yaml --vary cluster.network.link=10GbE,IB-EDR -m throughput -m price_per_million_samples "
      "--prices own.yaml --no-files";
  const Outcome run = shell(asked);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("the price list has no network cards of IB-EDR, which count as free"));
  EXPECT_THAT(run.out, Not(HasSubstr("is best in price_per_million_samples")));
}

// What only the policy slurm reads stands beside the answer, where another one is compared with it.
TEST_F(CompareLine, SaysWhichRulesOfSlurmOtherPoliciesDoNotRead)
{
  write("r.yaml", R"(
cluster:
  node_types: {machine: {gpu: V100-SXM2-16GB, gpus: 4}}
  nodes: [{name: machine, type: machine, count: 1}]
  network: {link: 25GbE}
workload:
  jobs: [{name: a, submit: 1 s, duration: 100 s, gpus: 2}]
slurm: {reservations: [{name: maintenance, start: 0 s, duration: 1 h, nodes: [machine], users: [root]}]}
)");
  const Outcome run = shell("simrun compare r.yaml --policies slurm,fifo -m waiting --no-files");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("under other policies than slurm partitions keep their machines, and limits, tiers, "
                                 "QOS and reservations have no effect"));
}

// One GPU works on a job of 4 hours; its machine fails after 2 h 15 min. The last checkpoint is 15 minutes or 2 h 15
// min old.
TEST_F(CompareLine, FailuresOfTheCommandLineHitEveryCandidate)
{
  write("one.yaml", R"(
cluster:
  node_types: {machine: {gpu: V100-SXM2-16GB, gpus: 1}}
  nodes: [{name: machine, type: machine, count: 1}]
workload: {jobs: [{name: a, duration: 4 h}]}
)");
  const std::string words =
      "simrun compare one.yaml --vary scheduling.checkpoint_interval='30 min,8 h' -m lost_gpu_hours --json --no-files";
  const Outcome listed = shell(words + " --fail node:machine-0@135min+1h");
  ASSERT_EQ(listed.code, 0) << listed.err;
  const nlohmann::json json = nlohmann::json::parse(listed.out);
  EXPECT_NEAR(figure(json, 0, "lost_gpu_hours")["mean"].get<double>(), 0.25, 1e-9);
  EXPECT_NEAR(figure(json, 1, "lost_gpu_hours")["mean"].get<double>(), 2.25, 1e-9);
  const Outcome drawn = shell(words + " --mtbf node=2h,mttr=1h");
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_GT(figure(nlohmann::json::parse(drawn.out), 1, "lost_gpu_hours")["mean"].get<double>(), 0);
}

TEST_F(CompareLine, SyncAgainstAsyncWithRandomStragglers)
{
  const Outcome run = shell("simrun compare t.yaml --sync --async --straggler 'p=0.3,slow=3x' --replicas 4 --no-files");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("2 candidates with the same 4 seeds"));
  EXPECT_THAT(run.out, HasSubstr("staleness"));
}

TEST_F(CompareLine, TwoFilesTellWhatDiffersInAndOut)
{
  std::string changed = training;
  changed.replace(changed.find("25GbE"), 5, "10GbE");
  write("slow.yaml", changed);
  const Outcome run = shell("simrun compare t.yaml slow.yaml --no-files");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("inputs of slow compared with t"));
  EXPECT_THAT(run.out, HasSubstr("cluster.network.link  25GbE  10GbE"));
}

TEST_F(CompareLine, ResultsFoldersAreComparedByJob)
{
  ASSERT_EQ(shell("simrun q.yaml -o one --no-plots --set scheduling.policy=fifo && simrun q.yaml -o two --no-plots "
                  "--set scheduling.policy=sjf")
                .code,
            0);
  const Outcome run = shell("simrun compare one two --no-files --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["pairs"], "job");
  const nlohmann::json& jct = figure(json, 1, "jct");
  EXPECT_TRUE(jct.contains("difference_low")) << run.out;
  // the mean of the jobs' differences is the difference of the means
  EXPECT_NEAR(jct["difference"].get<double>(), jct["mean"].get<double>() - figure(json, 0, "jct")["mean"].get<double>(),
              1);
  EXPECT_EQ(json["inputs"][0]["differences"][0]["path"], "scheduling.policy");
}

TEST_F(CompareLine, APolicyThatCannotRunIsNamedAndTheRestCompared)
{
  const Outcome run = shell("simrun compare t.yaml --vary jobs.0.workers=2,4,99 --no-files");
  EXPECT_EQ(run.code, 4);
  EXPECT_THAT(run.out, HasSubstr("workers=99"));
  EXPECT_THAT(run.out, HasSubstr("cannot run"));
}

TEST_F(CompareLine, BadInputIsRefused)
{
  const std::map<std::string, std::string> faults = {
      {"compare t.yaml", "there is nothing to compare with"},
      {"compare t.yaml none.yaml", "there is no file, example or command 'none.yaml'"},
      {"compare q.yaml --policies fifo,sfj", "did you mean 'sjf'?"},
      {"compare q.yaml --sync --async", "the scenario has none"},
      {"compare t.yaml --sync --async -m troughput", "did you mean 'throughput'?"},
      {"compare t.yaml --sync --async -m jct", "has no queue"},
      {"compare t.yaml --sync --async --baseline snyc", "did you mean 'sync'?"},
      {"compare t.yaml --sync --async --straggler p=2", "--straggler needs p=SHARE,slow=FACTOR"},
      {"compare t.yaml --arch rign", "did you mean 'ring'?"},
      {"compare t.yaml --arch foo", "unknown architecture 'foo'; choose from auto, halving_doubling, hierarchical, "
                                    "recursive_doubling, ring, torus, tree, ps:4, hier-ring"},
      {"compare t.yaml --arch pairwise", "unknown architecture 'pairwise'"},
      {"compare t.yaml --arch ps:0", "of at least 1"},
      {"compare --model vgg16", "describe a scenario with --model and --cluster"},
      {"compare --model vgg16 --cluster v10x8@4 --arch ring,tree", "unknown GPU 'v10'"},
      {"compare --model vgg16 --cluster p9d.24xlarge@4 --arch ring,tree",
       "of a cloud's machine that is not known say what is in it"},
      {"compare --model vgg16 --cluster v100x8@4,eth=fast --arch ring,tree",
       "neither a link of the catalogue nor a bandwidth"},
      {"compare t.yaml --vary jobs.0.workerz=1,2", "did you mean 'workers'?"},
      {"sensitivity t.yaml -m jct", "has no queue"},
      {"sensitivity t.yaml --by 200%", "--by needs a share"},
      {"sensitivity t.yaml -i jobs.0.model=10%", "is not a number"},
      {"sensitivity t.yaml -i jobs.0.batch_per_gpu=64..16", "is empty"},
      {"sensitivity t.yaml -i jobs.0.accumulation_steps=10%", "the scenario does not give this value"},
      {"sensitivity t.yaml --point workers=8", "the sweep has no point"}};
  for (const auto& [line, message] : faults) {
    const Outcome run = shell("simrun " + line + " --no-files");
    EXPECT_EQ(run.code, 2) << line << "\n" << run.out << run.err;
    EXPECT_THAT(run.err, HasSubstr(message)) << line;
  }
}

// cloud_2023 has a price of H100-SXM5 and none of GB200.
TEST_F(CompareLine, AFigureThatOneCandidateLacksIsNotEqualForAll)
{
  const auto one = [](const std::string& gpu) {
    return "cluster:\n  node_types: {m: {gpu: " + gpu + ", gpus: 4}}\n  nodes: [{name: m, type: m}]\n" +
           "jobs: [{name: j, model: resnet50, workers: 4, batch_per_gpu: 256}]\n";
  };
  write("h100.yaml", one("H100-SXM5"));
  write("gb200.yaml", one("GB200"));
  const Outcome run = shell("simrun compare h100.yaml gb200.yaml --no-files");
  EXPECT_EQ(run.code, 0) << run.err;
  const std::size_t equal = run.out.find("equal for all:");
  const std::string line =
      equal == std::string::npos ? std::string{} : run.out.substr(equal, run.out.find('\n', equal) - equal);
  EXPECT_THAT(line, Not(HasSubstr("cost")));
  EXPECT_THAT(run.out, HasSubstr("price unknown: 'm' (4 x GB200)"));
}

// The shorthand and a scenario that says as little are the same cluster: the catalogue's machines of the GPU decide.
TEST_F(CompareLine, AClusterInShortHasTheWiringAndTheNetworkOfItsGpusMachines)
{
  const Outcome boards = shell("simrun compare --model resnet50 --cluster h100x8@2 --arch ring,tree --no-files");
  EXPECT_EQ(boards.code, 0) << boards.err;
  EXPECT_THAT(boards.err, HasSubstr("assumed: h100 is H100-SXM5, the network is IB-NDR"));
  EXPECT_EQ(boards.err.find("assumed:"), boards.err.rfind("assumed:")) << "said once: " << boards.err;
  EXPECT_THAT(boards.out, HasSubstr("network IB-NDR"));
  // four V100 of a DGX-1 have no NVSwitch
  const Outcome mesh = shell("simrun compare --model resnet50 --cluster v100x4@2 --arch ring,tree --no-files");
  EXPECT_EQ(mesh.code, 0) << mesh.err;
  EXPECT_THAT(mesh.err, HasSubstr("the network is 25GbE")); // no card belongs to a DGX-1 of the catalogue
  EXPECT_THAT(mesh.out, HasSubstr("wiring nvlink_cube_mesh"));
}

TEST_F(CompareLine, SensitivityRanksTheInputs)
{
  const Outcome run = shell("simrun sensitivity t.yaml --samples 16 -o out --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  const nlohmann::json& inputs = json["measures"][0]["inputs"];
  ASSERT_GE(inputs.size(), 3U);
  double last = 1e300;
  bool stream = false;
  const auto at = [&](const nlohmann::json& input, const char* end) { // null: it cannot go there
    return input[end].is_null() ? json["measures"][0]["value"].get<double>() : input[end].get<double>();
  };
  for (const nlohmann::json& input : inputs) {
    const double swing = std::abs(at(input, "at_high") - at(input, "at_low"));
    EXPECT_LE(swing, last * (1 + 1e-12)) << "the largest first";
    last = swing;
    if (input["input"] == "grpc: stream limit") {
      stream = true;
      EXPECT_GT(input["at_high"].get<double>(), input["at_low"].get<double>())
          << "faster connections never slow a job down";
    }
  }
  EXPECT_TRUE(stream) << "connections of gRPC bind here";
  EXPECT_LE(json["measures"][0]["together"]["p5"].get<double>(), json["measures"][0]["together"]["p95"].get<double>());
  EXPECT_TRUE(fs::exists(folder / "out" / "tornado.png"));
  EXPECT_THAT(json["without_effect"].dump(), HasSubstr("nccl: efficiency")) << "this job does not use it";
}

// The slowest of two jobs says nothing of the other, and which one that is may change.
TEST_F(CompareLine, SensitivityTellsOfEveryJob)
{
  write("both.yaml", "cluster: 'h100x8@2'\njobs:\n  - {name: a, model: resnet50, workers: 8}\n"
                     "  - {name: b, model: vgg16, workers: 8, batch_per_gpu: 32}\n");
  const Outcome run =
      shell("simrun sensitivity both.yaml -i jobs.1.batch_per_gpu=32..64 --samples 0 --no-files --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json["measures"].size(), 2U);
  EXPECT_EQ(json["measures"][0]["measure"], "throughput(a)");
  EXPECT_EQ(json["measures"][1]["measure"], "throughput(b)");
}

TEST_F(CompareLine, AFigureThatServicesDoNotHaveIsAnsweredWithThoseThatTheyHave)
{
  const Outcome plan = shell("simrun plan alibaba_two_m40 -g 'goodput > 0.5' -k nodes=1,2 --no-files");
  EXPECT_EQ(plan.code, 2);
  EXPECT_THAT(plan.err, HasSubstr("cannot be measured in this scenario; it has "));
  EXPECT_THAT(plan.err, testing::Not(HasSubstr("queue")));
}

/// Largest change of the answer, in shares of it, that an input whose name has @p part in it makes; 0: none does.
double largest_effect(const Outcome& study, const std::string& part)
{
  const nlohmann::json measure = nlohmann::json::parse(study.out)["measures"][0];
  const double base = measure["value"];
  double most = 0;
  for (const nlohmann::json& input : measure["inputs"])
    if (input["input"].get<std::string>().find(part) != std::string::npos && input["at_low"].is_number())
      most = std::max(most, std::abs(input["at_low"].get<double>() / base - 1));
  return most;
}

// 79 % of the step is compute, most of it matrix products: ten per cent slower products cost at least 4 % (half of
// 79 % x 10/90). On H100 they were measured, on H800 the data sheet counts.
TEST_F(CompareLine, SensitivityOfADividedTransformerVariesTheRatesOfItsGpus)
{
  const std::string study = "simrun sensitivity llama3_70b_on_512_h100 --samples 8 --no-files --json";
  const Outcome h100 = shell(study);
  ASSERT_EQ(h100.code, 0) << h100.err;
  EXPECT_GT(largest_effect(h100, "H100-SXM5: measured.products.bf16"), 0.04);
  EXPECT_GT(largest_effect(h100, "product_efficiency"), 0.04); // which the file leaves out
  EXPECT_GT(largest_effect(h100, "H100-SXM5: measured.attention"), 0.001);
  EXPECT_GT(largest_effect(h100, "link_bandwidth"), 0.001); // NVLink: tensor-parallel messages are 18 % of the step
  const Outcome h800 = shell(study + " --set cluster.node_types.dgx.gpu=H800-SXM5");
  ASSERT_EQ(h800.code, 0) << h800.err;
  EXPECT_GT(largest_effect(h800, "H800-SXM5: rate.bf16"), 0.04);
  // The range holds every input that moves the answer, so it is at least as wide as that of the products alone.
  const nlohmann::json together = nlohmann::json::parse(h100.out)["measures"][0];
  EXPECT_GT(together["together"]["p95"].get<double>() - together["together"]["p5"].get<double>(),
            0.04 * together["value"].get<double>());
}

// One worker more than the cluster has GPUs is no change of 0 %.
TEST_F(CompareLine, SensitivitySaysWhereAnInputCannotGo)
{
  write("full.yaml", "cluster:\n  node_types: {n: {gpu: T4, gpus: 2}}\n  nodes: [{name: n, type: n, count: 2}]\n"
                     "  network: {link: 25GbE}\njobs: [{model: resnet50, workers: 4}]\n");
  const Outcome run = shell("simrun sensitivity full.yaml -i jobs.0.workers=3..5 --samples 0 --no-files");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("cannot run"));
  const Outcome as_json = shell("simrun sensitivity full.yaml -i jobs.0.workers=3..5 --samples 0 --json --no-files");
  const nlohmann::json input = nlohmann::json::parse(as_json.out)["measures"][0]["inputs"][0];
  EXPECT_TRUE(input["at_high"].is_null());
  EXPECT_TRUE(input["at_low"].is_number());
  // Also where the other end is the value that the scenario has.
  const Outcome from_here = shell("simrun sensitivity full.yaml -i jobs.0.workers=4..5 --samples 0 --no-files");
  ASSERT_EQ(from_here.code, 0) << from_here.err;
  EXPECT_THAT(from_here.out, HasSubstr("cannot run"));
  EXPECT_THAT(from_here.out, Not(HasSubstr("no effect")));
}

// By hand: the answer with two seeds, once more as the middle, and both ends of two inputs, then 4 samples: 2 + 1 + 4
// + 4.
TEST_F(CompareLine, SensitivityCountsAllOfItsSimulations)
{
  write("two.yaml", "cluster:\n  node_types: {n: {gpu: T4, gpus: 2}}\n  nodes: [{name: n, type: n, count: 2}]\n"
                    "  network: {link: 25GbE}\njobs: [{model: resnet50, workers: 4, batch_per_gpu: 24}]\n");
  const Outcome run = shell("simrun sensitivity two.yaml -i jobs.0.workers=2..3 -i jobs.0.batch_per_gpu=16..32 "
                            "--samples 4 --no-files --progress=json");
  ASSERT_EQ(run.code, 0) << run.err;
  int last = 0;
  std::istringstream lines{run.err};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("{"))
      continue;
    const nlohmann::json event = nlohmann::json::parse(line);
    EXPECT_EQ(event["total"], 11) << line;
    EXPECT_GE(event["done"], last) << line;
    last = event["done"];
  }
  EXPECT_GE(last, 7);
}

TEST_F(CompareLine, SensitivityAgreesWithTwoRunsByHand)
{
  const Outcome run = shell(
      "simrun sensitivity t.yaml -i cluster.network.bandwidth=0.1..0.2 --set cluster.network.bandwidth='0.15 GB/s' "
      "--samples 0 --json --no-files");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json["measures"][0]["inputs"].size(), 1U);
  const Outcome low = shell("simrun t.yaml --set cluster.network.bandwidth='0.1 GB/s' --json --no-files");
  EXPECT_NEAR(json["measures"][0]["inputs"][0]["at_low"].get<double>(),
              nlohmann::json::parse(low.out)["jobs"][0]["samples_per_second"]["mean"].get<double>(), 1e-6);
}

TEST_F(CompareLine, ACalibrationsBarsAreTheRanges)
{
  const fs::path profile = tests::source_folder() / "results" / "calibration" / "vm_2_cores.json";
  fs::copy_file(profile, folder / "vm.json");
  const Outcome run = shell(
      "simrun sensitivity t.yaml --set calibration=vm.json --set jobs.0.training.transport=tcp --samples 0 --no-files");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("95 % bar"));
}

// One seed of generated jobs is one sample, which two seeds show to be one; jobs that are listed have no chance.
TEST_F(CompareLine, OneSeedIsNotCalledExact)
{
  const std::string head = "trainyard: 1\ncluster: V100-SXM2-16GBx4@2\nscheduling: {policy: fifo}\nworkload: ";
  write("made.yaml", head + "{generate: {jobs: 50, mean_interarrival: 20 min}}\n");
  write("listed.yaml", head + "{jobs: [{gpus: 8, duration: 2 h}, {gpus: 4, duration: 1 h}]}\n");
  const std::string options = " --policies fifo,srtf --replicas 1 --no-files";
  EXPECT_THAT(shell("simrun compare made.yaml" + options).out,
              AllOf(HasSubstr("with one seed: another gives other figures"), Not(HasSubstr("exact"))));
  EXPECT_THAT(shell("simrun compare listed.yaml" + options).out, HasSubstr("every difference is exact"));
}

} // namespace
} // namespace trainyard
