// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/load_scrubber.hpp"

#include "gui/core/theme.hpp"
#include "gui/timeline/timeline_view.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QLinearGradient>
#include <QPainter>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace trainyard::gui {
namespace {

constexpr int positions = 200; // 0: the whole run

/// What the colours of links mean.
class Legend : public QWidget
{
public:
  Legend() { setFixedWidth(130); }

protected:
  void paintEvent(QPaintEvent*) override
  {
    QPainter painter{this};
    QLinearGradient gradient{QPointF{30, 0}, QPointF{width() - 42.0, 0}};
    for (int i = 0; i <= 10; ++i)
      gradient.setColorAt(i / 10.0, load_colour(i / 10.0));
    painter.fillRect(QRect{30, height() / 2 - 4, width() - 72, 8}, gradient);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRect{0, 0, 26, height()}, Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("0 %"));
    painter.drawText(QRect{width() - 40, 0, 40, height()}, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("100 %"));
  }
};

} // namespace

LoadScrubber::LoadScrubber(QWidget* parent)
    : QWidget{parent}, slider_{new QSlider{Qt::Horizontal}}, label_{new QLabel}, point_{new QLabel},
      play_{new QToolButton}
{
  auto* column = new QVBoxLayout{this};
  column->setContentsMargins(6, 2, 6, 4);
  column->setSpacing(0);
  point_->setObjectName(QStringLiteral("loads_of"));
  point_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  point_->setWordWrap(true);
  column->addWidget(point_);
  auto* row = new QHBoxLayout;
  column->addLayout(row);
  row->setSpacing(8);
  row->addWidget(new QLabel{tr("Link load")});
  row->addWidget(new Legend);
  play_->setText(QStringLiteral("▶"));
  play_->setCheckable(true);
  play_->setAccessibleName(tr("Play over time"));
  play_->setToolTip(play_->accessibleName());
  row->addWidget(play_);
  slider_->setRange(0, positions);
  slider_->setAccessibleName(tr("Time of the link loads"));
  row->addWidget(slider_, 1);
  label_->setMinimumWidth(label_->fontMetrics().horizontalAdvance(QStringLiteral("000.000 ms ++")));
  row->addWidget(label_);
  timer_.setInterval(60);
  connect(slider_, &QSlider::valueChanged, this, &LoadScrubber::moved);
  connect(play_, &QToolButton::toggled, this, [this](bool on) {
    if (!on)
      return timer_.stop();
    if (slider_->value() == positions)
      slider_->setValue(1);
    timer_.start();
  });
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (slider_->value() < positions)
      slider_->setValue(slider_->value() + 1);
    else
      play_->setChecked(false);
  });
  hide();
}

void LoadScrubber::show(const Results& results, const QString& point)
{
  point_->setText(point.isEmpty() ? QString{} : tr("Shown: %1").arg(point));
  point_->setVisible(!point.isEmpty());
  results_ = results;
  play_->setChecked(false);
  slider_->setValue(0);
  label_->setText(tr("whole run"));
  setVisible(results_ && !results_->links.rows.isEmpty());
  const bool over_time = results_ && !results_->link_loads.parts.isEmpty();
  slider_->setEnabled(over_time);
  play_->setEnabled(over_time);
}

void LoadScrubber::setTime(double seconds)
{
  if (!results_ || !(results_->link_loads.end > results_->link_loads.begin))
    return;
  const LinkLoads& loads = results_->link_loads;
  slider_->setValue(std::clamp(
      static_cast<int>(std::lround((seconds - loads.begin) / (loads.end - loads.begin) * (positions - 1))) + 1, 1,
      positions));
}

void LoadScrubber::moved()
{
  if (!results_)
    return;
  const LinkLoads& loads = results_->link_loads;
  if (slider_->value() == 0) {
    label_->setText(tr("whole run"));
    return emit timeChosen(loads.begin - 1);
  }
  const double length = loads.end - loads.begin;
  const double seconds = loads.begin + length * (slider_->value() - 0.5) / positions;
  label_->setText(time_text(seconds, length / positions));
  emit timeChosen(seconds);
}

} // namespace trainyard::gui
