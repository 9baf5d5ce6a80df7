#pragma once
#include <QAbstractScrollArea>
#include <QImage>
#include <QSet>
#include <QVector>

#include "gui/results/results.hpp"

namespace trainyard::gui {

/// From seconds to pixels and back, for a part of a timeline.
struct TimeScale {
  double begin = 0;
  double end = 1;
  int width = 1; // pixels

  double pixels_per_second() const { return width / (end - begin); }
  double x(double seconds) const { return (seconds - begin) * pixels_per_second(); }
  double seconds(double x) const { return begin + x / pixels_per_second(); }
  /// Zooms by @p factor (below 1: closer) keeping the time under @p x in place, within [low, high].
  void zoom(double factor, double x, double low, double high);
  void pan(double pixels, double low, double high);
};

/// Distance of tick marks (1, 2 or 5 times a power of ten) so that they stand at least @p pixels apart.
double tick_distance(const TimeScale& scale, double pixels);
QString time_text(double seconds, double distance);

/// Draws a lane of spans into rows [top, bottom) of a Format_RGB32 image, one look per pixel column, so that millions of spans cost no more
/// than the pixels. Colours are by name.
void draw_lane(QImage& image, int top, int bottom, const std::vector<Span>& spans, const TimeScale& scale,
               const std::vector<std::uint32_t>& colours, std::uint32_t background);

/// Lanes of spans over time. Wheel zooms at the pointer, drag pans, W A S D do the same; a click tells about a span, Shift and drag sums a
/// range.
class TimelineView : public QAbstractScrollArea
{
  Q_OBJECT
public:
  explicit TimelineView(QWidget* parent = nullptr);

  void show(Results results);
  /// Spans and lanes whose name does not contain it fade.
  void setFilter(const QString& words);
  void showRange(double begin, double end);
  const TimeScale& scale() const { return scale_; }
  /// The point in time that other views follow.
  double cursor() const { return cursor_; }
  /// Name of the span that was clicked last; empty: none.
  QString spanNameAtCursor() const { return clicked_; }
  QImage picture(const QSize& size);
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
  void recolour();
  void layoutLanes();
  void rangeMoved();
  void paint(QPainter& painter, const QSize& size, int first_y);
  const Span* spanAt(const QPoint& at, int* lane) const;
  void describeAt(const QPoint& at);
  void describeSelection();

  Results results_;
  TimeScale scale_;
  std::vector<std::uint32_t> colours_;
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
