// SPDX-License-Identifier: Apache-2.0
#include "sim/report/results_folder.hpp"

#include "models/core/diagnostics.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/plots.hpp"

#include <fmt/format.h>

#include <fstream>
#include <future>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

void check(const std::error_code& error, const char* what, const fs::path& path)
{
  if (error)
    throw std::runtime_error{fmt::format("cannot {} '{}': {}", what, path.string(), error.message())};
}

/// A folder that disappears unless it is kept.
class Unfinished
{
public:
  explicit Unfinished(fs::path path) : path_{std::move(path)}
  {
    std::error_code error;
    fs::remove_all(path_, error);
    fs::create_directories(path_, error);
    check(error, "create the folder", path_);
  }
  ~Unfinished()
  {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const fs::path& path() const { return path_; }

private:
  fs::path path_;
};

/// A long text, as it is made.
template <class File = OutputFile>
void write_pieces(const fs::path& path, const std::function<void(const TextSink&)>& make)
{
  File file{path};
  make([&](std::string_view piece) { file.write(piece); });
  file.close();
}

bool is_results_folder(const fs::path& folder)
{
  std::error_code ignored;
  return fs::exists(folder / "manifest.json", ignored) || fs::is_empty(folder, ignored);
}

/// Names the files that simrun wrote into a folder, one a line. What else is there belongs to the user.
constexpr const char* own_files = ".files";

std::set<fs::path> files_below(const fs::path& folder)
{
  std::set<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator{folder})
    if (!entry.is_directory() || entry.is_symlink())
      files.insert(entry.path().lexically_relative(folder));
  return files;
}

/// Moves what the user put into the earlier folder into the new one. Without the list, all that is not written again.
void keep_files_of_the_user(const fs::path& earlier, const fs::path& folder)
{
  std::set<fs::path> own{own_files};
  std::ifstream list{earlier / own_files};
  for (std::string line; std::getline(list, line);)
    own.insert(line);
  for (const fs::path& file : files_below(earlier)) {
    std::error_code error;
    if (own.contains(file) || fs::exists(folder / file, error))
      continue;
    fs::create_directories((folder / file).parent_path(), error);
    fs::rename(earlier / file, folder / file, error);
    if (error)
      throw std::runtime_error{
          fmt::format("cannot move '{}' into '{}': {}; the results are written, the files of the earlier folder are in "
                      "'{}': move yours by hand",
                      file.string(), folder.string(), error.message(), earlier.string())};
  }
}

} // namespace

void write_folder(const fs::path& chosen, const std::function<void(const fs::path&)>& fill)
{
  std::error_code error;
  fs::path folder = fs::absolute(chosen, error).lexically_normal();
  if (folder.filename().empty())
    folder = folder.parent_path();
  const auto kind = fs::status(folder, error);
  if (fs::exists(kind) && (!fs::is_directory(kind) || !is_results_folder(folder)))
    throw InputError{
        fmt::format("'{}' exists and is not a results folder; choose another folder with -o", chosen.string())};

  const std::string suffix = fmt::format("{}.{}", folder.filename().string(), ::getpid());
  const Unfinished unfinished{folder.parent_path() / ("." + suffix + ".unfinished")};
  const fs::path& to = unfinished.path();
  fill(to);
  std::string list;
  for (const fs::path& file : files_below(to))
    list += file.generic_string() + "\n";
  write_file(to / own_files, list);

  const fs::path earlier = folder.parent_path() / ("." + suffix + ".earlier");
  const bool replaces = fs::exists(folder, error);
  if (replaces) {
    fs::rename(folder, earlier, error);
    check(error, "replace the folder", folder);
  }
  fs::rename(to, folder, error);
  if (error && replaces) {
    std::error_code ignored;
    fs::rename(earlier, folder, ignored);
  }
  check(error, "create the folder", folder);
  if (replaces)
    keep_files_of_the_user(earlier, folder);
  fs::remove_all(earlier, error);
}

void write_results(const Results& results, const fs::path& folder, bool plots)
{
  write_folder(folder, [&](const fs::path& to) {
    std::future<void> drawing; // packing the pixels takes longer than all tables
    if (plots)
      drawing = std::async(std::launch::async, [&results, to] { write_plots(results, to); });
    write_pieces(to / "summary.json", [&](const TextSink& sink) { summary_json(results, sink); });
    write_file(to / "jobs.csv", jobs_csv(results));
    write_file(to / "steps.csv", steps_csv(results));
    write_file(to / "links.csv", links_csv(results));
    if (!results.link_loads.empty())
      write_pieces(to / "link_loads.csv", [&](const TextSink& sink) { link_loads_csv(results, sink); });
    write_file(to / "traffic.csv", traffic_csv(results));
    write_file(to / "events.csv", events_csv(results));
    write_pieces<GzipFile>(to / "trace.json.gz", [&](const TextSink& sink) { trace_json(results, sink); });
    if (plots)
      drawing.get();
    write_file(to / "manifest.json", manifest_json(results)); // last: with it the folder is whole
  });
}

} // namespace trainyard
