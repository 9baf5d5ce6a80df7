// SPDX-License-Identifier: Apache-2.0
// What run times mean where types of GPU differ in speed, and whether policies see it.
#include "models/core/csv.hpp"
#include "models/core/input_file.hpp"
#include "models/job/throughput_table.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "sim/sources/queue/policies/gavel_lp.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using tests::queue_faults;
using tests::run_queue;
using Json = nlohmann::json;
namespace fs = std::filesystem;

/// In the layout of Gavel's tables, with round numbers of our own: small does 4 steps/s on a V100 and 1 on a K80, wide
/// 2 on two V100s and does not run on K80s.
constexpr const char* table_text = R"json({
  "v100": {"('small', 1)": {"null": 4.0, "('small', 1)": [3.0, 3.0], "('wide', 2)": [0.0, 0.0]},
           "('wide', 2)": {"null": 2.0}},
  "k80": {"('small', 1)": {"null": 1.0}, "('wide', 2)": {"null": 0.0}}
})json";

class TypeSpeeds : public ::testing::Test
{
protected:
  TypeSpeeds() { fs::create_directories(folder); }
  ~TypeSpeeds() override { fs::remove_all(folder); }

  fs::path write(const std::string& name, const std::string& text)
  {
    std::ofstream{folder / name} << text;
    return folder / name;
  }

  fs::path folder = fs::temp_directory_path() / ("type_speeds." + std::to_string(::getpid()));
};

/// One machine of each type with one GPU each, in this order.
std::string two_types(const std::string& first, const std::string& second)
{
  return "trainyard: 1\nname: q\nquestion: who gets the fast one?\ncluster:\n  node_types:\n    one: {gpu: " + first +
         ", gpus: 1}\n    other: {gpu: " + second +
         ", gpus: 1}\n  nodes: [{name: one, type: one, count: 1}, {name: other, type: other, count: 1}]\n"
         "  network: {topology: star, link: 25GbE}\n";
}

std::vector<double> ends(const RunReport& report)
{
  const tests::QueueFolder results{report};
  const CsvTable jobs = parse_csv(read_text_file(results.path() / "jobs.csv", 1U << 20U), "jobs.csv");
  std::vector<double> times;
  for (const CsvTable::Row& row : jobs.rows)
    times.push_back(std::stod(jobs.cell(row, "end_s")));
  return times;
}

TEST_F(TypeSpeeds, GavelsTableIsReadWithPairs)
{
  const ThroughputTable table = read_throughputs(InputFile{"t.json", table_text});
  EXPECT_EQ(table.types(), (std::vector<std::string>{"k80", "v100"}));
  EXPECT_EQ(table.alone("v100", {"small", 1}), 4.0);
  EXPECT_EQ(table.alone("v100", {"small", 2}), std::nullopt);
  EXPECT_EQ(table.together("v100", {"small", 1}, {"small", 1}), (std::pair{3.0, 3.0}));
  EXPECT_EQ(table.type_of("V100-SXM2-16GB"), "v100");
  EXPECT_EQ(table.type_of("A100-SXM4-40GB"), "");
  EXPECT_EQ(table.base("k80", {"wide", 2}), 2.0) << "it does not run on a K80";
  const ThroughputTable old = read_throughputs(InputFile{"t.json", R"({"v100": {"A3C": {"null": 5}}})"});
  EXPECT_EQ(old.alone("v100", {"A3C", 8}), 5.0) << "a table without numbers of GPUs counts for all";
  EXPECT_THROW(read_throughputs(InputFile{"t.json", R"({"v100": {"A3C": {"null": "fast"}}})"}), InputError);
  EXPECT_THROW(read_throughputs(InputFile{"t.json", "[1]"}), InputError);
}

TEST_F(TypeSpeeds, AGavelTraceRunsAsLongAsItsStepsTake)
{
  const fs::path trace = write("a.trace", "small\tcmd\tdir\t-n\t1\t400\t1\t1\t-1\t0\nwide\tcmd\tdir\t-n\t1\t100\t2\t1\t"
                                          "1.5\t10\n");
  TraceOptions options;
  try {
    import_trace(trace, options);
    FAIL() << "without throughputs nobody knows how long steps take";
  } catch (const InputError& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("how many steps a job does, not how long it runs"));
    EXPECT_THAT(fault.what(), HasSubstr("workload: {throughputs: FILE.json}"));
  }
  options.throughputs = std::make_shared<const ThroughputTable>(read_throughputs(InputFile{"t.json", table_text}));
  const ImportedTrace read = import_trace(trace, options);
  EXPECT_EQ(read.measured_on, "v100");
  EXPECT_EQ(read.workload.jobs[0].duration, Seconds{100}); // 400 steps / 4 per second
  EXPECT_EQ(read.workload.jobs[1].duration, Seconds{50});
  EXPECT_EQ(read.workload.jobs[1].deadline, Seconds{10 + 1.5 * 50});
  options.reference_gpu = "k80";
  EXPECT_EQ(import_trace(trace, options).workload.jobs[0].duration, Seconds{400});
  EXPECT_EQ(import_trace(trace, options).workload.jobs[1].duration, Seconds{50}) << "on the type that can run it";
}

