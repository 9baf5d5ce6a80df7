// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/core/random.hpp"
#include "models/core/registry.hpp"

#include <optional>

namespace trainyard {

/// Decides when a model is to be trained again.
class NeedTrigger
{
public:
  virtual ~NeedTrigger() = default;
  /// The next need after one at @p need; nothing where another event decides.
  virtual std::optional<Instant> after_need(Instant need, Instant period, RandomStream& random) const = 0;
  /// A need because of the deployment at @p now of a model whose data reach up to @p data.
  virtual std::optional<Instant> after_deployment(Instant now, Instant data, Instant period) const
  {
    static_cast<void>(now);
    static_cast<void>(data);
    static_cast<void>(period);
    return std::nullopt;
  }
  /// Whether there is no further need before a deployment; one that comes to nothing is then repeated after a period.
  virtual bool waits_for_deployment() const { return false; }
};

} // namespace trainyard
