// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <span>

namespace trainyard {

/// Calls @p work(0) … @p work(count - 1), each once, on up to @p threads threads, of which the caller's is one (1: in
/// order). Of several calls that throw, all others are made, and the fault of the lowest number is thrown at the end.
void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work);

/// The same for as many as have a size. The largest begin first, so that no thread is left with a long one at the end:
/// were sizes the times, all would end at most a third later than in the best order (Graham, "Bounds on multiprocessing
/// timing anomalies", 1969). With one thread: in order.
void in_parallel(std::span<const double> sizes, std::size_t threads, const std::function<void(std::size_t)>& work);

} // namespace trainyard
