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

/// One operation of 16 + 16 machines with a GPU each on two sites, between which one wire has this latency.
double two_sites_s(const std::string& wire, double bytes, const std::string& operation)
{
  const std::string text = fmt::format(
      "trainyard: 1\n"
      "cluster:\n"
      "  node_types: {{m: {{gpu: A100-SXM4-80GB, gpus: 1, nics: 1}}}}\n"
      "  nodes: [{{name: a, type: m, count: 16}}, {{name: b, type: m, count: 16}}]\n"
      "  network: {{topology: graph, bandwidth: 10 Gbit/s, latency: 1 us, switches: [left, right],\n"
      "            wires: [{{from: a, to: left}}, {{from: b, to: right}}, {{from: left, to: right, latency: {}}}]}}\n"
      "jobs: [{{name: j, model: {{name: one_tensor, elements: {}}}, workers: 32, batch_per_gpu: 1,\n"
      "        precision: fp32, training: {{mode: one_collective, operation: {}}}}}]\n"
      "run: {{fidelity: fluid}}\n",
      wire, bytes / 4, operation);
  return simulate(tests::checked_points(text, "sites.yaml")).jobs.at(0).step_s.mean;
}

double for_the_wire_s(double bytes, const std::string& operation)
{
  return two_sites_s("20 ms", bytes, operation) - two_sites_s("1 us", bytes, operation);
}

// No all-reduce ends before its sum has crossed the wire, nor a tree before it has gone up and down: 40 ms. NCCL's
// binary tree over machines 0 to 31 has machine 16 below its root 0, and 8 below 16: from 8 up it crosses twice.
TEST(LongWires, AWireBetweenTwoSitesIsPaidByEachCrossing)
{
  EXPECT_NEAR(for_the_wire_s(8, "all_reduce"), 4 * 0.02, 0.0002);
  // A ring crosses there and back in each of two passes.
  EXPECT_NEAR(for_the_wire_s(1e9, "all_reduce"), 4 * 0.02, 0.001);
  EXPECT_NEAR(for_the_wire_s(8, "all_gather"), 2 * 0.02, 0.0002);
  // All messages of an all-to-all cross at the same time, once.
  EXPECT_NEAR(for_the_wire_s(8, "all_to_all"), 0.02, 0.0002);
}

// NCCL's own InfiniBand and sockets tell the tuner no latency: it takes what it would take on a local network. With 64
// MB that is a ring over 32 machines: 2 x 31 hops of 20 ms.
TEST(LongWires, TheLibraryDoesNotKnowOfThem)
{
  const auto time = [](const std::string& latency, const std::string& more) {
    const std::string text = fmt::format(
        "trainyard: 1\n"
        "cluster:\n"
        "  node_types: {{m: {{gpu: H100-SXM5, gpus: 1, nics: 1}}}}\n"
        "  nodes: [{{name: m, type: m, count: 32}}]\n"
        "  network: {{bandwidth: 100 Gbit/s, latency: {}}}\n"
        "jobs: [{{name: j, model: {{name: one_tensor, elements: 16000000}}, workers: 32, batch_per_gpu: 1,\n"
        "        precision: fp32, training: {{mode: one_collective{}}}}}]\n"
        "run: {{fidelity: fluid}}\n",
        latency, more);
    return simulate(tests::checked_points(text, "wide.yaml")).jobs.at(0).step_s.mean;
  };
  EXPECT_NEAR(time("10 ms", "") - time("0 us", ""), 62 * 0.02, 0.002);
  // A plug-in that tells the tuner 35 us makes it count 2 x 35 us more for each hop, 62 of a ring and 10 of a tree
  // (five levels up and down): it takes the tree.
  EXPECT_NEAR(time("10 ms", ", plugin_latency: 35 us") - time("0 us", ", plugin_latency: 35 us"), 10 * 0.02, 0.002);
}

