// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep.hpp"

#include "models/core/program.hpp"
#include "models/core/text.hpp"
#include "sim/report/output_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <system_error>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_input_bytes = 2048ULL << 20U;
constexpr std::size_t probes_of_an_axis = 40;
/// Where the number of a task stands: Slurm, PBS, Flux (flux submit --cc), Kubernetes, GNU parallel.
constexpr const char* shard_variables[] = {"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "FLUX_JOB_CC",
                                           "JOB_COMPLETION_INDEX", "PARALLEL_SEQ"};

/// Every text of the scenario that names a file beside it.
void collect_files(const DocumentNode& node, const fs::path& folder, std::set<fs::path>& files)
{
  if (node.kind == DocumentNode::Kind::scalar && node.text.find('.') != std::string::npos && node.text.size() < 1024) {
    std::error_code error;
    for (const fs::path& candidate : {folder / node.text, fs::path{node.text}})
      if (fs::is_regular_file(candidate, error)) {
        files.insert(candidate);
        break;
      }
  }
  for (const DocumentNode& item : node.items)
    collect_files(item, folder, files);
  for (const DocumentNode::Entry& entry : node.entries)
    collect_files(entry.value, folder, files);
}

SweepRow row_of(std::uint64_t id, const SweepSpace& space, const std::string& answer)
{
  SweepRow row;
  row.id = id;
  row.settings = space.settings(id);
  const auto json = nlohmann::ordered_json::parse(answer, nullptr, false);
  if (!json.is_object())
    row.failure = "the worker gave no result";
  else
    row.failure = json.value("failure", "");
  if (row.failure.empty())
    row.measures = json["items"].dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return row;
}

} // namespace

std::string Shard::text() const
{
  return count == 1 ? std::string{} : fmt::format("{}/{}", index, count);
}

Shard parse_shard(const std::string& text)
{
  const std::size_t slash = text.find('/');
  const std::string first = text.substr(0, slash);
  const std::optional<std::uint64_t> count =
      slash == std::string::npos ? std::nullopt : as_number<std::uint64_t>(std::string_view{text}.substr(slash + 1));
  if (!count || *count == 0)
    throw InputError{fmt::format("--shard needs K/N, for example 0/16 or auto/16, not '{}'", text)};
  std::optional<std::uint64_t> index = as_number<std::uint64_t>(first);
  if (first == "auto") {
    for (const char* name : shard_variables)
      if (const char* value = std::getenv(name); value != nullptr && !index) {
        index = as_number<std::uint64_t>(value);
        if (index && std::string_view{name} == "PARALLEL_SEQ" && *index > 0)
          --*index;
      }
    if (!index)
      throw InputError{fmt::format("--shard auto/N: none of {} is set; write the number of the shard, for example 0/16",
                                   fmt::join(shard_variables, ", "))};
  }
  if (!index || *index >= *count)
    throw InputError{fmt::format("--shard {}: shards are numbered 0 to {}", text, *count - 1)};
  return {*index, *count};
}

fs::path shard_file(const fs::path& results, const Shard& shard)
{
  if (shard.count == 1)
    return results;
  return results.parent_path() / fmt::format("{}.shard-{}-of-{}{}", results.stem().string(), shard.index, shard.count,
                                             results.extension().string());
}

SweepIdentity sweep_identity(const std::string& name, const Document& document, const SweepSpace& space,
                             const std::string& prices, const fs::path& scenario_folder)
{
  SweepIdentity identity;
  identity.name = name;
  identity.scenario = to_flow_yaml(document.root);
  identity.points = space.size();
  identity.columns = space.names();
  std::string everything =
      fmt::format("{} {}\n{}\n{}\n", program_version(), program_commit(), identity.scenario, prices);
  std::set<fs::path> files;
  collect_files(document.root, scenario_folder, files);
  for (const fs::path& file : files)
    everything += sha256(read_text_file(file, largest_input_bytes)) + "\n";
  identity.fingerprint = sha256(everything);
  return identity;
}

