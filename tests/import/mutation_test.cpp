// SPDX-License-Identifier: Apache-2.0
/// Damaged inputs: no importer may crash or hang, whatever single bytes, lines or pieces are changed. Fixed seed.
#include "tests/import/import_support.hpp"
#include "tests/support/places.hpp"
#include "tests/support/read_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

std::string mutated(std::string text, std::mt19937& random)
{
  const auto at = [&](std::size_t size) { return std::uniform_int_distribution<std::size_t>{0, size - 1}(random); };
  const int changes = 1 + static_cast<int>(at(4));
  for (int i = 0; i < changes && text.size() > 4; ++i)
    switch (at(7)) {
    case 0:
      text[at(text.size())] = static_cast<char>(at(256));
      break;
    case 1:
      text.erase(at(text.size()), 1 + at(20));
      break;
    case 2:
      text.resize(1 + at(text.size()));
      break;
    case 3: {
      const std::size_t from = at(text.size());
      text.insert(at(text.size()), text.substr(from, 1 + at(60)));
      break;
    }
    case 4: { // a number becomes an unlikely one
      const std::size_t digit = text.find_first_of("0123456789", at(text.size()));
      if (digit != std::string::npos)
        text.replace(
            digit, 1,
            std::vector<std::string>{"-1", "999999999999999999999", "1e308", "nan", "0", "0.5", "[", "{"}[at(8)]);
      break;
    }
    case 5: {
      const std::size_t from = text.find('\n', at(text.size()));
      if (from != std::string::npos)
        text.erase(from, text.find('\n', from + 1) == std::string::npos ? 1 : text.find('\n', from + 1) - from);
      break;
    }
    default:
      text.insert(at(text.size()), std::vector<std::string>{":", "\n  - ", "\"", "<", "\xff", "\t", "]", "}", "&a *a",
                                                            "\n---\n", "[1-9]"}[at(11)]);
    }
  return text;
}

TEST(ImportMutation, NoDamagedSampleCrashesAnImporter)
{
  std::mt19937 random{20240301};
  int read = 0, refused = 0;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator{tests::source_folder() / "tests/data/samples"})
    if (entry.is_regular_file() && entry.file_size() < 20'000)
      files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const std::string text = tests::read_bytes(file);
    const Registry<Importer>::Entry* entry = importer_of(InputFile{file.filename().string(), text});
    if (entry == nullptr)
      continue;
    for (int i = 0; i < 25; ++i) {
      ImportOptions options;
      options.format = entry->name; // also where the damage hides the format
      try {
        const ImportResult result = tests::import_texts({{file.filename().string(), mutated(text, random)}}, options);
        Diagnostics faults;
        static_cast<void>(parse_document(result.yaml, "imported.yaml", faults));
        EXPECT_FALSE(faults.has_errors()) << file << " mutation " << i << "\n" << result.yaml.substr(0, 2000);
        ++read;
      } catch (const InputError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 100);
  RecordProperty("read", read);
  RecordProperty("refused", refused);
}

} // namespace
} // namespace trainyard
