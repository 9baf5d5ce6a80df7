// A scenario that names a calibration: what it changes, how sure the answer is, and what is refused. Expected times by hand.
#include "sim/simulation/simulate.hpp"

#include "models/cost/apply_profile.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

CalibratedConstant constant(const std::string& name, const std::string& unit, Bounded value)
{
  CalibratedConstant result;
  result.name = name;
  result.unit = unit;
  result.value = value;
  return result;
}

Profile link_profile()
{
  Profile profile;
  profile.name = "link";
  profile.created = utc_now();
  profile.constants = {constant("transport.gloo.latency", "s", {0, 0, 0}), constant("transport.gloo.efficiency", "1", {0.5, 0.4, 0.625})};
  return profile;
}

/// Two ranks exchange 100 MB over 1 GB/s with next to no computing: 2(n-1)/n S / (e B) = 0.1 s / e.
std::string scenario(const std::string& more = "")
{
  return "trainyard: 1\n"
         "calibration: link.json\n" +
         more +
         "cluster:\n"
         "  node_types: {w: {gpu: V100-PCIe-16GB, gpus: 1}}\n"
         "  nodes: [{name: w, type: w, count: 2}]\n"
         "  network: {topology: star, bandwidth: 1 GB/s, latency: 0 s}\n"
         "jobs:\n"
         "  - {name: j, model: {name: one_tensor, elements: 2.5e7}, workers: 2, batch_per_gpu: 1, single_gpu_step: 1 us,\n"
         "     training: {mode: all_reduce, transport: gloo, collective: ring, ring_order: ranks, kernel_wait: 0}}\n"
         "run: {fidelity: fluid}\n";
}

struct Outcome {
  Results results;
  std::vector<Diagnostic> diagnostics;
  bool errors = false;
};

