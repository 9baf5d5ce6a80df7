// SPDX-License-Identifier: Apache-2.0
// What the row of a job says about where it ran.
#include "tests/support/checked_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

JobRow row_of(const std::string& more, const std::string& network = "bandwidth: 80 Gbit/s")
{
  const Results results =
      simulate(tests::checked_points("trainyard: 1\n"
                                     "cluster:\n"
                                     "  node_types: {new: {gpu: L4, gpus: 2}, old: {gpu: T4, gpus: 2}}\n"
                                     "  nodes: [{name: new, type: new, count: 1}, {name: old, type: old, count: 1}]\n"
                                     "  network: {" +
                                         network +
                                         "}\n"
                                         "run: {fidelity: closed_form}\n"
                                         "jobs:\n"
                                         "  - {name: j, model: resnet50, " +
                                         more + "}\n",
                                     "rows.yaml"));
  return results.jobs.front();
}

TEST(JobRows, NameEveryKindOfGpuThatTheJobHas)
{
  const JobRow both = row_of("workers: 4");
  EXPECT_EQ(both.gpu, "L4 + T4");
  EXPECT_THAT(both.provenance_note.text, StartsWith("resnet50: compute from the data sheet of L4 + T4 (roofline)"));
  EXPECT_EQ(row_of("workers: 2").gpu, "L4");
  EXPECT_EQ(row_of("workers: 2, nodes: [old-0]").gpu, "T4");
}

TEST(JobRows, NameANetworkWithoutAKindOfLinkByItsRate)
{
  EXPECT_EQ(row_of("workers: 4").network, "10 GB/s star");
}

// 80 Gbit/s are 10 GB/s, which the links have instead of the 25 Gbit/s of their kind.
TEST(JobRows, NameTheRateThatOverridesThatOfTheLink)
{
  EXPECT_EQ(row_of("workers: 4", "link: 25GbE, bandwidth: 80 Gbit/s").network, "25GbE at 10 GB/s star");
  EXPECT_EQ(row_of("workers: 4", "link: 25GbE").network, "25GbE star");
}

// Equal GPUs lie within 8 % from whisker to whisker, 5.4 deviations (Sinha et al., SC 2022), and the expected maximum
// of two normal draws is 1 / sqrt(pi) = 0.56419 deviations above the mean. Whoever gives the time of a step, or says
// how workers differ, means just that.
TEST(JobRows, WorkersOfAKindOfGpuWaitForTheSlowest)
{
  const auto wait = [](const std::string& more) {
    const JobRow row = row_of("workers: 2, " + more + "}");
    return row.wait.value() / row.compute.value();
  };
  const double of_gpus = 0.08 / 5.4 * 0.56419;
  // Collectives take no multiprocessors here: they would lengthen what the wait is divided by.
  const std::string reduce = "training: {mode: all_reduce, collective_channels: 0",
                    serve = "training: {mode: parameter_server, servers: 1";
  const double explicitly = wait(reduce + ", spread: gpus");
  EXPECT_NEAR(explicitly, of_gpus, 0.02 * of_gpus); // of the passes: with the host's share, without the update
  EXPECT_EQ(wait(reduce), explicitly);
  EXPECT_EQ(wait(reduce + ", spread: none"), 0);
  EXPECT_EQ(wait("single_gpu_step: 0.1 s, " + reduce), 0);
  EXPECT_NEAR(wait("single_gpu_step: 0.1 s, " + reduce + ", spread: gpus"), explicitly, 1e-6);
  EXPECT_NEAR(wait(reduce + ", straggler_variation: 0.1"), explicitly / (0.08 / 5.4) * 0.1, 1e-5);
  EXPECT_EQ(wait(serve), wait(serve + ", spread: gpus"));
  EXPECT_GT(wait(serve), wait(serve + ", spread: none") + of_gpus);
  EXPECT_LT(wait(serve + ", update_rule: async"), of_gpus / 2); // nobody waits for the slowest
}

