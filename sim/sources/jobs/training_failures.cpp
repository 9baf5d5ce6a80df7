// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/training_failures.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sections/checkpoints.hpp"
#include "models/scenario/sections/faults.hpp"
#include "sim/cluster/job_outages.hpp"
#include "sim/cluster/machine_view.hpp"
#include "sim/cluster/whole_checkpoint.hpp"
#include "sim/results/results.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace trainyard {
namespace {

constexpr Sentence<std::string, Message> never_ends{"jobs.never_ends", "job '{job}' never ends: {why}"};
constexpr Sentence<std::string, Figure> no_failure_hits{
    "jobs.no_failure_hits", "no failure hits job '{job}', which ends after {time}; give more 'steps', or failures of "
                            "its machines before that"};

constexpr Sentence<Message, Message, Message> with_failures{
    "failures.with_failures", "with failures: {outcome}; {failures} of the job, {spares}"};
constexpr Sentence<Message, Message, Message> with_checkpoints{
    "failures.with_checkpoints", "with checkpoints: {outcome}; {failures} of the job, {spares}"};
constexpr Sentence<Figure, Figure, Figure> done{"failures.done",
                                                "done after {time} instead of {work}, goodput {goodput}"};
constexpr Sentence<Figure, Figure, Figure, Figure> done_at_goodput{
    "failures.done_at_goodput", "done after {time}, at the goodput of the first {first} (checkpoints.time), instead of "
                                "{work}, goodput {goodput}"};
constexpr Sentence<Message> never_ending{"failures.never", "never ends: {why}"};
constexpr Sentence<std::int64_t> some_failures{"failures.some", "{failures|failure|failures}"};
constexpr Sentence<std::int64_t> some_spares{"failures.spares", "{spares|spare machine|spare machines}"};
constexpr Sentence<> no_failure{"failures.none", "no failure"};
constexpr Sentence<> no_spare{"failures.no_spare", "no spare machine"};
constexpr Sentence<std::string> not_repaired{"failures.not_repaired",
                                             "{what} is not repaired and there is no spare machine"};
constexpr Sentence<std::string> not_replaced{"failures.not_replaced",
                                             "{what} is not repaired and no spare machine can take its place"};
constexpr Sentence<Figure> nothing_kept{"failures.nothing_kept",
                                        "in the first {time} (checkpoints.time) no training is kept"};
constexpr Sentence<Figure, Figure, Figure, Figure, Messages> lost_time{
    "failures.lost", "lost: checkpoints {saving}, redone work {redone}, restarts {restarts}, waiting for machines "
                     "{waiting}{fewer}"};
constexpr Sentence<Figure> fewer_workers{"failures.fewer_workers", ", fewer workers {share}"};
constexpr Sentence<std::string, Figure, Message, Messages> checkpoint_takes{
    "failures.checkpoint", "checkpoint: {size} in {time}, {every}{chance}"};
constexpr Sentence<> none_written{"failures.none_written", "none is written"};
constexpr Sentence<Figure> every{"failures.every", "every {interval}"};
constexpr Sentence<Figure, Figure> every_instead{
    "failures.every_instead", "every {interval} instead of {wanted}, as each begins when the last one is written"};
constexpr Sentence<Figure, Figure, Message, Messages> by_chance{
    "failures.by_chance", "; a failure stops the job every {mtbf} in the mean: best every {best} ({why}){expected}"};
constexpr Sentence<> by_daly{"failures.by_daly", "Daly's formula"};
constexpr Sentence<Figure> time_to_write{"failures.time_to_write", "the time to write one; {daly} by Daly's formula"};
constexpr Sentence<Figure> expected{"failures.expected", ", expected {time} without waiting for machines"};
constexpr Sentence<Figure> stops_redone{"failures.stops_redone", "stops the job, {time} are redone"};
constexpr Sentence<> stops{"failures.stops", "stops the job, nothing is redone"};
constexpr Sentence<Figure> others_go_on{"failures.others_go_on", "the others go on at {share} of the speed"};
constexpr Sentence<> others_wait{"failures.others_wait", "the others wait for it"};
constexpr Sentence<Message, Figure> all_again{"failures.all_again", "{effect}; all train again after {time}"};
constexpr Sentence<std::string, Figure, Message> hit{"failures.hit", "{what} after {time}: {effect}"};
constexpr Sentence<std::int64_t> more_hits{"failures.more_hits", "{more} more in events.csv"};

Figure figure(Seconds time)
{
  return {time.value(), time_text(time)};
}

constexpr double infinite = std::numeric_limits<double>::infinity();

const FaultsSection& faults_of(const Scenario& scenario)
{
  static const FaultsSection none;
  const auto* section = scenario.section<FaultsSection>("faults");
  return section != nullptr ? *section : none;
}

const CheckpointsSection& checkpoints_of(const Scenario& scenario)
{
  static const CheckpointsSection none;
  const auto* section = scenario.section<CheckpointsSection>("checkpoints");
  return section != nullptr ? *section : none;
}

bool has_failures(const Scenario& scenario)
{
  const FaultsSection& faults = faults_of(scenario);
  return !faults.list.empty() || !faults.random.empty();
}

bool has_servers(const JobSpec& job)
{
  return job.training.mode == "parameter_server";
}

int servers_of(const JobSpec& job)
{
  return has_servers(job) ? job.training.settings.integer("servers", 0) : 0;
}

/// "train/worker-3", "train/ps-0"; the job's name: all of its processes.
std::vector<std::string> process_names(const JobSpec& job, int workers, int servers)
{
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(workers) + static_cast<std::size_t>(servers));
  for (int worker = 0; worker < workers; ++worker)
    names.push_back(fmt::format("{}/worker-{}", job.name, worker));
  for (int server = 0; server < servers; ++server)
    names.push_back(fmt::format("{}/ps-{}", job.name, server));
  return names;
}

