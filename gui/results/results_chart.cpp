// SPDX-License-Identifier: Apache-2.0
// The first page of results: its numbers, and which columns the chart below them shows.
#include "gui/core/rate_text.hpp"
#include "gui/core/widgets.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/figures.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/overview.hpp"
#include "gui/results/results_view.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace trainyard::gui {
namespace {

constexpr int least_chart_height = 220;

/// A column in a box that shows them in words.
void choose(QComboBox& box, const QString& column)
{
  if (const int at = box.findData(column); at >= 0)
    box.setCurrentIndex(at);
}

/// The column that a measure of a plan is made of: "p95(queueing_delay)" of "queueing_delay_s".
QString column_of(const QString& measure)
{
  const QString column = measure.section(QLatin1Char('('), -1).remove(QLatin1Char(')'));
  const QString timed = column + QStringLiteral("_s");
  return fact_of(column).meaning.isEmpty() && !fact_of(timed).meaning.isEmpty() ? timed : column;
}

QString with_unit(const QString& measure, const QString& unit)
{
  return unit.isEmpty() ? column_title(measure) : QStringLiteral("%1, %2").arg(column_title(measure), in_units(unit));
}

/// The unit in which a goal is written: hours of "p95(jct) < 2 h", whose limit is 7200.
AxisUnit unit_of_goal(const QString& goal, double limit)
{
  static const QRegularExpression value{QStringLiteral("([0-9.]+) *([^0-9 ]*)$")};
  const auto found = value.match(goal);
  return {found.hasMatch() && limit != 0 ? found.captured(1).toDouble() / limit : 1, found.captured(2)};
}

} // namespace

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
  for (const auto& [box, name] :
       {std::pair{table_, tr("Table")}, {x_, tr("X axis")}, {y_, tr("Y axis")}, {by_, tr("One line per")}}) {
    narrow(*box, 2); // wider where there is room; a window of 800 by 600 holds the row in every language
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
  // Its own height would make every page of the results longer than the window.
  chart_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  chart_->setMinimumHeight(least_chart_height);
  layout->addWidget(chart_, 1);
  return page;
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
      static const QStringList as_bars{QStringLiteral("policy"), QStringLiteral("group"), QStringLiteral("run")};
      if (as_bars.contains(table.columns[i]) && table.rows.size() <= 160)
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

void ResultsView::redraw()
{
  if (!results_)
    return;
  const ChartChoice choice{x_->currentData().toString(), y_->currentData().toString(), by_->currentData().toString()};
  const bool plan = results_->plan && &charted() == &results_->jobs;
  const bool one_point = !plan && of_one_point(charted(), choice);
  const Table table =
      RowWords{filter_->text(), charted()}.of(one_point ? rows_of_point(charted(), point()) : charted());
  auto [lines, bars] = curves_of(table, choice, QStringLiteral(", "));
  chart_->setMinimumHeight(std::max(least_chart_height, chart_->heightForNames(bars.size())));
  seconds_per_x_ = 0;
  // Without a sweep all stands at one place: numbers say more than a chart of a point.
  constexpr int most_side_by_side = 12;
  if (!results_->plan && bars.isEmpty() && !table.rows.isEmpty() && table.rows.size() <= most_side_by_side &&
      std::all_of(lines.begin(), lines.end(), [&](const Series& line) {
        return line.points.front().x() == lines.front().points.front().x() &&
               line.points.back().x() == line.points.front().x();
      })) {
    chart_->clearMarks();
    return chart_->showNumbers(figures_of(table));
  }
  if (bars.isEmpty()) {
    lines += ideal_lines(table, choice);
    chart_->setMinimumHeight(std::max(least_chart_height, chart_->heightForLegend(lines.size())));
  }
  chart_->setMark(std::numeric_limits<double>::quiet_NaN());
  chart_->clearMarks();
  if (plan)
    return drawPlan(std::move(lines));
  const ChartTitles titles = scale_axes(lines, bars.isEmpty() ? choice.x : QString{}, choice.y, sample_of(*results_));
  for (Series& line : lines)
    if (line.name.isEmpty())
      line.name = titles.y;
  if (!bars.isEmpty()) // three digits are enough beside a bar
    for (Series& line : lines)
      for (QPointF& point : line.points)
        point.setY(QString::number(point.y(), 'g', 3).toDouble());
  if (choice.x == QLatin1String("time_s")) {
    seconds_per_x_ = 1 / titles.x_factor;
    for (Series& line : lines) // a count of jobs or GPUs holds until it changes
      line.steps = true;
  }
  QStringList title{question_words(results_->question)};
  if (point_->count() > 1 && table.column(QStringLiteral("point")) >= 0)
    title << (one_point ? point() : tr("all points"));
  title.removeAll(QString{});
  chart_->setCategories(bars);
  chart_->setSeries(lines, title.join(QStringLiteral(" · ")), titles.x, titles.y);
}

void ResultsView::drawPlan(QVector<Series> designs)
{
  // Every design a mark by its verdict; the front as a line, the answer as a star, the goal as a threshold.
  const PlanAnswer& plan = *results_->plan;
  static const QStringList verdicts{QStringLiteral("missed"), QStringLiteral("cannot run"),
                                    QStringLiteral("met"),    QStringLiteral("undecided"),
                                    QStringLiteral("pruned"), QStringLiteral("unsure")};
  for (Series& each : designs) {
    each.marks = true;
    each.colour = static_cast<int>(std::max<qsizetype>(0, verdicts.indexOf(each.name)));
    each.name = tr("designs: %1").arg(verdict_words(each.name));
  }
  const int goal = static_cast<int>(plan.measures.indexOf(y_->currentData().toString()));
  const bool usual = x_->currentData().toString() == plan.objective && goal >= 0;
  if (usual && plan.fronts[goal].size() > 1) {
    QVector<QPointF> steps = plan.fronts[goal];
    std::sort(steps.begin(), steps.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    Series front{tr("Pareto front"), steps};
    front.colour = 6;
    designs.push_back(front);
  }
  if (usual && goal < plan.best_values.size() && std::isfinite(plan.best_values[goal])) {
    Series best{plan.met ? tr("the answer") : tr("the nearest miss"), {{plan.best_objective, plan.best_values[goal]}}};
    best.marks = best.large = true;
    best.colour = 4;
    designs.push_back(best);
  }
  QString title;
  double top = 0;
  if (usual && plan.upper[goal]) {
    // Designs that miss by far would press those that matter to the bottom.
    top = 4 * plan.limits[goal];
    for (const QPointF& each : plan.fronts[goal])
      top = std::max(top, 1.1 * each.y());
    int above = 0;
    for (const Series& each : std::as_const(designs))
      above += static_cast<int>(
          std::count_if(each.points.begin(), each.points.end(), [&](const QPointF& at) { return at.y() > top; }));
    if (above > 0)
      title = tr("%n designs are far above the chart; see the table", nullptr, above);
  }
  const QString across = x_->currentData().toString(), up = y_->currentData().toString();
  const AxisUnit unit =
      usual ? unit_of_goal(plan.goals[goal], plan.limits[goal]) : AxisUnit{1, fact_of(column_of(up)).unit};
  for (Series& each : designs)
    for (QPointF& at : each.points)
      at.setY(at.y() * unit.factor);
  chart_->setTop(top * unit.factor);
  chart_->setSeries(
      designs, title,
      with_unit(across, across == QLatin1String("cost") ? QStringLiteral("$/h") : fact_of(column_of(across)).unit),
      with_unit(up, unit.title));
  if (usual)
    chart_->setThreshold(plan.limits[goal] * unit.factor, tr("goal: %1").arg(plan.goals[goal]));
}

} // namespace trainyard::gui
