// SPDX-License-Identifier: Apache-2.0
// Workers whose barrier lags are not held in step: what one pulls, another does not pull at the same time.
#include "sim/run/simulate.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

double step_seconds(const std::string& rule)
{
  Diagnostics diagnostics;
  const Document document =
      parse_document("trainyard: 1\n"
                     "transports: {tcp: {latency: 0 s, efficiency: 1, endpoint_limit: 1 TB/s}}\n"
                     "cluster:\n"
                     "  node_types: {w: {gpu: V100-PCIe-16GB, gpus: 1}, s: {cpu_cores: 4}}\n"
                     "  nodes: [{name: w, type: w, count: 2}, {name: s, type: s, count: 1}]\n"
                     "  network: {topology: star, bandwidth: 100 MB/s, latency: 0 s}\n"
                     "jobs:\n"
                     "  - {name: j, model: {name: one_tensor, elements: 2.5e6}, workers: 2, batch_per_gpu: 1, "
                     "single_gpu_step: 0.2 s,\n"
                     "     training: {mode: parameter_server, servers: 1, transport: tcp, update_rule: " +
                         rule +
                         ", spread: none}}\n"
                         "run: {fidelity: fluid}\n",
                     "t.yaml", diagnostics);
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
  return 2 / simulate(points).jobs.front().samples_per_second.mean;
}

TEST(BoundedStart, WorkersAStepApartDoNotShareTheServerAsSynchronousOnesDo)
{
  // 10 MB over 100 MB/s: a pull or push takes 0.1 s alone, 0.2 s beside the other worker's. In step: pull 0.2 s, push
  // 0.2 s, and the computing that is not hidden. Never sharing would save 0.1 s in each direction; at random places in
  // the step they still meet now and then. Of equal workers: one that is always the faster ends at its bound, where it
  // goes on whenever the other has pushed, so that both pull at the same time again.
  const double together = step_seconds("sync"), apart = step_seconds("bounded, staleness: 1");
  EXPECT_GE(together, 0.4);
  EXPECT_GE(apart, together - 0.2 - 1e-6);
  EXPECT_LT(apart, together - 0.08);
}

} // namespace
} // namespace trainyard
