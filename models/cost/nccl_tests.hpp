// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A measured size; a time is absent where it was not measured.
struct NcclTestsRow {
  double bytes = 0;
  std::string type; // "float"
  std::optional<double> out_of_place_us, in_place_us;
  double wrong = 0; // values that were not what they must be, the worse of both
  int line = 0;
  std::string source; // the line; empty in JSON
};

/// The output of a program of nccl-tests (all_reduce_perf …).
struct NcclTestsOutput {
  bool json = false;
  std::string program;            // as it was called, or what its columns show; empty where neither says it
  std::vector<std::string> hosts; // of the ranks, in order
  std::string device;             // name of the GPUs; empty where none is listed
  std::string start_time;         // "2026-01-01 00:00:00"; empty in text
  std::vector<NcclTestsRow> rows;
  int line = 1; // where the rows begin
  std::optional<double> version;
  int version_line = 1;
  int environment_line = 0; // of `env`; 0: there is none
};

/// Reads text, or the JSON that -J writes, version 3. Text: the table with columns size, count, type, redop and root
/// (which older versions leave out where they mean nothing) and, for out-of-place and in-place, time (us), algbw,
/// busbw, #wrong; other lines are what programs beside it printed. Where no line names the program, its columns do.
/// Throws InputError naming the line: a row of another width, JSON that is not of nccl-tests. Source:
/// NVIDIA/nccl-tests, src/common.cu and doc/PERFORMANCE.md.
NcclTestsOutput read_nccl_tests(std::string_view text, const std::string& file);

} // namespace trainyard
