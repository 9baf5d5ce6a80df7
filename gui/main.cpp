// SPDX-License-Identifier: Apache-2.0
#include "gui/core/theme.hpp"
#include "gui/results/results_view.hpp"
#include "gui/windows/main_window.hpp"
#include "models/core/program.hpp"

#include <QApplication>
#include <QCommandLineParser>

#include <QPixmapCache>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

int main(int argc, char** argv)
{
  using namespace trainyard::gui;
  // The version and the options are told without a display.
  const bool only_tells =
      std::any_of(argv + 1, std::find(argv + 1, argv + argc, std::string_view{"--"}), [](const std::string_view word) {
        return word == "-v" || word == "--version" || word == "-h" || word == "--help" || word == "--help-all";
      });
  const std::unique_ptr<QCoreApplication> application{only_tells ? new QCoreApplication{argc, argv}
                                                                 : new QApplication{argc, argv}};
  QCoreApplication::setOrganizationName(QStringLiteral("trainyard"));
  QCoreApplication::setApplicationName(QStringLiteral("simgui"));
  QCoreApplication::setApplicationVersion(QString::fromStdString(trainyard::program_version()));
  QGuiApplication::setDesktopFileName(QStringLiteral("simgui"));
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Edit and run training-cluster scenarios, and view the results."));
  parser.addHelpOption();
  const QCommandLineOption version = parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("file"), QStringLiteral("scenario, results folder, or a file to import"),
                               QStringLiteral("[file]"));
  if (parser.parse(QCoreApplication::arguments()) && parser.isSet(version)) {
    std::fputs(trainyard::version_text("simgui").c_str(), stdout);
    return 0;
  }
  parser.process(*application);

  Session session;
  session.queue.restore();
  apply_theme(static_cast<QApplication&>(*application),
              theme_of(session.settings.value(QStringLiteral("theme")).toString()));
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
    QObject::connect(window.get(), &MainWindow::remakeRequested, application.get(), make, Qt::QueuedConnection);
    window->show();
  };
  make();
  if (const QStringList files = parser.positionalArguments(); !files.isEmpty())
    window->openFile(files.front());
  return QApplication::exec();
}
