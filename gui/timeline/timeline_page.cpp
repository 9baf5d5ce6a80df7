// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline_page.hpp"

#include "gui/core/widgets.hpp"
#include "gui/timeline/span_colours.hpp"
#include "gui/timeline/span_statistics.hpp"
#include "gui/timeline/time_scale.hpp"
#include "gui/timeline/timeline_view.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <utility>

namespace trainyard::gui {

TimelinePage::TimelinePage(QWidget* parent)
    : QWidget{parent}, view_{new TimelineView}, title_{new QLabel}, run_{new QComboBox}, lanes_{new QComboBox},
      fold_{new QToolButton}, critical_{new QCheckBox{tr("Critical path")}}, legend_{new QLabel},
      details_{new QTreeWidget}, words_{new QLabel}
{
  auto* layout = column_in(this);
  layout->setSpacing(2);
  auto* bar = new QHBoxLayout;
  title_->setObjectName(QStringLiteral("timeline_of"));
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  title_->setWordWrap(true);
  title_->setMargin(4);
  run_->setObjectName(QStringLiteral("timeline_run"));
  run_->setAccessibleName(tr("Policy that the timeline shows"));
  lanes_->setObjectName(QStringLiteral("timeline_lanes"));
  lanes_->setAccessibleName(tr("What has a lane of its own"));
  lanes_->addItem(tr("Lanes: machines and GPUs"));
  lanes_->addItem(tr("Lanes: jobs that waited longest"));
  narrow(*run_, 14);
  narrow(*lanes_, 18);
  fold_->setObjectName(QStringLiteral("fold"));
  fold_->setAutoRaise(true);
  critical_->setObjectName(QStringLiteral("critical"));
  critical_->setToolTip(tr("Outlines what the end of the step waited for (C)"));
  bar->addWidget(title_, 1);
  bar->addWidget(run_);
  bar->addWidget(lanes_);
  bar->addWidget(critical_);
  bar->addWidget(fold_);
  layout->addLayout(bar);
  auto* parts = new QSplitter{Qt::Vertical};
  parts->addWidget(view_);
  parts->addWidget(details_);
  parts->setStretchFactor(0, 4);
  parts->setStretchFactor(1, 1);
  parts->setChildrenCollapsible(false);
  layout->addWidget(parts, 1);
  legend_->setObjectName(QStringLiteral("legend"));
  legend_->setWordWrap(true);
  legend_->setMargin(4);
  legend_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  legend_->setToolTip(tr("A click shows this kind alone"));
  layout->addWidget(legend_);
  words_->setMinimumHeight(words_->sizeHint().height());
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  words_->setWordWrap(true);
  words_->setMargin(4);
  layout->addWidget(words_);
  details_->setObjectName(QStringLiteral("details"));
  details_->setAccessibleName(tr("Numbers of what is chosen on the timeline"));
  details_->setHeaderLabels(
      {tr("What"), tr("Count"), tr("Together"), tr("Mean"), tr("Shortest"), tr("Longest"), tr("Share of the lanes")});
  details_->setMinimumHeight(90);
  details_->setRootIsDecorated(true);
  details_->setAlternatingRowColors(true);
  details_->hide();

  connect(view_, &TimelineView::described, this,
          [this](const QString& words) { words_->setText(words.isEmpty() ? hint() : words); });
  connect(view_, &TimelineView::chosen, this, &TimelinePage::showDetails);
  connect(run_, &QComboBox::currentIndexChanged, this, &TimelinePage::choose);
  connect(lanes_, &QComboBox::currentIndexChanged, this, &TimelinePage::choose);
  connect(critical_, &QCheckBox::toggled, view_, &TimelineView::showCritical);
  connect(fold_, &QToolButton::clicked, this, [this] {
    view_->foldAll(!view_->isFolded());
    showLegend();
  });
  connect(legend_, &QLabel::linkActivated, this, [this](const QString& category) {
    const bool same = legend_->property("chosen").toString() == category;
    legend_->setProperty("chosen", same ? QString{} : category);
    view_->setFilter(same ? QString{} : category);
  });
  show(SharedTimeline{});
}

void TimelinePage::show(SharedTimeline timeline)
{
  source_ = {};
  made_.clear();
  run_->hide();
  lanes_->hide();
  view_->show(std::move(timeline));
  showLegend();
}

void TimelinePage::show(TimelineSource source, SharedTimeline first)
{
  filling_ = true;
  source_ = std::move(source);
  made_.clear();
  run_->clear();
  run_->addItems(source_.runs);
  lanes_->setCurrentIndex(0);
  filling_ = false;
  run_->setVisible(source_.runs.size() > 1);
  lanes_->show();
  made_[source_.runs.value(0) + QLatin1Char('\n') + QLatin1Char('0')] = std::move(first);
  choose();
}

void TimelinePage::choose()
{
  if (filling_ || !source_.make)
    return;
  const bool by_machine = lanes_->currentIndex() == 0;
  const QString key = run_->currentText() + QLatin1Char('\n') + QString::number(lanes_->currentIndex());
  if (!made_.contains(key))
    made_[key] = std::make_shared<const Timeline>(source_.make(run_->currentText(), by_machine));
  view_->show(made_.value(key));
  showLegend();
}

void TimelinePage::setTitle(const QString& words)
{
  title_->setText(words);
}

void TimelinePage::tell(const QString& words)
{
  words_->setText(words);
}

void TimelinePage::filter(const QString& words)
{
  legend_->setProperty("chosen", QString{});
  view_->setFilter(words);
}

QString TimelinePage::hint() const
{
  const Timeline* timeline = view_->timeline();
  return timeline == nullptr || timeline->lanes.empty()
             ? QString{}
             : tr("Wheel: zoom · drag: move · Shift and drag: add up a range · click: one piece of work");
}

void TimelinePage::showLegend()
{
  const Timeline* timeline = view_->timeline();
  const bool any = timeline != nullptr && !timeline->lanes.empty();
  legend_->setText(any ? legend_html(*timeline) : QString{});
  legend_->setVisible(!legend_->text().isEmpty());
  critical_->setVisible(any && !timeline->critical.empty());
  critical_->setChecked(view_->showsCritical());
  fold_->setVisible(any && (view_->isFolded() || !view_->groupNames().isEmpty()));
  fold_->setText(view_->isFolded() ? tr("Unfold all") : tr("Fold all"));
  fold_->setToolTip(tr("Machines and jobs as one lane each, or with all of their lanes (G)"));
  words_->setText(hint());
}

void TimelinePage::changeEvent(QEvent* event)
{
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    showLegend();
}

void TimelinePage::showDetails()
{
  details_->clear();
  const Timeline* timeline = view_->timeline();
  const auto [begin, end] = view_->range();
  details_->setVisible(timeline != nullptr && end > begin);
  if (!details_->isVisibleTo(this))
    return;
  const auto cells = [](const SpanSum& sum, const QString& name) {
    const double mean = sum.total / static_cast<double>(std::max<qint64>(1, sum.count));
    const auto words = [](double seconds) { return time_text(seconds, std::max(seconds, 1e-12) / 1000); };
    return QStringList{name,
                       QString::number(sum.count),
                       words(sum.total),
                       words(mean),
                       words(sum.shortest),
                       words(sum.longest),
                       QStringLiteral("%1 %").arg(100 * sum.share, 0, 'f', 1)};
  };
  const auto add = [&](QTreeWidgetItem* parent, const SpanSum& sum, const QString& name) {
    auto* row = new QTreeWidgetItem{cells(sum, name)};
    for (int i = 1; i < row->columnCount(); ++i)
      row->setTextAlignment(i, Qt::AlignRight | Qt::AlignVCenter);
    if (parent != nullptr)
      parent->addChild(row);
    else
      details_->addTopLevelItem(row);
    return row;
  };
  // A click is about one piece of work, beside all of its name on the same lane.
  int lane = -1;
  const Span* span = view_->chosenSpan(&lane);
  const bool one = span != nullptr && span->begin == begin && span->end == end;
  if (one) {
    const QString& name = timeline->names[static_cast<int>(span->name)];
    const double length = span->end - span->begin;
    const double whole = std::max(1e-300, timeline->end - timeline->begin);
    add(nullptr, {{}, name, 1, length, length, length, length / whole}, tr("%1 (chosen)").arg(name));
    for (const SpanSum& sum : sums_of(*timeline, {lane}, timeline->begin, timeline->end, 1U << 20U))
      if (sum.name == name)
        add(nullptr, sum, tr("all of %1 on %2").arg(name, timeline->lanes[static_cast<std::size_t>(lane)].name));
  } else {
    QTreeWidgetItem* kind = nullptr;
    for (const SpanSum& sum : sums_of(*timeline, view_->countedLanes(), begin, end))
      if (sum.name.isEmpty())
        kind = add(nullptr, sum, category_words(sum.category));
      else
        add(kind, sum, sum.name);
    tell(tr("%1 chosen, %n lanes", nullptr, static_cast<int>(view_->countedLanes().size()))
             .arg(time_text(end - begin, (end - begin) / 1000)));
  }
  for (int i = 0; i < details_->columnCount(); ++i)
    details_->resizeColumnToContents(i);
}

} // namespace trainyard::gui
