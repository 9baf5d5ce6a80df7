// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/fusion.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// Horovod's background thread: wakes up every cycle, fuses what has become ready up to a threshold and starts the
/// exchange.
///
/// With a communication library that blocks (MPI on CPUs) the thread looks again only when the exchange is over.
/// Source: Horovod documentation, "Tensor Fusion": HOROVOD_FUSION_THRESHOLD 64 MB, HOROVOD_CYCLE_TIME 5 ms (1 ms since
/// 0.20).
class Horovod final : public Fusion
{
public:
  explicit Horovod(const Settings& settings)
      : threshold_{settings.number("fusion_threshold", 64.0 * 1024 * 1024)},
        cycle_{settings.number("cycle_time", 5e-3)}, blocking_{settings.flag("blocking", false)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    const char* source = "Horovod documentation, Tensor Fusion";
    return {{"fusion_threshold", "bytes", "64 MiB", "largest fused message; 0 = no fusion", 0, 1e12, source},
            {"cycle_time", "duration", "5 ms", "period in which the background thread looks for ready gradients", 0, 1,
             source},
            {"blocking", "boolean", "false", "whether the thread waits for each exchange to end (MPI)", 0, 1, source}};
  }

  bool one_at_a_time() const override { return true; }
  bool fuses_gathers() const override { return true; } // controller.cc, FuseResponses
  std::vector<Bucket> buckets(std::span<const Gradient> gradients, const CollectiveEstimate& estimate) const override
  {
    std::vector<Bucket> result;
    Seconds now;
    for (std::size_t next = 0; next < gradients.size();) {
      now = wake_up(now, gradients[next].ready);
      std::size_t end = next;
      while (end < gradients.size() && gradients[end].ready <= now)
        ++end;
      const Seconds seen = now;
      while (next < end) {
        Bytes bytes = gradients[next++].bytes;
        while (next < end && bytes + gradients[next].bytes <= threshold_)
          bytes += gradients[next++].bytes;
        result.push_back({bytes, next - 1, blocking_ ? now : seen});
        if (blocking_)
          now += estimate(bytes);
      }
    }
    return result;
  }

private:
  /// The first end of a cycle, counted from @p now, at which something is ready.
  Seconds wake_up(Seconds now, Seconds ready) const
  {
    if (cycle_ <= Seconds{})
      return std::max(now, ready);
    const double cycles = std::max(1.0, std::ceil((ready - now) / cycle_ - 1e-9));
    return now + cycle_ * cycles;
  }

  Bytes threshold_;
  Seconds cycle_;
  bool blocking_;
};

TY_REGISTER(Fusion, Horovod, "horovod",
            "all gradients that become ready within a cycle, up to a threshold (Horovod tensor fusion)");

} // namespace
} // namespace trainyard
