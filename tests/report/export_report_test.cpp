// SPDX-License-Identifier: Apache-2.0
/// What simrun export and simrun report write, read back.
#include "tests/support/places.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::read_bytes;

struct Exports : ::testing::Test {
  Exports()
  {
    fs::remove_all(folder);
    fs::create_directories(folder);
    std::ofstream{folder / "train.yaml"} << R"(question: what is exported?
cluster:
  node_types: {worker: {gpu: V100-SXM2-16GB, gpus: 2, cpu_cores: 8, memory: 64 GiB}, server: {cpu_cores: 4, memory: 16 GiB}}
  nodes: [{name: w, type: worker, count: 2}, {name: s, type: server, count: 1}]
  network: {link: 25GbE}
jobs:
  - {name: ps, model: resnet50, workers: 4, training: {mode: parameter_server, servers: 1}}
run: {fidelity: fluid}
)";
    std::ofstream{folder / "queue.yaml"} << R"(question: who waits?
cluster:
  node_types: {worker: {gpu: T4, gpus: 2}}
  nodes: [{name: w, type: worker, count: 1}]
  network: {link: 10GbE}
workload:
  jobs:
    - {name: a, duration: 100 s, gpus: 2, user: ann}
    - {name: b, submit: 10 s, duration: 50 s, gpus: 1, user: bob}
)";
  }
  ~Exports() override { fs::remove_all(folder); }

  int run(const std::string& line) const
  {
    const std::string command = "cd '" + folder.string() + "' && PATH='" + tests::program_folder().string() +
                                "':$PATH && { " + line + "; } >out 2>err";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string errors() const { return read_bytes(folder / "err"); }

  const fs::path folder =
      fs::path{::testing::TempDir()} /
      ("export-" + std::to_string(::getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Exports, SwfHoldsWaitsAndRunTimesAndIsReadBack)
{
  ASSERT_EQ(run("simrun queue.yaml -o q && simrun export q --format swf -o q.swf"), 0) << errors();
  // job a runs at once for 100 s on 2 GPUs; b waits from 10 to 100 s and runs 50 s
  EXPECT_THAT(read_bytes(folder / "q.swf"), HasSubstr("\n1 0 0 100 2 -1 -1 2 100 -1 1 "));
  EXPECT_THAT(read_bytes(folder / "q.swf"), HasSubstr("\n2 10 90 50 1 -1 -1 1 50 -1 1 "));
  ASSERT_EQ(run("simrun import q.swf --gpu T4 -o again.yaml && simrun check again.yaml"), 0) << errors();
}

TEST_F(Exports, SimgridPlatformComesBackAsTheSameMachines)
{
  ASSERT_EQ(run("simrun export train.yaml --format simgrid -o p.xml"), 0) << errors();
  EXPECT_THAT(read_bytes(folder / "p.xml"), HasSubstr("<host id=\"w-1\""));
  ASSERT_EQ(run("simrun import p.xml -o again.yaml --json && simrun check again.yaml"), 0) << errors();
}

TEST_F(Exports, ManifestsComeBackAsTheSameJobAndCluster)
{
  ASSERT_EQ(run("simrun export train.yaml --format kubernetes -o k.yaml && simrun import k.yaml -o again.yaml && "
                "simrun check again.yaml"),
            0)
      << errors();
  EXPECT_THAT(read_bytes(folder / "again.yaml"), HasSubstr("count: 2}"));
  EXPECT_THAT(read_bytes(folder / "again.yaml"), HasSubstr("{mode: parameter_server, servers: 1"));
  EXPECT_THAT(read_bytes(folder / "again.yaml"), HasSubstr("workers: 4"));
  ASSERT_EQ(run("simrun export train.yaml --format compose -o c.yml && simrun import c.yml -o stack.yaml && simrun "
                "check stack.yaml"),
            0)
      << errors();
  EXPECT_THAT(read_bytes(folder / "stack.yaml"), HasSubstr("workers: 4"));
}

TEST_F(Exports, ReportsAreSelfContained)
{
  ASSERT_EQ(run("simrun train.yaml -o t && simrun report t -o t.html -o t.pdf"), 0) << errors();
  const std::string html = read_bytes(folder / "t.html");
  EXPECT_THAT(html, HasSubstr("what is exported?"));
  EXPECT_THAT(html, HasSubstr("class=answer"));
  EXPECT_THAT(html, HasSubstr("badge data"));
  EXPECT_THAT(html, HasSubstr("data:image/svg+xml;base64,"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  for (const char* outside : {"src=\"http", "href=\"http", "@import", "url(http"})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  EXPECT_TRUE(read_bytes(folder / "t.pdf").starts_with("%PDF"));
  ASSERT_EQ(run("simrun queue.yaml -o q && simrun report q -o q.html -o q.pdf"), 0) << errors();
  EXPECT_THAT(read_bytes(folder / "q.html"), HasSubstr("mean JCT"));
}

/// The cells of the first row of an HTML table by their headings.
std::map<std::string, std::string> first_row(const std::string& html)
{
  const auto texts = [&](const std::string& tag, std::size_t from, std::size_t to) {
    std::vector<std::string> found;
    const std::string part = html.substr(from, to - from);
    const std::regex cell{"<" + tag + "[^>]*>([^<]*)</" + tag + ">"};
    for (std::sregex_iterator match{part.begin(), part.end(), cell}, end; match != end; ++match)
      found.push_back((*match)[1]);
    return found;
  };
  const std::size_t begin = html.find("<table>"), body = html.find("<tbody>", begin);
  const std::vector<std::string> headings = texts("th", begin, body),
                                 cells = texts("td", body, html.find("</tr>", body));
  std::map<std::string, std::string> row;
  EXPECT_EQ(headings.size(), cells.size());
  for (std::size_t i = 0; i < std::min(headings.size(), cells.size()); ++i)
    row[headings[i]] = cells[i];
  return row;
}

TEST_F(Exports, ReportsShowEachFigureUnderItsHeading)
{
  ASSERT_EQ(run("simrun train.yaml -o t"), 0) << errors();
  nlohmann::json summary = nlohmann::json::parse(read_bytes(folder / "t" / "summary.json"));
  nlohmann::json& job = summary["jobs"][0];
  job["point"] = "the variant";
  job["job"] = "the job";
  job["model"] = "the model";
  job["precision"] = "the precision";
  job["workers"] = 5;
  job["samples_per_second"] = {{"mean", 777.0}, {"low", 777.0}, {"high", 777.0}};
  job["scaling_efficiency"] = 0.25;
  job["step_s"] = {{"mean", 2.0}};
  job["compute_s"] = 3.0;
  job["host_s"] = 7.0;
  job["exposed_communication_s"] = 4.0;
  job["wait_s"] = 6.0;
  job["bottleneck"] = "the bottleneck";
  std::ofstream{folder / "t" / "summary.json"} << summary.dump();
  ASSERT_EQ(run("simrun report t -o t.html"), 0) << errors();
  const std::map<std::string, std::string> expected = {{"GPUs", "5"},
                                                       {"images/s", "777"},
                                                       {"efficiency", "25 %"},
                                                       {"step", "2.00 s"},
                                                       {"compute", "3.00 s"},
                                                       {"host", "7.00 s"},
                                                       {"exposed comm", "4.00 s"},
                                                       {"wait", "6.00 s"},
                                                       {"bottleneck", "the bottleneck"}};
  std::map<std::string, std::string> shown = first_row(read_bytes(folder / "t.html"));
  shown.erase("80 % sure"); // tests/report/model_error_test.cpp has it
  EXPECT_EQ(shown, expected);
  EXPECT_THAT(read_bytes(folder / "t.html"),
              HasSubstr("the model · parameter_server:1 · the precision · batch 32 per GPU"));
  EXPECT_THAT(read_bytes(folder / "t.html"), HasSubstr("Assumed, because the scenario does not say: "));
}

TEST_F(Exports, ReportsOfAPlanTellTheAnswerItsNeighboursAndWhatMoneyBuys)
{
  ASSERT_EQ(
      run("simrun plan queue.yaml -g 'p95(queueing_delay) < 1 min' -k cluster.nodes.0.count=1..3 --policies fifo,sjf "
          "--set cluster.node_types.worker.price='2 $/h' -o plan"),
      0)
      << read_bytes(folder / "err");
  ASSERT_EQ(run("simrun report plan -o plan.html -o plan.pdf"), 0) << read_bytes(folder / "err");
  const std::string html = read_bytes(folder / "plan.html");
  // b waits 90 s behind a on one machine; a second one for 2 $/h more fits both.
  for (const char* words :
       {"Which design has the lowest cost and meets p95(queueing_delay) &lt; 1 min?",
        "answer: nodes=2 policy=", "cheaper", "fewer nodes", "Pareto front: cost against p95(queueing_delay)", "missed",
        "the seed has no effect", "The design as a scenario", "designs.csv", "data:image/svg+xml;base64,"})
    EXPECT_THAT(html, HasSubstr(words));
  EXPECT_THAT(html, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(read_bytes(folder / "plan.pdf"), ::testing::StartsWith("%PDF"));
  ASSERT_EQ(
      run("simrun plan queue.yaml -g 'p95(queueing_delay) < 1 min' -k cluster.nodes.0.count=1 --policies fifo,sjf "
          "--set cluster.node_types.worker.price='2 $/h' -o miss"),
      3);
  ASSERT_EQ(run("simrun report miss -o miss.html"), 0) << read_bytes(folder / "err");
  EXPECT_THAT(read_bytes(folder / "miss.html"), HasSubstr("no design meets the goals; the nearest miss is nodes=1"));
}

// Student's interval of a few waits reaches below 0 (the CSV keeps it); a reader is told 0, as the terminal does.
TEST_F(Exports, AReportShowsNoNegativeTimes)
{
  std::ofstream{folder / "random.yaml"} << R"(
cluster:
  node_types: {machine: {gpu: V100-SXM2-16GB, gpus: 4, price: 10 $/h}}
  nodes: [{name: machine, type: machine, count: 3}]
  network: {link: 25GbE}
workload:
  generate: {jobs: 120, arrivals: poisson, mean_interarrival: 10 min, median_duration: 1 h, duration_sigma: 0.8, gpus: {1: 0.6, 2: 0.3, 4: 0.1}}
)";
  ASSERT_EQ(run("simrun plan random.yaml -g 'p95(queueing_delay) < 2 h' -k nodes=3..5 -o random && simrun report "
                "random -o random.html"),
            0)
      << errors();
  ASSERT_THAT(read_bytes(folder / "random/designs.csv"), HasSubstr(",-"));
  EXPECT_THAT(read_bytes(folder / "random.html"), HasSubstr("[0, "));
  EXPECT_THAT(read_bytes(folder / "random.html"), Not(::testing::ContainsRegex("\\[-[0-9]")));
}

TEST_F(Exports, ReportsOfAComparisonAndASensitivityTellWhoIsBestAndWhatDecides)
{
  ASSERT_EQ(run("simrun compare train.yaml --arch ps:1,ring --sync -o compared"), 0) << read_bytes(folder / "err");
  ASSERT_EQ(run("simrun report compared -o compared.html -o compared.pdf"), 0) << read_bytes(folder / "err");
  const std::string html = read_bytes(folder / "compared.html");
  for (const char* words : {"Comparison of ps:1 sync, ring", "ring is best in throughput", "throughput", "bottleneck",
                            "every difference is exact", "compare.csv", "data:image/svg+xml;base64,"})
    EXPECT_THAT(html, HasSubstr(words));
  ASSERT_EQ(run("simrun sensitivity train.yaml --samples 8 -o doubts"), 0) << read_bytes(folder / "err");
  ASSERT_EQ(run("simrun report doubts -o doubts.html -o doubts.pdf"), 0) << read_bytes(folder / "err");
  const std::string doubts = read_bytes(folder / "doubts.html");
  for (const char* words :
       {"Which input decides the answer", "varied together (5 to 95 % of 8 samples)", "the most important input is",
        "rank corr.", "sensitivity.csv", "data:image/svg+xml;base64,"})
    EXPECT_THAT(doubts, HasSubstr(words));
  EXPECT_THAT(read_bytes(folder / "doubts.pdf"), ::testing::StartsWith("%PDF"));
}

TEST_F(Exports, WrongInputsNameTheWayOut)
{
  EXPECT_EQ(run("simrun export train.yaml --format swff"), 2);
  EXPECT_THAT(errors(), HasSubstr("did you mean 'swf'?"));
  EXPECT_EQ(run("simrun export train.yaml --format swf"), 2);
  EXPECT_THAT(errors(), HasSubstr("needs the results folder of a queue run"));
  EXPECT_EQ(run("simrun report . -o r.html"), 2);
  EXPECT_THAT(errors(), HasSubstr("no summary.json"));
  EXPECT_EQ(run("simrun report . -o r.doc"), 2);
}

TEST_F(Exports, ImportWritesNothingOverItsOwnInputNorForBrokenFiles)
{
  std::ofstream{folder / "c.yml"} << "services:\n  a:\n    image: x\n   b: [\n";
  EXPECT_EQ(run("simrun import c.yml -o o.yaml"), 2);
  EXPECT_FALSE(fs::exists(folder / "o.yaml"));
  std::ofstream{folder / "d.yml"} << "services:\n  a:\n    image: x\n";
  EXPECT_EQ(run("simrun import d.yml -o d.yml"), 2);
  EXPECT_EQ(read_bytes(folder / "d.yml"), "services:\n  a:\n    image: x\n");
  EXPECT_EQ(run("simrun import --blank -o b.yaml && simrun check b.yaml"), 0) << errors();
  EXPECT_EQ(run("simrun import --blank -o b.yaml"), 2);
  EXPECT_EQ(run("simrun d.yml --no-files"), 0) << errors(); // foreign files run as they are
}

} // namespace
} // namespace trainyard
