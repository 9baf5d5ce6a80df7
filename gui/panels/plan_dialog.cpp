// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/plan_dialog.hpp"

#include "gui/core/places.hpp"
#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/panels/what_if_panel.hpp"
#include "models/core/data_folder.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

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
      tr("The plan considers every combination of the values below. The answer is the combination that meets the goals "
         "with the lowest value of the measure to minimise. The chart shows all combinations.")};
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

namespace {

QString path_of(int job, const char* key)
{
  return QStringLiteral("jobs.%1.%2").arg(job).arg(QLatin1String(key));
}

/// A number of a layout without what a reader does not look at.
QString figure(const QJsonObject& layout, const char* key, double times, int digits)
{
  return QString::number(layout.value(QLatin1String(key)).toDouble() * times, 'g', digits);
}

/// The keys of `parallel` that a layout says.
constexpr std::array said_by_layout{"tp",
                                    "pp",
                                    "vp",
                                    "dp",
                                    "cp",
                                    "ep",
                                    "zero",
                                    "micro_batch",
                                    "sequence_parallel",
                                    "recomputation",
                                    "recompute_modules",
                                    "layers_per_stage"};

/// A key of the job's `parallel` that a fault of the scenario points at, and that no layout says; empty without one.
std::string contradicting_key(const std::string& text, const std::string& file, const std::string& parallel)
{
  static const Catalogue catalogue = load_catalogue(data_folder());
  Diagnostics faults;
  const Document document = parse_document(text, file, faults);
  read_scenario(document, {}, catalogue, faults);
  const DocumentNode* keys = find_path(document.root, parallel);
  const std::vector<Diagnostic> sorted = faults.sorted();
  for (const DocumentNode::Entry& entry : keys->entries)
    if (std::ranges::find(said_by_layout, entry.key) == said_by_layout.end() &&
        std::ranges::any_of(sorted, [&](const Diagnostic& fault) {
          const std::pair at{fault.where.line, fault.where.column};
          return fault.severity == Severity::error &&
                 (at == std::pair{entry.line, entry.column} || at == std::pair{entry.value.line, entry.value.column});
        }))
      return entry.key;
  return {};
}

/// The text with the layout in place of the job's: what is 1 or off stays out where it was not there before. Keys that
/// contradict the layout go, and into @p dropped.
std::string with_layout(std::string text, const QJsonObject& layout, const std::string& parallel,
                        const std::string& file, QStringList& dropped)
{
  Diagnostics ignored;
  const Document before = parse_document(text, "scenario", ignored);
  const auto set = [&](const char* key, const QString& value, bool usual) {
    const std::string path = parallel + "." + key;
    if (usual && find_path(before.root, path) == nullptr)
      return;
    text = applied(text, set_value_edit(text, path, value.toStdString()));
  };
  for (const char* key : {"tp", "pp", "vp", "dp", "cp", "ep", "micro_batch", "zero"}) {
    const int value = layout.value(QLatin1String(key)).toInt();
    set(key, QString::number(value), value == (std::string_view{key} == "zero" ? 0 : 1));
  }
  const bool sequence = layout.value(QLatin1String("sequence_parallel")).toBool();
  set("sequence_parallel", sequence ? QStringLiteral("true") : QStringLiteral("false"), !sequence);
  const QString again = layout.value(QLatin1String("recomputation")).toString();
  set("recomputation", again, again == QLatin1String("none"));
  const auto list = [&](const char* key) {
    const QStringList values = layout.value(QLatin1String(key)).toVariant().toStringList();
    return values.isEmpty() ? QString{} : QStringLiteral("[%1]").arg(values.join(QStringLiteral(", ")));
  };
  const QString modules = list("recompute_modules");
  set("recompute_modules", modules.isEmpty() ? QStringLiteral("[]") : modules, modules.isEmpty());
  if (const QString layers = list("layers_per_stage"); !layers.isEmpty())
    set("layers_per_stage", layers, false);
  else if (const std::string path = parallel + ".layers_per_stage"; find_path(before.root, path) != nullptr)
    text = applied(text, remove_edit(text, path)); // those of the stages before
  const auto drop = [&](const std::string& key) {
    text = applied(text, remove_edit(text, parallel + "." + key));
    dropped << QString::fromStdString(key);
  };
  // Time and memory of a layout that was found are those of 1F1B (or interleaved), of ZeRO over all replicas, of equal
  // shares, and of experts over tp.
  for (const char* key : {"schedule", "shard_within", "whole_tensors", "expert_tp"})
    if (find_path(before.root, parallel + "." + key) != nullptr)
      drop(key);
  for (std::string key = contradicting_key(text, file, parallel); !key.empty();
       key = contradicting_key(text, file, parallel))
    drop(key);
  return text;
}

/// The job's GPUs: its workers, or what its layout multiplies to.
QString gpus_of(const ScenarioDocument& document, int job)
{
  if (const QString workers = document.value(path_of(job, "workers")); !workers.isEmpty())
    return workers;
  int gpus = 1;
  for (const char* key : {"tp", "pp", "cp", "dp"})
    gpus *= std::max(1, document.value(path_of(job, "training.parallel.") + QLatin1String(key)).toInt());
  return QString::number(gpus);
}

} // namespace

