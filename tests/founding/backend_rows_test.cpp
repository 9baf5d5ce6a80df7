// SPDX-License-Identifier: Apache-2.0
/// Row N1: which communication library can do what on which device, by year, and what GPUDirect saves.
#include "tests/support/scenario_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::run_scenario;
using tests::ScenarioRun;

ScenarioRun asked(const std::string& transport, const std::string& operation, const std::string& device,
                  const std::string& era = "2019")
{
  return run_scenario("backends",
                      {{"sweep", "{}"},
                       {"era", '"' + era + '"'},
                       {"jobs.0.single_gpu_step", "1 ms"},
                       {"jobs.0.training", "{mode: one_collective, operation: " + operation +
                                               ", transport: " + transport + ", device: " + device + "}"}},
                      false);
}

TEST(FoundingRows, N1_EveryCellOfTheTableOf2019)
{
  const std::vector<std::pair<std::string, std::string>> columns = {{"gloo", "cpu"}, {"gloo", "gpu"}, {"mpi", "cpu"},
                                                                    {"mpi", "gpu"},  {"nccl", "cpu"}, {"nccl", "gpu"}};
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
      {{"broadcast", "all_reduce"}, "yyy?ny"},
      {{"reduce", "all_gather", "barrier"}, "yny?ny"},
      {{"send", "receive", "gather", "scatter"}, "yny?nn"}};
  for (const auto& [operations, answers] : rows)
    for (const std::string& operation : operations)
      for (std::size_t column = 0; column < columns.size(); ++column) {
        const auto& [transport, device] = columns[column];
        const ScenarioRun run = asked(transport, operation, device);
        const std::string what = transport + " " + operation + " " + device + "\n" + run.messages();
        EXPECT_EQ(run.refused(), answers[column] == 'n') << what; // simrun: exit 2
        EXPECT_EQ(run.messages().find("depends on how the library was built") != std::string::npos,
                  answers[column] == '?')
            << what;
      }
}

TEST(FoundingRows, N1_ARefusalNamesTheLibrariesThatCan)
{
  EXPECT_THAT(asked("nccl", "send", "cpu").messages(),
              HasSubstr("transport 'nccl' has no send between CPUs; these can: 'gloo', 'mpi', 'mpi_cray', 'tcp'"));
  EXPECT_THAT(asked("gloo", "reduce", "gpu").messages(), HasSubstr("these can: 'nccl'"));
  EXPECT_THAT(asked("nccl", "gather", "gpu").messages(),
              HasSubstr("no transport of this era supports it between GPUs; write 'device: cpu'"));
  // TCP: everything between CPUs, nothing between GPUs.
  for (const char* operation :
       {"broadcast", "all_reduce", "reduce", "all_gather", "barrier", "send", "receive", "gather", "scatter"}) {
    EXPECT_FALSE(asked("tcp", operation, "cpu").refused()) << operation;
    EXPECT_TRUE(asked("tcp", operation, "gpu").refused()) << operation;
  }
}

TEST(FoundingRows, N1_ALaterEraIsADataFile)
{
  EXPECT_TRUE(asked("nccl", "send", "gpu", "2019").refused());
  EXPECT_FALSE(asked("nccl", "send", "gpu", "2024").refused());
  // Training modes ask the same table.
  const auto training = [](const std::string& mode) {
    return run_scenario("backends", {{"sweep", "{}"}, {"jobs.0.single_gpu_step", "1 ms"}, {"jobs.0.training", mode}},
                        false);
  };
  EXPECT_TRUE(training("{mode: all_reduce, transport: tcp}").refused());
  EXPECT_FALSE(training("{mode: all_reduce, transport: tcp, device: cpu}").refused());
  EXPECT_THAT(training("{mode: parameter_server, servers: 1, transport: nccl}").messages(),
              HasSubstr("transport 'nccl' has no send between CPUs; these can: 'gloo', 'mpi', 'mpi_cray', 'tcp'; "
                        "parameter servers need it"));
}

TEST(FoundingRows, N1_GpuDirectRemovesTheTwoHostCopies)
{
  const ScenarioRun run = run_scenario("backends");
  ASSERT_FALSE(run.refused()) << run.messages();
  const auto time = [&](const std::string& transport) { return run.row("transport=" + transport).step_s.mean; };
  // Before: GPU -> host, all-reduce, host -> GPU, each copy 100 MB over PCIe 3 x16 at 13 GB/s: pinned copies
  // reach 12 to 13 of 15.75.
  EXPECT_NEAR(time("nccl without GPUDirect") - time("nccl"), 2 * 100e6 / 13.04e9, 0.0001);
  const auto copies = [](const std::string& transport) {
    const ScenarioRun one = run_scenario("backends", {{"sweep", "{}"}, {"jobs.0.training.transport", transport}});
    EXPECT_FALSE(one.results.spans.empty()) << transport;
    int copied = 0;
    for (const TraceSpan& span : one.results.spans)
      copied += span.name.find("copy") != std::string::npos ? 1 : 0;
    return copied;
  };
  EXPECT_EQ(copies("nccl"), 0);
  EXPECT_GT(copies("nccl without GPUDirect"), 0);
}

} // namespace
} // namespace trainyard
