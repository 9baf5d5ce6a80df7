// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep_database.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/output.hpp"
#include "models/core/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

constexpr int layout = 1;
constexpr std::size_t most_view_columns = 1900; // SQLite: 2000
constexpr int most_cell_bytes = 64 << 20;
constexpr std::uint64_t most_points = 1ULL << 62U; // SQLite numbers rows up to 2^63

/// @p text between two of @p quote, which stand twice inside. NUL would end the SQL.
std::string quoted(const std::string& text, char quote = '"')
{
  std::string result(1, quote);
  for (const char c : text)
    result += c == quote ? std::string(2, quote) : c == '\0' ? std::string{"\uFFFD"} : std::string{c};
  return result + quote;
}

/// The name, or one with a number where it is taken. To SQLite, A and a are one name.
std::string free_name(const std::string& name, std::set<std::string>& taken)
{
  std::string chosen = name;
  for (int number = 2; !taken.insert(lower_case(chosen)).second; ++number)
    chosen = fmt::format("{} ({})", name, number);
  return chosen;
}

/// A figure in the JSON of a point. A path of SQLite has no way to write a name that JSON escapes.
std::string figure_sql(const std::string& item, const std::string& name)
{
  const auto plain = [](const std::string& key) {
    return !key.empty() && nlohmann::json(key).dump() == "\"" + key + "\"";
  };
  if (plain(item) && plain(name))
    return "measures ->> " + quoted(fmt::format("$.\"{}\".\"{}\"", item, name), '\'');
  return fmt::format("(SELECT figure.value FROM json_each(points.measures) AS item, json_each(item.value) AS figure "
                     "WHERE item.key = {} AND figure.key = {})",
                     quoted(item, '\''), quoted(name, '\''));
}

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

/// What SQLite says, and the system below it: of a full disk SQLite says "disk I/O error".
std::string reason(sqlite3* database)
{
  const int system = sqlite3_system_errno(database);
  const std::string words = sqlite3_errmsg(database);
  return system == 0 ? words : fmt::format("{} ({})", words, std::strerror(system));
}

[[noreturn]] void refuse(const fs::path& file, int code, const std::string& words)
{
  switch (code & 0xff) {
  case SQLITE_INTERRUPT:
    throw Interrupted{};
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    throw std::runtime_error{fmt::format(
        "'{}' is locked by another program; close it there and start again. Nothing is lost", file.string())};
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
    throw InputError{fmt::format("'{}' is damaged or not an SQLite file ({}); it was not changed. Choose another file "
                                 "with -o, move it away, or recover its rows with: sqlite3 {} .recover",
                                 file.string(), words, file.string())};
  default:
    throw std::runtime_error{fmt::format("sqlite: '{}': {}", file.string(), words)};
  }
}

Database open(const fs::path& file, int flags)
{
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Database database{raw};
  if (code != SQLITE_OK)
    refuse(file, code, raw == nullptr ? "out of memory" : reason(raw));
  sqlite3_busy_timeout(raw, 3000);
  // The file may come from anybody: nothing in it but the two tables is looked at, and no cell is large.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, most_cell_bytes);
  sqlite3_progress_handler(
      raw, 100'000, [](void*) { return interrupt::asked ? 1 : 0; }, nullptr);
  return database;
}

void execute(const fs::path& file, sqlite3* database, const std::string& sql)
{
  const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK)
    refuse(file, code, reason(database));
}

Statement prepare(const fs::path& file, sqlite3* database, const std::string& sql)
{
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &raw, nullptr);
  if (code != SQLITE_OK)
    refuse(file, code, reason(database));
  return Statement{raw};
}

/// One step; true where there is a row.
bool step(const fs::path& file, sqlite3* database, sqlite3_stmt* statement)
{
  const int code = sqlite3_step(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    refuse(file, code, reason(database));
  return code == SQLITE_ROW;
}

void bind(sqlite3_stmt* statement, int at, const std::string& text)
{
  sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

std::string column(sqlite3_stmt* statement, int at)
{
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, at));
  return text == nullptr ? std::string{}
                         : std::string{text, static_cast<std::size_t>(sqlite3_column_bytes(statement, at))};
}