LayoutsDialog::LayoutsDialog(ScenarioDocument& document, QWidget* parent)
    : QDialog{parent}, document_{document}, job_{new QComboBox}, words_{new QLabel}, table_{new QTableView},
      model_{new TableModel{this}}, progress_{new QProgressBar}, take_{nullptr}
{
  setObjectName(QStringLiteral("layouts"));
  setWindowTitle(tr("Layouts: ways to divide the transformer"));
  auto* layout = new QVBoxLayout{this};
  job_->setObjectName(QStringLiteral("layouts_job"));
  job_->setAccessibleName(tr("Job"));
  for (const int job : dividedJobs(document_))
    job_->addItem(document_.value(path_of(job, "name")), job);
  job_->setVisible(job_->count() > 1);
  layout->addWidget(job_);
  words_->setWordWrap(true);
  words_->setObjectName(QStringLiteral("layouts_words"));
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(words_);
  set_up(*table_, model_, tr("Layouts by the time of a step"));
  table_->setObjectName(QStringLiteral("layouts_table"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setAlternatingRowColors(true);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(22);
  table_->horizontalHeader()->setStretchLastSection(true);
  layout->addWidget(table_, 1);
  progress_->setAccessibleName(tr("Progress of the search"));
  layout->addWidget(progress_);
  auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close};
  take_ = buttons->addButton(tr("Take it into the scenario"), QDialogButtonBox::ActionRole);
  take_->setObjectName(QStringLiteral("take_layout"));
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(take_, &QPushButton::clicked, this, [this] { take(table_->currentIndex().row()); });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& at) { take(at.row()); });
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& at) { take(at.row()); });
  connect(job_, &QComboBox::activated, this, [this] { ask(); });
  connect(this, &QDialog::finished, &process_, &RunProcess::cancel);
  connect(&process_, &RunProcess::progressed, this, [this](int done, int total) {
    progress_->setRange(0, std::max(1, total));
    progress_->setValue(done);
  });
  connect(&process_, &RunProcess::finished, this, &LayoutsDialog::answered);
  resize(760, 460);
  ask();
}

QVector<int> LayoutsDialog::dividedJobs(const ScenarioDocument& document)
{
  QVector<int> list;
  const DocumentNode* jobs = find_path(document.tree().root, "jobs");
  for (int i = 0; jobs != nullptr && i < static_cast<int>(jobs->items.size()); ++i)
    if (find_path(document.tree().root, path_of(i, "training.parallel").toStdString()) != nullptr)
      list << i;
  return list;
}

