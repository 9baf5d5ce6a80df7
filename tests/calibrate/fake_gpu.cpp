// SPDX-License-Identifier: Apache-2.0
// Stands in for libsimcal_cuda: a GPU whose times are known, or one that fails as FAKE_GPU says. What simcal does with
// it is real.
#include "calibrate/gpu_interface.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool told(const char* what)
{
  const char* word = std::getenv("FAKE_GPU");
  return word != nullptr && std::strcmp(word, what) == 0;
}

void say(const std::string& text, char* to, int size)
{
  std::snprintf(to, static_cast<std::size_t>(size), "%s", text.c_str());
}

} // namespace

extern "C" {

int ty_gpu_version(void)
{
  return told("other_version") ? 99 : ty_gpu_interface_version;
}

int ty_gpu_devices(char* why, int size)
{
  if (told("no_driver"))
    say("no NVIDIA driver on this machine", why, size);
  else if (told("old_driver"))
    say("the driver supports CUDA 11.4, this program was built with CUDA 13.0; update the driver or build with an "
        "older toolkit",
        why, size);
  else
    return 1;
  return -1;
}

void ty_gpu_describe(int, char* text, int size)
{
  say("name=NVIDIA A100-PCIE-40GB\ncapability=8.0\nmemory_roof=1.555e12\ndriver=580.1\n", text, size);
}

void ty_gpu_missing(const char*, int, char* why, int size)
{
  say(told("wrong_device") ? "device.cu:301: invalid device ordinal (cudaErrorInvalidDevice)" : "", why, size);
}

void ty_gpu_cases(const char* measurement, int, int, char* text, int size)
{
  const std::string name = measurement;
  if (name == "gpu_gemm")
    say("gpu_gemm.fp16 1e9 flop\ngpu_gemm.fp16 1e12 flop\n", text, size);
  else if (name == "gpu_copy")
    say("gpu_copy.host_to_device.pinned 1e6 B\ngpu_copy.host_to_device.pinned 1e8 B\n", text, size);
  else if (name == "gpu_conv")
    say("gpu_conv.fp16.forward.c64h56w56k64r3s3t1p1q1 2e11 flop\ngpu_conv.fp16.forward.c3h224w224k64r7s7t2p3q3 1e11 "
        "flop\n",
        text, size);
  else if (name == "gpu_step")
    say("gpu_step.resnet50.fp16.whole 32 images\ngpu_step.resnet50.fp16.layers 32 images\n", text, size);
  else if (name == "gpu_products")
    say("gpu_products.bf16 1 flop\n", text, size);
  else if (name == "gpu_attention")
    say("gpu_attention.forward.128.512 1e12 flop\ngpu_attention.backward.128.512 2.5e12 flop\n"
        "gpu_attention.forward.64.512 1e12 flop\n",
        text, size);
  else if (name == "gpu_launch")
    say("gpu_launch.stream 1 units\ngpu_launch.stream 2 units\ngpu_launch.graph 1 units\ngpu_launch.graph 2 units\n",
        text, size);
  else if (name == "gpu_all_reduce")
    say("gpu_all_reduce.4 4096 B\ngpu_all_reduce.4 1048576 B\n", text, size);
  else
    say("", text, size);
}

/// A kernel of 3 us a unit, 0.8 us after the one before, 0.4 us in a graph.
double launch_seconds(const char* curve, double units)
{
  return units * 3e-6 + (std::strstr(curve, "graph") != nullptr ? 0.4e-6 : 0.8e-6);
}

/// 400 Tflop/s of one product, 300 of several in one call; of attention 500 forward, 400 backward, 450 with heads of
/// 64; 20 GB/s of an all-reduce.
double rate_of_layer(const std::string& name, const std::string& curve)
{
  if (name == "gpu_all_reduce")
    return 20e9;
  if (name == "gpu_products")
    return std::count(curve.begin(), curve.end(), 'x') == 3 ? 300e12 : 400e12;
  return curve.find("backward") != std::string::npos ? 400e12
         : curve.find(".64.") != std::string::npos   ? 450e12
                                                     : 500e12;
}

/// 250 Tflop/s of products, 100 Tflop/s of convolutions, 25 GB/s of copies, 10 ms a step.
void ty_gpu_measure(const char* measurement, const char* curve, double amount, int, const TyGpuRule*,
                    TyGpuAnswer* answer)
{
  std::memset(answer, 0, sizeof *answer);
  const std::string name = measurement;
  if (told("out_of_memory") && amount > 1e11) {
    say("gpu.hpp:44: out of memory (cudaErrorMemoryAllocation)", answer->error, sizeof answer->error);
    return;
  }
  // A step of 10 ms; its layers one by one take 2 % more, or 10 % where told.
  const double step = 32 / 0.01 / (std::strstr(curve, "layers") == nullptr ? 1 : told("slow_layers") ? 1.1 : 1.02);
  const double rate = name == "gpu_gemm" ? 250e12 : name == "gpu_conv" ? 100e12 : name == "gpu_step" ? step : 25e9;
  const bool layer = name == "gpu_products" || name == "gpu_attention" || name == "gpu_all_reduce";
  const double seconds =
      name == "gpu_launch" ? launch_seconds(curve, amount) : amount / (layer ? rate_of_layer(name, curve) : rate);
  answer->count = 5;
  for (int i = 0; i < answer->count; ++i)
    answer->seconds[i] = seconds * (1 + 0.001 * (name == "gpu_launch" ? 0 : i));
  if (told("throttled"))
    say("throttled", answer->state, sizeof answer->state);
}

void ty_gpu_rendezvous(int, int, const char*, double, char* error, int size)
{
  say("built without NCCL", error, size);
}

} // extern "C"
