// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/workload.hpp"

#include "models/core/closest.hpp"
#include "models/job/workload.hpp"
#include "models/scenario/section.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <string>

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
  bool lists_tasks = false;
};

using JobsByName = std::map<std::string, std::vector<int>>; // a name with copies stands for all of them

/// Thousandths, which a file gives as a share or a number of the whole.
void whole_field(Fields& keys, const char* key, int& milli, const std::string& meaning, const FieldRange& range)
{
  double whole = milli / 1000.0;
  keys.number(key, whole, meaning, range);
  milli = static_cast<int>(1000 * whole + 1e-6); // rounded down: seven sevenths are no more than a whole
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

/// The type of GPU that tasks need; @p fallback where the key is absent.
int gpu_type_field(Fields& keys, const char* meaning, const FieldRange& range, int fallback, Workload& workload)
{
  std::string type;
  keys.text("gpu_type", type, meaning, range);
  if (type.empty())
    return fallback;
  const auto found = std::ranges::find(workload.gpu_types, type);
  const auto index = found - workload.gpu_types.begin();
  if (found == workload.gpu_types.end())
    workload.gpu_types.push_back(type);
  return static_cast<int>(index);
}

/// The machines that tasks may go to, in Workload::demands; @p fallback where no key says it.
int place_fields(Fields& keys, int fallback, Workload& workload)
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
    return fallback;
  workload.demands.push_back(std::move(demands));
  return static_cast<int>(workload.demands.size()) - 1;
}

/// CPU and memory of each task; @p otherwise: what counts without the keys.
void host_fields(Fields& keys, int& cpu_milli, int& memory_mib, const std::string& otherwise)
{
  whole_field(keys, "cpus", cpu_milli, "CPU cores of each task", {.most = 1e6, .otherwise = otherwise});
  keys.integer("cpu_milli", cpu_milli, "cpus in thousandths", {.otherwise = "cpus"});
  only_one(keys, "cpus", "cpu_milli");
  memory_field(keys, "memory", memory_mib, "host memory of each task", {.example = "16 GB", .otherwise = otherwise});
  keys.integer("memory_mib", memory_mib, "memory in MiB", {.otherwise = "memory"});
  only_one(keys, "memory", "memory_mib");
}

constexpr double most_gpus = 1'000'000; // of a gang; as many tasks

/// Equal tasks among others of the same job.
void group_fields(Fields& keys, TaskGroup& group, Workload& workload)
{
  const std::string of_job = "the job's";
  keys.text("role", group.role, "name of these tasks for messages: master, launcher, worker",
            {.otherwise = "their number in the list"});
  keys.integer("count", group.count, "number of these tasks", {.least = 1, .most = most_gpus});
  keys.integer("gpus", group.gpus, "whole GPUs of each of them", {.least = 0, .most = most_gpus});
  host_fields(keys, group.cpu_milli, group.memory_mib, of_job);
  group.gpu_type = gpu_type_field(keys, "type of GPU that they need", {.otherwise = of_job}, group.gpu_type, workload);
  group.demands = place_fields(keys, group.demands, workload);
}

void tasks_number(Fields& keys, int& tasks)
{
  keys.integer("tasks", tasks, "number of equal tasks, each on one machine",
               {.most = most_gpus, .otherwise = "the GPUs may be split over machines in any way"});
}

/// A number, or a list that is read once the job's own keys are: whether it is that.
bool tasks_field(Fields& keys, int& tasks)
{
  if (!keys.reading()) {
    Fields number{keys.parts(), keys.catalogue()};
    tasks_number(number, tasks);
    Workload none;
    const schema::Json list = schema::list_of(
        schema_of<TaskGroup>(keys.parts(), keys.catalogue(), "tasks that are equal among themselves",
                             [&](Fields& inner, TaskGroup& group) { group_fields(inner, group, none); }),
        "tasks that are not all equal, by kind: a launcher or master, and workers; each task on one machine, all start "
        "together. What a kind does not say is the job's");
    keys.custom("tasks",
                {{"anyOf", {(*number.properties())["tasks"], list}},
                 {"description", "number of equal tasks, or a list of tasks that are not equal; each on one machine"}},
                [](const DocumentNode&) {}, {.otherwise = "the GPUs may be split over machines in any way"});
    return false;
  }
  if (const DocumentNode* given = keys.reader().node("tasks");
      given != nullptr && given->kind == DocumentNode::Kind::list)
    return true;
  tasks_number(keys, tasks);
  return false;
}

