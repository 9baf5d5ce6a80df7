// SPDX-License-Identifier: Apache-2.0
/// A run while it is under way: progress, results as points end, signals, and steps of `simrun inspect`.
#include "tests/app/small_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::Outcome;
using tests::read_bytes;
using tests::small_scenario;

struct UnderWay : tests::SmallScenario {
};

// The points that had ended are the results; the others are missing, and the results say so.
TEST_F(UnderWay, AnInterruptExitsWith130AndKeepsWhatHadEnded)
{
  std::string many = small_scenario;
  many.replace(
      many.find("[1, 4]"), 6, "[1, 2, 3, 4], jobs.0.batch_per_gpu: [" + [] {
        std::string list = "1";
        for (int i = 2; i < 60; ++i)
          list += ", " + std::to_string(i);
        return list;
      }() + "], run.seed: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]");
  write("many.yaml", many);
  // The first line of progress says that the run is under way: 4,720 points are far from done.
  const Outcome run = shell("mkfifo progress; '" + (tests::program_folder() / "simrun").string() +
                            "' many.yaml -o out --progress=json 2>progress & program=$!; exec 3<progress; "
                            "for i in 1 2 3 4; do read -r first <&3; done; kill -INT $program; cat <&3 >rest; "
                            "echo \"$first\"; wait $program");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"event\":"));
  EXPECT_THAT(read_bytes(folder / "rest"), Not(HasSubstr("\"done\":4720,"))) << "it ended before it was interrupted";
  const auto summary = nlohmann::json::parse(read_bytes(folder / "out/summary.json"));
  const std::size_t kept = summary["jobs"].size();
  EXPECT_GE(kept, 1U);
  EXPECT_LT(kept, 4720U);
  const std::string said =
      "interrupted: " + std::to_string(kept) + " of 4720 had ended and " + (kept == 1 ? "is" : "are") + " kept";
  EXPECT_THAT(summary["warnings"].dump(), HasSubstr(said));
  EXPECT_THAT(read_bytes(folder / "rest"), HasSubstr(said));
  EXPECT_TRUE(fs::exists(folder / "out/manifest.json"));
  EXPECT_EQ(shell("ls -A | grep -c unfinished").out, "0\n");
}

// One policy ends at once, the other takes for ever: its table is there when the run is stopped, and stands beside the
// whole results of an earlier run, not in their place.
TEST_F(UnderWay, PoliciesThatHadEndedAreKept)
{
  write("queue.yaml", "cluster:\n"
                      "  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4}}\n"
                      "  nodes: [{name: box, type: box, count: 1}]\n"
                      "workload: {generate: {jobs: 2000, mean_interarrival: 1 s, median_duration: 1 h}}\n"
                      "scheduling: {policies: [fifo, {name: time_slicing, slice: 0.01 s}]}\n");
  ASSERT_EQ(shell("simrun small.yaml -o out --no-plots").code, 0);
  const auto stopped = [&](const std::string& command) {
    return shell(
        "rm -f progress; mkfifo progress; \"$SIMRUN\" " + command +
        " --progress=json 2>progress & program=$!; exec 3<progress; while read -r line <&3; do case $line in "
        "*done?:[1-9]*) [ -z \"$once\" ] && kill -TERM $program; once=1;; esac; echo \"$line\"; done; wait $program");
  };
  const Outcome run = stopped("run queue.yaml -o out");
  EXPECT_EQ(run.code, 130) << run.out;
  EXPECT_THAT(run.out, HasSubstr("interrupted: 1 of 2 had ended and is kept"));
  const Outcome compared = stopped("compare queue.yaml --policies fifo,srtf,time_slicing -o compared -j 3");
  EXPECT_EQ(compared.code, 130) << compared.out;
  EXPECT_THAT(read_bytes(folder / "compared/compare.txt"), HasSubstr("interrupted before it ended"));
  EXPECT_THAT(read_bytes(folder / "out.interrupted/metrics.csv"), HasSubstr("fifo"));
  EXPECT_TRUE(fs::exists(folder / "out/steps.csv")) << "the earlier results stay";
}

// 200,001 jobs of about an hour take turns every 10 ms: one point of some 10^11 events. Both signals end it, also in a
// mixed run. (So many jobs are not listed, so that the run takes no more and more memory.)
TEST_F(UnderWay, ASignalEndsALongPoint)
{
  const std::string queue = "question: when does it end?\n"
                            "cluster:\n"
                            "  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}\n"
                            "  nodes: [{name: box, type: box, count: 1}]\n"
                            "  network: {link: 25GbE}\n"
                            "workload: {generate: {jobs: 200001, mean_interarrival: 1 s, median_duration: 1 h}}\n"
                            "scheduling: {policy: {name: time_slicing, slice: 0.01 s}}\n";
  write("queue.yaml", queue);
  write("mixed.yaml", queue + "services: [{name: web, replicas: 1}]\nrun: {until: 3650 d}\n");
  for (const char* name : {"queue", "mixed"})
    for (const char* signal : {"INT", "TERM"}) {
      const Outcome run =
          shell("rm -f progress; mkfifo progress; '" + (tests::program_folder() / "simrun").string() + "' " + name +
                ".yaml -o out --progress=json 2>progress & program=$!; exec 3<progress; read -r first <&3 && kill -" +
                signal + " $program; cat <&3 >rest; echo \"$first\"; wait $program");
      EXPECT_EQ(run.code, 130) << name << signal << run.err;
      EXPECT_THAT(run.out, HasSubstr("\"event\":\"progress\",\"done\":0,\"total\":1"));
      EXPECT_EQ(read_bytes(folder / "rest"), "interrupted; no unfinished results remain\n");
      EXPECT_FALSE(fs::exists(folder / "out"));
    }
}

