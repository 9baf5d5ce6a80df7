// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/fusion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace trainyard {
namespace {

std::vector<Gradient> four_gradients()
{
  return {{3, 1_MB, 10_ms}, {2, 2_MB, 12_ms}, {1, 30_MB, 21_ms}, {0, 4_MB, 40_ms}};
}

Seconds slow_network(Bytes payload)
{
  return 1_ms + payload / BytesPerSecond{1e9};
}

std::vector<Bucket> fuse(const std::string& name, const Settings& settings = {})
{
  return Registry<Fusion>::instance().create(name, settings)->buckets(four_gradients(), slow_network);
}

TEST(Fusion, EveryPolicySendsEveryByteOnceAndInOrder)
{
  for (const std::string& name : Registry<Fusion>::instance().names()) {
    SCOPED_TRACE(name);
    Bytes sum;
    std::size_t last = 0;
    for (const Bucket& bucket : fuse(name)) {
      sum += bucket.bytes;
      EXPECT_GE(bucket.last, last);
      EXPECT_GE(bucket.not_before, four_gradients()[bucket.last].ready);
      last = bucket.last;
    }
    EXPECT_DOUBLE_EQ(sum.value(), 37e6);
    EXPECT_TRUE(Registry<Fusion>::instance().create(name)->buckets({}, slow_network).empty());
  }
}

TEST(Fusion, BucketsCloseAtTheirCapacityAndTheFirstOneEarly)
{
  Settings settings;
  settings.set("bucket_size", 25e6);
  settings.set("first_bucket_size", 1e6);
  const std::vector<Bucket> buckets = fuse("buckets", settings);
  ASSERT_EQ(buckets.size(), 3u); // 1 | 2 + 30 | 4
  EXPECT_DOUBLE_EQ(buckets[1].bytes.value(), 32e6);
  EXPECT_EQ(buckets[1].last, 2u);
}

// As PyTorch 2.5 and newer: of 1, 2, 30 and 4 MB, 1 + 2 pass 1 MiB by default; a chosen capacity of 25 MB takes 1 + 2
// + 30.
TEST(Fusion, AChosenCapacityHoldsForTheFirstBucketToo)
{
  const std::vector<Bucket> by_default = fuse("buckets");
  ASSERT_EQ(by_default.size(), 3u);
  EXPECT_DOUBLE_EQ(by_default[0].bytes.value(), 3e6);
  Settings settings;
  settings.set("bucket_size", 25e6);
  const std::vector<Bucket> chosen = fuse("buckets", settings);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_DOUBLE_EQ(chosen[0].bytes.value(), 33e6);
}

TEST(Fusion, HorovodFusesWhatACycleFindsReady)
{
  Settings settings;
  settings.set("cycle_time", 5e-3);
  settings.set("fusion_threshold", 64e6);
  const std::vector<Bucket> buckets = fuse("horovod", settings);
  // Cycles end at 10, 15, 25, 40 ms (the thread sleeps while nothing is ready, in whole cycles).
  ASSERT_EQ(buckets.size(), 4u);
  EXPECT_NEAR(buckets[0].not_before.value(), 10e-3, 1e-9);
  EXPECT_NEAR(buckets[1].not_before.value(), 15e-3, 1e-9);
  EXPECT_NEAR(buckets[2].not_before.value(), 25e-3, 1e-9);
}

TEST(Fusion, ABlockingHorovodLooksAgainWhenTheExchangeIsOver)
{
  Settings settings;
  settings.set("cycle_time", 5e-3);
  settings.set("fusion_threshold", 64e6);
  settings.set("blocking", 1.0);
  const std::vector<Bucket> buckets = fuse("horovod", settings);
  // 10 ms: 1 MB until 12; 17 ms: 2 MB until 20; 25 ms: 30 MB until 56; 61 ms: the last one.
  ASSERT_EQ(buckets.size(), 4u);
  EXPECT_NEAR(buckets[1].not_before.value(), 17e-3, 1e-9);
  EXPECT_NEAR(buckets[3].not_before.value(), 61e-3, 1e-9);
}

TEST(Fusion, MergingCollectsWhatBecomesReadyWhileTheNetworkIsBusy)
{
  // 1 MB starts at 10 and would leave the network idle at 12; 2 MB at 12 until 15; 30 MB at 21 until 52, then 4 MB.
  const std::vector<Bucket> buckets = fuse("merged");
  ASSERT_EQ(buckets.size(), 4u);
  // A network of 0.1 GB/s is busy with the 1 MB until 21 ms: 2 and 30 MB become one message.
  const auto slow = [](Bytes payload) { return 1_ms + payload / BytesPerSecond{1e8}; };
  const std::vector<Bucket> merged = Registry<Fusion>::instance().create("merged")->buckets(four_gradients(), slow);
  ASSERT_EQ(merged.size(), 3u);
  EXPECT_DOUBLE_EQ(merged[1].bytes.value(), 32e6);
}

/// When the messages of a policy end, one after another.
Seconds end_of(const std::string& policy, const std::vector<Gradient>& gradients, const CollectiveEstimate& estimate)
{
  Seconds free;
  for (const Bucket& bucket : Registry<Fusion>::instance().create(policy)->buckets(gradients, estimate))
    free = std::max(free, bucket.not_before) + estimate(bucket.bytes);
  return free;
}

// Long wires: what is merged ends no later than with any other policy, and no later on a faster network.
TEST(Fusion, MergingIsNeverSlowerThanNotMergingAndGainsFromAFasterNetwork)
{
  std::mt19937 random{1};
  const auto between = [&](double least, double most) {
    return least * std::pow(most / least, std::uniform_real_distribution{0.0, 1.0}(random));
  };
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<Gradient> gradients;
    const double largest = between(1e4, 1e7), longest = between(1e-5, 1e-3);
    for (int layer = static_cast<int>(between(1, 200)); layer-- > 0;)
      gradients.push_back({layer, Bytes{between(1e3, largest)},
                           (gradients.empty() ? Seconds{} : gradients.back().ready) + Seconds{between(1e-6, longest)}});
    const double latency = between(1e-5, 1e-2), rate = between(1e8, 1e11);
    const auto network = [](double start_up, double bandwidth) {
      return [=](Bytes payload) { return Seconds{start_up} + payload / BytesPerSecond{bandwidth}; };
    };
    const Seconds merged = end_of("merged", gradients, network(latency, rate));
    for (const char* other : {"none", "single", "buckets"})
      EXPECT_LE(merged, end_of(other, gradients, network(latency, rate)) * (1 + 1e-9)) << other;
    EXPECT_LE(end_of("merged", gradients, network(latency, rate * 2)), merged * (1 + 1e-9));
    EXPECT_LE(end_of("merged", gradients, network(latency / 2, rate)), merged * (1 + 1e-9));
  }
}

TEST(Fusion, PartitionsCutLargeTensors)
{
  EXPECT_EQ(fuse("partitioned").size(), 1u + 1u + 8u + 1u);
}

} // namespace
} // namespace trainyard
