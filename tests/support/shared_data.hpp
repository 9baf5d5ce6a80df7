// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/places.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace trainyard::tests {

/// A file of the reference data kept beside the checkout (`../shared`, or $TRAINYARD_SHARED); empty path where it is absent.
inline std::filesystem::path shared_data(const std::string& relative)
{
  const char* chosen = std::getenv("TRAINYARD_SHARED");
  const std::filesystem::path folder = chosen != nullptr ? std::filesystem::path{chosen} : source_folder() / ".." / "shared";
  const std::filesystem::path file = folder / relative;
  return std::filesystem::exists(file) ? file : std::filesystem::path{};
}

} // namespace trainyard::tests

/// Skips the running test, visibly, where a file of the reference data is absent.
#define SKIP_WITHOUT_SHARED(path)                                                                                                          \
  if ((path).empty())                                                                                                                      \
  GTEST_SKIP() << "reference data (../shared) is not here"