/// How fast a job trains without some of its workers.
class WithoutWorkers
{
public:
  explicit WithoutWorkers(const FailingTraining& training) : training_{training}
  {
    all_ = estimate(training.placed.placement, training.job.spec);
  }

  /// As a share of all of them; 0: those that are left wait.
  double rate(const std::vector<int>& lost)
  {
    const std::string rule = training_.job.spec.training.settings.text("update_rule", "sync");
    const int backups = training_.job.spec.training.settings.integer("backup_workers", 0);
    const auto missing = static_cast<int>(lost.size());
    if (rule == "bounded" || (rule == "sync" && backups == 0) || (rule != "async" && missing > backups) ||
        missing >= training_.job.spec.workers)
      return 0;
    // Equal workers: only how many are lost matters.
    const bool equal = training_.placed.context->gpu != nullptr && training_.job.spec.stragglers.empty();
    const std::vector<int> key = equal ? std::vector<int>{missing} : lost;
    if (const auto known = known_.find(key); known != known_.end())
      return known->second;
    Placement placement = training_.placed.placement;
    JobSpec spec = training_.job.spec;
    for (auto worker = lost.rbegin(); worker != lost.rend(); ++worker)
      placement.workers.erase(placement.workers.begin() + *worker);
    spec.workers = static_cast<int>(placement.workers.size());
    std::erase_if(spec.stragglers, [&](const StragglerSpec& one) { return std::ranges::count(lost, one.worker) > 0; });
    for (StragglerSpec& slow : spec.stragglers) // those that are left are counted from 0
      slow.worker -= static_cast<int>(std::ranges::count_if(lost, [&](int gone) { return gone < slow.worker; }));
    if (rule != "async")
      spec.training.settings.set("backup_workers", static_cast<double>(backups - missing));
    const StepEstimate left = estimate(placement, spec);
    // A synchronous update needs as many gradients as before; else each sample of the workers that are left counts.
    const double share =
        rule == "async" ? left.samples_per_second / all_.samples_per_second : all_.step_time / left.step_time;
    return known_[key] = share;
  }

private:
  StepEstimate estimate(const Placement& placement, const JobSpec& spec) const
  {
    PreparedJob job{spec, training_.job.dnn, training_mode_of(spec), training_.job.random};
    Diagnostics diagnostics;
    const auto placed = place(training_.prepared, job, placement, training_.catalogue, diagnostics, true);
    diagnostics.throw_if_errors();
    const SteppedJob stepped = stepped_job(*job.mode, *placed->context);
    const auto executor = Registry<Executor>::instance().create(training_.fidelity);
    const SteadyStateOptions options = options_of_a_run({&stepped, 1}, training_.prepared.scenario.run.warm_up_steps);
    return std::move(steady_state(training_.prepared.cluster, {&stepped, 1}, *executor, options).front());
  }

