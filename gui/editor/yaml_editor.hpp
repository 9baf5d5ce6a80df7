// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QPlainTextEdit>
#include <QSyntaxHighlighter>
#include <QVector>

#include "gui/document/checker.hpp"

namespace trainyard::gui {

/// Keys, comments, quantities and names of a YAML file in colours of the theme.
class YamlHighlighter : public QSyntaxHighlighter
{
  Q_OBJECT
public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
  void highlightBlock(const QString& text) override;
};

/// The scenario's text: line numbers, colours, problems underlined with the checker's message as tool tip.
class YamlEditor : public QPlainTextEdit
{
  Q_OBJECT
public:
  explicit YamlEditor(QWidget* parent = nullptr);

  void showDocument(QTextDocument* document);
  void setProblems(const QVector<Problem>& problems);
  /// Puts the cursor there; line and column from 1.
  void goTo(int line, int column);
  int numberWidth() const;
  void paintNumbers(QPaintEvent* event);

protected:
  bool event(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void underline();

  QWidget* numbers_;
  YamlHighlighter* highlighter_ = nullptr;
  QVector<Problem> problems_;
};

} // namespace trainyard::gui
