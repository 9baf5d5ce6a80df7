// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/workload_view.hpp"

#include "gui/core/rate_text.hpp"
#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "gui/panels/arrivals_view.hpp"
#include "gui/panels/schema_form.hpp"
#include "gui/results/chart_view.hpp"
#include "models/core/quantity_text.hpp"
#include "models/dnn/builder.hpp"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <exception>

namespace trainyard::gui {

WorkloadView::WorkloadView(ScenarioDocument& document, Schema& schema, QWidget* parent)
    : QWidget{parent}, document_{document}, pages_{new QTabWidget}, arrivals_{new ArrivalsView{document, schema}},
      model_{new JobsModel{document, this}}, table_{new QTableView}, job_{new SchemaForm{document, schema}},
      training_{new SchemaForm{document, schema}}, layers_{new Chart}, facts_{new QLabel}
{
  auto* outer = column_in(this);
  pages_->setDocumentMode(true);
  pages_->setAccessibleName(tr("Pages of the workload"));
  outer->addWidget(pages_);
  auto* sheet = new QWidget;
  pages_->addTab(sheet, tr("Jobs"));
  pages_->addTab(arrivals_, tr("Trace or generated jobs"));
  auto* layout = new QVBoxLayout{sheet};
  auto* buttons = new QHBoxLayout;
  auto* add = new QPushButton{tr("Add job")};
  auto* remove = new QPushButton{tr("Remove job")};
  auto* paste = new QPushButton{tr("Paste rows")};
  paste->setToolTip(tr("Rows from a spreadsheet; a first row may name the columns"));
  for (QPushButton* button : {add, remove, paste})
    buttons->addWidget(button);
  buttons->addStretch();
  layout->addLayout(buttons);
  auto* across = new QSplitter{Qt::Vertical};
  layout->addWidget(across, 1);
  set_up(*table_, model_, tr("Jobs"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setAlternatingRowColors(true);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setStretchLastSection(true);
  across->addWidget(table_);
  auto* below = new QSplitter{Qt::Horizontal};
  for (SchemaForm* form : {job_, training_}) {
    QScrollArea* scroll = scrolled(form);
    scroll->setMinimumWidth(238);
    below->addWidget(scroll);
  }
  auto* network = new QWidget;
  auto* network_layout = column_in(network);
  facts_->setWordWrap(true);
  network_layout->addWidget(facts_);
  network_layout->addWidget(layers_, 1);
  network->setMinimumWidth(155); // a small window cuts the picture, not the page
  below->addWidget(network);
  below->setSizes({240, 240, 460});
  across->addWidget(below);
  across->setSizes({130, 470});
  connect(add, &QPushButton::clicked, model_, &JobsModel::addJob);
  connect(remove, &QPushButton::clicked, this, [this] {
    if (const QModelIndex at = table_->currentIndex(); at.isValid())
      model_->removeJob(at.row());
  });
  connect(paste, &QPushButton::clicked, this, &WorkloadView::paste);
  auto* shortcut = new QShortcut{QKeySequence::Paste, table_};
  shortcut->setContext(Qt::WidgetShortcut);
  connect(shortcut, &QShortcut::activated, this, &WorkloadView::paste);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) { choose(now.isValid() ? now.row() : -1); });
  connect(model_, &QAbstractItemModel::modelReset, this, [this] {
    if (model_->rowCount() > 0)
      table_->selectRow(0);
    else
      choose(-1); // no forms of a job that is not there
  });
  connect(&document_, &ScenarioDocument::treeChanged, this, &WorkloadView::showLayers);
  connect(&document_, &ScenarioDocument::fileChanged, this, [this, last = QString{}]() mutable {
    if (std::exchange(last, document_.title()) != document_.title()) // another scenario: what it has is shown first
      pages_->setCurrentIndex(arrivals_->hasWorkload() ? 1 : 0);
  });
  if (model_->rowCount() > 0)
    table_->selectRow(0);
}

void WorkloadView::choose(int row)
{
  if (row < 0) {
    job_->show({}, {});
    training_->show({}, {});
    return;
  }
  const QString path = QStringLiteral("jobs.%1").arg(row);
  job_->show(path, tr("Job %1").arg(document_.value(path + QStringLiteral(".name"))));
  training_->show(path + QStringLiteral(".training"), tr("How the job trains"));
  showLayers();
}

void WorkloadView::showLayers()
{
  const int row = table_->currentIndex().isValid() ? table_->currentIndex().row() : 0;
  const QString name = document_.value(QStringLiteral("jobs.%1.model").arg(row));
  if (name == shown_model_ && !name.isEmpty())
    return;
  shown_model_ = name;
  layers_->setVisible(!name.isEmpty());
  if (name.isEmpty()) {
    QStringList others;
    for (const char* key : {"services", "task_environment", "graph", "gpu_memory"})
      if (document_.tree().root.find(key) != nullptr)
        others << key_words(QLatin1String(key));
    QString words = tr("A training job shows the layers of its model here. “Add job” adds one.");
    if (!others.isEmpty())
      words += QLatin1Char('\n') + tr("The forms of %1 are on the page Policies and faults, below All settings.")
                                       .arg(others.join(QStringLiteral(", ")));
    facts_->setText(words);
    layers_->setSeries({}, {}, tr("layer"), tr("MB"));
    return;
  }
  try {
    const Dnn dnn = build_dnn(name.toStdString());
    Series gradients{tr("gradient"), {}, false, {}};
    Series work{tr("forward work, Gflop per sample"), {}, false, {}};
    double parameters = 0;
    double flop = 0;
    int index = 0;
    for (const Layer& layer : dnn.layers) {
      double elements = 0;
      for (const ParameterTensor& tensor : layer.parameters)
        elements += tensor.elements;
      gradients.points.push_back({static_cast<double>(index), elements * 4 / 1e6});
      work.points.push_back({static_cast<double>(index), layer.forward.value() / 1e9});
      parameters += elements;
      flop += layer.forward.value();
      ++index;
    }
    facts_->setText(
        tr("%1: %2 layers, %3 parameters, %4 of gradients in 32 bits, %5 forward per sample")
            .arg(name)
            .arg(dnn.layers.size())
            .arg(parameters < 1e9 ? tr("%1 million").arg(parameters / 1e6, 0, 'g', 4)
                                  : tr("%1 billion").arg(parameters / 1e9, 0, 'g', 4))
            .arg(in_units(QString::fromStdString(to_text(parameters * 4, QuantityKind::bytes, 4))))
            .arg(flop < 1e12 ? tr("%1 Gflop").arg(flop / 1e9, 0, 'g', 4) : tr("%1 Tflop").arg(flop / 1e12, 0, 'g', 4)));
    layers_->setSeries({gradients, work}, tr("Gradient of each layer (MB) and its work"), tr("layer, from the input"),
                       tr("MB, Gflop"));
  } catch (const std::exception& failure) {
    facts_->setText(QString::fromUtf8(failure.what()));
    layers_->setSeries({}, {}, tr("layer"), tr("MB"));
  }
}

void WorkloadView::paste()
{
  QString error;
  const int rows = model_->paste(QApplication::clipboard()->text(), &error);
  emit told(rows > 0 ? tr("%n jobs added", nullptr, rows) : error);
}

} // namespace trainyard::gui
