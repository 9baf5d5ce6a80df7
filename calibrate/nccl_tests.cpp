// SPDX-License-Identifier: Apache-2.0
#include "calibrate/nccl_tests.hpp"

#include "calibrate/measurement.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/json.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>
#include <sstream>

namespace trainyard::calibrate {
namespace {

[[noreturn]] void fault(const std::string& file, int line, const std::string& what, const std::string& source = {})
{
  Diagnostic diagnostic;
  diagnostic.where = {file, line, 1};
  diagnostic.message = what;
  diagnostic.source_line = source;
  throw InputError{std::vector{diagnostic}};
}

std::optional<double> number(const std::string& text)
{
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// "all_reduce_perf" -> "all_reduce"; the path before it does not matter.
std::string operation_of(std::string program)
{
  program = program.substr(program.rfind('/') + 1);
  const std::size_t end = program.find("_perf");
  return end == std::string::npos ? program : program.substr(0, end);
}

struct Row {
  double bytes = 0;
  std::string type;
  std::optional<double> time_us[2]; // out-of-place, in-place
};

class Import
{
public:
  explicit Import(std::string file) : file_{std::move(file)}
  {
    profile_.provenance = Provenance::measured;
    profile_.program = "nccl-tests";
    profile_.created = "unknown";
  }

  void add(const Row& row)
  {
    for (int place = 0; place < 2; ++place)
      if (row.time_us[place] && *row.time_us[place] > 0 && row.bytes > 0)
        curves_[std::string{place == 0 ? "out_of_place" : "in_place"} + "." + row.type].push_back(
            {row.bytes, *row.time_us[place] * 1e-6});
  }

  Profile finish(const std::string& operation, int ranks)
  {
    if (curves_.empty())
      fault(
          file_, 1,
          "the file has no row of a measurement; expected the output of a program of nccl-tests (text, or JSON of -J)");
    profile_.name = "nccl-tests " + operation;
    profile_.machine.emplace_back("ranks", std::to_string(ranks));
    profile_.warnings.push_back(
        "imported: nccl-tests gives one mean per size, so the error bars do not show the spread");
    for (const auto& [kind, points] : curves_) {
      CalibratedCurve curve;
      curve.name = "nccl." + operation + "." + kind;
      curve.size_unit = "B";
      std::vector<SampledPoint> sampled;
      for (const auto& [bytes, seconds] : points) {
        curve.points.push_back({bytes, seconds, seconds, seconds, 1, ""});
        sampled.push_back({bytes, {{seconds}}});
      }
      curve.fit = fit_piecewise(sampled);
      if (kind.starts_with("out_of_place") || curves_.size() == 1) {
        const double factor = bus_factor(operation, ranks);
        CalibratedConstant constant;
        constant.name = "collective." + operation + ".bus_bandwidth";
        constant.unit = "B/s";
        constant.value = scaled(curve.fit.rate, factor);
        constant.samples = static_cast<int>(points.size());
        constant.note = "rate of the largest sizes times the bus factor " + to_string(factor) + " of " +
                        std::to_string(ranks) + " ranks";
        if (profile_.find(constant.name) == nullptr)
          profile_.constants.push_back(constant);
        constant.name = "collective." + operation + ".start_up";
        constant.unit = "s";
        constant.value = curve.fit.start_up;
        constant.note = "time of the smallest sizes";
        if (profile_.find(constant.name) == nullptr)
          profile_.constants.push_back(constant);
      }
      profile_.curves.push_back(std::move(curve));
    }
    return std::move(profile_);
  }

  Profile& profile() { return profile_; }
  const std::string& file() const { return file_; }

private:
  std::string file_;
  Profile profile_;
  std::map<std::string, std::vector<std::pair<double, double>>> curves_;
};

Profile import_text(std::string_view text, const std::string& file)
{
  Import import{file};
  std::string operation = "unknown";
  std::set<std::string> ranks;
  std::istringstream in{std::string{text}};
  int line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    std::istringstream words{line};
    std::vector<std::string> fields;
    for (std::string word; words >> word;)
      fields.push_back(word);
    if (fields.empty())
      continue;
    if (fields[0] == "#") {
      if (fields.size() > 2 && fields[1] == "Rank")
        ranks.insert(fields[2]);
      if (line.find("test concluded:") != std::string::npos ||
          line.find("Collective test starting:") != std::string::npos)
        operation = operation_of(fields.back());
      continue;
    }
    // size count type redop root, then time algbw busbw wrong twice; some programs leave redop and root out as "none"
    // and "-1".
    if (fields.size() != 13) {
      if (number(fields[0]))
        fault(file, line_number,
              "a row of " + std::to_string(fields.size()) +
                  " columns; nccl-tests writes 13 (size count type redop root, twice time algbw busbw #wrong)",
              line);
      continue; // what mpirun or NCCL_DEBUG printed between the rows
    }
    const std::optional<double> bytes = number(fields[0]);
    if (!bytes)
      continue;
    Row row{*bytes, fields[2], {number(fields[5]), number(fields[9])}};
    for (int place = 0; place < 2; ++place)
      if (const std::optional<double> wrong = number(fields[place == 0 ? 8 : 12]); wrong && *wrong > 0)
        fault(file, line_number,
              "the data was wrong in " + to_string(*wrong) + " places, so this measurement cannot be used", line);
    import.add(row);
  }
  return import.finish(operation, std::max<int>(1, static_cast<int>(ranks.size())));
}

Profile import_json(std::string_view text, const std::string& file)
{
  const Json json = parse_json(text, file);
  const Json* results = json.find("results");
  const Json* arguments = json.find("args");
  if (results == nullptr || results->kind != Json::Kind::array || arguments == nullptr || arguments->items.empty())
    fault(file, 1, "this JSON is not from nccl-tests: it has no 'results' and 'args'");
  Import import{file};
  if (const Json* version = json.find("version"); version == nullptr || version->value != 3)
    import.profile().warnings.push_back("layout version " +
                                        (version == nullptr ? "unknown" : to_string(version->value)) +
                                        " of nccl-tests; 3 is known");
  int ranks = 1;
  if (const Json* config = json.find("config"))
    if (const Json* devices = config->find("devices"))
      ranks = std::max<int>(1, static_cast<int>(devices->items.size()));
  for (const Json& item : results->items) {
    Row row;
    if (const Json* size = item.find("size"))
      row.bytes = size->value;
    if (const Json* type = item.find("type"))
      row.type = type->string;
    for (int place = 0; place < 2; ++place)
      if (const Json* timing = item.find(place == 0 ? "out_of_place" : "in_place");
          timing != nullptr && timing->kind == Json::Kind::object) {
        if (const Json* wrong = timing->find("nwrong");
            wrong != nullptr && wrong->kind == Json::Kind::number && wrong->value > 0)
          fault(file, item.line,
                "the data was wrong in " + to_string(wrong->value) + " places, so this measurement cannot be used");
        if (const Json* time = timing->find("time"); time != nullptr && time->kind == Json::Kind::number)
          row.time_us[place] = time->value;
      }
    import.add(row);
  }
  if (const Json* start = json.find("start_time"); start != nullptr && start->string.size() == 19)
    import.profile().created = start->string.substr(0, 10) + "T" + start->string.substr(11) + "Z";
  return import.finish(operation_of(arguments->items.front().string), ranks);
}

} // namespace

double bus_factor(const std::string& operation, int ranks)
{
  const double n = ranks;
  if (operation == "all_reduce")
    return 2 * (n - 1) / n;
  if (operation == "all_gather" || operation == "reduce_scatter" || operation == "alltoall" ||
      operation == "all_to_all")
    return (n - 1) / n;
  return 1;
}

Profile import_nccl_tests(std::string_view text, const std::string& file)
{
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' ? import_json(text, file) : import_text(text, file);
}

} // namespace trainyard::calibrate
