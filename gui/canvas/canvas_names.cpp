// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/canvas_names.hpp"

#include "gui/document/scenario_document.hpp"

#include <QRegularExpression>

namespace trainyard::gui {

QStringList names_at(const ScenarioDocument& document, const char* path)
{
  QStringList names;
  const DocumentNode* node = find_path(document.tree().root, path);
  if (node == nullptr)
    return names;
  for (const DocumentNode::Entry& entry : node->entries)
    names << QString::fromStdString(entry.key);
  for (const DocumentNode& item : node->items) {
    const DocumentNode* name = item.find("name");
    names << QString::fromStdString(name == nullptr ? item.text : name->text);
  }
  return names;
}

QString short_name(const QString& name)
{
  static const QRegularExpression word_of_outer{QStringLiteral("(^|/)[^/0-9]+(?=\\d[^/]*/)")};
  return QString{name}.replace(word_of_outer, QStringLiteral("\\1"));
}

QString free_name(const QString& base, const QStringList& taken)
{
  QString name = base;
  for (int i = 2; taken.contains(name); ++i)
    name = QStringLiteral("%1%2").arg(base).arg(i);
  return name;
}

} // namespace trainyard::gui
