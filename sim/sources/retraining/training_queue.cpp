// SPDX-License-Identifier: Apache-2.0
// The queue, the trainings, and their results.
#include "sim/sources/retraining/environment_run.hpp"

#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace trainyard::task_environment {

constexpr Sentence<> others_do_not_fit{"retraining.others_do_not_fit", "the trainings before it do not fit now"};
constexpr Sentence<> only_one{"retraining.only_one", "it is the only one in the queue"};
constexpr Sentence<> first_by_order{"retraining.first_by_order", "first by the planner's order"};
constexpr Sentence<std::int64_t, std::string, Messages> training_starts{
    "retraining.training_starts", "training starts on {gpus|GPU|GPUs} ({nodes}){checkpoint}"};
constexpr Sentence<Figure> from_checkpoint{"retraining.from_checkpoint", ", from a checkpoint at {share}"};
constexpr Sentence<Figure> trained_model{"retraining.trained_model", "the trained model, {bytes}"};
constexpr Sentence<Figure> fails_after{"retraining.fails_after", "the training fails after {time}"};

void EnvironmentRun::dispatch_soon()
{
  if (dispatching_)
    return;
  dispatching_ = true;
  loop_.at(
      loop_.now(),
      [this] {
        dispatching_ = false;
        dispatch();
      },
      true);
}

void EnvironmentRun::dispatch()
{
  if (waiting_.empty() || pool_.queued())
    return;
  if (!section_.cluster) {
    for (const int job : std::vector<int>{waiting_})
      start(job, -1);
    return;
  }
  const std::vector<int> capacity = pool_.capacity(), free = pool_.free();
  if (std::ranges::all_of(free, [](int gpus) { return gpus == 0; }))
    return;
  std::vector<QueuedTraining> queue;
  for (const int job : waiting_) {
    const int model = request(jobs_[static_cast<std::size_t>(job)].request).model;
    queue.push_back({.model = model,
                     .priority = rates_.spec(model).priority,
                     .submitted = jobs_[static_cast<std::size_t>(job)].submitted,
                     .gpus = rates_.gpus(model),
                     .duration_s = rates_.duration_by_type(model)});
  }
  std::vector<RunningTraining> running;
  std::vector<int> training;
  for (const int job : pool_.trainings()) {
    const RunningWork& work = pool_.work(job);
    running.push_back(
        {work.model, rates_.spec(work.model).priority, work.held.gpus, work.held.gpu_type, pool_.expected_end(job)});
    training.push_back(job);
  }
  const PlannerView view{loop_.now(), queue, running, capacity, free};
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<TrainingChoice> choices = planner_.choose(view);
  result_.planning_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::vector<int> waiting = waiting_;
  bool passed = false;
  for (const TrainingChoice& choice : choices) {
    const int job = waiting.at(choice.queued);
    const int busy = pool_.busy_gpus();
    if (!start(job, choice.gpu_type)) {
      if (!planner_.lets_pass())
        break;
      passed = true;
      continue;
    }
    decided(job, waiting, training, busy, passed);
  }
}

/// Writes down the four inputs of a decision.
void EnvironmentRun::decided(int job, const std::vector<int>& waiting, const std::vector<int>& training, int busy,
                             bool passed)
{
  if (result_.decisions.size() >= input_.most_records) {
    ++result_.dropped_records;
    return;
  }
  const int id = jobs_[static_cast<std::size_t>(job)].request;
  PlanningDecision decision{
      .at = loop_.now(), .request = id, .priority = spec(id).priority, .busy_gpus = busy, .gpus = pool_.gpus()};
  constexpr std::size_t most_named = 12;
  const auto list = [&](const std::vector<int>& all, auto text) {
    std::string names;
    for (std::size_t i = 0; i < all.size() && i < most_named; ++i)
      names += (i > 0 ? ", " : "") + text(all[i]);
    return all.size() > most_named ? names + fmt::format(", and {} more", all.size() - most_named) : names;
  };
  decision.queue = list(waiting, [&](int other) {
    const int theirs = jobs_[static_cast<std::size_t>(other)].request;
    return fmt::format("{} (priority {:g}, {} GPUs, waits {})", name(theirs), spec(theirs).priority,
                       rates_.gpus(request(theirs).model),
                       span_text(loop_.now() - jobs_[static_cast<std::size_t>(other)].submitted));
  });
  decision.state = list(training, [&](int other) {
    return fmt::format("{} ({} GPUs{})", name(jobs_[static_cast<std::size_t>(other)].request),
                       pool_.work(other).held.gpus, pool_.work(other).stops ? ", saves" : "");
  });
  decision.why = passed ? others_do_not_fit() : waiting.size() == 1 ? only_one() : first_by_order();
  result_.decisions.push_back(std::move(decision));
}

