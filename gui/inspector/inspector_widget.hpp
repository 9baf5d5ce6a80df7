// SPDX-License-Identifier: Apache-2.0
#pragma once
class QWidget;

namespace trainyard::gui {

class InspectorProcess;
class ScenarioDocument;

/// Whether a QOpenGLWidget can be shown here. To be asked before one is made: showing one where there is no OpenGL ends
/// the program.
bool opengl_widgets_work();

/// The engine inspector, drawn with OpenGL if available, else in software. Null if the program was built without Dear
/// ImGui.
QWidget* make_inspector(InspectorProcess& process, ScenarioDocument& document, QWidget* parent);

} // namespace trainyard::gui
