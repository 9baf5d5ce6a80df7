// SPDX-License-Identifier: Apache-2.0
#include "gui/document/scenario_document.hpp"

#include "gui/core/places.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QPlainTextDocumentLayout>
#include <QSaveFile>
#include <QStringDecoder>
#include <QTextCursor>
#include <QUndoCommand>
#include <QUuid>

#include <algorithm>
#include <utility>

namespace trainyard::gui {

/// One replacement of a piece of the text.
class ScenarioDocument::TextStep : public QUndoCommand
{
public:
  TextStep(ScenarioDocument& document, int position, QString removed, QString added, const QString& label, int merge,
           bool done)
      : QUndoCommand{label}, document_{document}, position_{position}, removed_{std::move(removed)},
        added_{std::move(added)}, merge_{merge}, done_{done}
  {
  }

  void undo() override { document_.replace(position_, added_, removed_); }
  void redo() override
  {
    if (!std::exchange(done_, false))
      document_.replace(position_, removed_, added_);
  }
  int id() const override { return merge_; }
  bool mergeWith(const QUndoCommand* later) override
  {
    const auto& next = static_cast<const TextStep&>(*later);
    if (merge_ == typing) { // letters that follow each other in one line
      if (!next.removed_.isEmpty() || next.position_ != position_ + added_.size() ||
          next.added_.contains(QLatin1Char('\n')) || added_.endsWith(QLatin1Char('\n')))
        return false;
      added_ += next.added_;
      return true;
    }
    if (next.position_ < position_ || next.position_ + next.removed_.size() > position_ + added_.size() ||
        next.text() != text())
      return false;
    added_.replace(next.position_ - position_, next.removed_.size(), next.added_);
    return true;
  }

  static constexpr int typing = 1;

private:
  ScenarioDocument& document_;
  int position_;
  QString removed_;
  QString added_;
  int merge_;
  bool done_;
};

ScenarioDocument::ScenarioDocument(QObject* parent) : QObject{parent}
{
  text_document_.setUndoRedoEnabled(false);
  text_document_.setDocumentLayout(new QPlainTextDocumentLayout{&text_document_});
  read_timer_.setSingleShot(true);
  read_timer_.setInterval(120);
  recovery_timer_.setSingleShot(true);
  recovery_timer_.setInterval(1500);
  connect(&read_timer_, &QTimer::timeout, this, &ScenarioDocument::readNow);
  connect(&recovery_timer_, &QTimer::timeout, this, &ScenarioDocument::keepRecovery);
  connect(&text_document_, &QTextDocument::contentsChange, this, [this](int position) { contentsChanged(position); });
  connect(&undo_, &QUndoStack::cleanChanged, this, [this](bool clean) {
    if (clean)
      forgetRecovery();
    emit fileChanged();
  });
}

ScenarioDocument::~ScenarioDocument()
{
  undo_.disconnect(this);
  text_document_.disconnect(this);
}

QString ScenarioDocument::title() const
{
  if (!file_.isEmpty())
    return QFileInfo{file_}.fileName();
  return name_.isEmpty() ? tr("untitled") : name_;
}

QString ScenarioDocument::identity() const
{
  if (!file_.isEmpty())
    return file_;
  return folder_.isEmpty() ? nameless_ : QDir{folder_}.absoluteFilePath(title());
}

namespace {

/// Bytes and text of a file; nothing with the reason in @p error.
std::optional<std::pair<QByteArray, QString>> read_scenario_file(const QString& file, QString* error)
{
  std::string content;
  try {
    content = read_text_file(file.toStdString(), largest_document_bytes);
  } catch (const std::exception& failure) {
    if (error != nullptr)
      *error = QString::fromUtf8(failure.what());
    return std::nullopt;
  }
  const QByteArray bytes = QByteArray::fromStdString(content);
  if (bytes.contains('\0')) {
    if (error != nullptr)
      *error = ScenarioDocument::tr("%1 is not a text file").arg(file);
    return std::nullopt;
  }
  QStringDecoder decoder{QStringDecoder::Utf8, QStringDecoder::Flag::Stateless};
  const QString text = decoder(bytes);
  if (decoder.hasError()) { // shown with U+FFFD, it would be saved with it
    if (error != nullptr)
      *error = ScenarioDocument::tr("%1 is not UTF-8 text: line %2 has a byte that is none of it. Convert the file "
                                    "first, for example with iconv -f latin1 -t utf-8.")
                   .arg(file)
                   .arg(text.left(text.indexOf(QChar::ReplacementCharacter)).count(QLatin1Char('\n')) + 1);
    return std::nullopt;
  }
  return std::pair{bytes, text};
}

QByteArray hash_of(const QByteArray& bytes)
{
  return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256);
}

} // namespace