  const FailingTraining& training_;
  StepEstimate all_;
  std::map<std::vector<int>, double> known_;
};

/// A job's machines, its processes, and what it does after failures.
struct Failing {
  FailurePlan plan;
  std::vector<int> number; // by machine of the cluster: its number among those that the job can use; -1: none
  std::vector<std::string> processes;
  CheckpointTimes checkpoint;
  bool fails = false; // the scenario has failures
};

/// Machines of the job in the order of the cluster, then spare ones: those of its groups, where it names no machines. A
/// job that stops as a whole has none if it uses several groups.
void take_machines(const FailingTraining& training, const FaultDomains& domains, Failing& failing)
{
  if (const ClusterSpec& built = training.prepared.scenario.cluster; !built.sample.empty()) { // of one group
    failing.number.resize(domains.nodes.size());
    std::iota(failing.number.begin(), failing.number.end(), 0);
    failing.plan.all.machines = built.sampled;
    failing.plan.installed = static_cast<int>(domains.nodes.size());
    return;
  }
  const Cluster& cluster = training.prepared.cluster;
  const Placement& placement = training.placed.placement;
  const auto node_of = [&](VertexId task) { return cluster.vertex(task).node.index; };
  std::set<int> used;
  for (const auto* tasks : {&placement.workers, &placement.servers})
    for (const VertexId task : *tasks)
      used.insert(node_of(task));
  if (training.job.spec.training.mode == "in_graph")
    used.insert(node_of(placement.client));
  failing.number.assign(cluster.nodes().size(), -1);
  std::map<std::string, int> groups;
  const auto take = [&](std::size_t node) {
    failing.number[node] = failing.plan.installed++;
    failing.plan.group.push_back(
        groups.try_emplace(cluster.nodes()[node].group, static_cast<int>(groups.size())).first->second);
  };
  failing.plan.installed = 0;
  for (const int node : used)
    take(static_cast<std::size_t>(node));
  failing.plan.all.machines = failing.plan.installed;
  if ((groups.size() == 1 || has_servers(training.job.spec)) && training.job.spec.nodes.empty())
    for (std::size_t node = 0; node < cluster.nodes().size(); ++node)
      if (failing.number[node] < 0 && groups.contains(cluster.nodes()[node].group))
        take(node);
  if (!has_servers(training.job.spec))
    return;
  JobProcesses processes;
  processes.of_machine.resize(used.size());
  const auto workers = static_cast<int>(placement.workers.size());
  const auto add = [&](VertexId task, bool essential) {
    const int machine = failing.number[static_cast<std::size_t>(node_of(task))];
    processes.of_machine[static_cast<std::size_t>(machine)].push_back(static_cast<int>(processes.essential.size()));
    processes.essential.push_back(essential);
  };
  for (int worker = 0; worker < workers; ++worker)
    add(placement.workers[static_cast<std::size_t>(worker)], worker == 0);
  for (const VertexId server : placement.servers)
    add(server, true);
  processes.rejoin = checkpoints_of(training.prepared.scenario).restart;
  failing.plan.processes = std::move(processes);
}

