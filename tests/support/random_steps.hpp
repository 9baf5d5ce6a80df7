// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::tests {

/// Draws from a seed.
class Draw
{
public:
  explicit Draw(unsigned seed) : random_{seed} {}
  int number(int from, int to) { return std::uniform_int_distribution{from, to}(random_); }
  bool one_in(int count) { return number(1, count) == 1; }
  /// As likely in each part of the range that is so many times as wide.
  double log_between(double from, double to)
  {
    return from * std::pow(to / from, std::uniform_real_distribution{0.0, 1.0}(random_));
  }
  std::string of(const std::vector<std::string>& list)
  {
    return list[static_cast<std::size_t>(number(0, static_cast<int>(list.size()) - 1))];
  }

private:
  std::mt19937 random_;
};

/// A scenario of training steps with everything that jobs can share: GPUs and slots of machines of one or two kinds,
/// cards, switches, servers, disks.
struct RandomSteps {
  std::string node_types, nodes, network, jobs, run;
  int gpus = 0;

  std::string text(const std::string& more = "") const
  {
    return fmt::format("cluster:\n  node_types: {{{}}}\n  nodes: [{}]\n  network: {{{}}}\njobs:\n{}run: {{{}}}\n{}",
                       node_types, nodes, network, jobs, run, more);
  }
};

/// Machines w (and sometimes o), servers s, and a network.
inline RandomSteps random_cluster(Draw& draw, int fewest = 2, int most = 6)
{
  RandomSteps made;
  const int gpus = draw.number(1, 4), machines = draw.number(fewest, most);
  const auto machine = [&](const std::string& gpu, int count) {
    std::string type = fmt::format("{{gpu: {}, gpus: {}", gpu, count);
    if (draw.one_in(2))
      type += fmt::format(", nics: {}", draw.number(1, 2));
    if (draw.one_in(3))
      type += fmt::format(", cpu_cores: {}", draw.number(4, 64));
    if (draw.one_in(3))
      type += fmt::format(", pcie_bandwidth: {:.3g} GB/s", draw.log_between(1, 30));
    return type + "}";
  };
  const std::vector<std::string> cards{"V100-SXM2-16GB", "K80", "A100-PCIe-80GB", "T4", "RTX-2080-Ti", "L4"};
  made.node_types = fmt::format("w: {}, s: {{nics: {}}}", machine(draw.of(cards), gpus), draw.number(1, 2));
  made.nodes =
      fmt::format("{{name: w, type: w, count: {}}}, {{name: s, type: s, count: {}}}", machines, draw.number(1, 3));
  made.gpus = gpus * machines;
  if (draw.one_in(4)) {
    const int more = draw.number(1, 2);
    made.node_types += fmt::format(", o: {}", machine(draw.of(cards), more));
    made.nodes += ", {name: o, type: o, count: 1}";
    made.gpus += more;
  }
  made.network = "link: " + draw.of({"1GbE", "10GbE", "25GbE", "100GbE", "IB-HDR", "IB-NDR"});
  if (draw.one_in(3))
    made.network += fmt::format(", latency: {:.3g} us", draw.log_between(1, 2000));
  if (draw.one_in(3))
    made.network += fmt::format(", topology: leaf_spine, leaf_ports: {}, oversubscription: {}", draw.number(2, 6),
                                draw.number(1, 4));
  made.run = "fidelity: fluid";
  return made;
}

/// "{layers: …}" of a few sizes and times, or a network of the catalogue.
inline std::string random_model(Draw& draw)
{
  if (draw.one_in(2))
    return draw.of({"resnet50", "inception_v3", "alexnet", "vgg16", "{name: bert_base, sequence_length: 64}"});
  std::string layers;
  const double size = draw.log_between(1e5, 1e7), time = draw.log_between(0.1, 20);
  for (int layer = draw.number(1, 30); layer-- > 0;)
    layers +=
        fmt::format("{}{{parameters: [{:.0f}], forward: {:.4g} ms, backward: {:.4g} ms}}", layers.empty() ? "" : ", ",
                    draw.log_between(1e3, size), draw.log_between(0.05, time), draw.log_between(0.1, 2 * time));
  return "{name: m, layers: [" + layers + "]}";
}

