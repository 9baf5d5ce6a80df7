// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"
#include "models/core/units.hpp"
#include "models/parallel/communication.hpp"
#include "models/parallel/gpu_work.hpp"
#include "models/parallel/rank_memory.hpp"
#include "sim/parallel/pipeline.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace trainyard {

/// Everything that decides a step of a divided transformer.
struct ParallelJob {
  Transformer transformer;
  ParallelLayout layout; // without faults
  Gpu gpu;
  ParallelNetwork network;
  Seconds host_per_operator;            // 0: CUDA graphs
  std::vector<std::string> groups = {}; // of nodes, whose machines it may hold; empty: not asked
  std::set<int> machines = {};          // indices of those that it holds; empty: the first of its groups
  Bytes host_memory;                    // of a machine; 0: not said
};

/// A step and where its time goes, on the rank with the most work. The parts add up to the step.
struct ParallelStep {
  Seconds step;
  Seconds compute;  // kernels of forward and backward pass, recomputation included
  Seconds host;     // the GPU waits for the processor that launches kernels
  Seconds tensor;   // exposed: collectives of tensor and sequence parallelism
  Seconds context;  // exposed: keys and values of other ranks
  Seconds expert;   // exposed: tokens to experts and back
  Seconds data;     // exposed: gradients and weights between replicas
  Seconds bubble;   // waiting for other stages, were messages instant
  Seconds pipeline; // more of it because messages between stages take time
  Seconds optimizer;
  Seconds ideal_compute; // model flop at the peak of the GPUs

  double tokens_per_second = 0; // of all GPUs
  double samples_per_second = 0;
  double model_flop_utilisation = 0; // of the data sheet's peak in the layout's precision
  RankMemory memory;                 // of the rank that needs most
  int rank = 0;                      // in the pipeline, with the most work
  Message bottleneck;                // the largest part
  Message besides;                   // the largest part besides compute; empty: none is worth a word
};

enum class PipelineDetail { formula, tasks };

/// Time, parts and memory of a step by closed form. `tasks`: the pipeline is run task by task; `formula`: bubble by the
/// schedule's formula (equal stages; the slowest decides), for searches.
ParallelStep parallel_step(const ParallelJob& job, PipelineDetail detail = PipelineDetail::tasks);

/// Of a GPU's memory, the share that must be there; paged optimiser states need not.
inline double needed_share(const ParallelJob& job, const ParallelStep& step)
{
  return (step.memory.total() - (job.layout.kept.paged ? step.memory.optimizer : Bytes{})) / job.gpu.memory;
}

/// Optimiser states that lie in the memory of one machine, of all its GPUs.
Bytes host_states(const ParallelJob& job);

/// Rates, utilisation and bottleneck of a step, from its parts.
void derive_figures(ParallelStep& step, const ParallelJob& job);

/// What a pass sends between machines, or a group of ranks does once in a step.
struct NetworkPart {
  enum class Group { stage, tensor, context, expert, data, copies, tied }; // copies: of what `data` divides
  Group group = Group::stage;
  Seconds time;   // by closed form: nobody else on the links
  Bytes flow;     // that each way of the group from machine to machine carries; 0: all of it stays in the machine
  int ways = 1;   // on which a rank sends at the same time
  Seconds beside; // computing that goes on meanwhile
  Seconds taken;  // by which it lengthens that computing: multiprocessors that it holds
};

/// One micro-batch through one chunk of layers on one rank.
struct DividedPass {
  Seconds busy;    // kernels, their launches, and exposed messages inside the machine
  Seconds kernels; // of `busy`
  Seconds tokens;  // of `busy`: on their way to experts and back
  Seconds shares;  // of `busy`: weights and gradients that replicas divide
  std::vector<NetworkPart> network;
};

/// A step of a divided transformer as work and messages, for who knows the links (sim/step/training/divided.hpp). With
/// every message at the time of its closed form it takes what parallel_step() says, where the first stage ends last.
/// In a pipeline that goes both ways each stage is held twice: its `gather` and `reduce` are for both together.
struct DividedWork {
  struct Chunk {
    int stage = 0; // its place in the order of the forward pass
    DividedPass forward, backward, weights;
    double layers = 1;
    std::vector<NetworkPart> gather; // weights before the first forward pass
    std::vector<NetworkPart> reduce; // gradients after the last backward pass, one after the other
    /// Of `gather` and `reduce`: nothing is left to compute beside this share.
    double alone = 1;
  };
  StageOrder order = StageOrder::round;
  int stages = 1;
  TaskLists tasks;
  bool parted = false;       // the schedule parts gradients of weights from the backward pass
  std::vector<Chunk> chunks; // by rank + chunk x ranks
  NetworkPart handoff;       // between neighbouring stages
  NetworkPart tied;          // gradients of an embedding that the first and the last rank hold
  Seconds optimizer;
  double collective_share = 0; // of the multiprocessors, that messages hold
};
DividedWork divided_work(const ParallelJob& job);

/// The tasks of a step with their times, by rank.
PipelineRun pipeline_of(const ParallelJob& job);

/// The layout's schedule by name: what it says, else 1f1b, or interleaved with virtual stages.
std::string schedule_of(const ParallelLayout& layout);

} // namespace trainyard
