// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/rings.hpp"
#include "models/cost/nccl_choice.hpp"
#include "sim/step/training/fusion.hpp"
#include "sim/step/training/training_mode.hpp"

#include <map>
#include <memory>
#include <vector>

namespace trainyard {

/// One collective of a step, as the framework issues it.
struct PlannedCollective {
  Bytes payload;
  int last_layer = 0;  // its gradient comes from the backward pass down to this layer
  Seconds issue_delay; // from that gradient to the call: the framework's cycle
  Seconds start_up;    // once per call
  std::string algorithm;
  double efficiency = 1; // of the ring's bandwidth; above 1 where fewer bytes cross the links or more flows share them
  double traffic = 1;    // bytes on the links against a ring's
  Seconds beside;        // of it, while the backward pass computes; as estimated
  std::string operation = "all_reduce"; // or all_gather, of rows of a table
};

/// Everything that decides how gradients are exchanged; from the job's settings and its transport.
struct ExchangeSettings {
  std::string algorithm = "ring"; // registered Collective, or "auto": what the library would choose
  bool overlap = true;            // exchange during the backward pass
  double kernel_wait = 0.5;       // share of a compute kernel that a collective waits for its multiprocessors
  Seconds start_up;               // framework's cost of one collective, on top of the library's
  SecondsPerByte staging;         // device <-> host copies of a transport that cannot read GPU memory
  bool copies_back = true;        // a thread that waits for a collective also waits for the copy to the device
  double acknowledged = 0;        // bytes of acknowledgements that load the way back, for each byte of payload
  bool library_latency = false;   // start-up by CollectiveTuning instead of message latencies
  std::vector<double> rows;       // that a worker touches in a step, by tensor of the network; empty: none are gathered
  bool whole_tables = false;      // tables travel as large as they are, with all other tensors
  bool library_trees = false;     // "tree" of a library that chooses by itself: its own, over all cards
  CollectiveTuning tuning;
  /// Of an algorithm that the library does not have and that is built of its calls: rounds one after another.
  struct Rounds {
    double inside = 0; // a machine
    double across = 0; // machines
    double around = 0; // of those: rounds of rings, which take all edges in turn
    int calls = 0;     // 0: the library has the algorithm
  } rounds;
  /// Latency of all messages one after another, where the library says nothing of it; of sums by algorithm.
  std::map<std::string, Seconds> sum_rounds;
  Seconds gather_rounds;

  std::string mpi; // library of MPI whose table chooses the algorithm by payload (mpi_algorithm()); empty: `algorithm`

