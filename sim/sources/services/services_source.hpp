// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/kernel.hpp"
#include "sim/cluster/resources.hpp"
#include "sim/sources/services/desired_state.hpp"

#include <memory>

namespace trainyard {

class SharedLinks;

namespace orchestration {
class Engine;
}

/// Services under an orchestrator, as one source of work among others on the same machines.
class ServicesSource final : public Source
{
public:
  /// @p input and @p machines live as long as this.
  ServicesSource(const OrchestrationInput& input, NodePool& machines);
  ~ServicesSource() override;

  /// From now on training of services and of others slow each other on links. @p links lives as long as this.
  void share(SharedLinks& links);

  std::optional<Instant> next() const override;
  void forward(Instant now) override;
  void act(Instant now) override;
  /// The outcome, with all accounts up to @p ended. Nothing may be called after it.
  OrchestrationResult finish(Instant ended);

private:
  std::unique_ptr<orchestration::Engine> engine_;
};

} // namespace trainyard
