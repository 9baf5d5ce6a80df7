// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWidget>

class QTabWidget;
class QTableView;
class QLabel;

namespace trainyard::gui {

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
