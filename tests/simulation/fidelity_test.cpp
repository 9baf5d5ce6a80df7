// SPDX-License-Identifier: Apache-2.0
// What a run says of the fidelity and the confidence that it was asked for.
#include "sim/run/simulate.hpp"
#include "sim/step/engine/queue_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

Results run(const std::string& jobs, const std::string& run_keys, int nodes = 2,
            const std::string& network = "link: 1GbE")
{
  const std::string text =
      "name: f\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 2}}\n  nodes: [{name: n, type: n, count: " +
      std::to_string(nodes) + "}]\n  network: {" + network + "}\njobs:\n" + jobs + "run: {" + run_keys + "}\n";
  Diagnostics diagnostics;
  const std::vector<CheckedPoint> points = check_points(parse_document(text, "f.yaml", diagnostics), diagnostics);
  diagnostics.throw_if_errors();
  return simulate(points);
}

/// A job with one GPU on each of two machines.
std::string across(const std::string& name, const std::string& more = "")
{
  return "  - {name: " + name + ", model: resnet50, workers: 2, nodes: [n-0, n-1], steps: 10" + more + "}\n";
}

TEST(Fidelity, ClosedFormSaysThatJobsWhichShareALinkDoNotSlowEachOther)
{
  const Results both = run(across("a") + across("b"), "fidelity: closed_form");
  ASSERT_EQ(texts_of(both.messages, MessageKind::warning).size(), 1U);
  EXPECT_THAT(texts_of(both.messages, MessageKind::warning).front(),
              HasSubstr("jobs 'a' and 'b' share the network cards of n-0, "));
  EXPECT_THAT(texts_of(both.messages, MessageKind::warning).front(), HasSubstr("use --fidelity fluid"));
  EXPECT_TRUE(texts_of(run(across("a") + across("b"), "fidelity: fluid").messages, MessageKind::warning).empty());
  EXPECT_TRUE(texts_of(run(across("a"), "fidelity: closed_form").messages, MessageKind::warning).empty());
}

TEST(Fidelity, SaysThatRingsWhichShareANetworkCardHideTheirStartUpsAtStepOnly)
{
  const auto job = [](const std::string& channels) {
    return "  - {name: a, model: resnet50, workers: 4, steps: 10, training: {mode: all_reduce, collective: ring, "
           "latency_model: message, channels: " +
           channels + "}}\n";
  };
  const Results two = run(job("2"), "fidelity: fluid");
  ASSERT_EQ(texts_of(two.messages, MessageKind::warning).size(), 1U);
  EXPECT_THAT(texts_of(two.messages, MessageKind::warning).front(),
              HasSubstr("job 'a': 2 rings share the network cards of each machine"));
  EXPECT_TRUE(texts_of(run(job("1"), "fidelity: fluid").messages, MessageKind::warning).empty());
  EXPECT_TRUE(texts_of(run(job("2"), "fidelity: step").messages, MessageKind::warning).empty());
}

TEST(Fidelity, SaysOnceWhatHoldsForSeveralPoints)
{
  const Results both = run("  - {name: a, model: resnet50, workers: 4, steps: 10, training: {mode: all_reduce, "
                           "collective: ring, latency_model: message, channels: 2}}\n",
                           "fidelity: fluid}\nsweep: {grid: {jobs.0.batch_per_gpu: [32, 64]}");
  EXPECT_EQ(both.jobs.size(), 2U);
  EXPECT_EQ(std::ranges::count_if(texts_of(both.messages, MessageKind::warning),
                                  [](const std::string& note) {
                                    return note.find("job 'a': 2 rings share the network cards of each machine") !=
                                           std::string::npos;
                                  }),
            1);
}

