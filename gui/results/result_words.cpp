// SPDX-License-Identifier: Apache-2.0
#include "gui/results/result_words.hpp"

#include "gui/core/rate_text.hpp"
#include "gui/results/messages.hpp"

#include <QCoreApplication>
#include <QStringList>

namespace trainyard::gui {
namespace {

[[maybe_unused]] constexpr const char* samples[]{
    QT_TRANSLATE_NOOP("Results", "image"),          QT_TRANSLATE_NOOP("Results", "sample"),
    QT_TRANSLATE_NOOP("Results", "sequence"),       QT_TRANSLATE_NOOP("Results", "token"),
    QT_TRANSLATE_NOOP("Results", "useful image"),   QT_TRANSLATE_NOOP("Results", "useful sample"),
    QT_TRANSLATE_NOOP("Results", "useful sequence")};
[[maybe_unused]] constexpr const char* verdicts[]{
    QT_TRANSLATE_NOOP("Results", "met"), QT_TRANSLATE_NOOP("Results", "missed"),
    QT_TRANSLATE_NOOP("Results", "cannot run"), QT_TRANSLATE_NOOP("Results", "undecided"),
    QT_TRANSLATE_NOOP("Results", "pruned")};

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
