// SPDX-License-Identifier: Apache-2.0
/// Small inputs of our own for every importer but compose and Slurm: what must be found in them, computed by hand.
#include "models/dnn/builder.hpp"
#include "tests/import/import_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <unistd.h>
#include <zlib.h>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;
using tests::lines_of;

namespace fs = std::filesystem;

TEST(ImportKubernetes, ReadsNodesPodsAndJobsAcrossDocuments)
{
  const ImportResult result = import_texts({{"m.yaml", R"(apiVersion: v1
kind: Node
metadata: {name: a, labels: {nvidia.com/gpu.product: Tesla-T4}}
status: {allocatable: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "2"}}
---
kind: List
items:
  - apiVersion: v1
    kind: Pod
    metadata: {name: p}
    spec:
      restartPolicy: Never
      containers:
        - {name: c, command: [sleep, 90s], resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {nvidia.com/gpu: 1}}}
        - {name: d, resources: {requests: {cpu: 1}}}
---
apiVersion: example.org/v1
kind: Strange
metadata: {name: s}
)"}});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].gpu, "T4");
  EXPECT_EQ(result.draft.machines[0].gpus, 2);
  ASSERT_EQ(result.draft.services.size(), 1U);
  const DraftTasks& tasks = result.draft.services[0].tasks[0];
  EXPECT_DOUBLE_EQ(tasks.cpu, 1.5); // containers of a pod add up
  EXPECT_EQ(tasks.gpus, 1);
  EXPECT_DOUBLE_EQ(result.draft.services[0].work_s, 90);
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "Strange example.org/v1")), ElementsAre(17));
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportKubernetes, ReadsTrainingOperatorsAndPriorities)
{
  const ImportResult result = import_texts({{"a.yaml", R"(apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: t}
spec:
  tfReplicaSpecs:
    PS: {replicas: 2, template: {spec: {containers: [{name: c}]}}}
    Worker:
      replicas: 3
      restartPolicy: OnFailure
      template: {spec: {priorityClassName: high, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 2}}}]}}
)"},
                                            {"b.yaml", R"(apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
)"}});
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  EXPECT_EQ(result.draft.jobs[0].workers, 6); // three workers of two GPUs
  EXPECT_EQ(result.draft.jobs[0].servers, 2);
  EXPECT_DOUBLE_EQ(result.draft.jobs[0].priority, 1000); // of the other file
  EXPECT_EQ(result.draft.services[0].restart, "on_failure");
}

TEST(ImportKubernetes, GoesOnAfterABrokenDocument)
{
  const ImportResult result = import_texts(
      {{"m.yaml",
        "kind: Queue\napiVersion: scheduling.volcano.sh/v1beta1\nmetadata: {name: q}\n---\na: [1\n---\napiVersion: "
        "v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: []}\n"}});
  EXPECT_EQ(result.report.faults.errors(), 1);
  EXPECT_GE(result.report.faults.sorted()[0].where.line, 5);
  EXPECT_EQ(result.draft.services.size(), 1U);
}

TEST(ImportNvidiaSmi, ReadsTheMatrixWithTabsAndEscapes)
{
  const ImportResult result = import_texts({{"topo.txt", "\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\x1b[0m\n"
                                                         "GPU0\t X \tNV12\tNV12\tNV12\tPXB\t0-31\n"
                                                         "GPU1\tNV12\t X \tNV12\tNV12\tPXB\t0-31\n"
                                                         "GPU2\tNV12\tNV12\t X \tNV12\tSYS\t32-63\n"
                                                         "GPU3\tNV12\tNV12\tNV12\t X \tSYS\t32-63\n"
                                                         "NIC0\tPXB\tPXB\tSYS\tSYS\t X \n"}});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].gpus, 4);
  EXPECT_EQ(result.draft.machines[0].nics, 1);
  EXPECT_EQ(result.draft.machines[0].gpu, "A100-SXM4-40GB");
  EXPECT_THAT(result.draft.machines[0].intra, HasSubstr("links_per_gpu: 12"));
  EXPECT_EQ(check_errors(result), "");
}

