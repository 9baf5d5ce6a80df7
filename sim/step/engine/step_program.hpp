// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/shared_list.hpp"
#include "models/core/small_list.hpp"
#include "models/core/units.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace trainyard {

struct OperationId {
  int index = -1;
  auto operator<=>(const OperationId&) const = default;
};

struct LaneId {
  int index = -1;
  auto operator<=>(const LaneId&) const = default;
};

struct ResourceId {
  int index = -1;
  auto operator<=>(const ResourceId&) const = default;
};

enum class LaneKind { compute, copy, communication, host };

/// Something that works on a limited number of operations at a time: a GPU's compute stream, a server's CPU.
///
/// Among ready operations the lowest priority number goes first, then the one that became ready first, then the lower
/// id.
struct Lane {
  std::string name; // "worker-0/gpu-0 compute"
  LaneKind kind = LaneKind::compute;
  int slots = 1; // operations at a time
  /// The same where connections share links. Messages of several operations have one connection between two processes:
  /// where each message has an equal share of a link, several at a time would have several shares.
  int slots_by_connection = 1;
  int members = 1; // identical GPUs that this lane stands for (all do the same at the same time)
  NodeId node;
  bool operator==(const Lane&) const = default;
};

/// A shared capacity beside the links: a server process's gRPC stack, a disk, an object store.
struct Resource {
  std::string name;
  BytesPerSecond capacity; // of payload; of a link what can be on the wire
  LinkId link{};           // the link of which this is a share; -1: of none
  double sharers = 1;      // messages on that link that each message here stands for, >= 1
  bool operator==(const Resource&) const = default;
};

/// What a message costs besides the links it crosses; comes from the transport and the size.
struct MessageCost {
  Seconds latency; // software start-up per message, on top of the latencies of the links
  double efficiency =
      1; // payload per byte of link capacity, in (0, 1]: a message of p bytes loads its links with p / efficiency
  BytesPerSecond limit{std::numeric_limits<double>::infinity()}; // payload rate that one message reaches at most
  bool both_ways = false;     // acknowledgements are in the efficiency, or nothing is known of them
  bool whole_latency = false; // `latency` is measured from end to end: the links' own latencies are in it
  bool rdma = false;          // neither windows nor losses, where links have queues (fidelity tcp)
  bool operator==(const MessageCost&) const = default;
};

/// Kernels on a GPU; the duration comes from the calibrated profile, flop and bytes are kept for the report.
struct Compute {
  Seconds duration;
  Flops flop;
  Bytes bytes;
  bool operator==(const Compute&) const = default;
};

/// Work on a CPU: serialisation, aggregation, optimiser update, preprocessing.
struct HostWork {
  Seconds duration;
  bool operator==(const HostWork&) const = default;
};

/// Host memory <-> device memory over the route between the two vertices.
struct Copy {
  VertexId from;
  VertexId to;
  Bytes bytes;
  MessageCost cost;
  bool operator==(const Copy&) const = default;
};

/// One message over the network (or within a node).
struct Transfer {
  VertexId from;
  VertexId to;
  Bytes bytes;
  MessageCost cost;
  SmallList<ResourceId> resources; // shared capacities it uses besides the links, payload bytes each
  bool operator==(const Transfer&) const = default;
};

/// A collective operation of all ranks of a group.
struct CollectiveCall {
  std::string algorithm = "ring"; // registered Collective
  std::string operation = "all_reduce";
  SharedList<VertexId> ranks; // in rank order
  Bytes payload;              // as nccl-tests counts it: the buffer of one rank for all-reduce
  MessageCost cost;           // of each message
  Seconds start_up;           // once per call: launch, negotiation
  int channels = 1;           // parallel rings over different NICs, payload split evenly
  int all_ranks = 0;          // that `ranks`, a sample of even machines, stand for; 0 = no more than them
  /// Order of the ranks in each parallel ring where the library has searched the topology; then `channels` does not
  /// count.
  SharedList<std::vector<VertexId>> orders;
  bool operator==(const CollectiveCall&) const = default;
};

/// Takes no time; `step` of `worker` ends here. Step times are differences of marks.
struct StepEnd {
  int step = 0;
  int worker = 0; // -1: all workers together (synchronous)
  bool operator==(const StepEnd&) const = default;
};

using Work = std::variant<Compute, HostWork, Copy, Transfer, Boxed<CollectiveCall>, StepEnd>;

/// Null where it is something else.
inline const CollectiveCall* call_of(const Work& work)
{
  const auto* call = std::get_if<Boxed<CollectiveCall>>(&work);
  return call != nullptr ? &**call : nullptr;
}

/// What an operation is for; decides how its time is counted in the breakdown.
enum class Role { input, forward, backward, pull, push, exchange, aggregate, update, other };

struct Operation {
  SharedText name; // "forward conv1_1", "push fc6 to ps-0"; may be empty in large programs
  Role role = Role::other;
  Work work;
  SmallList<LaneId> lanes; // occupied from begin to end; empty = needs none. A collective may hold the communication
                           // lane of each rank class.
  SmallList<OperationId> after; // starts when all of these have ended
  int priority = 0;
  int step = 0;
  int worker = -1;
  bool operator==(const Operation&) const = default;
};

/// One or more steps of one job as operations on lanes; who runs them decides how long the network takes.
struct StepProgram {
  std::string job;
  int steps = 1;
  int workers = 1;
  double stands_for = 1;       // as many of its kind, itself included, does each worker that appears count for
  double samples_per_step = 0; // global batch (sync), or per worker step (async) times workers
  std::vector<Lane> lanes;
  std::vector<Resource> resources;
  std::vector<Operation> operations; // `after` refers to lower indices only

  LaneId add(Lane lane);
  ResourceId add(Resource resource);
  OperationId add(Operation operation);
  bool operator==(const StepProgram&) const = default;
};

/// By which factor a worker computes longer in a step.
using StepFactor = std::function<double(int worker, int step)>;

/// Name of the HostWork that keeps a worker from beginning its first step at once.
inline constexpr const char* start_of_worker = "start";

/// Gives the workers that begin late other times at which they begin. False where those of the program are not the same
/// workers: it is unchanged.
bool begin_at(StepProgram& program, const std::map<int, Seconds>& delays);

/// Whether workers fetch variables as soon as those are updated: what a step pulls is for the step after it.
inline bool pulls_ahead(const StepProgram& program)
{
  return std::ranges::any_of(program.operations, [&](const Operation& operation) {
    return operation.role == Role::pull && std::ranges::any_of(operation.after, [&](OperationId before) {
             const Operation& waited = program.operations[static_cast<std::size_t>(before.index)];
             return waited.role == Role::update && waited.step == operation.step;
           });
  });
}

} // namespace trainyard
