// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/rendezvous.hpp"

#include "models/core/closest.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace trainyard {
namespace {

/// One address of a ClusterSpec and where it stands.
struct Entry {
  std::string address;
  const DocumentNode* node = nullptr;
};
using Spec = std::map<std::string, std::vector<Entry>>; // job name -> addresses by task number

class RendezvousReader final : public ScenarioSection
{
public:
  nlohmann::ordered_json schema(const Parts&, const Catalogue&) const override
  {
    using namespace schema;
    const Json spec = {
        {"type", "object"},
        {"description", "cluster_spec: addresses of the tasks, {ps: [\"ps-0:2222\"], worker: [\"worker-0:2222\"]}"},
        {"additionalProperties", list_of({{"type", "string"}}, "node:port of task 0, 1, …")}};
    const Json task =
        object("a task that joins late or never, or has another cluster_spec",
               {{"task", text("cluster_spec: /job:worker/task:1")},
                {"rank", whole("init_process_group: number of the rank", 0)},
                {"join", described({{"type", "string"}, {"examples", {"47 s"}}},
                                   "time at which it joins, after the job is placed; or 'never' (default 0 s)")},
                {"cluster", spec}});
    const Json group =
        object("tasks that wait for each other",
               {{"job", text("job that they train")},
                {"jobs", list_of({{"type", "string"}}, "jobs that use the same waiting tasks, one after another")},
                {"protocol",
                 name_of(Registry<RendezvousProtocol>::instance().names(), "rendezvous protocol of the framework")},
                {"cluster", spec},
                {"master_addr", text("init_process_group: node of rank 0")},
                {"master_port", whole("init_process_group: port of rank 0 (default 29500)")},
                {"world_size", whole("init_process_group: number of ranks to wait for (default: workers of the job)")},
                {"master", name_of({"up", "down"}, "whether the master answers (default up)")},
                {"time_out", quantity("time-out of the waiting tasks (default: that of the framework)", "30 min")},
                {"deploy",
                 quantity("time to create the tasks for the first job; later jobs reuse them (default 0 s)", "3 min")},
                {"tasks", list_of(task, "tasks that are late, missing, or differ")}},
               {"protocol"});
    return list_of(group, "how the tasks of jobs find each other before the first step");
  }

  std::any read(const SectionInput& input) const override
  {
    RendezvousSection section;
    std::vector<const DocumentNode*> groups{&input.node};
    if (input.node.kind == DocumentNode::Kind::list) {
      groups.clear();
      for (const DocumentNode& item : input.node.items)
        groups.push_back(&item);
    }
    for (const DocumentNode* node : groups)
      section.groups.push_back(read_group(input, *node));
    return section;
  }

private:
  static RendezvousSpec read_group(const SectionInput& input, const DocumentNode& node)
  {
    RendezvousSpec spec;
    MapReader reader{input.document, &node, "a rendezvous", input.diagnostics};
    if (reader.has("job"))
      spec.jobs.push_back(reader.text("job", ""));
    for (const std::string& name : reader.texts("jobs"))
      spec.jobs.push_back(name);
    const JobSpec* job = first_job(input, reader, spec);
    reader.required_text("protocol");
    spec.protocol = reader.choice("protocol", "init_process_group", Registry<RendezvousProtocol>::instance().names());
    const auto protocol = Registry<RendezvousProtocol>::instance().create(spec.protocol);
    const int workers = job == nullptr ? 1 : job->workers;
    const int servers = job == nullptr ? 0 : job->training.settings.integer("servers", 0);
    for (const std::string& name : protocol->task_names(workers, servers))
      spec.tasks.push_back({.name = name, .address = {}, .joins = Seconds{0}});
    const bool tensorflow = spec.protocol == "cluster_spec";
    Spec common;
    if (tensorflow)
      common = read_cluster(input, reader, spec, workers, servers);
    else
      read_store(input, reader, spec, workers);
    spec.master_up = reader.choice("master", "up", {"up", "down"}) == "up";
    spec.time_out = protocol->default_time_out();
    if (reader.has("time_out"))
      spec.time_out = Seconds{reader.quantity("time_out", QuantityKind::duration, 1800, 1e-3)};
    spec.deploy = Seconds{reader.quantity("deploy", QuantityKind::duration, 0)};
    for (const DocumentNode* task : reader.list("tasks"))
      read_task(input, *task, tensorflow, common, spec);
    reader.finish();
    return spec;
  }

