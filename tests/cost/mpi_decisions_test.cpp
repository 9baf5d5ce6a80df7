// SPDX-License-Identifier: Apache-2.0
#include "models/cost/mpi_decisions.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard {
namespace {

// Each library's own decision function, read where mpi_decisions.cpp says.
TEST(MpiAlgorithm, IsThatOfEachLibrary)
{
  // 64 MiB among 1,024 ranks: a ring of Open MPI until 4.0, and of oneCCL over libfabric; Rabenseifner's elsewhere.
  EXPECT_EQ(mpi_algorithm("openmpi_3", 1024, 64_MB), "ring");
  EXPECT_EQ(mpi_algorithm("oneccl", 1024, 64_MB), "ring");
  for (const char* library : {"openmpi_4", "openmpi_5", "mpich", "cray_mpich", "intel_mpi", "mvapich"})
    EXPECT_EQ(mpi_algorithm(library, 1024, 64_MB), "halving_doubling") << library;
  // Small ones: 10 kB is the border of Open MPI 3, 2,048 bytes that of MPICH, 16 KiB that of MVAPICH from 32 ranks on.
  EXPECT_EQ(mpi_algorithm("openmpi_3", 8, Bytes{9999}), "recursive_doubling");
  EXPECT_EQ(mpi_algorithm("mpich", 8, Bytes{2048}), "recursive_doubling");
  EXPECT_EQ(mpi_algorithm("mpich", 8, Bytes{2052}), "halving_doubling");
  EXPECT_EQ(mpi_algorithm("mvapich", 16, Bytes{4096}), "halving_doubling");
  EXPECT_EQ(mpi_algorithm("mvapich", 32, Bytes{4096}), "recursive_doubling");
  // Open MPI 5: among 4 to 7 ranks doubling from 16 bytes to 8 KiB; among 2 and 3 rings to 256 KiB.
  EXPECT_EQ(mpi_algorithm("openmpi_5", 4, Bytes{8191}), "recursive_doubling");
  EXPECT_EQ(mpi_algorithm("openmpi_5", 4, Bytes{8192}), "halving_doubling");
  EXPECT_EQ(mpi_algorithm("openmpi_5", 2, Bytes{65536}), "ring");
  EXPECT_EQ(mpi_algorithm("openmpi_5", 2, Bytes{262144}), "halving_doubling");
}

TEST(MpiAlgorithm, IsKnownForAnySizeOfEachLibrary)
{
  const auto all = mpi_algorithms();
  for (const std::string& library : mpi_libraries())
    for (int ranks = 2; ranks < 10'000; ranks *= 3)
      for (double bytes = 4; bytes < 1e10; bytes *= 7)
        EXPECT_NE(std::find(all.begin(), all.end(), mpi_algorithm(library, ranks, Bytes{bytes})), all.end());
}

} // namespace
} // namespace trainyard
