// SPDX-License-Identifier: Apache-2.0
// Devices, errors, clocks and the C interface of libsimcal_cuda.
#include "calibrate/cuda/gpu.hpp"
#include "calibrate/gpu_interface.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace trainyard::calibrate::gpu {
namespace {

template <class T>
__global__ void fill_kernel(T* data, std::size_t count, float value)
{
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    data[i] = T(value);
}

/// Even in [-1, 1]: a hash of the index (constants of Wellons' lowbias32).
__device__ float noise(std::size_t index)
{
  auto x = static_cast<unsigned>(index ^ (index >> 32U));
  x ^= x >> 16U;
  x *= 0x7feb352dU;
  x ^= x >> 15U;
  x *= 0x846ca68bU;
  x ^= x >> 16U;
  return static_cast<float>(x) * 0x1p-31F - 1.0F;
}

template <class T>
__global__ void fill_random_kernel(T* data, std::size_t count, float amplitude)
{
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    data[i] = T(amplitude * noise(i));
}

template <class T>
void fill_random_as(const Buffer& buffer, float amplitude, cudaStream_t stream)
{
  fill_random_kernel<<<1024, 256, 0, stream>>>(buffer.as<T>(), buffer.bytes() / sizeof(T), amplitude);
  check(cudaGetLastError());
}

/// Reads all of a zeroed buffer; the sum is kept only where it is not zero, which the compiler cannot know.
__global__ void read_kernel(const float4* data, std::size_t count, float* kept)
{
  float sum = 0;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    sum += data[i].x + data[i].y + data[i].z + data[i].w;
  if (sum != 0)
    *kept = sum;
}

/// Fills the L2 cache with clean lines of its own: written ones would have to go to memory while the next kernel is
/// timed.
class CacheFlush
{
public:
  explicit CacheFlush(int device) : data_{bytes(device)}, kept_{sizeof(float)} { data_.zero(); }

  void operator()(cudaStream_t stream) const
  {
    read_kernel<<<2048, 256, 0, stream>>>(data_.as<float4>(), data_.bytes() / sizeof(float4), kept_.as<float>());
    check(cudaGetLastError());
  }

private:
  static std::size_t bytes(int device)
  {
    int cache = 0;
    check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
    return std::max<std::size_t>(2 * static_cast<std::size_t>(cache), 16U << 20U);
  }

  Buffer data_;
  Buffer kept_;
};

template <class T>
void fill_as(const Buffer& buffer, float value, cudaStream_t stream)
{
  fill_kernel<<<1024, 256, 0, stream>>>(buffer.as<T>(), buffer.bytes() / sizeof(T), value);
  check(cudaGetLastError());
}

template <class T>
float element_as(const Buffer& buffer, std::size_t index)
{
  T value;
  check(cudaMemcpy(&value, buffer.as<T>() + index, sizeof(T), cudaMemcpyDeviceToHost));
  return static_cast<float>(value);
}

/// The few functions of libnvidia-ml that are needed, found at run time: it comes with the driver.
class Nvml
{
public:
  Nvml()
  {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library_ == nullptr)
      return;
    const auto start = reinterpret_cast<int (*)()>(dlsym(library_, "nvmlInit_v2"));
    by_bus_ = reinterpret_cast<decltype(by_bus_)>(dlsym(library_, "nvmlDeviceGetHandleByPciBusId_v2"));
    reasons_ = reinterpret_cast<decltype(reasons_)>(
        dlsym(library_, "nvmlDeviceGetCurrentClocksEventReasons")); // its name since driver 535
    if (reasons_ == nullptr)
      reasons_ = reinterpret_cast<decltype(reasons_)>(dlsym(library_, "nvmlDeviceGetCurrentClocksThrottleReasons"));
    clock_ = reinterpret_cast<decltype(clock_)>(dlsym(library_, "nvmlDeviceGetClockInfo"));
    driver_ = reinterpret_cast<decltype(driver_)>(dlsym(library_, "nvmlSystemGetDriverVersion"));
    ready_ = start != nullptr && start() == 0 && by_bus_ != nullptr;
  }

