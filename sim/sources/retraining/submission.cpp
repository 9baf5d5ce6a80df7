// SPDX-License-Identifier: Apache-2.0
// What happens to a request while an earlier one of its model has not ended, and how its script reaches the queue.
#include "models/core/quantity_text.hpp"
#include "sim/sources/retraining/environment_run.hpp"

#include <algorithm>

namespace trainyard::task_environment {

constexpr Sentence<std::string> has_newer{"retraining.has_newer", "{request} has newer data"};
constexpr Sentence<std::string> joined{"retraining.joined", "joined into {request}"};
constexpr Sentence<std::string, std::string> stop{"retraining.stop", "stop {earlier}: {request} has newer data"};
constexpr Sentence<std::string> by{"retraining.by", "by {request}"};
constexpr Sentence<std::string, Messages> waits_for_end{"retraining.waits_for_end",
                                                        "waits for the end of {request}{limit}"};
constexpr Sentence<Figure> at_most{"retraining.at_most", ", {time} at most"};
constexpr Sentence<> script{"retraining.script", "script"};
constexpr Sentence<> script_again{"retraining.script_again", "script, sent again"};
constexpr Sentence<> is_it_there{"retraining.is_it_there", "has the script arrived?"};
constexpr Sentence<> it_is_there{"retraining.it_is_there", "the script has arrived"};
constexpr Sentence<> it_is_not_there{"retraining.it_is_not_there", "the script has not arrived"};
constexpr Sentence<std::int64_t, std::int64_t> needs_gpus{"retraining.needs_gpus",
                                                          "it needs {gpus} GPUs, the cluster has {all}"};
constexpr Sentence<> arrived_twice{"retraining.arrived_twice", "the script arrived twice: a duplicate job"};
constexpr Sentence<> accepted{"retraining.accepted", "accepted"};
constexpr Sentence<> no_answer{"retraining.no_answer", "no answer"};
constexpr Sentence<Figure> no_result{"retraining.no_result", "no result within {time}"};
constexpr Sentence<Figure> counted_as_failed{"retraining.counted_as_failed",
                                             "no result within {time}: counted as failed"};

/// The request of the model that is in the queue or trains (the newest, if there are several).
std::optional<int> EnvironmentRun::in_cluster(int model, int except)
{
  std::optional<int> found;
  for (const int id : active_[model])
    if (id != except && live(id).submitted && request(id).trained < Instant{0})
      found = id;
  return found;
}

void EnvironmentRun::submit_or_wait(int id)
{
  if (!controlled_)
    return submit(id);
  const int model = request(id).model;
  std::optional<int>& held = held_[static_cast<std::size_t>(model)];
  if (duplicates_.yields_to_newer())
    for (const int other : active_[model])
      if (request(other).need > request(id).need && (live(other).submitted || held == other))
        return finish(id, RequestEnd::coalesced, has_newer(name(other)));
  if (held && *held != id) {
    const int older = *held;
    held.reset();
    finish(older, RequestEnd::coalesced, joined(name(id)));
  }
  const std::optional<int> earlier = in_cluster(model, id);
  if (!earlier)
    return submit(id);
  if (!live(*earlier).challenged)
    live(*earlier).challenged = loop_.now();
  DuplicateVerdict verdict = duplicates_.at_submission(situation(*earlier));
  if (verdict.action == DuplicateVerdict::Action::stop_earlier && request(*earlier).segment == Segment::save)
    verdict = {DuplicateVerdict::Action::wait, end_of_time}; // it is trained, and only saves
  switch (verdict.action) {
  case DuplicateVerdict::Action::submit:
    return submit(id);
  case DuplicateVerdict::Action::drop:
    return finish(id, RequestEnd::forbidden, had_not_ended(name(*earlier)));
  case DuplicateVerdict::Action::stop_earlier:
    log(id, planner_actor, queue_actor, stop(name(*earlier), name(id)));
    finish(*earlier, RequestEnd::replaced, by(name(id)));
    return submit(id);
  case DuplicateVerdict::Action::wait:
    log(id, planner_actor, planner_actor,
        waits_for_end(name(*earlier), verdict.until >= end_of_time
                                          ? Messages{}
                                          : Messages{at_most(span_of(verdict.until - loop_.now()))}));
    held = id;
    if (verdict.until < end_of_time)
      later(verdict.until, id, [this, id] {
        if (held_[static_cast<std::size_t>(request(id).model)] == id) {
          held_[static_cast<std::size_t>(request(id).model)].reset();
          submit_or_wait(id);
        }
      });
  }
}

/// An earlier one has ended.
void EnvironmentRun::release_held(int model)
{
  std::optional<int>& held = held_[static_cast<std::size_t>(model)];
  if (!held || in_cluster(model, *held) || (!live(*held).begun && under_way(model) != held))
    return;
  const int id = *held;
  held.reset();
  later(loop_.now(), id, [this, id] {
    if (!live(id).begun) {
      live(id).begun = true;
      begin_upload(id);
    } else if (!live(id).submitted)
      submit_or_wait(id);
  });
}

void EnvironmentRun::submit(int id)
{
  live(id).submitted = true;
  ++request(id).attempts;
  send_script(id);
}

void EnvironmentRun::send_script(int id)
{
  Live& one = live(id);
  ++request(id).submissions;
  log(id, planner_actor, queue_actor, request(id).submissions == 1 ? script() : script_again());
  const bool there = channel_.arrives(one.messages);
  const bool back = there && channel_.arrives(one.messages);
  const Instant latency = section_.messages.latency;
  if (there)
    later(loop_.now() + latency, id, [this, id] { enqueue(id); });
  if (back)
    return later(loop_.now() + 2 * latency, id, [this, id] { acknowledged(id); });
  const Instant patience = std::max({Instant{section_.messages.retry_after}, 2 * latency, Instant{1'000'000}});
  later(loop_.now() + patience, id, [this, id] {
    if (live(id).acknowledged)
      return;
    if (submission_ == "once")
      return acknowledged(id);
    if (submission_ == "blind")
      return send_script(id);
    ask(id);
  });
}

/// Is the script there? Until there is an answer.
void EnvironmentRun::ask(int id)
{
  log(id, planner_actor, queue_actor, is_it_there());
  const bool answered = channel_.arrives(live(id).messages) && channel_.arrives(live(id).messages);
  const Instant latency = section_.messages.latency;
  if (!answered)
    return later(loop_.now() + std::max({Instant{section_.messages.retry_after}, 2 * latency, Instant{1'000'000}}), id,
                 [this, id] { ask(id); });
  later(loop_.now() + 2 * latency, id, [this, id] {
    log(id, queue_actor, planner_actor, live(id).in_queue ? it_is_there() : it_is_not_there());
    if (live(id).in_queue)
      acknowledged(id);
    else
      send_script(id);
  });
}

void EnvironmentRun::enqueue(int id)
{
  if (!pool_.could_ever_fit(request(id).model))
    return finish(id, RequestEnd::impossible, needs_gpus(rates_.gpus(request(id).model), pool_.gpus()));
  const int job = static_cast<int>(jobs_.size());
  jobs_.push_back({.request = id, .attempt = request(id).attempts, .submitted = loop_.now()});
  Live& one = live(id);
  if (one.in_queue)
    log(id, queue_actor, queue_actor, arrived_twice());
  one.in_queue = true;
  one.trainings.push_back(job);
  ++request(id).trainings;
  waiting_.push_back(job);
  sample();
  if (pool_.queued())
    send(job);
  else
    dispatch_soon();
}

void EnvironmentRun::acknowledged(int id)
{
  Live& one = live(id);
  if (one.acknowledged)
    return;
  one.acknowledged = true;
  log(id, queue_actor, planner_actor, one.in_queue ? accepted() : no_answer());
  if (const Instant limit = spec(id).time_out; limit < end_of_time)
    later(loop_.now() + limit, id, [this, id, attempt = request(id).attempts] {
      if (request(id).attempts == attempt && request(id).segment != Segment::detect &&
          request(id).segment < Segment::download)
        timed_out(id);
      else if (request(id).attempts == attempt && request(id).segment == Segment::detect &&
               request(id).trained < Instant{0})
        timed_out(id);
    });
  if (submission_ == "once" && !one.in_queue)
    watch(id);
}

void EnvironmentRun::timed_out(int id)
{
  log(id, planner_actor, planner_actor, counted_as_failed(span_of(Instant{spec(id).time_out})));
  attempt_failed(id, no_result(span_of(Instant{spec(id).time_out})));
}

// The upload of the data to object storage, and how the service learns that they have arrived.
constexpr Sentence<Figure> data{"retraining.data", "{bytes} of data"};
constexpr Sentence<Figure, std::int64_t> data_in_parts{"retraining.data_in_parts", "{bytes} of data in {parts} parts"};
constexpr Sentence<> wrong_checksum{"retraining.wrong_checksum", "wrong checksum: the data are sent again"};
constexpr Sentence<> data_arrived{"retraining.data_arrived", "checksum correct: the data have arrived"};
constexpr Sentence<> first_part_arrived{"retraining.first_part_arrived",
                                        "checksum correct: the first part has arrived"};

void EnvironmentRun::begin_upload(int id)
{
  move_to(id, Segment::upload);
  for (int part = spec(id).parts; part > 0; --part)
    live(id).to_send.push_back(part);
  send_next(id);
}

void EnvironmentRun::send_next(int id)
{
  Live& one = live(id);
  if (one.sending || one.to_send.empty())
    return;
  const int part = one.to_send.back();
  one.to_send.pop_back();
  one.sending_part = part;
  ++request(id).uploads;
  const int parts = spec(id).parts;
  if (parts == 1 || part == 1)
    log(id, service, storage,
        parts == 1 ? data({spec(id).data.value(), to_text(spec(id).data)})
                   : data_in_parts({spec(id).data.value(), to_text(spec(id).data)}, parts));
  one.sending = upload_.start(spec(id).data * (1.0 / parts), section_.upload_per_model, [this, id] { sent(id); });
}

void EnvironmentRun::sent(int id)
{
  Live& one = live(id);
  one.sending.reset();
  const int part = one.sending_part;
  const bool wrong = section_.corruption > 0 && one.checksums.uniform() < section_.corruption;
  if (!one.ready)
    move_to(id, Segment::confirm);
  confirm(id, part, wrong, loop_.now());
  send_next(id);
}

void EnvironmentRun::confirm(int id, int part, bool wrong, Instant from)
{
  const Instant period = section_.confirm.period;
  const Instant attempt =
      section_.confirm.by == "message" ? from : next_tick(from, request(id).need, live(id).confirm_phase, period);
  later(attempt, id, [this, id, part, wrong, period] {
    const Exchange exchange = channel_.exchange(live(id).messages);
    if (exchange.answered)
      return later(loop_.now() + exchange.time, id, [this, id, part, wrong] { confirmed(id, part, wrong); });
    // By polling the next look is at the next tick; a notification is repeated after the same time.
    const Instant again =
        section_.confirm.by == "message" ? std::max(period, exchange.time) : std::max(Instant{1}, exchange.time);
    confirm(id, part, wrong, loop_.now() + again);
  });
}

void EnvironmentRun::confirmed(int id, int part, bool wrong)
{
  Live& one = live(id);
  if (wrong) {
    ++request(id).wrong_checksums;
    log(id, storage, service, wrong_checksum());
    one.to_send.push_back(part);
    if (!one.ready && !one.sending)
      move_to(id, Segment::upload);
    return send_next(id);
  }
  ++one.parts_there;
  for (const int job : one.trainings)
    if (pool_.holds(job) && jobs_[static_cast<std::size_t>(job)].state == Job::State::training)
      pool_.feed(job, available(id));
  if (one.ready)
    return;
  one.ready = true;
  log(id, storage, service, spec(id).parts == 1 ? data_arrived() : first_part_arrived());
  move_to(id, Segment::queue);
  submit_or_wait(id);
}

double EnvironmentRun::available(int id)
{
  const int parts = spec(id).parts, there = live(id).parts_there;
  return there >= parts ? 1 : static_cast<double>(there) / parts / std::max(1.0, spec(id).passes);
}

} // namespace trainyard::task_environment
