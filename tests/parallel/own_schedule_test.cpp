// SPDX-License-Identifier: Apache-2.0
/// Schedules that a scenario lists, task by task, and stages of different size.
#include "models/parallel/task_list.hpp"
#include "sim/parallel/pipeline.hpp"
#include "sim/parallel/step.hpp"
#include "tests/support/scenario_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TaskLists lists_of(const std::vector<std::string>& stages)
{
  TaskLists lists;
  for (const std::string& stage : stages) {
    std::istringstream words{stage};
    lists.emplace_back();
    for (std::string word; words >> word;)
      lists.back().push_back(read_task(word).value());
  }
  return lists;
}

std::string faults_of(const std::vector<std::string>& stages, int chunks, int micro_batches)
{
  std::string text;
  for (const TaskFault& fault : task_faults(lists_of(stages), chunks, micro_batches))
    text += std::to_string(fault.rank) + "," + std::to_string(fault.task) + ": " + fault.message + "\n";
  return text;
}

TEST(TaskLists, TextsAreReadAsTheyAreWritten)
{
  EXPECT_EQ(read_task("F12"), (PipelineTask{Pass::forward, 0, 12}));
  EXPECT_EQ(read_task("1B0"), (PipelineTask{Pass::backward, 1, 0}));
  EXPECT_EQ(to_text({Pass::weights, 2, 7}, true), "2W7");
  for (const char* text : {"", "F", "X1", "-1F0", "F-1", "F1x", "F99999999999", "1", "F 1"})
    EXPECT_FALSE(read_task(text).has_value()) << text;
}

TEST(TaskLists, EveryFaultHasItsPlace)
{
  EXPECT_EQ(faults_of({"F0 F1 B0 B1", "F0 B0 F1 B1"}, 1, 2), "");
  EXPECT_EQ(faults_of({"F0 B0 B1", "F0 B0 F1 B1"}, 1, 2),
            "0,2: B1 needs F1, which is not before it in this list\n0,-1: rank 0 lacks F1\n");
  EXPECT_EQ(faults_of({"F0 F0 B0"}, 1, 1), "0,1: F0 is there twice\n");
  EXPECT_EQ(faults_of({"F0 1F0 B0 F1"}, 1, 1),
            "0,1: 1F0: the rank has 1 chunk (vp), numbered from 0\n"
            "0,3: F1: a step has 1 micro-batches, numbered from 0 (global_batch / (dp x micro_batch))\n");
  EXPECT_EQ(faults_of({"F0 B0 W0", "F0 B0"}, 1, 1),
            "1,-1: rank 1 lacks W0 (where one task is W, every backward pass has its W)\n");
  // Rank 0 wants micro-batch 1 back before it sent micro-batch 0; rank 1 does 0 first.
  EXPECT_EQ(faults_of({"F1 B1 F0 B0", "F0 B0 F1 B1"}, 1, 2),
            "0,1: the ranks wait for each other for ever: rank 0 stands at B1 and waits for B1 of rank 1\n"
            "1,0: the ranks wait for each other for ever: rank 1 stands at F0 and waits for F0 of rank 0\n");
}

TEST(TaskLists, AListOf1F1BIsThatSchedule)
{
  ParallelLayout layout{.pp = 2, .global_batch = 2};
  layout.own_schedule = std::make_shared<const TaskLists>(lists_of({"F0 F1 B0 B1", "F0 B0 F1 B1"}));
  const auto own = schedule_for(layout);
  EXPECT_EQ(own->tasks(2, 1, 2), Registry<PipelineSchedule>::instance().create("1f1b")->tasks(2, 1, 2));
  EXPECT_NEAR(own->bubble(2, 1, 2, 1, 1, 1), 1.0 / 2, 1e-12); // (p-1)/m
  EXPECT_EQ(own->in_flight(2, 1, 2, 0), 2);
  EXPECT_EQ(own->in_flight(2, 1, 2, 1), 1);
}

std::string told(const std::string& parallel)
{
  return tests::run_scenario("llama3_70b_on_512_h100", {{"jobs.0.training.parallel", parallel}}, false).messages();
}

const std::string shape = "tp: 8, pp: 4, sequence_parallel: true, zero: 1, global_batch: 64"; // dp 16: 4 micro-batches

