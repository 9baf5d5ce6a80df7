// SPDX-License-Identifier: Apache-2.0
/// A user's first visit with mouse and keys: pick a question, move a slider, run, look, compare, export, save.
#include "gui/canvas/load_scrubber.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/editor/yaml_editor.hpp"
#include "gui/panels/faults_view.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "gui/panels/workload_view.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/results_view.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "gui/windows/command_palette.hpp"
#include "gui/windows/main_window.hpp"

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QCommandLinkButton>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QProcess>
#include <QScrollArea>
#include <QSet>
#include <QSignalSpy>
#include <QSlider>
#include <QSplitter>
#include <QStandardPaths>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QWheelEvent>

#include <functional>

using namespace trainyard;
using namespace trainyard::gui;

namespace {

const QString small =
    QStringLiteral("trainyard: 1\n"
                   "name: small # kept\n"
                   "question: which is faster?\n"
                   "cluster:\n"
                   "  node_types:\n"
                   "    worker: {gpu: V100-SXM2-16GB, gpus: 1}\n"
                   "  nodes:\n"
                   "    - {name: worker, type: worker, count: 8}\n"
                   "  network: {topology: star, link: 25GbE}\n"
                   "jobs:\n"
                   "  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 1, training: {mode: all_reduce}}\n"
                   "run: {fidelity: closed_form}\n"
                   "sweep:\n"
                   "  grid: {jobs.0.workers: [1, 2, 4, 8]}\n");

} // namespace

class StoryTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("trainyard"));
    QCoreApplication::setApplicationName(QStringLiteral("simgui-story"));
    QDir{state_folder(QStringLiteral("recovery"))}.removeRecursively();
    QVERIFY2(!simrun_program().isEmpty(), "simrun was not found");
    QVERIFY(folder_.isValid());
    session_ = std::make_unique<Session>();
    session_->settings.clear();
    apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), Theme::light);
    window_ = std::make_unique<MainWindow>(*session_);
    window_->resize(1280, 820);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QTRY_VERIFY(session_->schema.isReady());
  }

  void cleanupTestCase()
  {
    session_->document.undoStack()->setClean();
    window_.reset();
    session_.reset();
  }

  void picksAQuestionOnTheWelcomePage()
  {
    auto* question = window_->findChild<QCommandLinkButton*>(QStringLiteral("vgg16_ps_vs_ring"));
    QVERIFY(question != nullptr);
    QVERIFY(question->text().contains(QLatin1String("VGG-16")));
    QTest::mouseClick(question, Qt::LeftButton);
    QCOMPARE(session_->document.title(), QStringLiteral("vgg16_ps_vs_ring.yaml"));
    QVERIFY(window_->scene()->itemOf(QStringLiteral("worker")) != nullptr);
  }

  void opensAFileOfHisOwn()
  {
    const QString file = folder_.filePath(QStringLiteral("small.yaml"));
    QFile out{file};
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(small.toUtf8());
    out.close();
    QVERIFY(window_->openFile(file));
    QVERIFY(session_->recentFiles().contains(file));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy(), 20'000);
    QVERIFY2(session_->checker.problems().isEmpty(),
             session_->checker.problems().isEmpty() ? "" : qPrintable(session_->checker.problems().front().message));
  }

  void movesTheLinkSpeedAndSeesTheCurveMove()
  {
    WhatIfPanel* panel = window_->whatIf();
    QToolButton* opener = window_->findChild<QToolButton*>(QStringLiteral("open_what_if"));
    QVERIFY(opener != nullptr);
    QTest::mouseClick(opener, Qt::LeftButton);
    QVERIFY(window_->dock(QStringLiteral("what_if"))->isVisible());
    panel->addSlider(QStringLiteral("cluster.network.bandwidth"));
    QVERIFY(panel->sliders() > 0);
    QSignalSpy answered{panel, &WhatIfPanel::answered};
    QSlider* slider = nullptr;
    for (QSlider* each : panel->findChildren<QSlider*>())
      if (each->accessibleName() == QLatin1String("cluster.network.bandwidth"))
        slider = each;
    QVERIFY(slider != nullptr);
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Home); // the slowest link
    QTRY_VERIFY_WITH_TIMEOUT(answered.count() >= 1, 20'000);
    const QVector<Series> slow = panel->chart()->series();
    QVERIFY(!slow.isEmpty());
    QTest::keyClick(slider, Qt::Key_End);
    QTRY_VERIFY_WITH_TIMEOUT(answered.count() >= 2, 20'000);
    const QVector<Series> fast = panel->chart()->series();
    QVERIFY(fast.front().points.back().y() > slow.front().points.back().y()); // eight workers gain from the faster link
    QVERIFY(fast.back().ghost);
    QCOMPARE(fast.back().points, slow.front().points);
  }

  void runsAndWatchesAndGetsAnAnswer()
  {
    QSignalSpy loaded{&session_->loader, &ResultLoader::loaded};
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(loaded.count() == 1, 60'000);
    QCoreApplication::processEvents();
    QVERIFY(session_->queue.runs().back().state == QueuedRun::State::done);
    const Results results = window_->resultsView()->results();
    QCOMPARE(results->jobs.rows.size(), 4);
    QCOMPARE(window_->resultsView()->chart()->series().front().points.size(), 4);
  }

  void zoomsTheTimelineIntoOneStep()
  {
    window_->resultsView()->openTab(2);
    TimelineView* timeline = window_->resultsView()->timeline();
    QTest::qWait(50);
    const double whole = timeline->scale().end - timeline->scale().begin;
    QVERIFY(whole > 0);
    const QPointF at{timeline->viewport()->width() * 0.6, timeline->viewport()->height() * 0.3};
    for (int i = 0; i < 5; ++i) {
      QWheelEvent wheel{
          at,   timeline->viewport()->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
          false};
      QApplication::sendEvent(timeline->viewport(), &wheel);
    }
    QVERIFY(qAbs((timeline->scale().end - timeline->scale().begin) / whole - 0.32768) < 1e-6); // 0.8^5
    timeline->setFocus();
    QTest::keyClick(timeline, Qt::Key_W);
    QVERIFY(timeline->scale().end - timeline->scale().begin < 0.3 * whole);
    QTest::keyClick(timeline, Qt::Key_0);
    QVERIFY(qAbs((timeline->scale().end - timeline->scale().begin) / whole - 1) < 1e-9);
  }

  void seesWhichLinkIsBusy()
  {
    window_->showPage(MainWindow::cluster_page);
    int coloured = 0;
    for (QGraphicsItem* item : window_->scene()->items())
      if (item->type() == TopologyLink::Type && static_cast<TopologyLink*>(item)->load() >= 0)
        ++coloured;
    QVERIFY(coloured > 0);
  }

  void dragsAMachineOnTheCanvasAndUndoesIt()
  {
    TopologyView* view = window_->canvas();
    view->fit();
    TopologyItem* item = window_->scene()->itemOf(QStringLiteral("worker-0"));
    QVERIFY(item != nullptr);
    const QPointF before = item->pos();
    const QPoint from = view->mapFromScene(before);
    QTest::mousePress(view->viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view->viewport(), from + QPoint{20, 15});
    QTest::mouseMove(view->viewport(), from + QPoint{60, 45});
    QTest::mouseRelease(view->viewport(), Qt::LeftButton, {}, from + QPoint{60, 45});
    QVERIFY(item->pos() != before);
    QVERIFY(window_->action(QStringLiteral("undo"))->text().contains(QLatin1String("worker-0")));
    window_->action(QStringLiteral("undo"))->trigger();
    QCOMPARE(window_->scene()->itemOf(QStringLiteral("worker-0"))->pos(), before);
  }

  void doubleClicksARackAndMakesItFailAtTwo()
  {
    // Sixteen machines in racks of four, so that there are racks to click.
    QVERIFY(session_->document.setValue(QStringLiteral("cluster.nodes.0"),
                                        QStringLiteral("{name: worker, type: worker, count: 16, per_rack: 4}"),
                                        QStringLiteral("Set nodes")));
    window_->showPage(MainWindow::cluster_page);
    if (window_->scene()->itemOf(QStringLiteral("worker")) != nullptr)
      window_->scene()->toggleFold(QStringLiteral("worker"));
    TopologyItem* rack = window_->scene()->itemOf(QStringLiteral("worker/rack-2"));
    QVERIFY(rack != nullptr);
    window_->canvas()->fit();
    QTest::mouseDClick(window_->canvas()->viewport(), Qt::LeftButton, {}, window_->canvas()->mapFromScene(rack->pos()));
    QTRY_VERIFY(window_->findChild<QDialog*>(QStringLiteral("fail_at")) != nullptr);
    auto* dialog = window_->findChild<QDialog*>(QStringLiteral("fail_at"));
    QCOMPARE(dialog->findChild<QLineEdit*>(QStringLiteral("what"))->text(), QStringLiteral("rack:2"));
    QCOMPARE(dialog->findChild<QLineEdit*>(QStringLiteral("at"))->text(), QStringLiteral("02:00"));
    QTest::keyClick(dialog, Qt::Key_Return);
    QTRY_VERIFY(window_->findChild<QDialog*>(QStringLiteral("fail_at")) == nullptr);
    window_->activateWindow();
    QVERIFY(session_->document.text().contains(QLatin1String("rack:2@02:00+6h")));
    QCOMPARE(window_->faults()->model().rowCount(), 1);
    window_->action(QStringLiteral("undo"))->trigger();
    window_->action(QStringLiteral("undo"))->trigger();
    QVERIFY(!session_->document.text().contains(QLatin1String("rack:2")));
    QTRY_COMPARE(window_->faults()->model().rowCount(), 0);
  }

  void readsWhyWithAClick()
  {
    window_->resultsView()->openTab(1);
    const QString folder = window_->resultsView()->results()->folder;
    emit window_->resultsView()->explainRequested(QStringLiteral("job"), QStringLiteral("train"), {});
    QTRY_VERIFY_WITH_TIMEOUT(window_->explanation().contains(QLatin1String("critical path")), 20'000);
    QVERIFY(window_->dock(QStringLiteral("explanation"))->isVisible());
    // The same words as on the command line.
    QProcess simrun;
    simrun.start(simrun_program(), {QStringLiteral("explain"), folder, QStringLiteral("--job"), QStringLiteral("train"),
                                    QStringLiteral("--color=never")});
    QVERIFY(simrun.waitForFinished(20'000));
    QCOMPARE(window_->explanation().trimmed(), QString::fromUtf8(simrun.readAllStandardOutput()).trimmed());
  }

  void watchesTheLinksOverTime()
  {
    window_->showPage(MainWindow::cluster_page);
    QVERIFY(window_->scrubber()->isVisible());
    QSlider* slider = window_->scrubber()->slider();
    QVERIFY(slider->isEnabled());
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_End);
    double sum_end = 0;
    double most = 0;
    for (int step = 0; step < 40; ++step) {
      double sum = 0;
      for (QGraphicsItem* item : window_->scene()->items())
        if (item->type() == TopologyLink::Type)
          sum += std::max(0.0, static_cast<TopologyLink*>(item)->load());
      most = std::max(most, sum);
      sum_end = step == 0 ? sum : sum_end;
      slider->setValue(slider->value() - 5);
    }
    QVERIFY(most > sum_end); // loads change over the step
  }

  void changesTheTextWithKeysAndRunsAgainAndCompares()
  {
    YamlEditor* editor = window_->editor();
    editor->goTo(9, 1);
    QVERIFY(session_->document.setValue(QStringLiteral("cluster.network.link"), QStringLiteral("100GbE"),
                                        QStringLiteral("Set link")));
    QVERIFY(session_->document.text().contains(QLatin1String("# kept")));
    QSignalSpy loaded{&session_->loader, &ResultLoader::loaded};
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(loaded.count() == 1, 60'000);
    QCoreApplication::processEvents();
    QSignalSpy compared{window_->compareView(), &CompareView::compared};
    window_->showPage(MainWindow::compare_page);
    QCOMPARE(window_->compareView()->runs(), 2);
    QTRY_VERIFY_WITH_TIMEOUT(compared.count() >= 1, 20'000);
    const Table deltas = window_->compareView()->deltas(); // of the throughput, a row per number of workers
    QCOMPARE(window_->compareView()->measure(), QStringLiteral("throughput"));
    QCOMPARE(deltas.rows.size(), 4);
    QVERIFY(deltas.number(3, deltas.columns.filter(QStringLiteral(", %")).value(0)) > 0);
    QCOMPARE(window_->compareView()->inputs().rows.size(), 1);
    QCOMPARE(window_->compareView()->inputs().rows[0],
             (QStringList{QStringLiteral("cluster.network.link"), QStringLiteral("25GbE"), QStringLiteral("100GbE")}));
  }

  void cancelsWithinTwoHundredMilliseconds()
  {
    QString big = small;
    big.replace(
        QLatin1String("workers: [1, 2, 4, 8]"),
        QLatin1String(
            "workers: [1, 2, 4, 8], jobs.0.batch_per_gpu: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, "
            "18, 19, 20], run.seed: [1, 2, 3, 4, 5, 6, 7, 8]"));
    big.replace(QLatin1String("closed_form"), QLatin1String("step"));
    session_->queue.add(QStringLiteral("big"), big, folder_.path());
    QTRY_VERIFY_WITH_TIMEOUT(session_->queue.isRunning(), 5000);
    QTest::qWait(150);
    QElapsedTimer clock;
    clock.start();
    window_->action(QStringLiteral("cancel"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.isRunning(), 5000);
    QVERIFY(session_->queue.runs().back().state == QueuedRun::State::cancelled);
    qInfo("cancelled after %lld ms", static_cast<long long>(clock.elapsed()));
  }

  void aMissingProgramIsSaidAndNothingIsLost()
  {
    const QByteArray kept = qgetenv("TRAINYARD_SIMRUN");
    qputenv("TRAINYARD_SIMRUN", "/no/such/simrun");
    const QString text = session_->document.text();
    session_->queue.add(QStringLiteral("nobody"), text, folder_.path());
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.isRunning(), 5000);
    QVERIFY(session_->queue.runs().back().state == QueuedRun::State::failed);
    QVERIFY(session_->queue.runs().back().message.contains(QLatin1String("simrun")));
    QCOMPARE(session_->document.text(), text);
    if (kept.isEmpty())
      qunsetenv("TRAINYARD_SIMRUN");
    else
      qputenv("TRAINYARD_SIMRUN", kept);
  }

  void exportsThePictureAndSaves()
  {
    QString error;
    for (const MainWindow::Page page : {MainWindow::cluster_page, MainWindow::results_page})
      for (const char* name : {"picture.svg", "picture.pdf", "picture.png"}) {
        window_->showPage(page);
        QVERIFY2(window_->exportTo(folder_.filePath(QLatin1String(name)), &error), qPrintable(error));
        QVERIFY(QFileInfo{folder_.filePath(QLatin1String(name))}.size() > 1000);
      }
    QCOMPARE(window_->action(QStringLiteral("export"))->shortcut(), QKeySequence{QStringLiteral("Ctrl+E")});
    window_->action(QStringLiteral("save"))->trigger();
    QVERIFY(!session_->document.isModified());
    QFile file{folder_.filePath(QStringLiteral("small.yaml"))};
    QVERIFY(file.open(QIODevice::ReadOnly));
    QString wanted = small;
    QCOMPARE(QString::fromUtf8(file.readAll()), wanted.replace(QLatin1String("25GbE"), QLatin1String("100GbE")));
  }

  void switchesTheLanguageWhileRunning()
  {
    session_->useLanguage(QStringLiteral("ru"));
    {
      MainWindow russian{*session_};
      QCOMPARE(russian.dock(QStringLiteral("problems"))->windowTitle(), QStringLiteral("Замечания"));
      QCOMPARE(QCoreApplication::translate("trainyard::gui::WorkloadView", "%n jobs added", nullptr, 22),
               QStringLiteral("Добавлено 22 задания"));
    }
    session_->useLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(QCoreApplication::translate("trainyard::gui::MainWindow", "Cluster"), QStringLiteral("集群"));
    session_->useLanguage(QStringLiteral("en"));
    QCOMPARE(QCoreApplication::translate("trainyard::gui::MainWindow", "%n errors", nullptr, 1),
             QStringLiteral("1 error"));
  }

  void everythingThatCanBeUsedHasANameForScreenReaders()
  {
    QStringList without = nameless(*window_);
    CommandPalette palette{window_->actions(), window_.get()};
    without += nameless(palette);
    window_->faults()->ask(QStringLiteral("node:worker-0"));
    QTRY_VERIFY(window_->findChild<QDialog*>(QStringLiteral("fail_at")) != nullptr);
    auto* dialog = window_->findChild<QDialog*>(QStringLiteral("fail_at"));
    without += nameless(*dialog);
    dialog->close();
    QVERIFY2(without.isEmpty(), qPrintable(without.join(QLatin1Char('\n'))));
  }

  void everyCommandOfTheMenusIsInThePalette()
  {
    QStringList missing;
    const std::function<void(const QMenu&)> walk = [&](const QMenu& menu) {
      if (menu.title().contains(QLatin1String("recent")))
        return; // files, not commands
      for (QAction* each : menu.actions())
        if (each->menu() != nullptr)
          walk(*each->menu());
        else if (!each->isSeparator() && !window_->actions().contains(each))
          missing << each->text();
    };
    for (QAction* each : window_->menuBar()->actions())
      walk(*each->menu());
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char(' '))));
    QSet<QKeySequence> keys;
    for (const QAction* each : window_->actions())
      if (!each->shortcut().isEmpty()) {
        QVERIFY2(!keys.contains(each->shortcut()), qPrintable(each->text())); // two commands on one key do nothing
        keys.insert(each->shortcut());
      }
  }

  void theKeyboardReachesEveryPartOfTheWindow()
  {
    window_->activateWindow();
    window_->showPage(MainWindow::cluster_page);
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTest::qWait(20); // rows of a form are shown by their layout
    QSet<QString> reached;
    for (int i = 0; i < 8; ++i) {
      window_->action(QStringLiteral("next_part"))->trigger(); // F8
      const QWidget* focus = window_->focusWidget();
      QVERIFY(focus != nullptr);
      for (const char* name : {"text", "properties", "palette", "outline"})
        if (window_->dock(QLatin1String(name))->isAncestorOf(focus))
          reached.insert(QLatin1String(name));
      if (window_->canvas() == focus || window_->canvas()->isAncestorOf(focus))
        reached.insert(QStringLiteral("canvas"));
    }
    QVERIFY2(reached.contains(QStringLiteral("text")) && reached.contains(QStringLiteral("properties")) &&
                 reached.contains(QStringLiteral("canvas")),
             qPrintable(QStringList(reached.begin(), reached.end()).join(QLatin1Char(0x20))));
    QVERIFY(reached.contains(QStringLiteral("palette")) || reached.contains(QStringLiteral("outline")));
  }

  void theSheetOfKeysListsThem()
  {
    QTest::keyClick(window_.get(), Qt::Key_F1);
    auto* sheet = window_->findChild<QDialog*>(QStringLiteral("keys"));
    QVERIFY(sheet != nullptr);
    const QString text = sheet->findChild<QTextBrowser*>()->toPlainText();
    for (const char* key : {"F5", "F6", "Ctrl+K", "Ctrl+E", "Ctrl+Z", "W S A D"})
      QVERIFY2(text.contains(QLatin1String(key)), key);
    sheet->close();
  }

  void findsEveryCommandByItsWords()
  {
    CommandPalette palette{window_->actions(), window_.get()};
    palette.show();
    QTest::keyClicks(palette.findChild<QLineEdit*>(), QStringLiteral("workload"));
    window_->showPage(MainWindow::cluster_page);
    QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Return);
    QVERIFY(!palette.isVisible());
    QVERIFY(window_->workload()->isVisible());
    QVERIFY(shortcut_sheet(window_->actions()).contains(QLatin1String("F5")));
  }

private:
  static QStringList nameless(const QWidget& window)
  {
    QStringList list;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus ||
          qobject_cast<QAbstractScrollArea*>(widget->parentWidget()) != nullptr ||
          widget->objectName().startsWith(QLatin1String("qt_")) || qobject_cast<QScrollArea*>(widget) != nullptr ||
          qobject_cast<QLabel*>(widget) != nullptr ||
          QByteArray{widget->parentWidget()->metaObject()->className()}.contains("QComboBox") ||
          qobject_cast<QTabBar*>(widget) != nullptr || qobject_cast<QTabWidget*>(widget) != nullptr ||
          qobject_cast<QHeaderView*>(widget) != nullptr ||
          QByteArray{widget->metaObject()->className()}.contains("QDockWidget") ||
          qobject_cast<QSplitterHandle*>(widget) != nullptr)
        continue;
      QAccessibleInterface* named = QAccessible::queryAccessibleInterface(widget);
      if (named == nullptr || named->text(QAccessible::Name).isEmpty())
        list << QStringLiteral("%1 in %2")
                    .arg(QLatin1String(widget->metaObject()->className()),
                         QLatin1String(widget->parentWidget()->metaObject()->className()));
    }
    return list;
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(StoryTest)
#include "story_test.moc"
