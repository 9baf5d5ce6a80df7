// SPDX-License-Identifier: Apache-2.0
/// simrun as a user meets it: exit codes, streams, messages.
#include "tests/app/small_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using tests::Outcome;
using tests::read_bytes;
using tests::small_scenario;

struct Cli : tests::SmallScenario {
};

// A rack of 72 GPUs as one machine: placing counts the GPUs of a machine by a mask of 32 bits.
TEST_F(Cli, AMachineOfMoreGpusThanPlacingKnowsIsAnErrorOfTheInputAndNoBug)
{
  const std::string rack = "cluster:\n  node_types: {rack: {gpu: GB200, gpus: 72}}\n"
                           "  nodes: [{name: rack, type: rack, count: 2}]\nrun: {until: 24 h}\n";
  write("queue.yaml", rack + "workload: {jobs: [{name: a, duration: 1 h}]}\n");
  write("services.yaml", rack + "services: [{name: s, kind: training, resources: {gpus: 1}, work: 1 h}]\n");
  write("retraining.yaml", rack + "task_environment: {models: [{name: m, train_time: 2 h, gpus: 7}]}\n");
  for (const char* name : {"queue", "services", "retraining"}) {
    const Outcome run = shell(std::string{"simrun "} + name + ".yaml --no-files");
    EXPECT_EQ(run.code, 2) << name << run.err;
    EXPECT_THAT(run.err, HasSubstr("has 72 GPUs; a queue, services and retraining know up to 32")) << name;
  }
}

// 13 machines of 7 GPUs have room for 91 tasks of one GPU, and for 13 of 4.
TEST_F(Cli, ServicesThatAskForMoreGpusThanThereAreAreWarned)
{
  const std::string machines = "cluster:\n  node_types: {m: {gpu: V100-SXM2-16GB, gpus: 7}}\n"
                               "  nodes: [{name: n, type: m, count: 13}]\norchestrator: kubernetes\n"
                               "services: [{name: s, kind: training, work: 1 h, ";
  write("many.yaml", machines + "replicas: 92, resources: {gpus: 1}}]\nrun: {until: 3 h}\n");
  EXPECT_THAT(shell("simrun check many.yaml").err + shell("simrun check many.yaml").out,
              HasSubstr("service 's' has 92 replicas, and the machines have room for 91 of them at a time"));
  write("fours.yaml", machines + "replicas: 14, resources: {gpus: 4}}]\nrun: {until: 3 h}\n");
  EXPECT_THAT(shell("simrun fours.yaml --no-files").err, HasSubstr("have room for 13 of them at a time"));
  write("enough.yaml", machines + "replicas: 91, resources: {gpus: 1}}]\nrun: {until: 3 h}\n");
  EXPECT_THAT(shell("simrun enough.yaml --no-files").err, Not(HasSubstr("at a time")));
}

TEST_F(Cli, AssumedRunTimesOfAnImportAreTimes)
{
  write("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {restartPolicy: Never, containers: []}\n");
  const Outcome bare = shell("simrun import pod.yaml --assume-duration 4");
  EXPECT_EQ(bare.code, 2);
  EXPECT_THAT(bare.err, HasSubstr("--assume-duration: '4' is not a time: "));
  EXPECT_THAT(shell("simrun import pod.yaml --assume-duration 0s").err, HasSubstr("is not a time above 0"));
  EXPECT_THAT(shell("simrun import pod.yaml --assume-duration 4h").err, HasSubstr("p runs for 4 h"));
}

// The time between two checkpoints is no part of a step.
TEST_F(Cli, ExplainedPartsOfADividedStepAreThoseOfTheStep)
{
  write("divided.yaml", "cluster:\n  node_types: {m: {gpu: A100-SXM4-80GB, gpus: 8}}\n"
                        "  nodes: [{name: n, type: m, count: 1}]\n"
                        "jobs:\n  - {name: j, model: gpt3_1.3b, workers: 8, training: {parallel: {global_batch: 64}}}\n"
                        "faults: {mtbf: {node: 500 h, mttr: 4 h}}\ncheckpoints: {interval: 1 h}\n");
  EXPECT_EQ(shell("simrun divided.yaml -o divided").code, 0);
  const std::string told = shell("simrun explain divided").out;
  EXPECT_THAT(told, HasSubstr("update of the parameters"));
  EXPECT_THAT(told, Not(HasSubstr("checkpoint")));
}

