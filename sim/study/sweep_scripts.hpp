// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace trainyard {

/// What a script starts: `command` with --shard and -o behind it.
struct SweepScript {
  std::string name;
  std::string command; // "simrun sweep s.yaml --grid …"
  std::string output;  // file of the whole sweep
  std::uint64_t shards = 16;
};

/// @p kind: "slurm" and "pbs" (array jobs), "flux" (a job a shard), "kubernetes" (indexed Job), "parallel" (GNU
/// parallel). The number of shards is fixed in the text, so that starting failed ones again does not change what each
/// computes.
std::string sweep_script(const std::string& kind, const SweepScript& script);

} // namespace trainyard
