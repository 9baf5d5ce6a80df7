// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/workload_view.hpp"

#include "gui/core/rate_text.hpp"
#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "gui/panels/arrivals_view.hpp"
#include "gui/panels/schema_form.hpp"
#include "gui/results/chart_view.hpp"
#include "models/core/csv.hpp"
#include "models/core/quantity_text.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/yaml_edit.hpp"

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
#include <QUndoStack>
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
    layers_->setSeries({}, {}, {}, {});
    return;
  }
  try {
    const Dnn dnn = build_dnn(name.toStdString());
    Series gradients{tr("gradient"), {}, false, {}};
    Series work{tr("forward work"), {}, false, {}};
    gradients.marks = work.marks = true; // between layers there is nothing
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
    for (const auto& [line, whole] : {std::pair{&gradients, parameters * 4 / 1e6}, {&work, flop / 1e9}})
      for (QPointF& point : line->points)
        point.setY(100 * point.y() / std::max(whole, 1e-300));
    layers_->setSeries({gradients, work}, tr("What each layer has of the gradient and of the work"),
                       tr("layer, from the input"), tr("share of the model, %"));
  } catch (const std::exception& failure) {
    facts_->setText(QString::fromUtf8(failure.what()));
    layers_->setSeries({}, {}, {}, {});
  }
}

void WorkloadView::paste()
{
  QString error;
  const int rows = model_->paste(QApplication::clipboard()->text(), &error);
  emit told(rows > 0 ? tr("%n jobs added", nullptr, rows) : error);
}

namespace {

QString scalar(const QString& text)
{
  return QString::fromStdString(yaml_scalar(text.trimmed().toStdString()));
}

} // namespace

QStringList JobsModel::keys()
{
  return {QStringLiteral("name"),    QStringLiteral("model"),         QStringLiteral("batch_per_gpu"),
          QStringLiteral("workers"), QStringLiteral("training.mode"), QStringLiteral("training.servers"),
          QStringLiteral("steps"),   QStringLiteral("arrival")};
}

JobsModel::JobsModel(ScenarioDocument& document, QObject* parent) : QAbstractTableModel{parent}, document_{document}
{
  const auto refresh = [this] {
    const DocumentNode* jobs = find_path(document_.tree().root, "jobs");
    const int now = jobs == nullptr ? 0 : static_cast<int>(jobs->items.size());
    if (now != rows_) {
      beginResetModel();
      rows_ = now;
      endResetModel();
    } else if (rows_ > 0) {
      emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
    }
  };
  connect(&document_, &ScenarioDocument::treeChanged, this, refresh);
  refresh();
}

int JobsModel::rowCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : rows_;
}
int JobsModel::columnCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : static_cast<int>(keys().size());
}

QVariant JobsModel::data(const QModelIndex& index, int role) const
{
  if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::EditRole))
    return {};
  return document_.value(QStringLiteral("jobs.%1.%2").arg(index.row()).arg(keys()[index.column()]));
}

bool JobsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
  if (!index.isValid() || role != Qt::EditRole)
    return false;
  const QString key = keys()[index.column()];
  const QString path = QStringLiteral("jobs.%1.%2").arg(index.row()).arg(key);
  const QString text = value.toString().trimmed();
  if (text == document_.value(path))
    return true;
  if (text.isEmpty())
    return document_.remove(path, tr("Remove %1").arg(key));
  return document_.setValue(path, scalar(text), tr("Set %1").arg(key));
}

Qt::ItemFlags JobsModel::flags(const QModelIndex& index) const
{
  return QAbstractTableModel::flags(index) | (index.isValid() ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

QVariant JobsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
  if (orientation == Qt::Horizontal && role == Qt::ToolTipRole)
    return keys().value(section);
  if (role != Qt::DisplayRole)
    return {};
  return orientation == Qt::Horizontal ? QVariant{key_words(keys().value(section).section(QLatin1Char('.'), -1))}
                                       : QVariant{section + 1};
}

int JobsModel::paste(const QString& text, QString* error)
{
  const std::string plain = text.toStdString(), head_line = plain.substr(0, plain.find('\n'));
  const char separator = head_line.find('\t') != std::string::npos  ? '\t'
                         : head_line.find(';') != std::string::npos ? ';'
                                                                    : ',';
  QList<QStringList> lines;
  for (CsvReader reader{plain, separator}; reader.next();) {
    lines.emplace_back();
    for (const std::string_view cell : reader.cells())
      lines.back() << QString::fromUtf8(cell.data(), static_cast<qsizetype>(cell.size())).trimmed();
  }
  if (lines.isEmpty()) {
    *error = tr("The clipboard has no rows");
    return 0;
  }
  QStringList columns = lines.front();
  bool head = true;
  for (const QString& cell : columns)
    head = head && keys().contains(cell);
  if (!head)
    columns = keys().mid(0, columns.size());
  if (columns.size() > keys().size() || columns.isEmpty()) {
    *error = tr("The rows have more cells than the table has columns; a first row may name the columns: %1")
                 .arg(keys().join(QStringLiteral(", ")));
    return 0;
  }
  int added = 0;
  document_.undoStack()->beginMacro(tr("Paste jobs"));
  for (int i = head ? 1 : 0; i < lines.size(); ++i) {
    const QStringList& cells = lines[i];
    QStringList outer;
    QStringList training;
    for (int k = 0; k < columns.size() && k < cells.size(); ++k) {
      if (cells[k].isEmpty())
        continue;
      if (columns[k].startsWith(QLatin1String("training.")))
        training << columns[k].mid(9) + QStringLiteral(": ") + scalar(cells[k]);
      else
        outer << columns[k] + QStringLiteral(": ") + scalar(cells[k]);
    }
    if (!training.isEmpty())
      outer << QStringLiteral("training: {%1}").arg(training.join(QStringLiteral(", ")));
    if (!outer.isEmpty() &&
        document_.appendItem(QStringLiteral("jobs"), QStringLiteral("{%1}").arg(outer.join(QStringLiteral(", "))),
                             tr("Add a job")))
      ++added;
  }
  document_.undoStack()->endMacro();
  if (added == 0)
    *error = tr("No row could be added");
  return added;
}

void JobsModel::addJob()
{
  document_.appendItem(
      QStringLiteral("jobs"),
      QStringLiteral("{name: job-%1, model: resnet50, batch_per_gpu: 32, workers: 1, training: {mode: all_reduce}}")
          .arg(rows_ + 1),
      tr("Add a job"));
}

void JobsModel::removeJob(int row)
{
  document_.remove(QStringLiteral("jobs.%1").arg(row), tr("Remove a job"));
}

} // namespace trainyard::gui
