// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include "gui/core/widgets.hpp"
#include "gui/results/results.hpp"

#include <optional>

namespace trainyard::gui {

/// A result table for a view; numbers sort as numbers and show five digits, the whole value is the tool tip.
class TableModel : public QAbstractTableModel
{
  Q_OBJECT
public:
  using QAbstractTableModel::QAbstractTableModel;

  /// The table as it stands.
  void show(Table table);
  /// For people: headings in words, numbers as the terminal prints them, a point in its parts, and only columns that
  /// differ from row to row, unless @p all are asked for.
  void showInWords(Table table, bool all = false);
  const Table& table() const { return table_; }
  /// What is the same in every row and therefore no column: "model vgg16 · GPU V100-SXM2-16GB".
  const QString& same() const { return same_; }
  /// The value of a cell as it stands in the file.
  QString cell(int row, int column) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  static constexpr int sort_role = Qt::UserRole + 1;

private:
  /// A column that is shown: one of the table, or a part of its points.
  struct Shown {
    int column = 0;
    QString part;
    bool numeric = false;
    QString title;
    QString meaning;
  };
  void set(Table table, bool words, bool all);
  QString shownText(int column, const QString& cell) const;

  Table table_;
  QVector<Shown> shown_;
  QString same_;
  QVector<double> largest_; // of each column, whose unit all have
  bool words_ = false;
};

/// What a filter asks of a row of a table: "job = 17" and "queueing delay > 1 h" compare a column, by its name, its
/// heading or the begin of one; other words stand anywhere in the row.
class RowWords
{
public:
  RowWords() = default;
  RowWords(const QString& text, const Table& table);
  bool hold(const QStringList& row) const;
  /// The rows that hold.
  Table of(const Table& table) const;
  /// Names before a comparison that are no column of the table; they keep every row.
  const QStringList& unknown() const { return unknown_; }

private:
  struct Condition {
    int column = -1;
    QString part; // of the point
    QString comparison;
    QString text;
    std::optional<double> number;
    bool holds(const QString& cell) const;
  };
  /// Takes the column's name from the end of the words; false where it is none.
  bool takeColumn(const Table& table, Condition& condition);

  QStringList words_;
  QVector<Condition> conditions_;
  QStringList unknown_;
};

/// Keeps rows that the words of the filter hold for.
class RowFilter : public QSortFilterProxyModel
{
  Q_OBJECT
public:
  explicit RowFilter(QObject* parent = nullptr);
  void setWords(const QString& words);
  const RowWords& words() const { return words_; }
  void setSourceModel(QAbstractItemModel* model) override;
  /// Only rows of this point, where the table has points.
  void setPoint(const QString& point);

protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
  void readWords();

  QString text_;
  RowWords words_;
  std::optional<QString> point_;
};

/// "12.3 k", "4.56 ms"-like short form of a number: five significant digits, no exponent between 1e-3 and 1e7.
QString short_number(double value);

} // namespace trainyard::gui
