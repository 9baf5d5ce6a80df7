// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/registry.hpp"
#include "models/job/throughput_table.hpp"
#include "models/job/workload.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Something about a trace that the user should know; nothing is dropped without a finding.
struct TraceFinding {
  std::string what;        // "run time of zero", one wording per kind
  std::string consequence; // what was done about it
  std::int64_t count = 0;
  std::vector<std::int64_t> rows; // lines of the file, the first ten
};

/// Findings from reading a trace.
class TraceAudit
{
public:
  void add(const std::string& what, const std::string& consequence, std::int64_t row);
  const std::vector<TraceFinding>& findings() const { return findings_; }
  bool clean() const { return findings_.empty(); }
  std::int64_t rows_read = 0;
  std::int64_t jobs = 0;

  /// One line per finding with its first rows; "no findings" where there is none.
  std::string text() const;

private:
  std::vector<TraceFinding> findings_;
};

struct TraceOptions {
  std::string format = "auto";
  int first_jobs = 0;                                 // keep so many, after sorting; 0 = all
  double time_compression = 1;                        // submissions come this many times as fast
  int processors_per_gpu = 1;                         // SWF counts processors
  std::shared_ptr<const ThroughputTable> throughputs; // for traces that say how many steps a job does
  std::string reference_gpu;                          // type that run times mean; empty: the table's only one, or v100
  std::map<std::string, std::string> columns; // of a table of one's own: those of `own_columns`, and their names
                                              // in the file; they then mean the format csv
  std::optional<Seconds> from;                // leave out jobs submitted before (since the earliest)
  std::optional<Seconds> until;
};

/// A trace as jobs, or for a file of machines the machines.
struct ImportedTrace {
  std::string format;
  Workload workload;
  std::vector<NodeShape> machines;
  std::vector<std::string> gpu_types; // of the machines
  TraceAudit audit;
  std::vector<std::pair<std::int64_t, Instant>> waits; // by line (TraceJob::row): recorded start - submission
  bool names_machines = false;                         // jobs have names of machines, which say no more of them
  int head_gpus = 0;                                   // of the machine, as the head of the file says; 0: it does not
  int head_nodes = 0;                                  // its machines
  bool without_times = false;                          // a list of tasks to be packed: no submissions, no run times
  std::string measured_on; // type of the throughputs that made run times of steps; empty: run times are the trace's
};

/// One file format. Rows that cannot be read are findings, not the end of the file.
class TraceImporter
{
public:
  virtual ~TraceImporter() = default;
  /// Whether the head of a file (its first 4 kB) looks like this format.
  virtual bool recognises(std::string_view head, const std::filesystem::path& file) const = 0;
  /// Throws InputError where the file as a whole is not of this format.
  virtual void read(std::string_view text, const std::filesystem::path& file, const TraceOptions& options,
                    ImportedTrace& trace) const = 0;
};

/// Reads a trace, plain or gzip, sorted by submission, and audits it: order, gaps, zero and negative times, demand.
///
/// Throws InputError naming the file for a file that cannot be read, is empty, or has an unknown format (all formats
/// are named).
ImportedTrace import_trace(const std::filesystem::path& file, const TraceOptions& options = {});

/// Findings that need the cluster: jobs larger than all GPUs or for a type that is not among @p gpu_types, and when the
/// recorded demand is above them.
void audit_against(const Workload& workload, int gpus, std::span<const std::string> gpu_types, TraceAudit& audit);

/// A column of Trainyard's own table, with its unit in its name.
struct OwnColumn {
  const char* name;
  const char* meaning;
};
/// All of them; the first three must be there.
std::span<const OwnColumn> own_columns();

// ---- for importers

/// Splits @p text into lines and hands each to @p line with its number from 1; a last line without newline counts, "\r"
/// is cut.
void for_each_line(std::string_view text, const std::function<void(std::string_view line, std::int64_t number)>& line);

/// The words of a line.
std::vector<std::string_view> blank_separated(std::string_view line);

/// One more row of the file has been read. Throws InputError where the file has more of them than fit into memory.
void count_row(TraceAudit& audit, const std::filesystem::path& file);

/// A table with a head line, read row by row.
class TraceTable
{
public:
  /// Throws InputError where one of @p required is not a column (with the columns there are). @p names: our name of a
  /// column, and that in the file; throws InputError where it is not there.
  TraceTable(std::string_view text, const std::filesystem::path& file, const std::vector<std::string>& required,
             char separator = ',', const std::map<std::string, std::string>& names = {});

  /// Calls @p row for each row that has as many cells as the head; others are findings.
  void for_each(TraceAudit& audit, const std::function<void(std::int64_t number)>& row);
  bool has(const std::string& column) const;
  /// By our names; empty where another column has taken the name.
  const std::vector<std::string>& columns() const { return columns_; }
  /// The cell of the current row; empty where there is no such column.
  std::string_view cell(const std::string& column) const;
  std::optional<double> number(const std::string& column) const;
  std::optional<int> whole(const std::string& column) const;

private:
  int index(const std::string& column) const;
  std::string_view text_;
  char separator_;
  std::filesystem::path name_; // of the file, for messages
  std::vector<std::string> columns_;
  std::span<const std::string_view> cells_; // of the current row
};

/// A whole cell as a number; nothing where it is none.
std::optional<double> cell_number(std::string_view cell);
/// A whole cell as a whole number of at most 1e9 either way; "8.0" is one, "0.5" is not.
std::optional<int> cell_whole(std::string_view cell);
/// Whether a run time or a distance of times makes sense: 0 to 1e11 s, about 3,000 years.
bool plausible_time(double seconds);
/// The unit of a time since 1970 that cannot be seconds: "milliseconds", "microseconds", "nanoseconds"; else null.
const char* finer_unit(double time);
/// "2017-10-09 07:01:55" (also with T, fractions and a zone: Z, +02:00, +0200) as seconds since 1970; without a zone as
/// if it were UTC.
std::optional<double> cell_time(std::string_view cell);
/// Whether a date ends with a zone.
bool has_zone(std::string_view date);

} // namespace trainyard
