// SPDX-License-Identifier: Apache-2.0
#include "models/cost/sync_tokens.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

class TokenQueue
{
public:
  TokenQueue(const TokenRules& rules, const std::vector<TokenWorker>& workers,
             const std::function<Seconds(int, int)>& time)
      : rules_{rules}, workers_{workers}, time_{time}, rounds_(workers.size(), 0), tokens_(at(rules.initial()), 0)
  {
    for (std::size_t worker = 0; worker < workers.size(); ++worker)
      events_.insert({workers[worker].from, false, static_cast<int>(worker), -1});
  }

  TokenSchedule run(int updates)
  {
    while (static_cast<int>(schedule_.updates.size()) < updates && !events_.empty()) {
      const auto [now, pushes, worker, round] = *events_.begin();
      events_.erase(events_.begin());
      if (!pushes) {
        begin(worker, step(), now);
        continue;
      }
      push(round, now);
      if (tokens_.empty()) {
        waiting_.push_back(worker);
      } else {
        const int token = tokens_.front();
        tokens_.pop_front();
        begin(worker, token, now);
      }
    }
    std::ranges::stable_sort(schedule_.rounds, {}, [](const TokenRound& round) {
      return std::tuple{round.step, round.begin};
    });
    return std::move(schedule_);
  }

private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  int step() const { return static_cast<int>(schedule_.updates.size()); }

  void begin(int worker, int token, Seconds now)
  {
    const int number = rounds_[at(worker)]++;
    const Seconds end = now + time_(worker, number);
    if (now >= workers_[at(worker)].until)
      return;
    const int round = static_cast<int>(schedule_.rounds.size());
    schedule_.rounds.push_back({worker, number, token, now, end, false});
    if (end <= workers_[at(worker)].until)
      events_.insert({end, true, worker, round});
  }

  void push(int round, Seconds now)
  {
    TokenRound& done = schedule_.rounds[at(round)];
    done.counts = done.step == step();
    if (!done.counts || ++gradients_ < rules_.to_aggregate)
      return;
    gradients_ = 0;
    schedule_.updates.push_back(now);
    tokens_.insert(tokens_.end(), at(std::max(rules_.replicas, rules_.to_aggregate)), step());
    while (!waiting_.empty() && !tokens_.empty()) {
      const int worker = waiting_.front();
      waiting_.pop_front();
      if (now >= workers_[at(worker)].until)
        continue; // it waited without a token
      const int token = tokens_.front();
      tokens_.pop_front();
      begin(worker, token, now);
    }
  }

  const TokenRules& rules_;
  const std::vector<TokenWorker>& workers_;
  const std::function<Seconds(int, int)>& time_;
  std::set<std::tuple<Seconds, bool, int, int>> events_; // time, whether it pushes, worker, its round
  std::vector<int> rounds_;                              // by worker
  std::deque<int> tokens_;
  std::deque<int> waiting_;
  int gradients_ = 0; // of the next update
  TokenSchedule schedule_;
};

} // namespace

TokenSchedule token_schedule(const TokenRules& rules, const std::vector<TokenWorker>& workers,
                             const std::function<Seconds(int worker, int round)>& time, int updates)
{
  return TokenQueue{rules, workers, time}.run(updates);
}

double token_update_rate(const TokenRules& rules, const std::vector<double>& speeds)
{
  constexpr int settling = 20;
  constexpr int counted = 60; // a common multiple of the periods of up to six workers
  const auto time = [&](int worker, int) { return Seconds{1 / speeds[static_cast<std::size_t>(worker)]}; };
  const TokenSchedule schedule =
      token_schedule(rules, std::vector<TokenWorker>(speeds.size()), time, settling + counted);
  if (schedule.updates.size() < settling + counted)
    return 0;
  return counted / (schedule.updates.back() - schedule.updates[settling - 1]).value();
}

} // namespace trainyard