// NVIDIA's data sheets: an A100 has 12 NVLinks, an H100 18, an A800 8; boards of four have a third of them to each
// other GPU, NVSwitch shows all of them for every pair.
TEST(ImportNvidiaSmi, TheLinksOfAGpuToAllOthersTellItsType)
{
  const auto machine = [](int gpus, const std::string& links) {
    std::string text, rows;
    for (int i = 0; i < gpus; ++i) {
      text += fmt::format("\tGPU{}", i);
      rows += fmt::format("GPU{}", i);
      for (int k = 0; k < gpus; ++k)
        rows += i == k ? "\t X " : "\t" + links;
      rows += "\t0-31\n";
    }
    return import_texts({{"topo.txt", text + "\tCPU Affinity\n" + rows}}).draft.machines.at(0);
  };
  for (const auto& [gpus, links, gpu, of_gpu] : {std::tuple{4, "NV4", "A100-SXM4-40GB", 12},
                                                 {4, "NV6", "H100-SXM5", 18},
                                                 {4, "NV2", "V100-SXM2-16GB", 6},
                                                 {4, "NV18", "H100-SXM5", 18},
                                                 {8, "NV8", "A800-SXM4-80GB", 8},
                                                 {8, "NV12", "A100-SXM4-40GB", 12},
                                                 {16, "NV6", "V100-SXM3-32GB", 6}}) {
    EXPECT_EQ(machine(gpus, links).gpu, gpu) << gpus << links;
    EXPECT_THAT(machine(gpus, links).intra, EndsWith(fmt::format("links_per_gpu: {}", of_gpu))) << gpus << links;
  }
}

// Newer drivers end with the names of the NICs that the matrix numbers: these lines are no rows of it.
TEST(ImportNvidiaSmi, TheLegendOfTheNicsIsNoPartOfTheMatrix)
{
  const ImportResult result = import_texts(
      {{"topo.txt", "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
                    "GPU0\t X \tNV12\tPXB\tSYS\t0-31\t0\t\tN/A\n"
                    "GPU1\tNV12\t X \tSYS\tPXB\t32-63\t1\t\tN/A\n"
                    "NIC0\tPXB\tSYS\t X \tSYS\t\t\t\t\nNIC1\tSYS\tPXB\tSYS\t X \t\t\t\t\n\n"
                    "Legend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n\n"
                    "NIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n\n"}});
  EXPECT_FALSE(result.report.faults.has_errors());
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].gpus, 2);
  EXPECT_EQ(result.draft.machines[0].nics, 2);
  EXPECT_NE(find_entry(result.report.understood(), "NICs mlx5_0, mlx5_1"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

// A fast NIC for the GPUs and a slow one for all else: one of 200 Gbit/s, not two.
TEST(ImportNcclTopology, NicsThatAreSlowerThanOthersAreLeftOut)
{
  const auto nic = [](const char* name, int mbit) {
    return fmt::format("<pci busid=\"0000:1{0}:00.0\" class=\"0x020000\"><nic><net name=\"{0}\" dev=\"0\" "
                       "speed=\"{1}\"/></nic></pci>\n",
                       name, mbit);
  };
  const ImportResult result =
      import_texts({{"t.xml", "<system version=\"1\"><cpu numaid=\"0\">\n<pci busid=\"0000:01:00.0\" "
                              "class=\"0x030200\"><gpu dev=\"0\" sm=\"80\" rank=\"0\"/></pci>\n" +
                                  nic("a", 25000) + nic("b", 200000) + nic("c", 200000) + "</cpu></system>\n"}});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].nics, 2);
  EXPECT_EQ(result.draft.machines[0].nic_bandwidth, "200 Gbit/s");
  EXPECT_NE(find_entry(result.report.understood(), "2 NICs of 200 Gbit/s"), nullptr);
  EXPECT_EQ(lines_of(find_entry(result.report.ignored(), "1 NIC of 25 Gbit/s")), std::vector<int>{3});
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportNvidiaSmi, ReadsPcieMachines)
{
  const ImportResult result =
      import_texts({{"topo.txt", "        GPU0 GPU1 CPU Affinity\nGPU0     X   SYS   0-7\nGPU1    SYS   X    8-15\n"}});
  EXPECT_THAT(result.draft.machines[0].intra, HasSubstr("pcie_tree, sockets: 2"));
  EXPECT_EQ(check_errors(result), "");
}

// Eight cards on two sockets, two of them below each switch: PIX stands once in a row. By hand four switches.
TEST(ImportNvidiaSmi, CountsSwitchesAndKnowsCardsWithoutPeerAccess)
{
  std::string matrix = "GPU0 GPU1 GPU2 GPU3 GPU4 GPU5 GPU6 GPU7 CPU Affinity\n";
  for (int row = 0; row < 8; ++row) {
    matrix += "GPU" + std::to_string(row);
    for (int column = 0; column < 8; ++column)
      matrix += row == column ? " X" : row / 2 == column / 2 ? " PIX" : row / 4 == column / 4 ? " NODE" : " SYS";
    matrix += " 0-7\n";
  }
  const auto intra = [&](const char* gpu) {
    const ImportResult result = import_texts({{"topo.txt", matrix}}, {.gpu = gpu});
    EXPECT_EQ(check_errors(result), "");
    return result.draft.machines.at(0).intra;
  };
  EXPECT_EQ(intra("RTX-2080-Ti"), "pcie_no_peers, sockets: 2, switches_per_socket: 2");
  EXPECT_EQ(intra("T4"), "pcie_tree, sockets: 2, switches_per_socket: 2");
}

