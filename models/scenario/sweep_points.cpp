// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sweep_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace trainyard {

std::string short_name(std::span<const std::pair<std::string, std::string>> settings, const std::string& path)
{
  const auto longer = [&](std::size_t dot) { return dot == 0 ? std::string::npos : path.rfind('.', dot - 1); };
  const auto others = [&](std::string_view end) {
    return std::ranges::count_if(settings, [&](const auto& one) { return one.first.ends_with(end); }) > 1;
  };
  std::size_t dot = path.rfind('.');
  while (dot != std::string::npos &&
         (others(path.substr(dot)) || std::isdigit(static_cast<unsigned char>(path[dot + 1])) != 0))
    dot = longer(dot);
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::string SweepPoint::label() const
{
  std::string text;
  for (const auto& [path, value] : settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", short_name(settings, path), value);
  return text;
}

std::vector<SweepPoint> expand_sweep(const Document& document, Diagnostics& diagnostics)
{
  std::vector<SweepPoint> points;
  if (document.root.kind != DocumentNode::Kind::map || document.root.find("sweep") == nullptr) {
    points.emplace_back().document = document;
    return points;
  }
  const SweepSpace space{document, diagnostics};
  for (std::size_t i = 0; i < space.size(); ++i)
    points.push_back(space.point(i));
  return points;
}

} // namespace trainyard
