// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/results.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace trainyard {

/// Calls @p work(0) … @p work(count - 1) on @p threads threads (1: in this one) and gives the answers in order.
///
/// @p progress, where given, is called from the caller's thread with the number done: at the start, as points end, and
/// at least every 0.1 s, so that it can notice an interrupt; what it throws stops the rest;
/// after Interrupted the answers that are there are given (interrupt::keep). Of several errors in the
/// work the one with the lowest number is thrown.
/// @p finished, where given, is called from the same thread with each answer soon after it is there, in the order in
/// which they end.
std::vector<Results> side_by_side(std::size_t count, std::size_t threads,
                                  const std::function<Results(std::size_t)>& work,
                                  const std::function<void(std::size_t done)>& progress,
                                  const std::function<void(std::size_t index, const Results&)>& finished = {});

} // namespace trainyard
