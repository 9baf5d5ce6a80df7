#pragma once
#include <QWidget>

#include "gui/results/results.hpp"
#include "gui/results/table_model.hpp"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QTabWidget;
class QTableView;
class QTextBrowser;
class QSlider;

namespace trainyard::gui {

class Chart;
class TimelineView;

/// Numbers over numbers of a jobs table: x and y are columns, one line per value of the other.
struct ChartChoice {
  QString x;
  QString y;
  QString series;
};
/// The columns worth an x axis first: those with more than one value; `samples_per_second` over `workers` by `variant` where they exist.
ChartChoice best_choice(const Table& jobs);

/// One results folder: the answer, its chart, tables, timeline, links and events; one filter for all of them.
class ResultsView : public QWidget
{
  Q_OBJECT
public:
  explicit ResultsView(QWidget* parent = nullptr);

  void show(Results results);
  Results results() const { return results_; }
  TimelineView* timeline() { return timeline_; }
  Chart* chart() { return chart_; }
  void openTab(int index);
  void toggleTable();
  void setFilter(const QString& words);
  /// The time that the link loads on the canvas are shown for; below the begin: the whole run.
  void showLoadsAt(double seconds);
  /// Rows of the run so far, while it is running.
  void showLive(const QVector<QJsonObject>& rows, const QString& title);

signals:
  /// Loads of links of the chosen point, by name, for the canvas.
  void loadsChanged(const QHash<QString, double>& loads);
  /// The pointer's time on the timeline.
  void timeChosen(double seconds);
  void explainRequested(const QString& folder, const QString& what);

private:
  void redraw();
  void chooseTable();
  const Table& charted() const;
  void choosePoint();

  Results results_;
  QLabel* advice_;
  QLabel* warnings_;
  QLineEdit* filter_;
  QTabWidget* tabs_;
  QComboBox* table_;
  QComboBox* x_;
  QComboBox* y_;
  QComboBox* by_;
  QComboBox* point_;
  Chart* chart_;
  QVector<QTableView*> tables_;
  QVector<TableModel*> models_;
  QVector<RowFilter*> filters_;
  TimelineView* timeline_;
  QLabel* span_;
  QTextBrowser* steps_;
  QTabWidget* more_;
  bool filling_ = false;
};

} // namespace trainyard::gui
