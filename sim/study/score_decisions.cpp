// SPDX-License-Identifier: Apache-2.0
#include "sim/study/score.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {

DecisionScore decisions(const CsvTable& table, const ScoreDecisions& rule, const std::vector<ScoredRow>& rows)
{
  DecisionScore score;
  constexpr double tie = 1.05;
  for (const auto& [a, b] : rule.pairs)
    for (const ScoredRow& first : rows)
      for (const ScoredRow& second : rows) {
        const CsvTable::Row &x = table.rows[first.row], &y = table.rows[second.row];
        if (!cell_matches(table.cell(x, "strategy"), a) || !cell_matches(table.cell(y, "strategy"), b) ||
            !std::isfinite(first.measured_step) || !std::isfinite(second.measured_step) ||
            !std::ranges::all_of(rule.match,
                                 [&](const std::string& name) { return table.cell(x, name) == table.cell(y, name); }))
          continue;
        ++score.pairs;
        const double ratio = first.measured_step / second.measured_step;
        if (std::max(ratio, 1 / ratio) <= tie)
          continue;
        ++score.decided;
        score.first_wins += ratio < 1;
        score.one_rate_right += (first.one_rate_step < second.one_rate_step) == (ratio < 1);
        if ((first.predicted_step < second.predicted_step) == (ratio < 1)) {
          ++score.right;
          continue;
        }
        std::string keys;
        for (const std::string& name : rule.match)
          keys += table.cell(x, name) + ", ";
        score.wrong.push_back(fmt::format("{}{} / {}: measured {:.3f}, predicted {:.3f}", keys,
                                          table.cell(x, "strategy"), table.cell(y, "strategy"), ratio,
                                          first.predicted_step / second.predicted_step));
      }
  return score;
}

} // namespace trainyard
