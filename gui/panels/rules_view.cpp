// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/rules_view.hpp"

#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "gui/panels/faults_view.hpp"
#include "gui/panels/schema_form.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QTreeWidget>
#include <QUndoStack>
#include <QVBoxLayout>

namespace trainyard::gui {

RulesView::RulesView(ScenarioDocument& document, Schema& schema, QWidget* parent)
    : QWidget{parent}, document_{document}, schema_{schema}, sections_{new QListWidget}, pages_{new QTabWidget},
      policies_{new PolicyList{document, schema}}, faults_{new FaultsView{document}},
      form_{new SchemaForm{document, schema}}, choice_{new QLabel}
{
  auto* layout = column_in(this);
  auto* down = new QSplitter{Qt::Vertical};
  layout->addWidget(down);
  pages_->setDocumentMode(true);
  pages_->setAccessibleName(tr("Pages of policies and settings"));
  down->addWidget(pages_);
  down->addWidget(faults_);
  down->setSizes({480, 200});
  auto* split = new QSplitter;
  pages_->addTab(policies_, tr("Policies"));
  pages_->addTab(split, tr("All settings"));
  sections_->setAccessibleName(tr("Sections"));
  sections_->setObjectName(QStringLiteral("sections"));
  split->addWidget(sections_);
  auto* right = new QWidget;
  auto* column = new QVBoxLayout{right};
  column->addWidget(scrolled(form_), 1);
  choice_->setWordWrap(true);
  choice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(choice_);
  split->addWidget(right);
  split->setSizes({200, 700});
  connect(sections_, &QListWidget::currentTextChanged, this, [this](const QString&) {
    if (const QListWidgetItem* item = sections_->currentItem(); item != nullptr)
      open(item->data(Qt::UserRole).toString());
  });
  connect(form_, &SchemaForm::opened, this, &RulesView::describe);
  connect(&schema_, &Schema::ready, this, &RulesView::fill);
  connect(&document_, &ScenarioDocument::treeChanged, this, [this] {
    markGiven();
    describe();
  });
  fill();
}

void RulesView::fill()
{
  const QString kept =
      sections_->currentItem() == nullptr ? QString{} : sections_->currentItem()->data(Qt::UserRole).toString();
  const bool any = sections_->currentItem() != nullptr;
  sections_->clear();
  auto* whole = new QListWidgetItem{tr("Scenario"), sections_};
  whole->setToolTip(tr("name, question, and what counts for the whole file"));
  whole->setData(Qt::UserRole, QString{});
  for (const SchemaField& field : schema_.fields({})) {
    static const QStringList elsewhere{QStringLiteral("trainyard"), QStringLiteral("name"),
                                       QStringLiteral("question"),  QStringLiteral("answer"),
                                       QStringLiteral("cluster"),   QStringLiteral("jobs")};
    if (elsewhere.contains(field.key) || (field.kind != SchemaField::Kind::map &&
                                          field.kind != SchemaField::Kind::list && schema_.fields(field.key).isEmpty()))
      continue;
    auto* item = new QListWidgetItem{key_words(field.key), sections_};
    item->setToolTip(field.description);
    item->setData(Qt::UserRole, field.key);
    if (any && field.key == kept)
      sections_->setCurrentItem(item);
  }
  if (sections_->currentRow() < 0)
    sections_->setCurrentRow(0);
  markGiven();
}

void RulesView::markGiven()
{
  // What the file has stands out from what it could have.
  for (int i = 1; i < sections_->count(); ++i) {
    QListWidgetItem* item = sections_->item(i);
    QFont font = sections_->font();
    font.setBold(document_.tree().root.find(item->data(Qt::UserRole).toString().toStdString()) != nullptr);
    item->setFont(font);
  }
}

void RulesView::open(const QString& path)
{
  form_->show(path, path.isEmpty() ? tr("Scenario") : key_words(path.section(QLatin1Char('.'), -1)));
  describe();
}

void RulesView::describe()
{
  if (form_->path().isEmpty())
    return choice_->hide();
  // One sentence and the source of what is chosen now.
  QStringList words;
  for (const SchemaField& field : schema_.fields(form_->path())) {
    const QString value = document_.value(form_->path() + QLatin1Char('.') + field.key);
    const int at = static_cast<int>(field.choices.indexOf(value));
    if (!value.isEmpty() && at >= 0 && !field.choice_descriptions.value(at).isEmpty())
      words << QStringLiteral("%1: %2").arg(value, field.choice_descriptions[at]);
  }
  choice_->setText(words.join(QLatin1Char('\n')));
  choice_->setVisible(!words.isEmpty());
}

namespace {

/// The alternative of a schema that lists described names; null where there is none.
QJsonObject described(const QJsonObject& schema)
{
  QVector<QJsonObject> options{schema};
  for (const char* key : {"anyOf", "oneOf"})
    for (const QJsonValue& value : schema.value(QLatin1String(key)).toArray())
      options.push_back(value.toObject());
  for (const QJsonObject& option : options)
    if (!option.value(QLatin1String("enumDescriptions")).toArray().isEmpty())
      return option;
  return {};
}

PolicyChoice choice_of(const QString& path, const QJsonObject& option)
{
  PolicyChoice choice;
  choice.path = path;
  choice.description = setting_words(option.value(QLatin1String("description")).toString());
  for (const QJsonValue& name : option.value(QLatin1String("enum")).toArray())
    choice.names << name.toString();
  for (const QJsonValue& sentence : option.value(QLatin1String("enumDescriptions")).toArray())
    choice.sentences << setting_words(sentence.toString());
  return choice;
}

/// "fifo" of `fifo` and of `{name: fifo, skip: true}`.
QString name_of(const DocumentNode& node)
{
  if (node.kind == DocumentNode::Kind::map) {
    const DocumentNode* name = node.find("name");
    return name == nullptr ? QString{} : QString::fromStdString(name->text);
  }
  return QString::fromStdString(node.text);
}

} // namespace

QVector<PolicyChoice> policy_choices(const Schema& schema)
{
  QVector<PolicyChoice> choices;
  const QJsonObject sections = schema.at({}).value(QLatin1String("properties")).toObject();
  for (auto section = sections.begin(); section != sections.end(); ++section) {
    if (section.key() == QLatin1String("cluster") || section.key() == QLatin1String("jobs"))
      continue; // have pages of their own
    const QJsonObject whole = schema.at(section.key());
    if (const QJsonObject option = described(whole); !option.isEmpty())
      choices.push_back(choice_of(section.key(), option));
    QVector<QJsonObject> maps{whole};
    for (const QJsonValue& value : whole.value(QLatin1String("anyOf")).toArray())
      maps.push_back(value.toObject());
    for (const QJsonObject& map : maps) {
      const QJsonObject keys = map.value(QLatin1String("properties")).toObject();
      for (auto key = keys.begin(); key != keys.end(); ++key) {
        const QJsonObject option = described(key.value().toObject());
        if (option.isEmpty())
          continue;
        PolicyChoice choice = choice_of(section.key() + QLatin1Char('.') + key.key(), option);
        for (auto other = keys.begin(); other != keys.end(); ++other) {
          const QJsonObject items = other.value().toObject().value(QLatin1String("items")).toObject();
          if (!items.isEmpty() && other.key() != key.key() &&
              described(items).value(QLatin1String("enum")) == option.value(QLatin1String("enum")))
            choice.list_path = section.key() + QLatin1Char('.') + other.key();
        }
        choices.push_back(choice);
      }
    }
  }
  return choices;
}

PolicyList::PolicyList(ScenarioDocument& document, Schema& schema, QWidget* parent)
    : QWidget{parent}, document_{document}, schema_{schema}, kind_{new QComboBox}, list_{new QTreeWidget}
{
  auto* layout = column_in(this, 6);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel{tr("Choose")};
  title->setBuddy(kind_);
  kind_->setAccessibleName(tr("Type of policy"));
  narrow(*kind_, 20);
  head->addWidget(title);
  head->addWidget(kind_, 1);
  layout->addLayout(head);
  list_->setRootIsDecorated(false);
  list_->setAlternatingRowColors(true);
  list_->setColumnCount(3);
  list_->setHeaderLabels({tr("Policy"), tr("Compare"), tr("What it does, and its source")});
  list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  list_->header()->setStretchLastSection(true);
  list_->setAccessibleName(tr("Policies"));
  list_->setItemDelegate(new WrapDelegate{*list_});
  layout->addWidget(list_, 1);
  connect(kind_, &QComboBox::currentIndexChanged, this, [this] {
    if (!filling_)
      fill();
  });
  connect(list_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) { use(item->text(0)); });
  connect(list_, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int column) {
    if (!filling_ && column == 1)
      setCompared(item->text(0), item->checkState(1) == Qt::Checked);
  });
  connect(&schema_, &Schema::ready, this, &PolicyList::fillKinds);
  connect(&document_, &ScenarioDocument::treeChanged, this, &PolicyList::refresh);
  fillKinds();
}

