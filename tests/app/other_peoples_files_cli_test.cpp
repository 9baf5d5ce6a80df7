// SPDX-License-Identifier: Apache-2.0
/// What simrun finds where it writes, and what names of other people do to what it shows and writes.
#include "tests/app/small_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::Outcome;
using tests::read_bytes;

struct OtherPeoplesFiles : tests::SmallScenario {
  void folder_of_somebody() const
  {
    fs::create_directories(folder / "web");
    write("web/manifest.json", R"({"name": "my web app"})");
    write("web/jobs.csv", "mine");
  }
};

TEST_F(OtherPeoplesFiles, EveryCommandThatWritesAFolderLeavesThatOfSomebodyElse)
{
  folder_of_somebody();
  write("q.yaml", "cluster:\n  node_types: {m: {gpu: V100-SXM2-16GB, gpus: 4}}\n"
                  "  nodes: [{name: n, type: m, count: 1}]\nworkload: {jobs: [{name: a, gpus: 1, duration: 1 h}]}\n");
  for (const char* line : {"simrun small.yaml -o web", "simrun q.yaml -o web", "simrun compare small.yaml -o web",
                           "simrun plan q.yaml --goal \"utilisation > 0\" --knob cluster.nodes.0.count=1,2 -o web",
                           "simrun sensitivity small.yaml -o web",
                           "simrun export llama3_70b_on_512_h100 --set jobs.0.workers=8 --format chakra -o web",
                           "simrun sweep small.yaml -o web/jobs.csv", "simrun report out -o web/jobs.csv"}) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.code, 2) << line << outcome.err;
    EXPECT_EQ(read_bytes(folder / "web/manifest.json"), R"({"name": "my web app"})") << line;
    EXPECT_EQ(read_bytes(folder / "web/jobs.csv"), "mine") << line;
  }
  EXPECT_THAT(shell("simrun small.yaml -o web").err,
              HasSubstr("'web' exists and is not a results folder; choose another folder with -o, or write into it "
                        "with --force"));
  const Outcome forced = shell("simrun small.yaml -o web --no-plots --force");
  EXPECT_EQ(forced.code, 0);
  EXPECT_THAT(forced.err, HasSubstr("--force removed from 'web' what simrun had not written: jobs.csv, manifest.json"));
  EXPECT_THAT(shell("simrun small.yaml -o web --no-plots").err, HasSubstr("replaced the earlier results in web"));
}

TEST_F(OtherPeoplesFiles, EveryCommandThatWritesAFileLeavesThatOfSomebodyElse)
{
  ASSERT_EQ(shell("simrun small.yaml -o out --no-plots").code, 0);
  write("r.html", "<html>my thesis");
  write("e.xml", "<mine/>");
  for (const char* line : {"simrun report out -o r.html", "simrun export small.yaml --format simgrid -o e.xml"}) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr("exists already and was not written by Trainyard; nothing was written. Choose "
                                       "another name with -o, or replace it with --force"));
    EXPECT_EQ(shell(std::string{line} + " --force").code, 0);
    EXPECT_EQ(shell(line).code, 0) << "our own files are replaced: " << line;
  }
  EXPECT_EQ(shell("simrun report out -o p.pdf && simrun report out -o p.pdf").code, 0);
  EXPECT_EQ(shell("simrun report out -o /dev/null && test -c /dev/null").code, 2)
      << "no .html, and no device is replaced";
}

// A limit of the size of a file fails as a full disk does. The report is larger than 8 KiB.
TEST_F(OtherPeoplesFiles, WhatCannotBeWrittenWholeLeavesTheEarlierFile)
{
  ASSERT_EQ(shell("simrun small.yaml -o out --no-plots && simrun small.yaml --seed 2 -o other --no-plots && "
                  "simrun report out -o r.html && cp r.html before.html")
                .code,
            0);
  ASSERT_GT(fs::file_size(folder / "r.html"), 8192U);
  const Outcome full = shell("trap \"\" XFSZ; ulimit -f 8; simrun report other -o r.html");
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("cannot write"));
  EXPECT_EQ(read_bytes(folder / "r.html"), read_bytes(folder / "before.html"));
  EXPECT_EQ(shell("ls -A | grep unfinished").out, "");
}

TEST_F(OtherPeoplesFiles, AScenarioCannotChooseAFolderElsewhere)
{
  for (const char* name : {"..", ".", "a/../../b", "\"x\\e]0;title\\a\""}) {
    write("s.yaml", "name: " + std::string{name} + "\n" + tests::small_scenario);
    EXPECT_EQ(shell("simrun - --no-plots < s.yaml && test -f results/runs/scenario/summary.json && rm -r results").code,
              0)
        << name;
  }
}

