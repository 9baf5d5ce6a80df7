// SPDX-License-Identifier: Apache-2.0
/// Whatever messages are lost and trainings fail: no request is lost without a reason, none is served twice, times and
/// GPUs add up, and every run ends.
#include "tests/task_environment/environment_support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace trainyard {
namespace {

constexpr const char* environment = R"(
cluster:
  node_types: {gpu: {gpu: V100-SXM2-16GB, gpus: 4}}
  nodes: [{name: gpu, type: gpu, count: 2}]
task_environment:
  models:
    - {name: a, train_time: 90 min, gpus: 4, period: 3 h, data: 20 GB, parts: 4, result: 200 MB, variation: 0.5, time_out: 5 h, priority: 2}
    - {name: b, train_time: 40 min, gpus: 2, copies: 3, trigger: drift, period: 2 h, data: 5 GB, result: 1 GB, variation: 1, time_out: 3 h}
    - {name: c, train_time: 2 h, gpus: 8, trigger: age, period: 4 h, data: 1 GB, checkpoint: 3 GB, checkpoint_interval: 20 min, time_out: 9 h}
  duplicates: [replace, {name: wait, limit: 20 min}, coalesce, forbid, allow]
  planner: [priority, fifo, list, clustering, genetic, mixed, none]
  planner_period: 3 min
  upload: {bandwidth: 400 Mbit/s, corruption: 10 %, confirm: {by: polling, period: 2 min}}
  messages: {loss: 30 %, latency: 200 ms, tries: 2, retry_after: 5 s}
  status: {by: polling, period: 1 min}
  save: {bandwidth: 20 MB/s}
  download: {bandwidth: 10 MB/s}
  deploy: {replicas: 4, parallelism: 1, delay: 20 s, stop_and_start: 40 s}
  mean_time_to_failure: 30 h
run: {until: 4 d}
)";

struct Stay {
  Instant from, to;
  int gpus;
};

void check_invariants(const EnvironmentResult& result, const std::string& what)
{
  SCOPED_TRACE(what);
  EXPECT_EQ(result.end, Instant{std::chrono::hours{96}});
  EXPECT_LE(result.lost_messages, result.messages);
  std::map<int, int> numbers;
  std::map<int, int> deployed;
  std::map<int, Instant> data;
  for (const Deployment& one : result.deployments) {
    EXPECT_EQ(++deployed[one.request], 1) << "served twice";
    const auto before = data.find(one.model);
    EXPECT_TRUE(before == data.end() || before->second < one.data) << "older data replace newer ones";
    data[one.model] = one.data;
  }
  double gpu_seconds = 0, wasted = 0;
  for (const Request& request : result.requests) {
    EXPECT_EQ(request.number, ++numbers[request.model]);
    EXPECT_EQ(std::accumulate(request.spent.begin(), request.spent.end(), Instant{}), request.end - request.need);
    for (const Instant spent : request.spent)
      EXPECT_GE(spent, Instant{0});
    EXPECT_EQ(request.reason.empty(), request.ended == RequestEnd::deployed) << to_text(request.ended);
    EXPECT_EQ(deployed.contains(request.id), request.ended == RequestEnd::deployed);
    EXPECT_LE(request.end, result.end);
    EXPECT_LE(request.wasted_gpu_seconds, request.gpu_seconds * (1 + 1e-9));
    EXPECT_LE(request.redone_gpu_seconds, request.gpu_seconds * (1 + 1e-9));
    if (request.ended == RequestEnd::deployed) {
      EXPECT_EQ(request.deployed, request.end);
      EXPECT_LE(request.trained, request.deployed);
    }
    gpu_seconds += request.gpu_seconds;
    wasted += request.wasted_gpu_seconds;
  }
  EXPECT_GE(wasted, 0);
  // GPUs: by stays, by requests and by the load over time.
  std::vector<std::pair<Instant, int>> changes;
  double stayed = 0;
  for (const TrainingStay& stay : result.stays) {
    EXPECT_LE(stay.from, stay.to);
    EXPECT_LE(stay.to, result.end);
    changes.emplace_back(stay.from, stay.gpus);
    changes.emplace_back(stay.to, -stay.gpus);
    stayed += stay.gpus * seconds(stay.to - stay.from).value();
  }
  std::ranges::sort(changes);
  int busy = 0;
  for (const auto& [at, change] : changes) {
    busy += change;
    EXPECT_LE(busy, result.gpus);
    EXPECT_GE(busy, 0);
  }
  double loaded = 0;
  for (std::size_t i = 1; i < result.load.size(); ++i)
    loaded += result.load[i - 1].busy_gpus * seconds(result.load[i].at - result.load[i - 1].at).value();
  EXPECT_NEAR(stayed, gpu_seconds, 1e-6 * (1 + stayed));
  EXPECT_NEAR(stayed, loaded, 1e-6 * (1 + stayed));
}

