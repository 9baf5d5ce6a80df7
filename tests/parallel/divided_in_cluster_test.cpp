// SPDX-License-Identifier: Apache-2.0
/// Divided transformers beside other jobs, under a queue, and with failures: scenario text in, figures out.
#include "models/parallel/rank_memory.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "tests/support/checked_points.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/tables.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

std::vector<CheckedPoint> points_of(const std::string& text)
{
  return tests::checked_points(text, "c.yaml");
}

RunReport report_of(const std::string& text)
{
  const auto points = points_of(text);
  const ScenarioRunner* runner = runner_of(points.front().scenario);
  EXPECT_NE(runner, nullptr);
  return runner->run(points, {});
}

std::string fault_of(const std::string& text)
{
  try {
    report_of(text);
  } catch (const InputError& error) {
    std::string all;
    for (const Diagnostic& one : error.diagnostics())
      all += one.message + "\n";
    return all.empty() ? error.what() : all;
  }
  return "no fault";
}

std::string cluster_text(int machines, const std::string& network)
{
  return fmt::format("trainyard: 1\nname: c\nquestion: how fast?\ncluster:\n  node_types: {{n: {{gpu: H100-SXM5, gpus: "
                     "1}}}}\n  nodes: [{{name: n, type: n, count: {}}}]\n  network: {{{}}}\n",
                     machines, network);
}

const std::string narrow = "topology: leaf_spine, leaf_ports: 2, spines: 1, oversubscription: 4, link: 100GbE";
const std::string divided = "  - {name: llm, model: gpt2_small, precision: bf16, training: {parallel: {dp: 3, "
                            "micro_batch: 1, global_batch: 3, overlap_gradients: false}}}\n";
const std::string ring = "  - {name: ring, model: vgg16, workers: 3, batch_per_gpu: 8}\n";

double step_of(const Results& results, const std::string& job)
{
  for (const JobRow& row : results.jobs)
    if (row.job == job)
      return row.step_s.mean;
  return 0;
}

// Half of the GPUs of machines with a card for each GPU have cards of their own, as all GPUs of smaller machines have:
// owners broadcast their tensors over as many rings, each as fast. By one NIC for two GPUs it would be slower.
TEST(DividedInCluster, OwnersBroadcastOverTheCardsOfTheirGpus)
{
  const auto step = [](int gpus, int cards, const std::string& nodes) {
    const Json job = report_of(fmt::format("trainyard: 1\nname: c\ncluster:\n  node_types: {{n: {{gpu: "
                                           "A100-SXM4-80GB, gpus: {}, nics: {}}}}}\n  nodes: [{{name: n, type: "
                                           "n, count: 4}}]\n  network: {{topology: rail, link: IB-HDR}}\njobs: "
                                           "[{{name: j, model: gpt2_small, precision: bf16{}, training: "
                                           "{{parallel: {{dp: 16, zero: 1, whole_tensors: true, micro_batch: 1, "
                                           "global_batch: 16, overlap_gradients: false}}}}}}]\n",
                                           gpus, cards, nodes))
                         .summary;
    return job["jobs"][0]["step_s"].get<double>();
  };
  std::string half = ", nodes: [";
  for (int rank = 0; rank < 16; ++rank)
    half += fmt::format("{}n-{}", rank == 0 ? "" : ", ", rank / 4);
  const double own = step(4, 4, "");
  EXPECT_NEAR(step(8, 8, half + "]"), own, own * 1e-9);
  EXPECT_GT(step(4, 2, ""), own);
}

