// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/read_scenario.hpp"

#include "models/core/data_folder.hpp"
#include "models/core/quantity_text.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/read_hardware.hpp"
#include "models/scenario/section.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace trainyard {
namespace {

class Reader
{
public:
  Reader(const Document& document, const Parts& parts, const Catalogue& catalogue, Diagnostics& diagnostics)
      : document_{document}, parts_{parts}, catalogue_{catalogue}, diagnostics_{diagnostics}
  {
  }

  Scenario read()
  {
    scenario_.file = document_.file;
    MapReader top{document_, &document_.root, "the scenario", diagnostics_};
    if (document_.root.kind != DocumentNode::Kind::map && !diagnostics_.has_errors())
      diagnostics_.error({document_.file, 0, 0},
                         "the file contains no scenario; `simrun list scenarios` shows examples to start from");
    top.integer("trainyard", 1, 1, 1);
    scenario_.name = top.text("name", std::filesystem::path{document_.file}.stem().string());
    scenario_.description = top.text("question", "");
    if (const std::string era = top.choice("era", "", catalogue_.era_names()); catalogue_.eras.contains(era))
      catalogue_.use_era(era);
    read_calibration(top);
    scenario_.transports = catalogue_.transports;
    read_transports(top);
    const int errors_before_cluster = diagnostics_.errors();
    read_cluster(top);
    const bool cluster_is_sound = diagnostics_.errors() == errors_before_cluster;
    read_framework();
    for (const DocumentNode* job : top.list("jobs"))
      read_job(*job, static_cast<int>(scenario_.jobs.size()));
    read_run(top);
    top.node("sweep"); // checked by expand_sweep
    bool work = !scenario_.jobs.empty();
    for (const auto& [key, entry] : Registry<ScenarioSection>::instance().entries())
      if (const DocumentNode* node = top.node(key); node != nullptr) {
        const std::unique_ptr<ScenarioSection> section = entry.create({});
        scenario_.sections[key] = section->read({document_, *node, parts_, catalogue_, scenario_, diagnostics_});
        work = work || section->brings_work();
      }
    if (!work)
      top.error("jobs", "the scenario has no jobs");
    top.finish();
    if (cluster_is_sound)
      check_names();
    for (const AbsurdDefault& absurd : absurd_defaults(scenario_, catalogue_))
      if (const DocumentNode* node = find_path(document_.root, absurd.path); node != nullptr)
        warn_at(*node, absurd.message);
    check_calibration();
    return std::move(scenario_);
  }

private:
  MapReader map(const DocumentNode* node, const std::string& what) { return {document_, node, what, diagnostics_}; }

  void warn_at(const DocumentNode& node, std::string message)
  {
    diagnostics_.warning(document_.at(node), std::move(message), document_.line_text(node.line));
  }

  /// `calibration: box.json`: a file that simcal wrote, beside the scenario, in the working folder, or among the
  /// shipped ones.
  void read_calibration(MapReader& top)
  {
    const std::string name = top.text("calibration", "");
    if (name.empty())
      return;
    const DocumentNode* node = find_path(document_.root, "calibration");
    std::error_code error;
    std::filesystem::path file;
    for (const std::filesystem::path& folder : {std::filesystem::path{document_.file}.parent_path(),
                                                std::filesystem::path{}, data_folder() / "results" / "calibration"})
      if (file.empty() && std::filesystem::is_regular_file(folder / name, error))
        file = folder / name;
    if (file.empty()) {
      top.error(
          "calibration",
          fmt::format(
              "there is no calibration file '{}' in the folder of the scenario or in the working folder; simcal --out "
              "writes one",
              name));
      return;
    }
    try {
      const Profile profile = read_profile(file);
      CalibrationUse use{profile.name, profile.created, profile.provenance, applicable_constants(profile, catalogue_),
                         doubts(profile, utc_now())};
      for (const AppliedConstant& constant : use.applied)
        set_constant(constant, constant.value.value, catalogue_.transports, catalogue_.gpus);
      for (const std::string& doubt : use.doubts)
        warn_at(*node, fmt::format("calibration '{}': {}", profile.name, doubt));
      calibrated_gpus_ = measured_gpus(profile);
      profile_ = profile;
      scenario_.calibration = std::move(use);
    } catch (const InputError& fault) {
      for (const Diagnostic& diagnostic : fault.diagnostics())
        diagnostics_.add(diagnostic);
    } catch (const std::exception& fault) {
      top.error("calibration", fault.what());
    }
  }

