// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/situation.hpp"

#include "sim/step/engine/program_runner.hpp"

#include <algorithm>
#include <numeric>

namespace trainyard {
namespace {

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
  else if (const auto* call = call_of(work))
    digest << call->algorithm << call->operation << call->ranks.size() << call->payload.value() << call->cost
           << call->start_up.value() << call->channels << call->orders.size();
}

} // namespace

Shapes::Shapes(const PreparedScenario& scenario) : scenario_{scenario} {}

Shapes::~Shapes() = default;

Situated Shapes::at(const PreparedJob& job, const PlacedJob& placed, const StepProgram& step,
                    const std::string& description, bool whole_links)
{
  Situated place{.job = &job, .placement = placed.placement, .kind = -1, .shape = -1, .links = {}, .position = {}};
  if (planner_ == nullptr)
    planner_ =
        std::make_unique<ProgramRunner>(scenario_.cluster, std::span<const ProgramRun>{}, CollectiveStyle::pipelined);
  planner_->restart();
  const std::vector<int> used = planner_->routes_of(planner_->plan_only(step));
  const RouteTable& routes = planner_->routes();

  Digest digest;
  digest << description << step.operations.size() << static_cast<int>(used.size());
  for (const Lane& lane : step.lanes)
    digest << lane.slots << lane.members;
  for (const Operation& operation : step.operations) {
    add_work(digest, operation.work);
    digest << operation.lanes.size() << operation.after.size() << operation.priority;
    for (const LaneId lane : operation.lanes)
      digest << lane.index;
    for (const OperationId before : operation.after)
      digest << before.index;
  }
  const auto cluster_links = static_cast<int>(scenario_.cluster.links().size());
  met_.clear();
  position_.resize(std::max(position_.size(), routes.capacities().size()));
  for (const int index : used) {
    const Route& route = routes.route(index);
    digest << route.limit << route.latency << route.links.size();
    double rate = route.limit;
    for (const int link : route.links)
      rate = std::min(rate, routes.capacities()[static_cast<std::size_t>(link)]);
    for (const int link : route.links) {
      const double capacity = routes.capacities()[static_cast<std::size_t>(link)];
      std::size_t& position = position_[static_cast<std::size_t>(link)];
      const bool fresh = position >= met_.size() || met_[position].link != link;
      if (fresh) {
        position = met_.size();
        met_.push_back({link, 0});
      }
      digest << static_cast<int>(position);
      if (fresh)
        digest << capacity;
      met_[position].share += rate / capacity;
    }
  }
  std::ranges::sort(met_, {}, &LinkShare::link);
  place.links.reserve(met_.size());
  place.position.reserve(met_.size());
  for (const auto& [link, share] : met_)
    if (link < cluster_links) {
      place.links.push_back({link, whole_links ? 1.0 : std::min(share, 1.0)});
      place.position.push_back(static_cast<int>(position_[static_cast<std::size_t>(link)]));
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

ContendedLinks contended_links(std::span<const Situated* const> group)
{
  struct Use {
    int link;
    int job;
    int position;
    double share;
  };
  if (group.size() < 2)
    return {};
  std::vector<Use> uses;
  for (std::size_t job = 0; job < group.size(); ++job)
    if (group[job] != nullptr)
      for (std::size_t i = 0; i < group[job]->links.size(); ++i)
        uses.push_back(
            {group[job]->links[i].link, static_cast<int>(job), group[job]->position[i], group[job]->links[i].share});
  std::ranges::sort(uses, {}, [](const Use& use) { return std::pair{use.link, use.job}; });
  ContendedLinks shared;
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

Situation situation_of(std::span<const Situated* const> group)
{
  Situation situation;
  situation.order.resize(group.size());
  std::iota(situation.order.begin(), situation.order.end(), std::size_t{0});
  std::ranges::stable_sort(situation.order, {}, [&](std::size_t i) { return group[i]->shape; });
  SituatedGroup ordered;
  situation.key.push_back(static_cast<int>(group.size()));
  for (const std::size_t i : situation.order) {
    ordered.push_back(group[i]);
    situation.key.push_back(group[i]->shape);
  }
  std::vector<std::vector<int>> shared;
  for (const auto& [link, users] : contended_links(ordered)) {
    shared.emplace_back();
    for (const auto& [job, position] : users) {
      shared.back().push_back(job);
      shared.back().push_back(position);
    }
  }
  std::ranges::sort(shared);
  for (const std::vector<int>& link : shared) {
    situation.key.push_back(-static_cast<int>(link.size()));
    situation.key.insert(situation.key.end(), link.begin(), link.end());
  }
  return situation;
}

} // namespace trainyard
