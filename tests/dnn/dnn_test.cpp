// SPDX-License-Identifier: Apache-2.0
#include "models/core/csv.hpp"
#include "models/dnn/builder.hpp"
#include "tests/support/places.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

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
    testing::Values(
        Published{"alexnet", 61100840, 0.7142, 16, 150994944},
        Published{"alexnet_2012", 62378344, 1.1353, 16, 150994944},
        Published{"alexnet_2012_groups2", 60965224, 0.7244, 16, 150994944},
        Published{"llama3.1_405b", 405853388800, 0, 0, 0}, Published{"vgg16", 138357544, 15.4703, 32, 411041792},
        Published{"resnet50", 25557032, 4.0892, 161, 9437184}, Published{"resnet50_v1", 25557032, 3.8580, 161, 9437184},
        Published{"resnet101", 44549160, 7.8014, 314, 9437184}, Published{"resnet152", 60192808, 11.5136, 467, 9437184},
        Published{"inception_v3", 23834568, 5.7132, 284, 8192000},
        // Keras, whose batch norm has no scale either: 23,817,352 trainable parameters; 94 x 2 + 2 tensors
        Published{"inception_v3_slim", 23817352, 5.7132, 190, 8192000},
        Published{"inception_v3_aux", 27161264, 5.7189, 292, 9830400}, Published{"bert_base", 109482240, 0, 0, 0},
        Published{"bert_large", 335141888, 0, 0, 0}, Published{"gpt2_small", 124439808, 0, 0, 0},
        Published{"gpt2_xl", 1557611200, 0, 0, 0}, Published{"llama2_7b", 6738415616, 0, 0, 0},
        Published{"llama2_70b", 68976648192, 0, 0, 0}, Published{"llama3_8b", 8030261248, 0, 0, 0},
        Published{"llama3_70b", 70553706496, 0, 0, 0}, Published{"mixtral_8x7b", 46702792704, 0, 0, 0},
        // ViT as torchvision counts them (vit_b_16: 86,567,656 and 17.56 GMAC, vit_l_16: 304,326,632 and 61.55,
        // vit_h_14: 632,045,800 and 167.29). B by hand: patches 196 x 768 x 768, twelve times 197 x 12 x 768^2 + 2 x
        // 197^2 x 768, head 768,000; twelve tensors a block and eight more
        Published{"vit_b_16", 86567656, 17.563828, 152, 9437184},
        Published{"vit_l_16", 304326632, 61.554713, 296, 16777216},
        Published{"vit_h_14", 632045800, 167.295109, 392, 26214400}, Published{"resnet18", 11689512, 0, 62, 9437184},
        Published{"vgg19", 143667240, 0, 38, 411041792},
        // pytorch-cifar's ResNet18 prints 11,173,962; NeuMF by hand: 9,746 x 160 + 32,896 + 8,256 + 2,080 + 65
        Published{"resnet18_cifar", 11173962, 0, 62, 9437184}, Published{"ncf", 1602657, 0, 0, 0},
        // 33,762,577 rows of 16 (the sum that users of Criteo's Kaggle data print), perceptrons 7,168 + 131,328 +
        // 16,448 + 1,040 and (27 x 26 / 2 + 16 = 367) x 512 + 512, 131,328, 257; MLPerf's 187,767,399 rows of 128,
        // perceptrons 7,168 + 131,328 + 32,896 and (351 + 128 = 479) x 1,024 + 1,024, 1,049,600, 524,800, 131,328, 257
        Published{"dlrm_kaggle", 540677217, 0, 40, 648398528},
        Published{"dlrm_terabyte", 24036595969, 0, 42, 20469642752},
        // convolutions 14,714,688 + 2 x 4,224 of batch norm; 512x512+512, 1,024, 512x512+512, 5,130
        Published{"vgg16_cifar10", 15254602, 0, 0, 0}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, '.', '_');
      return name;
    });

struct Counted {
  const char* name;
  double parameters;
  double multiply_adds; // billions, 0: not published
};

