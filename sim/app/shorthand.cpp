// SPDX-License-Identifier: Apache-2.0
#include "sim/app/study_input.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"
#include "models/scenario/value_range.hpp"
#include "sim/step/collectives/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace trainyard::app {

std::vector<Architecture> architectures(const std::string& text, const std::string& update)
{
  std::vector<Architecture> list;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, end - start);
    start = end + 1;
    if (part.starts_with("ps:")) {
      std::vector<DocumentNode> counts;
      try {
        counts = range_values(command_line_values(part.substr(3)));
      } catch (const std::invalid_argument& fault) {
        throw InputError{fmt::format("--arch {}: {}", part, fault.what())};
      }
      for (const DocumentNode& count : counts) {
        const int servers = as_number<int>(count.text).value_or(0);
        if (servers < 1)
          throw InputError{fmt::format(
              "--arch {}: the number of servers must be a whole number of at least 1, not '{}'", part, count.text)};
        list.push_back({fmt::format("ps:{}{}", servers, update.empty() ? "" : " " + update),
                        fmt::format("{{mode: parameter_server, servers: {}{}}}", servers,
                                    update.empty() ? "" : ", update_rule: " + update),
                        servers});
      }
      continue;
    }
    std::string name = part == "hier-ring" || part == "hier" ? "hierarchical"
                       : part == "halving-doubling"          ? "halving_doubling"
                                                             : part;
    std::vector<std::string> known;
    for (const std::string& collective : Registry<Collective>::instance().names())
      if (Registry<Collective>::instance().create(collective, {})->supports({.operation = "all_reduce", .ranks = 2}))
        known.push_back(collective);
    if (std::ranges::find(known, name) == known.end()) {
      known.insert(known.end(), {"ps:4", "hier-ring"});
      std::string all;
      for (const std::string& one : known)
        all += (all.empty() ? "" : ", ") + one;
      throw InputError{
          fmt::format("--arch: unknown architecture '{}'{}; choose from {}", part, did_you_mean(part, known), all)};
    }
    list.push_back({part, fmt::format("{{mode: all_reduce, collective: {}}}", name), 0});
  }
  return list;
}

} // namespace trainyard::app
