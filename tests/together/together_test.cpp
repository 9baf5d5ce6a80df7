// SPDX-License-Identifier: Apache-2.0
// A queue, services and retraining on the same machines: alone under the kernel each is what it is without it, together
// nobody holds a GPU twice and nothing is lost.
#include "models/core/data_folder.hpp"
#include "models/job/generator.hpp"
#include "sim/cluster/kernel.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/retraining/retraining_source.hpp"
#include "sim/sources/services/prepare.hpp"
#include "sim/sources/services/services_source.hpp"
#include "sim/sources/together/together.hpp"
#include "sim/study/point_evaluator.hpp"
#include "tests/support/places.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace trainyard {
namespace {

using together::LeftOut;
using together::Stay;
using together::TogetherPoint;
using together::TogetherRun;

const Catalogue& catalogue()
{
  static const Catalogue read = load_catalogue(data_folder());
  return read;
}

/// A scenario text, read and checked; faults are thrown.
CheckedPoint point_of(const std::string& text)
{
  static const Parts parts = registered_parts();
  Diagnostics diagnostics;
  const Document document = parse_document(text, "test.yaml", diagnostics);
  diagnostics.throw_if_errors();
  const CheckedPoint point = check_point(SweepPoint{{}, document}, catalogue(), parts, diagnostics);
  diagnostics.throw_if_errors();
  return point;
}

std::string faults_in(const std::string& text)
{
  Diagnostics diagnostics;
  const Document document = parse_document(text, "test.yaml", diagnostics);
  check_points(document, diagnostics);
  std::string all;
  for (const Diagnostic& fault : diagnostics.sorted())
    all += fault.message + "\n";
  return all;
}

constexpr const char* machines = R"(
cluster:
  node_types:
    box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16, memory: 64 GB}
  nodes: [{name: box, type: box, count: 3, per_rack: 2}]
  network: {link: 25GbE}
)";

/// Three parts, small enough for many seeds.
std::string small_scenario(RandomStream& draw)
{
  const auto whole = [&](int from, int to) { return from + static_cast<int>(draw.uniform() * (to - from + 1)); };
  const auto chance = [&](double share) { return draw.uniform() < share; };
  std::string text = machines;
  const char* policies[] = {"fifo", "srtf", "las", "easy_backfill", "fair_share", "priority"};
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
        "scheduling: {{policy: {}, placement: {}, start_cost: {} s, restart_cost: {} s, checkpoint_interval: 5 min}}\n",
        policies[whole(0, 5)], placements[whole(0, 3)], whole(0, 20), whole(0, 30));
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

