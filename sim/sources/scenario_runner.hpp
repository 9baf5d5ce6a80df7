// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/message.hpp"
#include "models/core/registry.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/results/verdict.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/report/picture.hpp"
#include "sim/report/written_run.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

struct PreparedScenario;

/// One point of a scenario, read and checked.
struct CheckedPoint {
  std::string label; // "workers=8 variant=ring"; empty where there is one point
  std::string variant;
  Scenario scenario;
  /// Built to check it; null where it trains nothing or is one of several points, which would take too much memory.
  std::shared_ptr<const PreparedScenario> prepared = {};
};

/// What a point is called in tables: its variant where that tells the points apart, else its label.
std::string name_among(std::span<const CheckedPoint> points, const CheckedPoint& point);

/// A number that is known while the rest still runs: a point of a curve.
struct LiveResult {
  std::string point;
  std::string job;    // or policy
  std::string series; // the curve
  std::string x_name; // with unit, as in the columns of the results
  double x = 0;
  std::string y_name;
  double y = 0;
};

struct SimulateOptions {
  /// Called before each point with the number done, the number of all and the label of the next, and once at the end.
  /// May throw to stop.
  std::function<void(std::size_t done, std::size_t total, const std::string& label)> progress;
  /// Called from the same thread with what has become known, in no particular order of points.
  std::function<void(const LiveResult&)> result = {};
  /// Hardware that was read before; null: it is read again. (Runners of scenarios that are more than training steps.)
  const Catalogue* catalogue = nullptr;
  /// Only the figures of the summary are wanted: no records of why each job waited and where it ran, and so no
  /// fragmented_wait_hours; of training steps no bars of a timeline, no steps and messages of workers, and no loads of
  /// links over time.
  bool figures_only = false;
  /// Training steps on hashed paths: some more seeds are run to show what they change, where that takes little time.
  bool other_seeds = false;
  /// Points and hardware are as they were checked: what was prepared then is run.
  bool as_checked = false;
};

/// A file of a results folder.
struct RunFile {
  std::string name;
  std::function<void(const std::filesystem::path&)> write; // throws std::runtime_error with call, file and reason
};

/// The output of a run: for the terminal, for programs, and for the folder.
struct RunReport {
  Telling told;                   // the answer in words and tables
  Telling timed;                  // times on this machine, beside it; in no file
  nlohmann::ordered_json summary; // summary.json; its "kind" says who can explain it
  std::vector<RunFile> files;
  Messages warnings;
  std::vector<Diagnostic> doubts; // warnings about values of the scenario, by path
  int exit_code = 0;              // 3 where something could never run or a goal was missed

  /// Puts what the run found into the summary; its answers are the advice.
  void conclude(const Messages& messages);
  /// Adds messages to those of the summary.
  void add(const Messages& messages);
  std::string text() const { return told.text() + timed.text(); }
};

/// "day 3 04:05:06" (clock_text) as a part of a message.
Message clock(Instant time);

/// A part of a scenario file that a kind of run reads.
struct ReadPart {
  std::string name;
  std::function<bool(const Scenario&)> when = {}; // null: always
  std::string condition = {};                     // `when` in words: "with scheduling: {speed: step}"
};

/// The parts of a scenario file that a kind of run reads, beside cluster, run, sweep and the heading. All others are
/// errors: a part that nobody reads would change nothing, and the answer would look right.
struct ReadParts {
  std::string main; // the part that makes a scenario one of this kind
  std::vector<ReadPart> others = {};
  std::function<bool(const Scenario&, const std::string& job)> uses_job = {}; // null: the run simulates every job
  bool repeats = false;                                                       // run.replicas: with several seeds
  bool jobs_are_examples = false; // a job that nothing uses is a warning, so that a sweep can name one of several
  std::string condition = {};     // what `main` must say besides, in words: "with training.parallel"
};

/// What the simulation of training steps reads: the jobs, and what says how they train.
std::vector<ReadPart> training_parts(const std::function<bool(const Scenario&)>& when = {},
                                     const std::string& condition = {});

/// What can be said of a scenario before it runs.
struct Outline {
  std::string text;
  Verdict verdict = {}; // cannot run where jobs never start
};

/// How a kind of scenario is run: the queue of a cluster, machines with failures… Scenarios that none of them claims
/// are training steps (sim/run/simulate.hpp).
class ScenarioRunner
{
public:
  virtual ~ScenarioRunner() = default;
  virtual ReadParts parts() const = 0;
  /// How many of a checked scenario's parts that bring work are for this runner; the runner with the most runs it.
  virtual int claims(const Scenario& scenario) const { return scenario.sections.contains(parts().main) ? 1 : 0; }
  /// Everything that can be said before running; faults go to @p diagnostics.
  virtual void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const = 0;
  /// The content of the scenario, for `simrun check`: files it names are read and audited, nothing is run. Empty:
  /// nothing to say beyond the scenario itself. Warnings about its values go to @p diagnostics, by path. Throws
  /// InputError for what a run would refuse before its first event.
  virtual Outline outline(const std::vector<CheckedPoint>& points, const Catalogue& catalogue,
                          Diagnostics& diagnostics) const
  {
    static_cast<void>(points);
    static_cast<void>(catalogue);
    static_cast<void>(diagnostics);
    return {};
  }
  virtual RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options) const = 0;
  /// "kind" of its summary.json.
  virtual std::string kind() const = 0;
  /// The explanation of one thing of a run: explain("job", "812"); empty @p what: the run as a whole. Throws InputError
  /// where there is no such thing.
  virtual Telling explain(const WrittenRun& folder, const std::string& what, const std::string& name) const = 0;
};

/// Reports every part of the document that the run of its scenario would not read.
void check_parts(const Document& document, const Scenario& scenario, Diagnostics& diagnostics);

/// The assumptions of the points (models/scenario/assumptions.hpp), each once; @p seen: what only the run knows of
/// them.
Messages assumed(const std::vector<CheckedPoint>& points, std::span<const FilledDefault> seen = {});
/// The report with its line "assumed: …" and the list `assumed` of its summary. Unchanged where nothing is assumed.
RunReport with_assumed(RunReport report, const Messages& assumed);

/// The report with all that a run warns of in the list `warnings` of its summary: its own warnings and doubts, and
/// those of the check; what it tells is its `told`. @p conclusions come first in its `messages`, those that answer also
/// in its `advice`.
RunReport with_conclusions(RunReport report, const Messages& conclusions, std::span<const Diagnostic> of_check);

/// The runner that claims a scenario; null: training steps.
const ScenarioRunner* runner_of(const Scenario& scenario);
/// The runner whose summaries have this kind; null: none.
const ScenarioRunner* runner_of_kind(const std::string& kind);

/// Files of a results folder that are made when they are written.
RunFile text_file(std::string name, std::function<std::string()> make);
RunFile text_file(std::string name, std::string text);
RunFile picture_file(std::string name, std::function<Picture()> make);

} // namespace trainyard
