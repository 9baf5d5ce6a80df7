// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/schema_form.hpp"

#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <QCheckBox>
#include <algorithm>
#include <utility>

namespace trainyard::gui {

namespace {

QString joined(const QString& path, const QString& key)
{
  return path.isEmpty() ? key : path + QLatin1Char('.') + key;
}

/// Whether a map is written as its name alone, "orchestrator: kubernetes".
bool is_name(const DocumentNode* node)
{
  return node != nullptr && node->kind == DocumentNode::Kind::scalar && !node->text.empty();
}

/// The item of a list by its number, or the entry of a map.
const DocumentNode* member_of(const DocumentNode* node, const QString& key)
{
  if (is_name(node))
    return key == QLatin1String("name") ? node : nullptr;
  if (node == nullptr || node->kind != DocumentNode::Kind::list)
    return node == nullptr ? nullptr : node->find(key.toStdString());
  const auto at = static_cast<std::size_t>(key.toInt());
  return at < node->items.size() ? &node->items[at] : nullptr;
}

/// What a new item of a list, or a new entry of a map, is before it is filled in.
QString first_value(const SchemaField& field)
{
  switch (field.kind) {
  case SchemaField::Kind::map:
    return QStringLiteral("{}");
  case SchemaField::Kind::list:
    return QStringLiteral("[]");
  case SchemaField::Kind::choice:
    return QString::fromStdString(yaml_scalar(field.choices.front().toStdString()));
  case SchemaField::Kind::boolean:
    return QStringLiteral("true");
  case SchemaField::Kind::integer:
  case SchemaField::Kind::number:
    return QString::number(std::max(field.minimum, 1.0));
  case SchemaField::Kind::text:
  case SchemaField::Kind::quantity:
    break;
  }
  return field.example.isEmpty() ? QStringLiteral("new")
                                 : QString::fromStdString(yaml_scalar(field.example.toStdString()));
}

QFormLayout* form_in(QWidget& widget)
{
  auto* rows = new QFormLayout{&widget};
  rows->setContentsMargins(0, 4, 0, 0);
  rows->setRowWrapPolicy(QFormLayout::WrapLongRows);
  rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  return rows;
}

} // namespace

SchemaForm::SchemaForm(ScenarioDocument& document, Schema& schema, QWidget* parent)
    : QWidget{parent}, document_{document}, schema_{schema}, up_{new QPushButton{tr("Up")}}, title_{new QLabel},
      about_{new QLabel}
{
  auto* layout = column_in(this, 6);
  title_->setFont(bold(title_->font()));
  title_->setWordWrap(true);
  about_->setWordWrap(true);
  auto* head = new QHBoxLayout;
  head->addWidget(up_);
  head->addWidget(title_, 1);
  layout->addLayout(head);
  layout->addWidget(about_);
  layout->addStretch();
  up_->setObjectName(QStringLiteral("up"));
  up_->setAccessibleDescription(tr("Back to the form that this one was opened from"));
  up_->hide();
  connect(up_, &QPushButton::clicked, this, [this] { enter(path_.section(QLatin1Char('.'), 0, -2)); });
  connect(&document_, &ScenarioDocument::treeChanged, this, &SchemaForm::refresh);
  connect(&document_, &ScenarioDocument::refused, this, &SchemaForm::refresh, Qt::QueuedConnection); // back to the text
  connect(&document_, &ScenarioDocument::opened, this, [this] { // another text: what was open inside may not be there
    path_ = base_;
    rebuild();
    chosen_ = QStringList{QString{}}; // and once more when it has been read
  });
  connect(&schema_, &Schema::ready, this, &SchemaForm::rebuild);
}

void SchemaForm::show(const QString& path, const QString& heading)
{
  if (path == base_ && heading == heading_)
    return;
  heading_ = heading;
  if (path == base_ && path == path_ && !path.isEmpty())
    return title_->setText(heading); // the same place under another name: a machine became one of a folded group
  base_ = path;
  path_ = path;
  rebuild();
}

void SchemaForm::enter(const QString& path)
{
  if (target_ != nullptr)
    return target_->show(path, key_words(path.section(QLatin1Char('.'), -1)));
  path_ = path;
  rebuild();
  emit opened(path_);
}

const DocumentNode* SchemaForm::here() const
{
  const DocumentNode& root = document_.tree().root;
  return path_.isEmpty() ? &root : find_path(root, path_.toStdString());
}

QVector<SchemaField> SchemaForm::fieldsHere() const
{
  QVector<SchemaField> fields = schema_.fields(path_);
  if (path_.isEmpty()) // of the whole file what is no section of its own
    fields.removeIf([&](const SchemaField& field) {
      return field.key == QLatin1String("trainyard") || field.kind == SchemaField::Kind::map ||
             field.kind == SchemaField::Kind::list || !schema_.fields(field.key).isEmpty();
    });
  return fields;
}

QStringList SchemaForm::freeKeys() const
{
  QStringList keys;
  if (path_.isEmpty())
    return keys;
  const DocumentNode* here = this->here();
  if (here == nullptr)
    return keys;
  for (std::size_t i = 0; i < here->items.size(); ++i)
    keys << QString::number(i);
  for (const DocumentNode::Entry& entry : here->entries)
    if (const QString key = QString::fromStdString(entry.key); !declared_.contains(key) && schema_.member(path_, key))
      keys << key;
  return keys;
}

void SchemaForm::rebuild()
{
  if (body_ != nullptr) { // one of its buttons may be what asked for this
    body_->hide();
    body_->deleteLater();
  }
  body_ = nullptr;
  rows_ = nullptr;
  more_ = nullptr;
  up_->setVisible(path_ != base_);
  QString heading = heading_;
  for (const QString& key : path_.mid(base_.size()).split(QLatin1Char('.'), Qt::SkipEmptyParts))
    heading += QStringLiteral(" › ") + (key[0].isDigit() ? QString::number(key.toInt() + 1) : key_words(key));
  title_->setText(heading);
  const bool nothing = path_.isEmpty() && heading_.isEmpty();
  about_->setText(nothing ? QString{} : schema_.description(path_));
  about_->setVisible(!about_->text().isEmpty());
  declared_.clear();
  unseen_.clear();
  free_.clear();
  if (nothing)
    return;
  body_ = new QWidget{this};
  rows_ = form_in(*body_);
  QVector<SchemaField> fields = fieldsHere();
  chosen_ = chosenParts(fields);
  // Given ones first, then required ones, then the rest in the order of the schema.
  const DocumentNode* here = this->here();
  const auto given = [&](const SchemaField& field) { return member_of(here, field.key) != nullptr; };
  std::stable_sort(fields.begin(), fields.end(), [&](const SchemaField& a, const SchemaField& b) {
    return std::pair{!given(a), !a.required} < std::pair{!given(b), !b.required};
  });
  QVector<SchemaField> rest;
  for (const SchemaField& field : std::as_const(fields)) {
    declared_ << field.key;
    const Place place = placeOf(field, fields);
    if (place == Place::first)
      addRow(*rows_, field, key_words(field.key) + (field.required ? QStringLiteral(" *") : QString{}));
    else
      unseen_ << field.key;
    if (place == Place::more)
      rest.push_back(field);
  }
  free_ = freeKeys();
  for (const QString& key : std::as_const(free_))
    if (const std::optional<SchemaField> field = schema_.member(path_, key)) {
      const DocumentNode* name = here->items.empty() ? nullptr : member_of(here, key)->find("name");
      addRow(*rows_, *field,
             name != nullptr       ? QString::fromStdString(name->text)
             : here->items.empty() ? key
                                   : QStringLiteral("%1.").arg(key.toInt() + 1));
    }
  addAdder();
  addMore(rest);
  static_cast<QVBoxLayout*>(layout())->insertWidget(2, body_);
  refresh();
}

QStringList SchemaForm::chosenParts(const QVector<SchemaField>& fields) const
{
  const DocumentNode* here = this->here();
  QStringList chosen;
  for (const SchemaField& field : fields)
    if (field.kind == SchemaField::Kind::choice) {
      const DocumentNode* node = member_of(here, field.key);
      const QString value = node != nullptr ? QString::fromStdString(node->text) : field.default_text;
      if (field.choices.contains(value))
        chosen << value;
    }
  return chosen;
}

SchemaForm::Place SchemaForm::placeOf(const SchemaField& field, const QVector<SchemaField>& fields) const
{
  constexpr int all_in_sight = 8; // a form of so few keys hides none
  const auto any_of = [](const QStringList& a, const QStringList& b) {
    return std::any_of(a.begin(), a.end(), [&](const QString& each) { return b.contains(each); });
  };
  const bool given = member_of(here(), field.key) != nullptr || field.required;
  if (given)
    return Place::first;
  const bool decides = std::any_of(fields.begin(), fields.end(),
                                   [&](const SchemaField& other) { return any_of(field.choices, other.of); });
  if (any_of(field.of, chosen_)) { // of many settings those that decide about others are in sight
    const auto many = std::count_if(fields.begin(), fields.end(),
                                    [&](const SchemaField& other) { return any_of(other.of, chosen_); });
    return decides || field.asked || many <= all_in_sight ? Place::first : Place::more;
  }
  if (!field.of.isEmpty()) // of something else; below "more" where the choice itself is not known
    return std::any_of(fields.begin(), fields.end(),
                       [&](const SchemaField& other) {
                         return any_of(field.of, other.choices) && any_of(other.choices, chosen_);
                       })
               ? Place::none
               : Place::more;
  return decides || fields.size() <= all_in_sight ? Place::first : Place::more;
}

void SchemaForm::addMore(const QVector<SchemaField>& fields)
{
  if (rows_->rowCount() == 0) { // nothing hides what is all there is
    for (const SchemaField& field : fields) {
      addRow(*rows_, field, key_words(field.key));
      unseen_.removeAll(field.key);
    }
    return;
  }
  if (fields.isEmpty())
    return;
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("more"));
  button->setAutoRaise(true);
  button->setCheckable(true);
  button->setChecked(more_open_);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setText(tr("More… (%1)").arg(fields.size()));
  button->setArrowType(more_open_ ? Qt::DownArrow : Qt::RightArrow);
  button->setToolTip(tr("Settings that are seldom set; without them the defaults count"));
  rows_->addRow(button);
  more_ = new QWidget;
  QFormLayout* rows = form_in(*more_);
  for (const SchemaField& field : fields)
    addRow(*rows, field, key_words(field.key));
  more_->setVisible(more_open_);
  rows_->addRow(more_);
  connect(button, &QToolButton::toggled, this, [this, button](bool on) {
    more_open_ = on;
    button->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    more_->setVisible(on);
  });
}

