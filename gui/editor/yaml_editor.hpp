// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QPlainTextEdit>
#include <QString>
#include <QSyntaxHighlighter>
#include <QVector>

#include "gui/document/checker.hpp"

class QCompleter;
class QStringListModel;

namespace trainyard::gui {

class Schema;

/// Keys, comments, quantities and names of a YAML file in colours of the theme.
class YamlHighlighter : public QSyntaxHighlighter
{
  Q_OBJECT
public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
  void highlightBlock(const QString& text) override;
};

/// The scenario's text: line numbers, colours, problems underlined with the checker's message as tool tip. With a
/// schema it knows the keys: Ctrl+Space completes, the tool tip of a key says what it means. Ctrl+/ makes lines
/// comments, Ctrl+. takes what a message proposes.
class YamlEditor : public QPlainTextEdit
{
  Q_OBJECT
public:
  explicit YamlEditor(QWidget* parent = nullptr);

  void showDocument(QTextDocument* document);
  void setProblems(const QVector<Problem>& problems);
  void setSchema(const Schema& schema) { schema_ = &schema; }
  /// Opens the list of keys or values that fit at the cursor.
  void complete();
  /// What fits there: keys that the map does not have yet, or the values of a key.
  QStringList completions() const;
  /// What the key under a position of the text means, with its default and range; empty where there is no key.
  QString wordsAbout(int position) const;
  /// Takes what the first message of the line with the cursor proposes ("did you mean 'x'?"). False where there is
  /// none.
  bool takeProposal();
  /// Makes the selected lines comments, or text again.
  void toggleComment();
  /// Puts the cursor there; line and column from 1.
  void goTo(int line, int column);
  int numberWidth() const;
  void paintNumbers(QPaintEvent* event);

protected:
  bool event(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

private:
  void insertCompletion(const QString& word);
  /// What a problem proposes: the word it is about and the one in its place; empty: nothing.
  static QPair<QString, QString> proposalOf(const Problem& problem);
  /// The lines of the selection, or the one with the cursor, as a cursor over them.
  QTextCursor chosenLines() const;
  void underline();
  /// Moves the selected lines, or the one with the cursor, by two spaces.
  void shiftLines(bool deeper);

  QWidget* numbers_;
  YamlHighlighter* highlighter_ = nullptr;
  QVector<Problem> problems_;
  const Schema* schema_ = nullptr;
  QCompleter* completer_;
  QStringListModel* words_;
};

/// Where a position of a YAML text lies in its tree; the text may be unfinished.
struct YamlPlace {
  QString map;           // path of the map around it: "jobs.0.training"; empty: the file
  QString key;           // at a value: the key that it belongs to; at a key: nothing
  QString word;          // what stands left of the position, of the key or of the value
  int begin = 0;         // of the word
  bool is_value = false; // the position is behind the colon of `key`
  bool in_comment = false;
};

YamlPlace yaml_place(const QString& text, int position);

} // namespace trainyard::gui