  /// A calibration of other GPUs than the nodes have is a mistake; constants that the file itself overrides no longer
  /// count as calibrated.
  void check_calibration()
  {
    if (!scenario_.calibration)
      return;
    std::set<std::string> used;
    for (const auto& [name, type] : scenario_.cluster.node_types)
      if (!type.gpu.empty())
        used.insert(type.gpu);
    const bool matches =
        std::ranges::any_of(calibrated_gpus_, [&](const std::string& gpu) { return used.contains(gpu); });
    if (!calibrated_gpus_.empty() && !used.empty() && !matches) {
      const DocumentNode* node = find_path(document_.root, "calibration");
      document_.error(diagnostics_, *node,
                      fmt::format("calibration '{}' is for {}, the nodes have {}; calibrate a machine with these GPUs, "
                                  "or remove the calibration",
                                  scenario_.calibration->name, fmt::join(calibrated_gpus_, ", "),
                                  fmt::join(used, ", ")));
    }
    std::vector<AppliedConstant>& applied = scenario_.calibration->applied;
    std::erase_if(applied, [&](const AppliedConstant& constant) {
      const double now = current_value(constant, scenario_.transports, catalogue_.gpus);
      return std::abs(now / constant.value.value - 1) > 1e-9 ||
             (constant.of == AppliedConstant::Of::gpu && !used.contains(constant.owner));
    });
    const OpenConstants open = open_constants(*profile_, scenario_, server_modes());
    for (const OpenConstant& constant : open)
      set_constant(constant, constant.value.value, scenario_);
    scenario_.sections["calibration"] = open;
    const DocumentNode* node = find_path(document_.root, "calibration");
    if (applied.empty() && open.empty()) {
      warn_at(*node,
              fmt::format("calibration '{}' has no effect: this scenario uses none of its constants", profile_->name));
      return;
    }
    if (const std::vector<std::string> idle = constants_without_effect(*profile_, scenario_, applied, open);
        !idle.empty())
      diagnostics_.note(
          document_.at(*node),
          fmt::format("calibration '{}': no effect in this scenario: {}", profile_->name, fmt::join(idle, ", ")),
          document_.line_text(node->line));
  }

  /// Training modes whose servers add gradients up and update variables.
  std::vector<std::string> server_modes() const
  {
    std::vector<std::string> modes;
    if (const auto found = parts_.find("training"); found != parts_.end())
      for (const Part& part : found->second)
        if (std::ranges::any_of(part.parameters,
                                [](const Parameter& parameter) { return parameter.name == "update_bandwidth"; }))
          modes.push_back(part.name);
    return modes;
  }

  void filled(const std::string& path, const std::string& value, const std::string& source = {})
  {
    scenario_.defaults.push_back({path, value, source.empty() ? "reader" : source});
  }

  std::vector<std::string> names(const std::string& kind) const
  {
    std::vector<std::string> result;
    if (const auto found = parts_.find(kind); found != parts_.end())
      for (const Part& part : found->second)
        result.push_back(part.name);
    return result;
  }

  const Part* find(const std::string& kind, const std::string& name) const
  {
    if (const auto found = parts_.find(kind); found != parts_.end())
      for (const Part& part : found->second)
        if (part.name == name)
          return &part;
    return nullptr;
  }

  void read_transports(MapReader& top)
  {
    MapReader transports = map(top.node("transports"), "'transports'");
    for (const DocumentNode::Entry& entry : transports.entries()) {
      const auto base = catalogue_.transports.find(entry.key);
      Transport start = base == catalogue_.transports.end() ? Transport{} : base->second;
      start.name = entry.key;
      MapReader reader = map(&entry.value, "transport '" + entry.key + "'");
      if (const std::string like = reader.text("like", ""); !like.empty()) {
        if (const auto model = catalogue_.transports.find(like); model != catalogue_.transports.end()) {
          start = model->second;
          start.name = entry.key;
        } else {
          reader.error("like",
                       fmt::format("unknown transport '{}'{}", like, did_you_mean(like, catalogue_.transport_names())));
        }
      } else if (base == catalogue_.transports.end()) {
        document_.error(
            diagnostics_, entry,
            fmt::format("transport '{}' is not in the catalogue{}; for a new one write 'like: <known transport>'",
                        entry.key, did_you_mean(entry.key, catalogue_.transport_names())));
      }
      scenario_.transports[entry.key] = read_transport(document_, reader, diagnostics_, start);
      reader.finish();
    }
  }

