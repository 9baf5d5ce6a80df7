// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/eight_characters.hpp"
#include "models/core/program.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/column_json.hpp"
#include "sim/report/files.hpp"
#include "sim/report/knee.hpp"
#include "sim/report/sha256.hpp"
#include "sim/report/table.hpp"
#include "sim/results/breakdown.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json, int indent)
{
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Only characters that stand for themselves in JSON: printable ones of ASCII but quotes and backslashes.
bool stands_for_itself(std::string_view text)
{
  using namespace eight_characters;
  return none(text, [](std::uint64_t eight) {
    return eight | ((eight - all(' ')) & ~eight) | any(eight, '"') | any(eight, '\\') | any(eight, 127);
  });
}

/// Text that grows, with the numbers that were written lately: the same one often comes again, as in an interval
/// without width, or on all links of a way.
struct JsonText {
  struct Number {
    std::uint64_t bits = 0; // of the value; no digits: none
    std::uint8_t length = 0;
    std::array<char, 31> digits{};
  };
  std::string text{};
  std::array<Number, 64> numbers{};

  void add(double value)
  {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    Number& number = numbers[bits * 0x9E3779B97F4A7C15U >> 58U];
    if (number.length == 0 || number.bits != bits) {
      char* const first = number.digits.data();
      number.bits = bits;
      number.length =
          static_cast<std::uint8_t>(nlohmann::detail::to_chars(first, first + number.digits.size(), value) - first);
    }
    text.append(number.digits.data(), number.length);
  }
};

/// An object, member by member, as nlohmann::json would write it: of jobs there may be thousands.
class ObjectText
{
public:
  explicit ObjectText(JsonText& json) : json_{json}, text_{json.text} { text_ += '{'; }
  ~ObjectText() { text_ += '}'; }
  ObjectText(const ObjectText&) = delete;
  ObjectText& operator=(const ObjectText&) = delete;

  void add(std::string_view key, const std::string& value)
  {
    begin(key);
    if (stands_for_itself(value)) {
      text_ += '"';
      text_ += value;
      text_ += '"';
    } else
      text_ += dumped(value, -1);
  }
  void add(std::string_view key, double value)
  {
    begin(key);
    if (!std::isfinite(value)) {
      text_ += "null";
      return;
    }
    json_.add(value);
  }
  void add(std::string_view key, std::integral auto value)
  {
    begin(key);
    text_ += std::to_string(value);
  }
  void add(std::string_view key, std::nullptr_t)
  {
    begin(key);
    text_ += "null";
  }
  void add(std::string_view key, const Estimate& value)
  {
    begin(key);
    ObjectText parts{json_};
    parts.add("mean", value.mean);
    parts.add("low", value.low);
    parts.add("high", value.high);
  }
  void add(std::string_view key, const Distribution& value)
  {
    begin(key);
    text_ += dumped(to_json(value), -1);
  }
  /// The text of its value follows.
  void begin(std::string_view key)
  {
    std::array<char, 64> piece{}; // appended at once
    if (key.size() + 4 > piece.size()) {
      text_.append(text_.back() != '{' ? "," : "").append(1, '"').append(key).append("\":");
      return;
    }
    auto end = piece.begin();
    if (text_.back() != '{')
      *end++ = ',';
    *end++ = '"';
    end = std::ranges::copy(key, end).out;
    *end++ = '"';
    *end++ = ':';
    text_.append(piece.begin(), end);
  }

private:
  JsonText& json_;
  std::string& text_;
};

template <class Row>
void add_list(ObjectText& object, const char* key, const std::vector<Row>& rows, JsonText& json,
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
  ObjectText object{json};
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
  ObjectText object{json};
  object.add("name", row.name);
  object.add("kind", row.kind);
  object.add("utilisation", row.utilisation);
  object.add("busy", row.busy);
  object.add("bytes_B", row.bytes.value());
}

void add_job(JsonText& json, const JobRow& row)
{
  ObjectText object{json};
  for_each_json_value(job_columns(), row, [&](const std::string& name, const auto& value) { object.add(name, value); });
  add_list(object, "critical_path", row.critical_path, json, add_path);
  add_list(object, "busiest", row.busiest, json, add_use);
}

/// What a job's own row says is not said again.
void add_seeds(JsonText& json, const SeedRange& one)
{
  ObjectText object{json};
  object.add("point", one.point);
  object.add("job", one.job);
  object.add("first", one.first);
  object.add("seeds", one.seeds);
  object.begin("replicated");
  json.text += one.replicated ? "true" : "false";
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

JobRow read_job(const Json& json)
{
  JobRow row;
  read_row(job_columns(), json, row);
  for (const Json& path : json.value("critical_path", Json::array()))
    row.critical_path.push_back({path.value("name", ""), role_of(path.value("role", "")), path.value("lane", ""),
                                 Seconds{path.value("begin_s", 0.0)}, Seconds{path.value("duration_s", 0.0)},
                                 Seconds{path.value("waited_s", 0.0)}, path.value("operations", 1)});
  for (const Json& use : json.value("busiest", Json::array()))
    row.busiest.push_back({use.value("name", ""), use.value("kind", ""), use.value("utilisation", 0.0),
                           use.value("busy", 0.0), Bytes{use.value("bytes_B", 0.0)}});
  return row;
}

/// Parsed and of a layout we know; @p kind is what the file should be.
Json parsed(const std::string& text, const std::string& file, std::string_view kind)
{
  Json json = Json::parse(text, nullptr, false);
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
  Json json = {{"kind", "trainyard summary"},
               {"schema_version", results_schema_version},
               {"trainyard_version", program_version()},
               {"scenario", results.run.scenario_name},
               {"description", results.description},
               {"seed", results.run.seed},
               {"fidelity", results.run.fidelity},
               {"confidence", results.run.confidence},
               {"advice", results.advice.empty() ? advice(results) : results.advice},
               {"warnings", results.warnings},
               {"assumed", results.assumed},
               {"jobs", Json::array()},
               {"top_links", Json::array()}};
  if (!results.failures.empty())
    json["failures"] = results.failures;
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
    const Json json = parsed(text, file, "trainyard summary");
    Results results;
    results.run.scenario_name = json.value("scenario", "");
    results.run.seed = json.value("seed", std::uint64_t{1});
    results.run.fidelity = json.value("fidelity", "");
    results.description = json.value("description", "");
    results.advice = json.value("advice", "");
    results.assumed = json.value("assumed", std::vector<std::string>{});
    results.failures = json.value("failures", std::vector<std::string>{});
    results.warnings = json.value("warnings", std::vector<std::string>{});
    for (const Json& job : json.value("jobs", Json::array()))
      results.jobs.push_back(read_job(job));
    for (const Json& one : json.value("seeds", Json::array())) {
      const Json step = one.value("step_s", Json::object());
      results.seeds.push_back({.point = one.value("point", ""),
                               .job = one.value("job", ""),
                               .first = one.value("first", std::uint64_t{1}),
                               .seeds = one.value("seeds", 1),
                               .replicated = one.value("replicated", false),
                               .step_s = {step.value("mean", 0.0), step.value("low", 0.0), step.value("high", 0.0)},
                               .least_s = one.value("least_s", 0.0),
                               .most_s = one.value("most_s", 0.0)});
    }
    for (const Json& link : json.value("top_links", Json::array())) {
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
  } catch (const Json::exception& error) {
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
    const Json json = parsed(text, file, "trainyard manifest");
    RunInfo run;
    run.seed = json.at("seed").get<std::uint64_t>();
    run.fidelity = json.at("fidelity").get<std::string>();
    run.calibration = json.value("calibration", "");
    run.overrides = json.at("overrides").get<std::vector<std::string>>();
    for (const Json& input : json.at("inputs"))
      run.inputs.emplace_back(input.at("file").get<std::string>(), input.at("sha256").get<std::string>());
    const Json& scenario = json.at("scenario");
    run.scenario_name = scenario.at("name").get<std::string>();
    run.scenario_file = scenario.at("file").get<std::string>();
    run.scenario_folder = scenario.value("folder", "");
    run.scenario_text = scenario.at("text").get<std::string>();
    if (sha256(run.scenario_text) != scenario.at("sha256").get<std::string>())
      throw InputError{fmt::format(
          "{}: the scenario in the file does not match its SHA-256; the file was edited or damaged. Run the "
          "scenario file itself, or restore the manifest from a backup",
          file)};
    return run;
  } catch (const Json::exception& error) {
    throw InputError{
        fmt::format("{}: a key is missing or has the wrong type ({}); was the file edited?", file, error.what())};
  }
}

} // namespace trainyard
