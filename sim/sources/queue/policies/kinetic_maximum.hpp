// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace trainyard {

/// Jobs whose value grows in time, each at its own rate: (time - since) / scale. The one with the highest
/// value is known without looking at all of them, however long the queue is: a kinetic tournament (Basch, Guibas and
/// Hershberger, Data Structures for Mobile Data, 1997), in which every match knows how long its winner stays ahead.
/// Equal values: the lower job. Compared exactly, at every nanosecond.
///
/// Times must not go back from call to call. A job that comes, goes or takes the lead costs log n.
class KineticMaximum
{
public:
  struct Line {
    Instant since;
    Instant scale; // above 0
    double at(Instant time) const { return (time - since) / scale; }
  };
  struct Highest {
    JobId id;
    double value = 0;
  };

  /// Where the job is in here already, nothing happens.
  void insert(JobId id, Line line, Instant now);
  /// Where the job is not in here, nothing happens.
  void erase(JobId id, Instant now);
  bool empty() const { return places_.empty(); }
  std::size_t size() const { return places_.size(); }
  std::optional<Highest> highest(Instant now);
  /// How many have a value above @p value; looks at all.
  std::size_t count_above(double value, Instant now) const;

private:
  struct Entry {
    JobId id; // none: a free place
    Line line;
  };
  struct Match {
    int winner = -1;             // a place; none: no job is below
    Instant until = end_of_time; // it still wins then
  };

  void advance(Instant now, std::size_t node = 1);
  void play(std::size_t node, Instant now);
  void replay_above(std::size_t place, Instant now);
  void grow(Instant now);

  std::size_t leaves_ = 0;     // a power of two
  std::vector<Entry> entries_; // by place
  std::vector<Match> matches_; // tree: node i is played between the winners of 2i and 2i + 1; places from `leaves_` on
  std::vector<int> free_;      // places
  std::unordered_map<int, int> places_; // of each job; looked up only
};

} // namespace trainyard
