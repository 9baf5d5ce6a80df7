// SPDX-License-Identifier: Apache-2.0
/// Pictures that leave the program: what an exported SVG and PDF consist of, compared with a golden list (their bytes
/// differ with fonts). UPDATE_GOLDEN=1 writes the lists again. And the plan: asked for in its dialog, answered by
/// simrun, drawn as cost against what it brings.
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/widgets.hpp"
#include "gui/panels/plan_dialog.hpp"
#include "gui/panels/workload_view.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/results_view.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QSignalSpy>
#include <QTableWidget>
#include <QValueAxis>
#include <QXmlStreamReader>

#include <QAction>
#include <QTabWidget>
#include <map>

using namespace trainyard::gui;

namespace {

/// Elements by their number, and all words, of an SVG file; numbers of axis labels are left out of the words.
QString structure(const QString& file)
{
  QFile in{file};
  if (!in.open(QIODevice::ReadOnly))
    return QStringLiteral("no file");
  QXmlStreamReader xml{&in};
  std::map<QString, int> elements;
  QStringList words;
  QString box;
  QString text;
  static const QRegularExpression number{QStringLiteral("^[-+0-9.e ]+( ?(ns|µs|ms|s|min|h|d))?$")};
  while (!xml.atEnd()) {
    xml.readNext();
    if (xml.isStartElement()) {
      ++elements[xml.name().toString()];
      text.clear();
      if (xml.name() == QLatin1String("svg"))
        box = xml.attributes().value(QLatin1String("viewBox")).toString();
    } else if (xml.isCharacters()) {
      text += xml.text();
    } else if (xml.isEndElement()) {
      if (const QString one = text.simplified(); !one.isEmpty() && !number.match(one).hasMatch())
        words << one;
      text.clear();
    }
  }
  if (xml.hasError())
    return QStringLiteral("damaged: ") + xml.errorString();
  QString told = QStringLiteral("view box: %1\n").arg(box);
  for (const char* name : {"image", "polyline", "circle", "rect"})
    told += QStringLiteral("%1: %2\n").arg(QLatin1String(name)).arg(elements[QLatin1String(name)]);
  words.sort();
  for (const QString& word : words)
    told += QStringLiteral("words: %1\n").arg(word);
  return told;
}

QString golden_folder()
{
  return QStringLiteral(QT_TESTCASE_SOURCEDIR "/golden/");
}

void compare_with_golden(const QString& name, const QString& told)
{
  QFile golden{golden_folder() + name};
  if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
    QDir{}.mkpath(golden_folder());
    QVERIFY(golden.open(QIODevice::WriteOnly));
    golden.write(told.toUtf8());
    return;
  }
  QVERIFY2(golden.open(QIODevice::ReadOnly), qPrintable(golden.fileName()));
  QCOMPARE(told, QString::fromUtf8(golden.readAll()));
}

} // namespace

class PicturesTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    fixture_ = std::make_unique<tests::WindowFixture>("simgui-pictures");
    session_ = fixture_->session.get();
    window_ = fixture_->window.get();
    QVERIFY2(!simrun_program().isEmpty(), "simrun was not found");
    QVERIFY(QTest::qWaitForWindowExposed(window_));
  }

  void cleanupTestCase() { fixture_.reset(); }

  void aChartAsSvgConsistsOfItsLinesAndWords()
  {
    Chart chart;
    Series slow{QStringLiteral("parameter server"), {{1, 10}, {2, 18}, {4, 26}, {8, 30}}};
    Series fast{QStringLiteral("ring"), {{1, 10}, {2, 20}, {4, 39}, {8, 77}}};
    chart.setSeries({slow, fast}, QStringLiteral("Which one scales?"), QStringLiteral("workers"),
                    QStringLiteral("samples/s"));
    chart.setThreshold(50, QStringLiteral("goal"));
    const QString file = fixture_->folder.filePath(QStringLiteral("chart.svg"));
    QString error;
    QVERIFY2(chart.exportTo(file, &error), qPrintable(error));
    const QString told = structure(file);
    for (const char* word : {"parameter server", "ring", "goal", "Which one scales?", "workers", "samples/s"})
      QVERIFY2(told.contains(QStringLiteral("words: %1\n").arg(QLatin1String(word))), qPrintable(told));
    compare_with_golden(QStringLiteral("chart_svg.txt"), told);
    // The same colours whatever the theme, on white.
    QFile svg{file};
    QVERIFY(svg.open(QIODevice::ReadOnly));
    const QByteArray text = svg.readAll();
    QVERIFY(text.contains("#0072b2") && text.contains("#ffffff")); // Okabe and Ito's blue
  }

  void everyChartHasATableAsItsTwin()
  {
    session_->document.undoStack()->setClean();
    session_->document.openText(tests::example_text(QStringLiteral("vgg16_ps_vs_ring")), QStringLiteral("vgg16.yaml"));
    auto data = std::make_shared<ResultsData>();
    data->folder = QStringLiteral("/no/such/folder");
    data->jobs = read_csv("point,workers,samples_per_second\na,1,10\nb,2,20\n");
    window_->resultsView()->show(data); // without results there is no chart
    window_->resultsView()->openTab(0);
    QSet<const Chart*> turned;
    for (int page = 0; page < 5; ++page) {
      window_->showPage(static_cast<MainWindow::Page>(page));
      if (page == MainWindow::cluster_page)
        window_->openDock(QStringLiteral("what_if"));
      for (int inner = 0; inner < 2; ++inner) {
        if (page == MainWindow::workload_page)
          window_->workload()->pages()->setCurrentIndex(inner);
        QTest::qWait(20);
        window_->action(QStringLiteral("table_twin"))->trigger();
        for (const Chart* each : window_->findChildren<Chart*>())
          if (each->isVisible() && each->isTable())
            turned.insert(each);
        window_->action(QStringLiteral("table_twin"))->trigger();
      }
    }
    for (const Chart* each : window_->findChildren<Chart*>())
      QVERIFY2(turned.contains(each) && !each->isTable(), each->parentWidget()->metaObject()->className());
  }

  void aChartAsPdfIsOnePageWithItsTitleAndRealLetters()
  {
    Chart chart;
    chart.setSeries({{QStringLiteral("ring"), {{1, 10}, {2, 20}}}}, QStringLiteral("Scaling"),
                    QStringLiteral("workers"), QStringLiteral("samples/s"));
    const QString file = fixture_->folder.filePath(QStringLiteral("chart.pdf"));
    QString error;
    QVERIFY2(chart.exportTo(file, &error), qPrintable(error));
    QFile pdf{file};
    QVERIFY(pdf.open(QIODevice::ReadOnly));
    const QByteArray text = pdf.readAll();
    QVERIFY(text.startsWith("%PDF-1."));
    QVERIFY(text.contains("/Count 1"));
    QVERIFY(text.contains("/FontFile2") || text.contains("/FontDescriptor")); // letters, not outlines
    static const QRegularExpression media{QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)\\]")};
    const auto box = media.match(QString::fromLatin1(text));
    QVERIFY(box.hasMatch());
    QVERIFY(qAbs(box.captured(1).toDouble() / box.captured(2).toDouble() - 1200.0 / 720) < 0.02);
    QVERIFY(text.trimmed().endsWith("%%EOF"));
  }

  void theCanvasAsSvgNamesEveryMachineAndSwitch()
  {
    session_->document.openText(
        QStringLiteral(
            "trainyard: 1\nname: canvas\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 2}}\n"
            "  nodes: [{name: w, type: w, count: 3}]\n  network: {topology: star, link: 25GbE}\n"
            "jobs:\n  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}}\n"),
        QStringLiteral("canvas.yaml"));
    window_->showPage(MainWindow::cluster_page);
    const QString file = fixture_->folder.filePath(QStringLiteral("canvas.svg"));
    QString error;
    QVERIFY2(window_->exportTo(file, &error), qPrintable(error));
    const QString told = structure(file);
    for (const CanvasItem& item : window_->scene()->model().items)
      QVERIFY2(told.contains(item.label), qPrintable(item.label + QLatin1Char('\n') + told));
    compare_with_golden(QStringLiteral("canvas_svg.txt"), told);
  }

  void theTimelineAsSvgHasItsLanesAsPicturesAndItsNamesAsWords()
  {
    auto data = std::make_shared<ResultsData>();
    data->timeline.names = {QStringLiteral("forward"), QStringLiteral("all-reduce")};
    data->timeline.categories = {QStringLiteral("forward"), QStringLiteral("exchange")};
    for (int lane = 0; lane < 3; ++lane)
      data->timeline.lanes.push_back(
          {QStringLiteral("gpu-%1").arg(lane), QStringLiteral("job"), {{0, 0.6, 0}, {0.6, 1, 1}}});
    data->timeline.end = 1;
    data->timeline.spans = 6;
    window_->resultsView()->show(data);
    window_->showPage(MainWindow::results_page);
    window_->resultsView()->openTab(2);
    QTest::qWait(40);
    const QString file = fixture_->folder.filePath(QStringLiteral("timeline.svg"));
    QString error;
    QVERIFY2(window_->exportTo(file, &error), qPrintable(error));
    const QString told = structure(file);
    QVERIFY2(told.contains(QLatin1String("image: 3\n")), qPrintable(told)); // one a lane
    QCOMPARE(told.count(QLatin1String("words: forward\n")), 3);
    compare_with_golden(QStringLiteral("timeline_svg.txt"), told);
  }

  void aPlanIsAskedForAndItsDesignsAreDrawn()
  {
    session_->document.undoStack()->setClean();
    session_->document.openText(
        QStringLiteral(
            "trainyard: 1\nname: room\ncluster:\n  node_types: {dgx: {gpu: V100-SXM2-32GB, gpus: 8, price: 10 $/h}}\n"
            "  nodes: [{name: dgx, type: dgx, count: 2}]\nworkload: {generate: {jobs: 80, mean_interarrival: 4 min}}\n"
            "scheduling: {policies: [fifo, srtf]}\n"),
        QStringLiteral("room.yaml"));
    window_->plan();
    auto* dialog = window_->findChild<PlanDialog*>();
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->findChild<QTableWidget*>()->item(0, 0)->text(), QStringLiteral("cluster.nodes.0.count"));
    QCOMPARE(dialog->findChild<QLineEdit*>(QStringLiteral("policies"))->text(), QStringLiteral("fifo,srtf"));
    dialog->findChild<QTableWidget*>()->item(0, 1)->setText(QStringLiteral("1..5"));
    dialog->findChild<QComboBox*>(QStringLiteral("goal"))->setCurrentText(QStringLiteral("p95(queueing_delay) < 1 h"));
    QSignalSpy loaded{&session_->loader, &ResultLoader::loaded};
    QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("find")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(loaded.count() == 1, 60'000);
    QTRY_VERIFY(window_->resultsView()->results() && window_->resultsView()->results()->plan);
    const ResultsData& data = *window_->resultsView()->results();
    QCOMPARE(data.jobs.rows.size(), 10); // five sizes, two policies
    QCOMPARE(data.plan->measures, QStringList{QStringLiteral("p95(queueing_delay)")});
    QCOMPARE(data.plan->limits, QVector<double>{3600});
    QCOMPARE(data.plan->upper, QVector<bool>{true});
    // Every design is a point with its cost and what it brings; the front has falling values for rising cost.
    int points = 0;
    bool answer = false;
    for (const Series& each : window_->resultsView()->chart()->series()) {
      points += each.marks && !each.large ? static_cast<int>(each.points.size()) : 0;
      answer = answer || each.large;
    }
    QCOMPARE(points, 10);
    QVERIFY(answer);
    // GPUs are a number; what the goal limits has the unit of the goal.
    auto by_gpus = std::make_shared<ResultsData>(data);
    by_gpus->plan->objective = QStringLiteral("gpus");
    by_gpus->jobs.columns.replaceInStrings(QRegularExpression{QStringLiteral("^cost$")}, QStringLiteral("gpus"));
    const Results shown = window_->resultsView()->results();
    window_->resultsView()->show(by_gpus);
    QStringList titles;
    for (const QAbstractAxis* axis : window_->resultsView()->chart()->findChild<QChartView*>()->chart()->axes())
      titles << axis->titleText();
    QCOMPARE(titles, (QStringList{QStringLiteral("GPUs"), QStringLiteral("p95(queueing delay), h")}));
    for (const Series& each : window_->resultsView()->chart()->series())
      if (each.large)
        QCOMPARE(each.points.front().y(), data.plan->best_values[0] / 3600);
    window_->resultsView()->show(shown);
    const QVector<QPointF>& front = data.plan->fronts[0];
    for (int i = 1; i < front.size(); ++i)
      QVERIFY(front[i].x() > front[i - 1].x() && front[i].y() < front[i - 1].y());
    const QString advice = message_lines(data.messages, trainyard::MessageKind::answer);
    QVERIFY2(advice.contains(QLatin1String("answer")) || advice.contains(QLatin1String("miss")), qPrintable(advice));
    // Its twin is a table with all of them, and the answer opens as a scenario.
    window_->resultsView()->openTab(0);
    window_->action(QStringLiteral("table_twin"))->trigger(); // Ctrl+T
    QVERIFY(window_->resultsView()->chart()->isTable());
    window_->action(QStringLiteral("table_twin"))->trigger();
    QVERIFY(!window_->resultsView()->chart()->isTable());
    session_->document.undoStack()->setClean();
    for (QPushButton* button : window_->info()->findChildren<QPushButton*>())
      if (button->text() == QLatin1String("Open it as a scenario"))
        QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(session_->document.title(), QStringLiteral("answer.yaml"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.node_types.dgx.price")), QStringLiteral("10 $/h"));
    // The whole of simrun's words is one key away.
    window_->action(QStringLiteral("explain"))->trigger();
    QCOMPARE(window_->explanation(), QString::fromStdString(data.plan->told.text()));
  }

private:
  std::unique_ptr<tests::WindowFixture> fixture_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
};

QTEST_MAIN(PicturesTest)
#include "pictures_test.moc"
