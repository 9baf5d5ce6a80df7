// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/sampler.hpp"
#include "models/core/registry.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <source_location>
#include <string>
#include <vector>

namespace trainyard::calibrate::gpu {

/// Throws std::runtime_error "gemm.cu:42: out of memory (cudaErrorMemoryAllocation)" where a call failed.
void check(cudaError_t status, std::source_location where = std::source_location::current());
[[noreturn]] void fail(const std::string& words, const std::source_location& where);

struct GpuCase {
  std::string curve;
  double size = 0;
  std::string unit;
};

/// One kind of measurement on a GPU; registers itself under the name that simcal uses.
class GpuMeasurement
{
public:
  virtual ~GpuMeasurement() = default;
  virtual std::string missing(int) const { return {}; }
  virtual std::vector<GpuCase> cases(int device, bool quick) const = 0;
  /// Validates what it computes or moves before it is timed.
  virtual Samples measure(const std::string& curve, double size, int device, const SamplingRule& rule) = 0;
};

/// Device memory that frees itself.
class Buffer
{
public:
  explicit Buffer(std::size_t bytes) : bytes_{bytes} { check(cudaMalloc(&data_, bytes > 0 ? bytes : 1)); }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  template <class T>
  T* as() const
  {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }
  void zero() const { check(cudaMemset(data_, 0, bytes_)); }

private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// A stream and two events on it. seconds(work) = time between the events around @p repeat calls, each.
class Timer
{
public:
  Timer();
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  cudaStream_t stream() const { return stream_; }
  double seconds(const std::function<void(cudaStream_t)>& work, int repeat = 1) const;

private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

/// Calls on a stream that were recorded once and start as one (a CUDA graph): their time is the chip's, however long
/// the host takes to start each of them. Throws where something in @p work cannot be recorded.
class Recorded
{
public:
  Recorded(cudaStream_t stream, const std::function<void(cudaStream_t)>& work, int times);
  ~Recorded();
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream)); }

private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

/// What the caches hold before a sample: what the last one left, or nothing of it.
enum class Cache { warm, cold };

/// Samples of @p work on the timer's stream. Warm: the work is recorded, short work so often that a sample takes 200
/// us. Cold: every sample is one call, before which a buffer of twice the L2 cache is read, so that memory-bound
/// kernels are timed from memory; events resolve about 1 us. "throttled" where the driver says so while the work is
/// running.
Samples sample_on(const Timer& timer, const SamplingRule& rule, const std::function<void(cudaStream_t)>& work,
                  Cache cache = Cache::warm);

/// What slows the chip down at this moment (thermal, power brake); empty where nothing does, or the driver's library
/// does not say.
std::string throttle_reason(int device);

enum class Type { fp32, tf32, fp16, bf16, fp8 };
const char* name_of(Type type);
/// Those the chip's tensor cores or units have.
std::vector<Type> types_of(int device);
std::size_t bytes_of(Type type);

/// Fills with one value of the type (fp32 and tf32 as float).
void fill(const Buffer& buffer, Type type, float value, cudaStream_t stream);
/// Fills with fixed pseudo-random values, even in [-amplitude, amplitude]: constant data draw less power than real
/// ones, and a chip at its power limit then runs faster than it ever will in training.
void fill_random(const Buffer& buffer, Type type, float amplitude, cudaStream_t stream);
/// Element @p index as float.
float element(const Buffer& buffer, Type type, std::size_t index);

} // namespace trainyard::calibrate::gpu
