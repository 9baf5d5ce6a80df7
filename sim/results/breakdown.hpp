// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "sim/results/crowded_links.hpp"
#include "sim/results/results.hpp"
#include "sim/step/engine/executor.hpp"

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

struct PlacedJob;
struct PreparedJob;
struct PreparedScenario;
struct StepEstimate;

/// Begin and end of every step that a trace marks with StepEnd, by worker (-1: all together), then step.
///
/// A step begins where the same worker's step before it ended, the first one where the trace begins.
std::vector<StepRow> step_rows(const StepProgram& program, const StepTrace& trace);

/// What the compute operations of a worker are made of, as shares of their time.
struct ComputeShares {
  double gpu = 1;      // the GPU computes; in the rest it waits for the host to start operators
  double host = 0;     // the host starts operators
  bool on_cpu = false; // the worker computes on CPUs, not on a GPU
};

/// Where the time of one step went, seen from the worker that decides it.
struct Breakdown {
  int worker = 0; // the critical worker: most compute on the critical path (sync), longest mean step (async)
  int steps = 0;  // in the window that was looked at
  Seconds step;   // mean; = compute + host + exposed_communication + input + wait
  Seconds compute;
  Seconds host; // the GPU has no operator to run, because the host has not started it yet
  Seconds exposed_communication;
  Seconds input;
  Seconds wait;
  double samples_per_second = 0;      // all workers
  std::vector<PathRow> critical_path; // of the last step in the window
  std::vector<UseRow> busiest;        // links, resources and lanes, largest utilisation first, at most 12
  Message bottleneck;                 // "NIC of ps-0: 98 % busy"
};

/// Looks at the steps after the first @p warm_up_steps (at all of them where no more were simulated).
///
/// Exposed communication is the time in which nothing computes for the critical worker while a message, copy or
/// collective of its own (or of all, worker = -1) is under way; input the time in which, instead, only operations of
/// Role::input run; wait is the rest of the pauses.
/// @p transport names what serves the messages of a task ("gRPC of ps-0"). @p shares: by worker; without, GPUs never
/// wait for the host. @p crowded: the busiest link that other jobs use as well. @p until: steps that end later do not
/// count, but for the first two. Throws std::invalid_argument when the trace does not fit the program or marks no step.
Breakdown breakdown(const Cluster& cluster, const Placement& placement, const StepProgram& program,
                    const StepTrace& trace, int warm_up_steps = 1, const std::string& transport = "transport",
                    std::span<const ComputeShares> shares = {}, const std::optional<CrowdedLink>& crowded = {},
                    Seconds until = Seconds{std::numeric_limits<double>::infinity()});

/// Of a job at its place, out of an estimate of its steps. @p own_steps: it was stepped alone, so no step is left out.
Breakdown breakdown(const PreparedScenario& prepared, const PreparedJob& job, const PlacedJob& placed,
                    const StepEstimate& estimate, bool own_steps = false,
                    const std::optional<CrowdedLink>& crowded = {});

/// The step as it is in the mean of a longer run than the trace: the computing stays, all else takes longer or shorter.
void take_mean_step(Breakdown& breakdown, Seconds step);

/// "NIC of ps-0 (out)": a link by the task at its end; servers on a node of their own go by "ps-k", other nodes by
/// their name.
std::string link_label(const Cluster& cluster, const Placement& placement, LinkId link);

/// Links of all programs that ran together, most used first; links that carried nothing are left out.
std::vector<LinkRow> link_rows(const Cluster& cluster, std::span<const Placement* const> placements,
                               std::span<const StepProgram* const> programs, std::span<const StepTrace* const> traces);

/// Bars for the timeline, at most @p limit of them (whole steps from the begin; 0 = all).
std::vector<TraceSpan> trace_spans(const StepProgram& program, const StepTrace& trace, std::size_t limit = 200'000);

std::string to_text(Role role);
std::string to_text(LaneKind kind);

/// The host's work for the GPU, among what a step uses.
inline constexpr const char* starting_operators = "host, starting operators";

/// Links, resources and lanes of one program by utilisation, the highest first. GPU lanes are one entry each.
///
/// What a task sends ("ps-0 sends") and receives is an entry each, "gRPC of ps-0 (out)" and "(in)". A GPU is occupied
/// by an operation also while it waits for the host, and used only while it computes (@p shares by worker).
std::vector<UseRow> uses(const Cluster& cluster, const Placement& placement, const StepProgram& program,
                         const StepTrace& trace, const std::string& transport,
                         std::span<const ComputeShares> shares = {});

/// Of a worker; of the first one for operations of all workers together.
ComputeShares shares_of(std::span<const ComputeShares> shares, int worker);

/// The bottleneck of the step, in a few words with its number: "NIC of ps-0: 98 % busy".
///
/// Something at 85 % or more that is busier than the GPU is the bottleneck by definition. Otherwise the largest part of
/// the step decides: compute (or the host, if the GPU waits for it), exposed communication (the busiest link or
/// resource, or message latency where all of them are below 30 %), input or waiting. @p on_cpu: the worker computes on
/// CPUs, not on a GPU.
Message bottleneck_sentence(const Breakdown& breakdown, bool on_cpu = false);

/// Whether exposed communication is the largest part of the step.
bool waits_for_links(const Breakdown& breakdown);
/// The highest utilisation of a link or resource by this job's own messages; 0: there is none.
double busiest_link(const Breakdown& breakdown);
/// "link leaf-0 > spine-1, shared by 10 jobs: 98 % busy", for a job that waits for a link which others use too.
Message crowded_sentence(const CrowdedLink& crowded, const std::string& label);

} // namespace trainyard
