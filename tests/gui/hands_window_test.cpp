// SPDX-License-Identifier: Apache-2.0
/// What hands do with files, messages and the canvas.
#include "gui/canvas/minimap.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/widgets.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/results_view.hpp"
#include "tests/gui/hands_fixture.hpp"

#include <QAction>
#include <QCommandLinkButton>
#include <QLibraryInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QStatusBar>
#include <QTableView>
#include <QTextBrowser>
#include <QToolBar>

#include <QGuiApplication>
#include <QScreen>
#include <algorithm>

using namespace trainyard::gui;
using tests::one_job;

class HandsWindowTest : public tests::Hands
{
  Q_OBJECT

  /// A free network of two machines and two switches, the first machine wired to the first switch.
  TopologyScene* openFree()
  {
    QString text = one_job;
    text.replace(QLatin1String("count: 4"), QLatin1String("count: 2"));
    text.replace(QLatin1String("{link: 25GbE}"),
                 QLatin1String("{topology: graph, link: 25GbE, switches: [a, b], wires: [{from: w-0, to: a}]}"));
    session_->document.openText(text, QStringLiteral("free.yaml"));
    window_->showPage(MainWindow::cluster_page);
    window_->canvas()->setFocus();
    window_->scene()->clearSelection();
    return window_->scene();
  }

private slots:
  void initTestCase() { start("simgui-hands-window"); }
  void cleanupTestCase() { fixture_.reset(); }
  void init() { renew(); }

  void aNewScenarioRuns()
  {
    QTest::keyClick(window_, Qt::Key_N, Qt::ControlModifier);
    QVERIFY(session_->document.text().contains(QLatin1String("name: untitled")));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy(), 20'000);
    QVERIFY2(session_->checker.problems().isEmpty(),
             session_->checker.problems().isEmpty() ? "" : qPrintable(session_->checker.problems().front().message));
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.runs().isEmpty() && !session_->queue.isRunning(), 30'000);
    QVERIFY2(session_->queue.runs().back().state == QueuedRun::State::done,
             qPrintable(session_->queue.runs().back().message));
    QTRY_COMPARE(window_->page(), static_cast<int>(MainWindow::results_page));
  }

