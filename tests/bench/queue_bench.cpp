// SPDX-License-Identifier: Apache-2.0
// Speed of the queue simulation: ./benchmarks --benchmark_filter=queue
#include "models/core/data_folder.hpp"
#include "models/job/batch_goodput.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "sim/cluster/speed/shared_gpu_speed.hpp"
#include "sim/cluster/speed/step_speed.hpp"
#include "sim/sources/queue/policies/gavel_lp.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/places.hpp"
#include "tests/support/queue_policies.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>

namespace trainyard {
namespace {

Workload philly(int times)
{
  Workload workload = import_trace(tests::source_folder() / "tests/data/traces/philly.csv.gz").workload;
  const std::size_t once = workload.jobs.size();
  const Instant length = workload.jobs.back().submit + Seconds{1};
  for (int copy = 1; copy < times; ++copy)
    for (std::size_t i = 0; i < once; ++i) {
      TraceJob job = workload.jobs[i];
      job.submit += length * copy;
      workload.jobs.push_back(job);
    }
  return workload;
}

double user_seconds()
{
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) / 1e6;
}

/// The most that this process had resident so far; each row is a process of its own (results/make_bench.sh).
double peak_MB()
{
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

/// Least of @p times tries: user time of a replay.
double replay_seconds(const std::string& policy, const Workload& workload, int gpus, int times)
{
  double least = 1e300;
  for (int i = 0; i < times; ++i) {
    const double before = user_seconds();
    benchmark::DoNotOptimize(
        simulate_queue(workload, ClusterShape::pool(gpus), *Registry<QueuePolicy>::instance().create(policy)));
    least = std::min(least, user_seconds() - before);
  }
  return least;
}

/// Poisson arrivals, log-normal durations, gangs 1..64 mostly small; offered load @p load of the GPUs.
Workload generated(int jobs, int gpus, double load, int most_gpus = 64)
{
  RandomStream draw = Random{1}.stream("bench");
  Workload workload;
  double gpu_seconds = 0;
  for (int i = 0; i < jobs; ++i) {
    TraceJob job;
    int size = 1;
    while (size < most_gpus && draw.uniform() < 0.4)
      size *= 2;
    job.gpus = size;
    job.duration = Seconds{std::ceil(draw.log_normal(600, 1.5))};
    job.estimate = job.duration * (1 + draw.uniform());
    gpu_seconds += job.duration.value() * size;
    workload.jobs.push_back(job);
  }
  const double gap = gpu_seconds / (gpus * load) / jobs;
  double time = 0;
  for (TraceJob& job : workload.jobs) {
    job.submit = Seconds{time};
    time += draw.exponential(gap);
  }
  return workload;
}

void replay(benchmark::State& state, const std::string& policy, const Workload& workload, int gpus, const char* goal)
{
  for (auto _ : state) {
    const SchedulingResult result =
        simulate_queue(workload, ClusterShape::pool(gpus), *Registry<QueuePolicy>::instance().create(policy));
    state.counters["finished"] = result.finished;
    state.counters["mean_wait_s"] = result.mean_wait.value();
  }
  state.counters["peak_MB"] = peak_MB();
  state.SetLabel(goal);
}

void queue_philly(benchmark::State& state, const std::string& policy, const char* goal)
{
  replay(state, policy, philly(1), 2048, goal);
}
BENCHMARK_CAPTURE(queue_philly, fifo_82247_jobs, "fifo", "goal: 100 ms, 100 MB")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(queue_philly, srtf_82247_jobs, "srtf", "goal: 1000 ms, 100 MB")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(queue_philly, las_82247_jobs, "las", "goal: 1000 ms, 100 MB")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(queue_philly, easy_82247_jobs, "easy_backfill", "goal: 1000 ms, 100 MB")
    ->Unit(benchmark::kMillisecond);

/// On a quarter of the GPUs thousands of jobs wait most of the time.
void queue_philly_512_gpus(benchmark::State& state, const std::string& policy, const char* goal)
{
  replay(state, policy, philly(1), 512, goal);
}
BENCHMARK_CAPTURE(queue_philly_512_gpus, fifo, "fifo", "goal: 100 ms")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(queue_philly_512_gpus, srtf, "srtf", "goal: 300 ms")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(queue_philly_512_gpus, las, "las", "goal: 500 ms")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(queue_philly_512_gpus, easy, "easy_backfill", "goal: 300 ms")->Unit(benchmark::kMillisecond);

/// User time for twice the jobs over user time for once, each the least of several tries.
void queue_twice_the_jobs(benchmark::State& state, const std::string& policy)
{
  const Workload once = philly(1), twice = philly(2);
  for (auto _ : state) {
    const double one = replay_seconds(policy, once, 2048, 9), two = replay_seconds(policy, twice, 2048, 9);
    state.counters["user_ms"] = one * 1000;
    state.counters["user_ms_twice"] = two * 1000;
    state.counters["ratio"] = two / one;
  }
  state.SetLabel("goal: ratio 2.3");
}
BENCHMARK_CAPTURE(queue_twice_the_jobs, fifo, "fifo")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(queue_twice_the_jobs, srtf, "srtf")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(queue_twice_the_jobs, las, "las")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(queue_twice_the_jobs, easy, "easy_backfill")->Unit(benchmark::kMillisecond)->Iterations(1);

/// Far more work than the cluster can do, so that nearly all jobs wait: the first 5,000 and 10,000 jobs of the trace on
/// 32 GPUs.
void queue_long_queue(benchmark::State& state, const std::string& policy)
{
  Workload ten = philly(1);
  ten.jobs.resize(10'000);
  Workload five = ten;
  five.jobs.resize(5'000);
  for (auto _ : state) {
    const double one = replay_seconds(policy, five, 32, 1), two = replay_seconds(policy, ten, 32, 1);
    state.counters["user_ms_5k"] = one * 1000;
    state.counters["user_ms_10k"] = two * 1000;
    state.counters["ratio"] = two / one;
  }
}
const int long_queues = [] {
  for (const std::string& policy : tests::own_queue_policies())
    if (policy != "gavel") // plans all jobs at once
      benchmark::RegisterBenchmark(("queue_long_queue/" + policy).c_str(), queue_long_queue, policy)
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1);
  return 0;
}();

void queue_million_jobs(benchmark::State& state, const std::string& policy, double load, const char* goal)
{
  replay(state, policy, generated(1'000'000, 10'000, load), 10'000, goal);
}
BENCHMARK_CAPTURE(queue_million_jobs, fifo_load_90, "fifo", 0.9, "goal: 3000 ms")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(queue_million_jobs, easy_load_90, "easy_backfill", 0.9, "goal: 30000 ms")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(queue_million_jobs, easy_load_98, "easy_backfill", 0.98, "goal: 30000 ms")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

/// A trace of @p rows rows, written to a temporary file and read as simrun reads it.
void queue_read(benchmark::State& state, bool json, std::int64_t rows, const char* goal)
{
  const auto file = std::filesystem::temp_directory_path() /
                    ("trainyard-bench-" + std::to_string(::getpid()) + (json ? ".json" : ".csv"));
  {
    std::ofstream out{file};
    out << (json ? "[\n" : "timestamp,duration,num_gpus,gpu_time,cluster\n");
    std::string text;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t at = i / 4;
      const std::string day = fmt::format("2017-{:02}-{:02}", 1 + at / 86400 / 28 % 12, 1 + at / 86400 % 28);
      const std::string clock = fmt::format("{:02}:{:02}:{:02}", at / 3600 % 24, at / 60 % 60, at % 60);
      if (json)
        text += fmt::format(
            R"({}{{"status": "Pass", "vc": "vc{}", "jobid": "application_{}", "attempts": [{{"start_time": "{} {}", )"
            R"("end_time": "2018-12-31 00:00:00", "detail": [{{"ip": "m{}", "gpus": ["gpu0", "gpu1"]}}]}}], )"
            R"("submitted_time": "{} {}", "user": "u{}"}})"
            "\n",
            i == 0 ? "" : ",", i % 15, i, day, clock, i % 500, day, clock, i % 300);
      else
        text += fmt::format("{} {},{}.0,{},0.0,vc{}\n", day, clock, i * 7919 % 3000 + 1, i % 5 == 0 ? 8 : 1, i % 15);
      if (text.size() > 1'000'000) {
        out << text;
        text.clear();
      }
    }
    out << text << (json ? "]\n" : "");
  }
  const double before = peak_MB();
  for (auto _ : state)
    state.counters["jobs"] = import_trace(file).workload.size();
  state.counters["file_MB"] = static_cast<double>(std::filesystem::file_size(file)) / 1e6;
  state.counters["grown_by_MB"] = peak_MB() - before;
  state.SetLabel(goal);
  std::filesystem::remove(file);
}
BENCHMARK_CAPTURE(queue_read, csv_10_million_rows, false, 10'000'000, "goal: bounded, no hang")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(queue_read, json_300_MB, true, 1'250'000, "goal: bounded, no hang")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

/// Every task of the openb list arrives once on its machines, which it never leaves (tests/data/traces/README.md).
void queue_openb(benchmark::State& state, const std::string& placement)
{
  const std::filesystem::path traces = tests::source_folder() / "tests/data/traces";
  const Workload tasks = import_trace(traces / "openb_pod_list_default.csv.gz").workload;
  ClusterShape shape;
  ImportedTrace machines = import_trace(traces / "openb_node_list_gpu_node.csv.gz");
  shape.gpu_types = machines.gpu_types;
  shape.nodes = machines.machines;
  for (auto _ : state) {
    const auto policy = Registry<PlacementPolicy>::instance().create(placement);
    ClusterState cluster{shape, policy.get()};
    policy->begin(cluster.nodes(), tasks, Random{1});
    std::int64_t placed = 0, asked = 0;
    // The list once, then its first tasks again until 130 % of the GPUs are asked for.
    for (std::size_t i = 0; static_cast<double>(asked) < 1300.0 * shape.total_gpus(); ++i) {
      const ResourceRequest request = request_of(tasks.jobs[i % tasks.jobs.size()]);
      asked += request.milli();
      if (const auto place = cluster.find(request)) {
        cluster.take(request, *place);
        placed += request.milli();
      }
    }
    state.counters["placed_percent"] = 100.0 * static_cast<double>(placed) / (1000.0 * shape.total_gpus());
  }
  state.SetLabel("goal: 1000 ms");
}
BENCHMARK_CAPTURE(queue_openb, fgd, "fgd")->Unit(benchmark::kMillisecond);

/// One decision: 1,000 jobs, three GPU types, throughputs at random.
void queue_gavel_decision(benchmark::State& state, bool makespan)
{
  RandomStream draw = Random{2}.stream("gavel");
  GavelProblem problem{.throughput = {}, .gpus = {}, .weight = {}, .capacity = {400, 300, 300}};
  for (int j = 0; j < 1000; ++j) {
    const double slow = 0.5 + draw.uniform();
    problem.throughput.push_back({slow * (2 + 3 * draw.uniform()), slow * (1 + draw.uniform()), slow});
    problem.gpus.push_back(1 << draw.below(4));
    problem.weight.push_back(makespan ? 1000 + 9000 * draw.uniform() : 1);
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(makespan ? gavel_makespan(problem) : gavel_max_min(problem));
  state.SetLabel("goal: 1000 ms");
}
BENCHMARK_CAPTURE(queue_gavel_decision, max_min_1000_jobs, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(queue_gavel_decision, makespan_1000_jobs, true)->Unit(benchmark::kMillisecond);

/// A month of 64 nodes of 8 GPUs, 5,000 jobs of 1 to 64 GPUs placed at random spots, so that many meet on a node's
/// port.
void queue_month_with_neighbours(benchmark::State& state, const std::string& placement)
{
  Workload workload = generated(5000, 512, 0.7);
  const double stretch = 30 * 86400 / workload.jobs.back().submit.value();
  StepProfile profile;
  for (int gpus = 1; gpus <= 8; ++gpus)
    profile.points[std::string(1, static_cast<char>('0' + gpus))] = {Seconds{1 + 0.02 * gpus}, Seconds{0.02 * gpus}};
  profile.points["11"] = {Seconds{1.5}, Seconds{0.5}};
  const int model = workload.models.index_of("net");
  const auto tables = std::make_shared<GoodputTables>(std::vector<int>{8});
  // Ten samples per GPU whatever their number, each worth the same.
  const GoodputSpec spec{.name = "net",
                         .steps = {},
                         .steps_on = {},
                         .initial_batch = 10,
                         .most_batch = 640,
                         .most_per_gpu = 0,
                         .noise_scale = {{0, 1e12}}};
  tables->add(model, 0, std::make_shared<const ModelGoodput>(spec, std::map<int, StepProfile>{{10, profile}}));
  workload.goodput = tables;
  for (TraceJob& job : workload.jobs) {
    job.model = model;
    job.submit = stretch * job.submit;
    job.duration = stretch * job.duration;
    job.estimate = stretch * job.estimate;
  }
  int shared = 0;
  for (auto _ : state) {
    GoodputSpeed speed;
    SchedulingOptions options;
    options.speed = &speed;
    options.record_runs = true;
    const auto places = Registry<PlacementPolicy>::instance().create(placement);
    const SchedulingResult result =
        simulate_queue(workload, ClusterShape::machines(64, 8),
                       *Registry<QueuePolicy>::instance().create("easy_backfill"), places.get(), options);
    shared = 0;
    for (const RunRecord& run : result.runs)
      shared += run.neighbour ? 1 : 0;
    state.counters["finished"] = result.finished;
  }
  state.counters["stays_beside_a_neighbour"] = shared;
  state.SetLabel("goal: 60000 ms");
}
BENCHMARK_CAPTURE(queue_month_with_neighbours, best_fit, "best_fit")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(queue_month_with_neighbours, first_fit, "first_fit")->Unit(benchmark::kMillisecond)->Iterations(1);

/// The same month, but every step simulated: ResNet-50, VGG-16 and BERT-like jobs by rings over 100 Gbit/s, 8 racks of
/// 8 nodes.
void queue_month_of_steps(benchmark::State& state, const std::string& placement, double oversubscription)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  Scenario scenario;
  NodeTypeSpec type;
  type.name = "machine";
  type.gpu = "V100-SXM2-32GB";
  type.gpus = 8;
  scenario.cluster.node_types["machine"] = type;
  scenario.cluster.nodes.push_back({"worker", "machine", 64, 8});
  scenario.cluster.network.topology = "leaf_spine";
  scenario.cluster.network.link = "100GbE";
  scenario.cluster.network.settings.set("oversubscription", oversubscription);
  scenario.transports = catalogue.transports;
  Workload workload = generated(5000, 512, 0.7);
  const double stretch = 30 * 86400 / workload.jobs.back().submit.value();
  scenario.run.fidelity = "fluid";
  for (const char* model : {"resnet50", "vgg16", "inception_v3"}) {
    JobSpec spec;
    spec.name = spec.model = model;
    spec.training.settings.set("collective", std::string{"ring"});
    spec.training.settings.set("transport", std::string{"nccl"});
    scenario.jobs.push_back(spec);
    workload.models.index_of(model);
  }
  Diagnostics diagnostics;
  const auto prepared = prepare(scenario, catalogue, diagnostics);
  diagnostics.throw_if_errors();
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    TraceJob& job = workload.jobs[i];
    job.model = 1 + static_cast<int>(i % 3);
    job.submit = stretch * job.submit;
    job.duration = stretch * job.duration;
    job.estimate = stretch * job.estimate;
  }
  for (auto _ : state) {
    StepSpeed speed{*prepared, catalogue};
    SchedulingOptions options;
    options.speed = &speed;
    options.record_runs = true;
    const auto places = Registry<PlacementPolicy>::instance().create(placement);
    const SchedulingResult result =
        simulate_queue(workload, ClusterShape::machines(64, 8, 0, 0, 8),
                       *Registry<QueuePolicy>::instance().create("easy_backfill"), places.get(), options);
    int shared = 0;
    for (const RunRecord& run : result.runs)
      shared += run.neighbour ? 1 : 0;
    state.counters["finished"] = result.finished;
    state.counters["mean_jct_s"] = result.mean_jct.value();
    state.counters["situations"] = static_cast<double>(speed.situations());
    state.counters["stays_beside_a_neighbour"] = shared;
  }
  state.SetLabel("goal: 60000 ms");
}
BENCHMARK_CAPTURE(queue_month_of_steps, best_fit, "best_fit", 1.0)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(queue_month_of_steps, best_fit_oversubscribed, "best_fit", 4.0)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(queue_month_of_steps, spread, "spread", 1.0)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace
} // namespace trainyard
