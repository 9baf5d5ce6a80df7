// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/training_pool.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainyard {
namespace {

ResourceRequest request_for(int gpus, int gpu_type)
{
  TraceJob job;
  job.gpus = gpus;
  return request_of(job, 0, gpu_type);
}

} // namespace

TrainingPool::TrainingPool(EventLoop& loop, TrainingRates& rates, bool cluster, const Random& random,
                           const NamedPart& placement, std::function<void(int)> trained, NodePool* shared)
    : loop_{loop}, rates_{rates}, cluster_{cluster}, trained_{std::move(trained)}
{
  placement_ = Registry<PlacementPolicy>::instance().create(placement.name, placement.settings);
  placement_->begin(NodePool{rates.shape()}, Workload{}, random);
  state_.emplace(rates.shape(), placement_.get(), shared);
}

void TrainingPool::send(int training, int model, SentJob job, double begun_with, double available)
{
  Queued queued{.id = {}, .model = model, .whole = job.work, .begun_with = begun_with};
  job.work = queued.whole * (1 - begun_with);
  job.estimate = job.estimate * (1 - begun_with);
  job.withheld = withheld(queued, available);
  queued.id = queue_->send(loop_.now(), job);
  training_of_[queued.id] = training;
  sent_.emplace(training, queued);
}

/// Work whose data are not there yet.
Instant TrainingPool::withheld(const Queued& queued, double available) const
{
  return queued.whole * std::clamp(1 - available, 0.0, 1 - queued.begun_with);
}

std::vector<TrainingPool::News> TrainingPool::news()
{
  std::vector<News> all;
  for (const JobNews& one : queue_->take_news())
    if (const auto found = training_of_.find(one.job); found != training_of_.end())
      all.push_back({found->second, one});
  return all;
}

void TrainingPool::began(int training, Allocation held)
{
  const Queued& queued = sent_.at(training);
  RunningWork work{.model = queued.model, .held = std::move(held)};
  work.since = work.begin = loop_.now();
  busy_ += work.held.gpus;
  RunningWork& here = work_.emplace(training, std::move(work)).first->second;
  advance(training, here);
  here.begun_with = here.done;
}

void TrainingPool::lost(int training)
{
  const auto found = work_.find(training);
  if (found == work_.end())
    return;
  busy_ -= found->second.held.gpus;
  work_.erase(found);
}

int TrainingPool::gpus() const
{
  if (cluster_)
    return state_->total_gpus();
  int sum = 0;
  for (int model = 0; model < rates_.models(); ++model)
    sum += rates_.own_gpus(model);
  return sum;
}

std::vector<int> TrainingPool::capacity() const
{
  std::vector<int> result;
  for (int type = 0; type < state_->gpu_types(); ++type)
    result.push_back(state_->gpus_of_type(type));
  return result;
}

std::vector<int> TrainingPool::free() const
{
  std::vector<int> result;
  for (int type = 0; type < state_->gpu_types(); ++type)
    result.push_back(state_->free_gpus_of_type(type));
  return result;
}

bool TrainingPool::could_ever_fit(int model) const
{
  if (!cluster_)
    return state_->total_gpus() > 0;
  return state_->could_fit(request_for(rates_.gpus(model), -1));
}

bool TrainingPool::start(int training, int model, int gpu_type, double begun_with, double available, double stretch)
{
  RunningWork work{
      .model = model, .done = begun_with, .begun_with = begun_with, .available = available, .stretch = stretch};
  work.since = work.begin = loop_.now();
  if (cluster_) {
    std::vector<int> types;
    const std::vector<double>& durations = rates_.duration_by_type(model);
    if (gpu_type >= 0) {
      types = {gpu_type};
    } else {
      types.resize(durations.size());
      std::iota(types.begin(), types.end(), 0);
      std::erase_if(types, [&](int type) { return !std::isfinite(durations[static_cast<std::size_t>(type)]); });
      std::ranges::stable_sort(types, {}, [&](int type) { return durations[static_cast<std::size_t>(type)]; });
      if (types.empty()) // more GPUs than any one type has
        types = {-1};
    }
    for (const int type : types) {
      const ResourceRequest request = request_for(rates_.gpus(model), type);
      std::optional<Allocation> place = state_->find(request);
      if (!place)
        continue;
      state_->take(request, *place);
      work.held = std::move(*place);
      break;
    }
    if (work.held.gpus == 0)
      return false;
  } else {
    if (own_machine_.contains(model))
      return false;
    own_machine_[model] = training;
    work.held.gpus = rates_.own_gpus(model);
  }
  busy_ += work.held.gpus;
  if (const std::string job = rates_.job_name(model); links_ != nullptr && !job.empty())
    work.visitor = links_->enter(loop_.now(), rates_.name(model), job, work.held);
  work_.emplace(training, std::move(work));
  rates_changed();
  return true;
}

void TrainingPool::feed(int training, double available)
{
  if (queue_ != nullptr) {
    const Queued& queued = sent_.at(training);
    return queue_->feed(loop_.now(), queued.id, withheld(queued, available));
  }
  RunningWork& work = work_.at(training);
  advance(training, work);
  work.available = available;
  plan_end(training, work);
}

