// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/cluster_state.hpp"
#include "sim/cluster/event_loop.hpp"
#include "sim/cluster/job_queue.hpp"
#include "sim/cluster/speed/shared_links.hpp"
#include "sim/sources/retraining/training_rates.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace trainyard {

/// A training on its GPUs: how far it is, and how fast it goes on.
struct RunningWork {
  int model = 0;
  Allocation held;
  double done = 0;       // share of the training, 0…1
  double begun_with = 0; // from a checkpoint
  double available = 1;  // share for which the data are there
  double stretch = 1;    // this training takes so many times as long as the model's usually do
  double rate = 0;       // share per second, while there are data
  Instant since{};       // of `done`
  Instant begin{};
  Instant stalled{};  // for missing data
  bool stops = false; // saves; holds its GPUs, works no more
  std::optional<EventLoop::Key> due;
  std::optional<int> visitor; // on links that it shares with others
};

/// The GPUs of the cluster, or of every model's own machine, and the trainings on them. Or a queue that decides which
/// training gets GPUs, and when: then this only knows who runs where.
class TrainingPool
{
public:
  TrainingPool(EventLoop& loop, TrainingRates& rates, bool cluster, const Random& random, const NamedPart& placement,
               std::function<void(int)> trained, NodePool* shared = nullptr);

  /// From now on trainings are jobs of this queue, which lives as long as this.
  void send_to(JobQueue& queue) { queue_ = &queue; }
  bool queued() const { return queue_ != nullptr; }
  /// A training joins the queue; @p begun_with of it is done already, data are there for @p available of it.
  void send(int training, int model, SentJob job, double begun_with, double available);
  /// From now on trainings and others slow each other on these links, which live as long as this.
  void share(SharedLinks& links) { links_ = &links; }
  /// What became of trainings in the queue, since this was asked last.
  struct News {
    int training = 0;
    JobNews what;
  };
  std::vector<News> news();
  /// The queue has given it these GPUs, or has taken them away.
  void began(int training, Allocation held);
  void lost(int training);

  int gpus() const;
  int busy_gpus() const { return busy_; }
  std::vector<int> capacity() const;
  std::vector<int> free() const;
  bool could_ever_fit(int model) const;
  /// Puts a training on GPUs of this type (-1: where it ends first); false if there are not enough free GPUs now.
  bool start(int training, int model, int gpu_type, double begun_with, double available, double stretch);
  /// More of its data have arrived.
  void feed(int training, double available);
  /// It has been trained, and only saves from now on.
  void rest(int training);
  /// It gives its GPUs back, or its place in the queue. @p done: after all its work.
  void stop(int training, bool done);

  /// Others on the same machines have given something back.
  bool may_have_gained() const
  {
    return queue_ != nullptr ? queue_->has_news()
                             : state_->may_have_gained() || state_->has_lost_machines() || links_changed();
  }
  /// Trainings whose machines failed, since this was asked last.
  std::vector<int> hit();
  bool holds(int training) const { return work_.contains(training); }
  std::vector<int> trainings() const;
  const RunningWork& work(int training);
  Instant expected_end(int training);
  /// Names of its machines: "node-3 node-4".
  std::string nodes(int training) const;

private:
  void advance(int training, RunningWork& work);
  void plan_end(int training, RunningWork& work);
  void rates_changed();
  bool links_changed() const { return links_ != nullptr && links_->changes() != links_seen_; }
  void leave_links(RunningWork& work);

  EventLoop& loop_;
  TrainingRates& rates_;
  bool cluster_;
  std::unique_ptr<PlacementPolicy> placement_;
  std::optional<ClusterState> state_;
  std::function<void(int)> trained_;
  std::map<int, RunningWork> work_;
  std::map<int, int> own_machine_; // model -> training
  /// A training in the queue, waiting or running.
  struct Queued {
    JobId id;
    int model = 0;
    Instant whole;         // work of the whole training
    double begun_with = 0; // share of it that was done before
  };
  Instant withheld(const Queued& queued, double available) const;
  JobQueue* queue_ = nullptr;
  SharedLinks* links_ = nullptr; // null: trainings only meet each other
  std::uint64_t links_seen_ = 0;
  std::map<int, Queued> sent_;
  std::map<JobId, int> training_of_;
  int busy_ = 0;
};

} // namespace trainyard
