// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace trainyard::tests {

/// What a scenario file goes through before it runs, with any bytes: parsing, the schema, reading, warnings, and back
/// to text. Whatever the bytes are, it must end with diagnostics or a scenario. True: refused.
bool load_anything(const std::string& bytes);

} // namespace trainyard::tests
