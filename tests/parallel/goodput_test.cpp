// SPDX-License-Identifier: Apache-2.0
/// Failures and checkpoints of divided transformers: timelines worked by hand, Young's and Daly's formulas.
#include "models/core/data_folder.hpp"
#include "models/core/random.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/parallel/goodput.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard {
namespace {

FailurePlan plan_of(int machines, int installed)
{
  FailurePlan plan;
  plan.interval = Seconds{100};
  plan.all = {.machines = machines, .save = Seconds{10}, .usable = Seconds{10}, .restart = Seconds{25}};
  plan.installed = installed;
  plan.time = Seconds{500};
  return plan;
}

void expect_parts(const Goodput& g, double useful, double saving, double lost, double restarting, double waiting,
                  double fewer)
{
  EXPECT_NEAR(g.useful.value(), useful, 1e-9);
  EXPECT_NEAR(g.saving.value(), saving, 1e-9);
  EXPECT_NEAR(g.lost.value(), lost, 1e-9);
  EXPECT_NEAR(g.restarting.value(), restarting, 1e-9);
  EXPECT_NEAR(g.waiting.value(), waiting, 1e-9);
  EXPECT_NEAR(g.fewer.value(), fewer, 1e-9);
  EXPECT_NEAR(g.time().value(), 500, 1e-9);
  EXPECT_EQ(g.failures, 1);
}

const MachineOutage outage{Seconds{250}, Seconds{300}, 0};

TEST(Goodput, WithoutSpareMachinesTheJobWaitsForTheRepair)
{
  // Trains 0-100, saves to 110, trains to 210, saves to 220, trains to 250: 30 s are lost. Waits to 300, restarts to
  // 325, trains to 425, saves to 435, trains to 500: 200 + 100 + 65.
  expect_parts(goodput_of(plan_of(2, 2), {&outage, 1}), 365, 30, 30, 25, 50, 0);
}

TEST(Goodput, ASpareMachineTakesOver)
{
  // Restarts 250-275, trains to 375, saves to 385, trains to 485, saves to 495, trains to 500: 200 + 100 + 100 + 5.
  expect_parts(goodput_of(plan_of(2, 3), {&outage, 1}), 405, 40, 30, 25, 0, 0);
}

TEST(Goodput, AnElasticJobGoesOnWithFewerReplicas)
{
  // Two replicas of two machines. Restarts with one, 250-275, trains 25 s at half the rate; at 300 the machine is back:
  // saves to 310, restarts to 335, trains to 435, saves to 445, trains to 500: 200 + 12.5 + 100 + 55.
  FailurePlan plan = plan_of(4, 4);
  plan.fewer = {{.machines = 2, .rate = 0.5, .save = Seconds{10}, .usable = Seconds{10}, .restart = Seconds{25}}};
  expect_parts(goodput_of(plan, {&outage, 1}), 367.5, 40, 30, 50, 0, 12.5);
}

TEST(Goodput, QuietTimesAreTurnsOfTrainingAndSaving)
{
  // 11,000 s are 100 turns of 100 s of training and 10 s of saving; then the machine fails, and a spare one takes over:
  // nothing is lost but 25 s for the restart. 1,075 s are left: nine turns and 85 s.
  FailurePlan plan = plan_of(2, 3);
  plan.time = Seconds{12100};
  const MachineOutage late{Seconds{11000}, Seconds{11300}, 0};
  const Goodput g = goodput_of(plan, {&late, 1});
  EXPECT_NEAR(g.useful.value(), 100 * 100 + 9 * 100 + 85, 1e-6);
  EXPECT_NEAR(g.saving.value(), 100 * 10 + 9 * 10, 1e-6);
  EXPECT_NEAR(g.lost.value(), 0, 1e-6);
  EXPECT_NEAR(g.restarting.value(), 25, 1e-6);
}

TEST(Goodput, FewerReplicasHaveTheirOwnSpeedAndCheckpoints)
{
  // One replica on two of three machines does 0.75 of the work, as its batch is smaller; it restarts in 20 s and saves
  // in 5. Restarts 250-270, trains 30 s; at 300 the machine is back: saves to 305, restarts with both, to 330, trains
  // to 430, saves to 440, trains to 500: 200 + 22.5 + 100 + 60.
  FailurePlan plan = plan_of(3, 3);
  plan.fewer = {{.machines = 2, .rate = 0.75, .save = Seconds{5}, .usable = Seconds{5}, .restart = Seconds{20}}};
  expect_parts(goodput_of(plan, {&outage, 1}), 382.5, 35, 30, 45, 0, 7.5);
}

TEST(Goodput, FewerReplicasAreThoseThatTheBatchAllows)
{
  // 12 sequences of replicas of 2 GPUs on machines of 4, so two replicas a machine. Kept, 12 are divided by 6, 4, 3, 2
  // and 1 replicas, on 3, 2, 2, 1 and 1 machines: of equal machines the faster stays. With 4 replicas a step has 3
  // micro-batches instead of 2; gradients and optimiser take no longer, so it is faster than 2/3.
  ParallelJob job;
  job.transformer = *find_transformer("gpt2_small");
  job.gpu = load_catalogue(data_folder()).gpus.at("H100-SXM5");
  job.layout = {.tp = 2, .dp = 6, .global_batch = 12, .keep_batch = true};
  job.network.gpus_per_node = 4;
  job.network.inside = BytesPerSecond{300e9};
  job.network.between = BytesPerSecond{50e9};
  const std::vector<TrainingSize> kept = fewer_replicas(job, 1);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].machines, 2);
  EXPECT_EQ(kept[0].replicas, 4);
  EXPECT_EQ(kept[1].machines, 1);
  EXPECT_EQ(kept[1].replicas, 2);
  ParallelJob four = job;
  four.layout.dp = 4;
  EXPECT_NEAR(kept[0].rate, parallel_step(job).step / parallel_step(four).step, 1e-9); // the same 12 sequences a step
  EXPECT_GT(kept[0].rate, 2.0 / 3);
  EXPECT_EQ(fewer_replicas(job, 3).size(), 1U); // no fewer than 3
  // Two sequences of each replica: 4 of 6 replicas do 4/6 of the work in a step that is a little shorter.
  job.layout.keep_batch = false;
  const std::vector<TrainingSize> scaled = fewer_replicas(job, 1);
  ASSERT_EQ(scaled.size(), 2U);
  four.layout = with_replicas(job.layout, 4);
  EXPECT_EQ(four.layout.global_batch, 8);
  EXPECT_NEAR(scaled[0].rate, 8.0 / 12 * (parallel_step(job).step / parallel_step(four).step), 1e-9);
}

