// SPDX-License-Identifier: Apache-2.0
// A job alone, in an empty queue, as a service and as a retraining makes its steps in the same time, at every fidelity.
#include "models/core/data_folder.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/queue/queue_point.hpp"
#include "sim/sources/retraining/environment_report.hpp"
#include "sim/sources/services/prepare.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace trainyard {
namespace {

/// A job of so many steps on three machines of one GPU each, and a machine for a server.
struct OneJob {
  std::string training; // keys of the job
  std::string coupling; // of the same job as a service
  bool server = false;
  int steps = 1000;

  std::string text(const std::string& fidelity) const
  {
    return fmt::format(R"(
cluster:
  node_types: {{w: {{gpu: P100, gpus: 1, cpu_cores: 16}}, p: {{gpus: 0, cpu_cores: 16}}}}
  nodes: [{{name: w, type: w, count: 3}}, {{name: ps, type: p, count: 1}}]
  network: {{link: 1GbE}}
jobs: [{{name: train, model: mobilenet_v2, workers: 3, batch_per_gpu: 8, steps: {}, {}}}]
run: {{until: 2 d, fidelity: {}}}
)",
                       steps, training, fidelity);
  }
};

CheckedPoint one_point(const OneJob& job, const std::string& fidelity, const std::string& more = {})
{
  return tests::checked_points(job.text(fidelity) + more, "one.yaml").front();
}

Instant as_a_job(const OneJob& job, const std::string& fidelity)
{
  const JobRow row = simulate({one_point(job, fidelity)}).jobs.front();
  return row.finish - row.start;
}

Instant in_a_queue(const OneJob& job, const std::string& fidelity)
{
  const CheckedPoint point = one_point(
      job, fidelity,
      fmt::format("scheduling: {{speed: step}}\nworkload: {{jobs: [{{name: a, gpus: 3, model: train, steps: {}}}]}}\n",
                  job.steps));
  std::string notes;
  const QueuePoint queue = prepare_queue(point, load_catalogue(data_folder()), notes);
  const JobOutcome done = PolicyRun{queue, queue.scheduling.policies.front(), queue.scheduling.placements.front()}
                              .alone()
                              .result.jobs.front();
  return done.end - done.first_start;
}

Instant as_a_service(const OneJob& job, const std::string& fidelity)
{
  const CheckedPoint point = one_point(
      job, fidelity,
      fmt::format(R"(
orchestrator: kubernetes
services:
  - name: train
    kind: training
    job: train
    coupling: {}
    tasks:
      - {{role: worker, replicas: 3, resources: {{gpus: 1}}}}
{}
)",
                  job.coupling, job.server ? "      - {role: ps, replicas: 1, constraints: [group == ps]}" : ""));
  const OrchestrationInput input = orchestration_input(point.scenario, load_catalogue(data_folder()), 1);
  return orchestrate(input).services.front().parts.useful;
}

Instant as_a_retraining(const OneJob& job, const std::string& fidelity)
{
  const CheckedPoint point =
      one_point(job, fidelity, "task_environment: {models: [{name: m, job: train, period: 10 d, first: 0 s}]}\n");
  const auto& section = *point.scenario.section<TaskEnvironmentSection>("task_environment");
  const Catalogue catalogue = load_catalogue(data_folder());
  TrainingRates rates{point.scenario, catalogue, section};
  const auto planner = Registry<JobPlanner>::instance().create("none", {});
  const auto duplicates = Registry<DuplicatePolicy>::instance().create("allow", {});
  return simulate_environment({section, rates, 1, point.scenario.run.until}, *duplicates, *planner)
      .requests.front()
      .spent[static_cast<std::size_t>(Segment::train)];
}

TEST(OneSpeed, AJobAloneAQueueAServiceAndARetrainingTakeTheSameTimeAtEveryFidelity)
{
  const OneJob jobs[] = {
      {"training: {mode: all_reduce, transport: nccl}", "mpi"},
      {"jitter: {distribution: log_normal, coefficient_of_variation: 0.05}, training: {mode: all_reduce, transport: "
       "gloo}",
       "sync"},
      {"input: {source: disk, bytes_per_sample: 110 kB, bandwidth: 100 MB/s, preprocess_per_sample: 60 ms}", "sync"},
      {"training: {mode: parameter_server, servers: 1}", "sync", true},
      {"training: {mode: parameter_server, servers: 1, update_rule: async}", "async", true},
      {"training: {mode: parameter_server, servers: 1, update_rule: bounded, staleness: 2}", "async", true, 40}};
  for (const OneJob& job : jobs) {
    std::set<Instant> times;
    for (const char* fidelity : {"closed_form", "fluid", "flow", "tcp"}) {
      SCOPED_TRACE(job.training + " at " + fidelity);
      const Instant alone = as_a_job(job, fidelity);
      EXPECT_NEAR(static_cast<double>(in_a_queue(job, fidelity).count()), static_cast<double>(alone.count()), 1);
      EXPECT_NEAR(static_cast<double>(as_a_service(job, fidelity).count()), static_cast<double>(alone.count()), 1);
      EXPECT_NEAR(static_cast<double>(as_a_retraining(job, fidelity).count()), static_cast<double>(alone.count()), 1);
      times.insert(alone);
    }
    if (job.server) { // all-reduce alone on its network takes as long at each
      EXPECT_GE(times.size(), 3U) << "no fidelity decides";
    }
  }
}

} // namespace
} // namespace trainyard
