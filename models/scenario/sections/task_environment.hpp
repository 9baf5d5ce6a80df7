// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/units.hpp"
#include "models/job/quality_curve.hpp"
#include "models/scenario/read_settings.hpp"

#include <limits>
#include <string>
#include <vector>

namespace trainyard {

/// A deployed model that is retrained on newer data.
struct RetrainedModel {
  std::string name;
  int copies = 1;
  std::string job; // of the scenario's `jobs`: network, GPUs, steps; its training time comes from the step simulation
  Seconds train_time;   // stated instead of `job`
  int gpus = 1;         // with `train_time`
  std::string team;     // whose quota of the queue its trainings use; with `through: queue`
  double variation = 0; // coefficient of variation of the training time from one retraining to the next (log-normal)
  NamedPart trigger{"periodic", {}, "periodic"};
  Seconds period{86400};
  Seconds first;        // first need
  Seconds stale_after;  // age of the deployed model's data from which it counts as stale
  QualityCurve quality; // by the age of the deployed model's data
  Bytes data;           // sent to storage for each retraining
  int parts = 1;        // 1: whole
  double passes = 1;    // over the data in one training
  Bytes result{-1};     // trained model; below 0: the parameters of the job's network
  Bytes checkpoint;     // downloaded with the result
  Seconds checkpoint_interval{std::numeric_limits<double>::infinity()};
  double priority = 0; // higher is more important
  Seconds time_out{std::numeric_limits<double>::infinity()};
  int attempts = 3;
  int own_gpus = 1; // of its own machine, where there is no cluster
  Location where;
};

/// How the service learns that something has happened elsewhere.
struct NoticeSpec {
  std::string by = "polling"; // polling, message; of the status also storage: it sees results only
  Seconds period{60};
};

/// What carries requests and answers between service, storage and cluster.
struct MessageSpec {
  Seconds latency{0.05};  // one way
  double loss = 0;        // of each message
  int tries = 3;          // of one exchange (request and answer)
  Seconds retry_after{1}; // without an answer
};

/// A deployed model reaches the serving replicas by a rolling update.
struct DeploySpec {
  int replicas = 1;
  int parallelism = 1;
  Seconds delay;             // between batches of replicas
  Seconds stop_and_start{0}; // of one batch
  Seconds time() const;
};

/// A training that is to fail, for what-if questions.
struct TrainingFault {
  std::string model;
  int need = 1;    // counts from 1
  int attempt = 1; // counted from 1
  Seconds after;   // of training
};

/// `task_environment:` of a scenario: models that are retrained as their data age, and everything between the need and
/// the deployed model.
struct TaskEnvironmentSection {
  std::vector<RetrainedModel> models;
  std::vector<NamedPart> duplicates;                // each is a run of its own
  std::vector<NamedPart> planners;                  // each is a run of its own
  std::vector<Location> duplicates_at, planners_at; // where they stand
  bool cluster = true;                              // false: every model trains on its own machine
  bool through_queue = false;                       // trainings are jobs of the scenario's queue, not of the planner
  Seconds planner_period;                           // time between two looks of the planner at the needs; 0: at once
  BytesPerSecond upload_bandwidth{125e6};
  BytesPerSecond upload_per_model{std::numeric_limits<double>::infinity()};
  double corruption = 0; // chance that an uploaded part has a wrong checksum
  NoticeSpec confirm;
  std::string submission = "check"; // check, blind, once
  NoticeSpec status{"polling", Seconds{30}};
  MessageSpec messages;
  BytesPerSecond save_bandwidth{1e9};
  BytesPerSecond download_bandwidth{125e6};
  DeploySpec deploy;
  Seconds mean_time_to_failure{std::numeric_limits<double>::infinity()}; // of one GPU that trains
  std::vector<TrainingFault> faults;
  NamedPart placement{"first_fit", {}, "first_fit"};
};

} // namespace trainyard
