// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/framework.hpp"

#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

class FrameworkReader final : public ScenarioSection
{
public:
  nlohmann::ordered_json schema(const Parts&, const Catalogue&) const override
  {
    using namespace schema;
    return object(
        "the installed training framework",
        {{"name", text("name of the framework: pytorch, tensorflow…; simrun list frameworks shows those with defaults "
                       "of their own")},
         {"version", text("version of the framework; default: the newest")},
         {"cuda_graphs",
          flag("kernels start as CUDA graphs, by torch.compile or by hand: the host then needs no time per operator "
               "(default false)")},
         {"built_with", list_of(text("nccl"), "transports that this build of the framework supports; default: all")}},
        {"name"});
  }

  std::any read(const SectionInput& input) const override
  {
    FrameworkSection section;
    MapReader reader{input.document, &input.node, "'framework'", input.diagnostics};
    section.name = reader.required_text("name");
    section.version = reader.text("version", "");
    reader.flag("cuda_graphs", false); // read with the jobs, whose defaults depend on it
    if (!reader.has("built_with")) {
      reader.finish();
      return section;
    }
    section.built_with = reader.texts("built_with");
    for (const std::string& transport : section.built_with)
      if (!input.scenario.transports.contains(transport) && !input.catalogue.transports.contains(transport))
        reader.error("built_with", fmt::format("unknown transport '{}'{}", transport,
                                               did_you_mean(transport, input.catalogue.transport_names())));
    const std::string build = section.name + (section.version.empty() ? "" : " " + section.version);
    for (const JobSpec& job : input.scenario.jobs)
      for (const char* key : {"transport", "local_transport"}) {
        const std::string transport = job.training.settings.text(key, "");
        if (!transport.empty() && std::ranges::find(section.built_with, transport) == section.built_with.end())
          reader.error(
              "built_with",
              fmt::format("job '{}' uses {}, but {} is built without it (built with {}): rebuild it with {}, or "
                          "choose another transport; not every version can be built with MPI",
                          job.name, transport, build, fmt::join(section.built_with, ", "), transport));
      }
    reader.finish();
    return section;
  }
};

TY_REGISTER(ScenarioSection, FrameworkReader, "framework",
            "the installed training framework, and which transports it was built with");

} // namespace
} // namespace trainyard
