// SPDX-License-Identifier: Apache-2.0
// A real Slurm's 200 jobs through the policy `slurm`, with the recorded runs of its schedulers (results/slurm).
#include "tests/support/places.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/read_bytes.hpp"
#include "tests/support/tables.hpp"

#include <gtest/gtest.h>

#include <map>

namespace trainyard {
namespace {

using tests::read_bytes;

std::map<std::string, double> starts_in(const std::filesystem::path& file)
{
  const tests::ReadTable table = tests::csv_table(read_bytes(file));
  std::map<std::string, double> starts;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    starts[table.cell(row, "job")] = std::stod(table.cell(row, "start_s"));
  return starts;
}

TEST(SlurmRecord, EveryJobStartsInTheRunThatStartedItThere)
{
  const std::filesystem::path folder = tests::source_folder() / "results" / "slurm", scenario = folder / "replay.yaml";
  const tests::QueueFolder results{tests::run_queue(read_bytes(scenario), scenario.string())};
  const auto ours = starts_in(results.path() / "jobs.csv"), real = starts_in(folder / "starts.csv");
  ASSERT_EQ(real.size(), 200u);
  for (const auto& [job, start] : real)
    EXPECT_NEAR(ours.at(job), start, 2e-3) << job; // both are written with milliseconds
}

} // namespace
} // namespace trainyard
