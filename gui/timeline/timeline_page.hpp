// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QHash>
#include <QWidget>

#include "gui/timeline/timeline.hpp"

#include <functional>

class QCheckBox;
class QComboBox;
class QLabel;
class QTabWidget;
class QToolButton;
class QTreeWidget;

namespace trainyard::gui {

class FlameView;
class TimelineView;

/// A timeline that can stand below the one that is shown: another point, run or policy.
struct TimelineOffer {
  QString name;
  /// Nothing: it is being made, and TimelinePage::showSecond follows.
  std::function<SharedTimeline()> get;
};

/// The timeline with what belongs to it: whose it is, which of several, the meaning of its colours, and the numbers of
/// what is chosen.
class TimelinePage : public QWidget
{
  Q_OBJECT
public:
  explicit TimelinePage(QWidget* parent = nullptr);

  TimelineView* view() { return view_; }
  /// Shows one timeline; an empty one is a page that says so.
  void show(SharedTimeline timeline);
  /// Shows the timelines of a queue, made when they are chosen; @p first: of the first one.
  void show(TimelineSource source, SharedTimeline first);
  /// What may stand below it, beside the other runs of a queue; until another timeline is shown.
  void offer(QVector<TimelineOffer> offers);
  /// The one that was asked for last, if @p name is still it; without a timeline, why not.
  void showSecond(const QString& name, SharedTimeline timeline, const QString& why = {});
  /// The lower timeline; hidden where one stands alone.
  TimelineView* second() { return second_; }
  /// Whose timeline it is, or why there is none.
  void setTitle(const QString& words);
  /// Words below the lanes.
  void tell(const QString& words);
  void filter(const QString& words);

protected:
  void changeEvent(QEvent* event) override;

private:
  void choose();
  void connectView(TimelineView* view, TimelineView* other);
  SharedTimeline made(const QString& run);
  void fillOffers();
  void chooseSecond();
  /// One time axis, one width of names, one place of scrolling.
  void align();
  QString hint() const;
  void showLegend();
  void showDetails();
  void showFlame();

  TimelineView* view_;
  TimelineView* second_;
  TimelineView* active_; // the one that was clicked last
  QLabel* names_[2];     // above each of two
  QLabel* title_;
  QComboBox* run_;
  QComboBox* beside_;
  QComboBox* lanes_;
  QToolButton* fold_;
  QCheckBox* critical_;
  QCheckBox* arrows_;
  QLabel* legend_;
  QTabWidget* chosen_; // the numbers of what is chosen, and the same as a picture
  QTreeWidget* details_;
  FlameView* flame_;
  QLabel* words_;
  TimelineSource source_;
  QHash<QString, SharedTimeline> made_;
  QVector<TimelineOffer> offers_; // of others
  QVector<TimelineOffer> listed_; // and the other runs of a queue
  bool filling_ = false;
};

} // namespace trainyard::gui
