// SPDX-License-Identifier: Apache-2.0
// Measurements of a GPU as a file in the catalogue's form, and what a layer's products are.
#include "calibrate/layer_products.hpp"
#include "calibrate/rates_file.hpp"
#include "models/core/diagnostics.hpp"
#include "models/hardware/measured_rates.hpp"
#include "tests/support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trainyard::calibrate {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Call>
std::string fault_of(Call call)
{
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LayerProducts, AreThoseOfALayerAfterDivision)
{
  // Llama 3 70B on 8 ranks: heads of 8192 / 64 = 128; 8 heads of queries and one of keys, one of values on a rank:
  // (8 + 2) x 128 = 1280 columns. Gate and projection up: 2 x 28672 / 8 = 7168.
  const LayerSizes layer = read_layer("hidden=8192,ffn=28672,heads=64,kv_heads=8,tokens=4096,tp=8");
  EXPECT_THAT(products_of(layer), ElementsAre(ProductShape{4096, 1280, 8192}, ProductShape{4096, 8192, 1024},
                                              ProductShape{4096, 7168, 8192}, ProductShape{4096, 8192, 3584}));
  // With 4 experts each has a quarter of the tokens, and all four are one call.
  const std::vector<ProductShape> experts = products_of(read_layer("tokens=4096,experts=4"));
  ASSERT_EQ(experts.size(), 6U);
  EXPECT_EQ(experts[4], (ProductShape{1024, 28672, 4096, 4}));
  EXPECT_DOUBLE_EQ(experts[4].flop(), experts[2].flop());
}

TEST(LayerProducts, FaultsNameTheTextAndTheWayOut)
{
  EXPECT_THAT(fault_of([] { static_cast<void>(read_layer("hiden=8192")); }),
              HasSubstr("--layer: unknown key 'hiden'; did you mean 'hidden'?"));
  EXPECT_THAT(fault_of([] { static_cast<void>(read_layer("hidden=many")); }),
              HasSubstr("'hidden=many' needs a whole number from 1 to 1048576"));
  EXPECT_THAT(fault_of([] { static_cast<void>(read_layer("heads=32,tp=5,hidden=4096")); }),
              HasSubstr("tp=5 does not divide heads=32 and ffn=14336"));
  EXPECT_THAT(fault_of([] { static_cast<void>(read_shapes("64x64\n", "s.txt")); }),
              HasSubstr("s.txt: '64x64' is no product; write rows x columns x depth"));
  EXPECT_THAT(fault_of([] { static_cast<void>(read_shapes("# nothing\n", "s.txt")); }),
              HasSubstr("s.txt: there is no product in it"));
  EXPECT_THAT(read_shapes("1x2x3, 4x5x6x7 # twice\n1x2x3\n", "s"),
              ElementsAre(ProductShape{1, 2, 3}, ProductShape{4, 5, 6, 7}));
}

TEST(Rates, WhatWasMeasuredIsWrittenInTheCataloguesFormAndReadBack)
{
  const fs::path folder = fs::temp_directory_path() / ("simcal_rates_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  fs::copy_file(tests::program_folder() / "simcal", folder / "simcal", fs::copy_options::overwrite_existing);
  fs::copy_file(FAKE_GPU_LIBRARY, folder / "libsimcal_cuda.so", fs::copy_options::overwrite_existing);
  const std::string simcal = "cd " + folder.string() + " && ./simcal ";
  ASSERT_EQ(std::system((simcal + "--quick --fresh --quiet --layer tokens=4096,experts=4 --only "
                                  "gpu_products,gpu_attention,gpu_launch,gpu_all_reduce --out box.json")
                            .c_str()),
            0);
  ASSERT_EQ(std::system((simcal + "rates box.json --out box.yaml 2>/dev/null").c_str()), 0);
  const std::map<std::string, MeasuredRates> read = read_measured_rates(folder / "box.yaml");
  ASSERT_EQ(read.size(), 1U);
  ASSERT_TRUE(read.contains("A100-PCIe-40GB"));
  const MeasuredRates& rates = read.at("A100-PCIe-40GB");
  const double middle = 1.002; // of the stand-in's five times, each a thousandth longer than the one before
  EXPECT_NEAR(rates.products.at("bf16").value(), 400e12 / middle, 1e10);
  // four products in one call run at 300 of 400
  EXPECT_NEAR(rates.grouped, 0.75, 1e-3);
  // 512 tokens, tiles of 128: a causal mask leaves 512 / 640 of the rate
  ASSERT_EQ(rates.attention.at("flash").size(), 1U);
  EXPECT_NEAR(rates.attention.at("flash")[0].forward.value(), 0.8 * 500e12 / middle, 1e10);
  EXPECT_NEAR(rates.attention.at("flash")[0].backward.value(), 0.8 * 400e12 / middle, 1e10);
  EXPECT_NEAR(rates.narrow_heads, 0.9, 1e-3);
  EXPECT_NEAR(rates.kernel_gap.value(), 0.8e-6, 1e-9);
  EXPECT_NEAR(rates.graph_gap.value(), 0.4e-6, 1e-9);
  // 20 GB/s of payload over 4 ranks are 2 x 3 / 4 x 20 = 30 GB/s on the bus
  ASSERT_EQ(rates.all_reduce.size(), 2U);
  EXPECT_EQ(rates.all_reduce[0].ranks, 4);
  EXPECT_DOUBLE_EQ(rates.all_reduce[0].size.value(), 4096);
  EXPECT_NEAR(rates.all_reduce[1].bus_bandwidth.value(), 30e9 / middle, 1e7);
  fs::remove_all(folder);
}

TEST(Rates, ACalibrationWithoutAGpuIsRefused)
{
  Profile profile;
  profile.name = "box";
  EXPECT_THAT(fault_of([&] { static_cast<void>(rates_text(profile)); }),
              HasSubstr("calibration 'box' is of no GPU; measure one kind: simcal run --only gpu_gemm,gpu_products"));
  profile.machine.emplace_back("gpu 0 name", "NVIDIA H100 80GB HBM3");
  EXPECT_THAT(fault_of([&] { static_cast<void>(rates_text(profile)); }),
              HasSubstr("has neither products, attention, launches nor all-reduces of the GPU"));
}

} // namespace
} // namespace trainyard::calibrate
