// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QHash>
#include <QWidget>

#include "gui/timeline/timeline.hpp"

class QCheckBox;
class QComboBox;
class QLabel;
class QToolButton;
class QTreeWidget;

namespace trainyard::gui {

class TimelineView;

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
  /// Whose timeline it is, or why there is none.
  void setTitle(const QString& words);
  /// Words below the lanes.
  void tell(const QString& words);
  void filter(const QString& words);

protected:
  void changeEvent(QEvent* event) override;

private:
  void choose();
  QString hint() const;
  void showLegend();
  void showDetails();

  TimelineView* view_;
  QLabel* title_;
  QComboBox* run_;
  QComboBox* lanes_;
  QToolButton* fold_;
  QCheckBox* critical_;
  QLabel* legend_;
  QTreeWidget* details_;
  QLabel* words_;
  TimelineSource source_;
  QHash<QString, SharedTimeline> made_;
  bool filling_ = false;
};

} // namespace trainyard::gui
