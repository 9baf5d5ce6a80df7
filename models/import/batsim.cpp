// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"
#include "models/import/json_member.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

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
    return file.has("\"profile\"") && (file.has("\"nb_res\"") || file.has("\"subtime\""));
  }
  int rank() const override { return 5; }
  std::string description() const override { return "Batsim workload"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    const Json json = parse_json(file.text(), file.name());
    const auto member = [&](const Json& object, const char* name, Json::Kind kind) {
      return member_of(object, name, kind, file.name(), context.report);
    };
    const auto value = [&](const Json& object, const char* name, double fallback) {
      const Json* found = member(object, name, Json::Kind::number);
      return found == nullptr ? fallback : found->value;
    };
    const Json* jobs = member(json, "jobs", Json::Kind::array);
    const Json* profiles = member(json, "profiles", Json::Kind::object);
    const double hosts = value(json, "nb_res", 1);
    if (jobs == nullptr || profiles == nullptr || jobs->items.empty()) {
      if (!context.report.faults.has_errors())
        context.report.error({file.name(), json.line},
                             "a Batsim workload has 'jobs', with one or more, and 'profiles'");
      return;
    }
    Costs costs{file, context, *profiles, context.draft.core_flops, context.draft.link_Bps};
    if (costs.flops <= 0) {
      costs.flops = example_flops;
      costs.Bps = example_Bps;
    }
    bool computed = false;
    std::set<std::string> used, killed;
    for (const Json& job : jobs->items) {
      const ImportPlace place{file.name(), job.line};
      if (job.kind != Json::Kind::object) {
        context.report.error_at_column(
            place, job.column, "a job is an object: {\"id\": 0, \"subtime\": 0, \"res\": 1, \"profile\": \"p\"}");
        continue;
      }
      DraftQueueJob draft;
      const Json* id = job.find("id");
      draft.name = id == nullptr                  ? fmt::format("{}", context.draft.queue_jobs.size())
                   : id->kind == Json::Kind::text ? id->string
                                                  : fmt::format("{:g}", id->value);
      draft.submit_s = std::clamp(value(job, "subtime", 0), 0.0, 1e11);
      draft.tasks = static_cast<int>(std::clamp(value(job, "res", 1), 1.0, 1e6));
      draft.cpu_milli = 1000;
      const Json* profile = member(job, "profile", Json::Kind::text);
      const std::string name = profile == nullptr ? "" : profile->string;
      used.insert(name);
      const double seconds = costs.seconds(name, draft.tasks, 0);
      const double wall = value(job, "walltime", -1);
      if (seconds < 0) {
        context.report.ignored("job " + draft.name, {"the time of its profile '{}' is not known", name}, place);
        continue;
      }
      computed = computed || costs.computed.contains(name);
      draft.duration_s = wall > 0 ? std::min(seconds, wall) : seconds;
      draft.estimate_s = wall > 0 ? wall : 0;
      if (wall > 0 && seconds > wall) {
        killed.insert(draft.name);
        context.report.understood(place, "job {} exceeds its wall time: {:.3g} s of {:g} s; it is killed at that time",
                                  draft.name, seconds, wall);
      }
      draft.note = to_text(place);
      context.draft.queue_jobs.push_back(std::move(draft));
      for (const auto& [key, item] : job.members)
        if (key != "id" && key != "subtime" && key != "walltime" && key != "res" && key != "profile")
          context.report.ignored("'" + key + "' of jobs", "not modelled", {file.name(), item.line});
    }
    context.report.understood({file.name(), jobs->line}, "{} over {}", counted(jobs->items.size(), "job"),
                              counted(used.size(), "profile"));
    if (computed && context.draft.core_flops <= 0)
      context.report.assumed("hosts of 98 Mflop/s with links of 7.2 MB/s, those of SimGrid's first example",
                             "profiles in flop and bytes need a platform; import its XML together with the workload",
                             {file.name(), profiles->line});
    if (computed)
      context.report.assumed("a parallel task is as slow as its busiest host or link",
                             "transfers that share a link are not simulated separately", {file.name(), profiles->line});
    if (context.draft.machines.empty()) {
      DraftMachines machines{.name = "host",
                             .count = static_cast<int>(std::clamp(hosts, 1.0, 1e5)),
                             .note = to_text(ImportPlace{file.name(), json.line})};
      machines.cpu_cores = 1;
      context.draft.machines.push_back(machines);
      context.report.understood(counted(machines.count, "host") + " (nb_res)",
                                {file.name(), json.find("nb_res") == nullptr ? json.line : json.find("nb_res")->line});
    }
    context.draft.ask("how long do the jobs of this workload wait?");
    for (const auto& [name, profile] : profiles->members)
      if (!used.contains(name))
        context.report.ignored({"profile '{}'", name}, "no job names it", {file.name(), profile.line});
  }

private:
  struct Costs {
    const InputFile& file;
    ImportContext& context;
    const Json& profiles;
    double flops;
    double Bps;
    std::set<std::string> computed = {}; // profiles whose time needed a platform
    std::map<std::pair<std::string, int>, double> known = {};

    double value(const Json& object, const char* name, double fallback) const
    {
      const Json* found = member_of(object, name, Json::Kind::number, file.name(), context.report);
      return found == nullptr ? fallback : found->value;
    }

    /// Run time of a profile on @p hosts hosts; below 0 where it is not known.
    double seconds(const std::string& name, int hosts, int depth)
    {
      const std::pair key{name, hosts};
      if (const auto found = known.find(key); found != known.end()) // a sequence may name it many times
        return found->second;
      const double time = computed_seconds(name, hosts, depth);
      known.emplace(key, time);
      return time;
    }

    double computed_seconds(const std::string& name, int hosts, int depth)
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
      context.report.ignored({"profile type '{}'", type}, "only delays, parallel tasks and sequences have a known time",
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
        std::vector<double> in(std::min(n, list->items.size())), out(in.size()); // the others send nothing
        for (std::size_t i = 0; i < std::min(list->items.size(), n * n); ++i)
          if (i / n != i % n) {
            out[i / n] += list->items[i].value;
            in[i % n] += list->items[i].value;
          }
        for (std::size_t i = 0; i < in.size(); ++i)
          bytes = std::max({bytes, in[i], out[i]});
      }
      return std::max(cpu / flops, bytes / Bps);
    }
  };
};

TY_REGISTER(Importer, Batsim, "batsim", "Batsim workload JSON: jobs with delay, parallel and composed profiles");

} // namespace
} // namespace trainyard
