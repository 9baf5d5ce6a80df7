// SPDX-License-Identifier: Apache-2.0
/// The open scenario: one undo stack for text and canvas, edits that keep comments, nothing lost.
#include "gui/canvas/topology_scene.hpp"
#include "gui/document/checker.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "gui/panels/workload_view.hpp"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextCursor>

#include <random>

using namespace trainyard;
using namespace trainyard::gui;

namespace {

const QString sample =
    QStringLiteral("# a comment\n"
                   "trainyard: 1\n"
                   "name: demo\n"
                   "cluster:\n"
                   "  node_types:\n"
                   "    worker: {gpu: V100-SXM2-16GB, gpus: 8} # eight\n"
                   "  nodes:\n"
                   "    - {name: worker, type: worker, count: 2}\n"
                   "  network: {topology: star, link: 25GbE}\n"
                   "jobs:\n"
                   "  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}}\n");

} // namespace

class DocumentTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

  void typedLettersBecomeOneStepAndUndoGivesTheTextBack()
  {
    ScenarioDocument document;
    document.openText(sample, {});
    QTextCursor cursor{document.textDocument()};
    cursor.setPosition(0);
    for (const char* letter : {"#", " ", "h", "i"})
      cursor.insertText(QString::fromLatin1(letter));
    QCOMPARE(document.text(), QStringLiteral("# hi") + sample);
    QCOMPARE(document.undoStack()->count(), 1);
    QVERIFY(document.isModified());
    document.undoStack()->undo();
    QCOMPARE(document.text(), sample);
    QVERIFY(!document.isModified());
    document.undoStack()->redo();
    QCOMPARE(document.textDocument()->toPlainText(), QStringLiteral("# hi") + sample);
  }

  void editsByPathKeepCommentsAndAreNamed()
  {
    ScenarioDocument document;
    document.openText(sample, {});
    QVERIFY(
        document.setValue(QStringLiteral("cluster.nodes.0.count"), QStringLiteral("16"), QStringLiteral("Set count")));
    QString wanted = sample;
    QCOMPARE(document.text(), wanted.replace(QLatin1String("count: 2"), QLatin1String("count: 16")));
    QCOMPARE(document.undoStack()->undoText(), QStringLiteral("Set count"));
    QCOMPARE(document.value(QStringLiteral("cluster.nodes.0.count")), QStringLiteral("16"));
  }

  void aChangeTheTextDoesNotAllowIsRefusedInWords()
  {
    ScenarioDocument document;
    document.openText(sample, {});
    QSignalSpy refused{&document, &ScenarioDocument::refused};
    QVERIFY(!document.setValue(QStringLiteral("jobs.9.name"), QStringLiteral("x"), QStringLiteral("Set")));
    QCOMPARE(refused.count(), 1);
    QVERIFY(refused.front().front().toString().contains(QLatin1String("no item 9")));
    QCOMPARE(document.text(), sample);
  }

  void theLastGoodTreeStaysWhileTheTextIsBroken()
  {
    ScenarioDocument document;
    document.openText(sample, {});
    QTextCursor cursor{document.textDocument()};
    cursor.movePosition(QTextCursor::End);
    cursor.insertText(QStringLiteral("jobs: [\n"));
    document.readNow();
    QVERIFY(!document.isReadable());
    QCOMPARE(document.value(QStringLiteral("name")), QStringLiteral("demo"));
  }

  void hundredRandomEditsUndoneGiveTheStart()
  {
    ScenarioDocument document;
    TopologyScene scene{document};
    document.openText(sample, {});
    std::mt19937 random{11};
    int steps = 0;
    for (int i = 0; i < 100; ++i) {
      switch (random() % 5) {
      case 0:
        document.setValue(QStringLiteral("cluster.nodes.0.count"), QString::number(1 + random() % 64),
                          QStringLiteral("count"));
        break;
      case 1:
        scene.addPart(random() % 2 ? QStringLiteral("gpu_nodes") : QStringLiteral("cpu_nodes"), {0, 0});
        break;
      case 2:
        scene.addPart(random() % 2 ? QStringLiteral("template:leaf_spine") : QStringLiteral("template:star"), {0, 0});
        break;
      case 3: {
        QTextCursor cursor{document.textDocument()};
        cursor.setPosition(0);
        cursor.insertText(QStringLiteral("# note %1\n").arg(i));
        break;
      }
      default:
        document.appendItem(QStringLiteral("jobs"), QStringLiteral("{name: j%1, model: vgg16}").arg(i),
                            QStringLiteral("job"));
        break;
      }
      steps = document.undoStack()->count();
      QVERIFY(document.isReadable());
      QVERIFY(document.text().contains(QLatin1String("# eight")));
    }
    QVERIFY(steps > 50);
    const QString changed = document.text();
    while (document.undoStack()->canUndo())
      document.undoStack()->undo();
    QCOMPARE(document.text(), sample);
    while (document.undoStack()->canRedo())
      document.undoStack()->redo();
    QCOMPARE(document.text(), changed);
  }

  void aFullDiskLosesNothing()
  {
    ScenarioDocument document;
    document.openText(sample, {});
    QString error;
    QVERIFY(!document.save(QStringLiteral("/proc/no_such_folder/file.yaml"), &error));
    QVERIFY(error.contains(QLatin1String("still here")));
    QCOMPARE(document.text(), sample);
    QTemporaryDir folder;
    QVERIFY(document.save(folder.filePath(QStringLiteral("a.yaml")), &error));
    QVERIFY(!document.changedOnDisk());
    QFile other{folder.filePath(QStringLiteral("a.yaml"))};
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write("changed");
    other.close();
    QVERIFY(document.changedOnDisk());
  }

  void unsavedTextIsRecoverable()
  {
    for (const QString& old : ScenarioDocument::recoverable())
      QFile::remove(old);
    auto document = std::make_unique<ScenarioDocument>();
    document->openText(sample, QStringLiteral("work.yaml"));
    document->setValue(QStringLiteral("name"), QStringLiteral("kept"), QStringLiteral("Set name"));
    QTRY_COMPARE_WITH_TIMEOUT(ScenarioDocument::recoverable().size(), 1, 5000);
    document.reset(); // as a crash would leave it: the copy stays
    QFile file{ScenarioDocument::recoverable().front()};
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("name: kept"));
    file.remove();
  }

  void aRecoveryCopyIsOfOneFileAndNotOfOthersWithItsName()
  {
    for (const QString& old : ScenarioDocument::recoverable())
      QFile::remove(old);
    QTemporaryDir folder;
    QString error;
    for (const char* name : {"a", "b"}) {
      QVERIFY(QDir{folder.path()}.mkdir(QLatin1String(name)));
      ScenarioDocument made;
      made.openText(sample, {});
      QVERIFY(made.save(folder.filePath(QLatin1String(name) + QLatin1String("/team.yaml")), &error));
    }
    auto document = std::make_unique<ScenarioDocument>();
    QVERIFY(document->open(folder.filePath(QStringLiteral("a/team.yaml")), &error));
    document->markUnsaved();
    document.reset(); // as a crash would leave it: the copy stays
    QCOMPARE(ScenarioDocument::recoverable().size(), 1);
    const QString copy = ScenarioDocument::recoverable().front();
    ScenarioDocument next;
    QVERIFY(next.open(folder.filePath(QStringLiteral("b/team.yaml")), &error));
    QVERIFY(!next.isMine(copy));
    QVERIFY(next.open(folder.filePath(QStringLiteral("a/team.yaml")), &error));
    QVERIFY(next.isMine(copy));
    QFile::remove(copy);
  }

  void jobsArePastedFromASheet()
  {
    ScenarioDocument document;
    document.openText(sample, {});
    JobsModel model{document};
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
    QString error;
    QCOMPARE(
        model.paste(
            QStringLiteral(
                "name\tmodel\tworkers\ttraining.mode\na\tvgg16\t8\tall_reduce\nb\tresnet50\t2\tparameter_server\n"),
            &error),
        2);
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(document.value(QStringLiteral("jobs.1.model")), QStringLiteral("vgg16"));
    QCOMPARE(document.value(QStringLiteral("jobs.2.training.mode")), QStringLiteral("parameter_server"));
    QVERIFY(model.setData(model.index(1, 3), QStringLiteral("16"), Qt::EditRole));
    QCOMPARE(document.value(QStringLiteral("jobs.1.workers")), QStringLiteral("16"));
    document.undoStack()->undo();
    document.undoStack()->undo(); // the whole paste
    QCOMPARE(document.text(), sample);
    QCOMPARE(model.paste(QString{}, &error), 0);
    QVERIFY(!error.isEmpty());
  }

  void theCheckerSaysWhatSimrunSays()
  {
    ScenarioDocument document;
    Checker checker{document};
    QSignalSpy checked{&checker, &Checker::checked};
    QString broken = sample;
    document.openText(broken.replace(QLatin1String("link: 25GbE"), QLatin1String("lnk: 25GbE")), {});
    QTRY_VERIFY_WITH_TIMEOUT(checked.count() > 0 && !checker.isBusy(), 20'000);
    QVERIFY(!checker.problems().isEmpty());
    QCOMPARE(checker.problems().front().line, 9);
    QVERIFY(checker.problems().front().message.contains(QLatin1String("did you mean 'link'")));
  }

  void problemsAreRead()
  {
    const auto problems = problems_of(
        R"({"problems": [
              {"severity": "error", "file": "a/b.yaml", "line": 3, "column": 1, "text": "unknown key 'x'; did you mean 'y'?"},
              {"severity": "warning", "file": "b.yaml", "line": 7, "column": 2, "text": "no effect"},
              {"severity": "error", "file": "", "line": 0, "column": 0, "text": "nothing at all"}]})",
        QStringLiteral("/tmp/b.yaml"));
    QCOMPARE(problems.size(), 3);
    QCOMPARE(problems[0].line, 3);
    QCOMPARE(problems[0].message, QStringLiteral("unknown key 'x'; did you mean 'y'?"));
    QVERIFY(problems[1].severity == Problem::Severity::warning);
    QCOMPARE(problems[2].line, 0);
  }

  void formsComeFromTheSchema()
  {
    Schema schema;
    const QByteArray text =
        R"json({"type":"object","properties":{"run":{"type":"object","description":"what to do","required":["seed"],
      "properties":{"seed":{"type":"integer","minimum":0,"description":"of luck","default":1
  }
  , "fidelity" : {"oneOf" : [ {"const" : "fluid", "description" : "own solver"}, {"const" : "flow", "description" : "SimGrid"} ]}, "until":
  {
    "type" : "string", "pattern" : "x", "examples" : ["30 d"]
  }
}
}
, "list":
{
  "type" : "array", "items":
  {
    "$ref" : "#/definitions/item"
  }
}
}
, "definitions":
{
  "item":
  {
    "type" : "object", "properties":
    {
      "a":
      {
        "type" : "boolean"
      }
    }
  }
}
})json";
    QVERIFY(schema.setText(text));
    const auto fields = schema.fields(QStringLiteral("run"));
    QCOMPARE(fields.size(), 3);
    QCOMPARE(fields[0].key, QStringLiteral("fidelity"));
    QCOMPARE(fields[0].choices, (QStringList{QStringLiteral("fluid"), QStringLiteral("flow")}));
    QCOMPARE(fields[0].choice_descriptions[1], QStringLiteral("SimGrid"));
    QCOMPARE(fields[1].default_text, QStringLiteral("1"));
    QVERIFY(fields[1].required);
    QVERIFY(fields[2].kind == SchemaField::Kind::quantity);
    QVERIFY(schema.fields(QStringLiteral("list.0"))[0].kind == SchemaField::Kind::boolean);
    QVERIFY(schema.at(QStringLiteral("nothing.here")).isEmpty());
  }
};

QTEST_MAIN(DocumentTest)
#include "document_test.moc"
