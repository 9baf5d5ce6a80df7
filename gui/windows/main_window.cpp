// SPDX-License-Identifier: Apache-2.0
#include "gui/windows/main_window.hpp"

#include "gui/canvas/load_scrubber.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/editor/yaml_editor.hpp"
#include "gui/panels/faults_view.hpp"
#include "gui/panels/import_report.hpp"
#include "gui/panels/problems_panel.hpp"
#include "gui/panels/rules_view.hpp"
#include "gui/panels/schema_form.hpp"
#include "gui/panels/workload_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/explanation.hpp"
#include "gui/results/results_view.hpp"
#include "gui/windows/welcome_page.hpp"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QCryptographicHash>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <stdexcept>

namespace trainyard::gui {

MainWindow::MainWindow(Session& session) : session_{session}
{
  setAcceptDrops(true);
  setObjectName(QStringLiteral("main"));
  setDockNestingEnabled(true);
  pages_ = new QStackedWidget;
  auto* centre = new QWidget;
  auto* centre_layout = column_in(centre);
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
  tabs_->setAccessibleName(tr("Pages"));
  tabs_->setDocumentMode(true);
  scene_ = new TopologyScene{session_.document, this};
  canvas_ = new TopologyView{*scene_};
  canvas_note_ = new QLabel;
  canvas_note_->setWordWrap(true);
  auto* canvas_page = new QWidget;
  auto* canvas_layout = column_in(canvas_page);
  canvas_layout->addWidget(canvas_, 1);
  canvas_layout->addWidget(canvas_note_);
  scrubber_ = new LoadScrubber;
  canvas_layout->addWidget(scrubber_);
  workload_ = new WorkloadView{session_.document, session_.schema};
  rules_ = new RulesView{session_.document, session_.schema};
  results_ = new ResultsView;
  compare_ = new CompareView;
  tabs_->addTab(canvas_page, tr("Cluster"));
  for (const auto& [page, title] :
       std::initializer_list<std::pair<QWidget*, QString>>{{workload_, tr("Workload")},
                                                           {rules_, tr("Policies and faults")},
                                                           {results_, tr("Results")},
                                                           {compare_, tr("Compare")}}) {
    QScrollArea* area = scrolled(page);
    area->setFrameShape(QFrame::NoFrame);
    tabs_->addTab(area, title);
  }
  tabs_->setMinimumSize(260, 180);
  pages_->addWidget(tabs_);

  makeDocks();
  makeActions();

  progress_ = new QProgressBar;
  progress_->setMaximumWidth(320);
  progress_->setAccessibleName(tr("Progress of the run"));
  progress_->hide();
  makeBottomBar();
  connect(tabs_, &QTabWidget::currentChanged, this, [this](int page) {
    if (pages_->currentIndex() == 1)
      arrange(arrangementOf(page));
  });

  connectDocument();
  connectRuns();
  compare_->setBaseline(session_.queue.baseline());
  for (const Results& kept : session_.results)
    if (!kept->plan)
      compare_->add(kept);
  if (!session_.results.isEmpty())
    results_->show(session_.results.back());
  compareResults();
  new FocusRing{*this};
  restoreLayout();
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
    compareResults(); // another file, or another name for it
    watchFile();
    if (std::exchange(shown_title_, session_.document.title()) != session_.document.title()) {
      scrubber_->show(nullptr); // loads of another scenario
      scene_->setLoads({});
    }
  });
  connect(watcher_, &QFileSystemWatcher::fileChanged, this,
          [this] { QTimer::singleShot(200, this, &MainWindow::fileTouched); });
  connect(&document, &ScenarioDocument::textChanged, this, &MainWindow::compareResults);
  connect(&document, &ScenarioDocument::opened, this, [this] {
    import_report_->show({}, {}); // it was about another file
    if (QDockWidget* report = dock(QStringLiteral("import_report")); !report->isHidden())
      report->hide();
    look_at_problems_ = true;
    info_->hide(); // it was about another text
  });
  connect(&document, &ScenarioDocument::refused, this, &MainWindow::tell);
  connect(scene_, &TopologyScene::refused, this, &MainWindow::tell);
  connect(scene_, &TopologyScene::told, this, &MainWindow::tell);
  connect(workload_, &WorkloadView::told, this, &MainWindow::tell);
  connect(scene_, &TopologyScene::picked, this, [this](const QString& path, const QString& heading) {
    item_form_->show(path.isEmpty() ? QStringLiteral("cluster.network") : path,
                     path.isEmpty() ? tr("Network") : heading);
    const QString type = path.startsWith(QLatin1String("cluster.nodes"))
                             ? session_.document.value(path + QStringLiteral(".type"))
                             : QString{};
    type_form_->show(type.isEmpty() ? QString{} : QStringLiteral("cluster.node_types.") + type,
                     type.isEmpty() ? QString{} : tr("Machine type: %1").arg(type));
  });
  connect(scene_, &TopologyScene::rebuilt, this, &MainWindow::showOutline);
  connect(scene_, &TopologyScene::failRequested, this, [this](const QString& what) { faults()->ask(what); });
  connect(&session_.checker, &Checker::checked, this, &MainWindow::showProblems);
  connect(problems_, &ProblemsPanel::chosen, this, [this](int line, int column) {
    if (line > 0)
      editor_->goTo(line, column);
  });
}

