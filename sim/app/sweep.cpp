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

/// A point of a sweep with all its seeds.
struct Design {
  std::uint64_t first = 0; // number of its first point
  std::vector<std::pair<std::string, std::string>> settings;
  std::size_t seeds = 0;
  bool answers = true;                   // all work was done under every seed
  bool several = false;                  // policies
  std::vector<std::optional<double>> of; // means, by measure
};

/// What designs are ordered by, the first that differs; then what else is shown.
std::vector<Measure> shown_measures()
{
  std::vector<Measure> all;
  for (const char* name : {"throughput", "goodput", "jct", "finish", "nodes", "step_time", "scaling_efficiency",
                           "p95(queueing_delay)", "utilisation", "cost"})
    all.push_back(parse_measure(name));
  return all;
}
constexpr std::size_t orders = 5;

/// The number of a seed is no setting.
std::vector<std::pair<std::string, std::string>> without_seed(std::vector<std::pair<std::string, std::string>> settings)
{
  std::erase_if(settings, [](const auto& setting) { return setting.first == "replica"; });
  return settings;
}

void add_seed(Design& design, const PointOutcome& outcome, const std::vector<Measure>& measures)
{
  const auto before = static_cast<double>(design.seeds++);
  design.of.resize(measures.size());
  design.several = std::ranges::count_if(outcome.items, [](const Measured& one) {
                     return one.group.empty() && one.numbers.contains("never_ran");
                   }) > 1;
  for (std::size_t i = 0; i < measures.size(); ++i)
    if (const std::optional<double> value = value_of(measures[i], outcome); value && (before == 0 || design.of[i]))
      design.of[i] = (design.of[i].value_or(0) * before + *value) / (before + 1);
    else
      design.of[i].reset();
}

std::optional<std::size_t> order_of(const std::vector<Design>& designs)
{
  std::optional<std::size_t> any;
  for (const bool differs : {true, false})
    for (std::size_t i = 0; i < orders && !any; ++i)
      if (std::ranges::all_of(designs, [&](const Design& one) { return one.of[i].has_value(); }) &&
          (!differs || std::ranges::any_of(designs, [&](const Design& one) { return one.of[i] != designs[0].of[i]; })))
        any = i;
  return any;
}

/// The designs that did all their work, the best by the first figure that tells them apart.
std::string best_designs(std::vector<Design> designs, const std::vector<Measure>& measures, bool colour)
{
  const std::size_t all = designs.size();
  std::erase_if(designs, [](const Design& one) { return !one.answers; });
  const std::optional<std::size_t> by = designs.empty() ? std::nullopt : order_of(designs);
  if (!by)
    return {};
  const bool more = kind_of(measures[*by]).more_is_better;
  std::ranges::stable_sort(designs, {}, [&](const Design& one) { return more ? -*one.of[*by] : *one.of[*by]; });
  designs.resize(std::min(designs.size(), most_rows_shown));
  std::vector<Column> columns = {{"point", true}};
  for (const auto& [name, value] : designs.front().settings)
    columns.push_back({short_name(designs.front().settings, name), false});
  std::vector<std::size_t> shown = {*by};
  for (std::size_t i = 0; i < measures.size(); ++i)
    if (i != *by && (i >= orders || (measures[*by].name == "goodput" && measures[i].name == "finish")) &&
        designs.front().of[i].value_or(0) > 0)
      shown.push_back(i);
  for (const std::size_t i : shown)
    columns.push_back({i < orders ? measures[i].name : measures[i].text, true});
  std::vector<std::vector<TableCell>> cells;
  for (const Design& one : designs) {
    std::vector<TableCell> line = {{std::to_string(one.first)}};
    for (const auto& [name, value] : one.settings)
      line.push_back({value.size() > 40 ? value.substr(0, 37) + "..." : value});
    for (const std::size_t i : shown) {
      double most = 0;
      for (const Design& other : designs)
        most = std::max(most, std::abs(other.of[i].value_or(0)));
      line.push_back({measure_text(measures[i], one.of[i].value_or(0), most)});
    }
    cells.push_back(std::move(line));
  }
  const std::size_t seeds = designs.front().seeds;
  const std::string head = all > designs.size() || seeds > 1
                               ? fmt::format("the best {} by {}{}\n", designs.size(), measures[*by].name,
                                             seeds > 1 ? fmt::format(", means of {} seeds", seeds) : "")
                               : std::string{};
  return head + table_text(columns, cells, colour) +
         (designs.front().several ? "of the policies of a point the worst counts here; the file has each\n" : "");
}

/// The most interesting designs, and why others failed or cannot run.
std::string best_rows(const fs::path& file, bool colour)
{
  const std::vector<Measure> measures = shown_measures();
  std::vector<Design> designs;
  std::map<std::vector<std::pair<std::string, std::string>>, std::size_t> known;
  std::map<std::pair<std::string, std::string>, std::pair<int, std::uint64_t>> failures; // by kind and message
  read_sweep(file, [&](const SweepRow& row) {
    const PointOutcome outcome =
        row.failure.empty() ? outcome_of_json(R"({"items":)" + row.measures + "}") : PointOutcome{row.failure, {}};
    const auto [at, fresh] = known.try_emplace(without_seed(row.settings), designs.size());
    if (fresh)
      designs.push_back({.first = row.id, .settings = at->first});
    add_seed(designs[at->second], outcome, measures);
    if (const Verdict verdict = outcome.verdict(); !verdict.answers()) {
      designs[at->second].answers = false;
      const std::pair kind{outcome.failed() ? "failed" : to_text(verdict.ruling), verdict.why};
      ++failures.try_emplace(kind, 0, row.id).first->second.first;
    }
  });
  std::string text = best_designs(std::move(designs), measures, colour);
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
  std::string notes;
  for (const SweepPoint& point : some_points(space))
    add_notes(notes, evaluator.price_note(point));
  if (!notes.empty())
    print("\n" + notes);
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
