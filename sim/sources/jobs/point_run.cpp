// SPDX-License-Identifier: Apache-2.0
/// One point of a run: its jobs arrive, get a place, and step at the speed that the executor finds for each group of
/// jobs that share bound links; jobs of few steps run step by step (`DirectRuns`).
#include "sim/sources/jobs/point_run.hpp"

#include "models/cluster/network_search.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/parallel.hpp"
#include "models/core/sorted_rows.hpp"
#include "sim/results/breakdown.hpp"
#include "sim/results/traffic.hpp"
#include "sim/sources/jobs/direct_runs.hpp"
#include "sim/sources/jobs/job_notes.hpp"
#include "sim/sources/jobs/steady_groups.hpp"
#include "sim/sources/jobs/timeline.hpp"
#include "sim/sources/jobs/training_failures.hpp"
#include "sim/step/chosen_fidelity.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr Sentence<std::string, Message> never_starts{"jobs.never_starts", "job '{job}' never starts: {why}"};
constexpr Sentence<std::string, Figure, Figure> training_starts{
    "jobs.training_starts", "training of '{job}' starts at {time}, {later} after the job has its GPUs: then its tasks "
                            "have found each other."};
constexpr Sentence<std::int64_t, std::int64_t> sampled{
    "jobs.machines_sampled", "all machines do the same: {sampled} of the {all} were simulated; the figures are those "
                             "of all, and links.csv and traffic.csv list the {sampled}"};
constexpr Sentence<std::string, std::string, Message> no_contention{
    "jobs.no_contention", "jobs '{one}' and '{other}' share {what}, but fidelity closed_form does not let collectives "
                          "of different jobs slow each other down; use --fidelity fluid"};
constexpr Sentence<> network{"jobs.network", "the network between machines"};
constexpr Sentence<std::string> cards_of{"jobs.cards_of", "the network cards of {machine}"};

/// Runs one point.
class PointRun final : private Running
{
public:
  PointRun(const CheckedPoint& point, const Catalogue& catalogue, const PointOptions& options)
      : PointRun{point, catalogue, options, chosen_fidelity(point.scenario)}
  {
  }

  /// With another fidelity than the one of the scenario.
  PointRun(const CheckedPoint& point, const Catalogue& catalogue, const PointOptions& options, ChosenFidelity fidelity)
      : point_{point}, catalogue_{catalogue}, draw_{options.draw}, lists_{options.lists}, threads_{options.threads},
        prepared_{options.prepared != nullptr ? options.prepared
                                              : prepare_run(point.scenario, catalogue, diagnostics_)},
        fidelity_{std::move(fidelity)}, executor_{Registry<Executor>::instance().create(fidelity_.name)},
        groups_{*prepared_, *executor_, fidelity_.name == "closed_form", options.threads,
                [this](auto programs, auto traces) { check_physics(programs, traces); }},
        direct_{prepared_->cluster,
                *executor_,
                groups_,
                prepared_->jobs.size() == 1,
                [this](auto programs, auto traces) { check_physics(programs, traces); },
                [this](std::size_t job, StepEstimate steps) {
                  own_steps_[job] = std::make_unique<const StepEstimate>(std::move(steps));
                }}
  {
    diagnostics_.throw_if_errors();
    slots_ = all_free(prepared_->cluster);
    placed_.resize(prepared_->jobs.size());
    rows_.resize(prepared_->jobs.size());
    hashed_.resize(prepared_->jobs.size());
    shown_.resize(prepared_->jobs.size());
    stays_.resize(prepared_->jobs.size());
    own_steps_.resize(prepared_->jobs.size());
  }

  /// SimGrid and packets run what they have been given at the start: several jobs of few steps are run once instead of
  /// again at each arrival where a quick simulation has said when they come.
  bool wants_rehearsal() const
  {
    return (executor_->forks() || executor_->draws(prepared_->cluster)) && prepared_->jobs.size() > 1 &&
           std::ranges::all_of(prepared_->jobs, [](const PreparedJob& job) {
             return DirectRuns::are_few(std::max(job.spec.steps, 1.0));
           });
  }

  std::vector<Coming> rehearse()
  {
    std::vector<Coming> came;
    direct_.tell(came);
    play(timeline_jobs(StartUps{prepared_->scenario, prepared_->jobs}));
    return came;
  }

