// SPDX-License-Identifier: Apache-2.0
// What a measured step holds, what a network's name brings, and which algorithm a library takes.
#include "tests/support/checked_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Results run_of(const std::string& nodes, const std::string& network, const std::string& job)
{
  return simulate(tests::checked_points("trainyard: 1\n"
                                        "cluster:\n"
                                        "  node_types: {w: " +
                                            nodes + "}\n  nodes: [{name: w, type: w, count: 64}]\n  network: {" +
                                            network + "}\nrun: {fidelity: closed_form}\njobs:\n  - {name: j, " + job +
                                            "}\n",
                                        "measured.yaml"));
}

double step_of(const std::string& nodes, const std::string& network, const std::string& job)
{
  return run_of(nodes, network, job).jobs.front().step_s.mean;
}

const std::string volta = "{gpu: V100-SXM2-16GB, gpus: 8}", fast = "link: IB-EDR";

TEST(MeasuredSteps, SayWhatTheyHold)
{
  const auto step = [](const std::string& more) {
    return step_of(volta, fast,
                   "model: resnet50, workers: 1, batch_per_gpu: 16, optimizer: adam, accumulation_steps: 8, "
                   "single_gpu_step: 70 ms" +
                       more);
  };
  const double whole = step(", measured_step_is: whole_batch"), micro = step(", measured_step_is: micro_step"),
               with_update = step("");
  EXPECT_NEAR(whole, 70e-3, 1e-9);
  EXPECT_GT(micro, 560e-3); // eight of 70 ms, and one update
  EXPECT_LT(micro, 575e-3);
  // A micro-step with its update: 8 x 70 ms without seven updates u. Scaling keeps its ratio r to the passes, and the
  // other one has 560 + 70 r, so that u = 70 r / (1 + r).
  const double ratio = (micro - 560e-3) / 70e-3;
  EXPECT_NEAR(with_update, 560e-3 - 7 * 70e-3 * ratio / (1 + ratio), 1e-6);
}

TEST(MeasuredSteps, OfSeveralGpusHoldTheirExchange)
{
  const auto step = [](int gpus, const std::string& more) {
    return step_of(volta, fast,
                   "model: vgg16, batch_per_gpu: 32, single_gpu_step: 150 ms, workers: " + std::to_string(gpus) + more);
  };
  EXPECT_NEAR(step(8, ", measured_on_gpus: 8"), 150e-3, 150e-3 * 1e-5);
  EXPECT_LT(step(1, ", measured_on_gpus: 8"), 150e-3);
  EXPECT_LT(step(32, ", measured_on_gpus: 8"), step(32, ""));
  EXPECT_GT(step(32, ", measured_on_gpus: 8"), 150e-3);
}

TEST(MeasuredSteps, ThatTheExchangeAloneExceedsAreAnError)
{
  EXPECT_THROW(step_of("{gpu: V100-SXM2-16GB, gpus: 1}", "bandwidth: 10 Mbit/s",
                       "model: vgg16, batch_per_gpu: 1, single_gpu_step: 20 ms, workers: 2, measured_on_gpus: 2"),
               std::exception);
}

const std::string cpus = "{cpu: Xeon-Gold-6148}";

TEST(MpiLibraries, ChooseByTheirTables)
{
  const auto step = [](const std::string& training, const std::string& link = "100GbE") {
    return step_of(cpus, "link: " + link,
                   "model: resnet50, workers: 64, batch_per_gpu: 1, single_gpu_step: 100 ms, training: {mode: "
                   "all_reduce, device: cpu, transport: mpi, fusion: single, overlap: false" +
                       training + "}");
  };
  const double ring = step(", collective: ring"), halving = step(", collective: halving_doubling");
  EXPECT_NE(ring, halving);
  EXPECT_EQ(step(""), halving); // Open MPI 5
  EXPECT_EQ(step(", mpi: openmpi_3"), ring);
  EXPECT_EQ(step(", mpi: mpich"), halving);
  EXPECT_EQ(step(", mpi: mpich, collective: ring"), ring); // MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM and the like
}

