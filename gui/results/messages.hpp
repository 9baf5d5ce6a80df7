// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QJsonArray>
#include <QString>

#include "models/core/message.hpp"

#include <QStringList>
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

/// What simrun says, line by line, in the language of the window, as far as it is known (messages.hpp); the rest stays
/// as it is.
QString sentence_words(const QString& text);

/// All reasons of waiting in the language of the window: a font that is made for certain letters needs theirs.
QStringList reason_texts();

/// A cell of tables that simrun explains: a sentence, one of the words that stand there (context Words), or a figure.
QString explained_cell_words(const QString& cell);

/// A cell of a table of results: what holds a job back and why it waits, all else as it is.
QString cell_words(const QString& column, const QString& cell);

/// The question of a scenario; those of the examples have a text in other languages.
QString question_words(const QString& question);

/// What a job's samples are, "image", as "images per second" needs it; English without the plural's s.
QString sample_words(const QString& sample);

/// What a plan says of a design, "met" or "missed", in the language of the window.
QString verdict_words(const QString& verdict);

} // namespace trainyard::gui
