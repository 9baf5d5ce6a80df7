// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/plan_dialog.hpp"

#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace trainyard::gui {
namespace {

/// "1..4n" around the present value.
QString range_around(double value)
{
  return QStringLiteral("%1..%2")
      .arg(std::max(1, static_cast<int>(std::floor(value / 2))))
      .arg(static_cast<int>(std::ceil(value * 2)));
}

QString quoted(const QString& argument)
{
  static const QString plain = QStringLiteral("._-/=,:+");
  const bool simple =
      std::all_of(argument.begin(), argument.end(), [](QChar c) { return c.isLetterOrNumber() || plain.contains(c); });
  return simple ? argument : QLatin1Char('\'') + argument + QLatin1Char('\'');
}

/// The policies that the scenario compares, by their plain names.
QStringList policies_of(const Document& document)
{
  QStringList names;
  if (const DocumentNode* list = find_path(document.root, "scheduling.policies"); list != nullptr)
    for (const DocumentNode& item : list->items)
      if (item.kind == DocumentNode::Kind::scalar)
        names << QString::fromStdString(item.text);
  return names;
}

} // namespace

PlanDialog::PlanDialog(const ScenarioDocument& document, QWidget* parent)
    : QDialog{parent}, document_{document}, goal_{new QComboBox}, second_{new QComboBox}, objective_{new QComboBox},
      knobs_{new QTableWidget{0, 2}}, policies_{new QLineEdit}, command_{new QLabel}, go_{nullptr}
{
  setObjectName(QStringLiteral("plan"));
  setWindowTitle(tr("Plan: the best design that meets a goal"));
  auto* layout = new QVBoxLayout{this};
  auto* about = new QLabel{
      tr("The plan considers every combination of the values below. The answer is the combination that meets the "
         "goals with the lowest value of the measure to minimise. The chart shows all combinations.")};
  about->setWordWrap(true);
  layout->addWidget(about);
  layout->addLayout(makeGoals());
  layout->addLayout(makeKnobs());
  layout->addWidget(knobs_, 1);
  command_->setWordWrap(true);
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  command_->setAccessibleName(tr("The same as a command"));
  layout->addWidget(command_);
  auto* buttons = new QDialogButtonBox{QDialogButtonBox::Cancel};
  go_ = buttons->addButton(tr("Find it"), QDialogButtonBox::AcceptRole);
  go_->setObjectName(QStringLiteral("find"));
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    const QStringList wanted = arguments();
    accept();
    emit planRequested(wanted);
  });
  layout->addWidget(buttons);
  offerKnobs();
  changed();
  resize(560, 440);
}

QFormLayout* PlanDialog::makeGoals()
{
  const bool queue = find_path(document_.tree().root, "workload") != nullptr;
  const QStringList goals =
      queue ? QStringList{QStringLiteral("p95(queueing_delay) < 1 h"), QStringLiteral("mean(jct) < 6 h"),
                          QStringLiteral("utilisation > 70 %"), QStringLiteral("max(slowdown) < 20")}
            : QStringList{QStringLiteral("throughput > 1000/s"), QStringLiteral("step_time < 500 ms"),
                          QStringLiteral("scaling_efficiency > 0.8"), QStringLiteral("finish < 24 h")};
  const QStringList objectives{QStringLiteral("cost"), QStringLiteral("gpus"), QStringLiteral("nodes"),
                               queue ? QStringLiteral("total_cost") : QStringLiteral("price_per_million_samples")};
  auto* form = new QFormLayout;
  for (const auto& [box, name, choices] :
       {std::tuple{goal_, tr("Goal"), goals}, {second_, tr("And"), goals}, {objective_, tr("Minimise"), objectives}}) {
    box->setEditable(true);
    box->addItems(choices);
    connect(box, &QComboBox::currentTextChanged, this, &PlanDialog::changed);
    box->setAccessibleName(name);
    form->addRow(name, box);
  }
  goal_->setObjectName(QStringLiteral("goal"));
  second_->setCurrentText({});
  second_->lineEdit()->setPlaceholderText(tr("none"));
  const bool priced = document_.text().contains(QLatin1String("price"));
  objective_->setCurrentText(priced ? QStringLiteral("cost") : QStringLiteral("gpus"));
  policies_->setText(policies_of(document_.tree()).mid(0, 4).join(QLatin1Char(',')));
  policies_->setObjectName(QStringLiteral("policies"));
  policies_->setAccessibleName(tr("Queue policies"));
  connect(policies_, &QLineEdit::textChanged, this, &PlanDialog::changed);
  if (queue)
    form->addRow(tr("Queue policies"), policies_);
  return form;
}

