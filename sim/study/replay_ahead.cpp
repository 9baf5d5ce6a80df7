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

double end_of(const RecordedQueue& log)
{
  return log.submit(log.waits.size() - 1) + 1;
}

/// Waits of the jobs that started in the log's last week, by class.
std::map<int, std::vector<double>> last_waits(const RecordedQueue& log)
{
  const double now = end_of(log);
  std::map<int, std::vector<double>> past;
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    if (log.start(i) >= now - replay_week && log.start(i) <= now)
      past[class_of(log, i)].push_back(log.waits[i]);
  return past;
}

/// Work of so many days after the log: each day the same weekday of one of the last four weeks. @p add gets the job,
/// and its number in the log.
template <class Add>
void draw_work(const RecordedQueue& log, int days, RandomStream& stream, const Add& add)
{
  constexpr double day = 86400;
  const double now = end_of(log);
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

/// Run times of the log as shares of their limits, by class; where users gave no limits the run times.
class PastRuns
{
public:
  explicit PastRuns(const RecordedQueue& log) : log_{log}
  {
    for (std::size_t i = 0; i < log.waits.size(); ++i) {
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
  std::map<int, std::vector<double>> waits, past = last_waits(log);
  const Random random{1};
  auto stream = random.stream("replay");
  std::map<int, int> numbers;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<ReplayJob> jobs = jobs_around(log, now, now, now);
    std::vector<int> classes;
    draw_work(log, static_cast<int>(std::ceil(2 * options.predict / day)), stream,
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

void add_starts(const RecordedQueue& log, const QueueNow& queue, const QueueNow::Job& submitted, Replay& replay)
{
  constexpr int draws = 200, days = 14;
  check_queue_now(log, queue, submitted);
  const double now = end_of(log), until = now + 8 * replay_week;
  const PastRuns runs{log};
  const std::map<int, std::vector<double>> past = last_waits(log);
  std::vector<QueueNow::Job> asked = {submitted}, running;
  for (const QueueNow::Job& job : queue.jobs)
    (job.ran ? running : asked).push_back(job);
  std::vector<std::vector<double>> starts(asked.size());
  const Random random{1};
  auto stream = random.stream("starts");
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
    const ReplayModel& model = replay.latest[static_cast<std::size_t>(draw) % replay.latest.size()];
    std::vector<ReplayJob> jobs;
    for (const QueueNow::Job& job : running) {
      const double ran = job.ran.value_or(0);
      jobs.push_back(job_of(job, now - ran - 1, ran));
      jobs.back().start = now - ran - 1;
      jobs.back().job.duration = Seconds{jobs.back().job.duration.value() + 1};
    }
    for (std::size_t i = 1; i <= asked.size(); ++i) { // the submitted job is the last
      const std::size_t number = i % asked.size();
      jobs.push_back(job_of(asked[number], now - asked[number].waited, 0));
      jobs.back().job.row = static_cast<std::int64_t>(number);
    }
    draw_work(log, days, stream, [&](const ReplayJob& one, std::size_t) { jobs.push_back(one); });
    for (const auto& [number, wait] : replay_from(log, jobs, model, now, until, usable_gpus(log, model), {})) {
      const QueueNow::Job& job = asked[static_cast<std::size_t>(number)];
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
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::ranges::sort(starts[i]);
    const auto at = [&](double share) {
      return starts[i][static_cast<std::size_t>(std::lround(share * static_cast<double>(starts[i].size() - 1)))];
    };
    replay.starts.push_back({asked[i].name, asked[i].gpus, asked[i].limit, at(0.1), at(0.5), at(0.9)});
  }
  replay.of_queue = queue.assumed;
}

} // namespace trainyard