/// The most thousandths of one GPU that are held at once. Parts hand over within a microsecond: services count in whole
/// ones.
int most_held(const std::vector<Stay>& stays)
{
  std::map<std::pair<std::string, int>, std::vector<std::pair<double, int>>> changes;
  for (const Stay& stay : stays)
    for (int gpu = 0; gpu < 32; ++gpu)
      if ((stay.gpu_mask >> gpu & 1u) != 0 && stay.to - stay.from > Seconds{2e-6}) {
        changes[{stay.node, gpu}].emplace_back(stay.from.value() + 1e-6, stay.gpu_milli);
        changes[{stay.node, gpu}].emplace_back(stay.to.value() - 1e-6, -stay.gpu_milli);
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
    const CheckedPoint point = point_of(text);
    std::string notes;
    TogetherPoint prepared{point, catalogue(), notes};
    const NamedPart& policy = prepared.queue().scheduling.policies.front();
    const NamedPart& placement = prepared.queue().scheduling.placements.front();
    const Instant until = instant(point.scenario.run.until);
    const TogetherRun run = prepared.run(policy, placement, LeftOut::nothing);
    with_all += run.queue && run.services && run.retraining ? 1 : 0;
    const std::vector<Stay> stays = stays_of(run, until);
    ASSERT_LE(most_held(stays), 1000);
    // On a machine that is down for the queue nothing of the queue or of retraining runs.
    if (run.queue) {
      for (const QueueFailure& failure : run.queue->failures)
        for (const int node : failure.nodes)
          for (const Stay& stay : stays)
            if (stay.source != "services" && stay.node == run.nodes[static_cast<std::size_t>(node)]) {
              const double down = failure.at.value(),
                           up = failure.repaired ? failure.repaired->value() : seconds(until).value();
              ASSERT_FALSE(stay.from.value() < up - 1e-6 && stay.to.value() > down + 1e-6)
                  << stay.source << " " << stay.name << " on " << stay.node << " from " << stay.from.value() << " to "
                  << stay.to.value();
            }
    }
    if (run.queue) {
      // A job's stays are the GPU time that its outcome counts, and a finished job has done all its work.
      std::vector<double> held(run.queue->result.jobs.size(), 0), worked(held);
      for (const RunRecord& record : run.queue->result.runs) {
        held[static_cast<std::size_t>(record.job.index)] += (record.to - record.from).value() * record.held.gpus;
        worked[static_cast<std::size_t>(record.job.index)] += (record.to - record.from).value();
      }
      for (std::size_t i = 0; i < held.size(); ++i) {
        const JobOutcome& outcome = run.queue->result.jobs[i];
        ASSERT_NEAR(held[i], outcome.gpu_time.value(), 1e-6) << i;
        ASSERT_NEAR(worked[i], outcome.held_time.value(), 1e-6) << i;
        interrupted += outcome.failures + outcome.preemptions > 0 ? 1 : 0;
        if (outcome.phase == JobPhase::finished) {
          ASSERT_GE(worked[i], run.queue->workload->job(JobId{static_cast<int>(i)}).duration.value() - 1e-6) << i;
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
          others += static_cast<Wide>(std::llround((stay.to - stay.from).value() * 1e6)) * stay.gpus * stay.gpu_milli;
      ASSERT_NEAR(gpu_seconds(result.elsewhere.gpu), gpu_seconds(others), 1e-3);
    }
    if (round % 10 == 0) { // equal seeds, equal bytes
      ASSERT_EQ(timeline(run, until), timeline(prepared.run(policy, placement, LeftOut::nothing), until));
    }
    if (round % 10 == 1 && run.queue && run.services &&
        run.retraining) { // a part left out: as if it had never been there
      const std::size_t begin = text.find("task_environment:"), after = text.find("faults:"),
                        end = after == std::string::npos ? text.find("run:") : after;
      const CheckedPoint absent = point_of(text.substr(0, begin) + text.substr(end));
      TogetherPoint without{absent, catalogue(), notes};
      ASSERT_EQ(timeline(prepared.run(policy, placement, LeftOut::retraining), until),
                timeline(without.run(policy, placement, LeftOut::nothing), until));
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

TEST(Together, AQueueAloneUnderTheKernelIsTheQueue)
{
  for (const char* name : {"fifo", "sjf", "srtf", "las", "easy_backfill", "conservative_backfill", "fair_share", "drf"})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} {}", name, seed));
      RandomStream draw = Random{seed}.stream("queue alone");
      Workload workload;
      double submit = 0;
      for (int i = 0; i < 60; ++i) {
        TraceJob job;
        job.submit = Seconds{submit};
        submit += draw.exponential(30);
        job.duration = job.estimate = Seconds{draw.exponential(400)};
        job.gpus = 1 + static_cast<int>(draw.uniform() * 6);
        job.user = workload.users.index_of(fmt::format("u{}", i % 4));
        job.team = workload.teams.index_of(fmt::format("t{}", i % 3));
        workload.jobs.push_back(job);
      }
      const ClusterShape shape = ClusterShape::machines(4, 4);
      SchedulingOptions options;
      options.restart_cost = Seconds{7};
      const auto policy = Registry<QueuePolicy>::instance().create(name, {}),
                 again = Registry<QueuePolicy>::instance().create(name, {});
      const auto place = Registry<PlacementPolicy>::instance().create("pack", {}),
                 placed = Registry<PlacementPolicy>::instance().create("pack", {});
      const SchedulingResult expected = simulate_queue(workload, shape, *policy, place.get(), options);
      NodePool pool{shape};
      QueueSource source{workload, shape, *again, *placed, options, pool};
      Kernel kernel;
      kernel.add(source);
      const Instant until = instant(Seconds{1e6});
      kernel.run(until);
      const SchedulingResult found = source.finish(until);
      ASSERT_EQ(found.finished, expected.finished);
      for (std::size_t i = 0; i < expected.jobs.size(); ++i) {
        ASSERT_EQ(found.jobs[i].first_start, expected.jobs[i].first_start) << i;
        ASSERT_EQ(found.jobs[i].end, expected.jobs[i].end) << i;
        ASSERT_EQ(found.jobs[i].preemptions, expected.jobs[i].preemptions) << i;
      }
      ASSERT_EQ(found.decisions, expected.decisions);
    }
}

/// Another source of work, which sends jobs at their submission and completes them when their work is done. Some it
/// takes back after a while.
class Sender final : public Source
{
public:
  struct Job {
    Instant at{};
    SentJob job;
    Instant withdrawn{end_of_time};
  };
  Sender(std::vector<Job> jobs, JobQueue& queue) : jobs_{std::move(jobs)}, queue_{queue} {}

  std::optional<Instant> next() const override
  {
    if (queue_.has_news())
      return Instant{0};
    Instant soonest = end_of_time;
    if (sent_ < jobs_.size())
      soonest = jobs_[sent_].at;
    for (const auto& [id, at] : withdrawals_)
      soonest = std::min(soonest, at);
    return soonest;
  }

  void act(Instant now) override
  {
    for (const JobNews& news : queue_.take_news())
      if (news.what == JobNews::What::worked) {
        queue_.complete(now, news.job);
        withdrawals_.erase(news.job);
      }
    for (; sent_ < jobs_.size() && jobs_[sent_].at <= now; ++sent_)
      withdrawals_[queue_.send(now, jobs_[sent_].job)] = jobs_[sent_].withdrawn;
    std::erase_if(withdrawals_, [&](const auto& entry) {
      if (entry.second > now)
        return false;
      queue_.withdraw(now, entry.first);
      return true;
    });
  }

private:
  std::vector<Job> jobs_;
  JobQueue& queue_;
  std::size_t sent_ = 0;
  std::map<JobId, Instant> withdrawals_;
};

/// 60 random jobs; those with an odd number are sent by another source during the run.
struct HalfSent {
  Workload all, listed;
  std::vector<Sender::Job> sent;
};

HalfSent half_sent(std::uint64_t seed, double withdrawn)
{
  RandomStream draw = Random{seed}.stream("half sent");
  HalfSent jobs;
  for (int i = 0; i < 60; ++i) {
    TraceJob job;
    job.submit = Seconds{20.0 * i + std::floor(draw.uniform() * 20)}; // whole seconds: no source rounds them
    job.duration = job.estimate = Seconds{1 + std::floor(draw.exponential(400))};
    job.gpus = 1 + static_cast<int>(draw.uniform() * 6);
    job.priority = static_cast<float>(static_cast<int>(draw.uniform() * 4));
    const std::string team = fmt::format("t{}", i % 3);
    for (Workload* workload : {&jobs.all, &jobs.listed}) { // the names have the same numbers in both
      job.team = workload->teams.index_of(team);
      job.user = workload->users.index_of("u");
    }
    jobs.all.jobs.push_back(job);
    if (i % 2 == 0) {
      jobs.listed.jobs.push_back(job);
      jobs.listed.job_names.push_back(std::to_string(i));
      continue;
    }
    Sender::Job one{.at = instant(job.submit), .job = {}};
    one.job = {.name = std::to_string(i),
               .model = "",
               .user = "u",
               .team = team,
               .gpus = job.gpus,
               .priority = job.priority,
               .work = job.duration,
               .estimate = job.estimate,
               .withheld = {},
               .checkpoint_interval = {}};
    if (draw.uniform() < withdrawn)
      one.withdrawn = one.at + instant(Seconds{std::floor(draw.uniform() * 600)});
    jobs.sent.push_back(one);
  }
  return jobs;
}

SchedulingResult run_half_sent(const HalfSent& jobs, const std::string& policy_name, Workload& growing)
{
  const ClusterShape shape = ClusterShape::machines(4, 4);
  SchedulingOptions options;
  options.restart_cost = Seconds{7};
  options.record_waits = options.record_runs = true;
  const auto policy = Registry<QueuePolicy>::instance().create(policy_name, {});
  const auto placement = Registry<PlacementPolicy>::instance().create("pack", {});
  growing = jobs.listed;
  NodePool pool{shape};
  QueueSource queue{growing, shape, *policy, *placement, options, pool, &growing};
  Sender sender{jobs.sent, queue};
  Kernel kernel;
  kernel.add(sender);
  kernel.add(queue);
  const Instant until = instant(Seconds{1e6});
  kernel.run(until);
  return queue.finish(until);
}

// A job that is sent at its submission is the job that was listed from the beginning: same number, same start, same
// end, under every policy that does not look at jobs of the future.
TEST(Together, ASentJobIsAJobOfTheQueue)
{
  for (const std::string& name : Registry<QueuePolicy>::instance().names()) {
    if (name == "gittins")
      continue; // it knows the lengths of all listed jobs
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(fmt::format("{} {}", name, seed));
      const HalfSent jobs = half_sent(seed, 0);
      SchedulingOptions options;
      options.restart_cost = Seconds{7};
      const auto policy = Registry<QueuePolicy>::instance().create(name, {});
      const auto placement = Registry<PlacementPolicy>::instance().create("pack", {});
      const SchedulingResult expected =
          simulate_queue(jobs.all, ClusterShape::machines(4, 4), *policy, placement.get(), options);
      Workload growing;
      const SchedulingResult found = run_half_sent(jobs, name, growing);
      ASSERT_EQ(found.finished, 60);
      ASSERT_EQ(found.sent.size(), 30u);
      for (std::size_t i = 0; i < expected.jobs.size(); ++i) {
        ASSERT_EQ(growing.job_names[i], std::to_string(i));
        ASSERT_NEAR(found.jobs[i].first_start.value(), expected.jobs[i].first_start.value(), 1e-6) << i;
        ASSERT_NEAR(found.jobs[i].end.value(), expected.jobs[i].end.value(), 1e-6) << i;
        ASSERT_EQ(found.jobs[i].preemptions, expected.jobs[i].preemptions) << i;
      }
    }
  }
}

// Jobs that are taken back leave no trace in any policy: all others end, and nobody waits at the end.
TEST(Together, EveryPolicyForgetsJobsThatAreTakenBack)
{
  for (const std::string& name : Registry<QueuePolicy>::instance().names())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} {}", name, seed));
      const HalfSent jobs = half_sent(seed, 0.7);
      Workload growing;
      const SchedulingResult found = run_half_sent(jobs, name, growing);
      int withdrawn = 0;
      for (std::size_t i = 0; i < found.jobs.size(); ++i) {
        withdrawn += found.jobs[i].phase == JobPhase::withdrawn ? 1 : 0;
        ASSERT_TRUE(found.jobs[i].phase == JobPhase::finished || found.jobs[i].phase == JobPhase::withdrawn) << i;
      }
      ASSERT_EQ(found.finished + withdrawn, 60);
      ASSERT_GT(withdrawn, 5);
    }
}

