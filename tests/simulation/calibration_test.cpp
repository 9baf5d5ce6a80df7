// SPDX-License-Identifier: Apache-2.0
// A scenario that names a calibration: what it changes, how sure the answer is, and what is refused. Expected times by
// hand.
#include "sim/run/simulate.hpp"

#include "models/core/data_folder.hpp"
#include "models/cost/apply_profile.hpp"
#include "models/cost/convolution_share.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/calibrated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <utility>

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
  profile.constants = {constant("transport.gloo.latency", "s", {0, 0, 0}),
                       constant("transport.gloo.efficiency", "1", {0.5, 0.4, 0.625})};
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
         "  - {name: j, model: {name: one_tensor, elements: 2.5e7}, workers: 2, batch_per_gpu: 1, single_gpu_step: 1 "
         "us,\n"
         "     training: {mode: all_reduce, transport: gloo, collective: ring, ring_order: ranks, kernel_wait: 0, "
         "staging_per_GB: 0 s}}\n"
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

/// What is left of a step of @p mean whose constants alone say @p low to @p high, once the error of real traffic is
/// added in squares, as ratios: 12.5 %.
std::pair<double, double> with_traffic(double mean, double low, double high)
{
  const double slower = std::hypot(std::log(high / mean), 0.125), faster = std::hypot(std::log(mean / low), 0.125);
  return {mean * std::exp(-faster), mean * std::exp(slower)};
}

TEST(Calibration, ItsConstantsReplaceTheCataloguesAndItsBarsWidenTheAnswer)
{
  const Outcome outcome = run(link_profile(), scenario());
  ASSERT_FALSE(outcome.errors) << outcome.diagnostics.front().message;
  const JobRow& row = outcome.results.jobs.front();
  EXPECT_NEAR(row.step_s.mean, 0.2, 0.001);
  // e = 0.4 -> 0.25 s, e = 0.625 -> 0.16 s: the one bar, and what real traffic adds: factors of exp(hypot(0.2231,
  // 0.125)) = 1.2915, 0.155 to 0.258 s.
  const auto [low, high] = with_traffic(0.2, 0.16, 0.25);
  EXPECT_NEAR(high, 0.258, 0.001);
  EXPECT_NEAR(row.step_s.high, high, 0.001);
  EXPECT_NEAR(row.step_s.low, low, 0.001);
  EXPECT_NEAR(row.samples_per_second.low, 2 / high, 0.1);
  EXPECT_NEAR(row.samples_per_second.high, 2 / low, 0.1);
  EXPECT_NE(row.provenance_note.text.find("transport gloo measured (calibration 'link' of "), std::string::npos)
      << row.provenance_note.text;
  EXPECT_EQ(outcome.results.run.calibration, "link");
}

TEST(Calibration, WhatTheFileItselfSaysWins)
{
  const Outcome outcome = run(link_profile(), scenario("transports: {gloo: {efficiency: 0.8}}\n"));
  ASSERT_FALSE(outcome.errors) << outcome.diagnostics.front().message;
  const JobRow& row = outcome.results.jobs.front();
  EXPECT_NEAR(row.step_s.mean, 0.125, 0.001);
  EXPECT_NEAR(row.step_s.low, with_traffic(0.125, 0.125, 0.125).first, 0.001); // the calibrated bar no longer matters
  EXPECT_NEAR(row.step_s.high, with_traffic(0.125, 0.125, 0.125).second, 0.001);
}

TEST(Calibration, DoubtsBecomeWarningsOfEveryRun)
{
  Profile profile = link_profile();
  profile.quick = true;
  profile.constants[1].state = "not converged";
  const Outcome outcome = run(profile, scenario());
  ASSERT_EQ(outcome.diagnostics.size(), 2u);
  EXPECT_EQ(outcome.diagnostics[0].message, "calibration 'link': quick: few samples, wide error bars");
  EXPECT_EQ(outcome.diagnostics[1].message, "calibration 'link': transport.gloo.efficiency: not converged");
  EXPECT_EQ(outcome.diagnostics[0].where.line, 2);
}

TEST(Calibration, HowWellAConstantIsKnownThatHasNoEffectIsNotTold)
{
  Profile profile = link_profile();
  profile.constants.push_back(constant("transport.mpi.latency", "s", {1e-6, 1e-6, 1e-6}));
  profile.constants.back().state = "not converged";
  const Outcome outcome = run(profile, scenario());
  ASSERT_EQ(outcome.diagnostics.size(), 1u);
  EXPECT_EQ(outcome.diagnostics[0].message, "calibration 'link': no effect in this scenario: transport.mpi.*");
}

