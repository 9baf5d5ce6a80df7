// SPDX-License-Identifier: Apache-2.0
// Pictures of every view in every language and theme: gui_screenshots FOLDER [WIDTHxHEIGHT [LANGUAGES [THEMES]]]
#include "gui/canvas/load_scrubber.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/inspector/inspector_process.hpp"
#include "gui/panels/arrivals_view.hpp"
#include "gui/panels/faults_view.hpp"
#include "gui/panels/import_report.hpp"
#include "gui/panels/rules_view.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "gui/panels/workload_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/results_view.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "gui/windows/command_palette.hpp"
#include "gui/windows/main_window.hpp"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QHash>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>

using namespace trainyard::gui;

namespace {

bool wait_for(const std::function<bool()>& condition, int limit_ms = 120'000)
{
  QElapsedTimer clock;
  clock.start();
  while (!condition()) {
    if (clock.elapsed() > limit_ms)
      return false;
    QTest::qWait(20);
  }
  return true;
}

QString example(const QString& name)
{
  for (const QString& file : example_files())
    if (QFileInfo{file}.completeBaseName() == name)
      return file;
  return {};
}

/// The flagship with fewer points, so that every picture does not wait for seventy.
QString flagship(const QString& link)
{
  QFile in{example(QStringLiteral("vgg16_ps_vs_ring"))};
  if (!in.open(QIODevice::ReadOnly))
    return {};
  QString text = QString::fromUtf8(in.readAll());
  text.replace(QLatin1String("[vgg16, resnet50]"), QLatin1String("[vgg16]"));
  text.replace(QLatin1String("[1, 2, 4, 8, 16, 32, 64]"), QLatin1String("[1, 2, 4, 8, 16]"));
  text.replace(QLatin1String("25GbE"), link);
  return text;
}

/// 256 colours are enough for flat surfaces and keep the files small: the most frequent ones.
QImage with_few_colours(const QImage& image)
{
  QHash<QRgb, int> counts;
  for (int y = 0; y < image.height(); ++y) {
    const auto* row = reinterpret_cast<const QRgb*>(image.constScanLine(y));
    for (int x = 0; x < image.width(); ++x)
      ++counts[row[x] | 0xff000000U];
  }
  QVector<QPair<int, QRgb>> order;
  for (auto it = counts.constBegin(); it != counts.constEnd(); ++it)
    order.push_back({-it.value(), it.key()});
  std::sort(order.begin(), order.end());
  // The most frequent half, then what differs most from all that is there, so that thin lines keep their colours.
  const auto distance_of = [](QRgb a, QRgb b) {
    const int r = qRed(a) - qRed(b);
    const int g = qGreen(a) - qGreen(b);
    const int c = qBlue(a) - qBlue(b);
    return r * r + g * g + c * c;
  };
  QVector<QRgb> table;
  for (qsizetype i = 0; i < std::min<qsizetype>(128, order.size()); ++i)
    table.push_back(order[i].second);
  const qsizetype candidates = std::min<qsizetype>(order.size(), 3000);
  QVector<int> nearest_of(candidates, 1 << 30);
  for (qsizetype i = 0; i < candidates; ++i)
    for (const QRgb colour : std::as_const(table))
      nearest_of[i] = std::min(nearest_of[i], distance_of(order[i].second, colour));
  while (table.size() < 256) {
    const auto farthest = std::max_element(nearest_of.begin(), nearest_of.end());
    if (farthest == nearest_of.end() || *farthest == 0)
      break;
    const QRgb colour = order[farthest - nearest_of.begin()].second;
    table.push_back(colour);
    for (qsizetype i = 0; i < candidates; ++i)
      nearest_of[i] = std::min(nearest_of[i], distance_of(order[i].second, colour));
  }
  QImage result{image.size(), QImage::Format_Indexed8};
  result.setColorTable(table);
  QHash<QRgb, uchar> nearest;
  for (int i = 0; i < table.size(); ++i)
    nearest[table[i]] = static_cast<uchar>(i);
  for (int y = 0; y < image.height(); ++y) {
    const auto* row = reinterpret_cast<const QRgb*>(image.constScanLine(y));
    for (int x = 0; x < image.width(); ++x) {
      const QRgb colour = row[x] | 0xff000000U;
      auto found = nearest.constFind(colour);
      if (found == nearest.constEnd()) {
        int best = 0;
        int least = 1 << 30;
        for (int i = 0; i < table.size(); ++i) {
          const int r = qRed(colour) - qRed(table[i]);
          const int g = qGreen(colour) - qGreen(table[i]);
          const int b = qBlue(colour) - qBlue(table[i]);
          if (const int distance = r * r + g * g + b * b; distance < least) {
            least = distance;
            best = i;
          }
        }
        found = nearest.insert(colour, static_cast<uchar>(best));
      }
      result.scanLine(y)[x] = found.value();
    }
  }
  return result;
}

const char* const racks =
    "trainyard: 1\nname: racks\nquestion: what does a rack that fails at 02:00 cost?\ncluster:\n  node_types: {dgx: "
    "{gpu: "
    "A100-SXM4-80GB, gpus: 8}}\n  nodes: [{name: dgx, type: dgx, count: 48, per_rack: 8}]\n"
    "  network: {topology: leaf_spine, link: 100GbE, leaf_ports: 8, oversubscription: 2}\n"
    "orchestrator: kubernetes\nservices:\n  - {name: train, kind: training, replicas: 48, resources: {gpus: 8}, work: "
    "12 h}\n"
    "faults:\n  - rack:3@02:00+6h\n  - node:dgx-7@05:30+45min\n  - switch:leaf-1@09:00\nrun: {until: 24 h}\n";

} // namespace

int main(int argc, char** argv)
{
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  QStandardPaths::setTestModeEnabled(true);
  QApplication application{argc, argv};
  QCoreApplication::setOrganizationName(QStringLiteral("trainyard"));
  QCoreApplication::setApplicationName(QStringLiteral("simgui-screenshots"));
  QDir{state_folder(QStringLiteral("runs"))}.removeRecursively();
  const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
  QDir{}.mkpath(folder);
  QSize size{1280, 800};
  if (argc > 2) {
    const QStringList parts = QString::fromLocal8Bit(argv[2]).split(QLatin1Char('x'));
    size = {parts.value(0).toInt(), parts.value(1).toInt()};
  }
  QFont font{QStringLiteral("DejaVu Sans")};
  font.setPointSizeF(9.5);
  QApplication::setFont(font);
  Session session;
  session.settings.clear();
  int failures = 0;
  int pictures = 0;
  const auto must = [&](bool good, const char* what) {
    if (!good) {
      std::fprintf(stderr, "%s failed\n", what);
      ++failures;
    }
  };
  QStringList languages{QStringLiteral("en"), QStringLiteral("ru"), QStringLiteral("zh_CN")};
  if (argc > 3)
    languages = QString::fromLocal8Bit(argv[3]).split(QLatin1Char(','));
  QVector<Theme> themes{Theme::light, Theme::dark};
  if (argc > 4)
    themes = {theme_of(QString::fromLocal8Bit(argv[4]))};

  // Two runs to compare, and a queue; shared by all pictures.
  apply_theme(application, Theme::light);
  QVector<Results> training;
  QVector<Results> queue;
  QVector<Results> cluster;
  QVector<Results> retraining;
  QVector<Results> plans;
  {
    const auto run = [&](const QString& name, const QString& text, QVector<Results>& to, const QStringList& plan = {}) {
      bool done = false;
      const auto link = QObject::connect(&session.queue, &RunQueue::ended, &application, [&](int row) {
        done = true;
        must(session.queue.runs()[row].state == QueuedRun::State::done, qPrintable(session.queue.runs()[row].message));
        to.push_back(std::make_shared<const ResultsData>(read_results(session.queue.runs()[row].folder)));
      });
      const QString beside = QFileInfo{example(QStringLiteral("retraining"))}.absolutePath();
      if (plan.isEmpty())
        session.queue.add(name, text, beside);
      else
        session.queue.addPlan(name, text, beside, plan);
      must(wait_for([&] { return done; }, 300'000), "a run");
      QObject::disconnect(link);
    };
    run(QStringLiteral("vgg16 on 25GbE"), flagship(QStringLiteral("25GbE")), training);
    run(QStringLiteral("vgg16 on 100GbE"), flagship(QStringLiteral("100GbE")), training);
    QFile policies{example(QStringLiteral("shared_cluster_policies"))};
    if (policies.open(QIODevice::ReadOnly)) {
      const QString text = QString::fromUtf8(policies.readAll());
      run(QStringLiteral("shared_cluster"), text, queue);
      run(QStringLiteral("shared_cluster"), text, plans,
          {QStringLiteral("--goal"), QStringLiteral("p95(queueing_delay) < 1 h"), QStringLiteral("--knob"),
           QStringLiteral("cluster.nodes.0.count=7,8,9,10,12,14,16,20"), QStringLiteral("--policies"),
           QStringLiteral("fifo,easy_backfill,srtf")});
    }
    if (QFile swarm{example(QStringLiteral("swarm_failures"))}; swarm.open(QIODevice::ReadOnly))
      run(QStringLiteral("swarm_failures"), QString::fromUtf8(swarm.readAll()), cluster);
    if (QFile nightly{example(QStringLiteral("retraining"))}; nightly.open(QIODevice::ReadOnly))
      run(QStringLiteral("retraining"), QString::fromUtf8(nightly.readAll()), retraining);
  }
  for (const QString& language : languages)
    for (const Theme theme : std::as_const(themes)) {
      session.useLanguage(language);
      apply_theme(application, theme);
      session.document.openText({}, {});
      MainWindow window{session};
      window.resize(size);
      window.show();
      const auto save = [&](QWidget& what, const QString& name) {
        QTest::qWait(60);
        const QImage picture = with_few_colours(what.grab().toImage().convertToFormat(QImage::Format_RGB32));
        must(picture.save(QStringLiteral("%1/%2-%3-%4.png").arg(folder, name, language, name_of(theme)), "PNG"),
             "writing a picture");
        ++pictures;
      };
      const auto shoot = [&](const char* name) { save(window, QLatin1String(name)); };
      const auto dock = [&](const char* name) { window.openDock(QLatin1String(name)); };
      QTest::qWait(80);
      window.showWelcome();
      shoot("welcome");

      session.document.openText(flagship(QStringLiteral("25GbE")), QStringLiteral("vgg16_ps_vs_ring.yaml"));
      window.showPage(MainWindow::cluster_page);
      QTest::qWait(80);
      must(wait_for([&] { return session.schema.isReady() && !session.checker.isBusy(); }), "checking");
      window.showPage(MainWindow::workload_page);
      window.workload()->pages()->setCurrentIndex(0);
      shoot("workload");
      for (const Results& each : training)
        window.compareView()->add(each);
      window.resultsView()->show(training.front());
      window.showPage(MainWindow::results_page);
      window.resultsView()->openTab(0);
      shoot("results");
      dock("runs");
      window.resultsView()->openTab(1);
      shoot("jobs");
      dock("explanation");
      emit window.resultsView()->explainRequested(QStringLiteral("job"), QStringLiteral("train"),
                                                  window.resultsView()->point());
      must(wait_for([&] { return window.explanation().contains(QLatin1String("critical path")); }), "explaining");
      shoot("explanation");
      window.dock(QStringLiteral("explanation"))->hide();
      window.resultsView()->openTab(2);
      shoot("timeline");
      window.resultsView()->openTab(3);
      shoot("step");
      window.showPage(MainWindow::cluster_page);
      window.canvas()->fit();
      window.scrubber()->slider()->setValue(120);
      // The busiest link is clicked, so that its words stand below.
      TopologyLink* busiest = nullptr;
      for (QGraphicsItem* item : window.scene()->items())
        if (item->type() == TopologyLink::Type)
          if (auto* link = static_cast<TopologyLink*>(item); busiest == nullptr || link->load() > busiest->load())
            busiest = link;
      if (busiest != nullptr)
        busiest->setSelected(true);
      shoot("link_loads");
      window.scene()->clearSelection();
      bool compared = false;
      QObject::connect(window.compareView(), &CompareView::compared, &window, [&] { compared = true; });
      window.showPage(MainWindow::compare_page);
      must(wait_for([&] { return compared; }), "comparing");
      shoot("compare");
      window.showPage(MainWindow::cluster_page);
      dock("what_if");
      bool answered = false;
      QObject::connect(window.whatIf(), &WhatIfPanel::answered, &window, [&] { answered = true; });
      if (window.whatIf()->sliders() == 0)
        window.whatIf()->addSlider(QStringLiteral("cluster.network.bandwidth"));
      for (const double rate : {100.0, 10.0}) {
        answered = false;
        window.whatIf()->setSlider(QStringLiteral("cluster.network.bandwidth"), rate);
        must(wait_for([&] { return answered; }), "a slider");
      }
      shoot("what_if");
      dock("inspector");
      window.inspector()->start(session.document.text(), QDir::homePath());
      must(wait_for([&] { return !window.inspector()->isBusy(); }), "the inspector");
      for (int i = 0; i < 60 && (i == 0 || window.inspector()->state().flow_count == 0); ++i) { // into the exchange
        window.inspector()->step(i == 0 ? 60 : 7);
        must(wait_for([&] { return !window.inspector()->isBusy(); }), "a step");
      }
      shoot("inspector");
      window.inspector()->stop();
      window.dock(QStringLiteral("inspector"))->hide();

      session.document.openText(QString::fromLatin1(racks), QStringLiteral("racks.yaml"));
      window.showPage(MainWindow::cluster_page);
      if (window.scene()->itemOf(QStringLiteral("dgx")) != nullptr)
        window.scene()->toggleFold(QStringLiteral("dgx"));
      window.canvas()->fit();
      must(wait_for([&] { return !session.checker.isBusy(); }), "checking");
      shoot("cluster");
      window.showPage(MainWindow::rules_page);
      shoot("policies_and_faults");
      window.rules()->findChild<QTabWidget*>()->setCurrentIndex(1);
      shoot("all_settings");
      window.rules()->findChild<QTabWidget*>()->setCurrentIndex(0);
      session.document.setValue(QStringLiteral("cluster.nodes.0.type"), QStringLiteral("dgy"),
                                QStringLiteral("Set type"));
      window.showPage(MainWindow::cluster_page);
      QTest::qWait(400);
      must(wait_for([&] { return !session.checker.isBusy(); }), "checking");
      dock("problems");
      shoot("problems");
      window.dock(QStringLiteral("problems"))->hide();
      session.document.undoStack()->undo();
      window.faults()->ask(QStringLiteral("rack:3"));
      QTest::qWait(60);
      if (auto* dialog = window.findChild<QDialog*>(QStringLiteral("fail_at")); dialog != nullptr) {
        save(*dialog, QStringLiteral("fail_at"));
        dialog->close();
      }

      QFile policies{example(QStringLiteral("shared_cluster_policies"))};
      if (policies.open(QIODevice::ReadOnly) && !queue.isEmpty()) {
        session.document.openText(QString::fromUtf8(policies.readAll()), QStringLiteral("shared_cluster_policies.yaml"),
                                  QFileInfo{policies}.absolutePath());
        window.showPage(MainWindow::workload_page);
        window.workload()->pages()->setCurrentIndex(1);
        must(wait_for([&] { return window.workload()->arrivals()->preview().jobs > 0 && !session.checker.isBusy(); }),
             "the preview");
        shoot("arrivals");
        window.resultsView()->show(queue.front());
        window.showPage(MainWindow::results_page);
        window.resultsView()->openTab(0);
        shoot("queue");
        window.resultsView()->openTab(2);
        shoot("queue_timeline");
        window.showPage(MainWindow::cluster_page);
        dock("inspector");
        window.inspector()->start(session.document.text(), session.document.folder());
        must(wait_for([&] { return !window.inspector()->isBusy(); }), "the inspector of a queue");
        window.inspector()->runUntil(40 * 3600);
        must(wait_for([&] { return !window.inspector()->isBusy(); }), "a queue until a time");
        shoot("queue_inspector");
        window.inspector()->stop();
        window.dock(QStringLiteral("inspector"))->hide();
        window.plan();
        QTest::qWait(60);
        if (auto* dialog = window.findChild<QDialog*>(QStringLiteral("plan")); dialog != nullptr) {
          save(*dialog, QStringLiteral("plan_dialog"));
          dialog->close();
        }
      }
      if (!plans.isEmpty()) {
        window.resultsView()->show(plans.front());
        window.showPage(MainWindow::results_page);
        window.resultsView()->openTab(0);
        shoot("plan");
      }
      if (!cluster.isEmpty()) {
        window.resultsView()->show(cluster.front());
        window.resultsView()->openTab(2);
        shoot("tasks_timeline");
      }
      if (!retraining.isEmpty()) {
        window.resultsView()->show(retraining.front());
        window.resultsView()->openTab(2);
        shoot("retraining_timeline");
      }
      const QString compose = folder + QStringLiteral("/compose.yml");
      if (QFile out{compose}; out.open(QIODevice::WriteOnly)) {
        out.write("version: \"3\"\nservices:\n  web:\n    image: nginx:1.25\n    deploy: {replicas: 3}\n    ports: "
                  "[\"80:80\"]\n"
                  "  cache:\n    image: redis\n    restart: always\n");
        out.close();
        session.document.undoStack()->setClean();
        window.importFile(compose);
        must(wait_for([&] { return session.document.title().contains(QLatin1String("compose")); }), "the import");
        QTest::qWait(60);
        shoot("import");
        QFile::remove(compose);
      }
      window.dock(QStringLiteral("import_report"))->hide();
      window.action(QStringLiteral("shortcuts"))->trigger();
      if (auto* keys = window.findChild<QDialog*>(QStringLiteral("keys")); keys != nullptr) {
        save(*keys, QStringLiteral("keys"));
        keys->close();
      }
      CommandPalette palette{window.actions(), &window};
      palette.show();
      save(palette, QStringLiteral("commands"));
      palette.close();
      session.document.undoStack()->setClean();
    }
  std::printf("%d pictures, %d failures\n", pictures, failures);
  return failures == 0 ? 0 : 1;
}
