// SPDX-License-Identifier: Apache-2.0
#include "models/core/loaded_part.hpp"

#include "models/core/program.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace trainyard {
namespace {

/// Loads the libraries of a folder, if there is one; what is loaded later and needs libraries of these names takes
/// them.
std::vector<void*> loaded_stand_ins(const std::string& folder)
{
  std::vector<void*> handles;
  std::error_code none;
  for (const auto& library : std::filesystem::directory_iterator{helper_file(folder), none})
    if (void* const handle = dlopen(library.path().c_str(), RTLD_LAZY | RTLD_LOCAL); handle != nullptr)
      handles.push_back(handle);
  return handles;
}

} // namespace

void* part_function(const std::string& part, const char* function)
{
  const std::string name = "libtrainyard_" + part + ".so";
  const std::filesystem::path file = helper_file(name);
  if (file.empty())
    throw std::runtime_error{name +
                             " is neither beside this program nor in ../libexec/trainyard; install Trainyard again"};
  const std::vector<void*> stand_ins = loaded_stand_ins("stand_ins_" + part);
  void* handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL); // the same handle each time
  if (handle == nullptr && !stand_ins.empty()) {               // they were made for another version of a library
    for (void* const library : stand_ins)
      dlclose(library);
    handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
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
