/// From a checked scenario to results: jobs arrive, get a place, and step at the speed that the executor finds for the jobs that run beside
/// each other; every distinct set of running jobs is simulated once.
#include "sim/simulation/simulate.hpp"

#include "sim/orchestration/task_placement.hpp"
#include "sim/scheduling/scheduling.hpp"
#include "sim/simulation/scenario_runner.hpp"

#include "models/cluster/layout.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/quantity_text.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/places.hpp"
#include "models/scenario/schema.hpp"
#include "models/scenario/validate.hpp"
#include "sim/collectives/collective.hpp"
#include "sim/engine/executor.hpp"
#include "sim/engine/physics.hpp"
#include "sim/report/breakdown.hpp"
#include "sim/report/link_loads.hpp"
#include "sim/report/traffic.hpp"
#include "sim/simulation/pack.hpp"
#include "sim/simulation/prepared.hpp"
#include "sim/simulation/side_by_side.hpp"
#include "sim/simulation/start_ups.hpp"
#include "sim/simulation/steady_state.hpp"
#include "sim/simulation/timeline.hpp"
#include "sim/task_environment/duplicate_policy.hpp"
#include "sim/task_environment/job_planner.hpp"
#include "sim/task_environment/need_trigger.hpp"
#include "sim/training/fusion.hpp"
#include "sim/training/training_mode.hpp"
#include "sim/training/update_rule.hpp"
#include "sim/training/variable_placement.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <thread>