bool EnvironmentRun::start(int job, int gpu_type)
{
  const int id = jobs_[static_cast<std::size_t>(job)].request;
  if (!pool_.start(job, request(id).model, gpu_type, live(id).checkpointed, available(id), stretch(id)))
    return false;
  began(job);
  return true;
}

/// How many times as long as usual this training takes.
double EnvironmentRun::stretch(int id)
{
  const double c = spec(id).variation, sigma = std::sqrt(std::log1p(c * c));
  return c > 0 ? std::exp(sigma * live(id).stretch_draw - sigma * sigma / 2) : 1;
}

/// It has got its GPUs.
void EnvironmentRun::began(int job)
{
  Job& one = jobs_[static_cast<std::size_t>(job)];
  const int id = one.request;
  one.state = Job::State::training;
  one.started = loop_.now();
  std::erase(waiting_, job);
  result_.stays.push_back({id, one.attempt, loop_.now(), end_of_time, Instant{-1}, pool_.work(job).held.gpus,
                           pool_.nodes(job), pool_.work(job).held.shares});
  stay_of_[job] = result_.stays.size() - 1;
  sample();
  if (request(id).segment == Segment::queue)
    move_to(id, Segment::train);
  log(id, queue_actor, cluster,
      training_starts(
          pool_.work(job).held.gpus, pool_.nodes(job),
          live(id).checkpointed > 0
              ? Messages{from_checkpoint({live(id).checkpointed, fmt::format("{:.0f} %", 100 * live(id).checkpointed)})}
              : Messages{}));
  plan_failure(job);
}

void EnvironmentRun::plan_failure(int job)
{
  Job& one = jobs_[static_cast<std::size_t>(job)];
  const int id = one.request;
  Instant after = end_of_time;
  if (const double mean = section_.mean_time_to_failure.value(); std::isfinite(mean))
    after = Instant{Seconds{live(id).failures.exponential(mean / pool_.work(job).held.gpus)}};
  for (const TrainingFault& fault : section_.faults)
    if (fault.model == rates_.spec(request(id).model).name && fault.need == request(id).number &&
        fault.attempt == one.attempt)
      after = std::min(after, std::max(Instant{fault.after} - one.held, Instant{0}));
  if (after < end_of_time)
    one.failure = loop_.after(after, [this, job] {
      jobs_[static_cast<std::size_t>(job)].failure.reset();
      failed(job);
    });
}

void EnvironmentRun::trained(int job)
{
  Job& one = jobs_[static_cast<std::size_t>(job)];
  const int id = one.request;
  if (one.failure)
    loop_.cancel(*one.failure);
  one.failure.reset();
  one.state = Job::State::saving;
  pool_.rest(job);
  result_.stays[stay_of_.at(job)].save_from = loop_.now();
  if (request(id).segment == Segment::train) {
    request(id).input_wait += pool_.work(job).stalled;
    move_to(id, Segment::save);
  }
  one.saving = save_.start(rates_.result(request(id).model) + spec(id).checkpoint,
                           BytesPerSecond{std::numeric_limits<double>::infinity()}, [this, job] { saved(job); });
}

void EnvironmentRun::saved(int job)
{
  Job& one = jobs_[static_cast<std::size_t>(job)];
  const int id = one.request;
  one.saving.reset();
  leave(job);
  dispatch_soon();
  if (request(id).trained >= Instant{0} || request(id).ended != RequestEnd::open)
    return; // a duplicate job of it was first
  one.counted = true;
  request(id).trained = loop_.now();
  log(id, cluster, storage,
      trained_model({rates_.result(request(id).model).value(), to_text(rates_.result(request(id).model))}));
  move_to(id, Segment::detect);
  watch(id);
  release_held(request(id).model);
}

void EnvironmentRun::failed(int job)
{
  Job& one = jobs_[static_cast<std::size_t>(job)];
  const int id = one.request;
  if (one.failure) // its machine fails before it would have by chance
    loop_.cancel(*one.failure);
  one.failure.reset();
  const RunningWork work = pool_.work(job);
  const Instant interval = Instant{spec(id).checkpoint_interval}, trained_for = loop_.now() - work.begin;
  double share = 0; // of what it has done since it got its GPUs: what a checkpoint holds
  if (interval < end_of_time && trained_for > Instant{0}) {
    const double kept = (trained_for - trained_for % interval) / trained_for;
    live(id).checkpointed = std::max(live(id).checkpointed, work.begun_with + kept * (work.done - work.begun_with));
    share = work.done > work.begun_with ? (live(id).checkpointed - work.begun_with) / (work.done - work.begun_with) : 0;
    kept_[job] = share;
  }
  request(id).redone_gpu_seconds += work.held.gpus * seconds(trained_for).value() * (1 - share);
  log(id, cluster, cluster, fails_after(span_of(trained_for)));
  leave(job);
  dispatch_soon();
  for (const int other : live(id).trainings)
    if (jobs_[static_cast<std::size_t>(other)].state != Job::State::over)
      return; // a duplicate job of it goes on
  if (request(id).trained < Instant{0} && request(id).ended == RequestEnd::open) {
    move_to(id, Segment::detect);
    watch(id);
  }
}

