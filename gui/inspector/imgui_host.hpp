// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QFont>
#include <QImage>
#include <QSize>

#include <deque>
#include <functional>

class QEvent;
struct ImDrawData;
struct ImGuiContext;
struct ImGuiIO;

namespace trainyard::gui {

/// A Dear ImGui context that lives in a Qt widget: Qt draws its font, so that every language has its letters, its
/// events are Qt's, its colours are those of the theme. ImGui lays out in pixels of the screen: letters and lines begin
/// at whole ones, whatever the scale.
class ImGuiHost
{
public:
  /// @p letters: all text that will be shown, besides ASCII; @p pixel_ratio: of the screen, for which they are drawn.
  ImGuiHost(const QString& letters, const QFont& font, double pixel_ratio = 1);
  ~ImGuiHost();
  ImGuiHost(const ImGuiHost&) = delete;
  ImGuiHost& operator=(const ImGuiHost&) = delete;

  /// Makes its context the current one; before anything of ImGui is called.
  void enter() const;
  /// True where ImGui took the event. Presses and releases are told one a frame: none is lost, however short.
  bool event(QEvent* event);
  /// Lays out one frame of @p pixels of the screen. What is returned is valid until the next frame.
  ImDrawData* frame(const QSize& pixels, const std::function<void()>& draw);
  /// Whether the last frame changed something that wants another one.
  bool wantsFrame() const { return frames_left_ > 0; }
  /// The font's texture, one byte of coverage per pixel.
  const QImage& atlas() const { return atlas_; }

private:
  struct Input {
    std::function<void(ImGuiIO&)> tell;
    bool moves = false; // of the moves between two frames only the last one counts
  };
  void makeFont(const QString& letters, const QFont& font);
  void setColours() const;
  void push(Input input);

  double pixel_ratio_;
  ImGuiContext* context_;
  QImage atlas_;
  std::deque<Input> inputs_; // that the next frames tell
  int frames_left_ = 2;
};

/// Draws what ImGui has laid out by QPainter; for screens without OpenGL.
void draw_in_software(const ImDrawData& data, const QImage& atlas, QImage& target);

} // namespace trainyard::gui
