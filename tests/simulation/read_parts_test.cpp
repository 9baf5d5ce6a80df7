// SPDX-License-Identifier: Apache-2.0
// No part of a scenario file is dropped in silence: a run reads it, or says that it does not.
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"

#include "models/scenario/section.hpp"
#include "sim/report/files.hpp"
#include "sim/study/point_evaluator.hpp"
#include "tests/support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string head = "name: parts\ncluster:\n  node_types: {n: {gpu: A100-SXM4-40GB, gpus: 2}}\n  nodes: [{name: "
                         "n, type: n, count: 2}]\n"
                         "  network: {link: 25GbE}\nrun: {until: 1 h, fidelity: fluid}\n";

/// A value of each part, each on one line, chosen so that it changes the figures of a run that reads it.
const std::map<std::string, std::string> samples = {
    {"calibration", "data_sheet/A100-SXM4-40GB.json"},
    {"checkpoints", "{interval: 10 min}"},
    {"era", "\"2019\""},
    {"faults", "[node:n-0@5min+10min]"},
    {"framework", "{name: pytorch, built_with: [nccl]}"},
    {"gpu_memory", "{processes: [{name: p, demand: [{bytes: 1 GB}]}]}"},
    {"graph", "{tasks: {worker: [n-0]}, operations: [{name: a, type: Const, output: 4 B}]}"},
    {"jobs", "[{name: j, model: resnet50, workers: 4, steps: 10, training: {transport: nccl}}]"},
    {"kueue", "{cluster_queues: [{name: default, quotas: [{flavor: all, nominal_quota: 1}]}], flavors: [{name: all}]}"},
    {"orchestrator", "{name: swarm, container_start: 30 s}"},
    {"rendezvous", "{job: j, protocol: init_process_group, deploy: 3 min}"},
    {"scheduling", "{start_cost: 10 min}"},
    {"services", "[{name: s, kind: training, work: 20 min, resources: {gpus: 1}, input: 400 MB/s}]"},
    {"slurm", "{partitions: [{name: batch, nodes: [n-0]}]}"},
    {"storage", "{bandwidth: 100 MB/s}"},
    {"task_environment",
     "{models: [{name: faces, train_time: 10 min, gpus: 4, period: 20 min, data: 1 GB, result: 100 MB}]}"},
    {"transports", "{nccl: {efficiency: 0.1}}"},
    {"workload", "{jobs: [{duration: 20 min, gpus: 2, queue: batch}, {duration: 20 min, gpus: 2, queue: batch}]}"}};

/// What each kind of run reads besides its own part; by hand.
const std::map<std::string, std::set<std::string>> read_beside = {
    {"jobs", {"calibration", "checkpoints", "era", "faults", "framework", "rendezvous", "transports"}},
    {"workload", {"faults", "kueue", "scheduling", "services", "slurm", "task_environment"}},
    {"services", {"faults", "orchestrator", "storage", "task_environment", "workload"}},
    {"task_environment", {"jobs", "services", "workload"}}, // jobs: those that no model names with a warning
    {"gpu_memory", {}},
    {"graph", {"transports"}}};

std::string text_of(const std::set<std::string>& parts)
{
  std::string text = head;
  for (const std::string& part : parts)
    text += part + ": " + samples.at(part) + "\n";
  return text;
}

std::vector<CheckedPoint> check(const std::string& text, Diagnostics& diagnostics)
{
  const Document document = parse_document(text, "parts.yaml", diagnostics);
  return check_points(document, diagnostics);
}

std::string errors_of(const std::string& text)
{
  Diagnostics diagnostics;
  check(text, diagnostics);
  std::string errors;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    if (diagnostic.severity == Severity::error)
      errors += format(diagnostic);
  return errors;
}

/// All figures of a run.
std::string figures_of(const std::set<std::string>& parts)
{
  Diagnostics diagnostics;
  const std::vector<CheckedPoint> points = check(text_of(parts), diagnostics);
  diagnostics.throw_if_errors();
  if (const ScenarioRunner* runner = runner_of(points.front().scenario); runner != nullptr)
    return runner->run(points, {}).summary.dump();
  return summary_json(simulate(points));
}