  static const JobSpec* first_job(const SectionInput& input, MapReader& reader, const RendezvousSpec& spec)
  {
    std::vector<std::string> known;
    for (const JobSpec& job : input.scenario.jobs)
      known.push_back(job.name);
    const JobSpec* first = nullptr;
    for (const std::string& name : spec.jobs) {
      const auto found = std::ranges::find(input.scenario.jobs, name, &JobSpec::name);
      if (found == input.scenario.jobs.end())
        reader.error(reader.has("job") ? "job" : "jobs",
                     fmt::format("there is no job '{}'{}", name, did_you_mean(name, known)));
      else if (first == nullptr)
        first = &*found;
      else if (found->workers != first->workers)
        reader.error("jobs", fmt::format("'{}' has {} workers, '{}' has {}: they cannot use the same tasks",
                                         found->name, found->workers, first->name, first->workers));
    }
    if (spec.jobs.empty())
      reader.error("job", "give the 'job' (or 'jobs') that these tasks train");
    return first;
  }

  static std::vector<std::string> node_names(const SectionInput& input)
  {
    std::vector<std::string> names;
    for (const NodeGroupSpec& group : input.scenario.cluster.nodes)
      for (int i = 0; i < std::min(group.count, 100'000); ++i)
        names.push_back(fmt::format("{}-{}", group.name, i));
    return names;
  }

  static Spec parse_spec(const SectionInput& input, const DocumentNode* node)
  {
    Spec spec;
    MapReader jobs{input.document, node, "'cluster'", input.diagnostics};
    for (const DocumentNode::Entry& entry : jobs.entries()) {
      for (const DocumentNode* item : jobs.list(entry.key))
        if (item->kind == DocumentNode::Kind::scalar)
          spec[entry.key].push_back({item->text, item});
        else
          input.document.error(input.diagnostics, *item, "write an address as node:port");
    }
    return spec;
  }

  static Spec read_cluster(const SectionInput& input, MapReader& reader, RendezvousSpec& spec, int workers, int servers)
  {
    const DocumentNode* node = reader.node("cluster");
    if (node == nullptr)
      reader.error("cluster", "cluster_spec needs 'cluster': {ps: [\"ps-0:2222\"], worker: [\"worker-0:2222\"]}");
    const Spec common = parse_spec(input, node);
    const std::vector<std::string> nodes = node_names(input);
    std::map<std::string, std::string> used; // address -> task
    for (const auto& [name, wanted] : {std::pair{"ps", servers}, std::pair{"worker", workers}}) {
      const auto found = common.find(name);
      const int listed = found == common.end() ? 0 : static_cast<int>(found->second.size());
      if (node != nullptr && listed != wanted)
        reader.error("cluster",
                     fmt::format("the ClusterSpec has {} {} task{}, job '{}' has {}", listed, name,
                                 listed == 1 ? "" : "s", spec.jobs.empty() ? "" : spec.jobs.front(), wanted));
    }
    for (const auto& [name, entries] : common)
      for (std::size_t task = 0; task < entries.size(); ++task) {
        const Entry& entry = entries[task];
        const std::string full = fmt::format("/job:{}/task:{}", name, task);
        const std::size_t colon = entry.address.rfind(':');
        const std::string host = entry.address.substr(0, colon);
        int port = 0;
        if (colon != std::string::npos)
          std::from_chars(entry.address.data() + colon + 1, entry.address.data() + entry.address.size(), port);
        if (port < 1 || port > 65535)
          input.document.error(input.diagnostics, *entry.node,
                               fmt::format("'{}' is not an address; write node:port", entry.address));
        else if (std::ranges::find(nodes, host) == nodes.end())
          input.document.error(input.diagnostics, *entry.node,
                               fmt::format("there is no node '{}'{}", host, did_you_mean(host, nodes)));
        if (const auto [other, fresh] = used.try_emplace(entry.address, full); !fresh)
          input.document.error(input.diagnostics, *entry.node,
                               fmt::format("{} and {} both listen on {}; give one of them another port", other->second,
                                           full, entry.address));
        for (JoiningTask& joining : spec.tasks)
          if (joining.name == full)
            joining.address = entry.address;
      }
    if (!spec.tasks.empty())
      spec.master = spec.tasks.front().address;
    return common;
  }

  static void read_store(const SectionInput& input, MapReader& reader, RendezvousSpec& spec, int workers)
  {
    const std::vector<std::string> nodes = node_names(input);
    const std::string host = reader.text("master_addr", nodes.empty() ? "" : nodes.front());
    if (std::ranges::find(nodes, host) == nodes.end())
      reader.error("master_addr", fmt::format("there is no node '{}'{}", host, did_you_mean(host, nodes)));
    spec.master = fmt::format("{}:{}", host, reader.integer("master_port", 29500, 1, 65535));
    const int world = reader.integer("world_size", workers, 1, 1'000'000);
    if (world < workers)
      reader.error("world_size",
                   fmt::format("the job has {} workers, more than the world size {}: the last ranks cannot join",
                               workers, world));
    for (int rank = workers; rank < world; ++rank) // ranks that nobody starts
      spec.tasks.push_back({.name = fmt::format("rank {}", rank), .address = {}, .joins = std::nullopt});
  }

  static void read_task(const SectionInput& input, const DocumentNode& node, bool tensorflow, const Spec& common,
                        RendezvousSpec& spec)
  {
    MapReader reader{input.document, &node, "a task", input.diagnostics};
    const std::string key = tensorflow ? "task" : "rank";
    const std::string name = tensorflow ? reader.required_text("task")
                                        : fmt::format("rank {}", reader.required_integer("rank", 0, 1'000'000));
    std::vector<std::string> known;
    for (const JoiningTask& task : spec.tasks)
      known.push_back(task.name);
    const auto found = std::ranges::find(spec.tasks, name, &JoiningTask::name);
    if (found == spec.tasks.end())
      reader.error(key, fmt::format("there is no task '{}'{}", name, did_you_mean(name, known)));
    if (const std::string when = reader.text("join", "0 s"); found != spec.tasks.end()) {
      if (when == "never")
        found->joins = std::nullopt;
      else
        found->joins = Seconds{reader.quantity("join", QuantityKind::duration, 0)};
    }
    if (tensorflow && reader.has("cluster"))
      compare(input, common, parse_spec(input, reader.node("cluster")), name, reader);
    reader.finish();
  }

  /// Every task must have been given the same ClusterSpec; the first entry that differs is named.
  static void compare(const SectionInput& input, const Spec& common, const Spec& own, const std::string& task,
                      MapReader& reader)
  {
    for (const auto& [name, entries] : common) {
      const auto found = own.find(name);
      const std::size_t there = found == own.end() ? 0 : found->second.size();
      for (std::size_t i = 0; i < std::max(entries.size(), there); ++i) {
        const std::string expected = i < entries.size() ? entries[i].address : "nothing";
        const std::string got = i < there ? found->second[i].address : "nothing";
        if (expected == got)
          continue;
        const std::string message =
            fmt::format("the ClusterSpec of {} differs: /job:{}/task:{} is {} there, but {} for the others", task, name,
                        i, got, expected);
        if (i < there)
          input.document.error(input.diagnostics, *found->second[i].node, message);
        else
          reader.error("cluster", message);
      }
    }
    for (const auto& [name, entries] : own)
      if (!common.contains(name) && !entries.empty())
        input.document.error(input.diagnostics, *entries.front().node,
                             fmt::format("the ClusterSpec of {} differs: the others have no job '{}'", task, name));
  }
};

TY_REGISTER(ScenarioSection, RendezvousReader, "rendezvous",
            "how the tasks of jobs find each other before the first step");

} // namespace
} // namespace trainyard