void EnvironmentRun::end_stay(int job)
{
  Job& one = jobs_[static_cast<std::size_t>(job)];
  TrainingStay& stay = result_.stays[stay_of_.at(job)];
  stay.to = loop_.now();
  const double gpu_seconds = stay.gpus * seconds(stay.to - stay.from).value();
  one.gpu_seconds += gpu_seconds;
  one.held += stay.to - stay.from;
  request(one.request).gpu_seconds += gpu_seconds;
}

/// A job gives its GPUs back, or its place in the queue.
void EnvironmentRun::leave(int job)
{
  Job& one = jobs_[static_cast<std::size_t>(job)];
  if (one.failure)
    loop_.cancel(*one.failure);
  one.failure.reset();
  const bool done = one.state == Job::State::saving && !one.saving;
  if (one.saving)
    save_.stop(*one.saving);
  one.saving.reset();
  if (pool_.holds(job))
    end_stay(job);
  pool_.stop(job, done);
  std::erase(waiting_, job);
  one.state = Job::State::over;
  sample();
}

// Trainings as jobs of the cluster's queue: its policy decides when and where they run, and whether they are stopped.
constexpr Sentence<> never_runs{"retraining.never_runs", "the queue can never run it"};
constexpr Sentence<> hit_and_waits{"retraining.hit_and_waits", "the training is hit by a failure: it waits again"};
constexpr Sentence<> preempted_and_waits{"retraining.preempted_and_waits", "the training is preempted: it waits again"};

void EnvironmentRun::send(int job)
{
  const int id = jobs_[static_cast<std::size_t>(job)].request;
  const int model = request(id).model, trainings = request(id).trainings;
  const double usual = rates_.packed_duration(model);
  SentJob sent{.name = trainings > 1 ? fmt::format("{}/{}", name(id), trainings) : name(id),
               .model = rates_.job_name(model),
               .user = "retraining",
               .team = spec(id).team,
               .gpus = rates_.gpus(model),
               .priority = spec(id).priority,
               .work = Seconds{usual * stretch(id)},
               .estimate = Seconds{usual},
               .withheld = {},
               .checkpoint_interval = {}};
  if (is_finite(spec(id).checkpoint_interval))
    sent.checkpoint_interval = spec(id).checkpoint_interval;
  pool_.send(job, model, std::move(sent), live(id).checkpointed, available(id));
}

/// What the queue has done with trainings.
void EnvironmentRun::read_news()
{
  for (const TrainingPool::News& news : pool_.news()) {
    const int job = news.training;
    const Job& one = jobs_[static_cast<std::size_t>(job)];
    if (one.state == Job::State::over)
      continue; // it was taken back meanwhile
    switch (news.what.what) {
    case JobNews::What::started:
      pool_.began(job, news.what.held);
      began(job);
      break;
    case JobNews::What::preempted:
    case JobNews::What::failed:
      if (news.what.what == JobNews::What::failed)
        request(one.request).redone_gpu_seconds += news.what.undone.value() * pool_.work(job).held.gpus;
      stopped(job, news.what.what == JobNews::What::failed);
      break;
    case JobNews::What::worked:
      if (request(one.request).segment == Segment::train)
        request(one.request).input_wait += news.what.stalled;
      trained(job);
      break;
    case JobNews::What::refused:
      finish(one.request, RequestEnd::impossible, never_runs());
      break;
    }
  }
}

/// It has lost its GPUs and waits in the queue again, whatever it did there.
void EnvironmentRun::stopped(int job, bool by_failure)
{
  Job& one = jobs_[static_cast<std::size_t>(job)];
  const int id = one.request;
  if (one.failure)
    loop_.cancel(*one.failure);
  one.failure.reset();
  if (one.saving)
    save_.stop(*one.saving);
  one.saving.reset();
  end_stay(job);
  pool_.lost(job);
  one.state = Job::State::waiting;
  waiting_.push_back(job);
  sample();
  log(id, cluster, queue_actor, by_failure ? hit_and_waits() : preempted_and_waits());
  const bool another = std::ranges::any_of(live(id).trainings, [&](int other) { return pool_.holds(other); });
  if (!another && (request(id).segment == Segment::train || request(id).segment == Segment::save))
    move_to(id, Segment::queue);
}

} // namespace trainyard::task_environment
