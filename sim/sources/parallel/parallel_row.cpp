// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/parallel/parallel_row.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sections/checkpoints.hpp"
#include "models/scenario/sections/faults.hpp"
#include "sim/cluster/job_outages.hpp"
#include "sim/cluster/machine_view.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/steady_state.hpp"
#include "sim/step/training/divided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr Sentence<std::string, std::int64_t, std::string, std::string, Figure, Figure, Figure, Message> trains{
    "parallel.trains", "{model} on {gpus} {gpu} ({layout}): a step takes {step}, {tokens} tokens/s, {utilisation} of "
                       "the peak in model flop; {held_back}."};
constexpr Sentence<Figure, Message> beside_compute{
    "parallel.beside_compute", "{compute} of the step is compute, the largest part besides is {part}"};
constexpr Sentence<Figure> compute_alone{"parallel.compute_alone", "{compute} of the step is compute"};
constexpr Sentence<std::string, Message> fastest{"parallel.fastest", "the most tokens a second: {point}. {trains}"};
constexpr Sentence<std::string, Message> never_done{"parallel.never_done", "job '{job}' does not end. {trains}"};

ModelError error(const ParallelRow& row)
{
  return row.error;
}

double step(const ParallelRow& row)
{
  return row.step.step.value();
}

double tokens(const ParallelRow& row)
{
  return row.step.tokens_per_second;
}

double utilisation(const ParallelRow& row)
{
  return row.step.model_flop_utilisation;
}

std::optional<double> price(const ParallelRow& row)
{
  return row.price_per_million_samples ? std::optional{row.price_per_million_samples->value()} : std::nullopt;
}

double kept_tokens(const ParallelRow& row)
{
  return row.step.tokens_per_second * (row.failures ? row.failures->goodput.share() : 1);
}

const CheckpointsSection& checkpoints_of(const Scenario& scenario)
{
  static const CheckpointsSection none;
  const auto* section = scenario.section<CheckpointsSection>("checkpoints");
  return section != nullptr ? *section : none;
}

} // namespace

Message answer_of(const std::vector<ParallelRow>& rows)
{
  const ParallelRow& best = *std::ranges::max_element(rows, {}, kept_tokens);
  const auto percent = [](double share) { return Figure{share, percent_text(share)}; };
  const Figure compute = percent(best.step.compute / best.step.step);
  const Message held_back =
      best.step.besides.empty() ? compute_alone(compute) : beside_compute(compute, best.step.besides);
  Message told =
      trains(best.model, best.gpus, best.gpu, best.layout, {best.step.step.value(), time_text(best.step.step)},
             {best.step.tokens_per_second, rate_text(best.step.tokens_per_second)},
             percent(best.step.model_flop_utilisation), held_back);
  if (rows.size() > 1)
    told = fastest(best.point.empty() ? best.job : best.point, told);
  if (best.failures && !(best.failures->goodput.share() > 0))
    told = never_done(best.job, told);
  return as(MessageKind::answer, told);
}

