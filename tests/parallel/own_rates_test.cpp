// SPDX-License-Identifier: Apache-2.0
/// A scenario with measured rates of its own: what changes, by hand.
#include "models/hardware/measured_rates.hpp"
#include "models/scenario/calibrated.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "tests/import/import_support.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder with a file of rates.
class OwnRates : public testing::Test
{
protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string text(const std::string& rates, const std::string& gpu = "H100-SXM5")
  {
    if (!rates.empty())
      std::ofstream{folder_ / "box.yaml"} << "name: box\n" << rates << "source: \"simcal\"\n";
    return fmt::format(
        "trainyard: 1\nname: d\nquestion: how fast?\n{}framework: {{name: pytorch, cuda_graphs: "
        "true}}\ncluster:\n  node_types: {{n: {{gpu: {}, gpus: 8}}}}\n  nodes: [{{name: n, type: n, count: "
        "1}}]\n  network: {{topology: rail, link: IB-NDR}}\njobs:\n  - {{name: a, model: llama2_7b, "
        "precision: bf16, training: {{parallel: {{tp: 8, micro_batch: 1, global_batch: 1}}}}}}\n"
        "run: {{fidelity: closed_form}}\n",
        rates.empty() ? "" : "measured_rates: box.yaml\n", gpu);
  }

  ParallelJob job_of(const std::string& scenario)
  {
    Diagnostics diagnostics;
    const Document document = parse_document(scenario, (folder_ / "d.yaml").string(), diagnostics);
    auto points = check_points(document, diagnostics);
    diagnostics.throw_if_errors();
    const Scenario& checked = points.front().scenario;
    ParallelJob job = parallel_job(checked, checked.jobs.front(), calibrated(tests::catalogue(), checked), diagnostics);
    diagnostics.throw_if_errors();
    return job;
  }

  std::string fault(const std::string& scenario)
  {
    try {
      static_cast<void>(job_of(scenario));
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_ = fs::temp_directory_path() / fmt::format("own_rates_{}", ::getpid());
};

TEST_F(OwnRates, OfAttentionChangeTheStepByTheTimeOfAttention)
{
  // Llama 2 7B: 32 layers, 32 heads of 128, 4096 tokens; on 8 ranks 4 heads each. Below the mask one layer has 2 x 2 x
  // 4096^2 / 2 x 4 x 128 flop forward and 2.5 times as many backward; the pass is one micro-batch. The slowest of 8
  // GPUs is expected 1.434 deviations of 1.48 % above the mean (the quantile of 7.625/8.25, Blom 1958).
  const double flop = 2.0 * 4096 * 4096 * 4 * 128;
  const AttentionPoint shipped = [] {
    for (const AttentionPoint& point : measured_rates("H100-SXM5").attention.at("flash"))
      if (point.tokens == 4096)
        return point;
    return AttentionPoint{};
  }();
  const ParallelStep before = parallel_step(job_of(text("")));
  const ParallelStep after = parallel_step(job_of(text(
      "gpus: [H100-SXM5]\nattention: [{kernel: flash, tokens: 4096, forward: 250 TFLOP/s, backward: 200 TFLOP/s}]\n")));
  const double grows =
      32 * flop * (1 / 250e12 - 1 / shipped.forward.value() + 2.5 * (1 / 200e12 - 1 / shipped.backward.value()));
  EXPECT_NEAR((after.step - before.step).value(), 1.02125 * grows, 1e-3 * grows);
}

TEST_F(OwnRates, ReplaceWhatTheyHaveAndLeaveTheRest)
{
  const ParallelJob own =
      job_of(text("gpus: [H100-SXM5]\nproducts: {bf16: 500 TFLOP/s}\nkernel_gap: 2 us\ngrouped: 0.5\n"
                  "all_reduce: [{ranks: 8, size: 1 MiB, bus_bandwidth: 10 GB/s}, {ranks: 8, size: 4 "
                  "MiB, bus_bandwidth: 20 GB/s}]\n"));
  const GpuRates rates = gpu_rates(own.gpu, own.layout, own.transformer, Seconds{10e-6});
  EXPECT_NEAR(rates.linear.flop_per_s, 0.98 * 500e12 / 1.02125, 1e10);
  EXPECT_DOUBLE_EQ(rates.gap, 2e-6);
  EXPECT_DOUBLE_EQ(rates.grouped, 0.5);
  // attention was not measured: the catalogue's
  EXPECT_DOUBLE_EQ(rates.attention_forward,
                   gpu_rates(job_of(text("")).gpu, own.layout, own.transformer, Seconds{}).attention_forward);
  // 4 MiB at 20 GB/s on the bus of 8 ranks: x 2 x 7 / 8
  EXPECT_NEAR(all_reduce_time(own.network, {8, 8}, Bytes{4.0 * 1048576}).value(), 1.75 * 4 * 1048576 / 20e9, 1e-9);
  const MeasuredRates& shipped = measured_rates("H100-SXM5"); // stay as they are
  EXPECT_GT(shipped.products.at("bf16").value(), 700e12);
}

TEST_F(OwnRates, FaultsAreToldAtTheirPlace)
{
  EXPECT_THAT(fault(text("gpus: [A100-SXM4-80GB]\n")),
              HasSubstr("these rates are for A100-SXM4-80GB, the nodes have H100-SXM5"));
  EXPECT_THAT(fault(text("gpus: [H100-SMX5]\n")), HasSubstr("did you mean 'H100-SXM5'?"));
  EXPECT_THAT(fault(text("products: {bf16: 500 TFLOP/s}\n")), HasSubstr("name the GPU of the catalogue"));
  EXPECT_THAT(fault(text("gpus: [H100-SXM5]\nproducts: {bf16: 500}\n")), HasSubstr("box.yaml:3"));
  const std::string scenario = text("gpus: [H100-SXM5]\n");
  fs::remove(folder_ / "box.yaml");
  EXPECT_THAT(fault(scenario), HasSubstr("there is no file 'box.yaml' in the folder of the scenario"));
}

} // namespace
} // namespace trainyard
