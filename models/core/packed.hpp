// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/units.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace trainyard {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Location, file, line, column, path)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Diagnostic, severity, where, message, source_line)

template <int... Exponents>
void to_json(nlohmann::json& json, const Quantity<Exponents...>& quantity)
{
  json = quantity.value();
}
template <int... Exponents>
void from_json(const nlohmann::json& json, Quantity<Exponents...>& quantity)
{
  quantity = Quantity<Exponents...>{json.get<double>()};
}

/// A value as bytes for another process of this program (CBOR: any text and any number come back as they were).
template <class T>
std::string packed(const T& value)
{
  std::string bytes;
  nlohmann::json::to_cbor(nlohmann::json(value), bytes);
  return bytes;
}
template <class T>
T unpacked(const std::string& bytes)
{
  return nlohmann::json::from_cbor(bytes).template get<T>();
}

} // namespace trainyard
