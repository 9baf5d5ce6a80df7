// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/import_report.hpp"

#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"

#include <QFile>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHeaderView>
#include <QJsonArray>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTextBlock>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace trainyard::gui {

QVector<ImportLine> import_lines(const QJsonObject& report)
{
  QVector<ImportLine> lines;
  const auto read = [&](const char* key, ImportLine::Kind kind) {
    for (const QJsonValue& value : report.value(QLatin1String(key)).toArray()) {
      const QJsonObject entry = value.toObject();
      ImportLine line;
      line.kind = kind;
      line.what = entry.value(QLatin1String(kind == ImportLine::Kind::fault ? "message" : "what")).toString();
      line.why = entry.value(QLatin1String("why")).toString();
      for (const QJsonValue& place : entry.value(QLatin1String("places")).toArray())
        line.places.push_back({place.toObject().value(QLatin1String("file")).toString(),
                               place.toObject().value(QLatin1String("line")).toInt()});
      if (kind == ImportLine::Kind::fault)
        line.places.push_back(
            {entry.value(QLatin1String("file")).toString(), entry.value(QLatin1String("line")).toInt()});
      lines.push_back(line);
    }
  };
  read("faults", ImportLine::Kind::fault);
  read("understood", ImportLine::Kind::understood);
  read("assumed", ImportLine::Kind::assumed);
  read("ignored", ImportLine::Kind::ignored);
  return lines;
}

ImportReportView::ImportReportView(QWidget* parent)
    : QWidget{parent}, summary_{new QLabel}, list_{new QTreeWidget}, source_{new QPlainTextEdit}
{
  auto* layout = column_in(this, 6);
  summary_->setWordWrap(true);
  layout->addWidget(summary_);
  auto* split = new QSplitter{Qt::Vertical};
  list_->setHeaderLabels({tr("What"), tr("Line")});
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  list_->setAccessibleName(tr("Import report"));
  list_->setWordWrap(true);
  list_->setItemDelegate(new WrapDelegate{*list_});
  source_->setTabChangesFocus(true);
  source_->setReadOnly(true);
  source_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  source_->setLineWrapMode(QPlainTextEdit::NoWrap);
  source_->setAccessibleName(tr("Imported file"));
  split->addWidget(list_);
  split->addWidget(source_);
  split->setSizes({320, 220});
  layout->addWidget(split, 1);
  connect(list_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (item != nullptr && item->data(0, Qt::UserRole).isValid())
      showSource(item->data(0, Qt::UserRole).toString(), item->data(0, Qt::UserRole + 1).toInt());
  });
  show({}, {});
}

void ImportReportView::show(const QVector<ImportLine>& lines, const QString& folder)
{
  list_->clear();
  source_->clear();
  shown_.clear();
  folder_ = folder;
  const QVector<QPair<ImportLine::Kind, QString>> kinds{{ImportLine::Kind::fault, tr("Errors")},
                                                        {ImportLine::Kind::understood, tr("Understood")},
                                                        {ImportLine::Kind::assumed, tr("Assumed")},
                                                        {ImportLine::Kind::ignored, tr("Ignored")}};
  QStringList counts;
  for (const auto& [kind, name] : kinds) {
    QTreeWidgetItem* head = nullptr;
    int count = 0;
    for (const ImportLine& line : lines) {
      if (line.kind != kind)
        continue;
      if (head == nullptr)
        head = new QTreeWidgetItem{list_, {name}};
      ++count;
      QStringList numbers;
      for (const ImportLine::Place& place : line.places)
        if (place.line > 0 && numbers.size() < 8)
          numbers << QString::number(place.line);
      auto* item =
          new QTreeWidgetItem{head,
                              {line.why.isEmpty() ? line.what : QStringLiteral("%1: %2").arg(line.what, line.why),
                               numbers.join(QStringLiteral(", "))}};
      item->setToolTip(0, item->text(0));
      if (kind == ImportLine::Kind::fault)
        item->setForeground(0, error_colour());
      if (!line.places.isEmpty()) {
        item->setData(0, Qt::UserRole, line.places.front().file);
        item->setData(0, Qt::UserRole + 1, line.places.front().line);
      }
    }
    if (head != nullptr) {
      head->setText(0, QStringLiteral("%1 (%2)").arg(name).arg(count));
      head->setExpanded(true);
      counts << head->text(0);
    }
  }
  summary_->setText(counts.isEmpty()
                        ? tr("Drop a compose, Kubernetes, Slurm, NCCL or trace file onto the window, or choose Import.")
                        : counts.join(QStringLiteral(" · ")));
}

void ImportReportView::showSource(const QString& file, int line)
{
  const QString whole = QFileInfo{file}.isAbsolute() || folder_.isEmpty() ? file : folder_ + QLatin1Char('/') + file;
  if (whole != shown_) {
    QFile in{whole};
    shown_ = whole;
    if (!in.open(QIODevice::ReadOnly))
      return source_->setPlainText(tr("%1 cannot be read: %2").arg(whole, in.errorString()));
    source_->setPlainText(QString::fromUtf8(in.read(4'000'000)));
  }
  const QTextBlock block = source_->document()->findBlockByNumber(std::max(0, line - 1));
  QTextEdit::ExtraSelection mark;
  mark.cursor = QTextCursor{block};
  mark.format.setBackground(palette().color(QPalette::Highlight));
  mark.format.setForeground(palette().color(QPalette::HighlightedText));
  mark.format.setProperty(QTextFormat::FullWidthSelection, true);
  source_->setExtraSelections(line > 0 ? QList{mark} : QList<QTextEdit::ExtraSelection>{});
  source_->setTextCursor(QTextCursor{block});
  source_->centerCursor();
}

int ImportReportView::markedLine() const
{
  const auto marks = source_->extraSelections();
  return marks.isEmpty() ? 0 : marks.front().cursor.blockNumber() + 1;
}

} // namespace trainyard::gui
