// SPDX-License-Identifier: Apache-2.0
/// Every reader of foreign bytes ends with what it read or with a message, whatever is damaged. Fixed seed; tests/fuzz
/// searches longer.
#include "models/core/random.hpp"
#include "models/scenario/document.hpp"
#include "tests/fuzz/readers.hpp"

#include <gtest/gtest.h>

#include <set>

namespace trainyard {
namespace {

using tests::foreign_readers;
using tests::ForeignReader;

std::string damaged(std::string text, RandomStream& random)
{
  const std::string interesting[] = {
      "-1", "1e999", "0", "[", "{", "\t", "\"", ":", "nan", "null", "999999999999999999999", ",", "\xFF", "\n"};
  for (std::uint64_t changes = 1 + random.below(4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = random.below(text.size()), length = 1 + random.below(12);
    switch (random.below(5)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, text.substr(random.below(text.size()), length));
      break;
    case 2:
      text.replace(at, length, interesting[random.below(std::size(interesting))]);
      break;
    case 3:
      text.resize(at);
      break;
    default:
      text[at] = static_cast<char>(random.below(256));
    }
  }
  return text;
}

TEST(ForeignReaders, EveryImporterAndTraceFormatIsOne)
{
  std::set<std::string> names;
  for (const ForeignReader& reader : foreign_readers()) {
    EXPECT_TRUE(names.insert(reader.name).second) << reader.name;
    EXPECT_FALSE(tests::seed_files(reader, 50'000).empty()) << reader.name << " has no seeds";
  }
  for (const char* name : {"import_onnx", "import_slurm-conf", "import_chakra", "trace_sacct", "trace_swf",
                           "calibration", "manifest", "summary", "results_folder", "study_folder", "sweep_database",
                           "score_table", "score_mapping", "prices", "scenario"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(ForeignReaders, NoDamageGoesUnanswered)
{
  for (const ForeignReader& reader : foreign_readers()) {
    RandomStream random = Random{7}.stream(reader.name);
    std::vector<std::string> seeds = {"", "{}", "[]", "\n", std::string(3, '\0')};
    for (const auto& file : tests::seed_files(reader, 20'000))
      seeds.push_back(read_text_file(file, 1U << 20U));
    for (const std::string& seed : seeds)
      EXPECT_NO_THROW(static_cast<void>(tests::refuses(reader, seed))) << reader.name << ":\n" << seed.substr(0, 300);
    for (int i = 0; i < 40; ++i) {
      const std::string text = damaged(seeds[random.below(seeds.size())], random);
      EXPECT_NO_THROW(static_cast<void>(tests::refuses(reader, text))) << reader.name << " number " << i << ":\n"
                                                                       << text.substr(0, 300);
    }
  }
}

} // namespace
} // namespace trainyard
