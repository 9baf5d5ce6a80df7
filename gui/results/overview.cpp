// SPDX-License-Identifier: Apache-2.0
#include "gui/results/overview.hpp"

#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/results/figures.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/table_model.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QMap>
#include <QPainter>
#include <QPushButton>
#include <QTableView>

#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace trainyard::gui {
namespace {

constexpr int bar_height = 22;
constexpr int swatch = 10;

QColor ink_on(const QColor& ground)
{
  return contrast(ground, Qt::white) > contrast(ground, Qt::black) ? Qt::white : Qt::black;
}

const Table* table_named(const ResultsData& data, const QString& name)
{
  for (const auto& [other, table] : data.other)
    if (other == name)
      return &table;
  return nullptr;
}

struct Digest {
  const char* table;
  std::initializer_list<const char*> columns;
};

/// Of what is more than training: the figures that are asked first.
const std::array<Digest, 4>& digests()
{
  static const std::array<Digest, 4> all{
      {{"parts",
        {"policy", "run", "finished_jobs", "mean_jct_s", "mean_waiting_s", "availability", "need_to_deployed_p50_s",
         "stale_share"}},
       {"services",
        {"service", "kind", "replicas", "availability", "jct_s", "restarts", "moves", "useful_s", "lost_s",
         "gpu_hours"}},
       {"metrics",
        {"policy", "waiting_mean_s", "waiting_p95_s", "jct_mean_s", "slowdown_mean", "utilisation", "makespan_s",
         "preemptions", "lost_gpu_hours"}},
       {"metrics",
        {"policy", "needs", "completions", "need_to_deployed_p50_s", "need_to_deployed_p95_s", "stale_share",
         "utilisation", "gpu_hours", "wasted_gpu_hours"}}}};
  return all;
}

} // namespace