  /// Reads settings by the parameters of a part; @p other parameters are known elsewhere, so that writing them is a
  /// warning, not an error.
  Settings read_settings(MapReader& reader, const DocumentNode* node, const std::vector<Parameter>& parameters,
                         const std::vector<Parameter>& other, const std::string& owner, const std::string& path)
  {
    Settings settings;
    std::set<std::string> own;
    for (const Parameter& parameter : parameters) {
      own.insert(parameter.name);
      if (!reader.has(parameter.name)) {
        if (!parameter.default_value.empty())
          filled(path + "." + parameter.name, parameter.default_value,
                 parameter.source.empty() ? owner : parameter.source);
        continue;
      }
      read_parameter(reader, parameter, settings);
    }
    for (const Parameter& parameter : other) {
      if (own.contains(parameter.name) || node == nullptr || node->kind != DocumentNode::Kind::map)
        continue;
      for (const DocumentNode::Entry& entry : node->entries)
        if (entry.key == parameter.name) {
          reader.has(entry.key);
          document_.warning(diagnostics_, entry, fmt::format("'{}' has no effect with {}", entry.key, owner));
        }
    }
    return settings;
  }

  void read_parameter(MapReader& reader, const Parameter& parameter, Settings& settings)
  {
    const std::string& key = parameter.name;
    const auto in_range = [&](double value) {
      if (value >= parameter.minimum && value <= parameter.maximum)
        return true;
      reader.error(key, fmt::format("'{}' is out of its range {} to {}", key, parameter.minimum, parameter.maximum));
      return false;
    };
    const std::map<std::string, QuantityKind> quantities{
        {"duration", QuantityKind::duration}, {"bytes", QuantityKind::bytes}, {"bandwidth", QuantityKind::bandwidth}};
    if (const auto kind = quantities.find(parameter.kind); kind != quantities.end()) {
      if (const double value = reader.quantity(key, kind->second, 0); in_range(value))
        settings.set(key, value);
    } else if (parameter.kind == "integer") {
      const double low = std::max(parameter.minimum, -1e9), high = std::min(parameter.maximum, 1e9);
      settings.set(key, static_cast<double>(reader.integer(key, static_cast<int>(std::max(low, 0.0)),
                                                           static_cast<int>(low), static_cast<int>(high))));
    } else if (parameter.kind == "boolean") {
      settings.set(key, reader.flag(key, false) ? 1.0 : 0.0);
    } else if (parameter.kind == "name") {
      std::vector<std::string> choices = parameter.choices;
      if (parts_.contains(key))
        choices = names(key);
      if (key == "transport" || key.ends_with("_transport"))
        choices = transport_names();
      settings.set(key, choices.empty() ? reader.text(key, "") : reader.choice(key, choices.front(), choices));
    } else {
      settings.set(key, reader.number(key, 0, parameter.minimum, parameter.maximum));
    }
  }

  std::vector<std::string> transport_names() const
  {
    std::vector<std::string> result;
    for (const auto& [name, transport] : scenario_.transports)
      result.push_back(name);
    return result;
  }

  void read_cluster(MapReader& top)
  {
    const DocumentNode* node = top.node("cluster");
    const DocumentNode* workload = top.node("workload");
    if (node == nullptr &&
        (workload == nullptr || workload->find("machines") == nullptr)) // a file of machines stands for it
      top.error("cluster", "the scenario has no cluster");
    MapReader cluster = map(node, "'cluster'");
    MapReader types = map(cluster.node("node_types"), "'node_types'");
    for (const DocumentNode::Entry& entry : types.entries())
      read_node_type(entry);
    for (const DocumentNode* item : cluster.list("nodes")) {
      MapReader group = map(item, "a node group");
      NodeGroupSpec spec;
      spec.name = group.required_text("name");
      spec.type = group.required_text("type");
      spec.count = group.integer("count", 1, 1, 1'000'000);
      spec.per_rack = group.integer("per_rack", 0, 1, 1'000'000);
      if (!spec.type.empty() && !scenario_.cluster.node_types.contains(spec.type)) {
        std::vector<std::string> known;
        for (const auto& [name, type] : scenario_.cluster.node_types)
          known.push_back(name);
        group.error("type", fmt::format("unknown node type '{}'{}", spec.type, did_you_mean(spec.type, known)));
      }
      for (const NodeGroupSpec& earlier : scenario_.cluster.nodes)
        if (earlier.name == spec.name && !spec.name.empty())
          group.error("name", fmt::format("two node groups have the name '{}'", spec.name));
      group.finish();
      scenario_.cluster.nodes.push_back(spec);
    }
    if (node != nullptr && scenario_.cluster.nodes.empty())
      cluster.error("nodes", "the cluster has no nodes");
    read_network(cluster);
    cluster.finish();
  }

