// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QVector>
#include <QWidget>

#include "gui/results/results.hpp"

namespace trainyard::gui {

/// What one pipeline rank of a divided job does in a step, from pipeline.csv and memory.csv.
struct PipelineRow {
  struct Task {
    QString pass; // forward, backward, weights
    int chunk = 0;
    int micro_batch = 0;
    double begin = 0; // s
    double end = 0;   // s
  };
  struct Memory {
    double from = 0; // s
    int chunks = 0;  // whose activations it holds
    double activations = 0;
    double all = 0; // B
  };
  QString job;
  int rank = 0;
  QVector<Task> tasks;    // in order of time
  QVector<Memory> memory; // in order of time; may be empty

  double busy() const;
  double peak() const; // B
};

/// The rows of a folder; none where it has no divided job with stages.
QVector<PipelineRow> pipeline_rows(const ResultsData& data);

/// Stages by time: passes of micro-batches as boxes with the bubbles between them, and below the memory of one rank,
/// which a click on its row chooses. The wheel enlarges the time, a double click shows all of it.
class PipelineView : public QWidget
{
  Q_OBJECT
public:
  explicit PipelineView(QWidget* parent = nullptr);

  /// @return whether the folder has such a job.
  bool show(const Results& results);
  const QVector<PipelineRow>& rows() const { return rows_; }
  int chosen() const { return chosen_; }
  void choose(int row);
  /// What is at a place, in words; empty beside the rows.
  QString wordsAt(const QPointF& place) const;
  /// PNG, SVG or PDF by the file's ending, in the light theme. False with the reason in @p error.
  bool exportTo(const QString& file, QString* error);
  QSize sizeHint() const override { return {720, 420}; }

protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

private:
  QRectF rowsArea() const;
  QRectF memoryArea() const;
  QRectF placeOf(int row) const;
  double xOf(double seconds) const;
  double timeAt(double x) const;
  QString nameOf(const PipelineRow& row) const;
  void draw(QPainter& painter) const;
  void drawRow(QPainter& painter, int row) const;
  void drawMemory(QPainter& painter) const;
  void drawLegend(QPainter& painter) const;
  void describe();

  QVector<PipelineRow> rows_;
  double installed_ = 0; // B; 0: not known
  double length_ = 0;    // s, of the longest row
  double begin_ = 0;     // s, what is shown
  double end_ = 0;       // s
  int chosen_ = 0;       // whose memory is shown
  bool several_ = false; // jobs
};

} // namespace trainyard::gui
