// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/telling.hpp"
#include "sim/results/results.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// A column of a table of rows: what a row says in it.
template <class Row>
struct ShownColumn {
  Column column;
  std::function<TableCell(const Row&)> cell;
  bool shown = true;
};

template <class Row>
void tell_table(const std::vector<Row>& rows, const std::vector<ShownColumn<Row>>& columns, Telling& told)
{
  std::vector<Column> titles;
  TableRows cells(rows.size());
  for (const ShownColumn<Row>& each : columns) {
    if (!each.shown)
      continue;
    titles.push_back(each.column);
    for (std::size_t i = 0; i < rows.size(); ++i)
      cells[i].push_back(each.cell(rows[i]));
  }
  told.table(std::move(titles), std::move(cells));
}

/// With "; " between them.
Messages listed(const Messages& parts);
/// "assumed: precision amp; batch 32 per GPU": what the scenario did not say, in one line.
Message assumed_told(const Messages& assumed);

/// What other seeds change: mean, interval and range of the step time over the seeds of run.replicas, or what hashed
/// paths do to it. A line for each job with replicas, else one for all; empty where the seed changes nothing.
std::string seeds_text(const std::vector<SeedRange>& seeds, double confidence);

/// The answer of a run: one row per job and point, then the advice. Columns that say the same in every row go to a line
/// above.
Telling results_told(const Results& results);
/// How fast a job is, in one sentence.
Message job_told(const JobRow& row);

/// Where the step's time went, the critical path and the busiest links of each job (`simrun explain`); @p most jobs at
/// most.
Telling explain_text(const Results& results, std::size_t most = 8);

} // namespace trainyard