const std::string one_sum = "batch_per_gpu: 1, training: {mode: one_collective";

TEST(OneCollective, NamesAlgorithmProtocolAndChannels)
{
  const Results small =
      run_of("{gpu: A100-SXM4-40GB, gpus: 8}", fast,
             "model: {name: one_tensor, elements: 32}, workers: 8, " + one_sum + ", collective: ring}");
  EXPECT_THAT(small.jobs.front().provenance_note.text, HasSubstr("; all-reduce by ring LL, 1 channel"));
}

TEST(OneCollective, IsWhatAnAllReduceOfTheSameIs)
{
  const std::string node = "{gpu: A100-SXM4-40GB, gpus: 8}";
  for (const int gpus : {2, 8, 16})
    for (const char* collective : {"ring", "tree", "auto"}) {
      const std::string job =
          "model: {name: one_tensor, elements: 32}, single_gpu_step: 1 ns, workers: " + std::to_string(gpus) +
          ", batch_per_gpu: 1, training: {collective: " + collective;
      EXPECT_NEAR(
          step_of(node, fast, job + ", mode: one_collective}"),
          step_of(node, fast, job + ", mode: all_reduce, fusion: single, transport: nccl, latency_model: nccl}"), 1e-8)
          << gpus << collective;
    }
}

TEST(OneCollective, SaysWhyTheLibraryTakesTheSlowerWay)
{
  // Two machines of eight H20: the tuner's table takes NVSwitches for 8 MiB, whose pipeline is too long for it.
  const std::string node = "{gpu: H20, gpus: 8, nics: 8}",
                    job = "model: {name: one_tensor, elements: 2097152}, workers: 16, precision: fp32, " + one_sum;
  const JobRow taken = run_of(node, "topology: rail, link: IB-NDR", job + "}").jobs.front();
  const double tree = step_of(node, "topology: rail, link: IB-NDR", job + ", collective: tree}");
  ASSERT_GT(taken.step_s.mean, tree * 1.05);
  EXPECT_THAT(taken.provenance_note.text, HasSubstr("nvls_tree simple, 16 channels, as the library's own table says"));
}

TEST(Networks, BringTheTransportThatPeopleGetWithThem)
{
  const std::string node = "{gpu: A100-SXM4-40GB, gpus: 4, nics: 1}",
                    job = "model: {name: one_tensor, elements: 1e8}, workers: 8, single_gpu_step: 1 ns, " + one_sum;
  // One thread of a processor copies 2.5 GB/s, a quarter of the line; RDMA takes 99.4 %.
  const double sockets = step_of(node, "link: Aries", job + ", collective: ring}"),
               verbs = step_of(node, "link: Aries", job + ", collective: ring, transport: nccl_verbs}");
  EXPECT_NEAR(sockets / verbs, 10.2 * 0.994 / 2.5, 0.1);
  EXPECT_NEAR(step_of(node, "link: 100GbE", job + ", collective: ring, transport: nccl_sockets}") / sockets, 1, 0.02);
  // In one machine nothing goes over sockets.
  const std::string inside = "model: {name: one_tensor, elements: 1e8}, workers: 4, single_gpu_step: 1 ns, " + one_sum;
  EXPECT_EQ(step_of(node, "link: Aries", inside + "}"), step_of(node, "link: IB-EDR", inside + "}"));
  // p4d's plug-in leaves the simple protocol alone (aws-ofi-nccl: force_proto_simple).
  const std::string small = "model: {name: one_tensor, elements: 64}, workers: 8, single_gpu_step: 1 ns, " + one_sum;
  EXPECT_THAT(run_of(node, "link: EFA-p4d", small + "}").jobs.front().provenance_note.text, HasSubstr(" simple, "));
  EXPECT_THAT(run_of(node, "link: IB-HDR", small + "}").jobs.front().provenance_note.text, Not(HasSubstr(" simple, ")));
}

} // namespace
} // namespace trainyard
