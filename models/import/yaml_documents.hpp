// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/import_report.hpp"
#include "models/scenario/document.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The documents of a YAML file of another tool, each with the lines of the whole file.
///
/// A document that cannot be read is an error of the report; those before and after it are still there. Keys of `<<:`
/// are merged in. Documents without content are left out.
std::vector<Document> read_yaml_documents(const std::string& text, const std::string& file, ImportReport& report);

/// A value inside maps: at(node, {"spec", "template"}); null where there is none.
const DocumentNode* at(const DocumentNode* node, std::initializer_list<std::string_view> keys);
inline const DocumentNode* at(const DocumentNode& node, std::initializer_list<std::string_view> keys)
{
  return at(&node, keys);
}

/// The items of a list below @p node, or the entries of a map; none where there is no such value.
const std::vector<DocumentNode>& items_at(const DocumentNode* node, std::initializer_list<std::string_view> keys);
const std::vector<DocumentNode::Entry>& entries_at(const DocumentNode* node,
                                                   std::initializer_list<std::string_view> keys);
inline const std::vector<DocumentNode>& items_at(const DocumentNode& node, std::initializer_list<std::string_view> keys)
{
  return items_at(&node, keys);
}
inline const std::vector<DocumentNode::Entry>& entries_at(const DocumentNode& node,
                                                          std::initializer_list<std::string_view> keys)
{
  return entries_at(&node, keys);
}

/// The text of a scalar below @p node; empty where there is none.
std::string text_at(const DocumentNode* node, std::initializer_list<std::string_view> keys);
inline std::string text_at(const DocumentNode& node, std::initializer_list<std::string_view> keys)
{
  return text_at(&node, keys);
}

/// The line of a value below @p node, or of @p node itself.
int line_at(const DocumentNode& node, std::initializer_list<std::string_view> keys);

/// A finite number, or @p fallback where the text is none.
double number_of(std::string_view text, double fallback);

/// A whole number of @p what ("GPUs", "replicas") from 0 to @p most. Anything else is an error of the report, and the
/// result is
/// @p fallback; a variable ("${REPLICAS}") is an assumption.
int count_of(std::string_view text, int most, int fallback, std::string_view what, const ImportPlace& place,
             ImportReport& report);

} // namespace trainyard
