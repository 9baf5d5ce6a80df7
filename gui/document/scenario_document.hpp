// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QObject>
#include <QPointF>
#include <QString>
#include <QTextDocument>
#include <QTimer>
#include <QUndoStack>

#include "models/scenario/document.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace trainyard::gui {

/// One open scenario: the text is authoritative, the tree is what was last read from it. Every change, typed or made on
/// the canvas, is one named step of one undo stack.
class ScenarioDocument : public QObject
{
  Q_OBJECT
public:
  explicit ScenarioDocument(QObject* parent = nullptr);
  ~ScenarioDocument() override;

  /// The text as the editor shows it; typing changes it directly.
  QTextDocument* textDocument() { return &text_document_; }
  QString text() const { return shadow_; }
  QUndoStack* undoStack() { return &undo_; }
  QString file() const { return file_; }
  /// Where files that the text names are looked for; simrun is to be started there.
  QString folder() const;
  /// Name for titles: the file's, or "untitled".
  QString title() const;
  /// Which scenario this is, whatever its text says: the path of its file or, of a text without one, a name that no
  /// other has.
  QString identity() const;
  bool isModified() const { return !undo_.isClean(); }
  /// The tree of the last text that could be read; the good one stays while the text is broken.
  const Document& tree() const { return tree_; }
  bool isReadable() const { return readable_; }

  /// False with the reason in @p error; the old text is then kept.
  bool open(const QString& file, QString* error);
  /// A text that has no file of its own yet; @p folder is where the files that it names lie.
  void openText(const QString& text, const QString& name, const QString& folder = {});
  /// A text that was made, imported or left by a crash: it counts as changed, and a copy is kept until it is saved.
  void openUnsaved(const QString& text, const QString& name, const QString& folder = {});
  /// The file is gone, or has another text now: this one counts as changed.
  void markUnsaved();
  /// Writes through a temporary file, so that a full disk leaves the old file whole.
  bool save(const QString& file, QString* error);
  bool changedOnDisk() const;
  /// Reads the file again after another program changed it, as one step: what was typed here comes back by undo. False
  /// with the reason in @p error.
  bool reload(QString* error);

  /// Changes by position, as one step named @p label; steps with the same non-negative @p merge that follow each other
  /// become one.
  bool setValue(const QString& path, const QString& yaml, const QString& label, int merge = -1);
  bool appendItem(const QString& path, const QString& yaml, const QString& label);
  bool remove(const QString& path, const QString& label);
  /// Any change of the text, as one step.
  bool edit(const std::function<std::string(const std::string&)>& change, const QString& label, int merge = -1);
  /// Whether a change is possible; if not, `refused` says why.
  bool allows(const std::function<std::string(const std::string&)>& change) { return changed(change).has_value(); }
  /// The scalar at a path as text; empty where there is none.
  QString value(const QString& path) const;

  /// A recovery copy of unsaved text is kept while there is any; the one left by a crash, if any, else empty.
  static QStringList recoverable();
  /// Whether a recovery copy is of this document's file, or of its name where it has no file.
  bool isMine(const QString& recovered) const;
  void forgetRecovery();
  void readNow();
  /// Reads the text where it has changed since it was last read; before a decision that looks at the tree.
  void settle()
  {
    if (read_timer_.isActive())
      readNow();
  }
  /// Where an item of the canvas stands; kept for undo steps, which outlive windows.
  void setPlace(const QString& id, const QPointF& place) { emit placeChanged(id, place); }
  /// It goes back to where the automatic layout wants it.
  void forgetPlace(const QString& id) { emit placeForgotten(id); }

signals:
  void placeChanged(const QString& id, const QPointF& place);
  void placeForgotten(const QString& id);
  void textChanged();
  /// Another text has taken the place of the one before.
  void opened();
  void treeChanged();
  void fileChanged();
  /// A change on the canvas that the text does not allow; nothing was changed.
  void refused(const QString& why);

private:
  class TextStep;
  void contentsChanged(int position);
  void replace(int position, const QString& removed, const QString& added);
  /// The text after a change; nothing where it is refused.
  std::optional<QString> changed(const std::function<std::string(const std::string&)>& change);
  void keepRecovery();
  QString recoveryName() const;

  QTextDocument text_document_;
  QUndoStack undo_;
  QTimer read_timer_;
  QTimer recovery_timer_;
  QString shadow_;
  QString file_;
  QString name_;
  QString folder_;
  QString nameless_; // stands for the path of a text that came from nowhere
  QString recovery_file_;
  QByteArray disk_hash_;
  Document tree_;
  bool readable_ = true;
  bool applying_ = false;
};

} // namespace trainyard::gui
