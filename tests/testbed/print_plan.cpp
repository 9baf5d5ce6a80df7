// SPDX-License-Identifier: Apache-2.0
// testbed_plan MODEL ELEMENTS STEP_SECONDS SERVERS PLACEMENT PARTITION_BYTES: layer times and tensors of a job as
// simrun sees them, so that the trainer sleeps and sends exactly what the scenario says. Only what is given to both
// comes from here; no time of the network does.
#include "models/core/data_folder.hpp"
#include "models/cost/roofline.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/step/training/variable_placement.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int count, char** words)
{
  using namespace trainyard;
  if (count != 7) {
    std::fputs("testbed_plan MODEL ELEMENTS STEP_SECONDS SERVERS PLACEMENT PARTITION_BYTES\n", stderr);
    return 2;
  }
  try {
    const Dnn dnn = build_dnn(words[1], {0, std::atof(words[2])});
    const Catalogue catalogue = load_catalogue(data_folder());
    const LayerTimes times =
        scaled_to(roofline_times(dnn, catalogue.gpus.at("V100-PCIe-16GB"), {.batch = 1}), Seconds{std::atof(words[3])});
    std::vector<Bytes> bytes;
    std::vector<int> layer_of;
    for (std::size_t layer = 0; layer < dnn.layers.size(); ++layer)
      for (const ParameterTensor& tensor : dnn.layers[layer].parameters) {
        bytes.push_back(Bytes{tensor.elements * 4});
        layer_of.push_back(static_cast<int>(layer));
      }
    const int servers = std::max(1, std::atoi(words[4]));
    Settings settings;
    settings.set("partition_size", std::atof(words[6]));
    const auto placement = Registry<VariablePlacement>::instance().create(words[5], settings);
    const std::vector<VariablePart> parts = placement->place(bytes, servers);
    std::printf("update %.9f\n", times.update.value());
    for (std::size_t layer = 0; layer < dnn.layers.size(); ++layer) {
      std::printf("layer %.9f %.9f\n", times.forward[layer].value(), times.backward[layer].value());
      for (const VariablePart& part : parts)
        if (layer_of[static_cast<std::size_t>(part.variable)] == static_cast<int>(layer))
          std::printf("tensor %.0f %d\n", part.bytes.value(), part.server);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
