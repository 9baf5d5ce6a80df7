// SPDX-License-Identifier: Apache-2.0
// Double binary tree: two trees over all ranks, each reduces and broadcasts half of the payload; a leaf of one is an
// inner rank of the other, so that every rank sends and receives about 2 S. Payload moves in chunks, all levels at
// once. Sanders, Speck, Träff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing
// 35(12), 2009; used by NCCL since 2.4. Broadcast and reduce run down or up one tree pair.
#include "sim/step/collectives/collective.hpp"

#include <algorithm>
#include <bit>

namespace trainyard {
namespace {

/// Parent of a rank in the in-order binary tree over 0…n-1 in which odd positions counted from 1 are leaves; -1 for the
/// root.
int parent_of(int rank, int n)
{
  const int position = rank + 1; // 1…n
  const int bit = position & -position;
  const int up = (position ^ bit) | (bit << 1);
  if (up <= n)
    return up - 1;
  // The tree is cut at n: the next smaller ancestor that exists takes the place.
  const int down = position ^ bit;
  return down == 0 ? -1 : down - 1;
}

class Tree final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override
  {
    return request.operation == "all_reduce" || request.operation == "broadcast" || request.operation == "reduce";
  }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    const int n = request.ranks;
    if (n < 2)
      return {};
    const bool up = request.operation != "broadcast";
    const bool down = request.operation != "reduce";
    const int chunks = static_cast<int>(std::clamp(request.payload.value() / 2 / chunk_bytes, 1.0, 32.0));
    const int depth = std::bit_width(static_cast<unsigned>(n));
    Round steady{{}, chunks};
    for (int tree = 0; tree < 2; ++tree)
      for (int rank = 0; rank < n; ++rank) {
        const int parent = parent_of(rank, n);
        if (parent < 0)
          continue;
        // The second tree is the first one shifted by a rank, so that leaves and inner ranks change places.
        const int child_rank = (rank + tree) % n, parent_rank = (parent + tree) % n;
        const Bytes bytes = request.payload / (2.0 * chunks);
        if (up)
          steady.messages.push_back({child_rank, parent_rank, bytes});
        if (down)
          steady.messages.push_back({parent_rank, child_rank, bytes});
      }
    // The pipeline fills over the levels, up and down: that many more rounds of latency.
    Round fill{steady.messages, std::max((up && down ? 2 : 1) * (depth - 1) - 1, 0)};
    for (RoundMessage& message : fill.messages)
      message.bytes = Bytes{};
    return {fill, steady};
  }

private:
  static constexpr double chunk_bytes = 512.0 * 1024; // NCCL's buffer of 4 MiB in 8 slots (NCCL_BUFFSIZE, NCCL_STEPS)
};

TY_REGISTER(Collective, Tree, "tree", "double binary tree, pipelined in chunks (Sanders, Speck, Traeff 2009; NCCL)");

} // namespace
} // namespace trainyard
