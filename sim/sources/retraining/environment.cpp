// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/environment_run.hpp"

#include "models/core/conservation.hpp"
#include "models/core/figure_text.hpp"
#include "sim/cluster/gpu_books.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace trainyard {

Message message_of(Segment segment)
{
  static constexpr Sentence<> segments[]{
      {"retraining.need", "need"},     {"retraining.upload", "upload"},     {"retraining.confirm", "confirm"},
      {"retraining.queue", "queue"},   {"retraining.train", "train"},       {"retraining.save", "save"},
      {"retraining.detect", "detect"}, {"retraining.download", "download"}, {"retraining.deploy", "deploy"}};
  return segments[static_cast<std::size_t>(segment)]();
}

Message message_of(RequestEnd end)
{
  static constexpr Sentence<> ends[]{{"retraining.open", "open"},
                                     {"retraining.end_deployed", "deployed"},
                                     {"retraining.outdated", "outdated"},
                                     {"retraining.replaced", "replaced"},
                                     {"retraining.coalesced", "coalesced"},
                                     {"retraining.forbidden", "forbidden"},
                                     {"retraining.end_failed", "failed"},
                                     {"retraining.lost", "lost"},
                                     {"retraining.impossible", "impossible"}};
  return ends[static_cast<std::size_t>(end)]();
}

std::string to_text(RequestEnd end)
{
  return message_of(end).text;
}

EnvironmentResult simulate_environment(const EnvironmentInput& input, const DuplicatePolicy& duplicates,
                                       JobPlanner& planner)
{
  return task_environment::EnvironmentRun{input, duplicates, planner}.finish(input.until);
}

