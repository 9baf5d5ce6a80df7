// SPDX-License-Identifier: Apache-2.0
#include "models/job/traces/trace_importer.hpp"

#include "models/core/csv.hpp"
#include "models/core/input_file.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/longest_time.hpp"
#include "models/core/regular_file.hpp"
#include "models/core/safe_text.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <queue>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard {
namespace {

/// Jobs are held in memory, about 200 bytes each; rows beyond this are refused with the way out.
constexpr std::int64_t most_rows = 20'000'000;

/// A file as one piece of text that the system reads piece by piece as it is looked at: a trace of gigabytes takes no
/// memory of its own.
class FileView
{
public:
  explicit FileView(const std::filesystem::path& file)
  {
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
      throw InputError{fmt::format("trace '{}' is a folder; name a file in it", file.string())};
    check_regular_file(file);
    const int handle = ::open(file.c_str(), O_RDONLY | O_CLOEXEC); // NOLINT(cppcoreguidelines-pro-type-vararg)
    struct stat status = {};
    if (handle < 0 || ::fstat(handle, &status) != 0) {
      const int why = errno;
      if (handle >= 0)
        ::close(handle);
      throw InputError{fmt::format("trace '{}' cannot be read: {}", file.string(), std::strerror(why))};
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (S_ISREG(status.st_mode) && size_ > 0) {
      void* start = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, handle, 0);
      if (start != MAP_FAILED) { // NOLINT(cppcoreguidelines-pro-type-cstyle-cast,performance-no-int-to-ptr)
        data_ = static_cast<char*>(start);
        ::madvise(data_, size_, MADV_SEQUENTIAL);
      }
    }
    ::close(handle);
    if (data_ == nullptr) { // a file system that cannot map
      std::ifstream in{file, std::ios::binary};
      copy_.assign(std::istreambuf_iterator<char>{in}, {});
    }
  }
  ~FileView()
  {
    if (data_ != nullptr)
      ::munmap(data_, size_);
  }
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;

  std::string_view text() const { return data_ != nullptr ? std::string_view{data_, size_} : std::string_view{copy_}; }

private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::string copy_;
};

constexpr std::size_t most_kinds = 100;
constexpr const char* more_kinds = "findings of more kinds";

} // namespace

void TraceAudit::add(const std::string& what, const std::string& consequence, std::int64_t row)
{
  auto found = std::ranges::find(findings_, what, &TraceFinding::what);
  if (found == findings_.end() && findings_.size() >= most_kinds) { // names of a file can make each row another kind
    if (findings_.back().what != more_kinds)
      findings_.push_back({more_kinds, "only counted", 0, {}});
    found = std::prev(findings_.end());
  } else if (found == findings_.end()) {
    findings_.push_back({what, consequence, 0, {}});
    found = std::prev(findings_.end());
  }
  ++found->count;
  if (found->rows.size() < 10 && row > 0)
    found->rows.push_back(row);
}

std::string TraceAudit::text() const
{
  if (findings_.empty())
    return fmt::format("{} rows, {} jobs, no findings\n", rows_read, jobs);
  std::string result = fmt::format("{} rows, {} jobs, {} {}\n", rows_read, jobs, findings_.size(),
                                   findings_.size() == 1 ? "kind of finding" : "kinds of findings");
  for (const TraceFinding& finding : findings_) {
    result += fmt::format("  {} x {}: {}", finding.count, finding.what, finding.consequence);
    if (!finding.rows.empty())
      result += fmt::format(" (line {}{})", fmt::join(finding.rows, ", "),
                            finding.count > static_cast<std::int64_t>(finding.rows.size()) ? ", …" : "");
    result += "\n";
  }
  return result;
}

