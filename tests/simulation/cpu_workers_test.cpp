// SPDX-License-Identifier: Apache-2.0
// Workers on the CPUs of machines without GPUs.
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Jobs of a Tflop on machines of 100 Gflop/s: alone on a machine a step takes 10 s, and a small exchange.
Results on_two_machines(const std::string& jobs)
{
  return simulate(tests::checked_points("trainyard: 1\n"
                                        "cluster:\n"
                                        "  node_types: {box: {cpu_rate: 100 GFLOP/s}}\n"
                                        "  nodes: [{name: box, type: box, count: 2}]\n"
                                        "  network: {bandwidth: 10 GB/s}\n"
                                        "run: {fidelity: fluid}\n"
                                        "jobs:\n" +
                                            jobs,
                                        "cpu.yaml"));
}

std::string job(const std::string& name, int workers, const std::string& more = {})
{
  return fmt::format("  - {{name: {}, model: generic, workers: {}, steps: 3, {}\n"
                     "     training: {{mode: generic, device: cpu, transport: gloo, flop: 1e12, exchange: 1 kB}}}}\n",
                     name, workers, more);
}

TEST(CpuWorkers, DivideTheRateOfTheirMachine)
{
  // Two workers: one on each machine, 1e12 / 100e9 = 10 s. Six: three on each, each at a third of the rate, 30 s; the
  // machines are as fast as before, and the efficiency is that of two workers: a third.
  const Results two = on_two_machines(job("j", 2));
  EXPECT_NEAR(two.jobs.front().step_s.mean, 10, 0.05);
  EXPECT_TRUE(texts_of(two.messages, MessageKind::warning).empty());
  EXPECT_THAT(two.jobs.front().bottleneck.text, StartsWith("CPU compute: "));
  const Results six = on_two_machines(job("j", 6));
  EXPECT_NEAR(six.jobs.front().step_s.mean, 30, 0.15);
  EXPECT_NEAR(six.jobs.front().scaling_efficiency, 1.0 / 3, 0.01);
  ASSERT_EQ(texts_of(six.messages, MessageKind::warning).size(), 1U);
  EXPECT_EQ(texts_of(six.messages, MessageKind::warning).front(),
            "job 'j': 3 workers share the CPUs of box-0; each computes at 1/3 of their rate");
  // Three: two on box-0, which the third waits for.
  EXPECT_NEAR(on_two_machines(job("j", 3)).jobs.front().step_s.mean, 20, 0.1);
}

TEST(CpuWorkers, TakeTheTimeThatIsGiven)
{
  const Results six = on_two_machines(job("j", 6, "single_gpu_step: 7 s,"));
  EXPECT_NEAR(six.jobs.front().step_s.mean, 7, 0.05);
  EXPECT_TRUE(texts_of(six.messages, MessageKind::warning).empty());
}

TEST(CpuWorkers, OfTwoJobsAtTheSameTimeAreNotSlowedAndThatIsSaid)
{
  const Results together = on_two_machines(job("a", 2) + job("b", 2));
  EXPECT_NEAR(together.jobs.front().step_s.mean, 10, 0.05);
  ASSERT_EQ(texts_of(together.messages, MessageKind::warning).size(), 1U);
  EXPECT_THAT(texts_of(together.messages, MessageKind::warning).front(),
              HasSubstr("jobs 'a' and 'b' compute on the CPUs of box-0 at the same time"));
  // One after the other: a has ended after 30 s.
  EXPECT_TRUE(
      texts_of(on_two_machines(job("a", 2) + job("b", 2, "arrival: 1 min,")).messages, MessageKind::warning).empty());
  EXPECT_TRUE(texts_of(on_two_machines(job("a", 1, "nodes: [box-0],") + job("b", 1, "nodes: [box-1],")).messages,
                       MessageKind::warning)
                  .empty());
}

} // namespace
} // namespace trainyard