// torchvision's weights (num_params, _ops: multiply-adds), of detectors at 800x800 (below). ResNet-100 for faces: 65.2
// M and 12.1 billion (insightface, model zoo), MobileFaceNet 0.99 M and 0.221 (arXiv:1804.07573, table 2), both without
// the 85,742 persons of their last layers. HRNet: pytorch-image-models, results of model counts (4.32, 8.97, 17.34),
// and 65.8 M of arXiv:1908.07919, table 3. DeepCAM and CosmoFlow: what users of mlcommons/hpc count (56,454,720,
// 8,907,556). SSD: 20.0 M (MLPerf inference, ssd-resnet34), by hand for ResNet-50. T5, BART: their weights on Hugging
// Face. Transformer: 65 and 213 M (arXiv:1706.03762, table 3) in words of 37,000. Transformer-XL: 192 M (NVIDIA's
// README), 285 M (Hugging Face). GNMT: NVIDIA's log has 159,605,817 at 31,800 words, 2,049 a word more at 32,320.
// RNN-T: 49 M. U-Net 3D 31.2 M (nnU-Net's of these widths); Wide and deep by hand: 33,762,577 rows of 32 and 1, 845 x
// 1024 + 1024, 524,800, 131,328, 257.
TEST(Dnn, NetworksHaveTheirPublishedParametersAndMultiplyAdds)
{
  const double persons = 85742;
  for (const Counted& published : std::to_array<Counted>({
           {"resnet34", 21797672, 3.664},
           {"resnext50_32x4d", 25028904, 4.23},
           {"resnext101_32x4d", 44177704, 8.01}, // pytorch-image-models
           {"resnext101_32x8d", 88791336, 16.414},
           {"wide_resnet50_2", 68883240, 11.398},
           {"wide_resnet101_2", 126886696, 22.753},
           {"googlenet", 6624904, 1.498},
           {"densenet121", 7978856, 2.834},
           {"densenet161", 28681000, 7.728},
           {"densenet169", 14149480, 3.36},
           {"densenet201", 20013928, 4.291},
           {"mobilenet_v2", 3504872, 0.301},
           {"efficientnet_b0", 5288548, 0.386},
           {"efficientnet_b1", 7794184, 0.687},
           {"efficientnet_b4", 19341616, 4.394},
           {"efficientnet_b7", 66347960, 37.746},
           {"efficientnet_v2_s", 21458488, 8.366},
           {"efficientnet_v2_m", 54139356, 24.582},
           {"efficientnet_v2_l", 118515272, 56.08},
           {"face_resnet100", 65156160 + 512 * persons, 12.1 + 512 * persons / 1e9},
           {"mobilefacenet", 1003136 + 128 * persons, 0.221 + 128 * persons / 1e9},
           {"hrnet_w18", 21299004, 4.32},
           {"hrnet_w32", 41232680, 8.97},
           {"hrnet_w48", 77469864, 17.34},
           {"hrnet_w48_segmentation", 65859379, 0},
           {"ssd300_vgg16", 35641826, 34.858},
           {"ssd300_resnet34", 19972534, 0},
           {"ssd300_resnet50", 22894902, 0},
           {"retinanet_resnet50", 34014999, 151.54},
           {"faster_rcnn", 41755286, 0},
           {"mask_rcnn", 44401393, 0},
           // torchvision counts an auxiliary head: 1024 x 256 x 9 + 512 + 256 x 21 + 21 parameters on 65x65
           {"deeplabv3_resnet50", 42004074 - 2365205, 178.722 - 9.99},
           {"deeplabv3_resnet101", 60996202 - 2365205, 258.743 - 9.99},
           {"deepcam", 56454720, 0},
           {"cosmoflow", 8907556, 0},
           {"unet3d", 31190243, 0},
           {"transformer_base", 63082496, 0},
           {"transformer_big", 214245376, 0},
           {"t5_small", 60506624, 0},
           {"t5_base", 222903552, 0},
           {"t5_large", 737668096, 0},
           {"t5_3b", 2851598336, 0},
           {"t5_11b", 11307321344, 0},
           {"t5_v1.1_base", 247577856, 0},
           {"t5_v1.1_large", 783150080, 0},
           {"t5_v1.1_xl", 2849757184, 0},
           {"t5_v1.1_xxl", 11135332352, 0},
           {"bart_base", 139420416, 0},
           {"bart_large", 406291456, 0},
           {"transformer_xl_base", 191950298, 0},
           {"transformer_xl_large", 285167482, 0},
           {"gnmt", 159605817 + 520 * 2049, 0},
           {"rnnt", 49006080, 0},
           // 204,184,588 rows; 171,392 of the first perceptron, 3 x (2 x 3,456 x 512 + 3,456), 5,245,953 of the last
           {"dlrm_dcnv2", 204184588.0 * 128 + 171392 + 10627200 + 5245953, 0},
           {"wide_and_deep", 33762577.0 * 33 + 866304 + 524800 + 131328 + 257, 0},
       })) {
    const Dnn dnn = build_dnn(published.name);
    EXPECT_EQ(dnn.parameter_elements(), published.parameters) << published.name;
    if (published.multiply_adds > 0) {
      EXPECT_NEAR(dnn.forward_flop().value() / 2e9, published.multiply_adds, 0.012 * published.multiply_adds)
          << published.name;
    }
  }
}

