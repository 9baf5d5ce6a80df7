// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QStyledItemDelegate>

class QTreeView;

namespace trainyard::gui {

/// Gives every cell of a tree the height of its wrapped text, so that no sentence is cut; rows grow and shrink with the
/// column's width.
class WrapDelegate : public QStyledItemDelegate
{
  Q_OBJECT
public:
  explicit WrapDelegate(QTreeView& view);

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
  QTreeView& view_;
};

} // namespace trainyard::gui