void SchemaForm::addAdder()
{
  // A list takes a further item, a map whose keys may have any name a further entry.
  const bool list = schema_.at(path_).value(QLatin1String("type")).toString() == QLatin1String("array");
  QString key = list ? QStringLiteral("0") : QStringLiteral("new");
  for (int i = 2; !list && (free_.contains(key) || declared_.contains(key)); ++i)
    key = QStringLiteral("new%1").arg(i);
  const std::optional<SchemaField> field = schema_.member(path_, key);
  if (!field)
    return;
  auto* add = new QPushButton{tr("Add an item")};
  connect(add, &QPushButton::clicked, this, [this, list, field = *field] {
    const QString entry = joined(path_, list ? QString::number(free_.size()) : field.key);
    const bool added = list ? document_.appendItem(path_, first_value(field), tr("Add an item"))
                            : document_.setValue(entry, first_value(field), tr("Add an item"));
    if (added && (field.kind == SchemaField::Kind::map || field.kind == SchemaField::Kind::list))
      enter(entry);
  });
  rows_->addRow(add);
}

QComboBox* SchemaForm::choiceBox(const SchemaField& field, int letters)
{
  auto* box = new QComboBox;
  box->addItem(field.default_text.isEmpty() ? QStringLiteral("–") : tr("default: %1").arg(field.default_text),
               QString{});
  narrow(*box, letters);
  return box;
}

