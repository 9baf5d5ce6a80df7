// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace trainyard {

/// Checks the structure of a document against the JSON Schema: keys, kinds of values, names, units, ranges. Every fault
/// goes to
/// @p diagnostics with its place and a suggestion.
///
/// The subset of draft 7 that scenario_schema uses, read as files are read: an empty value is an empty map or list, one
/// item stands for a list of one, a text may be a bare word or number, "50 %" is a number; quantities are judged by
/// parse_quantity ("x-quantity").
void validate(const Document& document, const nlohmann::ordered_json& schema, Diagnostics& diagnostics);

/// Adds the faults that validate finds in lines where @p diagnostics has none yet: the reader's messages say more about
/// the same error.
void validate_rest(const Document& document, const nlohmann::ordered_json& schema, Diagnostics& diagnostics);

/// Values that the schema fills in for keys that the file leaves out: of every map in the file, and of `run` and
/// `cluster.network` whether or not they are there. Settings of parts (training modes, topologies) are not among them:
/// which of them count, only the reader knows.
std::vector<FilledDefault> absent_defaults(const Document& document, const nlohmann::ordered_json& schema);

} // namespace trainyard
