// SPDX-License-Identifier: Apache-2.0
#include "gui/results/results_view.hpp"

#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/figures.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/overview.hpp"
#include "gui/results/pipeline_view.hpp"
#include "gui/timeline/timeline_page.hpp"
#include "gui/timeline/timeline_view.hpp"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSet>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace trainyard::gui {
namespace {

QTableView* table_for(TableModel& model, RowFilter& filter, const QString& name)
{
  filter.setSourceModel(&model);
  auto* table = new QTableView;
  set_up(*table, &filter, name);
  table->setSortingEnabled(true);
  table->sortByColumn(-1, Qt::AscendingOrder);
  table->setAlternatingRowColors(true);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->verticalHeader()->setDefaultSectionSize(22);
  table->horizontalHeader()->setDefaultSectionSize(120);
  return table;
}

/// Columns as wide as their words; a long one does not push the others out of sight.
void fit_columns(QTableView& table)
{
  table.resizeColumnsToContents();
  for (int i = 0; i < table.model()->columnCount(); ++i)
    table.setColumnWidth(i, std::min(table.columnWidth(i) + 8, 320));
}

/// The point that a sentence is about, "workers=2: …"; empty where it is about all.
QString point_in_front(const Message& message)
{
  for (const auto& [place, argument] : message.arguments)
    if (const auto* point = std::get_if<std::string>(&argument);
        point != nullptr && place == "point" && message.text.starts_with(*point + ": "))
      return QString::fromStdString(*point);
  return {};
}

/// Whether two scenarios are one: files by their paths, or by their names where a path is not known.
bool same_scenario(const QString& one, const QString& other)
{
  return QFileInfo{one}.isAbsolute() && QFileInfo{other}.isAbsolute()
             ? QFileInfo{QDir::cleanPath(one)} == QFileInfo{QDir::cleanPath(other)} // links followed
             : QFileInfo{one}.fileName() == QFileInfo{other}.fileName();
}

} // namespace

ResultsView::ResultsView(QWidget* parent)
    : QWidget{parent}, nothing_{empty_state(tr("No results yet"),
                                            tr("Run (F5) simulates the scenario. Its rates, costs, charts and "
                                               "timeline are then shown here; File, Open results folder… shows "
                                               "those of an earlier run."))},
      advice_{new QLabel}, warnings_{new QLabel}, run_{new QLabel}, filter_{new QLineEdit}, tabs_{new QTabWidget},
      table_{new QComboBox}, x_{new QComboBox}, y_{new QComboBox}, by_{new QComboBox}, point_{new QComboBox},
      point_axes_{new QWidget}, chart_{new Chart}, overview_{new Overview}, same_{new QLabel},
      timeline_{new TimelinePage}, steps_{new QTextBrowser}, more_{new QTabWidget}, pipeline_{new PipelineView}
{
  auto* layout = new QVBoxLayout{this};
  tabs_->setAccessibleName(tr("Pages of the results"));
  more_->setObjectName(QStringLiteral("more"));
  more_->setAccessibleName(tr("Further tables and pictures"));
  advice_->setWordWrap(true);
  advice_->setObjectName(QStringLiteral("answer"));
  advice_->setTextFormat(Qt::RichText);
  advice_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  warnings_->setWordWrap(true);
  layout->addWidget(nothing_);
  layout->addWidget(advice_);
  layout->addWidget(warnings_);
  auto* bar = new QHBoxLayout;
  filter_->setPlaceholderText(tr("Filter all views…"));
  filter_->setClearButtonEnabled(true);
  filter_->setToolTip(
      tr("Words anywhere in a row, or columns compared: job = 17, waiting > 1 h, team = speech. Enter goes "
         "to the rows that are left, and again explains the first"));
  filter_->setAccessibleName(tr("Filter"));
  narrow(*point_, 12);
  point_->setObjectName(QStringLiteral("point"));
  point_->setAccessibleName(tr("Point shown on the canvas"));
  point_->setToolTip(tr("The canvas and the step breakdown show this point of the sweep"));
  run_->setObjectName(QStringLiteral("run_shown"));
  run_->setAccessibleName(tr("Run that is shown"));
  run_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  bar->addWidget(filter_, 1);
  bar->addWidget(point_, 1);
  bar->addWidget(point_axes_, 1);
  new QHBoxLayout{point_axes_};
  point_axes_->layout()->setContentsMargins(0, 0, 0, 0);
  bar->addWidget(run_);
  layout->addLayout(bar);
  layout->addWidget(tabs_, 1);

  tabs_->addTab(makeChartPage(), tr("Overview"));
  const QStringList names{tr("Jobs"), tr("Links"), tr("Events")};
  for (const QString& name : names) {
    models_.push_back(new TableModel{this});
    filters_.push_back(new RowFilter{this});
    tables_.push_back(table_for(*models_.back(), *filters_.back(), name));
  }
  auto* jobs_page = new QWidget;
  auto* jobs_layout = column_in(jobs_page);
  same_->setWordWrap(true);
  same_->setMargin(4);
  same_->setForegroundRole(QPalette::PlaceholderText);
  same_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  jobs_layout->addWidget(same_);
  jobs_layout->addWidget(tables_[0], 1);
  tabs_->addTab(jobs_page, names[0]);
  tabs_->addTab(timeline_, tr("Timeline"));
  tabs_->addTab(steps_, tr("Step"));
  tabs_->addTab(tables_[1], names[1]);
  tabs_->addTab(tables_[2], names[2]);
  tabs_->addTab(more_, tr("More"));
  tabs_->addTab(pipeline_, tr("Pipeline"));
  steps_->setAccessibleName(tr("Where the step's time goes"));
  connectParts();
  for (int i = 0; i < tables_.size(); ++i)
    explainOnDoubleClick(tables_[i], models_[i], filters_[i]);
  show(nullptr);
}

