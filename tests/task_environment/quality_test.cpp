// SPDX-License-Identifier: Apache-2.0
/// How good deployed models are while their data age, with values by hand.
#include "tests/task_environment/environment_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using tests::EnvironmentCase;
using tests::metrics_of;
using tests::plain_environment;

// A need each day from 0 h on, deployed 6 h later: ages go from 24 to 30 h at first (the model at the start has data
// one period old), nine times from 6 to 30 h, and from 6 to 24 h until the end after 240 h.
constexpr double hours = 240;

struct Quality : ::testing::Test {
  std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("quality-" + std::to_string(::getpid()) + ".csv");
  ~Quality() override { std::filesystem::remove(file); }
  EnvironmentMetrics with(const std::string& quality)
  {
    EnvironmentCase environment{plain_environment, {{"task_environment.models.0.quality", quality}}};
    return metrics_of(environment.run());
  }
  EnvironmentMetrics with_table(const std::string& text)
  {
    std::ofstream{file} << text;
    return with("{curve: " + file.string() + "}");
  }
};

// 1 - age / 100 h. The ages' integral is 6 x 27 + 9 x 24 x 18 + 18 x 15 = 4,320 h², so the mean is 1 - 18 / 100.
TEST_F(Quality, FollowsTheLinesOfATable)
{
  const EnvironmentMetrics metrics = with_table("age_h,quality\n0,1\n100,0\n");
  ASSERT_TRUE(metrics.quality);
  EXPECT_NEAR(*metrics.quality, 0.82, 1e-9);
  EXPECT_NEAR(*metrics.lowest_quality, 0.70, 1e-9); // at 30 h
}

// 0.9 up to 12 h, 0.5 from 18 h on, and a line between them. In hours at an age: from 6 to 12 h ten times, from 12 to
// 18 h ten times, from 18 to 24 h ten times, from 24 to 30 h ten times.
TEST_F(Quality, StaysAsItIsBeforeTheFirstRowAndBehindTheLast)
{
  const EnvironmentMetrics metrics = with_table("age_h,quality\n12,0.9\n18,0.5\n");
  EXPECT_NEAR(*metrics.quality, (60 * 0.9 + 60 * 0.7 + 120 * 0.5) / hours, 1e-9);
  EXPECT_NEAR(*metrics.lowest_quality, 0.5, 1e-9);
}

// 2^(-age / 24 h): 24 h / ln 2 x ((0.5 - 0.420448) + 9 x (0.840896 - 0.420448) + (0.840896 - 0.5)) = 145.579 h of 240
// h. With a floor of 0.5 and 0.9 on fresh data: 0.5 + 0.4 x that.
TEST_F(Quality, FallsByAHalfLifeToItsFloor)
{
  EXPECT_NEAR(*with("{half_life: 24 h}").quality, 0.606579, 1e-6);
  const EnvironmentMetrics metrics = with("{half_life: 24 h, fresh: 90 %, floor: 50 %}");
  EXPECT_NEAR(*metrics.quality, 0.5 + 0.4 * 0.606579, 1e-6);
  EXPECT_NEAR(*metrics.lowest_quality, 0.5 + 0.4 * 0.420448, 1e-6);
}

TEST_F(Quality, IsAbsentWithoutACurve)
{
  EnvironmentCase environment{plain_environment};
  EXPECT_FALSE(metrics_of(environment.run()).quality);
}

TEST_F(Quality, SaysWhatIsWrong)
{
  const auto fault = [&](const std::string& quality) -> std::string {
    try {
      with(quality);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(fault("{fresh: 90 %}"), HasSubstr("needs either half_life or curve"));
  EXPECT_THAT(fault("{half_life: 1 h, fresh: 10 %, floor: 50 %}"), HasSubstr("above the quality on fresh data"));
  EXPECT_THAT(fault("{curve: none.csv}"), HasSubstr("there is no file 'none.csv'"));
  std::ofstream{file} << "age_h,quality\n0,1\n0,2\n";
  EXPECT_THAT(fault("{curve: " + file.string() + "}"), HasSubstr(":3: an age in hours from 0 on"));
}

} // namespace
} // namespace trainyard
