// SPDX-License-Identifier: Apache-2.0
#include "models/import/slurm_parts.hpp"

#include "models/core/text.hpp"
#include "models/import/hostlist.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace trainyard {
namespace {

} // namespace

std::string SlurmLine::value(std::string_view key) const
{
  for (const auto& [name, text] : values)
    if (name == key)
      return text;
  return {};
}

std::vector<SlurmLine> read_slurm_lines(const std::string& text)
{
  std::vector<SlurmLine> lines;
  std::istringstream stream{text};
  std::string row, joined;
  int number = 0, first = 0;
  const auto take = [&] {
    SlurmLine line{first, {}};
    for (std::size_t at = 0; at < joined.size();) {
      while (at < joined.size() && std::isspace(static_cast<unsigned char>(joined[at])) != 0)
        ++at;
      std::size_t end = at;
      bool quoted = false;
      while (end < joined.size() && (quoted || std::isspace(static_cast<unsigned char>(joined[end])) == 0)) {
        quoted = quoted != (joined[end] == '"');
        ++end;
      }
      if (end > at) {
        const std::string word = joined.substr(at, end - at);
        const std::size_t equals = word.find('=');
        std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
        std::erase(value, '"');
        line.values.emplace_back(lower_case(word.substr(0, equals)), value);
      }
      at = end;
    }
    if (!line.values.empty())
      lines.push_back(std::move(line));
    joined.clear();
  };
  while (std::getline(stream, row)) {
    ++number;
    if (!row.empty() && row.back() == '\r')
      row.pop_back();
    for (std::size_t hash = row.find('#'); hash != std::string::npos; hash = row.find('#', hash + 1))
      if (hash == 0 || row[hash - 1] != '\\') {
        row.erase(hash);
        break;
      }
    if (joined.empty())
      first = number;
    const std::size_t last = row.find_last_not_of(" \t");
    if (last != std::string::npos && row[last] == '\\') {
      joined += row.substr(0, last) + " ";
      continue;
    }
    joined += row;
    take();
  }
  take();
  return lines;
}

bool has_slurm_key(std::string_view head, std::initializer_list<std::string_view> keys)
{
  std::istringstream stream{std::string{head}};
  for (std::string row; std::getline(stream, row);) {
    const std::size_t start = row.find_first_not_of(" \t");
    if (start == std::string::npos || row[start] == '#')
      continue;
    const std::string begin = lower_case(std::string_view{row}.substr(start, 24));
    for (const std::string_view key : keys)
      if (begin.starts_with(lower_case(key)))
        return true;
  }
  return false;
}

std::vector<std::string> slurm_hosts(const std::string& list, const ImportPlace& place, ImportReport& report)
{
  const auto names = expand_hostlist(list);
  if (!names) {
    report.error(place, "'{}' is not a host list; write for example gpu[01-04,08],login", list);
    return {};
  }
  return *names;
}

std::map<std::string, std::size_t> slurm_index(const Draft& draft)
{
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < draft.machines.size(); ++i)
    if (draft.machines[i].host)
      index.emplace(draft.machines[i].name, i);
  return index;
}

DraftMachines& slurm_machine(Draft& draft, const std::string& name, std::map<std::string, std::size_t>& index)
{
  const auto [found, fresh] = index.try_emplace(name, draft.machines.size());
  if (fresh)
    draft.machines.push_back({.name = name, .host = true});
  return draft.machines[found->second];
}

void take_out_of_service(const std::vector<std::string>& hosts, Draft& draft, std::map<std::string, std::size_t>& index)
{
  std::set<std::string>& out = draft.batch.out_of_service;
  out.insert(hosts.begin(), hosts.end());
  std::erase_if(draft.machines, [&](const DraftMachines& one) { return out.contains(one.name); });
  index = slurm_index(draft);
}

void set_slurm_tree(const std::vector<SlurmSwitch>& tree, ImportContext& context)
{
  Draft& draft = context.draft;
  draft.network.switches.clear();
  draft.network.wires.clear();
  std::map<std::string, std::size_t> index = slurm_index(draft);
  for (auto& [name, at] : index)
    draft.machines[at].parent.clear();
  std::set<std::string> known;
  for (const SlurmSwitch& one : tree) {
    if (one.name.empty() || !known.insert(one.name).second) {
      context.report.error(one.place, one.name.empty() ? "a switch without a name"
                                                       : fmt::format("two switches are called '{}'", one.name));
      continue;
    }
    draft.network.switches.push_back(one.name);
  }
  std::set<std::string> placed;
  for (const SlurmSwitch& one : tree) {
    for (const std::string& name : one.nodes) {
      if (!placed.insert(name).second) {
        context.report.error(one.place, "machine '{}' is on two switches", name);
        continue;
      }
      if (draft.batch.out_of_service.contains(name))
        continue;
      const bool fresh = !index.contains(name);
      DraftMachines& machine = slurm_machine(draft, name, index);
      machine.parent = one.name;
      if (fresh) {
        machine.note = to_text(one.place);
        context.report.warning(one.place, "machine '{}' has no NodeName line; it is assumed to have no GPUs", name);
      }
    }
    for (const std::string& name : one.switches) {
      if (!known.contains(name)) {
        context.report.error(one.place, "switch '{}' lists switch '{}', which does not exist", one.name, name);
        continue;
      }
      draft.network.wires.push_back({.from = name, .to = one.name, .count = 0, .note = to_text(one.place)});
    }
    context.report.understood(
        one.nodes.empty() ? fmt::format("switch {} above {}", one.name, counted(one.switches.size(), "switch"))
                          : fmt::format("switch {}: a rack of {}", one.name, counted(one.nodes.size(), "machine")),
        one.place);
  }
  draft.network.note = tree.empty() ? "" : to_text(ImportPlace{tree.front().place.file, 0});
}

} // namespace trainyard