QWidget* SchemaForm::editorOf(const SchemaField& field, const QString& hint)
{
  const QString& key = field.key;
  if (field.kind == SchemaField::Kind::choice) {
    QComboBox* box = choiceBox(field, 10);
    for (int i = 0; i < field.choices.size(); ++i) {
      box->addItem(field.choices[i], field.choices[i]);
      box->setItemData(i + 1, field.choice_descriptions.value(i), Qt::ToolTipRole);
    }
    connect(box, &QComboBox::currentIndexChanged, this, [this, box, key] {
      set(key, box->currentData().toString().isEmpty()
                   ? QString{}
                   : QString::fromStdString(yaml_scalar(box->currentData().toString().toStdString())));
    });
    return box;
  }
  if (field.kind == SchemaField::Kind::boolean) {
    QComboBox* box = choiceBox(field, 8);
    box->addItem(tr("yes"), QStringLiteral("true"));
    box->addItem(tr("no"), QStringLiteral("false"));
    connect(box, &QComboBox::currentIndexChanged, this, [this, box, key] { set(key, box->currentData().toString()); });
    return box;
  }
  if (field.kind == SchemaField::Kind::map || field.kind == SchemaField::Kind::list) {
    auto* button = new QPushButton{tr("Open…")};
    connect(button, &QPushButton::clicked, this, [this, key] { enter(joined(path_, key)); });
    return button;
  }
  auto* line = new QLineEdit;
  line->setPlaceholderText(hint);
  // A hint that does not fit next to its label is placed below it.
  line->setMinimumWidth(std::clamp(line->fontMetrics().horizontalAdvance(hint) + 18, 90, 175));
  connect(line, &QLineEdit::editingFinished, this, [this, line, key] {
    if (!line->isModified())
      return;
    line->setModified(false);
    const QString words = line->text().trimmed();
    set(key, words.isEmpty() ? QString{} : QString::fromStdString(yaml_scalar(words.toStdString())));
  });
  return line;
}

