// SPDX-License-Identifier: Apache-2.0
#include "sim/app/layout_input.hpp"
#include "sim/app/study_input.hpp"

namespace trainyard::app {
namespace {

std::vector<Option> layout_options()
{
  std::vector<Option> list{{"MODEL", "", "",
                            "transformer of the catalogue (simrun list models), a config.json of Hugging Face, or "
                            "scenarios with training.parallel: their cluster and transformer",
                            "list models", true, true},
                           {"--gpus", "", "N", "numbers of GPUs, 512 or 256,512 (default: all of the cluster)"},
                           cluster_option(),
                           {"--set", "", "KEY=VALUE",
                            "change one value of the clusters' scenarios: --set cluster.network.topology=fat_tree", "",
                            false, true}};
  for (Option& option : layout_input_options())
    list.push_back(std::move(option));
  list.insert(
      list.end(),
      {precision_option(),
       prices_option(),
       {"--top", "", "N", "layouts to show (default 8)"},
       {"--json", "", "", "print JSON"},
       {"--output", "-o", "DIR",
        "folder for the table, its JSON and the best layout as a scenario (default: none is written)", "folder"},
       {"--force", "", "", "replace a folder that simrun did not write"}});
  return list;
}

[[maybe_unused]] const bool layouts_registered = register_command(
    {"layouts",
     "find the fastest way to divide a transformer among GPUs",
     "Looks at every combination of tensor, pipeline, context, expert and data parallelism, virtual stages, "
     "micro-batch, recomputation and\nZeRO by closed form, leaves out what does not fit into memory, and says why the "
     "others are slower. Ends with exit code 3 if the\nmodel fits nowhere, and says how many GPUs would hold it.",
     layout_options(),
     {{"simrun layouts llama3_70b --gpus 512", "on H100 in machines of eight"},
      {"simrun layouts llama3_70b --cluster h100x8@32,eth=100Gbit/s,nics=4 --cluster h100x8@32,ib=400Gbit/s,nics=8",
       "two networks side by side, with prices"},
      {"simrun layouts llama3_70b_on_512_h100", "the cluster and the transformer of a scenario"},
      {"simrun layouts llama3.1_405b --gpus 1024 --gpu H200-SXM --precision fp8 --sequence 8192 --global-batch 2048",
       "another GPU, precision and batch"}},
     find_layouts});

} // namespace
} // namespace trainyard::app
