// SPDX-License-Identifier: Apache-2.0
/// Every column of every CSV file of a results folder, from results in which every field has a value of its own: two
/// values that change places are seen, and a column that nobody asks for is, too. tables_test.cpp has the same files
/// from whole runs, where many columns hold 0.
#include "sim/report/files.hpp"
#include "sim/sources/queue/queue_report.hpp"
#include "sim/sources/retraining/environment_report.hpp"
#include "sim/sources/services/orchestration_report.hpp"
#include "sim/sources/together/together.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace trainyard {
namespace {

using ::testing::UnorderedElementsAreArray;
using tests::csv_table;
using tests::ReadTable;

/// "heading=value" of each cell of a row.
std::vector<std::string> row_of(const ReadTable& table, std::size_t row = 0)
{
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < table.headings.size(); ++i)
    cells.push_back(table.headings[i] + "=" + (row < table.rows.size() ? table.rows[row].at(i) : "(no such row)"));
  return cells;
}

/// The whole row, in any order of its columns: "heading=value|heading=value".
void expect_row(const ReadTable& table, const std::string& cells, std::size_t row = 0)
{
  std::vector<std::string> expected;
  std::istringstream text{cells};
  for (std::string cell; std::getline(text, cell, '|');)
    expected.push_back(cell);
  EXPECT_THAT(row_of(table, row), UnorderedElementsAreArray(expected));
}

struct CsvColumns : tests::CommandLine {
  /// A file of a report, as it would be written.
  ReadTable written(const std::vector<RunFile>& files, const std::string& name) const
  {
    for (const RunFile& file : files)
      if (file.name == name) {
        file.write(folder / name);
        return csv_table(tests::read_bytes(folder / name));
      }
    ADD_FAILURE() << "no file " << name;
    return {};
  }
};

