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

QAction* MainWindow::add(const QString& name, const QString& text, const QKeySequence& keys,
                         const std::function<void()>& run, QMenu* menu)
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
    add(
        replace ? QStringLiteral("replace") : QStringLiteral("find"),
        replace ? tr("&Replace in the text…") : tr("&Find in the text…"),
        QKeySequence{replace ? QStringLiteral("Ctrl+H") : QStringLiteral("Ctrl+F")},
        [this, replace] {
          dock(QStringLiteral("text"))->show();
          find_->open(replace);
        },
        edit);
  edit->addSeparator();
  add(
      QStringLiteral("remove"), tr("Remove from the &canvas"), {}, [this] { scene_->removeSelected(); }, edit);
  add(
      QStringLiteral("layout"), tr("&Lay out the canvas"), QKeySequence{QStringLiteral("Ctrl+L")},
      [this] { scene_->layOut(); }, edit);
  QAction* link = add(
      QStringLiteral("link"), tr("Draw l&inks"), QKeySequence{QStringLiteral("Ctrl+Shift+L")},
      [this] { scene_->setLinkMode(action(QStringLiteral("link"))->isChecked()); }, edit);
  link->setCheckable(true);
  makeCanvasActions(edit->addMenu(tr("On the canv&as")));
  add(
      QStringLiteral("paste_jobs"), tr("Paste &jobs"), QKeySequence{QStringLiteral("Ctrl+Shift+V")},
      [this] {
        showPage(workload_page);
        workload_->paste();
      },
      edit);

  add(
      QStringLiteral("fail"), tr("Make something &fail…"), QKeySequence{QStringLiteral("Ctrl+Shift+F")},
      [this] {
        QString what = QStringLiteral("node:");
        if (const auto selected = scene_->selectedItems();
            selected.size() == 1 && selected.front()->type() == TopologyItem::Type)
          if (const QString name = TopologyScene::failure_of(static_cast<TopologyItem*>(selected.front())->item());
              !name.isEmpty())
            what = name;
        faults()->ask(what);
      },
      edit);

  QMenu* run_menu = menuBar()->addMenu(tr("&Run"));
  add(
      QStringLiteral("run"), tr("&Run"), QKeySequence{Qt::Key_F5}, [this] { run(); }, run_menu);
  QAction* cancel_action = add(
      QStringLiteral("cancel"), tr("&Cancel"), QKeySequence{QStringLiteral("Shift+F5")},
      [this] {
        session_.queue.cancelAll();
        if (study_ != nullptr)
          study_->cancel();
      },
      run_menu);
  cancel_action->setEnabled(session_.queue.isRunning());
  add(
      QStringLiteral("plan"), tr("&Plan: find the best design…"), QKeySequence{Qt::Key_F7}, [this] { plan(); },
      run_menu);
  add(
      QStringLiteral("sensitivity"), tr("Sensiti&vity: what the answer depends on"),
      QKeySequence{QStringLiteral("Shift+F7")}, [this] { studySensitivity(); }, run_menu);
  add(
      QStringLiteral("layouts"), tr("&Layouts: ways to divide the transformer…"),
      QKeySequence{QStringLiteral("Ctrl+F7")}, [this] { showLayouts(); }, run_menu);
  add(
      QStringLiteral("score"), tr("Sc&ore: compare with measurements…"), {}, [this] { chooseScore(); }, run_menu);
  add(
      QStringLiteral("explain"), tr("E&xplain the result"), QKeySequence{Qt::Key_F2},
      [this] {
        explain({}, {}, {}); // the run as a whole
      },
      run_menu);
  add(
      QStringLiteral("inspect"), tr("&Step through the simulation"), QKeySequence{Qt::Key_F6},
      [this] {
        if (!isOpen())
          return;
        openDock(QStringLiteral("inspector"));
        inspector_->start(session_.document.text(), session_.document.folder());
      },
      run_menu);
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
        const QString chosen =
            QFileDialog::getOpenFileName(this, tr("Open a scenario"), {},
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
      QStringLiteral("save_as"), tr("Save &as…"), QKeySequence{QStringLiteral("Ctrl+Shift+S")}, [this] { saveAs(); },
      file);
  add(
      QStringLiteral("export"), tr("&Export picture…"), QKeySequence{QStringLiteral("Ctrl+E")},
      [this] { exportPicture(); }, file);
  add(
      QStringLiteral("report"), tr("Export re&port…"), QKeySequence{QStringLiteral("Ctrl+Shift+E")},
      [this] { exportReport(); }, file);
  add(
      QStringLiteral("export_as"), tr("Export for another &tool…"), {}, [this] { chooseExport(); }, file);
  file->addSeparator();
  add(
      QStringLiteral("welcome"), tr("&Welcome page"), {}, [this] { showWelcome(); }, file);
  add(
      QStringLiteral("quit"), tr("&Quit"), QKeySequence{QStringLiteral("Ctrl+Q")}, [this] { close(); }, file);
}

