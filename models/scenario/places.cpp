// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/places.hpp"

#include "models/dnn/builder.hpp"
#include "models/parallel/layout.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

constexpr const char* library_of_divided = "nccl"; // transformers divided among GPUs use no other

constexpr Sentence<std::string, Message> at_point{"check.at_point", "at point {point}: {what}"};
constexpr Sentence<> to_the_end{"idle.to_the_end", "such runs always go to the end"};
constexpr Sentence<> no_queue{"idle.no_queue", "the scenario has no queue ('scheduling')"};
constexpr Sentence<std::string> other_memory{"idle.other_memory", "the memory policy is '{policy}', not 'fraction'"};
constexpr Sentence<> no_distribution{"idle.no_distribution", "give a 'distribution'"};
constexpr Sentence<> no_variation{"idle.no_variation", "the 'coefficient_of_variation' is 0"};
constexpr Sentence<std::string> mode_ignores{"idle.mode_ignores", "mode {mode} does not look at it"};
constexpr Sentence<std::string> no_tokens{"idle.no_tokens", "'{model}' has no sequences of tokens"};
constexpr Sentence<std::string> fixed_size{"idle.fixed_size", "the size of '{model}' is fixed"};
constexpr Sentence<> synthetic{"idle.synthetic", "the samples are synthetic; say 'source: disk' or 'source: storage'"};
constexpr Sentence<> no_input{"idle.no_input",
                              "neither a 'bandwidth' that reads the samples nor a time to preprocess them is given"};
constexpr Sentence<> no_bandwidth{"idle.no_bandwidth", "the 'bandwidth' that reads them is not given"};
constexpr Sentence<> no_bytes{"idle.no_bytes", "the 'bytes_per_sample' that are read are not given"};
constexpr Sentence<> no_cores{
    "idle.no_cores", "no job preprocesses samples on them (input: preprocess_per_sample), and there is no queue"};
constexpr Sentence<> no_cpu_job{"idle.no_cpu_job",
                                "no job computes on CPUs (training: device: cpu), and there is no queue"};
constexpr Sentence<> only_servers{"idle.only_servers", "the CPU time of transports counts for parameter servers only"};
constexpr Sentence<std::string> unused_transport{"idle.unused_transport",
                                                 "transport '{name}' has no effect: no job uses it"};
constexpr Sentence<std::string, std::string> no_windows{
    "idle.no_windows", "at fidelity {fidelity} windows of TCP do not decide shares here: {why}"};
constexpr Sentence<std::string> no_queues{
    "idle.no_queues", "at fidelity {fidelity} links have no queues and always their bandwidth; use fidelity tcp"};
constexpr Sentence<> alone_in_queues{"idle.alone_in_queues",
                                     "one worker that stands for all meets no others in queues, and loses nothing to "
                                     "them; leave out 'one_represents_all' at fidelity tcp"};
constexpr Sentence<> no_burst{"idle.no_burst", "give a 'burst'"};
constexpr Sentence<std::string, std::string> over_rdma{
    "idle.over_rdma", "messages of '{names}' go over RDMA, which has no windows and loses nothing: they share links "
                      "equally, and so does TCP where it meets them. Over sockets, write {sockets}"};

constexpr Sentence<std::string> only_with{"idle.only_with", "it needs {what}"};

/// Of one that says what waits: why its connections do not share links by their windows at fidelity flow, and the way
/// out.
std::string why_no_windows(const Scenario& scenario)
{
  const auto ask_tcp = [](const std::string& reason) { return reason + "; use fidelity tcp"; };
  const std::string& control = scenario.cluster.network.tcp.congestion_control;
  if (control != "cubic" && control != "reno")
    return ask_tcp(fmt::format("those of {} are not known", control));
  if (!scenario.cluster.network.tcp.queue_told)
    return ask_tcp("no 'queue' is given");
  for (const char* part : {"workload", "services", "task_environment"})
    if (scenario.sections.contains(part))
      return ask_tcp(fmt::format("'{}' uses the machines", part));
  if (scenario.jobs.empty())
    return ask_tcp("there is no training job");
  for (const JobSpec& job : scenario.jobs) {
    const Settings& settings = job.training.settings;
    const std::string rule = settings.text("update_rule", "sync");
    const std::string transport = settings.text("transport", "grpc");
    const auto found = scenario.transports.find(transport);
    const std::string has = fmt::format("job '{}' has ", job.name);
    if (job.training.mode != "parameter_server" && job.training.mode != "in_graph")
      return ask_tcp(has + fmt::format("mode {}, not parameter_server or in_graph", job.training.mode));
    if (rule != "sync" && rule != "sync_replicas")
      return ask_tcp(has + fmt::format("update_rule {}, not sync or sync_replicas", rule));
    if (rule != "sync" && settings.integer("backup_workers", 0) > 0)
      return ask_tcp(has + "update_rule sync_replicas with backup_workers");
    if (settings.text("dense_gradients", "servers") != "servers")
      return ask_tcp(has + "dense_gradients by all_reduce");
    if (found != scenario.transports.end() && found->second.settings.flag("rdma", false))
      return has +
             fmt::format(
                 "transport {0}, over RDMA, which has none; over sockets, write transports: {{{0}: {{rdma: false}}}}",
                 transport);
    if (settings.text("one_represents_all", "auto") == "yes")
      return has + "one worker that stands for all; leave out 'one_represents_all'";
  }
  return {};
}