QStringList LayoutsDialog::argumentsOf(const ScenarioDocument& document, int job, const QString& file)
{
  return {QStringLiteral("layouts"), file,
          QStringLiteral("--job"),   document.value(path_of(job, "name")),
          QStringLiteral("--gpus"),  gpus_of(document, job),
          QStringLiteral("--top"),   QStringLiteral("40")};
}

void LayoutsDialog::ask()
{
  if (isBusy() || job_->count() == 0)
    return;
  found_ = {};
  model_->show({});
  take_->setEnabled(false);
  const QString file = state_folder(QStringLiteral("layouts")) + QStringLiteral("/scenario.yaml");
  QFile out{file};
  if (!out.open(QIODevice::WriteOnly) || out.write(document_.text().toUtf8()) < 0) {
    progress_->hide();
    return words_->setText(tr("%1 cannot be written: %2").arg(file, out.errorString()));
  }
  out.close();
  words_->setText(tr("Layouts are looked at…"));
  progress_->setRange(0, 0);
  progress_->show();
  process_.start(argumentsOf(document_, job_->currentData().toInt(), file)
                     << QStringLiteral("--json") << QStringLiteral("--progress=json")
                     << QStringLiteral("--color=never"),
                 document_.folder());
}

void LayoutsDialog::answered()
{
  progress_->hide();
  const QString output = process_.output();
  const QJsonObject json = QJsonDocument::fromJson(output.toUtf8()).object();
  found_ = json.value(QLatin1String("layouts")).toArray();
  if (found_.isEmpty())
    return words_->setText(process_.state() == RunProcess::State::done ? output.trimmed()
                                                                       : process_.messages().trimmed());
  words_->setText(tr("%1 GPUs of the kind %2, precision %5: %3 layouts were looked at, %4 of them need more memory "
                     "than the GPU has. Step times are by closed form, on the machines of the scenario. A double click "
                     "takes a layout into the scenario.")
                      .arg(json.value(QLatin1String("gpus")).toInt())
                      .arg(json.value(QLatin1String("gpu")).toString())
                      .arg(json.value(QLatin1String("examined")).toInteger())
                      .arg(json.value(QLatin1String("too_large")).toInteger())
                      .arg(json.value(QLatin1String("precision")).toString()));
  Table table;
  table.columns = {tr("Layout"), tr("Step, s"),         tr("Tokens/s"),
                   tr("MFU, %"), tr("GPU memory, GiB"), tr("Why it is slower")};
  for (const QJsonValue& each : std::as_const(found_)) {
    const QJsonObject one = each.toObject();
    table.rows.push_back({one.value(QLatin1String("layout")).toString(), figure(one, "step_s", 1, 5),
                          figure(one, "tokens_per_second", 1, 6), figure(one, "model_flop_utilisation", 100, 4),
                          figure(one, "gpu_memory_B", 1.0 / (1U << 30U), 4),
                          one.value(QLatin1String("why_slower")).toString()});
  }
  model_->show(std::move(table));
  table_->resizeColumnsToContents();
  table_->setColumnWidth(0, std::min(table_->columnWidth(0), 320));
  table_->selectRow(0);
  table_->setFocus();
  take_->setEnabled(true);
}

void LayoutsDialog::take(int row)
{
  if (row < 0 || row >= found_.size())
    return;
  const QJsonObject layout = found_[row].toObject();
  const std::string parallel = path_of(job_->currentData().toInt(), "training.parallel").toStdString();
  found_ = {}; // a double click is also an activation
  const std::string file = (document_.folder() + QStringLiteral("/scenario.yaml")).toStdString();
  const auto change = [&](const std::string& text) {
    dropped_.clear();
    return with_layout(text, layout, parallel, file, dropped_);
  };
  if (document_.edit(change, tr("Take a layout")))
    accept();
  else
    reject(); // the window says why
}

} // namespace trainyard::gui
