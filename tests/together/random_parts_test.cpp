// SPDX-License-Identifier: Apache-2.0
// Random scenarios of several parts: nobody holds a GPU twice, nothing is lost, equal seeds give equal bytes, and a
// part left out is as if it had never been there.
#include "models/core/random.hpp"
#include "tests/together/mixed.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace trainyard {
namespace {

using tests::Mixed;
using tests::three_machines;
using together::LeftOut;
using together::Stay;
using together::TogetherRun;

/// Three parts, small enough for many seeds.
std::string small_scenario(RandomStream& draw)
{
  const auto whole = [&](int from, int to) { return from + static_cast<int>(draw.uniform() * (to - from + 1)); };
  const auto chance = [&](double share) { return draw.uniform() < share; };
  std::string text = three_machines;
  const char* policies[] = {"fifo",       "srtf",     "las",   "easy_backfill",
                            "fair_share", "priority", "gavel", "{name: time_slicing, slice: 2 h}",
                            "drf"};
  const char* placements[] = {"first_fit", "pack", "spread", "best_fit"};
  const bool queue = chance(0.85);
  const bool services = chance(0.8) || !queue;
  const bool retraining = chance(0.7) || !(queue && services);
  if (queue) {
    text += "workload:\n  jobs:\n";
    const int jobs = whole(1, 12);
    for (int i = 0; i < jobs; ++i)
      text += fmt::format("    - {{name: j{}, submit: {} s, duration: {} s, gpus: {}, priority: {}}}\n", i,
                          whole(0, 2000), whole(10, 3000), whole(1, 6), whole(0, 3));
    text += fmt::format(
        "scheduling: {{policy: {}, placement: {}, start_cost: {} s, restart_cost: {} s, checkpoint_interval: 5 min, "
        "checkpoint_cost: {} s}}\n",
        policies[whole(0, 8)], placements[whole(0, 3)], whole(0, 20), whole(0, 30), chance(0.5) ? whole(1, 400) : 0);
  }
  if (services) {
    text += "orchestrator: kubernetes\nservices:\n";
    text += fmt::format("  - {{name: serve, kind: serving, replicas: {}, resources: {{gpus: 1}}, serving: {{capacity: "
                        "10, rate: [{{from: 0 s, "
                        "rate: {}}}, {{from: {} s, rate: {}}}], scales: true, scale_delay: 30 s}}}}\n",
                        whole(1, 3), whole(1, 20), whole(100, 1500), whole(1, 60));
    if (chance(0.5))
      text += fmt::format(
          "  - {{name: batch, kind: training, coupling: {}, replicas: {}, resources: {{gpus: {}}}, work: {} s}}\n",
          chance(0.5) ? "mpi" : "independent", whole(1, 4), whole(1, 2), whole(100, 2000));
  }
  if (retraining) {
    const bool through_queue = queue && chance(0.5);
    const char* duplicates[] = {"replace", "forbid", "coalesce", "allow"};
    text += fmt::format(
        "task_environment:\n  models:\n    - {{name: a, train_time: {} s, gpus: {}, period: {} s, data: 1 GB}}\n"
        "    - {{name: b, train_time: {} s, gpus: {}, period: {} s, first: {} s, data: 100 MB, parts: 3{}}}\n",
        whole(60, 900), whole(1, 4), whole(600, 2400), whole(60, 900), whole(1, 8), whole(600, 2400), whole(0, 900),
        through_queue && chance(0.5) ? ", priority: 2, variation: 0.4, team: research, checkpoint_interval: 1 min"
                                     : "");
    text += fmt::format("  duplicates: {}\n", duplicates[whole(0, 3)]);
    if (through_queue)
      text += fmt::format("  through: queue\n{}", chance(0.3) ? "  mean_time_to_failure: 1 h\n" : "");
  }
  if (chance(0.7)) {
    const char* hit[] = {"node:box-0", "node:box-2", "rack:0", "rack:1", "gpu:box-1/2"};
    text += fmt::format("faults:\n  list: [\"{}@{}s+{}s\"]\n", hit[whole(0, 4)], whole(100, 2500), whole(30, 1500));
    if (chance(0.3))
      text += "  mtbf: {node: 2 h, mttr: 5 min}\n";
  }
  return text + fmt::format("run: {{until: 1 h, seed: {}}}\n", whole(1, 1000));
}

/// The most thousandths of one GPU that are held at once; who leaves at an instant makes room for who comes.
int most_held(const std::vector<Stay>& stays)
{
  std::map<std::pair<std::string, int>, std::vector<std::pair<Instant, int>>> changes;
  for (const Stay& stay : stays)
    for (int gpu = 0; gpu < 32; ++gpu)
      if ((stay.gpu_mask >> gpu & 1u) != 0 && stay.to > stay.from) {
        changes[{stay.node, gpu}].emplace_back(stay.from, stay.gpu_milli);
        changes[{stay.node, gpu}].emplace_back(stay.to, -stay.gpu_milli);
      }
  int most = 0;
  for (auto& [gpu, list] : changes) {
    std::ranges::sort(list);
    int held = 0;
    for (const auto& [time, milli] : list)
      most = std::max(most, held += milli);
  }
  return most;
}

TEST(Together, TheCheckSeesAGpuThatIsHeldTwice)
{
  const Stay first{Seconds{0}, Seconds{10}, "queue", "a", "box-0", 1, 1000, 0b10},
      next{Seconds{10}, Seconds{20}, "services", "b", "box-0", 1, 1000, 0b10};
  EXPECT_EQ(most_held({first, next}), 1000);
  EXPECT_EQ(most_held({first, {Seconds{9}, Seconds{20}, "services", "b", "box-0", 1, 1000, 0b10}}), 2000);
  EXPECT_EQ(most_held({first, {Seconds{9}, Seconds{20}, "services", "b", "box-0", 1, 1000, 0b01}}), 1000);
}

std::string timeline(const TogetherRun& run, Instant until)
{
  std::string text;
  for (const Stay& stay : stays_of(run, until))
    text += fmt::format("{} {} {} {} {} {}\n", stay.source, stay.name, stay.node, stay.gpu_mask, stay.from.value(),
                        stay.to.value());
  return text;
}

/// So many random scenarios of queue, services, retraining and failures keep the books.
void check_random_scenarios(int rounds)
{
  RandomStream draw = Random{20}.stream("together");
  int with_all = 0, interrupted = 0, queued = 0, stopped = 0, withdrawn = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = small_scenario(draw);
    SCOPED_TRACE(text);
    Mixed mixed{text};
    const Instant until = mixed.until();
    const TogetherRun run = mixed.run();
    with_all += run.queue && run.services && run.retraining ? 1 : 0;
    const std::vector<Stay> stays = stays_of(run, until);
    ASSERT_LE(most_held(stays), 1000);
    // On a machine that is down for the queue nothing of the queue or of retraining runs.
    if (run.queue) {
      for (const QueueFailure& failure : run.queue->failures)
        for (const int node : failure.nodes)
          for (const Stay& stay : stays)
            if (stay.source != "services" && stay.node == run.nodes[static_cast<std::size_t>(node)]) {
              const Instant down = failure.at, up = failure.repaired.value_or(until);
              ASSERT_FALSE(stay.from < up && stay.to > down)
                  << stay.source << " " << stay.name << " on " << stay.node << " from " << stay.from.value() << " to "
                  << stay.to.value();
            }
    }
    if (run.queue) {
      // A job's stays are the GPU time that its outcome counts, and a finished job has done all its work.
      std::vector<GpuTime> held(run.queue->result.jobs.size());
      std::vector<Instant> worked(held.size());
      for (const RunRecord& record : run.queue->result.runs) {
        held[static_cast<std::size_t>(record.job.index)] += {record.held.milli(), record.to - record.from};
        worked[static_cast<std::size_t>(record.job.index)] += record.to - record.from;
      }
      for (std::size_t i = 0; i < held.size(); ++i) {
        const JobOutcome& outcome = run.queue->result.jobs[i];
        ASSERT_EQ(held[i], outcome.gpu_time) << i;
        ASSERT_EQ(worked[i], outcome.held_time) << i;
        interrupted += outcome.failures + outcome.preemptions > 0 ? 1 : 0;
        if (outcome.phase == JobPhase::finished) {
          ASSERT_GE(worked[i], run.queue->workload->job(JobId{static_cast<int>(i)}).duration) << i;
        }
      }
    }
    if (run.retraining) {
      double gpu_seconds = 0;
      for (const Request& request : run.retraining->runs.front().requests) { // to the nanosecond
        ASSERT_EQ(std::accumulate(request.spent.begin(), request.spent.end(), Instant{}), request.end - request.need)
            << request.id;
        gpu_seconds += request.gpu_seconds;
      }
      double held = 0;
      for (const Stay& stay : stays)
        if (stay.source == "retraining")
          held += (stay.to - stay.from).value() * stay.gpus;
      ASSERT_NEAR(gpu_seconds, held, 1e-6);
      if (run.queue && !run.queue->result.sent.empty()) { // as the queue counts it, but for the rounding to nanoseconds
        double there = 0;
        for (const JobId id : run.queue->result.sent) {
          const JobOutcome& outcome = run.queue->result.jobs[static_cast<std::size_t>(id.index)];
          there += outcome.gpu_time.value();
          stopped += outcome.preemptions + outcome.failures > 0 ? 1 : 0;
          withdrawn += outcome.phase == JobPhase::withdrawn ? 1 : 0;
        }
        ASSERT_NEAR(gpu_seconds, there, 1e-5);
        ASSERT_NEAR(run.own_jobs.gpu_hours * 3600, run.queue->metrics.gpu_hours * 3600 - there, 1e-5);
        ++queued;
      }
    }
    if (run.services) { // the services' own accounts are exact, or finish() throws; what others hold is part of them
      const OrchestrationResult& result = run.services->result;
      Wide others = 0;
      for (const Stay& stay : stays)
        if (stay.source != "services")
          others += GpuTime{std::int64_t{stay.gpus} * stay.gpu_milli, stay.to - stay.from}.count();
      // A job of the queue may have some GPUs that were free and some on which others still save, and begins later.
      const bool saves = run.queue && text.find("checkpoint_cost: 0 s") == std::string::npos;
      ASSERT_TRUE(saves ? result.elsewhere.gpu >= others : result.elsewhere.gpu == others)
          << gpu_seconds(result.elsewhere.gpu) << " " << gpu_seconds(others);
    }
    if (round % 10 == 0) { // equal seeds, equal bytes
      ASSERT_EQ(timeline(run, until), timeline(mixed.run(), until));
    }
    if (round % 10 == 1 && run.queue && run.services &&
        run.retraining) { // a part left out: as if it had never been there
      const std::size_t begin = text.find("task_environment:"), after = text.find("faults:"),
                        end = after == std::string::npos ? text.find("run:") : after;
      Mixed without{text.substr(0, begin) + text.substr(end)};
      ASSERT_EQ(timeline(mixed.run(LeftOut::retraining), until), timeline(without.run(), until));
    }
  }
  EXPECT_GT(with_all, rounds / 4);
  EXPECT_GT(interrupted, rounds / 4);
  EXPECT_GT(queued, rounds / 8);
  EXPECT_GT(stopped, rounds / 40);
  EXPECT_GT(withdrawn, rounds / 40);
}

TEST(Together, NobodyHoldsAGpuTwiceAndNothingIsLost)
{
  check_random_scenarios(200);
}

TEST(Together, NeitherInTwoThousandScenariosAtLength) // not under the sanitizers: minutes
{
  check_random_scenarios(2000);
}

} // namespace
} // namespace trainyard