TEST(Together, ServicesAloneUnderTheKernelAreTheServices)
{
  const CheckedPoint point = point_of(std::string{machines} + R"(
orchestrator: kubernetes
services:
  - {name: serve, kind: serving, replicas: 2, resources: {gpus: 1}, serving: {capacity: 10, rate: [{from: 0 s, rate: 15}, {from: 10 min, rate: 70}],
     scales: true, scale_delay: 30 s}}
  - {name: train, kind: training, coupling: elastic, replicas: 8, resources: {gpus: 1}, work: 30 min, checkpoint: {interval: 5 min, save: 5 s, load: 10 s}}
faults: ["node:box-1@15min+10min", "gpu:box-0/1@20min+5min"]
run: {until: 1 h}
)");
  const auto input = orchestration_input(point.scenario, catalogue(), 1);
  auto alone = input;
  alone.faults =
      FaultSchedule{}; // a broken GPU takes its machine from all who share it, so failures are compared without it
  auto shared = alone;
  const OrchestrationResult expected = orchestrate(alone);
  NodePool pool{shared.cluster};
  ServicesSource source{shared, pool};
  Kernel kernel;
  kernel.add(source);
  const Instant until = instant(point.scenario.run.until);
  kernel.run(until);
  const OrchestrationResult found = source.finish(until);
  ASSERT_EQ(found.instances.size(), expected.instances.size());
  for (std::size_t i = 0; i < expected.instances.size(); ++i) {
    EXPECT_EQ(found.instances[i].node, expected.instances[i].node) << i;
    EXPECT_EQ(found.instances[i].placed, expected.instances[i].placed) << i;
    EXPECT_EQ(found.instances[i].ended, expected.instances[i].ended) << i;
  }
  EXPECT_TRUE(found.idle == expected.idle);
  EXPECT_TRUE(found.capacity == expected.capacity);
  EXPECT_TRUE(found.elsewhere == AmountTime{});
}

TEST(Together, RetrainingAloneUnderTheKernelIsTheRetraining)
{
  const CheckedPoint point = point_of(std::string{machines} + R"(
task_environment:
  models:
    - {name: a, train_time: 40 min, gpus: 4, period: 1 h, data: 20 GB, variation: 0.3}
    - {name: b, train_time: 90 min, gpus: 8, period: 2 h, first: 10 min, data: 40 GB, parts: 8, variation: 0.3}
  planner: genetic
run: {until: 3 d, seed: 5}
)");
  const auto& section = *point.scenario.section<TaskEnvironmentSection>("task_environment");
  TrainingRates rates{point.scenario, catalogue(), section};
  const Instant until = instant(point.scenario.run.until);
  const EnvironmentInput input{section, rates, point.scenario.run.seed, until};
  const auto policy = Registry<DuplicatePolicy>::instance().create("replace", {});
  const auto first = Registry<JobPlanner>::instance().create("genetic", {}),
             second = Registry<JobPlanner>::instance().create("genetic", {});
  const EnvironmentResult expected = simulate_environment(input, *policy, *first);
  NodePool pool{rates.shape()};
  RetrainingSource source{input, *policy, *second, pool};
  Kernel kernel;
  kernel.add(source);
  kernel.run(until - Instant{1}); // alone it ends before `until`
  const EnvironmentResult found = source.finish(until);
  ASSERT_EQ(found.requests.size(), expected.requests.size());
  ASSERT_GT(found.requests.size(), 50u);
  for (std::size_t i = 0; i < expected.requests.size(); ++i) {
    EXPECT_EQ(found.requests[i].end, expected.requests[i].end) << i;
    EXPECT_EQ(found.requests[i].spent, expected.requests[i].spent) << i;
  }
}

