// SPDX-License-Identifier: Apache-2.0
// Every retraining goes into the queue, whatever is there already.
#include "sim/sources/retraining/duplicate_policy.hpp"

namespace trainyard {
namespace {

class Allow final : public DuplicatePolicy
{
public:
  DuplicateVerdict at_submission(const DuplicateSituation&) const override
  {
    return {DuplicateVerdict::Action::submit};
  }
  bool yields_to_newer() const override { return false; }
};

TY_REGISTER(DuplicatePolicy, Allow, "allow", "every retraining goes into the queue");

} // namespace
} // namespace trainyard
