// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/profile.hpp"
#include "models/results/telling.hpp"
#include "sim/study/measures.hpp"
#include "sim/study/point_evaluator.hpp"

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// A step that was measured, and where the scenario was another one then.
struct MeasuredRow {
  std::string place;                                         // "rows.csv:3"; empty: of the command line
  std::vector<std::pair<std::string, std::string>> settings; // path of the scenario, value
  Goal figure; // its measure, step_time or throughput of a job, and the value as its limit, in base units, above 0
};

/// "nodes" is cluster.nodes.0.count; what is no such name stays.
using PathOf = std::function<std::string(const std::string&)>;

/// "step_time = 412 ms", or the rows of a CSV file: a column is a path of the scenario, or a measure whose cells have
/// units. Throws InputError with the place: no such measure, another than a speed, no unit, a value that is not above
/// 0.
std::vector<MeasuredRow> measured_rows_of(const std::string& text, const PathOf& path_of);

/// What the rows say of one constant, or of those that move together: kernels of one GPU. Factors of what is known by
/// names.
struct MovedConstant {
  std::string name;                     // "H100-SXM5: kernels"
  double factor = 1, low = 1, high = 1; // 95 % of what the rows and the range of the constant leave
  double share = 0;                     // of the step, in the first row: how much the step grows with it
  bool at_end = false;                  // of its physical range
};

struct CalibrationByRows {
  struct Row {
    std::string name;                           // place and what differs
    double measured = 0, before = 0, after = 0; // of its measure
    Measure measure;
    bool explained = true; // within twice what such answers are off by themselves
  };
  std::vector<Row> rows;
  std::vector<MovedConstant> moved;
  Profile profile; // to be used as `calibration:`; without name and command
};

/// The constants of the hardware, of transports and of the host that the scenario leaves to us, moved to where the rows
/// have them: the posterior of a linear model of the logarithms, made anew where it leads to. A constant may be off as
/// far as published tables were (results/error_model.csv) and stays in its physical range; one that a calibration of
/// the scenario has measured, within its bars. A row may be off by what two answers about the same system differ.
/// Throws InputError: a row whose scenario does not run, a scenario whose speed nothing of this decides.
CalibrationByRows calibrate_by_rows(const Document& document, std::span<const MeasuredRow> rows,
                                    const PointEvaluator& evaluator);

Telling calibration_told(const CalibrationByRows& result);

} // namespace trainyard
