// SPDX-License-Identifier: Apache-2.0
#include "models/core/loaded_part.hpp"
#include "models/core/text.hpp"
#include "models/import/chakra_reader.hpp"
#include "models/import/chakra_replay.hpp"
#include "models/import/importer.hpp"
#include "models/import/json_member.hpp"
#include "models/import/work_summary.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>

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

/// Execution traces of MLCommons Chakra: protobuf (.et), and the JSON that its converter writes.
class Chakra final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    if (file.has("\"workload_graph\""))
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
    ChakraGraph graph;
    if (text.find("\"workload_graph\"") != std::string::npos) {
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
  static bool on_cpu(const Json& node)
  {
    const Json* said = node.find("is_cpu_op");
    return said != nullptr && (said->flag || said->value != 0);
  }

  ChakraGraph from_json(const std::string& text, const InputFile& file, ImportContext& context) const
  {
    ChakraGraph graph;
    const Json json = parse_json(text, file.name());
    // keys are written in several ways
    const auto any_of = [&](const Json& object, std::initializer_list<const char*> names,
                            Json::Kind kind = Json::Kind::number) -> const Json* {
      for (const char* name : names)
        if (object.find(name) != nullptr)
          return member_of(object, name, kind, file.name(), context.report);
      return nullptr;
    };
    const Json* nodes = any_of(json, {"workload_graph"}, Json::Kind::array);
    bool odd = false;
    if (nodes != nullptr)
      for (const Json& node : nodes->items) {
        const Json* type = any_of(node, {"type", "NodeType", "node_type"});
        const Json* duration = any_of(node, {"duration_micros", "runtime", "duration"});
        const Json* bytes = any_of(node, {"comm_size"});
        const Json* collective = any_of(node, {"comm_type"});
        const Json* group = any_of(node, {"pg_name"}, Json::Kind::text);
        odd = odd || node.find("Id") != nullptr || node.find("ctrlDeps") != nullptr;
        if (type == nullptr) {
          context.report.ignored("a node without a type", "its kind of work is unknown", {file.name(), node.line});
          continue;
        }
        count_node(graph, static_cast<int>(std::clamp(type->value, 0.0, 1000.0)),
                   duration == nullptr ? 0 : std::clamp(duration->value, 0.0, 1e15),
                   bytes == nullptr ? 0 : std::clamp(bytes->value, 0.0, 1e18),
                   collective == nullptr ? 0 : static_cast<int>(std::clamp(collective->value, 0.0, 1000.0)), 0,
                   group == nullptr ? "" : group->string.substr(0, 60), on_cpu(node));
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
