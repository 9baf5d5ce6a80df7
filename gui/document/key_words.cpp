// SPDX-License-Identifier: Apache-2.0
#include "gui/document/schema.hpp"

#include <QCoreApplication>
#include <QHash>
#include <QStringList>

namespace trainyard::gui {
namespace {

/// Written otherwise than the key has it.
QString spelled(const QString& word)
{
  static const QHash<QString, QString> others{
      {QStringLiteral("gpu"), QStringLiteral("GPU")},       {QStringLiteral("gpus"), QStringLiteral("GPUs")},
      {QStringLiteral("cpu"), QStringLiteral("CPU")},       {QStringLiteral("nic"), QStringLiteral("NIC")},
      {QStringLiteral("nics"), QStringLiteral("NICs")},     {QStringLiteral("pcie"), QStringLiteral("PCIe")},
      {QStringLiteral("nvlink"), QStringLiteral("NVLink")}, {QStringLiteral("mpi"), QStringLiteral("MPI")},
      {QStringLiteral("io"), QStringLiteral("I/O")},        {QStringLiteral("ps"), QStringLiteral("parameter server")},
      {QStringLiteral("jct"), QStringLiteral("JCT")},       {QStringLiteral("nccl"), QStringLiteral("NCCL")}};
  return others.value(word, word);
}

} // namespace

QString key_words(const QString& key)
{
  // Where the key itself says too little.
  static const QHash<QString, QString> known{{QStringLiteral("k"), QStringLiteral("Ports of a switch (k)")},
                                             {QStringLiteral("per_rack"), QStringLiteral("Machines per rack")},
                                             {QStringLiteral("intra"), QStringLiteral("Wiring inside the machine")},
                                             {QStringLiteral("workers"), QStringLiteral("Workers (GPUs)")}};
  QString words = known.value(key);
  if (words.isEmpty()) {
    QStringList parts;
    for (const QString& part : key.split(QLatin1Char('_'), Qt::SkipEmptyParts))
      parts << spelled(part);
    words = parts.join(QLatin1Char(' '));
    if (!words.isEmpty())
      words[0] = words[0].toUpper();
  }
  return QCoreApplication::translate("Keys", words.toUtf8().constData());
}

} // namespace trainyard::gui
