// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "sim/step/engine/executor.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace trainyard {

/// A link whose capacity several jobs use while one of them makes its steps.
struct CrowdedLink {
  LinkId link;
  double utilisation = 0; // by all of them, 0..1
  int jobs = 0;           // that use it, 2 or more
};

/// What several jobs put on links, each evenly over its own time.
class CrowdedLinks
{
public:
  explicit CrowdedLinks(const Cluster& cluster) : cluster_{cluster} {}

  /// The job puts the bytes of @p trace, @p times over, on its links from @p begin to @p end, on the clock of all. The
  /// caller keeps the trace.
  void add(std::size_t job, const StepTrace& trace, double times, Seconds begin, Seconds end);
  /// Of the links that the job shares with others while it runs, the one that all together use most; nothing where it
  /// shares none.
  std::optional<CrowdedLink> busiest_of(std::size_t job) const;

private:
  struct Load {
    const StepTrace* trace = nullptr;
    Seconds begin;
    Seconds end;
  };
  struct Use {
    Bytes bytes;
    Seconds begin; // of its job
    Seconds end;
  };
  /// Of a link, in the order in which they were added; jobs that came one after the other are near each other there.
  struct Uses {
    static constexpr std::size_t width = 16;
    struct Block {
      Seconds begin; // the first of its uses
      Seconds end;   // and the last
    };
    std::vector<Use> all;
    std::vector<Block> blocks; // of `width` uses
  };
  const Cluster& cluster_;
  std::unordered_map<std::size_t, Load> loads_; // by job
  std::unordered_map<int, Uses> uses_;          // by link
};

} // namespace trainyard
