// SPDX-License-Identifier: Apache-2.0
// What simrun tells, in the language of the window: line by line, and its tables laid out anew.
#include "gui/results/explanation.hpp"

#include "gui/core/theme.hpp"
#include "gui/results/messages.hpp"

#include <QEvent>

#include <algorithm>
#include <utility>

namespace trainyard::gui {
namespace {

/// A bar of a share.
QString bar(double share, const QPalette& palette)
{
  constexpr int width = 180; // px
  const int filled = qRound(width * std::clamp(share, 0.0, 1.0));
  QString parts;
  for (const auto& [part, colour] :
       {std::pair{filled, series_colour(0)}, std::pair{width - filled, palette.color(QPalette::Midlight)}})
    if (part > 0)
      parts += QStringLiteral("<td width='%1' bgcolor='%2'></td>").arg(part).arg(colour.name());
  return QStringLiteral("<table cellspacing='0' cellpadding='0'><tr>%1</tr></table>").arg(parts);
}

QString cell_words(const Message& cell)
{
  return cell.id.empty() ? explained_cell_words(QString::fromStdString(cell.text)) : message_words(cell);
}

QString table_page(const Told& table, const QPalette& palette)
{
  QString page = QStringLiteral("<table cellspacing='0' cellpadding='2' style='margin-left: 20px'>");
  const auto add = [&](std::size_t column, const QString& words) {
    page += QStringLiteral("<td align='%1' valign='middle' style='padding-right: 18px; white-space: %2'>%3</td>")
                .arg(table.columns[column].right ? QStringLiteral("right") : QStringLiteral("left"),
                     words.size() > 60 ? QStringLiteral("normal") : QStringLiteral("nowrap"), words);
  };
  if (std::ranges::any_of(table.columns, [](const Column& column) { return !column.title.empty(); })) {
    page += QLatin1String("<tr>");
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      add(i, QStringLiteral("<b>%1</b>")
                 .arg(explained_cell_words(QString::fromStdString(table.columns[i].title)).toHtmlEscaped()));
    page += QLatin1String("</tr>");
  }
  for (const std::vector<TableCell>& row : table.rows) {
    page += QLatin1String("<tr>");
    for (std::size_t i = 0; i < row.size(); ++i) {
      const TableCell& cell = row[i];
      add(i, cell.share ? bar(*cell.share, palette) : cell_words(cell.said).toHtmlEscaped());
    }
    page += QLatin1String("</tr>");
  }
  return page + QLatin1String("</table>");
}

QString line_page(const Told& line)
{
  const QString lead = QString::fromStdString(line.lead);
  const QString words = (lead.trimmed() + QLatin1Char(' ') + message_words(line.said)).trimmed().toHtmlEscaped();
  const bool indented = lead.endsWith(QLatin1Char(' '));
  const char* form = line.form != Told::Form::heading
                         ? "<p style='margin: 2px 0 2px %2px; white-space: pre-wrap'>%1</p>"
                     : indented ? "<h4 style='margin: 10px 0 2px %2px'>%1</h4>"
                                : "<h3 style='margin: 12px 0 4px %2px'>%1</h3>";
  return QString::fromLatin1(form).arg(words).arg(indented ? 10 : 0);
}

} // namespace

Telling told_in(const QByteArray& document)
{
  const auto json = nlohmann::json::parse(document.begin(), document.end(), nullptr, false);
  try {
    return json.is_object() && json.contains("told") ? Telling::read(json["told"]) : Telling{};
  } catch (const nlohmann::json::exception&) { // of another program
    return {};
  }
}

ExplanationPage::ExplanationPage(QWidget* parent) : QTextBrowser{parent}
{
  setOpenLinks(false);
}

void ExplanationPage::setExplanation(const Telling& explanation)
{
  explanation_ = explanation;
  layOut();
}

QString ExplanationPage::words() const
{
  return QString::fromStdString(explanation_.text(false, [](const Message& message, bool in_table) {
    return (in_table ? cell_words(message) : message_words(message)).toStdString();
  }));
}

void ExplanationPage::changeEvent(QEvent* event)
{
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::LanguageChange)
    layOut();
}

void ExplanationPage::layOut()
{
  QString page;
  for (const Told& piece : explanation_.pieces)
    if (piece.form == Told::Form::table)
      page += table_page(piece, palette());
    else if (!piece.said.empty())
      page += line_page(piece);
  setHtml(page);
}

} // namespace trainyard::gui
