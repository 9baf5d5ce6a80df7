// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/step_profile.hpp"
#include "sim/cluster/speed/speed_model.hpp"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {

/// The shape of an allocation: GPUs on each node, ascending.
std::string placement_shape(const Allocation& held);

/// The network ports of the machines of a job on several of them, by number of the machine; none for a job on one.
std::vector<LinkShare> network_ports(const Allocation& held);

/// For each job how many of them use its busiest network port, itself included, and over which port with whom (its
/// `link` and `neighbour`; none where it is alone there).
std::vector<std::pair<int, JobSpeed>> port_sharers(std::span<const PlacedTraceJob> jobs);

/// Speeds from measured profiles: the trace's durations mean the job packed on as few nodes as possible. Jobs of a
/// model without profile work at the trace's speed. Jobs on several nodes that meet on a node share its network port.
class ProfileSpeed final : public SpeedModel
{
public:
  /// @p profiles by model name; @p gpus_per_node of the cluster, for the packed reference.
  ProfileSpeed(std::map<std::string, StepProfile> profiles, int gpus_per_node);

  std::vector<LinkShare> links(const Workload& workload, const PlacedTraceJob& job) override;
  std::vector<JobSpeed> speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs) override;
  std::string link_name(int link) const override { return "network port of node " + std::to_string(link); }

private:
  std::optional<double> step_time(const StepProfile& profile, const std::string& shape, double sharers);

  std::map<std::string, StepProfile> profiles_;
  int gpus_per_node_;
  std::map<std::tuple<const StepProfile*, std::string, double>, std::optional<double>> known_;
};

} // namespace trainyard
