// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/parallel/job_failures.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sections/checkpoints.hpp"
#include "models/scenario/sections/faults.hpp"
#include "sim/cluster/job_outages.hpp"
#include "sim/cluster/machine_view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

const CheckpointsSection& checkpoints_of(const Scenario& scenario)
{
  static const CheckpointsSection none;
  const auto* section = scenario.section<CheckpointsSection>("checkpoints");
  return section != nullptr ? *section : none;
}

} // namespace

void check_job_failures(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics)
{
  const auto* faults = scenario.section<FaultsSection>("faults");
  const auto* section = scenario.section<CheckpointsSection>("checkpoints");
  if (faults == nullptr && section == nullptr)
    return;
  if (scenario.jobs.size() > 1)
    diagnostics.error({.path = faults != nullptr ? "faults" : "checkpoints"},
                      "failures and checkpoints are simulated of one job here; several jobs share spare machines in a "
                      "queue: give them as 'workload'");
  if (section != nullptr && !section->interval) {
    if (faults == nullptr || (faults->list.empty() && faults->random.empty()))
      diagnostics.error({.path = "checkpoints"},
                        "without failures no interval is best: give 'interval', or failures (faults, --mtbf)");
    else if (section->save && !(*section->save > Seconds{}))
      diagnostics.error({.path = "checkpoints.save"},
                        "of checkpoints that take no time no interval is best: give 'interval', or a longer 'save'");
  }
  if (faults == nullptr)
    return;
  FaultDomains domains = machine_view(scenario, catalogue).domains;
  for (const JobSpec& job : scenario.jobs)
    domains.tasks.push_back(job.name);
  check_outages(*faults, domains, scenario.file, "jobs with training.parallel", diagnostics);
}

std::optional<JobFailures> job_failures(const Scenario& scenario, const Catalogue& catalogue, const ParallelJob& job)
{
  static const FaultsSection no_faults;
  const auto* given = scenario.section<FaultsSection>("faults");
  if (given == nullptr && scenario.section<CheckpointsSection>("checkpoints") == nullptr)
    return std::nullopt;
  const FaultsSection& faults = given != nullptr ? *given : no_faults;
  const CheckpointsSection& saves = checkpoints_of(scenario);
  const int per_machine = job.network.gpus_per_node;
  const FaultDomains domains = [&] {
    FaultDomains found = machine_view(scenario, catalogue).domains;
    found.tasks.push_back(scenario.jobs.front().name);
    return found;
  }();
  // The machines that the job may hold: the first of them do, the others are spare.
  FailurePlan plan;
  plan.all.machines = (job.layout.gpus() + per_machine - 1) / per_machine;
  plan.installed = 0;
  std::vector<int> number(domains.nodes.size(), -1);
  for (std::size_t node = 0; node < domains.nodes.size(); ++node)
    if (std::ranges::find(job.groups, domains.groups[node]) != job.groups.end())
      number[node] = plan.installed++;
  JobFailures found;
  const auto times_of = [&](const ParallelJob& of) {
    CheckpointTimes times = checkpoint_times(of, saves.storage);
    times.save = saves.save.value_or(times.save);
    times.load = saves.save.value_or(times.load);
    return times;
  };
  found.checkpoint = times_of(job);
  found.storage_assumed = saves.storage <= BytesPerSecond{} && !saves.save;
  if (!saves.restart_given)
    found.restart_assumed = saves.restart;
  const auto set_costs = [&](TrainingSize& size, const CheckpointTimes& times) {
    size.save = saves.in_background ? std::min(times.save, times.written / saves.copy) : times.save;
    size.usable = times.save;
    size.load = times.load;
    size.restart = saves.restart + times.load;
  };
  set_costs(plan.all, found.checkpoint);
  found.save = plan.all.save;
  found.spare = plan.installed - plan.all.machines;
  if (saves.elastic)
    plan.fewer = fewer_replicas(job, saves.min_dp);
  for (TrainingSize& size : plan.fewer) {
    ParallelJob smaller = job;
    smaller.layout = with_replicas(job.layout, size.replicas);
    set_costs(size, times_of(smaller));
  }
  if (!plan.fewer.empty())
    found.fewer = plan.fewer.front();
  plan.time = saves.time;
  const JobOutages failures = outages_of(faults, domains, number, scenario.run.seed, plan.time);
  const std::vector<MachineOutage>& outages = failures.list;
  found.goodput = goodput_of(plan, outages); // who is hit depends little on the interval
  if (found.goodput.failures > 0)
    found.young = young_interval(found.save, plan.time / found.goodput.failures);
  found.tried = !saves.interval && found.young > Seconds{};
  if (saves.interval)
    plan.interval = *saves.interval;
  else if (found.tried)
    plan.interval = best_interval(plan, outages, std::max(found.young, plan.all.usable));
  found.interval = std::max(plan.interval, plan.all.usable - plan.all.save); // the last one must be written
  found.goodput = goodput_of(plan, outages);
  if (found.goodput.blocked_by)
    found.blocked_by = failures.names[*found.goodput.blocked_by];
  return found;
}

