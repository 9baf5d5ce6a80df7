// SPDX-License-Identifier: Apache-2.0
// Heterogeneity-aware scheduling by linear program, Gavel (Narayanan et al., OSDI 2020). The program says which share
// of the time each job should spend on each GPU type; rounds of fixed length come near to it: at each round, every
// type's GPUs go to the jobs with the largest (share wanted / share of the time had), gangs whole (section 5). The
// program is solved again when the set of jobs has changed. With space sharing, two jobs of as many GPUs may hold half
// of the same ones (scheduler/policies/max_min_fairness.py, MaxMinFairnessPolicyWithPacking): pairs have shares of
// their own, and in a round a job runs alone or in one pair.
#include "sim/cluster/cluster_state.hpp"
#include "sim/sources/queue/policies/gavel_lp.hpp"
#include "sim/sources/queue/policies/machine_pools.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

class Gavel final : public QueuePolicy
{
public:
  explicit Gavel(const Settings& settings)
      : round_{settings.duration("round", 360_s)}, objective_{settings.text("objective", "max_min")},
        space_sharing_{settings.flag("space_sharing", false)}
  {
    if (round_ < 10_ms)
      throw std::invalid_argument{"gavel: the round must be at least 0.01 s"};
  }

  PoolOfMachines pool;

  static std::vector<Parameter> parameters()
  {
    return {duration("round", "6 min", "length of a scheduling round", 0.01, "Gavel, section 5"),
            choice("objective", "max_min", {"max_min", "makespan", "fifo", "finish_time_fairness"},
                   "what to optimise: largest minimum of throughput relative to an equal share, shortest "
                   "makespan, order of arrival, "
                   "or smallest maximum of finish-time rho"),
            flag("space_sharing", false,
                 "two jobs of as many GPUs may run on the same ones, as fast as workload: {throughputs: FILE} "
                 "says of the pair",
                 "Gavel, space sharing")};
  }

  void begin(const ClusterView& cluster) override
  {
    if (!space_sharing_)
      return;
    if (cluster.cluster().counted())
      throw std::invalid_argument{"gavel: space_sharing needs machines; remove scheduling.cluster: pool"};
    if (cluster.workload().speed_beside.empty() && cluster.workload().size() > 0)
      throw std::invalid_argument{"gavel: space_sharing needs workload: {throughputs: FILE} with pairs of jobs"};
  }

  bool take_over(const Gavel& before, JobId id)
  {
    next_round_ = std::max(next_round_, before.next_round_);
    changed_ = true;
    const auto known = before.jobs_.find(id);
    if (known == before.jobs_.end())
      return false;
    jobs_[id] = known->second;
    if (const JobId partner = before.partner_of(id))
      partner_[id] = partner;
    for (const auto& [pair, share] : before.pairs_)
      if (pair.first == id)
        pairs_[pair] = share;
    return true;
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (jobs_.try_emplace(id).second) {
      jobs_[id].had.assign(static_cast<std::size_t>(cluster.cluster().gpu_types()), Instant{});
      jobs_[id].since = cluster.now();
      changed_ = true;
    }
  }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    if (partner_.contains(id)) {
      account(cluster, id);
      part(cluster, id);
    }
    if (cluster.work_left(id) <= Instant{0}) {
      jobs_.erase(id);
      changed_ = true;
      return;
    }
    account(cluster, id);
  }

  void started(const ClusterView& cluster, JobId id) override { jobs_[id].counted = cluster.now(); }

  void withdrawn(const ClusterView&, JobId id) override
  {
    jobs_.erase(id);
    changed_ = true;
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (jobs_.empty())
      return;
    between_rounds_ = cluster.now() < next_round_;
    if (!between_rounds_) {
      next_round_ = cluster.now() - cluster.now() % round_ + round_;
      for (const JobId id : pool.running(cluster))
        account(cluster, id);
      if (changed_)
        plan(cluster);
      changed_ = false;
      play_round(cluster, decisions);
    }
    decisions.wake_at(next_round_);
  }

  /// Who fits between rounds waits for the next one: no other job gets these GPUs.
  WaitReason usual_reason() const override
  {
    return between_rounds_ ? WaitReason::next_decision : WaitReason::lower_rank;
  }
  bool unlike_tasks() const override { return false; }

