// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trainyard::tests {

/// A reader of bytes that other programs or people wrote. Whatever the bytes are, it must end, with what they say or
/// with a message.
struct ForeignReader {
  std::string name;                                   // "import_onnx", "trace_sacct", "calibration"
  std::vector<std::string> seeds;                     // files and folders below the sources
  std::function<void(const std::string& bytes)> read; // throws InputError or std::runtime_error where it refuses them
};

/// All readers: one for every importer and every format of traces, and the others. Sorted by name.
const std::vector<ForeignReader>& foreign_readers();

/// The files that a reader starts from: those of its folders with at most @p largest bytes, sorted.
std::vector<std::filesystem::path> seed_files(const ForeignReader& reader, std::uintmax_t largest);

/// True: refused. What is neither read nor refused with a message is a fault of the reader: it throws on.
bool refuses(const ForeignReader& reader, const std::string& bytes);

} // namespace trainyard::tests
