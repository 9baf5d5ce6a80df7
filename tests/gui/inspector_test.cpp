// SPDX-License-Identifier: Apache-2.0
/// The engine inspector: a real simulation stepped through in a child, and its panel drawn without OpenGL.
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/document/scenario_document.hpp"
#ifdef TRAINYARD_IMGUI
#include "gui/inspector/imgui_host.hpp"
#endif
#include "gui/inspector/inspector_process.hpp"
#include "gui/inspector/inspector_widget.hpp"

#include <QApplication>
#include <QJsonDocument>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <QSignalSpy>
#include <cmath>
#ifdef TRAINYARD_IMGUI
#include <imgui.h>
#endif
#include <memory>
#include <utility>

using namespace trainyard::gui;

namespace {

// Two workers pull from one server of 1 GB/s over links of 3.125 GB/s: the server's gRPC is what both share.
const QString scenario =
    QStringLiteral("cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}, s: {cpu_cores: 8}}\n"
                   "  nodes: [{name: w, type: w, count: 2}, {name: s, type: s, count: 1}]\n  network: {link: 25GbE}\n"
                   "jobs:\n  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 2, training: {mode: "
                   "parameter_server, servers: 1}}\n");

const QString queue =
    QStringLiteral("name: queue\ncluster:\n  node_types: {dgx: {gpu: V100-SXM2-32GB, gpus: 8}}\n  nodes: [{name: dgx, "
                   "type: dgx, count: 2}]\nworkload: {generate: {jobs: 60, mean_interarrival: 4 min}}\nscheduling: "
                   "{policies: [fifo, srtf]}\n");

} // namespace

class InspectorTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setApplicationName(QStringLiteral("simgui-inspector"));
    apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), Theme::light);
    QVERIFY2(!simrun_program().isEmpty(), "simrun was not found");
  }

  void statesAreReadFromLines()
  {
    const auto state = inspector_state_of(
        QJsonDocument::fromJson(
            R"({"event":"state","time_s":0.5,"ended":false,"solver":{"instants":4,"solves":3,"rates":9,"levels":5,
          "last_rates":2,"most_flows":7},"event_count":40,"flow_count":2,
          "events":[{"time_s":null,"job":"j","what":"pull","kind":"end of flow"},{"time_s":0.75,"job":"j","what":"forward","kind":"timer"}],
          "flows":[{"job":"j","what":"pull","rate_Bps":1e9,"sent_B":3,"remaining_B":1,"bottleneck":"nic","held":true,"links":["a","nic"]}],
          "links":[{"name":"nic","capacity_Bps":2e9,"rate_Bps":1e9,"flows":2}]})")
            .object());
    QVERIFY(state.has_value());
    QCOMPARE(state->time, 0.5);
    QCOMPARE(state->event_count, 40);
    QVERIFY(std::isinf(state->events[0].time));
    QCOMPARE(state->events[1].time, 0.75);
    QCOMPARE(state->flows[0].links, (QStringList{QStringLiteral("a"), QStringLiteral("nic")}));
    QVERIFY(state->flows[0].held);
    QCOMPARE(state->links[0].flows, 2);
    QCOMPARE(state->most_flows, 7);
    QVERIFY(!inspector_state_of(QJsonObject{{QStringLiteral("event"), QStringLiteral("error")}}).has_value());
  }

  void aRealSimulationIsSteppedAndRunUntilATime()
  {
    InspectorProcess process;
    QTemporaryDir folder;
    process.start(scenario, folder.path(), 2);
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QVERIFY2(process.isAlive(), qPrintable(process.message()));
    QCOMPARE(process.state().time, 0.0);
    QCOMPARE(process.state().instants, 1);
    process.step(1);
    QVERIFY(process.isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QCOMPARE(process.state().instants, 2);
    process.runUntil(0.02);
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QVERIFY(process.state().time >= 0.02);
    // What is under way fills the server's gRPC, or the flow's own limit holds it back; nothing carries more than it
    // can.
    for (int i = 0; i < 200 && process.state().flow_count == 0; ++i) { // until the next message is under way
      process.step(1);
      QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    }
    QVERIFY(process.state().flow_count >= 1);
    const InspectorState& state = process.state();
    double rates = 0;
    for (const InspectorState::Flow& flow : state.flows)
      rates += flow.rate;
    QVERIFY(rates > 0);
    for (const InspectorState::Link& link : state.links)
      QVERIFY2(link.rate <= link.capacity * (1 + 1e-9), qPrintable(link.name));
    QVERIFY2(state.links[0].name.contains(QLatin1String("ps-0")), qPrintable(state.links[0].name));
    QVERIFY(state.solves > 0 && state.rates > 0);
    process.run();
    QTRY_VERIFY_WITH_TIMEOUT(process.state().ended, 20'000);
    QCOMPARE(process.state().flow_count, 0);
    process.start(scenario, folder.path(), 2); // over again
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QCOMPARE(process.state().time, 0.0);
    process.stop();
    QVERIFY(!process.isAlive());
  }

  void aQueueIsSteppedAndRunUntilATime()
  {
    InspectorProcess process;
    QTemporaryDir folder;
    process.start(queue, folder.path());
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QVERIFY2(process.isAlive() && process.state().queue, qPrintable(process.message()));
    QCOMPARE(process.policies(), (QStringList{QStringLiteral("fifo"), QStringLiteral("srtf")}));
    QCOMPARE(process.state().queue->policy, QStringLiteral("fifo"));
    QCOMPARE(process.state().queue->running_count, 0);
    QVERIFY(!process.state().events.isEmpty());
    process.step(1); // the first arrival, which starts at once
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QCOMPARE(process.state().queue->running_count, 1);
    QVERIFY(process.state().queue->running[0].where.contains(QLatin1String("dgx")));
    QCOMPARE(process.state().queue->deeds.front().what, QStringLiteral("arrives"));
    QCOMPARE(process.state().queue->deeds.back().what, QStringLiteral("start"));
    process.runUntil(2 * 3600);
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QVERIFY(process.state().time >= 2 * 3600);
    QVERIFY(process.state().queue->waiting_count > 0); // 60 jobs come faster than 16 GPUs can serve them
    for (const InspectedQueue::Waiting& job : process.state().queue->waiting)
      QVERIFY2(!job.why.isEmpty(), qPrintable(job.job));
    process.run();
    QTRY_VERIFY_WITH_TIMEOUT(process.state().ended, 20'000);
    QCOMPARE(process.state().queue->finished + process.state().queue->never_ran, 60);
    process.start(queue, folder.path(), 3, QStringLiteral("srtf"));
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QCOMPARE(process.state().queue->policy, QStringLiteral("srtf"));
  }

  void aScenarioThatCannotRunIsToldInItsOwnWords()
  {
    InspectorProcess process;
    QTemporaryDir folder;
    process.start(QStringLiteral("cluster: {nods: []}\n"), folder.path());
    QTRY_VERIFY_WITH_TIMEOUT(!process.isAlive(), 20'000);
    QVERIFY2(process.message().contains(QLatin1String("did you mean 'nodes'")), qPrintable(process.message()));
    const QByteArray kept = qgetenv("TRAINYARD_SIMRUN");
    qputenv("TRAINYARD_SIMRUN", "/no/such/simrun");
    process.start(scenario, folder.path());
    QVERIFY(!process.isBusy());
    QVERIFY(process.message().contains(QLatin1String("simrun")));
    if (kept.isEmpty())
      qunsetenv("TRAINYARD_SIMRUN");
    else
      qputenv("TRAINYARD_SIMRUN", kept);
  }

  void thePanelIsDrawnWithoutOpenGlAndItsButtonsWork()
  {
    // Connections that are faster than the server: the first message fills what the server sends.
    QString one_server = scenario;
    one_server.replace(QStringLiteral("servers: 1"),
                       QStringLiteral("servers: 1, server_rate: 1 GB/s, connection_rate: 4 GB/s"));
    ScenarioDocument document;
    document.openText(one_server, QStringLiteral("inspected.yaml"));
    InspectorProcess process;
    if (QGuiApplication::platformName() == QLatin1String("offscreen"))
      QVERIFY(!opengl_widgets_work());
    const std::unique_ptr<QWidget> panel{make_inspector(process, document, nullptr)};
    if (!panel)
      QSKIP("part gui: built without Dear ImGui");
    panel->resize(1100, 420);
    panel->show();
    QVERIFY(QTest::qWaitForWindowExposed(panel.get()));
    QTest::qWait(80);
    const QImage empty = panel->grab().toImage();
    // "Start" is the first button: top left.
    QTest::mouseMove(panel.get(), {20, 18});
    QTest::qWait(60);
    QTest::mousePress(panel.get(), Qt::LeftButton, {}, {20, 18});
    QTest::qWait(60);
    QTest::mouseRelease(panel.get(), Qt::LeftButton, {}, {20, 18});
    QTRY_VERIFY_WITH_TIMEOUT(process.isAlive() && !process.isBusy(), 20'000);
    process.runUntil(0.02);
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    for (int i = 0; i < 200 && process.state().flow_count < 2; ++i) { // until both workers pull, which fills the link
      process.step(1);
      QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    }
    QTest::qWait(80);
    const QImage full = panel->grab().toImage();
    if (const QString folder = qEnvironmentVariable("INSPECTOR_PICTURE"); !folder.isEmpty())
      full.save(folder);
    int changed = 0;
    int orange = 0; // the full link's bar
    for (int y = 0; y < full.height(); y += 2)
      for (int x = 0; x < full.width(); x += 2) {
        changed += full.pixel(x, y) != empty.pixel(x, y) ? 1 : 0;
        const QColor colour = full.pixelColor(x, y);
        orange += colour.red() > 190 && colour.green() > 60 && colour.green() < 130 && colour.blue() < 60 ? 1 : 0;
      }
    QVERIFY2(changed > 2000, qPrintable(QString::number(changed)));
    QVERIFY2(orange > 50, qPrintable(QString::number(orange)));
  }

  void aClickShorterThanAFrameIsAClick()
  {
    InspectorProcess process;
    ScenarioDocument document;
    document.openText(scenario, QStringLiteral("short.yaml"));
    const std::unique_ptr<QWidget> panel{make_inspector(process, document, nullptr)};
    if (!panel)
      QSKIP("part gui: built without Dear ImGui");
    panel->resize(1100, 420);
    panel->show();
    QVERIFY(QTest::qWaitForWindowExposed(panel.get()));
    QTest::qWait(80);
    QTest::mouseMove(panel.get(), {20, 18});
    QTest::qWait(60);
    QTest::mouseClick(panel.get(), Qt::LeftButton, {}, {20, 18}); // no frame is drawn in between
    QTRY_VERIFY_WITH_TIMEOUT(process.isAlive(), 20'000);
  }

  void aPointOfASweepIsChosen()
  {
    // 1 GB/s of gRPC are shared by 1 or 2 workers: the point that was asked for is told with all others.
    InspectorProcess process;
    QTemporaryDir folder;
    const QString sweep = scenario + QStringLiteral("sweep: {grid: {jobs.0.workers: [1, 2]}}\n");
    process.start(sweep, folder.path(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QVERIFY2(process.isAlive(), qPrintable(process.message()));
    QCOMPARE(process.points().size(), 2);
    QCOMPARE(process.point(), 1); // the last one
    process.start(sweep, folder.path(), 1, {}, 0);
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QCOMPARE(process.point(), 0);
    QCOMPARE(process.message(), process.points()[0]);
    QVERIFY2(process.points()[0].contains(QLatin1Char('1')), qPrintable(process.points()[0]));
    process.start(scenario, folder.path(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(!process.isBusy(), 20'000);
    QVERIFY(process.points().size() <= 1);
  }

#ifdef TRAINYARD_IMGUI
  void noClickAndNoKeyIsLost()
  {
    ImGuiHost host{QString{}, QApplication::font(), 2};
    int clicks = 0;
    char typed[16] = "";
    bool into_field = false;
    const auto draw = [&] {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({400, 200});
      ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration);
      clicks += ImGui::Button("button", {200, 60}) ? 1 : 0;
      if (std::exchange(into_field, false))
        ImGui::SetKeyboardFocusHere();
      ImGui::InputText("##typed", typed, sizeof typed);
      ImGui::End();
    };
    for (int i = 0; i < 3; ++i)
      host.frame({400, 200}, draw);
    // Two clicks and three keys before the next frame; the position is at scale 1.
    for (int i = 0; i < 2; ++i)
      for (const bool down : {true, false}) {
        QMouseEvent event{down ? QEvent::MouseButtonPress : QEvent::MouseButtonRelease,
                          QPointF{50, 20},
                          QPointF{50, 20},
                          Qt::LeftButton,
                          down ? Qt::LeftButton : Qt::NoButton,
                          {}};
        QVERIFY(host.event(&event));
      }
    while (host.wantsFrame())
      host.frame({400, 200}, draw);
    QCOMPARE(clicks, 2);
    into_field = true;
    for (int i = 0; i < 3; ++i)
      host.frame({400, 200}, draw);
    for (const auto& [key, text] : {std::pair{Qt::Key_X, "x"}, std::pair{Qt::Key_Y, "y"}, {Qt::Key_Backspace, ""}})
      for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
        QKeyEvent event{type, key, {}, QLatin1String(text)};
        QVERIFY(host.event(&event));
      }
    while (host.wantsFrame())
      host.frame({400, 200}, draw);
    QCOMPARE(typed, "x");
  }

  void lettersHaveThePixelsOfTheScreen()
  {
    // At scale 2 a letter has four times the pixels; blown up from scale 1 its atlas would be the same.
    const ImGuiHost once{QStringLiteral("äöü"), QApplication::font(), 1};
    const ImGuiHost twice{QStringLiteral("äöü"), QApplication::font(), 2};
    const auto covered = [](const QImage& atlas) {
      qint64 sum = 0;
      for (int y = 0; y < atlas.height(); ++y)
        for (int x = 0; x < atlas.width(); ++x)
          sum += atlas.constScanLine(y)[x] > 128 ? 1 : 0;
      return sum;
    };
    QVERIFY2(covered(twice.atlas()) > 2 * covered(once.atlas()),
             qPrintable(QStringLiteral("%1 and %2").arg(covered(once.atlas())).arg(covered(twice.atlas()))));
  }
#endif
};

QTEST_MAIN(InspectorTest)
#include "inspector_test.moc"
