// SPDX-License-Identifier: Apache-2.0
// Networks that belong to no family: linear regression of a tutorial, recommendation, object detection, speech.
#include "models/dnn/builder.hpp"

namespace trainyard {
namespace {

/// y = w x + b: two scalars on the parameter server, as in the first distributed TensorFlow tutorials.
class LinearRegression final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    DnnBuilder net{"linear_regression", "one weight, one bias", "definition", {1, 1, 1}};
    net.linear("regression", -1, 1);
    return net.finish("pair of numbers");
  }
};

/// NeuMF with 32 factors on MovieLens-1M: 6,040 users, 3,706 films; MLP 256-128-64-32.
class Ncf final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    DnnBuilder net{"ncf",
                   "neural matrix factorisation, 32 factors, MovieLens-1M",
                   "He et al., Neural collaborative filtering, WWW 2017; data set sizes of MovieLens-1M",
                   {2, 1, 1}};
    const auto embedding = [&](const std::string& name, double rows, int width) {
      Layer layer{.name = name, .type = "embedding", .memory_elements = 2.0 * width};
      layer.parameters.push_back({name + ".weight", rows * width});
      return net.layer(std::move(layer), {width, 1, 1});
    };
    const int gmf_user = embedding("gmf.user", 6040, 32);
    const int gmf_item = embedding("gmf.item", 3706, 32);
    const int mlp_user = embedding("mlp.user", 6040, 128);
    const int mlp_item = embedding("mlp.item", 3706, 128);
    int at = net.concatenate("mlp.input", {mlp_user, mlp_item});
    at = net.activation("mlp.relu1", net.linear("mlp.0", at, 128));
    at = net.activation("mlp.relu2", net.linear("mlp.1", at, 64));
    at = net.activation("mlp.relu3", net.linear("mlp.2", at, 32));
    const int product = net.layer(
        {.name = "gmf.product", .type = "product", .memory_elements = 3.0 * 32, .inputs = {gmf_user, gmf_item}},
        {32, 1, 1});
    net.linear("predict", net.concatenate("all", {product, at}), 1);
    return net.finish("user and film");
  }
};

/// YOLOv3 on Darknet-53 for 20 classes, 416x416.
class Yolo3 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    DnnBuilder net{"yolov3", "YOLOv3 on Darknet-53, 20 classes", "Redmon and Farhadi, arXiv:1804.02767", {3, 416, 416}};
    const auto block = [&](const std::string& name, int from, int channels, int kernel, int stride = 1) {
      return net.convolution_block(name, from, channels, DnnBuilder::square(kernel, stride, kernel / 2));
    };
    int at = block("conv0", -1, 32, 3);
    constexpr int repeats[] = {1, 2, 8, 8, 4};
    int stage_end[5] = {};
    for (int stage = 0; stage < 5; ++stage) {
      const int width = 64 << stage;
      const std::string name = "stage" + std::to_string(stage);
      at = block(name + ".down", at, width, 3, 2);
      for (int i = 0; i < repeats[stage]; ++i) {
        const std::string unit = name + "." + std::to_string(i);
        at = net.add(unit + ".add", block(unit + ".b", block(unit + ".a", at, width / 2, 1), width, 3), at);
      }
      stage_end[stage] = at;
    }
    for (int scale = 0; scale < 3; ++scale) {
      const int width = 512 >> scale;
      const std::string name = "head" + std::to_string(scale);
      for (int i = 0; i < 2; ++i)
        at = block(name + ".wide" + std::to_string(i), block(name + ".narrow" + std::to_string(i), at, width, 1),
                   2 * width, 3);
      at = block(name + ".narrow2", at, width, 1);
      net.convolution(name + ".detect", block(name + ".wide2", at, 2 * width, 3), 75, DnnBuilder::square(1), true);
      if (scale == 2)
        break;
      at = block(name + ".route", at, width / 2, 1);
      DnnBuilder::Shape up = net.shape(at);
      up.height *= 2;
      up.width *= 2;
      at = net.layer(
          {.name = name + ".up", .type = "upsample", .memory_elements = 1.25 * up.elements(), .inputs = {at}}, up);
      at = net.concatenate(name + ".join", {at, stage_end[3 - scale]});
    }
    return net.finish("image 3x416x416");
  }
};

/// Deep Speech 2 with two convolutions and five bidirectional LSTM layers of 800; 29 characters. Sequence: frames after
/// the convolutions.
class DeepSpeech2 final : public DnnSource
{
public:
  Dnn build(const DnnOptions& options) const override
  {
    const int frames = options.sequence_length > 0 ? options.sequence_length : 200;
    DnnBuilder net{"deepspeech2",
                   "2 convolutions, 5 bidirectional LSTM layers of width 800",
                   "Amodei et al., arXiv:1512.02595; width and depth assumed",
                   {1, 161, 2 * frames}};
    int at = net.convolution_block("conv1", -1, 32, {41, 11, 2, 20, 5});
    at = net.convolution_block("conv2", at, 32, {21, 11, 1, 10, 5});
    double inputs = 32.0 * net.shape(at).height;
    constexpr double hidden = 800;
    for (int i = 0; i < 5; ++i) {
      const std::string name = "lstm" + std::to_string(i);
      Layer layer{.name = name,
                  .type = "recurrent",
                  .forward = Flops{2.0 * 2 * 4 * hidden * (inputs + hidden) * frames},
                  .inputs = {at}};
      layer.memory_elements = frames * (inputs + 2 * hidden) +
                              2 * 4 * hidden * hidden * frames; // the recurrent weights are read again every frame
      layer.saved_elements = 2 * 5 * hidden * frames;           // four gates and the cell state of both directions
      for (const char* direction : {".forward", ".backward"}) {
        layer.parameters.push_back({name + direction + ".input", 4 * hidden * inputs});
        layer.parameters.push_back({name + direction + ".recurrent", 4 * hidden * hidden});
        layer.parameters.push_back({name + direction + ".bias_input", 4 * hidden});
        layer.parameters.push_back({name + direction + ".bias_recurrent", 4 * hidden});
      }
      at = net.layer(std::move(layer), {static_cast<int>(hidden), 1, frames});
      inputs = hidden; // the two directions are summed
    }
    Layer characters{
        .name = "characters", .type = "linear", .forward = Flops{2 * hidden * 29 * frames}, .inputs = {at}};
    characters.memory_elements = frames * (hidden + 29);
    characters.parameters.push_back({"characters.weight", hidden * 29});
    net.layer(std::move(characters), {29, 1, frames});
    return net.finish("spectrogram of " + std::to_string(2 * frames) + " frames");
  }
};

TY_REGISTER(DnnSource, LinearRegression, "linear_regression", "one weight and one bias");
TY_REGISTER(DnnSource, Ncf, "ncf", "neural collaborative filtering on MovieLens-1M, 1.6 M parameters (He et al. 2017)");
TY_REGISTER(DnnSource, Yolo3, "yolov3",
            "YOLOv3 on Darknet-53, 20 classes, 61.6 M parameters (Redmon and Farhadi 2018)");
TY_REGISTER(DnnSource, DeepSpeech2, "deepspeech2",
            "Deep Speech 2, 5 bidirectional LSTM layers of 800 (Amodei et al. 2015; width assumed)");

} // namespace
} // namespace trainyard
