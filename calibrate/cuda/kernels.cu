// SPDX-License-Identifier: Apache-2.0
// Memory-bound kernels near the limit of the memory: 16 bytes per thread and access, enough blocks to fill the chip,
// rows held in registers. Measurement "gpu_memory": size = bytes read and written in global memory, timed one by one
// with a cold L2 cache. "gpu_launch": one empty kernel after the other.
#include "calibrate/cuda/gpu.hpp"
#include "calibrate/cuda/kernels.hpp"

#include <cmath>
#include <cstdint>

namespace trainyard::calibrate::gpu {
namespace {

constexpr int block_threads = 256;
constexpr int row_threads = 256;
constexpr int row_parts = 4; // float4 per thread: rows of up to 4096 floats

int blocks_for(std::size_t vectors)
{
  return static_cast<int>(std::min<std::size_t>((vectors + block_threads - 1) / block_threads, 1U << 20U));
}

__device__ std::size_t first_index()
{
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ std::size_t index_step()
{
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

__global__ void wait_for(long long cycles)
{
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void elementwise(float4* y, const float4* x, float a, std::size_t count)
{
  for (std::size_t i = first_index(); i < count; i += index_step()) {
    const float4 u = x[i];
    float4 v = y[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    y[i] = v;
  }
}

__global__ void activation(float4* y, const float4* x, std::size_t count)
{
  for (std::size_t i = first_index(); i < count; i += index_step()) {
    const float4 u = x[i];
    y[i] = make_float4(fmaxf(u.x, 0), fmaxf(u.y, 0), fmaxf(u.z, 0), fmaxf(u.w, 0));
  }
}

__global__ void update(float4* w, float4* m, const float4* g, std::size_t count)
{
  for (std::size_t i = first_index(); i < count; i += index_step()) {
    const float4 gradient = g[i];
    float4 momentum = m[i], weight = w[i];
    momentum.x = 0.9F * momentum.x + gradient.x;
    momentum.y = 0.9F * momentum.y + gradient.y;
    momentum.z = 0.9F * momentum.z + gradient.z;
    momentum.w = 0.9F * momentum.w + gradient.w;
    weight.x -= 0.01F * momentum.x;
    weight.y -= 0.01F * momentum.y;
    weight.z -= 0.01F * momentum.z;
    weight.w -= 0.01F * momentum.w;
    m[i] = momentum;
    w[i] = weight;
  }
}

template <class Combine>
__device__ float over_warp(float value, Combine combine)
{
  for (int offset = 16; offset > 0; offset /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffffU, value, offset));
  return value;
}

/// The same value in all threads of the block.
template <class Combine>
__device__ float over_block(float value, float neutral, Combine combine)
{
  __shared__ float parts[32];
  value = over_warp(value, combine);
  __syncthreads(); // parts may still be read from the last call
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? parts[threadIdx.x % 32] : neutral;
  return over_warp(value, combine);
}

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct Largest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

__global__ void reduction(float* sum, const float4* x, std::size_t count)
{
  float own = 0;
  for (std::size_t i = first_index(); i < count; i += index_step()) {
    const float4 u = x[i];
    own += u.x + u.y + u.z + u.w;
  }
  own = over_block(own, 0, Sum{});
  if (threadIdx.x == 0)
    atomicAdd(sum, own);
}

/// One block per row; `soft`: softmax, else layer normalisation.
template <bool soft>
__global__ void rows_kernel(float* y, const float* x, int width)
{
  const auto* from =
      reinterpret_cast<const float4*>(x + static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(width));
  auto* to = reinterpret_cast<float4*>(y + static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(width));
  const int vectors = width / 4;
  float4 part[row_parts];
  const float missing = soft ? -INFINITY : 0.0F;
  float largest = -INFINITY, sum = 0, squares = 0;
  for (int p = 0; p < row_parts; ++p) {
    const int i = static_cast<int>(threadIdx.x) + p * row_threads;
    part[p] = i < vectors ? from[i] : make_float4(missing, missing, missing, missing);
    if (soft) {
      largest = fmaxf(largest, fmaxf(fmaxf(part[p].x, part[p].y), fmaxf(part[p].z, part[p].w)));
    } else {
      sum += part[p].x + part[p].y + part[p].z + part[p].w;
      squares += part[p].x * part[p].x + part[p].y * part[p].y + part[p].z * part[p].z + part[p].w * part[p].w;
    }
  }
  float shift = 0, scale = 1;
  if (soft) {
    shift = over_block(largest, -INFINITY, Largest{});
    for (int p = 0; p < row_parts; ++p) {
      part[p] = make_float4(__expf(part[p].x - shift), __expf(part[p].y - shift), __expf(part[p].z - shift),
                            __expf(part[p].w - shift));
      sum += part[p].x + part[p].y + part[p].z + part[p].w;
    }
    scale = 1 / over_block(sum, 0, Sum{});
    shift = 0;
  } else {
    shift = over_block(sum, 0, Sum{}) / static_cast<float>(width);
    scale = rsqrtf(over_block(squares, 0, Sum{}) / static_cast<float>(width) - shift * shift + 1e-5F);
  }
  for (int p = 0; p < row_parts; ++p)
    if (const int i = static_cast<int>(threadIdx.x) + p * row_threads; i < vectors)
      to[i] = make_float4((part[p].x - shift) * scale, (part[p].y - shift) * scale, (part[p].z - shift) * scale,
                          (part[p].w - shift) * scale);
}

__global__ void nothing() {}

} // namespace

void launch_elementwise(float* y, const float* x, float a, std::size_t count, cudaStream_t stream)
{
  elementwise<<<blocks_for(count / 4), block_threads, 0, stream>>>(reinterpret_cast<float4*>(y),
                                                                   reinterpret_cast<const float4*>(x), a, count / 4);
  check(cudaGetLastError());
}

void launch_activation(float* y, const float* x, std::size_t count, cudaStream_t stream)
{
  activation<<<blocks_for(count / 4), block_threads, 0, stream>>>(reinterpret_cast<float4*>(y),
                                                                  reinterpret_cast<const float4*>(x), count / 4);
  check(cudaGetLastError());
}

void launch_reduction(float* sum, const float* x, std::size_t count, cudaStream_t stream)
{
  check(cudaMemsetAsync(sum, 0, sizeof(float), stream));
  reduction<<<std::min(blocks_for(count / 4), 4096), block_threads, 0, stream>>>(
      sum, reinterpret_cast<const float4*>(x), count / 4);
  check(cudaGetLastError());
}

void launch_softmax(float* y, const float* x, int rows, int width, cudaStream_t stream)
{
  rows_kernel<true><<<rows, row_threads, 0, stream>>>(y, x, width);
  check(cudaGetLastError());
}

void launch_layer_norm(float* y, const float* x, int rows, int width, cudaStream_t stream)
{
  rows_kernel<false><<<rows, row_threads, 0, stream>>>(y, x, width);
  check(cudaGetLastError());
}

void launch_update(float* w, float* m, const float* g, std::size_t count, cudaStream_t stream)
{
  update<<<blocks_for(count / 4), block_threads, 0, stream>>>(
      reinterpret_cast<float4*>(w), reinterpret_cast<float4*>(m), reinterpret_cast<const float4*>(g), count / 4);
  check(cudaGetLastError());
}

void launch_wait(long long cycles, cudaStream_t stream)
{
  wait_for<<<1, 1, 0, stream>>>(cycles);
  check(cudaGetLastError());
}

void launch_nothing(cudaStream_t stream)
{
  nothing<<<1, 1, 0, stream>>>();
  check(cudaGetLastError());
}

namespace {

constexpr int row_width = 4096;

struct Kind {
  const char* name;
  double passes; // arrays read and written
};

constexpr Kind kinds[] = {{"elementwise", 3}, {"activation", 2}, {"reduction", 1},
                          {"softmax", 2},     {"layer_norm", 2}, {"update", 5}};

class Memory final : public GpuMeasurement
{
public:
  std::vector<GpuCase> cases(int, bool quick) const override
  {
    std::vector<GpuCase> list;
    for (const Kind& kind : kinds)
      for (const double elements :
           quick ? std::vector{16777216.0} : std::vector{262144.0, 1048576.0, 4194304.0, 16777216.0, 67108864.0})
        list.push_back({std::string{"gpu_memory."} + kind.name, kind.passes * 4 * elements, "B"});
    return list;
  }

  Samples measure(const std::string& curve, double size, int, const SamplingRule& rule) override
  {
    const std::string name = curve.substr(curve.find('.') + 1);
    double passes = 1;
    for (const Kind& kind : kinds)
      if (name == kind.name)
        passes = kind.passes;
    const auto count = static_cast<std::size_t>(std::lround(size / 4 / passes));
    const int rows = static_cast<int>(count / row_width);
    const Buffer x{count * 4}, y{count * 4}, m{count * 4}, sum{16};
    const Timer timer;
    fill(x, Type::fp32, 0.5F, timer.stream());
    fill(y, Type::fp32, 0.25F, timer.stream());
    m.zero();
    const auto work = [&](cudaStream_t stream) {
      if (name == "elementwise")
        launch_elementwise(y.as<float>(), x.as<float>(), 0.0F, count, stream);
      else if (name == "activation")
        launch_activation(y.as<float>(), x.as<float>(), count, stream);
      else if (name == "reduction")
        launch_reduction(sum.as<float>(), x.as<float>(), count, stream);
      else if (name == "softmax")
        launch_softmax(y.as<float>(), x.as<float>(), rows, row_width, stream);
      else if (name == "layer_norm")
        launch_layer_norm(y.as<float>(), x.as<float>(), rows, row_width, stream);
      else
        launch_update(y.as<float>(), m.as<float>(), x.as<float>(), count, stream);
    };
    work(timer.stream());
    check(cudaStreamSynchronize(timer.stream()));
    // Constant input: each result is known.
    const float expected = name == "elementwise"  ? 0.25F
                           : name == "activation" ? 0.5F
                           : name == "reduction"  ? 0.5F * static_cast<float>(count)
                           : name == "softmax"    ? 1.0F / row_width
                           : name == "layer_norm" ? 0.0F
                                                  : 0.25F - 0.005F;
    const float got = element(name == "reduction" ? sum : y, Type::fp32, 0);
    if (std::abs(got - expected) > 1e-3F * std::max(1e-2F, std::abs(expected)))
      throw std::runtime_error{"'" + name + "' gives " + std::to_string(got) + " instead of " +
                               std::to_string(expected)};
    return sample_on(timer, rule, work, Cache::cold);
  }
};

class Launch final : public GpuMeasurement
{
public:
  std::vector<GpuCase> cases(int, bool) const override
  {
    return {{"gpu_launch.in_stream", 1, "kernels"}, {"gpu_launch.and_wait", 1, "kernels"},
            {"gpu_launch.stream", 1, "units"},      {"gpu_launch.stream", 2, "units"},
            {"gpu_launch.graph", 1, "units"},       {"gpu_launch.graph", 2, "units"}};
  }

  /// "stream" and "graph": kernels of one and of two units of 10,000 cycles (some 6 us, longer than the host needs for
  /// a launch), one behind the other. Twice the time of the shorter less that of the longer is the gap between two.
  Samples measure(const std::string& curve, double units, int, const SamplingRule& rule) override
  {
    const Timer timer;
    const auto work = [units](cudaStream_t stream) { launch_wait(std::llround(units) * 10'000, stream); };
    if (curve == "gpu_launch.in_stream")
      return sample(rule, [&] { return timer.seconds(launch_nothing, 1000); });
    if (curve == "gpu_launch.stream")
      return sample(rule, [&] { return timer.seconds(work, 1000); });
    if (curve == "gpu_launch.graph") {
      const Recorded graph{timer.stream(), work, 1000};
      return sample(rule, [&] { return timer.seconds([&](cudaStream_t stream) { graph.launch(stream); }) / 1000; });
    }
    return sample(rule, [&] {
      const double begin = wall_seconds();
      for (int i = 0; i < 100; ++i) {
        launch_nothing(timer.stream());
        check(cudaStreamSynchronize(timer.stream()));
      }
      return (wall_seconds() - begin) / 100;
    });
  }
};

TY_REGISTER(GpuMeasurement, Memory, "gpu_memory",
            "memory-bound kernels: element-wise, reduction, softmax, layer norm, update");
TY_REGISTER(GpuMeasurement, Launch, "gpu_launch", "launch of an empty kernel, in a stream and with a wait");

} // namespace
} // namespace trainyard::calibrate::gpu
