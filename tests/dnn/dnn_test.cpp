#include "models/dnn/builder.hpp"
#include "sim/study/csv_table.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace trainyard {
namespace {

struct Published {
  const char* name;
  double parameters;
  double multiply_adds; // billions; 0 = not compared
  int tensors;          // 0 = not compared
  double largest_tensor_bytes;
};

class PublishedTotals : public testing::TestWithParam<Published>
{
};

// Totals of the published architectures as compiled in the model catalogue's table "Totals that must match".
TEST_P(PublishedTotals, AreReproducedFromTheArchitecture)
{
  const Published& published = GetParam();
  const Dnn dnn = build_dnn(published.name);
  EXPECT_EQ(dnn.parameter_elements(), published.parameters);
  if (published.multiply_adds > 0) {
    EXPECT_NEAR(dnn.forward_flop().value() / 2e9, published.multiply_adds, 1e-4);
  }
  if (published.tensors > 0) {
    EXPECT_EQ(dnn.parameter_tensors(), published.tensors);
  }
  double largest = 0;
  for (const Layer& layer : dnn.layers)
    for (const ParameterTensor& tensor : layer.parameters)
      largest = std::max(largest, tensor.elements * 4);
  if (published.largest_tensor_bytes > 0) {
    EXPECT_EQ(largest, published.largest_tensor_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, PublishedTotals,
    testing::Values(Published{"alexnet", 61100840, 0.7142, 16, 150994944}, Published{"alexnet_2012", 62378344, 1.1353, 16, 150994944},
                    Published{"vgg16", 138357544, 15.4703, 32, 411041792}, Published{"resnet50", 25557032, 4.0892, 161, 9437184},
                    Published{"resnet50_v1", 25557032, 3.8580, 161, 9437184}, Published{"resnet101", 44549160, 7.8014, 314, 9437184},
                    Published{"resnet152", 60192808, 11.5136, 467, 9437184}, Published{"inception_v3", 23834568, 5.7132, 284, 8192000},
                    Published{"inception_v3_aux", 27161264, 5.7189, 292, 9830400}, Published{"bert_base", 109482240, 0, 0, 0},
                    Published{"bert_large", 335141888, 0, 0, 0}, Published{"gpt2_small", 124439808, 0, 0, 0},
                    Published{"gpt2_xl", 1557611200, 0, 0, 0}, Published{"llama2_7b", 6738415616, 0, 0, 0},
                    Published{"llama2_70b", 68976648192, 0, 0, 0}, Published{"llama3_8b", 8030261248, 0, 0, 0},
                    Published{"llama3_70b", 70553706496, 0, 0, 0}, Published{"mixtral_8x7b", 46702792704, 0, 0, 0},
                    Published{"resnet18", 11689512, 0, 62, 9437184}, Published{"vgg19", 143667240, 0, 38, 411041792},
                    // pytorch-cifar's ResNet18 prints 11,173,962; NeuMF by hand: 9,746 x 160 + 32,896 + 8,256 + 2,080 + 65
                    Published{"resnet18_cifar", 11173962, 0, 62, 9437184}, Published{"ncf", 1602657, 0, 0, 0},
                    // convolutions 14,714,688 + 2 x 4,224 of batch norm; 512x512+512, 1,024, 512x512+512, 5,130
                    Published{"vgg16_cifar10", 15254602, 0, 0, 0}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, '.', '_');
      return name;
    });

TEST(Dnn, EveryRegisteredNetworkIsInForwardOrder)
{
  for (const std::string& name : Registry<DnnSource>::instance().names()) {
    const Dnn dnn = build_dnn(name);
    EXPECT_EQ(dnn.name, name);
    EXPECT_FALSE(dnn.source.empty()) << name;
    EXPECT_EQ(topological_order(dnn).size(), dnn.layers.size());
    for (std::size_t i = 0; i < dnn.layers.size(); ++i)
      for (const int input : dnn.layers[i].inputs)
        EXPECT_LT(input, static_cast<int>(i)) << name << ": " << dnn.layers[i].name;
  }
}

TEST(Dnn, TransformerFlopPerTokenMatchTheCatalogue)
{
  // forward GFLOP per token at the published sequence length, from the catalogue's table
  const std::map<std::string, double> published{
      {"bert_base", 0.2356}, {"gpt2_xl", 3.4245}, {"llama2_7b", 15.3616}, {"mixtral_8x7b", 27.6447}};
  for (const auto& [name, gflop] : published) {
    const Dnn dnn = build_dnn(name);
    double sequence = dnn.layers.front().activation_elements;
    sequence = dnn.input_bytes / 4;
    EXPECT_NEAR(dnn.forward_flop().value() / sequence / 1e9, gflop, 0.003 * gflop) << name;
  }
}

TEST(Dnn, ShorterSequencesKeepTheParameters)
{
  const Dnn dnn = build_dnn("bert_base", {.sequence_length = 64});
  EXPECT_EQ(dnn.parameter_elements(), 109482240);
  EXPECT_LT(dnn.forward_flop(), build_dnn("bert_base").forward_flop() * (64.0 / 512));
}

TEST(Dnn, ACycleIsNamed)
{
  Dnn dnn{.name = "loop", .layers = {{.name = "a", .inputs = {1}}, {.name = "b", .inputs = {0}}}};
  EXPECT_THROW(topological_order(dnn), std::invalid_argument);
  EXPECT_THROW(build_dnn("resnet5O"), std::invalid_argument);
}

TEST(Dnn, LayersAgreeWithTheLayerTables)
{
  for (const auto& [ours, theirs] :
       {std::pair{"vgg16", "vgg16"}, std::pair{"resnet50", "resnet50_v1.5"}, std::pair{"inception_v3", "inception_v3"}}) {
    const auto file = tests::shared_data(std::string{"catalogue/layers/"} + theirs + ".csv");
    SKIP_WITHOUT_SHARED(file);
    const CsvTable table = read_csv(file);
    const Dnn dnn = build_dnn(ours);
    std::multiset<double> expected, found;
    for (const CsvTable::Row& row : table.rows)
      if (std::stod(table.cell(row, "fwd_MACs")) > 0)
        expected.insert(std::stod(table.cell(row, "fwd_MACs")));
    for (const Layer& layer : dnn.layers)
      if (layer.forward.value() > 0)
        found.insert(layer.forward.value() / 2);
    EXPECT_EQ(found, expected) << ours;
  }
}

} // namespace
} // namespace trainyard
