// SPDX-License-Identifier: Apache-2.0
// What people write for an entry of the catalogue: "Tesla V100", "Meta-Llama-3-8B", "HDR200".
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/hardware/catalogue.hpp"

#include <span>
#include <string>

namespace trainyard {

/// The entry that is meant.
struct MeantEntry {
  std::string name;    // empty: none
  bool other = false;  // written in other words, not only with other capitals and signs
  bool chosen = false; // of several that are called so
};

/// Names that differ in capitals and signs are the same; then the spellings of catalogue/names count; then what drivers
/// and vendors add. A bare family ("V100") is the board that fills machines, its first size.
MeantEntry gpu_meant(const std::string& written, const Catalogue& catalogue);
MeantEntry link_meant(const std::string& written, const Catalogue& catalogue);
/// Of the registered networks.
MeantEntry model_meant(const std::string& written);

/// What stands in a machine of a cloud ("p4d.24xlarge"), in the short form of clusters; empty: it is not known.
std::string machine_meant(const std::string& written);

/// The only one of @p names that differs in capitals and signs alone; empty: none.
std::string same_name(const std::string& written, std::span<const std::string> names);

/// "'HDR200' is IB-HDR", for a note; empty where there is nothing to tell.
std::string meant_text(const std::string& written, const MeantEntry& meant);

/// Whether one more error says which names are near: of more than a hundred errors the others are only counted.
constexpr int most_suggested = 100;
inline bool suggests_more(const Diagnostics& diagnostics)
{
  return diagnostics.errors() < most_suggested;
}

/// What to do with a GPU, link or model that is none of these: the nearest ones, and the lines that would describe it.
std::string gpu_description_lines(const std::string& name, const Catalogue& catalogue);
std::string link_description_lines(const std::string& name, const Catalogue& catalogue);
std::string model_description_lines(const std::string& name);

} // namespace trainyard