bool ScenarioDocument::open(const QString& file, QString* error)
{
  const auto read = read_scenario_file(file, error);
  if (!read)
    return false;
  openText(read->second, {});
  file_ = QFileInfo{file}.absoluteFilePath();
  disk_hash_ = hash_of(read->first);
  emit fileChanged();
  return true;
}

bool ScenarioDocument::reload(QString* error)
{
  const auto read = read_scenario_file(file_, error);
  if (!read)
    return false;
  disk_hash_ = hash_of(read->first);
  const QString text = QString{read->second}.replace(QLatin1String("\r\n"), QLatin1String("\n"));
  edit([&](const std::string&) { return text.toStdString(); }, tr("Read again"));
  undo_.setClean();
  emit fileChanged();
  return true;
}

QString ScenarioDocument::folder() const
{
  return !file_.isEmpty() ? QFileInfo{file_}.absolutePath() : !folder_.isEmpty() ? folder_ : QDir::homePath();
}

void ScenarioDocument::openText(const QString& text, const QString& name, const QString& folder)
{
  forgetRecovery();
  applying_ = true;
  text_document_.setPlainText(text);
  applying_ = false;
  shadow_ = text_document_.toPlainText();
  undo_.clear();
  undo_.setClean(); // an empty stack that was marked unsaved stays so when it is cleared
  file_.clear();
  disk_hash_.clear();
  name_ = name;
  folder_ = folder;
  nameless_ = QUuid::createUuid().toString();
  emit opened();
  readNow();
  emit textChanged();
  emit fileChanged();
}

void ScenarioDocument::openUnsaved(const QString& text, const QString& name, const QString& folder)
{
  openText(text, name, folder);
  markUnsaved();
}

void ScenarioDocument::markUnsaved()
{
  undo_.resetClean();
  keepRecovery();
}

bool ScenarioDocument::save(const QString& file, QString* error)
{
  const QByteArray bytes = shadow_.toUtf8();
  QSaveFile out{file};
  // commit() alone overlooks what does not fit on the disk while it is still in Qt's buffer, and would leave half a
  // file.
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.flush() || !out.commit()) {
    out.cancelWriting();
    if (error != nullptr)
      *error = tr("%1 was not saved: %2. The text is still here; choose another file with Save As.")
                   .arg(file, out.errorString());
    return false;
  }
  file_ = QFileInfo{file}.absoluteFilePath();
  name_.clear();
  disk_hash_ = hash_of(bytes);
  undo_.setClean();
  forgetRecovery();
  emit fileChanged();
  return true;
}

bool ScenarioDocument::changedOnDisk() const
{
  if (file_.isEmpty())
    return false;
  QFile disk{file_};
  if (!disk.open(QIODevice::ReadOnly))
    return false;
  return hash_of(disk.readAll()) != disk_hash_;
}

void ScenarioDocument::contentsChanged(int position)
{
  if (applying_)
    return;
  const QString now = text_document_.toPlainText();
  qsizetype same = 0;
  const qsizetype shorter = std::min(now.size(), shadow_.size());
  while (same < std::min<qsizetype>(shorter, position) && now[same] == shadow_[same])
    ++same;
  qsizetype tail = 0;
  while (tail < shorter - same && now[now.size() - 1 - tail] == shadow_[shadow_.size() - 1 - tail])
    ++tail;
  const QString removed = shadow_.mid(same, shadow_.size() - same - tail);
  const QString added = now.mid(same, now.size() - same - tail);
  if (removed.isEmpty() && added.isEmpty())
    return;
  shadow_ = now;
  const bool letter = removed.isEmpty() && added.size() == 1;
  undo_.push(
      new TextStep{*this, static_cast<int>(same), removed, added, tr("Type"), letter ? TextStep::typing : -1, true});
  read_timer_.start();
  recovery_timer_.start();
  emit textChanged();
}

void ScenarioDocument::replace(int position, const QString& removed, const QString& added)
{
  applying_ = true;
  QTextCursor cursor{&text_document_};
  cursor.setPosition(position);
  cursor.setPosition(position + static_cast<int>(removed.size()), QTextCursor::KeepAnchor);
  cursor.insertText(added);
  applying_ = false;
  shadow_.replace(position, removed.size(), added);
  read_timer_.start();
  recovery_timer_.start();
  emit textChanged();
}

std::optional<QString> ScenarioDocument::changed(const std::function<std::string(const std::string&)>& change)
{
  try {
    return QString::fromStdString(change(shadow_.toStdString()));
  } catch (const InputError& error) {
    const auto& list = error.diagnostics();
    emit refused(list.empty() ? QString::fromUtf8(error.what()) : QString::fromStdString(list.front().message));
    return std::nullopt;
  }
}

