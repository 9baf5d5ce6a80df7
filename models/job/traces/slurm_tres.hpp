// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace trainyard {

/// What a job holds: "billing=64,cpu=64,gres/gpu:a100=8,gres/gpu=8,mem=512G,node=1".
struct SlurmTres {
  double cpu = 0;
  double memory_mib = 0;
  double nodes = 0;
  double gpus = 0; // not a number where the text is none; MIG slices are among them
  std::string type;
  double slices = 0;     // of these, how many are MIG slices
  double mig_slices = 0; // compute slices of these together, seven in a GPU
  double shards = 0;     // gres/shard: shares of GPUs, of a size that slurm.conf says
};

/// Compute slices of a MIG type: "3g.20gb", "a100_3g.20gb": 3; else 0. Source: gres.conf(5), MultipleFiles; NVIDIA, MIG
/// user guide, profile names.
double slurm_mig_slices(std::string_view type);

SlurmTres slurm_tres(std::string_view text);

} // namespace trainyard
