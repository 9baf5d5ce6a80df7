// SPDX-License-Identifier: Apache-2.0
#include "gui/core/widgets.hpp"

#include "gui/core/copy_rows.hpp"

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QRegularExpression>
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
  table.setTextElideMode(Qt::ElideMiddle); // names of machines and links differ at their ends
  table.setWordWrap(false);                // else a long word is left out whole
  table.setAccessibleName(name);
  for (QAbstractButton* corner : table.findChildren<QAbstractButton*>())
    corner->setAccessibleName(QObject::tr("Select all"));
  let_copy(table);
}

QWidget* empty_state(const QString& title, const QString& words)
{
  auto* page = new QWidget;
  auto* column = column_in(page, 24);
  auto* head = new QLabel{title};
  head->setFont(bold(head->font(), 1.3));
  auto* text = new QLabel{words};
  text->setForegroundRole(QPalette::PlaceholderText);
  column->addStretch(1);
  for (QLabel* label : {head, text}) {
    label->setAlignment(Qt::AlignHCenter);
    label->setWordWrap(true);
    column->addWidget(label);
  }
  column->addStretch(2);
  return page;
}

QString plain_words(QString text)
{
  static const QRegularExpression key{QStringLiteral("\\(&.\\)")};
  return text.remove(key).remove(QLatin1Char('&'));
}

QFont bold(QFont font, double times)
{
  font.setBold(true);
  if (times != 1)
    font.setPointSizeF(font.pointSizeF() * times);
  return font;
}

} // namespace trainyard::gui
