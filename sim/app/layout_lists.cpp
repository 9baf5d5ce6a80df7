// SPDX-License-Identifier: Apache-2.0
// Lists of values in the options of commands that look for layouts: --parallel, --gpus, --gpu.
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"
#include "sim/app/layout_input.hpp"
#include "sim/app/study_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

namespace trainyard::app {
namespace {

std::vector<std::string> parts_of_list(const std::string& text, char separator)
{
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (end > start)
      parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

/// One of a list of whole numbers, or of ZeRO, or of words of recomputation.
void set_limit(LayoutLimits& limits, const std::string& key, const std::vector<std::string>& values)
{
  const std::map<std::string, std::vector<int>*> numbers{
      {"tp", &limits.tp}, {"pp", &limits.pp}, {"vp", &limits.vp},     {"dp", &limits.dp},
      {"cp", &limits.cp}, {"ep", &limits.ep}, {"zero", &limits.zero}, {"micro_batch", &limits.micro_batch}};
  if (key == "recomputation") {
    for (const std::string& value : values) {
      const std::vector<Recomputation> kinds{Recomputation::none, Recomputation::selective, Recomputation::full};
      const auto kind =
          std::ranges::find(kinds, value, [](Recomputation recomputation) { return to_text(recomputation); });
      if (kind == kinds.end())
        throw InputError{fmt::format("--parallel: recomputation is none, selective or full, not '{}'", value)};
      limits.recomputation.push_back(*kind);
    }
    return;
  }
  const auto found = numbers.find(key);
  if (found == numbers.end()) {
    std::vector<std::string> known{"recomputation"};
    for (const auto& [name, list] : numbers)
      known.push_back(name);
    throw InputError{
        fmt::format("--parallel: '{}' is unknown{}; write for example 'tp=2,4,8 pp=1,2,4 ep=8'; keys are {}", key,
                    did_you_mean(key, known), fmt::join(known, ", "))};
  }
  for (const std::string& value : values) {
    const std::optional<int> number = as_index(value);
    const bool right = number && (key == "zero" ? *number <= 3 : *number >= 1 && *number <= 1'000'000);
    if (!right)
      throw InputError{fmt::format("--parallel: {} must be {}, not '{}'", key,
                                   key == "zero" ? "0, 1, 2 or 3" : "a whole number of at least 1", value)};
    found->second->push_back(number.value_or(1));
  }
}

std::vector<std::pair<std::string, std::vector<std::string>>> parallel_lists(const std::string& text)
{
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  for (const std::string& part : parts_of_list(text, ' ')) {
    const std::size_t equals = part.find('=');
    std::vector<std::string> values =
        equals == std::string::npos ? std::vector<std::string>{} : parts_of_list(part.substr(equals + 1), ',');
    if (values.empty())
      throw InputError{fmt::format("--parallel: '{}' is not KEY=VALUES; write for example 'tp=2,4,8 pp=1,2,4'", part)};
    lists.emplace_back(part.substr(0, equals), std::move(values));
  }
  return lists;
}

} // namespace

LayoutLimits layout_limits(const std::string& text)
{
  LayoutLimits limits;
  for (const auto& [key, values] : parallel_lists(text))
    set_limit(limits, key, values);
  return limits;
}

std::vector<std::pair<std::string, LayoutLimits>> layout_choices(const std::string& text)
{
  constexpr std::size_t most = 1000;
  std::vector<std::pair<std::string, LayoutLimits>> choices{{"", {}}};
  for (const auto& [key, values] : parallel_lists(text)) {
    std::vector<std::pair<std::string, LayoutLimits>> longer;
    longer.reserve(choices.size() * values.size());
    for (const auto& [name, limits] : choices)
      for (const std::string& value : values) {
        LayoutLimits next = limits;
        set_limit(next, key, {value});
        longer.emplace_back(name + (name.empty() ? "" : " ") + key + "=" + value, std::move(next));
      }
    if (longer.size() > most)
      throw InputError{fmt::format("--parallel: more than {} combinations; give fewer values, or search with simrun "
                                   "layouts",
                                   most)};
    choices = std::move(longer);
  }
  return choices;
}

std::vector<int> gpu_counts(const std::string& text)
{
  const auto count = [&](const std::string& part) {
    const std::optional<int> value = as_index(part);
    if (!value || *value < 1 || *value > most_gpus_asked)
      throw InputError{fmt::format("--gpus: '{}' is no number of GPUs from 1 to {}; write 512, or 256,512 or 64..1024",
                                   part, most_gpus_asked)};
    return *value;
  };
  std::vector<int> counts;
  for (const std::string& part : parts_of_list(text, ',')) {
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      counts.push_back(count(part));
      continue;
    }
    const int first = count(part.substr(0, dots)), last = count(part.substr(dots + 2));
    for (long long value = first; value <= last; value *= 2)
      counts.push_back(static_cast<int>(value));
  }
  if (counts.empty())
    throw InputError{"--gpus needs a number of GPUs: 512, or 256,512 or 64..1024"};
  return counts;
}

std::vector<std::string> gpu_types(const Arguments& arguments, const Catalogue& catalogue)
{
  std::vector<std::string> types;
  for (const std::string& name : parts_of_list(arguments.value("--gpu", "H100-SXM5"), ','))
    types.push_back(gpu_by_short_name(name, catalogue));
  return types;
}

} // namespace trainyard::app
