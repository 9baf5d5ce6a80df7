// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/safe_text.hpp"
#include "sim/export/exporter.hpp"

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace trainyard {
namespace {

long long whole(const std::string& text)
{
  return text.empty() ? -1 : static_cast<long long>(std::llround(std::strtod(text.c_str(), nullptr)));
}

/// Standard Workload Format 2.2: 18 columns, -1 where unknown. GPUs stand in the columns of processors.
/// Source: Parallel Workloads Archive, "The Standard Workload Format".
class Swf final : public Exporter
{
public:
  ExportText write(const ExportInput& input) const override
  {
    if (input.results.empty())
      throw InputError{
          "swf needs the results folder of a queue run: simrun SCENARIO -o DIR, then simrun export --format swf DIR"};
    const CsvTable table = result_table(input.results, "jobs.csv",
                                        {"policy", "job", "user", "team", "gpus", "submit_s", "start_s", "end_s",
                                         "duration_s", "state", "preemptions"});
    if (table.rows.empty())
      throw InputError{fmt::format("'{}' lists no jobs", (input.results / "jobs.csv").string())};
    const std::string policy = input.policy.empty() ? table.cell(table.rows.front(), "policy") : input.policy;
    std::map<std::string, int> users, teams;
    std::string body;
    long long number = 0, most = 0, unfinished = 0, stopped = 0;
    for (const CsvTable::Row& row : table.rows) {
      const auto cell = [&](const char* column) -> const std::string& { return table.cell(row, column); };
      const auto seconds = [&](const char* column) { return std::strtod(cell(column).c_str(), nullptr); };
      if (cell("policy") != policy)
        continue;
      const double submit = seconds("submit_s");
      const bool ran = !cell("start_s").empty() && !cell("end_s").empty();
      const long long wait = ran ? std::llround(seconds("start_s") - submit) : -1;
      const long long run = ran ? std::llround(seconds("end_s") - seconds("start_s")) : -1;
      const int user = users.try_emplace(cell("user"), static_cast<int>(users.size()) + 1).first->second;
      const int team = teams.try_emplace(cell("team"), static_cast<int>(teams.size()) + 1).first->second;
      const long long gpus = whole(cell("gpus"));
      most = std::max(most, gpus);
      unfinished += cell("state") == "finished" ? 0 : 1;
      stopped += cell("preemptions") == "0" ? 0 : 1;
      body +=
          fmt::format("{} {} {} {} {} -1 -1 {} {} -1 {} {} {} -1 -1 -1 -1 -1\n", ++number, std::llround(submit), wait,
                      run, gpus, gpus, whole(cell("duration_s")), cell("state") == "finished" ? 1 : 0, user, team);
    }
    if (number == 0)
      throw InputError{fmt::format("there is no policy '{}' in jobs.csv", policy)};
    ExportText result;
    result.text = fmt::format("; Version: 2.2\n; Computer: simulated by Trainyard\n; Installation: policy {}\n; "
                              "MaxJobs: {}\n; MaxRecords: "
                              "{}\n; UnixStartTime: 0\n; Note: processors are GPUs, times are rounded to seconds\n",
                              one_line(policy), number, number) +
                  body;
    result.notes.emplace_back("what users estimated and which job follows which: results do not hold it, so the "
                              "requested time is the run time");
    if (unfinished > 0)
      result.notes.push_back(fmt::format("{} jobs did not finish: status 0", unfinished));
    if (stopped > 0)
      result.notes.push_back(
          fmt::format("{} jobs were stopped and went on later: their run time is from first start to end", stopped));
    return result;
  }
};

TY_REGISTER(Exporter, Swf, "swf", "Standard Workload Format 2.2: jobs of a queue run with waits and run times");

} // namespace
} // namespace trainyard