StackedBar::StackedBar(QWidget* parent) : QWidget{parent}
{
  QSizePolicy policy{QSizePolicy::Expanding, QSizePolicy::Fixed};
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void StackedBar::show(const QVector<BarPart>& parts, const QString& column)
{
  parts_ = parts;
  column_ = column;
  QStringList told;
  for (const BarPart& part : parts_)
    told << words(part);
  setAccessibleName(told.join(QStringLiteral("; ")));
  setToolTip(told.join(QLatin1Char('\n')));
  updateGeometry();
  update();
}

QString StackedBar::words(const BarPart& part) const
{
  double whole = 0;
  for (const BarPart& each : parts_)
    whole += each.value;
  return QStringLiteral("%1 %2 · %3 %")
      .arg(part.name, figure_text(column_, part.value))
      .arg(static_cast<int>(std::lround(100 * part.value / std::max(whole, 1e-300))));
}

QVector<QRect> StackedBar::legend(int width) const
{
  QVector<QRect> places;
  const QFontMetrics metrics{font()};
  int x = 0;
  int y = bar_height + 4;
  for (const BarPart& part : parts_) {
    const int wide = swatch + 6 + metrics.horizontalAdvance(words(part));
    if (x > 0 && x + wide > width) {
      x = 0;
      y += metrics.height() + 2;
    }
    places.push_back({x, y, wide, metrics.height()});
    x += wide + 18;
  }
  return places;
}

QSize StackedBar::sizeHint() const
{
  return {400, heightForWidth(std::max(400, width()))};
}

int StackedBar::heightForWidth(int width) const
{
  const QVector<QRect> places = legend(width);
  return places.isEmpty() ? 0 : places.back().bottom() + 4;
}

void StackedBar::paintEvent(QPaintEvent*)
{
  QPainter painter{this};
  double whole = 0;
  for (const BarPart& part : std::as_const(parts_))
    whole += part.value;
  if (!(whole > 0))
    return;
  const QVector<QRect> places = legend(width());
  double from = 0;
  for (qsizetype i = 0; i < parts_.size(); ++i) {
    const BarPart& part = parts_[i];
    const QColor colour = series_colour(part.colour);
    const QRectF place{width() * from / whole, 0, width() * part.value / whole, static_cast<double>(bar_height)};
    painter.fillRect(place, colour);
    const QString share = QStringLiteral("%1 %").arg(static_cast<int>(std::lround(100 * part.value / whole)));
    if (place.width() > fontMetrics().horizontalAdvance(share) + 8) {
      painter.setPen(ink_on(colour));
      painter.drawText(place, Qt::AlignCenter, share);
    }
    painter.fillRect(QRect{places[i].left(), places[i].center().y() - swatch / 2, swatch, swatch}, colour);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(places[i].adjusted(swatch + 6, 0, 4, 0), Qt::AlignLeft | Qt::AlignVCenter, words(part));
    from += part.value;
  }
}

QVector<BarPart> step_parts(const Table& jobs, int row)
{
  const std::array<std::pair<const char*, BarPart>, 6> all{
      {{"compute_s", {QObject::tr("compute"), 0, 0}},
       {"host_s", {QObject::tr("host starts operators"), 0, 4}},
       {"exposed_communication_s", {QObject::tr("communication that compute does not hide"), 0, 1}},
       {"input_s", {QObject::tr("input"), 0, 2}},
       {"bubble_s", {QObject::tr("the pipeline's bubble"), 0, 2}},
       {"wait_s", {QObject::tr("waiting for others"), 0, 3}}}};
  QVector<BarPart> parts;
  double whole = 0;
  double messages = 0; // of a divided job, kind by kind
  for (const char* kind : {"tensor", "context", "expert", "data", "pipeline"})
    if (const double time = jobs.number(row, QStringLiteral("exposed_%1_s").arg(QLatin1String(kind))); time > 0)
      messages += time;
  for (auto [column, part] : all)
    if (part.value = jobs.number(row, QLatin1String(column)); part.value > 0 || (part.colour == 1 && messages > 0)) {
      part.value = part.value > 0 ? part.value : messages;
      whole += part.value;
      parts.push_back(part);
    }
  if (const double rest = jobs.number(row, QStringLiteral("step_s")) - whole; rest > 0.005 * whole)
    parts.push_back({QObject::tr("other"), rest, 5});
  return parts;
}

Overview::Overview(QWidget* parent)
    : QWidget{parent}, heading_{new QLabel}, figures_{new QWidget}, bar_{new StackedBar}, bottleneck_{new QLabel},
      table_{new QTableView}, model_{new TableModel{this}}, pictures_{new QWidget}, assumed_{new QLabel}
{
  rows_ = column_in(this);
  rows_->setSpacing(4);
  heading_->setFont(bold(heading_->font()));
  heading_->setWordWrap(true);
  new QHBoxLayout{figures_};
  new QGridLayout{pictures_};
  for (QWidget* each : {figures_, pictures_}) {
    each->layout()->setContentsMargins(0, 0, 0, 0);
    each->setMinimumWidth(1); // a narrow window cuts the last one, and the page stays as wide as its place
    each->layout()->setSpacing(each == figures_ ? 28 : 6);
  }
  bar_->setObjectName(QStringLiteral("step_bar"));
  bottleneck_->setWordWrap(true);
  bottleneck_->setObjectName(QStringLiteral("bottleneck"));
  assumed_->setWordWrap(true);
  assumed_->setForegroundRole(QPalette::PlaceholderText);
  assumed_->setObjectName(QStringLiteral("assumed"));
  for (QLabel* each : {heading_, bottleneck_, assumed_})
    each->setTextInteractionFlags(Qt::TextSelectableByMouse);
  set_up(*table_, model_, tr("The figures that matter"));
  table_->setObjectName(QStringLiteral("digest"));
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(22);
  table_->setAlternatingRowColors(true);
  table_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  for (QWidget* each :
       std::initializer_list<QWidget*>{heading_, figures_, bar_, bottleneck_, table_, pictures_, assumed_})
    rows_->addWidget(each);
  clear();
}

bool Overview::event(QEvent* event)
{
  // Pages of tabs do not ask for a height that depends on the width: lines that wrap would lie on each other.
  const bool taken = QWidget::event(event);
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
    setMinimumHeight(std::max(0, rows_->heightForWidth(width())));
  return taken;
}

void Overview::clear()
{
  for (QWidget* holder : {figures_, pictures_})
    while (QLayoutItem* item = holder->layout()->takeAt(0)) {
      delete item->widget();
      delete item;
    }
  for (QWidget* each :
       std::initializer_list<QWidget*>{heading_, figures_, bar_, bottleneck_, table_, pictures_, assumed_})
    each->hide();
}

void Overview::addFigure(const QString& words, const QString& caption, const QString& meaning)
{
  auto* one = new QWidget;
  auto* column = column_in(one);
  column->setSpacing(0);
  auto* number = new QLabel{words};
  number->setFont(bold(number->font(), 1.45));
  number->setTextInteractionFlags(Qt::TextSelectableByMouse);
  number->setObjectName(caption);
  auto* below = new QLabel{caption};
  below->setForegroundRole(QPalette::PlaceholderText);
  column->addWidget(number);
  column->addWidget(below);
  one->setToolTip(meaning);
  figures_->layout()->addWidget(one);
}

void Overview::show(const Results& results, const QString& point)
{
  clear();
  if (!results || results->plan)
    return;
  const Table* divided = table_named(*results, QStringLiteral("parallel"));
  if (results->jobs.column(QStringLiteral("samples_per_second")) >= 0)
    showTraining(*results, results->jobs, point);
  else if (divided != nullptr && results->jobs.rows.isEmpty())
    showTraining(*results, *divided, point);
  else
    showTable(*results, point);
  showPictures(*results);
  QStringList assumed;
  for (const Message& message : results->messages)
    if (message.id == "explain.assumed")
      for (const Message& each : messages_in(message, "list"))
        if (!each.id.empty())
          assumed << message_words(each);
  assumed_->setVisible(!assumed.isEmpty());
  const QString whole = tr("Assumed: %1").arg(assumed.join(QStringLiteral("; ")));
  assumed_->setText(whole.size() > 260 ? whole.left(whole.lastIndexOf(QLatin1Char(';'), 250)) + QStringLiteral("; …")
                                       : whole);
  assumed_->setToolTip(assumed.join(QLatin1Char('\n')));
}

void Overview::showTraining(const ResultsData& data, const Table& jobs, const QString& point)
{
  QVector<int> here;
  const int at = jobs.column(QStringLiteral("point"));
  for (int row = 0; row < jobs.rows.size(); ++row)
    if (at < 0 || jobs.rows[row][at] == point)
      here.push_back(row);
  if (here.isEmpty())
    return;
  // Several jobs: the one that decides, as its step takes longest; the others are in the table.
  const int row = *std::max_element(here.begin(), here.end(), [&](int a, int b) {
    return jobs.number(a, QStringLiteral("step_s")) < jobs.number(b, QStringLiteral("step_s"));
  });
  const auto number = [&](const char* column) { return jobs.number(row, QLatin1String(column)); };
  QString sample = QStringLiteral("sample");
  for (const auto& each : data.summary.value(QLatin1String("jobs")).toArray())
    if (const QJsonObject job = each.toObject();
        job.value(QLatin1String("point")).toString() == point &&
        job.value(QLatin1String("job")).toString() == jobs.text(row, QStringLiteral("job")))
      sample = job.value(QLatin1String("sample")).toString(sample);
  sample = sample_words(sample);
  heading_->setText(here.size() > 1 ? tr("%1, the slowest of %2 jobs%3")
                                          .arg(jobs.text(row, QStringLiteral("job")))
                                          .arg(here.size())
                                          .arg(point.isEmpty() ? QString{} : QStringLiteral(" · ") + point)
                                    : point);
  heading_->setVisible(!heading_->text().isEmpty());
  const auto add = [&](const char* column, const QString& caption) {
    if (const double value = number(column); std::isfinite(value) && value > 0)
      addFigure(figure_text(QLatin1String(column), value), caption, fact_of(QLatin1String(column)).meaning);
  };
  add("samples_per_second", tr("%1s per second").arg(sample));
  add("scaling_efficiency", tr("of perfect scaling"));
  add("step_s", tr("per step"));
  add("tokens_per_second", tr("%1s per second").arg(sample_words(QStringLiteral("token"))));
  add("model_flop_utilisation", tr("of the peak in model flop"));
  add(jobs.column(QStringLiteral("workers")) < 0 ? "gpus" : "workers", tr("GPUs"));
  add("gpu_memory_B", tr("memory of a GPU"));
  add("bytes_per_step_B", tr("over the network per step"));
  add("price_per_million_samples_usd", tr("per million %1s").arg(sample));
  static_cast<QHBoxLayout*>(figures_->layout())->addStretch();
  figures_->show();
  bar_->show(step_parts(jobs, row), QStringLiteral("step_s"));
  bar_->setVisible(!bar_->parts().isEmpty());
  const QString bottleneck = jobs.text(row, QStringLiteral("bottleneck"));
  bottleneck_->setText(tr("Bottleneck: %1").arg(sentence_words(bottleneck)));
  bottleneck_->setVisible(!bottleneck.isEmpty());
}

void Overview::showTable(const ResultsData& data, const QString& point)
{
  for (const Digest& digest : digests()) {
    const Table* table = table_named(data, QLatin1String(digest.table));
    if (table == nullptr || table->rows.isEmpty())
      continue;
    QVector<int> columns;
    for (const char* name : digest.columns)
      if (const int column = table->column(QLatin1String(name)); column >= 0)
        columns.push_back(column);
    if (columns.size() < 4)
      continue; // another kind of table of that name
    Table shown;
    for (const int column : std::as_const(columns))
      shown.columns << table->columns[column];
    const int at = table->column(QStringLiteral("point"));
    for (const QStringList& row : table->rows)
      if (at < 0 || row[at] == point) {
        QStringList cells;
        for (const int column : std::as_const(columns))
          cells << row[column];
        shown.rows.push_back(cells);
      }
    heading_->setText(point);
    heading_->setVisible(!point.isEmpty());
    model_->showInWords(shown, true);
    table_->resizeColumnsToContents();
    const auto rows = std::min<qsizetype>(shown.rows.size(), 8);
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + 22 * static_cast<int>(rows) + 4);
    table_->setVisible(!shown.rows.isEmpty());
    showFullest(data, point);
    return;
  }
}

