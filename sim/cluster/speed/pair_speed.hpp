// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/speed_model.hpp"

namespace trainyard {

/// The speeds of the trace, and for two jobs that were put on the same GPUs, with less of them than they asked for,
/// those that were measured beside each other (Workload::speed_beside).
class PairSpeed final : public SpeedModel
{
public:
  std::vector<LinkShare> links(const Workload& workload, const PlacedTraceJob& job) override;
  std::vector<JobSpeed> speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs) override;
  std::string link_name(int link) const override;
};

} // namespace trainyard