Diagnostics axis_faults(const SweepSpace& space, const PointEvaluator& evaluator)
{
  if (space.size() == 0)
    return {};
  // one choice of every axis that can be read is enough: single bad values become failed points
  std::map<std::size_t, Diagnostics> first_fault;
  std::set<std::size_t> readable;
  for (const auto& [axis, point] : space.probes(probes_of_an_axis)) {
    if (readable.contains(axis))
      continue;
    Diagnostics faults = evaluator.faults(point);
    if (!faults.has_errors())
      readable.insert(axis);
    else
      first_fault.try_emplace(axis, std::move(faults));
  }
  if (space.axes() == 0 || first_fault.empty())
    return space.axes() == 0 ? evaluator.faults(space.point(0)) : Diagnostics{};
  // Is the fault that of another axis' first choice? Then points without it exist.
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(space.size(), 200); ++i)
    if (!evaluator.faults(space.point(i * space.size() / std::min<std::uint64_t>(space.size(), 200))).has_errors())
      return {};
  for (const auto& [axis, faults] : first_fault)
    if (!readable.contains(axis))
      return faults;
  return {};
}

PointWork sweep_work(const SweepSpace& space, const PointEvaluator& evaluator)
{
  return [&](std::uint64_t point) { return to_json_line(evaluator.evaluate(space.point(point))); };
}

SweepOutcome run_sweep(const SweepSpace& space, const SweepIdentity& whole_identity, const fs::path& file,
                       const Shard& shard, bool fresh, bool retry, const std::function<void(const CrewTask&)>& crew,
                       const std::function<void(const SweepProgress&)>& progress)
{
  SweepIdentity identity = whole_identity;
  identity.shard = shard.text();
  SweepDatabase database{shard_file(file, shard), identity, fresh};
  if (retry)
    database.forget_failures();
  SweepOutcome outcome;
  outcome.points = space.size() / shard.count + (space.size() % shard.count > shard.index ? 1 : 0);
  outcome.earlier = database.done();
  outcome.removed = database.removed();
  SweepProgress state{0, outcome.points - outcome.earlier, 0, {}};
  std::uint64_t next = shard.index;
  CrewTask task;
  task.next = [&]() -> std::optional<std::uint64_t> {
    while (next < space.size() && database.has(next))
      next += shard.count;
    if (next >= space.size())
      return std::nullopt;
    const std::uint64_t point = next;
    next += shard.count;
    return point;
  };
  task.done = [&](std::uint64_t point, const std::string& answer) {
    const SweepRow row = row_of(point, space, answer);
    database.add(row);
    ++state.done;
    state.failed += row.failure.empty() ? 0U : 1U;
    state.last.clear();
    for (const auto& [name, value] : row.settings)
      state.last += (state.last.empty() ? "" : " ") + short_name(row.settings, name) + "=" + value;
  };
  task.lost = [](std::uint64_t, const std::string& how) {
    return to_json_line({"the process that computed it was " + how, {}});
  };
  task.tick = [&] {
    if (progress)
      progress(state);
  };
  if (state.total > 0)
    crew(task);
  if (progress)
    progress(state);
  outcome.computed = state.done;
  outcome.failed = database.failed();
  if (database.done() == outcome.points)
    database.finish();
  return outcome;
}

MergeOutcome merge_sweeps(const std::vector<fs::path>& files, const fs::path& to)
{
  if (files.empty())
    throw InputError{"there is nothing to merge; give the files of the shards"};
  std::optional<SweepIdentity> identity;
  for (const fs::path& file : files) {
    const SweepContents contents = sweep_contents(file);
    if (!identity)
      identity = contents.identity;
    else if (identity->fingerprint != contents.identity.fingerprint || identity->points != contents.identity.points)
      throw InputError{fmt::format(
          "'{}' and '{}' belong to different sweeps ({} with {} points, {} with {} points); nothing was written",
          files.front().string(), file.string(), identity->name, identity->points, contents.identity.name,
          contents.identity.points)};
    std::error_code error;
    if (fs::equivalent(file, to, error))
      throw InputError{fmt::format("'{}' is one of the files to merge; choose another name with -o", to.string())};
  }
  identity->shard.clear();
  MergeOutcome outcome;
  outcome.points = identity->points;
  SweepDatabase database{to, *identity, false};
  for (const fs::path& file : files)
    read_sweep(file, [&](const SweepRow& row) {
      if (row.id < identity->points && !database.has(row.id))
        database.add(row);
    });
  outcome.rows = database.done();
  outcome.failed = database.failed();
  for (std::uint64_t i = 0; i < identity->points && outcome.missing.size() < 100; ++i)
    if (!database.has(i))
      outcome.missing.push_back(i);
  if (outcome.rows == outcome.points)
    database.finish();
  return outcome;
}

} // namespace trainyard
