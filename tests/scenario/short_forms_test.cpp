// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/short_forms.hpp"

#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

Document expanded(const std::string& text, Diagnostics& diagnostics)
{
  Document document = parse_document(text, "file", diagnostics);
  expand_short_forms(document, load_catalogue(data_folder()), diagnostics);
  return document;
}

std::string at(const Document& document, const char* path)
{
  const DocumentNode* node = find_path(document.root, path);
  return node == nullptr ? "nothing" : node->text;
}

TEST(ShortForms, AClusterIsATextOfTheCommandLine)
{
  Diagnostics diagnostics;
  const Document document = expanded("cluster: 'h100x8@64,eth=100Gbit/s,nics=4'\n", diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(at(document, "cluster.nodes.0.count"), "64");
  EXPECT_EQ(at(document, "cluster.node_types.worker.gpu"), "H100-SXM5");
  EXPECT_EQ(at(document, "cluster.node_types.worker.gpus"), "8");
  EXPECT_EQ(at(document, "cluster.node_types.worker.nics"), "4");
  EXPECT_EQ(at(document, "cluster.network.link"), "100GbE");
}

TEST(ShortForms, MachinesAreDescribedWhereTheyAreCounted)
{
  Diagnostics diagnostics;
  const Document document = expanded("cluster:\n"
                                     "  nodes:\n"
                                     "    - {gpu: H100-SXM5, gpus: 8, count: 64}\n"
                                     "    - {name: old, gpu: K80, count: 2, per_rack: 2}\n"
                                     "    - {name: front, type: plain}\n"
                                     "    - {name: plain, cpu_cores: 8}\n"
                                     "  node_types: {plain: {cpu_cores: 16}}\n",
                                     diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(at(document, "cluster.nodes.0.type"), "node");
  EXPECT_EQ(at(document, "cluster.nodes.0.count"), "64");
  EXPECT_EQ(at(document, "cluster.nodes.0.gpu"), "nothing");
  EXPECT_EQ(at(document, "cluster.node_types.node.gpus"), "8");
  EXPECT_EQ(at(document, "cluster.node_types.old.gpu"), "K80");
  EXPECT_EQ(at(document, "cluster.nodes.1.per_rack"), "2");
  EXPECT_EQ(at(document, "cluster.nodes.2.type"), "plain");
  EXPECT_EQ(at(document, "cluster.node_types.plain.cpu_cores"), "16"); // the type of that name stays as it is
  EXPECT_NE(at(document, "cluster.nodes.3.type"), "plain");
}

// The message stands where the text stands.
TEST(ShortForms, ATextThatIsNoClusterIsAnErrorWithItsPlace)
{
  Diagnostics diagnostics;
  static_cast<void>(expanded("trainyard: 1\ncluster: 'z9000x8@4'\n", diagnostics));
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.sorted().front().where.line, 2);
  EXPECT_NE(diagnostics.sorted().front().message.find("unknown GPU 'z9000'"), std::string::npos);
}

// 4 x 100 Gbit/s of EFA for the eight A100 of a p4d.24xlarge; 8 x 400 of InfiniBand in Azure's machine of H100. What is
// behind the name counts as behind a GPU's.
TEST(ShortForms, AMachineOfACloudIsWhatIsInIt)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const ClusterShorthand p4d = cluster_shorthand("p4d.24xlarge@4:32.77$/h", catalogue);
  EXPECT_EQ(std::tuple(p4d.gpu, p4d.gpus, p4d.nodes, p4d.nics, p4d.network, p4d.price, p4d.cores),
            std::tuple("A100-SXM4-40GB", 8, 4, 4, "EFA-p4d", "32.77$/h", 48));
  const ClusterShorthand azure = cluster_shorthand("Standard_ND96isr_H100_v5@2,nics=4", catalogue);
  EXPECT_EQ(std::tuple(azure.gpu, azure.nodes, azure.nics, azure.network), std::tuple("H100-SXM5", 2, 4, "IB-NDR"));
  EXPECT_EQ(cluster_shorthand("a3-megagpu-8g", catalogue).network, "GPUDirect-TCPXO");
  for (const char* name : {"p2.xlarge", "p3.2xlarge", "p3dn.24xlarge", "p4de.24xlarge", "p5.48xlarge", "p5en.48xlarge",
                           "p6-b200.48xlarge", "g4dn.12xlarge", "g5.48xlarge", "g6e.48xlarge", "a2-megagpu-16g",
                           "a3-ultragpu-8g", "g2-standard-96", "NC24rs_v3", "ND40rs_v2", "BM.GPU.H100.8"})
    EXPECT_GT(cluster_shorthand(name, catalogue).gpus, 0) << name;
}

} // namespace
} // namespace trainyard
