// SPDX-License-Identifier: Apache-2.0
// Copies: host to device and back, pinned and pageable, device to device, and to the next GPU where there is one. Size:
// bytes of one copy. The data is compared before the copies are timed.
#include "calibrate/cuda/gpu.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace trainyard::calibrate::gpu {
namespace {

/// Host memory, pinned or not.
class HostBuffer
{
public:
  HostBuffer(std::size_t bytes, bool pinned) : pinned_{pinned}
  {
    if (pinned_)
      check(cudaMallocHost(&data_, bytes));
    else
      data_ = std::malloc(bytes);
    if (data_ == nullptr)
      throw std::bad_alloc{};
  }
  ~HostBuffer()
  {
    if (pinned_)
      cudaFreeHost(data_);
    else
      std::free(data_);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  unsigned char* data() const { return static_cast<unsigned char*>(data_); }

private:
  void* data_ = nullptr;
  bool pinned_;
};

class Copies final : public GpuMeasurement
{
public:
  std::vector<GpuCase> cases(int, bool quick) const override
  {
    std::vector<std::string> curves{"host_to_device.pinned", "device_to_host.pinned", "host_to_device.pageable",
                                    "device_to_host.pageable", "device_to_device"};
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    if (devices > 1)
      curves.emplace_back("peer");
    std::vector<GpuCase> list;
    for (const std::string& curve : curves)
      for (double bytes = 1024; bytes <= 268435456; bytes *= quick ? 64 : 4)
        list.push_back({"gpu_copy." + curve, bytes, "B"});
    return list;
  }

  Samples measure(const std::string& curve, double size, int device, const SamplingRule& rule) override
  {
    const auto bytes = static_cast<std::size_t>(size);
    const Timer timer;
    const Buffer here{bytes};
    if (curve == "gpu_copy.peer")
      return peer(here, bytes, device, timer, rule);
    if (curve == "gpu_copy.device_to_device") {
      const Buffer there{bytes};
      fill(here, Type::fp8, 1.0F, timer.stream());
      const auto copy = [&](cudaStream_t stream) {
        check(cudaMemcpyAsync(there.data(), here.data(), bytes, cudaMemcpyDeviceToDevice, stream));
      };
      copy(timer.stream());
      check(cudaStreamSynchronize(timer.stream()));
      compare(there, bytes, element_byte(here));
      return sample_on(timer, rule, copy);
    }
    const HostBuffer host{bytes, curve.ends_with("pinned")};
    std::memset(host.data(), 0x5A, bytes);
    check(cudaMemcpy(here.data(), host.data(), bytes, cudaMemcpyHostToDevice));
    compare(here, bytes, 0x5A);
    const bool to_device = curve.find("host_to_device") != std::string::npos;
    if (!to_device) { // and the way back
      std::memset(host.data(), 0, bytes);
      check(cudaMemcpy(host.data(), here.data(), bytes, cudaMemcpyDeviceToHost));
      for (std::size_t i = 0; i < bytes; ++i)
        if (host.data()[i] != 0x5A)
          throw std::runtime_error{"the copy changed the data"};
    }
    const auto copy = [&](cudaStream_t stream) {
      if (to_device)
        check(cudaMemcpyAsync(here.data(), host.data(), bytes, cudaMemcpyHostToDevice, stream));
      else
        check(cudaMemcpyAsync(host.data(), here.data(), bytes, cudaMemcpyDeviceToHost, stream));
    };
    return sample_on(timer, rule, copy);
  }

private:
  static unsigned char element_byte(const Buffer& buffer)
  {
    unsigned char value = 0;
    check(cudaMemcpy(&value, buffer.data(), 1, cudaMemcpyDeviceToHost));
    return value;
  }

  static void compare(const Buffer& buffer, std::size_t bytes, unsigned char expected)
  {
    std::vector<unsigned char> back(bytes);
    check(cudaMemcpy(back.data(), buffer.data(), bytes, cudaMemcpyDeviceToHost));
    for (const unsigned char value : back)
      if (value != expected)
        throw std::runtime_error{"the copy changed the data"};
  }

  static Samples peer(const Buffer& here, std::size_t bytes, int device, const Timer& timer, const SamplingRule& rule)
  {
    int devices = 0, direct = 0;
    check(cudaGetDeviceCount(&devices));
    const int other = (device + 1) % devices;
    check(cudaDeviceCanAccessPeer(&direct, device, other));
    if (direct != 0)
      if (const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0); status != cudaErrorPeerAccessAlreadyEnabled)
        check(status);
    cudaGetLastError();
    check(cudaSetDevice(other));
    const std::unique_ptr<Buffer> there = std::make_unique<Buffer>(bytes);
    check(cudaSetDevice(device));
    fill(here, Type::fp8, 1.0F, timer.stream());
    const auto copy = [&](cudaStream_t stream) {
      check(cudaMemcpyPeerAsync(there->data(), other, here.data(), device, bytes, stream));
    };
    copy(timer.stream());
    check(cudaStreamSynchronize(timer.stream()));
    compare(*there, bytes, element_byte(here));
    return sample_on(timer, rule, copy);
  }
};

TY_REGISTER(GpuMeasurement, Copies, "gpu_copy", "copies between host, device and the next device");

} // namespace
} // namespace trainyard::calibrate::gpu
