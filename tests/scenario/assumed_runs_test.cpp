// SPDX-License-Identifier: Apache-2.0
/// What runs of a queue, of services, of retraining and of all together took for granted: by value, and no longer once
/// the key is set. The values are the defaults that docs/scenario.md and the catalogue (orchestrators/swarm.yaml)
/// document.
#include "sim/report/report_document.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "tests/support/checked_points.hpp"
#include "tests/support/places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

/// Two machines of two GPUs about which everything is said that queues and services look at.
constexpr const char* machines = "cluster:\n"
                                 "  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 2, cpu_cores: 8, memory: 64 GB, "
                                 "price: 3 $/h}}\n"
                                 "  nodes: [{name: n, type: n, count: 2}]\n"
                                 "  network: {topology: star, link: 25GbE}\n";

RunReport answer(const std::string& text)
{
  const std::vector<CheckedPoint> points = tests::checked_points("trainyard: 1\nname: t\n" + text, "t.yaml");
  return runner_of(points.front().scenario)->run(points, {});
}

/// The list of the summary; the line of the printed answer says the same.
std::vector<std::string> assumed_in(const std::string& text)
{
  const RunReport report = answer(text);
  const std::vector<std::string> list = nlohmann::json(report.summary).value("assumed", std::vector<std::string>{});
  const std::string line = fmt::format("\nassumed: {}\n", fmt::join(list, "; "));
  EXPECT_EQ(report.text().find(line) != std::string::npos, !list.empty());
  return list;
}

// docs/how-to/pipeline.md promises the list, also where nothing is to be warned of.
TEST(WarningsOfASummary, AreAListInEveryKindOfRun)
{
  const std::string cluster = "cluster:\n  node_types: {n: {gpu: H100-SXM5, gpus: 8}}\n"
                              "  nodes: [{name: n, type: n, count: 1}]\n";
  const std::string job = "jobs: [{name: a, model: llama3_8b, workers: 8, training: {parallel: {zero: 3, "
                          "recomputation: full, global_batch: 8}}}]\n";
  RunReport report = answer(cluster + job);
  report.warnings.clear();
  report.doubts.clear();
  const auto summary = nlohmann::json(with_conclusions(report, {}, {}).summary);
  EXPECT_EQ(summary.at("warnings"), nlohmann::json::array());
  report.warnings = {plain(MessageKind::warning, "a doubt")};
  EXPECT_EQ(nlohmann::json(with_conclusions(report, {}, {}).summary).at("warnings"),
            nlohmann::json::array({"a doubt"}));
  EXPECT_TRUE(nlohmann::json(with_conclusions(report, {plain(MessageKind::answer, "an answer")}, {}).summary)
                  .at("advice")
                  .get<std::string>()
                  .starts_with("an answer"));
}

