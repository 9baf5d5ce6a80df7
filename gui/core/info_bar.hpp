// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWidget>

#include <functional>

class QHBoxLayout;
class QLabel;

namespace trainyard::gui {

/// A line above the page with a message and buttons to react to it; nothing waits for it.
class InfoBar : public QWidget
{
  Q_OBJECT
public:
  explicit InfoBar(QWidget* parent = nullptr);
  /// What a message is about: it goes with the text that was open, with the next run, or with the end of a study.
  enum class About { file, run, study };
  void tell(const QString& message, const QVector<QPair<QString, std::function<void()>>>& answers = {},
            About about = About::file);
  /// Other words for the message that is about that, if it still stands there.
  void retell(const QString& message, About about);
  /// Takes a message about that away.
  void forget(About about);
  QString message() const;

private:
  QLabel* text_;
  QHBoxLayout* row_;
  QVector<QWidget*> buttons_;
  About about_ = About::file;
};

} // namespace trainyard::gui
