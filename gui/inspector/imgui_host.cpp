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
#include <initializer_list>
#include <map>
#include <utility>

namespace trainyard::gui {
namespace {

ImVec4 colour(const QColor& from, float alpha = 1)
{
  return {from.redF(), from.greenF(), from.blueF(), alpha};
}

const std::initializer_list<std::pair<int, ImGuiKey>> keys{
    {Qt::Key_Backspace, ImGuiKey_Backspace}, {Qt::Key_Delete, ImGuiKey_Delete},
    {Qt::Key_Left, ImGuiKey_LeftArrow},      {Qt::Key_Right, ImGuiKey_RightArrow},
    {Qt::Key_Home, ImGuiKey_Home},           {Qt::Key_End, ImGuiKey_End},
    {Qt::Key_Return, ImGuiKey_Enter},        {Qt::Key_Tab, ImGuiKey_Tab},
    {Qt::Key_Escape, ImGuiKey_Escape},       {Qt::Key_A, ImGuiKey_A}};

void tell_key(ImGuiIO& io, int key, bool down, Qt::KeyboardModifiers modifiers)
{
  const bool ctrl = (modifiers & Qt::ControlModifier) != 0;
  const bool shift = (modifiers & Qt::ShiftModifier) != 0;
  const auto* known = std::find_if(keys.begin(), keys.end(), [key](const auto& each) { return each.first == key; });
#if IMGUI_VERSION_NUM < 18700
  io.KeyCtrl = ctrl;
  io.KeyShift = shift;
  if (known != keys.end())
    io.KeysDown[known->second] = down;
#else
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  if (known != keys.end())
    io.AddKeyEvent(known->second, down);
#endif
}

} // namespace

ImGuiHost::ImGuiHost(const QString& letters, const QFont& font, double pixel_ratio)
    : pixel_ratio_{pixel_ratio}, context_{ImGui::CreateContext()}
{
  enter();
  ImGui::GetIO().IniFilename = nullptr; // leaves no file behind
#if IMGUI_VERSION_NUM < 18700
  for (const auto& [qt, key] : keys)
    ImGui::GetIO().KeyMap[key] = key;
#endif
  // What lies across the pixels would be blurred by OpenGL alone.
  ImGuiStyle& style = ImGui::GetStyle();
  style.AntiAliasedFill = style.AntiAliasedLines = false;
  style.ScrollbarRounding = style.GrabRounding = 0;
  style.ScaleAllSizes(static_cast<float>(pixel_ratio));
  style.WindowBorderSize = 0;
  style.FrameBorderSize = style.PopupBorderSize = 1;
  makeFont(letters, font);
}

ImGuiHost::~ImGuiHost()
{
  ImGui::DestroyContext(context_);
}

void ImGuiHost::enter() const
{
  ImGui::SetCurrentContext(context_);
}

void ImGuiHost::makeFont(const QString& letters, const QFont& font)
{
  const QFontMetricsF metrics{font};
  const int height = static_cast<int>(std::ceil(metrics.height() * pixel_ratio_));
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
    const auto advance = static_cast<int>(std::lround(metrics.horizontalAdvance(letter) * pixel_ratio_));
    rectangles[code] =
        atlas.AddCustomRectFontGlyph(built, code, advance + 3, height, static_cast<float>(advance), ImVec2{-1, 0});
  }
  unsigned char* pixels = nullptr;
  int width = 0;
  int rows = 0;
  atlas.GetTexDataAsAlpha8(&pixels, &width, &rows);
  for (const auto& [code, index] : rectangles) {
    const ImFontAtlasCustomRect* place = atlas.GetCustomRectByIndex(index);
    QImage letter{place->Width, place->Height, QImage::Format_Grayscale8};
    letter.fill(0);
    letter.setDevicePixelRatio(pixel_ratio_);
    QPainter painter{&letter};
    painter.setFont(font);
    painter.setPen(Qt::white);
    painter.drawText(QPointF{1 / pixel_ratio_, std::round(metrics.ascent() * pixel_ratio_) / pixel_ratio_},
                     QString{QChar{code}});
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
}

bool ImGuiHost::event(QEvent* event)
{
  enter();
  switch (event->type()) {
  case QEvent::MouseMove:
  case QEvent::MouseButtonPress:
  case QEvent::MouseButtonRelease:
  case QEvent::MouseButtonDblClick: {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QPointF at = mouse->position() * pixel_ratio_;
    push({[at, buttons = mouse->buttons()](ImGuiIO& io) {
            io.MousePos = {static_cast<float>(at.x()), static_cast<float>(at.y())};
            io.MouseDown[0] = (buttons & Qt::LeftButton) != 0;
            io.MouseDown[1] = (buttons & Qt::RightButton) != 0;
          },
          event->type() == QEvent::MouseMove});
    break;
  }
  case QEvent::Leave:
    push({[](ImGuiIO& io) { io.MousePos = {-1e6F, -1e6F}; }, true});
    break;
  case QEvent::Wheel:
    ImGui::GetIO().MouseWheel += static_cast<float>(static_cast<QWheelEvent*>(event)->angleDelta().y()) / 120.0F;
    break;
  case QEvent::KeyPress:
  case QEvent::KeyRelease: {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool down = event->type() == QEvent::KeyPress;
    push({[key = key->key(), down, modifiers = key->modifiers()](ImGuiIO& io) { tell_key(io, key, down, modifiers); }});
    if (down && !key->text().isEmpty() && key->text()[0].isPrint())
      push({[text = key->text().toUtf8()](ImGuiIO& io) { io.AddInputCharactersUTF8(text.constData()); }});
    break;
  }
  default:
    return false;
  }
  frames_left_ = 3; // ImGui reacts one frame later
  return true;
}

void ImGuiHost::push(Input input)
{
  if (input.moves && !inputs_.empty() && inputs_.back().moves)
    inputs_.pop_back();
  inputs_.push_back(std::move(input));
}

ImDrawData* ImGuiHost::frame(const QSize& pixels, const std::function<void()>& draw)
{
  enter();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(std::max(1, pixels.width())), static_cast<float>(std::max(1, pixels.height()))};
  io.DeltaTime = 1.0F / 60;
  frames_left_ = std::max(0, frames_left_ - 1);
  if (!inputs_.empty()) {
    inputs_.front().tell(io);
    inputs_.pop_front();
    frames_left_ = 3;
  }
  setColours();
  ImGui::NewFrame();
  draw();
  ImGui::Render();
  io.MouseWheel = 0;
  return ImGui::GetDrawData();
}

