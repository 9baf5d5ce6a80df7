// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/update_rule.hpp"

namespace trainyard {
namespace {

/// Asynchronous SGD: each gradient is applied when it arrives and its worker goes on at once. No barrier; gradients are
/// stale.
class AsyncUpdate final : public UpdateRule
{
public:
  bool aggregates() const override { return false; }
  std::vector<int> contributors(std::span<const Seconds>) const override { return {}; }
  std::optional<int> all_must_have_finished(int) const override { return std::nullopt; }
};

TY_REGISTER(UpdateRule, AsyncUpdate, "async", "each gradient is applied when it arrives; no worker waits");

} // namespace
} // namespace trainyard