namespace trainyard {
namespace {

constexpr std::size_t most_spans_per_job = 20'000;
constexpr int most_start_draws = 6;
constexpr int most_steps_without_randomness = 12; // free-running workers settle slowly; the interval says how far they are
constexpr std::size_t most_steps_listed = 2'000;  // of one job and worker in steps.csv

/// "vgg16" stays; the curve of a sweep point is its variant, or whatever is swept besides model and size.
std::string variant_of(const SweepPoint& point)
{
  std::string text;
  for (const auto& [path, value] : point.settings) {
    if (path == "variant")
      return value;
    const std::string key = path.substr(path.rfind('.') + 1);
    if (key != "workers" && key != "model" && key != "batch_per_gpu" && key != "count")
      text += (text.empty() ? "" : " ") + key + "=" + value;
  }
  return text;
}

std::string describe_training(const JobSpec& job)
{
  const Settings& settings = job.training.settings;
  std::string text = job.training.mode;
  if (settings.has("servers"))
    text += fmt::format(":{}", settings.integer("servers", 1));
  for (const char* name : {"update_rule", "collective"})
    if (const std::string value = settings.text(name, ""); !value.empty())
      text += " " + value;
  return text;
}

template <class Row>
void append(std::vector<Row>& to, std::vector<Row>& from)
{
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Runs one point.
class PointRun
{
public:
  /// @p draw: keep the bars of the timeline.
  PointRun(const CheckedPoint& point, const Catalogue& catalogue, bool draw)
      : point_{point}, catalogue_{catalogue}, draw_{draw}, prepared_{prepare(point.scenario, catalogue, diagnostics_)},
        executor_{Registry<Executor>::instance().create(point.scenario.run.fidelity)}
  {
    diagnostics_.throw_if_errors();
    slots_ = all_free(prepared_->cluster);
    placed_.resize(prepared_->jobs.size());
    rows_.resize(prepared_->jobs.size());
    best_share_.resize(prepared_->jobs.size());
  }

  void run(Results& results)
  {
    std::vector<TimelineJob> jobs;
    for (const PreparedJob& job : prepared_->jobs)
      jobs.push_back({job.spec.arrival, std::max(job.spec.steps, 1.0)});
    const StartUps start_ups{prepared_->scenario, prepared_->jobs};
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      jobs[j].hold = start_ups.hold(j);
      jobs[j].fails = start_ups.fails(j);
    }
    const std::vector<TimelineOutcome> outcomes = replay(
        jobs, [this](std::span<const std::size_t>, std::span<const std::size_t> waiting) { return start(waiting); },
        [this](std::span<const std::size_t> running) { return speeds(running); },
        [this](std::size_t job) { release(prepared_->cluster, placed_[job]->placement, slots_); });

    for (std::size_t j = 0; j < rows_.size(); ++j) {
      JobRow& row = rows_[j];
      if (outcomes[j].failed) { // it never stepped: events, and no row
        const JobSpec& spec = prepared_->jobs[j].spec;
        results.events.push_back({point_.label, jobs[j].arrival, "submitted", spec.name, fmt::format("{} workers", spec.workers)});
        results.events.push_back({point_.label, outcomes[j].start, "started", spec.name, {}});
        start_ups.tell(j, outcomes, point_.label, results.events);
        results.warnings.push_back(fmt::format("job '{}' never starts: {}", spec.name, start_ups.failure(j)));
        continue;
      }
      row.arrival = jobs[j].arrival;
      row.start = outcomes[j].start;
      row.finish = outcomes[j].finish;
      row.steps = jobs[j].steps;
      const auto event = [&](Seconds time, const char* what, const std::string& detail) {
        results.events.push_back({point_.label, time, what, row.job, detail});
      };
      event(row.arrival, "submitted", fmt::format("{} workers, {} servers", row.workers, row.servers));
      event(row.start, "started", {});
      start_ups.tell(j, outcomes, point_.label, results.events);
      event(row.finish, "finished", {});
      results.jobs.push_back(std::move(row));
    }
    std::ranges::stable_sort(results.events, {}, &EventRow::time);
    append(results.steps, steps_);
    append(results.links, links_);
    append(results.link_loads, link_loads_);
    append(results.traffic, traffic_);
    append(results.spans, spans_);
  }

private:
  /// In the order of arrival, as many as find a place (first come, first served).
  std::vector<std::size_t> start(std::span<const std::size_t> waiting)
  {
    std::vector<std::size_t> started;
    for (const std::size_t j : waiting) {
      Diagnostics no_place;
      Placement placement = place_packed(prepared_->cluster, prepared_->jobs[j].spec, slots_, no_place);
      if (no_place.has_errors())
        break;
      placed_[j] = place(*prepared_, prepared_->jobs[j], std::move(placement), catalogue_, diagnostics_);
      diagnostics_.throw_if_errors();
      started.push_back(j);
    }
    return started;
  }

  std::vector<double> speeds(std::span<const std::size_t> running)
  {
    std::vector<std::size_t> jobs{running.begin(), running.end()};
    std::string key;
    for (const std::size_t j : jobs) {
      key += std::to_string(j);
      for (const VertexId worker : placed_[j]->placement.workers)
        key += fmt::format(",{}", worker.index);
      key += ';';
    }
    if (const auto known = known_.find(key); known != known_.end())
      return known->second;

    std::vector<SteppedJob> stepped;
    for (const std::size_t j : jobs) {
      const JobSpec& spec = prepared_->jobs[j].spec;
      const bool random = spec.jitter.distribution != "none" && spec.jitter.coefficient_of_variation > 0;
      placed_[j]->context->alone = jobs.size() == 1;
      const TrainingContext& context = *placed_[j]->context;
      const std::string rule = spec.training.settings.text("update_rule", "sync");
      const bool wanders = !placed_[j]->placement.servers.empty() && placed_[j]->placement.workers.size() > 1 && rule != "sync" &&
                           !(rule == "bounded" && spec.training.settings.integer("staleness", 3) == 0);
      stepped.push_back({prepared_->jobs[j].mode.get(), &context, random, prepared_->jobs[j].mode->settling_steps(context), wanders});
    }
    SteadyStateOptions options;
    options.start_draws = most_start_draws;
    options.warm_up_steps = prepared_->scenario.run.warm_up_steps;
    if (std::ranges::none_of(stepped, &SteppedJob::random))
      options.most_steps = most_steps_without_randomness;
    const std::vector<StepEstimate> estimates = steady_state(prepared_->cluster, stepped, *executor_, options);
    check_physics(estimates);
    std::vector<double> rates;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      rates.push_back(1 / estimates[i].step_time.value());
    known_[key] = rates;
    record(jobs, estimates);
    return rates;
  }

  /// A result that cannot be is a fault of this program: nothing is written then.
  void check_physics(const std::vector<StepEstimate>& estimates) const
  {
    std::vector<const StepProgram*> programs;
    std::vector<const StepTrace*> traces;
    for (const StepEstimate& estimate : estimates) {
      programs.push_back(&estimate.program);
      traces.push_back(&estimate.trace);
    }
    const bool shared_links = prepared_->scenario.run.fidelity != "closed_form";
    const std::vector<std::string> broken = broken_physics(prepared_->cluster, programs, traces, shared_links);
    if (!broken.empty())
      throw std::logic_error{"the simulation broke a law of physics, which is a fault of trainyard: " + broken.front()};
  }

  /// Rows of the situation with the most jobs at once: that is what the table shows.
  void record(const std::vector<std::size_t>& jobs, const std::vector<StepEstimate>& estimates)
  {
    bool new_most = false;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (jobs.size() > best_share_[jobs[i]]) {
        best_share_[jobs[i]] = jobs.size();
        new_most = true;
        rows_[jobs[i]] = row(jobs[i], estimates[i]);
      }
    if (!new_most)
      return;
    std::vector<Placement> placements;
    std::vector<StepProgram> programs;
    std::vector<StepTrace> traces;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      placements.push_back(placed_[jobs[i]]->placement);
      programs.push_back(estimates[i].program);
      traces.push_back(estimates[i].trace);
      const std::string& name = prepared_->jobs[jobs[i]].spec.name;
      std::erase_if(steps_, [&](const StepRow& step) { return step.job == name; });
      std::erase_if(spans_, [&](const TraceSpan& span) { return span.job == name; });
      std::erase_if(traffic_, [&](const TrafficRow& row) { return row.job == name; });
      for (TrafficRow& row : traffic_rows(prepared_->cluster, placements.back(), programs.back())) {
        row.point = point_.label;
        row.job = name;
        traffic_.push_back(std::move(row));
      }
      std::map<int, std::size_t> listed;
      for (StepRow& step : step_rows(estimates[i].program, estimates[i].trace))
        if (++listed[step.worker] <= most_steps_listed) {
          step.point = point_.label;
          step.job = name;
          steps_.push_back(std::move(step));
        }
      if (!draw_)
        continue;
      for (TraceSpan& span : trace_spans(estimates[i].program, estimates[i].trace, most_spans_per_job)) {
        span.point = point_.label;
        span.job = name;
        spans_.push_back(std::move(span));
      }
    }
    if (jobs.size() < most_jobs_)
      return;
    most_jobs_ = jobs.size();
    links_ = link_rows(prepared_->cluster, placements, programs, traces);
    for (LinkRow& link : links_)
      link.point = point_.label;
    if (!draw_)
      return;
    link_loads_ = link_loads(prepared_->cluster, programs, traces);
    for (LinkLoadRow& load : link_loads_)
      load.point = point_.label;
  }

