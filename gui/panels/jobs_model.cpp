// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/workload_view.hpp"

#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "models/core/csv.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QUndoStack>

namespace trainyard::gui {
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