// One machine with 4 GPUs. Job a holds all of them for 100 s from 0 s; the service (1 GPU, placed at 0 s, before the
// queue acts) leaves 3 free until it ends, so a waits. The service has 200 s of work and starts in 5.1 s (Kubernetes'
// default here: container start 5 s).
TEST(Together, AJobWaitsForAServiceAndStartsWhenItEnds)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 1}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 100 s, gpus: 4}]}
services: [{name: batch, kind: training, replicas: 1, resources: {gpus: 1}, work: 200 s}]
run: {until: 1 h}
)");
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  const NamedPart& policy = prepared.queue().scheduling.policies.front();
  const NamedPart& placement = prepared.queue().scheduling.placements.front();
  const TogetherRun run = prepared.run(policy, placement, LeftOut::nothing);
  const Micros ended = run.services->result.services.front().finished;
  ASSERT_GE(to_seconds(ended).value(), 200);
  EXPECT_EQ(run.queue->result.jobs[0].first_start, to_seconds(ended));
  EXPECT_EQ(run.queue->result.jobs[0].end, to_seconds(ended) + Seconds{100});
  EXPECT_THAT(run.queue->result.waits, ::testing::Contains(::testing::Field(&WaitRecord::reason, WaitReason::gpus)));
  const TogetherRun without = prepared.run(policy, placement, LeftOut::services);
  EXPECT_EQ(without.queue->result.jobs[0].first_start, Seconds{0});
}

// The other way round: the queue's job has the GPUs until 600 s; the service, which arrives at 60 s, is placed at that
// very instant.
TEST(Together, AServiceWaitsForAJob)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 1}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 600 s, gpus: 4}]}
services: [{name: web, replicas: 1, arrival: 60 s, resources: {gpus: 1}}]
run: {until: 1 h}
)");
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  const TogetherRun run = prepared.run(prepared.queue().scheduling.policies.front(),
                                       prepared.queue().scheduling.placements.front(), LeftOut::nothing);
  ASSERT_EQ(run.services->result.instances.size(), 1u);
  EXPECT_EQ(run.services->result.instances[0].placed, to_micros(Seconds{600}));
}

// A machine fails for all parts at once: the job on it starts again on the other one, the training too, and the service
// is moved after Kubernetes has noticed (40 s) and given up the machine (300 s).
TEST(Together, AFailedMachineHitsAllParts)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 2}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 1000 s, gpus: 2}]}
scheduling: {policy: fifo, placement: first_fit}
orchestrator: {name: kubernetes, placements_per_second: 0}
services: [{name: web, replicas: 1, resources: {gpus: 1}}]
task_environment:
  models: [{name: m, train_time: 1000 s, gpus: 1, period: 10 h, data: 1 kB}]
faults: ["node:box-0@500s+2000s"]
run: {until: 1 h}
)");
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  const auto run_without = [&](LeftOut part) {
    return prepared.run(prepared.queue().scheduling.policies.front(), prepared.queue().scheduling.placements.front(),
                        part);
  };
  const TogetherRun run = run_without(LeftOut::nothing);
  EXPECT_EQ(run.queue->result.jobs[0].failures, 1);
  EXPECT_EQ(run.queue->result.jobs[0].end, Seconds{1500}); // no checkpoints: all of it again from 500 s on
  ASSERT_EQ(run.services->result.instances.size(), 2u);
  EXPECT_EQ(run.services->result.instances[1].node, 1);
  EXPECT_EQ(run.services->result.instances[1].placed, to_micros(Seconds{840}));
  const EnvironmentResult& retraining = run.retraining->runs.front();
  ASSERT_EQ(retraining.stays.size(), 2u);
  EXPECT_EQ(retraining.stays[0].to, instant(Seconds{500}));
  EXPECT_EQ(retraining.stays[1].nodes, "box-1");
  // The moved service runs until the end of the run, 1 h.
  const std::vector<Stay> stays = stays_of(run, instant(Seconds{3600}));
  const auto moved =
      std::ranges::find_if(stays, [](const Stay& stay) { return stay.source == "services" && stay.node == "box-1"; });
  ASSERT_NE(moved, stays.end());
  EXPECT_NEAR(moved->from.value(), 840, 1e-6);
  EXPECT_NEAR(moved->to.value(), 3600, 1e-6);
  // Without failures all stay where they are. A run without the queue leaves its jobs there for the next run.
  const TogetherRun healthy = run_without(LeftOut::failures);
  EXPECT_EQ(healthy.queue->result.jobs[0].end, Seconds{1000});
  EXPECT_EQ(healthy.services->result.instances.size(), 1u);
  EXPECT_FALSE(run_without(LeftOut::queue).queue);
  const TogetherRun again = run_without(LeftOut::nothing);
  ASSERT_TRUE(again.queue);
  EXPECT_EQ(again.queue->result.jobs[0].end, Seconds{1500});
}

// A broken GPU drains its machine for all. Without any delay the service goes at that very instant to the other
// machine, not back to the GPU that has just broken; the job starts again there too.
TEST(Together, NothingIsPlacedOnABrokenGpu)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 2}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 1 h, gpus: 2}]}
orchestrator: {name: swarm, restart_delay: 0 s, process_detection: 0 s}
services: [{name: web, replicas: 1, resources: {gpus: 1}}]
faults: ["gpu:box-0/0@10min+2h"]
run: {until: 6 h}
)");
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  const TogetherRun run = prepared.run(prepared.queue().scheduling.policies.front(),
                                       prepared.queue().scheduling.placements.front(), LeftOut::nothing);
  const std::vector<InstanceRecord>& instances = run.services->result.instances;
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(instances[0].node, 0);
  EXPECT_EQ(instances[0].gpu_mask, 1u);
  EXPECT_EQ(instances[1].node, 1);
  EXPECT_EQ(instances[1].placed, to_micros(Seconds{600}));
  EXPECT_EQ(run.queue->result.jobs[0].end, Seconds{600 + 3600});
}

