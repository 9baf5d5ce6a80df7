// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/schema_form.hpp"

#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace trainyard::gui {

SchemaForm::SchemaForm(ScenarioDocument& document, Schema& schema, QWidget* parent)
    : QWidget{parent}, document_{document}, schema_{schema}, title_{new QLabel{this}}, about_{new QLabel{this}}
{
  auto* layout = new QVBoxLayout{this};
  layout->setContentsMargins(6, 6, 6, 6);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  title_->setWordWrap(true);
  about_->setWordWrap(true);
  layout->addWidget(title_);
  layout->addWidget(about_);
  layout->addStretch();
  connect(&document_, &ScenarioDocument::treeChanged, this, &SchemaForm::refresh);
  connect(&schema_, &Schema::ready, this, &SchemaForm::rebuild);
}

void SchemaForm::show(const QString& path, const QString& heading)
{
  if (path == path_ && heading == heading_)
    return;
  path_ = path;
  heading_ = heading;
  rebuild();
}

void SchemaForm::rebuild()
{
  delete body_;
  body_ = nullptr;
  rows_ = nullptr;
  title_->setText(heading_);
  about_->setText(schema_.description(path_));
  about_->setVisible(!about_->text().isEmpty());
  shape_.clear();
  if (path_.isEmpty() && heading_.isEmpty())
    return;
  body_ = new QWidget{this};
  rows_ = new QFormLayout{body_};
  rows_->setContentsMargins(0, 4, 0, 0);
  rows_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  rows_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  QVector<SchemaField> fields = schema_.fields(path_);
  // Given ones first, then required ones, then the rest by name.
  const DocumentNode* here = find_path(document_.tree().root, path_.toStdString());
  const auto given = [&](const SchemaField& field) {
    return here != nullptr && here->find(field.key.toStdString()) != nullptr;
  };
  std::stable_sort(fields.begin(), fields.end(), [&](const SchemaField& a, const SchemaField& b) {
    return std::pair{!given(a), !a.required} < std::pair{!given(b), !b.required};
  });
  for (const SchemaField& field : fields) {
    QWidget* editor = nullptr;
    const QString hint = field.default_text.isEmpty() ? field.example : tr("default: %1").arg(field.default_text);
    if (field.kind == SchemaField::Kind::choice) {
      auto* box = new QComboBox;
      box->addItem(field.default_text.isEmpty() ? QStringLiteral("–") : tr("default: %1").arg(field.default_text),
                   QString{});
      for (int i = 0; i < field.choices.size(); ++i) {
        box->addItem(field.choices[i], field.choices[i]);
        box->setItemData(i + 1, field.choice_descriptions.value(i), Qt::ToolTipRole);
      }
      connect(box, &QComboBox::activated, this, [this, box, key = field.key] {
        set(key, box->currentData().toString().isEmpty()
                     ? QString{}
                     : QString::fromStdString(yaml_scalar(box->currentData().toString().toStdString())));
      });
      box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
      box->setMinimumContentsLength(10);
      editor = box;
    } else if (field.kind == SchemaField::Kind::boolean) {
      auto* box = new QComboBox;
      box->addItem(field.default_text.isEmpty() ? QStringLiteral("–") : tr("default: %1").arg(field.default_text),
                   QString{});
      box->addItem(tr("yes"), QStringLiteral("true"));
      box->addItem(tr("no"), QStringLiteral("false"));
      box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
      box->setMinimumContentsLength(8);
      connect(box, &QComboBox::activated, this,
              [this, box, key = field.key] { set(key, box->currentData().toString()); });
      editor = box;
    } else if (field.kind == SchemaField::Kind::map || field.kind == SchemaField::Kind::list) {
      auto* button = new QPushButton{tr("Open…")};
      connect(button, &QPushButton::clicked, this,
              [this, key = field.key] { emit opened(path_.isEmpty() ? key : path_ + QLatin1Char('.') + key); });
      editor = button;
    } else {
      auto* line = new QLineEdit;
      line->setPlaceholderText(hint);
      // A hint that does not fit next to its label is placed below it.
      line->setMinimumWidth(std::clamp(line->fontMetrics().horizontalAdvance(hint) + 18, 90, 175));
      connect(line, &QLineEdit::editingFinished, this, [this, line, key = field.key] {
        if (!line->isModified())
          return;
        line->setModified(false);
        const QString words = line->text().trimmed();
        set(key, words.isEmpty() ? QString{} : QString::fromStdString(yaml_scalar(words.toStdString())));
      });
      editor = line;
    }
    editor->setObjectName(field.key);
    editor->setToolTip(hint.isEmpty() ? field.description : field.description + QLatin1Char('\n') + hint);
    editor->setAccessibleName(field.key);
    editor->setAccessibleDescription(field.description);
    auto* label = new QLabel{field.required ? field.key + QStringLiteral(" *") : field.key};
    label->setToolTip(field.description);
    label->setBuddy(editor);
    rows_->addRow(label, editor);
    shape_ += field.key + QLatin1Char(' ');
  }
  static_cast<QVBoxLayout*>(layout())->insertWidget(2, body_);
  refresh();
}

void SchemaForm::refresh()
{
  if (rows_ == nullptr)
    return;
  refreshing_ = true;
  const DocumentNode* here = find_path(document_.tree().root, path_.toStdString());
  for (QWidget* editor : body_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
    if (editor->objectName().isEmpty())
      continue;
    const DocumentNode* node = here == nullptr ? nullptr : here->find(editor->objectName().toStdString());
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
  const QString path = path_.isEmpty() ? key : path_ + QLatin1Char('.') + key;
  if (yaml.isEmpty()) {
    if (find_path(document_.tree().root, path.toStdString()) != nullptr)
      document_.remove(path, tr("Remove %1").arg(key));
    return;
  }
  document_.setValue(path, yaml, tr("Set %1").arg(key));
}

} // namespace trainyard::gui
