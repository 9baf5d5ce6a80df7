// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QObject>
#include <QSettings>
#include <QTranslator>

#include "gui/document/checker.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "gui/results/result_loader.hpp"
#include "gui/run/run_queue.hpp"

namespace trainyard::gui {

/// All that outlives a window: the open scenario, its checker, the runs and their results, the settings. A change of
/// language makes a new window over the same session.
class Session : public QObject
{
  Q_OBJECT
public:
  explicit Session(QObject* parent = nullptr);

  ScenarioDocument document;
  Schema schema;
  Checker checker;
  RunQueue queue;
  ResultLoader loader;
  QSettings settings;
  QVector<Results> results;

  QStringList recentFiles() const;
  void remember(const QString& file);
  /// "en", "ru", "zh_CN", or empty for the system's.
  QString language() const;
  /// Loads the texts of a language; the windows must be built again.
  void useLanguage(const QString& language);

private:
  QTranslator translator_;
  QTranslator qt_translator_;
};

} // namespace trainyard::gui
