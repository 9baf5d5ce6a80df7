#include "gui/windows/main_window.hpp"

#include "gui/canvas/topology_scene.hpp"
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/editor/yaml_editor.hpp"
#include "gui/panels/problems_panel.hpp"
#include "gui/panels/rules_view.hpp"
#include "gui/panels/schema_form.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "gui/panels/workload_view.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/results_view.hpp"
#include "gui/results/timeline_view.hpp"
#include "gui/windows/command_palette.hpp"
#include "gui/windows/welcome_page.hpp"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolBar>
#include <QTreeWidget>
#include <QUndoStack>
#include <QVBoxLayout>

namespace trainyard::gui {
namespace {

/// The palette's parts; dragging one carries its name.
class Palette : public QListWidget
{
public:
  explicit Palette(QWidget* parent = nullptr) : QListWidget{parent}
  {
    setDragEnabled(true);
    setSelectionMode(QAbstractItemView::SingleSelection);
  }

protected:
  QMimeData* mimeData(const QList<QListWidgetItem*>& items) const override
  {
    auto* carried = new QMimeData;
    if (!items.isEmpty())
      carried->setData(QLatin1String(part_mime), items.front()->data(Qt::UserRole).toString().toUtf8());
    return carried;
  }
};

const char* const blank_scenario =
    "trainyard: 1\nname: untitled\nquestion: \n"
    "cluster:\n  node_types:\n    worker: {gpu: V100-SXM2-16GB, gpus: 8}\n  nodes:\n    - {name: worker, type: worker, count: 4}\n"
    "  network: {topology: star, link: 25GbE}\njobs:\n  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 8, training: {mode: "
    "all_reduce}}\n";

} // namespace

MainWindow::MainWindow(Session& session) : session_{session}
{
  setAcceptDrops(true);
  setObjectName(QStringLiteral("main"));
  setDockNestingEnabled(true);
  pages_ = new QStackedWidget;
  setCentralWidget(pages_);
  auto* welcome = new WelcomePage{session_};
  connect(welcome, &WelcomePage::fileChosen, this, &MainWindow::openFile);
  connect(welcome, &WelcomePage::exampleChosen, this, &MainWindow::openExample);
  connect(welcome, &WelcomePage::openRequested, this, [this] { action(QStringLiteral("open"))->trigger(); });
  connect(welcome, &WelcomePage::importRequested, this, [this] { action(QStringLiteral("import"))->trigger(); });
  connect(welcome, &WelcomePage::newRequested, this, [this] { action(QStringLiteral("new"))->trigger(); });
  pages_->addWidget(welcome);

  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  scene_ = new TopologyScene{session_.document, this};
  canvas_ = new TopologyView{*scene_};
  canvas_note_ = new QLabel;
  canvas_note_->setWordWrap(true);
  auto* canvas_page = new QWidget;
  auto* canvas_layout = new QVBoxLayout{canvas_page};
  canvas_layout->setContentsMargins(0, 0, 0, 0);
  canvas_layout->addWidget(canvas_, 1);
  canvas_layout->addWidget(canvas_note_);
  workload_ = new WorkloadView{session_.document, session_.schema};
  rules_ = new RulesView{session_.document, session_.schema};
  results_ = new ResultsView;
  compare_ = new CompareView;
  tabs_->addTab(canvas_page, tr("Cluster"));
  tabs_->addTab(workload_, tr("Workload"));
  tabs_->addTab(rules_, tr("Policies and faults"));
  tabs_->addTab(results_, tr("Results"));
  tabs_->addTab(compare_, tr("Compare"));
  pages_->addWidget(tabs_);

  makeDocks();
  makeActions();

  state_ = new QLabel;
  progress_ = new QProgressBar;
  progress_->setMaximumWidth(260);
  progress_->hide();
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(state_);

  ScenarioDocument& document = session_.document;
  connect(&document, &ScenarioDocument::fileChanged, this, &MainWindow::retitle);
  connect(&document, &ScenarioDocument::refused, this, &MainWindow::tell);
  connect(scene_, &TopologyScene::refused, this, &MainWindow::tell);
  connect(workload_, &WorkloadView::told, this, &MainWindow::tell);
  connect(scene_, &TopologyScene::picked, this, [this](const QString& path, const QString& heading) {
    item_form_->show(path.isEmpty() ? QStringLiteral("cluster.network") : path, path.isEmpty() ? tr("Network") : heading);
    const QString type =
        path.startsWith(QLatin1String("cluster.nodes")) ? session_.document.value(path + QStringLiteral(".type")) : QString{};
    type_form_->show(type.isEmpty() ? QString{} : QStringLiteral("cluster.node_types.") + type,
                     type.isEmpty() ? QString{} : tr("Kind of machine: %1").arg(type));
  });
  connect(scene_, &TopologyScene::rebuilt, this, &MainWindow::showOutline);
  const auto show_problems = [this] {
    const QVector<Problem>& problems = session_.checker.problems();
    editor_->setProblems(problems);
    problems_->show(problems);
    int errors = 0;
    for (const Problem& problem : problems)
      errors += problem.severity == Problem::Severity::error ? 1 : 0;
    state_->setText(errors == 0 ? (problems.isEmpty() ? tr("no problems") : tr("%n warnings", nullptr, static_cast<int>(problems.size())))
                                : tr("%n errors", nullptr, errors));
  };
  connect(&session_.checker, &Checker::checked, this, show_problems);
  connect(problems_, &ProblemsPanel::chosen, this, [this](int line, int column) {
    if (line > 0)
      editor_->goTo(line, column);
  });
  RunQueue& queue = session_.queue;
  connect(&queue, &RunQueue::started, this, [this](int) {
    progress_->setRange(0, 0);
    progress_->show();
    live_rows_.clear();
    action(QStringLiteral("cancel"))->setEnabled(true);
  });
  connect(&queue, &RunQueue::progressed, this, [this](int row) {
    const QueuedRun& run = session_.queue.runs()[row];
    progress_->setRange(0, std::max(1, run.total));
    progress_->setValue(run.done);
    progress_->setFormat(tr("%1 of %2, %3 s left").arg(run.done).arg(run.total).arg(run.left_s, 0, 'f', 1));
  });
  connect(&queue, &RunQueue::eventReceived, this, [this](int, const QJsonObject& event) {
    if (event.value(QLatin1String("event")).toString() != QLatin1String("result"))
      return;
    live_rows_.push_back(event);
    if (!live_timer_.isActive())
      live_timer_.start();
  });
  live_timer_.setSingleShot(true);
  live_timer_.setInterval(100); // a chart drawn for every line would take longer than the run
  connect(&live_timer_, &QTimer::timeout, this, [this] {
    if (session_.queue.isRunning())
      results_->showLive(live_rows_, tr("running…"));
  });
  connect(&queue, &RunQueue::ended, this, [this](int row) {
    const QueuedRun& run = session_.queue.runs()[row];
    live_timer_.stop();
    if (!session_.queue.isRunning()) {
      progress_->hide();
      action(QStringLiteral("cancel"))->setEnabled(false);
    }
    if (run.state == QueuedRun::State::done)
      session_.loader.load(run.folder);
    else if (run.state == QueuedRun::State::failed)
      tell(tr("The run failed: %1").arg(run.message.isEmpty() ? tr("no reason was given") : run.message.section(QLatin1Char('\n'), 0, 2)));
    else
      tell(tr("The run was cancelled"));
  });
  connect(&session_.loader, &ResultLoader::loaded, this, [this](const Results& results) {
    session_.results.push_back(results);
    results_->show(results);
    compare_->add(results);
    showPage(results_page);
  });
  connect(&session_.loader, &ResultLoader::failed, this, [this](const QString&, const QString& why) { tell(why); });
  connect(results_, &ResultsView::loadsChanged, scene_, &TopologyScene::setLoads);
  connect(results_, &ResultsView::explainRequested, this, &MainWindow::explain);
  for (const Results& kept : session_.results)
    compare_->add(kept);
  if (!session_.results.isEmpty())
    results_->show(session_.results.back());

  resize(session_.settings.value(QStringLiteral("size"), QSize{1400, 900}).toSize());
  restoreState(session_.settings.value(QStringLiteral("docks")).toByteArray());
  retitle();
  showOutline();
  show_problems();
  if (session_.document.text().isEmpty())
    showWelcome();
  else
    showPage(cluster_page);
  QTimer::singleShot(0, this, &MainWindow::offerRecovery);
}

MainWindow::~MainWindow() = default;

void MainWindow::makeDocks()
{
  const auto make = [this](const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget{title, this};
    dock->setObjectName(name);
    dock->setWidget(content);
    addDockWidget(area, dock);
    return dock;
  };
  editor_ = new YamlEditor;
  editor_->showDocument(session_.document.textDocument());
  make(QStringLiteral("text"), tr("Scenario text"), editor_, Qt::LeftDockWidgetArea);

  auto* forms = new QWidget;
  auto* forms_layout = new QVBoxLayout{forms};
  forms_layout->setContentsMargins(0, 0, 0, 0);
  item_form_ = new SchemaForm{session_.document, session_.schema};
  type_form_ = new SchemaForm{session_.document, session_.schema};
  forms_layout->addWidget(item_form_);
  forms_layout->addWidget(type_form_);
  forms_layout->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setWidget(forms);
  QDockWidget* properties = make(QStringLiteral("properties"), tr("Properties"), scroll, Qt::RightDockWidgetArea);
  item_form_->show(QStringLiteral("cluster.network"), tr("Network"));

  palette_ = new Palette;
  palette_->setAccessibleName(tr("Palette"));
  const QVector<QPair<QString, QString>> parts{{QStringLiteral("gpu_nodes"), tr("GPU machines")},
                                               {QStringLiteral("cpu_nodes"), tr("Machines without GPU")},
                                               {QStringLiteral("switch"), tr("Switch (free network)")},
                                               {QStringLiteral("template:star"), tr("Network: star")},
                                               {QStringLiteral("template:leaf_spine"), tr("Network: leaf and spine")},
                                               {QStringLiteral("template:fat_tree"), tr("Network: fat tree")},
                                               {QStringLiteral("template:torus"), tr("Network: torus")},
                                               {QStringLiteral("template:dragonfly"), tr("Network: dragonfly")},
                                               {QStringLiteral("template:rail"), tr("Network: rails")}};
  for (const auto& [part, label] : parts) {
    auto* item = new QListWidgetItem{label, palette_};
    item->setData(Qt::UserRole, part);
    item->setToolTip(tr("Drag onto the canvas, or double-click"));
  }
  connect(palette_, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
    scene_->addPart(item->data(Qt::UserRole).toString(), canvas_->mapToScene(canvas_->viewport()->rect().center()));
  });
  QDockWidget* palette = make(QStringLiteral("palette"), tr("Palette"), palette_, Qt::RightDockWidgetArea);
  outline_ = new QTreeWidget;
  outline_->setHeaderHidden(true);
  outline_->setAccessibleName(tr("Outline of the cluster"));
  connect(outline_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (item == nullptr || !outline_->hasFocus())
      return;
    scene_->clearSelection();
    if (TopologyItem* drawn = scene_->itemOf(item->data(0, Qt::UserRole).toString()); drawn != nullptr)
      drawn->setSelected(true);
  });
  QDockWidget* outline = make(QStringLiteral("outline"), tr("Outline"), outline_, Qt::RightDockWidgetArea);
  splitDockWidget(properties, palette, Qt::Vertical);
  tabifyDockWidget(palette, outline);
  palette->raise();

  problems_ = new ProblemsPanel;
  QDockWidget* problems = make(QStringLiteral("problems"), tr("Problems"), problems_, Qt::BottomDockWidgetArea);
  runs_ = new QTableView;
  runs_->setModel(&session_.queue);
  runs_->setAccessibleName(tr("Runs"));
  runs_->setSelectionBehavior(QAbstractItemView::SelectRows);
  runs_->verticalHeader()->hide();
  runs_->horizontalHeader()->setStretchLastSection(true);
  runs_->setColumnWidth(1, 200);
  runs_->setColumnWidth(2, 180);
  connect(runs_, &QTableView::doubleClicked, this, [this](const QModelIndex& at) {
    const QueuedRun& run = session_.queue.runs()[at.row()];
    if (run.state == QueuedRun::State::done)
      session_.loader.load(run.folder);
    else if (!run.message.isEmpty())
      QMessageBox::information(this, run.name, run.message);
  });
  QDockWidget* runs = make(QStringLiteral("runs"), tr("Runs"), runs_, Qt::BottomDockWidgetArea);
  what_if_ = new WhatIfPanel{session_.document};
  QDockWidget* what_if = make(QStringLiteral("what_if"), tr("What if"), what_if_, Qt::BottomDockWidgetArea);
  tabifyDockWidget(problems, runs);
  tabifyDockWidget(runs, what_if);
  problems->raise();
  resizeDocks({dock(QStringLiteral("text")), properties}, {420, 300}, Qt::Horizontal);
  resizeDocks({problems}, {200}, Qt::Vertical);
  resizeDocks({properties, palette}, {430, 170}, Qt::Vertical);
}

