// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/cuda/gpu.hpp"

#include <cublasLt.h>
#include <cublas_v2.h>

namespace trainyard::calibrate::gpu {

inline void check(cublasStatus_t status, std::source_location where = std::source_location::current())
{
  if (status != CUBLAS_STATUS_SUCCESS)
    fail(std::string{"cuBLAS: "} + cublasGetStatusString(status), where);
}

struct Cublas {
  cublasHandle_t handle = nullptr;
  Cublas() { check(cublasCreate(&handle)); }
  ~Cublas() { cublasDestroy(handle); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
};

struct CublasLt {
  cublasLtHandle_t handle = nullptr;
  CublasLt() { check(cublasLtCreate(&handle)); }
  ~CublasLt() { cublasLtDestroy(handle); }
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;
};

} // namespace trainyard::calibrate::gpu
