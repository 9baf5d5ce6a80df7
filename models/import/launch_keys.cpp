// SPDX-License-Identifier: Apache-2.0
#include "models/import/launch_keys.hpp"

#include "models/core/pieces.hpp"
#include "models/core/text.hpp"
#include "models/import/parallel_draft.hpp"

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

/// Hosts with their slots, in order; a host that is named twice has those of both.
std::vector<std::pair<std::string, int>> slots_of_hosts(const std::string& list, bool of_devices)
{
  std::vector<std::pair<std::string, int>> hosts;
  for (const std::string& part : split(list, of_devices ? '@' : ',')) {
    const auto [name, slots] = cut(part, ':');
    if (name.empty())
      continue;
    auto host = std::ranges::find(hosts, name, &std::pair<std::string, int>::first);
    if (host == hosts.end())
      host = hosts.insert(host, {name, 0});
    host->second += std::min(1024, of_devices ? visible_devices(slots) : as_index(slots).value_or(1));
  }
  return hosts;
}

} // namespace

int visible_devices(const std::string& list)
{
  const std::string text = lower_case(list);
  if (text == "all" || text == "none" || text == "void" || text.find_first_of("$-") == 0)
    return 0;
  const std::vector<std::string> devices = split(text, ',');
  return static_cast<int>(std::ranges::count_if(devices, [](const std::string& one) { return !one.empty(); }));
}

NamedHosts named_hosts(LaunchKeys& keys, int ranks, ImportReport& report)
{
  constexpr std::array names{"include", "host", "hosts"};
  const auto named = std::ranges::find_if(names, [&](const char* name) {
    const std::string list = keys.value_of(name).value_or("");
    return !list.empty() && list.find('$') == std::string::npos;
  });
  if (named == names.end())
    return {};
  const LaunchKeys::Key* key = keys.find(*named);
  NamedHosts made;
  int slots = 0;
  for (const auto& [host, of_host] : slots_of_hosts(key->text, named == names.begin())) {
    if (ranks > 0 && slots >= ranks) // those behind have no ranks left
      break;
    slots += of_host;
    made.machines = std::min(100'000, made.machines + 1);
    made.each = std::max(made.each, of_host);
  }
  if (made.machines > 0 && slots < ranks)
    made.each = (ranks + made.machines - 1) / made.machines;
  report.understood(keys.place(), "{} {}: {}{}", key->shown, clean_text(key->text).substr(0, 60),
                    counted(made.machines, "machine"),
                    made.each > 0 ? " with " + counted(made.each, "rank") + " each" : "");
  return made;
}

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