QHBoxLayout* PlanDialog::makeKnobs()
{
  auto* head = new QHBoxLayout;
  head->addWidget(label_for(*knobs_, tr("Values to choose from: a..b, or a list with commas")), 1);
  auto* add = new QToolButton;
  add->setText(tr("Add"));
  add->setAccessibleName(tr("Add a value to choose"));
  add->setPopupMode(QToolButton::InstantPopup);
  add->setMenu(new QMenu{add});
  connect(add->menu(), &QMenu::aboutToShow, this, [this, add] {
    add->menu()->clear();
    for (const Knob& knob : knobs_of(document_.tree()))
      add->menu()->addAction(
          QStringLiteral("%1 = %2 %3").arg(knob.path).arg(knob.value).arg(knob.unit), this, [this, knob] {
            addKnob(knob.path, knob.unit.isEmpty()
                                   ? range_around(knob.value)
                                   : QStringLiteral("%1 %3,%2 %3").arg(knob.value).arg(knob.value * 2).arg(knob.unit));
          });
  });
  auto* remove = new QToolButton;
  remove->setText(tr("Remove"));
  remove->setAccessibleName(tr("Remove the selected row"));
  connect(remove, &QToolButton::clicked, this, [this] {
    knobs_->removeRow(knobs_->currentRow());
    changed();
  });
  head->addWidget(add);
  head->addWidget(remove);
  knobs_->setHorizontalHeaderLabels({tr("Path in the scenario"), tr("Values")});
  knobs_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  knobs_->horizontalHeader()->resizeSection(1, 170);
  knobs_->verticalHeader()->hide();
  knobs_->setAccessibleName(tr("Values to choose from"));
  knobs_->setMinimumHeight(90);
  knobs_->setTabKeyNavigation(false);
  connect(knobs_, &QTableWidget::itemChanged, this, &PlanDialog::changed);
  return head;
}

void PlanDialog::offerKnobs()
{
  for (const Knob& knob : knobs_of(document_.tree()))
    if (knob.path.startsWith(QLatin1String("cluster.nodes.")) && knob.path.endsWith(QLatin1String(".count")) &&
        knobs_->rowCount() == 0)
      addKnob(knob.path, range_around(knob.value));
}

void PlanDialog::addKnob(const QString& path, const QString& values)
{
  const int row = knobs_->rowCount();
  knobs_->insertRow(row);
  knobs_->setItem(row, 0, new QTableWidgetItem{path});
  knobs_->setItem(row, 1, new QTableWidgetItem{values});
  knobs_->setCurrentCell(row, 1);
  changed();
}

QStringList PlanDialog::arguments() const
{
  QStringList list;
  for (const QComboBox* box : {goal_, second_})
    if (const QString goal = box->currentText().trimmed(); !goal.isEmpty())
      list << QStringLiteral("--goal") << goal;
  if (const QString least = objective_->currentText().trimmed(); !least.isEmpty() && least != QLatin1String("cost"))
    list << QStringLiteral("--minimise") << least;
  for (int row = 0; row < knobs_->rowCount(); ++row) {
    const auto text = [&](int column) {
      const QTableWidgetItem* item = knobs_->item(row, column);
      return item == nullptr ? QString{} : item->text().trimmed();
    };
    if (!text(0).isEmpty() && !text(1).isEmpty())
      list << QStringLiteral("--knob") << text(0) + QLatin1Char('=') + text(1);
  }
  if (const QString policies = policies_->text().remove(QLatin1Char(' ')); !policies.isEmpty())
    list << QStringLiteral("--policies") << policies;
  return list;
}

void PlanDialog::changed()
{
  if (go_ == nullptr)
    return;
  QStringList words{QStringLiteral("simrun"), QStringLiteral("plan"), quoted(document_.title())};
  const QStringList wanted = arguments();
  for (const QString& each : wanted)
    words << quoted(each);
  command_->setText(tr("The same as a command: %1").arg(words.join(QLatin1Char(' '))));
  go_->setEnabled(wanted.contains(QLatin1String("--goal")) &&
                  (wanted.contains(QLatin1String("--knob")) || wanted.contains(QLatin1String("--policies"))));
}

} // namespace trainyard::gui
