// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>

namespace trainyard::gui {

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
