// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QTextBrowser>

namespace trainyard::gui {

/// What simrun explains, as a page in the language of the window: headings, sentences that wrap, shares as bars, and
/// tables.
class ExplanationPage : public QTextBrowser
{
public:
  explicit ExplanationPage(QWidget* parent = nullptr);

  /// @p explanation: text as simrun prints it.
  void setExplanation(const QString& explanation);
  /// The same as text for a terminal.
  QString words() const;

protected:
  void changeEvent(QEvent* event) override; // other colours, another language

private:
  void layOut();

  QString explanation_;
};

} // namespace trainyard::gui