QAction* MainWindow::add(const QString& name, const QString& text, const QKeySequence& keys, const std::function<void()>& run, QMenu* menu)
{
  auto* made = new QAction{text, this};
  made->setObjectName(name);
  made->setShortcut(keys);
  connect(made, &QAction::triggered, this, run);
  addAction(made);
  menu->addAction(made);
  return made;
}

void MainWindow::makeActions()
{
  QMenu* file = menuBar()->addMenu(tr("&File"));
  add(
      QStringLiteral("new"), tr("&New scenario"), QKeySequence::New,
      [this] {
        if (mayForget()) {
          session_.document.openText(QString::fromLatin1(blank_scenario), {});
          showPage(cluster_page);
        }
      },
      file);
  add(
      QStringLiteral("open"), tr("&Open…"), QKeySequence::Open,
      [this] {
        const QString chosen = QFileDialog::getOpenFileName(this, tr("Open a scenario"), {},
                                                            tr("Scenarios (*.yaml *.yml);;Manifests and results (*.json);;All files (*)"));
        if (!chosen.isEmpty())
          openFile(chosen);
      },
      file);
  QMenu* recent = file->addMenu(tr("Open &recent"));
  connect(recent, &QMenu::aboutToShow, this, [this, recent] {
    recent->clear();
    for (const QString& each : session_.recentFiles())
      recent->addAction(each, this, [this, each] { openFile(each); });
    if (recent->isEmpty())
      recent->addAction(tr("nothing yet"))->setEnabled(false);
  });
  add(
      QStringLiteral("open_results"), tr("Open &results folder…"), {},
      [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a results folder"));
        if (!folder.isEmpty())
          openResults(folder);
      },
      file);
  add(
      QStringLiteral("import"), tr("&Import compose, Kubernetes, Slurm, NCCL…"), QKeySequence{QStringLiteral("Ctrl+I")},
      [this] {
        const QString chosen = QFileDialog::getOpenFileName(this, tr("Import"));
        if (!chosen.isEmpty())
          importFile(chosen);
      },
      file);
  file->addSeparator();
  add(
      QStringLiteral("save"), tr("&Save"), QKeySequence::Save, [this] { save(); }, file);
  add(
      QStringLiteral("save_as"), tr("Save &as…"), QKeySequence::SaveAs, [this] { saveAs(); }, file);
  add(
      QStringLiteral("export"), tr("&Export picture…"), QKeySequence{QStringLiteral("Ctrl+E")}, [this] { exportPicture(); }, file);
  file->addSeparator();
  add(
      QStringLiteral("welcome"), tr("&Welcome page"), {}, [this] { showWelcome(); }, file);
  add(
      QStringLiteral("quit"), tr("&Quit"), QKeySequence::Quit, [this] { close(); }, file);

  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  QUndoStack* undo = session_.document.undoStack();
  QAction* undo_action = undo->createUndoAction(this, tr("&Undo"));
  undo_action->setShortcut(QKeySequence::Undo);
  undo_action->setObjectName(QStringLiteral("undo"));
  QAction* redo_action = undo->createRedoAction(this, tr("&Redo"));
  redo_action->setShortcut(QKeySequence::Redo);
  redo_action->setObjectName(QStringLiteral("redo"));
  edit->addAction(undo_action);
  edit->addAction(redo_action);
  addAction(undo_action);
  addAction(redo_action);
  edit->addSeparator();
  add(
      QStringLiteral("remove"), tr("Remove from the &canvas"), {}, [this] { scene_->removeSelected(); }, edit);
  add(
      QStringLiteral("layout"), tr("&Lay out the canvas"), QKeySequence{QStringLiteral("Ctrl+L")}, [this] { scene_->layOut(); }, edit);
  QAction* link = add(
      QStringLiteral("link"), tr("Draw l&inks"), QKeySequence{QStringLiteral("Ctrl+Shift+L")},
      [this] { scene_->setLinkMode(action(QStringLiteral("link"))->isChecked()); }, edit);
  link->setCheckable(true);
  add(
      QStringLiteral("paste_jobs"), tr("Paste &jobs"), QKeySequence{QStringLiteral("Ctrl+Shift+V")},
      [this] {
        showPage(workload_page);
        workload_->paste();
      },
      edit);

  QMenu* run_menu = menuBar()->addMenu(tr("&Run"));
  QAction* run_action = add(
      QStringLiteral("run"), tr("&Run"), QKeySequence{Qt::Key_F5}, [this] { run(); }, run_menu);
  QAction* cancel_action = add(
      QStringLiteral("cancel"), tr("&Cancel"), QKeySequence{QStringLiteral("Shift+F5")}, [this] { session_.queue.cancelAll(); }, run_menu);
  cancel_action->setEnabled(session_.queue.isRunning());
  add(
      QStringLiteral("explain"), tr("E&xplain the result"), QKeySequence{Qt::Key_F2},
      [this] {
        if (results_->results())
          explain(results_->results()->folder, {});
      },
      run_menu);

  QMenu* view = menuBar()->addMenu(tr("&View"));
  const QStringList pages{tr("Cluster"), tr("Workload"), tr("Policies and faults"), tr("Results"), tr("Compare")};
  for (int i = 0; i < pages.size(); ++i)
    add(
        QStringLiteral("page_%1").arg(i), pages[i], QKeySequence{QStringLiteral("Ctrl+%1").arg(i + 1)},
        [this, i] { showPage(static_cast<Page>(i)); }, view);
  add(
      QStringLiteral("table_twin"), tr("Chart or &table"), QKeySequence{QStringLiteral("Ctrl+T")}, [this] { results_->toggleTable(); },
      view);
  view->addSeparator();
  for (QDockWidget* dock : findChildren<QDockWidget*>())
    view->addAction(dock->toggleViewAction());
  view->addSeparator();
  QMenu* theme = view->addMenu(tr("&Theme"));
  for (const auto& [name, label] : QVector<QPair<QString, QString>>{
           {QStringLiteral("system"), tr("As the desktop")}, {QStringLiteral("light"), tr("Light")}, {QStringLiteral("dark"), tr("Dark")}})
    add(
        QStringLiteral("theme_") + name, label, {},
        [this, name = name] {
          session_.settings.setValue(QStringLiteral("theme"), name);
          apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), theme_of(name));
        },
        theme);
  QMenu* size = view->addMenu(tr("Text &size"));
  for (const int percent : {80, 100, 125, 150, 200})
    add(
        QStringLiteral("size_%1").arg(percent), QStringLiteral("%1 %").arg(percent), {},
        [this, percent] {
          session_.settings.setValue(QStringLiteral("text_size"), percent);
          QFont font = QApplication::font();
          font.setPointSizeF(9.5 * percent / 100.0);
          QApplication::setFont(font);
          emit remakeRequested();
        },
        size);
  QMenu* language = view->addMenu(tr("&Language"));
  for (const auto& [name, label] : QVector<QPair<QString, QString>>{{QStringLiteral("en"), QStringLiteral("English")},
                                                                    {QStringLiteral("ru"), QStringLiteral("Русский")},
                                                                    {QStringLiteral("zh_CN"), QStringLiteral("简体中文")}})
    add(
        QStringLiteral("language_") + name, label, {},
        [this, name = name] {
          session_.settings.setValue(QStringLiteral("language"), name);
          session_.useLanguage(name);
          emit remakeRequested();
        },
        language);

  QMenu* help = menuBar()->addMenu(tr("&Help"));
  add(
      QStringLiteral("palette"), tr("&Commands…"), QKeySequence{QStringLiteral("Ctrl+K")},
      [this] {
        CommandPalette dialog{actions(), this};
        dialog.exec();
      },
      help);
  add(
      QStringLiteral("shortcuts"), tr("&Keys"), QKeySequence{QStringLiteral("F1")},
      [this] { QMessageBox::information(this, tr("Keys"), shortcut_sheet(actions())); }, help);
  add(
      QStringLiteral("about"), tr("&About Trainyard"), {},
      [this] {
        QMessageBox::about(this, tr("About Trainyard"),
                           tr("<h3>Trainyard</h3><p>Cluster simulator and capacity planner for distributed deep-learning training.</p>"
                              "<p>The sources are under the Apache License 2.0. This program links Qt Charts, which is under the GNU "
                              "General Public License 3, "
                              "so this program as a whole is under that licence; Qt itself is used under the LGPL 3, Dear ImGui under the "
                              "MIT licence.</p>"));
      },
      help);

  QToolBar* bar = addToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("tools"));
  bar->setMovable(false);
  bar->addAction(run_action);
  bar->addAction(cancel_action);
  bar->addSeparator();
  bar->addAction(undo_action);
  bar->addAction(redo_action);
  bar->addSeparator();
  bar->addAction(link);
  bar->addAction(action(QStringLiteral("layout")));
  bar->addAction(action(QStringLiteral("export")));
}

