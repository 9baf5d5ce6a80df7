// SPDX-License-Identifier: Apache-2.0
// simcal_mpi WHAT BYTES SAMPLES: what MPI takes on this machine; started by simcal through mpirun, so that simcal
// itself needs no MPI. WHAT = ping_pong (ranks 0 and 1: half of a round trip) or all_reduce (all ranks, floats; the sum
// is checked). Rank 0 prints one number of seconds per line, after "version" and its library's words.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int count, char** words)
{
  MPI_Init(&count, &words);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count != 4 || ranks < 2) {
    if (rank == 0)
      std::fputs("simcal_mpi WHAT BYTES SAMPLES, with at least two ranks\n", stderr);
    MPI_Finalize();
    return 2;
  }
  const std::string what = words[1];
  const long bytes = std::atol(words[2]);
  const int samples = std::atoi(words[3]);
  const int elements = static_cast<int>((bytes + 3) / 4);
  const int repeat = bytes < 65536 ? 20 : 1;
  std::vector<float> data(static_cast<std::size_t>(elements), 1.0F), sum(data.size());
  if (rank == 0) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    std::printf("version %s\n", std::string{version}.substr(0, std::string{version}.find(',')).c_str());
  }
  bool right = true;
  for (int sample = -2; sample < samples; ++sample) { // two warm up
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < repeat; ++i) {
      if (what == "all_reduce") {
        MPI_Allreduce(data.data(), sum.data(), elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      } else if (rank == 0) {
        MPI_Send(data.data(), elements, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(sum.data(), elements, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        MPI_Recv(sum.data(), elements, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(sum.data(), elements, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
      }
    }
    const double seconds = (MPI_Wtime() - begin) / repeat / (what == "all_reduce" ? 1 : 2);
    const float expected = what == "all_reduce" ? static_cast<float>(ranks) : 1.0F;
    if (what == "all_reduce" || rank < 2)
      for (const float value : sum)
        right = right && value == expected;
    if (rank == 0 && sample >= 0)
      std::printf("%.9g\n", seconds);
  }
  MPI_Finalize();
  if (!right)
    std::fputs("the data was wrong\n", stderr);
  return right ? 0 : 1;
}
