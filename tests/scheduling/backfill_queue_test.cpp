// SPDX-License-Identifier: Apache-2.0
// The queue that finds whom to backfill, against a plain walk through all that wait.
#include "models/core/random.hpp"
#include "sim/sources/queue/policies/backfill_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <list>
#include <vector>

namespace trainyard {
namespace {

TEST(BackfillQueue, FindsWhatAWalkThroughTheQueueFinds)
{
  struct Waiting {
    JobId id;
    std::int64_t needed;
    Instant length;
    std::int64_t order;
  };
  RandomStream draw = Random{3}.stream("queue");
  BackfillQueue queue;
  std::list<Waiting> plain;
  std::int64_t arrivals = 0;
  std::vector<Waiting> gone; // some of them come back and have their old turn
  for (int round = 0; round < 20'000; ++round) {
    if (!gone.empty() && draw.uniform() < 0.05) {
      const Waiting job = gone.at(draw.below(gone.size()));
      std::erase_if(gone, [&](const Waiting& other) { return other.order == job.order; });
      plain.insert(std::ranges::upper_bound(plain, job.order, {}, &Waiting::order), job);
      queue.push(job.id, job.order, job.needed, job.length);
      continue;
    }
    if (draw.uniform() < 0.4) {
      const Waiting job{JobId{round}, 1000 << draw.below(4), Instant{1 + static_cast<int>(draw.below(50))}, arrivals++};
      plain.push_back(job);
      queue.push(job.id, job.order, job.needed, job.length);
      continue;
    }
    const std::int64_t most = 1000 * static_cast<std::int64_t>(draw.below(10)),
                       left_over = 1000 * static_cast<std::int64_t>(draw.below(6));
    const Instant length{static_cast<int>(draw.below(60)) - 5};
    const std::int64_t after =
        draw.uniform() < 0.5 ? -1 : static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(arrivals + 1)));
    const auto found = queue.first(after, most, length, left_over);
    auto wanted = plain.begin();
    while (wanted != plain.end() && !(wanted->order > after && wanted->needed <= most &&
                                      (wanted->length <= length || wanted->needed <= left_over)))
      ++wanted;
    ASSERT_EQ(found.has_value(), wanted != plain.end()) << "round " << round;
    if (!found)
      continue;
    ASSERT_EQ(found->id, wanted->id) << "round " << round;
    EXPECT_EQ(found->needed, wanted->needed);
    EXPECT_EQ(found->ends_before, wanted->length <= length);
    if (draw.uniform() < 0.9) {
      queue.remove(*found);
      gone.push_back(*wanted);
      plain.erase(wanted);
    }
    ASSERT_EQ(queue.size(), plain.size());
  }
}

} // namespace
} // namespace trainyard
