// SPDX-License-Identifier: Apache-2.0
// The newer retraining gives the earlier one a set time to finish, counted from the first time that a request waits for
// it; then it is stopped. With limit 0 s this is `replace`.
#include "sim/sources/retraining/duplicate_policy.hpp"

#include <stdexcept>

namespace trainyard {
namespace {

class Wait final : public DuplicatePolicy
{
public:
  explicit Wait(const Settings& settings) : limit_{Instant{Seconds{settings.number("limit", 0)}}}
  {
    if (!settings.has("limit"))
      throw std::invalid_argument{
          "wait needs a limit; write {name: wait, limit: 30 min}, or use coalesce to wait without a limit"};
  }

  static std::vector<Parameter> parameters()
  {
    return {{"limit", "duration", "",
             "time that the earlier one may continue after a newer one is ready; must be given", 0, 3e8}};
  }

  DuplicateVerdict at_submission(const DuplicateSituation& situation) const override
  {
    const Instant until = situation.challenged_at + limit_;
    if (until <= situation.now)
      return {DuplicateVerdict::Action::stop_earlier};
    return {DuplicateVerdict::Action::wait, until};
  }

private:
  Instant limit_;
};

TY_REGISTER(DuplicatePolicy, Wait, "wait", "the earlier retraining may finish within a time limit; then it is stopped");

} // namespace
} // namespace trainyard
