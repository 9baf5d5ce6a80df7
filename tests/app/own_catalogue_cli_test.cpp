// SPDX-License-Identifier: Apache-2.0
/// A GPU that the catalogue does not list, described by the user.
#include "models/core/data_folder.hpp"

#include "tests/app/small_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::Outcome;
using tests::read_bytes;

struct OwnCatalogue : tests::SmallScenario {
  /// The V100 of the catalogue under another name.
  OwnCatalogue()
  {
    twin = read_bytes(data_folder() / "models/hardware/catalogue/gpus/V100-SXM2-16GB.yaml");
    replace(twin, "name: V100-SXM2-16GB", "name: Twin");
    fs::create_directories(folder / "mine/gpus");
    write("mine/gpus/Twin.yaml", twin);
    std::string scenario = tests::small_scenario;
    replace(scenario, "gpu: V100-SXM2-16GB", "gpu: Twin");
    write("twin.yaml", scenario);
  }

  static void replace(std::string& text, const std::string& from, const std::string& to)
  {
    text.replace(text.find(from), from.size(), to);
  }

  /// The third column of the table of points.
  static std::string rates(const std::string& table)
  {
    std::string found;
    for (std::size_t at = table.find("images/s"); (at = table.find(",", at)) != std::string::npos; ++at)
      found += table.substr(at - 3, 7) + " ";
    return found;
  }

  std::string twin;
};

TEST_F(OwnCatalogue, ItsGpuTrainsAsItsTwinOfTheCatalogueDoes)
{
  const Outcome unknown = shell("simrun twin.yaml --no-files");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown GPU 'Twin'; simrun list gpus shows the catalogue\n"));
  EXPECT_THAT(unknown.err, HasSubstr("into mine/gpus/Twin.yaml and add --catalogue mine:\n  name: Twin\n"));
  const Outcome own = shell("simrun twin.yaml --catalogue mine -o out");
  ASSERT_EQ(own.code, 0) << own.err;
  const Outcome listed = shell("simrun small.yaml --no-files");
  EXPECT_NE(rates(listed.out), "");
  EXPECT_EQ(rates(own.out), rates(listed.out));
  EXPECT_THAT(read_bytes(folder / "out/manifest.json"), HasSubstr("mine/gpus/Twin.yaml"));
  EXPECT_THAT(shell("TRAINYARD_CATALOGUE=mine simrun list gpus").out, HasSubstr("Twin"));
  EXPECT_THAT(shell("simrun list gpus").out, Not(HasSubstr("Twin")));
}

TEST_F(OwnCatalogue, SaysWhatIsWrongWithIt)
{
  EXPECT_THAT(shell("simrun list gpus --catalogue nowhere").err,
              HasSubstr("no folder '" + (folder / "nowhere").string()));
  fs::create_directories(folder / "empty");
  EXPECT_THAT(shell("simrun list gpus --catalogue empty").err, HasSubstr("has none of the folders gpus, cpus, links"));
  replace(twin, "name: Twin", "name: T4");
  write("mine/gpus/T4.yaml", twin);
  const Outcome known = shell("simrun list gpus --catalogue mine");
  EXPECT_EQ(known.code, 2);
  EXPECT_THAT(known.err, HasSubstr("mine/gpus/T4.yaml:1:"));
  EXPECT_THAT(known.err, HasSubstr("the catalogue has 'T4' already; give this one another name"));
}

} // namespace
} // namespace trainyard
