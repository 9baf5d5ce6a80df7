// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QStringList>

namespace trainyard::gui {

class ScenarioDocument;

/// The keys of a map, or the items of a list; of items that are maps, their names.
QStringList names_at(const ScenarioDocument& document, const char* path);
/// A name of a part of something for a narrow place: "0/rail-3" of "unit-0/rail-3".
QString short_name(const QString& name);
/// The name, or with the first number from 2 on that makes it a new one.
QString free_name(const QString& base, const QStringList& taken);

} // namespace trainyard::gui
