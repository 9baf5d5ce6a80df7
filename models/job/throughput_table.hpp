// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

class InputFile;

/// A kind of job in a table of throughputs: its model, and on how many GPUs it was measured (0: on any number).
struct MeasuredKind {
  std::string model;
  int gpus = 0;
  auto operator<=>(const MeasuredKind&) const = default;
};

/// Measured throughputs of kinds of jobs by type of GPU, alone and beside another job on the same GPUs.
class ThroughputTable
{
public:
  /// Names of the types of GPU, in alphabetical order.
  std::vector<std::string> types() const;
  /// Names of the models, in alphabetical order.
  std::vector<std::string> models() const;
  /// Steps per second, 0: it does not run there. Nothing where it was not measured.
  std::optional<double> alone(const std::string& type, const MeasuredKind& kind) const;
  /// Steps per second of the first and of the second on the same GPUs; zeros: they do not fit there together. Nothing
  /// where it was not measured.
  std::optional<std::pair<double, double>> together(const std::string& type, const MeasuredKind& one,
                                                    const MeasuredKind& other) const;
  /// The type that run times of steps mean: @p asked, or, where that is empty, the V100 (as in Gavel) or the only one.
  /// Throws InputError where there is no such type.
  std::string reference(const std::string& asked) const;
  /// What run times of steps mean on the type @p reference: its own throughput, or, where the kind cannot run there,
  /// the largest of any type. Nothing where the kind was not measured, or runs nowhere.
  std::optional<double> base(const std::string& reference, const MeasuredKind& kind) const;
  /// The type that a GPU of the catalogue has in this table: the same letters whatever their case, or those before a
  /// dash ("v100" for "V100-SXM2-16GB"); empty where there is none.
  std::string type_of(std::string_view gpu) const;

  void set(const std::string& type, const MeasuredKind& kind, double steps_per_second);
  void set(const std::string& type, const MeasuredKind& one, const MeasuredKind& other,
           std::pair<double, double> steps_per_second);

private:
  struct OfType {
    std::map<MeasuredKind, double> alone;
    std::map<std::pair<MeasuredKind, MeasuredKind>, std::pair<double, double>> together;
  };
  std::map<std::string, OfType, std::less<>> types_;
};

/// Reads the throughputs of Gavel (Narayanan et al., OSDI 2020; scheduler/*_throughputs*.json of its repository): GPU
/// type -> kind -> steps per second. Kinds are "('ResNet-18 (batch size 32)', 2)", model and GPUs, or the model alone;
/// below "null" is the throughput alone, below the name of another kind those of both beside each other.
///
/// Throws InputError naming the file and the entry.
ThroughputTable read_throughputs(const InputFile& file);

} // namespace trainyard
