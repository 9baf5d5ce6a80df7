// SPDX-License-Identifier: Apache-2.0
#include "models/core/json.hpp"
#include "models/import/importer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace trainyard {
namespace {

/// Where no platform is given: the host "Tremblay" and the narrowest link that its neighbours share in SimGrid's first
/// example platform. Source: SimGrid, examples/platforms/small_platform.xml (98.095 Mflop/s, 7.20975 MB/s).
constexpr double example_flops = 98.095e6;
constexpr double example_Bps = 7.20975e6;

/// Batsim workloads. Source: Batsim documentation, "Workload and profiles"; profile names of versions 1 to 4 and of 5.
class Batsim final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    return head.find("\"profile\"") != std::string_view::npos &&
           (head.find("\"nb_res\"") != std::string_view::npos || head.find("\"subtime\"") != std::string_view::npos);
  }
  int rank() const override { return 5; }
  std::string description() const override { return "Batsim workload"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    const Json json = parse_json(file.text(), file.name());
    const Json* jobs = json.find("jobs");
    const Json* profiles = json.find("profiles");
    if (jobs == nullptr || profiles == nullptr) {
      context.report.error({file.name(), 1}, "a Batsim workload has 'jobs' and 'profiles'");
      return;
    }
    Costs costs{file, context, *profiles, context.draft.core_flops, context.draft.link_Bps, {}};
    if (costs.flops <= 0) {
      costs.flops = example_flops;
      costs.Bps = example_Bps;
    }
    bool computed = false;
    std::set<std::string> used, killed;
    for (const Json& job : jobs->items) {
      const ImportPlace place{file.name(), job.line};
      DraftQueueJob draft;
      const Json* id = job.find("id");
      draft.name = id == nullptr                  ? fmt::format("{}", context.draft.queue_jobs.size())
                   : id->kind == Json::Kind::text ? id->string
                                                  : fmt::format("{:g}", id->value);
      draft.submit_s = std::clamp(value(job, "subtime", 0), 0.0, 1e11);
      draft.tasks = static_cast<int>(std::clamp(value(job, "res", 1), 1.0, 1e6));
      draft.cpu_milli = 1000;
      const Json* profile = job.find("profile");
      const std::string name = profile == nullptr ? "" : profile->string;
      used.insert(name);
      const double seconds = costs.seconds(name, draft.tasks, 0);
      const double wall = value(job, "walltime", -1);
      if (seconds < 0) {
        context.report.ignored("job " + draft.name, fmt::format("the time of its profile '{}' is not known", name),
                               place);
        continue;
      }
      computed = computed || costs.computed.contains(name);
      draft.duration_s = wall > 0 ? std::min(seconds, wall) : seconds;
      draft.estimate_s = wall > 0 ? wall : 0;
      if (wall > 0 && seconds > wall) {
        killed.insert(draft.name);
        context.report.understood(
            fmt::format("job {} exceeds its wall time: {:.3g} s of {:g} s; it is killed at that time", draft.name,
                        seconds, wall),
            place);
      }
      draft.note = to_text(place);
      context.draft.queue_jobs.push_back(std::move(draft));
      for (const auto& [key, item] : job.members)
        if (key != "id" && key != "subtime" && key != "walltime" && key != "res" && key != "profile")
          context.report.ignored("'" + key + "' of jobs", "not modelled", {file.name(), item.line});
    }
    context.report.understood(
        fmt::format("{} over {}", counted(jobs->items.size(), "job"), counted(used.size(), "profile")),
        {file.name(), jobs->line});
    if (computed && context.draft.core_flops <= 0)
      context.report.assumed("hosts of 98 Mflop/s with links of 7.2 MB/s, those of SimGrid's first example",
                             "profiles in flop and bytes need a platform; import its XML together with the workload",
                             {file.name(), profiles->line});
    if (computed)
      context.report.assumed("a parallel task is as slow as its busiest host or link",
                             "transfers that share a link are not simulated separately", {file.name(), profiles->line});
    const double hosts = value(json, "nb_res", 1);
    if (context.draft.machines.empty()) {
      DraftMachines machines{.name = "host",
                             .count = static_cast<int>(std::clamp(hosts, 1.0, 1e5)),
                             .note = to_text(ImportPlace{file.name(), json.line})};
      machines.cpu_cores = 1;
      context.draft.machines.push_back(machines);
      context.report.understood(counted(machines.count, "host") + " (nb_res)",
                                {file.name(), json.find("nb_res") == nullptr ? json.line : json.find("nb_res")->line});
    }
    if (context.draft.question.empty())
      context.draft.question = "how long do the jobs of this workload wait?";
    for (const auto& [name, profile] : profiles->members)
      if (!used.contains(name))
        context.report.ignored(fmt::format("profile '{}'", name), "no job names it", {file.name(), profile.line});
  }

