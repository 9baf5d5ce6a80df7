// SPDX-License-Identifier: Apache-2.0
#include "models/hardware/catalogue.hpp"

#include "models/cluster/layout.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

const Catalogue& catalogue()
{
  static const Catalogue read = load_catalogue(data_folder());
  return read;
}

TEST(Catalogue, EveryGpuHasRatesMemoryAndASource)
{
  EXPECT_GE(catalogue().gpus.size(), 25U);
  for (const auto& [name, gpu] : catalogue().gpus) {
    EXPECT_FALSE(gpu.source.empty()) << name;
    EXPECT_FALSE(gpu.description.empty()) << name;
    ASSERT_TRUE(gpu.peak.contains("fp32")) << name;
    EXPECT_GT(gpu.peak.at("fp32").value(), 1e12) << name;
    for (const auto& [precision, rate] : gpu.peak) {
      EXPECT_GE(rate, gpu.peak.at("fp32")) << name << " " << precision << ": a lower precision is never slower";
      EXPECT_LT(rate.value(), 2e16) << name << " " << precision;
    }
    EXPECT_GT(gpu.memory.value(), name.starts_with("IPU") ? 8e8 : 7e9) << name; // IPUs have theirs on the chip
    EXPECT_LT(gpu.memory.value(), 300e9) << name;
    EXPECT_GT(gpu.memory_bandwidth.value(), 100e9) << name;
    EXPECT_GT(gpu.power, gpu.idle_power) << name;
    EXPECT_GT(gpu.kernel_launch.value(), 0) << name;
    // "from memory, unverified" alone is not a data sheet
    EXPECT_TRUE(gpu.source != "from memory, unverified" || gpu.provenance == Provenance::assumed) << name;
  }
}

// What torch.mm reached, the most of sizes 1,024 to 10,240 and of the users who sent a figure, in TFLOP/s:
// zzc0721/torch-performance-test-data, database.md @07858687 and its issues 60, 78, 95, 120, 126, 140, 181, 185. On
// GeForce and A10G matrix units add up in fp32 at half their rate, so that nothing else holds them back; boards run
// above the clock of their data sheets, whose peak is the most that the catalogue counts. Runs of one card differ by 7
// %.
TEST(Catalogue, ProductsAreAsFastAsPyTorchsOnEachGpu)
{
  struct Seen {
    const char* gpu;
    const char* precision;
    double tflops;
  };
  const auto seen = std::to_array<Seen>({
      {"RTX-4090", "bf16", 173.3},
      {"RTX-4090", "fp16", 171.1},
      {"RTX-4090", "tf32", 85.7},
      {"RTX-4090", "fp32", 55.0},
      {"RTX-3090", "bf16", 76.7},
      {"RTX-3090", "fp16", 75.9},
      {"RTX-3090", "fp32", 24.8},
      {"RTX-2080-Ti", "fp16", 56.8},
      {"A10G", "bf16", 69.5},
      {"A10G", "tf32", 34.7},
      {"A10G", "fp32", 23.4},
      {"A40", "bf16", 122.3},
      {"A40", "tf32", 59.5},
      {"A40", "fp32", 23.7},
      {"RTX-A6000", "bf16", 123.3},
      {"RTX-A6000", "fp32", 23.9},
      {"L40S", "bf16", 269.2},
      {"L40S", "fp32", 46.9},
      {"L4", "bf16", 70.9},
      {"L4", "tf32", 31.9},
      {"L4", "fp32", 15.4},
      {"T4", "fp16", 42.7},
      {"T4", "fp32", 4.4},
      {"H100-PCIe", "bf16", 495.9},
      {"H100-PCIe", "fp32", 37.0},
      {"H100-PCIe", "tf32", 240.4},
      {"H20", "bf16", 141.9},
      {"H20", "fp32", 32.0},
      {"V100-SXM2-16GB", "fp32", 14.5},
      {"V100S-PCIe", "fp32", 13.6},
      {"P40", "fp32", 10.1},
      {"GTX-1080-Ti", "fp32", 10.1},
      {"P100-SXM2", "fp32", 9.5},
      {"P100-PCIe", "fp32", 8.6},
      {"A100-SXM4-80GB", "bf16", 264.5},
      {"H100-SXM5", "bf16", 797.5},
      {"H100-SXM5", "tf32", 402.2},
      {"H100-SXM5", "fp32", 52.1},
      {"B200-SXM", "bf16", 1696},
  });
  for (const Seen& row : seen) {
    const Gpu& gpu = catalogue().gpus.at(row.gpu);
    const double counted = gpu.peak.at(row.precision).value() * gpu.efficiency(row.precision) / 1e12;
    EXPECT_NEAR(counted / row.tflops, 1, 0.12) << row.gpu << " " << row.precision;
  }
}

