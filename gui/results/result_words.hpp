// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace trainyard::gui {

/// What holds a job back, as simrun writes it, in the language of the window; a sentence of another form stays as it
/// is.
QString bottleneck_words(const QString& sentence);

/// The question of a scenario; those of the examples have a text in other languages.
QString question_words(const QString& question);

/// What a job's samples are, "image", as "images per second" needs it; English without the plural's s.
QString sample_words(const QString& sample);

/// What a plan says of a design, "met" or "missed", in the language of the window.
QString verdict_words(const QString& verdict);

} // namespace trainyard::gui
