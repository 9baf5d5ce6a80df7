// SPDX-License-Identifier: Apache-2.0
#include "gui/core/picture.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace trainyard::gui {

bool write_picture(const QString& file, const QSize& size, const QString& title,
                   const std::function<void(QPainter& painter, const QRectF& target)>& draw, QString* error)
{
  const auto paint = [&](QPaintDevice* device, const QRectF& target) {
    QPainter painter{device};
    if (!painter.isActive())
      return false;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(target, Qt::white);
    draw(painter, target);
    return true;
  };
  bool good = false;
  const QString kind = QFileInfo{file}.suffix().toLower();
  if (kind == QLatin1String("svg")) {
    QSvgGenerator svg;
    svg.setFileName(file);
    svg.setSize(size);
    svg.setViewBox(QRect{{0, 0}, size});
    svg.setTitle(title);
    good = paint(&svg, QRectF{{0, 0}, size}) && QFileInfo{file}.size() > 0;
  } else if (kind == QLatin1String("pdf")) {
    QPdfWriter pdf{file};
    pdf.setPageSize(QPageSize{QSizeF{200, 200.0 * size.height() / size.width()}, QPageSize::Millimeter});
    pdf.setPageMargins({0, 0, 0, 0});
    pdf.setTitle(title);
    good = paint(&pdf, QRectF{0, 0, static_cast<double>(pdf.width()), static_cast<double>(pdf.height())});
  } else {
    QImage image{size, QImage::Format_RGB32};
    good = paint(&image, QRectF{{0, 0}, size}) && image.save(file);
  }
  if (!good && error != nullptr)
    *error = QCoreApplication::translate("Picture", "%1 could not be written").arg(file);
  return good;
}

} // namespace trainyard::gui