/// Whether the job stops without this machine, one of those that it can use.
bool stops_job(const FailurePlan& plan, int machine)
{
  if (machine >= plan.all.machines)
    return false;
  return !plan.processes ||
         std::ranges::any_of(plan.processes->of_machine[static_cast<std::size_t>(machine)],
                             [&](int process) { return plan.processes->essential[static_cast<std::size_t>(process)]; });
}

/// Mean time between failures that stop the job, by as many of them as make it known to some percent; 0: nothing is
/// drawn.
Seconds mean_time_between_stops(const Scenario& scenario, const FaultDomains& domains, const Failing& failing)
{
  FaultsSection drawn = faults_of(scenario);
  drawn.list.clear();
  if (drawn.random.empty())
    return {};
  constexpr std::size_t wanted = 1000;
  constexpr Seconds longest{100.0 * 365 * 86400};
  const FailurePlan& plan = failing.plan;
  for (Seconds time = plan.time;; time = std::min(longest, time * 4)) {
    std::size_t hits = 0;
    Seconds last{-1};
    for (const MachineOutage& outage : outages_of(drawn, domains, failing.number, scenario.run.seed, time).list)
      if (outage.at != last && stops_job(plan, outage.machine)) { // a rack fails once
        ++hits;
        last = outage.at;
      }
    if (hits >= wanted || time >= longest)
      return hits > 0 ? time / static_cast<double>(hits) : Seconds{};
  }
}

/// @p processes: names of those that can be listed.
FaultDomains domains_of(const Scenario& scenario, const Catalogue& catalogue, std::vector<std::string> processes,
                        const std::string& job)
{
  FaultDomains domains = machine_view(scenario, catalogue).domains;
  domains.tasks = std::move(processes);
  domains.tasks.push_back(job);
  return domains;
}

/// The processes that a failure takes.
std::vector<int> processes_of(const Failing& failing, const MachineOutage& outage)
{
  if (outage.process >= 0)
    return {outage.process};
  return outage.machine < failing.plan.all.machines
             ? failing.plan.processes->of_machine[static_cast<std::size_t>(outage.machine)]
             : std::vector<int>{};
}

/// Those that are missing once a failure has happened: of this one, and of others that are not over.
std::vector<int> missing_after(const Failing& failing, const std::vector<FailureEffect>& effects,
                               const JobOutages& outages, const FailureEffect& effect)
{
  const Seconds at = outages.list[effect.outage].at;
  std::set<int> missing;
  for (const FailureEffect& other : effects)
    if (!other.stopped && outages.list[other.outage].at <= at && other.until > at)
      for (const int process : processes_of(failing, outages.list[other.outage]))
        missing.insert(process);
  return {missing.begin(), missing.end()};
}

/// "stops the job, 12 min are redone; all train again after 4 h".
Message describe(const Failing& failing, const std::vector<FailureEffect>& effects, const JobOutages& outages,
                 const FailureEffect& effect)
{
  Message told = effect.undone > Seconds{} ? stops_redone(figure(effect.undone)) : stops();
  if (!effect.stopped) {
    const std::vector<int> lost = missing_after(failing, effects, outages, effect);
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): else it stops
    const double rate = lost.empty() ? 1 : failing.plan.processes->rate(lost);
    told = rate > 0 ? others_go_on({rate, percent_text(rate)}) : others_wait();
  }
  return effect.until.value() < infinite ? all_again(told, figure(effect.until - outages.list[effect.outage].at))
                                         : told;
}

/// A time that somebody gave as they gave it: "8 h"; others in three digits: "72.2 min".
Figure interval(Seconds time)
{
  const std::string exact = to_text(time.value(), QuantityKind::duration), rounded = time_text(time);
  const bool same = std::abs(parse_quantity(exact, QuantityKind::duration).value - time.value()) <= 1e-9 * time.value();
  return {time.value(), same && exact.size() <= rounded.size() ? exact : rounded};
}

/// "box-1 is not repaired and there is no spare machine": of a job that does not end.
Message why_never(const FailurePlan& plan, const JobOutages& outages, const Goodput& g)
{
  if (!g.blocked_by)
    return nothing_kept(interval(g.time()));
  return (plan.installed > plan.all.machines ? not_replaced : not_repaired)(outages.names[*g.blocked_by]);
}

