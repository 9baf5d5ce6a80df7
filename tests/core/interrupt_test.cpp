// SPDX-License-Identifier: Apache-2.0
// Whoever is asked to stop stops: every loop that can run long looks at the flag. Each case would run for hours
// without it, or for ever.
#include "models/core/child.hpp"
#include "models/core/interrupt.hpp"
#include "sim/cluster/event_loop.hpp"
#include "sim/cluster/kernel.hpp"
#include "sim/planning/dag_plan.hpp"
#include "sim/step/engine/step_program.hpp"
#include "tests/support/checked_points.hpp"
#include "tests/support/queue_scenario.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <unistd.h>

namespace trainyard {
namespace {

/// Asked to stop as long as this lives.
struct Asked {
  Asked() { interrupt::asked = true; }
  ~Asked() { interrupt::asked = false; }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
};

class Endless final : public Source
{
public:
  std::optional<Instant> next() const override { return now_; }
  void act(Instant now) override { now_ = now + Instant{1}; }

private:
  Instant now_{};
};

TEST(Interrupt, NobodyAskedNothingHappens)
{
  EXPECT_NO_THROW(check_interrupt());
  const Asked asked;
  EXPECT_THROW(check_interrupt(), Interrupted);
}

TEST(Interrupt, StopsTheKernelAndItsEvents)
{
  const Asked asked;
  Endless source;
  Kernel kernel;
  kernel.add(source);
  EXPECT_THROW(kernel.run(end_of_time - Instant{1}), Interrupted);

  EventLoop loop;
  std::function<void()> again = [&] { loop.after(Instant{1}, again); };
  loop.at(Instant{0}, again);
  EXPECT_THROW(loop.run(end_of_time), Interrupted);
}

TEST(Interrupt, StopsTheSearchForPlans)
{
  DagProblem problem;
  problem.capacity = {1};
  for (int i = 0; i < 10; ++i)
    problem.jobs.push_back({.gpus = 1, .duration = {Seconds{1.0 + i}}, .predecessors = {}});
  const Asked asked;
  EXPECT_THROW(plan_genetic(problem, {}, {.population = 2, .generations = 2'000'000'000}, Random{1}.stream("plan")),
               Interrupted);
}

TEST(Interrupt, StopsTheWritingOfAStep)
{
  StepProgram program;
  const Asked asked;
  EXPECT_THROW(program.add(Operation{}), Interrupted);
}

TEST(Interrupt, EndsTheChildThatSimulatesTheNetwork)
{
  const Asked asked;
  EXPECT_THROW(in_child([]() -> std::string {
                 for (;;)
                   ::pause();
               }),
               Interrupted);
}

/// Runs a scenario that was checked before somebody asked to stop.
void run_asked(const std::string& text)
{
  const std::vector<CheckedPoint> points = tests::checked_points(text, "q.yaml");
  const Asked asked;
  if (const ScenarioRunner* runner = runner_of(points.front().scenario); runner != nullptr)
    runner->run(points, {});
  else
    simulate(points);
}

TEST(Interrupt, StopsEveryKindOfRun)
{
  const std::string queue = "workload: {jobs: [{name: a, duration: 60 s}]}\n",
                    services = "services: [{name: web, replicas: 1}]\n",
                    retraining = "task_environment: {models: [{name: m, train_time: 1 h, period: 1 d}]}\n",
                    until = "run: {until: 1 d}\n";
  const std::string jobs = "jobs: [{name: r, model: resnet50, batch_per_gpu: 8, workers: 8, training: {mode: "
                           "all_reduce}}]\n";
  for (const std::string& parts : {queue, services + until, retraining + until, queue + services + until,
                                   jobs + "run: {fidelity: fluid}\n", jobs + "run: {fidelity: flow}\n"})
    EXPECT_THROW(run_asked(tests::queue_head + parts), Interrupted) << parts;
}

} // namespace
} // namespace trainyard
