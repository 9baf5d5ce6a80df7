// SPDX-License-Identifier: Apache-2.0
// Collectives by NCCL: all GPUs of the machine in one process, or one GPU per process with a rendezvous file. Size:
// bytes as nccl-tests counts them (the larger of send and receive buffer of one rank). Time is that of one call,
// started on all GPUs; data is checked first.
#include "calibrate/cuda/gpu.hpp"
#include "calibrate/gpu_interface.h"

#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <thread>
#include <unistd.h>

namespace trainyard::calibrate::gpu {
namespace {

void check(ncclResult_t status, std::source_location where = std::source_location::current())
{
  if (status != ncclSuccess)
    fail(std::string{"NCCL: "} + ncclGetErrorString(status), where);
}
using ::trainyard::calibrate::gpu::check;

struct Rendezvous {
  int rank = 0;
  int ranks = 0; // 0 = one process with all GPUs
  ncclUniqueId id{};
};

Rendezvous& rendezvous()
{
  static Rendezvous one;
  return one;
}

/// The communicators of this process, one per GPU that it drives.
class Group
{
public:
  /// @p most: GPUs of this machine that take part; 0: all.
  explicit Group(int device, int most = 0)
  {
    if (rendezvous().ranks > 0) {
      devices_ = {device};
      communicators_.resize(1);
      ranks_ = rendezvous().ranks;
      check(ncclCommInitRank(communicators_.data(), ranks_, rendezvous().id, rendezvous().rank));
    } else {
      int count = 0;
      check(cudaGetDeviceCount(&count));
      count = most > 0 ? std::min(most, count) : count;
      for (int i = 0; i < count; ++i)
        devices_.push_back(i);
      communicators_.resize(devices_.size());
      ranks_ = count;
      check(ncclCommInitAll(communicators_.data(), count, devices_.data()));
    }
    streams_.resize(devices_.size());
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      check(cudaSetDevice(devices_[i]));
      check(cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking));
    }
  }
  ~Group()
  {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      cudaSetDevice(devices_[i]);
      cudaStreamDestroy(streams_[i]);
      if (!broken())
        ncclCommDestroy(communicators_[i]);
    }
    cudaSetDevice(devices_.front());
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int ranks() const { return ranks_; }
  std::size_t size() const { return devices_.size(); }
  void use(std::size_t i) const { check(cudaSetDevice(devices_[i])); }
  ncclComm_t communicator(std::size_t i) const { return communicators_[i]; }
  cudaStream_t stream(std::size_t i) const { return streams_[i]; }
  /// Waits until all streams are done; a peer that is gone, or silent for two minutes, is an error.
  void wait() const
  {
    const double begin = wall_seconds();
    for (std::size_t i = 0; i < size(); ++i) {
      use(i);
      for (unsigned turn = 1;; ++turn) {
        const cudaError_t status = cudaStreamQuery(streams_[i]);
        if (status == cudaSuccess)
          break;
        if (status != cudaErrorNotReady)
          check(status);
        if (turn % 1024 != 0)
          continue;
        ncclResult_t remote = ncclSuccess;
        check(ncclCommGetAsyncError(communicators_[i], &remote));
        if (remote != ncclSuccess || wall_seconds() - begin > silent_seconds) {
          for (const ncclComm_t communicator : communicators_)
            ncclCommAbort(communicator);
          communicators_.clear();
          fail(remote != ncclSuccess ? std::string{"NCCL: "} + ncclGetErrorString(remote)
                                     : "NCCL: a peer did not answer within the time limit",
               std::source_location::current());
        }
      }
    }
  }
  bool broken() const { return communicators_.empty(); }

private:
  static constexpr double silent_seconds = 120;

  std::vector<int> devices_;
  mutable std::vector<ncclComm_t> communicators_; // empty after an abort
  std::vector<cudaStream_t> streams_;
  int ranks_ = 1;
};

/// Made once: it takes seconds, and an identity of a rendezvous serves one meeting only.
const Group& shared_group(int device)
{
  static std::unique_ptr<Group> group;
  if (group && group->broken())
    throw std::runtime_error{"the group of GPUs is unusable since the last error"};
  if (!group)
    group = std::make_unique<Group>(device);
  return *group;
}

constexpr const char* operations[] = {"all_reduce", "broadcast",      "reduce",
                                      "all_gather", "reduce_scatter", "all_to_all"};

class Collectives final : public GpuMeasurement
{
public:
  std::string missing(int) const override
  {
    int count = 0;
    check(cudaGetDeviceCount(&count));
    return count < 2 && rendezvous().ranks < 2
               ? "one GPU only: nothing to exchange (join other machines with --rank, --ranks, --rendezvous)"
               : "";
  }

