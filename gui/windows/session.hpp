// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QObject>
#include <QSettings>
#include <QThread>
#include <QTranslator>

#include "gui/document/checker.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "gui/results/results.hpp"
#include "gui/run/run_queue.hpp"

namespace trainyard::gui {

/// Reads results folders on a thread of its own; the thread ends with its owner.
class ResultLoader : public QObject
{
  Q_OBJECT
public:
  explicit ResultLoader(QObject* parent = nullptr);
  ~ResultLoader() override;

  void load(const QString& folder);

signals:
  void loaded(const trainyard::gui::Results& results);
  void failed(const QString& folder, const QString& why);

private:
  QThread thread_;
  QObject worker_;
};

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
