// SPDX-License-Identifier: Apache-2.0
// The time after the log: waits of the next week, and when a job of the queue as it stands starts.
#include "models/core/diagnostics.hpp"
#include "models/core/statistics.hpp"
#include "models/core/text.hpp"
#include "sim/study/replay_parts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double simulated = 8 * replay_week; // of a future

double end_of(const RecordedQueue& log)
{
  return log.submit(log.waits.size() - 1) + 1;
}

/// Waits of the jobs that started in the week before a moment, by class.
std::map<int, std::vector<double>> last_waits(const RecordedQueue& log, double now)
{
  std::map<int, std::vector<double>> past;
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    if (log.start(i) >= now - replay_week && log.start(i) <= now)
      past[class_of(log, i)].push_back(log.waits[i]);
  return past;
}

/// Work of so many days after a moment: each day the same weekday of one of the four weeks before it. @p add gets the
/// job, and its number in the log.
template <class Add>
void draw_work(const RecordedQueue& log, double now, int days, RandomStream& stream, const Add& add)
{
  constexpr double day = 86400;
  for (int d = 0; d < days; ++d) {
    const double back = 7.0 * (1 + static_cast<double>(stream.below(4)) + std::floor(d / 7)) * day;
    const double source = now + d * day - back;
    for (std::size_t i = 0; i < log.waits.size(); ++i) {
      if (log.submit(i) < source || log.submit(i) >= source + day)
        continue;
      ReplayJob one{.job = log.workload.jobs[i]};
      one.job.submit = Seconds{log.submit(i) + back};
      one.job.row = -1;
      add(one, i);
    }
  }
}

/// Run times of what had ended by a moment, as shares of their limits, by class; where users gave no limits the run
/// times.
class PastRuns
{
public:
  PastRuns(const RecordedQueue& log, double now) : log_{log}
  {
    for (std::size_t i = 0; i < log.waits.size(); ++i) {
      if (log.end(i) > now && now < end_of(log))
        continue;
      const TraceJob& job = log.workload.jobs[i];
      const double limit = log.limits ? job.estimate.value() : 1;
      longest_ = std::max(longest_, limit);
      if (limit <= 0)
        continue;
      by_class_[class_of(log, i)].push_back(job.duration.value() / limit);
      all_.push_back(job.duration.value() / limit);
    }
  }
  double limit_of(const QueueNow::Job& job) const { return !log_.limits ? 1 : job.limit > 0 ? job.limit : longest_; }
  /// Of a job that has run for @p ran so far.
  double draw(const QueueNow::Job& job, double ran, RandomStream& stream) const
  {
    const double limit = limit_of(job);
    const auto found = by_class_.find(class_of(log_, job.gpus, limit));
    constexpr std::size_t few = 30;
    const std::vector<double>& shares = found != by_class_.end() && found->second.size() >= few ? found->second : all_;
    std::vector<double> longer;
    if (ran <= 0)
      return shares[stream.below(shares.size())] * limit;
    for (const double share : shares)
      if (share * limit > ran)
        longer.push_back(share);
    const double at_least = std::max(limit, ran + 60); // nobody ran for so long
    return longer.empty() ? at_least : longer[stream.below(longer.size())] * limit;
  }

private:
  const RecordedQueue& log_;
  std::map<int, std::vector<double>> by_class_;
  std::vector<double> all_;
  double longest_ = 0;
};

int user_of(const RecordedQueue& log, const std::string& name)
{
  for (int i = 0; i < log.workload.users.size(); ++i)
    if (log.workload.users.name(i) == name)
      return i;
  return 0;
}

