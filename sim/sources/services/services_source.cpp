// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/services_source.hpp"

#include "sim/sources/services/engine.hpp"

namespace trainyard {
namespace {

/// The clock of services counts whole microseconds.
Micros micros_of(Instant time)
{
  return std::chrono::floor<Micros>(time);
}

} // namespace

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
  const std::optional<Micros> time = engine_->next();
  if (!time || *time >= micros_of(end_of_time))
    return std::nullopt;
  return std::chrono::duration_cast<Instant>(*time);
}

void ServicesSource::forward(Instant now)
{
  engine_->forward(micros_of(now));
}

void ServicesSource::act(Instant now)
{
  engine_->act(micros_of(now));
}

OrchestrationResult ServicesSource::finish(Instant ended)
{
  return engine_->finish(micros_of(ended));
}

} // namespace trainyard
