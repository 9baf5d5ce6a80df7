// SPDX-License-Identifier: Apache-2.0
#include "gui/results/compare_view.hpp"

#include "gui/core/widgets.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/figures.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/results_view.hpp"
#include "models/scenario/document.hpp"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QHeaderView>
#include <QJsonDocument>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <QHBoxLayout>
#include <QJsonArray>
#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace trainyard::gui {
namespace {

const Table& table_of(const ResultsData& data, const QString& name)
{
  for (const auto& [other, table] : data.other)
    if (other == name)
      return table;
  return data.jobs;
}

} // namespace

CompareView::CompareView(QWidget* parent)
    : QWidget{parent}, list_{new QListWidget}, against_{new QComboBox}, measure_{new QComboBox}, curve_{new QComboBox},
      chart_{new Chart}, answer_{new QLabel}, status_{new QLabel}, delta_model_{new TableModel{this}},
      input_model_{new TableModel{this}}
{
  auto* layout = column_in(this, 6);
  answer_->setObjectName(QStringLiteral("compared_answer"));
  answer_->setWordWrap(true);
  answer_->setFont(bold(answer_->font()));
  answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(answer_);
  auto* across = new QSplitter;
  layout->addWidget(across, 1);
  auto* side = new QWidget;
  auto* column = column_in(side);
  const auto label = [&](const QString& name, QWidget* of) {
    column->addWidget(label_for(*of, name));
    column->addWidget(of, of == list_ ? 1 : 0);
  };
  label(tr("Runs"), list_);
  list_->setMinimumHeight(50);
  list_->setTextElideMode(Qt::ElideMiddle);
  auto* open = new QPushButton{tr("Open results folder…")};
  connect(open, &QPushButton::clicked, this, &CompareView::openRequested);
  column->addWidget(open);
  for (const auto& [name, box] :
       {std::pair{tr("Compared with"), against_}, std::pair{tr("Measure shown in the table"), measure_},
        std::pair{tr("Curve shown in the chart"), curve_}}) {
    label(name, box);
    narrow(*box, 12);
  }
  status_->setWordWrap(true);
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(status_);
  across->addWidget(side);
  auto* down = new QSplitter{Qt::Vertical};
  across->addWidget(down);
  across->setStretchFactor(1, 1);
  across->setSizes({220, 800});
  down->addWidget(chart_);
  auto* tables = new QSplitter;
  const auto table = [&](TableModel* model, const QString& heading) {
    auto* page = new QWidget;
    auto* rows = column_in(page);
    rows->addWidget(new QLabel{heading});
    auto* view = new QTableView;
    set_up(*view, model, heading);
    view->setAlternatingRowColors(true);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(22);
    view->setMinimumSize(120, 60);
    rows->addWidget(view, 1);
    tables->addWidget(page);
    tables_.push_back(view);
  };
  table(delta_model_, tr("Differences of the results"));
  table(input_model_, tr("Differences of the inputs"));
  tables->setSizes({700, 260});
  down->addWidget(tables);
  down->setSizes({360, 260});
  timer_.setSingleShot(true);
  timer_.setInterval(30);
  connect(&timer_, &QTimer::timeout, this, &CompareView::ask);
  connect(&process_, &RunProcess::finished, this, &CompareView::answered);
  connect(list_, &QListWidget::itemChanged, this, [this] {
    if (filling_)
      return;
    chosen_by_hand_ = true;
    changed();
  });
  connect(against_, &QComboBox::activated, this, [this] { changed(); });
  connect(measure_, &QComboBox::activated, this, [this] { showDeltas(); });
  connect(curve_, &QComboBox::activated, this, [this] { drawCurves(); });
  changed();
}

void CompareView::add(const Results& results)
{
  runs_.push_back(results);
  filling_ = true;
  auto* item = new QListWidgetItem{
      QStringLiteral("#%1 %2").arg(runs_.size()).arg(results->folder.section(QLatin1Char('/'), -1)), list_};
  item->setToolTip(results->question.isEmpty()
                       ? results->folder
                       : question_words(results->question) + QLatin1Char('\n') + results->folder);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(Qt::Checked);
  filling_ = false;
  chooseLast();
}

int CompareView::pinned() const
{
  // The newest: a folder that was deleted may have been taken again.
  int i = static_cast<int>(runs_.size()) - 1;
  while (i >= 0 && (baseline_.isEmpty() || runs_[i]->folder != baseline_))
    --i;
  return i;
}

bool CompareView::has(const QString& folder) const
{
  return std::any_of(runs_.begin(), runs_.end(), [&](const Results& each) { return each->folder == folder; });
}

void CompareView::setBaseline(const QString& folder)
{
  baseline_ = folder.isEmpty() ? folder : QFileInfo{folder}.absoluteFilePath();
  chooseLast();
}

