// SPDX-License-Identifier: Apache-2.0
/// Faults on their axis, policies, the import report, previews of arrivals, racks on the canvas, loads over time, queue
/// timelines.
#include "gui/canvas/load_scrubber.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/theme.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "gui/panels/arrivals_view.hpp"
#include "gui/panels/faults_view.hpp"
#include "gui/panels/import_report.hpp"
#include "gui/panels/rules_view.hpp"
#include "gui/results/results.hpp"
#include "gui/results/results_view.hpp"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>

#include <algorithm>

using namespace trainyard;
using namespace trainyard::gui;

namespace {

const QString racks =
    QStringLiteral("trainyard: 1\nname: racks # kept\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 8}}\n"
                   "  nodes: [{name: w, type: w, count: 32, per_rack: 8}]\n"
                   "  network: {topology: leaf_spine, link: 100GbE}\njobs: []\n");

const char* const policy_schema =
    "{\"type\":\"object\",\"properties\":{\"scheduling\":{\"type\":\"object\",\"properties\":{"
    "\"policy\":{\"anyOf\":[{\"type\":\"string\",\"enum\":[\"fifo\",\"las\"],\"description\":\"which job starts next\","
    "\"enumDescriptions\":[\"in order\",\"least attained service (Tiresias)\"]},{\"type\":\"object\"}]},"
    "\"policies\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\",\"enum\":[\"fifo\",\"las\"],"
    "\"enumDescriptions\":[\"in order\",\"least attained service (Tiresias)\"]}]}},\"cost\":{\"type\":\"string\"}}}}}";

const char* const report =
    "{\"schema_version\":1,\"understood\":[{\"what\":\"3 "
    "services\",\"places\":[{\"file\":\"compose.yml\",\"line\":2}]}],"
    "\"assumed\":[{\"what\":\"sync updates\",\"why\":\"no flag\",\"places\":[{\"file\":\"compose.yml\",\"line\":3},"
    "{\"file\":\"compose.yml\",\"line\":4}]}],\"ignored\":[{\"what\":\"image\",\"places\":[]}],"
    "\"faults\":[{\"severity\":\"error\",\"message\":\"bad\",\"file\":\"compose.yml\",\"line\":1,\"column\":2}]}";

} // namespace

class PanelsTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setApplicationName(QStringLiteral("simgui-panels"));
    apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), Theme::light);
  }

  void timesOfFailuresAreClockTimesOrDurations()
  {
    QCOMPARE(fault_time(QStringLiteral("02:00")), 7200.0);
    QCOMPARE(fault_time(QStringLiteral("26:30:15")), 26 * 3600.0 + 30 * 60 + 15);
    QCOMPARE(fault_time(QStringLiteral("90 min")), 5400.0);
    QCOMPARE(fault_time(QStringLiteral("600s")), 600.0);
    QVERIFY(fault_time(QStringLiteral("soon")) < 0);
    QVERIFY(fault_time(QStringLiteral("02:75")) < 0);
    QCOMPARE(clock_text(7200), QStringLiteral("02:00"));
    QCOMPARE(clock_text(3661), QStringLiteral("01:01:01"));
    QCOMPARE(clock_text(360000), QStringLiteral("100:00"));
  }

  void failuresAreAddedMovedAndTakenOut()
  {
    ScenarioDocument document;
    document.openText(racks, {});
    FaultsModel model{document};
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
    QVERIFY(!model.add(QStringLiteral("rack:3"), QStringLiteral("soon"), {}));
    QVERIFY(model.add(QStringLiteral("rack:3"), QStringLiteral("02:00"), QStringLiteral("6 h")));
    QVERIFY(document.text().contains(QLatin1String("rack:3@02:00+6h")));
    QVERIFY(document.text().contains(QLatin1String("# kept")));
    QVERIFY(model.add(QStringLiteral("node:w-1"), QStringLiteral("600 s"), {}));
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.faults()[1].at_s, 600.0);
    QVERIFY(model.faults()[1].lasts_s < 0);
    QVERIFY(model.move(0, 3 * 3600));
    QVERIFY(document.text().contains(QLatin1String("rack:3@03:00+6h")));
    const int steps = document.undoStack()->count();
    QVERIFY(model.move(0, 3.5 * 3600)); // goes on: the same step
    QCOMPARE(document.undoStack()->count(), steps);
    QVERIFY(model.setData(model.index(0, 2), QStringLiteral("1 h"), Qt::EditRole));
    QVERIFY(!model.setData(model.index(0, 1), QStringLiteral("never"), Qt::EditRole));
    QVERIFY(document.text().contains(QLatin1String("rack:3@03:30+1h")));
    QVERIFY(model.remove(1));
    QCOMPARE(model.rowCount(), 1);
    while (document.undoStack()->canUndo())
      document.undoStack()->undo();
    QCOMPARE(document.text(), racks);
  }

  void failuresWrittenAsMapsAreUnderstoodAndKeepTheirForm()
  {
    ScenarioDocument document;
    document.openText(
        QStringLiteral(
            "faults:\n  list:\n    - {fail: \"rack:1\", at: 2 h, lasts: 1 h} # why\n    - storage@1h+10min\n"),
        {});
    FaultsModel model{document};
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.faults()[0].lasts_s, 3600.0);
    QCOMPARE(model.faults()[1].what, QStringLiteral("storage"));
    QVERIFY(model.move(0, 4 * 3600));
    QVERIFY(document.text().contains(QLatin1String("at: 04:00")) ||
            document.text().contains(QLatin1String("at: \"04:00\"")));
    QVERIFY(document.text().contains(QLatin1String("# why")));
    QVERIFY(model.add(QStringLiteral("node:a"), QStringLiteral("1 h"), {}));
    QVERIFY(document.value(QStringLiteral("faults.list.2")).startsWith(QLatin1String("node:a")));
  }

  void bandsAreDraggedAndKeysMoveThem()
  {
    ScenarioDocument document;
    document.openText(racks, {});
    FaultsView view{document};
    view.resize(900, 240);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QVERIFY(view.model().add(QStringLiteral("rack:0"), QStringLiteral("02:00"), QStringLiteral("6 h")));
    FaultAxis& axis = view.axis();
    const QRect band = axis.bandOf(0);
    QTest::mousePress(&axis, Qt::LeftButton, {}, band.center());
    QCOMPARE(axis.chosen(), 0);
    QTest::mouseMove(&axis, band.center() + QPoint{30, 0});
    QTest::mouseRelease(&axis, Qt::LeftButton, {}, band.center() + QPoint{30, 0});
    const double dragged = view.model().faults()[0].at_s;
    QVERIFY(dragged > 7200);
    axis.setFocus();
    QTest::keyClick(&axis, Qt::Key_Right);
    QCOMPARE(view.model().faults()[0].at_s, dragged + 60);
    QTest::keyClick(&axis, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(view.model().faults()[0].at_s, std::max(0.0, dragged + 60 - 3600));
    QTest::keyClick(&axis, Qt::Key_Delete);
    QCOMPARE(view.model().rowCount(), 0);
    // A double click on an empty place asks, and the answer is written.
    QTest::mouseDClick(&axis, Qt::LeftButton, {}, {axis.width() - 40, axis.height() - 8});
    auto* dialog = view.findChild<QDialog*>(QStringLiteral("fail_at"));
    QVERIFY(dialog != nullptr);
    dialog->findChild<QLineEdit*>(QStringLiteral("what"))->setText(QStringLiteral("node:w-3"));
    dialog->findChild<QLineEdit*>(QStringLiteral("at"))->setText(QStringLiteral("nonsense"));
    QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok), Qt::LeftButton);
    QVERIFY(dialog->isVisible()); // told, and still open
    const auto labels = dialog->findChildren<QLabel*>();
    const auto told = std::find_if(labels.begin(), labels.end(), [](const QLabel* label) { return label->wordWrap(); });
    QVERIFY(told != labels.end() && !(*told)->text().isEmpty());
    QTRY_VERIFY((*told)->height() >= (*told)->heightForWidth((*told)->width())); // all of its lines
    dialog->findChild<QLineEdit*>(QStringLiteral("at"))->setText(QStringLiteral("02:00"));
    QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok), Qt::LeftButton);
    QVERIFY(document.text().contains(QLatin1String("node:w-3@02:00+6h")));
  }

  void racksUnfoldAndAreMadeToFail()
  {
    ScenarioDocument document;
    document.openText(racks, {});
    TopologyScene scene{document};
    QVERIFY(scene.itemOf(QStringLiteral("w")) != nullptr);
    scene.toggleFold(QStringLiteral("w"));
    const TopologyItem* rack = scene.itemOf(QStringLiteral("w/rack-3"));
    QVERIFY(rack != nullptr);
    QCOMPARE(rack->item().count, 8);
    QCOMPARE(TopologyScene::failure_of(rack->item()), QStringLiteral("rack:3"));
    scene.toggleFold(QStringLiteral("w/rack-3"));
    QVERIFY(scene.itemOf(QStringLiteral("w-31")) != nullptr);
    QCOMPARE(scene.itemOf(QStringLiteral("w-31"))->item().rack, 3);
    QVERIFY(scene.itemOf(QStringLiteral("w/rack-0")) != nullptr);
    scene.toggleFold(QStringLiteral("w/rack-3")); // not drawn now: folds again
    QVERIFY(scene.itemOf(QStringLiteral("w/rack-3")) != nullptr);
    // A double click on a rack asks for the time.
    TopologyView view{scene};
    view.resize(900, 600);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.fit();
    QSignalSpy asked{&scene, &TopologyScene::failRequested};
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {},
                       view.mapFromScene(scene.itemOf(QStringLiteral("w/rack-2"))->pos()));
    QTRY_COMPARE(asked.count(), 1);
    QCOMPARE(asked.front().front().toString(), QStringLiteral("rack:2"));
  }

  void policiesComeFromTheSchemaWithTheirSentences()
  {
    Schema schema;
    QVERIFY(schema.setText(policy_schema));
    const QVector<PolicyChoice> choices = policy_choices(schema);
    QCOMPARE(choices.size(), 1);
    QCOMPARE(choices[0].path, QStringLiteral("scheduling.policy"));
    QCOMPARE(choices[0].list_path, QStringLiteral("scheduling.policies"));
    QVERIFY(choices[0].sentences[1].contains(QLatin1String("Tiresias")));
    ScenarioDocument document;
    const QString text = QStringLiteral("scheduling:\n  policy: {name: fifo, skip: true} # first\n  cost: 1 s\n");
    document.openText(text, {});
    PolicyList list{document, schema};
    list.use(QStringLiteral("las"));
    QCOMPARE(document.value(QStringLiteral("scheduling.policy")), QStringLiteral("las"));
    document.undoStack()->undo();
    QCOMPARE(document.text(), text);
    list.setCompared(QStringLiteral("las"), true); // fifo with its settings stays one of them
    QVERIFY2(document.value(QStringLiteral("scheduling.policies.0.name")) == QLatin1String("fifo"),
             qPrintable(document.text()));
    QCOMPARE(document.value(QStringLiteral("scheduling.policies.1")), QStringLiteral("las"));
    QVERIFY(find_path(document.tree().root, "scheduling.policy") == nullptr);
    QCOMPARE(list.list()->topLevelItem(1)->checkState(1), Qt::Checked);
    list.setCompared(QStringLiteral("las"), false);
    QVERIFY(find_path(document.tree().root, "scheduling.policies.1") == nullptr);
  }

  void aNewPolicyAppearsWithoutCodeHere()
  {
    Schema schema;
    QSignalSpy ready{&schema, &Schema::ready};
    schema.load(); // of the real simrun
    QTRY_VERIFY_WITH_TIMEOUT(ready.count() == 1, 20'000);
    QStringList paths;
    int described = 0;
    for (const PolicyChoice& choice : policy_choices(schema)) {
      paths << choice.path;
      QCOMPARE(choice.names.size(), choice.sentences.size());
      for (const QString& sentence : choice.sentences)
        described += sentence.isEmpty() ? 0 : 1;
    }
    QVERIFY(paths.contains(QLatin1String("scheduling.policy")));
    QVERIFY(paths.contains(QLatin1String("scheduling.placement")));
    QVERIFY(described >= 30);
  }

  void theImportReportShowsItsSource()
  {
    QTemporaryDir folder;
    QFile file{folder.filePath(QStringLiteral("compose.yml"))};
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("one\ntwo\nthree\nfour\n");
    file.close();
    const QVector<ImportLine> lines = import_lines(QJsonDocument::fromJson(report).object());
    QCOMPARE(lines.size(), 4);
    QVERIFY(lines[0].kind == ImportLine::Kind::fault);
    ImportReportView view;
    view.resize(500, 500);
    view.show(lines, folder.path());
    QCOMPARE(view.list()->topLevelItemCount(), 4);
    QTreeWidgetItem* assumed = view.list()->topLevelItem(2)->child(0);
    QCOMPARE(assumed->text(1), QStringLiteral("3, 4"));
    view.list()->setCurrentItem(assumed);
    QCOMPARE(view.markedLine(), 3);
  }

  void arrivalsArePreviewedAndTracesAudited()
  {
    const QString generated = QStringLiteral(
        "cluster: {node_types: {w: {gpu: V100-SXM2-16GB, gpus: 8}}, nodes: [{name: w, type: w, count: 4}], "
        "network: {link: 25GbE}}\nworkload: {generate: {jobs: 500, mean_interarrival: 10 min}}\n");
    const ArrivalsPreview made = preview_arrivals(generated, QDir::currentPath());
    QVERIFY2(made.fault.isEmpty(), qPrintable(made.fault));
    QCOMPARE(made.jobs, 500);
    double sum = 0;
    for (const QPointF& bin : made.arrivals)
      sum += bin.y();
    QCOMPARE(sum, 500.0);
    QCOMPARE(made.durations.back().y(), 100.0);
    QTemporaryDir folder;
    QFile trace{folder.filePath(QStringLiteral("jobs.swf"))};
    QVERIFY(trace.open(QIODevice::WriteOnly));
    trace.write("; UnixStartTime: 0\n1 0 0 100 2 -1 -1 2 100 -1 1 1 1 -1 1 1 -1 -1\n2 60 0 -1 4 -1 -1 4 100 -1 1 1 1 "
                "-1 1 1 -1 -1\n");
    trace.close();
    const QString from_trace =
        QString{generated}.replace(QLatin1String("{generate: {jobs: 500, mean_interarrival: 10 min}}"),
                                   QLatin1String("{trace: {file: jobs.swf}}"));
    const ArrivalsPreview read = preview_arrivals(from_trace, folder.path());
    QVERIFY2(read.fault.isEmpty(), qPrintable(read.fault));
    QVERIFY2(!read.audit.isEmpty(), qPrintable(read.audit));
    QVERIFY(!preview_arrivals(QString{from_trace}.replace(QLatin1String("jobs.swf"), QLatin1String("none.swf")),
                              folder.path())
                 .fault.isEmpty());
    QVERIFY(!preview_arrivals(QStringLiteral("jobs: []\n"), folder.path()).fault.isEmpty());
  }

  void linkLoadsFollowTheScrubber()
  {
    auto data = std::make_shared<ResultsData>();
    data->jobs = read_csv("point,job,workers\np,t,2\n");
    data->links = read_csv("point,link,busy,utilisation\np,a,0.5,0.4\np,b,0.2,0.1\n");
    data->link_loads =
        link_loads_of(read_csv("point,link,begin_s,end_s,load\np,a,0,1,0.25\np,a,1,2,1\np,b,1.5,2,0.5\n"));
    QCOMPARE(data->link_loads.at(0.5).value(QStringLiteral("a")), 0.25);
    QCOMPARE(data->link_loads.at(0.5).value(QStringLiteral("b")), 0.0);
    QCOMPARE(data->link_loads.at(1.75).value(QStringLiteral("b")), 0.5);
    ResultsView view;
    LoadScrubber scrubber;
    QSignalSpy loads{&view, &ResultsView::loadsChanged};
    connect(&scrubber, &LoadScrubber::timeChosen, &view, &ResultsView::showLoadsAt);
    view.show(data);
    scrubber.show(data);
    QCOMPARE((loads.back().front().value<QHash<QString, double>>().value(QStringLiteral("a"))),
             0.4); // the whole run, as links.csv has its load
    scrubber.setTime(1.75);
    QCOMPARE((loads.back().front().value<QHash<QString, double>>().value(QStringLiteral("a"))), 1.0);
    scrubber.slider()->setValue(0);
    QCOMPARE((loads.back().front().value<QHash<QString, double>>().value(QStringLiteral("a"))), 0.4);
  }

  void livesOfJobsBecomeATimeline()
  {
    const Timeline timeline = queue_timeline(
        read_csv("point,policy,job,from_s,to_s\n,fifo,1,0,10\n,fifo,2,10,15\n,las,1,0,4\n,las,1,9,15\n"),
        read_csv("point,policy,job,from_s,to_s,reason\n,fifo,2,3,10,\"fewer GPUs free\"\n,las,1,4,9,preempted\n"));
    QCOMPARE(timeline.lanes.size(), std::size_t{3});
    QCOMPARE(timeline.lanes[1].spans.size(), std::size_t{2}); // job 2 under fifo: waits, runs
    QCOMPARE(timeline.names[static_cast<int>(timeline.lanes[1].spans[0].name)], QStringLiteral("fewer GPUs free"));
    QCOMPARE(timeline.lanes[2].process, QStringLiteral("las"));
    QCOMPARE(timeline.lanes[2].spans.size(), std::size_t{3});
    QCOMPARE(timeline.end, 15.0);
    QCOMPARE(queue_timeline(read_csv("point,policy,job,from_s,to_s\n,fifo,1,0,10\n,fifo,2,10,15\n"),
                            read_csv("point,policy,job,from_s,to_s,reason\n,fifo,2,3,10,x\n"), 1)
                 .lanes.size(),
             std::size_t{1}); // the one that waited longest
  }
};

QTEST_MAIN(PanelsTest)
#include "panels_test.moc"
