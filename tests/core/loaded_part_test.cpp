// SPDX-License-Identifier: Apache-2.0
#include "models/core/loaded_part.hpp"

#include "models/core/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <link.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace trainyard {
namespace {

std::vector<std::string> loaded_libraries(const std::string& part_of_name)
{
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* list) {
        static_cast<std::vector<std::string>*>(list)->emplace_back(library->dlpi_name);
        return 0;
      },
      &names);
  std::erase_if(names, [&](const std::string& name) { return name.find(part_of_name) == std::string::npos; });
  return names;
}

/// Debian's SimGrid needs the libraries of ns-3; those of the system take longer to load than SimGrid. Where the build
/// has made others of the same names, only these are loaded.
TEST(LoadedPart, SimGridIsLoadedWithoutNs3)
{
  EXPECT_NE(part_function("simgrid", "trainyard_simgrid_network"), nullptr);
  EXPECT_FALSE(loaded_libraries("libsimgrid").empty());
  const std::string folder = helper_file("stand_ins_simgrid");
  const std::vector<std::string> of_ns3 = loaded_libraries("libns3-");
  EXPECT_TRUE(folder.empty() || !of_ns3.empty()) << "SimGrid did not ask for them";
  for (const std::string& library : of_ns3)
    EXPECT_TRUE(library.starts_with(folder)) << library;
}

TEST(LoadedPart, AMissingPartSaysWhatToDo)
{
  EXPECT_THAT([] { part_function("nothing", "trainyard_nothing"); },
              ::testing::ThrowsMessage<std::runtime_error>(
                  "libtrainyard_nothing.so is neither beside this program nor in ../libexec/trainyard; install "
                  "Trainyard again"));
  EXPECT_THAT([] { part_function("simgrid", "trainyard_nothing"); },
              ::testing::ThrowsMessage<std::runtime_error>(::testing::HasSubstr("has no trainyard_nothing")));
}

} // namespace
} // namespace trainyard