void TrainingPool::rest(int training)
{
  RunningWork& work = work_.at(training);
  advance(training, work);
  work.stops = true;
  work.done = 1;
  leave_links(work);
  if (queue_ == nullptr)
    rates_changed();
}

void TrainingPool::stop(int training, bool done)
{
  if (queue_ != nullptr) {
    const auto sent = sent_.find(training);
    if (sent == sent_.end())
      return;
    if (done)
      queue_->complete(loop_.now(), sent->second.id);
    else
      queue_->withdraw(loop_.now(), sent->second.id);
    training_of_.erase(sent->second.id);
    sent_.erase(sent);
    return lost(training);
  }
  const auto found = work_.find(training);
  if (found == work_.end())
    return;
  if (found->second.due)
    loop_.cancel(*found->second.due);
  busy_ -= found->second.held.gpus;
  leave_links(found->second);
  if (cluster_)
    state_->give(found->second.held);
  else
    own_machine_.erase(found->second.model);
  work_.erase(found);
  rates_changed();
}

std::vector<int> TrainingPool::hit()
{
  state_->gained_elsewhere();
  if (links_changed()) {
    links_seen_ = links_->changes();
    rates_changed();
  }
  std::vector<int> result;
  const std::vector<int> lost = state_->lost_machines();
  if (queue_ != nullptr)
    return result; // the queue tells
  for (const auto& [training, work] : work_)
    if (std::ranges::any_of(work.held.shares,
                            [&](const TaskShare& share) { return std::ranges::find(lost, share.node) != lost.end(); }))
      result.push_back(training);
  return result;
}

std::vector<int> TrainingPool::trainings() const
{
  std::vector<int> result;
  for (const auto& [training, work] : work_)
    result.push_back(training);
  return result;
}

const RunningWork& TrainingPool::work(int training)
{
  RunningWork& work = work_.at(training);
  advance(training, work);
  return work;
}

Instant TrainingPool::expected_end(int training)
{
  if (queue_ != nullptr)
    return queue_->expected_end(loop_.now(), sent_.at(training).id);
  const RunningWork& now = work(training);
  return now.rate > 0 && !now.stops ? loop_.now() + Instant{Seconds{(1 - now.done) / now.rate}} : loop_.now();
}

std::string TrainingPool::nodes(int training) const
{
  const RunningWork& work = work_.at(training);
  if (!cluster_)
    return "machine of " + rates_.name(work.model);
  std::string text;
  for (const TaskShare& share : work.held.shares)
    text += (text.empty() ? "" : " ") + rates_.shape().nodes[static_cast<std::size_t>(share.node)].name;
  return text;
}

void TrainingPool::advance(int training, RunningWork& work)
{
  if (queue_ != nullptr) {
    const Queued& queued = sent_.at(training);
    work.done =
        queued.begun_with + (queued.whole > Instant{0} ? queue_->done(loop_.now(), queued.id) / queued.whole : 0);
    work.since = loop_.now();
    return;
  }
  const Instant passed = loop_.now() - work.since;
  work.since = loop_.now();
  if (work.stops || passed <= Instant{0} || work.rate <= 0)
    return;
  const double reachable = work.done + work.rate * seconds(passed).value();
  if (reachable <= work.available * (1 + 1e-12)) {
    work.done = std::min(reachable, 1.0);
    return;
  }
  // Worked until the data ran out, then waited.
  const Instant worked = std::min(passed, Instant{Seconds{std::max(0.0, work.available - work.done) / work.rate}});
  work.stalled += passed - worked;
  work.done = work.available;
}

void TrainingPool::plan_end(int training, RunningWork& work)
{
  if (work.due)
    loop_.cancel(*work.due);
  work.due.reset();
  if (work.stops || work.rate <= 0 || work.available < 1)
    return; // it will be fed before it can end
  work.due = loop_.after(Instant{Seconds{std::max(0.0, 1 - work.done) / work.rate}}, [this, training] {
    work_.at(training).due.reset();
    trained_(training);
  });
}

void TrainingPool::leave_links(RunningWork& work)
{
  if (work.visitor)
    links_->leave(loop_.now(), *work.visitor);
  work.visitor.reset();
}

void TrainingPool::rates_changed()
{
  std::vector<PlacedTraining> placed;
  std::vector<int> trainings;
  for (const auto& [training, work] : work_)
    if (!work.stops) {
      placed.push_back({work.model, &work.held});
      trainings.push_back(training);
    }
  std::vector<double> rates;
  if (cluster_)
    rates = rates_.rates(placed, links_ == nullptr);
  else
    for (const PlacedTraining& one : placed)
      rates.push_back(1 / rates_.own_machine_duration(one.model));
  for (std::size_t i = 0; i < trainings.size(); ++i) {
    RunningWork& work = work_.at(trainings[i]);
    const double rate = rates[i] / work.stretch * (work.visitor ? links_->share(*work.visitor) : 1);
    if (rate == work.rate)
      continue;
    advance(trainings[i], work);
    work.rate = rate;
    plan_end(trainings[i], work);
  }
  for (auto& [training, work] : work_)
    if (work.stops)
      plan_end(training, work);
}

} // namespace trainyard