// Two of three machines at 7.2 $/h are 0.004 $/s: 4,000 $ for a million sequences at one a second.
TEST(DividedInCluster, TrainingCostsWhatItsMachinesDo)
{
  const auto job_of = [](const std::string& prices) {
    const std::string cluster =
        "trainyard: 1\nname: c\nquestion: what does it cost?\ncluster:\n  node_types: {n: {gpu: "
        "H100-SXM5, gpus: 1" +
        prices + "}}\n  nodes: [{name: n, type: n, count: 3}]\n  network: {link: 100GbE}\n";
    const std::string jobs = "jobs: [{name: llm, model: gpt2_small, precision: bf16, training: {parallel: {dp: 2, "
                             "micro_batch: 1, global_batch: 2}}}]\n";
    return Json(report_of(cluster + jobs).summary)["jobs"][0];
  };
  const Json job = job_of(", price: 7.2 $/h");
  EXPECT_NEAR(job["price_per_million_samples_usd"].get<double>(), 4000 / job["samples_per_second"].get<double>(), 1e-6);
  EXPECT_FALSE(job_of("").contains("price_per_million_samples_usd"));
}

TEST(DividedInCluster, SharesLinksWithJobsOfOtherKinds)
{
  // Leaves of two machines with uplinks of half a card. ring has machines 0 to 2, llm 3 to 5: both send over the uplink
  // of the second leaf, one flow each.
  const std::string run = "run: {fidelity: fluid}\n";
  const auto both = simulate(points_of(cluster_text(8, narrow) + "jobs:\n" + ring + divided + run));
  // The same machines with two jobs that do not leave the first leaf, or a machine.
  const std::string inside = "  - {name: pair, model: vgg16, workers: 2, batch_per_gpu: 8}\n"
                             "  - {name: single, model: vgg16, workers: 1, batch_per_gpu: 8}\n";
  const auto alone = simulate(points_of(cluster_text(8, narrow) + "jobs:\n" + inside + divided + run));
  EXPECT_GT(step_of(both, "llm"), 1.05 * step_of(alone, "llm"));
  for (const JobRow& row : both.jobs) // sequences of 1,024 tokens
    EXPECT_EQ(row.tokens_per_sample, row.job == "llm" ? 1024 : 0);
}

TEST(DividedInCluster, AQueueOfThemRunsStepByStep)
{
  // Two jobs of 100 and 50 steps on three of four machines each: the second starts when the first has ended, on the
  // same machines, and takes half as long.
  const std::string text = cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided +
                           "scheduling: {policies: [fifo], speed: step}\nworkload:\n  jobs:\n"
                           "    - {name: a, model: llm, gpus: 3, steps: 100}\n"
                           "    - {name: b, model: llm, gpus: 3, steps: 50, submit: 1 s}\n";
  const RunReport report = report_of(text);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_THAT(report.text(), HasSubstr("llm on 3 GPUs: gpt2_small, "));
  EXPECT_THAT(report.text(), HasSubstr("tokens/s"));
  const Json summary = Json(report.summary);
  const double makespan = summary["policies"][0]["makespan_s"].get<double>();
  const double step =
      step_of(simulate(points_of(cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided +
                                 "  - {name: other, model: vgg16, workers: 1}\nrun: {fidelity: fluid}\n")),
              "llm");
  EXPECT_NEAR(makespan, 150 * step, 0.001 * 150 * step);
}

TEST(DividedInCluster, JobsOfAQueueHaveTokensAndGoodput)
{
  // Three replicas with one sequence of 1,024 tokens each. The machine of the job fails after it has trained for 30 s;
  // a checkpoint every 20 s: 10 s of work are lost, and the restart takes 5 s.
  const auto report = [&](const std::string& more) {
    return report_of(cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided +
                     "scheduling: {policies: [fifo], speed: step, checkpoint_interval: 20 s, restart_cost: 5 s}\n"
                     "workload: {jobs: [{name: a, model: llm, gpus: 3, duration: 100 s}]}\n" +
                     more);
  };
  const auto row_of = [](const RunReport& of) {
    for (const RunFile& file : of.files)
      if (file.name == "jobs.csv") {
        const std::filesystem::path path = std::filesystem::path{testing::TempDir()} / "divided_jobs.csv";
        file.write(path);
        const tests::ReadTable table = tests::csv_table(tests::read_bytes(path));
        return std::pair{std::stod(table.cells(0, {"tokens_per_second"})), std::stod(table.cells(0, {"goodput"}))};
      }
    return std::pair{0.0, 0.0};
  };
  const auto [tokens, goodput] = row_of(report(""));
  const double step =
      step_of(simulate(points_of(cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided +
                                 "  - {name: other, model: vgg16, workers: 1}\nrun: {fidelity: fluid}\n")),
              "llm");
  EXPECT_NEAR(tokens, 3 * 1024 / step, 0.001 * tokens);
  EXPECT_EQ(goodput, 1);
  const auto [fewer, share] = row_of(report("faults: [node:n-0@30s]\n"));
  EXPECT_NEAR(share, 100.0 / 115, 1e-3);
  EXPECT_NEAR(fewer, tokens * share, 1e-3 * tokens);
}