// The names as they are in a trace: Latin-1, and a letter of UTF-8 that was cut (line 3).
TEST_F(OtherPeoplesFiles, NamesOfATraceThatAreNotUtf8LoseNoResults)
{
  write("t.csv", "name,submit_s,duration_s,gpus\nM\xfcller,0,60,1\nM\xc3,0,60,1\n");
  write("s.yaml", "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                  "  nodes: [{name: w, type: w, count: 2}]\nworkload: {trace: {file: t.csv}}\n");
  const Outcome run = shell("simrun s.yaml -o out && simrun report out -o r.html -o r.pdf");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out + run.err, HasSubstr("2 x byte that is not UTF-8: replaced by U+FFFD (line 2, 3)"));
  EXPECT_THAT(read_bytes(folder / "out/jobs.csv"), HasSubstr("M\uFFFDller"));
  EXPECT_EQ(shell("iconv -f UTF-8 -t UTF-8 out/jobs.csv out/*.svg out/summary.json r.html > /dev/null").code, 0);
  EXPECT_EQ(shell("cp s.yaml $(printf \"\\\\374.yaml\") && simrun $(printf \"\\\\374.yaml\") -o odd").code, 0)
      << "the name of the file is the title of the plots";
}

const char* const steering = "a\\e]0;title\\a\\e[31mred\\e[2J\\x7f\\u009b31m\\u202e\\r";

TEST_F(OtherPeoplesFiles, NothingOfAFileSteersTheTerminal)
{
  const std::string name = "\"" + std::string{steering} + "\"";
  write("steps.yaml", "name: " + name + "\nquestion: " + name +
                          "\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                          "  nodes: [{name: w, type: w, count: 2}]\n  network: {link: 25GbE}\n"
                          "jobs: [{name: " +
                          name + ", model: resnet50, workers: 2}]\nrun: {fidelity: fluid}\n");
  write("trace.csv", "name,submit_s,duration_s,gpus\n\"a\x1b]0;title\x07\x1b[2J\",0,60,1\nb,0,60,9\n");
  write("queue.yaml", "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                      "  nodes: [{name: w, type: w, count: 2}]\nworkload: {trace: {file: trace.csv}}\n");
  write("broken.yaml", "name: " + name + "\n" + name + ": 3\ncluster: \x1b[31m\n");
  for (const char* line :
       {"simrun steps.yaml -o s --color=always", "simrun steps.yaml --no-files", "simrun explain s",
        "simrun check steps.yaml", "simrun compare steps.yaml s --no-files",
        "simrun sweep steps.yaml --grid jobs.0.workers=1,2 -o s.sqlite", "simrun queue.yaml -o q",
        "simrun explain job 0 q", "simrun check broken.yaml", "simrun steps.yaml --no-files --progress=plain",
        "cat s/*.txt q/*.txt", "simrun steps.yaml --set $(printf \"a\\\\033[31m=3\")",
        "simrun $(printf \"no\\\\033[31m.yaml\")", "simrun report s -o s.html; cat s.html",
        "script -qec \"$SIMRUN steps.yaml --no-files --json\" /dev/null"}) {
    const Outcome outcome = shell(line);
    std::string told = outcome.out + outcome.err;
    for (const char* own : {"\x1b[1m", "\x1b[0m", "\x1b[38;2;0;158;115m", "\x1b[38;2;213;94;0m",
                            "\x1b[38;2;86;180;233m", "\x1b[1;38;2;213;94;0m", "\x1b[1;38;2;86;180;233m"})
      for (std::size_t at = told.find(own); at != std::string::npos; at = told.find(own))
        told.erase(at, std::string{own}.size());
    for (const char* raw : {"\x1b", "\x07", "\x7f", "\u009b", "\u202e"})
      EXPECT_THAT(told, Not(HasSubstr(raw))) << line;
  }
  EXPECT_THAT(shell("simrun steps.yaml --no-files").out,
              HasSubstr("a\\x1b]0;title\\x07\\x1b[31mred\\x1b[2J\\x7f\\x9b31m\\u202e\\x0d"));
  const auto json = nlohmann::json::parse(shell("simrun steps.yaml --no-files --json").out);
  EXPECT_EQ(json["scenario"], "a\x1b]0;title\x07\x1b[31mred\x1b[2J\x7f\u009b31m\u202e\r")
      << "programs get the name itself";
}

// Names with what ends a cell, a string, a tag or a line in one of the formats: read back from each, they are the same,
// and so are the figures.
TEST_F(OtherPeoplesFiles, EveryWriterKeepsNamesAndFigures)
{
  const std::vector<std::string> names = {"anna's job",  "say \"hi\"",
                                          "a,b;c",       "a.b[0]/{x}",
                                          "<b>&amp;",    "50 %",
                                          "back\\slash", "\u043A\u043B\u044E\u0447",
                                          "two\nlines",  std::string(300, 'x')};
  nlohmann::json jobs = nlohmann::json::array();
  for (const std::string& name : names)
    jobs.push_back({{"name", name}, {"model", "resnet50"}, {"workers", 1}});
  const std::string cluster =
      "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
      "  nodes: [{name: w, type: w, count: 12}]\n  network: {link: 25GbE}\nrun: {fidelity: fluid}\n";
  write("s.yaml", cluster + "jobs: " + jobs.dump() + "\n"); // JSON is YAML
  ASSERT_EQ(shell("simrun s.yaml -o out > table && simrun report out -o r.html").code, 0) << shell("cat .err").out;
  const auto summary = nlohmann::json::parse(read_bytes(folder / "out/summary.json"));
  ASSERT_EQ(summary["jobs"].size(), names.size());
  const std::string table = read_bytes(folder / "table");
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(summary["jobs"][i]["job"], names[i]);
    const std::string line = names[i] == "two\nlines" ? "two\\x0alines" : names[i];
    EXPECT_THAT(table, HasSubstr(line));
  }
  // python reads CSV, trace and database by the rules of each format, and compares with the summary
  write("read.py", R"(
import csv, gzip, html, json, re, sqlite3, xml.dom.minidom, glob
jobs = json.load(open('out/summary.json'))['jobs']
names = [job['job'] for job in jobs]
rows = list(csv.DictReader(open('out/jobs.csv', newline='')))
assert [row['job'] for row in rows] == names, 'jobs.csv'
for row, job in zip(rows, jobs):
    assert abs(float(row['samples_per_second']) / job['samples_per_second']['mean'] - 1) < 1e-6, 'figures of jobs.csv'
trace = json.load(gzip.open('out/trace.json.gz'))
told = json.dumps(trace['traceEvents'], ensure_ascii=False)
for name in names:
    assert json.dumps(name, ensure_ascii=False)[1:-1] in told, 'trace: ' + name
for file in glob.glob('out/*.svg'):
    xml.dom.minidom.parse(file)
cells = [html.unescape(cell) for cell in re.findall('<td[^>]*>(.*?)</td>', open('r.html').read(), re.S)]
for name in names:
    assert name in cells, 'report: ' + name
view = sqlite3.connect('s.sqlite').execute('select * from results order by id')
columns = [column[0] for column in view.description]
row = view.fetchone()
for name, job in zip(names, jobs):
    figure = row[columns.index(name + '.samples_per_second')]
    assert abs(figure / job['samples_per_second']['mean'] - 1) < 1e-6, 'view: ' + name
)");
  const Outcome sweep = shell("simrun sweep s.yaml --grid jobs.0.batch_per_gpu=32 -o s.sqlite");
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  const Outcome read = shell("python3 read.py");
  EXPECT_EQ(read.code, 0) << read.err;

  // names of Kubernetes and Docker are fewer: no two jobs get the same one
  for (const char* format : {"kubernetes", "compose"}) {
    const Outcome made = shell(std::string{"simrun export s.yaml --format "} + format + " -o m.yaml --force");
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(shell("grep -oE \"PyTorchJob|worker:\" m.yaml | wc -l").out, std::to_string(names.size()) + "\n");
    EXPECT_EQ(
        shell("grep -A1 PyTorchJob m.yaml | grep name: | sort | uniq -d; grep worker: m.yaml | sort | uniq -d").out, "")
        << format;
    EXPECT_THAT(made.err, HasSubstr("it is 'a-b-c' there"));
  }
}

