// SPDX-License-Identifier: Apache-2.0
/// The samples of tests/data/samples: each gives the scenario and report of its golden file, and `simrun check` accepts
/// it. So do files that other projects publish in these formats, which are not part of the repository.
#include "tests/import/import_support.hpp"
#include "tests/support/places.hpp"
#include "tests/support/read_bytes.hpp"
#include "tests/support/shared_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using tests::read_bytes;

struct Sample {
  const char* name;                   // of the golden file
  std::vector<std::string> files;     // of tests/data/samples
  std::vector<std::string> finds;     // what the scenario and its report must match, worked out from the files by hand
  int errors = 0;                     // that the report is to hold
  std::vector<std::string> published; // files of another project in which the same must be found
};

std::ostream& operator<<(std::ostream& out, const Sample& sample)
{
  return out << sample.name;
}

/// Imports files of @p folder: the report must have what the sample names, and all of it must be that of the golden
/// file.
void expect_golden(const Sample& sample, const fs::path& folder, const std::vector<std::string>& names,
                   const fs::path& golden)
{
  SCOPED_TRACE(sample.name);
  std::vector<InputFile> files;
  std::vector<fs::path> paths;
  for (const std::string& name : names) {
    paths.push_back(folder / name);
    ASSERT_TRUE(fs::exists(paths.back())) << paths.back();
    files.emplace_back(name, read_bytes(paths.back()));
  }
  ImportOptions options;
  options.name = sample.name;
  const ImportResult result = import_files(files, options, tests::catalogue());
  EXPECT_EQ(result.report.faults.errors(), sample.errors);
  std::string text = result.yaml;
  const auto add = [&](const std::string& words) {
    std::istringstream lines{words};
    for (std::string line; std::getline(lines, line);)
      text += "# " + line + "\n";
  };
  if (text.empty()) // they say nothing that could be simulated
    add(report_text(result.report));
  text += "\n# Faults\n";
  for (const Diagnostic& fault : result.report.faults.sorted())
    add(format(fault));
  for (const std::string& find : sample.finds)
    EXPECT_THAT(text, ::testing::ContainsRegex(find));
  if (std::getenv("UPDATE_GOLDEN") != nullptr)
    std::ofstream{golden, std::ios::binary} << text;
  EXPECT_EQ(text, read_bytes(golden));
  if (sample.errors == 0) {
    EXPECT_EQ(tests::check_errors(import_files(paths, {}, tests::catalogue())), "");
  }
}

const fs::path golden_folder = tests::source_folder() / "tests/golden/import";