void MainWindow::loadBaseline()
{
  const QString folder = session_.queue.baseline();
  if (folder.isEmpty() || compare_->runs() == 0 || compare_->has(QFileInfo{folder}.absoluteFilePath()))
    return;
  beside_ = QFileInfo{folder}.absoluteFilePath();
  session_.loader.load(folder);
}

void MainWindow::connectRuns()
{
  RunQueue& queue = session_.queue;
  qApp->installEventFilter(this);
  connect(&queue, &RunQueue::rowsInserted, this, [this] {
    touched_ = false;
    asked_on_ = page();
  });
  connect(&queue, &RunQueue::started, this, [this](int) {
    progress_->setRange(0, 0);
    progress_->show();
    live_rows_.clear();
    live_shown_ = false;
    info_->forget(InfoBar::About::run);
    results_->startLive(tr("running…"));
    scrubber_->show(nullptr);
    action(QStringLiteral("cancel"))->setEnabled(true);
  });
  connect(&queue, &RunQueue::progressed, this, [this](int row) {
    const QueuedRun& run = session_.queue.runs()[row];
    progress_->setRange(0, std::max(1, run.total));
    progress_->setValue(run.done);
    progress_->setFormat(tr("%1 of %2, %3 s left").arg(run.done).arg(run.total).arg(run.left_s, 0, 'f', 1));
    progress_->setMinimumWidth(progress_->fontMetrics().horizontalAdvance(progress_->text() + QStringLiteral("00")));
  });
  connect(&queue, &RunQueue::eventReceived, this, [this](int, const QJsonObject& event) {
    if (event.value(QLatin1String("event")).toString() != QLatin1String("result"))
      return;
    live_rows_.push_back(event);
    if (!std::exchange(live_shown_, true))
      QTimer::singleShot(0, this, [this] { // the curve grows there; a turn of its own, so that reading goes on
        if (session_.queue.isRunning() && !touched_ && page() == asked_on_)
          showPage(results_page);
      });
    if (!live_timer_.isActive())
      live_timer_.start();
  });
  live_timer_.setSingleShot(true);
  live_timer_.setInterval(100); // a chart drawn for every line would take longer than the run
  connect(&live_timer_, &QTimer::timeout, this, [this] {
    if (session_.queue.isRunning())
      results_->showLive(live_rows_,
                         progress_->maximum() > 0 ? tr("running: %1").arg(progress_->text()) : tr("running…"));
  });
  connect(&queue, &RunQueue::ended, this, [this](int row) {
    const QueuedRun& run = session_.queue.runs()[row];
    live_timer_.stop();
    if (!session_.queue.isRunning() && study_ == nullptr) {
      progress_->hide();
      action(QStringLiteral("cancel"))->setEnabled(false);
    }
    tellEnd(run);
    if (run.state != QueuedRun::State::done)
      QTimer::singleShot(0, results_, [this] { // what was there before
        results_->show(results_->results());
        compareResults();
      });
  });
  connectResults();
}

void MainWindow::tellEnd(const QueuedRun& run)
{
  if (run.state == QueuedRun::State::cancelled)
    return tell(tr("The run was cancelled"));
  if (run.state == QueuedRun::State::done) {
    awaited_ << QFileInfo{run.folder}.absoluteFilePath();
    return session_.loader.load(run.folder);
  }
  // The first line names the place; the panel has all of them.
  QVector<QPair<QString, std::function<void()>>> answers;
  if (!session_.checker.problems().isEmpty())
    answers.push_back({tr("Show the problems"), [this] { openDock(QStringLiteral("problems")); }});
  info_->tell(
      tr("The run failed: %1")
          .arg(run.message.isEmpty() ? tr("no reason was given") : run.message.section(QLatin1Char('\n'), 0, 0)),
      answers, InfoBar::About::run);
}

void MainWindow::compareResults()
{
  results_->compareWith(session_.document.text(), session_.document.identity());
}

