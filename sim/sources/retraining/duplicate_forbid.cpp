// SPDX-License-Identifier: Apache-2.0
// No newer retraining while an earlier one is under way: of the needs that came meanwhile the last begins, with its
// data, when that one has ended (concurrencyPolicy Forbid of a Kubernetes CronJob without startingDeadlineSeconds).
// Source: kubernetes/kubernetes, pkg/controller/cronjob/cronjob_controllerv2.go: a run that is skipped does not move
// lastScheduleTime, so the next look, at the end of the job, finds the most recent missed time and starts it.
#include "sim/sources/retraining/duplicate_policy.hpp"

namespace trainyard {
namespace {

class Forbid final : public DuplicatePolicy
{
public:
  bool hold_at_need(const DuplicateSituation&) const override { return true; }
  DuplicateVerdict at_submission(const DuplicateSituation&) const override { return {DuplicateVerdict::Action::drop}; }
};

TY_REGISTER(DuplicatePolicy, Forbid, "forbid",
            "no new retraining until the earlier one has ended; the last that was due meanwhile begins then");

} // namespace
} // namespace trainyard
