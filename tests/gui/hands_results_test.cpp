// SPDX-License-Identifier: Apache-2.0
/// What hands do with results: charts, tables, timelines, points.
#include "gui/canvas/load_scrubber.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/figures.hpp"
#include "gui/results/overview.hpp"
#include "gui/results/results_view.hpp"
#include "gui/results/table_model.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "tests/gui/hands_fixture.hpp"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChartView>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHorizontalBarSeries>
#include <QLabel>
#include <QLegendMarker>
#include <QLineEdit>
#include <QLogValueAxis>
#include <QRegularExpression>
#include <QTableView>
#include <QToolButton>
#include <QValueAxis>

#include <QChart>
#include <QSignalSpy>
#include <QSlider>
#include <cmath>

using namespace trainyard::gui;
using tests::one_job;

namespace {

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

class HandsResultsTest : public tests::Hands
{
  Q_OBJECT

private slots:
  void initTestCase() { start("simgui-hands-results"); }
  void cleanupTestCase() { fixture_.reset(); }
  void init() { renew(); }

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

  void servicesOfASweepAreThoseOfThePoint()
  {
    // The rack of job-d fails at 2 h for 6 h: its four tasks move where tasks are replaced, else they wait.
    session_->document.openText(tests::example_text(QStringLiteral("rack_failure")), QStringLiteral("rack.yaml"));
    const auto before = session_->results.size();
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(session_->results.size(), before + 1, 60'000);
    ResultsView* results = window_->resultsView();
    results->openTab(0);
    auto* box = results->findChild<QComboBox*>(QStringLiteral("point"));
    QCOMPARE(box->count(), 4);
    const auto running_at = [&](double hours) {
      double running = -1;
      for (const Series& line : results->chart()->series())
        if (line.name == QLatin1String("job-d"))
          for (const QPointF& point : line.points)
            if (point.x() <= hours)
              running = point.y();
      return running;
    };
    const auto* answer = results->findChild<QLabel*>(QStringLiteral("answer"));
    box->setFocus();
    for (const auto& [key, point, running] :
         {std::tuple{Qt::Key_Home, QStringLiteral("reschedules=true interval=10 min"), 4.0},
          {Qt::Key_End, QStringLiteral("reschedules=false interval=1 h"), 0.0}}) {
      QTest::keyClick(box, key);
      QCOMPARE(results->point(), point);
      QCOMPARE(results->chart()->series().size(), 4);
      QCOMPARE(running_at(5), running);
      QVERIFY2(answer->text().contains(point + QStringLiteral(": 1 failure hit 4 tasks")), qPrintable(answer->text()));
      QCOMPARE(answer->text().count(QStringLiteral("1 failure hit 4 tasks")), 1);
      results->openTab(2);
      QCOMPARE(results->timeline()->timeline()->lanes.size(), std::size_t{16}); // 4 jobs of 4 tasks
      results->openTab(0);
    }
  }

  void manyPointsHaveABoxForEachAxis()
  {
    // 5 x 3 points; a table without points is of all of them.
    QByteArray rows = "point,workers,batch,samples_per_second\n";
    for (const int workers : {1, 2, 4, 8, 16})
      for (const int batch : {32, 64, 128})
        rows += QStringLiteral("workers=%1 batch=%2,%1,%2,%3\n").arg(workers).arg(batch).arg(workers * batch).toUtf8();
    auto data = std::make_shared<ResultsData>(*results_with(rows));
    data->other = {{QStringLiteral("sizes"), read_csv(rows)}, {QStringLiteral("winners"), read_csv("a,b\n1,2\n3,4\n")}};
    ResultsView* results = window_->resultsView();
    window_->showPage(MainWindow::results_page);
    results->show(data);
    QVERIFY(!results->findChild<QComboBox*>(QStringLiteral("point"))->isVisible());
    auto* workers = results->findChild<QComboBox*>(QStringLiteral("workers"));
    QVERIFY(workers != nullptr && workers->isVisible());
    QCOMPARE(workers->count(), 5);
    QCOMPARE(results->point(), QStringLiteral("workers=16 batch=128"));
    workers->setFocus();
    QTest::keyClick(workers, Qt::Key_Up);
    QCOMPARE(results->point(), QStringLiteral("workers=8 batch=128"));
    auto* batch = results->findChild<QComboBox*>(QStringLiteral("batch"));
    batch->setFocus();
    QTest::keyClick(batch, Qt::Key_Home);
    QCOMPARE(results->point(), QStringLiteral("workers=8 batch=32"));
    results->openTab(6);
    const auto* more = results->findChild<QTabWidget*>(QStringLiteral("more"));
    QCOMPARE(more->tabText(0), QStringLiteral("sizes"));
    QCOMPARE(qobject_cast<QTableView*>(more->widget(0))->model()->rowCount(), 1);
    QCOMPARE(more->tabText(1), QStringLiteral("winners · all points"));
    results->show(sweep()); // four points again
    QVERIFY(results->findChild<QComboBox*>(QStringLiteral("point"))->isVisible());
  }

  void aQueueSaysWhoWaitsAndWhy()
  {
    // One machine of 4 GPUs; 20 jobs, each all of it for 600 s, come at once: job 17 begins after 17 x 600 s = 10,200
    // s.
    QByteArray trace = "submit_s,gpus,duration_s\n";
    for (int job = 0; job < 20; ++job)
      trace += "0,4,600\n";
    QVERIFY(tests::write_file(fixture_->folder.filePath(QStringLiteral("twenty.csv")), trace));
    const QString file = fixture_->folder.filePath(QStringLiteral("queue.yaml"));
    QVERIFY(tests::write_file(file,
                              "trainyard: 1\nname: queue\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: "
                              "4}}\n  nodes: [{name: w, type: w, count: 1}]\n  network: {link: 25GbE}\n"
                              "workload: {trace: {file: twenty.csv}}\nscheduling: {policies: [fifo]}\n"));
    window_->openFile(file);
    const auto before = session_->results.size();
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(session_->results.size(), before + 1, 30'000);
    ResultsView* results = window_->resultsView();
    QTRY_COMPARE(results->results()->scenario, QStringLiteral("queue"));
    // When it was full: until the last one ends, at 20 x 600 s; at first 19 wait.
    results->openTab(0);
    const QString said = results->findChild<QLabel*>(QStringLiteral("bottleneck"))->text();
    QCOMPARE(said, QStringLiteral("Fullest from 0 to 200 min, with 4 GPUs in use; most jobs wait at 0: 19"));
    // Who waits more than an hour: jobs 7 to 19. Enter goes to the rows, and again asks why.
    results->openTab(1);
    auto* filter = results->findChild<QLineEdit*>();
    filter->setFocus();
    QTest::keyClicks(filter, QStringLiteral("wait > 1 h"));
    QTableView* jobs = nullptr;
    for (QTableView* each : results->findChildren<QTableView*>())
      if (each->accessibleName() == QLatin1String("Jobs"))
        jobs = each;
    QCOMPARE(jobs->model()->rowCount(), 13);
    filter->selectAll();
    QTest::keyClicks(filter, QStringLiteral("job = 17"));
    QCOMPARE(jobs->model()->rowCount(), 1);
    QTest::keyClick(filter, Qt::Key_Return);
    QVERIFY(jobs->hasFocus());
    QTest::keyClick(jobs, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(window_->explanation().contains(QStringLiteral("17")), 10'000);
    QVERIFY2(window_->explanation().contains(QStringLiteral("fewer GPUs free than it needs")),
             qPrintable(window_->explanation()));
    results->setFilter({});
    // Two machines more, three in all: job 17 begins after 5 x 600 s, all are done after 7 x 600 s; the mean wait is
    // 600 s x (3 x (0 + … + 5) + 2 x 6) / 20 = 1,710 s instead of 600 s x 9.5 = 5,700 s.
    window_->openDock(QStringLiteral("what_if"));
    QSlider* machines = nullptr;
    for (QSlider* each : window_->whatIf()->findChildren<QSlider*>())
      if (each->accessibleName() == QLatin1String("cluster.nodes.0.count"))
        machines = each;
    QVERIFY(machines != nullptr);
    QSignalSpy answered{window_->whatIf(), &WhatIfPanel::answered};
    machines->setFocus();
    QTest::keyClick(machines, Qt::Key_Right);
    QTest::keyClick(machines, Qt::Key_Right);
    QTRY_VERIFY_WITH_TIMEOUT(answered.count() > 0, 30'000);
    const auto* answer = window_->whatIf()->findChild<QLabel*>(QStringLiteral("what_if_answer"));
    QVERIFY2(
        answer->text().startsWith(QStringLiteral("fifo: a job waits 28.5 min on average instead of 95.0 min; all are "
                                                 "done after 70.0 min instead of 200 min")),
        qPrintable(answer->text()));
    window_->dock(QStringLiteral("what_if"))->hide();
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

  void theFirstPageOfADividedJobHasNumbers()
  {
    auto data = std::make_shared<ResultsData>(*results_with({}));
    data->jobs = {};
    data->other.push_back({QStringLiteral("parallel"),
                           read_csv("point,job,gpus,step_s,tokens_per_second,samples_per_second,compute_s,bubble_s,"
                                    "model_flop_utilisation\n"
                                    ",llama,512,8.18,512543,62.6,6.46,0.148,0.487\n")});
    ResultsView* results = window_->resultsView();
    results->show(data);
    results->openTab(0);
    const auto words = [&](const char* caption) {
      const auto* label = results->findChild<QLabel*>(QLatin1String(caption));
      return label == nullptr ? QString{} : label->text();
    };
    QCOMPARE(words("GPUs"), QStringLiteral("512"));
    QCOMPARE(words("per step"), QStringLiteral("8.18 s"));
    QCOMPARE(words("of the peak in model flop"), QStringLiteral("49 %"));
    QCOMPARE(words("tokens per second"), QStringLiteral("512,543"));
    QCOMPARE(results->findChild<StackedBar*>()->parts().front().value, 6.46);
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
    QCOMPARE(table->model()->index(0, 1).data().toString(), QStringLiteral("0.0953 s"));
    QCOMPARE(copied_rows(*table, true), QStringLiteral("| workers | step | bandwidth |\n|---|---|---|\n"
                                                       "| 2 | 0.0953 s | x |\n| 16 | 1.65 s | y |\n"));
    // Names differ at their ends: "NIC of node_of_hall_b-0" and "-1" must not both be "NIC of …".
    QCOMPARE(table->textElideMode(), Qt::ElideMiddle);
    QVERIFY(!table->wordWrap());
    // What a rate may be off stands behind it: 90 to 110 of 100.
    results->show(results_with("point,workers,samples_per_second,samples_per_second_low,samples_per_second_high\n"
                               "workers=1,1,100,90,110\nworkers=2,2,200,200,200\n"));
    QCOMPARE(copied_rows(*table, true),
             QStringLiteral("| workers | samples per second |\n|---|---|\n| 1 | 100 ±10.0 % |\n| 2 | 200 |\n"));
    // A wide one is told by its ends, as simrun does: 6.93 to 16.1 of 10.6 is no ±43 %.
    results->show(results_with("point,workers,samples_per_second,samples_per_second_low,samples_per_second_high\n"
                               "workers=1,1,10.6,6.93,16.1\nworkers=2,2,200,200,200\n"));
    QCOMPARE(copied_rows(*table, true),
             QStringLiteral("| workers | samples per second |\n|---|---|\n| 1 | 10.6 (6.93 to 16.1) |\n| 2 | 200 |\n"));
    results->show(results_with("point,workers,step_s,bandwidth\nworkers=2,2,0.0953,x\nworkers=16,16,1.65,y\n"));
    table->selectRow(1);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("workers,step,bandwidth\n16,1.65,y\n"));
  }
};

QTEST_MAIN(HandsResultsTest)
#include "hands_results_test.moc"
