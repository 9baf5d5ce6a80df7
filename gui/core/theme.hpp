// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QString>

class QApplication;

namespace trainyard::gui {

/// Light or dark; `system` follows the palette that the desktop gave at start.
enum class Theme { system, light, dark };

Theme theme_of(const QString& name);
QString name_of(Theme theme);

/// Sets the Fusion style with our palette; text and background differ by at least 4.5 : 1 in both themes.
void apply_theme(QApplication& application, Theme theme);
bool is_dark();

/// Colours that colour-blind people can tell apart (Okabe and Ito, "Color Universal Design", 2008), adjusted for the
/// theme.
QColor series_colour(int index);
/// From calm (0) to overloaded (1): blue over yellow to vermilion, also readable in grey.
QColor load_colour(double load);
QColor error_colour();
QColor warning_colour();
/// WCAG 2.1 contrast ratio of two colours, 1 to 21.
double contrast(const QColor& a, const QColor& b);

/// A drawn picture of the program's own: "open", "save", "new", "run", "stop", "undo", "redo", "link", "layout",
/// "export", "network", "queue", "services", "clock". Sharp at any size, in the colours of the theme at the time.
QIcon drawn_icon(const QString& name);

/// While it lives, colours are those of the light theme, whatever the window has: for pictures that go into documents.
class LightColours
{
public:
  LightColours();
  ~LightColours();
  LightColours(const LightColours&) = delete;
  LightColours& operator=(const LightColours&) = delete;

  /// Of the light theme.
  QPalette palette() const;
};

} // namespace trainyard::gui
