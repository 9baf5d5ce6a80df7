// SPDX-License-Identifier: Apache-2.0
// Concept drift at random: the world changes suddenly, once per period on average (a Poisson process).
#include "sim/sources/retraining/need_trigger.hpp"

namespace trainyard {
namespace {

class Drift final : public NeedTrigger
{
public:
  std::optional<Instant> after_need(Instant need, Instant period, RandomStream& random) const override
  {
    return need + std::max(Instant{1}, Instant{Seconds{random.exponential(seconds(period).value())}});
  }
};

TY_REGISTER(NeedTrigger, Drift, "drift", "at random, once per period on average (sudden concept drift)");

} // namespace
} // namespace trainyard
