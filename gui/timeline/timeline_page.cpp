// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline_page.hpp"

#include "gui/core/widgets.hpp"
#include "gui/timeline/flame.hpp"
#include "gui/timeline/timeline.hpp"
#include "gui/timeline/timeline_view.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace trainyard::gui {

TimelinePage::TimelinePage(QWidget* parent)
    : QWidget{parent}, view_{new TimelineView}, second_{new TimelineView}, active_{view_}, names_{new QLabel,
                                                                                                  new QLabel},
      title_{new QLabel}, run_{new QComboBox}, beside_{new QComboBox}, lanes_{new QComboBox}, fold_{new QToolButton},
      critical_{new QCheckBox{tr("Critical path")}}, arrows_{new QCheckBox{tr("Messages")}}, legend_{new QLabel},
      chosen_{new QTabWidget}, details_{new QTreeWidget}, flame_{new FlameView}, words_{new QLabel}
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
  beside_->setObjectName(QStringLiteral("timeline_second"));
  beside_->setAccessibleName(tr("Timeline that stands below, on the same time axis"));
  narrow(*beside_, 14);
  arrows_->setObjectName(QStringLiteral("arrows"));
  arrows_->setToolTip(tr("Arrows from messages to what waited for them (M); [ and ] follow them"));
  bar->addWidget(run_);
  bar->addWidget(beside_);
  bar->addWidget(lanes_);
  bar->addWidget(arrows_);
  bar->addWidget(critical_);
  bar->addWidget(fold_);
  layout->addLayout(bar);
  auto* parts = new QSplitter{Qt::Vertical};
  int number = 0;
  for (TimelineView* each : {view_, second_}) {
    auto* half = new QWidget;
    auto* column = column_in(half);
    column->setSpacing(0);
    names_[number]->setObjectName(QStringLiteral("timeline_name_%1").arg(number));
    names_[number]->setMargin(3);
    names_[number]->setFont(bold(names_[number]->font()));
    column->addWidget(names_[number]);
    column->addWidget(each, 1);
    parts->addWidget(half);
    parts->setStretchFactor(number, 4);
    ++number;
  }
  second_->setAccessibleName(tr("Second timeline"));
  chosen_->setObjectName(QStringLiteral("chosen"));
  chosen_->setAccessibleName(tr("What was chosen"));
  chosen_->setDocumentMode(true);
  chosen_->addTab(details_, tr("Numbers"));
  chosen_->addTab(flame_, tr("Flame graph"));
  parts->addWidget(chosen_);
  parts->setStretchFactor(number, 1);
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
  flame_->setObjectName(QStringLiteral("flame"));
  chosen_->hide();
  connect(chosen_, &QTabWidget::currentChanged, this, &TimelinePage::showFlame);
  connect(flame_, &FlameView::described, this, &TimelinePage::tell);

  connectView(view_, second_);
  connectView(second_, view_);
  connect(second_, &TimelineView::cursorMoved, view_, &TimelineView::cursorMoved);
  connect(run_, &QComboBox::currentIndexChanged, this, &TimelinePage::choose);
  connect(beside_, &QComboBox::currentIndexChanged, this, &TimelinePage::chooseSecond);
  connect(lanes_, &QComboBox::currentIndexChanged, this, &TimelinePage::choose);
  for (TimelineView* each : {view_, second_}) {
    connect(critical_, &QCheckBox::toggled, each, &TimelineView::showCritical);
    connect(arrows_, &QCheckBox::toggled, each, &TimelineView::showArrows);
  }
  connect(fold_, &QToolButton::clicked, this, [this] {
    const bool folded = !view_->isFolded();
    view_->foldAll(folded);
    second_->foldAll(folded);
    showLegend();
  });
  connect(legend_, &QLabel::linkActivated, this, [this](const QString& category) {
    const bool same = legend_->property("chosen").toString() == category;
    legend_->setProperty("chosen", same ? QString{} : category);
    view_->setFilter(same ? QString{} : category);
    second_->setFilter(same ? QString{} : category);
  });
  show(SharedTimeline{});
}