// What was imported may have been edited since. The same again is no loss.
TEST_F(Cli, AnImportOverwritesNothing)
{
  write("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {restartPolicy: Never, containers: []}\n");
  EXPECT_EQ(shell("simrun import pod.yaml -o s.yaml").code, 0);
  EXPECT_EQ(shell("simrun import pod.yaml -o s.yaml").code, 0);
  write("s.yaml", "mine: 1\n");
  const Outcome again = shell("simrun import pod.yaml -o s.yaml");
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("'s.yaml' exists already and is not what would be written; nothing was written. "
                                   "Choose another name with -o, or replace it with --force"));
  EXPECT_EQ(shell("cat s.yaml").out, "mine: 1\n");
}

TEST_F(Cli, AWarningAboutTheHostsTimeIsNoMissedGoal)
{
  write("host.yaml", "cluster:\n  node_types: {box: {gpu: B200-SXM}}\n  nodes: [{name: box, type: box}]\n"
                     "jobs:\n  - {name: train, model: resnet50, batch_per_gpu: 1}\n");
  const Outcome run = shell("simrun host.yaml --no-files");
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err, HasSubstr("warning: job 'train': the GPU waits for the host"));
}

TEST_F(Cli, OptionsThatChooseTrainingStepsAreToldWhereTheyChooseNothing)
{
  write("divided.yaml", "cluster:\n  node_types: {box: {gpu: H100-SXM5, gpus: 8}}\n"
                        "  nodes: [{name: box, type: box}]\n"
                        "jobs:\n  - {name: train, model: bert_base, precision: bf16,\n"
                        "     training: {parallel: {dp: 4, tp: 2, global_batch: 8}}}\n");
  const Outcome run = shell("simrun divided.yaml -o out --no-plots");
  ASSERT_EQ(run.code, 0) << run.err;
  const Outcome bare = shell("simrun explain out --job train");
  EXPECT_EQ(bare.code, 0) << bare.err;
  EXPECT_EQ(bare.err, "");
  const Outcome chosen = shell("simrun explain out --job train --workers 2 --model vgg16");
  EXPECT_EQ(chosen.out, bare.out);
  EXPECT_THAT(chosen.err, HasSubstr("warning: --workers has no effect: "));
  EXPECT_THAT(chosen.err, HasSubstr("warning: --model has no effect: "));
  EXPECT_THAT(chosen.err, Not(HasSubstr("--variant")));
}

TEST_F(Cli, OnePointOfASweepRunsAloneAndItsManifestRepeatsIt)
{
  write("small.yaml", small_scenario);
  const Outcome whole = shell("simrun small.yaml -o whole --no-plots");
  ASSERT_EQ(whole.code, 0) << whole.err;
  const Outcome one = shell("simrun small.yaml --point 'workers=4 variant=ps' -o one --no-plots");
  ASSERT_EQ(one.code, 0) << one.err;
  const auto rows = [&](const std::string& name) {
    std::istringstream lines{read_bytes(folder / name / "jobs.csv")};
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);)
      all.push_back(line);
    return all;
  };
  const std::vector<std::string> all = rows("whole"); // head, ring and ps with 1 worker, ring and ps with 4
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(rows("one"), (std::vector{all[0], all[4]}));
  EXPECT_EQ(shell("simrun one/manifest.json -o again --no-plots").code, 0);
  EXPECT_EQ(read_bytes(folder / "one" / "jobs.csv"), read_bytes(folder / "again" / "jobs.csv"));
  const Outcome none = shell("simrun small.yaml --point 'workers=4 variant=rings' --no-files");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("the sweep has no point 'workers=4 variant=rings'; did you mean 'workers=4 "
                                  "variant=ring'?"));
}

TEST_F(Cli, ATopicIsListedAsJson)
{
  const auto rows = nlohmann::json::parse(shell("simrun list columns --json").out);
  const auto step = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row["name"] == "step_s"; });
  ASSERT_NE(step, rows.end());
  EXPECT_EQ((*step)["unit"], "s");
  EXPECT_EQ((*step)["what it is"], "time of an optimiser step");
  EXPECT_EQ(shell("simrun list --json").code, 2);
}