  void aTextWhoseFileIsGoneIsNotForgottenWithoutAQuestion()
  {
    const QString file = fixture_->folder.filePath(QStringLiteral("gone.yaml"));
    QVERIFY(tests::write_file(file, one_job.toUtf8()));
    QVERIFY(window_->openFile(file));
    QVERIFY(!window_->isWindowModified());
    QVERIFY(QFile::remove(file));
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().contains(QLatin1String("was removed")), 5000);
    QVERIFY(window_->isWindowModified());
    QCOMPARE(questionAfter([&] { window_->close(); }), QStringLiteral("Save the changes of gone.yaml?"));
    QVERIFY(window_->isVisible());
    activate();
    QTest::keyClick(window_, Qt::Key_S, Qt::ControlModifier);
    QVERIFY(QFile::exists(file));
    QVERIFY(!window_->isWindowModified());
  }

  void aFileThatIsNotUtf8IsNotOpened()
  {
    const QString file = fixture_->folder.filePath(QStringLiteral("latin1.yaml"));
    const QByteArray bytes = QByteArray{"# one\n# two\n# caf\xe9\n"} + one_job.toUtf8();
    QVERIFY(tests::write_file(file, bytes));
    const QString told = questionAfter([&] { QVERIFY(!window_->openFile(file)); });
    QVERIFY2(told.contains(QLatin1String("is not UTF-8 text: line 3")), qPrintable(told));
    QCOMPARE(session_->document.text(), one_job); // what was open stays
    QFile in{file};
    QVERIFY(in.open(QIODevice::ReadOnly));
    QCOMPARE(in.readAll(), bytes);
  }

  void anImportIsNotForgottenWithoutAQuestion()
  {
    const QString file = fixture_->folder.filePath(QStringLiteral("compose.yml"));
    QVERIFY(
        tests::write_file(file, "version: \"3\"\nservices:\n  web:\n    image: nginx\n    deploy: {replicas: 3}\n"));
    window_->openOrImport(file); // as dropped
    QTRY_COMPARE_WITH_TIMEOUT(session_->document.title(), QStringLiteral("compose.yaml"), 20'000);
    QVERIFY(window_->isWindowModified());
    QCOMPARE(questionAfter([&] { QTest::keyClick(window_, Qt::Key_N, Qt::ControlModifier); }),
             QStringLiteral("Save the changes of compose.yaml?"));
    QCOMPARE(session_->document.title(), QStringLiteral("compose.yaml"));
  }

  void anEmptyFileIsNotAccepted()
  {
    const QString file = fixture_->folder.filePath(QStringLiteral("empty.yaml"));
    QVERIFY(tests::write_file(file, " \n"));
    QVERIFY(window_->openFile(file));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.problems().isEmpty(), 5000);
    QVERIFY(session_->checker.problems().front().message.startsWith(QLatin1String("the file is empty")));
  }

  void messagesGoWithWhatTheyAreAbout()
  {
    session_->document.openText(QString{one_job}.replace(QLatin1String("workers: 4"), QLatin1String("workers: 400")),
                                QStringLiteral("broken.yaml"));
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().startsWith(QLatin1String("The run failed")), 30'000);
    session_->document.openText(one_job, QStringLiteral("good.yaml"));
    QCOMPARE(window_->info()->message(), QString{});
    session_->document.openText(QString{one_job}.replace(QLatin1String("workers: 4"), QLatin1String("workers: 400")),
                                QStringLiteral("broken.yaml"));
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().startsWith(QLatin1String("The run failed")), 30'000);
    const auto before = session_->results.size();
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("workers"));
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(session_->results.size(), before + 1, 30'000);
    QCOMPARE(window_->info()->message(), QString{});
  }

  void qtsOwnButtonsSpeakTheChosenLanguage()
  {
    if (!QFile::exists(QLibraryInfo::path(QLibraryInfo::TranslationsPath) + QStringLiteral("/qtbase_ru.qm")))
      QSKIP("qt6-translations-l10n is not installed");
    session_->useLanguage(QStringLiteral("ru"));
    QMessageBox box;
    const QString cancel = box.addButton(QMessageBox::Cancel)->text();
    const QString save = box.addButton(QMessageBox::Save)->text();
    session_->useLanguage(QStringLiteral("en"));
    QCOMPARE(cancel, QStringLiteral("Отмена"));
    QCOMPARE(save, QStringLiteral("Сохранить"));
  }

  void theFirstWindowFitsTheScreen()
  {
    Session fresh;
    const QVariant kept = fresh.settings.value(QStringLiteral("size"));
    fresh.settings.remove(QStringLiteral("size"));
    {
      MainWindow window{fresh};
      const QSize screen = window.screen()->availableSize();
      QVERIFY(window.width() <= screen.width() && window.height() <= screen.height());
    }
    fresh.settings.setValue(QStringLiteral("size"), kept);
  }

  void aFreeNetworkIsDrawnWhileItIsWired()
  {
    QString text = one_job;
    text.replace(QLatin1String("count: 4"), QLatin1String("count: 12"));
    text.replace(QLatin1String("{link: 25GbE}"), QLatin1String("{topology: graph, link: 25GbE, switches: [a, b]}"));
    session_->document.openText(text, QStringLiteral("free.yaml"));
    TopologyScene* scene = window_->scene();
    for (const char* name : {"a", "b", "w-0", "w-11"})
      QVERIFY2(scene->itemOf(QLatin1String(name)) != nullptr, name);
    window_->action(QStringLiteral("link"))->trigger();
    QVERIFY(scene->linkMode());
    TopologyView* view = window_->canvas();
    view->fit();
    const auto place = [&](const char* name) { return view->mapFromScene(scene->itemOf(QLatin1String(name))->pos()); };
    QTest::mousePress(view->viewport(), Qt::LeftButton, {}, place("w-0"));
    QTest::mouseMove(view->viewport(), place("a"));
    QTest::mouseRelease(view->viewport(), Qt::LeftButton, {}, place("a"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.wires.0.from")), QStringLiteral("w-0"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.wires.0.to")), QStringLiteral("a"));
    QVERIFY(scene->selectedItems().isEmpty()); // drawing a link selects nothing
    QCOMPARE(scene->model().links.size(), 1);
    QVERIFY(scene->itemOf(QStringLiteral("b")) != nullptr);
    window_->action(QStringLiteral("link"))->trigger();
    // Switches alone, before there are machines of a type that exists.
    session_->document.setValue(QStringLiteral("cluster.nodes.0.type"), QStringLiteral("none"), QStringLiteral("type"));
    QVERIFY(scene->itemOf(QStringLiteral("a")) != nullptr);
  }

  void partsAreCopiedAndPastedByKeys()
  {
    TopologyScene* scene = openFree();
    TopologyView* view = window_->canvas();
    const QString before = session_->document.text();
    for (const char* name : {"w-0", "a"})
      scene->itemOf(QLatin1String(name))->setSelected(true);
    const QPointF was = scene->itemOf(QStringLiteral("a"))->pos();
    QTest::keyClick(view, Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(view, Qt::Key_V, Qt::ControlModifier);
    // One machine of the group, as a group of its own; the switch; and the wire between them.
    QCOMPARE(session_->document.value(QStringLiteral("cluster.nodes.1.name")), QStringLiteral("w2"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.nodes.1.type")), QStringLiteral("w"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.nodes.1.count")), QStringLiteral("1"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.switches.2")), QStringLiteral("a2"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.wires.1.from")), QStringLiteral("w2-0"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.wires.1.to")), QStringLiteral("a2"));
    QCOMPARE(scene->itemOf(QStringLiteral("a2"))->pos(), was + QPointF(60, 60));
    QVERIFY(scene->itemOf(QStringLiteral("a2"))->isSelected());
    QVERIFY(!scene->itemOf(QStringLiteral("a"))->isSelected());
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier); // one step
    QCOMPARE(session_->document.text(), before);
    scene->clearSelection();
    scene->itemOf(QStringLiteral("b"))->setSelected(true);
    view->setFocus();
    QTest::keyClick(view, Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.switches.2")), QStringLiteral("b2"));
    scene->clearSelection();
    const QString now = session_->document.text();
    QTest::keyClick(view, Qt::Key_D, Qt::ControlModifier); // nothing selected: nothing happens, and why
    QCOMPARE(session_->document.text(), now);
    QVERIFY(window_->statusBar()->currentMessage().contains(QLatin1String("Nothing selected")));
  }

  void linksAreDrawnByKeys()
  {
    TopologyScene* scene = openFree();
    TopologyView* view = window_->canvas();
    scene->itemOf(QStringLiteral("w-1"))->setSelected(true);
    QTest::keyClick(view, Qt::Key_L);
    QVERIFY(window_->statusBar()->currentMessage().contains(QLatin1String("w-1")));
    for (int i = 0; i < 6 && !scene->itemOf(QStringLiteral("b"))->isSelected(); ++i) // arrows walk to it
      QTest::keyClick(view, i == 0 ? Qt::Key_Up : Qt::Key_Right);
    QVERIFY(scene->itemOf(QStringLiteral("b"))->isSelected());
    QTest::keyClick(view, Qt::Key_L);
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.wires.1.from")), QStringLiteral("w-1"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.wires.1.to")), QStringLiteral("b"));
    // Two that are selected are joined at once; Escape forgets a begin.
    scene->clearSelection();
    scene->itemOf(QStringLiteral("a"))->setSelected(true);
    QTest::keyClick(view, Qt::Key_L);
    QTest::keyClick(view, Qt::Key_Escape);
    scene->itemOf(QStringLiteral("b"))->setSelected(true);
    QTest::keyClick(view, Qt::Key_L);
    QVERIFY(!session_->document.value(QStringLiteral("cluster.network.wires.2.to")).isEmpty());
    QVERIFY(session_->document.value(QStringLiteral("cluster.network.wires.3.to")).isEmpty());
  }

  void itemsAreAlignedAndMovedByKeys()
  {
    TopologyScene* scene = openFree();
    TopologyView* view = window_->canvas();
    const auto item = [&](const char* name) { return scene->itemOf(QLatin1String(name)); };
    session_->document.setPlace(QStringLiteral("w-0"), {0, 0});
    session_->document.setPlace(QStringLiteral("a"), {100, 40});
    session_->document.setPlace(QStringLiteral("b"), {500, 80});
    for (const char* name : {"w-0", "a", "b"})
      item(name)->setSelected(true);
    QTest::keyClick(view, Qt::Key_R); // the mean height
    for (const char* name : {"w-0", "a", "b"})
      QCOMPARE(item(name)->y(), 40.0);
    QCOMPARE(item("a")->x(), 100.0);
    QTest::keyClick(view, Qt::Key_E);
    QCOMPARE(item("a")->pos(), QPointF(250, 40));
    for (int i = 0; i < 3; ++i)
      QTest::keyClick(view, Qt::Key_Down, Qt::ControlModifier);
    QCOMPARE(item("a")->pos(), QPointF(250, 70));
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier); // the three moves are one step
    QCOMPARE(item("a")->pos(), QPointF(250, 40));
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(item("b")->pos(), QPointF(500, 80));
  }

  void theMapShowsTheWholeAndMovesTheView()
  {
    session_->document.openText(QString{one_job}.replace(QLatin1String("count: 4"), QLatin1String("count: 60")),
                                QStringLiteral("wide.yaml"));
    TopologyScene* scene = window_->scene();
    if (scene->itemOf(QStringLiteral("w")) != nullptr)
      scene->toggleFold(QStringLiteral("w"));
    TopologyView* view = window_->canvas();
    view->setFocus();
    view->fit();
    Minimap* map = view->minimap();
    QVERIFY(!map->isVisible()); // all is in sight
    while (view->transform().m11() < 1)
      QTest::keyClick(view, Qt::Key_Plus);
    QVERIFY(map->isVisible());
    for (const char* name : {"w-0", "w-59"}) { // a click brings either end into sight
      const QPointF place = scene->itemOf(QLatin1String(name))->pos();
      QTest::mouseClick(map, Qt::LeftButton, {}, map->placeOf(place).toPoint());
      QVERIFY2(map->inSight().contains(place), name);
    }
    const QRectF before = map->inSight();
    QTest::mousePress(map, Qt::LeftButton, {}, map->placeOf(before.center()).toPoint());
    const QPoint to = map->placeOf(scene->itemOf(QStringLiteral("w-0"))->pos()).toPoint();
    QMouseEvent move{QEvent::MouseMove, QPointF{to}, map->mapToGlobal(QPointF{to}), Qt::NoButton, Qt::LeftButton, {}};
    QApplication::sendEvent(map, &move);
    QTest::mouseRelease(map, Qt::LeftButton, {}, to);
    QVERIFY(map->inSight().center() != before.center());
    QTest::keyClick(view, Qt::Key_N);
    QVERIFY(!map->isVisible());
    QTest::keyClick(view, Qt::Key_N);
    QVERIFY(map->isVisible());
    // A drag on free ground moves the view, too.
    const QRectF seen = map->inSight();
    QPoint ground{5, view->viewport()->height() - 5};
    while (view->itemAt(ground) != nullptr && ground.y() > 80)
      ground.ry() -= 5;
    QVERIFY(view->itemAt(ground) == nullptr);
    QTest::mousePress(view->viewport(), Qt::LeftButton, {}, ground);
    const QPoint end = ground + QPoint{0, -60};
    QMouseEvent pull{QEvent::MouseMove, QPointF{end},   view->viewport()->mapToGlobal(QPointF{end}),
                     Qt::NoButton,      Qt::LeftButton, {}};
    QApplication::sendEvent(view->viewport(), &pull);
    QTest::mouseRelease(view->viewport(), Qt::LeftButton, {}, end);
    QVERIFY(map->inSight() != seen);
  }

  void aRefusedPartChangesNothing()
  {
    QString text = one_job;
    text.replace(QLatin1String("{link: 25GbE}"), QLatin1String("{topology: graph, link: 25GbE, switches: 3}"));
    session_->document.openText(text, QStringLiteral("odd.yaml"));
    QVERIFY(!window_->scene()->addPart(QStringLiteral("switch"), {0, 0}));
    QCOMPARE(session_->document.text(), text);
    QVERIFY(!window_->isWindowModified());
    QCOMPARE(session_->document.undoStack()->count(), 0);
  }

  void propertiesFollowUndo()
  {
    QVERIFY(window_->scene()->addPart(QStringLiteral("cpu_nodes"), {0, 0}));
    window_->dock(QStringLiteral("properties"))->show();
    window_->scene()->clearSelection();
    TopologyItem* added = window_->scene()->itemOf(QStringLiteral("server-0"));
    QVERIFY(added != nullptr);
    added->setSelected(true);
    QVERIFY(formAt(QStringLiteral("cluster.nodes.1")) != nullptr);
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job);
    QTRY_VERIFY(formAt(QStringLiteral("cluster.nodes.1")) == nullptr); // the text is read a moment later
    QVERIFY(formAt(QStringLiteral("cluster.network")) != nullptr);
  }

  void thousandsOfMachinesSayWhyTheyStayFolded()
  {
    session_->document.openText(QString{one_job}.replace(QLatin1String("count: 4"), QLatin1String("count: 300")),
                                QStringLiteral("many.yaml"));
    TopologyItem* group = window_->scene()->itemOf(QStringLiteral("w"));
    QVERIFY(group != nullptr);
    window_->scene()->clearSelection();
    group->setSelected(true);
    window_->canvas()->setFocus();
    QTest::keyClick(window_->canvas(), Qt::Key_Return);
    QVERIFY2(window_->statusBar()->currentMessage().contains(QLatin1String("at most 256 are drawn one by one")),
             qPrintable(window_->statusBar()->currentMessage()));
  }

  void linksNeverRunBehindBoxes()
  {
    for (const int count : {8, 20, 60}) {
      QString text = one_job;
      text.replace(QLatin1String("count: 4"), QStringLiteral("count: %1").arg(count));
      session_->document.openText(text, QStringLiteral("fan.yaml"));
      TopologyScene* scene = window_->scene();
      if (scene->itemOf(QStringLiteral("w")) != nullptr)
        scene->toggleFold(QStringLiteral("w"));
      const CanvasModel& model = scene->model();
      QCOMPARE(model.links.size(), count);
      for (const CanvasLink& link : model.links) {
        QPolygonF way{{model.items[link.from].place}};
        way << link.via << model.items[link.to].place;
        for (int i = 0; i < model.items.size(); ++i) {
          if (i == link.from || i == link.to)
            continue;
          const QRectF box{model.items[i].place - QPointF{70, 32}, QSizeF{140, 64}};
          for (qsizetype k = 1; k < way.size(); ++k) {
            const QLineF stretch{way[k - 1], way[k]};
            for (int step = 0; step <= 50; ++step)
              QVERIFY2(!box.contains(stretch.pointAt(step / 50.0)), qPrintable(model.items[i].id));
          }
        }
      }
    }
  }

  void runsAreKnownAfterARestart()
  {
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.runs().isEmpty() && !session_->queue.isRunning(), 30'000);
    const QueuedRun run = session_->queue.runs().back();
    QCOMPARE(run.state, QueuedRun::State::done);
    const auto same = [&](const QueuedRun& other) { return other.folder == run.folder; };
    // Named by hand.
    window_->openDock(QStringLiteral("runs"));
    auto* table = window_->dock(QStringLiteral("runs"))->findChild<QTableView*>();
    table->selectRow(table->model()->rowCount() - 1);
    QTest::mouseClick(window_->findChild<QPushButton*>(QStringLiteral("rename_run")), Qt::LeftButton);
    auto* line = table->findChild<QLineEdit*>();
    QVERIFY(line != nullptr);
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("four V100"));
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_COMPARE(session_->queue.runs().back().name, QStringLiteral("four V100"));
    RunQueue later; // of the next start
    later.restore();
    auto found = std::find_if(later.runs().begin(), later.runs().end(), same);
    QVERIFY(found != later.runs().end());
    QCOMPARE(found->name, QStringLiteral("four V100"));
    QCOMPARE(found->state, QueuedRun::State::done);
    QVERIFY(found->elapsed_s > 0);
    // Once more, with the same scenario.
    QTest::mouseClick(window_->findChild<QPushButton*>(QStringLiteral("rerun")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.isRunning() && session_->queue.runs().back().folder != run.folder,
                             30'000);
    QCOMPARE(session_->queue.runs().back().state, QueuedRun::State::done);
    QFile first{run.scenario_file};
    QFile second{session_->queue.runs().back().scenario_file};
    QVERIFY(first.open(QIODevice::ReadOnly) && second.open(QIODevice::ReadOnly));
    QCOMPARE(second.readAll(), first.readAll());
    // Deleted, and gone from the disk; the Escape key deletes nothing.
    for (int row = 0; row < session_->queue.runs().size(); ++row)
      if (same(session_->queue.runs()[row]))
        table->selectRow(row);
    auto* remove = window_->findChild<QPushButton*>(QStringLiteral("delete_run"));
    QVERIFY(questionAfter([&] { QTest::mouseClick(remove, Qt::LeftButton); }).contains(QLatin1String("four V100")));
    QVERIFY(QFileInfo::exists(run.folder));
    session_->queue.remove(table->currentIndex().row());
    QVERIFY(!QFileInfo::exists(run.folder));
    RunQueue last;
    last.restore();
    QVERIFY(std::none_of(last.runs().begin(), last.runs().end(), same));
  }

  void aNoteAndTheBaselineAreKeptOverARestart()
  {
    const auto run = [&] {
      const qsizetype before = session_->queue.runs().size();
      const int shown = window_->compareView()->runs();
      QTest::keyClick(window_, Qt::Key_F5);
      QTRY_VERIFY_WITH_TIMEOUT(session_->queue.runs().size() > before && !session_->queue.isRunning(), 30'000);
      QTRY_COMPARE_WITH_TIMEOUT(window_->compareView()->runs(), shown + 1, 10'000);
    };
    run();
    const QString first = session_->queue.runs().back().folder;
    window_->openDock(QStringLiteral("runs"));
    auto* table = window_->dock(QStringLiteral("runs"))->findChild<QTableView*>();
    table->selectRow(table->model()->rowCount() - 1);
    QTest::mouseClick(window_->findChild<QPushButton*>(QStringLiteral("note_run")), Qt::LeftButton);
    auto* line = table->findChild<QLineEdit*>();
    QVERIFY(line != nullptr);
    QTest::keyClicks(line, QStringLiteral("before the new switch"));
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_COMPARE(session_->queue.runs().back().remark, QStringLiteral("before the new switch"));
    auto* pin = window_->findChild<QPushButton*>(QStringLiteral("pin_run"));
    QTest::mouseClick(pin, Qt::LeftButton);
    QVERIFY(pin->isChecked());
    QCOMPARE(session_->queue.baseline(), first);
    const int known = window_->compareView()->runs() - 1; // its place in the list of Compare
    run();
    run();
    QTRY_COMPARE_WITH_TIMEOUT(window_->compareView()->runs(), known + 3, 10'000);
    // Without the pin the last two would be compared.
    QCOMPARE(window_->compareView()->chosen(), (QVector<int>{known, known + 2}));
    RunQueue later; // of the next start
    later.restore();
    QCOMPARE(later.baseline(), first);
    const auto found = std::find_if(later.runs().begin(), later.runs().end(),
                                    [&](const QueuedRun& each) { return each.folder == first; });
    QVERIFY(found != later.runs().end());
    QCOMPARE(found->remark, QStringLiteral("before the new switch"));
    // A second click takes the pin away.
    for (int row = 0; row < session_->queue.runs().size(); ++row)
      if (session_->queue.runs()[row].folder == first)
        table->selectRow(row);
    QTest::mouseClick(pin, Qt::LeftButton);
    QVERIFY(session_->queue.baseline().isEmpty() && !pin->isChecked());
  }

  void theWelcomePageSearchesTheExamples()
  {
    session_->document.undoStack()->setClean();
    window_->showWelcome();
    auto* search = window_->findChild<QLineEdit*>(QStringLiteral("search"));
    QTRY_VERIFY(search->isVisible());
    const auto shown = [&] {
      QStringList names;
      for (const QCommandLinkButton* each : window_->findChildren<QCommandLinkButton*>())
        if (each->isVisibleTo(window_) && !each->objectName().isEmpty())
          names << each->objectName();
      return names;
    };
    const qsizetype all = shown().size();
    QCOMPARE(all, example_files().size());
    QTest::keyClicks(search, QStringLiteral("kubernetes"));
    QVERIFY(!shown().isEmpty() && shown().size() < all);
    QVERIFY(shown().contains(QStringLiteral("kubernetes_placement")));
    QVERIFY(!shown().contains(QStringLiteral("ring_vs_ps")));
    search->selectAll();
    QTest::keyClicks(search, QStringLiteral("zebra"));
    QVERIFY(shown().isEmpty());
    search->clear();
    QCOMPARE(shown().size(), all);
  }

  void theToolBarOpensAndSaves()
  {
    const auto* bar = window_->findChild<QToolBar*>(QStringLiteral("tools"));
    for (const char* name : {"open", "save", "run"}) {
      QAction* action = window_->action(QLatin1String(name));
      QVERIFY2(bar->actions().contains(action), name);
      QVERIFY2(!action->icon().pixmap(20, 20).isNull(), name);
    }
    const QImage picture = window_->action(QStringLiteral("open"))->icon().pixmap(20, 20).toImage();
    int drawn = 0;
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x)
        drawn += qAlpha(picture.pixel(x, y)) > 100 ? 1 : 0;
    QVERIFY(drawn > 20);
  }

  void textGrowsWithTheChosenSize()
  {
    const QFont kept = QApplication::font();
    window_->action(QStringLiteral("size_200"))->trigger();
    {
      MainWindow window{*session_};
      QCOMPARE(window.editor()->font().pointSizeF(), 19.0);
      QCOMPARE(window.dock(QStringLiteral("explanation"))->findChild<QTextBrowser*>()->font().pointSizeF(), 19.0);
    }
    window_->action(QStringLiteral("size_100"))->trigger();
    QApplication::setFont(kept);
  }

  void aPlanOpensOnItsDesigns()
  {
    window_->showPage(MainWindow::results_page);
    window_->resultsView()->openTab(2);
    auto plan = std::make_shared<ResultsData>();
    plan->folder = QStringLiteral("/no/such/folder");
    plan->plan.emplace();
    plan->jobs = read_csv("design,cost,verdict\na,1,meets\nb,2,meets\n");
    emit session_->loader.loaded(plan);
    QCOMPARE(window_->resultsView()->tab(), 0);
    session_->results.removeLast();
    window_->resultsView()->show(nullptr);
  }
};

QTEST_MAIN(HandsWindowTest)
#include "hands_window_test.moc"
