// SPDX-License-Identifier: Apache-2.0
// What simrun finds out beyond a run: plans, sensitivities, explanations.
#include "gui/core/places.hpp"
#include "gui/core/widgets.hpp"
#include "gui/panels/plan_dialog.hpp"
#include "gui/results/explanation.hpp"
#include "gui/results/results_view.hpp"
#include "gui/windows/main_window.hpp"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProgressBar>
#include <QStatusBar>
#include <QUndoStack>

#include <algorithm>
#include <cmath>

namespace trainyard::gui {
namespace {

/// "40 s", "12 min", "3.5 h".
QString duration_words(double seconds)
{
  if (seconds < 90)
    return MainWindow::tr("%1 s").arg(std::ceil(seconds));
  return seconds < 90 * 60 ? MainWindow::tr("%1 min").arg(std::ceil(seconds / 60))
                           : MainWindow::tr("%1 h").arg(seconds / 3600, 0, 'f', 1);
}

} // namespace

void MainWindow::plan()
{
  if (!isOpen())
    return;
  session_.document.settle();
  auto* dialog = new PlanDialog{session_.document, this};
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &PlanDialog::planRequested, this, [this](const QStringList& arguments) {
    session_.queue.setIdentity(session_.document.identity());
    session_.queue.addPlan(QFileInfo{session_.document.title()}.completeBaseName(), session_.document.text(),
                           session_.document.folder(), arguments);
  });
  dialog->open();
}

void MainWindow::showLayouts()
{
  if (!isOpen())
    return;
  session_.document.settle();
  if (LayoutsDialog::dividedJobs(session_.document).isEmpty())
    return info_->tell(tr("No job of this scenario divides a transformer among GPUs: give one training: parallel, or "
                          "open the example llama3_70b_on_512_h100."));
  auto* dialog = new LayoutsDialog{session_.document, this};
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    if (!dialog->dropped().isEmpty())
      info_->tell(tr("The layout was taken. What contradicted it went out of the scenario: %1.")
                      .arg(dialog->dropped().join(QStringLiteral(", "))));
  });
  dialog->open();
}

void MainWindow::score(const QString& table, const QString& map)
{
  if (study_ != nullptr)
    return;
  const QString rows = state_folder(QStringLiteral("studies")) + QStringLiteral("/score.csv");
  QFile::remove(rows);
  runStudy({QStringLiteral("score"), table, QStringLiteral("--map"), map, QStringLiteral("-o"), rows,
            QStringLiteral("--progress=json"), QStringLiteral("--json")},
           QFileInfo{table}.absolutePath(), tr("The rows of %1 are predicted…").arg(QFileInfo{table}.fileName()),
           [this, rows](const RunProcess& process) {
             if (process.state() != RunProcess::State::done)
               return info_->tell(tr("The table was not scored: %1").arg(process.messages().trimmed()), {},
                                  InfoBar::About::run);
             showExplanation(told_in(process.output().toUtf8()));
             info_->tell(tr("Every row of the table now has a prediction beside it."),
                         {{tr("Save as CSV…"),
                           [this, rows] {
                             QFile in{rows};
                             if (in.open(QIODevice::ReadOnly))
                               save_text(*this, tr("Save the table"), QStringLiteral("scored.csv"),
                                         tr("Tables (*.csv)"), QString::fromUtf8(in.readAll()));
                           }}},
                         InfoBar::About::run);
           });
}

void MainWindow::chooseScore()
{
  const QString table = QFileDialog::getOpenFileName(this, tr("A table of measurements"), {}, tr("Tables (*.csv)"));
  if (table.isEmpty())
    return;
  QString map = table.chopped(QFileInfo{table}.suffix().size()) + QStringLiteral("map.yaml");
  if (!QFileInfo::exists(map))
    map = QFileDialog::getOpenFileName(this, tr("The file that turns its rows into scenarios"),
                                       QFileInfo{table}.absolutePath(), tr("Mappings (*.yaml *.yml)"));
  if (!map.isEmpty())
    score(table, map);
}

void MainWindow::studySensitivity()
{
  if (!isOpen() || study_ != nullptr)
    return;
  session_.document.settle();
  const QString file = state_folder(QStringLiteral("studies")) + QStringLiteral("/sensitivity.yaml");
  QDir{}.mkpath(QFileInfo{file}.absolutePath());
  QFile out{file};
  const QByteArray bytes = session_.document.text().toUtf8();
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size())
    return info_->tell(tr("%1 cannot be written: %2").arg(file, out.errorString()));
  out.close();
  QStringList arguments{QStringLiteral("sensitivity"), file, QStringLiteral("--no-files"),
                        QStringLiteral("--progress=json"), QStringLiteral("--json")};
  // The chosen point, as far as the results are those of this text.
  const Results results = results_->results();
  if (results && results->scenario_text == session_.document.text() && !results_->point().isEmpty())
    arguments << QStringLiteral("--point") << results_->point();
  runStudy(arguments, session_.document.folder(),
           tr("Sensitivity: the scenario is simulated as it is, which tells how long the rest takes…"),
           [this, file](const RunProcess& process) {
             if (process.state() == RunProcess::State::done)
               return showExplanation(told_in(process.output().toUtf8()));
             info_->tell(
                 tr("The run failed: %1").arg(process.messages().trimmed().replace(file, session_.document.title())),
                 {}, InfoBar::About::run);
           });
}

