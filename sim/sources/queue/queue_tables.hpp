// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/queue_report.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// A CSV file of the results folder.
struct QueueTable {
  const char* name;
  std::vector<ColumnFacts> columns; // besides queue_columns()
  std::string (*text)(const std::vector<QueueRun>&);
  bool lists_all = true; // a row for each job or event
};

std::vector<QueueTable> queue_tables();

} // namespace trainyard
