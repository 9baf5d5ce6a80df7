// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <optional>
#include <string>

namespace trainyard {

/// What a checkpoint is written to and read from.
struct StorageRates {
  BytesPerSecond shared;  // of all machines together; 0: no limit
  BytesPerSecond machine; // of one; 0: its network cards decide
  BytesPerSecond process; // that one process pickles and writes, or reads; 0: no limit
};

/// One process that pickles tensors and writes them.
///
/// torch.save reaches about 3 % of eight NVMe drives of 25 GB/s together, 0.6 to 0.8 GB/s (Wang et al., FastPersist,
/// arXiv:2406.13768, section 3; from memory), whatever the storage.
inline constexpr BytesPerSecond pickling_rate{0.6e9};

/// To host memory that is not pinned: through a buffer of the driver, which the processor empties page by page.
inline constexpr BytesPerSecond pageable_rate{1.3e9};

/// Kinds of storage, by what a machine can write to it.
struct StorageKind {
  const char* name;
  const char* source;
  BytesPerSecond machine;
  BytesPerSecond shared; // 0: grows with the machines
};
inline constexpr StorageKind storage_kinds[] = {
    {"lustre", "one machine over a network of 40 Gbit/s, a parallel file system that is wide enough (assumed)",
     BytesPerSecond{5e9}, BytesPerSecond{}},
    {"nfs", "Amazon EFS, quotas: 500 MiB/s for a client, 1 GiB/s written to a file system", BytesPerSecond{0.52e9},
     BytesPerSecond{1.07e9}},
    {"object_store",
     "ten requests at once (boto3, TransferConfig.max_concurrency) of 85 MB/s (Amazon S3, performance design patterns)",
     BytesPerSecond{0.85e9}, BytesPerSecond{}},
    {"local_nvme", "one drive of PCIe 4: Samsung PM9A3 of 3.84 TB, data sheet, sequential write", BytesPerSecond{4e9},
     BytesPerSecond{}},
};

/// `checkpoints:` of a scenario: how training jobs save, and go on after failures.
struct CheckpointsSection {
  std::optional<Seconds> interval; // of training between two; absent: the best of those that are tried
  std::optional<Seconds> save;     // to write one; absent: its size over the rates below
  BytesPerSecond storage;          // that all machines share, in either direction; 0: by kind
  std::string kind = "lustre";     // of storage_kinds
  BytesPerSecond writer;           // of one process; 0: pickling_rate, but no limit beside `storage`
  bool in_background = false;      // training stands still only while states are copied to the hosts
  BytesPerSecond copy{20e9};       // to the host, of one GPU
  Seconds restart{300};            // from a failure until processes run again, without loading
  bool restart_given = false;      // else the default above counts
  bool elastic_given = false;      // with training.parallel only
  bool elastic = false;            // goes on with fewer replicas while machines are missing
  int min_dp = 1;                  // with it: fewest replicas
  Seconds time{30.0 * 86400};      // that is looked at

  /// As said, else by kind.
  StorageRates rates() const;
};

} // namespace trainyard