// Two machines as H100-SXM5 is sold in: eight GPUs under NVSwitches, eight NDR cards. The layout says how many
// sequences there are and what is exchanged, so that batch_per_gpu, the mode and its collective are no defaults of such
// a job.
TEST(AssumedOfDividedTransformers, TheMachinesAndTheNetworkButNothingThatTheLayoutSays)
{
  const std::string cluster = "cluster:\n  node_types: {n: {gpu: H100-SXM5, gpus: 8}}\n"
                              "  nodes: [{name: n, type: n, count: 2}]\n";
  const std::string job = "jobs: [{name: a, model: llama3_8b, workers: 16, training: {parallel: {zero: 3, "
                          "global_batch: 16}}}]\n";
  const RunReport report = answer(cluster + job);
  const std::vector<std::string> list = nlohmann::json(report.summary).value("assumed", std::vector<std::string>{});
  EXPECT_THAT(list, IsSupersetOf({"precision bf16", "wiring nvswitch", "NVLink generation 4", "PCIe5-x16",
                                  "network cards per machine: 8", "network IB-NDR", "Adam with fp32 states",
                                  "steps of workers differ by 1.5 % (spread)",
                                  "RMSNorm, rotary embedding and SwiGLU run operator by operator, as in eager PyTorch "
                                  "(fused_elementwise: true for torch.compile)"}));
  EXPECT_THAT(report.text(), AllOf(HasSubstr("\nassumed: "), HasSubstr("network cards per machine: 8")));
  const std::string gpt =
      "jobs: [{name: a, model: gpt3_6.7b, workers: 16, precision: fp8, training: {parallel: {zero: 1, cp: 2, "
      "global_batch: 16}}}]\n";
  EXPECT_THAT(nlohmann::json(answer(cluster + gpt).summary).value("assumed", std::vector<std::string>{}),
              IsSupersetOf({"values are dropped at random, as the model was published (dropout)",
                            "inputs of linear layers are kept as they were rounded (low_precision_storage)",
                            "keys and values go round a ring (context_exchange)"}));
  for (const char* other : {"batch ", "mode ", "collective ", "transport "})
    EXPECT_THAT(list, Not(Contains(::testing::StartsWith(other)))) << other;
  // Whose messages a tensor-parallel group sends, and whether they are waited for: with FSDP PyTorch's.
  const auto of_group = [&](const std::string& keys) {
    const std::string divided = "jobs: [{name: a, model: llama3_8b, workers: 16, training: {parallel: {tp: 4, "
                                "sequence_parallel: true, global_batch: 16, " +
                                keys + "}}}]\n";
    return nlohmann::json(answer(cluster + divided).summary).value("assumed", std::vector<std::string>{});
  };
  EXPECT_THAT(of_group("zero: 3"),
              IsSupersetOf({"tensor-parallel messages are those of PyTorch's DTensor, as with its FSDP "
                            "(tensor_messages: megatron for DeepSpeed around a model of Megatron-LM)",
                            "tensor-parallel messages are waited for (overlap_tensor)"}));
  EXPECT_THAT(of_group("zero: 1"),
              IsSupersetOf({"tensor-parallel messages are Megatron-LM's (tensor_messages)",
                            "tensor-parallel messages of the backward pass travel beside products of weight gradients "
                            "(overlap_tensor)"}));
  EXPECT_THAT(of_group("zero: 3, tensor_messages: megatron, overlap_tensor: backward"),
              Not(Contains(::testing::StartsWith("tensor-parallel"))));
  const auto spread = [&](const std::string& workers, const std::string& layout) {
    return nlohmann::json(answer(cluster + "jobs: [{name: a, model: gpt3_125m, workers: " + workers +
                                 ", training: {parallel: {global_batch: 16" + layout + "}}}]\n")
                              .summary)
        .value("assumed", std::vector<std::string>{});
  };
  const auto named = Contains(::testing::StartsWith("steps of workers differ"));
  EXPECT_THAT(spread("2", ""), named);
  EXPECT_THAT(spread("2", ", spread: gpus"), Not(named)); // said
  EXPECT_THAT(spread("1", ""), Not(named));               // none waits
}

TEST(AssumedOfQueues, WithRunTimesOfTheTrace)
{
  const std::string jobs = "workload: {jobs: [{name: a, duration: 1 h}, {name: b, submit: 1 min, duration: 1 h}]";
  EXPECT_THAT(assumed_in(machines + jobs + "}\n"),
              ElementsAre("estimates: the run times", "policy fifo", "placement first_fit",
                          "run times as given, wherever a job runs", "jobs ask for no CPU and memory",
                          "start cost 0 s"));
  EXPECT_THAT(assumed_in(machines + jobs +
                         ", estimate_badness: 0}\nscheduling: {policies: [sjf, fifo], placements: [pack, first_fit], "
                         "speed: trace, cluster: machines, start_cost: 5 s}\n"),
              ElementsAre());
}

TEST(AssumedOfQueues, WhoHasEstimatesAndWhoAsksForCpu)
{
  // b's estimate is too short, so that it runs on past it; a asks for CPU on machines whose cores are not said.
  const std::string text = "cluster:\n  node_types: {n: {gpu: P100-PCIe, gpus: 2}}\n  nodes: [{name: n, type: n}]\n"
                           "workload: {jobs: [{name: a, duration: 1 h, cpus: 2}, {name: b, duration: 1 h, "
                           "estimate: 30 min}]}\n";
  EXPECT_THAT(assumed_in(text),
              AllOf(IsSupersetOf({"16 CPU cores per machine", "estimates: those of the jobs",
                                  "jobs run on past their estimates"}),
                    Not(Contains("jobs ask for no CPU and memory")), Not(Contains(HasSubstr("memory of a machine")))));
}