// torchvision's 134.38 billion are of an image of 800x800 with 1,000 proposals. Of 800x1088 with 512: 1.36 times the
// maps', 512 x (7 x 7 x 256 x 1024 + 1024^2 + 1024 x 455) of the proposals; 128 masks of 14x14 through four 3x3 of 256,
// 2x2 to twice the sides and 1x1 to 91 classes.
TEST(Dnn, DetectorsComputeOnMapsProposalsAndMasks)
{
  const double proposal = 7 * 7 * 256 * 1024.0 + 1024 * 1024 + 1024 * 455, pixels = 14 * 14;
  const double boxes = 1.36 * (134.38e9 - 1000 * proposal) + 512 * proposal;
  const double masks = 128 * pixels * (4 * 9 * 256 * 256.0 + 4 * 256 * 256 + 4 * 256 * 91);
  EXPECT_NEAR(build_dnn("faster_rcnn").forward_flop().value() / 2, boxes, 0.01 * boxes);
  EXPECT_NEAR(build_dnn("mask_rcnn").forward_flop().value() / 2, boxes + masks, 0.01 * (boxes + masks));
}

// By hand: a 3x3x3 convolution of 2 to 4 channels on 4x6x8 positions, and its transposed one of stride 2; an LSTM of 3
// numbers to 5 on 7 frames, twice; attention of 4 tokens on 6 with two heads of 8.
TEST(Dnn, LayersOfVolumesSequencesAndPairsOfSequences)
{
  DnnBuilder net{"all", "", "", {2, 4, 6, 8}};
  const int volume = net.convolution("volume", -1, 4, DnnBuilder::cube(3, 1, 1), true);
  const int larger = net.deconvolution("larger", volume, 2, DnnBuilder::cube(2, 2), false);
  EXPECT_EQ(net.shape(larger).elements(), 2 * 8 * 12 * 16);
  const int frames = net.embedding("frames", -1, 10, 3, 7);
  const int recurrent = net.recurrent("recurrent", frames, 5, 2);
  EXPECT_EQ(net.shape(recurrent).channels, 10);
  const int four = net.embedding("four", -1, 10, 16, 4), six = net.embedding("six", -1, 10, 16, 6);
  net.attention("attention", four, six, six, {.heads = 2, .width = 8, .dropout = false});
  const Dnn dnn = net.finish("sample");
  const auto flop = [&](int layer) { return dnn.layers.at(static_cast<std::size_t>(layer)).forward.value(); };
  EXPECT_EQ(flop(volume), 2 * 2 * 4 * 27 * 4 * 6 * 8);
  EXPECT_EQ(flop(larger), 2 * 4 * 2 * 8 * 4 * 6 * 8);
  EXPECT_EQ(flop(recurrent), 2 * 2 * 4 * 5 * (3 + 5) * 7);
  EXPECT_EQ(dnn.layers.back().forward.value(), 4 * 4 * 6 * 16);
  EXPECT_EQ(dnn.layers.back().saved_elements, 2 * 4);
  double recurrent_parameters = 0;
  for (const ParameterTensor& tensor : dnn.layers.at(static_cast<std::size_t>(recurrent)).parameters)
    recurrent_parameters += tensor.elements;
  EXPECT_EQ(recurrent_parameters, 2 * (4 * 5 * (3 + 5) + 2 * 4 * 5));
}

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

