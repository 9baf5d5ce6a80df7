// SPDX-License-Identifier: Apache-2.0
#include "models/cost/apply_profile.hpp"

#include "models/hardware/measured_rates.hpp"

#include <algorithm>
#include <cmath>

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
           field.starts_with("convolution_share.") || field.starts_with("measured.");
  return field == "latency" || field == "efficiency" || field == "stream_limit" || field == "endpoint_limit";
}

constexpr std::string_view products = "measured.products.", attention = "measured.attention.";

/// The GPU's own rates, else those that were measured of its kind.
void take_measured(Gpu& gpu)
{
  if (gpu.measured == nullptr)
    gpu.measured = std::make_shared<const MeasuredRates>(measured_rates(gpu.name));
}

const MeasuredRates& measured_of(const Gpu& gpu)
{
  static const MeasuredRates none;
  return gpu.measured ? *gpu.measured : none;
}

/// The last figure of a measured curve; 0: it was not measured.
double measured_value(const MeasuredRates& rates, const std::string& field)
{
  if (field.starts_with(products)) {
    const auto rate = rates.products.find(field.substr(products.size()));
    return rate == rates.products.end() ? 0 : rate->second.value();
  }
  if (field.starts_with(attention)) {
    const auto curve = rates.attention.find(field.substr(attention.size()));
    return curve == rates.attention.end() || curve->second.empty() ? 0 : curve->second.back().forward.value();
  }
  return rates.all_reduce.empty() ? 0 : rates.all_reduce.back().bus_bandwidth.value();
}

void set_measured(Gpu& gpu, const std::string& field, double value)
{
  take_measured(gpu);
  MeasuredRates rates = measured_of(gpu);
  const double before = measured_value(rates, field);
  if (!(before > 0)) // of a curve that this program does not have
    return;
  const double factor = value / before;
  if (field.starts_with(products))
    rates.products.at(field.substr(products.size())) *= factor;
  else if (field.starts_with(attention))
    for (AttentionPoint& point : rates.attention.at(field.substr(attention.size()))) {
      point.forward *= factor;
      point.backward *= factor;
    }
  else
    for (AllReducePoint& point : rates.all_reduce)
      point.bus_bandwidth *= factor;
  gpu.measured = std::make_shared<const MeasuredRates>(std::move(rates));
}

} // namespace

std::vector<std::string> measured_fields(const Gpu& gpu)
{
  const MeasuredRates& rates = measured_of(gpu);
  std::vector<std::string> fields;
  for (const auto& [precision, rate] : rates.products)
    fields.push_back(std::string{products} + precision);
  for (const auto& [kernel, curve] : rates.attention)
    fields.push_back(std::string{attention} + kernel);
  if (!rates.all_reduce.empty())
    fields.emplace_back("measured.all_reduce");
  return fields;
}

bool CalibrationUse::covers(AppliedConstant::Of of, const std::string& owner) const
{
  return std::ranges::any_of(
      applied, [&](const AppliedConstant& constant) { return constant.of == of && constant.owner == owner; });
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
      // Measured over the network that there is, it counts over every link and for every size; another value of the
      // catalogue's changes them all.
      const bool scales = constant.provenance != Provenance::measured && !transport.rate.empty();
      const double factor = scales ? value / transport.rate.back().efficiency : 0;
      if (over_infiniband > 0)
        transport.settings.set("infiniband_efficiency", std::min(1.0, over_infiniband * factor));
      if (!scales)
        transport.rate = {{Bytes{}, value}};
      for (RatePoint& point : transport.rate)
        point.efficiency = std::clamp(scales ? point.efficiency * factor : value, 1e-6, 1.0);
    } else if (constant.field == "stream_limit")
      transport.stream_limit = BytesPerSecond{value};
    else if (constant.field == "endpoint_limit") {
      // What was measured has the cores of that machine in it.
      const double factor = constant.provenance == Provenance::measured ? 0 : transport.endpoint_limit.value() / value;
      transport.cpu_per_byte = transport.cpu_per_byte * (std::isfinite(factor) ? factor : 0);
      transport.endpoint_limit = BytesPerSecond{value};
    }
    return;
  }
  const auto found = gpus.find(constant.owner);
  if (found == gpus.end())
    return;
  Gpu& gpu = found->second;
  if (constant.field.starts_with("measured.")) {
    set_measured(gpu, constant.field, value);
  } else if (constant.field == "kernel_launch") {
    gpu.kernel_launch = Seconds{value};
  } else if (constant.field == "memory_bandwidth") {
    gpu.memory_bandwidth = BytesPerSecond{value / gpu.memory_efficiency};
  } else if (constant.field.starts_with("convolution_share.")) {
    gpu.convolution_share[constant.field.substr(18)] = value;
  } else {
    const std::string precision = constant.field.substr(5);
    if (const auto known = gpu.peak.find(precision); known != gpu.peak.end())
      gpu.sheet.emplace(precision, known->second);
    gpu.peak[precision] = FlopsPerSecond{value / gpu.efficiency(precision)};
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
  if (constant.field.starts_with("measured."))
    return measured_value(measured_of(gpu), constant.field);
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
