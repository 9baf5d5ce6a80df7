// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/hardware.hpp"
#include "models/scenario/map_reader.hpp"

namespace trainyard {

/// Read one entry of the catalogue, or what a scenario says over it: keys that are absent keep the values of @p base.
Gpu read_gpu(MapReader& reader, Gpu base = {});
LinkType read_link(MapReader& reader, LinkType base = {});
Transport read_transport(const Document& document, MapReader& reader, Diagnostics& diagnostics, Transport base = {});

} // namespace trainyard
