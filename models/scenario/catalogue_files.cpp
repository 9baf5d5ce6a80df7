// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/catalogue_files.hpp"

#include <algorithm>
#include <vector>

namespace trainyard {

namespace {

void read_entry(const std::filesystem::path& file, bool named_like_file, Diagnostics& diagnostics,
                const std::function<void(Fields& keys, const std::string& stem)>& read)
{
  const Document document = read_document(file, diagnostics);
  Fields keys{document, &document.root, "catalogue entry", diagnostics};
  MapReader& reader = keys.reader();
  if (const std::string name = reader.required_text("name"); named_like_file && name != file.stem().string())
    reader.error("name", "the name must be that of the file, '" + file.stem().string() + "'");
  if (reader.required_text("source").empty())
    reader.error("source", "every entry needs a source for its numbers");
  read(keys, file.stem().string());
  keys.finish();
}

} // namespace

void for_each_catalogue_file(const std::filesystem::path& folder, Diagnostics& diagnostics,
                             const std::function<void(Fields& keys, const std::string& stem)>& read)
{
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    if (entry.path().extension() == ".yaml")
      files.push_back(entry.path());
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files)
    read_entry(file, true, diagnostics, read);
}

void read_catalogue_file(const std::filesystem::path& file, Diagnostics& diagnostics,
                         const std::function<void(Fields& keys, const std::string& stem)>& read)
{
  read_entry(file, false, diagnostics, read);
}

} // namespace trainyard
