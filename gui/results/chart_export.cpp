// SPDX-License-Identifier: Apache-2.0
/// A chart for other programs: as a picture, and as the numbers of its lines.
#include "gui/core/picture.hpp"
#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/results/chart_view.hpp"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenu>
#include <QMessageBox>
#include <QToolButton>

namespace trainyard::gui {

bool Chart::exportTo(const QString& file, QString* error) const
{
  // A chart of its own, so that the picture is the same in a small window and in the dark.
  if (only_numbers_) {
    *error = tr("These results are numbers without a chart; there is no picture of them");
    return false;
  }
  const QSize size{1200, 720};
  const LightColours light;
  Chart copy;
  copy.setPalette(light.palette());
  copy.resize(size);
  copy.setTop(top_);
  copy.hidden_ = hidden_;
  copy.setCategories(categories_);
  copy.setSeries(series_, title_, x_title_, y_title_);
  for (const auto& [y, name] : thresholds_)
    copy.setThreshold(y, name);
  copy.view_->chart()->resize(size);
  return write_picture(
      file, size, title_,
      [&](QPainter& painter, const QRectF& target) {
        copy.view_->scene()->render(&painter, target, QRectF{QPointF{}, QSizeF{size}}, Qt::KeepAspectRatio);
      },
      error);
}

void Chart::offerExport()
{
  auto* menu = new QMenu{this};
  menu->setObjectName(QStringLiteral("chart_menu"));
  menu->addAction(tr("Save picture…"), this, [this] {
    const QString file = QFileDialog::getSaveFileName(this, tr("Save picture"), QStringLiteral("chart.svg"),
                                                      tr("Pictures (*.svg *.png *.pdf)"));
    QString error;
    if (!file.isEmpty() && !exportTo(file, &error))
      QMessageBox::warning(this, tr("Save picture"), error);
  });
  menu->addAction(tr("Copy picture"), this, [this] { QGuiApplication::clipboard()->setPixmap(view_->grab()); });
  menu->addSeparator();
  menu->addAction(tr("Save numbers as CSV…"), this, [this] {
    save_text(*this, tr("Save numbers"), QStringLiteral("chart.csv"), tr("Tables (*.csv)"),
              copied_rows(*table_, false, CopiedRows::all));
  });
  menu->addAction(tr("Copy numbers as CSV"), this,
                  [this] { QGuiApplication::clipboard()->setText(copied_rows(*table_, false, CopiedRows::all)); });
  view_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(view_, &QWidget::customContextMenuRequested, this, [this, menu](const QPoint& at) {
    if (!whole_->isVisible()) // else the button shows all again
      menu->popup(view_->mapToGlobal(at));
  });
}

} // namespace trainyard::gui
