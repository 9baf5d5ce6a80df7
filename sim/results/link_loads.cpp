// SPDX-License-Identifier: Apache-2.0
#include "sim/results/traffic.hpp"

#include "sim/step/engine/program_runner.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
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

  /// Null where the budget of messages is used up.
  const LinkBytes* of(const Work& work)
  {
    if (const auto* transfer = std::get_if<Transfer>(&work))
      return message(transfer->from, transfer->to, transfer->bytes.value() / transfer->cost.efficiency, {});
    if (const auto* copy = std::get_if<Copy>(&work))
      return message(copy->from, copy->to, copy->bytes.value() / copy->cost.efficiency, {});
    if (const auto* call = call_of(work))
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
        for (const RoundMessage& message : round.messages)
          add(plan.ranks[static_cast<std::size_t>(message.from)], plan.ranks[static_cast<std::size_t>(message.to)],
              message.bytes.value() * round.repeat / call.cost.efficiency, nodes);
      }
    }
    return &known_.emplace(key, take_sums()).first->second;
  }

  using Key = std::tuple<std::string, std::string, SharedList<VertexId>, double>;
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

/// Who sends to whom in a collective, with its share of the payload in all rounds together.
std::vector<std::tuple<VertexId, VertexId, double>> messages_of(const Cluster& cluster, const CollectiveCall& call)
{
  std::vector<std::tuple<VertexId, VertexId, double>> messages;
  for (const ChannelPlan& plan : channel_plans(cluster, call))
    for (const Round& round : plan.rounds)
      for (const RoundMessage& message : round.messages)
        if (message.bytes > Bytes{})
          messages.emplace_back(plan.ranks[static_cast<std::size_t>(message.from)],
                                plan.ranks[static_cast<std::size_t>(message.to)],
                                message.bytes * round.repeat / call.payload);
  return messages;
}

/// Whether collectives put bytes on links as their payloads are.
class LikeCollectives
{
public:
  explicit LikeCollectives(const Cluster& cluster) : cluster_{cluster} {}

  bool add(const CollectiveCall& call)
  {
    if (known_.contains(call.payload.value()) && call.algorithm == first_->algorithm &&
        call.operation == first_->operation && call.ranks == first_->ranks && call.orders == first_->orders)
      return true;
    const auto messages = messages_of(cluster_, call);
    if (first_ == nullptr) {
      first_ = &call;
      messages_ = messages;
    }
    known_.insert(call.payload.value());
    return call.cost.efficiency == first_->cost.efficiency &&
           std::ranges::equal(messages, messages_, [](const auto& one, const auto& other) {
             return std::get<0>(one) == std::get<0>(other) && std::get<1>(one) == std::get<1>(other) &&
                    std::abs(std::get<2>(one) - std::get<2>(other)) <= 1e-9 * std::get<2>(other);
           });
  }

private:
  const Cluster& cluster_;
  const CollectiveCall* first_ = nullptr;
  std::vector<std::tuple<VertexId, VertexId, double>> messages_; // of it
  std::set<double> known_;                                       // payloads
};

/// What each operation has of all that a program puts on each link, where that is the same for all links: one operation
/// alone uses the network, or all that do are collectives that differ in their payload only. Else nothing.
std::vector<double> shares_on_links(const Cluster& cluster, const StepProgram& program)
{
  std::vector<double> shares(program.operations.size(), 0.0);
  LikeCollectives like{cluster};
  std::size_t messages = 0, collectives = 0;
  double payload = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Work& work = program.operations[i].work;
    const auto* call = call_of(work);
    if (call == nullptr && !std::holds_alternative<Transfer>(work) && !std::holds_alternative<Copy>(work))
      continue;
    ++(call != nullptr ? collectives : messages);
    if (messages + std::min<std::size_t>(collectives, 1) > 1 || (call != nullptr && !like.add(*call)))
      return {};
    shares[i] = call != nullptr ? call->payload.value() : 1;
    payload += shares[i];
  }
  if (!(payload > 0))
    return {};
  for (double& share : shares)
    share /= payload;
  return shares;
}

/// So many does a message stand for on a link (Resource::sharers).
double messages_like_it(const StepProgram& program, std::size_t operation, int link)
{
  if (const auto* transfer = std::get_if<Transfer>(&program.operations[operation].work))
    for (const ResourceId id : transfer->resources)
      if (const Resource& resource = program.resources[static_cast<std::size_t>(id.index)];
          resource.sharers > 1 && resource.link.index == link)
        return resource.sharers;
  return 1;
}