// One GPU: b is shorter and takes it from a after 10 min (srtf), so preemptions happen, and they cost nothing.
TEST(AssumedOfQueues, TheCostOfPreemptionsWhereSomebodyWasPreempted)
{
  const std::string text = "cluster:\n  node_types: {n: {gpu: V100-SXM2-16GB}}\n  nodes: [{name: n, type: n}]\n"
                           "workload: {jobs: [{name: a, duration: 1 h}, {name: b, submit: 10 min, duration: 1 min}]}\n"
                           "scheduling: {policy: ";
  EXPECT_THAT(assumed_in(text + "srtf}\n"), IsSupersetOf({"cost of a checkpoint 0 s", "cost of a restart 0 s"}));
  EXPECT_THAT(assumed_in(text + "srtf, restart_cost: 30 s}\n"),
              AllOf(Contains("cost of a checkpoint 0 s"), Not(Contains(HasSubstr("cost of a restart")))));
  EXPECT_THAT(assumed_in(text + "fifo}\n"), Not(Contains(HasSubstr("cost of a"))));
  // Periodic checkpoints would cost something.
  EXPECT_THAT(assumed_in(text + "fifo, checkpoint_interval: 30 min}\n"), Contains("cost of a checkpoint 0 s"));
}

// The storage says how long they take.
TEST(AssumedOfQueues, NoCostOfCheckpointsWhereTheirSizeIsKnown)
{
  const std::string text =
      machines + std::string{"jobs: [{name: big, model: {name: one_tensor, elements: 500000000}, optimizer: sgd, "
                             "batch_per_gpu: 1, single_gpu_step: 1 s}]\n"
                             "workload: {jobs: [{name: a, model: big, gpus: 1, duration: 250 s}]}\n"
                             "scheduling: {policy: fifo, speed: step, checkpoint_interval: 100 s"};
  EXPECT_THAT(assumed_in(text + "}\n"), Contains("cost of a checkpoint 0 s"));
  EXPECT_THAT(assumed_in(text + ", storage: 0.5 GB/s}\n"), Not(Contains(HasSubstr("cost of a checkpoint"))));
}

// Trainings that are sent to the queue may have an interval of their own.
TEST(AssumedOfQueues, TheCostOfCheckpointsOfRetrainings)
{
  const std::string text = std::string{machines} + "workload: {jobs: [{name: a, duration: 1 h}]}\n" +
                           "task_environment:\n  through: queue\n  models: [{name: faces, train_time: 30 min";
  EXPECT_THAT(assumed_in(text + "}]\nrun: {until: 3 h}\n"), Not(Contains(HasSubstr("cost of a checkpoint"))));
  EXPECT_THAT(assumed_in(text + ", checkpoint_interval: 5 min}]\nrun: {until: 3 h}\n"),
              Contains("cost of a checkpoint 0 s"));
}

TEST(AssumedOfQueues, WithSimulatedSpeedsThoseOfTrainingJobsToo)
{
  const std::string queue = "workload: {jobs: [{name: a, gpus: 2, duration: 1 h, model: small}]}\n"
                            "scheduling: {speed: step}\n";
  const std::string job = "jobs: [{name: small, model: resnet50";
  EXPECT_THAT(assumed_in(machines + queue + job + "}]\n"),
              AllOf(IsSupersetOf({"40 us of the host per operator", "precision fp32", "batch 32 per GPU",
                                  "mode all_reduce", "policy fifo", "placement first_fit"}),
                    Not(Contains("run times as given, wherever a job runs"))));
}

TEST(AssumedOfQueues, OfAGenerator)
{
  EXPECT_THAT(assumed_in(machines + std::string{"workload: {generate: {jobs: 20, median_duration: 1 min}}\n"}),
              AllOf(IsSupersetOf({"arrivals poisson", "60 s between submissions",
                                  "standard deviation 1.5 of the run times' logarithm",
                                  "GPUs of a job 1: 70 %, 2: 10 %, 4: 10 %, 8: 10 %"}),
                    Not(Contains(HasSubstr("median run time"))), Not(Contains(HasSubstr(" jobs")))));
}

const std::string training = "services: [{name: train, kind: training, work: 1 h, tasks: [{resources: {gpus: 1}}]}]\n"
                             "run: {until: 3 h}\n";
const std::string failure = "faults:\n  - node:n-0@10min+5min\n";

