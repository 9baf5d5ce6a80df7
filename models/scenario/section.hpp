// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/scenario/fields.hpp"
#include "models/scenario/read_scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <any>

namespace trainyard {

/// What the reader of a section is given.
struct SectionInput {
  const Document& document;
  const DocumentNode& node; // the section's value
  const Parts& parts;
  const Catalogue& catalogue;
  const Scenario& scenario; // cluster, jobs, run and the sections that come before it in the alphabet
  Diagnostics& diagnostics;
};

/// A top-level part of a scenario file besides cluster, jobs, run and sweep: one file in models/scenario/sections,
/// under its key.
///
/// The value that `read` returns is what `Scenario::section<T>(name)` gives back; read with MapReader, so that unknown
/// keys, wrong units and misspelt names are reported with their places.
class ScenarioSection
{
public:
  virtual ~ScenarioSection() = default;
  /// JSON Schema of the section's value (helpers: schema_parts.hpp).
  virtual nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const = 0;
  virtual std::any read(const SectionInput& input) const = 0;
  /// The section describes the work itself: the scenario needs no `jobs`.
  virtual bool brings_work() const { return false; }
};

/// Reads one map of a section by the function that declares its keys. @p what names it in messages.
template <class T>
T read_record(const SectionInput& input, const DocumentNode& node, const std::string& what,
              const std::function<void(Fields&, T&)>& fields)
{
  Fields keys{input.parts, input.catalogue, input.document, &node, what, input.diagnostics};
  T record{};
  fields(keys, record);
  keys.finish();
  return record;
}

/// A section that is one map: its keys are declared once, in `fields`.
template <class T>
class SectionOf : public ScenarioSection
{
public:
  /// @p name: its key in the file.
  SectionOf(std::string name, std::string meaning) : name_{std::move(name)}, meaning_{std::move(meaning)} {}

  nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const override
  {
    return schema_of<T>(parts, catalogue, meaning_, [&](Fields& keys, T& section) { fields(keys, section, nullptr); });
  }

  std::any read(const SectionInput& input) const override
  {
    return read_record<T>(input, input.node, "'" + name_ + "'",
                          [&](Fields& keys, T& section) { fields(keys, section, &input); });
  }

protected:
  /// Declares the keys, and checks what several of them say together. @p input: null while the schema is written.
  virtual void fields(Fields& keys, T& section, const SectionInput* input) const = 0;

private:
  std::string name_;
  std::string meaning_;
};

} // namespace trainyard
