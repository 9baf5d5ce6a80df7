// SPDX-License-Identifier: Apache-2.0
#include "sim/results/results.hpp"

#include "models/hardware/provenance_text.hpp"
#include "sim/results/breakdown.hpp"

#include <cmath>
#include <type_traits>

namespace trainyard {

namespace {

/// Blank where the scenario has neither failures nor checkpoints, or where there is no such time.
template <auto Member>
std::optional<double> figure(const JobRow& row)
{
  if (!row.failures)
    return std::nullopt;
  if constexpr (std::is_same_v<std::decay_t<decltype((*row.failures).*Member)>, Seconds>) {
    const double value = ((*row.failures).*Member).value();
    const bool interval = Member == &FailureCosts::interval || Member == &FailureCosts::best_interval;
    return std::isfinite(value) && (value > 0 || !interval) ? std::optional{value} : std::nullopt;
  } else {
    return (*row.failures).*Member;
  }
}

std::optional<double> step(const JobRow& row)
{
  return row.step_s.mean;
}

std::optional<double> rate(const JobRow& row)
{
  return row.samples_per_second.mean;
}

/// Blank where no transformer is divided.
std::optional<double> tokens(const JobRow& row)
{
  return row.tokens_per_sample > 0 ? std::optional{row.samples_per_second.mean * row.tokens_per_sample} : std::nullopt;
}

std::optional<double> price(const JobRow& row)
{
  return row.price_per_million_samples ? std::optional{row.price_per_million_samples->value()} : std::nullopt;
}

} // namespace

std::string named(const JobRow& row)
{
  return row.point.empty() ? row.job : row.point + ", " + row.job;
}

std::string unfinished(const JobRow& row)
{
  return std::isfinite(row.finish.value()) ? std::string{}
         : row.failures && !std::isfinite(row.failures->waiting.value())
             ? "1 job does not end, " + row.job + ": it waits for a machine for ever"
             : "1 job does not end, " + row.job + ": failures undo all of its training";
}

namespace {

std::vector<ResultColumn<JobRow>> without_ends()
{
  constexpr unsigned files = in_csv | in_json;
  return {
      {"point", &JobRow::point, "", "point of the scenario's sweep", files},
      {"variant", &JobRow::variant, "", "the curve it belongs to", files},
      {"job", &JobRow::job, "", "name of the job", files},
      {"model", &JobRow::model, "", "model that is trained", files},
      {"gpu", &JobRow::gpu, "", "kind of GPU", files},
      {"network", &JobRow::network, "", "link and topology", files},
      {"training", &JobRow::training, "", "training mode", files},
      {"workers", &JobRow::workers, "", "GPUs that train"},
      {"servers", &JobRow::servers, "", "parameter servers"},
      {"batch_per_gpu", &JobRow::batch_per_gpu, "", "samples of one GPU in a step", files},
      {"precision", &JobRow::precision, "", "precision of the arithmetic", files},
      {"sample", &JobRow::sample, "", "what a sample is called", in_json},
      {"samples_per_second", &JobRow::samples_per_second, "/s", "samples per second of a job", everywhere, "throughput",
       true},
      {"tokens_per_sample", &JobRow::tokens_per_sample, "",
       "tokens of a sample, where a transformer is divided among the GPUs; else 0", in_json},
      {"tokens_per_second", tokens, "/s", "tokens of all GPUs of a transformer that is divided among them", files},
      {"step_s", &JobRow::step_s, "s", "time of an optimiser step", everywhere, "step_time"},
      {"step_middle_s", figure_ends::of<JobRow, error_of, step, &ModelError::middle, false>, "s",
       "half of such steps take longer"},
      {"error_kind", &JobRow::error_kind, "", "published tables of which its errors are; blank: the step is as given",
       files},
      {"error_size", &JobRow::error_size, "", "share of the step that is not computing; of one collective its bytes",
       files},
      {"error_own", [](const JobRow& row) { return error_of(row).own; }, "",
       "scale of the logarithm by which errors of answers about the same system differ", in_json | in_studies},
      {"error_shared", [](const JobRow& row) { return error_of(row).shared; }, "",
       "standard deviation of what answers about one system have in common", in_json | in_studies},
      {"scaling_efficiency", &JobRow::scaling_efficiency, "",
       "throughput over GPUs x throughput of one GPU alone (of several kinds the mean)", everywhere,
       "scaling_efficiency", true},
      {"compute_s", &JobRow::compute, "s", "compute time of the critical worker in a step", everywhere, "compute"},
      {"host_s", &JobRow::host, "s", "time of a step in which the GPU waits for the host to start operators",
       everywhere, "host"},
      {"exposed_communication_s", &JobRow::exposed_communication, "s",
       "communication of a step that compute does not hide", everywhere, "exposed_communication"},
      {"input_s", &JobRow::input, "s", "time of a step spent waiting for samples", everywhere, "input"},
      {"wait_s", &JobRow::wait, "s", "time of a step spent waiting for others", everywhere, "wait"},
      {"bottleneck", &JobRow::bottleneck, "", "what decides the step", files},
      {"fidelity", &JobRow::fidelity, "", "how the step was simulated", files},
      {"provenance", [](const JobRow& row) { return to_text(row.provenance); }, "",
       "the weakest kind of number that decided the step", files},
      {"provenance_note", &JobRow::provenance_note, "", "what was measured, what came from a data sheet", in_json},
      {"staleness_mean", &JobRow::staleness_mean, "", "updates by others between a worker's pull and push", everywhere,
       "staleness"},
      {"staleness_max", &JobRow::staleness_max, "", "the most of them", files},
      {"bytes_per_step_B", &JobRow::bytes_per_step, "B", "bytes over the network in a step", everywhere, "traffic"},
      {"gpu_memory_B", &JobRow::gpu_memory, "B", "GPU memory needed by one worker", everywhere, "gpu_memory"},
      {"price_per_million_samples_usd", &JobRow::price_per_million_samples, "$", "price of the job's machines",
       everywhere, "price_per_million_samples"},
      {"simulated_steps", &JobRow::simulated_steps, "", "steps that were simulated; the rest goes on alike", files},
      {"steps", &JobRow::steps, "", "steps of the job", files},
      {"arrival_s", &JobRow::arrival, "s", "time at which the job arrives", files},
      {"start_s", &JobRow::start, "s", "time at which it starts", files},
      {"finish_s", &JobRow::finish, "s", "time at which the job is done", everywhere, "finish"},
      {"unfinished", unfinished, "", "that the job does not end, in words", in_json},
      {"goodput", figure<&FailureCosts::useful>, "",
       "share of the time that is kept training, with failures and checkpoints", everywhere, "goodput", true},
      {"failures",
       [](const JobRow& row) { return row.failures ? std::optional{1.0 * row.failures->failures} : std::nullopt; }, "",
       "failures that hit the job"},
      {"saving_s", figure<&FailureCosts::saving>, "s", "training stood still for checkpoints", in_csv | in_studies},
      {"redone_s", figure<&FailureCosts::redone>, "s", "training that failures undid", in_csv | in_studies, "redone"},
      {"restarting_s", figure<&FailureCosts::restarting>, "s", "restarts after failures", in_csv | in_studies},
      {"repair_s", figure<&FailureCosts::waiting>, "s", "waiting for machines after failures", in_csv | in_studies},
      {"slower_s", figure<&FailureCosts::slower>, "s", "time lost because fewer workers trained", in_csv | in_studies},
      {"checkpoint_s", figure<&FailureCosts::checkpoint>, "s", "training stands still for a checkpoint",
       in_csv | in_studies},
      {"checkpoint_interval_s", figure<&FailureCosts::interval>, "s",
       "training between two checkpoints; blank: none are written"},
      {"best_interval_s", figure<&FailureCosts::best_interval>, "s",
       "the best of these by Daly's formula; blank: nothing stops the job by chance"},
      {"queueing_delay_s", [](const JobRow& row) { return (row.start - row.arrival).value(); }, "s", "start - arrival",
       in_csv},
      {"jct_s", [](const JobRow& row) { return (row.finish - row.arrival).value(); }, "s", "finish - arrival", in_csv},
  };
}

} // namespace

const std::vector<ResultColumn<JobRow>>& job_columns()
{
  static const std::vector<ResultColumn<JobRow>> columns = [] {
    std::vector<ResultColumn<JobRow>> all = without_ends();
    add_ends<error_of, rate, WithStep::as_rate>(all, "samples_per_second");
    add_ends<error_of, tokens, WithStep::as_rate>(all, "tokens_per_second");
    add_ends<error_of, step, WithStep::as_step>(all, "step_s", everywhere);
    add_ends<error_of, price, WithStep::as_step>(all, "price_per_million_samples_usd");
    return all;
  }();
  return columns;
}

} // namespace trainyard
