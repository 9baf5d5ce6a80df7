// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// Libraries of MPI whose choice of all-reduce algorithms is known: "openmpi_5", "mpich"…
std::vector<std::string> mpi_libraries();

/// `mpi` of a job or a transport.
Parameter mpi_parameter();

/// The registered Collective that stands for what @p library does in an all-reduce of @p payload among @p ranks.
std::string mpi_algorithm(const std::string& library, int ranks, Bytes payload);

/// All that it may choose.
std::vector<std::string> mpi_algorithms();

} // namespace trainyard
