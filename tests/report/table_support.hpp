// SPDX-License-Identifier: Apache-2.0
// What the tests of printed and written tables share.
#pragma once

#include "sim/report/report_document.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/tables.hpp"

#include <string>
#include <vector>

namespace trainyard::tests {

/// The tables of a report; the HTML and the PDF file draw these.
inline std::vector<ReadTable> tables_of(const ReportDocument& document)
{
  std::vector<ReadTable> tables;
  for (const ReportBlock& block : document.blocks)
    if (block.kind == ReportBlock::Kind::table)
      tables.push_back({block.columns, block.rows});
  return tables;
}

struct Tables : CommandLine {
  ReadTable csv(const std::string& file) const { return csv_table(read_bytes(folder / file)); }
};

/// Two jobs: the first wants the whole machine, the second half of it and half of the time.
inline constexpr const char* two_jobs_queue = R"(question: who waits?
cluster:
  node_types: {worker: {gpu: T4, gpus: 2, price: 6 $/h}}
  nodes: [{name: w, type: worker, count: 1}]
  network: {link: 10GbE}
workload:
  jobs:
    - {name: a, duration: 100 s, gpus: 2, user: ann, queue: slow, model: resnet50}
    - {name: b, submit: 10 s, duration: 50 s, gpus: 1, user: bob, queue: fast, model: vgg16}
scheduling: {policies: [fifo, srtf]}
)";

} // namespace trainyard::tests
