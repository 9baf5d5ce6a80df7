// SPDX-License-Identifier: Apache-2.0
/// What the result views show: tables, timelines, charts, colours.
#include "gui/canvas/canvas_model.hpp"
#include "gui/core/theme.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/results.hpp"
#include "gui/results/results_view.hpp"
#include "gui/results/table_model.hpp"
#include "gui/run/run_queue.hpp"
#include "gui/timeline/timeline_view.hpp"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QFile>
#include <QFileInfo>
#include <QGraphicsTextItem>
#include <QGraphicsView>
#include <QJsonDocument>
#include <QPalette>
#include <QStandardPaths>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

#include <QSignalSpy>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

using namespace trainyard;
using namespace trainyard::gui;

namespace {

using Three = std::array<double, 3>;

Three times(const std::array<Three, 3>& matrix, const Three& by)
{
  Three product{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      product[i] += matrix[i][j] * by[j];
  return product;
}

/// CIELAB (D65) of a colour as an eye sees it whose cones are as @p cones says, in linear RGB.
Three lab(const QColor& colour, const std::array<Three, 3>& cones)
{
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  Three seen = times(cones, {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())});
  for (double& c : seen)
    c = std::clamp(c, 0.0, 1.0);
  const Three xyz =
      times({{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}},
            seen);
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// Sharma, Wu, Dalal: The CIEDE2000 color-difference formula, 2005.
double ciede2000(const Three& one, const Three& other)
{
  const double rad = std::acos(-1.0) / 180;
  const double c_mean = (std::hypot(one[1], one[2]) + std::hypot(other[1], other[2])) / 2;
  const double g = 1 + 0.5 * (1 - std::sqrt(std::pow(c_mean, 7) / (std::pow(c_mean, 7) + std::pow(25, 7))));
  const double c1 = std::hypot(g * one[1], one[2]), c2 = std::hypot(g * other[1], other[2]);
  const auto hue = [&](const Three& of) { return std::fmod(std::atan2(of[2], g * of[1]) / rad + 360, 360); };
  const double h1 = hue(one), h2 = hue(other);
  const double dh = c1 * c2 == 0 ? 0 : std::remainder(h2 - h1, 360);
  const double h = std::fabs(h1 - h2) <= 180 ? (h1 + h2) / 2 : std::fmod((h1 + h2 + 360) / 2, 360);
  const double l = (one[0] + other[0]) / 2, c = (c1 + c2) / 2;
  const double t = 1 - 0.17 * std::cos(rad * (h - 30)) + 0.24 * std::cos(rad * 2 * h) +
                   0.32 * std::cos(rad * (3 * h + 6)) - 0.2 * std::cos(rad * (4 * h - 63));
  const double turn = -2 * std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25, 7))) *
                      std::sin(rad * 60 * std::exp(-std::pow((h - 275) / 25, 2)));
  const double light = (other[0] - one[0]) / (1 + 0.015 * std::pow(l - 50, 2) / std::sqrt(20 + std::pow(l - 50, 2)));
  const double chroma = (c2 - c1) / (1 + 0.045 * c);
  const double tint = 2 * std::sqrt(c1 * c2) * std::sin(rad * dh / 2) / (1 + 0.015 * c * t);
  return std::sqrt(light * light + chroma * chroma + tint * tint + turn * chroma * tint);
}

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

/// The pixels by the nearest of three colours: a blue, b green, c red; a dot for the ground.
QString letters(const LaneRow& row)
{
  QString text;
  for (const std::uint32_t pixel : row.pixels) {
    const int red = qRed(pixel);
    const int green = qGreen(pixel);
    const int blue = qBlue(pixel);
    const int most = std::max({red, green, blue});
    text += most < 0x30     ? QLatin1Char('.')
            : most == blue  ? QLatin1Char('a')
            : most == green ? QLatin1Char('b')
                            : QLatin1Char('c');
  }
  return text;
}

} // namespace

