// SPDX-License-Identifier: Apache-2.0
#include "gui/core/info_bar.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace trainyard::gui {

InfoBar::InfoBar(QWidget* parent) : QWidget{parent}, text_{new QLabel}, row_{new QHBoxLayout{this}}
{
  row_->setContentsMargins(10, 4, 6, 4);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  row_->addWidget(text_, 1);
  auto* close = new QToolButton;
  close->setText(QStringLiteral("×"));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Close this message"));
  row_->addWidget(close);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::ToolTipBase);
  text_->setForegroundRole(QPalette::ToolTipText);
  setAccessibleName(tr("Message"));
  hide();
}

void InfoBar::tell(const QString& message, const QVector<QPair<QString, std::function<void()>>>& answers, About about)
{
  about_ = about;
  for (QWidget* button : std::as_const(buttons_))
    button->deleteLater();
  buttons_.clear();
  text_->setText(message);
  for (const auto& [name, act] : answers) {
    auto* button = new QPushButton{name};
    connect(button, &QPushButton::clicked, this, [this, act = act] {
      hide();
      act();
    });
    row_->insertWidget(1 + static_cast<int>(buttons_.size()), button);
    buttons_.push_back(button);
  }
  show();
}

void InfoBar::retell(const QString& message, About about)
{
  if (about_ == about)
    text_->setText(message);
}

void InfoBar::forget(About about)
{
  if (about_ == about)
    hide();
}

QString InfoBar::message() const
{
  return isVisibleTo(parentWidget()) ? text_->text() : QString{};
}

} // namespace trainyard::gui
