// SPDX-License-Identifier: Apache-2.0
/// The pipeline of a divided job and the memory of its ranks, as the window shows them.
#include "gui/results/pipeline_view.hpp"
#include "gui/results/results_view.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QTabWidget>

#include <QSignalSpy>
#include <memory>

using namespace trainyard;
using namespace trainyard::gui;
using namespace trainyard::gui::tests;

class PipelineTest : public QObject
{
  Q_OBJECT

  std::unique_ptr<WindowFixture> fixture_;

  /// Two stages and two micro-batches, worked by hand: forward 1 s, backward 2 s, no messages. Stage 0 waits from 2 to
  /// 4 s and from 6 to 7 s.
  static Results byHand(const QString& folder)
  {
    [&] {
      QVERIFY(write_file(folder + QStringLiteral("/summary.json"), "{}"));
      QVERIFY(write_file(folder + QStringLiteral("/pipeline.csv"),
                         "point,job,rank,pass,chunk,micro_batch,begin_s,end_s\n"
                         ",a,0,forward,0,0,0,1\n,a,0,forward,0,1,1,2\n,a,0,backward,0,0,4,6\n,a,0,backward,0,1,7,9\n"
                         ",a,1,forward,0,0,1,2\n,a,1,backward,0,0,2,4\n,a,1,forward,0,1,4,5\n,a,1,backward,0,1,5,7\n"));
      QVERIFY(write_file(folder + QStringLiteral("/memory.csv"),
                         "point,job,rank,time_s,chunks,activations_B,memory_B\n"
                         ",a,0,0,1,1e9,5e9\n,a,0,1,2,2e9,6e9\n,a,0,6,1,1e9,5e9\n,a,0,9,0,0,4e9\n"
                         ",a,1,0,0,0,4e9\n,a,1,1,1,1e9,5e9\n,a,1,7,0,0,4e9\n"));
    }();
    return std::make_shared<const ResultsData>(read_results(folder));
  }

  static QPoint middleOf(const PipelineView& view, const QString& words)
  {
    for (int y = 0; y < view.height(); y += 2)
      for (int x = 0; x < view.width(); x += 2)
        if (view.wordsAt({double(x), double(y)}).contains(words))
          return {x + 6, y + 6};
    return {};
  }

private slots:
  void cleanup() { fixture_.reset(); }

  void rowsAreReadFromTheFolder()
  {
    QTemporaryDir folder;
    const QVector<PipelineRow> rows = pipeline_rows(*byHand(folder.path()));
    QCOMPARE(rows.size(), 2);
    QCOMPARE(rows[0].tasks.size(), 4);
    QCOMPARE(rows[0].busy(), 6.0);
    QCOMPARE(rows[0].peak(), 6e9);
    QCOMPARE(rows[1].peak(), 5e9);
    QVERIFY(pipeline_rows({}).isEmpty());
  }

  void placesAreSaidInWordsAndAClickChoosesTheRank()
  {
    QTemporaryDir folder;
    PipelineView view;
    view.resize(900, 500);
    QVERIFY(view.show(byHand(folder.path())));
    QCOMPARE(view.chosen(), 0); // the one with the most memory
    QVERIFY(!middleOf(view, QStringLiteral("stage 0: bubble, 2.000 s to 4.000 s")).isNull());
    const QPoint box = middleOf(view, QStringLiteral("stage 1: backward pass of micro-batch 0"));
    QVERIFY(!box.isNull());
    QVERIFY(!middleOf(view, QStringLiteral("stage 0 at")).isNull()); // its memory
    QTest::mouseClick(&view, Qt::LeftButton, {}, box);
    QCOMPARE(view.chosen(), 1);
    QVERIFY(!middleOf(view, QStringLiteral("stage 1 at")).isNull());
    QVERIFY(view.accessibleDescription().startsWith(QStringLiteral("stage 1: busy 67 %"))); // 6 of 9 s
    QTest::keyClick(&view, Qt::Key_Up);
    QCOMPARE(view.chosen(), 0);
    // The box has the colour of backward passes, the bubble that of none.
    const QImage picture = view.grab().toImage();
    const QPoint bubble = middleOf(view, QStringLiteral("stage 0: bubble, 2.000 s to 4.000 s"));
    QCOMPARE(picture.pixelColor(box), series_colour(1));
    QCOMPARE(picture.pixelColor(bubble), view.palette().color(QPalette::AlternateBase));
  }

