// SPDX-License-Identifier: Apache-2.0
#include "models/job/generator.hpp"

#include <cmath>
#include <numbers>

namespace trainyard {
namespace {

/// Poisson with a rate that swings once a day: rate x (1 + swing x sin), busiest in the afternoon. Thinning after Lewis
/// and Shedler (1979).
class Diurnal final : public ArrivalProcess
{
public:
  explicit Diurnal(const Settings& settings)
      : swing_{settings.number("swing", 0.8)}, peak_hour_{settings.number("peak_hour", 15)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    return {{"swing", "number", "0.8", "amplitude of the daily swing as a share of the mean rate, 0 to 1", 0, 1},
            {"peak_hour", "number", "15", "hour of the day with most submissions", 0, 24}};
  }

  Seconds next(Seconds now, Seconds mean, RandomStream& random) override
  {
    const double most = (1 + swing_) / mean.value();
    double time = now.value();
    for (;;) {
      time += random.exponential(1 / most);
      const double phase = (time / 3600 - peak_hour_) / 24 * 2 * std::numbers::pi;
      if (random.uniform() * (1 + swing_) < 1 + swing_ * std::cos(phase))
        return Seconds{time};
    }
  }

private:
  double swing_;
  double peak_hour_;
};

TY_REGISTER(ArrivalProcess, Diurnal, "diurnal", "Poisson with a daily swing");

} // namespace
} // namespace trainyard
