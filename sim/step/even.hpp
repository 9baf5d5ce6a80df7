// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/prepared.hpp"

#include <memory>

namespace trainyard {

/// prepare() for a run of training steps, where the cluster is even with only a sample of its machines.
///
/// One job whose workers all do the same, on the whole machines of one group, with collectives that go round all of
/// them: then a machine's step depends only on the switches between it and its neighbours. The sample holds the
/// machines on both sides of every kind of border between switches (NetworkLayout::tiers), and the collectives keep the
/// rounds and chunks of all ranks. Anything that makes one place unlike the others needs all machines: a straggler,
/// jitter, a second job, explicit nodes, shared input, trees of messages, or paths by hash that could meet on a link
/// where that would slow them down.
std::unique_ptr<PreparedScenario> prepare_run(const Scenario& scenario, const Catalogue& catalogue,
                                              Diagnostics& diagnostics);

/// How many machines each built one stands for, on average; 1 where all are built.
double stands_for(const PreparedScenario& prepared);

} // namespace trainyard
