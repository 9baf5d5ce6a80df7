// SPDX-License-Identifier: Apache-2.0
/// A new collective is this one file: jobs name it, and their step time is what its rounds take.
#include "sim/run/simulate.hpp"
#include "sim/step/collectives/collective.hpp"
#include "tests/support/queue_scenario.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

/// Every rank sends its buffer to rank 0, which sends the sum back.
class Star final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return request.operation == "all_reduce"; }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    Round in, out;
    for (int rank = 1; rank < request.ranks; ++rank) {
      in.messages.push_back({rank, 0, request.payload});
      out.messages.push_back({0, rank, request.payload});
    }
    return {in, out};
  }
};

TY_REGISTER(Collective, Star, "star", "every rank to rank 0 and back");

double step_of(const std::string& collective)
{
  Diagnostics diagnostics;
  const Document document = parse_document(
      "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB}}\n  nodes: [{name: w, type: w, count: 5}]\n"
      "  network: {topology: star, bandwidth: 10 Gbit/s, latency: 0 s}\n"
      "transports: {ideal: {like: gloo, latency: 0 s, efficiency: 1, endpoint_limit: 1000 GB/s, cpu_time_per_GB: 0 s,"
      " gpu_direct: true}}\n"
      "jobs:\n  - {model: {name: one_tensor, elements: 31250000}, batch_per_gpu: 1, workers: 5, steps: 10,\n"
      "     single_gpu_step: 1 us, training: {mode: one_collective, transport: ideal, collective: " +
          collective + "}}\nrun: {fidelity: flow}\n",
      "star.yaml", diagnostics);
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
  return simulate(points).jobs.at(0).step_s.mean;
}

TEST(NewPart, ACollectiveTakesTheTimeOfItsRounds)
{
  // 31.25 M elements of 4 bytes are 125 MB, 0.1 s at 10 Gbit/s. Star: four buffers through the link of rank 0, in and
  // out: 8 x 0.1 s. Ring: 2 (n-1)/n = 1.6 buffers through each link, 0.16 s.
  EXPECT_NEAR(step_of("star"), 0.8, 0.01);
  EXPECT_NEAR(step_of("ring"), 0.16, 0.01);
}

} // namespace
} // namespace trainyard