std::string fingerprint(const EnvironmentResult& result)
{
  std::string text;
  for (const Request& request : result.requests)
    text += fmt::format("{} {} {};", request.need.count(), request.end.count(), to_text(request.ended));
  for (const EnvironmentEvent& event : result.events)
    text += fmt::format("{} {};", event.at.count(), event.what.text);
  return text;
}

TEST(TaskEnvironmentProperties, HoldForEveryPolicyPlannerAndWayOverAThousandSeeds)
{
  const std::vector<tests::Changes> ways = {
      {},
      {{"task_environment.submission", "blind"}, {"task_environment.status.by", "message"}},
      {{"task_environment.submission", "once"}, {"task_environment.status", "{by: storage, period: 4 min}"}},
      {{"task_environment.submission", "once"},
       {"task_environment.upload.confirm.by", "message"},
       {"task_environment.models.1.attempts", "1"}},
      {{"task_environment.cluster", "false"}, {"task_environment.messages.loss", "60 %"}},
      {{"task_environment.mean_time_to_failure", "3 h"}, {"task_environment.upload.corruption", "70 %"}}};
  int runs = 0;
  std::uint64_t seed = 1;
  std::map<RequestEnd, int> ends;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    tests::EnvironmentCase one{environment, ways[way]};
    for (std::size_t duplicates = 0; duplicates < 5; ++duplicates)
      for (std::size_t planner = 0; planner < 7; ++planner)
        for (int i = 0; i < 5; ++i, ++runs, ++seed) {
          const EnvironmentResult result = one.run(duplicates, planner, seed);
          check_invariants(result,
                           fmt::format("way {}, policy {}, planner {}, seed {}", way, duplicates, planner, seed));
          for (const Request& request : result.requests)
            ++ends[request.ended];
          if (::testing::Test::HasFailure())
            return;
          if (i == 0 && planner % 3 == 0) {
            EXPECT_EQ(fingerprint(result), fingerprint(one.run(duplicates, planner, seed)));
          }
        }
  }
  EXPECT_GE(runs, 1000);
  for (const RequestEnd end : {RequestEnd::open, RequestEnd::deployed, RequestEnd::outdated, RequestEnd::replaced,
                               RequestEnd::coalesced, RequestEnd::forbidden, RequestEnd::failed, RequestEnd::lost})
    EXPECT_GT(ends[end], 0) << to_text(end) << " was never met";
}

TEST(TaskEnvironmentProperties, MoreBandwidthAndFewerLossesAreNeverLater)
{
  // Of one model alone, where nothing else can change: the mean time to the deployed model.
  const auto mean = [](const tests::Changes& more) {
    tests::Changes changes = {
        {"task_environment.models", "[{name: a, train_time: 90 min, gpus: 4, period: 5 h, data: 20 GB, result: 1 GB}]"},
        {"task_environment.planner_period", "0 s"},
        {"task_environment.mean_time_to_failure", "30000 h"},
        {"run.until", "20 d"}};
    changes.insert(changes.end(), more.begin(), more.end());
    return tests::metrics_of(tests::EnvironmentCase{environment, changes}.run()).need_to_deployed.mean_at_least();
  };
  const double base = mean({});
  EXPECT_LT(mean({{"task_environment.upload.bandwidth", "1 Gbit/s"}}), base);
  EXPECT_LT(mean({{"task_environment.download.bandwidth", "100 MB/s"}}), base);
  EXPECT_LT(mean({{"task_environment.messages.loss", "0 %"}}), base);
  EXPECT_LT(mean({{"task_environment.upload.corruption", "0 %"}}), base);
}

} // namespace
} // namespace trainyard