  unsigned long long reasons(int device) const
  {
    unsigned long long bits = 0;
    void* handle = handle_of(device);
    return handle != nullptr && reasons_ != nullptr && reasons_(handle, &bits) == 0 ? bits : 0;
  }

  /// kind: 1 = multiprocessors, 2 = memory
  unsigned clock_MHz(int device, int kind) const
  {
    unsigned value = 0;
    void* handle = handle_of(device);
    return handle != nullptr && clock_ != nullptr && clock_(handle, kind, &value) == 0 ? value : 0;
  }

  std::string driver() const
  {
    std::array<char, 96> text{};
    return ready_ && driver_ != nullptr && driver_(text.data(), static_cast<unsigned>(text.size())) == 0 ? text.data()
                                                                                                         : "";
  }

private:
  void* handle_of(int device) const
  {
    std::array<char, 32> bus{};
    void* handle = nullptr;
    if (!ready_ || cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device) != cudaSuccess ||
        by_bus_(bus.data(), &handle) != 0)
      return nullptr;
    return handle;
  }

  void* library_ = nullptr;
  bool ready_ = false;
  int (*by_bus_)(const char*, void**) = nullptr;
  int (*reasons_)(void*, unsigned long long*) = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*driver_)(char*, unsigned) = nullptr;
};

const Nvml& nvml()
{
  static const Nvml library;
  return library;
}

void copy_text(const std::string& text, char* to, int size)
{
  std::snprintf(to, static_cast<std::size_t>(size), "%s", text.c_str());
}

} // namespace

void fail(const std::string& words, const std::source_location& where)
{
  const std::string file = where.file_name();
  throw std::runtime_error{file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line()) + ": " + words};
}

void check(cudaError_t status, std::source_location where)
{
  if (status == cudaSuccess)
    return;
  cudaGetLastError(); // forgets it, so that the next call does not report it again
  fail(std::string{cudaGetErrorString(status)} + " (" + cudaGetErrorName(status) + ")", where);
}

Timer::Timer()
{
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  check(cudaEventCreate(&begin_));
  check(cudaEventCreate(&end_));
}

Timer::~Timer()
{
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
  cudaStreamDestroy(stream_);
}

double Timer::seconds(const std::function<void(cudaStream_t)>& work, int repeat) const
{
  check(cudaEventRecord(begin_, stream_));
  for (int i = 0; i < repeat; ++i)
    work(stream_);
  check(cudaEventRecord(end_, stream_));
  check(cudaEventSynchronize(end_));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin_, end_));
  return static_cast<double>(milliseconds) * 1e-3 / repeat;
}

Recorded::Recorded(cudaStream_t stream, const std::function<void(cudaStream_t)>& work, int times)
{
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    for (int i = 0; i < times; ++i)
      work(stream);
  } catch (...) {
    cudaStreamEndCapture(stream, &graph_);
    cudaGraphDestroy(graph_);
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph_));
  check(cudaGraphInstantiate(&executable_, graph_, 0));
}

Recorded::~Recorded()
{
  cudaGraphExecDestroy(executable_);
  cudaGraphDestroy(graph_);
}

