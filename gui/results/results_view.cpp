// SPDX-License-Identifier: Apache-2.0
#include "gui/results/results_view.hpp"

#include "gui/core/theme.hpp"
#include "gui/results/chart_view.hpp"
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

namespace trainyard::gui {
namespace {

QTableView* table_for(TableModel& model, RowFilter& filter, const QString& name)
{
  filter.setSourceModel(&model);
  auto* table = new QTableView;
  table->setTabKeyNavigation(false); // the Tab key goes on; arrows walk the cells
  table->setModel(&filter);
  table->setSortingEnabled(true);
  table->sortByColumn(-1, Qt::AscendingOrder);
  table->setAlternatingRowColors(true);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->verticalHeader()->setDefaultSectionSize(22);
  table->horizontalHeader()->setDefaultSectionSize(120);
  table->setAccessibleName(name);
  return table;
}

int distinct(const Table& table, int column)
{
  QSet<QString> values;
  for (const QStringList& row : table.rows)
    values.insert(row[column]);
  return static_cast<int>(values.size());
}

} // namespace

ChartChoice best_choice(const Table& jobs)
{
  ChartChoice choice;
  const auto varied = [&](const QString& name) {
    return jobs.column(name) >= 0 && distinct(jobs, jobs.column(name)) > 1;
  };
  for (const char* x : {"workers", "gpus", "servers", "batch_per_gpu", "arrival_s"})
    if (choice.x.isEmpty() && varied(QLatin1String(x)))
      choice.x = QLatin1String(x);
  for (const char* y : {"samples_per_second", "jct_s", "step_s"})
    if (choice.y.isEmpty() && jobs.column(QLatin1String(y)) >= 0)
      choice.y = QLatin1String(y);
  if (varied(QStringLiteral("time_s"))) { // a series over time
    choice.x = QStringLiteral("time_s");
    for (const char* y : {"busy_gpus", "running", "ready_replicas", "waiting_jobs"})
      if (jobs.column(QLatin1String(y)) >= 0 &&
          (choice.y.isEmpty() || jobs.column(choice.y) < jobs.column(QStringLiteral("time_s"))))
        choice.y = QLatin1String(y);
    for (int i = 0; i < jobs.columns.size() && choice.y.isEmpty(); ++i)
      if (jobs.columns[i] != QLatin1String("time_s") && jobs.isNumeric(i))
        choice.y = jobs.columns[i];
  }
  for (const char* by : {"variant", "policy", "job", "model", "service", "point"})
    if (choice.series.isEmpty() && varied(QLatin1String(by)) &&
        (qstrcmp(by, "point") != 0 || distinct(jobs, jobs.column(QLatin1String(by))) < jobs.rows.size()))
      choice.series = QLatin1String(by);
  if (choice.x.isEmpty() && varied(QStringLiteral("policy")) && jobs.column(QStringLiteral("jct_mean_s")) >= 0) {
    return {QStringLiteral("policy"), QStringLiteral("jct_mean_s"),
            varied(QStringLiteral("point")) ? QStringLiteral("point") : QString{}};
  }
  for (int i = 0; i < jobs.columns.size() && choice.x.isEmpty(); ++i)
    if (jobs.isNumeric(i) && distinct(jobs, i) > 1)
      choice.x = jobs.columns[i];
  return choice;
}

ResultsView::ResultsView(QWidget* parent)
    : QWidget{parent}, advice_{new QLabel}, warnings_{new QLabel}, filter_{new QLineEdit}, tabs_{new QTabWidget},
      table_{new QComboBox}, x_{new QComboBox}, y_{new QComboBox}, by_{new QComboBox}, point_{new QComboBox},
      chart_{new Chart}, timeline_{new TimelineView}, span_{new QLabel}, steps_{new QTextBrowser}, more_{new QTabWidget}
{
  auto* layout = new QVBoxLayout{this};
  advice_->setWordWrap(true);
  advice_->setTextFormat(Qt::RichText);
  advice_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  connect(advice_, &QLabel::linkActivated, this, [this] {
    whole_advice_ = !whole_advice_;
    showAdvice();
  });
  warnings_->setWordWrap(true);
  layout->addWidget(advice_);
  layout->addWidget(warnings_);
  auto* bar = new QHBoxLayout;
  filter_->setPlaceholderText(tr("Filter all views…"));
  filter_->setClearButtonEnabled(true);
  filter_->setAccessibleName(tr("Filter"));
  point_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  point_->setMinimumContentsLength(12);
  point_->setAccessibleName(tr("Point shown on the canvas"));
  point_->setToolTip(tr("The canvas and the step breakdown show this point of the sweep"));
  bar->addWidget(filter_, 1);
  bar->addWidget(point_, 1);
  layout->addLayout(bar);
  layout->addWidget(tabs_, 1);

  auto* chart_page = new QWidget;
  auto* chart_layout = new QVBoxLayout{chart_page};
  chart_layout->setContentsMargins(6, 6, 6, 4);
  auto* axes = new QHBoxLayout;
  const auto axis = [&](const QString& name, QComboBox* box) {
    auto* label = new QLabel{name};
    label->setBuddy(box);
    box->setAccessibleName(name);
    box->setMinimumContentsLength(7);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    axes->addWidget(label);
    axes->addWidget(box, 1);
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      if (!filling_)
        redraw();
    });
  };
  auto* of = new QLabel{tr("Table")};
  of->setBuddy(table_);
  table_->setAccessibleName(tr("Table to show"));
  table_->setMinimumContentsLength(8);
  table_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  axes->addWidget(of);
  axes->addWidget(table_, 1);
  connect(table_, &QComboBox::currentIndexChanged, this, [this] {
    if (filling_)
      return;
    chooseTable();
    redraw();
  });
  axis(tr("X axis"), x_);
  axis(tr("Y axis"), y_);
  axis(tr("One line per"), by_);
  chart_layout->addLayout(axes);
  chart_layout->addWidget(chart_, 1);
  tabs_->addTab(chart_page, tr("Chart"));

  const QStringList names{tr("Jobs"), tr("Links"), tr("Events")};
  for (const QString& name : names) {
    models_.push_back(new TableModel{this});
    filters_.push_back(new RowFilter{this});
    tables_.push_back(table_for(*models_.back(), *filters_.back(), name));
  }
  tabs_->addTab(tables_[0], names[0]);
  auto* timeline_page = new QWidget;
  auto* timeline_layout = new QVBoxLayout{timeline_page};
  timeline_layout->setContentsMargins(0, 0, 0, 0);
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
  steps_->setAccessibleName(tr("Where the step's time goes"));

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
  connect(timeline_, &TimelineView::laneActivated, this, [this](const QString& process, const QString& lane) {
    if (!results_)
      return;
    // "job 812" of a queue, the task of an orchestrator, "web is trained" of a task environment, or the process "train
    // (workers=8)" of training steps.
    if (results_->jobs.column(QStringLiteral("policy")) >= 0)
      emit explainRequested(QStringLiteral("job"), lane.section(QLatin1Char(' '), -1), {});
    else if (std::any_of(results_->other.begin(), results_->other.end(),
                         [](const auto& each) { return each.first == QLatin1String("tasks"); }))
      emit explainRequested(QStringLiteral("task"), lane, {});
    else if (!results_->jobs.rows.isEmpty())
      emit explainRequested(QStringLiteral("job"), process.section(QLatin1String(" ("), 0, 0), {});
    else if (!timeline_->spanNameAtCursor().isEmpty())
      emit explainRequested(QStringLiteral("job"), timeline_->spanNameAtCursor(), {});
  });
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
  for (int i = 0; i < tables_.size(); ++i)
    explainOnDoubleClick(tables_[i], models_[i], filters_[i]);
  show(nullptr);
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
  filling_ = true;
  for (QComboBox* box : {table_, x_, y_, by_, point_})
    box->clear();
  more_->clear();
  if (!results_) {
    advice_->setText(tr("Nothing has run yet. Press Run (F5)."));
    warnings_->hide();
    filling_ = false;
    chart_->setSeries({}, {}, {}, {});
    timeline_->show(nullptr);
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
  QStringList points;
  for (int row = 0; row < jobs.rows.size(); ++row)
    if (const QString point = jobs.text(row, QStringLiteral("point")); !points.contains(point) && points.size() < 2000)
      points << point;
  point_->addItems(points);
  point_->setCurrentIndex(point_->count() - 1); // the largest point of a sweep is the most interesting for the links
  filled_.clear();
  models_[0]->show({});
  models_[1]->show({});
  models_[2]->show({});
  timeline_->show(nullptr);
  fillTab(tabs_->currentIndex());
  filling_ = false;
  redraw();
  choosePoint();
}