void CompareView::chooseLast()
{
  // The pinned run and the newest other one; without a pin the last two.
  const int first = pinned();
  if (!chosen_by_hand_) {
    filling_ = true;
    int left = first < 0 ? 2 : 1;
    for (int i = list_->count() - 1; i >= 0; --i)
      list_->item(i)->setCheckState(i == first || left-- > 0 ? Qt::Checked : Qt::Unchecked);
    filling_ = false;
  }
  changed();
  if (const int at = first < 0 ? -1 : against_->findData(first); at >= 0 && at != against_->currentIndex()) {
    against_->setCurrentIndex(at);
    changed();
  }
}

void CompareView::clear()
{
  runs_.clear();
  filling_ = true;
  list_->clear();
  filling_ = false;
  changed();
}

void CompareView::choose(const QVector<int>& runs)
{
  filling_ = true;
  for (int i = 0; i < list_->count(); ++i)
    list_->item(i)->setCheckState(runs.contains(i) ? Qt::Checked : Qt::Unchecked);
  filling_ = false;
  chosen_by_hand_ = true;
  changed();
  if (const int at = runs.isEmpty() ? -1 : against_->findData(runs.front()); at >= 0) {
    against_->setCurrentIndex(at);
    changed();
  }
}

QVector<int> CompareView::chosen() const
{
  QVector<int> runs;
  for (int i = 0; i < list_->count(); ++i)
    if (list_->item(i)->checkState() == Qt::Checked)
      runs.push_back(i);
  if (const int first = against_->currentData().isValid() ? against_->currentData().toInt() : -1; runs.removeOne(first))
    runs.prepend(first);
  return runs;
}

QString CompareView::nameOf(int run) const
{
  const auto folder = [&](int of) { return runs_[of]->folder.section(QLatin1Char('/'), -1); };
  for (int other = 0; other < runs_.size(); ++other)
    if (other != run && folder(other) == folder(run))
      return list_->item(run)->text(); // with its number
  return folder(run);
}

QStringList CompareView::names() const
{
  QStringList list;
  for (const int run : chosen())
    list << nameOf(run);
  return list;
}

QStringList CompareView::folders() const
{
  QStringList list;
  for (const int run : chosen())
    list << runs_[run]->folder;
  return list;
}

void CompareView::changed()
{
  // Only a compared run can be the baseline.
  const QVariant kept = against_->currentData();
  against_->clear();
  for (int i = 0; i < list_->count(); ++i)
    if (list_->item(i)->checkState() == Qt::Checked)
      against_->addItem(list_->item(i)->text(), i);
  if (const int at = against_->findData(kept); at >= 0 && kept.isValid())
    against_->setCurrentIndex(at);
  QVector<Results> compared;
  for (const int run : chosen())
    compared.push_back(runs_[run]);
  input_model_->show(input_differences(compared, names()));
  comparison_ = {};
  answer_->hide(); // it was about other runs
  delta_model_->show({});
  fillCurves();
  drawCurves();
  if (compared.size() < 2) {
    wanted_ = false;
    status_->setText(runs_.size() < 2 ? tr("Run two scenarios, or open results folders, to compare them.")
                                      : tr("Check at least two runs."));
    return;
  }
  wanted_ = true;
  timer_.start();
}

void CompareView::showEvent(QShowEvent* event)
{
  QWidget::showEvent(event);
  if (wanted_)
    timer_.start();
}

void CompareView::ask()
{
  if (!wanted_ || !isVisible() || process_.state() == RunProcess::State::running)
    return; // asked again when shown, or when the answer before is there
  wanted_ = false;
  QStringList arguments{QStringLiteral("compare")};
  arguments << folders();
  status_->setText(tr("comparing…"));
  process_.start(arguments << QStringLiteral("--json") << QStringLiteral("--no-files") << QStringLiteral("--quiet")
                           << QStringLiteral("--color=never"),
                 QDir::homePath());
}

void CompareView::answered()
{
  if (wanted_)
    return ask(); // other runs have been chosen meanwhile
  if (process_.state() != RunProcess::State::done) {
    status_->setText(process_.messages().section(QLatin1Char('\n'), 0, 2));
    emit compared();
    return;
  }
  const QJsonObject told = QJsonDocument::fromJson(process_.output().toUtf8()).object();
  comparison_ = comparison_of(told);
  answer_->setText(message_lines(read_messages(told.value(QLatin1String("messages")).toArray()), MessageKind::answer));
  answer_->setVisible(!answer_->text().isEmpty());
  status_->setText(
      comparison_.groups.isEmpty()
          ? tr("These runs have no measure in common.")
          : tr("The numbers are those of simrun compare, at %1 % confidence.").arg(comparison_.confidence * 100));
  fillMeasures();
  showDeltas();
  emit compared();
}

