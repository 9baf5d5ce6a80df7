// SPDX-License-Identifier: Apache-2.0
// What simrun finds out beyond a run: plans, sensitivities, explanations.
#include "gui/core/info_bar.hpp"
#include "gui/core/places.hpp"
#include "gui/panels/plan_dialog.hpp"
#include "gui/results/explanation.hpp"
#include "gui/results/results_view.hpp"
#include "gui/windows/main_window.hpp"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProgressBar>
#include <QStatusBar>

#include <algorithm>

namespace trainyard::gui {

void MainWindow::plan()
{
  if (!isOpen())
    return;
  session_.document.settle();
  auto* dialog = new PlanDialog{session_.document, this};
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &PlanDialog::planRequested, this, [this](const QStringList& arguments) {
    session_.queue.addPlan(QFileInfo{session_.document.title()}.completeBaseName(), session_.document.text(),
                           session_.document.folder(), arguments);
  });
  dialog->open();
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
                        QStringLiteral("--progress=json"), QStringLiteral("--color=never")};
  // The chosen point, as far as the results are those of this text.
  const Results results = results_->results();
  if (results && results->scenario_text == session_.document.text() && !results_->point().isEmpty())
    arguments << QStringLiteral("--point") << results_->point();
  auto* process = study_ = new RunProcess{this};
  connect(process, &RunProcess::progressed, this, [this](int done, int total) {
    progress_->setRange(0, std::max(1, total));
    progress_->setValue(done);
    progress_->setFormat(tr("%1 of %2").arg(done).arg(total));
  });
  connect(process, &RunProcess::finished, this, [this, process, file] {
    process->deleteLater();
    study_ = nullptr;
    statusBar()->clearMessage();
    if (!session_.queue.isRunning()) {
      progress_->hide();
      action(QStringLiteral("cancel"))->setEnabled(false);
    }
    if (process->state() == RunProcess::State::cancelled)
      return tell(tr("The run was cancelled"));
    if (process->state() == RunProcess::State::done)
      return showExplanation(process->output());
    info_->tell(tr("The run failed: %1").arg(process->messages().trimmed().replace(file, session_.document.title())),
                {}, InfoBar::About::run);
  });
  tell(tr("Every input is varied, one after the other and all at once…"));
  progress_->setRange(0, 0);
  progress_->show();
  action(QStringLiteral("cancel"))->setEnabled(true);
  process->start(arguments, session_.document.folder());
}

void MainWindow::explain(const QString& kind, const QString& name, const QString& point)
{
  const Results results = results_->results();
  if (!results)
    return;
  if (results->plan)
    return showExplanation(results->plan->words);
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
    if (results_->results() && results->folder == results_->results()->folder)
      showExplanation(process->output().isEmpty() ? process->messages() : process->output());
  });
  process->start(explain_arguments(*results, kind, name, point), QDir::homePath());
}

void MainWindow::showExplanation(const QString& words)
{
  explanation_->setExplanation(words);
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
  return arguments << QStringLiteral("--color=never");
}

QString MainWindow::explanation() const
{
  return explanation_->words();
}

} // namespace trainyard::gui
