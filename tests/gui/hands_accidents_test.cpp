// SPDX-License-Identifier: Apache-2.0
/// What hands do by accident, and what the window owes to everybody: files that change behind one's back, undo through
/// all views, closing, broken and very large scenarios, names for screen readers, the dark theme.
#include "gui/canvas/canvas_model.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/results/results_view.hpp"
#include "tests/gui/hands_fixture.hpp"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QElapsedTimer>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QTextCursor>

using namespace trainyard::gui;
using tests::one_job;

class HandsAccidentsTest : public tests::Hands
{
  Q_OBJECT

  QString openedFile(const char* name)
  {
    const QString file = fixture_->folder.filePath(QLatin1String(name));
    [&] {
      QVERIFY(tests::write_file(file, one_job.toUtf8()));
      QVERIFY(window_->openFile(file));
    }();
    return file;
  }

  void pressOnBar(const char* words)
  {
    for (QPushButton* button : window_->info()->findChildren<QPushButton*>())
      if (button->text() == QLatin1String(words) && button->isVisible())
        return QTest::mouseClick(button, Qt::LeftButton);
    QFAIL(words);
  }

  /// The next message box gets a click on one of its buttons.
  static void answer(QMessageBox::StandardButton button)
  {
    QTimer::singleShot(250, qApp, [button] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      QVERIFY(box != nullptr);
      QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
  }

  static QByteArray bytes(const QString& file)
  {
    QFile in{file};
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray{};
  }

  void dragOnCanvas(const QPoint& from, const QPoint& to)
  {
    QWidget* ground = window_->canvas()->viewport();
    QTest::mousePress(ground, Qt::LeftButton, {}, from);
    for (int i = 1; i <= 5; ++i) {
      const QPointF place = from + (to - from) * i / 5.0;
      QMouseEvent move{QEvent::MouseMove, place, ground->mapToGlobal(place), Qt::NoButton, Qt::LeftButton, {}};
      QApplication::sendEvent(ground, &move);
    }
    QTest::mouseRelease(ground, Qt::LeftButton, {}, to);
  }

  /// What a screen reader would call by nothing: controls in sight without a name.
  static QStringList nameless(QWidget& top)
  {
    QStringList found;
    for (QWidget* each : top.findChildren<QWidget*>()) {
      const bool control = qobject_cast<QAbstractButton*>(each) != nullptr ||
                           qobject_cast<QComboBox*>(each) != nullptr ||
                           (each->focusPolicy() & Qt::TabFocus) == Qt::TabFocus;
      if (!each->isVisible() || !control || each->focusProxy() != nullptr || // of a view, whose name it is
          each->objectName() == QLatin1String("qt_spinbox_lineedit") ||
          each->objectName().startsWith(QLatin1String("qt_")) || each->inherits("QTabBar") ||
          each->inherits("QComboBoxPrivateContainer") || each->inherits("QScrollArea"))
        continue;
      if (each->parentWidget() != nullptr && each->parentWidget()->inherits("QComboBox"))
        continue; // the line of an editable box
      QAccessibleInterface* face = QAccessible::queryAccessibleInterface(each);
      if (face == nullptr || face->text(QAccessible::Name).trimmed().isEmpty()) {
        QStringList way;
        for (const QWidget* up = each; up != nullptr && way.size() < 4; up = up->parentWidget())
          way << QStringLiteral("%1 '%2'").arg(QLatin1String(up->metaObject()->className()), up->objectName());
        found << way.join(QStringLiteral(" in "));
      }
    }
    found.removeDuplicates();
    return found;
  }

  /// Labels and buttons in sight whose letters are hard to read on their ground.
  static QStringList pale(QWidget& top)
  {
    QStringList found;
    for (QLabel* each : top.findChildren<QLabel*>()) {
      if (!each->isVisible() || each->text().trimmed().isEmpty() || !each->isEnabled())
        continue;
      const QColor letters = each->palette().color(each->foregroundRole());
      const QColor ground = each->palette().color(each->backgroundRole());
      if (contrast(letters, ground) < 3)
        found << QStringLiteral("%1: %2 on %3").arg(each->text().left(30), letters.name(), ground.name());
    }
    return found;
  }

private slots:
  void initTestCase() { start("simgui-hands-accidents"); }
  void cleanupTestCase() { fixture_.reset(); }
  void init() { renew(); }

  void aFileThatChangesWhileItIsChangedHereIsAskedAbout()
  {
    const QString file = openedFile("both.yaml");
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("workers"));
    const QString mine = session_->document.text();
    const QByteArray theirs = QString{one_job}.replace(QLatin1String("25GbE"), QLatin1String("100GbE")).toUtf8();
    QVERIFY(tests::write_file(file, theirs));
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().contains(QLatin1String("it was changed here too")), 5000);
    QCOMPARE(session_->document.text(), mine);
    pressOnBar("Keep this text");
    QVERIFY(window_->isWindowModified());
    // Saving would lose what the other program wrote: a question, and Escape saves nothing.
    QVERIFY(questionAfter([&] {
              QTest::keyClick(window_, Qt::Key_S, Qt::ControlModifier);
            }).contains(QLatin1String("Overwrite it?")));
    QCOMPARE(bytes(file), theirs);
    activate();
    answer(QMessageBox::Save);
    QTest::keyClick(window_, Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(bytes(file), mine.toUtf8());
    QVERIFY(!window_->isWindowModified());
    QTest::qWait(400); // its own writing is no change by another program
    QVERIFY2(window_->info()->message().isEmpty(), qPrintable(window_->info()->message()));
  }

