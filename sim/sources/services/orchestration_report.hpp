// SPDX-License-Identifier: Apache-2.0
// Tables and files of a run under an orchestrator. Private to this folder.
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/results/column.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/sources/services/desired_state.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard::orchestration {

inline constexpr Sentence<std::int64_t, std::string> more_rows_in{"services.more_rows", "… {more} more in {file}"};

/// One run of one point, and what it ran on.
struct PointRun {
  std::string point; // label; empty where there is one
  OrchestrationInput input;
  OrchestrationResult result;
  std::optional<DollarsPerHour> price;                   // of all machines, licences included
  std::vector<std::pair<Instant, DollarsPerHour>> later; // of these: machines that join during the run, and when
  std::vector<Watts> gpu_idle_power, gpu_power;          // by node
  std::vector<double> gpu_memory_MiB;                    // by node, of one GPU
  std::vector<std::string> assumptions;                  // about the machines, one sentence each
  std::vector<std::optional<StepThere>> steps;           // by service

  /// Of each GPU that a service holds, in MiB, on this node.
  double reserved_MiB(std::size_t service, std::size_t node) const;
  const TaskGroupSpec& group_of(int task) const;
  /// What the unit of a task did.
  std::span<const WorkRecord> work_of(int task) const;
};

/// How long a request waits and is answered where @p replicas servers of @p capacity requests/s each meet @p rate
/// requests/s.
///
/// Poisson arrivals, exponential service (M/M/c): P(wait) by Erlang's C formula (Erlang 1917); the 95th percentile of
/// the response time solves P(T > t) = 0.05. Infinity where rate >= replicas × capacity.
struct Response {
  Seconds mean;
  Seconds p95;
};
Response response_time(double rate, double capacity, int replicas);

using Runs = std::vector<PointRun>;

/// The input of one point and what it runs on; the result is still to come.
PointRun services_point(const CheckedPoint& point, const Catalogue& catalogue, std::uint64_t seed, bool record);

/// The answer of a run: tables, the summary and all files. @p repeated: figures over several seeds, told and for the
/// summary.
RunReport services_report(const Scenario& scenario, const std::shared_ptr<Runs>& runs, Telling repeated_told,
                          const nlohmann::ordered_json& repeated);

/// What the scenario says of the defaults of services (sim/sources/scenario_runner.hpp, assumed): the values of its
/// orchestrator's profile, and which of them change nothing.
std::vector<FilledDefault> services_seen(const Scenario& scenario);

std::string placement_csv(const Runs& runs);
std::string phases_csv(const Runs& runs);
std::string accounting_csv(const Runs& runs);
std::string faults_csv(const Runs& runs);
std::string events_csv(const Runs& runs);
std::string events_text(const Runs& runs);
std::string services_csv(const Runs& runs);

/// A service of a run.
struct ServiceRow {
  const PointRun* run = nullptr;
  std::size_t service = 0;

  const ServiceSpec& spec() const { return run->input.services[service]; }
  const ServiceOutcome& outcome() const { return run->result.services[service]; }
  const StepThere* step() const
  {
    return service < run->steps.size() && run->steps[service] ? &*run->steps[service] : nullptr;
  }
};
/// That its work was not done, or that it never ran with all its replicas; else empty.
std::string unfinished(const ServiceRow& row);
/// A time in which neither the rate of requests nor the number of replicas of a service changes.
struct ServingSpan {
  Instant from, to;
  double rate = 0; // requests/s
  int replicas = 0;
  Response response = {};
  double answered = 1; // share of the requests
};
/// From the start to the end of the run; none where the service answers no requests.
std::vector<ServingSpan> serving_spans(const PointRun& run, std::size_t service);

/// The columns of services.csv, and the figures of a service in summary.json.
const std::vector<ResultColumn<ServiceRow>>& service_columns();
std::string replicas_csv(const Runs& runs);
std::string serving_csv(const Runs& runs);
/// Use, memory and power of every GPU: each over the whole run, and from change to change.
std::string gpus_csv(const Runs& runs);
std::string gpu_series_csv(const Runs& runs);
std::string nodes_csv(const Runs& runs);

nlohmann::ordered_json summary_of(const PointRun& run);
void tell_services(const Runs& runs, Telling& told);
void tell_faults(const Runs& runs, Telling& told);
/// What each point found, and what sets them apart.
Messages conclusions(const Runs& runs);

/// GPU time on the busiest machine over the mean of all machines with GPUs; 1 = even, needs recorded instances.
double imbalance(const PointRun& run);
/// Share of the observed time in which all wanted replicas ran; 1 where nothing was observed.
double availability(const ServiceOutcome& outcome);

/// Running (filled) against desired replicas (line) over time, a panel per service, failures as vertical marks.
Picture replicas_picture(const PointRun& run);

inline double ratio(Wide part, Wide whole)
{
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// For the machines until the end of the run; nothing where one has no price.
inline std::optional<double> paid(const PointRun& run)
{
  if (!run.price)
    return std::nullopt;
  double paid = run.price->value() * run.result.ended.value() / 3600;
  for (const auto& [joins, price] : run.later) // which cost nothing before
    paid -= price.value() * std::min(joins, run.result.ended).value() / 3600;
  return paid;
}

/// GPU time of all services of a run, and what its failures did.
struct Totals {
  explicit Totals(const PointRun& run)
  {
    for (std::size_t s = 0; s < run.input.services.size(); ++s) {
      const ServiceOutcome& o = run.result.services[s];
      lost += o.parts.lost_gpu.gpu;
      stalled += o.parts.stalled_gpu.gpu;
      starting += o.starting.gpu;
      restoring += o.parts.restoring_gpu.gpu;
      saving += o.parts.saving_gpu.gpu;
      idle += o.parts.idle_gpu.gpu;
      orphaned += o.orphaned.gpu;
      held += o.held.gpu;
      useful += o.parts.useful_gpu.gpu;
      used += static_cast<double>(o.parts.useful_gpu.gpu) * run.input.services[s].used_share;
      restarts += o.restarts;
    }
    for (const FaultOutcome& fault : run.result.faults) {
      hit += fault.tasks_hit;
      never_back += fault.never_back;
      if (fault.recovered < Instant{})
        continue;
      ++recovered;
      const double time = (fault.recovered - fault.event.at).value();
      recovering += time;
      worst = std::max(worst, time);
    }
  }
  double useful_share() const { return held > 0 ? used / static_cast<double>(held) : 0; }

  Wide lost = 0, stalled = 0, starting = 0, restoring = 0, saving = 0, idle = 0, orphaned = 0, held = 0, useful = 0;
  double used = 0; // of the useful time: notebooks hold more than they use
  std::int64_t hit = 0, never_back = 0, recovered = 0, restarts = 0; // tasks, tasks, failures, processes
  double recovering = 0, worst = 0;                                  // s
};

} // namespace trainyard::orchestration
