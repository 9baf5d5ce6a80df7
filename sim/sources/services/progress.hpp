// SPDX-License-Identifier: Apache-2.0
// How fast jobs work. Private to this folder.
#pragma once
#include "sim/cluster/speed/shared_links.hpp"
#include "sim/sources/services/books.hpp"

#include <limits>
#include <set>

namespace trainyard::orchestration {

struct Crew; // the tasks of a unit that work now

/// Progress of jobs: what runs, how fast beside what else, and when the work is done.
class Progress : Books
{
public:
  /// All live as long as this.
  explicit Progress(const Books& books) : Books{books} {}

  /// Accounts of a unit up to now, at the speed that held since the last change; to be called before a change.
  void carry(int unit);
  void carry_all();
  /// Recomputes a unit's speed after a change, and when it will be done.
  void refresh(int unit);
  void refresh_node(int node);

  /// What a running task takes from others on its node begins (+1) or ends (-1).
  void burden(const Task& task, int sign);
  /// Speeds after all that began or ended in this instant.
  void refresh_burdened();
  /// A machine's link has @p remaining of its bandwidth, 0..1.
  void set_link(int node, double remaining);
  /// The storage of checkpoints, local or @p remote, fails (+1) or is repaired (-1).
  void storage_fails(bool remote, int sign);
  /// From now on training of services and of others slow each other on links. @p links lives as long as this.
  void share(SharedLinks& links) { links_ = &links; }
  bool links_changed() const { return links_ != nullptr && links_->changes() != links_seen_; }
  /// New speeds, where others on the links came or went.
  void follow_links();
  /// The unit's training is over.
  void leave_links(Unit& unit);
  /// Hands the next client's work to the tasks that wait for it.
  void next_client(int unit);

private:
  double speed_of(Unit& unit);
  /// Writes down what its GPUs do from now on.
  void record_work(int unit);
  /// Which of the running workers take part in a job with tokens, and how many tokens are lost; leaves the others out.
  void count_tokens(Unit& unit, const ServiceSpec& service, Crew& crew);
  /// The unit's speed beside the others on its links over that alone. Gangs with parameter servers, and tasks without
  /// GPUs, count as alone.
  double share_of_links(Unit& unit, std::span<const RunningTask> places);
  double task_speed(const Task& task, bool alone) const;
  bool storage_of(const Unit& unit) const;
  void share_storage();

  int storage_down_ = 0;
  int object_store_down_ = 0;
  double storage_level_ = std::numeric_limits<double>::infinity(); // bytes/s that a reader gets at most
  bool sharing_ = false;
  SharedLinks* links_ = nullptr; // null: nobody else is on the links
  std::uint64_t links_seen_ = 0;
  std::set<int> burdened_; // nodes where a task began or stopped to slow down others
};

} // namespace trainyard::orchestration
