// SPDX-License-Identifier: Apache-2.0
/// YAML to canvas to YAML: random edits on the canvas, in forms and in the text keep comments and meaning, and undone
/// they give the file back byte for byte.
#include "gui/canvas/topology_scene.hpp"
#include "gui/document/scenario_document.hpp"

#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextCursor>

#include <QFile>
#include <algorithm>
#include <cmath>
#include <random>

using namespace trainyard;
using namespace trainyard::gui;

namespace {

const char* const layouts = "# kept: head\n"
                            "trainyard: 1\n"
                            "name: demo   # kept: name\n"
                            "\n"
                            "cluster: # kept: cluster\n"
                            "  node_types:\n"
                            "    worker: {gpu: V100-SXM2-16GB, gpus: 8} # kept: kind\n"
                            "    \"cpu box\": {cpu_cores: 16}\n"
                            "  nodes: # kept: nodes\n"
                            "    # kept: above the first\n"
                            "    - {name: worker, type: worker, count: 24, per_rack: 8} # of worker\n"
                            "    - name: store   # of store\n"
                            "      type: cpu box\n"
                            "      count: 3 # of store, too\n"
                            "  network: {topology: leaf_spine, link: 100GbE} # kept: network\n"
                            "jobs:\n"
                            "  - name: train # kept: job\n"
                            "    model: resnet50\n"
                            "    batch_per_gpu: 32\n"
                            "    workers: 8\n"
                            "    training: {mode: all_reduce}\n"
                            "# kept: foot\n";

const char* const graph =
    "# kept: head\n"
    "trainyard: 1\n"
    "name: free\n"
    "cluster:\n"
    "  node_types: {a: {gpu: A100-SXM4-80GB, gpus: 4}}\n"
    "  nodes:\n"
    "  - name: left # of left\n"
    "    type: a\n"
    "    count: 2\n"
    "  - name: right\n"
    "    type: a\n"
    "    count: 2\n"
    "  network:\n"
    "    topology: graph # kept: free\n"
    "    link: 100GbE\n"
    "    switches: [core]\n"
    "    wires: # kept: wires\n"
    "    - {from: left-0, to: core}\n"
    "    - {from: left-1, to: core}\n"
    "    - {from: right-0, to: core}   # a wire\n"
    "    - {from: right-1, to: core}\n"
    "jobs:\n"
    "  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}} # kept: job\n";

/// What the text should mean, kept apart from it.
struct Meaning {
  struct Group {
    QString name;
    QString type;
    int count = 0;
    bool operator==(const Group&) const = default;
  };
  QVector<Group> groups;
  QString topology;
  QStringList switches;
  QVector<QPair<QString, QString>> wires;
  QStringList jobs;
  QString name;
  bool operator==(const Meaning&) const = default;
};

QString text_of(const DocumentNode& node, const char* key)
{
  const DocumentNode* found = node.find(key);
  return found == nullptr ? QString{} : QString::fromStdString(found->text);
}

/// Read again from the text, not taken from the editor.
Meaning meaning_of(const QString& text, bool* good = nullptr)
{
  Diagnostics diagnostics;
  const Document document = parse_document(text.toStdString(), "test", diagnostics);
  if (good != nullptr)
    *good = !diagnostics.has_errors();
  Meaning meaning;
  const auto list = [&](const char* path) { return find_path(document.root, path); };
  if (const DocumentNode* nodes = list("cluster.nodes"); nodes != nullptr)
    for (const DocumentNode& item : nodes->items)
      meaning.groups.push_back({text_of(item, "name"), text_of(item, "type"), text_of(item, "count").toInt()});
  if (const DocumentNode* topology = list("cluster.network.topology"); topology != nullptr)
    meaning.topology = QString::fromStdString(topology->text);
  if (const DocumentNode* switches = list("cluster.network.switches"); switches != nullptr)
    for (const DocumentNode& item : switches->items)
      meaning.switches << QString::fromStdString(item.text);
  if (const DocumentNode* wires = list("cluster.network.wires"); wires != nullptr)
    for (const DocumentNode& item : wires->items)
      meaning.wires.push_back({text_of(item, "from"), text_of(item, "to")});
  if (const DocumentNode* jobs = list("jobs"); jobs != nullptr)
    for (const DocumentNode& item : jobs->items)
      meaning.jobs << text_of(item, "name");
  if (const DocumentNode* name = list("name"); name != nullptr)
    meaning.name = QString::fromStdString(name->text);
  return meaning;
}

int kept_comments(const QString& text)
{
  return static_cast<int>(text.count(QLatin1String("# kept:")));
}

} // namespace

class RoundTripTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setApplicationName(QStringLiteral("simgui-round-trip"));
  }

  void randomEditsKeepCommentsAndMeaningAndAreUndoneByteForByte_data()
  {
    QTest::addColumn<QString>("start");
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 6; ++seed) {
      QTest::addRow("layouts, seed %u", seed) << QString::fromUtf8(layouts) << seed;
      QTest::addRow("free graph, seed %u", seed) << QString::fromUtf8(graph) << seed + 100;
    }
  }

  void randomEditsKeepCommentsAndMeaningAndAreUndoneByteForByte()
  {
    QFETCH(QString, start);
    QFETCH(unsigned, seed);
    std::mt19937 random{seed};
    const auto up_to = [&](qsizetype count) {
      return static_cast<qsizetype>(random() % static_cast<unsigned>(std::max<qsizetype>(1, count)));
    };
    ScenarioDocument document;
    TopologyScene scene{document};
    document.openText(start, QStringLiteral("test.yaml"));
    document.undoStack()->setUndoLimit(0);
    QVector<Meaning> expected{meaning_of(start)}; // by the index of the undo stack
    int done[12] = {};
    int refused = 0;
    connect(&document, &ScenarioDocument::refused, this, [&] { ++refused; });
    connect(&scene, &TopologyScene::refused, this, [&] { ++refused; });
    for (int step = 0; step < 120; ++step) {
      document.settle();
      const int index = document.undoStack()->index();
      Meaning now = expected[index];
      const QString before = document.text();
      const int what = static_cast<int>(up_to(12));
      bool did = true;
      bool same_text = false;
      switch (what) {
      case 0: { // a machine, group or switch is moved by hand
        const auto& items = scene.model().items;
        TopologyItem* item = items.isEmpty() ? nullptr : scene.itemOf(items[up_to(items.size())].id);
        did = item != nullptr;
        if (did) {
          const QPointF from = item->pos();
          item->setPos(from +
                       QPointF{10.0 * static_cast<double>(1 + up_to(20)), 10.0 * static_cast<double>(up_to(20))});
          scene.itemReleased(*item, from);
          same_text = true;
        }
        break;
      }
      case 1: { // folded or unfolded
        const auto& items = scene.model().items;
        if (!items.isEmpty()) {
          const CanvasItem item = items[up_to(items.size())];
          scene.toggleFold(item.folds.isEmpty() ? item.id : item.folds);
        }
        QCOMPARE(document.text(), before);
        did = false; // is not a change of the scenario
        break;
      }
      case 2: { // a group from the palette
        const bool gpus = random() % 2 == 0;
        did = scene.addPart(gpus ? QStringLiteral("gpu_nodes") : QStringLiteral("cpu_nodes"), {50, 60});
        if (did) {
          const Meaning made = meaning_of(document.text());
          QCOMPARE(made.groups.size(), now.groups.size() + 1);
          QCOMPARE(made.groups.back().count, 4);
          for (const Meaning::Group& group : now.groups)
            QVERIFY(group.name != made.groups.back().name);
          now.groups.push_back(made.groups.back());
        }
        break;
      }
      case 3: { // one machine, or a rack, or a group is taken out
        const auto& items = scene.model().items;
        if (items.isEmpty() || now.groups.size() < 2) {
          did = false;
          break;
        }
        const CanvasItem item = items[up_to(items.size())];
        const bool machine = item.kind == CanvasItem::Kind::group || item.kind == CanvasItem::Kind::rack ||
                             item.kind == CanvasItem::Kind::node;
        if (!machine) {
          did = false;
          break;
        }
        scene.clearSelection();
        scene.itemOf(item.id)->setSelected(true);
        const int at = item.path.section(QLatin1Char('.'), 2, 2).toInt();
        const int count = item.count;
        scene.removeSelected();
        if (now.groups[at].count > count)
          now.groups[at].count -= count;
        else
          now.groups.removeAt(at);
        break;
      }
      case 4: { // another name in the form
        const qsizetype at = up_to(now.groups.size());
        const QString name = QStringLiteral("group %1").arg(step);
        did = !now.groups.isEmpty() &&
              document.setValue(QStringLiteral("cluster.nodes.%1.name").arg(at),
                                QLatin1Char('"') + name + QLatin1Char('"'), QStringLiteral("Set name"));
        if (did)
          now.groups[at].name = name;
        break;
      }
      case 5: { // another count
        const qsizetype at = up_to(now.groups.size());
        const int count = 1 + static_cast<int>(up_to(40));
        if (now.groups.isEmpty() || now.groups[at].count == count) {
          did = false;
          break;
        }
        did = document.setValue(QStringLiteral("cluster.nodes.%1.count").arg(at), QString::number(count),
                                QStringLiteral("Set count"));
        now.groups[at].count = count;
        break;
      }
      case 6: { // a link is drawn
        if (now.topology != QLatin1String("graph")) {
          const int refusals = refused;
          scene.join(QStringLiteral("a"), QStringLiteral("b"));
          QCOMPARE(refused, refusals + 1);
          did = false;
          break;
        }
        const auto& items = scene.model().items;
        if (items.size() < 2) {
          did = false;
          break;
        }
        const QString from = items[up_to(items.size())].id;
        const QString to = items[up_to(items.size())].id;
        scene.join(from, to);
        now.wires.push_back({from, to});
        break;
      }
      case 7: { // a switch
        did = scene.addPart(QStringLiteral("switch"), {0, 0});
        QCOMPARE(did, now.topology == QLatin1String("graph"));
        if (did)
          now.switches << meaning_of(document.text()).switches.back();
        break;
      }
      case 8: { // a template takes the place of a layout; a drawn network is not thrown away here
        if (now.topology == QLatin1String("graph")) {
          did = false;
          break;
        }
        static const QStringList names{QStringLiteral("star"), QStringLiteral("leaf_spine"), QStringLiteral("torus"),
                                       QStringLiteral("fat_tree")};
        const QString name = names[up_to(names.size())];
        did = scene.addPart(QStringLiteral("template:") + name, {0, 0}) && document.text() != before;
        now.topology = name;
        break;
      }
      case 9: // a line is typed
      {
        QTextCursor cursor{document.textDocument()};
        cursor.setPosition(0);
        cursor.insertText(QStringLiteral("# note %1\n").arg(step));
        document.readNow();
        break;
      }
      case 10: { // a job
        const QString name = QStringLiteral("job%1").arg(step);
        did = document.appendItem(QStringLiteral("jobs"), QStringLiteral("{name: %1, model: vgg16}").arg(name),
                                  QStringLiteral("Add job"));
        now.jobs << name;
        break;
      }
      default: { // some steps back, or forth
        const int steps = 1 + static_cast<int>(up_to(5));
        for (int i = 0; i < steps; ++i)
          random() % 3 == 0 ? document.undoStack()->redo() : document.undoStack()->undo();
        document.readNow();
        did = false;
        break;
      }
      }
      document.settle();
      if (did) {
        QCOMPARE(document.undoStack()->index(), index + 1); // one named step
        QVERIFY(!document.undoStack()->undoText().isEmpty());
        expected.resize(index + 1);
        expected.push_back(now);
        ++done[what];
      }
      if (same_text)
        QCOMPARE(document.text(), before);
      bool good = false;
      const Meaning read = meaning_of(document.text(), &good);
      QVERIFY2(good && document.isReadable(), qPrintable(document.text()));
      const Meaning& wanted = expected[document.undoStack()->index()];
      QVERIFY2(read == wanted,
               qPrintable(QStringLiteral("step %1, kind %2:\n%3").arg(step).arg(what).arg(document.text())));
      // The editor's tree is that of the text, and so is the picture.
      Diagnostics diagnostics;
      const Document fresh = parse_document(document.text().toStdString(), "fresh", diagnostics);
      QVERIFY(difference(fresh.root, document.tree().root).empty());
      QCOMPARE(kept_comments(document.text()), kept_comments(start));
      int machines = 0;
      for (const Meaning::Group& group : wanted.groups)
        machines += group.count;
      QCOMPARE(scene.model().machines, machines);
    }
    QVERIFY(done[0] > 0 && done[2] > 0 && done[3] > 0 && done[4] > 0 && done[5] > 0 && done[9] > 0 && done[10] > 0);
    // Saved and read again it is the same text.
    QTemporaryDir folder;
    QString error;
    const QString last = document.text();
    QVERIFY2(document.save(folder.filePath(QStringLiteral("a.yaml")), &error), qPrintable(error));
    ScenarioDocument again;
    QVERIFY2(again.open(folder.filePath(QStringLiteral("a.yaml")), &error), qPrintable(error));
    QCOMPARE(again.text(), last);
    const int end = document.undoStack()->index();
    while (document.undoStack()->canUndo())
      document.undoStack()->undo();
    document.readNow();
    QCOMPARE(document.text(), start);
    document.readNow();
    const int steps = document.undoStack()->count();
    scene.layOut(); // everything is where the automatic layout wants it again, so there is nothing to do
    QCOMPARE(document.undoStack()->count(), steps);
    for (const CanvasItem& item : scene.model().items) { // on its grid of 10
      const QPointF away = scene.itemOf(item.id)->pos() - item.place;
      QVERIFY2(std::max(std::abs(away.x()), std::abs(away.y())) <= 5, qPrintable(item.id));
    }
    while (document.undoStack()->index() < end)
      document.undoStack()->redo();
    QCOMPARE(document.text(), last);
    document.undoStack()->setClean();
  }
};

QTEST_MAIN(RoundTripTest)
#include "round_trip_test.moc"
