// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"
#include "models/core/units.hpp"
#include "models/hardware/hardware.hpp"
#include "models/results/column.hpp"
#include "models/results/model_error.hpp"
#include "sim/step/engine/step_program.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// One line of the critical path: operations of one name that follow each other, with what they cost together.
struct PathRow {
  std::string name;
  Role role = Role::other;
  std::string lane;
  Seconds begin;
  Seconds duration;
  Seconds waited; // between the end of what it waited for and its own begin
  int operations = 1;
};

/// How much of a link, a resource or a lane a job used.
struct UseRow {
  std::string name;       // "NIC of ps-0 (out)", "gRPC of ps-0", "GPU compute"
  std::string kind;       // link, resource, connection, compute, copy, communication, host
  double utilisation = 0; // bytes / (capacity x time), or time occupied / time; 0…1
  double busy = 0;        // share of the time with anything at all on it; 0…1
  Bytes bytes;            // 0 for lanes
};

/// What failures and checkpoints cost a training job.
struct FailureCosts {
  double useful = 1;     // share of its time that is kept training with all of its workers
  int failures = 0;      // that hit it
  Seconds saving;        // training stood still for checkpoints
  Seconds redone;        // training that a failure undid
  Seconds restarting;    //
  Seconds waiting;       // for machines
  Seconds slower;        // lost because fewer workers trained
  Seconds checkpoint;    // training stands still for one
  Seconds interval;      // of training between two; infinity: none are written
  Seconds best_interval; // by Daly's formula; 0: nothing stops the job by chance
};

/// One job in one point of a scenario: a row of the table and of jobs.csv.
struct JobRow {
  std::string
      point; // which combination of the scenario's variants, "workers=8 variant=ps-4"; empty when there is only one
  std::string variant; // the curve it belongs to: "ps:4 sync", "ring"
  std::string job;
  std::string model;
  std::string gpu;
  std::string network;  // "25GbE star"
  std::string training; // registered training mode
  int workers = 1;      // GPUs that train
  int servers = 0;      // parameter servers
  int batch_per_gpu = 0;
  std::string precision;         // fp32, tf32, amp, fp16, bf16
  std::string sample = "sample"; // what a sample is called: "image", "sequence"
  Estimate samples_per_second;   // images/s for vision networks
  int tokens_per_sample = 0;     // of a transformer that is divided among GPUs; 0: other jobs
  Estimate step_s;               // seconds per step: between marks (sync), of a worker (async)
  double scaling_efficiency = 0; // samples/s over workers x samples/s of one GPU that computes without a pause
  Seconds compute;               // of the critical worker, per step; the five sum to its step
  Seconds host;                  // its GPU waits for the host to start operators
  Seconds exposed_communication; // its compute stream waits while messages of its own are under way
  Seconds input;                 // it waits for samples
  Seconds wait;                  // it waits for others: servers, stragglers, neighbours
  Message bottleneck;            // "NIC of ps-0: 98 % busy"
  std::string fidelity;
  Provenance provenance = Provenance::assumed; // the weakest of the numbers that decided the step
  Message provenance_note;                     // what was measured, what came from a data sheet
  std::string error_kind;                      // AnswerKind of the step; empty: the step is exact, as given
  double error_size = 0;
  double staleness_mean = 0; // updates by others between a worker's pull and its push (async, bounded)
  double staleness_max = 0;
  Bytes bytes_per_step;                             // over the network
  Bytes gpu_memory;                                 // needed by one worker
  std::optional<Dollars> price_per_million_samples; // absent: a machine of the job has no price
  double simulated_steps = 0;                       // the rest was carried forward
  double steps = 0;
  Seconds arrival;
  Seconds start;
  Seconds finish;
  std::optional<FailureCosts> failures; // absent: the scenario has neither failures nor checkpoints
  std::vector<PathRow> critical_path;
  std::vector<UseRow> busiest; // largest utilisation first
};

/// One step of one worker, or of all workers together (worker = -1).
struct StepRow {
  std::string point;
  std::string job;
  int step = 0;
  int worker = -1;
  Seconds begin;
  Seconds end;
};

/// One direction of a link over the simulated window.
struct LinkRow {
  std::string point;
  std::string link;  // "worker-3/nic-0 > leaf-1"
  std::string label; // "NIC of worker-3 (out)"
  std::string kind;
  BytesPerSecond bandwidth;
  Bytes bytes;
  Seconds window;         // of simulated time
  double utilisation = 0; // bytes / (bandwidth x window)
  double busy = 0;        // share of the window with a flow on it (the largest of the jobs')
  std::vector<std::string> jobs;
};

/// How busy one direction of a link was during each part of the timeline; parts without load are left out.
struct LinkLoad {
  struct Part {
    Seconds begin;
    Seconds end;
    double load = 0; // 0…1
  };
  std::string point;
  std::string link;
  std::vector<Part> parts;
};

/// Payload that one task sends to another per step.
struct TrafficRow {
  std::string point;
  std::string job;
  std::string from; // "worker-3", "ps-0", "client"
  std::string to;
  Bytes bytes;
  bool over_network = false; // between two nodes
};

/// Something that happened to a job or a machine, for events.csv.
struct EventRow {
  std::string point;
  Seconds time;
  std::string event; // submitted, started, finished, preempted, failed…
  std::string job;
  std::string detail;
};