  std::vector<GpuCase> cases(int, bool quick) const override
  {
    std::vector<GpuCase> list;
    for (const char* operation : operations)
      for (double bytes = 1024; bytes <= (quick ? 67108864 : 536870912); bytes *= quick ? 64 : 8)
        list.push_back({std::string{"gpu_collectives."} + operation, bytes, "B"});
    return list;
  }

  Samples measure(const std::string& curve, double size, int device, const SamplingRule& rule) override
  {
    const std::string operation = curve.substr(curve.find('.') + 1);
    const Group& group = shared_group(device);
    const auto ranks = static_cast<std::size_t>(group.ranks());
    const std::size_t part = std::max<std::size_t>(1, static_cast<std::size_t>(size) / sizeof(float) / ranks);
    const std::size_t count = part * ranks;
    std::vector<std::unique_ptr<Buffer>> from, to;
    for (std::size_t i = 0; i < group.size(); ++i) {
      group.use(i);
      from.push_back(std::make_unique<Buffer>(count * sizeof(float)));
      to.push_back(std::make_unique<Buffer>(count * sizeof(float)));
      // Rank r sends r + 1 everywhere: sums, order and origin of what arrives are known.
      fill(*from.back(), Type::fp32, static_cast<float>(rank_of(i) + 1), group.stream(i));
      fill(*to.back(), Type::fp32, 0.0F, group.stream(i));
    }
    group.wait();
    const auto once = [&] {
      check(ncclGroupStart());
      for (std::size_t i = 0; i < group.size(); ++i)
        call(operation, group, i, from[i]->data(), to[i]->data(), part, count);
      check(ncclGroupEnd());
    };
    once();
    group.wait();
    verify(operation, group, to, part, count);
    group.use(0);
    SamplingRule fixed = rule;
    if (rendezvous().ranks > 0) { // all ranks must make the same number of calls
      fixed.least = fixed.most = 10;
      fixed.noise = 1e9;
      fixed.least_seconds = 0;
      fixed.most_seconds = 1e9;
    }
    const int repeat = size < 1e6 ? 20 : 2;
    return sample(fixed, [&] {
      const double begin = wall_seconds();
      for (int i = 0; i < repeat; ++i)
        once();
      group.wait();
      return (wall_seconds() - begin) / repeat;
    });
  }

private:
  static void call(const std::string& operation, const Group& group, std::size_t i, void* from, void* to,
                   std::size_t part, std::size_t count)
  {
    const ncclComm_t communicator = group.communicator(i);
    const cudaStream_t stream = group.stream(i);
    if (operation == "all_reduce") {
      check(ncclAllReduce(from, to, count, ncclFloat, ncclSum, communicator, stream));
    } else if (operation == "broadcast") {
      check(ncclBroadcast(from, to, count, ncclFloat, 0, communicator, stream));
    } else if (operation == "reduce") {
      check(ncclReduce(from, to, count, ncclFloat, ncclSum, 0, communicator, stream));
    } else if (operation == "all_gather") {
      check(ncclAllGather(from, to, part, ncclFloat, communicator, stream));
    } else if (operation == "reduce_scatter") {
      check(ncclReduceScatter(from, to, part, ncclFloat, ncclSum, communicator, stream));
    } else {
      for (int peer = 0; peer < group.ranks(); ++peer) {
        check(ncclSend(static_cast<float*>(from) + part * static_cast<std::size_t>(peer), part, ncclFloat, peer,
                       communicator, stream));
        check(ncclRecv(static_cast<float*>(to) + part * static_cast<std::size_t>(peer), part, ncclFloat, peer,
                       communicator, stream));
      }
    }
  }

  static void verify(const std::string& operation, const Group& group, const std::vector<std::unique_ptr<Buffer>>& to,
                     std::size_t part, std::size_t count)
  {
    const bool sums = operation == "all_reduce" || operation == "reduce" || operation == "reduce_scatter";
    const auto ranks = static_cast<std::size_t>(group.ranks());
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (operation == "reduce" && rank_of(i) != 0)
        continue; // only the root receives
      group.use(i);
      const std::size_t blocks = operation == "reduce_scatter" ? 1 : ranks;
      for (std::size_t block = 0; block < blocks; ++block) {
        // Sums are 1 + 2 + … + ranks, a broadcast is the root's 1, and blocks that are gathered or exchanged bear their
        // sender.
        const float expected = sums                       ? static_cast<float>(ranks * (ranks + 1) / 2)
                               : operation == "broadcast" ? 1.0F
                                                          : static_cast<float>(block + 1);
        for (const std::size_t index : {block * part, (block + 1) * part - 1})
          if (const float value = element(*to[i], Type::fp32, std::min(index, count - 1)); value != expected)
            throw std::runtime_error{operation + " gave " + std::to_string(value) + " instead of " +
                                     std::to_string(expected)};
      }
    }
  }

  /// Of the whole group: this process may drive one GPU of it, or all.
  static int rank_of(std::size_t i) { return rendezvous().ranks > 0 ? rendezvous().rank : static_cast<int>(i); }
};

