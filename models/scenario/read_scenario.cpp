// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/read_scenario.hpp"

#include "models/core/data_folder.hpp"
#include "models/core/quantity_text.hpp"
#include "models/cost/convolution_share.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/catalogue_files.hpp"
#include "models/scenario/reading.hpp"
#include "models/scenario/section.hpp"
#include "models/scenario/short_forms.hpp"
#include "models/scenario/sweep_space.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>

namespace trainyard {
namespace {

constexpr Sentence<std::string, Message> in_doubt{"calibration.in_doubt", "calibration '{name}': {doubt}"};
constexpr Sentence<std::string> unused_calibration{
    "calibration.unused", "calibration '{name}' has no effect: this scenario uses none of its constants"};

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
    scenario_.name = std::filesystem::path{document_.file}.stem().string();
    Fields top{parts_, catalogue_, document_, &document_.root, "the scenario", diagnostics_};
    if (document_.root.kind != DocumentNode::Kind::map && !diagnostics_.has_errors())
      diagnostics_.error({document_.file, 0, 0},
                         "the file contains no scenario; `simrun list scenarios` shows examples to start from");
    fields(top, scenario_, this);
    top.finish();
    if (cluster_is_sound_)
      check_names();
    for (const AbsurdDefault& absurd : absurd_defaults(scenario_, catalogue_))
      if (const DocumentNode* node = find_path(document_.root, absurd.path); node != nullptr)
        reading_.warn(*node, absurd.message);
    check_calibration();
    check_rates();
    return std::move(scenario_);
  }

  /// Keys of the whole file, in the order in which they are read; @p reader: null while the schema is written.
  static void fields(Fields& keys, Scenario& scenario, Reader* reader)
  {
    Reading* const reading = reader == nullptr ? nullptr : &reader->reading_;
    int version = 1;
    keys.integer("trainyard", version, "version of this format", {.least = 1, .most = 1, .otherwise = "1"});
    keys.text("name", scenario.name, "name of the scenario", {.otherwise = "that of the file"});
    keys.text("question", scenario.description, "question that the scenario answers");
    std::string answer; // sim/study/answer.hpp reads it
    keys.text("answer", answer,
              "sentence that answers it, with figures in braces: 'the ring takes {step_time at ring}'; also {lowest "
              "MEASURE}, {highest MEASURE}, {A / B}, {A - B}");
    std::string era;
    keys.choice("era", era, keys.catalogue().era_names(),
                "year: what each transport supports, and the framework if 'framework' names none",
                {.otherwise = "the newest for transports; for the framework that of the GPUs"});
    if (reader != nullptr && keys.catalogue().eras.contains(era))
      reader->catalogue_.use_era(era);
    std::string calibration;
    keys.text("calibration", calibration,
              "calibration file written by simcal; its measured constants replace those of the catalogue");
    std::string rates;
    keys.text(
        "measured_rates", rates,
        "file of simcal rates: measured rates of products, attention and all-reduce replace those of the catalogue");
    if (reader != nullptr) {
      reader->read_calibration(keys, calibration);
      reader->read_rates(keys, rates);
      reader->take_variants_of_link();
      scenario.transports = reader->catalogue_.transports;
    }
    keys.map<Transport>("transports", scenario.transports, "transport",
                        "changes to transports of the catalogue, or new ones with like:", "a transport",
                        changed_transport_fields);
    const int errors_before_cluster = reader == nullptr ? 0 : reader->diagnostics_.errors();
    keys.object("cluster", "machines and network",
                [&](Fields& cluster) { cluster_fields(cluster, scenario.cluster, reading); });
    if (reader != nullptr) {
      const DocumentNode* workload = keys.reader().node("workload");
      if (!keys.has("cluster") && // a file of machines stands for it
          (workload == nullptr || workload->find("machines") == nullptr))
        keys.error("cluster", "the scenario has no cluster");
      reader->cluster_is_sound_ = reader->diagnostics_.errors() == errors_before_cluster;
      reader->read_framework();
    }
    keys.list<JobSpec>("jobs", scenario.jobs, "a training job", "training jobs",
                       [&](Fields& job, JobSpec& spec) { job_fields(job, spec, reading); }, {.what = "job {}"});
    if (reader != nullptr &&
        std::ranges::any_of(job_placing_parts, [&](const char* part) { return keys.reader().node(part) != nullptr; }))
      scenario.run.fidelity = "fluid";
    keys.object("run", "settings of the run", [&](Fields& run) { run_fields(run, scenario.run, reading); });
    scenario.cluster.network.hash_seed = scenario.run.seed;
    keys.custom("sweep", SweepSpace::schema, [](const DocumentNode&) {}); // read by SweepSpace
    bool work = !scenario.jobs.empty();
    for (const auto& [key, entry] : Registry<ScenarioSection>::instance().entries()) {
      const std::unique_ptr<ScenarioSection> section = entry.create({});
      const auto schema = [&, &description = entry.description] {
        nlohmann::ordered_json all = section->schema(keys.parts(), keys.catalogue());
        if (!all.contains("description"))
          all["description"] = description;
        return all;
      };
      keys.custom(key, schema, [&, &name = key](const DocumentNode& node) {
        scenario.sections[name] = section->read(
            {reader->document_, node, reader->parts_, reader->catalogue_, scenario, reader->diagnostics_});
        work = work || section->brings_work();
      });
    }
    if (!work)
      keys.error("jobs", "the scenario has no jobs");
  }

