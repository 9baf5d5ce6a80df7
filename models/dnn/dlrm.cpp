// SPDX-License-Identifier: Apache-2.0
// Deep learning recommendation models: categories become rows of embedding tables, numbers go through a first
// perceptron, and the products of all pairs of these vectors through a second one.
//
// Naumov et al., arXiv:1906.00091; the sizes are those of the authors' scripts and of MLPerf Training v1.
#include "models/dnn/builder.hpp"

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

class DlrmKaggle final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    return dlrm(
        {.name = "dlrm_kaggle",
         .description = "DLRM on Criteo's Kaggle data set, rows of 16",
         .source = "Naumov et al., arXiv:1906.00091; facebookresearch/dlrm, bench/dlrm_s_criteo_kaggle.sh",
         .rows = {1460, 583,   10131227, 2202608, 305,  24,   12517, 633,     3,  93145, 5683,   8351593, 3194,
                  27,   14992, 5461306,  10,      5652, 2173, 4,     7046547, 18, 15,    286181, 105,     142572},
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

} // namespace
} // namespace trainyard
