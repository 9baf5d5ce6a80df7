// SPDX-License-Identifier: Apache-2.0
#include "gui/windows/main_window.hpp"

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

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QScrollArea>
#include <QTreeWidget>
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
