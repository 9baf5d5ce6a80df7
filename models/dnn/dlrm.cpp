// SPDX-License-Identifier: Apache-2.0
// Deep learning recommendation models: categories become rows of embedding tables, numbers go through a first
// perceptron, and the products of all pairs of these vectors through a second one.
//
// Naumov et al., arXiv:1906.00091; the sizes are those of the authors' scripts and of MLPerf Training v1.
#include "models/dnn/builder.hpp"

#include <array>
#include <string>
#include <vector>

namespace trainyard {
namespace {

/// 13 numbers and 26 categories, as in the data sets of Criteo; each category is one look-up.
struct DlrmShape {
  std::string name, description, source;
  std::vector<double> rows; // of each table
  int width = 0;            // of a row
  std::vector<int> bottom;  // widths of the first perceptron, without the last, which is `width`
  std::vector<int> top;     // of the second one
};

Dnn dlrm(const DlrmShape& shape)
{
  DnnBuilder net{shape.name, shape.description, shape.source, {13, 1, 1}};
  int at = -1;
  const auto linear = [&](const std::string& name, int outputs) {
    at = net.activation(name + ".relu", net.linear(name, at, outputs));
  };
  for (std::size_t i = 0; i < shape.bottom.size(); ++i)
    linear("bottom." + std::to_string(i), shape.bottom[i]);
  linear("bottom." + std::to_string(shape.bottom.size()), shape.width);
  std::vector<int> vectors{at};
  for (std::size_t i = 0; i < shape.rows.size(); ++i) {
    const std::string name = "table" + std::to_string(i);
    Layer layer{.name = name, .type = "embedding", .memory_elements = 1.0 * shape.width};
    layer.parameters.push_back({name + ".weight", shape.rows[i] * shape.width, {.rows = shape.rows[i], .lookups = 1}});
    vectors.push_back(net.layer(std::move(layer), {shape.width, 1, 1}));
  }
  const double count = static_cast<double>(vectors.size());
  const double pairs = count * (count - 1) / 2;
  const int joined = net.concatenate("vectors", vectors);
  Layer products{.name = "interaction",
                 .type = "product",
                 .forward = Flops{2 * count * count * shape.width},
                 .memory_elements = count * shape.width + pairs,
                 .inputs = {joined}};
  at = net.layer(std::move(products), {static_cast<int>(pairs) + shape.width, 1, 1});
  for (std::size_t i = 0; i < shape.top.size(); ++i)
    linear("top." + std::to_string(i), shape.top[i]);
  net.linear("click", at, 1);
  return net.finish("click of 13 numbers and 26 categories");
}

/// Categories of Criteo's Kaggle data set: rows of each table.
const std::vector<double> kaggle_rows{1460,  583,  10131227, 2202608, 305, 24,     12517,   633,   3,
                                      93145, 5683, 8351593,  3194,    27,  14992,  5461306, 10,    5652,
                                      2173,  4,    7046547,  18,      15,  286181, 105,     142572};

/// Rows of 32 and perceptrons of 1024, 512 and 256 (figure 4 of the paper, which has no table of rows) beside one
/// weight for each category.
Dnn wide_and_deep(const DnnOptions&)
{
  DnnBuilder net{"",
                 "wide and deep on Criteo's Kaggle data set, rows of 32",
                 "Cheng et al., arXiv:1606.07792, figure 4; rows of Criteo's Kaggle data set assumed",
                 {13, 1, 1}};
  constexpr int width = 32;
  std::vector<int> deep, wide;
  for (std::size_t i = 0; i < kaggle_rows.size(); ++i)
    for (const bool narrow : {false, true}) {
      const std::string name = (narrow ? "wide" : "table") + std::to_string(i);
      const int elements = narrow ? 1 : width;
      Layer layer{.name = name, .type = "embedding", .memory_elements = 1.0 * elements};
      layer.parameters.push_back({name + ".weight", kaggle_rows[i] * elements, {.rows = kaggle_rows[i], .lookups = 1}});
      (narrow ? wide : deep).push_back(net.layer(std::move(layer), {elements, 1, 1}));
    }
  deep.push_back(net.layer({.name = "numbers", .type = "view"}, {13, 1, 1}));
  int at = net.concatenate("vectors", deep);
  for (const int outputs : {1024, 512, 256}) {
    const std::string name = "deep" + std::to_string(outputs);
    at = net.activation(name + ".relu", net.linear(name, at, outputs));
  }
  net.add("click", net.linear("deep", at, 1), net.concatenate("wide", wide));
  return net.finish("click of 13 numbers and 26 categories");
}

/// MLPerf Training v3: several categories of a kind, and instead of products of pairs three layers that cross all
/// numbers with the first ones, by matrices of rank 512 (Wang et al., arXiv:2008.13535).
Dnn dlrm_dcnv2(const DnnOptions&)
{
  constexpr std::array rows{40000000, 39060,    17295,    7424,     20265,  3,     7122, 1543, 63,
                            40000000, 3067956,  405282,   10,       2209,   11938, 155,  4,    976,
                            14,       40000000, 40000000, 40000000, 590152, 12973, 108,  36};
  constexpr std::array lookups{3, 2, 1, 2, 6, 1, 1, 1, 1, 7, 3, 8, 1, 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1, 1};
  constexpr int width = 128, rank = 512;
  DnnBuilder net{"",
                 "DLRM of MLPerf Training v3 with crossing layers, rows of 128",
                 "Naumov et al., arXiv:1906.00091; mlcommons/training, recommendation_v2/torchrec_dlrm",
                 {13, 1, 1}};
  int at = -1;
  const auto perceptron = [&](const char* name, std::initializer_list<int> widths) {
    for (const int outputs : widths) {
      const std::string layer = name + std::to_string(outputs) + "." + std::to_string(net.shape(at).channels);
      at = net.activation(layer + ".relu", net.linear(layer, at, outputs));
    }
  };
  perceptron("bottom", {512, 256, width});
  std::vector<int> vectors{at};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = "table" + std::to_string(i);
    Layer layer{.name = name, .type = "embedding", .memory_elements = 1.0 * (lookups.at(i) + 1) * width};
    layer.parameters.push_back(
        {name + ".weight", 1.0 * rows.at(i) * width, {.rows = 1.0 * rows.at(i), .lookups = 1.0 * lookups.at(i)}});
    vectors.push_back(net.layer(std::move(layer), {width, 1, 1}));
  }
  const int all = net.concatenate("vectors", vectors), numbers = net.shape(all).channels;
  at = all;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "cross" + std::to_string(i);
    const int crossed = net.linear(name + ".up", net.linear(name + ".down", at, rank, false), numbers);
    const int product = net.layer(
        {.name = name + ".product", .type = "product", .memory_elements = 3.0 * numbers, .inputs = {all, crossed}},
        net.shape(all));
    at = net.add(name + ".add", at, product);
  }
  perceptron("top", {1024, 1024, 512, 256});
  net.linear("click", at, 1);
  return net.finish("click of 13 numbers and 26 kinds of categories");
}

