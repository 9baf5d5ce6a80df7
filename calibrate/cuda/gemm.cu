// SPDX-License-Identifier: Apache-2.0
// Matrix products on the GPU: C = A B of n x n matrices by cuBLAS, and by cuBLASLt for fp8. Size: flop, 2 n^3. Sums in
// fp32.
//
// Resolution: events, about 1 us; short products are repeated until a sample takes 100 us. Checked before timing: every
// element must be n times the product of the constants that fill A and B. Timed with random values, which draw the
// power that training does.
#include "calibrate/cuda/gpu.hpp"
#include "calibrate/cuda/libraries.hpp"

#include <cmath>
#include <memory>

namespace trainyard::calibrate::gpu {
namespace {

class Gemm final : public GpuMeasurement
{
public:
  std::vector<GpuCase> cases(int device, bool quick) const override
  {
    std::vector<GpuCase> list;
    for (const Type type : types_of(device))
      for (const int n : quick ? std::vector{1024, 4096} : std::vector{256, 512, 1024, 2048, 4096, 8192})
        list.push_back({std::string{"gpu_gemm."} + name_of(type), 2.0 * n * n * n, "flop"});
    return list;
  }

  Samples measure(const std::string& curve, double size, int device, const SamplingRule& rule) override
  {
    const int n = static_cast<int>(std::lround(std::cbrt(size / 2)));
    for (const Type type : types_of(device))
      if (curve == std::string{"gpu_gemm."} + name_of(type))
        return type == Type::fp8 ? eight_bits(n, rule) : plain(n, type, rule);
    throw std::runtime_error{"this GPU has no " + curve};
  }

private:
  static void verify(const Buffer& c, Type type, int n, float expected)
  {
    check(cudaDeviceSynchronize());
    for (const std::size_t index : {std::size_t{0}, static_cast<std::size_t>(n) * static_cast<std::size_t>(n) - 1})
      if (const float value = element(c, type, index); std::abs(value / expected - 1) > 0.02F)
        throw std::runtime_error{"the matrix product is wrong: " + std::to_string(value) + " instead of " +
                                 std::to_string(expected)};
  }

  static Samples plain(int n, Type type, const SamplingRule& rule)
  {
    const auto elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const Buffer a{elements * bytes_of(type)}, b{elements * bytes_of(type)}, c{elements * bytes_of(type)};
    const Timer timer;
    const Cublas library;
    check(cublasSetStream(library.handle, timer.stream()));
    fill(a, type, 0.5F, timer.stream());
    fill(b, type, 1.0F / 64, timer.stream());
    const cudaDataType_t data = type == Type::fp16 ? CUDA_R_16F : type == Type::bf16 ? CUDA_R_16BF : CUDA_R_32F;
    const cublasComputeType_t compute = type == Type::tf32   ? CUBLAS_COMPUTE_32F_FAST_TF32
                                        : type == Type::fp32 ? CUBLAS_COMPUTE_32F_PEDANTIC
                                                             : CUBLAS_COMPUTE_32F;
    const float one = 1, zero = 0;
    const auto multiply = [&](cudaStream_t) {
      check(cublasGemmEx(library.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.data(), data, n, b.data(), data, n,
                         &zero, c.data(), data, n, compute, CUBLAS_GEMM_DEFAULT));
    };
    multiply(timer.stream());
    verify(c, type, n, static_cast<float>(n) / 128);
    fill_random(a, type, 0.5F, timer.stream());
    fill_random(b, type, 0.5F, timer.stream());
    return sample_on(timer, rule, multiply);
  }

  /// fp8 has one layout: A transposed, B not, result bf16.
  static Samples eight_bits(int n, const SamplingRule& rule)
  {
    const auto elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const Buffer a{elements}, b{elements}, c{elements * 2}, workspace{32U << 20U}, scale{sizeof(float)};
    const Timer timer;
    const CublasLt library;
    fill(a, Type::fp8, 0.5F, timer.stream());
    fill(b, Type::fp8, 1.0F / 64, timer.stream());
    fill(scale, Type::fp32, 1.0F, timer.stream());
    const LtOperation operation{n, scale.data()};
    cublasLtMatmulHeuristicResult_t choice{};
    int found = 0;
    check(cublasLtMatmulAlgoGetHeuristic(library.handle, operation.description, operation.a, operation.b, operation.c,
                                         operation.c, operation.preference, 1, &choice, &found));
    if (found == 0)
      throw std::runtime_error{"cuBLASLt has no fp8 product of this size"};
    const float one = 1, zero = 0;
    const auto multiply = [&](cudaStream_t stream) {
      check(cublasLtMatmul(library.handle, operation.description, &one, a.data(), operation.a, b.data(), operation.b,
                           &zero, c.data(), operation.c, c.data(), operation.c, &choice.algo, workspace.data(),
                           workspace.bytes(), stream));
    };
    multiply(timer.stream());
    verify(c, Type::bf16, n, static_cast<float>(n) / 128);
    fill_random(a, Type::fp8, 0.5F, timer.stream());
    fill_random(b, Type::fp8, 0.5F, timer.stream());
    return sample_on(timer, rule, multiply);
  }

  struct LtOperation {
    cublasLtMatmulDesc_t description = nullptr;
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
    cublasLtMatmulPreference_t preference = nullptr;

    LtOperation(int n, void* scale)
    {
      const auto rows = static_cast<std::uint64_t>(n);
      check(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F));
      const cublasOperation_t transposed = CUBLAS_OP_T;
      check(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
      check(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scale, sizeof scale));
      check(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scale, sizeof scale));
      check(cublasLtMatrixLayoutCreate(&a, CUDA_R_8F_E4M3, rows, rows, n));
      check(cublasLtMatrixLayoutCreate(&b, CUDA_R_8F_E4M3, rows, rows, n));
      check(cublasLtMatrixLayoutCreate(&c, CUDA_R_16BF, rows, rows, n));
      check(cublasLtMatmulPreferenceCreate(&preference));
      const std::size_t workspace = 32U << 20U;
      check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                                 sizeof workspace));
    }
    ~LtOperation()
    {
      cublasLtMatmulPreferenceDestroy(preference);
      cublasLtMatrixLayoutDestroy(c);
      cublasLtMatrixLayoutDestroy(b);
      cublasLtMatrixLayoutDestroy(a);
      cublasLtMatmulDescDestroy(description);
    }
    LtOperation(const LtOperation&) = delete;
    LtOperation& operator=(const LtOperation&) = delete;
  };
};

TY_REGISTER(GpuMeasurement, Gemm, "gpu_gemm", "matrix products: fp32, tf32, fp16, bf16, fp8");

} // namespace
} // namespace trainyard::calibrate::gpu
