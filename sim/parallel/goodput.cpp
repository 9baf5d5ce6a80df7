// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel/goodput.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr double weight_bytes = 2;  // of a parameter in 16 bit
constexpr double state_bytes = 12;  // copy and two moments in fp32
constexpr double in_steps_of = 1.1; // of intervals that are tried

/// A job between failures and repairs.
class FailingJob
{
public:
  explicit FailingJob(const FailurePlan& plan)
      : plan_{plan}, size_{&plan.all}, down_(static_cast<std::size_t>(plan.installed), 0), used_(down_.size(), false)
  {
    take_machines();
    train();
  }

  Goodput run(std::span<const MachineOutage> outages)
  {
    std::size_t next = 0;
    while (now_ < plan_.time) {
      pass_whole_cycles(next < outages.size() ? outages[next].at : never_);
      Seconds until = std::min({plan_.time, phase_end_, usable_at_});
      if (next < outages.size())
        until = std::min(until, outages[next].at);
      if (!repairs_.empty())
        until = std::min(until, Seconds{repairs_.top().first});
      pass(std::max(until, now_));
      if (now_ >= plan_.time)
        break;
      if (usable_at_ <= now_) {
        kept_ = snapshot_;
        usable_at_ = never_;
      }
      while (!repairs_.empty() && repairs_.top().first <= now_.value()) {
        const int machine = repairs_.top().second;
        repairs_.pop();
        --down_[static_cast<std::size_t>(machine)];
        come_back();
      }
      while (next < outages.size() && outages[next].at <= now_)
        fail(outages[next++]);
      if (phase_end_ <= now_)
        end_phase();
    }
    figures_.useful = work_;
    return figures_;
  }

private:
  enum class Phase { train, save, restart, wait };
  static constexpr Seconds never_{std::numeric_limits<double>::infinity()};

  /// Where nothing happens until @p outage, training and saving take turns: all but the last of these turns at once.
  void pass_whole_cycles(Seconds outage)
  {
    if (phase_ != Phase::train || phase_end_ != now_ + plan_.interval || usable_at_ != never_ ||
        size_->usable > size_->save)
      return; // a checkpoint that is written beside the training may be lost with what follows it
    Seconds until = std::min(plan_.time, outage);
    if (!repairs_.empty())
      until = std::min(until, Seconds{repairs_.top().first});
    const double cycles = std::floor((until - now_) / (plan_.interval + size_->save)) - 1;
    if (!(cycles > 0))
      return;
    now_ += cycles * (plan_.interval + size_->save);
    work_ += cycles * plan_.interval * size_->rate;
    figures_.fewer += cycles * plan_.interval * (1 - size_->rate);
    figures_.saving += cycles * size_->save;
    kept_ = snapshot_ = work_;
    train();
  }

  void pass(Seconds until)
  {
    const Seconds time = until - now_;
    now_ = until;
    if (phase_ == Phase::train) {
      work_ += time * size_->rate;
      figures_.fewer += time * (1 - size_->rate);
    } else {
      (phase_ == Phase::save      ? figures_.saving
       : phase_ == Phase::restart ? figures_.restarting
                                  : figures_.waiting) += time;
    }
  }

  void train()
  {
    phase_ = Phase::train;
    phase_end_ = now_ + plan_.interval;
  }

  void save()
  {
    snapshot_ = work_;
    usable_at_ = now_ + std::max(size_->usable, size_->save);
    phase_ = Phase::save;
    phase_end_ = now_ + size_->save;
  }

  void begin_again()
  {
    usable_at_ = never_; // what was not complete is gone
    if (!take_machines()) {
      phase_ = Phase::wait;
      phase_end_ = never_;
      return;
    }
    phase_ = Phase::restart;
    phase_end_ = now_ + size_->restart;
  }

  void end_phase()
  {
    if (phase_ == Phase::train)
      save();
    else if (std::exchange(grows_, false)) {
      kept_ = snapshot_;
      begin_again();
    } else {
      train();
      come_back(); // a machine may have been repaired meanwhile
    }
  }

  /// The most replicas for which enough machines work; null: too few for any.
  const TrainingSize* possible_size() const
  {
    const auto up = static_cast<int>(std::ranges::count(down_, 0));
    if (plan_.all.machines <= up)
      return &plan_.all;
    const auto fewer = std::ranges::find_if(plan_.fewer, [&](const TrainingSize& s) { return s.machines <= up; });
    return fewer == plan_.fewer.end() ? nullptr : &*fewer;
  }

  /// Takes machines that work for as many replicas as possible; false: too few.
  bool take_machines()
  {
    const TrainingSize* size = possible_size();
    used_.assign(used_.size(), false);
    if (size == nullptr)
      return false;
    size_ = size;
    int wanted = size->machines;
    for (std::size_t machine = 0; machine < down_.size() && wanted > 0; ++machine)
      if (down_[machine] == 0) {
        used_[machine] = true;
        --wanted;
      }
    return true;
  }

