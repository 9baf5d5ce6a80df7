// SPDX-License-Identifier: Apache-2.0
// By the calendar: every night, every week.
#include "sim/sources/retraining/need_trigger.hpp"

namespace trainyard {
namespace {

class Periodic final : public NeedTrigger
{
public:
  explicit Periodic(const Settings& settings) : variation_{settings.number("spread", 0)} {}

  static std::vector<Parameter> parameters()
  {
    return {{"spread", "number", "0",
             "deviation of each need from its time, as a share of the period (uniform, both sides)", 0, 0.5}};
  }

  std::optional<Instant> after_need(Instant need, Instant period, RandomStream& random) const override
  {
    if (variation_ == 0)
      return need + period;
    return need + std::max(Instant{1}, Instant{seconds(period) * (1 + variation_ * (2 * random.uniform() - 1))});
  }

private:
  double variation_;
};

TY_REGISTER(NeedTrigger, Periodic, "periodic", "once per period");

} // namespace
} // namespace trainyard
