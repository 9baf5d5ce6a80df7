// SPDX-License-Identifier: Apache-2.0
#include "models/core/json.hpp"
#include "models/import/importer.hpp"
#include "models/import/work_summary.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#if TRAINYARD_PROTOBUF
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#endif

namespace trainyard {
namespace {

/// Totals of the nodes of an execution trace.
struct Graph {
  std::string version;
  int nodes = 0;
  int compute = 0;
  int collectives = 0;
  int messages = 0;
  double compute_us = 0;
  double flop = 0;
  double all_reduce_bytes = 0;
  double other_bytes = 0;
  std::set<std::string> attributes; // that are not used
};

/// Node types of the schema. Source: mlcommons/chakra, schema/protobuf/et_def.proto.
enum NodeType { comp_node = 4, comm_send = 5, comm_recv = 6, comm_coll = 7 };

void count(Graph& graph, int type, double duration_us, double bytes, int collective, double operations)
{
  ++graph.nodes;
  if (type == comp_node) {
    ++graph.compute;
    graph.compute_us += duration_us;
    graph.flop += operations;
  } else if (type == comm_coll) {
    ++graph.collectives;
    (collective == 0 ? graph.all_reduce_bytes : graph.other_bytes) += bytes;
  } else if (type == comm_send || type == comm_recv) {
    ++graph.messages;
    graph.other_bytes += bytes;
  }
}

#if TRAINYARD_PROTOBUF
using google::protobuf::io::CodedInputStream;
using Wire = google::protobuf::internal::WireFormatLite;

/// Attribute: its name in field 1, its value in any other; whole numbers are varints.
bool read_attribute(CodedInputStream& in, std::string& name, double& value)
{
  for (std::uint32_t tag = in.ReadTag(); tag != 0; tag = in.ReadTag()) {
    const int field = Wire::GetTagFieldNumber(tag);
    const auto type = Wire::GetTagWireType(tag);
    if (field == 1 && type == Wire::WIRETYPE_LENGTH_DELIMITED) {
      if (!Wire::ReadString(&in, &name))
        return false;
    } else if (type == Wire::WIRETYPE_VARINT) {
      std::uint64_t number = 0;
      if (!in.ReadVarint64(&number))
        return false;
      value = static_cast<double>(number);
    } else if (!Wire::SkipField(&in, tag)) {
      return false;
    }
  }
  return in.ConsumedEntireMessage();
}

bool read_node(CodedInputStream& in, Graph& graph)
{
  std::uint32_t type = 0;
  std::uint64_t duration = 0;
  double bytes = 0, operations = 0;
  int collective = 0;
  for (std::uint32_t tag = in.ReadTag(); tag != 0; tag = in.ReadTag()) {
    const int field = Wire::GetTagFieldNumber(tag);
    const auto wire = Wire::GetTagWireType(tag);
    if (field == 3 && wire == Wire::WIRETYPE_VARINT) {
      if (!in.ReadVarint32(&type))
        return false;
    } else if (field == 7 && wire == Wire::WIRETYPE_VARINT) {
      if (!in.ReadVarint64(&duration))
        return false;
    } else if (field == 10 && wire == Wire::WIRETYPE_LENGTH_DELIMITED) {
      std::uint32_t length = 0;
      if (!in.ReadVarint32(&length))
        return false;
      const auto limit = in.PushLimit(static_cast<int>(std::min<std::uint32_t>(length, 1U << 26U)));
      std::string name;
      double value = 0;
      if (!read_attribute(in, name, value))
        return false;
      in.PopLimit(limit);
      if (name == "comm_size")
        bytes = value;
      else if (name == "comm_type")
        collective = static_cast<int>(std::min(value, 1000.0));
      else if (name == "num_ops")
        operations = value;
      else if (name != "is_cpu_op" && graph.attributes.size() < 50)
        graph.attributes.insert(name.substr(0, 60));
    } else if (!Wire::SkipField(&in, tag)) {
      return false;
    }
  }
  if (!in.ConsumedEntireMessage())
    return false;
  count(graph, static_cast<int>(std::min<std::uint32_t>(type, 1000)), static_cast<double>(duration), bytes, collective,
        operations);
  return true;
}

/// Messages, each behind its length: the first is the metadata, the others are nodes. Gives what could be read, and
/// where it is cut off.
Graph read_et(const std::string& text, std::string& fault)
{
  Graph graph;
  CodedInputStream in{reinterpret_cast<const std::uint8_t*>(text.data()),
                      static_cast<int>(std::min<std::size_t>(text.size(), 0x7fffffff))};
  in.SetTotalBytesLimit(0x7fffffff);
  bool first = true;
  while (in.CurrentPosition() < static_cast<int>(text.size())) {
    std::uint32_t length = 0;
    if (!in.ReadVarint32(&length) || length > text.size()) {
      fault = fmt::format("a message is cut off at byte {}", in.CurrentPosition());
      return graph;
    }
    const auto limit = in.PushLimit(static_cast<int>(length));
    bool sound = true;
    if (first) {
      for (std::uint32_t tag = in.ReadTag(); tag != 0 && sound; tag = in.ReadTag())
        sound = Wire::GetTagFieldNumber(tag) == 1 && Wire::GetTagWireType(tag) == Wire::WIRETYPE_LENGTH_DELIMITED
                    ? Wire::ReadString(&in, &graph.version)
                    : Wire::SkipField(&in, tag);
    } else {
      sound = read_node(in, graph);
    }
    if (!sound) {
      fault = fmt::format("message {} is damaged, near byte {}", graph.nodes + 1, in.CurrentPosition());
      return graph;
    }
    in.PopLimit(limit);
    first = false;
  }
  return graph;
}
#endif

/// Keys of nodes are written in several ways.
const Json* any_of(const Json& object, std::initializer_list<const char*> names)
{
  for (const char* name : names)
    if (const Json* found = object.find(name); found != nullptr)
      return found;
  return nullptr;
}

/// Execution traces of MLCommons Chakra: protobuf (.et), and the JSON that its converter writes.
class Chakra final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    if (head.find("\"workload_graph\"") != std::string_view::npos)
      return true;
    // a short message whose first field is a text that begins like a version: 0x0a, length, "0.0.4"
    return head.size() > 6 && static_cast<unsigned char>(head[0]) < 0x80 && head[1] == 0x0a &&
           static_cast<unsigned char>(head[2]) < 20 && head[3] >= '0' && head[3] <= '9' && head[4] == '.';
  }
  std::string description() const override { return "Chakra execution trace"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    ++ranks_;
    const std::string text = file.text();
    Graph graph;
    if (text.find("\"workload_graph\"") != std::string::npos) {
      graph = from_json(text, file, context);
    } else {
#if TRAINYARD_PROTOBUF
      std::string fault;
      graph = read_et(text, fault);
      if (!fault.empty())
        context.report.error({file.name(), 0}, fault);
      if (graph.version != "0.0.4" && fault.empty())
        context.report.warning(
            {file.name(), 0},
            fmt::format("schema {} is not 0.0.4; it is read as 0.0.4, by field numbers", graph.version));
      context.report.understood("schema " + graph.version, {file.name(), 0});
#else
      throw InputError{fmt::format("'{}': this program was built without libprotobuf-dev, which execution traces need",
                                   file.name())};
#endif
    }
    context.report.understood(fmt::format("{}: {} of computing, {}, {}{}", counted(graph.nodes, "node"), graph.compute,
                                          counted(graph.collectives, "collective"), counted(graph.messages, "message"),
                                          graph.all_reduce_bytes > 0
                                              ? fmt::format(", {:.0f} bytes of all-reduce", graph.all_reduce_bytes)
                                              : ""),
                              {file.name(), 0});
    for (const std::string& name : graph.attributes)
      context.report.ignored("attribute " + name, "not modelled", {file.name(), 0});
    if (graph.other_bytes > 0)
      context.report.ignored(fmt::format("{:.0f} bytes of other operations", graph.other_bytes),
                             "only all-reduce becomes part of the job", {file.name(), 0});
    if (graph.nodes == 0)
      context.report.error({file.name(), 0}, "the trace has no nodes");
    if (graph.nodes > largest_.nodes || largest_.nodes == 0) {
      largest_ = graph;
      file_ = file.name();
    }
  }

