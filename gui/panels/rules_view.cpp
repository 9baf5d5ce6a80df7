// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/rules_view.hpp"

#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "gui/panels/faults_view.hpp"
#include "gui/panels/policy_list.hpp"
#include "gui/panels/schema_form.hpp"

#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
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

} // namespace trainyard::gui