void CompareView::fillMeasures()
{
  const QString kept = measure();
  measure_->clear();
  for (const Comparison::Measure& measure : std::as_const(comparison_.measures))
    measure_->addItem(measure.unit.isEmpty() ? measure.name : QStringLiteral("%1, %2").arg(measure.name, measure.unit),
                      measure.name);
  if (const int at = measure_->findData(kept); at >= 0)
    measure_->setCurrentIndex(at);
}

QString CompareView::measure() const
{
  return measure_->currentData().toString();
}

void CompareView::chooseMeasure(const QString& name)
{
  measure_->setCurrentIndex(measure_->findData(name));
  showDeltas();
}

void CompareView::showDeltas()
{
  delta_model_->show(delta_table(comparison_, measure(), names()));
  QHeaderView* head = tables_[0]->horizontalHeader();
  tables_[0]->resizeColumnsToContents();
  if (head->count() > 0)
    head->resizeSection(0, std::min(head->sectionSize(0), std::max(160, tables_[0]->viewport()->width() * 45 / 100)));
  tables_[1]->resizeColumnsToContents();
}

void CompareView::fillCurves()
{
  const QVector<int> runs = chosen();
  const QString kept = curve_->currentText();
  curve_->clear();
  if (runs.isEmpty())
    return;
  const ResultsData& first = *runs_[runs.front()];
  QString usual;
  const auto add = [&](const QString& name, const Table& table) {
    for (int i = 0; i < table.columns.size(); ++i)
      if (table.isNumeric(i))
        curve_->addItem(QStringLiteral("%1: %2").arg(name, column_title(table.columns[i])),
                        QStringList{name, table.columns[i]});
  };
  if (!first.jobs.rows.isEmpty())
    add(QStringLiteral("jobs"), first.jobs);
  for (const auto& [name, table] : first.other)
    if (table.rows.size() > 1)
      add(name, table);
  const QString table = usual_table(first);
  usual = QStringLiteral("%1: %2").arg(table, column_title(best_choice(table_of(first, table)).y));
  const int at = curve_->findText(kept);
  curve_->setCurrentIndex(std::max(0, at >= 0 && !kept.isEmpty() ? at : curve_->findText(usual)));
}

void CompareView::drawCurves()
{
  const QVector<int> runs = chosen();
  const QStringList what = curve_->currentData().toStringList();
  if (runs.isEmpty() || what.size() != 2) {
    chart_->clearMarks();
    chart_->setSeries({}, tr("Run two scenarios, or open a results folder, to compare"), {}, {});
    return;
  }
  // One chart has one x axis, that of the baseline.
  const QString x = best_choice(table_of(*runs_[runs.front()], what[0])).x;
  QVector<Series> lines;
  QHash<QString, int> colours;
  QStringList across;
  QStringList others;
  for (const int run : runs) // as on the baseline's own page
    for (const Table& table = table_of(*runs_[run], what[0]);
         const Series& line : curves_of(table, {x, what[1], best_choice(table).series}, QStringLiteral(" · ")).lines)
      if (!colours.contains(line.name))
        colours.insert(line.name, static_cast<int>(colours.size()));
  // The baseline is drawn pale and dashed.
  for (int i = static_cast<int>(runs.size()) - 1; i >= 0; --i) {
    const Table& table = table_of(*runs_[runs[i]], what[0]);
    ChartChoice choice = best_choice(table);
    const QString run = nameOf(runs[i]);
    if (choice.x != x) {
      others << run;
      continue;
    }
    choice.y = what[1];
    Curves curves = curves_of(table, choice, QStringLiteral(" · "));
    for (const QString& name : std::as_const(curves.across))
      if (!across.contains(name))
        across << name;
    for (Series& line : curves.lines) {
      // What is the same in both runs has the same colour; further runs differ in their dashes. Bars have no dashes.
      if (curves.across.isEmpty()) {
        line.colour = colours.value(line.name);
        line.style = std::max(0, i - 1);
      } else {
        for (QPointF& point : line.points)
          point.setX(static_cast<double>(across.indexOf(curves.across[static_cast<qsizetype>(point.x())])));
      }
      line.ghost = i == 0 && runs.size() > 1;
      line.name = line.name.isEmpty() ? run : run + QStringLiteral(" · ") + line.name;
      lines.push_back(line);
    }
  }
  const ChartTitles titles =
      scale_axes(lines, across.isEmpty() ? x : QString{}, what[1], sample_of(*runs_[runs.front()]));
  chart_->setCategories(across);
  chart_->setSeries(
      lines,
      others.isEmpty()
          ? QString{}
          : tr("Not drawn, because something else varies there: %1").arg(others.join(QStringLiteral(", "))),
      titles.x, titles.y);
}