// SimGrid looks for what an event changes by recursion from link to link: 512 ranks took more than 96 kB of stack, so
// 1,024 more than 190 kB, and some 40,000 more than the usual 8 MB. To load SimGrid with ns-3 takes up to 128 kB.
TEST_F(Cli, FlowTakesTheStackThatItNeedsAtLength)
{
  write("long.yaml", "cluster:\n"
                     "  node_types: {box: {gpu: A100-SXM4-80GB, gpus: 8, intra: pcie_tree}}\n"
                     "  nodes: [{name: n, type: box, count: 128}]\n"
                     "  network: {link: 100GbE}\n"
                     "jobs: [{name: a, model: one_tensor, workers: 1024, training: {mode: all_reduce, transport: mpi, "
                     "collective: tree}}]\n"
                     "run: {fidelity: flow}\n");
  const Outcome outcome = shell("ulimit -S -s 160; simrun long.yaml -o out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

// Errors and warnings are data, with their places; a warning has its message, by which other languages find it.
TEST_F(Cli, TellsAProgramWhatACheckFinds)
{
  write("until.yaml", "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                      "  nodes: [{name: w, type: w, count: 2}]\n  network: {link: 25GbE}\n"
                      "jobs: [{name: a, model: vgg16, workers: 2, training: {mode: all_reduce}}]\n"
                      "run: {until: 1 h}\n");
  Outcome outcome = shell("simrun check until.yaml --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json.at("problems").size(), 1U);
  EXPECT_EQ(json["problems"][0]["severity"], "warning");
  EXPECT_EQ(json["problems"][0]["line"], 6);
  EXPECT_EQ(json["problems"][0]["text"], "'until' has no effect: such runs always go to the end");
  EXPECT_EQ(json["problems"][0]["message"]["arguments"]["why"][0]["id"], "idle.to_the_end");
  write("bad.yaml", "cluster: 3\n");
  outcome = shell("simrun check bad.yaml --json");
  EXPECT_EQ(outcome.code, 2);
  json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("problems").at(0).at("severity"), "error");
}

TEST_F(Cli, PrintsATableAndWritesAResultsFolder)
{
  const Outcome run = shell("simrun small.yaml -o out");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("bottleneck"));
  EXPECT_THAT(run.out, HasSubstr("resnet50: ring wins"));
  EXPECT_THAT(run.out, HasSubstr("\nassumed: "));
  EXPECT_THAT(run.out, HasSubstr(" · fp32 · "));
  EXPECT_THAT(run.out, Not(HasSubstr("\033")));
  EXPECT_THAT(run.err, HasSubstr("written to out"));
  for (const char* name : {"summary.json", "jobs.csv", "steps.csv", "links.csv", "events.csv", "trace.json.gz",
                           "manifest.json", "throughput.png", "throughput.svg", "timeline.png", "timeline.svg"})
    EXPECT_TRUE(fs::exists(folder / "out" / name)) << name;
}

TEST_F(Cli, RunsAManifestAgainByteForByte)
{
  ASSERT_EQ(shell("simrun small.yaml -o first --seed 7 --set jobs.0.batch_per_gpu=16").code, 0);
  const Outcome again = shell("simrun first/manifest.json -o second");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(shell("diff -r first second").code, 0);
  EXPECT_EQ(shell("simrun first -o third && diff -r first third").code, 0);
  // A short name of a path is the path; a file of the user stays where a run goes into the folder again.
  EXPECT_EQ(shell("echo mine > second/notes && simrun small.yaml -o second --seed 7 --set batch=16").code, 0);
  EXPECT_EQ(shell("diff first/jobs.csv second/jobs.csv && test \"$(cat second/notes)\" = mine").code, 0);
}

// The trace lies beside the scenario, the run is repeated and exported from another folder.
TEST_F(Cli, AManifestFindsTheFilesThatItsScenarioNames)
{
  fs::create_directories(folder / "mine");
  fs::create_directories(folder / "elsewhere");
  write("mine/jobs.csv", "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,2,132.0,x\n");
  write("mine/queue.yaml", "cluster:\n  node_types: {m: {gpu: V100-SXM2-16GB, gpus: 4}}\n"
                           "  nodes: [{name: n, type: m, count: 1}]\nworkload: {trace: {file: jobs.csv}}\n");
  const Outcome first = shell("cd mine && simrun queue.yaml -o ../first --no-plots");
  ASSERT_EQ(first.code, 0) << first.err;
  const Outcome again = shell("cd elsewhere && simrun ../first/manifest.json -o ../second --no-plots");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(shell("diff -r first second").code, 0);
  const Outcome exported = shell("simrun export first --format swf");
  EXPECT_EQ(exported.code, 0) << exported.err;
  EXPECT_EQ(shell("simrun compare first second --no-files").code, 0);
  EXPECT_EQ(shell("simrun - -o piped --no-plots < first/manifest.json && diff -r first piped").code, 0);
}

// What stands on stderr is in summary.json too, of runs that are more than training steps as well.
TEST_F(Cli, WarningsAreInTheJsonOfServices)
{
  write("many.yaml", "cluster:\n  node_types: {m: {gpu: V100-SXM2-16GB, gpus: 7}}\n"
                     "  nodes: [{name: n, type: m, count: 13}]\norchestrator: kubernetes\n"
                     "services: [{name: s, kind: training, work: 1 h, replicas: 92, resources: {gpus: 1}}]\n"
                     "run: {until: 3 h}\n");
  const Outcome run = shell("simrun many.yaml --json --no-files");
  const auto warnings = nlohmann::json::parse(run.out).at("warnings").get<std::vector<std::string>>();
  EXPECT_THAT(warnings, Contains(HasSubstr("have room for 91 of them at a time"))) << run.err;
  EXPECT_EQ(std::set<std::string>(warnings.begin(), warnings.end()).size(), warnings.size());
}

TEST_F(Cli, JsonOnStdoutIsOneDocument)
{
  const Outcome run = shell("simrun small.yaml --json --no-files");
  EXPECT_EQ(run.code, 0);
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["jobs"].size(), 4U);
  for (const auto& job : json["jobs"]) {
    const double parts = job["compute_s"].get<double>() + job["host_s"].get<double>() +
                         job["exposed_communication_s"].get<double>() + job["input_s"].get<double>() +
                         job["wait_s"].get<double>();
    EXPECT_NEAR(parts, job["step_s"]["mean"].get<double>(), 1e-9 + 1e-6 * parts);
    EXPECT_LE(job["scaling_efficiency"].get<double>(), 1.0 + 1e-9);
  }
}