// AWS Neuron documentation; ml-engineering; jax-ml/scaling-book, tpus.md; half of AMD's data sheet of both dies; Ajima
// et al., CLUSTER 2018; UALink 200G 1.0: four lanes of 200 Gbit/s.
TEST(Catalogue, OtherAcceleratorsAndTheirNetworksAreAsPublished)
{
  const auto gpu = [](const char* name, const char* format) { return catalogue().gpus.at(name).peak.at(format); };
  EXPECT_EQ(gpu("Trainium1", "bf16").value(), 190e12);
  EXPECT_EQ(gpu("Trainium2", "bf16").value(), 667e12);
  EXPECT_EQ(gpu("Gaudi2", "bf16").value(), 432e12);
  EXPECT_EQ(gpu("TPU-v5p", "bf16").value(), 459e12);
  EXPECT_EQ(gpu("MI250X-GCD", "fp16") * 2, gpu("MI250X", "fp16"));
  EXPECT_EQ(catalogue().gpus.at("MI250X-GCD").memory * 2, catalogue().gpus.at("MI250X").memory);
  EXPECT_EQ(catalogue().links.at("ICI-v4").bandwidth, 45_GBps);
  EXPECT_EQ(catalogue().links.at("Tofu-D").bandwidth, 6.8_GBps);
  EXPECT_EQ(catalogue().links.at("UALink-200G").bandwidth, 100_GBps);
  // 48 cores x 2.2 GHz x 64; 56 cores x 2 GHz x 2,048 flop a cycle of AMX
  EXPECT_NEAR(catalogue().cpus.at("A64FX").peak.at("fp32").value(), 48 * 2.2e9 * 64, 1e10);
  EXPECT_NEAR(catalogue().cpus.at("Xeon-8480+").peak.at("bf16").value(), 56 * 2e9 * 2048, 1e12);
}

TEST(Catalogue, EveryGpuSaysInWhichMachinesItIsSold)
{
  for (const auto& [name, gpu] : catalogue().gpus) {
    const Board& board = gpu.board;
    EXPECT_NE(Registry<NodeLayout>::instance().find(board.intra), nullptr) << name;
    EXPECT_FALSE(board.source.empty()) << name;
    ASSERT_TRUE(catalogue().links.contains(board.pcie)) << name;
    EXPECT_EQ(board.nics > 0, !board.nic.empty()) << name;
    if (board.nic.empty())
      continue;
    // A NIC is not held back by its PCIe link.
    ASSERT_TRUE(catalogue().links.contains(board.nic)) << name;
    EXPECT_GE(catalogue().links.at(board.pcie).bandwidth, catalogue().links.at(board.nic).bandwidth) << name;
  }
  // NVIDIA architecture white papers: generation and number of NVLinks.
  const auto nvlink = [](const char* gpu) {
    const Board& board = catalogue().gpus.at(gpu).board;
    return std::pair{board.nvlink_generation, board.nvlinks};
  };
  EXPECT_EQ(nvlink("P100-SXM2"), std::pair(1, 4));
  EXPECT_EQ(nvlink("V100-SXM2-16GB"), std::pair(2, 6));
  EXPECT_EQ(nvlink("A100-SXM4-80GB"), std::pair(3, 12));
  EXPECT_EQ(nvlink("H100-SXM5"), std::pair(4, 18));
  EXPECT_EQ(nvlink("B200-SXM"), std::pair(5, 18));
}

TEST(Catalogue, LinksAndTransportsAreInTheirRanges)
{
  EXPECT_GE(catalogue().links.size(), 20U);
  for (const auto& [name, link] : catalogue().links) {
    EXPECT_FALSE(link.source.empty()) << name;
    EXPECT_FALSE(link.kind.empty()) << name;
    EXPECT_GT(link.bandwidth.value(), 1e8) << name;
    EXPECT_LE(link.bandwidth.value(), 1e12) << name;
    EXPECT_LT(link.latency.value(), 1e-4) << name;
  }
  for (const auto& [name, transport] : catalogue().transports) {
    EXPECT_FALSE(transport.source.empty()) << name;
    EXPECT_FALSE(transport.description.empty()) << name;
    EXPECT_GT(transport.latency.value(), 0) << name;
    for (const RatePoint& point : transport.rate) {
      EXPECT_GT(point.efficiency, 0) << name;
      EXPECT_LE(point.efficiency, 1) << name;
    }
  }
  // line rates by definition: 10GBASE 1.25 GB/s; EDR 4 x 25 Gbit/s; a tensor between two processes of TensorFlow 0.5
  // GB/s, and 0.16 before its gRPC was replaced (tensorflow issues 6116 and 4498)
  EXPECT_EQ(catalogue().links.at("10GbE").bandwidth, 1.25_GBps);
  EXPECT_EQ(catalogue().links.at("IB-EDR").bandwidth, 12.5_GBps);
  EXPECT_EQ(catalogue().transports.at("grpc").stream_limit, 0.5_GBps);
  EXPECT_EQ(catalogue().transports.at("grpc_2016").stream_limit, 0.16_GBps);
  EXPECT_FALSE(catalogue().transports.at("grpc").gpu_direct);
  EXPECT_TRUE(catalogue().transports.at("nccl").gpu_direct);
}

