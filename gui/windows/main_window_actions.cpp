// SPDX-License-Identifier: Apache-2.0
#include "gui/windows/main_window.hpp"

#include "gui/canvas/minimap.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/editor/find_bar.hpp"
#include "gui/inspector/inspector_process.hpp"
#include "gui/panels/faults_view.hpp"
#include "gui/panels/rules_view.hpp"
#include "gui/panels/workload_view.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/results_view.hpp"
#include "gui/windows/command_palette.hpp"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QToolBar>
#include <QToolButton>
#include <QUndoStack>

namespace trainyard::gui {
namespace {

const char* const blank_scenario = "trainyard: 1\nname: untitled\n"
                                   "question: how many images per second do eight GPUs train?\n"
                                   "cluster:\n  node_types:\n    worker: {gpu: V100-SXM2-16GB, gpus: 8}\n  nodes:\n    "
                                   "- {name: worker, type: worker, count: 4}\n"
                                   "  network: {topology: star, link: 25GbE}\njobs:\n  - {name: train, model: "
                                   "resnet50, batch_per_gpu: 32, workers: 8, training: {mode: "
                                   "all_reduce}}\n";

} // namespace

QAction* MainWindow::add(QMenu* menu, QAnyStringView name, const QString& text, const QKeySequence& keys,
                         const std::function<void()>& run)
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
  makeFileActions(menuBar()->addMenu(tr("&File")));

  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  QUndoStack* undo = session_.document.undoStack();
  QAction* undo_action = undo->createUndoAction(this, tr("&Undo"));
  undo_action->setShortcut(QKeySequence::Undo);
  undo_action->setObjectName(QStringLiteral("undo"));
  QAction* redo_action = undo->createRedoAction(this, tr("&Redo"));
  redo_action->setShortcuts({QKeySequence{QStringLiteral("Ctrl+Y")}, QKeySequence{QStringLiteral("Ctrl+Shift+Z")}});
  redo_action->setObjectName(QStringLiteral("redo"));
  edit->addAction(undo_action);
  edit->addAction(redo_action);
  addAction(undo_action);
  addAction(redo_action);
  // On the tool bar always the same words: a bar that changes its width lays the whole window out with every letter.
  undo_action->setIconText(tr("Undo"));
  redo_action->setIconText(tr("Redo"));
  edit->addSeparator();
  for (const bool replace : {false, true})
    add(edit, replace ? "replace" : "find", replace ? tr("&Replace in the text…") : tr("&Find in the text…"),
        QKeySequence{replace ? "Ctrl+H" : "Ctrl+F"}, [this, replace] {
          dock(QStringLiteral("text"))->show();
          find_->open(replace);
        });
  edit->addSeparator();
  add(edit, "remove", tr("Remove from the &canvas"), {}, [this] { scene_->removeSelected(); });
  add(edit, "layout", tr("&Lay out the canvas"), QKeySequence{"Ctrl+L"}, [this] { scene_->layOut(); });
  QAction* link = add(edit, "link", tr("Draw l&inks"), QKeySequence{"Ctrl+Shift+L"},
                      [this] { scene_->setLinkMode(action(QStringLiteral("link"))->isChecked()); });
  link->setCheckable(true);
  makeCanvasActions(edit->addMenu(tr("On the canv&as")));
  add(edit, "paste_jobs", tr("Paste &jobs"), QKeySequence{"Ctrl+Shift+V"}, [this] {
    showPage(workload_page);
    workload_->paste();
  });

  add(edit, "fail", tr("Make something &fail…"), QKeySequence{"Ctrl+Shift+F"}, [this] {
    QString what = QStringLiteral("node:");
    if (const auto selected = scene_->selectedItems();
        selected.size() == 1 && selected.front()->type() == TopologyItem::Type)
      if (const QString name = TopologyScene::failure_of(static_cast<TopologyItem*>(selected.front())->item());
          !name.isEmpty())
        what = name;
    faults()->ask(what);
  });