/// "checkpoint: 4.022 GB in 40.2 s, every 72.2 min; a failure stops the job …"
Message checkpoint_told(const Failing& failing, const FailureCosts& costs, Seconds mtbf)
{
  const FailurePlan& plan = failing.plan;
  const CheckpointTimes& checkpoint = failing.checkpoint;
  constexpr Seconds none{1e-6};
  const bool written = plan.interval.value() < infinite;
  const Message how_often = !written ? none_written()
                            : costs.interval > plan.interval
                                ? every_instead(interval(costs.interval), interval(plan.interval))
                                : every(interval(costs.interval));
  Messages chance;
  if (mtbf > Seconds{}) {
    const Seconds daly = daly_interval(plan.all.save, mtbf);
    chance = {by_chance(
        figure(mtbf), figure(costs.best_interval), costs.best_interval > daly ? time_to_write(figure(daly)) : by_daly(),
        written
            ? Messages{expected(figure(daly_time(plan.work, costs.interval, plan.all.save, plan.all.restart, mtbf)))}
            : Messages{})};
  }
  return checkpoint_takes(to_text(checkpoint.size),
                          checkpoint.save >= none ? figure(checkpoint.save) : Figure{0, "no time"}, how_often, chance);
}

/// What failures and checkpoints cost, line by line.
Message costs_told(const std::string& job, const Failing& failing, const FailureCosts& costs, const Goodput& g,
                   const JobOutages& outages, Seconds mtbf, Seconds finish, Seconds begin)
{
  const auto share = [&](Seconds part) { return Figure{part / g.time(), percent_text(part / g.time())}; };
  const FailurePlan& plan = failing.plan;
  const int spare = plan.installed - plan.all.machines;
  const Figure goodput{costs.useful, fmt::format("{:.1f} %", 100 * costs.useful)};
  const Message outcome = !(finish.value() < infinite) ? never_ending(why_never(plan, outages, g))
                          : g.finished
                              ? done(figure(g.time()), figure(plan.work), goodput)
                              : done_at_goodput(figure(finish - begin), interval(g.time()), figure(plan.work), goodput);
  Messages lines;
  const auto line = [&](Message told) {
    lines.push_back(plain(MessageKind::part, "  "));
    lines.push_back(std::move(told));
    lines.push_back(plain(MessageKind::part, "\n"));
  };
  if (!g.blocked_by)
    line(lost_time(share(g.saving), share(g.lost), share(g.restarting), share(g.waiting),
                   g.fewer > Seconds{} ? Messages{fewer_workers(share(g.fewer))} : Messages{}));
  line(checkpoint_told(failing, costs, mtbf));
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < g.effects.size() && i < most; ++i)
    line(hit(outages.names[g.effects[i].outage], figure(outages.list[g.effects[i].outage].at),
             describe(failing, g.effects, outages, g.effects[i])));
  if (g.effects.size() > most)
    line(more_hits(static_cast<std::int64_t>(g.effects.size() - most)));
  return as(MessageKind::cost,
            failure_costs(told_of_job(job, (failing.fails ? with_failures : with_checkpoints)(
                                               outcome, g.failures > 0 ? some_failures(g.failures) : no_failure(),
                                               spare > 0 ? some_spares(spare) : no_spare())),
                          lines));
}

} // namespace

