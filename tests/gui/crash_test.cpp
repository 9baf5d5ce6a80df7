// SPDX-License-Identifier: Apache-2.0
/// The editor itself is killed with unsaved text, by a signal that nobody can catch; the next start offers the text.
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/windows/main_window.hpp"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextCursor>
#include <QTimer>

#include <QUndoStack>
#include <csignal>
#include <memory>

using namespace trainyard::gui;

namespace {

const char* const scenario =
    "trainyard: 1\nname: crash\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
    "  nodes: [{name: w, type: w, count: 4}]\n  network: {link: 25GbE}\n"
    "jobs:\n  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}}\n";

void name_application()
{
  QStandardPaths::setTestModeEnabled(true);
  QCoreApplication::setOrganizationName(QStringLiteral("trainyard"));
  QCoreApplication::setApplicationName(QStringLiteral("simgui-crash"));
}

/// The editor with a file open in which something was typed; goes on until it is killed.
int edit(QApplication& application, const QString& file)
{
  Session session;
  MainWindow window{session};
  window.show();
  window.openFile(file);
  QTextCursor cursor{session.document.textDocument()};
  cursor.insertText(QStringLiteral("# typed, not saved\n"));
  return application.exec();
}

} // namespace

class CrashTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    name_application();
    apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), Theme::light);
    QDir{state_folder(QStringLiteral("recovery"))}.removeRecursively();
  }

  void anEditorThatIsKilledLosesNothing_data()
  {
    QTest::addColumn<bool>("named");
    QTest::newRow("the next start names no file") << false;
    QTest::newRow("the next start names the file, as simgui FILE") << true;
  }

  void anEditorThatIsKilledLosesNothing()
  {
    QFETCH(const bool, named);
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("crash.yaml"));
    QFile out{file};
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(scenario);
    out.close();
    QProcess editor;
    editor.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--edit"), file});
    const QDir recovery{state_folder(QStringLiteral("recovery"))};
    QTRY_VERIFY_WITH_TIMEOUT(!recovery.entryList({QStringLiteral("*.yaml")}, QDir::Files).isEmpty(), 30'000);
    // While that editor lives its text is not offered to another one.
    QVERIFY(ScenarioDocument::recoverable().isEmpty());
    ::kill(static_cast<pid_t>(editor.processId()), SIGKILL);
    QVERIFY(editor.waitForFinished(10'000));
    QCOMPARE(editor.exitStatus(), QProcess::CrashExit);
    QCOMPARE(ScenarioDocument::recoverable().size(), 1);
    QVERIFY(out.open(QIODevice::ReadOnly));
    QCOMPARE(out.readAll(), QByteArray{scenario}); // the file itself was not touched
    // The next start asks, and opens it.
    Session session;
    session.settings.clear();
    MainWindow window{session};
    QString asked;
    QTimer answer;
    connect(&answer, &QTimer::timeout, this, [&] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()); box != nullptr) {
        asked = box->text();
        QTest::mouseClick(box->button(QMessageBox::Open), Qt::LeftButton);
      }
    });
    answer.start(50);
    window.show();
    if (named)
      QVERIFY(window.openFile(file));
    const QString typed = QStringLiteral("# typed, not saved\n") + QString::fromUtf8(scenario);
    QTRY_COMPARE_WITH_TIMEOUT(session.document.text(), typed, 10'000);
    answer.stop();
    QVERIFY2(asked.contains(QLatin1String("unsaved changes in crash.")), qPrintable(asked));
    QVERIFY(session.document.isModified()); // it is on no disk yet under its name
    QCOMPARE(session.document.file(), named ? file : QString{});
    QVERIFY(session.document.title().startsWith(QLatin1String("crash.yaml")));
    if (named) {
      session.document.undoStack()->undo();
      QCOMPARE(session.document.text(), QString::fromUtf8(scenario));
    }
    session.document.undoStack()->setClean();
    session.document.forgetRecovery();
    QVERIFY(ScenarioDocument::recoverable().isEmpty()); // nothing asks a second time
  }
};

int main(int argc, char** argv)
{
  QApplication application{argc, argv};
  if (argc == 3 && qstrcmp(argv[1], "--edit") == 0) {
    name_application();
    return edit(application, QString::fromLocal8Bit(argv[2]));
  }
  CrashTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "crash_test.moc"