inline std::string random_input(Draw& draw)
{
  if (!draw.one_in(4))
    return "";
  return fmt::format(
      ", input: {{source: {}, bytes_per_sample: {:.0f} kB, bandwidth: {:.3g} GB/s, preprocess_per_sample: "
      "{:.3g} ms, cpu_cores: {}, prefetch_steps: {}}}",
      draw.of({"disk", "storage"}), draw.log_between(1, 1000), draw.log_between(0.1, 10), draw.log_between(0.01, 5),
      draw.number(1, 32), draw.number(1, 3));
}

/// Training settings of mode parameter_server.
inline std::string random_servers(Draw& draw)
{
  std::string training = fmt::format(
      "mode: parameter_server, servers: {}, server_placement: {}, transport: {}, variable_placement: {}, pull: {}, "
      "push: "
      "{}, pull_order: {}",
      draw.number(1, 4), draw.of({"colocated", "dedicated", "auto"}), draw.of({"grpc", "rdma", "zmq", "tcp"}),
      draw.of({"greedy", "partitioned", "round_robin"}), draw.of({"before_forward", "after_update", "by_layer"}),
      draw.of({"during_backward", "after_backward"}), draw.of({"arbitrary", "layer"}));
  if (draw.one_in(4))
    training += ", local_aggregation: " + draw.of({"collective", "host"});
  if (draw.one_in(4))
    training += ", worker_processes: gpu";
  if (draw.one_in(4))
    training += fmt::format(", aggregate_bandwidth: {:.3g} GB/s, update_bandwidth: {:.3g} GB/s",
                            draw.log_between(0.5, 20), draw.log_between(0.5, 20));
  if (draw.one_in(6))
    training += ", messages_in_flight: " + draw.of({"0", "2"});
  if (draw.one_in(6))
    training += ", sync_every: 2";
  return training;
}

/// Training settings of mode all_reduce.
inline std::string random_sums(Draw& draw)
{
  const std::string transport = draw.of({"nccl", "nccl", "mpi", "gloo"});
  std::string training = fmt::format("mode: all_reduce, transport: {}, fusion: {}", transport,
                                     draw.of({"buckets", "horovod", "merged", "none", "partitioned", "single"}));
  if (draw.one_in(2))
    training += ", collective: " + draw.of({"auto", "ring", "tree", "halving_doubling", "hierarchical"});
  if (transport == "nccl" && draw.one_in(3))
    training += ", latency_model: nccl";
  if (draw.one_in(5))
    training += ", overlap: false";
  if (draw.one_in(5))
    training += fmt::format(", channels: {}", draw.number(2, 3));
  if (draw.one_in(6))
    training += ", sync_every: 2";
  return training;
}

/// A transformer that is divided among all GPUs.
inline std::string random_divided_job(Draw& draw, int workers)
{
  const int tp = draw.one_in(2) && workers % 2 == 0 ? 2 : 1, pp = draw.one_in(2) && workers / tp % 2 == 0 ? 2 : 1;
  const int zero = pp == 1 ? draw.number(0, 3) : draw.number(0, 1);
  return fmt::format(
      "  - {{model: {{name: transformer, layers: {}, hidden: {}, heads: 8}}, precision: amp, workers: {}, "
      "training: {{parallel: {{tp: {}, pp: {}, zero: {}, global_batch: {}}}}}}}\n",
      draw.number(2, 6) * 2, draw.number(2, 8) * 128, workers, tp, pp, zero,
      workers / tp / pp * draw.number(1, 4) * pp);
}

inline std::string random_job(Draw& draw, const std::string& training, int workers, const std::string& model)
{
  return fmt::format("  - {{model: {}, workers: {}, batch_per_gpu: {}{}{}, training: {{{}}}}}\n", model, workers,
                     draw.number(1, 16), draw.one_in(4) ? ", accumulation_steps: 2" : "", random_input(draw), training);
}

/// All training modes.
inline RandomSteps random_steps(Draw& draw)
{
  RandomSteps made = random_cluster(draw);
  switch (draw.number(0, 7)) {
  case 0:
    made.jobs = random_divided_job(draw, made.gpus);
    break;
  case 1:
  case 2:
  case 3:
    made.jobs = random_job(draw, random_servers(draw), made.gpus, random_model(draw));
    break;
  default:
    made.jobs = random_job(draw, random_sums(draw), made.gpus, random_model(draw));
  }
  made.run = "fidelity: " + draw.of({"fluid", "fluid", "closed_form", "flow", "step"});
  return made;
}

} // namespace trainyard::tests