namespace {

std::vector<ResultColumn<ParallelRow>> without_ends()
{
  using Row = ParallelRow;
  constexpr unsigned files = in_csv | in_json;
  return {
      {"point", &Row::point, "", "point of the scenario's sweep", files},
      {"variant", &Row::variant, "", "the curve it belongs to", files},
      {"job", &Row::job, "", "name of the job", files},
      {"model", &Row::model, "", "model that is trained", files},
      {"gpu", &Row::gpu, "", "kind of GPU", files},
      {"layout", &Row::layout, "", "how the model is divided", files},
      {"gpus", &Row::gpus, "", "GPUs that train"},
      {"step_s", step, "s", "time of an optimiser step"},
      {"step_middle_s", figure_ends::of<Row, error, step, &ModelError::middle, false>, "s",
       "half of such steps take longer"},
      {"tokens_per_second", tokens, "/s", "tokens of all GPUs"},
      {"error_own", [](const Row& r) { return r.error.own; }, "",
       "scale of the logarithm by which errors of answers about the same system differ", in_json | in_studies},
      {"error_shared", [](const Row& r) { return r.error.shared; }, "",
       "standard deviation of what answers about one system have in common", in_json | in_studies},
      {"error_kind", [](const Row& r) { return r.error.kind; }, "", "published tables of which its errors are", files},
      {"samples_per_second", [](const Row& r) { return r.step.samples_per_second; }, "/s", "sequences of all GPUs"},
      {"model_flop_utilisation", utilisation, "", "model flop over the data sheet's peak in the precision of the job"},
      {"compute_s", [](const Row& r) { return r.step.compute.value(); }, "s",
       "kernels of forward and backward passes on the busiest rank"},
      {"host_s", [](const Row& r) { return r.step.host.value(); }, "s", "waiting for kernels to be launched"},
      {"exposed_tensor_s", [](const Row& r) { return r.step.tensor.value(); }, "s",
       "tensor-parallel collectives that nothing hides"},
      {"exposed_context_s", [](const Row& r) { return r.step.context.value(); }, "s",
       "exchange of keys and values that nothing hides"},
      {"exposed_expert_s", [](const Row& r) { return r.step.expert.value(); }, "s", "all-to-all of experts"},
      {"exposed_data_s", [](const Row& r) { return r.step.data.value(); }, "s",
       "gradients and weights between replicas that nothing hides"},
      {"bubble_s", [](const Row& r) { return r.step.bubble.value(); }, "s",
       "waiting for other stages, were messages instant"},
      {"exposed_pipeline_s", [](const Row& r) { return r.step.pipeline.value(); }, "s",
       "more of it because messages between stages take time"},
      {"optimizer_s", [](const Row& r) { return r.step.optimizer.value(); }, "s", "update of the parameters"},
      {"gpu_memory_B", [](const Row& r) { return r.step.memory.total().value(); }, "B",
       "peak memory of the rank that needs most"},
      {"weights_B", [](const Row& r) { return r.step.memory.weights.value(); }, "B", "of them weights in 16 bit"},
      {"gradients_B", [](const Row& r) { return r.step.memory.gradients.value(); }, "B", "of them gradients"},
      {"optimizer_B", [](const Row& r) { return r.step.memory.optimizer.value(); }, "B",
       "of them optimiser states and master weights"},
      {"activations_B", [](const Row& r) { return r.step.memory.activations.value(); }, "B",
       "of them activations of all micro-batches in flight"},
      {"other_B",
       [](const Row& r) { return (r.step.memory.transient + r.step.memory.buffers + r.step.memory.context).value(); },
       "B", "of them logits, recomputed layers, buffers, driver"},
      {"installed_B", [](const Row& r) { return r.installed.value(); }, "B", "memory of a GPU", files},
      {"unfinished",
       [](const Row& r) {
         return !r.failures || (r.failures->blocked_by.empty() && r.failures->goodput.share() > 0)
                    ? std::string{}
                    : fmt::format("1 job does not end, {}: {}", r.job,
                                  r.failures->blocked_by.empty() ? "failures undo all of its training"
                                                                 : "it waits for a machine for ever");
       },
       "", "that the job does not end, in words", in_json},
      {"goodput", [](const Row& r) { return r.failures ? r.failures->goodput.share() : 1.0; }, "",
       "share of the time that is kept training, with failures and checkpoints"},
      {"useful_tokens_per_second", kept_tokens, "/s", "goodput x tokens_per_second"},
      {"failures", [](const Row& r) { return r.failures ? 1.0 * r.failures->goodput.failures : 0.0; }, "",
       "that stopped the job"},
      {"checkpoint_interval_s",
       [](const Row& r) {
         return r.failures && r.failures->interval.value() < 1e17 ? r.failures->interval.value() : 0.0;
       },
       "s", "training between two checkpoints; 0: none are written"},
      {"checkpoint_s", [](const Row& r) { return r.failures ? r.failures->save.value() : 0.0; }, "s",
       "training stands still for a checkpoint"},
      {"price_per_million_samples_usd", &Row::price_per_million_samples, "$", "price of the job's machines"},
      {"fidelity", &Row::fidelity, "", "closed_form, or who ran the messages on the links", files},
      {"bottleneck", [](const Row& r) { return r.step.bottleneck.text; }, "", "the largest part of the step", files},
  };
}

} // namespace