std::optional<double> cell_number(std::string_view cell)
{
  const std::optional<double> value = as_number<double>(trimmed(cell));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<int> cell_whole(std::string_view cell)
{
  const auto number = cell_number(cell);
  if (!number || *number != std::floor(*number) || std::abs(*number) > 1e9)
    return std::nullopt;
  return static_cast<int>(*number);
}

bool plausible_time(double seconds)
{
  return seconds >= 0 && seconds <= 1e11;
}

const char* finer_unit(double time)
{
  return time > 1e17 ? "nanoseconds" : time > 1e14 ? "microseconds" : time > 1e11 ? "milliseconds" : nullptr;
}

namespace {

/// Where the zone of "2024-05-01T10:00Z", "2024-05-01 10:00:00 UTC" or "… +0200" begins, behind the minutes.
std::size_t zone_at(std::string_view date)
{
  const std::size_t least = 16;
  if (date.size() <= least)
    return std::string_view::npos;
  if (date.ends_with(" UTC") || date.ends_with(" GMT"))
    return date.size() - 3;
  return date.find_first_of("+-Zz", least);
}

} // namespace

bool has_zone(std::string_view date)
{
  return zone_at(date) != std::string_view::npos;
}

namespace {

/// Takes the zone from the end of "2024-05-01T10:00:00+02:00" (also +0200, +02, Z): seconds that its clocks are ahead
/// of UTC; nothing where what follows the seconds is none.
std::optional<double> cut_zone(std::string_view& cell)
{
  const std::size_t at = zone_at(cell);
  if (at == std::string_view::npos)
    return 0;
  const std::string_view zone = cell.substr(at);
  cell = trimmed(cell.substr(0, at));
  if (zone == "Z" || zone == "z" || zone == "UTC" || zone == "GMT")
    return 0;
  std::string digits{zone.substr(1)};
  if (digits.size() == 5 && digits[2] == ':')
    digits.erase(2, 1);
  const bool whole = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!whole || (digits.size() != 2 && digits.size() != 4))
    return std::nullopt;
  const int hours = std::stoi(digits.substr(0, 2)), minutes = digits.size() == 4 ? std::stoi(digits.substr(2)) : 0;
  if (hours > 14 || minutes > 59)
    return std::nullopt;
  return (zone[0] == '-' ? -1 : 1) * (hours * 3600.0 + minutes * 60.0);
}

} // namespace

std::optional<double> cell_time(std::string_view cell)
{
  cell = trimmed(cell);
  if (const auto number = cell_number(cell))
    return number;
  const std::optional<double> ahead = cut_zone(cell);
  if (!ahead)
    return std::nullopt;
  const auto digits = [&](std::size_t at, std::size_t count) -> std::optional<int> {
    int value = 0;
    if (at + count > cell.size())
      return std::nullopt;
    for (std::size_t i = at; i < at + count; ++i) {
      if (cell[i] < '0' || cell[i] > '9')
        return std::nullopt;
      value = value * 10 + (cell[i] - '0');
    }
    return value;
  };
  const auto year = digits(0, 4), month = digits(5, 2), day = digits(8, 2);
  if (!year || !month || !day || cell.size() < 10 || cell[4] != '-' || cell[7] != '-')
    return std::nullopt;
  double seconds = 0;
  if (cell.size() > 10) {
    const auto hour = digits(11, 2), minute = digits(14, 2);
    const auto second = cell.size() == 16 ? std::optional{0} : digits(17, 2); // "10:00"
    if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60)
      return std::nullopt;
    seconds = *hour * 3600.0 + *minute * 60.0 + *second;
    if (cell.size() > 19) {
      const auto fraction = cell[19] == '.' ? cell_number("0" + std::string{cell.substr(19)}) : std::nullopt;
      if (!fraction)
        return std::nullopt;
      seconds += *fraction;
    }
  }
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok())
    return std::nullopt;
  return static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count()) * 86400 + seconds - *ahead;
}

void for_each_line(std::string_view text, const std::function<void(std::string_view, std::int64_t)>& line)
{
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos)
      end = text.size();
    std::string_view one = text.substr(begin, end - begin);
    if (!one.empty() && one.back() == '\r')
      one.remove_suffix(1);
    line(one, ++number);
    begin = end + 1;
  }
}

std::vector<std::string_view> blank_separated(std::string_view line)
{
  std::vector<std::string_view> words;
  for (std::size_t i = line.find_first_not_of(" \t"); i != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", i), line.size());
    words.push_back(line.substr(i, end - i));
    i = line.find_first_not_of(" \t", end);
  }
  return words;
}

void count_row(TraceAudit& audit, const std::filesystem::path& file)
{
  if (++audit.rows_read > most_rows)
    throw InputError{
        fmt::format("trace '{}': more than {} rows; cut the file, for example by month", file.string(), most_rows)};
}

namespace {

/// What a head of one column says where its names are divided by another character.
std::string other_separator(const std::vector<std::string>& columns, char separator)
{
  const auto words = [](char c) { return c == '\t' ? std::string{"tabs"} : fmt::format("'{}'", c); };
  if (columns.size() == 1)
    for (const char other : {',', ';', '\t', '|'})
      if (other != separator && columns.front().find(other) != std::string::npos)
        return fmt::format("; the file divides its cells by {}, this format needs {}", words(other), words(separator));
  return {};
}

} // namespace