TEST(Dnn, TransformersAgreeWithEveryRowOfTheTransformerTable)
{
  const CsvTable table = read_csv(tests::source_folder() / "tests/data/catalogue/transformers.csv");
  ASSERT_EQ(table.rows.size(), 20U);
  for (const CsvTable::Row& row : table.rows) {
    std::string name = table.cell(row, "model");
    std::ranges::replace(name, '-', '_');
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const Dnn dnn = build_dnn(name);
    EXPECT_EQ(dnn.parameter_elements(), std::stod(table.cell(row, "params"))) << name;
    const double flop = std::stod(table.cell(row, "fwd_TFLOP_per_sequence")) * 1e12;
    EXPECT_NEAR(dnn.forward_flop().value(), flop, 0.002 * flop) << name;
  }
}

TEST(Dnn, LayersAgreeWithTheLayerTables)
{
  const CsvTable table = read_csv(tests::source_folder() / "tests/data/catalogue/layers.csv");
  for (const auto& [ours, theirs] :
       {std::pair{"alexnet", "alexnet_torchvision"}, std::pair{"alexnet_2012", "alexnet_2012_groups1"},
        std::pair{"alexnet_2012_groups2", "alexnet_2012_groups2"}, std::pair{"vgg16", "vgg16"},
        std::pair{"resnet50", "resnet50_v1.5"}, std::pair{"resnet50_v1", "resnet50_v1"},
        std::pair{"resnet101", "resnet101_v1.5"}, std::pair{"resnet152", "resnet152_v1.5"},
        std::pair{"inception_v3", "inception_v3"}, std::pair{"inception_v3_aux", "inception_v3_aux"}}) {
    const Dnn dnn = build_dnn(ours);
    // multiply-adds, parameters and output elements of every convolution and linear layer
    using Counts = std::tuple<double, double, double>;
    std::multiset<Counts> expected, found;
    std::multiset<double> expected_tensors, tensors;
    for (const CsvTable::Row& row : table.rows) {
      if (table.cell(row, "network") != theirs)
        continue;
      std::istringstream sizes{table.cell(row, "tensor_sizes")};
      for (double size = 0; sizes >> size;)
        expected_tensors.insert(size);
      if (const double macs = std::stod(table.cell(row, "fwd_MACs")); macs > 0)
        expected.insert({macs, std::stod(table.cell(row, "params")), std::stod(table.cell(row, "out_activations"))});
    }
    for (const Layer& layer : dnn.layers) {
      double parameters = 0;
      for (const ParameterTensor& tensor : layer.parameters) {
        parameters += tensor.elements;
        tensors.insert(tensor.elements);
      }
      if (layer.forward.value() > 0)
        found.insert({layer.forward.value() / 2, parameters, layer.activation_elements});
    }
    EXPECT_EQ(found, expected) << ours;
    EXPECT_EQ(tensors, expected_tensors) << ours;
  }
}

// By hand: batch norm reads its input twice and writes it once; ReLU reads and writes; ResNet-50's first of each sees
// 64 x 112 x 112.
TEST(Dnn, ElementwiseLayersMoveMemoryAndComputeNothing)
{
  const Dnn dnn = build_dnn("resnet50");
  const double first = 64.0 * 112 * 112;
  EXPECT_EQ(dnn.layers.at(1).type, "batch_norm");
  EXPECT_EQ(dnn.layers.at(1).memory_elements, 3 * first);
  EXPECT_EQ(dnn.layers.at(2).memory_elements, 2 * first);
  EXPECT_EQ(dnn.layers.at(2).forward, Flops{});
  double total = 0;
  for (const Layer& layer : dnn.layers)
    total += layer.memory_elements;
  EXPECT_GT(total, 3 * 11317736) << "more than reading and writing what the convolutions produce";
}

TEST(Dnn, QueryKeyAndValueReadTheSameLayer)
{
  const Dnn dnn = build_dnn("bert_base");
  std::map<std::string, const Layer*> by_name;
  for (const Layer& layer : dnn.layers)
    by_name[layer.name] = &layer;
  EXPECT_EQ(by_name.at("layer.3.query")->inputs, by_name.at("layer.3.key")->inputs);
  EXPECT_EQ(by_name.at("layer.3.query")->inputs, by_name.at("layer.3.value")->inputs);
  EXPECT_EQ(by_name.at("layer.3.attention")->inputs.size(), 3U);
  EXPECT_EQ(by_name.at("layer.3.add1")->inputs.size(), 2U);
}