TEST_F(CsvColumns, OfTraining)
{
  Results results;
  JobRow row;
  row.point = "p";
  row.variant = "v";
  row.job = "j";
  row.model = "m";
  row.gpu = "g";
  row.network = "n";
  row.training = "t";
  row.workers = 101;
  row.servers = 102;
  row.batch_per_gpu = 103;
  row.precision = "amp";
  row.samples_per_second = {104, 105, 106};
  row.tokens_per_sample = 10;
  row.step_s = {107, 108, 109};
  row.scaling_efficiency = 110;
  row.compute = Seconds{111};
  row.host = Seconds{112};
  row.exposed_communication = Seconds{113};
  row.input = Seconds{114};
  row.wait = Seconds{115};
  row.bottleneck.text = "b";
  row.fidelity = "f";
  row.provenance = Provenance::measured;
  row.staleness_mean = 116;
  row.staleness_max = 117;
  row.bytes_per_step = Bytes{118};
  row.gpu_memory = Bytes{119};
  row.price_per_million_samples = Dollars{120};
  row.simulated_steps = 121;
  row.steps = 122;
  row.arrival = Seconds{200};
  row.start = Seconds{230};
  row.finish = Seconds{270};
  row.failures = {.useful = 0.5,
                  .failures = 123,
                  .saving = Seconds{124},
                  .redone = Seconds{125},
                  .restarting = Seconds{126},
                  .waiting = Seconds{127},
                  .slower = Seconds{128},
                  .checkpoint = Seconds{129},
                  .interval = Seconds{130},
                  .best_interval = Seconds{131}};
  results.jobs = {row};
  results.steps = {{"p", "j", 1, 2, Seconds{10}, Seconds{14}}};
  results.links = {
      {"p", "l", "a", "k", BytesPerSecond{201}, Bytes{202}, Seconds{203}, 0.25, 0.75, {"j", "other, quoted"}}};
  results.link_loads = {{"p", "l", {{Seconds{1}, Seconds{2}, 0.5}}}};
  results.traffic = {{"p", "j", "w", "s", Bytes{301}, false}};
  results.events = {{"p", Seconds{5}, "e", "j", "d"}};
  // queueing_delay_s: 230 - 200; jct_s: 270 - 200
  expect_row(
      csv_table(jobs_csv(results)),
      "point=p|variant=v|job=j|model=m|gpu=g|network=n|training=t|workers=101|servers=102|batch_per_gpu=103|"
      "precision=amp|samples_per_second=104|samples_per_second_low=105|samples_per_second_high=106|"
      "samples_per_second_low_95=|samples_per_second_low_80=|samples_per_second_high_80=|samples_per_second_high_95=|"
      "tokens_per_second=1040|tokens_per_second_low_95=|tokens_per_second_low_80=|tokens_per_second_high_80=|"
      "tokens_per_second_high_95=|step_s=107|step_low_s=108|step_high_s=109|"
      "step_low_95_s=|step_low_80_s=|step_high_80_s=|step_high_95_s=|step_middle_s=|error_kind=|error_size=0|scaling_"
      "efficiency=110|compute_s=111|"
      "host_s=112|"
      "exposed_communication_s=113|input_s=114|wait_s=115|bottleneck=b|fidelity=f|provenance=measured|"
      "staleness_mean=116|staleness_max=117|bytes_per_step_B=118|gpu_memory_B=119|"
      "price_per_million_samples_usd=120|price_per_million_samples_usd_low_95=|price_per_million_samples_usd_low_80=|"
      "price_per_million_samples_usd_high_80=|price_per_million_samples_usd_high_95=|simulated_steps=121|steps=122|"
      "arrival_s=200|start_s=230|"
      "finish_s=270|goodput=0.5|failures=123|saving_s=124|redone_s=125|restarting_s=126|repair_s=127|"
      "slower_s=128|checkpoint_s=129|checkpoint_interval_s=130|best_interval_s=131|queueing_delay_s=30|jct_s=70");
  expect_row(csv_table(steps_csv(results)), "point=p|job=j|step=1|worker=2|begin_s=10|end_s=14|step_s=4");
  expect_row(csv_table(links_csv(results)),
             "point=p|link=l|label=a|kind=k|bandwidth_Bps=201|bytes_B=202|window_s=203|utilisation=0.25|busy=0.75|"
             "jobs=j other, quoted");
  expect_row(csv_table(link_loads_csv(results)), "point=p|link=l|begin_s=1|end_s=2|load=0.50");
  expect_row(csv_table(traffic_csv(results)), "point=p|job=j|from=w|to=s|bytes_per_step_B=301|over_network=no");
  expect_row(csv_table(events_csv(results)), "point=p|time_s=5|event=e|job=j|detail=d");
}