void MainWindow::showRun()
{
  if (page() == results_page || page() == compare_page)
    return;
  if (!touched_ && page() == asked_on_)
    return showPage(results_page);
  // What is being typed would go to another page.
  info_->tell(tr("The run has ended."), {{tr("Show the results"), [this] { showPage(results_page); }}},
              InfoBar::About::run);
}

/// The wheel scrolls the page under the pointer; a value it changes only where the keyboard is in it already.
static bool wheelBelongsElsewhere(QObject* watched, QEvent& event)
{
  if (event.type() != QEvent::Wheel && event.type() != QEvent::Show)
    return false;
  auto* control = qobject_cast<QWidget*>(watched);
  if (qobject_cast<QComboBox*>(watched) == nullptr && qobject_cast<QAbstractSpinBox*>(watched) == nullptr &&
      (qobject_cast<QAbstractSlider*>(watched) == nullptr || qobject_cast<QScrollBar*>(watched) != nullptr) &&
      qobject_cast<QTabBar*>(watched) == nullptr)
    return false;
  if (event.type() == QEvent::Show && control->focusPolicy() == Qt::WheelFocus)
    control->setFocusPolicy(Qt::StrongFocus);
  if (event.type() != QEvent::Wheel || (control->hasFocus() && qobject_cast<QTabBar*>(watched) == nullptr))
    return false;
  event.ignore(); // so that what it lies on gets it
  return true;
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
  if ((event->type() == QEvent::KeyPress || event->type() == QEvent::MouseButtonPress) && watched->isWidgetType() &&
      static_cast<QWidget*>(watched)->window() == this)
    touched_ = true;
  return wheelBelongsElsewhere(watched, *event) || QMainWindow::eventFilter(watched, event);
}

void MainWindow::connectResults()
{
  connect(&session_.queue, &RunQueue::baselineChanged, this, [this](const QString& folder) {
    compare_->setBaseline(folder);
    loadBaseline();
  });
  connect(&session_.loader, &ResultLoader::loaded, this, [this](const Results& results) {
    if (results->folder == beside_) { // only to be compared with
      beside_.clear();
      session_.results.push_front(results);
      compare_->add(results);
      return;
    }
    session_.results.push_back(results);
    const bool others = results_->results() && results_->results()->folder != results->folder;
    results_->show(results);
    compareResults();
    if (!results->plan)
      compare_->add(results);
    loadBaseline();
    if (others && !explanation_->words().isEmpty()) { // it was about the results before
      explanation_->setExplanation({});
      if (dock(QStringLiteral("explanation"))->isVisible())
        explain({}, {}, {});
    }
    if (awaited_.removeAll(results->folder) > 0)
      showRun();
    else
      showPage(results_page);
    if (results->plan)
      results_->openTab(0); // the designs; a plan has no timeline
    if (results->plan && !results->scenario_text.isEmpty())
      info_->tell(results->plan->met ? tr("The plan found a design.")
                                     : tr("No design meets the goals; the nearest miss is shown."),
                  {{tr("Open it as a scenario"),
                    [this, results] {
                      if (!mayForget())
                        return;
                      session_.document.openUnsaved(results->scenario_text, QStringLiteral("answer.yaml"),
                                                    session_.document.folder());
                      showPage(cluster_page);
                    }}},
                  InfoBar::About::run);
  });
  connect(&session_.loader, &ResultLoader::failed, this, [this](const QString&, const QString& why) {
    beside_.clear();
    info_->tell(why);
  });
  connect(results_, &ResultsView::loadsChanged, scene_, &TopologyScene::setLoads);
  connect(results_, &ResultsView::pointShown, scrubber_, &LoadScrubber::show);
  connect(results_, &ResultsView::detailWanted, this, &MainWindow::simulatePoint);
  connect(scrubber_, &LoadScrubber::timeChosen, results_, &ResultsView::showLoadsAt);
  connect(results_, &ResultsView::timeChosen, scrubber_, &LoadScrubber::setTime);
  connect(results_, &ResultsView::explainRequested, this, &MainWindow::explain);
  connect(results_, &ResultsView::linkChosen, this, [this](const QString& words) {
    Telling told;
    told.lines(words.toStdString());
    showExplanation(told);
  });
  connect(compare_, &CompareView::openRequested, this, [this] { action(QStringLiteral("open_results"))->trigger(); });
  connect(scene_, &TopologyScene::linkPicked, this, [this](const QStringList& links) {
    const Results results = results_->results();
    canvas_note_->setText(links.isEmpty() || !results || results->links.rows.isEmpty()
                              ? scene_->model().note
                              : link_words(*results, links, results_->point()));
    canvas_note_->setVisible(!canvas_note_->text().isEmpty());
  });
}