void ResultsView::fillMore()
{
  for (const auto& [name, table] : results_->other) {
    auto* model = new TableModel{more_};
    auto* filter = new RowFilter{more_};
    model->show(table);
    filter->setWords(filter_->text());
    connect(filter_, &QLineEdit::textChanged, filter, &RowFilter::setWords);
    QTableView* rows = table_for(*model, *filter, name);
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
  if (!results_ || filled_.contains(index))
    return;
  filled_.insert(index);
  if (index == 1)
    models_[0]->show(results_->jobs);
  else if (index == 2)
    timeline_->show(results_);
  else if (index == 4)
    models_[1]->show(results_->links);
  else if (index == 5)
    models_[2]->show(results_->events);
  else if (index == 6)
    fillMore();
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
      x_->addItem(table.columns[i]);
      y_->addItem(table.columns[i]);
    } else {
      by_->addItem(table.columns[i]);
      if (table.columns[i] == QLatin1String("policy") && table.rows.size() <= 60)
        x_->addItem(table.columns[i]); // as bars
    }
  }
  by_->insertItem(0, QStringLiteral("–"));
  const ChartChoice choice = best_choice(table);
  if (results_->plan && &table == &results_->jobs) { // cost against the measure of the goal
    x_->setCurrentText(results_->plan->objective);
    y_->setCurrentText(results_->plan->measures.value(0, choice.y));
    by_->setCurrentText(QStringLiteral("verdict"));
    filling_ = kept;
    return;
  }
  x_->setCurrentText(choice.x);
  y_->setCurrentText(choice.y);
  by_->setCurrentText(choice.series.isEmpty() ? QStringLiteral("–") : choice.series);
  filling_ = kept;
}

