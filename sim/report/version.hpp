// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace trainyard {

/// "0.1.0"
std::string program_version();

/// The commit it was built from, 12 digits, or "unknown" outside a checkout.
std::string program_commit();

} // namespace trainyard