class Idle
{
public:
  Idle(const Document& document, const Scenario& scenario, const std::string& fidelity)
      : document_{document}, scenario_{scenario}, fidelity_{fidelity}
  {
  }

  std::vector<Diagnostic> find()
  {
    // Services and task environments are simulated for a given time, and queues may be.
    const bool watched = scenario_.sections.contains("services") || scenario_.sections.contains("task_environment") ||
                         scenario_.sections.contains("workload");
    if (!watched) {
      warn("run.until", to_the_end());
    }
    for (const auto& [key, entry] : Registry<ScenarioSection>::instance().entries())
      queue_ = queue_ || scenario_.sections.contains(key);
    for (const JobSpec& spec : scenario_.jobs)
      job(spec);
    tcp();
    rdma();
    if (!queue_)
      machines();
    transports();
    return diagnostics_.sorted();
  }

private:
  void warn(const std::string& path, const Message& reason)
  {
    const std::size_t dot = path.rfind('.');
    const DocumentNode* map = find_path(document_.root, std::string_view{path}.substr(0, dot));
    if (map == nullptr)
      return;
    for (const DocumentNode::Entry& entry : map->entries)
      if (entry.key == path.substr(dot + 1))
        document_.warning(diagnostics_, entry, no_effect(entry.key, reason));
  }

  std::string fidelity_of_run() const
  {
    return scenario_.run.fidelity == fidelity_ ? fidelity_ : fmt::format("{} ({})", scenario_.run.fidelity, fidelity_);
  }

  void tcp()
  {
    const TcpSpec& spec = scenario_.cluster.network.tcp;
    const bool has_it = fidelity_ == "tcp", may_have_windows = fidelity_ == "flow";
    const std::string why_not = may_have_windows ? why_no_windows(scenario_) : std::string{};
    for (const std::string_view key : {"congestion_control", "queue", "queue_packets", "burst", "burst_bandwidth"}) {
      const bool of_windows = may_have_windows && !key.starts_with("burst");
      if (has_it || (of_windows && why_not.empty()))
        continue;
      warn(fmt::format("cluster.network.{}", key),
           of_windows ? no_windows(fidelity_of_run(), why_not) : no_queues(fidelity_of_run()));
    }
    if (has_it)
      for (const JobSpec& job : scenario_.jobs)
        if (job.training.settings.text("one_represents_all", "auto") == "yes")
          diagnostics_.warning({.path = job.path + ".training.one_represents_all"}, alone_in_queues());
    if (has_it && spec.burst == Bytes{})
      warn("cluster.network.burst_bandwidth", no_burst());
  }

  /// What goes over RDMA has no part in the rules of TCP.
  void rdma()
  {
    std::set<std::string> names = transports_between_machines();
    std::erase_if(names, [&](const std::string& name) {
      const auto found = scenario_.transports.find(name);
      return found == scenario_.transports.end() || !found->second.settings.flag("rdma", false);
    });
    int machines = 0;
    for (const NodeGroupSpec& group : scenario_.cluster.nodes)
      machines += group.count;
    if (fidelity_ != "tcp" || machines < 2 || names.empty())
      return;
    std::string sockets;
    for (const std::string& name : names)
      sockets += fmt::format("{}{}: {{rdma: false}}", sockets.empty() ? "" : ", ", name);
    diagnostics_.warning({.path = "run.fidelity"},
                         over_rdma(fmt::format("{}", fmt::join(names, "' and '")), "transports: {" + sockets + "}"));
  }

  /// Of all that trains: jobs, also those that a queue has as models, divided transformers and graphs.
  std::set<std::string> transports_between_machines() const
  {
    std::set<std::string> names;
    for (const JobSpec& job : scenario_.jobs) {
      names.insert(job.training.parallel != nullptr ? library_of_divided : job.training.transport);
      if (job.training.settings.text("dense_gradients", "servers") == "all_reduce")
        names.insert(job.training.settings.text("dense_transport", library_of_divided));
    }
    if (const DocumentNode* graph = find_path(document_.root, "graph.transport"); graph != nullptr)
      names.insert(graph->text);
    return names;
  }