int PolicyList::kinds() const
{
  return static_cast<int>(choices_.size());
}

void PolicyList::show(const QString& path)
{
  for (int i = 0; i < choices_.size(); ++i)
    if (choices_[i].path == path)
      kind_->setCurrentIndex(i);
}

void PolicyList::fillKinds()
{
  const int kept = kind_->currentIndex();
  filling_ = true;
  choices_ = policy_choices(schema_);
  kind_->clear();
  for (const PolicyChoice& choice : std::as_const(choices_))
    kind_->addItem(QStringLiteral("%1: %2").arg(choice.path, choice.description));
  int first = 0;
  for (int i = 0; i < choices_.size(); ++i)
    if (choices_[i].path == QLatin1String("scheduling.policy"))
      first = i;
  kind_->setCurrentIndex(kept >= 0 && kept < choices_.size() ? kept : first);
  filling_ = false;
  fill();
}

void PolicyList::fill()
{
  filling_ = true;
  list_->clear();
  const int at = kind_->currentIndex();
  if (at >= 0 && at < choices_.size()) {
    const PolicyChoice& choice = choices_[at];
    for (int i = 0; i < choice.names.size(); ++i) {
      auto* item = new QTreeWidgetItem{list_, {choice.names[i], {}, choice.sentences.value(i)}};
      item->setToolTip(2, choice.sentences.value(i));
      if (!choice.list_path.isEmpty())
        item->setCheckState(1, Qt::Unchecked);
    }
    list_->setColumnHidden(1, choice.list_path.isEmpty());
  }
  filling_ = false;
  refresh();
}