TEST_F(Cli, ExplainsAnEarlierRun)
{
  ASSERT_EQ(shell("simrun small.yaml -o out --no-plots").code, 0);
  const Outcome explained = shell("simrun explain out --variant ps --workers 4");
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("critical path of one step"));
  EXPECT_THAT(explained.out, HasSubstr("NIC of ps-0"));
  EXPECT_THAT(explained.out, HasSubstr("top links"));
  EXPECT_EQ(shell("simrun explain out --job nobody").code, 2);
  EXPECT_EQ(shell("simrun explain .").code, 2);
}

TEST_F(Cli, ChecksWithoutRunning)
{
  const Outcome checked = shell("simrun check small.yaml --explain");
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("no errors; 4 points"));
  EXPECT_THAT(checked.out, HasSubstr("defaults used"));
  EXPECT_FALSE(fs::exists(folder / "results"));
}

TEST_F(Cli, SaysWhatIsWrongWhereAndWhatWasMeant)
{
  std::string faulty = small_scenario;
  faulty.replace(faulty.find("batch_per_gpu"), 13, "batch_per_gpus");
  write("faulty.yaml", faulty);
  const Outcome run = shell("simrun faulty.yaml");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err,
              HasSubstr("faulty.yaml:11:36: error: unknown key 'batch_per_gpus'; did you mean 'batch_per_gpu'?"));
}

TEST_F(Cli, RefusesAJobThatDoesNotFitBeforeRunning)
{
  const Outcome large = shell("simrun small.yaml --set jobs.0.batch_per_gpu=4096");
  EXPECT_EQ(large.code, 2);
  EXPECT_THAT(large.err, HasSubstr("out of GPU memory"));
  const Outcome many = shell("simrun small.yaml --set 'sweep.grid={jobs.0.workers: [8]}'");
  EXPECT_EQ(many.code, 2);
  EXPECT_THAT(many.err, HasSubstr("needs 8 GPUs, the cluster has 4"));
}

