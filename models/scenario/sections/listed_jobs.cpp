// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/listed_jobs.hpp"

#include "models/core/closest.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sstream>

namespace trainyard {
namespace {

constexpr int most_listed_jobs = 100'000;

/// "key=value" of a toleration; a key alone tolerates every value, "*" every taint.
std::pair<std::string, std::string> toleration_of(const std::string& text)
{
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  return {key == "*" ? "" : key, equals == std::string::npos ? "" : text.substr(equals + 1)};
}

int demands_of(const SectionInput& input, MapReader& reader, Workload& workload)
{
  NodeDemands demands;
  demands.required = reader.texts("node_selector");
  demands.any_of = reader.texts("any_node_of");
  for (const std::string& text : reader.texts("tolerations"))
    demands.tolerations.push_back(toleration_of(text));
  if (const DocumentNode* node = reader.node("prefers"); node != nullptr) {
    MapReader weights{input.document, node, "'prefers'", input.diagnostics};
    for (const DocumentNode::Entry& entry : weights.entries())
      demands.preferred.emplace_back(entry.key, weights.number(entry.key, 1, 1, 100));
  }
  if (demands.required.empty() && demands.any_of.empty() && demands.tolerations.empty() && demands.preferred.empty())
    return 0;
  workload.demands.push_back(std::move(demands));
  return static_cast<int>(workload.demands.size()) - 1;
}

TraceJob read_job(const SectionInput& input, MapReader& reader, Workload& workload)
{
  TraceJob job;
  job.submit = Seconds{reader.quantity("submit", QuantityKind::duration, 0)};
  job.duration = Seconds{reader.required_quantity("duration", QuantityKind::duration)};
  job.estimate = Seconds{reader.quantity("estimate", QuantityKind::duration, job.duration.value())};
  if (reader.has("deadline"))
    job.deadline = Seconds{reader.quantity("deadline", QuantityKind::duration, 0)};
  job.gpus = reader.integer("gpus", 1, 0, 1'000'000);
  job.tasks = reader.integer("tasks", job.gpus == 0 ? 1 : 0, 0, 1'000'000);
  if (job.tasks > 0 && job.gpus % job.tasks != 0)
    reader.error("tasks", fmt::format("{} GPUs cannot be divided evenly over {} tasks", job.gpus, job.tasks));
  job.min_gpus = reader.integer("min_gpus", 0, 0, 1'000'000);
  job.max_gpus = reader.integer("max_gpus", 0, 0, 1'000'000);
  if (job.smallest_gpus() > job.gpus || job.largest_gpus() < job.gpus)
    reader.error(job.smallest_gpus() > job.gpus ? "min_gpus" : "max_gpus",
                 fmt::format("min_gpus {} <= gpus {} <= max_gpus {} does not hold", job.smallest_gpus(), job.gpus,
                             job.largest_gpus()));
  job.distinct_nodes = reader.flag("distinct_nodes", false);
  const bool shares = reader.has("gpu_share");
  job.gpu_milli = reader.integer("gpu_milli", 1000, 1, 1000);
  if (shares && reader.has("gpu_milli"))
    reader.error("gpu_share", "give either 'gpu_share' or 'gpu_milli'");
  if (shares)
    job.gpu_milli = static_cast<int>(1000 * reader.number("gpu_share", 1, 0.001, 1) + 0.5);
  if (job.gpu_milli < 1000 && job.gpus != 1)
    reader.error(shares ? "gpu_share" : "gpu_milli", "a part of a GPU needs gpus: 1");
  job.compute_milli =
      reader.has("gpu_compute") ? static_cast<int>(1000 * reader.number("gpu_compute", 1, 0.001, 1) + 0.5) : 0;
  job.gpu_memory_mib = static_cast<int>(reader.quantity("gpu_memory", QuantityKind::bytes, 0) / 1048576);
  job.cpu_milli = reader.integer("cpu_milli", 0, 0);
  if (reader.has("cpus"))
    job.cpu_milli = static_cast<int>(1000 * reader.number("cpus", 0, 0, 1e6));
  job.memory_mib = reader.integer("memory_mib", 0, 0);
  if (reader.has("memory"))
    job.memory_mib = static_cast<int>(reader.quantity("memory", QuantityKind::bytes, 0) / 1048576);
  job.priority = static_cast<float>(reader.number("priority", 0, -1e9, 1e9));
  job.weight = static_cast<float>(reader.number("weight", 1, 1e-6, 1e6));
  job.user = workload.users.index_of(reader.text("user", ""));
  job.team = workload.teams.index_of(reader.text("team", ""));
  job.queue = workload.queues.index_of(reader.text("queue", ""));
  job.model = workload.models.index_of(reader.text("model", ""));
  if (const std::string type = reader.text("gpu_type", ""); !type.empty()) {
    const auto found = std::ranges::find(workload.gpu_types, type);
    job.gpu_type = static_cast<int>(found - workload.gpu_types.begin());
    if (found == workload.gpu_types.end())
      workload.gpu_types.push_back(type);
  }
  job.demands = demands_of(input, reader, workload);
  return job;
}

} // namespace

nlohmann::ordered_json listed_jobs_schema()
{
  using namespace schema;
  const Json texts = {{"type", "array"}, {"items", {{"type", "string"}}}};
  const Json job = object(
      "one job",
      {{"name", text("name, for `after` and the reports (default its number)")},
       {"copies", whole("number of equal jobs, named NAME-0, NAME-1… (default 1)")},
       {"submit", quantity("time of submission, since the start (default 0 s)", "10 min")},
       {"duration", quantity("run time at full speed, without waiting", "2 h")},
       {"estimate", quantity("run time that the user estimates; policies plan with it (default: the run time)", "4 h")},
       {"deadline", quantity("time by which it should end, since the start", "8 h")},
       {"gpus", whole("GPUs of the whole gang (default 1)", 0)},
       {"tasks",
        whole("number of equal tasks, each on one machine; default: the GPUs may be split over machines in any way",
              0)},
       {"distinct_nodes", flag("each task needs a machine of its own (default false)")},
       {"min_gpus", whole("elastic jobs: fewest GPUs", 0)},
       {"max_gpus", whole("elastic jobs: most GPUs", 0)},
       {"gpu_share",
        number("share of one GPU, 0.001 to 1: of its time, or of its memory with gpu_sharing by memory", 0.001)},
       {"gpu_milli", whole("gpu_share in thousandths")},
       {"gpu_compute", number("share of each GPU's time that it would use alone, 0.001 to 1 (default: gpu_share; 1 "
                              "with gpu_sharing by memory)",
                              0.001)},
       {"gpu_memory", quantity("memory that it needs on each GPU; with less it dies", "10 GiB")},
       {"cpus", number("CPU cores of each task")},
       {"cpu_milli", whole("cpus in thousandths", 0)},
       {"memory", quantity("host memory of each task", "16 GB")},
       {"memory_mib", whole("memory in MiB", 0)},
       {"after",
        {{"anyOf", {texts, {{"type", "string"}}}},
         {"description", "jobs that must end before this one starts: a list of names, or names separated by spaces"}}},
       {"user", text("user who submits the job")},
       {"team", text("team that the job belongs to")},
       {"queue", text("queue or partition of the job")},
       {"priority", {{"type", "number"}, {"description", "priority; the larger number goes first (default 0)"}}},
       {"weight", number("weight in fair sharing (default 1)", 1e-6)},
       {"model", text("with speed: step, the name of one of the scenario's jobs")},
       {"gpu_type", text("type of GPU that the job needs")},
       {"node_selector", described(texts, "labels key=value that a machine must have")},
       {"any_node_of", described(texts, "labels key=value of which a machine must have at least one")},
       {"tolerations", described(texts, "taints that the job tolerates: key=value, key, or *")},
       {"prefers",
        {{"type", "object"},
         {"description", "labels key=value: weight 1 to 100, for the placement policy kubernetes"},
         {"additionalProperties", {{"type", "number"}, {"minimum", 1}, {"maximum", 100}}}}}},
      {"duration"});
  return list_of(job, "the jobs, listed one by one");
}

Workload read_listed_jobs(const SectionInput& input, const DocumentNode& list)
{
  Workload workload;
  workload.source = "listed in the scenario";
  if (list.kind != DocumentNode::Kind::list) {
    input.document.error(input.diagnostics, list,
                         "'jobs' of the workload is a list of jobs: - {name: first, duration: 2 h, gpus: 4}");
    return workload;
  }
  std::map<std::string, std::vector<int>> named; // a name with copies stands for all of them
  std::vector<std::pair<const DocumentNode*, std::vector<int>>> after;
  for (const DocumentNode& item : list.items) {
    MapReader reader{input.document, &item, fmt::format("job {}", workload.size()), input.diagnostics};
    const int copies = reader.integer("copies", 1, 1, most_listed_jobs);
    const std::string name = reader.text("name", fmt::format("{}", workload.size()));
    if (named.contains(name))
      reader.error("name", fmt::format("two jobs have the name '{}'", name));
    TraceJob job = read_job(input, reader, workload);
    job.row = item.line;
    std::vector<int> indices;
    for (int copy = 0; copy < copies && workload.size() < most_listed_jobs; ++copy) {
      indices.push_back(workload.size());
      workload.jobs.push_back(job);
      workload.job_names.push_back(copies > 1 ? fmt::format("{}-{}", name, copy) : name);
      named[name].push_back(indices.back());
      if (copies > 1)
        named[workload.job_names.back()].push_back(indices.back());
    }
    if (const DocumentNode* node = reader.node("after"); node != nullptr)
      after.emplace_back(node, indices);
    reader.finish();
  }
  if (workload.jobs.empty()) {
    input.document.error(input.diagnostics, list, "'jobs' of the workload is empty");
    return workload;
  }
  std::vector<std::string> names;
  for (const auto& [name, indices] : named)
    names.push_back(name);
  for (const auto& [node, waiting] : after) {
    std::vector<std::pair<const DocumentNode*, std::string>> words;
    if (node->kind == DocumentNode::Kind::list)
      for (const DocumentNode& word : node->items)
        words.emplace_back(&word, word.text);
    std::istringstream blanks{node->text};
    for (std::string word; blanks >> word;)
      words.emplace_back(node, word);
    for (const auto& [place, word] : words) {
      const auto found = named.find(word);
      if (found == named.end()) {
        input.document.error(input.diagnostics, *place,
                             fmt::format("there is no job '{}'{}", word, did_you_mean(word, names)));
        continue;
      }
      for (const int waits : waiting)
        for (const int awaited : found->second)
          workload.dependencies.emplace_back(JobId{waits}, JobId{awaited});
    }
  }
  if (const std::vector<JobId> cycle = dependency_cycle(workload); !cycle.empty()) {
    std::string text;
    for (const JobId id : cycle)
      text += (text.empty() ? "" : " -> ") + workload.name(id);
    input.document.error(input.diagnostics, list, fmt::format("jobs wait for each other in a cycle: {}", text));
    return workload;
  }
  sort_by_submission(workload);
  return workload;
}

} // namespace trainyard
