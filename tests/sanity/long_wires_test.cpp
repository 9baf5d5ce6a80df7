// SPDX-License-Identifier: Apache-2.0
// All-reduce over links of a wide area: no message is there before its wires, whatever the library's tables say.
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace trainyard {
namespace {

/// An all-reduce of four sites with a GPU each, over a star whose links have this latency: two of them are a hop.
double all_reduce_s(const std::string& latency, double bytes, const std::string& training = "")
{
  const std::string text =
      fmt::format("trainyard: 1\n"
                  "cluster:\n"
                  "  node_types: {{site: {{gpu: A100-SXM4-80GB, gpus: 1, nics: 1}}}}\n"
                  "  nodes: [{{name: site, type: site, count: 4}}]\n"
                  "  network: {{bandwidth: 10 Gbit/s, latency: {}}}\n"
                  "jobs: [{{name: j, model: {{name: one_tensor, elements: {}}}, workers: 4, batch_per_gpu: 1,\n"
                  "        precision: fp32, training: {{mode: one_collective{}}}}}]\n"
                  "run: {{fidelity: fluid}}\n",
                  latency, bytes / 4, training);
  return simulate(tests::checked_points(text, "sites.yaml")).jobs.at(0).step_s.mean;
}

// A tree over four sites is two levels deep, up and down: 4 hops of 2 x 20 ms at least. A ring has 2 x 3 hops.
TEST(LongWires, AShortAllReduceTakesAsLongAsTheWiresOfATree)
{
  const double more = all_reduce_s("20 ms", 8) - all_reduce_s("1 us", 8);
  EXPECT_GE(more, 0.159);
  EXPECT_LE(more, 0.241);
}

// 2 x 3 hops of 40 ms; that a ring of many bytes has slower hops (NCCL's "plateau") does not lengthen the wires.
TEST(LongWires, ALongAllReduceGoesOnceRoundTheWiresForEachPass)
{
  const double more =
      all_reduce_s("20 ms", 1e9, ", collective: ring") - all_reduce_s("1 us", 1e9, ", collective: ring");
  EXPECT_NEAR(more, 0.24, 0.002);
  const double chosen = all_reduce_s("20 ms", 1e9) - all_reduce_s("1 us", 1e9);
  EXPECT_NEAR(chosen, 0.24, 0.002);
}

TEST(LongWires, ALocalNetworkIsInTheLibrarysTable)
{
  EXPECT_EQ(all_reduce_s("0.3 us", 8), all_reduce_s("2 us", 8));
}

TEST(LongWires, AHopThatTheScenarioStatesHasItsWires)
{
  EXPECT_EQ(all_reduce_s("20 ms", 8, ", network_hop_latency: 30 us"),
            all_reduce_s("1 us", 8, ", network_hop_latency: 30 us"));
}

/// A job of GPT-2 small on two sites.
nlohmann::json divided_job(const std::string& latency, const std::string& layout)
{
  const std::string text =
      fmt::format("trainyard: 1\n"
                  "name: sites\n"
                  "question: how fast?\n"
                  "cluster:\n"
                  "  node_types: {{site: {{gpu: A100-SXM4-80GB, gpus: 1, nics: 1}}}}\n"
                  "  nodes: [{{name: site, type: site, count: 2}}]\n"
                  "  network: {{bandwidth: 10 Gbit/s, latency: {}}}\n"
                  "jobs: [{{name: j, model: gpt2_small, precision: bf16, training: {{parallel: {{{}, micro_batch: 1, "
                  "global_batch: 2, overlap_gradients: false}}}}}}]\n"
                  "run: {{fidelity: fluid}}\n",
                  latency, layout);
  const auto points = tests::checked_points(text, "sites.yaml");
  return nlohmann::json::parse(runner_of(points.front().scenario)->run(points, {}, false).summary)["jobs"][0];
}

double divided_step_s(const std::string& latency, const std::string& layout)
{
  return divided_job(latency, layout)["step_s"];
}

// Gradients of two replicas: one all-reduce, 2 hops of 2 x 20 ms at least. Two stages: a message forward, one back.
TEST(LongWires, ADividedTransformerWaitsForThemToo)
{
  EXPECT_GE(divided_step_s("20 ms", "dp: 2") - divided_step_s("1 us", "dp: 2"), 0.079);
  EXPECT_GE(divided_step_s("20 ms", "pp: 2") - divided_step_s("1 us", "pp: 2"), 0.079);
}

TEST(LongWires, WithoutStagesNothingIsAMessageBetweenThem)
{
  const nlohmann::json job = divided_job("20 ms", "dp: 2");
  EXPECT_EQ(job["exposed_pipeline_s"], 0);
  EXPECT_GE(job["exposed_data_s"], 0.079);
}

/// What check says of machines of two B200, whose cards sit in slots of PCIe 5 (63 GB/s, 82.8 % of it data).
std::string said_of(const std::string& network, const std::string& machine, const std::string& job)
{
  const std::string text = fmt::format("trainyard: 1\n"
                                       "cluster:\n"
                                       "  node_types: {{m: {{gpu: B200-SXM, gpus: 2{}}}}}\n"
                                       "  nodes: [{{name: m, type: m, count: 2}}]\n"
                                       "  network: {{link: {}}}\n"
                                       "jobs: [{{name: j, workers: 4, {}}}]\n",
                                       machine, network, job);
  Diagnostics diagnostics;
  const Document document = parse_document(text, "slots.yaml", diagnostics);
  check_points(document, diagnostics);
  std::string all;
  for (const Diagnostic& one : diagnostics.sorted())
    all += one.message + "\n";
  return all;
}

TEST(SlowSlots, CardsThatAreFasterThanTheirSlotsAreAWarning)
{
  const std::string slow = "the network cards of 'm' have 100 GB/s, and the PCIe slots that they are in carry 52.17";
  const std::string whole = "model: resnet50, batch_per_gpu: 8";
  const std::string divided = "model: gpt2_small, training: {parallel: {dp: 4, micro_batch: 1, global_batch: 4}}";
  for (const std::string& job : {whole, divided}) {
    EXPECT_NE(said_of("IB-XDR", "", job).find(slow), std::string::npos) << said_of("IB-XDR", "", job);
    EXPECT_EQ(said_of("IB-NDR", "", job).find("PCIe slots"), std::string::npos);
    EXPECT_EQ(said_of("IB-XDR", ", pcie: PCIe6-x16", job).find("PCIe slots"), std::string::npos);
  }
}

// One machine whose slots are as fast as its cards, one whose slots are not: which of them comes first does not matter,
// and that of a server counts too. A job of one machine sends nothing through its cards.
TEST(SlowSlots, AnyMachineOfTheJobCountsWhateverTheirOrder)
{
  const auto warned = [](const std::string& nodes, const std::string& job) {
    const std::string text =
        "trainyard: 1\n"
        "cluster:\n"
        "  node_types: {fast: {gpu: B200-SXM, gpus: 2, pcie: PCIe6-x16}, slow: {gpu: B200-SXM, gpus: 2}}\n"
        "  nodes: [" +
        nodes +
        "]\n"
        "  network: {link: IB-XDR}\n"
        "jobs: [{name: j, model: resnet50, batch_per_gpu: 8, " +
        job + "}]\n";
    Diagnostics diagnostics;
    check_points(parse_document(text, "slots.yaml", diagnostics), diagnostics);
    EXPECT_EQ(diagnostics.errors(), 0);
    return std::ranges::count_if(diagnostics.sorted(), [](const Diagnostic& one) {
      return one.message.starts_with("the network cards of 'slow' have 100 GB/s, and the PCIe slots");
    });
  };
  const std::string fast = "{name: fast, type: fast, count: 1}", slow = "{name: slow, type: slow, count: 1}";
  EXPECT_EQ(warned(fast + ", " + slow, "workers: 4"), 1);
  EXPECT_EQ(warned(slow + ", " + fast, "workers: 4"), 1);
  EXPECT_EQ(warned(slow + ", " + fast, "workers: 2, nodes: [slow-0]"), 0);
  EXPECT_EQ(warned(fast + ", " + slow, "workers: 2, nodes: [fast-0], training: {mode: parameter_server, servers: 1, "
                                       "server_nodes: [slow-0]}"),
            1);
}

} // namespace
} // namespace trainyard
