// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/listed_jobs.hpp"

#include "models/core/closest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// One item of the list.
struct ListedJob {
  std::string name;
  int copies = 1;
  TraceJob job;
  double steps = 0; // 0: the run time is given
  const DocumentNode* after = nullptr;
};

using JobsByName = std::map<std::string, std::vector<int>>; // a name with copies stands for all of them

/// Thousandths, which a file gives as a share or a number of the whole.
void whole_field(Fields& keys, const char* key, int& milli, const std::string& meaning, const FieldRange& range)
{
  double whole = milli / 1000.0;
  keys.number(key, whole, meaning, range);
  milli = static_cast<int>(std::lround(1000 * whole));
}

/// At most 1e9 MiB, as where a file gives MiB.
void memory_field(Fields& keys, const char* key, int& mib, const std::string& meaning, FieldRange range)
{
  constexpr double mebibyte = 1048576;
  range.most = 1e9 * mebibyte;
  Bytes memory{mib * mebibyte};
  keys.quantity(key, memory, meaning, range);
  mib = static_cast<int>(memory.value() / mebibyte);
}

void float_field(Fields& keys, const char* key, float& value, const std::string& meaning, const FieldRange& range)
{
  double wide = value;
  keys.number(key, wide, meaning, range);
  value = static_cast<float>(wide);
}

void only_one(Fields& keys, const char* one, const char* other)
{
  if (keys.has(one) && keys.has(other))
    keys.error(one, fmt::format("give either '{}' or '{}'", one, other));
}

void time_fields(Fields& keys, TraceJob& job, double& steps)
{
  keys.quantity("submit", job.submit, "time of submission, since the start", {.example = "10 min"});
  const bool lasts = keys.quantity("duration", job.duration, "run time at full speed, without waiting",
                                   {.example = "2 h", .otherwise = "steps"});
  keys.number("steps", steps, "with speed: step, training steps of its model instead of a duration",
              {.least = 1, .most = 1e12, .otherwise = "the duration says how long it runs"});
  if (keys.reading() && lasts == (steps > 0))
    keys.error("duration", lasts ? "give either 'duration' or 'steps'"
                                 : "a job needs its 'duration', or 'steps' with scheduling: {speed: step}");
  job.estimate = job.duration;
  keys.quantity("estimate", job.estimate, "run time that the user estimates; policies plan with it",
                {.example = "4 h", .otherwise = "the run time"});
  keys.quantity("deadline", job.deadline, "time by which it should end, since the start", {.example = "8 h"});
}

void gang_fields(Fields& keys, TraceJob& job)
{
  constexpr double most = 1'000'000;
  keys.integer("gpus", job.gpus, "GPUs of the whole gang", {.most = most});
  job.tasks = job.gpus == 0 ? 1 : 0;
  keys.integer("tasks", job.tasks, "number of equal tasks, each on one machine",
               {.most = most, .otherwise = "the GPUs may be split over machines in any way"});
  if (job.tasks > 0 && job.gpus % job.tasks != 0)
    keys.error("tasks", fmt::format("{} GPUs cannot be divided evenly over {} tasks", job.gpus, job.tasks));
  keys.flag("distinct_nodes", job.distinct_nodes, "each task needs a machine of its own");
  const FieldRange elastic{.most = most, .otherwise = "gpus"};
  keys.integer("min_gpus", job.min_gpus, "elastic jobs: fewest GPUs", elastic);
  keys.integer("max_gpus", job.max_gpus, "elastic jobs: most GPUs", elastic);
  if (job.smallest_gpus() > job.gpus || job.largest_gpus() < job.gpus)
    keys.error(job.smallest_gpus() > job.gpus ? "min_gpus" : "max_gpus",
               fmt::format("min_gpus {} <= gpus {} <= max_gpus {} does not hold", job.smallest_gpus(), job.gpus,
                           job.largest_gpus()));
}

