// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"
#include "models/scenario/sections/checkpoints.hpp"
#include "sim/parallel/step.hpp"

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace trainyard {

/// What is taken for granted of checkpoints and restarts.
inline constexpr Sentence<Figure, Figure, std::string> storage_assumed{
    "failures.storage_assumed",
    "each process writes checkpoints at {process}, and storage takes {machine} from a machine ({key} names another)"};
Message assumed_storage(const StorageRates& rates);
inline constexpr Sentence<Figure> run_again{
    "failures.run_again", "processes run again {time} after a failure (checkpoints.restart names another)"};

/// A sharded checkpoint of a divided transformer: 14 B a parameter (weights in 16 bit, their copy and both moments of
/// Adam in fp32), of which every rank writes a share and nothing is written twice.
struct CheckpointTimes {
  Bytes size;    // of all ranks
  Bytes written; // by the rank with the most
  Bytes read;    // by the rank with the most: all weights that it holds, and its share of the states
  Seconds save;  // the longest of `written` over the rank's share of the NICs or the machine's storage, and over what
                 // a process pickles, and of `size` over the storage that all share
  Seconds load;  // the same with `read`; the storage is read once, and ranks pass on what others hold as well
};

CheckpointTimes checkpoint_times(const ParallelJob& job, const StorageRates& storage);

/// A machine that fails; the job restarts if it uses it.
struct MachineOutage {
  Seconds at;
  Seconds until;    // repaired
  int machine = -1; // -1: the job's processes die, and no machine is lost
  int process = -1; // only this one dies (JobProcesses), and no machine is lost
};

/// So many replicas of a job: on how many machines, how fast, and what their checkpoints cost.
struct TrainingSize {
  int machines = 1;
  int replicas = 1; // for reports
  double rate = 1;  // of training, as a share of that of all replicas
  Seconds save;     // training stands still
  Seconds usable;   // from the beginning of a checkpoint until a restart can use it; no less than `save`
  Seconds restart;  // from a failure until the job trains on, loading included
  Seconds load{};   // its part of `restart`: no time before the first checkpoint is written
};

/// The processes of a job that can go on without some of them, such as workers that train with parameter servers.
struct JobProcesses {
  std::vector<std::vector<int>> of_machine; // by machine that the job needs
  std::vector<bool> essential;              // by process: without it the job stops, and goes back to its checkpoint
  std::function<double(const std::vector<int>& lost)> rate; // of training, as a share of that of all; 0: others wait
  Seconds rejoin; // of a process that is not essential: from its failure, or the repair, until it trains again
};

/// How a job on whole machines saves, and what it does after a failure.
struct FailurePlan {
  Seconds interval{std::numeric_limits<double>::infinity()}; // of training between two checkpoints; longer while the
                                                             // last one is still being written
  TrainingSize all;
  std::vector<TrainingSize> fewer; // elastic: with which it goes on while machines are missing, the most machines first
  int installed = 1;               // machines; those that it does not need are spare
  std::vector<int> group; // with processes: by machine; a spare one takes places of its group; empty: one group
  Seconds time;           // that is looked at
  Seconds work{std::numeric_limits<double>::infinity()}; // training with all of it; then the job ends
  std::optional<JobProcesses> processes;                 // absent: every failure of one of its machines stops the job
};

/// One failure that hit a job.
struct FailureEffect {
  std::size_t outage = 0;                                 // number in the list
  bool stopped = true;                                    // else the others went on
  Seconds undone;                                         // training since the last usable checkpoint
  Seconds until{std::numeric_limits<double>::infinity()}; // the job trains with all of it again
};

/// Where the time went; the parts add up to it. In seconds of training on all machines.
struct Goodput {
  Seconds useful;                        // kept training
  Seconds saving;                        //
  Seconds lost;                          // training since the last usable checkpoint, at failures
  Seconds restarting;                    //
  Seconds waiting;                       // for machines
  Seconds fewer;                         // lost because fewer replicas trained
  int failures = 0;                      // that hit the job
  bool finished = false;                 // all work is done
  std::optional<std::size_t> blocked_by; // it waits for good: an outage that nobody repairs
  std::vector<FailureEffect> effects;    // of the failures, in order

  Seconds time() const { return useful + saving + lost + restarting + waiting + fewer; }
  double share() const { return time() > Seconds{} ? useful / time() : 1; }
};

/// @p outages: of all installed machines, in order of time.
Goodput goodput_of(const FailurePlan& plan, std::span<const MachineOutage> outages);

/// Fewer replicas with which the job can go on, down to @p least: their layouts have no faults, fit into the GPUs'
/// memory and are faster than any smaller ones; the most machines first. Rates are those of tokens/s by closed form;
/// what checkpoints cost is left open.
std::vector<TrainingSize> fewer_replicas(const ParallelJob& job, int least);

/// sqrt(2 x save x mtbf): Young 1974, "A first order approximation to the optimum checkpoint interval". Daly 2006
/// subtracts the time of a save and corrects for intervals that are no small part of the mtbf.
Seconds young_interval(Seconds save, Seconds mtbf);

/// The best interval, and the expected time of @p work in such intervals, where failures that stop the job come at
/// random with a mean time @p mtbf between them, also while it saves and restarts: T = M exp(R/M) (exp((t + C)/M) - 1)
/// W/t. Daly 2006, "A higher order estimate of the optimum checkpoint interval for restart dumps", eq. 37 and 20.
Seconds daly_interval(Seconds save, Seconds mtbf);
Seconds daly_time(Seconds work, Seconds interval, Seconds save, Seconds restart, Seconds mtbf);

/// The interval with the best goodput of those between a quarter and four times @p about, in steps of a tenth.
Seconds best_interval(FailurePlan plan, std::span<const MachineOutage> outages, Seconds about);

} // namespace trainyard
