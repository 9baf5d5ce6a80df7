// SPDX-License-Identifier: Apache-2.0
#include "models/core/loaded_part.hpp"
#include "models/core/text.hpp"
#include "models/import/chakra_reader.hpp"
#include "models/import/chakra_replay.hpp"
#include "models/import/importer.hpp"
#include "models/import/json_member.hpp"
#include "models/import/work_summary.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>

namespace trainyard {
namespace {

/// Kinds of collectives of the schema (CollectiveCommType).
std::string collective_name(int type)
{
  constexpr const char* names[] = {"all-reduce", "reduce",         "all-gather",
                                   "gather",     "scatter",        "broadcast",
                                   "all-to-all", "reduce-scatter", "reduce-scatter of blocks",
                                   "barrier"};
  return type >= 0 && static_cast<std::size_t>(type) < std::size(names) ? names[type] : fmt::format("kind {}", type);
}

/// The rank of "trace.12.et"; @p otherwise where the name has no number there.
int rank_of(const std::string& name, int otherwise)
{
  const std::size_t end = name.rfind('.');
  const std::size_t begin = end == std::string::npos || end == 0 ? end : name.rfind('.', end - 1);
  return begin == std::string::npos ? otherwise
                                    : as_number<int>(name.substr(begin + 1, end - begin - 1)).value_or(otherwise);
}

/// Whether stages send to each other, ranks are in several groups, or collectives do more than add gradients up.
bool divided(const std::map<int, ChakraGraph>& ranks)
{
  return ranks.size() > 1 && std::ranges::any_of(ranks, [](const auto& rank) {
           return rank.second.messages > 0 || rank.second.groups.size() > 1 || rank.second.other_bytes > 0;
         });
}

/// Whether every message and collective says how long it took; a message's end may say nothing.
bool all_timed(const std::map<int, ChakraGraph>& ranks)
{
  return std::ranges::all_of(ranks, [](const auto& rank) {
    return std::ranges::all_of(rank.second.list, [](const ChakraNode& node) {
      return (node.type != comm_coll && node.type != comm_send) || node.duration_us > 0;
    });
  });
}

bool is_json(std::string_view text)
{
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
}

/// One JSON value after the other, as chakra_jsonizer writes them, as a list; lines stay as they are.
std::string as_one_list(const std::string& text)
{
  std::string list = "[";
  int depth = 0;
  bool quoted = false, any = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      quoted = !quoted;
    else if (c == '\\' && quoted && i + 1 < text.size())
      list += text[i++];
    else if (!quoted && (c == '{' || c == '[') && depth++ == 0)
      list += std::exchange(any, true) ? "," : "";
    else if (!quoted && (c == '}' || c == ']'))
      --depth;
    list += text[i];
  }
  return list + "]";
}

using Names = std::initializer_list<const char*>;
constexpr Names type_names{"type", "NodeType", "node_type"};

/// The first member of these names, or the value of an attribute ({"name": "comm_size", "int64_val": "8"}).
const Json* value_in(const Json& node, Names names)
{
  for (const char* name : names)
    if (const Json* found = node.find(name); found != nullptr)
      return found;
  if (const Json* attributes = node.find("attr"); attributes != nullptr)
    for (const Json& one : attributes->items)
      if (const Json* name = one.find("name"); name != nullptr && std::ranges::find(names, name->string) != names.end())
        for (const auto& [key, value] : one.members)
          if (key != "name" && !key.starts_with("doc"))
            return &value;
  return nullptr;
}

/// A number, also one in quotes, as protobuf's JSON has those of 64 bit; true, or the name of a type of nodes.
std::optional<double> number_in(const Json& value)
{
  constexpr std::array types{"INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
                             "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
  if (value.kind == Json::Kind::number || value.kind == Json::Kind::boolean)
    return value.flag ? 1 : value.value;
  const auto* const type = std::ranges::find(types, value.string);
  return type == types.end() ? as_number<double>(value.string)
                             : std::optional{1.0 * static_cast<double>(type - types.begin())};
}

double bounded(double value, double most)
{
  return value >= 0 ? std::min(value, most) : 0; // also of no number
}

/// The names of attributes that nothing is made of.
void note_attributes(const Json& node, ChakraGraph& graph)
{
  static constexpr std::array<std::string_view, 8> read{"comm_size", "comm_type", "num_ops",  "pg_name",
                                                        "comm_src",  "comm_dst",  "comm_tag", "is_cpu_op"};
  if (const Json* attributes = node.find("attr"); attributes != nullptr)
    for (const Json& one : attributes->items)
      if (const Json* name = one.find("name");
          name != nullptr && graph.attributes.size() < 50 && std::ranges::find(read, name->string) == read.end())
        graph.attributes.insert(name->string.substr(0, 60));
}

/// Execution traces of MLCommons Chakra: protobuf (.et), and the JSON that its converters write.
class Chakra final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    if (is_json(head)) // PyTorch's own traces of execution have nodes of another kind
      return file.has("\"workload_graph\"") ||
             (!file.has("[pytorch|") && (file.has("\"COMP_NODE\"") || file.has("\"COMM_COLL_NODE\"") ||
                                         ((file.has("\"data_deps\"") || file.has("\"dataDeps\"")) &&
                                          (file.has("\"type\"") || file.has("\"NodeType\"")))));
    // a short message whose first field is a text that begins like a version: 0x0a, length, "0.0.4"
    return head.size() > 6 && static_cast<unsigned char>(head[0]) < 0x80 && head[1] == 0x0a &&
           static_cast<unsigned char>(head[2]) < 20 && head[3] >= '0' && head[3] <= '9' && head[4] == '.';
  }
  std::string description() const override { return "Chakra execution trace"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    ++ranks_;
    const std::string text = file.text();
    ChakraGraph graph;
    if (is_json(text)) {
      graph = from_json(text, file, context);
    } else {
#if TRAINYARD_PROTOBUF
      std::string fault;
      static const auto reader = part_function<decltype(trainyard_read_chakra)>("import", "trainyard_read_chakra");
      reader(text, fault, graph);
      if (!fault.empty())
        context.report.error({file.name(), 0}, fault);
      if (graph.version != "0.0.4" && fault.empty())
        context.report.warning({file.name(), 0}, "schema {} is not 0.0.4; it is read as 0.0.4, by field numbers",
                               graph.version);
      context.report.understood("schema " + graph.version, {file.name(), 0});
#else
      throw InputError{fmt::format("'{}': this program was built without libprotobuf-dev, which execution traces need",
                                   file.name())};
#endif
    }
    context.report.understood(
        {file.name(), 0}, "{}: {} of computing, {}, {}{}", counted(graph.nodes, "node"), graph.compute,
        counted(graph.collectives, "collective"), counted(graph.messages, "message"),
        graph.all_reduce_bytes > 0 ? fmt::format(", {:.0f} bytes of all-reduce", graph.all_reduce_bytes) : "");
    for (const auto& [group, kinds] : graph.groups)
      for (const auto& [kind, sum] : kinds)
        context.report.understood({file.name(), 0}, "process group {}: {} x {}, {:.4g} MB", clean_text(group),
                                  sum.first, collective_name(kind), sum.second / 1e6);
    if (graph.cpu > 0)
      context.report.ignored({"{:.6g} ms of {} on the CPU", graph.cpu_us / 1e3, counted(graph.cpu, "operator")},
                             "they run beside the GPU, whose computing counts", {file.name(), 0});
    for (const std::string& name : graph.attributes)
      context.report.ignored("attribute " + name, "not modelled", {file.name(), 0});
    if (graph.other_bytes > 0)
      other_bytes_.emplace_back(file.name(), graph.other_bytes);
    if (graph.nodes == 0)
      context.report.error({file.name(), 0}, "the trace has no nodes");
    kept_ += graph.list.size();
    if (graph.nodes > largest_.nodes || largest_.nodes == 0) {
      largest_ = graph;
      largest_.list.clear();
      file_ = file.name();
    }
    if (kept_ <= most_kept)
      by_rank_[rank_of(file.name(), ranks_ - 1)] = std::move(graph);
    else
      by_rank_.clear();
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
    const bool replay = divided(by_rank_) && all_timed(by_rank_);
    if (const std::optional<double> step = replay ? replayed_us(by_rank_) : std::nullopt) {
      context.report.understood({file_, 0}, "{} by their durations and dependencies: a step of {:.6g} ms",
                                counted(ranks_, "rank"), *step / 1e3);
      work.compute_s = *step * 1e-6;
      work.all_reduce_bytes = 0;
      add_work(work, context);
      context.report.assumed("messages take the time that the trace gives them",
                             "the model is divided among the ranks: they are part of the step, and meet no other job");
      return;
    }
    if (replay)
      context.report.assumed("messages between ranks are left out",
                             "the traces of some ranks are missing, or do not match");
    for (const auto& [file, bytes] : other_bytes_)
      context.report.ignored({"{:.0f} bytes of other operations", bytes}, "only all-reduce becomes part of the job",
                             {file, 0});
    add_work(work, context);
    context.report.assumed("dependencies are those of a training step",
                           "the job exchanges gradients while it computes; the trace may differ");
  }

private:
  static void read_node(const Json& node, ChakraGraph& graph, const InputFile& file, ImportContext& context)
  {
    const auto number = [&](Names names, double most) {
      const Json* value = value_in(node, names);
      const std::optional<double> read = value == nullptr ? 0 : number_in(*value);
      if (!read)
        context.report.error_at_column({file.name(), value->line}, value->column,
                                       fmt::format("'{}' must be a number", *names.begin()));
      return bounded(read.value_or(0), most);
    };
    const Json *group = value_in(node, {"pg_name"}), *partner = value_in(node, {"comm_src"}),
               *to = value_in(node, {"comm_dst"});
    ChakraNode made{.id = static_cast<std::uint64_t>(number({"id", "Id"}, 1e18))};
    made.type = static_cast<int>(number(type_names, 1000));
    made.duration_us = number({"duration_micros", "durationMicros", "runtime", "duration"}, 1e15);
    made.group = group == nullptr ? "" : group->string.substr(0, 60);
    made.from = partner == nullptr ? -1 : static_cast<int>(number({"comm_src"}, 1e9));
    made.to = to == nullptr ? -1 : static_cast<int>(number({"comm_dst"}, 1e9));
    made.tag = static_cast<std::int64_t>(number({"comm_tag"}, 1e15));
    for (const char* name : {"ctrl_deps", "ctrlDeps", "data_deps", "dataDeps"})
      if (const Json* before = node.find(name); before != nullptr)
        for (const Json& one : before->items)
          made.after.push_back(static_cast<std::uint64_t>(bounded(number_in(one).value_or(0), 1e18)));
    count_node(graph, made.type, made.duration_us, number({"comm_size"}, 1e18),
               static_cast<int>(number({"comm_type"}, 1000)), number({"num_ops"}, 1e30), made.group,
               number({"is_cpu_op"}, 1) > 0);
    note_attributes(node, graph);
    graph.list.push_back(std::move(made));
  }