/// One job of a queue, stopped once, hit by a failure; a second one that never ran.
std::shared_ptr<std::vector<QueueRun>> one_queue()
{
  auto workload = std::make_shared<Workload>();
  TraceJob job;
  job.submit = Seconds{1000};
  job.duration = Seconds{1007};
  job.gpus = 3;
  job.user = workload->users.index_of("u");
  job.team = workload->teams.index_of("t");
  job.queue = workload->queues.index_of("q");
  job.model = workload->models.index_of("m");
  workload->jobs = {job, job};
  workload->job_names = {"j", "k"};
  QueueRun run;
  run.point = "p";
  run.label = "easy";
  run.workload = workload;
  JobOutcome outcome;
  outcome.ready = Seconds{1010};
  outcome.first_start = Seconds{1030};
  outcome.end = Seconds{2500};
  outcome.gpu_time = Seconds{3600 * 84};
  outcome.lost_time = Seconds{3600 * 42};
  outcome.held_time = Seconds{500};
  outcome.preemptions = 43;
  outcome.failures = 44;
  outcome.out_of_memory = 45;
  outcome.phase = JobPhase::finished;
  JobOutcome never;
  never.phase = JobPhase::stalled;
  never.reason = WaitReason::quota;
  run.result.jobs = {outcome, never};
  run.result.waits = {{JobId{1}, JobId{0}, Seconds{51}, Seconds{52}, Seconds{54}, 53, WaitReason::gpus}};
  RunRecord stay;
  stay.job = JobId{0};
  stay.from = Seconds{61};
  stay.to = Seconds{62};
  stay.speed = 0.63;
  stay.alone = 0.64;
  stay.neighbour = JobId{1};
  stay.link = 1;
  stay.held.gpus = 3;
  stay.held.shares = {{.node = 0, .gpu_mask = 1}, {.node = 1, .gpu_mask = 3}};
  run.result.runs = {stay};
  run.result.link_names = {"no link", "leaf-7"};
  run.result.makespan = Seconds{2500};
  run.metrics = {.name = "easy",
                 .jobs = 101,
                 .finished = 102,
                 .never_ran = 103,
                 .jct_s = {104, 105, 106, 107, 108, 1},
                 .queueing_delay_s = {109, 110, 111, 112, 113, 1},
                 .waiting_s = {114, 115, 116, 117, 118, 1},
                 .slowdown = {119, 120, 121, 122, 123, 1},
                 .makespan_s = 124,
                 .utilisation = 125,
                 .gpu_hours = 126,
                 .lost_gpu_hours = 127,
                 .fragmented_wait_hours = 128,
                 .fragmentation = 129,
                 .finish_time_fairness = 130,
                 .jain = 131,
                 .energy = WattHours{132e3},
                 .cost = Dollars{133},
                 .preemptions = 134,
                 .failures = 135,
                 .out_of_memory = 136,
                 .killed = 137,
                 .late = 1380};
  run.divided = std::make_shared<const DividedSpeeds>(DividedSpeeds{{{job.model, 3}, 250}});
  run.optimal_makespan = 138;
  run.gpus = 5;
  run.node_gpus = {1, 4};
  run.node_names = {"a", "b"};
  run.failures = {{"rack 3", Seconds{71}, Seconds{72}, {0, 1}, {JobId{0}}}};
  run.series = {{81, 82, 83, 84, 85, 0.86, Watts{87}}};
  return std::make_shared<std::vector<QueueRun>>(std::vector<QueueRun>{run});
}

TEST_F(CsvColumns, OfAQueue)
{
  const std::vector<RunFile> files = queue_files(one_queue());
  expect_row(written(files, "metrics.csv"),
             "jobs=101|finished=102|never_ran=103|jct_mean_s=104|jct_p50_s=105|jct_p95_s=106|jct_p99_s=107|"
             "jct_max_s=108|queueing_delay_mean_s=109|queueing_delay_p50_s=110|queueing_delay_p95_s=111|"
             "queueing_delay_p99_s=112|queueing_delay_max_s=113|waiting_mean_s=114|waiting_p50_s=115|"
             "waiting_p95_s=116|waiting_p99_s=117|waiting_max_s=118|slowdown_mean=119|slowdown_p50=120|"
             "slowdown_p95=121|slowdown_p99=122|slowdown_max=123|makespan_s=124|utilisation=125|gpu_hours=126|"
             "lost_gpu_hours=127|fragmented_wait_hours=128|fragmentation=129|finish_time_fairness=130|jain=131|"
             "energy_kWh=132|cost_usd=133|preemptions=134|failures=135|out_of_memory=136|killed=137|missed_deadlines="
             "1380|point=p|"
             "policy=easy|optimal_makespan_s=138");

  // The groups are worked out from the jobs: each once by team, user, queue and size, in the columns of metrics.csv.
  const ReadTable groups = written(files, "groups.csv");
  ASSERT_EQ(groups.rows.size(), 4U);
  for (const auto& [row, names] : {std::pair{0, "p|easy|team|t|2"}, {1, "p|easy|user|u|2"}, {2, "p|easy|queue|q|2"}})
    EXPECT_EQ(groups.cells(static_cast<std::size_t>(row), {"point", "policy", "by", "group", "jobs"}), names);
  EXPECT_EQ(groups.cells(3, {"by", "group", "preemptions", "failures", "out_of_memory", "gpu_hours", "lost_gpu_hours"}),
            "gpus|2-4|43|44|45|84|42");

  const ReadTable jobs = written(files, "jobs.csv");
  // queueing_delay_s: 1030 - 1010; waiting_s: 2500 - 1010 - 500; jct_s: 2500 - 1000
  expect_row(
      jobs,
      "point=p|policy=easy|job=j|user=u|team=t|queue=q|model=m|gpus=3|submit_s=1000|start_s=1030|end_s=2500|"
      "queueing_delay_s=20|waiting_s=990|jct_s=1500|duration_s=1007|preemptions=43|failures=44|"
      "out_of_memory=45|gpu_hours=84|lost_gpu_hours=42|tokens_per_second=503.5|goodput=0.5|state=finished|reason=");
  EXPECT_EQ(jobs.cells(1, {"job", "start_s", "end_s", "jct_s", "state", "reason"}),
            "k||||never started|its team has no quota left for it");
  expect_row(written(files, "waits.csv"),
             "point=p|policy=easy|job=k|from_s=51|to_s=52|reason=fewer GPUs free than it needs|blocker=j|"
             "free_gpus=53|planned_start_s=54");
  expect_row(written(files, "runs.csv"),
             "point=p|policy=easy|job=j|from_s=61|to_s=62|gpus=3|nodes=a:1 b:2|speed=0.63|alone=0.64|neighbour=k|"
             "link=leaf-7");
  expect_row(written(files, "failures.csv"),
             "point=p|policy=easy|failure=rack 3|from_s=71|to_s=72|nodes=a b|gpus=5|jobs_hit=1");
  expect_row(written(files, "utilisation.csv"),
             "point=p|policy=easy|time_s=81|busy_gpus=82|running_jobs=83|waiting_jobs=84|asked_gpus=85|"
             "fragmentation=0.86|power_W=87");
  // in order of time: the failure at 71 s, whom it hit, its repair
  const ReadTable events = written(files, "events.csv");
  expect_row(events, "point=p|policy=easy|time_s=71|event=failed|job=|gpus=5|cause=rack 3");
  expect_row(events, "point=p|policy=easy|time_s=71|event=interrupted|job=j|gpus=3|cause=rack 3", 1);
  EXPECT_EQ(events.cells(2, {"time_s", "event"}), "72|repaired");
}

