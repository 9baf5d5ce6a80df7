// SPDX-License-Identifier: Apache-2.0
// The newer retraining stops the earlier one at once: the task-environment paper's choice.
#include "sim/sources/retraining/duplicate_policy.hpp"

namespace trainyard {
namespace {

class ReplaceOlder final : public DuplicatePolicy
{
public:
  DuplicateVerdict at_submission(const DuplicateSituation&) const override
  {
    return {DuplicateVerdict::Action::stop_earlier};
  }
};

TY_REGISTER(DuplicatePolicy, ReplaceOlder, "replace", "the newer retraining stops the earlier one immediately");

} // namespace
} // namespace trainyard
