// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace trainyard {

/// Sorts rows by a number, of equal ones the first first, as std::ranges::stable_sort does. Rows are long: each is
/// moved once. @p most: so many are kept.
template <class Row, class Number>
void sort_rows(std::vector<Row>& rows, const Number& number, std::size_t most = static_cast<std::size_t>(-1))
{
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(rows.size());
  bool sorted = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    order.emplace_back(number(rows[i]), i);
    sorted = sorted && (i == 0 || !(order[i].first < order[i - 1].first));
  }
  if (sorted && rows.size() <= most)
    return;
  std::ranges::sort(order);
  order.resize(std::min(most, order.size()));
  std::vector<Row> result;
  result.reserve(order.size());
  for (const auto& [value, row] : order)
    result.push_back(std::move(rows[row]));
  rows = std::move(result);
}

} // namespace trainyard