TEST(Calibration, ATransportThatTheModeDoesNotTakeByDefaultHasNoEffect)
{
  // one_collective without a transport is NCCL: what gRPC reached does not matter.
  Profile profile = link_profile();
  profile.constants = {constant("transport.grpc.efficiency", "1", {0.5, 0.4, 0.625}),
                       constant("transport.nccl.efficiency", "1", {0.5, 0.4, 0.625})};
  const fs::path folder = fs::temp_directory_path() / ("calibration_test_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  write_profile(profile, folder / "link.json");
  std::string text = scenario();
  const std::string said = "mode: all_reduce, transport: gloo, collective: ring, ring_order: ranks, kernel_wait: 0, "
                           "staging_per_GB: 0 s";
  text.replace(text.find(said), said.size(), "mode: one_collective");
  Diagnostics diagnostics;
  const Document document = parse_document(text, (folder / "s.yaml").string(), diagnostics);
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors());
  const Scenario& read = points.front().scenario;
  EXPECT_EQ(constants_without_effect(profile, read, read.calibration->applied, {}),
            std::vector<std::string>{"transport.grpc.*"});
}

TEST(Calibration, OfAnotherGpuThanTheNodesHaveIsRefused)
{
  Profile profile = link_profile();
  profile.constants.push_back(constant("gpu.H100-SXM5.rate.fp16", "flop/s", {6e14, 6e14, 6e14}));
  const Outcome outcome = run(profile, scenario());
  ASSERT_TRUE(outcome.errors);
  EXPECT_EQ(outcome.diagnostics.front().message, "calibration 'link' is for H100-SXM5, the nodes have V100-PCIe-16GB; "
                                                 "calibrate a machine with these GPUs, or remove the calibration");
}

TEST(Calibration, AMissingOrForeignFileIsSaid)
{
  std::string text = scenario();
  text.replace(text.find("link.json"), 9, "nothere.json");
  const Outcome missing = run(link_profile(), text);
  ASSERT_TRUE(missing.errors);
  EXPECT_EQ(missing.diagnostics.front().message, "there is no calibration file 'nothere.json' in the folder of the "
                                                 "scenario or in the working folder; simcal --out writes one");

  text = scenario();
  text.replace(text.find("link.json"), 9, "s2.json");
  std::ofstream{fs::temp_directory_path() / ("calibration_test_" + std::to_string(::getpid())) / "s2.json"}
      << "{\"a\": 1}";
  const Outcome foreign = run(link_profile(), text);
  ASSERT_TRUE(foreign.errors);
  EXPECT_EQ(foreign.diagnostics.front().message,
            "this is not a calibration file: it has no 'trainyard_calibration'; simcal writes such files");
}

/// One worker and one server on a network that costs next to nothing; 25e6 elements = 100 MB.
std::string served(const std::string& training, const std::string& job = "", const std::string& type = "")
{
  return "trainyard: 1\n"
         "calibration: link.json\n"
         "cluster:\n"
         "  node_types: {w: {gpu: V100-PCIe-16GB, gpus: 1" +
         type +
         "}, s: {cpu_cores: 2, pcie_bandwidth: 100000 GB/s}}\n"
         "  nodes: [{name: w, type: w, count: 1}, {name: s, type: s, count: 1}]\n"
         "  network: {topology: star, bandwidth: 100000 GB/s, latency: 0 s}\n"
         "transports: {grpc: {latency: 0 s, efficiency: 1, stream_limit: 100 TB/s, endpoint_limit: 100 TB/s, "
         "cpu_time_per_GB: 0 s}}\n"
         "jobs:\n"
         "  - {name: j, model: {name: one_tensor, elements: 2.5e7}, workers: 1, batch_per_gpu: 100, single_gpu_step: 1 "
         "us,\n" +
         job + "     training: {" + training +
         "}}\n"
         "run: {fidelity: fluid}\n";
}

Profile of_constants(std::vector<CalibratedConstant> constants)
{
  Profile profile = link_profile();
  profile.constants = std::move(constants);
  return profile;
}