  void expect(std::vector<Coming> expected) { direct_.expect(std::move(expected)); }

  void run(Results& results)
  {
    const StartUps start_ups{prepared_->scenario, prepared_->jobs};
    const std::vector<TimelineJob> jobs = timeline_jobs(start_ups);
    const std::vector<TimelineOutcome> outcomes = play(jobs);
    direct_.stop();
    fill_rows(outcomes);

    std::ranges::move(assumed_hosts(point_, prepared_->jobs, rows_), std::back_inserter(results.messages));
    for (std::size_t j = 0; j < rows_.size(); ++j)
      if (placed_[j] != nullptr && !rows_[j].job.empty())
        if (Message note = slow_kind(*prepared_, prepared_->jobs[j].spec, *placed_[j], rows_[j]); !note.empty())
          results.messages.push_back(at_point(point_.label, std::move(note)));
    for (const JobRow& row : rows_)
      if (std::isnan(row.scaling_efficiency))
        add_once(results.messages, no_efficiency(row.job));
    results.jobs.reserve(results.jobs.size() + rows_.size());
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      JobRow& row = rows_[j];
      if (outcomes[j].failed) { // it never stepped: events, and no row
        const JobSpec& spec = prepared_->jobs[j].spec;
        results.events.push_back(
            {point_.label, jobs[j].arrival, "submitted", spec.name, fmt::format("{} workers", spec.workers)});
        results.events.push_back({point_.label, outcomes[j].start, "started", spec.name, {}});
        start_ups.tell(j, outcomes, point_.label, results.events);
        results.messages.push_back(
            as(MessageKind::error, never_starts(spec.name, plain(MessageKind::part, start_ups.failure(j)))));
        continue;
      }
      row.arrival = jobs[j].arrival;
      row.start = outcomes[j].start;
      row.finish = outcomes[j].finish;
      row.steps = jobs[j].steps;
      const auto event = [&](Seconds time, const char* what, const std::string& detail) {
        results.events.push_back({point_.label, time, what, row.job, detail});
      };
      event(row.arrival, "submitted", fmt::format("{} workers, {} servers", row.workers, row.servers));
      event(row.start, "started", {});
      if (outcomes[j].began > outcomes[j].start)
        results.messages.push_back(
            as(MessageKind::answer, training_starts(row.job, {outcomes[j].began.value(), time_text(outcomes[j].began)},
                                                    {(outcomes[j].began - outcomes[j].start).value(),
                                                     time_text(outcomes[j].began - outcomes[j].start)})));
      start_ups.tell(j, outcomes, point_.label, results.events);
      add_failures({.scenario = point_.scenario,
                    .prepared = *prepared_,
                    .catalogue = catalogue_,
                    .job = prepared_->jobs[j],
                    .placed = *placed_[j],
                    .point = point_.label,
                    .fidelity = fidelity_.name},
                   outcomes[j].began, row, results);
      if (std::isfinite(row.finish.value()))
        event(row.finish, "finished", {});
      if (hashed_[j])
        results.seeds.push_back({point_.label, row.job, point_.scenario.run.seed, 1, false, row.step_s, row.step_s.mean,
                                 row.step_s.mean, work_});
      results.jobs.push_back(std::move(row));
    }
    sort_rows(results.events, [](const EventRow& event) { return event.time.value(); });
    append(results.steps, steps_);
    append(results.links, links_);
    append(results.link_loads, link_loads_);
    append(results.traffic, traffic_);
    append(results.spans, spans_);
    forget_simulations();
    for (Message& note : shared_cpus(*prepared_, placed_, outcomes))
      results.messages.push_back(at_point(point_.label, std::move(note)));
    for (const Message& note : {contention_, rings_meet_, crowded_server_, traffic_left_out_})
      if (!note.empty())
        results.messages.push_back(note);
    if (const ClusterSpec& cluster = prepared_->scenario.cluster; !cluster.sample.empty())
      results.messages.push_back(
          at_point(point_.label, sampled(static_cast<std::int64_t>(cluster.sample.size()), cluster.sampled)));
  }