std::map<std::string, std::string> facts(const SweepIdentity& identity)
{
  return {{"kind", "trainyard sweep"},
          {"layout", std::to_string(layout)},
          {"name", identity.name},
          {"scenario", identity.scenario},
          {"fingerprint", identity.fingerprint},
          {"points", std::to_string(identity.points)},
          {"columns", nlohmann::json(identity.columns).dump()},
          {"shard", identity.shard}};
}

constexpr const char* sweep_table = "CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";

std::string points_table(const std::vector<std::string>& settings)
{
  std::string columns;
  std::set<std::string> taken = {"id", "status", "message", "measures"};
  for (const std::string& name : settings)
    columns +=
        fmt::format(", {} NUMERIC", quoted(free_name(name, taken))); // numbers become numbers, "25 Gbit/s" stays a text
  return fmt::format("CREATE TABLE points(id INTEGER PRIMARY KEY, status TEXT NOT NULL, message TEXT{}, measures TEXT)",
                     columns);
}

void create_tables(const fs::path& file, sqlite3* database, const SweepIdentity& identity)
{
  execute(file, database, sweep_table);
  execute(file, database, points_table(identity.columns));
  const Statement insert = prepare(file, database, "INSERT INTO sweep VALUES(?, ?)");
  for (const auto& [key, value] : facts(identity)) {
    sqlite3_reset(insert.get());
    bind(insert.get(), 1, key);
    bind(insert.get(), 2, value);
    step(file, database, insert.get());
  }
}

std::string insert_sql(const SweepIdentity& identity)
{
  std::string sql = "INSERT OR REPLACE INTO points VALUES(?, ?, ?";
  for (std::size_t i = 0; i < identity.columns.size(); ++i)
    sql += ", ?";
  return sql + ", ?)";
}

void insert_row(const fs::path& file, sqlite3* database, sqlite3_stmt* insert, const SweepRow& row)
{
  sqlite3_reset(insert);
  sqlite3_clear_bindings(insert);
  int at = 0;
  sqlite3_bind_int64(insert, ++at, static_cast<sqlite3_int64>(row.id));
  bind(insert, ++at, row.failure.empty() ? "done" : "failed");
  ++at;
  if (!row.failure.empty())
    bind(insert, at, row.failure);
  for (const auto& [name, value] : row.settings)
    bind(insert, ++at, value);
  ++at;
  if (row.failure.empty())
    bind(insert, at, row.measures);
  step(file, database, insert);
}

/// The file of a program that was killed before its first tables were written.
bool holds_nothing(const fs::path& file, sqlite3* database)
{
  const Statement anything = prepare(file, database, "SELECT count(*) FROM sqlite_master");
  step(file, database, anything.get());
  return sqlite3_column_int(anything.get(), 0) == 0;
}

/// Whether @p name is the table that we make with @p sql: no view, which may have no end, and no column that computes.
bool is_table(const fs::path& file, sqlite3* database, const char* name, const std::string& sql)
{
  const Statement read = prepare(file, database, "SELECT type, sql FROM sqlite_master WHERE name = ?");
  bind(read.get(), 1, name);
  return step(file, database, read.get()) && column(read.get(), 0) == "table" && column(read.get(), 1) == sql;
}