TEST(Goodput, WhatIsWrittenInTheBackgroundCountsWhenItIsThere)
{
  // Stands still for 2 s, and 60 s after its beginning a checkpoint can be used. Trains to 100, copies to 102, usable
  // from 160 on; trains to 202, copies to 204; fails at 250: that one is not there yet, 98 s of 198 are lost... the
  // work at 100 counts: 100 + 100 + 46 = 246 done, 100 kept.
  FailurePlan plan = plan_of(2, 3);
  plan.all.save = Seconds{2};
  plan.all.usable = Seconds{60};
  const Goodput g = goodput_of(plan, {&outage, 1});
  EXPECT_NEAR(g.lost.value(), 146, 1e-9);
  // Restarts to 275, trains to 375, copies to 377, trains to 477, copies to 479, trains to 500.
  EXPECT_NEAR(g.useful.value(), 100 + 100 + 100 + 21, 1e-9);
  EXPECT_NEAR(g.saving.value(), 8, 1e-9);
}

TEST(Goodput, ACheckpointBeginsWhenTheLastOneIsWritten)
{
  // Every 20 s of training, but each takes 30 s to write beside it: they begin at 20, 50, 80 ... 380, and that of 350
  // is complete at 380. The failure at 400 undoes 50 s. Restarts to 425; saves of 20, 50 ... after that.
  FailurePlan plan = plan_of(2, 3);
  plan.interval = Seconds{20};
  plan.all.save = Seconds{};
  plan.all.usable = Seconds{30};
  const MachineOutage late{Seconds{400}, Seconds{450}, 0};
  expect_parts(goodput_of(plan, {&late, 1}), 425, 0, 50, 25, 0, 0);
}

