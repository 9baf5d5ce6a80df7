// SPDX-License-Identifier: Apache-2.0
// What failures and checkpoints cost one data-parallel job without a queue: timelines worked by hand, and Daly's
// formula for failures by chance.
#include "models/core/data_folder.hpp"
#include "models/scenario/document.hpp"
#include "sim/parallel/goodput.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

namespace trainyard {
namespace {

using testing::HasSubstr;
using testing::Not;

/// 480 steps of one second on @p workers machines of one GPU, and servers on machines of their own. The tensor is so
/// small that nothing but computing counts.
std::string job_of(int workers, const std::string& training, const std::string& rest, int boxes = 0,
                   const std::string& steps = "480")
{
  return fmt::format("trainyard: 1\n"
                     "cluster:\n"
                     "  node_types: {{box: {{gpu: V100-PCIe-16GB, gpus: 1}}, host: {{}}}}\n"
                     "  nodes: [{{name: box, type: box, count: {}}}{}]\n"
                     "  network: {{topology: star, bandwidth: 100 GB/s, latency: 0 s}}\n"
                     "jobs:\n"
                     "  - {{name: train, model: {{name: one_tensor, elements: 1}}, workers: {}, batch_per_gpu: 1,\n"
                     "     single_gpu_step: 1 s, optimizer: sgd, steps: {}, training: {}}}\n"
                     "{}",
                     boxes > 0 ? boxes : workers,
                     training.find("servers") != std::string::npos ? ", {name: host, type: host, count: 1}" : "",
                     workers, steps, training, rest);
}

constexpr const char* all_reduce = "{mode: all_reduce}";
constexpr const char* async = "{mode: parameter_server, servers: 1, update_rule: async}";
constexpr const char* saves = "checkpoints: {interval: 100 s, save: 10 s, restart: 25 s}\n";

JobRow row_of(const std::string& text)
{
  const Results results = simulate(tests::checked_points(text, "failures.yaml"));
  EXPECT_EQ(results.jobs.size(), 1U);
  return results.jobs.at(0);
}

/// How much later the job ends than without failures and checkpoints.
double delay(int workers, const std::string& training, const std::string& fault, int boxes = 0)
{
  const double alone = row_of(job_of(workers, training, "", boxes)).finish.value();
  EXPECT_NEAR(alone, 480, 0.5);
  return row_of(job_of(workers, training, saves + fault, boxes)).finish.value() - alone;
}

TEST(TrainingFailures, CheckpointsAloneCostTheirTime)
{
  // After 100, 200, 300 and 400 s.
  EXPECT_NEAR(delay(2, all_reduce, ""), 40, 1e-6);
}

TEST(TrainingFailures, AFailureOfAnyMachineStopsAnAllReduce)
{
  // Trains to 100, saves to 110, trains to 210, saves to 220, trains to 250: 30 s are redone. Waits for the machine to
  // 300, restarts in 25 s and loads in 10. Saves of 200, and those after 300 and 400 s of work: 30 + 50 + 35 + 40.
  EXPECT_NEAR(delay(2, all_reduce, "faults: [\"node:box-1@250s+50s\"]\n"), 155, 1e-6);
  // A spare machine: no waiting. One that the job does not use: nothing.
  EXPECT_NEAR(delay(2, all_reduce, "faults: [\"node:box-1@250s+50s\"]\n", 3), 105, 1e-6);
  EXPECT_NEAR(delay(2, all_reduce, "faults: [\"node:box-2@250s+50s\"]\n", 3), 40, 1e-6);
  // Its processes die, and no machine is lost.
  EXPECT_NEAR(delay(2, all_reduce, "faults: [\"process:train/worker-1@250s\"]\n"), 105, 1e-6);
}

TEST(TrainingFailures, TheFiguresAddUp)
{
  const JobRow row = row_of(job_of(2, all_reduce, std::string{saves} + "faults: [\"node:box-1@250s+50s\"]\n"));
  ASSERT_TRUE(row.failures.has_value());
  EXPECT_EQ(row.failures->failures, 1);
  EXPECT_NEAR(row.failures->redone.value(), 30, 1e-6);
  EXPECT_NEAR(row.failures->waiting.value(), 50, 1e-6);
  EXPECT_NEAR(row.failures->restarting.value(), 35, 1e-6);
  EXPECT_NEAR(row.failures->saving.value(), 40, 1e-6);
  EXPECT_NEAR(row.failures->useful, 480.0 / 635, 1e-4);
}

TEST(TrainingFailures, ALostWorkerOfAnAsynchronousJobOnlySlowsIt)
{
  // Two of three workers from 250 to 320 s, when a checkpoint is written until 330 s: a third of 70 s is missing. Five
  // checkpoints fit into 503 s.
  EXPECT_NEAR(delay(3, async, "faults: [\"node:box-1@250s+50s\"]\n"), 70.0 / 3 + 50, 0.1);
  // Its process starts again on the same machine: a third of 25 s.
  EXPECT_NEAR(delay(3, async, "faults: [\"process:train/worker-2@250s\"]\n"), 25.0 / 3 + 40, 0.1);
}

TEST(TrainingFailures, TheServerAndTheChiefTakeItBackToTheCheckpoint)
{
  EXPECT_NEAR(delay(3, async, "faults: [\"node:host-0@250s+50s\"]\n"), 155, 0.1);
  EXPECT_NEAR(delay(3, async, "faults: [\"node:box-0@250s+50s\"]\n"), 155, 0.1);
  EXPECT_NEAR(delay(3, async, "faults: [\"process:train/ps-0@250s\"]\n"), 105, 0.1);
}

TEST(TrainingFailures, SynchronousWorkersWaitForALostOneAndRedoNothing)
{
  // From 250 to 325 s nobody trains. Waiting is no training: checkpoints follow after 300 and 400 s of work.
  const std::string sync = "{mode: parameter_server, servers: 1, update_rule: sync}";
  EXPECT_NEAR(delay(3, sync, "faults: [\"node:box-1@250s+50s\"]\n"), 75 + 40, 0.1);
}

TEST(TrainingFailures, BackupWorkersStandIn)
{
  // Updates need two of three gradients: one lost worker is not missed, two are.
  const std::string backup = "{mode: parameter_server, servers: 1, update_rule: sync_replicas, backup_workers: 1}";
  EXPECT_NEAR(delay(3, backup, "faults: [\"node:box-1@250s+50s\"]\n"), 40, 0.5);
  EXPECT_NEAR(delay(3, backup, "faults: [\"node:box-1@250s+50s\", \"node:box-2@250s+50s\"]\n"), 75 + 40, 0.5);
}

TEST(TrainingFailures, ALostWorkerTakesItsSlownessWithIt)
{
  // Worker 1 takes three times as long: 1 + 1/3 + 1 = 7/3 steps a second. Without it 2, so 6/7 of the speed; without
  // worker 2 4/3, so 4/7. Away for 25 s, and four checkpoints.
  const auto late = [](const std::string& worker) {
    std::string text = job_of(3, async, saves + ("faults: [\"process:train/worker-" + worker + "@250s\"]\n"));
    text.replace(text.find("optimizer:"), 0, "stragglers: [{worker: 1, slow_down: 3}], ");
    const JobRow row = row_of(text);
    return row.failures->slower.value();
  };
  EXPECT_NEAR(late("1"), 25.0 / 7, 0.1);
  EXPECT_NEAR(late("2"), 25.0 * 3 / 7, 0.2);
}

TEST(TrainingFailures, ServersAndWorkersHaveSpareMachinesOfTheirGroups)
{
  // A box too many: the chief's machine is replaced and not waited for. The server's has no spare one.
  EXPECT_NEAR(delay(3, async, "faults: [\"node:box-0@250s+50s\"]\n", 4), 105, 0.1);
  EXPECT_NEAR(delay(3, async, "faults: [\"node:host-0@250s+50s\"]\n", 4), 155, 0.1);
}

TEST(TrainingFailures, AJobWhoseMachineIsNotRepairedNeverEnds)
{
  for (const auto& [training, machine] : {std::pair{all_reduce, "box-1"}, std::pair{async, "host-0"}}) {
    const Results results = simulate(tests::checked_points(
        job_of(2, training, saves + fmt::format("faults: [\"node:{}@250s\"]\n", machine)), "failures.yaml"));
    const JobRow& row = results.jobs.at(0);
    EXPECT_FALSE(std::isfinite(row.finish.value()));
    EXPECT_EQ(row.failures->useful, 0);
    EXPECT_THAT(texts_of(results.messages, MessageKind::cost).at(0),
                HasSubstr(fmt::format("train with failures: never ends: {} is not repaired and there is no spare "
                                      "machine; 1 failure of the job, no spare machine\n",
                                      machine)));
    EXPECT_THAT(texts_of(results.messages, MessageKind::error),
                testing::Contains(HasSubstr("job 'train' never ends: ")));
    for (const EventRow& event : results.events)
      EXPECT_NE(event.event, "finished");
  }
  // With a spare machine: as in AFailureOfAnyMachineStopsAnAllReduce. An asynchronous worker is only missed: four
  // checkpoints and a third of the rest. 250 s of which 220 train, so 260 s of work are left.
  EXPECT_NEAR(delay(2, all_reduce, "faults: [\"node:box-1@250s\"]\n", 3), 105, 1e-6);
  EXPECT_TRUE(
      std::isfinite(row_of(job_of(3, async, std::string{saves} + "faults: [\"node:box-1@250s\"]\n")).finish.value()));
}

TEST(TrainingFailures, TimesOfFailuresAreThoseOfTheClock)
{
  const auto row = [](const std::string& fault) {
    std::string text = job_of(2, all_reduce, saves + ("faults: [\"" + fault + "\"]\n"));
    return row_of(text.replace(text.find("optimizer:"), 0, "arrival: 1000 s, "));
  };
  // At 1250 s, it has run for 250 s: 155 s, as above. Before it arrives nothing can hit it.
  EXPECT_NEAR(row("node:box-1@1250s+50s").finish.value(), 1000 + 480 + 155, 0.5);
  EXPECT_NEAR(row("node:box-1@250s+50s").finish.value(), 1000 + 480 + 40, 0.5);
  // A machine that is down until 1,200 s is waited for: 200 s, and 25 s without a checkpoint to load.
  EXPECT_NEAR(row("node:box-1@900s+300s").finish.value(), 1000 + 480 + 40 + 200 + 25, 0.5);
}

TEST(TrainingFailures, EventsSayWhatHappenedAndWhenItIsOver)
{
  const auto told = [](const std::string& training, const std::string& fault) {
    const Results results = simulate(
        tests::checked_points(job_of(3, training, saves + ("faults: [\"" + fault + "\"]\n")), "failures.yaml"));
    for (const EventRow& event : results.events)
      if (event.event == "failed")
        return event.detail;
    return std::string{};
  };
  // 25 s until processes run and 10 s to load, after 50 s of waiting for the machine.
  EXPECT_EQ(told(async, "node:host-0@250s+50s"),
            "host-0: stops the job, 30.0 s are redone; all train again after 85.0 s");
  EXPECT_EQ(told(async, "process:train/ps-0@250s"),
            "process train/ps-0: stops the job, 30.0 s are redone; all train again after 35.0 s");
  EXPECT_EQ(told(async, "process:train/worker-2@250s"),
            "process train/worker-2: the others go on at 67 % of the speed; all train again after 25.0 s");
  // Of three workers two are gone, whichever is told of.
  EXPECT_EQ(told(async, "process:train/worker-1@250s\", \"process:train/worker-2@250s"),
            "process train/worker-1: the others go on at 33 % of the speed; all train again after 25.0 s");
  EXPECT_EQ(told(all_reduce, "process:train@110s"),
            "process train: stops the job, nothing is redone; all train again after 35.0 s");
  // One worker is not missed, and is back after 25 s all the same.
  EXPECT_EQ(told("{mode: parameter_server, servers: 1, update_rule: sync_replicas, backup_workers: 1}",
                 "process:train/worker-2@250s"),
            "process train/worker-2: the others go on at 100 % of the speed; all train again after 25.0 s");
}

TEST(TrainingFailures, ThePriceIsThatOfAllTheTime)
{
  // 155 s later than 480 s: each sample costs 635/480 of what it costs without failures.
  const auto price = [](const std::string& rest) {
    std::string text = job_of(2, all_reduce, rest);
    text.replace(text.find("gpus: 1"), 7, "gpus: 1, price: 3 $/h");
    return row_of(text).price_per_million_samples.value().value();
  };
  EXPECT_NEAR(price(std::string{saves} + "faults: [\"node:box-1@250s+50s\"]\n") / price(""), 635.0 / 480, 1e-3);
}

TEST(TrainingFailures, VariantsAreJudgedByWhatIsKept)
{
  // Every 100 s: as above without waiting, and the machine is spare: 585 s. Every 400 s: fails at 250 with nothing
  // kept, restarts to 275, and saves once for 10 s: 765 s. 2 x 480/585 = 1.64 samples/s, 31 % more.
  const Results results = simulate(tests::checked_points(
      job_of(2, all_reduce,
             std::string{saves} +
                 "faults: [\"node:box-0@250s\"]\nsweep: {grid: {checkpoints.interval: [100 s, 400 s]}}\n",
             3),
      "failures.yaml"));
  ASSERT_EQ(results.jobs.size(), 2U);
  EXPECT_NEAR(results.jobs[0].finish.value(), 585, 0.1);
  EXPECT_NEAR(results.jobs[1].finish.value(), 765, 0.1);
  EXPECT_THAT(answer_text(results),
              HasSubstr("interval=100 s wins with 1.64 useful samples/s, 31 % more than interval=400 s"));
  // Each point has its paragraph, and simrun explain shows those of the rows that it shows.
  const std::string both = explain_text(results).text();
  for (const char* told : {"interval=100 s, train with failures: done after 585 s instead of 480 s, goodput 82.1 %; 1 "
                           "failure of the job, 1 spare machine\n",
                           "interval=400 s, train with failures: done after 12.8 min instead of 480 s"})
    EXPECT_THAT(both, HasSubstr(told));
  Results one = results;
  one.jobs.pop_back();
  EXPECT_THAT(explain_text(one).text(), Not(HasSubstr("interval=400 s, train")));
}

TEST(TrainingFailures, SeveralSeedsHaveTheirMeanAndSayWhichOneIsTold)
{
  const Results results = simulate(tests::checked_points(
      job_of(2, all_reduce,
             std::string{saves} + "faults: {mtbf: {node: 5 min, mttr: 1 min}}\nrun: {seed: 7, replicas: 2}\n"
                                  "sweep: {grid: {checkpoints.restart: [25 s, 30 s]}}\n"),
      "failures.yaml"));
  const std::vector<std::string> told = texts_of(results.messages, MessageKind::cost);
  ASSERT_EQ(told.size(), 4U);
  EXPECT_THAT(told[0], testing::StartsWith("restart=25 s, train, seed 7, with failures: done after "));
  EXPECT_THAT(told[1], testing::StartsWith("restart=25 s, train with failures, mean of 2 seeds: done at "));
  EXPECT_THAT(told[3], testing::StartsWith("restart=30 s, train with failures, mean of 2 seeds: done at "));
}

TEST(TrainingFailures, WithoutFailuresCheckpointsAreTold)
{
  const auto told = [](const std::string& rest) {
    const Results results = simulate(tests::checked_points(job_of(2, all_reduce, rest), "failures.yaml"));
    return texts_of(results.messages, MessageKind::cost);
  };
  EXPECT_THAT(told("faults: []\n"), testing::IsEmpty());
  EXPECT_THAT(told("checkpoints: {interval: 8 h, save: 0 s}\n").at(0),
              testing::AllOf(HasSubstr("train with checkpoints: done after 480 s instead of 480 s, goodput 100.0 %; no "
                                       "failure of the job, no spare machine\n"),
                             HasSubstr("  checkpoint: 4 B in no time, every 8 h\n")));
  // Written beside the training in 30 s: no sooner than that, however short the interval.
  EXPECT_THAT(told("checkpoints: {interval: 20 s, save: 30 s, background: true}\n").at(0),
              HasSubstr("every 30 s instead of 20 s, as each begins when the last one is written\n"));
}

TEST(TrainingFailures, ByChanceTheyCostWhatDalySays)
{
  // Two machines that fail every 12 h each: M = 6 h. C = 60 s, restart 2 min and as long to load as to save. 2,000 M of
  // work; Daly's interval is 1,570 s (tests/parallel/goodput_test.cpp).
  const auto text = [](const std::string& interval) {
    return job_of(2, all_reduce,
                  fmt::format("checkpoints: {{{}save: 60 s, restart: 2 min, time: 5000 d}}\n"
                              "faults: {{mtbf: {{node: 12 h}}}}\n",
                              interval),
                  0, "43200000");
  };
  const JobRow best = row_of(text(""));
  ASSERT_TRUE(best.failures.has_value());
  EXPECT_NEAR(best.failures->best_interval.value() / 1570.2, 1, 0.05); // from a thousand failures
  EXPECT_EQ(best.failures->interval, best.failures->best_interval);
  const Seconds work{43200000}, save{60}, restart{180}, mtbf{21600};
  for (const double interval : {400.0, 1600.0, 6400.0}) {
    const JobRow row = row_of(text(fmt::format("interval: {} s, ", interval)));
    EXPECT_NEAR(row.finish / daly_time(work, Seconds{interval}, save, restart, mtbf), 1, 0.02) << interval;
    if (interval != 1600) { // which is the best but for chance
      EXPECT_GT(row.finish, best.finish) << interval;
    }
  }
}

TEST(TrainingFailures, MachinesThatAreNotSimulatedFailToo)
{
  // 32 machines of which a few are simulated, since all do the same; and a spare one. The last one that the job uses
  // stops it, as any other does, and the spare one does not.
  const double alone = row_of(job_of(32, "{mode: all_reduce, collective: ring}", "", 33)).finish.value();
  const auto late = [&](const std::string& machine) {
    const JobRow row = row_of(job_of(32, "{mode: all_reduce, collective: ring}",
                                     saves + ("faults: [\"node:" + machine + "@250s+50s\"]\n"), 33));
    EXPECT_EQ(row.workers, 32);
    return row.finish.value() - alone;
  };
  EXPECT_NEAR(late("box-31"), 105, 1);
  EXPECT_NEAR(late("box-20"), 105, 1);
  EXPECT_NEAR(late("box-32"), 40, 1);
}

TEST(TrainingFailures, WhatTheyCannotHaveIsAnError)
{
  const auto errors_of = [](const std::string& text) {
    Diagnostics diagnostics;
    const Document document = parse_document(text, "failures.yaml", diagnostics);
    check_points(document, diagnostics);
    std::string errors;
    for (const Diagnostic& fault : diagnostics.sorted())
      errors += fault.severity == Severity::error ? fault.message + "\n" : "";
    return errors;
  };
  const std::string copies =
      job_of(1, all_reduce, saves, 2)
          .replace(job_of(1, all_reduce, saves, 2).find("workers: 1"), 10, "workers: 1, copies: 2");
  EXPECT_THAT(errors_of(copies), HasSubstr("failures and checkpoints are simulated of one job here; several jobs share "
                                           "machines in a queue: give them as 'workload'\n"));
  EXPECT_THAT(errors_of(job_of(2, all_reduce, "checkpoints: {elastic: true, interval: 1 h}\n")),
              HasSubstr("jobs that go on with fewer replicas need training.parallel; remove 'elastic' and 'min_dp'\n"));
  EXPECT_THAT(errors_of(job_of(2, all_reduce, "checkpoints: {storage: 1 GB/s}\n")),
              HasSubstr("without failures no interval is best: give 'interval', or failures (faults, --mtbf)\n"));
  EXPECT_THAT(errors_of(job_of(2, all_reduce, "faults: []\ncheckpoints: {storage: 1 GB/s}\n")),
              HasSubstr("without failures no interval is best: give 'interval', or failures (faults, --mtbf)\n"));
  EXPECT_THAT(errors_of(job_of(2, all_reduce, "faults: {mtbf: {node: 1 h}}\ncheckpoints: {save: 0 s}\n")),
              HasSubstr("of checkpoints that take no time no interval is best: give 'interval', or a longer 'save'\n"));
  EXPECT_THAT(errors_of(job_of(2, all_reduce, "faults: [\"process:train/worker-7@1h\"]\n")),
              HasSubstr("train/worker-7"));
  EXPECT_THAT(errors_of(job_of(2, all_reduce, "faults: [\"storage@1h+1h\"]\n")),
              HasSubstr("a failure of storage is not simulated for training jobs"));
}

} // namespace
} // namespace trainyard