TEST(Calibration, TheProcessorOfAServerAddsAndUpdatesAtItsMeasuredSpeed)
{
  const Profile profile = of_constants({constant("cpu.aggregate_bandwidth", "B/s", {1e9, 1e9, 1e9}),
                                        constant("cpu.update_bandwidth", "B/s", {0.5e9, 0.4e9, 1e9})});
  // Synchronous: 100 MB added at 1 GB/s, then updated at 0.5 GB/s; PCIe of the worker carries 100 MB twice at 15.75
  // GB/s.
  const std::string free = "pcie_bandwidth: 100000 GB/s";
  const Outcome sync =
      run(profile, served("mode: parameter_server, servers: 1, one_represents_all: 'no'", "", ", " + free));
  ASSERT_FALSE(sync.errors) << sync.diagnostics.front().message;
  EXPECT_NEAR(sync.results.jobs.front().step_s.mean, 0.1 + 0.2, 1e-3);
  EXPECT_NEAR(sync.results.jobs.front().step_s.low, with_traffic(0.3, 0.2, 0.35).first, 1e-3);
  EXPECT_NEAR(sync.results.jobs.front().step_s.high, with_traffic(0.3, 0.2, 0.35).second, 1e-3);
  // Asynchronous: every gradient is applied by itself, nothing is added up.
  const Outcome alone =
      run(profile,
          served("mode: parameter_server, servers: 1, update_rule: async, one_represents_all: 'no'", "", ", " + free));
  ASSERT_FALSE(alone.errors) << alone.diagnostics.front().message;
  EXPECT_NEAR(alone.results.jobs.front().step_s.mean, 0.2, 1e-3);
  // What the job says wins.
  const Outcome said = run(
      profile, served("mode: parameter_server, servers: 1, update_bandwidth: 10 GB/s, aggregate_bandwidth: 10 GB/s, "
                      "one_represents_all: 'no'",
                      "", ", " + free));
  ASSERT_FALSE(said.errors) << said.diagnostics.front().message;
  EXPECT_NEAR(said.results.jobs.front().step_s.mean, 0.02, 1e-3);
  EXPECT_EQ(said.diagnostics.front().message,
            "calibration 'link' has no effect: this scenario uses none of its constants");
}

TEST(Calibration, TheDiskOfANodeFeedsTheInputPipeline)
{
  // 100 samples of 1 MB at 0.5 GB/s, read ahead of a step that takes no time: 0.2 s.
  const Profile profile = of_constants({constant("disk.read_bandwidth", "B/s", {0.5e9, 0.4e9, 1e9}),
                                        constant("disk.write_bandwidth", "B/s", {1e9, 1e9, 1e9}),
                                        constant("transport.mpi.latency", "s", {1e-6, 1e-6, 1e-6})});
  const Outcome outcome =
      run(profile, served("mode: parameter_server, servers: 1, one_represents_all: 'no'",
                          "     input: {source: disk, bytes_per_sample: 1 MB},\n", ", pcie_bandwidth: 100000 GB/s"));
  ASSERT_FALSE(outcome.errors) << outcome.diagnostics.front().message;
  const JobRow& row = outcome.results.jobs.front();
  EXPECT_NEAR(row.step_s.mean, 0.2, 1e-3);
  EXPECT_NEAR(row.step_s.low, with_traffic(0.2, 0.1, 0.25).first, 1e-3);
  EXPECT_NEAR(row.step_s.high, with_traffic(0.2, 0.1, 0.25).second, 1e-3);
  ASSERT_FALSE(outcome.diagnostics.empty());
  EXPECT_EQ(outcome.diagnostics.front().severity, Severity::note);
  EXPECT_EQ(outcome.diagnostics.front().message,
            "calibration 'link': no effect in this scenario: disk.write_bandwidth, transport.mpi.*");
}

TEST(Calibration, CopiesBetweenHostAndGpuTakeTheSlowerDirectionOfPinnedCopies)
{
  const Profile profile =
      of_constants({constant("gpu.V100-PCIe-16GB.copy.host_to_device.pinned.bandwidth", "B/s", {2e9, 2e9, 2e9}),
                    constant("gpu.V100-PCIe-16GB.copy.device_to_host.pinned.bandwidth", "B/s", {1e9, 0.8e9, 1e9}),
                    constant("gpu.V100-PCIe-16GB.copy.host_to_device.pageable.bandwidth", "B/s", {1e6, 1e6, 1e6})});
  // Pull 100 MB to the GPU and push them back, each over PCIe at 1 GB/s: 0.2 s, at 0.8 GB/s 0.25 s.
  const Outcome outcome = run(profile, served("mode: parameter_server, servers: 1, one_represents_all: 'no'"));
  ASSERT_FALSE(outcome.errors) << outcome.diagnostics.front().message;
  EXPECT_NEAR(outcome.results.jobs.front().step_s.mean, 0.2, 1e-3);
  EXPECT_NEAR(outcome.results.jobs.front().step_s.high, with_traffic(0.2, 0.2, 0.25).second, 1e-3);
  EXPECT_EQ(
      outcome.diagnostics.front().message,
      "calibration 'link': no effect in this scenario: gpu.V100-PCIe-16GB.copy.host_to_device.pageable.bandwidth");
}

