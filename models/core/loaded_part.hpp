// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace trainyard {

/// The function @p function of the loadable part @p part ("simgrid": the file libtrainyard_simgrid.so, see
/// trainyard_part() in CMakeLists.txt).
///
/// A library that most runs do not need, and that takes long to load, is linked to such a part alone; the first call
/// loads it, and it stays. Throws std::runtime_error with the system's own words where it cannot be loaded.
void* part_function(const std::string& part, const char* function);

template <class Function>
Function* part_function(const std::string& part, const char* function)
{
  return reinterpret_cast<Function*>(part_function(part, function));
}

} // namespace trainyard
