// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/scenario.hpp"
#include "models/scenario/sections/task_environment.hpp"
#include "sim/cluster/resources.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

class StepSpeed;
struct PreparedScenario;

/// A training at its place.
struct PlacedTraining {
  int model = 0;
  const Allocation* held = nullptr;
};

/// How long trainings take: by the step simulation at the GPUs they got and beside their neighbours, or as the scenario
/// states it.
///
/// Models are numbered with their copies written out, in the order of the scenario.
class TrainingRates
{
public:
  /// Throws InputError where a model cannot be trained at all on these machines (out of memory, no route…).
  TrainingRates(const Scenario& scenario, const Catalogue& catalogue, const TaskEnvironmentSection& section);
  ~TrainingRates();

  const ClusterShape& shape() const { return shape_; }
  int models() const { return static_cast<int>(names_.size()); }
  const std::string& name(int model) const { return names_[static_cast<std::size_t>(model)]; }
  /// Its place in the file, "2/0": of copies with which one this is. Whatever is drawn for it depends on this.
  const std::string& place(int model) const { return places_[static_cast<std::size_t>(model)]; }
  const RetrainedModel& spec(int model) const { return *specs_[static_cast<std::size_t>(model)]; }
  int gpus(int model) const;
  /// GPUs of one machine of its own, as far as the largest machine has so many.
  int own_gpus(int model) const;
  Bytes result(int model) const;
  /// Name of the scenario's job that trains it; empty: its time is stated.
  std::string job_name(int model) const;

  /// Trainings per second of each. @p together: they slow each other on links; else each is alone.
  std::vector<double> rates(std::span<const PlacedTraining> running, bool together = true);
  /// Alone on GPUs of each type of the empty cluster, s; infinity: there are not so many of that type.
  const std::vector<double>& duration_by_type(int model);
  /// Alone, packed on the first machines of the empty cluster, s: what speed 1 of a queue means.
  double packed_duration(int model);
  /// On its own machine, s.
  double own_machine_duration(int model);

private:
  double alone(int model, const Allocation& held, double scale);
  std::optional<Allocation> on_empty_cluster(int gpus, int gpu_type, bool one_node) const;

  const TaskEnvironmentSection& section_;
  ClusterShape shape_;
  std::vector<std::string> names_, places_;
  std::vector<const RetrainedModel*> specs_;
  std::vector<const JobSpec*> jobs_; // null: stated time
  Workload workload_; // one job per training job of the scenario and number of GPUs, for the step simulation
  std::map<std::pair<std::string, int>, std::size_t> trace_jobs_;
  std::unique_ptr<PreparedScenario> prepared_;
  std::unique_ptr<StepSpeed> speed_;
  std::map<int, std::vector<double>> by_type_;
  std::map<int, double> own_;

  const TraceJob& trace_job(const JobSpec& job, int gpus);
};

} // namespace trainyard
