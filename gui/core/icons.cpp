// SPDX-License-Identifier: Apache-2.0
// Icons as strokes on a grid of 20 by 20, so that they need no files and follow theme and scale.

#include "gui/core/theme.hpp"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

namespace trainyard::gui {
namespace {

using Drawing = std::function<void(QPainter&)>;

void line(QPainter& painter, std::initializer_list<QPointF> points)
{
  painter.drawPolyline(QPolygonF{QVector<QPointF>{points}});
}

void arrow_back(QPainter& painter)
{
  QPainterPath way;
  way.moveTo(4, 8);
  way.lineTo(12, 8);
  way.arcTo(QRectF{8.5, 8, 8, 8}, 90, -180);
  way.lineTo(8, 16);
  painter.drawPath(way);
  line(painter, {{8, 4}, {4, 8}, {8, 12}});
}

void frame(QPainter& painter, double x, double y, double width, double height)
{
  painter.drawRoundedRect(QRectF{x, y, width, height}, 1.2, 1.2);
}

const std::map<QString, Drawing>& drawings()
{
  static const std::map<QString, Drawing> all{{QStringLiteral("open"),
                                               [](QPainter& p) {
                                                 line(p, {{3, 16}, {3, 4}, {8, 4}, {10, 6.5}, {16, 6.5}, {16, 9}});
                                                 line(p, {{3, 16}, {5.5, 9}, {18, 9}, {15.5, 16}, {3, 16}});
                                               }},
                                              {QStringLiteral("save"),
                                               [](QPainter& p) {
                                                 line(p, {{3, 3}, {14, 3}, {17, 6}, {17, 17}, {3, 17}, {3, 3}});
                                                 line(p, {{6.5, 3}, {6.5, 7.5}, {12.5, 7.5}, {12.5, 3}});
                                                 line(p, {{6, 17}, {6, 11.5}, {14, 11.5}, {14, 17}});
                                               }},
                                              {QStringLiteral("new"),
                                               [](QPainter& p) {
                                                 line(p, {{5, 3}, {12, 3}, {16, 7}, {16, 17}, {5, 17}, {5, 3}});
                                                 line(p, {{12, 3}, {12, 7}, {16, 7}});
                                               }},
                                              {QStringLiteral("run"),
                                               [](QPainter& p) {
                                                 p.setBrush(p.pen().color());
                                                 p.drawPolygon(QPolygonF{QVector<QPointF>{{6, 4}, {16, 10}, {6, 16}}});
                                               }},
                                              {QStringLiteral("stop"),
                                               [](QPainter& p) {
                                                 p.setBrush(p.pen().color());
                                                 p.drawRoundedRect(QRectF{5, 5, 10, 10}, 1.5, 1.5);
                                               }},
                                              {QStringLiteral("undo"), arrow_back},
                                              {QStringLiteral("redo"),
                                               [](QPainter& p) {
                                                 p.translate(20, 0);
                                                 p.scale(-1, 1);
                                                 arrow_back(p);
                                               }},
                                              {QStringLiteral("link"),
                                               [](QPainter& p) {
                                                 p.drawEllipse(QPointF{4.5, 15.5}, 2.2, 2.2);
                                                 p.drawEllipse(QPointF{15.5, 4.5}, 2.2, 2.2);
                                                 line(p, {{6.2, 13.8}, {13.8, 6.2}});
                                               }},
                                              {QStringLiteral("layout"),
                                               [](QPainter& p) {
                                                 frame(p, 7, 3, 6, 4.5);
                                                 frame(p, 2.5, 12.5, 6, 4.5);
                                                 frame(p, 11.5, 12.5, 6, 4.5);
                                                 line(p, {{10, 7.5}, {10, 10}, {5.5, 10}, {5.5, 12.5}});
                                                 line(p, {{10, 10}, {14.5, 10}, {14.5, 12.5}});
                                               }},
                                              {QStringLiteral("export"),
                                               [](QPainter& p) {
                                                 line(p, {{6, 9}, {3.5, 9}, {3.5, 17}, {16.5, 17}, {16.5, 9}, {14, 9}});
                                                 line(p, {{10, 13}, {10, 3}});
                                                 line(p, {{6.5, 6.5}, {10, 3}, {13.5, 6.5}});
                                               }},
                                              {QStringLiteral("network"),
                                               [](QPainter& p) {
                                                 frame(p, 7.5, 2.5, 5, 4);
                                                 for (const double x : {1.5, 7.5, 13.5}) {
                                                   frame(p, x, 13, 5, 4.5);
                                                   line(p, {{10, 6.5}, {x + 2.5, 13}});
                                                 }
                                               }},
                                              {QStringLiteral("queue"),
                                               [](QPainter& p) {
                                                 frame(p, 2.5, 3, 9, 3.6);
                                                 frame(p, 5.5, 8.2, 12, 3.6);
                                                 frame(p, 9.5, 13.4, 6, 3.6);
                                               }},
                                              {QStringLiteral("services"),
                                               [](QPainter& p) {
                                                 for (const double x : {3.0, 11.0})
                                                   for (const double y : {3.0, 11.0})
                                                     frame(p, x, y, 6, 6);
                                               }},
                                              {QStringLiteral("clock"), [](QPainter& p) {
                                                 p.drawEllipse(QPointF{10, 10}, 7.2, 7.2);
                                                 line(p, {{10, 5.5}, {10, 10}, {13.5, 12}});
                                               }}};
  return all;
}

class Engine : public QIconEngine
{
public:
  explicit Engine(const Drawing& drawing, const QString& name) : drawing_{drawing}, name_{name} {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
  {
    const QPalette palette = QApplication::palette();
    QColor ink = palette.color(mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active, QPalette::ButtonText);
    if (mode == QIcon::Disabled)
      ink.setAlpha(130);
    else if (name_ == QLatin1String("run"))
      ink = series_colour(2);
    const double side = std::min(rect.width(), rect.height());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(QRectF{rect}.center() - QPointF{side / 2, side / 2});
    painter->scale(side / 20, side / 20);
    painter->setPen(QPen{ink, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin});
    painter->setBrush(Qt::NoBrush);
    drawing_(*painter);
    painter->restore();
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
  {
    QPixmap picture{size};
    picture.fill(Qt::transparent);
    QPainter painter{&picture};
    paint(&painter, QRect{{0, 0}, size}, mode, state);
    return picture;
  }
  QIconEngine* clone() const override { return std::make_unique<Engine>(*this).release(); }

private:
  Drawing drawing_;
  QString name_;
};

} // namespace

QIcon drawn_icon(const QString& name)
{
  const auto found = drawings().find(name);
  return found == drawings().end() ? QIcon{} : QIcon{std::make_unique<Engine>(found->second, name).release()};
}

} // namespace trainyard::gui
