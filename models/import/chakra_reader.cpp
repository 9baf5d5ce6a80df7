// SPDX-License-Identifier: Apache-2.0
// In the part "import" (models/core/loaded_part.hpp): only this file and onnx_reader.cpp know ONNX and protobuf.
#include "models/import/chakra_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace trainyard {
namespace {

using google::protobuf::io::CodedInputStream;
using Wire = google::protobuf::internal::WireFormatLite;

/// Attribute: its name in field 1, its value in any other; whole numbers are varints, texts have their length.
bool read_attribute(CodedInputStream& in, std::string& name, double& value, std::string& text)
{
  for (std::uint32_t tag = in.ReadTag(); tag != 0; tag = in.ReadTag()) {
    const int field = Wire::GetTagFieldNumber(tag);
    const auto type = Wire::GetTagWireType(tag);
    if (field == 1 && type == Wire::WIRETYPE_LENGTH_DELIMITED) {
      if (!Wire::ReadString(&in, &name))
        return false;
    } else if (field != 2 && type == Wire::WIRETYPE_LENGTH_DELIMITED) { // 2: a comment
      if (!Wire::ReadBytes(&in, &text))
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

/// A repeated number, packed or one by one.
bool read_numbers(CodedInputStream& in, Wire::WireType wire, std::vector<std::uint64_t>& numbers)
{
  std::uint64_t number = 0;
  if (wire == Wire::WIRETYPE_VARINT) {
    if (!in.ReadVarint64(&number))
      return false;
    numbers.push_back(number);
    return true;
  }
  std::uint32_t length = 0;
  if (!in.ReadVarint32(&length))
    return false;
  const auto limit = in.PushLimit(static_cast<int>(std::min<std::uint32_t>(length, 1U << 26U)));
  while (in.BytesUntilLimit() > 0) {
    if (!in.ReadVarint64(&number))
      return false;
    numbers.push_back(number);
  }
  in.PopLimit(limit);
  return true;
}

bool read_node(CodedInputStream& in, ChakraGraph& graph)
{
  ChakraNode node;
  std::uint32_t type = 0;
  std::uint64_t duration = 0;
  double bytes = 0, operations = 0;
  int collective = 0;
  std::string group;
  bool on_cpu = false;
  for (std::uint32_t tag = in.ReadTag(); tag != 0; tag = in.ReadTag()) {
    const int field = Wire::GetTagFieldNumber(tag);
    const auto wire = Wire::GetTagWireType(tag);
    if (field == 1 && wire == Wire::WIRETYPE_VARINT) {
      if (!in.ReadVarint64(&node.id))
        return false;
    } else if (field == 3 && wire == Wire::WIRETYPE_VARINT) {
      if (!in.ReadVarint32(&type))
        return false;
    } else if ((field == 4 || field == 5) && // control and data
               (wire == Wire::WIRETYPE_VARINT || wire == Wire::WIRETYPE_LENGTH_DELIMITED)) {
      if (!read_numbers(in, wire, node.after))
        return false;
    } else if (field == 7 && wire == Wire::WIRETYPE_VARINT) {
      if (!in.ReadVarint64(&duration))
        return false;
    } else if (field == 10 && wire == Wire::WIRETYPE_LENGTH_DELIMITED) {
      std::uint32_t length = 0;
      if (!in.ReadVarint32(&length))
        return false;
      const auto limit = in.PushLimit(static_cast<int>(std::min<std::uint32_t>(length, 1U << 26U)));
      std::string name, words;
      double value = 0;
      if (!read_attribute(in, name, value, words))
        return false;
      in.PopLimit(limit);
      if (name == "comm_size")
        bytes = value;
      else if (name == "comm_type")
        collective = static_cast<int>(std::min(value, 1000.0));
      else if (name == "num_ops")
        operations = value;
      else if (name == "pg_name")
        group = words.substr(0, 60);
      else if (name == "comm_src")
        node.from = static_cast<int>(std::min(value, 1e9));
      else if (name == "comm_dst")
        node.to = static_cast<int>(std::min(value, 1e9));
      else if (name == "comm_tag")
        node.tag = static_cast<std::int64_t>(std::min(value, 1e15));
      else if (name == "is_cpu_op")
        on_cpu = value != 0;
      else if (graph.attributes.size() < 50)
        graph.attributes.insert(name.substr(0, 60));
    } else if (!Wire::SkipField(&in, tag)) {
      return false;
    }
  }
  if (!in.ConsumedEntireMessage())
    return false;
  count_node(graph, static_cast<int>(std::min<std::uint32_t>(type, 1000)), static_cast<double>(duration), bytes,
             collective, operations, group, on_cpu);
  node.type = static_cast<int>(std::min<std::uint32_t>(type, 1000));
  node.duration_us = static_cast<double>(duration);
  node.group = group;
  graph.list.push_back(std::move(node));
  return true;
}

/// Messages, each behind its length: the first is the metadata, the others are nodes. Gives what could be read, and
/// where it is cut off.
ChakraGraph read_et(const std::string& text, std::string& fault)
{
  ChakraGraph graph;
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

} // namespace
} // namespace trainyard

void trainyard_read_chakra(const std::string& text, std::string& fault, trainyard::ChakraGraph& result)
{
  result = trainyard::read_et(text, fault);
}
