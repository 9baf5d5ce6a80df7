// SPDX-License-Identifier: Apache-2.0
// The run behind simulate_environment(), and retraining beside other sources of work: one class over several files.
#pragma once
#include "models/core/instant.hpp"
#include "models/core/random.hpp"
#include "models/scenario/sections/task_environment.hpp"
#include "sim/cluster/event_loop.hpp"
#include "sim/cluster/kernel.hpp"
#include "sim/sources/retraining/environment.hpp"
#include "sim/sources/retraining/need_trigger.hpp"
#include "sim/sources/retraining/shared_link.hpp"
#include "sim/sources/retraining/training_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::task_environment {

/// A question and its answer, tried several times.
struct Exchange {
  bool answered = false;
  Instant time{}; // until the answer, or until the service gives up
};

/// The first tick at or after @p from of a clock that ticks every @p period; @p phase in [0, 1) of a period after @p
/// zero.
inline Instant next_tick(Instant from, Instant zero, double phase, Instant period)
{
  const Instant first = zero + Instant{seconds(period) * phase};
  const Instant behind = (from - first) % period;
  return behind == Instant{0} ? from : behind > Instant{0} ? from + period - behind : from - behind;
}

/// Carries messages, each of which may get lost.
class MessageChannel
{
public:
  /// Counts into `messages` and `lost_messages` of @p counters.
  template <class Counters>
  MessageChannel(const MessageSpec& spec, Counters& counters)
      : spec_{spec}, sent_{counters.messages}, lost_{counters.lost_messages}
  {
  }

  bool arrives(RandomStream& random)
  {
    ++sent_;
    const bool there = spec_.loss <= 0 || random.uniform() >= spec_.loss;
    lost_ += there ? 0 : 1;
    return there;
  }

  /// Succeeds with probability 1 - f, f = (1 - (1 - p)^2)^k for loss p and k tries.
  Exchange exchange(RandomStream& random)
  {
    const Instant round_trip = 2 * Instant{spec_.latency}, patience = std::max(Instant{spec_.retry_after}, round_trip);
    Instant passed{};
    for (int attempt = 0; attempt < spec_.tries; ++attempt) {
      if (arrives(random) && arrives(random))
        return {true, passed + round_trip};
      passed += patience;
    }
    return {false, passed};
  }

private:
  const MessageSpec& spec_;
  std::int64_t& sent_;
  std::int64_t& lost_;
};

/// The participants of the sequence diagram.
inline constexpr std::string_view service = "service", planner_actor = "planner", storage = "storage",
                                  queue_actor = "queue", cluster = "cluster", serving = "serving";

std::string span_text(Instant time);
inline Figure span_of(Instant time)
{
  return {time.value(), span_text(time)};
}

inline constexpr Sentence<std::string> had_not_ended{"retraining.had_not_ended", "{request} had not ended"};

/// What a request needs besides what is reported of it.
struct Live {
  explicit Live(const Random& random)
      : messages{random.stream("messages")}, checksums{random.stream("checksums")}, failures{random.stream("failures")}
  {
    RandomStream draw = random.stream("phases");
    confirm_phase = draw.uniform();
    status_phase = draw.uniform();
    stretch_draw = random.stream("training").normal(0, 1);
  }

  RandomStream messages, checksums, failures;
  double confirm_phase = 0, status_phase = 0, stretch_draw = 0;
  Instant since{};            // of the present segment
  int epoch = 0;              // what was planned for an earlier epoch no longer happens
  std::vector<int> to_send;   // parts, next one last
  std::optional<int> sending; // transfer on the upload link
  int sending_part = 0;
  int parts_there = 0;
  bool begun = true;                 // else it waits for the end of an earlier one before its data are sent
  bool ready = false;                // its first part is confirmed
  bool submitted = false;            // its script is on its way, in the queue, or beyond
  bool acknowledged = false;         // the service knows that the queue has it
  bool in_queue = false;             // a job of it has reached the queue
  std::optional<Instant> challenged; // a newer one stands behind it since then
  std::vector<int> trainings;        // jobs of it in the cluster, by number
  double checkpointed = 0;           // share of the training that its last checkpoint holds
  std::optional<int> moving;         // transfer on the download link
};

/// A script in the queue: a job of a request.
struct Job {
  int request = 0;
  int attempt = 1;
  enum class State { waiting, training, saving, over } state = State::waiting;
  Instant submitted{};
  Instant started{-1};
  bool counted = false;   // its GPU time led to the deployed model
  double gpu_seconds = 0; // that it held, stays that have ended
  Instant held{};         // on GPUs, stays that have ended
  std::optional<int> saving;
  std::optional<EventLoop::Key> failure;
};

