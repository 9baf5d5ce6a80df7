// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/results.hpp"

#include <filesystem>
#include <functional>

namespace trainyard {

/// Has @p fill write files into a hidden folder beside @p folder, which gets the name only when everything is on the
/// disk: a folder of that name is always whole. @p fill writes manifest.json last. Of an earlier folder of this name,
/// the files stay that simrun did not write. Throws as write_results.
void write_folder(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path&)>& fill);

/// Writes all files of a run into @p folder: summary.json, manifest.json, jobs.csv, steps.csv, links.csv,
/// link_loads.csv, events.csv, trace.json.gz and the plots.
///
/// They are written into a hidden folder beside it, which gets the name only when everything is on the disk: a folder
/// of that name is always whole. Of an earlier one, only files of the user stay. Throws InputError where the
/// name is taken by something else, std::runtime_error (call, file, reason) where it cannot be written. Nothing is left
/// behind then, but for the earlier folder beside it (`.NAME.PID.earlier`) where a file of the user could not be moved
/// into the new one.
void write_results(const Results& results, const std::filesystem::path& folder, bool plots = true);

} // namespace trainyard
