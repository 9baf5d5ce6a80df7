// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace trainyard {

/// "0.1.0"
std::string program_version();

/// The commit it was built from, 12 digits, or "unknown" where the sources name none.
std::string program_commit();

/// What `NAME --version` prints, the same for all programs: name and version, then the commit.
std::string version_text(const std::string& program);

} // namespace trainyard
