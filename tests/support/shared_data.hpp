// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/places.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace trainyard::tests {

/// A file or folder of other projects' files, which are not part of the repository: below $TRAINYARD_SHARED, or
/// ../shared beside the sources; empty path where it is absent. tests/data/samples/README.md says which files and where
/// they are published.
inline std::filesystem::path shared_data(const std::string& relative)
{
  const char* chosen = std::getenv("TRAINYARD_SHARED");
  const std::filesystem::path folder =
      chosen != nullptr ? std::filesystem::path{chosen} : source_folder() / ".." / "shared";
  const std::filesystem::path file = folder / relative;
  return std::filesystem::exists(file) ? file : std::filesystem::path{};
}

} // namespace trainyard::tests

/// Skips the running test, visibly, where a file of other projects is absent.
#define SKIP_WITHOUT_SHARED(path)                                                                                      \
  if ((path).empty())                                                                                                  \
  GTEST_SKIP() << "files that other projects publish are not part of the repository: put them into $TRAINYARD_SHARED " \
                  "(tests/data/samples/README.md says where they are published)"
