// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

namespace trainyard {

struct PointOptions {
  bool draw = false;       // keep the bars of the timeline
  bool lists = false;      // keep who sends how much to whom, and the steps of each worker
  std::size_t threads = 1; // groups of jobs that are simulated at once; 1 where the executor forks
  std::shared_ptr<const PreparedScenario> prepared = {}; // of this scenario, with this catalogue; null: not yet
};

/// Runs one checked point and adds its rows to @p results.
///
/// Throws InputError where a job has no place or cannot train there, std::logic_error where the outcome breaks a law of
/// physics.
void run_point(const CheckedPoint& point, const Catalogue& catalogue, const PointOptions& options, Results& results);

/// Moves the rows of @p from to the end of @p to.
template <class Row>
void append(std::vector<Row>& to, std::vector<Row>& from)
{
  if (to.empty() && to.capacity() < from.size())
    to.swap(from); // there may be hundreds of thousands
  else
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

} // namespace trainyard