void ResultsView::connectParts()
{
  connect(advice_, &QLabel::linkActivated, this, [this] {
    whole_advice_ = !whole_advice_;
    showAdvice();
  });
  connect(tabs_, &QTabWidget::currentChanged, this, &ResultsView::fillTab);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& words) {
    for (RowFilter* filter : std::as_const(filters_))
      filter->setWords(words);
    timeline_->filter(words);
    showSame();
    redraw();
  });
  connect(filter_, &QLineEdit::returnPressed, this, [this] { // on to the rows that are left
    for (QTableView* table : std::as_const(tables_))
      if (table->isVisible() && table->model()->rowCount() > 0) {
        table->setCurrentIndex(table->model()->index(0, 0));
        table->setFocus();
      }
  });
  TimelineView* lanes = timeline_->view();
  connect(lanes, &TimelineView::cursorMoved, this, &ResultsView::timeChosen);
  // One range of time and one mark for the timeline and a chart over time.
  connect(lanes, &TimelineView::cursorMoved, this, [this](double seconds) {
    if (seconds_per_x_ > 0)
      chart_->setMark(seconds / seconds_per_x_);
  });
  connect(lanes, &TimelineView::rangeChanged, this, [this](double begin, double end) {
    if (seconds_per_x_ > 0)
      chart_->showRange(begin / seconds_per_x_, end / seconds_per_x_);
  });
  connect(lanes, &TimelineView::laneActivated, this, &ResultsView::explainLane);
  connect(point_, &QComboBox::currentIndexChanged, this, [this] {
    if (!filling_)
      choosePoint();
  });
  connect(tables_[0], &QTableView::doubleClicked, this, [this](const QModelIndex& at) {
    if (results_)
      point_->setCurrentIndex(
          point_->findText(results_->jobs.text(filters_[0]->mapToSource(at).row(), QStringLiteral("point"))));
  });
}

void ResultsView::explainLane(const QString& process, const QString& lane)
{
  if (!results_)
    return;
  // "job 812" of a queue, the task of an orchestrator, "web is trained" of a task environment, or the process "train
  // (workers=8)" of training steps.
  const QString job = QStringLiteral("job");
  if (results_->jobs.column(QStringLiteral("policy")) >= 0) { // the lane is a job, or a GPU on which one ran
    const QString of = timeline()->spanNameAtCursor();
    const bool by_gpu = timeline()->timeline() != nullptr && !timeline()->timeline()->lanes.empty() &&
                        timeline()->timeline()->lanes.front().gpu;
    if (!by_gpu || !of.isEmpty())
      emit explainRequested(job, (by_gpu ? of : lane).section(QLatin1Char(' '), -1), {});
  } else if (std::any_of(results_->other.begin(), results_->other.end(),
                         [](const auto& each) { return each.first == QLatin1String("tasks"); }))
    emit explainRequested(QStringLiteral("task"), lane, {});
  else if (!results_->jobs.rows.isEmpty())
    emit explainRequested(job, process.section(QLatin1String(" ("), 0, 0), {});
  else if (const QString name = timeline()->spanNameAtCursor(); !name.isEmpty()) // "job 812" or "serve-0"
    emit explainRequested(job, name.section(QLatin1Char(' '), -1), {});
}

