// SPDX-License-Identifier: Apache-2.0
// A queue run as simrun makes it: scenario text in, table, summary and explanation out.
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "tests/support/checked_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

const std::string head =
    "trainyard: 1\nname: q\nquestion: who waits?\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 2}}\n"
    "  nodes: [{name: n, type: n, count: 2}]\n  network: {topology: star, link: 25GbE}\n";

std::vector<CheckedPoint> checked(const std::string& text)
{
  return tests::checked_points(text, "q.yaml");
}

RunReport run(const std::string& text)
{
  const auto points = checked(text);
  const ScenarioRunner* runner = runner_of(points.front().scenario);
  EXPECT_NE(runner, nullptr);
  return runner->run(points, {});
}

std::string fault_of(const std::string& text)
{
  try {
    run(text);
  } catch (const InputError& error) {
    return error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
  }
  return "no fault";
}

const std::string generated =
    "workload: {generate: {jobs: 40, mean_interarrival: 60 s, median_duration: 10 min, gpus: {1: 1, 2: 1}}";

TEST(QueueRunner, ComparesPoliciesAndAdvises)
{
  const RunReport report = run(head + generated + "}\nscheduling: {policies: [fifo, sjf]}\n");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_THAT(report.text(), HasSubstr("lowest mean completion time: "));
  const auto summary = nlohmann::json(report.summary);
  EXPECT_EQ(summary["kind"], "trainyard queue");
  ASSERT_EQ(summary["policies"].size(), 2U);
  for (const auto& policy : summary["policies"])
    EXPECT_EQ(policy["finished"], 40);
}

// Beside three free GPUs b waits from 1 s to the next round of 360 s, or of 5 s: then less than the 10 s of a job.
TEST(QueueRunner, SaysWhereAPolicyDecidesTooSeldomForTheShortestJob)
{
  const std::string jobs = "workload: {jobs: [{name: a, duration: 10 s}, {name: b, submit: 1 s, duration: 20 s}]}\n";
  EXPECT_THAT(run(head + jobs + "scheduling: {policy: gavel}\n").text(),
              HasSubstr("gavel decides at intervals: jobs wait up to 359 s at a time for its next decision beside GPUs "
                        "that would do (100 % of all waiting), and the shortest job takes 10.0 s; "));
  EXPECT_THAT(run(head + jobs + "scheduling: {policy: {name: gavel, round: 5 s}}\n").text(),
              testing::Not(HasSubstr("decides at intervals")));
}

TEST(QueueRunner, SameSeedSameBytes)
{
  const std::string text = head + generated + "}\nscheduling: {policies: [srtf, easy_backfill]}\n";
  EXPECT_EQ(run(text).summary, run(text).summary);
}

