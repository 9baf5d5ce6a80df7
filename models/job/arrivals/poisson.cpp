// SPDX-License-Identifier: Apache-2.0
#include "models/job/generator.hpp"

namespace trainyard {
namespace {

/// Independent submissions: exponential times between them.
class Poisson final : public ArrivalProcess
{
public:
  Seconds next(Seconds now, Seconds mean, RandomStream& random) override
  {
    return now + Seconds{random.exponential(mean.value())};
  }
};

TY_REGISTER(ArrivalProcess, Poisson, "poisson", "independent submissions, exponential times between them");

} // namespace
} // namespace trainyard