const std::vector<ResultColumn<ParallelRow>>& parallel_columns()
{
  static const std::vector<ResultColumn<ParallelRow>> columns = [] {
    std::vector<ResultColumn<ParallelRow>> all = without_ends();
    add_ends<error, step, WithStep::as_step>(all, "step_s", everywhere);
    add_ends<error, tokens, WithStep::as_rate>(all, "tokens_per_second");
    add_ends<error, utilisation, WithStep::as_rate, 1>(all, "model_flop_utilisation");
    add_ends<error, kept_tokens, WithStep::as_rate>(all, "useful_tokens_per_second");
    add_ends<error, price, WithStep::as_step>(all, "price_per_million_samples_usd");
    return all;
  }();
  return columns;
}

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
    CheckpointTimes times = checkpoint_times(of, saves.rates());
    times.save = saves.save.value_or(times.save);
    times.load = saves.save.value_or(times.load);
    return times;
  };
  found.checkpoint = times_of(job);
  if (saves.storage <= BytesPerSecond{} && !saves.save)
    found.storage_assumed = assumed_storage(saves.rates());
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

std::vector<ParallelStep> steps_on_links(const Scenario& scenario, const Catalogue& catalogue)
{
  Diagnostics faults;
  const std::unique_ptr<PreparedScenario> prepared = prepare(scenario, catalogue, faults);
  faults.throw_if_errors();
  FreeSlots slots = all_free(prepared->cluster);
  std::vector<std::unique_ptr<PlacedJob>> placed;
  std::vector<SteppedJob> stepped;
  for (const PreparedJob& job : prepared->jobs) {
    Placement placement = place_divided(prepared->cluster, job.spec, catalogue, slots, faults);
    faults.throw_if_errors();
    placed.push_back(place(*prepared, job, std::move(placement), catalogue, faults));
    faults.throw_if_errors();
    placed.back()->context->alone = prepared->jobs.size() == 1;
    stepped.push_back(stepped_job(*job.mode, *placed.back()->context));
  }
  const auto executor = Registry<Executor>::instance().create(scenario.run.fidelity);
  std::vector<StepEstimate> estimates;
  if (stepped.size() == 1) {
    StepEstimate one;
    one.program = stepped.front().mode->program(*stepped.front().context, 0, 1);
    const std::vector<ProgramRun> runs{{&one.program, Seconds{}}};
    one.trace = std::move(executor->run(prepared->cluster, runs).front());
    one.step_time = one.trace.end - one.trace.begin;
    estimates.push_back(std::move(one));
  } else {
    estimates =
        steady_state(prepared->cluster, stepped, *executor, options_of_a_run(stepped, scenario.run.warm_up_steps));
  }
  std::vector<const StepProgram*> programs;
  std::vector<const StepTrace*> traces;
  std::vector<ParallelStep> steps;
  for (std::size_t j = 0; j < estimates.size(); ++j) {
    const StepEstimate& estimate = estimates[j];
    programs.push_back(&estimate.program);
    traces.push_back(&estimate.trace);
    steps.push_back(
        divided_step(divided_job(*placed[j]->context), estimate.program, estimate.trace, estimate.step_time));
  }
  if (const std::vector<std::string> broken = broken_physics(prepared->cluster, programs, traces, true);
      !broken.empty())
    throw std::logic_error{"the result is physically impossible; this is a bug in Trainyard: " + broken.front()};
  return steps;
}

} // namespace trainyard
