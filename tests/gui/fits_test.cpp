// SPDX-License-Identifier: Apache-2.0
/// Nothing is cut off: every page in three languages, in a window of 1280 by 800 and of 960 by 600.
#include "gui/core/rate_text.hpp"
#include "gui/core/widgets.hpp"
#include "gui/document/schema.hpp"
#include "gui/results/curves.hpp"
#include "gui/results/figures.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/overview.hpp"
#include "gui/results/results_view.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QAbstractButton>
#include <QApplication>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QGraphicsView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStandardPaths>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <memory>

using namespace trainyard::gui;

namespace {

/// Buttons, labels of one line and tabs whose words do not fit, and pages wider than their place.
QStringList cut(const QWidget& window)
{
  QStringList list;
  const auto note = [&](const QWidget& widget, const QString& words) {
    list << QStringLiteral("%1 '%2': %3 of %4 px")
                .arg(QLatin1String(widget.metaObject()->className()), words)
                .arg(widget.width())
                .arg(widget.sizeHint().width());
  };
  for (const QWidget* each : window.findChildren<QWidget*>()) {
    if (!each->isVisible() || each->visibleRegion().isEmpty())
      continue;
    if (const auto* label = qobject_cast<const QLabel*>(each)) {
      if (!label->wordWrap() && label->pixmap().isNull() &&
          label->fontMetrics().horizontalAdvance(label->text()) > label->width() + 1)
        note(*label, label->text());
      if (label->wordWrap() && label->heightForWidth(label->width()) > label->height() + 4)
        note(*label, label->text());
    } else if (qobject_cast<const QPushButton*>(each) != nullptr || qobject_cast<const QToolButton*>(each) != nullptr) {
      const auto* button = static_cast<const QAbstractButton*>(each);
      const auto* tool = qobject_cast<const QToolButton*>(each);
      if (tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull())
        continue; // its words are in the tool tip
      if (!button->text().isEmpty() && !each->inherits("QCommandLinkButton") &&
          !each->objectName().startsWith(QLatin1String("qt_")) &&
          button->fontMetrics().horizontalAdvance(QString{button->text()}.remove(QLatin1Char('&'))) > each->width())
        note(*each, button->text());
    } else if (const auto* area = qobject_cast<const QScrollArea*>(each);
               area != nullptr && area->widget() != nullptr) {
      if (area->widget()->width() > area->viewport()->width())
        list << QStringLiteral("a page of %1 px in a place of %2 px: %3")
                    .arg(area->widget()->width())
                    .arg(area->viewport()->width())
                    .arg(QLatin1String(area->widget()->metaObject()->className()));
    }
  }
  return list;
}

} // namespace

class FitsTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("trainyard"));
    QCoreApplication::setApplicationName(QStringLiteral("simgui-fits"));
    apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), Theme::light);
    QFont font{QStringLiteral("DejaVu Sans")};
    font.setPointSizeF(9.5);
    QApplication::setFont(font);
  }

  void settingsAndBottlenecksSpeakTheLanguage()
  {
    Session session;
    session.useLanguage(QStringLiteral("ru"));
    QCOMPARE(setting_words(QStringLiteral("latency in one direction")), QStringLiteral("Задержка в одну сторону"));
    learn_messages(QJsonDocument::fromJson(R"told([{"id": "divided.optimizer", "text": "optimiser (6 % of the step)",
      "arguments": {
      "share":
      {
        "value" : 0.06, "text" : "6 %"
      }}
  }])told")
                       .array());
    const Table run{.columns = {QStringLiteral("step_s"), QStringLiteral("bottleneck")},
                    .rows = {{QStringLiteral("1"), QStringLiteral("optimiser (6 % of the step)")}}};
    QCOMPARE(figures_of(run).rows.last().last(), sentence_words(QStringLiteral("optimiser (6 % of the step)")));
    QVERIFY(!figures_of(run).rows.last().last().contains(QStringLiteral("step")));
    QTRY_VERIFY_WITH_TIMEOUT(session.schema.isReady(), 20'000);
    QCOMPARE(session.schema.description(QStringLiteral("cluster.nodes")), QStringLiteral("Группы машин"));
    session.useLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(sentence_words(QStringLiteral("a sentence of a later version")),
             QStringLiteral("a sentence of a later version"));
    session.useLanguage(QStringLiteral("en"));
    const QString english = QStringLiteral("optimiser (6 % of the step)"); // stays word for word
    QCOMPARE(sentence_words(english), english);
  }

  void titlesUnitsAndQuestionsAreInTheLanguageOfTheWindow()
  {
    Session session;
    session.useLanguage(QStringLiteral("ru"));
    QCOMPARE(in_units(QStringLiteral("12.3 ms")), QStringLiteral("12.3 мс"));
    QCOMPARE(in_units(QStringLiteral("0")), QStringLiteral("0")); // nothing has no unit
    QCOMPARE(column_title(QStringLiteral("queueing_delay_p95_s")), QStringLiteral("время в очереди, 95 % ниже"));
    QCOMPARE(column_title(QStringLiteral("a_later_column_s")), QStringLiteral("a later column"));
    QCOMPARE(question_words(QStringLiteral("what depends on the control plane?")),
             QStringLiteral("что зависит от управляющего слоя?"));
    QCOMPARE(question_words(QStringLiteral("a question of mine?")), QStringLiteral("a question of mine?"));
    session.useLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(verdict_words(QStringLiteral("met")), QStringLiteral("达标"));
    session.useLanguage(QStringLiteral("en"));
    QCOMPARE(in_units(QStringLiteral("12.3 ms")), QStringLiteral("12.3 ms"));
    QCOMPARE(plain_words(QStringLiteral("打开(&O)…")), QStringLiteral("打开…"));
    QCOMPARE(plain_words(QStringLiteral("Save &as…")), QStringLiteral("Save as…"));
  }

  void everyPageFits_data()
  {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QSize>("size");
    for (const char* language : {"en", "ru", "zh_CN"})
      for (const QSize size : {QSize{1280, 800}, QSize{1024, 600}, QSize{960, 600}})
        QTest::addRow("%s %d", language, size.width()) << QString::fromLatin1(language) << size;
  }

  void everyPageFits()
  {
    QFETCH(QString, language);
    QFETCH(QSize, size);
    Session session;
    session.settings.clear();
    session.useLanguage(language);
    MainWindow window{session};
    window.resize(size);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QTRY_VERIFY_WITH_TIMEOUT(session.schema.isReady(), 20'000);
    QCOMPARE(window.size(), size); // no panel asks for more
    QStringList faults;
    const auto look = [&](const QString& where) {
      QStringList found;
      for (int tries = 0; tries < 20; ++tries) { // a scroll bar that has just come takes its width a moment later
        QTest::qWait(30);
        found = cut(window);
        if (found.isEmpty())
          return;
      }
      for (const QString& each : found)
        faults << where + QStringLiteral(": ") + each;
    };
    look(QStringLiteral("welcome"));
    session.document.openText(tests::example_text(QStringLiteral("vgg16_ps_vs_ring")),
                              QStringLiteral("vgg16_ps_vs_ring.yaml"));
    for (int page = 0; page < 5; ++page) {
      window.showPage(static_cast<MainWindow::Page>(page));
      look(QStringLiteral("page %1").arg(page));
    }
    window.showPage(MainWindow::cluster_page);
    for (const char* panel : {"problems", "runs", "what_if", "explanation"}) {
      window.openDock(QLatin1String(panel));
      look(QLatin1String(panel));
      for (const char* other : {"problems", "runs", "what_if", "explanation"})
        QCOMPARE(window.dock(QLatin1String(other))->isVisible(),
                 QLatin1String(other) == QLatin1String(panel)); // one at a time
    }
    window.dock(QStringLiteral("explanation"))->hide();
    QTest::qWait(30);
    // The canvas, which this page is about, has the largest part of it.
    const QWidget* canvas = window.findChild<QGraphicsView*>();
    QVERIFY2(canvas->width() * 100 >= size.width() * 42 && canvas->height() * 100 >= size.height() * 60,
             qPrintable(QStringLiteral("%1 x %2").arg(canvas->width()).arg(canvas->height())));
    session.document.undoStack()->setClean();
    session.useLanguage(QStringLiteral("en"));
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
  }

  void resultsFitASmallWindowInTheLongestLanguage()
  {
    Session session;
    session.settings.clear();
    session.useLanguage(QStringLiteral("ru"));
    MainWindow window{session};
    window.resize(1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    auto data = std::make_shared<ResultsData>();
    data->folder = QStringLiteral("/no/such/folder");
    data->question =
        QStringLiteral("how fast is the training of a model with a long name on all machines of the hall?");
    const QByteArray name = "a job whose name is a whole sentence, as it is when departments share machines,";
    data->jobs =
        read_csv("job,workers,samples_per_second,step_s,compute_s,exposed_communication_s,wait_s,model\n\"" + name +
                 " a\",1,100,0.3,0.2,0.08,0.02,resnet50\n\"" + name + " b\",64,6400,0.31,0.2,0.08,0.03,resnet50\n");
    QJsonArray assumed;
    for (int i = 0; i < 12; ++i)
      assumed << QStringLiteral("something that the scenario does not say, number %1").arg(i);
    data->summary.insert(QStringLiteral("assumed"), assumed);
    window.resize(800, 600);
    QTest::qWait(50);
    window.resultsView()->show(data);
    window.showPage(MainWindow::results_page);
    const QScrollArea* page = nullptr;
    for (const QWidget* up = window.resultsView(); up != nullptr && page == nullptr; up = up->parentWidget())
      page = qobject_cast<const QScrollArea*>(up);
    QVERIFY(page != nullptr);
    QTRY_COMPARE(page->horizontalScrollBar()->maximum(), 0);
    // The names below the bar of a step take two lines here.
    const auto* bar = window.findChild<StackedBar*>(QStringLiteral("step_bar"));
    QVERIFY(bar->isVisible() && bar->heightForWidth(bar->width()) > bar->heightForWidth(4000));
    QTRY_COMPARE(bar->height(), bar->heightForWidth(bar->width()));
    auto* overview = window.findChild<Overview*>();
    QTRY_VERIFY(overview->height() >= overview->layout()->heightForWidth(overview->width()));
    session.useLanguage(QStringLiteral("en"));
  }

  void whatIsOpenIsRememberedForEachPageAndOverAStart()
  {
    {
      Session session;
      session.settings.clear();
      MainWindow window{session};
      window.resize(1280, 800);
      window.show();
      QVERIFY(QTest::qWaitForWindowExposed(&window));
      window.showPage(MainWindow::cluster_page);
      QVERIFY(window.dock(QStringLiteral("properties"))->isVisible());
      window.dock(QStringLiteral("properties"))->hide();
      window.showPage(MainWindow::results_page);
      QVERIFY(!window.dock(QStringLiteral("text"))->isVisible()); // charts have the whole width
      window.dock(QStringLiteral("text"))->show();
      window.showPage(MainWindow::cluster_page);
      QVERIFY(!window.dock(QStringLiteral("properties"))->isVisible());
      window.close();
    }
    Session session;
    MainWindow window{session};
    window.show();
    window.showPage(MainWindow::cluster_page);
    QVERIFY(!window.dock(QStringLiteral("properties"))->isVisible());
    QVERIFY(window.dock(QStringLiteral("text"))->isVisible());
    window.showPage(MainWindow::results_page);
    QVERIFY(window.dock(QStringLiteral("text"))->isVisible());
    session.settings.clear();
  }
};

QTEST_MAIN(FitsTest)
#include "fits_test.moc"
