// SPDX-License-Identifier: Apache-2.0
#include "gui/results/table_model.hpp"

#include "gui/results/figures.hpp"
#include "gui/results/messages.hpp"
#include "models/core/expression.hpp"
#include "models/core/figure_text.hpp"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <iterator>

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
  largest_.clear();
  for (int i = 0; i < table_.columns.size(); ++i) {
    double largest = 0;
    for (const QStringList& row : std::as_const(table_.rows))
      largest = std::max(largest, words && table_.isNumeric(i) ? std::fabs(row[i].toDouble()) : 0);
    largest_.push_back(largest);
  }
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
  return words_ ? figure_text(table_.columns[column], value, largest_[column]) : short_number(value);
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

namespace {

/// A column by its name, its heading, the begin of one of them, or a word in it; -1 where there is none.
int column_called(const Table& table, QString name)
{
  name.replace(QLatin1Char('_'), QLatin1Char(' '));
  using Fits = bool (*)(const QString&, const QString&);
  for (const Fits fits :
       {Fits{[](const QString&a, const QString&b) { return a.compare(b, Qt::CaseInsensitive) == 0; }},
        Fits{[](const QString&a, const QString&b) { return a.startsWith(b, Qt::CaseInsensitive); }},
        Fits{[](const QString&a, const QString&b) { return a.contains(QLatin1Char(' ') + b, Qt::CaseInsensitive); }}})
    for (int i = 0; i < table.columns.size(); ++i)
      if (fits(QString{table.columns[i]}.replace(QLatin1Char('_'), QLatin1Char(' ')), name) ||
          fits(column_title(table.columns[i]), name))
        return i;
  return -1;
}

QString part_of_point(const QString& point, const QString& name)
{
  for (const auto& [key, value] : parts_of_point(point))
    if (key == name)
      return value;
  return {};
}

} // namespace

bool RowWords::takeColumn(const Table& table, Condition& condition)
{
  const int point = table.column(QStringLiteral("point"));
  for (qsizetype from = 0; from < words_.size(); ++from) {
    const QString name = words_.mid(from).join(QLatin1Char(' '));
    condition.column = column_called(table, name);
    if (condition.column < 0 && point >= 0 && !table.rows.isEmpty() &&
        !part_of_point(table.rows.front()[point], name).isEmpty()) {
      condition.column = point;
      condition.part = name;
    }
    if (condition.column >= 0) {
      words_.resize(from);
      return true;
    }
  }
  return false;
}

RowWords::RowWords(const QString& text, const Table& table)
{
  static const QRegularExpression piece{QStringLiteral("\"[^\"]*\"|<=|>=|!=|==?|[<>]|[^\\s,<>=!\"]+")};
  QStringList pieces;
  for (auto it = piece.globalMatch(text); it.hasNext();)
    pieces << it.next().captured();
  for (qsizetype i = 0; i < pieces.size(); ++i) {
    if (!QStringLiteral("<>=!").contains(pieces[i].front()) || words_.isEmpty()) {
      words_ << pieces[i].remove(QLatin1Char('"'));
      continue;
    }
    Condition condition;
    condition.comparison = pieces[i];
    if (!takeColumn(table, condition))
      unknown_ << words_.takeLast();
    if (++i == pieces.size())
      break; // still being typed
    condition.text = pieces[i].remove(QLatin1Char('"'));
    condition.number = any_quantity(condition.text.toStdString());
    if (const auto whole = i + 1 < pieces.size() // "1 h"
                               ? any_quantity((condition.text + QLatin1Char(' ') + pieces[i + 1]).toStdString())
                               : std::nullopt) {
      condition.number = whole;
      ++i;
    }
    if (condition.column >= 0)
      conditions_.push_back(condition);
  }
}

bool RowWords::Condition::holds(const QString& whole) const
{
  const QString cell = part.isEmpty() ? whole : part_of_point(whole, part);
  const auto value = number ? any_quantity(cell.toStdString()) : std::nullopt;
  if (number && !value)
    return comparison == QLatin1String("!=");
  const double order = number ? *value - *number : cell.compare(text, Qt::CaseInsensitive);
  return (order == 0 && comparison.contains(QLatin1Char('=')) && comparison != QLatin1String("!=")) ||
         (order < 0 && (comparison.startsWith(QLatin1Char('<')) || comparison == QLatin1String("!="))) ||
         (order > 0 && (comparison.startsWith(QLatin1Char('>')) || comparison == QLatin1String("!=")));
}

bool RowWords::hold(const QStringList& row) const
{
  const QString whole = words_.isEmpty() ? QString{} : row.join(QLatin1Char(' '));
  return std::all_of(words_.begin(), words_.end(),
                     [&](const QString& word) { return whole.contains(word, Qt::CaseInsensitive); }) &&
         std::all_of(conditions_.begin(), conditions_.end(),
                     [&](const Condition& each) { return each.holds(row[each.column]); });
}

Table RowWords::of(const Table& table) const
{
  if (words_.isEmpty() && conditions_.isEmpty())
    return table;
  Table kept;
  kept.columns = table.columns;
  std::copy_if(table.rows.begin(), table.rows.end(), std::back_inserter(kept.rows),
               [&](const QStringList& row) { return hold(row); });
  return kept;
}

RowFilter::RowFilter(QObject* parent) : QSortFilterProxyModel{parent}
{
  setSortRole(TableModel::sort_role);
}

void RowFilter::setSourceModel(QAbstractItemModel* model)
{
  connect(model, &QAbstractItemModel::modelReset, this, &RowFilter::readWords); // before the rows are filtered anew
  QSortFilterProxyModel::setSourceModel(model);
}

void RowFilter::setWords(const QString& words)
{
  text_ = words;
  readWords();
  invalidateFilter();
}

void RowFilter::readWords()
{
  if (const auto* model = qobject_cast<const TableModel*>(sourceModel()); model != nullptr)
    words_ = RowWords{text_, model->table()};
}

void RowFilter::setPoint(const QString& point)
{
  point_ = point;
  invalidateFilter();
}

bool RowFilter::filterAcceptsRow(int row, const QModelIndex&) const
{
  const auto* model = qobject_cast<const TableModel*>(sourceModel());
  if (model == nullptr)
    return true;
  const Table& table = model->table();
  const int at = point_ ? table.column(QStringLiteral("point")) : -1;
  return (at < 0 || table.rows[row][at] == *point_) && words_.hold(table.rows[row]);
}

} // namespace trainyard::gui