/// One scenario on boxes of 4 GPUs whose data, messages and results take no time, so that a training is submitted at
/// the instant of its need and its model is deployed when it ends.
TogetherRun through_queue(int boxes, const std::string& jobs, const std::string& scheduling, const std::string& models,
                          const std::string& rest, Seconds until, LeftOut without = LeftOut::nothing)
{
  const CheckedPoint point = point_of(fmt::format(R"(
cluster:
  node_types: {{box: {{gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}}}
  nodes: [{{name: box, type: box, count: {}}}]
  network: {{link: 25GbE}}
workload: {{jobs: [{}]}}
scheduling: {}
task_environment:
  models: [{}]
  through: queue
  upload: {{confirm: {{by: message}}}}
  status: {{by: message}}
  messages: {{latency: 0 s}}
{}
run: {{until: {} s}}
)",
                                                  boxes, jobs, scheduling, models, rest, until.value()));
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  return prepared.run(prepared.queue().scheduling.policies.front(), prepared.queue().scheduling.placements.front(),
                      without);
}

double spent_s(const TogetherRun& run, std::size_t request, Segment segment)
{
  return seconds(run.retraining->runs.front().requests.at(request).spent[static_cast<std::size_t>(segment)]).value();
}

/// The queue's job of this name.
const JobOutcome& outcome(const TogetherRun& run, const std::string& name)
{
  for (int i = 0; i < run.queue->workload->size(); ++i)
    if (run.queue->workload->name(JobId{i}) == name)
      return run.queue->result.jobs[static_cast<std::size_t>(i)];
  throw std::out_of_range{name};
}

// Job a holds all 4 GPUs until 100 s. The retraining due at 50 s waits 50 s and trains from 100 s to 130 s; job b,
// submitted at 60 s, is behind it and runs from 130 s to 140 s. The queue's own figures count a and b only: they waited
// 0 and 70 s.
TEST(Together, ARetrainingWaitsInTheQueue)
{
  const TogetherRun run = through_queue(
      1, "{name: a, duration: 100 s, gpus: 4}, {name: b, submit: 60 s, duration: 10 s, gpus: 4}", "{policy: fifo}",
      "{name: m, train_time: 30 s, gpus: 4, first: 50 s, period: 1 h, team: research}", "", Seconds{300});
  EXPECT_NEAR(spent_s(run, 0, Segment::queue), 50, 1e-9);
  EXPECT_NEAR(spent_s(run, 0, Segment::train), 30, 1e-9);
  EXPECT_EQ(run.retraining->runs.front().requests[0].ended, RequestEnd::deployed);
  EXPECT_NEAR(outcome(run, "m-1").first_start.value(), 100, 1e-9);
  EXPECT_NEAR(outcome(run, "m-1").end.value(), 130, 1e-9);
  EXPECT_NEAR(outcome(run, "b").first_start.value(), 130, 1e-9);
  EXPECT_EQ(run.own_jobs.jobs, 2);
  EXPECT_EQ(run.own_jobs.waiting_s.mean, 35);
  EXPECT_EQ(run.queue->metrics.jobs, 3);
  const JobId sent = run.queue->result.sent.at(0);
  EXPECT_EQ(run.queue->workload->teams.name(run.queue->workload->job(sent).team), "research");
  EXPECT_THAT(run.queue->result.waits,
              ::testing::Contains(::testing::AllOf(::testing::Field(&WaitRecord::job, sent),
                                                   ::testing::Field(&WaitRecord::reason, WaitReason::gpus),
                                                   ::testing::Field(&WaitRecord::to, Seconds{100}))));
  const std::vector<Stay> stays = stays_of(run, instant(Seconds{300}));
  ASSERT_EQ(stays.size(), 3u);
  EXPECT_EQ(stays[1].source, "retraining");
  EXPECT_EQ(stays[1].name, "m-1");
}

// Without retraining b starts at its submission: gittins knows that half of the jobs need 40 GPU-seconds, as b, and
// that a, which has had 240, will need 160 more, so it stops a. Without the queue's jobs, which it still knows, the
// retraining starts at once.
TEST(Together, WhatRetrainingCostsTheQueueAndTheQueueRetraining)
{
  const auto run = [](LeftOut without) {
    return through_queue(1, "{name: a, duration: 100 s, gpus: 4}, {name: b, submit: 60 s, duration: 10 s, gpus: 4}",
                         "{policy: gittins}", "{name: m, train_time: 30 s, gpus: 4, first: 50 s, period: 1 h}", "",
                         Seconds{300}, without);
  };
  const TogetherRun without_retraining = run(LeftOut::retraining), without_queue = run(LeftOut::queue);
  EXPECT_EQ(outcome(without_retraining, "b").first_start, Seconds{60});
  EXPECT_EQ(without_retraining.queue->workload->size(), 2);
  EXPECT_FALSE(without_queue.queue);
  EXPECT_NEAR(spent_s(without_queue, 0, Segment::queue), 0, 1e-9);
}

// Team a has 2 of the 4 GPUs, and uses them until 100 s. 2 are free, but a retraining of team a waits for them; one of
// team b starts at once.
TEST(Together, QuotasCountRetraining)
{
  for (const auto& [team, waits] : {std::pair{"a", 50.0}, std::pair{"b", 0.0}}) {
    const TogetherRun run = through_queue(
        1, "{name: x, duration: 100 s, gpus: 2, team: a}, {name: y, submit: 200 s, duration: 1 s, gpus: 1, team: b}",
        "{policies: [{name: drf, quotas: a=2 b=2}]}",
        fmt::format("{{name: m, train_time: 30 s, gpus: 2, first: 50 s, period: 1 h, team: {}}}", team), "",
        Seconds{300});
    EXPECT_NEAR(spent_s(run, 0, Segment::queue), waits, 1e-9) << team;
  }
}

