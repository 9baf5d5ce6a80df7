// SPDX-License-Identifier: Apache-2.0
// Execution traces of MLCommons Chakra: a file for each rank, trace.RANK.et, with one protobuf message behind its
// length for the metadata and for each node (schema/protobuf/et_def.proto, version 0.0.4); and comm_group.json, which
// gives ASTRA-sim the ranks of the groups that nodes name.
#include "models/scenario/calibrated.hpp"
#include "sim/export/exporter.hpp"
#include "sim/export/rank_trace.hpp"
#include "sim/sources/parallel/parallel_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <memory>

namespace trainyard {
namespace {

/// Nodes of all ranks; at about 100 B each the folder stays below 3 GB.
constexpr double most_nodes = 30e6;

/// The two wire types of protobuf that the schema needs.
class ProtoMessage
{
public:
  ProtoMessage& number(int field, std::uint64_t value)
  {
    varint(bytes_, static_cast<std::uint64_t>(field) << 3U);
    varint(bytes_, value);
    return *this;
  }
  ProtoMessage& text(int field, std::string_view value)
  {
    varint(bytes_, static_cast<std::uint64_t>(field) << 3U | 2U);
    varint(bytes_, value.size());
    bytes_ += value;
    return *this;
  }
  /// An attribute of a node (its field 10): @p kind is the field of AttributeProto that holds the value.
  ProtoMessage& attribute(std::string_view name, int kind, std::uint64_t value)
  {
    return text(10, ProtoMessage{}.text(1, name).number(kind, value).bytes_);
  }
  ProtoMessage& attribute(std::string_view name, std::string_view value)
  {
    return text(10, ProtoMessage{}.text(1, name).text(string_value, value).bytes_);
  }
  /// As it stands in the file.
  std::string with_length() const
  {
    std::string all;
    varint(all, bytes_.size());
    return all + bytes_;
  }

  enum Value { int32_value = 7, int64_value = 9, uint64_value = 13, bool_value = 27, string_value = 29 };

private:
  static void varint(std::string& to, std::uint64_t value)
  {
    for (; value > 0x7f; value >>= 7U)
      to += static_cast<char>(0x80U | (value & 0x7fU));
    to += static_cast<char>(value);
  }

  std::string bytes_;
};

/// The first divided job of a scenario.
const JobSpec& divided_job(const ExportInput& input)
{
  if (input.scenario != nullptr)
    for (const JobSpec& job : input.scenario->jobs)
      if (job.training.parallel != nullptr)
        return job;
  throw InputError{"chakra needs a scenario with a divided transformer (training: {parallel: …}); its tasks become the "
                   "nodes of the trace"};
}

/// Groups of a job: their numbers, from 1, and for each rank the group of each kind that it is in.
struct Groups {
  std::vector<std::vector<int>> ranks;
  std::map<std::pair<TraceGroup, int>, std::size_t> number; // by kind and rank

  explicit Groups(const ParallelLayout& layout)
  {
    using enum TraceGroup;
    for (const TraceGroup kind : {tensor, context, expert, data, copies, expert_data, expert_copies, ends}) {
      if ((kind == expert || kind == expert_data || kind == expert_copies) && layout.ep == 1)
        continue;
      for (std::vector<int>& group : ranks_of_groups(layout, kind)) {
        for (const int rank : group)
          number[{kind, rank}] = ranks.size() + 1;
        ranks.push_back(std::move(group));
      }
    }
  }

