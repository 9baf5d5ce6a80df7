// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace trainyard::gui {

/// Where a position of a YAML text lies in its tree; the text may be unfinished.
struct YamlPlace {
  QString map;           // path of the map around it: "jobs.0.training"; empty: the file
  QString key;           // at a value: the key that it belongs to; at a key: nothing
  QString word;          // what stands left of the position, of the key or of the value
  int begin = 0;         // of the word
  bool is_value = false; // the position is behind the colon of `key`
  bool in_comment = false;
};

YamlPlace yaml_place(const QString& text, int position);

} // namespace trainyard::gui
