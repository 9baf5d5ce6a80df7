/// Throws bytes at the scenario reader: whatever they are, it must answer with diagnostics or a scenario, never with a crash or a hang.
#include "models/cluster/layout.hpp"
#include "models/core/data_folder.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace trainyard;

/// The names that the models know, and one training mode with every kind of parameter.
Parts parts()
{
  const Parameter collective{"collective", "name", "ring", "algorithm"};
  const std::vector<Parameter> parameters = {collective,
                                             {"servers", "integer", "1", "number"},
                                             {"share", "number", "1", "share"},
                                             {"fused", "boolean", "no", "flag"},
                                             {"cycle", "duration", "1 ms", "time"}};
  return {{"training", {{"all_reduce", "", parameters}, {"parameter_server", "", parameters}}},
          {"executor", {{"flow", "", {}}, {"fluid", "", {}}}},
          {"collective", {{"ring", "", {}}}},
          {"node_layout", parts_of(Registry<NodeLayout>::instance())},
          {"network_layout", parts_of(Registry<NetworkLayout>::instance())},
          {"model", parts_of(Registry<DnnSource>::instance())}};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  static const Catalogue catalogue = load_catalogue(data_folder());
  static const Parts known = parts();
  Diagnostics diagnostics;
  const Document document = parse_document(std::string{reinterpret_cast<const char*>(data), size}, "fuzz.yaml", diagnostics);
  if (diagnostics.has_errors())
    return 0;
  Scenario scenario = read_scenario(document, known, catalogue, diagnostics);
  static_cast<void>(scenario);
  static_cast<void>(to_flow_yaml(document.root));
  return 0;
}
