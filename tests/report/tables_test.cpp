// SPDX-License-Identifier: Apache-2.0
/// Every table that is printed, and the files of whole runs: each figure stands below its heading, worked out by hand.
/// study_tables_test.cpp has those of comparisons, plans and other studies; csv_columns_test.cpp every column of every
/// file.
#include "sim/report/files.hpp"
#include "sim/report/table.hpp"
#include "tests/report/table_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace trainyard {
namespace {

using tests::csv_table;
using tests::html_tables;
using tests::Outcome;
using tests::read_bytes;
using tests::ReadTable;
using tests::Tables;
using tests::tables_of;
using tests::text_table;
using tests::two_jobs_queue;

TEST(TablesText, ARowWithTheWrongNumberOfCellsIsAFaultOfTheProgram)
{
  EXPECT_THROW(table_text({{"a"}, {"b"}}, {{{"1"}}}, false), std::logic_error);
  EXPECT_THROW(table_text({{"a"}}, {{{"1"}, {"2"}}}, false), std::logic_error);
}

// --- training steps
// ---------------------------------------------------------------------------------------------------------------------

/// Two jobs; every figure of the first has a value of its own.
Results two_jobs()
{
  JobRow row;
  row.point = "the point";
  row.variant = "ring";
  row.job = "first";
  row.model = "vgg16";
  row.training = "all_reduce";
  row.workers = 5;
  row.servers = 3;
  row.batch_per_gpu = 32;
  row.sample = "image";
  row.samples_per_second = {777, 776, 778};
  row.step_s = {2, 1.5, 2.5};
  row.scaling_efficiency = 0.25;
  row.compute = Seconds{0.5};
  row.exposed_communication = Seconds{0.4};
  row.input = Seconds{0.3};
  row.wait = Seconds{0.8};
  row.bottleneck.text = "NIC of w-0: 98 % busy";
  row.fidelity = "fluid";
  row.staleness_mean = 6;
  row.staleness_max = 9; // more than none: the column is shown
  row.price_per_million_samples = Dollars{13};
  row.steps = 15;
  row.arrival = Seconds{16};
  row.start = Seconds{18};
  row.finish = Seconds{21};
  row.critical_path = {{"conv1", Role::backward, "w-0 compute", Seconds{0.1}, Seconds{0.2}, Seconds{0.05}, 7}};
  row.busiest = {{"NIC of w-0 (out)", "link", 0.98, 0.99, Bytes{5e8}}};
  Results results;
  results.jobs = {row, row};
  JobRow& second = results.jobs.back();
  second.variant = "ps:1";
  second.job = "second";
  second.model = "resnet50";
  second.batch_per_gpu = 64;
  results.links = {{"the point",
                    "w-0 > leaf-0",
                    "NIC of w-0 (out)",
                    "ethernet",
                    BytesPerSecond{100},
                    Bytes{40},
                    Seconds{2},
                    0.2,
                    0.6,
                    {"first", "second"}}};
  return results;
}

TEST(TablesOfTraining, ThePrintedTable)
{
  const ReadTable table = text_table(results_told(two_jobs()).text(), "exposed comm");
  EXPECT_EQ(table.cells(0, {"model", "job", "architecture", "GPUs", "batch/GPU", "images/s", "efficiency", "step"}),
            "vgg16|first|ring|5|32|777 ±0.1 %|25 %|2.00 s");
  EXPECT_EQ(table.cells(0, {"compute", "exposed comm", "input", "wait", "staleness", "$/1M", "bottleneck"}),
            "500 ms|400 ms|300 ms|800 ms|6.0|13.00|NIC of w-0: 98 % busy");
  EXPECT_EQ(table.cells(1, {"model", "job", "architecture", "batch/GPU"}), "resnet50|second|ps:1|64");
}

TEST(TablesOfTraining, TheExplanation)
{
  const std::string text = explain_text(two_jobs(), 1).text();
  EXPECT_EQ(text_table(text, "waited").cells(0, {"role", "time", "waited", "where", "what"}),
            "backward|200 ms|50.0 ms|w-0 compute|conv1 (7 operations)");
  EXPECT_EQ(text_table(text, "carried").cells(0, {"what", "kind", "used", "occupied", "carried"}),
            "NIC of w-0 (out)|link|98 %|99 %|500 MB");
  EXPECT_EQ(text_table(text, "bandwidth").cells(0, {"link", "used", "occupied", "bandwidth", "jobs"}),
            "NIC of w-0 (out)|20 %|60 %|100 B/s|first, second");
}

// --- queues
// -----------------------------------------------------------------------------------------------------------------------------

/// fifo: a from 0 to 100 s, b from 100 to 150 s. srtf: b stops a at 10 s and runs until 60 s, then a until 150 s. No
/// policy pays for a stop.
TEST_F(Tables, OfAQueue)
{
  write("q.yaml", two_jobs_queue);
  const Outcome run = shell("simrun q.yaml -o q --no-plots");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::vector<std::string> headings = {"policy",      "mean JCT",    "p95 JCT",     "1st start", "waiting",
                                             "p95 waiting", "slowdown",    "makespan",    "busy",      "preempted",
                                             "lost GPU-h",  "worst share", "over optimum"};
  const ReadTable printed = text_table(run.out, "mean JCT", 2);
  // completion times fifo 100 and 140 s, srtf 150 and 50 s; waiting in all: b 90 s under fifo, a 50 s under srtf;
  // slowdown is completion over run time; busy 250 GPU-s of 2 x 150; alone on half of the cluster a needs 200 s and b
  // 50 s
  EXPECT_EQ(printed.cells(0, headings), "fifo|120 s|140 s|45.0 s|45.0 s|90.0 s|1.9|150 s|83 %|0|0|2.8|+0.0 %");
  EXPECT_EQ(printed.cells(1, headings), "srtf|100 s|150 s|0|25.0 s|50.0 s|1.25|150 s|83 %|1|0|1|+0.0 %");

  const ReadTable metrics = csv("q/metrics.csv");
  const std::vector<std::string> columns = {"policy",         "jobs",          "finished",
                                            "never_ran",      "jct_mean_s",    "jct_p50_s",
                                            "jct_p95_s",      "jct_max_s",     "queueing_delay_mean_s",
                                            "waiting_mean_s", "waiting_max_s", "slowdown_mean",
                                            "slowdown_max",   "makespan_s",    "utilisation",
                                            "gpu_hours"};
  EXPECT_EQ(metrics.cells(1, columns),
            "srtf|2|2|0|100|50|150|150|0|25|50|1.25|1.5|150|0.8333333333333334|0.06944444444444445"); // 250 GPU-s =
                                                                                                      // 0.0694 GPU-h
  // 6 $/h for 150 s; the fairness is that of the table
  EXPECT_EQ(metrics.cells(1, {"lost_gpu_hours", "finish_time_fairness", "cost_usd", "preemptions", "failures",
                              "out_of_memory", "killed", "optimal_makespan_s"}),
            "0|1|0.25|1|0|0|0|150");

  const ReadTable groups = csv("q/groups.csv");
  std::size_t bob = 0;
  while (bob < groups.rows.size() && groups.cells(bob, {"policy", "by", "group"}) != "fifo|user|bob")
    ++bob;
  EXPECT_EQ(groups.cells(bob, {"jobs", "jct_mean_s", "queueing_delay_mean_s", "slowdown_mean", "makespan_s",
                               "gpu_hours", "fragmentation"}),
            "1|140|90|2.8|150|0.013888888888888888|"); // 50 GPU-s

  const ReadTable jobs = csv("q/jobs.csv");
  EXPECT_EQ(jobs.cells(1, {"policy", "job", "user", "queue", "model", "gpus", "submit_s", "start_s", "end_s",
                           "queueing_delay_s", "waiting_s", "jct_s", "duration_s", "preemptions", "gpu_hours", "state",
                           "reason"}),
            "fifo|b|bob|fast|vgg16|1|10|100|150|90|90|140|50|0|0.0138889|finished|");
  EXPECT_EQ(
      jobs.cells(2, {"policy", "job", "start_s", "end_s", "queueing_delay_s", "waiting_s", "jct_s", "preemptions"}),
      "srtf|a|0|150|0|50|150|1");
  EXPECT_EQ(csv("q/waits.csv")
                .cells(0, {"policy", "job", "from_s", "to_s", "reason", "blocker", "free_gpus", "planned_start_s"}),
            "fifo|b|10|100|fewer GPUs free than it needs||0|");
  EXPECT_EQ(csv("q/runs.csv")
                .cells(3, {"policy", "job", "from_s", "to_s", "gpus", "nodes", "speed", "alone", "neighbour", "link"}),
            "srtf|b|10|60|1|w-0:1|1|1||");
  EXPECT_EQ(csv("q/events.csv").cells(2, {"policy", "time_s", "event", "job", "gpus"}), "fifo|10|submitted|b|1");
  const ReadTable use = csv("q/utilisation.csv");
  // the last sample of fifo: b alone on one GPU; the T4 needs 70 W busy and 10 W idle
  std::size_t last = 0;
  while (last + 1 < use.rows.size() && use.cell(last + 1, "policy") == "fifo" && use.cell(last + 1, "busy_gpus") != "0")
    ++last;
  EXPECT_EQ(use.cells(last, {"busy_gpus", "running_jobs", "waiting_jobs"}), "1|1|0");
}

TEST_F(Tables, OfTheReportOfAQueueAreThePrintedOnes)
{
  write("q.yaml", two_jobs_queue);
  const Outcome run = shell("simrun q.yaml -o q --no-plots");
  ASSERT_EQ(run.code, 0) << run.err;
  const ReadTable printed = text_table(run.out, "mean JCT", 2), table = tables_of(report_of(folder / "q")).at(0);
  for (std::size_t row = 0; row < 2; ++row)
    for (const std::string& heading : table.headings)
      EXPECT_EQ(table.cell(row, heading), printed.cell(row, heading)) << heading;
}

// --- services
// ---------------------------------------------------------------------------------------------------------------------------

/// Two searches of 10 GPU-min together. At 50 s the first process ends and comes back a second later with its last
/// checkpoint of 1 s: 49 s again. At 100 s node-1 fails for ever, is missed after 15 s; the other search repeats 39 s.
/// (tests/orchestration works these times out.)
TEST_F(Tables, OfServices)
{
  const Outcome run = shell("simrun swarm_failures -o s --no-plots");
  ASSERT_EQ(run.code, 0) << run.err;
  const ReadTable services = text_table(run.out, "first up");
  EXPECT_EQ(services.cells(1, {"service", "tasks", "first up", "done", "JCT", "restarts", "moved", "useful", "redone",
                               "saving", "stalled", "GPU-h"}),
            "train|2|1.00 s|10.9 min|10.9 min|2|1|20.0 min|88.0 s|0|0|0.359");
  EXPECT_EQ(services.cells(0, {"service", "tasks", "done", "restarts", "moved", "available"}), "web|6|-|2|2|98.67 %");
  const std::vector<std::string> failure = {"failure",   "at",         "lasted", "noticed after", "recovered after",
                                            "tasks hit", "never back", "redone", "redone GPU-h"};
  const ReadTable faults = text_table(run.out, "noticed after");
  EXPECT_EQ(faults.cells(0, failure), "process train-0|00:00:50|0|0|1.00 s|1|0|49.0 s|0.0136");
  EXPECT_EQ(faults.cells(1, failure), "node-1|00:01:40|for ever|15.0 s|never|5|2|39.0 s|0.0108");

  const ReadTable files = csv("s/services.csv");
  EXPECT_EQ(files.cells(1, {"service", "kind", "replicas", "arrival_s", "first_running_s", "finished_s", "jct_s",
                            "state", "restarts", "moves", "useful_s", "lost_s", "saving_s", "restoring_s", "stalled_s",
                            "idle_s", "input_wait_s", "redeploying_s", "gpu_hours"}),
            "train|training|2|0|1|656|656|finished|2|1|1200|88|0|0|0|0|0|0|0.358888888889"); // 1292 GPU-s, below
  // starts four times for a second each; 1292 = 4 + 1200 + 88
  EXPECT_EQ(csv("s/accounting.csv")
                .cells(1, {"owner", "gpu_s", "starting_gpu_s", "restoring_gpu_s", "useful_gpu_s", "lost_gpu_s",
                           "saving_gpu_s", "stalled_gpu_s", "idle_gpu_s", "orphaned_gpu_s", "used_gpu_s", "core_s",
                           "memory_MiB_s"}),
            "train|1292|4|0|1200|88|0|0|0|0|1200|2584|0"); // two cores per GPU
  EXPECT_EQ(csv("s/accounting.csv").cells(4, {"owner", "gpu_s", "core_s"}),
            "(down)|4400|17600"); // 1100 s of 4 GPUs and 16 cores
  const ReadTable written = csv("s/faults.csv");
  EXPECT_EQ(written.cells(0, {"what", "at_s", "until_s", "drawn", "caused_by", "detected_s", "replaced_s",
                              "recovered_s", "time_to_recover_s", "tasks_hit", "never_back", "worst_outage_s",
                              "redone_s", "redone_gpu_s", "moved_to"}),
            "process train-0|50|50|no||50|50|51|1|1|0|1|49|49|node-0");
  EXPECT_EQ(written.cells(1, {"what", "at_s", "detected_s", "tasks_hit", "never_back", "worst_outage_s", "redone_s"}),
            "node node-1|100|115|5|2|16|39");
  EXPECT_EQ(csv("s/placement.csv")
                .cells(6, {"task", "service", "node", "host_gpu", "container_gpu", "gpu_share", "placed_s", "pulled_s",
                           "running_s", "ended_s", "end"}),
            "train-0|train|node-0|0|0|1|0|0|1|50|process failed");
  EXPECT_EQ(csv("s/tasks.csv").cells(4, {"task", "service", "from_s", "to_s", "state", "node", "reason"}),
            "web-1|web|100|115|dead, not noticed yet||");
  EXPECT_EQ(csv("s/replicas.csv").cells(8, {"service", "time_s", "desired", "running"}), "web|100|6|4");
  EXPECT_EQ(csv("s/events.csv").cells(10, {"time_s", "clock", "event"}),
            "50|00:00:50|process train-0 ends with an error; 1 task to node-0; 49 s of work redone");
  EXPECT_EQ(csv("s/nodes.csv").cells(1, {"node", "group", "rack", "gpus", "instances", "gpu_s"}),
            "node-1|node|0|4|5|100");
  // 100 s held of 1200, 99 s running: 25 W idle, 250 W busy -> 25 + 225 x 99/1200 = 43.5625 W
  EXPECT_EQ(csv("s/gpus.csv")
                .cells(4, {"node", "gpu", "type", "owner_at_end", "held_s", "held_share", "used_s", "mean_power_W"}),
            "node-1|0|V100-PCIe-16GB||100|0.0833333|99|43.5625");
}

TEST_F(Tables, OfTheReportOfServicesAreThePrintedOnes)
{
  ASSERT_EQ(shell("simrun swarm_failures -o s --no-plots").code, 0);
  const std::vector<ReadTable> tables = tables_of(report_of(folder / "s"));
  EXPECT_EQ(tables.at(0).cells(0, {"service", "tasks", "done", "restarts", "moved", "available"}),
            "web|6|-|2|2|98.67 %");
  EXPECT_EQ(tables.at(1).cells(1, {"failure", "at", "lasted", "never back"}), "node-1|00:01:40|for ever|2");
}

TEST_F(Tables, AReportOfAFolderWithoutWhatWasToldSaysSo)
{
  std::filesystem::create_directories(folder / "s");
  write("s/summary.json", R"({"kind": "trainyard queue"})");
  EXPECT_THAT(shell("simrun report s -o s.html").err, testing::HasSubstr("run the scenario again"));
}

// --- retraining
// -------------------------------------------------------------------------------------------------------------------------

/// A model is needed every 24 h, trained for 6 h on 8 GPUs: needs at 0, 24 and 48 h, deployed 6 h later. Data are 0 to
/// 24 h old before, so the age over the period is 6/24 of the time 1 + ... = 0.75 on average; stale 6 of 24 h; busy 18
/// of 72 h; 3 x 6 x 8 = 144 GPU-h.
TEST_F(Tables, OfRetraining)
{
  write("t.yaml", R"(cluster:
  node_types: {gpu: {gpu: V100-SXM2-16GB, gpus: 8}}
  nodes: [{name: gpu, type: gpu, count: 1}]
task_environment:
  models: [{name: faces, train_time: 6 h, gpus: 8, period: 24 h}]
  duplicates: [replace]
  upload: {confirm: {by: message}}
  status: {by: message}
  messages: {latency: 0 s}
run: {until: 3 d}
)");
  const Outcome run = shell("simrun t.yaml -o t --no-plots");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(text_table(run.out, "wasted GPU h")
                .cells(0, {"policy", "needs", "completions", "stopped", "joined", "dropped", "wasted GPU h",
                           "redone GPU h", "GPU h", "median need→deployed", "p95", "stale", "age/period", "GPUs busy"}),
            "replace|3|3|0|0|0|0|0|144|360 min|360 min|25.0 %|0.75|25 %");
  EXPECT_EQ(text_table(run.out, "upload")
                .cells(0, {"policy", "need", "upload", "confirm", "queue", "train", "save", "deploy", "sum"}),
            "replace|0|0|0|0|360 min|0|0|360 min");
  EXPECT_EQ(csv("t/metrics.csv").cells(0, {"policy",       "planner",
                                           "duplicates",   "needs",
                                           "completions",  "open",
                                           "deployed",     "replaced",
                                           "failed",       "need_to_deployed_p50_s",
                                           "stale_share",  "data_age_periods",
                                           "gpu_hours",    "wasted_gpu_hours",
                                           "utilisation",  "makespan_s",
                                           "plans",        "lost_messages",
                                           "mean_queue_s", "mean_train_s",
                                           "mean_deploy_s"}),
            "replace|priority|replace|3|3|0|3|0|0|21600|0.25|0.75|144|0|0.25|194400|3|0|0|21600|0");
  EXPECT_EQ(
      csv("t/requests.csv").cells(1, {"policy",      "replica", "request",      "model",         "number",
                                      "needed_at_s", "queue_s", "train_s",      "save_s",        "total_s",
                                      "ended_at_s",  "ended",   "trained_at_s", "deployed_at_s", "uploads",
                                      "submissions", "jobs",    "attempts",     "gpu_hours",     "wasted_gpu_hours"}),
      "replace|0|faces-2|faces|2|86400|0|21600|0|21600|108000|deployed|108000|108000|1|1|1|1|48|0");
  EXPECT_EQ(csv("t/trainings.csv").cells(1, {"request", "attempt", "from_s", "to_s", "save_from_s", "gpus", "nodes"}),
            "faces-2|1|86400|108000|108000|8|gpu-0");
  EXPECT_EQ(csv("t/deployments.csv").cells(1, {"time_s", "model", "request", "data_until_s"}),
            "108000|faces|faces-2|86400");
  EXPECT_EQ(csv("t/stale.csv").cells(1, {"model", "from_s", "to_s"}), "faces|86400|108000");
  EXPECT_EQ(csv("t/load.csv").cells(1, {"time_s", "busy_gpus", "waiting"}), "21600|0|0");
  EXPECT_EQ(csv("t/events.csv").cells(0, {"time_s", "request", "from", "to", "what"}),
            "0|faces-1|service|planner|faces needs retraining");
  EXPECT_EQ(csv("t/decisions.csv").cells(1, {"time_s", "request", "priority", "busy_gpus", "gpus", "why"}),
            "86400|faces-2|0|0|8|it is the only one in the queue");
}

// --- the rest
// ---------------------------------------------------------------------------------------------------------------------------

TEST_F(Tables, OfSharedMemoryAndOfGraphs)
{
  const Outcome memory = shell("simrun tf_gpu_memory -o m --no-plots");
  ASSERT_EQ(memory.code, 0) << memory.err;
  // the first process takes 95 % of the 12 GB of each M40: 11.4; the second, 10 s later, gets nothing
  EXPECT_EQ(text_table(memory.out, "most held")
                .cells(0, {"variant", "process", "policy", "GPUs", "most held", "outcome", "why"}),
            "default|first|all|0 1|11.4 GB|runs|");
  EXPECT_EQ(
      csv("m/processes.csv")
          .cells(1, {"point", "process", "policy", "visible_gpus", "start_s", "outcome", "failed_s", "most_held_B"}),
      "default|second|all|0 1|10|fails at its start|10|0");
  EXPECT_EQ(csv("m/memory.csv").cells(1, {"point", "time_s", "gpu", "process", "used_B"}), "default|0|1|first|0");

  const Outcome graph = shell("simrun tf_placement -o g --no-plots");
  ASSERT_EQ(graph.code, 0) << graph.err;
  const ReadTable runs = text_table(graph.out, "per run"), places = text_table(graph.out, "asked"),
                  placement = csv("g/placement.csv");
  EXPECT_EQ(runs.cell(0, "runs"), "100");
  EXPECT_EQ(runs.cell(0, "network/run"),
            "4.001 MB"); // weights of 4 MB and a gradient of 4 B to the other machine, in whole packets
  const auto row_of = [](const ReadTable& table, const std::string& heading, const std::string& name) {
    std::size_t row = 0;
    while (row + 1 < table.rows.size() && table.cell(row, heading) != name)
      ++row;
    return row;
  };
  EXPECT_EQ(places.cells(row_of(places, "operation", "weights"), {"asked", "chosen", "why"}),
            "/job:ps/task:0/cpu:0|/job:ps/task:0/device:CPU:0|pinned by the user");
  EXPECT_EQ(placement.cells(row_of(placement, "op", "weights"), {"type", "asked", "chosen", "reason"}),
            "VariableV2|/job:ps/task:0/cpu:0|/job:ps/task:0/device:CPU:0|pinned by the user");
  const ReadTable devices = csv("g/devices.csv");
  for (std::size_t i = 0; i < devices.rows.size(); ++i)
    EXPECT_NEAR(std::stod(devices.cell(i, "busy")) + std::stod(devices.cell(i, "idle")), 1, 1e-12);
  EXPECT_LT(std::stod(devices.cell(0, "busy")), 0.5); // the parameter server mostly waits
}

TEST_F(Tables, OfTheCatalogueAndOfDefaults)
{
  // data sheet of the T4: 8.1 TFLOP/s single, 65 TFLOP/s half precision, 70 W
  const ReadTable gpus = text_table(shell("simrun list gpus").out, "fp32");
  std::size_t t4 = 0;
  while (t4 < gpus.rows.size() && gpus.cell(t4, "name") != "T4")
    ++t4;
  EXPECT_EQ(gpus.cells(t4, {"fp32", "half", "power"}), "8.1 TFLOP/s|65 TFLOP/s|70 W");
  const ReadTable measures = text_table(shell("simrun list measures").out, "better");
  EXPECT_EQ(measures.cells(0, {"name", "unit", "of", "better", "what it is"}),
            "throughput|/s|training|more|samples per second of a job");
  write("q.yaml", two_jobs_queue);
  const ReadTable defaults = text_table(shell("simrun check q.yaml --explain").out, "where it comes from");
  std::size_t copies = 0;
  while (copies < defaults.rows.size() && defaults.cell(copies, "key") != "workload.jobs.0.copies")
    ++copies;
  EXPECT_EQ(defaults.cells(copies, {"value", "where it comes from"}), "1|schema");
}

TEST_F(Tables, OfTheFilesOfAReport)
{
  write("q.yaml", two_jobs_queue);
  ASSERT_EQ(shell("simrun q.yaml -o q --no-plots && simrun report q -o q.html").code, 0);
  // what stands in jobs.csv, without its empty columns
  const std::vector<ReadTable> tables = html_tables(read_bytes(folder / "q.html"));
  const auto jobs = std::ranges::find_if(
      tables, [](const ReadTable& table) { return std::ranges::count(table.headings, "duration_s") > 0; });
  ASSERT_NE(jobs, tables.end());
  EXPECT_EQ(jobs->cells(1, {"policy", "job", "user", "submit_s", "start_s", "end_s", "jct_s", "state"}),
            "fifo|b|bob|10|100|150|140|finished");
}

} // namespace
} // namespace trainyard