TEST(Goodput, NothingIsLoadedBeforeACheckpointIsWritten)
{
  // 10 of the 25 s of a restart load the checkpoint. Fails at 50: 50 s are lost, restarts to 65, trains to 165, saves
  // to 175; trains to 275, 385 and 495, and saves for 5 s.
  FailurePlan plan = plan_of(2, 3);
  plan.all.load = Seconds{10};
  const MachineOutage early{Seconds{50}, Seconds{300}, 0};
  expect_parts(goodput_of(plan, {&early, 1}), 400, 35, 50, 15, 0, 0);
}

TEST(Goodput, AnElasticJobGrowsFromACheckpointThatIsWritten)
{
  // As above, and checkpoints are written beside the training in 10 s. Trains to 250 with half of it from 275 on; saves
  // of 100 and 200 are there. At 300 it saves, and begins again when that is written, at 310.
  FailurePlan plan = plan_of(4, 4);
  plan.all.save = Seconds{};
  plan.fewer = {{.machines = 2, .rate = 0.5, .save = {}, .usable = Seconds{10}, .restart = Seconds{25}}};
  // Restarts to 335; trains 165 s: 200 + 12.5 + 165.
  expect_parts(goodput_of(plan, {&outage, 1}), 377.5, 10, 50, 50, 0, 12.5);
}

TEST(Goodput, WhoeverIsNotRepairedStopsAJobWithoutSpareMachines)
{
  const MachineOutage forever{Seconds{250}, Seconds{INFINITY}, 0};
  EXPECT_EQ(goodput_of(plan_of(2, 2), {&forever, 1}).blocked_by, 0U);
  EXPECT_FALSE(goodput_of(plan_of(2, 3), {&forever, 1}).blocked_by);
  EXPECT_FALSE(goodput_of(plan_of(2, 2), {&outage, 1}).blocked_by);
  // With one machine of two that are repaired late, and one never: the second one is named.
  const MachineOutage both[] = {{Seconds{100}, Seconds{200}, 1}, {Seconds{150}, Seconds{INFINITY}, 0}};
  EXPECT_EQ(goodput_of(plan_of(2, 2), both).blocked_by, 1U);
}

TEST(Goodput, IsDalysAndTheBestIntervalIsYoungs)
{
  // With a mean time M between failures, a save of C and an interval T, T seconds of work take M (exp((T + C)/M) - 1)
  // (Daly 2006, eq. 10 without restarts). M = 6 h, C = 60 s: Young's interval is sqrt(2 x 60 x 21600) = 1610 s, and
  // there the goodput is 1610 / (21600 (exp(1670/21600) - 1)) = 0.927.
  FailurePlan plan;
  plan.all.save = plan.all.usable = Seconds{60};
  plan.installed = 2;
  const double mtbf = 21600;
  std::vector<MachineOutage> outages;
  RandomStream draw{7};
  double time = 0;
  for (int failure = 0; failure < 20000; ++failure) {
    time += draw.exponential(mtbf);
    outages.push_back({Seconds{time}, Seconds{time}, -1});
  }
  plan.time = Seconds{time};
  const Seconds young = young_interval(plan.all.save, Seconds{mtbf});
  EXPECT_NEAR(young.value(), 1609.97, 0.01);
  plan.interval = young;
  const double share = goodput_of(plan, outages).share();
  const double daly = young.value() / (mtbf * (std::exp((young.value() + 60) / mtbf) - 1));
  EXPECT_NEAR(daly, 0.927, 0.001);
  EXPECT_NEAR(share, daly, 0.002);
  const Seconds best = best_interval(plan, outages, young);
  EXPECT_NEAR(best / young, 1, 0.25); // the optimum is flat: a quarter costs a thousandth
  plan.interval = best;
  EXPECT_LT(goodput_of(plan, outages).share() - share, 0.002);
}