/// Makespan of one job of replicas of 2 GPUs on a machine of 8: @p keys of its layout with 4 replicas and 12 sequences,
/// @p job: of the workload.
double makespan_of(const std::string& keys, const std::string& job, const std::string& scheduling = "")
{
  const RunReport report = report_of(
      "trainyard: 1\nname: c\nquestion: how fast?\ncluster:\n  node_types: {n: {gpu: H100-SXM5, gpus: 8}}\n  nodes: "
      "[{name: n, type: n, count: 1}]\n  network: {topology: star, link: 100GbE}\njobs:\n  - {name: llm, model: "
      "gpt2_small, precision: bf16, training: {parallel: {tp: 2, dp: 4, micro_batch: 1, global_batch: 12" +
      keys + "}}}\nscheduling: {policies: [{name: elastic, period: 0 s}], speed: step" + scheduling +
      "}\nworkload: {jobs: [{name: a, " + "model: llm, steps: 1000, " + job + "}]}\n");
  return Json(report.summary)["policies"][0]["makespan_s"].get<double>();
}

// The policy starts a job on its fewest GPUs and, as nobody else waits, lets it grow at once to its most: it saves 14 B
// a parameter to a storage of 0.1 GB/s and loads them again, and then trains on all of them.
TEST(DividedInCluster, ElasticJobsGrowByWholeReplicas)
{
  ParallelLayout layout;
  layout.tp = 2;
  const double bytes = 14 * 2 * rank_parameters(layout, *find_transformer("gpt2_small"), 0).all();
  const std::string storage = ", storage: 0.1 GB/s", kept = ", keep_batch: true";
  const double resize = 2 * bytes / 0.1e9;
  const double on_four = makespan_of(kept, "gpus: 4"), on_eight = makespan_of(kept, "gpus: 8");
  EXPECT_GT(on_four, 1.2 * on_eight); // 6 micro-batches instead of 3
  EXPECT_NEAR(makespan_of(kept, "gpus: 8, min_gpus: 2, max_gpus: 8", storage), resize + on_eight, 1e-6 * on_eight);
  // 5 GPUs are no whole replicas; 1 is none
  EXPECT_NEAR(makespan_of(kept, "gpus: 4, min_gpus: 1, max_gpus: 5", storage), resize + on_four, 1e-6 * on_four);
  // asked for with 4 GPUs it has 1000 steps of 6 sequences to do: 500 of 12 on 8 GPUs
  EXPECT_NEAR(makespan_of("", "gpus: 4, min_gpus: 2, max_gpus: 8", storage), resize + 0.5 * makespan_of("", "gpus: 8"),
              1e-6 * on_eight);
  EXPECT_THROW(makespan_of(kept, "gpus: 8, min_gpus: 7, max_gpus: 8"), InputError);
}

// Replicas of one GPU on four machines, 12 sequences a step: three each, with three replicas four, as the batch is
// kept.
const std::string four_replicas = "  - {name: llm, model: gpt2_small, precision: bf16, training: {parallel: {dp: 4, "
                                  "micro_batch: 1, global_batch: 120, keep_batch: true, overlap_gradients: false}}}\n";

