// SPDX-License-Identifier: Apache-2.0
// Which panels are shown with which page, their sizes, and the buttons in the status bar that open the bottom panels.
#include "gui/canvas/topology_scene.hpp"
#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/editor/find_bar.hpp"
#include "gui/editor/yaml_editor.hpp"
#include "gui/inspector/inspector_process.hpp"
#include "gui/inspector/inspector_widget.hpp"
#include "gui/panels/import_report.hpp"
#include "gui/panels/problems_panel.hpp"
#include "gui/panels/runs_panel.hpp"
#include "gui/panels/schema_form.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "gui/results/explanation.hpp"
#include "gui/windows/main_window.hpp"

#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace trainyard::gui {
namespace {

/// Only one of them is open at a time, so that none needs a row of tabs and the page keeps the height.
const QStringList& bottom_docks()
{
  static const QStringList names{QStringLiteral("problems"), QStringLiteral("runs"), QStringLiteral("what_if"),
                                 QStringLiteral("explanation"), QStringLiteral("inspector")};
  return names;
}

/// Of the window's height, where the user has not chosen another.
int usual_height(const QString& name, int window_height)
{
  static const QHash<QString, double> shares{{QStringLiteral("problems"), 0.16},
                                             {QStringLiteral("runs"), 0.22},
                                             {QStringLiteral("what_if"), 0.46},
                                             {QStringLiteral("explanation"), 0.38},
                                             {QStringLiteral("inspector"), 0.5}};
  return std::max(90, static_cast<int>(window_height * shares.value(name, 0.3)));
}

} // namespace

MainWindow::Arrangement MainWindow::arrangementOf(int page)
{
  return page == cluster_page                          ? Arrangement::design
         : page == workload_page || page == rules_page ? Arrangement::forms
                                                       : Arrangement::reading;
}

QStringList MainWindow::usualDocks(Arrangement which)
{
  switch (which) {
  case Arrangement::design:
    return {QStringLiteral("text"), QStringLiteral("properties"), QStringLiteral("palette"), QStringLiteral("outline")};
  case Arrangement::forms:
    return {QStringLiteral("text")};
  case Arrangement::none:
  case Arrangement::welcome: // nothing is open, so there is nothing for the panels to show
  case Arrangement::reading: // charts and tables want the whole width
    break;
  }
  return {};
}

QStringList MainWindow::openDocks() const
{
  QStringList names;
  for (const QDockWidget* each : findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly))
    if (!each->isHidden())
      names << each->objectName();
  return names;
}

void MainWindow::arrange(Arrangement which)
{
  if (which == arrangement_)
    return;
  if (arrangement_ != Arrangement::none)
    arranged_[static_cast<int>(arrangement_)] = openDocks();
  const bool whole = std::none_of(bottom_docks().begin(), bottom_docks().end(),
                                  [&](const QString& name) { return dock(name)->isVisible(); });
  if (arrangement_ == Arrangement::design && column_split_ && whole)
    heights_[QStringLiteral("column")] =
        100 * dock(QStringLiteral("properties"))->height() /
        std::max(1, dock(QStringLiteral("properties"))->height() + dock(QStringLiteral("palette"))->height());
  column_split_ = false;
  arrangement_ = which;
  const QStringList wanted = arranged_.value(static_cast<int>(which), usualDocks(which));
  // Of the two that share a place the one shown last would be on top.
  if (dock(QStringLiteral("outline"))->isVisible() || dock(QStringLiteral("palette"))->isVisible())
    outline_on_top_ = !dock(QStringLiteral("outline"))->visibleRegion().isEmpty();
  for (QDockWidget* each : findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly))
    if (each->isHidden() == wanted.contains(each->objectName()))
      each->setVisible(each->isHidden());
  if (outline_on_top_)
    dock(*outline_on_top_ ? QStringLiteral("outline") : QStringLiteral("palette"))->raise();
  sizeDocks();
  for (const QString& name : wanted)
    if (bottom_docks().contains(name))
      resizeDocks({dock(name)}, {heights_.value(name, usual_height(name, height()))}, Qt::Vertical);
}

