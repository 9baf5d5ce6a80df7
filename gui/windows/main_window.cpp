#include "gui/windows/main_window.hpp"

#include "gui/canvas/load_scrubber.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/info_bar.hpp"
#include "gui/editor/yaml_editor.hpp"
#include "gui/panels/faults_view.hpp"
#include "gui/panels/problems_panel.hpp"
#include "gui/panels/rules_view.hpp"
#include "gui/panels/schema_form.hpp"
#include "gui/panels/workload_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/results_view.hpp"
#include "gui/windows/welcome_page.hpp"

#include <QAction>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QLabel>
#include <QProgressBar>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace trainyard::gui {

MainWindow::MainWindow(Session& session) : session_{session}
{
  setAcceptDrops(true);
  setObjectName(QStringLiteral("main"));
  setDockNestingEnabled(true);
  pages_ = new QStackedWidget;
  auto* centre = new QWidget;
  auto* centre_layout = new QVBoxLayout{centre};
  centre_layout->setContentsMargins(0, 0, 0, 0);
  centre_layout->setSpacing(0);
  info_ = new InfoBar;
  centre_layout->addWidget(info_);
  centre_layout->addWidget(pages_, 1);
  setCentralWidget(centre);
  watcher_ = new QFileSystemWatcher{this};
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
  scrubber_ = new LoadScrubber;
  canvas_layout->addWidget(scrubber_);
  workload_ = new WorkloadView{session_.document, session_.schema};
  rules_ = new RulesView{session_.document, session_.schema};
  results_ = new ResultsView;
  compare_ = new CompareView;
  tabs_->addTab(canvas_page, tr("Cluster"));
  // In a small window a page scrolls instead of being cut.
  const auto scrolled = [](QWidget* page) {
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(page);
    return area;
  };
  tabs_->addTab(scrolled(workload_), tr("Workload"));
  tabs_->addTab(scrolled(rules_), tr("Policies and faults"));
  tabs_->addTab(scrolled(results_), tr("Results"));
  tabs_->addTab(scrolled(compare_), tr("Compare"));
  tabs_->setMinimumSize(260, 180);
  pages_->addWidget(tabs_);

  makeDocks();
  makeActions();

  state_ = new QLabel;
  progress_ = new QProgressBar;
  progress_->setMaximumWidth(260);
  progress_->hide();
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(state_);

  connectDocument();
  connectRuns();
  for (const Results& kept : session_.results)
    compare_->add(kept);
  if (!session_.results.isEmpty())
    results_->show(session_.results.back());

  if (!session_.results.isEmpty())
    scrubber_->show(session_.results.back());
  resize(session_.settings.value(QStringLiteral("size"), QSize{1400, 900}).toSize());
  restoreState(session_.settings.value(QStringLiteral("docks")).toByteArray());
  retitle();
  showOutline();
  showProblems();
  if (session_.document.text().isEmpty())
    showWelcome();
  else
    showPage(cluster_page);
  QTimer::singleShot(0, this, &MainWindow::offerRecovery);
}

MainWindow::~MainWindow() = default;

void MainWindow::connectDocument()
{
  ScenarioDocument& document = session_.document;
  connect(&document, &ScenarioDocument::fileChanged, this, [this] {
    retitle();
    watchFile();
    if (std::exchange(shown_title_, session_.document.title()) != session_.document.title()) {
      scrubber_->show(nullptr); // loads of another scenario
      scene_->setLoads({});
    }
  });
  connect(watcher_, &QFileSystemWatcher::fileChanged, this, [this] { QTimer::singleShot(200, this, &MainWindow::fileTouched); });
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
  connect(scene_, &TopologyScene::failRequested, this, [this](const QString& what) { faults()->ask(what); });
  connect(&session_.checker, &Checker::checked, this, &MainWindow::showProblems);
  connect(problems_, &ProblemsPanel::chosen, this, [this](int line, int column) {
    if (line > 0)
      editor_->goTo(line, column);
  });
}

void MainWindow::connectRuns()
{
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
      info_->tell(
          tr("The run failed: %1").arg(run.message.isEmpty() ? tr("no reason was given") : run.message.section(QLatin1Char('\n'), 0, 2)));
    else
      tell(tr("The run was cancelled"));
  });
  connect(&session_.loader, &ResultLoader::loaded, this, [this](const Results& results) {
    session_.results.push_back(results);
    results_->show(results);
    scrubber_->show(results);
    compare_->add(results);
    showPage(results_page);
  });
  connect(&session_.loader, &ResultLoader::failed, this, [this](const QString&, const QString& why) { info_->tell(why); });
  connect(results_, &ResultsView::loadsChanged, scene_, &TopologyScene::setLoads);
  connect(scrubber_, &LoadScrubber::timeChosen, results_, &ResultsView::showLoadsAt);
  connect(results_, &ResultsView::timeChosen, scrubber_, &LoadScrubber::setTime);
  connect(results_, &ResultsView::explainRequested, this, &MainWindow::explain);
}