  void fail(const MachineOutage& outage)
  {
    bool hit = outage.machine < 0;
    if (outage.machine >= 0) {
      const auto machine = static_cast<std::size_t>(outage.machine);
      ++down_[machine];
      if (outage.until < never_)
        repairs_.emplace(std::max(outage.until, outage.at).value(), outage.machine);
      hit = used_[machine];
    }
    if (!hit || phase_ == Phase::wait)
      return;
    ++figures_.failures;
    figures_.lost += work_ - kept_;
    work_ = kept_;
    grows_ = false;
    begin_again();
  }

  /// A machine has been repaired: a job that waits looks again, one with fewer replicas saves and begins again with
  /// more.
  void come_back()
  {
    if (phase_ == Phase::wait) {
      begin_again();
      return;
    }
    if (phase_ != Phase::train || possible_size() == size_)
      return;
    grows_ = true;
    save();
  }

  const FailurePlan& plan_;
  const TrainingSize* size_; // with which it trains
  std::vector<int> down_;    // by machine: failures not repaired yet
  std::vector<bool> used_;   // by machine
  Phase phase_ = Phase::train;
  bool grows_ = false; // it saves in order to begin again with more replicas
  Seconds now_, phase_end_;
  Seconds work_, kept_, snapshot_;
  Seconds usable_at_ = never_;
  std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> repairs_;
  Goodput figures_;
};

} // namespace

CheckpointTimes checkpoint_times(const ParallelJob& job, BytesPerSecond storage)
{
  const ParallelLayout& l = job.layout;
  CheckpointTimes times;
  for (int stage = 0; stage < l.pp; ++stage) {
    const RankParameters held = rank_parameters(l, job.transformer, stage);
    const auto divided = [&](int ranks) {
      return held.dense / ranks + held.experts / std::max(1.0, 1.0 * ranks / l.ep);
    };
    const double share = divided(l.replicas()), kept = divided(l.shard_ranks());
    times.size += Bytes{(weight_bytes + state_bytes) * l.tp * (held.dense + held.experts * l.ep)};
    times.written = std::max(times.written, Bytes{(weight_bytes + state_bytes) * share});
    times.read = std::max(times.read, Bytes{weight_bytes * (l.zero == 3 ? kept : held.all()) +
                                            state_bytes * (l.zero >= 1 ? kept : held.all())});
  }
  const auto time = [&](Bytes of_rank) {
    const BytesPerSecond nic = job.network.between;
    return std::max(nic > BytesPerSecond{} ? of_rank / nic : Seconds{},
                    storage > BytesPerSecond{} ? times.size / storage : Seconds{});
  };
  times.save = time(times.written);
  times.load = time(times.read);
  return times;
}

std::vector<TrainingSize> fewer_replicas(const ParallelJob& job, int least)
{
  const int per_machine = job.network.gpus_per_node;
  const auto machines = [&](const ParallelLayout& layout) { return (layout.gpus() + per_machine - 1) / per_machine; };
  const double all = parallel_step(job).tokens_per_second;
  std::vector<TrainingSize> sizes;
  ParallelJob smaller = job;
  for (int dp = std::max(1, least); dp < job.layout.dp; ++dp) {
    smaller.layout = with_replicas(job.layout, dp);
    const int needed = machines(smaller.layout);
    if (needed >= machines(job.layout) || !layout_faults(smaller.layout, job.transformer, 0).empty())
      continue;
    const ParallelStep step = parallel_step(smaller);
    const double rate = step.tokens_per_second / all;
    if (step.memory.total() > job.gpu.memory || (!sizes.empty() && rate <= sizes.back().rate))
      continue;
    if (!sizes.empty() && sizes.back().machines == needed)
      sizes.pop_back();
    sizes.push_back({.machines = needed, .replicas = dp, .rate = rate, .save = {}, .usable = {}, .restart = {}});
  }
  std::ranges::reverse(sizes);
  return sizes;
}

Goodput goodput_of(const FailurePlan& plan, std::span<const MachineOutage> outages)
{
  return FailingJob{plan}.run(outages);
}

Seconds young_interval(Seconds save, Seconds mtbf)
{
  return Seconds{std::sqrt(2 * save.value() * mtbf.value())};
}

Seconds best_interval(FailurePlan plan, std::span<const MachineOutage> outages, Seconds about)
{
  const int steps = static_cast<int>(std::floor(std::log(4) / std::log(in_steps_of)));
  Seconds best = about;
  double most = -1;
  for (int step = -steps; step <= steps; ++step) {
    plan.interval = about * std::pow(in_steps_of, step);
    if (const double share = goodput_of(plan, outages).share(); share > most) {
      most = share;
      best = plan.interval;
    }
  }
  return best;
}

} // namespace trainyard
