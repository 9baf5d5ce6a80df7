// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/dnn/transformer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// What a config.json of Hugging Face says, and what had to be assumed or left out, in words.
struct TransformerFile {
  Transformer transformer;
  std::string sequence_from; // why the sequence has the length that it has
  std::vector<std::string> ignored;
};

/// Reads the text of a config.json: dimensions by the field names of its architecture (`model_type`). Throws InputError
/// with every fault at its line: no JSON, an architecture that is not known (with those that are), fields that are
/// missing, sizes that cannot be, settings that the dimensions do not express.
TransformerFile read_hugging_face(std::string_view text, const std::string& file);
/// The same of a file.
TransformerFile read_hugging_face_file(const std::string& path);

} // namespace trainyard