  ChakraGraph from_json(const std::string& text, const InputFile& file, ImportContext& context) const
  {
    ChakraGraph graph;
    const Json json = parse_json(as_one_list(text), file.name());
    for (const Json& part : json.items) {
      const Json* nodes = part.kind == Json::Kind::array ? &part : nullptr;
      for (const char* name : {"workload_graph", "nodes", "workload"})
        nodes = nodes == nullptr ? member_of(part, name, Json::Kind::array, file.name(), context.report) : nodes;
      if (nodes == nullptr && value_in(part, type_names) != nullptr) {
        read_node(part, graph, file, context);
        continue;
      }
      if (nodes != nullptr)
        read_nodes(*nodes, graph, file, context);
      for (const auto& [key, member] : part.members)
        if (&member != nodes)
          read_head(key, member, graph, file, context);
    }
    return graph;
  }

  static void read_nodes(const Json& nodes, ChakraGraph& graph, const InputFile& file, ImportContext& context)
  {
    for (const Json& node : nodes.items)
      if (value_in(node, type_names) == nullptr)
        context.report.ignored("a node without a type", "its kind of work is unknown", {file.name(), node.line});
      else
        read_node(node, graph, file, context);
    if (std::ranges::any_of(nodes.items, [](const Json& node) { return node.find("Id") != nullptr; }))
      context.report.understood("keys that the schema spells differently (Id, ctrlDeps)", {file.name(), nodes.line});
  }