void MainWindow::showProblems()
{
  const QVector<Problem>& problems = session_.checker.problems();
  editor_->setProblems(problems);
  problems_->show(problems);
  int errors = 0;
  for (const Problem& problem : problems)
    errors += problem.severity == Problem::Severity::error ? 1 : 0;
  state_->setText(errors > 0           ? tr("%n errors", nullptr, errors)
                  : problems.isEmpty() ? tr("No problems")
                                       : tr("%n warnings", nullptr, static_cast<int>(problems.size())));
  QPalette colours = palette();
  if (!problems.isEmpty())
    colours.setColor(QPalette::ButtonText, errors > 0 ? error_colour() : warning_colour());
  state_->setPalette(colours);
  // For a file that was just opened the problems are shown; while typing, their number in the status bar is enough.
  if (look_at_problems_ && errors > 0)
    openDock(QStringLiteral("problems"));
  look_at_problems_ = look_at_problems_ && errors == 0 && session_.checker.isBusy();
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
  setWindowTitle(document.text().isEmpty() ? QStringLiteral("Trainyard")
                                           : tr("%1[*] – Trainyard").arg(document.title()));
  setWindowModified(document.isModified());
  setWindowFilePath(document.file());
}

void MainWindow::showOutline()
{
  outline_->clear();
  auto* machines = new QTreeWidgetItem{QStringList{tr("Machines")}};
  auto* network = new QTreeWidgetItem{QStringList{tr("Network")}};
  outline_->addTopLevelItems({machines, network});
  for (const CanvasItem& item : scene_->model().items) {
    const bool machine = item.kind == CanvasItem::Kind::group || item.kind == CanvasItem::Kind::rack ||
                         item.kind == CanvasItem::Kind::node;
    auto* row =
        new QTreeWidgetItem{machine ? machines : network,
                            {(item.count > 1 ? QStringLiteral("%1 ×%2").arg(item.label).arg(item.count) : item.label) +
                             (item.detail.isEmpty() ? QString{} : QStringLiteral(" (%1)").arg(item.detail))}};
    row->setData(0, Qt::UserRole, item.id);
  }
  outline_->expandAll();
  canvas_note_->setText(scene_->model().note);
  canvas_note_->setVisible(!scene_->model().note.isEmpty());
}

bool MainWindow::isOpen()
{
  const bool open = !session_.document.text().trimmed().isEmpty();
  if (!open)
    info_->tell(tr("No scenario is open: choose an example, open a file, or begin with New scenario (%1).")
                    .arg(action(QStringLiteral("new"))->shortcut().toString(QKeySequence::NativeText)));
  return open;
}

void MainWindow::run()
{
  if (!isOpen())
    return;
  session_.queue.setIdentity(session_.document.identity());
  session_.queue.add(QFileInfo{session_.document.title()}.completeBaseName(), session_.document.text(),
                     session_.document.folder());
}

void MainWindow::simulatePoint(const Results& results, const QString& point)
{
  // A run keeps the timeline of its last point; that of another one is made now, in a folder beside.
  if (point_run_ != nullptr) {
    point_run_->disconnect(this);
    point_run_->cancel();
    point_run_->deleteLater();
  }
  auto* process = point_run_ = new RunProcess{this};
  const QString folder =
      state_folder(QStringLiteral("points")) +
      QStringLiteral("/%1-%2").arg(
          QFileInfo{results->folder}.fileName(),
          QString::fromLatin1(QCryptographicHash::hash(point.toUtf8(), QCryptographicHash::Sha1).toHex().left(12)));
  connect(process, &RunProcess::finished, this, [this, process, results, point, folder] {
    process->deleteLater();
    point_run_ = nullptr;
    try {
      if (process->state() != RunProcess::State::done)
        throw std::runtime_error{process->messages().toStdString()};
      results_->addDetail(results, point, std::make_shared<const ResultsData>(read_results(folder)));
    } catch (const std::exception& failure) {
      results_->addDetail(results, point, nullptr,
                          QString::fromUtf8(failure.what()).trimmed().section(QLatin1Char('\n'), 0, 1));
    }
    QDir{folder}.removeRecursively();
  });
  process->start({QStringLiteral("run"), results->folder + QStringLiteral("/manifest.json"), QStringLiteral("--point"),
                  point, QStringLiteral("-o"), folder, QStringLiteral("--no-plots"), QStringLiteral("--progress=none"),
                  QStringLiteral("--color=never")},
                 session_.document.folder());
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
  if (session_.queue.isRunning() &&
      QMessageBox::question(this, tr("A run is going on"), tr("A run is not finished. Stop it and quit?"),
                            QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Cancel) != QMessageBox::Discard)
    return event->ignore();
  session_.queue.cancelAll();
  session_.document.forgetRecovery();
  keepLayout();
  event->accept();
}

} // namespace trainyard::gui