  void job(const JobSpec& job)
  {
    const std::string& path = job.path;
    if (!queue_)
      for (const char* key : {".priority", ".user", ".team"})
        warn(path + key, no_queue());
    if (job.memory_policy != "fraction")
      warn(path + ".memory_fraction", other_memory(job.memory_policy));
    if (job.jitter.distribution == "none")
      warn(path + ".jitter.coefficient_of_variation", no_distribution());
    else if (job.jitter.coefficient_of_variation == 0)
      warn(path + ".jitter.distribution", no_variation());
    model(job, path);
    input(job, path);
    if (job.training.parallel != nullptr)
      layout(*job.training.parallel, path + ".training.parallel.");
    // Modes that say themselves what a step computes.
    std::vector<const char*> unused;
    if (job.training.mode == "generic")
      unused = {".accumulation_steps", ".input"};
    else if (job.training.mode == "one_collective")
      unused = {".accumulation_steps", ".input", ".stragglers", ".jitter"};
    for (const char* key : unused)
      warn(path + key, mode_ignores(job.training.mode));
  }

  /// What says how something is done that the layout does not do.
  void layout(const ParallelLayout& l, const std::string& path)
  {
    const std::tuple<const char*, bool, const char*> idle[] = {
        {"flat_parameters", l.flat_parameters && l.zero < 2, "zero: 3"},
        {"prefetch_weights", !l.prefetch_weights && l.zero < 3, "zero: 3"},
        {"overlap_tensor", l.overlap_tensor && l.tp == 1, "tp > 1"},
        {"ring_merge", l.ring_of_pytorch() && l.cp == 1, "cp > 1"},
        {"low_precision_output", l.low_precision_output && !l.low_precision(), "precision fp8, mxfp8 or nvfp4"},
        {"scaling", l.scaling != "delayed" && l.precision != "fp8", "precision fp8"},
        {"overlap_experts", l.overlap_experts && l.ep == 1, "ep > 1"},
        {"early_stop", l.early_stop && l.recomputation != Recomputation::full, "recomputation: full"}};
    for (const auto& [key, in_vain, needed] : idle)
      if (in_vain)
        warn(path + key, only_with(needed));
  }

  /// What a network takes: with one value and with another it is not the same.
  struct Takes {
    std::optional<bool> tokens, elements; // nothing: nobody has asked
  };

  /// Options that the network does not take.
  void model(const JobSpec& job, const std::string& path)
  {
    if (job.model_refused || !job.layers.empty())
      return;
    Takes own;
    Takes& takes = job.transformer == nullptr ? takes_[job.model] : own;
    const auto network = [&](int tokens, double elements) -> std::optional<Dnn> {
      if (job.transformer == nullptr && Registry<DnnSource>::instance().find(job.model) == nullptr)
        return {}; // a file: its sizes are its own
      return build_dnn(job.model, {tokens, elements, job.transformer.get()});
    };
    if (find_path(document_.root, path + ".model.sequence_length") != nullptr) {
      if (!takes.tokens) {
        const auto brief = network(64, 0), prolonged = network(128, 0);
        takes.tokens = brief && prolonged && brief->forward_flop() != prolonged->forward_flop();
      }
      if (!*takes.tokens)
        warn(path + ".model.sequence_length", no_tokens(job.model));
    }
    if (find_path(document_.root, path + ".model.elements") != nullptr) {
      if (!takes.elements) {
        const auto small = network(0, 1e4), large = network(0, 1e6);
        takes.elements = small && large && small->parameter_elements() != large->parameter_elements();
      }
      if (!*takes.elements)
        warn(path + ".model.elements", fixed_size(job.model));
    }
  }

  void input(const JobSpec& job, const std::string& path)
  {
    if (job.input.source == "synthetic")
      for (const char* key : {"bytes_per_sample", "bandwidth", "preprocess_per_sample", "cpu_cores", "prefetch_steps"})
        warn(path + ".input." + key, synthetic());
    else if (job.input.bandwidth.value() <= 0 && job.input.preprocess_per_sample.value() <= 0)
      warn(path + ".input.source", no_input());
    else if (job.input.bandwidth.value() <= 0)
      warn(path + ".input.bytes_per_sample", no_bandwidth());
    else if (job.input.bytes_per_sample.value() <= 0)
      warn(path + ".input.bandwidth", no_bytes());
  }