void check_training_failures(const Scenario& scenario, const Catalogue& catalogue, const PreparedScenario& prepared,
                             Diagnostics& diagnostics)
{
  const auto* faults = scenario.section<FaultsSection>("faults");
  const auto* section = scenario.section<CheckpointsSection>("checkpoints");
  if (faults == nullptr && section == nullptr)
    return;
  const Location where{.path = faults != nullptr ? "faults" : "checkpoints"};
  if (prepared.jobs.size() != 1) {
    diagnostics.error(where, "failures and checkpoints are simulated of one job here; several jobs share machines in a "
                             "queue: give them as 'workload'");
    return;
  }
  const JobSpec& job = prepared.jobs.front().spec;
  if (job.training.parallel != nullptr)
    diagnostics.error(where, fmt::format("failures of job '{}', which has training.parallel, are simulated where it "
                                         "arrives at 0 s; remove 'arrival'",
                                         job.name));
  if (section != nullptr && section->elastic_given)
    diagnostics.error({.path = "checkpoints.elastic"},
                      "jobs that go on with fewer replicas need training.parallel; remove 'elastic' and 'min_dp'");
  if (section != nullptr && !has_failures(scenario) && !section->interval)
    diagnostics.error({.path = "checkpoints"},
                      "without failures no interval is best: give 'interval', or failures (faults, --mtbf)");
  if (section != nullptr && has_failures(scenario) && !section->interval && section->save &&
      !(*section->save > Seconds{}))
    diagnostics.error({.path = "checkpoints.save"},
                      "of checkpoints that take no time no interval is best: give 'interval', or a longer 'save'");
  if (faults != nullptr)
    check_outages(*faults,
                  domains_of(scenario, catalogue,
                             process_names(job, scenario.jobs.size() == 1 ? scenario.jobs.front().workers : job.workers,
                                           servers_of(job)),
                             job.name),
                  scenario.file, "training jobs", diagnostics);
}

namespace {

/// The job's machines and processes, and what its checkpoints cost.
Failing failing_job(const FailingTraining& training, const FaultDomains& domains, std::vector<std::string> processes,
                    Seconds work)
{
  const CheckpointsSection& saves = checkpoints_of(training.scenario);
  Failing failing{.plan = {},
                  .number = {},
                  .processes = std::move(processes),
                  .checkpoint = {},
                  .fails = has_failures(training.scenario)};
  take_machines(training, domains, failing);
  FailurePlan& plan = failing.plan;
  plan.time = saves.time;
  plan.work = work;
  const VertexId writer = training.placed.placement.workers.front();
  failing.checkpoint = whole_checkpoint(training.job, training.prepared.cluster,
                                        training.prepared.cluster.vertex(writer).node, saves.rates());
  CheckpointTimes& times = failing.checkpoint;
  times.save = saves.save.value_or(times.save);
  times.load = saves.save.value_or(times.load);
  plan.all.save = saves.in_background ? std::min(times.save, times.size / saves.copy) : times.save;
  plan.all.usable = times.save;
  plan.all.load = times.load;
  plan.all.restart = saves.restart + times.load;
  return failing;
}

/// On the job's own clock, which begins at @p begin: a machine that is down then fails at 0.
JobOutages since(Seconds begin, JobOutages all)
{
  JobOutages later;
  for (std::size_t i = 0; i < all.list.size(); ++i) {
    MachineOutage outage = all.list[i];
    outage.at -= begin;
    outage.until -= begin;
    if (outage.at < Seconds{} && !(outage.until > Seconds{}))
      continue;
    outage.at = std::max(outage.at, Seconds{});
    later.list.push_back(outage);
    later.names.push_back(std::move(all.names[i]));
  }
  return later;
}

/// Sets the plan's interval. Throws InputError where none is best.
FailureCosts choose_interval(Failing& failing, const CheckpointsSection& saves, Seconds mtbf, const std::string& job)
{
  FailurePlan& plan = failing.plan;
  FailureCosts costs;
  if (mtbf > Seconds{})
    costs.best_interval = std::max(daly_interval(plan.all.save, mtbf), plan.all.usable);
  if (saves.interval)
    plan.interval = *saves.interval;
  else if (costs.best_interval > Seconds{})
    plan.interval = costs.best_interval;
  else if (mtbf > Seconds{})
    throw InputError{fmt::format("checkpoints of job '{}' take no time, and so no interval between them is best: give "
                                 "checkpoints.interval, or the time that one takes (checkpoints.save or storage)",
                                 job)};
  costs.checkpoint = plan.all.save;
  costs.interval = std::max(plan.interval, plan.all.usable - plan.all.save); // the last one must be written
  return costs;
}

} // namespace