TraceTable::TraceTable(std::string_view text, const std::filesystem::path& file,
                       const std::vector<std::string>& required, char separator,
                       const std::map<std::string, std::string>& names)
    : text_{text}, separator_{separator}, name_{file}
{
  CsvReader reader{text, separator, false};
  if (reader.next())
    for (const std::string_view cell : reader.cells())
      columns_.emplace_back(trimmed(cell));
  const std::vector<std::string> in_file = columns_;
  for (const auto& [ours, theirs] : names) {
    const auto found = std::ranges::find(in_file, theirs);
    if (found == in_file.end())
      throw InputError{fmt::format("trace '{}' has no column '{}', which 'columns' names as {}{}; its columns are {}",
                                   file.string(), theirs, ours, did_you_mean(theirs, in_file),
                                   fmt::join(in_file, ", "))};
    for (std::string& other : columns_)
      if (other == ours)
        other.clear();
    columns_[static_cast<std::size_t>(found - in_file.begin())] = ours;
  }
  for (const std::string& name : required)
    if (!has(name))
      throw InputError{fmt::format("trace '{}' has no column '{}'; its columns are {}{}", file.string(), name,
                                   fmt::join(columns_, ", "), other_separator(columns_, separator))};
}

void TraceTable::for_each(TraceAudit& audit, const std::function<void(std::int64_t)>& row)
{
  CsvReader reader{text_, separator_, false};
  reader.next(); // the head
  while (reader.next()) {
    check_interrupt();
    cells_ = reader.cells();
    if (cells_.size() == 1 && trimmed(cells_.front()).empty())
      continue;
    count_row(audit, name_);
    if (cells_.size() == columns_.size())
      row(reader.line());
    else
      audit.add("row whose number of cells differs from the header", "left out", reader.line());
  }
  cells_ = {};
}

int TraceTable::index(const std::string& column) const
{
  const auto found = std::ranges::find(columns_, column);
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

bool TraceTable::has(const std::string& column) const
{
  return index(column) >= 0;
}

std::string_view TraceTable::cell(const std::string& column) const
{
  const int at = index(column);
  return at < 0 || cells_.empty() ? std::string_view{} : trimmed(cells_[static_cast<std::size_t>(at)]);
}

std::optional<double> TraceTable::number(const std::string& column) const
{
  return cell_number(cell(column));
}

std::optional<int> TraceTable::whole(const std::string& column) const
{
  return cell_whole(cell(column));
}

namespace {

/// After the first submission has become 0. @p way_out: how to correct it.
void refuse_long_times(const Workload& workload, const std::filesystem::path& file, const char* way_out)
{
  Diagnostics faults;
  for (const TraceJob& job : workload.jobs)
    for (const auto& [what, time] : {std::pair{"time of submission", job.submit}, std::pair{"run time", job.duration},
                                     std::pair{"estimate", job.estimate}})
      if (time > longest_time)
        faults.error({file.string(), static_cast<int>(job.row), 0},
                     fmt::format("{}: {}; {}", what, beyond_longest_time, way_out));
  faults.throw_if_errors();
}

/// A gang whose GPUs its tasks cannot share evenly would get fewer than it asks for, or never start.
void refuse_uneven_tasks(std::vector<TraceJob>& jobs, TraceAudit& audit)
{
  for (TraceJob& job : jobs)
    if (job.tasks > 0 && job.gpus % job.tasks != 0) {
      audit.add("GPUs that cannot be divided evenly over the tasks", "the number of tasks is left blank", job.row);
      job.tasks = 0;
    }
}

void finish(ImportedTrace& trace, const std::filesystem::path& file, const TraceOptions& options)
{
  Workload& workload = trace.workload;
  std::vector<TraceJob>& jobs = workload.jobs;
  TraceAudit& audit = trace.audit;
  refuse_uneven_tasks(jobs, audit);
  for (std::size_t i = 1; i < jobs.size(); ++i)
    if (jobs[i].submit < jobs[i - 1].submit)
      audit.add("row out of order of submission", "sorted", jobs[i].row);
  for (const TraceJob& job : jobs)
    if (job.duration.value() == 0 && !trace.without_times)
      audit.add("run time of zero", "kept: it ends when it starts", job.row);
  sort_by_submission(workload);
  refuse_long_times(workload, file, "correct the row or leave it out");
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    const double gap = (jobs[i].submit - jobs[i - 1].submit).value();
    if (gap > 7 * 86400)
      audit.add("gap of more than a week without a submission", "kept", jobs[i].row);
  }
  if (options.from || options.until || options.first_jobs > 0) {
    std::vector<TraceJob> kept;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if ((options.from && jobs[i].submit < *options.from) || (options.until && jobs[i].submit >= *options.until))
        continue;
      if (options.first_jobs > 0 && std::ssize(kept) >= options.first_jobs)
        break;
      kept.push_back(jobs[i]);
      if (!workload.job_names.empty())
        names.push_back(workload.job_names[i]);
    }
    if (!workload.dependencies.empty())
      audit.add("dependencies of a trace of which only a part is read", "left out", 0);
    workload.dependencies.clear();
    workload.jobs = std::move(kept);
    workload.job_names = std::move(names);
    sort_by_submission(workload);
  }
  if (options.time_compression != 1) {
    for (TraceJob& job : workload.jobs) {
      const auto submit = job.submit / options.time_compression;
      if (is_finite(job.deadline)) // as long after the submission as before
        job.deadline -= job.submit - submit;
      job.submit = submit;
    }
    refuse_long_times(workload, file, "'time_compression' makes it so late");
  }
  audit.jobs = workload.size();
}