QAction* MainWindow::action(const QString& name) const
{
  for (QAction* each : actions())
    if (each->objectName() == name)
      return each;
  return nullptr;
}

QDockWidget* MainWindow::dock(const QString& name) const
{
  return findChild<QDockWidget*>(name);
}

void MainWindow::retitle()
{
  const ScenarioDocument& document = session_.document;
  setWindowTitle(tr("%1[*] – Trainyard").arg(document.title()));
  setWindowModified(document.isModified());
  setWindowFilePath(document.file());
}

void MainWindow::showOutline()
{
  outline_->clear();
  auto* machines = new QTreeWidgetItem{outline_, {tr("Machines")}};
  auto* network = new QTreeWidgetItem{outline_, {tr("Network")}};
  for (const CanvasItem& item : scene_->model().items) {
    const bool machine = item.kind == CanvasItem::Kind::group || item.kind == CanvasItem::Kind::node;
    auto* row = new QTreeWidgetItem{machine ? machines : network,
                                    {item.count > 1 ? QStringLiteral("%1 ×%2 (%3)").arg(item.label).arg(item.count).arg(item.detail)
                                                    : QStringLiteral("%1 (%2)").arg(item.label, item.detail)}};
    row->setData(0, Qt::UserRole, item.id);
  }
  outline_->expandAll();
  canvas_note_->setText(scene_->model().note);
  canvas_note_->setVisible(!scene_->model().note.isEmpty());
}