  void aDividedJobThatRanIsShownInTheWindowInBothThemes()
  {
    fixture_ = std::make_unique<WindowFixture>("pipeline_test", QSize{1280, 900});
    const QString folder = fixture_->folder.filePath(QStringLiteral("run"));
    simrun_output({QStringLiteral("llama3_70b_on_512_h100"), QStringLiteral("--set"),
                   QStringLiteral("jobs.0.training.parallel.global_batch=128"), QStringLiteral("-o"), folder});
    QVERIFY2(QFileInfo::exists(folder + QStringLiteral("/memory.csv")), "simrun writes the memory of the ranks");
    fixture_->window->openResults(folder);
    ResultsView* results = fixture_->window->resultsView();
    QTRY_VERIFY_WITH_TIMEOUT(results->results() != nullptr, 10'000);
    PipelineView* view = results->pipeline();
    QCOMPARE(view->rows().size(), 4);                  // stages
    QCOMPARE(view->rows()[0].tasks.size(), 2 * 5 * 8); // two passes of five chunks and 8 micro-batches
    auto* tabs = results->findChild<QTabWidget*>(QString{}, Qt::FindDirectChildrenOnly);
    QVERIFY(tabs != nullptr);
    QVERIFY(tabs->isTabVisible(tabs->indexOf(view)));
    results->openTab(tabs->indexOf(view));
    QTRY_VERIFY(view->isVisible());
    const QString pictures = qEnvironmentVariable("PIPELINE_PICTURES");
    for (const Theme theme : {Theme::light, Theme::dark}) {
      apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), theme);
      QTest::qWait(50);
      const QImage picture = view->grab().toImage();
      for (const int pass : {0, 1}) { // forward and backward passes are there, in colours that text can stand on
        bool found = false;
        for (int x = 0; x < picture.width() && !found; ++x)
          for (int y = 0; y < picture.height() / 2 && !found; ++y)
            found = picture.pixelColor(x, y) == series_colour(pass);
        QVERIFY2(found, qPrintable(name_of(theme)));
      }
      QVERIFY(contrast(view->palette().color(QPalette::WindowText), view->palette().color(QPalette::Base)) >= 4.5);
      if (!pictures.isEmpty()) {
        view->grab().save(QStringLiteral("%1/pipeline-%2.png").arg(pictures, name_of(theme)));
        fixture_->window->grab().save(QStringLiteral("%1/pipeline-window-%2.png").arg(pictures, name_of(theme)));
      }
    }
    apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), Theme::light);
    // The model's peak is that of the memory over the step.
    double peak = 0;
    for (const PipelineRow& row : view->rows())
      peak = std::max(peak, row.peak());
    for (const auto& [name, table] : results->results()->other)
      if (name == QLatin1String("parallel"))
        QVERIFY(std::abs(peak / table.number(0, QStringLiteral("gpu_memory_B")) - 1) < 1e-6);
  }

  void otherRunsHaveNoSuchPage()
  {
    QTemporaryDir folder;
    QVERIFY(write_file(folder.filePath(QStringLiteral("summary.json")), "{}"));
    ResultsView view;
    view.show(std::make_shared<const ResultsData>(read_results(folder.path())));
    auto* tabs = view.findChild<QTabWidget*>(QString{}, Qt::FindDirectChildrenOnly);
    QVERIFY(tabs != nullptr);
    QVERIFY(!tabs->isTabVisible(tabs->indexOf(view.pipeline())));
  }
};

QTEST_MAIN(PipelineTest)
#include "pipeline_test.moc"
