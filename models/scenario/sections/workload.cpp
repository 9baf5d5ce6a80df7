// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/workload.hpp"

#include "models/scenario/map_reader.hpp"
#include "models/scenario/read_settings.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"
#include "models/scenario/sections/listed_jobs.hpp"

#include <fmt/format.h>

#include <cmath>

namespace trainyard {
namespace {

class WorkloadReader final : public ScenarioSection
{
public:
  bool brings_work() const override { return true; }

  nlohmann::ordered_json schema(const Parts&, const Catalogue&) const override
  {
    using namespace schema;
    std::vector<std::string> formats = Registry<TraceImporter>::instance().names();
    formats.insert(formats.begin(), "auto");
    const Json trace = object(
        "jobs from a file",
        {{"file", text("path of the trace, relative to the scenario")},
         {"format", name_of(formats, "format of the trace (default auto: recognised from its first lines)")},
         {"jobs", whole("read only this many jobs from the start")},
         {"from", quantity("leave out jobs submitted before this time after the first submission", "7 d")},
         {"until", quantity("leave out jobs submitted after this time", "30 d")},
         {"time_compression", number("factor by which submissions come faster (default 1)", 1e-6)},
         {"processors_per_gpu",
          whole("processors that count as one GPU, for formats that count processors (default 1)")},
         {"like", whole("number of jobs to generate with the statistics of the trace, instead of its own jobs")}},
        {"file"});
    Json generate = {
        {"jobs", whole("number of jobs (default 1000)")},
        {"arrivals", name_of(Registry<ArrivalProcess>::instance().names(), "arrival process (default poisson)")},
        {"mean_interarrival", quantity("mean time between submissions (default 60 s)", "60 s")},
        {"median_duration", quantity("median of the run times (default 1 h)", "1 h")},
        {"duration_sigma", number("standard deviation of the logarithm of the run times (default 1.5)")},
        {"gpus",
         {{"type", "object"},
          {"description", "share of the jobs for each number of GPUs: {1: 0.7, 8: 0.3}"},
          {"additionalProperties", {{"type", "number"}, {"minimum", 0}}}}},
        {"gpus_per_task",
         whole("GPUs of the largest task: smaller jobs are one task on one machine, larger jobs are gangs of "
               "such tasks (default: GPUs may be split over machines in any way)")},
        {"users", whole("number of users who submit jobs (default 10)")},
        {"teams", whole("number of teams of these users (default 3)")}};
    for (const auto& [name, entry] : Registry<ArrivalProcess>::instance().entries())
      for (const Parameter& parameter : entry.parameters)
        generate[parameter.name] =
            number(fmt::format("{} (of {}, default {})", parameter.meaning, name, parameter.default_value));
    return object(
        "jobs for the queue",
        {{"trace", trace},
         {"generate", object("generated jobs", generate)},
         {"models",
          {{"type", "object"},
           {"description",
            "models for jobs without one, as name: share; with speed: step the names are those of the scenario's jobs"},
           {"additionalProperties", {{"type", "number"}, {"minimum", 0}}}}},
         {"jobs", listed_jobs_schema()},
         {"machines", text("file of machines that replace those of the cluster: openb nodes, or a Tiresias cluster")},
         {"estimate_badness",
          number("users request up to (1 + badness) times the run time; default: the estimates in the trace")}});
  }

  std::any read(const SectionInput& input) const override
  {
    WorkloadSection section;
    MapReader reader{input.document, &input.node, "'workload'", input.diagnostics};
    if ((reader.has("trace") ? 1 : 0) + (reader.has("generate") ? 1 : 0) + (reader.has("jobs") ? 1 : 0) != 1)
      input.document.error(input.diagnostics, input.node, "'workload' needs either 'trace', 'generate' or 'jobs'");
    if (const DocumentNode* node = reader.node("jobs"); node != nullptr)
      section.listed = read_listed_jobs(input, *node);
    if (reader.has("machines"))
      section.machines = existing_file(input, reader, "machines", "file of machines");
    if (const DocumentNode* node = reader.node("trace"); node != nullptr)
      read_trace(input, *node, section);
    if (const DocumentNode* node = reader.node("generate"); node != nullptr)
      read_generator(input, *node, section);
    if (const DocumentNode* models = reader.node("models"); models != nullptr) {
      MapReader shares{input.document, models, "'models'", input.diagnostics};
      double total = 0;
      for (const DocumentNode::Entry& entry : shares.entries()) {
        section.models.emplace_back(entry.key, shares.number(entry.key, 0, 0, 1e9));
        total += section.models.back().second;
      }
      if (total <= 0)
        input.document.error(input.diagnostics, *models, "'models' needs at least one share above zero");
    }
    if (reader.has("estimate_badness"))
      section.estimate_badness = reader.number("estimate_badness", 0, 0, 1e6);
    reader.finish();
    return section;
  }

private:
  /// The file that a key names: beside the scenario, or in the working folder.
  static std::filesystem::path existing_file(const SectionInput& input, MapReader& reader, const std::string& key,
                                             const char* what)
  {
    const std::string name = reader.required_text(key);
    std::filesystem::path file = name;
    std::error_code error;
    if (file.is_relative())
      for (const std::filesystem::path& folder :
           {std::filesystem::path{input.scenario.file}.parent_path(), std::filesystem::path{}})
        if (std::filesystem::exists(folder / name, error)) {
          file = folder / name;
          break;
        }
    if (!name.empty() && !std::filesystem::exists(file, error))
      reader.error(
          key, fmt::format("there is no {} '{}' in the folder of the scenario or in the working folder", what, name));
    return file;
  }

