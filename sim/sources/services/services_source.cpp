// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/services_source.hpp"

#include "sim/sources/services/engine.hpp"

namespace trainyard {

ServicesSource::ServicesSource(const OrchestrationInput& input, NodePool& machines)
    : engine_{std::make_unique<orchestration::Engine>(input, &machines)}
{
}

ServicesSource::~ServicesSource() = default;

void ServicesSource::share(SharedLinks& links)
{
  engine_->share(links);
}

std::optional<Instant> ServicesSource::next() const
{
  if (engine_->may_place() || engine_->links_changed())
    return Instant{0};
  const std::optional<Instant> time = engine_->next();
  if (!time || *time >= end_of_time)
    return std::nullopt;
  return *time;
}

void ServicesSource::forward(Instant now)
{
  engine_->forward(now);
}

void ServicesSource::act(Instant now)
{
  engine_->act(now);
}

OrchestrationResult ServicesSource::finish(Instant ended)
{
  return engine_->finish(ended);
}

} // namespace trainyard
