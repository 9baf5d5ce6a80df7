// SPDX-License-Identifier: Apache-2.0
#include "sim/report/files.hpp"
#include "sim/results/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// Shortest texts that read back to the same double; empty where there is no number. Keeps some: the same times come
/// again and again in a table of links.
class NumberTexts
{
public:
  const std::string& operator()(double value)
  {
    Entry& entry = entries_[std::bit_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15U >> 54U];
    if (!(entry.value == value && std::signbit(entry.value) == std::signbit(value)))
      entry = {value, std::isfinite(value) ? fmt::to_string(value) : std::string{}};
    return entry.text;
  }

private:
  struct Entry {
    double value = std::numeric_limits<double>::quiet_NaN();
    std::string text;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(1024);
};

/// A table, row by row; a long one leaves in pieces. What stands before the columns, in the heading and in a row, is
/// given as text.
template <class Row>
class TableText
{
public:
  explicit TableText(const std::vector<ResultColumn<Row>>& columns, TextSink sink = {}, const std::string& before = {})
      : columns_{columns}, out_{before + csv_heading(columns) + "\n"}, sink_{std::move(sink)}
  {
  }
  void add(const Row& row, std::string_view before = {})
  {
    out_ += before;
    append_csv_row(out_, columns_, row, [this](double value) -> const std::string& { return texts_(value); });
    out_ += "\n";
    if (sink_ && out_.size() >= long_piece) {
      sink_(out_);
      out_.clear();
    }
  }
  std::string take() { return std::move(out_); }

private:
  std::vector<ResultColumn<Row>> columns_;
  std::string out_;
  TextSink sink_;
  NumberTexts texts_;
};

template <class Row>
std::string table_of(const std::vector<ResultColumn<Row>>& columns, const std::vector<Row>& rows)
{
  TableText<Row> table{columns};
  for (const Row& row : rows)
    table.add(row);
  return table.take();
}

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
  return table_of(job_columns(), results.jobs);
}

std::string steps_csv(const Results& results)
{
  return table_of<StepRow>(
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
  return table_of<LinkRow>(
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
  const std::vector<ResultColumn<LinkLoad>> of_link{{"point", &LinkLoad::point, "", "point of the sweep"},
                                                    {"link", &LinkLoad::link, "", "one direction of a link"}};
  TableText<Part> table{
      {{"begin_s", +[](const Part& part) { return part.begin.value(); }, "s", "from when on"},
       {"end_s", +[](const Part& part) { return part.end.value(); }, "s", "until when"},
       {"load", +[](const Part& part) { return load_text(part.load); }, "", "share of its bandwidth"}},
      sink,
      csv_heading(of_link) + ","};
  for (const LinkLoad& load : results.link_loads) {
    const std::string link = csv_row(of_link, load, {}) + ",";
    for (const Part& part : load.parts)
      table.add(part, link);
  }
  sink(table.take());
}

std::string traffic_csv(const Results& results)
{
  return table_of<TrafficRow>(
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
  return table_of<EventRow>({{"point", &EventRow::point, "", "point of the sweep"},
                             {"time_s", &EventRow::time, "s", "when it happens"},
                             {"event", &EventRow::event, "", "submitted, started, finished, failed…"},
                             {"job", &EventRow::job, "", "name of the job"},
                             {"detail", &EventRow::detail, "", "what else there is to say"}},
                            results.events);
}

} // namespace trainyard