TEST_F(TypeSpeeds, APolluxTraceWithoutRunTimesIsRefused)
{
  const fs::path trace = write("p.csv", "time,name,application,num_replicas,batch_size\n5,a,bert,4,12\n");
  try {
    import_trace(trace, {});
    FAIL();
  } catch (const InputError& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("add a column 'duration' in seconds"));
  }
  TraceOptions options;
  options.throughputs = std::make_shared<const ThroughputTable>(read_throughputs(InputFile{"t.json", table_text}));
  const ImportedTrace steps =
      import_trace(write("s.csv", "time,name,application,num_replicas,batch_size,steps\n5,a,wide,2,12,600\n"), options);
  EXPECT_EQ(steps.workload.jobs[0].duration, Seconds{300});
}

TEST_F(TypeSpeeds, GavelMovesAJobToTheFastTypeThatHasBecomeFree)
{
  // Two jobs of 400 steps: 100 s on the V100, 400 s on the K80. In the first round one gets the V100 and ends after
  // 100 s; the other has done 100 steps on the K80 by then. Rounds of 10 s: at 100 s it moves to the V100 and does the
  // remaining 300 steps in 75 s. Whatever the order of the machine types.
  const fs::path table = write("t.json", table_text);
  for (const auto& [first, second] : {std::pair{"V100-SXM2-16GB", "K80"}, std::pair{"K80", "V100-SXM2-16GB"}}) {
    const RunReport report = run_queue(
        two_types(first, second) + "workload:\n  throughputs: " + table.string() +
        "\n  reference_gpu: V100-SXM2-16GB\n  jobs: [{name: a, duration: 100 s, model: small}, {name: b, duration: 100 "
        "s, model: small}]\nscheduling: {policy: {name: gavel, round: 10 s, objective: makespan}}\n");
    std::vector<double> times = ends(report);
    std::ranges::sort(times);
    EXPECT_LT(times[1], 200) << first << " first: the V100 idles while a job crawls on the K80";
  }
}

TEST_F(TypeSpeeds, GavelPutsTwoJobsOnOneGpuWhereTheTableHasThePair)
{
  // 400 steps each: beside each other on the V100 3 steps/s, so 133.3 s. In turns with the K80 each would have 2.5.
  const fs::path table = write("t.json", table_text);
  const std::string head = two_types("V100-SXM2-16GB", "K80") + "workload:\n  throughputs: " + table.string() +
                           "\n  reference_gpu: V100-SXM2-16GB\n  jobs: [{name: a, duration: 100 s, model: small}, "
                           "{name: b, duration: 100 s, model: small}]\n";
  const std::vector<double> times =
      ends(run_queue(head + "scheduling: {policy: {name: gavel, round: 10 s, space_sharing: true}}\n"));
  ASSERT_EQ(times.size(), 2u);
  EXPECT_NEAR(times[0], 400.0 / 3, 1e-3);
  EXPECT_NEAR(times[1], 400.0 / 3, 1e-3);
  EXPECT_THAT(
      queue_faults(head + "scheduling: {policy: {name: gavel, space_sharing: true}, gpu_sharing: {by: milli}}\n"),
      HasSubstr("remove speed: step and gpu_sharing"));
}

TEST_F(TypeSpeeds, RunTimesAreThoseOfTheReferenceWhateverTheOrderOfTheMachines)
{
  // 100 s on a K80 is 25 s on a V100. fifo takes the fastest free type.
  const fs::path table = write("t.json", table_text);
  for (const auto& [first, second] : {std::pair{"V100-SXM2-16GB", "K80"}, std::pair{"K80", "V100-SXM2-16GB"}}) {
    const std::string head = two_types(first, second) + "workload:\n  throughputs: " + table.string() + "\n";
    const std::string jobs = "  jobs: [{name: a, duration: 100 s, model: small}, {name: b, duration: 100 s, model: "
                             "small}]\n";
    EXPECT_EQ(ends(run_queue(head + "  reference_gpu: K80\n" + jobs)), (std::vector<double>{25, 100}));
    EXPECT_EQ(ends(run_queue(head + "  reference_gpu: v100\n" + jobs)), (std::vector<double>{100, 400}));
    EXPECT_THAT(queue_faults(head + jobs), HasSubstr("on which type of GPU were the run times of the jobs measured?"));
    EXPECT_THAT(queue_faults(head + "  reference_gpu: v100\n  jobs: [{name: a, duration: 1 s, model: smal}]\n"),
                HasSubstr("nothing for 'smal' on 1 GPUs; did you mean 'small'?"));
  }
}

