// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"

#include <string>

namespace trainyard {

/// How far two GPUs (or a GPU and a NIC, or a host) are apart, nearest first, in the words of `nvidia-smi topo -m`.
enum class Distance {
  same,    // X
  nvlink,  // NV#: joined by # NVLinks, directly or by NVSwitch
  pix,     // at most one PCIe switch between
  pxb,     // several PCIe switches, no CPU
  phb,     // through one CPU
  sys,     // through several CPUs
  network, // in different nodes
};

struct Apart {
  Distance distance = Distance::same;
  int nvlinks = 0; // of the narrower end; 0 unless distance is nvlink

  bool operator==(const Apart&) const = default;
};

/// NODE, which `nvidia-smi` tells from PHB where a CPU has several root complexes, is PHB here: a CPU is one vertex.
/// Throws std::invalid_argument where no path exists.
Apart distance(const Cluster& cluster, VertexId from, VertexId to);

/// "X", "NV2", "PIX", "PXB", "PHB", "SYS", "NET".
std::string to_text(Apart apart);

} // namespace trainyard
