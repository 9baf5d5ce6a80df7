// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QListWidget>

#include "gui/document/checker.hpp"

namespace trainyard::gui {

/// The checker's messages about the text, worst first; activating a line goes there.
class ProblemsPanel : public QListWidget
{
  Q_OBJECT
public:
  explicit ProblemsPanel(QWidget* parent = nullptr);
  void show(const QVector<Problem>& problems);

signals:
  void chosen(int line, int column);
};

} // namespace trainyard::gui
