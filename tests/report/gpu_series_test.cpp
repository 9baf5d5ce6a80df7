// SPDX-License-Identifier: Apache-2.0
#include "sim/report/gpu_series.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

Instant after(double seconds)
{
  return Seconds{seconds};
}

// A GPU of 10 W idle and 70 W at work for 10 s. a: 2 to 6 s, half of the time in kernels; b: 4 to 8 s, 0.7 of it. From
// 4 to 6 s both want 1.2: the GPU is busy all the time.
TEST(GpuSeries, StaysOnOneGpuAddUp)
{
  const std::vector<MonitoredNode> nodes = {{"n", "T4", 2, 100, Watts{10}, Watts{70}}};
  const std::vector<GpuStay> stays = {{.from = after(2), .to = after(6), .task = "a", .use = 0.5, .memory_MiB = 30},
                                      {.from = after(4), .to = after(8), .task = "b", .use = 0.7, .memory_MiB = 40}};
  const std::vector<GpuSpan> spans = gpu_spans(nodes, stays, after(10));
  EXPECT_EQ(gpu_series_rows("", nodes, spans), ",n,0,T4,0,2,,0,0,100,10,70,33.3\n"
                                               ",n,0,T4,2,4,a,0.5,30,100,40,70,58.1\n"
                                               ",n,0,T4,4,6,a b,1,70,100,70,70,83\n"
                                               ",n,0,T4,6,8,b,0.7,40,100,52,70,68.1\n"
                                               ",n,0,T4,8,10,,0,0,100,10,70,33.3\n"
                                               ",n,1,T4,0,10,,0,0,100,10,70,33.3\n");
}

// What does not change between two stays is one row; what lasts beyond the end ends there.
TEST(GpuSeries, AlikeNeighboursAreOneRow)
{
  const std::vector<MonitoredNode> nodes = {{"n", "T4", 1, 0, Watts{10}, Watts{70}}};
  const std::vector<GpuStay> stays = {{.from = after(0), .to = after(6), .task = "a", .use = 1},
                                      {.from = after(6), .to = after(99), .task = "a", .use = 1}};
  EXPECT_EQ(gpu_spans(nodes, stays, after(10)).size(), 1U);
}

} // namespace
} // namespace trainyard
