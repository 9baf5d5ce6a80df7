#include "models/core/data_folder.hpp"
#include "models/core/random.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/simulation/simulate.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard {
namespace {

/// Cuts, doubles, swaps or overwrites a piece of a text.
std::string mutated(std::string text, RandomStream& random)
{
  const auto position = [&] { return static_cast<std::size_t>(random.below(text.size())); };
  const std::string interesting[] = {
      "-1", "1e999", "0", "[", "{", "\t", "&a [*a, *a]", "\"", ": ", "\n  - ", "nan", "999999999999999999999", "Gbps", "\xFF", "~"};
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
  const Catalogue catalogue = load_catalogue(data_folder());
  const Parts parts = registered_parts();
  RandomStream random = Random{20}.stream("mutations");
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator{data_folder() / "scenarios"})
    if (entry.path().extension() == ".yaml")
      seeds.push_back(read_text_file(entry.path(), 1U << 20U));
  ASSERT_FALSE(seeds.empty());
  int refused = 0;
  constexpr int files = 1500;
  for (int i = 0; i < files; ++i) {
    Diagnostics diagnostics;
    const Document document = parse_document(mutated(seeds[random.below(seeds.size())], random), "damaged.yaml", diagnostics);
    if (!diagnostics.has_errors())
      read_scenario(document, parts, catalogue, diagnostics);
    refused += diagnostics.has_errors() ? 1 : 0;
    for (const Diagnostic& diagnostic : diagnostics.sorted())
      EXPECT_FALSE(format(diagnostic).empty());
  }
  EXPECT_GT(refused, files / 4); // most damage is seen
}

} // namespace
} // namespace trainyard
