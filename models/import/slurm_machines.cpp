// SPDX-License-Identifier: Apache-2.0
#include "models/import/slurm_machines.hpp"

#include "models/core/slurm_time.hpp"
#include "models/import/batch_draft.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/job/traces/slurm_tres.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace trainyard {
namespace {

constexpr int most_gpus = 64; // of one machine

std::string lookup(const SlurmLine& line, const SlurmLine& defaults, std::string_view key)
{
  const std::string own = line.value(key);
  return own.empty() ? defaults.value(key) : own;
}

/// A value that stands for none.
bool is_none(const std::string& text)
{
  return text.empty() || text == "(null)" || text == "N/A" || text == "NONE" || text == "UNLIMITED" ||
         text == "INFINITE";
}

/// GPUs that Gres lists, and their type.
std::pair<int, std::string> gpus_of_gres(const std::string& gres, const ImportPlace& place, ImportContext& context)
{
  int gpus = 0;
  double slices = 0; // compute slices of MIG
  std::string gpu;
  for (const std::string& whole : split_hostlist(gres)) {
    const std::string item = whole.substr(0, whole.find('(')); // "(S:0-1)": sockets
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= item.size();) {
      const std::size_t colon = std::min(item.find(':', at), item.size());
      parts.push_back(item.substr(at, colon - at));
      at = colon + 1;
    }
    if (parts.front() != "gpu") {
      context.report.ignored("countable resource " + parts.front(), "only GPUs are counted", place);
      continue;
    }
    const std::string& last = parts.back();
    const bool counted =
        parts.size() > 1 && !last.empty() &&
        (std::isdigit(static_cast<unsigned char>(last.front())) != 0 || last.front() == '-' || last.front() == '+');
    const int count = counted ? count_of(last, most_gpus, 1, "GPUs", place, context.report) : 1;
    const std::string type = parts.size() > 2 ? parts[1] : parts.size() == 2 && !counted ? parts[1] : std::string{};
    if (const double of_seven = slurm_mig_slices(type); of_seven > 0) {
      slices += of_seven * count;
      if (const std::size_t name = type.find_last_of("_-"); gpu.empty() && name != std::string::npos) // a100_1g.5gb
        gpu = context.gpu(type.substr(0, name), place);
      continue;
    }
    gpus += count;
    if (!gpu.empty() && !type.empty())
      context.report.assumed("all GPUs of a machine are of its first type",
                             "machines with several types are not modelled", place);
    if (gpu.empty() && count > 0)
      gpu = type.empty() ? context.unknown_gpu(place, "Gres does not name a type") : context.gpu(type, place);
  }
  if (slices > 0) {
    const int cut = static_cast<int>(std::ceil(slices / 7 - 1e-9));
    context.report.assumed(fmt::format("MIG slices of a machine are cut from {}", counted(cut, "GPU")),
                           fmt::format("a GPU has 7 compute slices, and these have {:g}", slices), place);
    gpus += cut;
    if (gpu.empty())
      gpu = context.unknown_gpu(place, "Gres names MIG slices alone");
  }
  return {gpus, gpu};
}

} // namespace

std::string slurm_value(const SlurmLine& line, std::string_view key)
{
  const std::string text = line.value(key);
  return is_none(text) ? std::string{} : text;
}

void read_slurm_nodes(const SlurmLine& line, const SlurmLine& defaults, const ImportPlace& place,
                      ImportContext& context, std::map<std::string, std::size_t>& index, bool again)

{
  const std::vector<std::string> hosts = slurm_hosts(line.values.front().second, place, context.report);
  const auto number = [&](std::string_view key) {
    return std::clamp(number_of(lookup(line, defaults, key), 0), 0.0, 1e9);
  };
  double cpus = number("cpus");
  if (cpus == 0)
    cpus = std::max(1.0, number("sockets")) * std::max(1.0, number("corespersocket")) *
           std::max(1.0, number("threadspercore"));
  const auto [gpus, gpu] = gpus_of_gres(lookup(line, defaults, "gres"), place, context);
  std::string state = lookup(line, defaults, "state");
  std::ranges::transform(state, state.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (state.starts_with("DOWN") || state.starts_with("FUTURE") || state.find("DRAIN") != std::string::npos) {
    context.report.ignored(fmt::format("{} machines in state {}", hosts.size(), state), "they run no jobs", place);
    return;
  }
  for (const std::string& host : hosts) {
    if (!again && index.contains(host)) {
      context.report.error(place, fmt::format("machine '{}' is defined twice", host));
      continue;
    }
    DraftMachines& machine = slurm_machine(context.draft, host, index);
    machine.gpu = gpu;
    machine.gpus = gpus;
    machine.cpu_cores = cpus;
    machine.memory_bytes = number("realmemory") * 1048576;
    machine.note = to_text(place);
  }
  context.report.understood(gpus > 0 ? fmt::format("{} with {} x {}", counted(hosts.size(), "machine"), gpus, gpu)
                                     : counted(hosts.size(), "machine") + " without GPUs",
                            place);
  if (again)
    return;
  static const std::set<std::string> known = {
      "nodename",        "cpus",           "realmemory",     "gres",   "sockets",
      "socketsperboard", "corespersocket", "threadspercore", "boards", "state"};
  for (const auto& [key, value] : line.values)
    if (key == "feature" || key == "features")
      context.report.ignored("features " + value, "jobs do not ask for them here", place);
    else if (!known.contains(key))
      context.report.ignored(key + " of machines", "has no effect on the simulation", place);
}

void read_slurm_partition(const SlurmLine& line, const SlurmLine& defaults, const ImportPlace& place,
                          ImportContext& context)
{
  const auto value = [&](std::string_view key) {
    const std::string text = lookup(line, defaults, key);
    return is_none(text) ? std::string{} : text;
  };
  BatchPartition partition;
  partition.name = line.values.front().second;
  const std::string nodes = value("nodes");
  if (!nodes.empty() && nodes != "ALL")
    partition.nodes = slurm_hosts(nodes, place, context.report);
  partition.tier = std::clamp(number_of(value("prioritytier"), 1), 0.0, 65533.0);
  partition.factor = std::clamp(number_of(value("priorityjobfactor"), 1), 0.0, 65533.0);
  if (const auto grace = slurm_time(value("gracetime")))
    partition.grace = Seconds{*grace};
  const std::string limit = value("maxtime");
  if (const auto most = slurm_time(limit, 60))
    partition.limits.time = Seconds{*most};
  partition.qos = value("qos");
  context.report.understood(fmt::format("partition {}: {}{}{}", partition.name, nodes.empty() ? "no machines" : nodes,
                                        limit.empty() ? "" : ", at most " + limit,
                                        value("default") == "YES" ? ", the default" : ""),
                            place);
  for (const auto& [key, why] :
       {std::pair{"maxnodes", "GPUs of a job are not limited by machines"},
        std::pair{"allowaccounts", "jobs are in the partition that they name"},
        std::pair{"allowqos", "jobs are in the partition that they name"},
        std::pair{"maxcpuspernode", "CPUs are not limited by partition"},
        std::pair{"oversubscribe", "jobs share no CPUs, and GPUs only by parts of them"},
        std::pair{"exclusiveuser", "users share machines"}, std::pair{"lln", "one placement policy places all jobs"}})
    if (const std::string given = value(key); !given.empty() && given != "ALL" && given != "NO" && given != "0")
      context.report.ignored(fmt::format("{} of partitions", key), why, place);
  put_rule(context.draft.batch.rules.partitions, std::move(partition));
}

} // namespace trainyard
