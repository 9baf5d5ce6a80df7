// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "sim/step/engine/executor.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
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

  /// The job, which has not been added before, puts the bytes of @p trace, @p times over, on its links from @p begin to
  /// @p end, on the clock of all.
  void add(std::size_t job, const StepTrace& trace, double times, Seconds begin, Seconds end);
  /// After all have been added; link by link, so that what is on a link is looked at once.
  void find_busiest();
  /// Of the links that the job shares with others while it runs, the one that all together use most, of equal ones the
  /// first; nothing where it shares none.
  std::optional<CrowdedLink> busiest_of(std::size_t job) const;

private:
  struct Load {
    Seconds begin;
    Seconds end;
    std::optional<CrowdedLink> busiest;
  };
  struct Use {
    int link = 0;
    int load = 0; // in loads_
    Bytes bytes;
  };
  struct Span {
    Bytes bytes;
    Seconds begin;
    Seconds end;
  };
  /// Some uses of one link, in the order in which they were added: jobs that came one after the other are near each
  /// other.
  struct Block {
    static constexpr std::size_t width = 16;
    Seconds begin; // the first of its uses
    Seconds end;   // and the last
  };
  void find_busiest_at(std::span<const Use> uses);

  const Cluster& cluster_;
  std::vector<Load> loads_;
  std::vector<Use> uses_;
  std::vector<Span> spans_;                                 // of the link that is looked at
  std::vector<Block> blocks_;                               // of these
  std::vector<std::pair<std::size_t, std::size_t>> by_job_; // job, and its place in loads_; in order
};

} // namespace trainyard
