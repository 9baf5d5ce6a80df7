// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Edit distance (insert, delete, substitute, swap of neighbours; each costs 1), letters compared without case.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to @p word, if near enough (distance <= max(1, length / 3)) to be offered as "did you mean";
/// on ties one that @p word begins, then the first. The beginning of a name, "V100" of "V100-PCIe-16GB", is nearer than
/// any other name, unless it is a name itself. A word with digits that other candidates have counts more than spelling:
/// "H200-SXM" for "H200-SXM5", not "H100-SXM5". Where none is near: the name whose initials the word has ("ps" for
/// "parameter_server"), the one that the word goes on from or begins ("async" and "asynchronous").
std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'x'?" where a candidate is near, else an empty string; all of a few names that @p word begins or
/// that have its words.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// The names in a map: candidates.
template <class Map>
std::vector<std::string> keys_of(const Map& map)
{
  std::vector<std::string> names;
  names.reserve(map.size());
  for (const auto& [name, value] : map)
    names.push_back(name);
  return names;
}

/// As did_you_mean() of names; where no name is like @p word, those whose description has it: "tiresias" of "gittins".
std::string did_you_mean(std::string_view word, const std::map<std::string, std::string>& described);

/// Names and descriptions of a registry's entries, or of anything else that has both.
template <class Entries>
std::map<std::string, std::string> descriptions_of(const Entries& entries)
{
  std::map<std::string, std::string> result;
  for (const auto& [name, entry] : entries)
    result.emplace(name, entry.description);
  return result;
}

} // namespace trainyard
