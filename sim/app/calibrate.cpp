// SPDX-License-Identifier: Apache-2.0
#include "sim/study/calibrate.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace trainyard::app {
namespace {

std::vector<Option> calibrate_options()
{
  std::vector<Option> list = scenario_options();
  list.insert(list.end(),
              {{"--measured", "-m", "ROW",
                "what was measured: 'step_time=412 ms', 'throughput(vgg)=1240/s', or a CSV file with a column of that "
                "name and one for each value of the scenario that was another one (jobs.0.workers)",
                "file", true, true},
               {"--point", "", "LABEL", "point of the scenario's sweep that was measured, as jobs.csv has it"},
               {"--output", "-o", "FILE", "calibration file to write (default: SCENARIO.calibration.json)", "file"},
               {"--json", "", "", "print the calibration file instead of the tables"},
               force_option()});
  return list;
}

int run_calibrate(const Arguments& arguments)
{
  ScenarioInput input = study_scenario(arguments);
  if (arguments.has("--point"))
    keep_point(input, arguments.value("--point"));
  std::vector<MeasuredRow> rows;
  for (const std::string& text : arguments.all("--measured"))
    std::ranges::move(measured_rows_of(text, full_path), std::back_inserter(rows));
  const std::string file = arguments.value("--output", as_folder(input.name) + ".calibration.json");
  const Replace replace = replacing(arguments, "\"program\": \"simrun ");
  check_file(file, replace);
  CalibrationByRows result = calibrate_by_rows(input.document, rows, PointEvaluator{});
  result.profile.name = as_folder(input.name);
  result.profile.command = "simrun calibrate " + arguments.value("SCENARIO");
  for (const std::string& text : arguments.all("--measured"))
    result.profile.command += fmt::format(" --measured '{}'", text);
  const std::string text = profile_text(result.profile);
  replace_file(file, text, replace);
  if (arguments.has("--json"))
    print_data(text);
  else
    print(calibration_told(result).text(wants_colour(arguments, stdout)) +
          fmt::format("written to {}; use it with: simrun {} --set calibration={}\n", file, arguments.value("SCENARIO"),
                      file));
  return std::ranges::all_of(result.rows, &CalibrationByRows::Row::explained) ? done : in_part;
}

[[maybe_unused]] const bool calibrate_registered = register_command(
    {"calibrate",
     "fit the constants of the hardware to steps that you measured",
     "Takes one or more measured steps, and moves the constants that are known by names only (kernels of the GPU, the "
     "host, what networks\nreach) to where these steps have them, each within its physical range and as far as such "
     "constants were off in published tables.\nWrites a calibration file: predictions of other sizes, batches and "
     "models on the GPU and network that the steps tell about carry the narrower interval. Ends with exit\ncode 4 "
     "where no setting explains a row. simcal measures constants one by one instead.",
     calibrate_options(),
     {{"simrun calibrate my.yaml --measured 'step_time=412 ms'", "one step of this very scenario"},
      {"simrun calibrate my.yaml --measured rows.csv -o cluster.json",
       "several: a CSV file with columns such as jobs.0.workers and step_time"},
      {"simrun my.yaml --set calibration=cluster.json --set jobs.0.workers=64", "predict another size with it"}},
     run_calibrate});

} // namespace
} // namespace trainyard::app
