// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/cost/kept_state.hpp"
#include "models/job/job.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/fields.hpp"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace trainyard {

/// Parameters of a training mode, and of each registered sub-policy that a setting of it names; and those of all
/// others.
struct ModeParameters {
  std::vector<Parameter> own;
  std::vector<Parameter> other;
};

/// What a map says of the parameters of a part, and what was filled in; its notes are called after the parameters.
struct ReadSettings {
  Settings settings;
  FilledDefaults::Notes filled;
};

/// What the readers of cluster, jobs and run share while one file is read.
struct Reading {
  const Document& document;
  const Parts& parts;
  const Catalogue& catalogue; // with the operations of the scenario's era
  Diagnostics& diagnostics;
  Scenario& scenario;                          // what has been read so far
  std::vector<std::string> gpus{};             // of the machines, each once
  std::unordered_set<std::string> job_names{}; // so far
  AssumedFramework framework{};
  std::map<std::string, ModeParameters> mode_parameters{}; // by mode and sub-policies, of the jobs so far
  /// What was read of the training of a job.
  struct Training {
    Settings settings;
    std::shared_ptr<const FilledDefaults::Notes> filled;
  };
  /// A mode; keys and texts of the map, and whether they are in quotes: "8" is never a number.
  using SaidOfTraining = std::pair<std::string, std::vector<std::tuple<std::string, std::string, bool>>>;
  std::map<SaidOfTraining, Training> trainings{}; // of the jobs so far of which there was nothing to be told
  /// A job, and what was filled in of it.
  struct KnownJob {
    JobSpec job;
    std::shared_ptr<const FilledDefaults::Notes> filled; // their paths go on from the job's
  };
  /// By what the file says of a job besides name, arrival, steps and nodes.
  std::unordered_map<std::string, KnownJob> known_jobs{};
  std::string path_of_job{};             // that is being read, with a dot
  FilledDefaults::Notes filled_of_job{}; // as of a known one

  /// Notes a default that was filled in; @p source: empty where the reader itself decides.
  void filled(std::string path, const std::string& value, const std::string& source = {});
  /// The same of several at once, whose paths go on from @p path.
  void filled_together(const std::string& path, std::shared_ptr<const FilledDefaults::Notes> notes);
  void warn(const DocumentNode& node, Message message);
  /// Settings by the parameters of a part; @p other parameters are known elsewhere, so that writing them is a warning,
  /// not an error. @p usual: what the framework that the scenario names does where the file says nothing.
  ReadSettings settings(MapReader& reader, const DocumentNode* node, const std::vector<Parameter>& parameters,
                        const std::vector<Parameter>& other, const std::string& owner,
                        const std::map<std::string, std::string>& usual = {});
};

/// The part with a name; null where there is none.
const Part* find_part(const Parts& parts, const std::string& kind, const std::string& name);

/// Keys of `cluster`, of an entry of `jobs`, of `run`; @p reading: null while the schema is written.
void cluster_fields(Fields& keys, ClusterSpec& cluster, Reading* reading);
void job_fields(Fields& keys, JobSpec& job, Reading* reading);
void run_fields(Fields& keys, RunSpec& run, Reading* reading);
/// JSON Schema of the whole file.
schema::Json scenario_map_schema(const Parts& parts, const Catalogue& catalogue);

/// Keys of `model: {name: transformer, …}`: dimensions with the meaning they have in a config.json of Hugging Face.
void transformer_fields(Fields& keys, JobSpec& job);

/// The key `parallel` of `training`. Faults of the layout are told all at once, with layouts close to it that work.
/// @p kept: what of a step stays in memory. @p bf16: the GPUs compute in it, so that amp is bf16; else fp16.
/// @p workers_said: the job says how many GPUs it has; else they follow from the layout.
void read_parallel(Fields& training, JobSpec& job, const KeptParts& kept, bool workers_said, bool bf16);

/// `power_limit` of node types: watts of a GPU, by its name. Among the sections of a scenario, under power_limits_key.
struct PowerLimits {
  std::map<std::string, double> watts;
};
inline constexpr const char* power_limits_key = "power_limits";

/// Rate of products and attention at a share @p power of the board's power: the clock falls until the power is kept.
///
/// power^0.47: H100 PCIe (350 W, 114 multiprocessors) multiplies 495.9 TFLOP/s in bf16, H100 SXM5 (700 W, 132) 794.5: a
/// multiprocessor 0.72 times as many at half the power (models/hardware/catalogue, from torch-performance-test-data).
/// Of A100 (300 and 400 W: 252.9 and 271.2 TFLOP/s) it says 0.87 for 0.93. What memory limits stays as it is.
double rate_at_power(double power);

} // namespace trainyard
