// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace trainyard {
namespace {

/// `framework:` of a scenario. Its name, version and `cuda_graphs` also decide defaults of jobs (assumptions.hpp).
struct FrameworkSection {
  std::string name;
  std::string version;
  std::vector<std::string> built_with; // transports; empty: all
};

class FrameworkReader final : public SectionOf<FrameworkSection>
{
public:
  FrameworkReader() : SectionOf{"framework", "the installed training framework"} {}

protected:
  void fields(Fields& keys, FrameworkSection& section, const SectionInput* input) const override
  {
    keys.text("name", section.name,
              "name of the framework: pytorch, tensorflow…; simrun list frameworks shows those with defaults of their "
              "own",
              {.required = true});
    keys.text("version", section.version, "version of the framework", {.otherwise = "the newest"});
    bool cuda_graphs = false, channels_last = false; // read with the jobs, whose defaults depend on them
    keys.flag("cuda_graphs", cuda_graphs,
              "kernels start as CUDA graphs, by torch.compile or by hand: the host then needs no time per operator");
    keys.flag("channels_last", channels_last,
              "images lie in memory as matrix units want them (NHWC, torch.channels_last); else they are turned around "
              "for each convolution",
              {.otherwise = "by framework, see docs/assumed.md"});
    if (keys.texts("built_with", section.built_with, "transports that this build of the framework supports", "nccl",
                   {.otherwise = "all"}))
      check_transports(keys, section, *input);
  }

private:
  static void check_transports(Fields& keys, const FrameworkSection& section, const SectionInput& input)
  {
    for (const std::string& transport : section.built_with)
      if (!input.scenario.transports.contains(transport) && !input.catalogue.transports.contains(transport))
        keys.error("built_with", fmt::format("unknown transport '{}'{}", transport,
                                             did_you_mean(transport, input.catalogue.transport_names())));
    const std::string build = section.name + (section.version.empty() ? "" : " " + section.version);
    for (const JobSpec& job : input.scenario.jobs)
      for (const char* key : {"transport", "local_transport"}) {
        const std::string transport = job.training.settings.text(key, "");
        if (!transport.empty() && std::ranges::find(section.built_with, transport) == section.built_with.end())
          keys.error("built_with",
                     fmt::format("job '{}' uses {}, but {} is built without it (built with {}): rebuild it with {}, or "
                                 "choose another transport; not every version can be built with MPI",
                                 job.name, transport, build, fmt::join(section.built_with, ", "), transport));
      }
  }
};

TY_REGISTER(ScenarioSection, FrameworkReader, "framework",
            "the installed training framework, and which transports it was built with");

} // namespace
} // namespace trainyard
