// SPDX-License-Identifier: Apache-2.0
#include "models/job/traces/recorded_waits.hpp"

#include "models/core/input_file.hpp"
#include "models/job/traces/trace_importer.hpp"

namespace trainyard {

std::unordered_map<std::int64_t, Instant> recorded_waits(const std::filesystem::path& file, const std::string& format)
{
  std::unordered_map<std::int64_t, Instant> waits;
  if (format != "sacct" && format != "swf")
    return waits;
  const std::string text = InputFile{file}.text();
  const auto note = [&](std::int64_t row, double wait) {
    if (plausible_time(wait))
      waits.emplace(row, Seconds{wait});
  };
  if (format == "sacct") {
    TraceAudit audit;
    TraceTable table{text, file, {"Submit"}, '|'};
    if (table.has("Start"))
      table.for_each(audit, [&](std::int64_t row) {
        const auto submit = cell_time(table.cell("Submit")), start = cell_time(table.cell("Start"));
        if (submit && start)
          note(row, *start - *submit);
      });
    return waits;
  }
  for_each_line(text, [&](std::string_view line, std::int64_t row) {
    if (line.starts_with(';'))
      return;
    const auto words = blank_separated(line);
    if (const auto wait = words.size() > 2 ? cell_number(words[2]) : std::nullopt; wait && *wait >= 0)
      note(row, *wait);
  });
  return waits;
}

} // namespace trainyard
