// SPDX-License-Identifier: Apache-2.0
/// A new value of an orchestrator is a line of its YAML file, and a new orchestrator is such a file.
#include "models/core/data_folder.hpp"
#include "models/scenario/read_orchestrators.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

TEST(NewPart, AnOrchestratorIsAFile)
{
  const fs::path folder = fs::temp_directory_path() / ("trainyard-orchestrator-" + std::to_string(::getpid()));
  const fs::path catalogue = "models/orchestration/catalogue/orchestrators";
  fs::create_directories(folder / catalogue);
  fs::copy(data_folder() / catalogue, folder / catalogue);
  std::ofstream{folder / catalogue / "patient.yaml"}
      << "name: patient\ndescription: as Kubernetes, but slow to notice\nsource: made for this test\n"
         "like: kubernetes\nparameters:\n  node_detection: {value: 7 min, source: made for this test}\n";
  const std::map<std::string, Orchestrator> all = load_orchestrators(folder);
  fs::remove_all(folder);
  const OrchestratorRules patient = rules_at(all.at("patient"), ""), kubernetes = rules_at(all.at("kubernetes"), "");
  EXPECT_EQ(patient.node_detection, Seconds{420});
  EXPECT_EQ(patient.eviction_delay, kubernetes.eviction_delay);
  EXPECT_EQ(patient.restart, kubernetes.restart);
}

} // namespace
} // namespace trainyard
