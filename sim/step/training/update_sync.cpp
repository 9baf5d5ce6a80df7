// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/update_rule.hpp"

#include <algorithm>
#include <numeric>

namespace trainyard {
namespace {

/// Synchronous SGD: an update waits for all workers but the `backup_workers` slowest, and all begin the next step
/// together.
///
/// Which workers are too late is decided by when their gradients arrive: the computing of the step and the way to the
/// busiest server. A late worker finishes its step and its gradient is dropped (tf.train.SyncReplicasOptimizer with
/// replicas_to_aggregate < total_num_replicas; Chen et al., arXiv:1604.00981).
class SyncUpdate final : public UpdateRule
{
public:
  explicit SyncUpdate(const Settings& settings) : backup_{settings.integer("backup_workers", 0)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "backup_workers",
             .kind = "integer",
             .default_value = "0",
             .meaning = "number of workers, or machines that sum their gradients first, that an update does not "
                        "wait for",
             .minimum = 0,
             .source = "arXiv:1604.00981"}};
  }

  bool aggregates() const override { return true; }

  std::vector<int> contributors(std::span<const Seconds> times) const override
  {
    std::vector<int> order(times.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int worker) { return times[static_cast<std::size_t>(worker)]; });
    const int workers = static_cast<int>(order.size());
    order.resize(static_cast<std::size_t>(std::max(1, workers - backup_)));
    std::ranges::sort(order);
    return order;
  }

  std::optional<int> all_must_have_finished(int step) const override { return step - 1; }

private:
  int backup_;
};

TY_REGISTER(UpdateRule, SyncUpdate, "sync",
            "one update per step from all workers, which then start the next step together");

} // namespace
} // namespace trainyard
