// SPDX-License-Identifier: Apache-2.0
#include "sim/study/calibrate.hpp"

#include "models/core/diagnostics.hpp"
#include "models/results/model_error.hpp"
#include "models/scenario/document.hpp"
#include "sim/run/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace trainyard {
namespace {

/// One GPU without a host that waits: its kernels are the whole step.
Document on_v100(const std::string& job, const std::string& more = {})
{
  Diagnostics diagnostics;
  Document document = parse_document("trainyard: 1\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                                     "  nodes: [{name: n, type: n, count: 4}]\n  network: {link: 10GbE}\njobs:\n  - " +
                                         job + "\n" + more,
                                     "file", diagnostics);
  diagnostics.throw_if_errors();
  return document;
}

const char* const alone = "{name: a, model: resnet50, batch_per_gpu: 64, host_per_operator: 0 s, workers: 1}";

std::vector<MeasuredRow> measured(const std::string& text)
{
  return measured_rows_of(text, [](const std::string& name) { return name; });
}

CalibrationByRows fitted(const std::string& job, const std::string& text)
{
  const std::vector<MeasuredRow> rows = measured(text);
  return calibrate_by_rows(on_v100(job), rows, PointEvaluator{});
}

double by_names(const std::string& job)
{
  return fitted(job, "step_time=1 s").rows.front().before;
}

// A normal error of the kernels' rate of width s and one of the row of width r: the best guess of the rate takes
// s^2 / (s^2 + r^2) of the logarithm that the row is off.
TEST(CalibrateByRows, AStepThatOnlyKernelsDecideMovesThemAsFarAsTheyAreUncertain)
{
  const double before = by_names(alone), measured = before * 1.3;
  const ModelError& names = model_errors().of({"all_reduce names", 0});
  const double s = std::log(names.high_80 / names.low_80) / 2 / 1.2816, r = names.own;
  const CalibrationByRows result = fitted(alone, fmt::format("step_time={} s", measured));
  ASSERT_EQ(result.moved.size(), 1U);
  EXPECT_EQ(result.moved.front().name, "V100-SXM2-16GB: kernels");
  EXPECT_NEAR(result.moved.front().factor, std::pow(1 / 1.3, s * s / (s * s + r * r)), 0.01);
  EXPECT_NEAR(result.rows.front().after, before * std::pow(1.3, s * s / (s * s + r * r)), before * 0.01);
  EXPECT_LT(result.moved.front().low, result.moved.front().factor);
  EXPECT_GT(result.moved.front().high, result.moved.front().factor);
  EXPECT_TRUE(result.rows.front().explained);
}

TEST(CalibrateByRows, TheFileGivesTheStepThatWasFitted)
{
  const double before = by_names(alone);
  CalibrationByRows result = fitted(alone, fmt::format("step_time={} s", before * 1.2));
  result.profile.name = "fitted";
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "calibrate_by_rows_test.json";
  write_profile(result.profile, file);
  const std::vector<MeasuredRow> again = measured("step_time=1 s");
  const CalibrationByRows used =
      calibrate_by_rows(on_v100(alone, "calibration: " + file.string() + "\n"), again, PointEvaluator{});
  EXPECT_NEAR(used.rows.front().before, result.rows.front().after, 1e-6 * before);
  EXPECT_TRUE(doubts(result.profile, utc_now()).empty());
  // The row tells about the GPU alone: other steps of one GPU have its interval, a step over the network that of names.
  const auto kind = [&](const std::string& job, Profile profile) {
    write_profile(profile, file);
    Diagnostics diagnostics;
    const Results results =
        simulate(check_points(on_v100(job, "calibration: " + file.string() + "\n"), diagnostics), SimulateOptions{});
    return results.jobs.front().error_kind;
  };
  const std::string other = "{name: a, model: resnet50, batch_per_gpu: 32, host_per_operator: 0 s, workers: 1}";
  EXPECT_EQ(kind(alone, result.profile), "measured"); // this very step
  EXPECT_EQ(kind(other, result.profile), "row all_reduce names one");
  const std::string four = "{name: a, model: vgg16, batch_per_gpu: 1, host_per_operator: 0 s, workers: 4}"; // sends
  EXPECT_EQ(kind(four, result.profile), "all_reduce names rdma");
  Profile unexplained = result.profile;
  unexplained.warnings.emplace_back("no setting explains it");
  EXPECT_EQ(kind(other, unexplained), "all_reduce names one");
  result.profile.program = "simrun 0.0.1";
  EXPECT_EQ(doubts(result.profile, utc_now()).size(), 1U); // of another version
  std::filesystem::remove(file);
}

// Four workers with a tiny batch over 10GbE: nearly all of the step is sent. That tells of other such steps, not of one
// GPU, and of no other network.
TEST(CalibrateByRows, ARowTellsAboutWhatDecidedIt)
{
  const std::string sent = "{name: a, model: vgg16, batch_per_gpu: 1, host_per_operator: 0 s, workers: 4, training: "
                           "{mode: all_reduce}}";
  CalibrationByRows result = fitted(sent, fmt::format("step_time={} s", by_names(sent) * 1.2));
  result.profile.name = "fitted";
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "calibrate_by_rows_network.json";
  write_profile(result.profile, file);
  const auto kind = [&](const std::string& job, const char* link) {
    Document document = on_v100(job, "calibration: " + file.string() + "\n");
    set_path(document, "cluster.network.link", link);
    Diagnostics diagnostics;
    return simulate(check_points(document, diagnostics), SimulateOptions{}).jobs.front().error_kind;
  };
  const std::string three = "{name: a, model: vgg16, batch_per_gpu: 1, host_per_operator: 0 s, workers: 3, training: "
                            "{mode: all_reduce}}";
  EXPECT_EQ(kind(sent, "10GbE"), "measured");
  EXPECT_EQ(kind(three, "10GbE").rfind("row ", 0), 0U);
  EXPECT_NE(kind(three, "25GbE").rfind("row ", 0), 0U);
  EXPECT_EQ(kind(alone, "10GbE"), "all_reduce names one");
  std::filesystem::remove(file);
}

// A data sheet's peak is never exceeded, and no network is faster than its wires.
TEST(CalibrateByRows, ConstantsStayInTheirPhysicalRangeAndTheRowIsNotExplained)
{
  const CalibrationByRows fast = fitted(alone, fmt::format("step_time={} s", by_names(alone) / 50));
  EXPECT_FALSE(fast.rows.front().explained);
  EXPECT_TRUE(fast.moved.front().at_end);
  EXPECT_EQ(fast.profile.warnings.size(), 1U);
}

// Two rows that differ in the number of machines tell the network from the GPU: with the first as predicted, the second
// slower, the network's constants move and the kernels hardly.
TEST(CalibrateByRows, TwoSizesTellTheNetworkFromTheGpu)
{
  const std::string job = "{name: a, model: vgg16, batch_per_gpu: 32, host_per_operator: 0 s, workers: 4, training: "
                          "{mode: all_reduce}}";
  const double one =
                   by_names("{name: a, model: vgg16, batch_per_gpu: 32, host_per_operator: 0 s, workers: 1, training: "
                            "{mode: all_reduce}}"),
               four = by_names(job);
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "calibrate_by_rows_test.csv";
  std::ofstream{file} << "jobs.0.workers,step_time\n1," << one << " s\n4," << four * 1.25 << " s\n";
  const std::vector<MeasuredRow> rows = measured(file.string());
  ASSERT_EQ(rows.size(), 2U);
  const CalibrationByRows result = calibrate_by_rows(on_v100(job), rows, PointEvaluator{});
  double kernels = 1, network = 1;
  for (const MovedConstant& moved : result.moved)
    (moved.name.ends_with("kernels") ? kernels : network) *= moved.factor;
  EXPECT_NEAR(kernels, 1, 0.06);
  EXPECT_NE(network, 1);
  EXPECT_GT(result.rows[1].after, four * 1.12);
  std::filesystem::remove(file);
}

TEST(CalibrateByRows, WhatSaysNothingIsRefused)
{
  for (const char* bad : {"step_time=412", "step_time=0 s", "step_time=-3 ms", "step_time=nan s", "jct=3 h",
                          "no_such=3 s", "step_time", "no_file.csv"})
    EXPECT_THROW(measured(bad), InputError) << bad;
  const std::vector<MeasuredRow> twice{measured("step_time=200 ms").front(), measured("step_time=400 ms").front()};
  EXPECT_THROW(calibrate_by_rows(on_v100(alone), twice, PointEvaluator{}), InputError); // they contradict each other
  // 64 images in 320 ms are 200 a second: the same in other words, and half of it is not.
  const auto with = [](const char* rate) {
    return std::vector{measured("step_time=320 ms").front(), measured(rate).front()};
  };
  EXPECT_NO_THROW(calibrate_by_rows(on_v100(alone), with("throughput=200/s"), PointEvaluator{}));
  EXPECT_THROW(calibrate_by_rows(on_v100(alone), with("throughput=100/s"), PointEvaluator{}), InputError);
  EXPECT_THROW(
      fitted("{name: a, model: resnet50, batch_per_gpu: 64, single_gpu_step: 100 ms, workers: 1}", "step_time=100 ms"),
      InputError); // nothing is left to move
}

} // namespace
} // namespace trainyard