private:
  /// They may hold a hundred megabytes in small pieces.
  void forget_simulations()
  {
    std::vector<std::shared_ptr<const GroupRun>> runs;
    runs.reserve(group_runs_.size());
    for (auto& [group, run] : group_runs_)
      runs.push_back(std::move(run));
    for (Shown& shown : shown_)
      shown.run = nullptr;
    most_.clear();
    groups_.let_go();
    in_parallel(runs.size(), threads_, [&](std::size_t i) { runs[i] = nullptr; });
  }

  std::vector<TimelineJob> timeline_jobs(const StartUps& start_ups) const
  {
    std::vector<TimelineJob> jobs;
    for (const PreparedJob& job : prepared_->jobs) {
      const std::size_t j = jobs.size();
      jobs.push_back({job.spec.arrival, std::max(job.spec.steps, 1.0), start_ups.hold(j), start_ups.fails(j)});
    }
    return jobs;
  }

  std::vector<TimelineOutcome> play(std::span<const TimelineJob> jobs)
  {
    return replay(
        jobs, [this](auto waiting) { return start(waiting); }, *this);
  }

  /// In the order of arrival, as many as find a place (first come, first served).
  std::vector<std::size_t> start(std::span<const std::size_t> waiting)
  {
    std::vector<std::size_t> started;
    for (const std::size_t j : waiting) {
      Diagnostics no_place;
      Placement placement = place_packed(prepared_->cluster, prepared_->jobs[j].spec, slots_, no_place);
      if (no_place.has_errors())
        break;
      placed_[j] = place(*prepared_, prepared_->jobs[j], std::move(placement), catalogue_, diagnostics_);
      diagnostics_.throw_if_errors();
      // Of an even cluster it is known that no meeting of paths slows the job down.
      hashed_[j] = stands_for(*prepared_) == 1 && takes_hashed_paths(placed_[j]->placement);
      started.push_back(j);
    }
    return started;
  }

  /// Whether the hash chooses among equal paths on some way between the first task and others.
  bool takes_hashed_paths(const Placement& placement) const
  {
    constexpr std::size_t most_ways = 16;
    std::vector<VertexId> tasks = placement.workers;
    tasks.insert(tasks.end(), placement.servers.begin(), placement.servers.end());
    const Cluster& cluster = prepared_->cluster;
    const std::size_t stride = std::max<std::size_t>(1, tasks.size() / most_ways);
    for (std::size_t i = tasks.size() - 1; i > 0; i -= std::min(stride, i)) { // from the far end on
      if (cluster.vertex(tasks[i]).node == cluster.vertex(tasks.front()).node)
        continue;
      if (hash_chooses(cluster, tasks.front(), tasks[i]))
        return true;
    }
    return false;
  }

  void begin(std::span<const std::size_t> begun, std::size_t running, Seconds now) override
  {
    ++begins_;
    for (const std::size_t j : begun) {
      direct_.join(j, *placed_[j], std::max(prepared_->jobs[j].spec.steps, 1.0));
      stays_[j] = {.sequence = ++sequence_, .first = begins_, .last = 0};
      shown_[j].group = std::make_shared<const std::vector<std::size_t>>(1, j);
    }
    note_contention();
    direct_.settle(now);
    note_shown(running);
    groups_.let_go();
  }

  std::pair<Seconds, std::vector<std::size_t>> advance(Seconds until) override
  {
    auto ends = direct_.advance(until);
    groups_.let_go();
    return ends;
  }

  void end(std::size_t job) override
  {
    direct_.leave(job);
    stays_[job].last = begins_;
    release(prepared_->cluster, placed_[job]->placement, slots_);
  }

  /// Formulas know nothing of the collectives of other jobs: the first two jobs that share a part of the network are
  /// told.
  void note_contention()
  {
    if (fidelity_.name != "closed_form" || !contention_.empty())
      return;
    const auto note = [&](std::size_t one, std::size_t other, const Message& what) {
      contention_ =
          at_point(point_.label, no_contention(prepared_->jobs[one].spec.name, prepared_->jobs[other].spec.name, what));
    };
    std::map<NodeId, std::size_t> sends; // a job that sends from this machine
    std::vector<std::size_t> running;
    for (std::size_t j = 0; j < stays_.size(); ++j)
      if (stays_[j].first > 0 && stays_[j].last == 0)
        running.push_back(j);
    std::ranges::sort(running, {}, [this](std::size_t j) { return stays_[j].sequence; });
    for (const std::size_t j : running) {
      std::set<NodeId> nodes;
      for (const auto* tasks : {&placed_[j]->placement.workers, &placed_[j]->placement.servers})
        for (const VertexId task : *tasks)
          nodes.insert(prepared_->cluster.vertex(task).node);
      if (nodes.size() < 2)
        continue;
      if (!sends.empty() && prepared_->scenario.cluster.network.topology != "star")
        note(sends.begin()->second, j, network());
      for (const NodeId node : nodes)
        if (const auto [other, fresh] = sends.try_emplace(node, j); !fresh)
          return note(other->second, j, cards_of(prepared_->cluster.node(node).name));
      if (!contention_.empty())
        return;
    }
  }

  /// Told of each simulation. An impossible result is a bug in this program: nothing is written then.
  void check_physics(std::span<const StepProgram* const> programs, std::span<const StepTrace* const> traces)
  {
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const auto links = static_cast<double>(traces[i]->links.size());
      work_ += static_cast<double>(programs[i]->operations.size()) * links * links;
    }
    const bool shared_links = prepared_->scenario.run.fidelity != "closed_form";
    const std::vector<std::string> broken = broken_physics(prepared_->cluster, programs, traces, shared_links);
    if (!broken.empty())
      throw std::logic_error{"the result is physically impossible; this is a bug in Trainyard: " + broken.front()};
  }

  /// The situation that a job's row shows.
  struct Shown {
    std::size_t at_once = 0;                               // jobs that run
    std::shared_ptr<const std::vector<std::size_t>> group; // those that contend with it, and itself
    std::shared_ptr<const GroupRun> run;                   // of the group or one like it; null: not simulated yet
  };

  /// When a job has made its steps, in instants at which jobs begin.
  struct Stay {
    std::size_t sequence = 0; // among all that have begun
    std::size_t first = 0;    // 0: it has made none
    std::size_t last = 0;     // 0: it runs still
  };

  /// Rows show the situation with the most jobs at once; of a job of few steps its own steps.
  void note_shown(std::size_t running)
  {
    const bool most = running >= most_at_once_;
    if (most) {
      most_at_once_ = running;
      most_begins_ = begins_;
      most_.clear();
    }
    const std::set<std::size_t>& jobs = direct_.of_many_steps();
    const auto is_new = [&](std::size_t j) { return running > shown_[j].at_once; };
    if (!most && std::ranges::none_of(jobs, is_new))
      return;
    std::map<std::size_t, Shown> now;
    for (const std::size_t first : jobs) {
      if (now.contains(first))
        continue;
      Shown shown{running, std::make_shared<const std::vector<std::size_t>>(groups_.group_of(first)), nullptr};
      // Jobs that run step by step may never be simulated otherwise, and those whose speed depends on places need not.
      if (std::ranges::any_of(*shown.group, is_new) && !groups_.depends_on_places(*shown.group) &&
          std::ranges::none_of(*shown.group, [this](std::size_t j) { return direct_.runs(j); }))
        shown.run = groups_.run(*shown.group);
      for (const std::size_t j : *shown.group)
        now[j] = shown;
    }
    for (const std::size_t j : jobs)
      if (is_new(j))
        shown_[j] = now[j];
    if (most)
      most_ = std::move(now);
  }

  /// What is shown of a job: its own steps where it had few and met others, else a step of its group.
  const StepEstimate& steps_of(std::size_t job, const Shown& shown)
  {
    if (own_steps_[job] != nullptr)
      return *own_steps_[job];
    const std::vector<std::size_t>& group = *shown.group;
    std::shared_ptr<const GroupRun>& run = group_runs_[shown.group];
    if (run == nullptr)
      run = groups_.at_places_of(group, shown.run != nullptr ? shown.run : groups_.run(group));
    return run->estimates[static_cast<std::size_t>(std::ranges::find(group, job) - group.begin())];
  }

  /// Jobs that have stepped, in the order of the files: those last that ran when another began last.
  std::vector<std::size_t> order() const
  {
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < stays_.size(); ++j)
      if (stays_[j].first > 0)
        order.push_back(j);
    std::ranges::sort(order, {}, [this](std::size_t j) { return std::pair{stays_[j].last, stays_[j].sequence}; });
    return order;
  }

  /// What jobs of this one's situation put on links while it steps: all that run, if it has few steps, else the members
  /// of its group.
  const CrowdedLinks& crowded_links(std::size_t job, std::span<const TimelineOutcome> outcomes)
  {
    const bool few = own_steps_[job] != nullptr;
    auto [entry, fresh] = crowded_.try_emplace(few ? nullptr : shown_[job].group.get(), prepared_->cluster);
    CrowdedLinks& links = entry->second;
    if (fresh && few)
      for (const std::size_t other : order()) {
        const StepTrace& trace = steps_of(other, shown_[other]).trace;
        const Seconds begin = outcomes[other].began, end = outcomes[other].finish;
        if (const Seconds window = trace.end - trace.begin; window > Seconds{})
          links.add(other, trace, own_steps_[other] != nullptr ? 1 : (end - begin) / window, begin, end);
      }
    else if (fresh)
      for (const std::size_t other : *shown_[job].group) {
        const StepTrace& trace = steps_of(other, shown_[job]).trace;
        links.add(other, trace, 1, trace.begin, trace.end);
      }
    if (fresh)
      links.find_busiest();
    return links;
  }

  void fill_rows(std::span<const TimelineOutcome> outcomes)
  {
    const std::vector<std::size_t> jobs = order();
    std::vector<const StepEstimate*> estimates; // kept until the run ends, as those on the next line
    std::vector<const CrowdedLinks*> crowded;
    for (const std::size_t j : jobs) {
      estimates.push_back(&steps_of(j, shown_[j]));
      crowded.push_back(&crowded_links(j, outcomes));
    }
    constexpr std::size_t at_once = 512; // so that what is told of all is not in memory twice
    for (std::size_t first = 0; first < jobs.size(); first += at_once) {
      std::vector<ToldOfJob> some(std::min(at_once, jobs.size() - first));
      std::vector<double> sizes;
      for (std::size_t i = 0; i < some.size(); ++i)
        sizes.push_back(static_cast<double>(estimates[first + i]->program.operations.size()));
      in_parallel(sizes, threads_, [&](std::size_t i) {
        const std::size_t job = jobs[first + i];
        some[i] = told_of({.point = point_,
                           .catalogue = catalogue_,
                           .prepared = *prepared_,
                           .job = prepared_->jobs[job],
                           .placed = *placed_[job],
                           .estimate = *estimates[first + i],
                           .own_steps = own_steps_[job] != nullptr,
                           .crowded = crowded[first + i]->busiest_of(job),
                           .fidelity = fidelity_},
                          draw_, lists_);
      });
      if (first == 0) { // the others have about as many bars
        std::size_t bars = 0;
        for (const ToldOfJob& told : some)
          bars += told.spans.size();
        spans_.reserve(bars * (jobs.size() / some.size() + 1));
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        ToldOfJob& told = some[i];
        const std::size_t job = jobs[first + i];
        rows_[job] = std::move(told.row);
        if (!told.rings_meet.empty())
          rings_meet_ = std::move(told.rings_meet);
        if (crowded_server_.empty() && point_.label.empty())
          crowded_server_ =
              crowded_server(point_.scenario, prepared_->jobs[job].spec, told.traffic, rows_[job].servers);
        append(traffic_, told.traffic.rows);
        if (told.traffic.left_out > 0 && traffic_left_out_.empty())
          traffic_left_out_ = at_point(told.traffic.listed > 1 ? "" : point_.label,
                                       left_out_of_traffic(prepared_->jobs[job].spec.name, told.traffic));
        append(steps_, told.steps);
        append(spans_, told.spans);
      }
    }
    fill_links();
  }

  void fill_links()
  {
    // The situation with the most jobs at once; jobs of one simulation side by side.
    std::vector<std::size_t> jobs;
    for (std::size_t j = 0; j < stays_.size(); ++j)
      if (stays_[j].first > 0 && stays_[j].first <= most_begins_ && most_begins_ <= stays_[j].last)
        jobs.push_back(j);
    std::ranges::sort(jobs, {}, [this](std::size_t j) { return stays_[j].sequence; });
    const auto shown_then = [this](std::size_t j) -> const Shown& {
      const auto found = most_.find(j);
      return found != most_.end() ? found->second : shown_[j];
    };
    std::map<const void*, std::size_t> number;
    const auto simulation = [&](std::size_t j) {
      const void* group = own_steps_[j] != nullptr ? nullptr : shown_then(j).group.get();
      return number.try_emplace(group, number.size()).first->second;
    };
    for (const std::size_t j : jobs)
      simulation(j);
    std::ranges::stable_sort(jobs, {}, simulation);
    std::vector<const Placement*> placements;
    std::vector<const StepProgram*> programs;
    std::vector<const StepTrace*> traces;
    for (const std::size_t j : jobs) {
      const StepEstimate& estimate = steps_of(j, shown_then(j)); // kept until the run ends
      placements.push_back(&placed_[j]->placement);
      programs.push_back(&estimate.program);
      traces.push_back(&estimate.trace);
    }
    std::unordered_map<std::string, std::size_t> index; // of links in links_; looked up only
    for (std::size_t first = 0; first < jobs.size();) {
      std::size_t last = first;
      while (last < jobs.size() && simulation(jobs[last]) == simulation(jobs[first]))
        ++last;
      const std::size_t count = last - first;
      add_links(link_rows(prepared_->cluster, std::span{placements}.subspan(first, count),
                          std::span{programs}.subspan(first, count), std::span{traces}.subspan(first, count)),
                index);
      first = last;
    }
    for (LinkRow& link : links_) // messages that the ends of a window cut are counted whole
      link.utilisation = std::min(link.utilisation, 1.0);
    sort_rows(links_, [](const LinkRow& link) { return -link.utilisation; });
    if (!draw_)
      return;
    link_loads_ = link_loads(prepared_->cluster, programs, traces);
    for (LinkLoad& load : link_loads_)
      load.point = point_.label;
  }

  /// What jobs of another simulation, which never fill these links with the others, put on them is added up by its
  /// rate.
  void add_links(std::vector<LinkRow> rows, std::unordered_map<std::string, std::size_t>& index)
  {
    for (LinkRow& link : rows) {
      link.point = point_.label;
      const auto [place, fresh] = index.try_emplace(link.link, links_.size());
      if (fresh) {
        links_.push_back(std::move(link));
        continue;
      }
      LinkRow& known = links_[place->second];
      known.bytes += link.bytes * (known.window / link.window);
      known.utilisation += link.utilisation;
      known.busy = std::max(known.busy, link.busy);
      known.jobs.insert(known.jobs.end(), link.jobs.begin(), link.jobs.end());
    }
  }

  const CheckedPoint& point_;
  const Catalogue& catalogue_;
  bool draw_ = false;
  bool lists_ = false;
  std::size_t threads_ = 1;
  Diagnostics diagnostics_;
  std::shared_ptr<const PreparedScenario> prepared_;
  ChosenFidelity fidelity_;
  Message contention_; // what the fidelity leaves out
  Message rings_meet_; // likewise
  Message traffic_left_out_;
  Message crowded_server_;
  std::unique_ptr<Executor> executor_;
  FreeSlots slots_;
  std::vector<std::unique_ptr<PlacedJob>> placed_;
  std::vector<JobRow> rows_;
  std::vector<bool> hashed_;          // by job: its paths
  std::atomic<double> work_ = 0;      // as SeedRange::work
  std::vector<Shown> shown_;          // by job
  std::vector<Stay> stays_;           // by job
  std::size_t begins_ = 0;            // instants at which jobs have begun
  std::size_t sequence_ = 0;          // jobs that have begun
  std::size_t most_at_once_ = 0;      // jobs,
  std::size_t most_begins_ = 0;       // at this instant,
  std::map<std::size_t, Shown> most_; // and how those of many steps were situated
  std::map<std::shared_ptr<const std::vector<std::size_t>>, std::shared_ptr<const GroupRun>> group_runs_; // looked up
  SteadyGroups groups_;
  DirectRuns direct_;
  std::vector<std::unique_ptr<const StepEstimate>> own_steps_; // by job: of one of few steps that met others
  std::map<const void*, CrowdedLinks> crowded_;                // by group; null: of the jobs of own_steps_
  std::vector<StepRow> steps_;
  std::vector<LinkRow> links_;
  std::vector<LinkLoad> link_loads_;
  std::vector<TrafficRow> traffic_;
  std::vector<TraceSpan> spans_;
};

} // namespace

void run_point(const CheckedPoint& point, const Catalogue& catalogue, const PointOptions& options, Results& results)
{
  PointRun run{point, catalogue, options};
  if (run.wants_rehearsal())
    run.expect(PointRun{point, catalogue, {}, {.name = "fluid"}}.rehearse());
  run.run(results);
}

} // namespace trainyard
