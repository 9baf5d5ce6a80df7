// SPDX-License-Identifier: Apache-2.0
#include "models/cost/nccl_tests.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/json.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace trainyard {
namespace {

/// "#  Rank  0 Group  0 Pid   1234 on     node-0 device  0 [0000:06:00] Tesla V100", and the name of the program.
void read_comment(const std::string& line, const std::vector<std::string>& fields, std::set<std::string>& ranks,
                  NcclTestsOutput& output)
{
  if (fields.size() > 2 && fields[1] == "Rank" && ranks.insert(fields[2]).second) {
    const auto on = std::ranges::find(fields, "on");
    output.hosts.push_back(on == fields.end() || std::next(on) == fields.end() ? "" : *std::next(on));
    if (const std::size_t bracket = line.find(']'); bracket != std::string::npos && output.device.empty())
      for (const std::string& word : words_of(line.substr(bracket + 1)))
        output.device += (output.device.empty() ? "" : " ") + word;
  }
  for (const std::string_view before : {"test concluded:", "Collective test starting:"})
    if (const std::size_t at = line.find(before); at != std::string::npos)
      if (const std::vector<std::string> name = words_of(line.substr(at + before.size())); !name.empty())
        output.program = name.front();
}

/// The operation by its columns: those that reduce name an operator, those with a root its rank; and the factor from
/// algorithm to bus bandwidth tells the others apart (doc/PERFORMANCE.md: all-reduce 2(n-1)/n, reduce-scatter,
/// all-gather and all-to-all (n-1)/n, the rest 1). All-to-all has no in-place form.
std::string operation_by(const std::string& operator_name, int root, double factor, bool in_place)
{
  const bool reduces = !operator_name.empty() && operator_name != "none";
  if (root >= 0)
    return reduces ? "reduce" : factor > 0.995 ? "broadcast" : "";
  if (reduces)
    return factor > 0.995 ? "all_reduce" : "reduce_scatter";
  return factor > 0.995 ? "sendrecv" : in_place ? "all_gather" : "alltoall";
}

NcclTestsOutput from_text(std::string_view text, const std::string& file)
{
  NcclTestsOutput output;
  std::set<std::string> ranks;
  std::istringstream in{std::string{text}};
  int line_number = 0;
  double largest = 0;
  std::string shown; // by the columns
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    const std::vector<std::string> fields = words_of(line);
    if (fields.empty())
      continue;
    if (fields[0] == "#") {
      read_comment(line, fields, ranks, output);
      continue;
    }
    const std::optional<double> bytes = as_number<double>(fields[0]);
    if (!bytes) // what mpirun or NCCL_DEBUG printed between the rows
      continue;
    // Between type and times: an operator, a root, both ("none" and "-1" where they mean nothing) or neither.
    const std::size_t times = fields.size() - std::min<std::size_t>(fields.size(), 8);
    std::string operator_name;
    int root = -1;
    for (std::size_t i = 3; i < times; ++i)
      if (const std::optional<int> number = as_number<int>(fields[i]))
        root = *number;
      else
        operator_name = fields[i];
    if (fields.size() < 11 || fields.size() > 13)
      throw InputError{{Diagnostic{Severity::error,
                                   {file, line_number, 1},
                                   "a row of " + std::to_string(fields.size()) +
                                       " columns; nccl-tests writes 11 to 13 (size count type redop root, twice time "
                                       "algbw busbw #wrong)",
                                   line}}};
    if (output.rows.empty())
      output.line = line_number;
    output.rows.push_back(
        {*bytes, fields[2], as_number<double>(fields[times]), as_number<double>(fields[times + 4]),
         std::max(as_number<double>(fields[times + 3]).value_or(0), as_number<double>(fields[times + 7]).value_or(0)),
         line_number, line});
    if (const double algorithm = as_number<double>(fields[times + 1]).value_or(0);
        algorithm > 0 && *bytes >= largest) { // rounded to two digits: the largest size tells best
      largest = *bytes;
      shown = operation_by(operator_name, root, as_number<double>(fields[times + 2]).value_or(0) / algorithm,
                           as_number<double>(fields[times + 4]).has_value());
    }
  }
  if (output.program.empty())
    output.program = shown;
  return output;
}

NcclTestsOutput from_json(std::string_view text, const std::string& file)
{
  const Json json = parse_json(text, file);
  const Json* results = json.find("results");
  const Json* arguments = json.find("args");
  if (results == nullptr || results->kind != Json::Kind::array || arguments == nullptr || arguments->items.empty())
    throw InputError{{Diagnostic{
        Severity::error, {file, 1, 1}, "this JSON is not from nccl-tests: it has no 'results' and 'args'", {}}}};
  NcclTestsOutput output;
  output.json = true;
  output.program = arguments->items.front().string;
  output.line = results->line;
  if (const Json* version = json.find("version"); version != nullptr) {
    output.version = version->value;
    output.version_line = version->line;
  }
  if (const Json* environment = json.find("env"); environment != nullptr)
    output.environment_line = environment->line;
  if (const Json* start = json.find("start_time"); start != nullptr)
    output.start_time = start->string;
  if (const Json* config = json.find("config"); config != nullptr)
    if (const Json* devices = config->find("devices"); devices != nullptr)
      for (const Json& device : devices->items) {
        const Json* host = device.find("hostname");
        output.hosts.push_back(host == nullptr ? "" : host->string);
        if (const Json* name = device.find("device_info"); name != nullptr)
          output.device = name->string;
      }
  const auto number_in = [](const Json* object, const char* key) -> std::optional<double> {
    const Json* value = object == nullptr ? nullptr : object->find(key);
    return value == nullptr || value->kind != Json::Kind::number ? std::nullopt : std::optional{value->value};
  };
  for (const Json& item : results->items) {
    const Json* type = item.find("type");
    const Json *out = item.find("out_of_place"), *in = item.find("in_place");
    output.rows.push_back({number_in(&item, "size").value_or(0),
                           type == nullptr ? "" : type->string,
                           number_in(out, "time"),
                           number_in(in, "time"),
                           std::max(number_in(out, "nwrong").value_or(0), number_in(in, "nwrong").value_or(0)),
                           item.line,
                           {}});
  }
  return output;
}

} // namespace

NcclTestsOutput read_nccl_tests(std::string_view text, const std::string& file)
{
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  NcclTestsOutput output =
      first != std::string_view::npos && text[first] == '{' ? from_json(text, file) : from_text(text, file);
  if (output.device == "Example GPU")
    output.device.clear();
  return output;
}

} // namespace trainyard
