// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QPalette>

namespace trainyard::gui {

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