  std::string json() const
  {
    std::string text = "{";
    for (std::size_t i = 0; i < ranks.size(); ++i)
      text += fmt::format("{}\n  \"{}\": [{}]", i == 0 ? "" : ",", i + 1, fmt::join(ranks[i], ", "));
    return text + "\n}\n";
  }
};

/// One rank's file. Durations are whole microseconds: what is cut off is added to the next one.
std::string trace_text(const std::vector<TraceNode>& nodes, const ParallelLayout& layout, const Groups& groups, int pp,
                       int copy, int tp)
{
  const int rank = global_rank(layout, pp, copy, tp);
  std::string text = ProtoMessage{}.text(1, "0.0.4").with_length();
  double left_over = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const TraceNode& node = nodes[i];
    using enum TraceNode::Kind;
    const bool computes = node.kind == compute, coll = node.kind == collective;
    const double exact = node.time.value() * 1e6 + (computes || coll ? left_over : 0);
    const double whole = std::max(0.0, std::round(exact));
    if (computes || coll)
      left_over = exact - whole;
    const int type = computes ? 4 : node.kind == send ? 5 : node.kind == receive ? 6 : 7; // NodeType
    ProtoMessage message;
    message.number(1, i + 1).text(2, node.name).number(3, static_cast<std::uint64_t>(type));
    for (const std::uint32_t before : node.after)
      message.number(5, before + 1); // data_deps
    message.number(7, static_cast<std::uint64_t>(whole)).attribute("is_cpu_op", ProtoMessage::bool_value, 0);
    const auto bytes = static_cast<std::uint64_t>(std::llround(node.bytes.value()));
    const auto rank_of = [&](int stage) { return static_cast<std::uint64_t>(global_rank(layout, stage, copy, tp)); };
    if (computes) {
      message
          .attribute("num_ops", ProtoMessage::int64_value,
                     std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(node.flop.value()))))
          .attribute("tensor_size", ProtoMessage::uint64_value, bytes);
    } else if (coll) {
      message.attribute("comm_type", ProtoMessage::int64_value, static_cast<std::uint64_t>(node.collective))
          .attribute("comm_size", ProtoMessage::int64_value, bytes)
          .attribute("pg_name", std::to_string(groups.number.at({node.group, rank})));
    } else {
      const bool sends = node.kind == send;
      message.attribute("comm_size", ProtoMessage::int64_value, bytes)
          .attribute("comm_src", ProtoMessage::int32_value,
                     sends ? static_cast<std::uint64_t>(rank) : rank_of(node.peer))
          .attribute("comm_dst", ProtoMessage::int32_value,
                     sends ? rank_of(node.peer) : static_cast<std::uint64_t>(rank))
          .attribute("comm_tag", ProtoMessage::int32_value, static_cast<std::uint64_t>(node.tag));
    }
    text += message.with_length();
  }
  return text;
}

class ChakraTraces final : public Exporter
{
public:
  ExportText write(const ExportInput& input) const override
  {
    const JobSpec& spec = divided_job(input);
    Diagnostics faults;
    const auto job = std::make_shared<const ParallelJob>(
        parallel_job(*input.scenario, spec, calibrated(input.catalogue, *input.scenario), faults));
    faults.throw_if_errors();
    const ParallelLayout& layout = job->layout;
    const auto groups = std::make_shared<const Groups>(layout);
    using Nodes = std::vector<TraceNode>;
    ExportText made;
    double nodes = 0;
    for (int pp = 0; pp < layout.pp; ++pp) {
      const auto of_stage = std::make_shared<const Nodes>(rank_trace(*job, pp));
      nodes += static_cast<double>(of_stage->size()) * layout.replicas() * layout.tp;
      if (nodes > most_nodes)
        throw InputError{fmt::format("the traces of {} ranks have more than {:.0f} million nodes: export fewer "
                                     "replicas (dp), micro-batches (global_batch) or layers",
                                     layout.gpus(), most_nodes / 1e6)};
      for (int copy = 0; copy < layout.replicas(); ++copy)
        for (int tp = 0; tp < layout.tp; ++tp)
          made.files.push_back(
              {fmt::format("trace.{}.et", global_rank(layout, pp, copy, tp)), [job, groups, of_stage, pp, copy, tp] {
                 return trace_text(*of_stage, job->layout, *groups, pp, copy, tp);
               }});
    }
    made.files.push_back({"comm_group.json", [groups] { return groups->json(); }});
    made.text = fmt::format("{}: {} ranks, {:.0f} nodes, {} process groups\n", spec.name, layout.gpus(), nodes,
                            groups->ranks.size());
    made.notes.emplace_back("slower computing where messages run beside it: it is part of the durations");
    if (layout.vp > 1 && layout.replicas() > 1)
      made.notes.emplace_back(
          "the closed form's one stretch for all gradients of a rank: those of a chunk travel as soon as it is done");
    return made;
  }
};

TY_REGISTER(Exporter, ChakraTraces, "chakra",
            "Chakra execution traces of a divided job: computing, collectives and messages of every rank");

} // namespace
} // namespace trainyard
