// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/what_if_panel.hpp"

#include "gui/core/places.hpp"
#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/results/figures.hpp"
#include "gui/results/messages.hpp"

#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>

namespace trainyard::gui {
namespace {

constexpr int steps = 200;

void collect(const DocumentNode& node, const QString& path, QVector<Knob>& knobs)
{
  static const QRegularExpression quantity{QStringLiteral("^([0-9.]+(?:e[-+]?[0-9]+)?)\\s*([A-Za-zµ%$/]+)?$")};
  static const QStringList left_out{QStringLiteral("trainyard"), QStringLiteral("seed"), QStringLiteral("sweep"),
                                    QStringLiteral("replicas")};
  if (knobs.size() > 400)
    return;
  if (node.kind == DocumentNode::Kind::map)
    for (const DocumentNode::Entry& entry : node.entries) {
      const QString key = QString::fromStdString(entry.key);
      if (!left_out.contains(key))
        collect(entry.value, path.isEmpty() ? key : path + QLatin1Char('.') + key, knobs);
    }
  else if (node.kind == DocumentNode::Kind::list)
    for (std::size_t i = 0; i < node.items.size(); ++i)
      collect(node.items[i], path + QLatin1Char('.') + QString::number(i), knobs);
  else if (node.kind == DocumentNode::Kind::scalar && !node.quoted) {
    const auto match = quantity.match(QString::fromStdString(node.text));
    if (!match.hasMatch())
      return;
    static const QRegularExpression units{
        QStringLiteral("^([kMGTP]?i?B(/s)?|[kMGT]?bit/s|[munµ]?s|min|h|d|%|W|\\$(/h)?)?$")};
    Knob knob{path, match.captured(1).toDouble(), 0, 1, match.captured(2)};
    if (!units.match(knob.unit).hasMatch())
      return; // a name such as 25GbE
    if (knob.value <= 0)
      return;
    const bool count = knob.unit.isEmpty() && knob.value == std::floor(knob.value);
    knob.minimum = count ? 1 : knob.value / 16;
    knob.maximum = count ? std::max(8.0, knob.value * 4) : knob.value * 16;
    knobs.push_back(knob);
  }
}

} // namespace

QVector<Knob> knobs_of(const Document& document)
{
  QVector<Knob> knobs;
  collect(document.root, {}, knobs);
  // A link by its catalogue name has no number; its bandwidth may be set over it.
  static const QRegularExpression named{QStringLiteral("^(\\d+)GbE$")};
  const DocumentNode* link = find_path(document.root, "cluster.network.link");
  if (link != nullptr && find_path(document.root, "cluster.network.bandwidth") == nullptr)
    if (const auto match = named.match(QString::fromStdString(link->text)); match.hasMatch()) {
      const double rate = match.captured(1).toDouble();
      knobs.push_back(
          {QStringLiteral("cluster.network.bandwidth"), rate, rate / 16, rate * 16, QStringLiteral("Gbit/s")});
    }
  return knobs;
}

QVector<Series> answer_curves(const QJsonObject& summary, QString* x_title)
{
  struct Row {
    QString series;
    double workers = 0;
    double rate = 0;
  };
  QVector<Row> rows;
  std::map<QString, int> models;
  std::map<QString, int> jobs;
  for (const QJsonValue& value : summary.value(QLatin1String("jobs")).toArray()) {
    ++models[value.toObject().value(QLatin1String("model")).toString()];
    ++jobs[value.toObject().value(QLatin1String("job")).toString()];
  }
  for (const QJsonValue& value : summary.value(QLatin1String("jobs")).toArray()) {
    const QJsonObject job = value.toObject();
    QStringList name;
    if (models.size() > 1)
      name << job.value(QLatin1String("model")).toString();
    const QString variant = job.value(QLatin1String("variant")).toString();
    if (!variant.isEmpty())
      name << variant;
    if (jobs.size() > 1 || name.isEmpty())
      name << job.value(QLatin1String("job")).toString();
    const QJsonValue rate = job.value(QLatin1String("samples_per_second"));
    rows.push_back({name.join(QStringLiteral(", ")), job.value(QLatin1String("workers")).toDouble(),
                    rate.isObject() ? rate.toObject().value(QLatin1String("mean")).toDouble() : rate.toDouble()});
  }
  *x_title = QObject::tr("workers");
  QVector<Series> curves;
  for (const Row& row : rows) {
    auto found =
        std::find_if(curves.begin(), curves.end(), [&](const Series& series) { return series.name == row.series; });
    if (found == curves.end()) {
      curves.push_back({row.series, {}, false, {}});
      found = std::prev(curves.end());
    }
    found->points.push_back({row.workers, row.rate});
  }
  for (Series& curve : curves)
    std::stable_sort(curve.points.begin(), curve.points.end(),
                     [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
  return curves;
}

QString queue_answer(const QJsonObject& before, const QJsonObject& now)
{
  const auto figure = [](const QJsonValue& of, const char* column) {
    const QJsonValue value = of[QLatin1String(column)];
    return figure_text(QLatin1String(column), (value.isObject() ? value[QLatin1String("mean")] : value).toDouble());
  };
  QString words;
  for (const QJsonValue& policy : now.value(QLatin1String("policies")).toArray())
    for (const QJsonValue& old : before.value(QLatin1String("policies")).toArray())
      if (old[QLatin1String("policy")] == policy[QLatin1String("policy")] &&
          old[QLatin1String("point")] == policy[QLatin1String("point")])
        words += QObject::tr("%1: a job waits %2 on average instead of %3; all are done after %4 instead of %5")
                     .arg((policy[QLatin1String("point")].toString() + QLatin1Char(' ') +
                           policy[QLatin1String("policy")].toString())
                              .trimmed(),
                          figure(policy, "waiting_s"), figure(old, "waiting_s"), figure(policy, "makespan_s"),
                          figure(old, "makespan_s")) +
                 QLatin1Char('\n');
  return words;
}

struct WhatIfPanel::Slider {
  Knob knob;
  QWidget* row = nullptr;
  QSlider* slider = nullptr;
  QLabel* label = nullptr;

  /// Counts go up one by one, the rest is logarithmic over the range.
  bool counts() const { return knob.unit.isEmpty() && knob.value == std::floor(knob.value); }
  double value() const
  {
    const double x = static_cast<double>(slider->value()) / steps;
    return counts() ? knob.minimum + slider->value() : knob.minimum * std::pow(knob.maximum / knob.minimum, x);
  }
  int position(double value) const
  {
    if (counts())
      return static_cast<int>(std::lround(value - knob.minimum));
    return static_cast<int>(
        std::lround(steps * std::log(value / knob.minimum) / std::log(knob.maximum / knob.minimum)));
  }
  QString text() const
  {
    return QString::number(value(), 'g', 4) + (knob.unit.isEmpty() ? QString{} : QLatin1Char(' ') + knob.unit);
  }
};

WhatIfPanel::WhatIfPanel(ScenarioDocument& document, QWidget* parent)
    : QWidget{parent}, document_{document}, chart_{new Chart}, status_{new QLabel}, menu_{new QMenu{this}},
      rows_{new QVBoxLayout}
{
  auto* layout = new QHBoxLayout{this};
  layout->setContentsMargins(6, 6, 6, 6);
  auto* left = new QWidget;
  left->setFixedWidth(380); // a longer number moves no slider under the pointer
  auto* side = column_in(left);
  auto* add = new QToolButton;
  add->setText(tr("Add a slider"));
  add->setPopupMode(QToolButton::InstantPopup);
  add->setMenu(menu_);
  side->addWidget(add);
  side->addLayout(rows_);
  status_->setObjectName(QStringLiteral("what_if_answer"));
  status_->setWordWrap(true);
  side->addWidget(status_);
  side->addStretch();
  layout->addWidget(left);
  layout->addWidget(chart_, 1);
  timer_.setSingleShot(true);
  timer_.setInterval(60);
  connect(&timer_, &QTimer::timeout, this, &WhatIfPanel::start);
  connect(&process_, &RunProcess::finished, this, &WhatIfPanel::finished);
  connect(menu_, &QMenu::aboutToShow, this, &WhatIfPanel::rebuildMenu);
  connect(&document_, &ScenarioDocument::fileChanged, this, [this, last = QString{}]() mutable {
    if (document_.title() == last)
      return;
    last = document_.title();
    for (const auto& slider : sliders_)
      slider->row->deleteLater();
    sliders_.clear();
    now_.clear();
    unchanged_ = {};
    // Two sliders to begin with: what the first question is about.
    QStringList wanted;
    const QVector<Knob> knobs = knobs_of(document_.tree());
    static const QRegularExpression machines{QStringLiteral("^cluster[.]nodes[.][0-9]+[.]count$")};
    for (const Knob& knob : knobs) // of a queue, how many machines serve it
      if (document_.tree().root.find("workload") != nullptr && wanted.isEmpty() && machines.match(knob.path).hasMatch())
        wanted << knob.path;
    for (const Knob& knob : knobs)
      if (knob.path.endsWith(QLatin1String(".servers")) && wanted.isEmpty())
        wanted << knob.path;
    for (const Knob& knob : knobs)
      if (knob.path == QLatin1String("cluster.network.bandwidth") ||
          (knob.path.endsWith(QLatin1String(".batch_per_gpu")) && wanted.size() < 2))
        wanted << knob.path;
    for (const QString& path : wanted.mid(0, 3))
      addSlider(path);
  });
  status_->setText(tr("Move a slider: the scenario runs in the background with the changed value. The dashed curve is "
                      "the result before the change."));
}

void WhatIfPanel::rebuildMenu()
{
  menu_->clear();
  for (const Knob& knob : knobs_of(document_.tree())) {
    const bool there = std::any_of(sliders_.begin(), sliders_.end(),
                                   [&](const auto& slider) { return slider->knob.path == knob.path; });
    if (!there)
      menu_->addAction(QStringLiteral("%1 = %2 %3").arg(knob.path).arg(knob.value).arg(knob.unit), this,
                       [this, path = knob.path] { addSlider(path); });
  }
  if (menu_->isEmpty())
    menu_->addAction(tr("this scenario has no numbers"))->setEnabled(false);
}

void WhatIfPanel::addSlider(const QString& path)
{
  const QVector<Knob> knobs = knobs_of(document_.tree());
  const auto found = std::find_if(knobs.begin(), knobs.end(), [&](const Knob& knob) { return knob.path == path; });
  if (found == knobs.end())
    return;
  auto slider = std::make_shared<Slider>();
  slider->knob = *found;
  slider->row = new QWidget;
  auto* line = new QVBoxLayout{slider->row};
  line->setContentsMargins(0, 2, 0, 2);
  auto* head = new QHBoxLayout;
  slider->label = new QLabel;
  auto* close = new QToolButton;
  close->setText(QStringLiteral("×"));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Remove this slider"));
  auto* keep = new QToolButton;
  keep->setText(tr("Keep"));
  keep->setToolTip(tr("Write this value into the scenario"));
  head->addWidget(slider->label, 1);
  head->addWidget(keep);
  head->addWidget(close);
  line->addLayout(head);
  slider->slider = new QSlider{Qt::Horizontal};
  slider->slider->setRange(0, slider->counts() ? slider->position(slider->knob.maximum) : steps);
  slider->slider->setAccessibleName(path);
  slider->slider->setValue(slider->position(slider->knob.value));
  line->addWidget(slider->slider);
  rows_->addWidget(slider->row);
  const auto name = [slider] {
    slider->label->setText(QStringLiteral("%1: %2").arg(slider->knob.path, slider->text()));
  };
  name();
  slider->label->setWordWrap(true);
  connect(slider->slider, &QSlider::valueChanged, this, [this, name] {
    name();
    timer_.start();
  });
  connect(keep, &QToolButton::clicked, this, [this, slider] {
    document_.setValue(slider->knob.path, slider->text(), tr("Set %1").arg(slider->knob.path));
  });
  connect(close, &QToolButton::clicked, this, [this, slider] {
    slider->row->deleteLater();
    sliders_.removeAll(slider);
    timer_.start();
  });
  sliders_.push_back(slider);
}

void WhatIfPanel::setSlider(const QString& path, double value)
{
  for (const auto& slider : sliders_)
    if (slider->knob.path == path)
      slider->slider->setValue(slider->position(value));
}

void WhatIfPanel::start()
{
  if (process_.state() == RunProcess::State::running) {
    again_ = true;
    process_.cancel(); // stale
    return;
  }
  const QString file = state_folder(QStringLiteral("what_if")) + QStringLiteral("/scenario.yaml");
  QFile out{file};
  if (!out.open(QIODevice::WriteOnly) || out.write(document_.text().toUtf8()) < 0)
    return status_->setText(tr("%1 cannot be written: %2").arg(file, out.errorString()));
  out.close();
  QStringList arguments{QStringLiteral("run"), file, QStringLiteral("--json"), QStringLiteral("--no-files"),
                        QStringLiteral("--quiet")};
  if (document_.text() != unchanged_of_)
    unchanged_ = {};
  unchanged_of_ = document_.text();
  for (const auto& slider : sliders_) // what it is compared with runs first
    if (!unchanged_.isEmpty() && slider->slider->value() != slider->position(slider->knob.value))
      arguments << QStringLiteral("--set") << slider->knob.path + QLatin1Char('=') + slider->text();
  status_->setText(tr("running…"));
  process_.start(arguments, document_.folder());
}

void WhatIfPanel::finished()
{
  if (std::exchange(again_, false))
    return start();
  if (process_.state() == RunProcess::State::cancelled)
    return;
  if (process_.state() != RunProcess::State::done)
    return status_->setText(process_.messages().section(QLatin1Char('\n'), 0, 1));
  const QJsonObject summary = QJsonDocument::fromJson(process_.output().toUtf8()).object();
  const QVector<Series> before = std::exchange(now_, answer_curves(summary, &x_title_));
  if (unchanged_.isEmpty()) {
    unchanged_ = summary;
    return start();
  }
  QVector<Series> all = now_;
  for (int i = 0; i < all.size(); ++i)
    all[i].colour = i;
  for (Series ghost : before) {
    ghost.ghost = true;
    for (const Series& twin : std::as_const(now_))
      if (twin.name == ghost.name)
        ghost.colour = static_cast<int>(&twin - now_.constData());
    ghost.name = tr("%1 before").arg(ghost.name);
    all.push_back(ghost);
  }
  chart_->setVisible(!all.isEmpty()); // a queue has none of these; the sentence answers
  chart_->setSeries(all, tr("Throughput"), x_title_, tr("samples/s"));
  status_->setText(
      tr("%1\n(%2 s)")
          .arg(queue_answer(unchanged_, summary) +
               message_lines(read_messages(summary.value(QLatin1String("messages")).toArray()), MessageKind::answer))
          .arg(process_.elapsedSeconds(), 0, 'f', 2));
  emit answered();
}

} // namespace trainyard::gui
