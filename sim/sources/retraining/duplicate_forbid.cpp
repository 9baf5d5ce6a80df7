// SPDX-License-Identifier: Apache-2.0
// No newer retraining while an earlier one is under way (concurrencyPolicy Forbid of a Kubernetes CronJob).
#include "sim/sources/retraining/duplicate_policy.hpp"

namespace trainyard {
namespace {

class Forbid final : public DuplicatePolicy
{
public:
  bool drop_at_need(const DuplicateSituation&) const override { return true; }
  DuplicateVerdict at_submission(const DuplicateSituation&) const override { return {DuplicateVerdict::Action::drop}; }
};

TY_REGISTER(DuplicatePolicy, Forbid, "forbid", "no new retraining until the earlier one has ended");

} // namespace
} // namespace trainyard
