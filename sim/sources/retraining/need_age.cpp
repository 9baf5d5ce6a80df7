// SPDX-License-Identifier: Apache-2.0
// By the age of the data: when those of the deployed model have become one period old, a new one is needed; the next
// need waits for its deployment, so retrainings never overlap, and needs come more slowly where training is slow.
#include "sim/sources/retraining/need_trigger.hpp"

namespace trainyard {
namespace {

class Age final : public NeedTrigger
{
public:
  std::optional<Instant> after_need(Instant, Instant, RandomStream&) const override { return std::nullopt; }
  std::optional<Instant> after_deployment(Instant now, Instant data, Instant period) const override
  {
    return std::max(now, data + period);
  }
  bool waits_for_deployment() const override { return true; }
};

TY_REGISTER(NeedTrigger, Age, "age", "when the data of the deployed model are one period old");

} // namespace
} // namespace trainyard
