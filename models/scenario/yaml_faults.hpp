// SPDX-License-Identifier: Apache-2.0
// What yaml-cpp says of a text that is not YAML, in the words of a writer of scenarios.
#pragma once
#include <string>
#include <vector>

namespace trainyard {

struct YamlFault {
  int line = 0, column = 0; // from 1
  std::string message;
};

/// The likely cause of @p fault, which may be above the place where the parser stopped. @p lines: those of the file.
YamlFault likely_cause(YamlFault fault, const std::vector<std::string>& lines);

/// Whether the quoted text that begins at this place (from 1) goes on to the end of the file. yaml-cpp 0.7 takes such a
/// text as it is, with all keys below it.
bool quote_stays_open(const std::vector<std::string>& lines, int line, int column);

} // namespace trainyard
