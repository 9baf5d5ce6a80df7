// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace trainyard {

/// The books of a run do not balance, which no input may bring about: "GPU 3 of box-0 has two holders at 120 s". Every
/// run is checked at its end. Throws std::logic_error with a request to report it: figures of such a run say nothing.
[[noreturn]] void not_conserved(const std::string& how);

} // namespace trainyard