// Real traffic (results/testbed, ps-tcp-async-w6-s2-r100-even and ps-tcp-bounded-w4-s1-r200-even): a step takes 0.492
// and 0.378 s, from random places. Equal shares kept these workers in patterns, at 0.60 and 0.50 s.
TEST(Fidelity, FluidDrawsThePlacesOfAFewWorkersWithoutABarrierAsFlowDoes)
{
  const auto step = [](const std::string& fidelity, int workers, int servers, const std::string& rule,
                       const std::string& bandwidth) {
    const auto nodes = [](int from, int until) {
      std::string names = "[n-" + std::to_string(from);
      while (++from < until)
        names += ", n-" + std::to_string(from);
      return names + "]";
    };
    const int all = workers + servers;
    const Results results = run(
        "  - {name: a, model: {name: even_tensors, elements: 400000}, batch_per_gpu: 1, nodes: " + nodes(0, workers) +
            ", workers: " + std::to_string(workers) +
            ", single_gpu_step: 0.2 s, training: {mode: parameter_server, server_nodes: " + nodes(workers, all) +
            ", servers: " + std::to_string(servers) +
            ", spread: none, transport: tcp, messages_in_flight: 1, pull_order: layer, "
            "update_rule: " +
            rule + "}}\n",
        "fidelity: " + fidelity, all, "bandwidth: " + bandwidth + ", latency: 1 us");
    return workers / results.jobs.front().samples_per_second.mean;
  };
  for (const std::string fidelity : {"fluid", "flow"}) {
    EXPECT_NEAR(step(fidelity, 6, 2, "async", "100 Mbit/s"), 0.4923, 0.08 * 0.4923) << fidelity;
    EXPECT_NEAR(step(fidelity, 4, 1, "bounded, staleness: 2", "200 Mbit/s"), 0.3776, 0.08 * 0.3776) << fidelity;
  }
}

// Four workers and a server that keeps one tensor of 100 MB, over 1 Gbit/s: 400 MB come and 400 MB go at 125 MB/s x
// 0.95 (rdma), and 150 ms are computed between: 6.887 s. Messages that wait for whole others would let the first worker
// compute after 0.84 s: 4.36 s.
TEST(Fidelity, ClosedFormSharesALinkAmongMessagesThatMeet)
{
  const auto step = [](const std::string& fidelity) {
    return run("  - {name: a, model: {name: m, layers: [{parameters: [25e6], forward: 50 ms, backward: 100 ms}]}, "
               "workers: 4, nodes: [n-0, n-1, n-2, n-3], training: {mode: parameter_server, servers: 1, spread: none, "
               "transport: rdma, server_nodes: [n-4], push: during_backward}}\n",
               "fidelity: " + fidelity, 5)
        .jobs.front()
        .step_s.mean;
  };
  EXPECT_NEAR(step("closed_form"), 2 * 400e6 / (125e6 * 0.95) + 0.15, 0.1);
  EXPECT_NEAR(step("fluid"), 2 * 400e6 / (125e6 * 0.95) + 0.15, 0.01);
}

// Eight workers and a server, 160 layers of 50 kB, each 5 ms forward and 5 ms backward, over 1 Gbit/s. All eight move a
// layer in 8 x 50 kB / (125 MB/s x 0.95) = 3.37 ms, beside the next layer's computing; so only the first layer's push
// and pull are to be seen. Layers that share messages would show two or three of each.
TEST(Fidelity, TensorsOfWorkersWithABarrierAreMessagesOfTheirOwn)
{
  std::string layers;
  for (int layer = 0; layer < 160; ++layer)
    layers += std::string{layer > 0 ? ", " : ""} + "{parameters: [12500], forward: 5 ms, backward: 5 ms}";
  const JobRow row = run("  - {name: a, model: {name: m, layers: [" + layers +
                             "]}, workers: 8, nodes: [n-0, n-1, n-2, n-3, n-4, n-5, n-6, n-7], training: {mode: "
                             "parameter_server, servers: 1, spread: none, transport: rdma, server_nodes: [n-8], push: "
                             "during_backward, pull_order: layer, one_represents_all: 'no'}}\n",
                         "fidelity: fluid", 9)
                         .jobs.front();
  EXPECT_NEAR(row.step_s.mean, 1.6 + 2 * 8 * 50e3 / (125e6 * 0.95), 2e-3);
}

/// Four workers and a server that exchange 1.6 MB each over 100 Mbit/s and compute 0.2 s.
JobRow row_of_four(const std::string& training, const std::string& fidelity,
                   const std::string& network = "bandwidth: 100 Mbit/s, queue: 131072 B")
{
  return run("  - {name: a, model: {name: even_tensors, elements: 400000}, batch_per_gpu: 1, single_gpu_step: 200 ms, "
             "workers: 4, nodes: [n-0, n-1, n-2, n-3], training: {" +
                 training + ", spread: none, server_nodes: [n-4]}}\n",
             "fidelity: " + fidelity, 5, network)
      .jobs.front();
}