void ResultsView::explainOnDoubleClick(QTableView* table, TableModel* model, RowFilter* filter)
{
  // "activated" is also the Enter key.
  connect(table, &QTableView::activated, this, [this, model, filter](const QModelIndex& at) {
    if (!results_)
      return;
    const int row = filter->mapToSource(at).row();
    if (const QString link = model->table().text(row, QStringLiteral("link")); !link.isEmpty() && model == models_[1])
      return emit linkChosen(link_words(*results_, {link}, model->table().text(row, QStringLiteral("point"))));
    if (const auto [kind, name] = subject_of(model->table(), row); !name.isEmpty())
      emit explainRequested(kind, name, model->table().text(row, QStringLiteral("point")));
  });
}

TimelineView* ResultsView::timeline()
{
  return timeline_->view();
}

int ResultsView::tab() const
{
  return tabs_->currentIndex();
}
QString ResultsView::point() const
{
  return point_->currentText();
}

void ResultsView::openTab(int index)
{
  tabs_->setCurrentIndex(index);
}
void ResultsView::setFilter(const QString& words)
{
  filter_->setText(words);
}

void ResultsView::showParts(bool any)
{
  nothing_->setVisible(!any);
  for (QWidget* part : {static_cast<QWidget*>(advice_), static_cast<QWidget*>(filter_), static_cast<QWidget*>(point_),
                        point_axes_, static_cast<QWidget*>(tabs_), static_cast<QWidget*>(run_)})
    part->setVisible(any);
}

void ResultsView::compareWith(const QString& text, const QString& identity)
{
  open_text_ = text;
  open_identity_ = identity;
  if (!results_ || live_)
    return;
  const QString folder = results_->folder.section(QLatin1Char('/'), -1);
  // That of a plan is its answer.
  const bool same = results_->plan || results_->scenario_text.isEmpty() || results_->scenario_text == text;
  run_->setText(same ? folder
                     : QStringLiteral("%1 · %2").arg(folder, same_scenario(identity, results_->scenario_identity)
                                                                 ? tr("the scenario was changed since")
                                                                 : tr("another scenario is open")));
  run_->setToolTip(tr("Results of %1 in %2").arg(results_->scenario, results_->folder));
  QPalette colours;
  if (!same)
    colours.setColor(QPalette::WindowText, warning_colour());
  run_->setPalette(colours);
  run_->setForegroundRole(same ? QPalette::PlaceholderText : QPalette::WindowText);
}

void ResultsView::show(Results results)
{
  constexpr int remembered = 8;
  if (results_ && results_ != results && !results_->timeline.lanes.empty()) {
    earlier_.removeAll(results_);
    earlier_.push_front(results_);
    earlier_.resize(std::min<qsizetype>(earlier_.size(), remembered));
  }
  results_ = std::move(results);
  details_.clear();
  const bool was_live = std::exchange(live_, false);
  filling_ = true;
  for (QComboBox* box : {table_, x_, y_, by_, point_})
    box->clear();
  more_->clear();
  showParts(results_ != nullptr);
  if (!results_) {
    warnings_->hide();
    filling_ = false;
    chart_->setSeries({}, {}, {}, {});
    overview_->show(nullptr, {});
    pipeline_->show(nullptr);
    showDetail(nullptr, {});
    return;
  }
  compareWith(QString{open_text_}, QString{open_identity_});
  whole_advice_ = false;
  QStringList warnings = results_->warnings;
  for (const MessageKind kind : {MessageKind::error, MessageKind::warning})
    if (const QString of_run = message_lines(results_->messages, kind); !of_run.isEmpty())
      warnings << of_run;
  warnings_->setText(warnings.join(QLatin1Char('\n')));
  warnings_->setVisible(!warnings.isEmpty());
  const Table& jobs = results_->jobs;
  if (!jobs.rows.isEmpty() || results_->other.isEmpty())
    table_->addItem(results_->plan ? QStringLiteral("designs") : QStringLiteral("jobs"));
  tabs_->setTabText(1, results_->plan ? tr("Designs") : tr("Jobs"));
  for (const auto& [name, table] : results_->other)
    if (table.rows.size() > 1 || jobs.rows.isEmpty())
      table_->addItem(name);
  table_->setCurrentIndex(std::max(0, table_->findText(usual_table(*results_))));
  chooseTable();
  const QStringList points = points_of(*results_);
  point_->addItems(points);
  fillPointAxes(points);
  point_->setCurrentIndex(point_->count() - 1); // the largest point of a sweep is the most interesting for the links
  filled_.clear();
  models_[0]->show({});
  models_[1]->show({});
  models_[2]->show({});
  filling_ = false;
  choosePoint();
  // Pages of which the folder has nothing are not offered.
  const bool trained = jobs.column(QStringLiteral("step_s")) >= 0;
  // Pages that stay as they are are left alone: for them setTabVisible() of Qt 6 forgets that the bar has to be laid
  // out.
  const bool offered[]{true,
                       !jobs.rows.isEmpty(),
                       !results_->timeline.lanes.empty(),
                       trained && !results_->plan,
                       !results_->links.rows.isEmpty(),
                       !results_->events.rows.isEmpty(),
                       !results_->other.isEmpty() || !results_->pictures.isEmpty(),
                       pipeline_->show(results_)};
  for (int i = 0; i < static_cast<int>(std::size(offered)); ++i)
    if (tabs_->isTabVisible(i) != offered[i])
      tabs_->setTabVisible(i, offered[i]);
  tabs_->tabBar()->updateGeometry();
  if (was_live && tabs_->currentIndex() == 0)
    tabs_->setCurrentIndex(tab_before_);
  if (!tabs_->isTabVisible(tabs_->currentIndex()))
    tabs_->setCurrentIndex(0);
  fillTab(tabs_->currentIndex());
}

