// SPDX-License-Identifier: Apache-2.0
/// What hands do with studies, and with what leaves the program: layouts, sensitivity, score, tables, files for others.
#include "gui/core/widgets.hpp"
#include "gui/panels/plan_dialog.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/results_view.hpp"
#include "tests/gui/hands_fixture.hpp"

#include <QAction>
#include <QChartView>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QTableView>

using namespace trainyard::gui;
using tests::one_job;

namespace {

/// A message of a run that ended well, or what went wrong.
QByteArray fault_of(const QueuedRun& run)
{
  return run.state == QueuedRun::State::done ? QByteArray{} : run.message.toUtf8();
}

} // namespace

class HandsExportsTest : public tests::Hands
{
  Q_OBJECT

  void runOnce()
  {
    const qsizetype before = session_->results.size();
    window_->action(QStringLiteral("run"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(session_->results.size() > before, 30'000);
    const QByteArray fault = fault_of(session_->queue.runs().back());
    QVERIFY2(fault.isEmpty(), fault.constData());
  }

  QString runShown() const { return window_->findChild<QLabel*>(QStringLiteral("run_shown"))->text(); }

  /// The next file dialog gets a name typed into it, and Enter.
  static void typeFile(const QString& file)
  {
    QTimer::singleShot(300, qApp, [file] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      QVERIFY(dialog != nullptr);
      auto* line = dialog->findChild<QLineEdit*>();
      line->setText(file);
      QTest::keyClick(line, Qt::Key_Return);
    });
  }

  static QByteArray bytes(const QString& file)
  {
    QFile in{file};
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray{};
  }

private slots:
  void initTestCase()
  {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    start("simgui-hands-exports");
  }
  void cleanupTestCase() { fixture_.reset(); }
  void init() { renew(); }

  void resultsAreOfTheFileThatWasRun_data()
  {
    QTest::addColumn<QString>("named");
    QTest::newRow("the same name in both") << QStringLiteral("name: hands\n");
    QTest::newRow("no name in either") << QString{};
  }
  void resultsAreOfTheFileThatWasRun()
  {
    QFETCH(const QString, named);
    const QString text = QString{one_job}.replace(QLatin1String("name: hands\n"), named);
    QDir folder{fixture_->folder.path()};
    QStringList files;
    for (const char* name : {"here", "there"}) {
      folder.mkpath(QLatin1String(name));
      files << folder.filePath(QLatin1String(name) + QStringLiteral("/job.yaml"));
    }
    QVERIFY(tests::write_file(files[0], text.toUtf8()));
    QVERIFY(tests::write_file(files[1], QString{text}.replace(QLatin1String("32"), QLatin1String("16")).toUtf8()));
    QVERIFY(window_->openFile(files[0]));
    runOnce();
    QVERIFY2(!runShown().contains(QLatin1String(" · ")), qPrintable(runShown()));
    QVERIFY(window_->openFile(files[1]));
    QVERIFY2(runShown().contains(QLatin1String("another scenario is open")), qPrintable(runShown()));
    QVERIFY(window_->openFile(files[0]));
    QVERIFY2(!runShown().contains(QLatin1String(" · ")), qPrintable(runShown()));
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("workers"));
    QVERIFY2(runShown().contains(QLatin1String("the scenario was changed since")), qPrintable(runShown()));
    session_->document.setValue(QStringLiteral("name"), QStringLiteral("renamed"), QStringLiteral("name"));
    QVERIFY2(runShown().contains(QLatin1String("the scenario was changed since")), qPrintable(runShown()));
  }

  /// Results of the command line tell their file by its folder too.
  void resultsOfTheCommandLineAreOfTheirFile()
  {
    QDir folder{fixture_->folder.path()};
    const QByteArray changed = QString{one_job}.replace(QLatin1String("32"), QLatin1String("16")).toUtf8();
    for (const char* name : {"cli_here", "cli_there"})
      folder.mkpath(QLatin1String(name));
    const QString here = folder.filePath(QStringLiteral("cli_here/job.yaml"));
    const QString there = folder.filePath(QStringLiteral("cli_there/job.yaml"));
    QVERIFY(tests::write_file(here, one_job.toUtf8()));
    QVERIFY(tests::write_file(there, changed));
    const QString results = folder.filePath(QStringLiteral("cli_results"));
    tests::simrun_output({here, QStringLiteral("-o"), results});
    QVERIFY(window_->openFile(there));
    window_->openResults(results);
    QTRY_VERIFY_WITH_TIMEOUT(runShown().startsWith(QLatin1String("cli_results")), 20'000);
    QVERIFY2(runShown().contains(QLatin1String("another scenario is open")), qPrintable(runShown()));
    QVERIFY(window_->openFile(here));
    QVERIFY2(!runShown().contains(QLatin1String(" · ")), qPrintable(runShown()));
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("workers"));
    QVERIFY2(runShown().contains(QLatin1String("the scenario was changed since")), qPrintable(runShown()));
  }

  void textsWithoutAFileAreToldApart()
  {
    QTest::keyClick(window_, Qt::Key_N, Qt::ControlModifier);
    runOnce();
    QTest::keyClick(window_, Qt::Key_N, Qt::ControlModifier);
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("4"), QStringLiteral("workers"));
    QVERIFY2(runShown().contains(QLatin1String("another scenario is open")), qPrintable(runShown()));
  }

