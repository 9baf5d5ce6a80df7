#include "sim/task_environment/environment.hpp"

#include "models/core/quantity_text.hpp"
#include "sim/report/text.hpp"
#include "sim/task_environment/event_loop.hpp"
#include "sim/task_environment/message_channel.hpp"
#include "sim/task_environment/shared_link.hpp"
#include "sim/task_environment/training_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace trainyard {
namespace {

constexpr std::string_view service = "service", planner_actor = "planner", storage = "storage", queue_actor = "queue", cluster = "cluster",
                           serving = "serving";

std::string span_text(Instant time)
{
  return time_text(seconds(time));
}

/// What a request needs besides what is reported of it.
struct Live {
  explicit Live(const Random& random, const std::string& name)
      : messages{random.stream("messages " + name)}, checksums{random.stream("checksums " + name)}, failures{
                                                                                                        random.stream("failures " + name)}
  {
    RandomStream draw = random.stream("phases " + name);
    confirm_phase = draw.uniform();
    status_phase = draw.uniform();
    stretch_draw = random.stream("training " + name).normal(0, 1);
  }

  RandomStream messages, checksums, failures;
  double confirm_phase = 0, status_phase = 0, stretch_draw = 0;
  Instant since{};            // of the present segment
  int epoch = 0;              // what was planned for an earlier epoch no longer happens
  std::vector<int> to_send;   // parts, next one last
  std::optional<int> sending; // transfer on the upload link
  int sending_part = 0;
  int parts_there = 0;
  bool ready = false;                // its first part is confirmed
  bool submitted = false;            // its script is on its way, in the queue, or beyond
  bool acknowledged = false;         // the service knows that the queue has it
  bool in_queue = false;             // a job of it has reached the queue
  std::optional<Instant> challenged; // a newer one stands behind it since then
  std::vector<int> trainings;        // jobs of it in the cluster, by number
  double checkpointed = 0;           // share of the training that its last checkpoint holds
  std::optional<int> moving;         // transfer on the download link
};

/// A script in the queue: a job of a request.
struct Job {
  int request = 0;
  int attempt = 1;
  enum class State { waiting, training, saving, over } state = State::waiting;
  Instant submitted{};
  Instant started{-1};
  bool counted = false; // its GPU time led to the deployed model
  std::optional<int> saving;
  std::optional<EventLoop::Key> failure;
};

class EnvironmentRun
{
public:
  EnvironmentRun(const EnvironmentInput& input, const DuplicatePolicy& duplicates, JobPlanner& planner)
      : input_{input}, section_{input.section}, rates_{input.rates}, duplicates_{duplicates}, planner_{planner}, random_{input.seed},
        upload_{loop_, section_.upload_bandwidth}, save_{loop_, section_.save_bandwidth}, download_{loop_, section_.download_bandwidth},
        pool_{loop_, rates_, section_.cluster, random_, section_.placement, [this](int job) { trained(job); }}, channel_{section_.messages, result_},
        controlled_{planner.controls()}, submission_{controlled_ ? section_.submission : "blind"}
  {
  }

  EnvironmentResult run()
  {
    for (int model = 0; model < rates_.models(); ++model) {
      const RetrainedModel& spec = rates_.spec(model);
      const Instant first = instant(spec.first);
      result_.models.push_back(rates_.name(model));
      result_.stale_after.push_back(instant(spec.stale_after));
      result_.first_data.push_back(first - instant(spec.stale_after));
      triggers_.push_back(Registry<NeedTrigger>::instance().create(spec.trigger.name, spec.trigger.settings));
      needs_.push_back(random_.stream("needs " + rates_.name(model)));
      numbers_.push_back(0);
      held_.emplace_back();
      serving_data_.push_back(result_.first_data.back());
      serving_busy_.emplace_back();
      loop_.at(first, [this, model] { need(model); });
    }
    result_.gpus = pool_.gpus();
    sample();
    loop_.run(input_.until);
    close();
    return std::move(result_);
  }

private:
  Request& request(int id) { return result_.requests[static_cast<std::size_t>(id)]; }
  Live& live(int id) { return live_[static_cast<std::size_t>(id)]; }
  const RetrainedModel& spec(int id) { return rates_.spec(request(id).model); }
  std::string name(int id) { return fmt::format("{}-{}", result_.models[static_cast<std::size_t>(request(id).model)], request(id).number); }

