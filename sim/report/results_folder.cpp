// SPDX-License-Identifier: Apache-2.0

#include "models/results/csv.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/results/results.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

/// A long text, as it is made.
template <class File = OutputFile>
void write_pieces(const fs::path& path, const std::function<void(const TextSink&)>& make)
{
  File file{path};
  make([&](std::string_view piece) { file.write(piece); });
  file.close();
}

} // namespace

std::string write_results(const Results& results, const fs::path& folder, bool plots, const Replace& replace)
{
  const auto fill = [&](const fs::path& to) {
    std::future<void> drawing; // packing the pixels takes longer than all tables
    if (plots)
      drawing = std::async(std::launch::async, [&results, to] { write_plots(results, to); });
    write_pieces(to / "summary.json", [&](const TextSink& sink) { summary_json(results, sink); });
    write_file(to / "jobs.csv", jobs_csv(results));
    write_file(to / "steps.csv", steps_csv(results));
    write_file(to / "links.csv", links_csv(results));
    if (!results.link_loads.empty())
      write_pieces(to / "link_loads.csv", [&](const TextSink& sink) { link_loads_csv(results, sink); });
    write_file(to / "traffic.csv", traffic_csv(results));
    write_file(to / "events.csv", events_csv(results));
    write_pieces<GzipFile>(to / "trace.json.gz", [&](const TextSink& sink) { trace_json(results, sink); });
    if (plots)
      drawing.get();
    write_file(to / "manifest.json", manifest_json(results)); // last: with it the folder is whole
  };
  return write_folder(folder, fill, replace);
}

namespace {

/// With two decimals, 0 to 1: hundreds of thousands of rows have one of 101 texts.
std::string load_text(double load)
{
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    for (int percent = 0; percent <= 100; ++percent)
      all.push_back(fmt::format("{:.2f}", percent / 100.0));
    return all;
  }();
  const double percent = std::round(100 * load);
  return percent / 100 == load && load >= 0 && load <= 1 ? texts[static_cast<std::size_t>(percent)]
                                                         : fmt::format("{:.2f}", load);
}

} // namespace

std::string jobs_csv(const Results& results)
{
  return csv_of(job_columns(), results.jobs);
}

std::string steps_csv(const Results& results)
{
  return csv_of<StepRow>(
      {{"point", &StepRow::point, "", "point of the sweep"},
       {"job", &StepRow::job, "", "name of the job"},
       {"step", &StepRow::step, "", "its number"},
       {"worker", &StepRow::worker, "", "whose step it is"},
       {"begin_s", &StepRow::begin, "s", "when it begins"},
       {"end_s", &StepRow::end, "s", "when it ends"},
       {"step_s", +[](const StepRow& row) { return (row.end - row.begin).value(); }, "s", "how long it takes"}},
      results.steps);
}

std::string links_csv(const Results& results)
{
  return csv_of<LinkRow>(
      {{"point", &LinkRow::point, "", "point of the sweep"},
       {"link", &LinkRow::link, "", "one direction of a link"},
       {"label", &LinkRow::label, "", "what people call it"},
       {"kind", &LinkRow::kind, "", "ethernet, pcie…"},
       {"bandwidth_Bps", +[](const LinkRow& row) { return row.bandwidth.value(); }, "B/s", "of this direction"},
       {"bytes_B", &LinkRow::bytes, "B", "that crossed it"},
       {"window_s", &LinkRow::window, "s", "simulated time"},
       {"utilisation", &LinkRow::utilisation, "", "bytes over bandwidth and window"},
       {"busy", &LinkRow::busy, "", "share of the window with a flow on it"},
       {"jobs", +[](const LinkRow& row) { return fmt::format("{}", fmt::join(row.jobs, " ")); }, "", "that use it"}},
      results.links);
}

std::string link_loads_csv(const Results& results)
{
  std::string text;
  link_loads_csv(results, [&](std::string_view piece) { text += piece; });
  return text;
}

void link_loads_csv(const Results& results, const TextSink& sink)
{
  using Part = LinkLoad::Part;
  using Loaded = std::pair<const LinkLoad*, const Part*>;
  TableCsv<Loaded> table{
      {{"point", +[](const Loaded& row) { return row.first->point; }, "", "point of the sweep"},
       {"link", +[](const Loaded& row) { return row.first->link; }, "", "one direction of a link"},
       {"begin_s", +[](const Loaded& row) { return row.second->begin.value(); }, "s", "from when on"},
       {"end_s", +[](const Loaded& row) { return row.second->end.value(); }, "s", "until when"},
       {"load", +[](const Loaded& row) { return load_text(row.second->load); }, "", "share of its bandwidth"}},
      sink};
  for (const LinkLoad& load : results.link_loads)
    for (const Part& part : load.parts)
      table.add({&load, &part});
  sink(table.take());
}

std::string traffic_csv(const Results& results)
{
  return csv_of<TrafficRow>(
      {{"point", &TrafficRow::point, "", "point of the sweep"},
       {"job", &TrafficRow::job, "", "name of the job"},
       {"from", &TrafficRow::from, "", "task that sends"},
       {"to", &TrafficRow::to, "", "task that receives"},
       {"bytes_per_step_B", &TrafficRow::bytes, "B", "payload of a step"},
       {"over_network", +[](const TrafficRow& row) -> std::string { return row.over_network ? "yes" : "no"; }, "",
        "between two nodes"}},
      results.traffic);
}

std::string events_csv(const Results& results)
{
  return csv_of<EventRow>({{"point", &EventRow::point, "", "point of the sweep"},
                           {"time_s", &EventRow::time, "s", "when it happens"},
                           {"event", &EventRow::event, "", "submitted, started, finished, failed…"},
                           {"job", &EventRow::job, "", "name of the job"},
                           {"detail", &EventRow::detail, "", "what else there is to say"}},
                          results.events);
}

} // namespace trainyard