TEST(Calibration, TrainingOnProcessorsTakesTheMeasuredMatrixRate)
{
  const Profile profile = of_constants({constant("cpu.rate.fp32", "flop/s", {1e12, 0.5e12, 1e12})});
  const std::string text =
      "trainyard: 1\n"
      "calibration: link.json\n"
      "cluster:\n"
      "  node_types: {c: {cpu_cores: 16}}\n"
      "  nodes: [{name: c, type: c, count: 2}]\n"
      "  network: {topology: star, bandwidth: 10 GB/s}\n"
      "jobs:\n"
      "  - {name: j, model: vgg16, workers: 1, batch_per_gpu: 32,\n"
      "     training: {mode: parameter_server, servers: 1, device: cpu, one_represents_all: 'no',\n"
      "                messages_in_flight: 0}}\n"
      "run: {fidelity: fluid}\n";
  const Outcome outcome = run(profile, text);
  ASSERT_FALSE(outcome.errors) << outcome.diagnostics.front().message;
  // 32 images x 3 x 31 Gflop at 1 Tflop/s = 2.97 s; at half the rate twice that. Memory and network add a little.
  EXPECT_NEAR(outcome.results.jobs.front().step_s.mean, 3.1, 0.2);
  EXPECT_NEAR(outcome.results.jobs.front().step_s.high, with_traffic(3.1, 3.1, 6.1).second, 0.3);
}

TEST(ApplyProfile, AMeasuredEfficiencyCountsOverInfiniBandToo)
{
  const auto over_infiniband = [](Provenance provenance, double value) {
    Catalogue catalogue = load_catalogue(data_folder());
    set_constant({AppliedConstant::Of::transport, "nccl", "efficiency", {}, provenance}, value, catalogue.transports,
                 catalogue.gpus);
    return catalogue.transports.at("nccl").settings.number("infiniband_efficiency", 0);
  };
  EXPECT_EQ(over_infiniband(Provenance::measured, 0.9), 0); // as over every link
  // What if the catalogue's 0.92 were a tenth less: 0.994 x 0.9; no more than the line.
  EXPECT_NEAR(over_infiniband(Provenance::data_sheet, 0.828), 0.8946, 1e-12);
  EXPECT_EQ(over_infiniband(Provenance::data_sheet, 1), 1);
}

// One convolution of 256 channels in 128 x 128 tiles, batch 32 of 56 x 56: 784 x 2 tiles fill 98 multiprocessors 16
// times. A pass has 118.4 Gflop: 1.18 ms at 100 Tflop/s, 3.55 ms the three; measured are 4.44.
TEST(ApplyProfile, MeasuredConvolutionsBecomeAShareOfTheirModel)
{
  Catalogue catalogue;
  Gpu gpu;
  gpu.name = "G-1";
  gpu.peak["fp16"] = FlopsPerSecond{100e12};
  gpu.compute_efficiency = 1;
  gpu.memory_bandwidth = BytesPerSecond{100e12}; // never what counts
  gpu.multiprocessors = 98;
  catalogue.gpus["G-1"] = gpu;
  Profile profile;
  profile.constants = {constant("gpu.G-1.rate.fp16", "flop/s", {100e12, 100e12, 100e12}),
                       constant("gpu.G-1.convolution_rate.fp16", "flop/s", {80e12, 76e12, 84e12})};
  const double flop = 2.0 * 32 * 56 * 56 * 256 * 256 * 9;
  for (const char* pass : {"forward", "backward_data", "backward_filter"})
    profile.curves.push_back({.name = std::string{"gpu_conv.fp16."} + pass + ".c256h56w56k256r3s3t1p1q1",
                              .points = {{.size = flop, .median = flop / 80e12}}});
  const std::vector<AppliedConstant> shares = convolution_shares(profile, catalogue, {});
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares.front().field, "convolution_share.fp16");
  EXPECT_NEAR(shares.front().value.value, 0.8, 0.01);
  EXPECT_NEAR(shares.front().value.low, 0.76, 0.01);
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
  std::vector<AppliedConstant> applied = applicable_constants(profile, catalogue);
  ASSERT_EQ(applied.size(), 2u); // not of the unknown GPU
  std::ranges::copy(convolution_shares(profile, catalogue, applied), std::back_inserter(applied));
  ASSERT_EQ(applied.size(), 3u);
  std::map<std::string, Transport> none;
  for (const AppliedConstant& one : applied)
    set_constant(one, one.value.value, none, catalogue.gpus);
  const Gpu& after = catalogue.gpus["G-1"];
  EXPECT_DOUBLE_EQ((after.peak.at("fp16") * after.compute_efficiency).value(), 80e12); // of products
  EXPECT_DOUBLE_EQ(after.convolution_share.at("fp16"), 0.75);                          // without curves: 60 of 80
  EXPECT_DOUBLE_EQ((after.memory_bandwidth * after.memory_efficiency).value(), 0.9e12);
  EXPECT_EQ(measured_gpus(profile), (std::vector<std::string>{"G-1", "Unknown"}));
}

} // namespace
} // namespace trainyard
