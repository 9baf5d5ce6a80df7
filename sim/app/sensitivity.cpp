// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sensitivity.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/expression.hpp"
#include "models/scenario/sweep_space.hpp"
#include "sim/app/effort.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

std::vector<Option> sensitivity_options()
{
  std::vector<Option> list = scenario_options();
  list.insert(
      list.end(),
      {{"--measure", "-m", "MEASURE",
        "measure to study (simrun list measures; default throughput, or the mean JCT of a queue)", "list measures",
        false, true},
       {"--input", "-i", "PATH=RANGE",
        "uncertain input: jobs.0.batch_per_gpu=16..64, cluster.network.latency=50% (default: all inputs)", "", false,
        true},
       {"--by", "", "SHARE", "range of inputs that have no calibrated range (default 10%)"},
       {"--point", "", "WORDS", "point of the scenario's sweep: 'workers=16 variant=ring' (default: the first)"},
       {"--samples", "", "N", "number of samples that vary all inputs at once (default 40; 0: none)"},
       {"--replicas", "", "K", "number of seeds, if the seed matters (default 3)"},
       prices_option(),
       jobs_option()});
  for (Option& option : study_output_options("result", "sensitivity"))
    list.push_back(std::move(option));
  return list;
}

/// The first point of the sweep whose label holds all words.
SweepPoint chosen_point(const SweepSpace& space, const std::string& words)
{
  for (std::size_t i = 0; i < space.size(); ++i) {
    SweepPoint point = space.point(i);
    const std::string label = " " + point.label() + " ";
    std::istringstream stream{words};
    bool all = true;
    for (std::string word; stream >> word;)
      all = all && label.find(" " + word + " ") != std::string::npos;
    if (all)
      return point;
  }
  throw InputError{
      fmt::format("--point: the sweep has no point '{}'; the first point is '{}'", words, space.point(0).label())};
}

int run_sensitivity(const Arguments& arguments)
{
  const ScenarioInput input = study_scenario(arguments);
  Diagnostics diagnostics;
  const SweepSpace space{input.document, diagnostics};
  diagnostics.throw_if_errors();
  const SweepPoint point = chosen_point(space, arguments.value("--point"));
  SensitivityRequest request;
  request.measures = measures_asked(arguments);
  request.inputs = arguments.all("--input");
  const std::string by = arguments.value("--by", "10%");
  request.by = any_quantity(by).value_or(0);
  if (!(request.by > 0 && request.by < 1))
    throw InputError{fmt::format("--by needs a share between 0 and 100 %, for example 10%, not '{}'", by)};
  constexpr std::uint64_t most = 2'000'000'000;
  const std::uint64_t samples = arguments.whole_number("--samples", 40, 0, most),
                      replicas = arguments.whole_number("--replicas", 3, 1, most);
  request.samples = static_cast<int>(samples);
  request.replicas = static_cast<int>(replicas);
  request.workers = jobs_of(arguments);
  const PointEvaluator evaluator{prices_of(arguments, PointEvaluator{}.catalogue())};
  // some fifty inputs, each at both ends with every seed, and the samples
  const double runs = 100.0 * (replicas > 20 ? static_cast<double>(replicas) : 1) + static_cast<double>(samples);
  agree(arguments,
        {.count = static_cast<double>(samples),
         .what = "samples",
         .runs = runs,
         .workers = request.workers,
         .bytes_each = 50 * 24.0,
         .fewer = "give fewer --samples or --replicas"},
        evaluator, [&] { return point; });
  check_study_folder(arguments, "sensitivity", input.name);
  Sensitivity result;
  {
    Progress progress{arguments};
    result = sensitivity(point, evaluator, request, progress.reporter());
  }
  check_interrupt();
  tell_study(
      arguments,
      {"sensitivity", input.name, "sensitivity.txt", sensitivity_told(result), sensitivity_json(result, input.name)},
      [&](const fs::path& to) {
        write_file(to / "sensitivity.csv", sensitivity_csv(result));
        plot_sensitivity(result, to / "tornado");
      },
      [](const fs::path&) { return "tornado.png, sensitivity.csv"; });
  return done;
}

[[maybe_unused]] const bool sensitivity_registered = register_command(
    {"sensitivity",
     "show which input changes the answer most",
     "Varies every constant of hardware and libraries and every number of the scenario to both ends of its range: the "
     "95 % interval of the\ncalibration if there is one, else +-10 %. Then varies all of them at once, for the range "
     "of the answer. Draws a tornado plot.",
     sensitivity_options(),
     {{"simrun sensitivity vgg16_ps_vs_ring --point 'model=vgg16 workers=16 variant=ring'",
       "show what the ring on 16 GPUs depends on"},
      {"simrun sensitivity my.yaml -i cluster.network.bandwidth='10..100 Gbit/s' -i jobs.0.batch_per_gpu=50%",
       "set your own ranges"}},
     run_sensitivity});

} // namespace
} // namespace trainyard::app
