// SPDX-License-Identifier: Apache-2.0
// Sentences of simrun in the language of the window. simrun writes them in English; answer_forms.cpp and
// explained_forms.cpp have their forms, and the .ts files have a text for each. A sentence of another form stays as it
// is.
#include "gui/results/result_words.hpp"

#include "gui/core/rate_text.hpp"
#include "gui/results/sentence_forms.hpp"
#include "models/scenario/assumptions.hpp"

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>
#include <QStringList>
#include <QVector>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

namespace trainyard::gui {
namespace {

/// The form as a pattern, its places as groups.
QRegularExpression sentence_pattern(const QString& text, const std::array<Phrase, 8>& places)
{
  QString pattern = QRegularExpression::escape(text);
  for (int i = 0; i < static_cast<int>(places.size()); ++i)
    pattern.replace(QStringLiteral("\\%%1").arg(i + 1), places[static_cast<std::size_t>(i)] == Phrase::number
                                                            ? QStringLiteral("([0-9][-0-9.,e+]*)")
                                                            : QStringLiteral("(.+?)"));
  return QRegularExpression{QRegularExpression::anchoredPattern(pattern)};
}

/// The text with its places filled at once: what fills one may itself have a %1.
QString with_parts(const QString& text, const QStringList& parts)
{
  QString words;
  for (qsizetype i = 0; i < text.size(); ++i) {
    const int place = text[i] == QLatin1Char('%') && i + 1 < text.size() ? text[i + 1].digitValue() : -1;
    if (place < 1 || place > parts.size()) {
      words += text[i];
      continue;
    }
    words += parts[place - 1];
    ++i;
  }
  return words;
}

struct Form {
  const SentenceForm* form;
  QRegularExpression pattern;
};

/// In the order of the tables.
const QVector<Form>& forms_of(Phrase kind)
{
  static const QHash<int, QVector<Form>> all = [] {
    QHash<int, QVector<Form>> by_kind;
    for (const std::span<const SentenceForm> table : {answer_forms(), explained_forms()})
      for (const SentenceForm& form : table)
        by_kind[static_cast<int>(form.kind)].push_back(
            {&form, sentence_pattern(QString::fromUtf8(form.text), form.places)});
    return by_kind;
  }();
  static const QVector<Form> none;
  const auto found = all.constFind(static_cast<int>(kind));
  return found == all.constEnd() ? none : *found;
}

/// A time of simrun's clock: "04:05:06" or "day 3 04:05:06".
std::optional<QString> clock_words(const QString& text)
{
  static const QRegularExpression clock{QStringLiteral("^(?:day ([0-9]+) )?([0-9]{2}:[0-9]{2}:[0-9]{2})$")};
  const QRegularExpressionMatch match = clock.match(text);
  if (!match.hasMatch())
    return std::nullopt;
  return match.captured(1).isEmpty()
             ? text
             : QCoreApplication::translate("Results", "day %1 %2").arg(match.captured(1), match.captured(2));
}

std::optional<QString> in_words(Phrase kind, const QString& text)
{
  if (kind == Phrase::name || kind == Phrase::number)
    return text;
  if (kind == Phrase::figure)
    return in_units(text);
  if (kind == Phrase::sample)
    return sample_words(text);
  if (text.startsWith(QLatin1Char(' ')) || text.endsWith(QLatin1Char(' '))) { // between columns
    const QString words = text.trimmed();
    const auto told = words.isEmpty() ? std::nullopt : in_words(kind, words);
    return told ? std::optional{QString{text}.replace(text.indexOf(words), words.size(), *told)} : std::nullopt;
  }
  if (kind == Phrase::when)
    return clock_words(text);
  for (const Form& each : forms_of(kind)) {
    const QRegularExpressionMatch match = each.pattern.match(text);
    if (!match.hasMatch())
      continue;
    QStringList parts;
    for (int place = 1; place <= match.lastCapturedIndex(); ++place)
      if (const auto part = in_words(each.form->places[static_cast<std::size_t>(place - 1)], match.captured(place));
          part)
        parts << *part;
      else
        break;
    if (parts.size() == match.lastCapturedIndex())
      return with_parts(QCoreApplication::translate("Results", each.form->text), parts);
  }
  return std::nullopt;
}

qsizetype indent_of(const QString& line)
{
  return std::find_if_not(line.cbegin(), line.cend(), [](QChar each) { return each.isSpace(); }) - line.cbegin();
}

/// The words of an assumption, its value as place: "precision %1".
QByteArray assumption_form(const Assumption& assumption)
{
  return QByteArray::fromStdString(std::string{assumption.words}).replace("{}", "%1");
}

} // namespace

QString bottleneck_words(const QString& sentence)
{
  return in_words(Phrase::bottleneck, sentence).value_or(sentence);
}

QString reason_words(const QString& reason)
{
  return in_words(Phrase::reason, reason).value_or(reason);
}

QStringList reason_texts()
{
  QStringList texts;
  for (const Form& each : forms_of(Phrase::reason))
    texts << QCoreApplication::translate("Results", each.form->text);
  return texts;
}

QString cell_words(const QString& column, const QString& cell)
{
  return column == QLatin1String("bottleneck") ? bottleneck_words(cell)
         : column == QLatin1String("reason")   ? reason_words(cell)
                                               : cell;
}

QString basis_words(const QString& basis)
{
  return in_words(Phrase::basis, basis).value_or(basis);
}

QString answer_words(const QString& answer)
{
  QStringList lines = answer.split(QLatin1Char('\n'));
  for (QString& line : lines) {
    const qsizetype indent = indent_of(line);
    line = line.left(indent) + in_words(Phrase::line, line.mid(indent)).value_or(line.mid(indent));
  }
  return lines.join(QLatin1Char('\n'));
}

QString warning_words(const QString& warning)
{
  return in_words(Phrase::warning, warning).value_or(warning);
}

QString explained_line_words(const QString& line)
{
  const qsizetype indent = indent_of(line);
  const QString words = line.mid(indent);
  const QLatin1String assumed{"assumed: "};
  if (words.startsWith(assumed)) {
    QStringList parts = words.mid(assumed.size()).split(QLatin1String("; "));
    for (QString& part : parts)
      part = assumed_words(part);
    return line.left(indent) +
           with_parts(QCoreApplication::translate("Results", "assumed: %1"), {parts.join(QLatin1String("; "))});
  }
  auto told = in_words(Phrase::told, words);
  if (!told)
    told = in_words(Phrase::line, words);
  return line.left(indent) + told.value_or(words);
}

QString explained_cell_words(const QString& cell)
{
  if (const auto words = in_words(Phrase::cell, cell); words)
    return *words;
  const qsizetype share = cell.indexOf(QLatin1String(" (")); // "151 ms (35 %)"
  return in_units(cell.left(share)) + (share < 0 ? QString{} : cell.mid(share));
}

QString assumed_words(const QString& assumed)
{
  if (const auto words = in_words(Phrase::assumed, assumed); words)
    return *words;
  // The longest form that fits: "restart delay %1" before "restart %1".
  QByteArray best;
  QString value;
  for (const Assumption& assumption : assumptions()) {
    const QByteArray form = assumption_form(assumption);
    if (form.size() <= std::max<qsizetype>(best.size(), 2))
      continue;
    if (const auto match = sentence_pattern(QString::fromUtf8(form), {}).match(assumed); match.hasMatch()) {
      best = form;
      value = match.captured(1);
    }
  }
  // "8 CPU cores per machine (server)", "network 10GbE (server)": which of several machines or jobs is meant.
  const QString& last = best.isEmpty() ? assumed : value;
  const qsizetype which = last.endsWith(QLatin1Char(')')) ? last.lastIndexOf(QLatin1String(" (")) : -1;
  const QString name = which > 0 ? last.mid(which) : QString{};
  if (!best.isEmpty())
    return with_parts(QCoreApplication::translate("Assumed", best.constData()),
                      {in_units(value.chopped(name.size())) + name});
  return name.isEmpty() ? assumed : assumed_words(assumed.chopped(name.size())) + name;
}

} // namespace trainyard::gui
