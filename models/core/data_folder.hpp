// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace trainyard {

/// The folder that holds `models/…/catalogue`, `scenarios` and the base schema.
///
/// In this order: the environment variable TRAINYARD_DATA; `../share/trainyard` beside the program; the source tree it
/// was built from; the installation prefix. Throws std::runtime_error naming all places where none has a catalogue.
std::filesystem::path data_folder();

} // namespace trainyard
