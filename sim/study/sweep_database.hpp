// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// What a sweep is: two runs of it may share a file only where all of this is equal.
struct SweepIdentity {
  std::string name;                 // of the scenario
  std::string scenario;             // the whole scenario with its sweep, in one line
  std::string fingerprint;          // SHA-256 of the scenario, its input files and the program's version
  std::uint64_t points = 0;         // of the whole sweep
  std::vector<std::string> columns; // settings of a point, in order
  std::string shard;                // "2/16", empty = all points
};

/// A point in the file.
struct SweepRow {
  std::uint64_t id = 0;
  std::vector<std::pair<std::string, std::string>> settings;
  std::string failure;  // empty = done
  std::string measures; // JSON object: item -> figures
};

/// The results of a sweep: one SQLite file with a row per point, written as each is done, so that only unfinished
/// points are lost if the program is killed.
///
/// While it is written to, the rows are in the order of their arrival; `finish` writes the file again in the order of
/// the points, the same bytes on any number of machines. Tables: `sweep` (key, value), `points` (id, status, message, a
/// column per setting, measures as JSON); view `results` with a column per figure.
class SweepDatabase
{
public:
  /// Opens the file or makes a new one. Throws InputError where it is damaged, no sweep, or of another scenario,
  /// std::runtime_error where it is in use or cannot be written; it is left as it was then. @p fresh: an earlier sweep
  /// in it is replaced.
  SweepDatabase(const std::filesystem::path& file, const SweepIdentity& identity, bool fresh = false);
  ~SweepDatabase();
  SweepDatabase(const SweepDatabase&) = delete;
  SweepDatabase& operator=(const SweepDatabase&) = delete;

  bool has(std::uint64_t point) const
  {
    const auto block = done_.find(point / 64);
    return block != done_.end() && (block->second >> point % 64 & 1U) != 0;
  }
  std::uint64_t done() const { return done_count_; }
  std::uint64_t failed() const { return failed_; }
  /// Points of the earlier sweep that @p fresh removed.
  std::uint64_t removed() const { return removed_; }
  void add(const SweepRow& row);
  /// Takes out the failed points, so that they are tried again.
  void forget_failures();
  /// All rows are there: puts them in order.
  void finish();

private:
  struct Connection;
  /// Whether it was not done before.
  bool mark(std::uint64_t point);

  std::filesystem::path file_;
  SweepIdentity identity_;
  std::unique_ptr<Connection> connection_;
  std::unordered_map<std::uint64_t, std::uint64_t> done_; // a bit for each point, 64 by 64: the number of points is
                                                          // what a file claims
  std::uint64_t done_count_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t removed_ = 0;
};

/// What is in a file of results.
struct SweepContents {
  SweepIdentity identity;
  std::uint64_t rows = 0;
};
/// Throws as the constructor.
SweepContents sweep_contents(const std::filesystem::path& file);
/// Passes on the rows of a file in order of their points.
void read_sweep(const std::filesystem::path& file, const std::function<void(const SweepRow&)>& row);

} // namespace trainyard
