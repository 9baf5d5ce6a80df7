#pragma once
#include "models/core/diagnostics.hpp"
#include "models/hardware/hardware.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// All hardware that is known by name, sorted.
struct Catalogue {
  std::map<std::string, Gpu> gpus;
  std::map<std::string, LinkType> links;
  std::map<std::string, Transport> transports;

  std::vector<std::string> gpu_names() const;
  std::vector<std::string> link_names() const;
  std::vector<std::string> transport_names() const;
};

/// Reads the files below `<folder>/models/hardware/catalogue/{gpus,links,transports}`; one file each, named after its entry.
///
/// Throws InputError with all faults (unknown key, number without unit, missing source).
Catalogue load_catalogue(const std::filesystem::path& data_folder);

} // namespace trainyard