  JobRow row(std::size_t index, const StepEstimate& estimate)
  {
    const PreparedJob& job = prepared_->jobs[index];
    const PlacedJob& placed = *placed_[index];
    const Scenario& scenario = prepared_->scenario;
    const Node& node = prepared_->cluster.node(prepared_->cluster.vertex(placed.placement.workers.front()).node);
    const Breakdown parts =
        breakdown(prepared_->cluster, placed.placement, estimate.program, estimate.trace, scenario.run.warm_up_steps,
                  job.spec.training.settings.text("transport", job.spec.training.mode == "all_reduce" ? "nccl" : "gRPC"));

    JobRow row;
    row.point = point_.label;
    row.variant = point_.variant.empty() ? describe_training(job.spec) : point_.variant;
    row.job = job.spec.name;
    row.model = job.spec.model;
    const bool on_cpu = prepared_->cluster.vertex(placed.placement.workers.front()).kind == VertexKind::host;
    row.gpu = on_cpu ? "CPU" : node.gpu;
    row.network = scenario.cluster.network.link + " " + scenario.cluster.network.topology;
    row.training = job.spec.training.mode;
    row.workers = static_cast<int>(placed.placement.workers.size());
    row.servers = static_cast<int>(placed.placement.servers.size());
    row.batch_per_gpu = job.spec.batch_per_gpu;
    row.sample = job.dnn.sample.substr(0, job.dnn.sample.find(' '));
    if (row.sample.empty())
      row.sample = "sample";
    const double relative = estimate.step_time.value() > 0 ? estimate.half_width / estimate.step_time : 0;
    const double rate = estimate.samples_per_second;
    row.samples_per_second = {rate, rate * (1 - relative), rate * (1 + relative)};
    row.step_s = {parts.step.value(), parts.step.value() * (1 - relative), parts.step.value() * (1 + relative)};
    const double alone = job.spec.batch_per_gpu / placed.single_gpu_step.value();
    row.scaling_efficiency = rate / (alone * row.workers);
    row.compute = parts.compute;
    row.exposed_communication = parts.exposed_communication;
    row.input = parts.input;
    row.wait = parts.wait;
    row.bottleneck = parts.bottleneck;
    row.fidelity = scenario.run.fidelity;
    const bool measured = job.spec.single_gpu_step.has_value();
    const auto gpu = catalogue_.gpus.find(node.gpu);
    row.provenance = measured ? Provenance::measured : gpu == catalogue_.gpus.end() ? Provenance::assumed : gpu->second.provenance;
    row.provenance_note = provenance_note(job.spec, node, measured);
    row.staleness_mean = estimate.mean_staleness;
    row.staleness_max = estimate.largest_staleness;
    Bytes carried;
    for (const LinkUse& use : estimate.trace.links) {
      const LinkKind kind = prepared_->cluster.link(use.link).kind;
      if (kind == LinkKind::ethernet || kind == LinkKind::infiniband)
        if (prepared_->cluster.vertex(prepared_->cluster.link(use.link).from).node.index >= 0) // counted where it leaves a node
          carried += use.bytes;
    }
    row.bytes_per_step = carried / std::max(estimate.steps_simulated, 1);
    row.gpu_memory = placed.gpu_memory;
    row.price_per_million_samples = rate > 0 ? price_per_hour(placed.placement) / 3600 / rate * 1e6 : 0;
    row.simulated_steps = estimate.steps_simulated;
    row.critical_path = parts.critical_path;
    row.busiest = parts.busiest;
    return row;
  }

