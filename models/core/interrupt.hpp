// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <unistd.h>

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

namespace interrupt {

/// Of several policies, points or seeds, how many had ended when somebody asked to stop; 0: nobody did.
inline std::atomic<std::size_t> kept = 0;
inline std::atomic<std::size_t> of_all = 0;

/// For the handler of Interrupted: what has ended goes on to tables and files, and the program ends with 130 after
/// that. Throws again where nothing has ended. Asked once more, the program stops.
inline void keep(std::size_t ended, std::size_t all)
{
  if (ended == 0)
    throw; // NOLINT(misc-throw): the exception that the caller handles
  kept = ended;
  of_all = all;
  asked = false;
  alarm(0); // what is kept may take longer to write
}

} // namespace interrupt
} // namespace trainyard