void TimelinePage::connectView(TimelineView* view, TimelineView* other)
{
  connect(view, &TimelineView::described, this,
          [this](const QString& words) { words_->setText(words.isEmpty() ? hint() : words); });
  connect(view, &TimelineView::chosen, this, [this, view] {
    active_ = view;
    showDetails();
  });
  connect(view, &TimelineView::marksChanged, this, [this, view] { // by a key; the boxes tell the other one
    critical_->setChecked(view->showsCritical());
    arrows_->setChecked(view->showsArrows());
  });
  connect(view, &TimelineView::rangeChanged, other, [this, other](double begin, double end) {
    if (!second_->isHidden())
      other->showRange(begin, end);
  });
  connect(view, &TimelineView::cursorMoved, other, &TimelineView::setCursor);
  connect(view->verticalScrollBar(), &QScrollBar::valueChanged, other->verticalScrollBar(), &QScrollBar::setValue);
}

void TimelinePage::show(SharedTimeline timeline)
{
  source_ = {};
  made_.clear();
  run_->hide();
  lanes_->hide();
  offers_.clear();
  view_->show(std::move(timeline));
  fillOffers();
  showLegend();
}

void TimelinePage::show(TimelineSource source, SharedTimeline first)
{
  filling_ = true;
  source_ = std::move(source);
  made_.clear();
  offers_.clear();
  run_->clear();
  run_->addItems(source_.runs);
  lanes_->setCurrentIndex(0);
  filling_ = false;
  run_->setVisible(source_.runs.size() > 1);
  lanes_->setVisible(source_.jobs);
  made_[source_.runs.value(0) + QLatin1Char('\n') + QLatin1Char('0')] = std::move(first);
  choose();
}

void TimelinePage::choose()
{
  if (filling_ || !source_.make)
    return;
  view_->show(made(run_->currentText()));
  fillOffers();
  showLegend();
}

SharedTimeline TimelinePage::made(const QString& run)
{
  const QString key = run + QLatin1Char('\n') + QString::number(lanes_->currentIndex());
  if (!made_.contains(key))
    made_[key] = std::make_shared<const Timeline>(source_.make(run, lanes_->currentIndex() == 0));
  return made_.value(key);
}

void TimelinePage::offer(QVector<TimelineOffer> offers)
{
  offers_ = std::move(offers);
  fillOffers();
}

void TimelinePage::fillOffers()
{
  const QString kept = beside_->currentIndex() > 0 ? beside_->currentText() : QString{};
  listed_.clear();
  for (const QString& run : std::as_const(source_.runs))
    if (run != run_->currentText())
      listed_.push_back({run, [this, run] { return made(run); }});
  listed_ += offers_;
  filling_ = true;
  beside_->clear();
  beside_->addItem(tr("Below: nothing"));
  int index = 0;
  for (const TimelineOffer& each : std::as_const(listed_)) {
    beside_->addItem(each.name);
    if (each.name == kept)
      index = beside_->count() - 1;
  }
  beside_->setCurrentIndex(index);
  beside_->setVisible(!listed_.isEmpty() && view_->timeline() != nullptr);
  filling_ = false;
  chooseSecond();
}

void TimelinePage::chooseSecond()
{
  if (filling_)
    return;
  const int index = beside_->currentIndex() - 1;
  if (index < 0 || index >= listed_.size() || view_->timeline() == nullptr)
    return showSecond(beside_->currentText(), nullptr);
  const QString name = listed_[index].name;
  if (SharedTimeline timeline = listed_[index].get(); timeline)
    return showSecond(name, std::move(timeline));
  showSecond(name, nullptr, tr("the timeline of %1 is being made…").arg(name));
}

void TimelinePage::showSecond(const QString& name, SharedTimeline timeline, const QString& why)
{
  if (name != beside_->currentText())
    return; // another one by now
  const bool two = timeline != nullptr && !timeline->lanes.empty();
  second_->show(two ? std::move(timeline) : nullptr);
  second_->parentWidget()->setVisible(two);
  second_->setVisible(two);
  names_[0]->setText(source_.runs.size() > 1 ? run_->currentText() : title_->text());
  names_[0]->setVisible(two);
  names_[1]->setText(name);
  names_[1]->setVisible(two);
  active_ = view_;
  align();
  if (!why.isEmpty())
    tell(why);
}

