// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace trainyard {

/// What goes before each message on the socket between simrun and simrun_mpi. To simrun: the rank that sent it; the
/// very first, without bytes behind it, has simrun's own rank and, in `size`, how many ranks there are. From simrun:
/// the rank that gets it, or `relay_over`.
struct RelayHead {
  std::int64_t rank = 0;
  std::uint64_t size = 0;
};

inline constexpr std::int64_t relay_over = -1;

} // namespace trainyard
