// SPDX-License-Identifier: Apache-2.0
// Heterogeneity-aware scheduling by linear program, Gavel (Narayanan et al., OSDI 2020). The program says which share
// of the time each job should spend on each GPU type; rounds of fixed length come near to it: at each round, every
// type's GPUs go to the jobs with the largest (share wanted / share of the time had), gangs whole (section 5). The
// program is solved again when the set of jobs has changed.
#include "sim/sources/queue/policies/gavel_lp.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

namespace trainyard {
namespace {

class Gavel : public QueuePolicy
{
public:
  explicit Gavel(const Settings& settings)
      : round_{settings.number("round", 360)}, objective_{settings.text("objective", "max_min")}
  {
    if (!(round_ >= 0.01))
      throw std::invalid_argument{"gavel: the round must be at least 0.01 s"};
  }

  static std::vector<Parameter> parameters()
  {
    return {{.name = "round",
             .kind = "duration",
             .default_value = "6 min",
             .meaning = "length of a scheduling round",
             .minimum = 0.01,
             .maximum = 1e9,
             .source = "Gavel, section 5"},
            {.name = "objective",
             .kind = "name",
             .default_value = "max_min",
             .meaning = "what to optimise: largest minimum of throughput relative to an equal share, shortest "
                        "makespan, order of arrival, "
                        "or smallest maximum of finish-time rho",
             .choices = {"max_min", "makespan", "fifo", "finish_time_fairness"}}};
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (jobs_.try_emplace(id).second) {
      jobs_[id].had.assign(static_cast<std::size_t>(cluster.cluster().gpu_types()), 0);
      jobs_[id].since = cluster.now().value();
      changed_ = true;
    }
  }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    if (cluster.work_left(id) <= Instant{0}) {
      jobs_.erase(id);
      changed_ = true;
      return;
    }
    account(cluster, id);
  }

  void started(const ClusterView& cluster, JobId id) override { jobs_[id].counted = cluster.now().value(); }

  void withdrawn(const ClusterView&, JobId id) override
  {
    jobs_.erase(id);
    changed_ = true;
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (jobs_.empty())
      return;
    const double now = cluster.now().value();
    if (now + 1e-6 < next_round_) {
      decisions.wake_at(Seconds{next_round_});
      return;
    }
    next_round_ = (std::floor(now / round_ + 1e-9) + 1) * round_;
    for (const JobId id : cluster.running())
      account(cluster, id);
    if (changed_)
      plan(cluster);
    changed_ = false;
    play_round(cluster, decisions);
    decisions.wake_at(Seconds{next_round_});
  }

private:
  struct Share {
    std::vector<double> wanted;
    std::vector<double> had; // seconds on each type
    double since = 0;
    double counted = 0;
  };

  void account(const ClusterView& cluster, JobId id)
  {
    Share& share = jobs_[id];
    share.had[static_cast<std::size_t>(cluster.state(id).held.gpu_type)] += cluster.now().value() - share.counted;
    share.counted = cluster.now().value();
  }

  void plan(const ClusterView& cluster)
  {
    GavelProblem problem;
    const int types = cluster.cluster().gpu_types();
    for (int type = 0; type < types; ++type)
      problem.capacity.push_back(cluster.cluster().gpus_of_type(type));
    std::vector<Share*> planned;
    for (auto& [id, share] : jobs_) {
      const TraceJob& job = cluster.job(id);
      std::vector<double> speeds;
      for (int type = 0; type < types; ++type)
        speeds.push_back(can_run(cluster, job, type) ? cluster.workload().speed_on(job, type) : 0);
      if (std::ranges::none_of(speeds, [](double speed) { return speed > 0; })) {
        share.wanted.clear(); // more than any type has: it runs on several where it fits
        continue;
      }
      planned.push_back(&share);
      problem.throughput.push_back(std::move(speeds));
      problem.gpus.push_back(std::max(job.gpus, 1));
      const double left = std::max(cluster.estimated_remaining(id).value(), 1e-3);
      problem.weight.push_back(objective_ == "makespan" ? left : std::max(static_cast<double>(job.weight), 1e-6));
      problem.elapsed.push_back((cluster.now() - job.submit).value());
      problem.left.push_back(left);
    }
    if (planned.empty())
      return;
    const GavelAllocation allocation = objective_ == "makespan"               ? gavel_makespan(problem)
                                       : objective_ == "fifo"                 ? gavel_fifo(problem)
                                       : objective_ == "finish_time_fairness" ? gavel_finish_time_fairness(problem)
                                                                              : gavel_max_min(problem);
    for (std::size_t row = 0; row < planned.size(); ++row)
      planned[row]->wanted = allocation.share[row];
  }

  static bool can_run(const ClusterView& cluster, const TraceJob& job, int type)
  {
    return (job.gpu_type < 0 || job.gpu_type == type) && job.gpus <= cluster.cluster().gpus_of_type(type);
  }

  void play_round(const ClusterView& cluster, Decisions& decisions)
  {
    // (priority, speed, job, type): what the program wants first; then, so that no GPU idles, whatever else could run.
    std::vector<std::tuple<double, double, JobId, int>> wishes;
    for (const auto& [id, share] : jobs_)
      for (int type = 0; type < static_cast<int>(share.wanted.size()); ++type) {
        const TraceJob& job = cluster.job(id);
        const double speed = cluster.workload().speed_on(job, type);
        if (speed <= 0 || (job.gpu_type >= 0 && job.gpu_type != type))
          continue;
        const double elapsed = std::max(cluster.now().value() - share.since, 1e-9);
        const double had = share.had[static_cast<std::size_t>(type)] / elapsed;
        const double wanted = share.wanted[static_cast<std::size_t>(type)];
        const double priority = wanted < 1e-6 ? 0 : had > 0 ? wanted / had : 1e9 * wanted;
        wishes.emplace_back(-priority, -speed, id, type);
      }
    std::ranges::sort(wishes);
    std::vector<std::int64_t> left;
    for (int type = 0; type < cluster.cluster().gpu_types(); ++type)
      left.push_back(static_cast<std::int64_t>(cluster.cluster().free_gpus_of_type(type)) * 1000);
    for (const JobId id : cluster.running())
      left[static_cast<std::size_t>(cluster.state(id).held.gpu_type)] += cluster.state(id).held.milli();
    std::map<JobId, int> chosen;
    for (const auto& [priority, speed, id, type] : wishes) {
      const std::int64_t needed = request_of(cluster.job(id)).milli();
      if (left[static_cast<std::size_t>(type)] < needed || chosen.contains(id))
        continue;
      left[static_cast<std::size_t>(type)] -= needed;
      chosen[id] = type;
    }
    const std::vector<JobId> running{cluster.running().begin(), cluster.running().end()};
    for (const JobId id : running) {
      const auto next = chosen.find(id);
      if (next == chosen.end() || next->second != cluster.state(id).held.gpu_type)
        decisions.preempt(id);
    }
    for (const auto& [id, type] : chosen)
      if (!cluster.is_running(id))
        decisions.start(id, 0, type);
    for (const JobId id : running) // GPUs that fragmentation left idle
      if (!cluster.is_running(id))
        decisions.start(id);
    for (const auto& [id, share] : jobs_)
      if (share.wanted.empty() && !cluster.is_running(id))
        decisions.start(id);
  }

  double round_;
  std::string objective_;
  bool changed_ = false;
  double next_round_ = 0;
  std::map<JobId, Share> jobs_; // all that are here and not done
};

TY_REGISTER(QueuePolicy, Gavel, "gavel", "shares of time on each GPU type by linear program, in rounds (Gavel)");

} // namespace
} // namespace trainyard
