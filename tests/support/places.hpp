// SPDX-License-Identifier: Apache-2.0
// Where the tests find the project's own files and programs.
#pragma once

#include <filesystem>

namespace trainyard::tests {

// The top folder of the sources.
std::filesystem::path source_folder();

// The folder with the built programs (simrun, …).
std::filesystem::path program_folder();

} // namespace trainyard::tests
