// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/random.hpp"
#include "models/scenario/document.hpp"
#include "tests/fuzz/load_anything.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard {
namespace {

/// Cuts, doubles, swaps or overwrites a piece of a text.
std::string mutated(std::string text, RandomStream& random)
{
  const auto position = [&] { return static_cast<std::size_t>(random.below(text.size())); };
  const std::string interesting[] = {"-1",          "1e999", "0",  "[",      "{",   "\t",
                                     "&a [*a, *a]", "\"",    ": ", "\n  - ", "nan", "999999999999999999999",
                                     "Gbps",        "\xFF",  "~"};
  for (std::uint64_t changes = 1 + random.below(4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = position();
    const std::size_t length = 1 + static_cast<std::size_t>(random.below(12));
    switch (random.below(4)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, text.substr(position(), length));
      break;
    case 2:
      text.replace(at, length, interesting[random.below(std::size(interesting))]);
      break;
    default:
      text[at] = static_cast<char>(random.below(256));
    }
  }
  return text;
}

TEST(ScenarioReader, SurvivesThousandsOfDamagedFiles)
{
  RandomStream random = Random{20}.stream("mutations");
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator{data_folder() / "scenarios"})
    if (entry.path().extension() == ".yaml")
      seeds.push_back(read_text_file(entry.path(), 1U << 20U));
  std::ranges::sort(seeds);
  ASSERT_FALSE(seeds.empty());
  int refused = 0;
  constexpr int files = 1000;
  for (int i = 0; i < files; ++i) {
    std::string text = mutated(seeds[random.below(seeds.size())], random);
    if (random.below(10) == 0)
      text.resize(random.below(text.size() + 1));
    refused += tests::load_anything(text) ? 1 : 0;
  }
  EXPECT_GT(refused, files / 4); // most damage is seen
}

TEST(ScenarioReader, SurvivesBytesThatNeverWereAScenario)
{
  RandomStream random = Random{21}.stream("bytes");
  for (int i = 0; i < 500; ++i) {
    std::string bytes(random.below(200), '\0');
    for (char& byte : bytes)
      byte = static_cast<char>(random.below(i % 2 == 0 ? 256 : 128));
    tests::load_anything(bytes);
  }
  tests::load_anything(std::string(100'000, '['));
  tests::load_anything(std::string(100'000, '\n') + "cluster: {");
  EXPECT_TRUE(tests::load_anything(""));
}

} // namespace
} // namespace trainyard