  void finish(ImportContext& context) const override
  {
    if (largest_.nodes == 0)
      return;
    WorkSummary work{.name = "trace",
                     .ranks = std::max(ranks_ > 1 ? ranks_ : 0, ranks_from_file_),
                     .compute_s = largest_.compute_us * 1e-6,
                     .all_reduce_bytes = largest_.all_reduce_bytes,
                     .place = {file_, 0}};
    work.flop = largest_.flop;
    add_work(work, context);
    context.report.assumed("dependencies are those of a training step",
                           "the job exchanges gradients while it computes; the trace may differ");
  }

private:
  Graph from_json(const std::string& text, const InputFile& file, ImportContext& context) const
  {
    Graph graph;
    const Json json = parse_json(text, file.name());
    const Json* nodes = json.find("workload_graph");
    bool odd = false;
    if (nodes != nullptr)
      for (const Json& node : nodes->items) {
        const Json* type = any_of(node, {"type", "NodeType", "node_type"});
        const Json* duration = any_of(node, {"duration_micros", "runtime", "duration"});
        const Json* bytes = any_of(node, {"comm_size"});
        const Json* collective = any_of(node, {"comm_type"});
        odd = odd || node.find("Id") != nullptr || node.find("ctrlDeps") != nullptr;
        if (type == nullptr) {
          context.report.ignored("a node without a type", "its kind of work is unknown", {file.name(), node.line});
          continue;
        }
        count(graph, static_cast<int>(std::clamp(type->value, 0.0, 1000.0)),
              duration == nullptr ? 0 : std::clamp(duration->value, 0.0, 1e15),
              bytes == nullptr ? 0 : std::clamp(bytes->value, 0.0, 1e18),
              collective == nullptr ? 0 : static_cast<int>(std::clamp(collective->value, 0.0, 1000.0)), 0);
      }
    if (odd)
      context.report.understood("keys that the schema spells differently (Id, ctrlDeps)", {file.name(), nodes->line});
    if (const Json* gpus = any_of(json, {"ngpus"}); gpus != nullptr) {
      ranks_from_file_ = static_cast<int>(std::clamp(gpus->value, 0.0, 1e5));
      context.report.understood(counted(ranks_from_file_, "GPU") + " (ngpus)", {file.name(), gpus->line});
    }
    for (const auto& [key, member] : json.members)
      if (key != "workload_graph" && key != "ngpus")
        context.report.ignored(key, "not modelled", {file.name(), member.line});
    return graph;
  }

  mutable int ranks_ = 0;
  mutable int ranks_from_file_ = 0;
  mutable Graph largest_;
  mutable std::string file_;
};

TY_REGISTER(Importer, Chakra, "chakra",
            "Chakra execution traces (.et, JSON): computing time, bytes of collectives, one file per rank");

} // namespace
} // namespace trainyard