void SchemaForm::addRow(QFormLayout& rows, const SchemaField& field, const QString& name)
{
  const QString hint = field.default_text.isEmpty() ? field.example : tr("default: %1").arg(field.default_text);
  QWidget* editor = editorOf(field, hint);
  editor->setObjectName(field.key);
  const QString about = QStringLiteral("%1: %2").arg(field.key, field.description);
  editor->setToolTip(hint.isEmpty() ? about : about + QLatin1Char('\n') + hint);
  editor->setAccessibleName(name);
  editor->setAccessibleDescription(field.description);
  auto* label = new QLabel{name};
  label->setToolTip(about);
  label->setBuddy(editor);
  rows.addRow(label, editor);
}

void SchemaForm::refresh()
{
  if (rows_ == nullptr)
    return;
  const DocumentNode* here = this->here();
  if (here == nullptr && path_ != base_ && path_.back().isDigit()) // the item was taken out, by undo for example
    return enter(path_.section(QLatin1Char('.'), 0, -2));
  const bool unseen = std::any_of(unseen_.begin(), unseen_.end(), [&](const QString& key) {
    const bool row = more_open_ && more_ != nullptr && more_->findChild<QWidget*>(key) != nullptr;
    return member_of(here, key) != nullptr && !row; // somebody gave it a value elsewhere
  });
  if (unseen || freeKeys() != free_ || chosenParts(fieldsHere()) != chosen_)
    return rebuild();
  refreshing_ = true;
  QList<QWidget*> editors = body_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  if (more_ != nullptr)
    editors += more_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  for (QWidget* editor : std::as_const(editors)) {
    if (editor->objectName().isEmpty())
      continue;
    const DocumentNode* node = member_of(here, editor->objectName());
    const QString value = node == nullptr ? QString{} : QString::fromStdString(node->text);
    if (auto* box = qobject_cast<QComboBox*>(editor)) {
      int at = box->findData(value);
      if (at < 0 && !value.isEmpty()) {
        box->addItem(value, value);
        at = box->count() - 1;
      }
      box->setCurrentIndex(std::max(0, at));
    } else if (auto* line = qobject_cast<QLineEdit*>(editor); line != nullptr && !line->hasFocus()) {
      line->setText(value);
      line->setCursorPosition(0); // the begin of what does not fit
      line->setModified(false);
    } else if (auto* button = qobject_cast<QPushButton*>(editor)) {
      const std::size_t count = node == nullptr ? 0 : node->items.size() + node->entries.size();
      button->setText(node == nullptr ? tr("Add…") : tr("Open (%n)…", nullptr, static_cast<int>(count)));
    }
  }
  refreshing_ = false;
}

void SchemaForm::set(const QString& key, const QString& yaml)
{
  if (refreshing_)
    return;
  const QString path = joined(path_, key);
  if (yaml.isEmpty()) {
    if (find_path(document_.tree().root, path.toStdString()) != nullptr)
      document_.remove(path, tr("Remove %1").arg(key));
    return;
  }
  if (const DocumentNode* name = here(); is_name(name) && declared_.contains(QStringLiteral("name"))) {
    const QString map =
        QStringLiteral("{name: %1, %2: %3}").arg(QString::fromStdString(yaml_scalar(name->text)), key, yaml);
    document_.setValue(path_, key == QLatin1String("name") ? yaml : map, tr("Set %1").arg(key));
    return;
  }
  document_.setValue(path, yaml, tr("Set %1").arg(key));
}

} // namespace trainyard::gui
