// SPDX-License-Identifier: Apache-2.0
#include "models/cost/profile.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/json.hpp"
#include "models/core/output.hpp"
#include "models/core/program.hpp"
#include "models/core/regular_file.hpp"
#include "models/hardware/provenance_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <system_error>

namespace trainyard {
namespace {

[[noreturn]] void fault(const std::string& file, const Json& where, const std::string& what)
{
  Diagnostic diagnostic;
  diagnostic.where = {file, where.line, where.column};
  diagnostic.message = what;
  throw InputError{std::vector{diagnostic}};
}

/// Typed access to the members of one object, with the file's name for messages.
class Members
{
public:
  Members(const Json& object, const std::string& file, const std::string& what)
      : object_{object}, file_{file}, what_{what}
  {
    if (object.kind != Json::Kind::object)
      fault(file, object, what + " must be a map {…}");
  }

  std::string text(const char* name, const char* fallback = nullptr) const
  {
    const Json* found = object_.find(name);
    if (found == nullptr && fallback != nullptr)
      return fallback;
    if (found == nullptr || found->kind != Json::Kind::text)
      wrong(found, name, "a text");
    return found->string;
  }

  double number(const char* name, std::optional<double> fallback = std::nullopt) const
  {
    const Json* found = object_.find(name);
    if (found == nullptr && fallback)
      return *fallback;
    if (found == nullptr || found->kind != Json::Kind::number)
      wrong(found, name, "a number");
    return found->value;
  }

  double at_least(const char* name, double least, std::optional<double> fallback = std::nullopt) const
  {
    const double value = number(name, fallback);
    if (!(value >= least))
      wrong(object_.find(name), name, "at least " + std::to_string(least));
    return value;
  }

  bool flag(const char* name, bool fallback) const
  {
    const Json* found = object_.find(name);
    if (found == nullptr)
      return fallback;
    if (found->kind != Json::Kind::boolean)
      wrong(found, name, "true or false");
    return found->flag;
  }

  const std::vector<Json>& list(const char* name) const
  {
    static const std::vector<Json> none;
    const Json* found = object_.find(name);
    if (found == nullptr)
      return none;
    if (found->kind != Json::Kind::array)
      wrong(found, name, "a list [...]");
    return found->items;
  }

  const Json* find(const char* name) const { return object_.find(name); }

  Provenance provenance() const
  {
    const std::string text = this->text("provenance", "measured");
    for (const auto& [value, name] : provenance_words)
      if (text == name)
        return value;
    fault(file_, *object_.find("provenance"),
          "unknown provenance '" + text + "'; known: measured, fitted, data sheet, assumed");
  }

private:
  [[noreturn]] void wrong(const Json* found, const char* name, const std::string& wanted) const
  {
    if (found == nullptr)
      fault(file_, object_, what_ + " has no '" + name + "'");
    fault(file_, *found, "'" + std::string{name} + "' of " + what_ + " must be " + wanted);
  }

