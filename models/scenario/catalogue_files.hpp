// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/hardware.hpp"
#include "models/scenario/fields.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace trainyard {

/// Calls read(keys, stem) for each YAML file of a folder of the catalogue, in order of names. Every file
/// contains its own name and the sources of its numbers; keys that nothing reads are errors.
void for_each_catalogue_file(const std::filesystem::path& folder, Diagnostics& diagnostics,
                             const std::function<void(Fields& keys, const std::string& stem)>& read);

/// The same for one file, wherever it is; its name need not be that of the file.
void read_catalogue_file(const std::filesystem::path& file, Diagnostics& diagnostics,
                         const std::function<void(Fields& keys, const std::string& stem)>& read);

/// Keys of a transport, in the catalogue and in a scenario; what is absent stays as @p transport has it.
void transport_fields(Fields& keys, Transport& transport);

} // namespace trainyard
