// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/storage.hpp"

#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

namespace trainyard {
namespace {

class StorageReader final : public ScenarioSection
{
public:
  nlohmann::ordered_json schema(const Parts&, const Catalogue&) const override
  {
    using namespace schema;
    return object("storage that all machines share",
                  {{"bandwidth", quantity("bandwidth for all readers together", "2 GB/s")}}, {"bandwidth"});
  }

  std::any read(const SectionInput& input) const override
  {
    StorageSection section;
    MapReader reader{input.document, &input.node, "'storage'", input.diagnostics};
    section.bandwidth = BytesPerSecond{reader.required_quantity("bandwidth", QuantityKind::bandwidth, 1)};
    reader.finish();
    return section;
  }
};

TY_REGISTER(ScenarioSection, StorageReader, "storage", "storage that all machines share: how fast input is read");

} // namespace
} // namespace trainyard