  const Json& object_;
  const std::string& file_;
  std::string what_;
};

Bounded read_bounded(const Members& reader)
{
  Bounded bounded;
  bounded.value = reader.number("value");
  bounded.low = reader.number("low", bounded.value);
  bounded.high = reader.number("high", bounded.value);
  return bounded;
}

CalibratedConstant read_constant(const Json& json, const std::string& file)
{
  const Members reader{json, file, "a constant"};
  CalibratedConstant constant;
  constant.name = reader.text("name");
  constant.unit = reader.text("unit");
  constant.value = read_bounded(reader);
  if (constant.value.value < 0 || constant.value.low > constant.value.value ||
      constant.value.high < constant.value.value)
    fault(file, json, "'" + constant.name + "': needs 0 <= value and low <= value <= high");
  constant.provenance = reader.provenance();
  constant.state = reader.text("state", "");
  constant.note = reader.text("note", "");
  constant.samples = static_cast<int>(reader.at_least("samples", 0, 0.0));
  return constant;
}

CalibratedCurve read_curve(const Json& json, const std::string& file)
{
  const Members reader{json, file, "a curve"};
  CalibratedCurve curve;
  curve.name = reader.text("name");
  curve.size_unit = reader.text("size_unit");
  for (const Json& item : reader.list("points")) {
    const Members point{item, file, "a point of '" + curve.name + "'"};
    curve.points.push_back({point.at_least("size", 0), point.at_least("median_s", 0),
                            point.at_least("first_quartile_s", 0), point.at_least("third_quartile_s", 0),
                            static_cast<int>(point.at_least("samples", 0, 0.0)), point.text("state", "")});
  }
  for (const Json& item : reader.list("pieces")) {
    const Members piece{item, file, "a piece of '" + curve.name + "'"};
    curve.fit.pieces.push_back({piece.at_least("from", 0), piece.at_least("to", 0), piece.number("start_up_s"),
                                piece.at_least("rate_per_s", std::numeric_limits<double>::min())});
  }
  if (reader.find("roof_per_s") != nullptr)
    curve.roof = reader.at_least("roof_per_s", std::numeric_limits<double>::min());
  curve.roof_source = reader.text("roof_source", "");
  return curve;
}

Json json_of(const CalibratedConstant& constant)
{
  Json json = Json::object();
  json.add("name", constant.name)
      .add("value", constant.value.value)
      .add("low", constant.value.low)
      .add("high", constant.value.high);
  json.add("unit", constant.unit).add("provenance", to_text(constant.provenance)).add("samples", constant.samples);
  if (!constant.state.empty())
    json.add("state", constant.state);
  if (!constant.note.empty())
    json.add("note", constant.note);
  return json;
}

Json json_of(const CalibratedCurve& curve)
{
  Json json = Json::object();
  json.add("name", curve.name).add("size_unit", curve.size_unit);
  Json points = Json::array();
  for (const CurvePoint& point : curve.points) {
    Json item = Json::object();
    item.add("size", point.size).add("median_s", point.median).add("first_quartile_s", point.first_quartile);
    item.add("third_quartile_s", point.third_quartile).add("samples", point.samples);
    if (!point.state.empty())
      item.add("state", point.state);
    points.items.push_back(std::move(item));
  }
  json.add("points", std::move(points));
  Json pieces = Json::array();
  for (const FitPiece& piece : curve.fit.pieces) {
    Json item = Json::object();
    item.add("from", piece.from).add("to", piece.to).add("start_up_s", piece.start_up).add("rate_per_s", piece.rate);
    pieces.items.push_back(std::move(item));
  }
  json.add("pieces", std::move(pieces));
  if (curve.roof)
    json.add("roof_per_s", *curve.roof).add("roof_source", curve.roof_source);
  return json;
}

FittedRow read_row(const Json& json, const std::string& file)
{
  const Members reader{json, file, "a row"};
  FittedRow row{reader.text("scenario"), reader.text("job", ""), reader.text("network", ""), 1, {}};
  row.off = reader.at_least("measured_over_predicted", std::numeric_limits<double>::min());
  if (const Json* decides = reader.find("decides")) {
    const Members shares{*decides, file, "'decides'"};
    for (const auto& [name, share] : decides->members)
      row.decides.emplace_back(name, shares.number(name.c_str()));
  }
  return row;
}

Json json_of(const FittedRow& row)
{
  Json json = Json::object(), decides = Json::object();
  json.add("scenario", row.scenario).add("job", row.job).add("network", row.network);
  json.add("measured_over_predicted", row.off);
  for (const auto& [name, share] : row.decides)
    decides.add(name, share);
  json.add("decides", std::move(decides));
  return json;
}

std::string system_text(const std::string& call, const std::filesystem::path& file)
{
  return call + " '" + file.string() + "': " + std::strerror(errno);
}

} // namespace

const CalibratedConstant* Profile::find(std::string_view constant) const
{
  for (const CalibratedConstant& candidate : constants)
    if (candidate.name == constant)
      return &candidate;
  return nullptr;
}

Profile parse_profile(std::string_view text, const std::string& file)
{
  Json start;
  start.line = start.column = 1;
  if (const std::size_t first = text.find_first_not_of(" \t\r\n");
      first != std::string_view::npos && text[first] != '{' && text[first] != '[')
    fault(file, start, "this is not a calibration file; simcal writes such files");
  const Json json = parse_json(text, file);
  if (json.kind != Json::Kind::object || json.find("trainyard_calibration") == nullptr)
    fault(file, json, "this is not a calibration file: it has no 'trainyard_calibration'; simcal writes such files");
  const Members reader{json, file, "the calibration"};
  if (const double version = reader.number("trainyard_calibration"); version < 1 || version > profile_version)
    fault(file, *json.find("trainyard_calibration"),
          "the file has version " + std::to_string(static_cast<int>(version)) + ", this program reads up to " +
              std::to_string(profile_version) + "; calibrate again or use a newer program");
  Profile profile;
  profile.name = reader.text("name");
  profile.created = reader.text("created");
  profile.command = reader.text("command", "");
  profile.program = reader.text("program", "");
  profile.complete = reader.flag("complete", true);
  profile.quick = reader.flag("quick", false);
  profile.provenance = reader.provenance();
  if (const Json* machine = reader.find("machine")) {
    const Members parts{*machine, file, "'machine'"};
    for (const auto& [key, value] : machine->members)
      profile.machine.emplace_back(key, parts.text(key.c_str()));
  }
  for (const Json& item : reader.list("warnings")) {
    if (item.kind != Json::Kind::text)
      fault(file, item, "a warning must be a text");
    profile.warnings.push_back(item.string);
  }
  for (const Json& item : reader.list("missing")) {
    const Members part{item, file, "an entry of 'missing'"};
    profile.missing.push_back({part.text("measurement"), part.text("why")});
  }
  for (const Json& item : reader.list("constants")) {
    CalibratedConstant constant = read_constant(item, file);
    if (profile.find(constant.name) != nullptr)
      fault(file, item, "the constant '" + constant.name + "' is given twice");
    profile.constants.push_back(std::move(constant));
  }
  for (const Json& item : reader.list("curves"))
    profile.curves.push_back(read_curve(item, file));
  for (const Json& item : reader.list("rows"))
    profile.rows.push_back(read_row(item, file));
  return profile;
}

Profile read_profile(const std::filesystem::path& file)
{
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw InputError{"'" + file.string() + "' is a folder; name the calibration file in it"};
  check_regular_file(file);
  std::ifstream in{file, std::ios::binary};
  if (!in)
    throw std::runtime_error{system_text("cannot open the calibration file", file)};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  if (in.bad())
    throw std::runtime_error{system_text("cannot read the calibration file", file)};
  return parse_profile(text, file.string());
}

std::string profile_text(const Profile& profile)
{
  Json json = Json::object();
  json.add("trainyard_calibration", profile_version).add("name", profile.name).add("created", profile.created);
  json.add("provenance", to_text(profile.provenance));
  json.add("complete", profile.complete)
      .add("quick", profile.quick)
      .add("command", profile.command)
      .add("program", profile.program);
  Json machine = Json::object();
  for (const auto& [key, value] : profile.machine)
    machine.add(key, value);
  json.add("machine", std::move(machine));
  Json warnings = Json::array();
  for (const std::string& warning : profile.warnings)
    warnings.items.emplace_back(warning);
  json.add("warnings", std::move(warnings));
  Json missing = Json::array();
  for (const MissingPart& part : profile.missing)
    missing.items.push_back(Json::object().add("measurement", part.measurement).add("why", part.why));
  json.add("missing", std::move(missing));
  Json constants = Json::array();
  for (const CalibratedConstant& constant : profile.constants)
    constants.items.push_back(json_of(constant));
  json.add("constants", std::move(constants));
  Json curves = Json::array();
  for (const CalibratedCurve& curve : profile.curves)
    curves.items.push_back(json_of(curve));
  json.add("curves", std::move(curves));
  Json rows = Json::array();
  for (const FittedRow& row : profile.rows)
    rows.items.push_back(json_of(row));
  if (!rows.items.empty())
    json.add("rows", std::move(rows));
  return json_text(json);
}

void write_profile(const Profile& profile, const std::filesystem::path& file)
{
  replace_file(file, profile_text(profile), {.mark = "\"trainyard_calibration\""});
}

Messages doubts(const Profile& profile, const std::string& now)
{
  static constexpr Sentence<std::string> no_date{"calibration.no_date",
                                                 "the date '{date}' cannot be read, so its age is unknown"};
  static constexpr Sentence<std::int64_t> stale{"calibration.stale", "stale: measured {days} days ago"};
  static constexpr Sentence<> states[]{
      {"calibration.part", "not complete: the calibration was interrupted or failed in part"},
      {"calibration.quick", "quick: few samples, wide error bars"},
      {"calibration.data_sheet", "from a data sheet, not measured"}};
  Messages list;
  if (const std::optional<double> age = days_between(profile.created, now); !age)
    list.push_back(no_date(profile.created));
  else if (*age > days_until_stale)
    list.push_back(stale(static_cast<std::int64_t>(*age)));
  const bool holds[]{!profile.complete, profile.quick, profile.provenance == Provenance::data_sheet};
  for (std::size_t i = 0; i < std::size(holds); ++i)
    if (holds[i])
      list.push_back(states[i]());
  static constexpr Sentence<std::string, std::string> other_program{
      "calibration.other_program",
      "fitted by {program}, and this is simrun {version}, whose steps may differ: fit it again (simrun calibrate)"};
  if (profile.provenance == Provenance::fitted && profile.program != "simrun " + program_version())
    list.push_back(other_program(profile.program, program_version()));
  for (const CalibratedConstant& constant : profile.constants)
    if (!constant.state.empty())
      list.push_back(plain(MessageKind::part, constant.name + ": " + constant.state));
  for (const std::string& warning : profile.warnings)
    list.push_back(plain(MessageKind::part, warning));
  return list;
}

std::vector<std::string> measured_gpus(const Profile& profile)
{
  std::vector<std::string> names;
  for (const CalibratedConstant& constant : profile.constants) {
    if (!constant.name.starts_with("gpu."))
      continue;
    for (const char* field :
         {".rate.", ".convolution_rate.", ".memory_bandwidth", ".kernel_launch", ".copy.", ".step."})
      if (const std::size_t at = constant.name.find(field); at != std::string::npos) {
        std::string name = constant.name.substr(4, at - 4);
        if (std::ranges::find(names, name) == names.end())
          names.push_back(std::move(name));
        break;
      }
  }
  return names;
}

std::string utc_now()
{
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::optional<double> days_between(const std::string& from, const std::string& to)
{
  const auto seconds = [](const std::string& text) -> std::optional<double> {
    std::tm parts{};
    if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                    &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6)
      return std::nullopt;
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    return static_cast<double>(timegm(&parts));
  };
  const std::optional<double> begin = seconds(from), end = seconds(to);
  if (!begin || !end)
    return std::nullopt;
  return (*end - *begin) / 86400;
}

} // namespace trainyard
