// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QSet>
#include <QWidget>

#include "gui/results/curves.hpp"
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

class Overview;
class PipelineView;
class TimelinePage;
class TimelineView;

/// The table of a folder that is worth a first look: "jobs", or how full the cluster was where jobs are many.
QString usual_table(const ResultsData& data);
/// What `simrun explain` is to be asked about a row of a table: kind ("job", "task", "service", "node") and name; empty
/// where there is nothing to ask.
QPair<QString, QString> subject_of(const Table& table, int row);
/// In words: how busy links are at a point of a run, who uses them, and what holds these jobs back.
QString link_words(const ResultsData& data, const QStringList& links, const QString& point);

/// Where the time of a step goes at a point of a run, its critical path and what was busiest, as HTML; empty where the
/// folder does not say.
QString step_words(const ResultsData& data, const QString& point);

/// One results folder: the answer, its chart, tables, timeline, links and events; one filter for all of them.
class ResultsView : public QWidget
{
  Q_OBJECT
public:
  explicit ResultsView(QWidget* parent = nullptr);

  void show(Results results);
  /// Says whether these are results of the scenario that is open, by its text.
  void compareWith(const QString& text, const QString& identity = {});
  Results results() const { return results_; }
  TimelineView* timeline();
  Chart* chart() { return chart_; }
  PipelineView* pipeline() { return pipeline_; }
  void openTab(int index);
  int tab() const;
  QString point() const;
  void setFilter(const QString& words);
  /// The time that the link loads on the canvas are shown for; below the begin: the whole run.
  void showLoadsAt(double seconds);
  /// The timeline and the link loads of a point that was simulated again; without them, why not.
  void addDetail(const Results& results, const QString& point, const Results& detail, const QString& why = {});
  /// A run has begun: what the run before it left is taken away.
  void startLive(const QString& title);
  /// Rows of the run so far, while it is running.
  void showLive(const QVector<QJsonObject>& rows, const QString& title);

signals:
  /// Loads of links of the chosen point, by name, for the canvas.
  void loadsChanged(const QHash<QString, double>& loads);
  /// What timeline and link loads over time are shown of, and the name of the point.
  void pointShown(const Results& detail, const QString& point);
  /// The folder has no timeline of this point.
  void detailWanted(const Results& results, const QString& point);
  /// The pointer's time on the timeline.
  void timeChosen(double seconds);
  /// Something was clicked: kind ("job", "task", "service", "node") and name for `simrun explain`, and the point it
  /// stood at.
  void explainRequested(const QString& kind, const QString& name, const QString& point);
  /// A link was clicked.
  void linkChosen(const QString& words);

private:
  QWidget* makeChartPage();
  void connectParts();
  void explainLane(const QString& process, const QString& lane);
  void redraw();
  void drawPlan(QVector<Series> designs);
  void chooseTable();
  const Table& charted() const;
  void showAdvice();
  void fillTab(int index);
  /// One of the tables, in words.
  void fill(int number, const Table& table);
  /// Above the jobs: how many the filter leaves, and what all have in common.
  void showSame();
  void fillMore();
  void showTimeline();
  /// Offers other points and earlier results as a second timeline.
  void offerTimelines();
  /// All parts, or what to do where there is nothing to show.
  void showParts(bool any);
  void explainOnDoubleClick(QTableView* table, TableModel* model, RowFilter* filter);
  void choosePoint();
  void fillPointAxes(const QStringList& points);
  void chooseOnAxis(const QString& key, const QString& value);
  /// Loads of the whole run at the chosen point.
  void showLoads();
  void showDetail(const Results& detail, const QString& why);

  Results results_;
  Results detail_;                  // of the chosen point: timeline and loads over time
  QHash<QString, Results> details_; // by point, as far as they are there
  QVector<Results> earlier_;        // shown before, the last one first
  QWidget* nothing_;                // stands here until there are results
  QLabel* advice_;
  QLabel* warnings_;
  QLabel* run_; // which run is shown
  QString open_text_;
  QString open_identity_; // of the scenario that is open
  QLineEdit* filter_;
  QTabWidget* tabs_;
  QComboBox* table_;
  QComboBox* x_;
  QComboBox* y_;
  QComboBox* by_;
  QComboBox* point_;
  QWidget* point_axes_; // a box for each axis, where points are many
  Chart* chart_;
  Overview* overview_;
  QLabel* same_; // what is the same in every row of the jobs
  QVector<QTableView*> tables_;
  QVector<TableModel*> models_;
  QVector<RowFilter*> filters_;
  TimelinePage* timeline_;
  QTextBrowser* steps_;
  QTabWidget* more_;
  PipelineView* pipeline_; // of a divided job
  QSet<int> filled_;       // tabs that show these results already
  bool live_ = false;
  int tab_before_ = 0; // what was open when the run began
  bool whole_advice_ = false;
  double seconds_per_x_ = 0; // of the chart; 0: its x is not time
  bool filling_ = false;
};

} // namespace trainyard::gui
