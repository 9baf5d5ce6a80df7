// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/calibrated.hpp"

#include "models/hardware/measured_rates.hpp"
#include "models/scenario/reading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace trainyard {
namespace {

using Of = OpenConstant::Of;

/// Copies between a GPU and pinned host memory pass the PCIe link in one of its directions: the slower one is what the
/// link is taken for.
const CalibratedConstant* pinned_copy(const Profile& profile, const std::string& gpu)
{
  const CalibratedConstant* slower = nullptr;
  for (const char* direction : {"host_to_device", "device_to_host"})
    if (const CalibratedConstant* found = profile.find("gpu." + gpu + ".copy." + direction + ".pinned.bandwidth");
        found != nullptr)
      if (slower == nullptr || found->value.value < slower->value.value)
        slower = found;
  return slower;
}

/// The keys of maps, without those that change no step.
void put_in_order(DocumentNode& node)
{
  std::erase_if(node.entries,
                [](const DocumentNode::Entry& entry) { return entry.key == "steps" || entry.key == "price"; });
  std::ranges::sort(node.entries, {}, &DocumentNode::Entry::key);
  for (DocumentNode::Entry& entry : node.entries)
    put_in_order(entry.value);
  for (DocumentNode& item : node.items)
    put_in_order(item);
}

bool reaches(const OpenConstant& constant, const std::string& target)
{
  return std::ranges::find(constant.targets, target) != constant.targets.end();
}

/// Transports that some job may use: named by it, or what its mode takes by default.
std::set<std::string> transports_of(const Scenario& scenario)
{
  std::set<std::string> names;
  for (const JobSpec& job : scenario.jobs) {
    names.insert(job.training.transport);
    names.insert(job.training.settings.text("local_transport", "nccl"));
  }
  return names;
}

/// Products and attention at the clock that the limit leaves; what memory limits stays as it is.
void limit_power(Gpu& gpu, double watts)
{
  if (gpu.power <= Watts{} || watts >= gpu.power.value())
    return;
  const double share = rate_at_power(watts / gpu.power.value());
  MeasuredRates rates = gpu.measured ? *gpu.measured : measured_rates(gpu.name);
  for (auto& [format, rate] : rates.products)
    rate *= share;
  for (auto& [kernel, points] : rates.attention)
    for (AttentionPoint& point : points) {
      point.forward *= share;
      point.backward *= share;
    }
  gpu.measured = std::make_shared<const MeasuredRates>(std::move(rates));
  gpu.compute_efficiency *= share;
  gpu.fp32_efficiency *= share;
  gpu.power = Watts{watts};
}

} // namespace

std::string what_decides(const Document& document)
{
  DocumentNode root = document.root;
  std::erase_if(root.entries, [](const DocumentNode::Entry& entry) {
    constexpr std::array<std::string_view, 6> besides{"trainyard", "name",        "question",
                                                      "answer",    "calibration", "sweep"};
    return std::ranges::find(besides, std::string_view{entry.key}) != besides.end();
  });
  put_in_order(root);
  return to_flow_yaml(root);
}

double rate_at_power(double power)
{
  return std::pow(power, 0.47);
}

OpenConstants open_constants(const Profile& profile, const Scenario& scenario,
                             const std::vector<std::string>& server_modes)
{
  OpenConstants list;
  const auto add = [&](Of of, const CalibratedConstant* measured, std::vector<std::string> targets) {
    if (measured != nullptr && !targets.empty() && measured->value.value > 0)
      list.push_back({of, measured->name, measured->value, measured->unit, std::move(targets)});
  };
  std::vector<std::string> add_up, update, read, compute, operators;
  bool on_cpus = false;
  for (const JobSpec& job : scenario.jobs) {
    const auto at = static_cast<std::size_t>(&job - scenario.jobs.data());
    if (job.host_per_operator > Seconds{} && !job.single_gpu_step &&
        scenario.defaults.find("jobs." + std::to_string(at) + ".host_per_operator") != nullptr)
      operators.push_back(job.name);
    const Settings& settings = job.training.settings;
    const bool served = std::ranges::find(server_modes, job.training.mode) != server_modes.end();
    // Variables in the memory of a GPU are updated there.
    if (served && !settings.has("staging_bandwidth")) {
      if (!settings.has("aggregate_bandwidth") && settings.text("update_rule", "sync") == "sync")
        add_up.push_back(job.name);
      if (!settings.has("update_bandwidth") && settings.text("pull", "before_forward") == "before_forward")
        update.push_back(job.name);
    }
    if (job.input.source == "disk" && job.input.bandwidth <= BytesPerSecond{} && job.input.bytes_per_sample > Bytes{})
      read.push_back(job.name);
    on_cpus = on_cpus || settings.text("device", "gpu") == "cpu";
  }
  for (const auto& [name, type] : scenario.cluster.node_types)
    if (on_cpus && type.cpu.empty() && type.cpu_rate <= FlopsPerSecond{})
      compute.push_back(name);
  add(Of::aggregate, profile.find("cpu.aggregate_bandwidth"), std::move(add_up));
  add(Of::update, profile.find("cpu.update_bandwidth"), std::move(update));
  add(Of::cpu_rate, profile.find("cpu.rate.fp32"), std::move(compute));
  add(Of::host_operator, profile.find("host.per_operator"), std::move(operators));
  add(Of::disk_read, profile.find("disk.read_bandwidth"), std::move(read));
  for (const std::string& gpu : measured_gpus(profile)) {
    std::vector<std::string> types;
    for (const auto& [name, type] : scenario.cluster.node_types)
      if (type.gpu == gpu && type.intra != "host_only" && !type.intra_settings.has("pcie_bandwidth"))
        types.push_back(name);
    add(Of::pinned_copy, pinned_copy(profile, gpu), std::move(types));
  }
  return list;
}

