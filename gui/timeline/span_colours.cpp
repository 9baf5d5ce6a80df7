// SPDX-License-Identifier: Apache-2.0

#include "gui/core/theme.hpp"
#include "gui/timeline/timeline.hpp"

#include <QApplication>
#include <QHash>
#include <QPalette>

namespace trainyard::gui {
namespace {

struct Kind {
  const char* category;
  int colour;
  const char* words;
};

/// Every kind of work that simrun writes, and those of other programs.
constexpr Kind all_kinds[]{{"forward", 0, QT_TRANSLATE_NOOP("Spans", "forward")},
                           {"backward", 4, QT_TRANSLATE_NOOP("Spans", "backward")},
                           {"push", 1, QT_TRANSLATE_NOOP("Spans", "push")},
                           {"pull", 2, QT_TRANSLATE_NOOP("Spans", "pull")},
                           {"collective", 1, QT_TRANSLATE_NOOP("Spans", "collective")},
                           {"all_reduce", 1, QT_TRANSLATE_NOOP("Spans", "all-reduce")},
                           {"exchange", 1, QT_TRANSLATE_NOOP("Spans", "exchange")},
                           {"aggregate", 5, QT_TRANSLATE_NOOP("Spans", "aggregate")},
                           {"update", 3, QT_TRANSLATE_NOOP("Spans", "update")},
                           {"input", 5, QT_TRANSLATE_NOOP("Spans", "input")},
                           {"running", 2, QT_TRANSLATE_NOOP("Spans", "running")},
                           {"waiting", 1, QT_TRANSLATE_NOOP("Spans", "waiting")},
                           {"starting", 5, QT_TRANSLATE_NOOP("Spans", "starting")},
                           {"failed", 3, QT_TRANSLATE_NOOP("Spans", "failed")},
                           {"finished", 0, QT_TRANSLATE_NOOP("Spans", "finished")},
                           {"training", 2, QT_TRANSLATE_NOOP("Spans", "is trained")},
                           {"stale", 1, QT_TRANSLATE_NOOP("Spans", "is out of date")},
                           {"queue", 0, QT_TRANSLATE_NOOP("Spans", "jobs of the queue")},
                           {"services", 2, QT_TRANSLATE_NOOP("Spans", "services")},
                           {"retraining", 1, QT_TRANSLATE_NOOP("Spans", "retraining")},
                           {"gpus_1", 5, QT_TRANSLATE_NOOP("Spans", "jobs with 1 GPU")},
                           {"gpus_8", 2, QT_TRANSLATE_NOOP("Spans", "2 to 8 GPUs")},
                           {"gpus_64", 4, QT_TRANSLATE_NOOP("Spans", "9 to 64 GPUs")},
                           {"gpus_more", 0, QT_TRANSLATE_NOOP("Spans", "more than 64 GPUs")}};

const Kind* kind_of(const QString& category)
{
  static const QHash<QString, const Kind*> known = [] {
    QHash<QString, const Kind*> all;
    for (const Kind& kind : all_kinds)
      all[QLatin1String(kind.category)] = &kind;
    return all;
  }();
  return known.value(category, nullptr);
}

bool is_kind(const QString& category)
{
  return !category.isEmpty() && category != QLatin1String("other");
}

} // namespace

QColor span_colour(const QString& category, const QString& name)
{
  if (const Kind* kind = kind_of(category); kind != nullptr)
    return series_colour(kind->colour);
  return series_colour(static_cast<int>(qHash(is_kind(category) ? category : name) % 6));
}

QString category_words(const QString& category)
{
  if (const Kind* kind = kind_of(category); kind != nullptr)
    return QCoreApplication::translate("Spans", kind->words);
  return is_kind(category) ? category : QCoreApplication::translate("Spans", "other");
}

QStringList categories_of(const Timeline& timeline)
{
  QStringList list;
  for (const QString& category : timeline.categories)
    if (is_kind(category) && (list.isEmpty() || (list.back() != category && !list.contains(category))))
      list << category;
  return list;
}

QString legend_html(const Timeline& timeline)
{
  QStringList parts;
  for (const QString& category : categories_of(timeline).mid(0, 14))
    parts << QStringLiteral("<a href='%1' style='text-decoration:none'><span style='color:%2'>■</span> "
                            "<span style='color:%4'>%3</span></a>")
                 .arg(category.toHtmlEscaped(), span_colour(category, {}).name(),
                      category_words(category).toHtmlEscaped().replace(QLatin1Char(' '), QStringLiteral("&nbsp;")),
                      QApplication::palette().color(QPalette::Text).name());
  return parts.join(QStringLiteral(" &nbsp; "));
}

} // namespace trainyard::gui
