// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/study/plan.hpp"

#include <functional>
#include <string>
#include <vector>

namespace trainyard {

using PlanProgress = std::function<void(std::size_t done, std::size_t total, const std::string& what)>;

/// Whether an interval meets a goal; without values it misses it.
Ruling ruling_on(const Goal& goal, const MeanInterval& value);
/// With the probabilities @p sure of the goals that have one: goals that are met less surely than is wanted are not
/// decided.
Ruling sure_ruling(const PlanRequest& request, Ruling ruling, std::span<const std::optional<double>> sure);
/// As reports say it; "not decided" where no goal has been looked at.
std::string ruling_of(Ruling ruling);

/// The search of one plan; see plan.cpp for the order of its steps and plan_around.cpp for what surrounds the answer.
class PlanSearch
{
public:
  PlanSearch(const SweepSpace& space, const PointEvaluator& evaluator, const PlanRequest& request,
             PlanProgress progress);
  /// Once.
  Plan result();

private:
  SweepPoint point(std::size_t design, int replica, const std::string& fidelity) const;
  std::vector<PointOutcome> evaluate(const std::vector<SweepPoint>& points, const std::string& what);
  void probe();
  void screen();
  Verdict verdict_on(const PointOutcome& outcome) const;
  void judge(Design& design, bool last);
  void decide(const std::vector<std::size_t>& designs, const std::string& what);
  void prune();
  bool better(double a, double b) const;
  std::vector<std::size_t> by_objective() const;
  void choose();
  void search();
  bool audit();
  void find_nearest_miss();
  void find_cheaper();
  // plan_around.cpp
  std::vector<std::size_t> front_of(std::size_t goal) const;
  void find_fronts();
  void check_monotonicity();
  void change_nodes(std::size_t centre);
  void find_node_range(std::size_t centre, const std::string& path);

  const SweepSpace& space_;
  const PointEvaluator& evaluator_;
  const PlanRequest& request_;
  PlanProgress progress_;
  Plan plan_;
};

} // namespace trainyard