/// A step of so many of these replicas, with the batch of @p keys. The fifth machine trains something else.
double step_on(int gpus, const std::string& keys = "global_batch: 120")
{
  return step_of(simulate(points_of(cluster_text(5, "topology: star, link: 100GbE") +
                                    fmt::format("jobs:\n  - {{name: llm, model: gpt2_small, precision: bf16, training: "
                                                "{{parallel: {{dp: {}, micro_batch: 1, overlap_gradients: false, "
                                                "{}}}}}}}\n",
                                                gpus, keys) +
                                    "  - {name: other, model: vgg16, workers: 1}\nrun: {fidelity: fluid}\n")),
                 "llm");
}

TEST(DividedInCluster, AJobThatLosesAReplicaGoesOnWithTheOthers)
{
  const auto makespan = [](const std::string& scheduling, const std::string& job) {
    const RunReport report = report_of(
        cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + job +
        "scheduling: {policies: [fifo], speed: step, restart_cost: 5 s, storage: 0.5 GB/s, checkpoint_interval: 100 s" +
        scheduling + "}\nworkload: {jobs: [{name: a, model: llm, gpus: 4, min_gpus: 2, duration: 1000 s}]}\n" +
        "faults: [node:n-0@250s]\n");
    return Json(report.summary)["policies"][0]["makespan_s"].get<double>();
  };
  // 14 B of 124.4 M parameters over 0.5 GB/s: 3.5 s to load, and to save after each 100 s. The machine fails after 250
  // s and is never repaired; 200 s are kept, the other 800 s take longer by the ratio of the steps, as many sequences
  // in each, and have seven checkpoints.
  const double load = 14 * rank_parameters({}, *find_transformer("gpt2_small"), 0).all() / 0.5e9;
  EXPECT_NEAR(load, 3.5, 0.1);
  const double slower = step_on(3) / step_on(4);
  EXPECT_GT(slower, 1.1);
  EXPECT_LT(slower, 4.0 / 3); // the exchange of gradients takes no longer
  EXPECT_NEAR(makespan(", shrink_after_failure: true", four_replicas), 250 + 5 + 8 * load + 800 * slower, 0.01);
  // A batch that shrinks with the replicas: 90 sequences in a step of 30 micro-batches, so 120/90 as many steps.
  std::string scaled = four_replicas;
  scaled.replace(scaled.find("keep_batch: true, "), 18, "");
  EXPECT_NEAR(makespan(", shrink_after_failure: true", scaled),
              250 + 5 + 8 * load + 800 * (120.0 / 90) * step_on(3, "global_batch: 90") / step_on(4), 0.01);
}

TEST(DividedInCluster, PoliciesPlanWithTheSpeedOfEachSize)
{
  const std::string jobs = "  - {name: small, model: gpt2_small, precision: bf16, training: {parallel: {dp: 2, "
                           "global_batch: 8, keep_batch: true, zero: 1}}}\n"
                           "  - {name: large, model: gpt2_small, precision: bf16, training: {parallel: {dp: 2, "
                           "global_batch: 640, keep_batch: true, zero: 1}}}\n";
  const auto text = [&](const std::string& policy) {
    return cluster_text(6, "topology: star, link: 100GbE") + "jobs:\n" + jobs + "scheduling: {policies: [" + policy +
           "], speed: step, storage: 100 GB/s}\nworkload:\n  jobs:\n"
           "    - {name: a, model: small, gpus: 2, max_gpus: 4, duration: 10 h}\n"
           "    - {name: b, model: large, gpus: 2, max_gpus: 4, duration: 10 h}\n";
  };
  // Both have 10 h left on 2 GPUs, and two GPUs are free. A step of 8 sequences is messages of gradients for the most
  // part, so that more GPUs do little for it; one of 640 sequences computes.
  for (const char* policy : {"optimus", "pollux", "{name: elastic, period: 0 s}"}) {
    SCOPED_TRACE(policy);
    const RunReport report = report_of(text(policy));
    EXPECT_THAT(report.text(), testing::Not(HasSubstr("in proportion to its GPUs")));
    for (const RunFile& file : report.files)
      if (file.name == "jobs.csv") {
        const std::filesystem::path path = std::filesystem::path{testing::TempDir()} / "planned_sizes.csv";
        file.write(path);
        const tests::ReadTable table = tests::csv_table(tests::read_bytes(path));
        EXPECT_GT(std::stod(table.cells(0, {"jct_s"})), std::stod(table.cells(1, {"jct_s"})));
      }
  }
}

