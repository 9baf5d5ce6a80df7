// SPDX-License-Identifier: Apache-2.0
#include "sim/report/knee.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace trainyard {

std::vector<Knee> knees(const Results& results)
{
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::map<int, double>> curves; // efficiency by workers
  for (const JobRow& row : results.jobs) {
    const std::pair key{row.model, row.variant};
    if (!curves.contains(key))
      order.push_back(key);
    if (row.scaling_efficiency > 0)
      curves[key][row.workers] = row.scaling_efficiency;
  }
  std::vector<Knee> found;
  for (const auto& key : order) {
    const std::map<int, double>& curve = curves[key];
    for (auto here = curve.begin(); here != curve.end(); ++here) {
      if (here->second >= 0.5)
        continue;
      if (here == curve.begin())
        break;
      const auto before = std::prev(here);
      const double low = 1 / before->second, high = 1 / here->second;
      found.push_back(
          {key.first, key.second, before->first + (2 - low) / (high - low) * (here->first - before->first)});
      break;
    }
  }
  return found;
}

std::string knee_text(const std::vector<Knee>& found)
{
  std::string text;
  for (const Knee& knee : found)
    text += fmt::format("{}{} {} at {:.1f} GPUs", text.empty() ? "knee, where half of the GPUs' time is lost: " : "; ",
                        knee.model, knee.variant, knee.workers);
  return text;
}

} // namespace trainyard
