// SPDX-License-Identifier: Apache-2.0
// Why a job waited, read back from the tables of a results folder.
#include "models/core/closest.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "sim/cluster/clock.hpp"
#include "sim/report/gpu_series.hpp"
#include "sim/sources/queue/queue_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace trainyard {
namespace {

using Count = std::int64_t;

constexpr Sentence<std::string, Count, std::string, std::string, Messages, Message, Messages> the_job{
    "queue.job", "job {job} ({gpus|GPU|GPUs}{owner}) under {policy}{at}: submitted at {when}{then}"};
constexpr Sentence<std::string> at_point{"queue.at_point", " at {point}"};
constexpr Sentence<Message, Figure> started_later{"queue.started_later", ", started at {when}, {time} later"};
constexpr Sentence<> started_at_once{"queue.started_at_once", ", started at once"};
constexpr Sentence<Message> never_started{"queue.never_started", ", never started: {why}"};
constexpr Sentence<Message> refused_job{"queue.refused", ", refused when it was submitted: {why}"};
constexpr Sentence<> taken_back{"queue.taken_back", ", taken back before it ended"};
constexpr Sentence<Message> finished_at{"queue.finished_at", ", finished at {when}"};
constexpr Sentence<Count> stopped{"queue.stopped", ", stopped {times|time|times}"};
constexpr Sentence<Count> out_of_memory{"queue.out_of_memory", ", ran out of GPU memory {times|time|times}"};
constexpr Sentence<Message> never_finished{"queue.never_finished", ", never finished: {why}"};
constexpr Sentence<Message, std::string> failure_stopped{"queue.failure_stopped",
                                                         "at {when} a failure stopped it: {failure}"};
constexpr Sentence<Message> policy_stopped{"queue.policy_stopped",
                                           "at {when} the policy stopped it; nobody got its GPUs at once"};
constexpr Sentence<Message, std::string> stopped_for{"queue.stopped_for", "at {when} it was stopped for {job}"};
constexpr Sentence<Count> more_stops{"queue.more_stops", "… stopped {times|more time|more times}, see events.csv"};
constexpr Sentence<Message, Message, Figure, Message, Messages> waited{"queue.waited",
                                                                       "from {from} to {to} ({time}): {why}{more}"};
constexpr Sentence<Count, Count> needed_and_free{"queue.needed_and_free", " ({needed} needed, {free} free)"};
constexpr Sentence<Count> only_free{"queue.free", " ({free} free)"};
constexpr Sentence<std::string> blocked_by{"queue.blocked_by", ": job {job}"};
constexpr Sentence<std::string> of_flavor{"queue.of_flavor", ": flavor {flavor}"};
constexpr Sentence<Count> which_needs{"queue.which_needs", ", which needs {gpus|GPU|GPUs}"};
constexpr Sentence<Message> planned{"queue.planned", "; planned to start at {when}"};
constexpr Sentence<Messages> down_meanwhile{"queue.down_meanwhile", "; down meanwhile: {machines}"};
constexpr Sentence<Count> more_down{"queue.more_down", " and {more} more in failures.csv"};
constexpr Sentence<std::string, std::string, Message, Message> down_between{"queue.down_between",
                                                                            "{nodes} ({failure}from {from} to {to})"};
constexpr Sentence<std::string, std::string, Message> down_since{"queue.down_since", "{nodes} ({failure}since {from})"};
constexpr Sentence<Count> more_waits{"queue.more_waits", "… {more} more in waits.csv"};
constexpr Sentence<Figure, Message, Messages> mostly{"queue.mostly", "mostly ({share} of its waiting): {why}{job}"};
constexpr Sentence<std::string> because_of_job{"queue.because_of_job", ", job {job}"};
constexpr Sentence<Message, Messages> could_start{
    "queue.could_start",
    "it could have started at {when}{earlier}: enough GPUs were free then, but the policy did not start it"};
constexpr Sentence<Figure> earlier_by{"queue.earlier_by", ", {time} earlier"};
constexpr Sentence<> could_not_start{
    "queue.could_not_start", "it could not have started earlier: no earlier decision had enough free GPUs for it"};
constexpr Sentence<Count, Message> passed{
    "queue.passed",
    "{jobs|job that was submitted after it was|jobs that were submitted after it were} on GPUs while it "
    "waited{without}"};
constexpr Sentence<Message, Count, Message, Messages> free_without{
    "queue.free_without", "; without {them} {gpus|GPU|GPUs} would have been free at {when}{earlier}"};
constexpr Sentence<Message> not_earlier{"queue.not_earlier",
                                        "; without {them} it would not have started earlier either"};
constexpr Sentence<> it{"queue.it", "it"};
constexpr Sentence<> them{"queue.them", "them"};
constexpr Sentence<Figure, std::string, std::string> slowed{"queue.slowed",
                                                            "it lost {time} because it shared {link} with job {job}"};
constexpr Sentence<std::string> how_to_ask{"queue.how_to_ask",
                                           "to see why a job waited: simrun explain job NAME {folder}"};

constexpr std::size_t most_lines = 20;

Figure length_of(Instant time)
{
  return {time.value(), time_text(seconds(time))};
}

/// The job under one policy.
struct Found {
  std::string name, point, policy;
  Count gpus = 0;
  Message head;
  Instant submit, start{-1}, end{-1};

