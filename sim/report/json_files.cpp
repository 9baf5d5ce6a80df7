// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/program.hpp"
#include "models/results/json.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/results/breakdown.hpp"
#include "sim/results/results.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;
using ReadJson = nlohmann::json; // finds a key quickly among any number

std::string dumped(const Json& json, int indent)
{
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <class Row>
void add_list(JsonObject& object, const char* key, const std::vector<Row>& rows, JsonText& json,
              void (*add)(JsonText&, const Row&))
{
  object.begin(key);
  json.text += '[';
  for (const Row& row : rows) {
    if (&row != &rows.front())
      json.text += ',';
    add(json, row);
  }
  json.text += ']';
}

void add_path(JsonText& json, const PathRow& row)
{
  JsonObject object{json};
  object.add("name", row.name);
  object.add("role", to_text(row.role));
  object.add("lane", row.lane);
  object.add("begin_s", row.begin.value());
  object.add("duration_s", row.duration.value());
  object.add("waited_s", row.waited.value());
  object.add("operations", row.operations);
}

void add_use(JsonText& json, const UseRow& row)
{
  JsonObject object{json};
  object.add("name", row.name);
  object.add("kind", row.kind);
  object.add("utilisation", row.utilisation);
  object.add("busy", row.busy);
  object.add("bytes_B", row.bytes.value());
}

void add_job(JsonText& json, const JobRow& row)
{
  JsonObject object{json};
  add_row(object, job_columns(), row);
  add_list(object, "critical_path", row.critical_path, json, add_path);
  add_list(object, "busiest", row.busiest, json, add_use);
}

/// What a job's own row says is not said again.
void add_seeds(JsonText& json, const SeedRange& one)
{
  JsonObject object{json};
  object.add("point", one.point);
  object.add("job", one.job);
  object.add("first", one.first);
  object.add("seeds", one.seeds);
  object.add("replicated", one.replicated);
  if (one.seeds > 1) {
    object.add("step_s", one.step_s);
    object.add("least_s", one.least_s);
    object.add("most_s", one.most_s);
  }
}

/// The top of a document whose lists are empty, and the rows that come into them: each on a line, and so on their way
/// in pieces before all are there.
class FilledDocument
{
public:
  FilledDocument(std::string top, const TextSink& sink) : top_{std::move(top)}, sink_{sink} {}

  /// Of the lists at the top the next one with that name.
  template <class Row>
  void fill(const std::string& name, const std::vector<Row>& rows, void (*add)(JsonText&, const Row&))
  {
    if (rows.empty())
      return;
    const std::string key = "\n  \"" + name + "\": ["; // line breaks in texts are escaped
    copy_until(top_.find(key, copied_) + key.size());
    for (const Row& row : rows) {
      json_.text += &row == &rows.front() ? "\n    " : ",\n    ";
      add(json_, row);
      if (json_.text.size() >= long_piece) {
        sink_(json_.text);
        json_.text.clear();
      }
    }
    json_.text += "\n  ";
  }
  void end()
  {
    copy_until(top_.size());
    json_.text += "\n";
    sink_(json_.text);
  }

private:
  void copy_until(std::size_t place)
  {
    json_.text.append(top_, copied_, place - copied_);
    copied_ = place;
  }

  std::string top_;
  std::size_t copied_ = 0;
  const TextSink& sink_;
  JsonText json_;
};

Role role_of(const std::string& text)
{
  for (const Role role : {Role::input, Role::forward, Role::backward, Role::pull, Role::push, Role::exchange,
                          Role::aggregate, Role::update})
    if (to_text(role) == text)
      return role;
  return Role::other;
}

JobRow read_job(const ReadJson& json)
{
  JobRow row;
  read_row(job_columns(), json, row);
  if (const auto goodput = json.find("goodput"); goodput != json.end() && goodput->is_number())
    row.failures = FailureCosts{.useful = goodput->get<double>()};
  for (const ReadJson& path : json.value("critical_path", ReadJson::array()))
    row.critical_path.push_back({path.value("name", ""), role_of(path.value("role", "")), path.value("lane", ""),
                                 Seconds{path.value("begin_s", 0.0)}, Seconds{path.value("duration_s", 0.0)},
                                 Seconds{path.value("waited_s", 0.0)}, path.value("operations", 1)});
  for (const ReadJson& use : json.value("busiest", ReadJson::array()))
    row.busiest.push_back({use.value("name", ""), use.value("kind", ""), use.value("utilisation", 0.0),
                           use.value("busy", 0.0), Bytes{use.value("bytes_B", 0.0)}});
  return row;
}

/// Parsed and of a layout we know; @p kind is what the file should be.
ReadJson parsed(const std::string& text, const std::string& file, std::string_view kind)
{
  ReadJson json = ReadJson::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("kind") || json["kind"] != kind)
    throw InputError{
        fmt::format("{}: this is not a {}; expected a file that simrun wrote into a results folder", file, kind)};
  const int version = json.value("schema_version", 0);
  if (version < 1 || version > results_schema_version)
    throw InputError{
        fmt::format("{}: this version does not know layout {} (it knows layouts up to {}); run it with simrun {}", file,
                    version, results_schema_version, json.value("trainyard_version", "of the version that wrote it"))};
  return json;
}

} // namespace

