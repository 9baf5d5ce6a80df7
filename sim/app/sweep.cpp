// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep.hpp"
#include "models/core/child.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/packed.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sweep_space.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

namespace trainyard {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MergeOutcome, points, rows, failed, missing)
} // namespace trainyard

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_rows_shown = 12;

std::vector<Option> sweep_options()
{
  std::vector<Option> list = scenario_options();
  const std::vector<Option> space = space_options();
  list.insert(list.end(), space.begin(), space.end());
  list.insert(list.end(),
              {{"--output", "-o", "FILE",
                "SQLite file of the results (default results/sweeps/<name of the scenario>.sqlite)", "file"},
               jobs_option(),
               {"--fresh", "", "", "replace an earlier sweep with the same file"},
               {"--retry", "", "", "compute again the points that failed before"},
               {"--mpi", "", "", "run as ranks of an MPI job: rank 0 distributes the points, the others compute"},
               {"--shard", "", "K/N",
                "compute only every N-th point, starting with number K (0 to N-1); auto/N takes K from Slurm, PBS, "
                "Flux, Kubernetes or GNU parallel"},
               prices_option()});
  return list;
}

/// The most interesting points: the best by throughput, or by mean completion time.
std::string best_rows(const fs::path& file, bool colour)
{
  struct Shown {
    SweepRow row;
    PointOutcome outcome;
    double key = 0;
  };
  std::vector<Shown> best;
  std::optional<Measure> measure;
  std::map<std::pair<std::string, std::string>, std::pair<int, std::uint64_t>> failures; // by kind and message
  std::uint64_t rows = 0;
  read_sweep(file, [&](const SweepRow& row) {
    ++rows;
    PointOutcome outcome =
        row.failure.empty() ? outcome_of_json(R"({"items":)" + row.measures + "}") : PointOutcome{row.failure, {}};
    if (const Verdict verdict = outcome.verdict(); !verdict.answers()) {
      auto [at, fresh] =
          failures.try_emplace({outcome.failed() ? "failed" : to_text(verdict.ruling), verdict.why}, 0, row.id);
      ++at->second.first;
      return;
    }
    for (const char* name : {"throughput", "jct", "nodes"})
      if (const Measure candidate = parse_measure(name); !measure && value_of(candidate, outcome))
        measure = candidate;
    if (!measure)
      return;
    const std::optional<double> value = value_of(*measure, outcome);
    if (!value)
      return;
    const double key = kind_of(*measure).more_is_better ? -*value : *value;
    if (best.size() == most_rows_shown && key >= best.back().key)
      return;
    const auto at = std::ranges::upper_bound(best, key, {}, &Shown::key);
    best.insert(at, {row, std::move(outcome), key});
    if (best.size() > most_rows_shown)
      best.pop_back();
  });
  std::string text;
  if (!best.empty()) {
    std::vector<Column> columns = {{"point", true}};
    for (const auto& [name, value] : best.front().row.settings)
      columns.push_back({short_name(best.front().row.settings, name), false});
    columns.push_back({measure->name, true});
    std::vector<Measure> extra;
    for (const char* name : {"step_time", "scaling_efficiency", "p95(queueing_delay)", "utilisation", "cost"})
      if (const Measure other = parse_measure(name); value_of(other, best.front().outcome).value_or(0) > 0) {
        extra.push_back(other);
        columns.push_back({other.text, true});
      }
    const auto largest = [&](const Measure& of) {
      double most = 0;
      for (const Shown& shown : best)
        most = std::max(most, std::abs(value_of(of, shown.outcome).value_or(0)));
      return most;
    };
    std::vector<std::vector<TableCell>> cells;
    for (const Shown& shown : best) {
      std::vector<TableCell> line = {{std::to_string(shown.row.id)}};
      for (const auto& [name, value] : shown.row.settings)
        line.push_back({value.size() > 40 ? value.substr(0, 37) + "..." : value});
      line.push_back({measure_text(*measure, *value_of(*measure, shown.outcome), largest(*measure))});
      for (const Measure& other : extra)
        line.push_back({measure_text(other, value_of(other, shown.outcome).value_or(0), largest(other))});
      cells.push_back(std::move(line));
    }
    text += rows > best.size() ? fmt::format("the best {} by {}\n", best.size(), measure->name) : std::string{};
    text += table_text(columns, cells, colour);
  }
  std::size_t told = 0;
  for (const auto& [kind, where] : failures)
    if (++told <= 8)
      text += fmt::format("{} {} (number {} first): {}\n", counted(where.first, "point"), kind.first, where.second,
                          kind.second);
  if (failures.size() > 8)
    text += fmt::format("… and {} other messages; see the column message\n", failures.size() - 8);
  return text;
}