void PolicyList::refresh()
{
  const int at = kind_->currentIndex();
  if (at < 0 || at >= choices_.size())
    return;
  const PolicyChoice& choice = choices_[at];
  filling_ = true;
  const DocumentNode* one = find_path(document_.tree().root, choice.path.toStdString());
  const QString used = one == nullptr ? QString{} : name_of(*one);
  QStringList compared;
  if (!choice.list_path.isEmpty())
    if (const DocumentNode* list = find_path(document_.tree().root, choice.list_path.toStdString()); list != nullptr)
      for (const DocumentNode& item : list->items)
        compared << name_of(item);
  for (int i = 0; i < list_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = list_->topLevelItem(i);
    QFont font = list_->font();
    font.setBold(item->text(0) == used || compared.contains(item->text(0)));
    item->setFont(0, font);
    if (!choice.list_path.isEmpty())
      item->setCheckState(1, compared.contains(item->text(0)) ? Qt::Checked : Qt::Unchecked);
  }
  filling_ = false;
}

void PolicyList::use(const QString& name)
{
  document_.settle();
  const int at = kind_->currentIndex();
  if (at < 0)
    return;
  const PolicyChoice choice = choices_[at];
  document_.undoStack()->beginMacro(tr("Use %1").arg(name));
  if (!choice.list_path.isEmpty() && find_path(document_.tree().root, choice.list_path.toStdString()) != nullptr)
    document_.remove(choice.list_path, tr("Use %1").arg(name)); // one or several, not both
  document_.setValue(choice.path, QString::fromStdString(yaml_scalar(name.toStdString())), tr("Use %1").arg(name));
  document_.undoStack()->endMacro();
}

void PolicyList::setCompared(const QString& name, bool on)
{
  document_.settle();
  const int at = kind_->currentIndex();
  if (at < 0 || choices_[at].list_path.isEmpty())
    return;
  const PolicyChoice choice = choices_[at];
  const DocumentNode* list = find_path(document_.tree().root, choice.list_path.toStdString());
  if (!on) {
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i)
      if (name_of(list->items[i]) == name) {
        document_.remove(QStringLiteral("%1.%2").arg(choice.list_path).arg(i), tr("Do not compare %1").arg(name));
        return;
      }
    return;
  }
  document_.undoStack()->beginMacro(tr("Compare %1").arg(name));
  if (const DocumentNode* one = find_path(document_.tree().root, choice.path.toStdString()); one != nullptr) {
    const QString single = QString::fromStdString(to_flow_yaml(*one));
    const bool same = name_of(*one) == name;
    document_.remove(choice.path, tr("Compare %1").arg(name)); // the node is gone now
    if (!same)
      document_.appendItem(choice.list_path, single, tr("Compare %1").arg(name));
  }
  document_.appendItem(choice.list_path, QString::fromStdString(yaml_scalar(name.toStdString())),
                       tr("Compare %1").arg(name));
  document_.undoStack()->endMacro();
}

} // namespace trainyard::gui