  /// Whether a row is of this point and policy.
  bool owns(const ResultRow& row) const { return row.cell("policy") == policy && row.cell("point") == point; }
  bool is_of(const ResultRow& row) const { return row.cell("job") == name && owns(row); }
};

/// What is known of the other jobs, by name.
struct Other {
  Count gpus = 0;
  Instant submit;
};
using Others = std::map<std::string, Other>;

struct Wait {
  Instant from, to, planned{-1};
  WaitReason reason;
  std::string blocker;
  Count free = 0;
};

/// Machines that were down for some time; of this job's point and policy.
struct Down {
  std::string failure, nodes;
  Instant from, to;
};

/// The GPUs were free; the policy did not start the job.
bool held_back(WaitReason reason)
{
  static const std::set<WaitReason> by_rule = {
      WaitReason::behind_head, WaitReason::reservation,   WaitReason::lower_rank, WaitReason::quota,
      WaitReason::locality,    WaitReason::next_decision, WaitReason::site_rule};
  return is_batch_limit(reason) || by_rule.contains(reason);
}

bool too_few(WaitReason reason)
{
  return reason == WaitReason::gpus || reason == WaitReason::fragmented || reason == WaitReason::gpu_type;
}

/// Whether jobs on GPUs may be in its way.
bool waits_for_gpus(const Wait& wait)
{
  return too_few(wait.reason) || (!wait.blocker.empty() && wait.reason != WaitReason::quota) ||
         wait.reason == WaitReason::cpu || wait.reason == WaitReason::memory || wait.reason == WaitReason::lower_rank ||
         wait.reason == WaitReason::next_decision || wait.reason == WaitReason::changing;
}

/// What became of a job, for its head.
Messages fate_of(const ResultRow& row, const Found& job)
{
  Messages then;
  const std::string words = row.cell("reason");
  const std::optional<WaitReason> reason = wait_reason(words);
  const Message why = reason ? message_of(*reason) : plain(MessageKind::part, words);
  const bool withdrawn = row.cell("state") == "withdrawn";
  if (job.start >= Instant{0})
    then.push_back(job.start > job.submit ? started_later(clock(job.start), length_of(job.start - job.submit))
                                          : started_at_once());
  else if (!withdrawn)
    then.push_back(never_started(why));
  if (withdrawn)
    then.push_back(reason && is_batch_limit(*reason) ? refused_job(why) : taken_back());
  if (job.end >= Instant{0})
    then.push_back(finished_at(clock(job.end)));
  if (const double stops = row.number("preemptions"); stops > 0)
    then.push_back(stopped(static_cast<Count>(stops)));
  if (const double deaths = row.number("out_of_memory"); deaths > 0)
    then.push_back(out_of_memory(static_cast<Count>(deaths)));
  if (job.end < Instant{0} && job.start >= Instant{0} && !why.empty())
    then.push_back(never_finished(why));
  return then;
}

std::vector<Found> find_job(const WrittenRun& run, const std::string& name, Others& others)
{
  std::vector<Found> found;
  run.for_each_row("jobs.csv", [&](const ResultRow& row) {
    Found one{.name = row.cell("job"), .gpus = static_cast<Count>(row.number("gpus")), .submit = row.time("submit_s")};
    others.emplace(one.name, Other{one.gpus, one.submit});
    if (one.name != name)
      return;
    one.point = row.cell("point");
    one.policy = row.cell("policy");
    one.start = row.time("start_s", one.start);
    one.end = row.time("end_s", one.end);
    std::string owner;
    for (const char* who : {"user", "team"})
      if (const std::string word = row.cell(who); !word.empty())
        owner += ", " + word;
    one.head =
        the_job(name, one.gpus, owner, one.policy, one.point.empty() ? Messages{} : Messages{at_point(one.point)},
                clock(one.submit), fate_of(row, one));
    found.push_back(std::move(one));
  });
  if (found.empty()) {
    std::vector<std::string> known;
    for (const auto& [other, facts] : others)
      known.push_back(other);
    throw InputError{fmt::format("there is no job '{}' in this run{}", name, did_you_mean(name, known))};
  }
  return found;
}

std::vector<Wait> waits_of(const WrittenRun& run, const Found& job)
{
  std::vector<Wait> list;
  run.for_each_row("waits.csv", [&](const ResultRow& row) {
    if (job.is_of(row))
      list.push_back({row.time("from_s"), row.time("to_s"), row.time("planned_start_s", Instant{-1}),
                      wait_reason(row.cell("reason")).value_or(WaitReason::none), row.cell("blocker"),
                      static_cast<Count>(row.number("free_gpus"))});
  });
  return list;
}

std::vector<Down> machines_down(const WrittenRun& run, const Found& job)
{
  std::vector<Down> list;
  run.for_each_row("failures.csv", [&](const ResultRow& row) {
    if (job.owns(row) && !row.cell("nodes").empty())
      list.push_back({row.cell("failure"), row.cell("nodes"), row.time("from_s"), row.time("to_s", end_of_time)});
  });
  return list;
}

/// Who stopped the job: failures, and the jobs that it was stopped for.
void tell_stops(const WrittenRun& run, const Found& job, Telling& told)
{
  Count stops = 0;
  run.for_each_row("events.csv", [&](const ResultRow& row) {
    const std::string event = row.cell("event");
    if (!job.is_of(row) || (event != "interrupted" && event != "preempted") || ++stops > Count{most_lines})
      return;
    const Message when = clock(row.time("time_s"));
    const std::string cause = row.cell("cause");
    told.line(event == "interrupted" ? failure_stopped(when, cause)
              : cause == "policy"    ? policy_stopped(when)
                                     : stopped_for(when, cause));
  });
  if (stops > Count{most_lines})
    told.line(more_stops(stops - Count{most_lines}));
}

/// "; down meanwhile: n-0 n-1 (rack 0, from 00:10:00 to 00:40:00)"
Messages down_during(const std::vector<Down>& all, const Wait& wait)
{
  constexpr Count most = 3;
  Messages machines;
  Count count = 0;
  for (const Down& down : all) {
    if (down.from >= wait.to || down.to <= wait.from || ++count > most)
      continue;
    if (count > 1)
      machines.push_back(plain(MessageKind::part, ", "));
    const std::string failure = down.failure == down.nodes ? "" : down.failure + ", ";
    machines.push_back(is_finite(down.to) ? down_between(down.nodes, failure, clock(down.from), clock(down.to))
                                          : down_since(down.nodes, failure, clock(down.from)));
  }
  if (count > most)
    machines.push_back(more_down(count - most));
  return machines.empty() ? Messages{} : Messages{down_meanwhile(machines)};
}

Message line_of(const Wait& wait, const Found& job, const Others& others, const std::vector<Down>& down)
{
  Messages more;
  if (too_few(wait.reason))
    more.push_back(needed_and_free(job.gpus, wait.free));
  if (too_few(wait.reason) || wait.reason == WaitReason::cpu || wait.reason == WaitReason::memory)
    std::ranges::move(down_during(down, wait), std::back_inserter(more));
  if (wait.reason == WaitReason::quota && !wait.blocker.empty()) {
    more.push_back(of_flavor(wait.blocker));
  } else if (!wait.blocker.empty()) {
    more.push_back(blocked_by(wait.blocker));
    if (const auto other = others.find(wait.blocker); other != others.end())
      more.push_back(which_needs(other->second.gpus));
    if (!too_few(wait.reason))
      more.push_back(only_free(wait.free));
  }
  if (wait.planned >= Instant{0})
    more.push_back(planned(clock(wait.planned)));
  return waited(clock(wait.from), clock(wait.to), length_of(wait.to - wait.from), message_of(wait.reason), more);
}

/// The main reason of its waiting, and when it could have started.
void tell_verdict(const std::vector<Wait>& waits, const Found& job, Telling& told)
{
  std::map<std::pair<std::string, std::string>, Instant> sums; // by reason in words and blocker
  Instant all, could{-1};
  for (const Wait& wait : waits) {
    sums[{to_text(wait.reason), wait.blocker}] += wait.to - wait.from;
    all += wait.to - wait.from;
    if (could < Instant{0} && held_back(wait.reason) &&
        (job.start < Instant{0} ? !is_batch_limit(wait.reason) : wait.from < job.start))
      could = wait.from;
  }
  if (all <= Instant{0})
    return;
  const auto worst = std::ranges::max_element(sums, {}, [](const auto& entry) { return entry.second; });
  const auto& [reason, blocker] = worst->first;
  const double share = worst->second / all;
  told.line(mostly({share, percent_text(share)}, message_of(*wait_reason(reason)),
                   blocker.empty()                            ? Messages{}
                   : wait_reason(reason) == WaitReason::quota ? Messages{of_flavor(blocker)}
                                                              : Messages{because_of_job(blocker)}));
  if (could >= Instant{0})
    told.line(
        could_start(clock(could), job.start > could ? Messages{earlier_by(length_of(job.start - could))} : Messages{}));
  else if (job.start >= Instant{0} && std::ranges::any_of(waits, waits_for_gpus))
    told.line(could_not_start());
}

/// Jobs submitted later that ran while it waited, and when it could have started without them. GPUs are counted,
/// wherever they are.
void tell_passing(const WrittenRun& run, const Found& job, const Others& others, Count total_gpus, Telling& told)
{
  struct Stay {
    Instant from, to;
    Count gpus;
  };
  const Instant until = job.start >= Instant{0} ? job.start : end_of_time;
  std::set<std::string> later;
  std::vector<Stay> earlier, all;
  run.for_each_row("runs.csv", [&](const ResultRow& row) {
    const Instant from = row.time("from_s"), to = row.time("to_s");
    if (!job.owns(row) || from >= until || to <= job.submit)
      return;
    const auto known = others.find(row.cell("job"));
    all.push_back({from, to, static_cast<Count>(row.number("gpus"))});
    if (known == others.end() || known->second.submit <= job.submit)
      earlier.push_back(all.back());
    else
      later.insert(known->first);
  });
  if (later.empty())
    return;
  std::vector<Instant> moments{job.submit};
  for (const Stay& stay : all)
    for (const Instant edge : {stay.from, stay.to})
      if (edge > job.submit && edge < until)
        moments.push_back(edge);
  std::ranges::sort(moments);
  const Message who = later.size() == 1 ? it() : them();
  Message without = not_earlier(who);
  const auto fits = [&](const std::vector<Stay>& stays, Instant moment) {
    Count used = 0;
    for (const Stay& stay : stays)
      used += stay.from <= moment && moment < stay.to ? stay.gpus : 0;
    return total_gpus - used >= job.gpus;
  };
  if (std::ranges::any_of(moments, [&](Instant moment) { return fits(all, moment); }))
    return; // it waited beside enough GPUs: to count them says nothing
  const auto room = std::ranges::find_if(moments, [&](Instant moment) { return fits(earlier, moment); });
  if (room != moments.end() && until - *room >= 1_s)
    without = free_without(who, job.gpus, clock(*room),
                           job.start >= Instant{0} ? Messages{earlier_by(length_of(job.start - *room))} : Messages{});
  told.line(passed(static_cast<Count>(later.size()), without));
}

/// The jobs that slowed it while it ran, and over which link.
void tell_neighbours(const WrittenRun& run, const Found& job, Telling& told)
{
  std::map<std::pair<std::string, std::string>, Instant> lost; // work, by neighbour and link
  run.for_each_row("runs.csv", [&](const ResultRow& row) {
    if (const std::string neighbour = row.cell("neighbour"); !neighbour.empty() && job.is_of(row))
      lost[{neighbour, row.cell("link")}] += (row.time("to_s") - row.time("from_s")) *
                                             (1 - row.number("speed", 1) / std::max(1e-12, row.number("alone", 1)));
  });
  for (const auto& [who, work] : lost)
    told.line(slowed(length_of(work), who.second, who.first));
}

} // namespace

