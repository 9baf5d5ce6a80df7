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

#include <QAction>
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

int failures = 0;
int pictures = 0;

void must(bool good, const char* what)
{
  if (good)
    return;
  std::fprintf(stderr, "%s failed\n", what);
  ++failures;
}

QString text_of(const QString& name)
{
  QFile file{example(name)};
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString{};
}

/// The results that all pictures show.
struct Shown {
  QVector<Results> training; // two runs to compare
  Results queue;
  Results plan;
  Results swarm;
  Results retraining;
  Results divided; // over a pipeline
};

Results result_of(Session& session, const QString& name, const QString& text, const QStringList& plan = {})
{
  Results results;
  bool done = false;
  QObject here;
  QObject::connect(&session.queue, &RunQueue::ended, &here, [&](int row) {
    const QueuedRun& run = session.queue.runs()[row];
    done = true;
    must(run.state == QueuedRun::State::done, qPrintable(run.message));
    results = std::make_shared<const ResultsData>(read_results(run.folder));
  });
  const QString beside = QFileInfo{example(QStringLiteral("retraining"))}.absolutePath();
  if (plan.isEmpty())
    session.queue.add(name, text, beside);
  else
    session.queue.addPlan(name, text, beside, plan);
  must(wait_for([&] { return done; }, 300'000), "a run");
  return results;
}

Shown run_all(Session& session)
{
  Shown shown;
  for (const char* link : {"25GbE", "100GbE"})
    shown.training.push_back(
        result_of(session, QStringLiteral("vgg16 on ") + QLatin1String(link), flagship(QLatin1String(link))));
  const QString queue = text_of(QStringLiteral("shared_cluster_policies"));
  shown.queue = result_of(session, QStringLiteral("shared_cluster"), queue);
  shown.plan = result_of(session, QStringLiteral("shared_cluster"), queue,
                         {QStringLiteral("--goal"), QStringLiteral("p95(queueing_delay) < 1 h"),
                          QStringLiteral("--knob"), QStringLiteral("cluster.nodes.0.count=7,8,9,10,12,14,16,20"),
                          QStringLiteral("--policies"), QStringLiteral("fifo,easy_backfill,srtf")});
  for (const auto& [name, to] : {std::pair{"swarm_failures", &shown.swarm}, std::pair{"retraining", &shown.retraining}})
    *to = result_of(session, QLatin1String(name), text_of(QLatin1String(name)));
  const QString divided = QStringLiteral("llama3_70b_on_512_h100");
  shown.divided =
      result_of(session, divided,
                text_of(divided).replace(QLatin1String("global_batch: 512"), QLatin1String("global_batch: 128")));
  return shown;
}

/// A window in one language and theme, and its pictures.
class Album
{
public:
  Album(Session& session, const Shown& shown, QString folder, QString language, Theme theme, QSize size)
      : session_{session}, shown_{shown}, folder_{std::move(folder)}, language_{std::move(language)}, theme_{theme}
  {
    session_.useLanguage(language_);
    apply_theme(*qApp, theme_);
    session_.document.openText({}, {});
    window_ = std::make_unique<MainWindow>(session_);
    window_->resize(size);
    window_->show();
    QTest::qWait(80);
  }
  ~Album() { session_.document.undoStack()->setClean(); }
  Album(const Album&) = delete;
  Album& operator=(const Album&) = delete;

  void make()
  {
    beginning();
    training();
    explanation();
    loads();
    comparison();
    sliders();
    inspector();
    cluster();
    problems();
    failure();
    queue();
    queueInspector();
    plan();
    timelines();
    pipeline();
    import();
    commands();
  }

private:
  void save(QWidget& what, const char* name)
  {
    QTest::qWait(60);
    const QImage picture = with_few_colours(what.grab().toImage().convertToFormat(QImage::Format_RGB32));
    must(picture.save(QStringLiteral("%1/%2-%3-%4.png").arg(folder_, QLatin1String(name), language_, name_of(theme_)),
                      "PNG"),
         "writing a picture");
    ++pictures;
  }

  void shoot(const char* name) { save(*window_, name); }

  void shootDialog(const char* object, const char* name)
  {
    QTest::qWait(60);
    auto* dialog = window_->findChild<QDialog*>(QLatin1String(object));
    must(dialog != nullptr, name);
    if (dialog == nullptr)
      return;
    save(*dialog, name);
    dialog->close();
  }

  void open(const QString& text, const char* file, const QString& folder = {})
  {
    session_.document.openText(text, QLatin1String(file), folder);
    QTest::qWait(80);
    must(wait_for([&] { return session_.schema.isReady() && !session_.checker.isBusy(); }), "checking");
  }

  void showResults(const Results& results, int tab)
  {
    window_->resultsView()->show(results);
    window_->resultsView()->compareWith(results->scenario_text);
    window_->showPage(MainWindow::results_page);
    window_->resultsView()->openTab(tab);
  }

  void hideDock(const char* name) { window_->dock(QLatin1String(name))->hide(); }

  void inspectorRests(const char* what)
  {
    must(wait_for([&] { return !window_->inspector()->isBusy(); }), what);
  }

  void beginning()
  {
    window_->showWelcome();
    shoot("welcome");
    // What stands there before there is anything to show.
    window_->showPage(MainWindow::results_page);
    shoot("no_results");
    window_->showPage(MainWindow::compare_page);
    shoot("nothing_to_compare");
  }

  void training()
  {
    open(flagship(QStringLiteral("25GbE")), "vgg16_ps_vs_ring.yaml");
    window_->showPage(MainWindow::workload_page);
    window_->workload()->pages()->setCurrentIndex(0);
    shoot("workload");
    for (const Results& each : shown_.training)
      window_->compareView()->add(each);
    showResults(shown_.training.front(), 0);
    shoot("results");
    window_->openDock(QStringLiteral("runs"));
    window_->resultsView()->openTab(1);
    shoot("jobs");
    hideDock("runs");
    window_->resultsView()->openTab(2);
    shoot("timeline");
    window_->resultsView()->openTab(3);
    shoot("step");
  }

  void explanation()
  {
    window_->resultsView()->openTab(1);
    window_->openDock(QStringLiteral("explanation"));
    emit window_->resultsView()->explainRequested(QStringLiteral("job"), QStringLiteral("train"),
                                                  window_->resultsView()->point());
    const QString path = QCoreApplication::translate("Results", "critical path of one step");
    must(wait_for([&] { return window_->explanation().contains(path); }), "explaining");
    shoot("explanation");
    hideDock("explanation");
  }

  void loads()
  {
    window_->showPage(MainWindow::cluster_page);
    window_->canvas()->fit();
    window_->scrubber()->slider()->setValue(120);
    // The busiest link is clicked, so that its words stand below.
    TopologyLink* busiest = nullptr;
    for (QGraphicsItem* item : window_->scene()->items())
      if (item->type() == TopologyLink::Type)
        if (auto* link = static_cast<TopologyLink*>(item); busiest == nullptr || link->load() > busiest->load())
          busiest = link;
    if (busiest != nullptr)
      busiest->setSelected(true);
    shoot("link_loads");
    window_->scene()->clearSelection();
  }

  void comparison()
  {
    bool compared = false;
    QObject here;
    QObject::connect(window_->compareView(), &CompareView::compared, &here, [&] { compared = true; });
    window_->showPage(MainWindow::compare_page);
    must(wait_for([&] { return compared; }), "comparing");
    shoot("compare");
  }

  void sliders()
  {
    window_->showPage(MainWindow::cluster_page);
    window_->openDock(QStringLiteral("what_if"));
    bool answered = false;
    QObject here;
    QObject::connect(window_->whatIf(), &WhatIfPanel::answered, &here, [&] { answered = true; });
    if (window_->whatIf()->sliders() == 0)
      window_->whatIf()->addSlider(QStringLiteral("cluster.network.bandwidth"));
    for (const double rate : {100.0, 10.0}) {
      answered = false;
      window_->whatIf()->setSlider(QStringLiteral("cluster.network.bandwidth"), rate);
      must(wait_for([&] { return answered; }), "a slider");
    }
    shoot("what_if");
  }

  void inspector()
  {
    window_->openDock(QStringLiteral("inspector"));
    InspectorProcess& engine = *window_->inspector();
    engine.start(session_.document.text(), QDir::homePath());
    inspectorRests("the inspector");
    for (int i = 0; i < 60 && (i == 0 || engine.state().flow_count == 0); ++i) { // into the exchange
      engine.step(i == 0 ? 60 : 7);
      inspectorRests("a step");
    }
    shoot("inspector");
    engine.stop();
    hideDock("inspector");
  }

  void cluster()
  {
    open(QString::fromLatin1(racks), "racks.yaml");
    window_->showPage(MainWindow::cluster_page);
    if (window_->scene()->itemOf(QStringLiteral("dgx")) != nullptr)
      window_->scene()->toggleFold(QStringLiteral("dgx"));
    window_->canvas()->fit();
    must(wait_for([&] { return !session_.checker.isBusy(); }), "checking");
    shoot("cluster");
  }

  void problems()
  {
    window_->showPage(MainWindow::rules_page);
    shoot("policies_and_faults");
    auto* tabs = window_->rules()->findChild<QTabWidget*>();
    tabs->setCurrentIndex(1);
    shoot("all_settings");
    tabs->setCurrentIndex(0);
    session_.document.setValue(QStringLiteral("cluster.nodes.0.type"), QStringLiteral("dgy"),
                               QStringLiteral("Set type"));
    window_->showPage(MainWindow::cluster_page);
    QTest::qWait(400);
    must(wait_for([&] { return !session_.checker.isBusy(); }), "checking");
    window_->openDock(QStringLiteral("problems"));
    shoot("problems");
    hideDock("problems");
    session_.document.undoStack()->undo();
  }

  void failure()
  {
    window_->faults()->ask(QStringLiteral("rack:3"));
    shootDialog("fail_at", "fail_at");
  }

  void queue()
  {
    const QString name = QStringLiteral("shared_cluster_policies");
    open(text_of(name), "shared_cluster_policies.yaml", QFileInfo{example(name)}.absolutePath());
    window_->showPage(MainWindow::workload_page);
    window_->workload()->pages()->setCurrentIndex(1);
    must(wait_for([&] { return window_->workload()->arrivals()->preview().jobs > 0 && !session_.checker.isBusy(); }),
         "the preview");
    shoot("arrivals");
    showResults(shown_.queue, 0);
    shoot("queue");
    window_->resultsView()->openTab(2);
    shoot("queue_timeline");
  }

  void queueInspector()
  {
    window_->showPage(MainWindow::cluster_page);
    window_->openDock(QStringLiteral("inspector"));
    window_->inspector()->start(session_.document.text(), session_.document.folder());
    inspectorRests("the inspector of a queue");
    window_->inspector()->runUntil(40 * 3600);
    inspectorRests("a queue until a time");
    shoot("queue_inspector");
    window_->inspector()->stop();
    hideDock("inspector");
  }

  void plan()
  {
    window_->plan();
    shootDialog("plan", "plan_dialog");
    showResults(shown_.plan, 0);
    shoot("plan");
  }

  void timelines()
  {
    showResults(shown_.swarm, 2);
    shoot("tasks_timeline");
    showResults(shown_.retraining, 2);
    shoot("retraining_timeline");
  }

  void pipeline()
  {
    showResults(shown_.divided, 7);
    shoot("pipeline");
  }

  void import()
  {
    const QString compose = folder_ + QStringLiteral("/compose.yml");
    if (QFile out{compose}; out.open(QIODevice::WriteOnly))
      out.write("version: \"3\"\nservices:\n  web:\n    image: nginx:1.25\n    deploy: {replicas: 3}\n    ports: "
                "[\"80:80\"]\n"
                "  cache:\n    image: redis\n    restart: always\n");
    session_.document.undoStack()->setClean();
    window_->importFile(compose);
    must(wait_for([&] { return session_.document.title().contains(QLatin1String("compose")); }), "the import");
    QTest::qWait(60);
    shoot("import");
    QFile::remove(compose);
    hideDock("import_report");
  }

  void commands()
  {
    window_->action(QStringLiteral("shortcuts"))->trigger();
    shootDialog("keys", "keys");
    CommandPalette palette{window_->actions(), window_.get()};
    palette.show();
    save(palette, "commands");
    palette.close();
  }

  Session& session_;
  const Shown& shown_;
  QString folder_;
  QString language_;
  Theme theme_;
  std::unique_ptr<MainWindow> window_;
};

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
  const QStringList arguments = QCoreApplication::arguments();
  const QString folder = arguments.value(1, QStringLiteral("."));
  QDir{}.mkpath(folder);
  const QStringList size = arguments.value(2, QStringLiteral("1280x800")).split(QLatin1Char('x'));
  const QString languages = arguments.value(3, QStringLiteral("en,ru,zh_CN"));
  const QString themes = arguments.value(4, QStringLiteral("light,dark"));
  QFont font{QStringLiteral("DejaVu Sans")};
  font.setPointSizeF(9.5);
  QApplication::setFont(font);
  Session session;
  session.settings.clear();
  apply_theme(application, Theme::light);
  const Shown shown = run_all(session);
  for (const QString& language : languages.split(QLatin1Char(',')))
    for (const QString& theme : themes.split(QLatin1Char(',')))
      Album{session, shown, folder, language, theme_of(theme), {size.value(0).toInt(), size.value(1).toInt()}}.make();
  std::printf("%d pictures, %d failures\n", pictures, failures);
  return failures == 0 ? 0 : 1;
}