/// Tasks that are not all equal, of a job whose other keys have been read.
void task_list(Fields& keys, TraceJob& job, Workload& workload)
{
  std::vector<TaskGroup> tasks;
  keys.list<TaskGroup>("tasks", tasks, "task", "",
                       [&](Fields& inner, TaskGroup& group) {
                         group = {.role = fmt::format("task {}", tasks.size()),
                                  .cpu_milli = job.cpu_milli,
                                  .memory_mib = job.memory_mib,
                                  .gpu_type = job.gpu_type,
                                  .demands = job.demands};
                         group_fields(inner, group, workload);
                       },
                       {.what = "task {}"});
  for (const char* key : {"distinct_nodes", "min_gpus", "max_gpus", "gpu_share", "gpu_milli"})
    if (keys.has(key))
      keys.error(key, fmt::format("'{}' is for equal tasks; write their number (tasks: 3)", key));
  double gpus = 0, cpus = 0, memory = 0;
  for (const TaskGroup& group : tasks) {
    gpus += 1.0 * group.count * group.gpus;
    cpus += 1.0 * group.count * group.cpu_milli;
    memory += 1.0 * group.count * group.memory_mib;
  }
  if (tasks.empty())
    return keys.error("tasks", "the list of tasks is empty");
  if (gpus > most_gpus || cpus > 1e9 || memory > 1e9)
    return keys.error("tasks", "all tasks together ask for more than 1,000,000 GPUs, 1,000,000 CPU cores or 1e9 MiB");
  if (keys.has("gpus") && job.gpus != static_cast<int>(gpus))
    keys.error("gpus", fmt::format("the tasks have {:g} GPUs together, not {}; remove 'gpus' or mend one of them", gpus,
                                   job.gpus));
  workload.set_tasks(job, std::move(tasks));
}

