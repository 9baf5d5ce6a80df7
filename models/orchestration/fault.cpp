// SPDX-License-Identifier: Apache-2.0
#include "models/orchestration/fault.hpp"

#include "models/core/closest.hpp"
#include "models/core/longest_time.hpp"

#include <array>
#include <cstdlib>
#include <utility>

namespace trainyard {
namespace {

constexpr std::array kinds = {std::pair{FaultKind::process, "process"},
                              std::pair{FaultKind::gpu, "gpu"},
                              std::pair{FaultKind::node, "node"},
                              std::pair{FaultKind::rack, "rack"},
                              std::pair{FaultKind::network_switch, "switch"},
                              std::pair{FaultKind::link, "link"},
                              std::pair{FaultKind::storage, "storage"},
                              std::pair{FaultKind::manager, "manager"},
                              std::pair{FaultKind::daemon_config, "daemon_config"},
                              std::pair{FaultKind::daemon_restart, "daemon_restart"},
                              std::pair{FaultKind::object_store, "object_store"}};

/// "02:00", "02:00:30": hours may exceed 24.
std::optional<double> clock_time(const std::string& text)
{
  double seconds = 0;
  int parts = 0;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t colon = std::min(text.find(':', at), text.size());
    if (colon == at || colon - at > 4)
      return std::nullopt;
    for (std::size_t i = at; i < colon; ++i)
      if (text[i] < '0' || text[i] > '9')
        return std::nullopt;
    const double value = std::strtod(text.substr(at, colon - at).c_str(), nullptr);
    if (parts > 0 && value >= 60)
      return std::nullopt;
    seconds = seconds * 60 + value;
    ++parts;
    at = colon + 1;
    if (colon == text.size())
      break;
  }
  if (parts == 2)
    return seconds * 60;
  return parts == 3 ? std::optional{seconds} : std::nullopt;
}

} // namespace

std::string to_text(FaultKind kind)
{
  for (const auto& [value, name] : kinds)
    if (value == kind)
      return name;
  return "unknown";
}

std::vector<std::string> fault_kind_names()
{
  std::vector<std::string> names;
  for (const auto& [value, name] : kinds)
    names.emplace_back(name);
  return names;
}

std::optional<FaultKind> fault_kind(const std::string& name)
{
  for (const auto& [value, known] : kinds)
    if (name == known)
      return value;
  return std::nullopt;
}

std::optional<std::string> parse_fault(const std::string& text, FaultSpec& fault)
{
  const std::string form = "; write KIND:NAME@TIME+DURATION, for example rack:3@02:00+6h or node:node-1@600s";
  const std::size_t when = text.find('@');
  if (when == std::string::npos)
    return "'" + text + "' does not say when" + form;
  const std::string what = text.substr(0, when);
  const std::size_t colon = what.find(':');
  const std::string kind = what.substr(0, colon);
  const auto known = fault_kind(kind);
  if (!known) {
    const std::vector<std::string> names = fault_kind_names();
    return "unknown kind of failure '" + kind + "'" + did_you_mean(kind, names) + form;
  }
  fault.kind = *known;
  fault.target = colon == std::string::npos ? "" : what.substr(colon + 1);
  const std::size_t plus = text.find('+', when);
  const std::string at = text.substr(when + 1, plus == std::string::npos ? std::string::npos : plus - when - 1);
  if (const auto clock = clock_time(at)) {
    fault.at = Seconds{*clock};
  } else {
    const QuantityText time = parse_time(at);
    if (!time || time.value < 0)
      return "'" + at + "' is not a time: " + (time ? "it is before the start" : time.error) + form;
    fault.at = Seconds{time.value};
  }
  fault.lasts.reset();
  if (plus != std::string::npos) {
    const QuantityText length = parse_time(text.substr(plus + 1));
    if (!length)
      return "'" + text.substr(plus + 1) + "' is not a duration: " + length.error;
    if (length.value <= 0)
      return "the repair comes before the failure: it must last longer than 0 s, not '" + text.substr(plus + 1) + "'";
    fault.lasts = Seconds{length.value};
  }
  return std::nullopt;
}

std::string describe(const FaultSpec& fault)
{
  switch (fault.kind) {
  case FaultKind::process:
    return "process " + fault.target;
  case FaultKind::gpu: {
    const std::size_t slash = fault.target.rfind('/');
    return slash == std::string::npos
               ? "GPU " + fault.target
               : "GPU " + fault.target.substr(slash + 1) + " of " + fault.target.substr(0, slash);
  }
  case FaultKind::node:
    return fault.target;
  case FaultKind::rack:
    return "rack " + fault.target;
  case FaultKind::network_switch:
    return "switch " + fault.target;
  case FaultKind::link:
    return "link of " + fault.target;
  case FaultKind::storage:
    return "storage";
  case FaultKind::manager:
    return "manager " + fault.target;
  case FaultKind::daemon_config:
    return "daemon configuration of " + fault.target;
  case FaultKind::daemon_restart:
    return "daemon of " + fault.target;
  case FaultKind::object_store:
    return "object store";
  }
  return "unknown";
}

} // namespace trainyard
