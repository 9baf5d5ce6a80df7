// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// One node, as far as its time depends on others.
struct ChakraNode {
  std::uint64_t id = 0;
  int type = 0;
  double duration_us = 0;
  std::string group;      // of a collective
  int from = -1, to = -1; // of a message; -1: this rank
  std::int64_t tag = 0;
  std::vector<std::uint64_t> after; // identities of nodes that end before it begins
};

/// Totals of the nodes of an execution trace.
struct ChakraGraph {
  std::string version;
  int nodes = 0;
  int compute = 0;
  int collectives = 0;
  int messages = 0;
  double compute_us = 0;
  int cpu = 0; // of the computing nodes, operators on the CPU; their time is none of the GPU's
  double cpu_us = 0;
  double flop = 0;
  double all_reduce_bytes = 0;
  double other_bytes = 0;
  std::set<std::string> attributes; // that are not used
  std::vector<ChakraNode> list;     // of protobuf traces, in the order of the file
  /// Collectives of each process group by kind: how many, and their bytes.
  std::map<std::string, std::map<int, std::pair<int, double>>> groups;
};

/// Node types of the schema. Source: mlcommons/chakra, schema/protobuf/et_def.proto.
enum ChakraNodeType { comp_node = 4, comm_send = 5, comm_recv = 6, comm_coll = 7 };

inline void count_node(ChakraGraph& graph, int type, double duration_us, double bytes, int collective,
                       double operations, const std::string& group, bool on_cpu)
{
  ++graph.nodes;
  if (type == comp_node) {
    ++graph.compute;
    graph.cpu += on_cpu ? 1 : 0;
    (on_cpu ? graph.cpu_us : graph.compute_us) += duration_us;
    graph.flop += on_cpu ? 0 : operations;
  } else if (type == comm_coll) {
    ++graph.collectives;
    (collective == 0 ? graph.all_reduce_bytes : graph.other_bytes) += bytes;
    if (!group.empty() && (graph.groups.contains(group) || graph.groups.size() < 50)) {
      auto& [times, sum] = graph.groups[group][collective];
      ++times;
      sum += bytes;
    }
  } else if (type == comm_send || type == comm_recv) {
    ++graph.messages;
    graph.other_bytes += bytes;
  }
}

} // namespace trainyard

/// Reads a protobuf trace as far as it can be read; @p fault says where it is damaged. In the part "import"
/// (models/core/loaded_part.hpp). A function that is looked up by its name cannot return a class: it sets @p result.
extern "C" void trainyard_read_chakra(const std::string& text, std::string& fault, trainyard::ChakraGraph& result);
