// SPDX-License-Identifier: Apache-2.0
// What a job's row says besides figures of its steps.
#pragma once
#include "sim/results/crowded_links.hpp"
#include "sim/results/results.hpp"
#include "sim/results/traffic.hpp"
#include "sim/sources/jobs/point_run.hpp"
#include "sim/sources/jobs/timeline.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/step/chosen_fidelity.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/steady_state.hpp"
#include "sim/step/training/all_reduce_plan.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// "ps:2 sync": the way of training, for points that have no name of their own.
std::string describe_training(const JobSpec& job);

/// What the workers compute on: "H100-SXM5", "H100-SXM5 + A100-SXM4-80GB" in the order of the workers, or "CPU".
std::string devices_of(const PreparedScenario& prepared, const Placement& placement);

/// "IB-NDR fat_tree"; a rate that is given overrides that of the link: "25GbE at 10 GB/s star", without a kind of link
/// "10 GB/s star".
std::string describe_network(const NetworkSpec& network);

/// "vgg16: compute from the data sheet of V100 (roofline), transport tcp measured (calibration 'box' of 2026-11-21)".
/// @p node: of the first worker. @p devices: as devices_of(). @p timed: the layers say their times.
Message provenance_note(const Scenario& scenario, const JobSpec& job, const Node& node, const std::string& devices,
                        bool timed, const HowDone& how = {});

/// Of the machines that a job is on; nothing where one of them has no price.
std::optional<DollarsPerHour> price_of(const ClusterSpec& prices, const PreparedScenario& prepared,
                                       const Placement& placement);

/// A warning of one point of a sweep names it.
Message at_point(const std::string& point, Message warning);

/// Why a job has no efficiency.
Message no_efficiency(const std::string& job);

/// What traffic.csv does not list of job @p job: a sentence that is the same at all points of a sweep, where some
/// workers stand for others.
Message left_out_of_traffic(const std::string& job, const TrafficTable& traffic);

/// Servers of which one keeps at least twice its even share of the variables, by a placement that the scenario does not
/// give; empty where there is none.
Message crowded_server(const Scenario& scenario, const JobSpec& job, const TrafficTable& traffic, int servers);

/// Only message by message does a ring send while another one of its job starts up: what @p fidelity makes of that;
/// empty where no rings meet.
Message rings_that_meet(const JobSpec& job, const Node& node, const StepProgram& program, const std::string& fidelity);

/// Steps that mostly wait for the host, by a time per operator that the scenario does not give. @p rows: by job, empty
/// for one that has made no step.
Messages assumed_hosts(const CheckedPoint& point, std::span<const PreparedJob> jobs, std::span<const JobRow> rows);

/// That the slowest kind of GPU holds up a synchronous job which would be faster without it; empty where it is not so.
Message slow_kind(const PreparedScenario& prepared, const JobSpec& job, const PlacedJob& placed, const JobRow& row);

/// Where workers compute on the same CPUs: those of a job, which divide their rate, and those of jobs at the same time,
/// which are counted as if each job had the CPUs to itself. One line for each job, and one for the first two jobs.
Messages shared_cpus(const PreparedScenario& prepared, std::span<const std::unique_ptr<PlacedJob>> placed,
                     std::span<const TimelineOutcome> outcomes);

/// A job at its place, and the steps of it that are shown.
struct ShownJob {
  const CheckedPoint& point;
  const Catalogue& catalogue;
  const PreparedScenario& prepared;
  const PreparedJob& job;
  const PlacedJob& placed;
  const StepEstimate& estimate;
  bool own_steps = false; // all that it has made, without a warm-up
  std::optional<CrowdedLink> crowded;
  const ChosenFidelity& fidelity;
};

/// What results tell of one job.
struct ToldOfJob {
  JobRow row;
  TrafficTable traffic;         // without rows unless they are listed, or servers may be crowded
  std::vector<StepRow> steps;   // empty unless they are listed
  std::vector<TraceSpan> spans; // empty unless they are drawn
  Message rings_meet;           // empty: they do not
};
ToldOfJob told_of(const ShownJob& shown, bool draw, bool list);

} // namespace trainyard