  /// As the library does it: its rings carry the bytes of what its tuner would take.
  bool library_decides() const { return algorithm == "auto" || library_trees; }
};

/// What is known of the place of the job; searched once for each place.
TrainingContext::Found& found_at(const TrainingContext& context);

/// The ranks of @p context as a ring: nodes, kind of link inside, and the bandwidth of its slowest edge over the
/// transport. @p found: rings that the library has found in the topology, all of which count together; null: none.
const CollectiveShape& ring_shape(const TrainingContext& context, const Transport& transport,
                                  const Rings* found = nullptr);

/// The rings that the transport's library finds between the job's GPUs; null where ranks go round in their own
/// order.
///
/// `ring_order` and `channels` of @p settings decide, where given.
std::shared_ptr<const Rings> library_rings(const TrainingContext& context, const Transport& transport,
                                           const Settings& settings);

/// The job's settings over those of its transport: what the library does by itself.
Settings over_transport(const Transport& transport, const Settings& settings);

/// Settings of a collective, from over_transport().
ExchangeSettings exchange_settings(const TrainingContext& context, const Transport& transport, const Settings& merged);

/// Thread blocks of one of the library's collectives, each of which takes a multiprocessor: `collective_channels` of @p
/// merged, or as NCCL 2.5 and later count them. Every ring that it finds is used twice (src/graph/connect.cc:
/// "Duplicate channels"); a ring through NVSwitches stands for one over each NVLink of a GPU. What was measured for a
/// GPU with NVSwitches comes before that. 0: not on GPUs, or the library does not read their memory.
int collective_channels(const TrainingContext& context, const Transport& transport, const Settings& merged,
                        const Rings* found, const CollectiveShape& shape);

/// By how much collectives lengthen the part of the backward pass that begins when the first bucket is complete: those
/// that run beside it keep @p share of the multiprocessors. At most as if they did so all the time.
double lengthened_by(const std::vector<PlannedCollective>& collectives, const WorkerTimes& times, double share);

/// Switches of Ethernet between the job's workers that `network_reduction` of @p settings wants to add up are an error.
void check_network_reduction(const TrainingContext& context, const Settings& settings, Diagnostics& diagnostics);

/// How long copies take that a transport without access to GPU memory needs (ExchangeSettings::staging).
Parameter staging_parameter();

/// `latency_model`: how long a collective takes to start.
Parameter latency_model_parameter();

/// Copies of what is exchanged between GPUs and hosts, one lane for each direction; nothing where nothing is copied.
class HostCopies
{
public:
  HostCopies() = default;
  HostCopies(StepProgram& program, const std::string& job, SecondsPerByte staging, int ranks);
  /// What ends last: the copy, or @p after where there is none.
  std::vector<OperationId> copied(StepProgram& program, Bytes bytes, bool to_host, std::vector<OperationId> after,
                                  int step) const;

private:
  SecondsPerByte staging_; // there and back
  LaneId to_host_, to_device_;
};

/// Copies of all gradients of GPUs to their host and back, on the node where they take longest, all at the same time:
/// GPUs share PCIe links on their way to the host.
SecondsPerByte copies_to_host_and_back(const TrainingContext& context);

/// A planned collective as the executors run it. An algorithm that the library's tuner has chosen runs as rings of its
/// bandwidth, as the tuner counts it.
CollectiveCall library_call(const TrainingContext& context, const Transport& transport,
                            const ExchangeSettings& settings, const Rings* found, const CollectiveShape& shape,
                            int channels, const PlannedCollective& planned);

/// One collective outside a backward pass: all_reduce, all_gather, reduce_scatter, broadcast or reduce of @p payload,
/// with the choices of
/// @p merged (over_transport()). Others, and algorithms without rings, by the registered collective of that name.
CollectiveCall one_call(const TrainingContext& context, const Transport& transport, const Settings& merged,
                        const std::string& operation, Bytes payload);

/// How a library does an all-reduce, and what its tuner passes over.
struct HowDone {
  std::string taken;  // "tree LL128, 8 channels"; empty: it chooses nothing
  std::string better; // would take less time, but the library's tuner counts otherwise; empty: there is nothing
  Seconds counted, better_counted; // by the tuner
  Seconds takes, would_take;
};
HowDone how_done(const ExchangeSettings& settings, const CollectiveShape& shape, int most_channels, Bytes payload);

/// The same for one all-reduce outside a backward pass.
HowDone how_done(const TrainingContext& context, const Transport& transport, const Settings& merged, Bytes payload);

/// Gradients in the order in which the backward pass produces them: last layer first, last tensor of a layer first.
/// Those of tables, which are rows, only as @p whole_tables.
std::vector<Gradient> gradients_in_order(const Dnn& dnn, const WorkerTimes& times, double bytes_per_element,
                                         bool whole_tables = false);

/// Collectives of one step in the order of issue.
///
/// A collective that starts while the backward pass runs waits for the compute kernel that holds the multiprocessors to
/// end: on average `kernel_wait` of a kernel (two kernels per layer with parameters, one per other layer). Start times
/// are estimated here; executors decide the real ones.
std::vector<PlannedCollective> plan_collectives(const Dnn& dnn, const WorkerTimes& times, double bytes_per_element,
                                                const Fusion& fusion, const ExchangeSettings& settings,
                                                const CollectiveShape& shape);

} // namespace trainyard
