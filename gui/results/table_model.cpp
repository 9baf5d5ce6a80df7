// SPDX-License-Identifier: Apache-2.0
#include "gui/results/table_model.hpp"

#include <cmath>

namespace trainyard::gui {

QString short_number(double value)
{
  if (!std::isfinite(value))
    return QStringLiteral("–");
  if (value == 0)
    return QStringLiteral("0");
  const double size = std::fabs(value);
  return size >= 1e-3 && size < 1e7 ? QString::number(value, 'g', size >= 1e4 ? 7 : 5) : QString::number(value, 'g', 4);
}

void TableModel::show(Table table)
{
  beginResetModel();
  table_ = std::move(table);
  numeric_.clear();
  for (int i = 0; i < table_.columns.size(); ++i)
    numeric_.push_back(table_.isNumeric(i));
  endResetModel();
}

int TableModel::rowCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}
int TableModel::columnCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
  if (!index.isValid() || index.row() >= table_.rows.size() || index.column() >= table_.columns.size())
    return {};
  const QString& cell = table_.rows[index.row()][index.column()];
  const bool number = numeric_[index.column()];
  switch (role) {
  case Qt::DisplayRole:
    return number && !cell.isEmpty() ? short_number(cell.toDouble()) : cell;
  case Qt::ToolTipRole:
    return cell;
  case Qt::TextAlignmentRole:
    return number ? QVariant{Qt::AlignRight | Qt::AlignVCenter} : QVariant{};
  case sort_role:
    return number ? QVariant{cell.toDouble()} : QVariant{cell};
  default:
    return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
  if (orientation == Qt::Horizontal && (role == Qt::DisplayRole || role == Qt::ToolTipRole))
    return table_.columns.value(section);
  return role == Qt::DisplayRole ? QVariant{section + 1} : QVariant{};
}

RowFilter::RowFilter(QObject* parent) : QSortFilterProxyModel{parent}
{
  setSortRole(TableModel::sort_role);
}

void RowFilter::setWords(const QString& words)
{
  words_ = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

bool RowFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
  for (const QString& word : words_) {
    bool found = false;
    for (int column = 0; column < sourceModel()->columnCount(parent) && !found; ++column)
      found = sourceModel()
                  ->index(row, column, parent)
                  .data(Qt::ToolTipRole)
                  .toString()
                  .contains(word, Qt::CaseInsensitive);
    if (!found)
      return false;
  }
  return true;
}

} // namespace trainyard::gui
