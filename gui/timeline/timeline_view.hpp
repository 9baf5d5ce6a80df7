// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractScrollArea>
#include <QHash>
#include <QImage>
#include <QSet>
#include <QStaticText>

#include "gui/timeline/timeline.hpp"

#include <QString>
#include <QVector>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace trainyard::gui {

// Of the timeline, px.
constexpr int lane_height = 18;
constexpr int lane_gap = 3;
constexpr int lane_pitch = lane_height + lane_gap;
constexpr int overview_height = 30;
constexpr int time_axis_height = 24;
constexpr int counter_height = 32;

/// Lanes that belong together: of a machine, a job, a policy.
struct LaneGroup {
  QString name;
  std::vector<int> lanes;
};

/// A row of the view: a lane, or the head of a group (lane below 0).
struct TimelineRow {
  int group = -1;
  int lane = -1;

  bool operator==(const TimelineRow&) const = default;
};

/// Lanes by process where there are several, else by the machine that their names begin with ("worker-0/…").
std::vector<LaneGroup> groups_of(const Timeline& timeline);

/// The rows from above: pinned lanes, then the groups with their lanes. A group of one lane, or the only group, has no
/// head; a folded one has nothing else. @p shown: whether a lane passes the filter.
std::vector<TimelineRow> rows_of(const std::vector<LaneGroup>& groups, const QSet<int>& folded, const QSet<int>& pinned,
                                 const std::function<bool(int lane)>& shown);

/// What several lanes do together, pixel by pixel: which share of them works, and in which colours.
struct GroupPicture {
  std::vector<std::uint32_t> colours; // RGB32, the mean of those that work
  std::vector<float> shares;          // 0…1
};
/// Of a group of many lanes at most 200 are looked at, at even distances.
GroupPicture picture_of(const Timeline& timeline, const std::vector<int>& lanes, const TimeScale& scale,
                        const std::vector<std::uint32_t>& colours);

/// Lanes of spans over time, in groups that fold, below an overview of the whole, an axis and counters. Wheel zooms at
/// the pointer, drag pans, W A S D do the same; a click tells about a span, Shift and drag chooses a range, a drag on
/// the overview moves what is shown.
class TimelineView : public QAbstractScrollArea
{
  Q_OBJECT
public:
  explicit TimelineView(QWidget* parent = nullptr);
  ~TimelineView() override;

  void show(SharedTimeline timeline);
  const Timeline* timeline() const { return timeline_.get(); }
  /// Spans and lanes whose name does not contain it fade.
  void setFilter(const QString& words);
  QString filter() const { return filter_; }
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
  /// The names of the lanes in the order in which they stand; folded groups have none.
  QStringList laneNames() const;
  /// The heads of groups in the order in which they stand.
  QStringList groupNames() const;
  /// Folds or unfolds all groups.
  void foldAll(bool folded);
  bool isFolded() const { return !folded_.isEmpty(); }
  /// Whether what the step's end waited for is outlined.
  void showCritical(bool on);
  bool showsCritical() const { return critical_; }
  /// Whether arrows show which messages are waited for: those of the chosen span and of its neighbours; all where few
  /// are in sight.
  void showArrows(bool on);
  bool showsArrows() const { return arrows_; }
  /// The arrows that are drawn, by their place in the timeline.
  std::vector<std::size_t> arrowsInSight() const;
  /// Those into and out of the chosen span; at most 24.
  std::vector<const Flow*> arrowsOfChosen() const;
  /// Chooses the span that the chosen one waited for longest, or the first one that waited for it.
  void followArrow(bool back);
  /// The time that can be shown, where another timeline is longer; that of this one is always part of it.
  void setWhole(double begin, double end);
  /// The width of the names, where another timeline has wider ones.
  void setLeastLabels(int width);
  int labelsWanted() const { return labels_wanted_; }
  void setCursor(double seconds);
  /// The range that was chosen, or the span that was clicked last; empty (begin = end): neither.
  std::pair<double, double> range() const;
  /// The lanes that a range is summed over: those that pass the filter.
  const std::vector<int>& countedLanes() const { return counted_; }
  /// The span that was clicked last, and its lane.
  const Span* chosenSpan(int* lane) const;
  /// Where the lanes begin, below overview, axis and counters; px.
  int headHeight() const;