TEST_F(TypeSpeeds, StepsOnSeveralTypesNeedAReferenceAndThenDoNotDependOnTheOrder)
{
  const std::string rest =
      "jobs: [{name: resnet, model: resnet50, batch_per_gpu: 32, workers: 1, training: {mode: all_reduce, transport: "
      "nccl}}]\nscheduling: {policy: fifo, speed: step}\nworkload:\n";
  const std::string jobs = "  jobs: [{name: a, duration: 100 s, model: resnet}, {name: b, duration: 100 s, model: "
                           "resnet}]\n";
  std::vector<std::vector<double>> all;
  for (const auto& [first, second] : {std::pair{"V100-SXM2-16GB", "K80"}, std::pair{"K80", "V100-SXM2-16GB"}}) {
    const std::string head = two_types(first, second) + rest;
    EXPECT_THAT(queue_faults(head + jobs), HasSubstr("on which of them were the run times measured?"));
    EXPECT_THAT(queue_faults(head + "  reference_gpu: A100\n" + jobs), HasSubstr("no machine has a GPU 'A100'"));
    all.push_back(ends(run_queue(head + "  reference_gpu: V100-SXM2-16GB\n" + jobs)));
    // a is first and gets the faster type: that of its run time. b gets the K80 and is slower.
    EXPECT_NEAR(all.back()[0], 100, 1e-6);
    EXPECT_GT(all.back()[1], 150);
  }
  EXPECT_EQ(all[0], all[1]);
}

/// A machine with one T4 and one with one V100.
constexpr const char* one_of_each =
    "trainyard: 1\ncluster:\n"
    "  node_types: {t: {gpu: T4, gpus: 1, cpu_cores: 8}, v: {gpu: V100-SXM2-16GB, gpus: 1, cpu_cores: 8}}\n"
    "  nodes: [{name: t, type: t, count: 1}, {name: v, type: v, count: 1}]\n"
    "  network: {topology: star, link: 25GbE}\n";

// Four halves of GPUs come one after the other to two GPUs of different types. They all have room when they come:
// nobody waits under a policy without rounds, and the shortest makespan is 3 + 60 min.
TEST(PartsOfGpus, HaveRoomBesideEachOtherOnEveryType)
{
  const std::string rest = "workload:\n  jobs:\n"
                           "    - {name: a, duration: 1 h, gpu_share: 0.5}\n"
                           "    - {name: b, duration: 1 h, submit: 1 min, gpu_share: 0.5}\n"
                           "    - {name: c, duration: 1 h, submit: 2 min, gpu_share: 0.5}\n"
                           "    - {name: d, duration: 1 h, submit: 3 min, gpu_share: 0.5}\n"
                           "scheduling:\n  gpu_sharing: {by: milli}\n  policies: [las, dlas_gpu, gittins, deadline, "
                           "finish_time_fairness, srtf, easy_backfill]\n";
  const Json summary = Json(run_queue(one_of_each + rest).summary);
  for (const Json& policy : summary.at("policies")) {
    SCOPED_TRACE(policy.at("policy"));
    EXPECT_DOUBLE_EQ(policy.at("waiting_s").at("mean"), 0);
    EXPECT_DOUBLE_EQ(policy.at("optimal_makespan_s"), 63 * 60);
  }
}

// A job of a whole GPU and two of half of it, an hour each, on one GPU. Equal shares of the GPU are a third: of the
// time 1/3 for the whole and 2/3 for a half. Gavel's program makes GPUs x time / equal share alike, 3 X = 0.5 / (2/3)
// Y, so Y = 4 X, and X + 2 x 0.5 Y = 1: the halves have 4/5 of the time and end at 75 min, give or take a round of 6
// min, the whole at 120 min. If halves counted as whole GPUs, all three would end at 114 to 120 min.
TEST(PartsOfGpus, CountAsSuchInGavelsProgram)
{
  const GavelAllocation best =
      gavel_max_min({.throughput = {{1}, {1}, {1}}, .gpus = {1, 0.5, 0.5}, .weight = {1, 1, 1}, .capacity = {1}});
  EXPECT_NEAR(best.share[0][0], 0.2, 1e-6);
  EXPECT_NEAR(best.share[1][0], 0.8, 1e-6);
  const std::vector<double> times =
      ends(run_queue("trainyard: 1\ncluster:\n  node_types: {t: {gpu: T4, gpus: 1}}\n"
                     "  nodes: [{name: t, type: t, count: 1}]\n  network: {topology: star, link: 25GbE}\n"
                     "workload:\n  jobs: [{name: a, duration: 1 h}, {name: b, duration: 1 h, gpu_share: 0.5}, "
                     "{name: c, duration: 1 h, gpu_share: 0.5}]\n"
                     "scheduling: {policy: gavel, gpu_sharing: {by: milli}}\n"));
  ASSERT_EQ(times.size(), 3U);
  EXPECT_NEAR(times[0], 120 * 60, 1);
  EXPECT_NEAR(times[1], 75 * 60, 6 * 60);
  EXPECT_NEAR(times[2], 75 * 60, 6 * 60);
}

