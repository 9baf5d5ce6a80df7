// SPDX-License-Identifier: Apache-2.0
#include "models/import/flow.hpp"

#include "models/import/draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {

Flow& Flow::add(const std::string& key, const std::string& value)
{
  return value.empty() ? *this : raw(key + ": " + value);
}

Flow& Flow::text(const std::string& key, const std::string& value)
{
  return value.empty() ? *this : add(key, yaml_text(value));
}

Flow& Flow::number(const std::string& key, double value, double unless)
{
  return value == unless ? *this : add(key, fmt::format("{:.10g}", value));
}

Flow& Flow::flag(const std::string& key, bool value, bool unless)
{
  return value == unless ? *this : add(key, value ? "true" : "false");
}

Flow& Flow::time(const std::string& key, Seconds value, bool given)
{
  return given ? add(key, seconds_text(value.value())) : *this;
}

Flow& Flow::names(const std::string& key, const std::vector<std::string>& values)
{
  return values.empty() ? *this : add(key, names_flow(values));
}

Flow& Flow::raw(const std::string& settings)
{
  if (!settings.empty())
    parts_.push_back(settings);
  return *this;
}

std::string Flow::str() const
{
  return fmt::format("{{{}}}", fmt::join(parts_, ", "));
}

std::string Flow::lines(const std::string& indent) const
{
  std::string text;
  for (const std::string& part : parts_)
    text += indent + part + "\n";
  return text;
}

std::string names_flow(const std::vector<std::string>& names)
{
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names)
    quoted.push_back(yaml_text(name));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

} // namespace trainyard