// A team that only retrains is told of, because its name may be a mistake.
TEST(Together, SaysWhichTeamsOnlyRetrain)
{
  const auto notes_of = [](const std::string& team) {
    const CheckedPoint point = point_of(std::string{machines} + fmt::format(R"(
workload: {{jobs: [{{name: x, duration: 100 s, team: vision}}]}}
task_environment: {{through: queue, models: [{{name: m, train_time: 1 h, team: {}}}]}}
run: {{until: 1 d}}
)",
                                                                            team));
    std::string notes;
    TogetherPoint prepared{point, catalogue(), notes};
    return notes;
  };
  EXPECT_EQ(notes_of("vision"), "");
  EXPECT_THAT(notes_of("visoin"), ::testing::HasSubstr("team 'visoin' has no jobs, only retraining ('m')"));
  EXPECT_THAT(notes_of("visoin"), ::testing::HasSubstr("vision'?"));
}

// A newer need at 30 s replaces the retraining of 10 s, one at 50 s that of 30 s. Job a holds all GPUs until 40 s: the
// first is taken back while it waits, the second (runs from 40 s on) while it runs. The third trains from 50 s to 65 s.
TEST(Together, AReplacedRetrainingLeavesTheQueue)
{
  const TogetherRun run = through_queue(1, "{name: a, duration: 40 s, gpus: 4}", "{policy: fifo}",
                                        "{name: m, train_time: 15 s, gpus: 4, first: 10 s, period: 20 s}",
                                        "  duplicates: replace", Seconds{69});
  EXPECT_EQ(outcome(run, "m-1").phase, JobPhase::withdrawn);
  EXPECT_EQ(outcome(run, "m-1").gpu_time, Seconds{0});
  EXPECT_EQ(outcome(run, "m-2").phase, JobPhase::withdrawn);
  EXPECT_NEAR(outcome(run, "m-2").first_start.value(), 40, 1e-9);
  EXPECT_EQ(outcome(run, "m-2").gpu_time, Seconds{4 * 10});
  EXPECT_NEAR(outcome(run, "m-3").first_start.value(), 50, 1e-9);
  EXPECT_NEAR(outcome(run, "m-3").end.value(), 65, 1e-9);
  const std::vector<Request>& requests = run.retraining->runs.front().requests;
  EXPECT_EQ(requests[0].ended, RequestEnd::replaced);
  EXPECT_EQ(requests[1].ended, RequestEnd::replaced);
  EXPECT_EQ(requests[1].wasted_gpu_seconds, 40);
  EXPECT_EQ(requests[2].ended, RequestEnd::deployed);
}

// A training of 100 s starts at 10 s on box-0, which fails at 60 s. It goes on at once on box-1: from the beginning, to
// 160 s; with checkpoints every 20 s of work from 40 s of its work on, to 120 s, whoever states them; the model's count
// before the queue's.
TEST(Together, AFailedMachineSendsARetrainingBackToTheQueue)
{
  for (const auto& [model, queue, ends] :
       {std::tuple{"", "", 160.0}, std::tuple{", checkpoint_interval: 20 s", "", 120.0},
        std::tuple{"", ", checkpoint_interval: 20 s", 120.0},
        std::tuple{", checkpoint_interval: 20 s", ", checkpoint_interval: 50 s", 120.0}}) {
    const TogetherRun run =
        through_queue(2, "{name: a, duration: 1 s}", fmt::format("{{policy: fifo{}}}", queue),
                      fmt::format("{{name: m, train_time: 100 s, gpus: 4, first: 10 s, period: 1 h{}}}", model),
                      "faults: [\"node:box-0@60s+1h\"]", Seconds{300});
    EXPECT_NEAR(outcome(run, "m-1").end.value(), ends, 1e-9);
    EXPECT_EQ(outcome(run, "m-1").failures, 1);
    EXPECT_NEAR(spent_s(run, 0, Segment::train), ends - 10, 1e-9);
    const std::vector<TrainingStay>& stays = run.retraining->runs.front().stays;
    ASSERT_EQ(stays.size(), 2u);
    EXPECT_EQ(stays[0].to, instant(Seconds{60}));
    EXPECT_EQ(stays[1].nodes, "box-1");
  }
}

// The training (100 s from 10 s on) is stopped at 50 s for a job of higher priority that runs 50 s, and goes on from
// where it was: 40 s + 60 s of training, 50 s of waiting, end at 160 s.
TEST(Together, TheQueuesPolicyMayPreemptARetraining)
{
  const TogetherRun run =
      through_queue(1, "{name: z, duration: 1 s}, {name: a, submit: 50 s, duration: 50 s, gpus: 4, priority: 5}",
                    "{policy: priority}",
                    "{name: m, train_time: 100 s, gpus: 4, first: 10 s, period: 1 h, priority: 1}", "", Seconds{300});
  EXPECT_EQ(outcome(run, "m-1").preemptions, 1);
  EXPECT_NEAR(outcome(run, "m-1").end.value(), 160, 1e-9);
  EXPECT_NEAR(spent_s(run, 0, Segment::train), 100, 1e-9);
  EXPECT_NEAR(spent_s(run, 0, Segment::queue), 50, 1e-9);
}

// Two parts of 1 GB arrive over 1 Gbit/s at 8 s and 16 s. The training of 10 s starts with the first, has done its half
// at 13 s, waits 3 s for the second and ends at 21 s. It holds its GPU meanwhile.
TEST(Together, ARetrainingInTheQueueWaitsForItsData)
{
  const TogetherRun run =
      through_queue(1, "{name: a, duration: 1 s}", "{policy: fifo}",
                    "{name: m, train_time: 10 s, period: 1 h, data: 2 GB, parts: 2}", "", Seconds{300});
  EXPECT_NEAR(outcome(run, "m-1").first_start.value(), 8, 1e-9);
  EXPECT_NEAR(outcome(run, "m-1").end.value(), 21, 1e-6);
  EXPECT_NEAR(spent_s(run, 0, Segment::train), 13, 1e-6);
  EXPECT_NEAR(seconds(run.retraining->runs.front().requests[0].input_wait).value(), 3, 1e-6);
}

