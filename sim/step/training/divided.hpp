// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "sim/parallel/step.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/training/training_mode.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// How a transformer that is divided among GPUs trains (`training: {parallel: …}`): the tasks of its pipeline, and the
/// messages that leave machines on the cluster's links.
///
/// All replicas do a task at the same time, and it ends with the slowest of them: every step ends in a barrier anyway.
/// Messages inside a machine take the time of their closed form. Those between machines are flows from GPU to GPU: of
/// a ring, one between neighbouring machines for each of the group's ranks in a machine; of an all-to-all, one to each
/// other machine; between stages, one for each pair of ranks. A flow's bytes are those of the closed form, and what
/// its time has beside them is start-up. A job alone whose tensor-parallel ranks use links of their own, alike for
/// each of them (rails), is simulated with the first rank's links only.
std::unique_ptr<TrainingMode> divided_mode();

/// The job at its place, with as many replicas as its workers make (with_replicas()).
ParallelJob divided_job(const TrainingContext& context);

/// Tokens of one of its sequences.
int divided_tokens(const JobSpec& job);

/// Share of the rate of a machine's cards that large payloads to other machines reach. Over InfiniBand the slot of a
/// card may be the limit.
double efficiency_of_cards(const Cluster& cluster, const Node& node, const Transport& library);

/// Machines that are alike: the same GPU, as many of them, as many network cards and as fast links at both. The first
/// machine of a group of nodes stands for it; groups that are alike add up.
struct AlikeMachines {
  const Node* first = nullptr;
  std::vector<std::string> groups;
  int gpus = 0; // of all of them
};

/// The machines of a cluster in the order in which a divided transformer takes them: those that have @p gpus GPUs come
/// first, then those with the fastest GPUs, then those with the fastest links. The order in which the scenario lists
/// them does not count. @p free: GPUs of each machine that other jobs have left; empty: all.
std::vector<AlikeMachines> machines_in_order(const Cluster& cluster, const std::string& precision, int gpus,
                                             const Catalogue& catalogue, std::span<const int> free = {});

/// What a job has of each machine. 0: all.
struct ShareOfMachine {
  int gpus = 0;
  double cards_of_gpu = 0; // network cards that the GPUs in use send over, by their number
};

/// The GPUs that a job in several machines has of each, and where the first one is not taken whole, the fewest cards
/// for each GPU in use. All, where it lies in one machine. Where machines give unlike numbers (in a queue), their
/// greatest common divisor: a group of so many ranks in a row lies in one machine, a group of twice as many does not
/// everywhere, and the slowest group holds the others up.
ShareOfMachine share_of_machine(const Cluster& cluster, const Placement& placement);

/// Two machines of the workers that are not alike, in words; empty: all are. @p any_size: they may have unlike numbers
/// of GPUs and cards, as in a queue.
std::string unlike_machines(const Cluster& cluster, const JobSpec& job, const Placement& placement,
                            bool any_size = false);

/// Two machines of which the job has unlike numbers of GPUs, in words; empty: as many of each, or whole machines and
/// the rest on the last one.
std::string uneven_shares(const Cluster& cluster, const JobSpec& job, const Placement& placement);

/// Between a GPU and its host while all GPUs of the machine send: its share of the links on the way.
BytesPerSecond host_rate(const Cluster& cluster, const Node& node);

/// What collectives meet on machines like @p node, by the library @p library, where a job has @p used of each, and @p
/// ranks among its GPUs, at least one on each machine.
ParallelNetwork parallel_network(const Cluster& cluster, const Node& node, const Gpu& gpu, const Transport& library,
                                 const ShareOfMachine& used, std::span<const VertexId> ranks);

/// Where the time of a step went that an executor ran: @p trace of the first step of @p program, which took @p step.
/// Messages between machines as they were exposed on the rank with the most work; the rest by closed form.
ParallelStep divided_step(const ParallelJob& job, const StepProgram& program, const StepTrace& trace, Seconds step);

/// Name of computing while the operation before it is under way.
inline constexpr const char* beside_name = "beside";
/// By how much messages lengthen it, whose multiprocessors they hold.
inline constexpr const char* taken_name = "multiprocessors";

/// Steps of a divided transformer as tasks and messages; see divided.hpp.
StepProgram divided_program(const TrainingContext& context, const ParallelJob& job, const Transport& library,
                            int first_step, int steps);

using GpuPairs = std::vector<VertexId>; // from, to, from, to…

/// Who sends to whom between machines.
class DividedWays
{
public:
  /// Of the first @p rails ranks of each tensor-parallel group.
  DividedWays(const TrainingContext& context, const ParallelLayout& layout, int rails);

  /// Of pipeline rank @p rank; between stages to the next rank, or (@p to_previous) to the one before it.
  const GpuPairs& of(NetworkPart::Group group, std::size_t rank, bool to_previous = false) const;
  /// Links of the ways of one tensor-parallel rank, in the order of the ways.
  std::vector<LinkId> links_of(int t) const;

private:
  VertexId at(int rank, int replica, int t) const;
  bool same_machine(VertexId a, VertexId b) const { return cluster_.vertex(a).node == cluster_.vertex(b).node; }
  void send(GpuPairs& ways, VertexId from, VertexId to) const;
  std::vector<GpuPairs> by_machine(const GpuPairs& ranks) const;
  void ring(GpuPairs& ways, const GpuPairs& ranks) const;
  void to_all(GpuPairs& ways, const GpuPairs& ranks) const;
  void between_stages(int rank, int rails);
  void between_replicas(int rank, int t);
  void between_experts(int rank, int rails);
  /// GPUs that hold the stages of @p rank; in a pipeline that goes both ways those of its mirror as well.
  GpuPairs holders(int rank, int t) const;
  /// Rings of those among which `zero` divides, and of those that hold the same share.
  void rings_of_replicas(int rank, int t, GpuPairs& data, GpuPairs& copies) const;

  const Cluster& cluster_;
  const std::vector<VertexId>& workers_;
  const ParallelLayout& layout_;
  bool both_ways_;
  std::vector<GpuPairs> next_, previous_, tensor_, context_, expert_, data_, copies_; // by rank of the pipeline
  GpuPairs tied_;
};

/// Ranks of each tensor-parallel group that are simulated, for all of them: one where the job is alone and each rank
/// has links of its own between machines, equal to those of the first.
int simulated_rails(const TrainingContext& context, const ParallelJob& job);

} // namespace trainyard
