// Pictures of every view in every language and theme: gui_screenshots FOLDER [WIDTHxHEIGHT]
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "gui/results/results_view.hpp"
#include "gui/windows/main_window.hpp"

#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTest>

#include <cstdio>
#include <functional>
#include <memory>

using namespace trainyard::gui;

namespace {

bool wait_for(const std::function<bool()>& condition, int limit_ms = 60'000)
{
  QElapsedTimer clock;
  clock.start();
  while (!condition()) {
    if (clock.elapsed() > limit_ms)
      return false;
    QTest::qWait(20);
  }
  return true;
}

} // namespace

int main(int argc, char** argv)
{
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  QStandardPaths::setTestModeEnabled(true);
  QApplication application{argc, argv};
  QCoreApplication::setOrganizationName(QStringLiteral("trainyard"));
  QCoreApplication::setApplicationName(QStringLiteral("simgui-screenshots"));
  const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
  QDir{}.mkpath(folder);
  QSize size{1280, 800};
  if (argc > 2) {
    const QStringList parts = QString::fromLocal8Bit(argv[2]).split(QLatin1Char('x'));
    size = {parts.value(0).toInt(), parts.value(1).toInt()};
  }
  QFont font{QStringLiteral("DejaVu Sans")};
  font.setPointSizeF(9.5);
  QApplication::setFont(font);

  QString example;
  for (const QString& file : example_files())
    if (file.endsWith(QLatin1String("/vgg16_ps_vs_ring.yaml")))
      example = file;
  Session session;
  session.settings.clear();
  int failures = 0;
  QStringList languages{QStringLiteral("en"), QStringLiteral("ru"), QStringLiteral("zh_CN")};
  if (argc > 3)
    languages = QString::fromLocal8Bit(argv[3]).split(QLatin1Char(0x2c));
  for (const QString& language : languages)
    for (const Theme theme : {Theme::light, Theme::dark}) {
      session.useLanguage(language);
      apply_theme(application, theme);
      session.document.openText({}, {});
      MainWindow window{session};
      window.resize(size);
      window.show();
      const auto shoot = [&](const QString& name) {
        QTest::qWait(80);
        const QString file = QStringLiteral("%1/%2-%3-%4.png").arg(folder, name, language, name_of(theme));
        const QImage picture = window.grab().toImage().convertToFormat(QImage::Format_RGB888);
        if (!picture.save(file, "PNG", 0)) {
          std::fprintf(stderr, "%s was not written\n", qPrintable(file));
          ++failures;
        }
      };
      window.showWelcome();
      shoot(QStringLiteral("welcome"));
      window.openExample(example);
      if (!wait_for([&] { return session.schema.isReady() && !session.checker.isBusy(); }))
        ++failures;
      window.showPage(MainWindow::cluster_page);
      shoot(QStringLiteral("cluster"));
      window.showPage(MainWindow::workload_page);
      shoot(QStringLiteral("workload"));
      window.showPage(MainWindow::rules_page);
      shoot(QStringLiteral("rules"));
      const qsizetype before = session.results.size();
      window.run();
      if (!wait_for([&] { return session.results.size() > before; }))
        ++failures;
      window.resultsView()->openTab(0);
      shoot(QStringLiteral("results"));
      window.resultsView()->openTab(2);
      shoot(QStringLiteral("timeline"));
      window.resultsView()->openTab(3);
      shoot(QStringLiteral("step"));
      window.resultsView()->openTab(4);
      shoot(QStringLiteral("links"));
      window.showPage(MainWindow::cluster_page);
      shoot(QStringLiteral("loads"));
      window.showPage(MainWindow::compare_page);
      shoot(QStringLiteral("compare"));
      window.dock(QStringLiteral("what_if"))->raise();
      bool answered = false;
      QObject::connect(window.whatIf(), &WhatIfPanel::answered, &window, [&] { answered = true; });
      window.showPage(MainWindow::cluster_page);
      window.whatIf()->setSlider(QStringLiteral("cluster.network.bandwidth"), 100);
      if (!wait_for([&] { return answered; }))
        ++failures;
      answered = false;
      window.whatIf()->setSlider(QStringLiteral("cluster.network.bandwidth"), 10);
      if (!wait_for([&] { return answered; }))
        ++failures;
      shoot(QStringLiteral("what_if"));
      session.document.undoStack()->setClean();
    }
  std::printf("%d pictures, %d failures\n", static_cast<int>(QDir{folder}.entryList({QStringLiteral("*.png")}).size()), failures);
  return failures == 0 ? 0 : 1;
}
