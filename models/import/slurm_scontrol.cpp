// SPDX-License-Identifier: Apache-2.0
#include "models/core/text.hpp"
#include "models/import/batch_draft.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/slurm_jobs.hpp"
#include "models/import/slurm_parts.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace trainyard {
namespace {

/// Records of `scontrol show`: each begins at the left edge with Key=Value, more follow in indented lines. A value may
/// hold blanks.
std::vector<SlurmLine> read_records(const std::string& text)
{
  std::vector<SlurmLine> records;
  std::istringstream stream{text};
  std::string row;
  for (int number = 1; std::getline(stream, row); ++number) {
    if (row.empty() || row == "\r")
      continue;
    const bool begins = row.front() != ' ' && row.front() != '\t';
    if (begins)
      records.push_back({number, {}});
    else if (records.empty())
      continue;
    auto& values = records.back().values;
    std::istringstream words{row};
    for (std::string word; words >> word;)
      if (const std::size_t equals = word.find('='); equals != std::string::npos)
        values.emplace_back(lower_case(word.substr(0, equals)), word.substr(equals + 1));
      else if (!values.empty())
        values.back().second += " " + word;
  }
  std::erase_if(records, [](const SlurmLine& record) { return record.values.empty(); });
  return records;
}

/// Parts of a list with commas; none of an empty one.
std::vector<std::string> list_of(const std::string& text)
{
  return text.empty() ? std::vector<std::string>{} : split_hostlist(text);
}

/// `scontrol show partition`, `node`, `reservation`, `job`, each or all in one file. Source: scontrol(1).
class Scontrol final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return (file.has("PartitionName=") && file.has("AllocNodes=")) ||
           (file.has("NodeName=") && file.has("CPUAlloc=")) ||
           (file.has("ReservationName=") && file.has("StartTime=")) || (file.has("JobId=") && file.has("JobState="));
  }
  int rank() const override { return 1; }
  std::string description() const override { return "Slurm's present state: scontrol show"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    std::map<std::string, std::size_t> index = slurm_index(context.draft);
    for (const SlurmLine& record : read_records(file.text())) {
      const ImportPlace place{file.name(), record.line};
      const std::string& key = record.values.front().first;
      if (key == "partitionname")
        read_slurm_partition(record, {}, place, context);
      else if (key == "nodename")
        read_node(record, place, context, index);
      else if (key == "reservationname")
        read_reservation(record, place, context);
      else if (key == "jobid")
        jobs_.read(record, place, context);
      else
        context.report.ignored(record.values.front().first, "only partitions, nodes, reservations and jobs are read",
                               place);
    }
    if (context.draft.orchestrator.empty()) {
      context.draft.orchestrator = "slurm";
      context.draft.orchestrator_note = file.name();
    }
  }

  void finish(ImportContext& context) const override
  {
    Draft& draft = context.draft;
    name_untyped_gpus(context);
    if (jobs_.size() == 0)
      return;
    if (!draft.trace_file.empty()) {
      context.report.ignored(counted(jobs_.size(), "job") + " of scontrol show job",
                             "the jobs are those of the accounting file");
      return;
    }
    jobs_.finish(context);
    give_whole_machines(context);
  }

private:
  static void read_node(const SlurmLine& record, const ImportPlace& place, ImportContext& context,
                        std::map<std::string, std::size_t>& index)
  {
    SlurmLine line{record.line, {record.values.front()}};
    for (const auto& [from, to] :
         {std::pair{"cputot", "cpus"}, std::pair{"realmemory", "realmemory"}, std::pair{"gres", "gres"},
          std::pair{"state", "state"}, std::pair{"activefeatures", "feature"}})
      if (const std::string value = slurm_value(record, from); !value.empty())
        line.values.emplace_back(to, value);
    // Equal machines become a group, so their lines are not told.
    read_slurm_nodes(line, {}, {place.file, 0}, context, index, true);
  }

  static void read_reservation(const SlurmLine& record, const ImportPlace& place, ImportContext& context)
  {
    BatchReservation reservation;
    reservation.name = record.values.front().second;
    const auto start = cell_time(record.value("starttime")), end = cell_time(record.value("endtime"));
    if (!start || !end || *end <= *start) {
      context.report.error(place, "reservation '{}' has no StartTime before an EndTime", reservation.name);
      return;
    }
    reservation.start = Seconds{*start};
    reservation.length = Seconds{*end - *start};
    if (const std::string nodes = slurm_value(record, "nodes"); !nodes.empty())
      reservation.nodes = slurm_hosts(nodes, place, context.report);
    reservation.users = list_of(slurm_value(record, "users"));
    reservation.accounts = list_of(slurm_value(record, "accounts"));
    const std::string flags = record.value("flags");
    for (const char* repeats : {"HOURLY", "DAILY", "WEEKLY", "WEEKDAY", "WEEKEND"})
      if (flags.find(repeats) != std::string::npos)
        context.report.ignored({"reservations that repeat ({})", repeats},
                               "only the one that the file gives; write the others below it", place);
    context.report.understood("reservation " + reservation.name, place);
    put_rule(context.draft.batch.rules.reservations, std::move(reservation));
  }

  // One importer reads all files of an import.
  mutable SlurmJobs jobs_;
};

TY_REGISTER(Importer, Scontrol, "scontrol", "Slurm's present state: scontrol show partition, node, reservation, job");

} // namespace
} // namespace trainyard
