// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QTextBrowser>

#include "models/results/telling.hpp"

#include <QByteArray>

namespace trainyard::gui {

/// What simrun tells as JSON ("told" of a document); nothing where it is none.
Telling told_in(const QByteArray& document);

/// What simrun tells, as a page in the language of the window: headings, sentences that wrap, shares as bars, and
/// tables.
class ExplanationPage : public QTextBrowser
{
public:
  explicit ExplanationPage(QWidget* parent = nullptr);

  void setExplanation(const Telling& explanation);
  /// The same as text for a terminal.
  QString words() const;

protected:
  void changeEvent(QEvent* event) override; // other colours, another language

private:
  void layOut();

  Telling explanation_;
};

} // namespace trainyard::gui
