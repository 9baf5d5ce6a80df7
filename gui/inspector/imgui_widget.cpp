// SPDX-License-Identifier: Apache-2.0
// The inspector as a widget: one drawn by OpenGL, one drawn in software.
#include "gui/document/scenario_document.hpp"
#include "gui/inspector/imgui_host.hpp"
#include "gui/inspector/imgui_panel.hpp"
#include "gui/inspector/inspector_process.hpp"
#include "gui/inspector/inspector_widget.hpp"

#include <QApplication>
#include <QEvent>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QOpenGLWidget>
#include <QPainter>
#include <QTimer>

#include <QDir>
#include <QFileInfo>
#include <backends/imgui_impl_opengl3.h>
#include <functional>
#include <imgui.h>

namespace trainyard::gui {
namespace {

/// The common part of both: the frame, and the actions of its buttons.
class Inspector
{
public:
  Inspector(InspectorProcess& process, ScenarioDocument& document, double pixel_ratio)
      : process_{process}, document_{document}, host_{inspector_texts(), font(), pixel_ratio}
  {
  }

  ImDrawData* frame(const QSize& size, double ratio)
  {
    InspectorRequest request;
    ImDrawData* data = host_.frame(size, ratio, [&] {
      request = draw_inspector(
          {process_.state(), process_.isAlive(), process_.isBusy(), process_.message(), process_.policies()}, input_);
    });
    if (request.kind != InspectorRequest::Kind::none)
      QMetaObject::invokeMethod(
          &process_, [this, request] { act(request); }, Qt::QueuedConnection);
    return data;
  }
  ImGuiHost& host() { return host_; }

private:
  static QFont font()
  {
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * 0.95);
    return font;
  }

  void act(const InspectorRequest& request)
  {
    switch (request.kind) {
    case InspectorRequest::Kind::start:
      process_.start(document_.text(), document_.folder(), 3, request.policy);
      break;
    case InspectorRequest::Kind::step:
      process_.step(request.instants);
      break;
    case InspectorRequest::Kind::run_until:
      process_.runUntil(request.time);
      break;
    case InspectorRequest::Kind::run:
      process_.run();
      break;
    case InspectorRequest::Kind::pause:
      process_.pause();
      break;
    case InspectorRequest::Kind::none:
      break;
    }
  }

  InspectorProcess& process_;
  ScenarioDocument& document_;
  ImGuiHost host_;
  InspectorInput input_;
};

void prepare(QWidget& widget)
{
  widget.setMouseTracking(true);
  widget.setFocusPolicy(Qt::StrongFocus);
  widget.setMinimumSize(320, 120);
  widget.setAccessibleName(QCoreApplication::translate("Inspector", "Engine inspector"));
  widget.setAccessibleDescription(QCoreApplication::translate(
      "Inspector",
      "Event queue, flows and links of a simulation, step by step; simrun inspect shows the same as text"));
}

class SoftwareInspector final : public QWidget
{
public:
  SoftwareInspector(InspectorProcess& process, ScenarioDocument& document, QWidget* parent)
      : QWidget{parent}, inspector_{process, document, devicePixelRatioF()}
  {
    prepare(*this);
    connect(&process, &InspectorProcess::changed, this, qOverload<>(&QWidget::update));
  }

protected:
  bool event(QEvent* event) override
  {
    if (inspector_.host().event(event)) {
      update();
      event->accept();
      return true;
    }
    return QWidget::event(event);
  }
  void paintEvent(QPaintEvent*) override
  {
    const double ratio = devicePixelRatioF();
    QImage image{size() * ratio, QImage::Format_RGB32};
    image.fill(palette().color(QPalette::Base));
    draw_in_software(*inspector_.frame(size(), ratio), inspector_.host().atlas(), image);
    image.setDevicePixelRatio(ratio);
    QPainter{this}.drawImage(0, 0, image);
    if (inspector_.host().wantsFrame())
      QTimer::singleShot(16, this, qOverload<>(&QWidget::update));
  }

private:
  Inspector inspector_;
};

class OpenGlInspector final : public QOpenGLWidget
{
public:
  OpenGlInspector(InspectorProcess& process, ScenarioDocument& document, QWidget* parent)
      : QOpenGLWidget{parent}, inspector_{process, document, devicePixelRatioF()}
  {
    prepare(*this);
    connect(&process, &InspectorProcess::changed, this, qOverload<>(&QWidget::update));
  }
  ~OpenGlInspector() override
  {
    makeCurrent();
    inspector_.host().enter();
    if (ready_)
      ImGui_ImplOpenGL3_Shutdown();
    doneCurrent();
  }
  OpenGlInspector(const OpenGlInspector&) = delete;
  OpenGlInspector& operator=(const OpenGlInspector&) = delete;

protected:
  void initializeGL() override
  {
    inspector_.host().enter();
    ready_ = ImGui_ImplOpenGL3_Init("#version 130");
  }
  void paintGL() override
  {
    inspector_.host().enter();
    if (ready_)
      ImGui_ImplOpenGL3_NewFrame();
    ImDrawData* laid_out = inspector_.frame(size(), devicePixelRatioF());
    QOpenGLFunctions& gl = *QOpenGLContext::currentContext()->functions();
    gl.glViewport(0, 0, static_cast<int>(width() * devicePixelRatioF()),
                  static_cast<int>(height() * devicePixelRatioF()));
    const QColor ground = palette().color(QPalette::Base);
    gl.glClearColor(ground.redF(), ground.greenF(), ground.blueF(), 1);
    gl.glClear(GL_COLOR_BUFFER_BIT);
    if (ready_)
      ImGui_ImplOpenGL3_RenderDrawData(laid_out);
    if (inspector_.host().wantsFrame())
      QTimer::singleShot(16, this, qOverload<>(&QWidget::update));
  }
  bool event(QEvent* event) override
  {
    if (inspector_.host().event(event)) {
      update();
      event->accept();
      return true;
    }
    return QOpenGLWidget::event(event);
  }

private:
  Inspector inspector_;
  bool ready_ = false;
};

} // namespace

QWidget* make_inspector(InspectorProcess& process, ScenarioDocument& document, QWidget* parent)
{
  if (opengl_widgets_work())
    return new OpenGlInspector{process, document, parent};
  return new SoftwareInspector{process, document, parent};
}

} // namespace trainyard::gui