void MainWindow::showWelcome()
{
  pages_->setCurrentIndex(0);
}

void MainWindow::showPage(Page page)
{
  pages_->setCurrentIndex(1);
  tabs_->setCurrentIndex(page);
}

bool MainWindow::openFile(const QString& file)
{
  if (QFileInfo{file}.isDir()) {
    openResults(file);
    return true;
  }
  const QString name = QFileInfo{file}.fileName();
  if (name == QLatin1String("manifest.json") || name == QLatin1String("summary.json")) {
    openResults(QFileInfo{file}.absolutePath());
    return true;
  }
  if (!mayForget())
    return false;
  QString error;
  if (!session_.document.open(file, &error)) {
    QMessageBox::warning(this, tr("Not opened"), error);
    return false;
  }
  session_.remember(QFileInfo{file}.absoluteFilePath());
  showPage(cluster_page);
  return true;
}

void MainWindow::openExample(const QString& file)
{
  if (!mayForget())
    return;
  QFile in{file};
  if (!in.open(QIODevice::ReadOnly))
    return tell(tr("%1 cannot be read: %2").arg(file, in.errorString()));
  session_.document.openText(QString::fromUtf8(in.readAll()), QFileInfo{file}.fileName());
  showPage(cluster_page);
}

void MainWindow::openResults(const QString& folder)
{
  session_.loader.load(folder);
}

