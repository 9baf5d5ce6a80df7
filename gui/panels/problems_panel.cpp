// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/problems_panel.hpp"

#include "gui/core/theme.hpp"
#include "gui/results/messages.hpp"

#include <QJsonArray>
#include <QStyle>

#include <algorithm>

namespace trainyard::gui {

ProblemsPanel::ProblemsPanel(QWidget* parent) : QListWidget{parent}
{
  setWordWrap(true);
  setAccessibleName(tr("Problems"));
  const auto go = [this](QListWidgetItem* item) {
    emit chosen(item->data(Qt::UserRole).toInt(), item->data(Qt::UserRole + 1).toInt());
  };
  connect(this, &QListWidget::itemActivated, this, go);
  connect(this, &QListWidget::itemClicked, this, go);
}

void ProblemsPanel::show(const QVector<Problem>& problems)
{
  clear();
  QVector<Problem> sorted = problems;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
  for (const Problem& problem : sorted) {
    const QString place = problem.line > 0 ? tr("line %1: ").arg(problem.line) : QString{};
    const bool error = problem.severity == Problem::Severity::error;
    const Messages said = read_messages({problem.said});
    auto* item = new QListWidgetItem{
        place + (error || said.empty() || said[0].id.empty() ? problem.message : message_words(said[0])), this};
    item->setForeground(error ? error_colour() : warning_colour());
    item->setIcon(style()->standardIcon(error ? QStyle::SP_MessageBoxCritical : QStyle::SP_MessageBoxWarning));
    item->setData(Qt::UserRole, problem.line);
    item->setData(Qt::UserRole + 1, problem.column);
  }
  if (sorted.isEmpty()) {
    auto* item = new QListWidgetItem{tr("No problems: simrun accepts this text"), this};
    item->setFlags(Qt::ItemIsEnabled);
  }
}

} // namespace trainyard::gui
