// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A window for hands: keys pressed and buttons clicked on a window that is shown, each where a user once got stuck.
#include "gui/editor/yaml_editor.hpp"
#include "gui/panels/schema_form.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QDockWidget>
#include <QMessageBox>
#include <QTimer>

namespace trainyard::gui::tests {

inline const QString one_job = QStringLiteral(
    "trainyard: 1\nname: hands\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
    "  nodes: [{name: w, type: w, count: 4}]\n  network: {link: 25GbE}\n"
    "jobs:\n  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}}\n");

/// A window over a session, with a small scenario open.
class Hands : public QObject
{
protected:
  /// @p name: of the settings, which tests that run side by side do not share.
  void start(const char* name)
  {
    fixture_ = std::make_unique<WindowFixture>(name);
    session_ = fixture_->session.get();
    window_ = fixture_->window.get();
    QVERIFY2(!simrun_program().isEmpty(), "simrun was not found");
    QVERIFY(QTest::qWaitForWindowExposed(window_));
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_));
    QTRY_VERIFY_WITH_TIMEOUT(session_->schema.isReady(), 20'000);
  }

  void renew()
  {
    session_->document.undoStack()->setClean();
    session_->document.openText(one_job, QStringLiteral("hands.yaml"));
    window_->showPage(MainWindow::cluster_page);
    activate();
  }

  /// What a message box says that @p act opens; it is closed by the Escape key. Empty where none opens.
  template <class Act>
  static QString questionAfter(Act act)
  {
    QString told;
    QTimer::singleShot(200, qApp, [&told] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()); box != nullptr) {
        told = box->text();
        QTest::keyClick(box, Qt::Key_Escape);
      }
    });
    act();
    QTest::qWait(told.isEmpty() ? 300 : 0);
    return told;
  }

  /// Keys reach the active window, and a message box has just been one.
  void activate()
  {
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_));
  }

  /// The visible form that shows a path.
  SchemaForm* formAt(const QString& path)
  {
    for (SchemaForm* form : window_->findChildren<SchemaForm*>())
      if (form->isVisible() && form->path() == path)
        return form;
    return nullptr;
  }

  /// The widget of a form by the key it edits; forms that were left are deleted a moment later.
  template <class Widget>
  static Widget* inside(SchemaForm& form, const char* key)
  {
    QTest::qWait(20); // rows are shown by their layout
    for (Widget* each : form.findChildren<Widget*>(QLatin1String(key)))
      if (!each->parentWidget()->isHidden())
        return each;
    return nullptr;
  }

  YamlEditor* editorWithFocus()
  {
    window_->dock(QStringLiteral("text"))->show();
    QTest::mouseClick(window_->editor()->viewport(), Qt::LeftButton, {}, {20, 20});
    return window_->editor();
  }

  std::unique_ptr<WindowFixture> fixture_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
};

} // namespace trainyard::gui::tests
