// SPDX-License-Identifier: Apache-2.0
/// What hands do while a run goes on, and with what it leaves.
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/widgets.hpp"
#include "gui/panels/workload_view.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/results_view.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "tests/gui/hands_fixture.hpp"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTextBlock>
#include <QTextBrowser>

#include <cmath>

using namespace trainyard::gui;
using tests::one_job;

class HandsRunsTest : public tests::Hands
{
  Q_OBJECT

  /// A queue under two policies beside a service.
  static QString mix()
  {
    return QStringLiteral(
        "trainyard: 1\nname: mix\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 2, cpu_cores: 16}}\n"
        "  nodes: [{name: w, type: w, count: 4, per_rack: 2}]\n  network: {link: 25GbE}\n"
        "run: {until: 3 h}\n"
        "workload:\n  generate: {jobs: 6, mean_interarrival: 2 min, median_duration: 90 min, gpus: {1: 1}}\n"
        "scheduling: {policies: [fifo, sjf]}\norchestrator: kubernetes\n"
        "services:\n  - {name: web, kind: serving, replicas: 2, resources: {gpus: 1, cpu: 1},\n"
        "     serving: {capacity: 50, rate: 20}}\n");
  }

  void runToTheEnd()
  {
    const int before = static_cast<int>(session_->queue.runs().size());
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(session_->queue.runs().size() > before && !session_->queue.isRunning(), 30'000);
    QVERIFY2(session_->queue.runs().back().state == QueuedRun::State::done,
             qPrintable(session_->queue.runs().back().message));
    const QString folder = session_->queue.runs().back().folder;
    QTRY_VERIFY_WITH_TIMEOUT(window_->resultsView()->results() &&
                                 window_->resultsView()->results()->folder == QFileInfo{folder}.absoluteFilePath(),
                             10'000);
  }

private slots:
  void initTestCase() { start("simgui-hands-runs"); }
  void cleanupTestCase() { fixture_.reset(); }
  void init() { renew(); }

  void whatIsTypedWhileARunEndsIsNotLost()
  {
    QTest::keyClick(window_, Qt::Key_F5);
    YamlEditor* editor = editorWithFocus(); // a moment later, before there is a first result
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.runs().isEmpty() && !session_->queue.isRunning(), 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().contains(QLatin1String("The run has ended")), 10'000);
    QCOMPARE(window_->page(), static_cast<int>(MainWindow::cluster_page));
    QVERIFY(editor->hasFocus());
    for (QPushButton* button : window_->info()->findChildren<QPushButton*>())
      if (button->text() == QLatin1String("Show the results"))
        button->click();
    QCOMPARE(window_->page(), static_cast<int>(MainWindow::results_page));
    QVERIFY(window_->resultsView()->results() != nullptr);
  }

  void aRunThatGoesOnIsNotStoppedWithoutAQuestion()
  {
    QString big = one_job;
    big += QStringLiteral(
        "sweep:\n  grid:\n    jobs.0.batch_per_gpu: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]\n    run.seed: [");
    for (int seed = 1; seed < 200; ++seed)
      big += QStringLiteral("%1, ").arg(seed);
    session_->queue.add(QStringLiteral("big"), big + QStringLiteral("200]\n"), fixture_->folder.path());
    QTRY_VERIFY_WITH_TIMEOUT(session_->queue.isRunning(), 5000);
    const QString told = questionAfter([&] { window_->close(); });
    const bool going_on = session_->queue.isRunning();
    session_->queue.cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.isRunning(), 5000);
    QCOMPARE(told, QStringLiteral("A run is not finished. Stop it and quit?"));
    QVERIFY(window_->isVisible() && going_on);
    activate();
  }

  void everyNameOfALineIsLegible()
  {
    session_->document.openText(
        QString{one_job} +
            QStringLiteral(
                "sweep:\n  grid:\n    jobs.0.batch_per_gpu: [1, 2, 4, 8, 16, 32, 64]\n    jobs.0.workers: [2, 4]\n  "
                "variants:\n    - {name: a}\n    - {name: b, set: {jobs.0.precision: amp}}\n"
                "    - {name: c, set: {cluster.network.link: 10GbE}}\n"),
        QStringLiteral("lines.yaml"));
    runToTheEnd();
    ResultsView* view = window_->resultsView();
    for (QComboBox* box : view->findChildren<QComboBox*>())
      if (box->accessibleName() == QLatin1String("One line per"))
        box->setCurrentIndex(box->findData(QStringLiteral("point")));
    QVERIFY(view->chart()->series().size() > 20);
    QVERIFY(view->chart()->minimumHeight() >= 20 * view->fontMetrics().height());
  }

  void nothingOpenIsSaidInsteadOfRun()
  {
    session_->document.openText({}, {});
    window_->showWelcome();
    const auto before = session_->queue.runs().size();
    QTest::keyClick(window_, Qt::Key_F5);
    QVERIFY2(window_->info()->message().contains(QLatin1String("No scenario is open")),
             qPrintable(window_->info()->message()));
    QCOMPARE(session_->queue.runs().size(), before);
    QVERIFY2(!window_->windowTitle().contains(QLatin1String("untitled")), qPrintable(window_->windowTitle()));
  }

  void aFailedRunNamesTheScenarioAndNotACopyOfIt()
  {
    session_->document.openText(QString{one_job}.replace(QLatin1String("workers: 4"), QLatin1String("workers: 400")),
                                QStringLiteral("broken.yaml"));
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().startsWith(QLatin1String("The run failed")), 30'000);
    const QString told = window_->info()->message();
    QVERIFY2(told.contains(QLatin1String(": broken.yaml:8:")), qPrintable(told));
    QVERIFY2(!told.contains(QLatin1String("/runs/")) && !told.contains(QLatin1Char('\n')), qPrintable(told));
  }

  void anExplanationGoesWithItsResults()
  {
    runToTheEnd();
    QTest::keyClick(window_, Qt::Key_F2);
    QTRY_VERIFY_WITH_TIMEOUT(window_->explanation().contains(QLatin1String("resnet50")), 10'000);
    session_->document.openText(QString{one_job}.replace(QLatin1String("resnet50"), QLatin1String("vgg16")),
                                QStringLiteral("other.yaml"));
    runToTheEnd();
    QTRY_VERIFY_WITH_TIMEOUT(window_->explanation().contains(QLatin1String("vgg16")), 10'000); // the panel is open
    window_->dock(QStringLiteral("explanation"))->hide();
    runToTheEnd();
    QCOMPARE(window_->explanation(), QString{});
  }

  void resultsTellTheirRunAndWhetherTheScenarioIsStillThat()
  {
    runToTheEnd();
    auto* label = window_->resultsView()->findChild<QLabel*>(QStringLiteral("run_shown"));
    QVERIFY(label != nullptr);
    QVERIFY2(label->text().startsWith(QLatin1String("hands-")), qPrintable(label->text()));
    QVERIFY(
        session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("change")));
    QTRY_VERIFY2(label->text().endsWith(QLatin1String("the scenario was changed since")), qPrintable(label->text()));
    session_->document.undoStack()->undo();
    QTRY_VERIFY2(!label->text().contains(QLatin1String("changed")), qPrintable(label->text()));
    session_->document.openText(mix(), QStringLiteral("mix.yaml"));
    QTRY_VERIFY2(label->text().endsWith(QLatin1String("another scenario is open")), qPrintable(label->text()));
    auto planned = std::make_shared<ResultsData>(); // its scenario is the answer
    planned->folder = QStringLiteral("/plans/answer-1");
    planned->scenario_text = one_job;
    planned->plan.emplace();
    window_->resultsView()->show(planned);
    QCOMPARE(label->text(), QStringLiteral("answer-1"));
  }

  void aMixShowsEveryPolicyAndThePartsOfTheRun()
  {
    session_->document.openText(mix(), QStringLiteral("mix.yaml"));
    runToTheEnd();
    ResultsView* view = window_->resultsView();
    const Results results = view->results();
    QVERIFY(results->jobs.rows.isEmpty());
    QStringList tables;
    for (const auto& [name, table] : results->other)
      tables << name;
    for (const char* wanted : {"queue: jobs", "queue: metrics", "services: tasks"})
      QVERIFY2(tables.contains(QLatin1String(wanted)), qPrintable(tables.join(QLatin1String(", "))));
    // The first chart compares what each part costs: bars by run, no figure against itself.
    QStringList chosen;
    for (QComboBox* box : view->findChildren<QComboBox*>())
      if (box->accessibleName() == QLatin1String("X axis") || box->accessibleName() == QLatin1String("Y axis"))
        chosen << box->currentData().toString();
    QCOMPARE(chosen, (QStringList{QStringLiteral("run"), QStringLiteral("mean_waiting_s")}));
    view->openTab(2);
    auto* policies = view->findChild<QComboBox*>(QStringLiteral("timeline_run"));
    QVERIFY(policies != nullptr && policies->isVisible());
    QCOMPARE(policies->count(), 2);
    QCOMPARE(policies->itemText(1), QStringLiteral("sjf"));
    policies->setCurrentIndex(1);
    QVERIFY(view->timeline()->timeline() != nullptr && !view->timeline()->timeline()->lanes.empty());
  }

  void pressedTwiceAPieceOfAMixIsExplained()
  {
    session_->document.openText(mix(), QStringLiteral("mix.yaml"));
    runToTheEnd();
    ResultsView* view = window_->resultsView();
    view->openTab(2);
    view->timeline()->foldAll(false);
    TimelineView* lanes = view->timeline();
    QPoint place;
    for (int y = lanes->headHeight() + 8; y < lanes->viewport()->height() && place.isNull(); y += 6)
      for (int x = 322; // right of the names
           x < lanes->viewport()->width() && place.isNull(); x += 2) {
        QTest::mouseClick(lanes->viewport(), Qt::LeftButton, {}, {x, y});
        if (lanes->spanNameAtCursor().startsWith(QLatin1String("job ")))
          place = {x, y};
        else if (!lanes->spanNameAtCursor().isEmpty())
          QTest::keyClick(lanes, Qt::Key_Escape); // its numbers take height
      }
    QVERIFY(!place.isNull());
    const QString job = lanes->spanNameAtCursor();
    QTest::mouseDClick(lanes->viewport(), Qt::LeftButton, {}, place);
    QTRY_VERIFY_WITH_TIMEOUT(window_->explanation().contains(job), 10'000);
    QVERIFY2(!window_->explanation().contains(QLatin1String("error")), qPrintable(window_->explanation()));
  }

  void aScenarioWithoutJobsHasNoFormOfTheJobBefore()
  {
    window_->showPage(MainWindow::workload_page);
    QVERIFY(formAt(QStringLiteral("jobs.0")) != nullptr);
    session_->document.openText(tests::example_text(QStringLiteral("rack_failure")),
                                QStringLiteral("rack_failure.yaml"));
    QTest::qWait(100);
    QVERIFY(formAt(QStringLiteral("jobs.0")) == nullptr);
    bool told = false;
    for (const QLabel* each : window_->workload()->findChildren<QLabel*>())
      told = told || (each->isVisible() && each->text().contains(QLatin1String("Services")));
    QVERIFY(told); // where the forms of what it has are
  }

  void parameterServersAreAskedForTheirNumber()
  {
    session_->document.openText(
        QString{one_job}.replace(QLatin1String("all_reduce"), QLatin1String("parameter_server")),
        QStringLiteral("hands.yaml"));
    window_->showPage(MainWindow::workload_page);
    SchemaForm* form = formAt(QStringLiteral("jobs.0.training"));
    QVERIFY(form != nullptr);
    auto* servers = inside<QLineEdit>(*form, "servers");
    QVERIFY(servers != nullptr && servers->isVisible());
  }

  void theCanvasShowsAllWhereverThePointerIs()
  {
    TopologyView* canvas = window_->canvas();
    QTest::mouseMove(canvas->viewport(), {10, 10});
    QTest::qWait(50);
    session_->document.openText(QString{one_job}.replace(QLatin1String("count: 4"), QLatin1String("count: 1")),
                                QStringLiteral("one.yaml"));
    QTest::keyClick(canvas, Qt::Key_0);
    const QRectF seen = canvas->mapToScene(canvas->viewport()->rect()).boundingRect();
    QVERIFY(seen.contains(window_->scene()->itemsBoundingRect()));
    const QPointF off = seen.center() - window_->scene()->itemsBoundingRect().center();
    QVERIFY2(std::abs(off.x()) < 3 && std::abs(off.y()) < 3,
             qPrintable(QStringLiteral("%1 %2").arg(off.x()).arg(off.y())));
  }

  void everyTopKeyHasAForm()
  {
    window_->showPage(MainWindow::rules_page);
    QStringList keys;
    auto* sections = window_->findChild<QListWidget*>(QStringLiteral("sections"));
    QVERIFY(sections != nullptr);
    for (int i = 0; i < sections->count(); ++i)
      keys << sections->item(i)->data(Qt::UserRole).toString();
    QVERIFY(keys.contains(QStringLiteral("orchestrator")));
    QCOMPARE(keys.front(), QString{}); // the scenario itself: name, question, era, calibration
    for (QTabBar* bar : window_->findChildren<QTabBar*>())
      for (int i = 0; i < bar->count(); ++i)
        if (bar->tabText(i) == QLatin1String("All settings"))
          bar->setCurrentIndex(i);
    sections->setCurrentRow(0);
    SchemaForm* form = formAt(QString{});
    QVERIFY(form != nullptr);
    auto* name = inside<QLineEdit>(*form, "name");
    QVERIFY(name != nullptr);
    QCOMPARE(name->text(), QStringLiteral("hands"));
    QVERIFY(inside<QWidget>(*form, "cluster") == nullptr); // a section
    auto* question = inside<QLineEdit>(*form, "question");
    QVERIFY(question != nullptr);
    question->setFocus();
    QTest::keyClicks(question, QStringLiteral("how fast?"));
    QTest::keyClick(question, Qt::Key_Return);
    QCOMPARE(session_->document.value(QStringLiteral("question")), QStringLiteral("how fast?"));
    // What the file has is bold.
    for (int i = 1; i < sections->count(); ++i)
      QCOMPARE(sections->item(i)->font().bold(),
               session_->document.text().contains(QLatin1Char('\n') + keys[i] + QLatin1Char(':')));
  }

  void aNameOfAnOrchestratorStaysWhereItGetsFurtherSettings()
  {
    session_->document.openText(mix(), QStringLiteral("mix.yaml"));
    SchemaForm form{session_->document, session_->schema};
    form.show(QStringLiteral("orchestrator"), QStringLiteral("Orchestrator"));
    auto* name = form.findChild<QComboBox*>(QStringLiteral("name"));
    auto* placement = form.findChild<QComboBox*>(QStringLiteral("placement"));
    QVERIFY(name != nullptr && placement != nullptr);
    QCOMPARE(name->currentData().toString(), QStringLiteral("kubernetes"));
    placement->setCurrentIndex(placement->findData(QStringLiteral("first_fit")));
    QVERIFY2(
        session_->document.text().contains(QLatin1String("orchestrator: {name: kubernetes, placement: first_fit}")),
        qPrintable(session_->document.text()));
  }

  void whatTheAnswerDependsOnIsShownAsATable()
  {
    QTest::keyClick(window_, Qt::Key_F7, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(window_->explanation().contains(QLatin1String("jobs.0.workers")), 30'000);
    auto* page = window_->dock(QStringLiteral("explanation"))->findChild<QTextBrowser*>();
    QVERIFY(page != nullptr && page->isVisible());
    bool found = false; // a cell of its own, not a line with blanks
    for (QTextBlock block = page->document()->begin(); block.isValid(); block = block.next())
      found = found || block.text().trimmed() == QLatin1String("jobs.0.workers");
    QVERIFY(found);
    QVERIFY(!window_->action(QStringLiteral("cancel"))->isEnabled());
  }

  void aReportIsWritten()
  {
    runToTheEnd();
    QVERIFY(window_->action(QStringLiteral("report")) != nullptr);
    const QString file = fixture_->folder.filePath(QStringLiteral("report.html"));
    window_->writeReport(file);
    const auto text = [&] { // what is written so far
      QFile in{file};
      return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray{};
    };
    QTRY_VERIFY_WITH_TIMEOUT(text().contains("resnet50"), 20'000);
    // Of a comparison both runs are reported, by the names that the window shows.
    runToTheEnd();
    window_->showPage(MainWindow::compare_page);
    const QStringList folders = window_->compareView()->folders();
    QCOMPARE(folders.size(), 2);
    QFile::remove(file);
    window_->writeReport(file);
    for (const QString& folder : folders)
      QTRY_VERIFY_WITH_TIMEOUT(text().contains(QFileInfo{folder}.fileName().toUtf8()), 20'000);
  }

  void aComparisonEndsInAVerdictAndAFigure()
  {
    runToTheEnd();
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("Set workers"));
    runToTheEnd();
    window_->showPage(MainWindow::compare_page);
    const auto* answer = window_->compareView()->findChild<QLabel*>(QStringLiteral("compared_answer"));
    QTRY_VERIFY_WITH_TIMEOUT(answer->isVisible(), 20'000);
    const QString four = QFileInfo{window_->compareView()->folders()[0]}.fileName();
    const QString two = QFileInfo{window_->compareView()->folders()[1]}.fileName();
    QVERIFY2(answer->text().contains(QStringLiteral("%1 is better than %2 in throughput").arg(four, two)),
             qPrintable(answer->text()));
    // The figure for a paper says which is which, and so does the table.
    const QString file = fixture_->folder.filePath(QStringLiteral("compared.svg"));
    const Chart* chart = window_->compareView()->findChild<Chart*>();
    QString error;
    QVERIFY2(chart->exportTo(file, &error), qPrintable(error));
    QFile in{file};
    QVERIFY(in.open(QIODevice::ReadOnly));
    const QByteArray figure = in.readAll();
    for (const QString& name : {four, two})
      QVERIFY2(figure.contains(name.toUtf8()), qPrintable(name));
    const auto* table = window_->compareView()->findChild<QTableView*>();
    QStringList heads;
    for (int i = 0; i < table->model()->columnCount(); ++i)
      heads << table->model()->headerData(i, Qt::Horizontal).toString();
    QVERIFY2(heads.join(QLatin1Char(' ')).contains(four) && heads.join(QLatin1Char(' ')).contains(two),
             qPrintable(heads.join(QLatin1Char(' '))));
  }
};

QTEST_MAIN(HandsRunsTest)
#include "hands_runs_test.moc"
