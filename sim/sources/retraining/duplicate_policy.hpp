// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/core/registry.hpp"

#include <optional>

namespace trainyard {

/// What a policy sees when a model is needed again while its last retraining is under way.
struct DuplicateSituation {
  Instant now{};
  Instant challenged_at{}; // when the earlier one first stood in the way of a newer one
  bool earlier_trains = false;
  Seconds earlier_remaining; // of its training, at its present speed; of a waiting one, its whole training
};

struct DuplicateVerdict {
  enum class Action {
    submit,       // both are in the queue
    stop_earlier, // the earlier one is stopped, the newer one is submitted
    wait, // the newer one waits for the earlier one's end, at most until `until`; then the earlier one is stopped
    drop  // the newer one is not begun
  };
  Action action = Action::submit;
  Instant until{end_of_time};
};

/// Decides about a need for a model whose earlier retraining has not been trained yet. A pure function.
class DuplicatePolicy
{
public:
  virtual ~DuplicatePolicy() = default;
  /// When the need arises, before its data are sent: whether it begins when the earlier one has ended, as the last of
  /// those that came meanwhile.
  virtual bool hold_at_need(const DuplicateSituation& situation) const
  {
    static_cast<void>(situation);
    return false;
  }
  /// When its data are confirmed and its script is ready to be sent, an earlier one being in the queue or training.
  virtual DuplicateVerdict at_submission(const DuplicateSituation& situation) const = 0;
  /// Whether a request that finds newer data already in the queue gives up.
  virtual bool yields_to_newer() const { return true; }
};

} // namespace trainyard
