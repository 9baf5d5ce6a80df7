// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace trainyard {

/// A text that never changes and that its copies share: operations of all steps have the same names.
class SharedText
{
public:
  SharedText() = default;
  SharedText(std::string text)
      : text_{text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))} {} // made of any text
  SharedText(const char* text) : SharedText{std::string{text}} {}

  bool empty() const { return text_ == nullptr; }
  const std::string& text() const
  {
    static const std::string none;
    return empty() ? none : *text_;
  }
  operator const std::string&() const { return text(); }
  bool starts_with(std::string_view begin) const { return text().starts_with(begin); }

  bool operator==(const SharedText& other) const { return text_ == other.text_ || text() == other.text(); }
  bool operator==(const char* other) const { return text() == other; }
  bool operator==(const std::string& other) const { return text() == other; }

private:
  std::shared_ptr<const std::string> text_; // null: empty
};

} // namespace trainyard