void MainWindow::importFile(const QString& file)
{
  if (!mayForget())
    return;
  auto* process = new RunProcess{this};
  const QString out = state_folder(QStringLiteral("import")) + QStringLiteral("/imported.yaml");
  QFile::remove(out);
  connect(process, &RunProcess::finished, this, [this, process, file, out] {
    process->deleteLater();
    QFile in{out};
    if (process->state() != RunProcess::State::done || !in.open(QIODevice::ReadOnly)) {
      QMessageBox::warning(this, tr("Not imported"),
                           process->messages().isEmpty() ? tr("simrun import said nothing") : process->messages());
      return;
    }
    session_.document.openText(QString::fromUtf8(in.readAll()), QFileInfo{file}.completeBaseName() + QStringLiteral(".yaml"));
    showPage(cluster_page);
    const QString report = (process->output() + process->messages()).trimmed();
    if (!report.isEmpty())
      QMessageBox::information(this, tr("What was understood"), report.left(6000));
  });
  process->start({QStringLiteral("import"), file, QStringLiteral("-o"), out, QStringLiteral("--color=never")},
                 QFileInfo{file}.absolutePath());
}

bool MainWindow::save()
{
  ScenarioDocument& document = session_.document;
  if (document.file().isEmpty())
    return saveAs();
  if (document.changedOnDisk()) {
    const auto answer = QMessageBox::question(
        this, tr("Changed on disk"), tr("%1 was changed by another program since it was opened. Write over it?").arg(document.title()),
        QMessageBox::Save | QMessageBox::Cancel);
    if (answer != QMessageBox::Save)
      return false;
  }
  QString error;
  if (document.save(document.file(), &error))
    return true;
  QMessageBox::warning(this, tr("Not saved"), error);
  return false;
}

