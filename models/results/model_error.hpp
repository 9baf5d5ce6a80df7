// SPDX-License-Identifier: Apache-2.0
// How far an answer may be off: what the rows of published tables say of the model's own errors, by kind of answer.
// results/make_error_model.py makes the file from results/scores; docs/accuracy.md says how.
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace trainyard {

/// What decides how far an answer may be off.
struct AnswerKind {
  /// From coarse to fine, "all_reduce measured tcp": kind of job, where its computing is from, what its messages cross.
  /// Empty: the answer has no error of the model.
  std::string name;
  double size = 0; // share of the step that is not computing; of one collective its bytes
};

/// What a time is measured as, over what is predicted, in the middle and at the ends of the intervals that hold 80 and
/// 95 % of all systems.
struct ModelError {
  double low_95 = 1, low_80 = 1, middle = 1, high_80 = 1, high_95 = 1;
  /// Standard deviation of its logarithm that all answers about one system have in common, and scale of the Laplace
  /// distribution by which two of them differ in theirs.
  double shared = 0, own = 0;
  int units = 0;      // of published tables that it is from; 0: the answer is exact
  std::string kind{}; // of the table, as coarse as it must be

  /// With the interval of chance, @p half_width of the mean at 95 %: errors and chance know nothing of each other.
  ModelError beside_chance(double half_width) const;
  /// Of the logarithm: the standard deviation of a normal distribution with the same interval of 80 %.
  double deviation() const;
  /// Probability that what is measured is at most this factor times the prediction; beyond the ends that of the end.
  double share_below(double factor) const;
};

class ModelErrors
{
public:
  /// Throws InputError, with the line, for a file that is no table of errors.
  static ModelErrors read(const std::filesystem::path& file);

  /// Of the finest kind that the table has; of this, the row with the largest size that is not above the answer's. A
  /// measured row never makes it wider. Kind "measured": a step that a calibration was fitted to, whose size is
  /// measured over predicted.
  ModelError of(const AnswerKind& kind) const;

private:
  const ModelError& row_of(std::string_view name, double size) const;

  std::map<std::string, std::map<double, ModelError>, std::less<>> rows_; // by name, by size
};

/// Probability that what is predicted to be so many times as long (from 1 on) as another is longer. @p scale: "own" of
/// answers about the same system; about others scale_between().
double surely_longer(double ratio, double scale);
double scale_between(const ModelError& a, const ModelError& b);
inline constexpr double decided = 0.9; // from this probability on, a design is said to be better

/// The fastest of many is also the one whose error is luckiest.
struct Expected {
  double step = 0;        // s: where steps like these lie that differ from it by errors of their own
  std::size_t others = 0; // that are not decided to be slower
};
/// @p steps: predicted, of all that were looked at, in s; @p chosen: one of them.
Expected expected_of(std::span<const double> steps, double chosen, double own);

/// The table that came with the program.
const ModelErrors& model_errors();

} // namespace trainyard