namespace task_environment {

constexpr Sentence<std::string> needs{"retraining.needs", "{model} needs retraining"};
constexpr Sentence<std::string, Message, Messages> ends{"retraining.ends", "{request} ends: {end}{why}"};
constexpr Sentence<std::string> run_ended{"retraining.run_ended", "the run ended during {segment}"};

std::string span_text(Instant time)
{
  return time_text(seconds(time));
}

std::optional<Instant> EnvironmentRun::next() const
{
  if (pool_.may_have_gained())
    return Instant{0};
  const std::optional<Instant> next = loop_.next();
  return next && *next >= input_.until ? std::nullopt : next; // what is due at the end is not of the run
}

void EnvironmentRun::act(Instant now)
{
  if (pool_.queued()) { // what the queue has done was before
    loop_.run(now);
    read_news();
  }
  loop_.step(now); // what was due comes first
  for (const int job : pool_.hit())
    if (jobs_[static_cast<std::size_t>(job)].state == Job::State::training)
      failed(job);
  dispatch_soon();
  loop_.step(now);
}

EnvironmentResult EnvironmentRun::finish(Instant ended)
{
  loop_.run(ended);
  close();
  return std::move(result_);
}

void EnvironmentRun::begin()
{
  for (int model = 0; model < rates_.models(); ++model) {
    const RetrainedModel& spec = rates_.spec(model);
    const Instant first = spec.first;
    result_.models.push_back(rates_.name(model));
    result_.stale_after.push_back(Instant{spec.stale_after});
    result_.quality.push_back(spec.quality);
    result_.first_data.push_back(std::min(Instant{0}, first - Instant{spec.stale_after})); // no data of the future
    triggers_.push_back(Registry<NeedTrigger>::instance().create(spec.trigger.name, spec.trigger.settings));
    needs_.push_back(random_.stream("needs " + rates_.place(model)));
    numbers_.push_back(0);
    held_.emplace_back();
    serving_data_.push_back(result_.first_data.back());
    serving_busy_.emplace_back();
    loop_.at(first, [this, model] { need(model); });
  }
  result_.gpus = pool_.gpus();
  sample();
}

std::string EnvironmentRun::name(int id)
{
  return fmt::format("{}-{}", result_.models[static_cast<std::size_t>(request(id).model)], request(id).number);
}

void EnvironmentRun::log(int id, std::string_view from, std::string_view to, Message what)
{
  if (result_.events.size() < input_.most_records)
    result_.events.push_back({loop_.now(), id, from, to, std::move(what)});
  else
    ++result_.dropped_records;
}

void EnvironmentRun::move_to(int id, Segment segment)
{
  Request& one = request(id);
  one.spent[static_cast<std::size_t>(one.segment)] += loop_.now() - live(id).since;
  live(id).since = loop_.now();
  one.segment = segment;
}

/// Later, unless the request has gone another way by then.
void EnvironmentRun::later(Instant when, int id, std::function<void()> action)
{
  loop_.at(when, [this, id, epoch = live(id).epoch, action = std::move(action)] {
    if (live(id).epoch == epoch)
      action();
  });
}

void EnvironmentRun::need(int model)
{
  const Instant now = loop_.now();
  const RetrainedModel& spec = rates_.spec(model);
  const int id = static_cast<int>(result_.requests.size());
  Request fresh;
  fresh.id = id;
  fresh.model = model;
  fresh.number = ++numbers_[static_cast<std::size_t>(model)];
  fresh.need = now;
  const std::optional<int> earlier = under_way(model);
  result_.requests.push_back(fresh);
  live_.emplace_back(Random{random_.stream(fmt::format("request {} {}", rates_.place(model), fresh.number)).next()});
  live(id).since = now;
  active_[model].insert(id);
  log(id, service, planner_actor, needs(rates_.name(model)));
  if (const auto next = triggers_[static_cast<std::size_t>(model)]->after_need(now, Instant{spec.period},
                                                                               needs_[static_cast<std::size_t>(model)]))
    loop_.at(*next, [this, model] { need(model); });
  if (controlled_ && earlier && duplicates_.hold_at_need(situation(*earlier))) {
    live(id).begun = false;
    if (const std::optional<int> held = std::exchange(held_[static_cast<std::size_t>(model)], id); held)
      finish(*held, RequestEnd::forbidden, had_not_ended(name(*earlier)));
    return;
  }
  const Instant period = section_.planner_period;
  const Instant look = controlled_ && period > Instant{0} ? now + (period - now % period) % period : now;
  if (look > now)
    later(look, id, [this, id] { begin_upload(id); });
  else
    begin_upload(id);
}

/// The earliest request of the model that has not been trained yet.
std::optional<int> EnvironmentRun::under_way(int model)
{
  for (const int id : active_[model])
    if (request(id).trained < Instant{0})
      return id;
  return std::nullopt;
}

DuplicateSituation EnvironmentRun::situation(int earlier)
{
  DuplicateSituation seen;
  seen.now = loop_.now();
  seen.challenged_at = live(earlier).challenged.value_or(loop_.now());
  for (const int job : live(earlier).trainings)
    if (pool_.holds(job)) {
      seen.earlier_trains = true;
      seen.earlier_remaining = seconds(pool_.expected_end(job) - loop_.now());
    }
  return seen;
}

void EnvironmentRun::end_transfers(int id, bool downloads)
{
  Live& one = live(id);
  if (one.sending)
    upload_.stop(*one.sending);
  one.sending.reset();
  if (downloads && one.moving)
    download_.stop(*one.moving);
}

void EnvironmentRun::finish(int id, RequestEnd end, Message reason)
{
  Request& one = request(id);
  if (one.ended != RequestEnd::open)
    throw std::logic_error{"a request ended twice: " + name(id)};
  move_to(id, one.segment);
  one.ended = end;
  one.end = loop_.now();
  one.reason = std::move(reason);
  ++live(id).epoch;
  end_transfers(id, true);
  for (const int job : std::vector<int>{live(id).trainings}) {
    const Job::State state = jobs_[static_cast<std::size_t>(job)].state;
    // A script that was sent twice trains to its end: the service does not know of it.
    if (state != Job::State::over && (end != RequestEnd::deployed && end != RequestEnd::outdated))
      leave(job);
  }
  if (end != RequestEnd::deployed)
    log(id, planner_actor, planner_actor,
        ends(name(id), message_of(end),
             one.reason.empty() ? Messages{} : Messages{plain(MessageKind::part, ", "), one.reason}));
  active_[one.model].erase(id);
  std::optional<int>& held = held_[static_cast<std::size_t>(one.model)];
  if (held == id)
    held.reset();
  release_held(one.model);
  dispatch_soon();
  if (triggers_[static_cast<std::size_t>(one.model)]->waits_for_deployment() && end != RequestEnd::deployed &&
      end != RequestEnd::impossible) // it is needed still
    loop_.after(Instant{rates_.spec(one.model).period}, [this, model = one.model] {
      if (active_[model].empty())
        need(model);
    });
}

void EnvironmentRun::sample()
{
  const LoadSample now{loop_.now(), pool_.busy_gpus(), static_cast<int>(waiting_.size())};
  if (!result_.load.empty() && result_.load.back().at == now.at)
    result_.load.back() = now;
  else
    result_.load.push_back(now);
}

void EnvironmentRun::close()
{
  result_.end = loop_.now();
  for (const auto& [job, stay] : stay_of_)
    if (pool_.holds(job))
      end_stay(job);
  for (Request& one : result_.requests)
    if (one.ended == RequestEnd::open) {
      move_to(one.id, one.segment);
      one.end = loop_.now();
      one.reason = run_ended(std::string{segment_names[static_cast<std::size_t>(one.segment)]});
    }
  for (const Request& one : result_.requests)
    if (std::accumulate(one.spent.begin(), one.spent.end(), Instant{}) != one.end - one.need)
      not_conserved(fmt::format("the parts of {} do not add up to its time", name(one.id)));
  std::vector<const TrainingStay*> stays;
  for (const TrainingStay& stay : result_.stays)
    stays.push_back(&stay);
  std::ranges::stable_sort(stays, {}, &TrainingStay::to);
  GpuHolders holders;
  for (const TrainingStay* stay : stays)
    for (const TaskShare& share : stay->held)
      if (holders.taken(share, stay->from, stay->to))
        not_conserved(fmt::format("{} has GPUs of {} that another training holds, from {:.9g} s to {:.9g} s",
                                  name(stay->request), stay->nodes, stay->from.value(), stay->to.value()));
  for (const auto& [job, stay] : stay_of_) {
    const Job& one = jobs_[static_cast<std::size_t>(job)];
    Request& owner = request(one.request);
    const double gpu_seconds = one.gpu_seconds;
    const auto kept = kept_.find(job);
    if (owner.ended == RequestEnd::deployed)
      owner.wasted_gpu_seconds += one.counted ? 0 : gpu_seconds * (1 - (kept == kept_.end() ? 0 : kept->second));
    else if (owner.ended != RequestEnd::open)
      owner.wasted_gpu_seconds += gpu_seconds;
  }
  result_.plans = planner_.plans();
  result_.first_makespan = planner_.first_makespan();
  result_.first_problem = planner_.first_problem();
  sample();
}

} // namespace task_environment
} // namespace trainyard