TEST(Goodput, CheckpointsAreWrittenOnceByAllRanks)
{
  // Megatron 22B on 8 x 4 x 2 GPUs: 14 B a parameter. Over 25 GB/s of storage the whole counts, over fast storage the
  // share of the fullest rank over its NIC.
  ParallelJob job;
  job.transformer = *find_transformer("megatron_22b");
  job.layout = {.tp = 8, .pp = 4, .dp = 2, .zero = 1, .global_batch = 8};
  job.network.between = BytesPerSecond{50e9};
  const CheckpointTimes slow = checkpoint_times(job, {.shared = 25_GBps, .machine = {}, .process = {}});
  // Norms and router are whole on every tensor-parallel rank, and each end holds the embedding: some percent more.
  EXPECT_NEAR(slow.size.value() / (14 * job.transformer.parameters()), 1, 0.03);
  EXPECT_NEAR(slow.save.value(), slow.size.value() / 25e9, 1e-9);
  const CheckpointTimes fast = checkpoint_times(job, {});
  EXPECT_NEAR(fast.save.value(), fast.written.value() / 50e9, 1e-9);
  EXPECT_GT(fast.written * 64.0, fast.size * 0.99);
  EXPECT_GT(fast.load, fast.save); // all weights, not half of them
}

/// Four workers on a machine each, one server on the fifth; without n of the workers the others do 1 - n/4 of the work.
FailurePlan with_server()
{
  FailurePlan plan = plan_of(5, 5);
  plan.time = Seconds{10000};
  plan.work = Seconds{500};
  plan.processes = JobProcesses{.of_machine = {{0}, {1}, {2}, {3}, {4}},
                                .essential = {true, false, false, false, true},
                                .rate =
                                    [](const std::vector<int>& lost) {
                                      EXPECT_GT(lost.front(), 0); // never asked without the chief or the server
                                      EXPECT_LT(lost.back(), 4);
                                      return 1 - 0.25 * static_cast<double>(lost.size());
                                    },
                                .rejoin = Seconds{20}};
  return plan;
}

TEST(Goodput, AJobEndsWhenItsWorkIsDone)
{
  // 500 s of training, saves of 10 s after 100, 200, 300 and 400.
  const Goodput g = goodput_of(with_server(), {});
  EXPECT_TRUE(g.finished);
  EXPECT_NEAR(g.time().value(), 540, 1e-9);
  FailurePlan never = with_server();
  never.time = Seconds{539};
  EXPECT_FALSE(goodput_of(never, {}).finished);
}

TEST(Goodput, ALostWorkerOfAnAsynchronousJobOnlySlowsIt)
{
  // Worker 1 is away from 250 to the repair at 300, and trains again at 320: 70 s at three quarters, so that 17.5 s
  // are missing. 517.5 s of training have five saves: 567.5.
  const MachineOutage worker{Seconds{250}, Seconds{300}, 1};
  const Goodput g = goodput_of(with_server(), {&worker, 1});
  EXPECT_NEAR(g.time().value(), 567.5, 1e-9);
  EXPECT_NEAR(g.fewer.value(), 17.5, 1e-9);
  EXPECT_NEAR(g.lost.value(), 0, 1e-9);
  ASSERT_EQ(g.effects.size(), 1U);
  EXPECT_FALSE(g.effects[0].stopped);
  EXPECT_NEAR(g.effects[0].until.value(), 320, 1e-9);
}

