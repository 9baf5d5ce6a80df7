// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/core/quantity_text.hpp"
#include "models/cost/memory.hpp"
#include "sim/step/training/server_plan.hpp"
#include "sim/step/training/server_program.hpp"
#include "sim/step/training/sparse_rows.hpp"
#include "sim/step/training/spread.hpp"
#include "sim/step/training/support.hpp"
#include "sim/step/training/worker_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>

namespace trainyard {
namespace {

SecondsPerByte per_byte(const Settings& settings, const std::string& name)
{
  const double bandwidth = settings.number(name, 0);
  return SecondsPerByte{bandwidth > 0 ? 1 / bandwidth : 0};
}

/// Creates a sub-policy, or reports the unknown name.
template <class Policy>
std::unique_ptr<Policy> sub_policy(const JobSpec& job, const std::string& key, const std::string& fallback,
                                   Diagnostics& diagnostics)
{
  const Settings& settings = job.training.settings;
  const std::string name = settings.text(key, fallback);
  if (Registry<Policy>::instance().find(name) == nullptr) {
    diagnostics.error({.path = job.path + ".training." + key},
                      "unknown " + key + " '" + name + "'" + did_you_mean(name, Registry<Policy>::instance().names()));
    return nullptr;
  }
  return Registry<Policy>::instance().create(name, settings);
}

/// Cores of the server process that has the fewest: those of its machine, shared by the servers there; 0: not known.
double fewest_cores(const Cluster& cluster, const std::vector<VertexId>& servers)
{
  std::map<NodeId, int> servers_of;
  for (const VertexId server : servers)
    ++servers_of[cluster.vertex(server).node];
  double fewest = 0;
  for (const auto& [node, count] : servers_of)
    if (const int cores = cluster.node(node).cpu_cores; cores > 0)
      fewest = fewest > 0 ? std::min(fewest, static_cast<double>(cores) / count) : static_cast<double>(cores) / count;
  return fewest;
}

/// An update waits for somebody.
void check_backups(const TrainingContext& context, bool one_per_node, Diagnostics& diagnostics)
{
  const Settings& settings = context.job.training.settings;
  const std::string rule = settings.text("update_rule", "sync");
  const int backups = settings.integer("backup_workers", 0);
  const auto senders = static_cast<int>(worker_groups(context.cluster, context.placement, one_per_node).size());
  if ((rule != "sync" && rule != "sync_replicas") || senders == 0 || backups < senders)
    return;
  const std::string what = one_per_node ? "machine" : "worker";
  diagnostics.error({.path = context.job.path + ".training.backup_workers"},
                    "'backup_workers' is " + std::to_string(backups) +
                        (senders == 1 ? ", but an update waits for the only " + what + "; write 0"
                                      : ", but of " + std::to_string(senders) + " " + what +
                                            "s an update waits for one at least; write " + std::to_string(senders - 1) +
                                            " or fewer"));
}

void check_processes(const JobSpec& job, const ServerExchange& exchange, Diagnostics& diagnostics)
{
  const bool towers = job.training.mode == "multi_tower";
  const std::string key = job.training.settings.has("gpus_per_process") ? "gpus_per_process" : "worker_processes";
  if (exchange.gpus_per_process > 0 && (towers || exchange.local_aggregation != "none"))
    diagnostics.error({.path = job.path + ".training." + key},
                      (towers ? "the towers of a machine are one process"
                              : "with local_aggregation: " + exchange.local_aggregation +
                                    " one process of a machine adds up its gradients and speaks to the servers") +
                          (key == "gpus_per_process" ? "; leave 'gpus_per_process' out"
                                                     : std::string{"; write 'worker_processes: machine'"}));
}

/// Workers that step by themselves and exchange parameters once in a while.
void check_averaging(const JobSpec& job, const UpdateRule* rule, Diagnostics& diagnostics)
{
  const Settings& settings = job.training.settings;
  const std::string path = job.path + ".training.";
  if (job.training.mode != "parameter_server")
    diagnostics.error({.path = path + "sync_every"},
                      "workers of mode " + job.training.mode +
                          " have one process and no replicas that could differ; leave 'sync_every' out");
  else if (rule != nullptr && (rule->tokens(1) || (!rule->aggregates() && rule->all_must_have_finished(0))))
    diagnostics.error({.path = path + "update_rule"},
                      "'sync_every' goes with update_rule: sync (all average together) or async (each with the servers "
                      "when its turn comes); write one of them");
  if (settings.integer("backup_workers", 0) > 0)
    diagnostics.error({.path = path + "backup_workers"},
                      "an average is of all workers; write 'backup_workers: 0', or leave 'sync_every' out");
  for (const char* key : {"push", "pull", "sparse_gradients", "sparse_rows"})
    if (settings.has(key))
      diagnostics.warning({.path = path + key}, "'" + std::string{key} + "' has no effect with sync_every: " +
                                                    std::to_string(settings.integer("sync_every", 1)) +
                                                    ", where whole parameters are exchanged after the update; leave it "
                                                    "out");
}

/// What workers of a machine sum before they send it.
void check_tables(const TrainingContext& context, const ServerExchange& exchange, Diagnostics& diagnostics)
{
  if (exchange.sync_every > 1)
    return;
  check_sparse_settings(context, diagnostics);
  if (!context.dnn.sparse() || exchange.local_aggregation == "none")
    return;
  const std::string where = context.job.path + ".training.local_aggregation";
  if (exchange.local_aggregation == "collective")
    diagnostics.error({.path = where},
                      "job '" + context.job.name +
                          "': collectives of a machine add up whole tensors, not rows of a table; write "
                          "'local_aggregation: host', or 'sparse_gradients: dense'");
  const std::vector<WorkerGroup> groups = worker_groups(context.cluster, context.placement, true);
  if (std::ranges::any_of(
          groups, [&](const WorkerGroup& group) { return group.workers.size() != groups.front().workers.size(); }))
    diagnostics.error({.path = where}, "job '" + context.job.name +
                                           "': machines with unlike numbers of workers touch unlike numbers of rows; "
                                           "write 'local_aggregation: none', or take as many GPUs of each machine");
}

/// Servers keep whole tables, the optimiser's states of them and, where they have 16 bits, a copy in fp32, in the
/// memory of their machines.
void check_server_memory(const TrainingContext& context, const ServerExchange& exchange, Diagnostics& diagnostics)
{
  if (!context.dnn.sparse() || exchange.placement == nullptr || exchange.servers.empty())
    return;
  std::vector<Bytes> sizes;
  for (const Layer& layer : context.dnn.layers)
    for (const ParameterTensor& tensor : layer.parameters)
      if (!exchange.dense_by_all_reduce || tensor.sparse())
        sizes.push_back(Bytes{tensor.elements * context.bytes_per_gradient_element});
  const Bytes element{context.bytes_per_gradient_element};
  const double kept_bytes = kept_parameters(1, element.value(), context.job.optimizer).total() / element;
  std::map<NodeId, Bytes> kept;
  for (const VariablePart& part : exchange.placement->place(sizes, static_cast<int>(exchange.servers.size())))
    kept[context.cluster.vertex(exchange.servers[static_cast<std::size_t>(part.server)]).node] +=
        part.bytes * kept_bytes;
  for (const auto& [id, bytes] : kept)
    if (const Node& node = context.cluster.node(id); node.memory > Bytes{} && bytes > node.memory)
      return diagnostics.error({.path = context.job.path + ".training.servers"},
                               "job '" + context.job.name + "': out of host memory: servers on " + node.name +
                                   " keep " + to_text(bytes) + " of variables and optimiser states in " +
                                   to_text(node.memory) +
                                   "; write more 'servers' on more machines, or 'variable_placement: partitioned' if "
                                   "one table is as large");
}

/// Tables on the servers, all else summed among the workers.
void check_hybrid(const TrainingContext& context, ServerExchange& exchange, Diagnostics& diagnostics)
{
  const JobSpec& job = context.job;
  const std::string path = job.path + ".training.";
  if (!exchange.dense_by_all_reduce) {
    if (job.training.settings.has("dense_transport"))
      diagnostics.warning({.path = path + "dense_transport"},
                          "'dense_transport' has no effect without 'dense_gradients: all_reduce'");
    return;
  }
  if (!context.dnn.sparse() || exchange.sync_every > 1)
    diagnostics.error({.path = path + "dense_gradients"},
                      "job '" + job.name +
                          "': no tensor would be left for the servers, because none is exchanged as rows of a table; "
                          "write 'mode: all_reduce', or 'dense_gradients: servers'");
  if (job.training.mode != "parameter_server" || exchange.rule == nullptr || !exchange.rule->aggregates() ||
      exchange.rule->tokens(1) || job.training.settings.integer("backup_workers", 0) > 0)
    diagnostics.error({.path = path + "dense_gradients"},
                      "job '" + job.name +
                          "': workers that sum dense gradients wait for all others; write 'mode: parameter_server' and "
                          "'update_rule: sync' without 'backup_workers', or 'dense_gradients: servers'");
  if (exchange.pull_after_update)
    diagnostics.error(
        {.path = path + "pull"},
        "workers that sum dense gradients fetch the rows of a step before it; write 'pull: before_forward'");
  const std::string transport = job.training.settings.text("dense_transport", "nccl");
  if (const auto found = context.transports.find(transport); found != context.transports.end()) {
    exchange.dense_transport = found->second;
    const std::vector<VertexId>& workers = context.placement.workers;
    check_support(context.transports, transport, "all_reduce",
                  !workers.empty() && context.cluster.vertex(workers.front()).kind == VertexKind::gpu, job,
                  "or write 'dense_gradients: servers'", diagnostics);
  } else {
    diagnostics.error({.path = path + "dense_transport"},
                      "unknown transport '" + transport + "'" + did_you_mean(transport, keys_of(context.transports)));
  }
}

std::string choice(const JobSpec& job, const std::string& key, const std::vector<std::string>& choices,
                   Diagnostics& diagnostics)
{
  std::string value = job.training.settings.text(key, choices.front());
  for (const std::string& allowed : choices)
    if (value == allowed)
      return value;
  diagnostics.error({.path = job.path + ".training." + key},
                    "unknown " + key + " '" + value + "'" + did_you_mean(value, choices));
  return choices.front();
}

/// A warning for each setting that the chosen policies do not read.
void warn_of_settings_without_effect(const JobSpec& job, Diagnostics& diagnostics)
{
  static constexpr Sentence<std::string, std::string, std::string> belongs_elsewhere{
      "servers.belongs_elsewhere", "'{key}' has no effect with {policy}; it belongs to {needed}"};
  const Settings& settings = job.training.settings;
  for (const auto& [key, policy, needed, or_needed] :
       {std::tuple{"backup_workers", "update_rule", "sync", "sync_replicas"},
        {"initial_tokens", "update_rule", "sync_replicas", ""},
        {"staleness", "update_rule", "bounded", ""},
        {"partition_size", "variable_placement", "partitioned", ""}}) {
    const std::string chosen = settings.text(policy, key == std::string{"partition_size"} ? "round_robin" : "sync");
    if (settings.has(key) && chosen != needed && chosen != or_needed)
      diagnostics.warning({.path = job.path + ".training." + key},
                          belongs_elsewhere(key, policy + (": " + chosen),
                                            needed + std::string{*or_needed != 0 ? " or " : ""} + or_needed));
  }
}

/// Whether workers wait for tokens and not for each other; the modes that cannot are errors.
bool takes_tokens(const JobSpec& job, const ServerExchange& exchange, Diagnostics& diagnostics)
{
  const bool tokens = exchange.rule != nullptr && exchange.rule->tokens(1).has_value();
  if (tokens && job.training.mode != "parameter_server")
    diagnostics.error({.path = job.path + ".training.update_rule"},
                      "workers of mode " + job.training.mode +
                          " have one process and take no tokens; write 'update_rule: sync'");
  if (tokens && job.training.settings.text("pull", "before_forward") != "before_forward")
    diagnostics.error({.path = job.path + ".training.pull"},
                      "workers that wait for tokens keep no replicas; write 'pull: before_forward'");
  return tokens;
}

void read_transport(const TrainingContext& context, ServerExchange& exchange, Diagnostics& diagnostics)
{
  const JobSpec& job = context.job;
  const Settings& settings = job.training.settings;
  const std::string transport = settings.text("transport", "grpc");
  if (const auto found = context.transports.find(transport); found != context.transports.end()) {
    exchange.transport = found->second;
  } else {
    diagnostics.error({.path = job.path + ".training.transport"},
                      "unknown transport '" + transport + "'" + did_you_mean(transport, keys_of(context.transports)));
  }
  if (const double rate = settings.number("server_rate", 0); rate > 0) {
    exchange.transport.endpoint_limit = BytesPerSecond{rate};
    exchange.transport.cpu_per_byte = {}; // the rate is that of this server, whatever its processor
  }
  exchange.server_cores = fewest_cores(context.cluster, exchange.servers);
  for (const char* operation : {"send", "receive"})
    check_support(context.transports, transport, operation, false, job, "parameter servers need it", diagnostics);
}

/// When a worker pushes and pulls, and in which order.
void read_order(const JobSpec& job, ServerExchange& exchange, Diagnostics& diagnostics)
{
  const Settings& settings = job.training.settings;
  exchange.push_during_backward =
      choice(job, "push", {"during_backward", "after_backward"}, diagnostics) == "during_backward";
  const std::string pull = choice(job, "pull", {"before_forward", "after_update", "by_layer"}, diagnostics);
  exchange.pull_after_update = pull != "before_forward";
  exchange.forward_by_layer = pull == "by_layer";
  exchange.sync_every = settings.integer("sync_every", 1);
  if (exchange.sync_every > 1) { // replicas, with which a worker goes on once it has fetched all
    check_averaging(job, exchange.rule.get(), diagnostics);
    exchange.pull_after_update = true;
    exchange.forward_by_layer = false;
  }
  const std::string order = choice(job, "pull_order", {"arbitrary", "random", "layer"}, diagnostics);
  exchange.pull_order = order == "layer"    ? PullOrder::layer
                        : order == "random" ? PullOrder::random
                                            : PullOrder::arbitrary;
}

/// How the workers of a machine add up before they push.
void read_local_sums(const TrainingContext& context, ServerExchange& exchange)
{
  const Settings& settings = context.job.training.settings;
  exchange.local_collective = settings.text("local_collective", "ring");
  if (const auto local = context.transports.find(settings.text("local_transport", "nccl"));
      local != context.transports.end()) {
    exchange.local_cost = {.latency = Seconds{},
                           .efficiency = local->second.rate.empty() ? 1 : local->second.rate.back().efficiency,
                           .limit = local->second.stream_limit};
    exchange.local_start_up = local->second.latency;
  }
  if (const double rate = settings.number("local_rate", 0); rate > 0)
    exchange.local_cost.limit = BytesPerSecond{rate};
}

/// What servers and hosts do for each byte, message and connection.
void read_rates(const TrainingContext& context, ServerExchange& exchange, Diagnostics& diagnostics)
{
  const JobSpec& job = context.job;
  const Settings& settings = job.training.settings;
  exchange.aggregate_per_byte = per_byte(settings, "aggregate_bandwidth");
  exchange.update_per_byte = per_byte(settings, "update_bandwidth");
  exchange.staging_per_byte = per_byte(settings, "staging_bandwidth");
  exchange.message_cpu = Seconds{settings.number("message_cpu", 0)};
  exchange.fuse_per_tensor = Seconds{settings.number("fuse_per_tensor", 0)};
  exchange.shared_host_factor = settings.number("shared_host_factor", 1);
  exchange.spread = spread_of(settings, context, exchange.rule == nullptr || exchange.rule->aggregates());
  exchange.shared_directions =
      (settings.has("directions") ? choice(job, "directions", {"separate", "shared"}, diagnostics)
                                  : exchange.transport.settings.text("directions", "separate")) == "shared";
  exchange.connection_rate = BytesPerSecond{settings.number("connection_rate", 0)};
  if (exchange.connection_rate <= BytesPerSecond{} && std::isfinite(exchange.transport.stream_limit.value()))
    exchange.connection_rate = exchange.transport.stream_limit; // the processes of two machines have one stream
  exchange.messages_in_flight = settings.integer("messages_in_flight", 1);
  exchange.messages_per_step = settings.integer("messages_per_step", exchange.messages_per_step);
  exchange.feed_prefetch = settings.integer("feed_prefetch", 1);
}

/// Whether one worker, or a sample, is simulated for all.
void read_representation(const TrainingContext& context, bool tokens, ServerExchange& exchange,
                         Diagnostics& diagnostics)
{
  const JobSpec& job = context.job;
  const Settings& settings = job.training.settings;
  const std::string represent = choice(job, "one_represents_all", {"auto", "yes", "no"}, diagnostics);
  const bool alike =
      job.stragglers.empty() && (job.jitter.distribution == "none" || job.jitter.coefficient_of_variation <= 0);
  const bool equal = alike && exchange.rule != nullptr && exchange.rule->aggregates() && !tokens &&
                     settings.number("backup_workers", 0) == 0;
  exchange.representation_demanded = represent == "yes";
  exchange.one_represents_all = represent == "yes" || (represent == "auto" && equal && context.alone);
  exchange.sample_represents_all = represent == "auto" && alike && context.alone && exchange.rule != nullptr &&
                                   !exchange.rule->aggregates() && !exchange.rule->all_must_have_finished(0);
  if (represent == "yes" && !equal)
    diagnostics.error({.path = job.path + ".training.one_represents_all"},
                      "one_represents_all: yes needs equal workers and a synchronous update; remove stragglers and "
                      "jitter, or write 'no'");
  else if (represent == "yes" && !diagnostics.has_errors() && !exchange.servers.empty() && !context.workers.empty())
    if (const ServerPlan plan{context, exchange, 0}; plan.groups().size() > 1 && plan.members() <= 1)
      diagnostics.warning({.path = job.path + ".training.one_represents_all"},
                          "'one_represents_all: yes' has no effect: workers, their machines or the links that they use "
                          "differ, so that all are simulated");
}

} // namespace

// Long, but a table: one declaration per parameter.
std::vector<Parameter> server_exchange_parameters()
{
  std::vector<Parameter> list{
      {.name = "servers", .kind = "integer", .meaning = "number of parameter servers; must be given", .minimum = 0},
      {.name = "server_placement",
       .kind = "name",
       .default_value = "auto",
       .meaning = "auto: on nodes without GPU if there are any, else on the nodes of the workers; dedicated: on nodes "
                  "without workers of "
                  "the job; colocated: on the nodes of the workers",
       .choices = {"auto", "dedicated", "colocated"}},
      {.name = "device",
       .kind = "name",
       .default_value = "gpu",
       .meaning = "device that the workers compute on",
       .choices = {"gpu", "cpu"}},
      {.name = "update_rule",
       .kind = "name",
       .default_value = "sync",
       .meaning = "when gradients are applied: a registered update rule"},
      {.name = "variable_placement",
       .kind = "name",
       .default_value = "round_robin",
       .meaning = "which server keeps which variable: a registered variable placement",
       .source = "tf.train.replica_device_setter"},
      {.name = "backup_workers",
       .kind = "integer",
       .default_value = "0",
       .meaning = "with sync and sync_replicas: number of workers that an update does not wait for; of machines, if "
                  "those sum their gradients first (local_aggregation)",
       .minimum = 0},
      {.name = "initial_tokens",
       .kind = "integer",
       .default_value = "-1",
       .meaning = "with sync_replicas: tokens that there are at the start; -1: as many as gradients of an update",
       .minimum = -1},
      {.name = "staleness",
       .kind = "integer",
       .default_value = "3",
       .meaning = "with bounded: most steps between the fastest and the slowest worker",
       .minimum = 0},
      {.name = "partition_size",
       .kind = "bytes",
       .default_value = "4096000 B",
       .meaning = "with partitioned: largest part of a variable",
       .minimum = 1,
       .source = "BytePS docs/env.md"},
      {.name = "transport",
       .kind = "name",
       .default_value = "grpc",
       .meaning = "transport between workers and servers"},
      {.name = "push",
       .kind = "name",
       .default_value = "during_backward",
       .meaning = "when gradients are sent: as the backward pass produces them, or all after it",
       .choices = {"during_backward", "after_backward"}},
      {.name = "pull",
       .kind = "name",
       .default_value = "before_forward",
       .meaning =
           "when variables are fetched: by the forward pass, or as soon as each is updated (workers keep replicas); "
           "by_layer: the same, and a layer's next forward pass waits for its own variables only",
       .source = "MXNet, model.py: each variable is pushed and pulled on its own",
       .choices = {"before_forward", "after_update", "by_layer"}},
      {.name = "pull_order",
       .kind = "name",
       .default_value = "arbitrary",
       .meaning = "order in which the variables of a step come: one of each worker that stays the same (TensorFlow's "
                  "resource variables), a new one each step (its reference variables), or that of the layers",
       .source = "timelines of TensorFlow; Hashemi et al., TicTac, MLSys 2019",
       .choices = {"arbitrary", "random", "layer"}},
      {.name = "local_aggregation",
       .kind = "name",
       .default_value = "none",
       .meaning =
           "how gradients of one node are summed before they leave it: by a collective of its GPUs, or in host memory",
       .choices = {"none", "collective", "host"}},
      {.name = "local_collective",
       .kind = "name",
       .default_value = "ring",
       .meaning = "with collective: algorithm inside the node"},
      {.name = "local_transport",
       .kind = "name",
       .default_value = "nccl",
       .meaning = "with collective: transport inside the node"},
      {.name = "local_rate",
       .kind = "bandwidth",
       .default_value = "0 B/s",
       .meaning = "with collective: payload rate of one message inside the node (0: set by the links)",
       .minimum = 0},
      {.name = "aggregate_bandwidth",
       .kind = "bandwidth",
       .default_value = "0 B/s",
       .meaning = "gradient bytes that a server's CPU adds per second (0: takes no time)",
       .minimum = 0},
      {.name = "update_bandwidth",
       .kind = "bandwidth",
       .default_value = "0 B/s",
       .meaning = "variable bytes that a server's CPU updates per second (0: takes no time)",
       .minimum = 0},
      {.name = "staging_bandwidth",
       .kind = "bandwidth",
       .default_value = "0 B/s",
       .meaning =
           "rate of the device-to-host copy of variables in GPU memory, by the thread that serves them (0: no copy)",
       .minimum = 0},
      {.name = "server_rate",
       .kind = "bandwidth",
       .default_value = "0 B/s",
       .meaning = "payload that one server process sends, or receives, per second (0: by the transport and the "
                  "machine's cores)",
       .minimum = 0},
      {.name = "directions",
       .kind = "name",
       .meaning =
           "whether a process reaches that rate in each direction, or in both together (one I/O thread); default: "
           "the transport's, shared with zmq",
       .source = "zmq_ctx_set(3): ZMQ_IO_THREADS is 1 by default",
       .choices = {"separate", "shared"}},
      {.name = "connection_rate",
       .kind = "bandwidth",
       .default_value = "0 B/s",
       .meaning = "payload of the one connection between a process of workers and a server, each direction (0: the "
                  "transport's stream limit)",
       .minimum = 0,
       .source = "one core limits a TCP stream, catalogue network_catalogue.csv"},
      {.name = "worker_processes",
       .kind = "name",
       .default_value = "machine",
       .meaning = "workers of a machine are one process with all GPUs (machine), or each GPU has one, with connections "
                  "of its own (gpu); of a service, each container is a process, unless this is given",
       .source = "a TensorFlow task for each GPU, by CUDA_VISIBLE_DEVICES",
       .choices = {"machine", "gpu"}},
      {.name = "gpus_per_process",
       .kind = "integer",
       .default_value = "0",
       .meaning = "GPUs of each process of workers, as of a container that has several; 0: by worker_processes",
       .minimum = 0},
      {.name = "message_cpu",
       .kind = "duration",
       .default_value = "0 s",
       .meaning = "CPU time of a server per message",
       .minimum = 0},
      {.name = "fuse_per_tensor",
       .kind = "duration",
       .default_value = "0 s",
       .meaning = "with push: after_backward: time to copy one gradient into or out of the buffer (a kernel launch)",
       .minimum = 0},
      {.name = "shared_host_factor",
       .kind = "number",
       .default_value = "1",
       .meaning = "factor on the compute time if several workers run (shared board power, host memory, all-core clock)",
       .minimum = 0.1},
      spread_parameter(),
      sync_every_parameter(),
      {.name = "messages_in_flight",
       .kind = "integer",
       .default_value = "1",
       .meaning = "number of messages in flight per worker, server and direction; 1: whole tensors one after another, "
                  "as a stream carries them; 0: all that are ready share the connection",
       .minimum = 0,
       .source = "timelines of TensorFlow over gRPC; ps-lite: one ZeroMQ socket per peer"},
      {.name = "feed_prefetch",
       .kind = "integer",
       .default_value = "1",
       .meaning = "with in_graph: number of batches that the client feeds ahead",
       .minimum = 0},
      {.name = "messages_per_step",
       .kind = "integer",
       .default_value = std::to_string(ServerExchange{}.messages_per_step),
       .meaning = "most messages per step and direction that are simulated one by one; with more, neighbouring "
                  "variables of a server share messages, which then hide less of them",
       .minimum = 1},
      {.name = "one_represents_all",
       .kind = "name",
       .default_value = "auto",
       .meaning = "simulate some of many equal workers and give the others their share of all that they share, where "
                  "workers and their machines are alike; auto: of a job that runs alone, with a barrier, those that "
                  "have half of messages_per_step, where no link between switches can delay workers and, with pull: "
                  "after_update "
                  "or by_layer, no server is on a worker's machine; without a barrier, with servers on machines of "
                  "their own, a sample of very many; yes: one of all, some % off where few are alike or have servers "
                  "beside them",
       .choices = {"auto", "yes", "no"}},
  };
  for (const Parameter& parameter : sparse_parameters())
    list.push_back(parameter);
  list.push_back({.name = "dense_gradients",
                  .kind = "name",
                  .default_value = "servers",
                  .meaning =
                      "of a model with tables of rows: where all other tensors are, on the servers as well, or on "
                      "each worker, summed by all-reduce (hybrid)",
                  .source = "Kim et al., Parallax, EuroSys 2019",
                  .choices = {"servers", "all_reduce"}});
  list.push_back({.name = "dense_transport",
                  .kind = "name",
                  .default_value = "nccl",
                  .meaning = "with dense_gradients: all_reduce: its transport"});
  return list;
}

ServerExchange server_exchange(const TrainingContext& context, Diagnostics& diagnostics)
{
  const JobSpec& job = context.job;
  ServerExchange exchange;
  exchange.rule = sub_policy<UpdateRule>(job, "update_rule", "sync", diagnostics);
  exchange.placement = sub_policy<VariablePlacement>(job, "variable_placement", "round_robin", diagnostics);
  exchange.servers = context.placement.servers;
  warn_of_settings_without_effect(job, diagnostics);
  const bool tokens = takes_tokens(job, exchange, diagnostics);
  read_transport(context, exchange, diagnostics);
  read_order(job, exchange, diagnostics);
  exchange.local_aggregation = choice(job, "local_aggregation", {"none", "collective", "host"}, diagnostics);
  check_backups(context, exchange.local_aggregation != "none", diagnostics);
  const bool process_per_gpu = choice(job, "worker_processes", {"machine", "gpu"}, diagnostics) == "gpu";
  exchange.gpus_per_process = job.training.settings.integer("gpus_per_process", process_per_gpu ? 1 : 0);
  check_processes(job, exchange, diagnostics);
  check_tables(context, exchange, diagnostics);
  exchange.dense_by_all_reduce = choice(job, "dense_gradients", {"servers", "all_reduce"}, diagnostics) == "all_reduce";
  check_hybrid(context, exchange, diagnostics);
  read_local_sums(context, exchange);
  read_rates(context, exchange, diagnostics);
  check_server_memory(context, exchange, diagnostics);
  read_representation(context, tokens, exchange, diagnostics);
  return exchange;
}

ServerExchange server_exchange(const TrainingContext& context)
{
  Diagnostics diagnostics;
  ServerExchange exchange = server_exchange(context, diagnostics);
  if (diagnostics.has_errors())
    throw std::invalid_argument{diagnostics.sorted().front().message};
  return exchange;
}

} // namespace trainyard
