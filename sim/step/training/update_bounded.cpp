// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/update_rule.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// Stale synchronous parallel: as asynchronous, but no worker is more than `staleness` steps ahead of the slowest.
///
/// A worker gets a tensor for step k once every worker has pushed that tensor in step k - s - 1: servers hold replies
/// back by tensor, as those of ps-lite do. Source: Ho et al., "More effective distributed ML via a stale synchronous
/// parallel parameter server", NIPS 2013.
class BoundedUpdate final : public UpdateRule
{
public:
  explicit BoundedUpdate(const Settings& settings) : staleness_{settings.integer("staleness", 3)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "staleness",
             .kind = "integer",
             .default_value = "3",
             .meaning = "number of steps that the fastest worker may be ahead of the slowest",
             .minimum = 0,
             .source = "Ho et al., NIPS 2013"}};
  }

  bool aggregates() const override { return false; }
  std::vector<int> contributors(std::span<const Seconds>) const override { return {}; }
  std::optional<int> all_must_have_finished(int step) const override { return step - staleness_ - 1; }

  /// A worker that takes f while the slowest takes t is s + 1 steps ahead, and waits from then on, after (s + 1) t / (t
  /// - f) steps. Twice that, because messages make the steps less unequal than the computing; 500 at most, where t and
  /// f differ by too little to matter.
  int settling_steps(std::span<const Seconds> compute_times) const override
  {
    if (compute_times.empty())
      return 0;
    const auto [fastest, slowest] = std::ranges::minmax(compute_times);
    if (slowest <= fastest * 1.001)
      return 0;
    return static_cast<int>(std::min(500.0, std::ceil(2 * (staleness_ + 1) * (slowest / (slowest - fastest)))));
  }

private:
  int staleness_;
};

TY_REGISTER(UpdateRule, BoundedUpdate, "bounded",
            "as async, but at most `staleness` steps between the fastest and the slowest worker");

} // namespace
} // namespace trainyard