void draw_in_software(const ImDrawData& data, const QImage& atlas, QImage& target)
{
  const auto colour = [](ImU32 packed) {
    return QColor{
        static_cast<int>(packed >> IM_COL32_R_SHIFT & 0xffU), static_cast<int>(packed >> IM_COL32_G_SHIFT & 0xffU),
        static_cast<int>(packed >> IM_COL32_B_SHIFT & 0xffU), static_cast<int>(packed >> IM_COL32_A_SHIFT & 0xffU)};
  };
  std::map<ImU32, QImage> letters; // the atlas in each colour of text
  QPainter painter{&target};
  painter.setPen(Qt::NoPen);
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const ImVec4& clip = command.ClipRect;
      painter.setClipRect(QRect{static_cast<int>(clip.x), static_cast<int>(clip.y), static_cast<int>(clip.z - clip.x),
                                static_cast<int>(clip.w - clip.y)});
      for (unsigned int i = 0; i < command.ElemCount; i += 3) {
        const ImDrawVert* corners[3];
        QPointF triangle[3];
        for (unsigned int k = 0; k < 3; ++k) {
          corners[k] = &list.VtxBuffer[static_cast<int>(command.VtxOffset +
                                                        list.IdxBuffer[static_cast<int>(command.IdxOffset + i + k)])];
          triangle[k] = {corners[k]->pos.x, corners[k]->pos.y};
        }
        const ImDrawVert& first = *corners[0];
        if (first.uv.x == corners[1]->uv.x && first.uv.y == corners[1]->uv.y) { // one pixel of the atlas: plain
          painter.setBrush(colour(first.col));
        } else { // as many pixels of the atlas as of the screen
          QImage& inked = letters[first.col];
          if (inked.isNull()) {
            inked = QImage{atlas.size(), QImage::Format_ARGB32_Premultiplied};
            inked.fill(colour(first.col));
            inked.setAlphaChannel(atlas);
          }
          painter.setBrush(inked);
          painter.setBrushOrigin(triangle[0] - QPointF{first.uv.x * static_cast<float>(atlas.width()),
                                                       first.uv.y * static_cast<float>(atlas.height())});
        }
        painter.drawConvexPolygon(triangle, 3);
      }
    }
  }
}

} // namespace trainyard::gui
