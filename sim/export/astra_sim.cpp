// SPDX-License-Identifier: Apache-2.0
// What ASTRA-sim 2.x needs beside the traces: its system layer (JSON), the analytical network (YAML) and its memory.
// Keys as in astra-sim/system/Sys.cc and the examples that its authors validated on HGX H100.
#include "models/scenario/calibrated.hpp"
#include "sim/export/exporter.hpp"
#include "sim/sources/parallel/parallel_job.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

/// A dimension of ASTRA-sim's network: GPUs of a machine, or machines.
struct Dimension {
  int npus = 1;
  BytesPerSecond bandwidth;
  Seconds latency; // of one link; a switch is two links away from the next GPU
};

std::vector<Dimension> dimensions_of(const ParallelJob& job)
{
  const ParallelNetwork& network = job.network;
  const int gpus = job.layout.gpus(), inside = std::min(gpus, network.gpus_per_node);
  if (gpus % inside != 0)
    throw InputError{fmt::format("{} GPUs are no whole number of machines of {}, and ASTRA-sim's dimensions are: "
                                 "change the layout or the machines",
                                 gpus, inside)};
  std::vector<Dimension> list{{inside, network.inside, network.tuning.nvlink_hop * 0.5}};
  if (gpus > inside)
    list.push_back({gpus / inside, network.between, network.tuning.network_hop * 0.5});
  return list;
}

template <class Value>
std::string yaml_list(const std::vector<Dimension>& dimensions, Value value)
{
  std::string text;
  for (const Dimension& dimension : dimensions)
    text += fmt::format("{} {}", text.empty() ? "" : ",", value(dimension));
  return "[" + text + " ]";
}

std::string network_text(const std::vector<Dimension>& dimensions)
{
  const auto line = [&](const char* key, auto value) {
    return fmt::format("{}: {}", key, yaml_list(dimensions, value));
  };
  return line("topology", [](const Dimension&) { return std::string{"Switch"}; }) + "\n" +
         line("npus_count", [](const Dimension& d) { return std::to_string(d.npus); }) + "\n" +
         line("bandwidth", [](const Dimension& d) { return fmt::format("{:.4f}", d.bandwidth.value() / 1073741824); }) +
         "  # GB/s, of 2^30 bytes\n" +
         line("latency", [](const Dimension& d) { return fmt::format("{:.1f}", d.latency.value() * 1e9); }) +
         "  # ns\n";
}

std::string system_text(const ParallelJob& job, std::size_t dimensions)
{
  using Names = std::vector<std::string>;
  const Names ring(dimensions, "ring");
  const bool far = dimensions > 1; // "one…": a collective over all ranks, not one dimension after the other
  const Json system = {{"scheduling-policy", "FIFO"},
                       {"endpoint-delay", 10},
                       {"active-chunks-per-dimension", 1},
                       {"preferred-dataset-splits", 1},
                       {"all-reduce-implementation", far ? Names{"oneRing"} : ring},
                       {"all-gather-implementation", ring},
                       {"reduce-scatter-implementation", ring},
                       // each rank sends its n - 1 pieces one by one; as a ring they would take n(n - 1)/2 steps
                       {"all-to-all-implementation", Names{far ? "oneDirect1" : "direct1"}},
                       {"collective-optimization", "localBWAware"},
                       // ASTRA-sim adds 3 x chunk / rate to every step of a reduction, which the network's measured
                       // rate has in it already
                       {"local-mem-bw", 1e6},
                       {"peak-perf", job.gpu.peak.at(job.layout.precision).value() / 1e12},
                       {"roofline-enabled", 0}};
  return system.dump(2) + "\n";
}

class AstraSim final : public Exporter
{
public:
  ExportText write(const ExportInput& input) const override
  {
    ExportText made = Registry<Exporter>::instance().create("chakra")->write(input);
    const auto divided =
        std::ranges::find_if(input.scenario->jobs, [](const JobSpec& job) { return job.training.parallel != nullptr; });
    Diagnostics faults;
    const ParallelJob job =
        parallel_job(*input.scenario, *divided, calibrated(input.catalogue, *input.scenario), faults);
    faults.throw_if_errors();
    const std::vector<Dimension> dimensions = dimensions_of(job);
    made.files.push_back({"network.yml", [text = network_text(dimensions)] { return text; }});
    made.files.push_back({"system.json", [text = system_text(job, dimensions.size())] { return text; }});
    made.files.push_back({"memory.json", [] { return std::string{"{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n"}; }});
    // The other analytical program knows one dimension only, and passes whole chunks on.
    made.text += "AstraSim_Analytical_Congestion_Unaware --workload-configuration=trace "
                 "--comm-group-configuration=comm_group.json --system-configuration=system.json "
                 "--network-configuration=network.yml --remote-memory-configuration=memory.json\n";
    made.notes.emplace_back("switches above the machines: all machines are one switch apart");
    made.notes.emplace_back("measured curves of collectives: ASTRA-sim computes them itself, as rings");
    return made;
  }
};

TY_REGISTER(Exporter, AstraSim, "astra-sim",
            "ASTRA-sim: the traces of chakra, and the cluster as network.yml and system.json");

} // namespace
} // namespace trainyard
