// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

namespace trainyard {

/// Somebody asked the program to stop; thrown by check_interrupt(). No std::exception: what counts the faults of a
/// point must not take it for one.
struct Interrupted {
};

namespace interrupt {

/// Set by a handler of signals, read by every loop that can run long. A signal has no other way to reach them.
inline std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a handler of signals may touch nothing else");

} // namespace interrupt

/// Throws Interrupted once somebody asked the program to stop. Cheap enough for every event of a simulation.
inline void check_interrupt()
{
  if (interrupt::asked.load(std::memory_order_relaxed))
    throw Interrupted{};
}

} // namespace trainyard
