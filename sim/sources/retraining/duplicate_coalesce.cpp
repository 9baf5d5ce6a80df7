// SPDX-License-Identifier: Apache-2.0
// One trains, at most one waits: whatever is needed meanwhile joins the waiting one, which starts on the newest data
// when the first has ended.
#include "sim/sources/retraining/duplicate_policy.hpp"

namespace trainyard {
namespace {

class Coalesce final : public DuplicatePolicy
{
public:
  DuplicateVerdict at_submission(const DuplicateSituation&) const override
  {
    return {DuplicateVerdict::Action::wait, end_of_time};
  }
};

TY_REGISTER(DuplicatePolicy, Coalesce, "coalesce",
            "newer needs are merged into one retraining that starts when the earlier one has ended");

} // namespace
} // namespace trainyard