void MainWindow::showProblems()
{
  const QVector<Problem>& problems = session_.checker.problems();
  editor_->setProblems(problems);
  problems_->show(problems);
  int errors = 0;
  for (const Problem& problem : problems)
    errors += problem.severity == Problem::Severity::error ? 1 : 0;
  state_->setText(errors == 0 ? (problems.isEmpty() ? tr("no problems") : tr("%n warnings", nullptr, static_cast<int>(problems.size())))
                              : tr("%n errors", nullptr, errors));
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
    const bool machine = item.kind == CanvasItem::Kind::group || item.kind == CanvasItem::Kind::rack || item.kind == CanvasItem::Kind::node;
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
  // Nothing is open, so there is nothing for the panels to show.
  if (docks_before_.isEmpty()) {
    docks_before_ = saveState();
    for (QDockWidget* dock : findChildren<QDockWidget*>())
      dock->hide();
  }
  pages_->setCurrentIndex(0);
}

void MainWindow::leaveWelcome()
{
  if (!docks_before_.isEmpty())
    restoreState(std::exchange(docks_before_, {}));
  pages_->setCurrentIndex(1);
}

void MainWindow::showEvent(QShowEvent* event)
{
  QMainWindow::showEvent(event);
  if (std::exchange(sized_, true) || session_.settings.contains(QStringLiteral("docks")))
    return;
  // Widths count only once the window is there.
  QTimer::singleShot(0, this, [this] {
    const QByteArray kept = docks_before_;
    if (!kept.isEmpty())
      restoreState(kept);
    resizeDocks({dock(QStringLiteral("text")), dock(QStringLiteral("properties"))}, {width() * 28 / 100, std::clamp(width() / 4, 230, 380)},
                Qt::Horizontal);
    resizeDocks({dock(QStringLiteral("problems"))}, {std::clamp(height() * 3 / 10, 120, 300)}, Qt::Vertical);
    resizeDocks({dock(QStringLiteral("properties")), dock(QStringLiteral("palette"))}, {height() / 2, height() / 5}, Qt::Vertical);
    if (!kept.isEmpty()) {
      docks_before_.clear();
      showWelcome();
    }
  });
}

void MainWindow::showPage(Page page)
{
  leaveWelcome();
  tabs_->setCurrentIndex(page);
}

QString MainWindow::workingFolder() const
{
  return session_.document.file().isEmpty() ? QDir::homePath() : QFileInfo{session_.document.file()}.absolutePath();
}

void MainWindow::run()
{
  session_.queue.add(QFileInfo{session_.document.title()}.completeBaseName(), session_.document.text(), workingFolder());
  dock(QStringLiteral("runs"))->raise();
}

void MainWindow::explain(const QString& folder, const QString& what)
{
  auto* process = new RunProcess{this};
  connect(process, &RunProcess::finished, this, [this, process] {
    process->deleteLater();
    explanation_->setPlainText(process->output().isEmpty() ? process->messages() : process->output());
    dock(QStringLiteral("explanation"))->show();
    dock(QStringLiteral("explanation"))->raise();
  });
  process->start(explain_arguments(folder, what, results_->results()), QDir::homePath());
}

QStringList MainWindow::explain_arguments(const QString& folder, const QString& what, const Results& results)
{
  // Queues and clusters explain things by kind and name, training steps choose with an option.
  QStringList arguments{QStringLiteral("explain")};
  const QString kind = results ? results->summary.value(QLatin1String("kind")).toString() : QString{};
  if (what.isEmpty())
    arguments << folder;
  else if (kind.isEmpty() || kind == QLatin1String("trainyard summary"))
    arguments << folder << QStringLiteral("--job") << what;
  else
    arguments << QStringLiteral("job") << what << folder;
  return arguments << QStringLiteral("--color=never");
}

QString MainWindow::explanation() const
{
  return explanation_->toPlainText();
}

FaultsView* MainWindow::faults()
{
  return rules_->faults();
}

void MainWindow::tell(const QString& message)
{
  statusBar()->showMessage(message, 12'000);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
  if (!mayForget())
    return event->ignore();
  session_.queue.cancelAll();
  session_.document.forgetRecovery();
  session_.settings.setValue(QStringLiteral("size"), size());
  session_.settings.setValue(QStringLiteral("docks"), docks_before_.isEmpty() ? saveState() : docks_before_);
  event->accept();
}

} // namespace trainyard::gui