void gang_fields(Fields& keys, ListedJob& listed)
{
  TraceJob& job = listed.job;
  keys.integer("gpus", job.gpus, "GPUs of the whole gang", {.most = most_gpus});
  job.tasks = job.gpus == 0 ? 1 : 0;
  listed.lists_tasks = tasks_field(keys, job.tasks);
  if (job.tasks > 0 && job.gpus % job.tasks != 0 && !listed.lists_tasks)
    keys.error("tasks", fmt::format("{} GPUs cannot be divided evenly over {} tasks", job.gpus, job.tasks));
  keys.flag("distinct_nodes", job.distinct_nodes, "each task needs a machine of its own");
  const FieldRange elastic{.most = most_gpus, .otherwise = "gpus"};
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
  host_fields(keys, job.cpu_milli, job.memory_mib, "none");
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
  job.gpu_type = gpu_type_field(keys, "type of GPU that the job needs", {}, job.gpu_type, workload);
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
  gang_fields(keys, listed);
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
  listed.job.demands = place_fields(keys, listed.job.demands, workload);
  if (listed.lists_tasks)
    task_list(keys, listed.job, workload);
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

/// Declares `jobs`: the jobs themselves, one map each; @p workload gets them in order of submission.
///
/// Names that do not exist, cycles and sizes that contradict each other are faults with their places; with faults the
/// result is not to be used. @p steps: of jobs that give steps instead of a run time, by name. @p input: null while the
/// schema is written.
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

constexpr double most_jobs = 20'000'000; // as many rows as a trace may have

/// The file that a key names: beside the scenario, or in the working folder. Nothing where the key is absent.
std::optional<std::filesystem::path> file_field(Fields& keys, const char* key, const char* what,
                                                const std::string& meaning, const SectionInput* input,
                                                const FieldRange& range = {})
{
  std::string name;
  if (!keys.text(key, name, meaning, range))
    return std::nullopt;
  std::filesystem::path file = name;
  std::error_code error;
  if (file.is_relative())
    for (const std::filesystem::path& folder :
         {std::filesystem::path{input->scenario.file}.parent_path(), std::filesystem::path{}})
      if (std::filesystem::exists(folder / name, error)) {
        file = folder / name;
        break;
      }
  if (!name.empty() && !std::filesystem::exists(file, error))
    keys.error(key,
               fmt::format("there is no {} '{}' in the folder of the scenario or in the working folder", what, name));
  return file;
}

/// Shares by name, of which at least one is above zero.
std::vector<std::pair<std::string, double>> shares_field(Fields& keys, const char* key, const std::string& meaning,
                                                         const std::string& otherwise)
{
  std::vector<std::pair<std::string, double>> shares;
  if (keys.numbers(key, shares, meaning, {.most = 1e9, .otherwise = otherwise}) &&
      std::ranges::all_of(shares, [](const auto& share) { return share.second <= 0; }))
    keys.error(key, fmt::format("'{}' needs at least one share above zero", key));
  return shares;
}

void trace_fields(Fields& keys, WorkloadSection& section, const SectionInput* input)
{
  section.trace =
      file_field(keys, "file", "trace", "path of the trace, relative to the scenario", input, {.required = true});
  TraceOptions& options = section.options;
  std::vector<std::string> formats = Registry<TraceImporter>::instance().names();
  formats.insert(formats.begin(), "auto");
  keys.choice("format", options.format, formats, "format of the trace; auto: recognised from its first lines");
  keys.object("columns", "columns of a table of your own (format csv): which of them are those of Trainyard's table",
              [&](Fields& columns) {
                for (const OwnColumn& column : own_columns()) {
                  std::string theirs;
                  if (columns.text(column.name, theirs, std::string{"column in the file: "} + column.meaning))
                    options.columns[column.name] = theirs;
                }
              });
  keys.integer("jobs", options.first_jobs, "read only this many jobs from the start", {.least = 1, .otherwise = "all"});
  keys.quantity("from", options.from, "leave out jobs submitted before this time after the first submission",
                {.example = "7 d"});
  keys.quantity("until", options.until, "leave out jobs submitted after this time", {.example = "30 d"});
  keys.number("time_compression", options.time_compression, "factor by which submissions come faster",
              {.least = 1e-6, .most = 1e9});
  keys.integer("processors_per_gpu", options.processors_per_gpu,
               "processors that count as one GPU, for formats that count processors", {.least = 1, .most = 1'000'000});
  keys.integer("like", section.like_trace, "number of jobs to generate with the statistics of the trace",
               {.least = 1, .most = most_jobs, .otherwise = "its own jobs"});
  keys.quantity("resample", section.resample,
                "draw stretches of this length from the trace, with replacement, others for each seed: what another "
                "such period could have brought. Days stay days of the week",
                {.example = "1 d", .otherwise = "the trace as it is"});
  if (section.like_trace > 0 && section.resample > Seconds{0})
    keys.error("resample", "give either 'like' or 'resample'");
}

void sizes_field(Fields& keys, GeneratorSpec& spec, const SectionInput* input)
{
  const auto shares = shares_field(keys, "gpus", "share of the jobs for each number of GPUs: {1: 0.7, 8: 0.3}",
                                   fmt::format("{}", std::map<int, double>{spec.gpus.begin(), spec.gpus.end()}));
  if (!keys.has("gpus"))
    return;
  spec.gpus.clear();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto& [name, share] = shares[i];
    const auto count = cell_number(name);
    std::string fault;
    if (!count || *count < 1 || *count != std::floor(*count) || *count > 1e6)
      fault = fmt::format("'{}' is not a number of GPUs", name);
    else if (spec.gpus_per_task > 0 && *count > spec.gpus_per_task && std::fmod(*count, spec.gpus_per_task) != 0)
      fault = fmt::format("{} GPUs are not a whole number of tasks of {} GPUs; 'gpus_per_task' divides the larger jobs",
                          name, spec.gpus_per_task);
    else
      spec.gpus.emplace_back(static_cast<int>(*count), share);
    if (!fault.empty())
      input->document.error(input->diagnostics, keys.node()->find("gpus")->entries[i], fault);
  }
}

/// Settings of all arrival processes; those of others than the chosen one have no effect.
void arrival_fields(Fields& keys, GeneratorSpec& spec, const SectionInput* input)
{
  if (schema::Json* properties = keys.properties(); properties != nullptr)
    schema::add_settings(*properties, {{"arrivals", parts_of(Registry<ArrivalProcess>::instance())}}, {"arrivals"},
                         keys.catalogue());
  if (!keys.reading())
    return;
  for (const auto& [name, entry] : Registry<ArrivalProcess>::instance().entries()) {
    const Settings settings = read_settings(keys.reader(), entry.parameters);
    if (name == spec.arrivals)
      spec.arrival_settings = settings;
    else
      for (const auto& [key, value] : settings.numbers())
        if (const DocumentNode* where = keys.node()->find(key); where != nullptr)
          input->diagnostics.warning(input->document.at(*where), no_effect_with(key, "arrivals " + spec.arrivals),
                                     input->document.line_text(where->line));
  }
}