  void sensitivityTellsHowLongAndStops()
  {
    auto* bar = window_->findChild<QProgressBar*>();
    window_->action(QStringLiteral("sensitivity"))->trigger();
    QVERIFY(window_->info()->message().startsWith(QLatin1String("Sensitivity: the scenario is simulated as it is")));
    auto* stop = window_->info()->findChild<QPushButton*>();
    QVERIFY(stop != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().startsWith(QLatin1String("At most ")), 30'000);
    QVERIFY2(window_->info()->message().contains(QLatin1String("the rest takes about")),
             qPrintable(window_->info()->message()));
    const int expected = bar->maximum();
    QVERIFY(bar->isVisible() && expected > 40); // the samples, and more
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!bar->isVisible(), 5000);
    QCOMPARE(window_->info()->message(), QString{});
    QVERIFY(!window_->action(QStringLiteral("cancel"))->isEnabled());
  }

  void aLayoutIsTakenByADoubleClick()
  {
    window_->action(QStringLiteral("layouts"))->trigger();
    QVERIFY(window_->info()->message().contains(QLatin1String("divides a transformer"))); // one_job does not
    const QString text = tests::example_text(QStringLiteral("llama3_70b_on_512_h100"));
    session_->document.openText(text, QStringLiteral("llama.yaml"));
    QTest::keyClick(window_, Qt::Key_F7, Qt::ControlModifier);
    auto* dialog = window_->findChild<LayoutsDialog*>();
    QVERIFY(dialog != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->isBusy(), 60'000);
    auto* table = dialog->findChild<QTableView*>(QStringLiteral("layouts_table"));
    QVERIFY(table->model()->rowCount() > 3);
    double before = 0; // the fastest first
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      const double step = table->model()->index(row, 1).data(whole_value_role).toDouble();
      QVERIFY(step >= before);
      before = step;
    }
    const QString first = table->model()->index(0, 0).data(whole_value_role).toString(); // "TP4 PP4 VP10 DP32 SP …"
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(0, 0)).center());
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(0, 0)).center());
    QTRY_VERIFY(window_->findChild<LayoutsDialog*>() == nullptr);
    for (const auto& [letters, key] : {std::pair{"TP", "tp"}, {"PP", "pp"}, {"VP", "vp"}, {"DP", "dp"}}) {
      const QRegularExpression part{QStringLiteral("\\b%1(\\d+)").arg(QLatin1String(letters))};
      const QString value = part.match(first).captured(1);
      QCOMPARE(session_->document.value(QStringLiteral("jobs.0.training.parallel.%1").arg(QLatin1String(key))),
               value.isEmpty() ? QStringLiteral("1") : value);
    }
    QCOMPARE(session_->document.value(QStringLiteral("jobs.0.training.parallel.global_batch")), QStringLiteral("512"));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy(), 20'000);
    for (const Problem& problem : session_->checker.problems()) // it may take nearly all of the memory
      QVERIFY2(problem.severity != Problem::Severity::error, qPrintable(problem.message));
    activate();
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier); // one step
    QCOMPARE(session_->document.text(), text);
  }

  /// What the scenario says about its old layout goes where it contradicts the one that is taken.
  void aLayoutOfAScenarioWithManyKeysRuns()
  {
    const QString text = tests::example_text(QStringLiteral("deepseek_v3_on_2048_h800"));
    const QString zero = QStringLiteral("        zero: 1\n");
    QVERIFY(text.contains(zero));
    const QString more = zero + QStringLiteral("        shard_within: 64\n        whole_tensors: true\n");
    for (const QString& from : {text, QString{text}.replace(zero, more)})
      for (const char* const letters : {"TP1 PP16", "VP", "TP8", "ZeRO-3"}) {
        session_->document.openText(from, QStringLiteral("deepseek.yaml"));
        window_->action(QStringLiteral("layouts"))->trigger();
        auto* dialog = window_->findChild<LayoutsDialog*>();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog->isBusy(), 60'000);
        QVERIFY(dialog->findChild<QLabel*>(QStringLiteral("layouts_words"))->text().contains(QLatin1String("fp8")));
        const auto* table = dialog->findChild<QTableView*>(QStringLiteral("layouts_table"))->model();
        QVERIFY(table->rowCount() > 3);
        int row = 0;
        while (row < table->rowCount() - 1 &&
               !table->index(row, 0).data(whole_value_role).toString().contains(QLatin1String(letters)))
          ++row;
        const QString layout = table->index(row, 0).data(whole_value_role).toString();
        dialog->take(row);
        QTRY_VERIFY(window_->findChild<LayoutsDialog*>() == nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy(), 20'000);
        for (const Problem& problem : session_->checker.problems()) // of memory there may be warnings
          QVERIFY2(problem.severity != Problem::Severity::error, qPrintable(layout + problem.message));
        // Times and memory of layouts are those of 1F1B, and of dualpipe others.
        QCOMPARE(session_->document.value(QStringLiteral("jobs.0.training.parallel.schedule")), QString{});
        QVERIFY2(window_->info()->message().contains(QLatin1String("schedule")),
                 qPrintable(window_->info()->message()));
        session_->document.undoStack()->undo();
        QCOMPARE(session_->document.text(), from);
      }
    // A transformer of the file's own sizes, on the network of the file: one card of 10 Gbit/s takes longer.
    const QString own = tests::example_text(QStringLiteral("llama3_70b_on_512_h100"))
                            .replace(QLatin1String("model: llama3_70b"),
                                     QLatin1String("model: {name: transformer, layers: 20, hidden: 4096, heads: 32, "
                                                   "sequence_length: 4096}"));
    const auto fastest = [&](const QString& scenario) {
      session_->document.openText(scenario, QStringLiteral("own.yaml"));
      window_->action(QStringLiteral("layouts"))->trigger();
      auto* dialog = window_->findChild<LayoutsDialog*>();
      [&] { QTRY_VERIFY_WITH_TIMEOUT(!dialog->isBusy(), 60'000); }();
      const double step = dialog->findChild<QTableView*>(QStringLiteral("layouts_table"))
                              ->model()
                              ->index(0, 1)
                              .data(whole_value_role)
                              .toDouble();
      dialog->reject();
      [&] { QTRY_VERIFY(window_->findChild<LayoutsDialog*>() == nullptr); }();
      return step;
    };
    const double fast = fastest(own);
    QVERIFY(fast > 0);
    QVERIFY(QString{own}.contains(QLatin1String("link: IB-NDR")));
    QVERIFY(fastest(QString{own}.replace(QLatin1String("link: IB-NDR"), QLatin1String("link: 10GbE"))) > 1.02 * fast);
  }

  void everyTableIsSaved()
  {
    runOnce();
    window_->openDock(QStringLiteral("runs"));
    QStringList without;
    for (const QTableView* table : window_->findChildren<QTableView*>())
      if (table->findChild<QAction*>(QStringLiteral("save_rows")) == nullptr && !table->accessibleName().isEmpty())
        without << table->accessibleName();
    QCOMPARE(without, QStringList{});
    auto* runs = window_->dock(QStringLiteral("runs"))->findChild<QTableView*>();
    const QString file = fixture_->folder.filePath(QStringLiteral("runs.csv"));
    typeFile(file);
    runs->findChild<QAction*>(QStringLiteral("save_rows"))->trigger();
    const QList<QByteArray> lines = bytes(file).trimmed().split('\n');
    QCOMPARE(lines.size(), static_cast<qsizetype>(runs->model()->rowCount()) + 1);
    QCOMPARE(lines.front(), QByteArray{"No.,Run,State,Time,When,Note,Message"});
    QVERIFY(lines.back().contains(",done,")); // what it says, and not its tool tip
  }

  void aChartIsSavedByItsMenu()
  {
    runOnce();
    window_->showPage(MainWindow::results_page);
    window_->resultsView()->openTab(0);
    Chart* chart = window_->resultsView()->chart();
    auto* view = chart->findChild<QChartView*>();
    QVector<Series> lines(1);
    lines[0].name = QStringLiteral("ring");
    lines[0].points = {{1, 10}, {2, 19.5}};
    chart->setSeries(lines, QStringLiteral("rates"), QStringLiteral("workers"), QStringLiteral("images/s"));
    auto* menu = chart->findChild<QMenu*>(QStringLiteral("chart_menu"));
    QContextMenuEvent asked{QContextMenuEvent::Keyboard, view->rect().center(),
                            view->mapToGlobal(view->rect().center())};
    QApplication::sendEvent(view, &asked);
    QTRY_VERIFY(menu->isVisible());
    menu->hide();
    const QList<QAction*> actions = menu->actions();
    const QString picture = fixture_->folder.filePath(QStringLiteral("chart.svg"));
    typeFile(picture);
    actions[0]->trigger();
    QVERIFY(bytes(picture).contains("<svg"));
    const QString numbers = fixture_->folder.filePath(QStringLiteral("chart.csv"));
    typeFile(numbers);
    actions[3]->trigger();
    QCOMPARE(bytes(numbers), QByteArray{"workers,ring\n1,10\n2,19.5\n"});
    actions[4]->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("workers,ring\n1,10\n2,19.5\n"));
    actions[1]->trigger();
    QVERIFY(!QGuiApplication::clipboard()->pixmap().isNull());
  }

  void theDialogHasEveryFormatOfSimrun()
  {
    QStringList known;
    for (const auto& [format, words] : MainWindow::exportFormats())
      known << format;
    QVERIFY(known.removeOne(QStringLiteral("perfetto"))); // the trace that every folder has
    known.sort();
    QStringList there;
    for (const QByteArray& line : tests::simrun_output({QStringLiteral("list"), QStringLiteral("exports")}).split('\n'))
      if (!line.isEmpty() && !line.startsWith("name "))
        there << QString::fromUtf8(line.left(line.indexOf(' ')));
    QCOMPARE(known, there);
  }

  void resultsAndScenariosAreExported()
  {
    runOnce();
    const auto written = [&](const char* format, const QString& file) {
      window_->exportAs(QLatin1String(format), fixture_->folder.filePath(file));
      [&] { QTRY_VERIFY_WITH_TIMEOUT(!bytes(fixture_->folder.filePath(file)).isEmpty(), 20'000); }();
      return bytes(fixture_->folder.filePath(file));
    };
    QVERIFY(written("perfetto", QStringLiteral("t.json.gz")).startsWith("\x1f\x8b"));
    QVERIFY(written("simgrid", QStringLiteral("p.xml")).contains("<platform"));
    QVERIFY(written("kubernetes", QStringLiteral("k.yaml")).contains("kind: "));
    // By the dialog, whose kind of file says the format.
    const QString file = fixture_->folder.filePath(QStringLiteral("by_hand.json.gz"));
    typeFile(file);
    window_->action(QStringLiteral("export_as"))->trigger();
    QTRY_VERIFY(bytes(file).startsWith("\x1f\x8b"));
    // Not over the file that is exported.
    const QString trace = window_->resultsView()->results()->folder + QStringLiteral("/trace.json.gz");
    const QByteArray before = bytes(trace);
    window_->exportAs(QStringLiteral("perfetto"), trace);
    QVERIFY2(window_->info()->message().contains(QLatin1String("choose another name")),
             qPrintable(window_->info()->message()));
    QVERIFY(!before.isEmpty() && bytes(trace) == before);
    // Of what cannot be exported the reason is told.
    window_->exportAs(QStringLiteral("swf"), fixture_->folder.filePath(QStringLiteral("none.swf")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().startsWith(QLatin1String("Nothing was exported: ")), 20'000);
  }

  void aTableIsScored()
  {
    const QDir top{QFileInfo{example_files().front()}.absolutePath() + QStringLiteral("/..")};
    const QString table = top.filePath(QStringLiteral("results/published/horovod_readme_2017.csv"));
    if (!QFileInfo::exists(table))
      QSKIP("the tables are not installed");
    typeFile(table);
    window_->action(QStringLiteral("score"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().startsWith(QLatin1String("Every row")), 60'000);
    QVERIFY(window_->explanation().contains(QLatin1String("horovod")));
    const QString file = fixture_->folder.filePath(QStringLiteral("scored.csv"));
    typeFile(file);
    QTest::mouseClick(window_->info()->findChildren<QPushButton*>().back(), Qt::LeftButton);
    QVERIFY(bytes(file).split('\n').front().contains("predicted"));
  }
};

QTEST_MAIN(HandsExportsTest)
#include "hands_exports_test.moc"