TEST_F(Cli, EveryUsageErrorExitsWithTwo)
{
  const std::map<std::string, std::string> lines = {
      {"simrun", "Usage:"},
      {"simrun nothing.yaml", "there is no file, example or command 'nothing.yaml'"},
      {"simrun chekc small.yaml", "did you mean 'check'?"},
      {"simrun small.yaml small.yaml", "too many arguments"},
      {"simrun chekc", "did you mean 'check'?"},
      {"simrun small.yaml --outptu x", "unknown option '--outptu'; did you mean '--output'?"},
      {"simrun small.yaml -o", "simrun run -h"},
      {"simrun small.yaml -o ''", "--output is empty"},
      {"simrun small.yaml --set ''", "--set is empty"},
      {"simrun check ''", "SCENARIO is empty"},
      {"simrun small.yaml --seed -3", "whole number"},
      {"simrun small.yaml --seed x", "whole number"},
      {"simrun small.yaml --fidelity flwo", "did you mean 'flow'?"},
      {"simrun small.yaml --set x", "KEY=VALUE"},
      {"simrun small.yaml --color=sometimes", "choose from: auto, always, never"},
      {"simrun list gpu", "did you mean 'gpus'?"},
      {"simrun explain", "RESULTS is missing"},
      {"simrun .", "without manifest.json"},
      {"simrun completion tcsh", "choose from: bash, zsh, fish"},
  };
  for (const auto& [line, message] : lines) {
    const Outcome run = shell(line);
    EXPECT_EQ(run.code, 2) << line << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr(message)) << line;
    EXPECT_EQ(run.out, "") << line;
  }
}

TEST_F(Cli, RefusesFilesThatAreNoScenario)
{
  write("empty.yaml", "");
  write("binary.yaml", std::string("\0\1\2\xff", 4));
  write("list.yaml", "[1, 2]\n");
  write("cut.yaml", "cluster: {node_types: {a: {gpu:");
  write("some.json", "{}");
  for (const char* name : {"empty.yaml", "binary.yaml", "list.yaml", "cut.yaml", "some.json"}) {
    const Outcome run = shell(std::string{"simrun "} + name);
    EXPECT_EQ(run.code, 2) << name << run.err;
    EXPECT_THAT(run.err, HasSubstr(name));
  }
}

TEST_F(Cli, ColoursOnlyWhereAskedFor)
{
  EXPECT_THAT(shell("simrun list gpus --color=always").out, HasSubstr("\033["));
  EXPECT_THAT(shell("CLICOLOR_FORCE=1 simrun list gpus").out, HasSubstr("\033["));
  EXPECT_THAT(shell("NO_COLOR=1 CLICOLOR_FORCE=1 simrun list gpus").out, Not(HasSubstr("\033[")));
  EXPECT_THAT(shell("simrun list gpus").out, Not(HasSubstr("\033[")));
}

TEST_F(Cli, EveryTopicIsListed)
{
  const std::string topics = shell("simrun list").out;
  for (const char* topic :
       {"models", "gpus", "links", "transports", "training", "updates", "placements", "fusion", "collectives",
        "topologies", "nodes", "fidelities", "scenarios", "exit-codes", "policies", "executors"}) {
    const Outcome run = shell(std::string{"simrun list "} + topic);
    EXPECT_EQ(run.code, 0) << topic << run.err;
    EXPECT_NE(run.out, "") << topic;
  }
  EXPECT_THAT(shell("simrun list gpus --names").out, HasSubstr("V100-SXM2-16GB\n"));
}

TEST_F(Cli, HelpOfEveryCommandEndsWithExamples)
{
  EXPECT_THAT(shell("simrun -h").out, HasSubstr("Examples:"));
  for (const char* command : {"run", "check", "explain", "list", "schema", "completion"}) {
    const Outcome help = shell(std::string{"simrun "} + command + " -h");
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("Examples:")) << command;
  }
  EXPECT_THAT(shell("simrun --version").out,
              MatchesRegex("simrun \\(Trainyard\\) [0-9.]+\ncommit ([0-9a-f]{12}|unknown)\n"));
  EXPECT_THAT(shell("simrun man").out, HasSubstr(".SH EXIT STATUS"));
}

TEST_F(Cli, CompletionScriptsAreWellFormed)
{
  EXPECT_EQ(shell("simrun completion bash > c.sh && bash -n c.sh").code, 0);
  const Outcome words = shell("simrun completion bash > c.sh; source ./c.sh; COMP_WORDS=(simrun list g); COMP_CWORD=2; "
                              "_simrun; echo \"${COMPREPLY[@]}\"");
  EXPECT_THAT(words.out, HasSubstr("gpus")) << words.err;
  EXPECT_THAT(shell("simrun completion fish").out, HasSubstr("complete -c simrun"));
  EXPECT_THAT(shell("simrun completion zsh").out, HasSubstr("#compdef simrun"));
}

