// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractTableModel>
#include <QStringList>
#include <QWidget>

class QTabWidget;
class QTableView;
class QLabel;

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

class ArrivalsView;
class Chart;
class JobsModel;
class ScenarioDocument;
class Schema;
class SchemaForm;

/// The jobs: a sheet, the form of the chosen one, and its network layer by layer.
class WorkloadView : public QWidget
{
  Q_OBJECT
public:
  WorkloadView(ScenarioDocument& document, Schema& schema, QWidget* parent = nullptr);
  void paste();
  ArrivalsView* arrivals() { return arrivals_; }
  QTabWidget* pages() { return pages_; }

signals:
  void told(const QString& message);

private:
  void choose(int row);
  void showLayers();

  ScenarioDocument& document_;
  QTabWidget* pages_;
  ArrivalsView* arrivals_;
  JobsModel* model_;
  QTableView* table_;
  SchemaForm* job_;
  SchemaForm* training_;
  Chart* layers_;
  QLabel* facts_;
  QString shown_model_{QLatin1Char{'-'}}; // none yet
};

} // namespace trainyard::gui
