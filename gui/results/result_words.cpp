// SPDX-License-Identifier: Apache-2.0
#include "gui/results/result_words.hpp"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

namespace trainyard::gui {
namespace {

/// The forms of a sentence; %1, %2, %3 are what is filled in. Those that begin with a name stand last.
constexpr const char* forms[]{
    QT_TRANSLATE_NOOP("Results", "GPU compute: %1 of the step"),
    QT_TRANSLATE_NOOP("Results", "host starting operators: %1 of the step, in which the GPU computes %2"),
    QT_TRANSLATE_NOOP("Results", "message latency: links at most %1 busy"),
    QT_TRANSLATE_NOOP("Results", "input pipeline: %1 of the step"),
    QT_TRANSLATE_NOOP("Results", "waiting for other workers: %1 of the step"),
    QT_TRANSLATE_NOOP("Results", "nothing: the step takes no time"),
    QT_TRANSLATE_NOOP("Results", "launching kernels (%1 of the step)"),
    QT_TRANSLATE_NOOP("Results", "tensor-parallel collectives (%1 of the step)"),
    QT_TRANSLATE_NOOP("Results", "exchange of keys and values (%1 of the step)"),
    QT_TRANSLATE_NOOP("Results", "all-to-all of experts (%1 of the step)"),
    QT_TRANSLATE_NOOP("Results", "gradients and weights between replicas (%1 of the step)"),
    QT_TRANSLATE_NOOP("Results", "pipeline bubble (%1 of the step)"),
    QT_TRANSLATE_NOOP("Results", "messages between stages (%1 of the step)"),
    QT_TRANSLATE_NOOP("Results", "optimiser (%1 of the step)"),
    QT_TRANSLATE_NOOP("Results", "compute"),
    QT_TRANSLATE_NOOP("Results", "NIC of %1: %2 busy out, %3 in"),
    QT_TRANSLATE_NOOP("Results", "NIC of %1: %2 busy"),
    QT_TRANSLATE_NOOP("Results", "NIC of %1 (out)"),
    QT_TRANSLATE_NOOP("Results", "NIC of %1 (in)"),
    QT_TRANSLATE_NOOP("Results", "CPU of %1: %2 busy"),
    QT_TRANSLATE_NOOP("Results", "%1: %2 busy out, %3 in"),
    QT_TRANSLATE_NOOP("Results", "%1: %2 busy"),
};

[[maybe_unused]] constexpr const char* samples[]{
    QT_TRANSLATE_NOOP("Results", "image"), QT_TRANSLATE_NOOP("Results", "sample"),
    QT_TRANSLATE_NOOP("Results", "sequence"), QT_TRANSLATE_NOOP("Results", "token")};
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

QString bottleneck_words(const QString& sentence)
{
  for (const char* form : forms) {
    QString pattern = QRegularExpression::escape(QString::fromUtf8(form));
    for (int i = 1; i <= 3; ++i)
      pattern.replace(QStringLiteral("\\%%1").arg(i), QStringLiteral("(.+)"));
    const QRegularExpressionMatch match =
        QRegularExpression{QRegularExpression::anchoredPattern(pattern)}.match(sentence);
    if (!match.hasMatch())
      continue;
    QString words = QCoreApplication::translate("Results", form);
    for (const QString& part : match.capturedTexts().mid(1))
      words = words.arg(part);
    return words;
  }
  return sentence;
}

} // namespace trainyard::gui
