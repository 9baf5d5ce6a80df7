// SPDX-License-Identifier: Apache-2.0
#include "gui/inspector/imgui_host.hpp"

#include "gui/core/theme.hpp"

#include <QApplication>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPalette>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <imgui_internal.h>
#include <map>
#include <utility>

namespace trainyard::gui {
namespace {

ImVec4 colour(const QColor& from, float alpha = 1)
{
  return {from.redF(), from.greenF(), from.blueF(), alpha};
}

} // namespace

ImGuiHost::ImGuiHost(const QString& letters, const QFont& font, double pixel_ratio) : context_{ImGui::CreateContext()}
{
  enter();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr; // leaves no file behind
  io.KeyMap[ImGuiKey_Backspace] = 0;
  io.KeyMap[ImGuiKey_Delete] = 1;
  io.KeyMap[ImGuiKey_LeftArrow] = 2;
  io.KeyMap[ImGuiKey_RightArrow] = 3;
  io.KeyMap[ImGuiKey_Home] = 4;
  io.KeyMap[ImGuiKey_End] = 5;
  io.KeyMap[ImGuiKey_Enter] = 6;
  io.KeyMap[ImGuiKey_Tab] = 7;
  io.KeyMap[ImGuiKey_Escape] = 8;
  io.KeyMap[ImGuiKey_A] = 9;
  makeFont(letters, font, pixel_ratio);
}

ImGuiHost::~ImGuiHost()
{
  ImGui::DestroyContext(context_);
}

void ImGuiHost::enter() const
{
  ImGui::SetCurrentContext(context_);
}

void ImGuiHost::makeFont(const QString& letters, const QFont& font, double pixel_ratio)
{
  // Letters have the screen's pixels; ImGui lays out in device-independent ones.
  const QFontMetricsF metrics{font};
  const int height = static_cast<int>(std::ceil(metrics.height() * pixel_ratio));
  ImGui::GetIO().FontGlobalScale = static_cast<float>(1 / pixel_ratio);
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFontConfig config;
  config.SizePixels = static_cast<float>(height);
  ImFont* built = atlas.AddFontDefault(&config);
  // Rectangles of our own for every letter, which Qt then draws.
  std::map<char16_t, int> rectangles;
  QString wanted = letters;
  for (char16_t c = 0x20; c < 0x7f; ++c)
    wanted += QChar{c};
  wanted += QStringLiteral("…·×µ–—%");
  for (const QChar letter : wanted) {
    const char16_t code = letter.unicode();
    if (code < 0x20 || letter.isSurrogate() || rectangles.contains(code))
      continue;
    const double advance = metrics.horizontalAdvance(letter) * pixel_ratio;
    rectangles[code] = atlas.AddCustomRectFontGlyph(built, code, static_cast<int>(std::ceil(advance)) + 2, height,
                                                    static_cast<float>(advance), ImVec2{-1, 0});
  }
  unsigned char* pixels = nullptr;
  int width = 0;
  int rows = 0;
  atlas.GetTexDataAsAlpha8(&pixels, &width, &rows);
  for (const auto& [code, index] : rectangles) {
    const ImFontAtlasCustomRect* place = atlas.GetCustomRectByIndex(index);
    QImage letter{place->Width, place->Height, QImage::Format_Grayscale8};
    letter.fill(0);
    letter.setDevicePixelRatio(pixel_ratio);
    QPainter painter{&letter};
    painter.setFont(font);
    painter.setPen(Qt::white);
    painter.drawText(QPointF{1 / pixel_ratio, metrics.ascent()}, QString{QChar{code}});
    painter.end();
    for (int y = 0; y < place->Height; ++y)
      std::copy_n(letter.constScanLine(y), place->Width, pixels + (place->Y + y) * width + place->X);
  }
  atlas_ = QImage{width, rows, QImage::Format_Grayscale8};
  for (int y = 0; y < rows; ++y)
    std::copy_n(pixels + y * width, width, atlas_.scanLine(y));
}

void ImGuiHost::setColours() const
{
  is_dark() ? ImGui::StyleColorsDark() : ImGui::StyleColorsLight();
  const QPalette palette = QApplication::palette();
  ImVec4* colours = ImGui::GetStyle().Colors;
  colours[ImGuiCol_WindowBg] = colour(palette.color(QPalette::Base));
  colours[ImGuiCol_Text] = colour(palette.color(QPalette::Text));
  colours[ImGuiCol_TextDisabled] = colour(palette.color(QPalette::PlaceholderText));
  colours[ImGuiCol_Button] = colour(palette.color(QPalette::Button));
  colours[ImGuiCol_FrameBg] = colour(palette.color(QPalette::AlternateBase));
  colours[ImGuiCol_TableHeaderBg] = colour(palette.color(QPalette::Button));
  colours[ImGuiCol_TableRowBgAlt] = colour(palette.color(QPalette::AlternateBase));
  colours[ImGuiCol_PopupBg] = colour(palette.color(QPalette::ToolTipBase));
  colours[ImGuiCol_Border] = colour(palette.color(QPalette::Mid));
  ImGui::GetStyle().WindowBorderSize = 0;
  ImGui::GetStyle().FrameRounding = 3;
  ImGui::GetStyle().FrameBorderSize = 1;
}

bool ImGuiHost::event(QEvent* event)
{
  enter();
  ImGuiIO& io = ImGui::GetIO();
  switch (event->type()) {
  case QEvent::MouseMove:
  case QEvent::MouseButtonPress:
  case QEvent::MouseButtonRelease:
  case QEvent::MouseButtonDblClick: {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    io.MousePos = {static_cast<float>(mouse->position().x()), static_cast<float>(mouse->position().y())};
    int number = 0;
    for (const Qt::MouseButton button : {Qt::LeftButton, Qt::RightButton}) {
      const bool down = (mouse->buttons() & button) != 0;
      released_[number] = !down && pressed_[number]; // a click shorter than a frame is still a click
      pressed_[number] = pressed_[number] || (down && !io.MouseDown[number]);
      io.MouseDown[number] = down || released_[number];
      ++number;
    }
    break;
  }
  case QEvent::Leave:
    io.MousePos = {-1e6F, -1e6F};
    break;
  case QEvent::Wheel:
    io.MouseWheel += static_cast<float>(static_cast<QWheelEvent*>(event)->angleDelta().y()) / 120.0F;
    break;
  case QEvent::KeyPress:
  case QEvent::KeyRelease: {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool down = event->type() == QEvent::KeyPress;
    io.KeyCtrl = (key->modifiers() & Qt::ControlModifier) != 0;
    io.KeyShift = (key->modifiers() & Qt::ShiftModifier) != 0;
    static const QList<int> known{Qt::Key_Backspace, Qt::Key_Delete, Qt::Key_Left, Qt::Key_Right,  Qt::Key_Home,
                                  Qt::Key_End,       Qt::Key_Return, Qt::Key_Tab,  Qt::Key_Escape, Qt::Key_A};
    if (const qsizetype at = known.indexOf(key->key()); at >= 0)
      io.KeysDown[at] = down;
    if (down && !key->text().isEmpty() && key->text()[0].isPrint())
      io.AddInputCharactersUTF8(key->text().toUtf8().constData());
    break;
  }
  default:
    return false;
  }
  frames_left_ = 3; // ImGui reacts one frame later
  return true;
}

ImDrawData* ImGuiHost::frame(const QSize& size, double pixel_ratio, const std::function<void()>& draw)
{
  enter();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(std::max(1, size.width())), static_cast<float>(std::max(1, size.height()))};
  io.DisplayFramebufferScale = {static_cast<float>(pixel_ratio), static_cast<float>(pixel_ratio)};
  io.DeltaTime = 1.0F / 60;
  setColours();
  ImGui::NewFrame();
  draw();
  ImGui::Render();
  io.MouseWheel = 0;
  frames_left_ = std::max(0, frames_left_ - 1);
  for (int button = 0; button < 2; ++button) {
    pressed_[button] = false;
    if (std::exchange(released_[button], false)) {
      io.MouseDown[button] = false;
      frames_left_ = 3;
    }
  }
  return ImGui::GetDrawData();
}