void part_fields(Fields& keys, TraceJob& job)
{
  whole_field(keys, "gpu_share", job.gpu_milli,
              "share of one GPU, 0.001 to 1: of its time, or of its memory with gpu_sharing by memory",
              {.least = 0.001, .most = 1, .otherwise = "the whole GPU"});
  keys.integer("gpu_milli", job.gpu_milli, "gpu_share in thousandths",
               {.least = 1, .most = 1000, .otherwise = "gpu_share"});
  only_one(keys, "gpu_share", "gpu_milli");
  if (job.gpu_milli < 1000 && job.gpus != 1)
    keys.error(keys.has("gpu_share") ? "gpu_share" : "gpu_milli", "a part of a GPU needs gpus: 1");
  whole_field(keys, "gpu_compute", job.compute_milli, "share of each GPU's time that it would use alone, 0.001 to 1",
              {.least = 0.001, .most = 1, .otherwise = "gpu_share; 1 with gpu_sharing by memory"});
  memory_field(keys, "gpu_memory", job.gpu_memory_mib, "memory that it needs on each GPU; with less it dies",
               {.example = "10 GiB", .otherwise = "not known, it never dies for lack of it"});
  whole_field(keys, "cpus", job.cpu_milli, "CPU cores of each task", {.most = 1e6, .otherwise = "none"});
  keys.integer("cpu_milli", job.cpu_milli, "cpus in thousandths", {.otherwise = "cpus"});
  only_one(keys, "cpus", "cpu_milli");
  memory_field(keys, "memory", job.memory_mib, "host memory of each task", {.example = "16 GB", .otherwise = "none"});
  keys.integer("memory_mib", job.memory_mib, "memory in MiB", {.otherwise = "memory"});
  only_one(keys, "memory", "memory_mib");
}

void owner_fields(Fields& keys, TraceJob& job, Workload& workload)
{
  const auto name = [&](const char* key, NameTable& table, const char* meaning) {
    std::string text;
    keys.text(key, text, meaning);
    return table.index_of(text);
  };
  job.user = name("user", workload.users, "user who submits the job");
  job.team = name("team", workload.teams, "team that the job belongs to");
  job.queue = name("queue", workload.queues, "queue or partition of the job");
  job.qos = static_cast<std::int16_t>(name("qos", workload.qos, "quality of service, one of slurm.qos"));
  job.reservation = static_cast<std::int16_t>(
      name("reservation", workload.reservations, "reservation that the job runs in, one of slurm.reservations"));
  float_field(keys, "priority", job.priority, "priority; the larger number goes first", {.least = -1e9, .most = 1e9});
  float_field(keys, "weight", job.weight, "weight in fair sharing", {.least = 1e-6, .most = 1e6});
  job.model = name("model", workload.models, "with speed: step, the name of one of the scenario's jobs");
  std::string type;
  keys.text("gpu_type", type, "type of GPU that the job needs");
  if (type.empty())
    return;
  const auto found = std::ranges::find(workload.gpu_types, type);
  job.gpu_type = static_cast<int>(found - workload.gpu_types.begin());
  if (found == workload.gpu_types.end())
    workload.gpu_types.push_back(type);
}

void place_fields(Fields& keys, TraceJob& job, Workload& workload)
{
  NodeDemands demands;
  keys.texts("node_selector", demands.required, "labels key=value that a machine must have");
  keys.texts("any_node_of", demands.any_of, "labels key=value of which a machine must have at least one");
  std::vector<std::string> tolerations;
  keys.texts("tolerations", tolerations, "taints that the job tolerates: key=value, key, or *");
  for (const std::string& text : tolerations)
    demands.tolerations.push_back(toleration_of(text));
  keys.numbers("prefers", demands.preferred, "labels key=value: weight 1 to 100, for the placement policy kubernetes",
               {.least = 1, .most = 100});
  if (demands.required.empty() && demands.any_of.empty() && demands.tolerations.empty() && demands.preferred.empty())
    return;
  job.demands = static_cast<int>(workload.demands.size());
  workload.demands.push_back(std::move(demands));
}

void job_fields(Fields& keys, ListedJob& listed, Workload& workload)
{
  listed.name = std::to_string(workload.size());
  keys.text("name", listed.name, "name, for `after` and the reports", {.otherwise = "its number"});
  keys.integer("copies", listed.copies, "number of equal jobs, named NAME-0, NAME-1…",
               {.least = 1, .most = most_listed_jobs});
  int array_limit = 0;
  keys.integer("array_limit", array_limit, "of the copies, how many may run at once (job array): policy slurm",
               {.least = 1, .most = most_listed_jobs, .otherwise = "all"});
  if (array_limit > 0)
    listed.job.array = workload.array_of(listed.name, array_limit);
  time_fields(keys, listed.job, listed.steps);
  gang_fields(keys, listed.job);
  part_fields(keys, listed.job);
  static const schema::Json text = {{"type", "string"}};
  static const schema::Json names = {
      {"anyOf", {{{"type", "array"}, {"items", text}}, text}},
      {"description", "jobs that must end before this one starts: a list of names, or names separated by spaces"}};
  keys.custom("after", names, [&](const DocumentNode& node) {
    if (node.kind == DocumentNode::Kind::map)
      keys.error("after", "'after' is the name of a job, or a list of names");
    else
      listed.after = &node;
  });
  owner_fields(keys, listed.job, workload);
  place_fields(keys, listed.job, workload);
}