TEST(ReadParts, EverySectionHasASampleHere)
{
  for (const auto& [name, entry] : Registry<ScenarioSection>::instance().entries()) {
    EXPECT_TRUE(samples.contains(name)) << "write a sample of '" << name
                                        << "', and in read_beside which kinds of run read it";
    if (entry.create({})->brings_work()) {
      EXPECT_TRUE(read_beside.contains(name)) << name;
    }
  }
}

TEST(ReadParts, EveryPairIsReadOrNamed)
{
  const PointEvaluator evaluator;
  const auto faults_of = [&](const std::string& text) {
    Diagnostics parsing;
    const Document document = parse_document(text, "parts.yaml", parsing);
    std::string errors;
    for (const SweepPoint& point : expand_sweep(document, parsing))
      for (const Diagnostic& fault : evaluator.faults(point).sorted())
        errors += fault.severity == Severity::error ? fault.message + "\n" : "";
    return errors;
  };
  int together = 0;
  for (const auto& [a, value_a] : samples)
    for (const auto& [b, value_b] : samples) {
      if (a >= b)
        continue;
      const auto reads = [&](const std::string& main, const std::string& other) {
        return read_beside.contains(main) && read_beside.at(main).contains(other);
      };
      const std::string errors = faults_of(text_of({a, b}));
      if (reads(a, b) || reads(b, a)) {
        EXPECT_EQ(errors, "") << a << " and " << b;
        ++together;
      } else if (read_beside.contains(a) || read_beside.contains(b)) {
        // The rendezvous of a job is refused already where there is no job.
        const bool named = errors.find("'" + a + "' would be ignored") != std::string::npos ||
                           errors.find("'" + b + "' would be ignored") != std::string::npos ||
                           errors.find("there is no job 'j'") != std::string::npos;
        EXPECT_TRUE(named) << a << " and " << b << ": " << errors;
      } else {
        EXPECT_THAT(errors, HasSubstr("the scenario has no jobs")) << a << " and " << b; // nothing runs
      }
    }
  EXPECT_EQ(together, 7 + 4 + 3 + 1 + 1 + 3);
}

TEST(ReadParts, APartThatIsReadChangesTheFigures)
{
  // These decide whether a run is possible, not how long it takes; quotas of kueue bind only under the policy of that
  // name.
  const std::set<std::string> only_checked = {"era", "framework", "kueue"};
  for (const auto& [main, others] : read_beside) {
    const std::string alone = figures_of({main});
    for (const std::string& other : others) {
      if (only_checked.contains(other) || main == "graph" || main == "task_environment")
        continue; // a graph of one constant sends nothing, and no model names the job
      EXPECT_NE(figures_of({main, other}), alone) << other << " beside " << main;
    }
  }
}

TEST(ReadParts, TheErrorHasPartPlaceAndWayOut)
{
  EXPECT_EQ(
      errors_of(text_of({"graph", "workload"})),
      "parts.yaml:8:1: error: 'workload' would be ignored: a run of 'graph' does not read it; split the file into two\n"
      "  workload: " +
          samples.at("workload") +
          "\n"
          "  ^\n");
  EXPECT_EQ(errors_of(text_of({"jobs", "workload"})),
            "parts.yaml:7:1: error: 'jobs' would be ignored: a run of 'workload' reads it only with scheduling: "
            "{speed: step}; otherwise "
            "split the "
            "file into two\n"
            "  jobs: [{name: j, model: resnet50, workers: 4, steps: 10, training: {transport: nccl}}]\n"
            "  ^\n");
  EXPECT_THAT(errors_of(text_of({"jobs", "storage"})),
              HasSubstr("error: 'storage' would be ignored: a run of 'jobs' does not read it, only a run of 'services' "
                        "or 'workload' does; give the jobs in that form, or remove it\n"));
  EXPECT_THAT(errors_of(text_of({"jobs", "scheduling"})),
              HasSubstr("only a run of 'workload' with packing or 'workload' does; give the jobs in that form, or "
                        "remove it\n"));
}

TEST(ReadParts, WhatIsWrongWithAllPointsOfASweepIsSaidOnce)
{
  const std::string errors = errors_of(text_of({"jobs", "storage"}) + "sweep: {grid: {jobs.0.workers: [1, 2, 4]}}\n");
  const std::size_t first = errors.find("'storage' would be ignored");
  ASSERT_NE(first, std::string::npos) << errors;
  EXPECT_EQ(errors.find("would be ignored", first + 30), std::string::npos) << errors;
  EXPECT_EQ(errors.find("at point"), std::string::npos) << errors;
}

