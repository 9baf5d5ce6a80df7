// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>

namespace trainyard::gui {

/// What holds a job back, as simrun writes it, in the language of the window; a sentence of another form stays as it
/// is.
QString bottleneck_words(const QString& sentence);

/// What the times of a job are based on, likewise.
QString basis_words(const QString& basis);

/// The answer of a run or a plan, line by line, likewise.
QString answer_words(const QString& answer);

/// One thing that was assumed, "precision fp32", likewise.
QString assumed_words(const QString& assumed);

/// Why a job waits, likewise.
QString reason_words(const QString& reason);

/// All reasons in the language of the window: a font that is made for certain letters needs theirs.
QStringList reason_texts();

/// A warning of a scenario or of a run, likewise.
QString warning_words(const QString& warning);

/// What `simrun explain` prints: lines, and tables in columns as wide as the language needs. What has no form stays.
QString explanation_words(const QString& explanation);

/// One line of it; and one cell of its tables.
QString explained_line_words(const QString& line);
QString explained_cell_words(const QString& cell);

/// A cell of a table of results: what holds a job back and why it waits as above, all else as it is.
QString cell_words(const QString& column, const QString& cell);

/// The question of a scenario; those of the examples have a text in other languages.
QString question_words(const QString& question);

/// What a job's samples are, "image", as "images per second" needs it; English without the plural's s.
QString sample_words(const QString& sample);

/// What a plan says of a design, "met" or "missed", in the language of the window.
QString verdict_words(const QString& verdict);

} // namespace trainyard::gui
