// SPDX-License-Identifier: Apache-2.0
#include "models/core/program.hpp"

#include <system_error>

namespace trainyard {

std::string program_version()
{
  return TRAINYARD_VERSION;
}

std::string program_commit()
{
  return TRAINYARD_COMMIT;
}

std::string version_text(const std::string& program)
{
  return program + " (Trainyard) " + program_version() + "\ncommit " + program_commit() + "\n";
}

std::filesystem::path helper_file(const std::string& name)
{
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const std::filesystem::path& place : {folder, folder.parent_path() / "libexec" / "trainyard"})
    if (std::filesystem::exists(place / name, none))
      return place / name;
  return {};
}

} // namespace trainyard