// With equal shares all workers have their variables at once, and compute and push together; by windows some are early
// and push while others still pull. Packet by packet that makes a step 3 % shorter than with equal shares, and on the
// testbed (results/testbed) 4 %.
TEST(Fidelity, WindowsOfSynchronousServersAtFlowAgreeWithPackets)
{
  for (const char* training :
       {"mode: parameter_server, servers: 1, transport: tcp", "mode: parameter_server, servers: 1, transport: grpc",
        "mode: parameter_server, servers: 1, transport: tcp, update_rule: sync_replicas"}) {
    const double flow = row_of_four(training, "flow").step_s.mean, tcp = row_of_four(training, "tcp").step_s.mean;
    EXPECT_NEAR(flow, tcp, 0.02 * tcp) << training;
    EXPECT_GT(row_of_four(training, "flow", "bandwidth: 100 Mbit/s").step_s.mean, 1.025 * tcp) << training;
  }
}

// Two jobs on one server stay apart, or together: with a few places of either kind the interval is wide, and its ends
// are times and rates.
TEST(Fidelity, AnIntervalOfTwoJobsAtFlowHasNoEndBelowZero)
{
  std::string jobs;
  for (const char* job : {"a, nodes: [n-0, n-1]", "b, nodes: [n-2, n-3]"})
    jobs += std::string{"  - {name: "} + job +
            ", model: resnet50, workers: 2, batch_per_gpu: 32, steps: 2000, training: {mode: parameter_server, "
            "servers: 1, transport: tcp, server_nodes: [n-4]}}\n";
  for (const JobRow& row : run(jobs, "fidelity: flow", 5, "bandwidth: 1 Gbit/s, queue: 128 kB").jobs)
    for (const Estimate& each : {row.step_s, row.samples_per_second}) {
      EXPECT_GT(each.low, 0.2 * each.mean);
      EXPECT_GT(each.high, each.mean);
      EXPECT_NEAR(each.high / each.mean, each.mean / each.low, 1e-9); // as far up as down, as a ratio
    }
}

// One worker meets nobody: 1.6 MB come and go at 12.5 MB/s, each beside 0.2 s of computing at best.
TEST(Fidelity, WindowsAtFlowChangeNothingForAConnectionAlone)
{
  const auto step = [](const std::string& network) {
    return run("  - {name: a, model: one_tensor, batch_per_gpu: 1, single_gpu_step: 200 ms, workers: 1, nodes: [n-0], "
               "training: {mode: parameter_server, servers: 1, transport: tcp, spread: none, server_nodes: [n-1]}}\n",
               "fidelity: flow", 2, network)
        .jobs.front()
        .step_s.mean;
  };
  EXPECT_NEAR(step("bandwidth: 100 Mbit/s, queue: 131072 B"), step("bandwidth: 100 Mbit/s"), 1e-9);
}

// Queues are those of Ethernet: over InfiniBand steps repeat, and nothing is drawn.
TEST(Fidelity, NothingIsDrawnAtFlowWithoutEthernet)
{
  const std::string training = "mode: parameter_server, servers: 1, transport: tcp";
  const JobRow drawn = row_of_four(training, "flow");
  EXPECT_LT(drawn.step_s.low, drawn.step_s.high);
  EXPECT_GE(drawn.simulated_steps, 24);
  const JobRow repeated = row_of_four(training, "flow", "link: IB-EDR, queue: 131072 B");
  EXPECT_EQ(repeated.step_s.low, repeated.step_s.high);
  EXPECT_EQ(repeated.simulated_steps, row_of_four(training, "flow", "link: IB-EDR").simulated_steps);
}

// What goes over RDMA is as at fluid.
TEST(Fidelity, ServersOverRdmaAreTheSameAtTcpAndFluid)
{
  const auto step = [](const std::string& fidelity) {
    return run("  - {name: a, model: resnet50, workers: 2, nodes: [n-0, n-1], training: {mode: parameter_server, "
               "servers: 2, transport: rdma, spread: none, one_represents_all: 'no', server_nodes: [n-2, n-3]}}\n",
               "fidelity: " + fidelity, 4, "bandwidth: 10 Gbit/s")
        .jobs.front()
        .step_s.mean;
  };
  EXPECT_NEAR(step("tcp"), step("fluid"), 0.005 * step("fluid"));
}

