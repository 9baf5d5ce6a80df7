// SPDX-License-Identifier: Apache-2.0
#include "sim/results/columns.hpp"

#include "models/hardware/provenance_text.hpp"
#include "sim/results/breakdown.hpp"

#include <cmath>
#include <type_traits>

namespace trainyard {

std::string part_name(const std::string& column, const std::string& part)
{
  if (!column.ends_with("_s"))
    return column + "_" + part;
  return column.substr(0, column.size() - 2) + "_" + part + "_s";
}

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

} // namespace

const std::vector<ResultColumn<JobRow>>& job_columns()
{
  constexpr unsigned files = in_csv | in_json;
  static const std::vector<ResultColumn<JobRow>> columns = {
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
      {"tokens_per_second",
       [](const JobRow& row) {
         return row.tokens_per_sample > 0 ? std::optional{row.samples_per_second.mean * row.tokens_per_sample}
                                          : std::nullopt;
       },
       "/s", "tokens of all GPUs of a transformer that is divided among them", files},
      {"step_s", &JobRow::step_s, "s", "time of an optimiser step", everywhere, "step_time"},
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
  return columns;
}

} // namespace trainyard
