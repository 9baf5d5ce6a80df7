// SPDX-License-Identifier: Apache-2.0
#include "models/core/text.hpp"
#include "models/job/traces/json_entries.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

/// Philly (Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads", ATC 2019): the
/// derived table with timestamp, duration, num_gpus, cluster; virtual clusters are teams.
class PhillyTable final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    return head.starts_with("timestamp,duration,num_gpus");
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    TraceTable table{text, file, {"timestamp", "duration", "num_gpus"}};
    table.for_each(trace.audit, [&](std::int64_t number) {
      const auto submit = cell_time(table.cell("timestamp"));
      const auto duration = table.number("duration");
      const auto gpus = table.whole("num_gpus");
      if (!submit || !duration || !gpus) {
        trace.audit.add("time, duration or number of GPUs that cannot be read", "left out", number);
        return;
      }
      if (!plausible_time(*duration) || *gpus < 1) {
        trace.audit.add("negative duration or no GPU, or a duration above 1e11 s", "left out", number);
        return;
      }
      TraceJob job;
      job.submit = Seconds{*submit};
      job.duration = job.estimate = Seconds{*duration};
      job.gpus = *gpus;
      job.team = trace.workload.teams.index_of(table.cell("cluster"));
      job.queue = trace.workload.queues.index_of(table.cell("cluster"));
      job.row = number;
      trace.workload.jobs.push_back(job);
    });
  }
};

TY_REGISTER(TraceImporter, PhillyTable, "philly", "Microsoft Philly, table of timestamp, duration, num_gpus, cluster");

/// The release itself, cluster_job_log: attempts with machines; the run time is that of all attempts together.
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
      if (!entry.is_object()) {
        trace.audit.add("entry that is not a job", "left out", number);
        return;
      }
      const auto text_of = [&](const char* key) {
        return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : std::string{};
      };
      const auto submit = cell_time(text_of("submitted_time"));
      if (!submit) {
        trace.audit.add("no time of submission", "left out", number);
        return;
      }
      TraceJob job;
      int gpus = 0;
      double seconds = 0;
      const auto attempts = entry.find("attempts");
      if (attempts == entry.end() || !attempts->is_array() || attempts->empty()) {
        trace.audit.add("job without an attempt to run it", "left out", number);
        return;
      }
      bool whole = true;
      for (const auto& attempt : *attempts) {
        const auto when = [&](const char* key) {
          return attempt.contains(key) && attempt[key].is_string() ? cell_time(attempt[key].get<std::string>())
                                                                   : std::nullopt;
        };
        const auto begin = when("start_time"), end = when("end_time");
        if (begin && end && *end >= *begin)
          seconds += *end - *begin;
        else
          whole = false;
        int here = 0;
        if (attempt.contains("detail") && attempt["detail"].is_array())
          for (const auto& machine : attempt["detail"])
            if (machine.contains("gpus") && machine["gpus"].is_array())
              here += static_cast<int>(machine["gpus"].size());
        gpus = std::max(gpus, here);
      }
      if (!whole)
        trace.audit.add("attempt without a start or an end", "its run time counts as zero", number);
      if (gpus < 1) {
        trace.audit.add("job without GPUs", "left out", number);
        return;
      }
      job.submit = Seconds{*submit};
      job.duration = job.estimate = Seconds{seconds};
      job.gpus = gpus;
      job.team = trace.workload.teams.index_of(text_of("vc"));
      job.queue = trace.workload.queues.index_of(text_of("vc"));
      job.user = trace.workload.users.index_of(text_of("user"));
      job.row = number;
      trace.workload.jobs.push_back(job);
      trace.workload.job_names.push_back(text_of("jobid"));
    });
  }
};

TY_REGISTER(TraceImporter, PhillyLog, "philly_log",
            "Microsoft Philly, cluster_job_log of the release (JSON with attempts)");

} // namespace
} // namespace trainyard
