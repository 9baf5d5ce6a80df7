// SPDX-License-Identifier: Apache-2.0
#include "gui/windows/session.hpp"

#include "gui/results/figures.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLibraryInfo>
#include <QLocale>

#include <exception>

namespace trainyard::gui {

Session::Session(QObject* parent) : QObject{parent}, checker{document}
{
  schema.load();
}

QStringList Session::recentFiles() const
{
  QStringList files;
  for (const QString& file : settings.value(QStringLiteral("recent")).toStringList())
    if (QFileInfo::exists(file))
      files << file;
  return files;
}

void Session::remember(const QString& file)
{
  QStringList files = recentFiles();
  files.removeAll(file);
  files.prepend(file);
  settings.setValue(QStringLiteral("recent"), files.mid(0, 10));
}

QString Session::language() const
{
  const QString chosen = settings.value(QStringLiteral("language")).toString();
  if (!chosen.isEmpty())
    return chosen;
  const QString system = QLocale::system().name();
  return system.startsWith(QLatin1String("ru"))   ? QStringLiteral("ru")
         : system.startsWith(QLatin1String("zh")) ? QStringLiteral("zh_CN")
                                                  : QStringLiteral("en");
}

void Session::useLanguage(const QString& language)
{
  QCoreApplication::removeTranslator(&translator_);
  QCoreApplication::removeTranslator(&qt_translator_);
  if (translator_.load(QStringLiteral(":/translations/simgui_") + language))
    QCoreApplication::installTranslator(&translator_);
  if (qt_translator_.load(QStringLiteral("qtbase_") + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(&qt_translator_);
}

ResultLoader::ResultLoader(QObject* parent) : QObject{parent}
{
  qRegisterMetaType<Results>();
  worker_.moveToThread(&thread_);
  thread_.start();
  QMetaObject::invokeMethod(
      &worker_, [] { column_facts(); }, Qt::QueuedConnection); // before the first results need them
}

ResultLoader::~ResultLoader()
{
  thread_.quit();
  thread_.wait();
}

void ResultLoader::load(const QString& folder)
{
  QMetaObject::invokeMethod(
      &worker_,
      [this, folder] {
        try {
          emit loaded(std::make_shared<const ResultsData>(read_results(folder)));
        } catch (const std::exception& failure) {
          emit failed(folder, QString::fromUtf8(failure.what()));
        }
      },
      Qt::QueuedConnection);
}

} // namespace trainyard::gui
