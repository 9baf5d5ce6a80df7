// SPDX-License-Identifier: Apache-2.0
/// What hands do in the text and in the forms.
#include "gui/canvas/topology_scene.hpp"
#include "gui/document/schema.hpp"
#include "gui/editor/yaml_editor.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "tests/gui/hands_fixture.hpp"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTextCursor>
#include <QToolButton>

using namespace trainyard::gui;
using tests::one_job;

class HandsTest : public tests::Hands
{
  Q_OBJECT

private slots:
  void aCountThatFoldsTheMachinesKeepsFormAndFocus()
  {
    TopologyScene* scene = window_->scene();
    TopologyItem* machine = scene->itemOf(QStringLiteral("w-0"));
    QVERIFY(machine != nullptr);
    machine->setSelected(true);
    SchemaForm* form = formAt(QStringLiteral("cluster.nodes.0"));
    QVERIFY(form != nullptr);
    auto* count = inside<QLineEdit>(*form, "count");
    QVERIFY(count != nullptr);
    count->setFocus();
    count->selectAll();
    QTest::keyClicks(count, QStringLiteral("24"));
    QTest::keyClick(count, Qt::Key_Tab);
    QCOMPARE(session_->document.value(QStringLiteral("cluster.nodes.0.count")), QStringLiteral("24"));
    QTRY_VERIFY(scene->itemOf(QStringLiteral("w-0")) == nullptr);
    QCOMPARE(scene->selectedItems().size(), 1);
    QCOMPARE(formAt(QStringLiteral("cluster.nodes.0")), form);
    const QWidget* next = QApplication::focusWidget(); // the next field, of this form or of the one below
    QVERIFY(next != nullptr && next->isVisible() && window_->dock(QStringLiteral("properties"))->isAncestorOf(next));
    QVERIFY(next != count);
  }