// The values of options come from the registries; bash hands over "policy=fi" as three words.
TEST_F(Cli, CompletionOffersValues)
{
  const auto completed = [&](const std::string& words) {
    return shell("simrun completion bash > c.sh; source ./c.sh; COMP_WORDS=(" + words +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _simrun; echo \"${COMPREPLY[@]}\"")
        .out;
  };
  EXPECT_EQ(completed("simrun run x.yaml --fidelity fl"), "flow fluid\n");
  EXPECT_EQ(completed("simrun run x.yaml --fidelity = clo"), "closed_form\n");
  EXPECT_EQ(completed("simrun compare x.yaml --policies fifo,las,srt"), "fifo,las,srtf\n");
  EXPECT_EQ(completed("simrun compare --model resnet50_"), "resnet50_v1\n");
  EXPECT_EQ(completed("simrun compare x.yaml --vary placement = fir"), "first_fit\n");
  EXPECT_EQ(completed("simrun plan x.yaml --minimise mak"), "makespan\n");
  EXPECT_THAT(completed("simrun list g"), HasSubstr("gpus"));
  // fish and zsh hand over whole words and show what an option means; 1: a file's name may stand there
  const auto of = [&](const std::string& words) { return shell("simrun complete " + words).out; };
  EXPECT_EQ(of("compare x.yaml --vary placement=fir"), "placement=first_fit\n");
  EXPECT_EQ(of("compare x.yaml --policies=fifo,srt"), "--policies=fifo,srtf\n");
  EXPECT_THAT(of("check --qui"), "--quiet\tno warnings and no progress on stderr\n");
  EXPECT_THAT(of("che"), HasSubstr("check\t"));
  EXPECT_EQ(shell("simrun complete run x.yaml -o ''").code, 1);
  EXPECT_EQ(shell("simrun complete list ''").code, 0);
}

TEST_F(Cli, AScenarioHasTheNameThatItGivesItself)
{
  write("file.yaml", std::string{"name: own\n"} + tests::small_scenario);
  const Outcome run = shell("simrun file.yaml -o out --no-plots");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("own: does it run?"));
  EXPECT_THAT(read_bytes(folder / "out/summary.json"), HasSubstr("\"scenario\": \"own\""));
  EXPECT_THAT(shell("simrun file.yaml --set name=other --no-files").out, HasSubstr("other: does it run?"));
}

TEST_F(Cli, AScenarioComesFromStandardInput)
{
  const Outcome run =
      shell("cat '" + (tests::source_folder() / "scenarios/ring_vs_ps.yaml").string() + "' | simrun - -o out");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(read_bytes(folder / "out/manifest.json"), HasSubstr("ring_vs_ps"));
  // a manifest too, with the same results
  EXPECT_EQ(shell("simrun run - -o again < out/manifest.json && cmp out/jobs.csv again/jobs.csv").code, 0);
  const Outcome bad = shell("printf 'cluster: 5\\n' | simrun check -");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("standard input:1:"));
  EXPECT_THAT(shell("simrun - </dev/null").err,
              HasSubstr("standard input is empty; '-' as a scenario means that it comes from there"));
  EXPECT_THAT(shell("simrun inspect - </dev/null").err, HasSubstr("reads its commands from standard input"));
}

TEST_F(Cli, AReaderThatGoesAwayIsNoFailure)
{
  const Outcome piped = shell("set -o pipefail; simrun list gpus | head -n 1");
  EXPECT_EQ(piped.code, 0);
  EXPECT_EQ(piped.err, "");
}

TEST_F(Cli, AFullDiskIsAFailureThatIsSaid)
{
  if (!fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  const Outcome full = shell("simrun list gpus >/dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left"));
}

TEST_F(Cli, AnUnwritableFolderIsAFailureThatLeavesNothing)
{
  write("file", "");
  const Outcome run = shell("simrun small.yaml -o file/out --no-plots");
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("cannot create the folder"));
  const Outcome taken = shell("mkdir -p taken && echo 1 > taken/thesis && simrun small.yaml -o taken --no-plots");
  EXPECT_EQ(taken.code, 2);
  EXPECT_THAT(taken.err, HasSubstr("is not a results folder"));
  EXPECT_EQ(read_bytes(folder / "taken/thesis"), "1\n");
}

