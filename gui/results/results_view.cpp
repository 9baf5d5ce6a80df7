// SPDX-License-Identifier: Apache-2.0
#include "gui/results/results_view.hpp"

#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/figures.hpp"
#include "gui/results/overview.hpp"
#include "gui/results/pipeline_view.hpp"
#include "gui/results/timeline_view.hpp"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSet>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace trainyard::gui {
namespace {

/// A column in a box that shows them in words.
void choose(QComboBox& box, const QString& column)
{
  if (const int at = box.findData(column); at >= 0)
    box.setCurrentIndex(at);
}

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
  let_copy(*table);
  return table;
}

/// Columns as wide as their words; a long one does not push the others out of sight.
void fit_columns(QTableView& table)
{
  table.resizeColumnsToContents();
  for (int i = 0; i < table.model()->columnCount(); ++i)
    table.setColumnWidth(i, std::min(table.columnWidth(i) + 8, 320));
}

} // namespace

ResultsView::ResultsView(QWidget* parent)
    : QWidget{parent}, advice_{new QLabel}, warnings_{new QLabel}, filter_{new QLineEdit}, tabs_{new QTabWidget},
      table_{new QComboBox}, x_{new QComboBox}, y_{new QComboBox}, by_{new QComboBox}, point_{new QComboBox},
      chart_{new Chart}, overview_{new Overview}, same_{new QLabel}, timeline_{new TimelineView}, span_{new QLabel},
      shown_{new QLabel}, steps_{new QTextBrowser}, more_{new QTabWidget}, pipeline_{new PipelineView}
{
  auto* layout = new QVBoxLayout{this};
  advice_->setWordWrap(true);
  advice_->setTextFormat(Qt::RichText);
  advice_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  warnings_->setWordWrap(true);
  layout->addWidget(advice_);
  layout->addWidget(warnings_);
  auto* bar = new QHBoxLayout;
  filter_->setPlaceholderText(tr("Filter all views…"));
  filter_->setClearButtonEnabled(true);
  filter_->setAccessibleName(tr("Filter"));
  narrow(*point_, 12);
  point_->setObjectName(QStringLiteral("point"));
  point_->setAccessibleName(tr("Point shown on the canvas"));
  point_->setToolTip(tr("The canvas and the step breakdown show this point of the sweep"));
  bar->addWidget(filter_, 1);
  bar->addWidget(point_, 1);
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
  auto* timeline_page = new QWidget;
  auto* timeline_layout = column_in(timeline_page);
  shown_->setObjectName(QStringLiteral("timeline_of"));
  shown_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  shown_->setWordWrap(true);
  shown_->setMargin(4);
  timeline_layout->addWidget(shown_);
  timeline_layout->addWidget(timeline_, 1);
  span_->setMinimumHeight(span_->sizeHint().height());
  span_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  span_->setWordWrap(true);
  timeline_layout->addWidget(span_);
  tabs_->addTab(timeline_page, tr("Timeline"));
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

QWidget* ResultsView::makeChartPage()
{
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout{page};
  layout->setContentsMargins(6, 6, 6, 4);
  layout->addWidget(overview_);
  connect(overview_, &Overview::pictureChosen, this,
          [this](const QString& table, const QString& x, const QString& y, const QString& by) {
            filling_ = true;
            table_->setCurrentIndex(std::max(0, table_->findText(table)));
            chooseTable();
            choose(*x_, x);
            choose(*y_, y);
            choose(*by_, by);
            filling_ = false;
            redraw();
          });
  auto* axes = new QHBoxLayout;
  for (const auto& [box, name, letters] : {std::tuple{table_, tr("Table"), 8},
                                           {x_, tr("X axis"), 7},
                                           {y_, tr("Y axis"), 7},
                                           {by_, tr("One line per"), 7}}) {
    narrow(*box, letters);
    axes->addWidget(label_for(*box, name));
    axes->addWidget(box, 1);
    connect(box, &QComboBox::currentIndexChanged, this, [this, box = box] {
      if (filling_)
        return;
      if (box == table_)
        chooseTable();
      redraw();
    });
  }
  table_->setAccessibleName(tr("Table to show"));
  layout->addLayout(axes);
  layout->addWidget(chart_, 1);
  return page;
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
    timeline_->setFilter(words);
    redraw();
  });
  connect(timeline_, &TimelineView::described, span_, &QLabel::setText);
  connect(timeline_, &TimelineView::cursorMoved, this, &ResultsView::timeChosen);
  // One range of time and one mark for the timeline and a chart over time.
  connect(timeline_, &TimelineView::cursorMoved, this, [this](double seconds) {
    if (seconds_per_x_ > 0)
      chart_->setMark(seconds / seconds_per_x_);
  });
  connect(timeline_, &TimelineView::rangeChanged, this, [this](double begin, double end) {
    if (seconds_per_x_ > 0)
      chart_->showRange(begin / seconds_per_x_, end / seconds_per_x_);
  });
  connect(timeline_, &TimelineView::laneActivated, this, &ResultsView::explainLane);
  connect(chart_, &Chart::pointHovered, span_, &QLabel::setText);
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
  if (results_->jobs.column(QStringLiteral("policy")) >= 0)
    emit explainRequested(job, lane.section(QLatin1Char(' '), -1), {});
  else if (std::any_of(results_->other.begin(), results_->other.end(),
                       [](const auto& each) { return each.first == QLatin1String("tasks"); }))
    emit explainRequested(QStringLiteral("task"), lane, {});
  else if (!results_->jobs.rows.isEmpty())
    emit explainRequested(job, process.section(QLatin1String(" ("), 0, 0), {});
  else if (!timeline_->spanNameAtCursor().isEmpty())
    emit explainRequested(job, timeline_->spanNameAtCursor(), {});
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

