// SPDX-License-Identifier: Apache-2.0
#include "gui/results/messages.hpp"

#include "gui/core/rate_text.hpp"
#include "gui/results/result_words.hpp"
#include "models/job/wait_reason.hpp"
#include "models/results/json.hpp"

#include <QCoreApplication>
#include <QHash>
#include <QJsonDocument>

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

} // namespace trainyard::gui
