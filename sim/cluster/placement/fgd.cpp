// SPDX-License-Identifier: Apache-2.0
// Fragmentation gradient descent (Weng et al., USENIX ATC 2023): a task goes where it increases the expected
// fragmentation least.
//
// Fragmentation of a node = mean over typical task types of the idle GPU share that such a task could not use there.
// Typical types are the most frequent (CPU, GPUs, share, GPU models asked for) that make up 95 % of the workload; a
// type that asks for other models than the machine has can use none of it. Score = floor(100 sigmoid((F before - F
// after) / 1000 milli-GPU)). Details after the artefact, hkust-adsl/kubernetes-scheduler-simulator: pkg/utils/frag.go
// (GetTypicalPods, GetNodePodFrag), pkg/type/resource.go (order of equally frequent types), and its configuration of
// the experiments: 95 %, tasks without GPUs count.
#include "sim/cluster/placement_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

struct TypicalTask {
  std::int64_t cpu_milli = 0;
  int gpus = 0;
  int gpu_milli = 0;
  double frequency = 0;
  int gpu_type = -1;
  int demands = 0;
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
    using Key = std::tuple<int, int, int, std::string>; // CPU, share, GPUs, models
    std::map<Key, TypicalTask> found;
    for (const TraceJob& job : workload.jobs) {
      const int milli = job.gpus > 0 ? job.gpu_milli : 0;
      TypicalTask& type = found[{job.cpu_milli, milli, job.gpus, models_of(workload, job)}];
      type = {job.cpu_milli, job.gpus, milli, type.frequency + 1, job.gpu_type, job.demands};
    }
    std::vector<std::pair<double, Key>> order;
    order.reserve(found.size());
    for (const auto& [key, type] : found)
      order.emplace_back(type.frequency, key);
    std::ranges::sort(order, std::greater{});
    double covered = 0;
    types_.clear();
    for (const auto& [count, key] : order) {
      if (covered >= 0.95 * static_cast<double>(workload.jobs.size()))
        break;
      covered += count;
      types_.push_back(found.at(key));
    }
    for (TypicalTask& type : types_)
      type.frequency /= covered;
    known_.clear();
    usable_.clear();
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

  /// What a task asks for among the models of GPUs, in words; empty: any.
  static std::string models_of(const Workload& workload, const TraceJob& job)
  {
    if (job.gpus == 0)
      return {};
    std::string text =
        job.gpu_type >= 0 ? workload.gpu_types.at(static_cast<std::size_t>(job.gpu_type)) : std::string{};
    if (const auto demands = static_cast<std::size_t>(job.demands); demands > 0 && demands < workload.demands.size())
      for (const auto* labels : {&workload.demands[demands].required, &workload.demands[demands].any_of})
        for (const std::string& label : *labels)
          text += "|" + label;
    return text;
  }

  /// Of each typical type, whether it may go to the machine at all.
  const std::vector<bool>& usable(const NodePool& pool, int node) const
  {
    usable_.resize(static_cast<std::size_t>(pool.size()));
    std::vector<bool>& here = usable_[static_cast<std::size_t>(node)];
    if (here.empty())
      for (const TypicalTask& type : types_)
        here.push_back(type.gpus == 0 || ((type.gpu_type < 0 || type.gpu_type == pool.shape(node).gpu_type) &&
                                          pool.admits(node, type.demands)));
    return here;
  }

  double fragmentation(const Idle& idle, const std::vector<bool>& usable) const
  {
    int all = 0;
    for (std::size_t i = 0; i < idle.count; ++i)
      all += idle.gpus[i];
    double sum = 0;
    for (std::size_t t = 0; t < types_.size(); ++t) {
      const TypicalTask& type = types_[t];
      int fitting = 0;
      int unusable = 0;
      for (std::size_t i = 0; i < idle.count; ++i) {
        if (idle.gpus[i] >= type.gpu_milli)
          ++fitting;
        else
          unusable += idle.gpus[i];
      }
      const bool hosted = usable[t] && type.gpus > 0 && fitting >= type.gpus && idle.cpu >= type.cpu_milli;
      sum += type.frequency * (hosted ? unusable : all);
    }
    return sum;
  }

  NodeScore score(const NodePool& pool, int node, const TaskRequest& task) const
  {
    Idle before{.cpu = pool.state(node).free_cpu, .gpus = {}, .count = pool.gpu_free(node).size()};
    std::ranges::copy(pool.gpu_free(node), before.gpus.begin());
    const std::vector<bool>& types = usable(pool, node);
    const double now = fragmentation(before, types);
    const auto graded = [&](std::uint32_t mask) {
      Idle after = before;
      after.cpu -= task.cpu_milli;
      for (std::size_t i = 0; i < after.count; ++i)
        if ((mask >> i & 1u) != 0)
          after.gpus[i] = static_cast<std::int16_t>(after.gpus[i] - task.gpu_milli);
      return NodeScore{std::floor(100 / (1 + std::exp(-(now - fragmentation(after, types)) / 1000))), mask};
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
  mutable std::vector<std::vector<bool>> usable_; // by machine, by typical type; filled when asked for
};

TY_REGISTER(PlacementPolicy, Fgd, "fgd",
            "fragmentation gradient descent: smallest increase of GPU shares that typical tasks cannot use");

} // namespace
} // namespace trainyard
