// How far the roofline alone, from data sheets and layer graphs, is from published single-GPU throughput.
// No efficiency is fitted to these rows. The K80 is left out: at the boost clock of its data sheet it comes out 45-110 % too fast (two GPUs
// in 300 W do not hold that clock), a miss that stands until the chip has been measured.
#include "models/core/data_folder.hpp"
#include "models/cost/roofline.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/catalogue.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

struct Row {
  const char* gpu;
  const char* model;
  int batch;
  double images_per_s;
  double tolerance; // relative; what the model reaches today, rounded up
};

// TensorFlow benchmarks 2017 (DGX-1 with P100), fp32, SGD, one GPU.
TEST(SingleGpu, RooflineIsNearPublishedThroughputWithoutFastConvolutions)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  for (const Row& row : {Row{"P100-SXM2", "resnet50", 64, 219, 0.15},
                         {"P100-SXM2", "resnet152", 64, 91.8, 0.2},
                         {"P100-SXM2", "inception_v3", 64, 142, 0.2}}) {
    const LayerTimes times =
        roofline_times(build_dnn(row.model), catalogue.gpus.at(row.gpu), {.batch = row.batch, .optimizer_reads_writes = 3});
    const double predicted = row.batch / times.total().value();
    EXPECT_NEAR(predicted / row.images_per_s, 1, row.tolerance) << row.gpu << " " << row.model << ": " << predicted;
  }
}

// A miss, kept in sight: cuDNN computes 3x3 convolutions of stride 1 with 2.25 times fewer multiplications (Lavin and Gray,
// arXiv:1509.09308). VGG-16 consists of them: published 154 images/s are 135 % of a P100's fp32 peak, which no roofline of plain flop
// gives.
TEST(SingleGpu, PlainRooflineUnderestimatesVgg16)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const Gpu& gpu = catalogue.gpus.at("P100-SXM2");
  const Dnn vgg = build_dnn("vgg16");
  EXPECT_GT(154 * 3 * vgg.forward_flop() / gpu.peak.at("fp32"), 1_s);
  EXPECT_LT(64 / roofline_times(vgg, gpu, {.batch = 64}).total().value(), 154 * 0.6);
}

} // namespace
} // namespace trainyard
