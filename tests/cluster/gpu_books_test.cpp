// SPDX-License-Identifier: Apache-2.0
// What is checked at the end of every run finds books that do not balance.
#include "sim/cluster/gpu_books.hpp"
#include "sim/sources/queue/job_book.hpp"
#include "tests/support/queue_policies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// What is thrown.
std::string breach(const std::function<void()>& what)
{
  try {
    what();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return {};
}

TEST(GpuBooks, SeeTwoHoldersOfOneGpu)
{
  GpuHolders holders;
  const TaskShare two{.node = 1, .gpu_mask = 0b110}, one{.node = 1, .gpu_mask = 0b010}, other{.node = 0, .gpu_mask = 2};
  EXPECT_FALSE(holders.taken(two, Seconds{0}, Seconds{10}));
  EXPECT_FALSE(holders.taken(one, Seconds{10}, Seconds{20})); // who leaves at an instant makes room for who comes
  EXPECT_FALSE(holders.taken(other, Seconds{5}, Seconds{20}));
  EXPECT_FALSE(holders.taken({.node = 1, .gpu_mask = 0b100}, Seconds{10}, Seconds{20}));
  EXPECT_FALSE(holders.taken(two, Seconds{15}, Seconds{15})); // no time
  EXPECT_TRUE(holders.taken(two, Seconds{19}, Seconds{30}));
}

TEST(GpuBooks, PartsOfAGpuMayBeHeldTogetherButNotBesideAWholeOne)
{
  GpuHolders holders;
  const TaskShare half{.gpu_mask = 1, .gpu_milli = 500}, whole{.gpu_mask = 1};
  EXPECT_FALSE(holders.taken(half, Seconds{0}, Seconds{10}));
  EXPECT_FALSE(holders.taken(half, Seconds{5}, Seconds{20}));
  EXPECT_TRUE(holders.taken(whole, Seconds{19}, Seconds{30}));
  EXPECT_TRUE(holders.taken(half, Seconds{29}, Seconds{40}));
}

TEST(GpuBooks, APoolIsHeldForAsLongAsItsHoldersSay)
{
  NodePool pool{ClusterShape::machines(1, 4)};
  PoolBook book{pool};
  const TaskShare share{.gpu_mask = 0b11};
  book.forward(Seconds{5});
  pool.take(share);
  book.forward(Seconds{15});
  pool.give(share);
  book.forward(Seconds{100});
  EXPECT_EQ(breach([&] { book.check(GpuTime{Seconds{20}}.count()); }), "");
  EXPECT_THAT(breach([&] { book.check(GpuTime{Seconds{21}}.count()); }),
              AllOf(HasSubstr("GPUs were held for 20 GPU-seconds, and their holders account for 21"),
                    HasSubstr("please report this with the scenario")));
}

/// The book of a queue with one job of 100 s on all 4 GPUs, which has run for so long.
struct OneJob {
  explicit OneJob(double ran)
  {
    policy->begin(book);
    book.state_of(JobId{0}).remaining = workload.jobs[0].duration;
    book.wait(JobId{0});
    Allocation place{.gpus = 4, .gpu_type = 0, .shares = {{.gpu_mask = 0b1111}}};
    cluster.take(request_of(workload.jobs[0]), place);
    book.run(JobId{0}, std::move(place), {});
    book.advance(Seconds{ran});
    book.stop(JobId{0});
    book.state_of(JobId{0}).phase = JobPhase::finished;
  }

  const Workload workload{.jobs = {tests::job(0, 100, 4)}};
  const ClusterShape shape = ClusterShape::machines(1, 4);
  std::unique_ptr<PlacementPolicy> placement = Registry<PlacementPolicy>::instance().create("first_fit");
  ClusterState cluster{shape, placement.get()};
  std::unique_ptr<QueuePolicy> policy = Registry<QueuePolicy>::instance().create("fifo");
  SchedulingOptions options{.record_runs = true};
  JobBook book{workload, shape, cluster, *policy, options};
};

TEST(GpuBooks, AJobThatEndsHasDoneAllOfItsWorkOnce)
{
  EXPECT_EQ(breach([] { OneJob{100}.book.count_end(JobId{0}); }), "");
  EXPECT_THAT(breach([] { OneJob{60}.book.count_end(JobId{0}); }),
              HasSubstr("job 0 has ended with 60 s of 100 s of work done"));
}

TEST(GpuBooks, AJobAccountsForWhatItHeld)
{
  OneJob right{100};
  EXPECT_EQ(breach([&] { right.book.result(); }), "");
  OneJob more{100};
  more.book.state_of(JobId{0}).gpu_time -= GpuTime{Seconds{8}};
  EXPECT_THAT(breach([&] { more.book.result(); }), HasSubstr("job 0 accounts for 392 GPU-seconds, 0 of them without "
                                                             "progress, and held GPUs for 400"));
  OneJob lost{100};
  lost.book.state_of(JobId{0}).lost_time = GpuTime{Seconds{401}};
  EXPECT_THAT(breach([&] { lost.book.result(); }), HasSubstr("401 of them without progress"));
}

} // namespace
} // namespace trainyard
