// SPDX-License-Identifier: Apache-2.0
#include "models/core/loaded_part.hpp"

#include "models/core/program.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>

namespace trainyard {
void* part_function(const std::string& part, const char* function)
{
  const std::string name = "libtrainyard_" + part + ".so";
  const std::filesystem::path file = helper_file(name);
  if (file.empty())
    throw std::runtime_error{name +
                             " is neither beside this program nor in ../libexec/trainyard; install Trainyard again"};
  void* const handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL); // the same handle each time
  if (handle == nullptr)
    throw std::runtime_error{std::string{"cannot load a part of Trainyard: "} + dlerror()};
  const auto version = reinterpret_cast<const char* (*)()>(dlsym(handle, "trainyard_part_version"));
  if (version == nullptr || version() != program_version())
    throw std::runtime_error{file.string() + " belongs to another version of Trainyard; install " + program_version()};
  void* const found = dlsym(handle, function);
  if (found == nullptr)
    throw std::runtime_error{file.string() + " has no " + function + ": it belongs to another version of Trainyard"};
  return found;
}

} // namespace trainyard
