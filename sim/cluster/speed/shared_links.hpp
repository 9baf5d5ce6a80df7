// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "sim/cluster/resources.hpp"

#include <cstdint>
#include <string>

namespace trainyard {

/// The links on which training of all sources of work meets: jobs of the queue, and visitors that the queue knows only
/// by what they train and where.
class SharedLinks
{
public:
  virtual ~SharedLinks() = default;
  /// From @p now on the scenario's job @p job trains on these GPUs, under this name; returns the visitor's number.
  virtual int enter(Instant now, const std::string& name, const std::string& job, const Allocation& held) = 0;
  virtual void leave(Instant now, int visitor) = 0;
  /// Its speed beside the others over its speed alone at the same place, 0..1.
  virtual double share(int visitor) const = 0;
  /// Grows whenever a share changes.
  virtual std::uint64_t changes() const = 0;
};

/// For some time a visitor was slower than alone.
struct SlowVisit {
  std::string name;
  Instant from;
  Instant to;
  double share = 1;      // of its speed alone
  std::string neighbour; // that cost it most
  std::string link;      // which they shared
};

} // namespace trainyard
