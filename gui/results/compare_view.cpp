#include "gui/results/compare_view.hpp"

#include "gui/results/chart_view.hpp"
#include "gui/results/results_view.hpp"
#include "models/scenario/document.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>

namespace trainyard::gui {

Table delta_table(const ResultsData& a, const ResultsData& b, const QString& metric)
{
  Table table;
  table.columns = QStringList{QStringLiteral("point"), QStringLiteral("job"), metric + QStringLiteral(" A"), metric + QStringLiteral(" B"),
                              QStringLiteral("delta_percent")};
  std::map<std::pair<QString, QString>, int> rows;
  for (int row = 0; row < b.jobs.rows.size(); ++row)
    rows[{b.jobs.text(row, QStringLiteral("point")), b.jobs.text(row, QStringLiteral("job"))}] = row;
  for (int row = 0; row < a.jobs.rows.size(); ++row) {
    const QString point = a.jobs.text(row, QStringLiteral("point"));
    const QString job = a.jobs.text(row, QStringLiteral("job"));
    const auto other = rows.find({point, job});
    const double x = a.jobs.number(row, metric);
    const double y = other == rows.end() ? std::nan("") : b.jobs.number(other->second, metric);
    table.rows.push_back({point, job, std::isfinite(x) ? QString::number(x, 'g', 12) : QString{},
                          std::isfinite(y) ? QString::number(y, 'g', 12) : QString{},
                          std::isfinite(x) && std::isfinite(y) && x != 0 ? QString::number(100 * (y - x) / x, 'g', 6) : QString{}});
  }
  return table;
}

Table input_differences(const ResultsData& a, const ResultsData& b)
{
  Table table;
  table.columns = QStringList{QStringLiteral("key"), QStringLiteral("A"), QStringLiteral("B")};
  Diagnostics ignored;
  const Document first = parse_document(a.scenario_text.toStdString(), "A", ignored);
  const Document second = parse_document(b.scenario_text.toStdString(), "B", ignored);
  for (const DocumentDifference& each : difference(first.root, second.root))
    table.rows.push_back({QString::fromStdString(each.path), QString::fromStdString(each.before), QString::fromStdString(each.after)});
  return table;
}

CompareView::CompareView(QWidget* parent)
    : QWidget{parent}, first_{new QComboBox}, second_{new QComboBox}, metric_{new QComboBox}, chart_{new Chart},
      delta_model_{new TableModel{this}}, input_model_{new TableModel{this}}
{
  auto* layout = new QVBoxLayout{this};
  auto* bar = new QHBoxLayout;
  const auto choice = [&](const QString& name, QComboBox* box) {
    auto* label = new QLabel{name};
    label->setBuddy(box);
    box->setAccessibleName(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(14);
    bar->addWidget(label);
    bar->addWidget(box, 1);
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      if (!filling_)
        redraw();
    });
  };
  choice(tr("Run A"), first_);
  choice(tr("Run B"), second_);
  choice(tr("Metric"), metric_);
  layout->addLayout(bar);
  auto* split = new QSplitter{Qt::Vertical};
  layout->addWidget(split, 1);
  split->addWidget(chart_);
  auto* tables = new QSplitter;
  const auto table = [&](TableModel* model, const QString& heading) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout{page};
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(new QLabel{heading});
    auto* view = new QTableView;
    view->setModel(model);
    view->setAlternatingRowColors(true);
    view->setAccessibleName(heading);
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    column->addWidget(view, 1);
    tables->addWidget(page);
  };
  table(delta_model_, tr("Difference of the answers"));
  table(input_model_, tr("Difference of the inputs"));
  split->addWidget(tables);
  split->setSizes({360, 300});
}

void CompareView::add(const Results& results)
{
  runs_.push_back(results);
  filling_ = true;
  const int chosen = second_->currentIndex();
  for (QComboBox* box : {first_, second_})
    box->addItem(QStringLiteral("%1: %2").arg(runs_.size()).arg(results->folder.section(QLatin1Char('/'), -1)));
  if (runs_.size() == 1) {
    metric_->clear();
    for (int i = 0; i < results->jobs.columns.size(); ++i)
      if (results->jobs.isNumeric(i))
        metric_->addItem(results->jobs.columns[i]);
    metric_->setCurrentText(best_choice(results->jobs).y);
  }
  if (chosen < 0 || runs_.size() == 2) {
    first_->setCurrentIndex(0);
    second_->setCurrentIndex(static_cast<int>(runs_.size()) - 1);
  } else {
    second_->setCurrentIndex(static_cast<int>(runs_.size()) - 1);
  }
  filling_ = false;
  redraw();
}

void CompareView::clear()
{
  runs_.clear();
  filling_ = true;
  first_->clear();
  second_->clear();
  filling_ = false;
  redraw();
}

void CompareView::redraw()
{
  const int a = first_->currentIndex();
  const int b = second_->currentIndex();
  if (a < 0 || b < 0 || a >= runs_.size() || b >= runs_.size()) {
    chart_->setSeries({}, tr("Run twice, or open a results folder, to compare"), {}, {});
    delta_model_->show({});
    input_model_->show({});
    return;
  }
  const QString metric = metric_->currentText();
  delta_model_->show(delta_table(*runs_[a], *runs_[b], metric));
  input_model_->show(input_differences(*runs_[a], *runs_[b]));
  QVector<Series> lines;
  const auto add = [&](const ResultsData& from, const QString& which, bool ghost) {
    const ChartChoice choice = best_choice(from.jobs);
    for (int row = 0; row < from.jobs.rows.size(); ++row) {
      const double x = choice.x.isEmpty() ? row : from.jobs.number(row, choice.x);
      const double y = from.jobs.number(row, metric);
      if (!std::isfinite(x) || !std::isfinite(y))
        continue;
      QString name = which;
      if (choice.series != QLatin1String("model") && from.jobs.column(QStringLiteral("model")) >= 0)
        name += QStringLiteral(" · ") + from.jobs.text(row, QStringLiteral("model"));
      if (!choice.series.isEmpty())
        name += QStringLiteral(" · ") + from.jobs.text(row, choice.series);
      auto found = std::find_if(lines.begin(), lines.end(), [&](const Series& line) { return line.name == name; });
      if (found == lines.end()) {
        lines.push_back({name, {}, ghost, {}});
        found = std::prev(lines.end());
      }
      found->points.push_back({x, y});
    }
  };
  add(*runs_[b], tr("B"), false);
  if (a != b)
    add(*runs_[a], tr("A"), true);
  for (Series& line : lines)
    std::stable_sort(line.points.begin(), line.points.end(), [](const QPointF& p, const QPointF& q) { return p.x() < q.x(); });
  chart_->setSeries(lines, metric, best_choice(runs_[b]->jobs).x, metric);
}

} // namespace trainyard::gui
