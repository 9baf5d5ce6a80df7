// SPDX-License-Identifier: Apache-2.0
// What a library would choose: latency-bound payloads take the algorithm with few rounds, others the ring. The border
// is where the ring's chunks fall below 16 KiB, close to where MPICH and NCCL change over (Thakur et al. 2005, section
// 4; NCCL's tuning table).
#include "sim/step/collectives/collective.hpp"

#include <memory>

#include <bit>

namespace trainyard {
namespace {

class Auto final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return choice(request).supports(request); }
  std::vector<Round> plan(const CollectiveRequest& request) const override { return choice(request).plan(request); }
  bool repeats(const CollectiveRequest& request) const override { return choice(request).repeats(request); }

private:
  const Collective& choice(const CollectiveRequest& request) const
  {
    if (request.operation == "broadcast" || request.operation == "reduce")
      return *tree_;
    const bool short_payload = request.payload.value() < 16384.0 * request.whole();
    if (request.operation != "all_reduce" || !short_payload)
      return *ring_;
    return std::has_single_bit(static_cast<unsigned>(request.whole())) ? *halving_doubling_ : *tree_;
  }

  std::unique_ptr<Collective> ring_ = Registry<Collective>::instance().create("ring");
  std::unique_ptr<Collective> tree_ = Registry<Collective>::instance().create("tree");
  std::unique_ptr<Collective> halving_doubling_ = Registry<Collective>::instance().create("halving_doubling");
};

TY_REGISTER(Collective, Auto, "auto", "ring for large payloads, halving-doubling or tree for small ones");

} // namespace
} // namespace trainyard
