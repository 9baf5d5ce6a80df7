// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>

namespace trainyard {

/// Calls @p work(0) … @p work(count - 1), each once, on up to @p threads threads, of which the caller's is one (1: in
/// order). Of several calls that throw, all others are made, and the fault of the lowest number is thrown at the end.
void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work);

} // namespace trainyard