  /// Beside the scenario, in the working folder, or among the shipped ones; empty: in none of them.
  std::filesystem::path found_file(const std::string& name) const
  {
    std::error_code error;
    for (const std::filesystem::path& folder : {std::filesystem::path{document_.file}.parent_path(),
                                                std::filesystem::path{}, data_folder() / "results" / "calibration"})
      if (std::filesystem::is_regular_file(folder / name, error))
        return folder / name;
    return {};
  }

  /// `measured_rates: box.yaml`: what simcal measured on these GPUs, in the form of the catalogue's own files.
  void read_rates(Fields& top, const std::string& name)
  {
    if (name.empty())
      return;
    const std::filesystem::path file = found_file(name);
    if (file.empty()) {
      top.error(
          "measured_rates",
          fmt::format(
              "there is no file '{}' in the folder of the scenario or in the working folder; simcal rates writes one",
              name));
      return;
    }
    try {
      MeasuredFile own;
      for (auto& [gpu, rates] : read_measured_rates(file)) {
        if (!catalogue_.gpus.contains(gpu))
          top.error("measured_rates", fmt::format("'{}' is for {}, which the catalogue does not have{}", name, gpu,
                                                  did_you_mean(gpu, catalogue_.gpu_names())));
        own.by_gpu[gpu] = std::make_shared<const MeasuredRates>(std::move(rates));
      }
      scenario_.sections["measured_rates"] = std::move(own);
    } catch (const InputError& fault) {
      for (const Diagnostic& diagnostic : fault.diagnostics())
        diagnostics_.add(diagnostic);
    }
  }

  /// Rates of GPUs that no node has would change nothing.
  void check_rates()
  {
    const auto* own = scenario_.section<MeasuredFile>("measured_rates");
    if (own == nullptr || own->by_gpu.empty())
      return;
    std::set<std::string> used;
    for (const auto& [name, type] : scenario_.cluster.node_types)
      used.insert(type.gpu);
    const std::vector<std::string> measured = keys_of(own->by_gpu);
    if (!used.empty() && std::ranges::none_of(measured, [&](const std::string& gpu) { return used.contains(gpu); }))
      document_.error(
          diagnostics_, *find_path(document_.root, "measured_rates"),
          fmt::format("these rates are for {}, the nodes have {}; measure these GPUs, or leave the file out",
                      fmt::join(measured, ", "), fmt::join(used, ", ")));
  }