// A latency that nobody has stated is no long wire, on however many links.
TEST(LongWires, AnAssumedLatencyIsThatOfALocalNetwork)
{
  const auto time = [](const std::string& latency) {
    const std::string text = "trainyard: 1\n"
                             "cluster:\n"
                             "  node_types: {m: {gpu: A100-SXM4-80GB, gpus: 1, nics: 1}}\n"
                             "  nodes: [{name: m, type: m, count: 8}]\n"
                             "  network: {topology: leaf_spine, leaf_ports: 2, bandwidth: 10 Gbit/s" +
                             latency +
                             "}\n"
                             "jobs: [{name: j, model: {name: one_tensor, elements: 2}, workers: 8, batch_per_gpu: 1,\n"
                             "        precision: fp32, training: {mode: one_collective}}]\n"
                             "run: {fidelity: fluid}\n";
    return simulate(tests::checked_points(text, "leaves.yaml")).jobs.at(0).step_s.mean;
  };
  EXPECT_EQ(time(""), time(", latency: 0 us"));
  EXPECT_GT(time(", latency: 5 us"), time("")); // stated: four links are 20 us
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
  return nlohmann::json(runner_of(points.front().scenario)->run(points, {}).summary)["jobs"][0];
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

/// GPT-2 small on two sites with four machines each, in this layout: half of the stages on one site, half on the other.
nlohmann::json stages_on_sites(const std::string& wire, const std::string& layout)
{
  const std::string text = fmt::format(
      "trainyard: 1\n"
      "name: sites\n"
      "question: how fast?\n"
      "cluster:\n"
      "  node_types: {{m: {{gpu: A100-SXM4-80GB, gpus: 1, nics: 1}}}}\n"
      "  nodes: [{{name: a, type: m, count: 4}}, {{name: b, type: m, count: 4}}]\n"
      "  network: {{topology: graph, bandwidth: 10 Gbit/s, latency: 1 us, switches: [left, right],\n"
      "            wires: [{{from: a, to: left}}, {{from: b, to: right}}, {{from: left, to: right, latency: {}}}]}}\n"
      "jobs: [{{name: j, model: gpt2_small, precision: bf16, training: {{parallel: {{{}, micro_batch: 1, "
      "overlap_gradients: false}}}}}}]\n"
      "run: {{fidelity: fluid}}\n",
      wire, layout);
  const auto points = tests::checked_points(text, "sites.yaml");
  return nlohmann::json(runner_of(points.front().scenario)->run(points, {}).summary)["jobs"][0];
}

// Replicas of a stage are on one site. Activations cross the wire of 40 ms once, and their gradients once, however many
// stages there are. Both ends of the tied embedding add up its gradient: between two machines a ring crosses twice.
TEST(LongWires, EachGroupOfADividedTransformerHasItsOwn)
{
  for (const std::string layout : {"pp: 2, dp: 4, global_batch: 4", "pp: 4, dp: 2, global_batch: 2"}) {
    const nlohmann::json near = stages_on_sites("1 us", layout), far = stages_on_sites("40 ms", layout);
    const auto more = [&](const char* key) { return far[key].get<double>() - near[key].get<double>(); };
    EXPECT_NEAR(more("step_s"), 0.16, 0.001) << layout;
    EXPECT_NEAR(more("exposed_data_s") + more("exposed_pipeline_s") + more("bubble_s"), 0.16, 0.001) << layout;
    EXPECT_GE(more("exposed_pipeline_s") + more("bubble_s"), 0.079) << layout;
  }
}

// Messages follow each other on the wires: four micro-batches do not cross one after the other has arrived.
TEST(LongWires, HoldUpNoOtherMessage)
{
  const std::string layout = "pp: 2, dp: 4, global_batch: 16, schedule: gpipe";
  EXPECT_NEAR(stages_on_sites("40 ms", layout)["step_s"].get<double>() -
                  stages_on_sites("1 us", layout)["step_s"].get<double>(),
              0.16, 0.01);
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