/// All-reduce inside the machine, by number of GPUs and from the small sizes of tensor parallelism on.
class AllReduce final : public GpuMeasurement
{
public:
  std::string missing(int) const override
  {
    return devices() < 2 || rendezvous().ranks > 0 ? "needs a machine with two GPUs and one process for them" : "";
  }

  std::vector<GpuCase> cases(int, bool quick) const override
  {
    std::vector<GpuCase> list;
    for (int ranks = 2; ranks <= devices(); ranks *= 2) {
      const std::string curve = "gpu_all_reduce." + std::to_string(ranks);
      for (double bytes = 4096; bytes <= 16777216; bytes *= quick ? 16 : 2)
        list.push_back({curve, bytes, "B"});
      for (const double bytes : quick ? std::vector<double>{} : std::vector{134217728.0, 1073741824.0})
        list.push_back({curve, bytes, "B"});
    }
    return list;
  }

  Samples measure(const std::string& curve, double size, int device, const SamplingRule& rule) override
  {
    const Group& group = group_of(device, std::stoi(curve.substr(curve.find('.') + 1)));
    const auto count = static_cast<std::size_t>(size) / sizeof(float);
    std::vector<std::unique_ptr<Buffer>> data, sum;
    for (std::size_t i = 0; i < group.size(); ++i) {
      group.use(i);
      data.push_back(std::make_unique<Buffer>(count * sizeof(float)));
      sum.push_back(std::make_unique<Buffer>(count * sizeof(float)));
      fill(*data.back(), Type::fp32, static_cast<float>(i + 1), group.stream(i));
    }
    group.wait();
    const auto once = [&] {
      check(ncclGroupStart());
      for (std::size_t i = 0; i < group.size(); ++i)
        check(ncclAllReduce(data[i]->data(), sum[i]->data(), count, ncclFloat, ncclSum, group.communicator(i),
                            group.stream(i)));
      check(ncclGroupEnd());
    };
    once();
    group.wait();
    const auto expected = static_cast<float>(group.size() * (group.size() + 1) / 2);
    for (std::size_t i = 0; i < group.size(); ++i) {
      group.use(i);
      if (const float value = element(*sum[i], Type::fp32, count - 1); value != expected)
        throw std::runtime_error{"all_reduce gave " + std::to_string(value) + " instead of " +
                                 std::to_string(expected)};
    }
    group.use(0);
    const int repeat = size < 1e6 ? 50 : 4;
    return sample(rule, [&] {
      const double begin = wall_seconds();
      for (int i = 0; i < repeat; ++i)
        once();
      group.wait();
      return (wall_seconds() - begin) / repeat;
    });
  }

private:
  static int devices()
  {
    int count = 0;
    check(cudaGetDeviceCount(&count));
    return count;
  }

  /// The last one is kept: it takes seconds to make.
  static const Group& group_of(int device, int ranks)
  {
    static std::unique_ptr<Group> group;
    if (!group || group->broken() || group->ranks() != ranks) {
      group.reset();
      group = std::make_unique<Group>(device, ranks);
    }
    return *group;
  }
};

TY_REGISTER(GpuMeasurement, AllReduce, "gpu_all_reduce", "all-reduce by size and number of GPUs");
TY_REGISTER(GpuMeasurement, Collectives, "gpu_collectives", "NCCL collectives over all GPUs");

} // namespace
} // namespace trainyard::calibrate::gpu

using trainyard::calibrate::gpu::rendezvous;

extern "C" void ty_gpu_rendezvous(int rank, int ranks, const char* file, double seconds, char* error, int size)
{
  std::snprintf(error, static_cast<std::size_t>(size), "%s", "");
  try {
    rendezvous().rank = rank;
    rendezvous().ranks = ranks;
    const std::string name = file;
    if (rank == 0) {
      if (const ncclResult_t status = ncclGetUniqueId(&rendezvous().id); status != ncclSuccess)
        throw std::runtime_error{std::string{"NCCL: "} + ncclGetErrorString(status)};
      {
        std::ofstream out{name + ".part", std::ios::binary};
        out.write(reinterpret_cast<const char*>(&rendezvous().id), sizeof(ncclUniqueId));
        if (!out)
          throw std::runtime_error{"cannot write '" + name + ".part'"};
      }
      if (std::rename((name + ".part").c_str(), name.c_str()) != 0)
        throw std::runtime_error{"cannot write '" + name + "'"};
      return;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      std::ifstream in{name, std::ios::binary};
      if (in && in.read(reinterpret_cast<char*>(&rendezvous().id), sizeof(ncclUniqueId)))
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    throw std::runtime_error{"rank 0 did not write '" + name + "' within the time limit"};
  } catch (const std::exception& fault) {
    std::snprintf(error, static_cast<std::size_t>(size), "%s", fault.what());
  }
}