// A ring of two sends two messages one after the other, each over two links: four latencies. Where
// the file says 0 s, there is no latency: no default takes its place.
TEST(Fidelity, LatencyIsWhatTheFileSaysAlsoWhereItIsZero)
{
  for (const char* fidelity : {"closed_form", "fluid", "flow", "step"}) {
    const auto step = [&](const std::string& latency) {
      return run("  - {name: a, model: one_tensor, workers: 2, nodes: [n-0, n-1], training: {mode: all_reduce, "
                 "collective: ring, transport: mpi, spread: none}}\n",
                 std::string{"fidelity: "} + fidelity, 2, "topology: star, bandwidth: 25 Gbit/s, latency: " + latency)
          .jobs.front()
          .step_s.mean;
    };
    const double none = step("0 s");
    EXPECT_NEAR(step("5 us") - none, 4 * 5e-6, 1e-9) << fidelity;
    EXPECT_NEAR(step("1 ms") - none, 4 * 1e-3, 1e-9) << fidelity;
  }
}

// A link of 100 MB/s, shared equally: the message of 64 MB has ended when 128 MB have passed, a turn of 4 MB more or
// less, and one of 1 MB that comes meanwhile waits for a turn of each.
TEST(Fidelity, ClosedFormGivesMessagesOfAllSizesTheSameShare)
{
  const std::vector<double> capacities = {100e6};
  const std::vector<int> links = {0};
  QueueNetwork network{capacities};
  std::vector<double> ends(3);
  const auto send = [&](double bytes, double& end) {
    network.flow({.links = &links, .bytes = bytes, .limit = 1e12}, [&] { end = network.now(); });
  };
  network.run([&] {
    send(640e6, ends[0]);
    send(64e6, ends[1]);
    network.timer(0.201, [&] { send(1e6, ends[2]); });
  });
  EXPECT_NEAR(ends[0], 7.05, 1e-9);
  EXPECT_NEAR(ends[1], 1.29, 0.04);
  EXPECT_NEAR(ends[2], 0.201 + 0.08 + 0.01, 0.04);
}

TEST(Fidelity, AutoTakesFlowForOneSmallJobAndSaysSo)
{
  const JobRow chosen = run(across("a"), "fidelity: auto").jobs.front();
  EXPECT_EQ(chosen.fidelity, "auto (flow: one job of 2 workers)");
  EXPECT_EQ(chosen.step_s.mean, run(across("a"), "fidelity: flow").jobs.front().step_s.mean);
}

TEST(Fidelity, AutoTakesFluidForManyJobsOrWorkers)
{
  const Results two = run(across("a") + across("b"), "fidelity: auto");
  EXPECT_EQ(two.jobs.front().fidelity, "auto (fluid: 2 jobs share the network)");
  EXPECT_EQ(two.jobs.front().step_s.mean, run(across("a") + across("b"), "fidelity: fluid").jobs.front().step_s.mean);
  EXPECT_EQ(run("  - {name: a, model: resnet50, workers: 18, steps: 10}\n", "fidelity: auto", 9).jobs.front().fidelity,
            "auto (fluid: 18 workers, more than 16)");
}

TEST(Confidence, WidensTheIntervalOfTheSteps)
{
  // Ten batch means: Student's t with 9 degrees of freedom is 2.2622 at 95 % and 3.2498 at 99 %.
  const std::string job = across("a", ", jitter: {distribution: normal, coefficient_of_variation: 0.1}");
  const auto width = [&](const std::string& keys) {
    const Estimate step = run(job, "fidelity: fluid, " + keys).jobs.front().step_s;
    return step.high - step.low;
  };
  const double usual = width("confidence: 0.95");
  EXPECT_GT(usual, 0);
  EXPECT_NEAR(width("confidence: 0.99") / usual, 3.2498 / 2.2622, 2e-3);
}

} // namespace
} // namespace trainyard
