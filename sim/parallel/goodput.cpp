// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel/goodput.hpp"

#include "models/core/quantity_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr double in_steps_of = 1.1; // of intervals that are tried

/// A job between failures and repairs.
class FailingJob
{
public:
  explicit FailingJob(const FailurePlan& plan)
      : plan_{plan}, size_{&plan.all}, down_(static_cast<std::size_t>(plan.installed), 0), place_(down_.size(), -1)
  {
    if (plan.processes)
      std::iota(place_.begin(), place_.begin() + plan.all.machines, 0);
    take_machines();
    train();
  }

  Goodput run(std::span<const MachineOutage> outages)
  {
    std::size_t next = 0;
    while (now_ < plan_.time && !figures_.finished) {
      pass_whole_cycles(next < outages.size() ? outages[next].at : never_);
      Seconds until = std::min({plan_.time, phase_end(), usable_at_, next_back()});
      if (next < outages.size())
        until = std::min(until, outages[next].at);
      if (!repairs_.empty())
        until = std::min(until, Seconds{repairs_.top().first});
      pass(std::max(until, now_));
      if (now_ >= plan_.time || figures_.finished)
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
      end_absences();
      while (next < outages.size() && outages[next].at <= now_) {
        fail(outages[next], next);
        ++next;
      }
      if (phase_end() <= now_)
        end_phase();
    }
    figures_.useful = work_;
    if (!figures_.finished && repairs_.empty() && waits_for_good())
      figures_.blocked_by = lost_for_good_;
    return figures_;
  }

private:
  enum class Phase { train, save, restart, wait };
  static constexpr Seconds never_{std::numeric_limits<double>::infinity()};

  /// Processes that are away while the others go on.
  struct Absence {
    std::vector<int> processes;
    int place = -1;         // of the machine that is missing; -1: only the processes
    Seconds until = never_; // infinity: no machine works for it yet
  };

  double rate() const { return size_->rate * rate_; }

  /// Training ends where the next checkpoint is due and the last one is written; while nobody trains, it does not.
  Seconds phase_end() const
  {
    if (phase_ != Phase::train)
      return phase_end_;
    if (!(rate() > 0))
      return never_;
    const Seconds due = grows_ ? now_ : now_ + (plan_.interval - trained_);
    return usable_at_ < never_ ? std::max(due, usable_at_) : due;
  }

  /// Whether only a repair lets it go on.
  bool waits_for_good() const
  {
    return phase_ == Phase::wait || (phase_ == Phase::train && !(rate() > 0) && next_back() == never_);
  }

  /// Where nothing happens until @p outage, training and saving take turns: all but the last of these turns at once.
  void pass_whole_cycles(Seconds outage)
  {
    if (phase_ != Phase::train || grows_ || trained_ > Seconds{} || usable_at_ != never_ || !(rate() > 0) ||
        size_->usable > size_->save)
      return; // a checkpoint that is written beside the training may be lost with what follows it
    Seconds until = std::min({plan_.time, outage, next_back()});
    if (!repairs_.empty())
      until = std::min(until, Seconds{repairs_.top().first});
    double cycles = std::floor((until - now_) / (plan_.interval + size_->save)) - 1;
    if (plan_.work < never_)
      cycles = std::min(cycles, std::floor((plan_.work - work_) / (plan_.interval * rate())) - 1);
    if (!(cycles > 0))
      return;
    now_ += cycles * (plan_.interval + size_->save);
    work_ += cycles * plan_.interval * rate();
    figures_.fewer += cycles * plan_.interval * (1 - rate());
    figures_.saving += cycles * size_->save;
    kept_ = snapshot_ = work_;
    train();
  }

  void pass(Seconds until)
  {
    if (phase_ == Phase::train && plan_.work < never_ && rate() > 0)
      if (const Seconds end = now_ + (plan_.work - work_) / rate(); end <= until) {
        until = end;
        figures_.finished = true;
      }
    const Seconds time = until - now_;
    now_ = until;
    if (phase_ == Phase::train && rate() > 0) {
      work_ = figures_.finished ? plan_.work : work_ + time * rate();
      trained_ += time;
      figures_.fewer += time * (1 - rate());
    } else {
      (phase_ == Phase::save      ? figures_.saving
       : phase_ == Phase::restart ? figures_.restarting
                                  : figures_.waiting) += time;
    }
  }

  void train()
  {
    phase_ = Phase::train;
    trained_ = Seconds{};
    note_recovery();
  }

  /// All failures so far are over where the job trains with all of it.
  void note_recovery()
  {
    if (phase_ != Phase::train || size_ != &plan_.all || !absences_.empty())
      return;
    for (; recovered_ < figures_.effects.size(); ++recovered_)
      figures_.effects[recovered_].until = now_;
  }

