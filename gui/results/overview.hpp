// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWidget>

#include "gui/results/results.hpp"

class QHBoxLayout;
class QLabel;
class QTableView;
class QVBoxLayout;

namespace trainyard::gui {

class TableModel;

/// A part of a whole, for a bar.
struct BarPart {
  QString name;
  double value = 0;
  int colour = 0; // of the series
};

/// Parts side by side in one bar, with their names, values and shares below.
class StackedBar : public QWidget
{
  Q_OBJECT
public:
  explicit StackedBar(QWidget* parent = nullptr);
  /// @p column: in whose unit the values are.
  void show(const QVector<BarPart>& parts, const QString& column);
  const QVector<BarPart>& parts() const { return parts_; }
  QSize sizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QString words(const BarPart& part) const;
  /// Places of the names below the bar; the last one's bottom is the height.
  QVector<QRect> legend(int width) const;

  QVector<BarPart> parts_;
  QString column_;
};

/// Where the time of a step goes: the columns of a row of jobs, as far as they are above zero.
QVector<BarPart> step_parts(const Table& jobs, int row);

/// What a run is asked first, in numbers. Of training at a point: rate, efficiency, step and its parts, bottleneck,
/// memory, price. Of queues, services and retraining: a row each with the figures that matter. And what was assumed.
class Overview : public QWidget
{
  Q_OBJECT
public:
  explicit Overview(QWidget* parent = nullptr);
  void show(const Results& results, const QString& point);

signals:
  /// A picture that these results have: a table, and what stands on its axes.
  void pictureChosen(const QString& table, const QString& x, const QString& y, const QString& by);

protected:
  bool event(QEvent* event) override;

private:
  void showTraining(const ResultsData& data, const Table& jobs, const QString& point);
  void showTable(const ResultsData& data, const QString& point);
  /// When most GPUs of a queue are in use and most jobs wait.
  void showFullest(const ResultsData& data, const QString& point);
  void showPictures(const ResultsData& data);
  void addFigure(const QString& words, const QString& caption, const QString& meaning);
  void clear();

  QVBoxLayout* rows_;
  QLabel* heading_;
  QWidget* figures_;
  StackedBar* bar_;
  QLabel* bottleneck_;
  QTableView* table_;
  TableModel* model_;
  QWidget* pictures_;
  QLabel* assumed_;
};

} // namespace trainyard::gui