void MainWindow::sizeDocks()
{
  // Widths count only once the window and the panels are there; from then on they are the user's.
  if (!isVisible() || arrangement_ == Arrangement::welcome || arrangement_ == Arrangement::reading)
    return;
  const bool narrow = width() < 1100; // the page in the middle keeps half of it
  if (!sized_)
    resizeDocks({dock(QStringLiteral("text"))}, {std::clamp(width() * (narrow ? 26 : 30) / 100, 210, 620)},
                Qt::Horizontal);
  if (arrangement_ != Arrangement::design)
    return;
  if (!sized_) {
    resizeDocks({dock(QStringLiteral("properties"))}, {std::clamp(width() * (narrow ? 21 : 23) / 100, 200, 380)},
                Qt::Horizontal);
    dock(QStringLiteral("palette"))->raise();
  }
  sized_ = true;
  QTimer::singleShot(0, this, &MainWindow::splitColumn);
}

void MainWindow::splitColumn()
{
  // Shown again, or after a panel below was open, the panels above each other would have their least heights.
  if (arrangement_ != Arrangement::design)
    return;
  QDockWidget* upper = dock(QStringLiteral("properties"));
  QDockWidget* lower = dock(QStringLiteral("palette"));
  const int whole = upper->height() + lower->height();
  const int share = std::clamp(heights_.value(QStringLiteral("column"), 62), 15, 85); // percent
  resizeDocks({upper, lower}, {whole * share / 100, whole * (100 - share) / 100}, Qt::Vertical);
  column_split_ = true;
}

void MainWindow::openDock(const QString& name)
{
  QDockWidget* wanted = dock(name);
  if (wanted == nullptr)
    return;
  const bool bottom = bottom_docks().contains(name) && !wanted->isFloating();
  if (bottom)
    for (const QString& other : bottom_docks())
      if (QDockWidget* each = dock(other); other != name && !each->isHidden() && !each->isFloating()) {
        heights_[other] = each->height();
        each->hide();
      }
  const bool closed = wanted->isHidden();
  wanted->show();
  if (closed && bottom)
    resizeDocks({wanted}, {heights_.value(name, usual_height(name, height()))}, Qt::Vertical);
  wanted->raise();
}

void MainWindow::makeBottomBar()
{
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout{bar};
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  for (const QString& name : bottom_docks()) {
    QDockWidget* panel = dock(name);
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("open_") + name);
    button->setAutoRaise(true);
    button->setCheckable(true);
    button->setText(panel->windowTitle());
    button->setAccessibleName(panel->windowTitle());
    button->setToolTip(
        tr("Open or close the panel %1 (%2)")
            .arg(panel->windowTitle(), panel->toggleViewAction()->shortcut().toString(QKeySequence::NativeText)));
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, [this, name](bool on) {
      if (on)
        openDock(name);
      else
        dock(name)->hide();
    });
    connect(panel->toggleViewAction(), &QAction::toggled, button, &QToolButton::setChecked);
    connect(panel, &QDockWidget::visibilityChanged, this,
            [this] { QTimer::singleShot(0, this, &MainWindow::splitColumn); });
    connect(panel->toggleViewAction(), &QAction::triggered, this, [this, name](bool on) {
      if (on) {
        dock(name)->hide(); // so that it opens with its height, in place of another one
        openDock(name);
      }
    });
    row->addWidget(button);
    if (name == QLatin1String("problems")) {
      state_ = button;
      button->setMinimumWidth(fontMetrics().horizontalAdvance(QLatin1Char('0')) * 18); // its text changes
    }
  }
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(bar);
  statusBar()->setSizeGripEnabled(false);
}

