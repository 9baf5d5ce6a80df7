// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_program.hpp"

#include "tests/training/server_fixture.hpp"

#include <array>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// Two workers: each computes after its last step, and marks the end of the step.
void add_step(StepProgram& program, int step)
{
  const int size = 4, begin = static_cast<int>(program.operations.size());
  for (int worker = 0; worker < 2; ++worker) {
    const int compute = begin + 2 * worker;
    SmallList<OperationId> after;
    if (step > 0)
      after = {OperationId{compute - size + 1}};
    program.add(Operation{
        .name = "compute", .work = Compute{Seconds{1}, {}, {}}, .after = after, .step = step, .worker = worker});
    program.add(Operation{.name = "step",
                          .work = StepEnd{step, worker},
                          .after = {OperationId{compute}},
                          .step = step,
                          .worker = worker});
  }
}

StepProgram steps(int count)
{
  StepProgram program;
  for (int step = 0; step < count; ++step)
    add_step(program, step);
  return program;
}

TEST(RepeatedStep, IsWhatWouldHaveBeenMade)
{
  StepProgram program = steps(3);
  ASSERT_TRUE(repeat_last_step(program, std::array{7, 7}));
  EXPECT_EQ(program.operations, steps(7).operations);
}

TEST(RepeatedStep, LeavesOutWorkersThatHaveMadeTheirs)
{
  StepProgram program = steps(3);
  ASSERT_TRUE(repeat_last_step(program, std::array{4, 5}));
  ASSERT_EQ(program.operations.size(), 4 * 4 + 2); // step 4 is that of worker 1 alone: operations 16 and 17
  EXPECT_EQ(program.operations[15].worker, 1);
  EXPECT_EQ(program.operations[16].worker, 1);
  EXPECT_EQ(program.operations[16].after, SmallList<OperationId>{OperationId{15}}); // the end of its step 3
  EXPECT_EQ(program.operations[17].after, SmallList<OperationId>{OperationId{16}});
  EXPECT_EQ(program.operations[17].work, Work{(StepEnd{4, 1})});
}

TEST(RepeatedStep, IsNotAddedWhereTheStepBeforeDiffers)
{
  StepProgram program = steps(3);
  program.operations.back().priority = 1;
  EXPECT_FALSE(repeat_last_step(program, std::array{7, 7}));
  EXPECT_EQ(program.operations.size(), 12U);
}

// What waits for both workers cannot be made once one of them has ended.
TEST(RepeatedStep, IsNotAddedWhereAWorkerThatEndsEarlierIsWaitedFor)
{
  StepProgram program;
  for (int step = 0; step < 3; ++step) { // five operations a step
    const int begin = static_cast<int>(program.operations.size());
    for (int worker = 0; worker < 2; ++worker) {
      const SmallList<OperationId> after =
          step > 0 ? SmallList<OperationId>{OperationId{begin + 2 * worker - 4}} : SmallList<OperationId>{};
      program.add(Operation{
          .name = "compute", .work = Compute{Seconds{1}, {}, {}}, .after = after, .step = step, .worker = worker});
      program.add(Operation{.name = "step",
                            .work = StepEnd{step, worker},
                            .after = {OperationId{begin + 2 * worker}},
                            .step = step,
                            .worker = worker});
    }
    program.add(Operation{.name = "both",
                          .work = Compute{Seconds{1}, {}, {}},
                          .after = {OperationId{begin + 1}, OperationId{begin + 3}},
                          .step = step,
                          .worker = -1});
  }
  StepProgram unequal = program;
  EXPECT_FALSE(repeat_last_step(unequal, std::array{4, 5}));
  EXPECT_EQ(unequal.operations, program.operations); // nothing was added
  EXPECT_TRUE(repeat_last_step(program, std::array{5, 5}));
  EXPECT_EQ(program.operations.size(), 25U);
}

TEST(RepeatedStep, IsNotAddedToTheFirstStep)
{
  StepProgram first = steps(1);
  EXPECT_FALSE(repeat_last_step(first, std::array{7, 7}));
  StepProgram second = steps(2); // the first waits for nothing
  EXPECT_FALSE(repeat_last_step(second, std::array{7, 7}));
}

/// A job on servers: what makes it differ from the plain one.
struct ServerCase {
  const char* name;
  std::vector<std::pair<const char*, const char*>> settings;
  int per_machine = 1;
  double slowest = 0.457; // s that the last worker computes; the others 0.457
};

// Jitter without variation draws nothing, but its steps are made one by one. Those that are copied are the same
// operations, and so take the same time.
TEST(RepeatedStep, OfTheServerProgramIsTheStepThatItWouldHaveMade)
{
  const std::vector<ServerCase> cases{
      {"sync", {{"update_rule", "sync"}}},
      {"async", {{"update_rule", "async"}}},
      {"async, one slow worker", {{"update_rule", "async"}}, 1, 1.2},
      {"bounded, one slow worker", {{"update_rule", "bounded"}, {"staleness", "2"}}, 1, 1.2},
      {"sync after the update", {{"update_rule", "sync"}, {"push", "after_backward"}, {"pull", "after_update"}}},
      {"parts on all servers", {{"update_rule", "sync"}, {"variable_placement", "partitioned"}}},
      {"sums in the machine", {{"update_rule", "sync"}, {"local_aggregation", "host"}}, 2},
  };
  for (const ServerCase& one : cases) {
    test::Fixture f{5, one.per_machine};
    for (int w = 0; w < 3; ++w)
      for (int gpu = 0; gpu < one.per_machine; ++gpu)
        f.add_worker(f.node(w).gpus[static_cast<std::size_t>(gpu)],
                     w == 2 && gpu + 1 == one.per_machine ? one.slowest : 0.457);
    for (const int server : {3, 4})
      f.placement.servers.push_back(f.node(server).host);
    for (const auto& [key, value] : one.settings)
      if (std::string{key} == "staleness")
        f.job.training.settings.set(key, 2);
      else
        f.job.training.settings.set(key, std::string{value});
    const StepProgram copied = f.program(12);
    f.job.jitter.distribution = "normal";
    f.job.jitter.coefficient_of_variation = 0;
    const StepProgram made = f.program(12);
    EXPECT_EQ(copied.operations.size(), made.operations.size()) << one.name;
    EXPECT_TRUE(copied == made) << one.name;
    if (one.slowest < 0.5) { // all make as many steps: it can be copied
      StepProgram few = f.program(6);
      ASSERT_TRUE(repeat_last_step(few, std::vector<int>(f.placement.workers.size(), 12))) << one.name;
      EXPECT_TRUE(few.operations == made.operations) << one.name;
    }
    const double time = f.run(made).end.value();
    EXPECT_NEAR(f.run(copied).end.value(), time, 1e-12 * time) << one.name;
  }
}

} // namespace
} // namespace trainyard