/// For a file whose first line may be the head of a table: how its columns can be named.
std::string hint_of_columns(std::string_view head)
{
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.find(',') == std::string_view::npos || line.size() > 400)
    return {};
  return fmt::format("; or say which of its columns are those of Trainyard's table, for example columns: {{submit_s: "
                     "{0}, duration_s: …, gpus: …}}",
                     trimmed(line.substr(0, line.find(','))));
}

} // namespace

ImportedTrace import_trace(const std::filesystem::path& file, const TraceOptions& options)
{
  const FileView view{file};
  const std::string unfolded = view.text().starts_with("\x1f\x8b") ? InputFile{file}.text() : std::string{}; // gzip
  std::string_view text = unfolded.empty() ? view.text() : unfolded;
  ImportedTrace trace;
  std::string repaired; // accounting tools cut names in the middle of a letter
  if (first_invalid_utf8(text) != std::string_view::npos) {
    std::int64_t line = 1;
    std::size_t counted_to = 0;
    repaired = valid_utf8(text, [&](std::size_t at) {
      line += std::count(text.begin() + static_cast<std::ptrdiff_t>(counted_to),
                         text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      counted_to = at;
      trace.audit.add("byte that is not UTF-8", "replaced by U+FFFD", line);
    });
    text = repaired;
  }
  const auto& registry = Registry<TraceImporter>::instance();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw InputError{fmt::format("trace '{}' is empty", file.string())};
  const std::string_view head = text.substr(0, 4096);
  if (head.find('\0') != std::string_view::npos)
    throw InputError{fmt::format("trace '{}' is a binary file; unpack it first", file.string())};
  std::string format = options.format;
  if (format == "auto") {
    std::vector<std::string> fitting;
    for (const auto& [name, entry] : registry.entries())
      if (entry.create({})->recognises(head, file))
        fitting.push_back(name);
    if (!options.columns.empty())
      fitting = {"csv"};
    if (fitting.empty())
      throw InputError{fmt::format("the format of trace '{}' is not known; name one of {} with 'format'{}",
                                   file.string(), fmt::join(registry.names(), ", "), hint_of_columns(head))};
    format = fitting.front();
  } else if (registry.find(format) == nullptr) {
    throw InputError{fmt::format("unknown trace format '{}'{}; known are {}", format,
                                 did_you_mean(format, registry.names()), fmt::join(registry.names(), ", "))};
  }
  if (!options.columns.empty() && format != "csv")
    throw InputError{
        fmt::format("'columns' names those of a table (format csv), and '{}' is read as {}", file.string(), format)};
  trace.format = format;
  trace.workload.source = file.filename().string();
  registry.create(format)->read(text, file, options, trace);
  if (trace.workload.jobs.empty() && trace.machines.empty())
    throw InputError{
        fmt::format("trace '{}' ({}) has no job that can be read\n{}", file.string(), format, trace.audit.text())};
  finish(trace, file, options);
  return trace;
}

void audit_against(const Workload& workload, int gpus, std::span<const std::string> gpu_types, TraceAudit& audit)
{
  struct End {
    Instant time;
    int gpus;
    bool operator>(const End& other) const { return time > other.time; }
  };
  std::priority_queue<End, std::vector<End>, std::greater<>> running;
  long demand = 0;
  for (const TraceJob& job : workload.jobs) {
    if (job.smallest_gpus() > gpus) {
      audit.add(fmt::format("job that requests more than the cluster's {} GPUs", gpus), "kept: it can never run",
                job.row);
      continue;
    }
    if (job.gpu_type >= 0)
      if (const std::string& type = workload.gpu_types[static_cast<std::size_t>(job.gpu_type)];
          std::ranges::find(gpu_types, type) == gpu_types.end()) {
        audit.add(fmt::format("job for GPUs of type '{}', which no machine has{}", type, did_you_mean(type, gpu_types)),
                  "kept: it can never run", job.row);
        continue;
      }
    while (!running.empty() && running.top().time <= job.submit) {
      demand -= running.top().gpus;
      running.pop();
    }
    demand += job.gpus;
    running.push({job.submit + job.duration, job.gpus});
    if (demand > gpus)
      audit.add(fmt::format("submission while jobs request more than the cluster's {} GPUs", gpus), "kept: it may wait",
                job.row);
  }
}

} // namespace trainyard