void MainWindow::runStudy(const QStringList& arguments, const QString& folder, const QString& message,
                          const std::function<void(const RunProcess&)>& done)
{
  study_ = new RunProcess{this};
  connect(study_, &RunProcess::progressed, this, [this](int ready, int total, double left) {
    progress_->setRange(0, std::max(1, total));
    progress_->setValue(ready);
    progress_->setFormat(tr("%1 of %2").arg(ready).arg(total));
    if (ready > 0)
      info_->retell(tr("At most %1 simulations: %2 are done, the rest takes about %3")
                        .arg(total)
                        .arg(ready)
                        .arg(duration_words(left)),
                    InfoBar::About::study);
  });
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): Qt keeps the slot
  connect(study_, &RunProcess::finished, this, [this, done] {
    RunProcess* process = std::exchange(study_, nullptr);
    process->deleteLater();
    statusBar()->clearMessage();
    info_->forget(InfoBar::About::study);
    if (!session_.queue.isRunning()) {
      progress_->hide();
      action(QStringLiteral("cancel"))->setEnabled(false);
    }
    if (process->state() == RunProcess::State::cancelled)
      return tell(tr("The run was cancelled"));
    done(*process);
  });
  info_->tell(message, {{tr("Stop"), [this] { action(QStringLiteral("cancel"))->trigger(); }}}, InfoBar::About::study);
  progress_->setRange(0, 0);
  progress_->show();
  action(QStringLiteral("cancel"))->setEnabled(true);
  study_->start(arguments, folder);
}

void MainWindow::divideJob(const QString& key, const QString& words)
{
  const QString job = QStringLiteral("jobs.0");
  if (!isOpen() || find_path(session_.document.tree().root, job.toStdString()) == nullptr)
    return info_->tell(tr("This scenario has no job that could be divided."));
  const auto count = [&](const char* of) {
    return std::max(1, session_.document.value(job + QLatin1Char('.') + QLatin1String(of)).toInt());
  };
  const QString training = job + QStringLiteral(".training");
  if (const QString parallel = training + QStringLiteral(".parallel");
      find_path(session_.document.tree().root, parallel.toStdString()) != nullptr) {
    session_.document.setValue(parallel + QLatin1Char('.') + key.section(QLatin1Char(':'), 0, 0),
                               key.section(QLatin1Char(' '), -1), words);
    return;
  }
  // Its batch in the words of a divided job; mode and collective have no meaning there.
  const int batch = count("batch_per_gpu");
  session_.document.undoStack()->beginMacro(words);
  session_.document.setValue(training,
                             QStringLiteral("{parallel: {%1, micro_batch: %2, global_batch: %3}}")
                                 .arg(key)
                                 .arg(batch)
                                 .arg(batch * count("workers")),
                             words);
  session_.document.remove(job + QStringLiteral(".batch_per_gpu"), words);
  session_.document.undoStack()->endMacro();
}

void MainWindow::explain(const QString& kind, const QString& name, const QString& point)
{
  const Results results = results_->results();
  if (!results)
    return;
  if (const auto& plan = results->plan)
    return showExplanation(plan->told);
  // What was asked last is what is shown.
  const QString asked = QStringLiteral("explain");
  for (RunProcess* before : findChildren<RunProcess*>(asked)) {
    before->disconnect(this);
    before->cancel();
    before->setObjectName({});
    before->deleteLater();
  }
  auto* process = new RunProcess{this};
  process->setObjectName(asked);
  connect(process, &RunProcess::finished, this, [this, process, results] {
    process->deleteLater();
    if (!results_->results() || results->folder != results_->results()->folder)
      return;
    Telling told = told_in(process->output().toUtf8());
    if (told.empty())
      told.lines(process->messages().toStdString());
    showExplanation(told);
  });
  process->start(explain_arguments(*results, kind, name, point), QDir::homePath());
}

void MainWindow::showExplanation(const Telling& told)
{
  explanation_->setExplanation(told);
  openDock(QStringLiteral("explanation"));
}

QStringList MainWindow::explain_arguments(const ResultsData& results, const QString& kind, const QString& name,
                                          const QString& point)
{
  // Queues and clusters explain things by kind and name, training steps choose with options.
  QStringList arguments{QStringLiteral("explain")};
  const QString written = results.summary.value(QLatin1String("kind")).toString();
  if (name.isEmpty()) {
    arguments << results.folder;
  } else if (written.isEmpty() || written == QLatin1String("trainyard summary")) {
    arguments << results.folder << QStringLiteral("--job") << name;
    if (!point.isEmpty())
      arguments << QStringLiteral("--point") << point;
  } else {
    arguments << kind << name << results.folder;
  }
  return arguments << QStringLiteral("--json");
}

QString MainWindow::explanation() const
{
  return explanation_->words();
}

} // namespace trainyard::gui
