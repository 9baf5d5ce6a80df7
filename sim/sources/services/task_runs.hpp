// SPDX-License-Identifier: Apache-2.0
// Tasks on their nodes. Private to this folder.
#pragma once
#include "sim/sources/services/recovery.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::orchestration {

/// Which images are on which machines, and the pulls under way. A machine's pulls share its link, all share the
/// registry (max-min fairness).
class ImagePulls : Books
{
public:
  /// All live as long as this.
  explicit ImagePulls(const Books& books) : Books{books} {}

  /// The image is on the machine from now on.
  void put(int node, const std::string& image) { put(node, number(image)); }
  /// The number of the service's image where the machine does not have it.
  std::optional<int> missing(const ServiceSpec& service, int node);
  /// The task waits for an image on its node; one pull serves all tasks there.
  void pull(int task, int image);
  /// The service's image is pulled outside the shares of the others. Returns when it is there.
  Instant pull_alone(const ServiceSpec& service, int node);
  /// EventKind::pulled: tells @p there of the tasks whose images have come. @p stamp: of the event.
  void pulled(std::uint32_t stamp, const std::function<void(int task)>& there);
  /// A lost node pulls no more.
  void drop(int node);

private:
  struct Pull {
    int node = 0;
    int image = 0;
    double left = 0; // bytes
    double rate = 0;
    std::vector<std::pair<int, std::uint32_t>> tasks; // that wait for it, with their stamps
  };
  int number(const std::string& image);
  void put(int node, int image);
  void carry();
  void plan();

  std::map<std::string, int> numbers_;
  std::deque<Pull> pulls_;
  Instant since_{0};
  std::uint32_t stamp_ = 0;
};

/// The rolling updates under way: which tasks are to be updated, batch after batch.
class RollingUpdates : Books
{
public:
  /// All live as long as this.
  explicit RollingUpdates(const Books& books) : Books{books} {}

  /// Begins an update of all tasks of the service; its number.
  int begin(int service, const UpdateSpec& spec);
  /// The next tasks to update at once; none: the update is done.
  std::vector<int> next_batch(int update);
  /// Whether new instances start before the old ones stop.
  bool start_first(int update) const;
  /// A task of an update runs in its new form, or stays as it was; after the last of a batch the next one is planned.
  void updated(int task);

private:
  struct Update {
    int service = 0;
    UpdateSpec spec;
    std::vector<int> tasks;
    std::size_t next = 0;
    int under_way = 0;
    Instant began{0};
  };
  void log_done(const Update& update);

  std::vector<Update> updates_;
};

/// Tasks on their nodes: the image, the start, the run, the end of the work.
class TaskRuns : TaskParts
{
public:
  /// All live as long as this.
  TaskRuns(const TaskParts& parts, TaskLife& life, Recovery& recovery)
      : TaskParts{parts}, life_{life}, recovery_{recovery}, process_draw_{
                                                                Random{input_.faults.seed()}.stream("faults process")}
  {
  }

  /// A waiting task takes a node and begins its start.
  void occupy(int task, int node);
  /// The image is there: the container starts.
  void start(int task);
  /// Its process runs.
  void run(int task);
  /// The work of a unit is done.
  void work_done(int unit);

private:
  void client_done(int unit);
  void end_of_work(int task, bool again);
  bool finds_gpu_memory(int task) const;
  bool finds_room_beside_others(int task) const;

  TaskLife& life_;
  Recovery& recovery_;
  RandomStream process_draw_;
};

/// New instances that are started before the old ones of the same tasks stop.
class Surges : TaskParts
{
public:
  /// All live as long as this.
  Surges(const TaskParts& parts, TaskLife& life, TaskRuns& runs) : TaskParts{parts}, life_{life}, runs_{runs} {}

  /// Starts the new instance of a task beside the old one; false if no node has space.
  bool start(int task);
  /// The new instance runs: the old one ends.
  void swap(int surge);
  /// The nodes or GPUs of new instances are lost.
  void cancel_on(int node);
  void cancel_on_gpu(int node, int gpu);
  /// What they hold up to the end of the run.
  void finish();

private:
  struct Surge {
    int task = 0;
    int instance = -1;
    TaskShare share;
    Instant placed{0};
    bool over = false;
  };
  void cancel(Surge& surge);

  TaskLife& life_;
  TaskRuns& runs_;
  std::vector<Surge> surges_;
};

} // namespace trainyard::orchestration
