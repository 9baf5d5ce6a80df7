// SPDX-License-Identifier: Apache-2.0
// How libraries of MPI choose the algorithm of an all-reduce, each by its own table: payloads of up to so many bytes
// among fewer ranks than so many. Sums commute here.
#include "models/cost/mpi_decisions.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr const char *doubling = "recursive_doubling", *halving = "halving_doubling", *ring = "ring";

struct Size {
  double below; // bytes
  const char* algorithm;
};
struct Ranks {
  double below;
  std::vector<Size> sizes;
};
using Table = std::vector<Ranks>;

constexpr double any = std::numeric_limits<double>::infinity();

/// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, ompi_coll_tuned_allreduce_intra_dec_fixed, of 1.x to 4.0.
const Table openmpi_until_4_0{{any, {{10'000, doubling}, {any, ring}}}};

/// The same function since 4.1 (main of 2025). Its "rabenseifner" is halving and doubling; "nonoverlapping", a reduce
/// and a broadcast by binomial trees of small payloads, has as many rounds as that.
const Table openmpi_since_4_1{
    {4, {{8, ring}, {4096, doubling}, {8192, ring}, {16384, doubling}, {262144, ring}, {any, halving}}},
    {8, {{16, ring}, {8192, doubling}, {any, halving}}},
    {16, {{8192, doubling}, {any, halving}}},
    {32, {{64, ring}, {4096, doubling}, {any, halving}}},
    {64, {{128, ring}, {any, halving}}},
    {128, {{262144, doubling}, {any, halving}}},
    {256, {{131072, halving}, {262144, doubling}, {any, halving}}},
    {512, {{any, halving}}},
    {2048, {{2048, halving}, {16384, doubling}, {any, halving}}},
    {4096, {{2048, halving}, {4096, ring}, {16384, doubling}, {any, halving}}},
    {any, {{2048, halving}, {16384, ring}, {32768, doubling}, {any, halving}}}};

/// src/mpi/coll/allreduce: MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE, 2,048 bytes and less.
const Table mpich{{any, {{2049, doubling}, {any, halving}}}};

/// MVAPICH2, allreduce_tuning.c, inter-node thresholds of Xeon E5-2680 and FDR (as in SimGrid's selector); the tables
/// of other machines have the same two algorithms and borders of 1 to 16 kB.
const Table mvapich{{32, {{1024, doubling}, {any, halving}}}, {any, {{16384, doubling}, {any, halving}}}};

/// oneCCL over libfabric, src/coll/selection/selector_allreduce.cpp: its "nreduce" of medium sizes scatters and
/// gathers.
const Table oneccl{{any, {{8193, doubling}, {1048577, halving}, {any, ring}}}};

const std::map<std::string, const Table*>& tables()
{
  static const std::map<std::string, const Table*> by_name{
      {"openmpi_2", &openmpi_until_4_0},
      {"openmpi_3", &openmpi_until_4_0},
      {"openmpi_4", &openmpi_since_4_1},
      {"openmpi_5", &openmpi_since_4_1},
      {"mpich", &mpich},
      {"cray_mpich", &mpich}, // built on MPICH; their own tunings are not published
      {"intel_mpi", &mpich},
      {"mvapich", &mvapich},
      {"oneccl", &oneccl}};
  return by_name;
}

/// Of rows that rise, the first that is for more.
template <class Rows>
const auto& first_above(const Rows& rows, double value)
{
  return *std::ranges::find_if(rows, [&](const auto& row) { return value < row.below; });
}

} // namespace

std::vector<std::string> mpi_libraries()
{
  std::vector<std::string> names;
  for (const auto& [name, table] : tables())
    names.push_back(name);
  return names;
}

Parameter mpi_parameter()
{
  return {.name = "mpi",
          .kind = "name",
          .default_value = "openmpi_5 with mpi; that of the network's link, where it brings one",
          .meaning = "library of MPI, whose table chooses the algorithm of an all-reduce by payload and ranks; without "
                     "effect where 'collective' is given",
          .source = "decision functions of each library (models/cost/mpi_decisions.cpp)",
          .choices = mpi_libraries()};
}

std::string mpi_algorithm(const std::string& library, int ranks, Bytes payload)
{
  const auto table = tables().find(library);
  if (table == tables().end())
    throw std::logic_error{"no table of MPI library " + library};
  return first_above(first_above(*table->second, ranks).sizes, payload.value()).algorithm;
}

std::vector<std::string> mpi_algorithms()
{
  return {doubling, halving, ring};
}

} // namespace trainyard