void MainWindow::makeCanvasActions(QMenu* menu)
{
  // Their keys work on the canvas alone: in the text they mean letters.
  const auto add_here = [&](const char* name, const QString& text, const QKeySequence& keys,
                            const std::function<void()>& run) {
    QAction* made = add(QLatin1String(name), text, keys, run, menu);
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
    add(
        QStringLiteral("page_%1").arg(i), pages[i], QKeySequence{QStringLiteral("Ctrl+%1").arg(i + 1)},
        [this, i] { showPage(static_cast<Page>(i)); }, view);
  add(
      QStringLiteral("table_twin"), tr("Chart or &table"), QKeySequence{QStringLiteral("Ctrl+T")},
      [this] {
        // Every chart in sight, whichever page or panel it is on, and back.
        bool any_chart = false;
        const QList<Chart*> charts = findChildren<Chart*>();
        for (const Chart* each : charts)
          any_chart = any_chart || (each->isVisible() && !each->isTable());
        for (Chart* each : charts)
          if (each->isVisible())
            each->showTable(any_chart);
      },
      view);
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
  add(
      QStringLiteral("next_part"), tr("&Next part of the window"), QKeySequence{Qt::Key_F8},
      [this] { focusNextPart(); }, view);
  view->addSeparator();
  QMenu* theme = view->addMenu(tr("&Theme"));
  for (const auto& [name, label] :
       QVector<QPair<QString, QString>>{{QStringLiteral("system"), tr("Same as the desktop")},
                                        {QStringLiteral("light"), tr("Light")},
                                        {QStringLiteral("dark"), tr("Dark")}})
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
  for (const auto& [name, label] :
       QVector<QPair<QString, QString>>{{QStringLiteral("en"), QStringLiteral("English")},
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
}

void MainWindow::makeHelpActions(QMenu* help)
{
  add(
      QStringLiteral("palette"), tr("&Commands…"), QKeySequence{QStringLiteral("Ctrl+K")},
      [this] {
        CommandPalette dialog{actions(), this};
        dialog.exec();
      },
      help);
  add(
      QStringLiteral("shortcuts"), tr("&Keys"), QKeySequence{QStringLiteral("F1")}, [this] { showKeys(); }, help);
  add(
      QStringLiteral("about"), tr("&About Trainyard"), {},
      [this] {
        QMessageBox::about(
            this, tr("About Trainyard"),
            tr("<h3>Trainyard</h3><p>Cluster simulator and capacity planner for distributed deep-learning training.</p>"
               "<p>The sources are under the Apache License 2.0. This program links Qt Charts, which is under the GNU "
               "General Public License 3, "
               "so this program as a whole is under that licence; Qt itself is used under the LGPL 3, Dear ImGui under "
               "the "
               "MIT licence.</p>"));
      },
      help);
}

} // namespace trainyard::gui
