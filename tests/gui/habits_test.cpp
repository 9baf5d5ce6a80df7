// SPDX-License-Identifier: Apache-2.0
/// What a desktop program is expected to do: everything by the keyboard with the focus in sight, files dropped and
/// remembered, a place in the menu of the desktop.
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/widgets.hpp"
#include "gui/editor/yaml_editor.hpp"
#include "gui/panels/faults_view.hpp"
#include "gui/panels/plan_dialog.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QCommandLinkButton>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QScrollArea>
#include <QSet>
#include <QTabBar>
#include <QTextCursor>
#include <QWheelEvent>

using namespace trainyard::gui;

namespace {

/// Widgets that take the keyboard and can be seen.
QList<QWidget*> stops(const QWidget& window)
{
  QList<QWidget*> list;
  for (QWidget* each : window.findChildren<QWidget*>())
    if (each->isVisible() && each->isEnabled() && (each->focusPolicy() & Qt::TabFocus) == Qt::TabFocus &&
        each->focusProxy() == nullptr && qobject_cast<QScrollArea*>(each) == nullptr && each->window() == &window &&
        !each->objectName().startsWith(QLatin1String("qt_")) && each->size().width() > 1 &&
        (qobject_cast<QTabBar*>(each) == nullptr ||
         window.rect().contains(each->mapTo(&window, QPoint{1, 1})))) // spare ones lie outside
      list << each;
  return list;
}

QString name_of(const QWidget& widget)
{
  QAccessibleInterface* named = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(&widget));
  const QRect at = widget.geometry();
  return QStringLiteral("%1 '%2' in %3, %4x%5 at %6,%7")
      .arg(QLatin1String(widget.metaObject()->className()),
           named == nullptr ? QString{} : named->text(QAccessible::Name),
           QLatin1String(widget.parentWidget()->metaObject()->className()))
      .arg(at.width())
      .arg(at.height())
      .arg(at.x())
      .arg(at.y());
}

} // namespace

class HabitsTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    fixture_ = std::make_unique<tests::WindowFixture>("simgui-habits");
    session_ = fixture_->session.get();
    window_ = fixture_->window.get();
    QVERIFY(QTest::qWaitForWindowExposed(window_));
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_));
    QTRY_VERIFY_WITH_TIMEOUT(session_->schema.isReady(), 20'000);
  }

  void cleanupTestCase() { fixture_.reset(); }

  void theTabKeyReachesEverything_data()
  {
    QTest::addColumn<int>("page");
    QTest::addColumn<QString>("panel");
    QTest::newRow("welcome") << -1 << QString{};
    QTest::newRow("cluster") << static_cast<int>(MainWindow::cluster_page) << QStringLiteral("what_if");
    QTest::newRow("cluster with problems") << static_cast<int>(MainWindow::cluster_page) << QStringLiteral("problems");
    QTest::newRow("workload") << static_cast<int>(MainWindow::workload_page) << QStringLiteral("runs");
    QTest::newRow("rules") << static_cast<int>(MainWindow::rules_page) << QString{};
    QTest::newRow("results") << static_cast<int>(MainWindow::results_page) << QStringLiteral("explanation");
    QTest::newRow("compare") << static_cast<int>(MainWindow::compare_page) << QString{};
  }

  void theTabKeyReachesEverything()
  {
    QFETCH(int, page);
    QFETCH(QString, panel);
    session_->document.undoStack()->setClean();
    session_->document.openText(tests::example_text(QStringLiteral("vgg16_ps_vs_ring")), QStringLiteral("vgg16.yaml"));
    if (page < 0)
      window_->showWelcome();
    else
      window_->showPage(static_cast<MainWindow::Page>(page));
    if (!panel.isEmpty())
      window_->openDock(panel);
    QTest::qWait(60);
    const QString text = session_->document.text();
    window_->action(QStringLiteral("next_part"))->trigger();
    QVERIFY(window_->focusWidget() != nullptr);
    QSet<const QWidget*> reached;
    QSet<const QWidget*> unseen;
    // Tab goes on until it meets where it has been, or the text, where it indents; F8 goes to the next part of the
    // window.
    const auto* ring = window_->findChild<FocusRing*>();
    QVERIFY(ring != nullptr);
    for (int part = 0; part < 9; ++part) {
      QWidget* start = window_->focusWidget();
      QSet<const QWidget*> round;
      for (QWidget* focus = start; !round.contains(focus) && qobject_cast<YamlEditor*>(focus) == nullptr;
           focus = window_->focusWidget()) {
        round.insert(focus);
        QTest::keyClick(focus, Qt::Key_Tab);
        QVERIFY2(window_->focusWidget() != focus,
                 qPrintable(QStringLiteral("the Tab key does not leave ") + name_of(*focus)));
        if (ring->around() != window_->focusWidget() && !window_->focusWidget()->visibleRegion().isEmpty())
          unseen.insert(window_->focusWidget());
      }
      reached.unite(round);
      reached.insert(window_->focusWidget());
      start->setFocus(Qt::TabFocusReason);
      QTest::keyClick(start, Qt::Key_F8);
    }
    QStringList missing;
    for (const QWidget* each : stops(*window_))
      if (!reached.contains(each))
        missing << name_of(*each);
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
    for (const QWidget* each : std::as_const(unseen))
      missing << name_of(*each);
    QVERIFY2(missing.isEmpty(), qPrintable(QStringLiteral("no ring around: ") + missing.join(QLatin1Char('\n'))));
    QCOMPARE(session_->document.text(), text); // walking about changes nothing
  }

  void aClickTakesTheRingAway()
  {
    window_->showPage(MainWindow::cluster_page);
    window_->action(QStringLiteral("next_part"))->trigger();
    QTest::keyClick(window_->focusWidget(), Qt::Key_F8);
    const auto* ring = window_->findChild<FocusRing*>();
    QVERIFY(ring->around() != nullptr);
    QTest::mouseClick(window_->canvas()->viewport(), Qt::LeftButton, {}, {5, 5});
    QVERIFY(ring->around() == nullptr);
  }

  void dialogsAreWalkedThroughToo()
  {
    session_->document.openText(tests::example_text(QStringLiteral("shared_cluster_policies")),
                                QStringLiteral("queue.yaml"));
    window_->faults()->ask(QStringLiteral("node:dgx-0"));
    window_->plan();
    for (const char* name : {"fail_at", "plan"}) {
      auto* dialog = window_->findChild<QDialog*>(QLatin1String(name));
      QVERIFY2(dialog != nullptr, name);
      dialog->activateWindow();
      QVERIFY(QTest::qWaitForWindowActive(dialog));
      QSet<const QWidget*> reached;
      for (int i = 0; i < 40 && dialog->focusWidget() != nullptr; ++i) {
        reached.insert(dialog->focusWidget());
        QTest::keyClick(dialog->focusWidget(), Qt::Key_Tab);
      }
      QStringList missing;
      for (const QWidget* each : stops(*dialog)) {
        if (!reached.contains(each))
          missing << name_of(*each);
        QAccessibleInterface* named = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(each));
        if (qobject_cast<const QLabel*>(each) == nullptr &&
            !QByteArray{each->parentWidget()->metaObject()->className()}.contains("QComboBox"))
          QVERIFY2(named != nullptr && !named->text(QAccessible::Name).isEmpty(), qPrintable(name_of(*each)));
      }
      QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
      QTest::keyClick(dialog, Qt::Key_Escape);
      QTRY_VERIFY(window_->findChild<QDialog*>(QLatin1String(name)) == nullptr);
    }
  }

  void aFileDroppedOntoTheWindowIsOpened()
  {
    session_->document.undoStack()->setClean();
    const QString file = fixture_->folder.filePath(QStringLiteral("dropped.yaml"));
    QVERIFY(tests::write_file(file, tests::example_text(QStringLiteral("swarm_failures")).toUtf8()));
    drop(*window_, file);
    QCOMPARE(session_->document.file(), file);
    // Also onto the canvas, which takes only parts of the palette for itself.
    const QString second = fixture_->folder.filePath(QStringLiteral("second.yaml"));
    QVERIFY(tests::write_file(second, tests::example_text(QStringLiteral("rack_failure")).toUtf8()));
    drop(*window_->canvas()->viewport(), second);
    QCOMPARE(session_->document.file(), second);
  }

  // The wheel scrolls; what lies under the pointer changes only where somebody is in it.
  void theWheelChangesNoValueThatNobodyIsIn()
  {
    session_->document.undoStack()->setClean();
    const QString file = fixture_->folder.filePath(QStringLiteral("wheel.yaml"));
    QVERIFY(tests::write_file(file, tests::example_text(QStringLiteral("swarm_failures")).toUtf8()));
    drop(*window_, file);
    window_->setFocus();
    int turned = 0;
    const auto turn = [](QWidget& control) {
      const QPointF middle = QRectF{control.rect()}.center();
      QWheelEvent wheel{middle,         control.mapToGlobal(middle), {},   {0, -120}, Qt::NoButton,
                        Qt::NoModifier, Qt::NoScrollPhase,           false};
      QApplication::sendEvent(&control, &wheel);
    };
    for (const int page :
         {MainWindow::cluster_page, MainWindow::workload_page, MainWindow::rules_page, MainWindow::results_page}) {
      window_->showPage(static_cast<MainWindow::Page>(page));
      const QString before = session_->document.text();
      for (QWidget* control : window_->findChildren<QWidget*>())
        if (control->isVisible() && control->isEnabled() && !control->hasFocus() &&
            (qobject_cast<QComboBox*>(control) != nullptr || qobject_cast<QAbstractSpinBox*>(control) != nullptr)) {
          const auto* list = qobject_cast<QComboBox*>(control);
          const int chosen = list == nullptr ? 0 : list->currentIndex();
          turn(*control);
          ++turned;
          QVERIFY2(control->focusPolicy() != Qt::WheelFocus, qPrintable(name_of(*control)));
          QVERIFY2(list == nullptr || list->currentIndex() == chosen, qPrintable(name_of(*control)));
        }
      QCOMPARE(session_->document.text(), before);
    }
    QVERIFY(turned > 0);
    QComboBox list{window_}; // with the keyboard in it the wheel turns it
    list.addItems({QStringLiteral("a"), QStringLiteral("b")});
    list.show();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_));
    list.setFocus();
    QTRY_VERIFY(list.hasFocus());
    turn(list);
    QCOMPARE(list.currentIndex(), 1);
  }

  void recentFilesAreOnTheWelcomePageAndInTheMenu()
  {
    const QString file = fixture_->folder.filePath(QStringLiteral("dropped.yaml"));
    QVERIFY(session_->recentFiles().contains(file));
    session_->document.undoStack()->setClean();
    MainWindow again{*session_};
    bool found = false;
    for (const QCommandLinkButton* each : again.findChildren<QCommandLinkButton*>())
      found = found || each->text() == QLatin1String("dropped.yaml");
    QVERIFY(found);
    QMenu* recent = nullptr;
    for (QMenu* menu : window_->findChildren<QMenu*>())
      if (menu->title().contains(QLatin1String("recent")))
        recent = menu;
    QVERIFY(recent != nullptr);
    emit recent->aboutToShow();
    QVERIFY(recent->actions().size() >= 2);
    for (QAction* each : recent->actions())
      if (each->text() == file)
        each->trigger();
    QCOMPARE(session_->document.file(), file);
    // One that is gone is not offered any more.
    QVERIFY(QFile::remove(fixture_->folder.filePath(QStringLiteral("second.yaml"))));
    QVERIFY(!session_->recentFiles().contains(fixture_->folder.filePath(QStringLiteral("second.yaml"))));
  }

  void theDesktopFileAndTheIconAreInstalled()
  {
    // What cpack packs is what the install script lays out; its own text names both files and where they go.
    const QDir build{QFileInfo{QCoreApplication::applicationDirPath()}.absolutePath()};
    QFile script{build.filePath(QStringLiteral("gui/cmake_install.cmake"))};
    QVERIFY2(script.open(QIODevice::ReadOnly), "run it in a build folder");
    const QByteArray text = script.readAll();
    QVERIFY(text.contains("/share/applications\" TYPE FILE FILES"));
    QVERIFY(text.contains("/share/icons/hicolor/scalable/apps\" TYPE FILE FILES"));
    QString source;
    for (const QByteArray& line : text.split('\n'))
      if (line.contains("simgui.desktop"))
        source = QString::fromUtf8(line).section(QLatin1Char('"'), -2, -2);
    QFile entry{source};
    QVERIFY2(entry.open(QIODevice::ReadOnly), qPrintable(source));
    const QList<QByteArray> lines = entry.readAll().split('\n');
    QVERIFY(lines.contains("[Desktop Entry]") && lines.contains("Type=Application") &&
            lines.contains("Exec=simgui %f") && lines.contains("Icon=simgui"));
    for (const char* language : {"Comment[ru]=", "Comment[zh_CN]="})
      QVERIFY2(
          std::any_of(lines.begin(), lines.end(), [&](const QByteArray& line) { return line.startsWith(language); }),
          language);
    QVERIFY(!QIcon{QFileInfo{source}.absolutePath() + QStringLiteral("/icons/simgui.svg")}.pixmap(64, 64).isNull());
  }

private:
  static void drop(QWidget& onto, const QString& file)
  {
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter{{50, 50}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier};
    QCoreApplication::sendEvent(&onto, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent dropped{{50, 50}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier};
    QCoreApplication::sendEvent(&onto, &dropped);
    QVERIFY(dropped.isAccepted());
  }

  std::unique_ptr<tests::WindowFixture> fixture_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
};

QTEST_MAIN(HabitsTest)
#include "habits_test.moc"