void ResultsView::show(Results results)
{
  results_ = std::move(results);
  details_.clear();
  live_ = false;
  filling_ = true;
  for (QComboBox* box : {table_, x_, y_, by_, point_})
    box->clear();
  more_->clear();
  if (!results_) {
    advice_->setText(tr("Nothing has run yet. Press Run (F5)."));
    warnings_->hide();
    filling_ = false;
    chart_->setSeries({}, {}, {}, {});
    overview_->show(nullptr, {});
    pipeline_->show(nullptr);
    showDetail(nullptr, {});
    return;
  }
  whole_advice_ = false;
  showAdvice();
  warnings_->setText(results_->warnings.join(QLatin1Char('\n')));
  warnings_->setVisible(!results_->warnings.isEmpty());
  const Table& jobs = results_->jobs;
  table_->addItem(results_->plan ? QStringLiteral("designs") : QStringLiteral("jobs"));
  tabs_->setTabText(1, results_->plan ? tr("Designs") : tr("Jobs"));
  for (const auto& [name, table] : results_->other)
    if (table.rows.size() > 1)
      table_->addItem(name);
  table_->setCurrentIndex(std::max(0, table_->findText(usual_table(*results_))));
  chooseTable();
  // Points are those of the jobs; services and retraining have none, but tables with points.
  const Table* named = &jobs;
  for (const auto& [name, table] : results_->other)
    if (named->rows.isEmpty() && table.column(QStringLiteral("point")) >= 0)
      named = &table;
  QStringList points;
  for (int row = 0; row < named->rows.size(); ++row)
    if (const QString point = named->text(row, QStringLiteral("point"));
        !points.contains(point) && points.size() < 2000)
      points << point;
  if (const QString last = named->text(static_cast<int>(named->rows.size()) - 1, QStringLiteral("point"));
      !named->rows.isEmpty() && !points.contains(last))
    points << last; // whose timeline is there
  point_->addItems(points);
  point_->setVisible(points.size() > 1 || !points.value(0).isEmpty());
  point_->setCurrentIndex(point_->count() - 1); // the largest point of a sweep is the most interesting for the links
  filled_.clear();
  models_[0]->show({});
  models_[1]->show({});
  models_[2]->show({});
  filling_ = false;
  redraw();
  choosePoint();
  // Pages of which the folder has nothing are not offered.
  const bool trained = jobs.column(QStringLiteral("step_s")) >= 0;
  tabs_->setTabVisible(1, !jobs.rows.isEmpty());
  tabs_->setTabVisible(2, !results_->timeline.lanes.empty());
  tabs_->setTabVisible(3, trained && !results_->plan);
  tabs_->setTabVisible(4, !results_->links.rows.isEmpty());
  tabs_->setTabVisible(5, !results_->events.rows.isEmpty());
  tabs_->setTabVisible(6, !results_->other.isEmpty() || !results_->pictures.isEmpty());
  tabs_->setTabVisible(7, pipeline_->show(results_));
  if (!tabs_->isTabVisible(tabs_->currentIndex()))
    tabs_->setCurrentIndex(0);
  fillTab(tabs_->currentIndex());
}