std::string summary_json(const Results& results)
{
  std::string text;
  summary_json(results, [&](std::string_view piece) { text += piece; });
  return text;
}

void summary_json(const Results& results, const TextSink& sink)
{
  std::vector<std::string> warnings = texts_of(results.messages, MessageKind::error);
  std::ranges::move(texts_of(results.messages, MessageKind::warning), std::back_inserter(warnings));
  Json json = {{"kind", "trainyard summary"},
               {"schema_version", results_schema_version},
               {"trainyard_version", program_version()},
               {"scenario", results.run.scenario_name},
               {"description", results.description},
               {"seed", results.run.seed},
               {"fidelity", results.run.fidelity},
               {"confidence", results.run.confidence},
               {"advice", answer_text(results)},
               {"warnings", warnings},
               {"assumed", texts_of(results.assumed, MessageKind::part)},
               {"jobs", Json::array()},
               {"top_links", Json::array()}};
  if (const std::vector<std::string> costs = texts_of(results.messages, MessageKind::cost); !costs.empty())
    json["failures"] = costs;
  for (const Message& message : results.messages)
    json["messages"].push_back(to_json(message));
  std::set<std::string> said; // many jobs are held back by the same
  for (const JobRow& row : results.jobs)
    for (const Message* part : {&row.bottleneck, &row.provenance_note})
      if (!part->id.empty() && said.insert(part->text).second)
        json["messages"].push_back(to_json(*part));
  if (!results.assumed.empty())
    json["messages"].push_back(to_json(assumed_told(results.assumed)));
  for (const Knee& knee : knees(results))
    json["knees"].push_back({{"model", knee.model}, {"variant", knee.variant}, {"workers", knee.workers}});
  if (!results.seeds.empty())
    json["seeds"] = Json::array();
  if (const std::string words = seeds_text(results.seeds, results.run.confidence); !words.empty())
    json["seeds_in_words"] = words;
  std::map<std::string, int> kept; // by point
  for (const LinkRow& row : results.links)
    if (++kept[row.point] <= 10)
      json["top_links"].push_back({{"point", row.point},
                                   {"link", row.link},
                                   {"label", row.label},
                                   {"bandwidth_Bps", row.bandwidth.value()},
                                   {"utilisation", row.utilisation},
                                   {"busy", row.busy},
                                   {"bytes_B", row.bytes.value()},
                                   {"jobs", row.jobs}});
  // Jobs may be thousands: they are written one by one, each on a line.
  FilledDocument document{dumped(json, 2), sink};
  document.fill("jobs", results.jobs, add_job);
  document.fill("seeds", results.seeds, add_seeds);
  document.end();
}