  void readingAgainCanBeUndone()
  {
    const QString file = openedFile("again.yaml");
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("workers"));
    const QString mine = session_->document.text();
    const QString theirs = QString{one_job}.replace(QLatin1String("25GbE"), QLatin1String("100GbE"));
    QVERIFY(tests::write_file(file, theirs.toUtf8()));
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().contains(QLatin1String("it was changed here too")), 5000);
    pressOnBar("Reload");
    QCOMPARE(session_->document.text(), theirs);
    QVERIFY(!window_->isWindowModified());
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier); // what was typed here is not lost
    QCOMPARE(session_->document.text(), mine);
    QVERIFY(window_->isWindowModified());
    QTest::keyClick(window_, Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), theirs);
  }

  void aFileThatGoesWithChangesOfOnesOwnIsRestoredBySaving()
  {
    const QString file = openedFile("gone.yaml");
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("workers"));
    const QString mine = session_->document.text();
    QVERIFY(QFile::remove(file));
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().contains(QLatin1String("was removed")), 5000);
    QCOMPARE(session_->document.text(), mine);
    QTest::keyClick(window_, Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(bytes(file), mine.toUtf8());
    QVERIFY(window_->info()->message().isEmpty());
    // It is watched again.
    QVERIFY(tests::write_file(file, one_job.toUtf8()));
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().contains(QLatin1String("Another program changed gone.yaml")),
                             5000);
  }

  void railsAreToldApartInANarrowPlace()
  {
    QCOMPARE(short_name(QStringLiteral("unit-0/rail-3")), QStringLiteral("0/rail-3"));
    QCOMPARE(short_name(QStringLiteral("unit-12/rail-10")), QStringLiteral("12/rail-10"));
    QCOMPARE(short_name(QStringLiteral("pod-1/row-2/leaf-3")), QStringLiteral("1/2/leaf-3"));
    for (const char* name : {"leaf-3", "spines", "a/b"})
      QCOMPARE(short_name(QLatin1String(name)), QLatin1String(name));
  }

  void aMachineIsDraggedAndComesBack()
  {
    TopologyScene* scene = window_->scene();
    window_->canvas()->fit();
    QTest::qWait(50);
    const QPointF was = scene->itemOf(QStringLiteral("w-1"))->pos();
    const QString text = session_->document.text();
    const auto here = [&] { return window_->canvas()->mapFromScene(scene->itemOf(QStringLiteral("w-1"))->pos()); };
    dragOnCanvas(here(), here() + QPoint{60, 70});
    const QPointF now = scene->itemOf(QStringLiteral("w-1"))->pos();
    QVERIFY2(QLineF(was, now).length() > 30, qPrintable(QStringLiteral("%1 %2").arg(now.x()).arg(now.y())));
    QCOMPARE(session_->document.text(), text); // a place is no part of the scenario
    // A change of the text draws the canvas anew, and the machine stays where it was put.
    session_->document.setValue(QStringLiteral("name"), QStringLiteral("other"), QStringLiteral("name"));
    QCOMPARE(scene->itemOf(QStringLiteral("w-1"))->pos(), now);
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(scene->itemOf(QStringLiteral("w-1"))->pos(), was);
    QTest::keyClick(window_, Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(scene->itemOf(QStringLiteral("w-1"))->pos(), now);
  }

  void everyChangeIsUndoneAndDoneAgainByKeys()
  {
    QVector<QString> states{session_->document.text()};
    const auto done = [&] {
      session_->document.settle();
      if (session_->document.text() != states.back())
        states.push_back(session_->document.text());
    };
    // On the canvas: a group is copied, pasted and removed; in a form; in the text; on the axis of failures.
    window_->canvas()->setFocus();
    window_->scene()->addPart(QStringLiteral("cpu_nodes"), {0, 0});
    done();
    window_->scene()->clearSelection();
    window_->scene()->itemOf(QStringLiteral("server-0"))->setSelected(true);
    window_->canvas()->setFocus();
    QTest::keyClick(window_->canvas(), Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(window_->canvas(), Qt::Key_V, Qt::ControlModifier);
    done();
    QTest::keyClick(window_->canvas(), Qt::Key_Delete);
    done();
    YamlEditor* editor = editorWithFocus();
    QTextCursor end{session_->document.textDocument()};
    end.movePosition(QTextCursor::End);
    editor->setTextCursor(end);
    QTest::keyClicks(editor, QStringLiteral("# seen"));
    done();
    session_->document.setValue(QStringLiteral("jobs.0.batch_per_gpu"), QStringLiteral("64"), QStringLiteral("batch"));
    done();
    QCOMPARE(states.size(), 6);
    for (qsizetype i = states.size() - 2; i >= 0; --i) {
      for (int tries = 0; tries < 10 && session_->document.text() != states[i]; ++tries) // letters may be several steps
        QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
      QCOMPARE(session_->document.text(), states[i]);
    }
    QVERIFY(!window_->isWindowModified());
    for (qsizetype i = 1; i < states.size(); ++i) {
      for (int tries = 0; tries < 10 && session_->document.text() != states[i]; ++tries)
        QTest::keyClick(window_, Qt::Key_Y, Qt::ControlModifier);
      QCOMPARE(session_->document.text(), states[i]);
    }
    QVERIFY(window_->isWindowModified());
  }

  void closingAsksAndSaves()
  {
    const QString file = openedFile("close.yaml");
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("workers"));
    QCOMPARE(questionAfter([&] { QTest::keyClick(window_, Qt::Key_Q, Qt::ControlModifier); }),
             QStringLiteral("Save the changes of close.yaml?"));
    QVERIFY(window_->isVisible());
    QCOMPARE(bytes(file), one_job.toUtf8());
    activate();
    answer(QMessageBox::Save);
    QVERIFY(window_->close());
    QCOMPARE(bytes(file), session_->document.text().toUtf8());
    window_->show();
    activate();
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("3"), QStringLiteral("workers"));
    answer(QMessageBox::Discard);
    QVERIFY(window_->close());
    QVERIFY(bytes(file).contains("workers: 2"));
    window_->show();
    activate();
  }

  void brokenFilesAreOpenedAsTextAndSayWhatIsWrong()
  {
    const QString broken = fixture_->folder.filePath(QStringLiteral("broken.yaml"));
    QVERIFY(tests::write_file(broken, "trainyard: 1\nname: [unclosed\ncluster:\n\tnodes: 3\n"));
    QVERIFY(window_->openFile(broken));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.problems().isEmpty(), 20'000);
    QVERIFY(session_->checker.problems().front().line > 0);
    QTRY_VERIFY(window_->dock(QStringLiteral("problems"))->isVisible());
    QTest::keyClick(window_, Qt::Key_F5); // the reason, and no run without an end
    QTRY_VERIFY_WITH_TIMEOUT(window_->info()->message().startsWith(QLatin1String("The run failed: ")), 20'000);
    for (const char* key : {"sensitivity", "layouts", "plan"}) { // nothing falls over
      window_->action(QLatin1String(key))->trigger();
      for (QDialog* dialog : window_->findChildren<QDialog*>())
        dialog->reject();
      QTRY_VERIFY_WITH_TIMEOUT(!window_->action(QStringLiteral("cancel"))->isEnabled(), 20'000);
    }
    const QString before = session_->document.text();
    session_->document.undoStack()->setClean();
    for (const QString& bad :
         {fixture_->folder.filePath(QStringLiteral("nowhere.yaml")), QStringLiteral("/dev/null/x")})
      QVERIFY(!questionAfter([&] { QVERIFY(!window_->openFile(bad)); }).isEmpty());
    QCOMPARE(session_->document.text(), before);
  }

  void tenThousandMachinesAreDrawnAndRun()
  {
    const QString text = QString{one_job}
                             .replace(QLatin1String("count: 4"), QLatin1String("count: 10000, per_rack: 40"))
                             .replace(QLatin1String("{link: 25GbE}"),
                                      QLatin1String("{topology: leaf_spine, link: 25GbE, leaf_ports: 40}"));
    QElapsedTimer clock;
    clock.start();
    session_->document.openText(text, QStringLiteral("large.yaml"));
    window_->showPage(MainWindow::cluster_page);
    window_->canvas()->fit();
    window_->grab();
    QVERIFY2(clock.elapsed() < 3000, qPrintable(QString::number(clock.elapsed())));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy(), 30'000);
    QVERIFY2(
        session_->checker.problems().isEmpty(),
        qPrintable(session_->checker.problems().isEmpty() ? QString{} : session_->checker.problems().front().message));
    // A change, and its way back, while one looks at it.
    clock.restart();
    session_->document.setValue(QStringLiteral("cluster.nodes.0.count"), QStringLiteral("9960"),
                                QStringLiteral("count"));
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    session_->document.settle();
    QCOMPARE(session_->document.text(), text);
    QVERIFY2(clock.elapsed() < 3000, qPrintable(QString::number(clock.elapsed())));
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.runs().isEmpty() && !session_->queue.isRunning(), 60'000);
    QVERIFY2(session_->queue.runs().back().state == QueuedRun::State::done,
             qPrintable(session_->queue.runs().back().message));
    QTRY_COMPARE(window_->page(), static_cast<int>(MainWindow::results_page));
    window_->showPage(MainWindow::cluster_page);
    clock.restart();
    window_->grab();
    QVERIFY2(clock.elapsed() < 3000, qPrintable(QString::number(clock.elapsed())));
  }

  void everyControlHasANameForScreenReaders()
  {
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.runs().isEmpty() && !session_->queue.isRunning(), 30'000);
    QTRY_COMPARE(window_->page(), static_cast<int>(MainWindow::results_page));
    QStringList found;
    const auto look = [&](const QString& where, QWidget& top) {
      QTest::qWait(60);
      for (const QString& each : nameless(top))
        if (!found.contains(each)) {
          found << each;
          qWarning("%s: %s", qPrintable(where), qPrintable(each));
        }
    };
    for (int tab = 0; tab < 8; ++tab) {
      window_->resultsView()->openTab(tab);
      look(QStringLiteral("results %1").arg(tab), *window_);
    }
    for (const int page : {0, 1, 2, 4}) {
      window_->showPage(static_cast<MainWindow::Page>(page));
      look(QStringLiteral("page %1").arg(page), *window_);
    }
    window_->showPage(MainWindow::cluster_page);
    for (const char* panel : {"problems", "runs", "what_if", "explanation", "inspector", "import_report"}) {
      window_->openDock(QLatin1String(panel));
      look(QLatin1String(panel), *window_);
    }
    for (const char* key : {"plan", "shortcuts", "fail", "find"}) {
      window_->action(QLatin1String(key))->trigger();
      look(QLatin1String(key), *window_);
      for (QDialog* dialog : window_->findChildren<QDialog*>()) {
        look(QLatin1String(key), *dialog);
        dialog->reject();
      }
    }
    window_->showWelcome();
    look(QStringLiteral("welcome"), *window_);
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
  }

  void lettersAreLegibleAfterTheThemeHasChanged()
  {
    QTest::keyClick(window_, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!session_->queue.runs().isEmpty() && !session_->queue.isRunning(), 30'000);
    session_->document.setValue(QStringLiteral("jobs.0.workers"), QStringLiteral("2"), QStringLiteral("workers"));
    QStringList found;
    for (const char* theme : {"theme_dark", "theme_light"}) {
      window_->action(QLatin1String(theme))->trigger();
      for (int page = 0; page < 5; ++page) {
        window_->showPage(static_cast<MainWindow::Page>(page));
        QTest::qWait(80);
        for (const QString& each : pale(*window_))
          found << QStringLiteral("%1, page %2: %3").arg(QLatin1String(theme)).arg(page).arg(each);
      }
    }
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
  }
};

QTEST_MAIN(HandsAccidentsTest)
#include "hands_accidents_test.moc"