// Two jobs of two V100s for an hour each, one after the other, half a T4 for two hours, and a job without GPUs for
// three: 4 x 300 + 1 x 70 Wh in use; 2 V100-hours idle at 30 W, 5 T4-hours at 7 W: 1,365 Wh. The mean of both types
// would say 1,054.5.
TEST(PartsOfGpus, EnergyIsThatOfTheTypesThatWereHeld)
{
  const std::string head =
      "trainyard: 1\ncluster:\n"
      "  node_types: {v: {gpu: V100-SXM2-16GB, gpus: 2, price: 6 $/h}, t: {gpu: T4, gpus: 2, price: 1 $/h}, c: "
      "{cpu_cores: 32, price: 0.5 $/h}}\n"
      "  nodes: [{name: v, type: v, count: 1}, {name: t, type: t, count: 1}, {name: c, type: c, count: 2}]\n"
      "  network: {topology: star, link: 25GbE}\n";
  const std::string rest =
      "workload:\n  jobs:\n"
      "    - {name: a, duration: 1 h, gpus: 2, tasks: 1, gpu_type: V100-SXM2-16GB, team: A}\n"
      "    - {name: b, duration: 2 h, gpus: 1, gpu_type: T4, gpu_share: 0.5, team: B}\n"
      "    - {name: c, duration: 3 h, gpus: 0, cpus: 8, team: C}\n"
      "    - {name: d, submit: 30 min, duration: 1 h, gpus: 2, tasks: 1, gpu_type: V100-SXM2-16GB, team: A}\n"
      "scheduling: {gpu_sharing: {by: milli}}\n";
  const RunReport report = run_queue(head + rest);
  EXPECT_NEAR(Json(report.summary).at("policies").at(0).at("energy_kWh"), 1.365, 1e-9);
  // Of team A: 1,200 Wh, and 4 of the 5 GPU-hours that anybody held of the 95 Wh that idle GPUs used.
  const tests::QueueFolder folder{report};
  const CsvTable groups = parse_csv(tests::read_bytes(folder.path() / "groups.csv"), "groups.csv");
  for (const CsvTable::Row& row : groups.rows)
    if (groups.cell(row, "group") == "A") {
      EXPECT_NEAR(std::stod(groups.cell(row, "energy_kWh")), 1.276, 1e-9);
      // 8 $/h for 3 h, by what GPU-hours cost: 4 at 3 $ of team A, 1 at 0.5 $ of team B.
      EXPECT_NEAR(std::stod(groups.cell(row, "cost_usd")), 24 * 12 / 12.5, 1e-9);
    }
  // At the beginning two V100s and half a T4 are in use: 600 + 35 + 1.5 x 7 W.
  const CsvTable series = parse_csv(tests::read_bytes(folder.path() / "utilisation.csv"), "utilisation.csv");
  EXPECT_NEAR(std::stod(series.cell(series.rows.at(1), "power_W")), 645.5, 1e-9);
}

// Jobs of 100 s in rounds of 6 min: b comes at 50 s, finds the GPU busy for 50 s and then waits 260 s beside an idle
// GPU for the next round. No other job has the GPU then.
TEST(Rounds, WhoWaitsForTheNextOneBesideIdleGpusIsToldSo)
{
  for (const char* policy : {"gavel", "{name: pollux, interval: 6 min}"}) {
    SCOPED_TRACE(policy);
    const RunReport report = run_queue(
        std::string{"trainyard: 1\ncluster:\n  node_types: {t: {gpu: T4, gpus: 1}}\n"
                    "  nodes: [{name: t, type: t, count: 1}]\n  network: {topology: star, link: 25GbE}\n"
                    "workload:\n  jobs: [{name: a, duration: 100 s}, {name: b, submit: 50 s, duration: 100 s}]\n"
                    "scheduling: {policy: "} +
        policy + "}\n");
    EXPECT_EQ(ends(report), (std::vector<double>{100, 460}));
    const Json hours = Json(report.summary).at("policies").at(0).at("waiting_job_hours_by_reason");
    EXPECT_NEAR(hours.at("the policy has not run since"), 260.0 / 3600, 1e-9);
    EXPECT_FALSE(hours.contains("the policy gives the GPUs to other jobs"));
  }
}

} // namespace
} // namespace trainyard