TEST(ReadParts, JobsThatNothingNamesAreErrors)
{
  const std::string jobs = "jobs:\n  - {name: used, model: resnet50}\n  - {name: spare, model: resnet50}\n";
  const std::string services = "services: [{name: s, kind: training, job: used, resources: {gpus: 1}}]\n";
  EXPECT_THAT(errors_of(head + jobs + services),
              HasSubstr("parts.yaml:9:5: error: job 'spare' would be ignored: nothing in 'services' names it (job: "
                        "spare); name it there, "
                        "or remove it\n"));
  const std::string models = "task_environment: {models: [{name: m, job: used, period: 30 min, data: 1 GB}]}\n";
  EXPECT_EQ(errors_of(head + jobs + models), ""); // a warning: a sweep may name one of several
}

TEST(ReadParts, WhatTrainingReadsIsReadWhereTrainingIsSimulated)
{
  const std::string training = "jobs: " + samples.at("jobs") + "\ntransports: " + samples.at("transports") +
                               "\nframework: " + samples.at("framework") + "\nera: " + samples.at("era") + "\n";
  EXPECT_EQ(errors_of(head + training +
                      "workload: {jobs: [{duration: 1 h, gpus: 4, model: j}]}\nscheduling: {speed: step}\n"),
            "");
  EXPECT_EQ(
      errors_of(head + training + "services: [{name: s, kind: training, job: j, replicas: 4, resources: {gpus: 1}}]\n"),
      "");
  EXPECT_EQ(
      errors_of(head + training + "task_environment: {models: [{name: m, job: j, period: 30 min, data: 1 GB}]}\n"), "");
}

TEST(ReadParts, ReplicasAreRunOrRefused)
{
  const std::string several =
      "name: r\ncluster:\n  node_types: {n: {gpu: A100-SXM4-40GB, gpus: 2}}\n  nodes: [{name: n, type: n}]\n"
      "run: {until: 1 h, replicas: 5}\n";
  EXPECT_EQ(errors_of(several + "jobs: [{model: resnet50}]\n"), "");
  EXPECT_EQ(errors_of(several + "workload: {jobs: [{duration: 1 h}]}\n"),
            "parts.yaml:5:19: error: 'replicas' would be ignored: a run of 'workload' has one seed; simrun sweep "
            "--replicas 5 runs it with "
            "several, simrun compare gives means and intervals\n"
            "  run: {until: 1 h, replicas: 5}\n"
            "                    ^\n");
  EXPECT_EQ(errors_of(several + "services: [{name: s, kind: training, work: 20 min, resources: {gpus: 1}}]\n"), "");
}

TEST(CheckPoints, TellsEveryPointThatRunsOutOfMemory)
{
  // A V100 with 16 GB holds ResNet-50 with 32 samples, not with thousands.
  const std::string text =
      "name: m\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 2}}\n  nodes: [{name: n, type: n}]\n"
      "jobs: [{name: j, model: resnet50}]\nsweep: {grid: {jobs.0.batch_per_gpu: [4000, 32, 5000]}}\n";
  const std::string errors = errors_of(text);
  EXPECT_THAT(errors, HasSubstr("at point batch_per_gpu=4000: job 'j': out of GPU memory"));
  EXPECT_THAT(errors, HasSubstr("at point batch_per_gpu=5000: job 'j': out of GPU memory"));
  EXPECT_THAT(errors, Not(HasSubstr("batch_per_gpu=32:")));
  Diagnostics all;
  check(text, all);
  EXPECT_TRUE(std::ranges::any_of(all.sorted(), [](const Diagnostic& said) {
    return said.severity == Severity::note &&
           said.message == "1 of 3 points have no errors; simrun sweep simulates those";
  }));
}

TEST(ReadParts, MachinesFromAFileLeaveNoRoomForACluster)
{
  EXPECT_THAT(errors_of(head + "workload: {jobs: [{duration: 1 h}], machines: " +
                        (tests::source_folder() / "scenarios/traces/mixed_nodes.csv").string() + "}\n"),
              HasSubstr("'cluster' would be ignored: a run of 'workload' reads it only without workload: {machines: "
                        "FILE}; otherwise remove it\n"));
}

} // namespace
} // namespace trainyard