Outcome run(const Profile& profile, const std::string& text)
{
  const fs::path folder = fs::temp_directory_path() / ("calibration_test_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  write_profile(profile, folder / "link.json");
  Diagnostics diagnostics;
  const Document document = parse_document(text, (folder / "s.yaml").string(), diagnostics);
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  Outcome outcome{{}, diagnostics.sorted(), diagnostics.has_errors()};
  if (!outcome.errors)
    outcome.results = simulate(points);
  return outcome;
}

TEST(Calibration, ItsConstantsReplaceTheCataloguesAndItsBarsWidenTheAnswer)
{
  const Outcome outcome = run(link_profile(), scenario());
  ASSERT_FALSE(outcome.errors) << outcome.diagnostics.front().message;
  const JobRow& row = outcome.results.jobs.front();
  EXPECT_NEAR(row.step_s.mean, 0.2, 0.001);
  // e = 0.4 -> 0.25 s, e = 0.625 -> 0.16 s; the one bar alone is the whole interval.
  EXPECT_NEAR(row.step_s.high, 0.25, 0.001);
  EXPECT_NEAR(row.step_s.low, 0.16, 0.001);
  EXPECT_NEAR(row.samples_per_second.low, 2 / 0.25, 0.1);
  EXPECT_NEAR(row.samples_per_second.high, 2 / 0.16, 0.1);
  EXPECT_NE(row.provenance_note.find("transport gloo measured (calibration 'link' of "), std::string::npos) << row.provenance_note;
  EXPECT_EQ(outcome.results.run.calibration, "link");
}

TEST(Calibration, WhatTheFileItselfSaysWins)
{
  const Outcome outcome = run(link_profile(), scenario("transports: {gloo: {efficiency: 0.8}}\n"));
  ASSERT_FALSE(outcome.errors) << outcome.diagnostics.front().message;
  const JobRow& row = outcome.results.jobs.front();
  EXPECT_NEAR(row.step_s.mean, 0.125, 0.001);
  EXPECT_EQ(row.step_s.low, row.step_s.high); // the calibrated bar no longer matters
}

TEST(Calibration, DoubtsBecomeWarningsOfEveryRun)
{
  Profile profile = link_profile();
  profile.quick = true;
  profile.constants[1].state = "not converged";
  const Outcome outcome = run(profile, scenario());
  ASSERT_EQ(outcome.diagnostics.size(), 2u);
  EXPECT_EQ(outcome.diagnostics[0].message, "calibration 'link': quick: few samples, wide bars");
  EXPECT_EQ(outcome.diagnostics[1].message, "calibration 'link': transport.gloo.efficiency: not converged");
  EXPECT_EQ(outcome.diagnostics[0].where.line, 2);
}

TEST(Calibration, OfAnotherGpuThanTheNodesHaveIsRefused)
{
  Profile profile = link_profile();
  profile.constants.push_back(constant("gpu.H100-SXM5.rate.fp16", "flop/s", {6e14, 6e14, 6e14}));
  const Outcome outcome = run(profile, scenario());
  ASSERT_TRUE(outcome.errors);
  EXPECT_EQ(outcome.diagnostics.front().message,
            "calibration 'link' is of H100-SXM5, the nodes have V100-PCIe-16GB; calibrate such a machine, or leave the calibration out");
}

TEST(Calibration, AMissingOrForeignFileIsSaid)
{
  std::string text = scenario();
  text.replace(text.find("link.json"), 9, "nothere.json");
  const Outcome missing = run(link_profile(), text);
  ASSERT_TRUE(missing.errors);
  EXPECT_EQ(missing.diagnostics.front().message,
            "there is no calibration file 'nothere.json' beside the scenario or in the working folder; simcal --out writes one");

  text = scenario();
  text.replace(text.find("link.json"), 9, "s2.json");
  std::ofstream{fs::temp_directory_path() / ("calibration_test_" + std::to_string(::getpid())) / "s2.json"} << "{\"a\": 1}";
  const Outcome foreign = run(link_profile(), text);
  ASSERT_TRUE(foreign.errors);
  EXPECT_EQ(foreign.diagnostics.front().message, "this is no calibration file: it has no 'trainyard_calibration'; simcal writes one");
}

TEST(ApplyProfile, RatesOfAGpuAreWhatKernelsReach)
{
  Catalogue catalogue;
  Gpu gpu;
  gpu.name = "G-1";
  gpu.peak["fp16"] = FlopsPerSecond{100e12};
  gpu.compute_efficiency = 0.5;
  gpu.memory_bandwidth = BytesPerSecond{1e12};
  gpu.memory_efficiency = 0.8;
  catalogue.gpus["G-1"] = gpu;
  Profile profile;
  profile.constants = {constant("gpu.G-1.rate.fp16", "flop/s", {80e12, 80e12, 80e12}),
                       constant("gpu.G-1.convolution_rate.fp16", "flop/s", {60e12, 60e12, 60e12}),
                       constant("gpu.G-1.memory_bandwidth", "B/s", {0.9e12, 0.9e12, 0.9e12}),
                       constant("gpu.Unknown.rate.fp16", "flop/s", {1, 1, 1})};
  const std::vector<AppliedConstant> applied = applicable_constants(profile, catalogue);
  ASSERT_EQ(applied.size(), 2u); // the convolution rate counts, the unknown GPU does not
  std::map<std::string, Transport> none;
  for (const AppliedConstant& one : applied)
    set_constant(one, one.value.value, none, catalogue.gpus);
  const Gpu& after = catalogue.gpus["G-1"];
  EXPECT_DOUBLE_EQ((after.peak.at("fp16") * after.compute_efficiency).value(), 60e12);
  EXPECT_DOUBLE_EQ((after.memory_bandwidth * after.memory_efficiency).value(), 0.9e12);
  EXPECT_EQ(measured_gpus(profile), (std::vector<std::string>{"G-1", "Unknown"}));
}

} // namespace
} // namespace trainyard