  void read_node_type(const DocumentNode::Entry& entry)
  {
    MapReader reader = map(&entry.value, "node type '" + entry.key + "'");
    NodeTypeSpec type;
    type.name = entry.key;
    type.gpu = reader.text("gpu", "");
    if (!type.gpu.empty() && !catalogue_.gpus.contains(type.gpu))
      reader.error("gpu", fmt::format("unknown GPU '{}'{}", type.gpu, did_you_mean(type.gpu, catalogue_.gpu_names())));
    type.gpus = reader.integer("gpus", type.gpu.empty() ? 0 : 1, 0, most_gpus_of_a_node);
    if (type.gpus > 0 && type.gpu.empty())
      reader.error("gpus", "name the GPU, for example gpu: V100-SXM2-16GB; `simrun list gpus` shows all");
    const auto known = catalogue_.gpus.find(type.gpu);
    const Board board = known == catalogue_.gpus.end() ? Board{} : known->second.board;
    const std::string path = "cluster.node_types." + entry.key, source = "machines with " + type.gpu;
    const std::string fallback = type.gpus == 0 ? "host_only"
                                 : type.gpus == 1 || board.intra.empty() ||
                                         (board.gpus > 0 && type.gpus > board.gpus && board.intra != "nvswitch")
                                     ? "pcie_tree"
                                     : board.intra;
    type.intra = reader.choice("intra", fallback, names("node_layout"));
    if (!reader.has("intra"))
      filled(path + ".intra", fallback, board.intra.empty() ? "" : source);
    if (const Part* layout = find("node_layout", type.intra); layout != nullptr)
      type.intra_settings = read_intra(reader, entry.value, *layout, board, path, source);
    // A part of the machine has its part of what the machine has.
    const auto share_of = [&](int whole, int otherwise) {
      return whole == 0 || type.gpus == 0
                 ? otherwise
                 : std::max(1, board.gpus > type.gpus ? whole * type.gpus / board.gpus : whole);
    };
    type.nics = reader.integer("nics", share_of(board.nics, 1), 1, most_gpus_of_a_node);
    if (const DocumentNode* nics = entry.value.find("nics"); nics != nullptr && type.gpus > 0 && type.nics > type.gpus)
      warn_at(
          *nics,
          fmt::format(
              "a GPU sends by one network card, so {} of the {} carry nothing of its collectives; for cards that a GPU "
              "uses together write 'nics: {}' and their sum as 'nic_bandwidth'",
              type.nics - type.gpus, type.nics, type.gpus));
    if (reader.has("nic_bandwidth"))
      type.nic_bandwidth = BytesPerSecond{reader.quantity("nic_bandwidth", QuantityKind::bandwidth, 1, 1)};
    type.cpu_cores = reader.integer("cpu_cores", share_of(board.cpu_cores, 16), 1, 100'000);
    for (const auto& [key, value] : {std::pair{"nics", type.nics}, std::pair{"cpu_cores", type.cpu_cores}})
      if (!reader.has(key))
        filled(path + "." + key, std::to_string(value), board.gpus > 0 ? source : "");
    type.cpu = reader.text("cpu", "");
    if (!type.cpu.empty() && !catalogue_.cpus.contains(type.cpu))
      reader.error("cpu", fmt::format("unknown CPU '{}'{}", type.cpu, did_you_mean(type.cpu, catalogue_.cpu_names())));
    if (reader.has("cpu_rate"))
      type.cpu_rate = FlopsPerSecond{reader.quantity("cpu_rate", QuantityKind::flops_rate, 0, 1)};
    const double memory = board.memory.value() <= 0 || type.gpus == 0 ? 64e9
                          : board.gpus > type.gpus                    ? board.memory.value() * type.gpus / board.gpus
                                                                      : board.memory.value();
    type.memory = Bytes{reader.quantity("memory", QuantityKind::bytes, memory, 1)};
    if (!reader.has("memory"))
      filled(path + ".memory", to_text(memory, QuantityKind::bytes), board.memory.value() > 0 ? source : "");
    if (reader.has("price"))
      type.price = DollarsPerHour{reader.quantity("price", QuantityKind::money_rate, 0)};
    reader.finish();
    scenario_.cluster.node_types[entry.key] = type;
  }

  /// Settings of the wiring inside a machine; what the file does not say is that of the GPU's own board.
  Settings read_intra(MapReader& reader, const DocumentNode& node, const Part& layout, const Board& board,
                      const std::string& path, const std::string& source)
  {
    std::vector<Parameter> parameters = layout.parameters;
    std::map<std::string, Parameter*> of_board;
    for (Parameter& parameter : parameters) {
      std::string value;
      if (parameter.name == "generation" && board.nvlink_generation > 0)
        value = std::to_string(board.nvlink_generation);
      if (parameter.name == "links_per_gpu" && board.nvlinks > 0 && node.find("generation") == nullptr)
        value = std::to_string(board.nvlinks);
      if (parameter.name == "pcie" && !board.pcie.empty() && node.find("generation") == nullptr)
        value = board.pcie;
      if (value.empty() || node.find(parameter.name) != nullptr)
        continue;
      parameter.default_value = value;
      parameter.source = source;
      of_board[parameter.name] = &parameter;
    }
    Settings settings = read_settings(reader, &node, parameters, {}, "node layout " + layout.name, path);
    for (const auto& [name, parameter] : of_board)
      if (parameter->kind == "integer")
        settings.set(name, std::stod(parameter->default_value));
      else
        settings.set(name, parameter->default_value);
    return settings;
  }

  void read_network(MapReader& cluster)
  {
    NetworkSpec& network = scenario_.cluster.network;
    const DocumentNode* node = cluster.node("network");
    MapReader reader = map(node, "'network'");
    network.topology = reader.choice("topology", "star", names("network_layout"));
    network.link = reader.text("link", "");
    if (!network.link.empty() && !catalogue_.links.contains(network.link))
      reader.error("link", fmt::format("unknown link '{}'{}", network.link,
                                       did_you_mean(network.link, catalogue_.link_names())));
    network.bandwidth = BytesPerSecond{reader.quantity("bandwidth", QuantityKind::bandwidth, 0, 1)};
    network.latency = Seconds{reader.quantity("latency", QuantityKind::duration, 0)};
    if (network.link.empty() && network.bandwidth.value() == 0) {
      network.link = "10GbE";
      std::string source;
      for (const auto& [name, type] : scenario_.cluster.node_types)
        if (const auto gpu = catalogue_.gpus.find(type.gpu);
            gpu != catalogue_.gpus.end() && !gpu->second.board.nic.empty() && type.gpus > 0) {
          network.link = gpu->second.board.nic;
          source = "machines with " + type.gpu;
          break;
        }
      filled("cluster.network.link", network.link, source);
    }
    if (const Part* layout = find("network_layout", network.topology); layout != nullptr) {
      std::vector<Parameter> other;
      for (const Part& part : parts_.at("network_layout"))
        other.insert(other.end(), part.parameters.begin(), part.parameters.end());
      network.settings =
          read_settings(reader, node, layout->parameters, other, "topology " + network.topology, "cluster.network");
      const auto link = catalogue_.links.find(network.link);
      for (FilledDefault& entry : scenario_.defaults)
        if (entry.path == "cluster.network.routing") // auto, which the kind of link decides
          entry.value = link != catalogue_.links.end() && link->second.kind == "infiniband" ? "adaptive" : "hashed";
    }
    for (const std::string& name : reader.texts("switches"))
      network.switches.push_back(name);
    for (const DocumentNode* item : reader.list("wires")) {
      MapReader wire = map(item, "a wire");
      WireSpec spec;
      spec.from = wire.required_text("from");
      spec.to = wire.required_text("to");
      spec.link = wire.text("link", "");
      spec.bandwidth = BytesPerSecond{wire.quantity("bandwidth", QuantityKind::bandwidth, 0, 1)};
      spec.latency = Seconds{wire.quantity("latency", QuantityKind::duration, 0)};
      spec.count = wire.integer("count", 1, 1, 1000);
      wire.finish();
      network.wires.push_back(spec);
    }
    reader.finish();
  }

  /// The framework, before the jobs whose defaults depend on it; the section itself is read with the others.
  void read_framework()
  {
    const auto said = [&](const char* path) {
      const DocumentNode* node = find_path(document_.root, path);
      return node != nullptr && node->kind == DocumentNode::Kind::scalar ? node->text : std::string{};
    };
    for (const NodeGroupSpec& group : scenario_.cluster.nodes)
      if (const auto type = scenario_.cluster.node_types.find(group.type);
          type != scenario_.cluster.node_types.end() && !type->second.gpu.empty() &&
          std::ranges::find(gpus_, type->second.gpu) == gpus_.end())
        gpus_.push_back(type->second.gpu);
    framework_ = assume_framework(
        catalogue_,
        {said("framework.name"), said("framework.version"), said("framework.cuda_graphs") == "true", said("era")},
        gpus_);
  }

  /// Defaults that depend on the framework: no effect on operations of a library, on steps that are stated, and on
  /// CPUs.
  void read_framework_defaults(MapReader& reader, const DocumentNode& node, const std::string& path, JobSpec& job)
  {
    const auto said = [&](const char* key, const std::string& fallback) {
      const DocumentNode* found = find_path(node, key);
      return found != nullptr && found->kind == DocumentNode::Kind::scalar ? found->text : fallback;
    };
    const std::string mode = said("training.mode", "all_reduce");
    const bool trains = mode != "one_collective" && mode != "generic" && job.model != "generic" &&
                        job.model != "one_tensor" && said("training.device", "gpu") == "gpu";
    const std::string precision = trains ? default_precision(framework_, catalogue_, gpus_) : "fp32";
    job.precision = reader.choice("precision", precision, {"fp32", "tf32", "amp", "fp16", "bf16"});
    const std::string source = fmt::format("{} ({})", framework_.framework.name, framework_.why);
    if (!reader.has("precision"))
      filled(path + ".precision", precision, trains ? source : std::string{});
    const Seconds host = framework_.cuda_graphs ? Seconds{} : framework_.framework.host_per_operator;
    job.host_per_operator = Seconds{reader.quantity("host_per_operator", QuantityKind::duration, host.value())};
    if (!trains || gpus_.empty())
      return;
    if (!reader.has("host_per_operator") && !reader.has("single_gpu_step")) {
      filled(path + ".host_per_operator", to_text(host), source);
      name_framework();
    } else if (!reader.has("precision")) {
      name_framework();
    }
  }

  /// Once, if a job depends on it and the scenario does not name it.
  void name_framework()
  {
    if (!framework_.said &&
        std::ranges::find(scenario_.defaults, "framework", &FilledDefault::path) == scenario_.defaults.end())
      filled("framework", framework_.framework.description, framework_.why);
  }

  void read_job(const DocumentNode& node, int index)
  {
    const std::string path = "jobs." + std::to_string(index);
    MapReader reader = map(&node, "job " + std::to_string(index));
    JobSpec job;
    job.path = path;
    job.name = reader.text("name", "job-" + std::to_string(index));
    job.user = reader.text("user", "");
    job.team = reader.text("team", "");
    job.copies = reader.integer("copies", 1, 1, 1'000'000);
    read_model(reader, job);
    read_framework_defaults(reader, node, path, job);
    job.batch_per_gpu = reader.integer("batch_per_gpu", 32, 1, 1'000'000);
    job.workers = reader.integer("workers", 1, 1, 1'000'000);
    if (!reader.has("batch_per_gpu"))
      filled(path + ".batch_per_gpu", std::to_string(job.batch_per_gpu));
    job.accumulation_steps = reader.integer("accumulation_steps", 1, 1, 1'000'000);
    job.optimizer = reader.choice("optimizer", "sgd_momentum", {"sgd", "sgd_momentum", "adam"});
    if (reader.has("single_gpu_step"))
      job.single_gpu_step = Seconds{reader.quantity("single_gpu_step", QuantityKind::duration, 1, 1e-9)};
    job.arrival = Seconds{reader.quantity("arrival", QuantityKind::duration, 0)};
    job.steps = reader.number("steps", 100, 1, 1e12);
    job.priority = reader.number("priority", 0);
    job.memory_policy = reader.choice("memory_policy", "all", {"all", "allow_growth", "fraction"});
    job.memory_fraction = reader.number("memory_fraction", 1, 0.01, 1);
    job.nodes = reader.texts("nodes");
    read_variation(reader, job);
    read_training(reader, job, path);
    reader.finish();
    for (const JobSpec& earlier : scenario_.jobs)
      if (earlier.name == job.name)
        reader.error("name", fmt::format("two jobs have the name '{}'", job.name));
    scenario_.jobs.push_back(job);
  }

  void read_model(MapReader& reader, JobSpec& job)
  {
    const DocumentNode* node = reader.node("model");
    const std::vector<std::string> known = names("model");
    if (node != nullptr && node->kind == DocumentNode::Kind::map) {
      MapReader model = map(node, "'model'");
      job.model = model.choice("name", "resnet50", known);
      job.sequence_length = model.integer("sequence_length", 0, 1, 1'000'000);
      job.model_elements = model.number("elements", 0, 1, 1e13);
      model.finish();
      return;
    }
    if (node == nullptr)
      reader.error("model", fmt::format("job '{}' needs 'model'; `simrun list models` shows all", job.name));
    if (node != nullptr && node->kind == DocumentNode::Kind::scalar && is_dnn_file(node->text)) {
      job.model = model_file(reader, node->text);
      return;
    }
    job.model = reader.choice("model", "resnet50", known);
  }

  /// A network in a file, in the folder of the scenario or in the working folder.
  std::string model_file(MapReader& reader, const std::string& name)
  {
    std::error_code error;
    for (const std::filesystem::path& folder :
         {std::filesystem::path{document_.file}.parent_path(), std::filesystem::path{}})
      if (std::filesystem::is_regular_file(folder / name, error))
        return (folder / name).string();
    reader.error("model",
                 fmt::format("there is no file '{}' in the folder of the scenario or in the working folder", name));
    return "resnet50";
  }

  void read_variation(MapReader& reader, JobSpec& job)
  {
    for (const DocumentNode* item : reader.list("stragglers")) {
      MapReader straggler = map(item, "a straggler");
      StragglerSpec spec;
      spec.worker = straggler.required_integer("worker", 0);
      spec.slow_down = straggler.number("slow_down", 1, 0.01, 1e6);
      straggler.finish();
      if (spec.worker >= job.workers)
        straggler.error("worker", fmt::format("the job has workers 0 to {}", job.workers - 1));
      job.stragglers.push_back(spec);
    }
    MapReader jitter = map(reader.node("jitter"), "'jitter'");
    job.jitter.distribution =
        jitter.choice("distribution", "none", {"none", "normal", "log_normal", "gamma", "exponential_tail"});
    job.jitter.coefficient_of_variation = jitter.number("coefficient_of_variation", 0, 0, 10);
    jitter.finish();
    MapReader input = map(reader.node("input"), "'input'");
    job.input.source = input.choice("source", "synthetic", {"synthetic", "disk", "storage"});
    job.input.bytes_per_sample = Bytes{input.quantity("bytes_per_sample", QuantityKind::bytes, 0)};
    job.input.bandwidth = BytesPerSecond{input.quantity("bandwidth", QuantityKind::bandwidth, 0)};
    job.input.preprocess_per_sample = Seconds{input.quantity("preprocess_per_sample", QuantityKind::duration, 0)};
    job.input.cpu_cores = input.integer("cpu_cores", 0, 0, 100'000);
    job.input.prefetch_steps = input.integer("prefetch_steps", 1, 0, 1000);
    input.finish();
  }

  void read_training(MapReader& reader, JobSpec& job, const std::string& path)
  {
    const DocumentNode* node = reader.node("training");
    MapReader training = map(node, "'training' of job '" + job.name + "'");
    if (node == nullptr)
      filled(path + ".training.mode", "all_reduce");
    job.training.mode = training.choice("mode", "all_reduce", names("training"));
    const Part* mode = find("training", job.training.mode);
    if (mode == nullptr)
      return;
    std::vector<Parameter> parameters = mode->parameters;
    std::vector<Parameter> other;
    for (const Part& part : parts_.at("training"))
      other.insert(other.end(), part.parameters.begin(), part.parameters.end());
    // A setting that names a registered sub-policy brings that policy's parameters along.
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto kind = parts_.find(parameters[i].name);
      if (parameters[i].kind != "name" || kind == parts_.end())
        continue;
      const std::string chosen = node != nullptr && node->find(kind->first) != nullptr ? node->find(kind->first)->text
                                                                                       : parameters[i].default_value;
      for (const Part& part : kind->second) {
        other.insert(other.end(), part.parameters.begin(), part.parameters.end());
        if (part.name == chosen)
          parameters.insert(parameters.end(), part.parameters.begin(), part.parameters.end());
      }
    }
    std::erase_if(other, [](const Parameter& parameter) { return parameter.name == "device"; }); // every mode has it
    if (node != nullptr && node->find("shared_host_slow_down") != nullptr && training.has("shared_host_slow_down"))
      training.error(
          "shared_host_slow_down",
          "'shared_host_slow_down' meant two things: for parameter servers write 'shared_host_factor' (1.07: computing "
          "takes 1.07 "
          "times as long), for all_reduce 'slow_down_per_neighbour' (0.07: 7 % more for each further GPU of the node)");
    std::string owner = "mode " + job.training.mode;
    job.training.settings = read_settings(training, node, parameters, other, owner, path + ".training");
    const auto transport = std::ranges::find(mode->parameters, "transport", &Parameter::name);
    job.training.transport =
        job.training.settings.text("transport", transport == mode->parameters.end() ? "" : transport->default_value);
    for (const std::string common : {"device", "server_placement"}) {
      if (!training.has(common))
        continue;
      job.training.settings.set(common, common == "device"
                                            ? training.choice(common, "gpu", {"gpu", "cpu"})
                                            : training.choice(common, "auto", {"auto", "dedicated", "colocated"}));
    }
    training.finish();
  }

  void read_run(MapReader& top)
  {
    MapReader run = map(top.node("run"), "'run'");
    scenario_.run.seed = static_cast<std::uint64_t>(run.integer("seed", 1, 0));
    scenario_.cluster.network.hash_seed = scenario_.run.seed;
    scenario_.run.fidelity = run.choice("fidelity", "flow", names("executor"));
    if (!run.has("fidelity"))
      filled("run.fidelity", "flow");
    scenario_.run.replicas = run.integer("replicas", 1, 1, 100'000);
    scenario_.run.confidence = run.number("confidence", 0.95, 0.5, 0.999);
    scenario_.run.until = Seconds{run.quantity("until", QuantityKind::duration, 0)};
    scenario_.run.warm_up_steps = run.integer("warm_up_steps", 1, 1, 1000);
    run.finish();
  }

  void check_names()
  {
    int gpus = 0;
    for (const NodeGroupSpec& group : scenario_.cluster.nodes)
      if (const auto type = scenario_.cluster.node_types.find(group.type); type != scenario_.cluster.node_types.end())
        gpus += group.count * type->second.gpus;
    for (std::size_t i = 0; i < scenario_.jobs.size(); ++i) {
      const JobSpec& job = scenario_.jobs[i];
      const DocumentNode* node = find_path(document_.root, "jobs." + std::to_string(i) + ".workers");
      if (node == nullptr)
        node = find_path(document_.root, "jobs." + std::to_string(i));
      if (job.workers > gpus && job.training.settings.text("device", "gpu") == "gpu" && node != nullptr &&
          !scenario_.cluster.nodes.empty())
        document_.error(diagnostics_, *node,
                        fmt::format("job '{}' needs {} GPUs, the cluster has {}; add nodes or lower 'workers'",
                                    job.name, job.workers, gpus));
    }
  }

  const Document& document_;
  const Parts& parts_;
  Catalogue catalogue_; // with the operations of the scenario's era
  Diagnostics& diagnostics_;
  Scenario scenario_;
  std::vector<std::string> calibrated_gpus_;
  std::vector<std::string> gpus_; // of the machines, each once
  AssumedFramework framework_;
  std::optional<Profile> profile_; // the calibration, where one was read
};

} // namespace

Scenario read_scenario(const Document& document, const Parts& parts, const Catalogue& catalogue,
                       Diagnostics& diagnostics)
{
  return Reader{document, parts, catalogue, diagnostics}.read();
}

} // namespace trainyard
