// SPDX-License-Identifier: Apache-2.0
// Volcano's queues. All times by hand, from volcano-sh/volcano: pkg/scheduler/plugins/proportion/proportion.go (commit
// 8a56f48), pkg/scheduler/plugins/overcommit, pkg/scheduler/actions/allocate/allocate.go (a9cc4e7),
// preempt/preempt.go (00a7e68) and reclaim/reclaim.go (5a81a27).
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace trainyard {
namespace {

using tests::Times;

struct Cluster {
  int gpus = 8;
  Workload workload;
  Settings settings;

  Cluster& add(const std::string& team, double submit, double duration, int asked, float priority = 0)
  {
    workload.jobs.push_back({.submit = Seconds{submit},
                             .duration = Seconds{duration},
                             .estimate = Seconds{duration},
                             .gpus = asked,
                             .priority = priority});
    workload.jobs.back().team = workload.teams.index_of(team);
    return *this;
  }
  Cluster& set(const std::string& name, const std::string& text)
  {
    settings.set(name, text);
    return *this;
  }
  Cluster& set(const std::string& name, double value)
  {
    settings.set(name, value);
    return *this;
  }
  SchedulingResult run() const
  {
    return simulate_queue(workload, ClusterShape::pool(gpus),
                          *Registry<QueuePolicy>::instance().create("volcano", settings));
  }
  /// -1: never.
  Times starts() const { return tests::start_times(run()); }
  Times ends() const { return tests::end_times(run()); }
  /// How many jobs of the team start at 0.
  int at_once(const std::string& team)
  {
    const Times all = starts();
    int count = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      count += workload.jobs[i].team == workload.teams.index_of(team) && all[i] == 0 ? 1 : 0;
    return count;
  }
};

TEST(VolcanoProportion, SharesByWeight)
{
  // 9 GPUs, both ask for 9: weights 2 and 1 deserve 6 and 3.
  Cluster cluster{.gpus = 9, .workload = {}, .settings = {}};
  cluster.set("weights", "a=2 b=1").set("overcommit", 2);
  for (int i = 0; i < 9; ++i)
    cluster.add("a", 0, 10, 1).add("b", 0, 10, 1);
  EXPECT_EQ(cluster.at_once("a"), 6);
  EXPECT_EQ(cluster.at_once("b"), 3);
}

TEST(VolcanoProportion, WhatOneDoesNotAskForTheOthersDeserve)
{
  // 12 GPUs, weights 1 and 2. First round: 4 for a, 8 for b, which asks for 3 only; the 5 left over go to a: 9.
  Cluster cluster{.gpus = 12, .workload = {}, .settings = {}};
  cluster.set("weights", "a=1 b=2").set("overcommit", 2);
  for (int i = 0; i < 12; ++i)
    cluster.add("a", 0, 10, 1);
  for (int i = 0; i < 3; ++i)
    cluster.add("b", 0, 10, 1);
  EXPECT_EQ(cluster.at_once("a"), 9);
  EXPECT_EQ(cluster.at_once("b"), 3);
}

TEST(VolcanoProportion, AGangLargerThanItsQueueDeservesWaits)
{
  // 8 GPUs; b's 3 are all it asks for, a deserves the other 5 and waits with its gang of 6 until b has ended.
  Cluster cluster;
  cluster.set("weights", "a=1 b=1").add("a", 0, 10, 6).add("b", 0, 10, 3);
  EXPECT_EQ(cluster.starts(), (Times{10, 0}));
}

TEST(VolcanoProportion, KeepsCapabilitiesAndGuarantees)
{
  Cluster capable;
  capable.set("weights", "a=1").set("capabilities", "a=3");
  for (int i = 0; i < 4; ++i)
    capable.add("a", 0, 10, 1);
  EXPECT_EQ(capable.starts(), (Times{0, 0, 0, 10}));
  // 4 of the 8 GPUs are b's, used or not.
  Cluster guaranteed;
  guaranteed.set("weights", "a=1 b=1").set("guarantees", "b=4").add("b", 100, 10, 1);
  for (int i = 0; i < 8; ++i)
    guaranteed.add("a", 0, 10, 1);
  std::ranges::rotate(guaranteed.workload.jobs, guaranteed.workload.jobs.begin() + 1); // in order of submission
  EXPECT_EQ(guaranteed.starts(), (Times{0, 0, 0, 0, 10, 10, 10, 10, 100}));
}

TEST(VolcanoProportion, TeamsWithoutAWeightShareTheDefaultQueue)
{
  // 8 GPUs, weights 1 (a) and 1 (default: b and c together).
  Cluster cluster;
  cluster.set("weights", "a=1").set("overcommit", 3);
  for (int i = 0; i < 8; ++i)
    cluster.add("a", 0, 10, 1).add("b", 0, 10, 1).add("c", 0, 10, 1);
  EXPECT_EQ(cluster.at_once("a"), 4);
  EXPECT_EQ(cluster.at_once("b") + cluster.at_once("c"), 4);
}

TEST(VolcanoEnqueue, LetsInWhatTheClusterCanBearTimesAFactor)
{
  // 8 GPUs, two gangs of 6. With 1.2 only 9.6 GPUs may be asked for: b is let in when a has ended. With 2 both are let
  // in, both deserve 4, and neither ever starts.
  Cluster cluster;
  cluster.set("weights", "a=1 b=1").add("a", 0, 10, 6).add("b", 0, 10, 6);
  EXPECT_EQ(cluster.starts(), (Times{0, 10}));
  cluster.set("overcommit", 2);
  EXPECT_EQ(cluster.starts(), (Times{-1, -1}));
}

TEST(VolcanoAllocate, TakesTheMostImportantJobOfAQueueFirst)
{
  Cluster cluster;
  cluster.add("a", 0, 10, 8).add("a", 1, 10, 8).add("a", 2, 10, 8, 1);
  EXPECT_EQ(cluster.starts(), (Times{0, 20, 10}));
}

TEST(VolcanoPreempt, StopsLessImportantJobsOfTheSameQueue)
{
  // a and b have 4 GPUs each. At 5 a job of a that is more important stops a's other one and runs to 15; that one has
  // 5 s left.
  Cluster cluster;
  cluster.set("weights", "a=1 b=1").set("overcommit", 2);
  cluster.add("a", 0, 10, 4).add("b", 0, 20, 4).add("a", 5, 10, 4, 1);
  EXPECT_EQ(cluster.ends(), (Times{10, 20, 20}));
  cluster.set("preempt", 1);
  EXPECT_EQ(cluster.ends(), (Times{20, 20, 15}));
  // A job of b stops b's: that one has 15 s left, and goes on when a has ended.
  cluster.workload.jobs[2].team = cluster.workload.teams.index_of("b");
  EXPECT_EQ(cluster.ends(), (Times{10, 25, 15}));
}

TEST(VolcanoPreempt, StopsNobodyForAJobThatAFullQueueDoesNotLetIn)
{
  // proportion.go, JobEnqueueable: with what the queue holds, the job asks for more than the whole cluster.
  Cluster cluster{.gpus = 4, .workload = {}, .settings = {}};
  cluster.set("overcommit", 2).set("preempt", 1).add("a", 0, 10, 4).add("a", 5, 10, 4, 1);
  EXPECT_EQ(cluster.ends(), (Times{10, 20}));
}

TEST(VolcanoReclaim, TakesBackWhatAQueueDeserves)
{
  // a has all 8 GPUs. From 5 on both deserve 4, so b stops a's job that came last: 15 of its 20 s are left at 15.
  Cluster cluster;
  cluster.set("weights", "a=1 b=1").set("overcommit", 2);
  cluster.add("a", 0, 20, 4).add("a", 0, 20, 4).add("b", 5, 10, 4);
  EXPECT_EQ(cluster.ends(), (Times{20, 20, 30}));
  cluster.set("reclaim", 1);
  EXPECT_EQ(cluster.ends(), (Times{20, 30, 15}));
}

TEST(VolcanoSettings, AreRefusedWhereTheyContradictTheJobs)
{
  const auto fault = [](const std::string& name, const std::string& text) -> std::string {
    Cluster cluster;
    cluster.set("weights", "a=1").set(name, text).add("a", 0, 1, 1).add("b", 0, 1, 1);
    try {
      cluster.run();
    } catch (const SettingFault& one) {
      return one.key() + ": " + one.what();
    }
    return "";
  };
  EXPECT_EQ(fault("weights", "a"), "weights: 'a' is not team=weight");
  EXPECT_EQ(fault("weights", "a=0"), "weights: the weight of 'a' is not above 0");
  EXPECT_EQ(fault("capabilities", "b=3"), "capabilities: team 'b' has no queue; add it to weights");
  EXPECT_EQ(fault("guarantees", "a=9"), "guarantees: the guarantees add up to more than the GPUs of the cluster");
}

} // namespace
} // namespace trainyard
