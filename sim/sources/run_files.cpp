// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/run_files.hpp"

#include "sim/report/output_file.hpp"

#include <utility>

namespace trainyard {

RunFile text_file(std::string name, std::function<std::string()> make)
{
  return {std::move(name), [make = std::move(make)](const std::filesystem::path& path) { write_file(path, make()); }};
}

RunFile text_file(std::string name, std::string text)
{
  return text_file(std::move(name), [text = std::move(text)] { return text; });
}

RunFile picture_file(std::string name, std::function<Picture()> make)
{
  return {std::move(name), [make = std::move(make)](const std::filesystem::path& path) {
            draw(make(), path.parent_path() / path.stem());
          }};
}

} // namespace trainyard
