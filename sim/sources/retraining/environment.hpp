// SPDX-License-Identifier: Apache-2.0
// The task environment of retraining: what happens between the need for a new model and the model that serves.
//
// A need arises at a model (its data have aged). The service sends the new data to object storage over a link that all
// uploads share, learns that they are there, and sends the script to the cluster's queue; the planner decides which
// training starts next; the trained model is saved, its end is found out, the result is downloaded and replaces the old
// model in the serving replicas.
//
// Time is counted in whole nanoseconds, so that the parts of a request's life add up exactly.
#pragma once
#include "models/core/instant.hpp"
#include "models/core/units.hpp"
#include "models/scenario/sections/task_environment.hpp"
#include "sim/cluster/resources.hpp"
#include "sim/planning/dag_plan.hpp"
#include "sim/sources/retraining/duplicate_policy.hpp"
#include "sim/sources/retraining/job_planner.hpp"
#include "sim/sources/retraining/need_trigger.hpp"
#include "sim/sources/retraining/training_rates.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Where a request is; its time from the need to the deployed model is the sum of these.
enum class Segment { need, upload, confirm, queue, train, save, detect, download, deploy };
inline constexpr std::array<std::string_view, 9> segment_names = {"need", "upload", "confirm",  "queue", "train",
                                                                  "save", "detect", "download", "deploy"};

/// How a request ended.
enum class RequestEnd {
  open,       // the run ended before it
  deployed,   // its model serves (or served)
  outdated,   // trained, but a model on newer data was deployed already
  replaced,   // stopped in favour of newer data
  coalesced,  // joined into a newer request while it waited
  forbidden,  // not begun, because an earlier one was under way
  failed,     // every attempt failed
  lost,       // the script never reached the queue
  impossible, // more GPUs than there are
};
Message message_of(Segment segment);
Message message_of(RequestEnd end);
std::string to_text(RequestEnd end);

/// One retraining, from the need on.
struct Request {
  int id = 0;
  int model = 0;
  int number = 1; // of the model's needs
  Instant need{};
  Segment segment = Segment::need;
  std::array<Instant, 9> spent{}; // by segment; sum = end - need
  RequestEnd ended = RequestEnd::open;
  Instant end{};  // of the request; of an open one, of the run
  Message reason; // of its end
  Instant trained{-1};
  Instant deployed{-1};
  Instant input_wait{}; // of its training, for parts that were still on their way
  int uploads = 0;      // parts sent, repeats included
  int wrong_checksums = 0;
  int submissions = 0; // scripts sent
  int trainings = 0;   // jobs that reached the queue; more than attempts where scripts were sent twice
  int attempts = 0;
  double gpu_seconds = 0;
  double wasted_gpu_seconds = 0; // of them without a deployed model
  double redone_gpu_seconds = 0; // of them for work that a failure undid: since the last checkpoint
};

/// A change of the model that serves.
struct Deployment {
  int model = 0;
  int request = 0;
  Instant at{};
  Instant data{}; // up to when its data reach
};

/// One message or happening, in the order of the sequence diagram.
struct EnvironmentEvent {
  Instant at{};
  int request = -1;
  std::string_view from; // service, planner, storage, queue, cluster, serving
  std::string_view to;
  Message what;
};

/// What the planner saw when it started a training.
struct PlanningDecision {
  Instant at{};
  int request = -1;
  double priority = 0;
  std::string queue; // who waited: "faces-3 (priority 2, 1.2 h), …"
  std::string state; // who trained
  int busy_gpus = 0;
  int gpus = 0;
  Message why;
};

/// How busy the cluster and its queue are.
struct LoadSample {
  Instant at{};
  int busy_gpus = 0;
  int waiting = 0;
};

/// A training's stay on its GPUs.
struct TrainingStay {
  int request = 0;
  int attempt = 1;
  Instant from{};
  Instant to{};
  Instant save_from{-1};
  int gpus = 0;
  std::string nodes;
  std::vector<TaskShare> held; // empty: on a machine of its own
};

struct EnvironmentResult {
  std::vector<std::string> models; // copies written out
  std::vector<Instant> stale_after;
  std::vector<QualityCurve> quality;
  std::vector<Instant> first_data; // of the model that serves at the start
  std::vector<Request> requests;   // in order of their needs
  std::vector<Deployment> deployments;
  std::vector<EnvironmentEvent> events;
  std::vector<PlanningDecision> decisions;
  std::vector<TrainingStay> stays;
  std::vector<LoadSample> load;
  Instant end{};
  int gpus = 0;
  std::int64_t messages = 0; // sent, lost ones included
  std::int64_t lost_messages = 0;
  std::int64_t dropped_records = 0; // events and decisions beyond the limit
  std::int64_t plans = 0;           // schedules that the planner looked at
  double planning_seconds = 0;      // on the machine that runs this; not part of any file
  double first_makespan = 0;        // of the planner's first plan of several trainings, s; 0: no such plan
  DagProblem first_problem;         // what that plan was for
};

/// What one run needs besides the section: rates come from the step simulation, or from stated times.
struct EnvironmentInput {
  const TaskEnvironmentSection& section;
  TrainingRates& rates;
  std::uint64_t seed = 1;
  Instant until{};
  std::size_t most_records = 200'000; // of events, and of decisions
};

/// Runs it. Ends at `until`, whatever happens. The same input gives the same result.
EnvironmentResult simulate_environment(const EnvironmentInput& input, const DuplicatePolicy& duplicates,
                                       JobPlanner& planner);

} // namespace trainyard