  /// What stands beside the nodes.
  void read_head(const std::string& key, const Json& member, ChakraGraph& graph, const InputFile& file,
                 ImportContext& context) const
  {
    const ImportPlace place{file.name(), member.line};
    if (key == "ngpus" && member.kind == Json::Kind::number) {
      ranks_from_file_ = static_cast<int>(bounded(member.value, 1e5));
      context.report.understood(counted(ranks_from_file_, "GPU") + " (ngpus)", place);
    } else if (key == "version" || key == "schema") {
      graph.version = clean_text(member.string).substr(0, 60);
      context.report.understood("schema " + graph.version, place);
    } else {
      context.report.ignored(key, "not modelled", place);
    }
  }

  static constexpr std::size_t most_kept = 10'000'000; // nodes; some 2 GB

  mutable int ranks_ = 0;
  mutable std::size_t kept_ = 0;
  mutable std::map<int, ChakraGraph> by_rank_;
  mutable std::vector<std::pair<std::string, double>> other_bytes_; // by file: of collectives that are no all-reduce
  mutable int ranks_from_file_ = 0;
  mutable ChakraGraph largest_;
  mutable std::string file_;
};

TY_REGISTER(Importer, Chakra, "chakra",
            "Chakra execution traces (.et, JSON): computing time, bytes of collectives, one file per rank");

} // namespace
} // namespace trainyard
