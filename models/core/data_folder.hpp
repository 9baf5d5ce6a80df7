// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

namespace trainyard {

/// The folder that holds `models/…/catalogue`, `scenarios` and the base schema.
///
/// In this order: the environment variable TRAINYARD_DATA; `../share/trainyard` beside the program; the source tree it
/// was built from; the installation prefix. Throws std::runtime_error naming all places where none has a catalogue.
std::filesystem::path data_folder();

/// Folders of the user's own GPUs, links and so on, in the form of `models/hardware/catalogue`: the environment
/// variable TRAINYARD_CATALOGUE, several separated by ':'. They need not exist.
std::vector<std::filesystem::path> own_catalogues();
/// Their entries, in order of paths.
std::vector<std::filesystem::path> own_catalogue_files();

} // namespace trainyard
