// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace trainyard {

/// JSON Schema (draft 7) of scenario files, with the names that this program knows and the meaning and default of every
/// setting: for editors (completion, hover) and for other programs.
///
/// It is written by the declarations that also read the file (fields.hpp). What depends on several values together
/// (does it fit, do routes exist) only read_scenario knows.
///
/// Beside draft 7: "x-quantity" (kind of a number with unit; "x-minimum" and "x-maximum" in base units), "x-number" (a
/// number or a share in %), "x-otherwise" (what counts without the key, in words), "x-of" (the parts that have a
/// setting), "x-defaults" (their different defaults), "x-source" (where a default comes from), "x-always" (a map that
/// counts even when absent).
nlohmann::ordered_json scenario_schema_json(const Parts& parts, const Catalogue& catalogue);

/// The same with the short forms that are read too: a cluster in one word, machines without a type of their own.
nlohmann::ordered_json editor_schema(const Parts& parts, const Catalogue& catalogue);

/// Parts of that schema, by first key; each is made when it is first asked for.
class SchemaByKey
{
public:
  SchemaByKey(const Parts& parts, const Catalogue& catalogue) : parts_{parts}, catalogue_{catalogue} {}

  /// A schema of scenarios with at least the key @p first.
  const nlohmann::ordered_json& with(const std::string& first);

private:
  const Parts& parts_;
  const Catalogue& catalogue_;
  std::map<std::string, nlohmann::ordered_json> known_;
};

/// Values that the schema fills in for keys that the file leaves out: of every map in the file, and of `run` and
/// `cluster.network` whether or not they are there. Settings of parts (training modes, topologies) are not among them:
/// which of them count, only the reader knows.
std::vector<FilledDefault> absent_defaults(const Document& document, const nlohmann::ordered_json& schema);

/// The reference page of scenario files, in Markdown: every key with its values, default, range and source.
std::string scenario_reference(const nlohmann::ordered_json& schema);
/// Of that page a section of the file and what is below it; empty where there is none.
std::string reference_of(const std::string& page, const std::string& section);

/// docs/assumed.md: the defaults that change answers (assumptions.hpp), by framework, era and GPU.
std::string assumed_page(const nlohmann::ordered_json& schema, const Catalogue& catalogue);

} // namespace trainyard
