// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/read_scenario.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// Reads a parameter that the map has, by its kind and range. @p choices: of a name; none: any.
void read_setting(MapReader& reader, const Parameter& parameter, const std::vector<std::string>& choices,
                  Settings& settings);

/// Sets a parameter to a value that the catalogue holds as text. Throws std::invalid_argument where it has none of its
/// kind.
void set_from_text(const Parameter& parameter, const std::string& text, Settings& settings);

/// Reads the parameters that are given, each by its kind and range; what is absent stays absent.
Settings read_settings(MapReader& reader, const std::vector<Parameter>& parameters);

/// A registered part with its settings: `easy_backfill`, or `{name: easy_backfill, depth: 5}`.
struct NamedPart {
  std::string name;
  Settings settings;
  std::string label; // as written: "las(quantum=1 h)"
};

/// Reads one; an unknown name is a fault with a suggestion. @p kind is its registry in Parts, @p what names it in
/// messages ("queue policy").
NamedPart read_named_part(const Document& document, const DocumentNode& node, const std::string& kind,
                          const std::string& what, const Parts& parts, Diagnostics& diagnostics);

} // namespace trainyard
