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

} // namespace
} // namespace trainyard
