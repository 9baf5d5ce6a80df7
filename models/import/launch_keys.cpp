// SPDX-License-Identifier: Apache-2.0
#include "models/import/launch_keys.hpp"

#include "models/core/text.hpp"
#include "models/import/parallel_draft.hpp"

namespace trainyard {

void LaunchKeys::add_yaml(const DocumentNode& node, const std::string& path)
{
  for (const DocumentNode::Entry& entry : node.entries) {
    const std::string name = path.empty() ? entry.key : path + "." + entry.key;
    std::string text = entry.value.text;
    for (const DocumentNode& item : entry.value.items)
      text += (text.empty() ? "" : " ") + item.text;
    if (entry.value.kind == DocumentNode::Kind::map)
      add_yaml(entry.value, name);
    else
      add(entry.key, {clean_text(name).substr(0, 80), clean_text(text).substr(0, 60), entry.line});
  }
}

const LaunchKeys::Key* LaunchKeys::find(const Names& names)
{
  const Key* first = nullptr;
  for (const std::string& name : names.all) {
    used_.insert(name);
    const auto found = keys_.find(name);
    if (found == keys_.end() || (kind_ == Kind::yaml && found->second.text.empty()))
      continue;
    if (first == nullptr)
      first = &found->second;
    else
      context_.report.ignored(found->second.shown, "has no effect: " + first->shown + " says the same",
                              {file_, found->second.line});
  }
  if (first != nullptr)
    place_ = {file_, first->line};
  return first;
}

std::string LaunchKeys::word(const Names& names, const std::string& otherwise)
{
  const Key* key = find(names);
  if (key == nullptr || (key->text.empty() && kind_ != Kind::arguments))
    return otherwise;
  context_.report.understood(place_, "{} {}", key->shown, clean_text(key->text).substr(0, 60));
  return key->text;
}

int LaunchKeys::number(const Names& names, int otherwise)
{
  const Key* key = find(names);
  return key == nullptr ? otherwise : size_at(*key, otherwise);
}

int LaunchKeys::size_at(const Key& key, int otherwise)
{
  const ImportPlace place{file_, key.line};
  const std::optional<double> value = as_number<double>(key.text);
  const bool none =
      kind_ == Kind::arguments
          ? key.text == "gpu" || key.text == "auto" // as many as there are
          : value == -1 || (kind_ == Kind::yaml && (value == 0 || key.text == "null" || key.text == "None"));
  if (!none && !value)
    context_.report.error(place, "{} {}: no number, and this file does not say what it stands for{}", key.shown,
                          clean_text(key.text).substr(0, 60),
                          key.shown == "--nnodes" || key.shown == "--num-nodes" ? "; --nodes N gives it" : "");
  const int size = none || !value ? 0 : size_of(*value, key.shown, place, context_);
  if (none)
    context_.report.understood(place, "{} {}", key.shown, key.text);
  else if (size > 0)
    context_.report.understood(place, "{} {}", key.shown, size);
  return size > 0 ? size : otherwise;
}

bool LaunchKeys::flag(const Names& names, bool otherwise)
{
  bool there = false, set = false;
  for (const std::string& name : names.all) {
    const Key* key = find(name);
    if (key == nullptr)
      continue;
    const std::string text = lower_case(key->text);
    const bool off = text == "false" || text == "no" || text == "off" || text == "0" || text == "none";
    const bool on = text == "true" || text == "yes" || text == "on" || (kind_ == Kind::arguments && !off);
    context_.report.understood(kind_ == Kind::arguments && on ? key->shown : key->shown + " " + text, place_);
    there = true;
    set = set || on;
  }
  return there ? set : otherwise;
}

void LaunchKeys::tell_rest(std::span<const KeyFate> fates) const
{
  tell_rest_by([&](const std::string& name) { return fate_of(name, fates); });
}

} // namespace trainyard
