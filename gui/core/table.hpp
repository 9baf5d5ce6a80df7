// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QVector>

namespace trainyard::gui {

/// A table of a results folder as it stands in its CSV file; units are part of the column names.
struct Table {
  QStringList columns;
  QVector<QStringList> rows;
  // Which columns are numeric, found once where a file is read; with other rows than then it is found anew.
  QVector<bool> numeric{};
  qsizetype counted_rows = -1;

  int column(const QString& name) const { return static_cast<int>(columns.indexOf(name)); }
  QString text(int row, const QString& name) const;
  /// NaN where the cell is empty or no number.
  double number(int row, const QString& name) const;
  bool isNumeric(int column) const;
};

/// RFC 4180 text as a table. Rows with another number of cells than the head are filled up or cut, and counted in @p
/// uneven.
Table read_csv(const QByteArray& text, int* uneven = nullptr);

} // namespace trainyard::gui