SweepIdentity identity_in(const fs::path& file, sqlite3* database)
{
  const auto fault = [&](const char* what) {
    return InputError{fmt::format("'{}' {}; it was not changed. Choose another file with -o", file.string(), what)};
  };
  if (!is_table(file, database, "sweep", sweep_table))
    throw fault("is an SQLite file, but contains no sweep");
  std::map<std::string, std::string> found;
  const Statement read = prepare(file, database, "SELECT key, value FROM sweep");
  while (step(file, database, read.get()))
    found[column(read.get(), 0)] = column(read.get(), 1);
  if (found["kind"] != "trainyard sweep" || found["layout"] != std::to_string(layout))
    throw fault("contains no sweep that this version can read");
  SweepIdentity identity;
  identity.name = found["name"];
  identity.scenario = found["scenario"];
  identity.fingerprint = found["fingerprint"];
  identity.shard = found["shard"];
  const auto columns = nlohmann::json::parse(found["columns"], nullptr, false);
  if (columns.is_array())
    for (const auto& name : columns)
      if (name.is_string())
        identity.columns.push_back(name.get<std::string>());
  if (!is_table(file, database, "points", points_table(identity.columns)))
    throw fault("is damaged: 'points' is not the table of a sweep");
  const std::optional<std::uint64_t> points = as_number<std::uint64_t>(found["points"]);
  if (!points || *points > most_points)
    throw fault("is damaged: it does not say how many points the sweep has");
  identity.points = *points;
  return identity;
}

void check_whole(const fs::path& file, sqlite3* database)
{
  const Statement check = prepare(file, database, "PRAGMA quick_check(1)");
  if (!step(file, database, check.get()) || column(check.get(), 0) != "ok")
    refuse(file, SQLITE_CORRUPT, column(check.get(), 0).c_str());
}

void make_folder_of(const fs::path& file)
{
  std::error_code error;
  if (fs::is_directory(file, error))
    throw InputError{fmt::format("'{}' is a folder; give a file for the results with -o", file.string())};
  error.clear();
  if (file.has_parent_path())
    fs::create_directories(file.parent_path(), error);
  if (error)
    throw std::runtime_error{
        fmt::format("cannot create the folder '{}': {}", file.parent_path().string(), error.message())};
}

/// The number of a point, in the first column.
std::uint64_t id_of(const fs::path& file, sqlite3_stmt* statement, std::uint64_t points)
{
  const auto id = static_cast<std::uint64_t>(sqlite3_column_int64(statement, 0));
  if (id >= points)
    throw InputError{fmt::format("'{}' is damaged: it has a point {}, and the sweep has {} points; it was not changed. "
                                 "Choose another file with -o",
                                 file.string(), static_cast<std::int64_t>(id), points)};
  return id;
}

SweepRow row_of(const fs::path& file, sqlite3_stmt* statement, const SweepIdentity& identity)
{
  SweepRow row;
  row.id = id_of(file, statement, identity.points);
  if (column(statement, 1) == "failed")
    row.failure = column(statement, 2);
  int at = 3;
  for (const std::string& name : identity.columns)
    row.settings.emplace_back(name, column(statement, at++));
  row.measures = column(statement, at);
  if (row.failure.empty() && (!row.measures.starts_with("{\"") || !nlohmann::json::accept(row.measures)))
    row.failure = "its result in this file cannot be read: the file was cut or changed; simrun sweep --retry computes "
                  "it again";
  return row;
}

/// A view with one column per figure, for tools that know no JSON.
std::string view_sql(const SweepIdentity& identity,
                     const std::vector<std::pair<std::string, std::vector<std::string>>>& figures)
{
  std::string sql = "CREATE VIEW results AS SELECT id, status, message";
  std::set<std::string> taken = {"id", "status", "message", "measures"};
  for (const std::string& name : identity.columns)
    sql += ", " + quoted(free_name(name, taken));
  const std::size_t jobs =
      figures.size() -
      static_cast<std::size_t>(std::ranges::any_of(figures, [](const auto& f) { return f.first == "cluster"; }));
  std::size_t count = 0;
  for (const auto& [item, names] : figures)
    for (const std::string& name : names) {
      const std::string title = jobs <= 1 || item == "cluster" ? name : item + "." + name;
      if (++count <= most_view_columns)
        sql += fmt::format(", {} AS {}", figure_sql(item, name), quoted(free_name(title, taken)));
    }
  if (count > most_view_columns)
    sql += fmt::format(", '{} more figures are in points.measures' AS more", count - most_view_columns);
  return sql + " FROM points";
}

