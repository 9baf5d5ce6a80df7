// SPDX-License-Identifier: Apache-2.0
#include "models/job/generator.hpp"

namespace trainyard {
namespace {

/// Bursts: batches of a geometric number of jobs, a second apart on average, at Poisson times.
class Bursty final : public ArrivalProcess
{
public:
  explicit Bursty(const Settings& settings) : size_{settings.number("burst_size", 10)} {}

  static std::vector<Parameter> parameters()
  {
    return {{"burst_size", "number", "10", "mean number of jobs in a burst", 1, 1e6}};
  }

  Seconds next(Seconds now, Seconds mean, RandomStream& random) override
  {
    if (random.uniform() * size_ >= 1) // the burst goes on
      return now + Seconds{random.exponential(1)};
    return now + Seconds{random.exponential(mean.value() * size_)};
  }

private:
  double size_;
};

TY_REGISTER(ArrivalProcess, Bursty, "bursty", "bursts of jobs at Poisson times");

} // namespace
} // namespace trainyard
