// SPDX-License-Identifier: Apache-2.0
#include "gui/core/copy_rows.hpp"

#include "models/core/figure_text.hpp"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMessageBox>
#include <QSaveFile>
#include <QTableView>

#include <algorithm>
#include <numeric>

namespace trainyard::gui {

QString copied_rows(const QTableView& table, bool markdown, CopiedRows which)
{
  const QAbstractItemModel& model = *table.model();
  QVector<int> rows;
  if (which == CopiedRows::selected && table.selectionModel()->hasSelection())
    for (const QModelIndex& each : table.selectionModel()->selectedIndexes())
      if (!rows.contains(each.row()))
        rows.push_back(each.row());
  if (rows.isEmpty()) {
    rows.resize(model.rowCount());
    std::iota(rows.begin(), rows.end(), 0);
  }
  std::sort(rows.begin(), rows.end());
  const auto line = [&](const auto& text_of) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column) {
      QString cell = text_of(column);
      if (markdown)
        cell.replace(QLatin1Char('|'), QLatin1String("\\|"));
      else
        cell = QString::fromStdString(csv_text(cell.toStdString()));
      cells << cell;
    }
    return markdown ? QStringLiteral("| %1 |\n").arg(cells.join(QStringLiteral(" | ")))
                    : cells.join(QLatin1Char(',')) + QLatin1Char('\n');
  };
  QString text = line([&](int column) { return model.headerData(column, Qt::Horizontal).toString(); });
  if (markdown)
    text += QLatin1Char('|') + QStringLiteral("---|").repeated(model.columnCount()) + QLatin1Char('\n');
  for (const int row : std::as_const(rows))
    text += line([&](int column) {
      const QModelIndex cell = model.index(row, column);
      const QVariant whole = markdown ? QVariant{} : cell.data(whole_value_role);
      return (whole.isValid() ? whole : cell.data(Qt::DisplayRole)).toString();
    });
  return text;
}

void let_copy(QTableView& table)
{
  table.setContextMenuPolicy(Qt::ActionsContextMenu);
  for (const bool markdown : {false, true}) {
    auto* copy = new QAction{markdown ? QObject::tr("Copy as Markdown") : QObject::tr("Copy as CSV"), &table};
    copy->setShortcut(markdown ? QKeySequence{QStringLiteral("Ctrl+Shift+C")} : QKeySequence{QKeySequence::Copy});
    copy->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(copy, &QAction::triggered, &table,
                     [&table, markdown] { QGuiApplication::clipboard()->setText(copied_rows(table, markdown)); });
    table.addAction(copy);
  }
  auto* save = new QAction{QObject::tr("Save as CSV…"), &table};
  save->setObjectName(QStringLiteral("save_rows"));
  QObject::connect(save, &QAction::triggered, &table, [&table] {
    save_text(table, QObject::tr("Save the table"), QStringLiteral("table.csv"), QObject::tr("Tables (*.csv)"),
              copied_rows(table, false, CopiedRows::all));
  });
  table.addAction(save);
}

void save_text(QWidget& parent, const QString& title, const QString& name, const QString& filter, const QString& text)
{
  const QString file = QFileDialog::getSaveFileName(&parent, title, name, filter);
  if (file.isEmpty())
    return;
  QSaveFile out{file};
  const QByteArray bytes = text.toUtf8();
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.flush() || !out.commit())
    QMessageBox::warning(&parent, title, QObject::tr("%1 cannot be written: %2").arg(file, out.errorString()));
}

} // namespace trainyard::gui
