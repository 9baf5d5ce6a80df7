// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "sim/report/files.hpp"
#include "sim/results/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <string_view>

namespace trainyard {
namespace {

/// Shortest text that reads back to the same double; empty where there is no number.
std::string number(double value)
{
  return std::isfinite(value) ? fmt::format("{}", value) : std::string{};
}

template <class... Values>
void line(std::string& out, const Values&... values)
{
  const std::string cells[] = {std::string{values}...};
  out += fmt::format("{}\n", fmt::join(cells, ","));
}

} // namespace

std::string jobs_csv(const Results& results)
{
  std::string out = csv_heading(job_columns()) + "\n";
  for (const JobRow& row : results.jobs)
    out += csv_row<JobRow>(job_columns(), row, number) + "\n";
  return out;
}

std::string steps_csv(const Results& results)
{
  std::string out = "point,job,step,worker,begin_s,end_s,step_s\n";
  for (const StepRow& row : results.steps)
    line(out, csv_text(row.point), csv_text(row.job), std::to_string(row.step), std::to_string(row.worker),
         number(row.begin.value()), number(row.end.value()), number((row.end - row.begin).value()));
  return out;
}

std::string links_csv(const Results& results)
{
  std::string out = "point,link,label,kind,bandwidth_Bps,bytes_B,window_s,utilisation,busy,jobs\n";
  for (const LinkRow& row : results.links)
    line(out, csv_text(row.point), csv_text(row.link), csv_text(row.label), csv_text(row.kind),
         number(row.bandwidth.value()), number(row.bytes.value()), number(row.window.value()), number(row.utilisation),
         number(row.busy), csv_text(fmt::format("{}", fmt::join(row.jobs, " "))));
  return out;
}

std::string link_loads_csv(const Results& results)
{
  std::string out = "point,link,begin_s,end_s,load\n";
  for (const LinkLoadRow& row : results.link_loads)
    line(out, csv_text(row.point), csv_text(row.link), number(row.begin.value()), number(row.end.value()),
         fmt::format("{:.2f}", row.load));
  return out;
}

std::string traffic_csv(const Results& results)
{
  std::string out = "point,job,from,to,bytes_per_step_B,over_network\n";
  for (const TrafficRow& row : results.traffic)
    line(out, csv_text(row.point), csv_text(row.job), csv_text(row.from), csv_text(row.to), number(row.bytes.value()),
         row.over_network ? "yes" : "no");
  return out;
}

std::string events_csv(const Results& results)
{
  std::string out = "point,time_s,event,job,detail\n";
  for (const EventRow& row : results.events)
    line(out, csv_text(row.point), number(row.time.value()), csv_text(row.event), csv_text(row.job),
         csv_text(row.detail));
  return out;
}

} // namespace trainyard