TEST(AssumedOfServices, TheProfilesValues)
{
  EXPECT_THAT(assumed_in(machines + training + failure + "orchestrator: swarm\n"),
              ElementsAre("tasks placed by spread", "a lost machine noticed after 15 s", "its tasks replaced 0 s later",
                          "a dead process noticed after 0 s", "restart on_failure", "restart delay 5 s",
                          "containers start in 1 s", "containers stop in 0 s", "any number of placements per second",
                          "images are there already", "runtime container", "checkpoints none"));
  const std::vector<std::string> given =
      assumed_in(machines + training + failure +
                 "orchestrator: {name: swarm, node_detection: 1 s, restart_delay: 2 s, placement: pack}\n");
  for (const char* words : {"noticed after 1", "restart delay", "tasks placed by"})
    EXPECT_THAT(given, Not(Contains(HasSubstr(words))));
  EXPECT_THAT(given, Contains("containers start in 1 s"));
}

TEST(AssumedOfServices, WithoutAnOrchestratorAndWithoutFailures)
{
  // Nothing fails, so neither detection nor checkpoints matter; the machine's price is not said.
  EXPECT_THAT(
      assumed_in("cluster:\n  node_types: {n: {gpu: P100-PCIe, gpus: 2, cpu_cores: 8, memory: 64 GB}}\n"
                 "  nodes: [{name: n, type: n}]\n" +
                 training),
      ElementsAre("no price of machines", "orchestrator none", "tasks placed by first_fit", "runtime container"));
}

const std::string retrained = "run: {until: 3 d}\ntask_environment:\n  models: [{name: faces, train_time: 6 h";

TEST(AssumedOfRetraining, ByValueAndNotWhatIsGiven)
{
  EXPECT_THAT(assumed_in(machines + retrained + "}]\n"),
              ElementsAre("duplicates replace", "planner priority", "trainings placed by first_fit", "trigger periodic",
                          "period 24 h", "variation of training times 0", "data to upload 0 B", "corrupted parts 0 %",
                          "arrival of the data checked every 60 s", "end of trainings checked every 30 s",
                          "messages take 50 ms", "lost messages 0 %", "saving of the model 1 GB/s", "download 1 Gbit/s",
                          "replicas restart in 0 s", "trainings do not fail"));
  // Data are uploaded, over a link that is not said; answers can get lost.
  EXPECT_THAT(assumed_in(machines + retrained +
                         ", data: 10 GB}]\n  duplicates: forbid\n  status: {period: 10 s}\n"
                         "  messages: {loss: 1 %}\n  mean_time_to_failure: 5000 h\n"),
              ElementsAre("planner priority", "trainings placed by first_fit", "trigger periodic", "period 24 h",
                          "variation of training times 0", "checkpoints none", "upload 1 Gbit/s", "corrupted parts 0 %",
                          "arrival of the data checked every 60 s", "submission check", "messages take 50 ms",
                          "saving of the model 1 GB/s", "download 1 Gbit/s", "replicas restart in 0 s"));
}

TEST(AssumedOfMixedRuns, ThoseOfAllPartsInOneLine)
{
  const std::string text = machines + training + "workload: {jobs: [{name: a, duration: 1 h}]}\n" +
                           "task_environment:\n  models: [{name: faces, train_time: 30 min}]\n";
  EXPECT_THAT(assumed_in(text), IsSupersetOf({"estimates: the run times", "policy fifo", "orchestrator none",
                                              "duplicates replace", "period 24 h", "runtime container"}));
  const std::string printed = answer(text).text();
  EXPECT_EQ(printed.find("assumed: "), printed.rfind("assumed: ")); // once, not once per part
  EXPECT_THAT(assumed_in(text + "orchestrator: swarm\nscheduling: {policy: sjf}\n"),
              AllOf(Not(Contains("orchestrator none")), Not(Contains("policy fifo"))));
}

TEST(AssumedOfQueues, TheHtmlReportSaysSo)
{
  namespace fs = std::filesystem;
  const fs::path folder = fs::path{testing::TempDir()} / ("assumed-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream{folder / "summary.json"}
      << with_conclusions(answer(machines + std::string{"workload: {jobs: [{name: a, duration: 1 h}]}\n"}), {}, {})
             .summary;
  EXPECT_THAT(report_html(report_of(folder)),
              HasSubstr("Assumed, because the scenario does not say: estimates: the run times; policy fifo; "));
  fs::remove_all(folder);
}

} // namespace
} // namespace trainyard
