// SPDX-License-Identifier: Apache-2.0
/// Commands that would take long, or much memory, say so before they start.
#include "tests/support/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::Outcome;

struct Effort : tests::CommandLine {
  Effort()
  {
    write("train.yaml", R"(cluster:
  node_types: {worker: {gpu: V100-SXM2-16GB, gpus: 1, price: 1 $/h}, server: {cpu_cores: 8}}
  nodes: [{name: w, type: worker, count: 4}, {name: s, type: server, count: 2}]
  network: {link: 25GbE}
jobs:
  - {name: train, model: resnet50, workers: 2, training: {mode: parameter_server, servers: 1}}
run: {fidelity: closed_form}
)");
    write("jobs.csv", "submit_s,duration_s,gpus\n0,100,1\n10,50,1\n");
  }
};

TEST_F(Effort, AMillionCandidatesSamplesDesignsOrCopiesAreRefusedWithTheFlagThatStartsThem)
{
  const std::pair<const char*, const char*> cases[] = {
      {"simrun sensitivity train.yaml --samples 1000000000",
       "1,000,000,000 samples, at least 1,000,000,100 simulations: this takes at least "},
      {"simrun compare train.yaml --arch ps:1..1000000 --sync",
       "1,000,000 candidates, at least 2,000,000 simulations: this takes at least "},
      {"simrun plan --trace jobs.csv --node t4x1:1$/h --goal 'makespan < 1 h' --most-nodes 1000000",
       "1,000,000 designs, at least 1,000,000 simulations: this takes at least "},
      {"simrun run train.yaml --set jobs.0.copies=1000000", "1,000,000 copies of jobs: this takes at least "},
  };
  for (const auto& [line, message] : cases) {
    const Outcome run = shell(std::string{line} + " --no-files </dev/null");
    EXPECT_EQ(run.code, 2) << line << run.out << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr(message), HasSubstr(" of memory; "), HasSubstr(", or start it with --yes")))
        << line;
  }
}

TEST_F(Effort, SmallStudiesStartAtOnceAndYesStartsLargeOnes)
{
  EXPECT_THAT(shell("simrun sensitivity train.yaml --samples 20 --no-files </dev/null").err,
              Not(HasSubstr("this takes")));
  const Outcome run =
      shell("timeout -s KILL 1 $SIMRUN sensitivity train.yaml --samples 100000000 --yes --no-files </dev/null");
  EXPECT_THAT(run.err, HasSubstr("note: 100,000,000 samples, at least 100,000,100 simulations: this takes at least"));
  EXPECT_NE(run.code, 2);
}

TEST_F(Effort, ATerminalIsAsked)
{
  if (std::system("command -v script >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "script(1) is not installed";
  const Outcome no = shell(
      "printf 'n\\n' | script -qec \"$SIMRUN compare train.yaml --arch ps:1..1000000 --sync --no-files\" /dev/null");
  EXPECT_THAT(no.out, AllOf(HasSubstr("go on? [y/N]"), HasSubstr("not started; compare fewer")));
}

} // namespace
} // namespace trainyard