int sweep(const Arguments& arguments)
{
  const bool mpi = arguments.has("--mpi");
  if (mpi && arguments.has("--shard"))
    throw InputError{"give only one of --mpi and --shard: with MPI, rank 0 distributes the points"};
  if (mpi && mpi_rank_by_environment() > 0) { // only one rank prints; the others would print the same
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
      return failed;
  }
  ScenarioInput input = study_scenario(arguments);
  apply_space_options(arguments, input.document);
  const fs::path file = arguments.has("--output") ? fs::path{arguments.value("--output")}
                                                  : fs::path{"results"} / "sweeps" / (input.name + ".sqlite");
  for (const char* text_format : {".csv", ".json", ".tsv", ".txt", ".parquet"})
    if (file.extension() == text_format)
      throw InputError{fmt::format("-o {}: a sweep writes an SQLite file, not {}; write -o {}, then sqlite3 -csv "
                                   "-header {} 'select * from results' > {}",
                                   file.string(), text_format + 1, fs::path{file}.replace_extension(".sqlite").string(),
                                   fs::path{file}.replace_extension(".sqlite").string(),
                                   fs::path{file}.replace_extension(".csv").string())};
  Diagnostics diagnostics;
  const SweepSpace space{input.document, diagnostics};
  diagnostics.throw_if_errors();
  const Catalogue catalogue = PointEvaluator{}.catalogue();
  const Prices prices = prices_of(arguments, catalogue);
  const PointEvaluator evaluator{prices};
  axis_faults(space, evaluator).throw_if_errors();
  std::string price_text = prices.source;
  for (const auto& [gpu, price] : prices.per_gpu)
    price_text += fmt::format(" {}={}", gpu, price.value());
  price_text += fmt::format(" core={}", prices.per_cpu_core.value());
  const SweepIdentity identity = sweep_identity(input.name, input.document, space, price_text,
                                                find_scenario(arguments.value("SCENARIO")).parent_path());
  const Shard shard = arguments.has("--shard") ? parse_shard(arguments.value("--shard")) : Shard{};
  const PointWork work = sweep_work(space, evaluator);

  std::unique_ptr<MpiCrew> ranks;
  if (mpi) {
    ranks = std::make_unique<MpiCrew>(work);
    if (!ranks->leads()) {
      ranks->serve();
      return done;
    }
  }
  SweepOutcome outcome;
  SweepProgress last;
  try {
    Progress progress{arguments};
    outcome = run_sweep(
        space, identity, file, shard, arguments.has("--fresh"), arguments.has("--retry"),
        [&](const CrewTask& task) {
          if (ranks)
            ranks->run(task);
          else
            run_pool(jobs_of(arguments), work, task);
        },
        [&](const SweepProgress& state) {
          last = state;
          progress.report(state.done, state.total,
                          state.failed > 0 ? fmt::format("{} failed; {}", state.failed, state.last) : state.last);
        });
  } catch (const Interrupted&) {
    const std::string again = arguments.value("SCENARIO") == "-"
                                  ? std::string{}
                                  : ": simrun sweep" + given_options(arguments, sweep_options(), {"--fresh"});
    print_note(
        fmt::format(
            "interrupted; {} of {} points of this run are done and kept in {}. The same command continues the sweep{}",
            last.done, last.total, shard_file(file, shard).string(), again),
        {});
    return interrupted;
  }
  ranks.reset();
  const fs::path written = shard_file(file, shard);
  const std::string already =
      outcome.earlier > 0 ? fmt::format(" ({} of them from an earlier run)", outcome.earlier) : std::string{};
  print(fmt::format("{}: {}{}{}\n", input.name, counted(outcome.points, "point"), already,
                    outcome.failed > 0 ? fmt::format(", {} failed", outcome.failed) : ""));
  print(best_rows(written, wants_colour(arguments, stdout)));
  if (const std::string note = evaluator.price_note(space.point(0)); !note.empty())
    print("\n" + note);
  if (outcome.removed > 0)
    print_note(fmt::format("--fresh removed {} of the earlier sweep", counted(outcome.removed, "point")), arguments);
  print_note(fmt::format("\nwritten to {} (sqlite3 {} 'select * from results')", written.string(), written.string()),
             arguments);
  return outcome.failed > 0 ? in_part : done;
}

