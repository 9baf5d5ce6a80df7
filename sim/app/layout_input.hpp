// SPDX-License-Identifier: Apache-2.0
// What the commands that look for layouts of a large model share: layouts, compare --parallel, plan --gpus.
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/document.hpp"
#include "sim/app/command.hpp"
#include "sim/study/layout_plan.hpp"
#include "sim/study/point_evaluator.hpp"

#include <string>
#include <vector>

namespace trainyard::app {

/// Of one search; a layout of more is found nowhere.
constexpr int most_gpus_asked = 1'000'000;

/// --gpu, --global-batch, --sequence, --parallel.
std::vector<Option> layout_input_options();
/// --precision, of matrix products.
Option precision_option();
/// --cluster, which may be given several times.
Option cluster_option();

/// A cluster on which layouts are looked for: a scenario whose only job is the transformer.
struct LayoutCluster {
  std::string name; // as it was given; empty: the machines that a GPU is sold in
  Document document;
  bool from_file = false; // faults have places in it
  bool grows = false;     // it has as many machines as the GPUs that are asked for take
  int gpus_of_machine = 1;
  int gpus = 0; // in machines that are alike; 0: it grows
};

struct LayoutQuestion {
  std::string model; // of the catalogue, or a file; empty: that of the scenario
  std::vector<LayoutCluster> clusters;

  /// For headings and folders.
  std::string name() const;
};

/// What MODEL or --model, scenarios, --cluster, --gpu and --set ask for. Throws InputError.
LayoutQuestion layout_question(const Arguments& arguments, const Catalogue& catalogue);
/// The transformer on every cluster and number of GPUs (--gpus, else all of the cluster), with the batch, sequence and
/// precision of the options or the scenario. Throws InputError.
std::vector<LayoutCandidate> layout_candidates(const Arguments& arguments, const LayoutQuestion& asked,
                                               const PointEvaluator& evaluator);
/// The same as a scenario that runs, with a layout.
std::string layout_scenario(const LayoutQuestion& asked, const LayoutCandidate& candidate,
                            const ParallelLayout& layout);
/// "tp: 8, pp: 4, …"
std::string layout_flow(const ParallelLayout& layout);

/// "512 H100-SXM5, 512 sequences of 8192 tokens a step"
std::string training_words(const LayoutCandidate& candidate);
/// Values of --parallel: "tp=2,4,8 pp=1,2,4 ep=8".
LayoutLimits layout_limits(const std::string& text);
/// Each combination of the values that --parallel lists, as limits of one value each, with its name: "tp=2 pp=4 ep=8".
std::vector<std::pair<std::string, LayoutLimits>> layout_choices(const std::string& text);
/// Numbers of GPUs: "256", "256,512", "64..1024" (powers of two between them).
std::vector<int> gpu_counts(const std::string& text);
/// Types of --gpu: "H100-SXM5,A100-SXM4-80GB", or its default.
std::vector<std::string> gpu_types(const Arguments& arguments, const Catalogue& catalogue);

/// simrun compare --model M --gpus N --parallel LISTS.
int compare_layouts(const Arguments& arguments);
/// simrun layouts: the best layouts of one design, or of several clusters, GPUs or numbers of them the fastest of each.
int find_layouts(Arguments arguments);
/// simrun plan --model M --gpus LIST --goal GOAL.
int plan_for_model(const Arguments& arguments);

} // namespace trainyard::app
