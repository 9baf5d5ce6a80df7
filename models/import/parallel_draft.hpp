// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/dnn/transformer.hpp"
#include "models/import/importer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// What a launch of another framework says about a transformer that is divided among GPUs; 0 or empty: nothing.
struct ParallelDraft {
  std::string name;
  std::string model;              // of the catalogue
  std::optional<Transformer> own; // its dimensions, where the file gives them instead
  int sequence = 0;
  int gpus = 0;
  int per_node = 0;
  std::string gpu;
  int tp = 1, pp = 1, vp = 1, cp = 1, ep = 1;
  int dp = 0;
  bool sequence_parallel = false;
  int zero = 0;
  std::string sharding; // whose way of zero = 2; empty: not said
  int micro_batch = 1;
  int global_batch = 0;
  double steps = 0;
  int accumulation = 1; // micro-batches of a replica, where there is no global batch
  std::string precision = "bf16";
  std::string optimizer; // empty: not said
  std::string recomputation;
  std::vector<std::string> recomputed; // of recompute_modules
  bool early_stop = false;
  int shard_within = 0;
  int replicate = 1; // copies of the sharded states, where shards are the rest of the GPUs
  int mtp_layers = 0;
  std::string scaling;             // of fp8
  std::vector<std::string> stored; // of stored_parts; empty: the default
  std::optional<bool> dropout;
  std::string schedule;
  std::string layers_per_stage; // "[10, 11, 11, 10]"
  std::string attention;
  std::string ring_merge;
  std::string context_exchange; // empty: the framework's default
  std::string tensor_messages;
  std::string overlap_tensor;
  std::string fused_elementwise;  // true, false, or a list; empty: not said
  bool keep_batch = false;        // with other numbers of replicas
  bool decrease_batch = false;    // and it is kept, with other numbers of replicas
  std::vector<int> micro_batches; // the largest of them that divides a replica's share is taken; empty: micro_batch
  std::vector<int> replicas;      // ascending, those with which it can run; empty: any number
  bool overlap_gradients = true;
  bool offload_optimizer = false;
  bool overlap_experts = false;
  int expert_tp = 0;
  double gradient_bytes = 0;
  double moment_bytes = 8;
  bool master_weights = true;
  bool flat_parameters = false;
  bool loss_parallel = true;
  ImportPlace place;
};

/// What a launch says of the words that a model knows; 0 or empty: nothing.
struct VocabularySays {
  int whole = 0, words = 0;            // with and without what it is padded by
  int multiple = 128;                  // of this and the tensor-parallel ranks
  std::vector<std::string> tokenizers; // names of their kinds and files
};
/// The words with those that it is padded by; where nothing says them, that is an assumption of the report.
int padded_vocabulary(const VocabularySays& says, int tp, const ImportPlace& place, ImportReport& report);

/// Makes a job and its machines of it; what nothing says is an assumption of the report. A model that neither the file
/// nor the options name is an error.
void add_parallel_job(ParallelDraft draft, ImportContext& context);
/// The same job, where other files or objects have its machines: on `gpus` of them.
DraftJob parallel_job(ParallelDraft draft, ImportContext& context);

/// Whether the network can be divided among GPUs: a transformer of the catalogue, of its own dimensions or of a file.
bool is_divisible(const std::string& model);

/// The GPU where nothing names one.
std::string gpu_of_divided(ImportContext& context, const ImportPlace& place);

/// The model as a scenario writes it, for sequences of this length; 0: its own.
std::string with_sequence(std::string model, int sequence);

/// Writes a model of the file's own dimensions, and says how large it is.
std::string own_model(const Transformer& transformer, const ImportPlace& place, ImportReport& report);

/// "{name: transformer, layers: 32, hidden: 4096…}"
std::string transformer_flow(const Transformer& transformer);

/// Sizes that other tools write: at least 1 and at most 1e9; others are errors of the report and give nothing (0).
int size_of(double value, const std::string& what, const ImportPlace& place, ImportContext& context);

} // namespace trainyard
