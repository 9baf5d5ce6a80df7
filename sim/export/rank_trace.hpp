// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/parallel/step.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

/// Groups of ranks of a divided job that talk to each other: `data` divide what `zero` divides (all replicas, or
/// shard_within of them), `copies` hold the same share; `expert_data` and `expert_copies` are the same of experts;
/// `ends` both hold the embedding.
enum class TraceGroup { tensor, context, expert, data, copies, expert_data, expert_copies, ends };

/// Collectives as MLCommons Chakra numbers them (schema/protobuf/et_def.proto, CollectiveCommType).
enum class TraceCollective { all_reduce = 0, all_gather = 2, all_to_all = 6, reduce_scatter = 7 };

/// A node of the graph of one rank.
struct TraceNode {
  enum class Kind { compute, collective, send, receive };
  Kind kind = Kind::compute;
  std::string name;
  std::vector<std::uint32_t> after; // places of nodes of the same rank that end before it begins
  Seconds time;                     // by closed form; of `receive` none: it ends with the message
  Flops flop;                       // of `compute`: of the model
  Bytes bytes;                      // of `compute`: weights and activations; else what the rank puts into the message
  TraceCollective collective = TraceCollective::all_reduce;
  TraceGroup group = TraceGroup::data;
  int peer = -1; // pipeline rank of the other end of a message
  int tag = 0;   // of a message; a rank uses it once for each peer
};

/// What every rank of pipeline rank @p stage does in a step, layer by layer: computing, collectives and messages to
/// neighbouring stages, in the order of the schedule. The nodes of a pass take as long as the closed form says: what of
/// a message is hidden runs beside a node of computing.
///
/// Of an all-gather `bytes` are one rank's piece, of the other collectives its whole vector, as ASTRA-sim counts them.
/// Throws InputError for schedules that hold stages twice (dualpipe).
std::vector<TraceNode> rank_trace(const ParallelJob& job, int stage);

/// The number of @p pp, @p copy (of dp x cp, cp innermost) and @p tp in the order pp, dp, cp, tp.
inline int global_rank(const ParallelLayout& layout, int pp, int copy, int tp)
{
  return (pp * layout.replicas() + copy) * layout.tp + tp;
}

/// All groups of one kind with more than one rank, each with its ranks in order.
std::vector<std::vector<int>> ranks_of_groups(const ParallelLayout& layout, TraceGroup group);

} // namespace trainyard
