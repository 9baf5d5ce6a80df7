// SPDX-License-Identifier: Apache-2.0
#include "models/job/rendezvous.hpp"

#include "models/core/closest.hpp"
#include "models/core/text.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

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
  nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const override
  {
    return schema::list_of(
        schema_of<RendezvousSpec>(parts, catalogue, "tasks that wait for each other",
                                  [](Fields& keys, RendezvousSpec& spec) { group_fields(keys, spec, nullptr); }),
        "how the tasks of jobs find each other before the first step");
  }

  std::any read(const SectionInput& input) const override
  {
    const auto read_group = [&](const DocumentNode& node) {
      return read_record<RendezvousSpec>(input, node, "a rendezvous",
                                         [&](Fields& keys, RendezvousSpec& spec) { group_fields(keys, spec, &input); });
    };
    RendezvousSection section;
    if (input.node.kind != DocumentNode::Kind::list)
      section.groups.push_back(read_group(input.node));
    for (const DocumentNode& item : input.node.items)
      section.groups.push_back(read_group(item));
    return section;
  }

private:
  /// Only the keys of the chosen protocol are known; a schema has those of all. @p input: null while it is written.
  static void group_fields(Fields& keys, RendezvousSpec& spec, const SectionInput* input)
  {
    if (std::string job; keys.text("job", job, "job that they train"))
      spec.jobs.push_back(job);
    std::vector<std::string> jobs;
    keys.texts("jobs", jobs, "jobs that use the same waiting tasks, one after another");
    spec.jobs.insert(spec.jobs.end(), jobs.begin(), jobs.end());
    const JobSpec* job = input == nullptr ? nullptr : first_job(keys, spec, input->scenario.jobs);
    spec.protocol = "init_process_group";
    keys.choice("protocol", spec.protocol, Registry<RendezvousProtocol>::instance().names(),
                "rendezvous protocol of the framework", {.required = true});
    const auto protocol = Registry<RendezvousProtocol>::instance().create(spec.protocol);
    const int workers = job == nullptr ? 1 : job->workers;
    const int servers = job == nullptr ? 0 : job->training.settings.integer("servers", 0);
    for (const std::string& name : protocol->task_names(workers, servers))
      spec.tasks.push_back({.name = name, .address = {}, .joins = Seconds{0}});
    Spec common;
    if (by_cluster(spec, input))
      cluster_field(keys, common, input);
    if (by_cluster(spec, input) && input != nullptr)
      check_cluster(keys, common, spec, workers, servers, *input);
    if (by_store(spec, input))
      store_fields(keys, spec, workers, input);
    keys.choice("master", spec.master_up, {{"up", true}, {"down", false}}, "whether the master answers");
    spec.time_out = protocol->default_time_out();
    keys.quantity("time_out", spec.time_out, "time-out of the waiting tasks",
                  {.example = "30 min", .least = 1e-3, .otherwise = "that of the framework"});
    keys.quantity("deploy", spec.deploy, "time to create the tasks for the first job; later jobs reuse them",
                  {.example = "3 min"});
    std::vector<JoiningTask> listed;
    keys.list<JoiningTask>("tasks", listed, "a task that joins late or never, or has another cluster_spec",
                           "tasks that are late, missing, or differ",
                           [&](Fields& inner, JoiningTask& task) { task_fields(inner, task, spec, common, input); },
                           {.what = "a task"});
  }

  /// Whether the keys of tasks that find each other by a ClusterSpec are known.
  static bool by_cluster(const RendezvousSpec& spec, const SectionInput* input)
  {
    return input == nullptr || spec.protocol == "cluster_spec";
  }

  /// Whether those of tasks that find each other by the store of rank 0 are.
  static bool by_store(const RendezvousSpec& spec, const SectionInput* input)
  {
    return input == nullptr || spec.protocol != "cluster_spec";
  }

  static const JobSpec* first_job(Fields& keys, const RendezvousSpec& spec, const std::vector<JobSpec>& jobs)
  {
    std::vector<std::string> known;
    for (const JobSpec& job : jobs)
      known.push_back(job.name);
    const JobSpec* first = nullptr;
    for (const std::string& name : spec.jobs) {
      const auto found = std::ranges::find(jobs, name, &JobSpec::name);
      if (found == jobs.end())
        keys.error(keys.has("job") ? "job" : "jobs",
                   fmt::format("there is no job '{}'{}", name, did_you_mean(name, known)));
      else if (first == nullptr)
        first = &*found;
      else if (found->workers != first->workers)
        keys.error("jobs", fmt::format("'{}' has {} workers, '{}' has {}: they cannot use the same tasks", found->name,
                                       found->workers, first->name, first->workers));
    }
    if (spec.jobs.empty())
      keys.error("job", "give the 'job' (or 'jobs') that these tasks train");
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

  static bool cluster_field(Fields& keys, Spec& spec, const SectionInput* input)
  {
    return keys.custom(
        "cluster",
        schema::map_of(schema::list_of({{"type", "string"}}, "node:port of task 0, 1, …"),
                       "cluster_spec: addresses of the tasks, {ps: [\"ps-0:2222\"], worker: [\"worker-0:2222\"]}"),
        [&](const DocumentNode& node) {
          MapReader jobs{input->document, &node, "'cluster'", input->diagnostics};
          for (const DocumentNode::Entry& entry : jobs.entries())
            for (const DocumentNode* item : jobs.list(entry.key))
              if (item->kind == DocumentNode::Kind::scalar)
                spec[entry.key].push_back({item->text, item});
              else
                input->document.error(input->diagnostics, *item, "write an address as node:port");
        });
  }

  static void check_cluster(Fields& keys, const Spec& common, RendezvousSpec& spec, int workers, int servers,
                            const SectionInput& input)
  {
    if (!keys.has("cluster"))
      keys.error("cluster", "cluster_spec needs 'cluster': {ps: [\"ps-0:2222\"], worker: [\"worker-0:2222\"]}");
    const std::vector<std::string> nodes = node_names(input);
    std::map<std::string, std::string> used; // address -> task
    for (const auto& [name, wanted] : {std::pair{"ps", servers}, std::pair{"worker", workers}}) {
      const auto found = common.find(name);
      const int listed = found == common.end() ? 0 : static_cast<int>(found->second.size());
      if (keys.has("cluster") && listed != wanted)
        keys.error("cluster",
                   fmt::format("the ClusterSpec has {}, job '{}' has {}", counted(listed, fmt::format("{} task", name)),
                               spec.jobs.empty() ? "" : spec.jobs.front(), wanted));
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
  }

  static void store_fields(Fields& keys, RendezvousSpec& spec, int workers, const SectionInput* input)
  {
    const std::vector<std::string> nodes = input == nullptr ? std::vector<std::string>{} : node_names(*input);
    std::string host = nodes.empty() ? "" : nodes.front();
    keys.text("master_addr", host, "init_process_group: node of rank 0", {.otherwise = "the first node"});
    if (std::ranges::find(nodes, host) == nodes.end())
      keys.error("master_addr", fmt::format("there is no node '{}'{}", host, did_you_mean(host, nodes)));
    int port = 29500;
    keys.integer("master_port", port, "init_process_group: port of rank 0", {.least = 1, .most = 65535});
    spec.master = fmt::format("{}:{}", host, port);
    int world = workers;
    keys.integer("world_size", world, "init_process_group: number of ranks to wait for",
                 {.least = 1, .most = 1'000'000, .otherwise = "workers of the job"});
    if (world < workers)
      keys.error("world_size", fmt::format("the job has {} workers, more than the world size {}: the last ranks cannot "
                                           "join",
                                           workers, world));
    for (int rank = workers; rank < world; ++rank) // ranks that nobody starts
      spec.tasks.push_back({.name = fmt::format("rank {}", rank), .address = {}, .joins = std::nullopt});
  }

  /// @p task: what the file says about one of the tasks of @p spec, where it goes.
  static void task_fields(Fields& keys, JoiningTask& task, RendezvousSpec& spec, const Spec& common,
                          const SectionInput* input)
  {
    if (by_cluster(spec, input))
      keys.text("task", task.name, "cluster_spec: /job:worker/task:1", {.required = input != nullptr});
    if (int rank = 0; by_store(spec, input)) {
      keys.integer("rank", rank, "init_process_group: number of the rank",
                   {.most = 1'000'000, .required = input != nullptr, .otherwise = "none, each task needs one"});
      task.name = fmt::format("rank {}", rank);
    }
    std::vector<std::string> known;
    for (const JoiningTask& one : spec.tasks)
      known.push_back(one.name);
    const auto found = std::ranges::find(spec.tasks, task.name, &JoiningTask::name);
    if (found == spec.tasks.end())
      keys.error(by_store(spec, input) ? "rank" : "task",
                 fmt::format("there is no task '{}'{}", task.name, did_you_mean(task.name, known)));
    const schema::Json join = schema::described({{"type", "string"}, {"examples", {"47 s"}}},
                                                "time at which it joins, after the job is placed; or 'never'");
    keys.custom("join", join,
                [&](const DocumentNode&) {
                  if (keys.reader().text("join", "never") == "never")
                    task.joins = std::nullopt;
                  else
                    task.joins = Seconds{keys.reader().quantity("join", QuantityKind::duration, 0)};
                },
                {.otherwise = to_text(task.joins.value())});
    if (found != spec.tasks.end())
      found->joins = task.joins;
    if (Spec own; by_cluster(spec, input) && cluster_field(keys, own, input))
      compare(keys, common, own, task.name, *input);
  }

  /// Every task must have been given the same ClusterSpec; the first entry that differs is named.
  static void compare(Fields& keys, const Spec& common, const Spec& own, const std::string& task,
                      const SectionInput& input)
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
          keys.error("cluster", message);
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