/// A bar of the timeline.
struct TraceSpan {
  std::string point;
  std::string job;
  std::string lane;
  LaneKind kind = LaneKind::compute;
  std::string name;
  Role role = Role::other;
  int step = 0;
  int worker = -1;
  Seconds begin;
  Seconds end;
  int operation = -1;          // of the job's program
  std::vector<int> waited_for; // operations on other lanes, where they or this one are messages
};

/// A job's step with several seeds: those of run.replicas, or some that show what another hash of paths would do.
struct SeedRange {
  std::string point;
  std::string job;
  std::uint64_t first = 1; // seed
  int seeds = 1;           // first, first + 1 …; 1: no other was tried
  bool replicated = false; // asked for (run.replicas); else the job's paths are chosen by a hash of the seed
  Estimate step_s;         // mean of the seeds with its interval
  double least_s = 0;
  double most_s = 0;
  double work = 0; // of simulating the point once: operations x square of the links that carry them; not written
};

/// Everything needed to run the same again.
struct RunInfo {
  std::string scenario_name;
  std::string scenario_text;          // the file as it was read
  std::string scenario_file;          // its name, without folders
  std::string scenario_folder;        // where files that it names are looked for; empty: the working folder
  std::vector<std::string> overrides; // --set key=value, in order
  std::uint64_t seed = 1;
  std::string fidelity;
  double confidence = 0.95;
  std::vector<std::pair<std::string, std::string>> inputs; // name, SHA-256 of each file that was read
  std::string calibration;                                 // name of the profile, empty = catalogue only
};

/// What a run found; immutable once made.
struct Results {
  RunInfo run;
  std::string description;
  std::vector<JobRow> jobs;
  std::vector<StepRow> steps;
  std::vector<LinkRow> links;
  std::vector<LinkLoad> link_loads; // of the point whose timeline is kept
  std::vector<TrafficRow> traffic;
  std::vector<EventRow> events;
  std::vector<TraceSpan> spans; // of the points that are drawn; bounded
  std::vector<SeedRange> seeds; // of jobs that ran with several seeds, or whose paths are hashed
  Messages messages;            // jobs that never ran, what a reader must know, what failures cost, the answer
  Messages assumed;             // what the scenario does not say and matters: "precision amp", "batch 32 per GPU"
};

/// "lr=0.1, train": the job of a row, with its point.
std::string named(const JobRow& row);

/// That a job does not end, and why, in words; empty where it does.
std::string unfinished(const JobRow& row);

/// The columns of jobs.csv and of `jobs` in summary.json, for runs of training jobs.
const std::vector<ResultColumn<JobRow>>& job_columns();

/// Errors of the model and chance together: factors from the predicted step to the measured one.
ModelError error_of(const JobRow& row);

/// "low_80": "low end of what is 80 % sure, errors and chance".
std::string end_meaning(const std::string& part);

namespace figure_ends {

/// Of a step, of what grows with it, or of a rate, which is the lower the longer the step takes; nothing where the
/// answer is exact. @p Most: what the figure can be, 0: anything.
template <class Row, auto ErrorOf, auto Figure, auto End, bool Rate, int Most = 0>
std::optional<double> of(const Row& row)
{
  const std::optional<double> figure = Figure(row);
  const ModelError error = figure ? ErrorOf(row) : ModelError{};
  if (!figure || error.units == 0)
    return std::nullopt;
  const double end = Rate ? *figure / error.*End : *figure * error.*End;
  return Most > 0 ? std::min(end, static_cast<double>(Most)) : end;
}

} // namespace figure_ends

/// Puts the ends of a figure's intervals behind its column @p name.
template <auto ErrorOf, auto Figure, WithStep With, int Most = 0, class Row>
void add_ends(std::vector<ResultColumn<Row>>& columns, const std::string& name, unsigned places = in_csv | in_json)
{
  using E = ModelError;
  constexpr bool rate = With == WithStep::as_rate;
  constexpr auto low_95 = rate ? &E::high_95 : &E::low_95, low_80 = rate ? &E::high_80 : &E::low_80,
                 high_80 = rate ? &E::low_80 : &E::high_80, high_95 = rate ? &E::low_95 : &E::high_95;
  const auto column = std::ranges::find(columns, name, &ResultColumn<Row>::name);
  column->with_step = With;
  const std::pair<const char*, std::optional<double> (*)(const Row&)> ends[] = {
      {"low_95", figure_ends::of<Row, ErrorOf, Figure, low_95, rate, Most>},
      {"low_80", figure_ends::of<Row, ErrorOf, Figure, low_80, rate, Most>},
      {"high_80", figure_ends::of<Row, ErrorOf, Figure, high_80, rate, Most>},
      {"high_95", figure_ends::of<Row, ErrorOf, Figure, high_95, rate, Most>}};
  std::vector<ResultColumn<Row>> more;
  for (const auto& [part, end] : ends)
    more.push_back({part_name(name, part), end, column->unit, end_meaning(part), places});
  columns.insert(column + 1, more.begin(), more.end());
}

/// "2,180 to 2,740", what a rate is with 80 %; "exact".
std::string sure_text(double rate, const ModelError& error);

/// How far answers of each of these kinds were off, once.
Messages errors_told(std::span<const ModelError> errors);
Messages errors_told(const std::vector<JobRow>& rows);

} // namespace trainyard
