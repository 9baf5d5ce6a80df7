// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QJsonArray>
#include <QString>

#include "models/core/message.hpp"

#include <optional>

namespace trainyard::gui {

/// The messages of a document of simrun (`messages` of its summary.json).
Messages read_messages(const QJsonArray& messages);
/// Makes messages known by their English text, with all that they are made of: tables have cells with words alone.
void learn_messages(const QJsonArray& messages);

/// A message in the language of the window: the text of its id in the context Messages of the .ts files, whose places
/// "{job}" are filled by name; in English where it has no text there. Words without an id are looked up among those
/// that are known.
QString message_words(const Message& message);
/// Those of one kind, a line each.
QString message_lines(const Messages& messages, MessageKind kind);
/// A sentence that is known, by its English text. Nothing where it is not known or has no text in this language.
std::optional<QString> message_words(const QString& english);

} // namespace trainyard::gui