// Two latencies beside two variants: four rows, no two of them alike.
TEST_F(OtherPeoplesFiles, ATableNamesEveryAxisBesideTheVariants)
{
  const std::string cluster = "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                              "  nodes: [{name: w, type: w, count: 2}, {name: v, type: w, count: 2}]\n"
                              "  network: {link: 25GbE}\njobs: [{name: train, model: resnet50, workers: 2}]\n"
                              "run: {fidelity: fluid}\n";
  write("axis.yaml", cluster + "sweep:\n  grid: {cluster.network.latency: [5 us, 1 ms]}\n"
                               "  variants: [{name: a}, {name: b, set: {jobs.0.training.fusion: none}}]\n");
  const std::string table = shell("simrun axis.yaml --no-files").out;
  for (const char* row : {"a latency=5 us", "a latency=1 ms", "b latency=5 us", "b latency=1 ms"})
    EXPECT_THAT(table, HasSubstr(row));
  // an axis that is no part of a curve's name: the machines of a group that nothing else shows
  write("count.yaml",
        cluster + "sweep:\n  grid: {cluster.nodes.1.count: [1, 2]}\n  variants: [{name: a}, {name: b}]\n");
  const std::string counts = shell("simrun count.yaml --no-files").out;
  for (const char* row : {"count=1 variant=a", "count=2 variant=a", "count=1 variant=b", "count=2 variant=b"})
    EXPECT_THAT(counts, HasSubstr(row));
}

} // namespace
} // namespace trainyard
