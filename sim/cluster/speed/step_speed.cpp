// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/step_speed.hpp"

#include "sim/step/engine/program_runner.hpp"
#include "sim/step/pack.hpp"
#include "sim/step/steady_state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>

namespace trainyard {
namespace {

/// Beyond this number, places are forgotten and computed again when they come back.
constexpr std::size_t most_places = 20'000;
/// Steps of the slowest of several jobs that are simulated together; the first one does not count.
constexpr double stretch = 6;

/// Bytes that are equal where the values are.
class Digest
{
public:
  template <class T>
  requires std::is_arithmetic_v<T> Digest& operator<<(T value)
  {
    text_.append(reinterpret_cast<const char*>(&value),
                 sizeof value); // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
    return *this;
  }
  Digest& operator<<(const std::string& text)
  {
    *this << text.size();
    text_ += text;
    return *this;
  }
  Digest& operator<<(const MessageCost& cost)
  {
    return *this << cost.latency.value() << cost.efficiency << cost.limit.value() << cost.whole_latency;
  }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

/// All that decides how long an operation takes besides the routes.
void add_work(Digest& digest, const Work& work)
{
  digest << work.index();
  if (const auto* compute = std::get_if<Compute>(&work))
    digest << compute->duration.value();
  else if (const auto* host = std::get_if<HostWork>(&work))
    digest << host->duration.value();
  else if (const auto* copy = std::get_if<Copy>(&work))
    digest << copy->bytes.value() << copy->cost;
  else if (const auto* transfer = std::get_if<Transfer>(&work))
    digest << transfer->bytes.value() << transfer->cost << transfer->resources.size();
  else if (const auto* call = std::get_if<CollectiveCall>(&work))
    digest << call->algorithm << call->operation << call->ranks.size() << call->payload.value() << call->cost
           << call->start_up.value() << call->channels << call->orders.size();
}

/// Links that several jobs use and together could fill: (link, users as (job, position)), in order of link.
using SharedLinks = std::vector<std::pair<int, std::vector<std::pair<int, int>>>>;

/// @p group: pointers to places; null ones use nothing.
template <class Group>
SharedLinks contended_links(const Group& group)
{
  struct Use {
    int link;
    int job;
    int position;
    double share;
  };
  std::vector<Use> uses;
  for (std::size_t job = 0; job < group.size(); ++job)
    if (group[job] != nullptr)
      for (std::size_t i = 0; i < group[job]->links.size(); ++i)
        uses.push_back(
            {group[job]->links[i].link, static_cast<int>(job), group[job]->position[i], group[job]->links[i].share});
  std::ranges::sort(uses, {}, [](const Use& use) { return std::pair{use.link, use.job}; });
  SharedLinks shared;
  for (auto first = uses.begin(); first != uses.end();) {
    const auto last = std::find_if(first, uses.end(), [&](const Use& use) { return use.link != first->link; });
    double total = 0;
    for (auto use = first; use != last; ++use)
      total += use->share;
    if (last - first > 1 && total > 1 + 1e-9) {
      shared.push_back({first->link, {}});
      for (auto use = first; use != last; ++use)
        shared.back().second.emplace_back(use->job, use->position);
    }
    first = last;
  }
  return shared;
}

} // namespace

StepSpeed::StepSpeed(const PreparedScenario& scenario, const Catalogue& catalogue,
                     std::map<std::string, JobSpec> templates, const std::string& executor, std::size_t most_together)
    : scenario_{scenario}, catalogue_{catalogue}, templates_{std::move(templates)},
      executor_{Registry<Executor>::instance().create(executor)}, most_together_{
                                                                      std::max<std::size_t>(most_together, 1)}
{
}

StepSpeed::~StepSpeed() = default;

const PreparedJob* StepSpeed::prepared(const Workload& workload, const TraceJob& job, int gpus)
{
  const std::string& model = workload.models.name(job.model);
  const auto found = templates_.find(model);
  if (found == templates_.end() || gpus == 0)
    return nullptr;
  std::unique_ptr<PreparedJob>& known = jobs_[{model, gpus}];
  if (known == nullptr) {
    PreparedJob fresh{found->second, {}, {}};
    fresh.spec.workers = gpus;
    fresh.spec.nodes.clear();
    fresh.dnn = network_of(fresh.spec);
    fresh.mode = Registry<TrainingMode>::instance().create(fresh.spec.training.mode, fresh.spec.training.settings);
    known = std::make_unique<PreparedJob>(std::move(fresh));
  }
  return known.get();
}

/// Ranks go machine by machine, those with the most GPUs of the job first, so that equal shapes get equal numbers.
Placement StepSpeed::placement(const PreparedJob& job, const Allocation& held) const
{
  std::map<int, std::uint32_t> masks;
  for (const TaskShare& share : held.shares)
    masks[share.node] |= share.gpu_mask;
  std::vector<std::pair<int, std::uint32_t>> order{masks.begin(), masks.end()};
  std::ranges::stable_sort(order, std::greater{}, [](const auto& entry) { return std::popcount(entry.second); });
  JobSpec spec = job.spec;
  FreeSlots slots = all_free(scenario_.cluster);
  for (auto& node : slots.gpu)
    node.assign(node.size(), false);
  for (const auto& [index, mask] : order) {
    const auto node = static_cast<std::size_t>(index);
    for (std::size_t gpu = 0; gpu < slots.gpu.at(node).size(); ++gpu)
      if ((mask >> gpu & 1u) != 0) {
        slots.gpu[node][gpu] = true;
        spec.nodes.push_back(scenario_.cluster.nodes()[node].name);
      }
  }
  Diagnostics diagnostics;
  Placement place = place_packed(scenario_.cluster, spec, slots, diagnostics);
  diagnostics.throw_if_errors();
  return place;
}

StepSpeed::Situated StepSpeed::make_situated(const PreparedJob& job, Placement placement)
{
  Situated place{.job = &job, .placement = std::move(placement), .kind = -1, .shape = -1, .links = {}, .position = {}};
  Diagnostics diagnostics;
  const auto placed = trainyard::place(scenario_, job, place.placement, catalogue_, diagnostics);
  if (diagnostics.has_errors())
    throw std::runtime_error{"a job cannot train at its place: " + diagnostics.sorted().front().message};
  placed->context->alone = false; // what it may load beside others
  const StepProgram program = job.mode->program(*placed->context, 0, 1);
  const ProgramRun run{&program, Seconds{}};
  ProgramRunner runner{scenario_.cluster, std::span{&run, 1}, CollectiveStyle::pipelined};
  const RouteTable& routes = runner.routes();

  Digest digest;
  digest << job.spec.name << program.operations.size() << routes.routes();
  for (const Lane& lane : program.lanes)
    digest << lane.slots << lane.members;
  for (const Operation& operation : program.operations) {
    add_work(digest, operation.work);
    digest << operation.lanes.size() << operation.after.size() << operation.priority;
    for (const LaneId lane : operation.lanes)
      digest << lane.index;
    for (const OperationId before : operation.after)
      digest << before.index;
  }
  const auto cluster_links = static_cast<int>(scenario_.cluster.links().size());
  std::unordered_map<int, int> position; // looked up only
  std::map<int, double> load;
  for (int i = 0; i < routes.routes(); ++i) {
    const Route& route = routes.route(i);
    digest << route.limit << route.latency << route.links.size();
    double rate = route.limit;
    for (const int link : route.links)
      rate = std::min(rate, routes.capacities()[static_cast<std::size_t>(link)]);
    for (const int link : route.links) {
      const double capacity = routes.capacities()[static_cast<std::size_t>(link)];
      const auto [known, fresh] = position.try_emplace(link, static_cast<int>(position.size()));
      digest << known->second;
      if (fresh)
        digest << capacity;
      if (link < cluster_links)
        load[link] += rate / capacity;
    }
  }
  for (const auto& [link, share] : load) {
    place.links.push_back({link, std::min(share, 1.0)});
    place.position.push_back(position.at(link));
  }
  std::map<NodeId, std::size_t> machines;
  std::size_t most = 0;
  for (const VertexId worker : place.placement.workers)
    most = std::max(most, ++machines[scenario_.cluster.vertex(worker).node]);
  place.kind = kinds_
                   .try_emplace(std::tuple{job.spec.name, place.placement.workers.size(), machines.size(), most},
                                static_cast<int>(kinds_.size()))
                   .first->second;
  place.shape = shapes_.try_emplace(digest.take(), static_cast<int>(shapes_.size())).first->second;
  return place;
}

std::shared_ptr<const StepSpeed::Situated> StepSpeed::situated(const Workload& workload, const PlacedTraceJob& job)
{
  const PreparedJob* prepared_job = prepared(workload, *job.job, job.held->gpus);
  if (prepared_job == nullptr || job.held->shares.empty())
    return nullptr;
  Digest digest;
  digest << job.job->model;
  for (const TaskShare& share : job.held->shares)
    digest << share.node << share.gpu_mask;
  if (places_.size() > most_places)
    places_.clear();
  std::shared_ptr<const Situated>& known = places_[digest.take()];
  if (known == nullptr)
    known = std::make_shared<const Situated>(make_situated(*prepared_job, placement(*prepared_job, *job.held)));
  return known;
}

std::vector<LinkShare> StepSpeed::links(const Workload& workload, const PlacedTraceJob& job)
{
  const auto place = situated(workload, job);
  return place == nullptr ? std::vector<LinkShare>{} : place->links;
}

std::string StepSpeed::link_name(int link) const
{
  return scenario_.cluster.link(LinkId{link}).name;
}

std::vector<double> StepSpeed::simulate(const Group& group, std::span<const double> alone) const
{
  Diagnostics diagnostics;
  std::vector<std::unique_ptr<PlacedJob>> placed;
  std::vector<SteppedJob> stepped;
  for (const Situated* job : group) {
    placed.push_back(place(scenario_, *job->job, job->placement, catalogue_, diagnostics));
    if (diagnostics.has_errors())
      throw std::runtime_error{"a job cannot train at its place: " + diagnostics.sorted().front().message};
    placed.back()->context->alone = group.size() == 1;
    stepped.push_back(stepped_job(*job->job->mode, *placed.back()->context));
  }
  SteadyStateOptions options = options_of_a_run(stepped, scenario_.scenario.run.warm_up_steps);
  if (group.size() > 1) {
    options.start_draws = 1; // there are too many situations
    if (std::ranges::none_of(stepped, &SteppedJob::random)) {
      options.most_steps = 24;
      // Neighbours with steps of different length never repeat: the mean over a stretch of `stretch` steps of the
      // slowest is taken at once.
      options.relative_half_width = 1;
      double longest = 0;
      for (const double time : alone)
        longest = std::max(longest, time);
      for (std::size_t i = 0; i < stepped.size(); ++i)
        stepped[i].first_steps =
            std::min(options.most_steps, static_cast<int>(std::ceil(stretch * longest / alone[i])));
    }
  }
  std::vector<double> times;
  for (const StepEstimate& estimate : steady_state(scenario_.cluster, stepped, *executor_, options))
    times.push_back(estimate.step_time.value());
  return times;
}

std::vector<double> StepSpeed::step_times(const Group& group)
{
  // In an order that does not depend on arrival, so that more situations are equal.
  std::vector<std::size_t> index(group.size());
  std::iota(index.begin(), index.end(), std::size_t{0});
  std::ranges::stable_sort(index, {}, [&](std::size_t i) { return group[i]->shape; });
  Group order;
  std::vector<int> situation{static_cast<int>(group.size())};
  for (const std::size_t i : index) {
    order.push_back(group[i]);
    situation.push_back(group[i]->shape);
  }
  std::vector<std::vector<int>> shared;
  for (const auto& [link, users] : contended_links(order)) {
    shared.emplace_back();
    for (const auto& [job, position] : users) {
      shared.back().push_back(job);
      shared.back().push_back(position);
    }
  }
  std::ranges::sort(shared);
  for (const std::vector<int>& link : shared) {
    situation.push_back(-static_cast<int>(link.size()));
    situation.insert(situation.end(), link.begin(), link.end());
  }
  auto known = known_.find(situation);
  if (known == known_.end()) {
    std::vector<double> alone;
    for (std::size_t i = 0; i < order.size() && order.size() > 1; ++i)
      alone.push_back(step_times(Group{order[i]}).front());
    known = known_.emplace(std::move(situation), simulate(order, alone)).first;
  }
  std::vector<double> times(group.size());
  for (std::size_t i = 0; i < index.size(); ++i)
    times[index[i]] = known->second[i];
  return times;
}

std::vector<double> StepSpeed::step_times(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  std::vector<std::shared_ptr<const Situated>> places;
  Group group;
  for (const PlacedTraceJob& job : jobs) {
    places.push_back(situated(workload, job));
    if (places.back() == nullptr)
      throw std::invalid_argument{"a job without a template or without GPUs has no step"};
    group.push_back(places.back().get());
  }
  return step_times(group);
}

double StepSpeed::added_by(const Situated& job, const Situated& other, int link)
{
  const double capacity = scenario_.cluster.link(LinkId{link}).data_rate().value();
  const auto known = pairs_.find({job.kind, other.kind, capacity});
  if (known != pairs_.end())
    return known->second;
  const std::vector<double> together = step_times(Group{&job, &other});
  const double added = std::max(0.0, together[0] - step_times(Group{&job}).front());
  pairs_[{job.kind, other.kind, capacity}] = added;
  pairs_.try_emplace({other.kind, job.kind, capacity}, std::max(0.0, together[1] - step_times(Group{&other}).front()));
  return added;
}

double StepSpeed::reference(const Workload& workload, const TraceJob& job)
{
  const int gpus = job.gpus;
  const auto [known, fresh] = references_.try_emplace({workload.models.name(job.model), gpus}, 0);
  if (fresh) {
    const PreparedJob* prepared_job = prepared(workload, job, gpus);
    FreeSlots slots = all_free(scenario_.cluster);
    Diagnostics diagnostics;
    Placement packed = place_packed(scenario_.cluster, prepared_job->spec, slots, diagnostics);
    diagnostics.throw_if_errors();
    const Situated place = make_situated(*prepared_job, std::move(packed));
    known->second = step_times(Group{&place}).front();
  }
  return known->second;
}

std::vector<JobSpeed> StepSpeed::speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  std::vector<JobSpeed> result(jobs.size());
  std::vector<std::shared_ptr<const Situated>> places; // null: works at the trace's speed
  Group stepped;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    places.push_back(situated(workload, jobs[i]));
    if (places[i] == nullptr)
      result[i].speed = result[i].alone = trace_speed(workload, *jobs[i].job, *jobs[i].held);
    else
      stepped.push_back(places[i].get());
  }
  const bool whole = stepped.size() <= most_together_;
  const std::vector<double> together = whole && !stepped.empty() ? step_times(stepped) : std::vector<double>{};
  // Of each job the contended link that costs it most (or has most users), and the user of it that costs it most.
  struct Worst {
    double added = 0;
    int link = -1;
    std::size_t neighbour = 0;
  };
  std::vector<Worst> worst(jobs.size());
  if (stepped.size() > 1)
    for (const auto& [link, users] : contended_links(places))
      for (const auto& [job, position] : users) {
        const auto i = static_cast<std::size_t>(job);
        Worst here{.added = 0, .link = link, .neighbour = i};
        double most = -1;
        for (const auto& [user, there] : users) {
          const auto j = static_cast<std::size_t>(user);
          if (j == i)
            continue;
          const double added = whole ? 1 : added_by(*places[i], *places[j], link);
          here.added += added;
          if (added > most) {
            most = added;
            here.neighbour = j;
          }
        }
        if (worst[i].link < 0 || here.added > worst[i].added)
          worst[i] = here;
      }
  std::size_t next = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (places[i] == nullptr)
      continue;
    // Global batches grow with the GPUs, so elastic jobs do more per step.
    const double work = reference(workload, *jobs[i].job) * jobs[i].held->gpus / jobs[i].job->gpus;
    const double alone = step_times(Group{places[i].get()}).front();
    const double time = whole ? together[next] : alone + worst[i].added;
    ++next;
    result[i] = {.speed = work / time, .alone = work / alone, .neighbour = {}, .link = -1};
    if (worst[i].link >= 0 && time > alone * (1 + 1e-9)) {
      result[i].link = worst[i].link;
      result[i].neighbour = jobs[worst[i].neighbour].id;
    }
  }
  return result;
}

} // namespace trainyard
