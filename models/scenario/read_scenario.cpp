// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/read_scenario.hpp"

#include "models/core/data_folder.hpp"
#include "models/core/quantity_text.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/read_hardware.hpp"
#include "models/scenario/reading.hpp"
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
      read_job(*job);
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
        reading_.warn(*node, absurd.message);
    check_calibration();
    return std::move(scenario_);
  }

private:
  MapReader map(const DocumentNode* node, const std::string& what) { return {document_, node, what, diagnostics_}; }

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
        reading_.warn(*node, fmt::format("calibration '{}': {}", profile.name, doubt));
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
      reading_.warn(*node, fmt::format("calibration '{}' has no effect: this scenario uses none of its constants",
                                       profile_->name));
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

  /// Reads one map of the file by the function that declares its keys.
  template <class T>
  void read_map(const DocumentNode* node, const std::string& what, T& record,
                void (*fields)(Fields& keys, T& record, Reading* reading))
  {
    Fields keys{parts_, catalogue_, document_, node, what, diagnostics_};
    fields(keys, record, &reading_);
    keys.finish();
  }

  void read_cluster(MapReader& top)
  {
    const DocumentNode* node = top.node("cluster");
    const DocumentNode* workload = top.node("workload");
    if (node == nullptr &&
        (workload == nullptr || workload->find("machines") == nullptr)) // a file of machines stands for it
      top.error("cluster", "the scenario has no cluster");
    read_map(node, "'cluster'", scenario_.cluster, cluster_fields);
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
    reading_.framework = assume_framework(
        catalogue_,
        {said("framework.name"), said("framework.version"), said("framework.cuda_graphs") == "true", said("era")},
        reading_.gpus);
  }

  void read_job(const DocumentNode& node)
  {
    JobSpec job;
    read_map(&node, fmt::format("job {}", scenario_.jobs.size()), job, job_fields);
    scenario_.jobs.push_back(std::move(job));
  }

  void read_run(MapReader& top)
  {
    read_map(top.node("run"), "'run'", scenario_.run, run_fields);
    scenario_.cluster.network.hash_seed = scenario_.run.seed;
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
  Reading reading_{document_, parts_, catalogue_, diagnostics_, scenario_};
  std::optional<Profile> profile_; // the calibration, where one was read
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

Scenario read_scenario(const Document& document, const Parts& parts, const Catalogue& catalogue,
                       Diagnostics& diagnostics)
{
  return Reader{document, parts, catalogue, diagnostics}.read();
}

} // namespace trainyard
