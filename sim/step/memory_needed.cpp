// SPDX-License-Identifier: Apache-2.0
#include "sim/step/prepared.hpp"

#include "models/core/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sys/resource.h>

namespace trainyard {
namespace {

constexpr double of_the_program = 60e6;
constexpr double per_device = 6e3;          // GPU or network card: vertices, links, routes and rows of the results
constexpr double per_worker = 33e3;         // times of its layers, its edges in eight rings
constexpr double per_pair = 3e3;            // of a worker and a server, whose steps repeat at once
constexpr double most_listed_pairs = 250e3; // in traffic.csv: two rows each
constexpr double per_free_pair = 68e3;      // without a barrier: of a dozen steps each message is kept,
constexpr double most_sampled_pairs = 16e3; // but of very many equal workers a sample is simulated, or is not worth it:
constexpr double fewest_sampled = 96;       // workers in it, as sampled_groups()

/// Equal workers without a barrier, with servers on machines of their own.
bool may_be_sampled(const Scenario& scenario, const JobSpec& job)
{
  const Settings& settings = job.training.settings;
  const auto has_no_gpus = [&](const NodeGroupSpec& group) {
    const auto type = scenario.cluster.node_types.find(group.type);
    return type != scenario.cluster.node_types.end() && type->second.gpus == 0;
  };
  const std::string where = settings.text("server_placement", "auto");
  return scenario.jobs.size() == 1 && job.copies <= 1 && settings.text("update_rule", "sync") == "async" &&
         settings.text("one_represents_all", "auto") == "auto" && job.stragglers.empty() &&
         job.jitter.distribution == "none" &&
         (where == "dedicated" || (where == "auto" && std::ranges::any_of(scenario.cluster.nodes, has_no_gpus)));
}

/// The number behind a word of a file, or its first; infinite where there is none ("max": no limit).
double number_in(const std::string& file, const std::string& after = "")
{
  std::ifstream in{file};
  std::string word;
  while (!after.empty() && word != after && in >> word)
    ;
  double value = 0;
  return in >> value ? value : std::numeric_limits<double>::infinity();
}

} // namespace

Bytes memory_needed(const Scenario& scenario)
{
  double bytes = of_the_program;
  for (const NodeGroupSpec& group : scenario.cluster.nodes)
    if (const auto type = scenario.cluster.node_types.find(group.type); type != scenario.cluster.node_types.end())
      bytes += per_device * group.count * (type->second.gpus + type->second.nics + 1.0);
  for (const JobSpec& job : scenario.jobs) {
    const double workers = static_cast<double>(job.workers) * std::max(job.copies, 1);
    bytes += per_worker * workers;
    const bool barrier = job.training.settings.text("update_rule", "sync") == "sync";
    double pairs = workers * std::max(job.training.settings.integer("servers", 0), 0);
    if (barrier && job.stragglers.empty() && job.jitter.distribution == "none") // one worker stands for all
      pairs = std::min(pairs, most_listed_pairs);
    else if (may_be_sampled(scenario, job))
      pairs = std::min(pairs, std::max(most_sampled_pairs, pairs / workers * fewest_sampled));
    bytes += (barrier ? per_pair : per_free_pair) * pairs;
  }
  return Bytes{bytes};
}

Bytes memory_available()
{
  double bytes = number_in("/proc/meminfo", "MemAvailable:") * 1024;
  const double group = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (group < std::numeric_limits<double>::infinity() && used < std::numeric_limits<double>::infinity())
    bytes = std::min(bytes, std::max(group - used, 0.0));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
  return Bytes{bytes};
}

std::optional<std::string> does_not_fit(const Scenario& scenario, Bytes needed, Bytes available)
{
  if (needed <= available)
    return std::nullopt;
  long long workers = 0;
  for (const JobSpec& job : scenario.jobs)
    workers += static_cast<long long>(job.workers) * std::max(job.copies, 1);
  const double share = std::max(available.value() - of_the_program, 0.0) / (needed.value() - of_the_program);
  return fmt::format(
      "simulating {} workers takes about {} of memory, and {} are free: about {:.0f} workers fit; an "
      "even all-reduce (one job on whole machines, no stragglers, jitter or explicit nodes) takes 0.1 GB "
      "at any size",
      workers, to_text(needed), to_text(available), std::floor(share * static_cast<double>(workers)));
}

} // namespace trainyard
