// SPDX-License-Identifier: Apache-2.0
#include "gui/document/key_words.hpp"

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

/// The words that other languages have a text for; a key without one is shown in English.
[[maybe_unused]] constexpr const char* translated[]{
    QT_TRANSLATE_NOOP("Keys", "Name"),
    QT_TRANSLATE_NOOP("Keys", "Type"),
    QT_TRANSLATE_NOOP("Keys", "Count"),
    QT_TRANSLATE_NOOP("Keys", "Machines per rack"),
    QT_TRANSLATE_NOOP("Keys", "Topology"),
    QT_TRANSLATE_NOOP("Keys", "Link"),
    QT_TRANSLATE_NOOP("Keys", "Bandwidth"),
    QT_TRANSLATE_NOOP("Keys", "Latency"),
    QT_TRANSLATE_NOOP("Keys", "Switches"),
    QT_TRANSLATE_NOOP("Keys", "Wires"),
    QT_TRANSLATE_NOOP("Keys", "Ports of a switch (k)"),
    QT_TRANSLATE_NOOP("Keys", "Levels"),
    QT_TRANSLATE_NOOP("Keys", "Routing"),
    QT_TRANSLATE_NOOP("Keys", "Leaf ports"),
    QT_TRANSLATE_NOOP("Keys", "Oversubscription"),
    QT_TRANSLATE_NOOP("Keys", "Spines"),
    QT_TRANSLATE_NOOP("Keys", "Uplink bandwidth"),
    QT_TRANSLATE_NOOP("Keys", "Dimensions"),
    QT_TRANSLATE_NOOP("Keys", "Axes"),
    QT_TRANSLATE_NOOP("Keys", "Groups"),
    QT_TRANSLATE_NOOP("Keys", "Routers"),
    QT_TRANSLATE_NOOP("Keys", "Ports"),
    QT_TRANSLATE_NOOP("Keys", "Global links"),
    QT_TRANSLATE_NOOP("Keys", "GPU"),
    QT_TRANSLATE_NOOP("Keys", "GPUs"),
    QT_TRANSLATE_NOOP("Keys", "Wiring inside the machine"),
    QT_TRANSLATE_NOOP("Keys", "NICs"),
    QT_TRANSLATE_NOOP("Keys", "NIC bandwidth"),
    QT_TRANSLATE_NOOP("Keys", "CPU"),
    QT_TRANSLATE_NOOP("Keys", "CPU cores"),
    QT_TRANSLATE_NOOP("Keys", "Memory"),
    QT_TRANSLATE_NOOP("Keys", "Price"),
    QT_TRANSLATE_NOOP("Keys", "Model"),
    QT_TRANSLATE_NOOP("Keys", "Workers (GPUs)"),
    QT_TRANSLATE_NOOP("Keys", "Batch per GPU"),
    QT_TRANSLATE_NOOP("Keys", "Precision"),
    QT_TRANSLATE_NOOP("Keys", "Optimizer"),
    QT_TRANSLATE_NOOP("Keys", "Training"),
    QT_TRANSLATE_NOOP("Keys", "Arrival"),
    QT_TRANSLATE_NOOP("Keys", "Steps"),
    QT_TRANSLATE_NOOP("Keys", "Priority"),
    QT_TRANSLATE_NOOP("Keys", "User"),
    QT_TRANSLATE_NOOP("Keys", "Team"),
    QT_TRANSLATE_NOOP("Keys", "Copies"),
    QT_TRANSLATE_NOOP("Keys", "Mode"),
    QT_TRANSLATE_NOOP("Keys", "Servers"),
    QT_TRANSLATE_NOOP("Keys", "Collective"),
    QT_TRANSLATE_NOOP("Keys", "Transport"),
    QT_TRANSLATE_NOOP("Keys", "Parallel"),
    QT_TRANSLATE_NOOP("Keys", "Policies"),
    QT_TRANSLATE_NOOP("Keys", "Scheduling"),
    QT_TRANSLATE_NOOP("Keys", "Workload"),
    QT_TRANSLATE_NOOP("Keys", "Orchestrator"),
    QT_TRANSLATE_NOOP("Keys", "Services"),
    QT_TRANSLATE_NOOP("Keys", "Faults"),
    QT_TRANSLATE_NOOP("Keys", "Framework"),
    QT_TRANSLATE_NOOP("Keys", "Task environment"),
    QT_TRANSLATE_NOOP("Keys", "Run"),
    QT_TRANSLATE_NOOP("Keys", "Seed"),
    QT_TRANSLATE_NOOP("Keys", "Until"),
    QT_TRANSLATE_NOOP("Keys", "Sweep"),
    QT_TRANSLATE_NOOP("Keys", "Jobs"),
    QT_TRANSLATE_NOOP("Keys", "Generate"),
    QT_TRANSLATE_NOOP("Keys", "Cost"),
    QT_TRANSLATE_NOOP("Keys", "Network"),
    QT_TRANSLATE_NOOP("Keys", "Nodes"),
    QT_TRANSLATE_NOOP("Keys", "Trace"),
    QT_TRANSLATE_NOOP("Keys", "File"),
    QT_TRANSLATE_NOOP("Keys", "Fusion"),
    QT_TRANSLATE_NOOP("Keys", "Format"),
    QT_TRANSLATE_NOOP("Keys", "Label"),
    QT_TRANSLATE_NOOP("Keys", "Labels"),
    QT_TRANSLATE_NOOP("Keys", "Placement"),
    QT_TRANSLATE_NOOP("Keys", "Policy"),
    QT_TRANSLATE_NOOP("Keys", "Order"),
    QT_TRANSLATE_NOOP("Keys", "Checkpoint"),
    QT_TRANSLATE_NOOP("Keys", "Checkpoint interval"),
    QT_TRANSLATE_NOOP("Keys", "Checkpoint cost"),
    QT_TRANSLATE_NOOP("Keys", "Restart"),
    QT_TRANSLATE_NOOP("Keys", "Restart cost"),
    QT_TRANSLATE_NOOP("Keys", "Restart delay"),
    QT_TRANSLATE_NOOP("Keys", "Start cost"),
    QT_TRANSLATE_NOOP("Keys", "Resources"),
    QT_TRANSLATE_NOOP("Keys", "Replicas"),
    QT_TRANSLATE_NOOP("Keys", "Kind"),
    QT_TRANSLATE_NOOP("Keys", "Deadline"),
    QT_TRANSLATE_NOOP("Keys", "Duration"),
    QT_TRANSLATE_NOOP("Keys", "Time"),
    QT_TRANSLATE_NOOP("Keys", "Rate"),
    QT_TRANSLATE_NOOP("Keys", "Question"),
    QT_TRANSLATE_NOOP("Keys", "Description"),
    QT_TRANSLATE_NOOP("Keys", "Cluster"),
    QT_TRANSLATE_NOOP("Keys", "Node"),
    QT_TRANSLATE_NOOP("Keys", "Node types"),
    QT_TRANSLATE_NOOP("Keys", "Machines"),
    QT_TRANSLATE_NOOP("Keys", "Models"),
    QT_TRANSLATE_NOOP("Keys", "Job"),
    QT_TRANSLATE_NOOP("Keys", "Task"),
    QT_TRANSLATE_NOOP("Keys", "Tasks"),
    QT_TRANSLATE_NOOP("Keys", "Users"),
    QT_TRANSLATE_NOOP("Keys", "Teams"),
    QT_TRANSLATE_NOOP("Keys", "Quotas"),
    QT_TRANSLATE_NOOP("Keys", "Queue"),
    QT_TRANSLATE_NOOP("Keys", "Reservations"),
    QT_TRANSLATE_NOOP("Keys", "Partitions"),
    QT_TRANSLATE_NOOP("Keys", "Limits"),
    QT_TRANSLATE_NOOP("Keys", "Storage"),
    QT_TRANSLATE_NOOP("Keys", "Images"),
    QT_TRANSLATE_NOOP("Keys", "Image"),
    QT_TRANSLATE_NOOP("Keys", "Containers"),
    QT_TRANSLATE_NOOP("Keys", "Experts"),
    QT_TRANSLATE_NOOP("Keys", "Layers"),
    QT_TRANSLATE_NOOP("Keys", "Sequence length"),
    QT_TRANSLATE_NOOP("Keys", "Global batch"),
    QT_TRANSLATE_NOOP("Keys", "Micro batch"),
    QT_TRANSLATE_NOOP("Keys", "Parallelism"),
    QT_TRANSLATE_NOOP("Keys", "Process"),
    QT_TRANSLATE_NOOP("Keys", "Distribution"),
    QT_TRANSLATE_NOOP("Keys", "Interval"),
    QT_TRANSLATE_NOOP("Keys", "Period"),
    QT_TRANSLATE_NOOP("Keys", "Repair"),
    QT_TRANSLATE_NOOP("Keys", "Stragglers"),
    QT_TRANSLATE_NOOP("Keys", "Overlap"),
    QT_TRANSLATE_NOOP("Keys", "Update"),
    QT_TRANSLATE_NOOP("Keys", "Update rule"),
    QT_TRANSLATE_NOOP("Keys", "Protocol"),
    QT_TRANSLATE_NOOP("Keys", "Efficiency"),
    QT_TRANSLATE_NOOP("Keys", "Estimate"),
    QT_TRANSLATE_NOOP("Keys", "Random"),
    QT_TRANSLATE_NOOP("Keys", "Variants"),
    QT_TRANSLATE_NOOP("Keys", "Grid"),
    QT_TRANSLATE_NOOP("Keys", "Weight"),
    QT_TRANSLATE_NOOP("Keys", "Speed"),
    QT_TRANSLATE_NOOP("Keys", "Work"),
    QT_TRANSLATE_NOOP("Keys", "Worker"),
    QT_TRANSLATE_NOOP("Keys", "Version"),
    QT_TRANSLATE_NOOP("Keys", "Memory fraction"),
    QT_TRANSLATE_NOOP("Keys", "Bucket size"),
    QT_TRANSLATE_NOOP("Keys", "GPU memory"),
    QT_TRANSLATE_NOOP("Keys", "GPU share"),
    QT_TRANSLATE_NOOP("Keys", "GPU type"),
};

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