/// Items and their figures, in the order in which they first appear.
void collect_figures(const std::string& measures,
                     std::vector<std::pair<std::string, std::vector<std::string>>>& figures,
                     std::set<std::pair<std::string, std::string>>& seen)
{
  const auto json = nlohmann::ordered_json::parse(measures, nullptr, false);
  if (!json.is_object())
    return;
  for (const auto& [item, numbers] : json.items()) {
    auto found = std::ranges::find(figures, item, [](const auto& entry) { return entry.first; });
    if (found == figures.end())
      found = figures.insert(figures.end(), {item, {}});
    for (const auto& [name, value] : numbers.items())
      if (seen.emplace(item, name).second)
        found->second.push_back(name);
  }
}

} // namespace

struct SweepDatabase::Connection {
  Database database;
  Statement insert;
  int lock = -1;

  ~Connection()
  {
    insert.reset();
    database.reset();
    if (lock >= 0)
      ::close(lock);
  }
};

SweepDatabase::SweepDatabase(const fs::path& file, const SweepIdentity& identity, bool fresh)
    : file_{behind_links(file)}, identity_{identity}, connection_{std::make_unique<Connection>()}
{
  make_folder_of(file_);
  connection_->lock = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (connection_->lock < 0)
    throw std::runtime_error{fmt::format("cannot open '{}': {}", file_.string(), std::strerror(errno))};
  if (::flock(connection_->lock, LOCK_EX | LOCK_NB) != 0)
    throw std::runtime_error{
        fmt::format("another simrun is writing '{}'; wait for it or stop it, then start again", file_.string())};
  struct stat opened {
  }, named{};
  if (::fstat(connection_->lock, &opened) != 0 || ::stat(file_.c_str(), &named) != 0 || opened.st_ino != named.st_ino)
    throw std::runtime_error{fmt::format("another simrun has just finished '{}'; start again", file_.string())};
  std::error_code error;
  bool empty = fs::file_size(file_, error) == 0;
  connection_->database = open(file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite3* database = connection_->database.get();
  if (!empty) {
    check_whole(file_, database);
    empty = holds_nothing(file_, database);
  }
  if (!empty) {
    const SweepIdentity earlier = identity_in(file_, database);
    if (fresh) {
      const Statement count = prepare(file_, database, "SELECT count(*) FROM points");
      step(file_, database, count.get());
      removed_ = static_cast<std::uint64_t>(sqlite3_column_int64(count.get(), 0));
    }
    if (fresh) {
      execute(file_, database, "DROP VIEW IF EXISTS results; DROP TABLE sweep; DROP TABLE points");
      empty = true;
    } else if (earlier.fingerprint != identity.fingerprint || earlier.points != identity.points ||
               earlier.shard != identity.shard) {
      throw InputError{fmt::format(
          "'{}' contains another sweep: {} with {} points{}{}; it was not changed. Choose another file with -o, or "
          "replace it with --fresh",
          file_.string(), earlier.name, earlier.points, earlier.shard.empty() ? "" : ", shard " + earlier.shard,
          earlier.scenario == identity.scenario ? ", by another version of simrun or of its input files" : "")};
    }
  }
  // A killed program loses nothing with WAL; `normal` may lose the last rows when the machine loses power, never more.
  execute(file_, database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (empty) {
    execute(file_, database, "BEGIN IMMEDIATE");
    create_tables(file_, database, identity_);
    execute(file_, database, "COMMIT");
  }
  const Statement read = prepare(file_, database, "SELECT id, status FROM points");
  while (step(file_, database, read.get())) {
    mark(id_of(file_, read.get(), identity_.points));
    failed_ += column(read.get(), 1) == "failed" ? 1U : 0U;
  }
  connection_->insert = prepare(file_, database, insert_sql(identity_));
}

SweepDatabase::~SweepDatabase() = default;

void SweepDatabase::add(const SweepRow& row)
{
  insert_row(file_, connection_->database.get(), connection_->insert.get(), row);
  sqlite3_reset(connection_->insert.get());
  if (mark(row.id))
    failed_ += row.failure.empty() ? 0U : 1U;
}

bool SweepDatabase::mark(std::uint64_t point)
{
  std::uint64_t& block = done_[point / 64];
  const std::uint64_t bit = 1ULL << point % 64;
  const bool fresh = (block & bit) == 0;
  block |= bit;
  done_count_ += fresh ? 1U : 0U;
  return fresh;
}

void SweepDatabase::forget_failures()
{
  sqlite3* database = connection_->database.get();
  const std::string failed = " FROM points WHERE status = 'failed' OR measures IS NULL OR measures = '{}' OR NOT "
                             "json_valid(measures)";
  {
    const Statement read = prepare(file_, database, "SELECT id" + failed);
    while (step(file_, database, read.get())) {
      const std::uint64_t id = id_of(file_, read.get(), identity_.points);
      done_[id / 64] &= ~(1ULL << id % 64);
      --done_count_;
    }
  }
  execute(file_, database, "DELETE" + failed);
  failed_ = 0;
}

void SweepDatabase::finish()
{
  sqlite3* database = connection_->database.get();
  connection_->insert.reset();
  const fs::path ordered = file_.string() + ".ordering";
  std::error_code error;
  struct Removed { // also where the program is asked to stop
    const fs::path& file;
    ~Removed()
    {
      std::error_code ignored;
      fs::remove(file, ignored);
    }
  } const unless_renamed{ordered};
  fs::remove(ordered, error);
  {
    const Database to = open(ordered, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    execute(ordered, to.get(), "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    create_tables(ordered, to.get(), identity_);
    const Statement insert = prepare(ordered, to.get(), insert_sql(identity_));
    const Statement read = prepare(file_, database, "SELECT * FROM points ORDER BY id");
    std::vector<std::pair<std::string, std::vector<std::string>>> figures;
    std::set<std::pair<std::string, std::string>> seen;
    while (step(file_, database, read.get())) {
      const SweepRow row = row_of(file_, read.get(), identity_);
      insert_row(ordered, to.get(), insert.get(), row);
      collect_figures(row.measures, figures, seen);
    }
    execute(ordered, to.get(), view_sql(identity_, figures));
    sqlite3_reset(insert.get());
    execute(ordered, to.get(), "COMMIT");
  }
  const int descriptor = ::open(ordered.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
  // the working file gives up its write-ahead log before the ordered one takes its name
  execute(file_, database, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  connection_->database.reset();
  fs::rename(ordered, file_, error);
  if (error)
    throw std::runtime_error{fmt::format("cannot write the results to '{}': {}", file_.string(), error.message())};
}

SweepContents sweep_contents(const fs::path& file)
{
  std::error_code error;
  if (!fs::exists(file, error))
    throw InputError{fmt::format("there is no file '{}'", file.string())};
  const Database database = open(file, SQLITE_OPEN_READWRITE);
  check_whole(file, database.get());
  SweepContents contents{identity_in(file, database.get()), 0};
  const Statement count = prepare(file, database.get(), "SELECT count(*) FROM points");
  step(file, database.get(), count.get());
  contents.rows = static_cast<std::uint64_t>(sqlite3_column_int64(count.get(), 0));
  return contents;
}

void read_sweep(const fs::path& file, const std::function<void(const SweepRow&)>& row)
{
  const SweepContents contents = sweep_contents(file);
  const Database database = open(file, SQLITE_OPEN_READWRITE);
  const Statement read = prepare(file, database.get(), "SELECT * FROM points ORDER BY id");
  while (step(file, database.get(), read.get()))
    row(row_of(file, read.get(), contents.identity));
}

} // namespace trainyard
