// SPDX-License-Identifier: Apache-2.0
// The inspector as a widget: one drawn by OpenGL, one drawn in software.
#include "gui/document/scenario_document.hpp"
#include "gui/inspector/imgui_host.hpp"
#include "gui/inspector/imgui_panel.hpp"
#include "gui/inspector/inspector_process.hpp"
#include "gui/inspector/inspector_widget.hpp"

#include <QApplication>
#include <QEvent>
#include <QImage>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QOpenGLWidget>
#include <QPainter>
#include <QTimer>

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <optional>
#include <utility>

namespace trainyard::gui {
namespace {

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

/// The common part of both: events, the frame, and the actions of its buttons. @p Base: QWidget or QOpenGLWidget.
template <typename Base>
class Inspector : public Base
{
public:
  Inspector(InspectorProcess& process, ScenarioDocument& document, QWidget* parent)
      : Base{parent}, process_{process}, document_{document}
  {
    prepare(*this);
    QObject::connect(&process, &InspectorProcess::changed, this, qOverload<>(&QWidget::update));
  }

protected:
  /// Of the screen that the widget was on at the last frame: its letters have the pixels of that one.
  ImGuiHost& host() { return *host_; }
  QSize pixels() const { return (QSizeF{this->size()} * ratio_).toSize(); }
  QColor ground() const { return this->palette().color(QPalette::Base); }

  /// Before each frame: the widget may have come to a screen of another scale.
  void fit()
  {
    if (host_ && ratio_ == this->devicePixelRatioF())
      return;
    forget();
    ratio_ = this->devicePixelRatioF();
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * 0.95);
    host_.emplace(inspector_texts(), font, ratio_);
  }
  /// What OpenGL keeps of the host is given back.
  virtual void forget() {}

  ImDrawData* frame()
  {
    InspectorRequest request;
    ImDrawData* data = host().frame(pixels(), [&] {
      request = draw_inspector({process_.state(), process_.isAlive(), process_.isBusy(), process_.message(),
                                process_.policies(), process_.points(), process_.point()},
                               input_);
    });
    if (request.kind != InspectorRequest::Kind::none)
      QMetaObject::invokeMethod(
          &process_, [this, request] { act(request); }, Qt::QueuedConnection);
    if (host().wantsFrame())
      QTimer::singleShot(16, this, qOverload<>(&QWidget::update));
    return data;
  }

  bool event(QEvent* event) override
  {
    if (!host_ || !host_->event(event))
      return Base::event(event);
    this->update();
    event->accept();
    return true;
  }

private:
  void act(const InspectorRequest& request)
  {
    switch (request.kind) {
    case InspectorRequest::Kind::start:
      process_.start(document_.text(), document_.folder(), 3, request.policy, request.point);
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
  double ratio_ = 0;
  std::optional<ImGuiHost> host_;
  InspectorInput input_;
};

class SoftwareInspector final : public Inspector<QWidget>
{
public:
  using Inspector::Inspector;

protected:
  void paintEvent(QPaintEvent*) override
  {
    fit();
    QImage image{pixels(), QImage::Format_RGB32};
    image.fill(ground());
    draw_in_software(*frame(), host().atlas(), image);
    QPainter{this}.drawImage(rect(), image);
  }
};

class OpenGlInspector final : public Inspector<QOpenGLWidget>
{
public:
  using Inspector::Inspector;
  ~OpenGlInspector() override
  {
    disconnect(destroyed_);
    leave();
  }
  OpenGlInspector(const OpenGlInspector&) = delete;
  OpenGlInspector& operator=(const OpenGlInspector&) = delete;

protected:
  void initializeGL() override // again for each window that the panel comes to
  {
    disconnect(destroyed_);
    destroyed_ = connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, [this] { leave(); });
  }
  void paintGL() override
  {
    fit();
    host().enter();
    if (!ready_)
      ready_ = ImGui_ImplOpenGL3_Init("#version 130");
    ImGui_ImplOpenGL3_NewFrame();
    ImDrawData* laid_out = frame();
    QOpenGLFunctions& gl = *QOpenGLContext::currentContext()->functions();
    gl.glClearColor(ground().redF(), ground().greenF(), ground().blueF(), 1);
    gl.glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(laid_out);
  }
  void forget() override
  {
    if (!std::exchange(ready_, false))
      return;
    host().enter();
    ImGui_ImplOpenGL3_Shutdown();
  }

private:
  void leave()
  {
    makeCurrent();
    forget();
    doneCurrent();
  }

  QMetaObject::Connection destroyed_;
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
