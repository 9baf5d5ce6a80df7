// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QPointer>
#include <QWidget>

namespace trainyard::gui {

/// A frame around the widget that has the keyboard, drawn over it while the keyboard is what moves the focus; a click
/// takes it away.
class FocusRing : public QWidget
{
  Q_OBJECT
public:
  /// For the widgets of @p window.
  explicit FocusRing(QWidget& window);
  /// What it stands around; null while it is hidden.
  const QWidget* around() const { return isVisible() ? followed_.data() : nullptr; }

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  void follow(QWidget* widget);
  void place();

  QWidget& window_;
  QPointer<QWidget> followed_;
  bool keyboard_ = false;
};

} // namespace trainyard::gui
