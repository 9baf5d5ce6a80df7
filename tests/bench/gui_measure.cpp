// SPDX-License-Identifier: Apache-2.0
// What the editor takes, without a display: gui_measure prints a table of measured values and their goals. Exit code 1
// where one is missed.
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "gui/results/results_view.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "gui/windows/main_window.hpp"

#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextCursor>
#include <QWheelEvent>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <sys/resource.h>
#include <time.h>

using namespace trainyard::gui;

namespace {

/// Notes every event whose handling takes longer than a frame.
class WatchedApplication : public QApplication
{
public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override
  {
    if (depth_ > 0 || !watching)
      return QApplication::notify(receiver, event);
    const QString what = QStringLiteral("%1, %2").arg(QLatin1String(receiver->metaObject()->className())).arg(step);
    const QString named =
        QStringLiteral("%1 '%2'").arg(QLatin1String(receiver->metaObject()->className()), receiver->objectName());
    const int type = static_cast<int>(event->type()); // neither may be left afterwards
    ++depth_;
    QElapsedTimer clock;
    clock.start();
    const bool result = QApplication::notify(receiver, event);
    --depth_;
    const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    if (ms > 16)
      slow[what] = std::max(slow[what], ms);
    // GUI_MEASURE_EVENTS=4 tells of every event that takes longer than 4 ms.
    static const double told = qEnvironmentVariable("GUI_MEASURE_EVENTS").toDouble();
    if (told > 0 && ms > told)
      std::fprintf(stderr, "%6.1f ms: event %d for %s, %s\n", ms, type, qPrintable(named), qPrintable(step));
    return result;
  }
  bool watching = false;
  QString step;
  std::map<QString, double> slow;

private:
  int depth_ = 0;
};

int missed = 0;

void report(const char* what, double value, const char* unit, double goal)
{
  const bool good = value <= goal;
  missed += good ? 0 : 1;
  std::printf("%-82s %9.1f %-3s (goal %.0f)%s\n", what, value, unit, goal, good ? "" : "  MISSED");
  std::fflush(stdout);
}

double milliseconds(const std::function<void()>& work)
{
  QElapsedTimer clock;
  clock.start();
  work();
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

/// Processor time of this thread: what a frame takes where nothing else wants the core.
double processor_milliseconds(const std::function<void()>& work)
{
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  const double begin = now();
  work();
  return now() - begin;
}

/// Lanes of spans that touch each other, as a busy GPU has them.
Results timeline_of(std::size_t spans, int lanes)
{
  auto data = std::make_shared<ResultsData>();
  data->timeline.names = {QStringLiteral("forward"), QStringLiteral("backward"), QStringLiteral("all-reduce")};
  data->timeline.categories = {QStringLiteral("forward"), QStringLiteral("backward"), QStringLiteral("exchange")};
  std::mt19937 random{7};
  std::exponential_distribution<double> length{1000};
  for (int lane = 0; lane < lanes; ++lane) {
    Lane one{QStringLiteral("gpu-%1").arg(lane), QStringLiteral("job"), {}};
    double now = 0;
    for (std::size_t i = 0; i < spans / static_cast<std::size_t>(lanes); ++i) {
      const double begin = now + 0.2 * length(random);
      now = begin + length(random);
      one.spans.push_back({begin, now, static_cast<std::uint32_t>(random() % 3)});
    }
    data->timeline.end = std::max(data->timeline.end, now);
    data->timeline.spans += one.spans.size();
    data->timeline.lanes.push_back(std::move(one));
  }
  add_detail(data->timeline); // on the loader's thread otherwise
  return data;
}

/// The same by the clock on the wall, which on a machine that does other things is longer; told beside it, without a
/// verdict of its own.
void mention(const char* what, double value, const char* unit, double goal)
{
  std::printf("%-82s %9.1f %-3s (goal %.0f, wall clock; a busy machine makes it longer)\n", what, value, unit, goal);
  std::fflush(stdout);
}

/// The frames of one movement: the slowest by processor time decides; the wall clock stands beside it.
void report_frames(const QString& what, std::vector<double> frames, std::vector<double> walls, double goal)
{
  if (qEnvironmentVariableIsSet("GUI_MEASURE_EVENTS"))
    for (std::size_t i = 0; i < frames.size(); ++i)
      std::fprintf(stderr, "%s%.1f%s", i == 0 ? "frames: " : " ", frames[i], i + 1 == frames.size() ? "\n" : "");
  std::sort(frames.begin(), frames.end());
  std::sort(walls.begin(), walls.end());
  report(qPrintable(QStringLiteral("%1, processor time, slowest of %2 frames").arg(what).arg(frames.size())),
         frames.back(), "ms", goal);
  mention(qPrintable(QStringLiteral("  the same, wall clock, slowest of %1 frames").arg(walls.size())), walls.back(),
          "ms", goal);
  mention(qPrintable(QStringLiteral("  the same, wall clock, median of %1 frames").arg(walls.size())),
          walls[walls.size() / 2], "ms", goal);
}

void measure_spans(std::size_t count, double goal)
{
  TimelineView view;
  view.resize(1600, 64 * 21 + 70);
  const Results results = timeline_of(count, 64);
  std::size_t detail = 0;
  for (const Lane& lane : results->timeline.lanes)
    for (const LaneDetail::Level& level : lane.detail.levels)
      detail += level.stretches.size() * sizeof(LaneDetail::Stretch);
  view.show(SharedTimeline{results, &results->timeline});
  static_cast<QWidget&>(view).show();
  QTest::qWait(50);
  std::vector<double> frames;
  std::vector<double> walls;
  const auto frame_of = [&](QImage& onto) {
    walls.push_back(
        milliseconds([&] { frames.push_back(processor_milliseconds([&] { view.viewport()->render(&onto); })); }));
  };
  QImage target{view.size(), QImage::Format_RGB32};
  for (int frame = 0; frame < 60; ++frame) {
    // Closer and closer, and along, as a hand does it.
    QTest::keyClick(&view, frame % 3 == 0 ? Qt::Key_W : Qt::Key_D);
    frame_of(target);
  }
  QTest::keyClick(&view, Qt::Key_0);
  for (int frame = 0; frame < 20; ++frame)
    frame_of(target);
  report_frames(QStringLiteral("pan and zoom, %1 M spans in 64 lanes of 1600 px").arg(count / 1'000'000), frames, walls,
                goal);
  std::printf("%-82s %9.1f MB  (beside %.0f MB of spans)\n", "  memory of what the lanes look like from afar",
              static_cast<double>(detail) / 1e6, static_cast<double>(count * sizeof(Span)) / 1e6);
  std::fflush(stdout);
}

/// Zooming, panning and dragging on a canvas of 10,000 machines: its racks folded into their group, and all of them in
/// sight.
void measure_canvas(MainWindow& window, bool unfolded)
{
  TopologyView& view = *window.canvas();
  view.fit();
  std::vector<double> frames;
  std::vector<double> walls;
  const auto frame_of = [&](const std::function<void()>& move) {
    walls.push_back(milliseconds([&] {
      frames.push_back(processor_milliseconds([&] {
        move();
        view.viewport()->repaint();
      }));
    }));
  };
  const QPointF middle = view.viewport()->rect().center();
  for (int i = 0; i < 24; ++i) // in, and out again
    frame_of([&] {
      QWheelEvent wheel{middle,
                        view.viewport()->mapToGlobal(middle),
                        {},
                        {0, i < 12 ? 120 : -120},
                        Qt::NoButton,
                        Qt::NoModifier,
                        Qt::NoScrollPhase,
                        false};
      QApplication::sendEvent(view.viewport(), &wheel);
    });
  view.fit();
  QTest::mousePress(view.viewport(), Qt::MiddleButton, {}, middle.toPoint());
  for (int i = 0; i < 24; ++i)
    frame_of([&] { QTest::mouseMove(view.viewport(), middle.toPoint() + QPoint{i * 9, i * 4}); });
  QTest::mouseRelease(view.viewport(), Qt::MiddleButton, {}, middle.toPoint());
  view.fit();
  const QString report_text = QStringLiteral("canvas of 10,000 machines, %1: zoom and pan")
                                  .arg(unfolded ? QStringLiteral("625 racks in sight") : QStringLiteral("folded"));
  report_frames(report_text, frames, walls, 16);
  frames.clear();
  walls.clear();
  TopologyItem* item = nullptr;
  for (const CanvasItem& each : window.scene()->model().items)
    if (each.layer == 0)
      item = window.scene()->itemOf(each.id);
  if (item == nullptr)
    return;
  const QPoint from = view.mapFromScene(item->pos());
  QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
  for (int i = 1; i <= 24; ++i)
    frame_of([&] { QTest::mouseMove(view.viewport(), from + QPoint{i * 5, -i * 4}); });
  QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, from + QPoint{120, -96});
  report_frames(QStringLiteral("  the same, drag a machine or rack"), frames, walls, 16);
}

QString nodes_scenario(int nodes)
{
  return QStringLiteral("trainyard: 1\nname: large\ncluster:\n  node_types: {dgx: {gpu: A100-SXM4-80GB, gpus: 8}}\n  "
                        "nodes:\n    - {name: dgx, "
                        "type: dgx, count: %1, per_rack: 16}\n  network: {topology: leaf_spine, link: 100GbE, "
                        "leaf_ports: 16, oversubscription: "
                        "2}\njobs:\n  - {name: train, model: resnet50, batch_per_gpu: 64, workers: 64, training: "
                        "{mode: all_reduce}}\n")
      .arg(nodes);
}

bool wait_for(const std::function<bool()>& condition, int limit_ms = 60'000)
{
  QElapsedTimer clock;
  clock.start();
  while (!condition() && clock.elapsed() < limit_ms)
    QTest::qWait(2);
  return condition();
}

/// From nothing to the welcome page, in this process (libraries are loaded already) and as a program of its own.
void measure_start(std::unique_ptr<Session>& session, std::unique_ptr<MainWindow>& window)
{
  report("session and window", milliseconds([&] {
           session = std::make_unique<Session>();
           session->settings.clear();
           window = std::make_unique<MainWindow>(*session);
           window->resize(1400, 900);
           window->show();
           QCoreApplication::processEvents();
         }),
         "ms", 1500);
  const QString simgui = QCoreApplication::applicationDirPath() + QStringLiteral("/simgui");
  if (QFileInfo{simgui}.isExecutable())
    report("simgui --version as a program of its own: libraries, Qt, arguments", milliseconds([&] {
             QProcess process;
             process.start(simgui, {QStringLiteral("--version")});
             process.waitForFinished(30'000);
           }),
           "ms", 1500);
}

void measure_opening(WatchedApplication& application, MainWindow& window, const QTemporaryDir& folder)
{
  application.step = QStringLiteral("opening 5,000 machines");
  const QString large = folder.filePath(QStringLiteral("large.yaml"));
  if (QFile out{large}; out.open(QIODevice::WriteOnly))
    out.write(nodes_scenario(5000).toUtf8());
  report("open a scenario of 5,000 machines (40,000 GPUs)", milliseconds([&] {
           window.openFile(large);
           QCoreApplication::processEvents();
           window.canvas()->viewport()->repaint();
         }),
         "ms", 1000);
  application.step = QStringLiteral("unfolding 313 racks");
  report("unfold its racks", milliseconds([&] {
           window.scene()->toggleFold(QStringLiteral("dgx"));
           window.canvas()->viewport()->repaint();
         }),
         "ms", 1000);
  QTest::qWait(300); // what unfolding leaves to do is not the letter's
}

void measure_typing(WatchedApplication& application, Session& session)
{
  application.step = QStringLiteral("typing in it");
  std::vector<double> letters;
  std::vector<double> letter_walls;
  QTextCursor cursor{session.document.textDocument()};
  for (int i = 0; i < 12; ++i) {
    letter_walls.push_back(milliseconds([&] {
      letters.push_back(processor_milliseconds([&] {
        const double alone = milliseconds([&] { cursor.insertText(QStringLiteral("#")); });
        if (qEnvironmentVariableIsSet("GUI_MEASURE_EVENTS"))
          std::fprintf(stderr, "letter %d: %.1f ms before its events\n", i, alone);
        QCoreApplication::processEvents();
      }));
    }));
    QTest::qWait(20);
  }
  const double first_letter = letters.front();
  std::sort(letters.begin(), letters.end());
  report("type a letter, until it stands there, processor time, slowest of 12", letters.back(), "ms", 16);
  mention("  the first one, which also marks the window as changed", first_letter, "ms", 16);
  mention("  wall clock, slowest of 12", *std::max_element(letter_walls.begin(), letter_walls.end()), "ms", 16);
  while (session.document.undoStack()->canUndo())
    session.document.undoStack()->undo();
  QTest::qWait(400);
}

void measure_ten_thousand(WatchedApplication& application, Session& session, MainWindow& window)
{
  application.step = QStringLiteral("10,000 machines");
  session.document.openText(nodes_scenario(10'000), QStringLiteral("ten_thousand.yaml"));
  window.showPage(MainWindow::cluster_page);
  QTest::qWait(100);
  measure_canvas(window, false);
  window.scene()->toggleFold(QStringLiteral("dgx"));
  QTest::qWait(100);
  measure_canvas(window, true);
  session.document.undoStack()->setClean();
}

/// The ring of the flagship on 1 to 64 GPUs.
QString ring_scenario()
{
  QFile flagship{QFileInfo{example_files().value(0)}.absolutePath() + QStringLiteral("/vgg16_ps_vs_ring.yaml")};
  QString text;
  if (flagship.open(QIODevice::ReadOnly))
    text = QString::fromUtf8(flagship.readAll());
  text.replace(QLatin1String("[vgg16, resnet50]"), QLatin1String("[vgg16]"));
  return text.left(text.indexOf(QLatin1String("  variants:")));
}

void measure_slider(WatchedApplication& application, Session& session, MainWindow& window)
{
  application.step = QStringLiteral("64 GPUs");
  session.document.undoStack()->setClean();
  session.document.openText(ring_scenario(), QStringLiteral("ring64.yaml"));
  window.showPage(MainWindow::cluster_page);
  if (window.whatIf()->sliders() == 0)
    window.whatIf()->addSlider(QStringLiteral("cluster.network.bandwidth"));
  bool answered = false;
  QObject here; // ends the connection with this function
  QObject::connect(window.whatIf(), &WhatIfPanel::answered, &here, [&] { answered = true; });
  std::vector<double> slides;
  window.openDock(QStringLiteral("what_if"));
  for (const double rate : {100.0, 50.0, 12.5}) {
    answered = false;
    slides.push_back(milliseconds([&] {
      window.whatIf()->setSlider(QStringLiteral("cluster.network.bandwidth"), rate);
      wait_for([&] { return answered; });
    }));
  }
  std::sort(slides.begin(), slides.end());
  report("slider to new curve, ring on 1 to 64 GPUs, median of 3", slides[1], "ms", 1000);
}

void run_and_show(WatchedApplication& application, Session& session, MainWindow& window)
{
  application.step = QStringLiteral("run and results");
  bool ended = false;
  QObject here; // ends the connection with this function
  QObject::connect(&session.loader, &ResultLoader::loaded, &here, [&] { ended = true; });
  window.run();
  wait_for([&] { return ended; }, 120'000);
  for (int tab = 0; tab < 7; ++tab) {
    window.resultsView()->openTab(tab);
    QTest::qWait(30);
  }
  window.showPage(MainWindow::compare_page);
  QTest::qWait(50);
  window.showPage(MainWindow::rules_page);
  QTest::qWait(50);
}

void measure_cancelling(WatchedApplication& application, Session& session, const QTemporaryDir& folder)
{
  application.step = QStringLiteral("cancelling");
  // Three million jobs: about ten seconds.
  session.queue.add(
      QStringLiteral("long"),
      QStringLiteral("name: long\nworkload: {generate: {jobs: 3000000}}\ncluster:\n"
                     "  node_types: {box: {gpus: 8, gpu: V100-SXM2-16GB}}\n"
                     "  nodes: [{name: n, type: box, count: 64}]\n"
                     "  network: {topology: star, link: 100GbE}\nscheduling: {policies: [time_slicing]}\n"),
      folder.path());
  wait_for([&] { return session.queue.isRunning(); });
  QTest::qWait(2000);
  if (!session.queue.isRunning())
    std::fputs("the run to be cancelled has ended by itself\n", stderr);
  report("cancel a running simulation", milliseconds([&] {
           session.queue.cancelAll();
           wait_for([&] { return !session.queue.isRunning(); });
         }),
         "ms", 200);
}

/// A trace of 500 MB: read on a thread of its own, the window stays alive.
void measure_trace(const QTemporaryDir& folder)
{
  const QString trace = folder.filePath(QStringLiteral("trace.json.gz"));
  if (QFile out{trace}; out.open(QIODevice::WriteOnly)) {
    out.write("{\"traceEvents\":[\n");
    QByteArray block;
    double time = 0;
    for (qint64 written = 0; written < 500'000'000; written += block.size()) {
      block.clear();
      for (int i = 0; i < 10'000; ++i, time += 10)
        block += "{\"ph\":\"X\",\"pid\":1,\"tid\":" + QByteArray::number(i % 64) +
                 ",\"ts\":" + QByteArray::number(time, 'f', 3) +
                 ",\"dur\":600.000,\"name\":\"forward\",\"cat\":\"forward\",\"args\":{\"step\":1,\"worker\":0}},\n";
      out.write(block);
    }
    out.write("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"job\"}}]}");
  }
  std::size_t spans = 0;
  const double reading = milliseconds([&] { spans = read_trace(trace).spans; });
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%-82s %9.1f s   (%.1f M spans; most memory %.1f GB)\n",
              "a trace of 500 MB, read on a thread beside the window", reading / 1000, static_cast<double>(spans) / 1e6,
              static_cast<double>(usage.ru_maxrss) / 1e6);
}

void tell_slow_events(const WatchedApplication& application)
{
  std::printf("\nEvents that held the UI thread longer than 16 ms (class, what was going on): longest, reason\n");
  const auto reason = [](const QString& what) {
    if (what.contains(QLatin1String("5,000")) || what.contains(QLatin1String("racks")))
      return "the whole network of 5,000 machines is built and laid out once; typing does not wait for it";
    if (what.contains(QLatin1String("10,000")))
      return "the whole network of 10,000 machines is built and laid out once, when it is opened or unfolded";
    if (what.contains(QLatin1String("typing")))
      return "the canvas follows the text 120 ms after the last letter: the network of 5,000 machines is built on a "
             "thread, its items are "
             "put up here";
    if (what.contains(QLatin1String("cancel")))
      return "the first drawing of pages that were just opened";
    if (what.contains(QLatin1String("results")))
      return "the chart or table that was just asked for is made and drawn once (Qt Charts lays its axes out at once); "
             "reading is on a "
             "thread";
    return "first layout of widgets and charts that were not shown before (Qt Charts draws its axes at once)";
  };
  for (const auto& [what, ms] : application.slow)
    std::printf("  %-52s %7.1f ms  %s\n", qPrintable(what), ms, reason(what));
}

} // namespace

int main(int argc, char** argv)
{
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  QStandardPaths::setTestModeEnabled(true);
  WatchedApplication application{argc, argv};
  QCoreApplication::setOrganizationName(QStringLiteral("trainyard"));
  QCoreApplication::setApplicationName(QStringLiteral("simgui-measure"));
  apply_theme(application, Theme::light);
  QTemporaryDir folder;

  measure_spans(1'000'000, 16);
  measure_spans(5'000'000, 33);

  std::unique_ptr<Session> session;
  std::unique_ptr<MainWindow> window;
  measure_start(session, window);
  wait_for([&] { return session->schema.isReady(); });
  application.watching = true;
  measure_opening(application, *window, folder);
  measure_typing(application, *session);
  measure_ten_thousand(application, *session, *window);
  measure_slider(application, *session, *window);
  run_and_show(application, *session, *window);
  measure_cancelling(application, *session, folder);
  application.watching = false;
  measure_trace(folder);
  tell_slow_events(application);
  session->document.undoStack()->setClean();
  window.reset();
  return missed == 0 ? 0 : 1;
}
