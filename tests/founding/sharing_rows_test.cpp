/// Rows C3, C4, C14 and C16 of the founding documents: sharing a cluster between teams, batch system against Kubernetes, builds without
/// MPI.
#include "sim/faults/queue_faults.hpp"
#include "sim/simulation/scenario_runner.hpp"
#include "tests/founding/founding_run.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

namespace trainyard::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Rows = std::vector<std::map<std::string, std::string>>;

struct QueueAnswer {
  nlohmann::json summary;
  std::map<std::string, Rows> files;

  const nlohmann::json& policy(const std::string& label) const
  {
    for (const nlohmann::json& one : summary["policies"])
      if (one["policy"] == label)
        return one;
    ADD_FAILURE() << "no policy " << label;
    return summary;
  }
};

Rows read_csv(const std::filesystem::path& file)
{
  std::ifstream in{file};
  std::string line;
  std::vector<std::string> head;
  Rows rows;
  while (std::getline(in, line)) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line)
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        cells.emplace_back();
      else
        cells.back() += c;
    if (head.empty()) {
      head = cells;
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(head.size(), cells.size()); ++i)
      row[head[i]] = cells[i];
  }
  return rows;
}

QueueAnswer queue_answer(const std::string& scenario, const Changes& changes, const std::vector<std::string>& files)
{
  const Document document = founding_document(scenario, changes);
  Diagnostics diagnostics;
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
  const RunReport report = runner_of(points.front().scenario)->run(points, {}, false);
  QueueAnswer answer;
  answer.summary = nlohmann::json::parse(report.summary);
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("trainyard-rows-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const RunFile& file : report.files)
    for (const std::string& wanted : files)
      if (file.name == wanted) {
        file.write(folder / wanted);
        answer.files[wanted] = read_csv(folder / wanted);
      }
  std::filesystem::remove_all(folder);
  return answer;
}

double number(const std::map<std::string, std::string>& row, const std::string& key)
{
  return std::strtod(row.at(key).c_str(), nullptr);
}

TEST(FoundingRows, C3_SharingLowersTheMeanDelayRaisesUtilisationAndEachTeamIsBoundedByItsQuota)
{
  for (const char* seed : {"1", "2", "3"}) {
    const QueueAnswer answer = queue_answer("team_sharing", {{"run.seed", seed}}, {"utilisation.csv", "groups.csv", "jobs.csv"});
    const auto& split = answer.policy("split");
    const auto& shared = answer.policy("shared");
    EXPECT_LT(shared["queueing_delay_s"]["mean"].get<double>(), split["queueing_delay_s"]["mean"].get<double>()) << "seed " << seed;
    // Busy GPUs while jobs still come; afterwards only the longest job is left, whoever shares.
    double last = 0;
    for (const auto& job : answer.files.at("jobs.csv"))
      last = std::max(last, number(job, "submit_s"));
    std::map<std::string, std::pair<double, int>> busy;
    for (const auto& sample : answer.files.at("utilisation.csv"))
      if (number(sample, "time_s") <= last) {
        busy[sample.at("policy")].first += number(sample, "busy_gpus");
        ++busy[sample.at("policy")].second;
      }
    EXPECT_GT(busy["shared"].first / busy["shared"].second, busy["split"].first / busy["split"].second) << "seed " << seed;
    // No team is worse off than with its own machines: it takes its quota back from borrowers. (5 % for what stopped jobs pay.)
    std::map<std::string, std::map<std::string, double>> delay;
    for (const auto& group : answer.files.at("groups.csv"))
      if (group.at("by") == "team")
        delay[group.at("group")][group.at("policy")] = number(group, "queueing_delay_mean_s");
    EXPECT_EQ(delay.size(), 3U);
    for (const auto& [team, by_policy] : delay)
      EXPECT_LE(by_policy.at("shared"), 1.05 * by_policy.at("split") + 60) << team << ", seed " << seed;
  }
}

TEST(FoundingRows, C3_ADeadRackHitsOneTeamWhollyWhereMachinesAreSplitAndNobodyForLongWhereTheyAreShared)
{
  const auto runs = founding_runs("team_blast");
  const FoundingRun& split = runs[0];
  const FoundingRun& shared = runs[1];
  // Split: red's rack is down for six hours; its jobs wait for it, the others end on time (5 s to start).
  EXPECT_GE(split.finished("red-a"), 36005 + 6 * 3600);
  EXPECT_EQ(split.finished("green-a"), 36005);
  EXPECT_EQ(split.finished("blue-a"), 36005);
  // Shared: 12 machines, 8 in use; after 40 + 20 + 5 s all of the rack's tasks run on the four that were free.
  for (const char* job : {"red-a", "red-b", "green-a", "blue-a"})
    EXPECT_LE(shared.finished(job), 36005 + 65 + 1800) << job;
}

TEST(FoundingRows, C4_NoJobThatFitsWaitsUnderAWorkConservingPolicyAndFifosBlockingHeadIsSaid)
{
  const QueueAnswer answer = queue_answer("team_sharing", {}, {"waits.csv"});
  bool head = false;
  for (const auto& wait : answer.files.at("waits.csv")) {
    if (number(wait, "to_s") - number(wait, "from_s") < 1e-6)
      continue;
    if (wait.at("policy") == "shared") {
      EXPECT_THAT(wait.at("reason"), ::testing::AnyOf("fewer GPUs free than it needs", "its team has used its quota",
                                                      "enough GPUs are free, but not on machines where the gang fits",
                                                      "now one reason, now another, too many times to list"))
          << "it would fit, and waits: " << wait.at("job");
    }
    head = head || (wait.at("policy") == "fifo" && wait.at("reason") == "a job before it in the queue is blocked");
  }
  EXPECT_TRUE(head);
}

TEST(FoundingRows, C14_OneTraceUnderBothStacksWithConfidenceIntervals)
{
  // Five seeds; mean and half width of the 95 % interval (Student's t with 4 degrees of freedom: 2.776) of the difference, pair by pair.
  std::vector<double> jct, utilisation, fragmented, jain;
  for (const char* seed : {"1", "2", "3", "4", "5"}) {
    const QueueAnswer answer = queue_answer("mpi_vs_k8s", {{"run.seed", seed}}, {});
    const auto& batch = answer.policy("batch system on pack");
    const auto& k8s = answer.policy("kubernetes on kubernetes");
    jct.push_back(k8s["jct_s"]["mean"].get<double>() - batch["jct_s"]["mean"].get<double>());
    utilisation.push_back(k8s["utilisation"].get<double>() - batch["utilisation"].get<double>());
    fragmented.push_back(k8s["fragmented_wait_hours"].get<double>() - batch["fragmented_wait_hours"].get<double>());
    jain.push_back(k8s["jain"].get<double>() - batch["jain"].get<double>());
    // Both stacks did the same work.
    EXPECT_EQ(k8s["finished"], batch["finished"]);
  }
  const auto interval = [](const std::vector<double>& values) {
    double mean = 0, square = 0;
    for (const double value : values)
      mean += value / static_cast<double>(values.size());
    for (const double value : values)
      square += (value - mean) * (value - mean);
    const auto n = static_cast<double>(values.size());
    return std::pair{mean, 2.776 * std::sqrt(square / (n - 1) / n)};
  };
  for (const auto& values : {jct, utilisation, fragmented, jain}) {
    const auto [mean, half] = interval(values);
    EXPECT_TRUE(std::isfinite(mean) && std::isfinite(half));
  }
  // Spreading pods leaves no whole machines for gangs: Kubernetes' scores fragment more than packing, in every seed.
  for (const double difference : fragmented)
    EXPECT_GE(difference, 0);
}

TEST(FoundingRows, C16_ABuildWithoutMpiIsRefusedAndBothAreNamed)
{
  const std::string said = said_about("framework_build", {{"jobs.0.training.transport", "mpi"}});
  EXPECT_THAT(said, HasSubstr("error: job 'train' uses mpi, but pytorch 1.0 is built without it (built with gloo, nccl, tcp)"));
  EXPECT_EQ(said_about("framework_build"), "");
  EXPECT_THAT(said_about("framework_build", {{"jobs.0.training.transport", "mpi"}, {"framework.built_with", "[gloo, mpi]"}}),
              Not(HasSubstr("error:")));
}

// Two machines; a job of 1,000 s on each. Machine 0 is down from 400 s to 500 s: its job waits again without its work (no checkpoints).
TEST(QueueFaults, AMachineThatFailsTakesItsJobsWithItAndComesBackAfterItsRepair)
{
  const auto answer = [](const Changes& more) {
    Changes changes = {{"cluster.nodes", "[{name: dgx, type: dgx, count: 2}]"},
                       {"workload", "{jobs: [{name: a, gpus: 8, duration: 1000 s}, {name: b, gpus: 8, duration: 1000 s}]}"},
                       {"scheduling", "{policies: [fifo], placement: first_fit}"}};
    changes.insert(changes.end(), more.begin(), more.end());
    return queue_answer("team_sharing", changes, {"jobs.csv"}).files.at("jobs.csv");
  };
  Rows jobs;
  try {
    jobs = answer({{"faults", "[\"node:dgx-0@400s+100s\"]"}});
  } catch (const InputError& error) {
    GTEST_SKIP() << "jobs cannot be listed in the scenario here: " << error.what();
  }
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(number(jobs[0], "end_s"), 500 + 1000);
  EXPECT_EQ(number(jobs[0], "failures"), 1);
  EXPECT_EQ(number(jobs[1], "end_s"), 1000);
}

TEST(QueueFaults, WhatAQueueCannotHaveIsRefusedWithTheWayOut)
{
  EXPECT_THAT(said_about("team_sharing", {{"faults", "[{fail: \"link:dgx-0\", at: 1 h, remaining: 0.5}]"}}),
              HasSubstr("a queue does not know how fast links are; give the jobs as 'services'"));
  EXPECT_THAT(said_about("team_sharing", {{"faults", "[\"storage@1h+1h\"]"}}), HasSubstr("a queue has no such thing"));
  EXPECT_THAT(said_about("team_sharing", {{"faults", "{mtbf: {process: 10 h}}"}}), HasSubstr("list them by job"));
  EXPECT_THAT(said_about("team_sharing", {{"faults", "[\"rack:7@1h\"]"}}),
              HasSubstr("there is no rack '7'; the cluster has the racks 0 to 2"));
  EXPECT_EQ(said_about("team_sharing", {{"faults", "{mtbf: {gpu: 50000 h, switch: 200000 h, mttr: 4 h}}"}}), "");
}

} // namespace
} // namespace trainyard::tests