bool ScenarioDocument::edit(const std::function<std::string(const std::string&)>& change, const QString& label,
                            int merge)
{
  const std::optional<QString> after = changed(change);
  if (!after)
    return false;
  const QString& now = *after;
  if (now == shadow_)
    return true;
  qsizetype same = 0;
  const qsizetype shorter = std::min(now.size(), shadow_.size());
  while (same < shorter && now[same] == shadow_[same])
    ++same;
  qsizetype tail = 0;
  while (tail < shorter - same && now[now.size() - 1 - tail] == shadow_[shadow_.size() - 1 - tail])
    ++tail;
  // Steps that are to merge cover the whole line, so that the next one lies inside.
  if (merge >= 0) {
    while (same > 0 && shadow_[same - 1] != QLatin1Char('\n'))
      --same;
    while (tail > 0 && shadow_[shadow_.size() - tail] != QLatin1Char('\n'))
      --tail;
  }
  undo_.push(new TextStep{*this, static_cast<int>(same), shadow_.mid(same, shadow_.size() - same - tail),
                          now.mid(same, now.size() - same - tail), label, merge < 0 ? -1 : merge + 100, false});
  readNow();
  return true;
}

bool ScenarioDocument::setValue(const QString& path, const QString& yaml, const QString& label, int merge)
{
  return edit(
      [&](const std::string& text) {
        return applied(text, set_value_edit(text, path.toStdString(), yaml.toStdString()));
      },
      label, merge);
}

bool ScenarioDocument::appendItem(const QString& path, const QString& yaml, const QString& label)
{
  return edit(
      [&](const std::string& text) {
        return applied(text, append_item_edit(text, path.toStdString(), yaml.toStdString()));
      },
      label, -1);
}

bool ScenarioDocument::remove(const QString& path, const QString& label)
{
  return edit([&](const std::string& text) { return applied(text, remove_edit(text, path.toStdString())); }, label, -1);
}

QString ScenarioDocument::value(const QString& path) const
{
  const DocumentNode* node = find_path(tree_.root, path.toStdString());
  return node == nullptr ? QString{} : QString::fromStdString(node->text);
}

void ScenarioDocument::readNow()
{
  read_timer_.stop();
  Diagnostics diagnostics;
  Document read = parse_document(shadow_.toStdString(), title().toStdString(), diagnostics);
  readable_ = !diagnostics.has_errors();
  if (readable_)
    tree_ = std::move(read);
  emit treeChanged();
}

QStringList ScenarioDocument::recoverable()
{
  const QDir folder{state_folder(QStringLiteral("recovery"))};
  QStringList files;
  for (const QFileInfo& info : folder.entryInfoList({QStringLiteral("*.yaml")}, QDir::Files, QDir::Time)) {
    // What another window has open at this moment is not lost.
    const qint64 writer = info.completeBaseName().section(QLatin1Char('.'), -1).toLongLong();
    if (writer > 0 && writer != QCoreApplication::applicationPid() &&
        QFileInfo::exists(QStringLiteral("/proc/%1").arg(writer)))
      continue;
    files << info.absoluteFilePath();
  }
  return files;
}

/// "team-858b1de5", with a hash of the file's path: files in other folders may have the same name.
QString ScenarioDocument::recoveryName() const
{
  const QString place = file_.isEmpty() ? title() : QFileInfo{file_}.absoluteFilePath();
  const QByteArray hash = QCryptographicHash::hash(place.toUtf8(), QCryptographicHash::Sha256).toHex().left(8);
  return QFileInfo{title()}.completeBaseName() + QLatin1Char('-') + QString::fromLatin1(hash);
}

bool ScenarioDocument::isMine(const QString& recovered) const
{
  return QFileInfo{recovered}.completeBaseName().section(QLatin1Char('.'), 0, -2) == recoveryName();
}

void ScenarioDocument::keepRecovery()
{
  if (undo_.isClean())
    return;
  if (recovery_file_.isEmpty())
    recovery_file_ = QStringLiteral("%1/%2.%3.yaml")
                         .arg(state_folder(QStringLiteral("recovery")), recoveryName())
                         .arg(QCoreApplication::applicationPid());
  QSaveFile out{recovery_file_};
  if (out.open(QIODevice::WriteOnly)) {
    out.write(shadow_.toUtf8());
    if (out.flush()) // else the copy before it stays
      out.commit();
  }
}

void ScenarioDocument::forgetRecovery()
{
  recovery_timer_.stop();
  if (!recovery_file_.isEmpty())
    QFile::remove(recovery_file_);
  recovery_file_.clear();
}

} // namespace trainyard::gui
