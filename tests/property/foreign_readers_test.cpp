// SPDX-License-Identifier: Apache-2.0
/// Every reader of foreign bytes ends with what it read or with a message, whatever is damaged. Fixed seed; tests/fuzz
/// searches longer.
#include "models/core/child.hpp"
#include "models/core/random.hpp"
#include "models/scenario/document.hpp"
#include "tests/fuzz/readers.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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
  for (const char* name : {"import_onnx",    "import_slurm-conf",
                           "import_chakra",  "trace_sacct",
                           "trace_swf",      "calibration",
                           "manifest",       "summary",
                           "results_folder", "study_folder",
                           "sweep_database", "score_table",
                           "score_mapping",  "prices",
                           "scenario",       "explain",
                           "layers",         "step_profiles",
                           "throughputs",    "nccl_tests",
                           "pattern"})
    EXPECT_TRUE(names.contains(name)) << name;
}

/// What a reader does to bytes in a child process that may not take long; empty: it read or refused them.
std::string answer_to(const ForeignReader& reader, const std::string& bytes)
{
  try {
    static_cast<void>(tests::refuses(reader, bytes));
    return {};
  } catch (const std::exception& fault) {
    return fault.what();
  }
}

// TRAINYARD_DAMAGE=2000: so many inputs for each reader, others than in the test.
TEST(ForeignReaders, NoDamageGoesUnanswered)
{
  const char* const more = std::getenv("TRAINYARD_DAMAGE");
  const int rounds = more == nullptr ? 40 : std::atoi(more);
  for (const ForeignReader& reader : foreign_readers()) {
    RandomStream random = Random{more == nullptr ? 7U : 8U}.stream(reader.name);
    std::vector<std::string> seeds = {"", "{}", "[]", "\n", std::string(3, '\0')};
    for (const auto& file : tests::seed_files(reader, 20'000))
      seeds.push_back(read_text_file(file, 1U << 20U));
    std::vector<std::string> inputs = seeds;
    for (int i = 0; i < rounds; ++i)
      inputs.push_back(damaged(seeds[random.below(seeds.size())], random));
    const auto all = [&](std::size_t begin, std::size_t end) {
      std::string faults;
      for (std::size_t i = begin; i < end; ++i)
        if (const std::string fault = answer_to(reader, inputs[i]); !fault.empty())
          faults += fault + ":\n" + inputs[i].substr(0, 300) + "\n";
      return faults;
    };
    try {
      EXPECT_EQ(in_child([&] { return all(0, inputs.size()); }, {.seconds = 60.0 + rounds}), "") << reader.name;
    } catch (const ChildEnded& fault) {
      ADD_FAILURE() << reader.name << ": the reader " << fault.what();
      for (std::size_t i = 0; i < inputs.size(); ++i)
        try {
          in_child([&] { return all(i, i + 1); }, {.seconds = 10});
        } catch (const ChildEnded&) {
          const auto file = std::filesystem::path{::testing::TempDir()} / (reader.name + "-" + std::to_string(i));
          std::ofstream{file, std::ios::binary} << inputs[i];
          ADD_FAILURE() << reader.name << ": ended by " << file;
        }
    }
  }
}

} // namespace
} // namespace trainyard
