// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/results.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// A table for the terminal: columns aligned, numbers to the right, a blank line between groups.
struct Column {
  std::string title;
  bool right = true;
};
struct TableCell {
  std::string text;
  std::string colour = {}; // escape sequence; empty = none
};
std::string table_text(const std::vector<Column>& columns, const std::vector<std::vector<TableCell>>& rows, bool colour,
                       const std::vector<std::size_t>& group_ends = {});

/// "assumed: precision amp; batch 32 per GPU": what the scenario did not say, in one line.
std::string assumed_text(const std::vector<std::string>& assumed);

/// What other seeds change: mean, interval and range of the step time over the seeds of run.replicas, or what hashed
/// paths do to it. A line for each job with replicas, else one for all; empty where the seed changes nothing.
std::string seeds_text(const std::vector<SeedRange>& seeds, double confidence);

/// The answer of a run: one row per job and point, then the advice. Columns that say the same in every row go to a line
/// above.
std::string results_text(const Results& results, bool colour);

/// Where the step's time went, the critical path and the busiest links of each job (`simrun explain`); @p most jobs at
/// most.
std::string explain_text(const Results& results, bool colour, std::size_t most = 8);

} // namespace trainyard
