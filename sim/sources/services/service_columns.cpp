// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/orchestration_report.hpp"

namespace trainyard::orchestration {
namespace {

using Row = ServiceRow;
using Time = std::optional<Instant>;

/// A time that may not have come.
Time optional_time(Instant time)
{
  return time < Instant{} ? Time{} : Time{time};
}

std::string state_of(const ServiceRow& row)
{
  const ServiceOutcome& outcome = row.outcome();
  const ServiceSpec& spec = row.spec();
  if (outcome.failed)
    return "failed";
  if (outcome.finished >= Instant{})
    return "finished";
  if (spec.ends() || !spec.clients.empty())
    return outcome.first_running < Instant{} ? "never started" : "unfinished";
  return "kept running";
}

double running_share(const Row& row)
{
  const ServiceOutcome& o = row.outcome();
  return o.desired_time > 0 ? static_cast<double>(o.replica_time) / static_cast<double>(o.desired_time) : 1.0;
}

Time jct(const Row& row)
{
  const Instant finished = row.outcome().finished;
  return finished < Instant{} ? Time{} : Time{finished - Instant{row.spec().arrival}};
}

} // namespace

double availability(const ServiceOutcome& outcome)
{
  if (outcome.since > Instant{})
    return static_cast<double>(outcome.full.count()) / static_cast<double>(outcome.since.count());
  return outcome.first_running < Instant{} ? 0 : 1;
}

const std::vector<ResultColumn<ServiceRow>>& service_columns()
{
  static const std::vector<ResultColumn<Row>> columns = {
      {"service", +[](const Row& row) { return row.spec().name; }, "", "its name"},
      {"kind", +[](const Row& row) { return row.spec().kind; }, "", "service, training, mpi, serving, …", in_csv},
      {"team", +[](const Row& row) { return row.spec().team; }, "", "team that pays"},
      {"replicas", +[](const Row& row) { return static_cast<long>(row.spec().replicas()); }, "", "tasks wanted",
       in_csv},
      {"arrival_s", +[](const Row& row) -> Time { return Instant{row.spec().arrival}; }, "s", "submission", in_csv},
      {"failed", +[](const Row& row) { return static_cast<long>(row.outcome().failed); }, "", "whether it was given up",
       in_json},
      {"first_running_s", +[](const Row& row) { return optional_time(row.outcome().first_running); }, "s",
       "when it first ran"},
      {"finished_s", +[](const Row& row) { return optional_time(row.outcome().finished); }, "s",
       "when its work was done"},
      {"jct_s", jct, "s", "finish - submission", in_csv},
      {"state", state_of, "", "finished, unfinished, never started, failed, kept running", in_csv},
      {"restarts", +[](const Row& row) { return static_cast<long>(row.outcome().restarts); }, "", "restarts of tasks"},
      {"moves", +[](const Row& row) { return static_cast<long>(row.outcome().moves); }, "",
       "moves of tasks to other machines"},
      {"availability", +[](const Row& row) { return availability(row.outcome()); }, "",
       "share of the observed time in which all wanted replicas ran"},
      {"mean_running_share", running_share, "", "running over wanted replicas, mean over time", in_csv},
      {"work_done_s", +[](const Row& row) { return row.outcome().done.value(); }, "s", "work done, at full speed"},
      {"useful_s", +[](const Row& row) -> Time { return row.outcome().parts.useful; }, "s", "time that became work",
       in_csv},
      {"lost_s", +[](const Row& row) -> Time { return row.outcome().parts.lost; }, "s", "time whose work was lost",
       in_csv},
      {"saving_s", +[](const Row& row) -> Time { return row.outcome().parts.saving; }, "s", "time for checkpoints",
       in_csv},
      {"restoring_s", +[](const Row& row) -> Time { return row.outcome().parts.restoring; }, "s",
       "time to load checkpoints", in_csv},
      {"stalled_s", +[](const Row& row) -> Time { return row.outcome().parts.stalled; }, "s",
       "time in which some tasks waited for others", in_csv},
      {"idle_s", +[](const Row& row) -> Time { return row.outcome().parts.idle; }, "s", "time without work", in_csv},
      {"input_wait_s", +[](const Row& row) -> Time { return row.outcome().input_wait; }, "s",
       "time in which the shared storage was too slow", in_csv},
      {"redeploying_s", +[](const Row& row) -> Time { return row.outcome().redeploying; }, "s",
       "time of starts after losses", in_csv},
      {"gpu_hours", +[](const Row& row) { return gpu_seconds(row.outcome().held.gpu) / 3600; }, "",
       "GPU-hours that it held"},
  };
  return columns;
}

} // namespace trainyard::orchestration