TEST(ParallelScenarios, SchedulesOfTheUserAreCheckedInTheirPlaces)
{
  const std::string sound =
      "[F0 F1 F2 F3 B0 B1 B2 B3, F0 F1 F2 B0 F3 B1 B2 B3, F0 F1 B0 F2 B1 F3 B2 B3, F0 B0 F1 B1 F2 B2 F3 B3]";
  EXPECT_EQ(told("{" + shape + ", schedule: " + sound + "}"), "");
  EXPECT_THAT(told("{" + shape + ", schedule: [F0 F1 B0 B1, F0 Q1]}"),
              ::testing::AllOf(HasSubstr("'Q1' is no task; write F0, B0 or W0"),
                               HasSubstr("a list for each of the pp = 4 stages is needed; there are 2")));
  std::string other = sound;
  other.replace(other.find("F2 F3"), 5, "F2   ");
  EXPECT_THAT(told("{" + shape + ", schedule: " + other + "}"), HasSubstr("rank 0 lacks F3"));
  EXPECT_THAT(told("{" + shape + ", schedule: zigzag}"), HasSubstr("zigzag"));
}

TEST(ParallelScenarios, SchedulesThatDoNotSuitTheLayoutAreRefused)
{
  EXPECT_THAT(told("{" + shape + ", schedule: zbv}"),
              HasSubstr("zbv has two chunks of layers on each GPU: write vp: 2"));
  EXPECT_THAT(told("{" + shape + ", schedule: dualpipe}"), HasSubstr("at least 2 pp = 8 micro-batches, not 4"));
  EXPECT_THAT(told("{" + shape + ", schedule: gpipe, vp: 2}"), HasSubstr("gpipe has no virtual stages"));
  EXPECT_EQ(told("{tp: 8, pp: 4, vp: 2, sequence_parallel: true, zero: 1, global_batch: 128, schedule: zbv}"), "");
}

TEST(UnevenStages, AreAsTheLayoutSaysOrRefused)
{
  const Transformer& t = *find_transformer("llama3_8b"); // 32 layers
  ParallelLayout layout{.pp = 3, .global_batch = 12};
  std::vector<LayoutFault> faults = layout_faults(layout, t, 0);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults.front().message, HasSubstr("or layers_per_stage: [11, 11, 10]"));
  layout.layers_per_stage = {10, 12, 10};
  EXPECT_TRUE(layout_faults(layout, t, 0).empty());
  EXPECT_EQ(layers_of_chunks(layout, t), (std::vector{10, 12, 10}));
  EXPECT_EQ(to_text(layout), "TP1 PP3 DP1, micro-batch 1, stages of 10, 12, 10");
  // Parameters of the middle stage: 12 layers and nothing else.
  EXPECT_NEAR(rank_parameters(layout, t, 1).dense, 12 * t.layer_parameters(), 1);
  layout.layers_per_stage = {10, 12, 11};
  faults = layout_faults(layout, t, 0);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.front().key, "layers_per_stage");
  EXPECT_THAT(faults.front().message, HasSubstr("3 numbers that add up to 33"));
}

TEST(StagePlaces, AVHasBothEndsOnTheFirstRankAndBothWaysHoldEverythingTwice)
{
  const Transformer& t = *find_transformer("llama3_8b");
  const double words = 1.0 * t.vocabulary * t.hidden; // embedding, and as many for the output
  const double layer = t.layer_parameters();
  ParallelLayout v{.pp = 4, .vp = 2, .global_batch = 8, .schedule = "zbv"};
  EXPECT_EQ(stages_of_rank(v, 0), (std::vector{0, 7}));
  EXPECT_EQ(stages_of_rank(v, 3), (std::vector{3, 4}));
  EXPECT_NEAR(rank_parameters(v, t, 0).dense, 8 * layer + 2 * words + t.hidden, 1); // and the last norm
  EXPECT_NEAR(rank_parameters(v, t, 3).dense, 8 * layer, 1);
  ParallelLayout both{.pp = 4, .global_batch = 8, .schedule = "dualpipe"};
  EXPECT_EQ(stages_of_rank(both, 1), (std::vector{1, 2}));
  double held = 0;
  for (int rank = 0; rank < 4; ++rank)
    held += rank_parameters(both, t, rank).all();
  EXPECT_NEAR(held, 2 * t.parameters(), 1);
}

} // namespace
} // namespace trainyard