std::string elastic_in_vain(const Scenario& scenario, const ParallelJob& job)
{
  const CheckpointsSection& saves = checkpoints_of(scenario);
  if (!saves.elastic || !fewer_replicas(job, saves.min_dp).empty())
    return {};
  const int fewer = job.layout.dp - 1;
  if (fewer < saves.min_dp)
    return fmt::format("the job cannot go on with fewer replicas: it has {}, and min_dp is {}", job.layout.dp,
                       saves.min_dp);
  const std::vector<LayoutFault> faults = layout_faults(with_replicas(job.layout, fewer), job.transformer, 0);
  return fmt::format("the job cannot go on with fewer replicas; with {}: {}", fewer,
                     faults.empty()
                         ? "they need more memory than a GPU has, or as many machines"
                         : faults.front().message + (job.layout.keep_batch && !job.layout.decrease_batch
                                                         ? "; decrease_batch: true of its layout adapts the batch"
                                                         : ""));
}

std::string to_text(const JobFailures& failures, double tokens_per_second)
{
  const Goodput& g = failures.goodput;
  const auto share = [&](Seconds part) { return percent_text(part / g.time()); };
  std::string text = fmt::format("  goodput {:.1f} % over {}: {} useful tokens/s; {} of the job, {}\n", 100 * g.share(),
                                 time_text(g.time()), rate_text(tokens_per_second * g.share()),
                                 g.failures > 0 ? counted(g.failures, "failure") : "no failure",
                                 failures.spare > 0 ? counted(failures.spare, "spare machine") : "no spare machine");
  if (!failures.blocked_by.empty())
    text += fmt::format("  in the end it waits for good: {} is not repaired and {}\n", failures.blocked_by,
                        failures.spare > 0 ? "no spare machine is left" : "there is no spare machine");
  text += fmt::format("  lost: checkpoints {}, work since the last one {}, restarts {}, waiting for machines {}",
                      share(g.saving), share(g.lost), share(g.restarting), share(g.waiting));
  if (g.fewer > Seconds{})
    text += fmt::format(", fewer replicas {}", share(g.fewer));
  if (failures.fewer)
    text += fmt::format("\n  elastic: with {} machines it trains with {}, {} as fast", failures.fewer->machines,
                        counted(failures.fewer->replicas, "replica"), percent_text(failures.fewer->rate));
  const CheckpointTimes& c = failures.checkpoint;
  text += fmt::format("\n  checkpoint: {} in {} (at most {} of a GPU), ", to_text(c.size), time_text(c.save),
                      to_text(c.written));
  if (failures.interval.value() > 1e17)
    text += "none is written";
  else
    text += fmt::format("every {}{}", time_text(failures.interval), failures.tried ? ", the best of those tried" : "");
  if (failures.young > Seconds{})
    text += fmt::format(" (Young's formula: {})", time_text(failures.young));
  return text + fmt::format("; loading {}\n", time_text(c.load));
}

} // namespace trainyard