TEST(LayerTable, LayersWithTimesOrFlopMakeANetwork)
{
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("layers_" + std::to_string(::getpid()) + ".csv");
  const auto write = [&](const std::string& text) { std::ofstream{file} << text; };
  const auto fault = [&](const std::string& text) -> std::string {
    write(text);
    try {
      build_dnn(file.string());
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  write("name,parameters,forward,backward\nembed,1000 10,2 ms,3 ms\nhead,500,1 ms,2 ms\n");
  const Dnn timed = build_dnn(file.string());
  ASSERT_EQ(timed.layers.size(), 2U);
  EXPECT_TRUE(timed.timed());
  EXPECT_EQ(timed.parameter_tensors(), 3);
  EXPECT_EQ(timed.parameter_elements(), 1510);
  EXPECT_DOUBLE_EQ(timed.layers[0].backward_time.value(), 3e-3);
  write("name,parameters,flop\na,1e6,2e9\n");
  EXPECT_FALSE(build_dnn(file.string()).timed());
  EXPECT_DOUBLE_EQ(build_dnn(file.string()).forward_flop().value(), 2e9);
  EXPECT_THAT(fault("name,parameters,forward,backward\na,10,2 ms,2\n"), testing::HasSubstr(":2: backward: '2'"));
  EXPECT_THAT(fault("name,parameters\na,10\n"), testing::HasSubstr("give 'forward' and 'backward'"));
  EXPECT_THAT(fault("name,params,flop\na,10,1\n"), testing::HasSubstr("unknown column 'params'"));
  EXPECT_THAT(fault("name,parameters,flop\na,ten,1\n"), testing::HasSubstr("'ten' is no number of parameters"));
  EXPECT_THAT(fault("name,parameters,flop\na,,1\n"), testing::HasSubstr("nothing would be exchanged"));
  write("name,parameters,flop,rows,lookups,distinct_rows\nembed,64000,0,1000,26,\nhead,500,1e6,,,\n");
  const Dnn rows = build_dnn(file.string());
  EXPECT_TRUE(rows.sparse());
  EXPECT_EQ(rows.layers[0].parameters[0].table.rows, 1000);
  EXPECT_EQ(rows.layers[0].parameters[0].row_elements(), 64);
  EXPECT_FALSE(rows.layers[1].parameters[0].sparse());
  const std::string table = "name,parameters,flop,rows,lookups,distinct_rows\n";
  EXPECT_THAT(fault(table + "a,100,0,30,1,\n"), testing::HasSubstr("100 elements are no whole number of elements for"));
  EXPECT_THAT(fault(table + "a,100 5,0,10,1,\n"), testing::HasSubstr("has one parameter tensor, this layer has 2"));
  EXPECT_THAT(fault(table + "a,100,0,10,,\n"), testing::HasSubstr("a table needs 'lookups'"));
  EXPECT_THAT(fault(table + "a,100,0,,1,\n"), testing::HasSubstr("say how many 'rows' it has"));
  EXPECT_THAT(fault(table + "a,1,0,0.5,1,\n"), testing::HasSubstr("'rows' is a whole number, found 0.5"));
  EXPECT_THAT(fault(table + "a,100,0,10,1,11\n"), testing::HasSubstr("cannot touch 11 distinct rows of 10"));
  // Who tells it says "error:" once, before the place.
  EXPECT_EQ(fault(""), file.string() + ": the table is empty; its first line must name the columns");
  EXPECT_EQ(fault("name,parameters,flop\na,10\n"),
            file.string() + ":2: this row has 2 cells, the header has 3 columns");
  std::filesystem::remove(file);
  try { // the same from a list in a scenario: by the number of the layer
    dnn_of_layers("name,parameters,flop\na,10,1\nb,x,1\n", "mine");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "layer 2 of 'mine': 'x' is no number of parameters");
  }
}

} // namespace
} // namespace trainyard