class DlrmKaggle final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    return dlrm({.name = "dlrm_kaggle",
                 .description = "DLRM on Criteo's Kaggle data set, rows of 16",
                 .source = "Naumov et al., arXiv:1906.00091; facebookresearch/dlrm, bench/dlrm_s_criteo_kaggle.sh",
                 .rows = kaggle_rows,
                 .width = 16,
                 .bottom = {512, 256, 64},
                 .top = {512, 256}});
  }
};

class DlrmTerabyte final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    return dlrm(
        {.name = "dlrm_terabyte",
         .description = "DLRM of MLPerf Training v1 on Criteo's Terabyte data set, rows of 128",
         .source = "Naumov et al., arXiv:1906.00091; facebookresearch/dlrm, bench/run_and_time.sh "
                   "(--max-ind-range=40000000)",
         .rows = {39884406, 39043, 17289, 7420, 20263, 3,  7120,     1543,     63,       38532951, 2953546, 403346, 10,
                  2208,     11938, 155,   4,    976,   14, 39979771, 25641295, 39664984, 585935,   12972,   108,    36},
         .width = 128,
         .bottom = {512, 256},
         .top = {1024, 1024, 512, 256}});
  }
};

TY_REGISTER(DnnSource, DlrmKaggle, "dlrm_kaggle",
            "recommendation, 26 tables of rows of 16 (sparse gradients), 541 M parameters (Naumov et al. 2019)");
TY_REGISTER(DnnSource, DlrmTerabyte, "dlrm_terabyte",
            "recommendation of MLPerf v1, 26 tables of rows of 128 (sparse gradients), 24.0 G parameters (96 GB)");

[[maybe_unused]] const bool registered_clicks = add_networks({
    {"dlrm_dcnv2",
     "recommendation of MLPerf v3, 26 tables of rows of 128 (sparse gradients), 26.2 G parameters (105 GB)",
     &dlrm_dcnv2},
    {"wide_and_deep", "wide and deep, 26 tables of rows of 32 (sparse gradients), 1.1 G parameters (Cheng et al. 2016)",
     &wide_and_deep},
});

} // namespace
} // namespace trainyard
