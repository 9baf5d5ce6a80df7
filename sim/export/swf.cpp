// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
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
    const auto rows = result_table(input.results, "jobs.csv",
                                   {"policy", "job", "user", "team", "gpus", "submit_s", "start_s", "end_s",
                                    "duration_s", "state", "preemptions"});
    if (rows.empty())
      throw InputError{fmt::format("'{}' lists no jobs", (input.results / "jobs.csv").string())};
    const std::string policy = input.policy.empty() ? rows.front()[0] : input.policy;
    std::map<std::string, int> users, teams;
    std::string body;
    long long number = 0, most = 0, unfinished = 0, stopped = 0;
    for (const auto& row : rows) {
      if (row[0] != policy)
        continue;
      const double submit = std::strtod(row[5].c_str(), nullptr);
      const bool ran = !row[6].empty() && !row[7].empty();
      const long long wait = ran ? std::llround(std::strtod(row[6].c_str(), nullptr) - submit) : -1;
      const long long run =
          ran ? std::llround(std::strtod(row[7].c_str(), nullptr) - std::strtod(row[6].c_str(), nullptr)) : -1;
      const int user = users.try_emplace(row[2], static_cast<int>(users.size()) + 1).first->second;
      const int team = teams.try_emplace(row[3], static_cast<int>(teams.size()) + 1).first->second;
      const long long gpus = whole(row[4]);
      most = std::max(most, gpus);
      unfinished += row[9] == "finished" ? 0 : 1;
      stopped += row[10] == "0" ? 0 : 1;
      body += fmt::format("{} {} {} {} {} -1 -1 {} {} -1 {} {} {} -1 -1 -1 -1 -1\n", ++number, std::llround(submit),
                          wait, run, gpus, gpus, whole(row[8]), row[9] == "finished" ? 1 : 0, user, team);
    }
    if (number == 0)
      throw InputError{fmt::format("there is no policy '{}' in jobs.csv", policy)};
    ExportText result;
    result.text = fmt::format("; Version: 2.2\n; Computer: simulated by Trainyard\n; Installation: policy {}\n; "
                              "MaxJobs: {}\n; MaxRecords: "
                              "{}\n; UnixStartTime: 0\n; Note: processors are GPUs, times are rounded to seconds\n",
                              policy, number, number) +
                  body;
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