void MainWindow::focusNextPart()
{
  // The page and the open panels in turn, also out of the text, where the Tab key indents.
  QVector<QWidget*> parts{pages_->currentIndex() == 0 ? pages_->currentWidget() : tabs_->currentWidget()};
  for (QDockWidget* each : findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly))
    if (each->isVisible() && !each->visibleRegion().isEmpty())
      parts.push_back(each->widget());
  int at = -1;
  for (int i = 0; i < parts.size(); ++i)
    if (const QWidget* focus = focusWidget(); focus != nullptr && (focus == parts[i] || parts[i]->isAncestorOf(focus)))
      at = i;
  for (int i = 1; i <= parts.size(); ++i) {
    QWidget* part = parts[(at + i) % parts.size()];
    QVector<QWidget*> inside{part};
    for (QWidget* child : part->findChildren<QWidget*>())
      inside.push_back(child);
    for (QWidget* each : std::as_const(inside))
      if (each->isVisible() && each->isEnabled() && (each->focusPolicy() & Qt::TabFocus) != 0 &&
          qobject_cast<QTabBar*>(each) == nullptr && qobject_cast<QScrollArea*>(each) == nullptr)
        return each->setFocus(Qt::ShortcutFocusReason);
  }
}

void MainWindow::keepLayout()
{
  arranged_[static_cast<int>(arrangement_)] = openDocks();
  session_.settings.setValue(QStringLiteral("size"), size());
  session_.settings.setValue(QStringLiteral("docks"), saveState());
  session_.settings.setValue(QStringLiteral("docks_sized"), sized_);
  for (auto it = arranged_.constBegin(); it != arranged_.constEnd(); ++it)
    session_.settings.setValue(QStringLiteral("arranged/%1").arg(it.key()), it.value());
  for (auto it = heights_.constBegin(); it != heights_.constEnd(); ++it)
    session_.settings.setValue(QStringLiteral("heights/") + it.key(), it.value());
}

void MainWindow::restoreLayout()
{
  QSettings& settings = session_.settings;
  // The first time most of the screen, and never more than it has.
  const QSize screen = this->screen()->availableSize();
  resize(settings.value(QStringLiteral("size"), QSize{1400, 900}.boundedTo(screen * 0.92)).toSize().boundedTo(screen));
  if (restoreState(settings.value(QStringLiteral("docks")).toByteArray()))
    sized_ = settings.value(QStringLiteral("docks_sized")).toBool();
  for (int which = static_cast<int>(Arrangement::design); which <= static_cast<int>(Arrangement::reading); ++which)
    if (const QString key = QStringLiteral("arranged/%1").arg(which); settings.contains(key))
      arranged_[which] = settings.value(key).toStringList();
  QStringList sized = bottom_docks();
  sized << QStringLiteral("column");
  for (const QString& name : std::as_const(sized))
    if (const QString key = QStringLiteral("heights/") + name; settings.contains(key))
      heights_[name] = settings.value(key).toInt();
}

void MainWindow::showEvent(QShowEvent* event)
{
  QMainWindow::showEvent(event);
  QTimer::singleShot(0, this, &MainWindow::sizeDocks);
}

void MainWindow::showWelcome()
{
  arrange(Arrangement::welcome);
  pages_->setCurrentIndex(0);
}

void MainWindow::showPage(Page page)
{
  pages_->setCurrentIndex(1);
  tabs_->setCurrentIndex(page);
  arrange(arrangementOf(page));
}

int MainWindow::page() const
{
  return pages_->currentIndex() == 0 ? -1 : tabs_->currentIndex();
}

