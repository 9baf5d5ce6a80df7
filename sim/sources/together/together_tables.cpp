// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/together/together.hpp"

#include "models/core/figure_text.hpp"
#include "models/results/csv.hpp"

#include <cmath>
#include <fmt/format.h>

namespace trainyard::together {

std::string hours_text(double hours)
{
  return fmt::format("{:.4g}", hours);
}

double held_hours(const orchestration::PointRun& run)
{
  double hours = 0;
  for (const ServiceOutcome& outcome : run.result.services)
    hours += gpu_seconds(outcome.held.gpu) / 3600;
  return hours;
}

namespace {

std::string duration_text(double seconds)
{
  return std::isfinite(seconds) ? time_text(Seconds{seconds}) : "never";
}

/// All services together: time with all wanted replicas over the time observed.
double availability_of(const orchestration::PointRun& run)
{
  double full = 0, observed = 0;
  for (std::size_t s = 0; s < run.result.services.size(); ++s) {
    const ServiceOutcome& outcome = run.result.services[s];
    const bool never =
        outcome.since <= Instant{} && outcome.first_running < Instant{}; // it is missed as long as it is wanted
    full += outcome.full.value();
    observed += (never ? run.result.ended - Instant{run.input.services[s].arrival} : outcome.since).value();
  }
  return observed > 0 ? full / observed : 1;
}

std::string share_text(double share)
{
  return fmt::format("{:.2f} %", 100 * share);
}

std::optional<double> mean_of(const Distribution& values)
{
  return values.values > 0 ? std::optional{values.mean} : std::nullopt;
}

template <auto get>
std::optional<double> of_queue(const TogetherRun& run)
{
  return run.queue ? std::optional<double>(get(run.own_jobs)) : std::nullopt;
}

template <auto get>
std::optional<double> of_services(const TogetherRun& run)
{
  return run.services ? std::optional<double>{get(*run.services)} : std::nullopt;
}

template <auto get>
std::optional<double> of_retraining(const TogetherRun& run)
{
  return run.retraining ? std::optional<double>{get(run.retraining->metrics)} : std::nullopt;
}

} // namespace

const std::vector<Figure>& figures()
{
  using Queue = QueueMetrics;
  using Retraining = EnvironmentMetrics;
  static const std::vector<Figure> all = {
      {"jobs done",
       {"finished_jobs", of_queue<[](const Queue& m) { return m.finished; }>, "", "jobs of the queue that ended"},
       [](double value) { return fmt::format("{:.0f}", value); }},
      {"mean JCT",
       {"mean_jct_s", of_queue<[](const Queue& m) { return mean_of(m.jct_s); }>, "s",
        "their completion - submission, mean"},
       duration_text},
      {"waiting",
       {"mean_waiting_s", of_queue<[](const Queue& m) { return mean_of(m.waiting_s); }>, "s",
        "their time without GPUs until the end, mean; of jobs that have not ended, so far"},
       duration_text},
      {"queue GPU-h",
       {"queue_gpu_hours", of_queue<[](const Queue& m) { return m.gpu_hours; }>, "", "GPU-hours that they held"},
       hours_text},
      {"lost GPU-h",
       {"queue_lost_gpu_hours", of_queue<[](const Queue& m) { return m.lost_gpu_hours; }>, "",
        "those without progress"},
       hours_text},
      {"services up",
       {"availability", of_services<availability_of>, "",
        "all services together: time with all wanted replicas over the time observed"},
       share_text},
      {"services GPU-h",
       {"services_gpu_hours", of_services<held_hours>, "", "GPU-hours that services held"},
       hours_text},
      {"median need→deployed",
       {"need_to_deployed_p50_s", of_retraining<[](const Retraining& m) { return m.need_to_deployed.quantile(0.5); }>,
        "s", "from the need of a retraining to its model in service, median"},
       duration_text},
      {"stale",
       {"stale_share", of_retraining<[](const Retraining& m) { return m.stale_share; }>, "",
        "share of the time in which models were stale"},
       [](double value) { return fmt::format("{:.1f} %", 100 * value); }},
      {"retraining GPU-h",
       {"retraining_gpu_hours", of_retraining<[](const Retraining& m) { return m.gpu_hours; }>, "",
        "GPU-hours that retraining held"},
       hours_text},
  };
  return all;
}

namespace {

/// Nine digits; nothing for what is none.
std::string nine_digits(double value)
{
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : "";
}

std::string six_digits(double value)
{
  return fmt::format("{:.6g}", value);
}

/// The columns of a file about rows of a run: which run, then the row's own.
template <class Row>
std::vector<ResultColumn<Row>> of_run(std::vector<ResultColumn<Row>> own)
{
  own.insert(own.begin(),
             {ResultColumn<Row>{"point", +[](const Row& row) { return row.run->point; }, "", "point of the sweep"},
              ResultColumn<Row>{"policy", +[](const Row& row) { return row.run->policy; }, "", "of the queue"}});
  return own;
}

struct VisitRow {
  const TogetherRun* run;
  const SlowVisit* visit;
};

const std::vector<ResultColumn<VisitRow>>& link_columns()
{
  using Row = VisitRow;
  static const auto columns = of_run<Row>({
      {"name", +[](const Row& row) { return row.visit->name; }, "", "who was slower than alone"},
      {"from_s", +[](const Row& row) { return row.visit->from.value(); }, "s", "from when on"},
      {"to_s", +[](const Row& row) { return row.visit->to.value(); }, "s", "until when"},
      {"share_of_speed_alone", +[](const Row& row) { return row.visit->share; }, "", "speed over that alone there"},
      {"neighbour", +[](const Row& row) { return row.visit->neighbour; }, "", "who cost it most"},
      {"link", +[](const Row& row) { return row.visit->link; }, "", "which they shared"},
  });
  return columns;
}

struct StayRow {
  const TogetherRun* run;
  const Stay* stay;
};

const std::vector<ResultColumn<StayRow>>& timeline_columns()
{
  using Row = StayRow;
  static const auto columns = of_run<Row>({
      {"source", +[](const Row& row) { return row.stay->source; }, "", "queue, services, retraining"},
      {"name", +[](const Row& row) { return row.stay->name; }, "", "job, task or request"},
      {"node", +[](const Row& row) { return row.stay->node; }, "", "machine"},
      {"from_s", +[](const Row& row) { return row.stay->from.value(); }, "s", "from when on"},
      {"to_s", +[](const Row& row) { return row.stay->to.value(); }, "s", "until when"},
      {"gpus", +[](const Row& row) { return long{row.stay->gpus}; }, "", "GPUs that it holds there"},
      {"gpu_share", +[](const Row& row) { return row.stay->gpu_milli / 1000.0; }, "", "part of each"},
      {"gpu_mask", +[](const Row& row) { return long{row.stay->gpu_mask}; }, "", "which ones: bit i for GPU i"},
  });
  return columns;
}

const std::vector<ResultColumn<TogetherRun>>& part_columns()
{
  static const std::vector<ResultColumn<TogetherRun>> columns = [] {
    std::vector<ResultColumn<TogetherRun>> all = {
        {"point", &TogetherRun::point, "", "point of the sweep"},
        {"policy", &TogetherRun::policy, "", "of the queue"},
        {"run", +[](const TogetherRun& run) { return to_text(run.left_out); }, "", "what it leaves out"}};
    for (const Figure& figure : figures())
      all.push_back(figure.column);
    return all;
  }();
  return columns;
}

} // namespace

std::string links_csv(const std::vector<TogetherRun>& runs)
{
  TableCsv<VisitRow> table{link_columns(), {}, {six_digits, nine_digits}};
  for (const TogetherRun& run : runs)
    if (run.left_out == LeftOut::nothing)
      for (const SlowVisit& visit : run.slow_visits)
        table.add({&run, &visit});
  return table.take();
}

std::string timeline_csv(const std::vector<TogetherRun>& runs, Instant until)
{
  TableCsv<StayRow> table{timeline_columns(), {}, {six_digits, nine_digits}};
  for (const TogetherRun& run : runs)
    if (run.left_out == LeftOut::nothing)
      for (const Stay& stay : stays_of(run, until))
        table.add({&run, &stay});
  return table.take();
}

std::string parts_csv(const std::vector<TogetherRun>& runs)
{
  return csv_of(part_columns(), runs, {nine_digits});
}

std::vector<FileColumns> together_file_columns()
{
  return {{"parts.csv", facts_of(part_columns())},
          {"timeline.csv", facts_of(timeline_columns())},
          {"links.csv", facts_of(link_columns())}};
}

} // namespace trainyard::together