void generator_fields(Fields& keys, GeneratorSpec& spec, const SectionInput* input)
{
  constexpr double most = 1'000'000;
  keys.integer("jobs", spec.jobs, "number of jobs", {.least = 1, .most = most_jobs});
  keys.choice("arrivals", spec.arrivals, Registry<ArrivalProcess>::instance().names(), "arrival process");
  keys.quantity("mean_interarrival", spec.mean_interarrival, "mean time between submissions",
                {.example = "60 s", .least = 1e-6});
  keys.quantity("median_duration", spec.median_duration, "median of the run times", {.example = "1 h", .least = 1e-6});
  keys.number("duration_sigma", spec.duration_sigma, "standard deviation of the logarithm of the run times",
              {.most = 10});
  keys.integer(
      "gpus_per_task", spec.gpus_per_task,
      "GPUs of the largest task: smaller jobs are one task on one machine, larger jobs are gangs of such tasks",
      {.least = 1, .most = most, .otherwise = "GPUs may be split over machines in any way"});
  sizes_field(keys, spec, input);
  keys.integer("users", spec.users, "number of users who submit jobs", {.least = 1, .most = most});
  keys.integer("teams", spec.teams, "number of teams of these users", {.least = 1, .most = most});
  arrival_fields(keys, spec, input);
}

void measured_fields(Fields& keys, MeasuredJobs& measured)
{
  keys.quantity("from", measured.from, "jobs submitted at this time after the first submission or later",
                {.example = "2 d"});
  keys.quantity("until", measured.until, "jobs submitted at this time or before",
                {.example = "10 d", .otherwise = "the last submission"});
  keys.integer("from_job", measured.from_job, "so many jobs, the first submitted, do not count",
               {.example = "4000", .least = 0, .most = most_jobs});
  keys.integer("until_job", measured.until_job, "jobs submitted after so many do not count",
               {.example = "5000", .least = 1, .most = most_jobs, .otherwise = "all count"});
  keys.choice("warm_up", measured.detect_warm_up, {{"given", false}, {"detect", true}},
              "detect: also leave out the jobs before the waiting times become steady (MSER-5)");
  if (measured.until && *measured.until <= measured.from)
    keys.error("until", "'until' is not after 'from'");
  if (measured.until_job > 0 && measured.until_job <= measured.from_job)
    keys.error("until_job", "'until_job' is not above 'from_job'");
}