/// Retraining, as a source of work. A machine that fails ends the trainings on it.
class EnvironmentRun final : public Source
{
public:
  EnvironmentRun(const EnvironmentInput& input, const DuplicatePolicy& duplicates, JobPlanner& planner,
                 NodePool* shared = nullptr)
      : input_{input}, section_{input.section}, rates_{input.rates},
        duplicates_{duplicates}, planner_{planner}, random_{input.seed}, upload_{loop_, section_.upload_bandwidth},
        save_{loop_, section_.save_bandwidth}, download_{loop_, section_.download_bandwidth},
        pool_{loop_, rates_, section_.cluster, random_, section_.placement, [this](int job) { trained(job); }, shared},
        channel_{section_.messages, result_}, controlled_{planner.controls()}, submission_{controlled_
                                                                                               ? section_.submission
                                                                                               : "blind"}
  {
    begin();
  }

  /// From now on trainings are jobs of this queue, which lives as long as this. Before the run only.
  void send_to(JobQueue& queue) { pool_.send_to(queue); }
  /// From now on trainings of the planner and others slow each other on links. @p links lives as long as this.
  void share(SharedLinks& links) { pool_.share(links); }
  std::optional<Instant> next() const override;
  void act(Instant now) override;
  /// The outcome at @p ended. Nothing may be called after it.
  EnvironmentResult finish(Instant ended);

private:
  // environment.cpp: needs and ends
  void begin();
  Request& request(int id) { return result_.requests[static_cast<std::size_t>(id)]; }
  Live& live(int id) { return live_[static_cast<std::size_t>(id)]; }
  const RetrainedModel& spec(int id) { return rates_.spec(request(id).model); }
  std::string name(int id); // "faces-3"
  void log(int id, std::string_view from, std::string_view to, Message what);
  void move_to(int id, Segment segment);
  void later(Instant when, int id, std::function<void()> action);
  void need(int model);
  std::optional<int> under_way(int model);
  DuplicateSituation situation(int earlier);
  void end_transfers(int id, bool downloads);
  void finish(int id, RequestEnd end, Message reason);
  void sample();
  void close();

  // submission.cpp: upload and confirmation
  void begin_upload(int id);
  void send_next(int id);
  void sent(int id);
  void confirm(int id, int part, bool wrong, Instant from);
  void confirmed(int id, int part, bool wrong);
  double available(int id);

  // submission.cpp: duplicates
  std::optional<int> in_cluster(int model, int except);
  void submit_or_wait(int id);
  void release_held(int model);

  // submission.cpp: submission
  void submit(int id);
  void send_script(int id);
  void ask(int id);
  void enqueue(int id);
  void acknowledged(int id);
  void timed_out(int id);

  // training_queue.cpp: queue and training
  void dispatch_soon();
  void dispatch();
  void decided(int job, const std::vector<int>& waiting, const std::vector<int>& training, int busy, bool passed);
  bool start(int job, int gpu_type);
  void began(int job);
  void end_stay(int job);
  double stretch(int id);
  void plan_failure(int job);
  void trained(int job);
  void saved(int job);
  void failed(int job);
  void leave(int job);

  // training_queue.cpp: trainings as jobs of the cluster's queue
  void send(int job);
  void read_news();
  void stopped(int job, bool by_failure);

  // deployment.cpp: finding out
  void watch(int id);
  void look(int id, Instant from);
  void found(int id);
  void attempt_failed(int id, const Message& reason);
  void resume_upload(int id);

  // deployment.cpp: download and deployment
  void download(int id);
  void deploy(int id);

  const EnvironmentInput& input_;
  const TaskEnvironmentSection& section_;
  TrainingRates& rates_;
  const DuplicatePolicy& duplicates_;
  JobPlanner& planner_;
  Random random_;
  EventLoop loop_;
  EnvironmentResult result_;
  SharedLink upload_, save_, download_;
  TrainingPool pool_;
  MessageChannel channel_;
  bool controlled_;
  std::string submission_;
  std::vector<std::unique_ptr<NeedTrigger>> triggers_;
  std::vector<RandomStream> needs_;
  std::vector<int> numbers_;
  std::vector<Live> live_;
  std::map<int, std::set<int>> active_; // requests that have not ended, by model
  std::vector<std::optional<int>> held_;
  std::vector<Instant> serving_data_;
  std::vector<Instant> serving_busy_;
  std::vector<Job> jobs_;
  std::vector<int> waiting_;
  std::map<int, std::size_t> stay_of_;
  std::map<int, double> kept_;
  bool dispatching_ = false;
};

} // namespace trainyard::task_environment