TEST(QueueRunner, FailuresAreEventsAndReasons)
{
  // One job on all four GPUs for an hour. After 10 minutes one of the two machines is gone for 30 minutes: without
  // checkpoints the job starts again when it is back, at 40 minutes, and ends at 100 minutes.
  const RunReport report =
      run(head + "workload: {jobs: [{name: a, duration: 1 h, gpus: 4}]}\nfaults: [node:n-0@10min+30min]\n");
  const auto folder = std::filesystem::temp_directory_path() / ("trainyard-failures-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const RunFile& file : report.files)
    if (file.name.ends_with(".csv"))
      file.write(folder / file.name);
  EXPECT_EQ(read_text_file(folder / "events.csv", 1U << 20U), "point,policy,time_s,event,job,gpus,cause\n"
                                                              ",fifo,0,submitted,a,4,\n"
                                                              ",fifo,0,started,a,4,\n"
                                                              ",fifo,600,failed,,2,n-0\n"
                                                              ",fifo,600,interrupted,a,4,n-0\n"
                                                              ",fifo,600,requeued,a,4,n-0\n"
                                                              ",fifo,2400,repaired,,2,n-0\n"
                                                              ",fifo,2400,resumed,a,4,\n"
                                                              ",fifo,6000,finished,a,4,\n");
  EXPECT_EQ(read_text_file(folder / "failures.csv", 1U << 20U), "point,policy,failure,from_s,to_s,nodes,gpus,jobs_hit\n"
                                                                ",fifo,n-0,600,2400,n-0,2,1\n");
  std::ofstream{folder / "summary.json"} << report.summary;
  const std::string why = runner_of_kind("trainyard queue")->explain(folder, "job", "a").text();
  EXPECT_THAT(why, HasSubstr("  at 00:10:00 a failure stopped it: n-0\n"));
  EXPECT_THAT(why, HasSubstr("(4 needed, 2 free); down meanwhile: n-0 (from 00:10:00 to 00:40:00)\n"));
  std::filesystem::remove_all(folder);
}

TEST(QueueRunner, ExplainsWhyAJobWaited)
{
  const RunReport report = run(head + generated + "}\nscheduling: {policy: fifo}\n");
  const auto folder = std::filesystem::temp_directory_path() / ("trainyard-queue-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const RunFile& file : report.files)
    if (file.name.ends_with(".csv"))
      file.write(folder / file.name);
  const ScenarioRunner* runner = runner_of_kind("trainyard queue");
  ASSERT_NE(runner, nullptr);
  std::ofstream{folder / "summary.json"} << report.summary;
  EXPECT_THAT(runner->explain(folder, "job", "39").text(), HasSubstr("job 39"));
  EXPECT_THROW(runner->explain(folder, "job", "4711"), InputError);
  EXPECT_THROW(runner->explain(folder, "task", "1"), InputError);
  std::filesystem::remove_all(folder);
}

TEST(QueueRunner, JobsThatCanNeverRunEndWithThree)
{
  const RunReport report = run(head + "workload: {generate: {jobs: 5, gpus: {64: 1}}}\n");
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_THAT(report.text(), HasSubstr("can never run"));
}

TEST(QueueRunner, SpreadGangsAreSlowerWhereSpeedComesFromTheStep)
{
  // A step computes 0.2 s. VGG-16's gradients are 138,357,544 x 4 B = 553.4 MB; in a ring of two each port sends 2 (2 -
  // 1) / 2 of them, over 10GbE (1.25 GB/s) 0.443 s: no step can be shorter, whatever overlaps. Packed the same bytes
  // take at most 0.07 s over PCIe (at least 8 GB/s). So spread is slower by at least 0.443 / 0.27 = 1.64, and, with
  // nothing overlapped and a tenth lost to latency, at most by (0.2 + 1.1 x 0.443) / 0.2 = 3.44.
  std::string text = head;
  text.replace(text.find("25GbE"), 5, "10GbE");
  text += "jobs: [{name: vgg, model: vgg16, batch_per_gpu: 32, single_gpu_step: 200 ms, training: {mode: all_reduce, "
          "transport: nccl}}]\n"
          "workload: {generate: {jobs: 6, mean_interarrival: 1 d, median_duration: 1 h, duration_sigma: 0, gpus: {2: "
          "1}}, models: {vgg: 1}}\n"
          "scheduling: {placements: [pack, spread], speed: step}\n";
  const auto summary = nlohmann::json(run(text).summary);
  const double packed = summary["policies"][0]["jct_s"]["mean"], spread = summary["policies"][1]["jct_s"]["mean"];
  EXPECT_NEAR(packed, 3600, 1e-6); // alone and packed is what the duration means
  EXPECT_GT(spread, 1.64 * packed);
  EXPECT_LT(spread, 3.44 * packed);
}

TEST(QueueRunner, FaultsNameTheWayOut)
{
  EXPECT_THAT(fault_of(head + generated + "}\nscheduling: {policy: fiffo}\n"), HasSubstr("did you mean 'fifo'"));
  EXPECT_THAT(fault_of(head + "workload: {}\n"), HasSubstr("either 'trace', 'generate' or 'jobs'"));
  EXPECT_THAT(fault_of(head + "workload: {trace: {file: none.csv}}\n"), HasSubstr("there is no trace 'none.csv'"));
  EXPECT_THAT(fault_of(head + generated + "}\nscheduling: {speed: step}\n"), HasSubstr("has no model"));
  EXPECT_THAT(fault_of(head + generated + ", models: {vgg: 1}}\nscheduling: {speed: step}\n"),
              HasSubstr("has no job 'vgg'"));
  EXPECT_THAT(fault_of(head + generated + "}\nscheduling: {speed: step, cluster: pool}\n"),
              HasSubstr("needs machines"));
}

} // namespace
} // namespace trainyard