Results read_summary(const std::string& text, const std::string& file)
{
  try {
    const ReadJson json = parsed(text, file, "trainyard summary");
    Results results;
    results.run.scenario_name = json.value("scenario", "");
    results.run.seed = json.value("seed", std::uint64_t{1});
    results.run.fidelity = json.value("fidelity", "");
    results.run.confidence = json.value("confidence", results.run.confidence);
    results.description = json.value("description", "");
    std::map<std::string, Message> said; // what cells of rows show in words alone
    for (const ReadJson& one : json.value("messages", ReadJson::array())) {
      Message message = read_message(one);
      if (message.id == assumed_told({}).id)
        results.assumed = messages_in(message, "list");
      else
        said.emplace(message.text, results.messages.emplace_back(std::move(message)));
    }
    std::erase_if(results.assumed, [](const Message& message) { return message.id.empty(); }); // what stands between
    if (const std::string answer = json.value("advice", "");
        results.messages.empty() && !answer.empty()) // of an older version
      results.messages.push_back(plain(MessageKind::answer, answer));
    for (const ReadJson& job : json.value("jobs", ReadJson::array())) {
      JobRow& row = results.jobs.emplace_back(read_job(job));
      for (Message* part : {&row.bottleneck, &row.provenance_note})
        if (const auto found = said.find(part->text); found != said.end())
          *part = found->second;
    }
    for (const ReadJson& one : json.value("seeds", ReadJson::array())) {
      const ReadJson step = one.value("step_s", ReadJson::object());
      results.seeds.push_back({.point = one.value("point", ""),
                               .job = one.value("job", ""),
                               .first = one.value("first", std::uint64_t{1}),
                               .seeds = one.value("seeds", 1),
                               .replicated = one.value("replicated", false),
                               .step_s = {step.value("mean", 0.0), step.value("low", 0.0), step.value("high", 0.0)},
                               .least_s = one.value("least_s", 0.0),
                               .most_s = one.value("most_s", 0.0)});
    }
    for (const ReadJson& link : json.value("top_links", ReadJson::array())) {
      LinkRow row;
      row.point = link.value("point", "");
      row.link = link.value("link", "");
      row.label = link.value("label", "");
      row.bandwidth = BytesPerSecond{link.value("bandwidth_Bps", 0.0)};
      row.utilisation = link.value("utilisation", 0.0);
      row.busy = link.value("busy", 0.0);
      row.bytes = Bytes{link.value("bytes_B", 0.0)};
      row.jobs = link.value("jobs", std::vector<std::string>{});
      results.links.push_back(std::move(row));
    }
    return results;
  } catch (const ReadJson::exception& error) {
    throw InputError{fmt::format("{}: a value has the wrong type ({}); was the file edited?", file, error.what())};
  }
}

std::string manifest_json(const Results& results)
{
  const RunInfo& run = results.run;
  const bool known =
      !run.inputs.empty() && run.inputs.front().first == run.scenario_file; // its text is the first input
  Json json = {{"kind", "trainyard manifest"},
               {"schema_version", results_schema_version},
               {"trainyard_version", program_version()},
               {"commit", program_commit()},
               {"seed", run.seed},
               {"fidelity", run.fidelity},
               {"calibration", run.calibration},
               {"overrides", run.overrides},
               {"inputs", Json::array()},
               {"scenario",
                {{"name", run.scenario_name},
                 {"file", run.scenario_file},
                 {"folder", run.scenario_folder},
                 {"sha256", known ? run.inputs.front().second : sha256(run.scenario_text)},
                 {"text", run.scenario_text}}}};
  for (const auto& [name, digest] : run.inputs)
    json["inputs"].push_back({{"file", name}, {"sha256", digest}});
  return dumped(json, 2) + "\n";
}

std::string scenario_path(const RunInfo& run)
{
  return (std::filesystem::path{run.scenario_folder} / run.scenario_file).string();
}

RunInfo read_manifest(const std::string& text, const std::string& file)
{
  try {
    const ReadJson json = parsed(text, file, "trainyard manifest");
    RunInfo run;
    run.seed = json.at("seed").get<std::uint64_t>();
    run.fidelity = json.at("fidelity").get<std::string>();
    run.calibration = json.value("calibration", "");
    run.overrides = json.at("overrides").get<std::vector<std::string>>();
    for (const ReadJson& input : json.at("inputs"))
      run.inputs.emplace_back(input.at("file").get<std::string>(), input.at("sha256").get<std::string>());
    const ReadJson& scenario = json.at("scenario");
    run.scenario_name = scenario.at("name").get<std::string>();
    run.scenario_file = scenario.at("file").get<std::string>();
    run.scenario_folder = scenario.value("folder", "");
    run.scenario_text = scenario.at("text").get<std::string>();
    if (sha256(run.scenario_text) != scenario.at("sha256").get<std::string>())
      throw InputError{fmt::format("{}: the scenario in the file does not match its SHA-256; the file was edited or "
                                   "damaged. Run the scenario file itself, or restore the manifest from a backup",
                                   file)};
    return run;
  } catch (const ReadJson::exception& error) {
    throw InputError{
        fmt::format("{}: a key is missing or has the wrong type ({}); was the file edited?", file, error.what())};
  }
}

} // namespace trainyard