void Overview::showFullest(const ResultsData& data, const QString& point)
{
  struct Fullest {
    double gpus = 0, from = 0, to = 0; // the longest stretch
    double since = 0;                  // the stretch that lasts
    double waiting = -1, at = 0;
  };
  const Table* table = table_named(data, QStringLiteral("utilisation"));
  if (table == nullptr || table->column(QStringLiteral("waiting_jobs")) < 0)
    return;
  QMap<QString, Fullest> of;
  double end = 0;
  for (int row = 0; row < table->rows.size(); ++row) {
    if (table->text(row, QStringLiteral("point")) != point)
      continue;
    const QString policy = table->text(row, QStringLiteral("policy"));
    const double now = table->number(row, QStringLiteral("time_s"));
    const double busy = table->number(row, QStringLiteral("busy_gpus"));
    Fullest& here = of[policy];
    const double before = row > 0 && table->text(row - 1, QStringLiteral("policy")) == policy
                              ? table->number(row - 1, QStringLiteral("busy_gpus"))
                              : -1;
    if (before == here.gpus && now - here.since > here.to - here.from)
      std::tie(here.from, here.to) = std::pair{here.since, now};
    if (busy != before)
      here.since = now;
    if (busy > here.gpus)
      here.gpus = busy, here.from = here.to = now;
    if (const double waiting = table->number(row, QStringLiteral("waiting_jobs")); waiting > here.waiting)
      std::tie(here.waiting, here.at) = std::pair{waiting, now};
    end = std::max(end, now);
  }
  const QString time = QStringLiteral("time_s");
  QStringList lines;
  for (auto it = of.cbegin(); it != of.cend(); ++it) {
    const Fullest& here = it.value();
    lines << (of.size() > 1 ? it.key() + QStringLiteral(": ") : QString{}) +
                 tr("Fullest from %1 to %2, with %3 GPUs in use; most jobs wait at %4: %5")
                     .arg(figure_text(time, here.from, end), figure_text(time, here.to, end))
                     .arg(here.gpus)
                     .arg(figure_text(time, here.at, end))
                     .arg(here.waiting);
  }
  constexpr int most = 3;
  bottleneck_->setText(lines.mid(0, most).join(QLatin1Char('\n')) +
                       (lines.size() > most ? QStringLiteral(" …") : QString{}));
  bottleneck_->setToolTip(lines.join(QLatin1Char('\n')));
  bottleneck_->setVisible(!lines.isEmpty());
}