void check_queue_now(const RecordedQueue& log, const QueueNow& queue, const QueueNow::Job& submitted)
{
  int held = 0;
  for (const QueueNow::Job& job : queue.jobs)
    held += job.ran ? job.gpus : 0;
  if (held > log.gpus)
    throw InputError{fmt::format("running jobs hold {} GPUs, but the log's machine has {}; is it the queue of another "
                                 "machine? --gpus N sets the number",
                                 held, log.gpus)};
  if (submitted.gpus > log.gpus)
    throw InputError{fmt::format("--submit: the job asks for {} GPUs, the machine has {}", submitted.gpus, log.gpus)};
  if (log.limits && submitted.limit <= 0)
    throw InputError{"--submit: users of this log ask for times, so the job needs one: 'gpus=8, limit=4 h'"};
}

} // namespace

void add_forecast(const RecordedQueue& log, const ReplayOptions& options, Replay& replay)
{
  constexpr int draws = 10;
  const double now = end_of(log), day = 86400;
  std::map<int, std::vector<double>> waits, past = last_waits(log, now);
  const Random random{1};
  auto stream = random.stream("replay");
  std::map<int, int> numbers;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<ReplayJob> jobs = jobs_around(log, now, now, now);
    std::vector<int> classes;
    draw_work(log, now, static_cast<int>(std::ceil(2 * options.predict / day)), stream,
              [&](ReplayJob& one, std::size_t source) {
                if (one.job.submit.value() < now + options.predict) {
                  one.job.row = static_cast<std::int64_t>(classes.size());
                  classes.push_back(class_of(log, source));
                }
                jobs.push_back(one);
              });
    for (const ReplayModel& model : replay.chosen)
      for (const auto& [job, wait] : replay_from(log, jobs, model, now, now + 4 * options.predict + 2 * replay_week,
                                                 usable_gpus(log, model), {})) {
        const int cls = classes[static_cast<std::size_t>(job)];
        const std::vector<double>& before = past[cls];
        const double like = before.empty() ? wait : before[stream.below(before.size())];
        // Of each model's jobs so many wait as last week's did as is its share of them.
        const bool as_before = stream.uniform() < model.last_week;
        waits[cls].push_back(std::max(0.0, as_before ? like : wait));
      }
    for (const int cls : classes)
      ++numbers[cls];
  }
  for (auto& [cls, of] : waits)
    replay.forecast.push_back({class_text(cls), (numbers[cls] + draws / 2) / draws, quantile(of, 0.5),
                               quantile(of, 0.9), quantile(past[cls], 0.5)});
}