  void save()
  {
    snapshot_ = work_;
    usable_at_ = now_ + std::max(size_->usable, size_->save);
    phase_ = Phase::save;
    phase_end_ = grows_ ? usable_at_ : now_ + size_->save; // what it begins again from must be written
  }

  void begin_again()
  {
    usable_at_ = never_; // what was not complete is gone
    phase_ = Phase::restart;
    if (!take_machines()) {
      phase_ = Phase::wait;
      phase_end_ = never_;
      return;
    }
    phase_end_ = now_ + size_->restart - (kept_ > Seconds{} ? Seconds{} : size_->load); // nothing is there to load
  }

  void end_phase()
  {
    if (phase_ == Phase::train)
      save();
    else if (std::exchange(grows_, false)) {
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
    if (plan_.processes)
      return take_places();
    const TrainingSize* size = possible_size();
    place_.assign(place_.size(), -1);
    if (size == nullptr)
      return false;
    size_ = size;
    int taken = 0;
    for (std::size_t machine = 0; machine < down_.size() && taken < size->machines; ++machine)
      if (down_[machine] == 0)
        place_[machine] = taken++;
    return true;
  }

  /// Every process gets the machine that it had, or a spare one; false: an essential one has none.
  bool take_places()
  {
    for (std::size_t machine = 0; machine < down_.size(); ++machine)
      if (down_[machine] > 0)
        place_[machine] = -1;
    absences_.clear();
    bool complete = true;
    for (const bool essential : {true, false}) // spare machines first go where the job cannot do without
      for (int place = 0; place < plan_.all.machines; ++place)
        if (holds_essential(place) == essential && std::ranges::find(place_, place) == place_.end() && !fill(place)) {
          complete = complete && !essential;
          absences_.push_back({processes_of(place), place, never_});
        }
    update_rate();
    return complete;
  }

  /// A spare machine of the same group, or one that has been repaired, takes this place; false: there is none.
  bool fill(int place)
  {
    const auto group = [this](std::size_t machine) { return plan_.group.empty() ? 0 : plan_.group[machine]; };
    for (std::size_t machine = 0; machine < down_.size(); ++machine)
      if (down_[machine] == 0 && place_[machine] < 0 && group(machine) == group(static_cast<std::size_t>(place))) {
        place_[machine] = place;
        return true;
      }
    return false;
  }

  const std::vector<int>& processes_of(int place) const
  {
    return plan_.processes->of_machine[static_cast<std::size_t>(place)];
  }

  bool essential(int process) const { return plan_.processes->essential[static_cast<std::size_t>(process)]; }

  bool holds_essential(int place) const
  {
    return std::ranges::any_of(processes_of(place), [this](int process) { return essential(process); });
  }

  void fail(const MachineOutage& outage, std::size_t number)
  {
    bool hit = outage.machine < 0;
    int place = -1;
    if (outage.machine >= 0) {
      const auto machine = static_cast<std::size_t>(outage.machine);
      ++down_[machine];
      if (outage.until < never_)
        repairs_.emplace(std::max(outage.until, outage.at).value(), outage.machine);
      else
        lost_for_good_ = number;
      place = place_[machine];
      hit = place >= 0;
    }
    if (!hit || phase_ == Phase::wait || is_away(outage.process))
      return;
    const bool stops =
        !plan_.processes || (place >= 0 ? holds_essential(place) : outage.process < 0 || essential(outage.process));
    if (stopped_at_ != now_) { // several machines of one failure stop it once
      ++figures_.failures;
      figures_.effects.push_back({.outage = number, .stopped = stops, .undone = stops ? work_ - kept_ : Seconds{}});
    }
    if (!stops) {
      lose(outage, place);
      return;
    }
    stopped_at_ = now_;
    figures_.lost += work_ - kept_;
    work_ = kept_;
    grows_ = false;
    begin_again();
  }

  /// Whether its machine is missing, so that it cannot fail.
  bool is_away(int process) const
  {
    return std::ranges::any_of(absences_, [process](const Absence& absence) {
      return absence.until == never_ && std::ranges::find(absence.processes, process) != absence.processes.end();
    });
  }

  /// The others go on.
  void lose(const MachineOutage& outage, int place)
  {
    const Seconds back = now_ + plan_.processes->rejoin;
    if (place < 0) {
      absences_.push_back({{outage.process}, -1, back});
    } else {
      place_[static_cast<std::size_t>(outage.machine)] = -1;
      std::erase_if(absences_, [&](const Absence& absence) { return absence.place == place; });
      absences_.push_back({processes_of(place), place, fill(place) ? back : never_});
    }
    update_rate();
  }

  void end_absences()
  {
    if (std::erase_if(absences_, [this](const Absence& absence) { return absence.until <= now_; }) > 0)
      update_rate();
  }

  Seconds next_back() const
  {
    Seconds next = never_;
    for (const Absence& absence : absences_)
      next = std::min(next, absence.until);
    return next;
  }

  void update_rate()
  {
    std::set<int> lost;
    for (const Absence& absence : absences_)
      lost.insert(absence.processes.begin(), absence.processes.end());
    const bool stands = std::ranges::any_of(lost, [this](int process) { return essential(process); }); // it waits
    rate_ = lost.empty() ? 1 : stands ? 0 : plan_.processes->rate({lost.begin(), lost.end()});
    note_recovery();
  }

  /// A machine has been repaired: a job that waits looks again, one with fewer replicas saves and begins again with
  /// more, and processes that had no machine start on it.
  void come_back()
  {
    if (phase_ == Phase::wait) {
      begin_again();
      return;
    }
    if (plan_.processes) {
      for (Absence& absence : absences_)
        if (absence.place >= 0 && absence.until == never_ && fill(absence.place))
          absence.until = now_ + plan_.processes->rejoin;
      return;
    }
    if (phase_ != Phase::train || possible_size() == size_)
      return;
    grows_ = true;
    if (usable_at_ == never_)
      save(); // else when that one is written
  }

  const FailurePlan& plan_;
  const TrainingSize* size_; // with which it trains
  std::vector<int> down_;    // by machine: failures not repaired yet
  std::vector<int> place_;   // by machine: which of the job's machines it is; -1: none
  std::vector<Absence> absences_;
  double rate_ = 1; // because of them
  Phase phase_ = Phase::train;
  bool grows_ = false; // it saves in order to begin again with more replicas
  Seconds now_;
  Seconds phase_end_; // of other phases than training
  Seconds trained_;   // since the last checkpoint began
  Seconds work_, kept_, snapshot_;
  Seconds usable_at_ = never_;
  Seconds stopped_at_{-1};
  std::optional<std::size_t> lost_for_good_; // the last outage that nobody repairs
  std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> repairs_;
  std::size_t recovered_ = 0; // effects that are over
  Goodput figures_;
};

} // namespace

