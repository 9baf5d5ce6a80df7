// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "sim/export/exporter.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

TEST(ResultTable, KeepsQuotesCommasAndLineBreaksOfNames)
{
  const fs::path folder = fs::temp_directory_path() / ("result-table-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream{folder / "jobs.csv"} << "policy,job\nfifo,\"the \"\"big\"\", old\n one\"\n";
  const CsvTable table = result_table(folder, "jobs.csv", {"policy", "job"});
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.cell(table.rows[0], "job"), "the \"big\", old\n one");
  EXPECT_THROW(result_table(folder, "jobs.csv", {"start_s"}), InputError);
  EXPECT_THROW(result_table(folder, "runs.csv", {}), InputError);
  fs::remove_all(folder);
}

} // namespace
} // namespace trainyard
