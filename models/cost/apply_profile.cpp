// SPDX-License-Identifier: Apache-2.0
#include "models/cost/apply_profile.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// "transport.tcp.latency" -> ("tcp", "latency"); of a GPU the field may have dots itself: "rate.fp16".
std::pair<std::string, std::string> owner_and_field(const std::string& rest, const std::vector<std::string>& owners)
{
  for (const std::string& owner : owners)
    if (rest.starts_with(owner + "."))
      return {owner, rest.substr(owner.size() + 1)};
  return {};
}

bool known_field(AppliedConstant::Of of, const std::string& field)
{
  if (of == AppliedConstant::Of::gpu)
    return field == "memory_bandwidth" || field == "kernel_launch" || field.starts_with("rate.") ||
           field.starts_with("convolution_share.");
  return field == "latency" || field == "efficiency" || field == "stream_limit" || field == "endpoint_limit";
}

} // namespace

bool CalibrationUse::covers(AppliedConstant::Of of, const std::string& owner) const
{
  return std::ranges::any_of(
      applied, [&](const AppliedConstant& constant) { return constant.of == of && constant.owner == owner; });
}

std::vector<std::string> measured_gpus(const Profile& profile)
{
  std::vector<std::string> names;
  for (const CalibratedConstant& constant : profile.constants) {
    if (!constant.name.starts_with("gpu."))
      continue;
    for (const char* field :
         {".rate.", ".convolution_rate.", ".memory_bandwidth", ".kernel_launch", ".copy.", ".step."})
      if (const std::size_t at = constant.name.find(field); at != std::string::npos) {
        std::string name = constant.name.substr(4, at - 4);
        if (std::ranges::find(names, name) == names.end())
          names.push_back(std::move(name));
        break;
      }
  }
  return names;
}

std::vector<AppliedConstant> applicable_constants(const Profile& profile, const Catalogue& catalogue)
{
  std::vector<AppliedConstant> list;
  for (const CalibratedConstant& constant : profile.constants) {
    AppliedConstant applied;
    applied.value = constant.value;
    applied.provenance = constant.provenance;
    std::pair<std::string, std::string> parts;
    if (constant.name.starts_with("transport.")) {
      applied.of = AppliedConstant::Of::transport;
      parts = owner_and_field(constant.name.substr(10), catalogue.transport_names());
    } else if (constant.name.starts_with("gpu.")) {
      applied.of = AppliedConstant::Of::gpu;
      parts = owner_and_field(constant.name.substr(4), catalogue.gpu_names());
      if (parts.second.starts_with("convolution_rate.") && // else it counts as a share (convolution_share.hpp)
          profile.find("gpu." + parts.first + "." + parts.second.substr(12)) == nullptr)
        parts.second = parts.second.substr(12);
    }
    if (parts.first.empty() || !known_field(applied.of, parts.second) || !(constant.value.value > 0))
      continue;
    applied.owner = parts.first;
    applied.field = parts.second;
    list.push_back(std::move(applied));
  }
  return list;
}

void set_constant(const AppliedConstant& constant, double value, std::map<std::string, Transport>& transports,
                  std::map<std::string, Gpu>& gpus)
{
  if (constant.of == AppliedConstant::Of::transport) {
    const auto found = transports.find(constant.owner);
    if (found == transports.end())
      return;
    Transport& transport = found->second;
    if (constant.field == "latency")
      transport.latency = Seconds{value};
    else if (constant.field == "efficiency") {
      const double over_infiniband = transport.settings.number("infiniband_efficiency", 0);
      // Measured over the network that there is, it counts over every link; another value of the catalogue's changes
      // both.
      if (over_infiniband > 0)
        transport.settings.set("infiniband_efficiency",
                               constant.provenance == Provenance::data_sheet && !transport.rate.empty()
                                   ? std::min(1.0, over_infiniband * value / transport.rate.back().efficiency)
                                   : 0.0);
      transport.rate = {{Bytes{}, std::clamp(value, 1e-6, 1.0)}};
    } else if (constant.field == "stream_limit")
      transport.stream_limit = BytesPerSecond{value};
    else if (constant.field == "endpoint_limit") {
      transport.endpoint_limit = BytesPerSecond{value};
      transport.cpu_per_byte = {}; // measured with the cores of that machine
    }
    return;
  }
  const auto found = gpus.find(constant.owner);
  if (found == gpus.end())
    return;
  Gpu& gpu = found->second;
  if (constant.field == "kernel_launch") {
    gpu.kernel_launch = Seconds{value};
  } else if (constant.field == "memory_bandwidth") {
    gpu.memory_bandwidth = BytesPerSecond{value / gpu.memory_efficiency};
  } else if (constant.field.starts_with("convolution_share.")) {
    gpu.convolution_share[constant.field.substr(18)] = value;
  } else {
    gpu.peak[constant.field.substr(5)] = FlopsPerSecond{value / gpu.efficiency(constant.field.substr(5))};
    gpu.provenance = constant.provenance;
  }
}

double current_value(const AppliedConstant& constant, const std::map<std::string, Transport>& transports,
                     const std::map<std::string, Gpu>& gpus)
{
  if (constant.of == AppliedConstant::Of::transport) {
    const auto found = transports.find(constant.owner);
    if (found == transports.end())
      return 0;
    const Transport& transport = found->second;
    return constant.field == "latency"        ? transport.latency.value()
           : constant.field == "efficiency"   ? (transport.rate.empty() ? 1 : transport.rate.back().efficiency)
           : constant.field == "stream_limit" ? transport.stream_limit.value()
                                              : transport.endpoint_limit.value();
  }
  const auto found = gpus.find(constant.owner);
  if (found == gpus.end())
    return 0;
  const Gpu& gpu = found->second;
  if (constant.field == "kernel_launch")
    return gpu.kernel_launch.value();
  if (constant.field == "memory_bandwidth")
    return gpu.memory_bandwidth.value() * gpu.memory_efficiency;
  if (constant.field.starts_with("convolution_share.")) {
    const auto share = gpu.convolution_share.find(constant.field.substr(18));
    return share == gpu.convolution_share.end() ? 1 : share->second;
  }
  const auto peak = gpu.peak.find(constant.field.substr(5));
  return peak == gpu.peak.end() ? 0 : peak->second.value() * gpu.efficiency(peak->first);
}

} // namespace trainyard