  /// A process of parameter servers moves no more than the cores of its machine can.
  bool cores_limit_servers(const JobSpec& job) const
  {
    const auto transport = scenario_.transports.find(job.training.transport);
    return job.training.settings.number("servers", 0) > 0 && !job.training.settings.has("server_rate") &&
           transport != scenario_.transports.end() && transport->second.cpu_per_byte > SecondsPerByte{};
  }

  /// Its servers hold tables of rows in the memory of their machines.
  static bool keeps_tables(const JobSpec& job)
  {
    if (job.training.settings.number("servers", 0) <= 0 || job.model_refused)
      return false;
    try {
      return build_dnn(job.model, {.transformer = job.transformer.get(), .layers = job.layers}).sparse();
    } catch (const std::invalid_argument&) {
      return false; // told elsewhere
    }
  }

  /// Properties of machines that affect only some kinds of jobs.
  void machines()
  {
    const auto any = [&](const auto& feels) { return std::ranges::any_of(scenario_.jobs, feels); };
    const auto on_cpu = [](const JobSpec& job) { return job.training.settings.text("device", "gpu") == "cpu"; };
    const auto offloads = [](const JobSpec& job) {
      return job.training.parallel != nullptr && job.training.parallel->offload_optimizer;
    };
    const bool cpu = any(on_cpu);
    const bool cores = any([this](const JobSpec& job) {
      const bool prepares = job.input.source != "synthetic" && job.input.preprocess_per_sample.value() > 0;
      return (prepares && job.input.cpu_cores == 0) || cores_limit_servers(job);
    });
    for (const auto& [name, type] : scenario_.cluster.node_types) {
      const std::string path = "cluster.node_types." + name + ".";
      if (!cores)
        warn(path + "cpu_cores", no_cores());
      for (const char* key : {"memory", "cpu", "cpu_rate"})
        if (const bool memory = key == std::string{"memory"};
            !cpu &&
            !(memory && (any(offloads) || (find_path(document_.root, path + key) != nullptr && any(keeps_tables)))))
          warn(path + key, no_cpu_job());
    }
  }

  bool has_servers() const
  {
    return std::ranges::any_of(scenario_.jobs, [](const JobSpec& job) { return job.training.settings.has("servers"); });
  }

  void transports()
  {
    const DocumentNode* node = find_path(document_.root, "transports");
    if (node == nullptr || node->kind != DocumentNode::Kind::map || queue_)
      return;
    std::set<std::string> said = transports_between_machines();
    words(document_.root, said);
    scenario_.defaults.each([&](const FilledDefault& filled) { said.insert(filled.value); });
    for (const DocumentNode::Entry& entry : node->entries) {
      if (!said.contains(entry.key))
        document_.warning(diagnostics_, entry, unused_transport(entry.key));
      if (!has_servers())
        warn("transports." + entry.key + ".cpu_time_per_GB", only_servers());
    }
  }

  static void words(const DocumentNode& node, std::set<std::string>& said)
  {
    said.insert(node.text);
    for (const DocumentNode& item : node.items)
      words(item, said);
    for (const DocumentNode::Entry& entry : node.entries)
      words(entry.value, said);
  }

  const Document& document_;
  const Scenario& scenario_;
  const std::string& fidelity_;
  bool queue_ = false;
  std::map<std::string, Takes> takes_; // by model, of jobs that give no transformer
  Diagnostics diagnostics_;
};

} // namespace

Location location_of(const Document& document, std::string_view path)
{
  for (;;) {
    if (const DocumentNode* node = find_path(document.root, path); node != nullptr && node->line > 0)
      return document.at(*node);
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos)
      return {document.file, 0, 0};
    path = path.substr(0, dot);
  }
}

Diagnostic located(Diagnostic fault, const Document& document, const std::string& point)
{
  if (fault.where.file.empty())
    fault.where.file = document.file;
  if (fault.where.line == 0) {
    // Most points of a sweep have the same machines and failures: what is wrong with them is told once, without a
    // point.
    if (!point.empty() && !fault.where.path.starts_with("cluster") && !fault.where.path.starts_with("faults"))
      fault.message = "at point " + point + ": " + fault.message,
      fault.said = fault.said.empty() ? Message{} : at_point(point, fault.said);
    if (!fault.where.path.empty())
      fault.where = location_of(document, fault.where.path);
  }
  if (fault.source_line.empty())
    fault.source_line = document.line_text(fault.where.line);
  return fault;
}

std::vector<Diagnostic> without_effect(const Document& document, const Scenario& scenario, const std::string& fidelity)
{
  return Idle{document, scenario, fidelity}.find();
}

bool shares_by_windows(const Scenario& scenario)
{
  return scenario.cluster.network.tcp.queue_told && why_no_windows(scenario).empty();
}

} // namespace trainyard