  QMenu* run_menu = menuBar()->addMenu(tr("&Run"));
  add(run_menu, "run", tr("&Run"), QKeySequence{Qt::Key_F5}, [this] { run(); });
  QAction* cancel_action = add(run_menu, "cancel", tr("&Cancel"), QKeySequence{"Shift+F5"}, [this] {
    session_.queue.cancelAll();
    if (study_ != nullptr)
      study_->cancel();
  });
  cancel_action->setEnabled(session_.queue.isRunning());
  add(run_menu, "plan", tr("&Plan: find the best design…"), QKeySequence{Qt::Key_F7}, [this] { plan(); });
  add(run_menu, "sensitivity", tr("Sensiti&vity: what the answer depends on"), QKeySequence{"Shift+F7"},
      [this] { studySensitivity(); });
  add(run_menu, "layouts", tr("&Layouts: ways to divide the transformer…"), QKeySequence{"Ctrl+F7"},
      [this] { showLayouts(); });
  QMenu* divide = run_menu->addMenu(tr("&Divide the first job among its GPUs"));
  for (const auto& [name, words, key] :
       {std::tuple{"fsdp", tr("FSDP, ZeRO-3: replicas share weights, gradients and optimiser (parallel.zero: 3)"),
                   "zero: 3"},
        {"ddp", tr("DDP: every replica holds all (parallel.zero: 0)"), "zero: 0"},
        {"tensor", tr("Tensor parallel: 2 GPUs share every matrix (parallel.tp: 2)"), "tp: 2"},
        {"pipeline", tr("Pipeline: 2 stages of layers (parallel.pp: 2)"), "pp: 2"}})
    add(divide, name, words, {}, [this, key = QString::fromLatin1(key), words = words] { divideJob(key, words); });
  add(run_menu, "score", tr("Sc&ore: compare with measurements…"), {}, [this] { chooseScore(); });
  add(run_menu, "explain", tr("E&xplain the result"), QKeySequence{Qt::Key_F2}, [this] {
    explain({}, {}, {}); // the run as a whole
  });
  add(run_menu, "inspect", tr("&Step through the simulation"), QKeySequence{Qt::Key_F6}, [this] {
    if (!isOpen())
      return;
    openDock(QStringLiteral("inspector"));
    inspector_->start(session_.document.text(), session_.document.folder());
  });
  makeViewActions(menuBar()->addMenu(tr("&View")));
  makeHelpActions(menuBar()->addMenu(tr("&Help")));

  makeToolBar();
}

void MainWindow::makeToolBar()
{
  QToolBar* bar = addToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("tools"));
  bar->setMovable(false);
  bar->setIconSize({20, 20});
  // What most people come for has a word beside its picture; the rest tells it when pointed at.
  struct Tool {
    const char* action;
    const char* icon;
    bool word;
  };
  static constexpr Tool tools[]{{"new", "new", false},      {"open", "open", true},  {"save", "save", true},
                                {nullptr, nullptr, false},  {"run", "run", true},    {"cancel", "stop", false},
                                {nullptr, nullptr, false},  {"undo", "undo", false}, {"redo", "redo", false},
                                {nullptr, nullptr, false},  {"link", "link", false}, {"layout", "layout", false},
                                {"export", "export", false}};
  for (const Tool& tool : tools) {
    if (tool.action == nullptr) {
      bar->addSeparator();
      continue;
    }
    QAction* made = action(QLatin1String(tool.action));
    made->setIcon(drawn_icon(QLatin1String(tool.icon)));
    const QString words = plain_words(made->text()).remove(QStringLiteral("…"));
    if (made->objectName() != QLatin1String("undo") && made->objectName() != QLatin1String("redo"))
      made->setIconText(words);
    made->setToolTip(
        made->shortcut().isEmpty()
            ? words
            : QStringLiteral("%1 (%2)").arg(made->iconText(), made->shortcut().toString(QKeySequence::NativeText)));
    bar->addAction(made);
    if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(made)); button != nullptr) {
      button->setToolButtonStyle(tool.word ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
      button->setAccessibleName(made->iconText());
    }
  }
}

