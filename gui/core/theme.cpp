// SPDX-License-Identifier: Apache-2.0
#include "gui/core/theme.hpp"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QPolygonF>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QStyleOption>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

namespace trainyard::gui {
namespace {

QPalette light_palette()
{
  QPalette p;
  p.setColor(QPalette::Window, QColor{0xf4, 0xf5, 0xf7});
  p.setColor(QPalette::WindowText, QColor{0x1b, 0x1f, 0x24});
  p.setColor(QPalette::Base, Qt::white);
  p.setColor(QPalette::AlternateBase, QColor{0xee, 0xf1, 0xf5});
  p.setColor(QPalette::Text, QColor{0x1b, 0x1f, 0x24});
  p.setColor(QPalette::Button, QColor{0xe8, 0xeb, 0xef});
  p.setColor(QPalette::ButtonText, QColor{0x1b, 0x1f, 0x24});
  p.setColor(QPalette::ToolTipBase, QColor{0xff, 0xff, 0xe6});
  p.setColor(QPalette::ToolTipText, QColor{0x1b, 0x1f, 0x24});
  p.setColor(QPalette::Highlight, QColor{0x00, 0x5a, 0x9c});
  p.setColor(QPalette::HighlightedText, Qt::white);
  p.setColor(QPalette::Link, QColor{0x00, 0x5a, 0x9c});
  p.setColor(QPalette::PlaceholderText, QColor{0x5c, 0x66, 0x70});
  p.setColor(QPalette::Mid, QColor{0xb4, 0xba, 0xc2});
  p.setColor(QPalette::Light, Qt::white);
  p.setColor(QPalette::Midlight, QColor{0xee, 0xf0, 0xf3});
  p.setColor(QPalette::Dark, QColor{0xa4, 0xab, 0xb4});
  p.setColor(QPalette::Shadow, QColor{0x8a, 0x92, 0x9c});
  p.setColor(QPalette::Disabled, QPalette::Text, QColor{0x76, 0x7e, 0x88});
  p.setColor(QPalette::Disabled, QPalette::ButtonText, QColor{0x76, 0x7e, 0x88});
  p.setColor(QPalette::Disabled, QPalette::WindowText, QColor{0x76, 0x7e, 0x88});
  return p;
}

QPalette dark_palette()
{
  QPalette p;
  p.setColor(QPalette::Window, QColor{0x22, 0x25, 0x2a});
  p.setColor(QPalette::WindowText, QColor{0xe6, 0xe8, 0xeb});
  p.setColor(QPalette::Base, QColor{0x18, 0x1a, 0x1e});
  p.setColor(QPalette::AlternateBase, QColor{0x26, 0x2a, 0x30});
  p.setColor(QPalette::Text, QColor{0xe6, 0xe8, 0xeb});
  p.setColor(QPalette::Button, QColor{0x32, 0x37, 0x3e});
  p.setColor(QPalette::ButtonText, QColor{0xe6, 0xe8, 0xeb});
  p.setColor(QPalette::ToolTipBase, QColor{0x32, 0x37, 0x3e});
  p.setColor(QPalette::ToolTipText, QColor{0xe6, 0xe8, 0xeb});
  p.setColor(QPalette::Highlight, QColor{0x56, 0xb4, 0xe9});
  p.setColor(QPalette::HighlightedText, QColor{0x10, 0x12, 0x15});
  p.setColor(QPalette::Link, QColor{0x7c, 0xc6, 0xf2});
  p.setColor(QPalette::PlaceholderText, QColor{0x9a, 0xa3, 0xad});
  p.setColor(QPalette::Mid, QColor{0x4a, 0x50, 0x58});
  p.setColor(QPalette::Light, QColor{0x3c, 0x42, 0x4a}); // Qt draws edges with it; its own is white
  p.setColor(QPalette::Midlight, QColor{0x2c, 0x31, 0x37});
  p.setColor(QPalette::Dark, QColor{0x14, 0x16, 0x19});
  p.setColor(QPalette::Shadow, QColor{0x0e, 0x10, 0x12});
  p.setColor(QPalette::Disabled, QPalette::Text, QColor{0x82, 0x8a, 0x94});
  p.setColor(QPalette::Disabled, QPalette::ButtonText, QColor{0x82, 0x8a, 0x94});
  p.setColor(QPalette::Disabled, QPalette::WindowText, QColor{0x82, 0x8a, 0x94});
  return p;
}

/// Fusion with boxes that can be seen on dark ground too.
class Style : public QProxyStyle
{
public:
  Style() : QProxyStyle{QStyleFactory::create(QStringLiteral("Fusion"))} {}

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override
  {
    if (element != PE_IndicatorItemViewItemCheck && element != PE_IndicatorCheckBox)
      return QProxyStyle::drawPrimitive(element, option, painter, widget);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF{option->rect}.adjusted(1.5, 1.5, -1.5, -1.5);
    const bool on = (option->state & State_On) != 0;
    const bool enabled = (option->state & State_Enabled) != 0;
    painter->setPen(QPen{option->palette.color(enabled ? QPalette::PlaceholderText : QPalette::Mid), 1.2});
    painter->setBrush(on ? option->palette.color(QPalette::Highlight) : option->palette.color(QPalette::Base));
    painter->drawRoundedRect(box, 2, 2);
    if (on) {
      painter->setPen(QPen{option->palette.color(QPalette::HighlightedText), 2});
      painter->drawPolyline(QPolygonF{{{box.left() + box.width() * 0.2, box.center().y()},
                                       {box.left() + box.width() * 0.42, box.bottom() - box.height() * 0.25},
                                       {box.right() - box.width() * 0.18, box.top() + box.height() * 0.25}}});
    }
    painter->restore();
  }
};

QColor between(const QColor& a, const QColor& b, float share)
{
  return QColor::fromRgbF(a.redF() + (b.redF() - a.redF()) * share, a.greenF() + (b.greenF() - a.greenF()) * share,
                          a.blueF() + (b.blueF() - a.blueF()) * share);
}

/// Distances are 4, 8 or 12 px, corners 5 px; edges are thin and soft, and what is chosen has a line in the colour of
/// choice.
QString style_sheet(const QPalette& p)
{
  const QColor ground = p.color(QPalette::Window);
  const QColor text = p.color(QPalette::WindowText);
  QString sheet = QStringLiteral(
      "QToolTip{padding:4px;border:1px solid @edge}"
      "QMenuBar{background:@ground;border:0}"
      "QToolBar{background:@ground;border:0;border-bottom:1px solid @edge;padding:4px;spacing:4px}"
      "QToolBar::separator{background:@edge;width:1px;margin:4px 4px}"
      "QToolButton{border:1px solid transparent;border-radius:5px;padding:4px}"
      "QToolButton:hover{background:@hover}"
      "QToolButton:pressed,QToolButton:checked{background:@press}"
      "QToolButton:focus{border-color:@choice}"
      "QToolButton[popupMode=\"2\"]{padding-right:18px}" // 2: its menu opens at once
      "QToolButton::menu-indicator{subcontrol-origin:padding;subcontrol-position:right center;right:4px}"
      "QStatusBar{border-top:1px solid @edge} QStatusBar::item{border:0}"
      "QDockWidget::title{padding:6px 8px;background:@ground}"
      "QMainWindow::separator{background:@ground;width:5px;height:5px}"
      "QMainWindow::separator:hover{background:@choice}"
      "QTabWidget::pane{border:0;border-top:1px solid @edge}"
      "QTabBar{qproperty-drawBase:0}"
      "QTabBar::tab{background:transparent;color:@quiet;border:0;border-bottom:2px solid transparent;"
      "padding:6px 9px;margin:0}"
      "QTabBar::tab:hover{color:@text;background:@hover}"
      "QTabBar::tab:selected{color:@text;border-bottom-color:@choice}"
      "QTabBar::tab:focus{background:@press}"
      "QPushButton{background:@button;color:@text;border:1px solid @edge;border-radius:5px;padding:4px 10px}"
      "QPushButton:hover{background:@press} QPushButton:pressed{background:@edge}"
      "QPushButton:focus{border-color:@choice} QPushButton:disabled{color:@faint}"
      "QPushButton:default{border-color:@choice}"
      "QLineEdit{background:@base;border:1px solid @edge;border-radius:5px;padding:3px 5px}"
      "QLineEdit:focus{border-color:@choice} QLineEdit:disabled{color:@faint}"
      "QHeaderView::section{background:@ground;color:@quiet;border:0;border-right:1px solid @edge;"
      "border-bottom:1px solid @edge;padding:4px 6px}"
      "QHeaderView{background:@ground;border:0} QTableView{gridline-color:@hover}"
      "QComboBox QLineEdit,QAbstractSpinBox QLineEdit{border:0;padding:0}"
      "QScrollBar:vertical{background:transparent;width:12px;margin:0}"
      "QScrollBar:horizontal{background:transparent;height:12px;margin:0}"
      "QScrollBar::handle{background:@edge;border-radius:4px;margin:2px;min-height:24px;min-width:24px}"
      "QScrollBar::handle:hover{background:@quiet}"
      "QScrollBar::add-line,QScrollBar::sub-line{width:0;height:0}"
      "QScrollBar::add-page,QScrollBar::sub-page{background:transparent}"
      "QProgressBar{border:1px solid @edge;border-radius:5px;background:@base;text-align:center}"
      "QProgressBar::chunk{background:@choice;border-radius:4px}");
  const QVector<QPair<QString, QColor>> colours{{QStringLiteral("@ground"), ground},
                                                {QStringLiteral("@base"), p.color(QPalette::Base)},
                                                {QStringLiteral("@button"), p.color(QPalette::Button)},
                                                {QStringLiteral("@text"), text},
                                                {QStringLiteral("@quiet"), p.color(QPalette::PlaceholderText)},
                                                {QStringLiteral("@faint"), p.color(QPalette::Disabled, QPalette::Text)},
                                                {QStringLiteral("@choice"), p.color(QPalette::Highlight)},
                                                {QStringLiteral("@edge"), between(ground, text, 0.17F)},
                                                {QStringLiteral("@hover"), between(ground, text, 0.06F)},
                                                {QStringLiteral("@press"), between(ground, text, 0.11F)}};
  for (const auto& [name, colour] : colours)
    sheet.replace(name, colour.name());
  return sheet;
}

double luminance(const QColor& colour)
{
  const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

} // namespace

Theme theme_of(const QString& name)
{
  return name == QLatin1String("dark") ? Theme::dark : name == QLatin1String("light") ? Theme::light : Theme::system;
}

QString name_of(Theme theme)
{
  return theme == Theme::dark    ? QStringLiteral("dark")
         : theme == Theme::light ? QStringLiteral("light")
                                 : QStringLiteral("system");
}

void apply_theme(QApplication& application, Theme theme)
{
  static const bool system_dark = luminance(application.palette().color(QPalette::Window)) < 0.2;
  QApplication::setStyle(new Style);
  const bool dark = theme == Theme::dark || (theme == Theme::system && system_dark);
  QApplication::setPalette(dark ? dark_palette() : light_palette());
  application.setStyleSheet(style_sheet(QApplication::palette()));
}

namespace {
int light_pictures = 0; // that are being drawn; the window's thread alone draws
}

LightColours::LightColours()
{
  ++light_pictures;
}
LightColours::~LightColours()
{
  --light_pictures;
}
QPalette LightColours::palette() const
{
  return light_palette();
}

bool is_dark()
{
  if (light_pictures > 0)
    return false;
  return luminance(QApplication::palette().color(QPalette::Window)) < 0.2;
}

QColor series_colour(int index)
{
  static const std::array<QRgb, 7> on_light{0x0072b2, 0xe46d12, 0x06694c, 0xbb688f, 0x6c510a, 0x2b94cc, 0x333333};
  static const std::array<QRgb, 7> on_dark{0x56b4e9, 0xfe8535, 0x21e1ae, 0xd47dba, 0xffdb75, 0xa4d5f3, 0xf0e442};
  const auto& colours = is_dark() ? on_dark : on_light;
  return QColor{colours[static_cast<std::size_t>(index < 0 ? 0 : index) % colours.size()]};
}

QColor load_colour(double load)
{
  const double x = std::clamp(std::isfinite(load) ? load : 0.0, 0.0, 1.0);
  const QColor calm{0x2c, 0x7b, 0xb6};
  const QColor middle{0xf0, 0xc9, 0x3c};
  const QColor hot{0xd5, 0x3e, 0x00};
  const QColor& a = x < 0.5 ? calm : middle;
  const QColor& b = x < 0.5 ? middle : hot;
  const double t = x < 0.5 ? 2 * x : 2 * x - 1;
  return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * t),
                          static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * t),
                          static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * t));
}

QColor error_colour()
{
  return is_dark() ? QColor{0xff, 0x8a, 0x70} : QColor{0xb3, 0x26, 0x1e};
}
QColor warning_colour()
{
  return is_dark() ? QColor{0xf0, 0xc3, 0x5a} : QColor{0x8a, 0x5a, 0x00};
}

double contrast(const QColor& a, const QColor& b)
{
  const double la = luminance(a) + 0.05;
  const double lb = luminance(b) + 0.05;
  return la > lb ? la / lb : lb / la;
}

// Icons as strokes on a grid of 20 by 20, so that they need no files and follow theme and scale.
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
