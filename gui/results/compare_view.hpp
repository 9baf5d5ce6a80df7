#pragma once
#include <QVector>
#include <QWidget>

#include "gui/results/results.hpp"
#include "gui/results/table_model.hpp"

class QComboBox;
class QTableView;

namespace trainyard::gui {

class Chart;

/// What two runs say about the same point and job, and by how much they differ (percent of the first).
Table delta_table(const ResultsData& a, const ResultsData& b, const QString& metric);
/// Where the scenarios of two runs differ: key, value in the first, value in the second.
Table input_differences(const ResultsData& a, const ResultsData& b);

/// Two or more runs beside each other: curves in one chart, delta table, difference of the inputs.
class CompareView : public QWidget
{
  Q_OBJECT
public:
  explicit CompareView(QWidget* parent = nullptr);
  void add(const Results& results);
  void clear();
  int runs() const { return static_cast<int>(runs_.size()); }
  const Table& deltas() const { return delta_model_->table(); }

private:
  void redraw();

  QVector<Results> runs_;
  QComboBox* first_;
  QComboBox* second_;
  QComboBox* metric_;
  Chart* chart_;
  TableModel* delta_model_;
  TableModel* input_model_;
  bool filling_ = false;
};

} // namespace trainyard::gui