private:
  struct Share {
    std::vector<double> wanted;
    std::vector<Instant> had; // on each type
    Instant since;
    Instant counted;
  };
  using Pair = std::pair<JobId, JobId>; // the smaller first
  struct Choice {
    int type = 0;
    JobId partner; // none: it runs alone
  };
  /// (priority, speed, job, type, partner): smaller ones first.
  using Wish = std::tuple<double, double, JobId, int, JobId>;

  /// Beside whom it runs; none: alone.
  JobId partner_of(JobId id) const
  {
    const auto found = partner_.find(id);
    return found == partner_.end() ? JobId{} : found->second;
  }

  /// One of a pair stops: the other goes on alone, on its half of the GPUs, until a round moves it.
  void part(const ClusterView& cluster, JobId id)
  {
    const JobId other = partner_of(id);
    jobs_[id].counted = jobs_[other].counted = cluster.now();
    partner_.erase(id);
    partner_.erase(other);
  }

  void account(const ClusterView& cluster, JobId id)
  {
    const JobId partner = partner_of(id);
    Share& share = partner ? pairs_[std::minmax(id, partner)] : jobs_[id];
    share.had[static_cast<std::size_t>(cluster.state(id).held.gpu_type)] += cluster.now() - share.counted;
    share.counted = cluster.now();
  }

  void plan(const ClusterView& cluster)
  {
    GavelProblem problem;
    const int types = cluster.cluster().gpu_types();
    for (int type = 0; type < types; ++type)
      problem.capacity.push_back(pool.gpus_of_type(cluster, type));
    std::vector<Share*> planned;
    std::vector<JobId> ids;
    for (auto& [id, share] : jobs_) {
      const TraceJob& job = cluster.job(id);
      std::vector<double> speeds;
      speeds.reserve(static_cast<std::size_t>(types));
      for (int type = 0; type < types; ++type)
        speeds.push_back(pool.has_for(cluster, job, type, job.gpus) ? cluster.workload().speed_on(job, type) : 0);
      if (job.gpus == 0 || std::ranges::none_of(speeds, [](double speed) { return speed > 0; })) {
        share.wanted.clear(); // no GPUs, or more than any type has: it runs where it fits
        continue;
      }
      planned.push_back(&share);
      ids.push_back(id);
      problem.throughput.push_back(std::move(speeds));
      problem.gpus.push_back(static_cast<double>(request_of(job).milli()) / 1000);
      const double left = std::max(cluster.estimated_remaining(id).value(), 1e-3);
      problem.weight.push_back(objective_ == "makespan" ? left : std::max(static_cast<double>(job.weight), 1e-6));
      problem.elapsed.push_back((cluster.now() - job.submit).value());
      problem.left.push_back(left);
    }
    forget_pairs();
    if (planned.empty())
      return;
    if (space_sharing_)
      find_pairs(cluster, ids, problem);
    const GavelAllocation allocation = objective_ == "makespan"               ? gavel_makespan(problem)
                                       : objective_ == "fifo"                 ? gavel_fifo(problem)
                                       : objective_ == "finish_time_fairness" ? gavel_finish_time_fairness(problem)
                                                                              : gavel_max_min(problem);
    for (std::size_t row = 0; row < planned.size(); ++row)
      planned[row]->wanted = allocation.share[row];
    for (std::size_t row = 0; row < problem.pairs.size(); ++row) {
      const std::vector<double>& wanted = allocation.pair_share[row];
      if (std::ranges::none_of(wanted, [](double share) { return share >= 1e-6; }))
        continue;
      const GavelPair& pair = problem.pairs[row];
      const auto [found, fresh] = pairs_.try_emplace({ids[pair.one], ids[pair.other]});
      if (fresh) {
        found->second.had.assign(static_cast<std::size_t>(types), Instant{});
        found->second.since = cluster.now();
      }
      found->second.wanted = wanted;
    }
  }

  /// Nobody wants to be beside anybody; pairs of which one is gone are forgotten.
  void forget_pairs()
  {
    std::erase_if(
        pairs_, [&](const auto& one) { return !jobs_.contains(one.first.first) || !jobs_.contains(one.first.second); });
    for (auto& [pair, share] : pairs_)
      share.wanted.assign(share.wanted.size(), 0);
  }

  /// Who gains beside each other: where both together leave no more than one has alone, taking turns is as good.
  void find_pairs(const ClusterView& cluster, const std::vector<JobId>& ids, GavelProblem& problem) const
  {
    const auto types = static_cast<int>(problem.capacity.size());
    for (std::size_t one = 0; one < ids.size(); ++one)
      for (std::size_t other = one + 1; other < ids.size(); ++other) {
        const TraceJob &first = cluster.job(ids[one]), &second = cluster.job(ids[other]);
        if (first.gpus != second.gpus || first.gpu_milli < 1000 || second.gpu_milli < 1000)
          continue;
        GavelPair pair{.one = one, .other = other, .of_one = {}, .of_other = {}};
        bool gains = false;
        for (int type = 0; type < types; ++type) {
          const double of_first = cluster.workload().left_beside(first, second, type);
          const double of_second = cluster.workload().left_beside(second, first, type);
          const bool good = pool.has_for(cluster, first, type, first.gpus) &&
                            pool.has_for(cluster, second, type, second.gpus) && of_first > 0 && of_second > 0 &&
                            of_first + of_second > 1;
          pair.of_one.push_back(good ? of_first : 0);
          pair.of_other.push_back(good ? of_second : 0);
          gains = gains || good;
        }
        if (gains)
          problem.pairs.push_back(std::move(pair));
      }
  }

  /// How much of its share of a type is still to come, over what it had.
  static double priority_of(const Share& share, int type, Instant now)
  {
    const double had = share.had[static_cast<std::size_t>(type)] / std::max(now - share.since, Instant{1});
    const double wanted = share.wanted[static_cast<std::size_t>(type)];
    return wanted < 1e-6 ? 0 : had > 0 ? wanted / had : 1e9 * wanted;
  }

  /// What the program wants first; then, so that no GPU idles, whatever else could run alone.
  std::vector<Wish> wishes_of(const ClusterView& cluster) const
  {
    std::vector<Wish> wishes;
    for (const auto& [id, share] : jobs_)
      for (int type = 0; type < static_cast<int>(share.wanted.size()); ++type) {
        const TraceJob& job = cluster.job(id);
        const double speed = cluster.workload().speed_on(job, type);
        if (speed > 0 && pool.has_for(cluster, job, type, job.gpus))
          wishes.emplace_back(-priority_of(share, type, cluster.now()), -speed, id, type, JobId{});
      }
    for (const auto& [pair, share] : pairs_)
      for (int type = 0; type < static_cast<int>(share.wanted.size()); ++type)
        if (const double priority = priority_of(share, type, cluster.now()); priority > 0)
          wishes.emplace_back(-priority, 0, pair.first, type, pair.second);
    std::ranges::sort(wishes);
    return wishes;
  }

  /// Who runs in this round, where, and beside whom.
  std::map<JobId, Choice> choose(const ClusterView& cluster) const
  {
    std::vector<std::int64_t> left;
    const int types = cluster.cluster().gpu_types();
    left.reserve(static_cast<std::size_t>(types));
    for (int type = 0; type < types; ++type)
      left.push_back(pool.free_milli_of_type(cluster, type));
    for (const JobId id : pool.running(cluster)) {
      const Allocation& held = cluster.state(id).held;
      const JobId partner = partner_of(id);
      if (!partner || id < partner) // a half of GPUs whose other half nobody has counts as whole
        left[static_cast<std::size_t>(held.gpu_type)] +=
            space_sharing_ ? request_of(cluster.job(id), held.gpus).milli() : held.milli();
    }
    std::map<JobId, Choice> chosen;
    for (const auto& [priority, speed, id, type, partner] : wishes_of(cluster)) {
      const std::int64_t needed = request_of(cluster.job(id)).milli();
      if (left[static_cast<std::size_t>(type)] < needed || chosen.contains(id) || chosen.contains(partner))
        continue;
      left[static_cast<std::size_t>(type)] -= needed;
      chosen[id] = {type, partner};
      if (partner)
        chosen[partner] = {type, id};
    }
    return chosen;
  }

  void play_round(const ClusterView& cluster, Decisions& decisions)
  {
    const std::map<JobId, Choice> chosen = choose(cluster);
    const std::vector<JobId> running = pool.running(cluster);
    for (const JobId id : running) {
      const auto next = chosen.find(id);
      if (next == chosen.end() || next->second.type != cluster.state(id).held.gpu_type ||
          next->second.partner != partner_of(id))
        decisions.preempt(id);
    }
    for (const auto& [id, choice] : chosen) {
      if (cluster.is_running(id))
        continue;
      const bool in_pair = choice.partner && !cluster.is_running(choice.partner);
      if (!in_pair || !start_pair(cluster, decisions, id, choice.partner, choice.type))
        decisions.start(id, 0, choice.type);
    }
    for (const JobId id : running) // GPUs that fragmentation left idle
      if (!cluster.is_running(id))
        decisions.start(id);
    for (const auto& [id, share] : jobs_)
      if (share.wanted.empty() && !cluster.is_running(id))
        decisions.start(id);
  }

  /// Whole free GPUs of a type for two jobs of as many: all on the machine that they fit best, or on as many as it
  /// takes.
  static std::vector<ChosenGpus> free_gpus(const NodePool& nodes, int type, const TraceJob& one, const TraceJob& other)
  {
    int wanted = one.gpus;
    std::vector<int> machines;
    for (int node = 0; node < nodes.size(); ++node)
      if (nodes.state(node).up && nodes.shape(node).gpu_type == type && nodes.state(node).whole_free > 0 &&
          nodes.admits(node, one.demands) && nodes.admits(node, other.demands))
        machines.push_back(node);
    std::ranges::stable_sort(machines, {}, [&](int node) { // who holds them all, with least left; then the most free
      const int free = nodes.state(node).whole_free;
      return free >= wanted ? std::pair{0, free} : std::pair{1, -free};
    });
    std::vector<ChosenGpus> chosen;
    for (const int node : machines) {
      if (wanted == 0)
        break;
      ChosenGpus& here = chosen.emplace_back(ChosenGpus{.node = node, .gpus = {}});
      for (int gpu = 0; gpu < nodes.shape(node).gpus && wanted > 0; ++gpu)
        if (nodes.gpu_free(node)[static_cast<std::size_t>(gpu)] == 1000) {
          here.gpus.push_back(gpu);
          --wanted;
        }
    }
    return wanted == 0 ? chosen : std::vector<ChosenGpus>{};
  }

  /// Starts both on the same GPUs, a half each; false, and nothing done, where they find no such place.
  bool start_pair(const ClusterView& cluster, Decisions& decisions, JobId one, JobId other, int type)
  {
    const NodePool& nodes = cluster.cluster().nodes();
    const std::vector<ChosenGpus> gpus = free_gpus(nodes, type, cluster.job(one), cluster.job(other));
    if (gpus.empty())
      return false;
    std::map<int, std::pair<std::int64_t, std::int64_t>> needed; // by machine: CPU and memory of both
    std::vector<Allocation> places;
    for (const JobId id : {one, other}) {
      try {
        places.push_back(chosen_place(cluster.workload(), id, nodes, gpus));
      } catch (const std::invalid_argument&) {
        return false;
      }
      for (TaskShare& share : places.back().shares) {
        share.gpu_milli = 500;
        needed[share.node].first += share.cpu_milli;
        needed[share.node].second += share.memory_mib;
      }
    }
    for (const auto& [node, both] : needed)
      if (both.first > nodes.state(node).free_cpu || both.second > nodes.state(node).free_memory)
        return false;
    decisions.start_at(one, std::move(places.front()));
    decisions.start_at(other, std::move(places.back()));
    partner_[one] = other;
    partner_[other] = one;
    pairs_[std::minmax(one, other)].counted = cluster.now();
    return true;
  }

  Instant round_;
  std::string objective_;
  bool space_sharing_;
  bool changed_ = false;
  bool between_rounds_ = false;
  Instant next_round_;
  std::map<JobId, Share> jobs_;    // all that are here and not done
  std::map<Pair, Share> pairs_;    // that the program wanted since both came
  std::map<JobId, JobId> partner_; // of running jobs
};

using GavelByPool = ByPool<Gavel>;
TY_REGISTER(QueuePolicy, GavelByPool, "gavel", "shares of time on each GPU type by linear program, in rounds (Gavel)");

} // namespace
} // namespace trainyard
