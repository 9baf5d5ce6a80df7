// SPDX-License-Identifier: Apache-2.0
/// The samples kept beside the checkout: each gives the scenario and report of its golden file, and `simrun check` accepts it.
#include "tests/import/import_support.hpp"
#include "tests/support/places.hpp"
#include "tests/support/shared_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

struct Sample {
  const char* name; // of the golden file
  std::vector<std::string> files;
  int errors = 0; // that the report is to hold
};

std::ostream& operator<<(std::ostream& out, const Sample& sample)
{
  return out << sample.name;
}

std::string read(const fs::path& file)
{
  std::ostringstream text;
  text << std::ifstream{file, std::ios::binary}.rdbuf();
  return text.str();
}

class ImportSamples : public ::testing::TestWithParam<Sample>
{
};

TEST_P(ImportSamples, GivesItsGoldenScenarioAndReport)
{
  std::vector<InputFile> files;
  for (const std::string& name : GetParam().files) {
    const fs::path file = tests::shared_data("samples/" + name);
    SKIP_WITHOUT_SHARED(file);
    files.emplace_back(name, read(file));
  }
  ImportOptions options;
  options.name = GetParam().name;
  const ImportResult result = import_files(files, options, tests::catalogue());
  EXPECT_EQ(result.report.faults.errors(), GetParam().errors);
  std::string text = result.yaml + "\n# Faults\n";
  for (const Diagnostic& fault : result.report.faults.sorted()) {
    std::istringstream lines{format(fault)};
    for (std::string line; std::getline(lines, line);)
      text += "# " + line + "\n";
  }
  const fs::path golden = tests::source_folder() / "tests/golden/import" / (std::string{GetParam().name} + ".yaml");
  if (std::getenv("UPDATE_GOLDEN") != nullptr)
    std::ofstream{golden, std::ios::binary} << text;
  EXPECT_EQ(text, read(golden));
}

TEST_P(ImportSamples, GivesAScenarioThatTheCheckAccepts)
{
  std::vector<fs::path> paths;
  for (const std::string& name : GetParam().files) {
    paths.push_back(tests::shared_data("samples/" + name));
    SKIP_WITHOUT_SHARED(paths.back());
  }
  if (GetParam().errors > 0)
    GTEST_SKIP() << "a broken sample";
  EXPECT_EQ(tests::check_errors(import_files(paths, {}, tests::catalogue())), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, ImportSamples,
    ::testing::Values(Sample{"compose_gpu", {"compose/alibaba-ps-worker-gpu.docker-compose.yml"}},
                      Sample{"compose_cpu", {"compose/alibaba-ps-worker-cpu.docker-compose.yml"}},
                      Sample{"compose_batch", {"compose/alibaba-batch-client.docker-compose.yml"}},
                      Sample{"swarm_stack", {"compose/swarm-generic-gpu.stack.yml"}},
                      Sample{"slurm", {"slurm/slurm.conf", "slurm/gres.conf", "slurm/topology.conf", "slurm/sacct.psv"}},
                      Sample{"nccl_p5", {"nccl/aws-p5.48xl-topo.xml"}}, Sample{"nccl_p4d", {"nccl/aws-p4d-24xl-topo.xml"}},
                      Sample{"nccl_g5", {"nccl/aws-g5.48xl-topo.xml"}, 1}, Sample{"swf", {"swf/format-sample.swf"}},
                      Sample{"openb_pods", {"traces/openb_pod_list_default.head100.csv"}},
                      Sample{"openb_nodes", {"traces/openb_node_list_gpu_node.head40.csv"}},
                      Sample{"tiresias", {"traces/tiresias_60_job.csv", "traces/tiresias_cluster_spec.csv"}},
                      Sample{"kueue_tfjob", {"k8s/kueue-tfjob.yaml"}}, Sample{"kueue_pytorchjob", {"k8s/kueue-pytorchjob.yaml"}},
                      Sample{"kueue_mpijob", {"k8s/kueue-mpijob.yaml"}}, Sample{"kueue_jobset", {"k8s/kueue-jobset-tas.yaml"}},
                      Sample{"kueue_clusterqueue", {"k8s/kueue-clusterqueue.yaml", "k8s/kueue-topology.yaml"}},
                      Sample{"volcano_mpi", {"k8s/volcano-mpi.yaml"}}, Sample{"volcano_ps", {"k8s/volcano-tf-ps-worker.yaml"}},
                      Sample{"volcano_hypernodes", {"k8s/volcano-hypernodes.yaml"}},
                      Sample{"volcano_broken", {"k8s/broken-volcano-hypernodes-excerpt.yaml"}, 1},
                      Sample{"gpu_share", {"k8s/node-gpu-pai-00.yaml", "k8s/pod-gpu-share.yaml"}},
                      Sample{"nccl_tests_text", {"nccl/all_reduce_perf-format.txt"}},
                      Sample{"nccl_tests_json", {"nccl/all_reduce_perf-format.json"}},
                      Sample{"simgrid_fat_tree", {"topo/simgrid_cluster_fat_tree.xml"}},
                      Sample{"simgrid_dragonfly", {"topo/simgrid_cluster_dragonfly.xml"}},
                      Sample{"simgrid_cabinets", {"batsim/simgrid_cluster_locality_8x16.xml"}},
                      Sample{"astra_sim", {"topo/astrasim_HGX-H100.yml"}},
                      Sample{"chakra_et", {"chakra/all_reduce_4npus_1MB.0.et", "chakra/all_reduce_4npus_1MB.1.et"}},
                      Sample{"chakra_json", {"chakra/small_chakra.0.json"}}, Sample{"batsim_delays", {"batsim/workload_delays.json"}},
                      Sample{"batsim_profiles", {"batsim/workload_various_profiles.json"}},
                      Sample{"gavel_10", {"traces/gavel_10_columns.trace"}}, Sample{"gavel_7", {"traces/gavel_7_columns.trace"}}),
    [](const auto& sample) { return std::string{sample.param.name}; });

} // namespace
} // namespace trainyard
