// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QRectF>
#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace trainyard::gui {

/// Writes a picture to a PNG, SVG or PDF file, by its ending; on white, in the light theme. False with the reason in @p
/// error.
bool write_picture(const QString& file, const QSize& size, const QString& title,
                   const std::function<void(QPainter& painter, const QRectF& target)>& draw, QString* error);

} // namespace trainyard::gui