// The result of 30 GB is saved at 1 GB/s: the training keeps its GPUs for 30 s after its work, as with the planner, and
// job b gets them then.
TEST(Together, ARetrainingKeepsItsGpusWhileItsModelIsSaved)
{
  const TogetherRun run =
      through_queue(1, "{name: z, duration: 1 s}, {name: b, submit: 11 s, duration: 10 s, gpus: 4}", "{policy: fifo}",
                    "{name: m, train_time: 20 s, gpus: 4, first: 10 s, period: 1 h, result: 30 GB}", "", Seconds{500});
  EXPECT_NEAR(outcome(run, "m-1").end.value(), 60, 1e-9);
  EXPECT_NEAR(outcome(run, "b").first_start.value(), 60, 1e-9);
  EXPECT_NEAR(spent_s(run, 0, Segment::save), 30, 1e-9);
}

// An attempt that fails by itself after 10 s of training is found out and sent again as a job of its own, from its
// checkpoint at 8 s: 20 s - 8 s = 12 s more.
TEST(Together, AFailedAttemptIsSentToTheQueueAgain)
{
  const TogetherRun run = through_queue(1, "{name: a, duration: 1 s}", "{policy: fifo}",
                                        "{name: m, train_time: 20 s, period: 1 h, checkpoint_interval: 8 s}",
                                        "  faults: [{model: m, after: 10 s}]", Seconds{300});
  EXPECT_EQ(outcome(run, "m-1").phase, JobPhase::withdrawn);
  EXPECT_EQ(outcome(run, "m-1").gpu_time, Seconds{10});
  EXPECT_NEAR(outcome(run, "m-1/2").gpu_time.value(), 12, 1e-9);
  EXPECT_EQ(run.retraining->runs.front().requests[0].ended, RequestEnd::deployed);
}

// Two racks of two machines with one GPU each; the uplink of a rack carries what one machine can send. A job of the
// queue trains on box-0 and box-2, a service on box-1 and box-3, the same model, so both exchange through the same
// uplinks. By hand: VGG-16 has 138.4 million parameters; a ring over two sends all 553 MB of gradients once, 0.177 s at
// 25 Gbit/s, and with half of the link once more as long. At one picture per GPU all but the start of the exchange is
// exposed. What each does is what two jobs of a queue do there.
TEST(Together, AJobOfTheQueueAndAServiceShareAnUplink)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 1, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 4, per_rack: 2}]
  network: {topology: leaf_spine, link: 25GbE, oversubscription: 2, spines: 1}
jobs: [{name: vgg, model: vgg16, batch_per_gpu: 1, workers: 2, steps: 1000, training: {mode: all_reduce, transport: nccl}}]
workload: {jobs: [{name: a, duration: 10 h, gpus: 2, model: vgg}]}
scheduling: {speed: step}
orchestrator: {name: kubernetes, placements_per_second: 0}
services: [{name: batch, kind: training, replicas: 2, coupling: mpi, resources: {gpus: 1}, job: vgg, constraints: [node != box-0, node != box-2]}]
run: {until: 1 h}
)");
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  const TogetherRun run = prepared.run(prepared.queue().scheduling.policies.front(),
                                       prepared.queue().scheduling.placements.front(), LeftOut::nothing);
  const auto on = [](int first, int second) {
    Allocation held;
    held.gpus = 2;
    held.shares = {{.node = first, .gpu_mask = 1}, {.node = second, .gpu_mask = 1}};
    return held;
  };
  const Workload& workload = *prepared.queue().workload;
  const Allocation left = on(0, 2), right = on(1, 3);
  const PlacedTraceJob both[] = {{JobId{0}, &workload.jobs[0], &left}, {JobId{1}, &workload.jobs[0], &right}};
  StepSpeed& steps = *prepared.queue().step_speed;
  const double alone = steps.step_times(workload, std::span{both}.first(1)).front(),
               shared = steps.step_times(workload, both).front();
  EXPECT_NEAR(shared - alone, 0.177, 0.02);
  EXPECT_LT(alone / shared, 0.65);
  const std::vector<JobSpeed> speeds = steps.speeds(workload, both);
  ASSERT_EQ(run.slow_visits.size(), 1u);
  const SlowVisit& visit = run.slow_visits[0];
  EXPECT_EQ(visit.name, "batch");
  EXPECT_EQ(visit.neighbour, "a");
  EXPECT_DOUBLE_EQ(visit.share, speeds[1].speed / speeds[1].alone);
  EXPECT_NEAR((visit.to - visit.from).value(), 1000 * shared, 1e-3 * 1000 * shared);
  EXPECT_NEAR(to_seconds(run.services->result.services.front().finished).value(), visit.to.value(), 1e-3);
  const std::vector<RunRecord>& runs = run.queue->result.runs; // alone, beside the service, alone
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].speed, runs[0].alone);
  EXPECT_DOUBLE_EQ(runs[1].speed, speeds[0].speed);
  EXPECT_EQ(run.queue->result.name(*run.queue->workload, runs[1].neighbour), "batch");
  EXPECT_EQ(runs[2].speed, runs[2].alone);
  const RunReport report = together::together_report({point}, {run}, notes, false);
  EXPECT_THAT(report.text, ::testing::HasSubstr("batch shares links for"));
  EXPECT_THAT(report.text, ::testing::HasSubstr("mostly beside a on"));
  // Goals such as p95(jct) find the queue's figures in the row of the whole.
  const nlohmann::json figures = nlohmann::json::parse(report.summary)["runs"][0];
  EXPECT_EQ(figures["jobs"], 1);
  EXPECT_TRUE(figures["jct_s"].contains("p95"));
  const TogetherRun without = prepared.run(prepared.queue().scheduling.policies.front(),
                                           prepared.queue().scheduling.placements.front(), LeftOut::queue);
  EXPECT_TRUE(without.slow_visits.empty());
  EXPECT_NEAR((to_seconds(without.services->result.services.front().finished) - visit.from).value(), 1000 * alone,
              1e-3 * 1000 * alone);
}

