// SPDX-License-Identifier: Apache-2.0
/// What the plots decide before they draw: ticks, units, the lane of the bottleneck.
#include "sim/report/files.hpp"
#include "sim/study/measures.hpp"
#include "tests/report/sample_results.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace trainyard {
namespace {

std::string labels(const PlotAxis& axis, const std::string& measure)
{
  std::string text;
  for (const AxisTick& tick : axis_ticks(axis, parse_measure(measure)))
    text += (text.empty() ? "" : " | ") + tick.label;
  return text;
}

TEST(PlotAxes, TimesAreRoundInOneUnit)
{
  EXPECT_EQ(labels({0, 0.05, false}, "step_time"), "0 ms | 10 ms | 20 ms | 30 ms | 40 ms | 50 ms");
  EXPECT_EQ(labels({0, 95, false}, "makespan"), "0 s | 20 s | 40 s | 60 s | 80 s");
  EXPECT_EQ(labels({0, 3000, false}, "makespan"), "0 min | 10 min | 20 min | 30 min | 40 min | 50 min");
  EXPECT_EQ(labels({0, 36000, false}, "makespan"), "0 h | 2 h | 4 h | 6 h | 8 h | 10 h");
  EXPECT_EQ(labels({30, 7200, true}, "makespan"),
            "0.5 min | 1 min | 2 min | 5 min | 10 min | 20 min | 50 min | 100 min");
  EXPECT_EQ(labels({5, 19, false}, "cost"), "5.00 $/h | 10.00 $/h | 15.00 $/h");
}

// The message "push" of both workers goes on from 0.138 s to 0.191 s with pauses of none: 0.006 s apart and 0.011 s
// long.
TEST(Timeline, ShowsWhenTheTaskOfTheBottleneckWasInUse)
{
  Results results = tests::sample_results();
  const std::string point = results.spans.back().point;
  for (JobRow& row : results.jobs)
    if (row.point == point)
      row.bottleneck.text = "CPU of ps-0: 90 % busy";
  results.links.clear();
  BottleneckLane lane = bottleneck_lane(results, point, "train", Seconds{0.1}, Seconds{0.195});
  EXPECT_EQ(lane.name, "CPU of ps-0");
  ASSERT_EQ(lane.parts.size(), 1U); // its aggregation, cut at the end of the step
  EXPECT_DOUBLE_EQ(lane.parts[0].begin.value(), 0.191);
  EXPECT_DOUBLE_EQ(lane.parts[0].end.value(), 0.195);

  for (JobRow& row : results.jobs)
    row.bottleneck.text = "NIC of worker-1: 98 % busy";
  lane = bottleneck_lane(results, point, "train", Seconds{0.1}, Seconds{0.2});
  ASSERT_EQ(lane.parts.size(),
            1U); // its pushes follow each other without a pause: from 0.138 to 0.138 + 7 x 0.006 + 0.011 s
  EXPECT_DOUBLE_EQ(lane.parts[0].begin.value(), 0.138);
  EXPECT_NEAR(lane.parts[0].end.value(), 0.191, 1e-12);

  // the load of a link says more
  results.links = {{point, "a > b", "NIC of worker-1 (in)", "ethernet", {}, {}, {}, 0.2, 0.2, {}},
                   {point, "b > a", "NIC of worker-1 (out)", "ethernet", {}, {}, {}, 0.4, 0.4, {}}};
  results.link_loads = {{point, "a > b", {{Seconds{0.13}, Seconds{0.14}, 0.9}}},
                        {point, "b > a", {{Seconds{0.11}, Seconds{0.12}, 0.5}, {Seconds{0.12}, Seconds{0.13}, 1}}}};
  lane = bottleneck_lane(results, point, "train", Seconds{0.1}, Seconds{0.2});
  EXPECT_EQ(lane.name, "NIC of worker-1 (out)");
  ASSERT_EQ(lane.parts.size(), 2U);
  EXPECT_EQ(lane.parts[0].load, 0.5);
  EXPECT_EQ(lane.parts[1].load, 1);

  for (JobRow& row : results.jobs)
    row.bottleneck.text = "GPU compute: 80 % of the step"; // in the timeline already
  EXPECT_TRUE(bottleneck_lane(results, point, "train", Seconds{0.1}, Seconds{0.2}).parts.empty());
}

// A quarter of the way on a line, and half of it where each decade is as long: 10 of 1 to 100.
TEST(PlotAxes, SharesAreThoseOfTheAxis)
{
  EXPECT_DOUBLE_EQ((PlotAxis{0, 8}).share(2), 0.25);
  EXPECT_DOUBLE_EQ((PlotAxis{1, 100, true}).share(10), 0.5);
}

TEST(Pictures, ShowTheirMarksAndNothingWithoutPanels)
{
  const std::filesystem::path path =
      std::filesystem::path{::testing::TempDir()} / ("picture-" + std::to_string(::getpid()));
  EXPECT_FALSE(draw({.title = "empty"}, path));
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".svg"));
  Picture picture{.title = "a title", .legend = {series_line(0, "fifo")}, .footer = "the foot"};
  picture.panels.push_back({.title = "a panel", .x = {0, 7200}, .lanes = {"a lane"}});
  picture.panels[0].marks = {box(0, 7200, 0.1, 0.9, okabe_ito[0], 1, "a job"), words(60, 0.5, ink, "a word")};
  picture.events = {{3600, "failure: box-1"}};
  ASSERT_TRUE(draw(picture, path));
  std::ifstream file{path.string() + ".svg"};
  const std::string svg{std::istreambuf_iterator<char>{file}, {}};
  for (const char* text : {"a title", "fifo", "the foot", "a panel", "a lane", "a job", "a word", "failure: box-1"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  for (const char* ending : {".png", ".svg"})
    std::filesystem::remove(path.string() + ending);
}

TEST(Throughput, PanelsOfDifferentSamplesAreDrawn)
{
  Results results = tests::sample_results();
  for (JobRow& row : results.jobs)
    if (row.model == "resnet50")
      row.sample = "sequence";
  const std::filesystem::path path =
      std::filesystem::path{::testing::TempDir()} / ("plot-" + std::to_string(::getpid()));
  EXPECT_TRUE(plot_throughput(results, path));
  for (const char* ending : {".png", ".svg"}) {
    const std::filesystem::path file = path.string() + ending;
    EXPECT_GT(std::filesystem::file_size(file), 5000U);
    std::filesystem::remove(file);
  }
}

} // namespace
} // namespace trainyard