  void log(int id, std::string_view from, std::string_view to, std::string what)
  {
    if (result_.events.size() < input_.most_records)
      result_.events.push_back({loop_.now(), id, from, to, std::move(what)});
    else
      ++result_.dropped_records;
  }

  void move_to(int id, Segment segment)
  {
    Request& one = request(id);
    one.spent[static_cast<std::size_t>(one.segment)] += loop_.now() - live(id).since;
    live(id).since = loop_.now();
    one.segment = segment;
  }

  /// Later, unless the request has gone another way by then.
  void later(Instant when, int id, std::function<void()> action)
  {
    loop_.at(when, [this, id, epoch = live(id).epoch, action = std::move(action)] {
      if (live(id).epoch == epoch)
        action();
    });
  }

  // --- need -----------------------------------------------------------------------------------------------------------------------------

  void need(int model)
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
    live_.emplace_back(random_, name(id));
    live(id).since = now;
    active_[model].insert(id);
    log(id, service, planner_actor, fmt::format("{} is to be trained again", rates_.name(model)));
    if (const auto next =
            triggers_[static_cast<std::size_t>(model)]->after_need(now, instant(spec.period), needs_[static_cast<std::size_t>(model)]))
      loop_.at(*next, [this, model] { need(model); });
    if (controlled_ && earlier && duplicates_.drop_at_need(situation(*earlier)))
      return finish(id, RequestEnd::forbidden, fmt::format("{} was under way", name(*earlier)));
    const Instant period = instant(section_.planner_period);
    const Instant look = controlled_ && period > Instant{0} ? now + (period - now % period) % period : now;
    if (look > now)
      later(look, id, [this, id] { begin_upload(id); });
    else
      begin_upload(id);
  }

  /// The earliest request of the model that has not been trained yet.
  std::optional<int> under_way(int model)
  {
    for (const int id : active_[model])
      if (request(id).trained < Instant{0})
        return id;
    return std::nullopt;
  }

  DuplicateSituation situation(int earlier)
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

  // --- upload and confirmation ----------------------------------------------------------------------------------------------------------

  void begin_upload(int id)
  {
    move_to(id, Segment::upload);
    for (int part = spec(id).parts; part > 0; --part)
      live(id).to_send.push_back(part);
    send_next(id);
  }