void ResultsView::fillMore()
{
  for (const auto& [name, table] : results_->other) {
    auto* model = new TableModel{more_};
    auto* filter = new RowFilter{more_};
    model->showInWords(table);
    filter->setWords(filter_->text());
    connect(filter_, &QLineEdit::textChanged, filter, &RowFilter::setWords);
    QTableView* rows = table_for(*model, *filter, name);
    fit_columns(*rows);
    explainOnDoubleClick(rows, model, filter);
    more_->addTab(rows, name);
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
  QStringList lines =
      (results_->advice.isEmpty() ? results_->question : results_->advice).toHtmlEscaped().split(QLatin1Char('\n'));
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
    timeline_->show(detail_);
  else if (index == 4)
    fill(1, results_->links);
  else if (index == 5)
    fill(2, results_->events);
  else if (index == 6)
    fillMore();
}

void ResultsView::fill(int number, const Table& table)
{
  models_[number]->showInWords(table);
  fit_columns(*tables_[number]);
  if (number != 0)
    return;
  same_->setText(tr("The same in every row: %1").arg(models_[0]->same()));
  same_->setVisible(!models_[0]->same().isEmpty());
}

const Table& ResultsView::charted() const
{
  for (const auto& [name, table] : results_->other)
    if (name == table_->currentText())
      return table;
  return results_->jobs;
}

void ResultsView::chooseTable()
{
  if (!results_)
    return;
  const bool kept = std::exchange(filling_, true);
  for (QComboBox* box : {x_, y_, by_})
    box->clear();
  const Table& table = charted();
  for (int i = 0; i < table.columns.size(); ++i) {
    if (table.isNumeric(i)) {
      x_->addItem(column_title(table.columns[i]), table.columns[i]);
      y_->addItem(column_title(table.columns[i]), table.columns[i]);
    } else {
      by_->addItem(column_title(table.columns[i]), table.columns[i]);
      if ((table.columns[i] == QLatin1String("policy") || table.columns[i] == QLatin1String("group")) &&
          table.rows.size() <= 160)
        x_->addItem(column_title(table.columns[i]), table.columns[i]); // as bars
    }
  }
  by_->insertItem(0, QStringLiteral("–"), QString{});
  const ChartChoice choice = best_choice(table);
  if (results_->plan && &table == &results_->jobs) { // cost against the measure of the goal
    choose(*x_, results_->plan->objective);
    choose(*y_, results_->plan->measures.value(0, choice.y));
    choose(*by_, QStringLiteral("verdict"));
    filling_ = kept;
    return;
  }
  choose(*x_, choice.x);
  choose(*y_, choice.y);
  choose(*by_, choice.series);
  filling_ = kept;
}

void ResultsView::showLoadsAt(double seconds)
{
  if (!results_)
    return;
  if (!detail_ || seconds < detail_->link_loads.begin || detail_->link_loads.parts.isEmpty())
    return showLoads();
  emit loadsChanged(detail_->link_loads.at(seconds));
}

void ResultsView::redraw()
{
  if (!results_)
    return;
  const Table& table = charted();
  const ChartChoice choice{x_->currentData().toString(), y_->currentData().toString(), by_->currentData().toString()};
  const QStringList words = filter_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  auto [lines, bars] = curves_of(table, choice, QStringLiteral(", "), words);
  seconds_per_x_ = 0;
  // Without a sweep all stands at one place: numbers say more than a chart of a point.
  constexpr int most_side_by_side = 12;
  if (!results_->plan && bars.isEmpty() && !table.rows.isEmpty() && table.rows.size() <= most_side_by_side &&
      std::all_of(lines.begin(), lines.end(), [&](const Series& line) {
        return line.points.front().x() == lines.front().points.front().x() &&
               line.points.back().x() == line.points.front().x();
      })) {
    chart_->clearMarks();
    return chart_->showNumbers(figures_of(table, words));
  }
  chart_->setMark(std::numeric_limits<double>::quiet_NaN());
  chart_->clearMarks();
  if (results_->plan && &table == &results_->jobs)
    return drawPlan(std::move(lines));
  if (bars.isEmpty())
    lines += ideal_lines(table, choice);
  const ChartTitles titles = scale_axes(lines, bars.isEmpty() ? choice.x : QString{}, choice.y, sample_of(*results_));
  for (Series& line : lines)
    if (line.name.isEmpty())
      line.name = titles.y;
  if (!bars.isEmpty()) // three digits are enough beside a bar
    for (Series& line : lines)
      for (QPointF& point : line.points)
        point.setY(QString::number(point.y(), 'g', 3).toDouble());
  if (choice.x == QLatin1String("time_s"))
    seconds_per_x_ = 1 / titles.x_factor;
  chart_->setCategories(bars);
  chart_->setSeries(lines, results_->question, titles.x, titles.y);
}

void ResultsView::drawPlan(QVector<Series> designs)
{
  // Every design a mark by its verdict; the front as a line, the answer as a star, the goal as a threshold.
  const PlanAnswer& plan = *results_->plan;
  static const QStringList verdicts{QStringLiteral("missed"), QStringLiteral("failed"), QStringLiteral("met"),
                                    QStringLiteral("undecided"), QStringLiteral("pruned")};
  for (Series& each : designs) {
    each.marks = true;
    each.colour = static_cast<int>(std::max<qsizetype>(0, verdicts.indexOf(each.name)));
    each.name = tr("designs: %1").arg(each.name);
  }
  const int goal = static_cast<int>(plan.measures.indexOf(y_->currentData().toString()));
  const bool usual = x_->currentData().toString() == plan.objective && goal >= 0;
  if (usual && plan.fronts[goal].size() > 1) {
    QVector<QPointF> steps = plan.fronts[goal];
    std::sort(steps.begin(), steps.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    Series front{tr("Pareto front: best for its cost"), steps};
    front.colour = 6;
    designs.push_back(front);
  }
  if (usual && goal < plan.best_values.size() && std::isfinite(plan.best_values[goal])) {
    Series best{plan.met ? tr("the answer") : tr("the nearest miss"), {{plan.best_objective, plan.best_values[goal]}}};
    best.marks = best.large = true;
    best.colour = 4;
    designs.push_back(best);
  }
  QString title = results_->question;
  if (usual && std::isfinite(plan.limits[goal]) && plan.goals[goal].contains(QLatin1Char('<'))) {
    // Designs that miss by far would press those that matter to the bottom.
    double top = 4 * plan.limits[goal];
    for (const QPointF& each : plan.fronts[goal])
      top = std::max(top, 1.1 * each.y());
    int above = 0;
    for (const Series& each : std::as_const(designs))
      above += static_cast<int>(
          std::count_if(each.points.begin(), each.points.end(), [&](const QPointF& at) { return at.y() > top; }));
    chart_->setTop(top);
    if (above > 0)
      title += QLatin1Char(' ') + tr("(%n designs are far above the chart; see the table)", nullptr, above);
  }
  chart_->setSeries(designs, title, x_->currentText(), y_->currentText());
  if (usual && std::isfinite(plan.limits[goal]))
    chart_->setThreshold(plan.limits[goal], tr("goal: %1").arg(plan.goals[goal]));
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
      loads[links.rows[row][link]] =
          std::fmax(links.number(row, QStringLiteral("busy")), links.number(row, QStringLiteral("utilisation")));
  emit loadsChanged(loads);
}

void ResultsView::choosePoint()
{
  if (!results_ || live_)
    return;
  const QString point = point_->currentText();
  showLoads();
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
  shown_->setText(why.isEmpty() ? point : QStringLiteral("%1: %2").arg(point, why));
  shown_->setVisible(!shown_->text().isEmpty());
  span_->clear();
  filled_.remove(2);
  timeline_->show(nullptr);
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
}

void ResultsView::startLive(const QString& title)
{
  live_ = true;
  advice_->setText(title);
  warnings_->hide();
  shown_->setText(title);
  span_->clear();
  timeline_->show(nullptr);
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
