// SPDX-License-Identifier: Apache-2.0
#include "gui/core/places.hpp"

#include "models/core/data_folder.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QStandardPaths>

#include <exception>

namespace trainyard::gui {

QString simrun_program()
{
  const QString chosen = qEnvironmentVariable("TRAINYARD_SIMRUN");
  if (!chosen.isEmpty())
    return QFileInfo{chosen}.isExecutable() ? chosen : QString{};
  const QString beside = QCoreApplication::applicationDirPath() + QStringLiteral("/simrun");
  if (QFileInfo{beside}.isExecutable())
    return beside;
  return QStandardPaths::findExecutable(QStringLiteral("simrun"));
}

QStringList example_files()
{
  QStringList files;
  try {
    QDirIterator entry{QString::fromStdString((data_folder() / "scenarios").string()),
                       {QStringLiteral("*.yaml")},
                       QDir::Files,
                       QDirIterator::Subdirectories};
    while (entry.hasNext())
      files << entry.next();
    files.sort();
  } catch (const std::exception&) {
    return {};
  }
  return files;
}

QString state_folder(const QString& part)
{
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QLatin1Char('/') + part;
  QDir{}.mkpath(folder);
  return folder;
}

} // namespace trainyard::gui