void ResultsView::fillPointAxes(const QStringList& points)
{
  constexpr int most = 12; // that one list shows
  point_axes_->hide();
  qDeleteAll(point_axes_->findChildren<QWidget*>(QString{}, Qt::FindDirectChildrenOnly));
  QVector<std::pair<QString, QStringList>> axes;
  for (const QString& point : points)
    for (const auto& [key, value] : parts_of_point(point)) {
      auto axis = std::find_if(axes.begin(), axes.end(), [&](const auto& each) { return each.first == key; });
      if (axis == axes.end())
        axis = axes.insert(axes.end(), {key, {}});
      if (!axis->second.contains(value))
        axis->second << value;
    }
  const bool divided = points.size() > most && axes.size() > 1;
  point_->setVisible(!divided && (points.size() > 1 || !points.value(0).isEmpty()));
  for (const auto& [key, values] : divided ? axes : decltype(axes){}) {
    auto* box = new QComboBox;
    box->setObjectName(key);
    box->addItems(values);
    narrow(*box, 4);
    auto* row = static_cast<QHBoxLayout*>(point_axes_->layout());
    row->addWidget(label_for(*box, column_title(key)));
    row->addWidget(box, 1);
    connect(box, &QComboBox::activated, this, [this, box, key = key] { chooseOnAxis(key, box->currentText()); });
  }
  point_axes_->setVisible(divided); // with what is in it
}

void ResultsView::chooseOnAxis(const QString& key, const QString& value)
{
  // The point of that value which shares most with the one before: a sweep need not be a full grid.
  const auto before = parts_of_point(point());
  int best = point_->currentIndex();
  int most = -1;
  for (int i = 0; i < point_->count(); ++i) {
    const auto parts = parts_of_point(point_->itemText(i));
    const auto shared = static_cast<int>(
        std::count_if(parts.begin(), parts.end(), [&](const auto& part) { return before.contains(part); }));
    if (parts.contains(std::pair{key, value}) && shared > most)
      std::tie(best, most) = std::pair{i, shared};
  }
  point_->setCurrentIndex(best);
}

void ResultsView::fillMore()
{
  for (const auto& [name, table] : results_->other) {
    auto* model = new TableModel{more_};
    auto* filter = new RowFilter{more_};
    model->showInWords(table);
    filter->setWords(filter_->text());
    filter->setPoint(point());
    connect(filter_, &QLineEdit::textChanged, filter, &RowFilter::setWords);
    connect(point_, &QComboBox::currentTextChanged, filter, &RowFilter::setPoint);
    QTableView* rows = table_for(*model, *filter, name);
    fit_columns(*rows);
    explainOnDoubleClick(rows, model, filter);
    const bool of_all = point_->count() > 1 && table.column(QStringLiteral("point")) < 0;
    more_->addTab(rows, of_all ? tr("%1 · all points").arg(name) : name);
  }
  for (const QString& file : results_->pictures) {
    auto* picture = new QLabel;
    picture->setAlignment(Qt::AlignCenter);
    picture->setPixmap(QPixmap{file}.scaled(1100, 700, Qt::KeepAspectRatio, Qt::SmoothTransformation));
    auto* scroll = new QScrollArea;
    scroll->setWidget(picture);
    more_->addTab(scroll, file.section(QLatin1Char('/'), -1));
  }
}

