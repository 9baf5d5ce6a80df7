// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace trainyard::gui {

/// Find and replace below a text: Enter goes on, Shift+Enter back, Escape closes.
class FindBar : public QWidget
{
  Q_OBJECT
public:
  explicit FindBar(QPlainTextEdit& text, QWidget* parent = nullptr);
  /// Shows it with what is selected in the text.
  void open(bool replace);
  /// Selects the next place, or the one before; from the begin again after the last. False where there is none.
  bool find(bool back = false);
  void replaceOne();
  int replaceAll();

protected:
  void keyPressEvent(QKeyEvent* event) override;

private:
  QPlainTextEdit& text_;
  QLineEdit* what_;
  QLineEdit* by_;
  QWidget* second_;
  QCheckBox* exact_;
  QLabel* told_;
};

} // namespace trainyard::gui