TEST_F(CsvColumns, OfMetricsAreTheRowsOfTheirPage)
{
  // docs/metrics.md: a table with the columns of metrics.csv and of groups.csv in its first column.
  std::istringstream page{tests::read_bytes(tests::source_folder() / "docs/metrics.md")};
  std::vector<std::string> described;
  const std::regex name{"`([^`]+)`"};
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `"))
      continue;
    const std::string first = line.substr(0, line.find('|', 1));
    for (std::sregex_iterator match{first.begin(), first.end(), name}, end; match != end; ++match)
      described.push_back((*match)[1]);
  }
  const std::vector<RunFile> files = queue_files(one_queue());
  std::set<std::string> columns;
  for (const char* file : {"metrics.csv", "groups.csv"})
    for (const std::string& heading : written(files, file).headings)
      columns.insert(heading);
  EXPECT_THAT(described, UnorderedElementsAreArray(columns));
}

TEST_F(CsvColumns, OfAQueueAreAllListed)
{
  const std::vector<RunFile> files = queue_files(one_queue());
  for (const FileColumns& file : queue_file_columns()) {
    std::set<std::string> listed;
    for (const ColumnFacts& column : file.columns) {
      EXPECT_FALSE(column.meaning.empty()) << file.file << " " << column.name;
      listed.insert(column.name);
    }
    if (file.file == "metrics.csv" || file.file == "groups.csv")
      for (const ResultColumn<QueueMetrics>& column : queue_columns())
        if ((column.places & in_csv) != 0)
          for (const std::string& name : names_of(column))
            listed.insert(name);
    EXPECT_THAT(written(files, file.file).headings, UnorderedElementsAreArray(listed)) << file.file;
  }
}

// A mixed run whose figures all differ. Services were up for 3 of 4 s and held 7200 GPU-s; a retraining was deployed
// after 9 s. A job of the queue held 3 GPUs (0, 1 and 2) of machine b from 20 to 30 s, beside a service that went at
// half of its speed.
TEST_F(CsvColumns, OfSeveralParts)
{
  together::TogetherRun run;
  run.point = "p";
  run.policy = "easy";
  run.queue = one_queue()->front();
  run.queue->result.runs[0].held.shares = {{.node = 1, .gpu_mask = 7}};
  run.queue->result.runs[0].from = Seconds{20};
  run.queue->result.runs[0].to = Seconds{30};
  run.own_jobs.finished = 1;
  run.own_jobs.jct_s = {.mean = 2, .values = 1};
  run.own_jobs.waiting_s = {.mean = 3, .values = 1};
  run.own_jobs.gpu_hours = 4;
  run.own_jobs.lost_gpu_hours = 5;
  run.services = orchestration::PointRun{};
  ServiceOutcome service;
  service.full = std::chrono::seconds{3};
  service.since = std::chrono::seconds{4};
  service.held.gpu = static_cast<Wide>(7200) * 1'000'000'000'000;
  run.services->result.services = {service};
  run.retraining = EnvironmentRunSet{};
  run.retraining->runs.resize(1);
  run.retraining->metrics.need_to_deployed.ended_s = {9};
  run.retraining->metrics.stale_share = 0.25;
  run.retraining->metrics.gpu_hours = 6;
  run.nodes = {"a", "b"};
  run.slow_visits = {{"s", Seconds{20}, Seconds{30}, 0.5, "j", "leaf-7"}};
  const std::vector<together::TogetherRun> runs{run};
  expect_row(csv_table(together::parts_csv(runs)),
             "point=p|policy=easy|run=" + together::to_text(together::LeftOut::nothing) +
                 "|finished_jobs=1|mean_jct_s=2|mean_waiting_s=3|queue_gpu_hours=4|queue_lost_gpu_hours=5|"
                 "availability=0.75|services_gpu_hours=2|need_to_deployed_p50_s=9|stale_share=0.25|"
                 "retraining_gpu_hours=6");
  expect_row(csv_table(together::timeline_csv(runs, std::chrono::seconds{100})),
             "point=p|policy=easy|source=queue|name=j|node=b|from_s=20|to_s=30|gpus=3|gpu_share=1|gpu_mask=7");
  expect_row(csv_table(together::links_csv(runs)),
             "point=p|policy=easy|name=s|from_s=20|to_s=30|share_of_speed_alone=0.5|neighbour=j|link=leaf-7");
}

Instant second(double seconds)
{
  return Seconds{seconds};
}

/// Times in GPU-s, core-s and MiB-s.
AmountTime amount(int gpu, int cpu = 0, int memory = 0)
{
  return {static_cast<Wide>(gpu) * 1'000'000'000'000, static_cast<Wide>(cpu) * 1'000'000'000'000,
          static_cast<Wide>(memory) * 1'000'000'000};
}

/// A job of one task with one GPU on the second of two machines.
std::vector<orchestration::PointRun> one_service()
{
  orchestration::PointRun run;
  run.point = "p";
  run.input.cluster = ClusterShape::machines(2, 2);
  run.input.cluster.nodes[1].rack = 9;
  run.input.cluster.gpu_types = {"T4"};
  run.input.traits.resize(2);
  run.input.traits[1].group = "g";
  run.input.traits[1].gpu_ids = {"id-0", "id-1"};
  ServiceSpec service;
  service.name = "s";
  service.team = "t";
  service.kind = "training";
  service.arrival = Seconds{11};
  service.work = Seconds{1000};
  service.used_share = 0.5;
  service.groups = {{.replicas = 7, .gpus = 1, .gpu_milli = 250}};
  run.input.services = {service};
  ServiceOutcome outcome;
  outcome.first_running = second(12);
  outcome.finished = second(33);
  outcome.held = amount(101, 102, 103);
  outcome.starting = amount(104);
  outcome.orphaned = amount(105);
  outcome.parts = {second(201), second(202), second(203), second(204), second(205), second(206),
                   amount(111), amount(112), amount(113), amount(114), amount(115), amount(116)};
  outcome.input_wait = second(207);
  outcome.redeploying = second(208);
  outcome.restarts = 209;
  outcome.moves = 210;
  outcome.full = second(3);
  outcome.since = second(4);
  outcome.replica_time = 5;
  outcome.desired_time = 8;
  outcome.done = Seconds{211};
  run.result.services = {outcome};
  run.result.ended = second(100);
  run.result.task_names = {"s-0"};
  run.result.task_service = run.result.task_group = run.result.task_unit = {0};
  run.result.work = {{{.from = second(22), .pace = 1}}};
  run.result.reasons = {plain(MessageKind::part, "no"), plain(MessageKind::part, "full")};
  run.result.instances = {{.task = 0,
                           .node = 1,
                           .gpu_mask = 2,
                           .gpu_milli = 250,
                           .placed = second(20),
                           .pulled = second(21),
                           .running = second(22),
                           .ended = second(30),
                           .reason = EndReason::crashed}};
  run.result.phases = {{0, second(41), second(42), TaskPhase::pulling, 1, 1}};
  FaultOutcome fault;
  fault.event = {
      .at = second(51), .until = second(52), .kind = FaultKind::rack, .name = "3", .random = true, .cause = 1};
  fault.detected = second(53);
  fault.evicted = second(54);
  fault.recovered = second(65);
  fault.tasks_hit = 55;
  fault.never_back = 56;
  fault.redone = second(57);
  fault.redone_gpu = amount(58);
  fault.worst_outage = second(59);
  fault.moved_to = {1, 0};
  run.result.faults = {fault};
  run.result.log = {{second(61), "it"}};
  run.result.series = {{second(71), 0, 72, 73}};
  run.result.disk_left = {0, 74};
  run.result.idle = amount(121, 122, 123);
  run.result.down = amount(124, 125, 126);
  run.result.capacity = amount(127, 128, 129);
  run.gpu_idle_power = {Watts{10}, Watts{10}};
  run.gpu_power = {Watts{70}, Watts{70}};
  run.gpu_memory_MiB = {16000, 16000};
  return {run};
}

TEST_F(CsvColumns, OfServices)
{
  namespace o = orchestration;
  o::Runs runs = one_service();
  expect_row(csv_table(o::placement_csv(runs)),
             "point=p|task=s-0|service=s|node=node-1|host_gpu=1|gpu_id=id-1|container_gpu=0|gpu_share=0.25|"
             "placed_s=20|pulled_s=21|running_s=22|ended_s=30|end=process failed");
  expect_row(csv_table(o::phases_csv(runs)),
             "point=p|task=s-0|service=s|from_s=41|to_s=42|state=pulling|node=node-1|reason=full");
  const ReadTable accounts = csv_table(o::accounting_csv(runs));
  // used_gpu_s: half of the useful 112
  expect_row(accounts,
             "point=p|owner=s|team=t|gpu_s=101|starting_gpu_s=104|restoring_gpu_s=111|useful_gpu_s=112|"
             "lost_gpu_s=113|saving_gpu_s=114|stalled_gpu_s=115|idle_gpu_s=116|orphaned_gpu_s=105|used_gpu_s=56|"
             "core_s=102|memory_MiB_s=103");
  ASSERT_EQ(accounts.rows.size(), 4U);
  EXPECT_EQ(accounts.cells(1, {"owner", "gpu_s", "core_s", "memory_MiB_s"}), "(idle)|121|122|123");
  EXPECT_EQ(accounts.cells(2, {"owner", "gpu_s", "core_s", "memory_MiB_s"}), "(down)|124|125|126");
  EXPECT_EQ(accounts.cells(3, {"owner", "gpu_s", "core_s", "memory_MiB_s"}), "(capacity)|127|128|129");
  // time_to_recover_s: 65 - 51
  expect_row(csv_table(o::faults_csv(runs)),
             "point=p|what=rack 3|at_s=51|until_s=52|drawn=yes|caused_by=node-1|detected_s=53|replaced_s=54|"
             "recovered_s=65|time_to_recover_s=14|tasks_hit=55|never_back=56|worst_outage_s=59|redone_s=57|"
             "redone_gpu_s=58|moved_to=node-1 node-0");
  expect_row(csv_table(o::events_csv(runs)), "point=p|time_s=61|clock=00:01:01|event=it");
  // jct_s: 33 - 11; gpu_hours: 101 / 3600
  expect_row(csv_table(o::services_csv(runs)),
             "point=p|service=s|kind=training|team=t|replicas=7|arrival_s=11|first_running_s=12|finished_s=33|"
             "jct_s=22|state=finished|restarts=209|moves=210|availability=0.75|mean_running_share=0.625|"
             "work_done_s=211|useful_s=202|lost_s=203|saving_s=204|restoring_s=201|stalled_s=205|idle_s=206|"
             "input_wait_s=207|redeploying_s=208|gpu_hours=0.0280555555556");
  expect_row(csv_table(o::replicas_csv(runs)), "point=p|service=s|time_s=71|desired=72|running=73");
  // gpu_s: held from 20 to 30 s
  expect_row(csv_table(o::nodes_csv(runs)),
             "point=p|node=node-1|group=g|rack=9|gpus=2|instances=1|gpu_s=2.5|disk_left_bytes=74", 1);
  // GPU 1 of node-1, the fourth row: held 10 of 100 s; runs 8 s, half of them in use: 4 s. 10 + 0.04 x 60 = 12.4 W for
  // 100 s; a quarter of 95 % of 16,000 MiB; 25 + 58 x 12.4 / 70 = 35.3 degrees.
  expect_row(csv_table(o::gpus_csv(runs)),
             "point=p|node=node-1|gpu=1|type=T4|owner_at_end=|held_s=10|held_share=0.1|used_s=4|mean_power_W=12.4|"
             "energy_kWh=0.000344444|memory_MiB=16000|reserved_MiB=3800|assumed_temperature_C=35.3",
             3);
  // From 22 to 30 s half of the time in use: 10 + 0.5 x 60 = 40 W; 25 + 58 x 40 / 70 = 58.1 degrees.
  expect_row(csv_table(o::gpu_series_csv(runs)),
             "point=p|node=node-1|gpu=1|type=T4|from_s=22|to_s=30|tasks=s-0|kernel_share=0.5|memory_used_MiB=3800|"
             "memory_MiB=16000|power_W=40|board_power_W=70|assumed_temperature_C=58.1",
             5);
  // From 71 s on 73 replicas of 2 requests/s each: 100 requests/s leave them nearly idle. One server answers in 0.5 s
  // on average; P(T > t) = exp(-2 t) = 0.05 at 1.498 s.
  runs[0].input.services[0].serving.capacity = 2;
  runs[0].input.services[0].serving.rate = {{Seconds{0}, 1}};
  expect_row(csv_table(o::serving_csv(runs)),
             "point=p|service=s|from_s=71|to_s=100|rate_per_s=1|replicas=73|mean_response_s=0.5|"
             "p95_response_s=1.49787|answered=1",
             1);
}

Instant at(int seconds)
{
  return std::chrono::seconds{seconds};
}

/// One request with nine segments of 1 to 9 s.
std::shared_ptr<const std::vector<EnvironmentRunSet>> one_environment()
{
  EnvironmentResult run;
  run.models = {"faces"};
  run.stale_after = {at(60)};
  run.first_data = {at(0)};
  Request request;
  request.number = 4;
  request.need = at(100);
  for (int segment = 0; segment < 9; ++segment)
    request.spent[static_cast<std::size_t>(segment)] = at(segment + 1);
  request.ended = RequestEnd::replaced;
  request.end = at(145);
  request.reason = plain(MessageKind::part, "r");
  request.trained = at(141);
  request.deployed = at(142);
  request.input_wait = at(10);
  request.uploads = 11;
  request.wrong_checksums = 12;
  request.submissions = 13;
  request.trainings = 14;
  request.attempts = 15;
  request.gpu_seconds = 16 * 3600;
  request.wasted_gpu_seconds = 17 * 3600;
  request.redone_gpu_seconds = 18 * 3600;
  run.requests = {request};
  run.deployments = {{0, 0, at(142), at(99)}};
  run.events = {{at(21), 0, "storage", "planner", plain(MessageKind::part, "w")}};
  run.decisions = {{at(31), 0, 32, "q", "s", 33, 34, plain(MessageKind::part, "why")}};
  run.stays = {{0, 41, at(42), at(43), at(44), 45, "n", {}}};
  run.load = {{at(51), 52, 53}};
  run.end = at(200);
  run.plans = 61;
  run.first_makespan = 62;
  EnvironmentRunSet set;
  set.point = "p";
  set.title = "title";
  set.label = "l";
  set.planner = "pl";
  set.duplicates = "d";
  set.runs = {run};
  EnvironmentMetrics& m = set.metrics;
  m.needs = 71;
  m.completions = 72;
  m.ends = {301, 302, 303, 304, 305, 306, 307, 308, 309};
  for (int i = 1; i <= 100; ++i)
    m.need_to_deployed.ended_s.push_back(i);
  m.need_to_trained.ended_s = {73};
  m.stale_share = 0.74;
  m.quality = 0.84;
  m.lowest_quality = 0.85;
  m.data_age_periods = 0.75;
  m.gpu_hours = 76;
  m.wasted_gpu_hours = 77;
  m.redone_gpu_hours = 83;
  m.utilisation = 0.78;
  m.makespan_s = 79;
  m.segment_s = {401, 402, 403, 404, 405, 406, 407, 408, 409};
  m.messages = 80;
  m.lost_messages = 81;
  set.optimal_makespan_s = 82;
  return std::make_shared<const std::vector<EnvironmentRunSet>>(std::vector<EnvironmentRunSet>{set});
}

TEST_F(CsvColumns, OfRetraining)
{
  RunReport report;
  add_environment_files(report, one_environment());
  const auto expect = [&](const char* file, const std::string& cells) {
    SCOPED_TRACE(file);
    expect_row(written(report.files, file), "point=p|policy=l|" + cells);
  };
  expect("requests.csv",
         "replica=0|request=faces-4|model=faces|number=4|needed_at_s=100|need_s=1|upload_s=2|confirm_s=3|queue_s=4|"
         "train_s=5|save_s=6|detect_s=7|download_s=8|deploy_s=9|total_s=45|ended_at_s=145|ended=replaced|reason=r|"
         "trained_at_s=141|deployed_at_s=142|input_wait_s=10|uploads=11|wrong_checksums=12|submissions=13|jobs=14|"
         "attempts=15|gpu_hours=16|wasted_gpu_hours=17|redone_gpu_hours=18");
  // of 1 to 100 s: half are ended at 50 s, 95 of them at 95 s, the mean is 50.5 s
  expect("metrics.csv",
         "planner=pl|duplicates=d|needs=71|completions=72|open=301|deployed=302|outdated=303|replaced=304|"
         "coalesced=305|forbidden=306|failed=307|lost=308|impossible=309|need_to_deployed_p50_s=50|"
         "need_to_deployed_p95_s=95|need_to_deployed_mean_at_least_s=50.5|need_to_trained_mean_at_least_s=73|"
         "stale_share=0.74|quality=0.84|lowest_quality=0.85|data_age_periods=0.75|gpu_hours=76|wasted_gpu_hours=77|"
         "redone_gpu_hours=83|utilisation=0.78|"
         "makespan_s=79|"
         "planned_makespan_s=62|optimal_makespan_s=82|plans=61|messages=80|lost_messages=81|mean_need_s=401|"
         "mean_upload_s=402|mean_confirm_s=403|mean_queue_s=404|mean_train_s=405|mean_save_s=406|mean_detect_s=407|"
         "mean_download_s=408|mean_deploy_s=409");
  expect("events.csv", "replica=0|time_s=21|request=faces-4|from=storage|to=planner|what=w");
  expect("decisions.csv",
         "replica=0|time_s=31|request=faces-4|priority=32|queue=q|state=s|busy_gpus=33|gpus=34|why=why");
  expect("deployments.csv", "replica=0|time_s=142|model=faces|request=faces-4|data_until_s=99");
  // data of 0 s are stale from 60 s on, until the model on data of 99 s serves at 142 s
  expect("stale.csv", "replica=0|model=faces|from_s=60|to_s=142");
  expect("trainings.csv", "replica=0|request=faces-4|attempt=41|from_s=42|to_s=43|save_from_s=44|gpus=45|nodes=n");
  expect("load.csv", "replica=0|time_s=51|busy_gpus=52|waiting=53");
}

} // namespace
} // namespace trainyard
