// SPDX-License-Identifier: Apache-2.0
#include "gui/core/widgets.hpp"

#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

namespace trainyard::gui {

QVBoxLayout* column_in(QWidget* widget, int margin)
{
  auto* column = new QVBoxLayout{widget};
  column->setContentsMargins(margin, margin, margin, margin);
  return column;
}

QScrollArea* scrolled(QWidget* page)
{
  auto* area = new QScrollArea;
  area->setWidgetResizable(true);
  area->setWidget(page);
  return area;
}

void narrow(QComboBox& box, int letters)
{
  box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box.setMinimumContentsLength(letters);
}

QLabel* label_for(QWidget& widget, const QString& name)
{
  auto* label = new QLabel{name};
  label->setBuddy(&widget);
  widget.setAccessibleName(name);
  return label;
}

void set_up(QTableView& table, QAbstractItemModel* model, const QString& name)
{
  table.setTabKeyNavigation(false);
  table.setModel(model);
  table.setAccessibleName(name);
}

QFont bold(QFont font, double times)
{
  font.setBold(true);
  if (times != 1)
    font.setPointSizeF(font.pointSizeF() * times);
  return font;
}

} // namespace trainyard::gui
