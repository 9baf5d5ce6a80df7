// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/mig.hpp"

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
  MigSlices slices;     // among them
  std::string cut_type; // type of the GPUs that these are cut from; empty: not said
  double shards = 0;    // gres/shard: shares of GPUs, of a size that slurm.conf says
};

SlurmTres slurm_tres(std::string_view text);

/// GPUs of the columns AllocGRES and ReqGRES, which each of the @p nodes has ("gpu:v100:4", "gres:gpu:4"), as TRES:
/// "gres/gpu:v100=8,"; empty where there are none. Source: sacct(1) of Slurm before 20.11.
std::string tres_of_gres(std::string_view gres, double nodes);

/// GPUs that a job holds: whole ones, or the part of one that its MIG slices are. Slices lie on the machines evenly;
/// more of them than a GPU has are rounded up to whole ones.
struct SlurmGpus {
  int gpus = 0;
  int milli = 1000;
  int slices = 0; // that they are cut into
};

/// @p use: with a number of GPUs from 0 to a million.
SlurmGpus slurm_gpus(const SlurmTres& use);

} // namespace trainyard