void add_failures(const FailingTraining& training, Seconds begin, JobRow& row, Results& results)
{
  const Scenario& scenario = training.scenario;
  if (!has_failures(scenario) && !scenario.sections.contains("checkpoints"))
    return;
  std::vector<std::string> processes = process_names(training.job.spec, training.placed.context->whole(),
                                                     static_cast<int>(training.placed.placement.servers.size()));
  const FaultDomains domains = domains_of(scenario, training.catalogue, processes, row.job);
  Failing failing = failing_job(training, domains, std::move(processes), row.finish - begin);
  FailurePlan& plan = failing.plan;
  std::optional<WithoutWorkers> without;
  if (plan.processes)
    plan.processes->rate = [&](const std::vector<int>& lost) {
      if (!without)
        without.emplace(training);
      return without->rate(lost);
    };
  const Seconds mtbf = mean_time_between_stops(scenario, domains, failing);
  FailureCosts costs = choose_interval(failing, checkpoints_of(scenario), mtbf, row.job);
  const JobOutages outages = since(begin, outages_of(faults_of(scenario), domains, failing.number, scenario.run.seed,
                                                     begin + plan.time, [&](const std::string& task) {
                                                       const auto found = std::ranges::find(failing.processes, task);
                                                       return found == failing.processes.end()
                                                                  ? -1
                                                                  : static_cast<int>(found - failing.processes.begin());
                                                     }));
  const Goodput g = goodput_of(plan, outages.list);
  const bool never = g.blocked_by.has_value();
  costs.useful = never ? 0 : g.share();
  costs.failures = g.failures;
  costs.saving = g.saving;
  costs.redone = g.lost;
  costs.restarting = g.restarting;
  costs.waiting = never ? Seconds{infinite} : g.waiting;
  costs.slower = g.fewer;
  row.finish = never                 ? Seconds{infinite}
               : g.finished          ? begin + g.time()
               : !(costs.useful > 0) ? Seconds{infinite} // nothing is kept
                                     : begin + plan.work / costs.useful;
  row.failures = costs;
  if (row.price_per_million_samples) // the machines are paid for as long as the job has them
    row.price_per_million_samples =
        costs.useful > 0 ? std::optional{Dollars{row.price_per_million_samples->value() / costs.useful}} : std::nullopt;
  for (const FailureEffect& effect : g.effects) {
    const MachineOutage& outage = outages.list[effect.outage];
    results.events.push_back(
        {training.point, begin + outage.at, "failed", row.job,
         outages.names[effect.outage] + ": " + describe(failing, g.effects, outages, effect).text});
  }
  results.messages.push_back(costs_told(named(row), failing, costs, g, outages, mtbf, row.finish, begin));
  if (!(row.finish.value() < infinite))
    results.messages.push_back(as(MessageKind::error, never_ends(row.job, why_never(plan, outages, g))));
  if (!faults_of(scenario).list.empty() && g.failures == 0)
    results.messages.push_back(as(MessageKind::warning, no_failure_hits(row.job, figure(row.finish))));
}

Messages assumed_of_failures(const Scenario& scenario)
{
  static constexpr Sentence<std::string> loses_all{"failures.loses_all", "no checkpoints, a failure loses all ({key})"};
  Messages list;
  if (!has_failures(scenario) && !scenario.sections.contains("checkpoints"))
    return list;
  const CheckpointsSection& saves = checkpoints_of(scenario);
  if (!saves.save && saves.storage <= BytesPerSecond{})
    list.push_back(assumed_storage(saves.rates()));
  if (!saves.restart_given)
    list.push_back(run_again(figure(saves.restart)));
  if (!saves.interval && faults_of(scenario).random.empty())
    list.push_back(loses_all("checkpoints: {interval: TIME}"));
  return list;
}

} // namespace trainyard