  /// "vgg16: compute from the data sheet of V100 (roofline), transport tcp measured (calibration 'box' of 2026-11-21)"
  std::string provenance_note(const JobSpec& job, const Node& node, bool measured) const
  {
    const std::optional<CalibrationUse>& use = prepared_->scenario.calibration;
    const std::string source =
        use ? fmt::format("{} (calibration '{}' of {})", use->provenance == Provenance::data_sheet ? "from a data sheet" : "measured",
                          use->name, use->created.substr(0, 10))
            : std::string{};
    const std::string compute = measured ? fmt::format("single-GPU step of {} given by the scenario", to_text(*job.single_gpu_step))
                                : job.training.settings.text("device", "gpu") == "cpu"
                                    ? fmt::format("compute from the rate of the CPUs of {} (roofline)", node.group)
                                : use && use->covers(AppliedConstant::Of::gpu, node.gpu)
                                    ? fmt::format("compute by kernel rates of {} {}", node.gpu, source)
                                    : fmt::format("compute from the data sheet of {} (roofline)", node.gpu);
    const std::string transport = job.training.settings.text("transport", job.training.mode == "all_reduce" ? "nccl" : "grpc");
    const std::string network = use && use->covers(AppliedConstant::Of::transport, transport)
                                    ? fmt::format("transport {} {}", transport, source)
                                    : std::string{"network from the catalogue"};
    return fmt::format("{}: {}, {}", job.model, compute, network);
  }

