// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep_database.hpp"

#include "models/core/diagnostics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <set>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

constexpr int layout = 1;
constexpr std::size_t most_view_columns = 400;

std::string quoted(const std::string& name)
{
  std::string text = "\"";
  for (const char c : name)
    text += c == '"' ? std::string{"\"\""} : std::string{c};
  return text + "\"";
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
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    throw std::runtime_error{fmt::format(
        "'{}' is locked by another program; close it there and start again. Nothing is lost", file.string())};
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
    throw InputError{fmt::format(
        "'{}' is damaged or not an SQLite file ({}); it was not changed. Choose another file with -o, move it "
        "away, or recover its rows with: sqlite3 {} .recover",
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

void create_tables(const fs::path& file, sqlite3* database, const SweepIdentity& identity)
{
  std::string columns;
  for (const std::string& name : identity.columns)
    columns += fmt::format(", {} NUMERIC", quoted(name)); // numbers become numbers, "25 Gbit/s" stays a text
  execute(file, database, "CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
  execute(
      file, database,
      fmt::format("CREATE TABLE points(id INTEGER PRIMARY KEY, status TEXT NOT NULL, message TEXT{}, measures TEXT)",
                  columns));
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

SweepIdentity identity_in(const fs::path& file, sqlite3* database)
{
  {
    const Statement tables = prepare(
        file, database, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('sweep', 'points')");
    step(file, database, tables.get());
    if (sqlite3_column_int(tables.get(), 0) != 2)
      throw InputError{
          fmt::format("'{}' is an SQLite file, but contains no sweep; it was not changed. Choose another file with -o",
                      file.string())};
  }
  std::map<std::string, std::string> found;
  const Statement read = prepare(file, database, "SELECT key, value FROM sweep");
  while (step(file, database, read.get()))
    found[column(read.get(), 0)] = column(read.get(), 1);
  if (found["kind"] != "trainyard sweep" || found["layout"] != std::to_string(layout))
    throw InputError{fmt::format(
        "'{}' contains no sweep that this version can read; it was not changed. Choose another file with -o",
        file.string())};
  SweepIdentity identity;
  identity.name = found["name"];
  identity.scenario = found["scenario"];
  identity.fingerprint = found["fingerprint"];
  identity.points = std::strtoull(found["points"].c_str(), nullptr, 10);
  identity.shard = found["shard"];
  const auto columns = nlohmann::json::parse(found["columns"], nullptr, false);
  if (columns.is_array())
    for (const auto& name : columns)
      if (name.is_string())
        identity.columns.push_back(name.get<std::string>());
  return identity;
}

void check_whole(const fs::path& file, sqlite3* database)
{
  const Statement check = prepare(file, database, "PRAGMA quick_check(1)");
  if (!step(file, database, check.get()) || column(check.get(), 0) != "ok")
    refuse(file, SQLITE_CORRUPT, column(check.get(), 0).c_str());
}

void check_folder(const fs::path& file)
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

SweepRow row_of(sqlite3_stmt* statement, const std::vector<std::string>& columns)
{
  SweepRow row;
  row.id = static_cast<std::uint64_t>(sqlite3_column_int64(statement, 0));
  if (column(statement, 1) == "failed")
    row.failure = column(statement, 2);
  int at = 3;
  for (const std::string& name : columns)
    row.settings.emplace_back(name, column(statement, at++));
  row.measures = column(statement, at);
  return row;
}

/// A view with one column per figure, for tools that know no JSON.
std::string view_sql(const SweepIdentity& identity,
                     const std::vector<std::pair<std::string, std::vector<std::string>>>& figures)
{
  std::string sql = "CREATE VIEW results AS SELECT id, status, message";
  std::set<std::string> taken = {"id", "status", "message"};
  for (const std::string& name : identity.columns) {
    sql += ", " + quoted(name);
    taken.insert(name);
  }
  const std::size_t jobs =
      figures.size() -
      static_cast<std::size_t>(std::ranges::any_of(figures, [](const auto& f) { return f.first == "cluster"; }));
  std::size_t count = 0;
  for (const auto& [item, names] : figures)
    for (const std::string& name : names) {
      const std::string title = jobs <= 1 || item == "cluster" ? name : item + "." + name;
      if (++count > most_view_columns || !taken.insert(title).second)
        continue;
      if ((item + name).find_first_of("\"'") != std::string::npos)
        continue;
      sql += fmt::format(", measures ->> '$.\"{}\".\"{}\"' AS {}", item, name, quoted(title));
    }
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

SweepDatabase::SweepDatabase(fs::path file, const SweepIdentity& identity, bool fresh)
    : file_{std::move(file)}, identity_{identity}, connection_{std::make_unique<Connection>()},
      done_(identity.points, false)
{
  check_folder(file_);
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
    const auto id = static_cast<std::uint64_t>(sqlite3_column_int64(read.get(), 0));
    if (id >= done_.size())
      continue;
    done_[id] = true;
    ++done_count_;
    failed_ += column(read.get(), 1) == "failed" ? 1U : 0U;
  }
  connection_->insert = prepare(file_, database, insert_sql(identity_));
}

SweepDatabase::~SweepDatabase() = default;

void SweepDatabase::add(const SweepRow& row)
{
  insert_row(file_, connection_->database.get(), connection_->insert.get(), row);
  sqlite3_reset(connection_->insert.get());
  if (!done_[row.id]) {
    done_[row.id] = true;
    ++done_count_;
    failed_ += row.failure.empty() ? 0U : 1U;
  }
}

void SweepDatabase::forget_failures()
{
  sqlite3* database = connection_->database.get();
  {
    const Statement read = prepare(file_, database, "SELECT id FROM points WHERE status = 'failed'");
    while (step(file_, database, read.get())) {
      done_[static_cast<std::uint64_t>(sqlite3_column_int64(read.get(), 0))] = false;
      --done_count_;
    }
  }
  execute(file_, database, "DELETE FROM points WHERE status = 'failed'");
  failed_ = 0;
}

void SweepDatabase::finish()
{
  sqlite3* database = connection_->database.get();
  connection_->insert.reset();
  const fs::path ordered = file_.string() + ".ordering";
  std::error_code error;
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
      const SweepRow row = row_of(read.get(), identity_.columns);
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
    row(row_of(read.get(), contents.identity.columns));
}

} // namespace trainyard