TEST(DividedInCluster, AQueueRefusesWhatCannotRun)
{
  const std::string head = cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided;
  const std::string stages = "  - {name: two, model: gpt2_small, precision: bf16, training: {parallel: {pp: 2, "
                             "global_batch: 2}}}\n";
  const std::string step = "scheduling: {policies: [fifo], speed: step}\n";
  EXPECT_THAT(fault_of(head + stages + step + "workload: {jobs: [{name: a, model: two, gpus: 3, steps: 5}]}\n"),
              HasSubstr("job a cannot run: "));
  EXPECT_THAT(
      fault_of(cluster_text(4, "topology: star, link: 100GbE") + "workload: {jobs: [{name: a, gpus: 3, steps: 5}]}\n"),
      HasSubstr("speed: step"));
  const std::string large = "  - {name: big, model: llama2_7b, precision: bf16, training: {parallel: {dp: 2, "
                            "micro_batch: 1, global_batch: 2}}}\n";
  EXPECT_THAT(fault_of(head + large + step + "workload: {jobs: [{name: a, model: big, gpus: 2, steps: 5}]}\n"),
              HasSubstr("out of GPU memory"));
}

TEST(DividedInCluster, FailuresAndCheckpointsGiveGoodput)
{
  // Four machines for a job on three: the one that fails at 1000 s is replaced at once. Checkpoints are free of charge
  // but for the network: gpt2_small has 124.4 M parameters, 14 B each, a third of it per GPU over 92 % of 100 Gbit/s:
  // 50.5 ms.
  const std::string text = cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided +
                           "checkpoints: {interval: 100 s, restart: 60 s, time: 2000 s, storage: 1000 GB/s}\nfaults: "
                           "[node:n-0@1000s]\n";
  const Json job = Json(report_of(text).summary)["jobs"][0];
  EXPECT_EQ(job["failures"].get<double>(), 1);
  EXPECT_NEAR(job["checkpoint_s"].get<double>(), 0.0505, 0.001);
  // Nine checkpoints up to 900.4 s; what was trained after the ninth is lost: 99.6 s, and 60 s for the restart.
  EXPECT_NEAR(job["goodput"].get<double>(), 1 - (99.6 + 60 + 18 * 0.05) / 2000, 0.002);
  EXPECT_THAT(
      fault_of(cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided + "faults: [storage@1h+1h]\n"),
      HasSubstr("a failure of storage is not simulated"));
  EXPECT_THAT(fault_of(cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided + "checkpoints: {}\n"),
              HasSubstr("give 'interval'"));
  EXPECT_THAT(fault_of(cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided +
                       "checkpoints: {save: 0 s}\nfaults: [node:n-0@1000s]\n"),
              HasSubstr("of checkpoints that take no time no interval is best: give 'interval', or a longer 'save'"));
  // Without the fourth machine nothing goes on: 900 of 2000 s were kept.
  const std::string three = cluster_text(3, "topology: star, link: 100GbE") + "jobs:\n" + divided +
                            "checkpoints: {interval: 100 s, restart: 60 s, time: 2000 s, storage: 1000 GB/s}\nfaults: "
                            "[node:n-0@1000s]\n";
  EXPECT_NEAR(Json(report_of(three).summary)["jobs"][0]["goodput"].get<double>(), 0.45, 0.002);
  EXPECT_THAT(report_of(three).text(),
              HasSubstr("1 failure of the job, no spare machine\n  in the end it waits for good: n-0 is not "
                        "repaired and there is no spare machine\n"));
}