TEST_F(Cli, ADiskThatFillsUpWhileResultsAreWrittenLeavesNothing)
{
  // The limit of file sizes stands for the end of the disk: the same calls fail, with "File too large".
  const Outcome full = shell("(trap '' XFSZ; ulimit -f 1; simrun small.yaml -o out)");
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("File too large"));
  EXPECT_FALSE(fs::exists(folder / "out")) << "a half-written folder is left";
  EXPECT_EQ(shell("ls -A | grep -c unfinished").out, "0\n");
  const Outcome piped = shell("simrun small.yaml --no-files >/dev/full");
  EXPECT_EQ(piped.code, 1);
  EXPECT_THAT(piped.err, HasSubstr("No space left"));
}

TEST_F(Cli, AFileOf200MegabytesIsRefusedBeforeItIsRead)
{
  write("huge.yaml", "cluster: {}\n# ");
  fs::resize_file(folder / "huge.yaml", 200'000'000);
  const Outcome run = shell("simrun huge.yaml");
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("huge.yaml' is larger than 67 MB"));
}

TEST_F(Cli, AByteOrderMarkIsNoFaultAndKeepsThePlaces)
{
  write("marked.yaml", std::string{"\xEF\xBB\xBF"} + small_scenario);
  EXPECT_EQ(shell("simrun check marked.yaml").code, 0);
  write("faulty.yaml", "\xEF\xBB\xBF"
                       "clutser: {}\n");
  EXPECT_THAT(shell("simrun check faulty.yaml").err,
              HasSubstr("faulty.yaml:1:1: error: unknown key 'clutser'; did you mean 'cluster'?"));
}

TEST_F(Cli, AFolderWithoutWritePermissionIsAFailureThatIsSaid)
{
  const std::string program = (tests::program_folder() / "simrun").string();
  const std::string as_anybody =
      "setpriv --bounding-set=-dac_override,-dac_read_search '" + program + "'"; // root may write anywhere
  const Outcome run = shell("mkdir locked && chmod 555 locked && " + (::geteuid() == 0 ? as_anybody : "simrun") +
                            " small.yaml -o locked/out --no-plots");
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("Permission denied"));
}

TEST_F(Cli, AShippedExampleIsFoundFromAnyFolder)
{
  const Outcome checked = shell("simrun check vgg16_ps_vs_ring");
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_THAT(shell("simrun list scenarios").out, HasSubstr("vgg16_ps_vs_ring"));
}

constexpr const char* mixed = R"(question: who waits for whom?
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 1}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 2 h, team: vision}]}
services: [{name: web, replicas: 1}]
task_environment:
  through: queue
  models: [{name: faces, train_time: 30 min, team: visoin}]
run: {until: 12 h}
)";

TEST_F(Cli, AWarningOfARunHasItsPlace)
{
  write("mixed.yaml", mixed);
  const std::string warning =
      "mixed.yaml:10:52: warning: task_environment.models.0.team: team 'visoin' has no jobs in the queue, only the "
      "retraining of 'faces'; did you mean 'vision'?\n"
      "  " +
      std::string{"  models: [{name: faces, train_time: 30 min, team: visoin}]\n"} + std::string(53, ' ') + "^\n";
  EXPECT_EQ(shell("simrun check mixed.yaml").err, warning);
  EXPECT_THAT(shell("simrun mixed.yaml --no-files").err, HasSubstr(warning));
  EXPECT_EQ(shell("simrun mixed.yaml --no-files --quiet").err, "");
  const Outcome refused =
      shell("simrun check mixed.yaml --set \"scheduling={policy: {name: drf, quotas: visino=2}}\" --quiet");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("error: scheduling.policy.quotas: no job belongs to team 'visino'; did you mean"));
  write("quotas.yaml", std::string{mixed} + "scheduling:\n  policy: {name: drf, quotas: a=9x}\n");
  EXPECT_THAT(shell("simrun check quotas.yaml").err,
              HasSubstr("quotas.yaml:13:31: error: scheduling.policy.quotas: 'a=9x' is not team=GPUs\n"));
  EXPECT_THAT(shell("simrun quotas.yaml --no-files").err, HasSubstr("quotas.yaml:13:31: error: "));
}

