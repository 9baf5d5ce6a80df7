// SPDX-License-Identifier: Apache-2.0
// Fragmentation gradient descent (Weng et al., USENIX ATC 2023): a task goes where it increases the expected
// fragmentation least.
//
// Fragmentation of a node = mean over typical task types of the idle GPU share that such a task could not use there.
// Typical types are the most frequent (CPU, GPUs, share) that make up 95 % of the workload. Score = floor(100
// sigmoid((F before - F after) / 1000 milli-GPU)).
#include "sim/cluster/placement_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace trainyard {
namespace {

struct TypicalTask {
  std::int64_t cpu_milli = 0;
  int gpus = 0;
  int gpu_milli = 0;
  double frequency = 0;
};

struct Idle {
  std::int64_t cpu = 0;
  std::array<std::int16_t, 32> gpus{};
  std::size_t count = 0;
};

class Fgd final : public PlacementPolicy
{
public:
  void begin(const NodePool&, const Workload& workload, const Random&) override
  {
    std::map<std::tuple<int, int, int>, int> counts;
    for (const TraceJob& job : workload.jobs)
      ++counts[{job.cpu_milli, job.gpus, job.gpus > 0 ? job.gpu_milli : 0}];
    std::vector<std::pair<int, std::tuple<int, int, int>>> order;
    for (const auto& [type, count] : counts)
      order.emplace_back(-count, type);
    std::ranges::sort(order);
    double covered = 0;
    types_.clear();
    for (const auto& [count, type] : order) {
      if (covered >= 0.95 * static_cast<double>(workload.jobs.size()))
        break;
      covered -= count;
      types_.push_back({std::get<0>(type), std::get<1>(type), std::get<2>(type), -static_cast<double>(count)});
    }
    for (TypicalTask& type : types_)
      type.frequency /= covered;
    known_.clear();
  }

  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    std::vector<Known>& known = known_[request.task];
    known.resize(static_cast<std::size_t>(nodes.size()));
    return place_by_score(nodes, request, Split::largest, [&](const NodePool& pool, int node, const TaskRequest& task) {
      if (request.tasks == 0 && request.task.gpus > 1 && task != request.task)
        return score(pool, node, task); // a piece of a gang
      Known& here = known[static_cast<std::size_t>(node)];
      if (!here.valid || here.version != pool.state(node).version)
        here = {true, pool.state(node).version, score(pool, node, task)};
      return here.score;
    });
  }

private:
  struct Known {
    bool valid = false;
    std::uint32_t version = 0;
    NodeScore score;
  };

  double fragmentation(const Idle& idle) const
  {
    int all = 0;
    for (std::size_t i = 0; i < idle.count; ++i)
      all += idle.gpus[i];
    double sum = 0;
    for (const TypicalTask& type : types_) {
      int fitting = 0;
      int unusable = 0;
      for (std::size_t i = 0; i < idle.count; ++i) {
        if (idle.gpus[i] >= type.gpu_milli)
          ++fitting;
        else
          unusable += idle.gpus[i];
      }
      const bool hosted = type.gpus > 0 && fitting >= type.gpus && idle.cpu >= type.cpu_milli;
      sum += type.frequency * (hosted ? unusable : all);
    }
    return sum;
  }

  NodeScore score(const NodePool& pool, int node, const TaskRequest& task) const
  {
    Idle before{.cpu = pool.state(node).free_cpu, .gpus = {}, .count = pool.gpu_free(node).size()};
    std::ranges::copy(pool.gpu_free(node), before.gpus.begin());
    const double now = fragmentation(before);
    const auto graded = [&](std::uint32_t mask) {
      Idle after = before;
      after.cpu -= task.cpu_milli;
      for (std::size_t i = 0; i < after.count; ++i)
        if ((mask >> i & 1u) != 0)
          after.gpus[i] = static_cast<std::int16_t>(after.gpus[i] - task.gpu_milli);
      return NodeScore{std::floor(100 / (1 + std::exp(-(now - fragmentation(after)) / 1000))), mask};
    };
    if (!task.shares_gpu())
      return graded(task.gpus == 0 ? 0 : pool.lowest_gpus(node, task));
    NodeScore best{-1, 0};
    for (std::size_t i = 0; i < before.count; ++i) {
      if (before.gpus[i] < task.gpu_milli)
        continue;
      const NodeScore here = graded(1u << i);
      if (here.score > best.score)
        best = here;
    }
    return best;
  }

  std::vector<TypicalTask> types_;
  std::map<TaskRequest, std::vector<Known>> known_;
};

TY_REGISTER(PlacementPolicy, Fgd, "fgd",
            "fragmentation gradient descent: smallest increase of GPU shares that typical tasks cannot use");

} // namespace
} // namespace trainyard