/// Adds that the jobs @p waiting start after those that @p after names.
void add_dependencies(const SectionInput& input, const DocumentNode& after, const std::vector<int>& waiting,
                      const JobsByName& named, Workload& workload)
{
  std::vector<std::pair<const DocumentNode*, std::string>> words;
  for (const DocumentNode& word : after.items)
    words.emplace_back(&word, word.text);
  std::istringstream blanks{after.text};
  for (std::string word; blanks >> word;)
    words.emplace_back(&after, word);
  for (const auto& [place, word] : words) {
    const auto found = named.find(word);
    if (found == named.end()) {
      input.document.error(input.diagnostics, *place,
                           fmt::format("there is no job '{}'{}", word, did_you_mean(word, keys_of(named))));
      continue;
    }
    for (const int waits : waiting)
      for (const int awaited : found->second)
        workload.dependencies.emplace_back(JobId{waits}, JobId{awaited});
  }
}

Workload read_list(const SectionInput& input, const DocumentNode& list, std::map<std::string, double>& steps)
{
  Workload workload;
  workload.source = "listed in the scenario";
  if (list.kind != DocumentNode::Kind::list) {
    input.document.error(input.diagnostics, list,
                         "'jobs' of the workload is a list of jobs: - {name: first, duration: 2 h, gpus: 4}");
    return workload;
  }
  JobsByName named;
  std::vector<std::pair<const DocumentNode*, std::vector<int>>> after;
  for (const DocumentNode& item : list.items) {
    ListedJob listed =
        read_record<ListedJob>(input, item, fmt::format("job {}", workload.size()), [&](Fields& keys, ListedJob& job) {
          job_fields(keys, job, workload);
          if (named.contains(job.name))
            keys.error("name", fmt::format("two jobs have the name '{}'", job.name));
        });
    listed.job.row = item.line;
    std::vector<int> indices;
    for (int copy = 0; copy < listed.copies && workload.size() < most_listed_jobs; ++copy) {
      indices.push_back(workload.size());
      workload.jobs.push_back(listed.job);
      workload.job_names.push_back(listed.copies > 1 ? fmt::format("{}-{}", listed.name, copy) : listed.name);
      if (listed.steps > 0)
        steps[workload.job_names.back()] = listed.steps;
      named[listed.name].push_back(indices.back());
      if (listed.copies > 1)
        named[workload.job_names.back()].push_back(indices.back());
    }
    if (listed.after != nullptr)
      after.emplace_back(listed.after, indices);
  }
  if (workload.jobs.empty()) {
    input.document.error(input.diagnostics, list, "'jobs' of the workload is empty");
    return workload;
  }
  for (const auto& [node, waiting] : after)
    add_dependencies(input, *node, waiting, named, workload);
  if (const std::vector<JobId> cycle = dependency_cycle(workload); !cycle.empty()) {
    std::string text;
    for (const JobId id : cycle)
      text += (text.empty() ? "" : " -> ") + workload.name(id);
    input.document.error(input.diagnostics, list, fmt::format("jobs wait for each other in a cycle: {}", text));
    return workload;
  }
  order_by_submission(workload);
  return workload;
}

} // namespace

void listed_jobs_field(Fields& keys, std::optional<Workload>& workload, std::map<std::string, double>& steps,
                       const SectionInput* input)
{
  schema::Json list;
  if (!keys.reading()) {
    Workload none;
    list = schema::list_of(schema_of<ListedJob>(keys.parts(), keys.catalogue(), "one job",
                                                [&](Fields& inner, ListedJob& job) { job_fields(inner, job, none); }),
                           "the jobs, listed one by one");
  }
  keys.custom("jobs", list, [&](const DocumentNode& node) { workload = read_list(*input, node, steps); });
}

} // namespace trainyard
