// SPDX-License-Identifier: Apache-2.0
#include "models/core/program.hpp"

#include <dlfcn.h>
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
  std::filesystem::path holder; // the library that holds this code, where it is in one
  if (Dl_info info{}; dladdr(reinterpret_cast<const void*>(&helper_file), &info) != 0 && info.dli_fname != nullptr)
    holder = std::filesystem::canonical(info.dli_fname, none);
  for (const std::filesystem::path& self : {std::filesystem::read_symlink("/proc/self/exe", none), holder}) {
    const std::filesystem::path folder = self.parent_path();
    for (const std::filesystem::path& place : {folder, folder.parent_path() / "libexec" / "trainyard"})
      if (!folder.empty() && std::filesystem::exists(place / name, none))
        return place / name;
  }
  return {};
}

} // namespace trainyard
