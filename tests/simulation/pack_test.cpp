// SPDX-License-Identifier: Apache-2.0
// Where parameter servers go.

#include "sim/run/simulate.hpp"
#include "sim/step/prepared.hpp"

#include "models/core/data_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

/// Names of the machines of the servers, or the error.
std::set<std::string> servers_of(const std::string& node_type, int nodes, const std::string& job)
{
  Diagnostics diagnostics;
  const std::string text = "cluster:\n  node_types: {n: " + node_type +
                           "}\n  nodes: [{name: n, type: n, count: " + std::to_string(nodes) +
                           "}]\njobs: [{name: j, model: resnet50, workers: 2, " + job + "}]\nrun: {fidelity: fluid}\n";
  const Catalogue catalogue = load_catalogue(data_folder());
  const Scenario scenario =
      read_scenario(parse_document(text, "j.yaml", diagnostics), registered_parts(), catalogue, diagnostics);
  diagnostics.throw_if_errors();
  const auto prepared = prepare(scenario, catalogue, diagnostics);
  diagnostics.throw_if_errors();
  FreeSlots slots = all_free(prepared->cluster);
  const Placement placement = place_packed(prepared->cluster, prepared->jobs.front().spec, slots, diagnostics);
  std::set<std::string> names;
  for (const Diagnostic& fault : diagnostics.sorted())
    names.insert(fault.message);
  for (const VertexId server : placement.servers)
    names.insert(prepared->cluster.node(prepared->cluster.vertex(server).node).name);
  return names;
}

const std::string on_cpu = "training: {mode: parameter_server, device: cpu, servers: 2, server_placement: ";
const std::string on_gpu = "training: {mode: parameter_server, servers: 2, server_placement: ";
const std::string cpu = "{cpu: EPYC-7742, cpu_cores: 64}";

TEST(Pack, DedicatedServersLeaveTheMachinesOfCpuWorkersAlone)
{
  // Two workers on n-0 and n-1; two servers, one on each of the others.
  EXPECT_EQ(servers_of(cpu, 4, on_cpu + "dedicated}"), (std::set<std::string>{"n-2", "n-3"}));
}

// The machines are m-0, m-1, n-0, n-1, n-2: no number of an n is its place among all.
TEST(Pack, WorkersRunOnTheMachinesThatTheScenarioNames)
{
  Diagnostics diagnostics;
  const std::string text = "cluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                           "  nodes: [{name: m, type: n, count: 2}, {name: n, type: n, count: 3}]\n"
                           "jobs: [{name: j, model: resnet50, workers: 4, nodes: [n-1, m-1, n-2, n-0]}]\n"
                           "run: {fidelity: fluid}\n";
  const Catalogue catalogue = load_catalogue(data_folder());
  const Scenario scenario =
      read_scenario(parse_document(text, "j.yaml", diagnostics), registered_parts(), catalogue, diagnostics);
  diagnostics.throw_if_errors();
  const auto prepared = prepare(scenario, catalogue, diagnostics);
  FreeSlots slots = all_free(prepared->cluster);
  const Placement placement = place_packed(prepared->cluster, prepared->jobs.front().spec, slots, diagnostics);
  diagnostics.throw_if_errors();
  std::vector<std::string> names;
  for (const VertexId worker : placement.workers)
    names.push_back(prepared->cluster.node(prepared->cluster.vertex(worker).node).name);
  EXPECT_EQ(names, (std::vector<std::string>{"n-1", "m-1", "n-2", "n-0"}));
}

TEST(Pack, ServersRunOnTheMachinesThatTheScenarioNames)
{
  const std::string named = "training: {mode: parameter_server, device: cpu, server_nodes: ";
  EXPECT_EQ(servers_of(cpu, 4, named + "[n-3, n-1]}"), (std::set<std::string>{"n-1", "n-3"}));
  EXPECT_EQ(servers_of(cpu, 4, named + "[n-2], servers: 3}"), (std::set<std::string>{"n-2"}));
  EXPECT_THAT(*servers_of(cpu, 2, named + "[n-7]}").begin(),
              testing::HasSubstr("a parameter server is placed on unknown node 'n-7'"));
}

TEST(Pack, DedicatedServersTakeAMachineWithGpusWhereAllHaveThem)
{
  // Two workers on the two GPUs of n-0.
  EXPECT_EQ(servers_of("{gpu: V100-SXM2-16GB, gpus: 2}", 2, on_gpu + "dedicated}"), (std::set<std::string>{"n-1"}));
}

TEST(Pack, DedicatedServersWithoutAMachineAreAnError)
{
  const std::set<std::string> said = servers_of(cpu, 2, on_cpu + "dedicated}");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(
      *said.begin(),
      HasSubstr("job 'j': server_placement: dedicated needs a machine without workers of the job, and there is none"));
}

TEST(Pack, ColocatedServersShareTheMachinesOfTheWorkers)
{
  EXPECT_EQ(servers_of(cpu, 4, on_cpu + "colocated}"), (std::set<std::string>{"n-0", "n-1"}));
}

} // namespace
} // namespace trainyard
