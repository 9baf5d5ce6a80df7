// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/data_folder.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "tests/support/checked_points.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace trainyard::tests {

/// One machine type of 4 V100s, two machines; what follows is the rest of the scenario.
inline const std::string queue_head =
    "trainyard: 1\nname: q\nquestion: who waits?\ncluster:\n"
    "  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 32, memory: 256 GB}}\n"
    "  nodes: [{name: n, type: n, count: 2}]\n  network: {topology: star, link: 25GbE}\n";

inline RunReport run_queue(const std::string& text, const std::string& file = "q.yaml")
{
  const std::vector<CheckedPoint> points = tests::checked_points(text, file);
  const ScenarioRunner* runner = runner_of(points.front().scenario);
  return runner->run(points, {});
}

/// What `simrun check` says about the jobs of a scenario, without running it.
inline std::string queue_outline(const std::string& text)
{
  const std::vector<CheckedPoint> points = tests::checked_points(text, "q.yaml");
  Diagnostics doubts;
  return runner_of(points.front().scenario)->outline(points, load_catalogue(data_folder()), doubts).text;
}

/// All faults of a scenario in one text; empty where there are none.
inline std::string queue_faults(const std::string& text)
{
  try {
    run_queue(text);
  } catch (const InputError& error) {
    std::string all = error.diagnostics().empty() ? error.what() : "";
    for (const Diagnostic& one : error.diagnostics())
      all += one.message + "\n";
    return all;
  }
  return {};
}

/// Results of a run in a folder of its own that goes with it.
class QueueFolder
{
public:
  explicit QueueFolder(const RunReport& report)
      : folder_{std::filesystem::temp_directory_path() /
                ("trainyard-queue-" + std::to_string(::getpid()) + "-" + std::to_string(++count()))}
  {
    std::filesystem::create_directories(folder_);
    for (const RunFile& file : report.files)
      if (file.name.ends_with(".csv"))
        file.write(folder_ / file.name);
    std::ofstream{folder_ / "summary.json"} << report.summary;
  }
  ~QueueFolder() { std::filesystem::remove_all(folder_); }
  QueueFolder(const QueueFolder&) = delete;
  QueueFolder& operator=(const QueueFolder&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  std::string explain(const std::string& job) const
  {
    return runner_of_kind("trainyard queue")->explain(folder_, "job", job).text();
  }

private:
  static int& count()
  {
    static int number = 0;
    return number;
  }
  std::filesystem::path folder_;
};

} // namespace trainyard::tests
