// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace trainyard::tests {

// A whole file; an empty text where there is none.
inline std::string read_bytes(const std::filesystem::path& file)
{
  std::ostringstream text;
  text << std::ifstream{file, std::ios::binary}.rdbuf();
  return text.str();
}

} // namespace trainyard::tests
