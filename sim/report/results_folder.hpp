#pragma once
#include "sim/report/results.hpp"

#include <filesystem>

namespace trainyard {

/// Writes all files of a run into @p folder: summary.json, manifest.json, jobs.csv, steps.csv, links.csv, events.csv, trace.json.gz and the
/// plots.
///
/// They are written into a hidden folder beside it, which gets the name only when everything is on the disk: a folder of that name is
/// always whole. An earlier results folder of the same name is replaced. Throws InputError where the name is taken by something else,
/// std::runtime_error (call, file, reason) where it cannot be written; nothing is left behind then.
void write_results(const Results& results, const std::filesystem::path& folder, bool plots = true);

} // namespace trainyard
