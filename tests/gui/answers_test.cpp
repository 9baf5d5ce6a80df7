// SPDX-License-Identifier: Apache-2.0
/// Numbers and words that the window shows are those of the command line: comparisons and explanations.
#include "gui/results/chart_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/results_view.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QDockWidget>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTableView>

#include <QTabWidget>
#include <memory>

using namespace trainyard::gui;

namespace {

QString training(const QString& link)
{
  return QStringLiteral(
             "name: small\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n  nodes: [{name: w, type: w, "
             "count: 4}]\n"
             "  network: {topology: star, link: %1}\njobs: [{name: train, model: resnet50, batch_per_gpu: 32, workers: "
             "1, "
             "training: {mode: all_reduce}}]\nrun: {fidelity: fluid}\nsweep: {grid: {jobs.0.workers: [1, 2, 4]}}\n")
      .arg(link);
}

QString queue(const QString& policy)
{
  return QStringLiteral(
             "name: queue\ncluster:\n  node_types: {dgx: {gpu: V100-SXM2-32GB, gpus: 8}}\n  nodes: [{name: dgx, type: "
             "dgx, count: "
             "2}]\nworkload: {generate: {jobs: 60, mean_interarrival: 4 min}}\nscheduling: {policies: [%1]}\n")
      .arg(policy);
}

const QString services =
    QStringLiteral("name: services\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}\n"
                   "  nodes: [{name: node, type: n, count: 3}]\norchestrator: swarm\nservices:\n"
                   "  - {name: web, replicas: 4}\nfaults:\n  - node:node-1@100s+300s\nrun: {until: 20 min}\n");

} // namespace

class AnswersTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    fixture_ = std::make_unique<tests::WindowFixture>("simgui-answers");
    session_ = fixture_->session.get();
    window_ = fixture_->window.get();
    QVERIFY2(!simrun_program().isEmpty(), "simrun was not found");
    QVERIFY(QTest::qWaitForWindowExposed(window_));
  }

  void cleanupTestCase() { fixture_.reset(); }

  void theNumbersOfAComparisonAreThoseOfSimrunCompare_data()
  {
    QTest::addColumn<QStringList>("folders");
    QTest::newRow("two trainings") << QStringList{run("a25", training(QStringLiteral("25GbE"))),
                                                  run("a100", training(QStringLiteral("100GbE")))};
    QTest::newRow("three trainings, the last is held against")
        << QStringList{run("b10", training(QStringLiteral("10GbE"))), run("b25", training(QStringLiteral("25GbE"))),
                       run("b100", training(QStringLiteral("100GbE")))};
    QTest::newRow("two queues, jobs in pairs")
        << QStringList{run("fifo", queue(QStringLiteral("fifo"))), run("srtf", queue(QStringLiteral("srtf")))};
  }

  void theNumbersOfAComparisonAreThoseOfSimrunCompare()
  {
    QFETCH(QStringList, folders);
    CompareView view;
    view.resize(1000, 600);
    QSignalSpy compared{&view, &CompareView::compared};
    for (const QString& folder : folders)
      view.add(std::make_shared<const ResultsData>(read_results(folder)));
    static_cast<QWidget&>(view).show();
    QVector<int> order{1, 0};
    if (folders.size() == 3)
      order = {2, 0, 1};
    view.choose(order);
    QCOMPARE(view.chosen(), order);
    QStringList arguments{QStringLiteral("compare")};
    for (const int at : order)
      arguments << folders[at];
    QTRY_VERIFY_WITH_TIMEOUT(compared.count() > 0 && !view.comparison().groups.isEmpty(), 30'000);
    QTRY_COMPARE_WITH_TIMEOUT(view.comparison().candidates.size(), order.size(), 30'000);
    const QJsonObject told = QJsonDocument::fromJson(tests::simrun_output(arguments << QStringLiteral("--json")
                                                                                    << QStringLiteral("--no-files")))
                                 .object();
    int numbers = 0;
    int differences = 0;
    for (const QJsonValue& measure : told.value(QLatin1String("measures")).toArray()) {
      const QString name = measure[QLatin1String("name")].toString();
      view.chooseMeasure(name);
      const Table table = view.deltas();
      int row = 0;
      for (const QJsonValue& group : told.value(QLatin1String("groups")).toArray()) {
        bool any = false;
        const QJsonArray candidates = group[QLatin1String("candidates")].toArray();
        for (int i = 0; i < candidates.size(); ++i)
          for (const QJsonValue& figure : candidates[i][QLatin1String("figures")].toArray()) {
            if (figure[QLatin1String("measure")].toString() != name)
              continue;
            any = true;
            QCOMPARE(table.rows[row][0], group[QLatin1String("name")].toString());
            const QString column = QFileInfo{folders[order[i]]}.fileName(); // as the user named the run
            QCOMPARE(table.number(row, column), figure[QLatin1String("mean")].toDouble());
            ++numbers;
            if (i == 0 || !figure.toObject().contains(QLatin1String("difference")))
              continue;
            const QString difference = QStringLiteral("%1 − %2").arg(column, QFileInfo{folders[order[0]]}.fileName());
            QCOMPARE(table.number(row, difference), figure[QLatin1String("difference")].toDouble());
            if (figure.toObject().contains(QLatin1String("difference_low"))) {
              QCOMPARE(table.number(row, difference + QStringLiteral(", low")),
                       figure[QLatin1String("difference_low")].toDouble());
              QCOMPARE(table.number(row, difference + QStringLiteral(", high")),
                       figure[QLatin1String("difference_high")].toDouble());
            }
            QCOMPARE(table.text(row, column + QStringLiteral(": sure")),
                     figure[QLatin1String("significant")].toBool() ? QStringLiteral("yes") : QStringLiteral("no"));
            ++differences;
          }
        row += any ? 1 : 0;
      }
      QCOMPARE(table.rows.size(), row); // and nothing else
    }
    QVERIFY2(numbers > 0 && differences > 0,
             qPrintable(QStringLiteral("%1 numbers, %2 differences").arg(numbers).arg(differences)));
    // What differs in the inputs, too.
    for (const QJsonValue& inputs : told.value(QLatin1String("inputs")).toArray())
      for (const QJsonValue& difference : inputs[QLatin1String("differences")].toArray()) {
        bool found = false;
        for (const QStringList& cells : view.inputs().rows)
          found = found || (cells[0] == difference[QLatin1String("path")].toString() &&
                            cells[1] == difference[QLatin1String("baseline")].toString() &&
                            cells.contains(difference[QLatin1String("candidate")].toString()));
        QVERIFY2(found, qPrintable(difference[QLatin1String("path")].toString()));
      }
    QVERIFY(view.chart()->series().size() >= order.size()); // every run is drawn
  }

  void aClickOnARowExplainsItInTheWordsOfSimrun_data()
  {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("table");
    QTest::addColumn<QStringList>("arguments"); // "%" stands for the name in the row
    const QString trained = run("c", training(QStringLiteral("25GbE")));
    const QString queued = run("d", queue(QStringLiteral("fifo")));
    const QString served = run("e", services);
    QTest::newRow("job of a training") << trained << QStringLiteral("Jobs")
                                       << QStringList{served.left(0), QStringLiteral("--job"), QStringLiteral("train"),
                                                      QStringLiteral("--point"), QStringLiteral("workers=1")};
    QTest::newRow("job of a queue") << queued << QStringLiteral("Jobs")
                                    << QStringList{QStringLiteral("job"), QStringLiteral("0")};
    QTest::newRow("task") << served << QStringLiteral("tasks")
                          << QStringList{QStringLiteral("task"), QStringLiteral("web-0")};
    QTest::newRow("service") << served << QStringLiteral("services")
                             << QStringList{QStringLiteral("service"), QStringLiteral("web")};
    QTest::newRow("retraining") << run("f", tests::example_text(QStringLiteral("retraining"))
                                                .replace(QLatin1String("until: 30 d"), QLatin1String("until: 5 d")))
                                << QStringLiteral("requests")
                                << QStringList{QStringLiteral("job"), QStringLiteral("faces-1")};
  }

  void aClickOnARowExplainsItInTheWordsOfSimrun()
  {
    QFETCH(QString, folder);
    QFETCH(QString, table);
    QFETCH(QStringList, arguments);
    QSignalSpy loaded{&session_->loader, &ResultLoader::loaded};
    window_->openResults(folder);
    QTRY_VERIFY_WITH_TIMEOUT(window_->resultsView()->results() &&
                                 window_->resultsView()->results()->folder == QFileInfo{folder}.absoluteFilePath(),
                             20'000);
    for (const int tab : {1, 6})
      window_->resultsView()->openTab(tab);
    if (table == QLatin1String("Jobs"))
      window_->resultsView()->openTab(1);
    QTableView* rows = nullptr;
    for (QTableView* each : window_->resultsView()->findChildren<QTableView*>())
      if (each->accessibleName() == table)
        rows = each;
    QVERIFY(rows != nullptr);
    QVERIFY(rows->model()->rowCount() > 0);
    emit rows->activated(rows->model()->index(0, 0)); // Enter, or a double click
    QStringList asked{QStringLiteral("explain")};
    if (arguments[0].isEmpty())
      asked << folder << arguments.mid(1);
    else
      asked << arguments << folder;
    const QString wanted = QString::fromUtf8(tests::simrun_output(asked)).trimmed();
    QVERIFY(!wanted.isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(window_->explanation().trimmed(), wanted, 20'000);
    QVERIFY(window_->dock(QStringLiteral("explanation"))->isVisible());
  }

  void aLinkTellsWhoUsesItAndWhatHoldsThemBack()
  {
    const ResultsData data = read_results(run("g", training(QStringLiteral("10GbE"))));
    const int last = static_cast<int>(data.links.rows.size()) - 1;
    const QString words = link_words(data, {data.links.text(last, QStringLiteral("link"))},
                                     data.links.text(last, QStringLiteral("point")));
    QVERIFY2(
        words.contains(QStringLiteral("%1 %").arg(100 * data.links.number(last, QStringLiteral("busy")), 0, 'f', 1)),
        qPrintable(words));
    QVERIFY(words.contains(QLatin1String("train")));
    for (int row = 0; row < data.jobs.rows.size(); ++row)
      if (data.jobs.text(row, QStringLiteral("point")) == data.links.text(last, QStringLiteral("point")))
        QVERIFY2(words.contains(data.jobs.text(row, QStringLiteral("bottleneck"))), qPrintable(words));
    QVERIFY(
        link_words(data, {QStringLiteral("no such link")}, {}).startsWith(QLatin1String("This link carried nothing")));
  }

  void livesOfTasksAndRetrainingAreTimelines()
  {
    const ResultsData served = read_results(run("h", services));
    QVERIFY(served.timeline.lanes.size() >= 4); // four replicas
    QCOMPARE(served.timeline.end, 1200.0);
    const Timeline overlap = retraining_timeline(
        read_csv("policy,replica,request,from_s,to_s\nallow,0,m-1,0,10\nallow,0,m-2,5,15\nallow,1,m-1,0,99\n"),
        read_csv("policy,replica,model,from_s,to_s\nallow,0,m,0,10\n"));
    QCOMPARE(overlap.lanes.size(), std::size_t{3}); // out of date; two trainings at a time
    QCOMPARE(overlap.spans, std::size_t{3});
    QCOMPARE(overlap.end, 15.0); // other replicas are left out
  }

private:
  QString run(const char* name, const QString& text)
  {
    const QString folder = fixture_->folder.filePath(QLatin1String(name));
    tests::write_file(folder + QStringLiteral(".yaml"), text.toUtf8());
    tests::simrun_output({QStringLiteral("run"), folder + QStringLiteral(".yaml"), QStringLiteral("-o"), folder});
    return folder;
  }

  std::unique_ptr<tests::WindowFixture> fixture_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
};

QTEST_MAIN(AnswersTest)
#include "answers_test.moc"