TEST(ImportSimgrid, ReadsClustersWithTheirUnits)
{
  const ImportResult result = import_texts({{"p.xml", R"(<platform version="4.1"><zone id="w" routing="Full">
<cluster id="c" prefix="n-" suffix="" radical="0-7" speed="2Gf" core="4" bw="10Gbps" lat="5us" topology="FAT_TREE" topo_parameters="2;4,2;1,2;1,1"/>
</zone></platform>)"}});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].count, 8);
  EXPECT_EQ(result.draft.network.topology, "fat_tree");
  EXPECT_EQ(result.draft.network.bandwidth, "1.25 GB/s"); // 10 Gbit/s
  EXPECT_DOUBLE_EQ(result.draft.core_flops, 2e9);
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportSimgrid, ReadsHostsLinksAndRoutes)
{
  const ImportResult result = import_texts({{"p.xml", R"(<platform version="4.1"><zone id="w" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="125MBps" latency="50us"/>
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>)"}});
  ASSERT_EQ(result.draft.machines.size(), 1U); // equal hosts are a group
  EXPECT_EQ(result.draft.machines[0].count, 2);
  EXPECT_EQ(result.draft.machines[0].nic_bandwidth, "125 MB/s");
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportBatsim, ComputesTimesOfProfilesOnThePlatformAndCutsAtTheWallTime)
{
  // 2 Gflop on 1 Gflop/s hosts: 2 s. 250 MB over 125 MB/s: 2 s each way at the same time. A sequence of both, twice: 8
  // s, cut at 5 s.
  const ImportResult result = import_texts(
      {{"p.xml",
        R"(<platform version="4.1"><cluster id="c" prefix="h" radical="0-3" speed="1Gf" bw="125MBps" lat="0"/></platform>)"},
       {"w.json", R"({"nb_res": 4, "jobs": [
{"id": "a", "subtime": 0, "walltime": 100, "res": 2, "profile": "cpu"},
{"id": "b", "subtime": 1.5, "walltime": 5, "res": 2, "profile": "both"},
{"id": "c", "subtime": 2, "res": 1, "profile": "strange"}],
"profiles": {"cpu": {"type": "parallel", "cpu": [2e9, 1e9], "com": [9e9, 0, 0, 9e9]},
"com": {"type": "ParallelTaskProfile", "com": [0, 250e6, 250e6, 0]},
"both": {"type": "composed", "repeat": 2, "seq": ["cpu", "com"]},
"strange": {"type": "smpi", "trace": "x"}}})"}});
  ASSERT_EQ(result.draft.queue_jobs.size(), 2U);
  EXPECT_DOUBLE_EQ(result.draft.queue_jobs[0].duration_s, 2);
  EXPECT_DOUBLE_EQ(result.draft.queue_jobs[1].duration_s, 5);
  EXPECT_NE(find_entry(result.report.understood(), "job b exceeds its wall time: 8 s of 5 s"), nullptr);
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "job c")), ElementsAre(4));
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportAstraSim, TakesBandwidthsAsBinary)
{
  const ImportResult result = import_texts(
      {{"n.yml",
        "topology: [ Switch, Ring ]\nnpus_count: [ 4, 8 ]\nbandwidth: [ 100.0, 25.0 ]\nlatency: [ 500.0, 1000.0 ]\n"}});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].gpus, 4);
  EXPECT_EQ(result.draft.machines[0].count, 8);
  EXPECT_EQ(result.draft.network.topology, "torus");
  EXPECT_EQ(result.draft.network.bandwidth, "26.8435 GB/s"); // 25 GiB/s
  // Each of the 4 NPUs of a machine has its own link on the ring: 4 cards, and 4 x 25 GiB/s from machine to machine.
  EXPECT_EQ(result.draft.machines[0].nics, 4);
  EXPECT_EQ(result.draft.machines[0].nic_bandwidth, "26.8435 GB/s");
  EXPECT_THAT(result.yaml, HasSubstr("dimensions: \"8\", link_bandwidth: 107.374 GB/s"));
  EXPECT_NE(find_entry(result.report.assumed(), "bandwidths are GiB/s"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportNcclTests, ReadsDevicesAndSizes)
{
  const ImportResult result =
      import_texts({{"out.txt", R"(#  Rank  0 Group  0 Pid   1 on     n0 device  0 [0000:06:00] Tesla T4
#  Rank  1 Group  0 Pid   2 on     n1 device  0 [0000:06:00] Tesla T4
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
        1024           256     float     sum      -1    10.00    0.10    0.10       0    11.00    0.09    0.09       0
     1048576        262144     float     sum      -1      N/A    0.10    0.10       0      N/A    0.09    0.09       0
# Collective test concluded: all_reduce_perf
)"}});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].count, 2);
  EXPECT_EQ(result.draft.machines[0].gpu, "T4");
  EXPECT_THAT(result.draft.jobs[0].model, HasSubstr("elements: 256"));
  EXPECT_NE(find_entry(result.report.ignored(), "1 row without a time"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

constexpr const char* profile = R"({"schemaVersion": 1,
"deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB", "totalGlobalMem": 1}, {"id": 1, "name": "Tesla V100-SXM2-16GB"}],
"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 4},
"traceEvents": [
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 1000, "args": {}},
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "ts": 1000, "dur": 1000},
 {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#2", "ts": 1000, "dur": 900},
 {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": 300, "args": {"stream": 7}},
 {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1001, "dur": 500},
 {"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce_RING", "ts": 10, "dur": 50, "args": {"Collective name": "allreduce", "In msg nelems": 1000000, "dtype": "Float", "Group size": 4}},
 {"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce_RING", "ts": 1010, "dur": 50, "args": {"Collective name": "allreduce", "In msg nelems": 1000000, "dtype": "Float"}},
 {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "ts": 2, "dur": 20},
 {"ph": "i", "name": "Iteration Start", "ts": 0}
]})";

void expect_profile(const ImportResult& result)
{
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  EXPECT_EQ(result.draft.jobs[0].workers, 4);
  EXPECT_EQ(result.draft.jobs[0].single_gpu_step, "0.0004 s");             // (300 + 500) us over two steps
  EXPECT_THAT(result.draft.jobs[0].model, HasSubstr("elements: 1000000")); // 4 MB a step
  EXPECT_EQ(result.draft.machines[0].gpu, "V100-SXM2-16GB");
  EXPECT_EQ(result.draft.machines[0].count, 2); // two GPUs a machine
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportProfiler, AddsUpKernelsAndCollectivesOfAStep)
{
  expect_profile(import_texts({{"trace.json", profile}}));
}

// Two ranks of two are one job of 2 GPUs, whose step is the slower one's 600 us; the same rank again is another job.
TEST(ImportProfiler, TracesOfTheRanksOfAJobAreOneJob)
{
  const auto rank = [](int number, int world, int kernel) {
    return "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA A100-SXM4-80GB\"}], "
           "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " +
           std::to_string(number) + ", \"world_size\": " + std::to_string(world) +
           "}, \"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"ts\": 1, \"dur\": " +
           std::to_string(kernel) + "}]}";
  };
  const ImportResult both = import_texts({{"rank0.json", rank(0, 2, 400)}, {"rank1.json", rank(1, 2, 600)}});
  ASSERT_EQ(both.draft.jobs.size(), 1U);
  EXPECT_EQ(both.draft.jobs[0].workers, 2);
  EXPECT_EQ(both.draft.jobs[0].single_gpu_step, "0.0006 s");
  EXPECT_EQ(both.draft.gpus(), 2);
  const ImportResult few = import_texts({{"rank0.json", rank(0, 8, 400)}, {"rank5.json", rank(5, 8, 400)}});
  EXPECT_EQ(few.draft.jobs.at(0).workers, 8);
  EXPECT_NE(find_entry(few.report.assumed(), "2 of 8 have one"), nullptr);
  EXPECT_EQ(import_texts({{"a.json", rank(0, 2, 400)}, {"b.json", rank(0, 2, 400)}}).draft.jobs.size(), 2U);
}

struct TempFile {
  explicit TempFile(const std::string& name)
      : path{fs::path{::testing::TempDir()} / (std::to_string(::getpid()) + "-" + name)}
  {
  }
  ~TempFile() { fs::remove(path); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  fs::path path;
};

void write_gz(const fs::path& path, const std::string& text, int times = 1)
{
  gzFile file = gzopen(path.c_str(), "wb9");
  for (int i = 0; i < times; ++i)
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

TEST(ImportProfiler, ReadsGzipAndRefusesBombsAndCutFiles)
{
  const TempFile file{"trace.json.gz"};
  write_gz(file.path, profile);
  const std::vector<fs::path> paths{file.path};
  expect_profile(import_files(paths, {}, tests::catalogue()));

  // 40 MB of blanks behind the head of a trace pack into 40 kB: a thousandfold.
  write_gz(file.path, std::string{"{\"traceEvents\": ["} + std::string(1U << 20U, ' '), 40);
  try {
    static_cast<void>(import_files(paths, {}, tests::catalogue()));
    ADD_FAILURE() << "a zip bomb was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("times its size"));
  }

  write_gz(file.path, profile);
  fs::resize_file(file.path, fs::file_size(file.path) - 30);
  EXPECT_THROW(static_cast<void>(InputFile{file.path}.text()), InputError);
}

TEST(InputFile, RefusesWhatIsTooLargeMissingOrEmpty)
{
  const TempFile file{"input"};
  EXPECT_THROW(InputFile{file.path}, InputError);
  std::ofstream{file.path};
  EXPECT_THROW(InputFile{file.path}, InputError);
  std::ofstream{file.path} << std::string(1000, 'x');
  EXPECT_THROW(static_cast<void>(InputFile(file.path, {.whole = 500}).text()), InputError);
  EXPECT_THROW(InputFile{fs::path{::testing::TempDir()}}, InputError);
  EXPECT_EQ(InputFile{file.path}.text().size(), 1000U);
}

// Protobuf by hand: a field with a length in front, a field with a number.
std::string part(int field, const std::string& bytes)
{
  std::string text{static_cast<char>(field << 3 | 2)};
  for (std::size_t size = bytes.size(); true; size >>= 7U) {
    text += static_cast<char>((size & 0x7fU) | (size > 0x7f ? 0x80U : 0U));
    if (size <= 0x7f)
      break;
  }
  return text + bytes;
}

std::string value(int field, unsigned number)
{
  return std::string{static_cast<char>(field << 3)} + static_cast<char>(number);
}

// y = relu(x W), x of 8 values, W of 8 x 4: 2 * 8 * 4 = 64 flop, 32 parameters.
std::string onnx_model()
{
  const auto tensor_type = [](unsigned columns) {
    return part(2, part(1, value(1, 1) + part(2, part(1, part(2, "N")) + part(1, value(1, columns)))));
  };
  const std::string graph =
      part(1, part(1, "x") + part(1, "W") + part(2, "h") + part(3, "dense") + part(4, "MatMul")) +
      part(1, part(1, "h") + part(2, "y") + part(4, "Relu")) + part(2, "tiny") +
      part(5, part(1, std::string{"\x08\x04", 2}) + value(2, 1) + part(8, "W") + part(9, std::string(128, '\0'))) +
      part(11, part(1, "x") + tensor_type(8)) + part(12, part(1, "y") + tensor_type(4));
  return value(1, 8) + part(2, "by hand") + part(7, graph) + part(8, value(2, 13));
}

// A file of 257 MiB that takes no room on the disk.
TEST(ImportOnnx, AFileWithItsWeightsInsideNamesExternalData)
{
  const std::filesystem::path file =
      std::filesystem::path{::testing::TempDir()} / ("large-" + std::to_string(::getpid()) + ".onnx");
  std::ofstream{file} << "\x08\x07\x12";
  std::filesystem::resize_file(file, 257U << 20U);
  std::string message;
  try {
    static_cast<void>(import_files(std::vector{file}, {}, tests::catalogue()));
  } catch (const InputError& error) {
    message = error.what();
  }
  std::filesystem::remove(file);
  EXPECT_THAT(
      message,
      HasSubstr("is larger than 256 MiB, and only the shapes of its weights are needed; save it with external data"));
}

TEST(ImportOnnx, CountsFlopParametersAndActivations)
{
  if (Registry<DnnFile>::instance().find(".onnx") == nullptr)
    GTEST_SKIP() << "part onnx: built without libonnx-dev";
  const TempFile file{"tiny.onnx"};
  std::ofstream{file.path, std::ios::binary} << onnx_model();
  const Dnn dnn = build_dnn(file.path.string());
  ASSERT_EQ(dnn.layers.size(), 2U);
  EXPECT_DOUBLE_EQ(dnn.forward_flop().value(), 64);
  EXPECT_DOUBLE_EQ(dnn.parameter_elements(), 32);
  EXPECT_DOUBLE_EQ(dnn.layers[1].activation_elements, 4);
  EXPECT_THAT(dnn.layers[1].inputs, ElementsAre(0));
  const std::vector<fs::path> paths{file.path};
  ImportOptions options;
  options.folder = file.path.parent_path();
  const ImportResult result = import_files(paths, options, tests::catalogue());
  EXPECT_FALSE(result.report.faults.has_errors());
  EXPECT_THAT(result.yaml, HasSubstr(".onnx"));
  std::ofstream{file.path, std::ios::binary} << onnx_model().substr(0, 60);
  EXPECT_THROW(build_dnn(file.path.string()), std::invalid_argument);
}

// One operator of a kind with an attribute that must be 1 or more: x of 1x3x32x32, W of 8x3x3x3.
std::string onnx_operator(const std::string& kind, const std::string& attribute, bool list, unsigned number,
                          const std::string& dims_of_W = {"\x08\x08\x08\x03\x08\x03\x08\x03", 8})
{
  const auto shape = [](const std::string& sizes) {
    std::string dims;
    for (const char size : sizes)
      dims += part(1, value(1, static_cast<unsigned char>(size)));
    return part(2, part(1, value(1, 1) + part(2, dims)));
  };
  const std::string values = list ? value(8, number) + value(8, number) + std::string{"\xa0\x01\x07", 3}
                                  : value(3, number) + std::string{"\xa0\x01\x02", 3};
  const std::string graph = part(1, part(1, "x") + part(1, "W") + part(2, "y") + part(3, "first") + part(4, kind) +
                                        part(5, part(1, attribute) + values)) +
                            part(2, "g") + part(5, dims_of_W + value(2, 1) + part(8, "W")) +
                            part(11, part(1, "x") + shape("\x01\x03\x20\x20")) + part(12, part(1, "y") + shape("\x01"));
  return value(1, 8) + part(8, part(1, "") + value(2, 13)) + part(7, graph);
}

// The inference of shapes divides by them.
TEST(ImportOnnx, CountsOfNothingAreErrorsWithTheOperator)
{
  if (Registry<DnnFile>::instance().find(".onnx") == nullptr)
    GTEST_SKIP() << "part onnx: built without libonnx-dev";
  for (const auto& [kind, attribute, list] :
       std::vector<std::tuple<std::string, std::string, bool>>{{"Conv", "strides", true},
                                                               {"Conv", "group", false},
                                                               {"ConvTranspose", "strides", true},
                                                               {"MaxPool", "strides", true},
                                                               {"AveragePool", "dilations", true},
                                                               {"LpPool", "kernel_shape", true},
                                                               {"SpaceToDepth", "blocksize", false}}) {
    const ImportResult result = import_texts({{"m.onnx", onnx_operator(kind, attribute, list, 0)}});
    ASSERT_TRUE(result.report.faults.has_errors()) << kind;
    EXPECT_EQ(result.report.faults.sorted().front().message,
              "'m.onnx': operator 'first' (" + kind + "): " + attribute + " 0; it must be 1 or more");
  }
  const ImportResult good = import_texts({{"m.onnx", onnx_operator("Conv", "strides", true, 2)}});
  EXPECT_FALSE(good.report.faults.has_errors());
  const ImportResult flat =
      import_texts({{"m.onnx", onnx_operator("ConvTranspose", "strides", true, 2, {"\x08\x08", 2})}});
  ASSERT_TRUE(flat.report.faults.has_errors());
  EXPECT_EQ(flat.report.faults.sorted().front().message,
            "'m.onnx': operator 'first' (ConvTranspose): weights of 1 dimensions; a window needs 3 or more");
  // without kernel_shape the sides of the window are those of W: more of them than x has would be read past the end
  // without kernel_shape the sides of the window are those of W: where x has fewer, they would be read past its end
  const ImportResult deep =
      import_texts({{"m.onnx", onnx_operator("Conv", "strides", true, 2, std::string(64, '\x08'))}});
  EXPECT_FALSE(deep.report.faults.has_errors());
}

// A batch of 16 in the file: x of 16x3x32x32 on W of 8x3x3x3 with stride 2 makes 8x15x15 values a sample, each of 27
// multiply-adds, whatever batch the other shapes of the file have.
TEST(ImportOnnx, ABatchInTheFileIsDividedOut)
{
  if (Registry<DnnFile>::instance().find(".onnx") == nullptr)
    GTEST_SKIP() << "part onnx: built without libonnx-dev";
  const auto shape = [](const std::string& sizes) {
    std::string dims;
    for (const char size : sizes)
      dims += part(1, value(1, static_cast<unsigned char>(size)));
    return part(2, part(1, value(1, 1) + part(2, dims)));
  };
  const std::string strides = part(5, part(1, "strides") + value(8, 2) + value(8, 2) + std::string{"\xa0\x01\x07", 3});
  const std::string graph = part(1, part(1, "x") + part(1, "W") + part(2, "y") + part(4, "Conv") + strides) +
                            part(1, part(1, "y") + part(2, "z") + part(4, "Relu")) + part(2, "g") +
                            part(5, std::string{"\x08\x08\x08\x03\x08\x03\x08\x03", 8} + value(2, 1) + part(8, "W")) +
                            part(11, part(1, "x") + shape("\x10\x03\x20\x20")) +
                            part(12, part(1, "z") + shape("\x10\x08\x0f\x0f")) +
                            part(13, part(1, "y") + shape("\x10\x08\x0f\x0f"));
  const TempFile file{"batch.onnx"};
  std::ofstream{file.path, std::ios::binary} << value(1, 8) + part(8, part(1, "") + value(2, 13)) + part(7, graph);
  const Dnn dnn = build_dnn(file.path.string());
  EXPECT_DOUBLE_EQ(dnn.forward_flop().value(), 2 * 27 * 8 * 15 * 15);
  EXPECT_DOUBLE_EQ(dnn.layers.at(1).activation_elements, 8 * 15 * 15);
  EXPECT_DOUBLE_EQ(dnn.layers.at(0).product.rows, 15 * 15);
  const std::vector<fs::path> paths{file.path};
  EXPECT_NE(find_entry(import_files(paths, {}, tests::catalogue()).report.understood(), "the batch of 16"), nullptr);
}

// Weights as Constant nodes, also behind Identity: 4 x 5 numbers, which no sample computes. A formula's number is none.
TEST(ImportOnnx, TensorsOfConstantNodesAreWeights)
{
  if (Registry<DnnFile>::instance().find(".onnx") == nullptr)
    GTEST_SKIP() << "part onnx: built without libonnx-dev";
  const auto shape = [](int first, int second) {
    return part(2, part(1, value(1, 1) + part(2, part(1, value(1, static_cast<unsigned>(first))) +
                                                     part(1, value(1, static_cast<unsigned>(second))))));
  };
  const auto constant = [](const std::string& name, const std::string& dims) {
    return part(1, part(2, name) + part(4, "Constant") +
                       part(5, part(1, "value") + part(5, dims + value(2, 1)) + std::string{"\xa0\x01\x04", 3}));
  };
  const std::string graph = constant("w", value(1, 4) + value(1, 5)) + constant("half", "") +
                            part(1, part(1, "w") + part(2, "v") + part(4, "Identity")) +
                            part(1, part(1, "x") + part(1, "v") + part(2, "y") + part(4, "MatMul")) +
                            part(1, part(1, "y") + part(1, "half") + part(2, "z") + part(4, "Mul")) + part(2, "g") +
                            part(11, part(1, "x") + shape(1, 4)) + part(12, part(1, "z") + shape(1, 5));
  const TempFile file{"constants.onnx"};
  std::ofstream{file.path, std::ios::binary} << value(1, 8) + part(8, part(1, "") + value(2, 13)) + part(7, graph);
  const Dnn dnn = build_dnn(file.path.string());
  EXPECT_EQ(dnn.layers.size(), 2U);
  EXPECT_DOUBLE_EQ(dnn.parameter_elements(), 20);
  EXPECT_DOUBLE_EQ(dnn.layers.at(0).activation_elements, 5);
  EXPECT_DOUBLE_EQ(dnn.forward_flop().value(), 40);
}

// An operator on the CPU is no time of the GPU, in JSON and in protobuf (is_cpu_op).
TEST(ImportChakra, OperatorsOnTheCpuAreNoComputingOfTheGpu)
{
  const ImportResult json =
      import_texts({{"t.json", R"({"workload_graph": [{"Id": 1, "NodeType": 4, "runtime": 9000, "is_cpu_op": true},
                                         {"Id": 2, "NodeType": 4, "runtime": 1000, "is_cpu_op": false}], "ngpus": 1})"}});
  EXPECT_EQ(json.draft.jobs.at(0).single_gpu_step, "0.001 s");
  EXPECT_NE(find_entry(json.report.ignored(), "9 ms of 1 operator on the CPU"), nullptr);
  const auto message = [](const std::string& bytes) { return part(0, bytes).substr(1); };
  const std::string yes = part(10, part(1, "is_cpu_op") + value(9, 1)), time = std::string{"\x38\xfa\x01", 3};
  const ImportResult proto =
      import_texts({{"a.0.et", message(part(1, "0.0.4")) + message(value(1, 1) + value(3, 4) + time) +
                                   message(value(1, 2) + value(3, 4) + time + yes)}});
  if (check_errors(proto).find("built without libprotobuf-dev") != std::string::npos)
    GTEST_SKIP() << "part chakra: built without libprotobuf-dev";
  EXPECT_EQ(proto.draft.jobs.at(0).single_gpu_step, "0.00025 s");
}

// A node of 1 ms and an all-reduce of 4 MB: as chakra_jsonizer writes messages, and as a list of nodes.
TEST(ImportChakra, JsonOfMessagesAndOfListsIsRead)
{
  const std::string messages = R"({"version": "0.0.4"}
{"id": "1", "name": "a } {", "type": "COMP_NODE", "durationMicros": "1000"}
{"id": "2", "type": "COMM_COLL_NODE", "dataDeps": ["1"],
 "attr": [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "uint64Val": "4000000"}]})";
  const std::string nodes = R"({"nodes": [{"id": 1, "type": 4, "data_deps": [], "duration_micros": 1000},
    {"id": 2, "type": 7, "data_deps": [1], "attr": [{"name": "comm_size", "int64_val": 4000000}, {"name": "odd", "int32_val": 1}]}]})";
  for (const std::string& text : {messages, nodes, nodes.substr(10, nodes.size() - 11)}) {
    const ImportResult result = import_texts({{"t.0.json", text}});
    EXPECT_EQ(check_errors(result), "") << text;
    EXPECT_EQ(result.draft.jobs.at(0).single_gpu_step, "0.001 s") << text;
    EXPECT_NE(
        find_entry(result.report.understood(), "2 nodes: 1 of computing, 1 collective, 0 messages, 4000000 bytes"),
        nullptr)
        << text;
    EXPECT_EQ(find_entry(result.report.ignored(), "attribute odd") != nullptr, text != messages) << text;
  }
  const ImportResult bad =
      import_texts({{"t.0.json", R"({"nodes": [{"type": "COMP_NODE", "duration_micros": "soon"}]})"}});
  EXPECT_TRUE(bad.report.faults.has_errors());
}

