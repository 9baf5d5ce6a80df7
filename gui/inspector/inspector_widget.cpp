// SPDX-License-Identifier: Apache-2.0
#include "gui/inspector/inspector_widget.hpp"

#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>

namespace trainyard::gui {

bool opengl_widgets_work()
{
  const QString platform = QGuiApplication::platformName();
  if (platform == QLatin1String("offscreen") || platform == QLatin1String("minimal") ||
      platform == QLatin1String("vnc"))
    return false; // Qt 6.4 crashes there
  if (qEnvironmentVariableIsSet("TRAINYARD_NO_OPENGL"))
    return false;
  QOpenGLContext context;
  QOffscreenSurface surface;
  surface.create();
  return context.create() && context.makeCurrent(&surface);
}

#ifndef TRAINYARD_IMGUI
QWidget* make_inspector(InspectorProcess&, ScenarioDocument&, QWidget*)
{
  return nullptr;
}
#endif

} // namespace trainyard::gui
