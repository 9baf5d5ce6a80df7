// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace trainyard {

/// "0.1.0"
std::string program_version();

/// The commit it was built from, 12 digits, or "unknown" where the sources name none.
std::string program_commit();

/// What `NAME --version` prints, the same for all programs: name and version, then the commit.
std::string version_text(const std::string& program);

/// A program or library that only programs of Trainyard start or load: beside this one (in a build folder) or in
/// ../libexec/trainyard (installed); the same of the library that holds this code. Empty where it is in neither.
std::filesystem::path helper_file(const std::string& name);

} // namespace trainyard
