// SPDX-License-Identifier: Apache-2.0
#include "gui/core/wrap_delegate.hpp"

#include <QHeaderView>
#include <QTimer>
#include <QTreeView>

#include <algorithm>

namespace trainyard::gui {

WrapDelegate::WrapDelegate(QTreeView& view) : QStyledItemDelegate{&view}, view_{view}
{
  view.setWordWrap(true);
  view.setUniformRowHeights(false);
  view.setTextElideMode(Qt::ElideNone);
  auto* later = new QTimer{this};
  later->setSingleShot(true);
  later->setInterval(0);
  connect(later, &QTimer::timeout, &view, &QTreeView::doItemsLayout);
  connect(view.header(), &QHeaderView::sectionResized, later, qOverload<>(&QTimer::start));
}

QSize WrapDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
  QSize hint = QStyledItemDelegate::sizeHint(option, index);
  const QString text = index.data(Qt::DisplayRole).toString();
  if (text.isEmpty())
    return hint;
  int depth = view_.rootIsDecorated() ? 1 : 0;
  for (QModelIndex up = index.parent(); up.isValid(); up = up.parent())
    ++depth;
  const int indent = index.column() == view_.header()->logicalIndex(0) ? depth * view_.indentation() : 0;
  constexpr int margins = 8; // left and right of the text in Qt's own drawing
  const int width = std::max(40, view_.columnWidth(index.column()) - indent - margins);
  hint.setHeight(
      std::max(hint.height(),
               option.fontMetrics.boundingRect(QRect{0, 0, width, 100'000}, Qt::TextWordWrap, text).height() + 4));
  return hint;
}

} // namespace trainyard::gui