  /// `calibration: box.json`: a file that simcal wrote, beside the scenario, in the working folder, or among the
  /// shipped ones.
  void read_calibration(Fields& top, const std::string& name)
  {
    if (name.empty())
      return;
    const std::filesystem::path file = found_file(name);
    if (file.empty()) {
      top.error("calibration", fmt::format("there is no calibration file '{}' in the folder of the scenario or in the "
                                           "working folder; simcal --out writes one",
                                           name));
      return;
    }
    try {
      const Profile profile = read_profile(file);
      CalibrationUse use{profile.name, profile.created, profile.provenance, applicable_constants(profile, catalogue_)};
      std::ranges::copy(convolution_shares(profile, catalogue_, use.applied), std::back_inserter(use.applied));
      use.explained = profile.warnings.empty();
      use.rows = profile.rows;
      if (std::ranges::none_of(job_placing_parts,
                               [&](const char* part) { return document_.root.find(part) != nullptr; }))
        std::ranges::copy_if(use.rows, std::back_inserter(use.here),
                             [&](const FittedRow& row) { return row.scenario == what_decides(document_); });
      for (const AppliedConstant& constant : use.applied)
        set_constant(constant, constant.value.value, catalogue_.transports, catalogue_.gpus);
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
    if (applied.empty() && open.empty())
      return reading_.warn(*node, unused_calibration(profile_->name));
    const std::vector<std::string> idle = constants_without_effect(*profile_, scenario_, applied, open);
    Profile in_use = *profile_; // how well the others are known does not matter
    for (CalibratedConstant& constant : in_use.constants)
      if (std::ranges::any_of(idle, [&](const std::string& word) {
            return word == constant.name ||
                   (word.ends_with(".*") && constant.name.starts_with(word.substr(0, word.size() - 1)));
          }))
        constant.state.clear();
    for (const Message& doubt : doubts(in_use, utc_now()))
      reading_.warn(*node, in_doubt(in_use.name, doubt));
    if (!idle.empty())
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

  /// A transport of the catalogue with other figures, or a new one like it.
  static void changed_transport_fields(Fields& keys, Transport& transport)
  {
    const std::map<std::string, Transport>& known = keys.catalogue().transports;
    std::string model = known.contains(transport.name) ? transport.name : "";
    const bool said = keys.name("like", model, keys.catalogue().transport_names(), "transport",
                                "transport of the catalogue that it is like but for what stands here",
                                {.otherwise = "the one with its name"});
    if (!said && model.empty())
      keys.error(fmt::format("transport '{}' is not in the catalogue{}; for a new one write 'like: <known transport>'",
                             transport.name, did_you_mean(transport.name, keys.catalogue().transport_names())));
    if (const auto found = known.find(model); found != known.end()) {
      std::string name = std::move(transport.name);
      transport = found->second;
      transport.name = std::move(name);
    }
    transport_fields(keys, transport);
  }

  /// A network's name brings the transports that people get with it.
  void take_variants_of_link()
  {
    const DocumentNode* link = find_path(document_.root, "cluster.network.link");
    if (link == nullptr || link->text.empty())
      return;
    std::vector<std::pair<std::string, Transport>> variants;
    for (const auto& [name, transport] : catalogue_.transports)
      if (const std::string over = "," + transport.settings.text("over", "") + ",";
          over.find("," + link->text + ",") != std::string::npos)
        variants.emplace_back(transport.settings.text("variant_of", name), transport);
    for (auto& [base, variant] : variants) {
      reading_.filled("transports." + base, variant.name, variant.source);
      variant.name = base;
      catalogue_.transports[base] = std::move(variant);
    }
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
          std::ranges::find(reading_.gpus, type->second.gpu) == reading_.gpus.end())
        reading_.gpus.push_back(type->second.gpu);
    FrameworkWords words{.product = said("framework.name"),
                         .version = said("framework.version"),
                         .cuda_graphs = said("framework.cuda_graphs") == "true",
                         .era = said("era")};
    if (const std::string last = said("framework.channels_last"); !last.empty())
      words.channels_last = last == "true";
    reading_.framework = assume_framework(catalogue_, words, reading_.gpus);
    if (!words.product.empty() || !words.era.empty() || reading_.framework.framework.product == "pytorch")
      return;
    if (const std::string key = word_of_pytorch(); !key.empty()) {
      words.product = "pytorch";
      reading_.framework = assume_framework(catalogue_, words, reading_.gpus);
      reading_.framework.why = "'" + key + "' is PyTorch's";
      reading_.framework.said = false;
    }
  }

  /// A key of a job that only PyTorch's libraries (FSDP, DeepSpeed, PEFT) have; empty: none has.
  std::string word_of_pytorch() const
  {
    const DocumentNode* jobs = find_path(document_.root, "jobs");
    if (jobs == nullptr)
      return {};
    const auto word = [](const DocumentNode& job) -> std::string {
      for (const char* key : {"lora", "training.parallel.zero", "training.parallel.sharding",
                              "training.parallel.shard_within", "training.parallel.offload_optimizer"})
        if (const DocumentNode* node = find_path(job, key);
            node != nullptr && node->text != "0" && node->text != "false")
          return std::string{key}.substr(std::string{key}.rfind('.') + 1);
      return {};
    };
    std::string found = jobs->kind == DocumentNode::Kind::map ? word(*jobs) : "";
    for (const DocumentNode& job : jobs->items)
      if (found.empty())
        found = word(job);
    return found;
  }

  void check_names()
  {
    int gpus = 0, machines = 0;
    for (const NodeGroupSpec& group : scenario_.cluster.nodes)
      if (const auto type = scenario_.cluster.node_types.find(group.type); type != scenario_.cluster.node_types.end()) {
        gpus += group.count * type->second.gpus;
        machines += group.count;
      }
    for (std::size_t i = 0; i < scenario_.jobs.size(); ++i) {
      const JobSpec& job = scenario_.jobs[i];
      const DocumentNode* node = find_path(document_.root, "jobs." + std::to_string(i) + ".workers");
      const bool named = node != nullptr;
      if (!named)
        node = find_path(document_.root, "jobs." + std::to_string(i));
      if (job.workers > gpus && job.training.settings.text("device", "gpu") == "gpu" && node != nullptr &&
          !scenario_.cluster.nodes.empty())
        document_.error(
            diagnostics_, *node,
            fmt::format("job '{}' needs {} GPUs, the cluster has {}{}; add nodes or lower {}", job.name, job.workers,
                        gpus, gpus == machines ? ", one in each machine ('gpus' of a node type says how many)" : "",
                        job.training.parallel != nullptr && !named ? "dp" : "'workers'"));
    }
  }

  const Document& document_;
  const Parts& parts_;
  Catalogue catalogue_; // with the operations of the scenario's era
  Diagnostics& diagnostics_;
  Scenario scenario_;
  std::vector<std::string> calibrated_gpus_;
  Reading reading_{document_, parts_, catalogue_, diagnostics_, scenario_};
  std::optional<Profile> profile_; // the calibration, where one was read
  bool cluster_is_sound_ = false;
};

} // namespace