  /// What turns names of work and of lanes into the language of the window; nothing: they are shown as they are.
  void setWords(std::function<QString(const QString&)> words);
  QString shown(const QString& name) const;

signals:
  void cursorMoved(double seconds);
  /// In words: the span under the pointer, or the sums of the selected range.
  void described(const QString& text);
  void rangeChanged(double begin, double end);
  /// Critical path or arrows were switched on or off.
  void marksChanged();
  /// Another span was clicked, or a range chosen, or neither any more.
  void chosen();
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
  enum class Drag { none, pan, select, overview };
  void recolour();
  void layoutLanes();
  void findRows();
  bool matches(const QString& words) const;
  void findFavoured(std::vector<char> hits);
  void rangeMoved();
  void moveOverview(int x);
  void toggleFold(int group);
  const TimelineRow* rowAt(int y) const;
  const LaneDetail& detailOf(int lane) const;
  void paint(QPainter& painter, const QSize& size, int first_y);
  void paintEmpty(QPainter& painter, const QSize& size) const;
  void paintAxis(QPainter& painter, const QSize& size) const;
  void paintOverview(QPainter& painter, const QSize& size);
  void paintCounters(QPainter& painter) const;
  void paintCritical(QPainter& painter, int first_y) const;
  void paintArrows(QPainter& painter, int first_y) const;
  void findNear();
  void choose(int lane, std::ptrdiff_t span);
  void paintMarks(QPainter& painter, const QSize& size) const;
  static QString most_text(const Counter& counter);
  void paintGroup(QPainter& painter, int group, int top, const TimeScale& pixels);
  void paintWords(QPainter& painter, int from, int to, int first_y, const std::vector<std::vector<std::size_t>>& named);
  const QStaticText& labelOf(const TimelineRow& row);
  const QStaticText& nameOf(std::uint32_t name, int width);
  const Span* spanAt(const QPoint& at, int* lane) const;
  QString wordsOf(const Span& span, int lane) const;
  void describeAt(const QPoint& at);

  std::function<QString(const QString&)> words_of_name_;
  mutable QHash<QString, QString> shown_; // by name
  SharedTimeline timeline_;
  TimeScale scale_;
  std::vector<std::uint32_t> colours_; // by name
  std::vector<std::uint32_t> inks_;    // of the words on them
  QImage strip_;                       // a lane at a time
  QImage overview_;                    // of the whole, at the width it was drawn for
  QHash<int, QStaticText> labels_;     // of lanes, and of groups below 0, cut to their width
  std::vector<int> name_widths_;       // px; below 0: not asked yet
  QHash<quint64, QStaticText> names_;  // by name and, where cut, width
  /// Of a filter: the lanes from afar, with what it finds in front; made on another thread.
  std::shared_ptr<const std::vector<LaneDetail>> favoured_;
  std::shared_ptr<Guard> guard_;
  int filter_number_ = 0;
  std::vector<LaneGroup> groups_;
  std::vector<TimelineRow> rows_; // after the filter
  std::vector<int> row_of_;       // of each lane: its row, or that of the group it is folded into; below 0: none
  std::vector<std::size_t> near_; // arrows of the chosen span and of its neighbours
  std::vector<int> counted_;
  QSet<int> folded_;
  /// Of folded groups, for the scale that they were drawn for.
  QHash<int, GroupPicture> group_pictures_;
  TimeScale group_scale_;
  QString filter_;
  int label_width_ = 170;
  int labels_wanted_ = 0;
  int least_labels_ = 0;
  double low_ = 0; // what can be shown, s
  double high_ = 1;
  QPoint pressed_;
  Drag drag_ = Drag::none;
  bool critical_ = true;
  bool arrows_ = true;
  bool picture_ = false; // for a document: without the overview
  double select_begin_ = 0;
  double select_end_ = 0;
  double cursor_ = -1;
  QString clicked_;
  int clicked_lane_ = -1;
  std::ptrdiff_t clicked_span_ = -1;
  QSet<int> pinned_;
};

} // namespace trainyard::gui
