// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <functional>
#include <limits>
#include <vector>

namespace trainyard {

/// The numbers of tf.train.SyncReplicasOptimizer.
struct TokenRules {
  int replicas = 1;        // total_num_replicas: planned workers
  int to_aggregate = 1;    // replicas_to_aggregate: gradients of one update
  int initial_tokens = -1; // that the chief puts into the queue at its start; -1: as many as an update aggregates
  int initial() const { return initial_tokens < 0 ? to_aggregate : initial_tokens; }
};

/// When a worker takes part. One that leaves in the middle of a round takes its token with it.
struct TokenWorker {
  Seconds from;
  Seconds until{std::numeric_limits<double>::infinity()};
};

/// One pass of a worker, from its variables to its gradients.
struct TokenRound {
  int worker = 0;
  int number = 0; // among those of its worker
  int step = 0;   // updates that there were when its token was made: its gradients count in the next one or not at all
  Seconds begin;
  Seconds end;
  bool counts = false; // false: too late, dropped
};

struct TokenSchedule {
  std::vector<TokenRound> rounds; // by step, then by begin
  std::vector<Seconds> updates;   // fewer than asked for where all workers wait for a token that is lost
};

/// Who computes what, and for which update, when nobody waits for workers but for tokens.
///
/// A worker pushes its gradients and then takes a token, or waits for one: "the token is used to exit one step"
/// (tensorflow issue 5022). The token says how many updates there were when it was made. Gradients that were computed
/// with an older token than the last update's are dropped (ConditionalAccumulator). When `to_aggregate` gradients have
/// come, the chief applies them and puts max(replicas, to_aggregate) tokens into the queue. So absent workers are not
/// waited for: those that are there compute several times for one update. The tokens at the start let everybody begin
/// a second round before the first update; most of these are dropped.
/// Source: tensorflow/python/training/sync_replicas_optimizer.py (1.x): apply_gradients, get_init_tokens_op.
///
/// @p time: how long a round of a worker takes. Messages take none: executors know theirs.
TokenSchedule token_schedule(const TokenRules& rules, const std::vector<TokenWorker>& workers,
                             const std::function<Seconds(int worker, int round)>& time, int updates);

/// Updates per round of a worker of speed 1 in the long run, when workers of these speeds are there all the time.
double token_update_rate(const TokenRules& rules, const std::vector<double>& speeds);

} // namespace trainyard
