// SPDX-License-Identifier: Apache-2.0
#include "models/orchestration/service.hpp"

#include "models/scenario/section.hpp"

namespace trainyard {
namespace {

class StorageReader final : public SectionOf<StorageSection>
{
public:
  StorageReader() : SectionOf{"storage", "storage that all machines share"} {}

protected:
  void fields(Fields& keys, StorageSection& section, const SectionInput*) const override
  {
    keys.quantity("bandwidth", section.bandwidth, "bandwidth for all readers together",
                  {.example = "2 GB/s", .least = 1, .required = true});
  }
};

TY_REGISTER(ScenarioSection, StorageReader, "storage", "storage that all machines share: how fast input is read");

} // namespace
} // namespace trainyard