/// What a program puts on each of its links, in each part.
struct SpreadProfile {
  std::vector<double> in_part;
  std::size_t first = std::numeric_limits<std::size_t>::max(); // part that may have something,
  std::size_t last = 0;                                        // and behind the last
};

/// On one link.
struct SpreadLoad {
  std::vector<std::pair<std::size_t, double>> alike; // profiles, and the bytes that are spread so
  std::unique_ptr<double[]> others;                  // bytes in each part; null: none
};

/// The loads of the links over time, in stretches of equal loads.
std::vector<LinkLoad> stretches_of(const Cluster& cluster, std::vector<SpreadLoad> load_of,
                                   const std::vector<SpreadProfile>& profiles, double begin, double width,
                                   std::size_t parts)
{
  std::vector<LinkLoad> loads;
  std::vector<LinkLoad::Part> stretches;
  std::vector<double> load_in(parts);
  for (std::size_t link = 0; link < load_of.size(); ++link) {
    if (load_of[link].alike.empty() && load_of[link].others == nullptr)
      continue;
    const double capacity = cluster.links()[link].data_rate().value() * width;
    const SpreadLoad there = std::exchange(load_of[link], {});
    if (there.others != nullptr)
      std::copy_n(there.others.get(), parts, load_in.begin());
    else
      std::ranges::fill(load_in, 0);
    for (const auto& [number, all] : there.alike)
      for (std::size_t part = profiles[number].first; part < profiles[number].last; ++part)
        load_in[part] += all * profiles[number].in_part[part];
    for (double& load : load_in)
      if (load > 0)
        load = std::round(100 * std::min(1.0, load / capacity)) / 100;
    stretches.clear();
    for (std::size_t part = 0; part < parts;) {
      const double load = load_in[part];
      std::size_t next = part + 1;
      while (next < parts && load_in[next] == load)
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

} // namespace

std::vector<LinkLoad> link_loads(const Cluster& cluster, std::span<const StepProgram* const> programs,
                                 std::span<const StepTrace* const> traces, int parts, std::size_t most_messages)
{
  double begin = std::numeric_limits<double>::infinity();
  double end = -begin;
  std::vector<ProgramRun> runs;
  std::size_t links = 0; // that carry something for a program
  for (std::size_t p = 0; p < traces.size(); ++p) {
    links = std::max(links, traces[p]->links.size());
    begin = std::min(begin, traces[p]->begin.value());
    end = std::max(end, traces[p]->end.value());
    runs.push_back({programs[p], traces[p]->begin});
  }
  constexpr std::size_t most_links = 50'000;
  if (!(end > begin) || parts < 1 || links > most_links)
    return {};
  const double width = (end - begin) / parts;
  Routes routes{cluster, runs, most_messages};
  const auto width_of = static_cast<std::size_t>(parts);
  std::vector<SpreadLoad> load_of(cluster.links().size());
  std::vector<double> share(width_of); // of an operation, in each part
  std::vector<SpreadProfile> profiles;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    const std::vector<double> shares =
        traces[p]->links.empty() ? std::vector<double>{} : shares_on_links(cluster, *programs[p]);
    if (!shares.empty()) {
      for (const LinkUse& use : traces[p]->links)
        if (use.bytes.value() > 0)
          load_of[static_cast<std::size_t>(use.link.index)].alike.emplace_back(profiles.size(), use.bytes.value());
      profiles.push_back({std::vector<double>(width_of)});
    }
    for (std::size_t i = 0; i < programs[p]->operations.size(); ++i) {
      const LinkBytes* sums = shares.empty() ? routes.of(programs[p]->operations[i].work) : nullptr;
      if (shares.empty() && sums == nullptr)
        return {};
      if (shares.empty() ? sums->empty() : shares[i] == 0)
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
      if (!shares.empty()) {
        SpreadProfile& profile = profiles.back();
        for (int part = first; part <= last; ++part)
          profile.in_part[static_cast<std::size_t>(part)] += shares[i] * share[static_cast<std::size_t>(part)];
        profile.first = std::min(profile.first, static_cast<std::size_t>(first));
        profile.last = std::max(profile.last, static_cast<std::size_t>(last) + 1);
        continue;
      }
      for (const auto& [link, one] : *sums) {
        const double all = one * messages_like_it(*programs[p], i, link);
        std::unique_ptr<double[]>& there = load_of[static_cast<std::size_t>(link)].others;
        if (there == nullptr)
          there = std::make_unique<double[]>(width_of);
        for (int part = first; part <= last; ++part)
          there[part] += all * share[static_cast<std::size_t>(part)];
      }
    }
  }
  return stretches_of(cluster, std::move(load_of), profiles, begin, width, width_of);
}

} // namespace trainyard
