// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include "gui/results/results.hpp"

namespace trainyard::gui {

/// A result table for a view; numbers sort as numbers and show five digits, the whole value is the tool tip.
class TableModel : public QAbstractTableModel
{
  Q_OBJECT
public:
  using QAbstractTableModel::QAbstractTableModel;

  void show(Table table);
  const Table& table() const { return table_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  static constexpr int sort_role = Qt::UserRole + 1;

private:
  Table table_;
  QVector<bool> numeric_;
};

/// Keeps rows in which any cell contains all words of the filter.
class RowFilter : public QSortFilterProxyModel
{
  Q_OBJECT
public:
  explicit RowFilter(QObject* parent = nullptr);
  void setWords(const QString& words);

protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
  QStringList words_;
};

/// "12.3 k", "4.56 ms"-like short form of a number: five significant digits, no exponent between 1e-3 and 1e7.
QString short_number(double value);

} // namespace trainyard::gui