CheckpointTimes checkpoint_times(const ParallelJob& job, const StorageRates& storage)
{
  const ParallelLayout& l = job.layout;
  // Of a parameter, in 16 bit, with the optimiser's states. Frozen weights are read from the model's own files.
  const double trained = l.kept.lora.share, weight_bytes = 2 * trained, state_bytes = trained * l.state_bytes();
  const double frozen_bytes = l.kept.lora.rank > 0 ? 2 : 0;
  double frozen = 0;
  CheckpointTimes times;
  for (int stage = 0; stage < l.pp; ++stage) {
    const RankParameters held = rank_parameters(l, job.transformer, stage);
    const auto divided = [&](int ranks) { return held.dense / ranks + held.experts / expert_replicas(l, ranks); };
    const double share = divided(l.replicas()), kept = divided(l.shard_ranks());
    const double all = held.dense * l.tp + held.experts * l.expert_ranks() * l.ep,
                 whole = l.zero == 3 ? kept : held.all();
    times.size += Bytes{(weight_bytes + state_bytes) * all};
    frozen += frozen_bytes * all;
    times.written = std::max(times.written, Bytes{(weight_bytes + state_bytes) * share});
    times.read = std::max(times.read, Bytes{(weight_bytes + frozen_bytes) * whole +
                                            state_bytes * (l.zero >= 1 ? state_share(l, held) : held.all())});
  }
  const auto time = [&](Bytes of_rank, Bytes of_all) {
    Seconds longest;
    for (const auto& [bytes, rate] : {std::pair{of_rank, job.network.between},
                                      {of_rank * std::min(job.network.gpus_per_node, l.gpus()), storage.machine},
                                      {of_rank, storage.process},
                                      {of_all, storage.shared}})
      if (rate > BytesPerSecond{})
        longest = std::max(longest, bytes / rate);
    return longest;
  };
  times.save = time(times.written, times.size);
  times.load = time(times.read, times.size + Bytes{frozen});
  return times;
}

Message assumed_storage(const StorageRates& rates)
{
  return storage_assumed({rates.process.value(), to_text(rates.process)},
                         {rates.machine.value(), to_text(rates.machine)}, "checkpoints: {storage: RATE or KIND}");
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

Seconds daly_interval(Seconds save, Seconds mtbf)
{
  const double c = save.value(), m = mtbf.value();
  if (c >= 2 * m)
    return mtbf;
  const double root = std::sqrt(c / (2 * m));
  return Seconds{std::sqrt(2 * c * m) * (1 + root / 3 + root * root / 9) - c};
}

Seconds daly_time(Seconds work, Seconds interval, Seconds save, Seconds restart, Seconds mtbf)
{
  return mtbf * (std::exp(restart / mtbf) * std::expm1((interval + save) / mtbf) * (work / interval));
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