bool MainWindow::saveAs()
{
  const QString chosen = QFileDialog::getSaveFileName(
      this, tr("Save the scenario"), session_.document.file().isEmpty() ? session_.document.title() : session_.document.file(),
      tr("Scenarios (*.yaml)"));
  if (chosen.isEmpty())
    return false;
  QString error;
  if (!session_.document.save(chosen, &error)) {
    QMessageBox::warning(this, tr("Not saved"), error);
    return false;
  }
  session_.remember(session_.document.file());
  return true;
}

bool MainWindow::mayForget()
{
  if (!session_.document.isModified())
    return true;
  const auto answer = QMessageBox::question(this, tr("Unsaved changes"), tr("Save the changes of %1?").arg(session_.document.title()),
                                            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
  if (answer == QMessageBox::Save)
    return save();
  return answer == QMessageBox::Discard;
}

void MainWindow::run()
{
  const QString folder = session_.document.file().isEmpty() ? QDir::homePath() : QFileInfo{session_.document.file()}.absolutePath();
  session_.queue.add(QFileInfo{session_.document.title()}.completeBaseName(), session_.document.text(), folder);
  dock(QStringLiteral("runs"))->raise();
}

void MainWindow::exportPicture()
{
  const QString file = QFileDialog::getSaveFileName(this, tr("Export picture"), {}, tr("Pictures (*.png *.svg *.pdf)"));
  if (file.isEmpty())
    return;
  QString error;
  if (!results_->chart()->exportTo(file, &error))
    QMessageBox::warning(this, tr("Not exported"), error);
}

void MainWindow::explain(const QString& folder, const QString& what)
{
  auto* process = new RunProcess{this};
  connect(process, &RunProcess::finished, this, [this, process] {
    process->deleteLater();
    auto* window = new QTextBrowser;
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->setWindowTitle(tr("Explanation"));
    QFont mono{QStringLiteral("monospace")};
    window->setFont(mono);
    window->setPlainText(process->output().isEmpty() ? process->messages() : process->output());
    window->resize(900, 600);
    window->show();
  });
  QStringList arguments{QStringLiteral("explain"), folder, QStringLiteral("--color=never")};
  if (!what.isEmpty())
    arguments << QStringLiteral("--job") << what;
  process->start(arguments, QDir::homePath());
}

void MainWindow::tell(const QString& message)
{
  statusBar()->showMessage(message, 12'000);
}

void MainWindow::offerRecovery()
{
  if (!session_.document.text().isEmpty() || !isVisible())
    return;
  const QStringList files = ScenarioDocument::recoverable();
  if (files.isEmpty())
    return;
  const auto answer = QMessageBox::question(
      this, tr("Recovered text"),
      tr("The program ended last time with unsaved changes in %1. Open them?").arg(QFileInfo{files.front()}.fileName()),
      QMessageBox::Open | QMessageBox::Discard | QMessageBox::Cancel);
  if (answer == QMessageBox::Cancel)
    return;
  QFile in{files.front()};
  if (answer == QMessageBox::Open && in.open(QIODevice::ReadOnly)) {
    session_.document.openText(QString::fromUtf8(in.readAll()), tr("recovered.yaml"));
    showPage(cluster_page);
  }
  in.remove();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
  if (!mayForget())
    return event->ignore();
  session_.queue.cancelAll();
  session_.document.forgetRecovery();
  session_.settings.setValue(QStringLiteral("size"), size());
  session_.settings.setValue(QStringLiteral("docks"), saveState());
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
  if (event->mimeData()->hasUrls())
    event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
  for (const QUrl& url : event->mimeData()->urls()) {
    const QString file = url.toLocalFile();
    const QString kind = QFileInfo{file}.suffix().toLower();
    QFile in{file};
    const bool scenario = (kind == QLatin1String("yaml") || kind == QLatin1String("yml")) && in.open(QIODevice::ReadOnly) &&
                          in.read(20'000).contains("trainyard:");
    if (scenario || QFileInfo{file}.isDir() || file.endsWith(QLatin1String("manifest.json")))
      openFile(file);
    else
      importFile(file);
    break;
  }
  event->acceptProposedAction();
}

} // namespace trainyard::gui
