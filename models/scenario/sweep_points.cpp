// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sweep_space.hpp"

#include <fmt/format.h>

namespace trainyard {

std::string SweepPoint::label() const
{
  std::string text;
  for (const auto& [name, value] : settings) {
    const std::size_t dot = name.rfind('.');
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : " ", dot == std::string::npos ? name : name.substr(dot + 1), value);
  }
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