void Overview::showPictures(const ResultsData& data)
{
  struct Picture {
    QString name, table, x, y, by;
  };
  const QVector<Picture> all{{tr("Completion by policy"),
                              QStringLiteral("metrics"),
                              QStringLiteral("policy"),
                              QStringLiteral("jct_mean_s"),
                              {}},
                             {tr("Waiting by policy"),
                              QStringLiteral("metrics"),
                              QStringLiteral("policy"),
                              QStringLiteral("waiting_mean_s"),
                              {}},
                             {tr("GPUs in use over time"), QStringLiteral("utilisation"), QStringLiteral("time_s"),
                              QStringLiteral("busy_gpus"), QStringLiteral("policy")},
                             {tr("Jobs that wait over time"), QStringLiteral("utilisation"), QStringLiteral("time_s"),
                              QStringLiteral("waiting_jobs"), QStringLiteral("policy")},
                             {tr("Teams that waited"), QStringLiteral("groups by team"), QStringLiteral("group"),
                              QStringLiteral("waiting_mean_s"), QStringLiteral("policy")},
                             {tr("Waiting by GPUs of a job"), QStringLiteral("groups by gpus"), QStringLiteral("group"),
                              QStringLiteral("waiting_mean_s"), QStringLiteral("policy")}};
  for (const Picture& picture : all) {
    const Table* table = table_named(data, picture.table);
    if (table == nullptr || table->rows.size() < 2 || table->column(picture.x) < 0 || table->column(picture.y) < 0)
      continue;
    auto* button = new QPushButton{picture.name};
    button->setObjectName(picture.table + QLatin1Char('.') + picture.y);
    connect(button, &QPushButton::clicked, this,
            [this, picture] { emit pictureChosen(picture.table, picture.x, picture.y, picture.by); });
    auto* rows = static_cast<QGridLayout*>(pictures_->layout());
    constexpr int across = 3; // more would cut each other's words
    const int place = rows->count();
    rows->addWidget(button, place / across, place % across);
    pictures_->show();
  }
}

} // namespace trainyard::gui