Samples sample_on(const Timer& timer, const SamplingRule& rule, const std::function<void(cudaStream_t)>& work,
                  Cache cache)
{
  int device = 0;
  check(cudaGetDevice(&device));
  timer.seconds(work); // loads kernels
  int repeat = 1;
  Samples samples;
  if (cache == Cache::cold) {
    const CacheFlush flush{device};
    samples = sample(rule, [&] {
      flush(timer.stream());
      return timer.seconds(work);
    });
  } else {
    const auto once = [&](const Recorded& recorded) {
      return timer.seconds([&](cudaStream_t stream) { recorded.launch(stream); });
    };
    const Recorded trial{timer.stream(), work, 4};
    once(trial);
    repeat = std::clamp(static_cast<int>(200e-6 / std::max(once(trial) / 4, 1e-7)), 1, 200);
    const Recorded recorded{timer.stream(), work, repeat};
    once(recorded);
    samples = sample(rule, [&] { return once(recorded) / repeat; });
  }
  // Checked while the chip works: an idle chip is never slowed down.
  for (int i = 0; i < 4 * repeat; ++i) // a queue that outlasts the question
    work(timer.stream());
  const std::string reason = throttle_reason(device);
  check(cudaStreamSynchronize(timer.stream()));
  if (!reason.empty())
    samples.state = "throttled";
  return samples;
}

/// Clocks of a chip at rest are low and rise within tenths of a second of work.
void spin_up(int device)
{
  static std::vector<int> ready;
  if (std::ranges::find(ready, device) != ready.end())
    return;
  ready.push_back(device);
  const Buffer buffer{64U << 20U};
  for (const double end = wall_seconds() + 0.5; wall_seconds() < end;) {
    for (int i = 0; i < 50; ++i)
      fill_random(buffer, Type::fp32, 1, nullptr);
    check(cudaDeviceSynchronize());
  }
}

std::string throttle_reason(int device)
{
  const unsigned long long bits = nvml().reasons(device);
  if ((bits & 0x20) != 0 || (bits & 0x40) != 0)
    return "thermal";
  if ((bits & 0x80) != 0)
    return "power brake";
  if ((bits & 0x8) != 0)
    return "hardware slow-down";
  return {};
}

const char* name_of(Type type)
{
  switch (type) {
  case Type::fp32:
    return "fp32";
  case Type::tf32:
    return "tf32";
  case Type::fp16:
    return "fp16";
  case Type::bf16:
    return "bf16";
  case Type::fp8:
    break;
  }
  return "fp8";
}

std::size_t bytes_of(Type type)
{
  return type == Type::fp32 || type == Type::tf32 ? 4 : type == Type::fp8 ? 1 : 2;
}

std::vector<Type> types_of(int device)
{
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  std::vector<Type> types{Type::fp32, Type::fp16};
  if (major >= 8)
    types.insert(types.end(), {Type::tf32, Type::bf16});
  if (major * 10 + minor >= 89)
    types.push_back(Type::fp8);
  return types;
}

void fill(const Buffer& buffer, Type type, float value, cudaStream_t stream)
{
  if (type == Type::fp16)
    fill_as<__half>(buffer, value, stream);
  else if (type == Type::bf16)
    fill_as<__nv_bfloat16>(buffer, value, stream);
  else if (type == Type::fp8)
    fill_as<__nv_fp8_e4m3>(buffer, value, stream);
  else
    fill_as<float>(buffer, value, stream);
}

void fill_random(const Buffer& buffer, Type type, float amplitude, cudaStream_t stream)
{
  if (type == Type::fp16)
    fill_random_as<__half>(buffer, amplitude, stream);
  else if (type == Type::bf16)
    fill_random_as<__nv_bfloat16>(buffer, amplitude, stream);
  else if (type == Type::fp8)
    fill_random_as<__nv_fp8_e4m3>(buffer, amplitude, stream);
  else
    fill_random_as<float>(buffer, amplitude, stream);
}

float element(const Buffer& buffer, Type type, std::size_t index)
{
  if (type == Type::fp16)
    return element_as<__half>(buffer, index);
  if (type == Type::bf16)
    return element_as<__nv_bfloat16>(buffer, index);
  if (type == Type::fp8)
    return element_as<__nv_fp8_e4m3>(buffer, index);
  return element_as<float>(buffer, index);
}

} // namespace trainyard::calibrate::gpu

using namespace trainyard;
using namespace trainyard::calibrate;
using namespace trainyard::calibrate::gpu;

