// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trainyard {

constexpr int most_nodes = 200'000; // a typing error should not use up all memory

} // namespace trainyard