void MainWindow::makeFileActions(QMenu* file)
{
  add(file, "new", tr("&New scenario"), QKeySequence::New, [this] {
    if (mayForget()) {
      session_.document.openText(QString::fromLatin1(blank_scenario), {});
      showPage(cluster_page);
    }
  });
  add(file, "open", tr("&Open…"), QKeySequence::Open, [this] {
    const QString chosen = QFileDialog::getOpenFileName(
        this, tr("Open a scenario"), {}, tr("Scenarios (*.yaml *.yml);;Manifests and results (*.json);;All files (*)"));
    if (!chosen.isEmpty())
      openFile(chosen);
  });
  QMenu* recent = file->addMenu(tr("Open &recent"));
  connect(recent, &QMenu::aboutToShow, this, [this, recent] {
    recent->clear();
    for (const QString& each : session_.recentFiles())
      recent->addAction(each, this, [this, each] { openFile(each); });
    if (recent->isEmpty())
      recent->addAction(tr("nothing yet"))->setEnabled(false);
  });
  add(file, "open_results", tr("Open &results folder…"), {}, [this] {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a results folder"));
    if (!folder.isEmpty())
      openResults(folder);
  });
  add(file, "import", tr("&Import compose, Kubernetes, Slurm, NCCL…"), QKeySequence{"Ctrl+I"}, [this] {
    if (const QStringList chosen = QFileDialog::getOpenFileNames(this, tr("Import")); !chosen.isEmpty())
      importFiles(chosen);
  });
  file->addSeparator();
  add(file, "save", tr("&Save"), QKeySequence::Save, [this] { save(); });
  add(file, "save_as", tr("Save &as…"), QKeySequence{"Ctrl+Shift+S"}, [this] { saveAs(); });
  add(file, "export", tr("&Export picture…"), QKeySequence{"Ctrl+E"}, [this] { exportPicture(); });
  add(file, "report", tr("Export re&port…"), QKeySequence{"Ctrl+Shift+E"}, [this] { exportReport(); });
  add(file, "export_as", tr("Export for another &tool…"), {}, [this] { chooseExport(); });
  file->addSeparator();
  add(file, "welcome", tr("&Welcome page"), {}, [this] { showWelcome(); });
  add(file, "quit", tr("&Quit"), QKeySequence{"Ctrl+Q"}, [this] { close(); });
}

void MainWindow::makeCanvasActions(QMenu* menu)
{
  // Their keys work on the canvas alone: in the text they mean letters.
  const auto add_here = [&](const char* name, const QString& text, const QKeySequence& keys,
                            const std::function<void()>& run) {
    QAction* made = add(menu, name, text, keys, run);
    made->setShortcutContext(Qt::WidgetShortcut);
    canvas_->addAction(made);
    return made;
  };
  using Alignment = TopologyScene::Alignment;
  add_here("canvas_copy", tr("&Copy machines and switches"), QKeySequence::Copy, [this] { scene_->copySelected(); });
  add_here("canvas_paste", tr("&Paste machines and switches"), QKeySequence::Paste, [this] { scene_->paste(); });
  add_here("duplicate", tr("&Duplicate"), QKeySequence{QStringLiteral("Ctrl+D")},
           [this] { scene_->duplicateSelected(); });
  menu->addSeparator();
  add_here("align_row", tr("Align in a &row"), QKeySequence{Qt::Key_R}, [this] { scene_->align(Alignment::row); });
  add_here("align_column", tr("Align in a c&olumn"), QKeySequence{Qt::Key_C},
           [this] { scene_->align(Alignment::column); });
  add_here("spread", tr("Equal d&istances"), QKeySequence{Qt::Key_E}, [this] { scene_->align(Alignment::spread); });
  menu->addSeparator();
  add_here("link_selected", tr("&Link what is selected"), QKeySequence{Qt::Key_L}, [this] { scene_->linkSelected(); });
  QAction* map = add_here("minimap", tr("&Map of the whole canvas"), QKeySequence{Qt::Key_N},
                          [this] { canvas_->minimap()->setWanted(action(QStringLiteral("minimap"))->isChecked()); });
  map->setCheckable(true);
  map->setChecked(canvas_->minimap()->isWanted());
}