class ResultsTest : public QObject
{
  Q_OBJECT

private slots:
  void countsOverTimeAreDrawnAsSteps()
  {
    // 6 replicas until 5 s, 4 until 7 s, then 6: the line turns at each time, and has no corner where nothing changes.
    const QVector<QPointF> counts{{0, 6}, {3, 6}, {5, 4}, {7, 6}};
    QCOMPARE(stepped(counts), (QVector<QPointF>{{0, 6}, {3, 6}, {5, 6}, {5, 4}, {7, 4}, {7, 6}}));
    QVERIFY(stepped({}).isEmpty());
  }

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
    // Columns by name, heading or begin: "17" is no job 170, and "1 h" are 3600 s.
    model.show(read_csv("point,job,team,waiting_s\nn=1,17,speech,3600\nn=2,170,speech,3601\nn=2,3,vision 17,90000\n"));
    for (const auto& [words, left] : {std::pair{"job = 17", 1},
                                      {"job=17", 1},
                                      {"17", 3},
                                      {"wait > 1 h", 2},
                                      {"waiting_s >= 3600", 3},
                                      {"wait<=1h", 1},
                                      {"team = speech, wait > 1 h", 1},
                                      {"team = \"Vision 17\"", 1},
                                      {"speech job != 17", 1},
                                      {"n=2", 2},
                                      {"job =", 3}}) {
      filter.setWords(QLatin1String(words));
      QVERIFY2(filter.rowCount() == left && filter.words().unknown().isEmpty(), words);
    }
    filter.setWords(QStringLiteral("wiat > 1 h"));
    QCOMPARE(filter.rowCount(), 3);
    QCOMPARE(filter.words().unknown(), QStringList{QStringLiteral("wiat")});
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
    const double days = tick_distance(TimeScale{0, 150 * 86400.0, 1000}, 90); // 13.5 days at least
    QCOMPARE(days, 20 * 86400.0);
    QCOMPARE(tick_text(3 * days, days), QStringLiteral("60 d"));
    QCOMPARE(time_text(0.0015, 0.0005), QStringLiteral("1.5 ms"));
    QCOMPARE(time_text(7200, 3600), QStringLiteral("2 h"));
    // An axis has one unit, and its labels are exact: 54 h are not 2.2 d, 1 h is not 60 min beside 2 h.
    QCOMPARE(tick_text(9 * 21600, 21600), QStringLiteral("54 h"));
    QCOMPARE(tick_text(5 * 43200, 43200), QStringLiteral("2.5 d"));
    QCOMPARE(tick_text(200, 20), QStringLiteral("200 s"));
    QCOMPARE(tick_text(3600, 3600), QStringLiteral("1 h"));
    QCOMPARE(tick_text(0.0005, 0.0005), QStringLiteral("0.5 ms"));
  }

  void aLaneIsDrawnColumnByColumn()
  {
    // 10 columns over 10 s: [1, 3) is name 0, [3, 3.2) name 1 has the column 3, [7, 8) name 1; of column 9 name 0 takes
    // most.
    const std::vector<Span> spans{{1, 3, 0}, {3, 3.2, 1}, {7, 8, 1}, {9, 9.2, 1}, {9.3, 9.9, 0}, {9.9, 10, 1}};
    const LaneRow row = draw_lane(spans, {}, TimeScale{0, 10, 10}, {0xff0000ffU, 0xff00ff00U}, 0xff202020U, 2);
    QCOMPARE(letters(row), QStringLiteral(".aab...b.a"));
    QCOMPARE(row.wide, std::vector<std::size_t>{0}); // two pixels
    // Panned and closer: 2 px a second from 2.25 s; a span wider than three pixels ends with a seam of the ground.
    QCOMPARE(letters(draw_lane({{0, 4.5, 0}, {4.5, 9, 1}}, {}, TimeScale{2.25, 7.25, 10}, {0xff0000ffU, 0xff00ff00U},
                               0xff202020U)),
             QStringLiteral("aaaa.bbbbb"));
  }

  void fromAfarAColumnShowsWhatItsTimeWasSpentOn()
  {
    // 4,000 times a second of which names 0 and 1 (one kind) take 0.3 s each and name 2 takes 0.4 s: the kind wins over
    // the longer name.
    std::vector<Span> spans;
    for (int i = 0; i < 4000; ++i) {
      const double t = i;
      spans.push_back({t, t + 0.3, 0});
      spans.push_back({t + 0.3, t + 0.6, 1});
      spans.push_back({t + 0.6, t + 1, 2});
    }
    const std::vector<std::uint32_t> colours{0xff0000ffU, 0xff0000ffU, 0xff00ff00U};
    const LaneDetail detail = detail_of(spans, {0, 0, 1});
    QVERIFY(!detail.levels.empty());
    std::size_t memory = 0;
    for (const LaneDetail::Level& level : detail.levels)
      memory += level.stretches.size() * sizeof(LaneDetail::Stretch);
    QVERIFY(memory * 11 <= spans.size() * sizeof(Span)); // 4 bytes x 1/4 x 2 of 24
    for (const int width : {10, 100, 900})
      QCOMPARE(letters(draw_lane(spans, detail, TimeScale{0, 4000, width}, colours, 0xff202020U)),
               QString(width, QLatin1Char('a')));
    // With the last one favoured it is seen, though it is the shorter kind.
    const LaneDetail favoured = detail_of(spans, {0, 0, 1}, {0, 0, 1});
    QCOMPARE(letters(draw_lane(spans, favoured, TimeScale{0, 4000, 100}, colours, 0xff202020U)),
             QString(100, QLatin1Char('b')));
    // Closer than that every span is where it is: 3.5 s in 35 px.
    QCOMPARE(letters(draw_lane(spans, detail, TimeScale{1000, 1002, 20}, colours, 0xff202020U)),
             QStringLiteral("aaaaaabbb.aaaaaabbb."));
  }

  void whatIsHalfIdleIsPaler()
  {
    std::vector<Span> spans; // busy 30 % of the first 1,000 s, nothing in the second, one long span over the third
    for (int i = 0; i < 1000; ++i)
      spans.push_back({static_cast<double>(i), i + 0.3, 0});
    spans.push_back({2000, 3000, 0});
    const LaneDetail detail = detail_of(spans, {0});
    const LaneRow row = draw_lane(spans, detail, TimeScale{0, 3000, 30}, {0xff000000U}, 0xffffffffU);
    // Black on white: 0.4 and 0.6 of the busy share; 255 x (1 - 0.58) = 107, at the rounding of the shares.
    QVERIFY2(std::abs(qRed(row.pixels[3]) - 107) <= 3, qPrintable(QString::number(qRed(row.pixels[3]))));
    QCOMPARE(row.pixels[15], 0xffffffffU);
    QVERIFY(qRed(row.pixels[25]) <= 2);
  }

  void theDetailTellsTheSameAsLookingAtAllSpans()
  {
    // Random spans, random ranges: where one kind takes at least 60 % of what a pixel was busy with, the picture shows
    // that kind.
    std::mt19937 random{11};
    std::uniform_real_distribution<double> some{0, 1};
    std::vector<Span> spans;
    double now = 0;
    std::uint32_t phase = 0;
    for (int i = 0; i < 60'000; ++i) {
      if (i % 3000 == 0)
        phase = static_cast<std::uint32_t>(random() % 3);
      now += some(random) * (i % 1000 == 0 ? 500 : 0.5);
      const double end = now + some(random) + (i % 5000 == 0 ? 900 : 0);
      spans.push_back({now, end, random() % 4 == 0 ? static_cast<std::uint32_t>(random() % 3) : phase});
      now = end;
    }
    const std::vector<std::uint32_t> colours{0xff0000ffU, 0xff00ff00U, 0xffff0000U};
    const LaneDetail detail = detail_of(spans, {0, 1, 2});
    int looked = 0;
    int wrong = 0;
    for (int round = 0; round < 40; ++round) {
      const double length = now * std::pow(0.75, round / 2.0);
      const TimeScale scale{some(random) * (now - length), 0, 400};
      const TimeScale range{scale.begin, scale.begin + length, 400};
      const QString row = letters(draw_lane(spans, detail, range, colours, 0xff202020U));
      for (int x = 0; x < 400; ++x) {
        const double left = range.seconds(x);
        const double right = range.seconds(x + 1);
        std::array<double, 3> spent{};
        for (auto it = std::upper_bound(spans.begin(), spans.end(), left,
                                        [](double t, const Span&span) { return t < span.end; });
             it != spans.end() && it->begin < right; ++it)
          spent[it->name] += std::min(it->end, right) - std::max(it->begin, left);
        const double busy = spent[0] + spent[1] + spent[2];
        const auto best = static_cast<int>(std::max_element(spent.begin(), spent.end()) - spent.begin());
        if (busy < 0.2 * (right - left) || spent[static_cast<std::size_t>(best)] < 0.6 * busy ||
            row[x] == QLatin1Char('.'))
          continue;
        ++looked;
        wrong += row[x] == QLatin1Char("abc"[best]) ? 0 : 1;
      }
    }
    QVERIFY(looked > 5000);
    QVERIFY2(wrong * 20 <= looked,
             qPrintable(QStringLiteral("%1 of %2").arg(wrong).arg(looked))); // edges of pixels and stretches differ
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

  void aSharedClusterIsALanePerGpu()
  {
    // box-2 comes before box-10; GPU 0 and 1 of box-2 are held by a job, then GPU 1 by a service; the second policy is
    // left out.
    const Timeline timeline =
        cluster_timeline(read_csv("point,policy,source,name,node,from_s,to_s,gpus,gpu_share,gpu_mask\n"
                                  ",las,queue,7,box-2,0,10,2,1,3\n,las,services,web-0,box-2,10,30,1,1,2\n"
                                  ",las,retraining,faces-1,box-10,5,25,1,1,1\n,fifo,queue,8,box-2,0,99,1,1,1\n"));
    QCOMPARE(timeline.lanes.size(), std::size_t{3});
    QCOMPARE(timeline.lanes[0].name, QStringLiteral("box-2 GPU 0"));
    QCOMPARE(timeline.lanes[1].name, QStringLiteral("box-2 GPU 1"));
    QCOMPARE(timeline.lanes[2].name, QStringLiteral("box-10 GPU 0"));
    QCOMPARE(timeline.lanes[1].spans.size(), std::size_t{2});
    QCOMPARE(timeline.names[timeline.lanes[1].spans[0].name], QStringLiteral("job 7"));
    QCOMPARE(timeline.names[timeline.lanes[1].spans[1].name], QStringLiteral("web-0"));
    QCOMPARE(timeline.end, 30.0);
  }

  void damagedFoldersAreToldInWords()
  {
    QTemporaryDir folder;
    QVERIFY_EXCEPTION_THROWN(read_results(folder.path()), std::runtime_error);
    write(folder.filePath(QStringLiteral("summary.json")),
          "{\"schema_version\": 9, \"scenario\": \"s\", \"trainyard_version\": \"7\"}");
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
    chart.setSeries({{QStringLiteral("a"), {{1, 2}, {2, 4}}, false, {}}, {QStringLiteral("b"), {{2, 3}}, true, {}}},
                    QStringLiteral("t"), QStringLiteral("x"), QStringLiteral("y"));
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
    const Table inputs =
        input_differences({run("x: {y: 1}\nz: 2\n"), run("x: {y: 3}\nz: 2\n"), run("x: {y: 1}\nz: 4\n")},
                          {QStringLiteral("#1"), QStringLiteral("#2"), QStringLiteral("#3")});
    QCOMPARE(inputs.columns.mid(1), (QStringList{QStringLiteral("#1"), QStringLiteral("#2"), QStringLiteral("#3")}));
    QCOMPARE(inputs.rows.size(), 2);
    QCOMPARE(inputs.rows[0],
             (QStringList{QStringLiteral("x.y"), QStringLiteral("1"), QStringLiteral("3"), QStringLiteral("1")}));
    QCOMPARE(inputs.rows[1],
             (QStringList{QStringLiteral("z"), QStringLiteral("2"), QStringLiteral("2"), QStringLiteral("4")}));
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
    queue.add(
        QStringLiteral("live"),
        QStringLiteral(
            "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n  nodes: [{name: w, type: w, count: 8}]\n"
            "  network: {link: 25GbE}\njobs: [{name: t, model: resnet50, batch_per_gpu: 32, workers: 1, training: "
            "{mode: "
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

  void pagesThatAreNotOfferedLeaveNoGap()
  {
    auto training = std::make_shared<ResultsData>();
    training->jobs = read_csv("job,step_s\na,1\nb,2\n");
    training->links = read_csv("point,link,busy\n,a > b,0.5\n");
    training->events = read_csv("time_s,what\n0,begins\n");
    auto queue = std::make_shared<ResultsData>();
    queue->jobs = read_csv("policy,job,jct_s\nfifo,1,10\nfifo,2,20\n");
    queue->events = training->events;
    ResultsView view;
    view.resize(1000, 600);
    view.setVisible(true);
    view.show(training);
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.show(queue);
    auto* bar = view.findChild<QTabBar*>(); // the first one: the pages'
    QVERIFY(bar != nullptr && bar->count() == 8);
    QVERIFY(bar->isTabVisible(0) && bar->isTabVisible(1) && !bar->isTabVisible(3) && !bar->isTabVisible(4) &&
            bar->isTabVisible(5));
    QCOMPARE(bar->tabRect(5).left(), bar->tabRect(1).right() + 1);
  }

  void namesBesideBarsAreNotCut()
  {
    auto queue = std::make_shared<ResultsData>();
    queue->other.push_back(
        {QStringLiteral("metrics"), read_csv("policy,jct_mean_s\nfifo,7\nsjf,4\nsrtf,4\nlas,5\neasy_backfill,5\n"
                                             "conservative_backfill,5\nfair_share,5\ngittins,6\n")});
    ResultsView view;
    view.resize(1000, 500); // its page is longer, and scrolls
    view.setVisible(true);
    view.show(queue);
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QTest::qWait(50);
    QStringList names;
    for (const QGraphicsView* each : view.chart()->findChildren<QGraphicsView*>())
      for (const QGraphicsItem* item : each->scene()->items())
        if (const auto* text = dynamic_cast<const QGraphicsTextItem*>(item); text != nullptr)
          names << text->toPlainText();
    QVERIFY2(names.contains(QStringLiteral("conservative_backfill")), qPrintable(names.join(QLatin1Char(','))));
    QVERIFY2(!names.contains(QStringLiteral("...")), qPrintable(names.join(QLatin1Char(','))));
  }

  void theCrossHairReadsEveryLineOff()
  {
    Chart chart;
    chart.setSeries({{QStringLiteral("a"), {{1, 10}, {2, 20}, {4, 40}}, false, {}},
                     {QStringLiteral("b"), {{1, 1}, {4, 4}}, false, {}}},
                    {}, QStringLiteral("workers"), QStringLiteral("rate"));
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
    view.show(SharedTimeline{data, &data->timeline});
    static_cast<QWidget&>(view).show();
    const QPoint third{view.viewport()->width() / 2, view.headHeight() + 2 * 21 + 5}; // in the third lane
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, third);
    QTest::keyClick(&view, Qt::Key_P);
    QCOMPARE(view.laneNames(),
             (QStringList{QStringLiteral("third"), QStringLiteral("first"), QStringLiteral("second")}));
    QTest::keyClick(&view, Qt::Key_P);
    QCOMPARE(view.laneNames().front(), QStringLiteral("first"));
  }

  void pointsAreNotMixedIntoOneLine()
  {
    const Table jobs = read_csv("point,workers,batch,rate\nworkers=1 batch=8,1,8,10\nworkers=2 batch=8,2,8,19\n"
                                "workers=1 batch=32,1,32,20\nworkers=2 batch=32,2,32,39\n");
    const ChartChoice over_workers{QStringLiteral("workers"), QStringLiteral("rate"), {}};
    QVERIFY(!of_one_point(jobs, over_workers));
    const Curves curves = curves_of(jobs, over_workers, QStringLiteral(", "));
    QCOMPARE(curves.lines.size(), 2);
    QCOMPARE(curves.lines[0].name, QStringLiteral("batch=8"));
    QCOMPARE(curves.lines[1].points, (QVector<QPointF>{{1, 20}, {2, 39}}));
    // Over time each point has a chart of its own, unless a line for each point is asked for.
    const Table over_time = read_csv("point,time_s,busy\na,0,1\na,5,2\nb,0,3\nb,5,4\n");
    QVERIFY(of_one_point(over_time, {QStringLiteral("time_s"), QStringLiteral("busy"), {}}));
    QVERIFY(!of_one_point(over_time, {QStringLiteral("time_s"), QStringLiteral("busy"), QStringLiteral("point")}));
  }

  void theAxisIsWhatVaries()
  {
    const ChartChoice choice =
        best_choice(read_csv("point,variant,model,workers,samples_per_second\na,ps,vgg,1,10\nb,ring,vgg,2,20\n"));
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
    const QVector<Knob> knobs = knobs_of(parsed("cluster: {network: {link: 25GbE}}\njobs:\n  - {workers: 8, training: "
                                                "{servers: 2}, name: 7b}\nrun: {seed: 3}\n"));
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
        QJsonDocument::fromJson(
            R"({"jobs":[{"job":"t","model":"m","variant":"ring","workers":4,"samples_per_second":{"mean":40}},
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
      for (const auto& [text, ground] : QVector<QPair<QPalette::ColorRole, QPalette::ColorRole>>{
               {QPalette::WindowText, QPalette::Window},
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
      // Eyes without one kind of cones: Machado, Oliveira, Fernandes, 2009, severity 1.
      const std::array<Three, 3> protan{
          {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
          deutan{{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
          tritan{{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
      for (int i = 0; i < 5; ++i)
        for (const auto& cones : {protan, deutan, tritan})
          QVERIFY2(ciede2000(lab(series_colour(i), cones), lab(series_colour(i + 1), cones)) >= 20,
                   qPrintable(QStringLiteral("%1 in %2").arg(i).arg(name_of(theme))));
      for (int i = 0; i < 7; ++i)
        QVERIFY2(contrast(series_colour(i), palette.color(QPalette::Base)) >= 3, qPrintable(QString::number(i)));
    }
    QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
    QVERIFY(std::fabs(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}) - 2.0425) < 1e-4); // their first pair
    apply_theme(application, Theme::light);
  }
};

QTEST_MAIN(ResultsTest)
#include "results_test.moc"
