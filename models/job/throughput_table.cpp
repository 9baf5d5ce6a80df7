// SPDX-License-Identifier: Apache-2.0
#include "models/job/throughput_table.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/input_file.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

namespace trainyard {
namespace {

bool same_letters(std::string_view a, std::string_view b)
{
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// "('ResNet-18 (batch size 32)', 2)" as model and GPUs; any other text is a model on any number of GPUs.
MeasuredKind kind_of_key(const std::string& key)
{
  const std::size_t quote = key.rfind("',");
  if (!key.starts_with("('") || !key.ends_with(")") || quote == std::string::npos || quote < 2)
    return {key, 0};
  const std::string_view number = trimmed(std::string_view{key}.substr(quote + 2, key.size() - quote - 3));
  const auto gpus = as_number<int>(number);
  return {key.substr(2, quote - 2), gpus && *gpus > 0 ? *gpus : 0};
}

double rate_of(const nlohmann::json& value, const InputFile& file, const std::string& entry)
{
  const double rate = value.is_number() ? value.get<double>() : -1;
  if (!(rate >= 0) || !std::isfinite(rate))
    throw InputError{fmt::format("throughputs '{}': {} is not a number of steps per second", file.name(), entry)};
  return rate;
}

/// That of the kind, else that of its model on any number of GPUs.
template <class Map>
const typename Map::mapped_type* entry_of(const Map& map, const MeasuredKind& kind)
{
  const auto found = map.find(kind);
  const auto any = found == map.end() ? map.find({kind.model, 0}) : found;
  return any == map.end() ? nullptr : &any->second;
}

} // namespace

std::vector<std::string> ThroughputTable::types() const
{
  std::vector<std::string> names;
  for (const auto& [name, type] : types_)
    names.push_back(name);
  return names;
}

std::vector<std::string> ThroughputTable::models() const
{
  std::set<std::string> names;
  for (const auto& [name, type] : types_)
    for (const auto& [kind, rate] : type.alone)
      names.insert(kind.model);
  return {names.begin(), names.end()};
}

std::optional<double> ThroughputTable::alone(const std::string& type, const MeasuredKind& kind) const
{
  const auto of = types_.find(type);
  const double* rate = of == types_.end() ? nullptr : entry_of(of->second.alone, kind);
  return rate == nullptr ? std::nullopt : std::optional{*rate};
}

std::optional<std::pair<double, double>> ThroughputTable::together(const std::string& type, const MeasuredKind& one,
                                                                   const MeasuredKind& other) const
{
  const auto of = types_.find(type);
  if (of == types_.end())
    return std::nullopt;
  for (const auto& [a, b] :
       {std::pair{one, other}, std::pair{MeasuredKind{one.model, 0}, MeasuredKind{other.model, 0}}})
    if (const auto found = of->second.together.find({a, b}); found != of->second.together.end())
      return found->second;
  return std::nullopt;
}

std::string ThroughputTable::reference(const std::string& asked) const
{
  const std::string named = type_of(asked.empty() ? "v100" : asked);
  if (!named.empty())
    return named;
  if (asked.empty() && types_.size() == 1)
    return types_.begin()->first;
  throw InputError{fmt::format("the table of throughputs has no GPU type '{}'; name one of its types with workload: "
                               "{{reference_gpu: TYPE}}: {}",
                               asked.empty() ? "v100" : asked, fmt::join(types(), ", "))};
}

std::optional<double> ThroughputTable::base(const std::string& reference, const MeasuredKind& kind) const
{
  if (const auto rate = alone(reference, kind); rate && *rate > 0)
    return rate;
  std::optional<double> most;
  for (const auto& [name, type] : types_)
    if (const auto rate = alone(name, kind); rate && *rate > most.value_or(0))
      most = rate;
  return most;
}

std::string ThroughputTable::type_of(std::string_view gpu) const
{
  for (const auto& [name, type] : types_)
    if (same_letters(name, gpu))
      return name;
  for (const auto& [name, type] : types_)
    if (same_letters(name, gpu.substr(0, gpu.find('-'))))
      return name;
  return {};
}

void ThroughputTable::set(const std::string& type, const MeasuredKind& kind, double steps_per_second)
{
  types_[type].alone[kind] = steps_per_second;
}

void ThroughputTable::set(const std::string& type, const MeasuredKind& one, const MeasuredKind& other,
                          std::pair<double, double> steps_per_second)
{
  types_[type].together[{one, other}] = steps_per_second;
}

ThroughputTable read_throughputs(const InputFile& file)
{
  const auto json = nlohmann::json::parse(file.text(), nullptr, false);
  if (!json.is_object() || json.empty())
    throw InputError{
        fmt::format("throughputs '{}': not Gavel's JSON, GPU type -> kind of job -> steps per second", file.name())};
  ThroughputTable table;
  for (const auto& [type, kinds] : json.items()) {
    if (!kinds.is_object())
      throw InputError{fmt::format("throughputs '{}': '{}' has no kinds of jobs", file.name(), type)};
    for (const auto& [key, entries] : kinds.items()) {
      const MeasuredKind kind = kind_of_key(key);
      const std::string place = fmt::format("{}, {}", type, key);
      if (!entries.is_object()) { // only alone
        table.set(type, kind, rate_of(entries, file, place));
        continue;
      }
      for (const auto& [other, value] : entries.items()) {
        if (other == "null") {
          table.set(type, kind, rate_of(value, file, place));
          continue;
        }
        if (!value.is_array() || value.size() != 2)
          throw InputError{fmt::format("throughputs '{}': {} beside {} is not a pair of steps per second", file.name(),
                                       place, other)};
        table.set(type, kind, kind_of_key(other),
                  {rate_of(value[0], file, place + ", " + other), rate_of(value[1], file, place + ", " + other)});
      }
    }
  }
  return table;
}

} // namespace trainyard
