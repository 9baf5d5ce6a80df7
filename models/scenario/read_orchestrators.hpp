// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/orchestration/orchestrator.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace trainyard {

/// Reads the files below `<folder>/models/orchestration/catalogue/orchestrators`; `like` is resolved, every value has
/// its source.
///
/// Throws InputError with all faults (unknown key, number without unit, missing source, `like` of nothing).
std::map<std::string, Orchestrator> load_orchestrators(const std::filesystem::path& data_folder);

/// The same for `…/runtimes`: bare machine, container, virtual machine.
std::map<std::string, Runtime> load_runtimes(const std::filesystem::path& data_folder);

} // namespace trainyard