const std::vector<Sample> samples{
    {.name = "compose_gpu",
     .files = {"compose/ps-worker-gpu.docker-compose.yml"},
     .finds = {R"(reschedule policy \["on-node-failure"\] \(lines [0-9]+, [0-9]+, [0-9]+\))",
               R"(label aliyun.gpu\) \(lines [0-9]+, [0-9]+\))",
               "job tf: 2 workers with 1 GPU, 1 parameter server, port 2222"},
     .published = {"compose/alibaba-ps-worker-gpu.docker-compose.yml"}},
    {.name = "compose_cpu",
     .files = {"compose/ps-worker-cpu.docker-compose.yml"},
     .finds = {R"(restart: always \(lines [0-9]+, [0-9]+, [0-9]+\))",
               "job tf: 2 workers with CPUs, 1 parameter server, port 2222"},
     .published = {"compose/alibaba-ps-worker-cpu.docker-compose.yml"}},
    {.name = "compose_batch",
     .files = {"compose/batch-client.docker-compose.yml"},
     .finds = {"services run to completion", "finished containers: remove-none", "the file states no resources"},
     .published = {"compose/alibaba-batch-client.docker-compose.yml"}},
    {.name = "swarm_stack",
     .files = {"compose/swarm-generic-gpu.stack.yml"},
     .finds = {"2 at a time every 10 s", R"(\{role: ps, replicas: 1\})",
               R"(\{role: worker, replicas: 5, resources: \{gpus: 1,)"}},
    {.name = "slurm",
     .files = {"slurm/slurm.conf", "slurm/gres.conf", "slurm/topology.conf", "slurm/sacct.psv"},
     .finds = {"4 machines with 8 x A100", "3 machines with 4 x V100", "1 machine with 3 x V100",
               "2 machines without GPUs", "switch core above 3 switches", "6 jobs, 5 with GPUs, up to 16 GPUs",
               "job that never started", "NODE_FAIL", "TIMEOUT"}},
    {.name = "lsf_script",
     .files = {"lsf/train.lsf"},
     .finds = {"array of 6 jobs", "job sweep: 16 slots, 2 hosts, 8 GPUs", "gpu_type: A100-SXM4-40GB"}},
    {.name = "lsf_accounting",
     .files = {"lsf/lsb.acct"},
     .finds = {"2 jobs, 1 with GPUs, up to 4 GPUs", "job that never started", "job that ended as EXIT"}},
    {.name = "nccl_elements",
     .files = {"nccl/eight-gpus-32-nics.xml"},
     .finds = {"48 PCI elements, 8 of them switches", R"(8 GPUs \(line)", "32 NICs of 100 Gbit/s"},
     .published = {"nccl/aws-p5.48xl-topo.xml"}},
    {.name = "nccl_classes",
     .files = {"nccl/eight-gpus-by-class.xml"},
     .finds = {R"(8 GPUs \(by their PCI class\))", "4 NICs of 100 Gbit/s",
               "GPUs are A100-SXM4-40GB: by the PCI device number"},
     .published = {"nccl/aws-p4d-24xl-topo.xml"}},
    {.name = "nccl_bus_numbers",
     .files = {"nccl/bus-numbers-only.xml"},
     .finds = {"9 PCI elements, 0 of them switches", "error: found no GPU"},
     .errors = 1,
     .published = {"nccl/aws-g5.48xl-topo.xml"}},
    {.name = "swf", .files = {"swf/format-sample.swf"}, .finds = {"12 jobs", "17 at 730-750 s, 17 at 1030-1620 s"}},
    {.name = "openb_pods",
     .files = {"traces/openb_pod_list_default.head100.csv"},
     .finds = {R"(99 jobs, 93 with GPUs \(34 with a part of a GPU\))", R"(never scheduled \(5 rows\))"}},
    {.name = "openb_nodes",
     .files = {"traces/openb_node_list_gpu_node.head40.csv"},
     .finds = {"39 machines, 166 GPUs of 6 types"}},
    {.name = "tiresias",
     .files = {"traces/tiresias_60_job.csv", "traces/tiresias_cluster_spec.csv"},
     .finds = {"60 jobs, 60 with GPUs, up to 8 GPUs", "16 machines, 64 GPUs of 1 type"}},
    {.name = "kueue_tfjob",
     .files = {"k8s/tfjob.yaml"},
     .finds = {R"(\(TFJob\): 2 workers, 1 parameter server, no GPU)", R"(200 MiB of memory \(lines [0-9]+, [0-9]+\))"},
     .published = {"k8s/kueue-tfjob.yaml"}},
    {.name = "kueue_pytorchjob",
     .files = {"k8s/pytorchjob.yaml"},
     .finds = {R"(1 master \(it trains as rank 0\), 1 worker)", R"(\(PyTorchJob\): 2 workers, no GPU)"},
     .published = {"k8s/kueue-pytorchjob.yaml"}},
    {.name = "kueue_mpijob",
     .files = {"k8s/mpijob.yaml"},
     .finds = {"1 launcher: it starts the ranks and computes nothing", R"(\(MPIJob\): 2 workers, no GPU)"},
     .published = {"k8s/kueue-mpijob.yaml"}},
    {.name = "kueue_jobset",
     .files = {"k8s/jobset-one-rack.yaml"},
     .finds = {"placement of all pods in one cloud.provider.com/topology-rack", "4 pods, no GPU", "at most 0 restarts"},
     .published = {"k8s/kueue-jobset-tas.yaml"}},
    {.name = "kueue_clusterqueue",
     .files = {"k8s/kueue-clusterqueue.yaml", "k8s/kueue-topology.yaml"},
     .finds = {": 9 cpu", ": 36 GiB memory", "level 1: cloud.provider.com/topology-block",
               "level 2: cloud.provider.com/topology-rack", "level 3: kubernetes.io/hostname"},
     .published = {"k8s/kueue-clusterqueue.yaml", "k8s/kueue-topology.yaml"}},
    {.name = "kubectl_kueue",
     .files = {"k8s/kubectl-nodes-pods.json", "k8s/kueue-workloads.yaml"},
     .finds = {"job huge-0: never fits", "node gpu-c is cordoned",
               R"(- \{name: sweep, submit: 7200 s, duration: 1800 s)", R"(quota of vision: 4 nvidia.com/gpu)",
               "lending_limit: 4, cpu: 128"}},
    {.name = "volcano_queues",
     .files = {"k8s/volcano-queues.yaml"},
     .finds = {"weights: research=2 product=1, capabilities: research=8, guarantees: product=4",
               R"(- \{name: train, submit: 0 s, duration: 7200 s, gpus: 8, tasks: 4)"}},
    {.name = "volcano_mpi",
     .files = {"k8s/volcano-mpi.yaml"},
     .finds = {R"(gang: starts when 3 of 3 pods can start \(minAvailable\))", "task mpimaster: 1 replica",
               "task mpiworker: 2 replicas"},
     .published = {"k8s/volcano-mpi.yaml"}},
    {.name = "volcano_ps",
     .files = {"k8s/volcano-ps-worker.yaml"},
     .finds = {R"(gang: starts when 3 of 3 pods can start \(minAvailable\))", "task ps: 1 replica",
               "task worker: 2 replicas", "PodEvicted leads to RestartJob"},
     .published = {"k8s/volcano-tf-ps-worker.yaml"}},
    {.name = "volcano_hypernodes",
     .files = {"k8s/volcano-hypernodes.yaml"},
     .finds = {"from: node-0, to: leaf-0", "from: node-2, to: leaf-1", "from: leaf-0, to: spine-0, count: 2",
               "from: leaf-1, to: spine-0, count: 2"}},
    {.name = "volcano_broken", // seven documents can be read, six of them before the broken one
     .files = {"k8s/broken-volcano-hypernodes.yaml"},
     .finds = {R"(no key 'version' \(lines [0-9]+, [0-9]+, [0-9]+, [0-9]+, [0-9]+, [0-9]+, [0-9]+\))",
               "error: this line is not 'key: value'"},
     .errors = 1,
     .published = {"k8s/broken-volcano-hypernodes-excerpt.yaml"}},
    {.name = "gpu_share",
     .files = {"k8s/node-two-gpus.yaml", "k8s/pod-half-gpu.yaml"},
     .finds = {"2 x V100-SXM2-16GB, 64 CPU cores, 250 GiB, 2000 milli-GPU", "gpu_share: 0.5"},
     .published = {"k8s/node-gpu-pai-00.yaml", "k8s/pod-gpu-share.yaml"}},
    {.name = "nccl_tests_text",
     .files = {"nccl/all_reduce_perf-format.txt"},
     .finds = {"4 sizes", "2 GPUs on 1 machine"}},
    {.name = "nccl_tests_json",
     .files = {"nccl/all_reduce_perf-format.json"},
     .finds = {"2 sizes", "2 GPUs on 1 machine"}},
    {.name = "simgrid_fat_tree",
     .files = {"topo/simgrid-fat-tree.xml"},
     .finds = {"cluster of 16 hosts, FAT_TREE", "topology: fat_tree"},
     .published = {"topo/simgrid_cluster_fat_tree.xml"}},
    {.name = "simgrid_dragonfly",
     .files = {"topo/simgrid-dragonfly.xml"},
     .finds = {"cluster of 120 hosts, DRAGONFLY", "topology: dragonfly"},
     .published = {"topo/simgrid_cluster_dragonfly.xml"}},
    {.name = "simgrid_cabinets",
     .files = {"topo/simgrid-cabinets.xml"},
     .finds = {R"(cabinet of 16 hosts \(lines [0-9]+, [0-9]+, [0-9]+, [0-9]+, [0-9]+, [0-9]+, [0-9]+, [0-9]+\))",
               "one job over 129 machines"},
     .published = {"batsim/simgrid_cluster_locality_8x16.xml"}},
    {.name = "astra_sim",
     .files = {"topo/astra-sim-switch.yml"},
     .finds = {"dimension 1: Switch of 8 NPUs, [0-9.]+ GiB/s, [0-9.]+ ns", "bandwidths are GiB/s"},
     .published = {"topo/astrasim_HGX-H100.yml"}},
    {.name = "chakra_et",
     .files = {"chakra/sum.0.et", "chakra/sum.1.et"},
     .finds = {"schema 0.0.4", "1 node: 0 of computing, 1 collective, 0 messages, 1048576 bytes of all-reduce"},
     .published = {"chakra/all_reduce_4npus_1MB.0.et", "chakra/all_reduce_4npus_1MB.1.et"}},
    {.name = "chakra_json",
     .files = {"chakra/seven-nodes.json"},
     .finds = {R"(keys that the schema spells differently \(Id, ctrlDeps\))",
               "7 nodes: 4 of computing, 3 collectives, 0 messages"},
     .published = {"chakra/small_chakra.0.json"}},
    {.name = "batsim_delays",
     .files = {"batsim/ten-delays.json"},
     .finds = {"10 jobs over 1 profile", "2 hosts"},
     .published = {"batsim/workload_delays.json"}},
    {.name = "batsim_profiles",
     .files = {"batsim/eleven-jobs.json"},
     .finds = {"11 jobs over 9 profiles", "4 hosts", "exceeds its wall time"},
     .published = {"batsim/workload_various_profiles.json"}},
    {.name = "gavel_10",
     .files = {"traces/gavel_10_columns.trace", "traces/gavel_throughputs.json"},
     .finds = {"4 jobs, 4 with GPUs, up to 4 GPUs", "throughputs of 5 models on k80, v100",
               "run times are steps / throughput on v100"}},
    {.name = "gavel_7",
     .files = {"traces/gavel_7_columns.trace", "traces/gavel_throughputs.json"},
     .finds = {"2 jobs, 2 with GPUs, up to 8 GPUs"}},
};

class ImportSamples : public ::testing::TestWithParam<Sample>
{
};

TEST_P(ImportSamples, GivesItsGoldenScenarioAndReport)
{
  const Sample& sample = GetParam();
  expect_golden(sample, tests::source_folder() / "tests/data/samples", sample.files,
                golden_folder / (std::string{sample.name} + ".yaml"));
}

INSTANTIATE_TEST_SUITE_P(All, ImportSamples, ::testing::ValuesIn(samples),
                         [](const auto& sample) { return std::string{sample.param.name}; });

TEST(PublishedSamples, GiveTheirGoldenScenariosAndReports)
{
  const fs::path folder = tests::shared_data("samples");
  SKIP_WITHOUT_SHARED(folder);
  for (const Sample& sample : samples)
    if (!sample.published.empty())
      expect_golden(sample, folder, sample.published,
                    golden_folder / "published" / (std::string{sample.name} + ".yaml"));
}

} // namespace
} // namespace trainyard
