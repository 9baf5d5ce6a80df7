// SPDX-License-Identifier: Apache-2.0
// The samples of a calibration as they come: kept beside the fit, and what an interrupted calibration goes on from.
#include "calibrate/session.hpp"
#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace trainyard::calibrate {
namespace {

std::optional<JournalEntry> parse(const std::string& line)
{
  CsvReader reader{line};
  if (!reader.next() || reader.cells().size() != 6)
    return std::nullopt;
  const std::vector<std::string> fields{reader.cells().begin(), reader.cells().end()};
  const std::optional<double> round = as_number<double>(fields[0]), size = as_number<double>(fields[2]);
  if (!round || !size || *round < 0 || *round > 1000 || fields[1].empty() || fields[3].empty())
    return std::nullopt;
  JournalEntry entry{static_cast<int>(*round), {fields[1], *size, fields[3]}, {}};
  entry.samples.state = fields[4];
  std::istringstream samples{fields[5]};
  for (std::string word; samples >> word;) {
    const std::optional<double> seconds = as_number<double>(word);
    if (!seconds || !(*seconds > 0))
      return std::nullopt;
    entry.samples.seconds.push_back(*seconds);
  }
  return entry;
}

} // namespace

std::string sample_line(int round, const Case& which, const Samples& samples)
{
  std::string line = std::to_string(round) + "," + which.curve + "," + to_string(which.size, 12) + "," + which.unit +
                     "," + samples.state + ",";
  for (std::size_t i = 0; i < samples.seconds.size(); ++i)
    line += (i > 0 ? " " : "") + to_string(samples.seconds[i], 5);
  return line + ";\n"; // a line without the semicolon was torn
}

std::vector<JournalEntry> read_journal(const std::filesystem::path& file)
{
  std::vector<JournalEntry> entries;
  std::ifstream in{file};
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.front() == '#' || line.starts_with("round,"))
      continue;
    const bool whole = line.ends_with(';');
    if (!whole && in.peek() == std::char_traits<char>::eof())
      break;
    if (whole)
      line.pop_back();
    std::optional<JournalEntry> entry = whole ? parse(line) : std::nullopt;
    if (!entry) {
      Diagnostic diagnostic;
      diagnostic.where = {file.string(), number, 1};
      diagnostic.message =
          "this is not a line of samples (round,curve,size,unit,state,seconds;); remove the file or use --fresh";
      diagnostic.source_line = line;
      throw InputError{std::vector{diagnostic}};
    }
    entries.push_back(std::move(*entry));
  }
  return entries;
}

} // namespace trainyard::calibrate
