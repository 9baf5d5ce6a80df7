// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace trainyard {

std::filesystem::path data_folder()
{
  namespace fs = std::filesystem;
  std::vector<fs::path> places;
  if (const char* chosen = std::getenv("TRAINYARD_DATA"); chosen != nullptr)
    places.emplace_back(chosen);
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty())
    places.push_back(program.parent_path().parent_path() / "share" / "trainyard");
  places.emplace_back(TRAINYARD_SOURCE_DIR);
  places.emplace_back(TRAINYARD_DATA_DIR);
  std::string tried;
  for (const fs::path& place : places) {
    if (fs::is_directory(place / "models" / "hardware" / "catalogue", ignored))
      return place;
    tried += "\n  " + place.string();
  }
  throw std::runtime_error{"the catalogue is in none of these folders; set TRAINYARD_DATA to the one that has it:" +
                           tried};
}

std::vector<std::filesystem::path> own_catalogues()
{
  std::vector<std::filesystem::path> folders;
  const char* const named = std::getenv("TRAINYARD_CATALOGUE");
  std::istringstream names{named == nullptr ? "" : named};
  for (std::string name; std::getline(names, name, ':');)
    if (!name.empty())
      folders.emplace_back(name);
  return folders;
}

std::vector<std::filesystem::path> own_catalogue_files()
{
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const fs::path& own : own_catalogues())
    if (fs::is_directory(own))
      for (const fs::directory_entry& kind : fs::directory_iterator{own})
        if (kind.is_directory())
          for (const fs::directory_entry& file : fs::directory_iterator{kind})
            if (file.path().extension() == ".yaml")
              files.push_back(file.path());
  std::ranges::sort(files);
  return files;
}

} // namespace trainyard
