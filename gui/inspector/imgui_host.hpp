// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QFont>
#include <QImage>
#include <QSize>

#include <functional>

class QEvent;
struct ImDrawData;
struct ImGuiContext;

namespace trainyard::gui {

/// A Dear ImGui context that lives in a Qt widget: Qt draws its font, so that every language has its letters, its
/// events are Qt's, its colours are those of the theme.
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
  /// True where ImGui took the event.
  bool event(QEvent* event);
  /// Lays out one frame of @p size (device-independent pixels). What is returned is valid until the next frame.
  ImDrawData* frame(const QSize& size, double pixel_ratio, const std::function<void()>& draw);
  /// Whether the last frame changed something that wants another one.
  bool wantsFrame() const { return frames_left_ > 0; }
  /// The font's texture, one byte of coverage per pixel.
  const QImage& atlas() const { return atlas_; }

private:
  void makeFont(const QString& letters, const QFont& font, double pixel_ratio);
  void setColours() const;

  ImGuiContext* context_;
  QImage atlas_;
  int frames_left_ = 2;
  bool pressed_[2] = {false, false};  // since the last frame, by button
  bool released_[2] = {false, false}; // after that; told when the press has been seen
};

/// Rasterises what ImGui has laid out; for screens without OpenGL, and for tests.
void draw_in_software(const ImDrawData& data, const QImage& atlas, QImage& target);

} // namespace trainyard::gui