void packing_fields(Fields& keys, PackingSection& packing)
{
  keys.integer("orders", packing.orders, "random orders of arrival", {.least = 1, .most = 10'000});
  keys.number("load", packing.load, "GPUs that all arriving tasks ask for, as a share of the cluster's",
              {.example = "130 %", .least = 0.01, .most = 100});
  keys.number("measured_at", packing.measured_at,
              "the allocated share is reported where so much of the cluster has been asked for",
              {.example = "100 %", .least = 0.01, .most = 100});
  keys.flag("repeats_tasks", packing.repeats_tasks,
            "after the tasks of the workload come copies of randomly chosen ones, up to the load");
  if (packing.measured_at > packing.load)
    keys.error("measured_at", "'measured_at' is above 'load': so much is never asked for");
}

/// What is known of the steps and batches of a model.
void goodput_fields(Fields& keys, GoodputSpec& spec, const SectionInput* input)
{
  constexpr double most_batch = 100'000'000;
  const char* table = "table of steps";
  const auto steps = file_field(keys, "steps", table,
                                "measured steps, as AdaptDL's placements.csv: columns placement (44: two machines with "
                                "4 GPUs each), local_bsz, step_time and sync_time in seconds",
                                input);
  spec.steps = steps.value_or(std::filesystem::path{});
  keys.map("steps_on", "the same by type of GPU", [&](Fields& types, const std::string& type) {
    if (const auto file = file_field(types, type.c_str(), table, "measured steps on this type", input))
      spec.steps_on[type] = *file;
  });
  if (keys.reading() && !keys.has("steps") && spec.steps_on.empty())
    keys.error("a model needs the measured 'steps', or 'steps_on' by type of GPU");
  keys.object("batch", "samples of a step",
              [&](Fields& batch) {
                batch.integer("initial", spec.initial_batch, "global batch that the job was written for",
                              {.least = 1, .most = most_batch, .required = true});
                batch.integer("most", spec.most_batch, "largest global batch; its learning rate follows (AdaScale)",
                              {.least = 1, .most = most_batch, .otherwise = "the initial one: the batch stays"});
                batch.integer("most_per_gpu", spec.most_per_gpu, "largest batch of a GPU",
                              {.least = 1, .most = most_batch, .otherwise = "the largest that was measured"});
                batch.integer("accumulation", spec.accumulation,
                              "most steps whose gradients are only added up before a step with exchange, so that a "
                              "batch may be larger than fits the GPUs",
                              {.least = 0, .most = 1000});
                if (spec.most_batch > 0 && spec.most_batch < spec.initial_batch)
                  batch.error("most", "'most' is below 'initial'");
              },
              {.required = true});
  keys.list<NoisePhase>("noise_scale", spec.noise_scale, "a phase",
                        "gradient noise scale: of a batch m, a sample is worth (noise + initial) / (noise + m) of one "
                        "of the initial batch (Pollux, OSDI 2021)",
                        [](Fields& phase, NoisePhase& value) {
                          phase.number("value", value.value, "samples", {.most = 1e12, .required = true});
                          phase.number("from", value.from, "share of the work from which on it counts",
                                       {.example = "50 %", .most = 1});
                        },
                        {.required = true, .alone = true});
  for (std::size_t i = 0; i < spec.noise_scale.size(); ++i)
    if (i == 0 ? spec.noise_scale[i].from > 0 : spec.noise_scale[i].from <= spec.noise_scale[i - 1].from)
      return keys.error("noise_scale", "the phases must begin at 0 and be in order of 'from'");
}

class WorkloadReader final : public SectionOf<WorkloadSection>
{
public:
  WorkloadReader() : SectionOf{"workload", "jobs for the queue"} {}
  bool brings_work() const override { return true; }

protected:
  void fields(Fields& keys, WorkloadSection& section, const SectionInput* input) const override
  {
    const bool traced =
        keys.object("trace", "jobs from a file", [&](Fields& inner) { trace_fields(inner, section, input); });
    const bool generated =
        keys.object<GeneratorSpec>("generate", "generated jobs", section.generate,
                                   [&](Fields& inner, GeneratorSpec& spec) { generator_fields(inner, spec, input); });
    section.models = shares_field(
        keys, "models",
        "models for jobs without one, as name: share; with speed: step the names are those of the scenario's jobs", {});
    listed_jobs_field(keys, section.listed, section.steps, input);
    if (input != nullptr && (traced ? 1 : 0) + (generated ? 1 : 0) + (keys.has("jobs") ? 1 : 0) != 1)
      input->document.error(input->diagnostics, input->node, "'workload' needs either 'trace', 'generate' or 'jobs'");
    section.machines =
        file_field(keys, "machines", "file of machines",
                   "file of machines that replace those of the cluster: openb nodes, or a Tiresias cluster", input);
    section.throughputs =
        file_field(keys, "throughputs", "table of throughputs",
                   "steps per second of each kind of job on each type of GPU: Gavel's JSON. Jobs then run as fast as "
                   "it says on the type they get, and traces that count steps (Gavel) get their run times",
                   input);
    keys.map<GoodputSpec>(
        "goodput", section.goodput, "model",
        "models whose steps were measured: a job of such a model takes, on the GPUs it has, the batch with the highest "
        "goodput = samples per second x what a sample is worth. Its run time means the GPUs that it asks for, on as "
        "few machines as possible. The policies pollux, optimus and sia plan with it",
        "a model", [&](Fields& inner, GoodputSpec& spec) { goodput_fields(inner, spec, input); });
    if (!section.goodput.empty() && section.throughputs)
      keys.error("goodput", "give either 'goodput' or 'throughputs': both say how fast jobs are");
    keys.text("reference_gpu", section.reference_gpu,
              "GPU type that run times were measured on; with several types of GPU whose speeds differ (throughputs, "
              "or speed: step)",
              {.otherwise = "the type that a job asks for, its column reference_gpu, or the cluster's only type"});
    keys.object<PackingSection>("packing",
                                "nothing is replayed: tasks arrive in random orders, are placed once or rejected, and "
                                "never leave. How much of the cluster can each placement policy allocate?",
                                section.packing, packing_fields);
    keys.object<MeasuredJobs>("measured",
                              "jobs whose figures count; the others run too, and load the cluster: without the time in "
                              "which the empty cluster fills, and without the end",
                              section.measured, measured_fields);
    keys.number("estimate_badness", section.estimate_badness, "users request up to (1 + badness) times the run time",
                {.most = 1e6, .otherwise = "the estimates in the trace"});
  }
};

TY_REGISTER(ScenarioSection, WorkloadReader, "workload", "jobs for the queue: from a trace, or generated");

} // namespace
} // namespace trainyard
