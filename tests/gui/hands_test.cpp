// SPDX-License-Identifier: Apache-2.0
/// What hands do: keys pressed and buttons clicked on a window that is shown, each where a user once got stuck.
#include "gui/canvas/load_scrubber.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/info_bar.hpp"
#include "gui/editor/yaml_editor.hpp"
#include "gui/editor/yaml_place.hpp"
#include "gui/panels/schema_form.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/figures.hpp"
#include "gui/results/overview.hpp"
#include "gui/results/results_view.hpp"
#include "gui/results/table_model.hpp"
#include "gui/results/timeline_view.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QAction>
#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QGuiApplication>
#include <QHorizontalBarSeries>
#include <QLabel>
#include <QLegendMarker>
#include <QLibraryInfo>
#include <QLineEdit>
#include <QLogValueAxis>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QSlider>
#include <QStatusBar>
#include <QTableView>
#include <QTextCursor>
#include <QTimer>
#include <QToolButton>
#include <QValueAxis>

#include <cmath>

using namespace trainyard::gui;

namespace {

const QString one_job = QStringLiteral(
    "trainyard: 1\nname: hands\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
    "  nodes: [{name: w, type: w, count: 4}]\n  network: {link: 25GbE}\n"
    "jobs:\n  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}}\n");

/// Results of an older run: rates over workers, and a folder that is not there.
Results results_with(const QByteArray& jobs, const QByteArray& metrics = {})
{
  auto data = std::make_shared<ResultsData>();
  data->folder = QStringLiteral("/no/such/folder");
  data->question = QStringLiteral("how fast?");
  data->jobs = read_csv(jobs);
  if (!metrics.isEmpty())
    data->other.push_back({QStringLiteral("metrics"), read_csv(metrics)});
  return data;
}

Results sweep()
{
  return results_with("point,workers,samples_per_second\na,1,730.5\nb,3,1999.25\nc,6,3517.125\nd,11,5860.11\n");
}

} // namespace

class HandsTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    fixture_ = std::make_unique<tests::WindowFixture>("simgui-hands");
    session_ = fixture_->session.get();
    window_ = fixture_->window.get();
    QVERIFY2(!simrun_program().isEmpty(), "simrun was not found");
    QVERIFY(QTest::qWaitForWindowExposed(window_));
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_));
    QTRY_VERIFY_WITH_TIMEOUT(session_->schema.isReady(), 20'000);
  }

  void cleanupTestCase() { fixture_.reset(); }

  void init()
  {
    session_->document.undoStack()->setClean();
    session_->document.openText(one_job, QStringLiteral("hands.yaml"));
    window_->showPage(MainWindow::cluster_page);
    activate();
  }

  void undoAndRedoByKeysInTheEditor()
  {
    YamlEditor* editor = editorWithFocus();
    QTest::keyClick(editor, Qt::Key_End, Qt::ControlModifier);
    QTest::keyClicks(editor, QStringLiteral("# x"));
    QCOMPARE(session_->document.text(), one_job + QStringLiteral("# x"));
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job); // letters in a row are one step
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(session_->document.text(), one_job + QStringLiteral("# x"));
  }

  void theTabKeyMovesSelectedLinesAndDeletesNone()
  {
    YamlEditor* editor = editorWithFocus();
    QTextCursor cursor{session_->document.textDocument()};
    cursor.setPosition(static_cast<int>(one_job.indexOf(QLatin1String("node_types"))));
    cursor.setPosition(static_cast<int>(one_job.indexOf(QLatin1String("  network"))), QTextCursor::KeepAnchor);
    editor->setTextCursor(cursor); // two lines, and the begin of a third
    QTest::keyClick(editor, Qt::Key_Tab);
    QString wanted = one_job;
    wanted.replace(QLatin1String("  node_types"), QLatin1String("    node_types"));
    wanted.replace(QLatin1String("  nodes"), QLatin1String("    nodes"));
    QCOMPARE(session_->document.text(), wanted);
    QVERIFY(editor->textCursor().hasSelection());
    QTest::keyClick(editor, Qt::Key_Backtab, Qt::ShiftModifier); // the same lines are still selected
    QCOMPARE(session_->document.text(), one_job);
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), wanted); // one step
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job);
  }

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

  void aKeyWithoutValueIsMarkedInItsOwnLine()
  {
    session_->document.openText(QString{one_job}.replace(QLatin1String("name: hands"), QLatin1String("question:")),
                                QStringLiteral("empty.yaml"));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy() && !session_->checker.problems().isEmpty(), 20'000);
    QCOMPARE(session_->checker.problems().front().line, 2);
  }

  void mapsInsideAJobOpenAndCloseAgain()
  {
    window_->showPage(MainWindow::workload_page);
    SchemaForm* form = formAt(QStringLiteral("jobs.0"));
    QVERIFY(form != nullptr);
    QPushButton* training = inside<QPushButton>(*form, "training");
    QCOMPARE(training->text(), QStringLiteral("Open (1)…"));
    QTest::mouseClick(training, Qt::LeftButton);
    QCOMPARE(form->path(), QStringLiteral("jobs.0.training"));
    QCOMPARE(inside<QComboBox>(*form, "mode")->currentText(), QStringLiteral("all_reduce"));
    QTest::mouseClick(inside<QPushButton>(*form, "up"), Qt::LeftButton);
    QCOMPARE(form->path(), QStringLiteral("jobs.0"));
    QVERIFY(!inside<QPushButton>(*form, "up")->isVisible());
    QVERIFY(inside<QWidget>(*form, "workers")->isVisible());
  }

  void aListInPropertiesTakesAnItemAndGivesItBack()
  {
    session_->document.openText(
        QString{one_job}.replace(QLatin1String("{link: 25GbE}"), QLatin1String("{topology: graph, link: 25GbE}")),
        QStringLiteral("graph.yaml"));
    const QString text = session_->document.text();
    window_->dock(QStringLiteral("properties"))->show();
    window_->scene()->clearSelection();
    SchemaForm* form = formAt(QStringLiteral("cluster.network"));
    QVERIFY(form != nullptr);
    QPushButton* wires = inside<QPushButton>(*form, "wires");
    QCOMPARE(wires->text(), QStringLiteral("Add…"));
    QTest::mouseClick(wires, Qt::LeftButton);
    QCOMPARE(form->path(), QStringLiteral("cluster.network.wires"));
    QTest::qWait(20);
    for (QPushButton* button : form->findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == QLatin1String("Add an item")) {
        QTest::mouseClick(button, Qt::LeftButton);
        break;
      }
    QCOMPARE(form->path(), QStringLiteral("cluster.network.wires.0"));
    auto* from = inside<QLineEdit>(*form, "from");
    QTest::keyClicks(from, QStringLiteral("w-0"));
    QTest::keyClick(from, Qt::Key_Return);
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.wires.0.from")), QStringLiteral("w-0"));
    while (session_->document.undoStack()->canUndo())
      QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), text);
    QTRY_COMPARE(form->path(), QStringLiteral("cluster.network.wires")); // the item is gone, the list is shown
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

  void anEnlargedChartGoesBackToTheWhole()
  {
    window_->resultsView()->show(sweep());
    window_->showPage(MainWindow::results_page);
    window_->resultsView()->openTab(0);
    auto* view = window_->resultsView()->chart()->findChild<QChartView*>();
    QTRY_VERIFY(view->isVisible() && view->chart()->plotArea().width() > 100);
    const auto ends = [&] {
      QVector<double> all;
      for (const QAbstractAxis* axis : view->chart()->axes())
        if (const auto* values = qobject_cast<const QValueAxis*>(axis); values != nullptr)
          all << values->min() << values->max();
      return all;
    };
    const QVector<double> whole = ends();
    QCOMPARE(whole.size(), 4);
    const auto enlarge = [&] {
      QTest::qWait(50); // a new chart lays itself out
      const QRect plot = view->chart()->plotArea().toRect();
      const QPoint from = plot.topLeft() + QPoint{plot.width() / 4, plot.height() / 4};
      const QPoint to = plot.center() + QPoint{plot.width() / 6, plot.height() / 6};
      QTest::mousePress(view->viewport(), Qt::LeftButton, {}, from);
      QTest::mouseMove(view->viewport(), to);
      QTest::mouseRelease(view->viewport(), Qt::LeftButton, {}, to);
    };
    enlarge();
    QVERIFY(view->chart()->isZoomed());
    QVERIFY(ends() != whole);
    for (const double end : ends()) // ticks of a few digits: at most three behind the point here
      QVERIFY2(std::fabs(end * 1000 - std::round(end * 1000)) < 1e-6, qPrintable(QString::number(end, 'g', 12)));
    QTest::mouseClick(view->viewport(), Qt::RightButton, {}, view->viewport()->rect().center());
    QCOMPARE(ends(), whole);
    QTest::mouseClick(view->viewport(), Qt::RightButton, {}, view->viewport()->rect().center());
    QCOMPARE(ends(), whole); // and not beyond
    enlarge();
    auto* button = view->findChild<QToolButton*>(QStringLiteral("whole_chart"));
    QVERIFY(button != nullptr && button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(ends(), whole);
    QVERIFY(!button->isVisible());
  }

  void comparedQueuesAreBarsOfPolicies()
  {
    CompareView* compare = window_->compareView();
    compare->clear();
    compare->add(results_with("policy,job\n", "policy,jct_mean_s\nfifo,300\nlas,200\nsrtf,100\n"));
    compare->add(results_with("policy,job\n", "policy,jct_mean_s\nfifo,310\nsrtf,90\nlas,180\n"));
    window_->showPage(MainWindow::compare_page);
    auto* view = compare->chart()->findChild<QChartView*>();
    QTRY_VERIFY(view->isVisible());
    QCOMPARE(view->chart()->series().size(), 1);
    auto* bars = qobject_cast<QHorizontalBarSeries*>(view->chart()->series().front());
    QVERIFY2(bars != nullptr, "there is a line between categories");
    const auto axes = view->chart()->axes(Qt::Vertical);
    auto* names = qobject_cast<QBarCategoryAxis*>(axes.value(0));
    QVERIFY(names != nullptr);
    // From the bottom up, in the order of the run that is drawn first, the later one.
    QCOMPARE(names->categories(), (QStringList{QStringLiteral("las"), QStringLiteral("srtf"), QStringLiteral("fifo")}));
    QCOMPARE(bars->barSets().size(), 2);
    for (const QBarSet* set : bars->barSets())
      QCOMPARE(set->at(2), set->label().startsWith(QLatin1String("#1")) ? 300.0 : 310.0);
  }

  void aQueueOfManyJobsIsComparedWithoutHoldingTheWindow()
  {
    // Looking at every row once for each row would take a quarter of an hour here, and the test would be stopped.
    QByteArray jobs = "policy,job,arrival_s,jct_s\n";
    for (int i = 0; i < 60'000; ++i)
      jobs += QByteArray{i % 2 == 0 ? "fifo," : "las,"} + QByteArray::number(i) + ',' + QByteArray::number(i * 7) +
              ',' + QByteArray::number(100 + i % 977) + '\n';
    CompareView* compare = window_->compareView();
    compare->clear();
    compare->add(sweep());
    compare->add(results_with(jobs));
    window_->showPage(MainWindow::compare_page);
    compare->choose({1});
    QCOMPARE(compare->chart()->series().size(), 2); // fifo and las
    QCOMPARE(compare->chart()->series().front().points.size(), 30'000);
    compare->clear();
  }

  void aRunWithoutASweepShowsItsNumbers()
  {
    window_->resultsView()->openTab(0);
    const auto before = session_->results.size();
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(session_->results.size(), before + 1, 30'000);
    QCOMPARE(window_->resultsView()->results()->jobs.rows.size(), 1);
    const Chart* chart = window_->resultsView()->chart();
    QTRY_VERIFY(chart->isVisible());
    const auto* table = chart->findChild<QTableView*>();
    QVERIFY(table->isVisible());
    QString rate; // as the terminal prints it
    for (int row = 0; row < table->model()->rowCount(); ++row)
      if (table->model()->index(row, 0).data().toString() == QLatin1String("samples per second"))
        rate = table->model()->index(row, 1).data().toString();
    QCOMPARE(rate, figure_text(QStringLiteral("samples_per_second"), window_->resultsView()->results()->jobs.number(
                                                                         0, QStringLiteral("samples_per_second"))));
    // A sweep has a chart again.
    window_->resultsView()->show(sweep());
    QVERIFY(!table->isVisible());
    QVERIFY(chart->findChild<QChartView*>()->isVisible());
  }

  void theChosenPointDrivesEveryView()
  {
    session_->document.openText(
        one_job + QStringLiteral("sweep:\n  grid: {jobs.0.workers: [2, 4]}\n  variants:\n    - {name: ps, set: "
                                 "{jobs.0.training: {mode: parameter_server, servers: 1}}}\n    - {name: ring, set: "
                                 "{jobs.0.training: {mode: all_reduce, collective: ring}}}\n"),
        QStringLiteral("points.yaml"));
    const auto before = session_->results.size();
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(session_->results.size(), before + 1, 30'000);
    ResultsView* results = window_->resultsView();
    results->openTab(2);
    const auto* of = results->findChild<QLabel*>(QStringLiteral("timeline_of"));
    QCOMPARE(of->text(), QStringLiteral("workers=4 variant=ring"));
    const auto served = [&] { // a server pushes and pulls; a ring has none
      return results->timeline()->laneNames().filter(QRegularExpression{QStringLiteral("ps-0|server|gRPC")}).size();
    };
    QCOMPARE(served(), 0);
    QVERIFY(!results->timeline()->laneNames().isEmpty());
    auto* box = results->findChild<QComboBox*>(QStringLiteral("point"));
    QCOMPARE(box->count(), 4);
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Home); // workers=2 variant=ps
    QCOMPARE(results->point(), QStringLiteral("workers=2 variant=ps"));
    QTRY_COMPARE_WITH_TIMEOUT(of->text(), QStringLiteral("workers=2 variant=ps"), 30'000);
    QTRY_VERIFY(served() > 0);
    // The canvas says whose loads it plays, and its slider plays those of this point.
    QCOMPARE(window_->scrubber()->findChild<QLabel*>(QStringLiteral("loads_of"))->text(),
             QStringLiteral("Shown: workers=2 variant=ps"));
    QVERIFY(window_->scrubber()->slider()->isEnabled());
    // Tables of links and events keep to it.
    for (const char* name : {"Links", "Events"}) {
      QTableView* table = nullptr;
      for (QTableView* each : results->findChildren<QTableView*>())
        if (each->accessibleName() == QLatin1String(name))
          table = each;
      results->openTab(qstrcmp(name, "Links") == 0 ? 4 : 5);
      QVERIFY(table->model()->rowCount() > 0);
      QVERIFY(table->model()->rowCount() < (qstrcmp(name, "Links") == 0 ? results->results()->links.rows.size()
                                                                        : results->results()->events.rows.size()));
    }
    // And the numbers of the first page.
    results->openTab(0);
    QCOMPARE(results->findChild<QLabel*>(QStringLiteral("GPUs"))->text(), QStringLiteral("2"));
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

  void aRunTakesTheOldTimelineAway()
  {
    const auto before = session_->results.size();
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(session_->results.size(), before + 1, 30'000);
    window_->resultsView()->openTab(2);
    QVERIFY(!window_->resultsView()->timeline()->laneNames().isEmpty());
    qsizetype during = -1;
    connect(&session_->queue, &RunQueue::started, this,
            [&] { during = window_->resultsView()->timeline()->laneNames().size(); });
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(session_->results.size(), before + 2, 30'000);
    session_->queue.disconnect(this);
    QCOMPARE(during, 0);
    QTRY_VERIFY(!window_->resultsView()->timeline()->laneNames().isEmpty());
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

  void theFirstPageHasTheNumbers()
  {
    ResultsView* results = window_->resultsView();
    // 32 images in 0.5 s on each of 2 GPUs: 128 images/s; the parts of the step add up to it.
    results->show(results_with("point,job,workers,samples_per_second,step_s,scaling_efficiency,compute_s,host_s,"
                               "exposed_communication_s,input_s,wait_s,bottleneck,gpu_memory_B,"
                               "price_per_million_samples_usd\n"
                               ",train,2,128,0.5,0.8,0.4,0,0.09,0,0.01,NIC of w-0: 86 % busy,5138659936,1.5\n"));
    window_->showPage(MainWindow::results_page);
    results->openTab(0);
    const auto words = [&](const char* caption) {
      const auto* label = results->findChild<QLabel*>(QLatin1String(caption));
      return label == nullptr ? QString{} : label->text();
    };
    QCOMPARE(words("samples per second"), QStringLiteral("128"));
    QCOMPARE(words("of perfect scaling"), QStringLiteral("80 %"));
    QCOMPARE(words("per step"), QStringLiteral("500 ms"));
    QCOMPARE(words("memory of a GPU"), QStringLiteral("5.14 GB"));
    QCOMPARE(words("per million samples"), QStringLiteral("$1.50"));
    QCOMPARE(words("bottleneck"), QStringLiteral("Bottleneck: NIC of w-0: 86 % busy"));
    const auto* bar = results->findChild<StackedBar*>();
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->parts().size(), 3); // what is zero has no part
    QCOMPARE(bar->parts()[0].value, 0.4);
    QVERIFY(bar->accessibleName().contains(QStringLiteral("compute 400 ms · 80 %")));
  }

  void aChartOverDecadesIsLogarithmicWithItsIdealLine()
  {
    ResultsView* results = window_->resultsView();
    // Rates over efficiency: 100 x workers, the ideal line. 10 at 4 workers and 400 are a factor of 40; 2,000 at 1:
    // 200.
    results->show(
        results_with("point,variant,workers,samples_per_second,samples_per_second_low,samples_per_second_high,"
                     "scaling_efficiency,model\n"
                     "a,ring,1,100,90,110,1,m\nb,ring,64,6400,6000,6800,1,m\n"
                     "c,ps,1,10,10,10,0.1,m\nd,ps,64,64,60,70,0.01,m\n"));
    window_->showPage(MainWindow::results_page);
    results->openTab(0);
    const Chart* chart = results->chart();
    auto* view = chart->findChild<QChartView*>();
    QTRY_VERIFY(view->isVisible());
    QVERIFY(qobject_cast<QLogValueAxis*>(view->chart()->axes(Qt::Vertical).value(0)) != nullptr);
    QCOMPARE(chart->series().size(), 3);
    QCOMPARE(chart->series().back().points, (QVector<QPointF>{{1, 100}, {64, 6400}}));
    QVERIFY(chart->series().back().ghost);
    QCOMPARE(chart->series()[0].interval.size(), 2);
    QCOMPARE(view->chart()->axes(Qt::Vertical).value(0)->titleText(), QStringLiteral("samples per second of a job"));
    // A click on the legend takes a line away, and gives it back.
    QLegendMarker* marker = view->chart()->legend()->markers().value(0);
    QVERIFY(marker->series()->isVisible());
    emit marker->clicked();
    QVERIFY(!marker->series()->isVisible());
    emit marker->clicked();
    QVERIFY(marker->series()->isVisible());
  }

  void tablesAreInWordsAndCanBeCopied()
  {
    ResultsView* results = window_->resultsView();
    results->show(results_with("point,job,workers,step_s,gpu_memory_B,bandwidth\n"
                               "workers=2 bandwidth=10 Gbit/s,train,2,0.0953,5138659936,x\n"
                               "workers=16 bandwidth=25 Gbit/s,train,16,1.65,5138659936,y\n"));
    window_->showPage(MainWindow::results_page);
    results->openTab(1);
    QTableView* table = nullptr;
    for (QTableView* each : results->findChildren<QTableView*>())
      if (each->accessibleName() == QLatin1String("Jobs"))
        table = each;
    QVERIFY(table != nullptr);
    QStringList heads;
    for (int i = 0; i < table->model()->columnCount(); ++i)
      heads << table->model()->headerData(i, Qt::Horizontal).toString();
    // The point is split; job and memory are the same in all rows.
    QCOMPARE(heads, (QStringList{QStringLiteral("workers"), QStringLiteral("step"), QStringLiteral("bandwidth")}));
    QCOMPARE(table->model()->index(0, 1).data().toString(), QStringLiteral("95.3 ms"));
    QCOMPARE(copied_rows(*table, true), QStringLiteral("| workers | step | bandwidth |\n|---|---|---|\n"
                                                       "| 2 | 95.3 ms | x |\n| 16 | 1.65 s | y |\n"));
    // What a rate may be off stands behind it: 90 to 110 of 100.
    results->show(results_with("point,workers,samples_per_second,samples_per_second_low,samples_per_second_high\n"
                               "workers=1,1,100,90,110\nworkers=2,2,200,200,200\n"));
    QCOMPARE(copied_rows(*table, true),
             QStringLiteral("| workers | samples per second |\n|---|---|\n| 1 | 100 ±10.0 % |\n| 2 | 200 |\n"));
    results->show(results_with("point,workers,step_s,bandwidth\nworkers=2,2,0.0953,x\nworkers=16,16,1.65,y\n"));
    table->selectRow(1);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("workers,step,bandwidth\n16,1.65,y\n"));
  }

  void theEditorCompletesAndExplainsKeys()
  {
    YamlEditor* editor = editorWithFocus();
    const auto put = [&](const char* behind) {
      QTextCursor cursor{session_->document.textDocument()};
      cursor.setPosition(static_cast<int>(session_->document.text().indexOf(QLatin1String(behind)) + qstrlen(behind)));
      editor->setTextCursor(cursor);
    };
    put("workers: 4, ");
    QTest::keyClicks(editor, QStringLiteral("preci"));
    QTest::keyClick(editor, Qt::Key_Space, Qt::ControlModifier); // only one key has it
    QVERIFY2(session_->document.text().contains(QLatin1String("workers: 4, precision: training")),
             qPrintable(session_->document.text()));
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job);
    put("mode: ");
    const QStringList modes = editor->completions();
    QVERIFY(modes.contains(QStringLiteral("all_reduce")) && modes.contains(QStringLiteral("parameter_server")));
    const auto about = [&](const char* word) {
      return editor->wordsAbout(static_cast<int>(session_->document.text().indexOf(QLatin1String(word)) + 2));
    };
    QVERIFY2(about("batch_per_gpu").startsWith(QLatin1String("batch_per_gpu: ")), qPrintable(about("batch_per_gpu")));
    QVERIFY(about("node_types").startsWith(QLatin1String("node_types: ")));
    QCOMPARE(about("hands"), about("name")); // a value is explained by its key
  }

  void placesInUnfinishedTextAreKnown()
  {
    struct Case {
      const char* text;
      const char* map;
      const char* key;
      const char* word;
    };
    const QVector<Case> cases{
        {"clu", "", "", "clu"},
        {"cluster:\n  no", "cluster", "", "no"},
        {"cluster:\n  nodes:\n    - {name: w}\n    - {name: x, ty", "cluster.nodes.1", "", "ty"},
        {"cluster:\n  nodes:\n  - name: w\n    type: a\n  - name: x\n    ty", "cluster.nodes.1", "", "ty"},
        {"jobs:\n  - name: a\n    training:\n      mode: all", "jobs.0.training", "mode", "all"},
        {"jobs:\n  - {name: a, training: {mode: ri", "jobs.0.training", "mode", "ri"},
        {"run:\n  seed: 1\n\n# words\nsweep:\n  grid: {jobs.0.workers: [1, ", "sweep.grid.jobs.0.workers", "1", ""}};
    for (const Case& each : cases) {
      const QString text = QLatin1String(each.text);
      const YamlPlace place = yaml_place(text, static_cast<int>(text.size()));
      QCOMPARE(place.map, QLatin1String(each.map));
      QCOMPARE(place.key, QLatin1String(each.key));
      QCOMPARE(place.word, QLatin1String(each.word));
    }
  }

  void proposalsAndCommentsByKeys()
  {
    session_->document.openText(QString{one_job}.replace(QLatin1String("workers"), QLatin1String("wokers")),
                                QStringLiteral("typo.yaml"));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy() && !session_->checker.problems().isEmpty(), 20'000);
    YamlEditor* editor = editorWithFocus();
    editor->goTo(session_->checker.problems().front().line, 1);
    QTest::keyClick(editor, Qt::Key_Period, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job);
    editor->goTo(3, 1);
    QTest::keyClick(editor, Qt::Key_Slash, Qt::ControlModifier);
    QCOMPARE(session_->document.text(),
             QString{one_job}.replace(QLatin1String("cluster:"), QLatin1String("# cluster:")));
    QTest::keyClick(editor, Qt::Key_Slash, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job);
  }

  void findAndReplaceByKeys()
  {
    YamlEditor* editor = editorWithFocus();
    QTest::keyClick(editor, Qt::Key_H, Qt::ControlModifier);
    auto* what = window_->findChild<QLineEdit*>(QStringLiteral("find"));
    QTRY_VERIFY(what->isVisible());
    QTest::keyClicks(what, QStringLiteral("type"));
    QCOMPARE(editor->textCursor().selectedText(), QStringLiteral("type"));
    const int first = editor->textCursor().position();
    QTest::keyClick(what, Qt::Key_Return);
    QVERIFY(editor->textCursor().position() > first);
    QTest::keyClicks(window_->findChild<QLineEdit*>(QStringLiteral("replace_by")), QStringLiteral("kind"));
    QTest::mouseClick(window_->findChild<QPushButton*>(QStringLiteral("replace_all")), Qt::LeftButton);
    QCOMPARE(session_->document.text(), QString{one_job}.replace(QLatin1String("type"), QLatin1String("kind")));
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job); // one step
    QTest::keyClick(what, Qt::Key_Escape);
    QVERIFY(!what->isVisible());
  }

private:
  /// What a message box says that @p act opens; it is closed by the Escape key. Empty where none opens.
  template <class Act>
  static QString questionAfter(Act act)
  {
    QString told;
    QTimer::singleShot(200, qApp, [&told] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()); box != nullptr) {
        told = box->text();
        QTest::keyClick(box, Qt::Key_Escape);
      }
    });
    act();
    QTest::qWait(told.isEmpty() ? 300 : 0);
    return told;
  }

  /// Keys reach the active window, and a message box has just been one.
  void activate()
  {
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_));
  }

  /// The visible form that shows a path.
  SchemaForm* formAt(const QString& path)
  {
    for (SchemaForm* form : window_->findChildren<SchemaForm*>())
      if (form->isVisible() && form->path() == path)
        return form;
    return nullptr;
  }

  /// The widget of a form by the key it edits; forms that were left are deleted a moment later.
  template <class Widget>
  static Widget* inside(SchemaForm& form, const char* key)
  {
    QTest::qWait(20); // rows are shown by their layout
    for (Widget* each : form.findChildren<Widget*>(QLatin1String(key)))
      if (!each->parentWidget()->isHidden())
        return each;
    return nullptr;
  }

  YamlEditor* editorWithFocus()
  {
    window_->dock(QStringLiteral("text"))->show();
    QTest::mouseClick(window_->editor()->viewport(), Qt::LeftButton, {}, {20, 20});
    return window_->editor();
  }

  std::unique_ptr<tests::WindowFixture> fixture_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
};

QTEST_MAIN(HandsTest)
#include "hands_test.moc"