TEST(DividedInCluster, FailuresOfMachinesThatTheJobDoesNotHoldCostNothing)
{
  // Two groups of the same GPU: the job takes the machines with eight network cards, though those with one come first.
  const auto goodput = [](const std::string& fault) {
    return Json(
               report_of("trainyard: 1\nname: d\nquestion: how fast?\ncluster:\n  node_types: {slow: {gpu: H100-SXM5, "
                         "gpus: 8, nics: 1}, fast: {gpu: H100-SXM5, gpus: 8, nics: 8}}\n  nodes: "
                         "[{name: s, type: slow, count: 3}, {name: f, type: fast, count: 2}]\n  network: {topology: "
                         "star, link: 100GbE}\njobs:\n  - {name: llm, model: gpt2_small, precision: bf16, training: "
                         "{parallel: {dp: 16, global_batch: 16}}}\ncheckpoints: {interval: 100 s, restart: 60 s, time: "
                         "2000 s}\nfaults: ['" +
                         fault + "']\nrun: {fidelity: closed_form}\n")
                   .summary)["jobs"][0]["goodput"]
        .get<double>();
  };
  EXPECT_GT(goodput("node:s-0@1050s+400s"), 0.99);
  // 50 s are trained again, 400 s nobody trains, for there is no spare machine, and the restart takes 60 s.
  EXPECT_NEAR(goodput("node:f-0@1050s+400s"), 1 - (50.0 + 400 + 60) / 2000, 0.01);
}

TEST(DividedInCluster, AloneAnElasticJobGoesOnAtTheSpeedOfFewerReplicas)
{
  // Four machines for four replicas. One fails at 1000 s and is back after 400 s. Nine checkpoints up to then, each
  // 14 B x 124.4 M / 4 over 92 % of 100 Gbit/s, 38 ms; about 99.7 s are lost, and 60 s for each of two restarts.
  // Between them 340 s are trained with three replicas.
  const auto json = [](const std::string& job, const std::string& elastic) {
    return Json(report_of(cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + job +
                          "checkpoints: {interval: 100 s, restart: 60 s, time: 2000 s, storage: 1000 GB/s" + elastic +
                          "}\nfaults: ['node:n-0@1000s+400s']\n")
                    .summary)["jobs"][0];
  };
  const double waits = json(four_replicas, "")["goodput"].get<double>();
  EXPECT_NEAR(waits, 1 - (99.7 + 400 + 60 + 14 * 0.04) / 2000, 0.001);
  const auto rate = [](int dp, int batch) {
    const Json row = Json(report_of(cluster_text(4, "topology: star, link: 100GbE") +
                                    fmt::format("jobs:\n  - {{name: llm, model: gpt2_small, precision: bf16, "
                                                "training: {{parallel: {{dp: {}, micro_batch: 1, global_batch: "
                                                "{}, overlap_gradients: false}}}}}}\n",
                                                dp, batch))
                              .summary)["jobs"][0];
    return row["tokens_per_second"].get<double>();
  };
  const double three = rate(3, 120) / rate(4, 120);
  EXPECT_GT(three, 0.76);
  EXPECT_NEAR(json(four_replicas, ", elastic: true")["goodput"].get<double>(),
              1 - (99.7 + 120 + 340 * (1 - three) + 16 * 0.04) / 2000, 0.001);
  EXPECT_NEAR(json(four_replicas, ", elastic: true, min_dp: 4")["goodput"].get<double>(), waits, 1e-9);
  // 128 sequences are not divided by three, but by two; decreased to 126, three train them.
  std::string other = four_replicas;
  other.replace(other.find("120"), 3, "128");
  EXPECT_NEAR(json(other, ", elastic: true")["goodput"].get<double>(),
              1 - (99.7 + 120 + 340 * (1 - rate(2, 128) / rate(4, 128)) + 16 * 0.04) / 2000, 0.001);
  other.replace(other.find("keep_batch: true"), 16, "keep_batch: true, decrease_batch: true");
  EXPECT_NEAR(json(other, ", elastic: true")["goodput"].get<double>(),
              1 - (99.7 + 120 + 340 * (1 - rate(3, 126) / rate(4, 128)) + 16 * 0.04) / 2000, 0.001);
}