TEST(ImportChakra, AddsUpNodesOfARank)
{
  // metadata, then a computing node of 250 us and an all-reduce of 4 MB in 1,000,000 elements (schema 0.0.4)
  const auto message = [](const std::string& bytes) { return part(0, bytes).substr(1); };
  const std::string size = std::string{"\x48\x80\x92\xf4\x01", 5}; // int64 4,000,000
  const std::string text =
      message(part(1, "0.0.4")) +
      message(value(1, 1) + part(2, "gemm") + value(3, 4) + std::string{"\x38\xfa\x01", 3}) +
      message(value(1, 2) + part(2, "sum") + value(3, 7) + part(10, part(1, "comm_size") + size) +
              part(10, part(1, "comm_type") + value(9, 0)) + part(10, part(1, "pg_name") + part(12, "dp-0")));
  const ImportResult result = import_texts({{"a.0.et", text}, {"a.1.et", text}});
  if (check_errors(result).find("built without libprotobuf-dev") != std::string::npos)
    GTEST_SKIP() << "part chakra: built without libprotobuf-dev";
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  EXPECT_EQ(result.draft.jobs[0].workers, 2); // a file per rank
  EXPECT_EQ(result.draft.jobs[0].single_gpu_step, "0.00025 s");
  EXPECT_NE(find_entry(result.report.understood(), "process group dp-0: 1 x all-reduce, 4 MB"), nullptr);
  EXPECT_THAT(result.draft.jobs[0].model, HasSubstr("elements: 1000000"));
  EXPECT_EQ(check_errors(result), "");
}