TEST_F(Cli, AMixedRunIsExplainedAsAWhole)
{
  write("mixed.yaml", mixed);
  const Outcome run = shell("simrun mixed.yaml -o out --no-plots");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::size_t table = run.out.find("run    "), end = run.out.find("\nqueue\n");
  ASSERT_NE(table, std::string::npos);
  const std::string first = run.out.substr(table, end - table);
  EXPECT_THAT(first, HasSubstr("without retraining"));
  const Outcome whole = shell("simrun explain out");
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("mixed: who waits for whom?\n\n" + first));
  EXPECT_EQ(whole.out.find("who waits for whom?"), whole.out.rfind("who waits for whom?")) << "said once";
  EXPECT_THAT(whole.out, HasSubstr("warning: task_environment.models.0.team: team 'visoin'"));
  EXPECT_THAT(whole.out, HasSubstr("the models: faces; for example faces-1"));
  const Outcome unknown = shell("simrun explain job zz out");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err,
            "error: queue: there is no job 'zz' in this run\n"
            "error: services: there is no service 'zz' in this run\n"
            "error: retraining: there is no retraining 'zz' in this run; their names are MODEL-NUMBER; the "
            "models: faces; for example faces-1\n");
}

TEST_F(Cli, AnExampleTakesOptionsAndAFileBesideIsSuggestedFirst)
{
  const Outcome run = shell("simrun checkpoint_interval --seed 2 --no-files");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("seed 2"));
  write("team.yaml", "trainyard: 1\n");
  EXPECT_THAT(shell("simrun run taem.yaml").err, HasSubstr("there is no file 'taem.yaml'; did you mean 'team.yaml'?"));
  EXPECT_THAT(shell("simrun sweep checkpoint_interval -o x.csv").err,
              HasSubstr("a sweep writes an SQLite file, not csv; write -o x.sqlite"));
}

TEST_F(Cli, AModeOfAFrameworkIsTranslated)
{
  const auto with = [&](const std::string& mode) {
    write("mode.yaml", "trainyard: 1\ncluster: {node_types: {w: {gpu: V100-SXM2-16GB, gpus: 4}}, nodes: [{name: w, "
                       "type: w, count: 1}]}\njobs: [{name: t, model: resnet50, workers: 4, training: {mode: " +
                           mode + "}}]\n");
    return shell("simrun check mode.yaml").err;
  };
  EXPECT_THAT(with("ddp"), HasSubstr("unknown mode 'ddp'; write mode: all_reduce"));
  EXPECT_THAT(with("fsdp"), HasSubstr("unknown mode 'fsdp'; write training: {parallel: {zero: 3}}"));
  EXPECT_THAT(with("horovod"), HasSubstr("write mode: all_reduce, with fusion: horovod"));
}

// The machines of the example have two GPUs of 11,443 MiB; its containers hold both of one machine, and nobody the
// rest.
TEST_F(Cli, GpusAreShownAtAnInstant)
{
  shell("simrun alibaba_two_m40 -o a");
  const Outcome shown = shell("simrun explain gpus '5 min' a");
  EXPECT_THAT(shown.out, AllOf(HasSubstr("GPUs at 300 s"), HasSubstr("assumed temp"), HasSubstr("0 / 11443 MiB")));
  EXPECT_THAT(shown.out, ::testing::ContainsRegex("hpc-1 +1 .*tf/worker-1"));
  const Outcome after = shell("simrun explain gpus '2 h' a");
  EXPECT_EQ(after.code, 2);
  EXPECT_THAT(after.err, HasSubstr("at 2 h there is nothing to see: the run ends at 60.0 min"));
  EXPECT_THAT(shell("simrun explain gpus soon a").err, HasSubstr("'soon' is no time"));
  write("queue.yaml", "trainyard: 1\ncluster: {node_types: {w: {gpu: T4, gpus: 4}}, nodes: [{name: w, type: w, count: "
                      "1}]}\nworkload: {jobs: [{name: t, gpus: 1, duration: 1 h}]}\n");
  shell("simrun queue.yaml -o q");
  EXPECT_THAT(shell("simrun explain gpus '5 min' q").out, ::testing::ContainsRegex("T4 .* 0 / 1[0-9]+ MiB"));
}

} // namespace
} // namespace trainyard
