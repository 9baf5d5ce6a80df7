// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

namespace trainyard {
namespace {

/// Calls @p entry with every element of a JSON list and its number (from 1), one at a time: whatever the length of the
/// list, only one element is in memory. Throws InputError where the text is not a JSON list, or breaks off; it says
/// where, and after how many elements.
void for_each_json_entry(std::string_view text, const std::filesystem::path& file,
                         const std::function<void(const nlohmann::json&, std::int64_t)>& entry)
{
  using Event = nlohmann::json::parse_event_t;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos || text[text.find_first_not_of(" \t\r\n")] != '[')
    throw InputError{fmt::format("trace '{}' is not a JSON list of jobs", file.string())};
  std::int64_t number = 0;
  // An element that is complete is handed over and then discarded, so that the list itself stays empty.
  const auto element = [&](int depth, Event event, nlohmann::json& parsed) {
    if (depth != 1 || (event != Event::object_end && event != Event::array_end && event != Event::value))
      return true;
    entry(parsed, ++number);
    return false;
  };
  try {
    [[maybe_unused]] const nlohmann::json emptied = nlohmann::json::parse(text, element);
  } catch (const nlohmann::json::parse_error& fault) {
    const auto at = std::min<std::size_t>(fault.byte > 0 ? fault.byte - 1 : 0, text.size());
    const auto line = 1 + std::ranges::count(text.substr(0, at), '\n');
    throw InputError{fmt::format(
        "trace '{}', line {}: not a JSON list of jobs, or cut off: {} jobs could be read, up to byte {} of {}",
        file.string(), line, number, at, text.size())};
  } catch (const nlohmann::json::out_of_range&) { // the only one while parsing: a number beyond the range of double
    throw InputError{
        fmt::format("trace '{}', job {}: a number is too large (above 1.8e308)", file.string(), number + 1)};
  }
}

/// The release of Philly itself, cluster_job_log (its derived table: job_tables.cpp): attempts with machines; the run
/// time is that of all attempts together.
class PhillyLog final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    return trimmed(head).starts_with("[") && head.find("\"attempts\"") != std::string_view::npos;
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    for_each_json_entry(text, file, [&](const nlohmann::json& entry, std::int64_t number) {
      count_row(trace.audit, file);
      if (!entry.is_object())
        return trace.audit.add("entry that is not a job", "left out", number);
      const auto text_of = [&](const char* key) {
        return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : std::string{};
      };
      const auto submit = cell_time(text_of("submitted_time"));
      if (!submit)
        return trace.audit.add("no time of submission", "left out", number);
      TraceJob job;
      int gpus = 0;
      double seconds = 0;
      std::optional<double> first; // start
      const auto attempts = entry.find("attempts");
      if (attempts == entry.end() || !attempts->is_array() || attempts->empty())
        return trace.audit.add("job without an attempt to run it", "left out", number);
      bool whole = true;
      for (const auto& attempt : *attempts) {
        const auto when = [&](const char* key) {
          return attempt.contains(key) && attempt[key].is_string() ? cell_time(attempt[key].get<std::string>())
                                                                   : std::nullopt;
        };
        const auto begin = when("start_time"), end = when("end_time");
        if (begin)
          first = std::min(first.value_or(*begin), *begin);
        if (begin && end && *end >= *begin)
          seconds += *end - *begin;
        else
          whole = false;
        int here = 0;
        if (attempt.contains("detail") && attempt["detail"].is_array())
          for (const auto& machine : attempt["detail"]) {
            trace.names_machines = trace.names_machines || machine.contains("ip");
            if (machine.contains("gpus") && machine["gpus"].is_array())
              here += static_cast<int>(machine["gpus"].size());
          }
        gpus = std::max(gpus, here);
      }
      if (!whole)
        trace.audit.add("attempt without a start or an end", "its run time counts as zero", number);
      if (gpus < 1)
        return trace.audit.add("job without GPUs", "left out", number);
      job.submit = Seconds{*submit};
      job.duration = job.estimate = Seconds{seconds};
      job.gpus = gpus;
      job.team = trace.workload.teams.index_of(text_of("vc"));
      job.queue = trace.workload.queues.index_of(text_of("vc"));
      job.user = trace.workload.users.index_of(text_of("user"));
      job.row = number;
      if (first && plausible_time(*first - *submit))
        trace.waits.emplace_back(number, Seconds{*first - *submit});
      trace.workload.jobs.push_back(job);
      trace.workload.job_names.push_back(text_of("jobid"));
    });
  }
};

TY_REGISTER(TraceImporter, PhillyLog, "philly_log",
            "Microsoft Philly, cluster_job_log of the release (JSON with attempts)");

} // namespace
} // namespace trainyard