// Two L4 and two T4: throughput over what the four would do alone, not over four of the faster ones.
TEST(JobRows, EfficiencyOfSeveralKindsOfGpuIsThatOfTheirMean)
{
  const auto rate = [](const std::string& more) {
    return row_of(more + ", training: {mode: all_reduce, spread: none, collective_channels: 0}")
        .samples_per_second.mean;
  };
  const double alone = 2 * rate("workers: 1, nodes: [new-0]") + 2 * rate("workers: 1, nodes: [old-0]");
  const JobRow both = row_of("workers: 4, training: {mode: all_reduce, spread: none, collective_channels: 0}");
  EXPECT_NEAR(both.scaling_efficiency, both.samples_per_second.mean / alone, 1e-6);
  const JobRow one = row_of("workers: 1, nodes: [new-0]");
  EXPECT_NEAR(one.scaling_efficiency, 1, 1e-9);
}

// One GPU that accumulates updates its parameters as rarely as many do.
TEST(JobRows, EfficiencyOfAccumulatedStepsIsThatOfAGpuWhichAccumulates)
{
  const JobRow four = row_of("workers: 1, nodes: [new-0], optimizer: adam, accumulation_steps: 4");
  EXPECT_NEAR(four.scaling_efficiency, 1, 1e-9);
  EXPECT_LT(four.step_s.mean, 4 * row_of("workers: 1, nodes: [new-0], optimizer: adam").step_s.mean);
}

// 2 workers x 32 samples in a step, however the tokens of the start let the first ones begin.
TEST(JobRows, TheStepIsThatOfTheThroughputAlsoWhereWorkersWaitForTokens)
{
  const JobRow row = row_of("workers: 2, nodes: [new-0], steps: 100, training: {mode: parameter_server, servers: 1, "
                            "server_nodes: [old-0], update_rule: sync_replicas}");
  EXPECT_NEAR(row.step_s.mean * row.samples_per_second.mean, 2 * 32, 0.01 * 2 * 32);
}

// The layers say their times: no data sheet, and no spread of a kind of GPU.
TEST(JobRows, LayersWithTimesRestOnNoDataSheet)
{
  const std::string timed = "model: {name: mine, layers: [{name: a, parameters: [1000], forward: 3 ms, backward: "
                            "6 ms}]}";
  const auto run = [](const std::string& model) {
    return simulate(tests::checked_points(
        "trainyard: 1\ncluster:\n  node_types: {n: {gpu: T4, gpus: 1}}\n  nodes: [{name: n, type: n, count: 2}]\n"
        "  network: {link: 25GbE}\njobs: [{workers: 2, " +
            model + "}]\n",
        "layers.yaml"));
  };
  const Results times = run(timed);
  EXPECT_THAT(times.jobs.front().provenance_note.text, StartsWith("mine: times of its layers as given, network"));
  EXPECT_EQ(times.jobs.front().provenance, Provenance::measured);
  EXPECT_THAT(texts_of(times.assumed, MessageKind::part), Not(Contains(HasSubstr("(spread)"))));
  const Results flop = run("model: {name: mine, layers: [{name: a, parameters: [1000], flop: 1e9}]}");
  EXPECT_THAT(flop.jobs.front().provenance_note.text, StartsWith("mine: compute from the data sheet of T4"));
  EXPECT_GT(flop.jobs.front().wait, Seconds{});
  EXPECT_THAT(texts_of(flop.assumed, MessageKind::part), Contains(HasSubstr("(spread)")));
}

