// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/nccl_choice.hpp"
#include "models/parallel/layout.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

struct MeasuredRates;

/// The wires between the ranks of a job, where some are longer than a hop of the library's table. Groups are regular:
/// rank k of a group is k strides behind the first.
class RankWires
{
public:
  /// @p machines: of each rank, by their place in the order of the ranks.
  RankWires(std::vector<int> machines, LongWires::Between between);

  /// Of the group of @p ranks with this @p stride that has the longest; null: as on a local network. Stride 0: of the
  /// whole job.
  std::shared_ptr<const LongWires> of(int ranks, int stride) const;
  /// The longest from any rank to the one @p stride behind it.
  Seconds to_next(int stride) const;

private:
  std::vector<int> machines_;
  LongWires::Between between_;
  mutable std::mutex lock_; // of what is known: layouts are compared by several threads
  mutable std::map<std::pair<int, int>, std::shared_ptr<const LongWires>> known_;
};

/// What collectives of GPUs meet between and inside equal machines, without other traffic.
struct ParallelNetwork {
  int gpus_per_node = 8;
  /// Of the catalogue; its measured curves count inside a machine, where it has them. Empty: wired otherwise.
  std::string gpu;
  std::shared_ptr<const MeasuredRates> measured; // instead of the catalogue's
  bool nvlink = true;                            // inside a machine; else PCIe
  BytesPerSecond inside; // that a GPU sends to the others of its machine, after the library's protocol
  /// The same where only so many of them take part: the links of a mesh to the rest lie idle, and few GPUs need not
  /// pass from socket to socket. By their number; empty: always `inside`.
  std::vector<BytesPerSecond> inside_of;
  BytesPerSecond between;      // the same to other machines: its share of the NICs
  int cards = 1;               // NICs of a machine, over which `between` of its GPUs goes
  double switch_reduction = 0; // share of `inside` at which NVSwitches add up; 0: they cannot
  BytesPerSecond host;         // between a GPU and its host while all GPUs of the machine send; 0: they cannot
  CollectiveTuning tuning;     // start-up times; `launch` counts in the launch lane, not here
  std::shared_ptr<const RankWires> wires; // between machines; null: as on a local network

  /// What each of @p gpus GPUs of a machine sends to the others of them.
  BytesPerSecond among(int gpus) const
  {
    const auto index = static_cast<std::size_t>(std::max(gpus, 0));
    return gpus >= 2 && index < inside_of.size() ? inside_of[index] : inside;
  }
};

/// Ranks of one kind of parallelism that talk to each other.
struct RankGroup {
  int ranks = 1;
  int per_node = 1; // of them in one machine
  int stride = 0;   // from one to the next, in the order of the job's ranks; 0: not known

  int nodes() const { return (ranks + per_node - 1) / per_node; }
};

/// The groups of a layout. Ranks lie in the order pp, dp, cp, tp, the last innermost.
struct ParallelGroups {
  RankGroup tensor, context, data, expert; // data: dp x cp, which hold the same weights
  RankGroup shard, copies;                 // of data: among which `zero` divides; which hold the same share
  bool stages_between_nodes = false;       // neighbouring stages lie in different machines
  int stage_stride = 0, ends_stride = 0;   // from a rank to that of the next stage; from the first stage to the last
};
ParallelGroups groups_of(const ParallelLayout& layout, int gpus_per_node);

/// Times of collectives by closed form: measured curves inside a machine where there are some, else start-up by the
/// library's own constants and payload over the narrowest part of the ring. A ring of n ranks on N machines enters and
/// leaves each machine over the NICs of its ranks there.
///
/// @p payload: of all-reduce, reduce-scatter and all-gather the whole vector; of tokens one copy of each
/// that a rank holds.
Seconds all_reduce_time(const ParallelNetwork& network, const RankGroup& group, Bytes payload);
/// Reduce-scatter, or all-gather: rings, whose start-up grows with the ranks, or PAT with one rank per machine (see
/// choose_gather()).
Seconds scatter_time(const ParallelNetwork& network, const RankGroup& group, Bytes payload);
/// Owners of equal parts of @p payload broadcast them one after the other (broadcasts_time()).
Seconds owners_time(const ParallelNetwork& network, const RankGroup& group, Bytes payload, int owners);
/// Every token goes to @p copies experts, spread evenly over the group. Between machines it travels once to each
/// machine that has one of them, and is copied there over NVLink (DeepSeek-V3, arXiv:2412.19437, section 3.2.2): on N
/// machines (N - 1) (1 - (1 - 1/N)^copies) times.
/// With @p routing the machines are those that the token's groups of experts lie in.
Seconds token_exchange_time(const ParallelNetwork& network, const RankGroup& group, Bytes payload, int copies,
                            const Transformer* routing = nullptr);

/// Of @p nodes machines, over which the groups of experts are spread, those in which a token's groups lie, on average
/// of all choices of groups.
double machines_of_groups(const Transformer& transformer, int nodes);
/// @p stride: from the rank that sends to the one that receives.
Seconds point_to_point_time(const ParallelNetwork& network, bool between_nodes, Bytes payload, int stride = 0);

/// Update of optimiser states in host memory, @p parameters of each GPU of a machine: gradients go down to the host,
/// the host reads them and reads and writes master copy and two moments in fp32 (24 B), and writes the weights in 16
/// bit, which go up to the GPU piece by piece while the next piece is updated (ZeRO-Offload, arXiv:2101.06840, sections
/// 4.1 and 5.1). The host is bound by its memory.
Seconds host_update_time(const ParallelNetwork& network, const ParallelLayout& layout, double parameters);

} // namespace trainyard
