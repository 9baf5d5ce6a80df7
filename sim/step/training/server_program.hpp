// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "sim/step/engine/step_program.hpp"
#include "sim/step/training/training_mode.hpp"
#include "sim/step/training/update_rule.hpp"
#include "sim/step/training/variable_placement.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// The order in which the variables of a step come over a connection: one that a worker draws once, one that it draws
/// for each step, or that of the layers.
enum class PullOrder { arbitrary, random, layer };

/// Everything that decides how workers and parameter servers exchange variables and gradients.
///
/// One description serves the three replication modes: between-graph (parameter_server), in-graph, and multi-tower on
/// one node.
struct ServerExchange {
  std::unique_ptr<UpdateRule> rule;
  std::unique_ptr<VariablePlacement> placement;
  std::vector<VertexId> servers;               // where variables live: hosts, or GPUs of one node
  bool in_process = false;                     // variables in the workers' own process: copies instead of messages
  std::optional<VertexId> client;              // in-graph: the host that feeds every worker
  Transport transport;                         // of the messages
  bool push_during_backward = true;            // false: one exchange after the whole backward pass
  bool pull_after_update = false;              // true: workers keep replicas and fetch each variable once it is updated
  bool forward_by_layer = false;               // with these: a layer's forward pass waits for its own variables only
  PullOrder pull_order = PullOrder::arbitrary; // of what a worker asks for before its forward pass
  std::string
      local_aggregation; // none, collective (reduce-scatter and all-gather inside the node), host (sum in host memory)
  std::string local_collective;      // algorithm inside the node
  MessageCost local_cost;            // of the messages of that collective
  Seconds local_start_up;            // once per collective inside the node
  bool shared_directions = false;    // one I/O thread per process: what it sends and receives shares one rate
  SecondsPerByte aggregate_per_byte; // server CPU: adding one gradient to the sum
  SecondsPerByte update_per_byte;    // server CPU: optimiser update of a variable
  SecondsPerByte staging_per_byte;   // device <-> host copy by the thread that serves a variable kept in GPU memory
  Seconds message_cpu;               // server CPU per message
  Seconds fuse_per_tensor;           // after_backward: copying one gradient into, or out of, the one buffer
  double shared_host_factor = 1;     // compute time factor once several workers run
  double spread = 0;                 // standard deviation of a worker's computing, as a share
  bool dense_by_all_reduce = false;  // only tables of rows live on the servers; workers sum the rest among themselves
  Transport dense_transport;         // of that
  int sync_every = 1;                // steps from one exchange to the next; from 2 on of parameters
  int messages_in_flight = 1;        // per worker, server and direction; 0 = all ready ones at once
  BytesPerSecond connection_rate{};  // payload per worker process, server and direction; 0 = unlimited
  int gpus_per_process = 0;          // of workers; 0 = the workers of a machine are one process
  double server_cores = 0;           // processor cores of a server process; 0 = not known
  int feed_prefetch = 1;             // in-graph: batches fed ahead
  int messages_per_step = 16384;     // simulated one by one, each direction
  bool one_represents_all = false;   // equal workers: simulate some, the others as shares of what they share
  bool representation_demanded = false; // by one of all, also where links between switches would hold others up
  bool sample_represents_all = false;   // equal workers without a barrier: of very many, simulate a sample likewise
  bool join_small_messages = true;      // without a barrier: what takes no time beside other messages goes with them
  std::size_t sampled_pairs = 8192;     // of a worker and a message, each direction, in such a sample
};

/// Parameters common to the modes that exchange through servers, for the schema.
std::vector<Parameter> server_exchange_parameters();

/// Reads the settings of the job; names that do not exist are errors in @p diagnostics (then the result is incomplete).
ServerExchange server_exchange(const TrainingContext& context, Diagnostics& diagnostics);

/// The same, for use after a successful check; throws std::invalid_argument where the check would have complained.
ServerExchange server_exchange(const TrainingContext& context);

/// Operations of @p steps steps. Order within a step: pull, forward, backward, push, aggregate, update.
StepProgram server_program(const TrainingContext& context, const ServerExchange& exchange, int first_step, int steps);

/// TrainingMode::begin_elsewhere for a program of server_program().
bool begin_elsewhere_with_servers(const TrainingContext& context, const ServerExchange& exchange, int first_step,
                                  StepProgram& program);

/// TrainingMode::endless for a program of server_program().
std::optional<EndlessSteps> endless_with_servers(const TrainingContext& context, const ServerExchange& exchange);

/// Copies the last step of a program until each worker has its number of steps, @p steps of them: faster than to make
/// each anew. False, and nothing is added, where the step before it is not like it: the same operations, which wait for
/// the same ones of as many steps before, or where something waits for a worker that makes fewer steps.
bool repeat_last_step(StepProgram& program, std::span<const int> steps);

} // namespace trainyard
