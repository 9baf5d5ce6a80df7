// SPDX-License-Identifier: Apache-2.0
#include "gui/results/result_words.hpp"

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
    QT_TRANSLATE_NOOP("Results", "met"), QT_TRANSLATE_NOOP("Results", "missed"), QT_TRANSLATE_NOOP("Results", "failed"),
    QT_TRANSLATE_NOOP("Results", "undecided"), QT_TRANSLATE_NOOP("Results", "pruned")};

} // namespace

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
