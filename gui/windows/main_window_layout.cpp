// SPDX-License-Identifier: Apache-2.0
// Which panels are shown with which page, their sizes, and the buttons in the status bar that open the bottom panels.
#include "gui/core/theme.hpp"
#include "gui/windows/main_window.hpp"

#include <QDockWidget>
#include <QHBoxLayout>
#include <QHash>
#include <QProgressBar>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolButton>

#include <QTabWidget>
#include <algorithm>
#include <utility>

namespace trainyard::gui {
namespace {

/// Only one of them is open at a time, so that none needs a row of tabs and the page keeps the height.
const QStringList& bottom_docks()
{
  static const QStringList names{QStringLiteral("problems"), QStringLiteral("runs"), QStringLiteral("what_if"),
                                 QStringLiteral("explanation"), QStringLiteral("inspector")};
  return names;
}

/// Of the window's height, where the user has not chosen another.
int usual_height(const QString& name, int window_height)
{
  static const QHash<QString, double> shares{{QStringLiteral("problems"), 0.16},
                                             {QStringLiteral("runs"), 0.22},
                                             {QStringLiteral("what_if"), 0.46},
                                             {QStringLiteral("explanation"), 0.38},
                                             {QStringLiteral("inspector"), 0.5}};
  return std::max(90, static_cast<int>(window_height * shares.value(name, 0.3)));
}

} // namespace

MainWindow::Arrangement MainWindow::arrangementOf(int page)
{
  return page == cluster_page                          ? Arrangement::design
         : page == workload_page || page == rules_page ? Arrangement::forms
                                                       : Arrangement::reading;
}

QStringList MainWindow::usualDocks(Arrangement which)
{
  switch (which) {
  case Arrangement::design:
    return {QStringLiteral("text"), QStringLiteral("properties"), QStringLiteral("palette"), QStringLiteral("outline")};
  case Arrangement::forms:
    return {QStringLiteral("text")};
  case Arrangement::none:
  case Arrangement::welcome: // nothing is open, so there is nothing for the panels to show
  case Arrangement::reading: // charts and tables want the whole width
    break;
  }
  return {};
}

QStringList MainWindow::openDocks() const
{
  QStringList names;
  for (const QDockWidget* each : findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly))
    if (!each->isHidden())
      names << each->objectName();
  return names;
}

void MainWindow::arrange(Arrangement which)
{
  if (which == arrangement_)
    return;
  if (arrangement_ != Arrangement::none)
    arranged_[static_cast<int>(arrangement_)] = openDocks();
  const bool whole = std::none_of(bottom_docks().begin(), bottom_docks().end(),
                                  [&](const QString& name) { return dock(name)->isVisible(); });
  if (arrangement_ == Arrangement::design && column_split_ && whole)
    heights_[QStringLiteral("column")] =
        100 * dock(QStringLiteral("properties"))->height() /
        std::max(1, dock(QStringLiteral("properties"))->height() + dock(QStringLiteral("palette"))->height());
  column_split_ = false;
  arrangement_ = which;
  const QStringList wanted = arranged_.value(static_cast<int>(which), usualDocks(which));
  // Of the two that share a place the one shown last would be on top.
  if (dock(QStringLiteral("outline"))->isVisible() || dock(QStringLiteral("palette"))->isVisible())
    outline_on_top_ = !dock(QStringLiteral("outline"))->visibleRegion().isEmpty();
  for (QDockWidget* each : findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly))
    if (each->isHidden() == wanted.contains(each->objectName()))
      each->setVisible(each->isHidden());
  if (outline_on_top_)
    dock(*outline_on_top_ ? QStringLiteral("outline") : QStringLiteral("palette"))->raise();
  sizeDocks();
  for (const QString& name : wanted)
    if (bottom_docks().contains(name))
      resizeDocks({dock(name)}, {heights_.value(name, usual_height(name, height()))}, Qt::Vertical);
}

void MainWindow::sizeDocks()
{
  // Widths count only once the window and the panels are there; from then on they are the user's.
  if (!isVisible() || arrangement_ == Arrangement::welcome || arrangement_ == Arrangement::reading)
    return;
  const bool narrow = width() < 1100; // the page in the middle keeps half of it
  if (!sized_)
    resizeDocks({dock(QStringLiteral("text"))}, {std::clamp(width() * (narrow ? 26 : 30) / 100, 210, 620)},
                Qt::Horizontal);
  if (arrangement_ != Arrangement::design)
    return;
  if (!sized_) {
    resizeDocks({dock(QStringLiteral("properties"))}, {std::clamp(width() * (narrow ? 21 : 23) / 100, 200, 380)},
                Qt::Horizontal);
    dock(QStringLiteral("palette"))->raise();
  }
  sized_ = true;
  QTimer::singleShot(0, this, &MainWindow::splitColumn);
}

void MainWindow::splitColumn()
{
  // Shown again, or after a panel below was open, the panels above each other would have their least heights.
  if (arrangement_ != Arrangement::design)
    return;
  QDockWidget* upper = dock(QStringLiteral("properties"));
  QDockWidget* lower = dock(QStringLiteral("palette"));
  const int whole = upper->height() + lower->height();
  const int share = std::clamp(heights_.value(QStringLiteral("column"), 62), 15, 85); // percent
  resizeDocks({upper, lower}, {whole * share / 100, whole * (100 - share) / 100}, Qt::Vertical);
  column_split_ = true;
}

