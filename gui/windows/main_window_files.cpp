// SPDX-License-Identifier: Apache-2.0
#include "gui/windows/main_window.hpp"

#include "gui/canvas/topology_scene.hpp"
#include "gui/core/picture.hpp"
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/panels/import_report.hpp"
#include "gui/results/chart_view.hpp"
#include "gui/results/compare_view.hpp"
#include "gui/results/pipeline_view.hpp"
#include "gui/results/results_view.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "gui/windows/command_palette.hpp"

#include <QAction>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QJsonDocument>
#include <QMessageBox>
#include <QMimeData>
#include <QRegularExpression>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTextBrowser>
#include <QTextCursor>
#include <QVBoxLayout>

namespace trainyard::gui {

bool MainWindow::openFile(const QString& file)
{
  if (QFileInfo{file}.isDir()) {
    openResults(file);
    return true;
  }
  const QString name = QFileInfo{file}.fileName();
  if (name == QLatin1String("manifest.json") || name == QLatin1String("summary.json")) {
    openResults(QFileInfo{file}.absolutePath());
    return true;
  }
  if (!mayForget())
    return false;
  QString error;
  if (!session_.document.open(file, &error)) {
    QMessageBox::warning(this, tr("Not opened"), error);
    return false;
  }
  session_.remember(QFileInfo{file}.absoluteFilePath());
  showPage(cluster_page);
  return true;
}

void MainWindow::openExample(const QString& file)
{
  if (!mayForget())
    return;
  QFile in{file};
  if (!in.open(QIODevice::ReadOnly))
    return tell(tr("%1 cannot be read: %2").arg(file, in.errorString()));
  session_.document.openText(QString::fromUtf8(in.readAll()), QFileInfo{file}.fileName(),
                             QFileInfo{file}.absolutePath());
  showPage(cluster_page);
}

void MainWindow::openResults(const QString& folder)
{
  session_.loader.load(folder);
}

void MainWindow::importFiles(const QStringList& files)
{
  const QString file = files.value(0);
  if (!mayForget())
    return;
  auto* process = new RunProcess{this};
  const QString out = state_folder(QStringLiteral("import")) + QStringLiteral("/imported.yaml");
  QFile::remove(out);
  const QString folder = QFileInfo{file}.isDir() ? file : QFileInfo{file}.absolutePath();
  connect(process, &RunProcess::finished, this, [this, process, file, folder, out] {
    process->deleteLater();
    const QJsonObject report = QJsonDocument::fromJson(process->output().toUtf8()).object();
    const QVector<ImportLine> lines = import_lines(report);
    const auto show_report = [this, folder, lines, any = !lines.isEmpty()] {
      import_report_->show(lines, folder);
      dock(QStringLiteral("import_report"))->setVisible(any);
      if (any)
        openDock(QStringLiteral("import_report"));
    };
    QFile in{out};
    if (process->state() != RunProcess::State::done || !in.open(QIODevice::ReadOnly)) {
      const QString why = process->messages().trimmed();
      info_->tell(tr("%1 was not imported: %2")
                      .arg(QFileInfo{file}.fileName(), why.isEmpty() ? tr("simrun import gave no message") : why));
      if (pages_->currentIndex() == 1)
        show_report();
      return;
    }
    session_.document.openUnsaved(QString::fromUtf8(in.readAll()),
                                  QFileInfo{file}.completeBaseName() + QStringLiteral(".yaml"), folder);
    showPage(cluster_page);
    show_report();
  });
  // By its name alone, so that the report and the scenario do not say where on this machine the file lies.
  QStringList arguments{QStringLiteral("import")};
  for (const QString& each : files)
    arguments << QDir{folder}.relativeFilePath(each);
  process->start(arguments +
                     QStringList{QStringLiteral("-o"), out, QStringLiteral("--json"), QStringLiteral("--color=never")},
                 folder);
}

bool MainWindow::save()
{
  if (session_.document.file().isEmpty() && !isOpen())
    return false;
  ScenarioDocument& document = session_.document;
  if (document.file().isEmpty())
    return saveAs();
  if (document.changedOnDisk()) {
    const auto answer =
        QMessageBox::question(this, tr("Changed on disk"),
                              tr("Another program changed %1 since it was opened. Overwrite it?").arg(document.title()),
                              QMessageBox::Save | QMessageBox::Cancel);
    if (answer != QMessageBox::Save)
      return false;
  }
  QString error;
  if (document.save(document.file(), &error)) {
    info_->forget(InfoBar::About::file);
    return true;
  }
  QMessageBox::warning(this, tr("Not saved"), error);
  return false;
}

bool MainWindow::saveAs()
{
  QString chosen = QFileDialog::getSaveFileName(this, tr("Save the scenario"),
                                                session_.document.file().isEmpty() ? session_.document.title()
                                                                                   : session_.document.file(),
                                                tr("Scenarios (*.yaml)"));
  if (chosen.isEmpty())
    return false;
  if (QFileInfo{chosen}.suffix().isEmpty() && !QFileInfo::exists(chosen + QStringLiteral(".yaml")))
    chosen += QStringLiteral(".yaml"); // else "Open" does not list it
  QString error;
  if (!session_.document.save(chosen, &error)) {
    QMessageBox::warning(this, tr("Not saved"), error);
    return false;
  }
  session_.remember(session_.document.file());
  return true;
}

bool MainWindow::mayForget()
{
  if (!session_.document.isModified())
    return true;
  const auto answer =
      QMessageBox::question(this, tr("Unsaved changes"), tr("Save the changes of %1?").arg(session_.document.title()),
                            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
  if (answer == QMessageBox::Save)
    return save();
  return answer == QMessageBox::Discard;
}

void MainWindow::watchFile()
{
  if (const QStringList old = watcher_->files(); !old.isEmpty())
    watcher_->removePaths(old);
  if (!session_.document.file().isEmpty())
    watcher_->addPath(session_.document.file());
}

void MainWindow::fileTouched()
{
  const QString file = session_.document.file();
  if (file.isEmpty())
    return;
  watcher_->addPath(file); // editors replace the file, and the watch goes with the old one
  if (!QFileInfo::exists(file)) {
    session_.document.markUnsaved();
    return info_->tell(tr("%1 was removed from the disk. The text is still here; save it to restore the file.")
                           .arg(QFileInfo{file}.fileName()));
  }
  if (!session_.document.changedOnDisk())
    return;
  info_->tell(session_.document.isModified()
                  ? tr("Another program changed %1, and it was changed here too.").arg(QFileInfo{file}.fileName())
                  : tr("Another program changed %1.").arg(QFileInfo{file}.fileName()),
              {{tr("Reload"),
                [this] {
                  QString error;
                  if (!session_.document.reload(&error))
                    info_->tell(error);
                }},
               {tr("Keep this text"), [this] { session_.document.markUnsaved(); }}});
}

bool MainWindow::exportTo(const QString& file, QString* error)
{
  if (pages_->currentIndex() == 1 && tabs_->currentIndex() == cluster_page)
    return write_picture(
        file, {1400, 900}, session_.document.title(),
        [this](QPainter& painter, const QRectF& target) {
          scene_->clearSelection();
          const LightColours light;
          scene_->setPalette(light.palette());
          scene_->render(&painter, target, scene_->itemsBoundingRect().adjusted(-20, -20, 20, 20), Qt::KeepAspectRatio);
          scene_->setPalette({}); // the window's again
        },
        error);
  if (pages_->currentIndex() == 1 && tabs_->currentIndex() == results_page && results_->timeline()->isVisible())
    return write_picture(
        file, {1600, 900}, session_.document.title(),
        [this](QPainter& painter, const QRectF& target) { results_->timeline()->drawPicture(painter, target); }, error);
  if (pages_->currentIndex() == 1 && tabs_->currentIndex() == results_page && results_->pipeline()->isVisible())
    return results_->pipeline()->exportTo(file, error);
  if (pages_->currentIndex() == 1 && tabs_->currentIndex() == compare_page)
    return compare_->chart()->exportTo(file, error);
  return results_->chart()->exportTo(file, error);
}

void MainWindow::exportPicture()
{
  const QString file = QFileDialog::getSaveFileName(this, tr("Export picture"), QStringLiteral("picture.svg"),
                                                    tr("Pictures (*.svg *.png *.pdf)"));
  if (file.isEmpty())
    return;
  QString error;
  if (exportTo(file, &error))
    tell(tr("Written to %1").arg(file));
  else
    info_->tell(error);
}

void MainWindow::exportReport()
{
  const Results results = results_->results();
  if (!results)
    return info_->tell(tr("There are no results to report on: run the scenario first (%1).")
                           .arg(action(QStringLiteral("run"))->shortcut().toString(QKeySequence::NativeText)));
  QString file = QFileDialog::getSaveFileName(this, tr("Export report"),
                                              QFileInfo{results->folder}.fileName() + QStringLiteral(".html"),
                                              tr("Reports (*.html *.pdf)"));
  if (file.isEmpty())
    return;
  if (QFileInfo{file}.suffix().isEmpty())
    file += QStringLiteral(".html");
  writeReport(file);
}

void MainWindow::writeReport(const QString& file)
{
  const QStringList compared = compare_->isVisible() ? compare_->folders() : QStringList{};
  if (compared.size() < 2)
    return results_->results() ? writeReportOf(results_->results()->folder, file) : void();
  auto* process = new RunProcess{this};
  const QString out = state_folder(QStringLiteral("comparison")) + QStringLiteral("/report");
  connect(process, &RunProcess::finished, this, [this, process, out, file] {
    process->deleteLater();
    if (process->state() == RunProcess::State::done)
      writeReportOf(out, file);
    else
      info_->tell(tr("The report was not written: %1").arg(process->messages().trimmed()));
  });
  process->start(QStringList{QStringLiteral("compare")} + compared +
                     QStringList{QStringLiteral("-o"), out, QStringLiteral("--force"), QStringLiteral("--quiet"),
                                 QStringLiteral("--color=never")},
                 QDir::homePath());
}

void MainWindow::writeReportOf(const QString& folder, const QString& file)
{
  auto* process = new RunProcess{this};
  connect(process, &RunProcess::finished, this, [this, process, file] {
    process->deleteLater();
    if (process->state() == RunProcess::State::done)
      tell(tr("Written to %1").arg(file));
    else
      info_->tell(tr("The report was not written: %1").arg(process->messages().trimmed()));
  });
  tell(tr("The report is being written…"));
  process->start({QStringLiteral("report"), folder, QStringLiteral("-o"), file, QStringLiteral("--force"),
                  QStringLiteral("--color=never"), QStringLiteral("--progress=none")},
                 QDir::homePath());
}

void MainWindow::showKeys()
{
  auto* sheet = new QDialog{this};
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  sheet->setObjectName(QStringLiteral("keys"));
  sheet->setWindowTitle(tr("Keys"));
  auto* layout = new QVBoxLayout{sheet};
  auto* text = new QTextBrowser;
  text->setHtml(shortcut_sheet(actions()));
  text->setAccessibleName(tr("Keys"));
  layout->addWidget(text);
  auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close};
  connect(buttons, &QDialogButtonBox::rejected, sheet, &QDialog::reject);
  layout->addWidget(buttons);
  sheet->resize(560, 640);
  sheet->open();
}

namespace {

/// "team" of ".../recovery/team-858b1de5.27984.yaml".
QString recovered_name(const QString& file)
{
  static const QRegularExpression added{QStringLiteral("-[0-9a-f]{8}\\.[0-9]+$")};
  return QFileInfo{file}.completeBaseName().remove(added);
}

} // namespace

void MainWindow::offerRecovery()
{
  ScenarioDocument& document = session_.document;
  if (document.isModified() || !isVisible())
    return;
  const bool empty = document.text().isEmpty();
  QStringList files = ScenarioDocument::recoverable();
  if (!empty) // a text that belongs to another file waits for a start without one
    files.removeIf([&](const QString& file) { return !document.isMine(file); });
  if (files.isEmpty())
    return;
  const auto answer = QMessageBox::question(
      this, tr("Recovered text"),
      tr("The program ended last time with unsaved changes in %1. Open them?").arg(recovered_name(files.front())),
      QMessageBox::Open | QMessageBox::Discard | QMessageBox::Cancel);
  if (answer == QMessageBox::Cancel)
    return;
  QFile in{files.front()};
  if (answer == QMessageBox::Open && in.open(QIODevice::ReadOnly)) {
    const QString text = QString::fromUtf8(in.readAll());
    if (empty) {
      document.openUnsaved(text, recovered_name(files.front()) + QStringLiteral(".yaml"));
    } else { // one step that can be undone, also where the text cannot be read
      QTextCursor whole{document.textDocument()};
      whole.select(QTextCursor::Document);
      whole.insertText(text);
    }
    showPage(cluster_page);
  }
  in.remove();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
  if (event->mimeData()->hasUrls())
    event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
  const QList<QUrl> urls = event->mimeData()->urls();
  event->acceptProposedAction();
  QStringList files;
  for (const QUrl& url : urls)
    files << url.toLocalFile();
  if (files.size() > 1)
    importFiles(files);
  else if (!files.isEmpty())
    openOrImport(files.front());
}

void MainWindow::openOrImport(const QString& file)
{
  const QString kind = QFileInfo{file}.suffix().toLower();
  QFile in{file};
  const bool scenario = (kind == QLatin1String("yaml") || kind == QLatin1String("yml")) &&
                        in.open(QIODevice::ReadOnly) && in.read(20'000).contains("trainyard:");
  const bool results =
      QFileInfo{file}.isDir() && (QFileInfo::exists(file + QStringLiteral("/summary.json")) || is_plan_folder(file));
  if (scenario || results || file.endsWith(QLatin1String("manifest.json")))
    openFile(file);
  else
    importFile(file);
}

// Results and scenarios in the formats of other tools.
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