// torch.amp keeps parameters in fp32, and DDP adds up gradients as they are, unless a hook compresses them: as many
// bytes as with fp32, twice those of a network in 16 bit.
TEST(JobRows, GradientsOfMixedPrecisionTravelInFp32)
{
  const auto bytes = [](const std::string& precision, const std::string& more = "") {
    return row_of("workers: 4, training: {mode: all_reduce, collective: ring" + more + "}, precision: " + precision)
        .bytes_per_step.value();
  };
  EXPECT_DOUBLE_EQ(bytes("amp"), bytes("fp32"));
  EXPECT_DOUBLE_EQ(bytes("fp16"), bytes("fp32") / 2);
  EXPECT_DOUBLE_EQ(bytes("amp", ", gradient_element_size: 2 B"), bytes("fp16"));
}

TEST(JobRows, OnlyImagesHaveALayoutThatIsAssumed)
{
  const auto assumed = [](const std::string& model) {
    const Results results =
        simulate(tests::checked_points("trainyard: 1\ncluster:\n  node_types: {n: {gpu: A100-SXM4-80GB, gpus: 8}}\n"
                                       "  nodes: [{name: n, type: n, count: 1}]\njobs: [{workers: 8, precision: "
                                       "amp, model: " +
                                           model + "}]\n",
                                       "layout.yaml"));
    return texts_of(results.assumed, MessageKind::part);
  };
  EXPECT_THAT(assumed("resnet50"), Contains(HasSubstr("channels_last")));
  EXPECT_THAT(assumed("dlrm_kaggle"), Not(Contains(HasSubstr("channels_last"))));
}

// All variables go from the servers to each of 4 workers and come back as gradients, whether one worker is simulated or
// all of them.
TEST(JobRows, BytesOfAStepAreThoseOfAllWorkers)
{
  const auto bytes = [](const std::string& more, const std::string& servers) {
    const Results results = simulate(tests::checked_points(
        "trainyard: 1\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 1}, s: {}}\n"
        "  nodes: [{name: n, type: n, count: 4}, {name: s, type: s, count: 2}]\n  network: {link: 10GbE}\n"
        "run: {fidelity: closed_form}\ntransports: {grpc: {efficiency: 1}}\n"
        "jobs: [{name: j, model: resnet50, workers: 4, training: {mode: parameter_server, servers: 2, "
        "server_nodes: " +
            servers + ", one_represents_all: " + more + "}}]\n",
        "rows.yaml"));
    return results.jobs.front().bytes_per_step.value();
  };
  constexpr double variables = 25.557e6 * 4; // ResNet-50: 25.557 million parameters
  for (const char* one : {"no", "yes", "auto"})
    EXPECT_NEAR(bytes(one, "[s-0, s-1]"), 4 * 2 * variables, 0.01 * 8 * variables) << one;
  // Servers beside two of the workers: each of these has half of the variables at home.
  EXPECT_NEAR(bytes("no", "[n-0, n-1]"), (2 * 2 + 2 * 1) * variables, 0.03 * 6 * variables);
}

// VGG-16 has 553 MB of variables, its first dense layer 411: whole variables leave one of four servers at least 74 %.
TEST(JobRows, AServerWithMostOfTheVariablesIsSaid)
{
  const auto notes = [](const std::string& training) {
    return texts_of(
        simulate(tests::checked_points(
                     "trainyard: 1\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 1}, s: {}}\n"
                     "  nodes: [{name: n, type: n, count: 2}, {name: s, type: s, count: 4}]\n"
                     "  network: {link: 25GbE}\njobs: [{name: j, model: vgg16, workers: 2, training: {mode: "
                     "parameter_server, servers: 4" +
                         training + "}}]\n",
                     "servers.yaml"))
            .messages,
        MessageKind::warning);
  };
  EXPECT_THAT(notes(""), Contains(AllOf(HasSubstr("job 'j': ps-"), HasSubstr("% of the variables (25 % would be even)"),
                                        HasSubstr("round_robin"))));
  EXPECT_THAT(notes(", variable_placement: partitioned"), Not(Contains(HasSubstr("would be even"))));
  EXPECT_THAT(notes(", variable_placement: round_robin"), Not(Contains(HasSubstr("would be even"))));
}

} // namespace
} // namespace trainyard