TEST(DividedInCluster, AnElasticJobThatCannotShrinkSaysWhy)
{
  const auto warning = [](const std::string& layout, const std::string& checkpoints) {
    Diagnostics seen;
    const Document document =
        parse_document(cluster_text(4, "topology: star, link: 100GbE") +
                           "jobs:\n  - {name: llm, model: gpt2_small, training: " + "{parallel: {" + layout +
                           "}}}\ncheckpoints: {interval: 1 h, elastic: true" + checkpoints + "}\n",
                       "c.yaml", seen);
    check_points(document, seen);
    std::string text;
    for (const Diagnostic& one : seen.sorted())
      text += one.message;
    return text;
  };
  EXPECT_EQ(
      warning("dp: 3, global_batch: 9, keep_batch: true", ", min_dp: 2"),
      "the job cannot go on with fewer replicas; with 2: global_batch = 9 is no multiple of dp x micro_batch = 2 x "
      "1 = 2; try 8 or 10; decrease_batch: true of its layout adapts the batch");
  EXPECT_EQ(warning("dp: 3, global_batch: 9, keep_batch: true, decrease_batch: true", ", min_dp: 2"), "");
  EXPECT_EQ(warning("dp: 3, global_batch: 9", ", min_dp: 3"),
            "the job cannot go on with fewer replicas: it has 3, and min_dp is 3");
  EXPECT_EQ(warning("dp: 1, global_batch: 9", ""),
            "the job cannot go on with fewer replicas: it has 1, and min_dp is 1");
}

TEST(ParallelScenarios, StorageThatNobodyNamedIsAssumedAloud)
{
  const std::string words = "each process writes checkpoints at 600 MB/s, and storage takes 5 GB/s from a machine "
                            "(checkpoints: {storage: RATE or KIND} names another)";
  const auto text = [](const std::string& checkpoints) {
    return report_of(cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n" + divided + checkpoints).text();
  };
  EXPECT_THAT(text("checkpoints: {interval: 100 s, time: 2000 s}\nfaults: [node:n-0@1000s]\n"), HasSubstr(words));
  EXPECT_THAT(text("checkpoints: {interval: 100 s, time: 2000 s, storage: 10 GB/s}\nfaults: [node:n-0@1000s]\n"),
              testing::Not(HasSubstr(words)));
  EXPECT_THAT(text(""), testing::Not(HasSubstr(words)));
  // The time until processes run again is one more that decides what failures cost.
  const std::string again = "processes run again 300 s after a failure (checkpoints.restart names another)";
  EXPECT_THAT(text("faults: [node:n-0@1000s]\n"), HasSubstr(again));
  EXPECT_THAT(text("checkpoints: {interval: 100 s, time: 2000 s}\nfaults: [node:n-0@1000s]\n"), HasSubstr(again));
  EXPECT_THAT(text("checkpoints: {restart: 2 min, time: 2000 s}\nfaults: [node:n-0@1000s]\n"),
              testing::Not(HasSubstr(again)));
}

TEST(ParallelScenarios, OneReplicaThatNobodyAskedForIsAssumedAloud)
{
  const auto text = [](const std::string& words) {
    return report_of(cluster_text(4, "topology: star, link: 100GbE") + "jobs:\n  - {name: llm, model: gpt2_small, " +
                     words + "}\n")
        .text();
  };
  EXPECT_THAT(text("training: {parallel: {pp: 2, global_batch: 4}}"), HasSubstr("one replica (dp or workers give"));
  EXPECT_THAT(text("training: {parallel: {pp: 2, dp: 1, global_batch: 4}}"), testing::Not(HasSubstr("one replica")));
  EXPECT_THAT(text("workers: 4, training: {parallel: {pp: 2, global_batch: 4}}"),
              testing::Not(HasSubstr("one replica")));
}

} // namespace
} // namespace trainyard
