// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractScrollArea>
#include <QHash>
#include <QImage>
#include <QSet>
#include <QStaticText>
#include <QVector>

#include "gui/results/results.hpp"
#include "gui/results/time_scale.hpp"

#include <cstdint>
#include <memory>

namespace trainyard::gui {

/// Lanes of spans over time. Wheel zooms at the pointer, drag pans, W A S D do the same; a click tells about a span,
/// Shift and drag sums a range.
class TimelineView : public QAbstractScrollArea
{
  Q_OBJECT
public:
  explicit TimelineView(QWidget* parent = nullptr);
  ~TimelineView() override;

  void show(Results results);
  /// Spans and lanes whose name does not contain it fade.
  void setFilter(const QString& words);
  void showRange(double begin, double end);
  const TimeScale& scale() const { return scale_; }
  /// The point in time that other views follow.
  double cursor() const { return cursor_; }
  /// Name of the span that was clicked last; empty: none.
  QString spanNameAtCursor() const { return clicked_; }
  /// Draws what is shown into @p target in the light theme; on a PDF or SVG the words stay words.
  void drawPicture(QPainter& painter, const QRectF& target);
  /// Keeps the lane that was clicked last at the top, or lets it go again (P).
  void togglePin();
  /// The names of the lanes in the order in which they stand.
  QStringList laneNames() const;

signals:
  void cursorMoved(double seconds);
  /// In words: the span under the pointer, or the sums of the selected range.
  void described(const QString& text);
  void rangeChanged(double begin, double end);
  /// A double click on a lane: its process and name.
  void laneActivated(const QString& process, const QString& lane);

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

private:
  struct Guard;
  void recolour();
  void layoutLanes();
  void findFavoured(std::vector<char> hits);
  void rangeMoved();
  const LaneDetail& detailOf(int lane) const;
  void paint(QPainter& painter, const QSize& size, int first_y);
  void paintAxis(QPainter& painter, const QSize& size) const;
  const QStaticText& labelOf(int lane);
  const QStaticText& nameOf(std::uint32_t name, int width);
  const Span* spanAt(const QPoint& at, int* lane) const;
  void describeAt(const QPoint& at);
  void describeSelection();

  Results results_;
  TimeScale scale_;
  std::vector<std::uint32_t> colours_; // by name
  std::vector<std::uint32_t> inks_;    // of the words on them
  QImage strip_;                       // a lane at a time
  QHash<int, QStaticText> labels_;     // of lanes, cut to their width
  std::vector<int> name_widths_;       // px; below 0: not asked yet
  QHash<quint64, QStaticText> names_;  // by name and, where cut, width
  /// Of a filter: the lanes from afar, with what it finds in front; made on another thread.
  std::shared_ptr<const std::vector<LaneDetail>> favoured_;
  std::shared_ptr<Guard> guard_;
  int filter_number_ = 0;
  QVector<int> shown_; // lanes after the filter
  QString filter_;
  int label_width_ = 170;
  QPoint pressed_;
  bool selecting_ = false;
  double select_begin_ = 0;
  double select_end_ = 0;
  double cursor_ = -1;
  QString clicked_;
  int clicked_lane_ = -1;
  QSet<int> pinned_;
};

} // namespace trainyard::gui