TEST(Import, NamesTheFormatsForAnUnknownFileAndTheNearestForAMisspeltOne)
{
  const auto message = [](const ImportOptions& options) {
    try {
      static_cast<void>(import_texts({{"x", "nothing in particular"}}, options));
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{"no error"};
  };
  EXPECT_THAT(message({}),
              HasSubstr("the format of 'x' is not known; simrun import reads: accelerate, aicb, astra-sim, batsim"));
  EXPECT_THAT(message({.format = "slurm-cnf"}), HasSubstr("did you mean 'slurm-conf'?"));
  EXPECT_THAT(message({.gpu = "V10O-SXM2-16GB"}), HasSubstr("did you mean"));
}

TEST(Import, BlankScenarioIsAccepted)
{
  ImportResult blank;
  blank.yaml = blank_scenario();
  EXPECT_EQ(check_errors(blank), "");
}

TEST(Import, ReportIsJsonWithPlaces)
{
  const ImportResult result =
      import_texts({{"n.yml", "topology: [ Switch ]\nnpus_count: [ 8 ]\nbandwidth: [ 400.0 ]\nlatency: [ 936.25 ]\n"}});
  const std::string json = report_json(result.report, "out.yaml");
  EXPECT_THAT(json, HasSubstr("\"schema_version\": 1"));
  EXPECT_THAT(json, HasSubstr("\"scenario\": \"out.yaml\""));
  EXPECT_THAT(json, HasSubstr("\"line\": 3"));
}

TEST(ImportNcclTests, RefusesRowsOfAnotherLayout)
{
  try {
    import_texts({{"t.txt", "# size count type redop root time algbw busbw error time algbw busbw\n"
                            "8 2 float sum -1 10.00 0.01 0.02 0e+00 10.00 0.01 0.02 0e+00 7\n"}});
    FAIL() << "it is read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.txt:2:1: error: a row of 14 columns; nccl-tests writes 11 to 13"));
  }
  // Older versions write no "root": 12 columns, whose fifth is the time.
  const ImportResult old =
      import_texts({{"t.txt", "# size count type redop time algbw busbw error time algbw busbw error\n"
                              "8 2 float sum 10.00 0.01 0.02 0e+00 10.00 0.01 0.02 0e+00\n"}});
  EXPECT_THAT(old.yaml, HasSubstr("measured: 8 bytes in 10 us"));
}

// A scenario lists machines by their names, with blanks between them.
TEST(ImportSimGrid, HostsWithBlanksGetNamesWithoutThem)
{
  const ImportResult result = import_texts(
      {{"p.xml", "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform "
                 "version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"my host\" speed=\"1Gf\"/><host "
                 "id=\"my-host\" speed=\"2Gf\"/><link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/><route src=\"my "
                 "host\" dst=\"my-host\"><link_ctn id=\"l\"/></route></zone></platform>"}});
  EXPECT_EQ(tests::check_errors(result), "");
  EXPECT_EQ(result.yaml.find("{name: my host"), std::string::npos) << result.yaml;
}

} // namespace
} // namespace trainyard
