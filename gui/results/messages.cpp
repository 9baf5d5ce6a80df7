// SPDX-License-Identifier: Apache-2.0
#include "gui/results/messages.hpp"

#include "gui/core/rate_text.hpp"
#include "models/job/wait_reason.hpp"
#include "models/results/json.hpp"

#include <QCoreApplication>
#include <QHash>
#include <QJsonDocument>
#include <QStringList>

namespace trainyard::gui {
namespace {

/// By English text: the same words are the same sentence in every run.
QHash<QString, Message>& known_messages()
{
  static QHash<QString, Message> known = [] {
    QHash<QString, Message> reasons; // tables and the inspector show them alone
    for (const Message& reason : wait_reasons())
      reasons.insert(QString::fromStdString(reason.text), reason);
    return reasons;
  }();
  return known;
}

void learn(const Messages& messages)
{
  for (const Message& message : messages) {
    if (!message.id.empty())
      known_messages().insert(QString::fromStdString(message.text), message);
    for (const auto& [place, argument] : message.arguments)
      if (const auto* parts = std::get_if<Messages>(&argument))
        learn(*parts);
  }
}

QString words_of(const QString& place, const Argument& argument)
{
  if (const auto* name = std::get_if<std::string>(&argument))
    return place == QLatin1String("sample") ? sample_words(QString::fromStdString(*name))
                                            : QString::fromStdString(*name);
  if (const auto* count = std::get_if<std::int64_t>(&argument))
    return QString::number(*count);
  if (const auto* figure = std::get_if<Figure>(&argument))
    return in_units(QString::fromStdString(figure->text));
  QString words;
  for (const Message& part : std::get<Messages>(argument))
    words += message_words(part);
  return words;
}

/// Nothing where the language has no text for its id.
std::optional<QString> by_id(const Message& message)
{
  int count = -1; // of what inflects it
  for (const auto& [place, argument] : message.arguments)
    if (const auto* number = std::get_if<std::int64_t>(&argument); number != nullptr && place == message.counted)
      count = static_cast<int>(*number);
  const QString text = QCoreApplication::translate("Messages", message.id.c_str(), nullptr, count);
  if (text == QString::fromStdString(message.id))
    return std::nullopt;
  QString words;
  for (qsizetype copied = 0; copied < text.size();) {
    const qsizetype begin = text.indexOf(QLatin1Char('{'), copied), end = text.indexOf(QLatin1Char('}'), begin);
    if (begin < 0 || end < 0)
      return words + text.mid(copied);
    const QString name = text.mid(begin + 1, end - begin - 1);
    words += text.mid(copied, begin - copied);
    for (const auto& [place, argument] : message.arguments)
      if (name == QString::fromStdString(place))
        words += words_of(name, argument);
    copied = end + 1;
  }
  return words;
}

} // namespace

Messages read_messages(const QJsonArray& messages)
{
  Messages list;
  const auto json = nlohmann::json::parse(QJsonDocument{messages}.toJson().toStdString(), nullptr, false);
  try {
    for (const nlohmann::json& message : json)
      list.push_back(read_message(message));
  } catch (const nlohmann::json::exception&) { // a file that somebody changed: what was read so far
  }
  return list;
}

void learn_messages(const QJsonArray& messages)
{
  learn(read_messages(messages));
}

QStringList reason_texts()
{
  QStringList texts;
  for (const Message& reason : wait_reasons())
    texts << message_words(reason);
  return texts;
}

QString message_words(const Message& message)
{
  const QString english = QString::fromStdString(message.text);
  return (message.id.empty() ? message_words(english) : by_id(message)).value_or(english);
}

QString message_lines(const Messages& messages, MessageKind kind)
{
  QStringList lines;
  for (const Message& message : messages)
    if (message.kind == kind)
      lines << message_words(message);
  return lines.join(QLatin1Char('\n'));
}

std::optional<QString> message_words(const QString& english)
{
  const auto found = known_messages().constFind(english);
  return found == known_messages().constEnd() ? std::nullopt : by_id(*found);
}

namespace {

[[maybe_unused]] constexpr const char* samples[]{
    QT_TRANSLATE_NOOP("Results", "image"),          QT_TRANSLATE_NOOP("Results", "sample"),
    QT_TRANSLATE_NOOP("Results", "sequence"),       QT_TRANSLATE_NOOP("Results", "token"),
    QT_TRANSLATE_NOOP("Results", "useful image"),   QT_TRANSLATE_NOOP("Results", "useful sample"),
    QT_TRANSLATE_NOOP("Results", "useful sequence")};
[[maybe_unused]] constexpr const char* verdicts[]{
    QT_TRANSLATE_NOOP("Results", "met"),        QT_TRANSLATE_NOOP("Results", "missed"),
    QT_TRANSLATE_NOOP("Results", "cannot run"), QT_TRANSLATE_NOOP("Results", "undecided"),
    QT_TRANSLATE_NOOP("Results", "unsure"),     QT_TRANSLATE_NOOP("Results", "pruned")};

} // namespace

QString sentence_words(const QString& text)
{
  if (const auto words = message_words(text); words)
    return *words;
  QStringList lines = text.split(QLatin1Char('\n'));
  for (QString& line : lines)
    if (const auto words = message_words(line.trimmed()); words)
      line.replace(line.trimmed(), *words);
  return lines.join(QLatin1Char('\n'));
}

QString explained_cell_words(const QString& cell)
{
  if (const auto words = message_words(cell); words)
    return *words;
  if (const QString word = QCoreApplication::translate("Words", cell.toUtf8().constData()); word != cell)
    return word;
  const qsizetype share = cell.indexOf(QLatin1String(" (")); // "151 ms (35 %)"
  return in_units(cell.left(share)) + (share < 0 ? QString{} : cell.mid(share));
}

QString cell_words(const QString& column, const QString& cell)
{
  return column == QLatin1String("bottleneck") || column == QLatin1String("reason") ? sentence_words(cell) : cell;
}

QString question_words(const QString& question)
{
  return QCoreApplication::translate("Examples", question.toUtf8().constData());
}

QString sample_words(const QString& sample)
{
  return QCoreApplication::translate("Results", sample.toUtf8().constData());
}

QString verdict_words(const QString& verdict)
{
  return QCoreApplication::translate("Results", verdict.toUtf8().constData());
}

} // namespace trainyard::gui