  double price_per_hour(const Placement& placement) const
  {
    const Scenario& scenario = prepared_->scenario;
    std::set<NodeId> nodes;
    for (const auto* tasks : {&placement.workers, &placement.servers})
      for (const VertexId task : *tasks)
        nodes.insert(prepared_->cluster.vertex(task).node);
    double price = 0;
    for (const NodeId id : nodes)
      for (const NodeGroupSpec& group : scenario.cluster.nodes)
        if (group.name == prepared_->cluster.node(id).group)
          if (const auto type = scenario.cluster.node_types.find(group.type); type != scenario.cluster.node_types.end())
            price += type->second.price_per_hour;
    return price;
  }

  const CheckedPoint& point_;
  const Catalogue& catalogue_;
  bool draw_ = false;
  Diagnostics diagnostics_;
  std::unique_ptr<PreparedScenario> prepared_;
  std::unique_ptr<Executor> executor_;
  FreeSlots slots_;
  std::vector<std::unique_ptr<PlacedJob>> placed_;
  std::vector<JobRow> rows_;
  std::vector<std::size_t> best_share_; // jobs at once in the situation that rows_ shows
  std::size_t most_jobs_ = 0;
  std::map<std::string, std::vector<double>> known_;
  std::vector<StepRow> steps_;
  std::vector<LinkRow> links_;
  std::vector<LinkLoadRow> link_loads_;
  std::vector<TrafficRow> traffic_;
  std::vector<TraceSpan> spans_;
};

/// The catalogue with the GPU constants of a scenario's calibration.
Catalogue calibrated(Catalogue catalogue, const Scenario& scenario)
{
  std::map<std::string, Transport> ignored;
  if (scenario.calibration)
    for (const AppliedConstant& constant : scenario.calibration->applied)
      set_constant(constant, constant.value.value, ignored, catalogue.gpus);
  return catalogue;
}

/// Below this relative width of a constant's bar nothing is simulated for it.
constexpr double narrowest_bar = 0.002;

/// Carries the bars of the calibration into the answers: each constant alone at both ends of its bar, the changes of every job's rate added
/// in squares, because the constants were measured independently of each other. First order: constants that act together are not varied
/// together.
void widen_by_calibration(const CheckedPoint& point, const Catalogue& catalogue, std::span<JobRow> rows)
{
  if (!point.scenario.calibration)
    return;
  std::vector<double> lower(rows.size(), 0), upper(rows.size(), 0); // squares of relative changes of the rate
  const auto vary = [&](const Bounded& bar, const std::function<void(CheckedPoint&, Catalogue&, double)>& set) {
    if (bar.high - bar.low < narrowest_bar * bar.value)
      return;
    std::vector<double> below(rows.size(), 0), above(rows.size(), 0);
    for (const double end : {bar.low, bar.high}) {
      if (!(end > 0))
        continue;
      CheckedPoint varied = point;
      Catalogue gpus = catalogue;
      set(varied, gpus, end);
      Results result;
      PointRun{varied, gpus, false}.run(result);
      for (std::size_t i = 0; i < rows.size() && i < result.jobs.size(); ++i) {
        const double change = result.jobs[i].samples_per_second.mean / rows[i].samples_per_second.mean - 1;
        below[i] = std::min(below[i], change);
        above[i] = std::max(above[i], change);
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      lower[i] += below[i] * below[i];
      upper[i] += above[i] * above[i];
    }
  };
  for (const AppliedConstant& constant : point.scenario.calibration->applied)
    vary(constant.value,
         [&](CheckedPoint& varied, Catalogue& gpus, double end) { set_constant(constant, end, varied.scenario.transports, gpus.gpus); });
  for (const OpenConstant& constant : open_constants(point.scenario))
    vary(constant.value, [&](CheckedPoint& varied, Catalogue&, double end) { set_constant(constant, end, varied.scenario); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    JobRow& row = rows[i];
    const auto widen = [](Estimate& estimate, double down, double up) {
      const double random_down = 1 - estimate.low / estimate.mean, random_up = estimate.high / estimate.mean - 1;
      estimate.low = estimate.mean * std::max(0.0, 1 - std::hypot(random_down, down));
      estimate.high = estimate.mean * (1 + std::hypot(random_up, up));
    };
    const double down = std::sqrt(lower[i]), up = std::sqrt(upper[i]);
    if (down + up > 0 && row.samples_per_second.mean > 0 && row.step_s.mean > 0) {
      widen(row.samples_per_second, down, up);
      widen(row.step_s, up / (1 + up), down < 1 ? down / (1 - down) : 1);
    }
  }
}

/// Each job for itself on the empty cluster: does it fit, and can its mode work there?
void check_jobs(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics, const Locate& locate)
{
  const std::unique_ptr<PreparedScenario> prepared = prepare(scenario, catalogue, diagnostics, locate);
  if (diagnostics.has_errors())
    return;
  if (Registry<Executor>::instance().find(scenario.run.fidelity) == nullptr)
    diagnostics.error({scenario.file, 0, 0}, fmt::format("unknown fidelity '{}'{}", scenario.run.fidelity,
                                                         did_you_mean(scenario.run.fidelity, Registry<Executor>::instance().names())));
  for (const PreparedJob& job : prepared->jobs) {
    FreeSlots slots = all_free(prepared->cluster);
    Diagnostics place_faults;
    Placement placement = place_packed(prepared->cluster, job.spec, slots, place_faults);
    for (Diagnostic fault : place_faults.sorted()) {
      fault.where.file = scenario.file;
      diagnostics.add(std::move(fault));
    }
    if (!place_faults.has_errors())
      place(*prepared, job, std::move(placement), catalogue, diagnostics);
  }
}

} // namespace

Parts registered_parts()
{
  return {{"training", parts_of(Registry<TrainingMode>::instance())},
          {"executor", parts_of(Registry<Executor>::instance())},
          {"node_layout", parts_of(Registry<NodeLayout>::instance())},
          {"network_layout", parts_of(Registry<NetworkLayout>::instance())},
          {"model", parts_of(Registry<DnnSource>::instance())},
          {"update_rule", parts_of(Registry<UpdateRule>::instance())},
          {"variable_placement", parts_of(Registry<VariablePlacement>::instance())},
          {"collective", parts_of(Registry<Collective>::instance())},
          {"fusion", parts_of(Registry<Fusion>::instance())},
          {"queue_policy", parts_of(Registry<QueuePolicy>::instance())},
          {"placement_policy", parts_of(Registry<PlacementPolicy>::instance())},
          {"task_placement", parts_of(Registry<TaskPlacement>::instance())},
          {"duplicate_policy", parts_of(Registry<DuplicatePolicy>::instance())},
          {"job_planner", parts_of(Registry<JobPlanner>::instance())},
          {"need_trigger", parts_of(Registry<NeedTrigger>::instance())}};
}

CheckedPoint check_point(const SweepPoint& point, const Catalogue& catalogue, const Parts& parts, Diagnostics& diagnostics,
                         std::vector<Diagnostic>* idle)
{
  CheckedPoint next{point.label(), variant_of(point), {}};
  Diagnostics faults;
  next.scenario = read_scenario(point.document, parts, catalogue, faults);
  if (!faults.has_errors()) {
    if (const ScenarioRunner* runner = runner_of(next.scenario); runner != nullptr)
      runner->check(next.scenario, catalogue, faults);
    else
      check_jobs(next.scenario, calibrated(catalogue, next.scenario), faults,
                 [&](const std::string& path) { return location_of(point.document, path); });
  }
  for (Diagnostic fault : faults.sorted())
    diagnostics.add(located(std::move(fault), point.document, next.scenario, next.label));
  if (idle != nullptr)
    *idle = without_effect(point.document, next.scenario);
  return next;
}

std::vector<CheckedPoint> check_points(const Document& document, Diagnostics& diagnostics)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const Parts parts = registered_parts();
  const nlohmann::ordered_json schema = scenario_schema_json(parts, catalogue);
  std::vector<CheckedPoint> checked;
  std::vector<Diagnostic> idle_at_every_point;
  for (const SweepPoint& point : expand_sweep(document, diagnostics)) {
    if (diagnostics.has_errors())
      break;
    std::vector<Diagnostic> idle;
    CheckedPoint next = check_point(point, catalogue, parts, diagnostics, &idle);
    validate_rest(point.document, schema, diagnostics);
    if (checked.empty())
      idle_at_every_point = idle;
    std::erase_if(idle_at_every_point, [&](const Diagnostic& warning) { return std::ranges::find(idle, warning) == idle.end(); });
    checked.push_back(std::move(next));
  }
  for (Diagnostic& warning : idle_at_every_point)
    diagnostics.add(std::move(warning));
  return checked;
}

namespace {

/// The jobs of a point that has ended, as points of the curves that the table is about.
void tell(const Results& part, bool several_jobs, bool several_models, const std::function<void(const LiveResult&)>& listener)
{
  for (const JobRow& row : part.jobs) {
    std::string series = several_models ? row.model : "";
    if (!row.variant.empty())
      series += (series.empty() ? "" : ", ") + row.variant;
    if (several_jobs)
      series += (series.empty() ? "" : ", ") + row.job;
    listener({row.point, row.job, series, "workers", static_cast<double>(row.workers), "samples_per_second", row.samples_per_second.mean});
  }
}

} // namespace

Results simulate(const std::vector<CheckedPoint>& points, const SimulateOptions& options)
{
  return simulate(points, load_catalogue(data_folder()), options);
}

Results simulate(const std::vector<CheckedPoint>& points, const Catalogue& catalogue, const SimulateOptions& options)
{
  Results results;
  const auto simulate_point = [&](std::size_t i) {
    Results part;
    const Catalogue measured = calibrated(catalogue, points[i].scenario);
    PointRun run{points[i], measured, i + 1 == points.size()}; // the timeline shows the last point
    run.run(part);
    widen_by_calibration(points[i], measured, part.jobs);
    return part;
  };
  const auto report = [&](std::size_t done) {
    if (options.progress)
      options.progress(done, points.size(), points[done].label);
  };
  // SimGrid runs in forked children, and a process with threads had better not fork: such points go one after the other.
  const bool forks = std::ranges::any_of(
      points, [](const CheckedPoint& point) { return Registry<Executor>::instance().create(point.scenario.run.fidelity)->forks(); });
  const std::size_t threads = forks ? 1 : std::max(1U, std::thread::hardware_concurrency());
  std::set<std::string> models;
  std::size_t jobs = 0;
  for (const CheckedPoint& point : points) {
    jobs = std::max(jobs, point.scenario.jobs.size());
    for (const JobSpec& job : point.scenario.jobs)
      models.insert(job.model);
  }
  const auto ended = [&](std::size_t, const Results& part) {
    if (options.result)
      tell(part, jobs > 1, models.size() > 1, options.result);
  };
  for (Results& part : side_by_side(points.size(), threads, simulate_point, report, ended)) {
    append(results.jobs, part.jobs);
    append(results.warnings, part.warnings);
    append(results.steps, part.steps);
    append(results.links, part.links);
    append(results.link_loads, part.link_loads);
    append(results.traffic, part.traffic);
    append(results.events, part.events);
    append(results.spans, part.spans);
  }
  if (options.progress)
    options.progress(points.size(), points.size(), "");
  if (!points.empty()) {
    const RunSpec& run = points.front().scenario.run;
    results.run.seed = run.seed;
    results.run.fidelity = run.fidelity;
    results.run.confidence = run.confidence;
    if (points.front().scenario.calibration)
      results.run.calibration = points.front().scenario.calibration->name;
    results.description = points.front().scenario.description;
  }
  return results;
}

} // namespace trainyard