TEST_F(UnderWay, ProgressGoesToStderrInTheWantedForm)
{
  const Outcome json = shell("simrun small.yaml --no-files --progress=json");
  EXPECT_THAT(json.err, HasSubstr("{\"event\":\"progress\",\"done\":4,\"total\":4"));
  EXPECT_THAT(shell("simrun small.yaml --no-files --progress=plain").err, HasSubstr("100 % (4 of 4)"));
  EXPECT_EQ(shell("simrun small.yaml --no-files --quiet").err, "");
  EXPECT_EQ(shell("simrun small.yaml --no-files").err, "");
}

TEST_F(UnderWay, ResultsAreToldAsPointsEndInTheFormForPrograms)
{
  const Outcome outcome = shell("simrun small.yaml --progress=json -o live");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto summary = nlohmann::json::parse(read_bytes(folder / "live" / "summary.json"));
  std::map<std::string, double> final;
  for (const auto& job : summary["jobs"])
    final[job["point"]] = job["samples_per_second"]["mean"];
  std::map<std::string, double> told;
  std::istringstream lines{outcome.err};
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"event\":\"result\"") == std::string::npos)
      continue;
    const auto event = nlohmann::json::parse(line);
    EXPECT_EQ(event["x_name"], "workers");
    EXPECT_EQ(event["y_name"], "samples_per_second");
    EXPECT_TRUE(event["series"] == "ring" || event["series"] == "ps") << line;
    told[event["point"]] = event["y"];
  }
  EXPECT_EQ(told, final); // all four points, the numbers of the table
  EXPECT_THAT(shell("simrun small.yaml --no-files --progress=plain").err, Not(HasSubstr("result")));
}

TEST_F(UnderWay, RunsUnderAnOrchestratorAndRetrainingTellTheirResultsToo)
{
  const auto told = [&](const std::string& line, const std::string& y_name) {
    const Outcome outcome = shell(line + " --no-files --progress=json");
    int count = 0;
    std::istringstream lines{outcome.err};
    for (std::string text; std::getline(lines, text);)
      if (text.find("\"event\":\"result\"") != std::string::npos) {
        const auto event = nlohmann::json::parse(text);
        EXPECT_EQ(event["x_name"], "time_h");
        EXPECT_EQ(event["y_name"], y_name);
        EXPECT_GE(event["y"].get<double>(), 0);
        ++count;
      }
    return count;
  };
  EXPECT_GT(told("simrun swarm_failures", "running_tasks"), 10);
  EXPECT_GT(told("simrun retraining --set run.until='4 d'", "need_to_deployed_h"), 5);
}

TEST_F(UnderWay, InspectStepsThroughASimulation)
{
  const Outcome outcome = shell("printf \"%s\\n\" \"{\\\"do\\\":\\\"step\\\",\\\"count\\\":2}\" nonsense "
                                "\"{\\\"do\\\":\\\"run_until\\\",\\\"time_s\\\":0.1}\" \"{\\\"do\\\":\\\"fly\\\"}\" "
                                "\"{\\\"do\\\":1}\" "
                                "\"{\\\"do\\\":\\\"run\\\"}\" | simrun inspect small.yaml --point 2");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<nlohmann::json> said;
  std::istringstream lines{outcome.out};
  for (std::string line; std::getline(lines, line);)
    said.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(said.size(), 8U) << outcome.out;
  EXPECT_EQ(said[0]["event"], "ready");
  EXPECT_EQ(said[0]["points"], 4);
  EXPECT_EQ(said[1]["time_s"], 0.0);
  EXPECT_EQ(said[1]["solver"]["instants"], 1);
  EXPECT_EQ(said[2]["solver"]["instants"], 3); // two further instants
  EXPECT_EQ(said[3]["event"], "error");
  EXPECT_GE(said[4]["time_s"], 0.1);
  EXPECT_EQ(said[5]["event"], "error");
  EXPECT_THAT(std::string{said[5]["message"]}, HasSubstr("'fly'"));
  EXPECT_EQ(said[6]["event"], "error"); // "do" is no text
  EXPECT_EQ(said[7]["ended"], true);
  EXPECT_EQ(said[7]["flow_count"], 0);
  for (const auto& state : said)
    for (const auto& link : state.value("links", nlohmann::json::array()))
      EXPECT_LE(link["rate_Bps"].get<double>(),
                link["capacity_Bps"].get<double>() * (1 + 1e-9)); // no link carries more than it can
  const Outcome services = shell("simrun inspect swarm_failures </dev/null");
  EXPECT_EQ(services.code, 2);
  EXPECT_THAT(services.err, HasSubstr("training steps and queues can be stepped through"));
  EXPECT_THAT(shell("simrun inspect shared_cluster_policies --policy flow </dev/null").err,
              HasSubstr("there is no policy 'flow'"));
  EXPECT_THAT(shell("simrun inspect small.yaml --policy fifo </dev/null").err,
              HasSubstr("this one has training steps"));
  EXPECT_THAT(shell("simrun inspect small.yaml --point 9 </dev/null").err, HasSubstr("has points 0 to 3"));
}

} // namespace
} // namespace trainyard
