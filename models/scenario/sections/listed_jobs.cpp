#include "models/scenario/sections/listed_jobs.hpp"

#include "models/core/closest.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace trainyard {

nlohmann::ordered_json listed_jobs_schema()
{
  using namespace schema;
  return list_of(object("a job",
                        {{"name", text("of the job")},
                         {"submit", quantity("when it is submitted (default 0 s)", "10 min")},
                         {"duration", quantity("how long it runs", "2 h")},
                         {"estimate", quantity("how long its user says it runs; default: the duration", "3 h")},
                         {"deadline", quantity("wanted end", "1 d")},
                         {"gpus", whole("of the whole gang (default 1)", 0)},
                         {"tasks", whole("equal tasks, each on one machine; default: GPUs may be split freely", 0)},
                         {"gpu_milli", whole("thousandths of a GPU, of jobs with one GPU")},
                         {"cpu_milli", whole("thousandths of a CPU core, of each task", 0)},
                         {"memory_mib", whole("memory of each task", 0)},
                         {"min_gpus", whole("elastic jobs: at least", 0)},
                         {"max_gpus", whole("elastic jobs: at most", 0)},
                         {"priority", described({{"type", "number"}}, "larger goes first")},
                         {"weight", number("of fairness (default 1)", 1e-6)},
                         {"user", text("who submits")},
                         {"team", text("department, queue")},
                         {"model", text("what it trains")},
                         {"gpu_type", text("type of GPU; default: any")},
                         {"after", text("names of jobs that must have ended, divided by blanks")}},
                        {"name", "duration"}),
                 "jobs of the queue, listed");
}

Workload read_listed_jobs(const SectionInput& input, const DocumentNode& node)
{
  Workload workload;
  workload.source = "listed in the scenario";
  if (node.kind != DocumentNode::Kind::list)
    input.document.error(input.diagnostics, node, "'jobs' of the workload is a list of jobs");
  std::map<std::string, int> named;
  std::vector<std::pair<int, const DocumentNode*>> after;
  for (const DocumentNode& item : node.items) {
    MapReader reader{input.document, &item, fmt::format("job {} of the workload", workload.size()), input.diagnostics};
    TraceJob job;
    const std::string name = reader.required_text("name");
    if (!named.emplace(name, workload.size()).second)
      reader.error("name", fmt::format("two jobs are called '{}'", name));
    job.submit = Seconds{reader.quantity("submit", QuantityKind::duration, 0)};
    job.duration = Seconds{reader.required_quantity("duration", QuantityKind::duration)};
    job.estimate = Seconds{reader.quantity("estimate", QuantityKind::duration, job.duration.value())};
    if (reader.has("deadline"))
      job.deadline = Seconds{reader.quantity("deadline", QuantityKind::duration, 0)};
    job.gpus = reader.integer("gpus", 1, 0, 1'000'000);
    job.tasks = reader.integer("tasks", job.gpus == 0 ? 1 : 0, 0, 1'000'000);
    job.gpu_milli = reader.integer("gpu_milli", 1000, 1, 1000);
    if (job.gpu_milli < 1000 && job.gpus != 1)
      reader.error("gpu_milli", "a part of a GPU goes with gpus: 1 only");
    if (job.tasks > 0 && job.gpus % job.tasks != 0)
      reader.error("tasks", fmt::format("{} GPUs cannot be divided evenly over {} tasks", job.gpus, job.tasks));
    job.cpu_milli = reader.integer("cpu_milli", 0, 0);
    job.memory_mib = reader.integer("memory_mib", 0, 0);
    job.min_gpus = reader.integer("min_gpus", 0, 0, 1'000'000);
    job.max_gpus = reader.integer("max_gpus", 0, 0, 1'000'000);
    if (job.smallest_gpus() > job.largest_gpus())
      reader.error("min_gpus", "min_gpus is above max_gpus");
    job.priority = static_cast<float>(reader.number("priority", 0, -1e9, 1e9));
    job.weight = static_cast<float>(reader.number("weight", 1, 1e-6, 1e6));
    job.user = workload.users.index_of(reader.text("user", ""));
    job.team = workload.teams.index_of(reader.text("team", ""));
    job.model = workload.models.index_of(reader.text("model", ""));
    if (const std::string type = reader.text("gpu_type", ""); !type.empty()) {
      auto found = std::ranges::find(workload.gpu_types, type);
      if (found == workload.gpu_types.end())
        found = workload.gpu_types.insert(workload.gpu_types.end(), type);
      job.gpu_type = static_cast<int>(found - workload.gpu_types.begin());
    }
    job.row = item.line;
    if (const DocumentNode* list = reader.node("after"); list != nullptr)
      after.emplace_back(workload.size(), list);
    reader.finish();
    workload.jobs.push_back(job);
    workload.job_names.push_back(name);
  }
  std::vector<std::string> names;
  for (const auto& [position, list] : after) {
    std::string word;
    for (const char c : list->text + " ") {
      if (c != ' ') {
        word += c;
        continue;
      }
      if (const auto found = named.find(word); found != named.end()) {
        workload.dependencies.emplace_back(JobId{position}, JobId{found->second});
      } else if (!word.empty()) {
        if (names.empty())
          for (const auto& [name, at] : named)
            names.push_back(name);
        input.document.error(input.diagnostics, *list, fmt::format("there is no job '{}'{}", word, did_you_mean(word, names)));
      }
      word.clear();
    }
  }
  if (workload.jobs.empty())
    input.document.error(input.diagnostics, node, "'jobs' of the workload is empty");
  sort_by_submission(workload);
  return workload;
}

} // namespace trainyard
