/// What the result views show: tables, timelines, charts, colours.
#include "gui/canvas/canvas_model.hpp"
#include "gui/core/theme.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/results.hpp"
#include "gui/results/results_view.hpp"
#include "gui/results/table_model.hpp"
#include "gui/results/timeline_view.hpp"
#include "gui/run/run_queue.hpp"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QPalette>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>

using namespace trainyard;
using namespace trainyard::gui;

namespace {

Document parsed(const char* text)
{
  Diagnostics diagnostics;
  return parse_document(text, "test", diagnostics);
}

void write(const QString& file, const QByteArray& bytes)
{
  QFile out{file};
  QVERIFY(out.open(QIODevice::WriteOnly));
  out.write(bytes);
}

} // namespace

class ResultsTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

  void csvWithQuotesAndUnevenRows()
  {
    int uneven = 0;
    const Table table = read_csv("a,b\r\n\"x, \"\"y\"\"\",2\n3\n\n4,5,6\n", &uneven);
    QCOMPARE(table.columns, (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
    QCOMPARE(table.rows.size(), 3);
    QCOMPARE(table.rows[0][0], QStringLiteral("x, \"y\""));
    QCOMPARE(table.rows[1], (QStringList{QStringLiteral("3"), QString{}}));
    QCOMPARE(table.rows[2], (QStringList{QStringLiteral("4"), QStringLiteral("5")}));
    QCOMPARE(uneven, 2);
    QVERIFY(table.isNumeric(1));
    QVERIFY(!table.isNumeric(0));
  }

  void tablesSortAsNumbersAndFilterByWords()
  {
    TableModel model;
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
    model.show(read_csv("name,rate\nten,10\nnine,9\nhundred,100\n"));
    RowFilter filter;
    filter.setSourceModel(&model);
    filter.sort(1);
    QCOMPARE(filter.index(0, 0).data().toString(), QStringLiteral("nine"));
    QCOMPARE(filter.index(2, 0).data().toString(), QStringLiteral("hundred"));
    filter.setWords(QStringLiteral("n 10"));
    QCOMPARE(filter.rowCount(), 2); // "ten 10" and "hundred 100"
    QCOMPARE(short_number(12345678.0), QStringLiteral("1.235e+07"));
    QCOMPARE(short_number(0.5), QStringLiteral("0.5"));
    QCOMPARE(short_number(std::numeric_limits<double>::quiet_NaN()), QStringLiteral("–"));
  }

  void timeScaleKeepsThePointUnderThePointer()
  {
    TimeScale scale{0, 10, 1000};
    QCOMPARE(scale.x(2.5), 250.0);
    QCOMPARE(scale.seconds(250), 2.5);
    scale.zoom(0.5, 250, 0, 10); // 5 s wide, 2.5 s stays at 250 px
    QCOMPARE(scale.begin, 1.25);
    QCOMPARE(scale.end, 6.25);
    scale.pan(100'000, 0, 10);
    QCOMPARE(scale.end, 10.0);
    scale.zoom(100, 0, 0, 10);
    QCOMPARE(scale.begin, 0.0);
    QCOMPARE(scale.end, 10.0);
    QCOMPARE(tick_distance(TimeScale{0, 10, 1000}, 90), 1.0);
    QCOMPARE(tick_distance(TimeScale{0, 10, 1000}, 110), 2.0);
    QCOMPARE(time_text(0.0015, 0.0005), QStringLiteral("1.5 ms"));
    QCOMPARE(time_text(7200, 3600), QStringLiteral("2 h"));
  }

  void aLaneIsDrawnColumnByColumn()
  {
    // 10 columns over 10 s: [1, 3) is name 0, [3, 3.2) name 1 has the column 3, [7, 8) name 1.
    const std::vector<Span> spans{{1, 3, 0}, {3, 3.2, 1}, {7, 8, 1}};
    QImage image{10, 1, QImage::Format_RGB32};
    draw_lane(image, 0, 1, spans, TimeScale{0, 10, 10}, {0xff0000ffU, 0xff00ff00U}, 0xff202020U);
    QString row;
    for (int x = 0; x < 10; ++x)
      row += image.pixel(x, 0) == 0xff0000ffU ? QLatin1Char('a') : image.pixel(x, 0) == 0xff00ff00U ? QLatin1Char('b') : QLatin1Char('.');
    QCOMPARE(row, QStringLiteral(".aab...b.."));
  }

  void tracesAreReadAndOverlapsMoveToFurtherLanes()
  {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("trace.json.gz")); // gzread takes plain text too
    write(file, R"({"traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"job"}},
      {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"gpu-0"}},
      {"ph":"X","pid":1,"tid":2,"ts":0,"dur":10,"name":"forward","cat":"forward"},
      {"ph":"X","pid":1,"tid":2,"ts":5,"dur":10,"name":"copy","cat":"other"},
      {"ph":"X","pid":1,"tid":2,"ts":20,"dur":1.5,"name":"forward","cat":"forward"}]})");
    const Timeline timeline = read_trace(file);
    QCOMPARE(timeline.lanes.size(), std::size_t{2});
    QCOMPARE(timeline.lanes[0].name, QStringLiteral("gpu-0"));
    QCOMPARE(timeline.lanes[0].process, QStringLiteral("job"));
    QCOMPARE(timeline.lanes[0].spans.size(), std::size_t{2});
    QCOMPARE(timeline.lanes[1].name, QStringLiteral("gpu-0 #2"));
    QCOMPARE(timeline.end, 21.5e-6);
    QCOMPARE(timeline.spans, std::size_t{3});
    write(file, "{\"traceEvents\":[{\"ph\":");
    QVERIFY_EXCEPTION_THROWN(read_trace(file), std::runtime_error);
    QVERIFY_EXCEPTION_THROWN(read_trace(folder.filePath(QStringLiteral("none"))), std::runtime_error);
    write(file, QByteArray{1000, ' '});
    QVERIFY_EXCEPTION_THROWN(read_trace(file, 100), std::runtime_error); // larger than allowed
  }

  void damagedFoldersAreToldInWords()
  {
    QTemporaryDir folder;
    QVERIFY_EXCEPTION_THROWN(read_results(folder.path()), std::runtime_error);
    write(folder.filePath(QStringLiteral("summary.json")), "{\"schema_version\": 9, \"scenario\": \"s\", \"trainyard_version\": \"7\"}");
    write(folder.filePath(QStringLiteral("trace.json.gz")), "garbage");
    const ResultsData data = read_results(folder.path());
    QCOMPARE(data.scenario, QStringLiteral("s"));
    QCOMPARE(data.warnings.size(), 2); // a newer version, a damaged trace
    write(folder.filePath(QStringLiteral("summary.json")), "{");
    QVERIFY_EXCEPTION_THROWN(read_results(folder.path()), std::runtime_error);
  }

  void longSeriesKeepTheirExtremes()
  {
    QVector<QPointF> points;
    for (int i = 0; i < 100'000; ++i)
      points.push_back({static_cast<double>(i), i == 54'321 ? 7.0 : i == 12'345 ? -3.0 : 1.0});
    const QVector<QPointF> few = down_sampled(points, 1000);
    QVERIFY(few.size() <= 1000);
    QVERIFY(few.contains(QPointF{54'321, 7}));
    QVERIFY(few.contains(QPointF{12'345, -3}));
    QCOMPARE(down_sampled(points.mid(0, 10), 1000).size(), 10);
  }

  void chartsExportAndHaveATableTwin()
  {
    Chart chart;
    chart.resize(600, 400);
    chart.setSeries({{QStringLiteral("a"), {{1, 2}, {2, 4}}, false, {}}, {QStringLiteral("b"), {{2, 3}}, true, {}}}, QStringLiteral("t"),
                    QStringLiteral("x"), QStringLiteral("y"));
    const Table twin = chart.findChild<TableModel*>()->table();
    QCOMPARE(twin.columns, (QStringList{QStringLiteral("x"), QStringLiteral("a"), QStringLiteral("b")}));
    QCOMPARE(twin.rows[1], (QStringList{QStringLiteral("2"), QStringLiteral("4"), QStringLiteral("3")}));
    QTemporaryDir folder;
    for (const char* name : {"c.png", "c.svg", "c.pdf"}) {
      QString error;
      QVERIFY2(chart.exportTo(folder.filePath(QLatin1String(name)), &error), qPrintable(error));
      QVERIFY(QFileInfo{folder.filePath(QLatin1String(name))}.size() > 1000);
    }
    // In a dark window the picture is still for white paper.
    auto& application = *qobject_cast<QApplication*>(QCoreApplication::instance());
    apply_theme(application, Theme::dark);
    QString error;
    QVERIFY2(chart.exportTo(folder.filePath(QStringLiteral("dark.png")), &error), qPrintable(error));
    QCOMPARE(QImage{folder.filePath(QStringLiteral("dark.png"))}, QImage{folder.filePath(QStringLiteral("c.png"))});
    apply_theme(application, Theme::light);
    QVERIFY(!chart.exportTo(QStringLiteral("/proc/none/c.png"), &error));
    QVERIFY(!error.isEmpty());
  }

  void comparedRunsShowInputs()
  {
    const auto run = [](const char* text) {
      auto data = std::make_shared<ResultsData>();
      data->scenario_text = QString::fromUtf8(text);
      return Results{data};
    };
    const Table inputs = input_differences({run("x: {y: 1}\nz: 2\n"), run("x: {y: 3}\nz: 2\n"), run("x: {y: 1}\nz: 4\n")},
                                           {QStringLiteral("#1"), QStringLiteral("#2"), QStringLiteral("#3")});
    QCOMPARE(inputs.columns.mid(1), (QStringList{QStringLiteral("#1"), QStringLiteral("#2"), QStringLiteral("#3")}));
    QCOMPARE(inputs.rows.size(), 2);
    QCOMPARE(inputs.rows[0], (QStringList{QStringLiteral("x.y"), QStringLiteral("1"), QStringLiteral("3"), QStringLiteral("1")}));
    QCOMPARE(inputs.rows[1], (QStringList{QStringLiteral("z"), QStringLiteral("2"), QStringLiteral("2"), QStringLiteral("4")}));
  }

  void theChartFollowsARunThatStillGoesOn()
  {
    RunQueue queue;
    ResultsView view;
    QVector<QJsonObject> rows;
    int live = 0;
    connect(&queue, &RunQueue::eventReceived, &view, [&](int row, const QJsonObject& event) {
      QCOMPARE(row, 0);
      if (event.value(QLatin1String("event")).toString() != QLatin1String("result"))
        return;
      rows.push_back(event);
      live += queue.isRunning() ? 1 : 0;
    });
    QTemporaryDir folder;
    queue.add(QStringLiteral("live"),
              QStringLiteral("cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n  nodes: [{name: w, type: w, count: 8}]\n"
                             "  network: {link: 25GbE}\njobs: [{name: t, model: resnet50, batch_per_gpu: 32, workers: 1, training: {mode: "
                             "all_reduce}}]\nrun: {fidelity: closed_form}\nsweep: {grid: {jobs.0.workers: [1, 2, 4, 8]}}\n"),
              folder.path(), {}, folder.filePath(QStringLiteral("out")));
    QTRY_VERIFY_WITH_TIMEOUT(!queue.isRunning(), 60'000);
    QVERIFY2(queue.runs().front().state == QueuedRun::State::done, qPrintable(queue.runs().front().message));
    QCOMPARE(rows.size(), 4);
    QCOMPARE(live, 4); // told before the run had ended
    view.showLive(rows, QStringLiteral("running"));
    const Series line = view.chart()->series().front();
    QCOMPARE(line.points.size(), 4);
    const ResultsData data = read_results(folder.filePath(QStringLiteral("out")));
    for (int i = 0; i < 4; ++i) {
      QCOMPARE(line.points[i].x(), data.jobs.number(i, QStringLiteral("workers")));
      QCOMPARE(line.points[i].y(), data.jobs.number(i, QStringLiteral("samples_per_second")));
    }
  }

  void theCrossHairReadsEveryLineOff()
  {
    Chart chart;
    chart.setSeries({{QStringLiteral("a"), {{1, 10}, {2, 20}, {4, 40}}, false, {}}, {QStringLiteral("b"), {{1, 1}, {4, 4}}, false, {}}}, {},
                    QStringLiteral("workers"), QStringLiteral("rate"));
    QCOMPARE(chart.valuesAt(3.9), QStringLiteral("workers = 4\na: 40\nb: 4"));
    QCOMPARE(chart.valuesAt(-5), QStringLiteral("workers = 1\na: 10\nb: 1"));
  }

  void lanesArePinnedToTheTop()
  {
    auto data = std::make_shared<ResultsData>();
    data->timeline.names << QStringLiteral("x");
    data->timeline.categories << QStringLiteral("x");
    for (const char* name : {"first", "second", "third"})
      data->timeline.lanes.push_back({QLatin1String(name), {}, {{0, 1, 0}}});
    data->timeline.end = 1;
    TimelineView view;
    view.resize(600, 300);
    view.show(data);
    static_cast<QWidget&>(view).show();
    const QPoint third{view.viewport()->width() / 2, 24 + 2 * 21 + 5}; // below the axis, in the third lane
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, third);
    QTest::keyClick(&view, Qt::Key_P);
    QCOMPARE(view.laneNames(), (QStringList{QStringLiteral("third"), QStringLiteral("first"), QStringLiteral("second")}));
    QTest::keyClick(&view, Qt::Key_P);
    QCOMPARE(view.laneNames().front(), QStringLiteral("first"));
  }

  void theAxisIsWhatVaries()
  {
    const ChartChoice choice = best_choice(read_csv("point,variant,model,workers,samples_per_second\na,ps,vgg,1,10\nb,ring,vgg,2,20\n"));
    QCOMPARE(choice.x, QStringLiteral("workers"));
    QCOMPARE(choice.y, QStringLiteral("samples_per_second"));
    QCOMPARE(choice.series, QStringLiteral("variant"));
  }

  void canvasFoldsLargeGroupsAndBuildsTheRealNetwork()
  {
    const Document document =
        parsed("trainyard: 1\nname: t\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 8}, s: {cpu_cores: 8}}\n"
               "  nodes: [{name: w, type: w, count: 32}, {name: s, type: s, count: 2}]\n"
               "  network: {topology: leaf_spine, link: 100GbE, leaf_ports: 16}\njobs: []\n");
    CanvasModel model = canvas_of(document, {});
    QCOMPARE(model.machines, 34);
    QCOMPARE(model.gpus, 256);
    QVERIFY2(model.note.isEmpty(), qPrintable(model.note));
    const int group = model.item(QStringLiteral("w"));
    QVERIFY(group >= 0);
    QCOMPARE(model.items[group].count, 32);
    QCOMPARE(model.items[group].detail, QStringLiteral("8 × V100-SXM2-16GB"));
    QVERIFY(model.item(QStringLiteral("s-1")) >= 0);    // two machines are not folded
    QVERIFY(model.item(QStringLiteral("leaf-2")) >= 0); // 34 machines below leaves of 16
    int links_of_group = 0;
    for (const CanvasLink& link : model.links)
      if (link.from == group || link.to == group)
        links_of_group += link.count;
    QCOMPARE(links_of_group, 32);
    model = canvas_of(document, {QStringLiteral("w")}); // into its racks, and one of those into machines
    QCOMPARE(model.items[model.item(QStringLiteral("w/rack-1"))].count, 16);
    model = canvas_of(document, {QStringLiteral("w"), QStringLiteral("w/rack-1")});
    QVERIFY(model.item(QStringLiteral("w-31")) >= 0);
    QCOMPARE(model.item(QStringLiteral("w")), -1);
  }

  void knobsAreTheNumbersOfTheScenario()
  {
    const QVector<Knob> knobs =
        knobs_of(parsed("cluster: {network: {link: 25GbE}}\njobs:\n  - {workers: 8, training: {servers: 2}, name: 7b}\nrun: {seed: 3}\n"));
    QStringList paths;
    for (const Knob& knob : knobs)
      paths << knob.path;
    QCOMPARE(paths, (QStringList{QStringLiteral("jobs.0.workers"), QStringLiteral("jobs.0.training.servers"),
                                 QStringLiteral("cluster.network.bandwidth")}));
    QCOMPARE(knobs[2].value, 25.0);
    QCOMPARE(knobs[2].unit, QStringLiteral("Gbit/s"));
  }

  void answersBecomeCurves()
  {
    const QJsonObject summary =
        QJsonDocument::fromJson(R"({"jobs":[{"job":"t","model":"m","variant":"ring","workers":4,"samples_per_second":{"mean":40}},
      {"job":"t","model":"m","variant":"ring","workers":1,"samples_per_second":{"mean":10}},{"job":"t","model":"m","variant":"ps","workers":1,"samples_per_second":{"mean":9}}]})")
            .object();
    QString title;
    const QVector<Series> curves = answer_curves(summary, &title);
    QCOMPARE(curves.size(), 2);
    QCOMPARE(curves[0].name, QStringLiteral("ring"));
    QCOMPARE(curves[0].points, (QVector<QPointF>{{1, 10}, {4, 40}}));
  }

  void coloursCanBeToldApartAndTextCanBeRead()
  {
    auto& application = *qobject_cast<QApplication*>(QCoreApplication::instance());
    for (const Theme theme : {Theme::light, Theme::dark}) {
      apply_theme(application, theme);
      const QPalette palette = QApplication::palette();
      for (const auto& [text, ground] :
           QVector<QPair<QPalette::ColorRole, QPalette::ColorRole>>{{QPalette::WindowText, QPalette::Window},
                                                                    {QPalette::Text, QPalette::Base},
                                                                    {QPalette::Text, QPalette::AlternateBase},
                                                                    {QPalette::ButtonText, QPalette::Button},
                                                                    {QPalette::PlaceholderText, QPalette::Base},
                                                                    {QPalette::PlaceholderText, QPalette::AlternateBase},
                                                                    {QPalette::HighlightedText, QPalette::Highlight},
                                                                    {QPalette::Link, QPalette::Window}})
        QVERIFY2(contrast(palette.color(text), palette.color(ground)) >= 4.5,
                 qPrintable(QStringLiteral("%1 on %2 in %3").arg(text).arg(ground).arg(name_of(theme))));
      QVERIFY(contrast(error_colour(), palette.color(QPalette::Base)) >= 4.5);
      QVERIFY(contrast(warning_colour(), palette.color(QPalette::Base)) >= 4.5);
      for (int i = 0; i < 7; ++i)
        QVERIFY2(contrast(series_colour(i), palette.color(QPalette::Base)) >= 3, qPrintable(QString::number(i)));
    }
    QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
    apply_theme(application, Theme::light);
  }
};

QTEST_MAIN(ResultsTest)
#include "results_test.moc"
