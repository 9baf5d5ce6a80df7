// SPDX-License-Identifier: Apache-2.0
#include "sim/report/written_run.hpp"

#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"
#include "models/results/json.hpp"
#include "models/scenario/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace trainyard {
namespace {

constexpr std::size_t largest_table = 1U << 30U;

} // namespace

std::string ResultRow::cell(std::string_view column) const
{
  const auto found = std::ranges::find(columns, column);
  if (found == columns.end())
    throw InputError{fmt::format("'{}' has no column '{}': another version of simrun wrote it; run the scenario again",
                                 file.string(), column)};
  return std::string{cells[static_cast<std::size_t>(found - columns.begin())]};
}

double ResultRow::number(std::string_view column, double missing) const
{
  return as_number<double>(cell(column)).value_or(missing);
}

Instant ResultRow::time(std::string_view column, Instant missing) const
{
  const std::string text = cell(column);
  return text.empty() ? missing : Instant{Seconds{as_number<double>(text).value_or(0)}};
}

WrittenRun::WrittenRun(std::filesystem::path folder)
    : path{std::move(folder)},
      summary(nlohmann::ordered_json::parse(read_text_file(path / "summary.json", largest_table), nullptr, false))
{
  if (!summary.is_object())
    throw InputError{
        fmt::format("'{}' is no JSON object: the folder is not a complete run", (path / "summary.json").string())};
}

std::string WrittenRun::heading() const
{
  return trainyard::heading(words("scenario"), words("description"));
}

void WrittenRun::for_each_row(const char* table, const std::function<void(const ResultRow&)>& visit) const
{
  const std::filesystem::path file = path / table;
  const std::string text = read_text_file(file, largest_table);
  CsvReader reader{text};
  if (!reader.next())
    throw InputError{fmt::format("'{}' is empty", file.string())};
  const std::vector<std::string> columns{reader.cells().begin(), reader.cells().end()};
  while (reader.next())
    if (reader.cells().size() == columns.size())
      visit({file, columns, reader.cells()});
}

Message WrittenRun::said(const std::string& words) const
{
  if (messages_.empty()) {
    auto all = summary.value("messages", nlohmann::ordered_json::array());
    if (const std::filesystem::path more = path / "messages.json"; std::filesystem::exists(more))
      std::ranges::copy(nlohmann::ordered_json::parse(read_text_file(more, largest_table)), std::back_inserter(all));
    for (const auto& message : all)
      messages_.emplace(message.value("text", ""), read_message(message));
  }
  const auto found = messages_.find(words);
  return found == messages_.end() ? plain(MessageKind::part, words) : found->second;
}

void tell_answers(const Messages& found, Telling& told)
{
  std::string lead = "\n";
  for (const Message& message : found)
    if (message.kind == MessageKind::answer)
      told.answer(message, std::exchange(lead, {}));
}

void tell_answers(const WrittenRun& run, Telling& told)
{
  for (const auto& message : run.summary.value("messages", nlohmann::ordered_json::array()))
    if (const Message said = read_message(message); said.kind == MessageKind::answer)
      told.answer(said, "");
}

void tell_warnings(const WrittenRun& run, Telling& told)
{
  static constexpr Sentence<Message> warning_told{"explain.warning", "warning: {what}"};
  for (const auto& warning : run.summary.value("warnings", nlohmann::ordered_json::array()))
    told.say(warning_told(run.said(warning.get<std::string>())));
}

} // namespace trainyard