[[maybe_unused]] const bool sweep_registered = register_command(
    {"sweep",
     "simulate many points of a scenario: grids, samples, replicas",
     "Combines the points of the scenario's `sweep` block with those of --grid, --zip, --random and --latin-hypercube. "
     "Each finished point is\nwritten into one SQLite file. If the sweep is stopped, the same command continues it. A "
     "point that fails is stored with its message;\nthe others still run (exit code 4).",
     sweep_options(),
     {{"simrun sweep vgg16_ps_vs_ring --grid cluster.network.link=10GbE,25GbE,100GbE -j 8",
       "run the points of an example on three networks"},
      {"simrun sweep my.yaml --latin-hypercube 200 --over cluster.network.bandwidth='10..400 Gbit/s' --replicas 5",
       "run samples from a range"},
      {"mpirun -np 9 simrun sweep my.yaml --mpi", "eight ranks compute, one distributes the points"},
      {"simrun sweep my.yaml --shard 3/32", "compute every 32nd point; run simrun merge after all of them"}},
     sweep});

int merge(const Arguments& arguments)
{
  std::vector<fs::path> files;
  for (const std::string& name : arguments.all("FILES"))
    files.emplace_back(name);
  const fs::path to = arguments.value("--output");
  std::error_code error;
  const bool fresh = !fs::exists(to, error);
  MergeOutcome outcome;
  try {
    outcome = unpacked<MergeOutcome>(read_in_child(files, [&] { return packed(merge_sweeps(files, to)); }));
  } catch (...) {
    if (fresh) // a part of the points looks like a merge of fewer files
      for (const char* ending : {"", "-wal", "-shm", "-journal", ".ordering"})
        fs::remove(to.string() + ending, error);
    throw;
  }
  print(fmt::format("{} of {} points in {}{}\n", outcome.rows, outcome.points, to.string(),
                    outcome.failed > 0 ? fmt::format(", {} failed", outcome.failed) : ""));
  if (outcome.rows < outcome.points) {
    std::string list;
    for (const std::uint64_t point : outcome.missing)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", point);
    print(fmt::format("missing: {}{}\n", list, outcome.points - outcome.rows > outcome.missing.size() ? ", …" : ""));
    return in_part;
  }
  return outcome.failed > 0 ? in_part : done;
}

[[maybe_unused]] const bool merge_registered =
    register_command({"merge",
                      "merge the shards of a sweep into one file",
                      "Checks that all files belong to one sweep and that no point is missing; else it lists the "
                      "missing points (exit code 4).\nA complete merge has the same bytes as a sweep on one machine.",
                      {{"FILES", "", "FILES", "files that simrun sweep --shard wrote", "file", true, true},
                       {"--output", "-o", "FILE", "file to write, with the whole sweep", "file", true}},
                      {{"simrun merge results/sweeps/my.shard-*.sqlite -o results/sweeps/my.sqlite", "all shards"}},
                      merge});

} // namespace
} // namespace trainyard::app
