// SPDX-License-Identifier: Apache-2.0
// Helpers that write pieces of the JSON Schema.
#pragma once
#include "models/core/quantity_text.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace trainyard::schema {

using Json = nlohmann::ordered_json;

Json described(Json schema, const std::string& meaning);
Json text(const std::string& meaning);
Json flag(const std::string& meaning);
Json name_of(const std::vector<std::string>& names, const std::string& meaning);
/// One of the registered parts; each choice with its one-line description.
Json part_of(const Parts& parts, const std::string& kind, const std::string& meaning);
Json whole(const std::string& meaning, int least = 1);
/// A number, or a share as "50 %".
Json number(const std::string& meaning, double least = 0);
/// A number with its unit, as text.
Json quantity_of(QuantityKind kind, const std::string& meaning, const std::string& example);
/// The same with a largest value.
Json up_to(double most, Json schema);
/// The kind of a parameter: "duration". Throws std::logic_error where there is none of this name.
QuantityKind kind_called(const std::string& name);
Json list_of(Json items, const std::string& meaning);
/// A map with free keys, each value of the same kind.
Json map_of(Json values, const std::string& meaning);
/// A map whose keys are these and no others.
Json object(const std::string& meaning, Json properties, const std::vector<std::string>& required = {});
std::vector<std::string> names(const Parts& parts, const std::string& kind);
/// What counts without the key: "16", "grpc with parameter_server; nccl with all_reduce", "that of the link"; empty
/// where the schema says nothing.
std::string default_text(const Json& property);
/// Settings of all parts of some kinds in one map: which of them has an effect depends on the chosen names.
void add_settings(Json& properties, const Parts& parts, const std::vector<std::string>& kinds,
                  const Catalogue& catalogue);

} // namespace trainyard::schema