  static void read_trace(const SectionInput& input, const DocumentNode& node, WorkloadSection& section)
  {
    MapReader reader{input.document, &node, "'trace'", input.diagnostics};
    section.trace = existing_file(input, reader, "file", "trace");
    std::vector<std::string> formats = Registry<TraceImporter>::instance().names();
    formats.insert(formats.begin(), "auto");
    section.options.format = reader.choice("format", "auto", formats);
    section.options.first_jobs = reader.integer("jobs", 0, 1);
    if (reader.has("from"))
      section.options.from = Seconds{reader.quantity("from", QuantityKind::duration, 0)};
    if (reader.has("until"))
      section.options.until = Seconds{reader.quantity("until", QuantityKind::duration, 0)};
    section.options.time_compression = reader.number("time_compression", 1, 1e-6, 1e9);
    section.options.processors_per_gpu = reader.integer("processors_per_gpu", 1, 1, 1'000'000);
    section.like_trace = reader.integer("like", 0, 1, 20'000'000);
    reader.finish();
  }

  static void read_generator(const SectionInput& input, const DocumentNode& node, WorkloadSection& section)
  {
    MapReader reader{input.document, &node, "'generate'", input.diagnostics};
    GeneratorSpec spec;
    spec.jobs = reader.integer("jobs", spec.jobs, 1, 20'000'000);
    spec.arrivals = reader.choice("arrivals", spec.arrivals, Registry<ArrivalProcess>::instance().names());
    spec.mean_interarrival = Seconds{reader.quantity("mean_interarrival", QuantityKind::duration, 60, 1e-6)};
    spec.median_duration = Seconds{reader.quantity("median_duration", QuantityKind::duration, 3600, 1e-6)};
    spec.duration_sigma = reader.number("duration_sigma", spec.duration_sigma, 0, 10);
    spec.users = reader.integer("users", spec.users, 1, 1'000'000);
    spec.teams = reader.integer("teams", spec.teams, 1, 1'000'000);
    spec.gpus_per_task = reader.integer("gpus_per_task", 0, 1, 1'000'000);
    if (const DocumentNode* mix = reader.node("gpus"); mix != nullptr) {
      MapReader sizes{input.document, mix, "'gpus'", input.diagnostics};
      spec.gpus.clear();
      double total = 0;
      for (const DocumentNode::Entry& entry : sizes.entries()) {
        const double share = sizes.number(entry.key, 0, 0, 1e9);
        const auto count = cell_number(entry.key);
        if (!count || *count < 1 || *count != std::floor(*count) || *count > 1e6)
          input.document.error(input.diagnostics, entry, fmt::format("'{}' is not a number of GPUs", entry.key));
        else if (spec.gpus_per_task > 0 && *count > spec.gpus_per_task && std::fmod(*count, spec.gpus_per_task) != 0)
          input.document.error(
              input.diagnostics, entry,
              fmt::format("{} GPUs are not a whole number of tasks of {} GPUs; 'gpus_per_task' divides the larger jobs",
                          entry.key, spec.gpus_per_task));
        else
          spec.gpus.emplace_back(static_cast<int>(*count), share);
        total += share;
      }
      if (total <= 0)
        input.document.error(input.diagnostics, *mix, "'gpus' needs at least one share above zero");
    }
    for (const auto& [name, entry] : Registry<ArrivalProcess>::instance().entries()) {
      const Settings settings = read_settings(reader, entry.parameters);
      if (name == spec.arrivals)
        spec.arrival_settings = settings;
      else
        for (const auto& [key, value] : settings.numbers())
          if (const DocumentNode* where = node.find(key); where != nullptr)
            input.diagnostics.warning(input.document.at(*where),
                                      fmt::format("'{}' has no effect with arrivals {}", key, spec.arrivals),
                                      input.document.line_text(where->line));
    }
    reader.finish();
    section.generate = spec;
  }
};

TY_REGISTER(ScenarioSection, WorkloadReader, "workload", "jobs for the queue: from a trace, or generated");

} // namespace
} // namespace trainyard
