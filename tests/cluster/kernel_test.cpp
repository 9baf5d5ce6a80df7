// SPDX-License-Identifier: Apache-2.0
// The kernel's order at one instant, and the book of machines that several users share.
#include "sim/cluster/clock.hpp"
#include "sim/cluster/cluster_state.hpp"
#include "sim/cluster/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace trainyard {
namespace {

using ::testing::ElementsAre;

/// Acts at given instants, in order, and writes it down; may give another source something to do.
class Scripted final : public Source
{
public:
  Scripted(std::string name, std::vector<Instant> instants, std::vector<std::string>& log)
      : name_{std::move(name)}, instants_{std::move(instants)}, log_{log}
  {
  }

  std::optional<Instant> next() const override
  {
    return at_ < instants_.size() ? std::optional{instants_[at_]} : std::nullopt;
  }
  void forward(Instant now) override { forwarded.push_back(now); }
  void act(Instant now) override
  {
    log_.push_back(name_ + " " + std::to_string(now.count()));
    ++at_;
    if (wakes != nullptr)
      wakes->instants_.push_back(Instant{0}); // an instant that has passed: now
    wakes = nullptr;
  }

  Scripted* wakes = nullptr; // once
  std::vector<Instant> forwarded;

private:
  std::string name_;
  std::vector<Instant> instants_;
  std::size_t at_ = 0;
  std::vector<std::string>& log_;
};

TEST(Kernel, SourcesActInTheirOrderAlsoAtTheLastInstant)
{
  // Both are due at 3 and at the end, 5: the first that was added comes first. What is due at 6 is never done.
  std::vector<std::string> log;
  Scripted first{"first", {Instant{3}, Instant{5}}, log}, second{"second", {Instant{3}, Instant{5}, Instant{6}}, log};
  Kernel kernel;
  kernel.add(first);
  kernel.add(second);
  kernel.run(Instant{5});
  EXPECT_THAT(log, ElementsAre("first 3", "second 3", "first 5", "second 5"));
  EXPECT_THAT(first.forwarded, ElementsAre(Instant{3}, Instant{5}, Instant{5})); // and at the end
}

TEST(Kernel, WhatASourceGivesBackAnotherTakesAtTheSameInstant)
{
  // At 7 the second source acts; then the first has something to do that is long due: it acts at 7, not at 0.
  std::vector<std::string> log;
  Scripted first{"first", {}, log}, second{"second", {Instant{7}}, log};
  second.wakes = &first;
  Kernel kernel;
  kernel.add(first);
  kernel.add(second);
  kernel.run(Instant{9});
  EXPECT_THAT(log, ElementsAre("second 7", "first 7"));
  EXPECT_THAT(second.forwarded, ElementsAre(Instant{7}, Instant{9}));
}

TEST(Kernel, SourcesThatNeverComeToRestAreAnError)
{
  class Restless final : public Source
  {
  public:
    std::optional<Instant> next() const override { return Instant{1}; }
    void act(Instant) override {}
  };
  Restless source;
  Kernel kernel;
  kernel.add(source);
  EXPECT_THROW(kernel.run(Instant{2}), std::logic_error);
}

TEST(MachineBook, AMachineThatIsDownHasNothingFreeUntilItIsBack)
{
  // Two machines of 4 GPUs; the first has 2 taken and fails: the 4 of the second are free. What is given back on the
  // failed one counts when it is up again: 8.
  NodePool pool{ClusterShape::machines(2, 4)};
  const TaskShare half{.node = 0, .gpu_mask = 0b0011};
  pool.take(half);
  EXPECT_EQ(pool.whole_free(), 6);
  EXPECT_EQ(pool.free_milli(), 6000);
  pool.set_up(0, false);
  EXPECT_EQ(pool.whole_free(), 4);
  EXPECT_EQ(pool.free_milli(), 4000);
  pool.give(half);
  EXPECT_EQ(pool.whole_free(), 4);
  EXPECT_EQ(pool.free_milli(), 4000);
  pool.set_up(0, true);
  EXPECT_EQ(pool.whole_free(), 8);
  EXPECT_EQ(pool.free_milli(), 8000);
  EXPECT_THROW(pool.give(half), std::logic_error); // more than there is
}

TEST(MachineBook, OfEquallyFullGpusTheLowestIsShared)
{
  // GPUs 1 and 2 have 400 thousandths left, 0 and 3 are whole. 300 go to GPU 1; 500 only fit on a whole one, 0.
  NodePool pool{ClusterShape::machines(1, 4)};
  for (const std::uint32_t gpu : {0b0010U, 0b0100U})
    pool.take({.node = 0, .gpu_mask = gpu, .gpu_milli = 600});
  EXPECT_EQ(pool.lowest_gpus(0, {.gpus = 1, .gpu_milli = 300}, true), 0b0010U);
  EXPECT_EQ(pool.lowest_gpus(0, {.gpus = 1, .gpu_milli = 500}, true), 0b0001U);
}

TEST(MachineBook, WhatIsJustEnoughFits)
{
  const NodePool pool{ClusterShape::machines(1, 2, 8000, 4096)};
  EXPECT_TRUE(pool.fits(0, {.gpus = 2, .cpu_milli = 8000, .memory_mib = 4096}));
  EXPECT_FALSE(pool.fits(0, {.gpus = 2, .cpu_milli = 8001, .memory_mib = 4096}));
  EXPECT_FALSE(pool.fits(0, {.gpus = 2, .cpu_milli = 8000, .memory_mib = 4097}));
  EXPECT_FALSE(pool.fits(0, {.gpus = 3}));
}

std::unique_ptr<PlacementPolicy> first_fit()
{
  return Registry<PlacementPolicy>::instance().create("first_fit");
}

TEST(MachineBook, AUserHearsWhatOthersGiveBackAndLooksAgain)
{
  // One machine of 2 GPUs for two users. The other one takes both: nothing fits; gives one back: one fits.
  const ClusterShape shape = ClusterShape::machines(1, 2);
  const auto placement = first_fit();
  NodePool pool{shape};
  ClusterState mine{shape, placement.get(), &pool};
  const ResourceRequest one{.task = {.gpus = 1}};
  for (const std::uint32_t gpu : {0b01U, 0b10U})
    pool.take({.node = 0, .gpu_mask = gpu});
  EXPECT_FALSE(mine.gained_elsewhere());
  EXPECT_FALSE(mine.find(one));
  pool.give({.node = 0, .gpu_mask = 0b10});
  EXPECT_TRUE(mine.gained_elsewhere());
  EXPECT_FALSE(mine.gained_elsewhere()); // since it was asked last
  EXPECT_EQ(mine.find(one).value_or(Allocation{}).shares, (std::vector<TaskShare>{{.node = 0, .gpu_mask = 0b10}}));
}

TEST(MachineBook, ARepairedMachineIsAReasonToLookAgain)
{
  // A task of 3 GPUs needs the machine of 4, which is down, and comes back; the two others have 2 each.
  ClusterShape shape = ClusterShape::machines(3, 2);
  shape.nodes[2].gpus = 4;
  const auto placement = first_fit();
  ClusterState cluster{shape, placement.get()};
  const ResourceRequest three{.task = {.gpus = 3}};
  cluster.set_up(2, false);
  EXPECT_EQ(cluster.free_gpus_of_type(0), 4);
  EXPECT_FALSE(cluster.find(three));
  cluster.set_up(2, true);
  EXPECT_EQ(cluster.free_gpus_of_type(0), 8);
  EXPECT_TRUE(cluster.find(three));
}

TEST(MachineBook, AnEmptyGpuHoldsAsManyTasksAsItsShareAllows)
{
  // One GPU: two tasks of 500 thousandths or three of 300, not three of 400.
  const ClusterShape shape = ClusterShape::machines(1, 1);
  const auto placement = first_fit();
  const ClusterState cluster{shape, placement.get()};
  EXPECT_TRUE(cluster.could_fit({.task = {.gpus = 1, .gpu_milli = 500}, .tasks = 2}));
  EXPECT_TRUE(cluster.could_fit({.task = {.gpus = 1, .gpu_milli = 300}, .tasks = 3}));
  EXPECT_FALSE(cluster.could_fit({.task = {.gpus = 1, .gpu_milli = 400}, .tasks = 3}));
}

TEST(Clock, NumbersAreExactToTheLastDigit)
{
  EXPECT_EQ(exact_text(1500, 3), "1.500");
  EXPECT_EQ(exact_text(5, 3), "0.005");
  EXPECT_EQ(exact_text(0, 3), "0.000");
  EXPECT_EQ(exact_text(-42, 1), "-4.2");
  EXPECT_EQ(exact_text(7, 0), "7");
  EXPECT_EQ(clock_text(Seconds{2 * 86400 + 12 * 3600 + 4 * 60 + 10.9}), "day 3 12:04:11");
}

} // namespace
} // namespace trainyard
