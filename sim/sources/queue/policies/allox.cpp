// SPDX-License-Identifier: Apache-2.0
// AlloX (Le et al., EuroSys 2020): which waiting job runs on which kind of GPU, so that the mean completion time is
// smallest. A job that is the k-th from the end on its GPU delays k jobs, itself included, by its run time there: of
// all ways to give each job a GPU and a place in that GPU's line, the one with the smallest sum of k x run time is a
// minimum-cost matching (section 4). Who stands first in a line starts; nobody is stopped, and the rest is matched anew
// at the next event. For fairness only a share of the queue, the jobs that have waited longest, takes part (section 5).
#include "sim/sources/queue/policies/machine_pools.hpp"

#include <algorithm>
#include <limits>

namespace trainyard {
namespace {

constexpr double impossible = 1e15; // cost of a job on a type where it cannot run

/// For each row of @p cost a column of its own, with the smallest sum; at least as many columns as rows. Shortest
/// augmenting paths (Jonker, Volgenant 1987), rows x rows x columns steps.
std::vector<std::size_t> matching(const std::vector<std::vector<double>>& cost)
{
  const std::size_t rows = cost.size(), columns = cost.front().size();
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<double> of_row(rows, 0), of_column(columns + 1, 0); // dual values
  std::vector<std::size_t> row_of(columns + 1, none);             // the last column is where a search begins
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<double> least(columns, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> before(columns, columns);
    std::vector<bool> done(columns + 1, false);
    std::size_t at = columns;
    row_of[columns] = row;
    while (row_of[at] != none) {
      done[at] = true;
      const std::size_t here = row_of[at];
      double step = std::numeric_limits<double>::infinity();
      std::size_t next = columns;
      for (std::size_t column = 0; column < columns; ++column) {
        if (done[column])
          continue;
        const double reduced = cost[here][column] - of_row[here] - of_column[column];
        if (reduced < least[column]) {
          least[column] = reduced;
          before[column] = at;
        }
        if (least[column] < step) {
          step = least[column];
          next = column;
        }
      }
      for (std::size_t column = 0; column <= columns; ++column)
        if (done[column]) {
          of_row[row_of[column]] += step;
          of_column[column] -= step;
        } else if (column < columns) {
          least[column] -= step;
        }
      at = next;
    }
    while (at != columns) {
      row_of[at] = row_of[before[at]];
      at = before[at];
    }
  }
  std::vector<std::size_t> column_of(rows, 0);
  for (std::size_t column = 0; column < columns; ++column)
    if (row_of[column] != none)
      column_of[row_of[column]] = column;
  return column_of;
}

class AlloX final : public QueuePolicy
{
public:
  explicit AlloX(const Settings& settings)
      : share_{settings.number("alpha", 0.3)}, most_{static_cast<std::size_t>(settings.number("most_jobs", 128))}
  {
  }

  PoolOfMachines pool;

  static std::vector<Parameter> parameters()
  {
    return {{.name = "alpha",
             .kind = "number",
             .default_value = "0.3",
             .meaning =
                 "share of the queue that is matched, who has waited longest first; at least as many jobs as GPUs "
                 "are free",
             .minimum = 0,
             .maximum = 1,
             .source = "AlloX, section 5; Gavel's scheduler/policies/allox.py"},
            {.name = "most_jobs",
             .default_value = "128",
             .meaning = "jobs that are matched at once; the time it takes grows with their cube",
             .minimum = 1,
             .maximum = 10'000}};
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    std::vector<int> free;
    int all_free = 0;
    for (int type = 0; type < cluster.cluster().gpu_types(); ++type) {
      free.push_back(pool.free_gpus_of_type(cluster, type));
      all_free += free.back();
    }
    std::vector<JobId> queue;
    for (const JobId id : pool.waiting(cluster))
      if (cluster.job(id).gpus == 0 || cluster.job(id).gpu_milli < 1000)
        decisions.start(id); // the rule is about whole GPUs
      else
        queue.push_back(id);
    if (queue.empty() || all_free == 0)
      return;
    const auto wanted = std::max(static_cast<std::size_t>(all_free),
                                 static_cast<std::size_t>(share_ * static_cast<double>(queue.size())));
    queue.resize(std::min({queue.size(), wanted, most_}));
    start_matched(cluster, decisions, queue, free);
  }
  bool unlike_tasks() const override { return false; }

private:
  struct Place { // of a GPU's line
    int type = 0;
    int from_end = 1;
  };

  /// How long the GPUs of a type are the job's: a gang of n counts n times.
  double time_on(const ClusterView& cluster, JobId id, int type) const
  {
    const TraceJob& job = cluster.job(id);
    const double speed = cluster.workload().speed_on(job, type);
    return pool.has_for(cluster, job, type, job.gpus) && speed > 0
               ? std::max(cluster.estimated_remaining(id).value(), 1e-3) / speed * job.gpus
               : impossible;
  }

  void start_matched(const ClusterView& cluster, Decisions& decisions, const std::vector<JobId>& queue,
                     const std::vector<int>& free) const
  {
    std::vector<Place> places;
    for (int type = 0; type < static_cast<int>(free.size()); ++type) {
      // A place far from the end is never better than a free one nearer to it, so these are enough.
      const int gpus = free[static_cast<std::size_t>(type)];
      for (int place = 0; gpus > 0 && place < static_cast<int>(queue.size()) + gpus; ++place)
        places.push_back({type, place / gpus + 1});
    }
    std::vector<std::vector<double>> cost;
    for (const JobId id : queue) {
      cost.emplace_back();
      for (const Place& place : places)
        cost.back().push_back(time_on(cluster, id, place.type) * place.from_end);
    }
    const std::vector<std::size_t> chosen = matching(cost);
    // In each line the shortest stands first, so those who start on a type are the shortest that were given to it.
    std::vector<std::tuple<double, JobId, int>> order;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const int type = places[chosen[i]].type;
      if (const double time = time_on(cluster, queue[i], type); time < impossible)
        order.emplace_back(time, queue[i], type);
      else
        decisions.start(queue[i]); // on several types, where it fits so
    }
    std::ranges::sort(order);
    for (const auto& [time, id, type] : order)
      decisions.start(id, 0, type);
  }

  double share_;
  std::size_t most_;
};

using AlloXByPool = ByPool<AlloX>;
TY_REGISTER(QueuePolicy, AlloXByPool, "allox",
            "jobs to GPU types by minimum-cost matching: smallest mean completion time (AlloX)");

} // namespace
} // namespace trainyard