namespace {

/// A queue at a moment: who runs, and whose start is asked for.
struct QueueAt {
  double now = 0;
  std::vector<QueueNow::Job> running, asked; // of those asked for the first is submitted now
};

/// "7" of "7_[1-200%5]" and of "7_3".
std::string array_of(const std::string& job)
{
  return job.substr(0, job.find('_'));
}

/// Chains of the jobs of an array of which only so many run at once: each waits for the one so many before it.
class ArrayChains
{
public:
  explicit ArrayChains(const QueueAt& queue)
  {
    for (const QueueNow::Job& job : queue.asked)
      if (job.at_once > 0)
        at_once_[array_of(job.name)] = job.at_once;
  }
  std::string next(const QueueNow::Job& job)
  {
    const auto found = at_once_.find(array_of(job.name));
    return found == at_once_.end() ? "" : fmt::format("{}_{}", found->first, next_[found->first]++ % found->second);
  }

private:
  std::map<std::string, int> at_once_, next_;
};

/// Seconds from then to the start of each job that is asked for, in so many futures.
std::vector<std::vector<double>> futures(const RecordedQueue& log, const QueueAt& queue,
                                         const std::vector<ReplayModel>& models, int draws, RandomStream& stream)
{
  constexpr int days = 14;
  const double now = queue.now, until = now + simulated;
  const PastRuns runs{log, now};
  const std::map<int, std::vector<double>> past = last_waits(log, now);
  const std::size_t asked = queue.asked.size();
  std::vector<std::vector<double>> starts(asked);
  const auto job_of = [&](const QueueNow::Job& job, double submit, double ran) {
    ReplayJob one;
    one.job.submit = Seconds{submit};
    one.job.duration = Seconds{std::max(1.0, runs.draw(job, ran, stream))};
    one.job.estimate = log.limits ? Seconds{runs.limit_of(job)} : Seconds{one.job.duration.value()};
    one.job.gpus = std::min(job.gpus, log.gpus);
    one.job.user = user_of(log, job.user);
    one.job.row = -1;
    return one;
  };
  for (int draw = 0; draw < draws; ++draw) {
    const ReplayModel& model = models[static_cast<std::size_t>(draw) % models.size()];
    std::vector<ReplayJob> jobs;
    ArrayChains chains{queue};
    for (const QueueNow::Job& job : queue.running) {
      const double ran = job.ran.value_or(0);
      jobs.push_back(job_of(job, now - ran - 1, ran));
      jobs.back().start = now - ran - 1;
      jobs.back().chain = chains.next(job);
      jobs.back().job.duration = Seconds{jobs.back().job.duration.value() + 1};
    }
    for (std::size_t i = 1; i <= asked; ++i) { // the submitted job is the last
      const std::size_t number = i % asked;
      const QueueNow::Job& job = queue.asked[number];
      for (int task = 0; task < job.tasks; ++task) {
        jobs.push_back(job_of(job, now - job.waited, 0));
        jobs.back().job.row = task == 0 ? static_cast<std::int64_t>(number) : -1;
        jobs.back().chain = chains.next(job);
      }
    }
    draw_work(log, now, days, stream, [&](const ReplayJob& one, std::size_t) { jobs.push_back(one); });
    for (const auto& [number, wait] : replay_from(log, jobs, model, now, until, usable_gpus(log, model), {})) {
      const QueueNow::Job& job = queue.asked[static_cast<std::size_t>(number)];
      double from_now = now - job.waited + wait >= until ? infinite : std::max(0.0, wait - job.waited);
      // In so many futures as is the model's share of last week, it waits as a job of its class did then, and longer
      // than so far.
      if (stream.uniform() < model.last_week)
        if (const auto before = past.find(class_of(log, job.gpus, runs.limit_of(job))); before != past.end()) {
          std::vector<double> longer;
          for (const double one : before->second)
            if (one >= job.waited)
              longer.push_back(one - job.waited);
          if (!longer.empty())
            from_now = longer[stream.below(longer.size())];
        }
      starts[static_cast<std::size_t>(number)].push_back(from_now);
    }
  }
  for (std::vector<double>& of_job : starts)
    std::ranges::sort(of_job);
  return starts;
}

double at_share(const std::vector<double>& sorted, double share)
{
  return sorted[static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

/// How far real starts were from the ends of such intervals.
struct StartErrors {
  std::vector<double> below; // real over the lower end; 1 where it is not below
  std::vector<double> above; // s beyond the upper end; 0 where it is not
  void add(const std::vector<double>& sorted, double real)
  {
    const double low = at_share(sorted, 0.1), high = at_share(sorted, 0.9);
    below.push_back(real < low ? real / low : 1);
    above.push_back(std::max(0.0, real - high));
  }
  bool enough() const { return above.size() >= 10; }
  double widens_low() const { return enough() ? quantile(below, 0.1) : 1; }
  double later() const { return enough() ? quantile(above, 0.9) : 0; }
};

/// The record's queue at a moment; its next job is the submitted one, of those that wait at most @p most are asked for.
/// @p numbers gets the rows of the log behind the jobs that are asked for.
QueueAt queue_at(const RecordedQueue& log, double now, std::size_t most, std::vector<std::size_t>& numbers)
{
  QueueAt queue{.now = now, .running = {}, .asked = {}};
  std::vector<std::size_t> waiting;
  std::size_t next = 0;
  for (std::size_t i = 0; i < log.waits.size() && log.submit(i) <= now; next = ++i)
    if (log.start(i) > now)
      waiting.push_back(i);
    else if (log.end(i) > now)
      queue.running.push_back({.name = {},
                               .user = log.workload.users.name(log.workload.jobs[i].user),
                               .gpus = log.workload.jobs[i].gpus,
                               .limit = log.workload.jobs[i].estimate.value(),
                               .ran = now - log.start(i)});
  numbers = {next};
  const std::size_t step = std::max<std::size_t>(1, waiting.size() / most);
  for (std::size_t i = 0; i < waiting.size(); i += step)
    numbers.push_back(waiting[i]);
  for (const std::size_t i : numbers)
    queue.asked.push_back({.name = {},
                           .user = log.workload.users.name(log.workload.jobs[i].user),
                           .gpus = log.workload.jobs[i].gpus,
                           .limit = log.workload.jobs[i].estimate.value(),
                           .waited = std::max(0.0, now - log.submit(i))});
  return queue;
}

/// The same forecast at moments of the log's second half, of the job that was submitted next and of those that waited.
std::pair<StartErrors, StartErrors> past_errors(const RecordedQueue& log, const std::vector<ReplayModel>& models)
{
  constexpr int moments = 14, draws = 30;
  constexpr std::size_t most = 12;
  std::pair<StartErrors, StartErrors> errors;
  const Random random{1};
  auto stream = random.stream("past starts");
  for (int m = 0; m < moments; ++m) {
    std::vector<std::size_t> numbers;
    const QueueAt queue = queue_at(log, end_of(log) * (0.5 + 0.5 * (m + 0.5) / moments), most, numbers);
    if (numbers.front() >= log.waits.size())
      continue;
    const std::vector<std::vector<double>> starts = futures(log, queue, models, draws, stream);
    for (std::size_t i = 0; i < starts.size(); ++i)
      if (!starts[i].empty())
        (i == 0 ? errors.first : errors.second)
            .add(starts[i], i == 0 ? log.waits[numbers[i]] : log.start(numbers[i]) - queue.now);
  }
  return errors;
}

} // namespace

void add_starts(const RecordedQueue& log, const QueueNow& queue, const QueueNow::Job& submitted, Replay& replay)
{
  constexpr int draws = 200;
  check_queue_now(log, queue, submitted);
  QueueAt now{.now = end_of(log), .running = {}, .asked = {submitted}};
  int too_large = 0;
  for (const QueueNow::Job& job : queue.jobs)
    if (job.gpus <= log.gpus)
      (job.ran ? now.running : now.asked).push_back(job);
    else
      ++too_large;
  const Random random{1};
  auto stream = random.stream("starts");
  const std::vector<std::vector<double>> starts = futures(log, now, replay.latest, draws, stream);
  const auto [of_submitted, of_waiting] = past_errors(log, replay.latest);
  replay.of_queue = queue.assumed;
  if (too_large > 0)
    replay.of_queue.push_back(fmt::format("left out: {} for more than the machine's {} GPUs, which can never start",
                                          counted(too_large, "job"), log.gpus));
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const StartErrors& past = i == 0 ? of_submitted : of_waiting;
    const double high = at_share(starts[i], 0.9) + past.later();
    replay.starts.push_back({now.asked[i].name, now.asked[i].gpus, now.asked[i].limit,
                             at_share(starts[i], 0.1) * past.widens_low(), at_share(starts[i], 0.5),
                             high < simulated ? high : infinite, now.asked[i].tasks});
  }
  for (const auto& [name, past] : {std::pair{"the submitted job", &of_submitted}, {"jobs that wait", &of_waiting}})
    if (past->widens_low() < 1 || past->later() > 0)
      replay.of_queue.push_back(fmt::format("the interval of {} is wider than that of the futures, because {} of this "
                                            "log's second half did not keep to it: it begins at {:.2g} times that "
                                            "beginning and ends {:.2f} h later",
                                            name, counted(past->above.size(), "such job"), past->widens_low(),
                                            past->later() / 3600));
}

} // namespace trainyard