// Two machines of two GPUs: the queue's job and the retraining have one GPU of each, and share their network ports. The
// training takes 1000 times the step that two such jobs do side by side, whoever starts it.
TEST(Together, RetrainingSharesLinksWithTheQueueWhoeverStartsIt)
{
  for (const char* through : {"planner", "queue"}) {
    SCOPED_TRACE(through);
    const CheckedPoint point = point_of(fmt::format(R"(
cluster:
  node_types: {{box: {{gpu: V100-SXM2-16GB, gpus: 2, cpu_cores: 16}}}}
  nodes: [{{name: box, type: box, count: 2}}]
  network: {{link: 25GbE}}
jobs: [{{name: vgg, model: vgg16, batch_per_gpu: 1, workers: 2, steps: 1000, training: {{mode: all_reduce, transport: nccl}}}}]
workload: {{jobs: [{{name: a, duration: 10 h, gpus: 2, model: vgg}}]}}
scheduling: {{speed: step, placement: spread}}
task_environment:
  models: [{{name: m, job: vgg, first: 10 s, period: 10 h}}]
  through: {}
run: {{until: 1 h}}
)",
                                                    through));
    std::string notes;
    TogetherPoint prepared{point, catalogue(), notes};
    const TogetherRun run = prepared.run(prepared.queue().scheduling.policies.front(),
                                         prepared.queue().scheduling.placements.front(), LeftOut::nothing);
    const Workload& workload = *prepared.queue().workload;
    Allocation left, right;
    left.gpus = right.gpus = 2;
    left.shares = {{.node = 0, .gpu_mask = 1}, {.node = 1, .gpu_mask = 1}};
    right.shares = {{.node = 0, .gpu_mask = 2}, {.node = 1, .gpu_mask = 2}};
    const PlacedTraceJob both[] = {{JobId{0}, &workload.jobs[0], &left}, {JobId{1}, &workload.jobs[0], &right}};
    const double shared = prepared.queue().step_speed->step_times(workload, both).front();
    EXPECT_NEAR(spent_s(run, 0, Segment::train), 1000 * shared, 1e-6 * 1000 * shared);
    EXPECT_EQ(run.slow_visits.empty(), std::string_view{through} == "queue");
    const auto slowed = std::ranges::find_if(run.queue->result.runs,
                                             [](const RunRecord& one) { return one.job == JobId{0} && one.link >= 0; });
    ASSERT_NE(slowed, run.queue->result.runs.end());
    EXPECT_EQ(run.queue->result.name(*run.queue->workload, slowed->neighbour),
              std::string_view{through} == "queue" ? "m-1" : "m");
  }
}

// Studies name the figures of the whole by the policy; those of runs without a part have names of their own, so that
// none takes the place of another.
TEST(Together, StudiesSeeTheWholeAndTheRunsWithoutAPart)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 1}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 100 s, gpus: 4}]}
services: [{name: batch, kind: training, replicas: 1, resources: {gpus: 1}, work: 200 s}]
run: {until: 1 h}
)");
  const ScenarioRunner* runner = runner_of(point.scenario);
  ASSERT_NE(runner, nullptr);
  EXPECT_EQ(runner->kind(), "trainyard cluster");
  std::map<std::string, double> waiting;
  for (const Measured& measured : measured_of_summary(runner->run({point}, {}, false).summary))
    if (const auto found = measured.numbers.find("mean_waiting_s"); found != measured.numbers.end())
      waiting[measured.item] = found->second;
  EXPECT_GE(waiting.at("fifo"), 200);
  EXPECT_EQ(waiting.at("fifo without services"), 0);
}

TEST(Together, RefusesWhatItCannotRun)
{
  const std::string queue = "workload: {jobs: [{name: a, duration: 60 s}]}\n",
                    services = "services: [{name: web, replicas: 1}]\n";
  EXPECT_THAT(faults_in(machines + queue + services), ::testing::HasSubstr("run: {until: 1 d}"));
  EXPECT_THAT(faults_in(machines + queue + services + "scheduling: {cluster: pool}\nrun: {until: 1 d}\n"),
              ::testing::HasSubstr("needs machines"));
  EXPECT_THAT(
      faults_in(machines + queue +
                "task_environment: {cluster: false, models: [{name: m, train_time: 1 h, period: 1 d, data: 1 kB}]}\n"
                "run: {until: 1 d}\n"),
      ::testing::HasSubstr("nothing is shared"));
  EXPECT_THAT(
      faults_in(
          machines + queue +
          "task_environment: {planner: [fifo, list], models: [{name: m, train_time: 1 h, period: 1 d, data: 1 kB}]}\n"
          "run: {until: 1 d}\n"),
      ::testing::HasSubstr("one planner"));
  const auto through = [&](const std::string& more, const std::string& model = "", const std::string& top = "") {
    return faults_in(machines + queue +
                     fmt::format("task_environment: {{through: queue{}, models: [{{name: m, {}, period: 1 d}}]}}\n"
                                 "run: {{until: 1 d}}\n{}",
                                 more, model.empty() ? "train_time: 1 h" : model, top));
  };
  EXPECT_EQ(through(", planner: priority"), "");
  EXPECT_THAT(through(", planner: list"), ::testing::HasSubstr("the policy of the queue decides"));
  EXPECT_THAT(through(", placement: pack"), ::testing::HasSubstr("the queue chooses the machines"));
  EXPECT_THAT(through(", cluster: false"), ::testing::HasSubstr("machine of its own"));
  EXPECT_THAT(through("", "", "scheduling: {kill_at_estimate: true}\n"), ::testing::HasSubstr("requests none"));
  EXPECT_THAT(
      through("", "job: r",
              "jobs: [{name: r, model: resnet50, batch_per_gpu: 8, workers: 1, training: {mode: all_reduce}}]\n"),
      ::testing::HasSubstr("speed: step"));
  EXPECT_THAT(faults_in(machines + services +
                        "task_environment: {through: queue, models: [{name: m, train_time: 1 h, period: 1 d}]}\n"
                        "run: {until: 1 d}\n"),
              ::testing::HasSubstr("needs a queue"));
  EXPECT_THAT(faults_in(machines + queue +
                        "task_environment: {models: [{name: m, train_time: 1 h, period: 1 d, team: a}]}\n"
                        "run: {until: 1 d}\n"),
              ::testing::HasSubstr("write through: queue"));
}

} // namespace
} // namespace trainyard
