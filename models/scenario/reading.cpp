// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/reading.hpp"

#include "models/core/closest.hpp"
#include "models/scenario/read_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

/// Names that a setting may have: those of its registry, or of the transports of this scenario.
std::vector<std::string> choices_of(const Reading& reading, const Parameter& parameter)
{
  if (parameter.name == "transport" || parameter.name.ends_with("_transport"))
    return keys_of(reading.scenario.transports);
  return reading.parts.contains(parameter.name) ? schema::names(reading.parts, parameter.name) : parameter.choices;
}

} // namespace

void Reading::filled(std::string path, const std::string& value, const std::string& source)
{
  FilledDefault note{std::move(path), value, source.empty() ? "reader" : source};
  if (!path_of_job.empty() && note.path.starts_with(path_of_job))
    filled_of_job.push_back({note.path.substr(path_of_job.size()), note.value, note.source});
  scenario.defaults.push_back(std::move(note));
}

void Reading::filled_together(const std::string& path, std::shared_ptr<const FilledDefaults::Notes> notes)
{
  if (!path_of_job.empty() && path.starts_with(path_of_job))
    for (const FilledDefault& note : *notes)
      filled_of_job.push_back({path.substr(path_of_job.size()) + "." + note.path, note.value, note.source});
  scenario.defaults.share(path, std::move(notes));
}

void Reading::warn(const DocumentNode& node, Message message)
{
  diagnostics.warning(document.at(node), std::move(message), document.line_text(node.line));
}

ReadSettings Reading::settings(MapReader& reader, const DocumentNode* node, const std::vector<Parameter>& parameters,
                               const std::vector<Parameter>& other, const std::string& owner,
                               const std::map<std::string, std::string>& usual)
{
  ReadSettings read;
  for (const Parameter& parameter : parameters) {
    if (reader.has(parameter.name)) {
      read_setting(reader, parameter, choices_of(*this, parameter), read.settings);
    } else if (const auto own_way = usual.find(parameter.name); own_way != usual.end()) {
      set_from_text(parameter, own_way->second, read.settings);
      read.filled.push_back({parameter.name, own_way->second, framework.why.empty() ? "reader" : framework.why});
    } else if (!parameter.default_value.empty()) {
      read.filled.push_back(
          {parameter.name, parameter.default_value, parameter.source.empty() ? owner : parameter.source});
    }
  }
  if (node == nullptr || node->kind != DocumentNode::Kind::map)
    return read;
  const DocumentNode::Entry* first = nullptr; // one warning for all: a header that several modes share has many
  std::string more;
  for (const DocumentNode::Entry& entry : node->entries) {
    if (std::ranges::find(other, entry.key, &Parameter::name) == other.end() ||
        std::ranges::find(parameters, entry.key, &Parameter::name) != parameters.end())
      continue;
    reader.has(entry.key);
    if (first == nullptr)
      first = &entry;
    else
      more += fmt::format("{}'{}'", more.empty() ? "" : ", ", entry.key);
  }
  if (!more.empty())
    more = fmt::format(", nor {} {}", more.find(',') == std::string::npos ? "has" : "have", more);
  const DocumentNode* mode = node->find("mode");
  const bool refused = owner.starts_with("mode ") && mode != nullptr && owner.substr(5) != mode->text;
  if (first != nullptr && !refused) // the settings of an unknown mode are not known
    document.warning(diagnostics, *first, no_effect_with(first->key, owner + more));
  return read;
}

const Part* find_part(const Parts& parts, const std::string& kind, const std::string& name)
{
  if (const auto found = parts.find(kind); found != parts.end())
    for (const Part& part : found->second)
      if (part.name == name)
        return &part;
  return nullptr;
}

} // namespace trainyard
