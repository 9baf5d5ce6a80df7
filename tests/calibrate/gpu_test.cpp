// SPDX-License-Identifier: Apache-2.0
// What simcal makes of a GPU, and of one that fails: a copy of the program beside a stand-in for its CUDA library.
#include "models/cost/profile.hpp"
#include "tests/calibrate/answer.hpp"
#include "tests/support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace trainyard::calibrate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// simcal with the stand-in, in a folder of its own; @p fault as FAKE_GPU wants it.
Answer with_gpu(const std::string& fault, const std::string& words = "--only gpu_gemm,gpu_copy,gpu_conv")
{
  const fs::path folder =
      fs::temp_directory_path() / ("simcal_gpu_" + std::to_string(::getpid()) + "_" + (fault.empty() ? "good" : fault));
  fs::create_directories(folder);
  fs::copy_file(tests::program_folder() / "simcal", folder / "simcal", fs::copy_options::overwrite_existing);
  fs::copy_file(FAKE_GPU_LIBRARY, folder / "libsimcal_cuda.so", fs::copy_options::overwrite_existing);
  const fs::path file = folder / "box.json";
  Answer answer = run_shell("FAKE_GPU=" + fault + " " + (folder / "simcal").string() + " --quick --fresh " + words +
                            " --out " + file.string());
  answer.file = file;
  return answer;
}

TEST(SimcalGpu, RatesBecomeConstantsUnderTheCataloguesName)
{
  const Answer answer = with_gpu("");
  ASSERT_EQ(answer.code, 0) << answer.text;
  const Profile profile = read_profile(answer.file);
  const CalibratedConstant* rate = profile.find("gpu.A100-PCIe-40GB.rate.fp16"); // the driver says A100-PCIE-40GB
  ASSERT_NE(rate, nullptr);
  EXPECT_NEAR(rate->value.value, 250e12, 1e12);
  // 3e11 flop of convolutions at 100 Tflop/s; all rounds alike, so the bar is narrow.
  const CalibratedConstant* convolutions = profile.find("gpu.A100-PCIe-40GB.convolution_rate.fp16");
  ASSERT_NE(convolutions, nullptr);
  EXPECT_NEAR(convolutions->value.value, 100e12, 1e12);
  EXPECT_LE(convolutions->value.high - convolutions->value.low, 0.01 * convolutions->value.value);
  EXPECT_EQ(convolutions->samples, 2 * 3 * 5); // shapes x rounds x samples
  const CalibratedConstant* copy = profile.find("gpu.A100-PCIe-40GB.copy.host_to_device.pinned.bandwidth");
  ASSERT_NE(copy, nullptr);
  EXPECT_NEAR(copy->value.value, 25e9, 0.2e9);
}

TEST(SimcalGpu, OutOfMemoryKeepsWhatWasMeasuredAndSaysSo)
{
  const Answer answer = with_gpu("out_of_memory");
  EXPECT_EQ(answer.code, 4) << answer.text;
  EXPECT_THAT(answer.text,
              HasSubstr("gpu_gemm.fp16 at 1e+12 flop: gpu.hpp:44: out of memory (cudaErrorMemoryAllocation)"));
  const Profile profile = read_profile(answer.file);
  EXPECT_FALSE(profile.complete);
  ASSERT_FALSE(profile.warnings.empty());
  EXPECT_NE(profile.find("gpu.A100-PCIe-40GB.rate.fp16"), nullptr); // of the size that fitted
  EXPECT_THAT(texts_of(doubts(profile, utc_now()), MessageKind::part), testing::Contains(HasSubstr("not complete")));
}

TEST(SimcalGpu, AWrongDeviceAnOldDriverNoDriverAndAForeignLibraryAreSaidInOneLineEach)
{
  for (const auto& [fault, words] :
       {std::pair<std::string, std::string>{
            "wrong_device", "gpu_gemm: left out: device.cu:301: invalid device ordinal (cudaErrorInvalidDevice)"},
        {"old_driver", "gpu_gemm: left out: the driver supports CUDA 11.4, this program was built with CUDA 13.0; "
                       "update the driver or build "
                       "with an older toolkit"},
        {"no_driver", "gpu_gemm: left out: no NVIDIA driver on this machine"},
        {"other_version", "gpu_gemm: left out: libsimcal_cuda.so belongs to another version of simcal"}}) {
    const bool first = fault == "wrong_device"; // what else there is to measure takes seconds: once
    const Answer answer = with_gpu(fault, first ? "--only gpu_gemm,cpu_memory" : "--only gpu_gemm");
    EXPECT_EQ(answer.code, 0) << answer.text; // for what it did
    EXPECT_THAT(answer.text, HasSubstr(words + "\n"));
    const Profile profile = read_profile(answer.file);
    ASSERT_EQ(profile.missing.size(), 1u);
    EXPECT_EQ(profile.find("cpu.update_bandwidth") != nullptr, first);
  }
}

TEST(SimcalGpu, AThrottledChipIsMarkedInEveryConstant)
{
  const Answer answer = with_gpu("throttled", "--only gpu_gemm");
  ASSERT_EQ(answer.code, 0) << answer.text;
  const Profile profile = read_profile(answer.file);
  EXPECT_EQ(profile.find("gpu.A100-PCIe-40GB.rate.fp16")->state, "throttled");
  EXPECT_THAT(texts_of(doubts(profile, utc_now()), MessageKind::part),
              testing::Contains(HasSubstr("gpu.A100-PCIe-40GB.rate.fp16: throttled")));
}

/// calibrate/measure_gpu.py with the stand-in.
Answer script(const std::string& fault)
{
  const fs::path folder = with_gpu(fault, "--only gpu_launch").file.parent_path();
  Answer answer =
      run_shell("FAKE_GPU=" + fault + " python3 " + (tests::source_folder() / "calibrate" / "measure_gpu.py").string() +
                " --quick --only gpu_gemm,gpu_step --simcal " + (folder / "simcal").string() + " --out " +
                (folder / "out").string());
  answer.file = folder / "out" / "A100-PCIe-40GB.json";
  return answer;
}

TEST(SimcalGpu, OneCommandLeavesWhatIsToBeCommitted)
{
  if (std::system("python3 -c '' > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no python3";
  const Answer answer = script("");
  EXPECT_EQ(answer.code, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("| resnet50.fp16 | 10.0"));
  EXPECT_THAT(answer.text, HasSubstr("| +2.0 % |"));
  EXPECT_THAT(answer.text, HasSubstr("| gpu.A100-PCIe-40GB.rate.fp16 | 2.49")); // 250 of 312 Tflop/s, median of five
  EXPECT_THAT(answer.text, HasSubstr("| 3.12e+14 | 80 % |"));
  for (const char* ending : {".json", ".samples.csv", ".md"})
    EXPECT_TRUE(fs::exists(answer.file.parent_path() / ("A100-PCIe-40GB" + std::string{ending}))) << ending;
  EXPECT_TRUE(fs::exists(answer.file.parent_path() / "plots" / "A100-PCIe-40GB"));
  EXPECT_EQ(script("slow_layers").code, 3); // layers 10 % above the step
  const Answer none = script("no_driver");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.text, HasSubstr("not measured: gpu_step: no NVIDIA driver on this machine"));
}

} // namespace
} // namespace trainyard::calibrate
