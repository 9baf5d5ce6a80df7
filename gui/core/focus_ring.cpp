// SPDX-License-Identifier: Apache-2.0
#include "gui/core/focus_ring.hpp"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QPainter>

namespace trainyard::gui {

FocusRing::FocusRing(QWidget& window) : QWidget{&window}, window_{window}
{
  setObjectName(QStringLiteral("focus_ring"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
  setFocusPolicy(Qt::NoFocus);
  hide();
  qApp->installEventFilter(this);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    if (keyboard_)
      follow(now);
  });
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event)
{
  switch (event->type()) {
  case QEvent::KeyPress: {
    const int key = static_cast<QKeyEvent*>(event)->key();
    keyboard_ = keyboard_ || key == Qt::Key_Tab || key == Qt::Key_Backtab || key == Qt::Key_F8;
    break;
  }
  case QEvent::MouseButtonPress:
    keyboard_ = false;
    follow(nullptr);
    break;
  case QEvent::Move:
  case QEvent::Resize:
  case QEvent::Hide:
    if (followed_ != nullptr && watched->isWidgetType() &&
        (watched == followed_ || static_cast<QWidget*>(watched)->isAncestorOf(followed_)))
      place();
    break;
  default:
    break;
  }
  return QWidget::eventFilter(watched, event);
}

void FocusRing::follow(QWidget* widget)
{
  if (widget != nullptr && (widget->window() != &window_ || widget == &window_))
    widget = nullptr;
  followed_ = widget;
  place();
}

void FocusRing::place()
{
  if (followed_ == nullptr || !followed_->isVisible())
    return hide();
  // Only the visible part of scrolled content.
  QRect seen{followed_->mapTo(&window_, QPoint{}), followed_->size()};
  for (const QWidget* above = followed_->parentWidget(); above != nullptr && above != &window_;
       above = above->parentWidget())
    seen &= QRect{above->mapTo(&window_, QPoint{}), above->size()};
  if (seen.isEmpty())
    return hide();
  const QRect wanted = seen.adjusted(-2, -2, 2, 2) & window_.rect();
  if (geometry() != wanted) {
    setGeometry(wanted);
    setMask(QRegion{rect()} - QRegion{rect().adjusted(3, 3, -3, -3)});
  }
  show();
  raise();
}

void FocusRing::paintEvent(QPaintEvent*)
{
  QPainter painter{this};
  painter.setPen(QPen{palette().color(QPalette::Highlight), 3});
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

} // namespace trainyard::gui
