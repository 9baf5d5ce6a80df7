// SPDX-License-Identifier: Apache-2.0
// Slices of a GPU by Multi-Instance GPU (MIG). Source: NVIDIA, MIG user guide, "Supported MIG Profiles".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// A profile: 3g.20gb has three compute slices and 20 GB.
struct MigProfile {
  int compute = 1;
  double gigabytes = 0;
  bool media = false; // 1g.5gb+me: with media engines, of which a GPU has enough for one slice

  bool operator==(const MigProfile&) const = default;
};

/// Profiles, and how many slices there are of each.
using MigSlices = std::vector<std::pair<MigProfile, int>>;

/// What a GPU can be cut into. An A100 and what came after it have seven compute slices and eight of memory.
struct MigGpu {
  int compute = 7;
  int memory = 8;
  double gigabytes = 0; // 0: not known
};

/// "3g.20gb", "1g.5gb+me".
std::string to_text(const MigProfile& profile);

/// The profile in the name of a resource, product or type: "nvidia.com/mig-3g.20gb",
/// "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "a100_3g.20gb"; nothing where it names none.
std::optional<MigProfile> mig_profile(std::string_view name);

/// The name without the profile at its end and the sign before it, "mig" too: "NVIDIA-A100-SXM4-40GB"; may be empty.
std::string without_mig_profile(std::string_view name);

/// Memory of the GPU that a slice is most likely cut from: of 3g.20gb 40 GB, of 1g.10gb 80 GB.
double mig_memory(const MigProfile& profile);

/// The GPU that slices are cut from: by its name (any of those of the catalogue and of drivers) and its memory, 0 where
/// that is not known. Without a name the profile tells the A30: it alone has 6 GB for each compute slice.
MigGpu mig_gpu(std::string_view gpu, double memory_bytes, const MigProfile& profile);

/// The part of a GPU that a slice is: its compute slices, or more where its memory allows fewer of them.
double mig_share(const MigProfile& profile, const MigGpu& gpu);

/// Thousandths of a GPU, rounded down, so that all slices of a GPU fit on it together: a seventh is 142.
int thousandths(double share);

/// GPUs that the slices need: compute and memory both fit; where on a GPU a slice lies does not count.
int mig_gpus(const MigSlices& slices, const MigGpu& gpu);

} // namespace trainyard
