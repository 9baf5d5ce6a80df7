// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractTableModel>
#include <QStringList>

namespace trainyard::gui {

class ScenarioDocument;

/// The scenario's jobs as a sheet: one row per job, edits go into the text, rows can be pasted from a spreadsheet.
class JobsModel : public QAbstractTableModel
{
  Q_OBJECT
public:
  explicit JobsModel(ScenarioDocument& document, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  /// Adds rows from text with tabs, semicolons or commas; a first row of column names decides the order. Returns the
  /// rows added; the reason for none is in @p error.
  int paste(const QString& text, QString* error);
  void addJob();
  void removeJob(int row);
  static QStringList keys();

private:
  ScenarioDocument& document_;
  int rows_ = 0;
};

} // namespace trainyard::gui
