// SPDX-License-Identifier: Apache-2.0
#include "models/core/regular_file.hpp"

#include "models/core/diagnostics.hpp"

#include <string>
#include <system_error>

namespace trainyard {

void check_regular_file(const std::filesystem::path& file, std::uint64_t most)
{
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (error || !std::filesystem::exists(status))
    return;
  const std::string name = "'" + file.string() + "'";
  if (std::filesystem::is_directory(status))
    throw InputError{name + " is a folder, not a file"};
  if (!std::filesystem::is_regular_file(status))
    throw InputError{name + " is not a regular file; a device or a pipe may have no end, so copy what it gives into a "
                            "file"};
  if (const auto size = std::filesystem::file_size(file, error); !error && size > most)
    throw InputError{name + " is larger than " + std::to_string(most >> 20U) +
                     " MiB, the largest file that is read here; take a part of it"};
}

} // namespace trainyard