// The M40 of a container tutorial: 11,443 MiB, of which a TensorFlow process takes 0.95; 61-62 W idle of 250 W.
TEST(Catalogue, M40IsTheOneOfTheTutorial)
{
  const Gpu& m40 = catalogue().gpus.at("M40");
  EXPECT_EQ(m40.memory, Bytes{11443.0 * 1024 * 1024});
  EXPECT_NEAR(m40.idle_power.value(), 61.5, 1);
  EXPECT_EQ(m40.power.value(), 250);
}

std::string cell(const Transport& transport, const std::string& operation, const std::string& device)
{
  const auto found = transport.supports.find({operation, device});
  return found == transport.supports.end() ? "" : found->second;
}

// The back end x device table of 2019: three groups of rows, columns Gloo CPU, Gloo GPU, MPI CPU, MPI GPU, NCCL CPU,
// NCCL GPU.
TEST(Catalogue, Era2019HasTheTableOfItsTime)
{
  Catalogue copy = catalogue();
  copy.use_era("2019");
  const std::map<std::string, std::string> rows{
      {"broadcast", "yes yes yes ? no yes"}, {"all_reduce", "yes yes yes ? no yes"}, {"reduce", "yes no yes ? no yes"},
      {"all_gather", "yes no yes ? no yes"}, {"barrier", "yes no yes ? no yes"},     {"send", "yes no yes ? no no"},
      {"receive", "yes no yes ? no no"},     {"gather", "yes no yes ? no no"},       {"scatter", "yes no yes ? no no"}};
  for (const auto& [operation, expected] : rows) {
    std::string found;
    for (const char* transport : {"gloo", "mpi", "nccl"})
      for (const char* device : {"cpu", "gpu"})
        found += (found.empty() ? "" : " ") + cell(copy.transports.at(transport), operation, device);
    EXPECT_EQ(found, expected) << operation;
  }
  EXPECT_EQ(cell(copy.transports.at("tcp"), "all_reduce", "cpu"), "yes");
  EXPECT_EQ(cell(copy.transports.at("tcp"), "all_reduce", "gpu"), "no");
  // since then NCCL sends and receives
  EXPECT_EQ(cell(catalogue().transports.at("nccl"), "send", "gpu"), "yes");
  EXPECT_THROW(copy.use_era("2109"), std::invalid_argument);
}

/// A copy of the catalogue in which one file is replaced.
class Spoilt
{
public:
  Spoilt(const std::string& file, const std::string& text)
  {
    folder_ =
        fs::temp_directory_path() / ("trainyard-catalogue-" + std::to_string(std::hash<std::string>{}(file + text)));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "models" / "hardware");
    fs::copy(data_folder() / "models" / "hardware" / "catalogue", folder_ / "models" / "hardware" / "catalogue",
             fs::copy_options::recursive);
    std::ofstream{folder_ / "models" / "hardware" / "catalogue" / file} << text;
  }
  ~Spoilt() { fs::remove_all(folder_); }
  Spoilt(const Spoilt&) = delete;
  Spoilt& operator=(const Spoilt&) = delete;

  std::string message() const
  {
    try {
      load_catalogue(folder_);
    } catch (const InputError& error) {
      std::string all;
      for (const Diagnostic& diagnostic : error.diagnostics())
        all += fs::path{diagnostic.where.file}.filename().string() + ":" + std::to_string(diagnostic.where.line) +
               ": " + diagnostic.message + "\n";
      return all;
    }
    return "";
  }

private:
  fs::path folder_;
};

TEST(Catalogue, FaultsNameFileLineAndWayOut)
{
  const Spoilt key{"links/Test.yaml", "name: Test\nkind: ethernet\nbandwith: 1 GB/s\nsource: none\n"};
  EXPECT_NE(key.message().find("Test.yaml:3: "), std::string::npos) << key.message();
  EXPECT_NE(key.message().find("did you mean 'bandwidth'?"), std::string::npos) << key.message();
  const Spoilt unit{"links/Test.yaml", "name: Test\nkind: ethernet\nbandwidth: 1\nsource: none\n"};
  EXPECT_NE(unit.message().find("Test.yaml:3: "), std::string::npos) << unit.message();
  const Spoilt source{"links/Test.yaml", "name: Test\nkind: ethernet\nbandwidth: 1 GB/s\n"};
  EXPECT_NE(source.message().find("source"), std::string::npos) << source.message();
  const Spoilt name{"links/Test.yaml", "name: Text\nkind: ethernet\nbandwidth: 1 GB/s\nsource: none\n"};
  EXPECT_NE(name.message().find("'Test'"), std::string::npos) << name.message();
}

} // namespace
} // namespace trainyard
