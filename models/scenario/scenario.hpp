// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster_spec.hpp"
#include "models/core/units.hpp"
#include "models/cost/apply_profile.hpp"
#include "models/hardware/hardware.hpp"
#include "models/job/job.hpp"

#include <any>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// One value that the reader filled in because the file did not say.
struct FilledDefault {
  std::string path;
  std::string value;
  std::string source;
};

/// All of them, in the order in which they were filled in. Of thousands of jobs that leave out the same, each has one
/// list of notes in common with the others.
class FilledDefaults
{
public:
  using Notes = std::vector<FilledDefault>;

  void push_back(FilledDefault note)
  {
    if (groups_.empty() || groups_.back().shared != nullptr)
      groups_.emplace_back();
    groups_.back().own.push_back(std::move(note));
  }
  /// The paths of the notes go on from @p path.
  void share(std::string path, std::shared_ptr<const Notes> notes)
  {
    groups_.push_back({std::move(path) + ".", std::move(notes), {}});
  }

  /// Calls @p visit with each.
  template <class Visit>
  void each(const Visit& visit) const
  {
    each_of([](std::string_view) { return true; }, visit);
  }
  /// With each whose last key @p wanted says yes to.
  template <class Wanted, class Visit>
  void each_of(const Wanted& wanted, const Visit& visit) const
  {
    FilledDefault whole;
    for (const Group& group : groups_) {
      for (const FilledDefault& note : group.own)
        if (wanted(last_key(note.path)))
          visit(note);
      if (group.shared != nullptr)
        for (const FilledDefault& note : *group.shared) {
          if (!wanted(last_key(note.path)))
            continue;
          whole.path.assign(group.path).append(note.path);
          whole.value = note.value;
          whole.source = note.source;
          visit(std::as_const(whole));
        }
    }
  }
  static std::string_view last_key(std::string_view path) { return path.substr(path.rfind('.') + 1); }
  /// The value; null where the file has one.
  const std::string* find(std::string_view path) const
  {
    for (const Group& group : groups_) {
      for (const FilledDefault& note : group.own)
        if (note.path == path)
          return &note.value;
      if (group.shared != nullptr && path.starts_with(group.path))
        for (const FilledDefault& note : *group.shared)
          if (note.path == path.substr(group.path.size()))
            return &note.value;
    }
    return nullptr;
  }

private:
  struct Group {
    std::string path; // that those of `shared` begin with
    std::shared_ptr<const Notes> shared;
    Notes own;
  };
  std::vector<Group> groups_;
};

/// Sections whose jobs come and go: many situations are stepped, `fluid` unless the file says otherwise.
inline constexpr std::array job_placing_parts{"workload", "services", "task_environment"};

/// What the run is to do with the checked scenario.
struct RunSpec {
  std::uint64_t seed = 1;
  std::string fidelity = "flow"; // registered executor
  int replicas = 1;
  double confidence = 0.95;
  Seconds until{0}; // 0: to the end
  int warm_up_steps = 1;
};

/// A checked scenario: everything named exists, every quantity is in base units.
struct Scenario {
  std::string name;
  std::string description;
  std::string file;
  ClusterSpec cluster;
  std::vector<JobSpec> jobs;
  std::map<std::string, Transport> transports; // catalogue, then the calibration, then what the file says
  std::optional<CalibrationUse> calibration;
  RunSpec run;
  FilledDefaults defaults;
  std::map<std::string, std::any> sections; // by key of the file; see section.hpp

  /// What a section of the file says; null where the file has none.
  template <class T>
  const T* section(const std::string& key) const
  {
    const auto found = sections.find(key);
    return found == sections.end() ? nullptr : std::any_cast<T>(&found->second);
  }
};

} // namespace trainyard