void ResultsView::showLoadsAt(double seconds)
{
  if (!results_)
    return;
  if (seconds < results_->link_loads.begin || results_->link_loads.parts.isEmpty())
    return choosePoint();
  emit loadsChanged(results_->link_loads.at(seconds));
}

void ResultsView::redraw()
{
  if (!results_)
    return;
  const Table& jobs = charted();
  const QString by = by_->currentIndex() <= 0 ? QString{} : by_->currentText();
  const QStringList words = filter_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  const bool models = jobs.column(QStringLiteral("model")) >= 0 && by != QLatin1String("model") &&
                      distinct(jobs, jobs.column(QStringLiteral("model"))) > 1;
  QVector<Series> lines;
  QStringList bars; // names across, where the column across has no numbers
  const bool named = jobs.column(x_->currentText()) >= 0 && !jobs.isNumeric(jobs.column(x_->currentText()));
  for (int row = 0; row < jobs.rows.size(); ++row) {
    const QString whole = jobs.rows[row].join(QLatin1Char(' '));
    if (!std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return whole.contains(word, Qt::CaseInsensitive); }))
      continue;
    QStringList name;
    if (models)
      name << jobs.text(row, QStringLiteral("model"));
    if (!by.isEmpty())
      name << jobs.text(row, by);
    const QString label = name.isEmpty() ? y_->currentText() : name.join(QStringLiteral(", "));
    const QString bar = named ? jobs.text(row, x_->currentText()) : QString{};
    if (named && !bars.contains(bar))
      bars << bar;
    const double x = named ? static_cast<double>(bars.indexOf(bar)) : jobs.number(row, x_->currentText());
    const double y = jobs.number(row, y_->currentText());
    if (!std::isfinite(x) || !std::isfinite(y))
      continue;
    auto found = std::find_if(lines.begin(), lines.end(), [&](const Series& line) { return line.name == label; });
    if (found == lines.end()) {
      lines.push_back({label, {}, false, {}});
      found = std::prev(lines.end());
    }
    found->points.push_back({x, y});
  }
  for (Series& line : lines)
    std::stable_sort(line.points.begin(), line.points.end(),
                     [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
  // Hundreds of thousands of seconds are hard to read.
  QString x_name = x_->currentText();
  double longest = 0;
  for (const Series& line : std::as_const(lines))
    longest = line.points.isEmpty() ? longest : std::max(longest, line.points.back().x());
  seconds_per_x_ = x_name == QLatin1String("time_s") ? 1 : 0;
  if (x_name.endsWith(QLatin1String("_s")) && longest > 4 * 3600) {
    x_name = x_name.chopped(2) + QStringLiteral("_h");
    seconds_per_x_ *= 3600;
    for (Series& line : lines)
      for (QPointF& point : line.points)
        point.setX(point.x() / 3600);
  }
  chart_->setMark(std::numeric_limits<double>::quiet_NaN());
  chart_->clearMarks();
  if (results_->plan && &jobs == &results_->jobs)
    return drawPlan(std::move(lines));
  chart_->setCategories(bars);
  QString y_name = y_->currentText();
  double most = 0;
  for (const Series& line : std::as_const(lines))
    for (const QPointF& point : line.points)
      most = std::max(most, point.y());
  if (named && y_name.endsWith(QLatin1String("_s")) && most > 4 * 3600) {
    y_name = y_name.chopped(2) + QStringLiteral("_h");
    for (Series& line : lines)
      for (QPointF& point : line.points)
        point.setY(std::round(point.y() / 36) / 100);
  }
  chart_->setSeries(lines, results_->question, x_name, y_name);
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
  const int goal = static_cast<int>(plan.measures.indexOf(y_->currentText()));
  const bool usual = x_->currentText() == plan.objective && goal >= 0;
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

void ResultsView::choosePoint()
{
  if (!results_)
    return;
  const QString point = point_->currentText();
  QHash<QString, double> loads;
  const Table& links = results_->links;
  for (int row = 0; row < links.rows.size(); ++row)
    if (links.text(row, QStringLiteral("point")) == point)
      loads[links.text(row, QStringLiteral("link"))] =
          std::fmax(links.number(row, QStringLiteral("busy")), links.number(row, QStringLiteral("utilisation")));
  emit loadsChanged(loads);

  const QString html = step_words(*results_, point);
  steps_->setHtml(html.isEmpty() ? tr("No step breakdown in this folder") : html);
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
  chart_->setSeries(lines, title, last.value(QLatin1String("x_name")).toString(),
                    last.value(QLatin1String("y_name")).toString());
}

} // namespace trainyard::gui
