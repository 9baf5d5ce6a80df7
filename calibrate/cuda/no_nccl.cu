// SPDX-License-Identifier: Apache-2.0
// Replaces the collectives where NCCL is missing.
#include "calibrate/cuda/gpu.hpp"
#include "calibrate/gpu_interface.h"

#include <cstdio>

namespace trainyard::calibrate::gpu {
namespace {

class NoCollectives : public GpuMeasurement
{
public:
  std::string missing(int) const override
  {
    return "built without NCCL (-DNCCL_ROOT= names the folder with include/nccl.h and lib/)";
  }
  std::vector<GpuCase> cases(int, bool) const override { return {}; }
  Samples measure(const std::string&, double, int, const SamplingRule&) override { return {}; }
};

class NoAllReduce final : public NoCollectives
{
};

TY_REGISTER(GpuMeasurement, NoAllReduce, "gpu_all_reduce", "all-reduce by size and ranks: not part of this build");
TY_REGISTER(GpuMeasurement, NoCollectives, "gpu_collectives", "NCCL collectives: not part of this build");

} // namespace
} // namespace trainyard::calibrate::gpu

extern "C" void ty_gpu_rendezvous(int, int, const char*, double, char* error, int size)
{
  std::snprintf(error, static_cast<std::size_t>(size), "%s", "built without NCCL");
}
