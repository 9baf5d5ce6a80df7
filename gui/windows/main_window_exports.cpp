// SPDX-License-Identifier: Apache-2.0
// Results and scenarios in the formats of other tools.
#include "gui/core/info_bar.hpp"
#include "gui/core/places.hpp"
#include "gui/results/results_view.hpp"
#include "gui/windows/main_window.hpp"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>

namespace trainyard::gui {
namespace {

constexpr QLatin1String perfetto{"perfetto"};

bool is_of_results(const QString& format)
{
  return format == perfetto || format == QLatin1String("swf");
}

} // namespace

QVector<QPair<QString, QString>> MainWindow::exportFormats()
{
  return {{perfetto, tr("Perfetto, Chrome: the timeline (*.json.gz)")},
          {QStringLiteral("swf"), tr("Standard Workload Format: the jobs of a queue (*.swf)")},
          {QStringLiteral("simgrid"), tr("SimGrid: the cluster (*.xml)")},
          {QStringLiteral("chakra"), tr("Chakra: a folder with a trace of every rank (*)")},
          {QStringLiteral("astra-sim"), tr("ASTRA-sim: a folder with traces and the cluster (*)")},
          {QStringLiteral("kubernetes"), tr("Kubernetes: manifests (*.yaml)")},
          {QStringLiteral("compose"), tr("Docker Swarm: a stack (*.yml)")}};
}

void MainWindow::chooseExport()
{
  if (!isOpen() && !results_->results())
    return;
  QStringList filters;
  const QVector<QPair<QString, QString>> formats = exportFormats();
  for (const auto& [format, filter] : formats)
    filters << filter;
  QString filter;
  QString file = QFileDialog::getSaveFileName(this, tr("Export for another tool"), {},
                                              filters.join(QStringLiteral(";;")), &filter);
  const qsizetype at = filters.indexOf(filter);
  if (file.isEmpty() || at < 0)
    return;
  if (const QString ending = filter.section(QLatin1String("(*"), -1).chopped(1);
      !ending.isEmpty() && !file.endsWith(ending))
    file += ending;
  exportAs(formats[at].first, file);
}

void MainWindow::exportAs(const QString& format, const QString& file)
{
  const Results results = results_->results();
  if (is_of_results(format) && !results)
    return info_->tell(tr("This format is of results: run the scenario first (%1).")
                           .arg(action(QStringLiteral("run"))->shortcut().toString(QKeySequence::NativeText)));
  if (format == perfetto) {
    const QString trace = results->folder + QStringLiteral("/trace.json.gz");
    if (!QFileInfo::exists(trace))
      return info_->tell(tr("These results have no trace file. Those of a queue can be exported as SWF."));
    if (QFileInfo{trace} == QFileInfo{file})
      return info_->tell(tr("%1 is the file of the results themselves; choose another name.").arg(file));
    QFile in{trace};
    if (!in.open(QIODevice::ReadOnly))
      return info_->tell(tr("%1 cannot be read: %2").arg(trace, in.errorString()));
    QSaveFile out{file}; // what was there stays until all is written
    if (const QByteArray bytes = in.readAll();
        !out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
      return info_->tell(tr("%1 cannot be written: %2").arg(file, out.errorString()));
    return tell(tr("Written to %1").arg(file));
  }
  QString source = is_of_results(format) ? results->folder : QString{};
  if (source.isEmpty()) {
    if (!isOpen())
      return;
    source = state_folder(QStringLiteral("studies")) + QStringLiteral("/export.yaml");
    QFile out{source};
    const QByteArray bytes = session_.document.text().toUtf8();
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size())
      return info_->tell(tr("%1 cannot be written: %2").arg(source, out.errorString()));
  }
  auto* process = new RunProcess{this};
  connect(process, &RunProcess::finished, this, [this, process, source, file] {
    process->deleteLater();
    const QString words = process->messages().trimmed().replace(source, session_.document.title());
    if (process->state() == RunProcess::State::done)
      return info_->tell(words.isEmpty() ? tr("Written to %1").arg(file) : words);
    info_->tell(tr("Nothing was exported: %1").arg(words));
  });
  process->start({QStringLiteral("export"), source, QStringLiteral("--format"), format, QStringLiteral("-o"), file,
                  QStringLiteral("--force"), QStringLiteral("--color=never"), QStringLiteral("--progress=none")},
                 session_.document.folder());
}

} // namespace trainyard::gui
