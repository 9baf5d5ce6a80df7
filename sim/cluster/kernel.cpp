// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/kernel.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainyard {

void Kernel::run(Instant until)
{
  constexpr int most_rounds = 100'000;
  Instant now{};
  while (true) {
    check_interrupt();
    Instant soonest = end_of_time;
    for (const Source* source : sources_)
      soonest = std::min(soonest, source->next().value_or(end_of_time));
    if (soonest > until || soonest >= end_of_time)
      break;
    now = std::max(now, soonest);
    for (Source* source : sources_)
      source->forward(now);
    bool acted = true;
    for (int round = 0; acted; ++round) {
      acted = false;
      for (Source* source : sources_)
        if (source->next().value_or(end_of_time) <= now) {
          source->act(now);
          acted = true;
        }
      if (round > most_rounds)
        throw std::logic_error{"the sources of work never come to rest at one instant"};
    }
  }
  for (Source* source : sources_)
    source->forward(until);
}

} // namespace trainyard
