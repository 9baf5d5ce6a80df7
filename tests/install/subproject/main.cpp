// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/program.hpp"
#include "models/hardware/catalogue.hpp"

#include <cstdio>

int main()
{
  const trainyard::Catalogue catalogue = trainyard::load_catalogue(trainyard::data_folder());
  const trainyard::Gpu& gpu = catalogue.gpus.at("V100-SXM2-16GB");
  std::printf("Trainyard %s: %s reads its memory in %.2f ms\n", trainyard::program_version().c_str(), gpu.name.c_str(),
              1e3 * (gpu.memory / gpu.memory_bandwidth).value());
}