extern "C" {

int ty_gpu_version(void)
{
  return ty_gpu_interface_version;
}

int ty_gpu_devices(char* why, int size)
{
  int driver = 0, runtime = 0, count = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  // Without a driver the runtime says "driver version is insufficient", which misleads.
  if (driver == 0) {
    copy_text("no NVIDIA driver on this machine", why, size);
    return -1;
  }
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver)
    copy_text("the driver supports CUDA " + std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10) +
                  ", this program was built with CUDA " + std::to_string(runtime / 1000) + "." +
                  std::to_string(runtime % 1000 / 10) + "; update the driver or build with an older toolkit",
              why, size);
  else if (status != cudaSuccess)
    copy_text(std::string{"cudaGetDeviceCount: "} + cudaGetErrorString(status), why, size);
  else if (count == 0)
    copy_text("there is a driver but no NVIDIA device", why, size);
  else
    return count;
  return -1;
}

void ty_gpu_describe(int device, char* text, int size)
{
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    copy_text("", text, size);
    return;
  }
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  int memory_kHz = 0, clock_kHz = 0;
  cudaDeviceGetAttribute(&memory_kHz, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&clock_kHz, cudaDevAttrClockRate, device);
  std::ostringstream out;
  out << "name=" << properties.name << "\ncapability=" << properties.major << '.' << properties.minor
      << "\nmultiprocessors=" << properties.multiProcessorCount << "\nmemory_bytes=" << properties.totalGlobalMem
      << "\nmemory_roof=" << 2.0 * memory_kHz * 1e3 * properties.memoryBusWidth / 8 << "\ndriver=" << nvml().driver()
      << "\ncuda_driver=" << driver / 1000 << '.' << driver % 1000 / 10 << "\ncuda_runtime=" << runtime / 1000 << '.'
      << runtime % 1000 / 10 << "\nclock_MHz=" << clock_kHz / 1000 << "\nclock_now_MHz=" << nvml().clock_MHz(device, 1)
      << "\nmemory_clock_now_MHz=" << nvml().clock_MHz(device, 2) << '\n';
  copy_text(out.str(), text, size);
}

void ty_gpu_missing(const char* measurement, int device, char* why, int size)
{
  copy_text("", why, size);
  try {
    check(cudaSetDevice(device));
    copy_text(Registry<GpuMeasurement>::instance().create(measurement)->missing(device), why, size);
  } catch (const std::exception& error) {
    copy_text(error.what(), why, size);
  }
}

void ty_gpu_cases(const char* measurement, int device, int quick, char* text, int size)
{
  try {
    std::ostringstream out;
    out.precision(17);
    for (const GpuCase& one : Registry<GpuMeasurement>::instance().create(measurement)->cases(device, quick != 0))
      out << one.curve << ' ' << one.size << ' ' << one.unit << '\n';
    copy_text(out.str(), text, size);
  } catch (const std::exception&) {
    copy_text("", text, size);
  }
}

void ty_gpu_measure(const char* measurement, const char* curve, double size, int device, const TyGpuRule* rule,
                    TyGpuAnswer* answer)
{
  std::memset(answer, 0, sizeof *answer);
  try {
    check(cudaSetDevice(device));
    spin_up(device);
    const SamplingRule sampling{.least_seconds = rule->least_seconds,
                                .most_seconds = rule->most_seconds,
                                .least = rule->least,
                                .most = std::min<int>(rule->most, ty_gpu_most_samples),
                                .noise = rule->noise};
    const Samples samples =
        Registry<GpuMeasurement>::instance().create(measurement)->measure(curve, size, device, sampling);
    answer->count = std::min<int>(static_cast<int>(samples.seconds.size()), ty_gpu_most_samples);
    std::copy_n(samples.seconds.begin(), answer->count, answer->seconds);
    copy_text(samples.state, answer->state, sizeof answer->state);
  } catch (const std::exception& error) {
    copy_text(error.what(), answer->error, sizeof answer->error);
  }
}

} // extern "C"
