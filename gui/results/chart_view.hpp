// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractAxis>
#include <QChart>
#include <QChartView>
#include <QSet>
#include <QStackedWidget>
#include <QTableView>
#include <QVector>
#include <QWidget>
#include <QXYSeries>

#include "gui/results/table_model.hpp"

class QToolButton;

namespace trainyard::gui {

/// One line of a chart; x and y of equal length.
struct Series {
  QString name;
  QVector<QPointF> points;
  bool ghost = false;                      // dashed and pale: an earlier answer
  QVector<QPair<double, double>> interval; // low and high of each point; may be empty
  int colour = -1;                         // the same for lines that belong together; below 0: the next one
  int style = 0;                           // of the pen, for lines of the same colour
  bool marks = false;                      // points without a line
  bool large = false;                      // of marks: the ones to look at
  bool steps = false;                      // a value holds until the next point
};

/// The corners of a line whose values hold until the next point.
QVector<QPointF> stepped(const QVector<QPointF>& points);

/// At most @p limit points with the same shape: of each stretch the lowest and the highest stay.
QVector<QPointF> down_sampled(const QVector<QPointF>& points, int limit);

/// A line chart with legend, cross-hair and its twin, the table of the same numbers. Where values span decades its
/// axis is logarithmic.
class Chart : public QWidget
{
  Q_OBJECT
public:
  explicit Chart(QWidget* parent = nullptr);

  void setSeries(const QVector<Series>& series, const QString& title, const QString& x_title, const QString& y_title);
  /// Powers of two on the x axis where all x are.
  void showTable(bool table);
  /// A table in place of lines, until there are lines again.
  void showNumbers(Table numbers);
  bool isTable() const { return pages_->currentIndex() == 1; }
  void setThreshold(double y, const QString& name);
  /// Takes thresholds, categories and the top away; with the next series.
  void clearMarks()
  {
    thresholds_.clear();
    categories_.clear();
    top_ = 0;
  }
  /// Names for the whole numbers on the x axis of the next series, which are then drawn as bars beside each other;
  /// empty: lines.
  void setCategories(const QStringList& names) { categories_ = names; }
  /// Pixels that a chart with so many names beside bars needs so that none is cut; 0 for none.
  int heightForNames(qsizetype names) const;
  /// The least height with which the names of so many lines are legible beside the chart.
  int heightForLegend(qsizetype lines) const;
  /// Largest y of the next series, so that the important ones are not pressed to the bottom; 0: no limit.
  void setTop(double y) { top_ = y; }
  /// PNG, SVG or PDF by the file's ending, in the light theme. False with the reason in @p error.
  bool exportTo(const QString& file, QString* error) const;
  const QVector<Series>& series() const { return series_; }
  /// Shows a part of the x axis; where it is not time, or empty, all of it.
  void showRange(double low, double high);
  /// A mark at an x that other views show too; NaN: none.
  void setMark(double x);
  /// The nearest point of every line to an x, in words: the text of the cross-hair.
  QString valuesAt(double x) const;

protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void rebuild();
  /// A menu by the right mouse button or the menu key.
  void offerExport();
  /// A part was enlarged, or all is shown again.
  void showZoom(bool zoomed);
  /// Shows a new chart in place of the old one, with thresholds and legend.
  void replaceChart(QChart* chart);
  /// @p index: among all lines; @p number: of its colour.
  QXYSeries* drawnSeries(const Series& line, int index, int number);
  QAbstractAxis* axisAcross(double low, double high) const;
  QFont smallFont() const;
  QChart* emptyChart() const;
  /// Fonts and colours of the theme.
  void paintAxes(std::initializer_list<QAbstractAxis*> axes) const;
  void drawBars();
  void drawThreshold(double y, const QString& name);
  void placeLegend();

  QStackedWidget* pages_;
  QChartView* view_;
  QToolButton* whole_; // the way back from an enlarged part
  QTableView* table_;
  TableModel* model_;
  QVector<Series> series_;
  QString title_;
  QString x_title_;
  QString y_title_;
  QVector<QPair<double, QString>> thresholds_;
  QStringList categories_;
  double top_ = 0;
  bool only_numbers_ = false;
  QSet<QString> hidden_; // names of lines that a click on the legend took away
};

} // namespace trainyard::gui