void MainWindow::openDock(const QString& name)
{
  QDockWidget* wanted = dock(name);
  if (wanted == nullptr)
    return;
  const bool bottom = bottom_docks().contains(name) && !wanted->isFloating();
  if (bottom)
    for (const QString& other : bottom_docks())
      if (QDockWidget* each = dock(other); other != name && !each->isHidden() && !each->isFloating()) {
        heights_[other] = each->height();
        each->hide();
      }
  const bool closed = wanted->isHidden();
  wanted->show();
  if (closed && bottom)
    resizeDocks({wanted}, {heights_.value(name, usual_height(name, height()))}, Qt::Vertical);
  wanted->raise();
}

void MainWindow::makeBottomBar()
{
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout{bar};
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  for (const QString& name : bottom_docks()) {
    QDockWidget* panel = dock(name);
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("open_") + name);
    button->setAutoRaise(true);
    button->setCheckable(true);
    button->setText(panel->windowTitle());
    button->setAccessibleName(panel->windowTitle());
    button->setToolTip(
        tr("Open or close the panel %1 (%2)")
            .arg(panel->windowTitle(), panel->toggleViewAction()->shortcut().toString(QKeySequence::NativeText)));
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, [this, name](bool on) {
      if (on)
        openDock(name);
      else
        dock(name)->hide();
    });
    connect(panel->toggleViewAction(), &QAction::toggled, button, &QToolButton::setChecked);
    connect(panel, &QDockWidget::visibilityChanged, this,
            [this] { QTimer::singleShot(0, this, &MainWindow::splitColumn); });
    connect(panel->toggleViewAction(), &QAction::triggered, this, [this, name](bool on) {
      if (on) {
        dock(name)->hide(); // so that it opens with its height, in place of another one
        openDock(name);
      }
    });
    row->addWidget(button);
    if (name == QLatin1String("problems")) {
      state_ = button;
      button->setMinimumWidth(fontMetrics().horizontalAdvance(QLatin1Char('0')) * 18); // its text changes
    }
  }
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(bar);
  statusBar()->setSizeGripEnabled(false);
}

void MainWindow::focusNextPart()
{
  // The page and the open panels in turn, also out of the text, where the Tab key indents.
  QVector<QWidget*> parts{pages_->currentIndex() == 0 ? pages_->currentWidget() : tabs_->currentWidget()};
  for (QDockWidget* each : findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly))
    if (each->isVisible() && !each->visibleRegion().isEmpty())
      parts.push_back(each->widget());
  int at = -1;
  for (int i = 0; i < parts.size(); ++i)
    if (const QWidget* focus = focusWidget(); focus != nullptr && (focus == parts[i] || parts[i]->isAncestorOf(focus)))
      at = i;
  for (int i = 1; i <= parts.size(); ++i) {
    QWidget* part = parts[(at + i) % parts.size()];
    QVector<QWidget*> inside{part};
    for (QWidget* child : part->findChildren<QWidget*>())
      inside.push_back(child);
    for (QWidget* each : std::as_const(inside))
      if (each->isVisible() && each->isEnabled() && (each->focusPolicy() & Qt::TabFocus) != 0 &&
          qobject_cast<QTabBar*>(each) == nullptr && qobject_cast<QScrollArea*>(each) == nullptr)
        return each->setFocus(Qt::ShortcutFocusReason);
  }
}

void MainWindow::keepLayout()
{
  arranged_[static_cast<int>(arrangement_)] = openDocks();
  session_.settings.setValue(QStringLiteral("size"), size());
  session_.settings.setValue(QStringLiteral("docks"), saveState());
  session_.settings.setValue(QStringLiteral("docks_sized"), sized_);
  for (auto it = arranged_.constBegin(); it != arranged_.constEnd(); ++it)
    session_.settings.setValue(QStringLiteral("arranged/%1").arg(it.key()), it.value());
  for (auto it = heights_.constBegin(); it != heights_.constEnd(); ++it)
    session_.settings.setValue(QStringLiteral("heights/") + it.key(), it.value());
}

void MainWindow::restoreLayout()
{
  QSettings& settings = session_.settings;
  // The first time most of the screen, and never more than it has.
  const QSize screen = this->screen()->availableSize();
  resize(settings.value(QStringLiteral("size"), QSize{1400, 900}.boundedTo(screen * 0.92)).toSize().boundedTo(screen));
  if (restoreState(settings.value(QStringLiteral("docks")).toByteArray()))
    sized_ = settings.value(QStringLiteral("docks_sized")).toBool();
  for (int which = static_cast<int>(Arrangement::design); which <= static_cast<int>(Arrangement::reading); ++which)
    if (const QString key = QStringLiteral("arranged/%1").arg(which); settings.contains(key))
      arranged_[which] = settings.value(key).toStringList();
  QStringList sized = bottom_docks();
  sized << QStringLiteral("column");
  for (const QString& name : std::as_const(sized))
    if (const QString key = QStringLiteral("heights/") + name; settings.contains(key))
      heights_[name] = settings.value(key).toInt();
}

void MainWindow::showEvent(QShowEvent* event)
{
  QMainWindow::showEvent(event);
  QTimer::singleShot(0, this, &MainWindow::sizeDocks);
}

void MainWindow::showWelcome()
{
  arrange(Arrangement::welcome);
  pages_->setCurrentIndex(0);
}

void MainWindow::showPage(Page page)
{
  pages_->setCurrentIndex(1);
  tabs_->setCurrentIndex(page);
  arrange(arrangementOf(page));
}

int MainWindow::page() const
{
  return pages_->currentIndex() == 0 ? -1 : tabs_->currentIndex();
}

} // namespace trainyard::gui
