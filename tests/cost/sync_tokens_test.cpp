// SPDX-License-Identifier: Apache-2.0
/// SyncReplicasOptimizer's tokens, each case worked out by hand from its source: a round takes 1 s unless a test says
/// otherwise.
#include "models/cost/sync_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace trainyard {
namespace {

using ::testing::ElementsAre;

std::vector<double> seconds(const TokenSchedule& schedule)
{
  std::vector<double> times;
  for (const Seconds time : schedule.updates)
    times.push_back(time.value());
  return times;
}

int dropped(const TokenSchedule& schedule)
{
  int count = 0;
  for (const TokenRound& round : schedule.rounds)
    count += !round.counts && round.step < static_cast<int>(schedule.updates.size()) - 1;
  return count;
}

Seconds one_second(int, int)
{
  return Seconds{1};
}

// Both push at 1 s: first update. Each takes one of the two tokens of the start and computes on: at 2 s both gradients
// are of step 0, dropped. The tokens of the first update let them go on: at 3 s the second update, from then on one a
// second.
TEST(SyncTokens, TheTokensOfTheStartCostEqualWorkersOneRound)
{
  const TokenSchedule schedule = token_schedule({2, 2}, std::vector<TokenWorker>(2), one_second, 4);
  EXPECT_THAT(seconds(schedule), ElementsAre(1, 3, 4, 5));
  EXPECT_EQ(dropped(schedule), 2);
}

// Without them everybody waits for the first update.
TEST(SyncTokens, WithoutTokensAtTheStartTheFirstStepIsABarrier)
{
  const TokenSchedule schedule = token_schedule({2, 2, 0}, std::vector<TokenWorker>(2), one_second, 3);
  EXPECT_THAT(seconds(schedule), ElementsAre(1, 2, 3));
  EXPECT_EQ(dropped(schedule), 0);
}

// The second worker comes at 10.5 s. Until then the first one makes both gradients of each update: at 2 s, where it
// has used one token of the start and holds the other, dropped at 3 s; then it has two tokens for each: 5, 7, 9, ...
// The newcomer begins at 10.5 s without a token, in step 4 (updates at 2, 5, 7, 9).
TEST(SyncTokens, AbsentWorkersAreNotWaitedFor)
{
  const std::vector<TokenWorker> workers{{}, {Seconds{10.5}}};
  const TokenSchedule schedule = token_schedule({2, 2}, workers, one_second, 8);
  // 10: first gradient of step 4 (its second token is under way until 11); 11: update. The newcomer's gradient of
  // 11.5 is of step 4, dropped; it takes one of the two tokens made at 11, the other was taken at 11: 12 the first's,
  // 12.5 the newcomer's, update. From then on the newcomer's push at the half second makes it: both begin then.
  EXPECT_THAT(seconds(schedule), ElementsAre(2, 5, 7, 9, 11, 12.5, 13.5, 14.5));
}

// A worker that dies in a round has its token: the other one waits for ever (tensorflow issue 5022: "the only expected
// hang is that when some worker took the token AND died AND didn't restart AND no backups available").
TEST(SyncTokens, ALostTokenStopsTheOthersWhereNoBackupIsThere)
{
  const std::vector<TokenWorker> workers{{}, {Seconds{}, Seconds{4.5}}};
  EXPECT_THAT(seconds(token_schedule({2, 2}, workers, one_second, 8)), ElementsAre(1, 3, 4));
  // Three of four gradients: the token of the lost one is missed once, and three workers go on.
  const std::vector<TokenWorker> four{{}, {}, {}, {Seconds{}, Seconds{4.5}}};
  EXPECT_EQ(token_schedule({4, 3}, four, one_second, 50).updates.size(), 50U);
}

// Four planned, k there. Without tokens to spare each update takes ceil(4 / k) rounds: nobody begins the next step.
TEST(SyncTokens, FewerWorkersNeedWholeRoundsMore)
{
  EXPECT_NEAR(token_update_rate({4, 4}, {1, 1, 1, 1}), 1, 1e-9);
  EXPECT_NEAR(token_update_rate({4, 4}, {1, 1, 1}), 1.0 / 2, 1e-9);
  EXPECT_NEAR(token_update_rate({4, 4}, {1, 1}), 1.0 / 2, 1e-9);
  EXPECT_NEAR(token_update_rate({4, 4}, {1}), 1.0 / 4, 1e-9);
}

// All four there: the slowest holds one of four tokens, so its time counts. With three gradients of four, all four
// tokens of an update are used in the long run, by gradients that count or that are too late: there are at most 3.5
// rounds a second, and workers wait for tokens at times. Two workers never wait.
TEST(SyncTokens, TheSlowestHoldsATokenUnlessOneMayBeMissing)
{
  EXPECT_NEAR(token_update_rate({4, 4}, {1, 1, 1, 0.5}), 1.0 / 2, 1e-9);
  EXPECT_GT(token_update_rate({4, 3}, {1, 1, 1, 0.5}), 1.0 / 2);
  EXPECT_LE(token_update_rate({4, 3}, {1, 1, 1, 0.5}), 3.5 / 4);
  EXPECT_NEAR(token_update_rate({4, 3}, {1, 1}), 2.0 / 4, 1e-9);
}

} // namespace
} // namespace trainyard