void run_fields(Fields& keys, RunSpec& run, Reading* reading)
{
  int seed = static_cast<int>(run.seed);
  keys.integer("seed", seed, "seed of all random streams", {.least = 0});
  run.seed = static_cast<std::uint64_t>(seed);
  keys.choice("fidelity", run.fidelity, schema::names(keys.parts(), "executor"), "how the network is simulated");
  if (reading != nullptr && !keys.has("fidelity"))
    reading->filled("run.fidelity", run.fidelity);
  keys.integer("replicas", run.replicas, "number of runs, each with another seed", {.least = 1, .most = 1e5});
  keys.number("confidence", run.confidence, "confidence level of the intervals", {.least = 0.5, .most = 0.999});
  keys.quantity("until", run.until, "simulated time at which the run stops",
                {.example = "30 d", .otherwise = "when all work is done"});
  keys.integer("warm_up_steps", run.warm_up_steps, "number of first steps that do not count",
               {.least = 1, .most = 1000});
}

nlohmann::ordered_json scenario_map_schema(const Parts& parts, const Catalogue& catalogue)
{
  return schema_of<Scenario>(parts, catalogue, "A cluster, its jobs, and what to find out",
                             [](Fields& keys, Scenario& scenario) { Reader::fields(keys, scenario, nullptr); });
}

Scenario read_scenario(const Document& document, const Parts& parts, const Catalogue& catalogue,
                       Diagnostics& diagnostics)
{
  if (!has_short_forms(document))
    return Reader{document, parts, catalogue, diagnostics}.read();
  Document whole = document;
  expand_short_forms(whole, catalogue, diagnostics);
  return Reader{whole, parts, catalogue, diagnostics}.read();
}

} // namespace trainyard
