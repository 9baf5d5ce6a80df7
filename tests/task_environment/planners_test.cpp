// SPDX-License-Identifier: Apache-2.0
/// Which training starts next: worked by hand, directly at the planners.
#include "sim/sources/retraining/job_planner.hpp"
#include "sim/sources/retraining/need_trigger.hpp"
#include "sim/sources/retraining/shared_link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace trainyard {
namespace {

using ::testing::ElementsAre;

/// Four trainings on two GPU types with two GPUs each; the second type is twice as slow for all but the last one.
std::vector<QueuedTraining> four()
{
  return {{.model = 0, .priority = 1, .gpus = 2, .duration_s = {10, 20}},
          {.model = 1, .priority = 3, .gpus = 2, .duration_s = {40, 80}},
          {.model = 2, .priority = 2, .gpus = 2, .duration_s = {20, 40}},
          {.model = 3, .priority = 3, .gpus = 2, .duration_s = {30, 30}}};
}

std::vector<std::size_t> choices(JobPlanner& planner, const std::vector<QueuedTraining>& queue)
{
  const std::vector<int> two{2, 2};
  std::vector<std::size_t> list;
  for (const TrainingChoice& choice : planner.choose({Instant{}, queue, {}, two, two}))
    list.push_back(choice.queued);
  return list;
}

std::unique_ptr<JobPlanner> planner(const std::string& name)
{
  return Registry<JobPlanner>::instance().create(name);
}

TEST(JobPlanners, FifoAndNoneKeepTheOrderOfSubmission)
{
  EXPECT_THAT(choices(*planner("fifo"), four()), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(choices(*planner("none"), four()), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(planner("fifo")->controls());
  EXPECT_FALSE(planner("none")->controls());
}

TEST(JobPlanners, PriorityTakesTheMostImportantFirstAndEqualOnesInOrder)
{
  EXPECT_THAT(choices(*planner("priority"), four()), ElementsAre(1, 3, 2, 0));
}

TEST(JobPlanners, PlansStartTheLongestFirstWhereItEndsFirst)
{
  // Mean durations 60 (1), 30 (2), 30 (3), 15 (0). List: 1 on type 0 until 40; 2 on type 1 until 40 (sooner than 60); 3
  // and 0 follow at 40.
  const auto list = planner("list");
  EXPECT_THAT(choices(*list, four()), ElementsAre(1, 2));
  // 3 then ends on type 0 or 1 at 70, 0 on the other one at 50 or 60: makespan 70.
  EXPECT_DOUBLE_EQ(list->first_makespan(), 70);
  ASSERT_EQ(list->first_problem().jobs.size(), 4U);
  const double optimum = optimal_makespan(list->first_problem()).value().value();
  EXPECT_LE(optimum, 70);
  EXPECT_GE(optimum, 50); // 100 s of work on the fast type alone, or shared with the slow one
  // Clustering: every training on the type that suits it best, which is type 0 for all (3: equal, the first).
  EXPECT_THAT(choices(*planner("clustering"), four()), ElementsAre(1));
  for (const char* name : {"genetic", "mixed"}) {
    const auto search = planner(name);
    EXPECT_FALSE(choices(*search, four()).empty());
    EXPECT_LE(search->first_makespan(), 70) << name;
    EXPECT_GE(search->first_makespan(), optimum) << name;
  }
}

TEST(NeedTriggers, EachFollowsItsRule)
{
  using std::chrono::hours;
  RandomStream random = Random{3}.stream("needs");
  const auto create = [](const char* name, double spread = 0) {
    Settings settings;
    settings.set("spread", spread);
    return Registry<NeedTrigger>::instance().create(name, settings);
  };
  EXPECT_EQ(create("periodic")->after_need(hours{5}, hours{24}, random), Instant{hours{29}});
  double sum = 0;
  for (int i = 0; i < 4000; ++i) {
    const Instant gap = *create("periodic", 0.25)->after_need(Instant{}, hours{24}, random);
    EXPECT_GE(gap, Instant{hours{18}});
    EXPECT_LE(gap, Instant{hours{30}});
    sum += seconds(*create("drift")->after_need(Instant{}, hours{24}, random)).value() / 4000;
  }
  EXPECT_NEAR(sum, 86400, 86400 * 4 / std::sqrt(4000.0)); // four standard errors
  EXPECT_FALSE(create("age")->after_need(hours{5}, hours{24}, random));
  EXPECT_EQ(create("age")->after_deployment(hours{9}, hours{5}, hours{24}), Instant{hours{29}});
  EXPECT_EQ(create("age")->after_deployment(hours{40}, hours{5}, hours{24}), Instant{hours{40}});
}

TEST(SharedLinks, TransfersShareEvenlyAndOneLimitLeavesTheRestToTheOthers)
{
  // 10 B/s. a: 100 B from 0 s; b: 30 B from 2 s, at most 2 B/s: b runs 2-17 s, a 10 B/s for 2 s, then 8 B/s: 80/8 = 10
  // s, until 12 s.
  EventLoop loop;
  SharedLink link{loop, BytesPerSecond{10}};
  Instant a{}, b{};
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  link.start(Bytes{100}, BytesPerSecond{unlimited}, [&] { a = loop.now(); });
  loop.at(std::chrono::seconds{2}, [&] { link.start(Bytes{30}, BytesPerSecond{2}, [&] { b = loop.now(); }); });
  loop.run(std::chrono::hours{1});
  EXPECT_EQ(a, Instant{std::chrono::seconds{12}});
  EXPECT_EQ(b, Instant{std::chrono::seconds{17}});
}

TEST(SharedLinks, StoppingOneSpeedsUpTheOther)
{
  // Two of 100 B at 10 B/s: 5 B/s each; one is stopped at 10 s, the other has 50 B left: 15 s.
  EventLoop loop;
  SharedLink link{loop, BytesPerSecond{10}};
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  Instant end{};
  link.start(Bytes{100}, BytesPerSecond{unlimited}, [&] { end = loop.now(); });
  const int other = link.start(Bytes{100}, BytesPerSecond{unlimited}, [] { FAIL(); });
  loop.at(std::chrono::seconds{10}, [&] { link.stop(other); });
  loop.run(std::chrono::hours{1});
  EXPECT_EQ(end, Instant{std::chrono::seconds{15}});
}

} // namespace
} // namespace trainyard