void ResultsView::showAdvice()
{
  // The first sentence strong; a long answer is expanded by its link, so that the charts keep their space.
  // Of other points than the chosen one nothing is said.
  Messages told;
  for (const Message& message : results_->messages)
    if (const QString of = point_in_front(message); of.isEmpty() || of == point_->currentText())
      told.push_back(message);
  const QString answers = message_lines(told, MessageKind::answer);
  const QString words = answers.isEmpty() ? question_words(results_->question) : answers;
  QStringList lines = words.trimmed().toHtmlEscaped().split(QLatin1Char('\n'));
  advice_->setVisible(!words.trimmed().isEmpty());
  const int more = static_cast<int>(lines.size()) - 2;
  lines[0] = QStringLiteral("<b>%1</b>").arg(lines[0]);
  if (more > 0 && !whole_advice_)
    lines = lines.mid(0, 2);
  const QString link =
      QStringLiteral(" <a href='more' style='color:%1'>%2</a>").arg(palette().color(QPalette::Link).name());
  if (more > 0)
    lines.back() += link.arg(whole_advice_ ? tr("less") : tr("%n more lines…", nullptr, more));
  advice_->setText(lines.join(QStringLiteral("<br>")));
}

void ResultsView::fillTab(int index)
{
  // Tables are filled when they are looked at: a large folder does not block the window.
  if (!results_ || live_ || filled_.contains(index))
    return;
  filled_.insert(index);
  if (index == 1)
    fill(0, results_->jobs);
  else if (index == 2)
    showTimeline();
  else if (index == 4)
    fill(1, results_->links);
  else if (index == 5)
    fill(2, results_->events);
  else if (index == 6)
    fillMore();
}

void ResultsView::offerTimelines()
{
  constexpr int most = 60; // points in the list
  QVector<TimelineOffer> offers;
  const auto timeline_of = [](const Results& detail) { return SharedTimeline{detail, &detail->timeline}; };
  for (int i = 0; i < std::min(point_->count(), most); ++i)
    if (const QString point = point_->itemText(i); i != point_->currentIndex() && !point.isEmpty())
      offers.push_back({point, [this, point, timeline_of]() -> SharedTimeline {
                          const Results here =
                              details_.contains(point) ? details_.value(point) : detail_of(results_, point);
                          if (!here)
                            emit detailWanted(results_, point);
                          return here ? timeline_of(here) : nullptr;
                        }});
  for (const Results& each : std::as_const(earlier_))
    if (each != results_)
      offers.push_back({tr("%1, run %2").arg(each->scenario, each->folder.section(QLatin1Char('/'), -1)),
                        [each, timeline_of] { return timeline_of(each); }});
  timeline_->offer(std::move(offers));
}

void ResultsView::showTimeline()
{
  const bool steps = results_->jobs.column(QStringLiteral("step_s")) >= 0; // others name lanes by jobs and machines
  for (TimelineView* view : {timeline_->view(), timeline_->second()})
    view->setWords(steps ? explained_cell_words : std::function<QString(const QString&)>{});
  const SharedTimeline whole = detail_ ? SharedTimeline{detail_, &detail_->timeline} : nullptr;
  if (TimelineSource source = queue_source(detail_); !source.runs.isEmpty())
    timeline_->show(std::move(source), whole);
  else
    timeline_->show(whole);
  if (whole != nullptr)
    offerTimelines();
}

void ResultsView::fill(int number, const Table& table)
{
  models_[number]->showInWords(table);
  fit_columns(*tables_[number]);
  showSame();
}

void ResultsView::showSame()
{
  QStringList words;
  if (const int left = filters_[0]->rowCount(); left < models_[0]->rowCount())
    words << tr("%1 of %2 rows").arg(left).arg(models_[0]->rowCount());
  if (const QStringList& unknown = filters_[0]->words().unknown(); !unknown.isEmpty() && models_[0]->rowCount() > 0)
    words << tr("no column is called “%1”").arg(unknown.join(QStringLiteral("”, “")));
  if (!models_[0]->same().isEmpty())
    words << tr("The same in every row: %1").arg(models_[0]->same());
  same_->setText(words.join(QStringLiteral(" · ")));
  same_->setVisible(!words.isEmpty());
}