OpenConstants open_constants(const Scenario& scenario)
{
  const auto* constants = scenario.section<OpenConstants>("calibration");
  return constants == nullptr ? OpenConstants{} : *constants;
}

void set_constant(const OpenConstant& constant, double value, Scenario& scenario)
{
  for (JobSpec& job : scenario.jobs) {
    if (!reaches(constant, job.name))
      continue;
    if (constant.of == Of::aggregate)
      job.training.settings.set("aggregate_bandwidth", value);
    else if (constant.of == Of::update)
      job.training.settings.set("update_bandwidth", value);
    else if (constant.of == Of::disk_read)
      job.input.bandwidth = BytesPerSecond{value};
    else if (constant.of == Of::host_operator)
      job.host_per_operator = Seconds{value};
  }
  for (auto& [name, type] : scenario.cluster.node_types) {
    if (!reaches(constant, name))
      continue;
    if (constant.of == Of::cpu_rate)
      type.cpu_rate = FlopsPerSecond{value};
    else if (constant.of == Of::pinned_copy)
      type.intra_settings.set("pcie_bandwidth", value);
  }
}

std::vector<std::string> constants_without_effect(const Profile& profile, const Scenario& scenario,
                                                  const std::vector<AppliedConstant>& applied,
                                                  const OpenConstants& open)
{
  const std::set<std::string> transports = transports_of(scenario);
  const auto used = [&](const std::string& name) {
    // Of the two directions of copies the slower one stands for both.
    const auto same = [&](const OpenConstant& constant) {
      const std::size_t direction =
          constant.of == Of::pinned_copy ? constant.name.find(".copy.") : constant.name.size();
      return constant.name == name ||
             (constant.of == Of::pinned_copy && name.starts_with(constant.name.substr(0, direction)) &&
              name.ends_with(".pinned.bandwidth"));
    };
    if (std::ranges::any_of(open, same))
      return true;
    return std::ranges::any_of(applied, [&](const AppliedConstant& constant) {
      if (constant.of == AppliedConstant::Of::transport)
        return name == "transport." + constant.owner + "." + constant.field &&
               (scenario.jobs.empty() || transports.contains(constant.owner));
      return name == "gpu." + constant.owner + "." + constant.field ||
             (constant.field.starts_with("rate.") &&
              name == "gpu." + constant.owner + ".convolution_" + constant.field);
    });
  };
  // A family of which nothing is used is listed as one name.
  const auto family = [](const std::string& name) {
    const std::size_t first = name.find('.');
    const bool two = name.starts_with("transport.") || name.starts_with("gpu.") || name.starts_with("collective.");
    return name.substr(0, two && first != std::string::npos ? name.find('.', first + 1) : first);
  };
  std::set<std::string> used_families;
  for (const CalibratedConstant& constant : profile.constants)
    if (used(constant.name))
      used_families.insert(family(constant.name));
  std::vector<std::string> list;
  for (const CalibratedConstant& constant : profile.constants) {
    if (used(constant.name) || !(constant.value.value > 0))
      continue;
    const std::string word =
        used_families.contains(family(constant.name)) ? constant.name : family(constant.name) + ".*";
    if (std::ranges::find(list, word) == list.end())
      list.push_back(word);
  }
  return list;
}

Catalogue calibrated(Catalogue catalogue, const Scenario& scenario)
{
  if (const auto* own = scenario.section<MeasuredFile>("measured_rates"))
    for (const auto& [name, rates] : own->by_gpu)
      if (const auto gpu = catalogue.gpus.find(name); gpu != catalogue.gpus.end())
        gpu->second.measured = rates;
  if (const auto* limits = scenario.section<PowerLimits>(power_limits_key))
    for (const auto& [name, watts] : limits->watts)
      if (const auto gpu = catalogue.gpus.find(name); gpu != catalogue.gpus.end())
        limit_power(gpu->second, watts);
  std::map<std::string, Transport> ignored;
  if (scenario.calibration)
    for (const AppliedConstant& constant : scenario.calibration->applied)
      set_constant(constant, constant.value.value, ignored, catalogue.gpus);
  return catalogue;
}

} // namespace trainyard
