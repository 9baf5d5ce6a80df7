// SPDX-License-Identifier: Apache-2.0
// What a run of services found, in sentences.
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "sim/sources/services/orchestration_report.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace trainyard::orchestration {
namespace {

constexpr Sentence<std::string, Messages> of_point{"services.of_point", "{point}: {what}."};
constexpr Sentence<Messages> of_run{"services.of_run", "{what}."};
constexpr Sentence<> no_failures{"services.no_failures", "no failures"};
constexpr Sentence<std::int64_t> restarted{"services.restarted", "{restarts|restart|restarts} of processes"};
constexpr Sentence<Message, Message> failures_hit{"services.failures_hit", "{failures} hit {tasks}"};
constexpr Sentence<std::int64_t> so_many_failures{"services.failures", "{failures|failure|failures}"};
constexpr Sentence<std::int64_t> so_many_tasks{"services.tasks", "{tasks|task|tasks}"};
constexpr Sentence<std::string, Figure> waits_for_input{
    "services.waits_for_input", "{service} waits {share} of its time for input from the shared storage"};
constexpr Sentence<Figure, Figure> recovery{"services.recovery", "{mean} to recover on average, {worst} at worst"};
constexpr Sentence<std::int64_t> never_back{"services.never_back", "{tasks|task|tasks} never came back"};
constexpr Sentence<std::string> failed{"services.failed", "{service} failed"};
constexpr Sentence<std::string, std::string, Message> not_done{
    "services.not_done", "{service} is not done, because {task} does not run: {why}"};
constexpr Sentence<std::string> not_finished{"services.not_finished", "{service} has not done its work"};
constexpr Sentence<Figure, Messages> held{"services.held", "of {hours} GPU-h held {parts}"};
constexpr Sentence<Figure> were_useful{"services.useful", "{share} were useful"};
constexpr Sentence<Figure> not_used{"services.not_used", "{share} were reserved and not used"};
constexpr Sentence<Figure> lost{"services.lost", "{share} were lost and repeated"};
constexpr Sentence<Figure> stalled{"services.stalled", "{share} were stalled"};
constexpr Sentence<Figure> starting{"services.starting", "{share} were spent on starting, loading and stopping"};
constexpr Sentence<Figure> saving{"services.saving", "{share} were spent on saving"};
constexpr Sentence<Figure> idle{"services.idle", "{share} were without work"};
constexpr Sentence<Figure> orphaned{"services.orphaned", "{share} were held by orphaned processes"};
constexpr Sentence<std::string, Figure, Figure, Figure> use_of_held{
    "services.use_of_held", "{service} uses {used} of the {held} GPU-h that it holds ({share})"};
constexpr Sentence<std::string, std::string, std::string, Messages> holds{
    "services.holds", "{task} holds GPU {gpu} of {machine}{memory}"};
constexpr Sentence<Figure, Figure> of_its_memory{"services.of_its_memory", " and {reserved} of its {memory}"};
constexpr Sentence<std::string, Figure, Figure, Message> steps_there{
    "services.steps", "a step of {service} takes {step} where its tasks run ({rate}); bottleneck: {bottleneck}"};
constexpr Sentence<std::string> for_machines{"services.for_machines", "{price} for the machines"};
constexpr Sentence<std::string, Figure, std::string, Figure, Figure> ends_first{
    "services.ends_first", "{best} ends first, after {time}; {worst} takes {longest} ({longer} longer)."};
constexpr Sentence<std::string, Figure, std::string, Figure> starts_first{
    "services.starts_first", "{best} starts first: each service runs {time} after its arrival at the latest; under "
                             "{worst} it takes {longest}."};
constexpr Sentence<std::string, Figure, std::string, Figure> recovers_first{
    "services.recovers_first", "{best} recovers first, {time} after a failure on average; {worst} takes {longest}."};
constexpr Sentence<std::string, std::string, std::string, std::string> cheapest{
    "services.cheapest", "{best} costs least, {price}; {worst} costs {most}."};
constexpr Sentence<std::string, Figure, std::string, Figure> most_useful{
    "services.most_useful", "{best} wastes least: {share} of its GPU time is useful; under {worst} {least} is."};
constexpr Sentence<std::string> not_compared{"services.not_compared",
                                             "not compared: {point}, where a service failed or did not end."};
constexpr Sentence<> other_work{"services.other_work",
                                "the points do different amounts of work, and so they are not compared."};
constexpr Sentence<> one_draw{"services.one_draw", "the failures are one draw, with the same seed for each point; "
                                                   "replicas in the sweep compare means."};
constexpr Sentence<std::int64_t> all_equal{"services.all_equal",
                                           "all {points|point ends|points end} with the same figures."};

Figure percent(double share)
{
  return {share, percent_text(share)};
}

Figure time_figure(double time)
{
  return {time, time_text(Seconds{time})};
}

Figure hours_of(double gpu_hours)
{
  return {gpu_hours, fmt::format("{:.4g}", gpu_hours)};
}

/// Its own, or that of clients: it is done one day.
bool has_work(const ServiceSpec& spec)
{
  return spec.ends() || !spec.clients.empty();
}

/// The first task of a service with work left that does not run at the end, and why; null: there is none.
const PhaseRecord* waits_at_end(const PointRun& run, std::size_t service)
{
  const ServiceSpec& spec = run.input.services[service];
  const ServiceOutcome& outcome = run.result.services[service];
  if (!has_work(spec) || outcome.finished >= Instant{})
    return nullptr;
  const auto found = std::ranges::find_if(run.result.phases, [&](const PhaseRecord& phase) {
    return phase.to == run.result.ended && phase.phase == TaskPhase::waiting && phase.why >= 0 &&
           run.result.task_service[static_cast<std::size_t>(phase.task)] == static_cast<int>(service);
  });
  return found == run.result.phases.end() ? nullptr : &*found;
}

std::string dollars(double amount)
{
  return fmt::format("${:.2f}", amount);
}

Messages row_of(const Messages& parts, const char* between)
{
  Messages all;
  for (const Message& part : parts) {
    if (!all.empty())
      all.push_back(plain(MessageKind::part, between));
    all.push_back(part);
  }
  return all;
}

/// Where the GPU time went; parts of nothing are not told.
Messages parts_of(const Totals& all)
{
  Messages parts{were_useful(percent(all.useful_share()))};
  const auto add = [&](const Sentence<Figure>& sentence, double share) {
    if (share >= 0.005) // else 0 % in words
      parts.push_back(sentence(percent(share)));
  };
  add(not_used, ratio(all.useful, all.held) - all.useful_share());
  add(lost, ratio(all.lost, all.held));
  add(stalled, ratio(all.stalled, all.held));
  add(starting, ratio(all.starting + all.restoring, all.held));
  add(saving, ratio(all.saving, all.held));
  add(idle, ratio(all.idle, all.held));
  add(orphaned, ratio(all.orphaned, all.held));
  return parts;
}

Figure memory_figure(double MiB)
{
  return {MiB * 1048576, fmt::format("{} MiB", count_text(static_cast<std::uint64_t>(std::llround(MiB))))};
}

/// Who has which GPU at the end, where that is a short list.
Messages holders(const PointRun& run)
{
  constexpr std::size_t most = 4;
  Messages told;
  for (const InstanceRecord& one : run.result.instances)
    if (one.ended < Instant{} || one.ended == run.result.ended)
      for (std::uint32_t mask = one.gpu_mask; mask != 0; mask &= mask - 1) {
        const auto task = static_cast<std::size_t>(one.task), node = static_cast<std::size_t>(one.node);
        const auto service = static_cast<std::size_t>(run.result.task_service[task]);
        Messages memory;
        if (service < run.steps.size() && run.steps[service]) // of others nobody says what runs in them
          memory.push_back(
              of_its_memory(memory_figure(run.reserved_MiB(service, node)), memory_figure(run.gpu_memory_MiB[node])));
        told.push_back(holds(run.result.task_names[task], std::to_string(std::countr_zero(mask)),
                             run.input.cluster.nodes[node].name, memory));
      }
  return told.size() <= most ? told : Messages{};
}

/// How fast those train that train a job.
Messages steps_of(const PointRun& run)
{
  Messages told;
  for (std::size_t s = 0; s < run.steps.size(); ++s)
    if (const std::optional<StepThere>& step = run.steps[s])
      told.push_back(
          steps_there(run.input.services[s].name, time_figure(step->time.value()),
                      {step->samples_per_second, fmt::format("{} {}s/s", rate_text(step->samples_per_second),
                                                             step->sample.empty() ? "sample" : step->sample)},
                      step->bottleneck));
  return told;
}

Message of_one(const PointRun& run)
{
  const Totals all{run};
  Messages told;
  if (!run.result.faults.empty())
    told.push_back(
        failures_hit(so_many_failures(static_cast<std::int64_t>(run.result.faults.size())), so_many_tasks(all.hit)));
  else
    told.push_back(all.restarts > 0 ? restarted(all.restarts) : no_failures());
  for (std::size_t s = 0; s < run.input.services.size(); ++s) {
    const ServiceOutcome& o = run.result.services[s];
    if (o.input_wait > Instant{} && o.parts.useful > Instant{})
      told.push_back(waits_for_input(run.input.services[s].name,
                                     percent(o.input_wait.value() / (o.parts.useful + o.parts.lost).value())));
  }
  if (all.recovered > 0)
    told.push_back(recovery(time_figure(all.recovering / static_cast<double>(all.recovered)), time_figure(all.worst)));
  if (all.never_back > 0)
    told.push_back(never_back(all.never_back));
  for (std::size_t s = 0; s < run.input.services.size(); ++s)
    if (run.result.services[s].failed && waits_at_end(run, s) == nullptr)
      told.push_back(failed(run.input.services[s].name));
  for (std::size_t s = 0; s < run.input.services.size(); ++s)
    if (const PhaseRecord* waits = waits_at_end(run, s); waits != nullptr)
      told.push_back(not_done(run.input.services[s].name, run.result.task_names[static_cast<std::size_t>(waits->task)],
                              run.result.reasons[static_cast<std::size_t>(waits->why)]));
    else if (has_work(run.input.services[s]) && !run.result.services[s].failed &&
             run.result.services[s].finished < Instant{})
      told.push_back(not_finished(run.input.services[s].name));
  if (all.held > 0)
    told.push_back(held(hours_of(gpu_seconds(all.held) / 3600), row_of(parts_of(all), ", ")));
  for (std::size_t s = 0; s < run.input.services.size(); ++s)
    if (const ServiceSpec& spec = run.input.services[s]; spec.used_share < 1) {
      const double hours = gpu_seconds(run.result.services[s].held.gpu) / 3600;
      const double used = gpu_seconds(run.result.services[s].parts.useful_gpu.gpu) / 3600 * spec.used_share;
      if (hours > 0)
        told.push_back(use_of_held(spec.name, hours_of(used), hours_of(hours), percent(used / hours)));
    }
  std::ranges::move(steps_of(run), std::back_inserter(told));
  if (run.point.empty()) // of several points the list would be told again and again
    std::ranges::move(holders(run), std::back_inserter(told));
  if (const auto price = paid(run); price)
    told.push_back(for_machines(dollars(*price)));
  const Messages row = row_of(told, "; ");
  return as(MessageKind::answer, run.point.empty() ? of_run(row) : of_point(run.point, row));
}

/// When the last service that ends has ended; nothing where one does not, or none does.
std::optional<double> last_end(const PointRun& run)
{
  std::optional<double> last;
  for (std::size_t s = 0; s < run.input.services.size(); ++s)
    if (has_work(run.input.services[s])) {
      const ServiceOutcome& o = run.result.services[s];
      if (o.failed || o.finished < Instant{})
        return std::nullopt;
      last = std::max(last.value_or(0), o.finished.value());
    }
  return last;
}

/// The longest that a service takes from its arrival until all of it runs; nothing where one never does.
std::optional<double> longest_start(const PointRun& run)
{
  double longest = 0;
  for (std::size_t s = 0; s < run.input.services.size(); ++s) {
    const Instant first = run.result.services[s].first_running;
    if (first < Instant{})
      return std::nullopt;
    longest = std::max(longest, (first - run.input.services[s].arrival).value());
  }
  return longest;
}

std::optional<double> mean_recovery(const PointRun& run)
{
  const Totals all{run};
  return all.recovered > 0 && all.never_back == 0 ? std::optional{all.recovering / static_cast<double>(all.recovered)}
                                                  : std::nullopt;
}

std::optional<double> useful_share(const PointRun& run)
{
  const Totals all{run};
  return all.held > 0 ? std::optional{all.useful_share()} : std::nullopt;
}

/// Points that differ in the seed alone are one design.
std::string design_of(const PointRun& run)
{
  const std::size_t replica = run.point.find("replica=");
  return replica == std::string::npos ? run.point : std::string{trimmed(run.point.substr(0, replica))};
}

/// The designs with the least and the largest mean over their seeds; nothing where a run has no value, or all have the
/// same.
struct Ends {
  std::string least, most;
  double least_value, most_value;
};
std::optional<Ends> ends_of(std::span<const PointRun* const> runs, std::optional<double> (*value)(const PointRun&))
{
  constexpr double same = 1e-4;
  std::map<std::string, std::pair<double, int>> sums; // and how many runs
  for (const PointRun* run : runs) {
    const std::optional<double> one = value(*run);
    if (!one)
      return std::nullopt;
    auto& [sum, count] = sums[design_of(*run)];
    sum += *one;
    ++count;
  }
  std::optional<Ends> ends;
  for (const PointRun* run : runs) { // in the order of the points
    const auto& [sum, count] = sums[design_of(*run)];
    const double mean = sum / count;
    if (!ends)
      ends = {design_of(*run), design_of(*run), mean, mean};
    if (mean < ends->least_value)
      ends->least = design_of(*run), ends->least_value = mean;
    if (mean > ends->most_value)
      ends->most = design_of(*run), ends->most_value = mean;
  }
  return ends && ends->most_value > ends->least_value * (1 + same) ? ends : std::nullopt;
}

/// What the services of a run are to do, at full speed.
double work_of(const PointRun& run)
{
  double work = 0;
  for (const ServiceSpec& spec : run.input.services)
    work += spec.work.value() * (spec.coupling == Coupling::independent ? spec.replicas() : 1);
  return work;
}

/// Whether all services ran, and those with an end have ended.
bool did_all(const PointRun& run)
{
  for (std::size_t s = 0; s < run.input.services.size(); ++s) {
    const ServiceOutcome& o = run.result.services[s];
    if (o.failed || (has_work(run.input.services[s]) ? o.finished : o.first_running) < Instant{})
      return false;
  }
  return true;
}

/// What sets the points apart in which all was done.
Messages comparison(const Runs& all)
{
  Messages told;
  std::vector<const PointRun*> runs;
  for (const PointRun& run : all)
    if (did_all(run))
      runs.push_back(&run);
    else
      told.push_back(as(MessageKind::answer, not_compared(run.point)));
  if (runs.size() < 2)
    return runs.empty() ? Messages{} : told;
  const std::size_t left_out = told.size();
  if (std::ranges::any_of(runs, [&](const PointRun* run) { return work_of(*run) != work_of(*runs.front()); })) {
    told.push_back(as(MessageKind::answer, other_work()));
    return told;
  }
  const auto say = [&](Message message) { told.push_back(as(MessageKind::answer, std::move(message))); };
  if (const auto ends = ends_of(runs, last_end); ends)
    say(ends_first(ends->least, time_figure(ends->least_value), ends->most, time_figure(ends->most_value),
                   {ends->most_value / ends->least_value - 1,
                    fmt::format("{:.3g} %", 100 * (ends->most_value / ends->least_value - 1))}));
  if (const auto ends = ends_of(runs, longest_start); ends && ends->most_value > 1.1 * ends->least_value)
    say(starts_first(ends->least, time_figure(ends->least_value), ends->most, time_figure(ends->most_value)));
  if (const auto ends = ends_of(runs, mean_recovery); ends)
    say(recovers_first(ends->least, time_figure(ends->least_value), ends->most, time_figure(ends->most_value)));
  if (const auto ends = ends_of(runs, paid); ends)
    say(cheapest(ends->least, dollars(ends->least_value), ends->most, dollars(ends->most_value)));
  if (const auto ends = ends_of(runs, useful_share); ends && told.size() == left_out)
    say(most_useful(ends->most, percent(ends->most_value), ends->least, percent(ends->least_value)));
  const PointRun& one = *runs.front();
  const bool drawn = one.input.faults.random() || (one.result.faults.empty() && Totals{one}.restarts > 0);
  if (told.size() > left_out && drawn && design_of(one) == one.point)
    say(one_draw());
  const auto figures = [](const PointRun& run) {
    const Totals t{run};
    return std::tuple{t.held,   t.useful, t.lost,       t.stalled,  t.starting,   t.restoring,   t.saving,
                      t.idle,   t.hit,    t.never_back, t.restarts, t.recovering, last_end(run), longest_start(run),
                      paid(run)};
  };
  if (told.empty() &&
      std::ranges::all_of(runs, [&](const PointRun* run) { return figures(*run) == figures(*runs.front()); }))
    say(all_equal(static_cast<std::int64_t>(runs.size())));
  return told;
}

} // namespace

Messages conclusions(const Runs& runs)
{
  Messages told;
  for (const PointRun& run : runs)
    told.push_back(of_one(run));
  if (runs.size() > 1)
    std::ranges::move(comparison(runs), std::back_inserter(told));
  for (const PointRun& run : runs) // of which tasks.csv has the words
    for (const Message& reason : run.result.reasons)
      add_once(told, reason);
  return told;
}

} // namespace trainyard::orchestration