TEST(Goodput, ALostServerStopsTheJobAndTakesItBackToTheCheckpoint)
{
  // Trains to 100, saves to 110, trains to 210, saves to 220, trains to 250: 230 done, 200 kept. Waits to 300, restarts
  // to 325; the other 300 s with saves after 300 and 400: 325 + 300 + 20.
  const MachineOutage server{Seconds{250}, Seconds{300}, 4};
  const Goodput g = goodput_of(with_server(), {&server, 1});
  EXPECT_NEAR(g.time().value(), 645, 1e-9);
  EXPECT_NEAR(g.lost.value(), 30, 1e-9);
  EXPECT_NEAR(g.waiting.value(), 50, 1e-9);
  EXPECT_TRUE(g.effects.at(0).stopped);
  EXPECT_NEAR(g.effects[0].until.value(), 325, 1e-9);
  // So does the first worker, who writes the checkpoints.
  const MachineOutage chief{Seconds{250}, Seconds{300}, 0};
  EXPECT_NEAR(goodput_of(with_server(), {&chief, 1}).time().value(), 645, 1e-9);
  // A spare machine takes the server: no waiting.
  FailurePlan spare = with_server();
  spare.installed = 6;
  EXPECT_NEAR(goodput_of(spare, {&server, 1}).time().value(), 595, 1e-9);
}

TEST(Goodput, AProcessThatDiesComesBackOnItsMachine)
{
  // Of a worker: 20 s at three quarters, 505 s of training with five saves. Of the server: back to 200 of 230 s, 25 s
  // for the restart.
  const MachineOutage worker{Seconds{250}, Seconds{250}, -1, 2};
  EXPECT_NEAR(goodput_of(with_server(), {&worker, 1}).time().value(), 555, 1e-9);
  const MachineOutage server{Seconds{250}, Seconds{250}, -1, 4};
  EXPECT_NEAR(goodput_of(with_server(), {&server, 1}).time().value(), 540 + 30 + 25, 1e-9);
}

TEST(Goodput, WhereOthersWaitForALostWorkerNothingIsRedone)
{
  // From 250 to 320 nobody trains, and what they have done stays. Saves come after 100 s that are trained or waited: at
  // 320 s, with 230 s done, and after 330, 430 and 500 … of work: one more than without the failure.
  FailurePlan plan = with_server();
  plan.processes->rate = [](const std::vector<int>&) { return 0.0; };
  const MachineOutage worker{Seconds{250}, Seconds{300}, 1};
  const Goodput g = goodput_of(plan, {&worker, 1});
  EXPECT_NEAR(g.lost.value(), 0, 1e-9);
  EXPECT_NEAR(g.waiting.value(), 70, 1e-9);
  EXPECT_NEAR(g.useful.value(), 500, 1e-9);
}

TEST(Goodput, ARackThatFailsStopsTheJobOnce)
{
  // Two of two machines at once, two spare ones: trains to 250 as above, and restarts with the spare ones.
  FailurePlan plan = plan_of(2, 4);
  const std::vector<MachineOutage> rack{{Seconds{250}, Seconds{300}, 0}, {Seconds{250}, Seconds{300}, 1}};
  expect_parts(goodput_of(plan, rack), 405, 40, 30, 25, 0, 0);
}

TEST(Goodput, DalysIntervalIsALittleBelowYoungs)
{
  // C = 60 s, M = 6 h: sqrt(2 x 60 x 21600) = 1610.0; sqrt(60 / 43200) = 0.037268: 1610 (1 + 0.012423 + 0.000154) - 60
  // = 1570.2. Work of M in intervals of 1610 s and without restarts: M (exp(1670/21600) - 1) M / 1610 = 23,294 s.
  EXPECT_NEAR(daly_interval(Seconds{60}, Seconds{21600}).value(), 1570.2, 0.1);
  EXPECT_NEAR(daly_time(Seconds{21600}, Seconds{1610}, Seconds{60}, {}, Seconds{21600}).value(),
              21600 * 0.0803821 * 21600 / 1610, 0.1);
}

} // namespace
} // namespace trainyard
