// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/input_file.hpp"
#include "sim/export/exporter.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

constexpr const char* header = R"(%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineEntityValue 2
%       Alias string
%       Type string
%       Name string
%       Color color
%EndEventDef
%EventDef PajeCreateContainer 3
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajePushState 4
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
%EventDef PajePopState 5
%       Time date
%       Type string
%       Container string
%EndEventDef
%EventDef PajeDestroyContainer 6
%       Time date
%       Type string
%       Name string
%EndEventDef
0 group 0 group
0 lane group lane
1 doing lane doing
)";

struct ShownSpan {
  std::string lane;
  std::string value;
  double begin = 0;
  double end = 0;
};

/// Names are quoted; quotes inside would end them.
std::string name(std::string text)
{
  std::ranges::replace(text, '"', '\'');
  return '"' + text + '"';
}

/// Timeline in the Paje format. Source: "Paje trace file format" (Kergommeaux, Stein, Schnorr 2013); pj_dump of Pajeng
/// reads it.
class Paje final : public Exporter
{
public:
  ExportText write(const ExportInput& input) const override
  {
    if (input.results.empty())
      throw InputError{"paje needs a results folder: simrun SCENARIO -o DIR, then simrun export --format paje DIR"};
    std::error_code error;
    std::map<std::string, std::vector<ShownSpan>> groups;
    if (std::filesystem::exists(input.results / "trace.json.gz", error))
      groups = of_steps(input.results / "trace.json.gz");
    else if (std::filesystem::exists(input.results / "runs.csv", error))
      groups = of_queue(input);
    else
      throw InputError{
          fmt::format("'{}' has neither trace.json.gz nor runs.csv, so there is no timeline", input.results.string())};
    return {text_of(groups), {}};
  }

private:
  static std::map<std::string, std::vector<ShownSpan>> of_steps(const std::filesystem::path& file)
  {
    const nlohmann::json json = nlohmann::json::parse(InputFile{file}.text(), nullptr, false);
    if (json.is_discarded() || !json.contains("traceEvents"))
      throw InputError{fmt::format("'{}' is not a trace of simrun", file.string())};
    std::map<int, std::string> processes;
    std::map<std::pair<int, int>, std::string> threads;
    std::map<std::string, std::vector<ShownSpan>> groups;
    for (const auto& event : json["traceEvents"])
      if (event.value("ph", "") == "M") {
        if (event.value("name", "") == "process_name")
          processes[event.value("pid", 0)] = event["args"].value("name", "");
        else if (event.value("name", "") == "thread_name")
          threads[{event.value("pid", 0), event.value("tid", 0)}] = event["args"].value("name", "");
      }
    for (const auto& event : json["traceEvents"])
      if (event.value("ph", "") == "X") {
        const int process = event.value("pid", 0), thread = event.value("tid", 0);
        const double begin = event.value("ts", 0.0) * 1e-6;
        groups[processes[process]].push_back(
            {threads[{process, thread}], event.value("name", ""), begin, begin + event.value("dur", 0.0) * 1e-6});
      }
    return groups;
  }

  static std::map<std::string, std::vector<ShownSpan>> of_queue(const ExportInput& input)
  {
    const auto seconds = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
    std::map<std::string, std::vector<ShownSpan>> groups;
    const auto add = [&](const std::string& file, const char* state, const char* from, const char* to, bool also_none) {
      const CsvTable table = result_table(input.results, file, {"policy", "job", from, to});
      for (const CsvTable::Row& row : table.rows) {
        const std::string& policy = table.cell(row, "policy");
        const double begin = seconds(table.cell(row, from)), end = seconds(table.cell(row, to));
        const bool wanted = input.policy.empty() || policy == input.policy;
        if (wanted && !table.cell(row, to).empty() && (also_none || end > begin))
          groups[policy].push_back({"job " + table.cell(row, "job"), state, begin, end});
      }
    };
    add("jobs.csv", "waiting", "submit_s", "start_s", false);
    add("runs.csv", "running", "from_s", "to_s", true);
    if (groups.empty())
      throw InputError{fmt::format("there is no policy '{}' in the results", input.policy)};
    return groups;
  }

  static std::string text_of(const std::map<std::string, std::vector<ShownSpan>>& groups)
  {
    std::string text = header;
    std::map<std::string, std::string> values, lanes;
    double end = 0;
    for (const auto& [group, spans] : groups)
      for (const ShownSpan& span : spans)
        if (values.try_emplace(span.value, fmt::format("v{}", values.size())).second)
          text += fmt::format("2 {} doing {} \"{:.2f} {:.2f} {:.2f}\"\n", values[span.value], name(span.value),
                              0.25 + 0.7 * static_cast<double>(values.size() * 37 % 10) / 10,
                              0.25 + 0.7 * static_cast<double>(values.size() * 53 % 10) / 10,
                              0.25 + 0.7 * static_cast<double>(values.size() * 71 % 10) / 10);
    std::vector<std::string> opened;
    struct Change {
      double time;
      int order; // a lane's end comes before its next begin at the same time
      std::string line;
    };
    std::vector<Change> changes;
    int number = 0;
    for (const auto& [group, spans] : groups) {
      const std::string alias = fmt::format("g{}", number++);
      text += fmt::format("3 0 {} group 0 {}\n", alias, name(group.empty() ? "run" : group));
      std::map<std::string, std::string> own;
      std::vector<const ShownSpan*> sorted;
      for (const ShownSpan& span : spans)
        sorted.push_back(&span);
      std::ranges::stable_sort(sorted, {}, [](const ShownSpan* span) { return span->begin; });
      std::map<std::string, double> busy_until;
      for (const ShownSpan* span : sorted) {
        const auto [lane, fresh] = own.try_emplace(span->lane, fmt::format("l{}", lanes.size() + own.size()));
        if (fresh)
          text += fmt::format("3 0 {} lane {} {}\n", lane->second, alias, name(span->lane));
        double& free = busy_until[span->lane];
        const double begin = std::max(span->begin, free), stop = std::max(begin, span->end);
        free = stop;
        end = std::max(end, stop);
        changes.push_back({begin, 1, fmt::format("4 {:.9f} doing {} {}\n", begin, lane->second, values[span->value])});
        changes.push_back({stop, stop > begin ? 0 : 2, fmt::format("5 {:.9f} doing {}\n", stop, lane->second)});
      }
      for (const auto& [lane, its] : own)
        lanes.emplace(alias + lane, its);
      opened.push_back(alias);
    }
    std::ranges::stable_sort(changes, [](const Change& a, const Change& b) {
      return a.time < b.time || (a.time == b.time && a.order < b.order);
    });
    for (const Change& change : changes)
      text += change.line;
    for (const auto& [lane, alias] : lanes)
      text += fmt::format("6 {:.9f} lane {}\n", end, alias);
    for (const std::string& alias : opened)
      text += fmt::format("6 {:.9f} group {}\n", end, alias);
    return text;
  }
};

TY_REGISTER(Exporter, Paje, "paje", "Paje timeline of steps or of a queue, for pj_dump, ViTE and Pajeng");

} // namespace
} // namespace trainyard