  void aNetworkOfThePaletteKeepsWhatIsGiven()
  {
    session_->document.setValue(
        QStringLiteral("cluster.network"),
        QStringLiteral("{topology: leaf_spine, link: 400GbE, leaf_ports: 8, oversubscription: 4}"),
        QStringLiteral("Set network"));
    QVERIFY(window_->scene()->addPart(QStringLiteral("template:fat_tree"), {}));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.topology")), QStringLiteral("fat_tree"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.link")), QStringLiteral("400GbE"));
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.oversubscription")), QStringLiteral("4"));
  }

  void aSliderOfACountGoesUpOneByOne()
  {
    WhatIfPanel* panel = window_->whatIf();
    window_->openDock(QStringLiteral("what_if"));
    panel->addSlider(QStringLiteral("jobs.0.workers")); // 4
    QSlider* slider = panel->findChildren<QSlider*>().back();
    QTest::qWait(50); // the panel lays itself out
    slider->setFocus();
    QTRY_VERIFY(slider->hasFocus());
    const int width = slider->width();
    QTest::keyClick(slider, Qt::Key_Right);
    QTest::keyClick(slider, Qt::Key_Right);
    QStringList words;
    for (const QLabel* label : panel->findChildren<QLabel*>())
      words << label->text();
    QVERIFY2(words.contains(QStringLiteral("jobs.0.workers: 6")), qPrintable(words.join(QLatin1Char('\n'))));
    QTest::qWait(20);
    QCOMPARE(slider->width(), width);
    window_->dock(QStringLiteral("what_if"))->hide();
  }

  void wordsOfTheFieldDivideAJob()
  {
    session_->document.openText(QString{one_job}
                                    .replace(QStringLiteral("resnet50"), QStringLiteral("llama3.2_1b"))
                                    .replace(QStringLiteral("batch_per_gpu: 32"), QStringLiteral("batch_per_gpu: 1"))
                                    .replace(QStringLiteral("V100-SXM2-16GB"), QStringLiteral("H100-SXM5")),
                                QStringLiteral("divided.yaml"));
    QTimer::singleShot(300, qApp, [] { // Ctrl+K, FSDP, Enter
      QWidget* palette = QApplication::activeModalWidget();
      QTest::keyClicks(palette->findChild<QLineEdit*>(), QStringLiteral("FSDP"));
      QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return);
    });
    QTest::keyClick(window_, Qt::Key_K, Qt::ControlModifier);
    QCOMPARE(session_->document.value(QStringLiteral("jobs.0.training.parallel.zero")), QStringLiteral("3"));
    QCOMPARE(session_->document.value(QStringLiteral("jobs.0.training.parallel.global_batch")), QStringLiteral("4"));
    session_->document.settle();
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy(), 20'000);
    QVERIFY2(session_->checker.problems().isEmpty(), qPrintable(session_->document.text()));
    session_->document.undoStack()->undo(); // one step
    session_->document.settle();
    QCOMPARE(session_->document.value(QStringLiteral("jobs.0.batch_per_gpu")), QStringLiteral("1"));
  }

  void layersAreMarksOnOneAxis()
  {
    window_->showPage(MainWindow::workload_page);
    const Chart* layers = nullptr;
    for (const Chart* each : window_->findChildren<Chart*>())
      if (each->isVisible() && each->series().size() == 2)
        layers = each;
    QVERIFY(layers != nullptr);
    for (const Series& line : layers->series()) {
      double whole = 0;
      for (const QPointF& point : line.points)
        whole += point.y();
      QVERIFY(line.marks && std::fabs(whole - 100) < 1e-6); // shares of the model, in %
    }
  }

  void initTestCase() { start("simgui-hands"); }
  void cleanupTestCase() { fixture_.reset(); }
  void init() { renew(); }

  void undoAndRedoByKeysInTheEditor()
  {
    YamlEditor* editor = editorWithFocus();
    QTest::keyClick(editor, Qt::Key_End, Qt::ControlModifier);
    QTest::keyClicks(editor, QStringLiteral("# x"));
    QCOMPARE(session_->document.text(), one_job + QStringLiteral("# x"));
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job); // letters in a row are one step
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(session_->document.text(), one_job + QStringLiteral("# x"));
  }

  void theTabKeyMovesSelectedLinesAndDeletesNone()
  {
    YamlEditor* editor = editorWithFocus();
    QTextCursor cursor{session_->document.textDocument()};
    cursor.setPosition(static_cast<int>(one_job.indexOf(QLatin1String("node_types"))));
    cursor.setPosition(static_cast<int>(one_job.indexOf(QLatin1String("  network"))), QTextCursor::KeepAnchor);
    editor->setTextCursor(cursor); // two lines, and the begin of a third
    QTest::keyClick(editor, Qt::Key_Tab);
    QString wanted = one_job;
    wanted.replace(QLatin1String("  node_types"), QLatin1String("    node_types"));
    wanted.replace(QLatin1String("  nodes"), QLatin1String("    nodes"));
    QCOMPARE(session_->document.text(), wanted);
    QVERIFY(editor->textCursor().hasSelection());
    QTest::keyClick(editor, Qt::Key_Backtab, Qt::ShiftModifier); // the same lines are still selected
    QCOMPARE(session_->document.text(), one_job);
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), wanted); // one step
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job);
  }

  void aKeyWithoutValueIsMarkedInItsOwnLine()
  {
    session_->document.openText(QString{one_job}.replace(QLatin1String("name: hands"), QLatin1String("question:")),
                                QStringLiteral("empty.yaml"));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy() && !session_->checker.problems().isEmpty(), 20'000);
    QCOMPARE(session_->checker.problems().front().line, 2);
  }

  void theEditorCompletesAndExplainsKeys()
  {
    YamlEditor* editor = editorWithFocus();
    const auto put = [&](const char* behind) {
      QTextCursor cursor{session_->document.textDocument()};
      cursor.setPosition(static_cast<int>(session_->document.text().indexOf(QLatin1String(behind)) + qstrlen(behind)));
      editor->setTextCursor(cursor);
    };
    put("workers: 4, ");
    QTest::keyClicks(editor, QStringLiteral("preci"));
    QTest::keyClick(editor, Qt::Key_Space, Qt::ControlModifier); // only one key has it
    QVERIFY2(session_->document.text().contains(QLatin1String("workers: 4, precision: training")),
             qPrintable(session_->document.text()));
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job);
    put("mode: ");
    const QStringList modes = editor->completions();
    QVERIFY(modes.contains(QStringLiteral("all_reduce")) && modes.contains(QStringLiteral("parameter_server")));
    const auto about = [&](const char* word) {
      return editor->wordsAbout(static_cast<int>(session_->document.text().indexOf(QLatin1String(word)) + 2));
    };
    QVERIFY2(about("batch_per_gpu").startsWith(QLatin1String("batch_per_gpu: ")), qPrintable(about("batch_per_gpu")));
    QVERIFY(about("node_types").startsWith(QLatin1String("node_types: ")));
    QCOMPARE(about("hands"), about("name")); // a value is explained by its key
  }

  void placesInUnfinishedTextAreKnown()
  {
    struct Case {
      const char* text;
      const char* map;
      const char* key;
      const char* word;
    };
    const QVector<Case> cases{
        {"clu", "", "", "clu"},
        {"cluster:\n  no", "cluster", "", "no"},
        {"cluster:\n  nodes:\n    - {name: w}\n    - {name: x, ty", "cluster.nodes.1", "", "ty"},
        {"cluster:\n  nodes:\n  - name: w\n    type: a\n  - name: x\n    ty", "cluster.nodes.1", "", "ty"},
        {"jobs:\n  - name: a\n    training:\n      mode: all", "jobs.0.training", "mode", "all"},
        {"jobs:\n  - {name: a, training: {mode: ri", "jobs.0.training", "mode", "ri"},
        {"run:\n  seed: 1\n\n# words\nsweep:\n  grid: {jobs.0.workers: [1, ", "sweep.grid.jobs.0.workers", "1", ""}};
    for (const Case& each : cases) {
      const QString text = QLatin1String(each.text);
      const YamlPlace place = yaml_place(text, static_cast<int>(text.size()));
      QCOMPARE(place.map, QLatin1String(each.map));
      QCOMPARE(place.key, QLatin1String(each.key));
      QCOMPARE(place.word, QLatin1String(each.word));
    }
  }

  void proposalsAndCommentsByKeys()
  {
    session_->document.openText(QString{one_job}.replace(QLatin1String("workers"), QLatin1String("wokers")),
                                QStringLiteral("typo.yaml"));
    QTRY_VERIFY_WITH_TIMEOUT(!session_->checker.isBusy() && !session_->checker.problems().isEmpty(), 20'000);
    YamlEditor* editor = editorWithFocus();
    editor->goTo(session_->checker.problems().front().line, 1);
    QTest::keyClick(editor, Qt::Key_Period, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job);
    editor->goTo(3, 1);
    QTest::keyClick(editor, Qt::Key_Slash, Qt::ControlModifier);
    QCOMPARE(session_->document.text(),
             QString{one_job}.replace(QLatin1String("cluster:"), QLatin1String("# cluster:")));
    QTest::keyClick(editor, Qt::Key_Slash, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job);
  }

  void findAndReplaceByKeys()
  {
    YamlEditor* editor = editorWithFocus();
    QTest::keyClick(editor, Qt::Key_H, Qt::ControlModifier);
    auto* what = window_->findChild<QLineEdit*>(QStringLiteral("find"));
    QTRY_VERIFY(what->isVisible());
    QTest::keyClicks(what, QStringLiteral("type"));
    QCOMPARE(editor->textCursor().selectedText(), QStringLiteral("type"));
    const int first = editor->textCursor().position();
    QTest::keyClick(what, Qt::Key_Return);
    QVERIFY(editor->textCursor().position() > first);
    QTest::keyClicks(window_->findChild<QLineEdit*>(QStringLiteral("replace_by")), QStringLiteral("kind"));
    QTest::mouseClick(window_->findChild<QPushButton*>(QStringLiteral("replace_all")), Qt::LeftButton);
    QCOMPARE(session_->document.text(), QString{one_job}.replace(QLatin1String("type"), QLatin1String("kind")));
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), one_job); // one step
    QTest::keyClick(what, Qt::Key_Escape);
    QVERIFY(!what->isVisible());
  }

  void mapsInsideAJobOpenAndCloseAgain()
  {
    window_->showPage(MainWindow::workload_page);
    SchemaForm* form = formAt(QStringLiteral("jobs.0"));
    QVERIFY(form != nullptr);
    QPushButton* training = inside<QPushButton>(*form, "training");
    QCOMPARE(training->text(), QStringLiteral("Open (1)…"));
    QTest::mouseClick(training, Qt::LeftButton);
    QCOMPARE(form->path(), QStringLiteral("jobs.0.training"));
    QCOMPARE(inside<QComboBox>(*form, "mode")->currentText(), QStringLiteral("all_reduce"));
    QTest::mouseClick(inside<QPushButton>(*form, "up"), Qt::LeftButton);
    QCOMPARE(form->path(), QStringLiteral("jobs.0"));
    QVERIFY(!inside<QPushButton>(*form, "up")->isVisible());
    QVERIFY(inside<QWidget>(*form, "workers")->isVisible());
  }

  void aListInPropertiesTakesAnItemAndGivesItBack()
  {
    session_->document.openText(
        QString{one_job}.replace(QLatin1String("{link: 25GbE}"), QLatin1String("{topology: graph, link: 25GbE}")),
        QStringLiteral("graph.yaml"));
    const QString text = session_->document.text();
    window_->dock(QStringLiteral("properties"))->show();
    window_->scene()->clearSelection();
    SchemaForm* form = formAt(QStringLiteral("cluster.network"));
    QVERIFY(form != nullptr);
    QPushButton* wires = inside<QPushButton>(*form, "wires");
    QCOMPARE(wires->text(), QStringLiteral("Add…"));
    QTest::mouseClick(wires, Qt::LeftButton);
    QCOMPARE(form->path(), QStringLiteral("cluster.network.wires"));
    QTest::qWait(20);
    for (QPushButton* button : form->findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == QLatin1String("Add an item")) {
        QTest::mouseClick(button, Qt::LeftButton);
        break;
      }
    QCOMPARE(form->path(), QStringLiteral("cluster.network.wires.0"));
    auto* from = inside<QLineEdit>(*form, "from");
    QTest::keyClicks(from, QStringLiteral("w-0"));
    QTest::keyClick(from, Qt::Key_Return);
    QCOMPARE(session_->document.value(QStringLiteral("cluster.network.wires.0.from")), QStringLiteral("w-0"));
    while (session_->document.undoStack()->canUndo())
      QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session_->document.text(), text);
    QTRY_COMPARE(form->path(), QStringLiteral("cluster.network.wires")); // the item is gone, the list is shown
  }

  void formsHaveOnlyTheKeysOfTheChosenTopology()
  {
    window_->dock(QStringLiteral("properties"))->show();
    window_->scene()->clearSelection();
    SchemaForm* form = formAt(QStringLiteral("cluster.network"));
    QVERIFY(form != nullptr);
    // A star has no spines, levels or wires; what any network may have stands below "more".
    for (const char* key : {"spines", "leaf_ports", "levels", "wires", "dimensions"})
      QVERIFY2(inside<QWidget>(*form, key) == nullptr, key);
    QVERIFY(inside<QWidget>(*form, "link")->isVisible());
    auto* topology = inside<QComboBox>(*form, "topology");
    QVERIFY(topology->isVisible());
    auto* more = inside<QToolButton>(*form, "more");
    QVERIFY(form->findChild<QWidget*>(QStringLiteral("latency")) != nullptr);
    QVERIFY(!form->findChild<QWidget*>(QStringLiteral("latency"))->isVisible());
    QTest::mouseClick(more, Qt::LeftButton);
    QVERIFY(inside<QWidget>(*form, "latency")->isVisible());
    QTest::mouseClick(more, Qt::LeftButton);
    // Another topology, by keys: its settings come, and its words are words.
    topology->setFocus();
    QTest::keyClicks(topology, QStringLiteral("leaf"));
    QTRY_COMPARE(session_->document.value(QStringLiteral("cluster.network.topology")), QStringLiteral("leaf_spine"));
    QTRY_VERIFY(inside<QWidget>(*form, "spines") != nullptr);
    QVERIFY(inside<QWidget>(*form, "leaf_ports")->isVisible());
    QVERIFY(inside<QWidget>(*form, "levels") == nullptr);
    QStringList labels;
    for (const QLabel* label : form->findChildren<QLabel*>())
      labels << label->text();
    QVERIFY(labels.contains(QStringLiteral("Leaf ports")));
    QVERIFY(!labels.contains(QStringLiteral("leaf_ports")));
  }

  // A text that cannot be read takes no change: the form goes on showing what it says.
  void aRefusedChoiceIsNotShown()
  {
    YamlEditor* editor = editorWithFocus();
    QTest::keyClick(editor, Qt::Key_End, Qt::ControlModifier);
    editor->insertPlainText(QStringLiteral("\nbroken: [1\n"));
    QTest::qWait(1'000); // it has been read
    window_->dock(QStringLiteral("properties"))->show();
    window_->scene()->clearSelection();
    SchemaForm* form = formAt(QStringLiteral("cluster.network"));
    QVERIFY(form != nullptr);
    auto* topology = inside<QComboBox>(*form, "topology");
    const QString before = topology->currentData().toString();
    QVERIFY(before != QLatin1String("leaf_spine"));
    topology->setFocus();
    QTest::keyClicks(topology, QStringLiteral("leaf"));
    QTRY_COMPARE_WITH_TIMEOUT(topology->currentData().toString(), before, 2'000);
    QVERIFY(!session_->document.text().contains(QStringLiteral("leaf_spine")));
  }

  void keysAreShownAsWords()
  {
    QCOMPARE(key_words(QStringLiteral("batch_per_gpu")), QStringLiteral("Batch per GPU"));
    QCOMPARE(key_words(QStringLiteral("nic_bandwidth")), QStringLiteral("NIC bandwidth"));
    QCOMPARE(key_words(QStringLiteral("k")), QStringLiteral("Ports of a switch (k)"));
  }
};

QTEST_MAIN(HandsTest)
#include "hands_test.moc"