void TimelinePage::align()
{
  const bool two = !second_->isHidden() && view_->timeline() != nullptr;
  for (TimelineView* each : {view_, second_}) // else one of them is wider by its scroll bar
    each->setVerticalScrollBarPolicy(two ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAsNeeded);
  if (view_->timeline() == nullptr)
    return;
  const Timeline& first = *view_->timeline();
  if (!two) {
    view_->setLeastLabels(0);
    return view_->setWhole(first.begin, first.end);
  }
  const Timeline& other = *second_->timeline();
  const int labels = std::max(view_->labelsWanted(), second_->labelsWanted());
  for (TimelineView* each : {view_, second_}) {
    each->setLeastLabels(labels);
    each->setWhole(std::min(first.begin, other.begin), std::max(first.end, other.end));
  }
  second_->setFilter(view_->filter());
  second_->showCritical(view_->showsCritical());
  second_->showArrows(view_->showsArrows());
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
  second_->setFilter(words);
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
  arrows_->setVisible(any && !timeline->flows.empty());
  arrows_->setChecked(view_->showsArrows());
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
  const Timeline* timeline = active_->timeline();
  const auto [begin, end] = active_->range();
  chosen_->setVisible(timeline != nullptr && end > begin);
  if (!chosen_->isVisibleTo(this))
    return;
  showFlame();
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
  const auto lane_name = [&](int number) {
    return active_->shown(timeline->lanes[static_cast<std::size_t>(number)].name);
  };
  // A click is about one piece of work, beside all of its name on the same lane.
  int lane = -1;
  const Span* span = active_->chosenSpan(&lane);
  const bool one = span != nullptr && span->begin == begin && span->end == end;
  if (one) {
    const QString& name = timeline->names[static_cast<int>(span->name)];
    const double length = span->end - span->begin;
    const double whole = std::max(1e-300, timeline->end - timeline->begin);
    add(nullptr, {{}, name, 1, length, length, length, length / whole}, tr("%1 (chosen)").arg(active_->shown(name)));
    for (const SpanSum& sum : sums_of(*timeline, {lane}, timeline->begin, timeline->end, 1U << 20U))
      if (sum.name == name)
        add(nullptr, sum, tr("all of %1 on %2").arg(active_->shown(name), lane_name(lane)));
    const auto part = [&](const Span& other, int at, const QString& words) {
      const double took = other.end - other.begin;
      add(nullptr, {{}, {}, 1, took, took, took, took / whole},
          words.arg(active_->shown(timeline->names[static_cast<int>(other.name)]), lane_name(at)));
    };
    for (const Flow* flow : active_->arrowsOfChosen())
      if (&timeline->to(*flow) == span)
        part(timeline->from(*flow), flow->from_lane, tr("after %1 on %2"));
      else
        part(timeline->to(*flow), flow->to_lane, tr("before %1 on %2"));
  } else {
    QTreeWidgetItem* kind = nullptr;
    for (const SpanSum& sum : sums_of(*timeline, active_->countedLanes(), begin, end))
      if (sum.name.isEmpty())
        kind = add(nullptr, sum, category_words(sum.category));
      else
        add(kind, sum, sum.name);
    tell(tr("%1 chosen, %n lanes", nullptr, static_cast<int>(active_->countedLanes().size()))
             .arg(time_text(end - begin, (end - begin) / 1000)));
  }
  for (int i = 0; i < details_->columnCount(); ++i)
    details_->resizeColumnToContents(i);
}

void TimelinePage::showFlame()
{
  const Timeline* timeline = active_->timeline();
  const auto [begin, end] = active_->range();
  if (timeline == nullptr || end <= begin || chosen_->currentWidget() != flame_)
    return;
  int lane = -1;
  const Span* span = active_->chosenSpan(&lane);
  if (span != nullptr && span->begin == begin && span->end == end) // of one piece of work the whole lane
    flame_->show(flame_of(*timeline, {lane}, timeline->begin, timeline->end));
  else
    flame_->show(flame_of(*timeline, active_->countedLanes(), begin, end));
}

} // namespace trainyard::gui
