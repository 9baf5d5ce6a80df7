// SPDX-License-Identifier: Apache-2.0
// What a scenario says of its hardware against the data sheet.
#include "models/core/data_folder.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/document.hpp"
#include "sim/run/simulate.hpp"

#include <gmock/gmock.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string said_of_step(const std::string& gpu, const std::string& job)
{
  Diagnostics diagnostics;
  const Document document =
      parse_document("cluster:\n  node_types: {m: {gpu: " + gpu +
                         ", gpus: 4}}\n  nodes: [{name: m, type: m, count: 1}]\njobs: [{name: j, workers: 4, " + job +
                         "}]\nrun: {fidelity: closed_form}\n",
                     "step.yaml", diagnostics);
  check_points(document, load_catalogue(data_folder()), diagnostics);
  std::string all;
  for (const Diagnostic& one : diagnostics.sorted())
    all += one.message + "\n";
  return all;
}

// VGG-16 has 15.47 G multiply-adds in the forward pass, 86.7 M of them in the first layer: a step of 64 images is
// 64 x (3 x 30.94 - 0.173) = 5.93 TFLOP, 378 ms at the 15.7 TFLOP/s of a V100, and a quarter of it with Winograd.
TEST(DataSheet, AStepThatConvolutionsCannotReachIsAWarning)
{
  const std::string vgg = "model: vgg16, batch_per_gpu: 64, single_gpu_step: ";
  EXPECT_THAT(
      said_of_step("V100-SXM2-16GB", vgg + "5 ms"),
      HasSubstr("'single_gpu_step' is 5.00 ms, less than 'vgg16' can take on V100-SXM2-16GB with a batch of 64: "
                "94.4 ms at the 15.7 TFLOP/s of its data sheet"));
  EXPECT_THAT(said_of_step("V100-SXM2-16GB", vgg + "94 ms"), HasSubstr("less than 'vgg16' can take"));
  EXPECT_THAT(said_of_step("V100-SXM2-16GB", vgg + "95 ms"), IsEmpty());
  // 5.93 TFLOP at 125 TFLOP/s are 47.4 ms, a quarter 11.9 ms
  EXPECT_THAT(said_of_step("V100-SXM2-16GB", vgg + "12 ms, precision: amp"), IsEmpty());
  EXPECT_THAT(said_of_step("V100-SXM2-16GB", vgg + "11 ms, precision: amp"), HasSubstr("less than 'vgg16' can take"));
}

// Two layers of 1 TFLOP forward: 6 TFLOP a step less the gradient of the input of the first, 5 TFLOP; 318.5 ms at 15.7
// TFLOP/s.
TEST(DataSheet, OtherProductsNeedAllTheirOperations)
{
  const std::string own = "model: {layers: [{parameters: 1000, flop: 1e12}, {parameters: 1000, flop: 1e12}]}, "
                          "batch_per_gpu: 1, single_gpu_step: ";
  EXPECT_THAT(said_of_step("V100-SXM2-16GB", own + "318 ms"), HasSubstr("318 ms at the 15.7 TFLOP/s"));
  EXPECT_THAT(said_of_step("V100-SXM2-16GB", own + "319 ms"), IsEmpty());
}

// In fp32 cuDNN may use tf32: the 156 TFLOP/s of an A100, not its 19.5. 5 TFLOP then take 32.05 ms.
TEST(DataSheet, Fp32OfAGpuWithTf32MayBeTf32)
{
  const std::string own = "model: {layers: [{parameters: 1000, flop: 1e12}, {parameters: 1000, flop: 1e12}]}, "
                          "batch_per_gpu: 1, single_gpu_step: ";
  EXPECT_THAT(said_of_step("A100-SXM4-80GB", own + "33 ms, precision: fp32"), IsEmpty());
  EXPECT_THAT(said_of_step("A100-SXM4-80GB", own + "31 ms, precision: fp32"),
              HasSubstr("at the 156 TFLOP/s of its data sheet"));
}

} // namespace
} // namespace trainyard
