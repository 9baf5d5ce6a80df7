// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/chakra_reader.hpp"

#include <map>
#include <optional>

namespace trainyard {

/// When the last node of all ranks ends, in microseconds: each node begins when the nodes before it have ended and
/// takes its recorded time. A message is there when its sending ends; a collective begins when every rank that names
/// its process group has come, and takes the longest recorded time.
///
/// nullopt where nodes wait for ever: a partner's trace is missing, or ranks count the collectives of a group
/// differently. @p ranks: by number.
std::optional<double> replayed_us(const std::map<int, ChakraGraph>& ranks);

} // namespace trainyard
