// SPDX-License-Identifier: Apache-2.0
#include "gui/core/theme.hpp"
#include "gui/results/results_view.hpp"
#include "gui/windows/main_window.hpp"

#include <QApplication>
#include <QCommandLineParser>
#include <QPixmapCache>

#include <memory>

int main(int argc, char** argv)
{
  using namespace trainyard::gui;
  QApplication application{argc, argv};
  QCoreApplication::setOrganizationName(QStringLiteral("trainyard"));
  QCoreApplication::setApplicationName(QStringLiteral("simgui"));
  QCoreApplication::setApplicationVersion(QStringLiteral("0.1.0"));
  QGuiApplication::setDesktopFileName(QStringLiteral("simgui"));
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Edit and run training-cluster scenarios, and view the results."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("file"), QStringLiteral("scenario, results folder, or a file to import"),
                               QStringLiteral("[file]"));
  parser.process(application);

  Session session;
  apply_theme(application, theme_of(session.settings.value(QStringLiteral("theme")).toString()));
  const int percent = session.settings.value(QStringLiteral("text_size"), 100).toInt();
  QFont font = QApplication::font();
  font.setPointSizeF(9.5 * percent / 100.0);
  QApplication::setFont(font);
  session.useLanguage(session.language());
  std::unique_ptr<MainWindow> window;
  const std::function<void()> make = [&] {
    std::unique_ptr<MainWindow> old = std::move(window);
    window = std::make_unique<MainWindow>(session);
    if (old) { // another language or text size: return to the same place in the program
      window->setGeometry(old->geometry());
      if (old->page() >= 0)
        window->showPage(static_cast<MainWindow::Page>(old->page()));
      window->resultsView()->openTab(old->resultsView()->tab());
    }
    QObject::connect(window.get(), &MainWindow::remakeRequested, &application, make, Qt::QueuedConnection);
    window->show();
  };
  make();
  if (const QStringList files = parser.positionalArguments(); !files.isEmpty())
    window->openFile(files.front());
  return QApplication::exec();
}
