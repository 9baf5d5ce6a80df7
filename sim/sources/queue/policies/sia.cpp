// SPDX-License-Identifier: Apache-2.0
// Sia (Jayaram Subramanya et al., SOSP 2023): every round an integer programme gives each job one
// configuration, so many GPUs of one type, or none. The goodput of a configuration is over the smallest of the job's
// configurations; what would restart a running job counts less (restart_factor); the sum of goodput^p is smallest for
// p < 0, with lambda for each job that gets nothing. Configurations are powers of two inside a machine and whole
// machines beyond; a job begins with its smallest ones and grows at most twofold a round.
#include "sim/sources/queue/policies/size_rounds.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr double least_gain = 1e-4; // ZERO_ALLOC_GAIN of sia-simulator/sia.py

class Sia final : public SizeRounds
{
public:
  explicit Sia(const Settings& settings)
      : SizeRounds{"sia", settings.duration("interval", 60_s)}, power_{settings.number("power", -0.5)},
        lambda_{settings.number("lambda", 1.1)}, delay_{settings.number("restart_delay", 30)}
  {
    if (power_ == 0 || !(delay_ >= 0) || !(lambda_ > 1))
      throw std::invalid_argument{"sia: the power must not be 0, the restart delay at least 0 s, and lambda above 1"};
  }

  static std::vector<Parameter> parameters()
  {
    const std::string config = "siasosp23/artifacts, sia-simulator/simulator_config.py: ";
    const std::string code = "siasosp23/artifacts, sia-simulator/sia.py: ";
    std::vector<Parameter> all = gain_settings("-0.5", "goodputs", config + "-0.5", code + "30 s");
    all.insert(all.begin(), interval_setting("60 s", "length of a round", code + "60 s"));
    all.insert(all.begin() + 2, {.name = "lambda",
                                 .default_value = "1.1",
                                 .meaning = "penalty for a job without GPUs, as a job on its smallest configuration "
                                            "counts 1",
                                 .minimum = 1.001,
                                 .maximum = 1e6,
                                 .source = config + "1.1"});
    return all;
  }

  void begin(const ClusterView& cluster) override
  {
    const ClusterState& state = cluster.cluster();
    per_node_.assign(static_cast<std::size_t>(state.gpu_types()), 0);
    if (state.counted())
      return; // without machines: powers of two
    for (int node = 0; node < state.nodes().size(); ++node) {
      const NodeShape& shape = state.nodes().shape(node);
      int& most = per_node_[static_cast<std::size_t>(shape.gpu_type)];
      most = std::max(most, shape.gpus);
    }
  }

private:
  bool is_configuration(const SizeChoice& choice) const
  {
    const int machine = per_node_[static_cast<std::size_t>(choice.type)];
    return machine > 0 && choice.gpus > machine
               ? choice.gpus % machine == 0
               : std::has_single_bit(static_cast<unsigned>(choice.gpus)) || choice.gpus == machine;
  }

  /// Those that it may have in the next round; a job of other sizes only keeps its own ones.
  std::vector<SizeChoice> configurations(const SizedJob& job) const
  {
    std::vector<SizeChoice> all = job.choices;
    if (std::ranges::any_of(all, [&](const SizeChoice& choice) { return is_configuration(choice); }))
      std::erase_if(
          all, [&](const SizeChoice& choice) { return !is_configuration(choice) && !choice.same_place(job.held); });
    const int fewest = std::ranges::min_element(all, {}, &SizeChoice::gpus)->gpus;
    const int most = std::max(fewest, 2 * job.held.gpus);
    const int next = job.held.gpus == 0 ? fewest : most;
    std::vector<SizeChoice> allowed;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool first = i == 0 || all[i - 1].type != all[i].type; // of its type
      if (all[i].gpus <= next || first)
        allowed.push_back(all[i]);
    }
    return allowed;
  }

  std::vector<SizeChoice> plan(const std::vector<SizedJob>& jobs, const std::vector<int>& capacity) const override
  {
    std::vector<std::vector<SizeOption>> options;
    for (const SizedJob& job : jobs) {
      const std::vector<SizeChoice> all = configurations(job);
      const double least = std::ranges::min_element(job.choices, {}, &SizeChoice::speed)->speed;
      std::vector<SizeOption>& own = options.emplace_back();
      own.push_back({{}, lambda_});
      for (const SizeChoice& choice : all) {
        // Who is younger than a restart takes loses nothing by one (sia.py).
        const double factor = job.age < delay_ ? 1 : restart_factor(job, choice, delay_);
        own.push_back({choice, power_cost(std::max(choice.speed / least * factor, least_gain), power_)});
      }
    }
    return cheapest(options, capacity);
  }

  double power_;
  double lambda_;
  double delay_;
  std::vector<int> per_node_; // GPUs of the largest machine, by type; 0: GPUs are only counted
};

using SiaByPool = ByPool<Sia>;
TY_REGISTER(QueuePolicy, SiaByPool, "sia",
            "in rounds each job gets GPUs of one type: the best sum of normalised goodputs (Sia)");

} // namespace
} // namespace trainyard