Telling explain_queue(const WrittenRun& run, const std::string& what, const std::string& name)
{
  Telling told;
  if (what.empty()) {
    told.heading(plain(MessageKind::part, run.heading()));
    told.lines(run.words("notes"));
    told.gap();
    tell_answers(run, told);
    told.gap();
    told.say(how_to_ask(run.path.string()));
    return told;
  }
  if (what == "gpus")
    return gpus_at(run, name);
  if (what != "job")
    throw InputError{fmt::format("a queue has jobs and gpus, but no '{}'; write simrun explain job NAME FOLDER", what)};
  for (const char* file : {"jobs.csv", "waits.csv"})
    if (!std::filesystem::exists(run.path / file))
      throw InputError{fmt::format("'{}' is missing: workloads of more than {} jobs have no records of waits; jobs.csv "
                                   "has when each started",
                                   (run.path / file).string(), most_listed_jobs)};
  Others others;
  const auto total_gpus = run.summary.value("gpus", Count{0});
  for (const Found& job : find_job(run, name, others)) {
    told.heading(job.head);
    tell_stops(run, job, told);
    const std::vector<Down> down = machines_down(run, job);
    const std::vector<Wait> list = waits_of(run, job);
    for (std::size_t i = 0; i < std::min(list.size(), most_lines); ++i)
      told.line(line_of(list[i], job, others, down));
    if (list.size() > most_lines)
      told.line(more_waits(static_cast<Count>(list.size() - most_lines)));
    tell_verdict(list, job, told);
    if (total_gpus > 0 && std::ranges::any_of(list, waits_for_gpus) &&
        list.front().from < (job.start >= Instant{0} ? job.start : job.submit + 1_s))
      tell_passing(run, job, others, total_gpus, told);
    tell_neighbours(run, job, told);
    told.gap();
  }
  return told;
}

} // namespace trainyard
