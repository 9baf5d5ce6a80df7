// SPDX-License-Identifier: Apache-2.0
// From the end of a training to the model that serves: detection, download, replacement.
#include "models/core/text.hpp"
#include "sim/sources/retraining/environment_run.hpp"

#include <algorithm>
#include <limits>

namespace trainyard::task_environment {

constexpr Sentence<> training_ended{"retraining.training_ended", "the training has ended"};
constexpr Sentence<> training_has_failed{"retraining.training_has_failed", "the training has failed"};
constexpr Sentence<> training_failed{"retraining.training_failed", "the training failed"};
constexpr Sentence<> never_reached{"retraining.never_reached", "the script never reached the queue"};
constexpr Sentence<Message, std::int64_t> after_attempts{"retraining.after_attempts",
                                                         "{why} ({attempts|attempt|attempts})"};
constexpr Sentence<> downloaded{"retraining.downloaded", "the result is downloaded"};
constexpr Sentence<> newer_serves{"retraining.newer_serves", "a model trained on newer data already serves"};
constexpr Sentence<> replaces{"retraining.replaces", "the new model replaces the old one"};
constexpr Sentence<std::int64_t, std::int64_t, std::int64_t> rolling{
    "retraining.rolling", "rolling update of {replicas} replicas, {at_once} at a time, never below {least}"};
constexpr Sentence<> serves{"retraining.serves", "the new model serves"};

/// Something is to be found out about the request: its result is saved, its training failed, or its script never
/// arrived.
void EnvironmentRun::watch(int id)
{
  const bool result = request(id).trained >= Instant{0};
  if (section_.status.by == "storage" && !result)
    return; // storage shows only results; the time-out detects it
  look(id, loop_.now());
}

void EnvironmentRun::look(int id, Instant from)
{
  const Instant period = section_.status.period;
  const bool message = section_.status.by == "message";
  const Instant attempt = message ? from : next_tick(from, request(id).need, live(id).status_phase, period);
  later(attempt, id, [this, id, period, message] {
    const Exchange exchange = channel_.exchange(live(id).messages);
    if (exchange.answered)
      return later(loop_.now() + exchange.time, id, [this, id] { found(id); });
    look(id, loop_.now() + (message ? std::max(period, exchange.time) : std::max(Instant{1}, exchange.time)));
  });
}

void EnvironmentRun::found(int id)
{
  if (request(id).trained >= Instant{0}) {
    log(id, section_.status.by == "storage" ? storage : queue_actor, planner_actor, training_ended());
    return download(id);
  }
  if (!live(id).in_queue)
    return finish(id, RequestEnd::lost, never_reached());
  for (const int job : live(id).trainings)
    if (jobs_[static_cast<std::size_t>(job)].state != Job::State::over)
      return; // a later script of it arrived meanwhile
  log(id, queue_actor, planner_actor, training_has_failed());
  attempt_failed(id, training_failed());
}

void EnvironmentRun::attempt_failed(int id, const Message& reason)
{
  Live& one = live(id);
  const bool reached = one.in_queue;
  ++one.epoch;
  end_transfers(id, false);
  for (const int job : std::vector<int>{one.trainings})
    if (jobs_[static_cast<std::size_t>(job)].state != Job::State::over)
      leave(job);
  dispatch_soon();
  if (request(id).attempts >= spec(id).attempts)
    return finish(id, reached ? RequestEnd::failed : RequestEnd::lost, after_attempts(reason, request(id).attempts));
  one.acknowledged = one.in_queue = false;
  move_to(id, Segment::queue);
  resume_upload(id);
  submit(id);
}

/// Parts still on their way go on after the epoch of the failed attempt.
void EnvironmentRun::resume_upload(int id)
{
  Live& one = live(id);
  one.to_send.clear();
  for (int part = spec(id).parts; part > one.parts_there; --part)
    one.to_send.push_back(part);
  send_next(id);
}

void EnvironmentRun::download(int id)
{
  move_to(id, Segment::download);
  log(id, storage, service, downloaded());
  live(id).moving = download_.start(rates_.result(request(id).model) + spec(id).checkpoint,
                                    BytesPerSecond{std::numeric_limits<double>::infinity()}, [this, id] {
                                      live(id).moving.reset();
                                      move_to(id, Segment::deploy);
                                      deploy(id);
                                    });
}

void EnvironmentRun::deploy(int id)
{
  const auto model = static_cast<std::size_t>(request(id).model);
  if (serving_data_[model] >= request(id).need)
    return finish(id, RequestEnd::outdated, newer_serves());
  if (serving_busy_[model] > loop_.now()) // an earlier update is under way
    return later(serving_busy_[model], id, [this, id] { deploy(id); });
  const Instant time = section_.deploy.time();
  serving_busy_[model] = loop_.now() + time;
  const DeploySpec& how = section_.deploy;
  log(id, service, serving,
      how.replicas == 1 ? replaces()
                        : rolling(how.replicas, how.parallelism, std::max(0, how.replicas - how.parallelism)));
  later(loop_.now() + time, id, [this, id, model] {
    serving_data_[model] = request(id).need;
    request(id).deployed = loop_.now();
    result_.deployments.push_back({request(id).model, id, loop_.now(), request(id).need});
    log(id, serving, service, serves());
    const RetrainedModel& spec = rates_.spec(request(id).model);
    if (const auto next = triggers_[model]->after_deployment(loop_.now(), request(id).need, Instant{spec.period}))
      loop_.at(*next, [this, model] { need(static_cast<int>(model)); });
    finish(id, RequestEnd::deployed, {});
  });
}

} // namespace trainyard::task_environment
