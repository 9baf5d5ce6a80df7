#include "sim/training/update_rule.hpp"

namespace trainyard {
namespace {

/// Stale synchronous parallel: as asynchronous, but no worker is more than `staleness` steps ahead of the slowest.
///
/// A worker may begin step k once every worker has finished step k - s - 1. Source: Ho et al., "More effective distributed ML via a stale
/// synchronous parallel parameter server", NIPS 2013.
class BoundedUpdate final : public UpdateRule
{
public:
  explicit BoundedUpdate(const Settings& settings) : staleness_{settings.integer("staleness", 3)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "staleness",
             .kind = "integer",
             .default_value = "3",
             .meaning = "steps that the fastest worker may be ahead of the slowest",
             .minimum = 0,
             .source = "Ho et al., NIPS 2013"}};
  }

  bool aggregates() const override { return false; }
  std::vector<int> contributors(std::span<const Seconds>) const override { return {}; }
  std::optional<int> all_must_have_finished(int step) const override { return step - staleness_ - 1; }

private:
  int staleness_;
};

TY_REGISTER(UpdateRule, BoundedUpdate, "bounded", "as async, but at most `staleness` steps between the fastest and the slowest worker");

} // namespace
} // namespace trainyard