  void send_next(int id)
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
          parts == 1 ? fmt::format("{} of data", to_text(spec(id).data))
                     : fmt::format("{} of data in {} parts", to_text(spec(id).data), parts));
    one.sending = upload_.start(spec(id).data * (1.0 / parts), section_.upload_per_model, [this, id] { sent(id); });
  }

  void sent(int id)
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

  void confirm(int id, int part, bool wrong, Instant from)
  {
    const Instant period = instant(section_.confirm.period);
    const Instant attempt = section_.confirm.by == "message" ? from : next_tick(from, request(id).need, live(id).confirm_phase, period);
    later(attempt, id, [this, id, part, wrong, period] {
      const Exchange exchange = channel_.exchange(live(id).messages);
      if (exchange.answered)
        return later(loop_.now() + exchange.time, id, [this, id, part, wrong] { confirmed(id, part, wrong); });
      // By polling the next look is at the next tick; a notification is repeated after the same time.
      const Instant again = section_.confirm.by == "message" ? std::max(period, exchange.time) : std::max(Instant{1}, exchange.time);
      confirm(id, part, wrong, loop_.now() + again);
    });
  }

  void confirmed(int id, int part, bool wrong)
  {
    Live& one = live(id);
    if (wrong) {
      ++request(id).wrong_checksums;
      log(id, storage, service, "wrong checksum: the data are sent again");
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
    log(id, storage, service, spec(id).parts == 1 ? "checksum right: the data are there" : "checksum right: the first part is there");
    move_to(id, Segment::queue);
    submit_or_wait(id);
  }

  double available(int id)
  {
    const int parts = spec(id).parts, there = live(id).parts_there;
    return there >= parts ? 1 : static_cast<double>(there) / parts / std::max(1.0, spec(id).passes);
  }

  // --- duplicates -----------------------------------------------------------------------------------------------------------------------

  /// The request of the model that is in the queue or trains (the newest, if there are several).
  std::optional<int> in_cluster(int model, int except)
  {
    std::optional<int> found;
    for (const int id : active_[model])
      if (id != except && live(id).submitted && request(id).trained < Instant{0})
        found = id;
    return found;
  }

  void submit_or_wait(int id)
  {
    if (!controlled_)
      return submit(id);
    const int model = request(id).model;
    std::optional<int>& held = held_[static_cast<std::size_t>(model)];
    if (duplicates_.yields_to_newer())
      for (const int other : active_[model])
        if (request(other).need > request(id).need && (live(other).submitted || held == other))
          return finish(id, RequestEnd::coalesced, fmt::format("{} has newer data", name(other)));
    if (held && *held != id) {
      const int older = *held;
      held.reset();
      finish(older, RequestEnd::coalesced, fmt::format("joined into {}", name(id)));
    }
    const std::optional<int> earlier = in_cluster(model, id);
    if (!earlier)
      return submit(id);
    if (!live(*earlier).challenged)
      live(*earlier).challenged = loop_.now();
    DuplicateVerdict verdict = duplicates_.at_submission(situation(*earlier));
    if (verdict.action == DuplicateVerdict::Action::stop_earlier && request(*earlier).segment == Segment::save)
      verdict = {DuplicateVerdict::Action::wait, never}; // it is trained, and only saves
    switch (verdict.action) {
    case DuplicateVerdict::Action::submit:
      return submit(id);
    case DuplicateVerdict::Action::drop:
      return finish(id, RequestEnd::forbidden, fmt::format("{} was under way", name(*earlier)));
    case DuplicateVerdict::Action::stop_earlier:
      log(id, planner_actor, queue_actor, fmt::format("stop {}: {} has newer data", name(*earlier), name(id)));
      finish(*earlier, RequestEnd::replaced, fmt::format("by {}", name(id)));
      return submit(id);
    case DuplicateVerdict::Action::wait:
      log(id, planner_actor, planner_actor,
          verdict.until >= never
              ? fmt::format("waits for the end of {}", name(*earlier))
              : fmt::format("waits for the end of {}, {} at most", name(*earlier), span_text(verdict.until - loop_.now())));
      held = id;
      if (verdict.until < never)
        later(verdict.until, id, [this, id] {
          if (held_[static_cast<std::size_t>(request(id).model)] == id) {
            held_[static_cast<std::size_t>(request(id).model)].reset();
            submit_or_wait(id);
          }
        });
    }
  }

  /// An earlier one is out of the way.
  void release_held(int model)
  {
    std::optional<int>& held = held_[static_cast<std::size_t>(model)];
    if (!held || in_cluster(model, *held))
      return;
    const int id = *held;
    held.reset();
    later(loop_.now(), id, [this, id] {
      if (!live(id).submitted)
        submit_or_wait(id);
    });
  }

  // --- submission -----------------------------------------------------------------------------------------------------------------------

  void submit(int id)
  {
    live(id).submitted = true;
    ++request(id).attempts;
    send_script(id);
  }

  void send_script(int id)
  {
    Live& one = live(id);
    ++request(id).submissions;
    log(id, planner_actor, queue_actor, request(id).submissions == 1 ? "script" : "script, once more");
    const bool there = channel_.arrives(one.messages);
    const bool back = there && channel_.arrives(one.messages);
    const Instant latency = instant(section_.messages.latency);
    if (there)
      later(loop_.now() + latency, id, [this, id] { enqueue(id); });
    if (back)
      return later(loop_.now() + 2 * latency, id, [this, id] { acknowledged(id); });
    const Instant patience = std::max({instant(section_.messages.retry_after), 2 * latency, Instant{1'000'000}});
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
  void ask(int id)
  {
    log(id, planner_actor, queue_actor, "is the script there?");
    const bool answered = channel_.arrives(live(id).messages) && channel_.arrives(live(id).messages);
    const Instant latency = instant(section_.messages.latency);
    if (!answered)
      return later(loop_.now() + std::max({instant(section_.messages.retry_after), 2 * latency, Instant{1'000'000}}), id,
                   [this, id] { ask(id); });
    later(loop_.now() + 2 * latency, id, [this, id] {
      log(id, queue_actor, planner_actor, live(id).in_queue ? "the script is there" : "the script is not there");
      if (live(id).in_queue)
        acknowledged(id);
      else
        send_script(id);
    });
  }

  void enqueue(int id)
  {
    if (!pool_.could_ever_fit(request(id).model))
      return finish(id, RequestEnd::impossible,
                    fmt::format("it needs {} GPUs, the cluster has {}", rates_.gpus(request(id).model), pool_.gpus()));
    const int job = static_cast<int>(jobs_.size());
    jobs_.push_back({.request = id, .attempt = request(id).attempts, .submitted = loop_.now()});
    Live& one = live(id);
    if (one.in_queue)
      log(id, queue_actor, queue_actor, "the script is there twice: a duplicate job");
    one.in_queue = true;
    one.trainings.push_back(job);
    ++request(id).trainings;
    waiting_.push_back(job);
    sample();
    dispatch_soon();
  }

  void acknowledged(int id)
  {
    Live& one = live(id);
    if (one.acknowledged)
      return;
    one.acknowledged = true;
    log(id, queue_actor, planner_actor, one.in_queue ? "accepted" : "no answer");
    if (const Instant limit = instant(spec(id).time_out); limit < never)
      later(loop_.now() + limit, id, [this, id, attempt = request(id).attempts] {
        if (request(id).attempts == attempt && request(id).segment != Segment::detect && request(id).segment < Segment::download)
          timed_out(id);
        else if (request(id).attempts == attempt && request(id).segment == Segment::detect && request(id).trained < Instant{0})
          timed_out(id);
      });
    if (submission_ == "once" && !one.in_queue)
      watch(id);
  }

  void timed_out(int id)
  {
    log(id, planner_actor, planner_actor, fmt::format("no result within {}: taken as failed", span_text(instant(spec(id).time_out))));
    attempt_failed(id, fmt::format("no result within {}", span_text(instant(spec(id).time_out))));
  }

  // --- queue and training ---------------------------------------------------------------------------------------------------------------

  void dispatch_soon()
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

  void dispatch()
  {
    if (waiting_.empty())
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
      running.push_back({work.model, rates_.spec(work.model).priority, work.held.gpus, work.held.gpu_type, pool_.expected_end(job)});
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
  void decided(int job, const std::vector<int>& waiting, const std::vector<int>& training, int busy, bool passed)
  {
    if (result_.decisions.size() >= input_.most_records) {
      ++result_.dropped_records;
      return;
    }
    const int id = jobs_[static_cast<std::size_t>(job)].request;
    PlanningDecision decision{.at = loop_.now(), .request = id, .priority = spec(id).priority, .busy_gpus = busy, .gpus = pool_.gpus()};
    constexpr std::size_t most_named = 12;
    const auto list = [&](const std::vector<int>& all, auto text) {
      std::string names;
      for (std::size_t i = 0; i < all.size() && i < most_named; ++i)
        names += (i > 0 ? ", " : "") + text(all[i]);
      return all.size() > most_named ? names + fmt::format(", and {} more", all.size() - most_named) : names;
    };
    decision.queue = list(waiting, [&](int other) {
      const int theirs = jobs_[static_cast<std::size_t>(other)].request;
      return fmt::format("{} (priority {:g}, {} GPUs, waits {})", name(theirs), spec(theirs).priority, rates_.gpus(request(theirs).model),
                         span_text(loop_.now() - jobs_[static_cast<std::size_t>(other)].submitted));
    });
    decision.state = list(training, [&](int other) {
      return fmt::format("{} ({} GPUs{})", name(jobs_[static_cast<std::size_t>(other)].request), pool_.work(other).held.gpus,
                         pool_.work(other).stops ? ", saves" : "");
    });
    decision.why = passed                ? "the ones before it do not fit now"
                   : waiting.size() == 1 ? "it is alone in the queue"
                                         : "first by the planner's order";
    result_.decisions.push_back(std::move(decision));
  }

  bool start(int job, int gpu_type)
  {
    Job& one = jobs_[static_cast<std::size_t>(job)];
    const int id = one.request;
    const RetrainedModel& model = spec(id);
    const double c = model.variation, sigma = std::sqrt(std::log1p(c * c));
    const double stretch = c > 0 ? std::exp(sigma * live(id).stretch_draw - sigma * sigma / 2) : 1;
    if (!pool_.start(job, request(id).model, gpu_type, live(id).checkpointed, available(id), stretch))
      return false;
    one.state = Job::State::training;
    one.started = loop_.now();
    std::erase(waiting_, job);
    result_.stays.push_back({id, one.attempt, loop_.now(), never, Instant{-1}, pool_.work(job).held.gpus, pool_.nodes(job)});
    stay_of_[job] = result_.stays.size() - 1;
    sample();
    if (request(id).segment == Segment::queue)
      move_to(id, Segment::train);
    log(id, queue_actor, cluster,
        fmt::format("training starts on {} GPU{} ({}){}", pool_.work(job).held.gpus, pool_.work(job).held.gpus == 1 ? "" : "s",
                    pool_.nodes(job),
                    live(id).checkpointed > 0 ? fmt::format(", from a checkpoint at {:.0f} %", 100 * live(id).checkpointed) : ""));
    plan_failure(job);
    return true;
  }

  void plan_failure(int job)
  {
    Job& one = jobs_[static_cast<std::size_t>(job)];
    const int id = one.request;
    Instant after = never;
    if (const double mean = section_.mean_time_to_failure.value(); std::isfinite(mean))
      after = instant(Seconds{live(id).failures.exponential(mean / pool_.work(job).held.gpus)});
    for (const TrainingFault& fault : section_.faults)
      if (fault.model == rates_.spec(request(id).model).name && fault.need == request(id).number && fault.attempt == one.attempt)
        after = std::min(after, instant(fault.after));
    if (after < never)
      one.failure = loop_.after(after, [this, job] { failed(job); });
  }

  void trained(int job)
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

  void saved(int job)
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
    log(id, cluster, storage, fmt::format("the trained model, {}", to_text(rates_.result(request(id).model))));
    move_to(id, Segment::detect);
    watch(id);
    release_held(request(id).model);
  }

  void failed(int job)
  {
    Job& one = jobs_[static_cast<std::size_t>(job)];
    const int id = one.request;
    one.failure.reset();
    const RunningWork work = pool_.work(job);
    const Instant interval = instant(spec(id).checkpoint_interval), trained_for = loop_.now() - work.begin;
    if (interval < never && trained_for > Instant{0}) {
      const double kept = static_cast<double>(trained_for / interval * interval.count()) / static_cast<double>(trained_for.count());
      live(id).checkpointed = std::max(live(id).checkpointed, work.begun_with + kept * (work.done - work.begun_with));
      const double share = work.done > work.begun_with ? (live(id).checkpointed - work.begun_with) / (work.done - work.begun_with) : 0;
      kept_[job] = share;
    }
    log(id, cluster, cluster, fmt::format("the training fails after {}", span_text(trained_for)));
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

  /// A job gives its GPUs back, or its place in the queue.
  void leave(int job)
  {
    Job& one = jobs_[static_cast<std::size_t>(job)];
    if (one.failure)
      loop_.cancel(*one.failure);
    one.failure.reset();
    if (one.saving)
      save_.stop(*one.saving);
    one.saving.reset();
    if (pool_.holds(job)) {
      TrainingStay& stay = result_.stays[stay_of_.at(job)];
      stay.to = loop_.now();
      request(one.request).gpu_seconds += stay.gpus * seconds(stay.to - stay.from).value();
      pool_.stop(job);
    }
    std::erase(waiting_, job);
    one.state = Job::State::over;
    sample();
  }

  // --- finding out ----------------------------------------------------------------------------------------------------------------------

  /// Something is to be found out about the request: its result is saved, its training failed, or its script never arrived.
  void watch(int id)
  {
    const bool result = request(id).trained >= Instant{0};
    if (section_.status.by == "storage" && !result)
      return; // storage shows results only; the time-out will tell
    look(id, loop_.now());
  }

  void look(int id, Instant from)
  {
    const Instant period = instant(section_.status.period);
    const bool message = section_.status.by == "message";
    const Instant attempt = message ? from : next_tick(from, request(id).need, live(id).status_phase, period);
    later(attempt, id, [this, id, period, message] {
      const Exchange exchange = channel_.exchange(live(id).messages);
      if (exchange.answered)
        return later(loop_.now() + exchange.time, id, [this, id] { found(id); });
      look(id, loop_.now() + (message ? std::max(period, exchange.time) : std::max(Instant{1}, exchange.time)));
    });
  }

  void found(int id)
  {
    if (request(id).trained >= Instant{0}) {
      log(id, section_.status.by == "storage" ? storage : queue_actor, planner_actor, "the training has ended");
      return download(id);
    }
    if (!live(id).in_queue)
      return finish(id, RequestEnd::lost, "the script never reached the queue");
    for (const int job : live(id).trainings)
      if (jobs_[static_cast<std::size_t>(job)].state != Job::State::over)
        return; // a later script of it arrived meanwhile
    log(id, queue_actor, planner_actor, "the training has failed");
    attempt_failed(id, "the training failed");
  }

  void attempt_failed(int id, const std::string& reason)
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
      return finish(id, reached ? RequestEnd::failed : RequestEnd::lost,
                    fmt::format("{} ({} attempt{})", reason, request(id).attempts, request(id).attempts == 1 ? "" : "s"));
    one.acknowledged = one.in_queue = false;
    move_to(id, Segment::queue);
    resume_upload(id);
    submit(id);
  }

  /// Parts still on their way go on after the epoch of the failed attempt.
  void resume_upload(int id)
  {
    Live& one = live(id);
    one.to_send.clear();
    for (int part = spec(id).parts; part > one.parts_there; --part)
      one.to_send.push_back(part);
    send_next(id);
  }

  // --- download and deployment ----------------------------------------------------------------------------------------------------------

  void download(int id)
  {
    move_to(id, Segment::download);
    log(id, storage, service, "the result is downloaded");
    live(id).moving = download_.start(rates_.result(request(id).model) + spec(id).checkpoint,
                                      BytesPerSecond{std::numeric_limits<double>::infinity()}, [this, id] {
                                        live(id).moving.reset();
                                        move_to(id, Segment::deploy);
                                        deploy(id);
                                      });
  }

  void deploy(int id)
  {
    const auto model = static_cast<std::size_t>(request(id).model);
    if (serving_data_[model] >= request(id).need)
      return finish(id, RequestEnd::outdated, "a model on newer data serves already");
    if (serving_busy_[model] > loop_.now()) // an earlier update is under way
      return later(serving_busy_[model], id, [this, id] { deploy(id); });
    const Instant time = instant(section_.deploy.time());
    serving_busy_[model] = loop_.now() + time;
    const DeploySpec& how = section_.deploy;
    log(id, service, serving,
        how.replicas == 1 ? "the new model replaces the old one"
                          : fmt::format("rolling update of {} replicas, {} at a time, never below {}", how.replicas, how.parallelism,
                                        std::max(0, how.replicas - how.parallelism)));
    later(loop_.now() + time, id, [this, id, model] {
      serving_data_[model] = request(id).need;
      request(id).deployed = loop_.now();
      result_.deployments.push_back({request(id).model, id, loop_.now(), request(id).need});
      log(id, serving, service, "the new model serves");
      const RetrainedModel& spec = rates_.spec(request(id).model);
      if (const auto next = triggers_[model]->after_deployment(loop_.now(), request(id).need, instant(spec.period)))
        loop_.at(*next, [this, model] { need(static_cast<int>(model)); });
      finish(id, RequestEnd::deployed, "");
    });
  }

  // --- ends -----------------------------------------------------------------------------------------------------------------------------

  void end_transfers(int id, bool downloads)
  {
    Live& one = live(id);
    if (one.sending)
      upload_.stop(*one.sending);
    one.sending.reset();
    if (downloads && one.moving)
      download_.stop(*one.moving);
  }

  void finish(int id, RequestEnd end, std::string reason)
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
      // What was sent twice trains on to its end: nobody knows of it.
      if (state != Job::State::over && (end != RequestEnd::deployed && end != RequestEnd::outdated))
        leave(job);
    }
    if (end != RequestEnd::deployed)
      log(id, planner_actor, planner_actor,
          fmt::format("{} ends: {}{}", name(id), to_text(end), one.reason.empty() ? "" : ", " + one.reason));
    active_[one.model].erase(id);
    std::optional<int>& held = held_[static_cast<std::size_t>(one.model)];
    if (held == id)
      held.reset();
    release_held(one.model);
    dispatch_soon();
    if (triggers_[static_cast<std::size_t>(one.model)]->waits_for_deployment() && end != RequestEnd::deployed &&
        end != RequestEnd::impossible) // it is needed still
      loop_.after(instant(rates_.spec(one.model).period), [this, model = one.model] {
        if (active_[model].empty())
          need(model);
      });
  }

  void sample()
  {
    const LoadSample now{loop_.now(), pool_.busy_gpus(), static_cast<int>(waiting_.size())};
    if (!result_.load.empty() && result_.load.back().at == now.at)
      result_.load.back() = now;
    else
      result_.load.push_back(now);
  }

  void close()
  {
    result_.end = loop_.now();
    for (const auto& [job, stay] : stay_of_) {
      if (!pool_.holds(job))
        continue;
      result_.stays[stay].to = loop_.now();
      const int id = jobs_[static_cast<std::size_t>(job)].request;
      request(id).gpu_seconds += result_.stays[stay].gpus * seconds(loop_.now() - result_.stays[stay].from).value();
    }
    for (Request& one : result_.requests)
      if (one.ended == RequestEnd::open) {
        move_to(one.id, one.segment);
        one.end = loop_.now();
        one.reason = fmt::format("the run ended during {}", segment_names[static_cast<std::size_t>(one.segment)]);
      }
    for (const auto& [job, stay] : stay_of_) {
      const Job& one = jobs_[static_cast<std::size_t>(job)];
      Request& owner = request(one.request);
      const TrainingStay& held = result_.stays[stay];
      const double gpu_seconds = held.gpus * seconds(held.to - held.from).value();
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

  const EnvironmentInput& input_;
  const TaskEnvironmentSection& section_;
  TrainingRates& rates_;
  const DuplicatePolicy& duplicates_;
  JobPlanner& planner_;
  Random random_;
  EventLoop loop_;
  EnvironmentResult result_;
  SharedLink upload_, save_, download_;
  TrainingPool pool_;
  MessageChannel channel_;
  bool controlled_;
  std::string submission_;
  std::vector<std::unique_ptr<NeedTrigger>> triggers_;
  std::vector<RandomStream> needs_;
  std::vector<int> numbers_;
  std::vector<Live> live_;
  std::map<int, std::set<int>> active_; // requests that have not ended, by model
  std::vector<std::optional<int>> held_;
  std::vector<Instant> serving_data_;
  std::vector<Instant> serving_busy_;
  std::vector<Job> jobs_;
  std::vector<int> waiting_;
  std::map<int, std::size_t> stay_of_;
  std::map<int, double> kept_;
  bool dispatching_ = false;
};

} // namespace

std::string_view to_text(RequestEnd end)
{
  switch (end) {
  case RequestEnd::open:
    return "open";
  case RequestEnd::deployed:
    return "deployed";
  case RequestEnd::outdated:
    return "outdated";
  case RequestEnd::replaced:
    return "replaced";
  case RequestEnd::coalesced:
    return "coalesced";
  case RequestEnd::forbidden:
    return "forbidden";
  case RequestEnd::failed:
    return "failed";
  case RequestEnd::lost:
    return "lost";
  case RequestEnd::impossible:
    return "impossible";
  }
  return "?";
}

EnvironmentResult simulate_environment(const EnvironmentInput& input, const DuplicatePolicy& duplicates, JobPlanner& planner)
{
  return EnvironmentRun{input, duplicates, planner}.run();
}

} // namespace trainyard