namespace {

/// The palette's parts; dragging one carries its name.
class Palette : public QListWidget
{
public:
  explicit Palette(QWidget* parent = nullptr) : QListWidget{parent}
  {
    setDragEnabled(true);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setWordWrap(true);
    setTextElideMode(Qt::ElideNone);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setResizeMode(QListView::Adjust);
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

} // namespace

QDockWidget* MainWindow::makeDock(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area)
{
  auto* dock = new QDockWidget{title, this};
  dock->setObjectName(name);
  content->setMinimumSize(150, 60); // a window of half the size still holds it
  dock->setWidget(content);
  addDockWidget(area, dock);
  return dock;
}

void MainWindow::makeDocks()
{
  editor_ = new YamlEditor;
  editor_->showDocument(session_.document.textDocument());
  editor_->setSchema(session_.schema);
  auto* text = new QWidget;
  auto* text_layout = column_in(text);
  text_layout->setSpacing(0);
  find_ = new FindBar{*editor_};
  text_layout->addWidget(editor_, 1);
  text_layout->addWidget(find_);
  makeDock(QStringLiteral("text"), tr("Scenario text"), text, Qt::LeftDockWidgetArea);

  auto* forms = new QWidget;
  auto* forms_layout = column_in(forms);
  item_form_ = new SchemaForm{session_.document, session_.schema};
  type_form_ = new SchemaForm{session_.document, session_.schema};
  forms_layout->addWidget(item_form_);
  forms_layout->addWidget(type_form_);
  forms_layout->addStretch();
  QDockWidget* properties =
      makeDock(QStringLiteral("properties"), tr("Properties"), scrolled(forms), Qt::RightDockWidgetArea);
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
    item->setIcon(drawn_icon(part.startsWith(QLatin1String("template:")) ? QStringLiteral("network")
                             : part == QLatin1String("switch")           ? QStringLiteral("link")
                                                                         : QStringLiteral("services")));
    item->setToolTip(tr("Drag onto the canvas, or double-click"));
  }
  connect(palette_, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
    scene_->addPart(item->data(Qt::UserRole).toString(), canvas_->mapToScene(canvas_->viewport()->rect().center()));
  });
  QDockWidget* palette = makeDock(QStringLiteral("palette"), tr("Palette"), palette_, Qt::RightDockWidgetArea);
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
  QDockWidget* outline = makeDock(QStringLiteral("outline"), tr("Outline"), outline_, Qt::RightDockWidgetArea);
  splitDockWidget(properties, palette, Qt::Vertical);
  tabifyDockWidget(palette, outline);
  palette->raise();

  import_report_ = new ImportReportView;
  QDockWidget* report =
      makeDock(QStringLiteral("import_report"), tr("Import report"), import_report_, Qt::RightDockWidgetArea);
  tabifyDockWidget(properties, report);
  report->hide();
  properties->raise();

  makeBottomDocks();
}

void MainWindow::makeBottomDocks()
{
  problems_ = new ProblemsPanel;
  QDockWidget* problems = makeDock(QStringLiteral("problems"), tr("Problems"), problems_, Qt::BottomDockWidgetArea);
  runs_ = new RunsPanel{session_.queue};
  connect(runs_, &RunsPanel::openRequested, this, &MainWindow::openResults);
  connect(runs_, &RunsPanel::told, this,
          [this](const QString& name, const QString& words) { QMessageBox::information(this, name, words); });
  QDockWidget* runs = makeDock(QStringLiteral("runs"), tr("Runs"), runs_, Qt::BottomDockWidgetArea);
  what_if_ = new WhatIfPanel{session_.document};
  QScrollArea* what_if_area = scrolled(what_if_);
  what_if_area->setFrameShape(QFrame::NoFrame);
  QDockWidget* what_if = makeDock(QStringLiteral("what_if"), tr("What if"), what_if_area, Qt::BottomDockWidgetArea);
  tabifyDockWidget(problems, runs);
  tabifyDockWidget(runs, what_if);
  explanation_ = new ExplanationPage;
  explanation_->setAccessibleName(tr("Explanation"));
  explanation_->setPlaceholderText(tr("Double-click a job in the table or on the timeline, or press F2."));
  QDockWidget* explanation =
      makeDock(QStringLiteral("explanation"), tr("Explanation"), explanation_, Qt::BottomDockWidgetArea);
  tabifyDockWidget(what_if, explanation);

  // Made when it is first looked at: asking for OpenGL takes a moment.
  inspector_ = new InspectorProcess{this};
  auto* place = new QWidget;
  auto* layout = column_in(place);
  QDockWidget* inspector =
      makeDock(QStringLiteral("inspector"), tr("Engine inspector"), place, Qt::BottomDockWidgetArea);
  tabifyDockWidget(explanation, inspector);
  connect(inspector, &QDockWidget::visibilityChanged, this, [this, layout](bool visible) {
    if (!visible || layout->count() > 0)
      return;
    QWidget* made = make_inspector(*inspector_, session_.document, this);
    if (made == nullptr) {
      auto* words = new QLabel{tr("This program was built without Dear ImGui; simrun inspect shows the same as text.")};
      words->setAlignment(Qt::AlignCenter);
      words->setWordWrap(true);
      made = words;
    }
    layout->addWidget(made);
  });
  problems->raise();
}

} // namespace trainyard::gui
