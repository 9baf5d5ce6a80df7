// SPDX-License-Identifier: Apache-2.0
/// Lanes over time: what they hold, how they fold, what is summed, and what stands above them.
#include "gui/core/theme.hpp"
#include "gui/results/results.hpp"
#include "gui/timeline/flame.hpp"
#include "gui/timeline/timeline.hpp"
#include "gui/timeline/timeline_page.hpp"
#include "gui/timeline/timeline_view.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include <cmath>
#include <memory>

using namespace trainyard::gui;

namespace {

/// Two machines, three jobs under fifo and one under las. Job 2 changes its speed at 5 s; job 3 waits from 2 s to 10 s.
const QByteArray runs = "policy,job,from_s,to_s,gpus,nodes\n"
                        "fifo,1,0,10,3,m-0:2 m-1:1\nfifo,2,0,5,1,m-1:1\nfifo,2,5,8,1,m-1:1\nfifo,3,10,20,2,m-1:2\n"
                        "las,9,0,1,1,m-0:1\n";
const QByteArray waits = "policy,job,from_s,to_s,reason\nfifo,3,2,10,fewer GPUs free\nlas,9,0,0,none\n";
const QByteArray failures = "policy,failure,from_s,to_s,nodes\nfifo,node:m-0,12,15,m-0\n";

Timeline fifo()
{
  return machine_timeline(read_csv(runs), read_csv(waits), read_csv(failures), QStringLiteral("fifo"));
}

/// Two jobs with two lanes each; the first half of every lane is forward, the second backward.
std::shared_ptr<Timeline> four_lanes()
{
  auto timeline = std::make_shared<Timeline>();
  timeline->names = {QStringLiteral("conv"), QStringLiteral("conv back")};
  timeline->categories = {QStringLiteral("forward"), QStringLiteral("backward")};
  for (const char* process : {"one", "two"})
    for (int i = 0; i < 2; ++i)
      timeline->lanes.push_back(
          {QStringLiteral("%1-%2").arg(QLatin1String(process)).arg(i), QLatin1String(process), {{0, 1, 0}, {1, 2, 1}}});
  timeline->end = 2;
  timeline->spans = 8;
  return timeline;
}

/// A message from a worker to a server that sums it up, and one back: forward 0-1, push 1-2, sum 3-4, pull 4-5, next
/// forward 5-6; the server also waits for a second worker's push 1-3.
std::shared_ptr<Timeline> messages()
{
  auto timeline = std::make_shared<Timeline>();
  timeline->names = {QStringLiteral("forward"), QStringLiteral("push"), QStringLiteral("sum"), QStringLiteral("pull")};
  timeline->categories = timeline->names;
  timeline->lanes = {{QStringLiteral("gpu"), {}, {{0, 1, 0}, {5, 6, 0}}},
                     {QStringLiteral("net 0"), {}, {{1, 2, 1}, {4, 5, 3}}},
                     {QStringLiteral("net 1"), {}, {{1, 3, 1}}},
                     {QStringLiteral("server"), {}, {{3, 4, 2}}}};
  timeline->end = 6;
  timeline->spans = 6;
  timeline->flows = {{0, 0, 1, 0}, {1, 0, 3, 0}, {2, 0, 3, 0}, {3, 0, 1, 1}, {1, 1, 0, 1}};
  return timeline;
}

/// Where a time of a row stands, as hands meet it.
QPoint at(const TimelineView& view, double seconds, int row)
{
  return {view.viewport()->width() - view.scale().width + static_cast<int>(view.scale().x(seconds)),
          view.headHeight() + row * 21 + 8};
}

void drag(TimelineView& view, const QPoint& from, const QPoint& to, Qt::KeyboardModifiers keys = {})
{
  QTest::mousePress(view.viewport(), Qt::LeftButton, keys, from);
  QMouseEvent move{QEvent::MouseMove, QPointF{to},    view.viewport()->mapToGlobal(QPointF{to}),
                   Qt::NoButton,      Qt::LeftButton, keys};
  QApplication::sendEvent(view.viewport(), &move);
  QTest::mouseRelease(view.viewport(), Qt::LeftButton, keys, to);
}

} // namespace

class TimelineTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase() { apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), Theme::light); }

  void aQueueHasLanesByMachineAndGpu()
  {
    QCOMPARE(queue_runs(read_csv(runs)), (QStringList{QStringLiteral("fifo"), QStringLiteral("las")}));
    const Timeline timeline = fifo();
    QStringList lanes;
    for (const Lane& lane : timeline.lanes)
      lanes << lane.name;
    QCOMPARE(lanes, (QStringList{QStringLiteral("m-0 GPU 0"), QStringLiteral("m-0 GPU 1"), QStringLiteral("m-1 GPU 0"),
                                 QStringLiteral("m-1 GPU 1")}));
    QCOMPARE(timeline.end, 20.0);
    // Job 1 takes the first GPU of m-1, job 2 the second one, without a seam at 5 s; job 3 has both from 10 s on.
    const std::vector<Span>& second = timeline.lanes[3].spans;
    QCOMPARE(second.size(), std::size_t{2});
    QCOMPARE(second[0].end, 8.0);
    QCOMPARE(second[1].begin, 10.0);
    QCOMPARE(timeline.names[static_cast<int>(second[1].name)], QStringLiteral("job 3"));
    QCOMPARE(timeline.categories[static_cast<int>(second[0].name)], QStringLiteral("gpus_1"));
    QCOMPARE(timeline.categories[static_cast<int>(second[1].name)], QStringLiteral("gpus_8"));
    // m-0 is down from 12 s to 15 s, and both of its GPUs say so.
    for (const int lane : {0, 1}) {
      const Span& down = timeline.lanes[static_cast<std::size_t>(lane)].spans.back();
      QCOMPARE(down.begin, 12.0);
      QCOMPARE(down.end, 15.0);
      QCOMPARE(timeline.categories[static_cast<int>(down.name)], QStringLiteral("failed"));
    }
  }

  void countersSayHowManyWorkAndWait()
  {
    const Timeline timeline = fifo();
    QCOMPARE(timeline.counters.size(), std::size_t{2});
    const Counter& busy = timeline.counters[0];
    QCOMPARE(busy.most, 4.0);                                    // GPUs
    QVERIFY(std::fabs(busy.between(1, 7).first - 4) < 1e-6);     // jobs 1 and 2
    QVERIFY(std::fabs(busy.between(8.1, 9.9).first - 3) < 1e-6); // job 1 alone
    QVERIFY(std::fabs(busy.between(11, 19).first - 2) < 1e-6);
    QVERIFY(std::fabs(busy.between(6, 10).first - 3.5) < 0.01); // 4 for 2 s, 3 for 2 s
    const Counter& waiting = timeline.counters[1];
    QCOMPARE(waiting.most, 1.0);
    QVERIFY(std::fabs(waiting.between(3, 9).first - 1) < 1e-6);
    QVERIFY(std::fabs(waiting.between(12, 19).first) < 1e-9);
  }

  void theBusiestLinkIsCounted()
  {
    LinkLoads loads;
    loads.end = 2;
    loads.parts[QStringLiteral("a")] = {{0, 1, 0.5F}, {1, 2, 0.1F}};
    loads.parts[QStringLiteral("b")] = {{0, 1, 0.2F}, {1, 2, 0.9F}};
    Timeline timeline;
    add_counters(timeline, loads);
    QCOMPARE(timeline.counters.size(), std::size_t{1});
    QVERIFY(std::fabs(timeline.counters[0].between(0.1, 0.9).first - 0.5) < 1e-6);
    QVERIFY(std::fabs(timeline.counters[0].between(1.1, 1.9).second - 0.9) < 1e-6);
    QCOMPARE(timeline.counters[0].text(0.9), QStringLiteral("90 %"));
  }

  void groupsFoldByClickAndKey()
  {
    TimelineView view;
    view.resize(700, 400);
    view.show(four_lanes());
    static_cast<QWidget&>(view).show();
    QCOMPARE(view.groupNames(), (QStringList{QStringLiteral("one"), QStringLiteral("two")}));
    QCOMPARE(view.laneNames().size(), 4);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, {8, view.headHeight() + 8});
    QCOMPARE(view.laneNames(), (QStringList{QStringLiteral("two-0"), QStringLiteral("two-1")}));
    QTest::keyClick(&view, Qt::Key_G);
    QCOMPARE(view.laneNames().size(), 4);
    QTest::keyClick(&view, Qt::Key_G);
    QVERIFY(view.laneNames().isEmpty());
    QCOMPARE(view.groupNames().size(), 2);
  }

  void aFoldedGroupShowsHowManyOfItsLanesWork()
  {
    Timeline timeline;
    timeline.names << QStringLiteral("x");
    timeline.categories << QString{};
    for (int i = 0; i < 4; ++i) // one works all the time, the others for the first half
      timeline.lanes.push_back({QString::number(i), QStringLiteral("m"), {{0, i == 0 ? 2.0 : 1.0, 0}}});
    timeline.end = 2;
    const GroupPicture picture = picture_of(timeline, {0, 1, 2, 3}, {0, 2, 100}, {0xff0000ffU});
    QCOMPARE(picture.shares[25], 1.0F);
    QCOMPARE(picture.shares[75], 0.25F);
    QCOMPARE(picture.colours[75], 0xff0000ffU);
  }

  void aRangeIsSummedByKind()
  {
    TimelinePage page;
    page.resize(900, 600);
    page.show(four_lanes());
    static_cast<QWidget&>(page).show();
    QTest::qWait(30);
    auto* details = page.findChild<QTreeWidget*>(QStringLiteral("details"));
    QVERIFY(!details->isVisible());
    TimelineView& view = *page.view();
    const auto at = [&](double seconds) {
      const int label = view.viewport()->width() - view.scale().width;
      return QPoint{label + static_cast<int>(view.scale().x(seconds)), view.headHeight() + 30};
    };
    drag(view, at(0.5), at(1.25), Qt::ShiftModifier);
    QVERIFY(details->isVisible());
    // Half a second of forward and a quarter of backward, on four lanes.
    const auto [begin, end] = view.range();
    const std::vector<SpanSum> sums = sums_of(*view.timeline(), view.countedLanes(), begin, end);
    QCOMPARE(sums.size(), std::size_t{4}); // two kinds, each with one name
    QCOMPARE(sums[0].category, QStringLiteral("forward"));
    QCOMPARE(sums[0].count, qint64{4});
    QVERIFY(std::fabs(sums[0].total - 2.0) < 0.05);
    QVERIFY(std::fabs(sums[2].total - 1.0) < 0.05);
    QVERIFY(std::fabs(sums[0].share - 2.0 / 3) < 0.02);
    QCOMPARE(details->topLevelItemCount(), 2);
    QCOMPARE(details->topLevelItem(0)->text(0), category_words(QStringLiteral("forward")));
    QCOMPARE(details->topLevelItem(0)->text(1), QStringLiteral("4"));
    // A click tells of one piece of work, the Escape key of none.
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at(1.5));
    QCOMPARE(view.spanNameAtCursor(), QStringLiteral("conv back"));
    QVERIFY(details->topLevelItem(0)->text(0).startsWith(QLatin1String("conv back")));
    QTest::keyClick(&view, Qt::Key_F); // it fills the view
    QCOMPARE(view.scale().begin, 1.0);
    QCOMPARE(view.scale().end, 2.0);
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!details->isVisible());
  }

  void aRangeIsAFlameGraphByKindAndModule()
  {
    // On two lanes: 3 s and 1 s of backward in layer4.1 and layer4.0, 2 s of forward in fc, 1 s of update.
    Timeline timeline;
    timeline.names = QStringList{QStringLiteral("backward layer4.1"), QStringLiteral("backward layer4.0"),
                                 QStringLiteral("forward fc"), QStringLiteral("update")};
    timeline.categories = QStringList{QStringLiteral("backward"), QStringLiteral("backward"), QStringLiteral("forward"),
                                      QStringLiteral("update")};
    timeline.lanes.resize(2);
    timeline.lanes[0].spans = {{0, 3, 0}, {3, 4, 1}};
    timeline.lanes[1].spans = {{0, 2, 2}, {2, 3, 3}};
    timeline.end = 4;
    const FlamePart whole = flame_of(timeline, {0, 1}, 0, 4);
    QCOMPARE(whole.total, 7.0);
    QCOMPARE(whole.parts.size(), std::size_t{3});
    const FlamePart& backward = whole.parts[0]; // the longest first
    QCOMPARE(backward.name, category_words(QStringLiteral("backward")));
    QCOMPARE(backward.total, 4.0);
    QCOMPARE(backward.parts.size(), std::size_t{1});
    QCOMPARE(backward.parts[0].name, QStringLiteral("layer4"));
    QCOMPARE(backward.parts[0].parts[0].name, QStringLiteral("1"));
    QCOMPARE(backward.parts[0].parts[0].total, 3.0);
    QCOMPARE(backward.parts[0].parts[1].total, 1.0);
    QCOMPARE(whole.parts[1].parts[0].name, QStringLiteral("fc"));
    QVERIFY(whole.parts[2].parts.empty());              // "update" is all of its kind
    QCOMPARE(flame_of(timeline, {0}, 2, 4).total, 2.0); // 1 s of each in this range

    // 700 pixels are 7 s: the fifth hundred is forward, and layer4 ends with backward.
    FlameView view;
    view.resize(700, 200);
    view.show(whole);
    static_cast<QWidget&>(view).show();
    const int row = view.fontMetrics().height() + 6;
    QTest::mouseClick(&view, Qt::LeftButton, {}, {450, row + row / 2});
    QCOMPARE(view.chosen().last(), category_words(QStringLiteral("forward")));
    QCOMPARE(view.shownAlone(), view.chosen().last());
    QTest::keyClick(&view, Qt::Key_Escape);
    QCOMPARE(view.shownAlone(), view.chosen().first()); // all
    QTest::keyClick(&view, Qt::Key_Left);
    QCOMPARE(view.chosen().last(), category_words(QStringLiteral("backward")));
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(view.chosen().mid(2), (QStringList{QStringLiteral("layer4"), QStringLiteral("0")}));
    QVERIFY2(view.accessibleDescription().contains(QLatin1String("14.3 %")), qPrintable(view.accessibleDescription()));
    QTest::keyClick(&view, Qt::Key_Return);
    QCOMPARE(view.shownAlone(), QStringLiteral("0"));
    QTest::keyClick(&view, Qt::Key_Up);
    QCOMPARE(view.shownAlone(), QStringLiteral("layer4"));
  }

  void theOverviewMovesWhatIsShown()
  {
    TimelineView view;
    view.resize(700, 400);
    view.show(four_lanes());
    static_cast<QWidget&>(view).show();
    view.showRange(0, 0.5);
    const int label = view.viewport()->width() - view.scale().width;
    drag(view, {label + 5, 10}, {label + view.scale().width / 2, 10});
    QVERIFY(std::fabs(view.scale().begin - 0.75) < 0.01);
    QVERIFY(std::fabs(view.scale().end - 1.25) < 0.01);
    drag(view, {label + 5, 10}, {label + view.scale().width - 1, 10});
    QCOMPARE(view.scale().end, 2.0); // not beyond the end
  }

  void theLegendNamesEveryKindAndFilters()
  {
    TimelinePage page;
    page.resize(900, 600);
    page.show(four_lanes());
    static_cast<QWidget&>(page).show();
    auto* legend = page.findChild<QLabel*>(QStringLiteral("legend"));
    for (const char* kind : {"forward", "backward"})
      QVERIFY(legend->text().contains(category_words(QLatin1String(kind))));
    QVERIFY(legend->text().contains(span_colour(QStringLiteral("forward"), {}).name()));
    QVERIFY(!page.findChild<QCheckBox*>(QStringLiteral("critical"))->isVisible()); // the run says nothing of it
  }

  void theCriticalPathIsMarked()
  {
    ResultsData data;
    data.timeline.names = {QStringLiteral("conv")};
    data.timeline.categories = {QStringLiteral("forward")};
    const QString process = QStringLiteral("train (workers=2)");
    data.timeline.lanes.push_back({QStringLiteral("gpu-0 compute"), process, {{0, 1, 0}}});
    data.timeline.lanes.push_back({QStringLiteral("all-reduce"), process, {{0, 0.5, 0}, {1, 1.5, 0}, {2.5, 3, 0}}});
    data.timeline.lanes.push_back({QStringLiteral("all-reduce #2"), process, {{1, 2.5, 0}}});
    const auto part = [](const char* lane, double begin, double duration) {
      return QJsonObject{{QStringLiteral("lane"), QLatin1String(lane)},
                         {QStringLiteral("begin_s"), begin},
                         {QStringLiteral("duration_s"), duration}};
    };
    data.summary = {{QStringLiteral("jobs"),
                     QJsonArray{QJsonObject{{QStringLiteral("job"), QStringLiteral("train")},
                                            {QStringLiteral("point"), QStringLiteral("workers=2")},
                                            {QStringLiteral("critical_path"),
                                             QJsonArray{part("gpu-0 compute", 0, 1), part("all-reduce", 1, 2),
                                                        part("update", 3, 0.1)}}}}}}; // the trace has no update
    add_critical_path(data);
    QCOMPARE(data.timeline.critical.size(), std::size_t{3});
    QCOMPARE(data.timeline.critical[0].lane, 0);
    QCOMPARE(data.timeline.critical[1].lane, 2); // of the two rows at work the one that goes on longest
    QCOMPARE(data.timeline.critical[1].end, 2.5);
    QCOMPARE(data.timeline.critical[2].lane, 1); // and back
    QCOMPARE(data.timeline.critical[2].end, 3.0);
  }

  void aTraceHasArrowsBetweenItsSpans()
  {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("trace.json"));
    QFile out{file};
    QVERIFY(out.open(QIODevice::WriteOnly));
    // Two messages that overlap on one thread stand on two lanes; the second one's arrow is bound to it all the same.
    out.write(R"({"traceEvents":[
      {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"net"}},
      {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"cpu"}},
      {"ph":"X","pid":1,"tid":1,"ts":0,"dur":30,"name":"a","cat":"push"},
      {"ph":"X","pid":1,"tid":1,"ts":10,"dur":30,"name":"b","cat":"push"},
      {"ph":"X","pid":1,"tid":2,"ts":50,"dur":5,"name":"sum","cat":"aggregate"},
      {"ph":"s","pid":1,"tid":1,"ts":10,"id":7,"name":"after","cat":"message"},
      {"ph":"f","bp":"e","pid":1,"tid":2,"ts":50,"id":7,"name":"after","cat":"message"},
      {"ph":"s","pid":1,"tid":1,"ts":0,"id":8,"name":"after","cat":"message"},
      {"ph":"s","pid":1,"tid":1,"ts":0,"id":"0x9","name":"words","cat":"other"}]})");
    out.close();
    const Timeline timeline = read_trace(file);
    QCOMPARE(timeline.lanes.size(), std::size_t{3});
    QCOMPARE(timeline.flows.size(), std::size_t{1}); // that of 8 has no end, that of words is another program's
    QCOMPARE(timeline.names[static_cast<int>(timeline.from(timeline.flows[0]).name)], QStringLiteral("b"));
    QCOMPARE(timeline.names[static_cast<int>(timeline.to(timeline.flows[0]).name)], QStringLiteral("sum"));
  }

  void roundingIsNoOverlap()
  {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("trace.json"));
    QFile out{file};
    QVERIFY(out.open(QIODevice::WriteOnly));
    // 382092.407 + 18798.063 is a nanosecond more than 400890.469: each of the three was rounded.
    out.write(R"({"traceEvents":[
      {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker-0/gpu-0 compute"}},
      {"ph":"X","pid":1,"tid":1,"ts":382092.407,"dur":18798.063,"name":"a","cat":"forward"},
      {"ph":"X","pid":1,"tid":1,"ts":400890.469,"dur":18799.398,"name":"b","cat":"backward"}]})");
    out.close();
    Timeline timeline = read_trace(file);
    QCOMPARE(timeline.lanes.size(), std::size_t{1});
    const std::vector<Span>& spans = timeline.lanes[0].spans;
    QCOMPARE(spans.size(), std::size_t{2});
    QVERIFY(spans[0].end <= spans[1].begin);
    add_counters(timeline);
    QVERIFY(std::fabs(timeline.counters.at(0).between(timeline.begin, timeline.end).first - 1) < 1e-6);
  }

  void aGpuThatDoesTwoThingsIsOneBusyGpu()
  {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("trace.json"));
    QFile out{file};
    QVERIFY(out.open(QIODevice::WriteOnly));
    // 0 to 10 s and 5 to 15 s on one GPU, 10 to 15 s on another one: half of them for 10 s, all for 5 s. (moc stumbles
    // over #.)
    out.write(R"({"traceEvents":[
      {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker-0/gpu-0 compute"}},
      {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"worker-0/gpu-0 compute \u00232"}},
      {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"worker-0/gpu-1 compute"}},
      {"ph":"X","pid":1,"tid":1,"ts":0,"dur":10e6,"name":"a","cat":"forward"},
      {"ph":"X","pid":1,"tid":2,"ts":5e6,"dur":10e6,"name":"b","cat":"forward"},
      {"ph":"X","pid":1,"tid":3,"ts":10e6,"dur":5e6,"name":"c","cat":"forward"}]})");
    out.close();
    Timeline timeline = read_trace(file);
    add_counters(timeline, {}, true);
    const Counter& busy = timeline.counters.at(0);
    QCOMPARE(busy.text(busy.most), QStringLiteral("100 %")); // a lane may stand for eight GPUs that do the same
    QVERIFY(std::fabs(busy.between(0.1, 9.9).first - 0.5) < 1e-6);
    QVERIFY(std::fabs(busy.between(10.1, 14.9).first - 1) < 1e-6);
  }

  void arrowsAreFollowedByKeys()
  {
    TimelinePage page;
    page.resize(900, 700);
    page.show(messages());
    static_cast<QWidget&>(page).show();
    QTest::qWait(30);
    TimelineView& view = *page.view();
    QCOMPARE(view.arrowsInSight().size(), std::size_t{5}); // few: all of them
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at(view, 3.5, 3));
    QCOMPARE(view.spanNameAtCursor(), QStringLiteral("sum"));
    QCOMPARE(view.arrowsOfChosen().size(), std::size_t{3});
    auto* details = page.findChild<QTreeWidget*>(QStringLiteral("details"));
    QCOMPARE(details->topLevelItemCount(), 5);   // itself, all of its name, two before it, one after it
    QTest::keyClick(&view, Qt::Key_BracketLeft); // the push that ended last
    int lane = -1;
    QCOMPARE(view.chosenSpan(&lane)->end, 3.0);
    QCOMPARE(lane, 2);
    QTest::keyClick(&view, Qt::Key_BracketRight);
    QTest::keyClick(&view, Qt::Key_BracketRight);
    QCOMPARE(view.spanNameAtCursor(), QStringLiteral("pull"));
    const QImage with = view.grab().toImage();
    QTest::keyClick(&view, Qt::Key_M); // without arrows; the box above says so, too
    QVERIFY(view.arrowsInSight().empty());
    QVERIFY(!page.findChild<QCheckBox*>(QStringLiteral("arrows"))->isChecked());
    QVERIFY(view.grab().toImage() != with);
    QTest::mouseClick(page.findChild<QCheckBox*>(QStringLiteral("arrows")), Qt::LeftButton);
    QCOMPARE(view.arrowsInSight().size(), std::size_t{5});
  }

  void ofManyArrowsOnlyThoseOfTheChosenSpanAreDrawn()
  {
    // 1,000 messages, each with one that waits for it; a second of every ten is in sight when zoomed in.
    auto timeline = std::make_shared<Timeline>();
    timeline->names = {QStringLiteral("x")};
    timeline->categories << QString{};
    timeline->lanes.resize(2);
    for (std::uint32_t i = 0; i < 1000; ++i) {
      timeline->lanes[0].spans.push_back({i * 1.0, i + 0.4, 0});
      timeline->lanes[1].spans.push_back({i + 0.5, i + 0.9, 0});
      timeline->flows.push_back({0, i, 1, i});
    }
    timeline->end = 1000;
    TimelineView view;
    view.resize(900, 300);
    view.show(timeline);
    static_cast<QWidget&>(view).show();
    QVERIFY(view.arrowsInSight().empty());
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at(view, 500.2, 0));
    QCOMPARE(view.arrowsInSight().size(), std::size_t{view.spanNameAtCursor().isEmpty() ? 0U : 1U});
    for (int i = 0; i < 60 && view.scale().end - view.scale().begin > 100; ++i)
      QTest::keyClick(&view, Qt::Key_W);
    const std::size_t seen = view.arrowsInSight().size();
    QVERIFY2(seen > 60 && seen <= 102, qPrintable(QString::number(seen)));
  }

  void twoRunsStandOnOneTimeAxis()
  {
    auto longer = four_lanes();
    longer->lanes[0].spans[1].end = longer->end = 8;
    TimelinePage page;
    page.resize(1000, 700);
    page.setTitle(QStringLiteral("workers=2"));
    page.show(four_lanes());
    page.offer({{QStringLiteral("workers=4"), [longer] { return SharedTimeline{longer}; }},
                {QStringLiteral("workers=8"), [] { return SharedTimeline{}; }}});
    static_cast<QWidget&>(page).show();
    QTest::qWait(30);
    QVERIFY(!page.second()->isVisible());
    auto* below = page.findChild<QComboBox*>(QStringLiteral("timeline_second"));
    below->setFocus();
    QTest::keyClick(below, Qt::Key_Down);
    QVERIFY(page.second()->isVisible());
    QCOMPARE(page.findChild<QLabel*>(QStringLiteral("timeline_name_0"))->text(), QStringLiteral("workers=2"));
    QCOMPARE(page.findChild<QLabel*>(QStringLiteral("timeline_name_1"))->text(), QStringLiteral("workers=4"));
    QTest::qWait(30);
    QCOMPARE(page.view()->scale(), page.second()->scale());
    QCOMPARE(page.view()->scale().end, 8.0); // the longer one's
    // One zoom, one move and one mark for both, whichever is used.
    QTest::keyClick(page.second(), Qt::Key_W);
    QVERIFY(page.second()->scale().end < 8);
    QCOMPARE(page.view()->scale(), page.second()->scale());
    drag(*page.view(), at(*page.view(), 5, 1), at(*page.view(), 4, 1));
    QCOMPARE(page.view()->scale(), page.second()->scale());
    QTest::mouseClick(page.second()->viewport(), Qt::LeftButton, {}, at(*page.second(), 4, 1));
    QVERIFY(std::fabs(page.view()->cursor() - page.second()->cursor()) < 1e-12);
    QVERIFY(page.view()->cursor() > 0);
    // One that is still being made says so, and comes when it is there.
    QTest::keyClick(below, Qt::Key_Down);
    QVERIFY(!page.second()->isVisible());
    page.showSecond(QStringLiteral("workers=16"), longer); // asked for earlier, not any more
    QVERIFY(!page.second()->isVisible());
    page.showSecond(QStringLiteral("workers=8"), longer);
    QVERIFY(page.second()->isVisible());
    QTest::keyClick(below, Qt::Key_Home);
    QVERIFY(!page.second()->isVisible());
    QCOMPARE(page.view()->scale().end, 2.0);
  }

  void twoPoliciesStandAboveEachOther()
  {
    auto data = std::make_shared<ResultsData>();
    data->other = {{QStringLiteral("runs"), read_csv(runs)}, {QStringLiteral("waits"), read_csv(waits)}};
    const TimelineSource source = queue_source(data);
    TimelinePage page;
    page.resize(1000, 700);
    page.show(source, std::make_shared<const Timeline>(source.make(source.runs.front(), true)));
    static_cast<QWidget&>(page).show();
    auto* below = page.findChild<QComboBox*>(QStringLiteral("timeline_second"));
    QVERIFY(below->isVisible());
    below->setFocus();
    QTest::keyClick(below, Qt::Key_Down);
    QCOMPARE(page.second()->laneNames(), QStringList{QStringLiteral("m-0 GPU 0")}); // las
    QCOMPARE(page.findChild<QLabel*>(QStringLiteral("timeline_name_0"))->text(), QStringLiteral("fifo"));
    QCOMPARE(page.findChild<QLabel*>(QStringLiteral("timeline_name_1"))->text(), QStringLiteral("las"));
    // Another policy above: what is below stays, if it is another one.
    auto* policy = page.findChild<QComboBox*>(QStringLiteral("timeline_run"));
    policy->setFocus();
    QTest::keyClick(policy, Qt::Key_Down);
    QVERIFY(!page.second()->isVisible());
  }

  void aTaskThatHasFinishedHasNotFailed()
  {
    const Timeline timeline =
        task_timeline(read_csv("point,task,service,from_s,to_s,state\n,t-0,train,0,5,running\n,t-0,train,5,9,finished\n"
                               ",t-1,train,0,4,running\n,t-1,train,4,9,gone\n"));
    QCOMPARE(timeline.categories,
             (QStringList{QStringLiteral("running"), QStringLiteral("finished"), QStringLiteral("failed")}));
  }

  void policiesAreChosenAboveTheLanes()
  {
    auto data = std::make_shared<ResultsData>();
    data->other = {{QStringLiteral("runs"), read_csv(runs)}, {QStringLiteral("waits"), read_csv(waits)}};
    const TimelineSource source = queue_source(data);
    TimelinePage page;
    page.resize(900, 600);
    page.show(source, std::make_shared<const Timeline>(source.make(source.runs.front(), true)));
    static_cast<QWidget&>(page).show();
    QCOMPARE(page.view()->laneNames().size(), 4);
    auto* policy = page.findChild<QComboBox*>(QStringLiteral("timeline_run"));
    QVERIFY(policy->isVisible());
    policy->setFocus();
    QTest::keyClick(policy, Qt::Key_Down);
    QCOMPARE(page.view()->laneNames(), QStringList{QStringLiteral("m-0 GPU 0")});
    QTest::keyClick(policy, Qt::Key_Up);
    auto* lanes = page.findChild<QComboBox*>(QStringLiteral("timeline_lanes"));
    lanes->setFocus();
    QTest::keyClick(lanes, Qt::Key_Down);
    QCOMPARE(page.view()->laneNames(),
             (QStringList{QStringLiteral("job 1"), QStringLiteral("job 2"), QStringLiteral("job 3")}));
  }

  void tenThousandJobsAreAFewRows()
  {
    QByteArray many = "policy,job,from_s,to_s,gpus,nodes\n";
    for (int i = 0; i < 10'000; ++i) // 64 machines, eight jobs on each at a time
      many += "fifo," + QByteArray::number(i) + ',' + QByteArray::number(i / 512 * 100) + ',' +
              QByteArray::number(i / 512 * 100 + 60 + i % 40) + ",1,m-" + QByteArray::number(i % 64) + ":1\n";
    const Table table = read_csv(many);
    QElapsedTimer clock;
    clock.start();
    auto timeline = std::make_shared<Timeline>(machine_timeline(table, {}, {}, QStringLiteral("fifo")));
    TimelineView view;
    view.resize(1000, 700);
    view.show(timeline);
    static_cast<QWidget&>(view).show();
    (void)view.grab();
    QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(timeline->lanes.size(), std::size_t{512});
    QCOMPARE(timeline->spans, std::size_t{10'000});
    QCOMPARE(view.groupNames().size(), 64); // folded, a row a machine
    QVERIFY(view.laneNames().isEmpty());
    QCOMPARE(view.groupNames().front(), QStringLiteral("m-0"));
    QCOMPARE(view.groupNames().back(), QStringLiteral("m-63"));
  }
};

QTEST_MAIN(TimelineTest)
#include "timeline_test.moc"
