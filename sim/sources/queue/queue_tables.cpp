// SPDX-License-Identifier: Apache-2.0
// The CSV files of a queue: each column is declared once, and the files and their lists are written from it.
#include "models/core/figure_text.hpp"
#include "models/results/csv.hpp"
#include "sim/sources/queue/queue_report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <utility>

namespace trainyard {
namespace {

using Runs = std::vector<QueueRun>;

const char* phase_text(const JobOutcome& outcome)
{
  switch (outcome.phase) {
  case JobPhase::finished:
    return "finished";
  case JobPhase::impossible:
    return "impossible";
  case JobPhase::stalled:
    return outcome.first_start < Instant{0} ? "never started" : "unfinished";
  case JobPhase::withdrawn:
    return "withdrawn";
  default:
    return "unfinished";
  }
}

/// With so many digits, as printf's %g. Large queues write millions of them: fmt is several times slower here.
std::string digits_text(double value, int digits)
{
  std::array<char, 40> text = {};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

/// All digits: as few as read back to the same number.
std::string figure_text(double value)
{
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

/// Ten digits; nothing for what is none.
std::string long_figure_text(double value)
{
  return std::isfinite(value) ? digits_text(value, 10) : "";
}

/// Six digits.
std::string short_figure_text(double value)
{
  return digits_text(value, 6);
}

std::optional<double> seconds_if(bool there, Instant time)
{
  return there ? std::optional{time.value()} : std::nullopt;
}

/// The columns of a file about rows of a run: which run, then the row's own.
template <class Row>
std::vector<ResultColumn<Row>> of_run(std::vector<ResultColumn<Row>> own)
{
  own.insert(own.begin(),
             {ResultColumn<Row>{"point", +[](const Row& row) { return row.run->point; }, "", "point of the sweep"},
              ResultColumn<Row>{"policy", +[](const Row& row) { return row.run->label; }, "",
                                "policy, with its placement where several are compared"}});
  return own;
}

/// The text of a file. @p rows: calls its second argument with each row of a run.
template <class Row, class Rows>
std::string file_of(const std::vector<ResultColumn<Row>>& columns, const Runs& all, const Rows& rows)
{
  TableCsv<Row> table{columns, {}, {short_figure_text, long_figure_text}};
  for (const QueueRun& run : all)
    rows(run, [&](const Row& row) { table.add(row); });
  return table.take();
}

// metrics.csv and groups.csv: whose figures they are, and queue_columns()

struct QueueRunRow {
  const QueueRun* run;
};

const std::vector<ResultColumn<QueueRunRow>>& run_columns()
{
  static const auto columns = of_run<QueueRunRow>({});
  return columns;
}

const std::vector<ResultColumn<QueueRunRow>>& optimum_columns()
{
  static const std::vector<ResultColumn<QueueRunRow>> columns = {
      {"optimal_makespan_s", +[](const QueueRunRow& row) { return row.run->optimal_makespan; }, "s",
       "the best that any order of the jobs allows, where all could be tried"}};
  return columns;
}

std::string metrics_csv(const Runs& all)
{
  std::string text = fmt::format("{},{},{}\n", csv_heading(run_columns()), csv_heading(queue_columns()),
                                 csv_heading(optimum_columns()));
  for (const QueueRun& run : all) {
    const QueueRunRow row{&run};
    text += fmt::format("{},{},{}\n", csv_row(run_columns(), row, figure_text),
                        csv_row(queue_columns(), run.metrics, figure_text),
                        csv_row(optimum_columns(), row, long_figure_text));
  }
  return text;
}

struct QueueGroupRow {
  const QueueRun* run;
  std::string by, group;
};

const std::vector<ResultColumn<QueueGroupRow>>& group_columns()
{
  static const auto columns = of_run<QueueGroupRow>(
      {{"by", &QueueGroupRow::by, "", "what the jobs of the group have in common: team, user, queue, gpus"},
       {"group", &QueueGroupRow::group, "", "its name; followed by the columns of metrics.csv for its jobs"}});
  return columns;
}

/// Figures of the whole cluster are left blank.
std::string groups_csv(const Runs& all)
{
  std::string text = fmt::format("{},{}\n", csv_heading(group_columns()), csv_heading(queue_columns()));
  for (const QueueRun& run : all)
    for (const auto& [by, group] : {std::pair{"team", GroupBy::team}, std::pair{"user", GroupBy::user},
                                    std::pair{"queue", GroupBy::queue}, std::pair{"gpus", GroupBy::size}})
      for (const QueueMetrics& one : metrics_by(group, run.measured ? run.measured->jobs : *run.workload,
                                                run.measured ? run.measured->result : run.result, run.gpus, run.costs))
        text += fmt::format("{},{}\n", csv_row(group_columns(), {&run, by, one.name}, figure_text),
                            csv_row(queue_columns(), one, figure_text, true));
  return text;
}

struct QueueJobRow {
  const QueueRun* run;
  JobId id;

  const Workload& workload() const { return *run->workload; }
  const TraceJob& job() const { return workload().job(id); }
  const JobOutcome& outcome() const { return run->result.jobs[static_cast<std::size_t>(id.index)]; }
  bool ran() const { return outcome().first_start.value() >= 0; }
  bool ended() const { return outcome().phase == JobPhase::finished; }
  /// Tokens that a divided transformer trains on in its duration; 0: others.
  double tokens() const
  {
    if (run->divided == nullptr)
      return 0;
    const auto speed = run->divided->find({job().model, job().gpus});
    return speed == run->divided->end() ? 0 : speed->second * job().duration.value();
  }
  Instant ready() const { return outcome().ready.value() >= 0 ? outcome().ready : job().submit; }
  std::string why_open() const
  {
    if (outcome().phase == JobPhase::withdrawn)
      return why_unfinished(job(), outcome(), run->result).value_or(std::string{});
    return ended() ? std::string{} : to_text(outcome().reason);
  }
};

const std::vector<ResultColumn<QueueJobRow>>& queue_job_columns()
{
  using Row = QueueJobRow;
  static const auto columns = of_run<Row>({
      {"job", +[](const Row& r) { return r.workload().name(r.id); }, "", "its name"},
      {"user", +[](const Row& r) { return r.workload().users.name(r.job().user); }, "", "who submitted it"},
      {"team", +[](const Row& r) { return r.workload().teams.name(r.job().team); }, "", "team of the user"},
      {"queue", +[](const Row& r) { return r.workload().queues.name(r.job().queue); }, "", "queue of the trace"},
      {"model", +[](const Row& r) { return r.workload().models.name(r.job().model); }, "", "what it trains"},
      {"gpus", +[](const Row& r) { return long{r.job().gpus}; }, "", "GPUs that it asks for"},
      {"submit_s", +[](const Row& r) { return r.job().submit.value(); }, "s", "submission"},
      {"start_s", +[](const Row& r) { return seconds_if(r.ran(), r.outcome().first_start); }, "s", "first start"},
      {"end_s", +[](const Row& r) { return seconds_if(r.ended(), r.outcome().end); }, "s", "end of its work"},
      {"queueing_delay_s", +[](const Row& r) { return seconds_if(r.ran(), r.outcome().first_start - r.ready()); }, "s",
       "first start - submission, or end of the last job that it depends on"},
      {"waiting_s",
       +[](const Row& r) { return seconds_if(r.ended(), r.outcome().end - r.ready() - r.outcome().held_time); }, "s",
       "all time without GPUs until the end"},
      {"jct_s", +[](const Row& r) { return seconds_if(r.ended(), r.outcome().end - r.job().submit); }, "s",
       "end - submission"},
      {"duration_s", +[](const Row& r) { return r.job().duration.value(); }, "s", "its work, at speed 1"},
      {"preemptions", +[](const Row& r) { return long{r.outcome().preemptions}; }, "",
       "how often the policy stopped it"},
      {"failures", +[](const Row& r) { return long{r.outcome().failures}; }, "", "how often a failure stopped it"},
      {"out_of_memory", +[](const Row& r) { return long{r.outcome().out_of_memory}; }, "",
       "how often it died for lack of GPU memory"},
      {"gpu_hours", +[](const Row& r) { return r.outcome().gpu_time.value() / 3600; }, "", "GPU-hours that it held"},
      {"lost_gpu_hours", +[](const Row& r) { return r.outcome().lost_time.value() / 3600; }, "",
       "those without progress, or whose progress was lost"},
      {"tokens_per_second",
       +[](const Row& r) {
         return r.ended() && r.tokens() > 0 ? std::optional{r.tokens() / r.outcome().held_time.value()} : std::nullopt;
       },
       "/s", "tokens of its work over its time on GPUs, of a transformer that is divided among them"},
      {"goodput",
       +[](const Row& r) {
         return r.tokens() > 0 && r.outcome().gpu_time > GpuTime{}
                    ? std::optional{1 - r.outcome().lost_time / r.outcome().gpu_time}
                    : std::nullopt;
       },
       "", "of such a job, share of its GPU-hours that made progress and kept it"},
      {"state", +[](const Row& r) -> std::string { return r.outcome().killed ? "killed" : phase_text(r.outcome()); },
       "", "finished, killed, unfinished, never started, impossible, withdrawn"},
      {"reason", +[](const Row& r) { return r.why_open(); }, "", "why it has not ended"},
  });
  return columns;
}

std::string jobs_csv(const Runs& all)
{
  return file_of(queue_job_columns(), all, [](const QueueRun& run, const auto& add) {
    for (int i = 0; i < run.workload->size(); ++i)
      add({&run, JobId{i}});
  });
}

/// A record of a run.
template <class Record>
struct QueueRecordRow {
  const QueueRun* run;
  const Record* record;
};

/// The text of a file of records. @p records: those of a run.
template <class Record>
std::string file_of_records(const std::vector<ResultColumn<QueueRecordRow<Record>>>& columns, const Runs& all,
                            const std::vector<Record>& (*records)(const QueueRun&))
{
  return file_of(columns, all, [&](const QueueRun& run, const auto& add) {
    for (const Record& record : records(run))
      add({&run, &record});
  });
}

const std::vector<ResultColumn<QueueRecordRow<WaitRecord>>>& wait_columns()
{
  using Row = QueueRecordRow<WaitRecord>;
  static const auto columns = of_run<Row>({
      {"job", +[](const Row& r) { return r.run->workload->name(r.record->job); }, "", "who waits"},
      {"from_s", +[](const Row& r) { return r.record->from.value(); }, "s", "from when on"},
      {"to_s", +[](const Row& r) { return r.record->to.value(); }, "s", "until when"},
      {"reason", +[](const Row& r) { return std::string{to_text(r.record->reason)}; }, "", "for what"},
      {"blocker", +[](const Row& r) { return blocker_name(*r.run->workload, r.record->blocker); }, "",
       "job, or flavor of a quota, that the reason names"},
      {"free_gpus", +[](const Row& r) { return long{r.record->free_gpus}; }, "",
       "whole GPUs nobody used when it began"},
      {"planned_start_s", +[](const Row& r) { return seconds_if(r.record->planned.value() >= 0, r.record->planned); },
       "s", "when the policy means to start it, last heard"},
  });
  return columns;
}

std::string waits_csv(const Runs& all)
{
  return file_of_records<WaitRecord>(
      wait_columns(), all, [](const QueueRun& run) -> const auto& { return run.result.waits; });
}

std::string nodes_of(const QueueRecordRow<RunRecord>& row)
{
  std::string nodes;
  for (const TaskShare& share : row.record->held.shares)
    nodes += fmt::format("{}{}:{}", nodes.empty() ? "" : " ",
                         row.run->node_names.at(static_cast<std::size_t>(share.node)), share.gpus());
  return nodes;
}

std::string link_of(const QueueRecordRow<RunRecord>& row)
{
  const std::vector<std::string>& names = row.run->result.link_names;
  const auto link = static_cast<std::size_t>(row.record->link);
  return row.record->link >= 0 && link < names.size() ? names[link] : "";
}

const std::vector<ResultColumn<QueueRecordRow<RunRecord>>>& stay_columns()
{
  using Row = QueueRecordRow<RunRecord>;
  static const auto columns = of_run<Row>({
      {"job", +[](const Row& r) { return r.run->workload->name(r.record->job); }, "", "who runs"},
      {"from_s", +[](const Row& r) { return r.record->from.value(); }, "s", "from when on"},
      {"to_s", +[](const Row& r) { return r.record->to.value(); }, "s", "until when it stays there at this speed"},
      {"gpus", +[](const Row& r) { return long{r.record->held.gpus}; }, "", "GPUs that it holds"},
      {"nodes", nodes_of, "", "machines, each with the GPUs held there"},
      {"speed", +[](const Row& r) { return r.record->speed; }, "", "work per second; 1: that of its run time"},
      {"alone", +[](const Row& r) { return r.record->alone; }, "", "the same without neighbours on its links"},
      {"neighbour", +[](const Row& r) { return r.run->result.name(*r.run->workload, r.record->neighbour); }, "",
       "who slows it most"},
      {"link", link_of, "", "which they share"},
  });
  return columns;
}

std::string runs_csv(const Runs& all)
{
  return file_of_records<RunRecord>(
      stay_columns(), all, [](const QueueRun& run) -> const auto& { return run.result.runs; });
}

int gpus_of(const QueueRun& run, const QueueFailure& failure)
{
  int gpus = 0;
  for (const int node : failure.nodes)
    gpus += run.node_gpus.at(static_cast<std::size_t>(node));
  return gpus;
}

std::string failed_nodes(const QueueRecordRow<QueueFailure>& row)
{
  std::string nodes;
  for (const int node : row.record->nodes)
    nodes += (nodes.empty() ? "" : " ") + row.run->node_names.at(static_cast<std::size_t>(node));
  return nodes;
}

const std::vector<ResultColumn<QueueRecordRow<QueueFailure>>>& failure_columns()
{
  using Row = QueueRecordRow<QueueFailure>;
  static const auto columns = of_run<Row>({
      {"failure", +[](const Row& r) { return r.record->name; }, "", "what fails"},
      {"from_s", +[](const Row& r) { return r.record->at.value(); }, "s", "when"},
      {"to_s",
       +[](const Row& r) { return seconds_if(r.record->repaired.has_value(), r.record->repaired.value_or(Instant{})); },
       "s", "when it is repaired"},
      {"nodes", failed_nodes, "", "machines that are down meanwhile"},
      {"gpus", +[](const Row& r) { return long{gpus_of(*r.run, *r.record)}; }, "", "their GPUs"},
      {"jobs_hit", +[](const Row& r) { return static_cast<long>(r.record->hit.size()); }, "", "jobs that ran there"},
  });
  return columns;
}

std::string failures_csv(const Runs& all)
{
  return file_of_records<QueueFailure>(
      failure_columns(), all, [](const QueueRun& run) -> const auto& { return run.failures; });
}

struct QueueEventRow {
  /// Within an instant.
  enum Order { ended, repaired, failed, interrupted, requeued, submitted, preempted, resumed, started };
  const QueueRun* run;
  Instant at;
  Order order;
  std::string what;
  std::string job; // none: a machine
  long gpus;
  std::string cause;
};

const std::vector<ResultColumn<QueueEventRow>>& event_columns()
{
  using Row = QueueEventRow;
  static const auto columns = of_run<Row>({
      {"time_s", +[](const Row& r) { return r.at.value(); }, "s", "when it happens"},
      {"event", &Row::what, "",
       "submitted, started, preempted, resumed, finished, killed, interrupted, requeued; failed, repaired"},
      {"job", &Row::job, "", "to whom; blank where it happens to machines"},
      {"gpus", &Row::gpus, "", "GPUs that the job asks for, or that the machines have"},
      {"cause", &Row::cause, "",
       "failure that it belongs to; of a preempted job: the job that got GPUs of it, or the policy"},
  });
  return columns;
}

/// Name of the failure that stopped a job then.
std::string failure_of(const QueueRun& run, const JobEvent& event)
{
  for (const QueueFailure& failure : run.failures)
    if (failure.at == event.at && std::ranges::find(failure.hit, event.job) != failure.hit.end())
      return failure.name;
  return {};
}

/// In order of time.
std::vector<QueueEventRow> events_of(const QueueRun& run)
{
  using Row = QueueEventRow;
  std::vector<Row> events;
  for (int i = 0; i < run.workload->size(); ++i) {
    const JobOutcome& o = run.result.jobs[static_cast<std::size_t>(i)];
    const TraceJob& job = run.workload->job(JobId{i});
    const auto add = [&](Instant time, Row::Order order, const char* what) {
      events.push_back({&run, time, order, what, run.workload->name(JobId{i}), job.gpus, ""});
    };
    add(job.submit, Row::submitted, "submitted");
    if (o.first_start.value() >= 0)
      add(o.first_start, Row::started, "started");
    if (o.phase == JobPhase::finished)
      add(o.end, Row::ended, o.killed ? "killed" : "finished");
  }
  for (const JobEvent& event : run.result.events) {
    const std::string name = run.workload->name(event.job);
    const long gpus = run.workload->job(event.job).gpus;
    switch (event.what) {
    case JobEvent::What::preempted:
      events.push_back({&run, event.at, Row::preempted, "preempted", name, gpus,
                        event.by ? "job " + run.workload->name(event.by) : "policy"});
      break;
    case JobEvent::What::resumed:
      events.push_back({&run, event.at, Row::resumed, "resumed", name, gpus, ""});
      break;
    case JobEvent::What::failed:
      events.push_back({&run, event.at, Row::requeued, "requeued", name, gpus, failure_of(run, event)});
      break;
    case JobEvent::What::out_of_memory:
      events.push_back({&run, event.at, Row::interrupted, "interrupted", name, gpus, "out of GPU memory"});
      break;
    }
  }
  for (const QueueFailure& failure : run.failures) {
    const long gpus = gpus_of(run, failure);
    events.push_back({&run, failure.at, Row::failed, "failed", "", gpus, failure.name});
    for (const JobId id : failure.hit)
      events.push_back({&run, failure.at, Row::interrupted, "interrupted", run.workload->name(id),
                        run.workload->job(id).gpus, failure.name});
    if (failure.repaired && *failure.repaired <= run.result.makespan)
      events.push_back({&run, *failure.repaired, Row::repaired, "repaired", "", gpus, failure.name});
  }
  std::ranges::stable_sort(events, std::less{}, [](const Row& row) { return std::pair{row.at, row.order}; });
  return events;
}

std::string events_csv(const Runs& all)
{
  return file_of(event_columns(), all, [](const QueueRun& run, const auto& add) {
    for (const QueueEventRow& event : events_of(run))
      add(event);
  });
}

const std::vector<ResultColumn<QueueRecordRow<QueueSample>>>& sample_columns()
{
  using Row = QueueRecordRow<QueueSample>;
  static const auto columns = of_run<Row>({
      {"time_s", +[](const Row& r) { return r.record->time_s; }, "s", "when"},
      {"busy_gpus", +[](const Row& r) { return r.record->busy_gpus; }, "", "GPUs in use"},
      {"running_jobs", +[](const Row& r) { return r.record->running_jobs; }, "", "jobs that run"},
      {"waiting_jobs", +[](const Row& r) { return r.record->waiting_jobs; }, "", "jobs that wait"},
      {"asked_gpus", +[](const Row& r) { return r.record->asked_gpus; }, "", "GPUs that they ask for"},
      {"fragmentation", +[](const Row& r) { return r.record->fragmentation; }, "",
       "share of the idle GPUs that a job of the workload could not use"},
      {"power_W", +[](const Row& r) { return r.record->power.value(); }, "W", "power of all GPUs"},
  });
  return columns;
}

std::string utilisation_csv(const Runs& all)
{
  return file_of_records<QueueSample>(
      sample_columns(), all, [](const QueueRun& run) -> const auto& { return run.series; });
}

} // namespace

std::vector<QueueTable> queue_tables()
{
  std::vector<ColumnFacts> of_metrics = facts_of(run_columns());
  of_metrics.push_back(facts_of(optimum_columns()).front());
  return {{"metrics.csv", of_metrics, metrics_csv, false},
          {"groups.csv", facts_of(group_columns()), groups_csv, false},
          {"jobs.csv", facts_of(queue_job_columns()), jobs_csv},
          {"waits.csv", facts_of(wait_columns()), waits_csv},
          {"runs.csv", facts_of(stay_columns()), runs_csv},
          {"events.csv", facts_of(event_columns()), events_csv},
          {"failures.csv", facts_of(failure_columns()), failures_csv},
          {"utilisation.csv", facts_of(sample_columns()), utilisation_csv}};
}

std::vector<FileColumns> queue_file_columns()
{
  std::vector<FileColumns> files;
  for (QueueTable& table : queue_tables())
    files.push_back({table.name, std::move(table.columns)});
  return files;
}

} // namespace trainyard
