// SPDX-License-Identifier: Apache-2.0
#include "sim/results/link_loads.hpp"

#include "sim/step/engine/program_runner.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

using LinkBytes = std::vector<std::pair<int, double>>; // links, each once, in their order

/// What each operation puts on each link.
class Routes
{
public:
  Routes(const Cluster& cluster, std::span<const ProgramRun> runs, std::size_t most_messages)
      : cluster_{cluster}, table_{cluster, runs}, links_{static_cast<int>(cluster.links().size())},
        sums_(cluster.links().size()), left_{most_messages}
  {
  }

  /// Of the only operation of a program that uses the network: what its trace says of all.
  const LinkBytes* all_of(const StepTrace& trace)
  {
    one_.clear();
    for (const LinkUse& use : trace.links)
      if (use.bytes.value() > 0)
        one_.emplace_back(use.link.index, use.bytes.value());
    return &one_;
  }

  /// Null where the budget of messages is used up.
  const LinkBytes* of(const Work& work)
  {
    if (const auto* transfer = std::get_if<Transfer>(&work))
      return message(transfer->from, transfer->to, transfer->bytes.value() / transfer->cost.efficiency, {});
    if (const auto* copy = std::get_if<Copy>(&work))
      return message(copy->from, copy->to, copy->bytes.value() / copy->cost.efficiency, {});
    if (const auto* call = std::get_if<CollectiveCall>(&work))
      return collective(*call);
    return &none_;
  }

private:
  const LinkBytes* message(VertexId from, VertexId to, double bytes, const RanksByNode& forwarders)
  {
    add(from, to, bytes, forwarders);
    one_ = take_sums();
    return &one_;
  }

  void add(VertexId from, VertexId to, double bytes, const RanksByNode& forwarders)
  {
    for (const int link :
         table_.route(table_.find(0, from, to, {}, std::numeric_limits<double>::infinity(), forwarders)).links) {
      if (link >= links_)
        continue;
      double& sum = sums_[static_cast<std::size_t>(link)];
      if (sum == 0)
        summed_.push_back(link);
      sum += bytes;
    }
  }

  LinkBytes take_sums()
  {
    std::ranges::sort(summed_);
    LinkBytes result;
    result.reserve(summed_.size());
    for (const int link : summed_)
      if (const double sum = std::exchange(sums_[static_cast<std::size_t>(link)], 0.0); sum > 0)
        result.emplace_back(link, sum);
    summed_.clear();
    return result;
  }

  /// The buckets of every step repeat those of the first.
  const LinkBytes* collective(const CollectiveCall& call)
  {
    const Key key{call.algorithm, call.operation, call.ranks, call.payload.value()};
    if (const auto known = known_.find(key); known != known_.end())
      return &known->second;
    for (const ChannelPlan& plan : channel_plans(cluster_, call)) {
      const RanksByNode nodes{cluster_, plan.ranks};
      for (const Round& round : plan.rounds) {
        if (round.messages.size() > left_) {
          take_sums();
          return nullptr;
        }
        left_ -= round.messages.size();
        for (const Message& message : round.messages)
          add(plan.ranks[static_cast<std::size_t>(message.from)], plan.ranks[static_cast<std::size_t>(message.to)],
              message.bytes.value() * round.repeat / call.cost.efficiency, nodes);
      }
    }
    return &known_.emplace(key, take_sums()).first->second;
  }

  using Key = std::tuple<std::string, std::string, std::vector<VertexId>, double>;
  const Cluster& cluster_;
  RouteTable table_;
  int links_;
  std::vector<double> sums_; // bytes by link, and the links that have any
  std::vector<int> summed_;
  std::size_t left_;
  LinkBytes none_;
  LinkBytes one_;
  std::map<Key, LinkBytes> known_;
};

/// The operation of a program that alone uses the network; -1: none does, or several do.
int only_on_network(const StepProgram& program)
{
  int found = -1;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Work& work = program.operations[i].work;
    if (!std::holds_alternative<Transfer>(work) && !std::holds_alternative<Copy>(work) &&
        !std::holds_alternative<CollectiveCall>(work))
      continue;
    if (found >= 0)
      return -1;
    found = static_cast<int>(i);
  }
  return found;
}

} // namespace

std::vector<LinkLoad> link_loads(const Cluster& cluster, std::span<const StepProgram* const> programs,
                                 std::span<const StepTrace* const> traces, int parts, std::size_t most_messages)
{
  double begin = std::numeric_limits<double>::infinity();
  double end = -begin;
  std::vector<ProgramRun> runs;
  std::vector<int> only;
  for (std::size_t p = 0; p < traces.size(); ++p) {
    only.push_back(traces[p]->links.empty() ? -1 : only_on_network(*programs[p]));
    begin = std::min(begin, traces[p]->begin.value());
    end = std::max(end, traces[p]->end.value());
    runs.push_back({programs[p], traces[p]->begin});
  }
  if (!(end > begin) || parts < 1)
    return {};
  const double width = (end - begin) / parts;
  Routes routes{cluster, runs, most_messages};
  const auto width_of = static_cast<std::size_t>(parts);
  std::vector<std::unique_ptr<double[]>> bytes(cluster.links().size()); // in each part; null: none
  std::vector<double> share(width_of);                                  // of an operation, in each part
  for (std::size_t p = 0; p < programs.size(); ++p)
    for (std::size_t i = 0; i < programs[p]->operations.size(); ++i) {
      const LinkBytes* sums =
          static_cast<int>(i) == only[p] ? routes.all_of(*traces[p]) : routes.of(programs[p]->operations[i].work);
      if (sums == nullptr)
        return {};
      if (sums->empty())
        continue;
      const double from = traces[p]->spans[i].begin.value();
      const double to = std::max(traces[p]->spans[i].end.value(), from + width * 1e-9);
      const int first = std::clamp(static_cast<int>((from - begin) / width), 0, parts - 1);
      const int last = std::clamp(static_cast<int>((to - begin) / width), 0, parts - 1);
      for (int part = first; part <= last; ++part) {
        const double low = std::max(from, begin + part * width);
        const double high = part == last ? to : std::min(to, begin + (part + 1) * width);
        share[static_cast<std::size_t>(part)] = std::max(0.0, high - low) / (to - from);
      }
      for (const auto& [link, all] : *sums) {
        std::unique_ptr<double[]>& there = bytes[static_cast<std::size_t>(link)];
        if (there == nullptr)
          there = std::make_unique<double[]>(width_of);
        for (int part = first; part <= last; ++part)
          there[part] += all * share[static_cast<std::size_t>(part)];
      }
    }
  std::vector<LinkLoad> loads;
  std::vector<LinkLoad::Part> stretches; // of equal loads
  for (std::size_t link = 0; link < bytes.size(); ++link) {
    if (bytes[link] == nullptr)
      continue;
    const double capacity = cluster.links()[link].data_rate().value() * width;
    const auto load_in = [&, there = std::exchange(bytes[link], nullptr)](std::size_t part) {
      return std::round(100 * std::min(1.0, there[part] / capacity)) / 100;
    };
    stretches.clear();
    for (std::size_t part = 0; part < width_of;) {
      const double load = load_in(part);
      std::size_t next = part + 1;
      while (next < width_of && load_in(next) == load)
        ++next;
      if (load > 0)
        stretches.push_back({Seconds{begin + static_cast<double>(part) * width},
                             Seconds{begin + static_cast<double>(next) * width}, load});
      part = next;
    }
    if (!stretches.empty())
      loads.push_back({{}, cluster.links()[link].name, stretches});
  }
  return loads;
}

} // namespace trainyard
