// SPDX-License-Identifier: Apache-2.0
// Replaces convolutions, fused attention and whole steps where cuDNN is missing.
#include "calibrate/cuda/gpu.hpp"

namespace trainyard::calibrate::gpu {
namespace {

class NoConvolutions : public GpuMeasurement
{
public:
  std::string missing(int) const override { return "built without cuDNN"; }
  std::vector<GpuCase> cases(int, bool) const override { return {}; }
  Samples measure(const std::string&, double, int, const SamplingRule&) override { return {}; }
};

class NoSteps final : public NoConvolutions
{
};

class NoAttention final : public NoConvolutions
{
};

TY_REGISTER(GpuMeasurement, NoConvolutions, "gpu_conv", "convolutions: not part of this build");
TY_REGISTER(GpuMeasurement, NoAttention, "gpu_attention", "fused attention: not part of this build");
TY_REGISTER(GpuMeasurement, NoSteps, "gpu_step", "whole steps: not part of this build");

} // namespace
} // namespace trainyard::calibrate::gpu
