// SPDX-License-Identifier: Apache-2.0
// What a machine has that only its GPU is named of.
#include "models/scenario/read_scenario.hpp"

#include "models/core/data_folder.hpp"
#include "sim/run/simulate.hpp"

#include <gtest/gtest.h>

#include <string>

namespace trainyard {
namespace {

Scenario read(const std::string& node_type, const std::string& network = "{topology: star}")
{
  Diagnostics diagnostics;
  const Document document = parse_document("trainyard: 1\ncluster:\n  node_types: {m: " + node_type +
                                               "}\n  nodes: [{name: m, type: m, count: 2}]\n  network: " + network +
                                               "\njobs: [{name: j, model: resnet50, workers: 2}]\n",
                                           "machine.yaml", diagnostics);
  Scenario scenario = read_scenario(document, registered_parts(), load_catalogue(data_folder()), diagnostics);
  diagnostics.throw_if_errors();
  return scenario;
}

TEST(Boards, EightH100AreWiredAsInTheMachinesTheyAreSoldIn)
{
  const Scenario scenario = read("{gpu: H100-SXM5, gpus: 8}");
  const NodeTypeSpec& type = scenario.cluster.node_types.at("m");
  EXPECT_EQ(type.intra, "nvswitch");
  EXPECT_EQ(type.intra_settings.integer("generation", 0), 4);
  EXPECT_EQ(type.intra_settings.text("pcie", ""), "PCIe5-x16");
  EXPECT_EQ(type.nics, 8);
  EXPECT_EQ(type.cpu_cores, 112);
  EXPECT_EQ(scenario.cluster.network.link, "IB-NDR");
}

TEST(Boards, HalfABoardHasHalfOfWhatItHas)
{
  const NodeTypeSpec type = read("{gpu: A100-SXM4-40GB, gpus: 4}").cluster.node_types.at("m");
  EXPECT_EQ(type.intra, "nvswitch");
  EXPECT_EQ(type.intra_settings.integer("generation", 0), 3);
  EXPECT_EQ(type.nics, 4);
  EXPECT_EQ(type.cpu_cores, 64);
}

TEST(Boards, WhatTheFileSaysStays)
{
  const Scenario scenario =
      read("{gpu: H100-SXM5, gpus: 8, intra: nvswitch, generation: 3, nics: 1, cpu_cores: 16, memory: 64 GB}",
           "{link: 25GbE}");
  const NodeTypeSpec& type = scenario.cluster.node_types.at("m");
  EXPECT_EQ(type.intra_settings.integer("generation", 0), 3);
  EXPECT_FALSE(type.intra_settings.has("links_per_gpu")); // follows the generation
  EXPECT_EQ(type.nics, 1);
  EXPECT_EQ(scenario.cluster.network.link, "25GbE");
  scenario.defaults.each([](const FilledDefault& filled) {
    for (const char* said : {".generation", ".nics", ".cpu_cores", ".memory", ".link"})
      EXPECT_FALSE(filled.path.ends_with(said)) << filled.path << " = " << filled.value;
  });
}

TEST(Boards, NetworkCardsThatNoGpuUsesAreAWarning)
{
  const auto warning = [](const std::string& nics, const std::string& network = "star") {
    Diagnostics diagnostics;
    const Document document =
        parse_document("cluster:\n  node_types: {m: {gpu: H100-SXM5, gpus: 8, nics: " + nics +
                           "}}\n  nodes: [{name: m, type: m, count: 2}]\n  network: {topology: " + network +
                           "}\njobs: [{name: j, model: resnet50, workers: 16}]\n",
                       "machine.yaml", diagnostics);
    read_scenario(document, registered_parts(), load_catalogue(data_folder()), diagnostics);
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.sorted())
      text += diagnostic.message;
    return text;
  };
  EXPECT_EQ(warning("8"), "");
  EXPECT_NE(warning("20").find("12 of the 20 carry nothing"), std::string::npos) << warning("20");
  EXPECT_EQ(warning("32"), "");
  // whose wires name each card, so that they are not joined
  const std::string graph = "graph, switches: [s], wires: [{from: m-0, to: s}, {from: m-1, to: s}]";
  EXPECT_NE(warning("32", graph).find("24 of the 32 carry nothing"), std::string::npos) << warning("32", graph);
  EXPECT_EQ(warning("8", graph), "");
}

// NCCL takes the cards that are nearest to a GPU in turn, by channel: p5 has four of 100 Gbit/s for each.
TEST(Boards, CardsThatAGpuTakesInTurnAreOneCard)
{
  const Scenario scenario = read("{gpu: H100-SXM5, gpus: 8, nics: 32}", "{bandwidth: 100 Gbit/s}");
  const NodeTypeSpec& type = scenario.cluster.node_types.at("m");
  EXPECT_EQ(type.nics, 8);
  EXPECT_DOUBLE_EQ(type.nic_bandwidth->value(), 4 * 12.5e9);
  bool said = false;
  scenario.defaults.each([&](const FilledDefault& filled) {
    said = said || (filled.path.ends_with(".nic_bandwidth") && filled.value.find("50 GB/s") != std::string::npos);
  });
  EXPECT_TRUE(said);
  EXPECT_DOUBLE_EQ(read("{gpu: A100-SXM4-40GB, gpus: 8, nics: 16, nic_bandwidth: 10 GB/s}", "{link: 100GbE}")
                       .cluster.node_types.at("m")
                       .nic_bandwidth->value(),
                   20e9);
}

std::string warnings_of(const std::string& node_type, int count)
{
  Diagnostics diagnostics;
  const Document document = parse_document("cluster:\n  node_types: {m: " + node_type +
                                               "}\n  nodes: [{name: m, type: m, count: " + std::to_string(count) +
                                               "}]\njobs: [{name: j, model: resnet50, workers: 4}]\n",
                                           "machine.yaml", diagnostics);
  read_scenario(document, registered_parts(), load_catalogue(data_folder()), diagnostics);
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    text += diagnostic.message;
  return text;
}

// NVIDIA GB200 NVL72 data sheet: 18 trays of four GPUs are one NVLink domain.
TEST(Boards, TraysOfARackThatOnlyTheNetworkJoinsAreAWarning)
{
  EXPECT_NE(warnings_of("{gpu: GB200, gpus: 4}", 18)
                .find("NVLink joins 72 GB200 in 18 trays: write 'gpus: 72' for the trays of a rack together"),
            std::string::npos);
  EXPECT_EQ(warnings_of("{gpu: GB200, gpus: 72}", 2), "");
  EXPECT_EQ(warnings_of("{gpu: GB200, gpus: 64}", 2), ""); // two racks, of which some GPUs are not in use
  EXPECT_EQ(warnings_of("{gpu: GB200, gpus: 4}", 1), "");
  EXPECT_EQ(warnings_of("{gpu: H100-SXM5, gpus: 4}", 18), ""); // half of an HGX board is a machine of its own
}

// Frontier User Guide: four MI250X, Infinity Fabric between each two of them, and four Slingshot cards of 200 Gbit/s.
TEST(Boards, Mi250xAreAMeshOfFourCards)
{
  const Scenario scenario = read("{gpu: MI250X, gpus: 4}");
  const NodeTypeSpec& type = scenario.cluster.node_types.at("m");
  EXPECT_EQ(type.intra, "full_mesh");
  EXPECT_NEAR(type.intra_settings.number("link_bandwidth", 0) * 0.92, 2 * 36e9, 1e8); // two links, as RCCL counts them
  EXPECT_EQ(type.nics, 4);
  EXPECT_EQ(scenario.cluster.network.link, "200GbE");
  // eight of them are probably dies
  EXPECT_NE(
      warnings_of("{gpu: MI250X, gpus: 8}", 2).find("machines with MI250X have 4 of them (a card with several dies"),
      std::string::npos);
  EXPECT_EQ(warnings_of("{gpu: MI250X, gpus: 8, intra: pcie_tree}", 2), "");
}

TEST(Boards, CardsHangOnThePcieOfTheirGeneration)
{
  EXPECT_EQ(read("{gpu: H100-PCIe, gpus: 4}").cluster.node_types.at("m").intra_settings.text("pcie", ""), "PCIe5-x16");
  EXPECT_EQ(read("{gpu: A100-PCIe-40GB, gpus: 4}").cluster.node_types.at("m").intra_settings.text("pcie", ""),
            "PCIe4-x16");
  const NodeTypeSpec t4 = read("{gpu: T4, gpus: 4}").cluster.node_types.at("m");
  EXPECT_EQ(t4.intra_settings.text("pcie", ""), "PCIe3-x16");
  EXPECT_EQ(t4.nics, 1);
}

} // namespace
} // namespace trainyard
