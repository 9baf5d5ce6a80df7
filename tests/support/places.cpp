// SPDX-License-Identifier: Apache-2.0
#include "tests/support/places.hpp"

namespace trainyard::tests {

std::filesystem::path source_folder()
{
  return TRAINYARD_SOURCE_DIR;
}

std::filesystem::path program_folder()
{
  return TRAINYARD_BINARY_DIR;
}

} // namespace trainyard::tests