Comparison comparison_of(const QJsonObject& json)
{
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto list = [](const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toArray();
  };
  Comparison comparison;
  comparison.confidence = json.value(QLatin1String("confidence")).toDouble(0.95);
  for (const QJsonValue& value : list(json, "measures"))
    comparison.measures.push_back({value[QLatin1String("name")].toString(), value[QLatin1String("unit")].toString(),
                                   value[QLatin1String("more_is_better")].toBool(true)});
  for (const QJsonValue& value : list(json, "candidates"))
    comparison.candidates << value.toString();
  for (const QJsonValue& value : list(json, "groups")) {
    Comparison::Group group{value[QLatin1String("name")].toString(), {}};
    for (const QJsonValue& candidate : list(value.toObject(), "candidates")) {
      QHash<QString, Comparison::Figure> figures;
      for (const QJsonValue& each : list(candidate.toObject(), "figures")) {
        const QJsonObject figure = each.toObject();
        const double mean = figure.value(QLatin1String("mean")).toDouble(none);
        figures[figure.value(QLatin1String("measure")).toString()] = {
            mean,
            figure.value(QLatin1String("low")).toDouble(mean),
            figure.value(QLatin1String("high")).toDouble(mean),
            figure.contains(QLatin1String("difference")),
            figure.value(QLatin1String("difference")).toDouble(none),
            figure.value(QLatin1String("difference_low")).toDouble(none),
            figure.value(QLatin1String("difference_high")).toDouble(none),
            figure.value(QLatin1String("significant")).toBool()};
      }
      group.candidates.push_back(std::move(figures));
    }
    comparison.groups.push_back(std::move(group));
  }
  return comparison;
}

Table delta_table(const Comparison& comparison, const QString& measure, const QStringList& names)
{
  const auto text = [](double value) { return std::isfinite(value) ? QString::number(value, 'g', 15) : QString{}; };
  bool intervals = false;
  for (const Comparison::Group& group : comparison.groups)
    for (const auto& figures : group.candidates)
      if (const auto found = figures.constFind(measure); found != figures.constEnd())
        intervals = intervals || std::isfinite(found->difference_low);
  Table table;
  table.columns << QObject::tr("where");
  for (const QString& name : names)
    table.columns << name;
  for (int i = 1; i < names.size(); ++i) {
    const QString difference = QStringLiteral("%1 − %2").arg(names[i], names[0]);
    table.columns << difference;
    if (intervals)
      table.columns << QObject::tr("%1, low").arg(difference) << QObject::tr("%1, high").arg(difference);
    table.columns << QObject::tr("%1, %").arg(difference) << QObject::tr("%1: sure").arg(names[i]);
  }
  for (const Comparison::Group& group : comparison.groups) {
    bool any = false;
    for (const auto& figures : group.candidates)
      any = any || figures.contains(measure);
    if (!any)
      continue;
    QStringList row{group.name};
    for (int i = 0; i < names.size(); ++i)
      row << (i < group.candidates.size() && group.candidates[i].contains(measure)
                  ? text(group.candidates[i].value(measure).mean)
                  : QString{});
    const double base = group.candidates.isEmpty() ? 0 : group.candidates[0].value(measure).mean;
    for (int i = 1; i < names.size(); ++i) {
      const Comparison::Figure figure =
          i < group.candidates.size() ? group.candidates[i].value(measure) : Comparison::Figure{};
      row << (figure.differs ? text(figure.difference) : QString{});
      if (intervals)
        row << (figure.differs ? text(figure.difference_low) : QString{})
            << (figure.differs ? text(figure.difference_high) : QString{});
      row << (figure.differs && base != 0 ? QString::number(100 * figure.difference / std::fabs(base), 'g', 6)
                                          : QString{})
          << (!figure.differs      ? QString{}
              : figure.significant ? QObject::tr("yes")
                                   : QObject::tr("no"));
    }
    table.rows.push_back(row);
  }
  return table;
}

Table input_differences(const QVector<Results>& runs, const QStringList& names)
{
  Table table;
  table.columns << QObject::tr("key") << names;
  if (runs.size() < 2)
    return table;
  Diagnostics ignored;
  const Document first = parse_document(runs[0]->scenario_text.toStdString(), "first", ignored);
  std::map<QString, QStringList> rows;
  for (int i = 1; i < runs.size(); ++i) {
    const Document other = parse_document(runs[i]->scenario_text.toStdString(), "other", ignored);
    for (const DocumentDifference& each : difference(first.root, other.root)) {
      QStringList& row = rows[QString::fromStdString(each.path)];
      while (row.size() < runs.size())
        row << QString::fromStdString(each.before); // where a run does not differ it has the first one's
      row[i] = QString::fromStdString(each.after);
    }
  }
  for (const auto& [key, row] : rows)
    table.rows.push_back(QStringList{key} + row);
  return table;
}

} // namespace trainyard::gui