private:
  static double value(const Json& object, const char* name, double fallback)
  {
    const Json* member = object.find(name);
    return member == nullptr || member->kind != Json::Kind::number ? fallback : member->value;
  }

  struct Costs {
    const InputFile& file;
    ImportContext& context;
    const Json& profiles;
    double flops;
    double Bps;
    std::set<std::string> computed; // profiles whose time needed a platform

    /// Run time of a profile on @p hosts hosts; below 0 where it is not known.
    double seconds(const std::string& name, int hosts, int depth)
    {
      const Json* profile = profiles.find(name);
      if (profile == nullptr || depth > 20) {
        context.report.error({file.name(), profile == nullptr ? profiles.line : profile->line},
                             profile == nullptr ? fmt::format("there is no profile '{}'", name)
                                                : fmt::format("profile '{}' contains itself", name));
        return -1;
      }
      const Json* type_node = profile->find("type");
      const std::string type = type_node == nullptr ? "" : type_node->string;
      if (type == "delay" || type == "DelayProfile")
        return std::clamp(value(*profile, "delay", 0), 0.0, 1e11);
      if (type == "parallel" || type == "msg_par" || type == "ParallelTaskProfile") {
        computed.insert(name);
        return matrix(*profile, hosts);
      }
      if (type == "parallel_homogeneous" || type == "msg_par_hg" || type == "ParallelTaskHomogeneousProfile" ||
          type == "parallel_homogeneous_total" || type == "msg_par_hg_tot") {
        computed.insert(name);
        const Json* strategy = profile->find("generation_strategy");
        const bool total = type.ends_with("total") || type.ends_with("_tot") ||
                           (strategy != nullptr && strategy->string.find("Spread") != std::string::npos);
        const double share = total ? 1.0 / hosts : 1.0;
        const double bytes = value(*profile, "com", 0) * share * (total ? 1.0 : hosts - 1);
        return std::max(value(*profile, "cpu", 0) * share / flops, bytes / Bps);
      }
      if (type == "composed" || type == "SequentialCompositionProfile") {
        double sum = 0;
        if (const Json* sequence = profile->find("seq"); sequence != nullptr)
          for (const Json& part : sequence->items) {
            const double one = seconds(part.string, hosts, depth + 1);
            if (computed.contains(part.string))
              computed.insert(name);
            if (one < 0)
              return -1;
            sum += one;
          }
        return sum * std::clamp(value(*profile, "repeat", value(*profile, "nb", 1)), 1.0, 1e9);
      }
      context.report.ignored(fmt::format("profile type '{}'", type),
                             "only delays, parallel tasks and sequences have a known time",
                             {file.name(), profile->line});
      return -1;
    }

    double matrix(const Json& profile, int hosts) const
    {
      double cpu = 0, bytes = 0;
      if (const Json* list = profile.find("cpu"); list != nullptr)
        for (const Json& item : list->items)
          cpu = std::max(cpu, item.value);
      if (const Json* list = profile.find("com"); list != nullptr) {
        const auto n = static_cast<std::size_t>(hosts);
        std::vector<double> in(n), out(n);
        for (std::size_t i = 0; i < std::min(list->items.size(), n * n); ++i)
          if (i / n != i % n) {
            out[i / n] += list->items[i].value;
            in[i % n] += list->items[i].value;
          }
        for (std::size_t i = 0; i < n; ++i)
          bytes = std::max({bytes, in[i], out[i]});
      }
      return std::max(cpu / flops, bytes / Bps);
    }
  };
};

TY_REGISTER(Importer, Batsim, "batsim", "Batsim workload JSON: jobs with delay, parallel and composed profiles");

} // namespace
} // namespace trainyard
