// SPDX-License-Identifier: Apache-2.0
// Matrix products on the GPU by cuBLAS, and by cuBLASLt for fp8: of n x n matrices (gpu_gemm; size: flop, 2 n^3), and
// those of a layer of a transformer (gpu_products; their sizes stand in the curve's name). Sums in fp32. Several
// products in one call are equal and lie one behind the other.
//
// Resolution: events, about 1 us; short products are repeated until a sample takes 100 us. Checked before timing: every
// element must be the depth times the product of the constants that fill A and B. Timed with random values, which draw
// the power that training does.
#include "calibrate/cuda/gpu.hpp"
#include "calibrate/cuda/libraries.hpp"
#include "calibrate/layer_products.hpp"

#include <cmath>
#include <cstdlib>
#include <memory>

namespace trainyard::calibrate::gpu {
namespace {

constexpr std::size_t workspace_bytes = 32U << 20U;

/// The matrices of an fp8 product, transposed as cuBLASLt wants them: columns x rows = (depth x columns)^T (depth x
/// rows).
struct LtOperation {
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;

  LtOperation(const ProductShape& shape, void* scale)
  {
    const auto m = static_cast<std::uint64_t>(shape.columns), n = static_cast<std::uint64_t>(shape.rows);
    const auto k = static_cast<std::uint64_t>(shape.depth);
    check(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
    check(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scale, sizeof scale));
    check(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scale, sizeof scale));
    check(cublasLtMatrixLayoutCreate(&a, CUDA_R_8F_E4M3, k, m, shape.depth));
    check(cublasLtMatrixLayoutCreate(&b, CUDA_R_8F_E4M3, k, n, shape.depth));
    check(cublasLtMatrixLayoutCreate(&c, CUDA_R_16BF, m, n, shape.columns));
    for (const cublasLtMatrixLayout_t layout : {a, b, c}) {
      const std::int32_t groups = shape.groups;
      const std::int64_t stride = layout == a   ? std::int64_t{shape.depth} * shape.columns
                                  : layout == b ? std::int64_t{shape.depth} * shape.rows
                                                : std::int64_t{shape.columns} * shape.rows;
      check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &groups, sizeof groups));
      check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                             sizeof stride));
    }
    check(cublasLtMatmulPreferenceCreate(&preference));
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                               sizeof workspace_bytes));
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

std::size_t elements(int rows, int columns, int groups)
{
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(groups);
}

void verify(const Buffer& c, Type type, const ProductShape& shape)
{
  check(cudaDeviceSynchronize());
  const float expected = static_cast<float>(shape.depth) / 128;
  for (const std::size_t index : {std::size_t{0}, elements(shape.rows, shape.columns, shape.groups) - 1})
    if (const float value = element(c, type, index); std::abs(value / expected - 1) > 0.02F)
      throw std::runtime_error{"the matrix product is wrong: " + std::to_string(value) + " instead of " +
                               std::to_string(expected)};
}

Samples plain(const ProductShape& shape, Type type, const SamplingRule& rule)
{
  const int m = shape.columns, n = shape.rows, k = shape.depth;
  const Buffer a{elements(m, k, shape.groups) * bytes_of(type)}, b{elements(k, n, shape.groups) * bytes_of(type)},
      c{elements(m, n, shape.groups) * bytes_of(type)};
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
    check(cublasGemmStridedBatchedEx(library.handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a.data(), data, m,
                                     std::int64_t{m} * k, b.data(), data, k, std::int64_t{k} * n, &zero, c.data(), data,
                                     m, std::int64_t{m} * n, shape.groups, compute, CUBLAS_GEMM_DEFAULT));
  };
  const auto multiply_one = [&](cudaStream_t) {
    check(cublasGemmEx(library.handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a.data(), data, m, b.data(), data, k,
                       &zero, c.data(), data, m, compute, CUBLAS_GEMM_DEFAULT));
  };
  const std::function<void(cudaStream_t)> work =
      shape.groups > 1 ? std::function<void(cudaStream_t)>{multiply} : std::function<void(cudaStream_t)>{multiply_one};
  work(timer.stream());
  verify(c, type, shape);
  fill_random(a, type, 0.5F, timer.stream());
  fill_random(b, type, 0.5F, timer.stream());
  return sample_on(timer, rule, work);
}

/// fp8 has one layout: A transposed, B not, result bf16.
Samples eight_bits(const ProductShape& shape, const SamplingRule& rule)
{
  const Buffer a{elements(shape.columns, shape.depth, shape.groups)},
      b{elements(shape.depth, shape.rows, shape.groups)}, c{elements(shape.rows, shape.columns, shape.groups) * 2},
      workspace{workspace_bytes}, scale{sizeof(float)};
  const Timer timer;
  const CublasLt library;
  fill(a, Type::fp8, 0.5F, timer.stream());
  fill(b, Type::fp8, 1.0F / 64, timer.stream());
  fill(scale, Type::fp32, 1.0F, timer.stream());
  const LtOperation operation{shape, scale.data()};
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
  verify(c, Type::bf16, shape);
  fill_random(a, Type::fp8, 0.5F, timer.stream());
  fill_random(b, Type::fp8, 0.5F, timer.stream());
  return sample_on(timer, rule, multiply);
}

/// @p curve begins with @p measurement and the name of the type.
Samples product(const std::string& measurement, const std::string& curve, const ProductShape& shape, int device,
                const SamplingRule& rule)
{
  for (const Type type : types_of(device))
    if (const std::string head = measurement + "." + name_of(type); curve == head || curve.starts_with(head + "."))
      return type == Type::fp8 ? eight_bits(shape, rule) : plain(shape, type, rule);
  throw std::runtime_error{"this GPU has no " + curve};
}

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
    return product("gpu_gemm", curve, {n, n, n}, device, rule);
  }
};

class LayerProducts final : public GpuMeasurement
{
public:
  /// One for each type; simcal knows the shapes.
  std::vector<GpuCase> cases(int device, bool) const override
  {
    std::vector<GpuCase> list;
    for (const Type type : types_of(device))
      if (type == Type::bf16 || type == Type::fp16 || type == Type::fp8)
        list.push_back({std::string{"gpu_products."} + name_of(type), 1, "flop"});
    return list;
  }

  /// "gpu_products.bf16.8192x1280x8192"
  Samples measure(const std::string& curve, double, int device, const SamplingRule& rule) override
  {
    ProductShape shape;
    int* const sizes[] = {&shape.rows, &shape.columns, &shape.depth, &shape.groups};
    const char* at = curve.c_str() + curve.rfind('.') + 1;
    for (int* size : sizes) {
      char* end = nullptr;
      *size = static_cast<int>(std::strtol(at, &end, 10));
      at = end;
      if (*at != 'x')
        break;
      ++at;
    }
    return product("gpu_products", curve, shape, device, rule);
  }
};

TY_REGISTER(GpuMeasurement, Gemm, "gpu_gemm", "matrix products: fp32, tf32, fp16, bf16, fp8");
TY_REGISTER(GpuMeasurement, LayerProducts, "gpu_products", "matrix products of a layer: fp16, bf16, fp8");

} // namespace
} // namespace trainyard::calibrate::gpu
