// SPDX-License-Identifier: Apache-2.0
#include "gui/results/table_model.hpp"

#include "gui/results/figures.hpp"
#include "gui/results/messages.hpp"
#include "models/core/figure_text.hpp"

#include <algorithm>
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

namespace {

bool is_end_of_interval(const Table& table, const QString& column)
{
  return std::any_of(table.columns.begin(), table.columns.end(), [&](const QString& whole) {
    return column == interval_end(whole, "low") || column == interval_end(whole, "high");
  });
}

/// " ±17.4 %" or " (6.93 to 16.1)", where the value may be off by that.
QString off_by(const Table& table, int row, const QString& column)
{
  const double low = table.number(row, interval_end(column, "low"));
  const double high = table.number(row, interval_end(column, "high"));
  return QString::fromStdString(interval_text(table.number(row, column), low, high, [&] {
    return TableModel::tr("%1 to %2").arg(figure_text(column, low), figure_text(column, high)).toStdString();
  }));
}

} // namespace

void TableModel::show(Table table)
{
  set(std::move(table), false, true);
}

void TableModel::showInWords(Table table, bool all)
{
  set(std::move(table), true, all);
}

void TableModel::set(Table table, bool words, bool all)
{
  beginResetModel();
  table_ = std::move(table);
  words_ = words;
  shown_.clear();
  same_.clear();
  QStringList same;
  const auto differs = [&](int column) {
    return std::any_of(table_.rows.begin(), table_.rows.end(),
                       [&](const QStringList& row) { return row[column] != table_.rows.front()[column]; });
  };
  for (int i = 0; i < table_.columns.size(); ++i) {
    const QString& name = table_.columns[i];
    if (!words) {
      shown_.push_back({i, {}, table_.isNumeric(i), name, name});
      continue;
    }
    if (is_end_of_interval(table_, name)) // told behind the value
      continue;
    if (!all && table_.rows.size() > 1 && !differs(i)) {
      if (const QString& cell = table_.rows.front()[i]; !cell.isEmpty() && cell != QLatin1String("0"))
        same << QStringLiteral("%1 %2").arg(column_title(name), shownText(i, cell));
      continue;
    }
    if (table_.rows.size() == 1 && table_.rows.front()[i].isEmpty())
      continue;
    if (name == QLatin1String("point") && !table_.rows.isEmpty()) {
      const auto parts = parts_of_point(table_.rows.front()[i]);
      for (const auto& [key, value] : parts)
        if (table_.column(key) < 0)
          shown_.push_back({i, key, false, column_title(key), fact_of(name).meaning});
      if (!parts.isEmpty())
        continue;
    }
    const ColumnFact fact = fact_of(name);
    shown_.push_back({i,
                      {},
                      table_.isNumeric(i),
                      column_title(name),
                      fact.meaning.isEmpty() ? name : QStringLiteral("%1: %2").arg(name, fact.meaning)});
  }
  same_ = same.join(QStringLiteral(" · "));
  endResetModel();
}

int TableModel::rowCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}
int TableModel::columnCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QString TableModel::cell(int row, int column) const
{
  const Shown& shown = shown_[column];
  const QString& whole = table_.rows[row][shown.column];
  if (shown.part.isEmpty())
    return whole;
  for (const auto& [key, value] : parts_of_point(whole))
    if (key == shown.part)
      return value;
  return {};
}

QString TableModel::shownText(int column, const QString& cell) const
{
  bool number = false;
  const double value = cell.toDouble(&number);
  if (!number || !table_.isNumeric(column))
    return words_ ? cell_words(table_.columns[column], cell) : cell;
  return words_ ? figure_text(table_.columns[column], value) : short_number(value);
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
  if (!index.isValid() || index.row() >= table_.rows.size() || index.column() >= shown_.size())
    return {};
  const Shown& shown = shown_[index.column()];
  const QString cell = this->cell(index.row(), index.column());
  switch (role) {
  case Qt::DisplayRole:
    if (!shown.part.isEmpty())
      return cell;
    return shownText(shown.column, cell) +
           (words_ && shown.numeric ? off_by(table_, index.row(), table_.columns[shown.column]) : QString{});
  case Qt::ToolTipRole:
  case whole_value_role:
    return cell;
  case Qt::TextAlignmentRole:
    return shown.numeric ? QVariant{Qt::AlignRight | Qt::AlignVCenter} : QVariant{};
  case sort_role:
    if (!shown.part.isEmpty()) { // "8" before "16", whatever the other values are
      bool number = false;
      const double value = cell.toDouble(&number);
      return number ? QVariant{value} : QVariant{cell};
    }
    return shown.numeric ? QVariant{cell.toDouble()} : QVariant{cell};
  default:
    return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
  if (orientation == Qt::Horizontal && (role == Qt::DisplayRole || role == Qt::ToolTipRole)) {
    if (section < 0 || section >= shown_.size())
      return {};
    return role == Qt::DisplayRole ? shown_[section].title : shown_[section].meaning;
  }
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

void RowFilter::setPoint(const QString& point)
{
  point_ = point;
  invalidateFilter();
}

bool RowFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
  if (point_)
    if (const auto* model = qobject_cast<const TableModel*>(sourceModel()); model != nullptr)
      if (const int at = model->table().column(QStringLiteral("point"));
          at >= 0 && model->table().rows[row][at] != *point_)
        return false;
  const auto* whole = qobject_cast<const TableModel*>(sourceModel());
  for (const QString& word : words_) {
    bool found =
        whole != nullptr && whole->table().rows[row].join(QLatin1Char(' ')).contains(word, Qt::CaseInsensitive);
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