void MainWindow::makeViewActions(QMenu* view)
{
  const QStringList pages{tr("Cluster"), tr("Workload"), tr("Policies and faults"), tr("Results"), tr("Compare")};
  for (int i = 0; i < pages.size(); ++i)
    add(view, QStringLiteral("page_%1").arg(i), pages[i], QKeySequence{QStringLiteral("Ctrl+%1").arg(i + 1)},
        [this, i] { showPage(static_cast<Page>(i)); });
  add(view, "table_twin", tr("Chart or &table"), QKeySequence{"Ctrl+T"}, [this] {
    // Every chart in sight, whichever page or panel it is on, and back.
    bool any_chart = false;
    const QList<Chart*> charts = findChildren<Chart*>();
    for (const Chart* each : charts)
      any_chart = any_chart || (each->isVisible() && !each->isTable());
    for (Chart* each : charts)
      if (each->isVisible())
        each->showTable(any_chart);
  });
  view->addSeparator();
  // Every panel by a key: Alt and a digit.
  QMenu* panels = view->addMenu(tr("&Panels"));
  const QStringList names{QStringLiteral("text"),         QStringLiteral("properties"),  QStringLiteral("palette"),
                          QStringLiteral("outline"),      QStringLiteral("problems"),    QStringLiteral("runs"),
                          QStringLiteral("what_if"),      QStringLiteral("explanation"), QStringLiteral("inspector"),
                          QStringLiteral("import_report")};
  for (int i = 0; i < names.size(); ++i) {
    QAction* toggle = dock(names[i])->toggleViewAction();
    toggle->setObjectName(QStringLiteral("panel_") + names[i]);
    toggle->setShortcut(QKeySequence{QStringLiteral("Alt+%1").arg((i + 1) % 10)});
    addAction(toggle);
    panels->addAction(toggle);
  }
  add(view, "next_part", tr("&Next part of the window"), QKeySequence{Qt::Key_F8}, [this] { focusNextPart(); });
  view->addSeparator();
  QMenu* theme = view->addMenu(tr("&Theme"));
  for (const auto& [name, label] :
       QVector<QPair<QString, QString>>{{QStringLiteral("system"), tr("Same as the desktop")},
                                        {QStringLiteral("light"), tr("Light")},
                                        {QStringLiteral("dark"), tr("Dark")}})
    add(theme, QStringLiteral("theme_") + name, label, {}, [this, name = name] {
      session_.settings.setValue(QStringLiteral("theme"), name);
      apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), theme_of(name));
    });
  QMenu* size = view->addMenu(tr("Text &size"));
  for (const int percent : {80, 100, 125, 150, 200})
    add(size, QStringLiteral("size_%1").arg(percent), QStringLiteral("%1 %").arg(percent), {}, [this, percent] {
      session_.settings.setValue(QStringLiteral("text_size"), percent);
      QFont font = QApplication::font();
      font.setPointSizeF(9.5 * percent / 100.0);
      QApplication::setFont(font);
      emit remakeRequested();
    });
  QMenu* language = view->addMenu(tr("&Language"));
  for (const auto& [name, label] :
       QVector<QPair<QString, QString>>{{QStringLiteral("en"), QStringLiteral("English")},
                                        {QStringLiteral("ru"), QStringLiteral("Русский")},
                                        {QStringLiteral("zh_CN"), QStringLiteral("简体中文")}})
    add(language, QStringLiteral("language_") + name, label, {}, [this, name = name] {
      session_.settings.setValue(QStringLiteral("language"), name);
      session_.useLanguage(name);
      emit remakeRequested();
    });
}

void MainWindow::makeHelpActions(QMenu* help)
{
  add(help, "palette", tr("&Commands…"), QKeySequence{"Ctrl+K"}, [this] {
    CommandPalette dialog{actions(), this};
    dialog.exec();
  });
  add(help, "shortcuts", tr("&Keys"), QKeySequence{"F1"}, [this] { showKeys(); });
  add(help, "about", tr("&About Trainyard"), {}, [this] {
    QMessageBox::about(
        this, tr("About Trainyard"),
        tr("<h3>Trainyard</h3><p>Cluster simulator and capacity planner for distributed deep-learning training.</p>"
           "<p>The sources are under the Apache License 2.0. This program links Qt Charts, which is under the GNU "
           "General Public License 3, so this program as a whole is under that licence; Qt itself is used under the "
           "LGPL 3, Dear ImGui under the MIT licence.</p>"));
  });
}

} // namespace trainyard::gui
