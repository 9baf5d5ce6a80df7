// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace trainyard {

/// A text of a JSON object; empty where it has none.
inline std::string text_of(const nlohmann::ordered_json& json, const char* key)
{
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// A number of a JSON object; not a number where it has none.
inline double number_in(const nlohmann::ordered_json& json, const char* key)
{
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : std::nan("");
}

} // namespace trainyard