void ResultsView::showLoadsAt(double seconds)
{
  if (!results_)
    return;
  if (!detail_ || seconds < detail_->link_loads.begin || detail_->link_loads.parts.isEmpty())
    return showLoads();
  emit loadsChanged(detail_->link_loads.at(seconds));
}

void ResultsView::showLoads()
{
  const QString point = point_->currentText();
  QHash<QString, double> loads;
  const Table& links = results_->links;
  const int at = links.column(QStringLiteral("point"));
  const int link = links.column(QStringLiteral("link"));
  for (int row = 0; row < links.rows.size(); ++row)
    if (at >= 0 && link >= 0 && links.rows[row][at] == point)
      loads[links.rows[row][link]] = links.number(row, QStringLiteral("utilisation"));
  emit loadsChanged(loads);
}

void ResultsView::choosePoint()
{
  if (!results_ || live_)
    return;
  const QString point = point_->currentText();
  showLoads();
  showAdvice();
  redraw();
  for (const auto& [key, value] : parts_of_point(point))
    if (auto* box = point_axes_->findChild<QComboBox*>(key); box != nullptr)
      box->setCurrentText(value);
  const QString html = step_words(*results_, point);
  steps_->setHtml(html.isEmpty() ? tr("No step breakdown in this folder") : html);
  overview_->show(results_, point);
  filters_[1]->setPoint(point);
  filters_[2]->setPoint(point);
  if (const Results detail = details_.contains(point) ? details_.value(point) : detail_of(results_, point))
    return showDetail(detail, {});
  showDetail(nullptr, tr("the timeline of this point is being made…"));
  emit detailWanted(results_, point);
}

void ResultsView::showDetail(const Results& detail, const QString& why)
{
  detail_ = detail;
  const QString point = point_->currentText();
  timeline_->setTitle(why.isEmpty() ? point : QStringLiteral("%1: %2").arg(point, why));
  filled_.remove(2);
  timeline_->show(SharedTimeline{});
  if (tabs_->currentIndex() == 2)
    fillTab(2);
  emit pointShown(detail_, point);
}

void ResultsView::addDetail(const Results& results, const QString& point, const Results& detail, const QString& why)
{
  if (results != results_ || live_)
    return;
  if (detail)
    details_[point] = detail;
  if (point == point_->currentText())
    showDetail(detail, detail ? QString{} : tr("there is no timeline of this point: %1").arg(why));
  else // it was asked for as the second one
    timeline_->showSecond(point, detail ? SharedTimeline{detail, &detail->timeline} : nullptr,
                          detail ? QString{} : tr("there is no timeline of this point: %1").arg(why));
}

void ResultsView::startLive(const QString& title)
{
  if (!std::exchange(live_, true))
    tab_before_ = tabs_->currentIndex();
  showParts(true);
  tabs_->setCurrentIndex(0); // its chart grows
  run_->clear();
  point_->hide();
  point_axes_->hide();
  advice_->setText(title);
  warnings_->hide();
  timeline_->setTitle(title);
  timeline_->show(SharedTimeline{});
  steps_->setHtml(title);
  overview_->show(nullptr, {});
  pipeline_->show(nullptr);
  for (TableModel* model : std::as_const(models_))
    model->show({});
  chart_->clearMarks();
  chart_->setSeries({}, title, {}, {});
  emit loadsChanged({});
}

void ResultsView::showLive(const QVector<QJsonObject>& rows, const QString& title)
{
  QVector<Series> lines;
  for (const QJsonObject& row : rows) {
    const QString name = row.value(QLatin1String("series")).toString();
    auto found = std::find_if(lines.begin(), lines.end(), [&](const Series& line) { return line.name == name; });
    if (found == lines.end()) {
      lines.push_back({name, {}, false, {}});
      found = std::prev(lines.end());
    }
    found->points.push_back({row.value(QLatin1String("x")).toDouble(), row.value(QLatin1String("y")).toDouble()});
  }
  for (Series& line : lines)
    std::stable_sort(line.points.begin(), line.points.end(),
                     [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
  advice_->setText(title);
  chart_->clearMarks();
  const QJsonObject last = rows.isEmpty() ? QJsonObject{} : rows.back();
  const ChartTitles titles = scale_axes(lines, last.value(QLatin1String("x_name")).toString(),
                                        last.value(QLatin1String("y_name")).toString(), {});
  chart_->setSeries(lines, title, titles.x, titles.y);
}

} // namespace trainyard::gui
