// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

class SchemaByKey;

/// Matrix units for 16-bit numbers: they compute bf16, or the 16-bit peak is at least three times that of fp32 (twice
/// is what wider vector units give).
bool has_matrix_units(const Gpu& gpu);

/// Sold since 2020: matrix units with bf16 came with A100 and MI100. Such a GPU runs current frameworks.
bool is_current(const Gpu& gpu);

/// The framework that jobs run under, and why this one.
struct AssumedFramework {
  Framework framework;
  bool cuda_graphs = false; // kernels start as CUDA graphs, so that operators cost the host nothing
  std::string why;          // "framework: pytorch 2.3", "era: 2019", "A100-SXM4-80GB is sold since 2020"
  bool said = false;        // by `framework:` itself
};

/// What a scenario says of its framework; empty: nothing.
struct FrameworkWords {
  std::string product;
  std::string version;
  bool cuda_graphs = false;
  std::optional<bool> channels_last;
  std::string era;
};

/// What `framework:` names, else the framework of `era:`, else that of the GPUs' time: of the newest era if one of them
/// is current, of the oldest if none is. A framework without a version is its newest one.
AssumedFramework assume_framework(const Catalogue& catalogue, const FrameworkWords& words,
                                  const std::vector<std::string>& gpus);

/// What its users compute with: mixed precision only where all GPUs have matrix units.
std::string default_precision(const AssumedFramework& assumed, const Catalogue& catalogue,
                              const std::vector<std::string>& gpus);

/// A default that changes answers: said in one line with the result, and listed in docs/assumed.md.
///
/// Wherever one of these is filled in (Scenario::defaults), it joins that line.
struct Assumption {
  enum class Scope {
    always,
    several_gpus,
    several_nodes,
    tasks,    // where a queue or services send tasks to machines
    map_given // where the file has the map that would hold the key
  };
  std::string_view path;   // "jobs.*.precision": * is one part of a path
  std::string_view words;  // "precision {}"
  std::string_view effect; // what it changes
  Scope scope = Scope::always;
  std::string_view taken = {}; // what is taken, where the schema has no default
  std::string_view also = {};  // a key beside it that says the same: "policies" beside "policy"
};
const std::vector<Assumption>& assumptions();

/// What a file without the key gets, in words: Assumption::taken, else the default of the schema; "none" where neither
/// says. Null where the schema has no such key.
std::optional<std::string> taken_value(const Assumption& assumption, const nlohmann::ordered_json& schema);

/// Adds to Scenario::defaults what the document leaves out of the parts that bring work (queue, services, retraining),
/// as far as the table has it. The rest is filled in as the scenario is read.
void fill_assumed(const Document& document, SchemaByKey& schemas, Scenario& scenario);

/// The assumptions of a scenario that matter to it, in the order of the table: {"precision amp", "batch 32 per GPU"}.
///
/// @p seen is what only the run knows, by key or by a path of the table: another value, or an empty one where the key
/// changed nothing.
Messages assumed(const Scenario& scenario, std::span<const FilledDefault> seen = {});

/// Defaults that make a scenario absurd: what, and the key to set.
struct AbsurdDefault {
  std::string path; // of the part of the file that the warning is about
  Message message;
};
std::vector<AbsurdDefault> absurd_defaults(const Scenario& scenario, const Catalogue& catalogue);

} // namespace trainyard
