// SPDX-License-Identifier: Apache-2.0
#include "gui/core/table.hpp"

#include "models/core/csv.hpp"

#include <limits>
#include <utility>

namespace trainyard::gui {

QString Table::text(int row, const QString& name) const
{
  const int at = column(name);
  return at < 0 || row < 0 || row >= rows.size() ? QString{} : rows[row][at];
}

double Table::number(int row, const QString& name) const
{
  bool good = false;
  const double value = text(row, name).toDouble(&good);
  return good ? value : std::numeric_limits<double>::quiet_NaN();
}

bool Table::isNumeric(int column) const
{
  if (counted_rows == rows.size() && numeric.size() == columns.size())
    return numeric[column];
  bool any = false;
  for (const QStringList& row : rows) {
    if (row[column].isEmpty())
      continue;
    bool good = false;
    row[column].toDouble(&good);
    if (!good)
      return false;
    any = true;
  }
  return any;
}

Table read_csv(const QByteArray& text, int* uneven)
{
  Table table;
  for (CsvReader reader{{text.data(), static_cast<std::size_t>(text.size())}}; reader.next();) {
    QStringList row;
    for (const std::string_view cell : reader.cells())
      row << QString::fromUtf8(cell.data(), static_cast<qsizetype>(cell.size()));
    if (table.columns.isEmpty()) {
      table.columns = row;
      continue;
    }
    if (row.size() != table.columns.size() && uneven != nullptr)
      ++*uneven;
    row.resize(table.columns.size());
    table.rows.push_back(row);
  }
  QVector<bool> numeric;
  numeric.reserve(table.columns.size());
  for (int i = 0; i < table.columns.size(); ++i)
    numeric.push_back(table.isNumeric(i));
  table.numeric = std::move(numeric);
  table.counted_rows = table.rows.size();
  return table;
}

} // namespace trainyard::gui
