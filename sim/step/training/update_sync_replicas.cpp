// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/update_rule.hpp"

#include <algorithm>
#include <numeric>

namespace trainyard {
namespace {

/// tf.train.SyncReplicasOptimizer: workers wait for tokens, not for each other (models/cost/sync_tokens.hpp).
///
/// The order in which gradients come is that of the workers' computing times.
class SyncReplicasUpdate final : public UpdateRule
{
public:
  explicit SyncReplicasUpdate(const Settings& settings)
      : backup_{settings.integer("backup_workers", 0)}, initial_{settings.integer("initial_tokens", -1)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    return {{.name = "initial_tokens",
             .kind = "integer",
             .default_value = "-1",
             .meaning = "tokens that there are at the start; -1: as many as gradients of an update",
             .minimum = -1,
             .source = "tf.train.SyncReplicasOptimizer.get_init_tokens_op"}};
  }

  bool aggregates() const override { return true; }
  std::vector<int> contributors(std::span<const Seconds> times) const override
  {
    std::vector<int> all(times.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::optional<int> all_must_have_finished(int step) const override { return step - 1; }
  std::optional<TokenRules> tokens(int workers) const override
  {
    return TokenRules{.replicas = workers, .to_aggregate = std::max(1, workers - backup_), .initial_tokens = initial_};
  }

  /// The tokens of the start are used up after about as many rounds as there are tokens for each worker.
  int settling_steps(std::span<const Seconds>) const override { return 3; }

private:
  int backup_;
  int initial_;
};

TY_REGISTER(UpdateRule, SyncReplicasUpdate, "sync_replicas",
            "one update per step from as many gradients as there are workers; they wait for tokens, not for each other "
            "(TensorFlow's SyncReplicasOptimizer)");

} // namespace
} // namespace trainyard
