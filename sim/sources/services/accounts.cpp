// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/accounts.hpp"

#include "models/core/conservation.hpp"

#include <algorithm>
#include <utility>

namespace trainyard::orchestration {

Accounts::Accounts(const std::vector<ServiceSpec>& services, const Agenda& agenda, Records& records)
    : services_{services}, agenda_{agenda}, records_{records}, outcomes_(services.size()), states_(services.size())
{
  for (const ServiceSpec& service : services)
    if (service.ends() || !service.clients.empty())
      ++unfinished_;
    else
      endless_ = true;
}

/// What is held is about to change.
Amount& Accounts::held(int service)
{
  State& now = state(service);
  of(service).held.add(now.held, agenda_.now() - std::exchange(now.held_since, agenda_.now()));
  return now.held;
}

void Accounts::hold(int service, const TaskShare& share)
{
  held(service) += amount_of(share);
  ++placements_;
}

void Accounts::release(int service, const TaskShare& share)
{
  held(service) -= amount_of(share);
}

void Accounts::starting(int service, const TaskShare& share, Instant since)
{
  of(service).starting.add(amount_of(share), agenda_.now() - since);
}

void Accounts::orphaned(int service, const TaskShare& share, Instant since)
{
  of(service).orphaned.add(amount_of(share), agenda_.now() - since);
}

void Accounts::want(int service, int more)
{
  state(service).desired += more;
  note(service);
}

void Accounts::run(int service, int more)
{
  note(service);
  state(service).running += more;
  note(service);
}

void Accounts::note(int service)
{
  State& state = this->state(service);
  ServiceOutcome& outcome = of(service);
  const Instant now = agenda_.now();
  if (outcome.first_running < Instant{} && state.desired > 0 && state.running >= state.desired) {
    outcome.first_running = now;
    state.noted = now;
  }
  if (outcome.first_running >= Instant{} && now > state.noted && state.desired > 0) {
    const Instant span = now - state.noted;
    // The counts of the last stretch are those before this change; callers note before and after.
    outcome.since += span;
    if (state.running >= state.desired)
      outcome.full += span;
    outcome.replica_time += static_cast<Wide>(std::min(state.running, state.desired)) * span.count();
    outcome.desired_time += static_cast<Wide>(state.desired) * span.count();
  }
  state.noted = now;
  records_.replicas(service, state.desired, state.running);
}

std::vector<ServiceOutcome> Accounts::finish(const std::vector<Unit>& units)
{
  for (std::size_t s = 0; s < services_.size(); ++s) {
    note(static_cast<int>(s));
    ServiceOutcome& outcome = outcomes_[s];
    outcome.held.add(states_[s].held, agenda_.now() - states_[s].held_since);
  }
  for (const Unit& unit : units) {
    of(unit.service).parts += unit.progress.parts();
    of(unit.service).done += unit.progress.done();
  }
  for (const ServiceOutcome& outcome : outcomes_) {
    AmountTime parts = outcome.starting;
    for (const AmountTime* part :
         {&outcome.orphaned, &outcome.parts.restoring_gpu, &outcome.parts.useful_gpu, &outcome.parts.lost_gpu,
          &outcome.parts.saving_gpu, &outcome.parts.stalled_gpu, &outcome.parts.idle_gpu})
      parts += *part;
    if (!(parts == outcome.held))
      not_conserved("the parts of a service's time do not add up to what it held");
  }
  return std::move(outcomes_);
}

} // namespace trainyard::orchestration
