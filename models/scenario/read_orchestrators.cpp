// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/read_orchestrators.hpp"

#include "models/scenario/catalogue_files.hpp"
#include "models/scenario/read_settings.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>

namespace trainyard {
namespace {

/// `parameters: {restart_delay: {value: 5 s, source: …}}`: the values as one map for read_settings, the sources beside
/// them.
Settings read_sourced(const Document& document, const DocumentNode* node, std::map<std::string, SourcedValue>& sources,
                      Diagnostics& diagnostics)
{
  DocumentNode values;
  values.kind = DocumentNode::Kind::map;
  MapReader reader{document, node, "'parameters'", diagnostics};
  for (const DocumentNode::Entry& entry : reader.entries()) {
    MapReader one{document, &entry.value, "parameter '" + entry.key + "'", diagnostics};
    const DocumentNode* value = one.node("value");
    const std::string source = one.required_text("source");
    one.finish();
    if (value == nullptr) {
      document.error(diagnostics, entry, fmt::format("parameter '{}' needs 'value'", entry.key));
      continue;
    }
    sources[entry.key] = {value->text, source};
    values.entries.push_back({entry.key, entry.line, entry.column, *value});
  }
  MapReader plain{document, &values, "'parameters'", diagnostics};
  const Settings settings = read_settings(plain, orchestrator_parameters());
  plain.finish();
  return settings;
}

} // namespace

std::map<std::string, Orchestrator> load_orchestrators(const std::filesystem::path& data_folder)
{
  Diagnostics diagnostics;
  std::map<std::string, Orchestrator> all;
  std::map<std::string, Settings> own;
  for_each_catalogue_file(data_folder / "models/orchestration/catalogue/orchestrators", diagnostics,
                          [&](Fields& keys, const std::string& name) {
                            MapReader& reader = keys.reader();
                            const Document& document = keys.document();
                            Orchestrator& entry = all[name];
                            entry.name = name;
                            entry.description = reader.required_text("description");
                            entry.like = reader.text("like", "");
                            own[name] = read_sourced(document, reader.node("parameters"), entry.sources, diagnostics);
                            for (const DocumentNode* item : reader.list("versions")) {
                              MapReader version{document, item, "a version", diagnostics};
                              const std::string since = version.required_text("version");
                              version.required_text("source");
                              MapReader values{document, version.node("parameters"), "'parameters'", diagnostics};
                              entry.versions.emplace_back(since, read_settings(values, orchestrator_parameters()));
                              values.finish();
                              version.finish();
                            }
                          });
  // A profile that is like another one takes over the values it does not give, also through several levels.
  std::set<std::string> ready;
  const std::function<void(const std::string&, int)> resolve = [&](const std::string& name, int depth) {
    Orchestrator& entry = all.at(name);
    if (ready.contains(name))
      return;
    if (!entry.like.empty()) {
      if (!all.contains(entry.like) || depth > 8)
        return diagnostics.error(
            {name + ".yaml", 0, 0},
            fmt::format("orchestrator '{}' is like '{}', which does not exist or refers back to it", name, entry.like));
      resolve(entry.like, depth + 1);
      const Orchestrator& base = all.at(entry.like);
      entry.rules = base.rules;
      if (entry.versions.empty())
        entry.versions = base.versions;
      for (const auto& [key, value] : base.sources)
        entry.sources.try_emplace(key, value);
    }
    entry.rules = rules_of(own.at(name), entry.rules);
    ready.insert(name);
  };
  for (const auto& [name, entry] : own)
    resolve(name, 0);
  diagnostics.throw_if_errors();
  return all;
}

std::map<std::string, Runtime> load_runtimes(const std::filesystem::path& data_folder)
{
  Diagnostics diagnostics;
  std::map<std::string, Runtime> all;
  for_each_catalogue_file(data_folder / "models/orchestration/catalogue/runtimes", diagnostics,
                          [&](Fields& keys, const std::string& name) {
                            MapReader& reader = keys.reader();
                            Runtime& runtime = all[name];
                            runtime.name = name;
                            runtime.description = reader.required_text("description");
                            runtime.compute_factor = reader.number("compute_factor", 1, 0.01, 100);
                            runtime.start = Seconds{reader.quantity("start", QuantityKind::duration, 0)};
                            runtime.source = reader.text("source", "");
                          });
  diagnostics.throw_if_errors();
  return all;
}

} // namespace trainyard