void draw_in_software(const ImDrawData& data, const QImage& atlas, QImage& target)
{
  const float scale = data.FramebufferScale.x;
  const auto channel = [](ImU32 packed, int shift) { return static_cast<float>((packed >> shift) & 0xffU); };
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const int left = std::max(0, static_cast<int>(command.ClipRect.x * scale));
      const int top = std::max(0, static_cast<int>(command.ClipRect.y * scale));
      const int right = std::min(target.width(), static_cast<int>(std::ceil(command.ClipRect.z * scale)));
      const int bottom = std::min(target.height(), static_cast<int>(std::ceil(command.ClipRect.w * scale)));
      for (unsigned int i = 0; i + 2 < command.ElemCount; i += 3) {
        const ImDrawVert* corners[3];
        for (unsigned int k = 0; k < 3; ++k)
          corners[k] = &list.VtxBuffer[static_cast<int>(command.VtxOffset +
                                                        list.IdxBuffer[static_cast<int>(command.IdxOffset + i + k)])];
        const ImVec2 a{corners[0]->pos.x * scale, corners[0]->pos.y * scale};
        const ImVec2 b{corners[1]->pos.x * scale, corners[1]->pos.y * scale};
        const ImVec2 c{corners[2]->pos.x * scale, corners[2]->pos.y * scale};
        const float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if (std::fabs(area) < 1e-6F)
          continue;
        const int x0 = std::max(left, static_cast<int>(std::floor(std::min({a.x, b.x, c.x}))));
        const int x1 = std::min(right, static_cast<int>(std::ceil(std::max({a.x, b.x, c.x}))));
        const int y0 = std::max(top, static_cast<int>(std::floor(std::min({a.y, b.y, c.y}))));
        const int y1 = std::min(bottom, static_cast<int>(std::ceil(std::max({a.y, b.y, c.y}))));
        for (int y = y0; y < y1; ++y) {
          auto* row = reinterpret_cast<QRgb*>(target.scanLine(y));
          for (int x = x0; x < x1; ++x) {
            const float px = static_cast<float>(x) + 0.5F;
            const float py = static_cast<float>(y) + 0.5F;
            const float u = ((b.x - px) * (c.y - py) - (b.y - py) * (c.x - px)) / area;
            const float v = ((c.x - px) * (a.y - py) - (c.y - py) * (a.x - px)) / area;
            const float w = 1 - u - v;
            // A point on an edge belongs to the triangle left of it or above it, so that quads have no seam drawn
            // twice.
            if (u < 0 || v < 0 || w < 0)
              continue;
            const float tx = u * corners[0]->uv.x + v * corners[1]->uv.x + w * corners[2]->uv.x;
            const float ty = u * corners[0]->uv.y + v * corners[1]->uv.y + w * corners[2]->uv.y;
            const int sx = std::clamp(static_cast<int>(tx * static_cast<float>(atlas.width())), 0, atlas.width() - 1);
            const int sy = std::clamp(static_cast<int>(ty * static_cast<float>(atlas.height())), 0, atlas.height() - 1);
            const float cover = static_cast<float>(atlas.constScanLine(sy)[sx]) / 255.0F;
            const auto blend = [&](int shift) {
              return u * channel(corners[0]->col, shift) + v * channel(corners[1]->col, shift) +
                     w * channel(corners[2]->col, shift);
            };
            const float alpha = cover * blend(IM_COL32_A_SHIFT) / 255.0F;
            if (alpha <= 0)
              continue;
            const QRgb under = row[x];
            const auto mix = [alpha](float over, int below) {
              return static_cast<int>(std::lround(over * alpha + static_cast<float>(below) * (1 - alpha)));
            };
            row[x] = qRgb(mix(blend(IM_COL32_R_SHIFT), qRed(under)), mix(blend(IM_COL32_G_SHIFT), qGreen(under)),
                          mix(blend(IM_COL32_B_SHIFT), qBlue(under)));
          }
        }
      }
    }
  }
}

} // namespace trainyard::gui
